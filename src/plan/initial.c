#include "plan/plan.h"

/* Which STATEs INITIAL assigns: itself, in the routines that it calls, or by
   handing them over to be assigned. */

typedef struct Scan {
    Plan *p;
    bool *called; // for each Routine
} Scan;

static void scan_code(Scan *s, const Code *code);

static void scan_routine(Scan *s, uint32_t routine)
{
    if (s->called[routine])
        return;
    s->called[routine] = true;
    scan_code(s, &model_routine(s->p->m, routine)->code);
}

static void scan_node(void *user, const Expr *x)
{
    if (x->op == EXPR_CALL)
        scan_routine(user, x->which);
}

static void scan_expr(void *user, const Expr *x)
{
    Scan *s = user;
    plan_each_node(s->p, x, scan_node, s);
}

static void assigned(const Scan *s, const Expr *target)
{
    if (target && target->op == EXPR_VARIABLE &&
        model_variable(s->p->m, target->which)->kind == VARIABLE_STATE)
        s->p->storage.initial[target->which] = true;
}

static void scan_call(Scan *s, const Statement *call)
{
    const Model *m = s->p->m;
    const Routine *r = model_routine(m, call->which);
    scan_routine(s, call->which);
    for (uint32_t k = 0; call->list && k < call->n && k < r->formals; k++)
        if (model_variable(m, r->formal[k])->by_reference)
            assigned(s, call->list[k]);
}

static void scan_statements(Scan *s, const Code *code)
{
    for (const Statement *k = code->first; k; k = k->next) {
        if (k->kind == STATEMENT_ASSIGN)
            assigned(s, k->target);
        else if (k->kind == STATEMENT_CALL)
            scan_call(s, k);
        scan_statements(s, &k->body);
        scan_statements(s, &k->other);
        for (uint32_t i = 0; k->arm && i < k->n; i++)
            scan_statements(s, &k->arm[i].code);
    }
}

static void scan_code(Scan *s, const Code *code)
{
    scan_statements(s, code);
    plan_each_code(code, scan_expr, s);
}

void plan_initial(Plan *p)
{
    const Model *m = p->m;
    Scan s = {p, PLAN_ARRAY(p, bool, model_routines(m))};
    p->storage.initial = PLAN_ARRAY(p, bool, model_variables(m));
    if (p->broken)
        return;
    p->marks++;
    scan_code(&s, &m->initial);
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_STATE && v->value)
            p->storage.initial[k] = true; // a library function starts it
        p->storage.initials += p->storage.initial[k];
    }
}
