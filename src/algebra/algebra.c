#include "algebra/algebra.h"

#include "algebra/derivators.h"
#include "algebra/gradient.h"
#include "algebra/hide.h"
#include "algebra/index.h"
#include "algebra/jacobian.h"
#include "algebra/match.h"
#include "algebra/needs.h"
#include "algebra/promise.h"
#include "algebra/rates.h"
#include "algebra/sense.h"
#include "algebra/sort.h"

/* In debug builds every pass is checked against its promise. */
static bool promised(const Model *m)
{
#ifndef NDEBUG
    Buffer why = {0};
    bool right = model_check(m, &why) && promise_check(m, &why);
    if (!right)
        diag_error(m->diags, (Span){SPAN_NOWHERE, 0, 0},
                   "the compiler contradicts itself: %s", buffer_string(&why));
    buffer_free(&why);
    return right;
#else
    (void)m;
    return true;
#endif
}

/* GUESS of an ALGEBR says where an iteration begins; for any variable that is
   found without one it has no effect. */
static void tell_guesses(Model *m, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        tell_guesses(m, &s->body);
        if (s->kind != STATEMENT_SETTING || s->which >= model_variables(m))
            continue;
        const Variable *v = model_variable(m, s->which);
        if ((s->flags & SETTING_GUESS) && v->guessed && !v->iterated)
            diag_warning(m->diags, s->at,
                         "this GUESS of `%s` has no effect: its equation gives "
                         "its value. GUESS of an ALGEBR says where Newton's "
                         "method begins, if it is an unknown of a loop that is "
                         "not linear",
                         v->name);
    }
}

static bool derive(Model *m)
{
    bool right =
        rates_of_conditions(m) && rates_of_slopes(m) && jacobian_entries(m);
    sense_entries(m);
    if (right && !m->has_jacobian)
        right = rates_tangent(m);
    if (right && model_linears(m) > 0)
        right = rates_linear(m);
    gradient_of_constraints(m);
    m->stage = STAGE_DERIVED;
    return right && needs_find(m);
}

static bool passes(Model *m, AlgebraPass last)
{
    if (!promised(m) || !hide_relations(m) || !promised(m))
        return false;
    if (last == ALGEBRA_HIDE)
        return true;
    if (!derivators_resolve(m) || !match_equations(m, &m->simulation) ||
        !promised(m))
        return false;
    if (last == ALGEBRA_MATCH)
        return true;
    if (!sort_equations(m, &m->simulation) || !promised(m))
        return false;
    index_tell(m);
    tell_guesses(m, &m->experiment);
    if (model_senses(m) && (!sense_parameters(m) || !promised(m)))
        return false;
    return last == ALGEBRA_SORT || (derive(m) && promised(m));
}

bool algebra(Model *m, AlgebraPass last)
{
    bool right = passes(m, last);
    if (m->broken)
        diag_error(m->diags, (Span){SPAN_NOWHERE, 0, 0},
                   "there is not enough memory to translate this program");
    return right && !m->broken;
}
