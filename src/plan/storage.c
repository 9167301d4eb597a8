#include "plan/plan.h"

#include <string.h>

/* Where variables lie: which need a member of Data or of Work, a row in the
   contract's table, and what blocks and procedural code make of them. */

#define PACKED_LEAST 1000 // REALs from which on they become an array

/* ---- What is computed where --------------------------------------------------- */

typedef struct Cover {
    uint64_t *elements; // for each variable, the elements that are always
                        // computed
    uint64_t rates;     // elements of all STATEs
    uint64_t times;     // number of elements of the enclosing loops
    uint32_t loops[LOOPS_MOST], n_loops;
    bool guarded;
    bool program; // not `rates` or `tangent`
} Cover;

static void cover_target(Plan *p, Cover *c, const Expr *target)
{
    if (target->op == EXPR_RATE) {
        if (!c->guarded)
            c->rates += c->times;
        return;
    }
    uint32_t v = target->which;
    if (!c->guarded)
        c->elements[v] += c->times;
    if (c->program)
        p->storage.in_data[v] = true;
}

static void cover_steps(Plan *p, Cover c, const Steps *steps, Cover *total)
{
    for (const Step *s = steps->first; s; s = s->next) {
        Cover in = c;
        if (s->kind == STEP_ASSIGN) {
            cover_target(p, &c, s->target);
        } else if (s->kind == STEP_LOOP) {
            in.times *= loops_elements(p->m, &s->loop, 1);
            if (in.n_loops < LOOPS_MOST)
                in.loops[in.n_loops++] = s->loop;
            cover_steps(p, in, &s->body, total);
        } else if (s->kind == STEP_SELECT) {
            in.guarded = true;
            for (uint32_t k = 0; k < s->select->branches; k++)
                cover_steps(p, in, &s->branch[k], total);
        } else {
            const Block *b = model_block(p->m, s->block);
            memcpy(p->block[s->block].loops, c.loops, sizeof c.loops);
            p->block[s->block].n_loops = c.n_loops;
            for (uint32_t k = 0; k < b->parts; k++) {
                in = c;
                in.times *=
                    loops_elements(p->m, b->part[k].loops, b->part[k].n_loops);
                cover_target(p, &in, b->part[k].unknown);
                total->rates += in.rates - c.rates;
            }
        }
        total->rates += c.rates;
        c.rates = 0;
    }
}

static void storage_cover(Plan *p)
{
    const Model *m = p->m;
    uint32_t n = model_variables(m);
    Cover total = {.elements = PLAN_ARRAY(p, uint64_t, n), .times = 1};
    if (!total.elements)
        return;
    Cover c = total;
    c.program = true;
    cover_steps(p, c, &m->simulation.program, &total);
    uint64_t states = m->states;
    for (uint32_t k = 0; k < model_pools(m); k++)
        states += (uint64_t)model_pool(m, k)->states * POOL_SIDE;
    p->facts.rates_partial = total.rates < states;
    c.program = false;
    cover_steps(p, c, &m->rates, &total);
    cover_steps(p, c, &m->tangent, &total);
    cover_steps(p, c, &m->slopes, &total);
    cover_steps(p, c, &m->slope_rates, &total);
    cover_steps(p, c, &m->linear, &total);
    for (uint32_t v = 0; v < n; v++)
        p->storage.partial[v] =
            total.elements[v] < model_variable(m, v)->elements;
}

/* A block's own scalars: its unknowns and what its inner steps compute. */
typedef struct Own {
    Plan *p;
    bool *value, *rate; // for each variable
} Own;

static void own_target(Own *o, const Expr *target, bool own)
{
    if (target->count == 0)
        (target->op == EXPR_RATE ? o->rate : o->value)[target->which] = own;
}

static void own_steps(Own *o, const Steps *steps, bool own)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (s->kind == STEP_ASSIGN) {
            own_target(o, s->target, own);
        } else if (s->kind == STEP_LOOP) {
            own_steps(o, &s->body, own);
        } else if (s->kind == STEP_SELECT) {
            for (uint32_t k = 0; k < s->select->branches; k++)
                own_steps(o, &s->branch[k], own);
        }
    }
}

