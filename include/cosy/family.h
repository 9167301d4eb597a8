#ifndef COSY_FAMILY_H
#define COSY_FAMILY_H

/* What transactions do to each other (included after cosy/inline.h): INTERRUPT,
   TERMINATE, PRIORNBR, SPLIT and JOIN. `id` is a place in the pool;
   host->transaction finds the place of a transaction from its number. */

/* ---- Families that wait in a JOIN ------------------------------------------- */

static inline uint32_t cosy_kin_hash(const Cosy *c, uint32_t joint,
                                     uint64_t family)
{
    uint64_t h = family ^ (uint64_t)joint << 48;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32) & (c->kin_room - 1);
}

/* Its place in the table; COSY_NONE: none of the family waits in this joint. */
static inline uint32_t cosy_kin_find(const Cosy *c, uint32_t joint,
                                     uint64_t family)
{
    if (c->kin_room == 0)
        return COSY_NONE;
    uint32_t k = c->kin[cosy_kin_hash(c, joint, family)].bucket;
    while (k != COSY_NONE &&
           (c->kin[k].family != family || c->kin[k].joint != joint))
        k = c->kin[k].next;
    return k;
}

static inline void cosy_kin_enter(Cosy *c, uint32_t k)
{
    CosyKin *kin = c->kin + k;
    CosyKin *place = c->kin + cosy_kin_hash(c, kin->joint, kin->family);
    kin->next = place->bucket;
    place->bucket = k;
}

/* Room for one more family. When the table has grown, all are entered anew;
   it does so only when no place is free. */
COSY_APART CosyStatus cosy_kin_make_room(Cosy *c)
{
    CosyHead *h = c->head;
    if (h->kin_free != COSY_NONE || h->kin_used < c->kin_room)
        return COSY_OK;
    COSY_TRY(c->host->grow(c, COSY_SEGMENT_KIN));
    COSY_ASSERT((c->kin_room & (c->kin_room - 1)) == 0);
    for (uint32_t k = 0; k < c->kin_room; k++)
        c->kin[k].bucket = COSY_NONE;
    for (uint32_t k = 0; k < h->kin_used; k++)
        cosy_kin_enter(c, k);
    return COSY_OK;
}

/* A family of which nobody waited in this joint; there is room. */
COSY_APART uint32_t cosy_kin_new(Cosy *c, uint32_t joint, uint64_t family)
{
    CosyHead *h = c->head;
    uint32_t k = h->kin_free;
    if (k == COSY_NONE)
        k = h->kin_used++;
    else
        h->kin_free = c->kin[k].next;
    COSY_ASSERT(k < c->kin_room);
    CosyKin *kin = c->kin + k;
    kin->family = family;
    kin->joint = joint;
    kin->head = kin->tail = COSY_NONE;
    kin->count = 0;
    cosy_kin_enter(c, k);
    return k;
}

/* A transaction that has just been put into the queue of a joint. */
COSY_APART void cosy_kin_put(Cosy *c, uint32_t joint, uint32_t id)
{
    CosyTransaction *tr = cosy_transaction(c, id);
    uint32_t k = cosy_kin_find(c, joint, tr->family);
    if (k == COSY_NONE)
        k = cosy_kin_new(c, joint, tr->family);
    CosyKin *kin = c->kin + k;
    uint32_t before = kin->tail;
    while (before != COSY_NONE && cosy_transaction(c, before)->rank < tr->rank)
        before = cosy_transaction(c, before)->kin_before;
    tr->kin_before = before;
    tr->kin =
        before == COSY_NONE ? kin->head : cosy_transaction(c, before)->kin;
    if (before == COSY_NONE)
        kin->head = id;
    else
        cosy_transaction(c, before)->kin = id;
    if (tr->kin == COSY_NONE)
        kin->tail = id;
    else
        cosy_transaction(c, tr->kin)->kin_before = id;
    kin->count++;
}

