#include "picture/swept.h"

#include <math.h>

#include "picture/tiles.h"
#include "stats/value.h"

/* A quantity over two parameters of a study: a tile for each pair of values, in
   the colour of the quantity. A third parameter has a panel for each of its
   values; of any further one the first value is shown, and the note says so. */

enum {
    TILES_SIDE = 120
}; // tiles along a side; of more values some are left out

typedef struct Heat {
    const SweptView *v;
    uint32_t which; // quantity
    uint32_t third; // side whose values are panels; sides: none
    uint32_t panels;
    uint32_t every[2]; // of the values along x and y, one in so many is shown
    const double *edge[2];
} Heat;

static uint32_t side_of(const Heat *h, int which)
{
    return which ? h->v->y : h->v->x;
}

/* The further side with most values that has room for them. */
static void choose_third(Heat *h)
{
    const Grid *g = h->v->g;
    uint32_t most = 1;
    h->third = g->sides;
    h->panels = 1;
    for (uint32_t k = 0; k < g->sides; k++) {
        uint32_t n = g->side[k].n;
        if (k == h->v->x || k == h->v->y || n <= most)
            continue;
        most = n;
        h->third = k;
    }
    if (h->third < g->sides)
        h->panels = most < PLOT_PANELS ? most : PLOT_PANELS;
}

/* The value that panel k shows, evenly spread if there are too many. */
static uint32_t panel_value(const Heat *h, uint32_t panel)
{
    if (h->third == h->v->g->sides)
        return 0;
    uint32_t n = h->v->g->side[h->third].n;
    return h->panels < 2 ? 0 : panel * (n - 1) / (h->panels - 1);
}

/* The panel in which a row is; PLOT_PANELS: it is not shown. */
static uint32_t panel_of(const Heat *h, uint32_t row)
{
    const Grid *g = h->v->g;
    for (uint32_t k = 0; k < g->sides; k++)
        if (k != h->v->x && k != h->v->y && k != h->third &&
            grid_at(g, row, k) != 0)
            return PLOT_PANELS;
    if (h->third == g->sides)
        return 0;
    for (uint32_t panel = 0; panel < h->panels; panel++)
        if (grid_at(g, row, h->third) == panel_value(h, panel))
            return panel;
    return PLOT_PANELS;
}

/* From where to where the tile of a value reaches; false: it is left out. */
static bool reach(const Heat *h, int which, uint32_t at, double *from,
                  double *to)
{
    uint32_t every = h->every[which], n = h->v->g->side[side_of(h, which)].n;
    if (at % every)
        return false;
    *from = h->edge[which][at];
    *to = h->edge[which][at + every < n ? at + every : n];
    return true;
}

static void add_tile(const Heat *h, Tiles *t, uint32_t row)
{
    const SweptView *v = h->v;
    const Grid *g = v->g;
    uint32_t k = t->n, at[2] = {grid_at(g, row, v->x), grid_at(g, row, v->y)};
    if (!reach(h, 0, at[0], &t->x[k], &t->x2[k]) ||
        !reach(h, 1, at[1], &t->y[k], &t->y2[k]))
        return;
    t->z[k] = (double)sweep_mean(g->t, row, v->quantity[h->which]);
    if (!isfinite(t->z[k]) || (v->logy && !(t->z[k] > 0))) {
        t->z[k] = NAN;
        t->bad_x[t->bad] = g->side[v->x].value[at[0]];
        t->bad_y[t->bad++] = g->side[v->y].value[at[1]];
    }
    t->n++;
}

static bool fill_panel(const Heat *h, uint32_t panel, PlotSeries *series)
{
    Tiles t;
    const Grid *g = h->v->g;
    if (!tiles_open(&t, h->v->a, g->rows))
        return false;
    for (uint32_t k = 0; k < g->rows; k++)
        if (panel_of(h, g->row[k]) == panel)
            add_tile(h, &t, g->row[k]);
    tiles_series(&t, panel, 0, series);
    return true;
}

/* ---- Words ------------------------------------------------------------------ */

