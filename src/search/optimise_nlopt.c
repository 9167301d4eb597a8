/* The border to NLopt, which knows DOUBLE only. */

#include <assert.h>

#include "search/optimise_own.h"

/* No number for NLopt is larger. */
static const double LARGEST = 1e300;

static double plain(real x)
{
    if (!(x < (real)LARGEST))
        return LARGEST;
    return x > (real)-LARGEST ? (double)x : -LARGEST;
}

/* What stands for the value of a trial that failed: worse than all that was seen, but
   not so much that models of the function are spoilt. */
static double worse(const Seeker *k)
{
    if (!k->found)
        return 1.0;
    double worst = plain(k->worst), best = plain(k->value);
    return worst + (worst - best) + 1e-3 * fabs(worst) + 1e-12;
}

static void go_to(Seeker *k, const double *z)
{
    for (uint32_t i = 0; i < k->s->q->n; i++)
        k->z[i] = (real)z[i];
}

/* Results at k->z; false when the search is over. */
static bool ask(Seeker *k, const real **out, bool *good)
{
    if (seeker_ask(k, k->z, out, good) == STATUS_OK)
        return true;
    k->s->nlopt.force_stop(k->opt);
    return false;
}

/* ---- Derivatives ------------------------------------------------------------------- */

/* From the derivatives of the trial's own to those in coordinates. */
static void own_slopes(Seeker *k, const real *raw)
{
    const BestSearch *s = k->s;
    uint32_t n = s->q->n;
    best_point(s, k->z, k->p);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t r = 0; r <= s->constraints; r++)
            k->slope[(size_t)r * n + i] =
                raw[(size_t)r * n + i] * best_steepness(s, i, k->p);
}

/* Both sides of coordinate i, within the bounds. */
static void sides(const Seeker *k, uint32_t i, real h, real side[2])
{
    side[0] = cosy_max(k->z[i] - h, best_low(k->s, i));
    side[1] = cosy_min(k->z[i] + h, best_high(k->s, i));
}

/* Central differences, all points at the same time. */
static Status differences(Seeker *k, bool *good)
{
    BestSearch *s = k->s;
    uint32_t n = s->q->n, results = s->constraints + 1;
    real noise = cosy_max(s->q->noise, s->relative_noise), side[2];
    real h = cosy_cbrt(cosy_max(noise, (real)DBL_EPSILON));
    for (uint32_t i = 0; i < n; i++) {
        real kept = k->z[i];
        sides(k, i, h, side);
        for (int j = 0; j < 2; j++) {
            k->z[i] = side[j];
            best_point(s, k->z, k->p + (2 * (size_t)i + (size_t)j) * n);
        }
        k->z[i] = kept;
    }
    TRY(seeker_trials(k, 2 * (size_t)n, k->p, k->out, k->each));
    *good = true;
    for (uint32_t i = 0; i < n; i++) {
        sides(k, i, h, side);
        const real *low = k->out + 2 * (size_t)i * results;
        *good = *good && k->each[2 * i] == STATUS_OK &&
                k->each[2 * i + 1] == STATUS_OK;
        for (uint32_t r = 0; r < results; r++)
            k->slope[(size_t)r * n + i] =
                (low[results + r] - low[r]) / (side[1] - side[0]);
    }
    return STATUS_OK;
}

/* Derivatives at k->z, by differences where the trial has none; zero where there are
   none at all. Value and constraints ask for them one after the other. */
static bool slopes(Seeker *k)
{
    BestSearch *s = k->s;
    bool good = true;
    size_t bytes = s->q->n * sizeof *k->z;
    if (k->sloped && memcmp(k->slope_z, k->z, bytes) == 0)
        return true;
    k->sloped = true;
    memcpy(k->slope_z, k->z, bytes);
    const real *own = seeker_slopes(k, k->z);
    if (own != NULL)
        own_slopes(k, own);
    else
        k->end = differences(k, &good);
    if (k->end != STATUS_OK) {
        s->nlopt.force_stop(k->opt);
        return false;
    }
    if (!good)
        memset(k->slope, 0,
               (size_t)(s->constraints + 1) * s->q->n * sizeof *k->slope);
    return true;
}

