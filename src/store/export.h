#ifndef COSY_STORE_EXPORT_H
#define COSY_STORE_EXPORT_H

/* Results for other programs. */

#include "base/stage.h"
#include "store/results.h"

/* A folder with summary.json and all tables, as cosy run wrote them: the same
   bytes. `run`: only that run, and its tables; 0: all. It takes the place of
   `dir` as a whole; what `own` does not know is kept there. */
Status export_folder(Results *r, uint64_t run, const char *dir, StageOwn *own,
                     Fault *f);

/* The curves of one run as a MAT-file of level 4 in the layout of Modelica
   tools: the matrices Aclass, name, description, dataInfo, data_1 (time and
   parameters, at the first and the last instant) and data_2 (time and curves).
   Both sides of an event are two columns of data_2 with the same time. Names are
   without units, which are in `description`, in brackets; a parameter that is
   also a curve is NAME.start. Numbers are doubles. */
Status export_mat(Results *r, uint64_t run, const char *path, Fault *f);

#endif
