#ifndef COSY_SYNTAX_WORDS_H
#define COSY_SYNTAX_WORDS_H

/* The words of the language, for looking up. The table is made once per text,
   because every name in it is looked up.

   A word is reserved, or an option word, or one of the macro language; symbols
   are not found by name. */

#include <stddef.h>
#include <stdint.h>

#include "syntax/token.h"

#define WORD_SLOTS 1024 // a power of two, well above the number of words

typedef struct WordTable {
    uint16_t slot[WORD_SLOTS]; // a Word, or 0
} WordTable;

typedef enum WordClass {
    WORD_CLASS_NONE,
    WORD_CLASS_RESERVED,
    WORD_CLASS_OPTION,
    WORD_CLASS_SYMBOL,
    WORD_CLASS_MACRO
} WordClass;

void words_prepare(WordTable *t);
/* The word that these n characters spell in any case, or WORD_NONE. */
Word words_find(const WordTable *t, const char *s, size_t n);
WordClass word_class(Word w);

bool word_is_value_type(Word w); // REAL, INTEGER, BOOLEAN
bool word_is_plain_type(Word w); // types of variables
bool word_is_group(Word w);      // begins a group of a VAR part

#endif
