#ifndef COSY_REPORT_SWEPT_H
#define COSY_REPORT_SWEPT_H

/* The answer of a study, with which its report begins: where each quantity is
   least and greatest, the pictures over the parameters, and all rows. */

#include "base/buffer.h"
#include "base/tree.h"

/* `studies` is the list of stats/sweep.h, `uncertain` that of stats/uncertain.h or NULL,
   `figures` are their pictures. */
void swept_section(Buffer *b, const Tree *studies, const Tree *uncertain,
                   const Buffer *figures);

#endif
