/* M/M/1 as DISCRETE PROCESS (tests/contract/mm1.c) against mm1_bare.c.

       mm1 [CUSTOMERS]

   prints customers per second of both sides and the ratio of their times, each
   the median of several rounds in which the sides take turns. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/mm1.h"
#include "tests/unit/host.h"

enum { ROUNDS = 9 };

extern const CosyModel COSY_NAME(cosy_model);

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Mm1 mm1_cosy(int64_t customers)
{
    const CosyModel *m = &COSY_NAME(cosy_model);
    Host host;
    Cosy *c = host_open(&host, m);
    m->reset(c);
    *(int64_t *)c->data = customers; // CUSTOMERS, the first of its data
    m->initial(c);
    host_run(c, COSY_NEVER);
    struct {
        int64_t customers, served;
        double stay;
    } *data = c->data;
    const CosyResource *r = c->resource;
    real t = c->head->t;
    Mm1 result = {
        .served = data->served,
        .entries = r->entries,
        .waits = r->waits,
        .most_waiting = r->most_waiting,
        .t = t,
        .stay = data->stay,
        .wait = r->wait_sum,
        .wait_max = r->wait_max,
        .busy = r->used_area + (double)r->used * (t - r->used_since),
        .queue = r->wait_area,
    };
    host_close(&host);
    return result;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, by_size);
    return x[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 5000000;
    double bare[ROUNDS], cosy[ROUNDS], ratio[ROUNDS];
    Mm1 a = {0}, b = {0};
    for (int k = 0; k < ROUNDS; k++) {
        double t0 = seconds();
        a = mm1_bare(n);
        double t1 = seconds();
        b = mm1_cosy(n);
        bare[k] = t1 - t0;
        cosy[k] = seconds() - t1;
        ratio[k] = cosy[k] / bare[k];
    }
    if (a.served != b.served || a.waits != b.waits || a.t != b.t ||
        a.most_waiting != b.most_waiting || a.stay != b.stay ||
        a.wait_max != b.wait_max || a.queue != b.queue || a.busy != b.busy)
        printf("the two sides differ: %.17g %.17g\n", a.stay, b.stay);
    printf("M/M/1, %lld customers: bare %.3g/s, COSY %.3g/s, ratio %.3f\n",
           (long long)n, (double)n / median(bare), (double)n / median(cosy),
           median(ratio));
    return 0;
}
