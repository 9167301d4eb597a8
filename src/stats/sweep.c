#include "stats/sweep_columns.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/number.h"
#include "stats/value.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

/* What sweep_take puts before the settings and values of a run. */
enum { TAKEN_STATUS, TAKEN_RUN, TAKEN_HEAD };

/* ---- Columns ---------------------------------------------------------------- */

SweepTable *sweep_present(const Sweep *s)
{
    return s->present ? SECTION(s->tables, SweepTable) + s->present - 1 : NULL;
}

const SweepTable *sweep_tables(const Sweep *s, uint32_t *n)
{
    *n = (uint32_t)(s->tables.used / sizeof(SweepTable));
    return SECTION(s->tables, const SweepTable);
}

const RunSetting *sweep_parameter(const SweepTable *t, uint32_t parameter)
{
    assert(parameter < t->parameters);
    return SECTION(t->parameter, const RunSetting) + parameter;
}

const Quantity *sweep_quantity(const SweepTable *t, uint32_t quantity)
{
    assert(quantity < t->quantities.used / sizeof(Quantity));
    return SECTION(t->quantities, const Quantity) + quantity;
}

static QuantityList list_of(SweepTable *t)
{
    return (QuantityList){t->model, &t->quantities, 0};
}

/* A STATE is only set at the start. */
static bool is_set(const SweepBegin *b, uint32_t variable)
{
    if (b->c->model->variables[variable].kind == COSY_STATE)
        return false;
    for (uint32_t k = 0; k < b->settings; k++)
        if (b->setting[k].variable == variable)
            return true;
    return false;
}

/* What a run computes for itself: a scalar that statements assign. Those that
   the experiment has set stay as they are. */
static bool add_assigned(SweepTable *t, const SweepBegin *b)
{
    const CosyModel *m = t->model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        bool assigned = v->kind == COSY_REAL || v->kind == COSY_DSTATE ||
                        v->kind == COSY_LOGIC;
        if (assigned && value_count(v) == 1 && !is_set(b, k))
            ok &= quantity_final(list_of(t), k, 0);
    }
    return ok;
}

/* Scalars of STORE and OUTPUT, with truth values and columns. */
static bool add_stored(SweepTable *t, const SweepBegin *b)
{
    const CosyModel *m = t->model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_stored; k++)
        if (value_count(&m->variables[m->stored[k]]) == 1 &&
            !is_set(b, m->stored[k]))
            ok &= quantity_final(list_of(t), m->stored[k], 0);
    return ok;
}

static bool add_states(SweepTable *t)
{
    const CosyModel *m = t->model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (m->variables[k].kind == COSY_STATE &&
            value_count(&m->variables[k]) == 1)
            ok &= quantity_final(list_of(t), k, 0);
    return ok;
}

static uint32_t count_quantities(const SweepTable *t)
{
    return (uint32_t)(t->quantities.used / sizeof(Quantity));
}

/* In a model with statistics these are what matters, and what its statements
   assign is mostly in passing; in any other model what they assign comes before
   the last point of a curve. */
static bool add_all(SweepTable *t, const SweepBegin *b)
{
    const CosySimulate *s = b->simulate;
    bool named = s->within > R(0.0) || s->is_best;
    bool ok = quantity_statistics(list_of(t), b->c) &&
              (!named || quantity_final(list_of(t), s->of,
                                        s->of_at == COSY_NONE ? 0 : s->of_at));
    bool statistics = count_quantities(t) > 0 || t->model->n_resources > 0;
    ok = ok && (statistics ? add_stored(t, b) : add_assigned(t, b));
    ok = ok && quantity_resources(list_of(t));
    ok = ok && (statistics ? add_assigned(t, b) : add_stored(t, b));
    if (ok && count_quantities(t) == 0)
        ok = add_states(t);
    if (count_quantities(t) > SWEEP_QUANTITIES)
        t->quantities.used = SWEEP_QUANTITIES * sizeof(Quantity);
    return ok;
}

/* ---- Which come first ------------------------------------------------------- */