/* ---- What NLopt calls ---------------------------------------------------------------- */

static double objective(unsigned n, const double *z, double *gradient,
                        void *data)
{
    Seeker *k = data;
    const real *out;
    bool good;
    const BestSearch *s = k->s;
    real sign = s->q->maximise ? R(-1.0) : R(1.0);
    go_to(k, z);
    if (!ask(k, &out, &good))
        return LARGEST; // it stops
    /* Some methods count on values of order one. */
    real unit =
        k->goal == GOAL_VALUE && s->typical > R(0.0) ? s->typical : R(1.0);
    double value = good ? plain(seeker_value(k, out, true) / unit)
                        : worse(k) / (double)unit;
    if (gradient != NULL && slopes(k))
        for (unsigned i = 0; i < n; i++)
            gradient[i] = plain(sign * k->slope[i] / unit);
    return value;
}

/* Constraints `from` to from + m - 1 at k->z. */
static void constraints(Seeker *k, uint32_t from, unsigned m, double *result,
                        double *gradient)
{
    const BestProblem *q = k->s->q;
    const real *out;
    bool good;
    bool on = ask(k, &out, &good);
    for (unsigned c = 0; c < m; c++)
        result[c] =
            on && good ? plain(best_constraint(k->s, out, from + c)) : 1.0;
    if (!on || gradient == NULL || !slopes(k))
        return;
    for (unsigned c = 0; c < m; c++) {
        real scale = q->constraint_scale == NULL
                         ? R(1.0)
                         : q->constraint_scale[from + c];
        for (uint32_t i = 0; i < q->n; i++)
            gradient[(size_t)c * q->n + i] =
                plain(k->slope[(size_t)(from + c + 1) * q->n + i] / scale);
    }
}

static void inequalities(unsigned m, double *result, unsigned n,
                         const double *z, double *gradient, void *data)
{
    (void)n;
    go_to(data, z);
    constraints(data, 0, m, result, gradient);
}

static void equalities(unsigned m, double *result, unsigned n, const double *z,
                       double *gradient, void *data)
{
    Seeker *k = data;
    (void)n;
    go_to(k, z);
    constraints(k, k->s->q->inequalities, m, result, gradient);
}

/* ---- The call -------------------------------------------------------------------------- */

#define NLOPT_OWN NLOPT_NUM_ALGORITHMS
#define FREE      false
#define BOTH      true

