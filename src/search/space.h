#ifndef COSY_SEARCH_SPACE_H
#define COSY_SEARCH_SPACE_H

/* Bounds, sizes and words that all searches share. Private to src/search. */

#include <stdio.h>

#include "base/buffer.h"
#include "cosy/real.h"

#define Space            COSY_NAME(Space)
#define space_fault      COSY_NAME(space_fault)
#define space_size       COSY_NAME(space_size)
#define space_clamp      COSY_NAME(space_clamp)
#define space_at         COSY_NAME(space_at)
#define space_name       COSY_NAME(space_name)
#define search_number    COSY_NAME(search_number)
#define search_say       COSY_NAME(search_say)
#define search_say_point COSY_NAME(search_say_point)

#define NUMBER_ROOM 64

/* Arrays of n numbers; bounds are infinite where there is none. */
typedef struct Space {
    uint32_t n;
    const char *const *name;                // or NULL
    const real *start, *low, *high, *scale; // each may be NULL
} Space;

/* A start that is missing or outside, bounds in the wrong order. */
const char *space_fault(const Space *s, bool start_needed, char *text,
                        size_t room);

static inline real space_low(const Space *s, uint32_t i)
{
    return s->low == NULL ? -COSY_INFINITY : s->low[i];
}

static inline real space_high(const Space *s, uint32_t i)
{
    return s->high == NULL ? COSY_INFINITY : s->high[i];
}

/* What counts as a change of order one: the scale, the distance of the bounds, the
   size of the start, or 1, whichever is known first. */
real space_size(const Space *s, uint32_t i);

real space_clamp(const Space *s, uint32_t i, real p);

/* -1 at the lower bound, 1 at the upper one, 0 elsewhere. */
signed char space_at(const Space *s, uint32_t i, real p);

const char *space_name(const Space *s, uint32_t i, char text[NUMBER_ROOM]);

/* Shows a number with as many digits as a sentence can bear. */
const char *search_number(real x, char text[NUMBER_ROOM]);

/* Adds a text to words of `room` characters; what does not fit is left out. */
void search_say(char *words, size_t room, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* "P = 1.5, Q = 2", eight parameters at most. */
void search_say_point(const Space *s, const real *p, char *words, size_t room);

#endif
