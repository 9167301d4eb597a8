/* One search: a trust region around the best point so far. It asks for trials and is
   given their results, so that many searches go on side by side. */

#include <assert.h>

#include "search/least_own.h"
#include "search/svd.h"

/* The share of a step at which the curvature is measured. */
#define BEND_WAY R(0.1)

/* The least share of the largest effect that a parameter is measured by. */
#define LEAP R(1e-2)

/* The first radius, by the length of the start. */
#define FIRST_RADIUS R(1.0)

Status least_seat_make(LeastSeat *s, LeastPlan *l)
{
    uint32_t n = l->n;
    *s = (LeastSeat){.plan = l, .pinned = n, .phase = LEAST_PHASE_OVER};
    TRY(least_point_make(l, &s->here));
    TRY(least_point_make(l, &s->there));
    TRY(least_linear_make(l, &s->linear));
    TRY(least_linear_make(l, &s->fresh));
    TRY(least_mix_make(l, &s->mix));
    real **const ofn[] = {&s->d, &s->step.s};
    real **const twice[] = {&s->offset};
    real **const slopes[] = {&s->slope};
    s->missing = NEW_ARRAY(l->arena, bool, n);
    s->column = NEW_ARRAY(l->arena, uint32_t, 2 * (size_t)n);
    if (s->missing == NULL || s->column == NULL ||
        !least_allot(l->arena, n, ofn, LENGTH(ofn)) ||
        !least_allot(l->arena, 2 * (size_t)n, twice, 1) ||
        !least_allot(l->arena, (size_t)n * l->results, slopes, 1))
        return STATUS_MEMORY;
    return STATUS_OK;
}

void least_seat_begin(LeastSeat *s, uint32_t pinned, real tolerance,
                      size_t most)
{
    LeastPlan *l = s->plan;
    s->phase = LEAST_PHASE_FIRST;
    s->end = LEAST_FAILED;
    s->pinned = pinned;
    s->tolerance = tolerance;
    s->enough = R(0.0);
    s->most = most;
    s->trials = 0;
    s->steps = s->walls = s->slow = s->polished = 0;
    s->found = s->known = s->central = s->polishing = s->bending = false;
    s->with = l->sloped;
    s->radius = R(0.0);
    least_mix_forget(&s->mix);
    memset(s->d, 0, l->n * sizeof *s->d);
}

static void finish(LeastSeat *s, LeastEnd end)
{
    s->end = end;
    s->phase = LEAST_PHASE_OVER;
}

/* What rounding of results and parameters, or the trial's noise, changes the cost
   by. */
static real cost_noise(const LeastSeat *s)
{
    real extent = s->here.extent;
    for (uint32_t j = 0; j < s->plan->n; j++)
        if (s->known && !least_logarithmic(s->plan, j))
            extent += s->linear.reach[j] * cosy_abs(s->here.z[j]);
    real each = s->plan->noise * extent;
    return each * (s->here.length + each);
}

/* ---- Differences ------------------------------------------------------------------ */

static void begin_differences(LeastSeat *s)
{
    for (uint32_t j = 0; j < s->plan->n; j++)
        s->missing[j] = j != s->pinned;
    memset(s->slope, 0,
           (size_t)s->plan->n * s->plan->results * sizeof *s->slope);
    s->attempt = 0;
    s->with = false;
    s->phase = LEAST_PHASE_DIFFER;
}

static void ask_moved(LeastSeat *s, uint32_t j, real dz, real *p)
{
    const LeastPlan *l = s->plan;
    real *row = p + (size_t)s->asked * l->n;
    memcpy(row, s->here.p, l->n * sizeof *row);
    row[j] = least_parameter(l, j, s->here.z[j] + dz);
    s->offset[s->asked] = row[j] - s->here.p[j];
    s->column[s->asked++] = j;
}

