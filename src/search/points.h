#ifndef COSY_SEARCH_POINTS_H
#define COSY_SEARCH_POINTS_H

/* Points in the unit cube. A plan says which; point k of it is a function of the
   plan and of k alone, so that points can be made in any order, on any thread
   and on any machine. All coordinates lie between 0 and 1 and are neither: they
   can go through an inverse distribution function.

   POINTS_RANDOM          independent points
   POINTS_LATIN           Latin hypercube: cut any axis into `count` equal
                          pieces, and each of them has one point in it
   POINTS_LATIN_CENTRED   the same, in the middle of its piece
   POINTS_SOBOL           the Sobol' sequence in the order of Gray's code. Point
                          0 has all coordinates 2^-53 (it would be 0): take
                          one of the next two to map points to distributions
                          without bounds
   POINTS_SOBOL_SHIFTED   all points with the same random digital shift
   POINTS_SOBOL_OWEN      nested uniform scrambling (Owen 1995): for smooth
                          functions the most accurate, and without bias

   Any 2^m points in a row of a Sobol' sequence whose first number is a
   multiple of 2^m are balanced; other counts are less so. */

#include <stdint.h>

#include "cosy/real.h"

#define points_fault COSY_NAME(points_fault)
#define points_at    COSY_NAME(points_at)
#define PointPlan    COSY_NAME(PointPlan)
#define PointKind    COSY_NAME(PointKind)

/* Sobol' sequences have as many dimensions as search/sobol.def has rows, and one
   more. */
#define SOBOL_DIMENSIONS 128
#define SOBOL_BITS       52

typedef enum PointKind {
    POINTS_RANDOM,
    POINTS_LATIN,
    POINTS_LATIN_CENTRED,
    POINTS_SOBOL,
    POINTS_SOBOL_SHIFTED,
    POINTS_SOBOL_OWEN
} PointKind;

typedef struct PointPlan {
    PointKind kind;
    uint32_t dimensions;
    uint64_t count; // of all points; only a Latin hypercube depends on it
    uint64_t seed;
} PointPlan;

#define POINTS_FAULT 200

/* What is impossible about a plan, in `text`, or NULL. */
const char *points_fault(const PointPlan *plan, char text[POINTS_FAULT]);

/* Coordinates of point k < count. Needs: a plan without fault. */
void points_at(const PointPlan *plan, uint64_t k, real *u);

#endif
