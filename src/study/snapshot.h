#ifndef COSY_STUDY_SNAPSHOT_H
#define COSY_STUDY_SNAPSHOT_H

/* --snapshot: a long run writes an image of itself every so often, beside the journal
   of its process, and --resume goes on from it.

       snapshot_begin   before run_go: from where the run goes on, and when it is saved
       snapshot_failed  the image could not be used: the run is to begin anew
       snapshot_end     the run is over: its image is of no use any more, unless it was
                        stopped

   What the run has written, its messages and its rows of CROSSPLOT are saved with it.
   A run that cannot be saved says so once, and leaves a file that says why in the place
   of the image. */

#include "study/series.h"

#define Snapshot        COSY_NAME(Snapshot)
#define snapshot_begin  COSY_NAME(snapshot_begin)
#define snapshot_failed COSY_NAME(snapshot_failed)
#define snapshot_end    COSY_NAME(snapshot_end)

typedef struct Snapshot {
    Series *j;
    Run *run;
    uint32_t element, number;
    Buffer path;  // of its own image
    Buffer found; // the image it goes on from; empty: none
    double last;  // when it was saved, by experiment_seconds
    bool open;
    bool told;   // that it cannot be saved, or from where it goes on
    bool unable; // it cannot be saved
    bool saved;
    bool damaged; // the image that was found cannot be used
} Snapshot;

/* The run has been prepared; `outlet` and `cross` get what it leaves. */
Status snapshot_begin(Snapshot *s, const TrialPoint *at, Owner *owner,
                      RunOptions *o);
bool snapshot_failed(Snapshot *s, Status status);
void snapshot_end(Snapshot *s, Status status);

#endif
