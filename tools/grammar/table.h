#ifndef COSY_GRAMMAR_TABLE_H
#define COSY_GRAMMAR_TABLE_H

/* A recogniser made from the grammar: a table that tells for every construct
   and every next symbol which way to go, and a stack of what is still to come.
   It has no code of its own for any construct, so it can be held against the
   parser that has.

   An option word that the table expects counts as the word, elsewhere as a
   name: the parser does the same. */

#include "grammar/ebnf.h"
#include "syntax/token.h"

typedef struct Table Table;

typedef struct Verdict {
    bool ok;
    bool memory;  // ran out: nothing is said
    uint32_t at;  // index of the first token that does not fit
    Set expected; // instead of that token
} Verdict;

/* Needs: proved LL(1). NULL if there is no memory. */
Table *table_make(Arena *a, const Grammar *g);

Verdict recognise(const Table *t, const Tokens *tokens);

#endif
