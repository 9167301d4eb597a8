#ifndef COSY_LOAD_COMPILER_H
#define COSY_LOAD_COMPILER_H

/* The C compiler of the system: $CC (which may have arguments), else cc.

   What it is called with makes its code give the same bits as that of tcc: no
   contraction, no instructions of this machine only, no evaluation of
   functions of the mathematical library at compile time or by other functions
   (sqrt and the like, whose results are exact, stay built in).

   A compilation is a group of processes of its own: a shell that calls the
   compiler, seals what comes out (cache.h), renames it to its final name and
   removes the rest. It ends with the program that started it, also when that is
   killed; unless that program leaves it (build_leave): then it comes to a good
   end by itself, or to a bad one within minutes. No process of the group is left
   when the shell has ended.

       compiler_find     which program; nothing is started
       compiler_key      its hash: program, arguments, precision
       build_start       begins
       build_wait        until it is through, or shall stop
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
    char text[PATH_LENGTH]; // $CC, cut into words
    char *word[MOST_WORDS + 1];
    uint32_t words;
    char path[PATH_LENGTH]; // the program
    uint64_t memory, file;  // bytes that it and its object may take; 0: any
} Compiler;

typedef struct Build {
    pid_t pid;       // of the shell and of its group; 0: none
    int from;        // what it says; end of file: it is through
    int life;        // open as long as somebody wants it
    char said[2000]; // the beginning of that
    size_t length;
} Build;

/* What makes a wait end early; both may be there. */
typedef struct BuildStop {
    int fd; // it can be read; -1: none
    bool (*asked)(void *user);
    void *user;
} BuildStop;

/* `cc`: what to take instead of the environment's, or NULL. STATUS_FILE when
   there is none. */
Status compiler_find(Compiler *c, const char *cc, Fault *f);
void compiler_key(const Compiler *c, uint32_t precision, Sha256 *h);

/* Compiles p->source to p->final, for good or not at all. */
Status build_start(Build *b, const Compiler *c, uint32_t precision,
                   const Place *p, Fault *f);
/* STATUS_STOPPED: it goes on. STATUS_UNSUPPORTED: the compiler failed, and the
   fault holds what it said. */
Status build_wait(Build *b, const Compiler *c, const BuildStop *stop, Fault *f);
void build_kill(Build *b);
void build_leave(Build *b);

#endif
