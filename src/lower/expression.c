#include "lower/field.h"

#include "base/whole.h"

#include <inttypes.h>

/* Expressions and designators. The constructors of the Model convert INTEGER to
   REAL where both meet; what remains is the meaning of names. */

const Expr *lower_nothing(Lowerer *l, ExprType type)
{
    switch (type) {
    case EXPR_TYPE_INTEGER: return expr_integer(l->m, 1);
    case EXPR_TYPE_BOOLEAN: return expr_truth(l->m, false);
    default: return expr_number(l->m, "0.0");
    }
}

const Expr *lower_fit(Lowerer *l, const Expr *e, ExprType to)
{
    if (to == EXPR_TYPE_REAL && e->type == EXPR_TYPE_INTEGER)
        return expr_float(l->m, e);
    if (to == EXPR_TYPE_INTEGER && e->type == EXPR_TYPE_REAL)
        return expr_1(l->m, EXPR_ROUND, e);
    return e;
}

const Expr *lower_real(Lowerer *l, const Node *n, Place place)
{
    return lower_fit(l, lower_expression(l, n, place), EXPR_TYPE_REAL);
}

/* ---- Predefined names ------------------------------------------------------------ */

static uint32_t nneqd(Lowerer *l)
{
    Variable v = {.name = "NNEQD",
                  .kind = VARIABLE_DISCRETE,
                  .type = EXPR_TYPE_INTEGER,
                  .elements = 1,
                  .unit = "",
                  .rate_of = NONE,
                  .routine = NONE,
                  .record = NONE};
    if (l->m->nneqd != NONE)
        return l->m->nneqd;
    if (model_pools(l->m))
        diag_error(l->m->diags, l->unit->program->at,
                   "NNEQD has no meaning beside a CONTINUOUS PROCESS: the "
                   "number of equations follows the copies");
    v.c_name = model_c_name(l->m, v.name);
    v.at = l->unit->program->at;
    l->m->nneqd = model_add_variable(l->m, &v);
    return l->m->nneqd;
}

