#ifndef COSY_RUN_FEATURE_H
#define COSY_RUN_FEATURE_H

/* FEATURES: what is recorded along a run about the kind of problem it is. The
   eigenvalues are found at the ends of every accepted step, with the branches
   that were active in it; shares of time follow from the straight line between
   the two.

       feature_create   before the run begins, when FEATURES was said
       feature_break    an event: the next step begins with other eigenvalues
       feature_step     behind every accepted step
       feature_tell     at the end of the run
       feature_free

   Samples are thinned out when there are too many: every second one goes, and
   from then on only every second step is kept.

   What it costs is bounded: when eigenvalues have taken about a second of an
   ordinary computer (counted in operations, so that results are the same on
   any), they are found at every second step only, later at every fourth, ... */

#include "base/arena.h"
#include "solve/spectrum.h"
#include "stats/features.h"

#define FeatureState   COSY_NAME(FeatureState)
#define FeatureLog     COSY_NAME(FeatureLog)
#define feature_create COSY_NAME(feature_create)
#define feature_break  COSY_NAME(feature_break)
#define feature_step   COSY_NAME(feature_step)
#define feature_tell   COSY_NAME(feature_tell)
#define feature_free   COSY_NAME(feature_free)

/* Integrals over time, and extremes. */
typedef struct FeatureState {
    double time, unstable, invalid, oscillation; // integrals
    double ranked;                               // time in which FF5 is known
    double logarithm; // integral of that of the stiffness
    double neutral;   // time in which something neither grew nor decayed
    double fading;    // integral of the rate at which the slowest decays
    double stiffness, at, fastest, growth;
    Features last; // at the end of the last step that was looked at
    double last_t; // where that was
    double work;   // operations since `every` was changed
    uint64_t points, missed, samples, more, ticks;
    uint32_t stride; // every so many points is a sample
    uint32_t every;  // so many steps are looked at
    uint32_t states; // the most there were
    uint8_t known;   // last is what the next step begins with
    uint8_t open;    // the last unstable interval goes on
} FeatureState;

typedef struct FeatureLog {
    bool on;
    double accuracy; // 0: not said
    Spectrum spectrum;
    FeatureState state; // in the image, with the vectors
    Vector samples, unstable;
    Vector point; // 2 n reals: x and dx inside of a step
} FeatureLog;

Status feature_create(FeatureLog *f, Solver *s, double accuracy);
void feature_break(FeatureLog *f);
Status feature_step(FeatureLog *f, Solver *s);
/* NULL when nothing was recorded, or without memory. */
const RunFeatures *feature_tell(const FeatureLog *f, const Solver *s, Arena *a);
void feature_free(FeatureLog *f);

#endif
