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
    real (*noise)(const real *p,
                  real *g); // ln of the deviation, if it is fitted
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
    CHECK(t.calls <= 8);
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
    CHECK(f.curve[0].side[1] == LEAST_SIDE_BOUND && f.curve[0].high == R(1e3));
    search_forget(&f.history);
    end(&x, &a);
}

/* One parameter: the interval ends where halving finds the threshold. */
static real decay(real x, const real *p, real *g)
{
    real f = cosy_exp(-p[0] * x);
    g[0] = -x * f;
    return f;
}

static real decay_rise(const Model *t, real p, real best)
{
    real sum = R(0.0), least = R(0.0), g;
    for (uint32_t k = 0; k < t->m; k++) {
        sum += cosy_square(t->y[k] - decay(t->x[k], &p, &g));
        least += cosy_square(t->y[k] - decay(t->x[k], &best, &g));
    }
    return (sum - least) / R(2.0) / cosy_square(R(0.2));
}

static void test_curved_profile(void)
{
    static const real start[] = {R(2.0)};
    static const real y[] = {R(1.1), R(0.7), R(0.2), R(0.25)};
    real sigma[4] = {R(0.2), R(0.2), R(0.2), R(0.2)};
    Arena a = {0};
    Model t = {.f = decay, .n = 1, .m = 4};
    LeastProfile f;
    const uint32_t which[] = {0};
    const LeastProfilePlan plan = {.which = which, .count = 1};
    for (uint32_t k = 0; k < t.m; k++) {
        t.x[k] = (real)k;
        t.y[k] = y[k];
    }
    LeastProblem q = problem_of(&t, start);
    q.groups = 0;
    q.sigma = sigma;
    LeastAnswer x = find(&q, &a);
    CHECK(least_profile(&q, &x, &plan, &a, &f) == STATUS_OK);
    for (int side = 0; side < 2; side++) {
        real in = x.p[0], out = side == 0 ? R(0.0) : R(20.0);
        for (int k = 0; k < 100; k++) {
            real middle = (in + out) / R(2.0);
            bool below = decay_rise(&t, middle, x.p[0]) < f.curve[0].threshold;
            in = below ? middle : in;
            out = below ? out : middle;
        }
        CHECK(f.curve[0].side[side] == LEAST_SIDE_CROSSED);
        CHECK(near(side == 0 ? f.curve[0].low : f.curve[0].high, in, R(1e-5)));
    }
    /* It is not symmetric, as that of the linear theory is. */
    CHECK(f.curve[0].high - x.p[0] > R(1.1) * (x.p[0] - f.curve[0].low));
    search_forget(&f.history);
    end(&x, &a);
}

/* Trials that stop: what is known of the sides is told. */
static void test_stopped_profile(void)
{
    static const real start[] = {R(0.0), R(0.0)};
    Arena a = {0};
    Model t;
    LeastProfile f;
    const LeastProfilePlan plan = {0};
    fill_line(&t);
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    t.stop_at = t.calls + 6;
    CHECK(least_profile(&q, &x, &plan, &a, &f) == STATUS_OK);
    CHECK(f.curve[1].side[0] == LEAST_SIDE_STOPPED && f.trials == 5);
    CHECK(text_holds(f.words, "the search was stopped"));
    search_forget(&f.history);
    t.stop_at = 0;
    const LeastProfilePlan small = {.most = 2};
    CHECK(least_profile(&q, &x, &small, &a, &f) == STATUS_OK);
    CHECK(f.curve[0].side[1] == LEAST_SIDE_MOST);
    search_forget(&f.history);
    end(&x, &a);
}

/* ---- Functions of Moré, Garbow and Hillstrom, by differences --------------------------- */

static void rosenbrock(const real *p, real *out)
{
    out[0] = R(10.0) * (p[1] - p[0] * p[0]);
    out[1] = R(1.0) - p[0];
}

