#include "model/model.h"

#include <ctype.h>

/* Checks what the passes promise: whatever one row of a table says about
   another. The order of computation is proved in algebra/promise.h. */

typedef struct Checking {
    const Model *m;
    Buffer *why;
    const char *where;
    const uint32_t *loops; // loops around the expression; NULL: not checked
    uint32_t n_loops;
    bool right;
} Checking;

/* Arguments of each operation. */
#define ANY (-1)
static const int arguments_of[EXPR_OPS] = {
#define EXPR(name, arguments, text, result) [EXPR_##name] = (arguments),
#include "model/expr.def"
#undef EXPR
};

static bool bad(Checking *c, const char *what)
{
    if (c->right)
        buffer_format(c->why, "%s: %s", c->where, what);
    c->right = false;
    return false;
}

static bool in_range(const Checking *c, const Expr *e)
{
    const Model *m = c->m;
    switch (e->op) {
    case EXPR_VARIABLE:
    case EXPR_RATE:
    case EXPR_PLACE:
    case EXPR_ATTRIBUTE: return e->which < model_variables(m);
    case EXPR_LOOP:
    case EXPR_SUM:
    case EXPR_PROD:
    case EXPR_LEAST:
    case EXPR_MOST: return e->which < model_loops(m);
    case EXPR_SIDE:
    case EXPR_SEGMENT: return e->which < model_relations(m);
    case EXPR_TABLE:
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT:
    case EXPR_TABLE_AT_SLOPE:
    case EXPR_TABLE_HIGHER:
    case EXPR_TABLE_AT_HIGHER: return e->which < model_tables(m);
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_HELD: return e->which < model_memories(m);
    case EXPR_EXTERNAL: return e->which < model_externals(m);
    case EXPR_CALL: return e->which < model_routines(m);
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT:
        return e->which < model_variables(m) && e->arg[0]->op == EXPR_INTEGER &&
               e->arg[0]->integer < model_files(m);
    case EXPR_SELF:
    case EXPR_FOUND:
    case EXPR_EXISTS:
    case EXPR_COPIES: return e->which < model_pools(m);
    case EXPR_MEAN:
    case EXPR_SDEV: return e->which < model_variables(m);
    case EXPR_SENSED: return e->which < model_senseds(m);
    case EXPR_RESOURCE:
        return e->which < model_resources(m) && e->arg[0]->op == EXPR_INTEGER &&
               e->arg[0]->integer < RESOURCE_VALUES;
    case EXPR_QUEUE: return e->which == NONE || e->which < model_files(m);
    default: return true;
    }
}

/* An index that no SUM binds belongs to an enclosing loop. */
static bool is_in_loop(const Checking *c, const Expr *e)
{
    bool found = !c->loops || model_loop(c->m, e->which)->bound;
    for (uint32_t k = 0; k < c->n_loops && !found; k++)
        found = c->loops[k] == e->which;
    return found;
}

/* Arguments are made before the expressions that use them: no expression
   contains itself. */
static bool is_well_made(const Expr *e)
{
    int wanted = arguments_of[e->op];
    if (wanted != ANY && e->count != (uint32_t)wanted)
        return false;
    for (uint32_t k = 0; k < e->count; k++)
        if (!e->arg[k] || e->arg[k]->id >= e->id)
            return false;
    return true;
}

static bool check_node(void *user, const Expr *e)
{
    Checking *c = user;
    if (e->op >= EXPR_OPS || !is_well_made(e))
        return bad(c, "an expression has the wrong arguments");
    if (!in_range(c, e))
        return bad(c, "an expression names what does not exist");
    if (e->op == EXPR_LOOP && !is_in_loop(c, e))
        return bad(c, "an index stands outside its loop");
    if ((e->op == EXPR_SIDE || e->op == EXPR_SEGMENT) &&
        e->count != model_relation(c->m, e->which)->n_loops)
        return bad(c, "a relation is read without its indices");
    if ((e->op == EXPR_VARIABLE || e->op == EXPR_RATE) &&
        e->count != model_variable(c->m, e->which)->rank)
        return bad(c, "an array has the wrong number of indices");
    if (e->op == EXPR_RATE &&
        model_variable(c->m, e->which)->kind != VARIABLE_STATE)
        return bad(c, "the rate of something that is not a STATE");
    return true;
}

static bool check_hidden_node(void *user, const Expr *e)
{
    Checking *c = user;
    if (!check_node(user, e))
        return false;
    if (c->m->stage >= STAGE_HIDDEN && e->op == EXPR_NOEVENT)
        return bad(c, "NOEVENT is left");
    return true;
}

static bool check_expr(Checking *c, const Expr *e)
{
    return !e || expr_visit(NULL, e, check_hidden_node, c);
}

