#include "run/analyse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/constraints.h"
#include "run/reduced.h"
#include "run/run.h"
#include "solve/spectrum.h"
#include "solve/steady.h"
#include "stats/value.h"

#define POINTS_MOST 20000 // along a run

const RunAnalysis *analyse_tell(const Run *r)
{
    const Analyse *a = &r->analyse;
    return a->all.steady || a->all.linear ? &a->all : NULL;
}

void analyse_free(Analyse *a)
{
    vector_free(&a->time);
    vector_free(&a->re);
    vector_free(&a->im);
}

static RunSpots spots(const Spots *p)
{
    return (RunSpots){p->n, p->re, p->im, p->known};
}

/* The solver at the present point, without a step. */
static Status stand(Run *r)
{
    Solver *s = &r->solver;
    Cosy *c = r->c;
    if (!solver_fits(s))
        TRY(solver_resize(s, c->head->states));
    s->t = c->head->t;
    s->direction = 1;
    memcpy(s->x, c->x, s->n * sizeof(real));
    TRY(run_derivatives(r));
    return solver_begin(s);
}

/* ---- The matrices --------------------------------------------------------- */

static Status no_matrices(Run *r, Status status)
{
    const Solver *s = &r->solver;
    char name[80] = "an output";
    if (status != STATUS_NUMBER)
        return status;
    if (s->cause != COSY_OK)
        return run_body_failed(r, s->cause, "LINEARIZE");
    if (s->culprit != COSY_NONE)
        solver_state_name(s, s->culprit, name, sizeof name);
    return fault_set(&r->fault, STATUS_NUMBER,
                     "time %.17g%s%s: LINEARIZE: a derivative of %s is not a "
                     "finite number at this point: it has no linear form here",
                     (double)r->c->head->t, COSY_IN_TIME(r->model), name);
}

static Status find_zeros(Run *r)
{
    Analyse *a = &r->analyse;
    uint32_t in = a->matrices.inputs, out = a->matrices.outputs;
    RunSpots *zeros = NEW_ARRAY(&r->arena, RunSpots, (size_t)in * out + 1);
    if (!zeros)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < out; i++)
        for (uint32_t k = 0; k < in; k++) {
            Spots z;
            TRY(matrices_zeros(&a->matrices, k, i, &z, &r->arena));
            zeros[i * in + k] = spots(&z);
        }
    a->linear.zeros = zeros;
    return STATUS_OK;
}

/* Directions that leave the constraints are no motion: A without them, and how
   many there are. NULL: no memory. */
static real *tangential(Run *r, const Matrices *m, real t, const real *x,
                        Arena *a, uint32_t *count)
{
    size_t n = m->states, most = r->model->n_constraints;
    *count = 0;
    if (most == 0)
        return m->a;
    real *copy = NEW_ARRAY(a, real, n * n + 1);
    real *normal = NEW_ARRAY(a, real, most * n + 1);
    real *off = NEW_ARRAY(a, real, most + 1);
    if (!copy || !normal || !off)
        return NULL;
    memcpy(copy, m->a, n * n * sizeof *copy);
    if (constraints_normals(r, t, x, NULL, normal, off, count) == STATUS_OK)
        matrices_leave(copy, m->states, normal, *count);
    return copy;
}

static Status find_poles(Run *r, const Matrices *m, real t, const real *x,
                         Arena *a, Spots *p, uint32_t *count)
{
    const real *motion = tangential(r, m, t, x, a, count);
    return motion ? matrices_poles_of(motion, m->states, p, a) : STATUS_MEMORY;
}

static void tell_constraints(Run *r, const char *task, uint32_t count)
{
    char text[200];
    if (count == 0)
        return;
    snprintf(text, sizeof text,
             "%s: the states keep %u constraint%s: as many eigenvalues are 0, "
             "and belong to directions that leave %s",
             task, count, count > 1 ? "s" : "", count > 1 ? "them" : "it");
    r->c->host->message(r->c, COSY_NOTE, r->options.line, text);
}

