#include "picture/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/families.h"
#include "plot/text.h"
#include "stats/number.h"
#include "stats/value.h"

/* Lines of OUTPUT over an index: which run, which frames, and in what words. */

enum {
    MAPS_MOST = 4, // panels in one picture; there may be several pictures
    MAPS_ALL = 12, // of all pictures of a line
    CURVES_FEW = 7 // with more, colours tell their time
};

const char *field_keep(const FieldView *f, Buffer *b)
{
    const char *own = arena_text(f->a, buffer_string(b), b->v.used);
    buffer_free(b);
    return own ? own : "";
}

/* ---- Words ------------------------------------------------------------------------ */

/* "TIME = 2 s" */
static void put_time(Buffer *b, const FieldView *f, double t)
{
    const char *unit = value_shown_unit(cosy_time_unit(f->g->model));
    buffer_format(b, "TIME = %.6g%s%s", t, unit[0] ? " " : "", unit);
}

static const char *time_text(const FieldView *f, double t)
{
    Buffer b = {0};
    put_time(&b, f, t);
    return field_keep(f, &b);
}

/* "X [m]", or "index of U". */
static const char *axis_label(const FieldView *f, int index)
{
    static const char *const which[] = {"first ", "second "};
    const CosyAxis *axis = film_axis(f->g->model, f->still->variable, index);
    Buffer b = {0};
    if (axis) {
        buffer_text(&b, axis->name);
        value_put_unit(&b, value_shown_unit(axis->unit));
    } else {
        buffer_format(&b, "%sindex of %s",
                      f->still->of[1] > 1 ? which[index] : "", f->v->name);
    }
    return field_keep(f, &b);
}

static const char *value_label(const FieldView *f)
{
    Buffer b = {0};
    buffer_text(&b, f->v->name);
    value_put_unit(&b, value_shown_unit(f->v->unit));
    return field_keep(f, &b);
}

static bool is_map(const FieldView *f)
{
    return f->still->of[1] > 1;
}

/* "its index", "X", "X and Y" */
static void put_over(Buffer *b, const FieldView *f)
{
    const CosyModel *m = f->g->model;
    const CosyAxis *x = film_axis(m, f->still->variable, 0);
    const CosyAxis *y = film_axis(m, f->still->variable, 1);
    if (!x)
        buffer_text(b, is_map(f) ? "its indices" : "its index");
    else
        buffer_format(b, y ? "%s and %s" : "%s", x->name, y ? y->name : "");
}

/* TITLE, or "U over X and TIME". */
static const char *headline(const FieldView *f, bool time)
{
    Buffer b = {0};
    const char *title = f->line->title;
    buffer_text(&b, title);
    if (title[0] && f->line->n > 1)
        buffer_format(&b, ": %s", f->v->name);
    if (!title[0]) {
        buffer_format(&b, "%s over ", f->v->name);
        put_over(&b, f);
        buffer_text(&b, time ? " and TIME" : "");
    }
    return field_keep(f, &b);
}

static void put_more(Buffer *b, const char *format, uint32_t n, uint32_t of,
                     const char *of_what)
{
    buffer_text(b, b->v.used ? "; " : "");
    buffer_format(b, format, n, of, of_what);
}

/* What is said of a run stays in the report when OUTPUT is carried out again: only a
   run can say it. */
static void tell_of_run(Gallery *g, const CosyShow *line, Buffer *b)
{
    bool *output = &g->outlet->shared->report.output, was = *output;
    *output = false;
    outlet_message(g->outlet, COSY_WARNING, line->line, buffer_string(b));
    *output = was;
    buffer_free(b);
}

/* Of many points only some are kept, and of a long array only those. */
static void put_thinned(Buffer *b, const FieldView *f, const FilmReel *r)
{
    for (int k = 0; k < 2; k++)
        if (r->points[k] < r->of[k])
            put_more(b, "%u of %u points along %s", r->points[k], r->of[k],
                     axis_label(f, k));
}

/* Which run, what holds in all of the picture, and what is left out; or NULL. */
static const char *note_of(const FieldView *f, const FilmReel *r,
                           const char *what)
{
    Buffer b = {0};
    if (f->g->runs > 1)
        graphs_run(&b, f->run);
    if (what)
        buffer_format(&b, "%s%s", b.v.used ? "; " : "", what);
    put_thinned(&b, f, r);
    return b.v.used ? field_keep(f, &b) : (buffer_free(&b), NULL);
}

