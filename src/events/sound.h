#ifndef COSY_EVENTS_SOUND_H
#define COSY_EVENTS_SOUND_H

/* Whether the data of the discrete part agree with each other: for asserts, and
   for tests. Takes time in proportion to all there is. */

#include "cosy/model.h"

#define calendar_is_sound COSY_NAME(calendar_is_sound)
#define pools_are_sound   COSY_NAME(pools_are_sound)

/* The heap is a heap with nothing but NaN in the rest of its last group of
   four, the lane is in order, nothing is scheduled for the past or with a
   number not yet given out, and as many entries are void as head->heap_void
   says. */
bool calendar_is_sound(const Cosy *c);

/* Free lists hold free places, each once; as many transactions are there as
   their processes count. */
bool pools_are_sound(const Cosy *c);

#endif
