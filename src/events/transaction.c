#include "events/transaction.h"

void transaction_name(Buffer *b, const Cosy *c, uint32_t id)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    if (cosy_is_there(tr))
        buffer_format(b, "%s ", c->model->processes[cosy_process(tr)].name);
    buffer_format(b, "%llu", (unsigned long long)tr->number);
}

static bool is_it(const Cosy *c, uint32_t id, uint64_t number)
{
    if (id >= c->head->transaction_used)
        return false;
    const CosyTransaction *tr = cosy_transaction(c, id);
    return cosy_is_there(tr) && tr->number == number;
}

/* Its place in the pool, COSY_NONE if there is none. */
static uint32_t place_of(Cosy *c, uint64_t number)
{
    uint32_t *hint =
        c->numbered ? c->numbered + (number & c->numbered_mask) : NULL;
    if (hint && is_it(c, *hint, number))
        return *hint;
    for (uint32_t id = 0; id < c->head->transaction_used; id++)
        if (is_it(c, id, number)) {
            if (hint)
                *hint = id;
            return id;
        }
    return COSY_NONE;
}

CosyStatus transaction_find(Cosy *c, uint32_t process, int64_t number,
                            uint32_t *id)
{
    *id = COSY_NONE;
    if (number >= 1 && (uint64_t)number <= c->head->transaction_number)
        *id = place_of(c, (uint64_t)number);
    if (*id != COSY_NONE && (process == COSY_NONE ||
                             cosy_process(cosy_transaction(c, *id)) == process))
        return COSY_OK;
    return c->host->refuse(c, COSY_NO_TRANSACTION, process, COSY_NONE,
                           (real)number);
}

uint32_t transactions_alive(const Cosy *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->model->n_processes; k++)
        n += c->population[k].count;
    return n;
}

void transactions_renumber(Cosy *c)
{
    for (uint32_t k = 0; k <= c->numbered_mask; k++)
        c->numbered[k] = COSY_NONE;
    for (uint32_t id = 0; id < c->head->transaction_used; id++) {
        const CosyTransaction *tr = cosy_transaction(c, id);
        if (cosy_is_there(tr))
            c->numbered[tr->number & c->numbered_mask] = id;
    }
}
