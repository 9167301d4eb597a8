#include "lower/field.h"

#include "base/whole.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Declarations: every name of the program gets its meaning. */

ExprType lower_type(Word type)
{
    switch (type) {
    case WORD_INTEGER: return EXPR_TYPE_INTEGER;
    case WORD_BOOLEAN:
    case WORD_LOGIC: return EXPR_TYPE_BOOLEAN;
    case WORD_SEVENT:
    case WORD_TEVENT: return EXPR_TYPE_INTEGER; // attributes that name an event
    default: return EXPR_TYPE_REAL;
    }
}

/* ---- Constants --------------------------------------------------------------- */

static void bad_set(Lowerer *l, const Node *n, const char *text,
                    const char *wanted)
{
    unit_error(l->unit, n->at, n->origin,
               "--set gives CONST `%s` the value `%s`, but it is %s", n->text,
               text, wanted);
}

/* INTEGER constants are known only here. */
static void integer_const(Lowerer *l, const Node *n)
{
    Meaning *meaning = meaning_of(l, n->symbol);
    const char *set = lower_set_value(l, n->symbol);
    int64_t value = n->symbol->integer;
    if (set) {
        char *end;
        errno = 0;
        long long given = strtoll(set, &end, 10);
        if (errno || end == set || *end)
            bad_set(l, n, set, "an INTEGER");
        else
            value = given;
    } else if (!lower_fold(l, n->last, &value)) {
        LOWER_ERROR(l, n->last, "the value of CONST `%s` is not a whole number",
                    n->text);
    }
    meaning->kind = MEANS_VALUE;
    meaning->value = expr_integer(l->m, value);
}

static void real_const(Lowerer *l, const Node *n)
{
    const Expr *value = lower_fit(l, lower_expression(l, n->last, IN_VALUE),
                                  lower_type(n->word));
    uint32_t k = lower_variable(l, n, VARIABLE_CONST);
    Variable *v = model_variable(l->m, k);
    v->value = value;
    for (uint32_t i = 0; l->o && i < l->o->sets; i++)
        v->given = v->given || name_same(l->o->set[i].name, v->name);
}

static void lower_const(Lowerer *l, const Node *n)
{
    if (!n->symbol || meaning_of(l, n->symbol)->kind != MEANS_NOTHING)
        return;
    if (n->word == WORD_INTEGER)
        integer_const(l, n);
    else
        real_const(l, n);
}

/* ---- Variables ---------------------------------------------------------------- */

static bool lower_extent(Lowerer *l, const Node *n, const char *name,
                         int64_t *low, int64_t *high)
{
    *low = 1;
    if (!node_absent(n->first) &&
        !lower_constant(l, n->first, "the first index", low))
        return false;
    if (!lower_constant(l, n->last, "the size of an array", high))
        return false;
    if (!whole_is_bound(*low) || !whole_is_bound(*high)) {
        LOWER_ERROR(l, n,
                    "%" PRId64 " is too large for an index of `%s`: indices "
                    "lie between %" PRId64 " and %" PRId64,
                    whole_is_bound(*low) ? *high : *low, name, -WHOLE_BOUND,
                    WHOLE_BOUND);
        return false;
    }
    if (*high >= *low)
        return true;
    LOWER_ERROR(l, n,
                "`%s` would have no elements: its last index %" PRId64
                " is below the first, %" PRId64,
                name, *high, *low);
    return false;
}

/* Computed again, since --set may have changed a CONST. */
static void lower_extents(Lowerer *l, const Node *list, Variable *v)
{
    for (const Node *k = list->first; k && v->rank < 2; k = k->next) {
        int64_t low = 1, high = 1;
        if (!lower_extent(l, k, v->name, &low, &high))
            low = high = 1;
        v->low[v->rank] = low;
        v->high[v->rank++] = high;
        uint64_t size = (uint64_t)high - (uint64_t)low + 1;
        if (size == 0 || size > LIMIT_ARRAY / v->elements) {
            LOWER_ERROR(l, list, "an array has at most %d elements",
                        LIMIT_ARRAY);
            return;
        }
        v->elements *= size;
    }
}

uint64_t lower_shape(Lowerer *l, const Node *n, Meaning *shape)
{
    Variable v = {.name = n->text, .elements = 1};
    if (!node_absent(n->last))
        lower_extents(l, n->last, &v);
    shape->rank = v.rank;
    for (uint32_t k = 0; k < v.rank; k++) {
        shape->low[k] = v.low[k];
        shape->high[k] = v.high[k];
    }
    return v.elements;
}

