#include "stats/mesh.h"

#include <assert.h>

/* ---- One axis ------------------------------------------------------------------- */

static uint32_t *places(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

/* The point of the fine grid that is the coarse point x, from `from` on; its
   number of points if there is none. */
static uint32_t same_point(const real *at, uint32_t n, uint32_t from, real x,
                           real span)
{
    real near = R(1e-9) * span;
    uint32_t k = from;
    while (k < n && at[k] < x - near)
        k++;
    return k < n && at[k] <= x + near ? k : n;
}

static bool is_nested(const MeshLine *l, const real *fine, const real *coarse)
{
    real span = fine[l->fine - 1] - fine[0];
    uint32_t at = 0;
    for (uint32_t k = 0; k < l->coarse; k++, at++) {
        at = same_point(fine, l->fine, at, coarse[k], span);
        if (at == l->fine)
            return false;
    }
    return true;
}

/* Lagrange's polynomial through `width` coarse points, at x. */
static void weights(real *w, const real *coarse, uint32_t width, real x)
{
    for (uint32_t i = 0; i < width; i++) {
        w[i] = R(1.0);
        for (uint32_t j = 0; j < width; j++)
            if (j != i)
                w[i] *= (x - coarse[j]) / (coarse[i] - coarse[j]);
    }
}

static bool add_sample(MeshLine *l, uint32_t at, uint32_t first, const real *w)
{
    l->samples++;
    return vector_append(&l->at, &at, sizeof at) &&
           vector_append(&l->first, &first, sizeof first) &&
           vector_append(&l->weight, w, l->width * sizeof *w);
}

static bool open_nested(MeshLine *l, const real *fine, const real *coarse)
{
    const real one = R(1.0), span = fine[l->fine - 1] - fine[0];
    bool ok = true;
    l->width = 1;
    for (uint32_t k = 0, at = 0; ok && k < l->coarse; k++, at++) {
        at = same_point(fine, l->fine, at, coarse[k], span);
        ok = add_sample(l, at, k, &one);
    }
    return ok;
}

/* The coarse points around x, as far as there are any on both sides. */
static uint32_t stencil(const MeshLine *l, const real *coarse, real x)
{
    uint32_t k = 0, back = (l->width - 1) / 2;
    while (k + 1 < l->coarse && coarse[k + 1] <= x)
        k++;
    k = k > back ? k - back : 0;
    return k + l->width > l->coarse ? l->coarse - l->width : k;
}

static bool open_between(MeshLine *l, const real *fine, const real *coarse,
                         uint32_t order)
{
    real w[MESH_WIDTH];
    bool ok = true;
    l->width = order + 2 < MESH_WIDTH ? order + 2 : MESH_WIDTH;
    if (l->width > l->coarse)
        l->width = l->coarse;
    for (uint32_t k = 0; ok && k < l->fine; k++) {
        uint32_t first = stencil(l, coarse, fine[k]);
        weights(w, coarse + first, l->width, fine[k]);
        ok = add_sample(l, k, first, w);
    }
    return ok;
}

/* Every sample stands for half of the way to its neighbours. */
static bool measure(MeshLine *l, const real *fine)
{
    const uint32_t *at = places(&l->at);
    for (uint32_t k = 0; k < l->samples; k++) {
        real low = fine[at[k > 0 ? k - 1 : 0]];
        real high = fine[at[k + 1 < l->samples ? k + 1 : k]];
        real cell = (high - low) / R(2.0);
        if (!vector_append(&l->cell, &cell, sizeof cell))
            return false;
    }
    return true;
}

static bool open_line(MeshLine *l, const real *fine, const real *coarse,
                      uint32_t order)
{
    assert(l->fine > 1 && l->coarse > 1);
    bool nested = is_nested(l, fine, coarse);
    return (nested ? open_nested(l, fine, coarse)
                   : open_between(l, fine, coarse, order)) &&
           measure(l, fine);
}

bool mesh_open(Mesh *m, uint32_t axes, const uint32_t *fine,
               const real *const *fine_at, const uint32_t *coarse,
               const real *const *coarse_at, uint32_t order)
{
    size_t samples = 1, along = 1;
    assert(axes >= 1 && axes <= MESH_AXES);
    *m = (Mesh){.axes = axes};
    for (uint32_t k = 0; k < axes; k++) {
        MeshLine *l = &m->line[k];
        l->fine = fine[k];
        l->coarse = coarse[k];
        if (!open_line(l, fine_at[k], coarse_at[k], order))
            return false;
        samples *= l->samples;
        along *= k + 1 < axes ? l->samples : l->fine;
    }
    return vector_append(&m->apart, NULL, samples * sizeof(real)) &&
           vector_append(&m->along, NULL, along * sizeof(real));
}

/* ---- Differences ------------------------------------------------------------------- */

/* The coarse field where the last axis has its sample k. */
static real inner(const MeshLine *l, const real *row, uint32_t k)
{
    const real *w = reals(&l->weight) + (size_t)k * l->width;
    const real *u = row + places(&l->first)[k];
    real sum = R(0.0);
    for (uint32_t j = 0; j < l->width; j++)
        sum += w[j] * u[j];
    return sum;
}

static real outer(const Mesh *m, const real *coarse, uint32_t i, uint32_t k)
{
    const MeshLine *x = &m->line[0], *y = &m->line[1];
    const real *w = reals(&x->weight) + (size_t)i * x->width;
    const real *row = coarse + (size_t)places(&x->first)[i] * y->coarse;
    real sum = R(0.0);
    for (uint32_t j = 0; j < x->width; j++, row += y->coarse)
        sum += w[j] * inner(y, row, k);
    return sum;
}

/* One difference, for the norms. */
static void add(MeshNorms *n, real apart, real cell)
{
    if (!cosy_finite(apart))
        n->max = n->mean = COSY_NAN;
    n->max = apart > n->max ? apart : n->max; // NaN stays
    n->mean += apart * cell;
}

static real sum_of(const MeshLine *l)
{
    real sum = R(0.0);
    for (uint32_t k = 0; k < l->samples; k++)
        sum += reals(&l->cell)[k];
    return sum;
}

static void compare_line(Mesh *m, const real *fine, const real *coarse,
                         MeshNorms *n)
{
    const MeshLine *l = &m->line[0];
    real *apart = reals(&m->apart);
    for (uint32_t k = 0; k < l->samples; k++) {
        apart[k] = cosy_abs(fine[places(&l->at)[k]] - inner(l, coarse, k));
        add(n, apart[k], reals(&l->cell)[k]);
    }
    n->mean /= sum_of(l);
}

static void compare_plane(Mesh *m, const real *fine, const real *coarse,
                          MeshNorms *n)
{
    const MeshLine *x = &m->line[0], *y = &m->line[1];
    real *apart = reals(&m->apart);
    for (uint32_t i = 0; i < x->samples; i++) {
        const real *row = fine + (size_t)places(&x->at)[i] * y->fine;
        for (uint32_t k = 0; k < y->samples; k++, apart++) {
            *apart = cosy_abs(row[places(&y->at)[k]] - outer(m, coarse, i, k));
            add(n, *apart, reals(&x->cell)[i] * reals(&y->cell)[k]);
        }
    }
    n->mean /= sum_of(x) * sum_of(y);
}

MeshNorms mesh_compare(Mesh *m, const real *fine, const real *coarse)
{
    MeshNorms n = {0};
    size_t points = 1;
    if (m->axes == 1)
        compare_line(m, fine, coarse, &n);
    else
        compare_plane(m, fine, coarse, &n);
    for (uint32_t k = 0; k < m->axes; k++)
        points *= m->line[k].fine;
    for (size_t k = 0; k < points; k++)
        n.size = cosy_max(n.size, cosy_abs(fine[k]));
    return n;
}

/* ---- At every point ------------------------------------------------------------------ */

/* Samples that a point looks at on each side: two intervals of the coarse grid,
   and where all points of the fine grid are samples twice as many. */
static uint32_t reach_of(const MeshLine *l)
{
    return l->samples == l->coarse ? 2 : 4;
}

/* The largest of the samples near each point of a line; both have the distance
   `step` between neighbours. */
static void spread_line(const MeshLine *l, const real *apart, real *near,
                        size_t step)
{
    const uint32_t *at = places(&l->at), reach = reach_of(l);
    uint32_t next = 0; // the first sample after the point
    for (uint32_t i = 0; i < l->fine; i++) {
        while (next < l->samples && at[next] <= i)
            next++;
        bool here = next > 0 && at[next - 1] == i;
        uint32_t before = reach + (here ? 1 : 0);
        uint32_t from = next > before ? next - before : 0;
        uint32_t end = next + reach;
        real most = R(0.0);
        for (uint32_t k = from; k < end && k < l->samples; k++)
            most = cosy_max(most, apart[k * step]);
        near[i * step] = most;
    }
}

void mesh_spread(Mesh *m, real *near)
{
    const MeshLine *x = &m->line[0], *y = &m->line[1];
    const real *apart = reals(&m->apart);
    real *along = reals(&m->along);
    if (m->axes == 1) {
        spread_line(x, apart, near, 1);
        return;
    }
    for (uint32_t i = 0; i < x->samples; i++)
        spread_line(y, apart + (size_t)i * y->samples,
                    along + (size_t)i * y->fine, 1);
    for (uint32_t k = 0; k < y->fine; k++)
        spread_line(x, along + k, near + k, y->fine);
}

void mesh_free(Mesh *m)
{
    for (uint32_t k = 0; k < MESH_AXES; k++) {
        vector_free(&m->line[k].at);
        vector_free(&m->line[k].first);
        vector_free(&m->line[k].weight);
        vector_free(&m->line[k].cell);
    }
    vector_free(&m->apart);
    vector_free(&m->along);
}
