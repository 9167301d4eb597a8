#include <math.h>
#include <string.h>

#include "solve/growth.h"

/* Every few steps each run is examined, with one evaluation of the derivatives,
   for a motion that grows by itself in a lasting direction (a positive real
   eigenvalue of J whose vector turns far more slowly than it grows). Errors
   certainly grow like that motion. About everything else (oscillations, chaos)
   so few looks say nothing, and errors are assumed to die out.

   e points along the vector. J e comes from a difference quotient, and its part
   along e is the rate. J e draws e towards the vector, as in a power iteration.
   Looks come at irregular intervals, so that a periodic motion is not seen at
   the same phase each time. */

/* Steps from one look to the next, in turn; the first looks come soon. */
static const uint8_t strides[] = {37, 61, 47, 53, 71, 43};
enum { SOON = 32 };

/* The part of J e perpendicular to e may be this large; and e may turn by this
   much while it grows by a factor of 2.718. */
#define BESIDE  0.3
#define TURNING 0.1
/* No method follows what grows by more than this in a step. */
#define FOLLOWED 3.0

static real *point_of(Growth *g, const Solver *s, uint32_t k)
{
    return (real *)(void *)g->work.bytes + (size_t)k * s->n;
}

static Status fit(Growth *g, const Solver *s)
{
    size_t size = s->n * sizeof(real);
    if (!vector_fit(&g->e, size) || !vector_fit(&g->work, GROWTH_POINTS * size))
        return STATUS_MEMORY;
    if (g->state.n != s->n)
        g->state.sure = 0;
    g->state.n = s->n;
    return STATUS_OK;
}

static real tolerance(const Solver *s, uint32_t i)
{
    return s->abserr[i] +
           s->options.relerr * cosy_max(s->size[i], cosy_abs(s->x[i]));
}

/* Root of the sum of squares, in tolerances. */
static double length(const Solver *s, const real *e)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < s->n; i++) {
        double one = (double)(e[i] / tolerance(s, i));
        sum += one * one;
    }
    return sqrt(sum);
}

/* y = J e, by a difference over a distance that is small compared with the
   states; `size` is the length of e. */
static bool product(Growth *g, Solver *s, const real *e, double size, real *y)
{
    real *x = point_of(g, s, 1), *dx = s->dx;
    real way = cosy_sqrt(COSY_EPSILON) / (s->options.relerr * (real)size);
    if (!(s->method->features & METHOD_SAVES)) { // these do not keep it
        dx = point_of(g, s, 2);
        if (solver_rhs(s, s->t, s->x, dx) != STATUS_OK)
            return false;
    }
    for (uint32_t i = 0; i < s->n; i++)
        x[i] = s->x[i] + way * e[i];
    if (solver_rhs(s, s->t, x, y) != STATUS_OK)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        y[i] = (y[i] - dx[i]) / way;
    return true;
}

/* The parts of J e along e and perpendicular to it, in tolerances, both per
   length of e. */
typedef struct Parts {
    double along, beside;
} Parts;

static Parts parts_of(const Solver *s, const real *e, const real *y,
                      double size)
{
    double ey = 0.0, yy = 0.0;
    for (uint32_t i = 0; i < s->n; i++) {
        double unit = (double)tolerance(s, i);
        double a = (double)e[i] / unit / size, b = (double)y[i] / unit / size;
        ey += a * b;
        yy += b * b;
    }
    return (Parts){ey, s->n == 1 ? 0.0 : sqrt(fmax(0.0, yy - ey * ey))};
}

/* A vector that seems to grow need not do so: an oscillation between units of
   different size, or a drift, looks the same for a while. J J e = rate J e
   holds only for one that really grows. */
static bool confirmed(Growth *g, Solver *s, const real *y, double rate)
{
    real *again = point_of(g, s, 3);
    double size = length(s, y);
    if (s->n == 1)
        return true;
    if (!(size > 0.0) || !product(g, s, y, size, again))
        return false;
    Parts p = parts_of(s, y, again, size);
    return fabs(p.along - rate) <= BESIDE * fabs(rate) &&
           p.beside <= BESIDE * fabs(rate);
}

/* True if e points along a vector that grows, and has done so for dt. */
static bool is_sure(Growth *g, Solver *s, const Parts *p, const real *y,
                    double dt)
{
    const GrowthState *k = &g->state;
    double rate = p->along * s->direction;
    double steps = (double)(s->counts.steps - k->last);
    return rate > 0.0 && p->beside <= BESIDE * rate &&
           p->beside <= TURNING * rate * rate * dt &&
           rate * dt <= FOLLOWED * steps && confirmed(g, s, y, p->along);
}

