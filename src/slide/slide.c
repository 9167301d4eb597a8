#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/copies.h"
#include "run/run.h"
#include "solve/bracket.h"
#include "solve/branch.h"
#include "solve/dense.h"
#include "solve/linear.h"

/* What slides and rests have in common, and how slides continue and end. */

/* ---- Memory ------------------------------------------------------------------- */

/* Rows after the model's own: they end a slide or a rest. */
static Status make_rows(Run *r)
{
    Slide *s = &r->slide;
    uint32_t n = r->model->n_conditions_info;
    s->first_row = n;
    s->rows = NEW_ARRAY(&r->arena, CosyConditionInfo, n + SLIDE_ROWS);
    if (!s->rows)
        return STATUS_MEMORY;
    if (n)
        memcpy(s->rows, r->model->conditions_info, n * sizeof *s->rows);
    for (uint32_t k = n; k < n + SLIDE_ROWS; k++)
        s->rows[k] = (CosyConditionInfo){.name = k < n + 2 * SLIDE_SURFACES
                                                     ? "the end of a slide"
                                                     : "the end of a rest",
                                         .kind = COSY_HIDDEN,
                                         .scheme = COSY_CROSSES,
                                         .direction = -1,
                                         .event = COSY_NONE,
                                         .process = COSY_NONE,
                                         .zero = 1};
    r->own.conditions_info = s->rows;
    return STATUS_OK;
}

/* A relation with more than two conditions is a hysteresis. */
static Status find_hystereses(Run *r)
{
    Slide *s = &r->slide;
    uint32_t n = r->model->n_relations_info;
    uint32_t *rows = NEW_ARRAY(&r->arena, uint32_t, n + 1);
    s->hysteresis = NEW_ARRAY(&r->arena, uint32_t, n + 1);
    if (!rows || !s->hysteresis)
        return STATUS_MEMORY;
    memset(rows, 0, n * sizeof *rows);
    for (uint32_t k = 0; k < s->first_row; k++)
        if (s->rows[k].kind == COSY_HIDDEN && s->rows[k].event < n &&
            ++rows[s->rows[k].event] == 3)
            s->hysteresis[s->hystereses++] = s->rows[k].event;
    return STATUS_OK;
}

Status slide_create(Run *r)
{
    Slide *s = &r->slide;
    const CosyModel *m = r->model;
    Image *image = &r->image;
    Arena *a = &r->arena;
    s->able = m->derivatives && m->conditions && !m->n_choices &&
              m->mass_kind == COSY_MASS_IDENTITY;
    if (!s->able)
        return STATUS_OK;
    TRY(make_rows(r));
    TRY(find_hystereses(r));
    TRY(image_add(image, a, "slide", &s->state, sizeof s->state));
    TRY(image_add_vector(image, a, "slide.switches", &s->switches));
    TRY(image_add_vector(image, a, "slide.muted", &s->muted));
    TRY(image_add_vector(image, a, "slide.spans", &s->spans));
    TRY(image_add_vector(image, a, "slide.push", &s->push));
    TRY(image_add_vector(image, a, "slide.dozing", &s->dozing));
    TRY(image_add_vector(image, a, "slide.changed", &s->changed));
    r->watch.extra = SLIDE_ROWS;
    TRY(watch_attach(&r->watch));
    return slide_branches(r) ? STATUS_OK : STATUS_MEMORY;
}

bool slide_branches(Run *r)
{
    size_t n = (size_t)instance_branches(&r->instance) + 1;
    return vector_fit(&r->slide.branch, 3 * n * sizeof(int32_t));
}

Status slide_attach(Run *r)
{
    Slide *s = &r->slide;
    if (!s->able)
        return STATUS_OK;
    r->own.conditions_info = s->rows;
    if (!slide_branches(r))
        return STATUS_MEMORY;
    if (s->state.surfaces == 0 && s->state.rests == 0)
        return STATUS_OK;
    TRY(field_room(r));
    field_install(r);
    return STATUS_OK;
}

void slide_free(Slide *s)
{
    Vector *const all[] = {&s->switches, &s->muted,   &s->spans,  &s->push,
                           &s->changed,  &s->fields,  &s->seen,   &s->data,
                           &s->branch,   &s->entries, &s->prints, &s->turned,
                           &s->spare,    &s->dozing};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
}

