#ifndef COSY_STUDY_CLAIMS_H
#define COSY_STUDY_CLAIMS_H

/* Several processes carry out one study (mpirun, srun): they share a folder, and send no
   messages. Each carries out the whole EXPERIMENT; the elements of a SIMULATE are cut
   into chunks, each of which is claimed by one of them, and gathered by all. From the
   first search on one process is alone, and the others wait until it is through.

       claims_open     this process is one of the team; a thread touches its file
       claims_take     a chunk of a series; first each carries out those it can take,
                       then all elements are gathered
       claims_lead     whether this process carries out what is not shared
       claims_wait     an element that another process has claimed: until it is there
       claims_finish   whether this process writes the results
       claims_close

   Rank k has a file, rank-k, that tells its machine, its number and its stage, and is
   touched every CLAIMS_BEAT seconds. A claim is another name of this file, so it is
   touched with it, and made by link, which only one process can do. If the owner of
   a claim is dead (its process is gone; on another machine: it has not been touched
   for CLAIMS_STALE seconds) it is taken over, again by making a name, that of the
   next generation. Rank 0 writes the results, or whoever claims that if it is dead. */

#include "study/series.h"

#define CLAIMS_BEAT  10
#define CLAIMS_STALE 60

#define claims_open   COSY_NAME(claims_open)
#define claims_share  COSY_NAME(claims_share)
#define claims_count  COSY_NAME(claims_count)
#define claims_take   COSY_NAME(claims_take)
#define claims_wait   COSY_NAME(claims_wait)
#define claims_finish COSY_NAME(claims_finish)
#define claims_done   COSY_NAME(claims_done)
#define claims_close  COSY_NAME(claims_close)
#define claims_lead   COSY_NAME(claims_lead)
#define claims_tidy   COSY_NAME(claims_tidy)

struct Claims {
    const KernelTeam *team;
    Experiment *e;
    Buffer own;    // its file
    Vector joined; // a byte per rank: its part is read
    pthread_mutex_t lock;
    pthread_t heart;
    bool beats;
    atomic_bool over;
    bool elsewhere; // another process has written the results
    Status status;  // of theirs
};

/* After resume_open. */
Status claims_open(Experiment *e);
/* Whether the elements of a series are shared. */
bool claims_share(const Series *j);
/* In how many chunks; chunk c has the elements n c / chunks to n (c + 1) / chunks. */
uint32_t claims_count(const Series *j);
/* True if chunk c is for this process, now. */
bool claims_take(Claims *c, uint32_t series, uint32_t chunk);
/* True: the element is there; false: it is to be computed here. */
bool claims_wait(Series *j, uint32_t k, Element *el);
/* What is not shared follows, a search: one process carries out the rest of the
   EXPERIMENT alone, and writes the results. False: it was another one, and this process
   is stopped as soon as that is through; it takes over if the other one dies. */
bool claims_lead(Claims *c);
/* Waits until it is known. True: this process writes the results. */
bool claims_finish(Claims *c);
/* They are written. */
void claims_done(Claims *c, Status status);
void claims_close(Claims *c);
/* The results are written: removes the folders of earlier jobs that were killed, whose
   runs have been taken over, or are not wanted any more. */
void claims_tidy(const Experiment *e);

#endif
