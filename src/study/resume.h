#ifndef COSY_STUDY_RESUME_H
#define COSY_STUDY_RESUME_H

/* Studies whose runs are made by several processes, one after the other (a run that
   was killed, and --resume) or side by side (--chunk k/n, and cosy collect).

       resume_open        the depot of an experiment: what others have computed, as
                          far as the options ask for it
       resume_complete    whether all elements of a series are there, for collect
       resume_leave_part  --chunk: the stage takes its place as a part
       resume_settle      results are about to take their place: the journal goes, or,
                          after a stop, becomes one of everything there is
       resume_keep        instead of results, which could not be written: leaves what
                          --resume can go on with; false: there is nothing

   A part is a folder with a journal (study/depot.h), the files of its runs, and
   part.json, which says what it is a part of. */

#include "study/experiment.h"

#define PART_FILE "part.json"

#define resume_open       COSY_NAME(resume_open)
#define resume_complete   COSY_NAME(resume_complete)
#define resume_leave_part COSY_NAME(resume_leave_part)
#define resume_settle     COSY_NAME(resume_settle)
#define resume_keep       COSY_NAME(resume_keep)

Status resume_open(Experiment *e);
Status resume_complete(const Series *j);
Status resume_leave_part(Experiment *e);
Status resume_settle(Experiment *e);
bool resume_keep(Experiment *e);

#endif
