#ifndef COSY_BASE_QUAD_H
#define COSY_BASE_QUAD_H

/* Numbers of 113 bits for the compiler, which computes unit factors and decimal
   texts in them, so that what it writes has all the digits that QUAD can
   read. */

#include "base/buffer.h"

__extension__ typedef __float128 Quad;
#define Q(literal) (__extension__ literal##Q)

Quad quad_read(const char *text); // a decimal number; 0 if it is not one
Quad quad_power(Quad a, Quad exponent);
Quad quad_round(Quad a);
/* Prints a number with as many digits as it has (0.001, 5000.0, 1e-30), 36 at
   most. */
#define QUAD_ROOM 60
void quad_text(char text[QUAD_ROOM], Quad a);
void quad_print(Buffer *b, Quad a);

#endif
