#ifndef COSY_EVENTS_REFUSAL_H
#define COSY_EVENTS_REFUSAL_H

/* host->refuse: says through host->message, in the modeller's words, what the
   model may not do, who wanted to and when; returns COSY_REFUSED. */

#include "cosy/model.h"

#define refusal_tell COSY_NAME(refusal_tell)

CosyStatus refusal_tell(Cosy *c, CosyRefusal what, uint32_t which, uint32_t who,
                        real value);

#endif
