#include <string.h>

#include "algebra/sensing.h"

/* Procedural code and derivatives by a parameter: what bodies make depend on it, what has
   no derivative, and the statements that compute Companions. */

typedef enum Purpose { TO_FOLLOW, TO_CHECK, TO_EXTEND } Purpose;

typedef struct Coding {
    Sensing *s;
    Purpose purpose;
    uint32_t
        *starts;     // for each StartCondition: that of the Companions, or NONE
    bool experiment; // the present code is that of the EXPERIMENT
} Coding;

static bool carries(const Variable *v)
{
    return v->kind == VARIABLE_STATE || v->kind == VARIABLE_DISCRETE ||
           v->kind == VARIABLE_DSTATE || v->kind == VARIABLE_LOCAL;
}

static void mark(Sensing *s, uint32_t variable)
{
    if (variable >= s->variables ||
        model_variable(s->m, variable)->type != EXPR_TYPE_REAL ||
        !carries(model_variable(s->m, variable)))
        return;
    s->changed = s->changed || !s->value[variable];
    s->value[variable] = true;
    if (model_variable(s->m, variable)->kind == VARIABLE_STATE)
        s->rate[variable] = true;
}

/* ---- What depends on it --------------------------------------------------------------- */

static void follow_statement(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    switch (k->kind) {
    case STATEMENT_ASSIGN:
        if (k->target->op == EXPR_VARIABLE && sensing_depends(s, k->a))
            mark(s, k->target->which);
        break;
    case STATEMENT_CREATE:
        for (uint32_t i = 0; i < k->n; i++)
            if (sensing_depends(s, k->list[i]))
                mark(s, k->names[i]);
        break;
    case STATEMENT_SETTING:
        for (const Statement *e = k->body.first; e; e = e->next)
            if (sensing_depends(s, e->a) || sensing_depends(s, e->c))
                mark(s, k->which);
        break;
    case STATEMENT_SCHEDULE:
        if (!s->time_event[k->which] && sensing_depends(s, k->b))
            s->time_event[k->which] = s->changed = s->timed = true;
        break;
    default: break;
    }
}

/* ---- What has no derivative ----------------------------------------------------------- */

static bool calls_nothing(void *user, const Expr *e)
{
    Sensing *s = user;
    if (e->op != EXPR_CALL)
        return true;
    bool depends = s->routine[e->which];
    for (uint32_t k = 0; k < e->count; k++)
        depends = depends || sensing_depends(s, e->arg[k]);
    return !depends;
}

static bool draws_nothing(void *user, const Expr *e)
{
    (void)user;
    return e->op != EXPR_DRAW;
}

/* A derivative that reads what is drawn would draw again. */
static bool draws_again(Sensing *s, const Expr *e)
{
    if (e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_NEG) {
        bool any = false;
        for (uint32_t k = 0; k < e->count; k++)
            any = any || draws_again(s, e->arg[k]);
        return any;
    }
    return !expr_visit(s->m, e, draws_nothing, s) && sensing_depends(s, e);
}

bool sensing_computes(Sensing *s, const Expr *value)
{
    return expr_visit(s->m, value, calls_nothing, s) && !draws_again(s, value);
}

static void check_value(Sensing *s, const Statement *k, const Expr *value)
{
    if (!value)
        return;
    if (!expr_visit(s->m, value, calls_nothing, s))
        sensing_refuse(s, k->at,
                       "a FUNCTION that is called in procedural code depends "
                       "on it here, and its derivative is not known: write its "
                       "expression here, or make it an ALGEBR with an "
                       "equation");
    if (draws_again(s, value))
        sensing_refuse(s, k->at,
                       "what is drawn at random meets what depends on it here: "
                       "draw it first, in an assignment of its own (Z := R), "
                       "and use Z");
}

