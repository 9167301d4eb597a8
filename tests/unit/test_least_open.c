/* What data say about parameters, and what they leave open: profiles, directions, several
   optima. */

#include "least.h"

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

/* ---- Several starts ------------------------------------------------------------------------------ */

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

int main(void)
{
    test_linear_profile(false);
    test_linear_profile(true);
    test_open_profile();
    test_curved_profile();
    test_stopped_profile();
    test_product(true);
    test_product(false);
    test_idle(true);
    test_idle(false);
    test_few();
    test_endless();
    test_ridge();
    test_exact();
    test_starts();
    return check_end();
}
