/* The contract as builds with sanitizers give it to the models that they
   compile. It is not included by anything; tools/embed makes it part of the
   program. */

#define COSY_CHECKED
#include "cosy/model.h"
