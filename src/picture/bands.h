#ifndef COSY_PICTURE_BANDS_H
#define COSY_PICTURE_BANDS_H

/* Means of replications over time, with bands about them (stats/envelope.h):
   GRAPH (MEAN), and, without OUTPUT, the STOREd variables of a SIMULATE with
   REPLICATE. */

#include "picture/graphs.h"

#define bands_any  COSY_NAME(bands_any)
#define bands_line COSY_NAME(bands_line)
#define bands_text COSY_NAME(bands_text)
#define bands_make COSY_NAME(bands_make)

/* Whether there are means of replications in the place of single curves. */
bool bands_any(const Gallery *e);
/* The graph of a line with (MEAN). */
Status bands_line(Gallery *e, const CosyShow *line);
/* The same in characters. */
void bands_text(Gallery *e, const CosyShow *line, Buffer *b);
/* Without OUTPUT: a graph for each of a few variables. */
Status bands_make(Gallery *e);

#endif
