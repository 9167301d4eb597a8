#ifndef COSY_GRAMMAR_RANDOM_H
#define COSY_GRAMMAR_RANDOM_H

/* Random programs from the grammar.

       Random r = {.state = seed};
       Writer *w = writer_make(arena, &grammar);
       sample_make(w, &r, size, &sample);      one program
       sample_mutate(w, &r, &sample);          changes one token of it
       sample_write(&sample, &buffer);         its text

   Until about `size` tokens are written every way is open, after that only the
   shortest, so a program always ends. Every large part of a program heads for a
   rule chosen at random, so that rare constructs occur as often as common ones.
   Names, numbers, strings and raw bodies come from small pools without option
   words: a program that was not mutated follows the grammar. The same seed
   gives the same programs everywhere. */

#include "grammar/ebnf.h"

typedef struct Random {
    uint64_t state;
} Random;

typedef struct Writer Writer;

/* A token to be written; `level` is the depth of the blocks around it. */
typedef struct Spelled {
    SymbolKind kind;
    const char *text;
    uint32_t level;
} Spelled;

typedef struct Sample {
    Vector v; // Spelled; vector_free when done
    bool broken;
} Sample;

uint32_t random_below(Random *r, uint32_t n);

/* Needs: sets_make, every rule with a text. NULL if there is no memory. */
Writer *writer_make(Arena *a, const Grammar *g);

/* Replaces what the sample held before. */
void sample_make(const Writer *w, Random *r, uint32_t size, Sample *s);
/* Deletes, doubles, swaps or replaces one token. */
void sample_mutate(const Writer *w, Random *r, Sample *s);
uint32_t sample_count(const Sample *s);

/* With line breaks; no token touches one that it would merge with. */
void sample_write(const Sample *s, Buffer *b);

#endif
