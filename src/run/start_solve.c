#include <string.h>

#include "run/start_part.h"
#include "solve/block.h"

/* Solves the rows that were chosen for their pivots. They are a block like those
   of a model (solve/block.h): Newton's method from the start, then regularised
   steps, the path r(x) = (1 - s) r(x0) of the whole system, and other points. */

typedef struct Chosen {
    Begin *b;
    uint32_t m;      // rows and pivots
    uint32_t *row;   // numbers of the rows
    uint32_t *state; // and of their pivots
    real *x;         // n: the states at a trial point
    real *value;     // residuals of all rows there
} Chosen;

static bool make(Chosen *s, Begin *b)
{
    Arena *a = &b->arena;
    size_t rows = b->rows + (size_t)1;
    *s = (Chosen){.b = b};
    s->row = NEW_ARRAY(a, uint32_t, rows);
    s->state = NEW_ARRAY(a, uint32_t, rows);
    s->x = NEW_ARRAY(a, real, b->n + (size_t)1);
    s->value = NEW_ARRAY(a, real, rows);
    if (!s->row || !s->state || !s->x || !s->value)
        return false;
    for (uint32_t k = 0; k < b->rows; k++)
        if (b->row[k].pivot != COSY_NONE) {
            s->row[s->m] = k;
            s->state[s->m++] = b->row[k].pivot;
        }
    memcpy(s->x, b->x, b->n * sizeof *s->x);
    return true;
}

static bool find_values(const Chosen *s, const real *u)
{
    for (uint32_t k = 0; k < s->m; k++)
        s->x[s->state[k]] = u[k];
    return start_values(s->b, s->x, s->value);
}

static CosyStatus residual(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *r)
{
    const Chosen *s = point;
    (void)c, (void)t, (void)x;
    if (!find_values(s, u))
        return COSY_FAIL(COSY_NUMBER, 0);
    for (uint32_t k = 0; k < s->m; k++)
        r[k] = s->value[s->row[k]];
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *j)
{
    const Chosen *s = point;
    const Begin *b = s->b;
    (void)c, (void)t, (void)x;
    if (!find_values(s, u) || !start_slopes(s->b, s->x, s->value, true))
        return COSY_FAIL(COSY_NUMBER, 0);
    for (uint32_t k = 0; k < s->m; k++)
        for (uint32_t i = 0; i < s->m; i++)
            *j++ = b->slope[(size_t)s->row[k] * b->n + s->state[i]];
    return COSY_OK;
}

Status start_solve(Begin *b)
{
    Chosen s;
    BlockRoom room = {.explains = true};
    if (!make(&s, b))
        return STATUS_MEMORY;
    const CosyBlock block = {
        .n = s.m, .residual = residual, .jacobian = jacobian};
    real *u = NEW_ARRAY(&b->arena, real, s.m + (size_t)1);
    if (!u)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < s.m; k++)
        u[k] = b->x[s.state[k]];
    CosyStatus status =
        s.m ? block_solve_with(b->r->c, &block, b->at.t, b->x, &s, u, &room)
            : COSY_OK;
    if (status != COSY_OK && room.fault.block) // where it has ended
        memcpy(u, room.fault.u.bytes, s.m * sizeof *u);
    for (uint32_t k = 0; k < s.m; k++)
        b->x[s.state[k]] = u[k];
    block_room_free(&room);
    return status == COSY_OK                       ? STATUS_OK
           : COSY_REASON(status) == COSY_NO_MEMORY ? STATUS_MEMORY
                                                   : STATUS_NEWTON;
}
