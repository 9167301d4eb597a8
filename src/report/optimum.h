#ifndef COSY_REPORT_OPTIMUM_H
#define COSY_REPORT_OPTIMUM_H

/* What MINIMIZE, MAXIMIZE and SOLVE have found, with which a report begins: how each
   ended in whole sentences, the values with their bounds and how well they are known,
   conditions, and the pictures of the trials. */

#include "base/buffer.h"
#include "base/tree.h"

/* `found` is an object as "optimum" of summary.json has it, or a list; `units` those of
   the variables, or NULL; `figures` their pictures, or NULL if these stand elsewhere. */
void optimum_section(Buffer *b, const Tree *found, const Tree *units,
                     const Buffer *figures);

#endif
