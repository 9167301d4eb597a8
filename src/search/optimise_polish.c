/* Newton's method on the conditions of Kuhn and Tucker: gradient of the Lagrangian and
   active constraints are zero. First differences of all results give gradients and
   Hessians; later rounds only renew the gradients, by formulas of fourth order. Where
   trials have derivatives of their own, gradients are these, and Hessians differences
   of them.
   Parameters at a bound stay there. The new point replaces the best one only where it
   is as good as noise and rounding can tell. */

#include <assert.h>

#include "search/optimise_own.h"
#include "search/svd.h"

enum { MOST_FREE = 24, ROUNDS = 8 };

typedef struct Polish {
    BestSearch *s;
    uint32_t n, results;
    uint32_t *free; // coordinates that move
    uint32_t nf;
    uint32_t *active; // constraints
    uint32_t na;
    real *z, *out;   // the point
    real *h;         // steps of the free coordinates
    real *p, *batch; // points of a round, and their results
    Status *each;
    uint32_t count;
    real *raw;      // derivatives of their results by all parameters, or NULL
    real *gradient; // results x nf
    real *hessian;  // results x nf x nf
    real *lambda;   // of the active constraints
    real *kkt, *value, *right, *side, *step;
    real noise;   // relative
    real least;   // singular values that count are larger
    size_t row;   // of the point in the history
    bool *open;   // coordinates in directions that have no effect to be seen
    bool present; // gradient: that of the point, from its own trial
    bool lost;    // a trial has no derivatives
} Polish;

static real *numbers(Polish *y, size_t n, bool *ok)
{
    real *x = NEW_ARRAY(y->s->arena, real, n > 0 ? n : 1);
    *ok = *ok && x != NULL;
    return x;
}

static size_t stencil(const Polish *y)
{
    size_t n = y->nf;
    if (y->s->slopes)
        return 2 * n + 1;
    return 2 * n + n * (n - 1) > 4 * n ? n + n * n : 4 * n;
}

