#include "solve/sparse.h"

#include <string.h>
#include <suitesparse/amd.h>

#include "solve/dense.h"
#include "solve/linear.h"

/* Left-looking LU with partial pivoting (Gilbert, Peierls, SIAM J. Sci. Stat.
   Comput. 9, 1988) in the column order given by AMD. Column k of L and U comes
   from one sparse triangular solution: a depth-first search in the graph of L
   finds which rows it affects and in what order.

   Rows keep their own numbers; pivot[k] is the row of pivot k. L has ones on
   its diagonal, which are not stored, nor is the diagonal of U: inverse[k] is
   its reciprocal. Everything lies in vectors of the image.

   A second factorisation follows the pivots and the fill of the first as long
   as no pivot is smaller than WEAK times the largest candidate. */

#define NONE   UINT32_MAX
#define PREFER R(0.1)   // the diagonal is taken if this close to the largest
#define WEAK   R(0.001) // old pivots are good down to this

typedef struct Own {
    bool complex;
    uint32_t n;
    uint32_t stamp;      // identifies the pattern
    Vector start, row;   // pattern of A
    Vector order;        // column of A for each column of LU
    Vector work;         // indices: position, stack, place, reach, mark
    Vector x;            // reals: one column, zero between uses
    Vector factors;      // indices in the image: see below
    Vector l_row, u_row; // indices
    Vector l_value, u_value, inverse;
} Own;

