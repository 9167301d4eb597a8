#ifndef COSY_CLI_MATCH_H
#define COSY_CLI_MATCH_H

/* cosy run --match FILE: a task of --slurm may begin hours after it was submitted, and
   the model must be what it was then. FILE is anything with a provenance: study.json,
   part.json, summary.json. */

#include <stdbool.h>

/* False: it belongs to another study, or cannot be read, as reported. */
bool match_study(const char *file, const char *provenance);

#endif