/* On both sides, or twice on the one where there is room. */
static void ask_column(LeastSeat *s, uint32_t j, real *p)
{
    static const real shares[] = {R(1.0), R(-1.0), R(0.0625), R(-0.0625)};
    const LeastPlan *l = s->plan;
    bool both = s->central && s->attempt == 0;
    real z = s->here.z[j];
    real h = both ? cosy_cbrt(l->noise) : cosy_sqrt(l->noise);
    h *= least_typical(l, j, z) * shares[s->attempt];
    if (!both) {
        bool inside = z + h >= l->low[j] && z + h <= l->high[j];
        ask_moved(s, j, inside ? h : -h, p);
        return;
    }
    bool up = z + h <= l->high[j], down = z - h >= l->low[j];
    ask_moved(s, j, up ? h : -h, p);
    ask_moved(s, j, up && down ? -h : up ? R(2.0) * h : -R(2.0) * h, p);
}

static void ask_differences(LeastSeat *s, real *p)
{
    s->asked = 0;
    for (uint32_t j = 0; j < s->plan->n; j++)
        if (s->missing[j])
            ask_column(s, j, p);
}

static bool take_one_sided(LeastSeat *s, uint32_t k, const real *out)
{
    const LeastPlan *l = s->plan;
    real *slope = s->slope + (size_t)s->column[k] * l->results;
    if (s->offset[k] == R(0.0))
        return false;
    for (uint32_t r = 0; r < l->results; r++)
        slope[r] = (out[r] - s->here.out[r]) / s->offset[k];
    return true;
}

/* The slope at 0 of the parabola through the point and two others. */
static bool take_pair(LeastSeat *s, uint32_t k, const real *out)
{
    const LeastPlan *l = s->plan;
    real *slope = s->slope + (size_t)s->column[k] * l->results;
    real a = s->offset[k], b = s->offset[k + 1];
    if (a == R(0.0) || b == R(0.0) || a == b)
        return false;
    for (uint32_t r = 0; r < l->results; r++) {
        real fa = out[r] - s->here.out[r];
        real fb = out[l->results + r] - s->here.out[r];
        slope[r] = (fa * b / a - fb * a / b) / (b - a);
    }
    return true;
}

static void take_columns(LeastSeat *s, const real *out, const Status *each)
{
    bool both = s->central && s->attempt == 0;
    for (uint32_t k = 0; k < s->asked; k += both ? 2 : 1) {
        const real *row = out + (size_t)k * s->plan->results;
        bool good = each[k] == STATUS_OK;
        if (both)
            good = good && each[k + 1] == STATUS_OK && take_pair(s, k, row);
        else
            good = good && take_one_sided(s, k, row);
        s->missing[s->column[k]] = !good;
    }
}

/* Slopes that came with the results, by rows. */
static bool take_slopes(LeastSeat *s, const real *slope)
{
    const LeastPlan *l = s->plan;
    for (uint32_t j = 0; j < l->n; j++)
        for (uint32_t r = 0; r < l->results; r++)
            s->slope[(size_t)j * l->results + r] = slope[(size_t)r * l->n + j];
    return least_linearise(s->plan, &s->here, s->slope, &s->linear);
}

/* ---- Steps ------------------------------------------------------------------------- */

static void seek_slopes(LeastSeat *s)
{
    s->known = false;
    if (!s->plan->sloped) {
        begin_differences(s);
        return;
    }
    s->with = true;
    s->phase = LEAST_PHASE_SLOPES;
}

static void exchange_points(LeastSeat *s)
{
    LeastPoint point = s->here;
    LeastLinear linear = s->linear;
    s->here = s->there;
    s->linear = s->fresh;
    s->there = point;
    s->fresh = linear;
}

/* Whether the step changes nothing that counts. */
static bool is_small(const LeastSeat *s, real tolerance)
{
    const LeastPlan *l = s->plan;
    for (uint32_t j = 0; j < l->n; j++)
        if (cosy_abs(s->step.s[j]) >
            tolerance * least_typical(l, j, s->here.z[j]))
            return false;
    return true;
}

/* Differences on both sides are accurate to a higher power of the noise. */
static bool turn_central(LeastSeat *s)
{
    if (s->plan->sloped || s->central || s->enough > R(0.0))
        return false;
    s->central = true;
    least_mix_forget(&s->mix);
    s->polished = 0;
    s->radius = R(100.0) * cosy_max(s->radius, s->step.length);
    seek_slopes(s);
    return true;
}

static void converge(LeastSeat *s)
{
    if (!turn_central(s))
        finish(s, LEAST_FOUND);
}

