#include "study/agree.h"

#include <math.h>

#include "check.h"

/* Digits of made-up runs: every rule separately. */

static const CosyVariable variables[] = {
    COSY_STATES("X", 0, 1, "", 1), COSY_STATES("Y", 1, 1, "", 1),
    COSY_ROW("N", "", COSY_REAL, COSY_TYPE_INTEGER, 0, 1, COSY_NONE, 1),
    COSY_ROW("R", "", COSY_REAL, COSY_TYPE_REAL, 8, 1, COSY_NONE, 1)};
static const CosyEventInfo events[] = {{"FLOOR", 1, 0}, {"WALL", 2, 0}};
static const CosyConditionInfo conditions[] = {
    {.name = "FLOOR", .kind = COSY_CONDIT, .event = 0},
    {.name = "WALL", .kind = COSY_CONDIT, .event = 1},
    {.name = "X > 0", .kind = COSY_HIDDEN, .event = 0}};
static const CosyModel model = {.n_variables = 4,
                                .variables = variables,
                                .n_state_events = 2,
                                .state_events = events,
                                .n_conditions_info = 3,
                                .conditions_info = conditions};

static void put_value(Digest *d, uint32_t which, bool whole, real v, real size)
{
    long double high = (long double)v;
    DigestValue one = {.kind = DIGEST_FINAL,
                       .which = which,
                       .whole = whole,
                       .value = {high, (long double)(v - (real)high)},
                       .size = (long double)size};
    CHECK(vector_append(&d->values, &one, sizeof one));
}

static void put_event(Digest *d, LogKind kind, uint32_t which, uint64_t detail,
                      double t)
{
    DigestEvent one = {.t = {(long double)t, 0},
                       .kind = (uint32_t)kind,
                       .which = which,
                       .detail = detail};
    CHECK(vector_append(&d->events_list, &one, sizeof one));
}

static void put_miss(Digest *d, uint32_t id, double t, double z)
{
    DigestMiss one = {.id = id, .copy = COSY_NONE, .t = t, .z = z, .size = 1};
    CHECK(vector_append(&d->misses, &one, sizeof one));
}

static Digest digest(bool closer)
{
    return (Digest){.run = 1,
                    .closer = closer,
                    .precision = COSY_PRECISION,
                    .relerr = 1e-6,
                    .span = 10,
                    .t_end = {10, 0}};
}

/* The run and its two variants. */
typedef struct Three {
    Digest base, closer, other;
    Verdict v;
} Three;

static Three three(void)
{
    return (Three){digest(false), digest(true), digest(false), {0}};
}

static void go(Three *k)
{
    CHECK(agree_compare(&k->v, &model, &k->base, &k->closer, &k->other, 0));
}

static void end(Three *k)
{
    agree_free(&k->v);
    digest_free(&k->base);
    digest_free(&k->closer);
    digest_free(&k->other);
}

static void put_x(Three *k, real base, real closer, real other, real size)
{
    put_value(&k->base, 0, false, base, size);
    put_value(&k->closer, 0, false, closer, size);
    put_value(&k->other, 0, false, other, size);
}

static double digits(const Three *k, size_t at)
{
    return ((const double *)(const void *)k->v.digits.bytes)[at];
}

static double times(const Three *k, size_t at)
{
    return ((const double *)(const void *)k->v.times.bytes)[at];
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-3;
}

/* ---- Values ------------------------------------------------------------------- */

static void test_worst(void)
{
    Three k = three();
    put_x(&k, R(1.0), R(1.0) + R(1e-7), R(1.0) - R(1e-6), R(1.0));
    go(&k);
    CHECK(k.v.compared && !k.v.parts);
    // The variants are further from each other than the run is from either.
    CHECK(near(digits(&k, 0), -log10(1.1e-6)));
    CHECK(k.v.wanted == 4);
    end(&k);
}

static void test_size(void)
{
    Three k = three();
    put_x(&k, R(1e-9), R(2e-9), R(1e-9), R(1.0));
    put_x(&k, R(0.0), R(0.0), R(1e-9), R(0.0));
    put_x(&k, R(100.0), R(100.1), R(100.0), R(1.0));
    go(&k);
    CHECK(near(digits(&k, 0), 9));
    CHECK(near(digits(&k, 1), 9)); // always zero: counted from 1
    CHECK(near(digits(&k, 2), 3));
    end(&k);
}

static void test_most(void)
{
    static const double most[] = {0, 15, 18, 33};
    Three k = three();
    put_x(&k, R(1.5), R(1.5), R(1.5), R(1.0));
    put_x(&k, R(1.0), R(1.0) + R(4.0) * COSY_EPSILON, R(1.0), R(1.0));
    put_x(&k, R(1.0), R(3.0), R(1.0), R(1.0));
    go(&k);
    CHECK(digits(&k, 0) == most[COSY_PRECISION]);
    // The last places of QUAD are not lost on the way.
    CHECK(near(digits(&k, 1),
               fmin(-(double)log10l((long double)(R(4.0) * COSY_EPSILON)),
                    most[COSY_PRECISION])));
    CHECK(digits(&k, 2) == 0);
    end(&k);
}

