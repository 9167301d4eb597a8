#ifndef COSY_CLI_OPTIONS_H
#define COSY_CLI_OPTIONS_H

/* The options of commands.def, and the command line of `cosy run`, which is
   parsed by them. A mistake in it is reported in one line on standard error. */

#include <stdbool.h>
#include <stddef.h>

#include "load/load.h"
#include "run/kernel.h"

enum { MOST_SETS = 100, MOST_PARTS = 10000 };

/* --slurm N or N/PARTS; 0: not given. */
typedef struct SlurmWish {
    uint32_t tasks, parts;
} SlurmWish;

typedef struct RunCommand {
    char *model;
    const char *dir; // -o, or NULL
    bool quiet, json;
    bool graph;                // pictures of the model in the report
    bool untrusted;            // the model is not trusted
    uint64_t limit_memory;     // bytes; 0: not given
    double limit_cpu;          // seconds; 0: not given
    double begun;              // when the time of --limit-wall begins; 0: later
    const char *trace_file;    // given by --trace-file, or NULL
    const char *match;         // given by --match, or NULL
    SlurmWish slurm;           // given by --slurm
    const char *slurm_options; // given by --slurm-options, or NULL
    const char *libraries;     // given by --libraries, or NULL
    const char *store;         // database that keeps the results, or NULL
    const char *label;         // their name there, or NULL
    Buffer words; // of the command line after `run`, each ended by NUL
    Buffer task;  // those that the tasks of --slurm get too
    Buffer given; // options that results depend on, as elements of a JSON list
    LoadBackend backend;
    bool (*stop)(void *user); // asked while waiting for a compiler
    void *user;
    KernelSetting set[MOST_SETS];
    const char *unit[MOST_SETS]; // unit of the value; NULL: that of its name
    const char *part[MOST_PARTS];
    KernelOptions kernel;
} RunCommand;

/* How an option of the command line gets its value. */
typedef enum OptionForm {
    OPTION_FLAG,    // not at all
    OPTION_VALUE,   // --name VALUE, --name=VALUE
    OPTION_PERHAPS, // --name, --name=VALUE
} OptionForm;

/* The candidates that completion offers for a value or an argument. */
typedef enum Candidates {
    CANDIDATES_NONE, // nothing, or something that cannot be guessed
    CANDIDATES_WORDS,
    CANDIDATES_VERBS, // words first, then files
    CANDIDATES_MODELS,
    CANDIDATES_FILES,
    CANDIDATES_FOLDERS,
    CANDIDATES_FRAMES,
    CANDIDATES_METHODS,
    CANDIDATES_TOPICS,
    CANDIDATES_LIBRARY
} Candidates;

/* A row of commands.def. */
typedef struct Option {
    const char *command;
    const char *name; // ends with `=` if it is completed with it
    OptionForm form;
    const char *value; // as --help calls it
    const char *text;
    Candidates candidates;
    const char *words; // separated by blanks
    /* For cosy run only: */
    bool kept;   // results depend on it
    bool passed; // the tasks of --slurm get it
    bool (*take)(RunCommand *r, const char *name, char *value, void *at);
    size_t member; // offset in RunCommand
} Option;

/* The next option of a command, the first after NULL; NULL after the last. */
const Option *option_next(const Option *o, const char *command);
/* The option that a word of the command line names, perhaps with =VALUE; NULL:
   none. */
const Option *option_find(const char *command, const char *text);
/* The length of its name without the `=`. */
size_t option_length(const Option *o);

/* Parses from argv[0] = "run" on; false: wrong use. `args` is where names of
   --set are cut from their values. */
bool options_run(RunCommand *r, int argc, char **argv);
void options_free(RunCommand *r);
/* Where results go without -o: MODEL.out in the current folder. */
void options_default_dir(const char *model, char *dir, size_t size);

/* True if results depend on this option, so that it is kept with them and used
   again by `cosy rerun`: none of these writes a file, or says which code is
   run. */
bool options_is_kept(const char *option);
/* True if its value is the next word of the command line. */
bool options_has_value(const char *option);

#endif
