#ifndef COSY_HUNT_MUTATION_H
#define COSY_HUNT_MUTATION_H

/* Changes of a program that mostly leave it a program.

   A text is cut into tokens by COSY's own lexer, one place is changed, and the
   tokens are found again for the next change. The changes know the shape of the
   language roughly: operators are exchanged for operators of their kind, names
   for names followed by the same sign, statements are moved as a whole. Whether
   the result is a valid program is for the compiler to decide.

   All randomness comes from a Dice, so that a seed and a number reproduce a
   program on any machine. */

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct Dice {
    uint64_t state; // never 0
} Dice;

/* The numbers of one trial do not depend on those of the trials before it. */
Dice dice_new(uint64_t seed, uint64_t trial);
uint64_t dice_next(Dice *d);
/* From 0 to n - 1; 0 if n is 0. */
size_t dice_below(Dice *d, size_t n);

/* Changes the text once; false if no place was found for the change that the
   dice chose. The lexer must be able to read the text. */
bool mutation_apply(Buffer *text, Dice *d);

/* The text without the tokens [from, from + count): for making a program
   smaller. False if there are no such tokens. */
bool mutation_cut(const Buffer *text, size_t from, size_t count, Buffer *out);
/* How many tokens a text has, not counting the end. */
size_t mutation_tokens(const Buffer *text);

#endif
