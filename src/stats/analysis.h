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
#define RunCarrier      COSY_NAME(RunCarrier)
#define RunMode         COSY_NAME(RunMode)
#define RunMiss         COSY_NAME(RunMiss)
#define RunReduced      COSY_NAME(RunReduced)
#define analysis_double COSY_NAME(analysis_double)
#define analysis_spots  COSY_NAME(analysis_spots)
#define analysis_tell   COSY_NAME(analysis_tell)
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

/* A state, and its share in a mode. */
typedef struct RunCarrier {
    uint32_t state;
    double share;
} RunCarrier;

enum { RUN_CARRIERS = 3 };

/* An eigenvalue of the full model; of a complex pair, both. */
typedef struct RunMode {
    double re, im;
    bool kept;      // the reduced model has one that stands for it
    bool supported; // by data of the accuracy asked for (FF6)
    RunCarrier carrier[RUN_CARRIERS];
    uint32_t carriers;
} RunMode;

/* The greatest difference from the full model, relative to the greatest gain or
   answer of the pair, and where it is. */
typedef struct RunMiss {
    double size, at; // infinite: at all high frequencies
    uint32_t input, output;
} RunMiss;

/* What REDUCE has made of a linear model. Matrices row by row, in double precision
   as everything that rests on eigenvalues. */
typedef struct RunReduced {
    int64_t asked;    // states; -1: as few as the accuracy allows
    double accuracy;  // that was asked for; 0: none
    uint32_t states;  // of the reduced model
    uint32_t lasting; // of these: do not decay
    uint32_t enough;  // states that would have the accuracy; 0: this has it
    const double *a, *b, *c, *d;
    RunSpots poles;
    const double *hankel;
    uint32_t hankels;
    double bound; // of gain.size
    RunMiss gain, step;
    const RunMode *mode;
    uint32_t modes;
    double ff6, ff6_left; // of the full model, and of the reduced one
} RunReduced;

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
    const RunReduced *reduced; // or NULL
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
/* A number that is double in every precision; eigenvalues, in JSON and on the
   terminal. */
void analysis_double(Buffer *b, double value);
void analysis_spots(Buffer *b, const RunSpots *p);
void analysis_tell(Buffer *b, const RunSpots *p);

#endif
