#include "algebra/elements.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "algebra/box.h"
#include "base/whole.h"

#define UNKNOWNS_MOST 400000000u

/* ---- Numbers ----------------------------------------------------------------------------- */

static bool slot_is_unknown(const Model *m, uint32_t slot)
{
    const Variable *v = model_variable(m, slot / 2);
    if (slot % 2)
        return v->kind == VARIABLE_STATE;
    return v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_LOGIC ||
           v->kind == VARIABLE_MEMORY;
}

static void number_unknowns(Elements *e)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < e->slots; k++) {
        e->first_unknown[k] = NONE;
        if (!slot_is_unknown(e->m, k))
            continue;
        e->first_unknown[k] = (uint32_t)count;
        if (model_variable(e->m, k / 2)->elements > 0)
            e->list[e->listed++] = k;
        count += model_variable(e->m, k / 2)->elements;
        if (count > UNKNOWNS_MOST)
            e->broken = true;
    }
    e->unknowns = (uint32_t)count;
}

static void number_equations(Elements *e)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < e->portions; k++) {
        const Portion *p = system_portion(e->s, k);
        e->first_equation[k] = (uint32_t)count;
        count += loops_elements(e->m, p->loops, p->n_loops);
        if (count > UNKNOWNS_MOST)
            e->broken = true;
    }
    e->first_equation[e->portions] = (uint32_t)count;
}

bool elements_begin(Elements *e, Model *m, System *s)
{
    *e = (Elements){.m = m,
                    .s = s,
                    .slots = 2 * model_variables(m),
                    .portions = system_portions(s)};
    e->first_unknown = NEW_ARRAY(&e->arena, uint32_t, e->slots + 1);
    e->list = NEW_ARRAY(&e->arena, uint32_t, e->slots + 1);
    e->first_equation = NEW_ARRAY(&e->arena, uint32_t, e->portions + 1);
    e->occurrence = NEW_ARRAY(&e->arena, Occurrence *, e->portions + 1);
    e->occurrences = NEW_ARRAY(&e->arena, uint32_t, e->portions + 1);
    e->broken = !e->first_unknown || !e->list || !e->first_equation ||
                !e->occurrence || !e->occurrences;
    if (e->broken)
        return false;
    number_unknowns(e);
    number_equations(e);
    return !e->broken;
}

void elements_free(Elements *e)
{
    arena_free(&e->arena);
}

uint32_t elements_portion(const Elements *e, uint32_t equation)
{
    uint32_t low = 0, high = e->portions;
    assert(equation < e->first_equation[e->portions]);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (e->first_equation[middle] <= equation)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t elements_slot(const Elements *e, uint32_t unknown)
{
    uint32_t low = 0, high = e->listed;
    assert(unknown < e->unknowns);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (e->first_unknown[e->list[middle]] <= unknown)
            low = middle;
        else
            high = middle;
    }
    return e->list[low];
}

static uint32_t columns_of(const Variable *v)
{
    return v->rank == 2 ? (uint32_t)(v->high[1] - v->low[1] + 1) : 1;
}

void elements_indices(const Elements *e, uint32_t unknown, int64_t *index)
{
    uint32_t slot = elements_slot(e, unknown);
    const Variable *v = model_variable(e->m, slot / 2);
    uint32_t at = unknown - e->first_unknown[slot];
    if (v->rank > 0)
        index[0] = v->low[0] + at / columns_of(v);
    if (v->rank == 2)
        index[1] = v->low[1] + at % columns_of(v);
}

void elements_name(const Elements *e, uint32_t unknown, Buffer *b)
{
    uint32_t slot = elements_slot(e, unknown);
    const Variable *v = model_variable(e->m, slot / 2);
    int64_t index[2] = {0, 0};
    elements_indices(e, unknown, index);
    buffer_text(b, v->name);
    for (uint32_t k = 0; k < v->rank; k++)
        buffer_format(b, "%s%" PRId64, k ? ", " : "[", index[k]);
    buffer_text(b, v->rank ? "]" : "");
    buffer_text(b, slot % 2 && !e->merged ? "'" : "");
}

