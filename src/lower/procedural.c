#include "lower/lowerer.h"

#include "base/whole.h"

#include <string.h>

/* Sequential code among equations, carried out symbolically: every variable
   that is assigned has a cell with the expression it holds at this point. Both
   branches of an IF are carried out and joined by IF expressions; a FOR with
   fixed bounds is run through. At the end a PROCEDURAL leaves one equation per
   output, and a CONTINUOUS FUNCTION one expression; so their jumps become
   events and their derivatives are formed as everywhere else. */

#define PASSES_MOST 20000 // of all loops of one block or function
#define DEPTH_MOST  100   // most functions that call each other

typedef struct Cell {
    const Expr *value; // NULL: none yet, or not on every path
    const Node *where; // assignment that set it
} Cell;

static void carry_out(Lowerer *l, const Node *n);

/* ---- Cells --------------------------------------------------------------------------- */

static uint32_t cells_used(const Lowerer *l)
{
    return (uint32_t)(l->cells.used / sizeof(Cell));
}

static Cell *cell_at(const Lowerer *l, uint32_t k)
{
    return (Cell *)(void *)l->cells.bytes + k;
}

/* Number of the first of them; all without a value. */
static uint32_t new_cells(Lowerer *l, uint64_t count)
{
    uint32_t first = cells_used(l);
    if (!vector_append(&l->cells, NULL, (size_t)count * sizeof(Cell)))
        l->m->broken = true;
    return first;
}

static void drop_cells(Lowerer *l, uint32_t from)
{
    l->cells.used = from * sizeof(Cell);
}

/* The offset of an element from the first cell; false after a message. */
static bool cell_offset(Lowerer *l, const Node *n, const Meaning *shape,
                        uint64_t *offset)
{
    uint32_t k = 0;
    *offset = 0;
    if (shape->rank == 0)
        return true;
    if (n->kind != NODE_INDEX)
        return false;
    for (const Node *i = n->last->first; i && k < 2; i = i->next, k++) {
        int64_t v;
        if (!expr_whole(l, lower_expression(l, i, IN_EQUATION), &v)) {
            LOWER_ERROR(l, i,
                        "in sequential code among equations, an index of "
                        "what is assigned must be known: a number, a "
                        "CONST, the variable of a FOR");
            return false;
        }
        if (v < shape->low[k] || v > shape->high[k]) {
            LOWER_ERROR(l, i, "the index %lld is outside its array",
                        (long long)v);
            return false;
        }
        *offset = *offset * (uint64_t)(shape->high[k] - shape->low[k] + 1) +
                  (uint64_t)(v - shape->low[k]);
    }
    return true;
}

static bool find_cell(Lowerer *l, const Node *n, const Symbol *s, uint32_t *at)
{
    const Meaning shape = *meaning_of(l, s);
    uint64_t offset;
    if (l->m->broken || !cell_offset(l, n, &shape, &offset))
        return false;
    *at = shape.number + (uint32_t)offset;
    return *at < cells_used(l);
}

const Expr *cell_value(Lowerer *l, const Node *n, const Symbol *s)
{
    uint32_t at;
    if (find_cell(l, n, s, &at)) {
        const Expr *value = cell_at(l, at)->value;
        if (value)
            return value;
        LOWER_ERROR(l, n, "`%s` has no value here, at least not on every path",
                    s->shown);
    }
    return lower_nothing(l, lower_type(s->type));
}

/* ---- Joining ------------------------------------------------------------------------- */

/* Saves the cells as they are now. */
static Cell *save_cells(Lowerer *l)
{
    Cell *copy = MODEL_ARRAY(l->m, Cell, cells_used(l) + 1);
    if (copy && l->cells.used)
        memcpy(copy, l->cells.bytes, l->cells.used);
    return copy;
}

static void restore_cells(Lowerer *l, const Cell *copy)
{
    if (l->cells.used)
        memcpy(l->cells.bytes, copy, l->cells.used);
}

/* The cells hold the results of ELSE, `then` those of THEN. */
static void join(Lowerer *l, const Expr *condition, const Cell *then)
{
    for (uint32_t k = 0; k < cells_used(l); k++) {
        Cell *c = cell_at(l, k);
        if (c->value == then[k].value)
            continue;
        if (!c->value || !then[k].value)
            c->value = NULL;
        else
            c->value = expr_choose(l->m, condition, then[k].value, c->value);
        if (then[k].where)
            c->where = then[k].where;
    }
}

/* Carries out `then` if the condition holds, otherwise `other` with its
   user. */
static void both_ways(Lowerer *l, const Expr *condition, const Node *then,
                      void (*other)(Lowerer *, const Node *), const Node *with)
{
    Cell *before = save_cells(l), *after;
    if (!before)
        return;
    l->chosen++;
    carry_out(l, then);
    after = save_cells(l);
    restore_cells(l, before);
    if (with)
        other(l, with);
    l->chosen--;
    if (after)
        join(l, condition, after);
}

