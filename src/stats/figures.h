#ifndef COSY_STATS_FIGURES_H
#define COSY_STATS_FIGURES_H

/* The figures of every statistic at the present instant, for everything that
   shows them: summary.json, tables, replications. A figure that does not exist
   (the mean of nothing, or over no time) is NaN. Means over time cover the time
   from CLEAR, or from the start of the run, to the present. */

#include "cosy/model.h"
#include "stats/batch.h"
#include "stats/course.h"

#define SampleFigures      COSY_NAME(SampleFigures)
#define ResourceFigures    COSY_NAME(ResourceFigures)
#define StoreFigures       COSY_NAME(StoreFigures)
#define figures_collect    COSY_NAME(figures_collect)
#define figures_timepers   COSY_NAME(figures_timepers)
#define figures_resource   COSY_NAME(figures_resource)
#define figures_store      COSY_NAME(figures_store)
#define figures_stores     COSY_NAME(figures_stores)
#define figures_store_name COSY_NAME(figures_store_name)
#define figures_histogram  COSY_NAME(figures_histogram)

/* COLLECT and TIMEPERS. */
typedef struct SampleFigures {
    uint64_t n; // observations
    real time;  // TIMEPERS: length of observation
    real mean, sd, min, max;
    BatchInterval interval; // of the mean
} SampleFigures;

/* FACILITY, STORAGE, GATE, SIGNAL, and the common queue of SEIZE ANY, whose use
   is that of all its facilities. */
typedef struct ResourceFigures {
    real utilisation; // NaN if there is no capacity
    real mean_content;
    int64_t max_content, content;
    uint64_t entries, waits;
    uint64_t waited; // entries after a wait; others still wait, or gave up
    real mean_wait, max_wait;
    real mean_queue;
    uint32_t max_queue, queue;
    uint64_t gave_up;  // requests that ended by TIMEOUT
    int64_t lost;      // units of transactions that ended without LEAVE
    real idle, down;   // of a facility: shares of time, beside `utilisation`
    uint64_t failures; // times that it went out of service
} ResourceFigures;

/* What things enter and leave: FILEs, DISCRETE and CONTINUOUS PROCESSes. */
typedef enum StoreKind {
    STORE_FILE,
    STORE_PROCESS,
    STORE_COPIES,
    STORE_KINDS
} StoreKind;

typedef struct StoreFigures {
    uint64_t entries;
    uint32_t content, max_content;
    real mean_content, mean_stay, max_stay;
    uint64_t left;   // of copies
    uint32_t asleep; // the same: part of `content`
} StoreFigures;

SampleFigures figures_collect(const Cosy *c, uint32_t k);
/* Without a course there is no interval. */
SampleFigures figures_timepers(const Cosy *c, uint32_t k, const Course *course);
ResourceFigures figures_resource(const Cosy *c, uint32_t k);
/* Number k of a kind; how many there are, and what it is called. */
StoreFigures figures_store(const Cosy *c, StoreKind kind, uint32_t k);
uint32_t figures_stores(const CosyModel *m, StoreKind kind);
const char *figures_store_name(const CosyModel *m, StoreKind kind, uint32_t k);
/* A histogram with settled limits, even if it has seen too few values to settle
   them yet; width 0: it has seen none at all. */
CosyHistogram figures_histogram(const Cosy *c, uint32_t k);

#endif
