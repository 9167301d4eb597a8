#ifndef COSY_CHECK_MEASURE_H
#define COSY_CHECK_MEASURE_H

/* The unit of an expression, from those of its parts. Private to the check of
   units (units.h). */

#include "check/agree.h"

/* Reports what does not agree inside it. An expression is measured once. */
Measure measure(Units *c, Node *n);

Measure measure_symbol(Units *c, Symbol *s);
Measure measure_time(const Units *c);
Measure measure_none(void);
/* The unit of x (0) or y (1) in a FUNCTABLE: that of its first point, or of a
   column of its file. */
Measure measure_point(const Node *table, uint32_t k);

/* The same as measure, where a particular unit is needed; n may be NONE. */
void measure_time_wanted(Units *c, Node *n, const char *who);
void measure_number_wanted(Units *c, Node *n, const char *who);
void measure_count_wanted(Units *c, Node *n, const char *who); // a whole one

#endif
