#ifndef COSY_RUN_FEATURE_H
#define COSY_RUN_FEATURE_H

/* FEATURES: records during a run what kind of problem it is. The eigenvalues
   are computed at both ends of every accepted step, with the branches that were
   active in it; shares of time follow from the straight line between the two.

       feature_create   before the run begins, if FEATURES was written
       feature_break    an event: the next step begins with other eigenvalues
       feature_step     after every accepted step
       feature_tell     at the end of the run
       feature_free

   When there are too many samples, every second one is dropped, and from then
   on only every second step is kept.

   Which motions the data do not support is found whenever they are more than ever
   before in the run: no more often than the model has states.

   The cost is bounded: when eigenvalues have taken about a second of an
   ordinary computer (counted in operations, so that results are the same on
   every machine), they are computed only at every second step, later at every
   fourth, and so on. */

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
    double ranked;    // time during which FF5 is known
    double logarithm; // integral of the logarithm of the stiffness
    double neutral;   // time during which something neither grew nor decayed
    double fading;    // integral of the rate at which the slowest decays
    double stiffness, at, fastest, growth;
    Features last; // at the end of the last step that was examined
    double last_t; // the time of `last`
    double most_invalid, invalid_at; // the greatest share, and when; then:
    double border;                   // |lambda| <= border
    uint32_t more_modes;             // that are not in `modes`
    double work;                     // operations since `every` last changed
    uint64_t points, missed, samples, more, ticks;
    uint32_t stride; // every stride-th point is a sample
    uint32_t every;  // every so-many-th step is examined
    uint32_t states; // the largest number so far
    uint8_t known;   // `last` is what the next step begins with
    uint8_t open;    // the last unstable interval has not ended
} FeatureState;

typedef struct FeatureLog {
    bool on;
    double accuracy; // 0: not given
    Spectrum spectrum;
    FeatureState state; // in the image, like the vectors
    Vector samples, unstable;
    Vector modes; // FeatureMode: those that data do not support
    Vector point; // 2 n reals: x and dx inside a step
} FeatureLog;

Status feature_create(FeatureLog *f, Solver *s, double accuracy);
void feature_break(FeatureLog *f);
Status feature_step(FeatureLog *f, Solver *s);
/* NULL if nothing was recorded, or if there is no memory. */
const RunFeatures *feature_tell(const FeatureLog *f, const Solver *s, Arena *a);
void feature_free(FeatureLog *f);

#endif