static Status make(Polish *y)
{
    size_t n = y->n, nf = y->nf, r = y->results, kkt = nf + y->s->constraints;
    Arena *a = y->s->arena;
    bool ok = true;
    y->out = numbers(y, r, &ok);
    y->h = numbers(y, nf, &ok);
    y->p = numbers(y, stencil(y) * n, &ok);
    y->batch = numbers(y, stencil(y) * r, &ok);
    y->gradient = numbers(y, r * nf, &ok);
    y->hessian = numbers(y, r * nf * nf, &ok);
    y->lambda = numbers(y, r, &ok);
    y->kkt = numbers(y, kkt * kkt, &ok);
    y->value = numbers(y, kkt, &ok);
    y->right = numbers(y, kkt * kkt, &ok);
    y->side = numbers(y, kkt, &ok);
    y->step = numbers(y, kkt, &ok);
    if (y->s->slopes)
        y->raw = numbers(y, stencil(y) * r * n, &ok);
    y->each = NEW_ARRAY(a, Status, stencil(y));
    y->active = NEW_ARRAY(a, uint32_t, r);
    y->open = NEW_ARRAY(a, bool, kkt);
    return ok && y->open != NULL && y->each != NULL && y->active != NULL
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* Coordinates at a bound go there exactly and stay, as do those without effect. */
static void choose_free(Polish *y)
{
    BestSearch *s = y->s;
    y->nf = 0;
    for (uint32_t i = 0; i < y->n; i++) {
        real low = best_low(s, i), high = best_high(s, i);
        bool at_low = y->z[i] - low <= R(1e-5);
        bool at_high = high - y->z[i] <= R(1e-5);
        if (at_low || at_high)
            y->z[i] = at_low ? low : high;
        else if (!s->answer->idle[i])
            y->free[y->nf++] = i;
    }
}

/* Steps by the length over which the value changes by its own size, within the
   bounds. */
static void choose_steps(Polish *y)
{
    BestSearch *s = y->s;
    for (uint32_t k = 0; k < y->nf; k++) {
        uint32_t i = y->free[k];
        real reach = cosy_sqrt(s->typical / cosy_abs(s->curvature[i]));
        if (!(reach < R(1.0)))
            reach = R(1.0);
        real room =
            cosy_min(y->z[i] - best_low(s, i), best_high(s, i) - y->z[i]);
        real h =
            y->s->slopes ? cosy_cbrt(y->noise) : cosy_sqrt(cosy_sqrt(y->noise));
        h *= reach;
        y->h[k] = cosy_min(h, room / R(2.0));
    }
}

/* ---- Differences ---------------------------------------------------------------------- */

/* Adds the point that lies a and b steps away along two of the free coordinates. */
static void add(Polish *y, uint32_t k, real a, uint32_t l, real b)
{
    real *z = y->z, one = z[y->free[k]], other = z[y->free[l]];
    z[y->free[k]] = one + a;
    if (l != k)
        z[y->free[l]] = other + b;
    best_point(y->s, z, y->p + (size_t)y->count * y->n);
    y->count++;
    z[y->free[l]] = other;
    z[y->free[k]] = one;
}

/* Evaluates the points that were added; *good: all trials went well. */
static Status evaluate(Polish *y, bool *good)
{
    *good = ledger_left(&y->s->ledger) > y->count;
    if (!*good)
        return STATUS_OK;
    if (y->s->slopes)
        TRY(ledger_many_slopes(&y->s->ledger, y->count, y->p, y->batch, y->raw,
                               y->each));
    else
        TRY(ledger_many(&y->s->ledger, y->count, y->p, y->batch, y->each));
    for (uint32_t k = 0; k < y->count; k++) {
        *good = *good && y->each[k] == STATUS_OK;
        y->lost = y->lost || (y->s->slopes && y->each[k] == STATUS_NUMBER);
    }
    return STATUS_OK;
}

/* Result r at a point, the objective with the sign that makes it small. */
static real result(const Polish *y, const real *out, uint32_t r)
{
    return r == 0 ? best_value(y->s, out) : best_constraint(y->s, out, r - 1);
}

static real at(const Polish *y, uint32_t point, uint32_t r)
{
    return result(y, y->batch + (size_t)point * y->results, r);
}

/* Derivative of result r at a point along a free coordinate, by the trial's own. */
static real own_slope(const Polish *y, uint32_t point, uint32_t r, uint32_t k)
{
    const BestSearch *s = y->s;
    const real *scale = s->q->constraint_scale;
    const real *p = y->p + (size_t)point * y->n;
    size_t row = (size_t)point * y->results + r;
    uint32_t i = y->free[k];
    real d = y->raw[row * y->n + i] * best_steepness(s, i, p);
    if (r == 0)
        return s->q->maximise ? -d : d;
    return scale == NULL ? d : d / scale[r - 1];
}

/* The gradient at a point, which is that of the search from now on. */
static void take_gradient(Polish *y, uint32_t point)
{
    for (uint32_t r = 0; r < y->results; r++)
        for (uint32_t k = 0; k < y->nf; k++)
            y->gradient[(size_t)r * y->nf + k] = own_slope(y, point, r, k);
    y->present = true;
}

/* Both sides of every coordinate, and the point itself. */
static Status form_hessian(Polish *y, bool *good)
{
    uint32_t n = y->nf;
    y->count = 0;
    for (uint32_t k = 0; k < n; k++) {
        add(y, k, y->h[k], k, R(0.0));
        add(y, k, -y->h[k], k, R(0.0));
    }
    add(y, 0, R(0.0), 0, R(0.0));
    TRY(evaluate(y, good));
    if (!*good)
        return STATUS_OK;
    take_gradient(y, 2 * n);
    for (uint32_t r = 0; r < y->results; r++) {
        real *hess = y->hessian + (size_t)r * n * n;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t l = 0; l <= k; l++) {
                real one = (own_slope(y, 2 * k, r, l) -
                            own_slope(y, 2 * k + 1, r, l)) /
                           (R(2.0) * y->h[k]);
                real other = (own_slope(y, 2 * l, r, k) -
                              own_slope(y, 2 * l + 1, r, k)) /
                             (R(2.0) * y->h[l]);
                hess[k * n + l] = hess[l * n + k] = (one + other) / R(2.0);
            }
    }
    return STATUS_OK;
}

