#include "algebra/sense.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/sensing.h"

static const Sense *present(const Sensing *s)
{
    return model_sense(s->m, s->sense);
}

/* "P", "P[2]" */
static const char *parameter_name(const Sensing *s)
{
    Model *m = s->m;
    const Sense *p = present(s);
    const Variable *v = model_variable(m, p->variable);
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    if (v->rank == 0)
        return v->name;
    if (v->rank == 1)
        return model_format(m, "%s[%lld]", v->name,
                            (long long)(v->low[0] + p->element));
    return model_format(m, "%s[%lld,%lld]", v->name,
                        (long long)(v->low[0] + p->element / columns),
                        (long long)(v->low[1] + p->element % columns));
}

void sensing_refuse(Sensing *s, Span at, const char *format, ...)
{
    char text[400];
    va_list list;
    s->refused = true;
    if (!present(s)->asked || s->quiet)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    diag_error(s->m->diags, at, "SENSITIVITY WITH %s: %s", parameter_name(s),
               text);
}

/* ---- What depends on the parameter ------------------------------------------------ */

bool sensing_is_parameter(const Sensing *s, const Expr *e)
{
    const Sense *p = present(s);
    const Variable *v = model_variable(s->m, p->variable);
    int64_t at = 0;
    if (e->op != EXPR_VARIABLE || e->which != p->variable)
        return false;
    for (uint32_t k = 0; k < e->count; k++) {
        if (e->arg[k]->op != EXPR_INTEGER)
            return true;
        at = at * (v->high[k] - v->low[k] + 1) + e->arg[k]->integer - v->low[k];
    }
    return at == p->element;
}

static bool is_still(void *user, const Expr *e)
{
    Sensing *s = user;
    switch (e->op) {
    case EXPR_VARIABLE:
        return !sensing_is_parameter(s, e) &&
               (e->which >= s->variables || !s->value[e->which]);
    case EXPR_RATE: return e->which >= s->variables || !s->rate[e->which];
    case EXPR_SYSTEM: return e->which != SYSTEM_TIME || !s->here;
    case EXPR_HELD:
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE: return !s->memory[e->which];
    case EXPR_CALL: return !s->routine[e->which];
    default: return true;
    }
}

bool sensing_depends(Sensing *s, const Expr *e)
{
    return e && !expr_visit(s->m, e, is_still, s);
}

static void mark(Sensing *s, const Expr *target)
{
    if (target->type != EXPR_TYPE_REAL || target->which >= s->variables)
        return;
    bool *flag = target->op == EXPR_RATE ? s->rate : s->value;
    s->changed = s->changed || !flag[target->which];
    flag[target->which] = true;
    if (target->op == EXPR_RATE)
        s->value[target->which] = true;
}

static void follow_steps(Sensing *s, const Steps *steps)
{
    for (const Step *k = steps->first; k; k = k->next) {
        if (k->kind == STEP_ASSIGN && sensing_depends(s, k->value))
            mark(s, k->target);
        follow_steps(s, &k->body);
        for (uint32_t i = 0; k->select && i < k->select->branches; i++)
            follow_steps(s, &k->branch[i]);
        if (k->kind != STEP_SOLVE)
            continue;
        const Block *b = model_block(s->m, k->block);
        bool depends = false;
        follow_steps(s, &b->inner);
        for (uint32_t i = 0; i < b->parts; i++)
            depends = depends || sensing_depends(s, b->part[i].residual);
        for (uint32_t i = 0; depends && i < b->parts; i++)
            mark(s, b->part[i].unknown);
        follow_steps(s, &b->inner);
    }
}

static void follow_memories(Sensing *s)
{
    for (uint32_t k = 0; k < model_memories(s->m); k++) {
        const Memory *y = model_memory(s->m, k);
        if (s->memory[k] ||
            (!sensing_depends(s, y->input) && !sensing_depends(s, y->delay) &&
             !sensing_depends(s, y->start)))
            continue;
        s->memory[k] = s->changed = true;
    }
}