static void own_block(Own *o, const Block *b, bool own)
{
    for (uint32_t k = 0; k < b->parts; k++)
        own_target(o, b->part[k].unknown, own);
    own_steps(o, &b->inner, own);
}

static void block_node(void *user, const Expr *x)
{
    const Own *o = user;
    Plan *p = o->p;
    if (x->op == EXPR_VARIABLE && !o->value[x->which] &&
        plan_is_computed(model_variable(p->m, x->which)))
        p->storage.in_work[x->which] = true;
    if (x->op == EXPR_RATE && !o->rate[x->which])
        p->facts.block_rates = true;
    if (x->op == EXPR_VARIABLE && plan_vector_name(p->m, x->which))
        p->facts.block_seeds = true;
}

static void block_visit(void *user, const Expr *x)
{
    plan_each_node(((Own *)user)->p, x, block_node, user);
}

#define BLOCK_LARGE       200 // equations
#define UNKNOWNS_ON_STACK 64

/* A large block has no locals, and so its rates lie in dx. */
static bool keeps_rates(const Block *b, bool large)
{
    for (uint32_t k = 0; k < b->parts; k++)
        if (b->part[k].unknown->op == EXPR_RATE &&
            (b->part[k].unknown->count || large))
            return true;
    for (const Step *s = b->inner.first; large && s; s = s->next)
        if (s->kind == STEP_ASSIGN && s->target->op == EXPR_RATE)
            return true;
    return false;
}

static void plan_block(Plan *p, Own *o, uint32_t block)
{
    const Block *b = model_block(p->m, block);
    FunctionPlan all = {0};
    uint32_t n = b->n;
    for (const Step *s = b->inner.first; s; s = s->next)
        n++;
    p->block[block].in_work = b->large || b->n > UNKNOWNS_ON_STACK;
    p->block[block].large = b->large || n > BLOCK_LARGE;
    own_block(o, b, true);
    p->marks++;
    for (uint32_t k = 0; k < b->parts; k++) {
        block_visit(o, b->part[k].residual);
        block_visit(o, b->part[k].unknown);
    }
    for (uint32_t k = 0; k < b->slopes; k++)
        block_visit(o, b->slope[k].value);
    for (uint32_t k = 0; b->jacobian && k < b->n * b->n; k++)
        if (b->jacobian[k])
            block_visit(o, b->jacobian[k]);
    plan_each_step(&all, &b->inner, block_visit, o);
    own_block(o, b, false);
    if (keeps_rates(b, p->block[block].large))
        p->facts.block_rates = true;
}

/* Unknowns of a large block go to Work and Data by tables if all of them are
   scalars there: all of the program, or all of a tangent. */
static bool is_scattered(const Plan *p, uint32_t block)
{
    const Block *b = model_block(p->m, block);
    const PlanStorage *s = &p->storage;
    if (!p->block[block].large || b->n <= UNKNOWNS_ON_STACK || b->parts != b->n)
        return false;
    for (uint32_t k = 0; k < b->n; k++) {
        const Expr *u = b->part[k].unknown;
        if (u->op != EXPR_VARIABLE || u->count || u->type != EXPR_TYPE_REAL ||
            !s->in_work[u->which] ||
            s->in_data[u->which] != s->in_data[b->part[0].unknown->which])
            return false;
    }
    return true;
}

static void plan_blocks(Plan *p)
{
    uint32_t n = model_variables(p->m);
    Own o = {p, PLAN_ARRAY(p, bool, n), PLAN_ARRAY(p, bool, n)};
    for (uint32_t k = 0; !p->broken && k < model_blocks(p->m); k++)
        plan_block(p, &o, k);
}

/* ---- What procedural code uses ---------------------------------------------------- */

static void use_routine(Plan *p, uint32_t r);

/* Variables that the function may change while the expression is computed. */
static void use_call(Plan *p, const Expr *x)
{
    const Routine *r = model_routine(p->m, x->which);
    use_routine(p, x->which);
    for (uint32_t k = 0; k < r->formals && k < x->count; k++)
        if (model_variable(p->m, r->formal[k])->by_reference &&
            x->arg[k]->op == EXPR_VARIABLE)
            p->storage.aliased[x->arg[k]->which] = true;
}