static void put_setting(Buffer *b, const Grid *g, uint32_t side, uint32_t value)
{
    buffer_text(b, b->v.used ? ", " : "");
    sweep_put_name(b, g->t, g->side[side].parameter);
    buffer_text(b, " = ");
    sweep_put_value(b, g->t, g->side[side].parameter,
                    (real)g->side[side].value[value], 5);
}

static const char *keep(const SweptView *v, Buffer *b)
{
    const char *own = arena_text(v->a, buffer_string(b), b->v.used);
    buffer_free(b);
    return own ? own : "";
}

/* What holds in all tiles, and what is left out. */
static const char *tell_rest(const Heat *h)
{
    const Grid *g = h->v->g;
    Buffer b = {0};
    for (uint32_t k = 0; k < g->sides; k++)
        if (k != h->v->x && k != h->v->y && k != h->third && g->side[k].n > 1)
            put_setting(&b, g, k, 0);
    if (h->third < g->sides && g->side[h->third].n > h->panels)
        buffer_format(
            &b, "%s%u of %u values of %s", b.v.used ? "; " : "", h->panels,
            g->side[h->third].n,
            g->t->model->variables[sweep_parameter(g->t, h->third)->variable]
                .name);
    for (int which = 0; which < 2; which++)
        if (h->every[which] > 1)
            buffer_format(&b, "%sone in %u values along %s",
                          b.v.used ? "; " : "", h->every[which],
                          which ? "the ordinate" : "the abscissa");
    if (b.v.used == 0)
        return NULL;
    return keep(h->v, &b);
}

static const char *headline(const Heat *h)
{
    const SweptView *v = h->v;
    Buffer b = {0};
    const char *name = sweep_quantity(v->g->t, v->quantity[h->which])->name;
    if (v->title && v->quantities == 1)
        return v->title;
    if (v->title)
        buffer_format(&b, "%s: %s", v->title, name);
    else
        buffer_format(&b, "%s over ", name);
    if (!v->title) {
        sweep_put_name(&b, v->g->t, v->g->side[v->x].parameter);
        buffer_text(&b, " and ");
        sweep_put_name(&b, v->g->t, v->g->side[v->y].parameter);
    }
    return keep(v, &b);
}

/* "W, at D = 2" */
static PlotAxis ordinate(const Heat *h, uint32_t panel)
{
    const Grid *g = h->v->g;
    PlotAxis y = grid_axis(g, h->v->a, h->v->y);
    y.tight = true;
    if (h->third == g->sides)
        return y;
    Buffer b = {0}, at = {0};
    put_setting(&at, g, h->third, panel_value(h, panel));
    buffer_format(&b, "%s; %s", y.label, buffer_string(&at));
    buffer_free(&at);
    y.label = keep(h->v, &b);
    return y;
}

bool swept_heat(const SweptView *v, uint32_t which, Plot *p)
{
    Heat h = {.v = v, .which = which};
    const Grid *g = v->g;
    choose_third(&h);
    for (int k = 0; k < 2; k++) {
        const GridSide *s = &g->side[side_of(&h, k)];
        h.every[k] = (s->n + TILES_SIDE - 1) / TILES_SIDE;
        h.edge[k] = grid_edges(s, v->a);
    }
    PlotSeries *series = NEW_ARRAY(v->a, PlotSeries, 2 * h.panels);
    PlotAxis *y = NEW_ARRAY(v->a, PlotAxis, h.panels);
    if (!series || !y || !h.edge[0] || !h.edge[1])
        return false;
    for (uint32_t k = 0; k < h.panels; k++) {
        if (!fill_panel(&h, k, &series[2 * (size_t)k]))
            return false;
        y[k] = ordinate(&h, k);
    }
    *p = (Plot){.title = headline(&h),
                .note = swept_note(v, tell_rest(&h)),
                .x = grid_axis(g, v->a, v->x),
                .y = y[0],
                .lower = y + 1,
                .lowers = h.panels - 1,
                .series = series,
                .n = 2 * h.panels,
                .wide = v->wide,
                .high = v->high,
                .scale = true,
                .z = PLOT_AXIS(swept_label(v, v->quantity[which]))};
    p->x.tight = true;
    p->z.logarithmic = v->logy;
    return true;
}
