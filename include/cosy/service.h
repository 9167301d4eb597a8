#ifndef COSY_SERVICE_H
#define COSY_SERVICE_H

/* What resources and their customers do now and then (included after
   cosy/family.h): waits with a TIMEOUT, one common queue for several
   facilities, facilities that go out of service, capacities that change.

   A wait with TIMEOUT is written as three calls: cosy_patience, the statement
   with _within in its name, and, at its point, cosy_patience_over. Until the
   wait is over the transaction stands in its queue and on the calendar; what
   comes first ends the other, so the order of the calendar decides at equal
   times. */

/* ---- TIMEOUT -------------------------------------------------------------- */

/* TIMEOUT dt of the statement that follows; `endless`: it may be INF. */
COSY_APART CosyStatus cosy_patience(Cosy *c, uint32_t id, real dt, bool endless)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    bool ever = endless && dt == COSY_INFINITY;
    if (!ever && !cosy_is_ahead(c, c->head->t + dt))
        return c->host->refuse(c, COSY_BAD_TIMEOUT, COSY_NONE, id, dt);
    COSY_ASSERT(tr->wake == 0 && tr->at == COSY_NONE);
    tr->timed_out = 0;
    tr->due = dt;
    return COSY_OK;
}

/* Whether the transaction gives up when it is not served at once. */
static inline bool cosy_tries_once(const Cosy *c, uint32_t id)
{
    return cosy_transaction(c, id)->due == R(0.0);
}

/* TIMEOUT 0: the transaction was not served at once, and does not wait. */
COSY_APART CosyStatus cosy_balk(Cosy *c, uint32_t k, uint32_t id)
{
    cosy_transaction(c, id)->timed_out = 1;
    c->resource[k].gave_up++;
    return COSY_OK;
}

/* Puts a transaction that has to wait on the calendar as well. */
static inline CosyStatus cosy_wait_within(Cosy *c, uint32_t id, real dt,
                                          CosyStatus status)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    if (status != COSY_WAITING || dt == COSY_INFINITY)
        return status;
    COSY_ASSERT(tr->at != COSY_NONE && tr->wake == 0);
    tr->mode |= COSY_IMPATIENT;
    COSY_TRY(cosy_resume_at(c, tr, c->head->t + dt));
    return COSY_WAITING;
}

/* At the point after a wait with TIMEOUT: a transaction that still stands in
   the queue gives up. */
static inline CosyStatus cosy_patience_over(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    if (tr->at == COSY_NONE)
        return COSY_OK;
    COSY_ASSERT(tr->mode == COSY_IMPATIENT && tr->wake == 0);
    tr->timed_out = 1;
    c->resource[tr->at].gave_up++;
    return cosy_withdraw(c, id);
}

static inline CosyStatus cosy_seize_within(Cosy *c, uint32_t f, uint32_t id,
                                           real rank, uint32_t point)
{
    real dt = cosy_transaction(c, id)->due;
    uint32_t holder = c->resource[f].holder;
    if (cosy_tries_once(c, id) && holder != COSY_NONE && holder != id)
        return cosy_balk(c, f, id);
    return cosy_wait_within(c, id, dt, cosy_seize_with(c, f, id, rank, point));
}

static inline CosyStatus cosy_enter_within(Cosy *c, uint32_t s, uint32_t id,
                                           int64_t n, real rank, uint32_t point)
{
    real dt = cosy_transaction(c, id)->due;
    const CosyResource *r = c->resource + s;
    bool never = (n < 1 || n > r->capacity) && cosy_enters_never(c, s, n);
    if (cosy_tries_once(c, id) && !never && !cosy_storage_takes(c, r, rank, n))
        return cosy_balk(c, s, id);
    return cosy_wait_within(c, id, dt, cosy_enter(c, s, id, n, rank, point));
}

static inline CosyStatus cosy_gate_pass_within(Cosy *c, uint32_t g, uint32_t id,
                                               uint32_t point)
{
    real dt = cosy_transaction(c, id)->due;
    if (cosy_tries_once(c, id) && !c->resource[g].used)
        return cosy_balk(c, g, id);
    return cosy_wait_within(c, id, dt, cosy_gate_pass(c, g, id, point));
}

static inline CosyStatus cosy_signal_wait_within(Cosy *c, uint32_t s,
                                                 uint32_t id, uint32_t point)
{
    real dt = cosy_transaction(c, id)->due;
    if (cosy_tries_once(c, id))
        return cosy_balk(c, s, id);
    return cosy_wait_within(c, id, dt, cosy_signal_wait(c, s, id, point));
}

/* ---- One common queue: SEIZE ANY ------------------------------------------ */

