#ifndef COSY_ALGEBRA_READS_H
#define COSY_ALGEBRA_READS_H

/* The unknowns that a portion reads, each once: in its value, or on both sides
   if it stays implicit, and in the selectors of its branches. */

#include "model/model.h"

typedef struct Reads {
    const Expr **list;
    uint32_t count;
} Reads;

Reads reads_find(Model *m, const Portion *p);

#endif
