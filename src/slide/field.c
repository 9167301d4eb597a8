#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "run/run.h"
#include "solve/dense.h"
#include "solve/linear.h"

/* The field of a run that slides or rests: entry points that replace the
   model's, and combine what these give on all sides of the surfaces. */

/* Up to this many states the Jacobian of a combined field is full and found by
   differences; beyond it, that of the sides is combined. */
#define FULL_MOST 1000

static Run *run_of(Cosy *c)
{
    return (Run *)(void *)((unsigned char *)c - offsetof(Run, instance));
}

const CosyModel *field_model(const Run *r)
{
    return r->code;
}

real *field_of(const Run *r, uint32_t k)
{
    uint32_t place =
        k < SLIDE_SIDES ? k + (FIELDS - SLIDE_SIDES) : k - SLIDE_SIDES;
    return (real *)(void *)r->slide.fields.bytes +
           (size_t)place * r->slide.length;
}

Status field_room(Run *r)
{
    Slide *s = &r->slide;
    size_t n = r->c->head->states, lists = 3 * (size_t)r->watch.room;
    size_t sides = s->state.surfaces < SLIDE_SURFACES
                       ? (size_t)2 << s->state.surfaces // room for one more
                       : SLIDE_SIDES;
    size_t points = FIELDS - SLIDE_SIDES + (sides < 4 ? 4 : sides);
    s->length = (uint32_t)n + 1;
    if (!vector_fit(&s->fields, points * (n + 1) * sizeof(real)) ||
        !vector_fit(&s->seen, (lists + 1) * sizeof(CosyCondition)) ||
        !keep_room(r) ||
        !vector_fit(&s->push,
                    (REST_MOST + BOUNCE_MOST) * (n + 1) * sizeof(real)))
        return STATUS_MEMORY;
    return STATUS_OK;
}

/* ---- Sides ------------------------------------------------------------------- */

static SlideSwitch *switches(const Run *r, size_t *count)
{
    *count = r->slide.switches.used / sizeof(SlideSwitch);
    return (SlideSwitch *)(void *)r->slide.switches.bytes;
}

static void set_attribute(Cosy *c, const SlideSwitch *k,
                          const unsigned char *value)
{
    uint32_t at = cosy_copy_find(c, k->process - 1, k->number);
    if (at != COSY_NONE)
        memcpy((unsigned char *)cosy_copy(c, k->process - 1, at) + k->place,
               value, k->size);
}

static void set(Cosy *c, const SlideSwitch *k, const unsigned char *value)
{
    if (k->size == 0)
        memcpy(&c->branch[k->place], value, sizeof c->branch[0]);
    else if (k->process)
        set_attribute(c, k, value);
    else
        memcpy((unsigned char *)c->data + k->place, value, k->size);
}

void field_sides(Run *r, uint32_t sides)
{
    size_t count;
    const SlideSwitch *k = switches(r, &count);
    for (; count-- > 0; k++)
        set(r->c, k, sides >> k->surface & 1u ? k->above : k->below);
}

uint32_t field_home(const Run *r)
{
    uint32_t home = 0;
    assert(r->slide.state.surfaces <= SLIDE_SURFACES);
    for (uint32_t k = 0; k < SLIDE_SURFACES && k < r->slide.state.surfaces; k++)
        home |= r->slide.state.surface[k].home << k;
    return home;
}

/* ---- Weights ------------------------------------------------------------------- */

const CosyCondition *field_find(const CosyCondition *list, uint32_t count,
                                uint32_t id, uint32_t copy)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k].id == id && list[k].copy == copy)
            return &list[k];
    return NULL;
}

CosyStatus field_rates(Run *r, real t, const real *x, const real *dx,
                       uint32_t which, CosyCondition **list, uint32_t *count)
{
    *list = (CosyCondition *)(void *)r->slide.seen.bytes +
            (size_t)which * r->watch.room;
    return field_model(r)->conditions(r->c, t, x, dx, *list, count);
}

