#ifndef COSY_CLI_AGAIN_H
#define COSY_CLI_AGAIN_H

/* Results, and parts of a study, say what was run. `cosy rerun` runs it again,
   `cosy collect` joins the parts; both find the model and make the same command line.

       again_read      "provenance" of a file in a folder, and the model in it
       again_find      where that model is now
       again_word      a word of the command line of cosy run
       again_options   the options that the results depend on
       again_run       carries it out, in the folder where the model is
       again_free

   Such a file is data, perhaps from a stranger. Only two things are taken from it:
   the name of the model, which must exist with the hash it had, and options that
   neither write files nor say where code comes from (options_is_kept). */

#include "base/tree.h"
#include "cli/options.h"

typedef struct Again {
    const char *folder;      // of the results or the part, without links
    const char *file;        // summary.json or part.json
    const char *model;       // where the caller says it is, or NULL
    const Tree *all;         // the whole file
    const Tree *was;         // "provenance" of it
    const char *name, *hash; // those of the model
    Vector words;            // of the command line
    Arena arena;
} Again;

/* A place where the model would have the name it had: the folder that was
   current then, judging by the results and the name. */
typedef struct AgainPlace {
    const char *folder, *name;
} AgainPlace;

/* False: it cannot be read, *why says so. */
bool again_read(Again *g, const char *folder, const char *file,
                const char **why);
/* Finds the model as it was (*right), or otherwise one of its name; false: there is
   none, as reported already. */
bool again_find(Again *g, AgainPlace *found, bool *right);
/* A copy of the text. */
void again_word(Again *g, const char *text);
/* False: a word in the file is none that cosy run has written, as reported
   already. */
bool again_options(Again *g);
/* True if the results depend on this option. */
bool again_has(const Again *g, const char *option);
/* The exit status of cosy run. */
int again_run(Again *g, const AgainPlace *p);
void again_free(Again *g);

/* A text with %s twice, in the arena. */
const char *again_keep(Again *g, const char *format, const char *a,
                       const char *b);
/* A text of the file made safe to show: it may hold anything. */
const char *again_plain(Again *g, const char *text);
/* An input of that kind, and of that name unless it is NULL. */
const Tree *again_input(const Tree *provenance, const char *kind,
                        const char *name);
/* What two studies differ in, by their provenances: "the model m.cosy"; NULL: their
   runs give the same bytes. */
const char *again_difference(Again *g, const Tree *a, const Tree *b);
/* Reports it; the exit status. */
int again_cannot(const char *path, const char *what);

#endif
