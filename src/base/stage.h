#ifndef COSY_BASE_STAGE_H
#define COSY_BASE_STAGE_H

/* A folder of results, replaced as a whole or not at all.

       stage_open      checks that PATH is available, makes a stage beside it
       (files)          are written into stage_path
       stage_commit    the stage takes the place of PATH
       stage_discard   instead: what is at PATH stays as it was

   Whatever PATH held before is removed if it is ours, which `own` decides from
   a file's name and beginning. If `own` knows a folder by its name ("plots/",
   with an empty beginning), its files are examined too, as "plots/NAME".
   Everything else (including every other folder) is not ours and is kept. If
   such a thing has the name of a new file, nothing is replaced and the fault
   names it.

   Old and new are exchanged in one step of the file system, so a process that
   is killed leaves the old folder or the new one. Where that is impossible (the
   current directory is in PATH, the folder above cannot be written, PATH holds
   a folder that is not ours), the files are renamed one by one, the `last` of
   them at the end; before the first of them the old `last` is removed.

   A stage is called PATH.<process>-<k>.<host>.tmp and is locked (flock) as long as
   it is in use. The next stage_open for the same PATH removes what a killed
   process left under such a name, if it is ours, no process of this machine has
   that number any more, and it is not locked. Of another machine's processes
   nothing is known but the lock. */

#include "base/buffer.h"

/* Another process that makes the stage and puts it into place, for a process
   that is not allowed to. */
typedef struct StageKeeper {
    Status (*open)(Buffer *place, Fault *f);
    Status (*commit)(Fault *f);
    void (*discard)(void);
} StageKeeper;

typedef struct Stage {
    Buffer path, place;        // NUL-terminated
    const StageKeeper *keeper; // NULL: the stage is our own
    bool inside;               // the stage is in PATH
    int lock;                  // 1 + a descriptor of the stage; 0: none
    bool open;
    bool keeps; // what earlier processes have left stays when it is committed
} Stage;

/* Room for the name of a machine as part of a file's name. */
#define STAGE_HOST 41

/* The name of this machine, of characters that any file's name may have. */
void stage_host(char name[STAGE_HOST]);

typedef bool StageOwn(const char *name, const char *beginning);

/* A stage that holds a file of this name is not removed before a later stage has
   been committed: it has what an interrupted process had computed. */
#define STAGE_KEPT "journal.cosyj"

Status stage_open(Stage *d, const char *path, Fault *f);
/* Paths of such stages for the same PATH that nobody uses any more, beside it and in
   it, each ended by NUL. */
void stage_left(Stage *d, Buffer *names);
/* Whether a process holds this folder as its stage, or may do so: where locks are not
   supported nobody knows. */
bool stage_in_use(const char *path);
/* What lies beside a folder of results: PATH without slashes at its end, and ENDING. */
void stage_beside(Buffer *b, const char *path, const char *ending);
/* Uses a stage that another process keeps; the rest is the same. */
Status stage_borrow(Stage *d, const StageKeeper *k, Fault *f);
/* The folder that is to be filled. */
const char *stage_path(Stage *d);
Status stage_commit(Stage *d, StageOwn *own, const char *last, Fault *f);
void stage_discard(Stage *d);
/* Nothing takes its place, but the stage stays, for stage_left. */
void stage_leave(Stage *d);
/* Removes a folder with everything in it. */
void stage_remove(const char *path);

#endif
