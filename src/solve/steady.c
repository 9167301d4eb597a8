#include "solve/steady.h"

#include <string.h>

enum {
    NEWTON_MOST = 60,  // iterations
    POLISH_MOST = 40,  // corrections; at a double root each only halves
    RELAX_MOST = 3000, // steps of the continuation
    SETTLE_MOST = 20   // changes of branches
};

/* ---- Vectors -------------------------------------------------------------- */

static real *row(const Steady *k, uint32_t which)
{
    return k->room + (size_t)which * k->n;
}

real steady_norm(uint32_t n, const real *v)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < n; i++) {
        if (!cosy_finite(v[i]))
            return COSY_NEVER;
        most = cosy_max(most, cosy_abs(v[i]));
    }
    return most;
}

void steady_move(const Steady *k, const real *x, const real *d, real c,
                 real *to)
{
    for (uint32_t i = 0; i < k->n; i++) {
        to[i] = x[i] + c * k->size[i] * d[i];
        if (k->o.sign[i] * to[i] < R(0.0))
            to[i] = R(0.0);
    }
}

/* A step that would change a sign goes nine tenths of the way. */
real steady_limit(const Steady *k, const real *x, const real *d)
{
    real c = R(1.0);
    for (uint32_t i = 0; i < k->n; i++) {
        real step = k->size[i] * d[i];
        if (k->o.sign[i] == 0 || k->o.sign[i] * step >= R(0.0) ||
            k->o.sign[i] * (x[i] + step) >= R(0.0))
            continue;
        real far = -x[i] / step;
        if (k->o.sign[i] * x[i] > R(1e-14) * k->size[i])
            c = cosy_min(c, R(0.9) * far);
    }
    return c;
}

/* ---- The system ----------------------------------------------------------- */

Status steady_create(Steady *k, Solver *s, const SteadyOptions *o)
{
    size_t n = s->n, full = n <= STEADY_FULL ? n * n : 1;
    *k = (Steady){.s = s, .o = *o, .t = s->t, .n = s->n, .mu = R(1.0)};
    if (!(k->o.tol > R(0.0)))
        k->o.tol = cosy_max(R(1e-9), R(1e3) * COSY_EPSILON);
    k->size = NEW_ARRAY(s->arena, real, n);
    k->x0 = NEW_ARRAY(s->arena, real, n);
    k->weight = NEW_ARRAY(s->arena, real, n);
    k->pivot = NEW_ARRAY(s->arena, uint32_t, n);
    k->matrix = NEW_ARRAY(s->arena, real, full);
    k->room = NEW_ARRAY(s->arena, real, 8 * n);
    if (o->normals) {
        size_t most = o->normals_most;
        k->normal = NEW_ARRAY(s->arena, real, most * n + 1);
        k->here = NEW_ARRAY(s->arena, real, most * n + 1);
        k->off = NEW_ARRAY(s->arena, real, most + 1);
        if (!k->normal || !k->here || !k->off)
            return STATUS_MEMORY;
    }
    if (!k->size || !k->x0 || !k->weight || !k->pivot || !k->matrix || !k->room)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        k->x0[i] = s->x[i];
        k->size[i] = cosy_max(s->size[i], cosy_abs(s->x[i]));
        if (!(k->size[i] > R(0.0)))
            k->size[i] = R(1.0);
    }
    Image *image = s->image; // no run continues from here
    s->image = NULL;
    Status status = jacobian_create(&k->jacobian, s);
    s->image = image;
    TRY(status);
    k->there = true;
    TRY(jacobian_shape(&k->jacobian, s));
    if (n <= STEADY_FULL) {
        k->o.normals = NULL; // sums are kept by f alone
        status = steady_laws(k);
        k->o.normals = o->normals;
        return status;
    }
    k->linear = linear_create(s->arena, NULL, "steady", false);
    if (!k->linear)
        return STATUS_MEMORY;
    const Jacobian *j = &k->jacobian;
    return linear_shape(
        k->linear, s->n,
        j->dense ? NULL : (const uint32_t *)(const void *)j->start.bytes,
        j->dense ? NULL : (const uint32_t *)(const void *)j->row.bytes);
}

void steady_free(Steady *k)
{
    if (k->there)
        jacobian_free(&k->jacobian);
    if (k->linear)
        linear_free(k->linear);
    *k = (Steady){0};
}

/* - mu Q e. */
static Status add_normals(Steady *k, const real *x, real *g)
{
    uint32_t count = 0;
    if (!k->o.normals)
        return STATUS_OK;
    TRY(k->o.normals(k->o.user, x, k->size, k->here, k->off, &count));
    for (uint32_t c = 0; c < count; c++) {
        const real *q = k->here + (size_t)c * k->n;
        for (uint32_t i = 0; i < k->n; i++)
            g[i] -= k->mu * k->off[c] * q[i];
    }
    return STATUS_OK;
}

