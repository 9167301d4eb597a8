#include "study/gridcheck.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/value.h"
#include "study/errorbar_tell.h"

typedef struct GridPlan GridPlan;

/* One of the experiments: a trial, or the run itself. */
struct KernelGrid {
    const GridPlan *plan; // of the run itself; NULL: it is a trial
    const CosyModel *model;
    int32_t level;
    real share;         // of RELERR and ABSERR
    const Vector *like; // digests of runs whose method is taken, or NULL
    char words[60];     // for messages
    Vector digests;     // of a trial
    bool outside;       // stopped from outside
};

struct GridPlan {
    const KernelOptions *options;
    const CosyModel *model; // as the program has it
    double begun;
    int32_t level;    // of the run
    real share;       // of the tolerance that the program asks for
    uint32_t tighter; // how often it became smaller
    char why[200];    // there are no trials
    bool rings;       // nobody has asked for that
    char refined[200];
    KernelGrid half, quarter, loose;
};

enum {
    RUNS_LOOKED = 20,      // runs whose error in time is looked at
    TIGHTER_MOST = 3,      // how often the tolerance becomes smaller
    LEVELS_MOST = 12,      // doublings of GRID AUTO
    POINTS_LINE = 1 << 14, // the most points of GRID AUTO, with one coordinate
    POINTS_PLANE = 1 << 18 // with two
};

/* ---- What runs ask ----------------------------------------------------------------- */

static const KernelGrid *grid_of(const Experiment *e)
{
    return e->options->grid;
}

bool gridcheck_tries(const Experiment *e)
{
    return grid_of(e) && !grid_of(e)->plan && !e->quiet;
}

bool gridcheck_bars(const Experiment *e)
{
    return grid_of(e) && grid_of(e)->plan && !e->quiet && !e->options->twin;
}

const char *gridcheck_words(const Experiment *e)
{
    return grid_of(e) && !grid_of(e)->plan ? grid_of(e)->words : NULL;
}

/* The only method of a run; NULL: METHOD AUTO has changed it. */
static const char *method_of(const Vector *digests, uint32_t run)
{
    const Digest *d = digest_find(digests, run);
    bool one = d && d->methods[0] && !strpbrk(d->methods, ", ");
    return one && method_find(d->methods) ? d->methods : NULL;
}

/* Below this RELERR (1e-10 in DOUBLE) the rounding errors of fine grids are as large as
   the tolerance, and steps become shorter without end. An error in space that is as
   small does not matter beside what RELERR allows. */
static real least_relerr(void)
{
    return cosy_exp(R(0.64) * cosy_log(COSY_EPSILON));
}

/* A fixed step has no tolerance: it becomes twice as long where that would be ten times as
   large. */
void gridcheck_vary(const Experiment *e, uint32_t run, RunOptions *o)
{
    const real least = least_relerr();
    const KernelGrid *g = grid_of(e);
    SolverOptions *s = &o->solver;
    if (!g || g->share == R(1.0))
        return;
    if (s->step > R(0.0)) {
        s->step *= g->share > R(1.0) ? R(2.0) : R(1.0);
        return;
    }
    real relerr = s->relerr > R(0.0) ? s->relerr : R(1e-6);
    s->relerr = cosy_max(relerr * g->share, cosy_min(relerr, least));
    s->abserr *= g->share;
    if (g->share < R(1.0))
        o->tol_share = g->share;
    if (g->like && method_of(g->like, run))
        s->method = method_of(g->like, run);
}

/* ---- What trials leave ---------------------------------------------------------------- */

static bool take_values(Vector *v, const Cosy *c, uint32_t variable)
{
    const CosyVariable *of = &c->model->variables[variable];
    uint32_t n = value_count(of);
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++) {
        real x = value_real(c, of, k);
        ok = vector_append(v, &x, sizeof x);
    }
    return ok;
}

Status gridcheck_take(Digest *d, const Trial *t)
{
    const CosyModel *m = t->run.model;
    const Vector *rows = &t->run.record.rows;
    const KernelGrid *g = grid_of(t->j->e);
    bool ok =
        rows->used == 0 || vector_append(&d->rows, rows->bytes, rows->used);
    for (uint32_t k = 0; ok && k < m->n_axes; k++)
        ok = take_values(&d->points, t->run.c, m->axes[k].variable);
    for (uint32_t k = 0; ok && k < m->n_fields; k++)
        ok = take_values(&d->fields, t->run.c, m->fields[k].variable);
    memcpy(d->grid, g->words, sizeof d->grid);
    return ok ? STATUS_OK : STATUS_MEMORY;
}