/* z and z' of every surface on one combination of sides; a condition that does
   not exist there is taken from the home side. */
static CosyStatus rates_on(Run *r, real t, const real *x, uint32_t sides,
                           SlideMix *m)
{
    const SlideState *s = &r->slide.state;
    const real *dx = field_of(r, sides);
    uint32_t home = field_home(r), count;
    CosyCondition *list;
    bool missing = false;
    for (int round = 0; round < 2; round++) {
        field_sides(r, round ? home : sides);
        CosyStatus status = field_rates(r, t, x, dx, 0, &list, &count);
        field_sides(r, home);
        COSY_TRY(status);
        missing = false;
        for (uint32_t j = 0; j < s->surfaces; j++) {
            const CosyCondition *on =
                field_find(list, count, s->surface[j].id, s->surface[j].copy);
            missing |= !on || !cosy_finite(on->dz);
            if (!on)
                continue;
            m->z[j][sides] = on->z;
            m->dz[j][sides] = on->dz;
        }
        if (!missing)
            return COSY_OK;
    }
    return COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
}

real field_pull(const Run *r)
{
    const RunOptions *o = &r->options;
    real span = o->to_finish ? cosy_max(R(1.0), cosy_abs(r->c->head->t))
                             : cosy_abs(o->to - o->from);
    if (r->solver.method->features & METHOD_SAVES)
        return R(0.0);
    return R(100.0) / span * (real)r->direction;
}

static real pull(const Run *r, real z)
{
    return field_pull(r) * z;
}

/* p = p0 + p1 a + p2 b + p3 a b from its values at the corners. */
static void bilinear(const real corner[SLIDE_SIDES], real more, real p[4])
{
    p[0] = corner[0] + more;
    p[1] = corner[1] - corner[0];
    p[2] = corner[2] - corner[0];
    p[3] = corner[3] - corner[1] - corner[2] + corner[0];
}

/* Roots of q0 + q1 b + q2 b^2, at most two. */
static int roots(const real q[3], real b[2])
{
    real least = R(64.0) * COSY_EPSILON * (cosy_abs(q[0]) + cosy_abs(q[1]));
    if (cosy_abs(q[2]) <= least) {
        b[0] = -q[0] / q[1];
        return q[1] != R(0.0) ? 1 : 0;
    }
    real d = q[1] * q[1] - R(4.0) * q[2] * q[0];
    if (d < R(0.0))
        return 0;
    real w = -(q[1] + (q[1] < R(0.0) ? -cosy_sqrt(d) : cosy_sqrt(d))) / R(2.0);
    b[0] = w / q[2];
    b[1] = w != R(0.0) ? q[0] / w : b[0];
    return 2;
}

/* The weights a, b with which both z' are 0. Of two solutions it takes the one
   nearest to the weights at the last accepted point. */
static bool two_weights(const Run *r, SlideMix *m)
{
    uint32_t home = field_home(r);
    const SlideState *s = &r->slide.state;
    real p[4], q[4], b[2], nearest = COSY_REAL_MAX;
    bilinear(m->dz[0], pull(r, m->z[0][home]), p);
    bilinear(m->dz[1], pull(r, m->z[1][home]), q);
    const real square[3] = {q[0] * p[1] - p[0] * q[1],
                            q[0] * p[3] + q[2] * p[1] - p[0] * q[3] -
                                p[2] * q[1],
                            q[2] * p[3] - p[2] * q[3]};
    int count = roots(square, b);
    for (int k = 0; k < count; k++) {
        real up = p[1] + p[3] * b[k], vq = q[1] + q[3] * b[k];
        real a = cosy_abs(up) >= cosy_abs(vq) ? -(p[0] + p[2] * b[k]) / up
                                              : -(q[0] + q[2] * b[k]) / vq;
        real away = cosy_abs(a - s->surface[0].weight) +
                    cosy_abs(b[k] - s->surface[1].weight);
        if (cosy_finite(away) && away < nearest) {
            nearest = away;
            m->weight[0] = a;
            m->weight[1] = b[k];
        }
    }
    return nearest < COSY_REAL_MAX;
}