Status steady_residual(Steady *k, const real *x, real *g, real *f)
{
    TRY(solver_rhs(k->s, k->t, x, g));
    if (f)
        memcpy(f, g, k->n * sizeof *f);
    for (uint32_t i = 0; i < k->n; i++)
        g[i] /= k->size[i];
    for (uint32_t c = 0; c < k->laws; c++) {
        const real *law = k->law + (size_t)c * k->n;
        real off = R(0.0);
        for (uint32_t i = 0; i < k->n; i++)
            off += law[i] * ((x[i] - k->x0[i]) / k->size[i]);
        for (uint32_t i = 0; i < k->n; i++)
            g[i] -= k->mu * off * law[i];
    }
    return add_normals(k, x, g);
}

Status steady_jacobian(Steady *k, const real *x, const real *f)
{
    solver_scale(k->s, x, x, k->weight);
    k->normals = 0;
    if (k->o.normals)
        TRY(k->o.normals(k->o.user, x, k->size, k->normal, k->off,
                         &k->normals));
    return jacobian_evaluate(&k->jacobian, k->s, k->t, x, f, k->weight);
}

/* shift + mu L L' + mu Q Q' - D^-1 J D. */
void steady_matrix(Steady *k, real shift)
{
    const Jacobian *j = &k->jacobian;
    const real *v = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *rows = (const uint32_t *)(const void *)j->row.bytes;
    size_t n = k->n;
    memset(k->matrix, 0, n * n * sizeof(real));
    for (size_t c = 0; c < n; c++) {
        size_t first = j->dense ? c * n : start[c];
        size_t end = j->dense ? first + n : start[c + 1];
        for (size_t p = first; p < end; p++) {
            size_t i = j->dense ? p - first : rows[p];
            k->matrix[c * n + i] = -v[p] * (k->size[c] / k->size[i]);
        }
        k->matrix[c * n + c] += shift;
        for (uint32_t q = 0; q < k->laws; q++) {
            const real *law = k->law + q * n;
            for (size_t i = 0; i < n; i++)
                k->matrix[c * n + i] += k->mu * law[i] * law[c];
        }
        for (uint32_t q = 0; q < k->normals; q++) {
            const real *normal = k->normal + q * n;
            for (size_t i = 0; i < n; i++)
                k->matrix[c * n + i] += k->mu * normal[i] * normal[c];
        }
    }
}

Status steady_factor(Steady *k, real shift)
{
    uint32_t column;
    if (k->linear) {
        jacobian_matrix(&k->jacobian, shift, linear_values(k->linear));
        return linear_factor(k->linear, &column);
    }
    steady_matrix(k, shift);
    return dense_factor(k->n, k->matrix, k->pivot) == k->n ? STATUS_OK
                                                           : STATUS_SINGULAR;
}

void steady_solve(Steady *k, real *b)
{
    if (!k->linear) {
        dense_solve(k->n, k->matrix, k->pivot, b);
        return;
    }
    for (uint32_t i = 0; i < k->n; i++)
        b[i] *= k->size[i];
    if (linear_solve(k->linear, b) != STATUS_OK)
        b[0] = COSY_NEVER;
    for (uint32_t i = 0; i < k->n; i++)
        b[i] /= k->size[i];
}

/* ---- Newton's method ------------------------------------------------------ */

/* A correction relative to the state, or to a thousandth of its size. */
static real nearness(const Steady *k, const real *x, const real *d)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < k->n; i++) {
        real size = cosy_max(cosy_abs(x[i]), R(1e-3) * k->size[i]);
        real e = cosy_abs(d[i]) * k->size[i] / size;
        if (!(e <= most))
            most = e;
    }
    return most;
}

/* Direction d at x, from the derivatives there; g is left in row 1. */
static Status direction(Steady *k, const real *x, real *d)
{
    real *g = row(k, 1), *f = row(k, 2);
    TRY(steady_residual(k, x, g, f));
    TRY(steady_jacobian(k, x, f));
    if (steady_factor(k, R(0.0)) != STATUS_OK)
        TRY(steady_factor(k, R(1e-8) * k->mu)); // singular, but maybe at rest
    memcpy(d, g, k->n * sizeof *d);
    steady_solve(k, d);
    return steady_norm(k->n, d) < COSY_NEVER ? STATUS_OK : STATUS_SINGULAR;
}

/* The step of length c is good if the next correction, with the same matrix, is
   shorter. */
