#include "picture/families.h"
#include "picture/fields.h"
#include "picture/swept.h"

#include <math.h>
#include <string.h>

#include "picture/signals.h"
#include "picture/uncertain.h"
#include "stats/record.h"
#include "stats/value.h"

/* The graphs of a model without OUTPUT: its STOREd variables. Those with the
   same unit and about the same size share a graph, BOOLEANs another; of an
   array with many elements some are chosen. */

enum {
    GRAPHS_MOST = 5,   // a handful
    CURVES_MOST = 6,   // in each
    ELEMENTS_MOST = 6, // of an array
    SIZE_MOST = 30 // largest ratio between the sizes of two curves in a graph
};

/* A graph: its curves, and what they have in common. */
typedef struct Group {
    uint32_t variable[CURVES_MOST], element[CURVES_MOST];
    uint32_t n;
    const char *unit;
    bool truth;
    double size; // the largest value; 0: all are zero
} Group;

static double size_of(const ShowSource *from, uint32_t column)
{
    double most = 0;
    for (size_t k = 0; k < show_count(from); k++) {
        double v = fabs((double)show_value(from, k, column));
        if (isfinite(v) && v > most)
            most = v;
    }
    return most;
}

static bool fits(const Group *g, const CosyVariable *v, double size)
{
    bool near = g->size <= 0 || size <= 0 ||
                (size < SIZE_MOST * g->size && g->size < SIZE_MOST * size);
    return g->n < CURVES_MOST && near &&
           g->truth == (v->type == COSY_TYPE_BOOLEAN) &&
           strcmp(g->unit, value_shown_unit(v->unit)) == 0;
}

/* False: there is no room for it. */
static bool add(Group *g, uint32_t *n, const CosyModel *m, uint32_t variable,
                uint32_t element, double size)
{
    const CosyVariable *v = &m->variables[variable];
    uint32_t k = 0;
    while (k < *n && !fits(&g[k], v, size))
        k++;
    if (k == GRAPHS_MOST)
        return false;
    if (k == *n)
        g[(*n)++] = (Group){.unit = value_shown_unit(v->unit),
                            .truth = v->type == COSY_TYPE_BOOLEAN};
    g[k].variable[g[k].n] = variable;
    g[k].element[g[k].n++] = element;
    g[k].size = fmax(g[k].size, size);
    return true;
}

static uint32_t make_groups(const CosyModel *m, const ShowSource *from,
                            Group g[GRAPHS_MOST], uint32_t *missing)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->n_stored; k++) {
        uint32_t variable = m->stored[k];
        const CosyVariable *v = &m->variables[variable];
        uint32_t all = value_is_global(v) ? value_count(v) : 0;
        uint32_t some = all < ELEMENTS_MOST ? all : ELEMENTS_MOST;
        bool all_there = true;
        for (uint32_t i = 0; i < some; i++) {
            uint32_t e = some > 1 ? i * (all - 1) / (some - 1) : 0;
            uint32_t column = record_column(m, variable, e);
            if (column && !add(g, &n, m, variable, e, size_of(from, column)))
                all_there = false;
        }
        *missing += !all_there;
    }
    return n;
}

static bool make_line(Arena *a, const Group *g, CosyShow *line)
{
    uint32_t *variable = NEW_ARRAY(a, uint32_t, CURVES_MOST);
    uint32_t *element = NEW_ARRAY(a, uint32_t, CURVES_MOST);
    if (!variable || !element)
        return false;
    memcpy(variable, g->variable, sizeof g->variable);
    memcpy(element, g->element, sizeof g->element);
    *line = (CosyShow){.kind = COSY_GRAPH,
                       .title = "",
                       .versus = COSY_NONE,
                       .versus_at = COSY_NONE,
                       .along = COSY_NONE,
                       .along_at = COSY_NONE,
                       .n = g->n,
                       .variable = variable,
                       .element = element};
    return true;
}

uint32_t gallery_all(const Gallery *g, bool *saved)
{
    size_t runs;
    const Shown *run = gallery_shown(g, &runs);
    uint32_t n = 0;
    for (size_t k = 0; k < runs; k++)
        n += run[k].saved;
    *saved = n > 0;
    n = n ? n : (uint32_t)runs;
    return n < LINES_RUNS_MOST ? n : LINES_RUNS_MOST;
}

int32_t gallery_nth(const Gallery *g, uint32_t k, bool saved)
{
    size_t runs;
    const Shown *run = gallery_shown(g, &runs);
    return (int32_t)(saved ? k + 1 : run[k].run);
}

/* The lines of OUTPUT, those with (ALL) once for each run; a GRAPH is an
   OVERPLOT from its second run on. Operations on data take all runs at once, and so do
   arrays over their index. */