static void go_there(LeastSeat *s, real share)
{
    const LeastPlan *l = s->plan;
    for (uint32_t j = 0; j < l->n; j++) {
        real z = s->here.z[j] + share * s->step.s[j];
        s->there.z[j] = cosy_min(cosy_max(z, l->low[j]), l->high[j]);
    }
}

static void try_step(LeastSeat *s)
{
    s->mixed = false;
    bool near = s->step.predicted < R(1e-2) * cosy_square(s->here.length);
    if (s->step.whole && !s->step.held && near)
        s->mixed = least_mix(s->plan, &s->mix, &s->step);
    else
        least_mix_forget(&s->mix);
    go_there(s, R(1.0));
    s->promised = s->step.predicted;
    s->with = s->plan->sloped && s->slow == 0;
    s->phase = LEAST_PHASE_TRY;
}

/* Where straight steps do badly, a trial on the way tells how predictions bend. */
static void look_ahead(LeastSeat *s)
{
    go_there(s, BEND_WAY);
    s->with = false;
    s->phase = LEAST_PHASE_BEND;
}

/* The step of Gauss and Newton within the radius, and what it changes. */
static void measure(LeastSeat *s)
{
    s->step.linear = &s->linear;
    s->step.z = s->here.z;
    s->step.d = s->d;
    s->step.radius = s->radius;
    s->step.pinned = s->pinned;
    least_step(s->plan, &s->step);
    s->decrement = least_decrement(s->plan, &s->step);
}

/* A mixed step that did not help says nothing about the others. */
static void forget_mixed(LeastSeat *s)
{
    least_mix_forget(&s->mix);
    measure(s);
    try_step(s);
}

/* Where costs no longer tell points apart, slopes do: the steps go on as long as they
   shrink. */
static void polish(LeastSeat *s, real before)
{
    enum { MOST_STEPS = 100 };
    const LeastPlan *l = s->plan;
    real floor = l->noise * s->here.extent;
    if (!l->sloped)
        floor = cosy_max(floor,
                         cosy_pow(l->noise, R(2.0) / R(3.0)) * s->here.length);
    if (s->polished > 0 && s->decrement > R(0.9) * before) {
        if (s->decrement > before)
            exchange_points(s);
        if (s->mixed && s->polished < MOST_STEPS) {
            forget_mixed(s);
            return;
        }
        s->decrement = cosy_min(s->decrement, before);
        converge(s);
        return;
    }
    if (s->decrement <= floor * R(0.01) || s->polished >= MOST_STEPS ||
        (s->tolerance > R(0.0) && s->polished > 0)) {
        converge(s);
        return;
    }
    if (!turn_central(s))
        try_step(s);
}

/* A hundred million times as large as where parameters began, nothing is to be found. */
static bool is_lost(const LeastSeat *s)
{
    const LeastPlan *l = s->plan;
    for (uint32_t j = 0; j < l->n; j++) {
        real far = R(1e10) * least_typical(l, j, R(0.0));
        bool bounded = cosy_finite(l->high[j] - l->low[j]);
        if (least_logarithmic(l, j) ? cosy_abs(s->here.z[j]) > R(250.0)
                                    : !bounded && cosy_abs(s->here.z[j]) > far)
            return true;
    }
    return false;
}

static void choose(LeastSeat *s)
{
    real before = s->decrement;
    measure(s);
    if (is_lost(s)) {
        finish(s, LEAST_ENDLESS);
        return;
    }
    if (!(s->step.length > R(0.0)) || !(s->decrement > R(0.0)) ||
        s->here.length <= s->exact) {
        converge(s);
        return;
    }
    bool little = s->step.predicted <= s->enough;
    if (s->step.whole && (little || is_small(s, s->tolerance))) {
        converge(s);
        return;
    }
    if (!s->polishing && s->step.whole &&
        s->step.predicted <= R(4.0) * cost_noise(s)) {
        s->polishing = true;
        s->radius = R(100.0) * cosy_max(s->radius, s->step.length);
        measure(s);
    }
    if (s->polishing)
        polish(s, before);
    else if (s->bending && !s->step.whole && !s->step.steep)
        look_ahead(s);
    else
        try_step(s);
}

