/* Fits with known answers, and what is said where the data leave something open. */

#include "search/least.h"

#include <stdlib.h>

#include "check.h"
#include "scarce.h"
#include "search.h"

#define MOST_DATA 64

static const char *const names[] = {"P", "Q", "S", "T", "U", "V"};

/* A model of one variable, with its slopes. */
typedef struct Model {
    real (*f)(real x, const real *p, real *g);
    bool (*fails)(const real *p);
    uint32_t n, m;
    real x[MOST_DATA], y[MOST_DATA];
    real (*noise)(const real *p, real *g); // ln of the deviation, if it is fitted
    size_t stop_at;
    size_t calls, batches, largest;
} Model;

static Status evaluate(Model *t, const real *p, real *out, real *slope)
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

static Status model_one(void *user, const real *p, real *out)
{
    return evaluate(user, p, out, NULL);
}

static Status model_slopes(void *user, const real *p, real *out, real *slope)
{
    return evaluate(user, p, out, slope);
}

static uint32_t width(const Model *t)
{
    return t->noise != NULL ? 2 * t->m : t->m;
}

/* In another order than one by one. */
static Status model_many(void *user, size_t count, const real *p, real *out,
                         Status *each)
{
    Model *t = user;
    t->batches++;
    t->largest = count > t->largest ? count : t->largest;
    for (size_t k = count; k-- > 0;)
        each[k] = evaluate(t, p + k * t->n, out + k * width(t), NULL);
    return STATUS_OK;
}

