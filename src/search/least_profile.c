/* Profiles: one parameter is held at values further and further away, and all others are
   fitted again. Both sides of all parameters go side by side.

   A side is measured by u = sqrt (rise / threshold), which is nearly linear in the
   parameter: steps are chosen for equal steps of u, and the place where u = 1 is
   narrowed down by straight lines. */

#include <assert.h>

#include "search/least_own.h"

#define MOST_POINTS 80

typedef struct Side {
    uint32_t parameter;
    LeastSide end;
    bool over, up;
    real next;               // coordinate that is asked for
    real stride;             // between points
    real inside, inside_u;   // the farthest point below the threshold
    real outside, outside_u; // the nearest one above it
    bool crossed;
    real limit;        // the end of the interval, in coordinates
    real *z, *tangent; // all coordinates at `inside`, and how they change
    uint32_t retries, narrow;
    size_t trials, count;
    real *point, *rise, *p;
} Side;

typedef struct Work {
    LeastPlan plan;
    LeastCrowd crowd;
    const LeastAnswer *answer;
    LeastProfile *profile;
    Side *side;
    uint32_t sides, next;
    uint32_t *of; // side of each seat
    real threshold, enough;
    size_t most;
} Work;

/* ---- One side ----------------------------------------------------------------------------- */

/* How far away a side is followed until it counts as open: a factor of a million, or
   ten thousand times the size. */
static real far_away(const LeastPlan *l, const Side *s, real z)
{
    if (least_logarithmic(l, s->parameter))
        return R(14.0);
    return R(1e4) * least_typical(l, s->parameter, z);
}

static void end_side(Side *s, LeastSide end, real limit)
{
    s->over = true;
    s->end = end;
    s->limit = limit;
}

/* The next value to hold the parameter at, unless this was the last. */
static void move_on(const LeastPlan *l, Side *s, real far)
{
    uint32_t i = s->parameter;
    real bound = s->up ? l->high[i] : l->low[i];
    real last = s->up ? cosy_min(bound, far) : cosy_max(bound, far);
    s->next = s->inside + (s->up ? s->stride : -s->stride);
    if (s->inside == bound)
        end_side(s, LEAST_SIDE_BOUND, bound);
    else if (s->inside == far)
        end_side(s, LEAST_SIDE_OPEN, s->up ? COSY_INFINITY : -COSY_INFINITY);
    else if (s->up ? s->next > last : s->next < last)
        s->next = last;
}

/* The line through both ends of the bracket; at times its middle. */
static void narrow(Side *s)
{
    real share = (R(1.0) - s->inside_u) / (s->outside_u - s->inside_u);
    real width = s->outside - s->inside;
    if (!cosy_finite(share) || s->narrow % 4 == 3)
        share = R(0.5);
    share = cosy_min(cosy_max(share, R(0.02)), R(0.98));
    s->next = s->inside + share * width;
    s->narrow++;
}

static bool is_narrow(const Side *s)
{
    enum { PATIENCE = 25 };
    const real near = R(1e-4);
    real width = cosy_abs(s->outside - s->inside);
    return s->inside_u > R(1.0) - near || s->outside_u < R(1.0) + near ||
           s->narrow > PATIENCE ||
           width <= R(4.0) * COSY_EPSILON * cosy_abs(s->inside);
}

static void cross(Side *s)
{
    real share = (R(1.0) - s->inside_u) / (s->outside_u - s->inside_u);
    if (!cosy_finite(share))
        share = R(0.5);
    end_side(s, LEAST_SIDE_CROSSED,
             s->inside + share * (s->outside - s->inside));
}

/* Where the next point goes, from what the last one was like. */
static void plan_next(const Work *w, Side *s, real z0)
{
    const LeastPlan *l = &w->plan;
    if (s->crossed && is_narrow(s)) {
        cross(s);
    } else if (s->crossed) {
        narrow(s);
    } else {
        real far = far_away(l, s, z0);
        move_on(l, s, s->up ? z0 + far : z0 - far);
    }
}

static void keep_point(const Work *w, Side *s, const LeastSeat *seat, real rise)
{
    uint32_t n = w->plan.n;
    if (s->count == MOST_POINTS)
        return;
    s->point[s->count] = seat->here.p[s->parameter];
    s->rise[s->count] = rise;
    memcpy(s->p + s->count * n, seat->here.p, n * sizeof *s->p);
    s->count++;
}

