#ifndef COSY_CHECK_STANDIN_H
#define COSY_CHECK_STANDIN_H

/* Until check/dimension.h has it. */

#include <stdlib.h>

#include "check/dimension.h"

/* A decimal number in one unit as one in another; false: of another dimension. */
static inline bool dimension_convert(Dimension from, Dimension to,
                                     const char *value, Buffer *text)
{
    if (!dimension_same(from, to) || dimension_turns(from, to))
        return false;
    buffer_format(text, "%.17g", strtod(value, NULL) * from.factor / to.factor);
    return true;
}

#endif
