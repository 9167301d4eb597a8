#ifndef COSY_UNTIL_H
#define COSY_UNTIL_H

/* WAIT UNTIL (included after cosy/inline.h). A transaction waits in a list of
   its statement, and is asked whether it may go on only when something that
   its condition reads may have changed:

       cosy_until_mark        one list has to be asked, from its beginning
       cosy_until_mark_all    all lists of a statement
       cosy_until_touch       a single transaction: an attribute of its own

   Generated code marks what it assigns. Conditions that depend on more than
   variables and resources are marked by the clock at every event
   (CosyWaitInfo.always). Where all transactions of a list read the same
   (CosyWaitInfo.alike), the first one answers for all.

   Those to be asked are a heap in c->asked, by priority and then by arrival:
   the single ones, and the cursor of each list, which moves on when it has been
   asked. So marking costs the same however many wait. The clock asks the first
   (`until`) and calls cosy_until_over for a transaction that may go on,
   cosy_until_asked for one that may not. */

/* ---- Those to be asked ---------------------------------------------------- */

static inline bool cosy_asked_before(const Cosy *c, uint32_t one,
                                     uint32_t other)
{
    const CosyTransaction *a = cosy_transaction(c, one);
    const CosyTransaction *b = cosy_transaction(c, other);
    return a->priority > b->priority ||
           (a->priority == b->priority && a->rank < b->rank);
}

static inline void cosy_ask_set(Cosy *c, uint32_t place, uint32_t id)
{
    c->asked[place] = id;
    cosy_transaction(c, id)->ask = place;
}

/* Puts a transaction at `place`, which is vacant, or above or below it. */
static inline void cosy_ask_sift(Cosy *c, uint32_t place, uint32_t id)
{
    uint32_t end = c->head->asks + 1, child;
    while (place > 1 && cosy_asked_before(c, id, c->asked[place / 2])) {
        cosy_ask_set(c, place, c->asked[place / 2]);
        place /= 2;
    }
    while ((child = 2 * place) < end) {
        child += child + 1 < end &&
                 cosy_asked_before(c, c->asked[child + 1], c->asked[child]);
        if (!cosy_asked_before(c, c->asked[child], id))
            break;
        cosy_ask_set(c, place, c->asked[child]);
        place = child;
    }
    cosy_ask_set(c, place, id);
}

/* The transaction will be asked. */
COSY_APART void cosy_ask(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    COSY_ASSERT(tr->at == COSY_UNTIL);
    if (tr->ask)
        return;
    COSY_ASSERT(c->head->asks < c->head->untils);
    cosy_ask_sift(c, ++c->head->asks, id);
}

COSY_APART void cosy_ask_not(Cosy *c, CosyTransaction *tr)
{
    uint32_t place = tr->ask;
    tr->ask = 0;
    if (place == 0)
        return;
    uint32_t last = c->asked[c->head->asks--];
    if (cosy_transaction(c, last) != tr)
        cosy_ask_sift(c, place, last);
}

/* ---- What has changed ------------------------------------------------------- */

/* Something has changed that all conditions of this list read. */
static inline void cosy_until_mark(Cosy *c, uint32_t list)
{
    CosyUntil *u = c->until + list;
    if (u->cursor == u->head)
        return;
    u->cursor = u->head;
    cosy_ask(c, u->head);
}

/* The same for all lists of the statement whose first one this is. */
COSY_APART void cosy_until_mark_all(Cosy *c, uint32_t first)
{
    uint32_t list = first;
    do {
        cosy_until_mark(c, list);
        list = c->until[list].next;
    } while (list != first);
}

/* An attribute of this transaction has changed. */
static inline void cosy_until_touch(Cosy *c, uint32_t id)
{
    if (cosy_transaction(c, id)->at == COSY_UNTIL)
        cosy_ask(c, id);
}

/* The list for element `position` of the array by which a statement is divided;
   its first list if there is no such element. */
static inline uint32_t cosy_until_place(uint32_t first, uint32_t elements,
                                        int64_t position)
{
    bool is = position >= 0 && position < (int64_t)elements;
    return is ? first + 1 + (uint32_t)position : first;
}

/* ---- Lists ------------------------------------------------------------------- */

static inline uint32_t cosy_until_first(const Cosy *c, uint32_t list)
{
    return c->model->waits[c->until[list].wait].first;
}

/* A list that is not empty any more joins the circle of its statement. */
static inline void cosy_until_join(Cosy *c, uint32_t list)
{
    uint32_t first = cosy_until_first(c, list);
    CosyUntil *u = c->until + list, *anchor = c->until + first;
    if (list == first)
        return;
    u->next = anchor->next;
    u->previous = first;
    c->until[u->next].previous = list;
    anchor->next = list;
}

