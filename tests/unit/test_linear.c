#include "solve/linear.h"

#include <stdlib.h>

#include "check.h"
#include "folder.h"
#include "solve/dense.h"
#include "solve/sparse.h"

#define MOST 120

/* A pattern with a full diagonal and about `extra` more entries per column. */
typedef struct Matrix {
    uint32_t n, start[MOST + 1], row[MOST * MOST];
    Complex value[MOST * MOST];
} Matrix;

static uint64_t state;

static double chance(void)
{
    state =
        state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static void fill(Matrix *a, real diagonal)
{
    for (uint32_t j = 0; j < a->n; j++)
        for (uint32_t p = a->start[j]; p < a->start[j + 1]; p++) {
            real add = a->row[p] == j ? diagonal : R(0.0);
            a->value[p].re = (real)(2.0 * chance() - 1.0) + add;
            a->value[p].im = (real)(2.0 * chance() - 1.0);
        }
}

static void build(Matrix *a, uint32_t n, double extra, real diagonal)
{
    uint32_t at = 0;
    a->n = n;
    for (uint32_t j = 0; j < n; j++) {
        a->start[j] = at;
        for (uint32_t i = 0; i < n; i++)
            if (i == j || chance() * n < extra)
                a->row[at++] = i;
    }
    a->start[n] = at;
    fill(a, diagonal);
}

/* Writes the values in the order that l was shaped for. */
static void write_values(const Matrix *a, bool complex, bool full, real *to)
{
    if (full)
        memset(to, 0, (size_t)a->n * a->n * (complex ? 2 : 1) * sizeof(real));
    for (uint32_t j = 0; j < a->n; j++)
        for (uint32_t p = a->start[j]; p < a->start[j + 1]; p++) {
            size_t k = full ? (size_t)j * a->n + a->row[p] : p;
            if (complex) {
                to[2 * k] = a->value[p].re;
                to[2 * k + 1] = a->value[p].im;
            } else {
                to[k] = a->value[p].re;
            }
        }
}

/* b = A x for x_j = 1 + j + i (2 - j). */
static void right_side(const Matrix *a, bool complex, real *b)
{
    memset(b, 0, a->n * (complex ? 2 : 1) * sizeof(real));
    for (uint32_t j = 0; j < a->n; j++)
        for (uint32_t p = a->start[j]; p < a->start[j + 1]; p++) {
            Complex x = {(real)(1 + j), (real)2 - (real)j};
            Complex y = complex_times(a->value[p], x);
            if (complex) {
                b[2 * a->row[p]] += y.re;
                b[2 * a->row[p] + 1] += y.im;
            } else {
                b[a->row[p]] += a->value[p].re * x.re;
            }
        }
}

static real error(const Matrix *a, bool complex, const real *x)
{
    real most = R(0.0);
    for (uint32_t j = 0; j < a->n; j++) {
        real re = complex ? x[2 * j] : x[j];
        most = cosy_max(most, cosy_abs(re - (real)(1 + j)));
        if (complex)
            most = cosy_max(most, cosy_abs(x[2 * j + 1] - ((real)2 - (real)j)));
    }
    return most / (real)a->n;
}

#define GOOD (R(1e6) * COSY_EPSILON)

static void check_linear(Matrix *a, bool complex, bool full)
{
    static real b[2 * MOST];
    Arena arena = {0};
    uint32_t column = 0;
    Linear *l = linear_create(&arena, NULL, "l", complex);
    CHECK(linear_shape(l, a->n, full ? NULL : a->start, a->row) == STATUS_OK);
    for (int round = 0; round < 4; round++) {
        // The third is far from the pivots of the first two.
        fill(a, round == 2 ? R(0.0) : R(4.0));
        write_values(a, complex, full, linear_values(l));
        CHECK(linear_factor(l, &column) == STATUS_OK);
        for (int twice = 0; twice < 2; twice++) {
            right_side(a, complex, b);
            CHECK(linear_solve(l, b) == STATUS_OK);
            CHECK(error(a, complex, b) < GOOD);
        }
    }
    linear_free(l);
    arena_free(&arena);
}

static void check_kind(const SparseKind *kind, Matrix *a, bool complex)
{
    static real b[2 * MOST], value[2 * MOST * MOST];
    Arena arena = {0};
    uint32_t column = 0;
    void *lu = kind->create(&arena, NULL, "k", complex);
    CHECK(kind->shape(lu, a->n, a->start, a->row) == STATUS_OK);
    for (int round = 0; round < 4; round++) {
        fill(a, round == 2 ? R(0.0) : R(4.0));
        write_values(a, complex, false, value);
        CHECK(kind->factor(lu, value, &column) == STATUS_OK);
        right_side(a, complex, b);
        CHECK(kind->solve(lu, value, b) == STATUS_OK);
        CHECK(error(a, complex, b) < GOOD);
    }
    kind->free(lu);
    arena_free(&arena);
}

static void test_random(void)
{
    static Matrix a;
    for (int complex = 0; complex < 2; complex++)
        for (uint32_t n = 1; n <= MOST; n = n * 2 + 1) {
            build(&a, n, 3.0, R(4.0));
            check_linear(&a, complex, true);
            check_linear(&a, complex, false);
            check_kind(&sparse_own, &a, complex);
        }
}

/* ---- Bands ------------------------------------------------------------------- */

static void build_band(Matrix *a, uint32_t n, uint32_t kl, uint32_t ku)
{
    uint32_t at = 0;
    a->n = n;
    for (uint32_t j = 0; j < n; j++) {
        a->start[j] = at;
        for (uint32_t i = j > ku ? j - ku : 0; i <= j + kl && i < n; i++)
            a->row[at++] = i;
    }
    a->start[n] = at;
    fill(a, R(4.0));
}

/* Largest element of A x - b, relative to the largest of x: small whatever the
   condition of A. */
static real residual(const Matrix *a, bool complex, const real *x,
                     const real *b)
{
    static real r[2 * MOST];
    uint32_t width = complex ? 2 : 1;
    real most = R(0.0), size = R(0.0);
    memcpy(r, b, a->n * width * sizeof *r);
    for (uint32_t j = 0; j < a->n; j++)
        for (uint32_t p = a->start[j]; p < a->start[j + 1]; p++) {
            Complex v = {x[width * j], complex ? x[2 * j + 1] : R(0.0)};
            Complex y = complex_times(a->value[p], v);
            r[width * a->row[p]] -= y.re;
            if (complex)
                r[2 * a->row[p] + 1] -= y.im;
        }
    for (uint32_t k = 0; k < width * a->n; k++) {
        most = cosy_max(most, cosy_abs(r[k]));
        size = cosy_max(size, cosy_abs(x[k]));
    }
    return most / size;
}

static void check_band(Matrix *a, bool complex, real diagonal)
{
    static real b[2 * MOST], x[2 * MOST], value[2 * MOST * MOST];
    Arena arena = {0};
    uint32_t column = 0;
    void *lu = sparse_band.create(&arena, NULL, "k", complex);
    CHECK(sparse_band.shape(lu, a->n, a->start, a->row) == STATUS_OK);
    for (int round = 0; round < 2; round++) {
        fill(a, diagonal);
        write_values(a, complex, false, value);
        CHECK(sparse_band.factor(lu, value, &column) == STATUS_OK);
        right_side(a, complex, b);
        memcpy(x, b, sizeof x);
        CHECK(sparse_band.solve(lu, value, x) == STATUS_OK);
        CHECK(residual(a, complex, x, b) < R(1000.0) * COSY_EPSILON);
        CHECK(diagonal == R(0.0) || error(a, complex, x) < GOOD);
    }
    sparse_band.free(lu);
    arena_free(&arena);
}

/* With a weak diagonal rows are exchanged. */
static void test_bands(void)
{
    static Matrix a;
    uint32_t kl, ku;
    for (uint32_t k = 0; k < 32; k++) {
        build_band(&a, 1 + 7 * (k / 16), k % 4, k / 4 % 4);
        check_band(&a, false, R(8.0));
        check_band(&a, true, R(8.0));
        check_band(&a, false, R(0.0));
        check_band(&a, true, R(0.0));
    }
    for (uint32_t k = 0; k < 16; k++) {
        build_band(&a, MOST, k % 4, k / 4);
        check_band(&a, false, R(8.0));
        check_band(&a, true, R(8.0));
        check_band(&a, false, R(0.0));
        check_band(&a, true, R(0.0));
        band_width(a.n, a.start, a.row, &kl, &ku);
        CHECK(kl == k % 4 && ku == k / 4);
        CHECK(band_prefers(a.n, a.start, a.row));
    }
    build(&a, MOST, 3.0, R(4.0));
    CHECK(!band_prefers(a.n, a.start, a.row));
}

/* Nothing on the diagonal, and almost nothing. */
static void test_pivots(void)
{
    real a[4] = {R(0.0), R(2.0), R(4.0), R(0.0)}, b[2] = {R(4.0), R(2.0)};
    real tiny = cosy_square(COSY_EPSILON);
    Complex c[4] = {
        {tiny, R(0.0)}, {R(1.0), R(0.0)}, {R(1.0), R(0.0)}, {R(1.0), R(0.0)}};
    Complex d[2] = {{R(1.0), R(2.0)}, {R(2.0), R(3.0)}};
    uint32_t pivot[2];
    CHECK(dense_factor(2, a, pivot) == 2);
    dense_solve(2, a, pivot, b);
    CHECK(b[0] == R(1.0) && b[1] == R(1.0));
    CHECK(dense_factor_complex(2, c, pivot) == 2);
    dense_solve_complex(2, c, pivot, d);
    CHECK(cosy_abs(d[0].re - R(1.0)) < R(10.0) * COSY_EPSILON);
    CHECK(cosy_abs(d[0].im - R(1.0)) < R(10.0) * COSY_EPSILON);
    CHECK(cosy_abs(d[1].im - R(2.0)) < R(10.0) * COSY_EPSILON);
}

/* Pivots that were good become almost nothing: new ones must be chosen. */
static void check_weak(const SparseKind *kind, bool complex)
{
    static Matrix a;
    static real b[2 * MOST], value[2 * MOST * MOST];
    Arena arena = {0};
    uint32_t column = 0;
    void *lu = kind->create(&arena, NULL, "k", complex);
    build(&a, 60, 0.0, R(0.0));
    for (uint32_t j = 0; j < a.n; j++) { // pairs of unknowns
        a.start[j] = 2 * j;
        a.row[2 * j] = j - j % 2;
        a.row[2 * j + 1] = j - j % 2 + 1;
    }
    a.start[a.n] = 2 * a.n;
    CHECK(kind->shape(lu, a.n, a.start, a.row) == STATUS_OK);
    for (int round = 0; round < 3; round++) {
        real diagonal = round == 1 ? cosy_square(COSY_EPSILON) : R(3.0);
        for (uint32_t p = 0; p < 2 * a.n; p++)
            a.value[p] =
                (Complex){a.row[p] == p / 2 ? diagonal : R(1.0), R(0.0)};
        write_values(&a, complex, false, value);
        CHECK(kind->factor(lu, value, &column) == STATUS_OK);
        right_side(&a, complex, b);
        CHECK(kind->solve(lu, value, b) == STATUS_OK);
        CHECK(error(&a, complex, b) < GOOD);
    }
    kind->free(lu);
    arena_free(&arena);
}

static void test_weak(void)
{
    check_weak(&sparse_own, false);
    check_weak(&sparse_own, true);
    check_weak(&SPARSE_DEFAULT, false);
    check_weak(&SPARSE_DEFAULT, true);
}

/* ---- Singular ---------------------------------------------------------------- */

/* Column `bad` is zero, or a multiple of its neighbour. */
static void check_singular(Matrix *a, bool complex, bool full, uint32_t bad)
{
    Arena arena = {0};
    uint32_t column = UINT32_MAX;
    Linear *l = linear_create(&arena, NULL, "l", complex);
    CHECK(linear_shape(l, a->n, full ? NULL : a->start, a->row) == STATUS_OK);
    for (uint32_t p = a->start[bad]; p < a->start[bad + 1]; p++)
        a->value[p] = (Complex){R(0.0), R(0.0)};
    write_values(a, complex, full, linear_values(l));
    CHECK(linear_factor(l, &column) == STATUS_SINGULAR);
    CHECK(column == bad);
    // A good matrix can follow.
    fill(a, R(4.0));
    write_values(a, complex, full, linear_values(l));
    CHECK(linear_factor(l, &column) == STATUS_OK);
    linear_free(l);
    arena_free(&arena);
}

static void test_singular(void)
{
    static Matrix a;
    for (int complex = 0; complex < 2; complex++)
        for (int full = 0; full < 2; full++) {
            build(&a, 50, 2.0, R(4.0));
            check_singular(&a, complex, full, 17);
            build(&a, 50, 2.0, R(4.0));
            check_singular(&a, complex, full, 0);
            build_band(&a, 50, 2, 1);
            check_singular(&a, complex, full, 17);
        }
    // NaN is not a pivot either.
    real nan[4] = {R(1.0), R(0.0), R(0.0), R(0.0)};
    uint32_t pivot[2];
    nan[3] = (COSY_REAL_MAX + COSY_REAL_MAX) - (COSY_REAL_MAX + COSY_REAL_MAX);
    CHECK(dense_factor(2, nan, pivot) == 1);
}

/* ---- A saved run ------------------------------------------------------------- */

static void put(const Matrix *a, Linear *l, bool complex)
{
    uint32_t column;
    write_values(a, complex, false, linear_values(l));
    CHECK(linear_factor(l, &column) == STATUS_OK);
}

/* The pivots of one matrix are used for a second; the factors of the second are
   saved. In another process both solve, and factor a third, to the same
   bytes. */
static void test_save(bool complex, bool band)
{
    static Matrix a, third;
    static real b[2 * MOST], c[2 * MOST];
    Folder folder;
    Fault fault = {0};
    Arena arena[2] = {{0}};
    Image image[2] = {{0}};
    Linear *l[2];
    size_t size = (complex ? 200 : 100) * sizeof(real);
    folder_make(&folder);
    const char *path = folder_file(&folder, "image");
    if (band)
        build_band(&a, 100, 2, 3);
    else
        build(&a, 100, 3.0, R(4.0));
    third = a;
    for (int k = 0; k < 2; k++) {
        l[k] = linear_create(&arena[k], &image[k], "l", complex);
        CHECK(linear_shape(l[k], a.n, a.start, a.row) == STATUS_OK);
    }
    put(&a, l[0], complex);
    fill(&a, R(3.0));
    put(&third, l[1], complex); // something else
    put(&a, l[0], complex);
    CHECK(image_save(&image[0], path, "", &fault) == STATUS_OK);
    CHECK(image_load(&image[1], path, "", &fault) == STATUS_OK);
    linear_attach(l[1]);
    for (int round = 0; round < 2; round++) {
        right_side(&a, complex, b);
        memcpy(c, b, size);
        CHECK(linear_solve(l[0], b) == STATUS_OK);
        CHECK(linear_solve(l[1], c) == STATUS_OK);
        CHECK(memcmp(b, c, size) == 0);
        CHECK(error(&a, complex, c) < GOOD);
        put(&third, l[0], complex);
        put(&third, l[1], complex);
        a = third;
    }
    for (int k = 0; k < 2; k++) {
        linear_free(l[k]);
        arena_free(&arena[k]);
    }
    folder_remove(&folder);
}

/* ---- Choice ------------------------------------------------------------------ */

static void test_choice(void)
{
    CHECK(linear_prefers_dense(2, 3));
    CHECK(linear_prefers_dense(16, 16));
    CHECK(!linear_prefers_dense(17, 49));
    CHECK(!linear_prefers_dense(200, 600));
    CHECK(linear_prefers_dense(200, 20000));
}

int main(void)
{
    test_random();
    test_bands();
    test_pivots();
    test_weak();
    test_singular();
    for (int k = 0; k < 4; k++)
        test_save(k % 2 == 0, k < 2);
    test_choice();
    return check_end();
}
