#include "solve/sparse.h"

#include <suitesparse/klu.h>

#include "solve/linear.h"

/* SuiteSparse KLU: real (klu_) and complex (klu_z_). A full factorisation
   chooses pivots and allocates; a refactorisation keeps them and does not.

   KLU's objects cannot be saved, so the image has the values of the last full
   factorisation. After an image has been loaded, the objects are rebuilt the
   same way: a full factorisation of those values, then the present ones with
   the same pivots.

   Whether the old pivots are still good shows in the growth of the numbers,
   which costs as much as a factorisation to find; it is examined only when the
   smallest pivot has become small compared with the largest. */

/* Reciprocal growth of the pivots, and smallest over largest pivot, may shrink
   by this factor since the last full factorisation before new pivots are
   chosen. */
#define WEAK 0.01

typedef struct KluHead {
    uint64_t pattern; // stamp of the pattern that was factored; 0: none
    uint64_t again;   // 1: with the pivots of `values`
    double pivots;    // smallest over largest pivot when growth was examined
                      // last
} KluHead;

typedef struct Klu {
    bool complex;
    int n;
    uint64_t stamp;    // identifies the pattern
    Vector start, row; // int
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; // reciprocal growth after the last full factorisation
    bool current;  // `numeric` agrees with the image
    Vector head;   // KluHead, in the image
    Vector values; // values of the last full factorisation, in the image
} Klu;

static KluHead *head_of(const Klu *u)
{
    return (KluHead *)(void *)u->head.bytes;
}

static int *ints(const Vector *v)
{
    return (int *)(void *)v->bytes;
}

static size_t values_size(const Klu *u)
{
    return (size_t)ints(&u->start)[u->n] * (u->complex ? 2 : 1) *
           sizeof(double);
}

/* ---- Shape --------------------------------------------------------------- */

static void *create(Arena *a, Image *image, const char *name, bool complex)
{
    Klu *u = NEW(a, Klu);
    if (u == NULL || !vector_fit(&u->head, sizeof(KluHead)))
        return NULL;
    u->complex = complex;
    klu_defaults(&u->common);
    if (image_name(image, a, name, "klu", &u->head) != STATUS_OK ||
        image_name(image, a, name, "base", &u->values) != STATUS_OK)
        return NULL;
    return u;
}

static void drop_numeric(Klu *u)
{
    if (u->complex)
        klu_z_free_numeric(&u->numeric, &u->common);
    else
        klu_free_numeric(&u->numeric, &u->common);
    u->current = false;
}

static Status shape(void *sparse, uint32_t n, const uint32_t *start,
                    const uint32_t *row)
{
    Klu *u = sparse;
    size_t index = sizeof(int), count = start[n];
    drop_numeric(u);
    klu_free_symbolic(&u->symbolic, &u->common);
    u->n = (int)n;
    u->stamp = sparse_stamp(n, start, row);
    if (!vector_fit(&u->start, ((size_t)n + 1) * index) ||
        !vector_fit(&u->row, count * index))
        return STATUS_MEMORY;
    for (size_t k = 0; k <= n; k++)
        ints(&u->start)[k] = (int)start[k];
    for (size_t k = 0; k < count; k++)
        ints(&u->row)[k] = (int)row[k];
    if (!vector_fit(&u->values, values_size(u)))
        return STATUS_MEMORY;
    u->symbolic = klu_analyze(u->n, ints(&u->start), ints(&u->row), &u->common);
    return u->symbolic != NULL ? STATUS_OK : STATUS_MEMORY;
}

static void release(void *sparse)
{
    Klu *u = sparse;
    drop_numeric(u);
    klu_free_symbolic(&u->symbolic, &u->common);
    vector_free(&u->start);
    vector_free(&u->row);
    vector_free(&u->head);
    vector_free(&u->values);
}

/* ---- Factors ------------------------------------------------------------- */

static double growth_of(Klu *u, double *value)
{
    int *start = ints(&u->start), *row = ints(&u->row);
    if (u->complex)
        klu_z_rgrowth(start, row, value, u->symbolic, u->numeric, &u->common);
    else
        klu_rgrowth(start, row, value, u->symbolic, u->numeric, &u->common);
    return u->common.rgrowth;
}

