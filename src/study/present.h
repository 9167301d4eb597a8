#ifndef COSY_STUDY_PRESENT_H
#define COSY_STUDY_PRESENT_H

/* The present points of a frame: where the last SIMULATE or STEADYSTATE has left
   each element of the lists. STEADYSTATE and LINEARIZE begin there, and so does a
   SIMULATE after a STEADYSTATE, element by element. Kept only for models that
   have such statements. LINEARIZE changes nothing. What the EXPERIMENT assigns in
   the meantime to its own instance, which has the last of these points, counts
   for all of them. */

#include "base/arena.h"
#include "cosy/model.h"

#define Present       COSY_NAME(Present)
#define present_add   COSY_NAME(present_add)
#define present_begin COSY_NAME(present_begin)
#define present_take  COSY_NAME(present_take)
#define present_has   COSY_NAME(present_has)
#define present_clear COSY_NAME(present_clear)
#define present_free  COSY_NAME(present_free)

typedef struct Present {
    Vector data, x, t; // of each element, one after the other
    Vector slid;       // a byte each: on a threshold along which its run slid
    Vector base_data, base_x; // of the experiment when they became present
    uint32_t n;
    bool rests; // left by a STEADYSTATE
} Present;

/* The point of the next element; false: no memory. */
bool present_add(Present *p, real t, const Vector *data, const Vector *x,
                 bool slid);
/* Whether there is a point for each of `n` elements. */
static inline bool present_has(const Present *p, uint32_t n)
{
    return p->n > 0 && p->n == n;
}
/* The points are complete; c is the instance of the experiment. */
bool present_begin(Present *p, const Cosy *c);
/* Gives c the values of point k, and what `now`, the instance of the experiment,
   has been assigned since; returns the time of the point. */
real present_take(const Present *p, const Cosy *c, uint32_t k, const Cosy *now);
void present_clear(Present *p);
void present_free(Present *p);

#endif
