#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first block of an arena, and the largest: a short run needs little, and the
   system takes large blocks back at once. */
#define ROOM_FIRST 16000
#define ROOM_MOST  65536

struct ArenaBlock {
    ArenaBlock *previous;
    size_t used, room;
    unsigned char bytes[];
};

/* Offset in the block at which an object of this alignment can start. It is
   counted from the address, because `bytes` itself is aligned only for a
   size_t. */
static size_t aligned_offset(const ArenaBlock *b, size_t align)
{
    uintptr_t address = (uintptr_t)b->bytes + b->used;
    uintptr_t over = address % align;
    return b->used + (over == 0 ? 0 : align - over);
}

static bool fits(const ArenaBlock *b, size_t offset, size_t size)
{
    return offset <= b->room && size <= b->room - offset;
}

static bool add_block(Arena *a, size_t size, size_t align)
{
    size_t room = a->block == NULL ? ROOM_FIRST : ROOM_MOST;
    ArenaBlock *b;
    if (size > SIZE_MAX - sizeof *b - align)
        return false;
    if (size + align > room)
        room = size + align;
    b = malloc(sizeof *b + room);
    if (b == NULL)
        return false;
    *b = (ArenaBlock){.previous = a->block, .room = room};
    a->block = b;
    return true;
}

void *arena_alloc(Arena *a, size_t size, size_t align)
{
    size_t offset;
    unsigned char *p;
    assert(align > 0 && (align & (align - 1)) == 0);
    if (a->block == NULL ||
        !fits(a->block, aligned_offset(a->block, align), size)) {
        if (!add_block(a, size, align))
            return NULL;
    }
    offset = aligned_offset(a->block, align);
    p = a->block->bytes + offset;
    assert(fits(a->block, offset, size) && offset >= a->block->used);
    assert((uintptr_t)p % align == 0);
    a->block->used = offset + size;
    return memset(p, 0, size);
}

void *arena_array(Arena *a, size_t n, size_t size, size_t align)
{
    if (size > 0 && n > SIZE_MAX / size)
        return NULL;
    return arena_alloc(a, n * size, align);
}

static void drop_block(Arena *a)
{
    ArenaBlock *b = a->block;
    a->block = b->previous;
    free(b);
}

char *arena_text(Arena *a, const char *text, size_t n)
{
    char *own = (char *)arena_alloc(a, n + 1, 1);
    if (!own)
        return NULL;
    if (n)
        memcpy(own, text, n);
    own[n] = '\0';
    return own;
}

void arena_free(Arena *a)
{
    while (a->block != NULL)
        drop_block(a);
}

ArenaMark arena_mark(const Arena *a)
{
    return (ArenaMark){.block = a->block,
                       .used = a->block == NULL ? 0 : a->block->used};
}

void arena_rewind(Arena *a, ArenaMark m)
{
    while (a->block != m.block) {
        assert(a->block != NULL); // the mark belongs to this arena, and is
                                  // still valid
        drop_block(a);
    }
    if (a->block != NULL) {
        assert(m.used <= a->block->used);
        a->block->used = m.used;
    }
}

/* Doubling keeps the cost of many small growths linear; when that much is not
   available, the exact size requested may still be. */
/* Room doubles while it is small. Large areas are moved by remapping pages, not
   copied, and should not take memory that is not needed yet. */
#define LARGE ((size_t)1 << 20)

static size_t more_room(size_t room)
{
    size_t more = room < LARGE ? room : room / 8;
    return room > SIZE_MAX - more ? room : room + more;
}

bool vector_reserve(Vector *v, size_t size)
{
    size_t room = more_room(v->room);
    unsigned char *bytes = NULL;
    assert(v->used <= v->room && (v->bytes != NULL || v->room == 0));
    if (size <= v->room)
        return true;
    if (room > size)
        bytes = realloc(v->bytes, room);
    if (bytes == NULL) {
        room = size;
        bytes = realloc(v->bytes, room);
    }
    if (bytes == NULL)
        return false;
    memset(bytes + v->room, 0, room - v->room);
    v->bytes = bytes;
    v->room = room;
    assert(v->room >= size);
    return true;
}

bool vector_append(Vector *v, const void *from, size_t size)
{
    if (size == 0)
        return true;
    if (size > SIZE_MAX - v->used || !vector_reserve(v, v->used + size))
        return false;
    if (from == NULL)
        memset(v->bytes + v->used, 0, size);
    else
        memcpy(v->bytes + v->used, from, size);
    v->used += size;
    assert(v->used <= v->room);
    return true;
}

void vector_shrink(Vector *v)
{
    assert(v->used <= v->room);
    unsigned char *less = v->used ? realloc(v->bytes, v->used) : NULL;
    if (less == NULL)
        return;
    v->bytes = less;
    v->room = v->used;
}

void vector_free(Vector *v)
{
    free(v->bytes);
    *v = (Vector){0};
}

size_t memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}
