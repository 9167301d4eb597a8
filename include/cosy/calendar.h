#ifndef COSY_CALENDAR_H
#define COSY_CALENDAR_H

/* The calendar of cosy/discrete.h: what is put on it, what is taken off, and
   the loop over it (cosy_go), which a model file compiles with its own
   bodies in place. Included by cosy/inline.h. */

#ifndef COSY_TRANSACTION_SIZE
#define COSY_TRANSACTION_SIZE (c->model->transaction_size)
#endif

/* ---- Heap ---------------------------------------------------------------- */

/* Among entries for one time the higher priority comes first, then the one
   scheduled earlier. */
static inline bool cosy_outranks(real priority, uint64_t order,
                                 const CosyPending *e)
{
    return priority > e->priority ||
           (priority == e->priority && order < e->order);
}

static inline bool cosy_before(const CosyPending *a, const CosyPending *b)
{
    return a->t < b->t ||
           (a->t == b->t && cosy_outranks(a->priority, a->order, b));
}

/* Index of the first among the four entries from k on. Without ties, times
   alone decide, and no jump is needed. After the last entry of the heap, the
   rest of its group of four holds NaN as times: NaN precedes nothing and equals
   nothing. */
static inline uint32_t cosy_first_of_four(const CosyPending *heap, uint32_t k)
{
    const CosyPending *e = heap + k;
    uint32_t i = e[1].t < e[0].t, j = e[3].t < e[2].t;
    real left = cosy_min(e[1].t, e[0].t), right = cosy_min(e[3].t, e[2].t);
    bool tie = (e[0].t == e[1].t) | (e[2].t == e[3].t) | (left == right);
    if (COSY_RARELY(tie)) {
        i = cosy_before(e + 1, e);
        j = 2u + cosy_before(e + 3, e + 2);
        return k + (cosy_before(e + j, e + i) ? j : i);
    }
    uint32_t side = 0 - (uint32_t)(right < left); // all bits, or none
    return k + i + ((2 + j - i) & side);
}

/* Entries are moved field by field: a wide load right after the narrow stores
   that made an entry would have to wait for them. */
static inline void cosy_pending_set(CosyPending *e, real t, real priority,
                                    uint64_t order, uint64_t body)
{
    e->t = t;
    e->order = order;
    e->body = body;
    e->priority = priority;
}

static inline void cosy_pending_copy(CosyPending *to, const CosyPending *from)
{
    cosy_pending_set(to, from->t, from->priority, from->order, from->body);
}

static inline bool cosy_is_before(real t, real priority, uint64_t order,
                                  const CosyPending *e)
{
    return t < e->t || (t == e->t && cosy_outranks(priority, order, e));
}

/* Puts an entry at the hole i or below it, where `end` is the index after the
   last one. */
static inline void cosy_heap_down(CosyPending *heap, uint32_t i, uint32_t end,
                                  real t, real priority, uint64_t order,
                                  uint64_t body)
{
    uint32_t child;
    while ((child = 4 * i - 8) < end) {
        if (child + 1 < end)
            child = cosy_first_of_four(heap, child);
        if (cosy_is_before(t, priority, order, heap + child))
            break;
        cosy_pending_copy(heap + i, heap + child);
        i = child;
    }
    cosy_pending_set(heap + i, t, priority, order, body);
    COSY_ASSERT(i < end);
}

/* Puts an entry at the hole i or above it. */
static inline void cosy_heap_up(CosyPending *heap, uint32_t i, real t,
                                real priority, uint64_t order, uint64_t body)
{
    while (i > COSY_ROOT) {
        uint32_t parent = i / 4 + 2;
        if (!cosy_is_before(t, priority, order, heap + parent))
            break;
        cosy_pending_copy(heap + i, heap + parent);
        i = parent;
    }
    cosy_pending_set(heap + i, t, priority, order, body);
}