/* Both sides of every coordinate, then both diagonals of every pair. */
static Status form_all(Polish *y, bool *good)
{
    uint32_t n = y->nf;
    y->count = 0;
    for (uint32_t k = 0; k < n; k++) {
        add(y, k, y->h[k], k, R(0.0));
        add(y, k, -y->h[k], k, R(0.0));
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t l = k + 1; l < n; l++) {
            add(y, k, y->h[k], l, y->h[l]);
            add(y, k, -y->h[k], l, -y->h[l]);
        }
    TRY(evaluate(y, good));
    if (!*good)
        return STATUS_OK;
    for (uint32_t r = 0; r < y->results; r++) {
        real *g = y->gradient + (size_t)r * n, f = result(y, y->out, r);
        real *hess = y->hessian + (size_t)r * n * n;
        uint32_t pair = 2 * n;
        for (uint32_t k = 0; k < n; k++) {
            real up = at(y, 2 * k, r), down = at(y, 2 * k + 1, r);
            g[k] = (up - down) / (R(2.0) * y->h[k]);
            hess[k * n + k] = (up - R(2.0) * f + down) / (y->h[k] * y->h[k]);
        }
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t l = k + 1; l < n; l++, pair += 2) {
                real sum = at(y, pair, r) + at(y, pair + 1, r) + R(2.0) * f -
                           at(y, 2 * k, r) - at(y, 2 * k + 1, r) -
                           at(y, 2 * l, r) - at(y, 2 * l + 1, r);
                hess[k * n + l] = hess[l * n + k] =
                    sum / (R(2.0) * y->h[k] * y->h[l]);
            }
    }
    return STATUS_OK;
}

/* Gradients of fourth order. The best step for them is longer than for Hessians by
   noise^(1/5 - 1/4). */
static Status form_gradients(Polish *y, bool *good)
{
    real longer = cosy_pow(y->noise, R(-0.05));
    if (y->present)
        return STATUS_OK;
    y->count = 0;
    for (uint32_t k = 0; k < y->nf; k++) {
        uint32_t i = y->free[k];
        real room =
            cosy_min(y->z[i] - best_low(y->s, i), best_high(y->s, i) - y->z[i]);
        real h = cosy_min(y->h[k] * longer, room / R(2.0));
        y->step[k] = h;
        for (int j = -2; j <= 2; j++)
            if (j != 0)
                add(y, k, (real)j * h, k, R(0.0));
    }
    TRY(evaluate(y, good));
    for (uint32_t r = 0; *good && r < y->results; r++)
        for (uint32_t k = 0; k < y->nf; k++) {
            real outer = at(y, 4 * k + 3, r) - at(y, 4 * k, r);
            real inner = at(y, 4 * k + 2, r) - at(y, 4 * k + 1, r);
            y->gradient[(size_t)r * y->nf + k] =
                (R(8.0) * inner - outer) / (R(12.0) * y->step[k]);
        }
    return STATUS_OK;
}

/* ---- The conditions -------------------------------------------------------------------- */

static const real *slope(const Polish *y, uint32_t c)
{
    return y->gradient + (size_t)(c + 1) * y->nf;
}

/* Constraints whose boundary is nearby. */
static void choose_active(Polish *y)
{
    y->na = 0;
    for (uint32_t c = 0; c < y->s->constraints; c++) {
        real value = best_constraint(y->s, y->out, c);
        bool near = value > R(-1e-4) * vector_norm(y->nf, slope(y, c));
        if (c >= y->s->q->inequalities || near)
            y->active[y->na++] = c;
    }
}

/* x that makes |M x - b| least, and as short as what M leaves open allows; M has `rows` rows and `columns` <= rows columns, and
   is lost. */
static void solve(Polish *y, uint32_t rows, uint32_t columns, const real *b,
                  real *x)
{
    svd_make(rows, columns, y->kkt, y->value, y->right);
    real least = y->least = y->value[0] * cosy_sqrt(y->noise) * R(1e-3);
    memset(x, 0, columns * sizeof *x);
    memset(y->open, 0, columns * sizeof *y->open);
    for (uint32_t c = 0; c < columns; c++) {
        real share = R(0.0);
        if (!(y->value[c] > least)) {
            for (uint32_t j = 0; j < columns; j++)
                y->open[j] |=
                    cosy_abs(y->right[j + (size_t)c * columns]) > R(0.01);
            continue;
        }
        for (uint32_t i = 0; i < rows; i++)
            share += y->kkt[i + (size_t)c * rows] * b[i];
        for (uint32_t j = 0; j < columns; j++)
            x[j] += share / y->value[c] * y->right[j + (size_t)c * columns];
    }
}

/* Multipliers by least squares. Inequalities that pull the wrong way are not active. */
static void find_lambda(Polish *y)
{
    for (bool again = true; again && y->na > 0;) {
        uint32_t kept = 0;
        again = false;
        for (uint32_t c = 0; c < y->na; c++)
            memcpy(y->kkt + (size_t)c * y->nf, slope(y, y->active[c]),
                   y->nf * sizeof *y->kkt);
        for (uint32_t k = 0; k < y->nf; k++)
            y->side[k] = -y->gradient[k];
        solve(y, y->nf, y->na, y->side, y->lambda);
        for (uint32_t c = 0; c < y->na; c++) {
            bool wrong =
                y->active[c] < y->s->q->inequalities && y->lambda[c] < R(0.0);
            again = again || wrong;
            if (!wrong)
                y->active[kept++] = y->active[c];
        }
        y->na = kept;
    }
}