static bool is_shorter(Steady *k, const real *to, real before, real c)
{
    real *bar = row(k, 4);
    if (steady_residual(k, to, bar, NULL) != STATUS_OK)
        return false;
    steady_solve(k, bar);
    return steady_norm(k->n, bar) <= (R(1.0) - R(0.5) * c) * before;
}

/* Goes along d as far as that is good; false: nowhere. */
static bool damped(Steady *k, real *x, const real *d)
{
    real *to = row(k, 3), before = steady_norm(k->n, d);
    real most = steady_limit(k, x, d);
    for (real c = most; c > R(1e-6); c *= R(0.4)) {
        steady_move(k, x, d, c, to);
        if (!is_shorter(k, to, before, c))
            continue;
        memcpy(x, to, k->n * sizeof *x);
        return true;
    }
    return false;
}

/* Undamped corrections, while they become smaller. */
static void polish(Steady *k, real *x, real *near)
{
    real *d = row(k, 0), *best = row(k, 5);
    for (int i = 0; i < POLISH_MOST; i++) {
        memcpy(best, x, k->n * sizeof *x);
        if (direction(k, x, d) != STATUS_OK)
            return;
        real e = nearness(k, x, d);
        if (!(e < *near))
            return;
        steady_move(k, x, d, R(1.0), x);
        if (steady_residual(k, x, row(k, 1), NULL) != STATUS_OK) {
            memcpy(x, best, k->n * sizeof *x);
            return;
        }
        *near = e;
        if (e <= COSY_EPSILON)
            return;
    }
}

Status steady_newton(Steady *k, real *x, real *near)
{
    real *d = row(k, 0);
    *near = COSY_NEVER;
    for (int i = 0; i < NEWTON_MOST; i++) {
        k->trials++;
        if (!k->o.go_on(k->o.user))
            return STATUS_STOPPED;
        if (direction(k, x, d) != STATUS_OK)
            return STATUS_NEWTON;
        real e = nearness(k, x, d);
        if (e <= R(1e-5)) {
            steady_move(k, x, d, R(1.0), x);
            *near = e;
            polish(k, x, near);
            return *near <= k->o.tol ? STATUS_OK : STATUS_NEWTON;
        }
        if (!damped(k, x, d))
            return STATUS_NEWTON;
    }
    return STATUS_NEWTON;
}

/* ---- Pseudo-transient continuation ---------------------------------------- */

/* A change beyond which a step follows nothing. */
static bool is_wild(const Steady *k, const real *x, const real *d)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (!(cosy_abs(d[i]) <=
              R(0.5) * (R(1.0) + cosy_abs(x[i]) / k->size[i])))
            return true;
    return false;
}

typedef struct Relaxing {
    real h;    // step of pseudo-time
    real norm; // of g
    real *x, *g, *f;
} Relaxing;

/* Finds the step d; false: h has to be smaller. */
static bool relax_step(Steady *k, Relaxing *r, real *d)
{
    if (steady_factor(k, R(1.0) / r->h) != STATUS_OK)
        return false;
    memcpy(d, r->g, k->n * sizeof *d);
    steady_solve(k, d);
    if (!(steady_norm(k->n, d) < COSY_NEVER) || is_wild(k, r->x, d) ||
        steady_limit(k, r->x, d) < R(1.0))
        return false;
    real *to = row(k, 3);
    steady_move(k, r->x, d, R(1.0), to);
    return steady_residual(k, to, row(k, 4), row(k, 5)) == STATUS_OK;
}

/* The step from row 3 is taken: g and f there are in rows 4 and 5. */
static Status relax_accept(Steady *k, Relaxing *r)
{
    bool changed = false;
    size_t size = k->n * sizeof(real);
    memcpy(r->x, row(k, 3), size);
    TRY(k->o.settle(k->o.user, r->x, &changed));
    if (changed) {
        if (steady_residual(k, r->x, r->g, r->f) != STATUS_OK)
            return STATUS_NEWTON;
    } else {
        memcpy(r->g, row(k, 4), size);
        memcpy(r->f, row(k, 5), size);
    }
    real norm = steady_norm(k->n, r->g);
    real ratio = norm > R(0.0) ? r->norm / norm : R(10.0);
    r->h *= cosy_min(cosy_max(ratio, R(0.3)), R(10.0)) * R(1.2);
    r->norm = norm;
    return STATUS_OK;
}

/* Tries to end with Newton's method from a point that hardly moves. */
static bool ends(Steady *k, real *x, real *near)
{
    real *copy = row(k, 7);
    memcpy(copy, x, k->n * sizeof *x);
    if (steady_settled(k, copy, near, steady_newton) != STATUS_OK)
        return false;
    memcpy(x, copy, k->n * sizeof *x);
    return true;
}