/* Closes the hole that popping left at the root. */
static inline void cosy_heap_close(Cosy *c)
{
    CosyHead *h = c->head;
    if (!h->heap_hole)
        return;
    COSY_ASSERT(h->heap_count > 0);
    h->heap_hole = 0;
    uint32_t end = COSY_ROOT + --h->heap_count;
    CosyPending *e = c->heap + end;
    real t = e->t;
    e->t = (real)NAN;
    if (end > COSY_ROOT)
        cosy_heap_down(c->heap, COSY_ROOT, end, t, e->priority, e->order,
                       e->body);
}

/* Adds an entry at the end; there is room for four. When it opens a new group
   of four, the other three places get NaN as their times too; so does the place
   beside the root if the heap has one entry. */
static inline void cosy_heap_add(Cosy *c, real t, real priority, uint64_t order,
                                 uint64_t body)
{
    uint32_t end = COSY_ROOT + c->head->heap_count++;
    CosyPending *e = c->heap + end;
    COSY_ASSERT(end + 4 <= c->heap_room);
    COSY_ASSERT(!c->head->heap_hole);
    COSY_ASSERT(t >= c->head->t);
    if (end % 4 == 0 || end == COSY_ROOT)
        e[1].t = e[2].t = e[3].t = (real)NAN;
    cosy_heap_up(c->heap, end, t, priority, order, body);
}

/* When the heap is full; growing may also take void entries off. */
COSY_APART CosyStatus cosy_heap_push_full(Cosy *c, real t, real priority,
                                          uint64_t order, uint64_t body)
{
    while (COSY_ROOT + 4 + c->head->heap_count > c->heap_room)
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_HEAP));
    cosy_heap_add(c, t, priority, order, body);
    return COSY_OK;
}

COSY_APART CosyStatus cosy_heap_push_any(Cosy *c, real t, real priority,
                                         uint64_t order, uint64_t body)
{
    CosyHead *h = c->head;
    uint32_t end = COSY_ROOT + h->heap_count;
    if (h->heap_hole) {
        h->heap_hole = 0;
        cosy_heap_down(c->heap, COSY_ROOT, end, t, priority, order, body);
        return COSY_OK;
    }
    if (COSY_RARELY(end + 4 > c->heap_room))
        return cosy_heap_push_full(c, t, priority, order, body);
    cosy_heap_add(c, t, priority, order, body);
    return COSY_OK;
}

/* A hole with at most one entry beside it is filled in place: in many small
   models the calendar is never longer. */
static inline CosyStatus cosy_heap_push(Cosy *c, real t, real priority,
                                        uint64_t order, uint64_t body)
{
    CosyHead *h = c->head;
    if (!h->heap_hole || h->heap_count > 2)
        return cosy_heap_push_any(c, t, priority, order, body);
    CosyPending *e = c->heap + COSY_ROOT;
    h->heap_hole = 0;
    if (e[1].t < t || (e[1].t == t && !cosy_outranks(priority, order, e + 1))) {
        cosy_pending_copy(e, e + 1);
        e++;
    }
    cosy_pending_set(e, t, priority, order, body);
    return COSY_OK;
}

/* ---- Calendar ------------------------------------------------------------ */

static inline CosyTransaction *cosy_transaction(const Cosy *c, uint32_t id)
{
    size_t place = (size_t)id * COSY_TRANSACTION_SIZE;
    COSY_ASSERT(id < c->transaction_room);
    return (CosyTransaction *)(void *)(c->transactions + place);
}

static inline void cosy_lane_add(Cosy *c, uint64_t order, uint64_t body)
{
    CosyHead *h = c->head;
    COSY_ASSERT(h->lane_count < c->lane_room);
    COSY_ASSERT((c->lane_room & (c->lane_room - 1)) == 0);
    uint32_t at = (h->lane_head + h->lane_count++) & (c->lane_room - 1);
    cosy_pending_set(c->lane + at, h->t, R(0.0), order, body);
}

static inline bool cosy_slot_is_taken(const CosyHead *h)
{
    return h->slot != COSY_SLOT_CLOSED && h->slot != COSY_SLOT_OPEN;
}

/* The transaction in the slot moves into the lane, which is empty and has
   room. */