static void check_place(Checking *c, const uint32_t *loops, uint32_t n)
{
    c->loops = loops;
    c->n_loops = n;
    for (uint32_t k = 0; k < n; k++)
        if (loops[k] >= model_loops(c->m))
            bad(c, "a loop that does not exist");
}

static void leave_place(Checking *c)
{
    c->loops = NULL;
    c->n_loops = 0;
}

/* Branches exist, and their selector has the right type. */
static void check_guard(Checking *c, const Guard *g)
{
    for (; g && c->right; g = g->select->around) {
        const Select *s = g->select;
        if (g->branch >= s->branches)
            bad(c, "a branch that does not exist");
        if (s->number >= c->m->selects)
            bad(c, "a CASE or IF without a number");
        if (s->selector->type !=
            (s->is_case ? EXPR_TYPE_INTEGER : EXPR_TYPE_BOOLEAN))
            bad(c, "a selector of the wrong type");
    }
}

static bool is_identifier(const char *name)
{
    if (!name || !*name || isdigit((unsigned char)*name))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return *name == '\0';
}

static void check_variables(Checking *c)
{
    const Model *m = c->m;
    uint64_t place = 0;
    for (uint32_t k = 0; c->right && k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        uint64_t elements = 1;
        c->where = v->name;
        for (uint32_t i = 0; i < v->rank; i++)
            elements *= v->high[i] < v->low[i]
                            ? 0
                            : (uint64_t)(v->high[i] - v->low[i]) + 1;
        if (elements != v->elements)
            bad(c, "its elements do not agree with its bounds");
        if (!is_identifier(v->c_name))
            bad(c, "no identifier for C");
        if (v->rate_of != NONE && v->rate_of >= model_variables(m))
            bad(c, "the derivative of something that does not exist");
        if (v->pool &&
            (v->rank == 0 || v->low[0] != 0 || v->high[0] != POOL_SIDE - 1))
            bad(c, "its first index is not that of a copy");
        if (v->kind != VARIABLE_STATE || v->pool)
            continue;
        if (v->place != place)
            bad(c, "its place does not follow that of the STATE before");
        place += v->elements;
    }
    c->where = "STATEs";
    if (c->right && place != m->states)
        bad(c, "their number does not agree with their elements");
}

/* An equation, or a portion of one. */
static void check_portion(Checking *c, const Portion *p)
{
    const Model *m = c->m;
    c->where = p->row < model_rows(m) ? model_row(m, p->row)->text
                                      : "equation without a row";
    if (p->row >= model_rows(m))
        bad(c, "no row");
    if (p->n_loops > LOOPS_MOST) {
        bad(c, "too many loops");
        return;
    }
    check_guard(c, p->guard);
    check_place(c, p->loops, p->n_loops);
    check_expr(c, p->left);
    check_expr(c, p->right);
    check_expr(c, p->value);
    check_expr(c, p->target);
    leave_place(c);
}

static void check_equations(Checking *c)
{
    for (uint32_t k = 0; c->right && k < model_equations(c->m); k++) {
        Portion whole = equation_portion(c->m, k);
        check_portion(c, &whole);
    }
}

/* Every portion belongs to an equation and determines a quantity. */
static void check_system(Checking *c, const System *s)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        check_portion(c, p);
        if (p->equation >= model_equations(m))
            bad(c, "a portion of an equation that does not exist");
        if (!p->target)
            bad(c, "no target");
        else if (p->target->op != EXPR_VARIABLE && p->target->op != EXPR_RATE)
            bad(c, "its target is not a quantity");
    }
}

static void check_conditions(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_conditions(m); k++) {
        const Condition *s = model_condition(m, k);
        c->where = s->name;
        check_guard(c, s->guard);
        check_place(c, s->loops, s->n_loops);
        check_expr(c, s->z);
        check_expr(c, s->tol);
        check_expr(c, s->priority);
        check_expr(c, s->dz);
        leave_place(c);
        if (m->stage >= STAGE_DERIVED && !s->dz)
            bad(c, "no time derivative");
    }
}

/* Places in branch are consecutive, one for each pass of the loops. */
static void check_relations(Checking *c)
{
    const Model *m = c->m;
    uint32_t place = 0;
    for (uint32_t k = 0; c->right && k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        c->where = r->text;
        check_guard(c, r->guard);
        check_place(c, r->loops, r->n_loops);
        check_expr(c, r->a);
        check_expr(c, r->b);
        check_expr(c, r->c);
        check_expr(c, r->when);
        leave_place(c);
        if (r->when && r->when->type != EXPR_TYPE_BOOLEAN)
            bad(c, "it is watched under something that is not a condition");
        if (m->stage < STAGE_HIDDEN)
            continue;
        bool pooled = loops_pool(m, r->loops, r->n_loops) != 0;
        if (!pooled && r->first != place)
            bad(c, "its places do not follow those before");
        if (r->count != loops_each(m, r->loops, r->n_loops))
            bad(c, "it does not have one place for each pass of its loops");
        if (m->stage >= STAGE_DERIVED && (!r->a != !r->da || !r->b != !r->db))
            bad(c, "no time derivative");
        place += pooled ? 0 : r->count;
    }
    c->where = "relations";
    if (c->right && m->stage >= STAGE_HIDDEN && place != m->branches)
        bad(c, "branch is not as long as their places");
}

