#ifndef COSY_STATS_FEATURES_H
#define COSY_STATS_FEATURES_H

/* What FEATURES has recorded of a run (chapter VI of the 1979 text), for
   summary.json. Numbers that are not known are NaN, and null there. */

#include "base/buffer.h"
#include "cosy/model.h"

#define FeatureSample COSY_NAME(FeatureSample)
#define FeatureSpan   COSY_NAME(FeatureSpan)
#define CriticalState COSY_NAME(CriticalState)
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

typedef struct RunFeatures {
    double accuracy;       // of the data behind the model; 0: not said
    double ff5, ff6;       // shares of the time
    double neutral;        // share in which something neither grew nor decayed
    double fading;         // by how many powers of e the slowest decayed
    double stiffness, at;  // the greatest, and when
    double mean_stiffness; // geometric, over time
    double fastest;        // the greatest
    double growth;         // the greatest
    double oscillation;    // mean over time
    uint64_t points, missed; // eigenvalues were found, could not be found
    uint64_t rejected;       // steps for accuracy
    uint32_t states;         // the most there were
    uint32_t every;          // at the end, of how many steps one was looked at
    const FeatureSample *sample;
    size_t samples;
    FeatureSample end; // where the record ends; NaN: the last sample is there
    const FeatureSpan *unstable; // when an eigenvalue had a positive real part
    size_t unstables;
    uint64_t more_unstable; // intervals beyond those
    const CriticalState *critical;
    size_t criticals;
} RunFeatures;

void features_json(Buffer *b, const RunFeatures *f);

#endif
