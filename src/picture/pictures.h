#ifndef COSY_PICTURE_PICTURES_H
#define COSY_PICTURE_PICTURES_H

/* Pictures of what LINEARIZE has found in a run: eigenvalues in the complex
   plane (with their paths along a run), their real parts over time, and a Bode
   diagram for every input and output. */

#include "plot/plots.h"
#include "run/run.h"

#define linear_pictures COSY_NAME(linear_pictures)

/* Adds them to `all`. `words` are the parameters of the run, or "". */
Status linear_pictures(Plots *all, const Run *r, uint32_t number,
                       const char *words);

#endif