real field_share(const SlideMix *m, uint32_t surfaces, uint32_t sides,
                 uint32_t but)
{
    real share = R(1.0);
    for (uint32_t k = 0; k < surfaces; k++)
        if (k != but)
            share *= sides >> k & 1u ? m->weight[k] : R(1.0) - m->weight[k];
    return share;
}

/* One step of Newton's method for all z' = 0; *way is its length. */
static bool improve(const Run *r, SlideMix *m, real *way)
{
    uint32_t n = r->slide.state.surfaces, home = field_home(r);
    uint32_t pivot[SLIDE_SURFACES];
    real a[SLIDE_SURFACES * SLIDE_SURFACES], b[SLIDE_SURFACES];
    for (uint32_t k = 0; k < n; k++) {
        b[k] = -pull(r, m->z[k][home]);
        for (uint32_t c = 0; c < m->sides; c++)
            b[k] -= field_share(m, n, c, n) * m->dz[k][c];
        for (uint32_t j = 0; j < n; j++) {
            a[j * n + k] = R(0.0);
            for (uint32_t c = 0; c < m->sides; c++)
                a[j * n + k] += (c >> j & 1u ? R(1.0) : R(-1.0)) *
                                field_share(m, n, c, j) * m->dz[k][c];
        }
    }
    if (dense_factor(n, a, pivot) < n)
        return false;
    dense_solve(n, a, pivot, b);
    *way = R(0.0);
    for (uint32_t k = 0; k < n; k++) {
        m->weight[k] += b[k];
        *way = cosy_max(*way, cosy_abs(b[k]));
    }
    return cosy_finite(*way);
}

/* On three or more surfaces, starting from the weights of the last accepted
   point. */
static bool many_weights(const Run *r, SlideMix *m)
{
    const SlideState *s = &r->slide.state;
    real way = R(1.0);
    for (uint32_t k = 0; k < s->surfaces; k++)
        m->weight[k] = s->surface[k].weight;
    for (int i = 0; i < 30 && way > R(64.0) * COSY_EPSILON; i++)
        if (!improve(r, m, &way))
            return false;
    return way <= R(1e-12);
}

static bool weights(const Run *r, SlideMix *m)
{
    uint32_t home = field_home(r);
    const SlideState *s = &r->slide.state;
    if (s->surfaces > 2)
        return many_weights(r, m);
    if (s->surfaces == 2)
        return two_weights(r, m);
    real more = pull(r, m->z[0][home]);
    real below = m->dz[0][0] + more, above = m->dz[0][1] + more;
    m->weight[0] =
        below == above ? s->surface[0].weight : below / (below - above);
    return cosy_finite(m->weight[0]);
}

CosyStatus field_mix(Run *r, real t, const real *x, SlideMix *m)
{
    const SlideState *s = &r->slide.state;
    uint32_t home = field_home(r);
    CosyStatus status = COSY_OK;
    m->sides = 1u << s->surfaces;
    for (uint32_t k = 0; status == COSY_OK && k < m->sides; k++) {
        field_sides(r, k);
        status = field_model(r)->derivatives(r->c, t, x, field_of(r, k));
    }
    field_sides(r, home);
    COSY_TRY(status);
    m->share[0] = R(1.0);
    if (s->surfaces == 0)
        return COSY_OK;
    for (uint32_t k = 0; k < m->sides; k++)
        COSY_TRY(rates_on(r, t, x, k, m));
    if (!weights(r, m))
        return COSY_FAIL(COSY_SINGULAR, COSY_NOWHERE);
    for (uint32_t k = 0; k < m->sides; k++)
        m->share[k] = field_share(m, s->surfaces, k, s->surfaces);
    return COSY_OK;
}

/* ---- Entry points -------------------------------------------------------------- */

