#ifndef COSY_EVENTS_CALENDAR_H
#define COSY_EVENTS_CALENDAR_H

/* The rarely used part of the calendar; the rest is in cosy/calendar.h. */

#include "cosy/model.h"

#define calendar_cancel   COSY_NAME(calendar_cancel)
#define calendar_compact  COSY_NAME(calendar_compact)
#define calendar_lengthen COSY_NAME(calendar_lengthen)

/* host->cancel: makes the nth pending occurrence of a time event (1 is the
   first in calendar order) void and frees its record; if it is an event of
   copies, the nth of that copy. If fewer are pending, nothing happens. */
CosyStatus calendar_cancel(Cosy *c, uint32_t event, int64_t copy, uint32_t nth);

/* Removes void entries from heap and lane if they are more than half of all;
   true if it did. host->grow tries this before it enlarges the heap. */
bool calendar_compact(Cosy *c);

/* Puts the ring in order after lane_room has grown from old_room to twice as
   much or more. */
void calendar_lengthen(Cosy *c, uint32_t old_room);

#endif
