#include "picture/swept.h"

#include <stdio.h>
#include <string.h>

#include "plot/text.h"
#include "stats/value.h"

/* Which pictures answer a study. */

/* ---- Words ------------------------------------------------------------------ */

const char *swept_label(const SweptView *v, uint32_t quantity)
{
    Buffer b = {0};
    quantity_put(&b, v->g->t->model, sweep_quantity(v->g->t, quantity));
    const char *own = arena_text(v->a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own ? own : "";
}

/* The most replications of an element that count. */
static uint32_t replications(const SweepTable *t)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < t->elements; k++)
        most = sweep_row(t, k)->runs > most ? sweep_row(t, k)->runs : most;
    return most;
}

const char *swept_note(const SweptView *v, const char *more)
{
    const SweepTable *t = v->g->t;
    Buffer b = {0};
    if (t->replicated)
        buffer_format(&b, "means of %u replications", replications(t));
    if (more)
        buffer_format(&b, "%s%s", b.v.used ? "; " : "", more);
    if (b.v.used == 0)
        return NULL;
    const char *own = arena_text(v->a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own;
}

/* ---- Lines of OUTPUT -------------------------------------------------------- */

/* A parameter that a study varies from run to run; a start value does not stay
   during the run, so a curve over it is one of a run. */
static bool varies(const SweepTable *t, uint32_t variable, uint32_t at)
{
    return t->model->variables[variable].kind != COSY_STATE &&
           sweep_varied(t, variable, at) != COSY_NONE;
}

/* The last study that varies what the line shows something over. */
static const SweepTable *table_of(const Gallery *e, const CosyShow *line)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(&e->sweep, &n), *found = NULL;
    if (line->versus == COSY_NONE || line->run != COSY_TIMEF ||
        line->versus >= e->model->n_variables)
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        if (varies(&t[k], line->versus, line->versus_at) &&
            (line->along == COSY_NONE ||
             varies(&t[k], line->along, line->along_at)))
            found = &t[k];
    return found;
}

bool swept_is(const Gallery *e, const CosyShow *line)
{
    return table_of(e, line) != NULL;
}

/* The quantities that a line names, at most `most`. */
static uint32_t named(const SweepTable *t, const CosyShow *line,
                      uint32_t *quantity, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < line->n; k++) {
        ValueSpan s = value_span(&t->model->variables[line->variable[k]],
                                 line->element[k]);
        for (uint32_t i = s.from; i < s.end && n < most; i++) {
            uint32_t q = sweep_find(t, line->variable[k], i);
            if (q != COSY_NONE && q < t->width)
                quantity[n++] = q;
        }
    }
    return n;
}

static SweptView view_of_line(const Grid *g, Arena *a, const CosyShow *line)
{
    SweptView v = {.g = g,
                   .a = a,
                   .title = line->title[0] ? line->title : NULL,
                   .x = grid_find(g, line->versus, line->versus_at),
                   .y = g->sides,
                   .logx = line->logx,
                   .logy = line->logy,
                   .wide = (double)line->xfak,
                   .high = (double)line->yfak};
    if (line->along != COSY_NONE)
        v.y = grid_find(g, line->along, line->along_at);
    v.quantities = named(g->t, line, v.quantity, SWEPT_PANELS);
    return v;
}

/* Says so where two parameters do not span a plane. */
static void tell_no_grid(Gallery *e, const CosyShow *line)
{
    char text[300];
    snprintf(text, sizeof text,
             "GRAPH VERSUS %.60s, %.60s needs all combinations of their "
             "values, which SWEEP makes: a list that goes along with another "
             "one gives a line, not a plane",
             e->model->variables[line->versus].name,
             e->model->variables[line->along].name);
    outlet_message(e->outlet, COSY_WARNING, line->line, text);
}

/* Calls `each` for every picture of a line. */
typedef Status EachPlot(void *user, Plot *p);

static Status each_plot(const SweptView *v, bool plane, EachPlot *each,
                        void *user)
{
    Plot p;
    if (v->quantities == 0)
        return STATUS_OK;
    if (!plane)
        return swept_over(v, &p) ? each(user, &p) : STATUS_MEMORY;
    for (uint32_t k = 0; k < v->quantities; k++) {
        if (!swept_heat(v, k, &p))
            return STATUS_MEMORY;
        TRY(each(user, &p));
    }
    return STATUS_OK;
}

static Status add_answer(void *gallery, Plot *p)
{
    Gallery *e = gallery;
    p->answer = true;
    return graphs_add(e, p);
}

/* Characters show one panel only: each quantity has a picture of its own. */
static Status each_alone(const SweptView *v, bool plane, EachPlot *each,
                         void *user)
{
    for (uint32_t k = 0; k < v->quantities; k++) {
        SweptView one = *v;
        one.quantity[0] = v->quantity[k];
        one.quantities = 1;
        TRY(each_plot(&one, plane, each, user));
    }
    return STATUS_OK;
}

static Status draw_line(Gallery *e, const CosyShow *line, EachPlot *each,
                        void *user)
{
    Arena a = {0};
    Grid g;
    Status s = STATUS_MEMORY;
    if (grid_make(&g, &a, table_of(e, line))) {
        SweptView v = view_of_line(&g, &a, line);
        bool plane = line->along != COSY_NONE;
        s = STATUS_OK;
        if (plane && (!g.full || v.x == v.y))
            tell_no_grid(e, line);
        else
            s = line->kind == COSY_PLOT ? each_alone(&v, plane, each, user)
                                        : each_plot(&v, plane, each, user);
    }
    arena_free(&a);
    return s;
}