CosyStatus field_plain(Run *r, real t, const real *x, real *dx)
{
    SlideMix m;
    uint32_t n = r->c->head->states;
    if (r->slide.state.surfaces == 0)
        return field_model(r)->derivatives(r->c, t, x, dx);
    COSY_TRY(field_mix(r, t, x, &m));
    for (uint32_t i = 0; i < n; i++) {
        real sum = R(0.0);
        for (uint32_t k = 0; k < m.sides; k++)
            sum += m.share[k] * field_of(r, k)[i];
        dx[i] = sum;
    }
    return r->carried.n ? carry_rates(r, t, x, &m, dx) : COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    Run *r = run_of(c);
    COSY_TRY(field_plain(r, t, x, dx));
    return r->slide.state.rests ? rest_balance(r, t, x, dx) : COSY_OK;
}

static bool has_mean(const CosyVariable *v)
{
    return v->kind == COSY_ALGEBR && v->type == COSY_TYPE_REAL;
}

static void add_at(const CosyVariable *v, real share, const unsigned char *data,
                   unsigned char *sum, bool first)
{
    const real *from = (const real *)(const void *)(data + v->place);
    real *to = (real *)(void *)(sum + v->place);
    for (uint32_t i = 0; i < v->rows * v->columns; i++)
        to[i] = (first ? R(0.0) : to[i]) + share * from[i];
}

/* Algebraic variables are the weighted mean of their values on the sides; the
   sums are laid out like the data and the attributes of active copies. */
static void add_values(const Run *r, real share, bool first)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        uint32_t p = v->process;
        if (!has_mean(v))
            continue;
        if (p == COSY_NONE)
            add_at(v, share, r->c->data, keep_data(r, KEPT_MEAN), first);
        else
            for (uint32_t i = 0; i < r->c->copy[p].active; i++)
                add_at(v, share, (const void *)cosy_copy(r->c, p, i),
                       keep_attributes(r, KEPT_MEAN, p) +
                           (size_t)i * m->copies[p].size,
                       first);
    }
}

static void take_at(const CosyVariable *v, unsigned char *data,
                    const unsigned char *sum)
{
    memcpy(data + v->place, sum + v->place,
           v->rows * v->columns * sizeof(real));
}

static void take_values(const Run *r)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        uint32_t p = v->process;
        if (!has_mean(v))
            continue;
        if (p == COSY_NONE)
            take_at(v, r->c->data, keep_data(r, KEPT_MEAN));
        else
            for (uint32_t i = 0; i < r->c->copy[p].active; i++)
                take_at(v, (void *)cosy_copy(r->c, p, i),
                        keep_attributes(r, KEPT_MEAN, p) +
                            (size_t)i * m->copies[p].size);
    }
}

/* Values that have no mean are those of the home side. */
static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Run *r = run_of(c);
    const CosyModel *m = field_model(r);
    SlideMix mix;
    if (r->slide.state.surfaces == 0)
        return m->outputs(c, t, x);
    if (!keep_room(r))
        return COSY_NO_MEMORY;
    uint32_t home = field_home(r);
    CosyStatus status = field_mix(r, t, x, &mix);
    real *share = NULL;
    if (status == COSY_OK && r->carried.n)
        status = carry_shares(r, t, x, &mix, &share);
    keep_store(r, KEPT_SIDES);
    for (uint32_t i = 0; status == COSY_OK && i < mix.sides; i++) {
        uint32_t k = i ^ home ^ (mix.sides - 1); // home comes last
        keep_restore(r, KEPT_SIDES);
        field_sides(r, k);
        status = m->outputs(c, t, x);
        add_values(r, mix.share[k], i == 0);
        if (share)
            carry_values(r, share + (size_t)k * r->carried.n, r->c->data,
                         keep_data(r, KEPT_MEAN));
    }
    field_sides(r, home);
    if (status == COSY_OK)
        take_values(r);
    return status;
}