/* A point below the threshold: others are expected to go on as they have. */
static void take_inside(const Work *w, Side *s, const LeastSeat *seat, real u)
{
    const LeastPlan *l = &w->plan;
    real dz = s->next - s->inside, du = u - s->inside_u;
    for (uint32_t i = 0; i < l->n; i++) {
        if (dz != R(0.0))
            s->tangent[i] = (seat->here.z[i] - s->z[i]) / dz;
        s->z[i] = seat->here.z[i];
    }
    /* Thirds of the threshold, but no leaps. */
    real stride = cosy_abs(dz) * R(0.3) / du;
    if (!(stride < R(2.5) * cosy_abs(dz)))
        stride = R(2.5) * cosy_abs(dz);
    s->stride = cosy_max(stride, R(0.5) * cosy_abs(dz));
    s->inside = s->next;
    s->inside_u = u;
}

static void note_better(Work *w, const LeastSeat *seat, real value)
{
    LeastProfile *x = w->profile;
    real least = R(1e-6) * (R(1.0) + cosy_abs(w->answer->value));
    if (!(value < w->answer->value - least) || !(value < x->best_value))
        return;
    x->better = true;
    x->best_value = value;
    memcpy(x->best, seat->here.p, w->plan.n * sizeof *x->best);
}

static void take_result(Work *w, Side *s, const LeastSeat *seat)
{
    enum { RETRIES = 6 };
    LeastPlan *l = &w->plan;
    real z0 = least_coordinate(l, s->parameter, w->answer->p[s->parameter]);
    s->trials += seat->trials;
    if (seat->end == LEAST_MOST || s->count == MOST_POINTS) {
        end_side(s, LEAST_SIDE_MOST, s->inside);
        return;
    }
    if (!seat->found) {
        s->next = (s->next + s->inside) / R(2.0);
        s->stride = cosy_abs(s->next - s->inside);
        if (++s->retries > RETRIES)
            end_side(s, LEAST_SIDE_FAILED, s->inside);
        return;
    }
    real value = least_value(l, seat->here.p, seat->here.out);
    real rise = value - w->answer->value;
    note_better(w, seat, value);
    keep_point(w, s, seat, rise);
    real u = rise > R(0.0) ? cosy_sqrt(rise / w->threshold) : R(0.0);
    if (u < R(1.0)) {
        take_inside(w, s, seat, u);
    } else {
        s->crossed = true;
        s->outside = s->next;
        s->outside_u = u;
    }
    plan_next(w, s, z0);
}

/* ---- Seats ---------------------------------------------------------------------------------- */

static void seat_side(Work *w, uint32_t k)
{
    LeastPlan *l = &w->plan;
    LeastSeat *seat = &w->crowd.seat[k];
    Side *s = &w->side[w->of[k]];
    real dz = s->next - s->inside;
    for (uint32_t i = 0; i < l->n; i++) {
        real z = s->z[i] + s->tangent[i] * dz;
        seat->here.z[i] = cosy_min(cosy_max(z, l->low[i]), l->high[i]);
    }
    seat->here.z[s->parameter] = s->next;
    size_t left = w->most > s->trials ? w->most - s->trials : 0;
    least_seat_begin(seat, s->parameter, R(0.0), left);
    seat->enough = w->enough;
}

/* Sides that are over before they begin are passed by. */
static void take_next(Work *w, uint32_t k)
{
    while (w->next < w->sides && w->side[w->next].over)
        w->next++;
    w->of[k] = w->next < w->sides ? w->next++ : UINT32_MAX;
    if (w->of[k] != UINT32_MAX)
        seat_side(w, k);
}

/* Results go to the sides, and seats that are over to the next point or side. */
static bool serve(Work *w)
{
    bool more = false;
    for (uint32_t k = 0; k < w->crowd.count; k++) {
        LeastSeat *seat = &w->crowd.seat[k];
        if (w->of[k] != UINT32_MAX && seat->phase == LEAST_PHASE_OVER) {
            Side *s = &w->side[w->of[k]];
            take_result(w, s, seat);
            if (s->over)
                take_next(w, k);
            else
                seat_side(w, k);
        }
        more = more || w->of[k] != UINT32_MAX;
    }
    return more;
}