static void freudenstein_roth(const real *p, real *out)
{
    real x = p[0], y = p[1];
    out[0] = -R(13.0) + x + ((R(5.0) - y) * y - R(2.0)) * y;
    out[1] = -R(29.0) + x + ((y + R(1.0)) * y - R(14.0)) * y;
}

static void powell_singular(const real *p, real *out)
{
    out[0] = p[0] + R(10.0) * p[1];
    out[1] = cosy_sqrt(R(5.0)) * (p[2] - p[3]);
    out[2] = cosy_square(p[1] - R(2.0) * p[2]);
    out[3] = cosy_sqrt(R(10.0)) * cosy_square(p[0] - p[3]);
}

static void wood(const real *p, real *out)
{
    out[0] = R(10.0) * (p[1] - p[0] * p[0]);
    out[1] = R(1.0) - p[0];
    out[2] = cosy_sqrt(R(90.0)) * (p[3] - p[2] * p[2]);
    out[3] = R(1.0) - p[2];
    out[4] = cosy_sqrt(R(10.0)) * (p[1] + p[3] - R(2.0));
    out[5] = (p[1] - p[3]) / cosy_sqrt(R(10.0));
}

static void box(const real *p, real *out)
{
    for (int i = 0; i < 10; i++) {
        real t = (real)(i + 1) / R(10.0);
        out[i] = cosy_exp(-t * p[0]) - cosy_exp(-t * p[1]) -
                 p[2] * (cosy_exp(-t) - cosy_exp(-R(10.0) * t));
    }
}

static void helix(const real *p, real *out)
{
    const real turn = R(6.28318530717958647692528676655900576839434);
    real angle =
        cosy_atan(p[1] / p[0]) / turn + (p[0] < R(0.0) ? R(0.5) : R(0.0));
    out[0] = R(10.0) * (p[2] - R(10.0) * angle);
    out[1] = R(10.0) * (cosy_hypot(p[0], p[1]) - R(1.0));
    out[2] = p[2];
}

static void kowalik_osborne(const real *p, real *out)
{
    static const real y[] = {R(0.1957), R(0.1947), R(0.1735), R(0.1600),
                             R(0.0844), R(0.0627), R(0.0456), R(0.0342),
                             R(0.0323), R(0.0235), R(0.0246)};
    static const real u[] = {R(4.0),    R(2.0),    R(1.0),   R(0.5),
                             R(0.25),   R(0.167),  R(0.125), R(0.1),
                             R(0.0833), R(0.0714), R(0.0625)};
    for (int i = 0; i < 11; i++)
        out[i] =
            y[i] - p[0] * u[i] * (u[i] + p[1]) / (u[i] * (u[i] + p[2]) + p[3]);
}

static const real zeros[MOST_DATA];

static LeastProblem problem_by_differences(Problem *q)
{
    LeastProblem r = {.trial = {q, problem_one, problem_many, NULL, NULL},
                      .n = q->n,
                      .m = q->results,
                      .name = names,
                      .start = q->start,
                      .low = q->low,
                      .high = q->high,
                      .y = zeros};
    return r;
}

