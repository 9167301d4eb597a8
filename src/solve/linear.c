#include "solve/linear.h"

#include <assert.h>
#include <string.h>

#include "solve/dense.h"
#include "solve/sparse.h"

enum { LINEAR_KINDS = 2 };

struct Linear {
    bool complex, sparse;
    uint32_t n;
    Vector value;           // entries; a full matrix is factored in place
    Vector pivot;           // for a full matrix
    const SparseKind *kind; // for the present pattern
    void *lu;               // belongs to the kind
    void *own[LINEAR_KINDS];
};

/* The band where it pays off, the other kind otherwise. */
static const SparseKind *const kinds[LINEAR_KINDS] = {&SPARSE_DEFAULT,
                                                      &sparse_band};

bool vector_fit(Vector *v, size_t size)
{
    if (size > v->used)
        return vector_append(v, NULL, size - v->used);
    v->used = size;
    return vector_reserve(v, 1); // no pointer is NULL, even for nothing
}

Status image_name(Image *image, Arena *a, const char *name, const char *part,
                  Vector *v)
{
    if (image == NULL)
        return STATUS_OK;
    size_t length = strlen(name), more = strlen(part);
    char *full = NEW_ARRAY(a, char, length + more + 2);
    if (full == NULL)
        return STATUS_MEMORY;
    memcpy(full, name, length);
    full[length] = '.';
    memcpy(full + length + 1, part, more + 1);
    return image_add_vector(image, a, full, v);
}

Linear *linear_create(Arena *a, Image *image, const char *name, bool complex)
{
    Linear *l = NEW(a, Linear);
    if (l == NULL)
        return NULL;
    l->complex = complex;
    for (size_t k = 0; k < LINEAR_KINDS; k++) {
        l->own[k] = kinds[k]->create(a, image, name, complex);
        if (l->own[k] == NULL)
            return NULL;
    }
    if (image_name(image, a, name, "value", &l->value) != STATUS_OK ||
        image_name(image, a, name, "pivot", &l->pivot) != STATUS_OK)
        return NULL;
    return l;
}

/* Measured with chains and random patterns, one factorisation and three
   solutions, real and complex: up to 16 unknowns a full matrix is as fast
   whatever the pattern, above that it is slower unless nearly a third of the
   entries are present. */
bool linear_prefers_dense(uint32_t n, size_t entries)
{
    return n <= 16 || (real)entries > R(0.3) * (real)n * (real)n;
}

Status linear_shape(Linear *l, uint32_t n, const uint32_t *start,
                    const uint32_t *row)
{
    l->n = n;
    l->sparse = start != NULL;
    size_t entries = l->sparse ? start[n] : (size_t)n * n;
    size_t pivots = l->sparse ? 0 : n * sizeof(uint32_t);
    if (!vector_fit(&l->value, entries * (l->complex ? 2 : 1) * sizeof(real)) ||
        !vector_fit(&l->pivot, pivots))
        return STATUS_MEMORY;
    if (!l->sparse)
        return STATUS_OK;
    size_t k = band_prefers(n, start, row) ? 1 : 0;
    l->kind = kinds[k];
    l->lu = l->own[k];
    return l->kind->shape(l->lu, n, start, row);
}

real *linear_values(Linear *l)
{
    return (real *)(void *)l->value.bytes;
}

Status linear_factor(Linear *l, uint32_t *column)
{
    real *a = linear_values(l);
    if (l->sparse)
        return l->kind->factor(l->lu, a, column);
    uint32_t *pivot = (uint32_t *)(void *)l->pivot.bytes;
    uint32_t k = l->complex
                     ? dense_factor_complex(l->n, (Complex *)(void *)a, pivot)
                     : dense_factor(l->n, a, pivot);
    *column = k;
    return k < l->n ? STATUS_SINGULAR : STATUS_OK;
}

Status linear_solve(Linear *l, real *b)
{
    const real *a = linear_values(l);
    if (l->sparse)
        return l->kind->solve(l->lu, a, b);
    const uint32_t *pivot = (const uint32_t *)(const void *)l->pivot.bytes;
    if (l->complex)
        dense_solve_complex(l->n, (const Complex *)(const void *)a, pivot,
                            (Complex *)(void *)b);
    else
        dense_solve(l->n, a, pivot, b);
    return STATUS_OK;
}

void linear_attach(Linear *l)
{
    if (l->sparse && l->kind->attach != NULL)
        l->kind->attach(l->lu);
}

bool linear_scales(const Linear *l)
{
    return l->sparse && l->kind->scales;
}

real linear_weakest(const Linear *l, const real *size, uint32_t *column)
{
    assert(l->sparse && !l->complex);
    return l->kind->weakest(l->lu, size, column);
}

void linear_free(Linear *l)
{
    if (l == NULL)
        return;
    for (size_t k = 0; k < LINEAR_KINDS; k++)
        kinds[k]->free(l->own[k]);
    vector_free(&l->value);
    vector_free(&l->pivot);
}
