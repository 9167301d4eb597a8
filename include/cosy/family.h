#ifndef COSY_FAMILY_H
#define COSY_FAMILY_H

/* What transactions do to each other (included after cosy/inline.h): INTERRUPT,
   TERMINATE, PRIORNBR, SPLIT and JOIN. `id` is a place in the pool;
   host->transaction finds the place of a transaction from its number. */

/* ---- INTERRUPT, TERMINATE ------------------------------------------------- */

/* Takes a transaction out of whatever it waits in: calendar, queue or WAIT
   UNTIL. */
static inline CosyStatus cosy_withdraw(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    cosy_off_calendar(c, tr);
    tr->mode = 0;
    if (tr->at == COSY_UNTIL) {
        cosy_until_leave(c, id);
        return COSY_OK;
    }
    if (tr->at == COSY_NONE)
        return COSY_OK;
    uint32_t k = tr->at;
    CosyResource *r = c->resource + k;
    cosy_queue_unlink(c, r, id, tr);
    cosy_queue_left(c, r, tr);
    r->vain++;
    if (c->model->resources[k].kind == COSY_STORAGE)
        return cosy_storage_admit(c, k);
    return COSY_OK;
}

/* INTERRUPT tr: the transaction goes on now at its resumption point, without
   what it waited for; one that has not begun yet begins. A displaced one is
   done with its ADVANCE and goes on when its facility comes back. Nothing is
   cut short if it does not wait, that is, if it is running or about to run. */
static inline CosyStatus cosy_interrupt(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    real t = c->head->t;
    if (tr->at == COSY_NONE && (tr->wake == 0 || tr->due == t))
        return COSY_OK;
    if (tr->mode & COSY_DISPLACED) {
        tr->due = R(0.0);
        return COSY_OK;
    }
    tr->gentim = cosy_min(tr->gentim, t);
    COSY_TRY(cosy_withdraw(c, id));
    return cosy_resume_now(c, id, tr);
}

/* Leaves all units that the transaction has entered and that nobody has left
   since. */
COSY_APART CosyStatus cosy_leave_all(Cosy *c, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    while (tr->stays != COSY_NONE) {
        CosyStay stay = c->stay[tr->stays];
        CosyResource *r = c->resource + stay.storage;
        int64_t left = stay.units < r->owed ? stay.units : r->owed;
        r->owed -= left;
        cosy_stay_less(c, tr, stay.storage, stay.units);
        cosy_use(r, c->head->t, r->used - (stay.units - left));
        COSY_TRY(cosy_storage_admit(c, stay.storage));
    }
    return COSY_OK;
}

/* TERMINATE tr: its facilities and units go to the transactions that wait for
   them. If a transaction terminates itself, its body returns right after this
   call. */
static inline CosyStatus cosy_terminate(Cosy *c, uint32_t id)
{
    COSY_TRY(cosy_withdraw(c, id));
    for (uint32_t k = 0; cosy_transaction(c, id)->held; k++)
        if (c->resource[k].holder == id &&
            c->model->resources[k].kind == COSY_FACILITY)
            COSY_TRY(cosy_release(c, k, id));
    COSY_TRY(cosy_leave_all(c, id));
    return cosy_end(c, id);
}

/* ---- PRIORNBR -------------------------------------------------------------- */

/* Ranks a transaction that waits with its own priority anew, after those of
   equal priority. */
COSY_APART CosyStatus cosy_rank_anew(Cosy *c, uint32_t id, real before)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    uint32_t k = tr->at;
    if (k == COSY_UNTIL) {
        uint32_t list = tr->list;
        cosy_until_leave(c, id);
        COSY_TRY(cosy_until_put(c, id, list));
        cosy_until_touch(c, id);
    } else if (k != COSY_NONE && tr->rank == before) {
        cosy_queue_unlink(c, c->resource + k, id, tr);
        if ((c->model->resources[k].kind == COSY_POOL ||
             c->resource[k].marks & COSY_SHARED) &&
            !(tr->mode & (COSY_URGENT | COSY_DISPLACED)))
            cosy_note_arrival(c, k, tr);
        cosy_queue_link(c, k, id, tr, tr->priority, false);
        if (c->model->resources[k].kind == COSY_STORAGE)
            COSY_TRY(cosy_storage_admit(c, k));
    }
    if (tr->wake == 0 || tr->due == c->head->t)
        return COSY_OK;
    cosy_off_calendar(c, tr);
    return cosy_resume_at(c, tr, tr->due);
}