static void check_part(Checking *c, const BlockPart *p)
{
    if (!p->unknown || !p->residual)
        bad(c, "the numbers of unknowns and residuals differ");
    else if (p->unknown->type != EXPR_TYPE_REAL)
        bad(c, "an unknown is not REAL");
    check_expr(c, p->unknown);
    check_expr(c, p->residual);
}

static void check_slopes(Checking *c, const Slope *slope, uint32_t count)
{
    for (uint32_t k = 0; c->right && k < count; k++) {
        const Slope *s = &slope[k];
        if (s->row->type != EXPR_TYPE_INTEGER ||
            s->column->type != EXPR_TYPE_INTEGER || !s->value)
            bad(c, "an entry of its Jacobian has no position or no value");
        check_expr(c, s->row);
        check_expr(c, s->column);
        check_expr(c, s->value);
    }
}

/* It is square, every position belongs to one part, and no unknown occurs
   twice. */
static void check_block(Checking *c, const Block *b)
{
    uint64_t next = 0;
    if (b->n == 0)
        bad(c, "it has no unknown");
    for (uint32_t i = 0; c->right && i < b->parts; i++) {
        const BlockPart *p = &b->part[i];
        check_part(c, p);
        if (p->first != next)
            bad(c, "the positions of its unknowns have a gap");
        next += loops_elements(c->m, p->loops, p->n_loops);
        for (uint32_t j = 0; j < i && b->parts < 200; j++)
            if (p->unknown == b->part[j].unknown)
                bad(c, "an unknown occurs twice");
    }
    if (c->right && next != b->n)
        bad(c, "it does not have as many residuals as unknowns");
    for (uint32_t i = 0; b->jacobian && c->right && i < b->n * b->n; i++)
        if (!b->jacobian[i])
            bad(c, "its Jacobian has a gap");
    check_slopes(c, b->slope, b->slopes);
}

static void check_blocks(Checking *c)
{
    c->where = "implicit block";
    for (uint32_t k = 0; c->right && k < model_blocks(c->m); k++)
        check_block(c, model_block(c->m, k));
}

static void check_entries(Checking *c)
{
    const Model *m = c->m;
    c->where = "Jacobian";
    for (uint32_t k = 0; c->right && k < model_entries(m); k++) {
        const Entry *e = model_entry(m, k);
        check_guard(c, e->guard);
        check_place(c, e->loops, e->n_loops);
        check_expr(c, e->row);
        check_expr(c, e->column);
        check_expr(c, e->value);
        leave_place(c);
        if (!c->right)
            return;
        if (e->row->op != EXPR_RATE || e->column->op != EXPR_VARIABLE ||
            model_variable(m, e->column->which)->kind != VARIABLE_STATE)
            bad(c, "an entry of something other than a rate by a STATE");
        if (m->has_jacobian && !e->value)
            bad(c, "an entry without a value");
    }
}

static void check_steps(Checking *c, const Steps *steps);

/* Checks the parts of each kind of step. */
static void check_step(Checking *c, const Step *s)
{
    const Model *m = c->m;
    switch (s->kind) {
    case STEP_ASSIGN:
        if (!s->target || !s->value)
            bad(c, "a step without a target or a value");
        else if (s->target->op != EXPR_VARIABLE && s->target->op != EXPR_RATE)
            bad(c, "the target of a step is not a quantity");
        break;
    case STEP_LOOP:
        if (s->loop >= model_loops(m))
            bad(c, "a loop that does not exist");
        break;
    case STEP_SELECT:
        if (!s->select || !s->branch)
            bad(c, "a choice without branches");
        break;
    case STEP_SOLVE:
        if (s->block >= model_blocks(m))
            bad(c, "a block that does not exist");
        else
            check_steps(c, &model_block(m, s->block)->inner);
        break;
    default: bad(c, "a step of no kind");
    }
}

static void check_steps(Checking *c, const Steps *steps)
{
    for (const Step *s = steps->first; s && c->right; s = s->next) {
        check_step(c, s);
        check_expr(c, s->target);
        check_expr(c, s->value);
        check_steps(c, &s->body);
        for (uint32_t k = 0;
             c->right && s->kind == STEP_SELECT && k < s->select->branches; k++)
            check_steps(c, &s->branch[k]);
        if (!s->next && steps->last != s)
            bad(c, "the last step is a different one");
    }
}

