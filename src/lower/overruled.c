#include "lower/lowerer.h"

#include <assert.h>
#include <string.h>

/* INITIAL comes after --set, PARAMETER and INITCOND, and what it assigns
   counts. A modeller who asks for a value that INITIAL replaces is told so,
   once for each variable. An assignment that reads the variable itself (P :=
   P/60) uses the value and does not count. */

typedef struct Found {
    const Model *m;
    uint32_t variable;
    const Statement *assigns; // the last that certainly replaces the value
    bool sure;
} Found;

static bool reads_other(void *user, const Expr *x)
{
    const Found *f = user;
    return x->op != EXPR_VARIABLE || x->which != f->variable;
}

static void find_assignment(Found *f, const Code *code, bool sure)
{
    for (const Statement *s = code->first; s; s = s->next) {
        bool chosen = s->kind == STATEMENT_ASSIGN && s->target &&
                      s->target->op == EXPR_VARIABLE &&
                      s->target->which == f->variable;
        if (chosen && expr_visit(NULL, s->a, reads_other, f)) {
            f->assigns = s;
            f->sure = sure;
        }
        find_assignment(f, &s->body, sure && s->kind == STATEMENT_FOR);
        find_assignment(f, &s->other, false);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            find_assignment(f, &s->arm[k].code, false);
    }
}

static Found replaced_by(const Lowerer *l, uint32_t variable)
{
    Found f = {.m = l->m, .variable = variable};
    assert(variable < model_variables(l->m));
    find_assignment(&f, &l->m->initial, true);
    return f;
}

static const char *may(const Found *f)
{
    return f->sure ? "assigns" : "may assign";
}

/* ---- --set ---------------------------------------------------------------------- */

/* True for P, and for P[2]. */
static bool is_named(const char *set, const char *name)
{
    size_t n = strcspn(set, "[ ");
    char head[128];
    if (n >= sizeof head)
        return false;
    memcpy(head, set, n);
    head[n] = '\0';
    return name_same(head, name);
}

static void tell_set(Lowerer *l, const LowerSet *set)
{
    for (uint32_t k = 0; k < model_variables(l->m); k++) {
        const Variable *v = model_variable(l->m, k);
        if (v->hidden || v->routine != NONE || !is_named(set->name, v->name))
            continue;
        Found f = replaced_by(l, k);
        if (f.assigns)
            diag_warning(l->unit->diags, f.assigns->at,
                         "INITIAL %s `%s` here, after --set %s=%s: the value "
                         "of this assignment counts. Write PARAMETER %s = ... "
                         "in the EXPERIMENT instead, which --set replaces",
                         may(&f), v->name, set->name, set->value, v->name);
        return;
    }
}

/* ---- PARAMETER and INITCOND ------------------------------------------------------ */

static void tell_setting(Lowerer *l, const Statement *s, uint32_t which,
                         bool *told)
{
    const Variable *v = model_variable(l->m, which);
    Found f = replaced_by(l, which);
    bool uncertain = s->kind == STATEMENT_UNCERTAIN;
    bool start =
        uncertain ? v->kind == VARIABLE_STATE : (s->flags & SETTING_START) != 0;
    const char *word = uncertain ? "UNCERTAIN" : setting_word(s->flags);
    if (!f.assigns || told[which])
        return;
    told[which] = true;
    if (start)
        diag_note(l->unit->diags, f.assigns->at,
                  "INITIAL %s `%s` here: that replaces its %s in line %u",
                  may(&f), v->name, word, s->line);
    else
        diag_warning(l->unit->diags, f.assigns->at,
                     "INITIAL %s `%s` here, after %s in line %u has set "
                     "it: the value of this assignment counts in every run",
                     may(&f), v->name, word, s->line);
}

static void tell_settings(Lowerer *l, const Code *code, bool *told)
{
    for (const Statement *s = code->first; s; s = s->next) {
        bool setting =
            s->kind == STATEMENT_SETTING || s->kind == STATEMENT_SWEEP;
        if (setting && !(s->flags & SETTING_TIMEPERS) &&
            s->which < model_variables(l->m))
            tell_setting(l, s, s->which, told);
        for (uint32_t k = 0; s->sampling && k < s->sampling->n; k++)
            if (s->sampling->variable[k] < model_variables(l->m))
                tell_setting(l, s, s->sampling->variable[k], told);
        tell_settings(l, &s->body, told);
        tell_settings(l, &s->other, told);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            tell_settings(l, &s->arm[k].code, told);
    }
}

void lower_overruled(Lowerer *l)
{
    bool *told = MODEL_ARRAY(l->m, bool, model_variables(l->m) + 1);
    if (!told)
        return;
    for (uint32_t k = 0; l->o && k < l->o->sets; k++)
        tell_set(l, &l->o->set[k]);
    tell_settings(l, &l->m->experiment, told);
}
