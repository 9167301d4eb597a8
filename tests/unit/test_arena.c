#include "base/arena.h"

#include <stdint.h>

#include "check.h"
#include "scarce.h"

static void test_alignment_and_zero(void)
{
    Arena a = {0};
    for (size_t align = 1; align <= 256; align *= 2) {
        unsigned char *p = arena_alloc(&a, 3 * align, align);
        CHECK(p != NULL && (uintptr_t)p % align == 0);
        CHECK(p[0] == 0 && memcmp(p, p + 1, 3 * align - 1) == 0);
        memset(p, 0xAA, 3 * align);
        arena_alloc(&a, 1, 1);
    }
    arena_free(&a);
    CHECK(a.block == NULL);
}

static void test_many_and_large(void)
{
    Arena a = {0};
    uint32_t *kept[1000], moved = 0;
    double *large;
    for (uint32_t k = 0; k < 1000; k++) {
        kept[k] = NEW_ARRAY(&a, uint32_t, 100);
        kept[k][0] = kept[k][99] = k;
    }
    large = NEW_ARRAY(&a, double, 1000000);
    CHECK(large != NULL);
    large[999999] = 1.0;
    for (uint32_t k = 0; k < 1000; k++)
        moved += kept[k][0] != k || kept[k][99] != k;
    CHECK(moved == 0);
    arena_free(&a);
}

static void test_too_large(void)
{
    Arena a = {0};
    CHECK(arena_array(&a, SIZE_MAX / 4 + 2, 4, 4) == NULL);
    CHECK(arena_alloc(&a, SIZE_MAX - 8, 16) == NULL);
    CHECK(arena_array(&a, 0, 8, 8) != NULL);
    arena_free(&a);
}

/* Memory allocated again after a rewind is zero again. */
static void test_rewind(void)
{
    Arena a = {0};
    char *before = NEW_ARRAY(&a, char, 10);
    ArenaMark m = arena_mark(&a);
    char *first = NEW_ARRAY(&a, char, 100);
    memset(first, 'x', 100);
    NEW_ARRAY(&a, char, 1000000);
    before[9] = 'b';
    arena_rewind(&a, m);
    CHECK(before[9] == 'b');
    CHECK(NEW_ARRAY(&a, char, 100) == first);
    CHECK(first[0] == 0 && first[99] == 0);
    arena_rewind(&a, (ArenaMark){0});
    CHECK(a.block == NULL);
}

static void test_vector(void)
{
    Vector v = {0};
    CHECK(vector_append(&v, NULL, 0) && v.bytes == NULL);
    for (unsigned k = 0; k < 10000; k++)
        vector_append(&v, &k, sizeof k);
    CHECK(v.used == 10000 * sizeof(unsigned) && v.room >= v.used);
    CHECK(((unsigned *)(void *)v.bytes)[9999] == 9999);
    v.used = 4;
    CHECK(vector_append(&v, NULL, 8));
    CHECK(v.bytes[4] == 0 && v.bytes[8] == 0 && v.used == 12);
    CHECK(vector_reserve(&v, 1000000) && v.room >= 1000000 && v.used == 12);
    CHECK(v.bytes[999999] == 0);
    CHECK(!vector_append(&v, NULL, SIZE_MAX - 4));
    CHECK(v.used == 12);
    vector_free(&v);
    CHECK(v.bytes == NULL && v.room == 0);
}

static void test_no_memory(void)
{
    Arena a = {0};
    Vector v = {0};
    void *p;
    scarce_begin(0);
    p = arena_alloc(&a, 10, 8);
    CHECK(scarce_end() == 1 && p == NULL && a.block == NULL);
    CHECK(arena_alloc(&a, 10, 8) != NULL);
    CHECK(vector_append(&v, "abc", 3));
    scarce_begin(0);
    CHECK(!vector_append(&v, NULL, 1000));
    CHECK(scarce_end() > 0);
    CHECK(v.used == 3 && memcmp(v.bytes, "abc", 3) == 0);
    vector_free(&v);
    arena_free(&a);
}

int main(void)
{
    test_alignment_and_zero();
    test_many_and_large();
    test_too_large();
    test_rewind();
    test_vector();
    test_no_memory();
    return check_end();
}
