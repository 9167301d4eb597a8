/* The four schemes for the zero of a discontinuity function. */

#include "solve/bracket.h"

#include "check.h"

#define MOST 600

/* A function with one zero between `near` and `far`. */
typedef struct Case {
    const char *name;
    void (*f)(real t, real *z, real *dz);
    real near, far;
} Case;

static void cosine(real t, real *z, real *dz)
{
    *z = cosy_cos(t) - t;
    *dz = -cosy_sin(t) - R(1.0);
}

static void exponential(real t, real *z, real *dz)
{
    *z = cosy_exp(t) - R(2.0);
    *dz = cosy_exp(t);
}

static void parabola(real t, real *z, real *dz)
{
    *z = t * t - R(2.0);
    *dz = R(2.0) * t;
}

static void decay(real t, real *z, real *dz)
{
    *z = R(0.5) - cosy_exp(R(-40.0) * t);
    *dz = R(40.0) * cosy_exp(R(-40.0) * t);
}

static void power(real u, int n, real *z, real *dz)
{
    *z = u;
    for (int k = 1; k < n; k++)
        *z *= u;
    *dz = u == R(0.0) ? R(0.0) : (real)n * *z / u;
}

static void third_power(real t, real *z, real *dz)
{
    power(t, 3, z, dz);
}

static void fifth_power(real t, real *z, real *dz)
{
    power(t - R(1.0), 5, z, dz);
}

/* Zeros a few parts in 10^12 from one end. */
static void at_the_near_end(real t, real *z, real *dz)
{
    *z = cosy_exp(t) - R(1.0) - R(1e-12);
    *dz = cosy_exp(t);
}

static void at_the_far_end(real t, real *z, real *dz)
{
    *z = cosy_exp(t - R(1.0)) - R(1.0) + R(1e-12);
    *dz = cosy_exp(t - R(1.0));
}

static const Case simple[] = {
    {"cosine", cosine, R(0.0), R(1.0)},
    {"cosine, backward", cosine, R(1.0), R(0.0)},
    {"exponential", exponential, R(0.0), R(2.0)},
    {"exponential, backward", exponential, R(2.0), R(0.0)},
    {"parabola", parabola, R(1.0), R(2.0)},
    {"parabola, negative times", parabola, R(-1.0), R(-2.0)},
    {"decay", decay, R(0.0), R(1.0)},
    {"near end", at_the_near_end, R(0.0), R(1.0)},
    {"far end", at_the_far_end, R(0.0), R(1.0)},
};

static const Case flat[] = {
    {"t^3", third_power, R(-0.3), R(1.0)},
    {"t^3, backward", third_power, R(1.0), R(-0.3)},
    {"(t - 1)^5", fifth_power, R(0.0), R(1.7)},
    {"(t - 1)^5, backward", fifth_power, R(5.0), R(0.9)},
};

typedef struct Trail {
    int count;
    real z[MOST]; // |z| of every proposal
    Bracket end;
} Trail;

static BracketPoint point_of(const Case *k, real t)
{
    BracketPoint p = {t, R(0.0), R(0.0)};
    k->f(t, &p.z, &p.dz);
    return p;
}

static bool within(const Bracket *b, real t)
{
    return t >= cosy_min(b->near.t, b->far.t) &&
           t <= cosy_max(b->near.t, b->far.t);
}

/* Iterates until z is zero or time cannot be divided further, which for a zero
   at t = 0 depends on the first width. Every proposal must be inside. */
static void follow(const Case *k, CosyScheme scheme, Trail *trail)
{
    Bracket *b = &trail->end;
    BracketPoint near = point_of(k, k->near), p;
    real least = COSY_EPSILON * cosy_abs(k->far - k->near) / R(100.0);
    bracket_make(b, near, point_of(k, k->far));
    trail->count = 0;
    while (trail->count < MOST) {
        p = point_of(k, bracket_next(b, scheme));
        CHECK(within(b, p.t));
        trail->z[trail->count++] = cosy_abs(p.z);
        if (p.z == R(0.0))
            break;
        bracket_take(b, p, p.z * near.z < R(0.0));
        CHECK(b->near.z * near.z > R(0.0) && b->far.z * near.z < R(0.0));
        real width = cosy_abs(b->far.t - b->near.t);
        if (width <= cosy_max(R(2.0) * time_ulp(p.t), least))
            break;
    }
}

/* Proposals until |z| is below `goal`. */
static int proposals(const Trail *trail, real goal)
{
    int n = 0;
    while (n < trail->count && trail->z[n] >= goal)
        n++;
    return n + 1;
}

static void expect_most(const Case *k, const char *scheme, int found, int most)
{
    if (found > most)
        printf("%s, %s: %d proposals, %d expected\n", k->name, scheme, found,
               most);
    CHECK(found <= most);
}

