#include "solve/growth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* R(z) = sum of weight[k - 1] / (1 - z/6)^k: its power series agrees with that
   of EXP(z) up to z^7. */
#define POLE (R(1.0) / R(6.0))
enum { POWERS = 8 };
static const real weight[POWERS] = {R(16.0) / R(35.0), R(-44.0) / R(5.0),
                                    R(232.0) / R(5.0), R(-112.0),
                                    R(140.0),          R(-458.0) / R(5.0),
                                    R(154.0) / R(5.0), R(-149.0) / R(35.0)};

/* A part of a step and its two halves may differ by this much relative to e. If
   they differ by far less, J hardly varies, and the next part is twice as
   long. */
#define NEAR_ENOUGH R(0.01)
#define VERY_NEAR   R(0.0005)
/* An error that has shrunk counts, down to this part of what it was. */
#define MUCH R(0.01)
enum { HALVINGS = 12 };

/* Without a pattern a Jacobian takes as many derivatives as there are states. */
enum { PATTERNLESS_MOST = 50 };

/* ---- Memory ----------------------------------------------------------------- */

Status growth_create(Growth *g, Solver *s, bool closely)
{
    memset(g, 0, sizeof *g);
    g->on = true;
    g->closely = closely;
    g->state.next = GROWTH_FIRST;
    TRY(solver_keep(s, "growth.state", &g->state, sizeof g->state));
    if (s->image)
        TRY(image_add_vector(s->image, s->arena, "growth.e", &g->e));
    if (!closely) { // steps allocate nothing
        size_t size = s->model->states * sizeof(real);
        return vector_reserve(&g->e, size) &&
                       vector_reserve(&g->work, GROWTH_POINTS * size)
                   ? STATUS_OK
                   : STATUS_MEMORY;
    }
    if (s->image) {
        TRY(image_add_vector(s->image, s->arena, "growth.size", &g->size));
        TRY(image_add_vector(s->image, s->arena, "growth.before", &g->before));
    }
    g->linear = linear_create(s->arena, NULL, "growth.matrix", false);
    if (!g->linear)
        return STATUS_MEMORY;
    return spectrum_create(&g->spectrum, s);
}

void growth_free(Growth *g)
{
    if (g->linear)
        linear_free(g->linear);
    spectrum_free(&g->spectrum);
    vector_free(&g->e);
    vector_free(&g->size);
    vector_free(&g->before);
    vector_free(&g->work);
}

static real *reals(Vector *v)
{
    return (real *)(void *)v->bytes;
}

/* Makes room for s->n states; errors of the states that stay are kept. */
static Status fit(Growth *g, const Solver *s)
{
    size_t size = s->n * sizeof(real);
    if (!vector_fit(&g->e, size) || !vector_fit(&g->size, size) ||
        !vector_fit(&g->work, (POWERS + 5) * size))
        return STATUS_MEMORY;
    g->state.n = s->n;
    return STATUS_OK;
}

/* ---- Over a step ------------------------------------------------------------ */

static real *point_of(Growth *g, const Solver *s, uint32_t k)
{
    return reals(&g->work) + (size_t)k * s->n;
}

/* J at a time t of the last step; false: there is none. */
static bool find_jacobian(Growth *g, Solver *s, real t)
{
    const CosyModel *m = s->model;
    real *x = point_of(g, s, POWERS), *dx = point_of(g, s, POWERS + 1);
    s->method->dense(s, t, x);
    if (!m->jacobian && !m->tangent && solver_rhs(s, t, x, dx) != STATUS_OK)
        return false;
    return spectrum_jacobian(&g->spectrum, s, t, x, dx) == STATUS_OK;
}

/* M/(h POLE) - J, factored. */
static bool factor(Growth *g, const Solver *s, real h)
{
    const Jacobian *j = &g->spectrum.jacobian;
    const uint32_t *start = j->dense ? NULL : (const void *)j->start.bytes;
    const uint32_t *row = j->dense ? NULL : (const void *)j->row.bytes;
    uint32_t column;
    if (g->shaped != s->n && linear_shape(g->linear, s->n, start, row))
        return false;
    g->shaped = s->n;
    jacobian_matrix(j, R(1.0) / (POLE * h), linear_values(g->linear));
    return linear_factor(g->linear, &column) == STATUS_OK;
}

/* to = from / (1 - h POLE J) */
static bool solve(Growth *g, const Solver *s, real h, const real *from,
                  real *to)
{
    const Jacobian *j = &g->spectrum.jacobian;
    if (j->has_mass)
        jacobian_mass_times(j, from, to);
    else
        memcpy(to, from, s->n * sizeof *to);
    for (uint32_t i = 0; i < s->n; i++)
        to[i] /= POLE * h;
    return linear_solve(g->linear, to) == STATUS_OK;
}

static real tolerance(const Growth *g, const Solver *s, uint32_t i)
{
    const real *size = (const real *)(const void *)g->size.bytes;
    return s->abserr[i] + s->options.relerr * cosy_max(size[i], s->size[i]);
}

/* Norm of a, or of a - b, in tolerances. */
static real norm(const Growth *g, const Solver *s, const real *a, const real *b)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < s->n; i++) {
        real one = cosy_abs(b ? a[i] - b[i] : a[i]) / tolerance(g, s, i);
        if (!(one <= most)) // also catches NaN
            most = one;
    }
    return most;
}