/* Moves e a little closer to the vector, and makes it as long as the estimate
   says. */
static void draw(const Solver *s, real *e, const real *y, double pull,
                 double size)
{
    for (uint32_t i = 0; i < s->n; i++)
        e[i] += (real)pull * y[i];
    real scale = (real)(size / fmax(length(s, e), 1e-300));
    for (uint32_t i = 0; i < s->n; i++)
        e[i] *= scale;
}

/* The error that a step adds; if there is none yet, that of this step. */
static double local_error(Growth *g, Solver *s)
{
    real *e = (real *)(void *)g->e.bytes, *added = point_of(g, s, 0);
    if (!s->method->local || !s->method->local(s, added))
        return 0.0;
    double size = length(s, added);
    if (g->state.now == 0.0)
        memcpy(e, added, s->n * sizeof *e);
    return isfinite(size) ? size : 0.0;
}

/* How e has changed over dt, if it is known to have a lasting direction;
   otherwise everything that can decay has decayed. The effect of an event is
   not known at all: from there on only what is added counts. */
#define GONE (-700.0)

static double change(const GrowthState *k, const Parts *p, bool sure, double dt,
                     uint32_t n)
{
    if (k->broken)
        return GONE;
    if (n == 1 || (sure && k->sure))
        return 0.5 * (k->rate + p->along) * dt;
    return -hypot(p->along, p->beside) * dt;
}

/* What was there at the start has grown all the time, what was added since then
   half of it. */
static double grown(double size, double added, double by, double most)
{
    double half = exp(0.5 * fmin(by, 700.0));
    double now = size * half * half;
    if (by > 0.0)
        now += added * half;
    return fmin(fmax(now, added), most);
}

static void note(GrowthState *k, double now, double t)
{
    k->now = now;
    k->t = t;
    if (now > k->most) {
        k->most = now;
        k->most_at = t;
    }
    if (now <= GROWTH_ORDINARY || k->steps == 0) {
        k->from = t;
        k->base = now;
    }
    k->steps++;
}

static void look(Growth *g, Solver *s)
{
    GrowthState *k = &g->state;
    real *e = (real *)(void *)g->e.bytes, *y = point_of(g, s, 0);
    double added = local_error(g, s), t = (double)s->t;
    double size = length(s, e), dt = fabs(t - k->t);
    double most = GROWTH_SIZES / (double)s->options.relerr;
    if (!(size > 0.0) || !isfinite(size) || !product(g, s, e, size, y)) {
        k->sure = 0;
        k->missed++;
        return;
    }
    Parts p = parts_of(s, e, y, size);
    double far = hypot(p.along, p.beside);
    bool sure = is_sure(g, s, &p, y, dt);
    p.along *= s->direction;
    double by = k->steps ? change(k, &p, sure, dt, s->n) : 0.0;
    k->bound = fmax(0.9 * k->bound, far);
    double now = grown(fmin(size, most), added, by, most);
    draw(s, e, y, k->bound > 0.0 ? s->direction / k->bound : 0.0, now);
    k->rate = p.along;
    k->sure = sure;
    k->last = s->counts.steps;
    k->broken = 0;
    note(k, now, t);
}

static uint64_t next_look(const GrowthState *k, uint64_t steps)
{
    return steps < SOON ? 2 * steps
                        : steps + strides[k->steps % sizeof strides];
}

Status growth_look(Growth *g, Solver *s)
{
    GrowthState *k = &g->state;
    SolverCounts counts = s->counts; // these evaluations are not the method's
    uint64_t refused = s->refused;
    uint32_t culprit = s->culprit;
    CosyStatus cause = s->cause;
    k->next = next_look(k, counts.steps);
    if (s->n == 0 || !s->model->derivatives || s->options.step != R(0.0) ||
        s->model->mass_kind != COSY_MASS_IDENTITY)
        return STATUS_OK;
    if (k->n != s->n || g->work.used < GROWTH_POINTS * s->n * sizeof(real))
        TRY(fit(g, s));
    look(g, s);
    s->counts = counts;
    s->refused = refused;
    s->culprit = culprit;
    s->cause = cause;
    return STATUS_OK;
}

Status growth_end(Growth *g, Solver *s)
{
    const GrowthState *k = &g->state;
    bool grows = k->rate > 0.0 && (k->sure || k->n == 1);
    if (g->closely || !grows || k->last == s->counts.steps)
        return STATUS_OK;
    return growth_look(g, s);
}
