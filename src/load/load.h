#ifndef COSY_LOAD_LOAD_H
#define COSY_LOAD_LOAD_H

/* Compiled models: code with a CosyModel under the name that cosy/real.h gives
   to its precision. It comes from a shared object (load_open) or from generated
   C in memory (load_compile). The first three numbers of the description show
   whether it is one of ours before anything else in it is read.

   Two compilers give the same bits:

       CC    the system's C compiler, optimised, into a cache (cache.h,
             compiler.h). Code that is already there is loaded at once
       TCC   libtcc in this process (tiny.h): milliseconds, slower code
       AUTO  what the cache has; else tcc's code first, with cc at work in the
             background: `load_newest` returns cc's code as soon as it is there,
             and the kernel takes it over between two steps. Runs that are over
             before `patience` never start cc. A compilation that is under way
             when the program ends goes on by itself, and the next run finds
             its code; after load_drop, or if the program is killed, it ends
             too

   A call sequence is

       load_compile, (load_external...), a run that asks load_newest,
       load_settle, (look at l->note), load_close

   load_close does what load_settle would. The Loaded stays where it is between
   load_compile and load_close: the background writes into it. libtcc allows
   only one load_compile at a time. */

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "load/object.h"
#include "load/tiny.h"

typedef enum LoadBackend { LOAD_AUTO, LOAD_CC, LOAD_TCC } LoadBackend;

/* Zero or NULL: the default. */
typedef struct LoadRequest {
    const char *name; // name of the model, for messages
    const char *text; // generated C
    size_t length;
    uint32_t precision; // 1, 2, 3
    LoadBackend backend;
    const char *cc;    // instead of $CC
    const char *cache; // folder, instead of $COSY_CACHE and the others
    int patience;      // milliseconds until cc is started; 0: PATIENCE; < 0: 0
    bool (*stop)(void *user); // called while waiting for cc; NULL: never
    void *user;
    /* Makes the object instead of cc if no program may be started: load_make,
       in another process. */
    Status (*make)(const char *text, size_t length, uint32_t precision, int *fd,
                   Fault *f);
    uint64_t memory, file; // bytes that cc and its object may use; 0: no limit
} LoadRequest;

/* Runs that end within so many milliseconds never start cc. */
#define PATIENCE 10

typedef struct Background Background;

typedef struct Loaded {
    const void *model; // CosyModel of the precision: the code to begin with
    uint32_t precision;
    LoadBackend backend;    // whose code it is: CC or TCC
    bool cached;            // it was in the cache
    Object object;          // from dlopen
    TinyCode tiny;          // from tcc
    Background *background; // cc at work
    Arena arena;
    Vector libraries;        // LoadLibrary: those of EXTERNAL functions
    char note[FAULT_LENGTH]; // what was done in another way than requested; or
                             // ""
} Loaded;

Status load_open(Loaded *l, const char *path, Fault *f);
Status load_compile(Loaded *l, const LoadRequest *r, Fault *f);
/* A descriptor of cc's object, from the cache or newly put there, without
   loading it. */
Status load_make(const LoadRequest *r, int *fd, Fault *f);
/* The best code available now; as KernelOptions.newest. Any thread may call
   it. */
const void *load_newest(void *loaded);
/* True while newer code may still come. */
bool load_waiting(const Loaded *l);
/* A compilation in the background must not outlive this one. */
void load_drop(Loaded *l);
/* No newer code is taken from here on; l->note is complete. */
void load_settle(Loaded *l);
void load_close(Loaded *l);

typedef void (*LoadFunction)(void);

/* A library that was loaded: its name in the model, and its file. */
typedef struct LoadLibrary {
    void *handle;
    const char *name, *path;
} LoadLibrary;

/* Address of an EXTERNAL function. `library` is a name without path ("wells"
   for libwells.so or wells.so), searched for in the folders of `places`,
   separated by colons (NULL: none), and nowhere else: neither in the current
   directory nor where the system looks. The symbol is searched for as declared,
   in lower case and in upper case. Libraries stay until load_close. */
Status load_external(Loaded *l, const char *name, const char *library,
                     const char *places, LoadFunction *function, Fault *f);
/* True if load_external would find the file; nothing of it is read. */
bool load_has_library(const char *library, const char *places);
/* All that the model names, in the form of c->external; NULL if there are
   none. */
Status load_externals(Loaded *l, const char *places, const LoadFunction **table,
                      Fault *f);
/* How many libraries were loaded for them, and which. */
uint32_t load_libraries(const Loaded *l, const LoadLibrary **list);

#endif
