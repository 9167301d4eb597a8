#ifndef COSY_STATS_FIGURES_H
#define COSY_STATS_FIGURES_H

/* The figures of every statistic at the present instant, for everything that
   shows them: summary.json, tables, replications. A figure that does not exist
   (the mean of nothing, or over no time) is NaN. Means over time cover the time
   from CLEAR, or from the start of the run, to the present. */

#include "cosy/model.h"
#include "stats/batch.h"
#include "stats/course.h"

#define SampleFigures     COSY_NAME(SampleFigures)
#define ResourceFigures   COSY_NAME(ResourceFigures)
#define StoreFigures      COSY_NAME(StoreFigures)
#define figures_collect   COSY_NAME(figures_collect)
#define figures_timepers  COSY_NAME(figures_timepers)
#define figures_resource  COSY_NAME(figures_resource)
#define figures_file      COSY_NAME(figures_file)
#define figures_process   COSY_NAME(figures_process)
#define figures_histogram COSY_NAME(figures_histogram)

/* COLLECT and TIMEPERS. */
typedef struct SampleFigures {
    uint64_t n; // observations
    real time;  // TIMEPERS: length of observation
    real mean, sd, min, max;
    BatchInterval interval; // of the mean
} SampleFigures;

/* FACILITY, STORAGE, GATE, SIGNAL. */
typedef struct ResourceFigures {
    real utilisation; // NaN if there is no capacity
    real mean_content;
    int64_t max_content, content;
    uint64_t entries, waits;
    uint64_t waited; // entries after a wait; others still wait, or gave up
    real mean_wait, max_wait;
    real mean_queue;
    uint32_t max_queue, queue;
    int64_t lost; // units of transactions that ended without LEAVE
} ResourceFigures;

/* FILE, PROCESS. */
typedef struct StoreFigures {
    uint64_t entries;
    uint32_t content, max_content;
    real mean_content, mean_stay, max_stay;
} StoreFigures;

SampleFigures figures_collect(const Cosy *c, uint32_t k);
/* Without a course there is no interval. */
SampleFigures figures_timepers(const Cosy *c, uint32_t k, const Course *course);
ResourceFigures figures_resource(const Cosy *c, uint32_t k);
StoreFigures figures_file(const Cosy *c, uint32_t k);
StoreFigures figures_process(const Cosy *c, uint32_t k);
/* A histogram with settled limits, even if it has seen too few values to settle
   them yet; width 0: it has seen none at all. */
CosyHistogram figures_histogram(const Cosy *c, uint32_t k);

#endif
