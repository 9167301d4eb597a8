#ifndef COSY_STUDY_UNCERTAIN_H
#define COSY_STUDY_UNCERTAIN_H

/* From the table of a study with UNCERTAIN to what is said about it: measures and
   Sobol' indices of every quantity. Called once, when its runs are through. */

#include "study/series.h"

#define uncertain_find COSY_NAME(uncertain_find)

/* Appends to the Uncertainties of the gallery, and rings if too many runs have failed
   or too few were made. Nothing happens without an UNCERTAIN. */
Status uncertain_find(const Series *j);

#endif
