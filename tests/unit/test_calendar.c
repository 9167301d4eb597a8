#include "host.h"

#include "check.h"
#include "events/sound.h"

/* Random scheduling and cancelling against a sorted list; order of equal
   times, priorities, the fast lane; refusals. */

static const CosyEventInfo events[] = {
    {"A", 10, 0}, {"B", 11, 0}, {"C", 12, 0}};

static const CosyModel model = {.n_time_events = 3,
                                .time_events = events,
                                .transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord)};

/* ---- The sorted list -------------------------------------------------------- */

typedef struct Naive {
    real t;
    real priority;
    uint32_t event, label; // label: order of scheduling, kept as record number
} Naive;

enum { LIST_ROOM = 4096 };

typedef struct List {
    uint32_t n;
    Naive e[LIST_ROOM];
} List;

static void list_add(List *l, Naive e)
{
    uint32_t i = l->n++;
    for (; i > 0; i--) {
        const Naive *b = l->e + i - 1;
        if (b->t < e.t || (b->t == e.t && b->priority >= e.priority))
            break;
        l->e[i] = *b;
    }
    l->e[i] = e;
}

static void list_remove(List *l, uint32_t i)
{
    l->n--;
    memmove(l->e + i, l->e + i + 1, (l->n - i) * sizeof *l->e);
}

static void list_cancel(List *l, uint32_t event, uint32_t nth)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->e[i].event == event && --nth == 0) {
            list_remove(l, i);
            return;
        }
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Schedules one event on both sides; few different times, so that there are
   many ties. */
static void schedule_both(Cosy *c, List *l, uint64_t *s)
{
    uint32_t record, event = (uint32_t)(next_random(s) % 3);
    real t = c->head->t + (real)(next_random(s) % 8) / R(4.0);
    real priority = R(0.0); // else of three parts, and some close together
    if (next_random(s) % 4 == 0)
        priority = ((real)(next_random(s) % 7) - R(3.0)) / R(3.0) +
                   (real)(next_random(s) % 2) * COSY_EPSILON;
    CHECK(cosy_record_new(c, &record) == COSY_OK);
    CHECK(cosy_schedule(c, event, record, t, priority) == COSY_OK);
    list_add(l, (Naive){t, priority, event, record});
}

static void take_both(Cosy *c, List *l)
{
    CosyPending e = {0};
    CHECK(cosy_calendar_next(c) == (l->n ? l->e[0].t : COSY_NEVER));
    CHECK(cosy_calendar_due(c, COSY_NEVER, &e) == (l->n > 0));
    if (l->n == 0)
        return;
    CHECK(e.t == l->e[0].t);
    CHECK(COSY_BODY_WHAT(e.body) == COSY_TIME_EVENT);
    CHECK(COSY_BODY_WHICH(e.body) == l->e[0].event);
    CHECK(COSY_BODY_ID(e.body) == l->e[0].label);
    c->head->t = e.t;
    cosy_record_free(c, COSY_BODY_ID(e.body));
    list_remove(l, 0);
}

static void cancel_both(Cosy *c, List *l, uint64_t *s)
{
    uint32_t event = (uint32_t)(next_random(s) % 3);
    uint32_t nth = 1 + (uint32_t)(next_random(s) % 5);
    CHECK(calendar_cancel(c, event, 0, nth) == COSY_OK);
    list_cancel(l, event, nth);
}

static void test_random(uint64_t seed, unsigned more)
{
    static List list;
    Host host;
    Cosy *c = host_open(&host, &model);
    list.n = 0;
    for (int k = 0; k < 20000; k++) {
        uint64_t what = next_random(&seed) % 16;
        if (list.n < LIST_ROOM && what < 5 + more)
            schedule_both(c, &list, &seed);
        else if (what < 14)
            take_both(c, &list);
        else
            cancel_both(c, &list, &seed);
        if (k % 16 == 0) {
            CHECK(calendar_is_sound(c));
            CHECK(pools_are_sound(c));
        }
    }
    while (list.n)
        take_both(c, &list);
    CHECK(cosy_calendar_next(c) == COSY_NEVER);
    CHECK(c->head->heap_void == 0);
    host_close(&host);
}

