#include "plan/plan.h"

#include <stdlib.h>

/* Functions of the continuous part: what each computes, where that lies, what is
   left out, and where it is cut into pieces. */

/* While a function is planned. */
typedef struct Making {
    Plan *p;
    FunctionPlan *f;
    Vector computed; // Computed
    Vector rates;    // uint32_t: own_rate
    Vector pieces;   // PieceOfSteps
    uint32_t *seen;  // for each variable: number of the function that has it
    uint32_t *at;    // ... and where in `computed`
    uint32_t number;
    uint32_t *uses; // for each expression: occurrences, if counted in this one
    uint32_t *counted;
} Making;

/* ---- What it computes ------------------------------------------------------------ */

static Computed *computed_add(Making *k, uint32_t v)
{
    if (k->seen[v] != k->number) {
        Computed c = {.variable = v};
        k->seen[v] = k->number;
        k->at[v] = (uint32_t)(k->computed.used / sizeof c);
        if (!vector_append(&k->computed, &c, sizeof c)) {
            k->p->broken = true;
            return NULL;
        }
    }
    return (Computed *)(void *)k->computed.bytes + k->at[v];
}

static void own_rate(Making *k, const Expr *target)
{
    if (k->f->part == PART_BLOCK && target->count == 0 &&
        !k->p->block[k->f->block].large &&
        !vector_append(&k->rates, &target->which, sizeof target->which))
        k->p->broken = true;
}

static void compute_target(Making *k, const Expr *target, uint32_t depth)
{
    if (target->op == EXPR_RATE)
        own_rate(k, target);
    Computed *c =
        target->op == EXPR_VARIABLE ? computed_add(k, target->which) : NULL;
    if (!c)
        return;
    c->inner = true;
    c->nested = c->nested || depth > 0;
}

static void compute_steps(Making *k, const Steps *steps, uint32_t depth)
{
    for (const Step *s = steps->first; s && !k->p->broken; s = s->next) {
        if (!plan_wants(k->f, s))
            continue;
        if (s->kind == STEP_ASSIGN) {
            compute_target(k, s->target, depth);
        } else if (s->kind == STEP_LOOP) {
            compute_steps(k, &s->body, depth + 1);
        } else if (s->kind == STEP_SELECT) {
            for (uint32_t i = 0; i < s->select->branches; i++)
                compute_steps(k, &s->branch[i], depth + 1);
        } else {
            const Block *b = model_block(k->p->m, s->block);
            k->f->solves = true;
            for (uint32_t i = 0; i < b->parts; i++)
                compute_target(k, b->part[i].unknown,
                               depth + b->part[i].n_loops);
        }
    }
}

/* Directions of a tangent are parameters. */
static bool is_vector(const Model *m, uint32_t v)
{
    return plan_vector_name(m, v) != NULL;
}

static Home home_of(const Plan *p, const FunctionPlan *f, uint32_t v)
{
    const PlanStorage *s = &p->storage;
    bool scalar = model_variable(p->m, v)->rank == 0;
    if (is_vector(p->m, v))
        return HOME_WORK;
    if (f->part == PART_BLOCK)
        return scalar && !p->block[f->block].large ? HOME_LOCAL
               : s->in_work[v]                     ? HOME_WORK
                                                   : HOME_DATA;
    if (f->part == PART_OUTPUTS && s->in_data[v] && !s->work_outputs[v])
        return HOME_DATA;
    return s->in_work[v] ? HOME_WORK : HOME_LOCAL;
}

static int compare_computed(const void *a, const void *b)
{
    uint32_t x = ((const Computed *)a)->variable;
    uint32_t y = ((const Computed *)b)->variable;
    return (x > y) - (x < y);
}

/* ---- What it reads ------------------------------------------------------------------ */

/* Counts every occurrence; what is below an expression counts once. */
static void count_use(void *user, const Expr *x)
{
    Making *k = user;
    if (k->counted[x->id] != k->number) {
        k->counted[x->id] = k->number;
        k->uses[x->id] = 0;
    }
    if (++k->uses[x->id] == 2 && plan_is_worth(x))
        k->f->shared++;
    if (k->uses[x->id] > 1)
        return;
    if (x->op == EXPR_VARIABLE && x->count == 0 &&
        k->seen[x->which] == k->number) {
        Computed *c = (Computed *)(void *)k->computed.bytes + k->at[x->which];
        c->unread = false;
    }
    for (uint32_t i = 0; i < x->count; i++)
        count_use(user, x->arg[i]);
}

