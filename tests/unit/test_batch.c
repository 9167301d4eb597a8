/* Coverage of the interval for one long run: how often the true mean lies in
   it, over many seeds. The processes have known means: AR(1) has 0, the wait in
   an M/M/1 queue (Lindley's recursion, begun in its stationary law) has rho/(1
   - rho) services. */

#include "stats/batch.h"

#include <math.h>

#include "chance.h"
#include "check.h"
#include "cosy/model.h"
#include "host.h"
#include "stats/figures.h"

/* ---- Coverage ------------------------------------------------------------------ */

typedef struct Process {
    double p; // AR(1): coefficient; M/M/1: utilisation
    double (*first)(Chance *s, double p);
    double (*next)(Chance *s, double p, double x);
    double mean;
} Process;

static double ar_first(Chance *s, double p)
{
    return normal(s) / sqrt(1 - p * p);
}

static double ar_next(Chance *s, double p, double x)
{
    return p * x + normal(s);
}

static double wait_first(Chance *s, double p)
{
    return uniform(s) < p ? exponential(s) / (1 - p) : 0;
}

static double wait_next(Chance *s, double p, double x)
{
    double y = x + exponential(s) - exponential(s) / p;
    return y > 0 ? y : 0;
}

static const CosyNamed collects[] = {{.name = "X", .line = 1}};
static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_collects = 1,
                                .collects = collects};

typedef struct Coverage {
    unsigned given, hit; // runs with an interval; intervals that are right
} Coverage;

static Coverage coverage(const Process *p, long n, unsigned runs)
{
    Coverage k = {0};
    Host host;
    Cosy *c = host_open(&host, &model);
    const CosyCollect *s = c->collect;
    for (unsigned run = 0; run < runs; run++) {
        Chance chance = chance_begin(run);
        double x = p->first(&chance, p->p);
        host_reset(c);
        for (long i = 0; i < n; i++) {
            cosy_collect(c, 0, (real)x);
            x = p->next(&chance, p->p, x);
        }
        BatchInterval b = batch_interval(s->batch, s->batches, s->mean);
        k.given += b.batches > 0;
        k.hit += b.batches > 0 && (double)b.low <= p->mean &&
                 p->mean <= (double)b.high;
    }
    host_close(&host);
    return k;
}

/* With 1000 runs the share itself has a standard error of 0.7 %: 93 to 98 % is
   0.95 within three of them, and one on top for the approximation. */
static void test_coverage(void)
{
    const Process ar5 = {0.5, ar_first, ar_next, 0};
    const Process ar9 = {0.9, ar_first, ar_next, 0};
    const Process white = {0.0, ar_first, ar_next, 0};
    const Process half = {0.5, wait_first, wait_next, 1};
    const Process busy = {0.8, wait_first, wait_next, 4};
    const struct {
        const Process *p;
        long n;
        unsigned runs;
        double least, most; // share of the intervals that are right
        double given;       // at least this many runs have one
    } row[] = {
        {&white, 1000, 1000, 0.93, 0.98, 0.97},
        {&ar5, 2000, 1000, 0.93, 0.98, 0.97},
        {&ar9, 10000, 1000, 0.93, 0.98, 0.97},
        {&half, 10000, 1000, 0.93, 0.98, 0.97},
        {&busy, 50000, 400, 0.915, 0.985, 0.97},
        // so short that it is noticed: few intervals, and they cover less
        {&busy, 2000, 1000, 0.85, 0.96, 0.50},
    };
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        Coverage c = coverage(row[k].p, row[k].n, row[k].runs);
        double share = (double)c.hit / (c.given ? c.given : 1);
        if (COSY_PRECISION == 1)
            printf("p = %.1f, n = %ld: %.3f of %u\n", row[k].p->p, row[k].n,
                   share, c.given);
        CHECK(share >= row[k].least && share <= row[k].most);
        CHECK(c.given >= row[k].given * row[k].runs);
    }
}

/* ---- Over time ------------------------------------------------------------------- */

static const CosyNamed levels[] = {{.name = "N", .line = 1}};
static const CosyModel timed = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_timepers = 1,
                                .timepers = levels};

/* The number in an M/M/1 system, begun in its stationary law: rho/(1 - rho) in the
   mean. Events come at rate 1 + rho while somebody is there. */