static CosyStatus relations(Cosy *c, real t, const real *x, int32_t *wanted)
{
    Run *r = run_of(c);
    size_t count;
    const SlideSwitch *k = switches(r, &count);
    COSY_TRY(field_model(r)->relations(c, t, x, wanted));
    for (; count-- > 0; k++)
        if (k->size == 0)
            wanted[k->place] = c->branch[k->place];
    return COSY_OK;
}

/* The input of a delay is the mean; the delay itself is that of the home side.
   */
static CosyStatus delays(Cosy *c, real t, const real *x, real *u, real *tau)
{
    Run *r = run_of(c);
    SlideMix m;
    uint32_t home = field_home(r), n = r->history.delays;
    COSY_TRY(field_model(r)->delays(c, t, x, u, tau));
    if (r->slide.state.surfaces == 0 || n > r->slide.length)
        return COSY_OK;
    COSY_TRY(field_mix(r, t, x, &m));
    real *one = field_of(r, FIELD_SHIFTED), *other = field_of(r, FIELD_OTHER);
    CosyStatus status = COSY_OK;
    for (uint32_t i = 0; i < n; i++)
        u[i] *= m.share[home];
    for (uint32_t k = 0; status == COSY_OK && k < m.sides; k++) {
        if (k == home)
            continue;
        field_sides(r, k);
        status = field_model(r)->delays(c, t, x, one, other);
        for (uint32_t i = 0; i < n; i++)
            u[i] += m.share[k] * one[i];
    }
    field_sides(r, home);
    return status;
}

/* ---- Conditions ------------------------------------------------------------------ */

static bool same_list(const CosyCondition *a, const CosyCondition *b,
                      uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (a[k].id != b[k].id || a[k].copy != b[k].copy)
            return false;
    return true;
}

/* The mean of the conditions that exist on all sides. */
static CosyStatus mean_conditions(Run *r, real t, const real *x, const real *dx,
                                  const SlideMix *m, CosyCondition *list,
                                  uint32_t count)
{
    uint32_t home = field_home(r);
    CosyStatus status = COSY_OK;
    bool same = true;
    CosyCondition *seen = NULL,
                  *sum = (CosyCondition *)(void *)r->slide.seen.bytes +
                         2 * (size_t)r->watch.room;
    memcpy(sum, list, count * sizeof *sum);
    for (uint32_t i = 0; i < count; i++)
        sum[i].z *= m->share[home], sum[i].dz *= m->share[home];
    for (uint32_t k = 0; same && status == COSY_OK && k < m->sides; k++) {
        uint32_t n = 0;
        if (k == home)
            continue;
        field_sides(r, k);
        status = field_rates(r, t, x, dx, 1, &seen, &n);
        same = n == count && same_list(seen, list, count);
        for (uint32_t i = 0; same && i < count; i++) {
            sum[i].z += m->share[k] * seen[i].z;
            sum[i].dz += m->share[k] * seen[i].dz;
        }
    }
    field_sides(r, home);
    if (same && status == COSY_OK)
        memcpy(list, sum, count * sizeof *sum);
    return status;
}

static bool muted(const Slide *s, const CosyCondition *k)
{
    size_t count = s->muted.used / sizeof(SlideMuted);
    const SlideMuted *m = (const SlideMuted *)(const void *)s->muted.bytes;
    for (; count-- > 0; m++)
        if (m->id == k->id && m->copy == k->copy)
            return true;
    return false;
}

static void leave_out(const Slide *s, CosyCondition *list, uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < *count; k++)
        if (!muted(s, &list[k]))
            list[n++] = list[k];
    *count = n;
}

real field_short_time(const Run *r)
{
    const Solver *s = &r->solver;
    real h = R(1e-4) * cosy_abs(s->t - s->t0);
    if (h == R(0.0) || r->state.running == 0)
        h = cosy_sqrt(COSY_EPSILON) *
            cosy_max(cosy_abs(s->t),
                     r->options.to_finish
                         ? R(1.0)
                         : cosy_abs(r->options.to - r->options.from));
    return h * (real)r->direction;
}

