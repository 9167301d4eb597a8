#include "count.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static atomic_ulong calls;

unsigned long count_allocations(void)
{
    return atomic_load(&calls);
}

void *__wrap_malloc(size_t size)
{
    atomic_fetch_add(&calls, 1);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    atomic_fetch_add(&calls, 1);
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    atomic_fetch_add(&calls, 1);
    return __real_realloc(old, size);
}