/* ---- What comes before the steps ------------------------------------------------------ */

static void start_add(Vector *list, Plan *p, uint32_t v, bool declare)
{
    Start s = {v, declare};
    if (!vector_append(list, &s, sizeof s))
        p->broken = true;
}

/* A variable that may be left out keeps its value. */
static void start_computed(Making *k, Vector *list, const Computed *c)
{
    const PlanStorage *s = &k->p->storage;
    uint32_t v = c->variable;
    if (!c->inner || is_vector(k->p->m, v) ||
        !plan_is_computed(model_variable(k->p->m, v)))
        return;
    if (c->home == HOME_LOCAL && c->nested && !c->unread)
        start_add(list, k->p, v, true);
    else if (c->home != HOME_LOCAL && s->partial[v] && s->in_work[v] &&
             (k->f->part != PART_OUTPUTS || s->work_outputs[v]))
        start_add(list, k->p, v, false);
}

/* Blocks read what this function does not compute as it was at the last accepted
   point. */
static void start_for_blocks(Making *k, Vector *list)
{
    const Plan *p = k->p;
    uint32_t i = 0;
    for (uint32_t v = 0; v < model_variables(p->m); v++) {
        if (i < k->f->n_computed && k->f->computed[i].variable == v)
            start_computed(k, list, &k->f->computed[i++]);
        else if (plan_is_computed(model_variable(p->m, v)) &&
                 !is_vector(p->m, v) && p->storage.work_outputs[v] &&
                 p->storage.in_data[v])
            start_add(list, k->p, v, false);
    }
}

static void *keep_list(Plan *p, Vector *v, uint32_t *count, size_t size)
{
    unsigned char *own = plan_alloc(p, v->used, 1);
    for (size_t k = 0; own && k < v->used; k++)
        own[k] = v->bytes[k];
    *count = (uint32_t)(v->used / size);
    v->used = 0;
    return own;
}

static void plan_starts(Making *k)
{
    Vector list = {0};
    if (k->f->solves)
        start_for_blocks(k, &list);
    else
        for (uint32_t i = 0; i < k->f->n_computed; i++)
            start_computed(k, &list, &k->f->computed[i]);
    k->f->start = keep_list(k->p, &list, &k->f->starts, sizeof(Start));
    vector_free(&list);
}

/* ---- Pieces ------------------------------------------------------------------------------ */

#define STEPS_MOST 100 // most steps in one function

/* The step after the next STEPS_MOST that are wanted; NULL if there are not
   more than that. */
static const Step *piece_end(const FunctionPlan *f, const Step *s)
{
    for (uint32_t n = 0; s && n < STEPS_MOST; s = s->next)
        n += plan_wants(f, s);
    return s;
}

/* Steps of branches are cut too, but not those inside loops: their indices are
   not known in a piece. */
static void cut_steps(Making *k, const Steps *steps)
{
    bool cut = true;
    for (const Step *s = steps->first, *next; s; s = next) {
        next = s->next;
        if (!plan_wants(k->f, s))
            continue;
        PieceOfSteps piece = {s, cut ? piece_end(k->f, s) : NULL};
        cut = piece.end != NULL;
        if (cut) {
            if (!vector_append(&k->pieces, &piece, sizeof piece))
                k->p->broken = true;
            next = piece.end;
            continue;
        }
        for (uint32_t i = 0; s->kind == STEP_SELECT && i < s->select->branches;
             i++)
            cut_steps(k, &s->branch[i]);
    }
}

static void plan_pieces(Making *k)
{
    bool in_loop =
        k->f->part == PART_BLOCK && (!k->p->block[k->f->block].large ||
                                     k->p->block[k->f->block].n_loops > 0);
    if (!k->p->facts.big || in_loop)
        return;
    for (uint32_t i = 0; i < 2; i++)
        if (k->f->steps[i])
            cut_steps(k, k->f->steps[i]);
    k->f->piece =
        keep_list(k->p, &k->pieces, &k->f->pieces, sizeof(PieceOfSteps));
}

