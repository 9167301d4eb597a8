#ifndef COSY_HUNT_COMPARE_H
#define COSY_HUNT_COMPARE_H

/* Whether two runs of one model have the same answer: to the last bit, or
   within ten tolerances.

   The result is one line: the first difference. Near means

       |a - b| <= 10 (RELERR max(|a|, |b|) + ABSERR) + 10 |a - s|

   where s is the same number from a run with a hundredth of both errors: how a
   model amplifies the errors of its steps is its own affair, and shows in s. */

#include "hunt/change.h"
#include "hunt/hunt.h"

/* What is not compared, because the relation legitimately changes it. */
enum {
    SKIP_CURVES = 1,  // run-NNNN.csv
    SKIP_OUTPUT = 2,  // standard output
    SKIP_COUNTS = 4,  // counts of steps and the like
    SKIP_EFFORT = 8,  // counts of evaluations, which curves need too
    SKIP_HIDDEN = 16, // hidden events, which --trace records
    SKIP_WHOLE = 32,  // what belongs to all runs: replications
    SKIP_STATISTICS = 64,
    SKIP_MESSAGE = 128, // long names make it shorter
    SKIP_UNITS = 256    // values are converted by the units of both
};

#define NEAR_RELERR 1e-7
#define NEAR_ABSERR 1e-9

/* NULL if they are the same; otherwise the difference, in the arena. `b` is the
   changed one. */
const char *compare_same(Arena *a, const HuntRun *one, const HuntRun *b,
                         const Change *c, unsigned skip);
/* `times` is 10; more for methods of low order and of many steps. */
const char *compare_near(Arena *a, const HuntRun *one, const HuntRun *sharp,
                         const HuntRun *b, const Change *c, unsigned skip,
                         double times);
/* How far two runs with different errors are apart, in units of the larger
   error: the worst number of `final`, and its name. */
double compare_distance(const HuntRun *one, const HuntRun *sharp,
                        const char **name);

#endif
