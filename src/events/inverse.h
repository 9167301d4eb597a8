#ifndef COSY_EVENTS_INVERSE_H
#define COSY_EVENTS_INVERSE_H

/* Distributions by inversion: the value below which a share u of all values
   lies. It rises with u, so u and 1 - u give antithetic values, and equal
   numbers u make alternatives comparable. Methods: closed forms where they
   exist; Wichura's AS 241 for the normal; Newton's method on the logarithm of
   the smaller tail for gamma and beta; sums of probabilities for counts. */

#include "cosy/model.h"

#define inverse_value COSY_NAME(inverse_value)

/* 0 < u < 1, an odd multiple of 2^-53 (so that 1 - u is exact). EXPOND,
   UNIFORMD and NORMALD give values of the standard form, as in a stream's
   batch. Not for EMPIRIC. */
double inverse_value(CosyDistribution d, double a, double b, double c,
                     double u);

#endif
