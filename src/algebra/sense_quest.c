#include "algebra/sensing.h"
#include "base/method_facts.h"

/* Searches that use derivatives of their results: which of them can, and what these
   derivatives are. Where one cannot, it compares values of trials, and nothing is
   carried along for it. */

/* No more STATEs than this are added for a search: larger models take long to
   translate. */
enum { MOST_STATES = 4000 };

/* ---- What a search cannot use ---------------------------------------------------------- */

static bool is_known(void *user, const Expr *e)
{
    (void)user;
    return e->op != EXPR_MEAN && e->op != EXPR_SDEV && e->op != EXPR_SENSED;
}

static bool known(const Sensing *s, const Expr *e)
{
    return !e || expr_visit(s->m, e, is_known, NULL);
}

static bool all_known(const Sensing *s, const Statement *k)
{
    for (uint32_t i = 0; k->list && i < k->n; i++)
        if (!known(s, k->list[i]))
            return false;
    return known(s, k->a) && known(s, k->b) && known(s, k->c);
}

static bool names_parameter(const Sensing *s, const Expr *e)
{
    return e && e->op == EXPR_VARIABLE &&
           e->which == model_sense(s->m, s->sense)->variable;
}

bool sensing_writes(const Sensing *s, const Statement *k)
{
    uint32_t parameter = model_sense(s->m, s->sense)->variable;
    for (uint32_t i = 0; k->kind == STATEMENT_CALL && i < k->n; i++)
        if (names_parameter(s, k->list[i]))
            return true;
    return names_parameter(s, k->target) ||
           ((k->kind == STATEMENT_SETTING || k->kind == STATEMENT_SWEEP) &&
            k->which == parameter);
}

/* A run whose end is given does not tell by how much its values change where that end
   moves; what an inner search finds is held. */
static bool is_plain(Sensing *s, const Statement *k)
{
    switch (k->kind) {
    case STATEMENT_SEARCH:
    case STATEMENT_UNCERTAIN:
    case STATEMENT_STEADYSTATE:
    case STATEMENT_LINEARIZE:
    case STATEMENT_CCODE: return false;
    case STATEMENT_SIMULATE:
        if (sensing_depends(s, k->b))
            return false;
        break;
    default: break;
    }
    return all_known(s, k) && !sensing_writes(s, k);
}

static bool body_plain(Sensing *s, const Code *code)
{
    for (const Statement *k = code->first; k; k = k->next) {
        if (!is_plain(s, k) || !body_plain(s, &k->body) ||
            !body_plain(s, &k->other))
            return false;
        for (uint32_t i = 0; k->kind == STATEMENT_CASE && i < k->n; i++)
            if (!body_plain(s, &k->arm[i].code))
                return false;
    }
    return true;
}

static const Expr *result(const Statement *k, uint32_t r)
{
    return k->list[4 * (size_t)k->quest->n + r];
}

static bool results_plain(Sensing *s, const Statement *k)
{
    for (uint32_t r = 0; r < k->quest->results; r++)
        if (!known(s, result(k, r)) || !sensing_computes(s, result(k, r)))
            return false;
    return true;
}

static bool small_enough(const Sensing *s, const Quest *q)
{
    uint64_t states = 0;
    for (uint32_t k = 0; k < s->variables; k++) {
        const Variable *v = model_variable(s->m, k);
        if (v->kind == VARIABLE_STATE && s->value[k])
            states += v->elements;
    }
    return states * q->n <= MOST_STATES;
}

/* ---- All searches ---------------------------------------------------------------------- */

typedef void (*EachQuest)(void *user, Statement *k);

/* Calls `each` for all searches, the inner ones after those around them. */
static void each_quest(const Code *code, EachQuest each, void *user)
{
    for (Statement *k = code->first; k; k = k->next) {
        if (k->kind == STATEMENT_SEARCH)
            each(user, k);
        each_quest(&k->body, each, user);
        each_quest(&k->other, each, user);
        for (uint32_t i = 0; k->kind == STATEMENT_CASE && i < k->n; i++)
            each_quest(&k->arm[i].code, each, user);
    }
}

static bool uses(const Quest *q, uint32_t sense)
{
    for (uint32_t i = 0; q->by && i < q->n; i++)
        if (q->by[i] == sense)
            return true;
    return false;
}

static void drop(void *user, Statement *k)
{
    (void)user;
    k->quest->by = NULL;
}

static void check_quest(void *user, Statement *k)
{
    Sensing *s = user;
    Quest *q = k->quest;
    if (!uses(q, s->sense))
        return;
    s->here = s->timed;
    if (s->refused || s->written || !small_enough(s, q) ||
        !body_plain(s, &k->body) || !results_plain(s, k))
        q->by = NULL;
}

void sensing_check_quests(Sensing *s)
{
    each_quest(&s->m->experiment, check_quest, s);
}

