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
    const char *trace_file; // of --trace-file, or NULL
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

#endif