uint32_t sweep_varied(const SweepTable *t, uint32_t variable, uint32_t at)
{
    for (uint32_t k = 0; k < t->parameters; k++) {
        const RunSetting *s = sweep_parameter(t, k);
        if (s->variable == variable &&
            (s->index == at || s->index == COSY_NONE || at == COSY_NONE))
            return k;
    }
    return COSY_NONE;
}

uint32_t sweep_find(const SweepTable *t, uint32_t variable, uint32_t at)
{
    SweepTable own = *t;
    return quantity_find_value(list_of(&own), variable, at);
}

static bool is_ordered(const SweepTable *t, uint32_t quantity)
{
    const uint32_t *order = SECTION(t->order, const uint32_t);
    for (size_t k = 0; k < t->order.used / sizeof *order; k++)
        if (order[k] == quantity)
            return true;
    return false;
}

static bool put_in_order(SweepTable *t, uint32_t quantity)
{
    return quantity == COSY_NONE || is_ordered(t, quantity) ||
           vector_append(&t->order, &quantity, sizeof quantity);
}

/* GRAPH VERSUS P: X asks for X where P varies. */
static bool order_asked(SweepTable *t, const CosyShow *line)
{
    enum { ELEMENTS_MOST = 12 };
    bool ok = true;
    if (line->versus == COSY_NONE || line->run != COSY_TIMEF ||
        sweep_varied(t, line->versus, line->versus_at) == COSY_NONE)
        return true;
    for (uint32_t k = 0; k < line->n; k++) {
        uint32_t variable = line->variable[k];
        ValueSpan s =
            value_span(&t->model->variables[variable], line->element[k]);
        for (uint32_t i = s.from; i < s.end && i < s.from + ELEMENTS_MOST; i++)
            ok = ok && quantity_final(list_of(t), variable, i) &&
                 put_in_order(t, sweep_find(t, variable, i));
    }
    return ok;
}

static bool put_order(SweepTable *t)
{
    const CosyModel *m = t->model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_shows; k++)
        ok = ok && order_asked(t, &m->shows[k]);
    t->asked = (uint32_t)(t->order.used / sizeof(uint32_t));
    t->width = count_quantities(t);
    for (int quantiles = 0; quantiles < 2; quantiles++)
        for (uint32_t k = 0; ok && k < t->width; k++)
            if ((sweep_quantity(t, k)->kind == QUANTITY_QUANTILE) ==
                (quantiles == 1))
                ok = put_in_order(t, k);
    return ok;
}

/* ---- Rows ------------------------------------------------------------------- */

static bool make_rows(SweepTable *t)
{
    size_t n = t->elements, values = n * t->width;
    bool ok =
        vector_append(&t->rows, NULL, n * sizeof(SweepRow)) &&
        vector_append(&t->settings, NULL, n * t->parameters * sizeof(real));
    if (t->replicated)
        return ok && vector_append(&t->tallies, NULL, values * sizeof(Tally)) &&
               (!t->antithetic ||
                vector_append(&t->partners, NULL, values * sizeof(real)));
    return ok && vector_append(&t->values, NULL, values * sizeof(real));
}

bool sweep_lay_out(SweepTable *t)
{
    return put_order(t) && make_rows(t);
}

void sweep_table_free(SweepTable *t)
{
    vector_free(&t->parameter);
    vector_free(&t->quantities);
    vector_free(&t->order);
    vector_free(&t->rows);
    vector_free(&t->settings);
    vector_free(&t->values);
    vector_free(&t->tallies);
    vector_free(&t->partners);
}

static bool make_table(SweepTable *t, const SweepBegin *b)
{
    for (uint32_t k = 0; k < b->settings; k++)
        if (b->setting[k].varied &&
            !vector_append(&t->parameter, &b->setting[k], sizeof b->setting[k]))
            return false;
    t->parameters = (uint32_t)(t->parameter.used / sizeof(RunSetting));
    return add_all(t, b) && sweep_lay_out(t);
}

