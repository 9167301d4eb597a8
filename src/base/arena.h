#ifndef COSY_BASE_ARENA_H
#define COSY_BASE_ARENA_H

/* Memory by lifetime: allocate freely, release everything at once.

   An arena hands out zeroed memory in order, from blocks that it takes from
   the system and keeps until arena_free. arena_mark and arena_rewind give back
   what was allocated in between (scratch memory of one pass).

   When the system has no memory left, arena_alloc returns NULL; whoever
   allocates passes STATUS_MEMORY up. Tests count and fail allocations from
   outside, by wrapping malloc and realloc when they are linked. */

#include <stdbool.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *block;
} Arena;

typedef struct ArenaMark {
    ArenaBlock *block;
    size_t used;
} ArenaMark;

void *arena_alloc(Arena *a, size_t size, size_t align);
void *arena_array(Arena *a, size_t n, size_t size, size_t align);
/* A copy of n bytes of text, ended by NUL. */
char *arena_text(Arena *a, const char *text, size_t n);
void arena_free(Arena *a);
ArenaMark arena_mark(const Arena *a);
void arena_rewind(Arena *a, ArenaMark m);

/* Bytes of memory that this machine has; 0: not known. */
size_t memory_size(void);

#define NEW(a, T)          ((T *)arena_alloc((a), sizeof(T), _Alignof(T)))
#define NEW_ARRAY(a, T, n) ((T *)arena_array((a), (n), sizeof(T), _Alignof(T)))

/* A block of memory that grows in place or moves: bytes [0, used). Grown
   bytes are zero. */
typedef struct Vector {
    unsigned char *bytes;
    size_t used, room;
} Vector;

/* Makes room for `size` bytes in all; false if there is none. */
bool vector_reserve(Vector *v, size_t size);
/* Appends; NULL from = zeros. False if there is no memory. */
bool vector_append(Vector *v, const void *from, size_t size);
/* Gives back what is not used. */
void vector_shrink(Vector *v);
void vector_free(Vector *v);

#endif
