#include <string.h>

#include "lower/lowerer.h"

/* INITCOND X = e is evaluated where it stands, once, while a PARAMETER with a list (or a
   SWEEP) has another value in each run: a warning, if e reads one. */

typedef struct Once {
    Lowerer *l;
    bool *varies; // for each variable: a list gives it several values
} Once;

static bool has_several(const Statement *s)
{
    const Statement *first = s->body.first;
    return s->kind == STATEMENT_SWEEP ||
           (first && (first->next || first->b || first->c));
}

static bool is_steady(void *user, const Expr *e)
{
    const Once *o = user;
    return e->op != EXPR_VARIABLE || !o->varies[e->which];
}

static void look_at_start(Once *o, const Statement *s)
{
    for (const Statement *e = s->body.first; e; e = e->next)
        if (e->a && !expr_visit(o->l->m, e->a, is_steady, o)) {
            diag_warning(
                o->l->m->diags, e->at,
                "this is evaluated here, once, with the first value of the "
                "list: where each run is to begin with its own, assign `%s` in "
                "INITIAL",
                model_variable(o->l->m, s->which)->name);
            return;
        }
}

static void walk(Once *o, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        uint32_t n = model_variables(o->l->m);
        if (s->kind == STATEMENT_FRAME)
            memset(o->varies, 0, n * sizeof *o->varies);
        if (s->kind == STATEMENT_SWEEP ||
            (s->kind == STATEMENT_SETTING && s->flags == 0)) {
            if (s->which < n)
                o->varies[s->which] = has_several(s);
        } else if (s->kind == STATEMENT_SETTING && s->flags == SETTING_START &&
                   s->which < n) {
            look_at_start(o, s);
        } else {
            walk(o, &s->body);
            walk(o, &s->other);
        }
    }
}

void lower_once(Lowerer *l)
{
    Once o = {l, MODEL_ARRAY(l->m, bool, model_variables(l->m) + 1)};
    if (o.varies)
        walk(&o, &l->m->experiment);
}
