/* The discrete models. A queue with one server needs no calendar: customer k is
   served from max(arrival, end of service of k - 1) on (Lindley's recursion).
   With the same random numbers it must agree with every customer of the
   simulation; and over many seeds the mean must agree with the theory of the
   M/M/1 queue. */

#include "trial.h"

#include <stdlib.h>

#include "../unit/check.h"
#include "events/stream.h"

enum { CELLS = 40 };

/* ---- The same numbers ---------------------------------------------------- */

/* A stream as the kernel starts it for run 1. */
typedef struct Draws {
    CosyStreamInfo info;
    CosyStream stream;
    uint32_t number;
    uint64_t seed; // seed of the experiment
} Draws;

static Draws draws(uint32_t number, CosyDistribution distribution, double a,
                   double b, uint64_t own_seed, uint64_t seed)
{
    Draws d = {.number = number, .seed = seed};
    bool uniform = distribution == COSY_UNIFORMD;
    d.info = (CosyStreamInfo){
        .distribution = distribution, .a = a, .b = b, .seed = own_seed};
    d.stream = (CosyStream){.seed = own_seed,
                            .run = 1,
                            .distribution = distribution,
                            .a = a,
                            .b = b,
                            .shift = uniform ? a : 0.0,
                            .scale = uniform ? b - a : a,
                            .at = COSY_BATCH};
    return d;
}

static double draw(Draws *d)
{
    CosyStream *s = &d->stream;
    if (s->at == COSY_BATCH)
        stream_fill(NULL, s, d->number, d->seed);
    return s->shift + s->scale * s->batch[s->at++];
}

/* ---- The recursion ------------------------------------------------------- */

typedef struct Sample {
    double sum, square, min, max;
    uint64_t cell[CELLS];
} Sample;

static void sample_add(Sample *s, double value, uint64_t n, double first,
                       double width, uint32_t cells)
{
    uint32_t k = 0;
    while (k < cells + 1 && value > first + k * width)
        k++;
    s->cell[k]++;
    s->sum += value;
    s->square += value * value;
    s->min = n == 0 ? value : fmin(s->min, value);
    s->max = n == 0 ? value : fmax(s->max, value);
}

typedef struct Shop {
    double end;  // end of the last service
    double busy; // busy time of the server
    Sample wait, stay;
    uint64_t waited; // customers that had to wait
} Shop;

static Shop lindley(Draws *arrivals, Draws *services, uint64_t customers)
{
    Shop s = {0};
    double arrival = 0.0;
    for (uint64_t k = 0; k < customers; k++) {
        arrival += draw(arrivals);
        double start = fmax(arrival, s.end);
        double service = draw(services);
        s.waited += start > arrival;
        s.end = start + service;
        s.busy += service;
        sample_add(&s.wait, start - arrival, k, 0.0, 2.0, 30);
        sample_add(&s.stay, s.end - arrival, k, 13.0, 3.0, 20);
    }
    return s;
}

/* ---- Barbershop ---------------------------------------------------------- */

static bool near(double found, double expected)
{
    bool is = fabs(found - expected) <= 1e-9 * fmax(1.0, fabs(expected));
    if (!is)
        printf("%.17g, not %.17g\n", found, expected);
    return is;
}

static void check_collect(Trial *t, const char *name, const Sample *s, double n)
{
    double mean = s->sum / n;
    CHECK(trial_number(t, "collect", name, "n", NULL) == n);
    CHECK(near(trial_number(t, "collect", name, "mean", NULL), mean));
    CHECK(near(trial_number(t, "collect", name, "sd", NULL),
               sqrt((s->square - n * mean * mean) / (n - 1.0))));
    CHECK(near(trial_number(t, "collect", name, "min", NULL), s->min));
    CHECK(near(trial_number(t, "collect", name, "max", NULL), s->max));
}

