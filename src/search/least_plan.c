/* What all searches of one problem share: coordinates, sizes, noise. */

#include <assert.h>

#include "search/least_own.h"
#include "search/noise.h"

/* No logarithm is larger: the numbers themselves are those of every precision. */
#define MOST_LOGARITHM R(300.0)

bool least_allot(Arena *a, size_t n, real **const *array, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if ((*array[k] = NEW_ARRAY(a, real, n > 0 ? n : 1)) == NULL)
            return false;
    return true;
}

/* ---- Coordinates ---------------------------------------------------------------- */

bool least_logarithmic(const LeastPlan *l, uint32_t i)
{
    return l->q->logarithmic != NULL && l->q->logarithmic[i];
}

real least_coordinate(const LeastPlan *l, uint32_t i, real p)
{
    if (!least_logarithmic(l, i))
        return p;
    return p > R(0.0) ? cosy_log(p) : -COSY_INFINITY;
}

/* A coordinate at its bound is the bound itself, whatever the logarithm rounds to. */
real least_parameter(const LeastPlan *l, uint32_t i, real z)
{
    real low = space_low(&l->space, i), high = space_high(&l->space, i);
    if (z <= l->low[i] && least_coordinate(l, i, low) == l->low[i])
        return low;
    if (z >= l->high[i] && least_coordinate(l, i, high) == l->high[i])
        return high;
    real p = least_logarithmic(l, i) ? cosy_exp(z) : z;
    return space_clamp(&l->space, i, p);
}

/* A start of zero says nothing about sizes. */
real least_typical(const LeastPlan *l, uint32_t i, real z)
{
    const Space *s = &l->space;
    if (least_logarithmic(l, i))
        return R(1.0);
    real size = R(0.01) * space_size(s, i);
    if (s->scale != NULL && s->scale[i] > R(0.0))
        size = s->scale[i];
    else if (s->start != NULL && s->start[i] != R(0.0))
        size = R(0.01) * cosy_abs(s->start[i]);
    return cosy_max(size, cosy_abs(z));
}

/* ---- Data ----------------------------------------------------------------------- */

/* Below its floor the mean square of a group is rounding. */
static void count_groups(LeastPlan *l)
{
    const LeastProblem *q = l->q;
    for (uint32_t k = 0; k < q->m; k++) {
        uint32_t g = least_group(l, k);
        if (g == LEAST_KNOWN)
            continue;
        real sigma = q->sigma == NULL ? R(1.0) : q->sigma[k];
        l->count[g]++;
        l->floor[g] += cosy_square(q->y[k] / sigma);
    }
    for (uint32_t g = 0; g < q->groups; g++) {
        real mean = l->count[g] > 0 ? l->floor[g] / (real)l->count[g] : R(0.0);
        l->floor[g] =
            cosy_max(mean * cosy_square(R(16.0) * COSY_EPSILON), COSY_REAL_MIN);
    }
}

static void count_rows(LeastPlan *l)
{
    const LeastProblem *q = l->q;
    for (uint32_t i = 0; i < q->n && q->prior != NULL; i++)
        l->priors += q->prior[i].sd > R(0.0);
    l->results = q->noisy ? 2 * q->m : q->m;
    l->rows = l->results + l->priors;
    bool one = q->groups == 1 && q->group == NULL && l->priors == 0;
    l->plain = !q->noisy && (q->groups == 0 || one);
}

static void judge(const void *problem, const real *p, const real *out,
                  real *value, real *violation)
{
    *value = least_value(problem, p, out);
    *violation = R(0.0);
}