/* ---- One function ------------------------------------------------------------------------- */

static void make_function(Making *k, FunctionPlan *f)
{
    Plan *p = k->p;
    k->f = f;
    k->number++;
    if (!f->exists)
        return;
    if (f->part == PART_BLOCK) {
        const Block *b = model_block(p->m, f->block);
        for (uint32_t i = 0; i < b->parts; i++)
            if (b->part[i].unknown->op == EXPR_VARIABLE)
                computed_add(k, b->part[i].unknown->which);
            else
                own_rate(k, b->part[i].unknown);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (f->steps[i])
            compute_steps(k, f->steps[i], 0);
    if (p->broken)
        return;
    uint32_t n = (uint32_t)(k->computed.used / sizeof(Computed));
    Computed *list = (Computed *)(void *)k->computed.bytes;
    for (uint32_t i = 0; i < n; i++) {
        list[i].home = home_of(p, f, list[i].variable);
        list[i].unread = list[i].home == HOME_LOCAL && list[i].inner;
    }
    plan_each_root(p, f, count_use, k);
    if (n)
        qsort(k->computed.bytes, n, sizeof(Computed), compare_computed);
    f->computed = keep_list(p, &k->computed, &f->n_computed, sizeof(Computed));
    f->own_rate = keep_list(p, &k->rates, &f->own_rates, sizeof(uint32_t));
    if (p->broken)
        return;
    plan_starts(k);
    plan_pieces(k);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* True if x is computed from scalars without anything that may fail, ring or
   call: then nothing is lost if it is checked later. */
static bool is_calm(Plan *p, const Expr *x)
{
    if (p->mark[x->id] == p->marks)
        return true;
    p->mark[x->id] = p->marks;
    switch (x->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER:
    case EXPR_TRUTH:
    case EXPR_HELD: return true;
    case EXPR_SYSTEM: return x->which <= SYSTEM_DTFUL;
    case EXPR_VARIABLE:
    case EXPR_RATE:
    case EXPR_SIDE:
    case EXPR_SEGMENT: return x->count == 0;
    case EXPR_SURE: return false;
    default: break;
    }
    bool calm = x->op >= EXPR_NEG && x->op <= EXPR_CHOOSE &&
                x->type != EXPR_TYPE_INTEGER;
    for (uint32_t k = 0; calm && k < x->count; k++)
        calm = is_calm(p, x->arg[k]);
    return calm;
}

/* True if everything that rates need is such an assignment to a scalar: then
   outputs has derivatives compute it, and a large model does not have that code
   twice. */
static bool follows_derivatives(Plan *p)
{
    const Model *m = p->m;
    if (!p->facts.big || m->states == 0 || m->nneqd != NONE || model_pools(m) ||
        p->facts.rates_partial)
        return false;
    p->marks++;
    for (const Step *s = m->simulation.program.first; s; s = s->next)
        if ((s->needs & NEED_RATES) &&
            (s->kind != STEP_ASSIGN || s->target->count ||
             s->equation >= model_equations(m) || !is_calm(p, s->value)))
            return false;
    return true;
}

bool plan_is_found(const Plan *p, const Step *s)
{
    uint32_t v = s->target->which;
    const Row *r = model_row(p->m, model_equation(p->m, s->equation)->row);
    return p->storage.has_row[v] && r->variable == v;
}

static void rate_node(void *user, const Expr *x)
{
    Plan *p = user;
    if (x->op == EXPR_RATE)
        p->facts.rate_read[x->which] = true;
}

static void rate_visit(void *user, const Expr *x)
{
    plan_each_node(user, x, rate_node, user);
}

/* Rates that outputs must keep: those that bodies, steps, memories or blocks
   read. */
static void plan_rates(Plan *p)
{
    const Model *m = p->m;
    FunctionPlan all = {0};
    p->marks++;
    plan_each_step(&all, &m->simulation.program, rate_visit, p);
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->input)
            rate_visit(p, model_memory(m, k)->input);
    bool every = p->function[PART_OUTPUTS].solves && p->facts.block_rates;
    for (uint32_t v = 0; v < model_variables(m); v++)
        p->facts.rate_read[v] =
            p->facts.rate_read[v] || p->storage.rate_kept[v] || every;
}

/* ---- All ----------------------------------------------------------------------------------------- */

static bool has_hysteresis(const Model *m)
{
    for (uint32_t k = 0; k < model_relations(m); k++)
        if (model_relation(m, k)->kind == RELATION_HYSTERESIS)
            return true;
    return false;
}

/* Which functions there are, and which steps they carry out. */
static void choose_functions(Plan *p)
{
    const Model *m = p->m;
    FunctionPlan *f = p->function;
    static const uint32_t needs[PART_BLOCK] = {
        NEED_RATES,      0,           NEED_CONDITION,
        NEED_RELATION,   NEED_DELAY,  NEED_JACOBIAN,
        NEED_JACOBIAN,   NEED_LINEAR, NEED_CONSTRAINT,
        NEED_CONSTRAINT, NEED_SLOPE};
    for (uint32_t k = 0; k < PART_BLOCK; k++) {
        f[k].part = (Part)k;
        f[k].needs = needs[k];
        f[k].steps[0] = &m->simulation.program;
    }
    f[PART_DERIVATIVES].exists = model_integrates(m);
    f[PART_OUTPUTS].exists = true;
    f[PART_CONDITIONS].exists = p->rows.conditions > 0;
    f[PART_CONDITIONS].steps[1] = &m->rates;
    f[PART_RELATIONS].exists = model_relations(m) > 0;
    f[PART_RELATIONS].steps[1] = has_hysteresis(m) ? &m->rates : NULL;
    f[PART_DELAYS].exists = p->facts.has_delays;
    f[PART_JACOBIAN].exists =
        model_integrates(m) && m->has_jacobian && model_entries(m) > 0;
    f[PART_JACOBIAN].steps[1] = &m->slopes;
    f[PART_LINEAR].exists = model_linears(m) > 0;
    f[PART_LINEAR].steps[1] = &m->linear;
    f[PART_TANGENT].exists = m->tangent.first && m->tangent_rate != NONE;
    f[PART_TANGENT].steps[1] = &m->tangent;
    f[PART_CONSTRAINTS].exists = model_constraints(m) > 0;
    f[PART_GRADIENT].exists = m->gradients > 0;
    f[PART_SLOPES].steps[1] = &m->slope_rates;
    f[PART_SLOPES].exists = model_senses(m) > 0 && p->rows.conditions > 0;
    f[PART_OUTPUTS].follows = follows_derivatives(p);
    if (f[PART_OUTPUTS].follows)
        f[PART_OUTPUTS].except = NEED_RATES;
}

void plan_functions(Plan *p)
{
    const Model *m = p->m;
    uint32_t n = model_variables(m), blocks = model_blocks(m);
    Making k = {.p = p,
                .seen = PLAN_ARRAY(p, uint32_t, n),
                .at = PLAN_ARRAY(p, uint32_t, n),
                .uses = PLAN_ARRAY(p, uint32_t, m->expr_count + 1),
                .counted = PLAN_ARRAY(p, uint32_t, m->expr_count + 1)};
    p->of_block = PLAN_ARRAY(p, FunctionPlan, 2 * (size_t)blocks);
    if (!p->broken)
        choose_functions(p);
    for (uint32_t i = 0; !p->broken && i < PART_BLOCK; i++)
        make_function(&k, &p->function[i]);
    for (uint32_t i = 0; !p->broken && i < 2 * blocks; i++) {
        FunctionPlan *f = &p->of_block[i];
        const Block *b = model_block(m, i / 2);
        *f = (FunctionPlan){.part = PART_BLOCK,
                            .block = i / 2,
                            .slopes = i % 2 == 1,
                            .exists = i % 2 == 0 || b->jacobian || b->slopes,
                            .steps = {&b->inner}};
        make_function(&k, f);
    }
    if (!p->broken)
        plan_rates(p);
    vector_free(&k.computed);
    vector_free(&k.rates);
    vector_free(&k.pieces);
}
