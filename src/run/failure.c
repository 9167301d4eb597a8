#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "events/transaction.h"
#include "run/domain.h"
#include "run/loop_failure.h"
#include "run/run.h"
#include "stats/value.h"

/* Messages for a model that fails: line, text, time, and the values of the
   variables in the text. */

static const char *reason_words(CosyReason reason)
{
    switch (reason) {
    case COSY_NUMBER:
        return "gives a number that is not finite, or leaves the domain of a "
               "function";
    case COSY_NEWTON: return "is in an algebraic loop that did not converge";
    case COSY_SINGULAR:
        return "is in a system of equations without a unique solution";
    case COSY_NO_MEMORY: return "ran out of memory";
    case COSY_SELECTOR: return "has a CASE selector outside its labels";
    case COSY_INDEX: return "has an index outside the bounds of its array";
    case COSY_OVERFLOW:
        return "leaves the range of INTEGER, -9223372036854775808 .. "
               "9223372036854775807";
    case COSY_FRACTION:
        return "reads PRIORNBR, an INTEGER in its RECORD, of a transaction "
               "whose priority is not whole";
    case COSY_STOPPED:
        return "has gone round and round while TIME stood still, and was "
               "stopped";
    default: return "failed";
    }
}

static Status reason_status(CosyReason reason)
{
    switch (reason) {
    case COSY_NEWTON: return STATUS_NEWTON;
    case COSY_SINGULAR: return STATUS_SINGULAR;
    case COSY_NO_MEMORY: return STATUS_MEMORY;
    case COSY_REFUSED: return STATUS_USER;
    case COSY_BUG: return STATUS_MODEL;
    case COSY_STOPPED: return STATUS_STOPPED;
    default: return STATUS_NUMBER;
    }
}

/* ---- Values of the variables in a text -------------------------------------- */

#define VALUES_MOST   6
#define VALUES_LENGTH 240

static bool begins_name(char a)
{
    return (a >= 'A' && a <= 'Z') || (a >= 'a' && a <= 'z');
}

static bool in_name(char a)
{
    return begins_name(a) || (a >= '0' && a <= '9') || a == '_';
}

/* The element of `v` that the text after its name means: "[3]" or "[2,1]" with
   plain numbers. False for anything else, including calls and derivatives. */
static bool element_named(const CosyVariable *v, const char *text,
                          uint32_t *index)
{
    long long row = 1, column = 1;
    int length = 0;
    *index = 0;
    while (*text == ' ')
        text++;
    if (*text == '(' || *text == '\'')
        return false;
    if (*text != '[')
        return v->rows * v->columns == 1;
    if (sscanf(text, "[%lld ]%n", &row, &length) < 1 || length == 0) {
        length = 0;
        if (sscanf(text, "[%lld ,%lld ]%n", &row, &column, &length) < 2 ||
            !length)
            return false;
        column -= value_second(v);
    } else if (v->columns > 1) {
        return false;
    } else {
        column = 0;
    }
    row -= value_first(v);
    if (row < 0 || row >= v->rows || column < 0 || column >= v->columns)
        return false;
    *index = (uint32_t)row * v->columns + (uint32_t)column;
    return true;
}

static void value_text(const Run *r, uint32_t variable, uint32_t index,
                       char *text, size_t size)
{
    const CosyVariable *v = &r->model->variables[variable];
    real value = instance_get(r->c, variable, index);
    Buffer name = {0};
    value_name(&name, v, index);
    if (v->type == COSY_TYPE_BOOLEAN)
        snprintf(text, size, "%.60s = %s", buffer_string(&name),
                 value != R(0.0) ? "TRUE" : "FALSE");
    else if (v->type == COSY_TYPE_INTEGER && cosy_abs(value) < R(1e15))
        snprintf(text, size, "%.60s = %.0f", buffer_string(&name),
                 (double)value);
    else if (cosy_abs(value) == COSY_INFINITY)
        snprintf(text, size, "%.60s = %sINF", buffer_string(&name),
                 value < R(0.0) ? "-" : "");
    else
        snprintf(text, size, "%.60s = %.9g", buffer_string(&name),
                 (double)value);
    buffer_free(&name);
}

/* ", with B = 0, C = 3": the variables in the text of a row, with their present
   values, except the one that an equation computes. A statement may read that
   one too: A := A*3. */
