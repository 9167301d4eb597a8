#include "lower/field.h"

#include <inttypes.h>

/* Parallel code: equations, conditions, and the branches and loops in which they
   stand. */

/* ---- Equations -------------------------------------------------------------------------- */

uint32_t lower_equation(Lowerer *l, const Node *n, const Expr *left,
                        const Expr *right)
{
    bool unknown = left->op == EXPR_VARIABLE || left->op == EXPR_RATE;
    Equation e = {.left = left,
                  .right = right,
                  .guard = l->guard,
                  .n_loops = l->n_loops,
                  .block = l->block,
                  .model = l->model,
                  .at = n->at};
    if (left->type != EXPR_TYPE_BOOLEAN) {
        e.left = lower_fit(l, left, EXPR_TYPE_REAL);
        e.right = lower_fit(l, right, EXPR_TYPE_REAL);
    }
    for (uint32_t k = 0; k < l->n_loops; k++)
        e.loops[k] = l->loops[k];
    e.row = lower_row(l, n, unknown ? left->which : NONE, false);
    return model_add_equation(l->m, &e);
}

static void lower_sides(Lowerer *l, const Node *n)
{
    const Expr *left = lower_expression(l, n->first, IN_EQUATION);
    lower_equation(l, n, left, lower_expression(l, n->last, IN_EQUATION));
}

/* ---- Branches ---------------------------------------------------------------------------- */

static Select *new_select(Lowerer *l, const Node *n, const Expr *selector,
                          uint32_t branches)
{
    Select *s = MODEL_NEW(l->m, Select);
    if (!s)
        return NULL;
    *s = (Select){.selector = selector,
                  .around = l->guard,
                  .n_loops = l->n_loops,
                  .branches = branches,
                  .row = NONE,
                  .number = l->m->selects++,
                  .at = n->at,
                  .line = lower_line(l, n->at, n->origin)};
    for (uint32_t k = 0; k < l->n_loops; k++)
        s->loops[k] = l->loops[k];
    return s;
}

static void lower_branch(Lowerer *l, const Select *s, uint32_t branch,
                         const Node *body)
{
    const Guard *before = l->guard;
    Guard *g = MODEL_NEW(l->m, Guard);
    if (!g)
        return;
    *g = (Guard){s, branch};
    l->guard = g;
    l->chosen++;
    if (body->kind == NODE_LIST)
        lower_parallel(l, body);
    else
        lower_parallel_one(l, body);
    l->chosen--;
    l->guard = before;
}

static void lower_body(Lowerer *l, const Node *body)
{
    if (body->kind == NODE_LIST)
        lower_parallel(l, body);
    else if (!node_absent(body))
        lower_parallel_one(l, body);
}

static void lower_if(Lowerer *l, const Node *n)
{
    const Node *then = node_child(n, 1), *other = n->last;
    const Expr *condition = loops_decide(l, n->first);
    if (!condition)
        condition = lower_expression(l, n->first, IN_EQUATION);
    if (condition->op == EXPR_TRUTH) {
        lower_body(l, condition->integer ? then : other);
        return;
    }
    Select *s = new_select(l, n, condition, 2);
    if (!s)
        return;
    s->row = lower_row(l, n->first, NONE, false);
    lower_branch(l, s, 0, then);
    if (!node_absent(other))
        lower_branch(l, s, 1, other);
}

/* ---- CASE ---------------------------------------------------------------------------------- */

static Label lower_label(Lowerer *l, const Node *n)
{
    Label label = {0, 0};
    if (n->kind == NODE_RANGE) {
        lower_constant(l, n->first, "the label of a CASE", &label.low);
        lower_constant(l, n->last, "the label of a CASE", &label.high);
    } else {
        lower_constant(l, n, "the label of a CASE", &label.low);
        label.high = label.low;
    }
    return label;
}

/* The labels of one branch; *count 0: ELSE. */
const Label *lower_labels(Lowerer *l, const Node *list, uint32_t *count)
{
    uint32_t k = 0;
    *count = node_count(list);
    Label *label = MODEL_ARRAY(l->m, Label, *count + 1);
    for (const Node *n = list->first; n && label; n = n->next)
        label[k++] = lower_label(l, n);
    return label;
}

static bool label_covers(const Label *label, uint32_t count, int64_t v)
{
    for (uint32_t k = 0; k < count; k++)
        if (label[k].low <= v && v <= label[k].high)
            return true;
    return count == 0;
}

/* The selector is known: one branch, or none. */
static void lower_known_case(Lowerer *l, const Node *n, int64_t v)
{
    for (const Node *b = n->last->first; b; b = b->next) {
        uint32_t count;
        const Label *label = lower_labels(l, b->first, &count);
        if (!label || !label_covers(label, count, v))
            continue;
        lower_parallel(l, b->last);
        return;
    }
    LOWER_ERROR(l, n->first,
                "no branch of this CASE has the label %" PRId64
                ", the value of its selector",
                v);
}