static Status matrices_here(Run *r, uint32_t which)
{
    Analyse *a = &r->analyse;
    Solver *s = &r->solver;
    const CosyLinear *l = &r->model->linears[which - 1];
    Spots poles;
    uint32_t kept;
    Status status = matrices_find(&a->matrices, s, l, s->t, s->x, &r->arena);
    if (status != STATUS_OK)
        return no_matrices(r, status);
    TRY(find_poles(r, &a->matrices, s->t, s->x, &r->arena, &poles, &kept));
    tell_constraints(r, "LINEARIZE", kept);
    a->linear.at = r->c;
    a->linear.which = l;
    a->linear.states = s->n;
    a->linear.a = a->matrices.a;
    a->linear.b = a->matrices.b;
    a->linear.c = a->matrices.c;
    a->linear.d = a->matrices.d;
    a->all.linear = &a->linear;
    a->all.poles = spots(&poles);
    TRY(find_zeros(r));
    return r->options.reduces ? reduced_find(r, kept) : STATUS_OK;
}

/* ---- Along a run ---------------------------------------------------------- */

static real tick_time(const Run *r, uint64_t k)
{
    return r->options.from +
           (real)r->direction * (real)k * r->options.along_every;
}

static bool keep_point(Analyse *a, double t, const Spots *p)
{
    size_t size = p->n * sizeof(double);
    return vector_append(&a->time, &t, sizeof t) &&
           (!size || (vector_append(&a->re, p->re, size) &&
                      vector_append(&a->im, p->im, size)));
}

/* The eigenvalues at a point; one without them is left out. On a slide the
   derivatives combine several sides, and are left alone. */
static Status sample(Run *r, real t, const real *x)
{
    Analyse *a = &r->analyse;
    Solver *s = &r->solver;
    Arena scratch = {0};
    Matrices m;
    Spots p = {0};
    uint32_t culprit = s->culprit;
    CosyStatus cause = s->cause;
    CosyLinear none = {0};
    Status status = STATUS_NUMBER;
    uint32_t kept;
    if (!r->slide.installed)
        status = matrices_find(&m, s, &none, t, x, &scratch);
    if (status == STATUS_OK)
        status = find_poles(r, &m, t, x, &scratch, &p, &kept);
    s->culprit = culprit;
    s->cause = cause;
    if (status == STATUS_OK && p.known)
        status = keep_point(a, (double)t, &p) ? STATUS_OK : STATUS_MEMORY;
    else if (status != STATUS_MEMORY)
        a->left_out++;
    arena_free(&scratch);
    return status == STATUS_MEMORY ? status : STATUS_OK;
}

static void tell_full(Run *r)
{
    char text[160];
    snprintf(text, sizeof text,
             "LINEARIZE EVERY %.6g: only the first %d points are kept: a "
             "longer interval is needed",
             (double)r->options.along_every, POINTS_MOST);
    r->c->host->message(r->c, COSY_WARNING, r->options.line, text);
}

Status analyse_step(Run *r)
{
    Analyse *a = &r->analyse;
    Solver *s = &r->solver;
    while (a->along && !a->full) {
        real t = tick_time(r, a->ticks);
        if ((t - s->t) * (real)r->direction > R(0.0))
            return STATUS_OK;
        if (a->ticks++ >= POINTS_MOST) {
            a->full = true;
            tell_full(r);
            return STATUS_OK;
        }
        if ((t - s->t0) * (real)r->direction < R(0.0)) {
            a->left_out++; // a step to the edge of the model has passed it
            continue;
        }
        if (a->structure != r->c->head->structure && a->time.used) {
            a->left_out++; // of another length
            continue;
        }
        a->structure = r->c->head->structure;
        if (t != s->t)
            s->method->dense(s, t, r->point);
        TRY(sample(r, t, t == s->t ? s->x : r->point));
    }
    return STATUS_OK;
}

/* INITIAL is over. */
Status analyse_begin(Run *r)
{
    Analyse *a = &r->analyse;
    if (!r->options.along)
        return STATUS_OK;
    if (!(r->options.along_every > R(0.0)) ||
        !cosy_finite(r->options.along_every))
        return fault_set(&r->fault, STATUS_NUMBER,
                         "LINEARIZE EVERY: the interval must be a positive "
                         "number");
    a->along = r->model->states > 0 || r->model->n_copies > 0;
    while (r->options.restore && a->ticks < POINTS_MOST &&
           (tick_time(r, a->ticks) - r->c->head->t) * (real)r->direction <
               R(0.0))
        a->ticks++; // these were before the snapshot
    return STATUS_OK;
}

