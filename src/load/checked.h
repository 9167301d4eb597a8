/* The contract as builds with sanitizers pass it to the models that they
   compile. Nothing includes this file; tools/embed makes it part of the
   program. */

#define COSY_CHECKED
#include "cosy/model.h"