/* ---- Statements ------------------------------------------------------------------------ */

static void assign(Lowerer *l, const Node *n)
{
    const Symbol *s = designator_name(n->first)->symbol;
    const Expr *value = lower_expression(l, n->last, IN_EQUATION);
    uint32_t at;
    if (!s || meaning_of(l, s)->kind != MEANS_CELLS) {
        if (s)
            LOWER_ERROR(l, n->first, "`%s` cannot be assigned here", s->shown);
        return;
    }
    if (find_cell(l, n->first, s, &at))
        *cell_at(l, at) = (Cell){lower_fit(l, value, lower_type(s->type)), n};
}

static void choose(Lowerer *l, const Node *n)
{
    const Expr *condition = lower_expression(l, n->first, IN_EQUATION);
    const Node *then = node_child(n, 1), *other = n->last;
    if (condition->op == EXPR_TRUTH)
        carry_out(l, condition->integer ? then : other);
    else
        both_ways(l, condition, then, carry_out, other);
}

/* selector = label, or low <= selector <= high, for any label. */
static const Expr *label_holds(Lowerer *l, const Expr *selector, const Node *n)
{
    Model *m = l->m;
    int64_t low = 0, high;
    if (n->kind != NODE_RANGE) {
        lower_constant(l, n, "the label of a CASE", &low);
        return expr_2(m, EXPR_EQ, selector, expr_integer(m, low));
    }
    high = low;
    lower_constant(l, n->first, "the label of a CASE", &low);
    lower_constant(l, n->last, "the label of a CASE", &high);
    return expr_2(m, EXPR_AND,
                  expr_2(m, EXPR_GE, selector, expr_integer(m, low)),
                  expr_2(m, EXPR_LE, selector, expr_integer(m, high)));
}

/* The branch and those after it. */
static void choose_branch(Lowerer *l, const Node *branch)
{
    const Expr *holds = NULL;
    if (!branch->first->first) { // ELSE
        carry_out(l, branch->last);
        return;
    }
    for (const Node *k = branch->first->first; k; k = k->next) {
        const Expr *one = label_holds(l, l->selector, k);
        holds = holds ? expr_2(l->m, EXPR_OR, holds, one) : one;
    }
    if (holds->op == EXPR_TRUTH) {
        if (holds->integer)
            carry_out(l, branch->last);
        else if (branch->next)
            choose_branch(l, branch->next);
        return;
    }
    both_ways(l, holds, branch->last, choose_branch, branch->next);
}

static void choose_case(Lowerer *l, const Node *n)
{
    const Expr *before = l->selector;
    l->selector = lower_expression(l, n->first, IN_EQUATION);
    if (n->last->first)
        choose_branch(l, n->last->first);
    l->selector = before;
}

static bool loop_bounds(Lowerer *l, const Node *n, int64_t *from, int64_t *to,
                        int64_t *by)
{
    const Node *step = node_child(n, 2);
    const Expr *a = lower_expression(l, n->first, IN_EQUATION);
    const Expr *b = lower_expression(l, node_child(n, 1), IN_EQUATION);
    *by = 1;
    if (expr_whole(l, a, from) && expr_whole(l, b, to) &&
        (node_absent(step) ||
         expr_whole(l, lower_expression(l, step, IN_EQUATION), by)) &&
        *by >= 1)
        return true;
    LOWER_ERROR(l, n,
                "in sequential code among equations the bounds of a FOR must "
                "be known: numbers, CONSTs, variables of loops around it");
    return false;
}

/* Gives the declared variable of a FOR the value of its counter. */
static void count(Lowerer *l, const Node *n, const Expr *value)
{
    const Symbol *s = n->symbol->counts;
    uint32_t at;
    if (s && meaning_of(l, s)->kind == MEANS_CELLS && find_cell(l, n, s, &at))
        *cell_at(l, at) = (Cell){value, n};
}

static void repeat(Lowerer *l, const Node *n)
{
    int64_t from, to, by;
    bool down = n->word == WORD_DOWNTO;
    if (!n->symbol || !loop_bounds(l, n, &from, &to, &by))
        return;
    Meaning *index = meaning_of(l, n->symbol), before = *index;
    bool more = true;
    for (int64_t v = from; more && (down ? v >= to : v <= to);
         more = whole_add(v, down ? -by : by, &v)) {
        if (++l->passes > PASSES_MOST) {
            LOWER_ERROR(l, n,
                        "the loops of this sequential code run through "
                        "more than %d passes, the most that are carried "
                        "out at translation: write equations in a FOR",
                        PASSES_MOST);
            break;
        }
        index->kind = MEANS_VALUE;
        index->value = expr_integer(l->m, v);
        count(l, n, index->value);
        carry_out(l, n->last);
        index = meaning_of(l, n->symbol);
    }
    *index = before;
}

