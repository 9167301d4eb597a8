#ifndef COSY_STUDY_DIGITS_H
#define COSY_STUDY_DIGITS_H

/* What --verify found, as the member "verify" of summary.json (docs/results.md)
   and as a table of at most 80 columns. For several runs it has the fewest
   digits of each name, and the run that has them. */

#include "run/kernel.h"
#include "study/agree.h"

#define DigitsFacts   COSY_NAME(DigitsFacts)
#define digits_json   COSY_NAME(digits_json)
#define digits_table  COSY_NAME(digits_table)
#define digits_free   COSY_NAME(digits_free)
#define digits_owner  COSY_NAME(digits_owner)
#define digits_figure COSY_NAME(digits_figure)

typedef struct DigitsFacts {
    const CosyModel *model;
    const char *why;   // why nothing was compared; NULL: something was
    uint32_t runs;     // runs of the experiment
    uint32_t left_out; // runs that were not compared because there are too many
    bool external;     // the model calls EXTERNAL functions
    const KernelDouble *closer, *other;
    Vector verdicts; // of Verdict
    Vector means;    // DigestMean, of the run
    bool complete;   // every run was compared up to its end
} DigitsFacts;

void digits_json(Buffer *b, const DigitsFacts *f);
void digits_table(Buffer *b, const DigitsFacts *f);
void digits_free(DigitsFacts *f);
/* The name of the variable or statistic that a value belongs to, and of the figure
   that it is of a statistic. */
const char *digits_owner(const CosyModel *m, const DigestValue *v);
const char *digits_figure(const DigestValue *v);

#endif
