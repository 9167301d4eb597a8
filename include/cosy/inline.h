#ifndef COSY_INLINE_H
#define COSY_INLINE_H

/* The statements of the discrete part, over the plain data of cosy/discrete.h
   (included at the end of cosy/model.h) and the calendar of cosy/calendar.h.
   Generated code calls them, and the clock takes the calendar's entries with
   cosy_calendar_next and _due, or has the model do so (cosy_go).

   Anything that may create (push, schedule, generate, advance, insert, every
   wait and everything that wakes a transaction) may move pools: take pointers
   from c again afterwards. Numbers of transactions, records and resources stay
   valid.

   A statement that can make a transaction wait takes the resumption point as
   its last argument and returns COSY_OK (go on), COSY_WAITING (return; the body
   is resumed at that point when the wait is over) or a failure; COSY_PASS does
   the returning. If the model does what it must not do, host->refuse puts it
   into words and the run ends.

   A transaction that is resumed from a queue runs at the present instant, after
   everything already on the calendar for this instant with the same priority.
   The calendar only runs forward in time.

   A model file defines COSY_TRANSACTION_SIZE before it includes this one: the
   distance in bytes from one transaction to the next. It is a power of two
   large enough for each process, so that a place in the pool is found by a
   shift. */

#include "cosy/calendar.h"

/* ---- Transactions -------------------------------------------------------- */

static inline bool cosy_is_there(const CosyTransaction *tr)
{
    return tr->body != COSY_VOID;
}

/* The process of a transaction that is there. */
static inline uint32_t cosy_process(const CosyTransaction *tr)
{
    return COSY_BODY_WHICH(tr->body);
}

/* Puts a transaction on the calendar for the present instant, unless it goes
   into the slot. */
COSY_APART CosyStatus cosy_resume_here(Cosy *c, CosyTransaction *tr)
{
    tr->wake = cosy_order(c);
    tr->due = c->head->t;
    if (tr->priority != R(0.0))
        return cosy_heap_push(c, tr->due, tr->priority, tr->wake, tr->body);
    return cosy_lane_push(c, tr->wake, tr->body);
}

/* Puts a transaction on the calendar; t is not before the present. */
static inline CosyStatus cosy_resume_at(Cosy *c, CosyTransaction *tr, real t)
{
    if (COSY_RARELY(!(t > c->head->t)))
        return cosy_resume_here(c, tr);
    uint64_t order = cosy_order(c);
    tr->wake = order;
    tr->due = t;
    return cosy_heap_push(c, t, tr->priority, order, tr->body);
}

/* The same for the present instant. */
static inline CosyStatus cosy_resume_now(Cosy *c, uint32_t id,
                                         CosyTransaction *tr)
{
    CosyHead *h = c->head;
    if (h->slot != COSY_SLOT_OPEN || tr->priority != R(0.0))
        return cosy_resume_here(c, tr);
    tr->wake = cosy_order(c);
    tr->due = h->t;
    h->slot = id + 1;
    return COSY_OK;
}

static inline void cosy_off_calendar(Cosy *c, CosyTransaction *tr)
{
    CosyHead *h = c->head;
    if (tr->wake == 0)
        return;
    tr->wake = 0;
    if (cosy_slot_is_taken(h) && cosy_transaction(c, h->slot - 1) == tr)
        h->slot = COSY_SLOT_OPEN;
    else
        h->heap_void++;
}

/* Called when a process gets one more transaction and then has more than ever,
   or more than it may have. */
COSY_APART CosyStatus cosy_population_top(Cosy *c, uint32_t process,
                                          uint32_t self)
{
    CosyPopulation *p = c->population + process;
    if (p->count >= p->capacity)
        return c->host->refuse(c, COSY_PROCESS_FULL, process, self, c->head->t);
    p->most = p->count + 1;
    return COSY_OK;
}

/* Makes a free place when there is none. */
COSY_APART CosyStatus cosy_transaction_place(Cosy *c)
{
    CosyHead *h = c->head;
    if (h->transaction_used >= c->transaction_room)
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_TRANSACTIONS));
    CosyTransaction *tr = cosy_transaction(c, h->transaction_used);
    tr->held = tr->mode = 0;
    tr->at = tr->stays = tr->next = COSY_NONE;
    h->transaction_free = h->transaction_used++;
    return COSY_OK;
}

