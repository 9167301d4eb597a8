#ifndef COSY_LOAD_CACHE_H
#define COSY_LOAD_CACHE_H

/* Compiled models that are kept: one file KEY.so each, in a folder that runs,
   programs and machines may share. KEY is a hash of everything that the code
   depends on, so a file never changes its meaning; it appears by a rename, so
   it is whole or not there.

       cache_place     where a file would be; nothing is touched
       cache_hit       it is there and may be trusted; noted as used now
       cache_prepare   before one is made: the folder can be written and has
                       room, or a temporary one takes its place
       cache_leave     afterwards: a temporary folder goes
       cache_prune     now and then: files not used for longest go, until the
                       rest is small enough, and what killed compilations left

   The folder is $COSY_CACHE, else $XDG_CACHE_HOME/cosy, else ~/.cache/cosy. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define PATH_LENGTH 4096
#define CACHE_MOST  (500u << 20) // bytes

typedef struct Place {
    char folder[PATH_LENGTH];
    char final[PATH_LENGTH];  // the compiled model
    char source[PATH_LENGTH]; // its C, while it is compiled
    char object[PATH_LENGTH]; // the compiled model, while it grows
    bool temporary;           // the folder is of this one only
    char key[80];
} Place;

/* `wanted`: the folder, or NULL for the usual one. */
void cache_place(Place *p, const char *wanted, const char *key);
bool cache_hit(const Place *p);
/* STATUS_FILE when there is no place at all. */
Status cache_prepare(Place *p, Fault *f);
void cache_leave(Place *p);
/* Stops early when *stop becomes true. */
void cache_prune(const char *folder, uint64_t most, const atomic_bool *stop);

#endif
