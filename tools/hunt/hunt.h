#ifndef COSY_HUNT_HUNT_H
#define COSY_HUNT_HUNT_H

/* The machine that finds what is wrong: the frame that its parts share.

   A part (parts.def) tries one kind of thing on COSY: it makes programs, runs
   them in separate processes, and reports what is wrong. The order of calls in
   a part:

       hunt_left       is there time for more? Always, in the fixed selection.
       hunt_folder     an empty folder for one trial
       hunt_write      programs into it
       hunt_run        cosy, with a time limit; as often as needed
       hunt_tried      one more thing was tried, and all was well; or
       hunt_wrong      it was not: a line is printed, the folder is kept
       hunt_skip       it does not apply: counted, nothing more

   A part that returns has reported everything. Nothing here is fast; processes
   take the time. Everything is in the caller's arena. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/tree.h"

enum { HUNT_PATH = 1024, HUNT_WORDS = 40 };

typedef struct Hunt {
    const char *self;    // this program, as it was started
    const char *cosy;    // the program, as an absolute path
    const char *source;  // the top of the tree
    const char *keep;    // where folders with findings are left
    const char *only;    // part of a name: nothing else is tried, or NULL
    const char *program; // the same for names of programs
    const char *from;    // folder of programs instead of those of the tree
    double seconds;      // seconds for this part; 0: the fixed selection, to
                         // its end
    uint64_t seed;
    uint64_t thin; // only one in so many of the fixed selection, for slow
                   // builds
    bool verbose;  // one line for every trial
    /* The fields below belong to hunt.c. */
    const char *part;
    char work[HUNT_PATH]; // temporary, for this process
    double began;
    uint64_t folders, tried, wrong, skipped;
    uint64_t state; // state of the random numbers
} Hunt;

/* What a process left. */
typedef struct HuntRun {
    int exit;   // its status; 128 plus the signal that ended it
    bool late;  // it was ended because it took too long
    double cpu; // seconds
    const char *out, *errors;
    const char *results; // folder, whether it is there or not
    const Tree *summary; // summary.json; NULL if there is none
} HuntRun;

/* Seconds since some moment, and CPU seconds that processes have used so
   far. */
double hunt_clock(void);
double hunt_cpu(void);
/* Seconds that are left; a large number in the fixed selection. */
double hunt_left(const Hunt *h);
/* The next 64 random bits, determined by the seed and the part. */
uint64_t hunt_random(Hunt *h);
/* A new empty folder below the temporary one, as an absolute path. */
const char *hunt_folder(Hunt *h, Arena *a);
/* Writes a file in that folder. */
bool hunt_write(const char *folder, const char *name, const char *text);
/* Starts `cosy WORDS...` in the folder, with at most HUNT_WORDS words (NULL
   ends them) and for at most `limit` seconds of CPU. Standard output and errors
   go to NAME.stdout and NAME.stderr, and the command to NAME.command. Results
   are expected in NAME.out; `run` as the first word gets `-o NAME.out
   --no-plots`. False if no process could be started. */
bool hunt_run(const Hunt *h, Arena *a, const char *folder, const char *name,
              const char *const *words, double limit, HuntRun *r);
/* The whole text of a file; NULL if there is none. */
const char *hunt_read(Arena *a, const char *path);
/* Removes a folder made by hunt_folder. */
void hunt_remove(const char *folder);

void hunt_tried(Hunt *h, const char *what);
void hunt_skip(Hunt *h, const char *what, const char *why);
/* Prints `part: what: ...` and how to repeat it, and keeps the folder. */
void hunt_wrong(Hunt *h, const char *what, const char *folder,
                const char *again, const char *format, ...) PRINTF_LIKE(5, 6);

/* The parts, each in a file of its own. */
#define PART(name, about) void hunt_##name(Hunt *h);
#include "hunt/parts.def"
#undef PART

#endif
