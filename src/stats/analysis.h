#ifndef COSY_STATS_ANALYSIS_H
#define COSY_STATS_ANALYSIS_H

/* What STEADYSTATE and LINEARIZE have found, for summary.json and the terminal.
   Values are in the units in which variables are declared, rates per unit of
   TIME. */

#include "base/buffer.h"
#include "base/status.h"
#include "cosy/model.h"

#define RunSpots        COSY_NAME(RunSpots)
#define RunRest         COSY_NAME(RunRest)
#define RunSteady       COSY_NAME(RunSteady)
#define RunLinear       COSY_NAME(RunLinear)
#define RunAnalysis     COSY_NAME(RunAnalysis)
#define analysis_json   COSY_NAME(analysis_json)
#define analysis_text   COSY_NAME(analysis_text)
#define analysis_write  COSY_NAME(analysis_write)
#define analysis_state  COSY_NAME(analysis_state)
#define analysis_place  COSY_NAME(analysis_place)
#define analysis_stable COSY_NAME(analysis_stable)

/* Points of the complex plane. */
typedef struct RunSpots {
    uint32_t n;
    const double *re, *im;
    bool known;
} RunSpots;

typedef enum Stability {
    STABLE_UNKNOWN,
    STABLE,   // all that is disturbed returns
    UNSTABLE, // something grows
    MARGINAL  // something neither grows nor decays
} Stability;

typedef struct RunRest {
    const real *x;
    real residual;  // largest |x'|
    uint32_t where; // the state that has it
    real near;      // the last correction, relative to the state
    const char *how;
    Stability stable;
    RunSpots poles;
} RunRest;

typedef struct RunSteady {
    const Cosy *at;       // the instance, for the names of its states
    const RunRest *point; // the first is the one that was taken
    uint32_t points;
    uint32_t laws; // sums that the model keeps
} RunSteady;

/* Matrices row by row; NULL: along a run, those at its end are not known. */
typedef struct RunLinear {
    const Cosy *at;
    const CosyLinear *which;
    uint32_t states;
    const real *a, *b, *c, *d;
    const RunSpots *zeros; // for each output, each input
    /* Along a run: eigenvalues at `points` times, `states` each. */
    real every;
    uint32_t points;
    const double *time, *re, *im;
} RunLinear;

typedef struct RunAnalysis {
    const RunSteady *steady; // or NULL
    const RunLinear *linear; // or NULL
    RunSpots poles;
} RunAnalysis;

/* Members "steady_state", "eigenvalues", "linear", each on its own line. Long
   ones are in linear-NNNN.csv. */
void analysis_json(Buffer *b, const CosyModel *m, const RunAnalysis *a,
                   uint32_t run);
/* A few lines for the terminal. */
void analysis_text(Buffer *b, const CosyModel *m, const RunAnalysis *a);
/* DIR/linear-NNNN.csv, if there is something for it. */
Status analysis_write(const CosyModel *m, const RunAnalysis *a, const char *dir,
                      uint32_t run, Fault *f);
/* "X", "U[3]": state i, and an element of a variable. */
void analysis_state(Buffer *b, const Cosy *c, uint32_t i);
void analysis_place(Buffer *b, const CosyModel *m, const CosyPlace *p);
const char *analysis_stable(Stability s);

#endif
