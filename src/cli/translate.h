#ifndef COSY_CLI_TRANSLATE_H
#define COSY_CLI_TRANSLATE_H

/* From the text of a model to C, with its messages on standard error. */

#include "base/buffer.h"
#include "base/diag.h"
#include "base/sha256.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "syntax/unit.h"

typedef struct Translation {
    bool right; // false: the model has errors, which have been shown
    uint32_t precision;
    char body[SHA256_LENGTH]; // of the text without OUTPUT and comments
    Buffer c;
    Buffer text, remarks; // as it was read, and the messages about it
    Buffer pictures;      // --graph: for the report
    Arena settings;       // values of --set that were converted
    /* The checked program, if it has FIELDs: translate_again makes it once more. */
    bool regrids;
    Arena arena;
    Diags diags;
    Unit unit;
    const KernelSetting *given; // all of --set
    uint32_t givens;
} Translation;

/* Translates r->model (NULL: nothing is set from outside). --set of a CONST
   that shapes the model is handled here, and then removed from r's settings. A
   file that cannot be read is a fault. Everything read is noted in `p`, which
   may be NULL. */
Status translate(const char *path, RunCommand *r, Translation *t, Provenance *p,
                 Fault *f);

/* Translates the same program once more, with the intervals of its FIELDs halved
   (level < 0) or doubled (level > 0) so many times. Says nothing; false: it cannot be
   done. Needs: t->regrids. */
bool translate_again(Translation *t, bool untrusted, int32_t level, Buffer *c);

/* How files of data are read: LowerOptions.read, with a DataReader. */
typedef struct DataReader {
    Provenance *provenance; // or NULL
    bool untrusted;
} DataReader;

Status translate_read(void *user, const char *name, const char *path, Buffer *b,
                      Fault *f);

void translation_free(Translation *t);

/* Shows all messages of a model and, if there were any, how many. */
void show_diags(const Diags *d, const char *path);

#endif
