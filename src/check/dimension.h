#ifndef COSY_CHECK_DIMENSION_H
#define COSY_CHECK_DIMENSION_H

/* Units: a dimension (powers of the SI base units, and of the angle, which
   counts as none) with the factor to SI. `[km/h]` is m/s with factor 1/3.6. A
   name or expression without a unit is not `known`. The units themselves are in
   units.def.

   Hz and rad/s have one dimension, but 1 Hz is 2*PI rad/s: `counts` keeps them
   apart as long as a unit is as it was declared; any product forgets it. The
   same holds for rpm and 1/min, although rpm is converted to rad/s.

   degC and degF that stand alone are units of points: they have a `zero` of
   their own. In a product they are differences. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/quad.h"

enum {
    BASE_METRE,
    BASE_KILOGRAM,
    BASE_SECOND,
    BASE_AMPERE,
    BASE_KELVIN,
    BASE_MOLE,
    BASE_CANDELA,
    BASE_UNITS
};

typedef enum Counts {
    COUNTS_NOTHING,
    COUNTS_ANGLE,
    COUNTS_ROTATION, // rpm: also an angle
    COUNTS_TURNS
} Counts;

#define POWER_PARTS 60 // powers are kept in parts: SQRT halves them

/* One of the units that a product was written with: km in km/h. */
typedef struct Atom {
    int16_t unit, prefix; // rows of units.def; prefix 0: none
    int16_t power;        // in parts
} Atom;

#define ATOMS_MOST 10

typedef struct Dimension {
    bool known;
    bool point;
    Counts counts;
    int16_t power[BASE_UNITS]; // in parts
    int16_t atoms;             // how many there are; -1: too many to keep
    Atom atom[ATOMS_MOST];
    Quad factor; // to SI
    Quad zero;   // for a point, in K
} Dimension;

/* Reads the text between the brackets; case matters. False: *wrong is the place
   in the text, *why says what is wrong with it, or is NULL if there is no unit
   of that name. */
bool dimension_read(const char *text, Dimension *d, uint32_t *wrong,
                    const char **why);
/* After a failed dimension_read: the length of the wrong part, at least 1. */
uint32_t dimension_wrong_length(const char *text, uint32_t wrong);
/* Likewise: what the name there probably means; false if nothing is close. */
bool dimension_meant(const char *text, uint32_t wrong, Buffer *b);

bool dimension_same(Dimension a, Dimension b); // powers, not factors
/* True if a number means the same in both. Needs: one dimension. */
bool dimension_same_scale(Dimension a, Dimension b);
/* True if one counts cycles and the other angles. */
bool dimension_turns(Dimension a, Dimension b);
bool dimension_is_none(Dimension d); // no base unit; nor have % and deg any

/* Not known if one of them is not, or if a power is too large or not a multiple
   of 1/60. */
Dimension dimension_times(Dimension a, Dimension b);
Dimension dimension_over(Dimension a, Dimension b);
Dimension dimension_power(Dimension a, double exponent);
Dimension dimension_none(void);   // known, without any unit
Dimension dimension_second(void); // the unit of time
Dimension dimension_kelvin(void);
Dimension dimension_step(Dimension a); // unit of differences, for one of points
/* A decimal number in another unit of its dimension: 20 in degC is 293.15 in
   K. False if the dimensions differ, or one of them counts turns. */
bool dimension_convert(Dimension from, Dimension to, const char *value,
                       Buffer *text);
/* The factor for a number, and what is then added. Needs: the same
   dimension. */
Quad dimension_ratio(Dimension from, Dimension to);
Quad dimension_shift(Dimension from, Dimension to);

/* True if it is written with two units of one dimension that differ in size, as
   km/m or s/d, or amounts to a bare factor, as kW/(V*A). *text says which: "km
   and m"; it may be NULL. */
bool dimension_mixes(Dimension d, Buffer *text);

/* As a person writes it: m/s^2, N, km/h, 1. */
void dimension_print(Buffer *b, Dimension d);

#endif