void elements_values(const Elements *e, uint32_t portion, uint32_t element,
                     int64_t *value)
{
    const Portion *p = system_portion(e->s, portion);
    for (uint32_t k = p->n_loops; k-- > 0;) {
        const Loop *l = model_loop(e->m, p->loops[k]);
        uint32_t turns = (uint32_t)(l->high - l->low + 1);
        value[k] = l->low + element % turns;
        element /= turns;
    }
    assert(element == 0);
}

/* ---- Occurrences --------------------------------------------------------------------------- */

typedef struct Looking {
    Elements *e;
    const Portion *p;
    Vector found; // Occurrence
    const Expr *series[SERIES_MOST];
    uint32_t n_series;
    uint32_t deep; // further series, which are not listed
    ExprMap *seen;
} Looking;

static bool is_index(const Looking *l, const Expr *e)
{
    if (e->op == EXPR_INTEGER)
        return true;
    if (e->op == EXPR_LOOP) {
        for (uint32_t k = 0; k < l->p->n_loops; k++)
            if (l->p->loops[k] == e->which)
                return true;
        for (uint32_t k = 0; k < l->n_series; k++)
            if (l->series[k]->which == e->which)
                return true;
        return false;
    }
    if (e->op != EXPR_ADD && e->op != EXPR_SUB && e->op != EXPR_MUL &&
        e->op != EXPR_NEG)
        return false;
    for (uint32_t k = 0; k < e->count; k++)
        if (!is_index(l, e->arg[k]))
            return false;
    return true;
}

/* Series whose bounds cannot be computed count as reading everything. */
static bool is_exact(const Looking *l, const Expr *what)
{
    if (l->deep)
        return false;
    for (uint32_t k = 0; k < what->count; k++)
        if (!is_index(l, what->arg[k]))
            return false;
    for (uint32_t k = 0; k < l->n_series; k++)
        if (!is_index(l, l->series[k]->arg[0]) ||
            !is_index(l, l->series[k]->arg[1]) ||
            !(l->series[k]->arg[2]->op == EXPR_TRUTH ||
              is_index(l, l->series[k]->arg[2])))
            return false;
    return true;
}

static bool had(const Looking *l, const Expr *what)
{
    const Occurrence *o = (const Occurrence *)(const void *)l->found.bytes;
    for (size_t k = 0; k < l->found.used / sizeof *o; k++)
        if (o[k].what == what && o[k].n_series == l->n_series &&
            (l->n_series == 0 ||
             memcmp(o[k].series, l->series,
                    l->n_series * sizeof l->series[0]) == 0))
            return true;
    return false;
}

static void add_occurrence(Looking *l, const Expr *what)
{
    Occurrence o = {.what = what, .n_series = l->n_series};
    if (had(l, what))
        return;
    memcpy(o.series, l->series, sizeof o.series);
    o.exact = is_exact(l, what);
    if (!vector_append(&l->found, &o, sizeof o))
        l->e->broken = true;
}

static bool is_state(const Model *m, const Expr *e)
{
    return e->op == EXPR_VARIABLE &&
           model_variable(m, e->which)->kind == VARIABLE_STATE;
}

static void look(Looking *l, const Expr *e)
{
    if (!(e->reads & (READS_STATE | READS_COMPUTED)))
        return;
    if (is_unknown(l->e->m, e))
        add_occurrence(l, e);
    else if (l->e->merged && is_state(l->e->m, e))
        add_occurrence(l, expr_rate(l->e->m, e->which, e->arg, e->count));
    bool series = expr_is_series(e->op);
    bool deep = series && l->n_series == SERIES_MOST;
    if (deep)
        l->deep++;
    else if (series)
        l->series[l->n_series++] = e;
    /* Outside of series a shared node is looked at once. */
    if (l->n_series == 0) {
        if (expr_map_get(l->seen, e))
            return;
        if (!expr_map_put(l->seen, e, e))
            l->e->broken = true;
    }
    for (uint32_t k = 0; k < e->count; k++)
        look(l, e->arg[k]);
    if (deep)
        l->deep--;
    else if (series)
        l->n_series--;
}

