#include "solve/rk.h"

#include <math.h>
#include <string.h>

#include "solve/methods.h"

/* A row of weights without its zeros, and the derivatives they multiply. */
typedef struct Row {
    int count;
    real weight[RK_POINTS];
    const real *k[RK_POINTS];
    int point[RK_POINTS];
} Row;

/* What decides how a run continues, besides the vectors. */
typedef struct Memory {
    double log_error;     // error of the last accepted step
    real origin;          // fixed step: the grid is origin + k step
    uint32_t on_grid;     // origin is set
    uint32_t dense_rows;  // rows found for the last step
    uint32_t dense_known; // dense_rows is final
    uint32_t stiff, calm; // steps at the limit of stability, and steps since
                          // then
} Memory;

typedef struct Rk {
    const RkTable *table;
    SolverCounts *counts;
    Memory memory;
    Row row[RK_POINTS]; // for the points from 1 on
    Row e, e2, q;
    Row d[RK_DENSE];
    real *k[RK_POINTS]; // derivatives at the points
    real *r[RK_DENSE];  // h d, for dense output
    real *y, *error;    // scratch
    real sure;          // ratio of error to estimate; 0: not yet known
} Rk;

/* ---- Sums over stages --------------------------------------------------- */

/* y = BASE h (w_0 k_0 + w_1 k_1 + ...), with the number of terms known to the
   compiler for all rows that a step uses. */
