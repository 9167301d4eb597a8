#ifndef COSY_REPORT_SWEPT_H
#define COSY_REPORT_SWEPT_H

/* The answer of a study, with which its report begins: where each quantity is
   least and greatest, the pictures over the parameters, and all rows. */

#include "base/buffer.h"
#include "base/tree.h"

/* `studies` is the list of stats/sweep.h, `figures` are its pictures. */
void swept_section(Buffer *b, const Tree *studies, const Buffer *figures);

#endif
