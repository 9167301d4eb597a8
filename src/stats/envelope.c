#include "stats/envelope.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "stats/record.h"
#include "stats/value.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

/* ---- Points in time --------------------------------------------------------- */

static real direction(const EnvelopeGrid *g)
{
    return !g->to_finish && g->to < g->from ? R(-1.0) : R(1.0);
}

/* Communication point k, as run/communicate.c has it; false: after the end. */
static bool grid_time(const EnvelopeGrid *g, uint64_t k, real *t)
{
    uint32_t n = g->log_points;
    if (g->step > R(0.0)) {
        *t = g->from + direction(g) * (real)k * g->step;
        if (g->to_finish)
            return true;
        real left = (g->to - *t) * direction(g);
        if (cosy_abs(left) < R(1e-6) * g->step)
            *t = g->to;
        return left > R(-1e-6) * g->step;
    }
    if (k > n)
        return false;
    *t = k == 0 ? g->from
         : k == n
             ? g->to
             : g->from + (g->to - g->from) *
                             cosy_pow(R(1e-6), (real)(n - k) / (real)(n - 1));
    return true;
}

bool envelope_time(const Envelope *e, uint32_t point, real *t)
{
    return grid_time(&e->grid, (uint64_t)point * e->every, t);
}

/* ---- Which curves ----------------------------------------------------------- */

static bool add_column(Envelope *e, uint32_t variable, uint32_t element)
{
    if (e->columns == ENVELOPE_COLUMNS ||
        !record_column(e->model, variable, element))
        return false;
    if (envelope_column(e, variable, element) == COSY_NONE)
        e->column[e->columns++] = (EnvelopeColumn){variable, element};
    return true;
}

uint32_t envelope_column(const Envelope *e, uint32_t variable, uint32_t at)
{
    for (uint32_t k = 0; k < e->columns; k++)
        if (e->column[k].variable == variable &&
            e->column[k].element == (at == COSY_NONE ? 0 : at))
            return k;
    return COSY_NONE;
}

static void add_line(Envelope *e, const CosyShow *line)
{
    for (uint32_t k = 0; k < line->n; k++) {
        ValueSpan s = value_span(&e->model->variables[line->variable[k]],
                                 line->element[k]);
        for (uint32_t i = s.from; i < s.end; i++)
            add_column(e, line->variable[k], i);
    }
}

/* Those of GRAPH (MEAN); without OUTPUT the STOREd scalars. */
static void find_columns(Envelope *e)
{
    const CosyModel *m = e->model;
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (m->shows[k].run == COSY_MEAN)
            add_line(e, &m->shows[k]);
    for (uint32_t k = 0; k < m->n_stored && m->n_shows == 0; k++)
        if (m->stored[k] >= m->n_variables ||
            (value_is_global(&m->variables[m->stored[k]]) &&
             value_count(&m->variables[m->stored[k]]) == 1))
            add_column(e, m->stored[k], 0);
}

static void find_curves(Envelope *e)
{
    uint32_t n = e->elements;
    e->shown = n < ENVELOPE_ELEMENTS ? n : ENVELOPE_ELEMENTS;
    for (uint32_t k = 0; k < e->shown; k++)
        e->curve[k].place =
            e->shown < 2 ? 0
                         : (uint32_t)((uint64_t)k * (n - 1) / (e->shown - 1));
}

/* The number of the curve of an element; `shown`: it has none. */
static uint32_t curve_of(const Envelope *e, uint32_t place)
{
    uint32_t k = 0;
    while (k < e->shown && e->curve[k].place != place)
        k++;
    return k;
}

static Envelope *present(const Envelopes *all)
{
    size_t n = all->all.used / sizeof(Envelope);
    return all->present ? SECTION(all->all, Envelope) + n - 1 : NULL;
}

const Envelope *envelope_last(const Envelopes *all)
{
    size_t n = all->all.used / sizeof(Envelope);
    return n ? SECTION(all->all, const Envelope) + n - 1 : NULL;
}

/* Where the end is known, not more points than a curve can keep. */
static void coarsen(EnvelopeGrid *g)
{
    if (g->to_finish || !(g->step > R(0.0)))
        return;
    while (cosy_abs(g->to - g->from) > R(2.0) * ENVELOPE_POINTS * g->step)
        g->step *= R(2.0);
}

Status envelope_begin(Envelopes *all, const EnvelopeBegin *b)
{
    Envelope e = {.model = b->model,
                  .grid = b->grid,
                  .study = b->study,
                  .elements = b->elements,
                  .antithetic = b->antithetic,
                  .every = 1};
    bool points = b->grid.step > R(0.0) ||
                  (b->grid.log_points > 1 && !b->grid.to_finish &&
                   b->grid.log_points < ENVELOPE_TAKEN);
    all->present = false;
    if (!b->replicated || !points)
        return STATUS_OK;
    coarsen(&e.grid);
    find_columns(&e);
    find_curves(&e);
    if (e.columns == 0)
        return STATUS_OK;
    all->present = vector_append(&all->all, &e, sizeof e);
    return all->present ? STATUS_OK : STATUS_MEMORY;
}

/* ---- Runs ------------------------------------------------------------------- */

/* Records in the order of the run: the last row of an instant is what holds after
   its events. */
typedef struct Rows {
    const real *value;
    size_t n, at;
    uint32_t wide;
    real way;
} Rows;

