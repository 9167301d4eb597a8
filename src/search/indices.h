#ifndef COSY_SEARCH_INDICES_H
#define COSY_SEARCH_INDICES_H

/* How much of a result's variance comes from which parameter, and the measures of
   a sample.

   Sobol' indices need (k + 2) N points: N rows, each of which is a point of A, one
   of B, and for every parameter i the point of A with the coordinate i of B. The
   order of the points is that: A, B, AB_1 .. AB_k of the first row, then the second.
   design_point makes any of them; A and B are the halves of one plan of 2k
   dimensions, so that a Sobol' sequence reaches as far as 64 parameters.

   First order: Saltelli and others, Computer Physics Communications 181, 2010,
   table 2 (b); total: Jansen, table 2 (f) there. Intervals are those of the delta
   method for a quotient of two means, as if rows were independent: with Latin
   hypercubes and Sobol' points the true errors are usually smaller.

   A row with a result that is not finite (a failed run) is left out, in all sums of
   the index concerned; how many is told. */

#include "search/points.h"

#define IndexDesign     COSY_NAME(IndexDesign)
#define SobolIndex      COSY_NAME(SobolIndex)
#define IndexSummary    COSY_NAME(IndexSummary)
#define SampleMeasures  COSY_NAME(SampleMeasures)
#define design_plan     COSY_NAME(design_plan)
#define design_points   COSY_NAME(design_points)
#define design_point    COSY_NAME(design_point)
#define design_pick     COSY_NAME(design_pick)
#define indices_find    COSY_NAME(indices_find)
#define sample_measure  COSY_NAME(sample_measure)
#define sample_sort     COSY_NAME(sample_sort)
#define sample_quantile COSY_NAME(sample_quantile)

typedef struct IndexDesign {
    PointKind kind;
    uint32_t parameters;
    uint64_t rows, seed;
} IndexDesign;

/* The plan whose 2k dimensions hold A and B; points_fault judges it. */
PointPlan design_plan(const IndexDesign *d);

/* (k + 2) N. */
uint64_t design_points(const IndexDesign *d);

/* Coordinates of point `number`. `scratch` has room for 2k numbers. */
void design_point(const IndexDesign *d, uint64_t number, real *u,
                  real *scratch);

/* The same from the coordinates of its row: which = 0: A, 1: B, 2 + i: AB_i. */
void design_pick(const IndexDesign *d, uint32_t which, const real *row,
                 real *u);

/* An index, and half of its 95 % interval. NaN where nothing varies, or fewer than
   two rows are left. */
typedef struct SobolIndex {
    real first, first_half;
    real total, total_half;
    uint64_t rows; // that were used
} SobolIndex;

typedef struct IndexSummary {
    real mean, variance; // of all results of A and B
    uint64_t left_out;   // results that are not finite
    bool constant;       // the result does not vary at all
} IndexSummary;

/* `result` has the design_points results in their order; `index` gets one entry
   per parameter. */
void indices_find(const IndexDesign *d, const real *result, SobolIndex *index,
                  IndexSummary *summary);

/* ---- Samples ------------------------------------------------------------------- */

/* `weight` NULL: all weigh the same, and sd is that of a sample (n - 1). Otherwise
   weights say how reliable or probable a value is, and sd is without bias for such
   weights. Values that are not finite, and weights that are not positive, are left
   out. */
typedef struct SampleMeasures {
    uint64_t n, left_out;
    real mean, sd; // NaN where n is too small
    real error;    // standard error of the mean
    real least, greatest;
    real effective; // how many equal weights are worth as much
} SampleMeasures;

void sample_measure(uint64_t n, const real *x, const real *weight,
                    SampleMeasures *m);

/* Puts the pairs that sample_measure takes into ascending order, the others after
   them, and returns how many it takes. `weight` may be NULL. */
uint64_t sample_sort(uint64_t n, real *x, real *weight);

/* The quantile q in [0, 1] of a sorted sample of n pairs: linear between the middles
   of the values' weights, so that equal weights give type 7 of Hyndman and Fan. NaN
   for n = 0. */
real sample_quantile(uint64_t n, const real *x, const real *weight, real q);

#endif
