#ifndef COSY_STATS_SKETCH_H
#define COSY_STATS_SKETCH_H

/* Counts of observations in cells that are the same for all data, so that
   quantiles need no memory of single observations, and sketches of several runs
   add up exactly, in any order.

   Between 2^e and 2^(e+1) there are SKETCH_CELLS cells of equal width: a cell is
   less than 0.8 % of its values wide, and a quantile is as exact as that. Whole
   numbers up to 256 have cells of their own, and so does zero. Cells lie in
   octaves, which are made when the first observation falls into them: at most
   4094 of 1 kB, and some twenty in practice.

   A vector of octaves holds many sketches (one for each COLLECT QUANTILES); the
   octaves of one are linked from its SketchHead. Both are plain data.

       sketch_add       an observation
       sketch_merge     all that another sketch has counted
       sketch_quantile  the smallest value that a share of all does not exceed */

#include "base/arena.h"
#include "cosy/real.h"

#define SketchHead      COSY_NAME(SketchHead)
#define SketchOctave    COSY_NAME(SketchOctave)
#define sketch_add      COSY_NAME(sketch_add)
#define sketch_merge    COSY_NAME(sketch_merge)
#define sketch_quantile COSY_NAME(sketch_quantile)

#define SKETCH_CELLS 128
#define SKETCH_NEAR  64 // a power of two

/* To be initialized with zeros. `octave` counts from 1; 0: there is none. */
typedef struct SketchHead {
    uint64_t n;
    double min, max;
    uint32_t octave, broken; // broken: some value was not whole
    /* Where the octave of a key was, by its last bits. */
    uint32_t near[SKETCH_NEAR];
} SketchHead;

typedef struct SketchOctave {
    uint32_t key; // sign and exponent
    uint32_t next;
    uint64_t count[SKETCH_CELLS];
} SketchOctave;

/* False: there is no memory. The value must be finite. */
bool sketch_add(SketchHead *h, Vector *octaves, double value);
bool sketch_merge(SketchHead *to, Vector *octaves, const SketchHead *from,
                  const Vector *others);
/* NaN if nothing was counted; 0 < share <= 1. */
double sketch_quantile(const SketchHead *h, const Vector *octaves,
                       double share);

#endif