/* PRIORNBR := priority, for any transaction. If it waits with the priority it
   had (in a queue, at a WAIT UNTIL or on the calendar), it is ranked anew; so
   are its facilities, against PREEMPT. What is about to happen at this instant
   keeps its order. */
static inline CosyStatus cosy_set_priority(Cosy *c, uint32_t id, real priority)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    real before = tr->priority;
    if (COSY_RARELY(!cosy_is_priority(priority)))
        return c->host->refuse(c, COSY_BAD_PRIORITY, COSY_NONE, id, priority);
    if (priority == before)
        return COSY_OK;
    tr->priority = priority;
    for (uint32_t k = 0, held = tr->held; held; k++)
        if (c->model->resources[k].kind == COSY_FACILITY &&
            c->resource[k].holder == id) {
            held--;
            if (c->resource[k].rank == before)
                c->resource[k].rank = tr->priority;
        }
    return cosy_rank_anew(c, id, before);
}

/* ---- SPLIT, JOIN ------------------------------------------------------------ */

/* The number of copies that SPLIT may make. */
static inline CosyStatus cosy_split_count(Cosy *c, uint32_t self, int64_t n)
{
    return n >= 1
               ? COSY_OK
               : c->host->refuse(c, COSY_BAD_SPLIT, COSY_NONE, self, (real)n);
}

/* One copy of SPLIT: its own locals are those of the running transaction, it
   holds nothing and resumes at `point` at this instant. */
static inline CosyStatus cosy_split(Cosy *c, uint32_t self, uint32_t point,
                                    uint32_t *id)
{
    uint32_t process = cosy_process(cosy_transaction(c, self));
    COSY_TRY(cosy_transaction_new(c, process, self, id));
    CosyTransaction *tr = cosy_transaction(c, *id);
    memcpy(tr, cosy_transaction(c, self), COSY_TRANSACTION_SIZE);
    tr->point = point;
    tr->body = COSY_BODY(COSY_RESUMPTION, process, *id);
    tr->number = ++c->head->transaction_number;
    tr->held = 0;
    tr->stays = COSY_NONE;
    cosy_transaction_note(c, *id, tr);
    return cosy_resume_now(c, *id, tr);
}

/* Finds the first n - 1 members of a family that wait in joint r. *least is the
   one with the smallest number among them and `self`, *count how many there
   are. */
static inline void cosy_family_here(Cosy *c, const CosyResource *r,
                                    uint32_t self, int64_t n, uint32_t *least,
                                    int64_t *count)
{
    const CosyTransaction *tr = cosy_transaction(c, self);
    uint64_t family = tr->family, number = tr->number;
    *least = self;
    *count = 0;
    for (uint32_t k = r->head; k != COSY_NONE && *count < n - 1;
         k = cosy_transaction(c, k)->next) {
        const CosyTransaction *other = cosy_transaction(c, k);
        if (other->family != family)
            continue;
        ++*count;
        if (other->number < number) {
            number = other->number;
            *least = k;
        }
    }
}

/* JOIN n at joint j: the n-th member of a family to arrive brings them
   together. The one with the smallest number goes on, the others end. */
static inline CosyStatus cosy_join(Cosy *c, uint32_t j, uint32_t self,
                                   int64_t n, uint32_t point)
{
    CosyResource *r = c->resource + j;
    CosyTransaction *tr = cosy_transaction(c, self);
    uint64_t family = tr->family;
    uint32_t least;
    int64_t count;
    if (COSY_RARELY(n < 1))
        return c->host->refuse(c, COSY_BAD_JOIN, j, self, (real)n);
    cosy_family_here(c, r, self, n, &least, &count);
    if (count < n - 1) {
        tr->units = n;
        return cosy_queue_wait(c, j, self, point);
    }
    r->entries++;
    for (uint32_t k = r->head, next; count > 0; k = next) {
        CosyTransaction *other = cosy_transaction(c, k);
        next = other->next;
        if (other->family != family)
            continue;
        count--;
        cosy_queue_unlink(c, r, k, other);
        cosy_queue_left(c, r, other);
        r->entries++;
        if (k != least)
            COSY_TRY(cosy_end(c, k));
    }
    if (least == self)
        return COSY_OK;
    COSY_TRY(cosy_end(c, self));
    COSY_TRY(cosy_resume_now(c, least, cosy_transaction(c, least)));
    return COSY_WAITING;
}

#endif
