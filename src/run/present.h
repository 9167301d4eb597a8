#ifndef COSY_RUN_PRESENT_H
#define COSY_RUN_PRESENT_H

/* The present points of a frame: where the last SIMULATE or STEADYSTATE has left
   each element of the lists. STEADYSTATE and LINEARIZE begin there, and so does a
   SIMULATE after a STEADYSTATE, element by element. Kept only for models that
   have such statements. LINEARIZE changes nothing. */

#include "base/arena.h"
#include "cosy/model.h"

#define Present       COSY_NAME(Present)
#define present_add   COSY_NAME(present_add)
#define present_take  COSY_NAME(present_take)
#define present_has   COSY_NAME(present_has)
#define present_clear COSY_NAME(present_clear)
#define present_free  COSY_NAME(present_free)

typedef struct Present {
    Vector data, x, t; // of each element, one after the other
    uint32_t n;
    bool rests; // left by a STEADYSTATE
} Present;

/* The point of the next element; false: no memory. */
bool present_add(Present *p, real t, const Vector *data, const Vector *x);
/* Whether there is a point for each of `n` elements. */
static inline bool present_has(const Present *p, uint32_t n)
{
    return p->n > 0 && p->n == n;
}
/* Gives c the values of point k; returns its time. */
real present_take(const Present *p, const Cosy *c, uint32_t k);
void present_clear(Present *p);
void present_free(Present *p);

#endif