Status sweep_begin(Sweep *s, const SweepBegin *b)
{
    SweepTable t = {.model = b->c->model,
                    .frame = b->simulate->frame ? b->simulate->frame : 1,
                    .first = b->first,
                    .elements = b->elements,
                    .replicated = b->replicated,
                    .antithetic = b->antithetic,
                    .sampled = b->sampled};
    s->present = 0;
    if (b->elements <= 1 || b->simulate->task == COSY_LINEARIZE)
        return STATUS_OK;
    if (make_table(&t, b) && vector_append(&s->tables, &t, sizeof t)) {
        s->present = (uint32_t)(s->tables.used / sizeof t);
        return STATUS_OK;
    }
    sweep_table_free(&t);
    return STATUS_MEMORY;
}

static bool append(Vector *v, real x)
{
    return vector_append(v, &x, sizeof x);
}

bool sweep_take(const Sweep *s, const QuantityRun *run, Status ended,
                const RunSetting *setting, uint32_t settings, Vector *taken)
{
    const SweepTable *t = sweep_present(s);
    taken->used = 0;
    if (!t)
        return true;
    bool ok =
        append(taken, (real)ended) && append(taken, (real)run->c->head->run);
    uint32_t varied = 0;
    for (uint32_t k = 0; k < settings; k++)
        if (setting[k].varied && varied++ < t->parameters)
            ok = ok && append(taken, setting[k].value);
    for (; varied < t->parameters; varied++)
        ok = ok && append(taken, (real)NAN);
    for (uint32_t k = 0; k < t->width && ended == STATUS_OK; k++)
        ok = ok && append(taken, quantity_value(sweep_quantity(t, k), run));
    return ok;
}

static void gather_replication(SweepTable *t, uint32_t element, bool second,
                               const real *value)
{
    size_t first = (size_t)element * t->width;
    Tally *tally = SECTION(t->tallies, Tally) + first;
    for (uint32_t k = 0; k < t->width; k++) {
        real x = value[k];
        real *partner =
            t->antithetic ? SECTION(t->partners, real) + first + k : NULL;
        if (replicate_pair(partner, t->antithetic, second, &x))
            replicate_tally(&tally[k], x);
    }
}

void sweep_gather(Sweep *s, uint32_t element, const Vector *taken)
{
    SweepTable *t = sweep_present(s);
    const real *number = SECTION(*taken, const real);
    if (!t || taken->used < (TAKEN_HEAD + t->parameters) * sizeof(real))
        return; // there was not even memory for it to begin
    assert(element < t->elements);
    SweepRow *row = SECTION(t->rows, SweepRow) + element;
    const real *value = number + TAKEN_HEAD + t->parameters;
    Status ended = (Status)number[TAKEN_STATUS];
    if (row->runs == 0) {
        row->run = (uint32_t)number[TAKEN_RUN];
        if (t->parameters)
            memcpy(SECTION(t->settings, real) + (size_t)element * t->parameters,
                   number + TAKEN_HEAD, t->parameters * sizeof(real));
    }
    bool second = (row->runs - row->failed - row->stopped) % 2 == 1;
    row->runs++;
    row->stopped += ended == STATUS_STOPPED;
    row->failed += ended != STATUS_OK && ended != STATUS_STOPPED;
    if (ended != STATUS_OK)
        return;
    if (t->replicated)
        gather_replication(t, element, second, value);
    else if (t->width) // no section has an address while it is empty
        memcpy(SECTION(t->values, real) + (size_t)element * t->width, value,
               t->width * sizeof(real));
}

/* ---- What is in it ---------------------------------------------------------- */

const SweepRow *sweep_row(const SweepTable *t, uint32_t row)
{
    assert(row < t->elements);
    return SECTION(t->rows, const SweepRow) + row;
}

real sweep_setting(const SweepTable *t, uint32_t row, uint32_t parameter)
{
    assert(parameter < t->parameters);
    return SECTION(t->settings,
                   const real)[(size_t)row * t->parameters + parameter];
}

static bool has_values(const SweepRow *r)
{
    return r->runs > r->stopped + r->failed;
}

Tally sweep_tally(const SweepTable *t, uint32_t row, uint32_t quantity)
{
    assert(quantity < t->width);
    if (!t->replicated)
        return (Tally){0};
    return SECTION(t->tallies, const Tally)[(size_t)row * t->width + quantity];
}

