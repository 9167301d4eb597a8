#include "lower/lowerer.h"

/* STEADYSTATE and LINEARIZE: at a point of the model, or along a run. */

#define PLACES_MOST 1000 // inputs, and outputs, of all LINEARIZEs together

static const Expr *real_of(Lowerer *l, const Node *n)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT),
                                      EXPR_TYPE_REAL);
}

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind)
{
    Statement *s =
        code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
    s->row = lower_row(l, n, NONE, true);
    l->m->analyses = true;
    return s;
}

/* ---- Where ---------------------------------------------------------------- */

static bool has_states(const Model *m)
{
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (model_variable(m, k)->kind == VARIABLE_STATE)
            return true;
    return false;
}

/* The derivatives at a point depend on it alone. */
static bool without_delays(Lowerer *l, const Node *n, const char *what)
{
    for (uint32_t k = 0; k < model_memories(l->m); k++) {
        const Memory *y = model_memory(l->m, k);
        if (y->kind != MEMORY_DELAY)
            continue;
        LOWER_ERROR(l, n,
                    "%s does not know DELAYs yet: line %u reads what was "
                    "before the present point",
                    what, y->line);
        return false;
    }
    return true;
}

/* The time, if nothing has run in the frame: FROM of the SIMULATE that follows,
   if that is a constant. NULL: 0. */
static const Expr *start_time(Lowerer *l, const Node *n)
{
    double t;
    for (const Node *k = n->next; k; k = k->next)
        if (k->kind == NODE_SIMULATE) {
            const Expr *from = real_of(l, k->first);
            return from && expr_value(l, from, &t) ? from : NULL;
        }
    return NULL;
}

void lower_steadystate(Lowerer *l, const Node *n, Code *code)
{
    if (!has_states(l->m)) {
        LOWER_ERROR(l, n,
                    "STEADYSTATE needs a STATE: this program has no derivative "
                    "that could become 0");
        return;
    }
    if (!without_delays(l, n, "STEADYSTATE"))
        return;
    Statement *s = add(l, n, code, STATEMENT_STEADYSTATE);
    s->a = real_of(l, n->first);
    s->b = start_time(l, n);
}

/* ---- Inputs and outputs --------------------------------------------------- */

/* The numbers of one LINEARIZE. */
typedef struct Picked {
    Vector numbers; // uint32_t
    bool inputs, right;
} Picked;

static const char *kind_words(VariableKind kind)
{
    switch (kind) {
    case VARIABLE_STATE: return "a STATE, which the model integrates";
    case VARIABLE_ALGEBR: return "an ALGEBR, which an equation computes";
    case VARIABLE_LOGIC: return "a LOGIC, which an equation computes";
    case VARIABLE_MEMORY: return "a MEMORY, which an equation computes";
    default: return "not a REAL variable of the program";
    }
}

static bool may_be_input(const Variable *v)
{
    return v->type == EXPR_TYPE_REAL &&
           (v->kind == VARIABLE_CONST || v->kind == VARIABLE_DISCRETE ||
            v->kind == VARIABLE_DSTATE);
}

static bool may_be_output(const Variable *v)
{
    return v->type == EXPR_TYPE_REAL &&
           (may_be_input(v) || v->kind == VARIABLE_STATE ||
            v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_MEMORY);
}

static bool suits(Lowerer *l, const Node *n, uint32_t variable, bool input)
{
    const Variable *v = model_variable(l->m, variable);
    if (input ? may_be_input(v) : may_be_output(v))
        return true;
    if (input && v->type == EXPR_TYPE_REAL)
        LOWER_ERROR(l, n,
                    "`%s` is %s, so it cannot be an input: an input is a REAL "
                    "or a CONST that equations read",
                    v->name, kind_words(v->kind));
    else
        LOWER_ERROR(l, n,
                    "`%s` is not REAL: %s of LINEARIZE are real numbers, which "
                    "have derivatives",
                    v->name, input ? "inputs" : "outputs");
    return false;
}

static uint32_t places(const Model *m, bool inputs)
{
    return inputs ? model_linear_inputs(m) : model_linear_outputs(m);
}

