/* Faster ends: Anderson's mixing of the last steps (Anderson 1965; Walker and Ni, Anderson
   acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49, 2011). Where
   residuals are large and predictions bend, the steps of Gauss and Newton shrink by
   the same share each time; what they have in common is found from a few of them. */

#include <assert.h>

#include "search/least_own.h"
#include "search/svd.h"

Status least_mix_make(const LeastPlan *l, LeastMix *m)
{
    size_t n = l->n;
    m->most = l->n < LEAST_MIXED ? l->n : LEAST_MIXED;
    real **const ofn[] = {&m->last, &m->last_step};
    real **const many[] = {&m->dz, &m->ds, &m->u, &m->v};
    return least_allot(l->arena, n, ofn, LENGTH(ofn)) &&
                   least_allot(l->arena, n * LEAST_MIXED, many, LENGTH(many))
               ? STATUS_OK
               : STATUS_MEMORY;
}

void least_mix_forget(LeastMix *m)
{
    m->count = m->next = 0;
    m->length = R(0.0);
}

/* Notes the point and its step; returns whether steps shrink slowly. */
static bool note(const LeastPlan *l, LeastMix *m, const LeastStep *step)
{
    uint32_t n = l->n;
    bool slow = m->length > R(0.0) && step->length > R(0.2) * m->length &&
                step->length < R(1.0) * m->length;
    if (m->length > R(0.0)) {
        real *dz = m->dz + (size_t)m->next * n,
             *ds = m->ds + (size_t)m->next * n;
        for (uint32_t j = 0; j < n; j++) {
            dz[j] = step->z[j] - m->last[j];
            ds[j] = step->s[j] - m->last_step[j];
        }
        m->next = (m->next + 1) % m->most;
        m->count += m->count < m->most;
    }
    memcpy(m->last, step->z, n * sizeof *m->last);
    memcpy(m->last_step, step->s, n * sizeof *m->last_step);
    m->length = step->length;
    return slow;
}

/* The shares of earlier differences that take most of the step away; false: they are
   out of range. */
static bool find_shares(const LeastPlan *l, LeastMix *m, const LeastStep *step,
                        real *share)
{
    uint32_t n = l->n, k = m->count;
    real value[LEAST_MIXED], g[LEAST_MIXED] = {R(0.0)};
    for (uint32_t a = 0; a < k; a++)
        for (uint32_t j = 0; j < n; j++)
            m->u[(size_t)a * n + j] = step->d[j] * m->ds[(size_t)a * n + j];
    for (size_t i = 0; i < (size_t)k * n; i++)
        if (!cosy_finite(m->u[i]))
            return false;
    svd_make(n, k, m->u, value, m->v);
    for (uint32_t a = 0; a < k; a++) {
        share[a] = R(0.0);
        for (uint32_t j = 0; j < n; j++)
            g[a] += m->u[(size_t)a * n + j] * step->d[j] * step->s[j];
    }
    for (uint32_t a = 0; a < k; a++)
        for (uint32_t b = 0; value[a] > R(1e-6) * value[0] && b < k; b++)
            share[b] += g[a] / value[a] * m->v[b + (size_t)a * k];
    return true;
}

bool least_mix(const LeastPlan *l, LeastMix *m, LeastStep *step)
{
    uint32_t n = l->n;
    real share[LEAST_MIXED], length = R(0.0);
    if (!note(l, m, step) || !find_shares(l, m, step, share))
        return false;
    real *mixed = l->work2;
    for (uint32_t j = 0; j < n; j++) {
        mixed[j] = step->s[j];
        for (uint32_t a = 0; a < m->count; a++)
            mixed[j] -= share[a] *
                        (m->dz[(size_t)a * n + j] + m->ds[(size_t)a * n + j]);
        real z = step->z[j] + mixed[j];
        if (!(z > l->low[j] && z < l->high[j]) && mixed[j] != R(0.0))
            return false;
        length += cosy_square(step->d[j] * mixed[j]);
    }
    if (!(length > R(0.0)) || cosy_sqrt(length) > R(10.0) * step->length)
        return false;
    memcpy(step->s, mixed, n * sizeof *mixed);
    return true;
}
