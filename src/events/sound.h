#ifndef COSY_EVENTS_SOUND_H
#define COSY_EVENTS_SOUND_H

/* Whether the data of the discrete part are consistent: for asserts and tests.
   Takes time in proportion to the amount of data. */

#include "cosy/model.h"

#define calendar_is_sound COSY_NAME(calendar_is_sound)
#define pools_are_sound   COSY_NAME(pools_are_sound)
#define waits_are_sound   COSY_NAME(waits_are_sound)

/* True if the heap is a heap with only NaN in the rest of its last group of
   four, the lane is in order, nothing is scheduled for the past or with a
   number not yet given out, and head->heap_void is the number of void
   entries. */
bool calendar_is_sound(const Cosy *c);

/* True if free lists hold free places, each once, and every process counts its
   transactions correctly. */
bool pools_are_sound(const Cosy *c);

/* True if the lists of the WAIT UNTILs are in order and hold as many as
   head->untils says, and those to be asked are a heap, each cursor among
   them. */
bool waits_are_sound(const Cosy *c);

#endif