static void check_histogram(Trial *t, const char *name, const Sample *s,
                            uint32_t cells)
{
    Buffer b = {0};
    for (uint32_t k = 0; k < cells + 2; k++)
        buffer_format(&b, "%s%llu", k ? ", " : "\"counts\": [",
                      (unsigned long long)s->cell[k]);
    buffer_char(&b, ']');
    const char *at = strstr(buffer_string(&t->json), "\"histogram\": ");
    char key[40];
    snprintf(key, sizeof key, "\"%s\": ", name);
    at = at ? strstr(at, key) : NULL;
    at = at ? strstr(at, "\"counts\"") : NULL;
    CHECK(at != NULL);
    if (at)
        CHECK(strncmp(at, buffer_string(&b), strlen(buffer_string(&b))) == 0);
    buffer_free(&b);
}

static void check_barbershop(uint64_t seed, const char *customers)
{
    const double n = atof(customers) + 1.0; // COUNT > MAXCOUNT ends it
    Draws arrivals = draws(0, COSY_EXPOND, 15.0, 0.0, 23577, seed);
    Draws services = draws(1, COSY_UNIFORMD, 12.0, 18.0, 74501, seed);
    Shop s = lindley(&arrivals, &services, (uint64_t)n);
    const KernelSetting set = {"MAXCOUNT", customers};
    Trial t;
    TRIAL(&t, "barbershop", "double", .seed = seed, .set = &set, .sets = 1);
    CHECK(t.status == STATUS_OK);
    CHECK(near(trial_number(&t, "t_end", NULL), s.end));
    CHECK(trial_number(&t, "final", "COUNT", NULL) == n);
    check_collect(&t, "TIQUE", &s.wait, n);
    check_collect(&t, "TISYS", &s.stay, n);
    check_histogram(&t, "TIQUE", &s.wait, 30);
    check_histogram(&t, "TISYS", &s.stay, 20);
    double busy = s.busy / s.end;
    CHECK(near(trial_number(&t, "timepers", "BUSY", "time", NULL), s.end));
    CHECK(near(trial_number(&t, "timepers", "BUSY", "mean", NULL), busy));
    CHECK(near(trial_number(&t, "timepers", "BUSY", "sd", NULL),
               sqrt(busy - busy * busy)));
    CHECK(trial_number(&t, "timepers", "BUSY", "max", NULL) == 1.0);
    CHECK(near(trial_number(&t, "facility", "JOE", "utilisation", NULL), busy));
    CHECK(trial_number(&t, "facility", "JOE", "waits", NULL) >=
          (double)s.waited);
    trial_end(&t);
}

static void test_barbershop(void)
{
    for (uint64_t seed = 0; seed < 50; seed++)
        check_barbershop(seed, "100");
    check_barbershop(3, "300");
}

/* ---- M/M/1 --------------------------------------------------------------- */

static double mm1_stay(uint64_t seed, const char *customers)
{
    const double n = atof(customers);
    Draws arrivals = draws(0, COSY_EXPOND, 1.25, 0.0, 1, seed);
    Draws services = draws(1, COSY_EXPOND, 1.0, 0.0, 2, seed);
    Shop s = lindley(&arrivals, &services, (uint64_t)n);
    const KernelSetting set = {"CUSTOMERS", customers};
    Trial t;
    TRIAL(&t, "mm1", "double", .seed = seed, .set = &set, .sets = 1);
    CHECK(t.status == STATUS_OK);
    double stay = trial_number(&t, "final", "STAY", NULL);
    CHECK(near(stay, s.stay.sum));
    CHECK(near(trial_number(&t, "t_end", NULL), s.end));
    trial_end(&t);
    return stay / n;
}

/* Mean stay 1 / (1/1.0 - 1/1.25) = 5 in the long run. From an empty queue the
   mean of n customers is less by about 5 * 32 / n (the queue needs some hundred
   customers to fill). */
static void test_mm1(void)
{
    enum { SEEDS = 60 };
    const double t99 = 2.66; // Student, 59 degrees of freedom
    double sum = 0.0, square = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double stay = mm1_stay(seed, "20000");
        sum += stay;
        square += stay * stay;
    }
    double mean = sum / SEEDS;
    double half = t99 * sqrt((square / SEEDS - mean * mean) / (SEEDS - 1.0));
    printf("mm1: mean stay %.4f +- %.4f\n", mean, half);
    CHECK(fabs(mean - 5.0) < half);
    CHECK(half < 0.2);
}

int main(void)
{
    test_barbershop();
    test_mm1();
    return check_end();
}
