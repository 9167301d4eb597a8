/* Roots with known solutions, and what is said where there are none. */

#include "search/roots.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scarce.h"
#include "search.h"

/* Nearly all digits of each precision; test_precise holds 12 in DOUBLE and 30 in
   QUAD. */
#define FINE (R(64.0) * COSY_EPSILON)

static const char *const names[] = {"P", "Q", "S", "T"};

static RootProblem problem_of(Problem *q)
{
    q->results = q->n;
    RootProblem r = {.trial = {q, problem_one, NULL, NULL},
                     .n = q->n,
                     .name = names,
                     .start = q->start,
                     .low = q->low,
                     .high = q->high};
    return r;
}

static RootAnswer find(Problem *q, Arena *a)
{
    RootProblem r = problem_of(q);
    RootAnswer answer;
    char text[SEARCH_WORDS];
    CHECK(roots_fault(&r, text) == NULL);
    CHECK(roots_find(&r, a, &answer) == STATUS_OK);
    CHECK(answer.words[0] != '\0');
    return answer;
}

static bool close_to(real found, real expected, real tolerance)
{
    if (cosy_abs(found - expected) <= tolerance * cosy_abs(expected))
        return true;
    printf("found %.17g, expected %.17g\n", (double)found, (double)expected);
    return false;
}

static void end(RootAnswer *answer, Arena *a)
{
    search_forget(&answer->history);
    arena_free(a);
}

static bool says(const RootAnswer *answer, const char *words)
{
    return text_holds(answer->words, words);
}

/* ---- One equation --------------------------------------------------------------------- */

static void square(const real *p, real *out)
{
    out[0] = p[0] * p[0] - R(2.0);
}

static void power_three(const real *p, real *out)
{
    out[0] = cosy_pow(R(1.0) + p[0], R(1.5)) - R(2.0);
}

static void cosine(const real *p, real *out)
{
    out[0] = cosy_cos(p[0]) - p[0];
}

static void triple(const real *p, real *out)
{
    out[0] = (p[0] - R(1.0)) * (p[0] - R(1.0)) * (p[0] - R(1.0));
}

static void steep(const real *p, real *out)
{
    out[0] = cosy_cbrt(p[0] - R(0.3));
}

static void far_away(const real *p, real *out)
{
    out[0] = cosy_exp(p[0] / R(1000.0)) - R(1e6);
}

#define SQRT2  R(1.4142135623730950488016887242096980785697)
#define DOTTIE R(0.7390851332151606416553120876738734040134)
#define CUBE   R(0.5874010519681994747517056392723082603915)

static void test_precise(void)
{
    static const real one_[] = {R(1.0)}, zero[] = {R(0.0)}, two[] = {R(2.0)},
                      ten[] = {R(10.0)};
    static const struct {
        void (*f)(const real *p, real *out);
        const real *start, *low, *high;
        real root;
        size_t most;
    } cases[] = {
        {square, one_, NULL, NULL, SQRT2, 25},
        {square, NULL, zero, ten, SQRT2, 25},
        {square, one_, zero, NULL, SQRT2, 25},
        {power_three, zero, NULL, NULL, CUBE, 30},
        {power_three, NULL, zero, one_, CUBE, 20},
        {cosine, two, NULL, NULL, DOTTIE, 30},
        {cosine, NULL, zero, one_, DOTTIE, 20},
        {steep, NULL, zero, one_, R(0.3), 150},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Problem q = {.n = 1,
                     .f = cases[k].f,
                     .start = cases[k].start,
                     .low = cases[k].low,
                     .high = cases[k].high};
        Arena a = {0};
        RootAnswer answer = find(&q, &a);
        CHECK(answer.end == ROOT_FOUND);
        CHECK(close_to(answer.p[0], cases[k].root, FINE));
        CHECK(close_to(answer.p[0], cases[k].root,
                       COSY_PRECISION == 3 ? R(1e-30) : R(1e-12)));
        CHECK(cosy_abs(answer.p[0] - cases[k].root) <=
              R(8.0) * answer.error[0]);
        if (answer.trials > cases[k].most)
            printf("case %zu: %zu trials\n", k, answer.trials);
        CHECK(answer.trials <= cases[k].most);
        CHECK(answer.trials == q.calls && says(&answer, "The root is P = "));
        end(&answer, &a);
    }
}

