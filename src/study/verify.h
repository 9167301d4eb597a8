#ifndef COSY_STUDY_VERIFY_H
#define COSY_STUDY_VERIFY_H

/* `cosy run --verify`: the experiment is carried out twice more, with the same
   seeds and without a folder for results. The first double is computed more
   accurately: with a tenth of RELERR, ABSERR and every TOL, or half of a fixed
   STEP, and with steps at most half as long as the longest of the run and a
   200th of its span. The second one has the tolerances of the run and a method
   of another family. The digits are those that the run has in common with both
   (agree.h).

       KernelOptions.verify   the run: leaves a Digest of each of its runs
       KernelOptions.twin     one of its doubles: the same, with other options
       verify_go              when the run is over: computes its doubles, and
                              says what they show
       verify_vary            the options of one run of a double
       verify_most            after how many evaluations a double is given up

   The run itself is the same as without --verify, to the last bit: it is only
   read. How long a double may take is decided by counts, never by clocks. */

#include "study/agree.h"
#include "study/experiment.h"

#define verify_go    COSY_NAME(verify_go)
#define verify_vary  COSY_NAME(verify_vary)
#define verify_most  COSY_NAME(verify_most)
#define verify_leave COSY_NAME(verify_leave)

/* A double may take VERIFY_TIMES as much as the run did, and VERIFY_MORE
   evaluations more. */
enum { VERIFY_TIMES = 50, VERIFY_MORE = 10000 };

/* What an experiment that is a double is given, and what it leaves. */
struct KernelDouble {
    bool closer;        // otherwise: another method
    const Vector *base; // Digest, of the run
    Vector digests;     // its own
    Vector means;       // of DigestMean
    Buffer messages;    // each ends with NUL
    uint32_t precision;
    uint32_t runs; // runs that it made
    bool outside;  // stopped from outside
};

/* Computes the doubles, writes what they show to the terminal, and leaves the
   member "verify" of summary.json in e->verified. */
void verify_go(Experiment *e);
/* For a double: hands its results to the run. */
void verify_leave(Experiment *e);
/* False: run number `run` cannot be varied, and is only repeated. */
bool verify_vary(const Experiment *e, uint32_t run, RunOptions *o);
/* The most evaluations of the right-hand side, and steps, of run `run`. */
uint64_t verify_most(const Experiment *e, uint32_t run);

#endif
