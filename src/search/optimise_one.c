/* One parameter: three points with the smallest value in the middle, then golden
   section and parabolas (Brent, Algorithms for minimization without derivatives, 1973,
   chapter 5). A trial that failed counts as infinite. */

#include <assert.h>

#include "search/optimise_own.h"

enum { GRID = 8, DOUBLINGS = 40, MOST_STEPS = 400 };

#define GOLDEN R(0.3819660112501051517954131656343618822797)

typedef struct Triple {
    real a, b, c; // b between a and c, or one of them
    real fb;
} Triple;

static Status value_at(Seeker *k, real z, real *f)
{
    const real *out;
    bool good;
    TRY(seeker_ask(k, &z, &out, &good));
    *f = seeker_value(k, out, good);
    return STATUS_OK;
}

/* Between two bounds: the best of a grid, and of the start, which wins where all are
   alike. */
static Status grid(Seeker *k, Triple *t)
{
    real low = best_low(k->s, 0), high = best_high(k->s, 0);
    real z[GRID + 2], f[GRID + 2], start = (real)k->start[0], at_start;
    size_t n = 0, best = 0;
    TRY(value_at(k, start, &at_start));
    for (int i = 0; i <= GRID; i++)
        z[n++] = i == GRID ? high : low + (high - low) * (real)i / (real)GRID;
    TRY(seeker_many(k, n, z, f));
    while (best + 1 < n && z[best] < start)
        best++;
    if (z[best] != start) {
        memmove(z + best + 1, z + best, (n - best) * sizeof *z);
        memmove(f + best + 1, f + best, (n - best) * sizeof *f);
        z[best] = start;
        f[best] = at_start;
        n++;
    }
    for (size_t i = 0; i < n; i++)
        if (f[i] < f[best])
            best = i;
    *t = (Triple){z[best > 0 ? best - 1 : 0], z[best],
                  z[best + 1 < n ? best + 1 : best], f[best]};
    return STATUS_OK;
}

/* From the start downhill, with steps that double, until it rises. */
static Status downhill(Seeker *k, Triple *t)
{
    real low = best_low(k->s, 0), high = best_high(k->s, 0);
    real step = (real)k->step, a = (real)k->start[0], b, fa, fb;
    TRY(value_at(k, a, &fa));
    b = cosy_min(a + step, high);
    TRY(value_at(k, b, &fb));
    if (!(fb < fa)) {
        real kept = a;
        a = b;
        b = kept;
        fb = fa;
        step = -step;
    }
    for (int i = 0; i < DOUBLINGS; i++) {
        real c = cosy_min(cosy_max(b + step, low), high), fc;
        if (c == b)
            break;
        TRY(value_at(k, c, &fc));
        if (!(fc < fb)) {
            *t = (Triple){a, b, c, fb};
            return STATUS_OK;
        }
        a = b;
        b = c;
        fb = fc;
        step *= R(2.0);
    }
    *t = (Triple){a, b, b, fb};
    return STATUS_OK;
}

/* Brent's points: x the best, w the second, v the one before. */
typedef struct Brent {
    real a, b;
    real x, w, v, fx, fw, fv;
    real d, e; // last step, and the one before
} Brent;

/* The step to the vertex of the parabola, or false. */
static bool parabola(const Brent *m, real least, real *d)
{
    real r = (m->x - m->w) * (m->fx - m->fv);
    real q = (m->x - m->v) * (m->fx - m->fw);
    real p = (m->x - m->v) * q - (m->x - m->w) * r;
    q = R(2.0) * (q - r);
    if (q > R(0.0))
        p = -p;
    q = cosy_abs(q);
    if (!(cosy_abs(m->e) > least) || !cosy_finite(p) ||
        !(cosy_abs(p) < cosy_abs(q * m->e / R(2.0))) ||
        !(p > q * (m->a - m->x)) || !(p < q * (m->b - m->x)))
        return false;
    *d = p / q;
    real u = m->x + *d, edge = R(2.0) * least;
    if (u - m->a < edge || m->b - u < edge)
        *d = m->x < (m->a + m->b) / R(2.0) ? least : -least;
    return true;
}

static void take(Brent *m, real u, real fu)
{
    if (fu <= m->fx) {
        *(u < m->x ? &m->b : &m->a) = m->x;
        m->v = m->w, m->fv = m->fw;
        m->w = m->x, m->fw = m->fx;
        m->x = u, m->fx = fu;
        return;
    }
    *(u < m->x ? &m->a : &m->b) = u;
    if (fu <= m->fw || m->w == m->x) {
        m->v = m->w, m->fv = m->fw;
        m->w = u, m->fw = fu;
    } else if (fu <= m->fv || m->v == m->x || m->v == m->w) {
        m->v = u, m->fv = fu;
    }
}

static Status narrow(Seeker *k, const Triple *t)
{
    Brent m = {.a = cosy_min(t->a, t->c), .b = cosy_max(t->a, t->c)};
    m.x = m.w = m.v = t->b;
    m.fx = m.fw = m.fv = t->fb;
    for (int i = 0; i < MOST_STEPS; i++) {
        real middle = (m.a + m.b) / R(2.0);
        real least = cosy_max((real)k->tolerance / R(3.0),
                              cosy_sqrt(COSY_EPSILON) * cosy_abs(m.x) / R(2.0));
        real d, fu;
        if (cosy_abs(m.x - middle) <= R(2.0) * least - (m.b - m.a) / R(2.0))
            return STATUS_OK;
        if (parabola(&m, least, &d)) {
            m.e = m.d;
        } else {
            m.e = m.x < middle ? m.b - m.x : m.a - m.x;
            d = GOLDEN * m.e;
        }
        m.d = d;
        real u = m.x + (cosy_abs(d) >= least ? d : d > R(0.0) ? least : -least);
        TRY(value_at(k, u, &fu));
        take(&m, u, fu);
    }
    return STATUS_OK;
}

Status seek_brent(Seeker *k)
{
    Triple t;
    assert(k->s->q->n == 1);
    bool both =
        cosy_finite(best_low(k->s, 0)) && cosy_finite(best_high(k->s, 0));
    if (both && k->meeting == NULL)
        TRY(grid(k, &t));
    else
        TRY(downhill(k, &t));
    return narrow(k, &t);
}