/* Published starts and optima; `most` is for DOUBLE. */
static void test_more(void)
{
    static const struct {
        void (*f)(const real *p, real *out);
        uint32_t n, m;
        real start[4], best[4], squares, tolerance;
        size_t most;
    } cases[] = {
        {rosenbrock,
         2,
         2,
         {-R(1.2), R(1.0)},
         {R(1.0), R(1.0)},
         R(0.0),
         R(1e-9),
         80},
        {freudenstein_roth,
         2,
         2,
         {R(0.5), -R(2.0)},
         {R(11.412779), -R(0.896805)},
         R(48.984254),
         R(1e-6),
         200},
        {powell_singular,
         4,
         4,
         {R(3.0), -R(1.0), R(0.0), R(1.0)},
         {R(0.0), R(0.0), R(0.0), R(0.0)},
         R(0.0),
         R(1e-3),
         200},
        {wood,
         4,
         6,
         {-R(3.0), -R(1.0), -R(3.0), -R(1.0)},
         {R(1.0), R(1.0), R(1.0), R(1.0)},
         R(0.0),
         R(1e-9),
         400},
        {box,
         3,
         10,
         {R(0.0), R(10.0), R(20.0)},
         {R(1.0), R(10.0), R(1.0)},
         R(0.0),
         R(1e-8),
         60},
        {helix,
         3,
         3,
         {-R(1.0), R(0.0), R(0.0)},
         {R(1.0), R(0.0), R(0.0)},
         R(0.0),
         R(1e-9),
         90},
        {kowalik_osborne,
         4,
         11,
         {R(0.25), R(0.39), R(0.415), R(0.39)},
         {R(0.1928069), R(0.1912823), R(0.1230565), R(0.1360623)},
         R(3.075056e-4),
         R(1e-6),
         180},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Arena a = {0};
        Problem p = {.n = cases[k].n,
                     .results = cases[k].m,
                     .f = cases[k].f,
                     .start = cases[k].start};
        LeastProblem q = problem_by_differences(&p);
        LeastAnswer x = find(&q, &a);
        CHECK(x.end == LEAST_FOUND || x.end == LEAST_FLAT);
        for (uint32_t i = 0; i < p.n; i++)
            CHECK(cosy_abs(x.p[i] - cases[k].best[i]) <=
                  cases[k].tolerance *
                      cosy_max(R(1.0), cosy_abs(cases[k].best[i])));
        CHECK(cosy_abs(x.squares - cases[k].squares) <=
              R(1e-6) * cases[k].squares + R(1e-12));
        CHECK(COSY_PRECISION > 1 || p.calls <= cases[k].most);
        CHECK(p.largest >= p.n);
        end(&x, &a);
    }
}

/* ---- Bounds ------------------------------------------------------------------------------- */

/* Held at its bound, the slope takes no part in errors: the rest is a mean. */
static void test_bound(void)
{
    static const real start[] = {R(7.0), R(0.0)}, high[] = {R(100.0), R(0.5)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    real mean = R(0.0), squares = R(0.0);
    for (uint32_t k = 0; k < t.m; k++)
        mean += (t.y[k] - R(0.5) * t.x[k]) / R(6.0);
    for (uint32_t k = 0; k < t.m; k++)
        squares += cosy_square(t.y[k] - R(0.5) * t.x[k] - mean);
    LeastProblem q = problem_of(&t, start);
    q.high = high;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_AT_BOUND && x.at[1] == 1 && x.at[0] == 0);
    CHECK(x.p[1] == R(0.5) && near(x.p[0], mean, FINE));
    CHECK(x.freedom == R(5.0) && x.error[1] != x.error[1]);
    CHECK(near(x.error[0], cosy_sqrt(squares / R(30.0)), FINE));
    CHECK(text_holds(x.words, "Q is at its upper bound"));
    end(&x, &a);
}

/* From both bounds at once to the inside. */
static void test_leave_bounds(void)
{
    static const real start[] = {R(0.0), R(5.0)}, low[] = {R(0.0), R(0.0)},
                      high[] = {R(10.0), R(5.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    Line r = line_of(&t);
    LeastProblem q = problem_of(&t, start);
    q.low = low;
    q.high = high;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND);
    CHECK(near(x.p[0], r.at0, FINE) && near(x.p[1], r.slope, FINE));
    end(&x, &a);
}

/* The banana with its end cut off: best at (1/2, 1/4). */
static void test_banana(void)
{
    static const real start[] = {-R(1.2), R(1.0)}, low[] = {-R(2.0), -R(2.0)},
                      high[] = {R(0.5), R(2.0)};
    Arena a = {0};
    Problem p = {.n = 2,
                 .results = 2,
                 .f = rosenbrock,
                 .start = start,
                 .low = low,
                 .high = high};
    LeastProblem q = problem_by_differences(&p);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_AT_BOUND);
    CHECK(x.p[0] == R(0.5) && near(x.p[1], R(0.25), R(1e-9)));
    for (size_t k = 0; k < x.history.count; k++) {
        SearchPoint s = search_point(&x.history, k);
        CHECK(s.p[0] <= R(0.5) && s.p[0] >= -R(2.0) && s.p[1] <= R(2.0));
    }
    end(&x, &a);
}

