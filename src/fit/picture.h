#ifndef COSY_FIT_PICTURE_H
#define COSY_FIT_PICTURE_H

/* A picture of measured values and of distributions fitted to them: a histogram
   with densities (or probabilities) on the left, quantiles against quantiles on
   the right, as one SVG. */

#include "base/buffer.h"
#include "fit/fit.h"

enum { PICTURE_FITS = 3 };

typedef struct Picture {
    const char *heading; // "WAIT [min], 250 observations"
    const char *label;   // "WAIT [min]"
    const Sample *sample;
    const Fit *fit; // the best ones
    uint32_t fits;  // at most PICTURE_FITS are drawn
} Picture;

void picture_draw(Buffer *b, const Picture *p);

#endif