static void cannot(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_WHILE || n->kind == NODE_REPEAT)
        LOWER_ERROR(l, n,
                    "how often this loop runs is not known beforehand, "
                    "so it cannot stand among equations: use FOR with "
                    "fixed bounds and IF inside it, or IMPLICIT for an "
                    "iteration");
    else
        LOWER_ERROR(l, n,
                    "this cannot stand in sequential code among "
                    "equations, which is evaluated many times: there, "
                    "values are assigned; do the rest in an event or in "
                    "COMMUNIC");
}

static void carry_out(Lowerer *l, const Node *n)
{
    switch (n->kind) {
    case NODE_NONE: break;
    case NODE_LIST:
        for (const Node *k = n->first; k && !l->m->broken; k = k->next)
            carry_out(l, k);
        break;
    case NODE_BLOCK: carry_out(l, n->first); break;
    case NODE_ASSIGN: assign(l, n); break;
    case NODE_IF: choose(l, n); break;
    case NODE_CASE: choose_case(l, n); break;
    case NODE_FOR: repeat(l, n); break;
    default: cannot(l, n); break;
    }
}

/* ---- Names with cells -------------------------------------------------------------------- */

typedef struct Bound { // earlier meaning of a name
    const Symbol *symbol;
    Meaning before;
    struct Bound *next;
} Bound;

static Meaning *bind(Lowerer *l, Bound **list, const Symbol *s)
{
    Bound *b = MODEL_NEW(l->m, Bound);
    Meaning *meaning = meaning_of(l, s);
    if (!b)
        return meaning;
    *b = (Bound){s, *meaning, *list};
    *list = b;
    *meaning = (Meaning){.kind = MEANS_CELLS, .number = NONE, .rate = NONE};
    return meaning;
}

static void unbind(Lowerer *l, const Bound *list)
{
    for (; list; list = list->next)
        *meaning_of(l, list->symbol) = list->before;
}

/* ---- CONTINUOUS FUNCTION ------------------------------------------------------------------ */

static void bind_formals(Lowerer *l, Bound **list, const Node *call,
                         const Node *formals)
{
    uint32_t k = 0, count = node_count(formals->first);
    const Expr **value = MODEL_ARRAY(l->m, const Expr *, count + 1);
    if (!value)
        return;
    for (const Node *f = formals->first->first; f; f = f->next, k++)
        value[k] =
            lower_fit(l, lower_expression(l, call_actual(call, k), IN_EQUATION),
                      lower_type(f->word));
    k = 0;
    for (const Node *f = formals->first->first; f; f = f->next, k++) {
        Meaning *meaning = bind(l, list, f->symbol);
        meaning->number = new_cells(l, 1);
        if (!l->m->broken)
            *cell_at(l, meaning->number) = (Cell){value[k], f};
    }
}

static void bind_locals(Lowerer *l, Bound **list, const Node *declarations)
{
    lower_local_values(l, declarations);
    for (const Node *d = declarations->first; d; d = d->next) {
        if (d->kind != NODE_VAR_PART)
            continue;
        for (const Node *v = d->first->first; v; v = v->next) {
            if (v->kind != NODE_VARIABLE || !v->symbol)
                continue;
            Meaning *meaning = bind(l, list, v->symbol);
            uint64_t elements = lower_shape(l, v, meaning);
            meaning->number = new_cells(l, elements);
        }
    }
}

const Expr *lower_inline(Lowerer *l, const Node *call, const Symbol *function)
{
    const Node *body = function->body;
    Bound *list = NULL;
    uint32_t first = cells_used(l), passes = l->passes;
    const Expr *result = NULL;
    if (l->depth == DEPTH_MOST) {
        LOWER_ERROR(l, call, "more than %d functions call each other",
                    DEPTH_MOST);
        return lower_nothing(l, lower_type(function->type));
    }
    bind_formals(l, &list, call, body->first);
    l->depth++;
    bind_locals(l, &list, node_child(body, 1));
    uint32_t own = new_cells(l, 1);
    bind(l, &list, function)->number = own;
    carry_out(l, body->last);
    if (!l->m->broken)
        result = cell_at(l, own)->value;
    l->depth--;
    l->passes = l->depth == 0 ? 0 : passes;
    unbind(l, list);
    drop_cells(l, first);
    if (!result && !l->m->broken)
        LOWER_ERROR(l, body,
                    "FUNCTION `%s` does not get a value on every path through "
                    "it: is an ELSE missing?",
                    function->shown);
    return result ? result : lower_nothing(l, lower_type(function->type));
}

/* ---- PROCEDURAL ---------------------------------------------------------------------------- */