static void check_values(Sensing *s, const Statement *k)
{
    switch (k->kind) {
    case STATEMENT_SETTING:
        for (const Statement *e = k->body.first; e; e = e->next) {
            check_value(s, k, e->a);
            check_value(s, k, e->c);
        }
        break;
    case STATEMENT_START:
        if (k->which >= s->starts)
            break;
        check_value(s, k, model_start(s->m, k->which)->left);
        check_value(s, k, model_start(s->m, k->which)->right);
        break;
    case STATEMENT_CREATE:
        for (uint32_t i = 0; i < k->n; i++)
            check_value(s, k, k->list[i]);
        break;
    case STATEMENT_SCHEDULE: check_value(s, k, k->b); break;
    default: break;
    }
}

static void check_assignment(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    if (k->target->type != EXPR_TYPE_REAL || !sensing_depends(s, k->a))
        return;
    if (k->target->op == EXPR_VARIABLE &&
        carries(model_variable(s->m, k->target->which))) {
        check_value(s, k, k->a);
        return;
    }
    sensing_refuse(
        s, k->at,
        "what depends on it is assigned to %s here, which carries no "
        "derivative",
        k->target->op == EXPR_VARIABLE
            ? model_variable(s->m, k->target->which)->name
            : "an attribute of an entry or a transaction");
}

static void check_list(Sensing *s, const Statement *k, const char *what)
{
    for (uint32_t i = 0; k->list && i < k->n; i++)
        if (sensing_depends(s, k->list[i])) {
            sensing_refuse(s, k->at,
                           "what depends on it is given to %s here, which "
                           "carries no derivative",
                           what);
            return;
        }
}

/* Times at which transactions go on carry no derivatives. */
static void check_time(Sensing *s, const Statement *k, const Expr *time)
{
    if (sensing_depends(s, time) || s->here)
        sensing_refuse(s, k->at,
                       "the time at which a transaction goes on depends on it, "
                       "and processes do not carry derivatives yet: use a time "
                       "event");
}

static void check_statement(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    check_values(s, k);
    s->written = s->written || (!c->experiment && sensing_writes(s, k)) ||
                 (!c->experiment && k->kind == STATEMENT_CCODE);
    switch (k->kind) {
    case STATEMENT_ASSIGN: check_assignment(c, k); break;
    case STATEMENT_SCHEDULE: check_list(s, k, "an event"); break;
    case STATEMENT_GENERATE:
        check_time(s, k, k->b);
        check_list(s, k, "a transaction");
        break;
    case STATEMENT_ADVANCE: check_time(s, k, k->a); break;
    case STATEMENT_INSERT: check_list(s, k, "an entry of a FILE"); break;
    case STATEMENT_SPLIT: check_list(s, k, "a transaction"); break;
    case STATEMENT_CALL: check_list(s, k, "a PROCEDURE"); break;
    case STATEMENT_SIMULATE:
        if (sensing_depends(s, k->a))
            sensing_refuse(s, k->at, "the start of the run depends on it");
        break;
    case STATEMENT_SWEEP:
        for (const Statement *e = k->body.first; e; e = e->next)
            if (sensing_depends(s, e->a) || sensing_depends(s, e->b))
                sensing_refuse(s, k->at, "a SWEEP depends on it");
        break;
    case STATEMENT_UNCERTAIN:
        for (uint32_t i = 0; i < k->n; i++)
            if (sensing_depends(s, k->list[i]))
                sensing_refuse(s, k->at,
                               "the distribution of an uncertain parameter "
                               "depends on it");
        break;
    case STATEMENT_RANDOMGEN:
        for (uint32_t i = 0; i < 3; i++)
            if (sensing_depends(s,
                                model_generator(s->m, k->which)->parameter[i]))
                sensing_refuse(s, k->at,
                               "what is drawn at random depends on it");
        break;
    default: break;
    }
}

/* ---- More statements ------------------------------------------------------------------- */

/* A statement like k, which the caller links and fills. */
static Statement *another(Coding *c, const Statement *k, StatementKind kind)
{
    Code code = {0};
    Statement *own = code_add(c->s->m, &code, kind, k->at, k->line);
    own->row = k->row;
    own->which = k->which;
    own->flags = k->flags;
    return own;
}

