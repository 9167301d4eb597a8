#ifndef COSY_TESTS_LEAST_H
#define COSY_TESTS_LEAST_H

/* Models of one variable for tests of fits: with slopes, with noise that is fitted, with
   places where trials fail; and a straight line, of which everything is known. */

#include "search/least.h"

#include "check.h"
#include "search.h"

#define MOST_DATA 64

static const char *const names[] = {"P", "Q", "S", "T", "U", "V"};

/* A model of one variable, with its slopes. */
typedef struct Model {
    real (*f)(real x, const real *p, real *g);
    bool (*fails)(const real *p);
    uint32_t n, m;
    real x[MOST_DATA], y[MOST_DATA];
    real (*noise)(const real *p,
                  real *g); // ln of the deviation, if it is fitted
    size_t stop_at;
    size_t calls, batches, largest;
} Model;

static inline Status evaluate(Model *t, const real *p, real *out, real *slope)
{
    real g[MOST_PARAMETERS];
    t->calls++;
    if (t->stop_at > 0 && t->calls >= t->stop_at)
        return STATUS_STOPPED;
    if (t->fails != NULL && t->fails(p))
        return STATUS_USER;
    for (uint32_t k = 0; k < t->m; k++) {
        out[k] = t->f(t->x[k], p, slope == NULL ? g : slope + k * t->n);
        if (t->noise == NULL)
            continue;
        uint32_t row = t->m + k;
        out[row] = t->noise(p, slope == NULL ? g : slope + row * t->n);
    }
    return STATUS_OK;
}

static inline Status model_one(void *user, const real *p, real *out)
{
    return evaluate(user, p, out, NULL);
}

static inline Status model_slopes(void *user, const real *p, real *out,
                                  real *slope)
{
    return evaluate(user, p, out, slope);
}

static inline uint32_t width(const Model *t)
{
    return t->noise != NULL ? 2 * t->m : t->m;
}

/* In another order than one by one. */
static inline Status model_many(void *user, size_t count, const real *p,
                                real *out, Status *each)
{
    Model *t = user;
    t->batches++;
    t->largest = count > t->largest ? count : t->largest;
    for (size_t k = count; k-- > 0;)
        each[k] = evaluate(t, p + k * t->n, out + k * width(t), NULL);
    return STATUS_OK;
}

static inline Status model_many_slopes(void *user, size_t count, const real *p,
                                       real *out, real *slope, Status *each)
{
    Model *t = user;
    size_t size = (size_t)t->n * width(t);
    t->batches++;
    t->largest = count > t->largest ? count : t->largest;
    for (size_t k = count; k-- > 0;)
        each[k] =
            evaluate(t, p + k * t->n, out + k * width(t), slope + k * size);
    return STATUS_OK;
}

static inline LeastProblem problem_of(Model *t, const real *start)
{
    LeastProblem q = {.trial = {t, model_one, NULL, model_slopes, NULL},
                      .n = t->n,
                      .m = t->m,
                      .noisy = t->noise != NULL,
                      .name = names,
                      .start = start,
                      .y = t->y,
                      .groups = 1};
    return q;
}

static inline LeastAnswer find(const LeastProblem *q, Arena *a)
{
    LeastAnswer x;
    char text[LEAST_WORDS];
    CHECK(least_fault(q, text) == NULL);
    CHECK(least_find(q, a, &x) == STATUS_OK);
    CHECK(x.words[0] != '\0');
    return x;
}

static inline void end(LeastAnswer *x, Arena *a)
{
    search_forget(&x->history);
    arena_free(a);
}

static inline bool near(real found, real expected, real tolerance)
{
    if (cosy_abs(found - expected) <=
        tolerance * cosy_max(cosy_abs(expected), R(1e-3)))
        return true;
    printf("found %.17g, expected %.17g\n", (double)found, (double)expected);
    return false;
}

#define FINE  (R(1e5) * COSY_EPSILON)
#define ROUGH cosy_sqrt(COSY_EPSILON)

/* ---- Predictions --------------------------------------------------------------------------- */

static inline real line(real x, const real *p, real *g)
{
    g[0] = R(1.0);
    g[1] = x;
    return p[0] + p[1] * x;
}

static inline void fill_line(Model *t)
{
    static const real y[] = {R(1.1), R(1.9), R(3.2), R(3.8), R(5.4), R(5.7)};
    *t = (Model){.f = line, .n = 2, .m = 6};
    for (uint32_t k = 0; k < t->m; k++) {
        t->x[k] = (real)k;
        t->y[k] = y[k];
    }
}

/* Rises to a plateau that the data do not reach: P (1 - exp (-Q x)). */
static inline real rising(real x, const real *p, real *g)
{
    real e = cosy_exp(-p[1] * x);
    g[0] = R(1.0) - e;
    g[1] = p[0] * x * e;
    return p[0] * g[0];
}

static inline real constant(real x, const real *p, real *g)
{
    (void)x;
    g[0] = R(1.0);
    g[1] = R(0.0);
    return p[0];
}

static inline real level(real x, const real *p, real *g)
{
    (void)x;
    g[0] = R(1.0);
    return p[0];
}

/* A frequency has many local optima. */
static inline real wave(real x, const real *p, real *g)
{
    g[0] = cosy_sin(p[1] * x);
    g[1] = p[0] * x * cosy_cos(p[1] * x);
    return p[0] * g[0];
}

static inline void fill_wave(Model *t)
{
    *t = (Model){.f = wave, .n = 2, .m = 40};
    for (uint32_t k = 0; k < t->m; k++) {
        real p[] = {R(2.0), R(3.0)}, g[2];
        t->x[k] = R(0.1) * (real)k;
        t->y[k] = wave(t->x[k], p, g) + R(0.1) * (real)((k * 7) % 5) - R(0.2);
    }
}

#endif