/* A start far from the root, and a flat root. */
static void test_hard(void)
{
    static const real start[] = {R(1.0)}, low[] = {R(0.0)}, high[] = {R(4.0)};
    Problem q = {.n = 1, .f = far_away, .start = start};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND);
    CHECK(close_to(answer.p[0], R(6000.0) * cosy_log(R(10.0)), FINE));
    end(&answer, &a);
    Problem flat = {.n = 1, .f = triple, .low = low, .high = high};
    answer = find(&flat, &a);
    CHECK(answer.end == ROOT_FOUND && answer.trials < 200);
    CHECK(close_to(answer.p[0], R(1.0), cosy_cbrt(COSY_EPSILON)));
    end(&answer, &a);
}

static void pole(const real *p, real *out)
{
    out[0] = R(1.0) / (p[0] - R(0.3));
}

static void step(const real *p, real *out)
{
    out[0] = p[0] < R(0.3) ? R(-1.0) : R(2.0);
}

static void above(const real *p, real *out)
{
    out[0] = p[0] * p[0] + R(1.0);
}

static void test_none(void)
{
    static const real low[] = {R(-1.0)}, high[] = {R(2.0)};
    Problem q = {.n = 1, .f = above, .low = low, .high = high};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_NO_SIGN_CHANGE);
    CHECK(says(&answer,
               "F is 2 at P = -1 and 5 at 2: it has the same sign at all 17"));
    CHECK(says(&answer, "The nearest point is P = "));
    end(&answer, &a);
    q.f = pole;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_POLE && says(&answer, "by a jump"));
    end(&answer, &a);
    q.f = step;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_POLE);
    CHECK(
        says(&answer, "F changes its sign at P = 0.3 by a jump from -1 to 2"));
    end(&answer, &a);
    Problem outwards = {.n = 1, .f = above, .start = high};
    answer = find(&outwards, &a);
    CHECK(answer.end == ROOT_NO_SIGN_CHANGE && answer.trials < 200);
    end(&answer, &a);
}

static void fading(const real *p, real *out)
{
    out[0] = cosy_exp(-p[0]);
}

static void fading_after(const real *p, real *out)
{
    out[0] = (p[0] - R(3.0)) * cosy_exp(-p[0]);
}

static void far_power(const real *p, real *out)
{
    out[0] = cosy_exp(-p[0] * p[0]);
}

/* Zeros that are only too small for a number. */
static void test_faded(void)
{
    static const real one_[] = {R(1.0)}, zero[] = {R(0.0)}, much[] = {R(1e6)},
                      far[] = {COSY_PRECISION == 1 ? R(2000.0) : R(30000.0)};
    static const struct {
        void (*f)(const real *p, real *out);
        const real *start, *low, *high;
    } cases[] = {{fading, one_, NULL, NULL},    {fading, NULL, zero, much},
                 {fading, far, NULL, NULL},     {fading, far, zero, NULL},
                 {far_power, one_, NULL, NULL}, {far_power, NULL, zero, much}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Problem q = {.n = 1,
                     .f = cases[k].f,
                     .start = cases[k].start,
                     .low = cases[k].low,
                     .high = cases[k].high};
        Arena a = {0};
        RootAnswer answer = find(&q, &a);
        CHECK(answer.end == ROOT_NO_SIGN_CHANGE && answer.trials < 250);
        CHECK(says(&answer, "too small for a number, near P = "));
        CHECK(strstr(answer.words, "The nearest point") == NULL);
        end(&answer, &a);
    }
    Problem q = {.n = 1, .f = fading_after, .low = zero, .high = much};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], R(3.0), FINE));
    end(&answer, &a);
    q.high = NULL;
    q.start = one_;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], R(3.0), FINE));
    end(&answer, &a);
}

static void cube(const real *p, real *out)
{
    out[0] = p[0] * p[0] * p[0];
}

static void signed_square(const real *p, real *out)
{
    out[0] = p[0] * cosy_abs(p[0]);
}

static void even(const real *p, real *out)
{
    out[0] = cosy_pow(p[0], R(100.0));
}