static void test_fixed(void)
{
    Three k = three();
    k.base.fixed = k.closer.fixed = k.other.fixed = true;
    put_x(&k, R(1.0), R(1.0) + R(5e-4), R(1.0), R(1.0));
    go(&k);
    CHECK(near(digits(&k, 0), 3)); // the other half of the error
    end(&k);
}

static void test_whole(void)
{
    Three k = three();
    put_value(&k.base, 2, true, R(3.0), R(0.0));
    put_value(&k.closer, 2, true, R(3.0), R(0.0));
    put_value(&k.other, 2, true, R(4.0), R(0.0));
    go(&k);
    CHECK(digits(&k, 0) == AGREE_DIFFERS);
    end(&k);
}

static void test_not_finite(void)
{
    Three k = three();
    put_x(&k, R(1.0), (real)NAN, R(1.0), R(1.0));
    put_x(&k, (real)INFINITY, (real)INFINITY, (real)INFINITY, R(1.0));
    go(&k);
    CHECK(isnan(digits(&k, 0)) && isnan(digits(&k, 1)));
    end(&k);
}

/* A discrete variable that no variant changes by a bit is equal, no more. */
static void test_untouched(void)
{
    Three k = three();
    put_value(&k.base, 3, false, R(0.1), R(1.0));
    put_value(&k.closer, 3, false, R(0.1), R(1.0));
    put_value(&k.other, 3, false, R(0.1), R(1.0));
    go(&k);
    CHECK(digits(&k, 0) == AGREE_EQUAL);
    end(&k);
}

/* No more is claimed than the growth of errors leaves. */
static void test_cap(void)
{
    Three k = three();
    k.closer.grown = 1e4; // times RELERR of 1e-6
    put_x(&k, R(1.0), R(1.0) + R(1e-9), R(1.0), R(1.0));
    go(&k);
    CHECK(near(digits(&k, 0), 2));
    end(&k);
}

/* Next to a state without digits, others agree by chance. */
static void test_chance(void)
{
    Three k = three();
    put_x(&k, R(1.0), R(3.0), R(-5.0), R(1.0));
    put_value(&k.base, 1, false, R(1.0), R(1.0));
    put_value(&k.closer, 1, false, R(1.001), R(1.0));
    put_value(&k.other, 1, false, R(1.002), R(1.0));
    go(&k);
    CHECK(digits(&k, 0) == 0 && digits(&k, 1) == 1);
    end(&k);
}

/* ---- Events ------------------------------------------------------------------------- */

static void put_all(Three *k, uint32_t which, double base, double closer,
                    double other)
{
    put_event(&k->base, LOG_STATE, which, 0, base);
    put_event(&k->closer, LOG_STATE, which, 0, closer);
    put_event(&k->other, LOG_STATE, which, 0, other);
}

static void test_times(void)
{
    Three k = three();
    put_all(&k, 0, 2, 2 + 2e-6, 2);
    put_all(&k, 1, 5, 5, 5);
    go(&k);
    CHECK(!k.v.parts);
    CHECK(near(times(&k, 0), 6));
    CHECK(times(&k, 1) >= 15 && k.v.t_end >= 15);
    end(&k);
}

static void test_other_order(void)
{
    Three k = three();
    put_all(&k, 0, 1, 1, 1);
    put_event(&k.base, LOG_STATE, 0, 0, 3);
    put_event(&k.closer, LOG_STATE, 0, 0, 3);
    put_event(&k.other, LOG_STATE, 1, 0, 2.9);
    put_x(&k, R(1.0), R(1.0), R(1.0), R(1.0));
    go(&k);
    CHECK(k.v.compared && k.v.parts && near((double)k.v.parts_at, 2.9));
    CHECK(strstr(k.v.parts_words, "FLOOR at 3") &&
          strstr(k.v.parts_words, "WALL at 2.9"));
    CHECK(times(&k, 0) >= 15 && isnan(times(&k, 1)));
    CHECK(isnan(digits(&k, 0)) && isnan(k.v.t_end));
    end(&k);
}

static void test_one_more(void)
{
    Three k = three();
    put_event(&k.closer, LOG_STATE, 1, 0, 7);
    go(&k);
    CHECK(k.v.parts && k.v.parts_at == 7);
    CHECK(strstr(k.v.parts_words, "no further event"));
    end(&k);
    k = three();
    k.base.cut = true; // its list is not complete: that says nothing
    put_event(&k.closer, LOG_STATE, 1, 0, 7);
    go(&k);
    CHECK(!k.v.parts);
    end(&k);
}

/* The earlier of two divergences counts; backward in time, the later. */
static void test_earlier(void)
{
    Three k = three();
    put_event(&k.closer, LOG_STATE, 1, 0, 7);
    put_event(&k.other, LOG_STATE, 1, 0, 4);
    go(&k);
    CHECK(k.v.parts && k.v.parts_at == 4);
    end(&k);
    k = three();
    k.base.t_begin = 20;
    put_event(&k.closer, LOG_STATE, 1, 0, 17);
    put_event(&k.other, LOG_STATE, 1, 0, 14);
    go(&k);
    CHECK(k.v.parts && k.v.parts_at == 17);
    end(&k);
}

