/* Best values: published problems with their optima, constraints, global searches,
   trials that fail, noise, and what is said. */

#include "search/optimise.h"

#include <stdlib.h>

#include "check.h"
#include "scarce.h"
#include "search.h"

#define PI R(3.141592653589793238462643383279502884197)
static const char *const names[] = {"A", "B", "C", "D", "E",
                                    "F", "G", "H", "I", "J"};

static BestProblem problem_of(Problem *q)
{
    q->results = 1 + q->inequalities + q->equalities;
    BestProblem r = {.trial = {q, problem_one, NULL, NULL},
                     .n = q->n,
                     .inequalities = q->inequalities,
                     .equalities = q->equalities,
                     .name = names,
                     .objective = "Y",
                     .start = q->start,
                     .low = q->low,
                     .high = q->high};
    return r;
}

static BestAnswer find(const BestProblem *r, Arena *a)
{
    BestAnswer answer;
    Fault f = {0};
    char text[BEST_WORDS];
    CHECK(best_fault(r, text) == NULL);
    CHECK(best_find(r, a, &answer, &f) == STATUS_OK);
    CHECK(answer.words[0] != '\0' && answer.trials == answer.history.count);
    return answer;
}

static void end(BestAnswer *answer, Arena *a)
{
    search_forget(&answer->history);
    arena_free(a);
}

static bool close_to(real found, real expected, real tolerance)
{
    real size = cosy_max(cosy_abs(expected), R(1.0));
    if (cosy_abs(found - expected) <= tolerance * size)
        return true;
    printf("found %.17g, expected %.17g\n", (double)found, (double)expected);
    return false;
}

static bool says(const BestAnswer *answer, const char *words)
{
    return text_holds(answer->words, words);
}

/* What a smooth problem's parameters are found to. */
static real fine(void)
{
    return R(300.0) * cosy_pow(COSY_EPSILON, R(0.72));
}

static void expect(const char *title, Problem *q, const BestProblem *r)
{
    Arena a = {0};
    BestAnswer answer = find(r, &a);
    bool well = answer.end == BEST_FOUND || answer.end == BEST_AT_BOUND;
    if (!well || answer.trials > q->most_trials)
        printf("%s: %s\n", title, answer.words);
    CHECK(well);
    CHECK(answer.trials <= q->most_trials);
    real away = R(0.0);
    for (uint32_t i = 0; i < q->n; i++)
        away = cosy_max(away, cosy_abs(answer.p[i] - q->best[i]));
    if (!(away <= fine()) || !answer.polished)
        printf("%s: off by %.3g, polished %d, %zu trials\n", title,
               (double)away, answer.polished, answer.trials);
    CHECK(away <= fine());
    CHECK(close_to(answer.value, q->value, fine()));
    CHECK(answer.violation <= R(1e-12));
    end(&answer, &a);
}

/* ---- Without constraints ---------------------------------------------------------------- */

static void rosenbrock(const real *p, real *out)
{
    out[0] =
        R(100.0) * cosy_square(p[1] - p[0] * p[0]) + cosy_square(R(1.0) - p[0]);
}

/* Three minima of the value 5 / (4 pi). */
static void branin(const real *p, real *out)
{
    real b = R(5.1) / (R(4.0) * PI * PI), c = R(5.0) / PI;
    real a = p[1] - b * p[0] * p[0] + c * p[0] - R(6.0);
    out[0] = a * a +
             R(10.0) * (R(1.0) - R(1.0) / (R(8.0) * PI)) * cosy_cos(p[0]) +
             R(10.0);
}

/* Minimum 3 at (0, -1); local ones at 30, 84 and 840. */
static void goldstein(const real *p, real *out)
{
    real x = p[0], y = p[1], s = x + y + R(1.0), d = R(2.0) * x - R(3.0) * y;
    out[0] = (R(1.0) + s * s *
                           (R(19.0) - R(14.0) * x + R(3.0) * x * x -
                            R(14.0) * y + R(6.0) * x * y + R(3.0) * y * y)) *
             (R(30.0) + d * d *
                            (R(18.0) - R(32.0) * x + R(12.0) * x * x +
                             R(48.0) * y - R(36.0) * x * y + R(27.0) * y * y));
}

static void test_rosenbrock(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .best = {R(1.0), R(1.0)},
                 .most_trials = 400};
    BestProblem r = problem_of(&q);
    expect("Rosenbrock", &q, &r);
    static const BestMethod methods[] = {BEST_SBPLX, BEST_NELDERMEAD,
                                         BEST_SLSQP, BEST_LBFGS};
    q.most_trials = 2500;
    r.most = 2500;
    for (size_t k = 0; k < LENGTH(methods); k++) {
        r.method = methods[k];
        expect(best_method_name(methods[k]), &q, &r);
    }
}

