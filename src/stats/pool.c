#include "stats/pool.h"

#include <assert.h>
#include <math.h>

#include "stats/figures.h"
#include "stats/number.h"
#include "stats/tables.h"
#include "stats/value.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

/* ---- Merging ---------------------------------------------------------------------- */

static uint64_t count_all(const CosyHistogram *h)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < h->cells + 2; k++)
        sum += h->count[k];
    return sum;
}

/* How many observations are up to `limit`, if those of a cell are spread evenly
   over it. */
static double count_up_to(const CosyHistogram *h, real limit)
{
    double at = (double)((limit - h->first) / h->width), sum = 0.0;
    double whole = rint(at);
    if (fabs(at - whole) < 1e-9) // the quotient is rounded
        at = whole;
    for (uint32_t k = 0; k <= h->cells && (double)k < at + 1.0; k++) {
        double share = at - ((double)k - 1.0); // of cell k
        if (k == 0)
            share = at >= 0.0 ? 1.0 : 0.0;
        sum += (double)h->count[k] * fmin(share, 1.0);
    }
    return sum;
}

/* The ends of the cells with something in them. */
static void find_ends(const CosyHistogram *h, real *low, real *high)
{
    uint32_t first = 1, last = h->cells;
    while (first < last && h->count[first] == 0)
        first++;
    while (last > first && h->count[last] == 0)
        last--;
    *low = h->first + (real)(first - 1) * h->width;
    *high = h->first + (real)last * h->width;
}

/* Doubles the width of cells until they hold those of another run, as far as the
   limits are open. */
static void make_room(CosyHistogram *to, const CosyHistogram *from)
{
    real low, high;
    const real far = COSY_REAL_MAX / R(1e6);
    bool wide = to->wide != to->wide, open = to->fuplim != to->fuplim;
    find_ends(from, &low, &high);
    while (wide && to->width < far &&
           (to->width < from->width ||
            high > to->first + (real)to->cells * to->width))
        cosy_histogram_widen(to, false);
    while (wide && open && to->width < far && low < to->first)
        cosy_histogram_widen(to, true);
}

static bool same_limits(const CosyHistogram *a, const CosyHistogram *b)
{
    return a->first == b->first && a->width == b->width && a->cells == b->cells;
}

void pool_merge(CosyHistogram *to, const CosyHistogram *from)
{
    if (!(from->width > R(0.0)))
        return;
    if (!(to->width > R(0.0))) {
        *to = *from;
        return;
    }
    if (!same_limits(to, from))
        make_room(to, from);
    if (same_limits(to, from)) {
        for (uint32_t k = 0; k < to->cells + 2; k++)
            to->count[k] += from->count[k];
        return;
    }
    uint64_t before = 0, all = count_all(from);
    for (uint32_t k = 0; k <= to->cells; k++) {
        double up_to = count_up_to(from, to->first + (real)k * to->width);
        uint64_t now = (uint64_t)(up_to + 0.5);
        assert(now >= before && now <= all);
        to->count[k] += now - before;
        before = now;
    }
    to->count[to->cells + 1] += all - before;
}

/* ---- Groups ------------------------------------------------------------------------ */

bool pool_begin(Replications *r, uint32_t elements)
{
    ReplicateGroup *g = SECTION(r->groups, ReplicateGroup) + r->first_group;
    size_t size = r->model->n_histograms * sizeof(CosyHistogram);
    for (uint32_t k = 0; k < elements; k++) {
        g[k].pool = (uint32_t)(r->pooled.used / sizeof(CosyHistogram));
        if (!vector_append(&r->pooled, NULL, size))
            return false;
    }
    return true;
}

bool pool_take(const Cosy *c, Vector *histograms)
{
    for (uint32_t k = 0; k < c->model->n_histograms; k++) {
        CosyHistogram h = figures_histogram(c, k);
        if (!vector_append(histograms, &h, sizeof h))
            return false;
    }
    return true;
}