static const Expr *predefined(Lowerer *l, const Node *n, const Symbol *s)
{
    static const struct {
        const char *name;
        SystemValue value;
    } table[] = {{"TIME", SYSTEM_TIME},  {"PI", SYSTEM_PI},
                 {"INF", SYSTEM_INF},    {"TBEG", SYSTEM_TBEG},
                 {"TFIN", SYSTEM_TFIN},  {"RUN", SYSTEM_RUN},
                 {"DTFUL", SYSTEM_DTFUL}};
    static const struct {
        const char *name;
        SystemValue value;
    } running[] = {{"GENTIM", SYSTEM_GENTIM},
                   {"TRANSNBR", SYSTEM_TRANSNBR},
                   {"PRIORNBR", SYSTEM_PRIORNBR},
                   {"TIMEDOUT", SYSTEM_TIMEDOUT}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (name_same(s->name, table[k].name))
            return expr_system(l->m, table[k].value);
    for (size_t k = 0; k < LENGTH(running); k++)
        if (name_same(s->name, running[k].name))
            return lower_of_transaction(l, n, running[k].value);
    if (name_same(s->name, "NNEQD"))
        return expr_variable(l->m, nneqd(l), NULL, 0);
    refuse(l, n, s->name);
    return lower_nothing(l, lower_type(s->type));
}

/* ---- Elements ---------------------------------------------------------------------- */

const Node *designator_name(const Node *n)
{
    while (n->kind == NODE_INDEX || n->kind == NODE_SELECT ||
           n->kind == NODE_DERIVATIVE || n->kind == NODE_FIELD_AT)
        n = n->first;
    return n;
}

static void outside(Lowerer *l, const Node *n, const char *name, int64_t index,
                    int64_t low, int64_t high)
{
    LOWER_ERROR(l, n,
                "the index %" PRId64
                " is outside `%s`, which reaches from %" PRId64 " to %" PRId64,
                index, name, low, high);
}

/* Indices that are known, or that a loop runs through, must lie inside, unless
   a condition may keep them from being used. */
static void check_index(Lowerer *l, const Node *n, const char *name,
                        const Expr *e, int64_t low, int64_t high)
{
    uint32_t loop;
    int64_t offset, first, last;
    if (l->chosen > 0 || !expr_affine(e, &loop, &offset))
        return;
    first = last = offset;
    if (loop != NONE) {
        const Loop *around = model_loop(l->m, loop);
        if (around->high < around->low)
            return; // empty, or not known
        first = whole_reach(around->low, offset);
        last = whole_reach(around->high, offset);
    }
    if (first < low || first > high)
        outside(l, n, name, first, low, high);
    else if (last > high)
        outside(l, n, name, last, low, high);
}

/* Puts the indices of n, at most 2, into index[]; returns how many. */
uint32_t lower_indices(Lowerer *l, const Node *n, Place place, const char *name,
                       const int64_t *low, const int64_t *high,
                       const Expr **index)
{
    uint32_t k = 0;
    for (const Node *i = n->last->first; i && k < 2; i = i->next, k++) {
        index[k] =
            lower_fit(l, lower_expression(l, i, place), EXPR_TYPE_INTEGER);
        check_index(l, i, name, index[k], low[k], high[k]);
    }
    return k;
}

void lower_mark_read(Lowerer *l, uint32_t variable, Place place)
{
    Variable *v = model_variable(l->m, variable);
    if ((place == IN_CODE || place == IN_EXPERIMENT) &&
        (v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_LOGIC ||
         v->kind == VARIABLE_MEMORY))
        v->read_by_body = true;
}

/* ---- What names mean ----------------------------------------------------------------- */

/* The variable that a name stands for, including the one that holds the result
   of a FUNCTION in its own body. */
static uint32_t variable_of(Lowerer *l, const Symbol *s)
{
    const Meaning *meaning = meaning_of(l, s);
    if (meaning->kind == MEANS_VARIABLE)
        return meaning->number;
    if (meaning->kind == MEANS_ROUTINE && meaning->number == l->routine)
        return model_routine(l->m, meaning->number)->result_variable;
    return NONE;
}

uint32_t lower_designated(Lowerer *l, const Node *n)
{
    const Node *name = designator_name(n);
    if (!name->symbol)
        return NONE;
    if (name->symbol->node == NULL && name_same(name->symbol->name, "NNEQD"))
        return nneqd(l);
    return variable_of(l, name->symbol);
}

uint32_t lower_started(Lowerer *l, const Node *n)
{
    const Symbol *s = designator_name(n)->symbol;
    if (n->kind != NODE_DERIVATIVE || !s)
        return lower_designated(l, n);
    const Meaning *meaning = meaning_of(l, s);
    if (meaning->kind != MEANS_VARIABLE || meaning->rate != NONE)
        return meaning->kind == MEANS_VARIABLE ? meaning->rate : NONE;
    uint32_t k = rate_alias(l, meaning->number);
    model_variable(l->m, k)->started = true;
    return k;
}

static const Expr *no_value(Lowerer *l, const Node *n, const Symbol *s)
{
    if (meaning_of(l, s)->kind != MEANS_REFUSED)
        LOWER_ERROR(l, n, "`%s` has no value here", s->shown);
    return lower_nothing(l, lower_type(s->type));
}

static const Expr *of_variable(Lowerer *l, const Node *n, uint32_t number,
                               Place place)
{
    const Variable *v = model_variable(l->m, number);
    const Expr *index[2];
    uint32_t count = 0;
    if (v->kind == VARIABLE_ATTRIBUTE)
        return lower_attribute(l, n, number, place);
    if (v->pool)
        return lower_copied(l, n, number, l->here, place);
    if (n->kind == NODE_INDEX)
        count = lower_indices(l, n, place, v->name, v->low, v->high, index);
    lower_mark_read(l, number, place);
    return expr_variable(l->m, number, index, count);
}

/* A name, or an element of what it stands for. */
static const Expr *lower_name(Lowerer *l, const Node *n, Place place)
{
    const Node *name = designator_name(n);
    const Symbol *s = name->symbol;
    if (!s)
        return lower_nothing(l, EXPR_TYPE_REAL);
    const Meaning *meaning = meaning_of(l, s);
    if (meaning->kind == MEANS_CELLS)
        return cell_value(l, n, s);
    if (s->node == NULL)
        return predefined(l, n, s);
    if (meaning->kind == MEANS_VALUE)
        return meaning->value;
    if (meaning->kind == MEANS_LOOP)
        return expr_loop(l->m, meaning->number);
    if (meaning->kind == MEANS_STREAM || meaning->kind == MEANS_STREAM_FORMAL)
        return lower_draw(l, n, s, place);
    uint32_t variable = variable_of(l, s);
    return variable == NONE ? no_value(l, n, s)
                            : of_variable(l, n, variable, place);
}

/* X' is the rate of X or, where X'' occurs, the STATE "X'". */
static const Expr *lower_rate(Lowerer *l, const Node *n, Place place)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
    const Expr *index[2];
    uint32_t count = 0;
    const Expr *copied = lower_copy_rate(l, n, place);
    if (copied)
        return copied;
    if (meaning->kind != MEANS_VARIABLE)
        return s ? no_value(l, n, s) : lower_nothing(l, EXPR_TYPE_REAL);
    uint32_t variable = meaning->number, rate = meaning->rate;
    if (l->pool && model_variable(l->m, variable)->kind == VARIABLE_ATTRIBUTE)
        variable = pool_variable(l, l->pool - 1, variable, &rate);
    if (variable == NONE)
        return no_value(l, n, s);
    const Variable *v = model_variable(l->m, variable);
    if (v->pool) {
        const Expr *x = lower_copied(l, n->first, variable, l->here, place);
        if (x->op != EXPR_VARIABLE)
            return x; // after a message
        index[0] = x->arg[0];
        if (x->count > 1)
            index[1] = x->arg[1];
        count = x->count;
    } else if (n->first->kind == NODE_INDEX) {
        count =
            lower_indices(l, n->first, place, v->name, v->low, v->high, index);
    }
    if (n->integer == 2)
        return expr_rate(l->m, rate, index, count);
    if (rate != NONE)
        return expr_variable(l->m, rate, index, count);
    return expr_rate(l->m, variable, index, count);
}

