#include "plan/plan.h"

/* Numbers in the contract's tables: rows of equations, of conditions, and of
   time events. */

static uint32_t equation_row(const Model *m, const Block *b, uint32_t k)
{
    uint32_t q = b->part[plan_part_at(b, k)].equation;
    return q < model_equations(m) ? model_equation(m, q)->row : b->row;
}

/* The kernel counts a block's equations from the first: if their rows are not
   contiguous, they get new ones at the end. */
static void equation_rows(Plan *p)
{
    const Model *m = p->m;
    p->rows.rows = model_rows(m);
    for (uint32_t k = 0; k < model_blocks(m); k++) {
        const Block *b = model_block(m, k);
        uint32_t first = equation_row(m, b, 0);
        bool together = first < model_rows(m);
        for (uint32_t i = 1; i < b->n; i++)
            together = together && equation_row(m, b, i) == first + i;
        p->block[k].row = together ? first : p->rows.rows;
        if (!together)
            p->rows.rows += b->n;
    }
    uint32_t own = model_rows(m);
    p->rows.block = PLAN_ARRAY(p, uint32_t, p->rows.rows - own);
    for (uint32_t k = 0; !p->broken && k < model_blocks(m); k++)
        for (uint32_t i = 0; p->block[k].row >= own && i < model_block(m, k)->n;
             i++)
            p->rows.block[p->block[k].row - own + i] = k;
}

uint32_t plan_hidden_rows(const Relation *r)
{
    return r->kind == RELATION_ORDER        ? 1
           : r->kind == RELATION_HYSTERESIS ? 4
                                            : 2;
}

static void condition_rows(Plan *p)
{
    const Model *m = p->m;
    p->rows.conditions = model_conditions(m);
    for (uint32_t k = 0; k < model_relations(m); k++) {
        p->rows.hidden[k] = p->rows.conditions;
        p->rows.conditions += plan_hidden_rows(model_relation(m, k));
    }
}

static void event_numbers(Plan *p)
{
    uint32_t n = model_time_events(p->m), number = 0;
    p->rows.time_number = PLAN_ARRAY(p, uint32_t, n);
    for (uint32_t k = 0; !p->broken && k < n; k++) {
        p->rows.time_number[k] = number;
        number += (uint32_t)model_time_event(p->m, k)->elements;
    }
}

void plan_rows(Plan *p)
{
    equation_rows(p);
    condition_rows(p);
    event_numbers(p);
}