static Statement *assignment(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    const Expr *t = k->target;
    if (t->op != EXPR_VARIABLE || t->which >= s->variables ||
        s->own[t->which] == NONE)
        return NULL;
    Statement *own = another(c, k, STATEMENT_ASSIGN);
    own->target = expr_variable(s->m, s->own[t->which], t->arg, t->count);
    own->a = sensing_derivative(s, k->a);
    return own;
}

static void extend_creation(Coding *c, Statement *k)
{
    Sensing *s = c->s;
    Model *m = s->m;
    uint32_t n = k->n;
    uint32_t *names = MODEL_ARRAY(m, uint32_t, 2 * n + 1);
    const Expr **list = MODEL_ARRAY(m, const Expr *, 2 * n + 1);
    for (uint32_t i = 0; names && list && i < k->n; i++) {
        names[i] = k->names[i];
        list[i] = k->list[i];
        if (names[i] >= s->variables || s->own[names[i]] == NONE)
            continue;
        names[n] = s->own[names[i]];
        list[n++] = sensing_derivative(s, list[i]);
    }
    if (m->broken)
        return;
    k->names = names;
    k->list = list;
    k->n = n;
}

/* An attribute of the event's records for the derivative of their time. */
static uint32_t time_attribute(Sensing *s, uint32_t event)
{
    Model *m = s->m;
    Event *ev = model_time_event(m, event);
    const char *name = model_format(m, "dEVTIME/d%u", s->sense);
    if (!ev->slope) {
        ev->slope = MODEL_ARRAY(m, uint32_t, model_senses(m));
        for (uint32_t k = 0; ev->slope && k < model_senses(m); k++)
            ev->slope[k] = NONE;
    }
    if (!ev->slope || ev->slope[s->sense] != NONE)
        return ev->slope ? ev->slope[s->sense] : NONE;
    if (ev->record == NONE) {
        Record own = {.name = ev->name, .c_name = model_c_name(m, ev->name)};
        ev->record = model_add_record(m, &own);
    }
    uint32_t a = model_add_hidden(m, VARIABLE_ATTRIBUTE, EXPR_TYPE_REAL, name,
                                  ev->at, ev->line);
    Record *r = model_record(m, ev->record);
    uint32_t *all = MODEL_ARRAY(m, uint32_t, r->attributes + 1);
    if (!all)
        return NONE;
    if (r->attributes)
        memcpy(all, r->attribute, r->attributes * sizeof *all);
    all[r->attributes++] = a;
    r->attribute = all;
    model_variable(m, a)->record = ev->record;
    return ev->slope[s->sense] = a;
}

/* The event takes the derivative of its time along. */
static void extend_schedule(Coding *c, Statement *k)
{
    Sensing *s = c->s;
    Model *m = s->m;
    if (!s->time_event[k->which])
        return;
    uint32_t *names = MODEL_ARRAY(m, uint32_t, k->n + 1);
    const Expr **list = MODEL_ARRAY(m, const Expr *, k->n + 1);
    uint32_t a = time_attribute(s, k->which);
    if (!names || !list || a == NONE)
        return;
    for (uint32_t i = 0; i < k->n; i++) {
        names[i] = k->names[i];
        list[i] = k->list[i];
    }
    names[k->n] = a;
    list[k->n] = sensing_derivative(s, k->b);
    k->names = names;
    k->list = list;
    k->n++;
}

/* The Companion of what a PARAMETER or INITCOND sets, or NONE. What they set holds with
   a derivative of 0, too, where the value itself does not depend on the parameter. */
static uint32_t set_companion(Sensing *s, const Statement *k)
{
    Model *m = s->m;
    if (k->which >= s->variables ||
        (k->flags & (SETTING_GUESS | SETTING_TIMEPERS)))
        return NONE;
    const Variable *v = model_variable(m, k->which);
    if (s->own[k->which] != NONE)
        return s->own[k->which];
    if (v->kind != VARIABLE_ALGEBR || !s->value[k->which])
        return NONE;
    const Expr *index[2] = {expr_integer(m, v->low[0]),
                            expr_integer(m, v->low[1])};
    return moving_variable(&s->g, expr_variable(m, k->which, index, v->rank))
        ->which;
}