const Expr *lower_designator(Lowerer *l, const Node *n, Place place)
{
    const Expr *of_field = lower_field_name(l, n, place);
    if (of_field)
        return of_field;
    switch (n->kind) {
    case NODE_INDEX:
        if (n->first->kind == NODE_SELECT)
            return lower_entry(l, n, place);
        return lower_name(l, n, place);
    case NODE_NAME: return lower_name(l, n, place);
    case NODE_DERIVATIVE: return lower_rate(l, n, place);
    case NODE_SELECT: return lower_entry(l, n, place);
    case NODE_FIELD_AT: return lower_field_at(l, n, place);
    default: break;
    }
    return lower_nothing(l, EXPR_TYPE_REAL);
}

/* ---- Positions and events -------------------------------------------------------------- */

static const Expr *position(Lowerer *l, const Expr *const *index, uint32_t rank,
                            const int64_t *low, const int64_t *high)
{
    Model *m = l->m;
    const Expr *p = expr_2(m, EXPR_SUB, index[0], expr_integer(m, low[0]));
    if (rank < 2)
        return p;
    p = expr_2(m, EXPR_MUL, p, expr_integer(m, high[1] - low[1] + 1));
    return expr_2(m, EXPR_ADD, p,
                  expr_2(m, EXPR_SUB, index[1], expr_integer(m, low[1])));
}

const Expr *lower_position(Lowerer *l, const Node *n, Place place)
{
    uint32_t variable = lower_designated(l, n);
    const Expr *index[2];
    if (n->kind == NODE_DERIVATIVE)
        n = n->first;
    if (n->kind != NODE_INDEX || variable == NONE)
        return NULL;
    const Variable *v = model_variable(l->m, variable);
    uint32_t rank = lower_indices(l, n, place, v->name, v->low, v->high, index);
    v = model_variable(l->m, variable);
    return rank == 0 ? NULL : position(l, index, rank, v->low, v->high);
}