/* Everything may change at an instant whose time depends on the parameter. */
static void follow_times(Sensing *s)
{
    Model *m = s->m;
    bool timed = s->timed;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        if (!sensing_depends(s, c->z))
            continue;
        timed = true;
        if (c->kind == CONDITION_CONDIT)
            s->state_event[c->event] = true;
        if (c->kind == CONDITION_WAIT)
            s->process[model_wait(m, c->event)->process] = true;
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        timed = timed || sensing_depends(s, r->a) || sensing_depends(s, r->b) ||
                sensing_depends(s, r->c);
    }
    s->changed = s->changed || timed != s->timed;
    s->timed = timed;
    for (uint32_t k = 0; timed && k < s->variables; k++)
        if (model_variable(m, k)->kind == VARIABLE_STATE)
            s->value[k] = s->rate[k] = true;
}

/* CONSTs that are computed from others; one that --set gives is not. */
static void follow_constants(Sensing *s)
{
    for (uint32_t k = 0; k < s->variables; k++) {
        const Variable *v = model_variable(s->m, k);
        if (v->kind != VARIABLE_CONST || s->value[k] || v->given ||
            k == present(s)->variable || !sensing_depends(s, v->value))
            continue;
        s->value[k] = s->changed = true;
    }
}

/* Start values that are related to each other, and those of hidden STATEs (REALPL). */
static void follow_starts(Sensing *s)
{
    Model *m = s->m;
    bool any = false;
    for (uint32_t k = 0; k < s->variables; k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind != VARIABLE_STATE || s->value[k] ||
            !sensing_depends(s, v->value))
            continue;
        s->value[k] = s->rate[k] = s->changed = true;
    }
    for (uint32_t k = 0; k < s->starts; k++)
        any = any || sensing_depends(s, model_start(m, k)->left) ||
              sensing_depends(s, model_start(m, k)->right);
    for (uint32_t k = 0; any && k < s->variables; k++)
        if (model_variable(m, k)->kind == VARIABLE_STATE && !s->value[k])
            s->value[k] = s->rate[k] = s->changed = true;
}

static void follow(Sensing *s)
{
    do {
        s->changed = false;
        follow_constants(s);
        s->here = s->timed;
        follow_steps(s, &s->m->simulation.program);
        follow_memories(s);
        s->here = false;
        follow_times(s);
        follow_starts(s);
        sensing_follow_code(s);
    } while (s->changed && !s->m->broken);
}

/* ---- Companions --------------------------------------------------------------------- */

static const char *companion_name(const Sensing *s, uint32_t of)
{
    return model_format(s->m, "d%s/d%s", model_variable(s->m, of)->name,
                        parameter_name(s));
}

/* m/s by kg: m/s/kg; by m/s^2: m/s/(m/s^2). */
static const char *companion_unit(const Sensing *s, uint32_t of)
{
    Model *m = s->m;
    const char *a = model_variable(m, of)->unit;
    const char *b = model_variable(m, present(s)->variable)->unit;
    if (!b || !*b)
        return a;
    return model_format(m, strpbrk(b, "*/ ") ? "%s/(%s)" : "%s/%s",
                        a && *a ? a : "1", b);
}

static void add_companion(Sensing *s, uint32_t of)
{
    Model *m = s->m;
    const Variable *v = model_variable(m, of);
    VariableKind kind = v->kind;
    uint32_t k = model_add_hidden(m, kind, EXPR_TYPE_REAL,
                                  companion_name(s, of), v->at, v->line);
    Variable *own = model_variable(m, k);
    v = model_variable(m, of);
    variable_shaped(own, v);
    own->routine = v->routine;
    own->wished = v->wished;
    own->unit = companion_unit(s, of);
    s->own[of] = k;
    if (kind != VARIABLE_STATE)
        return;
    if (v->pool) {
        Pool *p = model_pool(m, v->pool - 1);
        own->place = p->states;
        p->states += (uint32_t)(v->elements / POOL_SIDE);
        return;
    }
    own->place = m->states;
    m->states += (uint32_t)v->elements;
}

static bool has_own(const Variable *v)
{
    return v->type == EXPR_TYPE_REAL &&
           (v->kind == VARIABLE_STATE || v->kind == VARIABLE_DISCRETE ||
            v->kind == VARIABLE_DSTATE || v->kind == VARIABLE_LOCAL);
}

/* STATEs in the order of their places, so that Companions have the same one. */
static void add_companions(Sensing *s)
{
    Model *m = s->m;
    for (uint32_t k = 0; k < s->variables; k++) {
        s->own[k] = NONE;
        if (s->value[k] && has_own(model_variable(m, k)) &&
            k != present(s)->variable)
            add_companion(s, k);
    }
}