static void test_branin(void)
{
    Problem q = {.n = 2,
                 .f = branin,
                 .start = (const real[]){R(2.5), R(7.5)},
                 .low = (const real[]){R(-5.0), R(0.0)},
                 .high = (const real[]){R(10.0), R(15.0)},
                 .best = {PI, R(2.275)},
                 .value = R(1.25) / PI,
                 .most_trials = 150};
    BestProblem r = problem_of(&q);
    expect("Branin", &q, &r);
}

static const Problem goldstein_price = {.n = 2,
                                        .f = goldstein,
                                        .start = (const real[]){R(1.2), R(0.8)},
                                        .low = (const real[]){R(-2.0), R(-2.0)},
                                        .high = (const real[]){R(2.0), R(2.0)},
                                        .best = {R(0.0), R(-1.0)},
                                        .value = R(3.0),
                                        .most_trials = 6000};

static void test_goldstein(void)
{
    static const BestMethod methods[] = {BEST_MULTISTART, BEST_DIRECT, BEST_CRS,
                                         BEST_ISRES, BEST_MLSL};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        Problem q = goldstein_price;
        BestProblem r = problem_of(&q);
        r.global = true;
        r.method = methods[k];
        if (methods[k] == BEST_MULTISTART) {
            r.method = BEST_AUTO;
            q.most_trials = 1000;
        }
        expect(best_method_name(methods[k]), &q, &r);
    }
}

/* One parameter. */
static void wave(const real *p, real *out)
{
    out[0] = cosy_exp(-p[0]) * cosy_sin(R(3.0) * p[0]);
}

static void test_one(void)
{
    real top = cosy_atan(R(3.0)) / R(3.0);
    Problem q = {.n = 1,
                 .f = wave,
                 .start = (const real[]){R(0.0)},
                 .low = (const real[]){R(0.0)},
                 .high = (const real[]){R(3.0)},
                 .best = {top},
                 .value = cosy_exp(-top) * R(3.0) / cosy_sqrt(R(10.0)),
                 .most_trials = COSY_PRECISION == 3 ? 110 : 80};
    BestProblem r = problem_of(&q);
    r.start = NULL;
    r.maximise = true;
    expect("wave, bounds", &q, &r);
    r.start = q.start;
    r.low = r.high = NULL;
    expect("wave, start", &q, &r);
    r.low = q.low;
    expect("wave, one bound", &q, &r);
}

/* Parameters of very different sizes, one of them by its logarithm. */
static void sizes(const real *p, real *out)
{
    out[0] = cosy_square(cosy_log(p[0] / R(3e-7))) +
             cosy_square(p[1] / R(2e6) - R(1.0)) + R(2.0);
}