void pool_add(Replications *r, uint32_t element, const Vector *histograms)
{
    ReplicateGroup *g =
        SECTION(r->groups, ReplicateGroup) + r->first_group + element;
    CosyHistogram *pool = SECTION(r->pooled, CosyHistogram) + g->pool;
    const CosyHistogram *h = SECTION(*histograms, const CosyHistogram);
    for (uint32_t k = 0; k < histograms->used / sizeof *h; k++)
        if (h[k].active) {
            pool[k].active = 1;
            pool_merge(&pool[k], &h[k]);
        }
}

const CosyHistogram *pool_histogram(const Replications *r, uint32_t group,
                                    uint32_t which)
{
    const ReplicateGroup *g = SECTION(r->groups, const ReplicateGroup) + group;
    const CosyHistogram *h =
        SECTION(r->pooled, const CosyHistogram) + g->pool + which;
    return which < r->model->n_histograms && h->active ? h : NULL;
}

uint32_t pool_runs(const Replications *r, uint32_t group)
{
    return SECTION(r->groups, const ReplicateGroup)[group].runs;
}

bool pool_any(const Replications *r)
{
    for (uint32_t g = 0; g < replicate_groups(r); g++)
        for (uint32_t k = 0; k < r->model->n_histograms; k++)
            if (pool_histogram(r, g, k))
                return true;
    return false;
}

/* ---- Results ------------------------------------------------------------------------- */

static void put_histogram(Buffer *b, const Replications *r, uint32_t group,
                          const CosyHistogram *h)
{
    bool any = h->width > R(0.0);
    buffer_format(b, "\"runs\": %u, \"edges\": [", pool_runs(r, group));
    for (uint32_t k = 0; k <= h->cells && any; k++) {
        buffer_text(b, k == 0 ? "" : ", ");
        number_json(b, h->first + (real)k * h->width);
    }
    buffer_text(b, "], \"counts\": [");
    for (uint32_t k = 0; k < h->cells + 2 && any; k++)
        buffer_format(b, "%s%llu", k == 0 ? "" : ", ",
                      (unsigned long long)h->count[k]);
    buffer_char(b, ']');
}

static void put_list(Buffer *b, const Replications *r, uint32_t which)
{
    bool begun = false;
    buffer_char(b, '[');
    for (uint32_t g = 0; g < replicate_groups(r); g++) {
        const CosyHistogram *h = pool_histogram(r, g, which);
        const ReplicateGroup *group =
            SECTION(r->groups, const ReplicateGroup) + g;
        if (!h)
            continue;
        buffer_format(b, "%s{\"frame\": %u, \"parameters\": ",
                      begun ? ",\n   " : "", group->frame);
        replicate_put_parameters(b, r, group);
        buffer_text(b, ", ");
        put_histogram(b, r, g, h);
        buffer_char(b, '}');
        begun = true;
    }
    buffer_char(b, ']');
}

static bool is_pooled(const Replications *r, uint32_t which)
{
    for (uint32_t g = 0; g < replicate_groups(r); g++)
        if (pool_histogram(r, g, which))
            return true;
    return false;
}

void pool_json(Buffer *b, const Replications *r)
{
    const CosyModel *m = r->model;
    bool begun = false;
    buffer_char(b, '{');
    for (uint32_t k = 0; k < m->n_histograms; k++) {
        if (!is_pooled(r, k))
            continue;
        buffer_text(b, begun ? ",\n  " : "");
        begun = true;
        buffer_json(b, m->histograms[k].name);
        buffer_text(b, ": ");
        put_list(b, r, k);
    }
    buffer_char(b, '}');
}

void pool_table(Buffer *b, const Replications *r, uint32_t group)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_histograms && m->n_shows == 0; k++) {
        const CosyHistogram *h = pool_histogram(r, group, k);
        const char *name = m->histograms[k].name;
        if (h)
            tables_histogram(b, h, name, value_shown_unit(value_unit(m, name)));
    }
}