/* Start values that the model itself gives to STATEs. */
static void add_starts(Sensing *s)
{
    Model *m = s->m;
    bool here = s->here;
    s->here = false; // a run starts at a time of its own
    for (uint32_t k = 0; k < s->variables; k++) {
        const Expr *start = model_variable(m, k)->value;
        if (s->own[k] == NONE || model_variable(m, k)->kind != VARIABLE_STATE ||
            !sensing_depends(s, start))
            continue;
        start = sensing_derivative(s, start);
        model_variable(m, s->own[k])->value = start;
    }
    s->here = here;
}

static void add_tau(Sensing *s)
{
    Model *m = s->m;
    if (!s->timed)
        return;
    const Sense *p = present(s);
    uint32_t k = model_add_hidden(
        m, VARIABLE_DISCRETE, EXPR_TYPE_REAL,
        model_format(m, "dTIME/d%s", parameter_name(s)), p->at, p->line);
    model_sense(m, s->sense)->tau = k;
}

/* ---- The direction -------------------------------------------------------------------- */

/* 1 for the parameter; for an element of an array with an index that is known in the
   run only, 1 where it is that of the parameter. */
static const Expr *by_itself(const Sensing *s, const Expr *leaf)
{
    Model *m = s->m;
    const Sense *p = present(s);
    const Variable *v = model_variable(m, p->variable);
    const Expr *one = expr_number(m, "1.0");
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    for (uint32_t k = 0; k < leaf->count; k++) {
        int64_t part = v->rank == 1 || k == 0 ? p->element / columns
                                              : p->element % columns;
        const Expr *here = expr_integer(m, v->low[k] + part);
        if (leaf->arg[k] != here)
            one = expr_choose(m, expr_2(m, EXPR_EQ, leaf->arg[k], here), one,
                              expr_number(m, "0.0"));
    }
    return one;
}

static const Expr *with_parameter(void *user, const Expr *leaf)
{
    Moving *g = user;
    Sensing *s = g->user;
    Model *m = s->m;
    uint32_t tau = present(s)->tau;
    if (leaf->op == EXPR_SYSTEM)
        return leaf->which == SYSTEM_TIME && s->here && tau != NONE
                   ? expr_variable(m, tau, NULL, 0)
                   : NULL;
    if ((leaf->op != EXPR_VARIABLE && leaf->op != EXPR_RATE) ||
        leaf->which >= s->variables)
        return NULL;
    if (sensing_is_parameter(s, leaf))
        return by_itself(s, leaf);
    uint32_t own = s->own[leaf->which];
    if (leaf->op == EXPR_RATE)
        return own == NONE ? NULL : expr_rate(m, own, leaf->arg, leaf->count);
    if (own != NONE)
        return expr_variable(m, own, leaf->arg, leaf->count);
    if (s->value[leaf->which] &&
        model_variable(m, leaf->which)->kind == VARIABLE_CONST)
        return sensing_derivative(s, model_variable(m, leaf->which)->value);
    return is_unknown(m, leaf) && s->value[leaf->which]
               ? moving_variable(g, leaf)
               : NULL;
}

static const Expr *rate_with_parameter(Moving *g, const Expr *rate)
{
    const Sensing *s = g->user;
    uint32_t own = s->own[rate->which];
    return own == NONE ? NULL : expr_rate(g->m, own, rate->arg, rate->count);
}

const Expr *sensing_derivative(Sensing *s, const Expr *e)
{
    return moving_derivative(&s->g, e);
}

/* ---- Conditions ------------------------------------------------------------------------- */

static const Expr *slope_of(Sensing *s, const Expr *a, const Expr *b)
{
    Model *m = s->m;
    const Expr *left = sensing_derivative(s, a);
    return b ? expr_minus(m, left, sensing_derivative(s, b)) : left;
}

static void set_slope(Sensing *s, const Expr ***slope, const Expr *value)
{
    if (!*slope)
        *slope = MODEL_ARRAY(s->m, const Expr *, 2 * model_senses(s->m));
    if (*slope)
        (*slope)[s->sense] = value;
}