/* A place in the pool for one more transaction of the process; `self` makes
   it. */
COSY_ALWAYS CosyStatus cosy_transaction_new(Cosy *c, uint32_t process,
                                            uint32_t self, uint32_t *id)
{
    CosyHead *h = c->head;
    CosyPopulation *p = c->population + process;
    if (COSY_RARELY(p->count >= p->most))
        COSY_TRY(cosy_population_top(c, process, self));
    if (COSY_RARELY(h->transaction_free == COSY_NONE))
        COSY_TRY(cosy_transaction_place(c));
    *id = h->transaction_free;
    COSY_ASSERT(*id < h->transaction_used);
    h->transaction_free = cosy_transaction(c, *id)->next;
    p->entries++;
    p->count++;
    return COSY_OK;
}

/* Notes where host->transaction should look first. */
static inline void cosy_transaction_note(Cosy *c, uint32_t id,
                                         const CosyTransaction *tr)
{
    if (COSY_RARELY(c->numbered != NULL))
        c->numbered[tr->number & c->numbered_mask] = id;
}

/* A new transaction that will begin at t, at place *id of the pool. */
COSY_ALWAYS CosyStatus cosy_transaction_make(Cosy *c, uint32_t process, real t,
                                             real priority, uint32_t *id)
{
    CosyHead *h = c->head;
    if (COSY_RARELY(!cosy_is_priority(priority)))
        return c->host->refuse(c, COSY_BAD_PRIORITY, COSY_NONE, COSY_NONE,
                               priority);
    COSY_TRY(cosy_transaction_new(c, process, COSY_NONE, id));
    CosyTransaction *tr = cosy_transaction(c, *id);
    tr->point = 0;
    tr->timed_out = 0;
    tr->body = COSY_BODY(COSY_RESUMPTION, process, *id);
    tr->number = tr->family = ++h->transaction_number;
    tr->priority = priority;
    tr->gentim = t;
    cosy_transaction_note(c, *id, tr);
    return COSY_OK;
}

/* GENERATE for the present instant, or for a time that is refused. */
COSY_APART CosyStatus cosy_generate_here(Cosy *c, uint32_t process, real t,
                                         real priority, uint32_t *id)
{
    if (!cosy_is_ahead(c, t))
        return c->host->refuse(c, COSY_BAD_GENERATE, process, COSY_NONE, t);
    COSY_TRY(cosy_transaction_make(c, process, t, priority, id));
    return cosy_resume_here(c, cosy_transaction(c, *id));
}

/* GENERATE tr FOR process AT t PRIORITY priority; *id is its number in the
   pool, so that its own locals can be set next. */
COSY_ALWAYS CosyStatus cosy_generate(Cosy *c, uint32_t process, real t,
                                     real priority, uint32_t *id)
{
    if (COSY_RARELY(!(t > c->head->t) || !(t < COSY_NEVER))) {
        uint32_t here = COSY_NONE;
        CosyStatus status = cosy_generate_here(c, process, t, priority, &here);
        *id = here; // its address is taken nowhere: it stays in a register
        return status;
    }
    COSY_TRY(cosy_transaction_make(c, process, t, priority, id));
    CosyTransaction *tr = cosy_transaction(c, *id);
    uint64_t order = cosy_order(c);
    tr->wake = order;
    tr->due = t;
    return cosy_heap_push(c, t, priority, order,
                          COSY_BODY(COSY_RESUMPTION, process, *id));
}

/* ADVANCE by 0, or by an impossible time. */
COSY_APART CosyStatus cosy_advance_nowhere(Cosy *c, uint32_t id, real dt,
                                           uint32_t point)
{
    real t = c->head->t + dt;
    if (!cosy_is_ahead(c, t))
        return c->host->refuse(c, COSY_BAD_ADVANCE, COSY_NONE, id, dt);
    CosyTransaction *tr = cosy_transaction(c, id);
    tr->point = point;
    tr->span = dt;
    COSY_TRY(cosy_resume_now(c, id, tr));
    return COSY_WAITING;
}

