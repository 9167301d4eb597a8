#include "scarce.h"

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool is_scarce;
static long left, refused;

void scarce_begin(long n)
{
    is_scarce = true;
    left = n;
    refused = 0;
}

long scarce_end(void)
{
    is_scarce = false;
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
