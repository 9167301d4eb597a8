#ifndef COSY_CHECK_SPELL_H
#define COSY_CHECK_SPELL_H

/* Expressions as messages show them. */

#include "base/buffer.h"
#include "syntax/unit.h"

/* `X`, or "this sum" where that would be long. */
void spell_value(Unit *u, Buffer *b, const Node *n);
/* True if two expressions are written the same way; false if they are long. */
bool spell_same(Unit *u, const Node *a, const Node *b);

#endif
