#ifndef COSY_LOAD_COMPILER_H
#define COSY_LOAD_COMPILER_H

/* The C compiler of the system: $CC (which may have arguments), else cc.

   What it is called with makes its code give the same bits as that of tcc: no
   contraction, no instructions of this machine only, no evaluation of
   functions of the mathematical library at compile time or by other functions
   (sqrt and the like, whose results are exact, stay built in).

   A compilation is a process of its own: a shell that calls the compiler,
   renames what comes out to its final name and removes the rest, so that it
   comes to a good end also when the program that started it has ended.

       compiler_find     which program; nothing is started
       compiler_key      its hash: program, arguments, precision
       build_start       begins
       build_wait        until it is through, or *stop_fd can be read
       build_kill        ends it; it clears up behind itself */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sha256.h"
#include "base/status.h"
#include "load/cache.h"

enum { MOST_WORDS = 32 };

typedef struct Compiler {
    char text[PATH_LENGTH]; // $CC, cut into words
    char *word[MOST_WORDS + 1];
    uint32_t words;
    char path[PATH_LENGTH]; // the program
} Compiler;

typedef struct Build {
    pid_t pid;       // of the shell and, if `apart`, of its group; 0: none
    bool apart;      // Ctrl-C does not reach it
    int from;        // what it says; end of file: it is through
    char said[2000]; // the beginning of that
    size_t length;
} Build;

/* `cc`: what to take instead of the environment's, or NULL. STATUS_FILE when
   there is none. */
Status compiler_find(Compiler *c, const char *cc, Fault *f);
void compiler_key(const Compiler *c, uint32_t precision, Sha256 *h);

/* Compiles p->source to p->final, for good or not at all. */
Status build_start(Build *b, const Compiler *c, uint32_t precision,
                   const Place *p, bool apart, Fault *f);
/* stop_fd < 0: only until it is through. STATUS_STOPPED: it goes on.
   STATUS_UNSUPPORTED: the compiler failed, and the fault holds what it said. */
Status build_wait(Build *b, const Compiler *c, int stop_fd, Fault *f);
void build_kill(Build *b);
/* Waits no longer; the compilation goes on by itself. */
void build_leave(Build *b);

#endif