/* Every point of a process belongs to one statement. */
static uint32_t check_points(Checking *c, const Code *code, uint32_t points)
{
    uint32_t n = 0;
    for (const Statement *s = code->first; s && c->right; s = s->next) {
        if (s->point >= points && s->point)
            bad(c, "a point that does not exist");
        n += s->point != 0;
        n += check_points(c, &s->body, points);
        n += check_points(c, &s->other, points);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            n += check_points(c, &s->arm[k].code, points);
    }
    return n;
}

static void check_processes(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_processes(m); k++) {
        const Process *p = model_process(m, k);
        c->where = p->name;
        if (p->file >= model_files(m))
            bad(c, "no file");
        if (p->lines.used != p->points * sizeof(uint32_t))
            bad(c, "not every point has a line");
        if (p->rows.used != p->lines.used)
            bad(c, "not every point has a row");
        if (check_points(c, &p->code, p->points) + 1 != p->points)
            bad(c, "a point without a statement");
    }
    for (uint32_t k = 0; c->right && k < model_waits(m); k++) {
        const Wait *w = model_wait(m, k);
        c->where = "WAIT UNTIL";
        check_expr(c, w->holds);
        if (w->process >= model_processes(m))
            bad(c, "no process");
        if (w->relations && w->first + w->relations > model_conditions(m))
            bad(c, "no conditions for its relations");
    }
    uint32_t next = 0;
    for (uint32_t k = 0; c->right && k < model_resources(m); k++) {
        const Resource *r = model_resource(m, k);
        c->where = r->name;
        if (r->number != next)
            bad(c, "its elements do not follow those before");
        next += (uint32_t)r->elements;
        if (r->pool != NONE &&
            (r->kind != RESOURCE_FACILITY || r->pool >= model_resources(m) ||
             model_resource(m, r->pool)->kind != RESOURCE_POOL))
            bad(c, "its common queue is not one");
    }
}

static void check_files(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_files(m); k++) {
        const File *f = model_file(m, k);
        bool ranked = f->rank == RANK_LVF || f->rank == RANK_HVF;
        c->where = f->name;
        if (f->record == NONE ? f->process == NONE && f->pool == 0
                              : f->record >= model_records(m))
            bad(c, "a file without a record");
        if (f->process != NONE && f->process >= model_processes(m))
            bad(c, "the file of a process that does not exist");
        if (ranked && (f->ranked_on >= model_variables(m) ||
                       model_variable(m, f->ranked_on)->record != f->record))
            bad(c,
                "ranked by something that is not an attribute of its record");
    }
}

/* Its rows follow each other, and what it keeps is a number. */
static void check_constraints(Checking *c)
{
    const Model *m = c->m;
    uint64_t next = 0;
    c->where = "constraint";
    for (uint32_t k = 0; c->right && k < model_constraints(m); k++) {
        const Constraint *g = model_constraint(m, k);
        check_guard(c, g->guard);
        check_place(c, g->loops, g->n_loops);
        check_expr(c, g->g);
        leave_place(c);
        if (c->right && g->g->type != EXPR_TYPE_REAL)
            bad(c, "it is not REAL");
        if (g->first != next && m->stage >= STAGE_MATCHED)
            bad(c, "its rows have a gap");
        if (g->row >= model_rows(m))
            bad(c, "no row");
        next += loops_elements(m, g->loops, g->n_loops);
    }
    if (next != m->constraint_rows && m->stage >= STAGE_MATCHED)
        bad(c, "the number of rows is wrong");
    check_slopes(c, m->gradient, m->gradients);
}

static void check_starts(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_starts(m); k++) {
        const StartCondition *s = model_start(m, k);
        c->where = "INITCOND";
        check_expr(c, s->left);
        check_expr(c, s->right);
        if (s->row >= model_rows(m))
            bad(c, "no row");
    }
}

bool model_check(const Model *m, Buffer *why)
{
    Checking c = {.m = m, .why = why, .where = "model", .right = true};
    check_variables(&c);
    check_equations(&c);
    if (m->stage >= STAGE_MATCHED)
        check_system(&c, &m->simulation);
    check_conditions(&c);
    check_relations(&c);
    check_blocks(&c);
    check_entries(&c);
    check_processes(&c);
    check_files(&c);
    check_starts(&c);
    check_constraints(&c);
    c.where = "program";
    check_steps(&c, &m->simulation.program);
    c.where = "rates";
    check_steps(&c, &m->rates);
    c.where = "slopes";
    check_steps(&c, &m->slopes);
    check_steps(&c, &m->slope_rates);
    c.where = "tangent";
    check_steps(&c, &m->tangent);
    c.where = "linear";
    check_steps(&c, &m->linear);
    return c.right;
}