/* ---- Order at one instant ------------------------------------------------------ */

static uint32_t take(Cosy *c)
{
    CosyPending e;
    return cosy_calendar_due(c, c->head->t, &e) ? COSY_BODY_WHICH(e.body) : 99;
}

static void test_order(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    cosy_schedule(c, 0, COSY_NONE, R(1.0), 0);
    cosy_schedule(c, 1, COSY_NONE, R(1.0), 5);
    cosy_schedule(c, 2, COSY_NONE, R(1.0), 0);
    CHECK(cosy_calendar_next(c) == R(1.0));
    CHECK(take(c) == 99);
    c->head->t = R(1.0);
    CHECK(take(c) == 1);
    cosy_schedule(c, 1, COSY_NONE, R(1.0), 0); // in the lane, after those
                                               // before
    cosy_schedule(c, 1, COSY_NONE, R(1.0), -1);
    CHECK(take(c) == 0);
    CHECK(take(c) == 2);
    CHECK(take(c) == 1);
    cosy_schedule(c, 2, COSY_NONE, R(1.0), 1); // before the lower priority
    CHECK(take(c) == 2);
    CHECK(take(c) == 1);
    CHECK(take(c) == 99);
    host_close(&host);
}

/* The lane wraps around and grows in between. */
static void test_lane(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CosyPending e;
    uint32_t in = 0, out = 0;
    for (int round = 0; round < 50; round++) {
        for (int k = 0; k < 7; k++)
            cosy_schedule(c, 0, in++, R(0.0), 0);
        for (int k = 0; k < 5; k++)
            CHECK(cosy_calendar_due(c, R(0.0), &e) &&
                  COSY_BODY_ID(e.body) == out++);
    }
    while (cosy_calendar_due(c, R(0.0), &e))
        CHECK(COSY_BODY_ID(e.body) == out++);
    CHECK(in == out);
    CHECK(c->head->heap_count == 0);
    host_close(&host);
}

/* Cancelled entries are removed when they are more than half. */
static void test_compaction(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    for (int k = 0; k < 1000; k++) {
        cosy_schedule(c, 0, COSY_NONE, R(1000.0) - (real)k, 0);
        cosy_schedule(c, 0, COSY_NONE, R(2000.0) - (real)k, 0);
        cosy_schedule(c, 1, COSY_NONE, R(5000.0) + (real)k, 0);
    }
    for (int k = 0; k < 2001; k++)
        calendar_cancel(c, 0, 0, 1);
    CHECK(c->head->heap_count < 1500);
    CHECK(cosy_calendar_next(c) == R(5000.0));
    for (int k = 0; k < 999; k++)
        calendar_cancel(c, 1, 0, 2);
    CHECK(c->head->heap_count < 3);
    CHECK(cosy_calendar_next(c) == R(5000.0));
    host_close(&host);
}

/* The loop of a model: what a body has cancelled leaves no trace, whether one
   entry stays in the heap or none. */
static CosyStatus cancels(Cosy *c, uint32_t event, uint32_t record)
{
    uint32_t *fired = c->data;
    (void)record;
    fired[event]++;
    if (event != 0)
        return COSY_OK;
    COSY_TRY(calendar_cancel(c, 1, 0, 1));
    return calendar_cancel(c, 2, 0, 1);
}

static CosyStatus go_on(Cosy *c, CosyRound *round)
{
    return cosy_go(c, round, NULL, cancels);
}

static void test_loop(uint32_t stays)
{
    CosyModel own = model;
    own.data_size = 3 * sizeof(uint32_t);
    own.discrete = go_on;
    Host host;
    Cosy *c = host_open(&host, &own);
    const uint32_t *fired = c->data;
    cosy_schedule(c, 0, COSY_NONE, R(1.0), 0);
    if (stays)
        cosy_schedule(c, 0, COSY_NONE, R(5.0), 0);
    cosy_schedule(c, 1, COSY_NONE, R(2.0), 0);
    cosy_schedule(c, 2, COSY_NONE, R(6.0), 0);
    CHECK(host_run(c, R(10.0)) == COSY_OK);
    CHECK(fired[0] == 1 + stays && fired[1] == 0 && fired[2] == 0);
    CHECK(c->head->t == (stays ? R(5.0) : R(1.0)));
    CHECK(cosy_calendar_next(c) == COSY_NEVER && c->head->heap_void == 0);
    host_close(&host);
}