/* ---- Deviations that are fitted ----------------------------------------------------------- */

static real constant(real x, const real *p, real *g)
{
    (void)x;
    g[0] = R(1.0);
    g[1] = R(0.0);
    return p[0];
}

static real level(real x, const real *p, real *g)
{
    (void)x;
    g[0] = R(1.0);
    return p[0];
}

static real deviation(const real *p, real *g)
{
    g[0] = R(0.0);
    g[1] = R(1.0);
    return p[1];
}

/* The mean, and the logarithm of the deviation about it. */
static void test_noisy(void)
{
    static const real start[] = {R(0.0), R(1.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.f = constant;
    t.noise = deviation;
    real mean = R(0.0), square = R(0.0);
    for (uint32_t k = 0; k < t.m; k++)
        mean += t.y[k] / R(6.0);
    for (uint32_t k = 0; k < t.m; k++)
        square += cosy_square(t.y[k] - mean) / R(6.0);
    LeastProblem q = problem_of(&t, start);
    q.groups = 0;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND);
    CHECK(near(x.p[0], mean, FINE));
    CHECK(near(x.p[1], cosy_log(square) / R(2.0), FINE));
    CHECK(near(x.error[0], cosy_sqrt(square / R(6.0)), FINE));
    CHECK(near(x.error[1], cosy_sqrt(R(1.0) / R(12.0)), FINE));
    CHECK(near(x.sd[2], cosy_sqrt(square), FINE));
    end(&x, &a);
}

/* One mean, measured by two instruments of unknown and different quality: each
   instrument weighs by its own mean square. */
static void test_groups(void)
{
    static const real start[] = {R(0.0)};
    static const uint32_t group[] = {0, 1, 0, 1, 0, 1, 0, 1};
    static const real y[] = {R(4.9), R(3.0), R(5.1), R(7.5),
                             R(5.2), R(4.0), R(4.9), R(6.5)};
    Arena a = {0};
    Model t = {.f = level, .n = 1, .m = 8};
    memcpy(t.y, y, sizeof y);
    LeastProblem q = problem_of(&t, start);
    q.trial.slopes = NULL;
    q.groups = 2;
    q.group = group;
    LeastAnswer x = find(&q, &a);
    real weights = R(0.0), sum = R(0.0), square[2] = {R(0.0), R(0.0)};
    for (uint32_t k = 0; k < 8; k++)
        square[group[k]] += cosy_square(y[k] - x.p[0]) / R(4.0);
    for (uint32_t k = 0; k < 8; k++) {
        weights += R(1.0) / square[group[k]];
        sum += y[k] / square[group[k]];
    }
    CHECK(x.end == LEAST_FOUND);
    CHECK(near(x.p[0], sum / weights, R(1e-10)));
    for (int g = 0; g < 2; g++)
        CHECK(
            near(x.level[g], cosy_sqrt(square[g] * R(8.0) / R(7.0)), R(1e-9)));
    CHECK(near(x.error[0], cosy_sqrt(R(8.0) / R(7.0) / weights), R(1e-8)));
    end(&x, &a);
}

/* ---- Priors ------------------------------------------------------------------------------- */

/* A prior counts like one more datum. */
static void test_prior(void)
{
    static const real start[] = {R(1.0)};
    static const LeastPrior prior[] = {{R(3.0), R(0.5), false}};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.f = level;
    t.n = 1;
    LeastProblem q = problem_of(&t, start);
    q.groups = 0; // sigma = 1
    q.prior = prior;
    LeastAnswer x = find(&q, &a);
    real sum = R(0.0);
    for (uint32_t k = 0; k < t.m; k++)
        sum += t.y[k];
    CHECK(near(x.p[0], (sum + R(4.0) * R(3.0)) / R(10.0), FINE));
    CHECK(near(x.error[0], cosy_sqrt(R(0.1)), FINE));
    CHECK(near(x.value - x.nll,
               cosy_log(R(0.5)) + R(0.918938533204672741780329736405617639861) +
                   R(2.0) * cosy_square(x.p[0] - R(3.0)),
               FINE));
    end(&x, &a);
}

/* On the logarithm, for a parameter that is varied by itself or by its logarithm: the
   same optimum, where both slopes cancel. */
static void test_log_prior(void)
{
    static const real start[] = {R(1.0)}, low[] = {R(0.0)};
    static const LeastPrior prior[] = {{R(2.0), R(0.1), true}};
    static const bool yes[] = {true};
    for (int way = 0; way < 2; way++) {
        Arena a = {0};
        Model t;
        fill_line(&t);
        t.f = level;
        t.n = 1;
        LeastProblem q = problem_of(&t, start);
        q.groups = 0;
        q.low = low;
        q.prior = prior;
        q.logarithmic = way == 0 ? NULL : yes;
        LeastAnswer x = find(&q, &a);
        real slope = R(100.0) * (cosy_log(x.p[0]) - R(2.0)) / x.p[0];
        for (uint32_t k = 0; k < t.m; k++)
            slope -= t.y[k] - x.p[0];
        CHECK(cosy_abs(slope) < R(1e-8));
        CHECK(x.p[0] > R(3.52) && x.p[0] < R(7.389));
        end(&x, &a);
    }
}

/* ---- What the data leave open --------------------------------------------------------------- */

static real product(real x, const real *p, real *g)
{
    g[0] = p[1] * x;
    g[1] = p[0] * x;
    return p[0] * p[1] * x;
}

static void test_product(bool slopes)
{
    static const real start[] = {R(2.0), R(3.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.f = product;
    LeastProblem q = problem_of(&t, start);
    if (!slopes)
        q.trial.slopes = NULL;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FLAT && x.open == 1);
    CHECK(!x.determined[0] && !x.determined[1] && !x.idle[0]);
    CHECK(x.error[0] != x.error[0]);
    CHECK(near(x.p[0] * x.p[1], R(69.8) / R(55.0), R(1e-7)));
    CHECK(text_holds(x.verdict, "The predictions stay the same when"));
    CHECK(text_holds(x.verdict, "grows by 1 % while"));
    CHECK(text_holds(x.verdict, "shrinks by 1 %"));
    end(&x, &a);
}

static void test_idle(bool slopes)
{
    static const real start[] = {R(2.0), R(3.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.f = constant;
    LeastProblem q = problem_of(&t, start);
    if (!slopes)
        q.trial.slopes = NULL;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FLAT && x.idle[1] && !x.idle[0]);
    CHECK(x.determined[0] && !x.determined[1] && x.p[1] == R(3.0));
    CHECK(cosy_finite(x.error[0]) && !cosy_finite(x.error[1]));
    CHECK(text_holds(x.verdict, "Q has no effect on the predictions"));
    end(&x, &a);
}

/* One datum for two parameters. */
static void test_few(void)
{
    static const real start[] = {R(0.0), R(0.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.m = 1;
    t.x[0] = R(2.0);
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FLAT && x.open == 1 && x.freedom == R(0.0));
    CHECK(near(x.prediction[0], R(1.1), R(1e-12)));
    CHECK(text_holds(x.verdict, "fewer data (1) than parameters (2)"));
    end(&x, &a);
}

/* The plateau is there from the first datum on: the faster, the better. */
static void test_endless(void)
{
    static const real start[] = {R(5.0), R(0.3)};
    Arena a = {0};
    Model t = {.f = rising, .n = 2, .m = 8};
    for (uint32_t k = 0; k < t.m; k++) {
        t.x[k] = (real)(k + 1);
        t.y[k] = R(10.0) + (k % 2 == 0 ? R(0.1) : -R(0.1));
    }
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FLAT && !x.determined[1] && x.determined[0]);
    CHECK(near(x.p[0], R(10.0), R(1e-3)) && x.p[1] > R(3.0));
    CHECK(text_holds(x.verdict, x.idle[1] ? "Q has no effect"
                                          : "The data do not determine Q"));
    end(&x, &a);
}

/* P x / (Q + x) */
static real saturating(real x, const real *p, real *g)
{
    g[0] = x / (p[1] + x);
    g[1] = -p[0] * x / cosy_square(p[1] + x);
    return p[0] * g[0];
}

/* For data that bend the other way both grow without end. */
static void test_ridge(void)
{
    static const real start[] = {R(5.0), R(3.0)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.f = saturating;
    for (uint32_t k = 0; k < t.m; k++)
        t.y[k] = R(2.0) * t.x[k] + R(0.05) * t.x[k] * t.x[k];
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_ENDLESS && x.trials < 250);
    CHECK(text_holds(x.remark, "P has gone as far as"));
    CHECK(text_holds(x.verdict, "P grows by 1 % while Q grows by 1 %"));
    CHECK(near(x.p[0] / x.p[1], R(2.2), R(0.05)));
    end(&x, &a);
}

/* Nothing is left over: no deviation can be told. */
static void test_exact(void)
{
    static const real start[] = {R(5.0), R(1.0)};
    Arena a = {0};
    Model t = {.f = rising, .n = 2, .m = 8};
    for (uint32_t k = 0; k < t.m; k++) {
        real p[] = {R(10.0), R(0.25)}, g[2];
        t.x[k] = (real)k;
        t.y[k] = rising(t.x[k], p, g);
    }
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND);
    CHECK(near(x.p[0], R(10.0), FINE) && near(x.p[1], R(0.25), FINE));
    CHECK(x.floored[0] && text_holds(x.words, "zero but for rounding"));
    end(&x, &a);
}

/* ---- Trials that fail --------------------------------------------------------------------------- */

static bool beyond_one(const real *p)
{
    return p[1] > R(1.0);
}

static bool always(const real *p)
{
    (void)p;
    return true;
}

static void test_walls(void)
{
    static const real start[] = {R(0.1), R(0.95)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.fails = beyond_one;
    for (uint32_t k = 0; k < t.m; k++)
        t.y[k] = R(2.0) + R(0.98) * t.x[k];
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND && near(x.p[1], R(0.98), R(1e-12)));
    end(&x, &a);
    t.fails = always;
    a = (Arena){0};
    x = find(&q, &a);
    CHECK(x.end == LEAST_FAILED && !x.found && x.failures == 1);
    CHECK(text_holds(x.words, "The trial at the start fails"));
    CHECK(x.p[1] == R(0.95) && x.value != x.value);
    end(&x, &a);
}

/* The best point lies where trials fail. */
static void test_stuck(void)
{
    static const real start[] = {R(0.1), R(0.5)};
    Arena a = {0};
    Model t;
    fill_line(&t);
    t.fails = beyond_one;
    for (uint32_t k = 0; k < t.m; k++)
        t.y[k] = R(3.0) * t.x[k];
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FAILED && x.found);
    CHECK(text_holds(x.words, "stuck where trials fail"));
    CHECK(x.p[1] > R(0.9));
    end(&x, &a);
}

static real shifted(real x, const real *p, real *g)
{
    g[0] = x;
    g[1] = R(1.0) / p[1];
    return p[0] * x + cosy_log(p[1]); // NaN below zero
}

static void test_not_finite(void)
{
    static const real start[] = {R(0.1), R(9.0)};
    Arena a = {0};
    Model t = {.f = shifted, .n = 2, .m = 6};
    for (uint32_t k = 0; k < t.m; k++) {
        real p[] = {R(5.0), R(0.01)}, g[2];
        t.x[k] = (real)k;
        t.y[k] = shifted(t.x[k], p, g);
    }
    LeastProblem q = problem_of(&t, start);
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_FOUND && near(x.p[0], R(5.0), R(1e-9)));
    CHECK(near(x.p[1], R(0.01), R(1e-9)));
    CHECK(x.infinite > 0);
    end(&x, &a);
}

