#include "solve/block_part.h"

#include <string.h>

/* The path from u0, where the residual is r0, to a solution: the points (u, s)
   with r(u) = (1 - s) r0 (Newton homotopy), from s = 0 to s = 1. It is followed
   by its length, with a step along the tangent and Newton's method across it
   (Allgower, Georg, Introduction to Numerical Continuation Methods, 1990,
   chapters 2 and 3). Where s turns back, the solutions that continue the first
   one have come to their end: that is a fold. */

#define STEPS    400
#define ACROSS   8       // corrections of one step
#define ACCURATE R(1e-6) // of a point of the path, in proportion
#define SHORTEST R(1e-7) // step
#define STRAIGHT R(0.9)  // cosine between the tangents of two points

typedef struct Path {
    Newton *w;
    uint32_t n;
    real *r0;    // residual at the start
    real *u;     // last point, with s
    real *along; // tangent there, with s_along
    real *turn;  // that of the next point
    real *v;     // inverse(J) r0
    real *size;  // of movements of each unknown
    real s, s_along, s_turn, h;
} Path;

#define PATH_VECTORS 6

static real product(const Path *p, const real *a, const real *b)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < p->n; i++)
        sum += a[i] / p->size[i] * (b[i] / p->size[i]);
    return sum;
}

/* v at u, where the residual is r. */
static bool find_v(Path *p)
{
    Newton *w = p->w;
    memcpy(p->v, p->r0, p->n * sizeof(real));
    return block_factor(w) == COSY_OK && block_apply(w, p->v) == COSY_OK;
}

/* How far each unknown is likely to move, at least a tenth of what the others
   do in proportion. */
static bool find_sizes(Path *p, const real *u)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < p->n; i++) {
        real whole = u[i] != R(0.0) ? cosy_abs(u[i]) : R(1.0);
        most = cosy_max(most, cosy_abs(p->v[i]) / whole);
    }
    if (!(most > R(0.0)) || !cosy_finite(most))
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        real whole = u[i] != R(0.0) ? cosy_abs(u[i]) : R(1.0);
        p->size[i] = cosy_max(cosy_abs(p->v[i]), R(0.1) * most * whole);
    }
    return true;
}

/* The tangent that v belongs to: it leads on in the direction of the last. */
static bool find_turn(Path *p)
{
    real length = cosy_sqrt(product(p, p->v, p->v) + R(1.0));
    if (!cosy_finite(length))
        return false;
    p->s_turn = R(1.0) / length;
    for (uint32_t i = 0; i < p->n; i++)
        p->turn[i] = -p->v[i] / length;
    real cosine = product(p, p->turn, p->along) + p->s_turn * p->s_along;
    if (cosine < R(0.0)) {
        p->s_turn = -p->s_turn;
        for (uint32_t i = 0; i < p->n; i++)
            p->turn[i] = -p->turn[i];
    }
    return cosy_abs(cosine) >= STRAIGHT;
}

static bool begin(Path *p, const real *u)
{
    Newton *w = p->w;
    memcpy(w->u, u, p->n * sizeof(real));
    memcpy(p->u, u, p->n * sizeof(real));
    block_measure(w);
    if (block_residual(w, w->u, w->r) != COSY_OK)
        return false;
    memcpy(p->r0, w->r, p->n * sizeof(real));
    if (!find_v(p) || !find_sizes(p, u))
        return false;
    memset(p->along, 0, p->n * sizeof(real));
    p->s = R(0.0);
    p->s_along = R(1.0);
    find_turn(p);
    memcpy(p->along, p->turn, p->n * sizeof(real));
    p->s_along = p->s_turn;
    p->h = R(0.25) / p->s_along;
    return true;
}

/* One correction of w->u and *s, across the tangent or, `last`, at s = 1. */
static bool correct(Path *p, real *s, bool last, real *norm)
{
    Newton *w = p->w;
    if (block_residual(w, w->u, w->r) != COSY_OK || !find_v(p))
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        w->d[i] = w->r[i] - (R(1.0) - *s) * p->r0[i];
    if (block_apply(w, w->d) != COSY_OK)
        return false;
    real ds = last ? R(0.0)
                   : product(p, p->along, w->d) /
                         (p->s_along - product(p, p->along, p->v));
    *norm = cosy_abs(ds);
    for (uint32_t i = 0; i < p->n; i++) {
        real d = -w->d[i] - p->v[i] * ds;
        w->u[i] += d;
        *norm = cosy_max(*norm, cosy_abs(d) / p->size[i]);
    }
    *s += ds;
    return cosy_finite(*norm);
}

/* A step of length h along the tangent. */
static bool step(Path *p, real *s, bool last)
{
    Newton *w = p->w;
    real before = cosy_max(p->h, R(4.0) * ACCURATE), norm = R(0.0);
    for (uint32_t i = 0; i < p->n; i++)
        w->u[i] = p->u[i] + p->h * p->along[i];
    *s = last ? R(1.0) : p->s + p->h * p->s_along;
    for (int k = 0; k < ACROSS; k++) {
        if (!correct(p, s, last, &norm))
            return false;
        if (norm <= ACCURATE)
            return find_turn(p);
        if (norm > R(0.5) * before)
            return false;
        before = norm;
    }
    return false;
}

/* The end of the path is near enough for Newton's method. */
static bool arrive(Newton *w)
{
    w->doubtful = false;
    return block_newton(w) == COSY_OK && !w->doubtful;
}

/* What has moved farther than was expected is measured by that: a current may
   begin at the last places of what it comes to. */
static void measure_again(Path *p, const real *from)
{
    for (uint32_t i = 0; i < p->n; i++)
        p->size[i] = cosy_max(p->size[i], cosy_abs(p->u[i] - from[i]));
    real length =
        cosy_sqrt(product(p, p->along, p->along) + cosy_square(p->s_along));
    for (uint32_t i = 0; i < p->n; i++)
        p->along[i] /= length;
    p->s_along /= length;
    p->h *= length;
}

static void take(Path *p, real s, const real *from)
{
    memcpy(p->u, p->w->u, p->n * sizeof(real));
    memcpy(p->along, p->turn, p->n * sizeof(real));
    p->s = s;
    p->s_along = p->s_turn;
    measure_again(p, from);
}

bool block_path(Newton *w, const real *u, real *memory, bool *turning)
{
    Path p = {.w = w, .n = w->n};
    real **array[] = {&p.r0, &p.u, &p.along, &p.turn, &p.v, &p.size};
    for (size_t k = 0; k < PATH_VECTORS; k++)
        *array[k] = memory + k * w->n;
    *turning = true; // if it does not even begin
    if (!begin(&p, u))
        return false;
    *turning = false;
    for (int k = 0; k < STEPS && p.h > SHORTEST; k++) {
        real s, rest = (R(1.0) - p.s) / p.s_along;
        bool last = p.s_along > R(0.0) && p.h >= rest;
        if (last)
            p.h = rest;
        if (!step(&p, &s, last)) {
            p.h *= R(0.5);
            continue;
        }
        take(&p, s, u);
        *turning = *turning || p.s_along <= R(0.0);
        if (last)
            return arrive(w);
        if (*turning && w->room->follows)
            return false;
        p.h *= R(2.0);
    }
    *turning = true;
    return false;
}
