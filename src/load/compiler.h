#ifndef COSY_LOAD_COMPILER_H
#define COSY_LOAD_COMPILER_H

/* The system's C compiler: $CC (which may have arguments), else cc.

   Its arguments make its code give the same bits as that of tcc: no
   contraction, no instructions specific to this machine, no evaluation of
   functions of the mathematical library at compile time or by other functions
   (sqrt and the like, whose results are exact, stay built in).

   A compilation is a process group of its own: a shell that calls the compiler,
   seals the result (cache.h), renames it to its final name and removes the
   rest. It ends with the program that started it, even if that is killed,
   unless that program leaves it alone (build_leave): then it succeeds by
   itself, or is ended within minutes. No process of the group is left when the
   shell has ended.

       compiler_find     which program; nothing is started
       compiler_key      its hash: program, arguments, precision
       build_start       begins
       build_wait        waits until it has finished, or is to stop
       build_kill        ends it with all its children, at once; what it has
                         written is left
       build_leave       instead: it goes on alone */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sha256.h"
#include "base/status.h"
#include "load/cache.h"

enum { MOST_WORDS = 32 };

typedef struct Compiler {
    char text[PATH_LENGTH]; // $CC, split into words
    char *word[MOST_WORDS + 1];
    uint32_t words;
    char path[PATH_LENGTH]; // the program
    uint64_t memory, file;  // bytes that it and its object may use; 0: no limit
} Compiler;

typedef struct Build {
    pid_t pid;       // process of the shell and its group; 0: none
    int from;        // its output; end of file: it has finished
    int life;        // open as long as it is wanted
    char said[2000]; // the beginning of its output
    size_t length;
} Build;

/* Ends a wait early; both may be given. */
typedef struct BuildStop {
    int fd; // ends the wait when it is readable; -1: none
    bool (*asked)(void *user);
    void *user;
} BuildStop;

/* `cc` replaces the environment's, or is NULL. STATUS_FILE if there is none. */
Status compiler_find(Compiler *c, const char *cc, Fault *f);
void compiler_key(const Compiler *c, uint32_t precision, Sha256 *h);

/* Compiles p->source to p->final, completely or not at all. */
Status build_start(Build *b, const Compiler *c, uint32_t precision,
                   const Place *p, Fault *f);
/* STATUS_STOPPED: it is still going on. STATUS_UNSUPPORTED: the compiler
   failed, and the fault holds its output. */
Status build_wait(Build *b, const Compiler *c, const BuildStop *stop, Fault *f);
void build_kill(Build *b);
void build_leave(Build *b);

#endif