static void body_node(void *user, const Expr *x)
{
    Plan *p = user;
    if (x->op == EXPR_RATE)
        p->storage.rate_kept[x->which] = true;
    else if (x->op == EXPR_CALL)
        use_call(p, x);
}

static void body_visit(void *user, const Expr *x)
{
    plan_each_node(user, x, body_node, user);
}

static void body_calls(Plan *p, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        if (s->kind == STATEMENT_CALL)
            use_routine(p, s->which);
        p->facts.has_c = p->facts.has_c || s->kind == STATEMENT_CCODE;
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            body_calls(p, &s->arm[k].code);
        body_calls(p, &s->body);
        body_calls(p, &s->other);
    }
}

static void use_code(Plan *p, const Code *code)
{
    plan_each_code(code, body_visit, p);
    body_calls(p, code);
}

static void use_routine(Plan *p, uint32_t r)
{
    if (p->facts.routine_used[r])
        return;
    p->facts.routine_used[r] = true;
    use_code(p, &model_routine(p->m, r)->code);
}

static void use_bodies(Plan *p)
{
    const Model *m = p->m;
    p->marks++;
    use_code(p, &m->setup);
    use_code(p, &m->initial);
    use_code(p, &m->terminal);
    use_code(p, &m->communic);
    use_code(p, &m->shown);
    use_code(p, &m->columns);
    use_code(p, &m->experiment);
    for (uint32_t k = 0; k < model_starts(m); k++) {
        body_visit(p, model_start(m, k)->left);
        body_visit(p, model_start(m, k)->right);
    }
    for (uint32_t k = 0; k < model_generators(m); k++)
        for (uint32_t i = 0; i < 3 && model_generator(m, k)->parameter[i]; i++)
            body_visit(p, model_generator(m, k)->parameter[i]);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        use_code(p, &model_state_event(m, k)->code);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        use_code(p, &model_time_event(m, k)->code);
    for (uint32_t k = 0; k < model_clocks(m); k++)
        use_code(p, &model_clock(m, k)->code);
    for (uint32_t k = 0; k < model_processes(m); k++)
        use_code(p, &model_process(m, k)->code);
    for (uint32_t k = 0; k < model_waits(m); k++)
        body_visit(p, model_wait(m, k)->holds);
    for (uint32_t k = 0; k < model_pools(m); k++) {
        use_code(p, &model_pool(m, k)->initial);
        use_code(p, &model_pool(m, k)->terminal);
    }
}

/* ---- Variables ------------------------------------------------------------------------- */

static uint32_t count_steps(const Model *m, const Steps *steps)
{
    uint32_t n = 0;
    for (const Step *s = steps->first; s; s = s->next) {
        n++;
        if (s->kind == STEP_LOOP)
            n += count_steps(m, &s->body);
        for (uint32_t k = 0; s->kind == STEP_SELECT && k < s->select->branches;
             k++)
            n += count_steps(m, &s->branch[k]);
    }
    return n;
}

/* True if a model is so large that C compilers would take very long over single
   functions. */
static bool is_big(const Plan *p)
{
    const Model *m = p->m;
    for (uint32_t k = 0; k < model_blocks(m); k++)
        if (p->block[k].large)
            return true;
    return count_steps(m, &m->simulation.program) > 400 ||
           model_conditions(m) > 400 || model_relations(m) > 400 ||
           model_entries(m) > 1000;
}

