#include "run/copies.h"
#include "run/run.h"
#include "solve/linear.h"

/* What follows when copies of CONTINUOUS PROCESSes come and go: whatever has one
   number for each state, branch or DELAY goes along with it. */

Status run_restructure(Run *r)
{
    size_t n = r->c->head->states, branches = instance_branches(&r->instance);
    size_t size = 2 * (n + 1) * sizeof(real);
    if (r->scratch.used < size &&
        !vector_append(&r->scratch, NULL, size - r->scratch.used))
        return STATUS_MEMORY;
    size = (branches + 1) * sizeof(int32_t);
    if (r->wanted.used < size &&
        !vector_append(&r->wanted, NULL, size - r->wanted.used))
        return STATUS_MEMORY;
    TRY(history_attach(&r->history));
    r->dx = (real *)(void *)r->scratch.bytes;
    r->point = r->dx + n + 1;
    r->state.structure = r->c->head->structure;
    r->state.running = 0;
    return STATUS_OK;
}

static Status moved(Run *r)
{
    Instance *i = &r->instance;
    const Moves *states = &i->moves[LAYOUT_STATES];
    TRY(solver_move(&r->solver, states, &i->moving));
    TRY(growth_move(&r->growth, states, &i->moving));
    TRY(history_move(&r->history, r->c->head->t, &i->moves[LAYOUT_DELAYS]));
    TRY(slide_move(r));
    stall_forget(&r->stall);
    range_forget(r);
    TRY(run_restructure(r));
    project_forget(&r->project);
    return STATUS_OK;
}

/* ---- A pattern that moves -------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3); // FNV-1a
}

static Status hash_pattern(Run *r, uint64_t *hash)
{
    Cosy *c = r->c;
    uint32_t count = 0;
    Vector list = {0};
    CosyStatus status = r->model->pattern(c, NULL, NULL, &count);
    if (!vector_fit(&list, (2 * (size_t)count + 1) * sizeof count))
        return STATUS_MEMORY;
    uint32_t *row = (uint32_t *)(void *)list.bytes;
    if (status == COSY_OK && count)
        status = r->model->pattern(c, row, row + count, &count);
    *hash = mix(UINT64_C(0xcbf29ce484222325), count);
    for (uint32_t k = 0; status == COSY_OK && k < 2 * count; k++)
        *hash = mix(*hash, row[k]);
    vector_free(&list);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "an equation");
}

/* Copies may have found others to read: then the structure is another one, though
   all stay where they are. */
static Status pattern_look(Run *r)
{
    uint64_t hash;
    TRY(hash_pattern(r, &hash));
    if (hash == r->state.pattern)
        return STATUS_OK;
    r->state.pattern = hash;
    r->c->head->structure++;
    return run_restructure(r);
}

Status run_settle(Run *r)
{
    bool changed;
    CosyStatus status = copies_settle(&r->instance, &changed);
    if (status != COSY_OK)
        return run_body_failed(r, status, "a TERMINAL section");
    if (changed)
        TRY(moved(r));
    return r->model->pattern_moves ? pattern_look(r) : STATUS_OK;
}