static void ramp(const real *p, real *out)
{
    out[0] = cosy_max(R(0.0), p[0] - R(1.0));
}

static void tiny_line(const real *p, real *out)
{
    out[0] = R(1e-250) * (p[0] - R(2.0));
}

static void nothing(const real *p, real *out)
{
    out[0] = R(0.0) * p[0];
}

/* Zeros that were hit, and those of a flat or small F, are roots. */
static void test_flat_roots(void)
{
    static const real low[] = {R(-1.0)}, high[] = {R(1.0)}, two[] = {R(2.0)},
                      four[] = {R(4.0)}, zero[] = {R(0.0)};
    static const struct {
        void (*f)(const real *p, real *out);
        const real *start, *low, *high;
        real root, tolerance;
    } cases[] = {{cube, NULL, low, high, R(0.0), R(1e-4)},
                 {cube, two, NULL, NULL, R(0.0), R(1e-4)},
                 {signed_square, NULL, low, high, R(0.0), R(1e-4)},
                 {even, NULL, low, high, R(0.0), R(1e-3)},
                 {even, zero, NULL, NULL, R(0.0), R(0.0)},
                 {ramp, NULL, low, two, R(0.0), R(1.0)},
                 {ramp, two, NULL, NULL, R(0.0), R(1.0)},
                 {tiny_line, NULL, zero, four, R(2.0), R(1e-12)},
                 {tiny_line, high, NULL, NULL, R(2.0), R(1e-12)},
                 {nothing, high, NULL, NULL, R(0.0), R(2.0)}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Problem q = {.n = 1,
                     .f = cases[k].f,
                     .start = cases[k].start,
                     .low = cases[k].low,
                     .high = cases[k].high};
        Arena a = {0};
        RootAnswer answer = find(&q, &a);
        if (answer.end != ROOT_FOUND)
            printf("case %zu: %s\n", k, answer.words);
        CHECK(answer.end == ROOT_FOUND);
        CHECK(cosy_abs(answer.p[0] - cases[k].root) <= cases[k].tolerance);
        end(&answer, &a);
    }
}

static bool below_half(const real *p)
{
    return p[0] < R(0.5);
}

static bool in_the_middle(const real *p)
{
    return p[0] > R(4.0) && p[0] < R(6.0);
}

static bool always(const real *p)
{
    (void)p;
    return true;
}

/* Regions where trials fail. */
static void test_failing(void)
{
    static const real zero[] = {R(0.0)}, ten[] = {R(10.0)}, two[] = {R(2.0)};
    Problem q = {
        .n = 1, .f = square, .fails = below_half, .low = zero, .high = ten};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], SQRT2, FINE));
    CHECK(answer.failures > 0);
    end(&answer, &a);
    Problem outwards = {.n = 1, .f = square, .fails = below_half, .start = two};
    answer = find(&outwards, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], SQRT2, FINE));
    end(&answer, &a);
    q.fails = in_the_middle;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], SQRT2, FINE));
    end(&answer, &a);
    q.fails = always;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FAILED && says(&answer, "trials failed"));
    end(&answer, &a);
    outwards.fails = always;
    answer = find(&outwards, &a);
    CHECK(answer.end == ROOT_FAILED &&
          says(&answer, "at the start, P = 2, fails"));
    end(&answer, &a);
}

/* ---- Several equations -------------------------------------------------------------------- */

/* Circle and hyperbola: x^2 + y^2 = 4, x y = 1: x = sqrt(2 + sqrt 3). */
static void circle(const real *p, real *out)
{
    out[0] = p[0] * p[0] + p[1] * p[1] - R(4.0);
    out[1] = p[0] * p[1] - R(1.0);
}

static void rosenbrock(const real *p, real *out)
{
    out[0] = R(10.0) * (p[1] - p[0] * p[0]);
    out[1] = R(1.0) - p[0];
}

/* Powell 1970; Moré, Garbow and Hillstrom number 3. */
static void badly_scaled(const real *p, real *out)
{
    out[0] = R(1e4) * p[0] * p[1] - R(1.0);
    out[1] = cosy_exp(-p[0]) + cosy_exp(-p[1]) - R(1.0001);
}