/* INF stays what it is: an INTEGER may have one bound only, too. */
static const Expr *lower_bound(Lowerer *l, const Node *n, ExprType type)
{
    const Expr *bound = lower_expression(l, n, IN_VALUE);
    return expr_may_be_infinite(l->m, bound) ? bound
                                             : lower_fit(l, bound, type);
}

static void lower_range(Lowerer *l, const Node *range, Variable *v)
{
    v->range_low = lower_bound(l, range->first, v->type);
    v->range_high = lower_bound(l, range->last, v->type);
}

static bool has_unit(const Node *n)
{
    return n->first && n->first->kind == NODE_UNIT;
}

const char *lower_found_unit(Lowerer *l, const Symbol *s)
{
    const Dimension d = s->dimension;
    Buffer b = {0};
    if (!d.known || dimension_is_none(d))
        return "";
    dimension_print(&b, d);
    const char *text = model_format(l->m, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* The declared unit; for a CONST that of its value; otherwise the one that was
   found. */
static const char *unit_text(Lowerer *l, const Node *n)
{
    const Node *value = n->kind == NODE_CONST_ITEM ? n->last : n;
    while (value->kind == NODE_UNARY)
        value = value->first;
    if (has_unit(n))
        return n->first->text;
    if (has_unit(value))
        return value->first->text;
    return lower_found_unit(l, n->symbol);
}

/* In a CONTINUOUS PROCESS: each copy has its own. */
static bool is_copied(const Node *n, VariableKind kind)
{
    return n->kind == NODE_FIELD_ITEM || n->symbol->own ||
           (kind >= VARIABLE_STATE && kind <= VARIABLE_MEMORY &&
            kind != VARIABLE_DSTATE);
}

static void pool_shape(Lowerer *l, const Node *n, Variable *v)
{
    if (v->kind == VARIABLE_ATTRIBUTE)
        return;
    v->pool = l->pool;
    v->rank = 1;
    v->high[0] = POOL_SIDE - 1;
    v->elements = POOL_SIDE;
    if (n->kind == NODE_VARIABLE && !node_absent(n->last) &&
        node_count(n->last) > 1)
        LOWER_ERROR(l, n,
                    "a variable of copies has at most one index of its own");
}

uint32_t lower_variable(Lowerer *l, const Node *n, VariableKind kind)
{
    Symbol *s = n->symbol;
    const char *name = s->name;
    Variable v = {
        .name = name,
        .c_name = model_c_name(l->m, name),
        .kind = kind,
        .type = lower_type(n->word),
        .elements = 1,
        .unit = unit_text(l, n),
        .rate_of = NONE,
        .routine = kind == VARIABLE_LOCAL || kind == VARIABLE_FORMAL
                       ? l->routine
                       : NONE,
        .record = NONE,
        .process = kind == VARIABLE_OWN ? l->process : NONE,
        .by_reference = n->kind == NODE_FORMAL && (n->flags & FLAG_VAR),
        .own = s->own,
        .input = n->kind == NODE_VARIABLE && (n->flags & FLAG_INPUT),
        .output = n->kind == NODE_VARIABLE && (n->flags & FLAG_OUTPUT),
        .through = n->kind == NODE_VARIABLE && (n->flags & FLAG_PART),
        .loose = n->kind == NODE_VARIABLE && (n->flags & FLAG_PATH),
        .at = n->at,
        .line = lower_line(l, n->at, n->origin)};
    if (l->pool && is_copied(n, kind))
        pool_shape(l, n, &v);
    if (n->kind == NODE_VARIABLE && !node_absent(n->last))
        lower_extents(l, n->last, &v);
    if (n->kind == NODE_VARIABLE && !node_absent(node_child(n, 1)))
        lower_range(l, node_child(n, 1), &v);
    uint32_t number = model_add_variable(l->m, &v);
    Meaning *meaning = meaning_of(l, s);
    meaning->kind = MEANS_VARIABLE;
    meaning->number = number;
    return number;
}

/* ---- States -------------------------------------------------------------------- */

static void find_orders(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_DERIVATIVE) {
        const Symbol *s = designator_name(n)->symbol;
        Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
        if ((uint64_t)n->integer > meaning->order)
            meaning->order = (uint32_t)n->integer;
    }
    for (const Node *k = n->first; k; k = k->next)
        find_orders(l, k);
}

/* X' = "X'" for every element. */
static void equate_rate(Lowerer *l, const Node *n, uint32_t x, uint32_t rate)
{
    Model *m = l->m;
    const Expr *index[2];
    uint32_t rank = model_variable(m, x)->rank;
    Equation e = {.block = NONE, .model = NONE, .n_loops = rank, .at = n->at};
    for (uint32_t k = 0; k < rank; k++) {
        e.loops[k] = model_add_side(m, x, k);
        index[k] = expr_loop(m, e.loops[k]);
    }
    e.left = expr_rate(m, x, index, rank);
    e.right = expr_variable(m, rate, index, rank);
    e.row = lower_row(l, n, x, false);
    model_row(m, e.row)->text =
        model_format(m, "%s' = %s", model_variable(m, x)->name,
                     model_variable(m, rate)->name);
    model_add_equation(m, &e);
}

uint32_t lower_second(Lowerer *l, const Node *n, uint32_t x)
{
    Variable v = *model_variable(l->m, x);
    v.name = model_format(l->m, "%s'", v.name);
    v.c_name = model_c_name(l->m, v.name);
    v.unit = "";
    v.rate_of = x;
    v.range_low = v.range_high = NULL;
    v.input = v.output = false;
    uint32_t rate = model_add_variable(l->m, &v);
    equate_rate(l, n, x, rate);
    return rate;
}

/* A STATE, or an ALGEBR that is differentiated. */
static void lower_state(Lowerer *l, const Node *n)
{
    uint32_t x = lower_variable(l, n, VARIABLE_STATE);
    Meaning *meaning = meaning_of(l, n->symbol);
    model_variable(l->m, x)->wished = n->word == WORD_STATE;
    if (meaning->order == 2)
        meaning->rate = lower_second(l, n, x);
}

/* ---- Events, records, externals ------------------------------------------------- */

static void lower_event_name(Lowerer *l, const Node *n)
{
    const char *name = n->symbol->name;
    Event e = {.name = name,
               .c_name = model_c_name(l->m, name),
               .elements = 1,
               .pool = l->pool,
               .record = NONE,
               .at = n->at,
               .line = lower_line(l, n->at, n->origin)};
    bool state = n->word == WORD_SEVENT;
    Meaning *meaning = meaning_of(l, n->symbol);
    e.elements = lower_shape(l, n, meaning);
    e.rank = meaning->rank;
    for (uint32_t k = 0; k < e.rank; k++) {
        e.low[k] = meaning->low[k];
        e.high[k] = meaning->high[k];
    }
    meaning->kind = state ? MEANS_SEVENT : MEANS_TEVENT;
    meaning->number = state ? model_add_state_event(l->m, &e)
                            : model_add_time_event(l->m, &e);
    if (l->pool && !state)
        pool_timed(l, meaning->number);
}

static void lower_record(Lowerer *l, const Node *n)
{
    uint32_t count = node_count(n->last), k = 0;
    Record r = {.name = n->text, .c_name = model_c_name(l->m, n->text)};
    uint32_t *attribute = MODEL_ARRAY(l->m, uint32_t, count + 1);
    uint32_t number = model_records(l->m);
    if (!attribute || !n->symbol ||
        meaning_of(l, n->symbol)->kind != MEANS_NOTHING)
        return;
    for (const Node *f = n->last->first; f; f = f->next) {
        if (!f->symbol)
            continue;
        attribute[k] = lower_variable(l, f, VARIABLE_ATTRIBUTE);
        model_variable(l->m, attribute[k++])->record = number;
    }
    r.attribute = attribute;
    r.attributes = k;
    Meaning *meaning = meaning_of(l, n->symbol);
    meaning->kind = MEANS_RECORD;
    meaning->number = model_add_record(l->m, &r);
}

static void lower_external(Lowerer *l, const Node *n)
{
    const Node *derivative = n->last;
    External e = {.name = n->text,
                  .library = node_child(n, 1)->text,
                  .arguments = node_count(n->first->first),
                  .result = lower_type(n->word),
                  .derivative = NONE,
                  .at = n->at,
                  .line = lower_line(l, n->at, n->origin)};
    if (!node_absent(derivative) && derivative->symbol) {
        const Meaning *g = meaning_of(l, derivative->symbol);
        if (g->kind == MEANS_EXTERNAL)
            e.derivative = g->number;
        else
            LOWER_ERROR(l, derivative,
                        "the DERIVATIVE of an EXTERNAL FUNCTION is an EXTERNAL "
                        "FUNCTION declared before it");
    }
    if (e.result != EXPR_TYPE_REAL)
        LOWER_ERROR(l, n, "an EXTERNAL FUNCTION gives a REAL value");
    for (const Node *f = n->first->first->first; f; f = f->next)
        if (f->word != WORD_REAL)
            LOWER_ERROR(l, f, "an EXTERNAL FUNCTION works on REAL values");
    Meaning *meaning = meaning_of(l, n->symbol);
    meaning->kind = MEANS_EXTERNAL;
    meaning->number = model_add_external(l->m, &e);
}

/* ---- Lists ---------------------------------------------------------------------- */

/* What only COMMUNIC computes stays the same in between. */
static VariableKind computed(const Node *n, VariableKind kind)
{
    return n->symbol->assigned && !n->symbol->equated ? VARIABLE_DISCRETE
                                                      : kind;
}

void lower_program_variable(Lowerer *l, const Node *n)
{
    switch (n->word) {
    case WORD_STATE: lower_state(l, n); break;
    case WORD_SEVENT:
    case WORD_TEVENT: lower_event_name(l, n); break;
    case WORD_ALGEBR:
        if (n->symbol->derived)
            lower_state(l, n);
        else
            lower_variable(l, n, computed(n, VARIABLE_ALGEBR));
        break;
    case WORD_LOGIC: lower_variable(l, n, computed(n, VARIABLE_LOGIC)); break;
    case WORD_MEMORY: lower_variable(l, n, computed(n, VARIABLE_MEMORY)); break;
    case WORD_DSTATE: lower_variable(l, n, VARIABLE_DSTATE); break;
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN: lower_variable(l, n, VARIABLE_DISCRETE); break;
    case WORD_FACILITY:
    case WORD_GATE:
    case WORD_SIGNAL: lower_resource(l, n); break;
    case WORD_RANDOM: lower_stream(l, n); break;
    default: break; // SAMPLE: its body makes the clock
    }
}

static void lower_items(Lowerer *l, const Node *part)
{
    for (const Node *k = part->first->first; k; k = k->next) {
        if (!k->symbol)
            continue;
        if (k->kind == NODE_VARIABLE && k->word == WORD_RANDOM &&
            l->routine != NONE)
            LOWER_ERROR(l, k,
                        "RANDOM `%s` is declared in a routine, where RANDOMGEN "
                        "does not know it: declare it in the program",
                        k->symbol->shown);
        else if (k->kind == NODE_VARIABLE && l->routine != NONE)
            lower_variable(l, k, VARIABLE_LOCAL);
        else if (k->kind == NODE_VARIABLE && k->symbol->own)
            lower_variable(l, k, l->pool ? VARIABLE_DISCRETE : VARIABLE_OWN);
        else if (k->kind == NODE_VARIABLE)
            lower_program_variable(l, k);
        else if (k->kind == NODE_FILE_DECL)
            lower_file(l, k);
        else if (k->kind == NODE_STORAGE_DECL)
            lower_resource(l, k);
        else if (k->kind == NODE_FIELD_DECL)
            lower_field(l, k);
    }
}

static void lower_declaration(Lowerer *l, const Node *n)
{
    switch (n->kind) {
    case NODE_CONST_ITEM: lower_const(l, n); break;
    case NODE_TYPE_ITEM: lower_record(l, n); break;
    case NODE_VAR_PART: lower_items(l, n); break;
    case NODE_FUNCTABLE: lower_table(l, n); break;
    case NODE_EXTERNAL_FUNCTION: lower_external(l, n); break;
    default: break;
    }
}

void lower_locals(Lowerer *l, const Node *list)
{
    for (const Node *n = list->first; n && !l->m->broken; n = n->next)
        lower_declaration(l, n);
}

void lower_local_values(Lowerer *l, const Node *list)
{
    for (const Node *n = list->first; n; n = n->next)
        if (n->kind == NODE_CONST_ITEM || n->kind == NODE_FUNCTABLE)
            lower_declaration(l, n);
}

static void lower_stored(Lowerer *l, const Node *part)
{
    for (const Node *k = part->first->first; k; k = k->next) {
        uint32_t variable = lower_designated(l, k);
        if (variable != NONE && k->kind != NODE_INDEX)
            model_store(l->m, variable);
    }
}

void lower_declarations(Lowerer *l, const Node *segments)
{
    find_orders(l, segments);
    lower_locals(l, segments);
    for (uint32_t k = 0; k < model_time_events(l->m); k++)
        model_time_event(l->m, k)->record = l->m->calendar_record;
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_STORE_PART)
            lower_stored(l, n);
}
