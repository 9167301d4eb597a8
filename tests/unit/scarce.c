#include "scarce.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_arena_alloc(Arena *a, size_t size, size_t align);
void *__real_arena_array(Arena *a, size_t n, size_t size, size_t align);
void *__wrap_arena_alloc(Arena *a, size_t size, size_t align);
void *__wrap_arena_array(Arena *a, size_t n, size_t size, size_t align);

static bool is_scarce, in_arenas;
static long left, refused;

void scarce_begin(long n)
{
    is_scarce = true;
    left = n;
    refused = 0;
}

void scarce_begin_arenas(long n)
{
    scarce_begin(n);
    in_arenas = true;
}

long scarce_end(void)
{
    is_scarce = in_arenas = false;
    return refused;
}

static bool refuse(void)
{
    if (!is_scarce || left-- > 0)
        return false;
    refused++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

void *__wrap_arena_alloc(Arena *a, size_t size, size_t align)
{
    return in_arenas && refuse() ? NULL : __real_arena_alloc(a, size, align);
}

void *__wrap_arena_array(Arena *a, size_t n, size_t size, size_t align)
{
    return in_arenas && refuse() ? NULL : __real_arena_array(a, n, size, align);
}