void gridcheck_leave(Experiment *e)
{
    KernelGrid *g = e->options->grid;
    if (!gridcheck_tries(e))
        return;
    g->digests = e->digests;
    e->digests = (Vector){0};
    g->outside = atomic_load(&e->stop);
}

/* ---- Error bars of runs ------------------------------------------------------------------- */

static PairSide side_of(const KernelGrid *g, uint32_t run)
{
    return (PairSide){g->model, digest_find(&g->digests, run)};
}

static BarTrials trials_of(const GridPlan *p, uint32_t run)
{
    return (BarTrials){.half = side_of(&p->half, run),
                       .quarter = side_of(&p->quarter, run),
                       .loose = side_of(&p->loose, run)};
}

static void ring(void *user, uint32_t line, const char *text)
{
    outlet_message(user, COSY_WARNING, line, text);
}

static void ring_none(Outlet *o, const char *why)
{
    char text[300];
    snprintf(text, sizeof text, "FIELDs have no error bar: %.200s", why);
    outlet_message(o, COSY_WARNING, 0, text);
}

static ErrorBarMore more_of(const Trial *t)
{
    const GridPlan *p = grid_of(t->j->e)->plan;
    return (ErrorBarMore){.share = p->share, .refined = p->refined};
}

Status gridcheck_judge(Trial *t)
{
    const GridPlan *p = grid_of(t->j->e)->plan;
    const ErrorBarMore more = more_of(t);
    BarTrials of = trials_of(p, t->at.number);
    of.run = (PairSide){t->run.model, &t->barred};
    if (p->why[0]) {
        errorbar_none(&t->grid, t->run.model, p->why);
        if (p->rings)
            ring_none(t->outlet, p->why);
        return t->grid.broken ? STATUS_MEMORY : STATUS_OK;
    }
    TRY(gridcheck_take(&t->barred, t));
    if (!errorbar_make(&t->bar, &of))
        return STATUS_MEMORY;
    errorbar_json(&t->grid, &t->bar, &more);
    errorbar_bell(&t->bar, ring, t->outlet);
    return t->grid.broken ? STATUS_MEMORY : STATUS_OK;
}

void gridcheck_tell(Buffer *b, const Trial *t)
{
    if (!gridcheck_bars(t->j->e))
        return;
    const ErrorBarMore more = more_of(t);
    const char *why = grid_of(t->j->e)->plan->why;
    if (why[0])
        buffer_format(b, "  error in space: not estimated (%s)\n", why);
    else
        errorbar_text(b, &t->bar, &more);
}

/* ---- Trials ---------------------------------------------------------------------------------- */

static void forget(KernelGrid *g)
{
    digest_forget(&g->digests);
    *g = (KernelGrid){0};
}

/* All trials together get less than half of --limit-wall: the run itself matters
   more. */
static double time_for(const GridPlan *p)
{
    double gone = experiment_seconds() - p->begun;
    return fmax(0.45 * p->options->limit_wall - gone, 1e-3);
}

/* False: it was stopped from outside. A trial that cannot be made or fails leaves no
   digests, or such as say so. */
static bool try(const GridPlan *p, KernelGrid *g, int32_t level, real share)
{
    KernelOptions o = experiment_again(p->options);
    KernelCode code = {
        .model = p->model, .newest = o.newest, .newest_user = o.newest_user};
    KernelOutcome out;
    g->level = level;
    g->share = share;
    if (level != 0 && !o.regrid(o.regrid_user, level, &code))
        return true;
    g->model = code.model;
    snprintf(g->words, sizeof g->words, "%u points of %.30s",
             g->model->axes[0].points, g->model->axes[0].name);
    o.newest = code.newest;
    o.newest_user = code.newest_user;
    o.resume = false;
    o.snapshot = 0;
    o.grid = g;
    if (o.limit_wall > 0)
        o.limit_wall = time_for(p);
    experiment_go(g->model, &o, &out);
    return !g->outside;
}

/* The third trial has the method of the second, so that only the tolerance differs. */
static bool try_loose(GridPlan *p)
{
    forget(&p->loose);
    p->loose.like = &p->quarter.digests;
    return try(p, &p->loose, p->quarter.level, R(10.0) * p->share);
}

static bool try_both(GridPlan *p)
{
    forget(&p->half);
    forget(&p->quarter);
    return try(p, &p->quarter, p->level - 2, p->share) && try_loose(p) &&
           try(p, &p->half, p->level - 1, p->share);
}

static void stop(GridPlan *p)
{
    p->rings = true;
    snprintf(p->why, sizeof p->why, "the trials of GRIDCHECK were stopped");
}