const char *slide_refusal(const Run *r)
{
    static_assert(REST_MOST == 8, "the message says so");
    const CosyModel *m = r->model;
#define WAY                                                                    \
    "Let time advance in one of them, give a condition a direction (POS, "     \
    "NEG) or a hysteresis, or write a branch for what happens then"
    if (m->n_choices)
        return "A model with states that are chosen neither slides nor comes "
               "to rest. " WAY;
    if (m->mass_kind != COSY_MASS_IDENTITY)
        return "A model with a mass matrix neither slides nor comes to "
               "rest. " WAY;
    if (r->slide.state.rests == REST_MOST)
        return "Eight conditions are at rest already, and more cannot rest at "
               "once. " WAY;
    return "No motion on the threshold and no rest at it continues from "
           "here. " WAY;
#undef WAY
}

/* ---- Spans -------------------------------------------------------------------- */

static RunSpan *span_at(const Run *r, uint32_t k)
{
    return (RunSpan *)(void *)r->slide.spans.bytes + k;
}

Status slide_begin_span(Run *r, bool rest, uint32_t id, uint32_t copy, real t,
                        uint32_t *span)
{
    RunSpan s;
    memset(&s, 0, sizeof s); // padding too
    s.rest = rest;
    s.id = id;
    s.copy = copy;
    s.number = slide_detail(r, id, copy);
    s.from = t;
    s.to = COSY_NEVER;
    *span = (uint32_t)(r->slide.spans.used / sizeof s);
    if (!vector_append(&r->slide.spans, &s, sizeof s))
        return STATUS_MEMORY;
    return record_event(&r->record, rest ? LOG_REST : LOG_SLIDE, id, 1, t);
}

/* The most notes in one run; all spans are in the summary. */
#define NOTES_MOST 8

static void tell(Run *r, const RunSpan *s)
{
    const CosyConditionInfo *info = &r->slide.rows[s->id];
    const CosyHost *host = r->c->host;
    char text[500], name[WATCH_NAME];
    if (!host || !host->message || r->slide.state.told++ >= NOTES_MOST)
        return;
    bool own = condition_process(info) != COSY_NONE;
    watch_name(name, r->model, info,
               own                    ? s->number
               : s->copy == COSY_NONE ? COSY_NONE
                                      : (uint64_t)s->copy + 1);
    snprintf(text, sizeof text, "the motion %s %s from %.9g to %.9g%s%s%s",
             s->rest ? "rests at the threshold of" : "slides on", name,
             (double)s->from, (double)s->to, COSY_IN_TIME(r->model),
             r->slide.state.told == NOTES_MOST
                 ? "; further ones are only in summary.json"
                 : "");
    host->message(r->c, COSY_NOTE, info->line, text);
}

Status slide_end_span(Run *r, uint32_t span)
{
    RunSpan *s = span_at(r, span);
    real t = r->c->head->t;
    s->to = (t - s->from) * (real)r->direction > R(0.0) ? t : s->from;
    tell(r, s);
    return record_event(&r->record, s->rest ? LOG_REST : LOG_SLIDE, s->id, 0,
                        s->to);
}

Status slide_end(Run *r)
{
    const Slide *s = &r->slide;
    for (uint32_t k = 0; k < s->spans.used / sizeof(RunSpan); k++)
        if (span_at(r, k)->to == COSY_NEVER)
            TRY(slide_end_span(r, k));
    return STATUS_OK;
}

/* ---- Conditions that are silent meanwhile ------------------------------------- */

Status slide_mute(Run *r, uint32_t id, uint32_t copy, uint32_t by)
{
    SlideMuted m = {id, copy, by};
    return vector_append(&r->slide.muted, &m, sizeof m) ? STATUS_OK
                                                        : STATUS_MEMORY;
}

void slide_unmute(Run *r, uint32_t by)
{
    Vector *v = &r->slide.muted;
    SlideMuted *m = (SlideMuted *)(void *)v->bytes;
    size_t count = v->used / sizeof *m, n = 0;
    for (size_t k = 0; k < count; k++)
        if (m[k].by != by)
            m[n++] = m[k];
    v->used = n * sizeof *m;
}

Status slide_restart(Run *r)
{
    Slide *s = &r->slide;
    bool wanted = s->state.surfaces || s->state.rests;
    if (wanted)
        field_install(r);
    else
        field_remove(r);
    r->state.running = 0;
    if (!r->solver.x || !(r->solver.method->features & METHOD_IMPLICIT))
        return STATUS_OK;
    return solver_resize(&r->solver, r->c->head->states);
}

/* ---- Moving across and onto surfaces ----------------------------------------------- */

