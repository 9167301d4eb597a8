#ifndef COSY_STATS_REPLICATE_H
#define COSY_STATS_REPLICATE_H

/* What the replications of a SIMULATE say together: for every observed quantity
   the number of runs, mean, standard deviation and 95 % interval.

       replicate_begin    a SIMULATE with REPLICATE: the quantities, from the
                          settings of the experiment's instance; one group per
                          element of its lists
       replicate_take     at the end of a run, in any thread: its values
       replicate_add      the values of a run that finished, in the order of the
                          replications of its element
       replicate_half     half width of the interval of a variable, for WITHIN
       replicate_json, replicate_table
       replicate_free

   Quantities of a run are

       X                  mean of COLLECT X, or of TIMEPERS X, or, if it is
                          neither, the final value of a scalar X that is STOREd
                          or named in WITHIN, MEAN or SDEV
       X.q5, X.q25 ...    quantiles of COLLECT QUANTILES X
       X.timepers         mean over time, if X is in COLLECT too
       CLEAR.time         where statistics begin, with CLEAR AUTO
       F.utilisation, F.mean_queue, F.mean_wait    of a FACILITY or STORAGE
       Q.mean_content, Q.mean_stay                 of a FILE or PROCESS

   A quantity that a run did not observe (the mean of nothing) is left out of
   that run. With ANTITHETIC two runs that are partners count as one, with the
   mean of both; a run without its partner does not count yet. The runs of a
   group are added in a fixed order, and the results depend on nothing else. */

#include "base/buffer.h"
#include "base/status.h"
#include "cosy/model.h"
#include "stats/quantity.h"
#include "stats/summary.h"

#define ReplicateGroup    COSY_NAME(ReplicateGroup)
#define Tally             COSY_NAME(Tally)
#define replicate_begin   COSY_NAME(replicate_begin)
#define replicate_take    COSY_NAME(replicate_take)
#define replicate_group   COSY_NAME(replicate_group)
#define replicate_add     COSY_NAME(replicate_add)
#define replicate_pair    COSY_NAME(replicate_pair)
#define replicate_find    COSY_NAME(replicate_find)
#define replicate_tallies COSY_NAME(replicate_tallies)
#define replicate_half    COSY_NAME(replicate_half)
#define replicate_sure    COSY_NAME(replicate_sure)
#define replicate_json    COSY_NAME(replicate_json)
#define replicate_table   COSY_NAME(replicate_table)
#define replicate_free    COSY_NAME(replicate_free)

#define replicate_quantity       COSY_NAME(replicate_quantity)
#define replicate_groups         COSY_NAME(replicate_groups)
#define replicate_span           COSY_NAME(replicate_span)
#define replicate_deviation      COSY_NAME(replicate_deviation)
#define replicate_tally          COSY_NAME(replicate_tally)
#define replicate_put_tally      COSY_NAME(replicate_put_tally)
#define replicate_put_name       COSY_NAME(replicate_put_name)
#define replicate_name_width     COSY_NAME(replicate_name_width)
#define replicate_series         COSY_NAME(replicate_series)
#define replicate_put_words      COSY_NAME(replicate_put_words)
#define replicate_put_parameters COSY_NAME(replicate_put_parameters)

/* The figures of one quantity in one group. */
typedef struct Tally {
    uint64_t n;
    real mean, square;
} Tally;

/* One element of the lists. `first` is the number of its first run. */
typedef struct ReplicateGroup {
    uint32_t series; // SIMULATE it belongs to, from 0
    uint32_t frame;
    uint32_t runs;      // runs that were added
    uint32_t tally;     // first in Replications.tallies
    uint32_t parameter; // first in Replications.parameters
    uint32_t parameters;
    uint32_t partner; // first in Replications.partners
    uint32_t base;    // group with which it is compared; COSY_NONE: with none
    uint32_t pair;    // first in Replications.differences, and in `pairs`
    uint32_t pool;    // first in Replications.pooled
} ReplicateGroup;

