#ifndef COSY_STUDY_AGREE_H
#define COSY_STUDY_AGREE_H

/* How many digits a run has in common with its doubles.

       digits = -log10(d / max(|value|, size))

   where d is the largest difference between the run and its doubles, and
   between the doubles. Events are matched in their order, by kind, name and
   number; from the time at which two lists of events part, nothing has digits.
   The same holds from where a condition comes so near its threshold that it is
   not certain whether it crosses. */

#include "study/digest.h"

#define agree_compare COSY_NAME(agree_compare)
#define agree_match   COSY_NAME(agree_match)
#define agree_means   COSY_NAME(agree_means)
#define agree_words   COSY_NAME(agree_words)
#define agree_event   COSY_NAME(agree_event)
#define agree_most    COSY_NAME(agree_most)
#define agree_free    COSY_NAME(agree_free)

/* Digits of a whole number that is the same everywhere, and of one that
   differs. */
#define AGREE_EQUAL   1000.0
#define AGREE_DIFFERS (-1000.0)

/* NaN: nothing can be said. */
typedef struct Verdict {
    uint32_t run;
    const Digest *base, *closer, *other; // the last two may be NULL
    bool compared;
    char why[600]; // it was not compared, or a double is missing
    bool parts;    // the lists of events part
    long double parts_at;
    char parts_words[300];
    double wanted; // digits
    double cap;    // no more digits than this are claimed
    double t_end;
    Vector digits; // double, per DigestValue of the run
    Vector times;  // double, per DigestEvent
} Verdict;

/* `wanted` 0: what RELERR promises, minus two. False: no memory. */
bool agree_compare(Verdict *v, const CosyModel *m, const Digest *base,
                   const Digest *closer, const Digest *other, double wanted);
/* Matches the events of two runs: `times` gets the time in `other` of every event
   of `base`, NaN from where the lists part. What v says of `parts` holds; v is
   zero before the first call. False: no memory. */
bool agree_match(Verdict *v, const CosyModel *m, const Digest *base,
                 const Digest *other, Vector *times);
/* Digits of a mean over replications. */
double agree_means(const DigestMean *base, const DigestMean *closer,
                   const DigestMean *other, uint32_t precision);
/* "RELERR 1e-07 (DOPRI5)", "STEP 0.005 (RK4)", "METHOD DOP853". */
void agree_words(Buffer *b, const Digest *d);
/* The most digits that are claimed in a precision. */
double agree_most(uint32_t precision);
const char *agree_event(const CosyModel *m, const DigestEvent *e);
void agree_free(Verdict *v);

#endif