static void test_sizes(void)
{
    static const bool logarithm[] = {true, false};
    Problem q = {.n = 2, .f = sizes, .start = (const real[]){R(1e-3), R(1e6)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    r.logarithmic = logarithm;
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_FOUND && answer.polished);
    CHECK(cosy_abs(answer.p[0] / R(3e-7) - R(1.0)) < R(1e-8));
    CHECK(cosy_abs(answer.p[1] / R(2e6) - R(1.0)) < R(1e-8));
    CHECK(answer.error[0] < R(1e-8) && answer.trials < 150);
    end(&answer, &a);
}

/* ---- Constraints: numbers of Hock and Schittkowski, Test examples for nonlinear
   programming codes, 1981. Their inequalities g >= 0 stand here as -g <= 0. ------------- */

static void hs_6(const real *p, real *out)
{
    out[0] = cosy_square(R(1.0) - p[0]);
    out[1] = R(10.0) * (p[1] - p[0] * p[0]);
}

static void hs_12(const real *p, real *out)
{
    out[0] = p[0] * p[0] / R(2.0) + p[1] * p[1] - p[0] * p[1] - R(7.0) * p[0] -
             R(7.0) * p[1];
    out[1] = R(4.0) * p[0] * p[0] + p[1] * p[1] - R(25.0);
}

static void hs_24(const real *p, real *out)
{
    real root = cosy_sqrt(R(3.0));
    out[0] = (cosy_square(p[0] - R(3.0)) - R(9.0)) * p[1] * p[1] * p[1] /
             (R(27.0) * root);
    out[1] = -(p[0] / root - p[1]);
    out[2] = -(p[0] + root * p[1]);
    out[3] = -(R(6.0) - p[0] - root * p[1]);
}

static void hs_35(const real *p, real *out)
{
    real x = p[0], y = p[1], z = p[2];
    out[0] = R(9.0) - R(8.0) * x - R(6.0) * y - R(4.0) * z + R(2.0) * x * x +
             R(2.0) * y * y + z * z + R(2.0) * x * y + R(2.0) * x * z;
    out[1] = -(R(3.0) - x - y - R(2.0) * z);
}

static void hs_43(const real *p, real *out)
{
    real a = p[0], b = p[1], c = p[2], d = p[3];
    out[0] = a * a + b * b + R(2.0) * c * c + d * d - R(5.0) * a - R(5.0) * b -
             R(21.0) * c + R(7.0) * d;
    out[1] = a * a + b * b + c * c + d * d + a - b + c - d - R(8.0);
    out[2] = a * a + R(2.0) * b * b + c * c + R(2.0) * d * d - a - d - R(10.0);
    out[3] = R(2.0) * a * a + b * b + c * c + R(2.0) * a - b - d - R(5.0);
}

static void hs_48(const real *p, real *out)
{
    out[0] = cosy_square(p[0] - R(1.0)) + cosy_square(p[1] - p[2]) +
             cosy_square(p[3] - p[4]);
    out[1] = p[0] + p[1] + p[2] + p[3] + p[4] - R(5.0);
    out[2] = p[2] - R(2.0) * (p[3] + p[4]) + R(3.0);
}

static void test_constraints(void)
{
    Problem problems[] = {
        {.n = 2,
         .equalities = 1,
         .f = hs_6,
         .start = (const real[]){R(-1.2), R(1.0)},
         .best = {R(1.0), R(1.0)},
         .most_trials = 1500},
        {.n = 2,
         .inequalities = 1,
         .f = hs_12,
         .start = (const real[]){R(0.0), R(0.0)},
         .best = {R(2.0), R(3.0)},
         .value = R(-30.0),
         .most_trials = 400},
        {.n = 2,
         .inequalities = 3,
         .f = hs_24,
         .start = (const real[]){R(1.0), R(0.5)},
         .low = (const real[]){R(0.0), R(0.0)},
         .high = (const real[]){R(100.0), R(100.0)},
         .best = {R(3.0), R(1.7320508075688772935274463415058723669428)},
         .value = R(-1.0),
         .most_trials = 400},
        {.n = 3,
         .inequalities = 1,
         .f = hs_35,
         .start = (const real[]){R(0.5), R(0.5), R(0.5)},
         .low = (const real[]){R(0.0), R(0.0), R(0.0)},
         .high = (const real[]){R(100.0), R(100.0), R(100.0)},
         .best = {R(4.0) / R(3.0), R(7.0) / R(9.0), R(4.0) / R(9.0)},
         .value = R(1.0) / R(9.0),
         .most_trials = 600},
        {.n = 4,
         .inequalities = 3,
         .f = hs_43,
         .start = (const real[]){R(0.0), R(0.0), R(0.0), R(0.0)},
         .best = {R(0.0), R(1.0), R(2.0), R(-1.0)},
         .value = R(-44.0),
         .most_trials = 800},
        {.n = 5,
         .equalities = 2,
         .f = hs_48,
         .start = (const real[]){R(3.0), R(5.0), R(-3.0), R(2.0), R(-2.0)},
         .best = {R(1.0), R(1.0), R(1.0), R(1.0), R(1.0)},
         .most_trials = 1500},
    };
    static const char *const titles[] = {"HS 6",  "HS 12", "HS 24",
                                         "HS 35", "HS 43", "HS 48"};
    for (size_t k = 0; k < LENGTH(problems); k++) {
        BestProblem r = problem_of(&problems[k]);
        r.most = problems[k].most_trials;
        expect(titles[k], &problems[k], &r);
        r.method = BEST_BOBYQA;
        r.most = problems[k].most_trials = 10000;
        expect(titles[k], &problems[k], &r);
    }
}

static void hs_65(const real *p, real *out)
{
    out[0] = cosy_square(p[0] - p[1]) +
             cosy_square(p[0] + p[1] - R(10.0)) / R(9.0) +
             cosy_square(p[2] - R(5.0));
    out[1] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - R(48.0);
}

static void hs_71(const real *p, real *out)
{
    out[0] = p[0] * p[3] * (p[0] + p[1] + p[2]) + p[2];
    out[1] = R(25.0) - p[0] * p[1] * p[2] * p[3];
    out[2] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - R(40.0);
}

static void hs_100(const real *p, real *out)
{
    real a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6];
    out[0] = cosy_square(a - R(10.0)) + R(5.0) * cosy_square(b - R(12.0)) +
             c * c * c * c + R(3.0) * cosy_square(d - R(11.0)) +
             R(10.0) * cosy_square(e * e * e) + R(7.0) * f * f + g * g * g * g -
             R(4.0) * f * g - R(10.0) * f - R(8.0) * g;
    out[1] = -(R(127.0) - R(2.0) * a * a - R(3.0) * b * b * b * b - c -
               R(4.0) * d * d - R(5.0) * e);
    out[2] = -(R(282.0) - R(7.0) * a - R(3.0) * b - R(10.0) * c * c - d + e);
    out[3] = -(R(196.0) - R(23.0) * a - b * b - R(6.0) * f * f + R(8.0) * g);
    out[4] = -(R(-4.0) * a * a - b * b + R(3.0) * a * b - R(2.0) * c * c -
               R(5.0) * f + R(11.0) * g);
}