/* ---- The error in time ------------------------------------------------------------------------ */

static real time_share(const GridPlan *p)
{
    uint32_t n;
    real worst = R(0.0);
    const Digest *d = digest_list(&p->half.digests, &n);
    for (uint32_t k = 0; k < n && k < RUNS_LOOKED; k++) {
        const BarTrials of = trials_of(p, d[k].run);
        real share = errorbar_time(&of);
        if (cosy_finite(share))
            worst = cosy_max(worst, share);
    }
    return worst;
}

/* Errors fall somewhat more slowly than tolerances: as their power 0.8, as a rule. */
static real tighter(real share)
{
    real factor = cosy_exp(cosy_log(BAR_TIME / (R(2.0) * share)) / R(0.8));
    return cosy_max(factor, R(1e-3));
}

/* Whether the tolerance is the least, or there is none. */
static bool is_fixed(const GridPlan *p)
{
    uint32_t n;
    const Digest *d = digest_list(&p->half.digests, &n);
    return n > 0 &&
           (d[0].fixed || d[0].relerr <= 1.001 * (double)least_relerr());
}

/* Makes the tolerance smaller until the error in time is small enough, or it was done
   too often. Needs: the trials of the present tolerance; `fine`: one with the grid of
   the run, or NULL. */
static bool settle_time(GridPlan *p, KernelGrid *fine)
{
    for (; p->tighter < TIGHTER_MOST && !is_fixed(p); p->tighter++) {
        real share = time_share(p);
        if (share <= BAR_TIME)
            return true;
        p->share *= tighter(share);
        if (!try_both(p))
            return false;
        if (fine)
            forget(fine);
        if (fine && !try(p, fine, p->level, p->share))
            return false;
    }
    return true;
}

static void plan_given(GridPlan *p)
{
    if (!try_both(p) || !settle_time(p, NULL))
        stop(p);
}

/* ---- GRID AUTO ---------------------------------------------------------------------------------- */

/* Errors in TOLs: the worst of all fields that have one, in all runs. */
typedef struct Excess {
    real now, next; // on this grid, and expected of one twice as fine
    bool known;
} Excess;

static void add_bar(Excess *x, const ErrorBar *e)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(e, &n);
    x->known = x->known || e->made;
    for (uint32_t k = 0; k < n; k++) {
        real tol = e->of.run.model->fields[f[k].field].tolerance;
        const BarNorm *w = &f[k].worst;
        if (tol <= R(0.0) || !w->any)
            continue;
        real over = (w->in_mean ? w->mean : w->max) / tol;
        x->now = cosy_max(x->now, over);
        x->next =
            cosy_max(x->next, over / cosy_exp(w->used * cosy_log(R(2.0))));
    }
}

/* What three trials say about the error on the finest of them. */
static Excess look(const KernelGrid *fine, const KernelGrid *half,
                   const KernelGrid *quarter)
{
    uint32_t n;
    Excess x = {0};
    const Digest *d = digest_list(&fine->digests, &n);
    for (uint32_t k = 0; k < n && k < RUNS_LOOKED; k++) {
        const BarTrials of = {.run = {fine->model, &d[k]},
                              .half = side_of(half, d[k].run),
                              .quarter = side_of(quarter, d[k].run)};
        ErrorBar e;
        if (errorbar_make(&e, &of))
            add_bar(&x, &e);
        errorbar_free(&e);
    }
    return x;
}

/* Whether a coordinate of it would have more points than MAX says. */
static bool is_most(const CosyModel *m, const CosyField *f)
{
    for (uint32_t k = 0; k < f->axes && f->most; k++)
        if (2 * m->axes[f->axis[k]].points - 1 > f->most)
            return true;
    return false;
}

/* Whether a grid twice as fine would have too many points. */
static bool is_largest(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_fields; k++) {
        if (is_most(m, &m->fields[k]))
            return true;
        uint32_t points = value_count(&m->variables[m->fields[k].variable]);
        if (m->fields[k].axes > 1 ? points * 4 > POINTS_PLANE
                                  : points * 2 > POINTS_LINE)
            return true;
    }
    return false;
}

static const char *tolerant(const CosyModel *m, real *tol)
{
    for (uint32_t k = 0; k < m->n_fields; k++)
        if (m->fields[k].tolerance > R(0.0) && !m->fields[k].unjudged) {
            *tol = m->fields[k].tolerance;
            return m->variables[m->fields[k].variable].name;
        }
    return NULL;
}