static void tell_left_out(Run *r)
{
    char text[300];
    snprintf(
        text, sizeof text,
        "LINEARIZE EVERY: %llu point%s without eigenvalues: the model "
        "crosses a threshold there or slides along it, a derivative is not "
        "finite, or copies have come or gone since the first point",
        (unsigned long long)r->analyse.left_out,
        r->analyse.left_out > 1 ? "s are" : " is");
    r->c->host->message(r->c, COSY_NOTE, r->options.line, text);
}

Status analyse_end(Run *r)
{
    Analyse *a = &r->analyse;
    if (!r->options.along)
        return STATUS_OK;
    a->linear.which = &r->model->linears[r->options.along - 1];
    a->linear.at = r->c;
    a->linear.states = r->c->head->states;
    if (a->structure != r->c->head->structure) { // copies have come or gone
        a->left_out += a->time.used / sizeof(double);
        a->time.used = a->re.used = a->im.used = 0;
    }
    a->all.linear = &a->linear;
    if (r->slide.installed)
        a->left_out++;
    if (a->left_out)
        tell_left_out(r);
    if (!r->slide.installed) {
        TRY(stand(r));
        TRY(matrices_here(r, r->options.along));
    }
    a->linear.every = r->options.along_every;
    a->linear.points = (uint32_t)(a->time.used / sizeof(double));
    a->linear.time = (const double *)(const void *)a->time.bytes;
    a->linear.re = (const double *)(const void *)a->re.bytes;
    a->linear.im = (const double *)(const void *)a->im.bytes;
    return STATUS_OK;
}

/* ---- Points of rest ------------------------------------------------------- */

typedef struct Ground {
    Run *r;
    signed char *sign;
    real *low, *high;
    int32_t *before; // branches
    bool moves;      // the equations read TIME
    uint32_t kept;   // constraints
} Ground;

static Status normals(void *user, const real *x, const real *size, real *normal,
                      real *off, uint32_t *count)
{
    const Ground *g = user;
    return constraints_normals(g->r, g->r->c->head->t, x, size, normal, off,
                               count);
}

/* A RANGE that does not reach beyond 0 keeps the sign of its state. */
static bool read_ranges(Run *r, Ground *g)
{
    const CosyModel *m = r->model;
    size_t n = r->c->head->states;
    g->sign = NEW_ARRAY(&r->arena, signed char, n + 1);
    g->low = NEW_ARRAY(&r->arena, real, n + 1);
    g->high = NEW_ARRAY(&r->arena, real, n + 1);
    g->before = NEW_ARRAY(&r->arena, int32_t,
                          (size_t)instance_branches(&r->instance) + 1);
    if (!g->sign || !g->low || !g->high || !g->before)
        return false;
    for (uint32_t i = 0; i < n; i++)
        g->low[i] = R(1.0);
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (v->kind != COSY_STATE || !value_is_global(v) || v->low > v->high)
            continue;
        for (uint32_t i = v->place; i < v->place + value_count(v); i++) {
            g->low[i] = v->low;
            g->high[i] = v->high;
            g->sign[i] = v->low >= R(0.0) ? 1 : v->high <= R(0.0) ? -1 : 0;
            if (g->sign[i] * r->c->x[i] < R(0.0))
                g->sign[i] = 0; // it is outside already
        }
    }
    return true;
}

static Status settle(void *user, const real *x, bool *changed)
{
    Ground *g = user;
    Run *r = g->r;
    size_t size = instance_branches(&r->instance) * sizeof(int32_t);
    memcpy(r->c->x, x, r->c->head->states * sizeof(real));
    if (size)
        memcpy(g->before, r->c->branch, size);
    Status status = run_consistent(r);
    *changed = size && memcmp(g->before, r->c->branch, size) != 0;
    if (status == STATUS_OK || status == STATUS_MEMORY)
        return status;
    r->fault = (Fault){0};
    return STATUS_NEWTON;
}

static bool go_on(void *user)
{
    const Ground *g = user;
    const RunOptions *o = &g->r->options;
    return !o->progress || o->progress(o->user, (double)g->r->c->head->t, 0, 0);
}

/* "X' = 3.5 (line 12: X' = U - X)", for the states whose derivatives are
   largest, compared with their sizes. */