real slide_least_time(const Run *r)
{
    const RunOptions *o = &r->options;
    real span = o->to_finish ? R(1.0) : cosy_abs(o->to - o->from);
    return cosy_max(R(4.0) * time_ulp(r->c->head->t),
                    R(1e-3) * COSY_EPSILON * span);
}

/* Times along the changes of the weights that lead to the targets. */
static bool times_to(const Run *r, const SlideMix *m, const real *target,
                     real *time)
{
    uint32_t n = r->slide.state.surfaces, home = field_home(r);
    uint32_t pivot[SLIDE_SURFACES];
    real a[SLIDE_SURFACES * SLIDE_SURFACES];
    for (uint32_t k = 0; k < n; k++) {
        time[k] = target[k] - m->z[k][home];
        for (uint32_t w = 0; w < n; w++) {
            a[w * n + k] = R(0.0);
            for (uint32_t c = 0; c < m->sides; c++)
                a[w * n + k] += (c >> w & 1u ? R(1.0) : R(-1.0)) *
                                field_share(m, n, c, w) * m->dz[k][c];
        }
    }
    if (dense_factor(n, a, pivot) < n)
        return false;
    dense_solve(n, a, pivot, time);
    return true;
}

/* Moves x so that z of every surface becomes its target, along the change that
   the weights make in the derivatives; *way is how much time that would take.
   */
static bool move_to(Run *r, real t, real *x, const real *target, real *way)
{
    uint32_t n = r->slide.state.surfaces;
    SlideMix m;
    real time[SLIDE_SURFACES];
    if (field_mix(r, t, x, &m) != COSY_OK || !times_to(r, &m, target, time))
        return false;
    *way = R(0.0);
    for (uint32_t w = 0; w < n; w++)
        *way = cosy_max(*way, cosy_abs(time[w]));
    if (!cosy_finite(*way))
        return false;
    for (uint32_t w = 0; w < n; w++)
        for (uint32_t c = 0; c < m.sides; c++) {
            real share =
                (c >> w & 1u ? time[w] : -time[w]) * field_share(&m, n, c, w);
            for (uint32_t i = 0; i < r->c->head->states; i++)
                x[i] += share * field_of(r, c)[i];
        }
    return true;
}

real slide_far_away(const Run *r)
{
    const RunOptions *o = &r->options;
    real span = o->to_finish ? cosy_abs(r->c->head->t - o->from)
                             : cosy_abs(o->to - o->from);
    return R(1e-9) * cosy_max(span, cosy_abs(r->c->head->t));
}

void slide_onto(Run *r, real *x)
{
    static const real zero[SLIDE_SURFACES] = {R(0.0), R(0.0)};
    real way, before = COSY_REAL_MAX;
    for (int k = 0; k < 4; k++) {
        if (!move_to(r, r->c->head->t, x, zero, &way) || way == R(0.0) ||
            !(way < before / R(2.0)))
            return;
        before = way;
    }
}

/* Moves x off surface k, to the side on which it leaves, by the least that z
   can tell from rounding errors. */
static void off(Run *r, uint32_t k, bool above)
{
    real target[SLIDE_SURFACES] = {R(0.0), R(0.0)};
    uint32_t home = field_home(r);
    real *x = r->c->x, h = slide_least_time(r), way;
    SlideMix m;
    for (int i = 0; i < 40; i++, h *= R(2.0)) {
        if (field_mix(r, r->c->head->t, x, &m) != COSY_OK)
            return;
        real most = R(0.0);
        for (uint32_t c = 0; c < m.sides; c++)
            most = cosy_max(most, cosy_abs(m.dz[k][c]));
        target[k] = (above ? R(1.0) : R(-1.0)) * h * most;
        if (!move_to(r, r->c->head->t, x, target, &way) ||
            field_mix(r, r->c->head->t, x, &m) != COSY_OK)
            return;
        if (m.z[k][home] * target[k] > R(0.0) &&
            cosy_abs(m.z[k][home] - target[k]) <= cosy_abs(target[k]) / R(2.0))
            return;
    }
}

/* ---- Leaving ---------------------------------------------------------------------- */