uint32_t elements_occurrences(Elements *e, uint32_t portion)
{
    if (e->occurrence[portion])
        return e->occurrences[portion];
    ExprMap seen = {0};
    Looking l = {.e = e, .p = system_portion(e->s, portion), .seen = &seen};
    if (e->values && l.p->value) {
        look(&l, l.p->value);
    } else {
        look(&l, l.p->left);
        look(&l, l.p->right);
    }
    for (const Guard *g = l.p->guard; g; g = g->select->around)
        look(&l, g->select->selector);
    Occurrence *list = arena_alloc(&e->arena, l.found.used + sizeof *list,
                                   _Alignof(Occurrence));
    if (list && l.found.used)
        memcpy(list, l.found.bytes, l.found.used);
    e->broken = e->broken || !list;
    e->occurrence[portion] = list;
    e->occurrences[portion] =
        list ? (uint32_t)(l.found.used / sizeof *list) : 0;
    expr_map_free(&seen);
    vector_free(&l.found);
    return e->occurrences[portion];
}

/* ---- What an element reads -------------------------------------------------------------------- */

bool index_value(const Expr *e, const uint32_t *loop, const int64_t *value,
                 uint32_t n, int64_t *result)
{
    int64_t a, b;
    switch (e->op) {
    case EXPR_INTEGER: *result = e->integer; return true;
    case EXPR_LOOP:
        for (uint32_t k = n; k-- > 0;)
            if (loop[k] == e->which) {
                *result = value[k];
                return true;
            }
        return false;
    case EXPR_NEG:
        return index_value(e->arg[0], loop, value, n, &a) &&
               whole_subtract(0, a, result);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL: break;
    default: return false;
    }
    if (!index_value(e->arg[0], loop, value, n, &a) ||
        !index_value(e->arg[1], loop, value, n, &b))
        return false;
    return e->op == EXPR_ADD   ? whole_add(a, b, result)
           : e->op == EXPR_SUB ? whole_subtract(a, b, result)
                               : whole_multiply(a, b, result);
}

uint32_t elements_target(const Elements *e, uint32_t portion, uint32_t element)
{
    const Portion *p = system_portion(e->s, portion);
    const Variable *v = model_variable(e->m, p->target->which);
    int64_t value[LOOPS_MOST], index = 0;
    uint64_t at = 0;
    elements_values(e, portion, element, value);
    for (uint32_t i = 0; i < v->rank; i++) {
        bool known =
            index_value(p->target->arg[i], p->loops, value, p->n_loops, &index);
        assert(known && index >= v->low[i] && index <= v->high[i]);
        (void)known;
        at = i ? at * columns_of(v) : 0;
        at += whole_apart(v->low[i], index);
    }
    return e->first_unknown[2 * p->target->which +
                            (p->target->op == EXPR_RATE)] +
           (uint32_t)at;
}

typedef struct Reading {
    Elements *e;
    const Occurrence *o;
    uint32_t number; // of the occurrence
    uint32_t loop[LOOPS_MOST + SERIES_MOST];
    int64_t value[LOOPS_MOST + SERIES_MOST];
    uint32_t n;
    Vector *out;
    bool right;
} Reading;

static void put(Reading *r, uint32_t unknown)
{
    ElementRead one = {unknown, r->number};
    r->right = r->right && vector_append(r->out, &one, sizeof one);
}

static uint32_t first_of(const Reading *r)
{
    const Expr *what = r->o->what;
    return r->e->first_unknown[2 * what->which + (what->op == EXPR_RATE)];
}

