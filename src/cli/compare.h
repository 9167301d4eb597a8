#ifndef COSY_CLI_COMPARE_H
#define COSY_CLI_COMPARE_H

/* Compares two folders of results byte by byte, except for wall times and what
   "provenance" holds. */

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Comparison {
    uint32_t same, other; // files
} Comparison;

/* Prints a line for every file of either folder, those of plots/ if `plots` is
   set: it is the same, it is missing, or which number differs first. */
Status compare_folders(const char *old, const char *again, bool plots,
                       Comparison *c, Fault *f);

#endif
