#ifndef COSY_GRAMMAR_TABLE_H
#define COSY_GRAMMAR_TABLE_H

/* A recogniser made from the grammar: a table that gives the way to go for
   every construct and every next symbol, and a stack of what is still to come.
   It has no code for any particular construct, so it can be compared with the
   parser, which has.

   An option word that the table expects counts as the word, otherwise as a
   name: the parser does the same. */

#include "grammar/ebnf.h"
#include "syntax/token.h"

typedef struct Table Table;

typedef struct Verdict {
    bool ok;
    bool memory;  // ran out: no verdict
    uint32_t at;  // index of the first token that does not fit
    Set expected; // what was expected instead
} Verdict;

/* Needs: proved LL(1). NULL if there is no memory. */
Table *table_make(Arena *a, const Grammar *g);

Verdict recognise(const Table *t, const Tokens *tokens);

#endif