/* Trials of a search within a search are too many to carry anything along. */
static void drop_inner(void *user, Statement *k)
{
    each_quest(&k->body, drop, user);
}

typedef struct Census {
    Model *m;
    bool *used;
    uint32_t *number; // after those that nobody uses have gone
} Census;

static void count_used(void *user, Statement *k)
{
    const Census *c = user;
    for (uint32_t i = 0; k->quest->by && i < k->quest->n; i++)
        c->used[k->quest->by[i]] = true;
}

static void renumber(void *user, Statement *k)
{
    const Census *c = user;
    for (uint32_t i = 0; k->quest->by && i < k->quest->n; i++)
        k->quest->by[i] = c->number[k->quest->by[i]];
}

static void forget_unused(const Census *c)
{
    Model *m = c->m;
    uint32_t kept = 0, n = model_senses(m);
    for (uint32_t k = 0; k < n; k++) {
        const Sense *s = model_sense(m, k);
        c->number[k] = kept;
        if (s->asked || s->fitted || c->used[k])
            *model_sense(m, kept++) = *s;
    }
    m->senses.used = kept * sizeof(Sense);
    for (uint32_t k = 0; k < model_senseds(m); k++)
        model_sensed(m, k)->sense = c->number[model_sensed(m, k)->sense];
    each_quest(&m->experiment, renumber, (void *)(uintptr_t)c);
}

void quests_settle(Model *m)
{
    uint32_t n = model_senses(m);
    Census c = {.m = m,
                .used = MODEL_ARRAY(m, bool, n + 1),
                .number = MODEL_ARRAY(m, uint32_t, n + 1)};
    if (m->broken)
        return;
    each_quest(&m->experiment, count_used, &c);
    forget_unused(&c);
}

/* AUTO may turn to an implicit method. */
static bool is_explicit(const char *name)
{
    const MethodFacts *f = method_facts_find(name);
    return f && !f->chooses && !f->implicit;
}

/* Methods that INTEGRAT names. */
typedef struct Methods {
    bool any, implicit;
} Methods;

static void look_at_methods(const Code *code, Methods *found)
{
    for (const Statement *k = code->first; k; k = k->next) {
        if (k->kind == STATEMENT_INTEGRAT && k->text) {
            found->any = true;
            found->implicit = found->implicit || !is_explicit(k->text);
        }
        look_at_methods(&k->body, found);
        look_at_methods(&k->other, found);
        for (uint32_t i = 0; k->kind == STATEMENT_CASE && i < k->n; i++)
            look_at_methods(&k->arm[i].code, found);
    }
}

/* All runs of the program carry along what a search uses. With an explicit method that
   costs some two fifths of a run for each parameter, far less than the trials that it
   saves; with an implicit one, or one that AUTO may take, it costs more than they do
   (bench/gradients). */
static bool are_cheap(const Model *m)
{
    Methods found = {0};
    look_at_methods(&m->experiment, &found);
    return found.any && !found.implicit;
}

void quests_begin(Model *m)
{
    each_quest(&m->experiment, are_cheap(m) ? drop_inner : drop, NULL);
}

typedef struct Wish {
    uint32_t sense;
    bool found;
} Wish;

static void look_for(void *user, Statement *k)
{
    Wish *w = user;
    w->found = w->found || uses(k->quest, w->sense);
}

bool quests_use(const Model *m, uint32_t sense)
{
    Wish w = {.sense = sense};
    each_quest(&m->experiment, look_for, &w);
    return w.found;
}

/* ---- Derivatives of results -------------------------------------------------------------- */

/* Room for the derivatives at the end of the list. */
static const Expr **longer_list(Model *m, Statement *k)
{
    const Quest *q = k->quest;
    uint32_t more = q->results * q->n;
    const Expr **list = MODEL_ARRAY(m, const Expr *, k->n + more);
    if (!list)
        return NULL;
    for (uint32_t i = 0; i < k->n; i++)
        list[i] = k->list[i];
    k->list = list;
    k->n += more;
    return list + k->n - more;
}

static bool all_there(const Expr *const *slope, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!slope[k])
            return false;
    return true;
}

void sensing_extend_quest(Sensing *s, Statement *k)
{
    Quest *q = k->quest;
    size_t all = (size_t)q->results * q->n;
    if (!uses(q, s->sense))
        return;
    const Expr **slope = q->listed
                             ? (const Expr **)(uintptr_t)k->list + k->n - all
                             : longer_list(s->m, k);
    q->listed = true;
    for (uint32_t r = 0; slope && r < q->results; r++)
        for (uint32_t i = 0; i < q->n; i++)
            if (q->by[i] == s->sense)
                slope[r * q->n + i] = sensing_derivative(s, result(k, r));
    q->slopes = slope && all_there(slope, all);
}
