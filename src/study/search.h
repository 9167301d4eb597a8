#ifndef COSY_STUDY_SEARCH_H
#define COSY_STUDY_SEARCH_H

/* MINIMIZE, MAXIMIZE and SOLVE of an EXPERIMENT. src/search looks for the parameters,
   knowing nothing of models; its trials are carried out on benches (bench.h), several
   at once where it asks for several. When it has ended, the statements are carried out
   once more in the experiment itself, with the parameters found: that run is recorded
   and shown like any other. What was found is told on the terminal, in the member
   "optimum" of summary.json, in search-NNNN.csv and in a picture. A search that does not
   find what it was asked for rings; a SOLVE without a root ends the EXPERIMENT. */

#include "study/experiment.h"

#define search_go COSY_NAME(search_go)

/* Service of the host. */
CosyStatus search_go(Cosy *c, const CosySearch *s);

#endif