/* Halving gains one bit for each proposal, neither more nor less. */
static void test_bisect(void)
{
    for (size_t k = 0; k < sizeof simple / sizeof simple[0]; k++) {
        Bracket b;
        const Case *c = &simple[k];
        BracketPoint near = point_of(c, c->near);
        bracket_make(&b, near, point_of(c, c->far));
        for (int i = 0; i < 30; i++) {
            BracketPoint p = point_of(c, bracket_next(&b, COSY_BISECT));
            bracket_take(&b, p, p.z * near.z < R(0.0));
        }
        real width = cosy_abs(b.far.t - b.near.t);
        real whole = cosy_abs(c->far - c->near);
        CHECK(cosy_abs(width * R(1073741824.0) - whole) < R(1e-5) * whole);
    }
}

/* Simple zeros. Order p gains a factor p in digits with each proposal, so that
   twice as many digits cost log 2 / log p more: 2 for Illinois (1.44), one for
   inverse Hermite interpolation. */
static void test_order(void)
{
    static Trail regula, hermite, crosses;
    real fine = COSY_PRECISION == 3 ? R(1e-28) : R(1e-14);
    real half = COSY_PRECISION == 3 ? R(1e-14) : R(1e-7);
    for (size_t k = 0; k < sizeof simple / sizeof simple[0]; k++) {
        const Case *c = &simple[k];
        follow(c, COSY_REGULA, &regula);
        follow(c, COSY_IHERMITE, &hermite);
        follow(c, COSY_CROSSES, &crosses);
        int doubled = proposals(&regula, fine) - proposals(&regula, half);
        expect_most(c, "REGULA, doubling", doubled, 4);
        doubled = proposals(&hermite, fine) - proposals(&hermite, half);
        expect_most(c, "IHERMITE, doubling", doubled, 2);
        expect_most(c, "REGULA", proposals(&regula, fine), 18);
        expect_most(c, "IHERMITE", proposals(&hermite, fine), 12);
        CHECK(proposals(&crosses, fine) == proposals(&hermite, fine));
    }
}

/* From 0.02 the order of inverse Hermite interpolation, counted over the three
   proposals that bring both ends near, is at least that of three cubic ones
   with one of them spent on the other end. */
static void test_hermite(void)
{
    static Trail trail;
    follow(&simple[0], COSY_IHERMITE, &trail);
    CHECK(trail.count <= 6);
    CHECK(trail.z[0] < R(0.02));
    CHECK(trail.z[1] < R(2e-5));
    if (COSY_PRECISION == 3) {
        CHECK(trail.z[3] < cosy_pow(trail.z[2], R(3.0)));
        CHECK(trail.z[3] < R(1e-24));
    }
}

/* However flat the zero, no scheme is much slower than halving. */
static void test_flat(void)
{
    static const char *const names[] = {"CROSSES", "REGULA", "IHERMITE"};
    static Trail trail, halving;
    for (size_t k = 0; k < sizeof flat / sizeof flat[0]; k++) {
        follow(&flat[k], COSY_BISECT, &halving);
        for (int scheme = 0; scheme < 3; scheme++) {
            follow(&flat[k], (CosyScheme)scheme, &trail);
            expect_most(&flat[k], names[scheme], trail.count,
                        halving.count * 5 / 2 + 10);
            real width = cosy_abs(trail.end.far.t - trail.end.near.t);
            CHECK(trail.z[trail.count - 1] == R(0.0) ||
                  width <= R(4.0) * COSY_EPSILON);
        }
    }
}

/* Ends at which no interpolation is possible: halving. */
static void test_degenerate(void)
{
    const real nan = (real)NAN;
    const BracketPoint ends[][2] = {
        {{R(0.0), R(0.0), R(0.0)}, {R(1.0), R(1.0), R(1.0)}},
        {{R(0.0), R(-1.0), nan}, {R(1.0), R(1.0), nan}},
        {{R(0.0), R(-1.0), R(0.0)}, {R(1.0), R(1.0), R(0.0)}},
        {{R(0.0), -COSY_REAL_MAX, R(1.0)}, {R(1.0), COSY_REAL_MAX, R(1.0)}},
        {{R(0.0), R(-1e-300), R(1e-300)}, {R(1.0), R(1e-300), R(1e-300)}},
    };
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        for (int scheme = 0; scheme < 4; scheme++) {
            Bracket b;
            bracket_make(&b, ends[k][0], ends[k][1]);
            real t = bracket_next(&b, (CosyScheme)scheme);
            CHECK(t == R(0.5));
        }
}

static void test_ulp(void)
{
    CHECK(R(1.0) + time_ulp(R(1.0)) > R(1.0));
    CHECK(R(1.0) + time_ulp(R(1.0)) / R(4.0) == R(1.0));
    CHECK(time_ulp(R(-3.0)) == time_ulp(R(3.0)));
    CHECK(time_ulp(R(0.0)) > R(0.0));
}

int main(void)
{
    test_bisect();
    test_order();
    test_hermite();
    test_flat();
    test_degenerate();
    test_ulp();
    return check_end();
}