/* ADVANCE dt. Always waits; with dt = 0, until everything that was scheduled
   earlier for this instant has happened. */
static inline CosyStatus cosy_advance(Cosy *c, uint32_t id, real dt,
                                      uint32_t point)
{
    real t = c->head->t + dt;
    if (COSY_RARELY(!(t > c->head->t) || !(t < COSY_NEVER)))
        return cosy_advance_nowhere(c, id, dt, point);
    CosyTransaction *tr = cosy_transaction(c, id);
    uint64_t order = cosy_order(c);
    tr->point = point;
    tr->wake = order;
    tr->due = t;
    tr->span = dt;
    COSY_TRY(cosy_heap_push(c, t, tr->priority, order, tr->body));
    return COSY_WAITING;
}

static inline void cosy_stays_end(Cosy *c, CosyTransaction *tr);

/* The running transaction, which belongs to this process, has reached the end
   of its life. */
static inline CosyStatus cosy_finish(Cosy *c, uint32_t process, uint32_t id)
{
    CosyHead *h = c->head;
    CosyTransaction *tr = cosy_transaction(c, id);
    CosyPopulation *p = c->population + process;
    if (COSY_RARELY(tr->held))
        return c->host->refuse(c, COSY_STILL_HOLDS, COSY_NONE, id, R(0.0));
    if (COSY_RARELY(tr->stays != COSY_NONE))
        cosy_stays_end(c, tr);
    real stay = h->t - cosy_max(tr->gentim, h->cleared);
    COSY_ASSERT(p->count > 0 && cosy_is_there(tr));
    COSY_ASSERT(tr->wake == 0 && tr->at == COSY_NONE);
    p->count--;
    p->stay_sum += stay;
    if (COSY_RARELY(stay > p->stay_max))
        p->stay_max = stay;
    tr->body = COSY_VOID;
    tr->next = h->transaction_free;
    h->transaction_free = id;
    return COSY_OK;
}

/* Ends any transaction. One that has not begun has not stayed. */
static inline CosyStatus cosy_end(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    tr->gentim = cosy_min(tr->gentim, c->head->t);
    return cosy_finish(c, cosy_process(tr), id);
}

/* ---- Resources: queue and use -------------------------------------------- */

static inline void cosy_queue_area(CosyResource *r, real t)
{
    r->wait_area += (real)r->waiting * (t - r->wait_since);
    r->wait_since = t;
}

/* Sets `used` to its value from now on. */
static inline void cosy_use(CosyResource *r, real t, int64_t used)
{
    r->used_area += (real)r->used * (t - r->used_since);
    r->used_since = t;
    r->used = used;
    if (used > r->most_used)
        r->most_used = used;
}

/* Finds its place in the queue: by rank, before or after those of equal
   rank. */
static inline void cosy_queue_link(Cosy *c, uint32_t k, uint32_t id,
                                   CosyTransaction *tr, real rank,
                                   bool in_front)
{
    CosyResource *r = c->resource + k;
    uint32_t before = COSY_NONE, next = r->head;
    tr->at = k;
    tr->rank = rank;
    if (!in_front && next != COSY_NONE) {
        CosyTransaction *last = cosy_transaction(c, r->tail);
        if (last->rank >= rank) {
            tr->next = COSY_NONE;
            tr->previous = r->tail;
            last->next = r->tail = id;
            return;
        }
    }
    while (next != COSY_NONE) {
        CosyTransaction *other = cosy_transaction(c, next);
        if (in_front ? other->rank <= rank : other->rank < rank)
            break;
        before = next;
        next = other->next;
    }
    tr->next = next;
    tr->previous = before;
    if (before == COSY_NONE)
        r->head = id;
    else
        cosy_transaction(c, before)->next = id;
    if (next == COSY_NONE)
        r->tail = id;
    else
        cosy_transaction(c, next)->previous = id;
}