/* H dz + A' lambda = -g, A dz = -c. */
static void find_step(Polish *y)
{
    uint32_t n = y->nf, all = n + y->na;
    memset(y->kkt, 0, (size_t)all * all * sizeof *y->kkt);
    for (uint32_t k = 0; k < n; k++) {
        y->side[k] = -y->gradient[k];
        for (uint32_t l = 0; l < n; l++) {
            real sum = y->hessian[k * n + l];
            for (uint32_t c = 0; c < y->na; c++)
                sum +=
                    y->lambda[c] *
                    y->hessian[(size_t)(y->active[c] + 1) * n * n + k * n + l];
            y->kkt[k + (size_t)l * all] = sum;
        }
    }
    for (uint32_t c = 0; c < y->na; c++) {
        y->side[n + c] = -best_constraint(y->s, y->out, y->active[c]);
        for (uint32_t k = 0; k < n; k++) {
            real a = slope(y, y->active[c])[k];
            y->kkt[n + c + (size_t)k * all] = a;
            y->kkt[k + (size_t)(n + c) * all] = a;
        }
    }
    solve(y, all, all, y->side, y->step);
    memcpy(y->lambda, y->step + n, y->na * sizeof *y->lambda);
}

static real longest(const Polish *y)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < y->nf; k++)
        most = cosy_max(most, cosy_abs(y->step[k]));
    return cosy_finite(most) ? most : COSY_INFINITY;
}

/* ---- Rounds ----------------------------------------------------------------------------- */

/* By how much the value may rise: noise, and what constraints cost that were not quite
   satisfied. */
static real allowance(const Polish *y)
{
    real sum = R(20.0) * y->noise * y->s->typical;
    for (uint32_t c = 0; c < y->na; c++)
        sum += R(2.0) * cosy_abs(y->lambda[c] *
                                 best_constraint(y->s, y->out, y->active[c]));
    return sum;
}

/* Evaluates y->z. *taken: it is no worse than the point before; it then is the best
   one. */
static Status take(Polish *y, const real *before, bool *taken)
{
    BestSearch *s = y->s;
    real value = best_value(s, before), violation = best_violation(s, before);
    real rounding = R(100.0) * COSY_EPSILON;
    Status each;
    size_t row = s->answer->history.count;
    *taken = false;
    if (ledger_left(&s->ledger) == 0)
        return STATUS_OK;
    best_point(s, y->z, y->p);
    if (s->slopes)
        TRY(ledger_slopes(&s->ledger, y->p, y->batch, y->raw, &each));
    else
        TRY(ledger_ask(&s->ledger, y->p, y->batch, &each));
    if (each != STATUS_OK ||
        best_violation(s, y->batch) > cosy_max(violation, rounding) ||
        best_value(s, y->batch) > value + allowance(y))
        return STATUS_OK;
    *taken = true;
    y->row = row;
    memcpy(y->out, y->batch, y->results * sizeof *y->out);
    if (s->slopes)
        take_gradient(y, 0);
    return STATUS_OK;
}

static void move(Polish *y)
{
    for (uint32_t k = 0; k < y->nf; k++) {
        uint32_t i = y->free[k];
        real to = y->z[i] + y->step[k];
        y->z[i] = cosy_min(cosy_max(to, best_low(y->s, i)), best_high(y->s, i));
    }
}

/* How far noise can move coordinate k: noise of the gradient over the singular values
   of the last step's matrix. A gradient of the trial's own scatters as the value
   does, with nothing that makes it more. */
static real noise_moves(const Polish *y, uint32_t k)
{
    uint32_t all = y->nf + y->na;
    real h = y->s->slopes ? R(0.3) : y->h[0], sum = R(0.0);
    for (uint32_t l = 1; l < y->nf && !y->s->slopes; l++)
        h = cosy_min(h, y->h[l]);
    for (uint32_t c = 0; c < all && y->value[c] > y->least; c++)
        sum += cosy_abs(y->right[k + (size_t)c * all]) / y->value[c];
    return sum * y->noise * y->s->typical / h;
}

/* The last step tells how well parameters are known, but not better than differences
   can. False: noise could move them anywhere, so these tell nothing. */
