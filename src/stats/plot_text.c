#include "base/arena.h"
#include "plot/text.h"
#include "stats/show.h"

/* PLOT: the columns of a source as curves in characters. */

static const char *label_of(Arena *a, const CosyModel *m, const ShowColumn *c)
{
    Buffer b = {0};
    show_name(&b, m, c);
    if (show_unit(m, c)[0])
        buffer_format(&b, " [%s]", show_unit(m, c));
    const char *own = arena_text(a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own ? own : "";
}

static const double *numbers_of(Arena *a, const ShowSource *from,
                                const ShowColumn *c)
{
    size_t rows = show_count(from);
    double *own = NEW_ARRAY(a, double, rows + 1);
    for (size_t k = 0; own && k < rows; k++)
        own[k] = (double)show_value(from, k, c->column);
    return own;
}

static bool make_series(Arena *a, const ShowSource *from, const ShowColumn *c,
                        uint32_t n, PlotSeries *series)
{
    const double *x = numbers_of(a, from, &c[0]);
    bool ok = x != NULL;
    for (uint32_t k = 1; ok && k < n; k++) {
        series[k - 1] =
            (PlotSeries){.name = label_of(a, from->model, &c[k]),
                         .style = from->points ? PLOT_POINTS : PLOT_LINES,
                         .x = x,
                         .y = numbers_of(a, from, &c[k]),
                         .n = show_count(from)};
        ok = series[k - 1].y != NULL;
    }
    return ok;
}

void show_plot(Buffer *b, const CosyShow *s, const ShowSource *from,
               const ShowColumn *c, uint32_t n)
{
    Arena a = {0};
    PlotSeries *series = NEW_ARRAY(&a, PlotSeries, n);
    Plot p = {.x = PLOT_AXIS(label_of(&a, from->model, &c[0])),
              .y = PLOT_AXIS(""),
              .series = series,
              .n = n - 1,
              .wide = (double)s->xfak,
              .high = (double)s->yfak};
    p.x.logarithmic = s->logx;
    p.y.logarithmic = s->logy;
    show_title(b, s, from);
    if (!series || !make_series(&a, from, c, n, series) ||
        !plot_text(b, &p, show_wide(from)))
        b->broken = true;
    arena_free(&a);
}