/* ---- Frames ------------------------------------------------------------------------ */

/* The frame at a time of AT TIME; false: the run has none. */
static bool find_frame(const FieldView *f, double t, size_t *frame)
{
    size_t n = film_frames(f->still);
    for (*frame = 0; *frame < n; ++*frame)
        if (film_time(f->still, *frame) == t)
            return true;
    return false;
}

static void tell_outside(const FieldView *f, double t)
{
    Buffer b = {0};
    size_t n = film_frames(f->moving);
    buffer_text(&b, "AT ");
    put_time(&b, f, t);
    buffer_format(&b, ": nothing is shown of it, since run %u went from %.6g ",
                  f->run->run, n ? film_time(f->moving, 0) : 0);
    buffer_format(&b, "to %.6g%s%s", n ? film_time(f->moving, n - 1) : 0,
                  COSY_IN_TIME(f->g->model));
    tell_of_run(f->g, f->line, &b);
}

/* The frames that the line asks for: those of AT TIME, or the last. Times that the
   run has not reached are told. *n is 0 if there are none. */
static size_t *frames_of(const FieldView *f, uint32_t *n)
{
    const CosyShow *l = f->line;
    size_t *frame = NEW_ARRAY(f->a, size_t, (size_t)l->n_times + 1);
    *n = 0;
    if (frame && l->n_times == 0 && film_frames(f->still))
        frame[(*n)++] = film_frames(f->still) - 1;
    for (uint32_t k = 0; frame && k < l->n_times; k++) {
        double t = (double)l->times[k];
        if (find_frame(f, t, &frame[*n]))
            ++*n;
        else
            tell_outside(f, t);
    }
    return frame;
}

static FieldMap still_map(const FieldView *f, size_t frame)
{
    const FilmReel *r = f->still;
    return (FieldMap){.n = {r->points[0], r->points[1]},
                      .x = {film_places(r, 0), film_places(r, 1)},
                      .label = {axis_label(f, 0), axis_label(f, 1)},
                      .whole = {film_axis(f->g->model, r->variable, 0) == NULL,
                                film_axis(f->g->model, r->variable, 1) == NULL},
                      .z = film_values(r, frame),
                      .at = time_text(f, film_time(r, frame))};
}

/* What has one index, over index and time. */
static bool time_map(const FieldView *f, FieldMap *m)
{
    const FilmReel *r = f->moving;
    size_t n = r->points[0], frames = film_frames(r);
    double *z = NEW_ARRAY(f->a, double, n *frames + 1);
    for (size_t j = 0; z && j < frames; j++)
        for (size_t i = 0; i < n; i++)
            z[i * frames + j] = film_values(r, j)[i];
    *m = (FieldMap){
        .n = {r->points[0], (uint32_t)frames},
        .x = {film_places(r, 0), (const double *)(const void *)r->time.bytes},
        .label = {axis_label(f, 0), graphs_time(f->g)},
        .whole = {film_axis(f->g->model, r->variable, 0) == NULL},
        .z = z};
    return z != NULL;
}

/* ---- Pictures ----------------------------------------------------------------------- */

static const char *word_of(const CosyShow *line)
{
    switch (line->kind) {
    case COSY_SHADE: return "SHADE";
    case COSY_CONTOUR: return "CONTOUR";
    case COSY_SURFACE: return "SURFACE";
    case COSY_PROFILES: return "GRAPH";
    case COSY_TABULATED: return "LIST";
    case COSY_PRINTED: return "PLOT";
    default: return "PLOT SHADE";
    }
}

/* By which words `cosy output` knows that a picture is still asked for. */
static const char *asked_of(Gallery *g, const CosyShow *line)
{
    Buffer b = {0};
    buffer_text(&b, word_of(line));
    if (line->view)
        buffer_format(&b, " VIEW %g, %g", (double)line->azimuth,
                      (double)line->elevation);
    for (uint32_t k = 0; k < line->n_times; k++)
        buffer_format(&b, "%s%.15g", k ? ", " : " AT TIME ",
                      (double)line->times[k]);
    buffer_text(&b, ":");
    const char *asked = graphs_asked(g, buffer_string(&b), line);
    buffer_free(&b);
    return asked;
}

static Status add(const FieldView *f, Plot *p)
{
    p->wide = (double)f->line->xfak;
    p->high = (double)f->line->yfak;
    p->asked = asked_of(f->g, f->line);
    return graphs_add(f->g, p);
}