static void put_largest(Buffer *b, const Steady *k, const real *x)
{
    enum { TOLD = 3 };
    Solver *s = k->s;
    uint32_t told[TOLD], n = 0;
    if (solver_rhs(s, k->t, x, s->dx) != STATUS_OK) {
        buffer_text(b, "the derivatives have no values at the last point");
        return;
    }
    while (n < TOLD && n < k->n) {
        uint32_t best = COSY_NONE;
        for (uint32_t i = 0; i < k->n; i++) {
            bool seen = false;
            for (uint32_t q = 0; q < n; q++)
                seen = seen || told[q] == i;
            if (!seen &&
                (best == COSY_NONE || cosy_abs(s->dx[i]) * k->size[best] >
                                          cosy_abs(s->dx[best]) * k->size[i]))
                best = i;
        }
        if (best == COSY_NONE || (n > 0 && s->dx[best] == R(0.0)))
            break;
        char name[80];
        const CosyEquation *e = solver_equation(s, best);
        solver_state_name(s, best, name, sizeof name);
        buffer_format(b, "%s%s' is still %.4g at %s = %.6g", n ? ", " : "",
                      name, (double)s->dx[best], name, (double)x[best]);
        if (e)
            buffer_format(b, " (line %u: %.60s)", e->line, e->text);
        told[n++] = best;
    }
}

static Status not_found(Run *r, Steady *k, const SteadyPoint *p)
{
    Analyse *a = &r->analyse;
    Buffer b = {0};
    a->point[0] =
        (RunRest){.x = p->x, .residual = p->residual, .where = p->where};
    a->steady = (RunSteady){.at = r->c, .point = a->point};
    a->all.steady = &a->steady;
    put_largest(&b, k, p->x);
    fault_set(&r->fault, STATUS_NEWTON,
              "%.200s:%u: STEADYSTATE has found no point of rest at time "
              "%.17g%s%s: %.900s. Try INITCONDs nearer to it, a RANGE that "
              "keeps signs, or TOL; a SIMULATE before it leads nearer, if the "
              "point is stable",
              r->model->source, r->options.line, (double)r->c->head->t,
              COSY_IN_TIME(r->model), buffer_string(&b));
    buffer_free(&b);
    return STATUS_NEWTON;
}

/* ---- Stability ------------------------------------------------------------ */

/* The largest real part; *zero is what counts as 0: eigenvalues have errors of
   the last places of the largest, and several that are 0 together much larger
   ones. */
static double edge_of(const Spots *p, double *zero)
{
    double size = 0.0, edge = -INFINITY;
    uint32_t small = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        size = fmax(size, hypot(p->re[k], p->im[k]));
        edge = fmax(edge, p->re[k]);
    }
    for (uint32_t k = 0; k < p->n; k++)
        small += hypot(p->re[k], p->im[k]) <= 1e-6 * size;
    *zero = 1e-13 * (double)p->n * size;
    if (small > 1 && fabs(edge) <= 1e-6 * size)
        *zero = 1e-6 * size;
    return edge;
}

/* Eigenvalues of J at x, without or with those of the sums that are kept;
   STATUS_NUMBER: J has no value there. `m` has room for n * n. */
static Status eigenvalues(Steady *k, const real *x, bool all, real *m, Spots *p)
{
    size_t n = k->n;
    real *g = k->room, *f = k->room + n;
    uint32_t laws = k->laws;
    *p = (Spots){0};
    if (steady_residual(k, x, g, f) != STATUS_OK ||
        steady_jacobian(k, x, f) != STATUS_OK)
        return STATUS_NUMBER;
    uint32_t kept = k->normals;
    k->laws = all ? 0 : laws;
    k->normals = 0;
    steady_matrix(k, R(0.0));
    k->laws = laws;
    k->normals = kept;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < n; c++)
            m[i * n + c] = -k->matrix[c * n + i];
    matrices_leave(m, k->n, k->normal, kept);
    for (uint32_t q = 0; q < kept && !all; q++)
        for (size_t i = 0; i < n * n; i++)
            m[i] -= k->mu * k->normal[q * n + i / n] * k->normal[q * n + i % n];
    TRY(matrices_poles_of(m, k->n, p, k->s->arena));
    return p->known ? STATUS_OK : STATUS_NUMBER;
}

/* How much the largest real part changes within the accuracy of the point: at a
   double root it is nothing but that. */