/* Each element of the array stands for itself until it is assigned. */
static void fill_array(Lowerer *l, uint32_t variable, uint32_t first)
{
    Variable v = *model_variable(l->m, variable);
    uint64_t width = v.rank == 2 ? (uint64_t)(v.high[1] - v.low[1] + 1) : 1;
    for (uint64_t k = 0; k < v.elements && !l->m->broken; k++) {
        const Expr *index[2] = {
            expr_integer(l->m, v.low[0] + (int64_t)(k / width)),
            expr_integer(l->m, v.low[1] + (int64_t)(k % width))};
        cell_at(l, first + (uint32_t)k)->value =
            expr_variable(l->m, variable, index, v.rank);
    }
}

static void bind_output(Lowerer *l, Bound **list, const Node *n)
{
    const Symbol *s = designator_name(n)->symbol;
    uint32_t variable = lower_designated(l, n);
    if (!s || variable == NONE)
        return;
    Variable v = *model_variable(l->m, variable);
    Meaning *meaning = bind(l, list, s);
    meaning->rank = v.rank;
    memcpy(meaning->low, v.low, sizeof v.low);
    memcpy(meaning->high, v.high, sizeof v.high);
    meaning->number = new_cells(l, v.elements);
    if (n->kind == NODE_INDEX)
        fill_array(l, variable, meaning->number);
}

static void clear_output(Lowerer *l, const Node *n)
{
    const Symbol *s = designator_name(n)->symbol;
    uint32_t at;
    if (n->kind == NODE_INDEX && s && find_cell(l, n, s, &at))
        *cell_at(l, at) = (Cell){NULL, NULL};
}

typedef struct Output {
    const Node *designator;
    uint32_t variable, first, count;
} Output;

static Output find_output(Lowerer *l, const Node *n)
{
    const Symbol *s = designator_name(n)->symbol;
    Output o = {n, NONE, 0, 0};
    if (!s || meaning_of(l, s)->kind != MEANS_CELLS)
        return o;
    Meaning shape = *meaning_of(l, s);
    o.count = 1;
    o.first = shape.number;
    if (n->kind == NODE_INDEX) {
        if (!find_cell(l, n, s, &o.first))
            o.count = 0;
    } else if (shape.rank > 0) {
        for (uint32_t k = 0; k < shape.rank; k++)
            o.count *= (uint32_t)(shape.high[k] - shape.low[k] + 1);
    }
    return o;
}

/* The element a cell stands for, as the left side of its equation. */
static const Expr *output_element(Lowerer *l, const Output *o, uint32_t k)
{
    Variable v = *model_variable(l->m, o->variable);
    int64_t width = v.rank == 2 ? v.high[1] - v.low[1] + 1 : 1;
    const Expr *index[2] = {expr_integer(l->m, v.low[0] + k / width),
                            expr_integer(l->m, v.low[1] + k % width)};
    if (o->designator->kind == NODE_INDEX)
        return lower_designator(l, o->designator, IN_EQUATION);
    return expr_variable(l->m, o->variable, index, v.rank);
}

/* Takes what the cells hold, before the names mean variables again. */
static void finish_output(Lowerer *l, const Output *o, const Cell *cell)
{
    for (uint32_t k = 0; k < o->count && !l->m->broken; k++) {
        const Cell *c = &cell[o->first + k];
        if (!c->value) {
            LOWER_ERROR(l, o->designator,
                        "`%s` does not get a value on every path through this "
                        "PROCEDURAL: is an ELSE missing?",
                        designator_name(o->designator)->symbol->shown);
            return;
        }
        lower_equation(l, c->where ? c->where : o->designator,
                       output_element(l, o, k), c->value);
    }
}

void lower_procedural(Lowerer *l, const Node *n)
{
    const Node *outs = n->first->first;
    uint32_t first = cells_used(l), count = node_count(outs), k = 0;
    Output *output = MODEL_ARRAY(l->m, Output, count + 1);
    Bound *list = NULL;
    if (!output)
        return;
    for (const Node *o = outs->first; o; o = o->next) {
        const Symbol *s = designator_name(o)->symbol;
        if (s && meaning_of(l, s)->kind != MEANS_CELLS)
            bind_output(l, &list, o);
    }
    for (const Node *o = outs->first; o; o = o->next)
        clear_output(l, o);
    l->passes = 0;
    l->depth++;
    carry_out(l, n->last);
    l->depth--;
    for (const Node *o = outs->first; o; o = o->next)
        output[k++] = find_output(l, o);
    const Cell *cells = save_cells(l);
    unbind(l, list);
    drop_cells(l, first);
    for (k = 0; k < count && cells; k++) {
        output[k].variable = lower_designated(l, output[k].designator);
        if (output[k].variable != NONE)
            finish_output(l, &output[k], cells);
    }
}