static const struct {
    nlopt_algorithm algorithm;
    bool constraints;
} methods[] = {
#define OPTIMISER_CHOICE(name, what) {NLOPT_OWN, BOTH},
#define OPTIMISER(name, nlopt, reach, slopes, constraints, what)               \
    {NLOPT_##nlopt, constraints},
#include "base/optimisers.def"
#undef OPTIMISER
#undef OPTIMISER_CHOICE
};

#undef FREE
#undef BOTH

/* Bounds, and first steps that lead to no bound. */
static void prepare(Seeker *k, nlopt_opt opt)
{
    BestSearch *s = k->s;
    for (uint32_t i = 0; i < s->q->n; i++) {
        k->low[i] = (double)best_low(s, i);
        k->high[i] = (double)best_high(s, i);
        if (k->room > 0.0 && !isfinite(k->low[i]))
            k->low[i] = k->start[i] - k->room;
        if (k->room > 0.0 && !isfinite(k->high[i]))
            k->high[i] = k->start[i] + k->room;
        k->dz[i] = fmin(k->step, (k->high[i] - k->low[i]) / 4.0);
        k->start[i] = fmin(fmax(k->start[i], k->low[i]), k->high[i]);
    }
    s->nlopt.set_lower_bounds(opt, k->low);
    s->nlopt.set_upper_bounds(opt, k->high);
    s->nlopt.set_initial_step(opt, k->dz);
    s->nlopt.set_xtol_abs1(opt, k->tolerance);
    if (k->most > 0)
        s->nlopt.set_maxeval(
            opt, (int)(k->most < 1000000000 ? k->most : 1000000000));
}

static void add_constraints(Seeker *k, nlopt_opt opt)
{
    BestSearch *s = k->s;
    const BestProblem *q = s->q;
    for (uint32_t c = 0; c < s->constraints; c++)
        k->feasible[c] = (double)s->ledger.slack / 2.0;
    if (q->inequalities > 0)
        s->nlopt.add_inequality_mconstraint(opt, q->inequalities, inequalities,
                                            k, k->feasible);
    if (q->equalities > 0)
        s->nlopt.add_equality_mconstraint(opt, q->equalities, equalities, k,
                                          k->feasible);
}

/* A method that works inside of another one: below an augmented Lagrangian, or for the
   local searches of MLSL. */
static bool set_inner(Seeker *k, nlopt_opt outer, nlopt_algorithm algorithm)
{
    NloptDoor *door = &k->s->nlopt;
    nlopt_opt inner = door->create(algorithm, k->s->q->n);
    if (inner == NULL)
        return false;
    door->set_initial_step(inner, k->dz);
    door->set_xtol_abs1(inner, k->tolerance);
    bool done = door->set_local_optimizer(outer, inner) > 0; // it copies
    door->destroy(inner);
    return done;
}

static Status seek_here(Seeker *k)
{
    BestSearch *s = k->s;
    NloptDoor *door = &s->nlopt;
    nlopt_algorithm algorithm = methods[k->method].algorithm;
    bool bound = s->constraints > 0 && k->goal == GOAL_VALUE;
    bool lagrange = bound && !methods[k->method].constraints;
    double value = 0.0;
    assert(algorithm != NLOPT_OWN && door->library != NULL);
    nlopt_opt opt = door->create(lagrange ? NLOPT_AUGLAG : algorithm, s->q->n);
    if (opt == NULL)
        return STATUS_MEMORY;
    k->opt = opt;
    prepare(k, opt);
    bool done = true;
    if (lagrange)
        done = set_inner(k, opt, algorithm);
    if (algorithm == NLOPT_G_MLSL_LDS)
        done =
            set_inner(k, opt, s->q->n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_SBPLX);
    door->set_min_objective(opt, objective, k);
    if (bound)
        add_constraints(k, opt);
    door->srand((unsigned long)(s->q->seed + 1));
    nlopt_result result =
        done ? door->optimize(opt, k->start, &value) : NLOPT_OUT_OF_MEMORY;
    door->destroy(opt);
    k->opt = NULL;
    if (result == NLOPT_OUT_OF_MEMORY)
        return STATUS_MEMORY;
    return k->end;
}

/* Whether the best point lies where the room ends, or conditions cannot be met in it. */
static bool wants_more_room(const Seeker *k)
{
    const BestSearch *s = k->s;
    bool met = k->violation <= s->ledger.slack;
    for (uint32_t i = 0; k->found && i < s->q->n; i++) {
        double best = (double)k->best[i], near = 1e-3 * k->room;
        bool below = !cosy_finite(best_low(s, i));
        bool above = !cosy_finite(best_high(s, i));
        if ((below && (!met || best - near <= k->low[i])) ||
            (above && (!met || best + near >= k->high[i])))
            return true;
    }
    return false;
}

/* First steps along derivatives may be so long that models are not made for where they
   end, or runs take without end there. So where there are no bounds the search stays within
   a box around its start, and goes on from its edge with a larger one. */
Status seek_nlopt(Seeker *k)
{
    enum { BOXES = 20 };
    k->room = seeker_sloped(k) ? 2.0 : 0.0;
    Status end = seek_here(k);
    for (int box = 1; k->room > 0.0 && end == STATUS_OK && box < BOXES &&
                      !k->runaway && wants_more_room(k);
         box++) {
        for (uint32_t i = 0; i < k->s->q->n; i++)
            k->start[i] = (double)k->best[i];
        k->room *= 4.0;
        end = seek_here(k);
    }
    return end;
}