static Status edge_error(Steady *k, const RunRest *p, double edge, real *m,
                         double *error)
{
    real by = cosy_max(R(10.0) * p->near, R(1e4) * COSY_EPSILON);
    real *x = NEW_ARRAY(k->s->arena, real, k->n);
    Spots there;
    double zero;
    *error = 0.0;
    if (!x)
        return STATUS_MEMORY;
    for (int side = -1; side <= 1; side += 2) {
        for (uint32_t i = 0; i < k->n; i++) {
            real size = cosy_max(cosy_abs(p->x[i]), R(1e-3) * k->size[i]);
            x[i] = p->x[i] + (real)side * by * size;
        }
        Status status = eigenvalues(k, x, false, m, &there);
        if (status == STATUS_MEMORY)
            return status;
        if (status == STATUS_OK)
            *error = fmax(*error, fabs(edge_of(&there, &zero) - edge));
    }
    return STATUS_OK;
}

static Status find_stability(Steady *k, RunRest *p)
{
    size_t n = k->n;
    Spots own, all;
    double zero, error;
    real *m = n <= SPECTRUM_MOST ? NEW_ARRAY(k->s->arena, real, n * n) : NULL;
    if (!m)
        return n <= SPECTRUM_MOST ? STATUS_MEMORY : STATUS_OK;
    Status status = eigenvalues(k, p->x, true, m, &all);
    if (status == STATUS_OK)
        status = eigenvalues(k, p->x, false, m, &own);
    if (status != STATUS_OK)
        return status == STATUS_MEMORY ? status : STATUS_OK;
    double edge = edge_of(&own, &zero);
    TRY(edge_error(k, p, edge, m, &error));
    p->stable = fabs(edge) <= fmax(zero, error) ? MARGINAL
                : edge > 0.0                    ? UNSTABLE
                                                : STABLE;
    p->poles = spots(&all);
    return STATUS_OK;
}

/* Whether the derivatives depend on TIME, as far as a few times show it. */
static bool moves_with_time(Steady *k, const real *x)
{
    static const real by[] = {R(1e-6), R(1e-3), R(0.37), R(1e3)};
    real *now = k->room, *then = k->room + k->n;
    if (solver_rhs(k->s, k->t, x, now) != STATUS_OK)
        return false;
    for (size_t q = 0; q < LENGTH(by); q++) {
        real t = k->t + by[q] * (R(1.0) + cosy_abs(k->t));
        if (solver_rhs(k->s, t, x, then) == STATUS_OK &&
            memcmp(now, then, k->n * sizeof *now) != 0)
            return true;
    }
    return false;
}

static void tell_time(Run *r)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "STEADYSTATE: the equations read TIME, which is held at %.15g%s%s: "
        "the point of rest belongs to that time",
        (double)r->c->head->t, COSY_IN_TIME(r->model));
    r->c->host->message(r->c, COSY_NOTE, r->options.line, text);
}

static Status describe(Run *r, Steady *k, const SteadyPoint *p, uint32_t n)
{
    Analyse *a = &r->analyse;
    bool changed;
    for (uint32_t q = n; q-- > 0;) { // the first one last: its branches stay
        a->point[q] = (RunRest){.x = p[q].x,
                                .residual = p[q].residual,
                                .where = p[q].where,
                                .near = p[q].near,
                                .how = p[q].how};
        TRY(settle(k->o.user, p[q].x, &changed));
        TRY(find_stability(k, &a->point[q]));
    }
    a->steady = (RunSteady){
        .at = r->c, .point = a->point, .points = n, .laws = k->laws};
    a->all.steady = &a->steady;
    a->all.poles = a->point[0].poles;
    Ground *g = k->o.user;
    g->moves = moves_with_time(k, p[0].x);
    return run_consistent(r);
}

static Status find_rest(Run *r, Steady *k)
{
    SteadyPoint p[ANALYSE_POINTS];
    uint32_t n = 1;
    Status status = steady_go(k, &p[0]);
    if (status == STATUS_NEWTON)
        return not_found(r, k, &p[0]);
    if (status == STATUS_OK)
        status = steady_more(k, p, ANALYSE_POINTS, &n);
    if (status == STATUS_STOPPED)
        return fault_set(&r->fault, status, "STEADYSTATE was stopped");
    TRY(status);
    return describe(r, k, p, n);
}