static uint32_t find_place(const Model *m, bool inputs, uint32_t variable,
                           uint32_t at)
{
    for (uint32_t k = 0; k < places(m, inputs); k++) {
        const LinearPlace *p =
            inputs ? model_linear_input(m, k) : model_linear_output(m, k);
        if (p->variable == variable && p->at == at)
            return k;
    }
    return NONE;
}

static uint32_t add_place(Model *m, bool inputs, uint32_t variable, uint32_t at)
{
    LinearPlace p = {variable, at};
    return inputs ? model_add_linear_input(m, &p)
                  : model_add_linear_output(m, &p);
}

/* `linear` knows the whole array of an input, one element after the other: its
   index need not be constant in the equations. */
static uint32_t place_of(Model *m, bool inputs, uint32_t variable, uint32_t at)
{
    uint32_t k = find_place(m, inputs, variable, at);
    if (k != NONE)
        return k;
    if (!inputs)
        return add_place(m, inputs, variable, at);
    uint64_t n = model_variable(m, variable)->elements;
    for (uint32_t i = 0; i < n; i++)
        add_place(m, inputs, variable, i);
    return find_place(m, inputs, variable, at);
}

static void pick(Lowerer *l, const Node *n, Picked *p, uint32_t variable,
                 const Expr *position)
{
    Model *m = l->m;
    int64_t only = 0;
    uint64_t elements = model_variable(m, variable)->elements;
    if (!suits(l, n, variable, p->inputs)) {
        p->right = false;
        return;
    }
    if (position && !expr_whole(l, position, &only)) {
        LOWER_ERROR(l, n,
                    "the index of an element that LINEARIZE names is a "
                    "constant");
        p->right = false;
        return;
    }
    if (places(m, p->inputs) + elements > PLACES_MOST) {
        LOWER_ERROR(l, n, "LINEARIZE has at most %d %s", PLACES_MOST,
                    p->inputs ? "inputs" : "outputs");
        p->right = false;
        return;
    }
    for (uint64_t i = 0; i < elements; i++) {
        if (position && i != (uint64_t)only)
            continue;
        uint32_t k = place_of(m, p->inputs, variable, (uint32_t)i);
        if (!vector_append(&p->numbers, &k, sizeof k))
            m->broken = true;
    }
}

static void pick_named(Lowerer *l, const Node *list, Picked *p)
{
    for (const Node *k = list->first; k; k = k->next) {
        uint32_t variable = lower_designated(l, k);
        if (k->kind == NODE_DERIVATIVE || variable == NONE ||
            model_variable(l->m, variable)->hidden) {
            LOWER_ERROR(l, k,
                        "LINEARIZE names variables of the program, or CONSTs "
                        "that do not shape it");
            p->right = false;
            continue;
        }
        pick(l, k, p, variable, lower_position(l, k, IN_EXPERIMENT));
    }
}

/* What is declared INPUT or OUTPUT. */
static void pick_declared(Lowerer *l, const Node *n, Picked *p)
{
    uint32_t count = model_variables(l->m);
    for (uint32_t k = 0; k < count; k++) {
        const Variable *v = model_variable(l->m, k);
        if (p->inputs ? v->input : v->output)
            pick(l, n, p, k, NULL);
    }
}

static const uint32_t *picked(Lowerer *l, const Node *n, const Node *list,
                              bool inputs, uint32_t *count)
{
    Picked p = {.inputs = inputs, .right = true};
    if (list->first)
        pick_named(l, list, &p);
    else
        pick_declared(l, n, &p);
    *count = (uint32_t)(p.numbers.used / sizeof(uint32_t));
    uint32_t *numbers = MODEL_ARRAY(l->m, uint32_t, *count + 1);
    for (uint32_t k = 0; numbers && k < *count; k++)
        numbers[k] = ((const uint32_t *)(const void *)p.numbers.bytes)[k];
    vector_free(&p.numbers);
    return p.right ? numbers : NULL;
}