/* Helical valley, number 7 there. */
static void helical(const real *p, real *out)
{
    real turn = cosy_atan2(p[1], p[0]) /
                (R(2.0) * R(3.14159265358979323846264338327950288420));
    out[0] = R(10.0) * (p[2] - R(10.0) * turn);
    out[1] = R(10.0) * (cosy_hypot(p[0], p[1]) - R(1.0));
    out[2] = p[2];
}

/* Broyden's tridiagonal function, number 30, n = 4. */
static void tridiagonal(const real *p, real *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = (R(3.0) - R(2.0) * p[i]) * p[i] - (i > 0 ? p[i - 1] : R(0.0)) -
                 (i < 3 ? R(2.0) * p[i + 1] : R(0.0)) + R(1.0);
}

static void test_circle(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    real x = cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0)));
    CHECK(answer.end == ROOT_FOUND);
    CHECK(close_to(answer.p[0], x, FINE));
    CHECK(close_to(answer.p[1], R(1.0) / x, FINE));
    CHECK(answer.trials < 40 && answer.condition < R(10.0));
    CHECK(answer.error[0] < R(100.0) * COSY_EPSILON);
    CHECK(answer.error[0] > R(0.0));
    CHECK(says(&answer, "The root is P = 1.931852"));
    end(&answer, &a);
}

static void test_published(void)
{
    static const real rosen[] = {R(-1.2), R(1.0)}, powell[] = {R(0.0), R(1.0)};
    static const real helix[] = {R(-1.0), R(0.0), R(0.0)};
    static const real minus[] = {R(-1.0), R(-1.0), R(-1.0), R(-1.0)};
    Problem q = {.n = 2, .f = rosenbrock, .start = rosen};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && answer.trials < 80);
    CHECK(close_to(answer.p[0], R(1.0), FINE));
    CHECK(close_to(answer.p[1], R(1.0), FINE));
    end(&answer, &a);
    Problem bad = {.n = 2, .f = badly_scaled, .start = powell};
    answer = find(&bad, &a);
    CHECK(answer.end == ROOT_FOUND);
    CHECK(close_to(answer.p[0], R(1.0981593296998e-5), R(1e-11)));
    CHECK(close_to(answer.p[1], R(9.1061467398665), R(1e-11)));
    CHECK(answer.largest < R(1e4) * COSY_EPSILON);
    end(&answer, &a);
    Problem helical_ = {.n = 3, .f = helical, .start = helix};
    answer = find(&helical_, &a);
    CHECK(answer.end == ROOT_FOUND && close_to(answer.p[0], R(1.0), FINE));
    CHECK(cosy_abs(answer.p[1]) < FINE && cosy_abs(answer.p[2]) < FINE);
    end(&answer, &a);
    Problem broyden = {.n = 4, .f = tridiagonal, .start = minus};
    answer = find(&broyden, &a);
    CHECK(answer.end == ROOT_FOUND && answer.largest < R(100.0) * COSY_EPSILON);
    CHECK(answer.trials < 60);
    end(&answer, &a);
}

/* P and Q only occur as P + Q. */
static void alike(const real *p, real *out)
{
    out[0] = p[0] + p[1] - R(1.0);
    out[1] = (p[0] + p[1]) * (p[0] + p[1]) + R(1.0);
}

static void idle(const real *p, real *out)
{
    out[0] = p[0] - R(1.0);
    out[1] = p[0] * p[0] + R(1.0);
}

/* Several roots on a line. */
static void consistent(const real *p, real *out)
{
    out[0] = p[0] + p[1] - R(3.0);
    out[1] = cosy_exp(p[0] + p[1]) - cosy_exp(R(3.0));
}

/* The residual is least at x = 0, where it is not zero. */
static void hollow(const real *p, real *out)
{
    out[0] = p[0] * p[0] + R(1.0);
    out[1] = p[1] - p[0];
}

static void test_singular(void)
{
    static const real start[] = {R(0.5), R(0.25)};
    Problem q = {.n = 2, .f = alike, .start = start};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_SINGULAR);
    CHECK(says(&answer, "P and Q act on the results alike"));
    end(&answer, &a);
    q.f = idle;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_SINGULAR);
    CHECK(says(&answer, "Q has no effect on the results"));
    end(&answer, &a);
    q.f = consistent;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND &&
          says(&answer, "Other values may be roots"));
    CHECK(close_to(answer.p[0] + answer.p[1], R(3.0), FINE));
    end(&answer, &a);
    q.f = hollow;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_MINIMUM && says(&answer, "come no nearer"));
    CHECK(cosy_abs(answer.largest - R(1.0)) < R(1e-3));
    end(&answer, &a);
}