static Status expand_lines(const Gallery *g, Lines *l)
{
    const CosyModel *m = g->model;
    bool saved;
    uint32_t each = gallery_all(g, &saved), n = 0;
    CosyShow *line =
        NEW_ARRAY(&l->arena, CosyShow, (size_t)m->n_shows * (each + 1) + 1);
    if (!line)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < m->n_shows; k++) {
        bool all = m->shows[k].run == COSY_ALL && !signals_has(&m->shows[k]) &&
                   !film_is(&m->shows[k]);
        if (!all)
            line[n++] = m->shows[k];
        for (uint32_t i = 0; all && i < each; i++) {
            line[n] = m->shows[k];
            line[n].run = gallery_nth(g, i, saved);
            if (i > 0 && line[n].kind == COSY_GRAPH)
                line[n].kind = COSY_OVERPLOT;
            n++;
        }
    }
    l->line = line;
    l->n = n;
    return STATUS_OK;
}

Status curves_lines(const Gallery *e, Lines *l)
{
    const CosyModel *m = e->model;
    size_t runs = e->shown.used / sizeof(Shown);
    const Shown *run = (const Shown *)(const void *)e->shown.bytes;
    Group group[GRAPHS_MOST];
    *l = (Lines){0};
    if (m->n_shows)
        return expand_lines(e, l);
    if (family_lines(e, l))
        return STATUS_OK;
    if (runs == 0 || run[runs - 1].rows.used == 0)
        return STATUS_OK;
    ShowSource from = {.model = m,
                       .rows = &run[runs - 1].rows,
                       .columns = record_width(m, false)};
    uint32_t n = make_groups(m, &from, group, &l->missing);
    CosyShow *line = NEW_ARRAY(&l->arena, CosyShow, GRAPHS_MOST);
    bool ok = line != NULL;
    for (uint32_t k = 0; ok && k < n; k++)
        ok = make_line(&l->arena, &group[k], &line[k]);
    l->line = line;
    l->n = ok ? n : 0;
    return ok ? STATUS_OK : STATUS_MEMORY;
}

/* ---- In characters --------------------------------------------------------------- */

/* The first GRAPH; NULL if there is none, or if there is a PLOT. */
static const CosyShow *first_graph(const Lines *l)
{
    const CosyShow *first = NULL;
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->line[k].kind == COSY_PLOT)
            return NULL;
        if (l->line[k].kind == COSY_GRAPH && !first)
            first = &l->line[k];
    }
    return first;
}

/* The first picture over an index, if nothing is in characters. */
static const CosyShow *first_field(const Lines *l)
{
    const CosyShow *first = NULL;
    for (uint32_t k = 0; k < l->n; k++) {
        CosyShowKind kind = l->line[k].kind;
        if (kind == COSY_PLOT || kind == COSY_PRINTED || kind == COSY_SHADED)
            return NULL;
        if (film_is(&l->line[k]) && kind != COSY_TABULATED && !first)
            first = &l->line[k];
    }
    return first;
}

/* The first few of its curves, one by one. */
static uint32_t first_curves(const CosyModel *m, const CosyShow *line,
                             uint32_t variable[CURVES_MOST],
                             uint32_t element[CURVES_MOST])
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < line->n; k++) {
        ValueSpan s =
            value_span(&m->variables[line->variable[k]], line->element[k]);
        for (uint32_t i = s.from; i < s.end && n < CURVES_MOST; i++) {
            variable[n] = line->variable[k];
            element[n++] = i;
        }
    }
    return n;
}

void curves_sketch(Gallery *e, Buffer *b)
{
    uint32_t variable[CURVES_MOST], element[CURVES_MOST];
    uint32_t room = e->options->sketch;
    Lines l;
    ShowSource from;
    room = room < 40 ? 40 : room > SHOW_WIDEST ? SHOW_WIDEST : room;
    if (e->model->n_shows == 0 && uncertain_sketch(e, b, room))
        return;
    if (e->model->n_shows == 0 && swept_sketch(e, b, room))
        return;
    const CosyShow *line =
        curves_lines(e, &l) == STATUS_OK ? first_graph(&l) : NULL;
    if (line && gallery_find_rows(e, line, &from)) {
        CosyShow own = *line;
        own.kind = COSY_PLOT;
        own.n = first_curves(e->model, line, variable, element);
        own.variable = variable;
        own.element = element;
        own.xfak = R(1.0);
        own.yfak = R(0.7); // the table stays in sight
        from.wide = room;
        show_line(b, &own, &from);
    } else if (!line && first_field(&l)) {
        fields_sketch(e, first_field(&l), b, room);
    }
    arena_free(&l.arena);
}
