#include "model/model.h"

/* What the passes promise, looked at again. */

typedef struct Checking {
    const Model *m;
    Buffer *why;
    const char *where;
    bool right;
} Checking;

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
    case EXPR_ATTRIBUTE: return e->which < model_variables(m);
    case EXPR_LOOP:
    case EXPR_SUM:
    case EXPR_PROD: return e->which < model_loops(m);
    case EXPR_SIDE:
    case EXPR_SEGMENT: return e->which < model_relations(m);
    case EXPR_TABLE:
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT:
    case EXPR_TABLE_AT_SLOPE: return e->which < model_tables(m);
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_HELD: return e->which < model_memorys(m);
    case EXPR_EXTERNAL: return e->which < model_externals(m);
    case EXPR_CALL: return e->which < model_routines(m);
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT:
        return e->which < model_variables(m) && e->arg[0]->op == EXPR_INTEGER &&
               e->arg[0]->integer < model_files(m);
    case EXPR_QUEUE: return e->which == NONE || e->which < model_files(m);
    default: return true;
    }
}

static bool check_node(void *user, const Expr *e)
{
    Checking *c = user;
    if (!in_range(c, e))
        return bad(c, "an expression names what does not exist");
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

static void check_equations(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_equations(m); k++) {
        const Equation *e = model_equation(m, k);
        c->where = e->row < model_rows(m) ? model_row(m, e->row)->text
                                          : "equation without a row";
        if (e->row >= model_rows(m))
            bad(c, "no row");
        check_expr(c, e->left);
        check_expr(c, e->right);
        check_expr(c, e->value);
        if (m->stage >= STAGE_MATCHED && !e->target)
            bad(c, "no target");
        if (e->target && e->target->op != EXPR_VARIABLE &&
            e->target->op != EXPR_RATE)
            bad(c, "its target is no quantity");
    }
}

static void check_conditions(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_conditions(m); k++) {
        const Condition *s = model_condition(m, k);
        c->where = s->name;
        check_expr(c, s->z);
        check_expr(c, s->tol);
        check_expr(c, s->dz);
        if (m->stage >= STAGE_DERIVED && !s->dz)
            bad(c, "no time derivative");
    }
    for (uint32_t k = 0; c->right && k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        c->where = r->text;
        check_expr(c, r->a);
        check_expr(c, r->b);
        check_expr(c, r->when);
        if (r->first + r->count > m->branches)
            bad(c, "its places are outside branch");
    }
}

static void check_steps(Checking *c, const Steps *steps)
{
    for (const Step *s = steps->first; s && c->right; s = s->next) {
        check_expr(c, s->target);
        check_expr(c, s->value);
        check_steps(c, &s->body);
        for (uint32_t k = 0; s->select && k < s->select->branches; k++)
            check_steps(c, &s->branch[k]);
        if (s->kind == STEP_SOLVE && s->block >= model_blocks(c->m))
            bad(c, "a block that does not exist");
    }
}

/* Every point of a process is that of one statement. */
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
    for (uint32_t k = 0; c->right && k < model_processs(m); k++) {
        const Process *p = model_process(m, k);
        c->where = p->name;
        if (p->file >= model_files(m))
            bad(c, "no file");
        if (p->lines.used != p->points * sizeof(uint32_t))
            bad(c, "not every point has a line");
        if (check_points(c, &p->code, p->points) + 1 != p->points)
            bad(c, "a point without a statement");
    }
    for (uint32_t k = 0; c->right && k < model_waits(m); k++) {
        const Wait *w = model_wait(m, k);
        c->where = "WAIT UNTIL";
        check_expr(c, w->holds);
        if (w->process >= model_processs(m))
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
    }
}

static void check_files(Checking *c)
{
    const Model *m = c->m;
    for (uint32_t k = 0; c->right && k < model_files(m); k++) {
        const File *f = model_file(m, k);
        bool ranked = f->rank == RANK_LVF || f->rank == RANK_HVF;
        c->where = f->name;
        if (f->record == NONE ? f->process == NONE
                              : f->record >= model_records(m))
            bad(c, "a file without a record");
        if (f->process != NONE && f->process >= model_processs(m))
            bad(c, "the file of a process that does not exist");
        if (ranked && (f->ranked_on >= model_variables(m) ||
                       model_variable(m, f->ranked_on)->record != f->record))
            bad(c, "ranked on what is no attribute of its record");
    }
}

bool model_check(const Model *m, Buffer *why)
{
    Checking c = {.m = m, .why = why, .where = "model", .right = true};
    check_equations(&c);
    check_conditions(&c);
    check_processes(&c);
    check_files(&c);
    c.where = "program";
    check_steps(&c, &m->program);
    c.where = "rates";
    check_steps(&c, &m->rates);
    c.where = "tangent";
    check_steps(&c, &m->tangent);
    return c.right;
}
