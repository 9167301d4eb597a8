#ifndef COSY_GRAMMAR_LL1_H
#define COSY_GRAMMAR_LL1_H

/* Proves that one symbol of look-ahead decides.

   grammar_check_rules checks what needs no sets: rules that are undefined,
   unreachable from the start or without any text, and left recursion.
   grammar_check_ll1 compares, at every alternative, option and repetition, the
   symbols on which each way is taken. An option word and a name are different
   symbols: if both fit, the word counts. An option marked ! is taken whenever
   possible; if that decides nothing, the mark is an error. grammar_check_words
   compares with the words of src/syntax/words.def.

   All report to `d` and return false if something was an error. */

#include "grammar/ebnf.h"

bool grammar_check_rules(const Grammar *g, Diags *d);
/* Needs: sets_make. */
bool grammar_check_ll1(const Grammar *g, Diags *d);
bool grammar_check_words(const Grammar *g, Diags *d);

#endif
