#ifndef COSY_CLI_KEEP_H
#define COSY_CLI_KEEP_H

/* cosy run --store: the folder of results, complete and in its place, becomes a
   study of a database. */

#include "cli/options.h"

/* `status` is how the runs went; if the database cannot take their results, that
   is reported, and is a status of its own. */
Status keep_results(const RunCommand *r, bool quiet, Status status);

#endif
