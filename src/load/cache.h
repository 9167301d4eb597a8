#ifndef COSY_LOAD_CACHE_H
#define COSY_LOAD_CACHE_H

/* Compiled models: one file KEY.so each, in a folder that all runs of a user
   share. KEY is a hash of everything that the code depends on, so a file never
   changes its meaning; it appears by a rename, so it is whole or not there.

   Code in the cache is run, so permissions keep others out: the folder is ours
   and 0700, its files are ours and 0600 whatever the umask, and nobody but us
   and root can replace one of the folders above it. Against damage a seal at
   the end of each file holds a checksum of KEY and content (SEAL_FORMAT;
   loaders ignore what follows an object). A file that is damaged, or not
   private, is ignored and compiled again.

       cache_place     where a file would be; nothing is touched
       cache_trust     whether others can write there
       cache_open      opens a file that may be trusted; marks it as used now. The
                       descriptor that was verified is the one that is loaded
       cache_prepare   before one is made: the folder can be written and has
                       room, or a temporary one takes its place
       cache_leave     afterwards: removes a temporary folder
       cache_prune     now and then: removes the least recently used files until
                       the rest is small enough, and leftovers of killed
                       compilations

   The folder is $COSY_CACHE, else $XDG_CACHE_HOME/cosy, else ~/.cache/cosy. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define PATH_LENGTH 4096
#define CACHE_MOST  (500u << 20) // bytes

/* The seal after the object: the checksum that cksum(1) computes of KEY and the
   object, and their length. For printf in C and in the shell. */
#define SEAL_FORMAT "\ncosy object %010u %010u\n"
enum { SEAL_LENGTH = 1 + 12 + 10 + 1 + 10 + 1 };

typedef struct Place {
    char folder[PATH_LENGTH];
    char final[PATH_LENGTH];  // the compiled model
    char source[PATH_LENGTH]; // its C, while it is compiled
    char object[PATH_LENGTH]; // the compiled model, while it is written
    bool temporary;           // the folder is used only for this one
    bool named;               // the folder was named by the user
    char key[80];
} Place;

/* `wanted`: the folder, or NULL for the default. */
void cache_place(Place *p, const char *wanted, const char *key);
/* STATUS_FILE if others could write there. For a folder that the user named
   that is an error; the default one is not used (`p->folder` is empty from then
   on), and `f` says why. */
Status cache_trust(Place *p, Fault *f);
/* A descriptor of the complete and private file, or -1. */
int cache_open(const Place *p);
/* STATUS_FILE if there is no place at all. */
Status cache_prepare(Place *p, Fault *f);
void cache_leave(Place *p);
/* Stops early when *stop becomes true. */
void cache_prune(const char *folder, uint64_t most, const atomic_bool *stop);

#endif