/* At a fixed time: TIME does not move. */
static void find_slopes(Sensing *s)
{
    Model *m = s->m;
    s->here = false;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Expr *slope = slope_of(s, model_condition(m, k)->z, NULL);
        set_slope(s, &model_condition(m, k)->slope, slope);
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation r = *model_relation(m, k);
        const Expr *slope =
            slope_of(s, r.a, r.kind == RELATION_ORDER ? r.b : NULL);
        set_slope(s, &model_relation(m, k)->slope, slope);
    }
    s->here = s->timed;
}

/* ---- Constraints ------------------------------------------------------------------------- */

static void add_constraints(Sensing *s, uint32_t constraints)
{
    Model *m = s->m;
    for (uint32_t k = 0; k < constraints && !m->broken; k++) {
        Constraint c = *model_constraint(m, k);
        c.g = sensing_derivative(s, c.g);
        if (expr_is_zero(c.g))
            continue;
        c.companion = true;
        c.sets = NULL;
        c.first = m->constraint_rows;
        m->constraint_rows += (uint32_t)loops_elements(m, c.loops, c.n_loops);
        model_add_constraint(m, &c);
    }
}

/* ---- Memories ------------------------------------------------------------------------------ */

static void check_memories(Sensing *s)
{
    static const char *const words[] = {[MEMORY_DELAY] = "a DELAY",
                                        [MEMORY_HOLD] = "ZHOLD",
                                        [MEMORY_HYSTERESIS] = "HSTRS",
                                        [MEMORY_PULSE] = "PULSE",
                                        [MEMORY_DERIVATOR] = "DERIV"};
    for (uint32_t k = 0; k < model_memories(s->m); k++)
        if (s->memory[k]) {
            const Memory *y = model_memory(s->m, k);
            sensing_refuse(s, y->at,
                           "%s depends on it here, and keeps values that have "
                           "no derivative yet",
                           words[y->kind]);
        }
}

/* ---- Results ------------------------------------------------------------------------------- */

/* A hidden ALGEBR beside variable `of`, computed after everything else. */
static uint32_t add_late(Sensing *s, uint32_t of, const Expr *value)
{
    Model *m = s->m;
    const Variable *v = model_variable(m, of);
    uint32_t k = model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                                  companion_name(s, of), v->at, v->line);
    Companion c = {of, s->sense, k};
    model_add_companion(m, &c);
    model_variable(m, k)->read_by_body = true;
    Step *step = steps_add(m, &s->late, STEP_ASSIGN);
    step->target = expr_variable(m, k, NULL, 0);
    step->value = value;
    step->equation = step->portion = NONE;
    return k;
}

/* dX/dP where X does not depend on P. */
static uint32_t add_nothing(Sensing *s, const Sensed *r)
{
    if (r->result)
        diag_warning(s->m->diags, r->at, "`%s` does not depend on %s",
                     model_variable(s->m, r->variable)->name,
                     parameter_name(s));
    return add_late(s, r->variable, expr_number(s->m, "0.0"));
}

static bool is_smooth(void *user, const Expr *e)
{
    (void)user;
    return !(e->op >= EXPR_LT && e->op <= EXPR_NE) && e->op != EXPR_CALL &&
           e->op != EXPR_DRAW && e->op != EXPR_ATTRIBUTE &&
           e->op != EXPR_TRUNC && e->op != EXPR_ROUND && e->op != EXPR_FLOOR &&
           e->op != EXPR_MIN && e->op != EXPR_MAX && e->op != EXPR_ABS;
}

/* The Companion of an expression that OUTPUT or a FIT shows; NONE: it is not smooth. */
static uint32_t of_column(Sensing *s, const Sensed *r)
{
    const Expr *value = NULL;
    for (const Statement *k = s->m->columns.first; k; k = k->next)
        if (k->kind == STATEMENT_ASSIGN && k->target->which == r->variable)
            value = k->a;
    if (!value || !expr_visit(s->m, value, is_smooth, NULL))
        return NONE;
    return sensing_depends(s, value)
               ? add_late(s, r->variable, sensing_derivative(s, value))
               : add_nothing(s, r);
}

