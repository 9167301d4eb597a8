#ifndef COSY_STUDY_REPLAY_H
#define COSY_STUDY_REPLAY_H

/* OUTPUT on results that are there: reads the files of a finished experiment into a
   Gallery and shows it as at the end of a run, without running anything. The model is
   the one that was run, but for its OUTPUT.

   The files of the runs stay as they are; summary.json gets other members "signals"
   and "output_sha256", the report and the graphs of OUTPUT are made anew, and what
   OUTPUT has no say in (use of resources, eigenvalues, messages of the runs) is taken
   over from those that are there. All of it takes the place of the old folder at
   once (base/stage.h). */

#include "cosy/real.h"
#include "run/kernel.h"

#define replay_go COSY_NAME(replay_go)

/* o->dir is the folder, o->stored the text of its summary.json. */
Status replay_go(const void *model, const KernelOptions *o, KernelOutcome *out);

#endif