/* The number of states, and the accuracy. */
static void lower_reduction(Lowerer *l, const Node *n, const Linear *one,
                            Statement *s)
{
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, 1);
    if (!has_states(l->m))
        LOWER_ERROR(l, n, "REDUCE has nothing to leave out: there is no STATE");
    else if (one->inputs == 0 || one->outputs == 0)
        LOWER_ERROR(l, n,
                    "REDUCE needs INPUTS and OUTPUTS: which states may be left "
                    "out depends on what the outputs make of the inputs, and "
                    "there are no %s",
                    one->inputs == 0 ? "inputs" : "outputs");
    if (!list)
        return;
    s->flags |= 1u;
    s->c = node_absent(n->first)
               ? NULL
               : lower_fit(l, lower_in_code(l, n->first, IN_EXPERIMENT),
                           EXPR_TYPE_INTEGER);
    list[0] = real_of(l, n->last);
    s->list = list;
    s->n = 1;
}

void lower_linearize(Lowerer *l, const Node *n, Code *code)
{
    Linear one = {.line = lower_line(l, n->at, n->origin)};
    one.input = picked(l, n, node_child(n, 1), true, &one.inputs);
    one.output = picked(l, n, node_child(n, 2), false, &one.outputs);
    if (!one.input || !one.output || !without_delays(l, n, "LINEARIZE"))
        return;
    if (!has_states(l->m) && (one.inputs == 0 || one.outputs == 0)) {
        LOWER_ERROR(l, n,
                    "LINEARIZE has nothing to show: there is no STATE, and "
                    "without one it needs INPUTS and OUTPUTS");
        return;
    }
    Statement *s = add(l, n, code, STATEMENT_LINEARIZE);
    s->a = real_of(l, n->first);
    s->which = model_add_linear(l->m, &one);
    s->b = s->a ? NULL : start_time(l, n);
    if (node_child(n, 3))
        lower_reduction(l, node_child(n, 3), &one, s);
}

/* ---- Where copies have been ------------------------------------------------ */

/* Where a statement of the EXPERIMENT begins, as far as the text tells it. */
typedef enum Begins {
    BEGINS_ANEW, // at INITIAL, or that depends
    BEGINS_AFTER_RUN,
    BEGINS_AFTER_REST
} Begins;

static void check_begins(Lowerer *l, const Node *n, const char *what,
                         bool refused)
{
    if (refused)
        LOWER_ERROR(l, n,
                    "%s would begin where the statement before it has ended, "
                    "but the copies of CONTINUOUS PROCESSes end with their "
                    "run: let it begin at INITIAL, in a FRAME of its own, or "
                    "use LINEARIZE EVERY",
                    what);
}

static Begins follow(Lowerer *l, const Node *n, Begins begins);

static Begins follow_all(Lowerer *l, const Node *n, Begins begins)
{
    for (const Node *k = n->first; k; k = k->next)
        begins = follow(l, k, begins);
    return begins;
}

static Begins follow(Lowerer *l, const Node *n, Begins begins)
{
    switch (n->kind) {
    case NODE_SIMULATE:
        check_begins(l, n, "SIMULATE", begins == BEGINS_AFTER_REST);
        return BEGINS_AFTER_RUN;
    case NODE_STEADYSTATE:
        check_begins(l, n, "STEADYSTATE", begins != BEGINS_ANEW);
        return BEGINS_AFTER_REST;
    case NODE_LINEARIZE:
        check_begins(l, n, "LINEARIZE",
                     begins != BEGINS_ANEW && node_absent(n->first));
        return begins;
    case NODE_FRAME: return follow_all(l, n, BEGINS_ANEW);
    case NODE_EXPERIMENT:
    case NODE_LIST:
    case NODE_BLOCK: return follow_all(l, n, begins);
    default: break;
    }
    for (const Node *k = n->first; k; k = k->next)
        follow(l, k, begins);
    return node_simulates(n) ? BEGINS_ANEW : begins;
}

void lower_check_analyses(Lowerer *l, const Node *experiment)
{
    if (model_pools(l->m) && l->m->analyses)
        follow(l, experiment, BEGINS_ANEW);
}
