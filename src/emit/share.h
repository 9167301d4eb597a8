#ifndef COSY_EMIT_SHARE_H
#define COSY_EMIT_SHARE_H

/* Between expression.c, which spells operations, and share.c, which decides what
   is computed once, what before a loop, and what in statements of its own. */

#include "emit/writer.h"

/* The operation itself, without a look at constants that have its value. */
void emit_bare(Emit *e, Buffer *b, const Expr *x, int level);
/* Writes x as statements; the name of its value. */
const char *emit_hoist(Emit *e, const Expr *x);
const char *emit_make_temp(Emit *e, const Expr *x);
/* The constant that this function has of x, or NULL. */
const char *emit_temp_of(const Emit *e, const Expr *x);
/* What stands as statements before the expression. */
bool emit_is_hoisted(const Expr *x);
/* Not shorter to write again than to look up. */
bool emit_is_worth(const Expr *x);
/* CALL and DRAW. */
bool emit_is_occurrence(const Expr *x);
/* DIV and MOD by a literal that can do no harm. */
bool emit_is_plain_quotient(const Expr *x);
bool emit_calls(const Expr *x);
/* x, which is read before what stands behind may do something. */
void emit_settled(Emit *e, Buffer *b, const Expr *x, int level, bool behind);
void emit_write_choose(Emit *e, Buffer *b, const Expr *x);
void emit_write_both(Emit *e, Buffer *b, const Expr *x);
/* As REAL, if that is the type. */
void emit_value_as(Emit *e, Buffer *b, const Expr *x, ExprType type, int level);

#endif
