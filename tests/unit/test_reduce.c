#include "solve/reduce.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "solve/modes.h"
#include "solve/plant.h"

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

/* ---- Plants ------------------------------------------------------------------------ */

/* s^2 + 2 s + 5 = 0: poles -1 +- 2i. y = x1 after a step is (1 - e^-t (cos 2t + sin
   2t / 2))/5; at w the gain is 1/(5 - w^2 + 2 i w). */
static void test_oscillator(void)
{
    const double a[] = {0.0, -5.0, 1.0, -2.0};
    Arena arena = {0};
    Plant p;
    PlantSteps s;
    Gain g, room[2];
    CHECK(plant_make(&p, 2, 1, 1, &arena));
    memcpy(p.a, a, sizeof a);
    p.b[1] = 1.0;
    p.c[0] = 1.0;
    CHECK(plant_shape(&p, NULL, &arena) == STATUS_OK);
    for (double w = 0.0; w < 8.0; w += 0.5) {
        double re = 5.0 - w * w, im = 2.0 * w, size = re * re + im * im;
        plant_gain(&p, w, &g, room);
        CHECK(near(g.re, re / size, 1e-14) && near(g.im, -im / size, 1e-14));
    }
    plant_gain(&p, INFINITY, &g, room);
    CHECK(g.re == 0.0 && g.im == 0.0);
    CHECK(plant_steps(&p, 1e-3, 20.0, &s, &arena));
    for (size_t k = 0; k < s.count; k++) {
        double t = s.t[k], c = cos(2.0 * t), d = sin(2.0 * t);
        CHECK(near(s.y[k], (1.0 - exp(-t) * (c + d / 2.0)) / 5.0, 1e-13));
    }
    CHECK(s.t[s.count - 1] >= 10.0);
    arena_free(&arena);
}

/* Motions 12 decades apart: both keep their digits. */
static void test_far_apart(void)
{
    Arena arena = {0};
    Plant p;
    PlantSteps s;
    CHECK(plant_make(&p, 2, 1, 2, &arena));
    p.a[0] = -1e6;
    p.a[3] = -1e-6;
    p.b[0] = 1e6;
    p.b[1] = 1e-6;
    p.c[0] = p.c[3] = 1.0;
    CHECK(plant_shape(&p, NULL, &arena) == STATUS_OK);
    CHECK(plant_steps(&p, 1e-8, 1e7, &s, &arena));
    for (size_t k = 0; k < s.count; k++) {
        CHECK(near(s.y[2 * k], -expm1(-1e6 * s.t[k]), 1e-12));
        CHECK(fabs(s.y[2 * k + 1] / -expm1(-1e-6 * s.t[k]) - 1.0) < 1e-12);
    }
    arena_free(&arena);
}

/* ---- Modes ------------------------------------------------------------------------- */

/* x' = -1000 x + 1000 y, y' = -x/2: the eigenvalues are the roots of s^2 + 1000 s +
   500. Of a 2 by 2 matrix the residues of (s - A)^-1 are (s - a22)/(2 s - a11 - a22)
   for x, here s/(2 s + 1000), and the rest of 1 for y; shares are their sizes. */
static double share_of_x(double s)
{
    double x = s / (2.0 * s + 1000.0);
    return fabs(x) / (fabs(x) + fabs(1.0 - x));
}

static void test_shares(void)
{
    Arena arena = {0};
    Modes m;
    double a[] = {-1000.0, -0.5, 1000.0, 0.0};
    ModeCarrier list[MODE_CARRIERS];
    CHECK(modes_find(&m, 2, a, NULL, &arena) && m.count == 2);
    for (size_t k = 0; k < 2; k++) {
        double s = m.re[k], share = share_of_x(s);
        CHECK(near(s * s + 1000.0 * s, -500.0, 1e-9));
        CHECK(near(m.share[2 * k], share, 1e-9));
        CHECK(near(m.share[2 * k + 1], 1.0 - share, 1e-9));
        CHECK(modes_carriers(&m, k, list) == 1);
        CHECK(list[0].state == (s < -1.0 ? 0 : 1));
    }
    arena_free(&arena);
}

