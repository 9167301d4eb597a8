#ifndef COSY_CLI_PROVENANCE_H
#define COSY_CLI_PROVENANCE_H

/* The origin of results: the object "provenance" of summary.json, with
   everything needed to repeat a run (`cosy rerun`) or to say why it cannot be
   the same:

       {"options": [...], "seed": n,
        "inputs": [{"kind", "name", "sha256"}, ...],
        "body_sha256": of the model without its OUTPUT,
        "versions": {...}, "processor": {...}}

   Nothing in it depends on the time, the number of threads, the folder of the
   results or the state of the cache, so the same run gives the same bytes.

       provenance_begin    what is known about program and machine
       provenance_input    whatever is read, as it is read
       provenance_write    at the end, the object in one line
       provenance_stamp    the same for what parts of a study have in common
       provenance_free */

#include "base/buffer.h"
#include "base/sha256.h"
#include "cli/options.h"
#include "load/load.h"

typedef struct Provenance {
    Buffer machine;           // "versions" and "processor"
    Buffer kind;              // the same without the name of the processor
    Buffer inputs;            // objects separated by commas
    char body[SHA256_LENGTH]; // of the model without its OUTPUT; or ""
} Provenance;

void provenance_begin(Provenance *p);
/* Kinds are "model", "data", "macro", "external" and "snapshot". The same name
   and kind again means the same thing. */
void provenance_input(Provenance *p, const char *kind, const char *name,
                      const void *bytes, size_t n);
/* A file that something else opens, before or after. */
Status provenance_file(Provenance *p, const char *kind, const char *name,
                       const char *path, Fault *f);
void provenance_write(Buffer *b, const Provenance *p, const RunCommand *r);
/* What it has in common with all runs that give the same bytes: machines of the same
   kind differ in the names of their processors. */
void provenance_stamp(Buffer *b, const Provenance *p, const RunCommand *r);
void provenance_free(Provenance *p);

#endif