/* The row of that time, or NULL. */
static const real *find_row(Rows *r, real t, real near)
{
    const real *found = NULL;
    while (r->at < r->n) {
        const real *row = r->value + r->at * r->wide;
        real off = (row[0] - t) * r->way;
        if (off > near)
            break;
        if (off >= -near)
            found = row;
        r->at++;
    }
    if (found && r->at > 0)
        r->at--; // the next point may be as near
    return found;
}

/* Appends the values of a row; NULL: there is none. */
static bool append_point(const Envelope *e, const uint32_t *column,
                         const real *row, Vector *values)
{
    real x[ENVELOPE_COLUMNS];
    for (uint32_t k = 0; k < e->columns; k++)
        x[k] = row ? row[column[k]] : (real)NAN;
    return vector_append(values, x, e->columns * sizeof *x);
}

/* How far a row may be from a point, if the next one is at `next`; the step may be
   a multiple of COMINT. */
static real nearness(const EnvelopeGrid *g, real t, bool any, real next)
{
    if (g->step > R(0.0))
        return R(1e-9) * g->step + R(1e-15) * cosy_abs(t);
    return any ? R(1e-3) * cosy_abs(next - t) : R(0.0);
}

bool envelope_take(const Envelopes *all, uint32_t place, const Vector *rows,
                   Vector *values)
{
    const Envelope *e = present(all);
    uint32_t column[ENVELOPE_COLUMNS];
    real t = R(0.0), next = R(0.0);
    values->used = 0;
    if (!e || curve_of(e, place) == e->shown)
        return true;
    for (uint32_t k = 0; k < e->columns; k++)
        column[k] = record_column(e->model, e->column[k].variable,
                                  e->column[k].element);
    uint32_t wide = record_width(e->model, false);
    Rows r = {SECTION(*rows, const real), rows->used / sizeof(real) / wide, 0,
              wide, direction(&e->grid)};
    bool any = grid_time(&e->grid, 0, &next);
    for (uint64_t k = 0; k < ENVELOPE_TAKEN && any; k++) {
        t = next;
        any = grid_time(&e->grid, k + 1, &next);
        const real *row = find_row(&r, t, nearness(&e->grid, t, any, next));
        if (!append_point(e, column, row, values))
            return false;
        if (r.at >= r.n || r.n == 0)
            break; // the run is over
    }
    return true;
}

/* ---- Means ------------------------------------------------------------------ */

/* Every second point is given up, of all curves. */
static void thin(Envelope *e)
{
    size_t size = e->columns * sizeof(EnvelopeCell);
    for (uint32_t i = 0; i < e->shown; i++) {
        uint32_t n = (e->curve[i].points + 1) / 2;
        for (uint32_t k = 1; k < n; k++)
            memcpy(e->curve[i].cells.bytes + k * size,
                   e->curve[i].cells.bytes + 2 * k * size, size);
        e->curve[i].points = n;
        e->curve[i].cells.used = n * size;
    }
    e->every *= 2;
}

static void add_value(const Envelope *e, EnvelopeCell *c, real x, bool second)
{
    if (!cosy_finite(x))
        return;
    if (e->shown == 1) {
        psquare_add(&c->low, ENVELOPE_LOW, (double)x);
        psquare_add(&c->high, ENVELOPE_HIGH, (double)x);
    }
    if (replicate_pair(&c->partner, e->antithetic, second, &x))
        replicate_tally(&c->mean, x);
}

bool envelope_add(Envelopes *all, uint32_t place, const Vector *values)
{
    Envelope *e = present(all);
    uint32_t i = e ? curve_of(e, place) : 0;
    if (!e || i == e->shown || values->used == 0)
        return true;
    const real *x = SECTION(*values, const real);
    size_t taken = values->used / sizeof *x / e->columns;
    bool second = e->curve[i].runs++ % 2 == 1;
    while ((taken + e->every - 1) / e->every > ENVELOPE_POINTS)
        thin(e);
    uint32_t n = (uint32_t)((taken + e->every - 1) / e->every);
    if (n > e->curve[i].points) {
        size_t more = (size_t)(n - e->curve[i].points) * e->columns;
        if (!vector_append(&e->curve[i].cells, NULL,
                           more * sizeof(EnvelopeCell)))
            return false;
        e->curve[i].points = n;
    }
    EnvelopeCell *cell = SECTION(e->curve[i].cells, EnvelopeCell);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t c = 0; c < e->columns; c++)
            add_value(e, &cell[(size_t)k * e->columns + c],
                      x[(size_t)k * e->every * e->columns + c], second);
    return true;
}

const EnvelopeCell *envelope_cell(const Envelope *e, uint32_t curve,
                                  uint32_t point, uint32_t column)
{
    assert(curve < e->shown && point < e->curve[curve].points &&
           column < e->columns);
    return SECTION(e->curve[curve].cells, const EnvelopeCell) +
           (size_t)point * e->columns + column;
}

void envelopes_free(Envelopes *all)
{
    Envelope *e = SECTION(all->all, Envelope);
    for (size_t k = 0; k < all->all.used / sizeof *e; k++)
        for (uint32_t i = 0; i < ENVELOPE_ELEMENTS; i++)
            vector_free(&e[k].curve[i].cells);
    vector_free(&all->all);
    all->present = false;
}