#define W(j)   const real w##j = row->weight[j], *restrict k##j = row->k[j];
#define T(j)   w##j *k##j[i]
#define LOAD1  W(0)
#define LOAD2  LOAD1 W(1)
#define LOAD3  LOAD2 W(2)
#define LOAD4  LOAD3 W(3)
#define LOAD5  LOAD4 W(4)
#define LOAD6  LOAD5 W(5)
#define LOAD7  LOAD6 W(6)
#define LOAD8  LOAD7 W(7)
#define LOAD9  LOAD8 W(8)
#define TERMS1 T(0)
#define TERMS2 TERMS1 + T(1)
#define TERMS3 TERMS2 + T(2)
#define TERMS4 TERMS3 + T(3)
#define TERMS5 TERMS4 + T(4)
#define TERMS6 TERMS5 + T(5)
#define TERMS7 TERMS6 + T(6)
#define TERMS8 TERMS7 + T(7)
#define TERMS9 TERMS8 + T(8)
#define SUM_CASE(count, BASE)                                                  \
    case count: {                                                              \
        LOAD##count for (size_t i = 0; i < n; i++) y[i] =                      \
            BASE h * (TERMS##count);                                           \
        break;                                                                 \
    }
#define SUM_SWITCH(BASE)                                                       \
    switch (row->count) {                                                      \
        SUM_CASE(1, BASE)                                                      \
        SUM_CASE(2, BASE)                                                      \
        SUM_CASE(3, BASE)                                                      \
        SUM_CASE(4, BASE)                                                      \
        SUM_CASE(5, BASE)                                                      \
        SUM_CASE(6, BASE)                                                      \
        SUM_CASE(7, BASE)                                                      \
        SUM_CASE(8, BASE)                                                      \
        SUM_CASE(9, BASE)                                                      \
    default:                                                                   \
        for (size_t i = 0; i < n; i++) {                                       \
            real sum = R(0.0);                                                 \
            for (int j = 0; j < row->count; j++)                               \
                sum += row->weight[j] * row->k[j][i];                          \
            y[i] = BASE h * sum;                                               \
        }                                                                      \
    }

/* y = x + h (sum of the row). */
static void advance(const Row *row, size_t n, const real *restrict x, real h,
                    real *restrict y)
{
    SUM_SWITCH(x[i] +)
}

/* y = h (sum of the row). */
static void weigh(const Row *row, size_t n, real h, real *restrict y)
{
    SUM_SWITCH()
}

/* ---- Memory ------------------------------------------------------------- */

/* The row is empty before. */
static void compact(Row *row, const real *weight, int count)
{
    for (int j = 0; j < count; j++) {
        if (weight[j] != R(0.0)) {
            row->weight[row->count] = weight[j];
            row->point[row->count++] = j;
        }
    }
}

static Status rk_create(Solver *s)
{
    const RkTable *table = s->method->table;
    Rk *rk = NEW(s->arena, Rk);
    if (rk == NULL)
        return fault_set(s->fault, STATUS_MEMORY, "no memory for %s",
                         s->method->name);
    s->impl = rk;
    rk->table = table;
    rk->counts = &s->counts;
    const real *a = table->a;
    for (int i = 1; i < table->points; a += i, i++)
        compact(&rk->row[i], a, i);
    if (table->e != NULL)
        compact(&rk->e, table->e, table->stages + 1);
    if (table->e2 != NULL)
        compact(&rk->e2, table->e2, table->stages + 1);
    if (table->q != NULL)
        compact(&rk->q, table->q, table->stages + 1);
    for (int r = 0; r < table->dense; r++)
        compact(&rk->d[r], table->d + r * table->points, table->points);
    return solver_keep(s, s->method->name, &rk->memory, sizeof rk->memory);
}

/* Own vectors: derivatives and dense rows, which are kept; scratch. */
enum { OWN_STAGES = SOLVER_OWN, OWN_SCRATCH };

static Status rk_resize(Solver *s)
{
    const Rk *rk = s->impl;
    size_t kept = (size_t)(rk->table->points + rk->table->dense);
    TRY(solver_room(s, OWN_STAGES, kept * s->n));
    return solver_room(s, OWN_SCRATCH, (size_t)2 * s->n);
}

static void attach_row(const Rk *rk, Row *row)
{
    for (int j = 0; j < row->count; j++)
        row->k[j] = rk->k[row->point[j]];
}

/* Derivatives at both ends lie where the solver expects them. */
static Status rk_attach(Solver *s)
{
    Rk *rk = s->impl;
    const RkTable *table = rk->table;
    real *own = (real *)(void *)s->memory[OWN_STAGES].bytes;

    for (int i = 0; i < table->points; i++, own += s->n)
        rk->k[i] = i == 0 ? s->dx0 : i == table->stages ? s->dx : own;
    for (int r = 0; r < table->dense; r++, own += s->n)
        rk->r[r] = own;
    rk->y = (real *)(void *)s->memory[OWN_SCRATCH].bytes;
    rk->error = rk->y + s->n;

    for (int i = 1; i < table->points; i++)
        attach_row(rk, &rk->row[i]);
    attach_row(rk, &rk->e);
    attach_row(rk, &rk->e2);
    attach_row(rk, &rk->q);
    for (int r = 0; r < table->dense; r++)
        attach_row(rk, &rk->d[r]);
    return STATUS_OK;
}

/* ---- One step ----------------------------------------------------------- */

static Status rk_start(Solver *s)
{
    Rk *rk = s->impl;
    rk->memory.log_error = log(1e-4);
    rk->memory.dense_known = 1;
    rk->memory.dense_rows = 0;
    return solver_begin(s);
}

/* Finds the new solution at t_end from the near end, and its derivatives only
   if the error estimate needs them. */
static Status stages(Solver *s, Rk *rk, real t_end)
{
    const RkTable *table = rk->table;
    int far_end = table->stages;
    real h = t_end - s->t0;

    rk->memory.dense_known = 0;
    for (int i = 1; i < far_end; i++) {
        advance(&rk->row[i], s->n, s->x0, h, rk->y);
        TRY(solver_rhs(s, s->t0 + table->c[i] * h, rk->y, rk->k[i]));
    }
    advance(&rk->row[far_end], s->n, s->x0, h, s->x);
    return table->fsal ? solver_rhs(s, t_end, s->x, s->dx) : STATUS_OK;
}

/* Uses the second estimate where the terms of the first cancel. */
static void fill_quadratures(const Solver *s, Rk *rk, real h)
{
    const Row *e = &rk->e;
    weigh(&rk->q, s->n, h, rk->y);
    for (uint32_t i = 0; i < s->n; i++) {
        real sum = R(0.0);
        for (int j = 0; j < e->count; j++)
            sum += cosy_abs(e->weight[j] * e->k[j][i]);
        if (cosy_abs(rk->error[i]) <= R(4.0) * COSY_EPSILON * cosy_abs(h) * sum)
            rk->error[i] = rk->y[i];
    }
}

/* Error of the step; 1 is what is allowed. With two estimates E5 and E3: E5^2 /
   sqrt(E5^2 + 0.01 E3^2) (equation (II.10.17), maximum norm). */
static real estimate(Solver *s, Rk *rk, real h)
{
    uint32_t where = 0;
    weigh(&rk->e, s->n, h, rk->error);
    if (rk->table->q != NULL)
        fill_quadratures(s, rk, h);
    real e = solver_error(s, s->x0, s->x, rk->error, &s->culprit);
    if (rk->table->e2 == NULL || e == R(0.0) || e == COSY_REAL_MAX)
        return e;
    weigh(&rk->e2, s->n, h, rk->error);
    real coarse = R(0.1) * solver_error(s, s->x0, s->x, rk->error, &where);
    return coarse > e * R(1e6)
               ? e * (e / coarse)
               : e / cosy_sqrt(R(1.0) + cosy_square(coarse / e));
}

/* Tries a step from the near end to t_end. STATUS_STEP_LIMIT: too
   inaccurate. */
static Status trial(Solver *s, Rk *rk, real t_end, bool fixed,
                    double *log_error)
{
    TRY(stages(s, rk, t_end));
    if (!fixed) {
        real e = estimate(s, rk, t_end - s->t0);
        *log_error = e > R(1e-30) ? log((double)e) : -70.0;
        s->cause = COSY_OK;
        if (!(e <= R(1.0))) {
            if (s->blames && rk->table->e2 != NULL)
                weigh(&rk->e, s->n, t_end - s->t0, rk->error);
            solver_blame(s, s->x0, s->x, rk->error);
            return STATUS_STEP_LIMIT;
        }
    }
    if (!rk->table->fsal)
        TRY(solver_rhs(s, t_end, s->x, s->dx));
    return solver_accept(s);
}

/* ---- Stiffness ---------------------------------------------------------- */

/* Hairer, Wanner II, IV.2: two points of a step lie at the same time, the far
   end and the witness; the quotient of the differences of their derivatives and
   of themselves is about the largest eigenvalue. A step at the limit of
   stability is not limited by accuracy. Neither is one that comes near the
   limit while the solution changes far more slowly: there the fast part, though
   long gone, spoils the estimate. The more accuracy is wanted, the further from
   the limit this happens (Prothero and Robinson's equation, whose error is that
   of the fast part: h |lambda| goes with the tolerance as any h does).

   It takes STIFF_STEPS such steps, with fewer than CALM_STEPS others in a row
   between them, to call the model stiff; events do not matter. As long as none
   is seen, only one step in STIFF_EVERY is examined. */
enum { STIFF_EVERY = 16, STIFF_STEPS = 15, CALM_STEPS = 6 };
#define NEAR_LIMIT 0.3 // for RELERR = COARSE
#define COARSE     1e-3
#define SLOW       0.05

/* In units of a change by a factor of 2.718 in one step. */
typedef struct Pace {
    double fastest;  // h |lambda|
    double solution; // h |x''| / |x'|
} Pace;

/* Sums of squares, in units of the tolerance: of differences of derivatives
   times h, and of differences of points. */
typedef struct Squares {
    double dk, dx;
} Squares;

static void add_squares(Squares *sum, real dk, real dx, real weight)
{
    double k = (double)(dk / weight), x = (double)(dx / weight);
    sum->dk += k * k;
    sum->dx += x * x;
}

static double quotient(const Squares *sum)
{
    return sum->dx > 0.0 ? sqrt(sum->dk / sum->dx) : 0.0;
}

/* The pace of the last step. If the far end and the witness agree up to
   rounding, `fastest` is small: their difference is h times the difference of
   their derivatives. */
static Pace pace(const Solver *s, Rk *rk)
{
    real h = s->t - s->t0;
    const real *kw = rk->k[rk->table->witness], *y = rk->y;
    Squares across = {0.0, 0.0}, along = {0.0, 0.0};
    advance(&rk->row[rk->table->witness], s->n, s->x0, h, rk->y);
    for (uint32_t i = 0; i < s->n; i++) {
        real weight = s->abserr[i] + s->options.relerr * cosy_abs(s->x[i]);
        add_squares(&across, h * (s->dx[i] - kw[i]), s->x[i] - y[i], weight);
        add_squares(&along, h * (s->dx[i] - s->dx0[i]), s->x[i] - s->x0[i],
                    weight);
    }
    return (Pace){quotient(&across), quotient(&along)};
}

static bool stiff_step(const Solver *s, Rk *rk)
{
    const RkTable *table = rk->table;
    double limit = table->stiff;
    double fine = fmin(1.0, (double)s->options.relerr / COARSE);
    double near_limit = NEAR_LIMIT * limit * pow(fine, 1.0 / table->order);
    Pace p = pace(s, rk);
    return p.fastest > limit ||
           (p.fastest > near_limit && p.solution < SLOW * p.fastest);
}

static void look_for_stiffness(Solver *s, Rk *rk)
{
    Memory *m = &rk->memory;
    if (m->stiff == 0 && s->counts.steps % STIFF_EVERY != 0)
        return;
    if (stiff_step(s, rk)) {
        m->calm = 0;
        if (++m->stiff == STIFF_STEPS) {
            m->stiff = 0;
            solver_note_stiff(s);
        }
    } else if (m->stiff > 0 && ++m->calm == CALM_STEPS) {
        m->stiff = m->calm = 0;
    }
}

/* ---- Step size ---------------------------------------------------------- */

static double bounded(double factor, double low, double high)
{
    return factor < low ? low : factor > high ? high : factor;
}

/* Factor for the step that follows an accepted one. */
static real grow(Rk *rk, double log_error)
{
    const RkControl *control = &rk->table->control;
    double factor = control->safety * exp(control->beta * rk->memory.log_error -
                                          control->alpha * log_error);
    rk->memory.log_error = log_error > log(1e-4) ? log_error : log(1e-4);
    return (real)bounded(factor, control->shrink, control->growth);
}

/* Factor for the repetition of a step that was too inaccurate. */
static real shrink(const Rk *rk, double log_error)
{
    const RkControl *control = &rk->table->control;
    double factor = control->safety * exp(-control->alpha * log_error);
    return (real)bounded(factor, control->shrink, control->safety);
}

/* True if a and b are the same time up to the last places. */
static bool same_time(real a, real b)
{
    return cosy_abs(a - b) <=
           R(8.0) * COSY_EPSILON * cosy_max(cosy_abs(a), cosy_abs(b));
}

/* Distance to the next grid point of a fixed step. The grid starts where the
   run began; after an event the steps return to it. */
static real grid_step(const Solver *s, Memory *m)
{
    real step = s->direction * cosy_abs(s->options.step);
    if (!m->on_grid) {
        m->origin = s->t;
        m->on_grid = 1;
    }
    real ticks = cosy_floor((s->t - m->origin) / step) + R(1.0);
    real next = m->origin + ticks * step;
    if (same_time(next, s->t))
        next = m->origin + (ticks + R(1.0)) * step;
    return next - s->t;
}

/* Where a step of h ends: at the limit if it comes close, and half way to it
   rather than just before it. */
static real end_of_step(const Solver *s, real h, real limit, bool fixed)
{
    real left = cosy_abs(limit - s->t), way = cosy_abs(h);
    if (!fixed && s->options.dtmax > R(0.0))
        way = cosy_min(way, s->options.dtmax);
    if (way >= left || same_time(s->t + s->direction * way, limit))
        return limit;
    if (!fixed && way * R(2.0) > left && left >= R(2.0) * s->options.dtmin)
        way = left * R(0.5);
    return s->t + s->direction * way;
}

/* Makes h smaller by `factor`, down to DTMIN. If it was there already, or time
   would not advance, the step has failed and the near end is restored. */
static Status reject(Solver *s, Status why, real factor, real *h)
{
    real least = s->options.dtmin;
    bool was_least = cosy_abs(*h) <= least;

    s->counts.rejected++;
    *h *= factor;
    if (cosy_abs(*h) < least && !was_least)
        *h = s->direction * least;
    if (!solver_too_small(s, *h))
        return STATUS_OK;
    memcpy(s->x, s->x0, s->n * sizeof(real));
    memcpy(s->dx, s->dx0, s->n * sizeof(real));
    return solver_give_up(s, why);
}

/* Sets the proposal after a step of h that succeeded at once or after
   rejections; a step cut short by the limit does not shorten the proposal. */
static void propose(Solver *s, Rk *rk, real h, bool at_once, double log_error)
{
    real next = cosy_abs(h) * grow(rk, log_error);
    if (!at_once)
        next = cosy_min(next, cosy_abs(h));
    else if (cosy_abs(h) < cosy_abs(s->h))
        next = cosy_max(next, cosy_abs(s->h));
    s->h = s->direction * cosy_max(next, s->options.dtmin);
}

/* A proposal too small to advance time is raised to the smallest that does: if
   that fails the run ends. */
static void raise_proposal(Solver *s)
{
    real least = cosy_max(R(8.0) * COSY_EPSILON * cosy_abs(s->t),
                          R(2.0) * COSY_REAL_MIN);
    if (solver_too_small(s, s->h))
        s->h = s->direction * cosy_max(s->options.dtmin, least);
}

static Status rk_step(Solver *s, real limit)
{
    Rk *rk = s->impl;
    bool fixed = s->options.step != R(0.0), at_once = true;
    double log_error = 0.0;

    if (s->stiffness == SOLVER_HANDS_OVER)
        return solver_hand_over(s, limit);
    if (!fixed && s->h == R(0.0))
        TRY(solver_first_step(s, rk->table->order, limit, rk->y, &s->h));
    if (!fixed)
        raise_proposal(s);
    s->t0 = s->t;
    memcpy(s->x0, s->x, s->n * sizeof(real));
    memcpy(s->dx0, s->dx, s->n * sizeof(real));

    for (real h = fixed ? grid_step(s, &rk->memory) : s->h;; at_once = false) {
        real t_end = end_of_step(s, h, limit, fixed);
        h = t_end - s->t0;
        Status status = trial(s, rk, t_end, fixed, &log_error);
        if (status == STATUS_OK) {
            s->t = t_end;
            if (!fixed)
                propose(s, rk, h, at_once, log_error);
            if (!fixed && s->stiffness == SOLVER_NOT_STIFF)
                look_for_stiffness(s, rk);
            return STATUS_OK;
        }
        real factor =
            status == STATUS_STEP_LIMIT ? shrink(rk, log_error) : R(0.5);
        TRY(reject(s, status, factor, &h));
    }
}

static Status rk_redo(Solver *s, real t_end)
{
    Rk *rk = s->impl;
    Status status = stages(s, rk, t_end);
    if (status == STATUS_OK && !rk->table->fsal)
        status = solver_rhs(s, t_end, s->x, s->dx);
    s->t = t_end;
    if (status != STATUS_OK) {
        s->t = s->t0;
        memcpy(s->x, s->x0, s->n * sizeof(real));
        memcpy(s->dx, s->dx0, s->n * sizeof(real));
    }
    return status;
}

/* The derivatives of the step are still there. The estimate is that of the
   lower order, but the run continues with the higher one. How much better that
   is depends on the step; half of what a smooth solution would give is
   assumed. */
static bool rk_local(Solver *s, real *e)
{
    Rk *rk = s->impl;
    real h = s->t - s->t0, relerr = s->options.relerr;
    uint32_t where = 0;
    if (rk->table->e == NULL)
        return false;
    if (rk->sure == R(0.0))
        rk->sure = cosy_pow(relerr, R(0.5) / (real)rk->table->order);
    real scale = rk->sure;
    weigh(&rk->e, s->n, h, e);
    if (rk->table->e2 != NULL) { // as in estimate
        real fine = solver_error(s, s->x0, s->x, e, &where);
        weigh(&rk->e2, s->n, h, rk->y);
        real coarse = R(0.1) * solver_error(s, s->x0, s->x, rk->y, &where);
        if (coarse > R(0.0))
            scale *= fine / cosy_sqrt(cosy_square(fine) + cosy_square(coarse));
    }
    for (uint32_t i = 0; i < s->n; i++)
        e[i] *= scale;
    return true;
}

/* ---- Dense output ------------------------------------------------------- */

/* The refinements of the cubic for the last step. If the model fails at a
   further stage, the plain cubic is used. */
static void find_dense(const Solver *s, Rk *rk)
{
    const RkTable *table = rk->table;
    real h = s->t - s->t0;

    rk->memory.dense_known = 1;
    rk->memory.dense_rows = 0;
    if (s->n == 0 || s->model->derivatives == NULL)
        return; // conditions on time alone
    for (int i = table->stages + 1; i < table->points; i++) {
        advance(&rk->row[i], s->n, s->x0, h, rk->y);
        rk->counts->rhs++;
        if (s->model->derivatives(s->c, s->t0 + table->c[i] * h, rk->y,
                                  rk->k[i]) != COSY_OK)
            return;
        for (uint32_t j = 0; j < s->n; j++)
            if (!cosy_finite(rk->k[i][j]))
                return;
    }
    for (int r = 0; r < table->dense; r++)
        weigh(&rk->d[r], s->n, h, rk->r[r]);
    rk->memory.dense_rows = (uint32_t)table->dense;
}

/* What the refinements add to the innermost bracket of the cubic; row by row, so
   that the loops over states are vectorised. */
static void sum_refinements(const Rk *rk, size_t n, real u, real v,
                            real *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] = R(0.0);
    for (uint32_t r = rk->memory.dense_rows; r-- > 0;) {
        const real *restrict row = rk->r[r];
        real w = r % 2 == 0 ? v : u;
        for (size_t i = 0; i < n; i++)
            sum[i] = w * (row[i] + sum[i]);
    }
}

