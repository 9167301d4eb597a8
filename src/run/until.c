#include "run/run.h"

/* WAIT UNTIL. When everything else in a round of events has happened, the
   transactions that wait are asked in order of priority and arrival. The first
   one that may continue is resumed, and what it does at this instant happens
   before the others are asked again.

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

/* Whether its function still has the value with which it was located. */
static bool on_edge(const Run *r, const Located *k)
{
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    for (uint32_t i = 0; i < r->watch.count; i++)
        if (w[i].id == k->condition && w[i].number == k->number)
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
    uint64_t number = n ? cosy_transaction(r->c, id)->number : 0;
    bool edge = false;
    *over = false;
    for (size_t i = 0; i < n && !*over; i++) {
        if (k[i].number != number || !on_edge(r, &k[i]))
            continue;
        edge = true;
        TRY(ask(r, id, r->model->conditions_info[k[i].condition].event, over));
    }
    return edge ? STATUS_OK : ask(r, id, COSY_NONE, over);
}

Status run_until(Run *r, bool *any)
{
    Cosy *c = r->c;
    for (uint32_t id = c->head->until_head; id != COSY_NONE;
         id = cosy_transaction(c, id)->next) {
        bool over;
        TRY(is_over(r, id, &over));
        if (!over)
            continue;
        *any = true;
        return cosy_until_over(c, id) == COSY_OK ? STATUS_OK : STATUS_MEMORY;
    }
    return STATUS_OK;
}