static uint32_t companion_of(Sensing *s, const Sensed *r)
{
    Model *m = s->m;
    uint32_t v = r->variable;
    if (model_variable(m, v)->column)
        return of_column(s, r);
    if (!r->result && !s->value[v])
        return NONE;
    if (v == present(s)->variable)
        return add_late(s, v, expr_number(m, "1.0"));
    if (!s->value[v])
        return add_nothing(s, r);
    if (s->own[v] != NONE)
        return s->own[v];
    uint32_t found = s->g.rate_of_value[v];
    if (found == NONE) {
        const Variable *of = model_variable(m, v);
        const Expr *index[2] = {expr_integer(m, of->low[0]),
                                expr_integer(m, of->low[1])};
        found =
            moving_variable(&s->g, expr_variable(m, v, index, of->rank))->which;
    }
    return found;
}

static void show_instead(uint32_t *variable, uint32_t was, uint32_t is)
{
    if (*variable == was)
        *variable = is;
}

/* SENS (X, P) in OUTPUT. */
static void show(Model *m, uint32_t was, uint32_t is)
{
    for (uint32_t k = 0; was != NONE && k < model_shows(m); k++) {
        Show *s = model_show(m, k);
        show_instead(&s->versus, was, is);
        show_instead(&s->along, was, is);
        for (uint32_t i = 0; i < s->n; i++)
            show_instead(&s->variable[i], was, is);
    }
}

/* What SENSITIVITY names becomes a result. */
static void find_results(Sensing *s)
{
    Model *m = s->m;
    for (uint32_t k = 0; k < model_senseds(m) && !m->broken; k++) {
        const Sensed r = *model_sensed(m, k);
        if (r.sense != s->sense)
            continue;
        uint32_t found = companion_of(s, &r);
        model_sensed(m, k)->companion = found;
        if (!r.result || found == NONE)
            continue;
        Variable *v = model_variable(m, found);
        v->hidden = false;
        v->name = companion_name(s, r.variable);
        show(m, r.shown, found);
        if (!model_is_stored(m, found))
            model_store(m, found);
    }
}

/* For bodies, and for whoever looks for a Companion. */
static void keep_companions(Sensing *s)
{
    Model *m = s->m;
    for (uint32_t k = 0; k < s->variables && !m->broken; k++) {
        uint32_t found = s->own[k] != NONE ? s->own[k] : s->g.rate_of_value[k];
        if (found == NONE)
            continue;
        Companion c = {k, s->sense, found};
        model_add_companion(m, &c);
        if (s->own[k] == NONE) {
            model_variable(m, found)->name = companion_name(s, k);
            model_variable(m, found)->read_by_body = true;
            model_variable(m, found)->rate_of = NONE;
            model_variable(m, found)->unit = companion_unit(s, k);
        }
    }
}

/* ---- One parameter --------------------------------------------------------------------------- */

static bool begin(Sensing *s, Model *m, uint32_t sense, uint32_t starts)
{
    uint32_t n = m->before_senses + 1;
    *s = (Sensing){.m = m,
                   .sense = sense,
                   .variables = m->before_senses,
                   .starts = starts};
    s->value = MODEL_ARRAY(m, bool, n);
    s->rate = MODEL_ARRAY(m, bool, n);
    s->own = MODEL_ARRAY(m, uint32_t, n);
    s->memory = MODEL_ARRAY(m, bool, model_memories(m) + 1);
    s->routine = MODEL_ARRAY(m, bool, model_routines(m) + 1);
    s->state_event = MODEL_ARRAY(m, bool, model_state_events(m) + 1);
    s->time_event = MODEL_ARRAY(m, bool, model_time_events(m) + 1);
    s->process = MODEL_ARRAY(m, bool, model_processes(m) + 1);
    s->g = (Moving){.leaf = with_parameter,
                    .rate = rate_with_parameter,
                    .user = s,
                    .of_value = "~",
                    .of_rate = "~"};
    return !m->broken;
}

/* Steps of the program that belong to no Portion. */
static void own_steps(Steps *steps)
{
    for (Step *k = steps->first; k; k = k->next) {
        k->portion = NONE;
        own_steps(&k->body);
        for (uint32_t i = 0; k->select && i < k->select->branches; i++)
            own_steps(&k->branch[i]);
    }
}

static void append_steps(Model *m, Steps *more)
{
    Steps *program = &m->simulation.program;
    own_steps(more);
    if (!more->first)
        return;
    if (program->last)
        program->last->next = more->first;
    else
        program->first = more->first;
    program->last = more->last;
}

static void look_at_parameter(Sensing *s)
{
    follow(s);
    check_memories(s);
    sensing_check_code(s);
}

