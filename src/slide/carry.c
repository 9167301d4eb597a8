#include <string.h>

#include "run/run.h"
#include "solve/dense.h"

/* Derivatives by parameters on a slide. The field there is the sum of share f over all
   combinations of sides; the derivative of each f is carried along by its companions, and
   that of the shares follows from what defines them: on every surface the sum of share z'
   stays 0. The derivative of z' by a parameter, along a side, is the time derivative of
   that of z along the same side (CosyModel.condition_slopes). */

/* How each z' of one side depends on the parameters, added to `sum`, with its share. */
static CosyStatus add_side(Run *r, real t, const real *x, uint32_t side,
                           real share, real *sum)
{
    const SlideState *s = &r->slide.state;
    const CosyModel *m = field_model(r);
    uint32_t n = m->n_senses, count, slopes;
    const real *dx = field_of(r, side);
    CosyCondition *list;
    real *slope = (real *)(void *)r->carried.slope.bytes;
    COSY_TRY(field_rates(r, t, x, dx, 0, &list, &count));
    COSY_TRY(m->condition_slopes(r->c, t, x, dx, slope, &slopes));
    for (uint32_t k = 0; k < s->surfaces; k++) {
        const CosyCondition *on =
            field_find(list, count, s->surface[k].id, s->surface[k].copy);
        if (!on) // it is not looked at on this side, and counts as unchanged
            continue;
        const real *rate = slope + (2 * (size_t)(on - list) + 1) * n;
        for (uint32_t j = 0; j < n; j++)
            sum[k * n + j] += share * rate[j];
    }
    return COSY_OK;
}

/* d(sum of share z' of surface k)/d(weight j) */
static void by_weights(const Run *r, const SlideMix *m, real *a)
{
    uint32_t n = r->slide.state.surfaces;
    memset(a, 0, (size_t)n * n * sizeof *a);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t c = 0; c < m->sides; c++)
                a[j * n + k] += (c >> j & 1u ? R(1.0) : R(-1.0)) *
                                field_share(m, n, c, j) * m->dz[k][c];
}

static bool room(Run *r)
{
    size_t slopes = 2 * (size_t)r->watch.room * r->carried.n;
    size_t shares = ((size_t)SLIDE_SIDES + SLIDE_SURFACES) * r->carried.n;
    return vector_fit(&r->carried.slope, slopes * sizeof(real)) &&
           vector_fit(&r->carried.shares, shares * sizeof(real));
}

CosyStatus carry_shares(Run *r, real t, const real *x, const SlideMix *m,
                        real **share)
{
    uint32_t surfaces = r->slide.state.surfaces, n = r->carried.n;
    uint32_t pivot[SLIDE_SURFACES];
    real a[SLIDE_SURFACES * SLIDE_SURFACES], b[SLIDE_SURFACES];
    CosyStatus status = COSY_OK;
    if (!room(r))
        return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    *share = (real *)(void *)r->carried.shares.bytes;
    real *sum = *share + (size_t)SLIDE_SIDES * n;
    memset(*share, 0,
           ((size_t)SLIDE_SIDES + SLIDE_SURFACES) * n * sizeof **share);
    for (uint32_t c = 0; status == COSY_OK && c < m->sides; c++) {
        field_sides(r, c);
        status = add_side(r, t, x, c, m->share[c], sum);
    }
    field_sides(r, field_home(r));
    COSY_TRY(status);
    by_weights(r, m, a);
    if (dense_factor(surfaces, a, pivot) < surfaces)
        return COSY_FAIL(COSY_SINGULAR, COSY_NOWHERE);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = 0; k < surfaces; k++)
            b[k] = -sum[k * n + j];
        dense_solve(surfaces, a, pivot, b);
        for (uint32_t c = 0; c < m->sides; c++)
            for (uint32_t k = 0; k < surfaces; k++)
                (*share)[c * n + j] += (c >> k & 1u ? R(1.0) : R(-1.0)) *
                                       field_share(m, surfaces, c, k) * b[k];
    }
    return COSY_OK;
}

typedef struct Adding {
    Run *r;
    const SlideMix *m;
    const real *share;
    real *dx;
} Adding;

static void add_rate(void *user, uint32_t sense, uint32_t of,
                     uint32_t companion)
{
    const Adding *a = user;
    for (uint32_t c = 0; c < a->m->sides; c++)
        a->dx[companion] +=
            a->share[c * a->r->carried.n + sense] * field_of(a->r, c)[of];
}

CosyStatus carry_rates(Run *r, real t, const real *x, const SlideMix *m,
                       real *dx)
{
    Adding a = {.r = r, .m = m, .dx = dx};
    real *share;
    COSY_TRY(carry_shares(r, t, x, m, &share));
    a.share = share;
    carried_each(r, add_rate, &a);
    return COSY_OK;
}

void carry_values(const Run *r, const real *share, const unsigned char *data,
                  unsigned char *sum)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_companions; k++) {
        const CosyCompanion *p = &m->companions[k];
        if (p->kind != COSY_ALGEBR || p->process != COSY_NONE ||
            (p->variable != COSY_NONE &&
             m->variables[p->variable].kind != COSY_ALGEBR))
            continue; // also: the 0 beside a STATE that depends on nothing
        const real *of = (const real *)(const void *)(data + p->of);
        real *to = (real *)(void *)(sum + p->place);
        for (uint32_t i = 0; i < p->count; i++)
            to[i] += share[p->sense] * of[i];
    }
}