/* How many blows there are before a rest is a matter of the tolerance. */
static void test_rest(void)
{
    Three k = three();
    put_all(&k, 0, 1, 1, 1);
    put_event(&k.base, LOG_REST, 0, 1, 2);
    put_event(&k.closer, LOG_STATE, 0, 0, 1.99);
    put_event(&k.closer, LOG_STATE, 0, 0, 1.999);
    put_event(&k.closer, LOG_REST, 0, 1, 2);
    put_event(&k.other, LOG_REST, 0, 1, 2);
    put_all(&k, 1, 5, 5, 5);
    go(&k);
    CHECK(!k.v.parts && times(&k, 2) >= 15);
    end(&k);
}

/* The end of a slide is not an event: another event may come before or after
   it. */
static void test_slide(void)
{
    Three k = three();
    put_event(&k.base, LOG_SLIDE, 2, 0, 2);
    put_all(&k, 0, 2, 2, 2);
    put_event(&k.other, LOG_SLIDE, 2, 0, 2);
    go(&k);
    CHECK(!k.v.parts && times(&k, 1) >= 15);
    end(&k);
}

/* ---- Thresholds that are nearly touched ------------------------------------------------ */

static void test_misses(void)
{
    Three k = three();
    put_miss(&k.closer, 0, 3, -1e-3);
    put_miss(&k.other, 0, 3.0001, -1.0001e-3);
    put_miss(&k.closer, 2, 4, -1e-9); // a relation in an equation
    put_miss(&k.other, 2, 4, -3e-9);
    go(&k);
    CHECK(!k.v.parts);
    end(&k);
    k = three();
    put_miss(&k.closer, 0, 3, -1e-9);
    put_miss(&k.other, 0, 3.0001, -3e-9);
    go(&k);
    CHECK(k.v.parts && near((double)k.v.parts_at, 3.0001));
    CHECK(strstr(k.v.parts_words, "FLOOR comes as near as"));
    end(&k);
    k = three();
    put_miss(&k.closer, 2, 3, -1e-9);
    put_miss(&k.other, 2, 3, -3e-9);
    ((DigestMiss *)(void *)k.other.misses.bytes)->jumps = true;
    go(&k);
    CHECK(k.v.parts && k.v.parts_at == 3);
    end(&k);
}

/* ---- Doubles that do not count ----------------------------------------------------------- */

static void test_failed(void)
{
    Three k = three();
    k.other.status = STATUS_NUMBER;
    snprintf(k.other.message, sizeof k.other.message, "it broke");
    snprintf(k.other.methods, sizeof k.other.methods, "GEAR");
    put_x(&k, R(1.0), R(1.0), R(1.0), R(1.0));
    go(&k);
    CHECK(!k.v.compared && k.v.digits.used == 0);
    CHECK(strstr(k.v.why, "METHOD GEAR") &&
          strstr(k.v.why, " failed: it broke"));
    end(&k);
    k = three();
    k.base.status = STATUS_NUMBER;
    go(&k);
    CHECK(!k.v.compared && strstr(k.v.why, "did not finish"));
    end(&k);
    k = three();
    k.base.status = k.closer.status = k.other.status = STATUS_STOPPED;
    go(&k); // all by the same limit
    CHECK(k.v.compared);
    end(&k);
    k = three();
    k.base.status = k.closer.status = k.other.status = STATUS_STOPPED;
    k.other.spent = true;
    go(&k);
    CHECK(!k.v.compared);
    end(&k);
}

static void test_one_double(void)
{
    Three k = three();
    put_x(&k, R(1.0), R(1.0) + R(1e-8), R(9.0), R(1.0));
    CHECK(agree_compare(&k.v, &model, &k.base, &k.closer, NULL, 7));
    CHECK(k.v.compared && near(digits(&k, 0), 8) && k.v.wanted == 7);
    end(&k);
    k = three();
    CHECK(agree_compare(&k.v, &model, &k.base, NULL, NULL, 0));
    CHECK(!k.v.compared);
    end(&k);
}

static void test_means(void)
{
    DigestMean a = {.n = 5, .mean = {4, 0}, .size = 4}, b = a, c = a;
    b.mean.high = 4 + 4e-5L;
    CHECK(near(agree_means(&a, &b, &c, 1), 5));
    CHECK(near(agree_means(&a, &b, NULL, 1), 5));
    c.n = 6;
    CHECK(isnan(agree_means(&a, &b, &c, 1)));
}

int main(void)
{
    test_worst();
    test_size();
    test_most();
    test_fixed();
    test_whole();
    test_not_finite();
    test_untouched();
    test_cap();
    test_chance();
    test_times();
    test_other_order();
    test_one_more();
    test_earlier();
    test_rest();
    test_slide();
    test_misses();
    test_failed();
    test_one_double();
    test_means();
    return check_end();
}
