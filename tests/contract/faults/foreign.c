/* A model whose description begins with numbers that are not this kernel's:
   VERSION, PRECISION and SIZE say which (see meson.build). It must be refused
   before anything else in it is read. */

#include "cosy/model.h"

extern const CosyModel COSY_NAME(cosy_model);
const CosyModel COSY_NAME(cosy_model) = {
    .version = VERSION, .precision = PRECISION, .real_size = SIZE};