static void values_of(const Run *r, const CosyEquation *e, char *text)
{
    const CosyModel *m = r->model;
    char name[64], one[100];
    unsigned shown = 0;
    size_t used = 0;
    const char *assigned = e->statement ? strstr(e->text, ":=") : NULL;
    *text = '\0';
    for (const char *p = e->text; *p && shown < VALUES_MOST;) {
        size_t length = 0;
        uint32_t variable = COSY_NONE, index;
        while (in_name(p[length]))
            length++;
        if (begins_name(*p) && length < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)length, p);
            variable = instance_find(m, name);
        }
        p += length ? length : 1;
        bool computed =
            variable == e->variable && (assigned == NULL || p < assigned);
        if (variable == COSY_NONE || computed ||
            !element_named(&m->variables[variable], p, &index))
            continue;
        value_text(r, variable, index, one, sizeof one);
        if (strstr(text, one) || used + strlen(one) + 8 > VALUES_LENGTH)
            continue;
        used += (size_t)snprintf(text + used, VALUES_LENGTH - used, "%s%s",
                                 shown++ ? ", " : ", with ", one);
    }
}

/* ---- Faults ----------------------------------------------------------------- */

#define WHO_LENGTH    80
#define ADVICE_LENGTH 200

/* ", TRUCK 7": the transaction whose body has failed, or "". */
static void who_failed(const Run *r, char who[WHO_LENGTH])
{
    Buffer b = {0};
    who[0] = '\0';
    if (r->running == COSY_NONE ||
        !cosy_is_there(cosy_transaction(r->c, r->running)))
        return;
    transaction_name(&b, r->c, r->running);
    snprintf(who, WHO_LENGTH, ", %s", buffer_string(&b));
    buffer_free(&b);
}

/* What is wrong with a row, and what to do: ": guard it with IF". */
typedef struct Blame {
    const char *words;
    char advice[ADVICE_LENGTH];
} Blame;

static const char *reason_advice(CosyReason reason)
{
    switch (reason) {
    case COSY_NUMBER:
        return "check its divisors and the arguments of its functions";
    case COSY_FRACTION: return "give it a whole PRIORITY";
    case COSY_OVERFLOW: return "keep its values smaller, or use a REAL";
    case COSY_NEWTON:
        return "make sure that the loop has a solution, and give it values to "
               "start from with IMPLICIT ... START";
    case COSY_SINGULAR:
        return "make sure that the equations contradict neither each other nor "
               "themselves; if they have a solution, START of IMPLICIT says "
               "where to look for it";
    default: return NULL;
    }
}

/* Why a statement about copies may have no value, or NULL. */
static const char *copies_advice(const Run *r, const CosyEquation *e)
{
    bool made = false, none = false;
    for (uint32_t p = 0; p < r->model->n_copies; p++) {
        const CosyCopies *k = r->c->copy + p;
        made = made || k->count > k->settled;
        none = none || cosy_copy_count(r->c, p) == 0;
    }
    if (e->statement && none && strstr(e->text, " IN "))
        return "MIN and MAX of no copies have no value; COUNT tells how many "
               "there are";
    if (e->statement && made)
        return "the ALGEBRs of a copy have values as soon as the body that has "
               "created it is through, or waits";
    return NULL;
}

static Blame blame(const Run *r, CosyReason reason, const CosyEquation *e,
                   const real *x, Domain *d)
{
    Blame b = {.words = reason_words(reason)};
    const char *advice = reason_advice(reason);
    const char *copies = copies_advice(r, e);
    if (reason == COSY_NUMBER && domain_find(r->c, e->text, x, d)) {
        b.words = d->words;
        advice = d->advice;
    } else if (reason == COSY_NUMBER && copies != NULL) {
        advice = copies;
    }
    if (advice != NULL)
        snprintf(b.advice, sizeof b.advice, ": %s", advice);
    return b;
}

/* A row of the equations has failed, at the states x; NULL: the present ones.
   */
static Status row_failed(Run *r, CosyReason reason, const CosyEquation *e,
                         const real *x)
{
    const CosyModel *m = r->model;
    double t = (double)r->c->head->t;
    char values[VALUES_LENGTH], who[WHO_LENGTH];
    const char *name = e->variable < m->n_variables
                           ? m->variables[e->variable].name
                           : "an unknown";
    Domain d;
    Blame b = blame(r, reason, e, x, &d);
    values_of(r, e, values);
    who_failed(r, who);
    if (e->statement)
        return fault_set(&r->fault, reason_status(reason),
                         "%s:%u: time %.17g%s%s%s: the statement (%s) %s%s%s",
                         m->source, e->line, t, COSY_IN_TIME(r->model), who,
                         e->text, b.words, values, b.advice);
    return fault_set(&r->fault, reason_status(reason),
                     "%s:%u: time %.17g%s%s: the equation of %s (%s) %s%s%s",
                     m->source, e->line, t, COSY_IN_TIME(r->model), name,
                     e->text, b.words, values, b.advice);
}