/* The first step, and how the others follow, by the linear theory. */
static void begin_side(const Work *w, Side *s)
{
    const LeastPlan *l = &w->plan;
    const LeastAnswer *x = w->answer;
    uint32_t j = s->parameter;
    real error[2];
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t which[2] = {i, j};
        s->z[i] = least_coordinate(l, i, x->p[i]);
        for (int k = 0; k < 2; k++)
            error[k] =
                x->error[which[k]] /
                (least_logarithmic(l, which[k]) ? x->p[which[k]] : R(1.0));
        real slope = x->correlation[(size_t)i * l->n + j] * error[0] / error[1];
        s->tangent[i] = cosy_finite(slope) ? slope : R(0.0);
    }
    s->inside = s->z[j];
    real known = x->error[j] / (least_logarithmic(l, j) ? x->p[j] : R(1.0));
    real stride = R(0.1) * least_typical(l, j, s->z[j]);
    if (cosy_finite(known) && known > R(0.0))
        stride = R(0.3) * known * x->quantile;
    if (!(stride > R(0.0)))
        stride = R(0.1) * least_typical(l, j, s->z[j]);
    s->stride = stride;
    plan_next(w, s, s->inside);
}

/* ---- Curves --------------------------------------------------------------------------------- */

static void add_point(const Work *w, LeastCurve *c, const Side *s, size_t k)
{
    uint32_t n = w->plan.n;
    c->at[c->points] = s->point[k];
    c->rise[c->points] = s->rise[k];
    memcpy(c->p + c->points * n, s->p + k * n, n * sizeof *c->p);
    c->points++;
}

/* The side's points by their distance: narrowing has left them in disorder. */
static size_t nth(const Side *s, size_t rank)
{
    for (size_t k = 0; k < s->count; k++) {
        size_t nearer = 0;
        for (size_t i = 0; i < s->count; i++)
            nearer +=
                s->up ? s->point[i] < s->point[k] : s->point[i] > s->point[k];
        if (nearer == rank)
            return k;
    }
    return s->count;
}

static real end_of(const Work *w, const Side *s)
{
    if (!cosy_finite(s->limit))
        return least_logarithmic(&w->plan, s->parameter) && !s->up ? R(0.0)
                                                                   : s->limit;
    return least_parameter(&w->plan, s->parameter, s->limit);
}

static Status make_curve(Work *w, LeastCurve *c, const Side *low,
                         const Side *high)
{
    const LeastAnswer *x = w->answer;
    uint32_t n = w->plan.n;
    size_t most = low->count + high->count + 1;
    *c = (LeastCurve){.parameter = low->parameter,
                      .threshold = w->threshold,
                      .low = end_of(w, low),
                      .high = end_of(w, high),
                      .side = {low->end, high->end}};
    real **const single[] = {&c->at, &c->rise};
    real **const rows[] = {&c->p};
    if (!least_allot(w->plan.arena, most, single, LENGTH(single)) ||
        !least_allot(w->plan.arena, most * n, rows, 1))
        return STATUS_MEMORY;
    for (size_t k = low->count; k-- > 0;)
        if (nth(low, k) < low->count)
            add_point(w, c, low, nth(low, k));
    c->at[c->points] = x->p[c->parameter];
    memcpy(c->p + c->points * n, x->p, n * sizeof *c->p);
    c->rise[c->points++] = R(0.0);
    for (size_t k = 0; k < high->count; k++)
        if (nth(high, k) < high->count)
            add_point(w, c, high, nth(high, k));
    for (size_t k = 0; k < c->points; k++)
        c->better =
            c->better || c->rise[k] < -R(1e-6) * (R(1.0) + cosy_abs(x->value));
    return STATUS_OK;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void say_side(const Work *w, const LeastCurve *c, int which)
{
    static const char *const ends[] = {
        [LEAST_SIDE_CROSSED] = NULL,
        [LEAST_SIDE_BOUND] = "its bound is reached before the fit is bad "
                             "enough to rule values out",
        [LEAST_SIDE_OPEN] = "no value is ruled out by the data",
        [LEAST_SIDE_FAILED] = "trials fail, so that the interval ends where "
                              "they last did not",
        [LEAST_SIDE_MOST] = "no trial was left",
        [LEAST_SIDE_STOPPED] = "the search was stopped"};
    char name[NUMBER_ROOM];
    if (ends[c->side[which]] == NULL)
        return;
    search_say(
        w->profile->words, LEAST_WORDS, "%s%s %s: %s.",
        w->profile->words[0] == '\0' ? "" : " ", which == 0 ? "Below" : "Above",
        space_name(&w->plan.space, c->parameter, name), ends[c->side[which]]);
}

static void say_profile(const Work *w)
{
    LeastProfile *x = w->profile;
    for (uint32_t k = 0; k < x->count; k++)
        for (int which = 0; which < 2; which++)
            say_side(w, &x->curve[k], which);
    if (!x->better)
        return;
    search_say(x->words, LEAST_WORDS,
               "%sA better fit was found on the way: begin again at ",
               x->words[0] == '\0' ? "" : " ");
    search_say_point(&w->plan.space, x->best, x->words, LEAST_WORDS);
    search_say(x->words, LEAST_WORDS, ".");
}

/* ---- All ------------------------------------------------------------------------------------ */

static void find_threshold(Work *w)
{
    const LeastAnswer *x = w->answer;
    const LeastPlan *l = &w->plan;
    real t = x->quantile, nu = x->freedom;
    uint32_t grouped = 0;
    for (uint32_t g = 0; g < l->q->groups; g++)
        grouped += l->count[g];
    bool all = l->q->groups > 0 && grouped == l->m && nu > R(0.0);
    if (!cosy_finite(t))
        t = least_quantile(COSY_INFINITY);
    w->threshold = t * t / R(2.0);
    if (all)
        w->threshold = (real)l->m / R(2.0) * cosy_log(R(1.0) + t * t / nu);
    w->enough = R(1e-7);
    if (l->plain && l->q->groups > 0)
        w->enough *= cosy_max(x->squares / (real)l->m, l->floor[0]);
}

static Status make_sides(Work *w, const LeastProfilePlan *plan)
{
    Arena *a = w->plan.arena;
    uint32_t n = w->plan.n;
    w->side = NEW_ARRAY(a, Side, w->sides);
    w->of = NEW_ARRAY(a, uint32_t, w->crowd.count);
    if (w->side == NULL || w->of == NULL)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < w->sides; k++) {
        Side *s = &w->side[k];
        real **const single[] = {&s->point, &s->rise};
        real **const ofn[] = {&s->z, &s->tangent};
        real **const rows[] = {&s->p};
        s->parameter = plan->which != NULL ? plan->which[k / 2] : k / 2;
        s->up = k % 2 == 1;
        assert(s->parameter < n);
        if (!least_allot(a, MOST_POINTS, single, LENGTH(single)) ||
            !least_allot(a, n, ofn, LENGTH(ofn)) ||
            !least_allot(a, (size_t)MOST_POINTS * n, rows, 1))
            return STATUS_MEMORY;
        begin_side(w, s);
    }
    return STATUS_OK;
}