/* The root lies outside. */
static void test_bounds(void)
{
    static const real start[] = {R(0.5), R(0.5)}, low[] = {R(0.0), R(0.0)},
                      high[] = {R(1.0), R(5.0)};
    Problem q = {.n = 2, .f = circle, .start = start, .low = low, .high = high};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    real x = cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0)));
    CHECK(answer.end == ROOT_FOUND); // the other one of the two
    CHECK(close_to(answer.p[1], x, FINE));
    for (size_t k = 0; k < answer.history.count; k++) {
        SearchPoint at = search_point(&answer.history, k);
        for (int i = 0; i < 2; i++)
            CHECK(at.p[i] >= low[i] && at.p[i] <= high[i]);
    }
    end(&answer, &a);
    static const real tight[] = {R(1.0), R(1.5)};
    q.high = tight;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_AT_BOUND);
    CHECK(says(&answer, "beyond the bounds of "));
    CHECK(answer.at[0] == 1 || answer.at[1] == 1);
    end(&answer, &a);
}

static bool outside(const real *p)
{
    return p[0] > R(0.6) || p[1] > R(1.94);
}

static bool above_root(const real *p)
{
    return p[1] > R(1.94);
}

static void test_failing_many(void)
{
    static const real start[] = {R(0.5), R(1.0)}, behind[] = {R(0.35), R(0.2)};
    Problem q = {.n = 2, .f = circle, .start = start, .fails = above_root};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_FOUND && answer.failures > 0);
    CHECK(answer.largest < R(100.0) * COSY_EPSILON);
    end(&answer, &a);
    q.fails = outside;
    q.start = behind;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FAILED &&
          says(&answer, "stuck where trials fail"));
    end(&answer, &a);
    q.fails = always;
    answer = find(&q, &a);
    CHECK(answer.end == ROOT_FAILED && says(&answer, "at the start fails"));
    CHECK(answer.trials == 1);
    end(&answer, &a);
}

/* ---- Ends --------------------------------------------------------------------------------- */

static void test_stopped(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start, .stop_at = 5};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    CHECK(answer.end == ROOT_STOPPED && answer.trials == 4);
    CHECK(says(&answer, "stopped after 4 trials. The nearest point is P = "));
    end(&answer, &a);
    q.stop_at = 0;
    q.calls = 0;
    RootProblem r = problem_of(&q);
    r.most = 7;
    CHECK(roots_find(&r, &a, &answer) == STATUS_OK);
    CHECK(answer.end == ROOT_MOST && answer.trials == 7 && q.calls == 7);
    CHECK(says(&answer, "No trial was left after 7: MAX allows more."));
    end(&answer, &a);
}

/* The same bits, whether points come one by one or together. */
static void test_batches(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start}, other = q;
    Arena a = {0};
    RootAnswer first = find(&q, &a), second;
    RootProblem r = problem_of(&other);
    r.trial.many = problem_many;
    CHECK(roots_find(&r, &a, &second) == STATUS_OK);
    CHECK(other.batches > 0 && other.batches < other.calls);
    CHECK(first.history.count == second.history.count);
    for (size_t k = 0; k < first.history.count; k++) {
        SearchPoint x = search_point(&first.history, k);
        SearchPoint y = search_point(&second.history, k);
        CHECK(x.p[0] == y.p[0] && x.p[1] == y.p[1] && x.value == y.value);
        CHECK(x.best == y.best);
    }
    search_forget(&second.history);
    end(&first, &a);
}

/* Noise of 1e-7 that depends on the parameters, of which the search is not told. */
static void noisy(const real *p, real *out)
{
    circle(p, out);
    for (int i = 0; i < 2; i++) {
        double x = (double)(p[0] * R(1.7) + p[1] * (real)(i + 1));
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits *= 0x9e3779b97f4a7c15u;
        bits ^= bits >> 32;
        bits *= 0x94d049bb133111ebu;
        out[i] += R(1e-7) * ((real)(bits >> 40) * R(0x1p-23) - R(1.0));
    }
}