static inline void cosy_until_part(Cosy *c, uint32_t list)
{
    CosyUntil *u = c->until + list;
    if (list == cosy_until_first(c, list))
        return;
    c->until[u->previous].next = u->next;
    c->until[u->next].previous = u->previous;
    u->next = u->previous = list;
}

/* Puts a transaction into the list after all whose priority is not lower. */
static inline CosyStatus cosy_until_put(Cosy *c, uint32_t id, uint32_t list)
{
    CosyHead *h = c->head;
    CosyTransaction *tr = cosy_transaction(c, id);
    CosyUntil *u = c->until + list;
    uint32_t before = u->head == COSY_NONE ? COSY_NONE : u->tail;
    if (COSY_RARELY(h->untils + 2 > c->asked_room))
        COSY_TRY(c->host->grow(c, COSY_SEGMENT_ASKED));
    if (before == COSY_NONE)
        cosy_until_join(c, list);
    while (before != COSY_NONE) {
        const CosyTransaction *other = cosy_transaction(c, before);
        if (other->priority >= tr->priority)
            break;
        before = before == u->head ? COSY_NONE : other->previous;
    }
    tr->previous = before;
    tr->next =
        before == COSY_NONE ? u->head : cosy_transaction(c, before)->next;
    if (before == COSY_NONE)
        u->head = id;
    else
        cosy_transaction(c, before)->next = id;
    if (tr->next == COSY_NONE)
        u->tail = id;
    else
        cosy_transaction(c, tr->next)->previous = id;
    tr->at = COSY_UNTIL;
    tr->list = list;
    tr->ask = 0;
    tr->rank = (real)++h->arrivals;
    h->untils++;
    return COSY_OK;
}

static inline void cosy_until_leave(Cosy *c, uint32_t id)
{
    CosyHead *h = c->head;
    CosyTransaction *tr = cosy_transaction(c, id);
    CosyUntil *u = c->until + tr->list;
    cosy_ask_not(c, tr);
    if (u->cursor == id) {
        u->cursor = tr->next;
        if (u->cursor != COSY_NONE)
            cosy_ask(c, u->cursor);
    }
    if (u->head == id)
        u->head = tr->next;
    else
        cosy_transaction(c, tr->previous)->next = tr->next;
    if (u->tail == id)
        u->tail = tr->previous;
    else
        cosy_transaction(c, tr->next)->previous = tr->previous;
    if (u->head == COSY_NONE)
        cosy_until_part(c, tr->list);
    tr->at = COSY_NONE;
    tr->next = COSY_NONE;
    COSY_ASSERT(h->untils > 0);
    h->untils--;
    COSY_ASSERT(h->asks <= h->untils);
}

/* ---- The statement ------------------------------------------------------------- */

/* WAIT UNTIL, after the condition has been found false. */
static inline CosyStatus cosy_wait_until(Cosy *c, uint32_t id, uint32_t list,
                                         uint32_t point)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    tr->point = point;
    tr->timed_out = 0;
    tr->since = c->head->t;
    COSY_TRY(cosy_until_put(c, id, list));
    return COSY_WAITING;
}

/* The same with TIMEOUT dt: the transaction is on the calendar too. */
static inline CosyStatus cosy_wait_until_timeout(Cosy *c, uint32_t id, real dt,
                                                 uint32_t list, uint32_t point)
{
    real t = c->head->t + dt;
    if (COSY_RARELY(!cosy_is_ahead(c, t)))
        return c->host->refuse(c, COSY_BAD_TIMEOUT, COSY_NONE, id, dt);
    CosyStatus status = cosy_wait_until(c, id, list, point);
    if (COSY_RARELY(status != COSY_WAITING))
        return status;
    COSY_TRY(cosy_resume_at(c, cosy_transaction(c, id), t));
    return COSY_WAITING;
}

/* TIMEOUT dt that may be INF: then the transaction waits as long as without
   one. */
static inline CosyStatus cosy_wait_until_patient(Cosy *c, uint32_t id, real dt,
                                                 uint32_t list, uint32_t point)
{
    return dt == COSY_INFINITY
               ? cosy_wait_until(c, id, list, point)
               : cosy_wait_until_timeout(c, id, dt, list, point);
}

/* It has been asked, and may go on. */
static inline CosyStatus cosy_until_over(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    cosy_until_leave(c, id);
    cosy_off_calendar(c, tr);
    return cosy_resume_now(c, id, tr);
}

/* It has been asked, and has to go on waiting. */
static inline void cosy_until_asked(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    CosyUntil *u = c->until + tr->list;
    cosy_ask_not(c, tr);
    if (u->cursor != id)
        return;
    u->cursor = c->model->waits[u->wait].alike ? COSY_NONE : tr->next;
    if (u->cursor != COSY_NONE)
        cosy_ask(c, u->cursor);
}

#endif