static void say_refined(GridPlan *p, const KernelGrid *fine, bool twice,
                        bool met)
{
    real tol = R(0.0);
    const char *name = tolerant(p->model, &tol);
    uint32_t points = fine->model->axes[0].points;
    snprintf(p->refined, sizeof p->refined,
             "GRID AUTO: %u points of %.40s for TOL = %.3g of %.40s%s",
             twice ? 2 * points - 1 : points, fine->model->axes[0].name,
             (double)tol, name,
             met ? "" : ", which no grid of a size that is allowed keeps");
}

/* What was the run becomes the half. */
static void shift(GridPlan *p, KernelGrid *fine)
{
    forget(&p->quarter);
    p->quarter = p->half;
    p->half = *fine;
    *fine = (KernelGrid){0};
    p->level++;
}

/* The next grid of GRID AUTO. */
static bool go_on(GridPlan *p, KernelGrid *fine)
{
    shift(p, fine);
    return try(p, fine, p->level, p->share) && try_loose(p) &&
           settle_time(p, fine);
}

/* Whether the grid of the run is found: that of the last trial, or one twice as fine
   if the error will be small enough there, so that what was computed serves once
   more. A trial that failed tells nothing: the run says why. */
static bool is_found(GridPlan *p, KernelGrid *fine)
{
    Excess x = look(fine, &p->half, &p->quarter);
    bool largest =
        !fine->model || is_largest(fine->model) || p->level >= LEVELS_MOST;
    bool here = x.known && x.now <= R(1.0);
    bool next = !here && x.known && x.next <= R(0.8) && !largest;
    if (!here && !next && !largest && x.known)
        return false;
    if (fine->model)
        say_refined(p, fine, next, here || next);
    if (next)
        shift(p, fine);
    return true;
}

static bool refine(GridPlan *p)
{
    KernelGrid fine = {0};
    bool going = try_both(p) && try(p, &fine, p->level, p->share) &&
                 settle_time(p, &fine);
    while (going && !is_found(p, &fine))
        going = go_on(p, &fine);
    forget(&fine);
    return going;
}

static void plan_auto(GridPlan *p)
{
    if (!refine(p) || !try_loose(p) || !settle_time(p, NULL))
        stop(p);
}

/* ---- The experiment ------------------------------------------------------------------------------ */

static bool is_off(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_fields; k++)
        if (!m->fields[k].unjudged)
            return false;
    return true;
}

/* Why there are no trials; NULL: there are. Parts of a study are made by many
   processes, which would all carry out all trials. */
static const char *reason(const CosyModel *m, const KernelOptions *o)
{
    return o->no_gridcheck         ? "--no-gridcheck"
           : is_off(m)             ? "GRIDCHECK OFF"
           : o->chunks || o->parts ? "not with --chunk, --part or --slurm"
           : o->team               ? "not with mpirun or srun"
           : o->restore            ? "not with --restore"
           : !o->regrid            ? "the text of the program is not there"
                                   : NULL;
}

static Status go(GridPlan *p, KernelOutcome *out)
{
    KernelGrid own = {.plan = p, .level = p->level, .share = p->share};
    KernelOptions o = *p->options;
    KernelCode code = {
        .model = p->model, .newest = o.newest, .newest_user = o.newest_user};
    double gone = experiment_seconds() - p->begun;
    if (p->level != 0 && !o.regrid(o.regrid_user, p->level, &code)) {
        snprintf(p->why, sizeof p->why, "GRID AUTO: no finer grid is possible");
        p->level = own.level = 0;
    }
    o.newest = code.newest;
    o.newest_user = code.newest_user;
    o.grid = &own;
    if (p->level != 0)
        o.precise = NULL; // it compiles the program with the first grid
    if (o.limit_wall > 0)
        o.limit_wall = fmax(o.limit_wall - gone, 1e-3);
    return experiment_go(code.model, &o, out);
}

Status gridcheck_go(const void *model, const KernelOptions *o,
                    KernelOutcome *out)
{
    GridPlan p = {.options = o,
                  .model = model,
                  .begun = experiment_seconds(),
                  .share = R(1.0)};
    real tol;
    if (p.model->n_fields == 0 || o->probe)
        return experiment_go(model, o, out);
    const char *why = reason(p.model, o);
    p.rings = why && !o->no_gridcheck && !is_off(p.model);
    if (why)
        snprintf(p.why, sizeof p.why, "%s", why);
    else if (tolerant(p.model, &tol))
        plan_auto(&p);
    else
        plan_given(&p);
    Status s = go(&p, out);
    forget(&p.half);
    forget(&p.quarter);
    forget(&p.loose);
    return s;
}