/* Optima that are known by their published digits only. */
static void test_digits(void)
{
    Problem problems[] = {
        {.n = 3,
         .inequalities = 1,
         .f = hs_65,
         .start = (const real[]){R(-4.5), R(4.5), R(0.0)},
         .low = (const real[]){R(-4.5), R(-4.5), R(-5.0)},
         .high = (const real[]){R(4.5), R(4.5), R(5.0)},
         .best = {R(3.650461821), R(3.65046168), R(4.6204170507)},
         .value = R(0.9535288567)},
        {.n = 4,
         .inequalities = 1,
         .equalities = 1,
         .f = hs_71,
         .start = (const real[]){R(1.0), R(5.0), R(5.0), R(1.0)},
         .low = (const real[]){R(1.0), R(1.0), R(1.0), R(1.0)},
         .high = (const real[]){R(5.0), R(5.0), R(5.0), R(5.0)},
         .best = {R(1.0), R(4.7429994), R(3.8211503), R(1.3794082)},
         .value = R(17.0140173)},
        {.n = 7,
         .inequalities = 4,
         .f = hs_100,
         .start = (const real[]){R(1.0), R(2.0), R(0.0), R(4.0), R(0.0), R(1.0),
                                 R(1.0)},
         .best = {R(2.330499), R(1.951372), R(-0.4775414), R(4.365726),
                  R(-0.6244870), R(1.038131), R(1.594227)},
         .value = R(680.6300573)},
    };
    for (size_t k = 0; k < LENGTH(problems); k++) {
        Problem *q = &problems[k];
        BestProblem r = problem_of(q);
        Arena a = {0};
        BestAnswer answer = find(&r, &a);
        CHECK(answer.end == BEST_FOUND || answer.end == BEST_AT_BOUND);
        CHECK(answer.polished && answer.trials < 1000);
        CHECK(answer.violation < R(1e-12));
        CHECK(close_to(answer.value, q->value, R(5e-9)));
        for (uint32_t i = 0; i < q->n; i++)
            CHECK(close_to(answer.p[i], q->best[i], R(1e-6)));
        end(&answer, &a);
    }
}

/* ---- Bounds ------------------------------------------------------------------------------- */

static void slope(const real *p, real *out)
{
    out[0] = p[0] + cosy_square(p[1] - R(0.3));
}

static void test_bound(void)
{
    Problem q = {.n = 2,
                 .f = slope,
                 .start = (const real[]){R(0.5), R(0.5)},
                 .low = (const real[]){R(0.1), R(0.0)},
                 .high = (const real[]){R(1.0), R(1.0)},
                 .best = {R(0.1), R(0.3)},
                 .value = R(0.1),
                 .most_trials = 100};
    BestProblem r = problem_of(&q);
    expect("slope", &q, &r);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_AT_BOUND && answer.p[0] == R(0.1));
    CHECK(answer.at[0] == -1 && answer.at[1] == 0);
    CHECK(says(&answer, "A is at its lower bound."));
    for (size_t k = 0; k < answer.history.count; k++) {
        SearchPoint at = search_point(&answer.history, k);
        CHECK(at.p[0] >= q.low[0] && at.p[0] <= q.high[0]);
        CHECK(at.p[1] >= q.low[1] && at.p[1] <= q.high[1]);
    }
    end(&answer, &a);
}

/* ---- Failures ------------------------------------------------------------------------------- */

static bool below_valley(const real *p)
{
    return p[1] < p[0] * p[0] - R(0.5);
}

static bool left_half(const real *p)
{
    return p[0] < R(-1.0);
}