/* Puts a transaction into the queue. */
static inline void cosy_queue_put(Cosy *c, uint32_t k, uint32_t id,
                                  CosyTransaction *tr, real rank, bool in_front)
{
    CosyResource *r = c->resource + k;
    cosy_queue_link(c, k, id, tr, rank, in_front);
    tr->since = c->head->t;
    cosy_queue_area(r, c->head->t);
    r->waits++;
    if (++r->waiting > r->most_waiting)
        r->most_waiting = r->waiting;
}

/* Updates the statistics of a transaction that leaves the queue, and its own
   fields. */
static inline void cosy_queue_left(Cosy *c, CosyResource *r,
                                   CosyTransaction *tr)
{
    real wait = c->head->t - tr->since;
    cosy_queue_area(r, c->head->t);
    COSY_ASSERT(r->waiting > 0);
    r->waiting--;
    r->wait_sum += wait;
    if (COSY_RARELY(wait > r->wait_max))
        r->wait_max = wait;
    tr->at = COSY_NONE;
    tr->next = COSY_NONE;
}

/* Takes the first, tr, of a queue out of it; returns its number. The tail of an
   empty queue is undefined. */
static inline uint32_t cosy_queue_take(Cosy *c, CosyResource *r,
                                       CosyTransaction *tr)
{
    uint32_t id = r->head;
    r->head = tr->next;
    cosy_queue_left(c, r, tr);
    return id;
}

/* Takes a transaction out of the queue, wherever it stands; its own fields stay
   as they are. */
static inline void cosy_queue_unlink(Cosy *c, CosyResource *r, uint32_t id,
                                     const CosyTransaction *tr)
{
    if (r->head == id)
        r->head = tr->next;
    else
        cosy_transaction(c, tr->previous)->next = tr->next;
    if (r->tail == id)
        r->tail = tr->previous;
    else
        cosy_transaction(c, tr->next)->previous = tr->previous;
}

/* ---- FACILITY ------------------------------------------------------------- */

/* A transaction comes into the queue of a shared facility, or into the common
   queue: which of the two goes first depends on who came first. */
COSY_APART void cosy_note_arrival(Cosy *c, uint32_t k, CosyTransaction *tr)
{
    const CosyResourceInfo *info = c->model->resources + k;
    uint32_t pool = info->kind == COSY_POOL ? k : info->pool - 1;
    tr->units = -(int64_t)++c->resource[pool].arrivals;
}

/* SEIZE with a rank that has been checked. */
static inline CosyStatus cosy_take(Cosy *c, uint32_t f, uint32_t id, real rank,
                                   uint32_t point)
{
    CosyResource *r = c->resource + f;
    CosyTransaction *tr = cosy_transaction(c, id);
    if (r->holder == COSY_NONE) {
        r->rank = rank;
        r->used = r->most_used = 1;
        r->used_since = c->head->t;
        r->entries++;
        r->holder = id;
        tr->held++;
        return COSY_OK;
    }
    if (COSY_RARELY(r->holder == id))
        return c->host->refuse(c, COSY_SEIZES_TWICE, f, id, R(0.0));
    tr->point = point;
    if (COSY_RARELY(r->marks & COSY_SHARED))
        cosy_note_arrival(c, f, tr);
    cosy_queue_put(c, f, id, tr, rank, false);
    return COSY_WAITING;
}

/* SEIZE f: the rank is PRIORNBR. */
static inline CosyStatus cosy_seize(Cosy *c, uint32_t f, uint32_t id,
                                    uint32_t point)
{
    return cosy_take(c, f, id, cosy_transaction(c, id)->priority, point);
}

/* SEIZE f PRIORITY rank. */
static inline CosyStatus cosy_seize_with(Cosy *c, uint32_t f, uint32_t id,
                                         real rank, uint32_t point)
{
    if (COSY_RARELY(!cosy_is_priority(rank)))
        return c->host->refuse(c, COSY_BAD_PRIORITY, COSY_NONE, id, rank);
    return cosy_take(c, f, id, rank, point);
}

/* Gives the facility to a transaction that waits with PREEMPT or a TIMEOUT, or
   was displaced. */