COSY_APART void cosy_slot_close(Cosy *c)
{
    CosyHead *h = c->head;
    uint32_t id = h->slot - 1;
    bool taken = cosy_slot_is_taken(h);
    h->slot = COSY_SLOT_CLOSED;
    if (taken) {
        const CosyTransaction *tr = cosy_transaction(c, id);
        cosy_lane_add(c, tr->wake, tr->body);
    }
}

static inline CosyStatus cosy_lane_push(Cosy *c, uint64_t order, uint64_t body)
{
    CosyHead *h = c->head;
    if (h->slot != COSY_SLOT_CLOSED)
        cosy_slot_close(c);
    if (COSY_RARELY(h->lane_count >= c->lane_room))
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_LANE));
    cosy_lane_add(c, order, body);
    return COSY_OK;
}

/* The `order` of a new entry. */
static inline uint64_t cosy_order(Cosy *c)
{
    return ++c->head->sequence;
}

/* A time at which something may be scheduled; false for NaN. */
static inline bool cosy_is_ahead(const Cosy *c, real t)
{
    return (t >= c->head->t) & (t < COSY_NEVER);
}

static inline bool cosy_is_priority(real priority)
{
    return cosy_finite(priority);
}

/* SCHEDULE event AT t PRIORITY priority, with a record of attributes or
   COSY_NONE; the record is freed when the event's body has finished. */
static inline CosyStatus cosy_schedule(Cosy *c, uint32_t event, uint32_t record,
                                       real t, real priority)
{
    if (COSY_RARELY(!cosy_is_ahead(c, t)))
        return c->host->refuse(c, COSY_BAD_SCHEDULE, event, COSY_NONE, t);
    if (COSY_RARELY(!cosy_is_priority(priority)))
        return c->host->refuse(c, COSY_BAD_PRIORITY, event, COSY_NONE,
                               priority);
    uint64_t order = cosy_order(c);
    uint64_t body = COSY_BODY(COSY_TIME_EVENT, event, record);
    if (priority == R(0.0) && t == c->head->t)
        return cosy_lane_push(c, order, body);
    return cosy_heap_push(c, t, priority, order, body);
}

static inline bool cosy_is_void(const Cosy *c, const CosyPending *e)
{
    if (COSY_BODY_WHAT(e->body) == COSY_RESUMPTION)
        return cosy_transaction(c, COSY_BODY_ID(e->body))->wake != e->order;
    return COSY_BODY_WHAT(e->body) == COSY_VOID;
}

static inline void cosy_lane_drop(Cosy *c)
{
    COSY_ASSERT(c->head->lane_count > 0);
    c->head->lane_head = (c->head->lane_head + 1) & (c->lane_room - 1);
    c->head->lane_count--;
}

/* Takes void entries off the front of lane and heap. */
COSY_APART void cosy_calendar_clear(Cosy *c)
{
    CosyHead *h = c->head;
    while (h->lane_count && cosy_is_void(c, c->lane + h->lane_head)) {
        cosy_lane_drop(c);
        COSY_ASSERT(h->heap_void > 0);
        h->heap_void--;
    }
    for (;;) {
        cosy_heap_close(c);
        if (h->heap_count == 0 || !cosy_is_void(c, c->heap + COSY_ROOT))
            return;
        COSY_ASSERT(h->heap_void > 0);
        h->heap_hole = 1;
        h->heap_void--;
    }
}

/* Time of the next entry that is not void, COSY_NEVER if there is none. */
static inline real cosy_calendar_next(Cosy *c)
{
    CosyHead *h = c->head;
    if (COSY_RARELY(h->heap_void))
        cosy_calendar_clear(c);
    if (h->lane_count)
        return c->lane[h->lane_head].t;
    cosy_heap_close(c);
    return h->heap_count ? c->heap[COSY_ROOT].t : COSY_NEVER;
}

/* ENTRYNBR(EVENTFILE): everything pending, including resumptions of
   transactions. */
static inline int64_t cosy_calendar_count(const Cosy *c)
{
    const CosyHead *h = c->head;
    return (int64_t)h->heap_count - h->heap_hole + h->lane_count +
           cosy_slot_is_taken(h) - h->heap_void;
}

