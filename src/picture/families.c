#include "picture/families.h"

#include <string.h>

#include "picture/grid.h"
#include "stats/value.h"

/* ---- Which runs ------------------------------------------------------------- */

bool family_spreads(uint32_t k, uint32_t all, uint32_t most)
{
    if (all <= most)
        return true;
    uint64_t i = ((uint64_t)k * (most - 1) + (all - 1) / 2) / (all - 1);
    return k == (i * (all - 1) + (most - 1) / 2) / (most - 1);
}

static bool shows_all(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (m->shows[k].run == COSY_ALL)
            return true;
    return false;
}

bool family_keeps(const Gallery *e, uint32_t place)
{
    const SweepTable *t = sweep_present(&e->sweep);
    const KernelOptions *o = e->options;
    bool asked = shows_all(e->model);
    bool drawn =
        e->model->n_shows == 0 && t && !t->replicated && o->dir && !o->no_plots;
    if (!t || place == COSY_NONE ||
        (e->model->n_stored == 0 && !film_wanted(e->model)) ||
        (!asked && !drawn))
        return false;
    return family_spreads(place, t->elements,
                          asked ? (uint32_t)LINES_RUNS_MOST : FAMILY_MOST);
}

void family_take(const Gallery *e, Shown *s, const RunSetting *setting,
                 uint32_t settings)
{
    const SweepTable *t = sweep_present(&e->sweep);
    s->family = e->sweep.present;
    s->valued = t && t->parameters == 1;
    for (uint32_t k = 0; s->valued && k < settings; k++)
        if (setting[k].varied) {
            s->value = (double)setting[k].value;
            s->valued = e->model->variables[setting[k].variable].type !=
                        COSY_TYPE_BOOLEAN;
        }
}

/* ---- Without OUTPUT --------------------------------------------------------- */

/* The runs of the last study; none if the modeller has SAVEd some, which would
   change what a number of a run means. */
static uint32_t count_family(const Gallery *e, uint32_t *family)
{
    size_t n;
    const Shown *s = gallery_shown(e, &n);
    uint32_t count = 0;
    *family = n ? s[n - 1].family : 0;
    for (size_t k = 0; k < n; k++) {
        if (s[k].saved)
            return 0;
        count += *family && s[k].family == *family && s[k].rows.used > 0;
    }
    return count;
}

/* A GRAPH of a variable in the first run, and OVERPLOTs in the others. */
static uint32_t put_lines(const Gallery *e, uint32_t family,
                          const uint32_t *variable, CosyShow *line)
{
    size_t runs;
    const Shown *s = gallery_shown(e, &runs);
    uint32_t n = 0;
    for (size_t k = 0; k < runs; k++) {
        if (s[k].family != family || s[k].rows.used == 0)
            continue;
        line[n] = (CosyShow){.kind = n ? COSY_OVERPLOT : COSY_GRAPH,
                             .run = (int32_t)s[k].run,
                             .title = "",
                             .versus = COSY_NONE,
                             .versus_at = COSY_NONE,
                             .along = COSY_NONE,
                             .along_at = COSY_NONE,
                             .n = 1,
                             .variable = variable,
                             .element = variable + 1};
        n++;
    }
    return n;
}

bool family_lines(const Gallery *e, Lines *l)
{
    const CosyModel *m = e->model;
    uint32_t family, each = count_family(e, &family), graphs = 0;
    if (m->n_shows || each < 2)
        return false;
    CosyShow *line =
        NEW_ARRAY(&l->arena, CosyShow, (size_t)FAMILY_GRAPHS * each);
    uint32_t *pair = NEW_ARRAY(&l->arena, uint32_t, 2 * FAMILY_GRAPHS);
    if (!line || !pair)
        return false;
    for (uint32_t k = 0; k < m->n_stored; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        if (m->stored[k] < m->n_variables && !value_is_global(v))
            continue;
        if (graphs == FAMILY_GRAPHS) {
            l->missing++;
            continue;
        }
        uint32_t *own = pair + 2 * (size_t)graphs++;
        own[0] = m->stored[k];
        own[1] = 0;
        l->n += put_lines(e, family, own, line + l->n);
    }
    l->line = line;
    return true;
}

/* ---- Colours ---------------------------------------------------------------- */

bool family_scale(const Gallery *e, Arena *a, const CosyShow *line, uint32_t n,
                  PlotAxis *z)
{
    uint32_t tables, family = 0;
    const SweepTable *t = sweep_tables(&e->sweep, &tables);
    Grid g;
    for (uint32_t k = 0; k < n; k++) {
        const Shown *s = gallery_find(e, &line[k]);
        if (!s || !s->valued || (family && s->family != family))
            return false;
        family = s->family;
    }
    if (!family || family > tables || n <= FAMILY_NAMED ||
        !grid_make(&g, a, &t[family - 1]) || g.sides != 1)
        return false;
    *z = grid_axis(&g, a, 0);
    return true;
}

const char *family_note(const Gallery *e, Arena *a)
{
    uint32_t family, tables, n = count_family(e, &family);
    const SweepTable *t = sweep_tables(&e->sweep, &tables);
    Buffer b = {0};
    if (n < 2 || family > tables || n >= t[family - 1].elements)
        return NULL;
    buffer_format(&b, "%u of %u runs, evenly spread", n,
                  t[family - 1].elements);
    const char *own = arena_text(a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own;
}