COSY_APART CosyStatus cosy_hand_back(Cosy *c, CosyResource *r, uint32_t id,
                                     CosyTransaction *tr)
{
    uint32_t mode = tr->mode;
    r->marks |= mode & COSY_URGENT;
    if (mode & COSY_IMPATIENT)
        cosy_off_calendar(c, tr);
    tr->mode = 0;
    if (mode & COSY_DISPLACED) {
        r->vain++; // it had entered before
        return cosy_resume_at(c, tr, c->head->t + tr->due);
    }
    r->entries++;
    return cosy_resume_now(c, id, tr);
}

/* Gives a facility without urgent holder to the first in its queue, or to
   nobody. */
static inline CosyStatus cosy_hand_over(Cosy *c, uint32_t f)
{
    CosyResource *r = c->resource + f;
    if (r->head == COSY_NONE) {
        r->used_area += c->head->t - r->used_since;
        r->used_since = c->head->t;
        r->used = 0;
        r->holder = COSY_NONE;
        return COSY_OK;
    }
    CosyTransaction *tr = cosy_transaction(c, r->head);
    uint32_t id = cosy_queue_take(c, r, tr);
    r->holder = id;
    r->rank = tr->rank;
    tr->held++;
    if (COSY_RARELY(tr->mode))
        return cosy_hand_back(c, r, id, tr);
    r->entries++;
    return cosy_resume_now(c, id, tr);
}

COSY_APART CosyStatus cosy_hand_on_marked(Cosy *c, uint32_t f);

/* The same for a facility that was released, whatever its marks. */
static inline CosyStatus cosy_hand_on(Cosy *c, uint32_t f)
{
    if (COSY_RARELY(c->resource[f].marks))
        return cosy_hand_on_marked(c, f);
    return cosy_hand_over(c, f);
}

static inline CosyStatus cosy_release(Cosy *c, uint32_t f, uint32_t id)
{
    if (COSY_RARELY(c->resource[f].holder != id))
        return c->host->refuse(c, COSY_NOT_HOLDER, f, id, R(0.0));
    cosy_transaction(c, id)->held--;
    return cosy_hand_on(c, f);
}

/* True if the holder is in ADVANCE, and nothing keeps others from following
   it. */
static inline bool cosy_is_displaceable(const Cosy *c, const CosyResource *r)
{
    if (r->marks & (COSY_FAILING | COSY_FAILED))
        return false;
    const CosyTransaction *holder = cosy_transaction(c, r->holder);
    return holder->wake && holder->at == COSY_NONE;
}

/* The holder loses its facility in the middle of an ADVANCE and waits in the
   queue before those of equal rank. The rest of the ADVANCE, or with `restart`
   all of it, follows when the facility comes back. */
COSY_APART void cosy_displace(Cosy *c, uint32_t f, bool restart)
{
    CosyResource *r = c->resource + f;
    uint32_t id = r->holder;
    CosyTransaction *tr = cosy_transaction(c, id);
    real left = tr->due - c->head->t;
    cosy_off_calendar(c, tr);
    tr->due = restart && left > R(0.0) ? tr->span : left;
    tr->mode = COSY_DISPLACED | (r->marks & COSY_URGENT);
    tr->held--;
    cosy_queue_put(c, f, id, tr, r->rank, true);
}

/* PREEMPT f PRIORITY rank RESTART. The holder is displaced if it is in ADVANCE
   and the priority of its request is lower, or equal and it came by SEIZE.
   Otherwise the new transaction waits before those of equal rank. */
static inline CosyStatus cosy_preempt(Cosy *c, uint32_t f, uint32_t id,
                                      real rank, bool restart, uint32_t point)
{
    CosyResource *r = c->resource + f;
    if (r->holder == COSY_NONE || r->holder == id || !cosy_is_priority(rank)) {
        COSY_TRY(cosy_seize_with(c, f, id, rank, point));
        r->marks |= COSY_URGENT;
        return COSY_OK;
    }
    CosyTransaction *tr = cosy_transaction(c, id);
    bool weaker =
        r->rank < rank || (r->rank == rank && !(r->marks & COSY_URGENT));
    if (weaker && cosy_is_displaceable(c, r)) {
        cosy_displace(c, f, restart);
        r->entries++;
        r->holder = id;
        r->rank = rank;
        r->marks |= COSY_URGENT;
        tr->held++;
        return COSY_OK;
    }
    tr->point = point;
    tr->mode = COSY_URGENT;
    cosy_queue_put(c, f, id, tr, rank, true);
    return COSY_WAITING;
}

