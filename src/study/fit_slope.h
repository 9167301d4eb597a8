#ifndef COSY_STUDY_FIT_SLOPE_H
#define COSY_STUDY_FIT_SLOPE_H

/* Derivatives of what a FIT predicts, by its parameters, where the model carries them
   along.

       fit_slopes      finds them all, or NULL: one of them is not known
       fit_slope_at    their values at the present point of a run */

#include "base/arena.h"
#include "cosy/model.h"

#define FitSlope     COSY_NAME(FitSlope)
#define fit_slopes   COSY_NAME(fit_slopes)
#define fit_slope_at COSY_NAME(fit_slope_at)

typedef enum FitSlopeKind {
    FIT_SLOPE_ZERO,
    FIT_SLOPE_ONE, // the parameter itself
    FIT_SLOPE_STATE,
    FIT_SLOPE_DATA
} FitSlopeKind;

typedef struct FitSlope {
    FitSlopeKind kind;
    uint32_t place, sense;
} FitSlope;

/* In the order of the data, of what is observed there, of value and noise, and of the
   parameters. */
const FitSlope *fit_slopes(const CosySearch *s, const CosyModel *m, Arena *a);
/* NaN where the run has lost it (run/carried.h). */
real fit_slope_at(const FitSlope *f, const Cosy *c, const uint8_t *lost);

#endif