Status least_plan_make(LeastPlan *l, const LeastProblem *q, Arena *a,
                       SearchHistory *history)
{
    uint32_t n = q->n;
    *l = (LeastPlan){.q = q, .arena = a, .n = n, .m = q->m};
    l->space = (Space){n, q->name, q->start, q->low, q->high, q->scale};
    l->sloped = q->trial.slopes != NULL || q->trial.many_slopes != NULL;
    l->noise = cosy_max(q->noise, COSY_EPSILON);
    count_rows(l);
    real **const ofn[] = {&l->low, &l->high, &l->value,
                          &l->g,   &l->work, &l->work2};
    real **const squares[] = {&l->u, &l->v};
    real **const groups[] = {&l->floor, &l->sum, &l->mean};
    real **const stack[] = {&l->stack};
    real **const side[] = {&l->side};
    l->count = NEW_ARRAY(a, uint32_t, q->groups + (size_t)1);
    l->freed = NEW_ARRAY(a, uint32_t, n);
    l->fixed = NEW_ARRAY(a, bool, n);
    if (l->count == NULL || l->freed == NULL || l->fixed == NULL ||
        !least_allot(a, n, ofn, LENGTH(ofn)) ||
        !least_allot(a, (size_t)n * n, squares, LENGTH(squares)) ||
        !least_allot(a, q->groups, groups, LENGTH(groups)) ||
        !least_allot(a, (size_t)l->rows * n, stack, 1) ||
        !least_allot(a, l->rows, side, 1))
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        l->low[i] = least_coordinate(l, i, space_low(&l->space, i));
        l->high[i] = least_coordinate(l, i, space_high(&l->space, i));
        if (!least_logarithmic(l, i))
            continue;
        l->low[i] = cosy_max(l->low[i], -MOST_LOGARITHM);
        l->high[i] = cosy_min(l->high[i], MOST_LOGARITHM);
    }
    count_groups(l);
    *history = (SearchHistory){.n = n};
    l->ledger = (Ledger){.trial = &q->trial,
                         .history = history,
                         .wide = l->results,
                         .judge = judge,
                         .problem = l};
    return STATUS_OK;
}

Status least_point_make(const LeastPlan *l, LeastPoint *x)
{
    real **const ofn[] = {&x->z, &x->p, &x->pull};
    real **const ofm[] = {&x->rho};
    real **const outs[] = {&x->out};
    real **const levels[] = {&x->level};
    return least_allot(l->arena, l->n, ofn, LENGTH(ofn)) &&
                   least_allot(l->arena, l->m, ofm, 1) &&
                   least_allot(l->arena, l->results, outs, 1) &&
                   least_allot(l->arena, l->q->groups, levels, 1)
               ? STATUS_OK
               : STATUS_MEMORY;
}

void least_point_copy(const LeastPlan *l, LeastPoint *to,
                      const LeastPoint *from)
{
    memcpy(to->z, from->z, l->n * sizeof *to->z);
    memcpy(to->p, from->p, l->n * sizeof *to->p);
    memcpy(to->pull, from->pull, l->n * sizeof *to->pull);
    memcpy(to->out, from->out, l->results * sizeof *to->out);
    memcpy(to->rho, from->rho, l->m * sizeof *to->rho);
    memcpy(to->level, from->level, l->q->groups * sizeof *to->level);
    to->length = from->length;
    to->extent = from->extent;
    to->data = from->data;
}

/* ---- Noise ---------------------------------------------------------------------- */

static Status try_line(LeastPlan *l, const real *z, real *out, Status *each)
{
    uint32_t n = l->n;
    real *p = NEW_ARRAY(l->arena, real, (size_t)(NOISE_LINE + 1) * n);
    if (p == NULL)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        real step = noise_step(n) * least_typical(l, i, z[i]);
        if (z[i] + (real)(NOISE_LINE + 1) * step > l->high[i])
            step = -step;
        for (int k = 0; k <= NOISE_LINE; k++)
            p[(size_t)k * n + i] = least_parameter(l, i, z[i] + (real)k * step);
    }
    return ledger_many(&l->ledger, NOISE_LINE + 1, p, out, each);
}

/* What is near rounding is rounding. */
Status least_plan_noise(LeastPlan *l, const real *z)
{
    size_t results = l->results;
    real *out = NEW_ARRAY(l->arena, real, (NOISE_LINE + 1) * results);
    Status each[NOISE_LINE + 1];
    real noise = R(0.0), size = R(0.0);
    if (out == NULL)
        return STATUS_MEMORY;
    TRY(try_line(l, z, out, each));
    for (int k = 0; k <= NOISE_LINE; k++)
        if (each[k] != STATUS_OK)
            return STATUS_OK;
    for (uint32_t r = 0; r < l->m; r++) {
        real f[NOISE_LINE + 1];
        for (int k = 0; k <= NOISE_LINE; k++)
            f[k] = out[(size_t)k * results + r];
        size += f[0] * f[0] + l->q->y[r] * l->q->y[r];
        noise += cosy_square(noise_on_line(f));
    }
    if (size > R(0.0) && noise > size * cosy_square(R(1e3) * COSY_EPSILON))
        l->noise = cosy_max(l->noise, cosy_sqrt(noise / size));
    return STATUS_OK;
}