/* ---- STORAGE -------------------------------------------------------------- */

/* Gives the transaction n more units of storage s. */
static inline CosyStatus cosy_stay_more(Cosy *c, CosyTransaction *tr,
                                        uint32_t s, int64_t n)
{
    CosyHead *h = c->head;
    for (uint32_t k = tr->stays; k != COSY_NONE; k = c->stay[k].next)
        if (c->stay[k].storage == s) {
            c->stay[k].units += n;
            return COSY_OK;
        }
    uint32_t k = h->stay_free;
    if (k != COSY_NONE) {
        h->stay_free = c->stay[k].next;
    } else {
        if (COSY_RARELY(h->stay_used >= c->stay_room))
            COSY_TRY(c->host->grow(c, COSY_SEGMENT_STAYS));
        k = h->stay_used++;
    }
    COSY_ASSERT(k < h->stay_used && k != tr->stays);
    c->stay[k] = (CosyStay){.storage = s, .next = tr->stays, .units = n};
    tr->stays = k;
    return COSY_OK;
}

/* The transaction leaves up to n of its units; returns how many of the n were
   not its own. */
static inline int64_t cosy_stay_less(Cosy *c, CosyTransaction *tr, uint32_t s,
                                     int64_t n)
{
    uint32_t *from = &tr->stays;
    while (*from != COSY_NONE && c->stay[*from].storage != s)
        from = &c->stay[*from].next;
    if (*from == COSY_NONE)
        return n;
    uint32_t k = *from;
    CosyStay *stay = c->stay + k;
    COSY_ASSERT(k < c->head->stay_used && stay->units > 0);
    if (stay->units > n) {
        stay->units -= n;
        return 0;
    }
    n -= stay->units;
    *from = stay->next;
    stay->next = c->head->stay_free;
    c->head->stay_free = k;
    return n;
}

/* n units are left by a transaction that did not enter them. */
COSY_APART void cosy_leave_strange(CosyResource *r, int64_t n)
{
    int64_t found = n < r->lost ? n : r->lost;
    r->lost -= found;
    r->owed += n - found;
    r->strange = 1;
}

/* The transaction ends: its units are lost unless others have left them. */
static inline void cosy_stays_end(Cosy *c, CosyTransaction *tr)
{
    while (tr->stays != COSY_NONE) {
        CosyStay stay = c->stay[tr->stays];
        CosyResource *r = c->resource + stay.storage;
        int64_t left = stay.units < r->owed ? stay.units : r->owed;
        r->owed -= left;
        if (r->lost == 0)
            r->lost_by = tr->number;
        r->lost += stay.units - left;
        c->stay[tr->stays].next = c->head->stay_free;
        c->head->stay_free = tr->stays;
        tr->stays = stay.next;
    }
}

static inline bool cosy_storage_fits(const CosyResource *r, int64_t n)
{
    return n <= r->capacity - r->used;
}

/* True if no request of this rank or a higher one waits, and n units fit. No
   transaction overtakes one of equal priority that waits, even for fewer
   units. */
static inline bool cosy_storage_takes(const Cosy *c, const CosyResource *r,
                                      real rank, int64_t n)
{
    bool first =
        r->head == COSY_NONE || cosy_transaction(c, r->head)->rank < rank;
    return first && cosy_storage_fits(r, n);
}

/* More than the capacity is refused where that never changes. */
COSY_APART bool cosy_enters_never(const Cosy *c, uint32_t s, int64_t n)
{
    return n < 1 || !c->model->resources[s].resized;
}

/* ENTER s, n. */
static inline CosyStatus cosy_enter(Cosy *c, uint32_t s, uint32_t id, int64_t n,
                                    real rank, uint32_t point)
{
    CosyResource *r = c->resource + s;
    if (COSY_RARELY(n < 1 || n > r->capacity) && cosy_enters_never(c, s, n))
        return c->host->refuse(c, COSY_BAD_ENTER, s, id, (real)n);
    CosyTransaction *tr = cosy_transaction(c, id);
    if (cosy_storage_takes(c, r, rank, n)) {
        cosy_use(r, c->head->t, r->used + n);
        r->entries++;
        return cosy_stay_more(c, tr, s, n);
    }
    tr->point = point;
    tr->units = n;
    cosy_queue_put(c, s, id, tr, rank, false);
    return COSY_WAITING;
}

