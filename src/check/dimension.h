#ifndef COSY_CHECK_DIMENSION_H
#define COSY_CHECK_DIMENSION_H

/* Units: a dimension (powers of the SI base units, and of the angle, which
   counts as none) with the factor to SI. `[km/h]` is m/s with factor 1/3.6. A
   name or expression without a unit is not `known` and fits everything. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum { BASE_METRE, BASE_KILOGRAM, BASE_SECOND, BASE_AMPERE, BASE_KELVIN,
       BASE_MOLE, BASE_CANDELA, BASE_UNITS };

typedef struct Dimension {
    bool known;
    int8_t power[BASE_UNITS]; // times 2: SQRT halves them
    double factor;            // to SI
} Dimension;

/* What stands between the brackets; case counts. False: *wrong is where in the
   text, *why what is wrong with it. */
bool dimension_read(const char *text, Dimension *d, uint32_t *wrong,
                    const char **why);
bool dimension_same(Dimension a, Dimension b); // powers, not factors
Dimension dimension_times(Dimension a, Dimension b);
Dimension dimension_over(Dimension a, Dimension b);
Dimension dimension_power(Dimension a, double exponent);
Dimension dimension_none(void); // known, without any unit
/* As a person writes it: kg*m/s^2, N, 1. */
void dimension_print(Buffer *b, Dimension d);

#endif