static uint32_t *indices(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

/* In `factors`: the stamp of the pattern they belong to, or 0; then n pivots, n
   + 1 starts of L and n + 1 starts of U. */
static uint32_t *good_for(const Own *o)
{
    return indices(&o->factors);
}

static uint32_t *pivots(const Own *o)
{
    return indices(&o->factors) + 1;
}

static uint32_t *starts_l(const Own *o)
{
    return pivots(o) + o->n;
}

static uint32_t *starts_u(const Own *o)
{
    return starts_l(o) + o->n + 1;
}

/* Arrays in `work`. */
enum { POSITION, STACK, PLACE, REACH, MARK, WORK_ARRAYS };

static uint32_t *work(const Own *o, size_t array)
{
    return indices(&o->work) + array * o->n;
}

/* ---- Numbers: real, or complex pairs -------------------------------------- */

static real *number(const Own *o, const Vector *v, size_t k)
{
    return (real *)(void *)v->bytes + (o->complex ? 2 * k : k);
}

static real size_of(const Own *o, const real *a)
{
    return o->complex ? cosy_abs(a[0]) + cosy_abs(a[1]) : cosy_abs(a[0]);
}

static void copy(const Own *o, const real *from, real *to)
{
    to[0] = from[0];
    if (o->complex)
        to[1] = from[1];
}

static void clear(const Own *o, real *a)
{
    a[0] = R(0.0);
    if (o->complex)
        a[1] = R(0.0);
}

/* to = a b. */
static void times(const Own *o, const real *a, const real *b, real *to)
{
    if (!o->complex) {
        to[0] = a[0] * b[0];
        return;
    }
    Complex p = {a[0], a[1]}, q = {b[0], b[1]}, r = complex_times(p, q);
    to[0] = r.re;
    to[1] = r.im;
}

static void invert(const Own *o, const real *a, real *to)
{
    if (!o->complex) {
        to[0] = R(1.0) / a[0];
        return;
    }
    Complex p = {a[0], a[1]}, r = complex_inverse(p);
    to[0] = r.re;
    to[1] = r.im;
}

/* x[row[p]] -= value[p] f, for entries p of a column. */
static void subtract(const Own *o, const uint32_t *row, const real *value,
                     uint32_t from, uint32_t to, const real *f, real *x)
{
    if (!o->complex) {
        for (uint32_t p = from; p < to; p++)
            x[row[p]] -= value[p] * f[0];
        return;
    }
    real re = f[0], im = f[1];
    for (uint32_t p = from; p < to; p++) {
        real *y = x + 2 * (size_t)row[p];
        const real *a = value + 2 * (size_t)p;
        y[0] -= a[0] * re - a[1] * im;
        y[1] -= a[0] * im + a[1] * re;
    }
}

/* ---- Shape --------------------------------------------------------------- */

static void *create(Arena *a, Image *image, const char *name, bool complex)
{
    Own *o = NEW(a, Own);
    if (o == NULL)
        return NULL;
    o->complex = complex;
    if (image_name(image, a, name, "factors", &o->factors) != STATUS_OK ||
        image_name(image, a, name, "l_row", &o->l_row) != STATUS_OK ||
        image_name(image, a, name, "u_row", &o->u_row) != STATUS_OK ||
        image_name(image, a, name, "l_value", &o->l_value) != STATUS_OK ||
        image_name(image, a, name, "u_value", &o->u_value) != STATUS_OK ||
        image_name(image, a, name, "inverse", &o->inverse) != STATUS_OK)
        return NULL;
    return o;
}

/* AMD reads and writes int. */
static Status find_order(Own *o)
{
    double control[AMD_CONTROL];
    amd_defaults(control);
    int found = amd_order((int)o->n, (const int *)(const void *)o->start.bytes,
                          (const int *)(const void *)o->row.bytes,
                          (int *)(void *)o->order.bytes, control, NULL);
    return found == AMD_OK || found == AMD_OK_BUT_JUMBLED ? STATUS_OK
                                                          : STATUS_MEMORY;
}

static Status shape(void *sparse, uint32_t n, const uint32_t *start,
                    const uint32_t *row)
{
    Own *o = sparse;
    size_t index = sizeof(uint32_t), count = start[n];
    size_t width = (o->complex ? 2 : 1) * sizeof(real);
    o->n = n;
    if (!vector_fit(&o->start, (n + (size_t)1) * index) ||
        !vector_fit(&o->row, count * index) ||
        !vector_fit(&o->order, n * index) ||
        !vector_fit(&o->work, WORK_ARRAYS * n * index) ||
        !vector_fit(&o->x, n * width) ||
        !vector_fit(&o->factors, (3 * (size_t)n + 3) * index) ||
        !vector_fit(&o->inverse, n * width))
        return STATUS_MEMORY;
    memcpy(o->start.bytes, start, o->start.used);
    memcpy(o->row.bytes, row, o->row.used);
    memset(o->x.bytes, 0, o->x.used);
    memset(o->work.bytes, 0, o->work.used);
    o->stamp = (uint32_t)sparse_stamp(n, start, row) | 1;
    return find_order(o);
}

static void release(void *sparse)
{
    Own *o = sparse;
    Vector *all[] = {&o->start,   &o->row,     &o->order,  &o->work,
                     &o->x,       &o->factors, &o->l_row,  &o->u_row,
                     &o->l_value, &o->u_value, &o->inverse};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
}

/* ---- One column ---------------------------------------------------------- */

static void scatter(const Own *o, const real *value, uint32_t column)
{
    const uint32_t *start = indices(&o->start), *row = indices(&o->row);
    for (uint32_t p = start[column]; p < start[column + 1]; p++)
        copy(o, o->complex ? value + 2 * (size_t)p : value + p,
             number(o, &o->x, row[p]));
}

/* Searches from `row` along the columns of L that belong to rows with a pivot.
   Rows are put into REACH from its end, each before those it leads to. */
static uint32_t search(const Own *o, uint32_t row, uint32_t mark, uint32_t top)
{
    const uint32_t *position = work(o, POSITION), *l = indices(&o->l_row);
    uint32_t *stack = work(o, STACK), *place = work(o, PLACE);
    uint32_t *marks = work(o, MARK), *reach = work(o, REACH), depth = 0;
    stack[0] = row;
    place[0] = 0;
    marks[row] = mark;
    for (;;) {
        uint32_t k = position[stack[depth]];
        uint32_t from = k == NONE ? 0 : starts_l(o)[k];
        uint32_t many = k == NONE ? 0 : starts_l(o)[k + 1] - from;
        while (place[depth] < many && marks[l[from + place[depth]]] == mark)
            place[depth]++;
        if (place[depth] < many) {
            uint32_t next = l[from + place[depth]++];
            marks[next] = mark;
            stack[++depth] = next;
            place[depth] = 0;
            continue;
        }
        reach[--top] = stack[depth];
        if (depth-- == 0)
            return top;
    }
}

/* Finds the rows that column k of LU affects, in REACH from the place
   returned. */
static uint32_t reach_of(const Own *o, uint32_t k)
{
    const uint32_t *start = indices(&o->start), *row = indices(&o->row);
    uint32_t column = indices(&o->order)[k], top = o->n;
    for (uint32_t p = start[column]; p < start[column + 1]; p++)
        if (work(o, MARK)[row[p]] != k + 1)
            top = search(o, row[p], k + 1, top);
    return top;
}

static bool append(const Own *o, Vector *rows, Vector *values, uint32_t row,
                   const real *value)
{
    size_t width = (o->complex ? 2 : 1) * sizeof(real);
    return vector_append(rows, &row, sizeof row) &&
           vector_append(values, value, width);
}

/* Forms column k of U while the column in x is reduced by those of L. */
static bool reduce(Own *o, uint32_t top)
{
    for (uint32_t q = top; q < o->n; q++) {
        uint32_t row = work(o, REACH)[q], j = work(o, POSITION)[row];
        if (j == NONE)
            continue;
        real f[2];
        copy(o, number(o, &o->x, row), f);
        clear(o, number(o, &o->x, row));
        if (!append(o, &o->u_row, &o->u_value, j, f))
            return false;
        subtract(o, indices(&o->l_row), number(o, &o->l_value, 0),
                 starts_l(o)[j], starts_l(o)[j + 1], f, number(o, &o->x, 0));
    }
    return true;
}

/* The largest of the rows without a pivot, or the diagonal if it is nearly as
   large; NONE if all are zero or one is not finite. */
static uint32_t choose(const Own *o, uint32_t top, uint32_t diagonal)
{
    uint32_t best = NONE;
    real largest = R(0.0);
    for (uint32_t q = top; q < o->n; q++) {
        uint32_t row = work(o, REACH)[q];
        if (work(o, POSITION)[row] != NONE)
            continue;
        real size = size_of(o, number(o, &o->x, row));
        if (!cosy_finite(size))
            return NONE;
        if (size > largest) {
            largest = size;
            best = row;
        }
    }
    bool open = best != NONE && work(o, POSITION)[diagonal] == NONE;
    if (open && size_of(o, number(o, &o->x, diagonal)) >= PREFER * largest)
        return diagonal;
    return best;
}

/* Forms column k of L: the rows that are left, divided by the pivot. */
static bool divide(Own *o, uint32_t k, uint32_t top, uint32_t pivot)
{
    uint32_t *position = work(o, POSITION);
    real *inverse = number(o, &o->inverse, k);
    invert(o, number(o, &o->x, pivot), inverse);
    clear(o, number(o, &o->x, pivot));
    position[pivot] = k;
    pivots(o)[k] = pivot;
    for (uint32_t q = top; q < o->n; q++) {
        uint32_t row = work(o, REACH)[q];
        if (position[row] != NONE)
            continue;
        real f[2];
        times(o, number(o, &o->x, row), inverse, f);
        clear(o, number(o, &o->x, row));
        if (!append(o, &o->l_row, &o->l_value, row, f))
            return false;
    }
    return true;
}

static void finish_column(Own *o, uint32_t k)
{
    starts_l(o)[k + 1] = (uint32_t)(o->l_row.used / sizeof(uint32_t));
    starts_u(o)[k + 1] = (uint32_t)(o->u_row.used / sizeof(uint32_t));
}

static void begin_factors(Own *o)
{
    good_for(o)[0] = 0;
    o->l_row.used = o->u_row.used = 0;
    o->l_value.used = o->u_value.used = 0;
    starts_l(o)[0] = starts_u(o)[0] = 0;
    memset(o->x.bytes, 0, o->x.used);
    memset(work(o, MARK), 0, o->n * sizeof(uint32_t));
    for (uint32_t i = 0; i < o->n; i++)
        work(o, POSITION)[i] = NONE;
}

static Status factor_full(Own *o, const real *value, uint32_t *column)
{
    begin_factors(o);
    for (uint32_t k = 0; k < o->n; k++) {
        *column = indices(&o->order)[k];
        uint32_t top = reach_of(o, k);
        scatter(o, value, *column);
        if (!reduce(o, top))
            return STATUS_MEMORY;
        uint32_t pivot = choose(o, top, *column);
        if (pivot == NONE)
            return STATUS_SINGULAR;
        if (!divide(o, k, top, pivot))
            return STATUS_MEMORY;
        finish_column(o, k);
    }
    good_for(o)[0] = o->stamp;
    return STATUS_OK;
}

/* ---- The same pivots again ------------------------------------------------ */

static void reduce_again(Own *o, uint32_t k)
{
    for (uint32_t p = starts_u(o)[k]; p < starts_u(o)[k + 1]; p++) {
        uint32_t j = indices(&o->u_row)[p];
        real *f = number(o, &o->u_value, p);
        real *x = number(o, &o->x, pivots(o)[j]);
        copy(o, x, f);
        clear(o, x);
        subtract(o, indices(&o->l_row), number(o, &o->l_value, 0),
                 starts_l(o)[j], starts_l(o)[j + 1], f, number(o, &o->x, 0));
    }
}

/* False if the pivot has become weak. */
static bool divide_again(Own *o, uint32_t k)
{
    real *x = number(o, &o->x, pivots(o)[k]);
    real *inverse = number(o, &o->inverse, k);
    real size = size_of(o, x), largest = size;
    invert(o, x, inverse);
    clear(o, x);
    for (uint32_t p = starts_l(o)[k]; p < starts_l(o)[k + 1]; p++) {
        x = number(o, &o->x, indices(&o->l_row)[p]);
        largest = cosy_max(largest, size_of(o, x));
        times(o, x, inverse, number(o, &o->l_value, p));
        clear(o, x);
    }
    return size > R(0.0) && cosy_finite(size) && size >= WEAK * largest;
}

static bool factor_again(Own *o, const real *value)
{
    for (uint32_t k = 0; k < o->n; k++) {
        scatter(o, value, indices(&o->order)[k]);
        reduce_again(o, k);
        if (!divide_again(o, k))
            return false;
    }
    return true;
}

static Status factor(void *sparse, const real *value, uint32_t *column)
{
    Own *o = sparse;
    if (good_for(o)[0] == o->stamp && factor_again(o, value))
        return STATUS_OK;
    return factor_full(o, value, column);
}

static Status solve(void *sparse, const real *value, real *b)
{
    Own *o = sparse;
    (void)value; // the factors themselves are in the image
    size_t width = o->complex ? 2 : 1;
    real *y = number(o, &o->x, 0);
    for (uint32_t k = 0; k < o->n; k++) {
        const real *f = b + width * pivots(o)[k];
        copy(o, f, number(o, &o->x, k));
        subtract(o, indices(&o->l_row), number(o, &o->l_value, 0),
                 starts_l(o)[k], starts_l(o)[k + 1], f, b);
    }
    for (uint32_t k = o->n; k-- > 0;) {
        real *f = number(o, &o->x, k);
        times(o, f, number(o, &o->inverse, k), f);
        subtract(o, indices(&o->u_row), number(o, &o->u_value, 0),
                 starts_u(o)[k], starts_u(o)[k + 1], f, y);
        copy(o, f, b + width * indices(&o->order)[k]);
        clear(o, f);
    }
    return STATUS_OK;
}

static real weakest(const void *sparse, const real *size, uint32_t *column)
{
    const Own *o = sparse;
    real least = COSY_REAL_MAX;
    for (uint32_t k = 0; k < o->n; k++)
        sparse_weaker(R(1.0) / cosy_abs(*number(o, &o->inverse, k)),
                      indices(&o->order)[k], size, &least, column);
    return least;
}

const SparseKind sparse_own = {
    .name = "left-looking LU",
    .create = create,
    .shape = shape,
    .factor = factor,
    .solve = solve,
    .free = release,
    .weakest = weakest,
};
