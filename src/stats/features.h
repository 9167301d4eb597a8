#ifndef COSY_STATS_FEATURES_H
#define COSY_STATS_FEATURES_H

/* What FEATURES has recorded about a run (chapter VI of the 1979 text), for
   summary.json. Unknown numbers are NaN here and null there. */

#include "base/buffer.h"
#include "cosy/model.h"

#define FeatureSample COSY_NAME(FeatureSample)
#define FeatureSpan   COSY_NAME(FeatureSpan)
#define CriticalState COSY_NAME(CriticalState)
#define FeatureMode   COSY_NAME(FeatureMode)
#define RunFeatures   COSY_NAME(RunFeatures)
#define features_json COSY_NAME(features_json)

typedef struct FeatureSample {
    double t;
    double stiffness; // largest |Re lambda| over the smallest
    double fastest;   // largest -Re lambda
    double growth;    // largest Re lambda
} FeatureSample;

typedef struct FeatureSpan {
    double from, to;
} FeatureSpan;

typedef struct CriticalState {
    char name[64];
    double share; // of the steps rejected for accuracy
} CriticalState;

enum { FEATURE_CARRIERS = 3 };

/* A motion that the data do not support; of a complex pair, the one with im > 0. */
typedef struct FeatureMode {
    double re, im;
    CriticalState carrier[FEATURE_CARRIERS]; // share: in the motion
    uint32_t carriers;
} FeatureMode;

typedef struct RunFeatures {
    double accuracy; // of the data on which the model rests; 0: not given
    double ff5, ff6; // shares of time
    double neutral; // share of time in which something neither grew nor decayed
    double fading;  // by how many powers of e the slowest decayed
    double stiffness, at;  // the greatest, and when
    double mean_stiffness; // geometric, over time
    double fastest;        // the greatest
    double growth;         // the greatest
    double oscillation;    // mean over time
    uint64_t points,
        missed;        // where eigenvalues were found, and could not be found
    uint64_t rejected; // steps rejected for accuracy
    uint32_t states;   // the largest number of states
    uint32_t every;    // at the end, one step in so many was examined
    const FeatureSample *sample;
    size_t samples;
    FeatureSample end; // where the record ends; NaN: at the last sample
    const FeatureSpan *unstable; // when an eigenvalue had a positive real part
    size_t unstables;
    uint64_t more_unstable; // how many more intervals there were
    const CriticalState *critical;
    size_t criticals;
    /* With `accuracy`: when the share of motions that the data do not support was
       greatest, and which these were then. */
    double invalid_at, border; // |lambda| <= border
    const FeatureMode *mode;
    size_t modes;
    uint32_t more_modes;
} RunFeatures;

void features_json(Buffer *b, const RunFeatures *f);

#endif
