#ifndef COSY_EMIT_SHARE_H
#define COSY_EMIT_SHARE_H

/* Shared by expression.c, which spells operations, and share.c, which finds scope
   by scope what is computed once, what before a loop, and what in statements of
   its own. plan/share.c says which expressions come into question. */

#include "emit/writer.h"

/* The operation itself, ignoring constants that already hold its value. */
void emit_bare(Emit *e, Buffer *b, const Expr *x, int level);
/* Writes x as statements; returns the name of its value. */
const char *emit_hoist(Emit *e, const Expr *x);
const char *emit_make_temp(Emit *e, const Expr *x);
/* The constant of this function that holds x, or NULL. */
const char *emit_temp_of(const Emit *e, const Expr *x);
/* Appends x, which is read before the calls that follow. */
void emit_settled(Emit *e, Buffer *b, const Expr *x, int level,
                  bool calls_follow);
void emit_write_choose(Emit *e, Buffer *b, const Expr *x);
void emit_write_both(Emit *e, Buffer *b, const Expr *x);
/* Appends x, as REAL if that is the type. */
void emit_value_as(Emit *e, Buffer *b, const Expr *x, ExprType type, int level);

#endif
