/* Fits with known answers. */

#include "least.h"

#include "scarce.h"

/* ---- Straight lines: everything is known ---------------------------------------------- */

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

static void fill_rough(Model *t)
{
    *t = (Model){.f = rough, .n = 2, .m = 12};
    for (uint32_t k = 0; k < t->m; k++) {
        real p[] = {R(10.0), R(0.25)}, g[2];
        t->x[k] = (real)k;
        t->y[k] = rising(t->x[k], p, g) + (k % 2 == 0 ? R(0.1) : -R(0.1));
    }
}

static void test_rough(void)
{
    static const real start[] = {R(5.0), R(0.5)};
    Arena a = {0};
    Model t;
    fill_rough(&t);
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

/* The same with slopes, which are better than the values: whether the noise is told or
   not, the search does not go on for long. */
static void test_rough_slopes(void)
{
    static const real start[] = {R(5.0), R(0.5)};
    static const real noise[] = {R(0.0), R(1e-6)},
                      tolerance[] = {R(0.0), R(1e-4)};
    for (int k = 0; k < 4; k++) {
        Arena a = {0};
        Model t;
        fill_rough(&t);
        LeastProblem q = problem_of(&t, start);
        q.noise = noise[k / 2];
        q.tolerance = tolerance[k % 2];
        LeastAnswer x = find(&q, &a);
        CHECK(x.end == LEAST_FOUND && x.trials < 30);
        CHECK(near(x.p[0], R(10.0), R(0.1)));
        end(&x, &a);
    }
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
    test_more();
    test_bound();
    test_leave_bounds();
    test_banana();
    test_noisy();
    test_groups();
    test_prior();
    test_log_prior();
    test_walls();
    test_stuck();
    test_not_finite();
    test_rough();
    test_rough_slopes();
    test_most();
    test_faults();
    test_memory();
    return check_end();
}
