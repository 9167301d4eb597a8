#ifndef COSY_EXPAND_NAMES_H
#define COSY_EXPAND_NAMES_H

/* Names, the same without case, each with a number. The spellings are not
   copied. It starts zeroed; names_free returns the memory. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define NAME_UNKNOWN UINT32_MAX

typedef struct Names {
    Vector slots; // NameSlot
    uint32_t count, room;
} Names;

/* Adds, or gives another number to, a name; false if there is no memory. */
bool names_put(Names *n, const char *name, uint32_t number);
uint32_t names_find(const Names *n, const char *name); // or NAME_UNKNOWN
void names_free(Names *n);

#endif