static Statement *setting(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    uint32_t companion = set_companion(s, k);
    if (companion == NONE)
        return NULL;
    Statement *own = another(c, k, STATEMENT_SETTING);
    model_variable(s->m, companion)->started = true;
    own->which = companion;
    own->a = k->a;
    bool depends = false;
    for (const Statement *e = k->body.first; e; e = e->next)
        depends =
            depends || sensing_depends(s, e->a) || sensing_depends(s, e->c);
    for (const Statement *e = k->body.first; e; e = e->next) {
        if (e != k->body.first && !depends)
            break; // 0 is repeated
        Statement *element =
            code_add(s->m, &own->body, STATEMENT_ELEMENT, e->at, e->line);
        element->a = sensing_derivative(s, e->a);
        element->b = e->b;
        element->c = sensing_derivative(s, e->c);
    }
    return own;
}

static Statement *start_condition(Coding *c, const Statement *k)
{
    Sensing *s = c->s;
    Model *m = s->m;
    if (k->which >= s->starts)
        return NULL;
    if (c->starts[k->which] == NONE) {
        StartCondition own = *model_start(m, k->which);
        own.left = sensing_derivative(s, own.left);
        own.right = sensing_derivative(s, own.right);
        c->starts[k->which] = model_add_start(m, &own);
    }
    Statement *own = another(c, k, STATEMENT_START);
    own->which = c->starts[k->which];
    return own;
}

/* dP/dQ = 0 from here on, where values of P come from elsewhere: P = (...), for an
   element of an array, or for all. */
static Statement *hold(Coding *c, const Statement *k, uint32_t variable,
                       const Expr *position)
{
    Sensing *s = c->s;
    if (variable >= s->variables || s->own[variable] == NONE)
        return NULL;
    Statement *own = another(c, k, STATEMENT_SETTING);
    own->which = s->own[variable];
    own->flags = 0;
    own->a = position;
    model_variable(s->m, own->which)->started = true;
    Statement *element =
        code_add(s->m, &own->body, STATEMENT_ELEMENT, k->at, k->line);
    element->a = expr_number(s->m, "0.0");
    return own;
}

static const Expr *element_at(Sensing *s, uint32_t variable,
                              const Expr *position)
{
    Model *m = s->m;
    const Variable *v = model_variable(m, variable);
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    const Expr *index[2];
    if (v->rank == 1)
        index[0] = expr_2(m, EXPR_ADD, position, expr_integer(m, v->low[0]));
    if (v->rank == 2) {
        const Expr *wide = expr_integer(m, columns);
        index[0] = expr_2(m, EXPR_ADD, expr_2(m, EXPR_IDIV, position, wide),
                          expr_integer(m, v->low[0]));
        index[1] = expr_2(m, EXPR_ADD, expr_2(m, EXPR_MOD, position, wide),
                          expr_integer(m, v->low[1]));
    }
    return expr_variable(m, variable, index, v->rank);
}

/* The same once, before a search; what it finds is not known to depend on anything. */
static Statement *forget(Coding *c, const Statement *k, uint32_t variable,
                         const Expr *position)
{
    Sensing *s = c->s;
    if (variable >= s->variables || s->own[variable] == NONE)
        return NULL;
    Statement *own = another(c, k, STATEMENT_ASSIGN);
    own->flags = 0;
    own->target = element_at(s, s->own[variable], position);
    own->a = expr_number(s->m, "0.0");
    return own;
}

static Statement *vary(Coding *c, const Statement *k)
{
    Statement *all = NULL;
    bool search = k->kind == STATEMENT_SEARCH;
    uint32_t n = search ? k->quest->n : k->sampling->n;
    const uint32_t *of = search ? k->quest->variable : k->sampling->variable;
    for (uint32_t i = n; i-- > 0;) {
        Statement *own = search ? forget(c, k, of[i], k->list[i])
                                : hold(c, k, of[i], k->list[2 + 4 * i]);
        if (!own)
            continue;
        own->next = all;
        all = own;
    }
    return all;
}