static bool set_errors(Polish *y, real last)
{
    BestSearch *s = y->s;
    real least = cosy_pow(y->noise, R(0.8));
    for (uint32_t k = 0; k < y->nf; k++)
        if (!y->open[k] && !(noise_moves(y, k) < R(0.01)))
            return false;
    for (uint32_t i = 0; i < y->n; i++)
        s->answer->error[i] = COSY_NAN;
    bool known = true;
    for (uint32_t k = 0; k < y->nf; k++) {
        uint32_t i = y->free[k];
        known = known && !y->open[k];
        bool logarithmic = s->q->logarithmic != NULL && s->q->logarithmic[i];
        real size = s->size[i] * (logarithmic ? y->p[i] : R(1.0));
        real z = cosy_max(cosy_max(last, least), noise_moves(y, k));
        if (!y->open[k])
            s->answer->error[i] = z * size;
    }
    s->answer->polished = known;
    return true;
}

/* Constraints that are active, and first multipliers; false if there are too many. */
static bool begin_conditions(Polish *y)
{
    choose_active(y);
    if (y->na > y->nf)
        return false;
    find_lambda(y);
    return true;
}

/* Curvatures of a smooth function hardly depend on the length over which they are
   taken: those of best_probe are taken over a longer one. */
static bool is_smooth(const Polish *y)
{
    const BestSearch *s = y->s;
    for (uint32_t k = 0; k < y->nf; k++) {
        real near = y->hessian[k * y->nf + k], far = s->curvature[y->free[k]];
        real larger = cosy_max(cosy_abs(near), cosy_abs(far));
        real apart = R(0.5) * larger + R(0.01) * s->typical;
        if (cosy_finite(far) &&
            cosy_abs(near - far) > apart + R(4e6) * s->noise)
            return false;
    }
    return true;
}

/* Steps have to become shorter quickly, as those of Newton's method do. Where they do
   not, the function is not smooth, and nothing is claimed. */
static Status rounds(Polish *y)
{
    real last = R(0.01), least = cosy_pow(y->noise, R(0.8));
    bool good = true, taken = false;
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 0)
            TRY(y->s->slopes ? form_hessian(y, &good) : form_all(y, &good));
        if (good)
            TRY(form_gradients(y, &good));
        if (!good || (round == 0 && (!is_smooth(y) || !begin_conditions(y))))
            return STATUS_OK;
        find_step(y);
        real step = longest(y);
        if (!(step < last))
            return STATUS_OK;
        move(y);
        TRY(take(y, y->out, &taken));
        if (!taken)
            return STATUS_OK;
        if (step <= R(10.0) * least || (round > 0 && step < last / R(10.0)))
            if (!set_errors(y, step))
                return STATUS_OK;
        if (step <= least)
            return STATUS_OK;
        last = step / R(2.0);
    }
    return STATUS_OK;
}

/* Points at bounds are evaluated there first. */
static Status begin(Polish *y, bool *good)
{
    BestSearch *s = y->s;
    SearchPoint best = ledger_best(&s->ledger);
    *good = true;
    y->row = s->ledger.best;
    memcpy(y->out, best.out, y->results * sizeof *y->out);
    best_point(s, y->z, y->p);
    if (memcmp(y->p, best.p, y->n * sizeof *y->p) != 0)
        TRY(take(y, y->out, good));
    return STATUS_OK;
}

Status best_polish(BestSearch *s)
{
    Polish y = {.s = s, .n = s->q->n, .results = s->constraints + 1};
    bool good = true;
    real tolerance = s->q->tolerance;
    if (!s->checked || tolerance >= R(1e-6) ||
        ledger_best(&s->ledger).violation > s->ledger.slack)
        return STATUS_OK;
    y.noise = cosy_max(s->noise / s->typical, COSY_EPSILON);
    y.z = numbers(&y, y.n, &good);
    y.free = NEW_ARRAY(s->arena, uint32_t, y.n);
    if (!good || y.free == NULL)
        return STATUS_MEMORY;
    best_z(s, ledger_best(&s->ledger).p, y.z);
    choose_free(&y);
    if (y.nf > MOST_FREE || y.noise > R(1e-4))
        return STATUS_OK;
    TRY(make(&y));
    TRY(begin(&y, &good));
    if (!good)
        return STATUS_OK;
    if (y.nf == 0) {
        s->ledger.best = y.row;
        return STATUS_OK;
    }
    choose_steps(&y);
    Status end = rounds(&y);
    /* Points of differences may violate constraints a little, and so seem better. */
    s->ledger.best = y.row;
    if (end != STATUS_OK || !y.lost)
        return end;
    s->slopes = false; // differences take their place
    return best_polish(s);
}
