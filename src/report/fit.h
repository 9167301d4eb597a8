#ifndef COSY_REPORT_FIT_H
#define COSY_REPORT_FIT_H

/* What a FIT has found: its parameters with their errors and intervals, how well the
   model goes with the data, which parameters the data do not tell apart, and where the
   starts led. */

#include "base/buffer.h"
#include "base/tree.h"

/* `one` is an object of "optimum"; `units` those of the variables, or NULL. */
void fit_tables(Buffer *b, const Tree *one, const Tree *units);

#endif
