#ifndef COSY_GRAMMAR_SETS_H
#define COSY_GRAMMAR_SETS_H

/* What an item may begin with, what may follow it, whether it may be empty:
   the sets FIRST and FOLLOW of the textbooks, on the EBNF tree itself, so that
   every alternative, option and repetition has its own. */

#include "grammar/ebnf.h"

static inline bool set_has(const Set *s, uint32_t symbol)
{
    return (s->bits[symbol / 64] >> (symbol % 64) & 1) != 0;
}

void set_add(Set *s, uint32_t symbol);
/* Adds all of `from`; true if any of them was new. */
bool set_join(Set *s, const Set *from);
Set set_both(const Set *a, const Set *b); // what is in both
bool set_empty(const Set *s);
/* "+", 'AT' and IDENT; at most `most` of them, then how many more. */
void set_write(Buffer *b, const Grammar *g, const Set *s, uint32_t most);

/* Fills nullable, begin and follow of all items and rules. Needs: every rule
   defined. */
void sets_make(Grammar *g);

/* Symbols on which this alternative is taken: those it begins with, and if it
   may be empty those that follow it. */
Set item_lookahead(const Item *i);

#endif
