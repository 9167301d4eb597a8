#ifndef COSY_UNIT_H
#define COSY_UNIT_H

/* Times in messages: in the unit of TIME, if it has one. Only the kernel
   includes this header. */

#include "cosy/model.h"

/* The unit of TIME and of all that is measured in it; "" if there is none. */
static inline const char *cosy_time_unit(const CosyModel *m)
{
    return m->time_unit == NULL ? "" : m->time_unit;
}

/* The text after a time, for "time %.17g%s%s": " min", or nothing. */
#define COSY_IN_TIME(m) (cosy_time_unit(m)[0] ? " " : ""), cosy_time_unit(m)

#endif