/* to = R(h J) from, with J in the middle; false: there is none. */
static bool carry(Growth *g, Solver *s, real t, real h, const real *from,
                  real *to)
{
    real *power[POWERS];
    if (!find_jacobian(g, s, t + R(0.5) * h) || !factor(g, s, h))
        return false;
    for (uint32_t k = 0; k < POWERS; k++) {
        power[k] = point_of(g, s, k);
        if (!solve(g, s, h, k == 0 ? from : power[k - 1], power[k]))
            return false;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        real sum = R(0.0);
        for (uint32_t k = 0; k < POWERS; k++)
            sum += weight[k] * power[k][i];
        to[i] = sum;
    }
    return true;
}

/* Carries e over a part of a step at once and in two halves, and extrapolates:
   the error of the midpoint goes with the square of the length, that of R is
   small in comparison. *apart is how much they differ, relative to e. */
static bool carry_part(Growth *g, Solver *s, real t, real h, real *next,
                       real *apart)
{
    real *e = reals(&g->e), half = R(0.5) * h;
    real *once = point_of(g, s, POWERS + 2),
         *twice = point_of(g, s, POWERS + 3);
    if (!carry(g, s, t, h, e, once) || !carry(g, s, t, half, e, next) ||
        !carry(g, s, t + half, half, next, twice))
        return false;
    real size = cosy_max(norm(g, s, twice, NULL), MUCH * norm(g, s, e, NULL));
    real way = norm(g, s, once, twice);
    *apart = size > R(0.0) ? way / size : R(0.0);
    for (uint32_t i = 0; i < s->n; i++)
        next[i] = twice[i] + (twice[i] - once[i]) / R(3.0);
    return true;
}

/* Goes from t0 to the end of the step, in parts as long as possible. */
static bool carry_all(Growth *g, Solver *s)
{
    real t = s->t0, part = s->t - s->t0, apart;
    real *next = point_of(g, s, POWERS + 4);
    uint32_t halved = 0;
    for (uint32_t left = 1; left > 0;) {
        if (!carry_part(g, s, t, part, next, &apart))
            return false;
        if (!(apart <= NEAR_ENOUGH) && halved < HALVINGS) {
            halved++;
            part *= R(0.5);
            left *= 2;
            continue;
        }
        memcpy(g->e.bytes, next, s->n * sizeof *next);
        t += part;
        left--;
        if (apart < VERY_NEAR && halved > 0 && left % 2 == 0) {
            halved--;
            part *= R(2.0);
            left /= 2;
        }
    }
    return true;
}

/* Adds the error of the step itself. */
static void add_local(Growth *g, Solver *s)
{
    real *e = reals(&g->e), *added = point_of(g, s, 0);
    if (!s->method->local || !s->method->local(s, added))
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (cosy_finite(added[i]))
            e[i] += added[i];
}

/* ---- What is known ---------------------------------------------------------- */

static void measure(Growth *g, const Solver *s)
{
    GrowthState *state = &g->state;
    real *e = reals(&g->e), *size = reals(&g->size);
    double most = GROWTH_SIZES / (double)s->options.relerr;
    for (uint32_t i = 0; i < s->n; i++)
        size[i] = cosy_max(size[i], cosy_abs(s->x[i]));
    double now = (double)norm(g, s, e, NULL);
    if (!isfinite(now)) {
        memset(e, 0, s->n * sizeof *e);
        state->lost = 1;
    }
    for (uint32_t i = 0; isfinite(now) && now > most && i < s->n; i++)
        e[i] *= (real)(most / now);
    now = state->lost || now > most ? most : now;
    state->now = now;
    state->t = (double)s->t;
    if (now > state->most) {
        state->most = now;
        state->most_at = state->t;
    }
    if (now <= GROWTH_ORDINARY || state->steps == 0) {
        state->from = state->t;
        state->base = now;
    }
    state->steps++;
}

static bool can_carry(const Solver *s)
{
    return s->n > 0 && s->model->derivatives && s->t != s->t0 &&
           (s->model->pattern || s->n <= PATTERNLESS_MOST);
}

Status growth_step(Growth *g, Solver *s)
{
    if (!can_carry(s))
        return STATUS_OK;
    SolverCounts counts = s->counts; // these evaluations are not the method's
    uint64_t refused = s->refused;
    uint32_t culprit = s->culprit;
    CosyStatus cause = s->cause;
    TRY(fit(g, s));
    s->aside = true;
    if (g->state.now > 0.0 && !carry_all(g, s))
        g->state.missed++;
    s->aside = false;
    add_local(g, s);
    measure(g, s);
    s->counts = counts;
    s->refused = refused;
    s->culprit = culprit;
    s->cause = cause;
    return STATUS_OK;
}

bool growth_rings(const Growth *g)
{
    return g->on && g->state.now >= GROWTH_RINGS && !g->state.left;
}

double growth_factor(const Growth *g)
{
    return g->state.now / fmax(g->state.base, 1.0);
}

void growth_words(const Growth *g, const Solver *s, char *text, size_t size)
{
    const GrowthState *k = &g->state;
    double relerr = (double)s->options.relerr;
    double left = -log10(relerr * k->now), asked = -log10(relerr);
    assert(k->now >= GROWTH_RINGS);
    snprintf(text, size,
             "errors have grown: from TIME = %.6g to %.6g those of the steps "
             "have become, or added up to, about %.1e times what RELERR and "
             "ABSERR allow, a factor of %.1e: of %.0f digits requested about "
             "%.0f are left. Compare with a run at a smaller RELERR, or with "
             "PRECISION = QUAD, or end it earlier: what is unstable or chaotic "
             "cannot be predicted for long",
             k->from, k->t, k->now, growth_factor(g), asked,
             left > 0.5 ? left : 0.0);
}