const Expr *lower_event_element(Lowerer *l, const Node *n, const char *name,
                                const Meaning *event, Place place)
{
    const Expr *index[2];
    if (n->kind != NODE_INDEX || event->rank == 0)
        return NULL;
    uint32_t rank =
        lower_indices(l, n, place, name, event->low, event->high, index);
    return position(l, index, rank, event->low, event->high);
}

const Meaning *lower_event(Lowerer *l, const Node *n, Place place,
                           const Expr **element)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? pool_event(l, s) : &l->lost;
    *element = lower_event_element(l, n, s ? s->shown : "", meaning, place);
    return meaning;
}

/* ---- Operations -------------------------------------------------------------------------- */

static ExprOp binary_op(Word word)
{
    switch (word) {
    case WORD_PLUS: return EXPR_ADD;
    case WORD_MINUS: return EXPR_SUB;
    case WORD_TIMES: return EXPR_MUL;
    case WORD_SLASH: return EXPR_DIV;
    case WORD_DIV: return EXPR_IDIV;
    case WORD_MOD: return EXPR_MOD;
    case WORD_EQUAL: return EXPR_EQ;
    case WORD_UNEQUAL: return EXPR_NE;
    case WORD_LESS: return EXPR_LT;
    case WORD_LESS_EQUAL: return EXPR_LE;
    case WORD_GREATER: return EXPR_GT;
    case WORD_GREATER_EQUAL: return EXPR_GE;
    case WORD_AND: return EXPR_AND;
    case WORD_OR: return EXPR_OR;
    default: return EXPR_POW;
    }
}

/* INTEGER ^ INTEGER stays whole, and is exact. */
static const Expr *integer_power(Lowerer *l, const Expr *a, const Expr *b)
{
    Model *m = l->m;
    int64_t v = 1;
    if (b->op == EXPR_INTEGER && b->integer < 0)
        return expr_2(m, EXPR_POW, expr_float(m, a), b);
    if (a->op != EXPR_INTEGER || b->op != EXPR_INTEGER)
        return expr_2(m, EXPR_POW, a, b);
    if (!whole_power(a->integer, b->integer, &v))
        return expr_2(m, EXPR_POW, a, b);
    return expr_integer(m, v);
}

static const Expr *lower_binary(Lowerer *l, const Node *n, Place place)
{
    ExprOp op = binary_op(n->word);
    const Expr *a = lower_expression(l, n->first, place);
    const Expr *b = lower_expression(l, n->last, place);
    if (op == EXPR_POW && a->type == EXPR_TYPE_INTEGER &&
        b->type == EXPR_TYPE_INTEGER)
        return integer_power(l, a, b);
    return expr_2(l->m, op, a, b);
}

static const Expr *lower_unary(Lowerer *l, const Node *n, Place place)
{
    const Expr *a = lower_expression(l, n->first, place);
    switch (n->word) {
    case WORD_NOT: return expr_1(l->m, EXPR_NOT, a);
    case WORD_MINUS: return expr_1(l->m, EXPR_NEG, a);
    default: return a;
    }
}

static const Expr *lower_choose(Lowerer *l, const Node *n, Place place)
{
    const Expr *condition = lower_expression(l, n->first, place);
    l->chosen++;
    const Expr *a = lower_expression(l, node_child(n, 1), place);
    const Expr *b = lower_expression(l, n->last, place);
    l->chosen--;
    return expr_choose(l->m, condition, a, b);
}

const Expr *lower_expression(Lowerer *l, const Node *n, Place place)
{
    switch (n->kind) {
    case NODE_INTEGER: return expr_integer(l->m, n->integer);
    case NODE_NUMBER: return expr_number(l->m, n->text);
    case NODE_STRING: return expr_string(l->m, n->text);
    case NODE_BOOLEAN: return expr_truth(l->m, n->integer != 0);
    case NODE_BINARY: return lower_binary(l, n, place);
    case NODE_UNARY: return lower_unary(l, n, place);
    case NODE_CHOOSE: return lower_choose(l, n, place);
    case NODE_CALL: return lower_call(l, n, place);
    default: return lower_designator(l, n, place);
    }
}