static bool fill_labels(Lowerer *l, const Node *branches, Select *s)
{
    const Label **labels = MODEL_ARRAY(l->m, const Label *, s->branches);
    uint32_t *counts = MODEL_ARRAY(l->m, uint32_t, s->branches), k = 0;
    if (!labels || !counts)
        return false;
    for (const Node *b = branches->first; b; b = b->next, k++) {
        labels[k] = lower_labels(l, b->first, &counts[k]);
        s->has_else = s->has_else || counts[k] == 0;
    }
    s->labels = labels;
    s->n_labels = counts;
    return true;
}

static void lower_case(Lowerer *l, const Node *n)
{
    const Expr *selector = loops_decide(l, n->first);
    uint32_t k = 0;
    if (!selector)
        selector = lower_expression(l, n->first, IN_EQUATION);
    if (selector->op == EXPR_INTEGER) {
        lower_known_case(l, n, selector->integer);
        return;
    }
    if (selector->reads & READS_CONTINUOUS) {
        LOWER_ERROR(
            l, n->first,
            "the selector of a CASE may change only at events, but this "
            "changes between them: set an INTEGER in events, or write IF");
        return;
    }
    Select *s = new_select(l, n, selector, node_count(n->last));
    if (!s)
        return;
    s->is_case = true;
    if (!fill_labels(l, n->last, s))
        return;
    s->row = lower_row(l, n->first, NONE, false);
    model_row(l->m, s->row)->text =
        model_format(l->m, "CASE %s OF", lower_text(l, n->first));
    for (const Node *b = n->last->first; b; b = b->next)
        lower_branch(l, s, k++, b->last);
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static ConditionScheme scheme_of(Word word)
{
    switch (word) {
    case WORD_REGULA: return SCHEME_REGULA;
    case WORD_IHERMITE: return SCHEME_IHERMITE;
    case WORD_BISECT: return SCHEME_BISECT;
    default: return SCHEME_CROSSES;
    }
}

static Condition new_condition(Lowerer *l, const Node *n, ConditionKind kind)
{
    Condition c = {.kind = kind,
                   .event = NONE,
                   .guard = l->guard,
                   .n_loops = l->n_loops,
                   .activates = l->guard != NULL,
                   .at = n->at,
                   .line = lower_line(l, n->at, n->origin)};
    for (uint32_t k = 0; k < l->n_loops; k++)
        c.loops[k] = l->loops[k];
    return c;
}

/* Reports a condition that nothing can move. */
static bool check_moves(Lowerer *l, const Node *n, const Expr *z)
{
    if (z->reads & (READS_CONTINUOUS | READS_DISCRETE))
        return true;
    LOWER_ERROR(l, n,
                "nothing in this condition ever changes, so it cannot "
                "be crossed");
    return false;
}

static void lower_condit(Lowerer *l, const Node *n)
{
    const Node *b = node_child(n, 2), *tol = b->next;
    Condition c = new_condition(l, n, CONDITION_CONDIT);
    const Meaning *event = lower_event(l, n->first, IN_EQUATION, &c.element);
    if (event->kind != MEANS_SEVENT) {
        if (event->kind != MEANS_REFUSED && event != &l->lost)
            LOWER_ERROR(l, n->first,
                        "the CONDIT of an event of copies stands in their "
                        "CONTINUOUS PROCESS");
        return;
    }
    c.event = event->number;
    c.name = model_state_event(l->m, c.event)->name;
    c.scheme = scheme_of(n->word);
    c.direction = n->flags & FLAG_POS ? 1 : n->flags & FLAG_NEG ? -1 : 0;
    c.z = lower_real(l, node_child(n, 1), IN_EQUATION);
    if (!node_absent(b))
        c.z = expr_minus(l->m, c.z, lower_real(l, b, IN_EQUATION));
    if (!node_absent(tol))
        c.tol = lower_real(l, tol, IN_EQUATION);
    if (!node_absent(n->last))
        c.priority = lower_real(l, n->last, IN_EQUATION);
    if (!check_moves(l, n, c.z))
        return;
    c.row = lower_row(l, n, NONE, false);
    model_add_condition(l->m, &c);
}

/* ---- FINISH ---------------------------------------------------------------------------------- */

/* An equality of numbers that move. */
static bool find_equality(void *user, const Expr *e)
{
    bool *found = user;
    *found |= (e->op == EXPR_EQ || e->op == EXPR_NE) &&
              e->arg[0]->type == EXPR_TYPE_REAL &&
              (e->reads & READS_CONTINUOUS);
    return true;
}

/* 1 where the condition is true, -1 where it is not. It changes with its
   relations, whose crossings are found like all others. NULL after a
   message. */
static const Expr *truth(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    const Expr *e = lower_expression(l, n, IN_EQUATION);
    bool equality = false;
    expr_visit(m, e, find_equality, &equality);
    if (equality) {
        LOWER_ERROR(l, n,
                    "compare with < or > here: REAL numbers that move are "
                    "equal only for an instant");
        return NULL;
    }
    return expr_choose(m, e, expr_number(m, "1.0"),
                       expr_1(m, EXPR_NEG, expr_number(m, "1.0")));
}

static void lower_finish(Lowerer *l, const Node *n)
{
    Condition c = new_condition(l, n, CONDITION_FINISH);
    const Node *when = n->first;
    c.name = "FINISH";
    c.direction = 1;
    if (when->kind == NODE_BINARY && when->word == WORD_EQUAL) {
        const Expr *a = lower_expression(l, when->first, IN_EQUATION);
        const Expr *b = lower_expression(l, when->last, IN_EQUATION);
        if (a->type == EXPR_TYPE_REAL || b->type == EXPR_TYPE_REAL) {
            c.direction = 0;
            c.z = expr_minus(l->m, lower_fit(l, a, EXPR_TYPE_REAL),
                             lower_fit(l, b, EXPR_TYPE_REAL));
        }
    }
    if (!c.z)
        c.z = truth(l, when);
    if (!c.z || !check_moves(l, when, c.z))
        return;
    c.row = lower_row(l, n, NONE, false);
    model_add_condition(l->m, &c);
}

/* ---- RANGE ----------------------------------------------------------------------------------- */

static void watch(Lowerer *l, uint32_t variable, Condition *c, const Expr *x,
                  const Expr *bound, int direction)
{
    if ((bound->op == EXPR_NEG ? bound->arg[0] : bound) ==
        expr_system(l->m, SYSTEM_INF))
        return; // nothing gets there
    c->direction = direction;
    c->z = expr_minus(l->m, lower_fit(l, x, EXPR_TYPE_REAL),
                      lower_fit(l, bound, EXPR_TYPE_REAL));
    Row row = {.variable = variable,
               .line = c->line,
               .text = model_format(l->m, "%s RANGE",
                                    model_variable(l->m, variable)->name)};
    c->row = model_add_row(l->m, &row);
    model_add_condition(l->m, c);
}

static void watch_range(Lowerer *l, uint32_t variable)
{
    Variable v = *model_variable(l->m, variable);
    Condition c = {.kind = CONDITION_RANGE,
                   .name = model_format(l->m, "%s RANGE", v.name),
                   .event = variable,
                   .at = v.at,
                   .line = v.line};
    const Expr *index[2], *position = NULL;
    for (uint32_t k = 0; k < v.rank; k++) {
        c.loops[c.n_loops++] = model_add_side(l->m, variable, k);
        index[k] = expr_loop(l->m, c.loops[k]);
        const Expr *from =
            expr_2(l->m, EXPR_SUB, index[k], expr_integer(l->m, v.low[k]));
        const Expr *width = expr_integer(l->m, v.high[k] - v.low[k] + 1);
        position = position
                       ? expr_2(l->m, EXPR_ADD,
                                expr_2(l->m, EXPR_MUL, position, width), from)
                       : from;
    }
    c.element = position;
    const Expr *x = expr_variable(l->m, variable, index, v.rank);
    watch(l, variable, &c, x, v.range_low, -1);
    watch(l, variable, &c, x, v.range_high, 1);
}

void lower_ranges(Lowerer *l)
{
    for (uint32_t k = 0; k < model_variables(l->m); k++) {
        const Variable *v = model_variable(l->m, k);
        if (v->range_low && v->kind != VARIABLE_LOCAL &&
            v->kind != VARIABLE_FORMAL)
            watch_range(l, k);
    }
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

static void lower_model(Lowerer *l, const Node *n)
{
    uint32_t before = l->model;
    ModelBlock block = {.name = n->text, .around = before, .at = n->at};
    l->model = model_add_model_block(l->m, &block);
    lower_parallel(l, n->last);
    l->model = before;
}

static void lower_communic(Lowerer *l, const Node *n)
{
    if (l->guard || l->n_loops > 0) {
        LOWER_ERROR(l, n,
                    "COMMUNIC must stand outside branches and loops: put IF, "
                    "CASE or FOR inside it");
        return;
    }
    Code *code = &l->m->communic;
    const Statement *before = code->last;
    lower_code(l, n->last, code, IN_CODE);
    lower_shown(l, before ? before->next : code->first);
}

void lower_parallel_one(Lowerer *l, const Node *n)
{
    switch (n->kind) {
    case NODE_EQUATION:
        if (!lower_field_equation(l, n))
            lower_sides(l, n);
        break;
    case NODE_BOUNDARY: lower_boundary(l, n); break;
    case NODE_FOR: lower_for(l, n, lower_parallel_one); break;
    case NODE_IF: lower_if(l, n); break;
    case NODE_CASE: lower_case(l, n); break;
    case NODE_BLOCK: lower_parallel(l, n->first); break;
    case NODE_MODEL: lower_model(l, n); break;
    case NODE_CONDIT: lower_condit(l, n); break;
    case NODE_FINISH_WHEN: lower_finish(l, n); break;
    case NODE_IMPLICIT: lower_implicit(l, n); break;
    case NODE_COMMUNIC: lower_communic(l, n); break;
    case NODE_PROCEDURAL: lower_procedural(l, n); break;
    case NODE_WITH:
        if (lower_with_own(l, n))
            lower_body(l, n->last);
        break;
    default: break; // a process that is installed; modules are gone
    }
}

void lower_parallel(Lowerer *l, const Node *list)
{
    for (const Node *n = list->first; n && !l->m->broken; n = n->next)
        lower_parallel_one(l, n);
}
