#ifndef COSY_SEARCH_MEETING_H
#define COSY_SEARCH_MEETING_H

/* Several searches side by side, with methods that ask and wait: each
   runs in a thread of its own and waits for its trials. When all that still search are
   waiting, the thread that called meeting_hold evaluates their points together, in the
   order of their seats, and lets them go on. So trials come from one thread, and which
   points are evaluated together depends on nothing but the searches. */

#include "search/ledger.h"

#define Meeting      COSY_NAME(Meeting)
#define MeetingPlan  COSY_NAME(MeetingPlan)
#define MeetingBatch COSY_NAME(MeetingBatch)
#define meeting_hold COSY_NAME(meeting_hold)
#define meeting_ask  COSY_NAME(meeting_ask)

typedef struct Meeting Meeting;

typedef struct MeetingPlan {
    uint32_t seats;
    size_t most; // points that a seat asks for at a time
    void (*work)(void *user, Meeting *m, uint32_t seat);
    void *user;
} MeetingPlan;

/* Runs work(user, meeting, seat) for all seats and returns when they are through:
   STATUS_OK, what has ended the trials, or STATUS_MEMORY. */
Status meeting_hold(Ledger *l, Arena *a, const MeetingPlan *plan);

/* Trials of one seat. */
typedef struct MeetingBatch {
    size_t count;
    const real *p;
    real *out;
    Status *each;
} MeetingBatch;

/* For `work`. Once it has returned anything but STATUS_OK it always does. */
Status meeting_ask(Meeting *m, uint32_t seat, const MeetingBatch *batch);

#endif