/* A loop has failed at (t, x); false if it was none. */
static bool loop_failed(Run *r, CosyStatus status, real t, const real *x)
{
    Buffer text = {0};
    bool told = loop_explain(r, status, t, x, &text);
    if (told) {
        r->fault = (Fault){0}; // it says more than what the method knew
        fault_set(&r->fault, reason_status(COSY_REASON(status)), "%.1900s",
                  buffer_string(&text));
    }
    buffer_free(&text);
    return told;
}

/* Reports what the model may not do, with the statement that tried it. */
static Status tell_refusal(Run *r, uint32_t row, const char *body)
{
    const CosyModel *m = r->model;
    Cosy *c = r->c;
    Refusal *k = &r->instance.refused;
    bool known = row < m->n_equations;
    uint32_t line = known ? m->equations[row].line : refusal_line(c, k);
    Buffer b = {0};
    if (k->who == COSY_NONE && r->running != COSY_NONE &&
        cosy_is_there(cosy_transaction(c, r->running)))
        k->who = r->running;
    refusal_words(&b, c, k, body, known ? m->equations[row].text : NULL);
    c->host->message(c, COSY_ERROR, line, buffer_string(&b));
    fault_set(&r->fault, STATUS_USER, "%s:%u: %.400s", m->source, line,
              buffer_string(&b));
    buffer_free(&b);
    c->head->request = COSY_FINISH_RUN; // ends this run, not all
    return STATUS_USER;
}

/* A refusal has named what it is about; this shows the statement. */
static void tell_statement(Run *r, uint32_t row)
{
    const CosyModel *m = r->model;
    char text[200];
    if (row >= m->n_equations || !m->equations[row].statement ||
        r->c->head->request == COSY_STOP_ALL)
        return;
    snprintf(text, sizeof text, "the statement that was refused: %.150s",
             m->equations[row].text);
    r->c->host->message(r->c, COSY_NOTE, m->equations[row].line, text);
}

Status run_body_failed(Run *r, CosyStatus status, const char *what)
{
    const CosyModel *m = r->model;
    CosyReason reason = COSY_REASON(status);
    uint32_t k = COSY_WHERE(status);
    double t = (double)r->c->head->t;
    if (r->instance.refused.kept)
        return tell_refusal(r, k, what);
    if (reason == COSY_REFUSED && r->c->head->request == COSY_STOP_ALL)
        return fault_set(&r->fault, STATUS_USER, "time %.17g%s%s: ERROREXIT %d",
                         t, COSY_IN_TIME(r->model), r->c->head->error_code);
    if (reason == COSY_REFUSED) {
        tell_statement(r, k);
        return fault_set(&r->fault, STATUS_USER,
                         "time %.17g%s%s: %s was refused", t,
                         COSY_IN_TIME(r->model), what);
    }
    if (reason == COSY_NUMBER)
        TRY(history_check(&r->history, r->c->head->t, r->c->x));
    if (loop_failed(r, status, r->c->head->t, r->c->x))
        return reason_status(reason);
    if (k < m->n_equations)
        return row_failed(r, reason, &m->equations[k], NULL);
    return fault_set(&r->fault, reason_status(reason),
                     "%s: time %.17g%s%s: %s %s", m->source, t,
                     COSY_IN_TIME(r->model), what, reason_words(reason));
}

Status run_event_failed(Run *r, CosyStatus status, const char *name,
                        uint32_t line)
{
    CosyReason reason = COSY_REASON(status);
    if (reason == COSY_REFUSED || COSY_WHERE(status) < r->model->n_equations)
        return run_body_failed(r, status, name);
    return fault_set(&r->fault, reason_status(reason),
                     "%s:%u: time %.17g%s%s: %s %s", r->model->source, line,
                     (double)r->c->head->t, COSY_IN_TIME(r->model), name,
                     reason_words(reason));
}