Status slide_drop(Run *r, uint32_t k, bool above)
{
    Slide *s = &r->slide;
    SlideState *st = &s->state;
    Vector *v = &s->switches;
    SlideSwitch *one = (SlideSwitch *)(void *)v->bytes;
    size_t count = v->used / sizeof *one, n = 0;
    uint32_t home = field_home(r), span = st->surface[k].span;
    field_sides(r, above ? home | 1u << k : home & ~(1u << k));
    for (size_t i = 0; i < count; i++) {
        if (one[i].surface == k)
            continue;
        one[n] = one[i];
        one[n].surface -= one[n].surface > k;
        n++;
    }
    v->used = n * sizeof *one;
    for (uint32_t i = k; i + 1 < st->surfaces; i++)
        st->surface[i] = st->surface[i + 1];
    st->surfaces--;
    slide_unmute(r, span);
    TRY(slide_end_span(r, span));
    return slide_restart(r);
}

Status slide_leave(Run *r, const Watched *w)
{
    uint32_t row = w->id - r->slide.first_row;
    if (row >= 2 * SLIDE_SURFACES)
        return rest_leave(r, row - 2 * SLIDE_SURFACES);
    uint32_t k = row / 2;
    bool above = row % 2;
    if (k >= r->slide.state.surfaces)
        return STATUS_OK;
    off(r, k, above);
    return slide_drop(r, k, above);
}

/* ---- Copies come and go ------------------------------------------------------------ */

uint64_t slide_detail(const Run *r, uint32_t id, uint32_t copy)
{
    const CosyConditionInfo *info = &r->slide.rows[id];
    uint32_t p = condition_process(info);
    return p != COSY_NONE ? copy_detail(r->c, p, condition_elements(info), copy)
           : copy == COSY_NONE ? COSY_NONE
                               : (uint64_t)copy + 1;
}

/* False: the copy of this condition is not active any more. */
static bool follows(const Run *r, uint32_t id, uint32_t *copy)
{
    if (id >= r->model->n_conditions_info)
        return id != COSY_NONE;
    const CosyConditionInfo *info = &r->slide.rows[id];
    uint32_t p = condition_process(info), n = condition_elements(info);
    if (p == COSY_NONE)
        return true;
    uint32_t to = copies_moved(&r->instance, p, *copy / n);
    *copy = to == COSY_NONE ? COSY_NONE : to * n + *copy % n;
    return to != COSY_NONE;
}

static void move_switches(Run *r)
{
    const Moves *m = &r->instance.moves[LAYOUT_BRANCHES];
    Vector *v = &r->slide.switches;
    SlideSwitch *one = (SlideSwitch *)(void *)v->bytes;
    size_t count = v->used / sizeof *one, n = 0;
    for (size_t k = 0; k < count; k++) {
        SlideSwitch now = one[k];
        if (now.size == 0)
            now.place = moves_to(m, now.place);
        if (now.size || now.place != COSY_NONE)
            one[n++] = now;
    }
    v->used = n * sizeof *one;
}

static void move_muted(Run *r)
{
    Vector *v = &r->slide.muted;
    SlideMuted *m = (SlideMuted *)(void *)v->bytes;
    size_t count = v->used / sizeof *m, n = 0;
    for (size_t k = 0; k < count; k++)
        if (follows(r, m[k].id, &m[k].copy))
            m[n++] = m[k];
    v->used = n * sizeof *m;
}

static Status move_surfaces(Run *r)
{
    SlideState *s = &r->slide.state;
    for (uint32_t k = s->surfaces; k-- > 0;)
        if (!follows(r, s->surface[k].id, &s->surface[k].copy))
            TRY(slide_drop(r, k, s->surface[k].home != 0));
    for (uint32_t k = s->rests; k-- > 0;)
        if (!follows(r, s->rest[k].id, &s->rest[k].copy)) {
            TRY(doze_begin(r, &s->rest[k],
                           span_at(r, s->rest[k].span)->number));
            TRY(rest_drop(r, k));
        }
    return STATUS_OK;
}

/* What was seen of a copy that is not active any more counts no longer. */
static void move_seen(Run *r)
{
    SlideState *s = &r->slide.state;
    for (uint32_t k = 0; k < s->bounces; k++)
        if (!follows(r, s->bounce[k].id, &s->bounce[k].copy)) {
            memset(&s->bounce[k], 0, sizeof s->bounce[k]);
            s->bounce[k].id = s->bounce[k].copy = COSY_NONE;
        }
    for (uint32_t k = 0; k < SLIDE_LATEST; k++)
        if (!follows(r, s->latest[k][0], &s->latest[k][1]))
            s->latest[k][0] = COSY_NONE;
}