/* The first entry of the heap, which is not empty. A hole stays open: what
   comes from the lane will often fill it. */
static inline const CosyPending *cosy_heap_first(const Cosy *c)
{
    const CosyHead *h = c->head;
    uint32_t k = COSY_ROOT;
    if (h->heap_hole)
        k = h->heap_count > 2 ? cosy_first_of_four(c->heap, 4) : 4;
    return c->heap + k;
}

/* True if the next entry is in the lane, which is not empty. */
static inline bool cosy_lane_leads(const Cosy *c)
{
    const CosyHead *h = c->head;
    return h->heap_count == h->heap_hole ||
           !cosy_before(cosy_heap_first(c), c->lane + h->lane_head);
}

static inline void cosy_until_leave(Cosy *c, uint32_t id);

/* Takes the first entry of time t, or before, into *e; false if there is none.
   A transaction in it is then off the calendar and out of WAIT UNTIL. A model
   without a continuous part may be driven by this alone, with t the end of the
   run and head->t set to e->t each time. */
static inline bool cosy_calendar_due(Cosy *c, real t, CosyPending *e)
{
    CosyHead *h = c->head;
    if (COSY_RARELY(h->heap_void))
        cosy_calendar_clear(c);
    if (h->lane_count && cosy_lane_leads(c)) {
        cosy_pending_copy(e, c->lane + h->lane_head);
        cosy_lane_drop(c);
    } else {
        cosy_heap_close(c);
        const CosyPending *first = c->heap + COSY_ROOT;
        if (h->heap_count == 0 || first->t > t)
            return false;
        COSY_ASSERT(first->t >= h->t);
        h->heap_hole = 1;
        cosy_pending_copy(e, first);
    }
    if (COSY_BODY_WHAT(e->body) != COSY_RESUMPTION)
        return true;
    uint32_t id = COSY_BODY_ID(e->body);
    CosyTransaction *tr = cosy_transaction(c, id);
    tr->wake = 0;
    if (COSY_RARELY(tr->at == COSY_UNTIL)) {
        cosy_until_leave(c, id);
        tr->timed_out = 1;
    }
    return true;
}

/* ---- The loop ------------------------------------------------------------- */

static inline void cosy_record_free(Cosy *c, uint32_t id);

static inline void cosy_log_put(CosyLogged *log, real t, uint64_t body,
                                uint64_t detail)
{
    log->t = t;
    log->kind = COSY_BODY_WHAT(body);
    log->which = COSY_BODY_WHICH(body);
    log->detail = detail;
}

/* Makes the calendar ready for cosy_go: the lane has room for the transaction
   in the slot, and the root of an empty heap has NaN as its time. */
COSY_APART CosyStatus cosy_go_begin(Cosy *c)
{
    CosyHead *h = c->head;
    if (c->lane_room == 0)
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_LANE));
    if (c->heap_room == 0)
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_HEAP));
    if (h->heap_count == 0)
        c->heap[COSY_ROOT].t = (real)NAN;
    h->slot = h->lane_count ? COSY_SLOT_CLOSED : COSY_SLOT_OPEN;
    return COSY_OK;
}

/* cosy_calendar_due when this instant holds more than the one entry in the
   slot. */
COSY_APART bool cosy_go_due_of_many(Cosy *c, real limit, CosyPending *e)
{
    cosy_slot_close(c);
    bool is = cosy_calendar_due(c, limit, e);
    if (c->head->lane_count == 0)
        c->head->slot = COSY_SLOT_OPEN;
    return is;
}

/* The next entry of the heap, due at `limit` or before. A single entry beside
   the hole is taken from there. */
COSY_ALWAYS bool cosy_go_next(Cosy *c, CosyHead *h, real limit, real *t,
                              uint64_t *body)
{
    CosyPending *first = c->heap + COSY_ROOT;
    if (h->heap_hole) {
        if (h->heap_count <= 2) {
            if (!(first[1].t <= limit))
                return false;
            *t = first[1].t;
            *body = first[1].body;
            first[1].t = (real)NAN;
            h->heap_count = 1;
            return true;
        }
        cosy_heap_close(c);
    }
    if (!(first->t <= limit))
        return false;
    h->heap_hole = 1;
    *t = first->t;
    *body = first->body;
    return true;
}

