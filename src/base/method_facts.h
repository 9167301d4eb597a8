#ifndef COSY_BASE_METHOD_FACTS_H
#define COSY_BASE_METHOD_FACTS_H

/* What everybody may know of a method of integration without a kernel: the rows
   of methods.def. The methods themselves are in solve/. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

typedef struct MethodFacts {
    const char *name;
    bool chooses;     // AUTO: takes the others in turn
    bool implicit;    // for stiff models
    bool fixed;       // has no error estimate: needs a STEP
    bool multi_step;  // a saved run does not go on to the same bytes
    bool only_double; // PRECISION = DOUBLE
    const char *what; // a few words
} MethodFacts;

/* The k-th, NULL after the last. */
const MethodFacts *method_facts_at(size_t k);
/* Without regard to case; NULL: there is no such method. */
const MethodFacts *method_facts_find(const char *name);
/* All names with `between` between them; without those that need DOUBLE, unless
   `with_double`. */
void method_facts_list(Buffer *b, const char *between, bool with_double);

#endif