Status slide_move(Run *r)
{
    Slide *s = &r->slide;
    if (!s->able)
        return STATUS_OK;
    if (!slide_branches(r))
        return STATUS_MEMORY;
    TRY(rest_move(r, &r->instance.moves[LAYOUT_STATES]));
    move_switches(r);
    move_muted(r);
    TRY(watch_attach(&r->watch));
    TRY(field_room(r));
    TRY(move_surfaces(r));
    move_seen(r);
    return s->installed ? slide_restart(r) : STATUS_OK;
}

/* ---- On the way -------------------------------------------------------------------- */

bool slide_attracts(const Run *r, real below, real above)
{
    real d = (real)r->direction;
    return below * d > R(0.0) && above * d < R(0.0);
}

/* Which surface has to be left, and to which side; SLIDE_SURFACES: none. */
static uint32_t broken(Run *r, const SlideMix *m, bool *above)
{
    const SlideState *s = &r->slide.state;
    for (uint32_t k = 0; k < s->surfaces; k++)
        if (!slide_inside(m->weight[k])) {
            *above = m->weight[k] > R(1.0);
            return k;
        }
    if (s->surfaces == 1 && !slide_attracts(r, m->dz[0][0], m->dz[0][1])) {
        *above = m->dz[0][1] * (real)r->direction > R(0.0);
        return 0;
    }
    return SLIDE_SURFACES;
}

/* Whether a body has moved x away from a surface. */
static uint32_t moved_off(Run *r, const SlideMix *m, bool *above)
{
    const SlideState *s = &r->slide.state;
    uint32_t home = field_home(r);
    for (uint32_t k = 0; k < s->surfaces; k++) {
        real most = R(0.0);
        for (uint32_t c = 0; c < m->sides; c++)
            most = cosy_max(most, cosy_abs(m->dz[k][c]));
        if (cosy_abs(m->z[k][home]) > slide_far_away(r) * most) {
            *above = m->z[k][home] > R(0.0);
            return k;
        }
    }
    return SLIDE_SURFACES;
}

static Status check_surfaces(Run *r, bool *changed)
{
    while (r->slide.state.surfaces) {
        SlideMix m;
        bool above = false, away = true;
        CosyStatus status = field_mix(r, r->c->head->t, r->c->x, &m);
        if (status != COSY_OK)
            return run_body_failed(r, status, "an equation");
        uint32_t k = moved_off(r, &m, &above);
        if (k == SLIDE_SURFACES) {
            away = false;
            k = broken(r, &m, &above);
        }
        if (k == SLIDE_SURFACES)
            return STATUS_OK;
        if (!away)
            off(r, k, above);
        TRY(slide_drop(r, k, above));
        *changed = true;
    }
    return STATUS_OK;
}

Status slide_check(Run *r, bool *changed)
{
    *changed = false;
    TRY(check_surfaces(r, changed));
    return r->slide.state.rests ? rest_check(r, changed) : STATUS_OK;
}

/* The share of the tolerance that a drift may reach before it is corrected. */
#define DRIFT R(1e-6)

static Status keep_surfaces(Run *r, bool *moved)
{
    static const real zero[SLIDE_SURFACES] = {R(0.0), R(0.0)};
    SlideState *s = &r->slide.state;
    Solver *v = &r->solver;
    SlideMix m;
    uint32_t where = 0;
    real way, *y = field_of(r, SLIDE_SIDES);
    bool steps = (v->method->features & METHOD_SAVES) != 0;
    if (field_mix(r, v->t, v->x, &m) != COSY_OK)
        return STATUS_OK;
    for (uint32_t k = 0; k < s->surfaces; k++)
        s->surface[k].weight = m.weight[k];
    memcpy(y, v->x, v->n * sizeof *y);
    if (!move_to(r, v->t, y, zero, &way))
        return STATUS_OK;
    for (uint32_t i = 0; i < v->n; i++)
        y[i] -= v->x[i];
    real drift = solver_error(v, v->x, v->x, y, &where);
    if (drift <= (steps ? DRIFT : R(1e3)))
        return STATUS_OK;
    for (uint32_t i = 0; i < v->n; i++)
        v->x[i] += y[i];
    *moved = true;
    return STATUS_OK;
}

/* A multi-step method continues from its own values, so it starts anew. */
Status slide_keep(Run *r)
{
    Solver *v = &r->solver;
    bool moved = false;
    if (r->slide.state.surfaces)
        TRY(keep_surfaces(r, &moved));
    if (r->slide.state.rests)
        TRY(rest_keep(r, &moved));
    if (!moved)
        return STATUS_OK;
    if (!(v->method->features & METHOD_SAVES))
        r->state.running = 0;
    return solver_rhs(v, v->t, v->x, v->dx);
}