static void rk_dense(const Solver *s, real t, real *x)
{
    Rk *rk = s->impl;
    if (t == s->t || s->t == s->t0) {
        memcpy(x, s->x, s->n * sizeof(real));
        return;
    }
    bool known = rk->memory.dense_known;
    if (!known)
        find_dense(s, rk);
    rk->memory.dense_known = known || !s->aside; // the first that is not an
                                                 // observer counts

    real h = s->t - s->t0, u = (t - s->t0) / h, v = R(1.0) - u;
    sum_refinements(rk, s->n, u, v, x);
    const real *restrict x0 = s->x0, *restrict x1 = s->x;
    const real *restrict dx0 = s->dx0, *restrict dx1 = s->dx;
    real *restrict y = x;
    for (uint32_t i = 0, n = s->n; i < n; i++) {
        real r0 = x1[i] - x0[i];
        real r1 = h * dx0[i] - r0;
        real r2 = r0 - h * dx1[i] - r1;
        y[i] = x0[i] + u * (r0 + v * (r1 + u * (r2 + y[i])));
    }
}

/* ---- The methods -------------------------------------------------------- */

#define RK_METHOD(identifier, word, p, flags)                                  \
    const Method method_##identifier = {                                       \
        .name = word,                                                          \
        .order = p,                                                            \
        .features = METHOD_SAVES | (flags),                                    \
        .table = &rk_##identifier,                                             \
        .create = rk_create,                                                   \
        .resize = rk_resize,                                                   \
        .attach = rk_attach,                                                   \
        .start = rk_start,                                                     \
        .step = rk_step,                                                       \
        .dense = rk_dense,                                                     \
        .redo = rk_redo,                                                       \
        .local = rk_local,                                                     \
    }

RK_METHOD(euler, "EULER", 1, METHOD_FIXED);
RK_METHOD(rk4, "RK4", 4, METHOD_FIXED);
RK_METHOD(rks, "RKS", 4, 0);
RK_METHOD(rke, "RKE", 4, 0);
RK_METHOD(rkf45, "RKF45", 5, 0);
RK_METHOD(rkf78, "RKF78", 8, 0);
RK_METHOD(dopri5, "DOPRI5", 5, 0);
RK_METHOD(dop853, "DOP853", 8, 0);
