#ifndef COSY_PLOT_PLOTS_H
#define COSY_PLOT_PLOTS_H

/* The graphs of an experiment, in order. Each Plot is kept as a copy with its
   texts and numbers, so that those who draw it (scripts for gnuplot, the
   report) need nothing it was made from. plots_free frees all of them at once.
   */

#include "base/arena.h"
#include "plot/plot.h"

typedef struct Plots {
    Arena arena;
    Vector v; // of Plot
} Plots;

/* Keeps a copy. */
Status plots_add(Plots *all, const Plot *p);
void plots_free(Plots *all);

static inline uint32_t plots_count(const Plots *all)
{
    return (uint32_t)(all->v.used / sizeof(Plot));
}

static inline const Plot *plots_get(const Plots *all, uint32_t k)
{
    return (const Plot *)(const void *)all->v.bytes + k;
}

#endif