/* The same as a pair of matrices, with 0 = z - x behind it, which has no mode: the
   share of z is 0. 2 x' = ... halves what x does. */
static void test_pair(void)
{
    Arena arena = {0};
    Modes m;
    double a[] = {-2000.0, -0.5, -1.0, 2000.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    double mass[] = {2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    CHECK(modes_find(&m, 3, a, mass, &arena) && m.count == 2);
    for (size_t k = 0; k < m.count; k++) {
        double s = m.re[k], share = share_of_x(s);
        CHECK(near(s * s + 1000.0 * s, -500.0, 1e-9));
        CHECK(near(m.share[3 * k], share, 1e-9));
        CHECK(m.share[3 * k + 2] < 1e-12);
    }
    arena_free(&arena);
}

/* Two oscillators that do not know of each other: both states of each carry a half,
   and those of the other nothing. */
static void test_oscillators(void)
{
    Arena arena = {0};
    Modes m;
    double a[16] = {0.0};
    ModeCarrier list[MODE_CARRIERS];
    a[4] = 1.0;
    a[1] = -4.0;
    a[14] = 1.0;
    a[11] = -25.0;
    CHECK(modes_find(&m, 4, a, NULL, &arena) && m.count == 4);
    for (size_t k = 0; k < 4; k++) {
        bool slow = fabs(m.im[k]) < 3.0;
        CHECK(near(fabs(m.im[k]), slow ? 2.0 : 5.0, 1e-14));
        CHECK(modes_carriers(&m, k, list) == 2);
        CHECK(list[0].state / 2 == (slow ? 0 : 1));
        CHECK(near(list[0].share, 0.5, 1e-14));
        CHECK(near(list[1].share, 0.5, 1e-14));
    }
    arena_free(&arena);
}

/* ---- Reduction --------------------------------------------------------------------- */

static Gain gain_at(const LinearSystem *s, double w, Arena *a)
{
    Plant p;
    Gain g = {NAN, NAN}, *room = NEW_ARRAY(a, Gain, s->states + 1);
    if (!plant_make(&p, (int)s->states, 1, 1, a) || !room)
        return g;
    for (size_t i = 0; i < s->states; i++) {
        for (size_t k = 0; k < s->states; k++)
            p.a[k * s->states + i] = s->a[i * s->states + k];
        p.b[i] = s->b[i];
        p.c[i] = s->c[i];
    }
    p.d[0] = s->d[0];
    if (plant_shape(&p, NULL, a) != STATUS_OK)
        return g;
    plant_gain(&p, w, &g, room);
    return g;
}

static double gain_at_rest(const LinearSystem *s, Arena *a)
{
    return gain_at(s, 0.0, a).re;
}

static Reduction reduced(LinearSystem *s, int states, double accuracy, Arena *a)
{
    const ReduceWish wish = {states, accuracy};
    Reduction r;
    CHECK(reduce_linear(s, &wish, &r, a) == STATUS_OK);
    return r;
}

/* 1/(s + 1)^2: the Hankel singular values are (sqrt 2 +- 1)/4, although A has one
   eigenvector only. */
static void test_hankel(void)
{
    Arena arena = {0};
    double a[] = {-1.0, 0.0, 1.0, -1.0}, b[] = {1.0, 0.0}, c[] = {0.0, 1.0};
    double d[] = {0.0};
    LinearSystem s = {2, 1, 1, a, b, c, d};
    Reduction r = reduced(&s, 1, 0.01, &arena);
    CHECK(r.end == REDUCE_FOUND && r.small.states == 1 && r.lasting == 0);
    CHECK(r.hankels == 2);
    CHECK(near(r.hankel[0], (sqrt(2.0) + 1.0) / 4.0, 1e-12));
    CHECK(near(r.hankel[1], (sqrt(2.0) - 1.0) / 4.0, 1e-12));
    CHECK(near(r.bound, (sqrt(2.0) - 1.0) / 2.0, 1e-12));
    CHECK(near(r.gain.size, r.bound, 1e-12)); // it jumps by this at the start
    CHECK(near(gain_at_rest(&r.small, &arena), 1.0, 1e-12));
    arena_free(&arena);
}

/* 1/(s + 1) + 1/(s + 3) is symmetric: both Gramians are [1/2 1/4; 1/4 1/6], whose
   eigenvalues are the Hankel singular values, here divided by the greatest gain, 4/3.
   The bound is reached, by the jump that a step begins with. */
static void test_symmetric(void)
{
    Arena arena = {0};
    double a[] = {-1.0, 0.0, 0.0, -3.0}, b[] = {1.0, 1.0}, c[] = {1.0, 1.0};
    double d[] = {0.0}, root = sqrt(13.0) / 6.0;
    LinearSystem s = {2, 1, 1, a, b, c, d};
    Reduction r = reduced(&s, 1, 0.01, &arena);
    CHECK(near(r.hankel[0], (2.0 / 3.0 + root) / 2.0 * 0.75, 1e-12));
    CHECK(near(r.hankel[1], (2.0 / 3.0 - root) / 2.0 * 0.75, 1e-11));
    CHECK(near(r.gain.size, r.bound, 1e-11));
    CHECK(near(r.small.d[0], r.bound * 4.0 / 3.0, 1e-11));
    CHECK(near(r.step.size, r.bound, 0.05) && r.step.size <= r.bound);
    CHECK(near(gain_at_rest(&r.small, &arena), 4.0 / 3.0, 1e-12));
    CHECK(r.small.b[0] > 0.0 && r.small.c[0] > 0.0);
    CHECK(near(r.re[0], r.small.a[0], 1e-14));
    arena_free(&arena);
}

/* A slow tank with a fast sensor: 1/((s + 1)(s/1000 + 1)). One state is enough for one
   percent, two for one in ten million. */
static void test_two_speeds(void)
{
    Arena arena = {0};
    double a[] = {-1.0, 0.0, 1000.0, -1000.0}, b[] = {1.0, 0.0};
    double c[] = {0.0, 1.0}, d[] = {0.0};
    LinearSystem s = {2, 1, 1, a, b, c, d};
    Reduction r = reduced(&s, REDUCE_FREE, 0.01, &arena);
    CHECK(r.small.states == 1 && near(r.re[0], -1.0, 0.01));
    CHECK(r.gain.size < 0.01 && r.step.size < 0.01 && r.gain.size > 1e-4);
    r = reduced(&s, REDUCE_FREE, 1e-7, &arena);
    CHECK(r.small.states == 2 && r.gain.size < 1e-10 && r.step.size < 1e-10);
    r = reduced(&s, 0, 0.01, &arena);
    CHECK(r.small.states == 0 && near(r.small.d[0], 1.0, 1e-12));
    CHECK(near(r.gain.size, 1.0, 1e-3));
    arena_free(&arena);
}

/* What nobody moves or sees is left out whatever the accuracy. */
static void test_unseen(void)
{
    Arena arena = {0};
    double a[] = {-1.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, -0.001};
    double b[] = {1.0, 0.0, 1.0}, c[] = {1.0, 1.0, 0.0}, d[] = {0.5};
    LinearSystem s = {3, 1, 1, a, b, c, d};
    Reduction r = reduced(&s, REDUCE_FREE, 1e-6, &arena);
    CHECK(r.small.states == 1 && near(r.re[0], -1.0, 1e-12));
    CHECK(near(r.small.d[0], 0.5, 1e-12) && r.gain.size < 1e-12);
    r = reduced(&s, 3, 1e-6, &arena);
    CHECK(r.small.states == 1);
    arena_free(&arena);
}

/* 1/s + 1/(s - 1/2) + 1/(s + 1) + 1/(s + 1000), behind a change of variables: what
   does not decay is kept, and fewer states than that are refused. */
static void test_lasting(void)
{
    Arena arena = {0};
    double a[] = {0.0, 0.5, 0.0,  0.0, 0.0, 0.5, -1.5, 0.0,
                  0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0,  -1000.0};
    double b[] = {3.0, 2.0, 1.0, 1.0}, c[] = {1.0, 0.0, 0.0, 1.0}, d[] = {0.0};
    LinearSystem s = {4, 1, 1, a, b, c, d};
    Reduction r = reduced(&s, REDUCE_FREE, 0.01, &arena);
    CHECK(r.end == REDUCE_FOUND && r.lasting == 2 && r.small.states == 3);
    double grows = fmax(r.re[0], r.re[1]), stays = fmin(r.re[0], r.re[1]);
    CHECK(near(grows, 0.5, 1e-12) && near(stays, 0.0, 1e-12));
    CHECK(r.gain.size < 0.01 && r.step.size < 0.01);
    for (double w = 0.1; w < 10.0;
         w *= 2.0) { // the parts are put together well
        Gain g = gain_at(&s, w, &arena), h = gain_at(&r.small, w, &arena);
        CHECK(hypot(g.re - h.re, g.im - h.im) < 0.002);
    }
    r = reduced(&s, 1, 0.01, &arena);
    CHECK(r.end == REDUCE_TOO_FEW && r.lasting == 2);
    r = reduced(&s, 2, 0.01, &arena);
    CHECK(r.end == REDUCE_FOUND && r.small.states == 2);
    arena_free(&arena);
}

/* A rod of 40 cells, heated at one end and measured in two places. */
enum { CELLS = 40 };

static void make_rod(LinearSystem *s, double in, double out, Arena *a)
{
    size_t n = CELLS;
    *s = (LinearSystem){CELLS,
                        1,
                        2,
                        NEW_ARRAY(a, double, n *n),
                        NEW_ARRAY(a, double, n),
                        NEW_ARRAY(a, double, 2 * n),
                        NEW_ARRAY(a, double, 2)};
    for (size_t i = 0; i < n; i++) {
        s->a[i * n + i] = -2.0 * CELLS * CELLS;
        if (i > 0)
            s->a[i * n + i - 1] = CELLS * CELLS;
        if (i + 1 < n)
            s->a[i * n + i + 1] = CELLS * CELLS;
    }
    s->b[0] = CELLS * CELLS * in;
    s->c[20] = 1.0;
    s->c[n + 30] = out;
}

/* The check never finds more than the bound allows, fewer states are worse, and
   neither depends on units. */
static void test_rod(void)
{
    Arena arena = {0};
    LinearSystem s, scaled;
    make_rod(&s, 1.0, 1.0, &arena);
    make_rod(&scaled, 1e-5, 1e7, &arena);
    double before = INFINITY;
    for (int k = 0; k <= 6; k++) {
        Reduction r = reduced(&s, k, 0.01, &arena);
        Reduction other = reduced(&scaled, k, 0.01, &arena);
        CHECK(r.gain.size <= r.bound * (1.0 + 1e-9));
        CHECK(r.gain.size < before);
        before = r.gain.size;
        CHECK(near(other.gain.size, r.gain.size, 1e-6));
        CHECK(near(other.bound, r.bound, 1e-6));
        CHECK(near(other.hankel[0], r.hankel[0], 1e-9));
    }
    Reduction r = reduced(&s, REDUCE_FREE, 0.01, &arena);
    CHECK(r.small.states > 1 && r.small.states < 8);
    CHECK(r.gain.size <= 0.01 && r.step.size <= 0.01);
    Reduction fewer = reduced(&s, (int)r.small.states - 1, 0.01, &arena);
    CHECK(fmax(fewer.gain.size, fewer.step.size) > 0.01);
    arena_free(&arena);
}

int main(void)
{
    test_oscillator();
    test_far_apart();
    test_shares();
    test_pair();
    test_oscillators();
    test_hankel();
    test_symmetric();
    test_two_speeds();
    test_unseen();
    test_lasting();
    test_rod();
    return check_end();
}