Status run_condition_failed(Run *r, Status status, real t)
{
    const char *what =
        status == STATUS_NUMBER ? "is not finite" : "cannot be located in time";
    const Watch *w = &r->watch;
    const CosyModel *m = r->model;
    if (w->cause != COSY_OK)
        return run_body_failed(r, w->cause, "a state condition");
    if (w->bad >= m->n_conditions_info)
        return fault_set(&r->fault, status,
                         "%s: time %.17g%s%s: a state condition %s", m->source,
                         (double)t, COSY_IN_TIME(r->model), what);
    const CosyConditionInfo *info = &m->conditions_info[w->bad];
    return fault_set(&r->fault, status,
                     "%s:%u: time %.17g%s%s: the condition %s %s", m->source,
                     info->line, (double)t, COSY_IN_TIME(r->model), info->name,
                     what);
}

/* The equation for which no step could be made. */
static const CosyEquation *step_equation(const Run *r)
{
    const CosyModel *m = r->model;
    const Solver *s = &r->solver;
    uint32_t k = COSY_WHERE(s->cause);
    if (s->culprit < m->n_state_equations)
        k = m->state_equation[s->culprit];
    else if (s->cause == COSY_OK)
        k = COSY_NONE;
    return k < m->n_equations ? &m->equations[k] : NULL;
}

/* Derivatives at the end of the last step; methods from libraries do not keep
   them. */
static const real *slopes_here(Run *r)
{
    const Solver *s = &r->solver;
    const CosyModel *m = r->model;
    bool found =
        m->derivatives && m->derivatives(r->c, s->t, s->x, r->dx) == COSY_OK;
    return found ? r->dx : s->dx;
}

/* The first equation that fails beyond the present point, along the
   derivatives: a step says only which state it could not find. */
static bool bad_ahead(Run *r, CosyStatus *bad, real *t)
{
    const Solver *s = &r->solver;
    Cosy *c = r->c;
    real span = cosy_abs(r->options.to - r->options.from);
    real most = R(1e-3) * cosy_min(span, R(1.0) + cosy_abs(s->t));
    real way = R(4.0) * COSY_EPSILON * cosy_abs(s->t);
    *bad = COSY_OK;
    if (!r->model->outputs || s->n != c->head->states)
        return false;
    const real *dx = slopes_here(r);
    for (way = cosy_max(way, R(1e-16) * most); way <= most; way *= R(4.0)) {
        real part = way * (real)r->direction;
        for (uint32_t i = 0; i < s->n; i++)
            r->point[i] = s->x[i] + part * dx[i];
        *t = s->t + part;
        *bad = r->model->outputs(c, *t, r->point);
        if (*bad != COSY_OK)
            break;
    }
    return *bad != COSY_OK && COSY_WHERE(*bad) < r->model->n_equations;
}

/* ---- A run that gets nowhere --------------------------------------------- */

/* What holds a run up, why, and the way out. */
typedef struct Holder {
    uint32_t line; // 0: not known
    char who[300];
    const char *way_out;
} Holder;

/* A condition at which every step ends. */
static void held_by_condition(const Run *r, uint32_t condition, Holder *h)
{
    const CosyConditionInfo *info = &r->model->conditions_info[condition];
    h->line = info->line;
    snprintf(h->who, sizeof h->who,
             "the condition %.100s is crossed again at every step", info->name);
    h->way_out = "give it a hysteresis, or make sure that what it switches "
                 "leads away from its threshold";
}

/* The edge of a domain that the solution approaches. */
static bool held_by_domain(Run *r, Holder *h)
{
    CosyStatus bad;
    Domain d;
    real t;
    if (!bad_ahead(r, &bad, &t) || COSY_REASON(bad) != COSY_NUMBER)
        return false;
    const CosyEquation *e = &r->model->equations[COSY_WHERE(bad)];
    bool known = domain_find(r->c, e->text, r->point, &d);
    h->line = e->line;
    snprintf(h->who, sizeof h->who,
             "the solution approaches a point where (%.120s) %s", e->text,
             known ? d.words : reason_words(COSY_NUMBER));
    h->way_out = known ? d.advice : reason_advice(COSY_NUMBER);
    return true;
}

static bool below_rounding(const Solver *s, uint32_t i)
{
    real largest = cosy_max(s->size[i], cosy_abs(s->x[i]));
    real allowed = s->abserr[i] + s->options.relerr * cosy_abs(s->x[i]);
    return allowed < R(100.0) * COSY_EPSILON * largest;
}