typedef enum CosyChoiceRule {
    COSY_FIRST_FREE, // the one with the smallest index
    COSY_LONGEST_IDLE,
    COSY_ANY_FREE // a random one
} CosyChoiceRule;

static inline bool cosy_is_free(const Cosy *c, uint32_t f)
{
    return c->resource[f].holder == COSY_NONE;
}

static inline uint32_t cosy_count_free(const Cosy *c, uint32_t k)
{
    const CosyResourceInfo *info = c->model->resources + k;
    uint32_t n = 0;
    for (uint32_t f = info->first; f < info->first + info->members; f++)
        n += cosy_is_free(c, f);
    return n;
}

/* The free facility that nobody has used for the longest time. */
static inline uint32_t cosy_longest_idle(const Cosy *c,
                                         const CosyResourceInfo *info)
{
    uint32_t best = COSY_NONE;
    for (uint32_t f = info->first; f < info->first + info->members; f++)
        if (cosy_is_free(c, f) &&
            (best == COSY_NONE || c->resource[f].idle < c->resource[best].idle))
            best = f;
    return best;
}

/* Chooses a free facility of common queue k; COSY_NONE if there is none. A
   number is drawn only where there is a choice. */
static inline CosyStatus cosy_choose(Cosy *c, uint32_t k, CosyChoiceRule rule,
                                     uint32_t *f)
{
    const CosyResourceInfo *info = c->model->resources + k;
    uint32_t skip = 0;
    *f = COSY_NONE;
    if (rule == COSY_LONGEST_IDLE) {
        *f = cosy_longest_idle(c, info);
        return COSY_OK;
    }
    if (rule == COSY_ANY_FREE) {
        uint32_t n = cosy_count_free(c, k);
        real u = R(0.0);
        if (n > 1)
            COSY_TRY(cosy_draw_to(c, info->stream, &u));
        skip = (uint32_t)(u * (real)n);
        skip = skip < n ? skip : n - (n > 0);
    }
    for (uint32_t i = 0; i < info->members; i++)
        if (cosy_is_free(c, info->first + i) && skip-- == 0) {
            *f = info->first + i;
            return COSY_OK;
        }
    return COSY_OK;
}

/* SEIZE ANY: `units` of the transaction becomes the place of its facility in
   the array. */
static inline CosyStatus cosy_seize_any(Cosy *c, uint32_t k, uint32_t id,
                                        CosyChoiceRule rule, real rank,
                                        uint32_t point)
{
    uint32_t f;
    if (COSY_RARELY(!cosy_is_priority(rank)))
        return c->host->refuse(c, COSY_BAD_PRIORITY, COSY_NONE, id, rank);
    COSY_TRY(cosy_choose(c, k, rule, &f));
    CosyTransaction *tr = cosy_transaction(c, id);
    if (f == COSY_NONE) {
        tr->point = point;
        cosy_note_arrival(c, k, tr);
        cosy_queue_put(c, k, id, tr, rank, false);
        return COSY_WAITING;
    }
    COSY_ASSERT(c->resource[k].head == COSY_NONE);
    tr->units = f - c->model->resources[k].first;
    c->resource[k].entries++;
    return cosy_take(c, f, id, rank, point);
}

static inline CosyStatus cosy_seize_any_within(Cosy *c, uint32_t k, uint32_t id,
                                               CosyChoiceRule rule, real rank,
                                               uint32_t point)
{
    real dt = cosy_transaction(c, id)->due;
    if (cosy_tries_once(c, id) && cosy_count_free(c, k) == 0) {
        cosy_transaction(c, id)->units = -1;
        return cosy_balk(c, k, id);
    }
    return cosy_wait_within(c, id, dt,
                            cosy_seize_any(c, k, id, rule, rank, point));
}

/* Whether the first of the common queue goes before the first of the
   facility's own: by priority, then by arrival. Whoever was displaced there, or
   waits with PREEMPT, goes before its equals. */
static inline bool cosy_common_leads(const Cosy *c, const CosyResource *own,
                                     const CosyResource *common)
{
    if (common->head == COSY_NONE || own->head == COSY_NONE)
        return common->head != COSY_NONE;
    const CosyTransaction *a = cosy_transaction(c, own->head);
    const CosyTransaction *b = cosy_transaction(c, common->head);
    if (a->rank != b->rank)
        return b->rank > a->rank;
    if (a->mode & (COSY_URGENT | COSY_DISPLACED))
        return false;
    COSY_ASSERT(a->units < 0 && b->units < 0 && a->units != b->units);
    return b->units > a->units;
}