/* "it is 3 everywhere", which no picture can show. */
static const char *tell_equal(const FieldView *f, const FieldMap *m,
                              uint32_t maps)
{
    double least = INFINITY, most = -INFINITY;
    Buffer b = {0};
    for (uint32_t k = 0; k < maps; k++)
        for (size_t i = 0; i < (size_t)m[k].n[0] * m[k].n[1]; i++) {
            double z = m[k].z[i];
            least = isfinite(z) ? fmin(least, z) : least;
            most = isfinite(z) ? fmax(most, z) : most;
        }
    if (least > most)
        buffer_text(&b, "no point has a value");
    else if (least == most)
        buffer_format(&b, "it is %.6g everywhere", least);
    return b.v.used ? field_keep(f, &b) : NULL;
}

/* Of a single row there is neither a line of equal value nor a surface. */
static bool is_thin(const FieldView *f, const FieldMap *m)
{
    Buffer b = {0};
    if ((m->n[0] > 1 && m->n[1] > 1) || f->line->kind == COSY_SHADE)
        return false;
    buffer_format(&b,
                  "%s: there is only one row of points of `%s`, which SHADE "
                  "can show",
                  word_of(f->line), f->v->name);
    tell_of_run(f->g, f->line, &b);
    return true;
}

/* One picture of up to MAPS_MOST maps; a surface takes one. */
static Status draw_maps(const FieldView *f, const FieldMap *m, uint32_t maps,
                        const FilmReel *r)
{
    const char *equal = tell_equal(f, m, maps), *at = NULL;
    FieldMap alone = *m;
    bool ok, surface = f->line->kind == COSY_SURFACE;
    if (is_thin(f, m))
        return STATUS_OK;
    if ((maps == 1 || surface) && m->at) {
        Buffer b = {0};
        buffer_format(&b, "%s%s%s", m->at, equal ? "; " : "",
                      equal ? equal : "");
        at = field_keep(f, &b);
        alone.at = NULL;
        m = &alone;
    }
    Plot p = {.title = headline(f, !is_map(f)),
              .note = note_of(f, r, at ? at : equal)};
    switch (f->line->kind) {
    case COSY_CONTOUR: ok = field_contour(f, m, maps, &p); break;
    case COSY_SURFACE: ok = field_surface(f, m, &p); break;
    default: ok = field_map(f, m, maps, &p); break;
    }
    return ok ? add(f, &p) : STATUS_MEMORY;
}

/* Of very many times some are shown, evenly spread; returns how many. */
static uint32_t leave_out(const FieldView *f, size_t *frame, uint32_t n)
{
    uint32_t kept = 0;
    Buffer b = {0};
    if (n <= MAPS_ALL)
        return n;
    for (uint32_t k = 0; k < n; k++)
        if (family_spreads(k, n, MAPS_ALL))
            frame[kept++] = frame[k];
    buffer_format(&b, "%s: of %u times %u are drawn, evenly spread",
                  word_of(f->line), n, kept);
    tell_of_run(f->g, f->line, &b);
    return kept;
}

static Status draw_stills(const FieldView *f)
{
    uint32_t n, each = f->line->kind == COSY_SURFACE ? 1 : MAPS_MOST;
    size_t *frame = frames_of(f, &n);
    FieldMap map[MAPS_MOST];
    if (!frame)
        return STATUS_MEMORY;
    n = leave_out(f, frame, n);
    for (uint32_t k = 0, maps; k < n; k += maps) {
        maps = n - k < each ? n - k : each;
        for (uint32_t i = 0; i < maps; i++)
            map[i] = still_map(f, frame[k + i]);
        TRY(draw_maps(f, map, maps, f->still));
    }
    return STATUS_OK;
}

/* ---- Curves -------------------------------------------------------------------------- */

/* A place on a logarithmic axis, or NaN. */
static const double *on_axis(const FieldView *f, const double *v, size_t n,
                             bool log)
{
    double *own = log ? NEW_ARRAY(f->a, double, n + 1) : NULL;
    for (size_t k = 0; own && k < n; k++)
        own[k] = v[k] > 0 ? v[k] : NAN;
    return own ? own : v;
}