Status steady_relax(Steady *k, real *x, real *near)
{
    real *d = row(k, 0), *f = row(k, 2);
    Relaxing r = {.x = x, .g = row(k, 6), .f = f};
    bool changed;
    TRY(k->o.settle(k->o.user, x, &changed));
    if (steady_residual(k, x, r.g, f) != STATUS_OK)
        return STATUS_NEWTON;
    r.norm = steady_norm(k->n, r.g);
    r.h = r.norm > R(0.0) ? R(0.05) / r.norm : R(1.0);
    real least = R(1e-12) * r.h, tried = R(1e-3);
    for (int i = 0; i < RELAX_MOST && r.h > least; i++) {
        if (!k->o.go_on(k->o.user))
            return STATUS_STOPPED;
        if (steady_jacobian(k, x, r.f) != STATUS_OK)
            return STATUS_NEWTON;
        while (r.h > least && !relax_step(k, &r, d))
            r.h *= R(0.25);
        if (!(r.h > least))
            break;
        real moved = nearness(k, x, d);
        TRY(relax_accept(k, &r));
        if (moved > tried && r.norm > R(0.0))
            continue;
        tried = moved * R(0.1);
        if (ends(k, x, near))
            return STATUS_OK;
        if (steady_residual(k, x, r.g, r.f) != STATUS_OK)
            return STATUS_NEWTON;
    }
    return STATUS_NEWTON;
}

/* ---- Branches ------------------------------------------------------------- */

Status steady_settled(Steady *k, real *x, real *near,
                      Status (*find)(Steady *k, real *x, real *near))
{
    for (int i = 0; i < SETTLE_MOST; i++) {
        bool changed = false;
        TRY(find(k, x, near));
        TRY(k->o.settle(k->o.user, x, &changed));
        if (!changed)
            return STATUS_OK;
    }
    return STATUS_NEWTON;
}

/* ---- From the present point ----------------------------------------------- */

#if COSY_PRECISION == 1
static Status by_kinsol(Steady *k, real *x, real *near)
{
    Status status = steady_kinsol(k, x);
    return status == STATUS_OK ? steady_newton(k, x, near) : status;
}
#endif

typedef struct Way {
    const char *name;
    Status (*find)(Steady *k, real *x, real *near);
} Way;

static const Way ways[] = {
#if COSY_PRECISION == 1
    {"KINSOL", by_kinsol},
#endif
    {"Newton's method", steady_newton},
    {"pseudo-transient continuation", steady_relax},
};

void steady_judge(Steady *k, SteadyPoint *p)
{
    real *f = row(k, 2);
    p->residual = COSY_NEVER;
    p->where = 0;
    if (steady_residual(k, p->x, row(k, 1), f) != STATUS_OK)
        return;
    p->residual = R(0.0);
    for (uint32_t i = 0; i < k->n; i++)
        if (cosy_abs(f[i]) > p->residual) {
            p->residual = cosy_abs(f[i]);
            p->where = i;
        }
}

/* Keeps the point whose residual is smallest, for a message. */
static void keep_best(Steady *k, const real *at, SteadyPoint *p, real *best)
{
    real *g = row(k, 1);
    if (steady_residual(k, at, g, NULL) != STATUS_OK)
        return;
    real norm = steady_norm(k->n, g);
    if (!(norm < *best))
        return;
    *best = norm;
    memcpy(p->x, at, k->n * sizeof(real));
}

Status steady_go(Steady *k, SteadyPoint *p)
{
    bool changed;
    real best = COSY_NEVER;
    size_t size = k->n * sizeof(real);
    p->x = NEW_ARRAY(k->s->arena, real, k->n);
    real *at = NEW_ARRAY(k->s->arena, real, k->n);
    if (!p->x || !at)
        return STATUS_MEMORY;
    memcpy(p->x, k->x0, size);
    for (size_t w = k->linear ? LENGTH(ways) - 1 : 0; w < LENGTH(ways); w++) {
        memcpy(at, k->x0, size);
        TRY(k->o.settle(k->o.user, at, &changed));
        keep_best(k, at, p, &best);
        Status status = steady_settled(k, at, &p->near, ways[w].find);
        if (status == STATUS_STOPPED || status == STATUS_MEMORY)
            return status;
        if (status != STATUS_OK) {
            keep_best(k, at, p, &best);
            continue;
        }
        memcpy(p->x, at, size);
        p->how = ways[w].name;
        steady_judge(k, p);
        return STATUS_OK;
    }
    k->o.settle(k->o.user, p->x, &changed); // what is nearest, for a message
    steady_judge(k, p);
    return STATUS_NEWTON;
}
