#ifndef COSY_STORE_DIFFER_H
#define COSY_STORE_DIFFER_H

/* How two curves differ. Each is the line through its points: a jump where two
   of them have the same time. They are compared over the time that both cover,
   at the points of both and on the straight lines between them, so the norms
   are exact for such lines, however differently the curves are sampled. */

#include <stdbool.h>
#include <stddef.h>

typedef struct Curve {
    const double *t, *v; // t does not decrease
    size_t n;
} Curve;

typedef struct Difference {
    bool same;       // the same points, bit by bit
    double from, to; // what both cover; from > to: nothing
    double size;     // the largest absolute value of both in it
    double most, at; // the largest difference, and where it is first reached
    double mean;     // of the absolute difference over time
    double rms;      // root of the mean square over time
    double parts;    // first time at which they differ by more than 10^-digits
                     // of `size`; NaN: nowhere
    double unknown;  // length of time in which one of them has no value
} Difference;

void differ_curves(Difference *d, const Curve *a, const Curve *b,
                   double digits);

/* The points of a - b: the ends of all pieces of time in which both curves are
   straight, so that jumps stay jumps. There is room for 2 (a->n + b->n) points;
   returns how many there are. */
size_t differ_points(const Curve *a, const Curve *b, double *t, double *v);

/* Decimal digits that two values have in common, as seen from `size`, the
   larger of them, or what they are part of; infinite if they are equal, 0 if
   nothing agrees, NaN if one does not exist. */
double differ_digits(double a, double b, double size);

#endif
