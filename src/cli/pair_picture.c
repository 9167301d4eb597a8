#define _DEFAULT_SOURCE // mkdtemp
#include "cli/pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stage.h"
#include "plot/gnuplot.h"
#include "plot/plot.h"
#include "plot/thin.h"

enum { DRAWN_MOST = PLOT_PANELS / 2 };

/* A curve for a picture: its own copy, thinned. */
static bool add_series(Pair *p, PlotSeries *s, const char *name,
                       const double *x, const double *y, size_t n,
                       uint32_t panel)
{
    double *copy = NEW_ARRAY(&p->arena, double, 2 * n + 1);
    if (!copy)
        return false;
    memcpy(copy, x, n * sizeof *x);
    memcpy(copy + n, y, n * sizeof *y);
    *s = (PlotSeries){.name = name, .x = copy, .y = copy + n, .panel = panel};
    s->n = plot_thin(copy, copy + n, n, (ThinRoom){0});
    return true;
}

/* Both curves, and below them their difference. */
static bool add_panels(Pair *p, const Common *m, PlotSeries *s, PlotAxis *axis,
                       uint32_t place)
{
    const Curve a = pair_curve(&p->x, m->a), b = pair_curve(&p->y, m->b);
    size_t most = 2 * (a.n + b.n) + 1;
    double *t = NEW_ARRAY(&p->arena, double, most);
    double *v = NEW_ARRAY(&p->arena, double, most);
    char *label = NEW_ARRAY(&p->arena, char, strlen(m->name) + 20);
    if (!t || !v || !label)
        return false;
    size_t n = differ_points(&a, &b, t, v);
    sprintf(label, "difference of %s", m->name);
    axis[2 * place] = (PlotAxis)PLOT_AXIS(m->name);
    axis[2 * place + 1] =
        (PlotAxis){.label = label, .low = 1, .high = 0, .share = 0.6};
    return add_series(p, &s[3 * place], p->label_a, a.t, a.v, a.n, 2 * place) &&
           add_series(p, &s[3 * place + 1], p->label_b, b.t, b.v, b.n,
                      2 * place) &&
           add_series(p, &s[3 * place + 2], "difference", t, v, n,
                      2 * place + 1);
}

/* gnuplot draws in a folder of its own. */
static Status draw(Pair *p, const Plot *plot, const char *path)
{
    const char *above = getenv("TMPDIR");
    Fault *f = &p->c->fault;
    Undrawn undrawn = {0};
    Buffer svg = {0};
    char place[4096], file[4200];
    snprintf(place, sizeof place, "%s/cosy-compare-XXXXXX",
             above && above[0] == '/' ? above : "/tmp");
    if (!mkdtemp(place))
        return fault_set(f, STATUS_FILE, "%s: cannot be made", place);
    Status s = plot_write(plot, place, "compare", PLOT_SVG, f);
    if (s == STATUS_OK &&
        gnuplot_draw(place, "compare", 1, &undrawn) == DRAWN_NOT_FOUND)
        s = fault_set(f, STATUS_UNSUPPORTED,
                      "gnuplot draws pictures, and it is not installed here");
    snprintf(file, sizeof file, "%s/compare.svg", place);
    if (s == STATUS_OK)
        s = file_read(file, &svg, f);
    if (s == STATUS_OK)
        s = file_write(path, svg.v.bytes, svg.v.used, f);
    buffer_free(&svg);
    buffer_free(&undrawn.why);
    stage_remove(place);
    return s;
}

static int by_digits(const void *a, const void *b)
{
    const Common *x = a, *y = b;
    return (x->digits > y->digits) - (x->digits < y->digits);
}

static void put_label(char label[100], const Named *n, uint64_t run)
{
    if (n->folder)
        snprintf(label, 100, "%.70s, run %" PRIu64, n->folder, run);
    else
        snprintf(label, 100, "study %" PRId64 ", run %" PRIu64, n->study, run);
}

/* Those that agree least. */
Status pair_draw(Pair *p, const char *path)
{
    PlotSeries series[3 * DRAWN_MOST];
    PlotAxis axis[2 * DRAWN_MOST];
    char title[240];
    Common *m = p->common;
    uint32_t drawn = p->n < DRAWN_MOST ? p->n : DRAWN_MOST;
    put_label(p->label_a, &p->c->name[0], p->run_a);
    put_label(p->label_b, &p->c->name[1], p->run_b);
    qsort(m, p->n, sizeof *m, by_digits);
    while (drawn > 1 && m[drawn - 1].d.most == 0)
        drawn--;
    for (uint32_t k = 0; k < drawn; k++)
        if (!add_panels(p, &m[k], series, axis, k))
            return fault_set(&p->c->fault, STATUS_MEMORY,
                             "no memory for the picture");
    if (drawn == 0)
        return fault_set(&p->c->fault, STATUS_UNSUPPORTED,
                         "there is no curve that both have, so nothing was "
                         "drawn");
    snprintf(title, sizeof title, "%s: %s and %s",
             tree_text(results_head(p->a, &p->arena), "program"), p->label_a,
             p->label_b);
    const Plot plot = {.title = title,
                       .x = PLOT_AXIS(p->x.rows.t.column[0].name),
                       .y = axis[0],
                       .lower = axis + 1,
                       .lowers = 2 * drawn - 1,
                       .series = series,
                       .n = 3 * drawn};
    return draw(p, &plot, path);
}