static bool always(const real *p)
{
    (void)p;
    return true;
}

static void logarithm_of(const real *p, real *out)
{
    out[0] = p[0] - cosy_log(p[0]) + cosy_square(p[1]);
}

static void infinite(const real *p, real *out)
{
    (void)p;
    out[0] = COSY_INFINITY;
}

static void test_failures(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .best = {R(1.0), R(1.0)},
                 .fails = below_valley,
                 .most_trials = 1400};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_FOUND && answer.failures > 0);
    CHECK(close_to(answer.p[0], R(1.0), R(1e-5)));
    CHECK(says(&answer, "trials failed or gave no finite number."));
    end(&answer, &a);
    q.fails = left_half; // the start itself
    answer = find(&r, &a);
    CHECK(answer.end == BEST_FOUND && close_to(answer.p[0], R(1.0), fine()));
    end(&answer, &a);
    q.fails = always;
    answer = find(&r, &a);
    CHECK(answer.end == BEST_FAILED && !answer.found);
    CHECK(says(&answer, "trials failed."));
    end(&answer, &a);
    q.fails = NULL;
    q.f = infinite;
    answer = find(&r, &a);
    CHECK(answer.end == BEST_FAILED);
    CHECK(says(&answer, "Y or a condition was not a finite number."));
    end(&answer, &a);
    Problem half = {
        .n = 2, .f = logarithm_of, .start = (const real[]){R(0.2), R(1.0)}};
    BestProblem h = problem_of(&half);
    answer = find(&h, &a);
    CHECK(close_to(answer.p[0], R(1.0), R(1e-6)));
    end(&answer, &a);
}

/* ---- Words -------------------------------------------------------------------------------------- */

static void ignores_second(const real *p, real *out)
{
    out[0] = cosy_square(p[0] - R(2.0));
}

static void flat(const real *p, real *out)
{
    (void)p;
    out[0] = R(4.0);
}

static void falls(const real *p, real *out)
{
    out[0] = -p[0] + p[1] * p[1];
}

static void impossible(const real *p, real *out)
{
    out[0] = p[0] * p[0] + p[1] * p[1];
    out[1] = p[0] * p[0] + R(1.0);
}

