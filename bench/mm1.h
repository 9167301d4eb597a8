#ifndef COSY_BENCH_MM1_H
#define COSY_BENCH_MM1_H

/* M/M/1 twice, with the same random numbers: the figures on which both must
   agree. */

#include "cosy/model.h"

typedef struct Mm1 {
    int64_t served;
    uint64_t entries, waits;
    uint32_t most_waiting;
    double t, stay, wait, wait_max; // sums over customers
    double busy, queue;             // time integrals
} Mm1;

/* Hand-written event loop. */
Mm1 mm1_bare(int64_t customers);

#endif
