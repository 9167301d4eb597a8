#ifndef COSY_STUDY_SERIES_H
#define COSY_STUDY_SERIES_H

/* Shared by series.c, which decides which runs there are and gathers what they
   leave, and element.c, which carries out one element. */

#include "study/experiment.h"

/* The most runs of a SIMULATE. */
#define RUNS_MOST 1000000

#define SERIES_FILES    6
#define series_tells    COSY_NAME(series_tells)
#define series_file     COSY_NAME(series_file)
#define series_make     COSY_NAME(series_make)
#define element_empty   COSY_NAME(element_empty)
#define element_is_last COSY_NAME(element_is_last)
#define element_stop    COSY_NAME(element_stop)
#define element_open    COSY_NAME(element_open)
#define element_free    COSY_NAME(element_free)
#define element_go      COSY_NAME(element_go)

/* Elements lie in a ring: no more than `window` are ahead of the one whose turn
   it is. */
static inline Element *element_at(const Series *j, uint32_t k)
{
    return &j->element[k % j->window];
}

/* Elements after k do not count: after an ERROREXIT, and when WITHIN or BEST is
   content. */
void element_is_last(Series *j, uint32_t k);
/* Why a run of element k may not go on, or NULL. */
const char *element_stop(Series *j, uint32_t k);
/* Element k may be opened only if it is known what it is: with REPLICATE BEST not
   before the replication before it is over. */
void element_open(Series *j, uint32_t k, uint32_t number, bool direct);
/* All its runs, unless they have been made already. */
void element_go(Series *j, uint32_t k);
/* Frees what its runs have left; the rest is as element_open made it. */
void element_empty(Element *el);
void element_free(Element *el);

/* Carries out elements from .. end - 1. */
void series_make(Series *j, uint32_t from, uint32_t end);
/* Whether its runs have lines in the table on the terminal: of many elements the
   table of the study says more. */
bool series_tells(const Series *j);
/* Files that a run may have: WHAT-NNNN.csv. */
extern const char *const series_file[SERIES_FILES];

#endif