/* Parameters are measured by the most that they have changed results by; one that
   does next to nothing here still does not leap. */
static void scale(LeastSeat *s)
{
    const LeastPlan *l = s->plan;
    real most = R(0.0);
    for (uint32_t j = 0; j < l->n; j++)
        most = cosy_max(most,
                        s->linear.norm[j] * least_typical(l, j, s->here.z[j]));
    for (uint32_t j = 0; j < l->n; j++) {
        real least = LEAP * most / least_typical(l, j, s->here.z[j]);
        s->d[j] = cosy_max(s->d[j], cosy_max(s->linear.norm[j], least));
        if (!(s->d[j] > R(0.0)))
            s->d[j] = R(1.0);
    }
}

/* The slopes at the point are known. */
static void go_on(LeastSeat *s)
{
    real length = R(0.0);
    s->known = true;
    scale(s);
    for (uint32_t j = 0; j < s->plan->n; j++)
        length += cosy_square(s->d[j] * s->here.z[j]);
    if (s->radius == R(0.0))
        s->radius =
            length > R(0.0) ? FIRST_RADIUS * cosy_sqrt(length) : FIRST_RADIUS;
    choose(s);
}

static void accept(LeastSeat *s, const real *slope)
{
    exchange_points(s);
    s->steps++;
    s->slow = 0;
    if (s->polishing)
        s->polished++;
    if (s->with && take_slopes(s, slope))
        go_on(s);
    else
        seek_slopes(s);
}

/* The largest cosine of the residuals with a column: how much of a slope is left. */
static real steepness(const LeastSeat *s)
{
    const LeastPlan *l = s->plan;
    real most = R(0.0);
    for (uint32_t j = 0; j < l->n; j++) {
        real g = R(0.0), z = s->here.z[j];
        for (uint32_t i = 0; i <= j; i++)
            g += s->linear.r[i + (size_t)j * l->n] * s->linear.c[i];
        bool held = z == (g > R(0.0) ? l->high[j] : l->low[j]);
        if (j != s->pinned && !held && s->linear.norm[j] > R(0.0))
            most = cosy_max(most, cosy_abs(g) / s->linear.norm[j]);
    }
    return most / s->here.length;
}

/* Steps have become as short as numbers can tell: is this the optimum? */
static void give_up(LeastSeat *s)
{
    if (turn_central(s))
        return;
    s->radius = COSY_REAL_MAX / R(1e10);
    measure(s);
    real flat = cosy_min(R(1e3) * cosy_sqrt(s->plan->noise), R(0.01));
    if (s->decrement <= R(0.01) * s->here.length || steepness(s) <= flat ||
        s->step.predicted <= R(4.0) * cost_noise(s))
        finish(s, LEAST_FOUND);
    else
        finish(s, s->walls > s->slow / 2 ? LEAST_FAILED : LEAST_STUCK);
}

static void reject(LeastSeat *s, real share)
{
    enum { PATIENCE = 12 };
    const LeastPlan *l = s->plan;
    real length = R(0.0);
    s->slow++;
    s->radius = share * s->step.length;
    if (s->polishing) {
        s->with = false;
        converge(s);
        return;
    }
    for (uint32_t j = 0; j < l->n; j++)
        length += cosy_square(s->d[j] * s->here.z[j]);
    bool close =
        s->decrement <= R(1e-3) * s->here.length && is_small(s, R(1e-3));
    if (close && turn_central(s))
        return;
    bool tiny = s->radius <= COSY_EPSILON * cosy_sqrt(length) ||
                s->radius <= COSY_REAL_MIN;
    bool small = close || is_small(s, cosy_sqrt(l->noise));
    if (tiny || (s->slow > PATIENCE && small))
        give_up(s);
    else
        choose(s);
}

