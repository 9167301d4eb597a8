#ifndef COSY_CLI_COMPARE_H
#define COSY_CLI_COMPARE_H

/* Two folders of results, compared byte by byte: of wall times and of what
   "provenance" holds no difference is seen here. */

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Comparison {
    uint32_t same, other; // files
} Comparison;

/* Prints a line for every file of either folder, those of plots/ if they count:
   it is the same, it is missing, or which number differs first. */
Status compare_folders(const char *old, const char *again, bool plots,
                       Comparison *c, Fault *f);

#endif
