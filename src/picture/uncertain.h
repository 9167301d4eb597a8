#ifndef COSY_PICTURE_UNCERTAIN_H
#define COSY_PICTURE_UNCERTAIN_H

/* What UNCERTAIN has found as pictures: how the quantities are distributed, which
   parameter their variance comes from, the quantities over the parameters that matter
   most, and the parameters with their densities. */

#include "picture/graphs.h"

#define uncertain_make   COSY_NAME(uncertain_make)
#define uncertain_sketch COSY_NAME(uncertain_sketch)

Status uncertain_make(Gallery *e);
/* The first of them in characters; false: there is no UNCERTAIN. */
bool uncertain_sketch(Gallery *e, Buffer *b, uint32_t wide);

#endif
