#include "picture/grid.h"

#include <math.h>
#include <stdlib.h>

#include "stats/value.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values that differ only by rounding are one. */
static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* Whether the values have equal ratios, and cover enough that this matters. */
static bool is_geometric(const GridSide *s)
{
    if (s->n < 3 || !(s->value[0] > 0) || s->value[s->n - 1] < 4 * s->value[0])
        return false;
    double ratio = s->value[1] / s->value[0];
    for (uint32_t k = 1; k + 1 < s->n; k++)
        if (fabs(s->value[k + 1] / s->value[k] - ratio) > 1e-3 * ratio)
            return false;
    return true;
}

static bool make_side(Grid *g, Arena *a, uint32_t k)
{
    GridSide *s = &g->side[k];
    const RunSetting *set = sweep_parameter(g->t, k);
    uint32_t n = 0;
    *s = (GridSide){.parameter = k,
                    .value = NEW_ARRAY(a, double, g->rows + 1),
                    .truth = g->t->model->variables[set->variable].type ==
                             COSY_TYPE_BOOLEAN};
    if (!s->value)
        return false;
    for (uint32_t i = 0; i < g->rows; i++)
        s->value[i] = (double)sweep_setting(g->t, g->row[i], k);
    qsort(s->value, g->rows, sizeof *s->value, by_size);
    for (uint32_t i = 0; i < g->rows; i++)
        if (n == 0 || !same(s->value[n - 1], s->value[i]))
            s->value[n++] = s->value[i];
    s->n = n;
    s->log = !s->truth && is_geometric(s);
    return true;
}

uint32_t grid_at(const Grid *g, uint32_t row, uint32_t side)
{
    const GridSide *s = &g->side[side];
    double wanted = (double)sweep_setting(g->t, row, s->parameter);
    uint32_t low = 0, high = s->n;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->value[middle] <= wanted || same(s->value[middle], wanted))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* As many rows as combinations, and no combination twice. */
static bool is_full(const Grid *g, Arena *a)
{
    uint64_t all = 1;
    for (uint32_t k = 0; k < g->sides; k++) {
        all *= g->side[k].n;
        if (all > g->t->elements)
            return false;
    }
    if (all != g->t->elements)
        return false;
    bool *seen = NEW_ARRAY(a, bool, all + 1);
    for (uint32_t i = 0; seen && i < g->rows; i++) {
        uint64_t at = 0;
        for (uint32_t k = 0; k < g->sides; k++)
            at = at * g->side[k].n + grid_at(g, g->row[i], k);
        if (seen[at])
            return false;
        seen[at] = true;
    }
    return seen != NULL;
}

bool grid_make(Grid *g, Arena *a, const SweepTable *t)
{
    *g = (Grid){.t = t,
                .side = NEW_ARRAY(a, GridSide, t->parameters + 1),
                .sides = t->parameters,
                .row = NEW_ARRAY(a, uint32_t, t->elements + 1)};
    if (!g->side || !g->row)
        return false;
    for (uint32_t k = 0; k < t->elements; k++)
        if (sweep_row(t, k)->runs)
            g->row[g->rows++] = k;
    for (uint32_t k = 0; k < g->sides; k++)
        if (!make_side(g, a, k))
            return false;
    g->full = g->sides > 0 && is_full(g, a);
    return true;
}

uint32_t grid_find(const Grid *g, uint32_t variable, uint32_t at)
{
    uint32_t k = sweep_varied(g->t, variable, at);
    return k == COSY_NONE ? g->sides : k; // sides are in that order
}

PlotAxis grid_axis(const Grid *g, Arena *a, uint32_t side)
{
    const GridSide *s = &g->side[side];
    const RunSetting *set = sweep_parameter(g->t, s->parameter);
    Buffer label = {0};
    sweep_put_name(&label, g->t, s->parameter);
    value_put_unit(
        &label, value_shown_unit(g->t->model->variables[set->variable].unit));
    const char *own = arena_text(a, buffer_string(&label), label.v.used);
    buffer_free(&label);
    PlotAxis axis = PLOT_AXIS(own ? own : "");
    axis.logarithmic = s->log;
    axis.truth = s->truth;
    return axis;
}

double *grid_edges(const GridSide *s, Arena *a)
{
    double *edge = NEW_ARRAY(a, double, s->n + 1);
    const double *v = s->value;
    if (!edge)
        return NULL;
    for (uint32_t k = 1; k < s->n; k++)
        edge[k] = s->log ? sqrt(v[k - 1] * v[k]) : (v[k - 1] + v[k]) / 2;
    if (s->n < 2) {
        double half = v[0] != 0 ? 0.05 * fabs(v[0]) : 0.5;
        edge[0] = v[0] - half;
        edge[s->n] = v[0] + half;
        return edge;
    }
    uint32_t last = s->n - 1;
    edge[0] = s->log ? v[0] * v[0] / edge[1] : 2 * v[0] - edge[1];
    edge[s->n] =
        s->log ? v[last] * v[last] / edge[last] : 2 * v[last] - edge[last];
    return edge;
}