/* True if nothing in the heap is for the present instant. Where the heap or the
   place beside the hole is empty, the time there is NaN. */
COSY_ALWAYS bool cosy_go_alone(const Cosy *c, const CosyHead *h)
{
    if (!h->heap_hole)
        return !(c->heap[COSY_ROOT].t <= h->t);
    if (h->heap_count <= 2)
        return !(c->heap[COSY_ROOT + 1].t <= h->t);
    return !(cosy_heap_first(c)->t <= h->t);
}

/* cosy_calendar_due within cosy_go: stores what is next in *id and *body, and
   its time in head->t. No void entry is in front. */
COSY_ALWAYS bool cosy_go_due(Cosy *c, CosyHead *h, real limit, uint32_t *id,
                             uint64_t *body)
{
    uint32_t slot = h->slot;
    if (COSY_MOSTLY(slot == COSY_SLOT_OPEN)) {
        real t;
        if (!cosy_go_next(c, h, limit, &t, body))
            return false;
        COSY_ASSERT(t >= h->t);
        h->t = t;
        *id = COSY_BODY_ID(*body);
        return true;
    }
    if (slot == COSY_SLOT_CLOSED || !cosy_go_alone(c, h)) {
        CosyPending other;
        if (!cosy_go_due_of_many(c, limit, &other))
            return false;
        h->t = other.t;
        *body = other.body;
        *id = COSY_BODY_ID(*body);
        return true;
    }
    h->slot = COSY_SLOT_OPEN;
    *id = slot - 1;
    *body = cosy_transaction(c, *id)->body;
    return true;
}

/* Called when something is void or the run is to end; false in the latter
   case. */
COSY_APART bool cosy_go_on(Cosy *c)
{
    if (c->head->request != COSY_GO_ON)
        return false;
    cosy_calendar_clear(c);
    return true;
}

/* The body of a model's `discrete`, for models without WAIT UNTIL: carries out
   entries as `round` says. The bodies are known here, so that they become part
   of the loop. A model without time events passes NULL for them. */
COSY_ALWAYS CosyStatus cosy_go(Cosy *c, CosyRound *round,
                               CosyStatus (*resume)(Cosy *, uint32_t),
                               CosyStatus (*time_event)(Cosy *, uint32_t,
                                                        uint32_t))
{
    CosyHead *h = c->head; // it never moves
    CosyLogged *log = round->log;
    uint32_t left = round->most, timed = 0, id = 0;
    uint64_t body = 0;
    real limit = round->limit;
    round->body = COSY_BODY(COSY_RESUMPTION, 0, COSY_NONE);
    round->done = round->timed = 0;
    CosyStatus status = cosy_go_begin(c);
    if (COSY_RARELY(status != COSY_OK))
        return status;
    for (; left; left--) {
        bool changed = ((uint64_t)h->request << 32 | h->heap_void) != 0;
        if (COSY_RARELY(changed) && !cosy_go_on(c))
            break;
        if (!cosy_go_due(c, h, limit, &id, &body))
            break;
        if (time_event == NULL || COSY_BODY_WHAT(body) == COSY_RESUMPTION) {
            CosyTransaction *tr = cosy_transaction(c, id);
            tr->wake = 0;
            if (COSY_RARELY(log != NULL))
                cosy_log_put(log++, h->t, body, tr->number);
            status = resume(c, id);
        } else {
            timed++;
            if (COSY_RARELY(log != NULL))
                cosy_log_put(log++, h->t, body, COSY_NONE);
            status = time_event(c, COSY_BODY_WHICH(body), id);
            if (id != COSY_NONE)
                cosy_record_free(c, id);
        }
        if (COSY_RARELY(status != COSY_OK)) {
            round->body = body;
            left--;
            break;
        }
    }
    cosy_slot_close(c);
    round->done = round->most - left;
    round->timed = timed;
    return status;
}

#endif
