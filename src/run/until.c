#include "events/sound.h"
#include "run/run.h"

/* WAIT UNTIL. When everything else in a round of events has happened, those
   whose condition may have changed (cosy/until.h) are asked in order of priority
   and arrival. The first one that may continue is resumed, and what it does at
   this instant happens before the others are asked.

   The present point decides whether a condition is true. An equality between
   quantities that move is true where it has been located, as long as no event
   has changed it: rounded numbers seldom meet it exactly. */

/* An equality that was met at this instant. */
typedef struct Located {
    uint64_t number;    // of the transaction
    uint32_t condition; // its CosyConditionInfo
    uint32_t spare;
    real z;
} Located;

Status run_until_located(Run *r, const Watched *w)
{
    const Located one = {.number = w->number, .condition = w->id, .z = w->z};
    if (r->model->conditions_info[w->id].zero)
        return STATUS_OK;
    return vector_append(&r->located, &one, sizeof one) ? STATUS_OK
                                                        : STATUS_MEMORY;
}

void run_until_forget(Run *r)
{
    r->located.used = 0;
}

/* Whether the condition still has the value with which it was located, for the
   transaction that is asked: the one for which it was, or one that waits for
   the same. */
static bool on_edge(const Run *r, const Located *k, uint32_t id)
{
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    const CosyTransaction *tr = cosy_transaction(r->c, id);
    const CosyWaitInfo *info = r->model->waits + r->c->until[tr->list].wait;
    if (!info->alike && k->number != tr->number)
        return false;
    for (uint32_t i = 0; i < r->watch.count; i++)
        if (w[i].id == k->condition && w[i].copy == id &&
            w[i].number == tr->number)
            return w[i].z == k->z;
    return false;
}

static Status ask(Run *r, uint32_t id, uint32_t crossed, bool *over)
{
    CosyStatus status = r->model->until(r->c, id, crossed, over);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "a WAIT UNTIL");
}

static Status is_over(Run *r, uint32_t id, bool *over)
{
    const Located *k = (const Located *)(const void *)r->located.bytes;
    size_t n = r->located.used / sizeof *k;
    bool edge = false;
    *over = false;
    for (size_t i = 0; i < n && !*over; i++) {
        if (!on_edge(r, &k[i], id))
            continue;
        edge = true;
        TRY(ask(r, id, r->model->conditions_info[k[i].condition].event, over));
    }
    return edge ? STATUS_OK : ask(r, id, COSY_NONE, over);
}

bool run_asks_always(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_waits; k++)
        if (m->waits[k].always)
            return true;
    return false;
}

static void mark_always(Run *r)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_waits; k++)
        if (m->waits[k].always)
            cosy_until_mark_all(r->c, m->waits[k].first);
}

Status run_until(Run *r, bool *any)
{
    Cosy *c = r->c;
    if (r->asks_always)
        mark_always(r);
    COSY_ASSERT(waits_are_sound(c));
    while (c->head->asks) {
        uint32_t id = c->asked[1];
        bool over;
        TRY(is_over(r, id, &over));
        if (over) {
            *any = true;
            return cosy_until_over(c, id) == COSY_OK ? STATUS_OK
                                                     : STATUS_MEMORY;
        }
        cosy_until_asked(c, id);
    }
    return STATUS_OK;
}
