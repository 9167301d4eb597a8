#ifndef COSY_SOLVE_BRACKET_H
#define COSY_SOLVE_BRACKET_H

/* Iteration for the zero of a discontinuity function between two times, one of
   them on its near side, the other on its far side. The four schemes of CONDIT
   are here: bracket_next proposes a time, the caller evaluates there and passes
   the result to bracket_take. Time may run in either direction. */

#include "cosy/model.h"

#define Bracket      COSY_NAME(Bracket)
#define BracketPoint COSY_NAME(BracketPoint)
#define bracket_make COSY_NAME(bracket_make)
#define bracket_next COSY_NAME(bracket_next)
#define bracket_take COSY_NAME(bracket_take)
#define time_ulp     COSY_NAME(time_ulp)

typedef struct BracketPoint {
    real t, z, dz;
} BracketPoint;

typedef struct Bracket {
    BracketPoint near, far;
    real near_weight, far_weight; // Illinois: 1, or halved when an end does not
                                  // move
    real width;                   // width when the pace was last examined
    real before;                  // |z| at the end that moved, before it moved
    int proposals;                // proposals since then
    int last; // -1: the near end moved last, +1: the far end
} Bracket;

void bracket_make(Bracket *b, BracketPoint near, BracketPoint far);
real bracket_next(Bracket *b, CosyScheme scheme);
/* The point replaces the end on whose side it lies; `far` tells which. */
void bracket_take(Bracket *b, BracketPoint p, bool far);
/* Distance from t to the next number. */
real time_ulp(real t);

#endif
