#ifndef COSY_STATS_UNCERTAIN_H
#define COSY_STATS_UNCERTAIN_H

/* What UNCERTAIN has found: how the quantities of a study are distributed when its
   parameters are, and which parameter their variance comes from. study/uncertain.c
   finds the numbers; here they are told.

       uncertain_json   member "uncertainty" of summary.json, and for the report
       uncertain_show   a table for a terminal
       uncertain_free

   An Uncertainty belongs to a table of stats/sweep.h and holds no values of runs:
   its size depends on quantities and parameters alone. */

#include "stats/sweep.h"

#define Uncertainty       COSY_NAME(Uncertainty)
#define UncertainInput    COSY_NAME(UncertainInput)
#define UncertainQuantity COSY_NAME(UncertainQuantity)
#define UncertainIndex    COSY_NAME(UncertainIndex)
#define uncertain_json    COSY_NAME(uncertain_json)
#define uncertain_show    COSY_NAME(uncertain_show)
#define uncertain_free    COSY_NAME(uncertain_free)
#define uncertain_list    COSY_NAME(uncertain_list)
#define uncertain_shares  COSY_NAME(uncertain_shares)
#define uncertain_chosen  COSY_NAME(uncertain_chosen)

enum { UNCERTAIN_SHARES = 5, UNCERTAIN_CURVE = 201 };

/* 5, 25, 50, 75 and 95 %. */
extern const uint32_t uncertain_shares[UNCERTAIN_SHARES];

/* A parameter of the study, in the order of the table's columns. */
typedef struct UncertainInput {
    char words[160]; // "NORMALD MEAN = 0.5 SD = 0.05"
    bool idle;       // no quantity depends on it; known with indices only
    uint32_t points; // of its density; 0: it has none
    double x[UNCERTAIN_CURVE], density[UNCERTAIN_CURVE];
} UncertainInput;

/* NaN: not known. Halves are those of 95 % intervals. */
typedef struct UncertainIndex {
    real first, first_half, total, total_half;
} UncertainIndex;

typedef struct UncertainQuantity {
    uint32_t quantity; // of the table
    uint64_t n, left_out;
    real mean, error, sd, least, greatest;
    real quantile[UNCERTAIN_SHARES];
    real noise;     // with replications: how much of the variance of the means
                    // comes from too few of them; NaN: none are there
    bool constant;  // it is the same in all runs
    uint32_t index; // number of the first of its indices
} UncertainQuantity;

typedef struct Uncertainty {
    uint32_t table; // of the Sweep
    uint32_t frame, line;
    const char *sampling; // "scrambled Sobol' points"
    const char *kind;     // "SOBOL"
    bool indices;
    uint64_t points;       // as UNCERTAIN says
    uint64_t runs, failed; // of the points; with replications: elements
    uint64_t unfinished;   // stopped, or never begun
    uint64_t wanted;   // points that would narrow the widest interval; 0: it
                       // is narrow enough
    Vector inputs;     // UncertainInput
    Vector quantities; // UncertainQuantity
    Vector index;      // UncertainIndex
    Vector fixed;      // names that --set has fixed, each with its NUL
} Uncertainty;

/* The same for a Vector of them. */
const Uncertainty *uncertain_list(const Vector *all, uint32_t *n);
/* The quantities worth showing, at most `most`, in the order in which the table
   shows them. */
uint32_t uncertain_chosen(const Uncertainty *u, const SweepTable *t,
                          const UncertainQuantity **chosen, uint32_t most);
/* A list of objects. */
void uncertain_json(Buffer *b, const Vector *all, const Sweep *s);
void uncertain_show(Buffer *b, const Vector *all, const Sweep *s);
void uncertain_free(Vector *all);

static inline const UncertainInput *uncertain_input(const Uncertainty *u,
                                                    uint32_t k)
{
    return (const UncertainInput *)(const void *)u->inputs.bytes + k;
}

static inline const UncertainIndex *
uncertain_index(const Uncertainty *u, const UncertainQuantity *q, uint32_t k)
{
    return (const UncertainIndex *)(const void *)u->index.bytes + q->index + k;
}

static inline uint32_t uncertain_inputs(const Uncertainty *u)
{
    return (uint32_t)(u->inputs.used / sizeof(UncertainInput));
}

#endif