static void one_parameter(Sensing *s, uint32_t constraints)
{
    Model *m = s->m;
    Steps more = {0};
    look_at_parameter(s);
    if (s->refused || m->broken)
        return;
    add_companions(s);
    add_tau(s);
    if (!moving_begin(&s->g, m))
        return;
    s->g.variables = s->variables;
    find_slopes(s);
    add_starts(s);
    sensing_extend_code(s);
    add_constraints(s, constraints);
    find_results(s);
    moving_steps(&s->g, &more);
    append_steps(m, &more);
    append_steps(m, &s->late);
    keep_companions(s);
    model_sense(m, s->sense)->followed = true;
}

/* Searches that can use derivatives keep theirs; nothing is carried along for others. */
static void choose_quests(Model *m, uint32_t starts)
{
    quests_begin(m);
    for (uint32_t k = 0; k < model_senses(m) && !m->broken; k++) {
        Sensing s;
        if (!quests_use(m, k) || !begin(&s, m, k, starts))
            continue;
        s.quiet = true;
        look_at_parameter(&s);
        sensing_check_quests(&s);
    }
    quests_settle(m);
}

bool sense_parameters(Model *m)
{
    uint32_t constraints = model_constraints(m);
    uint32_t starts = model_starts(m);
    uint32_t errors = m->diags->errors;
    m->before_senses = model_variables(m);
    choose_quests(m, starts);
    for (uint32_t k = 0; k < model_senses(m) && !m->broken; k++) {
        Sensing s;
        if (begin(&s, m, k, starts))
            one_parameter(&s, constraints);
    }
    return !m->broken && m->diags->errors == errors;
}

/* ---- The Jacobian ------------------------------------------------------------------------------ */

typedef struct Entering {
    Model *m;
    uint32_t *own; // for each variable: its Companion, or NONE
    Sensing s;     // knows the parameter
} Entering;

static const Expr *with_companions(void *user, const Expr *leaf)
{
    Entering *g = user;
    Model *m = g->m;
    if ((leaf->op != EXPR_VARIABLE && leaf->op != EXPR_RATE) ||
        leaf->which >= m->before_senses)
        return NULL;
    if (sensing_is_parameter(&g->s, leaf))
        return by_itself(&g->s, leaf);
    uint32_t own = g->own[leaf->which];
    if (own == NONE)
        return NULL;
    return leaf->op == EXPR_RATE
               ? expr_rate(m, own, leaf->arg, leaf->count)
               : expr_variable(m, own, leaf->arg, leaf->count);
}

static void find_own(Entering *g)
{
    Model *m = g->m;
    for (uint32_t k = 0; k < m->before_senses; k++)
        g->own[k] = NONE;
    for (uint32_t k = 0; k < model_companions(m); k++) {
        Companion c = *model_companion(m, k);
        if (c.sense == g->s.sense && model_variable(m, c.of)->kind ==
                                         model_variable(m, c.variable)->kind)
            g->own[c.of] = c.variable; // not the 0 beside a STATE
    }
}

/* S' = (df/dx) S + df/dp: by S as f by x, and by x as df/dx changes along S and p. */
static void enter(Entering *g, Entry e)
{
    Model *m = g->m;
    uint32_t row = g->own[e.row->which], column = g->own[e.column->which];
    if (row == NONE)
        return;
    e.row = expr_rate(m, row, e.row->arg, e.row->count);
    if (column != NONE) {
        Entry own = e;
        own.column = expr_variable(m, column, e.column->arg, e.column->count);
        model_add_entry(m, &own);
    }
    e.value = e.value ? differentiate(m, e.value, with_companions, g) : NULL;
    if (e.value && !expr_is_zero(e.value))
        model_add_entry(m, &e);
}

void sense_entries(Model *m)
{
    uint32_t n = model_entries(m);
    Entering g = {.m = m,
                  .own = MODEL_ARRAY(m, uint32_t, m->before_senses + 1)};
    for (uint32_t j = 0; g.own && j < model_senses(m) && !m->broken; j++) {
        g.s = (Sensing){.m = m, .sense = j, .variables = m->before_senses};
        find_own(&g);
        for (uint32_t k = 0; k < n && !m->broken; k++)
            enter(&g, *model_entry(m, k));
    }
}