/* Judges the end of a step; see least_step for what it was to bring. */
static void judge(LeastSeat *s, const real *slope)
{
    real drop = least_drop(s->plan, &s->here, &s->there);
    real ratio = drop / s->promised, length = s->step.length;
    if (s->polishing) {
        if (drop < -R(8.0) * cost_noise(s))
            reject(s, R(0.25));
        else
            accept(s, slope);
        return;
    }
    if (s->mixed && !(ratio > R(1e-4))) {
        forget_mixed(s);
        return;
    }
    if (!s->step.whole)
        s->bending = s->bending || !(ratio > R(0.75));
    else if (ratio > R(0.75))
        s->bending = false;
    if (!(ratio > R(1e-4))) {
        reject(s, R(0.25));
        return;
    }
    if (ratio < R(0.25))
        s->radius = R(0.5) * length;
    else if (ratio > R(0.75) || s->step.whole)
        s->radius = s->step.whole ? R(2.0) * length
                                  : cosy_max(s->radius, R(2.0) * length);
    accept(s, slope);
}

/* ---- Trials ------------------------------------------------------------------------ */

static void parameters_of(const LeastPlan *l, LeastPoint *x)
{
    for (uint32_t j = 0; j < l->n; j++)
        x->p[j] = least_parameter(l, j, x->z[j]);
}

uint32_t least_seat_ask(LeastSeat *s, real *p)
{
    const LeastPlan *l = s->plan;
    bool there = s->phase == LEAST_PHASE_TRY || s->phase == LEAST_PHASE_BEND;
    LeastPoint *x = there ? &s->there : &s->here;
    assert(s->phase != LEAST_PHASE_OVER);
    if (s->phase == LEAST_PHASE_DIFFER) {
        ask_differences(s, p);
    } else {
        parameters_of(l, x);
        memcpy(p, x->p, l->n * sizeof *p);
        s->asked = 1;
    }
    if (s->trials + s->asked > s->most) {
        finish(s, LEAST_MOST);
        return 0;
    }
    s->trials += s->asked;
    return s->asked;
}

static void take_differences(LeastSeat *s, const real *out, const Status *each)
{
    enum { ATTEMPTS = 4 };
    bool more = false;
    take_columns(s, out, each);
    for (uint32_t j = 0; j < s->plan->n; j++)
        more = more || s->missing[j];
    if (more && ++s->attempt < ATTEMPTS)
        return;
    if (more || !least_linearise(s->plan, &s->here, s->slope, &s->linear))
        finish(s, LEAST_FAILED);
    else
        go_on(s);
}

/* A step that bends too much is too long. */
static void take_bend(LeastSeat *s, const real *out, bool good)
{
    const real most = R(0.375);
    real share = R(1.0);
    if (good)
        share =
            least_bend(s->plan, &s->here, s->slope, out, BEND_WAY, &s->step);
    if (share <= most)
        try_step(s);
    else
        reject(s, good ? R(0.5) : R(0.25));
}

static void take_first(LeastSeat *s, const real *slope, bool good)
{
    real size = s->here.data > R(0.0) ? s->here.data : s->here.length;
    s->found = good;
    s->exact = size * s->plan->noise / R(8.0);
    bool alone = s->plan->n == 1 && s->pinned == 0;
    if (!good || alone)
        finish(s, good ? LEAST_FOUND : LEAST_FAILED);
    else if (s->with && take_slopes(s, slope))
        go_on(s);
    else
        seek_slopes(s);
}

void least_seat_take(LeastSeat *s, const real *out, const real *slope,
                     const Status *each)
{
    LeastPlan *l = s->plan;
    LeastPoint *x = s->phase == LEAST_PHASE_TRY ? &s->there : &s->here;
    bool good = each[0] == STATUS_OK;
    if (s->phase == LEAST_PHASE_DIFFER) {
        take_differences(s, out, each);
        return;
    }
    if (s->phase == LEAST_PHASE_BEND) {
        take_bend(s, out, good);
        return;
    }
    if (s->phase == LEAST_PHASE_SLOPES) {
        if (good && take_slopes(s, slope))
            go_on(s);
        else
            finish(s, LEAST_FAILED);
        return;
    }
    if (good) {
        memcpy(x->out, out, l->results * sizeof *out);
        good = least_weigh(l, x) && (!s->with || least_usable(l, x, slope));
    }
    if (s->phase == LEAST_PHASE_FIRST) {
        take_first(s, slope, good);
        return;
    }
    s->walls += !good;
    if (good)
        judge(s, slope);
    else
        reject(s, R(0.25));
}