/* Predictions with six digits. */
static real rough(real x, const real *p, real *g)
{
    real f = rising(x, p, g);
    return f * (R(1.0) + R(1e-6) * cosy_sin(R(1e12) * (f + x)));
}

static void test_rough(void)
{
    static const real start[] = {R(5.0), R(0.5)};
    Arena a = {0};
    Model t = {.f = rough, .n = 2, .m = 12};
    for (uint32_t k = 0; k < t.m; k++) {
        real p[] = {R(10.0), R(0.25)}, g[2];
        t.x[k] = (real)k;
        t.y[k] = rising(t.x[k], p, g) + (k % 2 == 0 ? R(0.1) : -R(0.1));
    }
    LeastProblem q = problem_of(&t, start);
    q.trial.slopes = NULL;
    LeastAnswer x = find(&q, &a);
    t.f = rising;
    LeastProblem r = problem_of(&t, start);
    Arena b = {0};
    LeastAnswer y = find(&r, &b);
    CHECK(x.end == LEAST_FOUND || x.end == LEAST_STUCK);
    CHECK(x.noise > R(1e-7) && x.noise < R(1e-5));
    CHECK(text_holds(x.words, "have noise of about"));
    for (int i = 0; i < 2; i++)
        CHECK(cosy_abs(x.p[i] - y.p[i]) < R(0.01) * y.error[i]);
    CHECK(x.trials < 150);
    end(&x, &a);
    end(&y, &b);
}