/* Gives a shared facility to the first of either queue, or to nobody. */
static inline CosyStatus cosy_hand_on_shared(Cosy *c, uint32_t f)
{
    CosyResource *r = c->resource + f;
    uint32_t k = c->model->resources[f].pool - 1;
    CosyResource *common = c->resource + k;
    r->idle = ++common->arrivals;
    if (!cosy_common_leads(c, r, common))
        return cosy_hand_over(c, f);
    CosyTransaction *tr = cosy_transaction(c, common->head);
    uint32_t id = cosy_queue_take(c, common, tr);
    r->holder = id;
    r->rank = tr->rank;
    tr->held++;
    tr->units = f - c->model->resources[k].first;
    if (tr->mode)
        cosy_patience_ends(c, tr);
    r->entries++;
    common->entries++;
    return cosy_resume_now(c, id, tr);
}

/* ---- DOWN, UP ------------------------------------------------------------- */

/* Takes a facility that nobody uses any more out of service. */
static inline void cosy_fail(Cosy *c, uint32_t f)
{
    CosyResource *r = c->resource + f;
    cosy_use(r, c->head->t, 0);
    r->holder = COSY_OUT_OF_SERVICE;
    r->marks &= ~(uint32_t)(COSY_FAILING | COSY_URGENT);
    r->marks |= COSY_FAILED;
    r->down_since = c->head->t;
    r->failures++;
}

/* Gives a facility with marks to the next, or takes it out of service. */
COSY_APART CosyStatus cosy_hand_on_marked(Cosy *c, uint32_t f)
{
    CosyResource *r = c->resource + f;
    r->marks &= ~(uint32_t)COSY_URGENT;
    if (r->marks & COSY_FAILING) {
        cosy_fail(c, f);
        return COSY_OK;
    }
    return r->marks & COSY_SHARED ? cosy_hand_on_shared(c, f)
                                  : cosy_hand_over(c, f);
}

/* DOWN(f), by transaction `self` or COSY_NONE. With `preempt` a holder in
   ADVANCE is displaced; otherwise it finishes first. */
COSY_APART CosyStatus cosy_down(Cosy *c, uint32_t f, uint32_t self,
                                bool preempt)
{
    CosyResource *r = c->resource + f;
    if (r->marks & (COSY_FAILING | COSY_FAILED))
        return c->host->refuse(c, COSY_IS_DOWN, f, self, R(0.0));
    if (r->holder == COSY_NONE) {
        cosy_fail(c, f);
    } else if (preempt && cosy_is_displaceable(c, r)) {
        cosy_displace(c, f, false);
        cosy_fail(c, f);
    } else {
        r->marks |= COSY_FAILING;
    }
    return COSY_OK;
}

/* UP(f): the next may have it. One that has not gone out of service yet stays
   in service. */
COSY_APART CosyStatus cosy_up(Cosy *c, uint32_t f, uint32_t self)
{
    CosyResource *r = c->resource + f;
    real t = c->head->t;
    if (r->marks & COSY_FAILING) {
        r->marks &= ~(uint32_t)COSY_FAILING;
        return COSY_OK;
    }
    if (!(r->marks & COSY_FAILED))
        return c->host->refuse(c, COSY_IS_UP, f, self, R(0.0));
    r->marks &= ~(uint32_t)COSY_FAILED;
    r->down_area += t - r->down_since;
    r->down_since = t;
    r->used = 1;
    r->used_since = t;
    COSY_TRY(cosy_hand_on(c, f));
    COSY_ASSERT(r->used == (r->holder != COSY_NONE));
    if (r->used)
        r->most_used = 1;
    return COSY_OK;
}

/* ---- CAPACITY(s) := n ------------------------------------------------------- */

/* The time integral of the capacity; infinite after a time without limit. */
static inline real cosy_room_area(const CosyResource *r, real t)
{
    real span = t - r->room_since;
    if (r->capacity != COSY_UNLIMITED)
        return r->room_area + (real)r->capacity * span;
    return span > R(0.0) ? COSY_INFINITY : r->room_area;
}

/* What is inside stays; whoever fits now enters. */
COSY_APART CosyStatus cosy_set_capacity(Cosy *c, uint32_t s, uint32_t self,
                                        int64_t n)
{
    CosyResource *r = c->resource + s;
    if (n < 0)
        return c->host->refuse(c, COSY_BAD_CAPACITY, s, self, (real)n);
    r->room_area = cosy_room_area(r, c->head->t);
    r->room_since = c->head->t;
    r->capacity = n;
    r->marks |= COSY_RESIZED;
    return cosy_storage_admit(c, s);
}

/* FREE(s): units that could still enter. */
static inline int64_t cosy_room(const CosyResource *r)
{
    return r->capacity > r->used ? r->capacity - r->used : 0;
}

#endif