static bool covers(Cosy *c, Course *k, double rho, double span, unsigned run)
{
    Chance chance = chance_begin(run);
    double t = 0, n = floor(log(uniform(&chance)) / log(rho));
    c->head->t = R(0.0);
    host_reset(c);
    cosy_timepers_begin(c, 0, (real)n);
    CHECK(course_begin(k, c, (real)span) == STATUS_OK);
    while ((t += exponential(&chance) / (n > 0 ? 1 + rho : rho)) < span) {
        CHECK(course_to(k, c, (real)t) == STATUS_OK);
        c->head->t = (real)t;
        n += n > 0 && uniform(&chance) > rho / (1 + rho) ? -1 : 1;
        cosy_timepers(c, 0, (real)n);
    }
    c->head->t = (real)span;
    CHECK(course_end(k, c) == STATUS_OK);
    BatchInterval b = figures_timepers(c, 0, k).interval;
    double mean = rho / (1 - rho);
    return b.batches > 0 && (double)b.low <= mean && mean <= (double)b.high;
}

static void test_over_time(void)
{
    enum { RUNS = 400 };
    unsigned hit = 0;
    Host host;
    Course k;
    Arena arena = {0};
    Image image = {0};
    Cosy *c = host_open(&host, &timed);
    CHECK(course_create(&k, &timed, &arena, &image) == STATUS_OK);
    for (unsigned run = 0; run < RUNS; run++)
        hit += covers(c, &k, 0.5, 5000, run);
    printf("TIMEPERS: %u of %d\n", hit, RUNS);
    CHECK(hit > 0.915 * RUNS && hit < 0.985 * RUNS); // 0.95, 3 x 0.011
    course_free(&k);
    host_close(&host);
    arena_free(&arena);
}

/* ---- By hand --------------------------------------------------------------------- */

static void test_few(void)
{
    real x[64];
    for (int k = 0; k < 64; k++)
        x[k] = (real)(k * k % 7);
    CHECK(batch_interval(x, 31, R(3.0)).batches == 0);
    CHECK(batch_interval(x, 32, R(3.0)).batches > 0);
    // a quantity that only grows has no mean
    for (int k = 0; k < 64; k++)
        x[k] = (real)k;
    BatchInterval grows = batch_interval(x, 64, R(31.5));
    CHECK(grows.batches == 0 && grows.known && grows.correlation > R(0.8));
    for (int k = 0; k < 64; k++)
        x[k] = R(5.0);
    BatchInterval b = batch_interval(x, 64, R(5.0));
    CHECK(b.batches == 64 && b.low == R(5.0) && b.high == R(5.0));
    // what differs by its rounding only has no correlation
    for (int k = 0; k < 64; k++)
        x[k] = R(5.0) * (R(1.0) + (real)(k % 3) * COSY_EPSILON);
    b = batch_interval(x, 64, R(5.0));
    CHECK(b.known && b.correlation == R(0.0));
    CHECK(cosy_abs(b.high - R(5.0)) < R(16.0) * COSY_EPSILON);
}

/* Values that alternate at every step have no harmful correlation between
   neighbours and no skewness: the usual formula applies. 1 and -1 in turn, 64
   times: variance 64/63, t = 1.99834 for 63 degrees of freedom. */
static void test_plain(void)
{
    real x[64];
    for (int k = 0; k < 64; k++)
        x[k] = k % 2 ? R(1.0) : R(-1.0);
    BatchInterval b = batch_interval(x, 64, R(0.0));
    real half = R(1.998340542520741) * cosy_sqrt(R(1.0) / R(63.0));
    CHECK(b.batches == 64);
    CHECK(cosy_abs(b.high - half) < R(1e-12));
    CHECK(cosy_abs(b.low + half) < R(1e-12));
    // 1 - 63 4 / (2 64)
    CHECK(b.known && cosy_abs(b.correlation + R(0.96875)) < R(1e-12));
}

/* Batches are means of consecutive observations, whatever their number. */
static void test_batches(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    const CosyCollect *s = c->collect;
    for (uint64_t k = 0; k < 100000; k++) {
        cosy_collect(c, 0, (real)k);
        CHECK(s->batches < COSY_BATCHES && (k < 64 || s->batches >= 32));
        CHECK(s->batches * s->size + s->size - s->left == k + 1);
    }
    for (uint32_t k = 0; k < s->batches; k++)
        CHECK(s->batch[k] ==
              (real)k * (real)s->size + ((real)s->size - R(1.0)) / R(2.0));
    host_close(&host);
}

int main(void)
{
    test_few();
    test_plain();
    test_batches();
    if (COSY_PRECISION == 1)
        test_coverage();
    test_over_time();
    return check_end();
}