Status swept_line(Gallery *e, const CosyShow *line)
{
    return draw_line(e, line, add_answer, e);
}

/* ---- In characters ---------------------------------------------------------- */

typedef struct InText {
    Buffer *b;
    uint32_t wide;
    double high;
    bool once, done;
} InText;

static Status put_text(void *text, Plot *p)
{
    InText *t = text;
    if (t->once && t->done)
        return STATUS_OK;
    t->done = true;
    buffer_format(t->b, "\n  %s%s%s\n", p->title, p->note ? "; " : "",
                  p->note ? p->note : "");
    if (t->high > 0)
        p->high = t->high;
    return plot_text(t->b, p, t->wide) ? STATUS_OK : STATUS_MEMORY;
}

void swept_text(Gallery *e, const CosyShow *line, Buffer *b)
{
    InText t = {.b = b, .wide = SHOW_WIDTH};
    if (draw_line(e, line, put_text, &t) != STATUS_OK)
        b->broken = true;
}

/* ---- Without being asked ---------------------------------------------------- */

/* The numeric sides with most values, the first of equals: *x along the abscissa,
   *y along the ordinate. */
static void widest_sides(const Grid *g, uint32_t *x, uint32_t *y)
{
    *x = *y = g->sides;
    for (uint32_t k = 0; k < g->sides; k++) {
        uint32_t n = g->side[k].n;
        if (g->side[k].truth || n < 2)
            continue;
        if (*x == g->sides || n > g->side[*x].n) {
            *y = *x;
            *x = k;
        } else if (*y == g->sides || n > g->side[*y].n) {
            *y = k;
        }
    }
}

/* A side whose values all differ, where lists go along with each other. */
static uint32_t running_side(const Grid *g)
{
    for (uint32_t k = 0; k < g->sides; k++)
        if (!g->side[k].truth && g->side[k].n == g->rows)
            return k;
    return g->sides;
}

static uint32_t any_side(const Grid *g)
{
    for (uint32_t k = 0; k < g->sides; k++)
        if (g->side[k].n > 1)
            return k;
    return g->sides;
}

/* A plane needs some values on both sides: of few, curves say more. Returns
   whether it is one. */
static bool choose_sides(SweptView *v)
{
    enum { VALUES_LEAST = 4 };
    const Grid *g = v->g;
    v->y = g->sides;
    if (!g->full) {
        v->x = running_side(g);
        return false;
    }
    widest_sides(g, &v->x, &v->y);
    if (v->x == g->sides)
        v->x = any_side(g);
    bool plane = v->y < g->sides && g->side[v->y].n >= VALUES_LEAST;
    if (plane && v->x > v->y) { // as they were written
        uint32_t first = v->y;
        v->y = v->x;
        v->x = first;
    }
    return plane;
}

static bool is_asked(const Gallery *e, const SweepTable *t)
{
    for (uint32_t k = 0; k < e->model->n_shows; k++) {
        const CosyShow *line = &e->model->shows[k];
        if (line->kind == COSY_GRAPH && table_of(e, line) == t)
            return true;
    }
    return false;
}

/* Those of all COLLECT QUANTILES, where one numeric parameter varies. */
static Status each_quantile(const SweptView *v, EachPlot *each, void *user)
{
    const Grid *g = v->g;
    Plot p;
    bool one =
        v->x < g->sides && !g->side[v->x].truth && g->side[v->x].n == g->rows;
    for (uint32_t k = 0; one && k < g->t->model->n_collects; k++) {
        if (!swept_quantiles(v, k, &p))
            return STATUS_MEMORY;
        if (p.n)
            TRY(each(user, &p));
    }
    return STATUS_OK;
}

static Status draw_table(const SweepTable *t, EachPlot *each, void *user)
{
    Arena a = {0};
    Grid g;
    uint32_t left;
    Status s = STATUS_MEMORY;
    if (grid_make(&g, &a, t)) {
        SweptView v = {.g = &g, .a = &a};
        v.quantities = sweep_choose(t, v.quantity, SWEPT_PANELS, &left);
        bool plane = choose_sides(&v);
        s = g.rows > 1 ? each_plot(&v, plane, each, user) : STATUS_OK;
        if (s == STATUS_OK && g.rows > 1)
            s = each_quantile(&v, each, user);
    }
    arena_free(&a);
    return s;
}

Status swept_make(Gallery *e)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(&e->sweep, &n);
    for (uint32_t k = 0; k < n && k < SWEEP_TABLES; k++)
        if (!t[k].sampled && !is_asked(e, &t[k]))
            TRY(draw_table(&t[k], add_answer, e));
    return STATUS_OK;
}

bool swept_sketch(Gallery *e, Buffer *b, uint32_t wide)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(&e->sweep, &n);
    InText text = {.b = b, .wide = wide, .high = 0.7, .once = true};
    if (n == 0)
        return false;
    return draw_table(&t[n - 1], put_text, &text) == STATUS_OK && text.done;
}