/* All SIMULATEs of an experiment. To be initialized with zeros. */
struct Replications {
    const CosyModel *model;
    uint32_t series, frame;
    bool antithetic;
    Vector quantities; // Quantity; the last `width`: present SIMULATE
    uint32_t first_quantity, width;
    Vector groups;        // of ReplicateGroup
    uint32_t first_group; // of the present SIMULATE
    Vector tallies;       // of Tally
    Vector parameters;    // of RunSetting
    Vector partners;      // reals: the first of a pair, per group
    Vector firsts; // uint32_t: first quantity of each SIMULATE, and the end
    bool compares; // the present SIMULATE: see stats/compare.h
    Vector differences; // Tally, per group that is compared
    Vector pairs;       // reals: values of the present replication
    Vector selections;  // Selected: see stats/selected.h
    Vector pooled;      // CosyHistogram: see stats/pool.h
};

/* `c` is the experiment's instance; `elements` the length of its lists. */
Status replicate_begin(Replications *r, const Cosy *c, const CosySimulate *s,
                       uint32_t elements);
/* Appends r->width numbers to `values`; NaN: not observed. */
Status replicate_take(const Replications *r, const Cosy *c,
                      const Follow *follow, Vector *values);
/* Keeps what the runs of an element have in common, once it is known. */
Status replicate_group(Replications *r, uint32_t element,
                       const RunSetting *parameter, uint32_t parameters);
void replicate_add(Replications *r, uint32_t element, const real *values);
/* What a run adds to a mean: *x, or, with ANTITHETIC, the mean of two partners,
   which the second of them completes; false: it is not complete yet. */
bool replicate_pair(real *partner, bool antithetic, bool second, real *x);
/* The quantity that an element of a variable is in the present SIMULATE; r->width:
   none. */
uint32_t replicate_find(const Replications *r, uint32_t variable, uint32_t at);
/* The tallies of an element of the present SIMULATE, one per quantity. */
const Tally *replicate_tallies(const Replications *r, uint32_t element);
/* Half width of the interval of an element of a variable; infinite with fewer
   than 2 runs. */
real replicate_half(const Replications *r, uint32_t element, uint32_t variable,
                    uint32_t at);
/* Half width of the interval of a tally. */
real replicate_sure(const Tally *t);

/* The value of "replications": an object with a member per quantity. With one
   group in all, a member is {"n", "mean", "sd", "ci95"}; with several it is a
   list of such objects, each with its "frame" and "parameters". */
void replicate_json(Buffer *b, const Replications *r);
/* Tables of at most 80 columns, one per group. */
void replicate_table(Buffer *b, const Replications *r, uint32_t wide);
void replicate_free(Replications *r);

/* Parts of replicate.c that compare.c uses. */
const Quantity *replicate_quantity(const Replications *r, uint32_t k);
uint32_t replicate_groups(const Replications *r);
/* The quantities of the SIMULATE of a group are *first .. *end - 1. */
void replicate_span(const Replications *r, const ReplicateGroup *g,
                    uint32_t *first, uint32_t *end);
real replicate_deviation(const Tally *t);
void replicate_tally(Tally *t, real x);
/* "n", "mean", "sd", "ci95" and what follows, without the bracket. */
void replicate_put_tally(Buffer *b, const Tally *t);
/* "STAY [min]", in the first column of a table. */
void replicate_put_name(Buffer *b, const CosyModel *m, const Quantity *q,
                        size_t width);
size_t replicate_name_width(const Replications *r, uint32_t from, uint32_t end,
                            uint32_t wide);
void replicate_put_parameters(Buffer *b, const Replications *r,
                              const ReplicateGroup *g);

/* The groups of the SIMULATE of a group are *first .. *end - 1. */
void replicate_series(const Replications *r, uint32_t group, uint32_t *first,
                      uint32_t *end);
/* "  A=1, B=2": what varies. */
void replicate_put_words(Buffer *b, const Replications *r, uint32_t group);

static inline bool replicate_any(const Replications *r)
{
    return r->groups.used > 0;
}

#endif