static PlotSeries curve(const FieldView *f, const FilmReel *r, size_t frame,
                        const char *name)
{
    size_t n = r->points[0];
    return (PlotSeries){.name = name,
                        .style = PLOT_LINES,
                        .x = on_axis(f, film_places(r, 0), n, f->line->logx),
                        .y =
                            on_axis(f, film_values(r, frame), n, f->line->logy),
                        .n = n};
}

/* Everything but series and title. */
static void set_curves(const FieldView *f, Plot *p)
{
    p->x = (PlotAxis)PLOT_AXIS(axis_label(f, 0));
    p->y = (PlotAxis)PLOT_AXIS(value_label(f));
    p->x.logarithmic = f->line->logx;
    p->y.logarithmic = f->line->logy;
    p->x.whole = film_axis(f->g->model, f->still->variable, 0) == NULL;
}

static bool make_profiles(const FieldView *f, Plot *p)
{
    uint32_t n;
    size_t *frame = frames_of(f, &n);
    PlotSeries *series = NEW_ARRAY(f->a, PlotSeries, (size_t)n + 1);
    if (!frame || !series)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        double t = film_time(f->still, frame[k]);
        series[k] = curve(f, f->still, frame[k], time_text(f, t));
        series[k].valued = n > CURVES_FEW;
        series[k].value = t;
    }
    set_curves(f, p);
    p->series = series;
    p->n = n;
    p->scale = n > CURVES_FEW;
    p->z = (PlotAxis)PLOT_AXIS(graphs_time(f->g));
    return true;
}

static Status draw_profiles(const FieldView *f)
{
    Plot p = {.title = headline(f, false)};
    if (!make_profiles(f, &p))
        return STATUS_MEMORY;
    p.note = note_of(f, f->still, p.n == 1 ? p.series[0].name : NULL);
    return p.n ? add(f, &p) : STATUS_OK;
}

/* ---- What moves ---------------------------------------------------------------------- */

static void take_range(PlotAxis *a, const double *v, size_t n, bool log)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < n; k++)
        if (isfinite(v[k]) && !(log && v[k] <= 0)) {
            low = fmin(low, v[k]);
            high = fmax(high, v[k]);
        }
    if (low < high) {
        a->low = low;
        a->high = high;
    }
}

static bool is_moving(const double *v, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (v[k] != v[0] && isfinite(v[k]))
            return true;
    return false;
}

/* The frames of a map in the order of its tiles: row after row from below. */
static bool turn_frames(const FieldView *f, PlotFilm *film)
{
    const FilmReel *r = f->moving;
    size_t nx = r->points[0], ny = r->points[1];
    double *z = NEW_ARRAY(f->a, double, film->frames *nx *ny + 1);
    for (size_t k = 0; z && k < film->frames; k++)
        for (size_t i = 0; i < nx; i++)
            for (size_t j = 0; j < ny; j++)
                z[k * nx * ny + j * nx + i] = film_values(r, k)[i * ny + j];
    film->value = z;
    return z != NULL;
}

/* The last frame stands in the picture; its axes have room for all of them. */
static Status draw_moving(const FieldView *f)
{
    const FilmReel *r = f->moving;
    size_t frames = film_frames(r), n = (size_t)r->points[0] * r->points[1];
    const double *all = (const double *)(const void *)r->value.bytes;
    Buffer title = {0};
    Plot p = {.note = note_of(
                  f, r, frames ? time_text(f, film_time(r, frames - 1)) : NULL),
              .film = {.label = graphs_time(f->g),
                       .frames = frames,
                       .time = (const double *)(const void *)r->time.bytes,
                       .value = all}};
    if (frames < 2 || !is_moving(all, frames * n))
        return STATUS_OK;
    buffer_format(&title, "%s while TIME goes on", f->v->name);
    p.title = field_keep(f, &title);
    if (is_map(f)) {
        FieldView last = *f;
        last.still = r;
        FieldMap m = still_map(&last, frames - 1);
        m.at = NULL;
        if (!field_map(f, &m, 1, &p) || !turn_frames(f, &p.film))
            return STATUS_MEMORY;
        p.n = 1; // without marks where there is no value, which move
        take_range(&p.z, all, frames * n, f->line->logy);
    } else {
        const PlotSeries one = curve(f, r, frames - 1, NULL);
        set_curves(f, &p);
        p.series = &one;
        p.n = 1;
        take_range(&p.y, all, frames * n, f->line->logy);
        return add(f, &p);
    }
    return add(f, &p);
}

/* ---- A line -------------------------------------------------------------------------- */