static void storage_variable(Plan *p, uint32_t k, uint32_t *numbers)
{
    const Variable *v = model_variable(p->m, k);
    switch (v->kind) {
    case VARIABLE_CONST:
    case VARIABLE_DISCRETE:
    case VARIABLE_DSTATE:
        p->storage.in_data[k] = true;
        p->storage.has_row[k] =
            (!v->hidden || v->started || v->carried) && v->role != ROLE_COPYNBR;
        break;
    case VARIABLE_STATE: p->storage.has_row[k] = true; break;
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY:
        p->storage.has_row[k] = !v->hidden || v->started;
        p->storage.in_data[k] = p->storage.in_data[k] || p->storage.has_row[k];
        p->storage.work_outputs[k] = p->storage.in_work[k]; // for a block
        p->storage.in_work[k] =
            p->storage.in_work[k] || v->rank > 0 || p->facts.big;
        break;
    case VARIABLE_LOCAL: p->storage.in_data[k] = !v->own; break;
    case VARIABLE_FORMAL:
    case VARIABLE_COUNTER:
    case VARIABLE_OWN:
    case VARIABLE_ATTRIBUTE: break;
    }
    if (plan_vector_name(p->m, k))
        p->storage.in_data[k] = p->storage.in_work[k] = p->storage.has_row[k] =
            false;
    p->storage.contract[k] = p->storage.has_row[k] ? (*numbers)++ : NONE;
}

static bool may_pack(const Plan *p, uint32_t k)
{
    const Variable *v = model_variable(p->m, k);
    if (v->rank > 0 || v->type != EXPR_TYPE_REAL)
        return false;
    if (v->kind == VARIABLE_ALGEBR)
        return p->storage.in_work[k];
    return p->storage.in_data[k] &&
           (v->kind == VARIABLE_CONST || v->kind == VARIABLE_DISCRETE);
}

/* tcc looks for a member of a struct from its beginning: with thousands of members
   that takes longer than all the rest. */
static void pack_scalars(Plan *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < model_variables(p->m); k++)
        n += may_pack(p, k);
    for (uint32_t k = 0;
         p->facts.big && n > PACKED_LEAST && k < model_variables(p->m); k++)
        p->storage.packed[k] = may_pack(p, k);
}

/* Columns stand after all variables. */
static void storage_columns(Plan *p, uint32_t numbers)
{
    for (uint32_t k = 0; k < model_variables(p->m); k++)
        if (model_variable(p->m, k)->column) {
            p->storage.has_row[k] = true;
            p->storage.contract[k] = numbers++;
            p->storage.columns++;
        }
}

/* Arrays of flags and numbers, one element for each row of a table. */
static void storage_room(Plan *p)
{
    const Model *m = p->m;
    PlanStorage *s = &p->storage;
    uint32_t n = model_variables(m);
    bool **flags[] = {&s->in_data,         &s->in_work, &s->has_row,
                      &s->work_outputs,    &s->partial, &s->rate_kept,
                      &p->facts.rate_read, &s->packed,  &s->aliased};
    for (size_t k = 0; k < LENGTH(flags); k++)
        *flags[k] = PLAN_ARRAY(p, bool, n);
    s->contract = PLAN_ARRAY(p, uint32_t, n);
    p->facts.routine_used = PLAN_ARRAY(p, bool, model_routines(m));
    p->block = PLAN_ARRAY(p, BlockPlan, model_blocks(m));
    p->rows.hidden = PLAN_ARRAY(p, uint32_t, model_relations(m));
    p->mark = PLAN_ARRAY(p, uint32_t, m->expr_count + 1);
}

static bool has_work(const Plan *p)
{
    for (uint32_t k = 0; k < model_variables(p->m); k++)
        if (p->storage.in_work[k])
            return true;
    for (uint32_t k = 0; k < model_blocks(p->m); k++)
        if (p->block[k].n_loops > 0 || p->block[k].in_work)
            return true;
    return p->facts.block_rates || p->facts.block_seeds;
}

static bool has_delays(const Model *m)
{
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->kind == MEMORY_DELAY)
            return true;
    return false;
}

void plan_storage(Plan *p)
{
    const Model *m = p->m;
    uint32_t numbers = 0;
    storage_room(p);
    if (p->broken)
        return;
    storage_cover(p);
    plan_blocks(p);
    p->facts.big = is_big(p);
    for (uint32_t k = 0; k < model_variables(m); k++)
        storage_variable(p, k, &numbers);
    storage_columns(p, numbers);
    pack_scalars(p);
    use_bodies(p);
    p->facts.has_work = has_work(p);
    p->facts.has_delays = has_delays(m);
    for (uint32_t k = 0; k < model_blocks(m); k++)
        p->block[k].scattered = is_scattered(p, k);
}