/* A transaction with a TIMEOUT has got what it waited for. */
COSY_APART void cosy_patience_ends(Cosy *c, CosyTransaction *tr)
{
    COSY_ASSERT(tr->mode == COSY_IMPATIENT && tr->wake != 0);
    cosy_off_calendar(c, tr);
    tr->mode = 0;
}

/* Lets in all transactions from the front of the queue that fit. */
static inline CosyStatus cosy_storage_admit(Cosy *c, uint32_t s)
{
    CosyResource *r = c->resource + s;
    while (r->head != COSY_NONE) {
        CosyTransaction *tr = cosy_transaction(c, r->head);
        if (!cosy_storage_fits(r, tr->units))
            break;
        uint32_t id = cosy_queue_take(c, r, tr);
        if (COSY_RARELY(tr->mode))
            cosy_patience_ends(c, tr);
        cosy_use(r, c->head->t, r->used + tr->units);
        r->entries++;
        COSY_TRY(cosy_stay_more(c, tr, s, tr->units));
        COSY_TRY(cosy_resume_now(c, id, tr));
    }
    return COSY_OK;
}

/* LEAVE s, n; the units need not be the transaction's own, and id may be
   COSY_NONE. */
static inline CosyStatus cosy_leave(Cosy *c, uint32_t s, uint32_t id, int64_t n)
{
    CosyResource *r = c->resource + s;
    if (COSY_RARELY(n < 1 || n > r->used))
        return c->host->refuse(c, COSY_BAD_LEAVE, s, id, (real)n);
    int64_t strange = n;
    if (id != COSY_NONE)
        strange = cosy_stay_less(c, cosy_transaction(c, id), s, n);
    if (COSY_RARELY(strange))
        cosy_leave_strange(r, strange);
    cosy_use(r, c->head->t, r->used - n);
    return cosy_storage_admit(c, s);
}

/* ---- GATE, SIGNAL ---------------------------------------------------------- */

/* Resumes all transactions that wait now, in order. */
static inline CosyStatus cosy_wake_all(Cosy *c, CosyResource *r)
{
    while (r->head != COSY_NONE) {
        CosyTransaction *tr = cosy_transaction(c, r->head);
        uint32_t id = cosy_queue_take(c, r, tr);
        if (COSY_RARELY(tr->mode))
            cosy_patience_ends(c, tr);
        r->entries++;
        COSY_TRY(cosy_resume_now(c, id, tr));
    }
    return COSY_OK;
}

static inline CosyStatus cosy_gate_open(Cosy *c, uint32_t g)
{
    cosy_use(c->resource + g, c->head->t, 1);
    return cosy_wake_all(c, c->resource + g);
}

static inline void cosy_gate_close(Cosy *c, uint32_t g)
{
    cosy_use(c->resource + g, c->head->t, 0);
}

static inline CosyStatus cosy_queue_wait(Cosy *c, uint32_t k, uint32_t id,
                                         uint32_t point)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    tr->point = point;
    cosy_queue_put(c, k, id, tr, tr->priority, false);
    return COSY_WAITING;
}

static inline CosyStatus cosy_gate_pass(Cosy *c, uint32_t g, uint32_t id,
                                        uint32_t point)
{
    if (!c->resource[g].used)
        return cosy_queue_wait(c, g, id, point);
    c->resource[g].entries++;
    return COSY_OK;
}

/* SENDSIG reaches the transactions that wait now; it is not kept for later
   ones. */
static inline CosyStatus cosy_signal_send(Cosy *c, uint32_t s)
{
    return cosy_wake_all(c, c->resource + s);
}

static inline CosyStatus cosy_signal_wait(Cosy *c, uint32_t s, uint32_t id,
                                          uint32_t point)
{
    return cosy_queue_wait(c, s, id, point);
}

#endif