static void test_noise(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = noisy, .start = start};
    Arena a = {0};
    RootAnswer answer = find(&q, &a);
    real x = cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0)));
    CHECK(answer.end == ROOT_FOUND && says(&answer, "have noise of about"));
    CHECK(close_to(answer.p[0], x, R(1e-5)));
    CHECK(answer.error[0] > R(1e-9) && answer.error[0] < R(1e-4));
    end(&answer, &a);
}

static Status with_slopes(void *user, const real *p, real *out, real *slope)
{
    TRY(problem_one(user, p, out));
    slope[0] = R(2.0) * p[0];
    slope[1] = R(2.0) * p[1];
    slope[2] = p[1];
    slope[3] = p[0];
    return STATUS_OK;
}

/* With derivatives of the trial's own no differences are needed. */
static void test_slopes(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start};
    RootProblem r = problem_of(&q);
    Arena a = {0};
    RootAnswer answer;
    r.trial.slopes = with_slopes;
    CHECK(roots_find(&r, &a, &answer) == STATUS_OK);
    CHECK(answer.end == ROOT_FOUND && answer.sloped);

    CHECK(answer.trials <= answer.steps + 9 && answer.trials < 14);
    CHECK(close_to(answer.p[0], cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0))), FINE));
    end(&answer, &a);
}

/* Where trials lose them, differences take their place. */
static Status with_some_slopes(void *user, const real *p, real *out,
                               real *slope)
{
    TRY(with_slopes(user, p, out, slope));
    if (p[0] < R(1.95))
        slope[2] = COSY_NAN;
    return STATUS_OK;
}

static void test_some_slopes(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start};
    RootProblem r = problem_of(&q);
    Arena a = {0};
    RootAnswer answer;
    r.trial.slopes = with_some_slopes;
    CHECK(roots_find(&r, &a, &answer) == STATUS_OK);
    CHECK(answer.end == ROOT_FOUND && !answer.sloped);
    CHECK(close_to(answer.p[0], cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0))), FINE));
    end(&answer, &a);
}

static void test_tolerance(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start};
    RootProblem r = problem_of(&q);
    Arena a = {0};
    RootAnswer answer;
    r.tolerance = R(1e-4);
    CHECK(roots_find(&r, &a, &answer) == STATUS_OK);
    CHECK(answer.end == ROOT_FOUND && answer.trials < 20);
    CHECK(
        close_to(answer.p[0], cosy_sqrt(R(2.0) + cosy_sqrt(R(3.0))), R(1e-4)));
    end(&answer, &a);
}

static void test_faults(void)
{
    static const real start[] = {R(2.0)}, low[] = {R(3.0)}, high[] = {R(4.0)};
    Problem q = {.n = 1, .f = square, .start = start, .low = low, .high = high};
    RootProblem r = problem_of(&q);
    char text[SEARCH_WORDS];
    CHECK_TEXT(roots_fault(&r, text),
               "the start 2 of P is outside of its bounds 3 .. 4");
    r.start = NULL;
    CHECK(roots_fault(&r, text) == NULL);
    r.high = low;
    CHECK_TEXT(roots_fault(&r, text),
               "the bounds of P leave nothing between them: 3 .. 3");
    r.low = NULL;
    CHECK_TEXT(roots_fault(&r, text),
               "there is no start, and not every parameter has two bounds");
}

static void test_memory(void)
{
    static const real start[] = {R(2.0), R(1.0)};
    Problem q = {.n = 2, .f = circle, .start = start};
    RootProblem r = problem_of(&q);
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena a = {0};
        RootAnswer answer = {0};
        scarce_begin_arenas(n);
        Status s = roots_find(&r, &a, &answer);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        end(&answer, &a);
    }
}

int main(void)
{
    test_precise();
    test_hard();
    test_none();
    test_faded();
    test_flat_roots();
    test_failing();
    test_circle();
    test_published();
    test_singular();
    test_bounds();
    test_failing_many();
    test_stopped();
    test_batches();
    test_noise();
    test_slopes();
    test_some_slopes();
    test_tolerance();
    test_faults();
    test_memory();
    return check_end();
}
