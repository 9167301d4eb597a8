#ifndef COSY_STUDY_FIT_OWN_H
#define COSY_STUDY_FIT_OWN_H

/* What the parts of a FIT share: fit.c (problem and answer), fit_tell.c (text, JSON and
   files), fit_picture.c (pictures). The data are those of fit_data.h, the numerics those
   of search/least.h. */

#include "search/least.h"
#include "study/search_own.h"

#define FitFound      COSY_NAME(FitFound)
#define fit_tell      COSY_NAME(fit_tell)
#define fit_pictures  COSY_NAME(fit_pictures)
#define fit_run_of    COSY_NAME(fit_run_of)
#define fit_run_label COSY_NAME(fit_run_label)

typedef struct FitFound {
    FitPlan plan;
    LeastProblem problem;
    LeastAnswer a;
    LeastProfile profile;
    bool profiled;         // PROFILE was asked for, and carried out
    const FitTaken *taken; // of a trial at the answer, with curves; NULL: none
    uint32_t first;        // runs before those of the answer
} FitFound;

/* The run of a datum in the trial at the answer, from 1. */
uint32_t fit_run_of(const FitFound *f, uint32_t datum);
/* What tells a run from the others in a legend: "DOSE = 0.3", "run 2"; "" where there is
   one run. */
void fit_run_label(Buffer *b, const Quest *q, const FitFound *f, uint32_t run);

/* Text, JSON, files and pictures. */
Status fit_tell(Quest *q, const FitFound *f);
Status fit_pictures(Quest *q, const FitFound *f);

#endif