/* Two entries: the second is taken from beside the hole that the first has
   left. */
static void test_pair(void)
{
    CosyModel own = model;
    own.data_size = 3 * sizeof(uint32_t);
    own.discrete = go_on;
    Host host;
    Cosy *c = host_open(&host, &own);
    const uint32_t *fired = c->data;
    cosy_schedule(c, 2, COSY_NONE, R(5.0), 0);
    cosy_schedule(c, 1, COSY_NONE, R(1.0), 0);
    CosyRound round = {.limit = R(10.0), .most = 100};
    CHECK(go_on(c, &round) == COSY_OK);
    CHECK(round.done == 2 && round.timed == 2);
    CHECK(fired[1] == 1 && fired[2] == 1 && c->head->t == R(5.0));
    CHECK(cosy_calendar_next(c) == COSY_NEVER);
    host_close(&host);
}

static void test_refusals(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    c->head->t = R(3.5);
    CosyStatus s = cosy_schedule(c, 1, COSY_NONE, R(2.25), 0);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 3.5: SCHEDULE B: the time is 2.25: it must be TIME or "
               "later: from now on is AT TIME + ...");
    s = cosy_schedule(c, 2, COSY_NONE, (real)NAN, 0);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    s = cosy_schedule(c, 2, COSY_NONE, (real)INFINITY, 0);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    s = cosy_schedule(c, 2, COSY_NONE, R(4.0), (real)INFINITY);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    s = cosy_schedule(c, 2, COSY_NONE, R(4.0), (real)NAN);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    CHECK(host.messages == 5);
    CHECK(cosy_schedule(c, 2, COSY_NONE, R(4.0), R(1e30)) == COSY_OK);
    CHECK(cosy_schedule(c, 1, COSY_NONE, R(4.0), R(-1e30)) == COSY_OK);
    CHECK(cosy_calendar_next(c) == R(4.0));
    c->head->t = R(4.0);
    CHECK(take(c) == 2);
    CHECK(take(c) == 1);
    host_close(&host);
}

/* CANCEL while all entries are in the lane and the heap has no room yet:
   nothing must be written there. */
static void test_no_heap(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CosyPending *heap = c->heap, *nowhere = NULL;
    uint32_t room = c->heap_room;
    c->heap = nowhere;
    c->heap_room = 0;
    CHECK(cosy_schedule(c, 0, COSY_NONE, c->head->t, 0) == COSY_OK);
    CHECK(cosy_schedule(c, 1, COSY_NONE, c->head->t, 0) == COSY_OK);
    CHECK(take(c) == 0);
    CHECK(calendar_cancel(c, 1, 0, 1) == COSY_OK);
    CHECK(c->head->lane_count == 0 && c->head->heap_void == 0);
    CHECK(calendar_is_sound(c));
    c->heap = heap;
    c->heap_room = room;
    host_close(&host);
}

/* Mistakes are noticed. */
static void test_unsound(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    for (int k = 0; k < 9; k++)
        cosy_schedule(c, 0, COSY_NONE, R(9.0) - (real)k, 0);
    CHECK(calendar_is_sound(c));
    c->heap[COSY_ROOT].t = R(8.5);
    CHECK(!calendar_is_sound(c));
    c->heap[COSY_ROOT].t = R(1.0);
    CHECK(calendar_is_sound(c));
    c->head->heap_void = 1;
    CHECK(!calendar_is_sound(c));
    c->head->heap_void = 0;
    c->head->t = R(2.0);
    CHECK(!calendar_is_sound(c));
    CHECK(pools_are_sound(c));
    c->head->record_free = 7;
    CHECK(!pools_are_sound(c));
    host_close(&host);
}

int main(void)
{
    test_no_heap();
    test_unsound();
    for (uint64_t seed = 1; seed < 5; seed++)
        for (unsigned more = 0; more < 4; more++)
            test_random(seed * 7919, more);
    test_order();
    test_lane();
    test_compaction();
    test_loop(0);
    test_loop(1);
    test_pair();
    test_refusals();
    return check_end();
}