#define RUN_ONLY "only cosy run shows arrays over their index"

/* With results that are shown again only pictures that the run has drawn are there. */
static bool is_again(Gallery *g, const CosyShow *line)
{
    if (g->again && !graphs_stay(g, asked_of(g, line)))
        outlet_message(g->outlet, COSY_NOTE, line->line, RUN_ONLY);
    return g->again;
}

typedef Status EachField(const FieldView *f, void *user);

static void tell_none(Gallery *g, const CosyShow *line, const Shown *s)
{
    Buffer b = {0};
    if (g->failed->status != STATUS_OK)
        return;
    if (s)
        buffer_format(&b,
                      "run %u was continued from a saved state: there is "
                      "nothing to show over an index",
                      s->run);
    else
        buffer_format(&b,
                      "there is no run (%d) that could be shown: it was "
                      "not made, or it was not SAVEd",
                      line->run);
    tell_of_run(g, line, &b);
}

static Status each_variable(Gallery *g, const CosyShow *line, const Shown *s,
                            EachField *each, void *user)
{
    uint32_t reels;
    if (s)
        film_reels(&s->film, &reels);
    if (!s || reels == 0) {
        tell_none(g, line, s);
        return STATUS_OK;
    }
    for (uint32_t k = 0; k < line->n; k++) {
        Arena a = {0};
        FieldView f = {.g = g,
                       .line = line,
                       .run = s,
                       .v = &g->model->variables[line->variable[k]],
                       .still = film_find(&s->film, line->variable[k], false),
                       .moving = film_find(&s->film, line->variable[k], true),
                       .a = &a};
        Status status = f.still && f.moving ? each(&f, user) : STATUS_OK;
        arena_free(&a);
        TRY(status);
    }
    return STATUS_OK;
}

/* For each variable of each run that the line means. */
static Status each_view(Gallery *g, const CosyShow *line, EachField *each,
                        void *user)
{
    bool saved;
    if (line->run != COSY_ALL)
        return each_variable(g, line, gallery_find(g, line), each, user);
    uint32_t n = gallery_all(g, &saved);
    for (uint32_t k = 0; k < n; k++) {
        CosyShow one = *line;
        one.run = gallery_nth(g, k, saved);
        const Shown *s = gallery_find(g, &one);
        TRY(each_variable(g, line, s, each, user));
    }
    return STATUS_OK;
}

static Status draw(const FieldView *f, void *user)
{
    const bool *first = user;
    FieldMap m;
    Status s = STATUS_OK;
    if (f->line->kind == COSY_PROFILES)
        s = draw_profiles(f);
    else if (is_map(f))
        s = draw_stills(f);
    else
        s = time_map(f, &m) ? draw_maps(f, &m, 1, f->moving) : STATUS_MEMORY;
    return s == STATUS_OK && *first ? draw_moving(f) : s;
}

Status fields_make(Gallery *g, const CosyShow *line, bool first)
{
    if (line->kind >= COSY_TABULATED || is_again(g, line))
        return STATUS_OK;
    return each_view(g, line, draw, &first);
}

/* ---- In characters -------------------------------------------------------------------- */

typedef struct FieldText {
    Buffer *b;
    uint32_t wide;
} FieldText;

static void put_title(Buffer *b, const FieldView *f, const char *at)
{
    ShowSource from = {.model = f->g->model};
    snprintf(from.what, sizeof from.what, "run %u%s%.20s", f->run->run,
             at ? ", " : "", at ? at : "");
    show_title(b, f->line, &from);
}

static Status print_map(const FieldView *f, const FieldMap *m, FieldText *t)
{
    FieldMap own = *m;
    Plot p = {.wide = (double)f->line->xfak, .high = (double)f->line->yfak};
    own.at = NULL;
    if (!field_map(f, &own, 1, &p))
        return STATUS_MEMORY;
    p.n = 1; // `?` stands where there is no value
    put_title(t->b, f, m->at);
    return plot_text(t->b, &p, t->wide) ? STATUS_OK : STATUS_MEMORY;
}

static Status print_maps(const FieldView *f, FieldText *t)
{
    FieldMap m;
    uint32_t n;
    if (!is_map(f))
        return time_map(f, &m) ? print_map(f, &m, t) : STATUS_MEMORY;
    size_t *frame = frames_of(f, &n);
    for (uint32_t k = 0; frame && k < n; k++) {
        m = still_map(f, frame[k]);
        TRY(print_map(f, &m, t));
    }
    return frame ? STATUS_OK : STATUS_MEMORY;
}