/* A transaction that is about to leave the queue of a joint. */
COSY_APART void cosy_kin_leave(Cosy *c, uint32_t joint, uint32_t id)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    uint32_t k = cosy_kin_find(c, joint, tr->family);
    COSY_ASSERT(k != COSY_NONE && c->kin[k].count > 0);
    CosyKin *kin = c->kin + k;
    if (tr->kin_before == COSY_NONE)
        kin->head = tr->kin;
    else
        cosy_transaction(c, tr->kin_before)->kin = tr->kin;
    if (tr->kin == COSY_NONE)
        kin->tail = tr->kin_before;
    else
        cosy_transaction(c, tr->kin)->kin_before = tr->kin_before;
    if (--kin->count > 0)
        return;
    uint32_t *from = &c->kin[cosy_kin_hash(c, joint, tr->family)].bucket;
    while (*from != k)
        from = &c->kin[*from].next;
    *from = kin->next;
    kin->next = c->head->kin_free;
    c->head->kin_free = k;
}

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
    if (c->model->resources[k].kind == COSY_JOINT)
        cosy_kin_leave(c, k, id);
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
        bool joint = c->model->resources[k].kind == COSY_JOINT;
        if (joint)
            cosy_kin_leave(c, k, id);
        cosy_queue_unlink(c, c->resource + k, id, tr);
        if ((c->model->resources[k].kind == COSY_POOL ||
             c->resource[k].marks & COSY_SHARED) &&
            !(tr->mode & (COSY_URGENT | COSY_DISPLACED)))
            cosy_note_arrival(c, k, tr);
        cosy_queue_link(c, k, id, tr, tr->priority, false);
        if (joint)
            cosy_kin_put(c, k, id); // there is room: it has just left a place
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

/* Brings the first n - 1 members that wait, from `id` on, together with `self`:
   all but `least` end. */
static inline CosyStatus cosy_join_all(Cosy *c, uint32_t j, uint32_t id,
                                       int64_t n, uint32_t least)
{
    CosyResource *r = c->resource + j;
    for (uint32_t next; n > 1; id = next, n--) {
        CosyTransaction *tr = cosy_transaction(c, id);
        next = tr->kin;
        cosy_kin_leave(c, j, id);
        cosy_queue_unlink(c, r, id, tr);
        cosy_queue_left(c, r, tr);
        r->entries++;
        if (id != least)
            COSY_TRY(cosy_end(c, id));
    }
    return COSY_OK;
}

/* JOIN n at joint j: the n-th member of a family to arrive brings them
   together. The one with the smallest number goes on, the others end. */
static inline CosyStatus cosy_join(Cosy *c, uint32_t j, uint32_t self,
                                   int64_t n, uint32_t point)
{
    CosyTransaction *tr = cosy_transaction(c, self);
    if (COSY_RARELY(n < 1))
        return c->host->refuse(c, COSY_BAD_JOIN, j, self, (real)n);
    uint32_t k = cosy_kin_find(c, j, tr->family);
    if (n - 1 > (k == COSY_NONE ? 0 : (int64_t)c->kin[k].count)) {
        tr->units = n;
        COSY_TRY(cosy_kin_make_room(c));
        cosy_queue_wait(c, j, self, point);
        cosy_kin_put(c, j, self);
        return COSY_WAITING;
    }
    uint32_t least = self, first = n > 1 ? c->kin[k].head : COSY_NONE;
    uint32_t id = first;
    for (int64_t left = n; left > 1; left--) {
        const CosyTransaction *other = cosy_transaction(c, id);
        if (other->number < cosy_transaction(c, least)->number)
            least = id;
        id = other->kin;
    }
    c->resource[j].entries++;
    COSY_TRY(cosy_join_all(c, j, first, n, least));
    if (least == self)
        return COSY_OK;
    COSY_TRY(cosy_end(c, self));
    COSY_TRY(cosy_resume_now(c, least, cosy_transaction(c, least)));
    return COSY_WAITING;
}

#endif
