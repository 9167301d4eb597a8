#ifndef COSY_BASE_STAGE_H
#define COSY_BASE_STAGE_H

/* A folder of results, replaced as a whole or not at all.

       stage_open      looks whether PATH can be had, makes a stage beside it
       (files)          are written into stage_path
       stage_commit    the stage takes the place of PATH
       stage_discard   instead: what is at PATH stays as it was

   What PATH held before goes, as far as it is ours: `own` tells by name and
   beginning of a file. A folder in it that `own` knows by its name ("plots/",
   with an empty beginning) is looked into: its files are asked for as
   "plots/NAME". All else (also every other folder) is not ours and is kept. If such a thing has the name of a new file, nothing is replaced and the
   fault names it.

   Old and new change places in one step of the file system, so whoever is
   killed leaves the old folder or the new one. Where that is impossible (the
   process stands in PATH, the folder above cannot be written, PATH holds a
   folder that is not ours), the files are renamed one by one, the `last` of
   them at the end; before the first of them the old `last` is removed.

   A stage is called PATH.<process>-<k>.tmp and is locked (flock) as long as it is
   in use. What a killed process left under such a name goes with the next
   stage_open for the same PATH: if it is ours, no process has that number any
   more, and nobody has locked it. */

#include "base/buffer.h"

/* Somebody else who makes the stage, and puts it into its place: for a process
   that may not. */
typedef struct StageKeeper {
    Status (*open)(Buffer *place, Fault *f);
    Status (*commit)(Fault *f);
    void (*discard)(void);
} StageKeeper;

typedef struct Stage {
    Buffer path, place;        // ended by NUL
    const StageKeeper *keeper; // or NULL: it is ours
    bool inside;               // the stage is in PATH
    int lock;                  // 1 + a descriptor of the stage; 0: none
    bool open;
} Stage;

typedef bool StageOwn(const char *name, const char *beginning);

Status stage_open(Stage *d, const char *path, Fault *f);
/* A stage that another keeps; the rest is the same. */
Status stage_borrow(Stage *d, const StageKeeper *k, Fault *f);
/* The folder that is to be filled. */
const char *stage_path(Stage *d);
Status stage_commit(Stage *d, StageOwn *own, const char *last, Fault *f);
void stage_discard(Stage *d);
/* Removes a folder with all that is in it. */
void stage_remove(const char *path);

#endif