/* The statements that go before k, or NULL. */
static Statement *extend_statement(Coding *c, Statement *k)
{
    switch (k->kind) {
    case STATEMENT_SWEEP: return hold(c, k, k->which, k->a);
    case STATEMENT_SEARCH: sensing_extend_quest(c->s, k); return vary(c, k);
    case STATEMENT_UNCERTAIN: return vary(c, k);
    case STATEMENT_ASSIGN: return assignment(c, k);
    case STATEMENT_SETTING: return setting(c, k);
    case STATEMENT_START: return start_condition(c, k);
    case STATEMENT_CREATE: extend_creation(c, k); return NULL;
    case STATEMENT_SCHEDULE: extend_schedule(c, k); return NULL;
    default: return NULL;
    }
}

/* ---- All code ----------------------------------------------------------------------------- */

static void code(Coding *c, Code *list);

static void inside(Coding *c, Statement *k)
{
    if (k->kind == STATEMENT_SETTING || k->kind == STATEMENT_SWEEP)
        return;
    code(c, &k->body);
    code(c, &k->other);
    for (uint32_t i = 0; k->kind == STATEMENT_CASE && i < k->n; i++)
        code(c, (Code *)(uintptr_t)&k->arm[i].code);
}

static void code(Coding *c, Code *list)
{
    Statement **link = &list->first;
    for (Statement *k = list->first; k && !c->s->m->broken; k = k->next) {
        Statement *before = NULL;
        switch (c->purpose) {
        case TO_FOLLOW: follow_statement(c, k); break;
        case TO_CHECK: check_statement(c, k); break;
        case TO_EXTEND: before = extend_statement(c, k); break;
        }
        if (before)
            *link = before;
        while (before && before->next)
            before = before->next;
        if (before)
            before->next = k;
        inside(c, k);
        link = &k->next;
    }
}

/* Code that is carried out at an instant whose time may depend on the parameter. */
static void code_at(Coding *c, Code *list, bool here)
{
    c->s->here = here;
    code(c, list);
}

static void all_code(Sensing *s, Purpose purpose)
{
    Model *m = s->m;
    Coding c = {.s = s, .purpose = purpose};
    c.starts = MODEL_ARRAY(m, uint32_t, s->starts + 1);
    for (uint32_t k = 0; c.starts && k < s->starts; k++)
        c.starts[k] = NONE;
    code_at(&c, &m->initial, false);
    code_at(&c, &m->communic, false);
    code_at(&c, &m->shown, false);
    code_at(&c, &m->terminal, s->timed);
    for (uint32_t k = 0; k < model_routines(m); k++)
        code_at(&c, &model_routine(m, k)->code, s->timed);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        code_at(&c, &model_state_event(m, k)->code, s->state_event[k]);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        code_at(&c, &model_time_event(m, k)->code, s->time_event[k]);
    for (uint32_t k = 0; k < model_clocks(m); k++)
        code_at(&c, &model_clock(m, k)->code, false);
    for (uint32_t k = 0; k < model_processes(m); k++)
        code_at(&c, &model_process(m, k)->code, s->process[k]);
    for (uint32_t k = 0; k < model_pools(m); k++) {
        code_at(&c, &model_pool(m, k)->initial, s->timed);
        code_at(&c, &model_pool(m, k)->terminal, s->timed);
    }
    c.experiment = true;
    code_at(&c, &m->experiment, s->timed);
    s->here = s->timed;
}

void sensing_follow_code(Sensing *s)
{
    all_code(s, TO_FOLLOW);
}

void sensing_check_code(Sensing *s)
{
    all_code(s, TO_CHECK);
}

void sensing_extend_code(Sensing *s)
{
    all_code(s, TO_EXTEND);
}