real sweep_mean(const SweepTable *t, uint32_t row, uint32_t quantity)
{
    if (!has_values(sweep_row(t, row)))
        return (real)NAN;
    if (!t->replicated)
        return SECTION(t->values,
                       const real)[(size_t)row * t->width + quantity];
    Tally all = sweep_tally(t, row, quantity);
    return all.n ? all.mean : (real)NAN;
}

real sweep_half(const SweepTable *t, uint32_t row, uint32_t quantity)
{
    Tally all = sweep_tally(t, row, quantity);
    return all.n > 1 ? replicate_sure(&all) : (real)NAN;
}

const char *sweep_status(const SweepRow *row)
{
    return row->failed ? "failed" : row->stopped ? "stopped" : "finished";
}

bool sweep_is_whole(const SweepTable *t)
{
    for (uint32_t k = 0; k < t->elements; k++) {
        const SweepRow *r = sweep_row(t, k);
        if (r->runs && (r->failed || r->stopped))
            return false;
    }
    return true;
}

/* Among rows that differ by less than runs are exact to, the first counts. */
SweepEnds sweep_ends(const SweepTable *t, uint32_t quantity)
{
    SweepEnds e = {.least = COSY_NONE, .greatest = COSY_NONE};
    real low = R(0.0), high = R(0.0);
    const real alike = R(1e-6);
    for (uint32_t k = 0; k < t->elements; k++) {
        real x = sweep_mean(t, k, quantity);
        if (!cosy_finite(x))
            continue;
        if (e.least == COSY_NONE || x < low - alike * cosy_abs(low)) {
            low = x;
            e.least = k;
        }
        if (e.greatest == COSY_NONE || x > high + alike * cosy_abs(high)) {
            high = x;
            e.greatest = k;
        }
    }
    real size = cosy_max(cosy_abs(low), cosy_abs(high));
    e.varies = e.least != COSY_NONE && high - low > R(1e-12) * size;
    return e;
}

bool sweep_is_truth(const SweepTable *t, uint32_t quantity)
{
    const Quantity *q = sweep_quantity(t, quantity);
    return (q->kind == QUANTITY_FINAL || q->kind == QUANTITY_COLUMN) &&
           t->model->variables[q->which].type == COSY_TYPE_BOOLEAN;
}

uint32_t sweep_choose(const SweepTable *t, uint32_t *chosen, uint32_t most,
                      uint32_t *left)
{
    const uint32_t *order = SECTION(t->order, const uint32_t);
    uint32_t n = 0;
    *left = 0;
    for (uint32_t k = 0; k < t->order.used / sizeof *order; k++) {
        if (order[k] >= t->width ||
            (k >= t->asked && !sweep_ends(t, order[k]).varies))
            continue;
        if (n < most)
            chosen[n++] = order[k];
        else
            ++*left;
    }
    return n;
}

void sweep_put_name(Buffer *b, const SweepTable *t, uint32_t parameter)
{
    const RunSetting *s = sweep_parameter(t, parameter);
    const CosyVariable *v = &t->model->variables[s->variable];
    if (s->index == COSY_NONE)
        buffer_text(b, v->name);
    else
        value_name(b, v, s->index);
    if (v->kind == COSY_STATE)
        buffer_text(b, ".start");
}

void sweep_put_value(Buffer *b, const SweepTable *t, uint32_t parameter,
                     real value, int digits)
{
    const RunSetting *s = sweep_parameter(t, parameter);
    if (t->model->variables[s->variable].type == COSY_TYPE_BOOLEAN)
        buffer_text(b, value != R(0.0) ? "TRUE" : "FALSE");
    else
        number_print(b, 'g', digits, value);
}

void sweep_put_words(Buffer *b, const SweepTable *t, uint32_t row)
{
    for (uint32_t k = 0; k < t->parameters; k++) {
        buffer_text(b, k ? ", " : "");
        sweep_put_name(b, t, k);
        buffer_text(b, " = ");
        sweep_put_value(b, t, k, sweep_setting(t, row, k), 6);
    }
}

void sweep_free(Sweep *s)
{
    SweepTable *t = SECTION(s->tables, SweepTable);
    for (size_t k = 0; k < s->tables.used / sizeof *t; k++)
        sweep_table_free(&t[k]);
    vector_free(&s->tables);
    s->present = 0;
}