/* ---- Several starts ------------------------------------------------------------------------------ */

/* A frequency has many local optima. */
static real wave(real x, const real *p, real *g)
{
    g[0] = cosy_sin(p[1] * x);
    g[1] = p[0] * x * cosy_cos(p[1] * x);
    return p[0] * g[0];
}

static void fill_wave(Model *t)
{
    *t = (Model){.f = wave, .n = 2, .m = 40};
    for (uint32_t k = 0; k < t->m; k++) {
        real p[] = {R(2.0), R(3.0)}, g[2];
        t->x[k] = R(0.1) * (real)k;
        t->y[k] = wave(t->x[k], p, g) + R(0.1) * (real)((k * 7) % 5) - R(0.2);
    }
}

static void test_starts(void)
{
    static const real low[] = {R(0.1), R(0.1)}, high[] = {R(10.0), R(10.0)};
    Arena a = {0}, b = {0};
    Model t, u;
    fill_wave(&t);
    fill_wave(&u);
    LeastProblem q = problem_of(&t, NULL), r = problem_of(&u, NULL);
    q.trial.many_slopes = model_many_slopes;
    q.trial.many = model_many;
    q.low = r.low = low;
    q.high = r.high = high;
    q.starts = r.starts = 40;
    q.spread = r.spread = POINTS_LATIN;
    q.seed = r.seed = 7;
    LeastAnswer x = find(&q, &a), y = find(&r, &b);
    CHECK(x.end == LEAST_FOUND && cosy_abs(x.p[1] - R(3.0)) < R(0.1));
    CHECK(x.optima > 1 && x.starts == 40);
    uint32_t times = 0, none = 0;
    for (uint32_t k = 0; k < x.optima; k++) {
        times += x.optimum[k].times;
        CHECK(k == 0 || x.optimum[k].value >= x.optimum[k - 1].value);
    }
    for (uint32_t k = 0; k < x.starts; k++) {
        none += x.start[k].optimum == UINT32_MAX;
        CHECK(x.start[k].from[1] > R(0.1) && x.start[k].from[1] < R(10.0));
        CHECK(x.start[k].value >= x.value);
    }
    CHECK(times + none == 40 && x.optimum[0].times > 3);
    CHECK(text_holds(x.words, "of 40 starts led to the best fit"));
    /* Together or one by one, the bits are the same. */
    CHECK(t.batches > 0 && u.batches == 0 && t.largest >= 30);
    CHECK(x.trials == y.trials && x.value == y.value);
    CHECK(memcmp(x.history.number.bytes, y.history.number.bytes,
                 x.trials * 2 * sizeof(real)) == 0);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(x.p[i] == y.p[i] && x.error[i] == y.error[i]);
    end(&x, &a);
    end(&y, &b);
}