static Status model_many_slopes(void *user, size_t count, const real *p,
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

static LeastProblem problem_of(Model *t, const real *start)
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

static LeastAnswer find(const LeastProblem *q, Arena *a)
{
    LeastAnswer x;
    char text[LEAST_WORDS];
    CHECK(least_fault(q, text) == NULL);
    CHECK(least_find(q, a, &x) == STATUS_OK);
    CHECK(x.words[0] != '\0');
    return x;
}

static void end(LeastAnswer *x, Arena *a)
{
    search_forget(&x->history);
    arena_free(a);
}

static bool near(real found, real expected, real tolerance)
{
    if (cosy_abs(found - expected) <=
        tolerance * cosy_max(cosy_abs(expected), R(1e-3)))
        return true;
    printf("found %.17g, expected %.17g\n", (double)found, (double)expected);
    return false;
}

#define FINE  (R(1e5) * COSY_EPSILON)
#define ROUGH cosy_sqrt(COSY_EPSILON)

/* ---- Straight lines: everything is known ---------------------------------------------- */

static real line(real x, const real *p, real *g)
{
    g[0] = R(1.0);
    g[1] = x;
    return p[0] + p[1] * x;
}

static void fill_line(Model *t)
{
    static const real y[] = {R(1.1), R(1.9), R(3.2), R(3.8), R(5.4), R(5.7)};
    *t = (Model){.f = line, .n = 2, .m = 6};
    for (uint32_t k = 0; k < t->m; k++) {
        t->x[k] = (real)k;
        t->y[k] = y[k];
    }
}

/* The textbook's formulas. */
typedef struct Line {
    real slope, at0, squares, slope_error, at0_error, correlation;
} Line;

static Line line_of(const Model *t)
{
    Line r = {0};
    real n = (real)t->m, sx = R(0.0), sy = R(0.0), sxx = R(0.0), sxy = R(0.0);
    for (uint32_t k = 0; k < t->m; k++) {
        sx += t->x[k];
        sy += t->y[k];
        sxx += t->x[k] * t->x[k];
        sxy += t->x[k] * t->y[k];
    }
    real d = n * sxx - sx * sx;
    r.slope = (n * sxy - sx * sy) / d;
    r.at0 = (sy - r.slope * sx) / n;
    for (uint32_t k = 0; k < t->m; k++)
        r.squares += cosy_square(t->y[k] - r.at0 - r.slope * t->x[k]);
    real s2 = r.squares / (n - R(2.0));
    r.slope_error = cosy_sqrt(s2 * n / d);
    r.at0_error = cosy_sqrt(s2 * sxx / d);
    r.correlation = -sx / cosy_sqrt(n * sxx);
    return r;
}

/* The 97.5 % quantile of Student's distribution with four degrees of freedom. */
#define T4 R(2.77644510519779435780)

static void test_line(void)
{
    static const real start[] = {R(7.0), R(-3.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    Line r = line_of(&t);
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND);
    CHECK(near(x.p[0], r.at0, FINE) && near(x.p[1], r.slope, FINE));
    CHECK(near(x.squares, r.squares, FINE));
    CHECK(near(x.error[0], r.at0_error, FINE));
    CHECK(near(x.error[1], r.slope_error, FINE));
    CHECK(near(x.correlation[1], r.correlation, FINE));
    CHECK(x.correlation[0] == R(1.0));
    CHECK(near(x.quantile, T4, R(1e-14)));
    CHECK(near(x.low[1], r.slope - x.quantile * r.slope_error, FINE));
    CHECK(near(x.high[0], r.at0 + x.quantile * r.at0_error, FINE));
    CHECK(x.freedom == R(4.0) && x.open == 0 && x.verdict[0] == '\0');
    CHECK(near(x.scale, cosy_sqrt(r.squares / R(4.0)), FINE));
    CHECK(near(x.level[0], x.scale, FINE) && near(x.sd[3], x.scale, FINE));
    CHECK(x.r2 > R(0.97) && x.r2 < R(1.0));
    CHECK(t.calls <= 6);
    real nll = R(3.0) * (cosy_log(R(2.0) * R(3.14159265358979323846264338) *
                                  r.squares / R(6.0)) +
                         R(1.0));
    CHECK(near(x.nll, nll, R(1e-13)) && x.value == x.nll);
    CHECK(x.trials == x.history.count && x.offset < R(1e-6));
    end(&x, &a);
}

/* With errors that are known, the theory has no degrees of freedom to lose. */
static void test_known(void)
{
    static const real start[] = {R(0.0), R(0.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    real sigma[6];
    for (int k = 0; k < 6; k++)
        sigma[k] = R(0.25);
    LeastProblem q = problem_of(&t, start);
    q.groups = 0;
    q.sigma = sigma;
    LeastAnswer x = find(&q, &a);
    Line r = line_of(&t);
    real factor = R(0.25) / cosy_sqrt(r.squares / R(4.0));
    CHECK(near(x.error[1], r.slope_error * factor, FINE));
    CHECK(near(x.quantile, R(1.959963984540054235524594), R(1e-15)));
    CHECK(near(x.squares, r.squares * R(16.0), FINE));
    CHECK(near(x.sd[0], R(0.25), FINE));
    /* Along an eigenvector the deviation is that of the covariance. */
    real sum = R(0.0);
    for (uint32_t k = 0; k < 2; k++)
        sum += cosy_square(x.direction[k * 2 + 1]) / x.eigenvalue[k];
    CHECK(near(cosy_sqrt(sum) * cosy_abs(x.p[1]), x.error[1], FINE));
    end(&x, &a);
}

/* A weight of four counts like four data. */
static void test_weights(void)
{
    static const real start[] = {R(0.0), R(0.0)};
    Arena a = {0}, b = {0};
    Model t, u;
    fill_line(&t);
    fill_line(&u);
    real sigma[6] = {R(1.0), R(1.0), R(0.5), R(1.0), R(1.0), R(1.0)};
    for (uint32_t k = 6; k < 9; k++) {
        u.x[k] = u.x[2];
        u.y[k] = u.y[2];
    }
    u.m = 9;
    LeastProblem q = problem_of(&t, start), r = problem_of(&u, start);
    q.groups = r.groups = 0;
    q.sigma = sigma;
    LeastAnswer x = find(&q, &a), y = find(&r, &b);
    CHECK(near(x.p[0], y.p[0], FINE) && near(x.p[1], y.p[1], FINE));
    CHECK(near(x.error[0], y.error[0], FINE));
    CHECK(near(x.squares, y.squares, FINE));
    end(&x, &a);
    end(&y, &b);
}

/* Quantiles by the finite series for even degrees, and tan (0.475 pi) for one. */
static void test_quantiles(void)
{
    static const struct {
        uint32_t m;
        real t;
    } known[] = {{3, R(12.7062047361747)},
                 {4, R(4.30265272974946385232)},
                 {12, R(2.22813885198627474840)},
                 {62, R(2.00029782201426050450)}};
    static const real start[] = {R(0.0), R(0.0)};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        Arena a = {0};
        Model t = {.f = line, .n = 2, .m = known[k].m};
        for (uint32_t i = 0; i < t.m; i++) {
            t.x[i] = (real)i;
            t.y[i] = (real)(i % 3);
        }
        LeastProblem q = problem_of(&t, start);
        LeastAnswer x = find(&q, &a);
        CHECK(near(x.quantile, known[k].t, R(1e-13)));
        end(&x, &a);
    }
}

/* ---- Profiles ---------------------------------------------------------------------------- */

static void test_linear_profile(bool known)
{
    static const real start[] = {R(0.0), R(0.0)};
    Arena a = {0};
    Model t;
    LeastProfile f;
    const LeastProfilePlan plan = {0};
    fill_line(&t);
    real sigma[6];
    for (int k = 0; k < 6; k++)
        sigma[k] = R(0.25);
    LeastProblem q = problem_of(&t, start);
    q.trial.many_slopes = model_many_slopes;
    q.groups = known ? 0 : 1;
    q.sigma = known ? sigma : NULL;
    LeastAnswer x = find(&q, &a);
    CHECK(least_profile(&q, &x, &plan, &a, &f) == STATUS_OK);
    CHECK(f.count == 2 && !f.better && f.words[0] == '\0');
    CHECK(t.largest == 4); // both sides of both parameters
    for (uint32_t k = 0; k < 2; k++) {
        LeastCurve *c = &f.curve[k];
        CHECK(c->side[0] == LEAST_SIDE_CROSSED &&
              c->side[1] == LEAST_SIDE_CROSSED);
        CHECK(near(c->low, x.low[k], R(1e-8)));
        CHECK(near(c->high, x.high[k], R(1e-8)));
        CHECK(c->points >= 7);
        for (size_t i = 1; i < c->points; i++)
            CHECK(c->at[i] > c->at[i - 1]);
        for (size_t i = 0; known && i < c->points; i++)
            CHECK(near(c->rise[i],
                       cosy_square((c->at[i] - x.p[k]) / x.error[k]) / R(2.0),
                       R(1e-8)));
    }
    if (known)
        CHECK(near(f.curve[0].threshold, R(1.920729410347062), R(1e-13)));
    search_forget(&f.history);
    end(&x, &a);
}

/* Rises to a plateau that the data do not reach: P (1 - exp (-Q x)). */
static real rising(real x, const real *p, real *g)
{
    real e = cosy_exp(-p[1] * x);
    g[0] = R(1.0) - e;
    g[1] = p[0] * x * e;
    return p[0] * g[0];
}

static void test_open_profile(void)
{
    static const real start[] = {R(5.0), R(0.1)}, low[] = {R(0.0), R(0.0)};
    static const bool logarithmic[] = {true, true};
    Arena a = {0};
    Model t = {.f = rising, .n = 2, .m = 8};
    LeastProfile f;
    const LeastProfilePlan plan = {0};
    for (uint32_t k = 0; k < t.m; k++) {
        real p[] = {R(10.0), R(0.05)}, g[2];
        t.x[k] = R(0.5) * (real)k;
        t.y[k] = rising(t.x[k], p, g) +
                 (k % 2 == 0 ? R(0.05) : -R(0.05)) * (real)(k % 3);
    }
    LeastProblem q = problem_of(&t, start);
    q.low = low;
    q.logarithmic = logarithmic;
    LeastAnswer x = find(&q, &a);
    CHECK(least_profile(&q, &x, &plan, &a, &f) == STATUS_OK);
    CHECK(f.curve[0].side[0] == LEAST_SIDE_CROSSED);
    CHECK(f.curve[0].side[1] == LEAST_SIDE_OPEN);
    CHECK(f.curve[0].high == COSY_INFINITY);
    CHECK(f.curve[1].side[0] == LEAST_SIDE_OPEN);
    CHECK(f.curve[1].low == R(0.0));
    CHECK(f.curve[1].side[1] == LEAST_SIDE_CROSSED);
    CHECK(f.curve[0].low > R(0.5) && f.curve[0].low < x.p[0]);
    CHECK(text_holds(f.words, "Above P: no value is ruled out"));
    /* With an upper bound it is the bound that ends the interval. */
    static const real high[] = {R(1e3), R(10.0)};
    search_forget(&f.history);
    search_forget(&x.history);
    q.high = high;
    x = find(&q, &a);
    CHECK(least_profile(&q, &x, &plan, &a, &f) == STATUS_OK);
    CHECK(f.curve[0].side[1] == LEAST_SIDE_BOUND &&
          f.curve[0].high == R(1e3));
    search_forget(&f.history);
    end(&x, &a);
}

int main(void)
{
    test_line();
    test_known();
    test_weights();
    test_quantiles();
    test_linear_profile(false);
    test_linear_profile(true);
    test_open_profile();
    return check_end();
}