static Status print_curves(const FieldView *f, FieldText *t)
{
    Plot p = {.wide = (double)f->line->xfak, .high = (double)f->line->yfak};
    if (!make_profiles(f, &p))
        return STATUS_MEMORY;
    p.scale = false;
    if (p.n == 0)
        return STATUS_OK;
    put_title(t->b, f, NULL);
    return plot_text(t->b, &p, t->wide) ? STATUS_OK : STATUS_MEMORY;
}

enum { CELL = 14, CELLS = SHOW_WIDTH / CELL };

static void put_cell(Buffer *b, const char *text)
{
    size_t n = strlen(text);
    buffer_format(b, "%*s%s", n < CELL ? (int)(CELL - n) : 1, "", text);
}

static void put_number(Buffer *b, double v)
{
    Buffer own = {0};
    number_print(&own, 'g', 7, (real)v + R(0.0));
    put_cell(b, buffer_string(&own));
    buffer_free(&own);
}

/* A column for each of some frames, a row for each point. */
static void put_table(Buffer *b, const FieldView *f, const size_t *frame,
                      uint32_t n)
{
    const FilmReel *r = f->still;
    uint32_t axes = is_map(f) ? 2 : 1;
    for (uint32_t k = 0; k < axes; k++) {
        const CosyAxis *a = film_axis(f->g->model, r->variable, (int)k);
        put_cell(b, a           ? a->name
                    : k         ? "index 2"
                    : is_map(f) ? "index 1"
                                : "index");
    }
    for (uint32_t k = 0; k < n; k++)
        put_cell(b, time_text(f, film_time(r, frame[k])));
    buffer_char(b, '\n');
    for (uint32_t i = 0; i < r->points[0]; i++)
        for (uint32_t j = 0; j < r->points[1]; j++) {
            put_number(b, film_places(r, 0)[i]);
            if (axes > 1)
                put_number(b, film_places(r, 1)[j]);
            for (uint32_t k = 0; k < n; k++)
                put_number(b, film_values(r, frame[k])[i * r->points[1] + j]);
            buffer_char(b, '\n');
        }
}

/* Frames that do not fit beside each other follow in further tables. */
static Status print_tables(const FieldView *f, FieldText *t)
{
    uint32_t n, beside = CELLS - (is_map(f) ? 2 : 1);
    size_t *frame = frames_of(f, &n);
    Buffer note = {0};
    buffer_text(&note, value_label(f));
    put_thinned(&note, f, f->still);
    const char *words = field_keep(f, &note);
    if (!frame)
        return STATUS_MEMORY;
    if (n == 0)
        return STATUS_OK;
    put_title(t->b, f, NULL);
    buffer_format(t->b, "  %s\n", words);
    for (uint32_t k = 0; k < n; k += beside) {
        buffer_text(t->b, k ? "\n" : "");
        put_table(t->b, f, frame + k, n - k < beside ? n - k : beside);
    }
    return STATUS_OK;
}

static Status print(const FieldView *f, void *user)
{
    FieldText *t = user;
    switch (f->line->kind) {
    case COSY_TABULATED: return print_tables(f, t);
    case COSY_PRINTED:
    case COSY_PROFILES: return print_curves(f, t);
    default: return print_maps(f, t);
    }
}

void fields_text(Gallery *g, const CosyShow *line, Buffer *b)
{
    FieldText t = {b, SHOW_WIDTH};
    if (line->kind < COSY_TABULATED)
        return;
    if (g->again)
        buffer_format(b, "\n  %s %s: %s\n", word_of(line),
                      g->model->variables[line->variable[0]].name, RUN_ONLY);
    else if (each_view(g, line, print, &t) != STATUS_OK)
        b->broken = true;
}

void fields_sketch(Gallery *g, const CosyShow *line, Buffer *b, uint32_t wide)
{
    FieldText t = {b, wide};
    CosyShow one = *line;
    const Shown *s = gallery_find(g, line);
    uint32_t reels = 0;
    one.n = one.n > 1 ? 1 : one.n;
    one.n_times = 0;   // the end, which every run has
    one.yfak = R(0.7); // the table stays in sight
    if (s)
        film_reels(&s->film, &reels);
    if (reels && each_variable(g, &one, s, print, &t) != STATUS_OK)
        b->broken = true;
}
