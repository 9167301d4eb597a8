#include "plan/plan.h"

#include <string.h>

/* --dump=planned: storage of every variable, blocks, and each function with what
   it computes and how it is cut. */

/* ---- Storage ------------------------------------------------------------------- */

static void print_variable(const Plan *p, uint32_t k, Buffer *b)
{
    const Variable *v = model_variable(p->m, k);
    const PlanStorage *s = &p->storage;
    const char *name = p->names.variable[k];
    buffer_format(b, "    %s", v->name);
    if (strcmp(v->name, name) != 0)
        buffer_format(b, " (%s)", name);
    buffer_char(b, ':');
    if (v->kind == VARIABLE_STATE)
        buffer_format(b, " x[%u]", v->place);
    if (s->in_data[k])
        buffer_text(b, " data");
    if (s->in_work[k])
        buffer_text(b, " work");
    if (s->work_outputs[k])
        buffer_text(b, " read by blocks");
    if (s->rate_kept[k])
        buffer_text(b, " rate kept");
    if (s->partial[k] && plan_is_computed(v))
        buffer_text(b, " partial");
    if (s->has_row[k])
        buffer_format(b, " row %u", s->contract[k]);
    buffer_char(b, '\n');
}

/* Locals, formals and counters of procedural code belong to their bodies. */
static bool is_shown(const Plan *p, uint32_t k)
{
    return p->storage.in_data[k] || p->storage.in_work[k] ||
           p->storage.has_row[k];
}

static void print_block(const Plan *p, uint32_t k, Buffer *b)
{
    const BlockPlan *block = &p->block[k];
    buffer_format(b, "    %s: %u unknowns, rows from %u", p->names.block[k],
                  model_block(p->m, k)->n, block->row);
    if (block->n_loops)
        buffer_format(b, ", in %u loops", block->n_loops);
    if (block->large)
        buffer_text(b, ", large");
    if (block->scattered)
        buffer_text(b, ", placed by tables");
    buffer_char(b, '\n');
}

/* ---- Functions ------------------------------------------------------------------- */

static void print_title(const Plan *p, const FunctionPlan *f, Buffer *b)
{
    static const char *const names[] = {[PART_DERIVATIVES] = "derivatives",
                                        [PART_OUTPUTS] = "outputs",
                                        [PART_CONDITIONS] = "conditions",
                                        [PART_RELATIONS] = "relations",
                                        [PART_DELAYS] = "delays",
                                        [PART_JACOBIAN] = "jacobian",
                                        [PART_TANGENT] = "tangent",
                                        [PART_LINEAR] = "linear",
                                        [PART_CONSTRAINTS] = "constraints",
                                        [PART_GRADIENT] = "constraint_jacobian",
                                        [PART_SLOPES] = "condition_slopes"};
    if (f->part == PART_BLOCK)
        buffer_format(b, "    %s of %s", f->slopes ? "jacobian" : "residual",
                      p->names.block[f->block]);
    else
        buffer_format(b, "    %s", names[f->part]);
}

static uint32_t count_wanted(const FunctionPlan *f)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < 2; k++)
        for (const Step *s = f->steps[k] ? f->steps[k]->first : NULL; s;
             s = s->next)
            n += plan_wants(f, s);
    return n;
}

static void print_computed(const Plan *p, const Computed *c, Buffer *b)
{
    static const char *const homes[] = {
        [HOME_LOCAL] = "local", [HOME_WORK] = "work", [HOME_DATA] = "data"};
    buffer_format(b, "        %s: %s%s%s%s\n", p->names.variable[c->variable],
                  homes[c->home], c->inner ? "" : ", given",
                  c->nested ? ", in a branch or loop" : "",
                  c->unread ? ", left out: nothing reads it" : "");
}

static void print_function(const Plan *p, const FunctionPlan *f, Buffer *b)
{
    if (!f->exists)
        return;
    print_title(p, f, b);
    buffer_format(b, ": %u steps", count_wanted(f));
    if (f->solves)
        buffer_text(b, ", solves blocks");
    if (f->follows)
        buffer_text(b, ", after derivatives");
    if (f->shared)
        buffer_format(b, ", %u shared", f->shared);
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < f->n_computed; k++)
        print_computed(p, &f->computed[k], b);
    for (uint32_t k = 0; k < f->starts; k++)
        buffer_format(b, "        at the start: %s%s\n",
                      p->names.variable[f->start[k].variable],
                      f->start[k].declare ? " is declared"
                                          : " keeps its value");
    for (uint32_t k = 0; k < f->pieces; k++) {
        uint32_t n = 0;
        for (const Step *s = f->piece[k].first; s != f->piece[k].end;
             s = s->next)
            n += plan_wants(f, s);
        buffer_format(b, "        piece %u: %u steps\n", k + 1, n);
    }
}

void plan_print(const Plan *p, Buffer *b)
{
    const Model *m = p->m;
    buffer_format(b, "planned%s: %u equations, %u conditions\n",
                  p->facts.big ? ", large" : "", p->rows.rows,
                  p->rows.conditions);
    buffer_text(b, "variables\n");
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (is_shown(p, k))
            print_variable(p, k, b);
    if (model_blocks(m))
        buffer_text(b, "blocks\n");
    for (uint32_t k = 0; k < model_blocks(m); k++)
        print_block(p, k, b);
    buffer_text(b, "functions\n");
    for (uint32_t k = 0; k < PART_BLOCK; k++)
        print_function(p, &p->function[k], b);
    for (uint32_t k = 0; k < 2 * model_blocks(m); k++)
        print_function(p, &p->of_block[k], b);
}
