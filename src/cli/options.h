#ifndef COSY_CLI_OPTIONS_H
#define COSY_CLI_OPTIONS_H

/* The command line of `cosy run`. Everything that is wrong with it is said in
   one line on standard error. */

#include <stdbool.h>

#include "load/load.h"
#include "run/kernel.h"

enum { MOST_SETS = 100 };

typedef struct RunCommand {
    char *model;
    const char *dir; // -o, or NULL
    bool quiet, json;
    bool untrusted;         // the model is a stranger's
    uint64_t limit_memory;  // bytes; 0: nothing was said
    double limit_cpu;       // seconds; 0: nothing was said
    double begun;           // when the time of --limit-wall begins; 0: later
    const char *trace_file; // of --trace-file, or NULL
    const char *libraries;  // of --libraries, or NULL
    Buffer given; // options that results depend on, as elements of a JSON list
    LoadBackend backend;
    bool (*stop)(void *user); // asked while a compiler is waited for
    void *user;
    KernelSetting set[MOST_SETS];
    const char *unit[MOST_SETS]; // of the value; NULL: that of its name
    KernelOptions kernel;
} RunCommand;

/* From argv[0] = "run" on; false: wrong use. `args` is where names of --set
   are cut from their values. */
bool options_run(RunCommand *r, int argc, char **argv);
void options_free(RunCommand *r);

/* Results depend on this option, so it is kept with them, and whoever does the
   run again takes it from there: none of these writes a file, or says which
   code is run. */
bool options_is_kept(const char *option);
/* Its value is the next word of the command line. */
bool options_has_value(const char *option);

#endif