static Status walk(Work *w)
{
    bool more = true;
    for (uint32_t k = 0; k < w->crowd.count; k++)
        take_next(w, k);
    while (more) {
        TRY(least_crowd_round(&w->crowd));
        more = serve(w);
    }
    return STATUS_OK;
}

static void stop_sides(Work *w)
{
    for (uint32_t k = 0; k < w->sides; k++)
        if (!w->side[k].over)
            end_side(&w->side[k], LEAST_SIDE_STOPPED, w->side[k].inside);
}

Status least_profile(const LeastProblem *q, const LeastAnswer *answer,
                     const LeastProfilePlan *plan, Arena *a,
                     LeastProfile *profile)
{
    Work w = {.answer = answer, .profile = profile};
    assert(answer->found);
    *profile = (LeastProfile){.best_value = answer->value};
    TRY(least_plan_make(&w.plan, q, a, &profile->history));
    w.plan.noise = cosy_max(w.plan.noise, answer->noise);
    profile->count = plan->which != NULL ? plan->count : q->n;
    w.sides = 2 * profile->count;
    w.most = plan->most > 0 ? plan->most : 100 * ((size_t)q->n + 1);
    profile->curve = NEW_ARRAY(a, LeastCurve, profile->count + (size_t)1);
    profile->best = NEW_ARRAY(a, real, q->n);
    if (profile->curve == NULL || profile->best == NULL)
        return STATUS_MEMORY;
    memcpy(profile->best, answer->p, q->n * sizeof *answer->p);
    TRY(least_crowd_make(&w.crowd, &w.plan, w.sides));
    find_threshold(&w);
    TRY(make_sides(&w, plan));
    Status end = walk(&w);
    if (end == STATUS_STOPPED)
        stop_sides(&w);
    else if (end != STATUS_OK)
        return end;
    for (uint32_t k = 0; k < profile->count; k++)
        TRY(make_curve(&w, &profile->curve[k], &w.side[2 * (size_t)k],
                       &w.side[2 * (size_t)k + 1]));
    profile->trials = profile->history.count;
    profile->failures = w.plan.ledger.failures;
    say_profile(&w);
    return STATUS_OK;
}