/* ---- Ends ------------------------------------------------------------------------------------------ */

static void test_most(void)
{
    static const real start[] = {R(5.0), R(0.1)};
    Arena a = {0};
    Model t;
    fill_wave(&t);
    LeastProblem q = problem_of(&t, start);
    q.most = 3;
    LeastAnswer x = find(&q, &a);
    CHECK(x.end == LEAST_MOST && x.found && x.trials == 3);
    CHECK(text_holds(x.words, "MAX allows more"));
    end(&x, &a);
    a = (Arena){0};
    q.most = 0;
    t.calls = 0;
    t.stop_at = 6;
    x = find(&q, &a);
    CHECK(x.end == LEAST_STOPPED && x.found && x.trials == 5);
    end(&x, &a);
}

static void test_faults(void)
{
    static const real start[] = {R(5.0), -R(0.1)}, y[] = {R(1.0), COSY_NAN},
                      low[] = {R(0.0), -R(1.0)}, sigma[] = {R(1.0), R(0.0)};
    static const bool logarithmic[] = {false, true};
    static const uint32_t group[] = {0, 3};
    char text[LEAST_WORDS];
    LeastProblem q = {
        .n = 2, .m = 2, .name = names, .start = start, .y = zeros};
    CHECK(least_fault(&q, text) == NULL);
    LeastProblem r = q;
    r.y = y;
    CHECK_TEXT(least_fault(&r, text), "datum 2 is not a finite number");
    r = q;
    r.sigma = sigma;
    CHECK_TEXT(least_fault(&r, text), "datum 2 needs a standard deviation that "
                                      "is positive and finite");
    r = q;
    r.group = group;
    r.groups = 2;
    CHECK_TEXT(least_fault(&r, text),
               "datum 2 belongs to a group that does not exist");
    r = q;
    r.logarithmic = logarithmic;
    CHECK(text_holds(least_fault(&r, text), "the logarithm of Q"));
    r = q;
    r.starts = 5;
    r.low = low;
    CHECK(text_holds(least_fault(&r, text), "both bounds of every parameter"));
    r = q;
    r.m = 0;
    CHECK_TEXT(least_fault(&r, text), "there are no data to fit to");
    r = q;
    r.start = NULL;
    CHECK(least_fault(&r, text) != NULL);
    r = q;
    r.tolerance = R(2.0);
    CHECK(least_fault(&r, text) != NULL);
}

static void test_memory(void)
{
    static const real low[] = {R(0.1), R(0.1)}, high[] = {R(10.0), R(10.0)};
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena a = {0};
        Model t;
        LeastAnswer x;
        LeastProfile f = {0};
        const LeastProfilePlan plan = {0};
        fill_wave(&t);
        LeastProblem q = problem_of(&t, NULL);
        q.low = low;
        q.high = high;
        q.starts = 3;
        q.most = 40;
        scarce_begin_arenas(n);
        Status s = least_find(&q, &a, &x);
        if (s == STATUS_OK)
            s = least_profile(&q, &x, &plan, &a, &f);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        search_forget(&f.history);
        end(&x, &a);
    }
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
    test_curved_profile();
    test_stopped_profile();
    test_more();
    test_bound();
    test_leave_bounds();
    test_banana();
    test_noisy();
    test_groups();
    test_prior();
    test_log_prior();
    test_product(true);
    test_product(false);
    test_idle(true);
    test_idle(false);
    test_few();
    test_endless();
    test_ridge();
    test_exact();
    test_walls();
    test_stuck();
    test_not_finite();
    test_rough();
    test_starts();
    test_most();
    test_faults();
    test_memory();
    return check_end();
}