static const char *accuracy_way_out(const Solver *s, uint32_t i)
{
    if (below_rounding(s, i))
        return "RELERR and ABSERR allow it less than its rounding errors: make "
               "ABSERR larger, or use a higher PRECISION";
    if (s->stiffness == SOLVER_WARNED)
        return "the model is stiff: use METHOD AUTO or RADAU";
    return "check whether its equation jumps or is steep there (ABS, roots, "
           "logarithms, quotients of something small); otherwise try a larger "
           "RELERR or ABSERR, or another METHOD";
}

static void held_by_error(const Run *r, uint32_t i, Holder *h)
{
    const Solver *s = &r->solver;
    const CosyEquation *e = solver_equation(s, i);
    char name[96];
    assert(i < s->n);
    solver_state_name(s, i, name, sizeof name);
    h->line = e ? e->line : 0;
    snprintf(h->who, sizeof h->who,
             "the error of %s%s%.150s%s keeps the steps short, %s = %.9g", name,
             e ? " (" : "", e ? e->text : "", e ? ")" : "", name,
             (double)s->x[i]);
    h->way_out = accuracy_way_out(s, i);
}

static void find_holder(Run *r, const StallReport *s, Holder *h)
{
    *h = (Holder){.who = "nothing in particular",
                  .way_out = "try another METHOD, or a larger RELERR or "
                             "ABSERR"};
    if (s->condition < r->model->n_conditions_info)
        held_by_condition(r, s->condition, h);
    else if (!held_by_domain(r, h) && s->culprit < r->solver.n)
        held_by_error(r, s->culprit, h);
    else if (s->outside && h->line == 0)
        h->way_out = reason_advice(COSY_NUMBER);
}

static uint32_t finish_line(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_conditions_info; k++)
        if (m->conditions_info[k].kind == COSY_FINISH)
            return m->conditions_info[k].line;
    return 0;
}

/* TO FINISH, and nothing leads there. */
static Status finish_out_of_reach(Run *r, const StallReport *s, const Holder *h)
{
    char place[220] = "";
    uint32_t line = finish_line(r->model);
    bool rests = s->wanted || s->culprit >= r->solver.n;
    if (line)
        snprintf(place, sizeof place, "%.200s:%u: ", r->model->source, line);
    return fault_set(
        &r->fault, STATUS_LIMIT,
        "%stime %.17g: FINISH is not reached, and nothing leads there: in the "
        "last %llu steps, now of %.2g each, no event has happened and no state "
        "has moved by more than its absolute error. Check whether FINISH can "
        "come true, or give the run an end with TO%s%s%s%s",
        place, (double)r->c->head->t, (unsigned long long)s->steps,
        (double)s->step,
        rests ? "" : ". What keeps the steps so short: ", rests ? "" : h->who,
        rests ? "" : ": ", rests ? "" : h->way_out);
}

Status run_stalled(Run *r, const StallReport *s)
{
    char place[220] = "";
    Holder h;
    find_holder(r, s, &h);
    if (!(s->rest > R(0.0)))
        return finish_out_of_reach(r, s, &h);
    if (h.line)
        snprintf(place, sizeof place, "%.200s:%u: ", r->model->source, h.line);
    return fault_set(
        &r->fault, STATUS_LIMIT,
        "%stime %.17g: the run is getting nowhere: the last %llu steps have "
        "covered only %.2g of TIME, they are now %.2g long, and the rest would "
        "take %.1e more. What holds it up: %s: %s",
        place, (double)r->c->head->t, (unsigned long long)s->steps,
        (double)s->advance, (double)s->step, (double)s->rest, h.who, h.way_out);
}

Status run_step_failed(Run *r, Status status)
{
    const CosyModel *m = r->model;
    Fault *f = &r->fault;
    char solver[FAULT_LENGTH], values[VALUES_LENGTH] = "";
    CosyStatus bad;
    real t;
    bool known = bad_ahead(r, &bad, &t);
    if (known && loop_failed(r, bad, t, r->point))
        return status;
    if (status == STATUS_NUMBER && known && COSY_REASON(bad) == COSY_NUMBER) {
        *f = (Fault){0};
        return row_failed(r, COSY_NUMBER, &m->equations[COSY_WHERE(bad)],
                          r->point);
    }
    const CosyEquation *e = step_equation(r);
    if (e == NULL)
        return status;
    if (status == STATUS_NUMBER)
        values_of(r, e, values);
    memcpy(solver, f->text, sizeof solver);
    snprintf(f->text, sizeof f->text, "%.100s:%u: %.300s%.100s", m->source,
             e->line, solver, values);
    return status;
}
