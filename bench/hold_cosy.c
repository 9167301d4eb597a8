/* The hold model on COSY's calendar (time events that schedule themselves)
   against hold_bare.c.

       hold

   prints, for several numbers of pending events, nanoseconds per hold of both
   sides and the ratio of their times, each the median of several rounds in
   which the sides take turns. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/hold.h"
#include "tests/unit/host.h"

enum { ROUNDS = 7, HOLDS = 2000000 };

double hold_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const CosyEventInfo events[] = {{"AGAIN", 1}};

static const CosyModel model = {
    .n_time_events = 1, .time_events = events, .transaction_size = 1};

static double hold_cosy(uint32_t pending, uint32_t holds, const double *delay,
                        double *seconds)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CosyPending e;
    for (uint32_t k = 0; k < pending; k++)
        cosy_schedule(c, 0, COSY_NONE, delay[k & HOLD_MASK], 0);
    double begin = hold_clock();
    for (uint32_t k = 0; k < holds; k++) {
        if (!cosy_calendar_due(c, COSY_NEVER, &e))
            break;
        c->head->t = e.t;
        cosy_schedule(c, COSY_BODY_WHICH(e.body), COSY_BODY_ID(e.body),
                      e.t + delay[k & HOLD_MASK], 0);
    }
    *seconds = hold_clock() - begin;
    double t = c->head->t;
    host_close(&host);
    return t;
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

/* Exponential delays, drawn before the clock starts. */
static double *delays(void)
{
    static const CosyStreamInfo info = {
        .distribution = COSY_EXPOND, .a = 1.0, .seed = 1};
    static const CosyModel one = {.n_streams = 1, .streams = &info};
    CosyStream s = {.seed = 1,
                    .distribution = COSY_EXPOND,
                    .at = COSY_BATCH,
                    .item = COSY_NONE};
    double *x = malloc((HOLD_MASK + 1) * sizeof *x);
    for (uint32_t k = 0; k <= HOLD_MASK; k++) {
        if (s.at == COSY_BATCH)
            stream_fill(&one, &s, 0, 0);
        x[k] = s.batch[s.at++];
    }
    return x;
}

int main(void)
{
    static const uint32_t sizes[] = {10, 1000, 100000, 1000000};
    double *delay = delays();
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double bare[ROUNDS], cosy[ROUNDS], ratio[ROUNDS];
        bool same = true;
        for (int r = 0; r < ROUNDS; r++) {
            double a = hold_bare(sizes[k], HOLDS, delay, bare + r);
            double b = hold_cosy(sizes[k], HOLDS, delay, cosy + r);
            same = same && a == b;
            ratio[r] = cosy[r] / bare[r];
        }
        printf("hold, %7lu pending: bare %6.1f ns, COSY %6.1f ns, ratio "
               "%.3f%s\n",
               (unsigned long)sizes[k], median(bare) / HOLDS * 1e9,
               median(cosy) / HOLDS * 1e9, median(ratio),
               same ? "" : " (the two sides differ)");
    }
    free(delay);
    return 0;
}