/* A weight that falls below 0 ends the slide downward, one above 1 upward. */
static CosyStatus surface_rows(Run *r, real t, const real *x, const real *dx,
                               const SlideMix *m, CosyCondition *list,
                               uint32_t *count)
{
    const SlideState *s = &r->slide.state;
    SlideMix later = *m;
    uint32_t row = r->slide.first_row;
    real h = field_short_time(r), *y = field_of(r, FIELD_SHIFTED);
    for (uint32_t i = 0; i < r->c->head->states; i++)
        y[i] = x[i] + h * dx[i];
    if (field_mix(r, t + h, y, &later) != COSY_OK)
        later = *m;
    for (uint32_t k = 0; k < s->surfaces; k++) {
        real w = m->weight[k], dw = (later.weight[k] - w) / h;
        list[(*count)++] =
            (CosyCondition){row + 2 * k, COSY_NONE, w, dw, R(0.0), R(0.0)};
        list[(*count)++] = (CosyCondition){
            row + 2 * k + 1, COSY_NONE, R(1.0) - w, -dw, R(0.0), R(0.0)};
    }
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    Run *r = run_of(c);
    const Slide *s = &r->slide;
    SlideMix m;
    COSY_TRY(field_model(r)->conditions(c, t, x, dx, list, count));
    if (s->state.surfaces) {
        COSY_TRY(field_mix(r, t, x, &m));
        COSY_TRY(mean_conditions(r, t, x, dx, &m, list, *count));
    }
    leave_out(s, list, count);
    if (s->state.surfaces)
        COSY_TRY(surface_rows(r, t, x, dx, &m, list, count));
    return s->state.rests ? rest_rows(r, t, x, dx, list, count) : COSY_OK;
}

/* ---- Jacobian ---------------------------------------------------------------------- */

/* For many states: the mean of the Jacobians of the sides, without the change
   of the weights. That is enough for Newton's method. */
static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    Run *r = run_of(c);
    const CosyModel *m = field_model(r);
    SlideMix mix;
    uint32_t count = 0, home = field_home(r);
    COSY_TRY(m->pattern(c, NULL, NULL, &count));
    COSY_TRY(field_mix(r, t, x, &mix));
    if (!vector_fit(&r->slide.entries, count * sizeof(real)))
        return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    real *one = (real *)(void *)r->slide.entries.bytes;
    CosyStatus status = COSY_OK;
    memset(value, 0, count * sizeof *value);
    for (uint32_t k = 0; status == COSY_OK && k < mix.sides; k++) {
        field_sides(r, k);
        status = m->jacobian(c, t, x, one);
        for (uint32_t i = 0; i < count; i++)
            value[i] += mix.share[k] * one[i];
    }
    field_sides(r, home);
    return status;
}

void field_install(Run *r)
{
    const CosyModel *m = field_model(r);
    bool full = r->c->head->states <= FULL_MOST;
    r->slide.installed = true;
    r->own.derivatives = derivatives;
    r->own.conditions = conditions;
    r->own.outputs = m->outputs ? outputs : NULL;
    r->own.relations = m->relations ? relations : NULL;
    r->own.delays = m->delays ? delays : NULL;
    r->own.tangent = NULL;
    r->own.jacobian = !full && m->jacobian ? jacobian : NULL;
    r->own.pattern = full ? NULL : m->pattern;
}

void field_remove(Run *r)
{
    const CosyModel *m = field_model(r);
    r->slide.installed = false;
    r->own.derivatives = m->derivatives;
    r->own.conditions = m->conditions;
    r->own.outputs = m->outputs;
    r->own.relations = m->relations;
    r->own.delays = m->delays;
    r->own.tangent = m->tangent;
    r->own.jacobian = m->jacobian;
    r->own.pattern = m->pattern;
}
