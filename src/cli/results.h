#ifndef COSY_CLI_RESULTS_H
#define COSY_CLI_RESULTS_H

/* cosy results: what its parts share. The command line names results by the
   number of a study in a database ("7"), or by a folder ("model.out"), each
   perhaps with a run ("7:3", "model.out:3"); any other name is the database. */

#include "cli/options.h"
#include "store/results.h"
#include "store/store.h"

enum { RESULTS_NAMES = 1000, RESULTS_OPTIONS = 32 };

/* Results that were named. */
typedef struct Named {
    const char *text;   // as it was given
    const char *folder; // NULL: a study
    int64_t study;
    uint64_t run; // 0: not named
} Named;

typedef struct ResultsCommand {
    const char *word; // list, show, ...
    const char *base; // the database, or NULL
    Named name[RESULTS_NAMES];
    size_t names;
    const Option *option[RESULTS_OPTIONS];
    const char *value[RESULTS_OPTIONS]; // "" for a flag
    size_t options;
    uint64_t run; // --run; 0: not given
    Arena arena;
    Store *store; // NULL: not opened yet
    Fault fault;
    bool differ; // fewer digits are in common than were asked for
} ResultsCommand;

/* The value of an option; NULL: it was not given. */
const char *results_option(const ResultsCommand *c, const char *name);
/* Opens the database, once. */
Status results_base(ResultsCommand *c, StoreUse use);
Status results_open(ResultsCommand *c, const Named *n, Results *r);

/* The run that is meant: the one that was named, or the only one; 0: it is not
   said, and there are several. */
uint64_t results_meant(const ResultsCommand *c, const Named *n,
                       const Results *r);

/* "2026-11-19 14:52" in local time, from what the database has. */
const char *results_date(const char *date, char text[20]);
/* "finished", "2 stopped", "3 failed". */
void results_status(char text[40], uint64_t stopped, uint64_t failed);

/* The parts of the command. Each returns how it went; what is wrong stands in
   the fault. */
Status results_show(ResultsCommand *c);
Status results_compare(ResultsCommand *c);

#endif