/* Smallest pivot over the largest. */
static double pivots_of(Klu *u)
{
    if (u->complex)
        klu_z_rcond(u->symbolic, u->numeric, &u->common);
    else
        klu_rcond(u->symbolic, u->numeric, &u->common);
    return u->common.rcond;
}

/* KLU's arguments are not const, but it only reads them. */
static double *plain(const double *value)
{
    union {
        const double *with;
        double *without;
    } pointer = {value};
    return pointer.without;
}

static Status full(Klu *u, const double *value, uint32_t *column)
{
    int *start = ints(&u->start), *row = ints(&u->row);
    double *a = plain(value);
    drop_numeric(u);
    u->numeric = u->complex
                     ? klu_z_factor(start, row, a, u->symbolic, &u->common)
                     : klu_factor(start, row, a, u->symbolic, &u->common);
    if (u->common.status == KLU_SINGULAR) {
        *column = (uint32_t)u->common.singular_col;
        drop_numeric(u);
        return STATUS_SINGULAR;
    }
    if (u->numeric == NULL)
        return STATUS_MEMORY;
    u->growth = growth_of(u, a);
    u->current = true;
    return STATUS_OK;
}

/* Uses the old pivots; false if they are no longer good. */
static bool again(Klu *u, const double *value)
{
    int *start = ints(&u->start), *row = ints(&u->row);
    double *a = plain(value);
    int done =
        u->complex
            ? klu_z_refactor(start, row, a, u->symbolic, u->numeric, &u->common)
            : klu_refactor(start, row, a, u->symbolic, u->numeric, &u->common);
    if (!done || u->common.status != KLU_OK)
        return false;
    double pivots = pivots_of(u);
    if (pivots >= WEAK * head_of(u)->pivots)
        return true;
    head_of(u)->pivots = pivots;
    return growth_of(u, a) >= WEAK * u->growth;
}

/* Makes the objects agree with the image. */
static Status restore(Klu *u, const double *value)
{
    uint32_t column;
    if (u->current)
        return STATUS_OK;
    TRY(full(u, (const double *)(const void *)u->values.bytes, &column));
    double pivots = head_of(u)->pivots;
    if (head_of(u)->again)
        again(u, value);
    head_of(u)->pivots = pivots; // as it was
    return STATUS_OK;
}

static Status factor(void *sparse, const real *value, uint32_t *column)
{
    Klu *u = sparse;
    KluHead *head = head_of(u);
    if (head->pattern == u->stamp) {
        head->again = 0; // what it would restore is useless here
        TRY(restore(u, value));
        head->again = again(u, value);
        if (head->again)
            return STATUS_OK;
    }
    head->pattern = 0;
    TRY(full(u, value, column));
    memcpy(u->values.bytes, value, values_size(u));
    *head = (KluHead){u->stamp, 0, pivots_of(u)};
    return STATUS_OK;
}

static void attach(void *sparse)
{
    drop_numeric(sparse);
}

static Status solve(void *sparse, const real *value, real *b)
{
    Klu *u = sparse;
    TRY(restore(u, value));
    int done =
        u->complex
            ? klu_z_solve(u->symbolic, u->numeric, u->n, 1, b, &u->common)
            : klu_solve(u->symbolic, u->numeric, u->n, 1, b, &u->common);
    return done ? STATUS_OK : STATUS_MEMORY;
}

static real weakest(const void *sparse, const real *size, uint32_t *column)
{
    const Klu *u = sparse;
    const double *pivot = u->numeric->Udiag;
    real least = COSY_REAL_MAX;
    for (int k = 0; k < u->n; k++)
        sparse_weaker(cosy_abs(pivot[k]), (uint32_t)u->symbolic->Q[k], size,
                      &least, column);
    return least;
}

const SparseKind sparse_klu = {
    .name = "KLU",
    .create = create,
    .shape = shape,
    .factor = factor,
    .solve = solve,
    .attach = attach,
    .free = release,
    .weakest = weakest,
    .scales = true,
};