static Status search(Run *r, Ground *g)
{
    Steady k;
    SteadyOptions o = {.tol = r->options.tol,
                       .sign = g->sign,
                       .low = g->low,
                       .high = g->high,
                       .normals = r->model->n_constraints ? normals : NULL,
                       .normals_most = r->model->n_constraints,
                       .settle = settle,
                       .go_on = go_on,
                       .user = g};
    Status status = steady_create(&k, &r->solver, &o);
    if (status == STATUS_OK)
        status = find_rest(r, &k);
    g->kept = k.normals;
    steady_free(&k);
    return status;
}

static void say_nothing(Cosy *c, CosySeverity severity, uint32_t line,
                        const char *text)
{
    (void)c, (void)severity, (void)line, (void)text;
}

/* Says what the equations have to say about the point, such as that a table ends
   before it: with the data as they were, of which a trial may have changed what
   has been said. */
static void ring(Run *r, const unsigned char *before, unsigned char *after)
{
    size_t size = r->model->data_size;
    if (!r->model->outputs)
        return;
    memcpy(after, r->c->data, size);
    memcpy(r->c->data, before, size);
    r->model->outputs(r->c, r->c->head->t, r->c->x);
    memcpy(r->c->data, after, size);
}

/* RANGE is watched during runs; here it is looked at once. */
static void tell_outside(Run *r, const Ground *g)
{
    const Solver *s = &r->solver;
    for (uint32_t i = 0; i < s->n; i++) {
        real x = r->c->x[i];
        char name[80], text[200];
        real slack = R(1e-9) * cosy_abs(x);
        if (g->low[i] > g->high[i] ||
            (x >= g->low[i] - slack && x <= g->high[i] + slack))
            continue;
        solver_state_name(s, i, name, sizeof name);
        snprintf(text, sizeof text,
                 "STEADYSTATE: %.80s = %.6g at the point of rest is outside "
                 "its RANGE",
                 name, (double)x);
        r->c->host->message(r->c, COSY_WARNING, r->options.line, text);
        return;
    }
}

/* Trials are silent: a table that one of them leaves is no news. */
static Status steady(Run *r)
{
    Ground g = {.r = r};
    const CosyHost *host = r->c->host;
    CosyHost quiet = *host;
    size_t size = r->model->data_size;
    unsigned char *data = NEW_ARRAY(&r->arena, unsigned char, 2 * size + 1);
    if (r->options.tol < R(0.0))
        return fault_set(&r->fault, STATUS_NUMBER,
                         "%.200s:%u: STEADYSTATE: TOL must be positive",
                         r->model->source, r->options.line);
    if (r->model->n_constraints && r->c->head->states > STEADY_FULL)
        return fault_set(&r->fault, STATUS_UNSUPPORTED,
                         "%.200s:%u: STEADYSTATE: states that keep constraints "
                         "may be %d at most, and there are %u: let a SIMULATE "
                         "lead to the point of rest",
                         r->model->source, r->options.line, STEADY_FULL,
                         r->c->head->states);
    if (!data || !read_ranges(r, &g))
        return STATUS_MEMORY;
    memcpy(data, r->c->data, size);
    quiet.message = say_nothing;
    r->c->host = &quiet;
    Status status = search(r, &g);
    r->c->host = host;
    if (status != STATUS_OK)
        return status;
    if (g.moves)
        tell_time(r);
    tell_constraints(r, "STEADYSTATE", g.kept);
    tell_outside(r, &g);
    ring(r, data, data + size);
    return STATUS_OK;
}

/* Branches that changed on the way to a point are no events. */
static void forget_events(Run *r)
{
    memset(r->record.counts, 0, sizeof r->record.counts);
    r->record.log.used = 0;
}

static void tell_side(Run *r)
{
    r->c->host->message(r->c, COSY_WARNING, r->options.line,
                        "the last run has ended on a threshold along which it "
                        "slides: this looks at one side of it alone");
}

Status analyse_go(Run *r)
{
    bool rest = r->options.task == COSY_STEADYSTATE;
    if (r->options.slid)
        tell_side(r);
    TRY(stand(r));
    Status status = rest ? steady(r) : matrices_here(r, r->options.linear);
    forget_events(r);
    return status;
}