static void read_exact(Reading *r)
{
    const Expr *what = r->o->what;
    const Variable *v = model_variable(r->e->m, what->which);
    int64_t at[2] = {0, 0};
    uint64_t position = 0;
    for (uint32_t k = 0; k < v->rank; k++) {
        if (!index_value(what->arg[k], r->loop, r->value, r->n, &at[k]) ||
            at[k] < v->low[k] || at[k] > v->high[k])
            return; // outside of the array: IF guards it
        position = k ? position * columns_of(v) : 0;
        position += whole_apart(v->low[k], at[k]);
    }
    put(r, first_of(r) + (uint32_t)position);
}

static void read_series(Reading *r, uint32_t depth)
{
    int64_t low, high, except = 0;
    if (depth == r->o->n_series) {
        read_exact(r);
        return;
    }
    const Expr *s = r->o->series[depth];
    bool has_except = s->arg[2]->op != EXPR_TRUTH;
    if (!index_value(s->arg[0], r->loop, r->value, r->n, &low) ||
        !index_value(s->arg[1], r->loop, r->value, r->n, &high) ||
        (has_except &&
         !index_value(s->arg[2], r->loop, r->value, r->n, &except)))
        return;
    r->loop[r->n] = s->which;
    r->n++;
    for (int64_t k = low; k <= high && r->right; k++) {
        r->value[r->n - 1] = k;
        if (!has_except || k != except)
            read_series(r, depth + 1);
    }
    r->n--;
}

/* Everything that A[M] may be. */
static void read_whole(Reading *r)
{
    Box b = box_around(r->e->m, r->o->what);
    const Variable *v = model_variable(r->e->m, r->o->what->which);
    uint32_t first = first_of(r);
    if (v->rank == 0) {
        put(r, first);
        return;
    }
    for (int64_t i = b.low[0]; i <= b.high[0] && r->right; i++) {
        if (i < v->low[0] || i > v->high[0])
            continue;
        uint32_t row = first + (uint32_t)(i - v->low[0]) * columns_of(v);
        if (v->rank == 1) {
            put(r, row);
            continue;
        }
        for (int64_t j = b.low[1]; j <= b.high[1]; j++)
            if (j >= v->low[1] && j <= v->high[1])
                put(r, row + (uint32_t)(j - v->low[1]));
    }
}

bool elements_reads(Elements *e, uint32_t portion, uint32_t element, bool all,
                    Vector *out)
{
    uint32_t n = elements_occurrences(e, portion);
    const Portion *p = system_portion(e->s, portion);
    Reading r = {.e = e, .n = p->n_loops, .out = out, .right = !e->broken};
    memcpy(r.loop, p->loops, sizeof p->loops);
    elements_values(e, portion, element, r.value);
    for (uint32_t k = 0; k < n && r.right; k++) {
        r.o = &e->occurrence[portion][k];
        r.number = k;
        r.n = p->n_loops;
        if (r.o->exact)
            read_series(&r, 0);
        else if (all)
            read_whole(&r);
    }
    return r.right;
}

bool elements_reads_in(Elements *e, uint32_t portion, const Expr *x,
                       const int64_t *value, Vector *out)
{
    ExprMap seen = {0};
    const Portion *p = system_portion(e->s, portion);
    Looking l = {.e = e, .p = p, .seen = &seen};
    look(&l, x);
    Reading r = {.e = e, .out = out, .right = !e->broken};
    memcpy(r.loop, p->loops, sizeof p->loops);
    memcpy(r.value, value,
           sizeof p->loops / sizeof p->loops[0] * sizeof *value);
    r.o = (const Occurrence *)(const void *)l.found.bytes;
    for (size_t n = l.found.used / sizeof *r.o; n > 0 && r.right; n--, r.o++) {
        r.n = p->n_loops;
        if (r.o->exact)
            read_series(&r, 0);
        else
            read_whole(&r);
    }
    expr_map_free(&seen);
    vector_free(&l.found);
    return r.right;
}
