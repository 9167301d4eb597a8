#ifndef COSY_TESTS_TRIAL_H
#define COSY_TESTS_TRIAL_H

/* Experiments inside a test program, and access to their results.

       Trial t;
       TRIAL(&t, "twostate", "quad", .relerr = "1e-25");
       CHECK(t.status == STATUS_OK);
       real y1 = trial_number(&t, "final", "Y1", NULL);
       trial_end(&t);

   TRIAL loads $COSY_MODELS/NAME.PRECISION.so; trial_of takes a CosyModel of the
   test itself. Fields of KernelOptions follow. Without .dir nothing is written.
   Whatever the precision of the model, numbers are read in that of the test. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cosy/real.h"
#include "load/load.h"
#include "run/kernel.h"

typedef struct Trial {
    Status status;
    KernelOutcome out;
    Buffer json;     // summary.json
    Buffer messages; // one a line
} Trial;

#define TRIAL(t, name, precision, ...)                                         \
    trial_run((t), (name), (precision), &(KernelOptions){__VA_ARGS__})

/* STATUS_FILE if there is no such model. */
void trial_run(Trial *t, const char *name, const char *precision,
               const KernelOptions *o);
void trial_of(Trial *t, const void *model, uint32_t precision,
              const KernelOptions *o);
void trial_end(Trial *t);

/* The value after the last of the keys, each searched for after the previous
   one; begin with "\"run\": 2" for a run that is not the first. NaN and "" if
   there is none. */
real trial_number(Trial *t, ...);
const char *trial_text(Trial *t, ...); // at most 600 characters, static

/* One line of events-NNNN.csv. */
typedef struct TrialEvent {
    real t;
    char name[32], kind[16], detail[32];
} TrialEvent;

/* Reads at most `most` of them; returns how many the file has. */
size_t trial_events(const char *dir, unsigned run, TrialEvent *list,
                    size_t most);

/* A new folder below the place for temporary files; static. */
const char *trial_folder(void);
/* FOLDER/NAME, static; eight of them are valid at a time. */
const char *trial_path(const char *folder, const char *name);
/* Removes a folder with the files and folders in it. */
void trial_remove(const char *folder);
/* True when both folders hold the same files with the same bytes, ignoring
   lines with "wall_s"; prints the first difference. */
bool trial_same(const char *a, const char *b);

#endif
