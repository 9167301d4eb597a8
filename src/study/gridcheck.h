#ifndef COSY_STUDY_GRIDCHECK_H
#define COSY_STUDY_GRIDCHECK_H

/* GRIDCHECK: an experiment whose model has FIELDs gets an error bar.

   The program is translated again with half and with a quarter of the intervals, and
   the experiment is carried out with these models first: whole trials, each with its
   own events, without a folder and without a word. What they leave is a Digest of
   each run. Then follows the experiment itself, and each of its runs is compared with
   its trials as soon as it ends (errorbar.h), by the thread that has made it. So an
   error bar is part of what a run leaves, like its statistics: it is in the journal of
   an interrupted study, and --resume takes it from there.

   The trials come first because they decide the tolerance. A trial on the coarsest
   grid with ten times the tolerance shows the error of the integration, and the other
   two the error to be expected of the grid. If the first is more than a tenth of the
   second, RELERR and ABSERR become smaller for the run and its trials, twice at most.
   In one dimension the trials cost 1/2 + 1/4 of the run, and the third one about 1/6.

   GRID AUTO looks for the grid in the same way: trials on finer and finer grids, of
   which the last three give the estimate, until the next one is expected to keep TOL.
   That grid is then the run's.

       gridcheck_go      the door of the kernel: the trials, then the experiment
       gridcheck_vary    options of a run of either
       gridcheck_tries   whether this experiment is a trial, which keeps digests
       gridcheck_take    what a digest has besides, for that
       gridcheck_bars    whether runs of this experiment get an error bar
       gridcheck_judge   makes it
       gridcheck_tell    lines for the terminal
       gridcheck_leave   a trial hands its digests over */

#include "study/trial.h"

#define gridcheck_go    COSY_NAME(gridcheck_go)
#define gridcheck_vary  COSY_NAME(gridcheck_vary)
#define gridcheck_words COSY_NAME(gridcheck_words)
#define gridcheck_tries COSY_NAME(gridcheck_tries)
#define gridcheck_take  COSY_NAME(gridcheck_take)
#define gridcheck_bars  COSY_NAME(gridcheck_bars)
#define gridcheck_judge COSY_NAME(gridcheck_judge)
#define gridcheck_tell  COSY_NAME(gridcheck_tell)
#define gridcheck_leave COSY_NAME(gridcheck_leave)

Status gridcheck_go(const void *model, const KernelOptions *o,
                    KernelOutcome *out);
void gridcheck_vary(const Experiment *e, uint32_t run, RunOptions *o);
/* What is under way, for the line of progress; NULL: the run itself. */
const char *gridcheck_words(const Experiment *e);
bool gridcheck_tries(const Experiment *e);
Status gridcheck_take(Digest *d, const Trial *t);
bool gridcheck_bars(const Experiment *e);
/* t->barred is what digest_take makes of the run. */
Status gridcheck_judge(Trial *t);
void gridcheck_tell(Buffer *b, const Trial *t);
void gridcheck_leave(Experiment *e);

#endif