static void test_idle(void)
{
    Problem q = {
        .n = 2, .f = ignores_second, .start = (const real[]){R(1.0), R(1.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_FOUND && answer.idle[1] && !answer.idle[0]);
    CHECK(says(&answer, "B has no effect there."));
    CHECK(close_to(answer.p[0], R(2.0), fine()));
    end(&answer, &a);
    q.f = flat;
    answer = find(&r, &a);
    CHECK(answer.end == BEST_FLAT);
    CHECK(says(&answer, "No parameter has an effect: Y is "));
    end(&answer, &a);
}

static void test_unbounded(void)
{
    Problem q = {.n = 2, .f = falls, .start = (const real[]){R(1.0), R(1.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    r.most = 5000;
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_UNBOUNDED && says(&answer, "Y has no minimum"));
    end(&answer, &a);
}

static void test_infeasible(void)
{
    Problem q = {.n = 2,
                 .inequalities = 1,
                 .f = impossible,
                 .start = (const real[]){R(1.0), R(1.0)}};
    static const char *const constraint[] = {"G1"};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    r.constraint = constraint;
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_INFEASIBLE);
    CHECK(close_to(answer.violation, R(1.0), R(1e-6)));
    CHECK(says(&answer, "No point was found that satisfies the conditions"));
    CHECK(says(&answer, "G1 is missed by 1."));
    end(&answer, &a);
}

/* Reproducible noise of 1e-6: a hash of the parameters. */
static void noisy(const real *p, real *out)
{
    double x[2] = {(double)p[0], (double)p[1]};
    uint64_t bits[2], hash;
    memcpy(bits, x, sizeof bits);
    hash = (bits[0] * 0x9e3779b97f4a7c15u) ^ (bits[1] * 0xbf58476d1ce4e5b9u);
    hash ^= hash >> 29;
    hash *= 0x94d049bb133111ebu;
    rosenbrock(p, out);
    out[0] += R(3.0) + R(1e-6) * ((real)(hash >> 40) * R(0x1p-23) - R(1.0));
}

static void test_noise(void)
{
    Problem q = {.n = 2, .f = noisy, .start = (const real[]){R(-1.2), R(1.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.noise > R(1e-7) && answer.noise < R(3e-6));
    CHECK(answer.end == BEST_NOISE || answer.polished);
    CHECK(close_to(answer.p[0], R(1.0), R(0.02)));
    if (answer.end == BEST_NOISE)
        CHECK(says(&answer, "Y scatters by about "));
    end(&answer, &a);
}

/* The largest rectangle of perimeter 4: 1 by 1. */
static void rectangle(const real *p, real *out)
{
    out[0] = p[0] * p[1];
    out[1] = R(2.0) * (p[0] + p[1]) - R(4.0);
}

static void rounded_rectangle(const real *p, real *out)
{
    rectangle(p, out);
    out[0] = (real)floor((double)(out[0] * R(1e6) + R(0.5))) * R(1e-6);
}

/* Where noise is given differences are coarse, and lead astray; an answer is found only
   if points along the condition are no better. */
static void test_noise_and_condition(void)
{
    static const real low[] = {R(0.0), R(0.0)}, high[] = {R(4.0), R(4.0)};
    static const real starts[][2] = {{R(0.2), R(0.3)},
                                     {R(1.9), R(0.01)},
                                     {R(3.0), R(3.0)},
                                     {R(0.5), R(1.4)}};
    /* In QUAD noise is looked for over distances too short for these steps. */
    size_t most = COSY_EPSILON < R(1e-30) ? 4 : 8;
    for (size_t k = 0; k < most; k++) {
        Problem q = {.n = 2,
                     .inequalities = 1,
                     .f = k < 4 ? rectangle : rounded_rectangle,
                     .start = starts[k % 4]};
        BestProblem r = problem_of(&q);
        Arena a = {0};
        r.low = low;
        r.high = high;
        r.maximise = true;
        r.noise = k < 4 ? R(1e-6) : R(0.0);
        BestAnswer answer = find(&r, &a);
        if (!close_to(answer.value, R(1.0), R(6e-6)))
            printf("start %zu: %s\n", k, answer.words);
        CHECK(answer.end == BEST_FOUND || answer.end == BEST_NOISE);
        CHECK(close_to(answer.value, R(1.0), R(6e-6)));
        CHECK(close_to(answer.p[0], R(1.0), R(3e-3)));
        end(&answer, &a);
    }
}

/* Counts: the same value from 5 to 6, and for the other one from -1 to 1. */
static void steps(const real *p, real *out)
{
    out[0] = cosy_abs((real)floor((double)p[0]) - R(5.0)) +
             cosy_max(cosy_abs(p[1]) - R(1.0), R(0.0));
}

static void test_plateau(void)
{
    Problem q = {.n = 2, .f = steps, .start = (const real[]){R(29.5), R(3.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    if (answer.end != BEST_PLATEAU)
        printf("%s\n", answer.words);
    CHECK(answer.end == BEST_PLATEAU && answer.value == R(0.0));
    CHECK(answer.p[0] >= R(5.0) && answer.p[0] < R(6.0));
    CHECK(says(&answer, "Y does not change from A = "));
    end(&answer, &a);
}

/* ---- Ends -------------------------------------------------------------------------------------- */

static void test_ends(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .stop_at = 30};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_STOPPED && answer.trials == 29);
    CHECK(says(&answer, "stopped after 29 trials. The best value of Y is "));
    end(&answer, &a);
    q.stop_at = 0;
    q.calls = 0;
    r.most = 40;
    answer = find(&r, &a);
    CHECK(answer.end == BEST_MOST && answer.trials == 40 && q.calls == 40);
    CHECK(
        says(&answer, "No trial was left after 40: MAX allows more. The best"));
    end(&answer, &a);
}

/* The same where several searches go side by side. */
static void test_global_ends(void)
{
    Problem q = goldstein_price;
    BestProblem r = problem_of(&q);
    Arena a = {0};
    q.stop_at = 130;
    r.global = true;
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_STOPPED && answer.found);
    end(&answer, &a);
    static const size_t most[] = {1, 2, 7, 40, 150};
    for (size_t k = 0; k < LENGTH(most); k++) {
        q.stop_at = q.calls = 0;
        r.most = most[k];
        answer = find(&r, &a);
        CHECK(answer.end == BEST_MOST && answer.trials == most[k]);
        CHECK(q.calls == most[k] && answer.found);
        end(&answer, &a);
    }
    q.fails = always;
    r.most = 400;
    answer = find(&r, &a);
    CHECK(answer.end == BEST_FAILED && !answer.found);
    end(&answer, &a);
}

/* One parameter with many minima; constraints in a global search. */
static void waves(const real *p, real *out)
{
    out[0] = cosy_sin(R(20.0) * p[0]) + cosy_square(p[0] - R(0.55));
}

static void islands(const real *p, real *out)
{
    out[0] = p[0] + p[1];
    out[1] = R(0.5) - cosy_sin(R(5.0) * p[0]) * cosy_sin(R(5.0) * p[1]);
}

static void test_global_kinds(void)
{
    Problem q = {.n = 1,
                 .f = waves,
                 .low = (const real[]){R(0.0)},
                 .high = (const real[]){R(2.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    r.start = NULL;
    r.global = true;
    BestAnswer answer = find(&r, &a);
    CHECK(answer.end == BEST_FOUND &&
          close_to(answer.p[0], R(0.5497), R(1e-3)));
    end(&answer, &a);
    Problem c = {.n = 2,
                 .inequalities = 1,
                 .f = islands,
                 .low = (const real[]){R(0.0), R(0.0)},
                 .high = (const real[]){R(2.0), R(2.0)}};
    BestProblem l = problem_of(&c);
    l.start = NULL;
    l.global = true;
    answer = find(&l, &a);
    /* On the first island's edge, where both sines are sqrt(1/2). */
    CHECK(answer.end == BEST_FOUND && answer.active[0]);
    CHECK(close_to(answer.p[0], PI / R(20.0), fine()));
    CHECK(close_to(answer.p[1], PI / R(20.0), fine()));
    end(&answer, &a);
}

/* The history knows the best. */
static void test_history(void)
{
    Problem q = {.n = 2, .f = branin, .start = (const real[]){R(2.5), R(7.5)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    real best = COSY_INFINITY;
    size_t wrong = 0;
    for (size_t k = 0; k < answer.history.count; k++) {
        SearchPoint at = search_point(&answer.history, k);
        wrong += at.best != (at.value < best);
        best = cosy_min(best, at.value);
        wrong += at.value != at.out[0] || at.violation != R(0.0);
    }
    CHECK(wrong == 0);
    CHECK(close_to(answer.value, best, R(100.0) * COSY_EPSILON));
    end(&answer, &a);
}

/* The same bits whether trials come one by one, or together in any order. */
static void same_bits(BestProblem *r, Problem *q, size_t least_batch)
{
    Arena a = {0};
    r->trial.many = NULL;
    BestAnswer first = find(r, &a);
    r->trial.many = problem_many;
    q->largest = 0;
    BestAnswer second = find(r, &a);
    size_t differ = 0;
    CHECK(first.trials == second.trials && q->largest >= least_batch);
    for (size_t k = 0; k < first.trials && k < second.trials; k++) {
        SearchPoint x = search_point(&first.history, k);
        SearchPoint y = search_point(&second.history, k);
        differ += memcmp(x.p, y.p, q->n * sizeof *x.p) != 0;
        differ += x.value != y.value || x.best != y.best;
    }
    CHECK(differ == 0);
    search_forget(&second.history);
    end(&first, &a);
}

static void test_same_bits(void)
{
    static const BestMethod global[] = {BEST_AUTO, BEST_CRS, BEST_ISRES,
                                        BEST_MLSL};
    Problem q = goldstein_price;
    BestProblem r = problem_of(&q);
    same_bits(&r, &q, 2);
    r.global = true;
    r.most = 900;
    for (size_t k = 0; k < LENGTH(global); k++) {
        r.method = global[k];
        same_bits(&r, &q, 2);
    }
    r.method = BEST_AUTO;
    same_bits(&r, &q, 40);
}

/* Derivatives that the caller has. */
static Status with_slopes(void *user, const real *p, real *out, real *slopes)
{
    TRY(problem_one(user, p, out));
    slopes[0] =
        R(-400.0) * p[0] * (p[1] - p[0] * p[0]) - R(2.0) * (R(1.0) - p[0]);
    slopes[1] = R(200.0) * (p[1] - p[0] * p[0]);
    return STATUS_OK;
}

static void test_slopes(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .best = {R(1.0), R(1.0)},
                 .most_trials = 200};
    BestProblem r = problem_of(&q);
    r.trial.slopes = with_slopes;
    expect("with derivatives", &q, &r);
    Arena a = {0};
    BestAnswer answer = find(&r, &a);
    CHECK(answer.method == BEST_SLSQP);
    end(&answer, &a);
}

/* Those of a trial that has none in a part of the plane, the best point in it. */
static Status with_some_slopes(void *user, const real *p, real *out,
                               real *slopes)
{
    TRY(with_slopes(user, p, out, slopes));
    if (p[0] > R(0.5))
        slopes[0] = slopes[1] = COSY_NAN;
    return STATUS_OK;
}

/* Those of something else. */
static Status with_wrong_slopes(void *user, const real *p, real *out,
                                real *slopes)
{
    TRY(with_slopes(user, p, out, slopes));
    slopes[0] = -slopes[0];
    return STATUS_OK;
}

/* Derivatives that are missing, or are none, cost trials, but not the answer. */
static void test_bad_slopes(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .best = {R(1.0), R(1.0)},
                 .most_trials = 700};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    r.trial.slopes = with_some_slopes;
    expect("with derivatives at some points", &q, &r);
    r.trial.slopes = with_wrong_slopes;
    expect("with wrong derivatives", &q, &r);
    BestAnswer answer = find(&r, &a);
    CHECK(!answer.sloped);
    end(&answer, &a);
}

/* Each step has its derivatives from the trial that it is, and the last digits are those
   of Newton's method with them: half of the trials are left. */
static void test_slopes_save(void)
{
    Problem q = {.n = 2,
                 .f = rosenbrock,
                 .start = (const real[]){R(-1.2), R(1.0)},
                 .best = {R(1.0), R(1.0)}};
    BestProblem r = problem_of(&q);
    Arena a = {0};
    BestAnswer plain = find(&r, &a);
    r.trial.slopes = with_slopes;
    BestAnswer sloped = find(&r, &a);
    CHECK(sloped.sloped && !plain.sloped);
    CHECK(2 * sloped.trials < plain.trials);
    end(&plain, &a);
    end(&sloped, &a);
}

static void test_faults(void)
{
    Problem q = {
        .n = 2, .f = rosenbrock, .start = (const real[]){R(-1.2), R(1.0)}};
    BestProblem r = problem_of(&q);
    char text[BEST_WORDS];
    CHECK(best_fault(&r, text) == NULL);
    r.global = true;
    CHECK_TEXT(best_fault(&r, text),
               "a global search needs both bounds of every parameter");
    r.global = false;
    r.method = BEST_BRENT;
    CHECK_TEXT(best_fault(&r, text),
               "the method BRENT is for one parameter without constraints");
    r.method = BEST_DIRECT;
    static const real low[] = {R(-2.0), R(-2.0)}, high[] = {R(2.0), R(2.0)};
    r.low = low;
    r.high = high;
    CHECK(best_fault(&r, text) == NULL);
    r.inequalities = 1;
    CHECK_TEXT(best_fault(&r, text),
               "the method DIRECT knows no constraints: take MULTISTART or "
               "ISRES");
    r.method = BEST_AUTO;
    static const bool logarithm[] = {true, false};
    r.logarithmic = logarithm;
    CHECK_TEXT(best_fault(&r, text),
               "the logarithm of A is to be varied, but its start or its lower "
               "bound is not positive");
    CHECK(best_method("bobyqa") == BEST_BOBYQA);
    CHECK(best_method("nothing") == BEST_METHODS);
}

/* An allocation fails: the first, the second and so on, until none does. */
static void without_memory(const BestProblem *r)
{
    unsigned wrong = 0;
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena a = {0};
        BestAnswer answer = {0};
        Fault f = {0};
        scarce_begin_arenas(n);
        Status s = best_find(r, &a, &answer, &f);
        refused = scarce_end();
        wrong += s != (refused > 0 ? STATUS_MEMORY : STATUS_OK);
        end(&answer, &a);
    }
    CHECK(wrong == 0);
}

static void test_memory(void)
{
    Problem q = {.n = 1,
                 .f = wave,
                 .low = (const real[]){R(0.0)},
                 .high = (const real[]){R(3.0)},
                 .start = (const real[]){R(1.0)}};
    BestProblem r = problem_of(&q);
    without_memory(&r);
    Problem hs = {.n = 2,
                  .inequalities = 1,
                  .f = hs_12,
                  .start = (const real[]){R(0.0), R(0.0)}};
    BestProblem l = problem_of(&hs);
    without_memory(&l);
    Problem all = goldstein_price;
    BestProblem g = problem_of(&all);
    g.global = true;
    g.most = 300;
    without_memory(&g);
}

int main(void)
{
    test_rosenbrock();
    test_branin();
    test_goldstein();
    test_one();
    test_sizes();
    test_constraints();
    test_digits();
    test_bound();
    test_failures();
    test_idle();
    test_unbounded();
    test_infeasible();
    test_noise();
    test_noise_and_condition();
    test_plateau();
    test_ends();
    test_global_ends();
    test_global_kinds();
    test_history();
    test_same_bits();
    test_slopes();
    test_bad_slopes();
    test_slopes_save();
    test_faults();
    test_memory();
    return check_end();
}
