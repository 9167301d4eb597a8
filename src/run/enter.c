#include <assert.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "solve/branch.h"
#include "solve/linear.h"

/* Where slides begin: at hidden relations, around the intersection of two
   surfaces, and at CONDITs that switch discrete variables back and forth. */

/* ---- Surfaces ------------------------------------------------------------------- */

/* The fingerprint of a gradient: the rate of z with time alone, and along two
   directions that nothing in a model is likely to have. */
typedef struct Print {
    real part[3];
} Print;

static Status prints(Run *r, Print *print, CosyCondition **list,
                     uint32_t *count)
{
    uint32_t n = r->c->head->states, seed = 12345;
    real *v = field_of(r, 0);
    memset(v, 0, n * sizeof *v);
    for (int d = 0; d < 3; d++) {
        if (field_rates(r, r->c->head->t, r->c->x, v, 0, list, count))
            return STATUS_NUMBER;
        for (uint32_t k = 0; k < *count; k++)
            print[k].part[d] = (*list)[k].dz - (d ? print[k].part[0] : R(0.0));
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (real)(seed >> 8) / R(16777216.0) - R(0.5);
        }
    }
    return STATUS_OK;
}

/* Whether two gradients have the same direction, or opposite ones. */
static bool parallel(const Print *a, const Print *b)
{
    real size_a = R(0.0), size_b = R(0.0), off = R(0.0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        size_a += cosy_abs(a->part[i]);
        size_b += cosy_abs(b->part[i]);
        off += cosy_abs(a->part[i] * b->part[j] - a->part[j] * b->part[i]);
    }
    return off <= R(1e-9) * size_a * size_b;
}

static real steepness(const Print *a)
{
    return cosy_abs(a->part[0]) + cosy_abs(a->part[1]) + cosy_abs(a->part[2]);
}

static uint32_t place_of(const Run *r, const CosyCondition *k)
{
    return branch_place(r->c, r->slide.rows[k->id].event, k->copy);
}

/* A surface on trial: where it was found, and what changes across it. */
typedef struct Trial {
    const Watched *w;
    real dz;             // rate of z along the present motion
    real off;            // distance in z at which the sides were examined
    int32_t *near, *far; // branches strictly on its two sides, or NULL
    uint32_t side;       // the near side: 1 above
} Trial;

/* Branches at a point, starting from the present ones; false if they do not
   settle. */
static bool settle_at(Run *r, real t, const real *x, int32_t *branch)
{
    Cosy *c = r->c;
    uint32_t n = instance_branches(&r->instance);
    size_t size = n * sizeof *branch;
    int32_t *kept = (int32_t *)(void *)r->slide.branch.bytes + 2 * (n + 1);
    bool settled = false;
    memcpy(kept, c->branch, size);
    for (uint32_t k = 0; !settled && k < n + 4; k++) {
        if (r->model->relations(c, t, x, branch) != COSY_OK)
            break;
        settled = memcmp(branch, c->branch, size) == 0;
        memcpy(c->branch, branch, size);
    }
    memcpy(c->branch, kept, size);
    return settled;
}

/* Looks along the present motion, v, forward (`way` 1) or back (-1), for the
   first point that lies strictly on the far or near side, and takes the branches
   there. */
static bool side_at(Run *r, Trial *k, const real *v, real z0, int way,
                    int32_t *branch)
{
    Cosy *c = r->c;
    uint32_t n = c->head->states, count;
    real h = slide_least_time(r) * (real)(way * r->direction),
         *y = field_of(r, 1);
    real wanted = k->dz * h;
    for (int i = 0; i < 40; i++, h *= R(2.0)) {
        CosyCondition *list;
        for (uint32_t j = 0; j < n; j++)
            y[j] = c->x[j] + h * v[j];
        if (field_rates(r, c->head->t + h, y, v, 0, &list, &count))
            return false;
        const CosyCondition *now =
            field_find(list, count, k->w->id, k->w->copy);
        if (!now)
            return false;
        real step = k->dz * h;
        if (now->z * wanted <= R(0.0) ||
            cosy_abs(now->z - z0 - step) > cosy_abs(step) / R(2.0))
            continue;
        k->off = cosy_max(k->off, cosy_abs(now->z));
        return settle_at(r, c->head->t + h, y, branch);
    }
    return false;
}

/* The two sides of the surface of a condition that has fired. */
static bool find_sides(Run *r, Trial *k)
{
    uint32_t count, n = instance_branches(&r->instance);
    CosyCondition *list;
    real *v = r->dx;
    k->near = (int32_t *)(void *)r->slide.branch.bytes;
    k->far = k->near + n + 1;
    if (run_derivatives(r) != STATUS_OK ||
        field_rates(r, r->c->head->t, r->c->x, v, 0, &list, &count))
        return false;
    const CosyCondition *now = field_find(list, count, k->w->id, k->w->copy);
    if (!now || now->dz == R(0.0))
        return false;
    real z0 = now->z;
    k->dz = now->dz;
    k->side = k->dz * (real)r->direction < R(0.0);
    return side_at(r, k, v, z0, 1, k->far) && side_at(r, k, v, z0, -1, k->near);
}

static Status add_switch(Run *r, uint32_t place, int32_t near, int32_t far,
                         bool above)
{
    SlideSwitch s;
    memset(&s, 0, sizeof s);
    s.surface = r->slide.state.surfaces;
    s.place = place;
    memcpy(s.above, above ? &near : &far, sizeof near);
    memcpy(s.below, above ? &far : &near, sizeof near);
    return vector_append(&r->slide.switches, &s, sizeof s) ? STATUS_OK
                                                           : STATUS_MEMORY;
}

/* Whether condition i is near its zero, within the distance at which the sides
   of the surface of condition `own` were examined. */
static bool near_zero(const CosyCondition *list, const Print *print, uint32_t i,
                      uint32_t own, real off)
{
    real slope = steepness(&print[i]) / steepness(&print[own]);
    return cosy_abs(list[i].z) <= R(4.0) * slope * off;
}

/* A branch that differs between the sides, and has a condition of its own which
   is at its zero and not this surface's, belongs to another surface that is
   crossed here too. */
static bool of_another(const Run *r, const Trial *t, uint32_t place,
                       const CosyCondition *list, const Print *print,
                       uint32_t count, uint32_t own)
{
    bool listed = false;
    for (uint32_t k = 0; k < count; k++) {
        if (r->slide.rows[list[k].id].kind != COSY_HIDDEN ||
            place_of(r, &list[k]) != place ||
            !near_zero(list, print, k, own, t->off))
            continue;
        listed = true;
        if (parallel(&print[k], &print[own]))
            return false;
    }
    return listed;
}

static Status collect(Run *r, const Trial *k, uint32_t span)
{
    uint32_t count, own = 0;
    CosyCondition *list;
    Print *print = (Print *)(void *)r->slide.prints.bytes;
    TRY(prints(r, print, &list, &count));
    while (own < count &&
           (list[own].id != k->w->id || list[own].copy != k->w->copy))
        own++;
    if (own == count)
        return STATUS_NUMBER;
    for (uint32_t p = 0; k->near && p < instance_branches(&r->instance); p++)
        if (k->near[p] != k->far[p] &&
            !of_another(r, k, p, list, print, count, own))
            TRY(add_switch(r, p, k->near[p], k->far[p], k->side));
    for (uint32_t i = 0; i < count; i++) {
        if (parallel(&print[i], &print[own]) &&
            near_zero(list, print, i, own, k->off))
            TRY(slide_mute(r, list[i].id, list[i].copy, span));
    }
    return STATUS_OK;
}

/* ---- Entering ---------------------------------------------------------------------- */

/* What becomes of a slide on surface 0 that comes to surface 1. */
typedef enum Meeting {
    MEETING_CROSSES, // it continues beyond surface 1
    MEETING_BOTH,    // it continues along both
    MEETING_OTHER,   // it continues along surface 1
    MEETING_NEITHER  // it leaves surface 0, and crosses surface 1
} Meeting;

static Meeting meet(Run *r, const SlideMix *m, uint32_t near, bool *above)
{
    uint32_t far = near ? 0 : 2; // combinations behind surface 1
    real back = (near ? R(1.0) : R(-1.0)) * (real)r->direction;
    const real *p = m->dz[0], *q = m->dz[1];
    if (slide_attracts(r, p[far], p[far + 1])) {
        real w = p[far] / (p[far] - p[far + 1]);
        real dz = w * q[far + 1] + (R(1.0) - w) * q[far];
        return dz * back > R(0.0) ? MEETING_BOTH : MEETING_CROSSES;
    }
    *above = p[far + 1] * (real)r->direction >= R(0.0);
    uint32_t there = far + *above, here = there ^ 2u;
    return q[there] * back > R(0.0) && q[here] * back < R(0.0)
               ? MEETING_OTHER
               : MEETING_NEITHER;
}

static bool mixes_inside(Run *r, SlideMix *m)
{
    if (field_mix(r, r->c->head->t, r->c->x, m) != COSY_OK)
        return false;
    for (uint32_t k = 0; k < r->slide.state.surfaces; k++)
        if (!slide_inside(m->weight[k]))
            return false;
    return true;
}

/* Finds weights on the intersection, starting from the present ones, the
   middle, or any of the corners. */
static bool slides_on_all(Run *r, SlideMix *m)
{
    SlideState *s = &r->slide.state;
    SlideSurface *on = s->surface;
    if (s->surfaces > 2) {
        if (mixes_inside(r, m))
            return true;
        for (uint32_t j = 0; j < s->surfaces; j++)
            on[j].weight = R(0.5);
        if (mixes_inside(r, m))
            return true;
    }
    for (uint32_t k = 0; k < 1u << s->surfaces; k++) {
        for (uint32_t j = 0; j < s->surfaces; j++)
            on[j].weight = (real)(k >> j & 1u);
        if (mixes_inside(r, m))
            return true;
    }
    return false;
}

/* Takes the surface back. */
static void forget(Run *r, size_t switches, uint32_t span)
{
    r->slide.state.surfaces--;
    r->slide.switches.used = switches;
    slide_unmute(r, span);
}

static Status begin_on(Run *r, SlideMix *m, uint32_t id, uint32_t copy)
{
    SlideState *s = &r->slide.state;
    uint32_t span;
    TRY(slide_begin_span(r, false, id, copy, r->c->head->t, &span));
    for (uint32_t k = 0; k < s->surfaces; k++)
        s->surface[k].weight = m->weight[k];
    slide_onto(r, r->c->x);
    return slide_restart(r);
}

static Status no_more(Run *r, const Watched *w)
{
    const SlideState *s = &r->slide.state;
    const CosyConditionInfo *rows = r->slide.rows;
    return fault_set(
        &r->fault, STATUS_EVENT_LOOP,
        "%s:%u: time %.17g%s%s: the motion slides on %u thresholds, among them "
        "%s and %s, and now meets %s: no motion is found that stays on all of "
        "them. Give one of them a hysteresis, or a finite slope",
        r->model->source, rows[w->id].line, (double)r->c->head->t,
        COSY_IN_TIME(r->model), s->surfaces, rows[s->surface[0].id].name,
        rows[s->surface[1].id].name, rows[w->id].name);
}

/* If z itself differs between the sides, this is not a surface. */
static bool jumps(const Run *r, const Trial *k, const SlideMix *m)
{
    uint32_t own = r->slide.state.surfaces - 1, home = field_home(r);
    for (uint32_t c = 0; c < m->sides; c++)
        if (cosy_abs(m->z[own][c] - m->z[own][home]) > R(8.0) * k->off)
            return true;
    return false;
}

/* Decides whether the new surface, the last one, stays: *entered. */
static Status decide(Run *r, const Trial *k, size_t switches, uint32_t span,
                     bool *entered)
{
    SlideState *s = &r->slide.state;
    SlideMix m;
    bool above = false;
    *entered = false;
    s->surface[s->surfaces - 1].weight = R(0.5);
    CosyStatus status = s->surfaces > 2 && !slides_on_all(r, &m)
                            ? COSY_SINGULAR
                            : field_mix(r, r->c->head->t, r->c->x, &m);
    if (status != COSY_OK || jumps(r, k, &m)) {
        forget(r, switches, span);
        return STATUS_OK;
    }
    if (s->surfaces > 2) {
        *entered = true;
        return begin_on(r, &m, k->w->id, k->w->copy);
    }
    if (s->surfaces == 1) {
        *entered = slide_attracts(r, m.dz[0][0], m.dz[0][1]);
        if (!*entered)
            forget(r, switches, span);
        return *entered ? begin_on(r, &m, k->w->id, k->w->copy) : STATUS_OK;
    }
    Meeting meeting = meet(r, &m, k->side, &above);
    if (meeting == MEETING_BOTH && slides_on_all(r, &m)) {
        *entered = true;
        return begin_on(r, &m, k->w->id, k->w->copy);
    }
    if (meeting == MEETING_OTHER) {
        TRY(slide_drop(r, 0, above));
        *entered = field_mix(r, r->c->head->t, r->c->x, &m) == COSY_OK;
        return *entered ? begin_on(r, &m, k->w->id, k->w->copy) : STATUS_OK;
    }
    forget(r, switches, span);
    return meeting == MEETING_NEITHER ? slide_drop(r, 0, above) : STATUS_OK;
}

/* A third or further surface is crossed if the motion continues beyond it. */
static bool leads_back(Run *r, const Trial *k)
{
    SlideMix m;
    uint32_t count, n = instance_branches(&r->instance);
    CosyCondition *list;
    int32_t *kept = (int32_t *)(void *)r->slide.branch.bytes + 2 * (n + 1);
    memcpy(kept, r->c->branch, n * sizeof *kept);
    memcpy(r->c->branch, k->far, n * sizeof *kept);
    CosyStatus status = field_mix(r, r->c->head->t, r->c->x, &m);
    if (status == COSY_OK)
        status = field_plain(r, r->c->head->t, r->c->x, r->dx);
    memcpy(r->c->branch, kept, n * sizeof *kept);
    if (status != COSY_OK ||
        field_rates(r, r->c->head->t, r->c->x, r->dx, 0, &list, &count))
        return false;
    const CosyCondition *now = field_find(list, count, k->w->id, k->w->copy);
    return now && now->dz * k->dz < R(0.0);
}

/* Whether z of the condition changes with this branch. */
static bool reads_branch(Run *r, const Watched *w, uint32_t place)
{
    CosyCondition *list, now[3];
    uint32_t count;
    int32_t kept = r->c->branch[place];
    bool found = true;
    for (int32_t k = 0; found && k < 3; k++) {
        r->c->branch[place] = k;
        const CosyCondition *on =
            field_rates(r, r->c->head->t, r->c->x, r->dx, 0, &list, &count)
                ? NULL
                : field_find(list, count, w->id, w->copy);
        found = on != NULL;
        if (found)
            now[k] = *on;
    }
    r->c->branch[place] = kept;
    return !found || now[0].z != now[1].z || now[0].z != now[2].z ||
           now[0].dz != now[1].dz || now[0].dz != now[2].dz;
}

/* Elements of a relation in copies that a condition may read: those of its own
   copy, or of all. */
static void places_of(const Run *r, const Watched *w, const CosyRelation *one,
                      uint32_t *from, uint32_t *end)
{
    const CosyConditionInfo *info = &r->slide.rows[w->id];
    uint32_t p = one->process - 1;
    *from = 0;
    *end = r->c->copy[p].active * one->count;
    if (condition_process(info) != p)
        return;
    *from = w->copy / condition_elements(info) * one->count;
    *end = *from + one->count;
}

/* A hysteresis remembers how a point was reached: whatever depends on one is
   not a surface among the states. */
static bool remembers(Run *r, const Trial *t)
{
    const Slide *s = &r->slide;
    for (uint32_t i = 0; i < s->hystereses; i++) {
        uint32_t k = s->hysteresis[i];
        const CosyRelation *one = &r->model->relations_info[k];
        if (r->slide.rows[t->w->id].event == k)
            return true;
        uint32_t from = 0, end = one->count;
        if (one->process) // of all copies, or of this one
            places_of(r, t->w, one, &from, &end);
        for (uint32_t e = from; e < end; e++) {
            uint32_t p = branch_place(r->c, k, e);
            if (t->near[p] != t->far[p] || reads_branch(r, t->w, p))
                return true;
        }
    }
    return false;
}

/* Most thresholds are simply crossed: the derivatives behind them lead on in
   the same direction. A point behind the threshold shows that quickly. */
static bool goes_on(Run *r, const Watched *w)
{
    Cosy *c = r->c;
    uint32_t count, n = instance_branches(&r->instance);
    int32_t *far = (int32_t *)(void *)r->slide.branch.bytes,
            *kept = far + n + 1;
    CosyCondition *list;
    const CosyCondition *now;
    if (r->slide.state.surfaces || w->z == R(0.0) ||
        !settle_at(r, c->head->t, c->x, far))
        return false;
    memcpy(kept, c->branch, n * sizeof *kept);
    memcpy(c->branch, far, n * sizeof *kept);
    bool found = field_plain(r, c->head->t, c->x, field_of(r, 0)) == COSY_OK &&
                 field_rates(r, c->head->t, c->x, field_of(r, 0), 0, &list,
                             &count) == COSY_OK;
    memcpy(c->branch, kept, n * sizeof *kept);
    now = found ? field_find(list, count, w->id, w->copy) : NULL;
    return now && now->dz * w->dz > R(0.0);
}

/* ---- Around an intersection ------------------------------------------------------------ */

#define TURNS 40 // crossings within no visible time

static uint32_t entry_at(const CosyCondition *list, uint32_t count,
                         const uint32_t key[2])
{
    uint32_t k = 0;
    while (k < count && (list[k].id != key[0] || list[k].copy != key[1]))
        k++;
    return k;
}

/* Surface of entry `own` by its relations alone: a > b is 1 above. */
static Status add_relations(Run *r, const CosyCondition *list,
                            const Print *print, uint32_t count, uint32_t own,
                            real off)
{
    SlideState *s = &r->slide.state;
    uint32_t span =
        (uint32_t)(r->slide.spans.used / sizeof(RunSpan)) + s->surfaces;
    uint32_t home = (uint32_t)r->c->branch[place_of(r, &list[own])] & 1u;
    for (uint32_t i = 0; i < count; i++) {
        const CosyConditionInfo *info = &r->slide.rows[list[i].id];
        if (info->kind != COSY_HIDDEN || info->direction ||
            !parallel(&print[i], &print[own]) ||
            !near_zero(list, print, i, own, off))
            continue;
        real same = R(0.0);
        for (int d = 0; d < 3; d++)
            same += print[i].part[d] * print[own].part[d];
        TRY(add_switch(r, place_of(r, &list[i]), same<R(0.0), same> R(0.0),
                       false));
        TRY(slide_mute(r, list[i].id, list[i].copy, span));
    }
    s->surface[s->surfaces++] = (SlideSurface){
        .id = list[own].id, .copy = list[own].copy, .home = home, .span = span};
    return STATUS_OK;
}

/* The latest crossing that was not of the surface of entry `own`. */
static uint32_t other_surface(const Run *r, const CosyCondition *list,
                              const Print *print, uint32_t count, uint32_t own)
{
    const SlideState *s = &r->slide.state;
    for (uint32_t back = 1; back <= SLIDE_LATEST && back <= s->crossed;
         back++) {
        uint32_t k = entry_at(list, count,
                              s->latest[(s->crossed - back) % SLIDE_LATEST]);
        if (k < count && !parallel(&print[k], &print[own]))
            return k;
    }
    return count;
}

/* Two surfaces that are crossed in turn, around their intersection and ever
   closer to it, although neither attracts by itself: if there is a motion on
   both, it continues there. */
static Status enter_both(Run *r, const Watched *w, bool *entered)
{
    Slide *s = &r->slide;
    const uint32_t key[2] = {w->id, w->copy};
    Print *print = (Print *)(void *)s->prints.bytes;
    CosyCondition *list;
    uint32_t count, span, first = (uint32_t)(s->spans.used / sizeof(RunSpan));
    SlideMix m;
    if (prints(r, print, &list, &count) != STATUS_OK)
        return STATUS_OK;
    uint32_t own = entry_at(list, count, key);
    uint32_t other =
        own < count ? other_surface(r, list, print, count, own) : count;
    if (other == count || s->rows[list[own].id].direction ||
        s->rows[list[other].id].direction)
        return STATUS_OK;
    real off = cosy_max(cosy_abs(list[own].z), slide_least_time(r));
    TRY(add_relations(r, list, print, count, own, off));
    off = cosy_max(cosy_abs(list[other].z), slide_least_time(r));
    TRY(add_relations(r, list, print, count, other, off));
    *entered = slides_on_all(r, &m);
    if (!*entered) {
        s->state.surfaces = 0;
        s->switches.used = 0;
        slide_unmute(r, first);
        slide_unmute(r, first + 1);
        return STATUS_OK;
    }
    TRY(slide_begin_span(r, false, s->state.surface[0].id,
                         s->state.surface[0].copy, r->c->head->t, &span));
    return begin_on(r, &m, s->state.surface[1].id, s->state.surface[1].copy);
}

/* A threshold is crossed: remembers the latest ones. */
static Status crossed(Run *r, const Watched *w, bool *entered)
{
    SlideState *s = &r->slide.state;
    uint32_t *key = s->latest[s->crossed++ % SLIDE_LATEST];
    key[0] = w->id;
    key[1] = w->copy;
    return s->surfaces == 0 && r->state.close >= TURNS
               ? enter_both(r, w, entered)
               : STATUS_OK;
}

Status slide_enter(Run *r, const Watched *w, bool *entered)
{
    Slide *s = &r->slide;
    Trial k = {.w = w};
    size_t switches = s->switches.used;
    uint32_t span = (uint32_t)(s->spans.used / sizeof(RunSpan));
    *entered = false;
    if (!s->able || r->c->head->states == 0)
        return STATUS_OK;
    TRY(field_room(r));
    if (!vector_fit(&s->prints, (r->watch.room + 1) * sizeof(Print)))
        return STATUS_MEMORY;
    uint32_t place =
        place_of(r, &(CosyCondition){.id = w->id, .copy = w->copy});
    if (goes_on(r, w))
        return crossed(r, w, entered);
    if (!find_sides(r, &k) || k.near[place] == k.far[place] || remembers(r, &k))
        return STATUS_OK;
    bool many = s->state.surfaces >= 2;
    if (many && !leads_back(r, &k))
        return crossed(r, w, entered);
    if (s->state.surfaces == SLIDE_SURFACES)
        return no_more(r, w);
    if (collect(r, &k, span) != STATUS_OK) {
        s->switches.used = switches;
        slide_unmute(r, span);
        return STATUS_OK;
    }
    s->state.surface[s->state.surfaces++] = (SlideSurface){
        .id = w->id, .copy = w->copy, .home = k.side, .span = span};
    field_sides(r, field_home(r));
    TRY(decide(r, &k, switches, span, entered));
    if (many && !*entered)
        return no_more(r, w);
    return *entered ? STATUS_OK : crossed(r, w, entered);
}

/* ---- Events of CONDITs ---------------------------------------------------------------- */

/* A hash of all attributes of copies, by which a body is found to have changed
   some (FNV-1a, by words: each step can be undone, so a change of one word always
   shows). */
static uint64_t attributes_hash(const Cosy *c)
{
    const CosyModel *m = c->model;
    uint64_t h = UINT64_C(0xcbf29ce484222325), word;
    for (uint32_t p = 0; p < m->n_copies; p++) {
        size_t size = (size_t)c->copy[p].count * m->copies[p].size;
        assert(size % sizeof word == 0);
        for (size_t k = 0; k < size; k += sizeof word) {
            memcpy(&word, c->attributes[p] + k, sizeof word);
            h = (h ^ word) * UINT64_C(0x100000001b3);
        }
    }
    return h;
}

Status slide_before(Run *r)
{
    Slide *s = &r->slide;
    size_t size = r->model->data_size;
    if (!s->able)
        return STATUS_OK;
    TRY(field_room(r));
    s->head = *r->c->head;
    s->looks = r->state.close > 1; // events without visible time between them
    s->marks = s->looks ? attributes_hash(r->c) : 0;
    if (s->looks)
        memcpy(s->data.bytes + 2 * size, r->c->data, size);
    memcpy(field_of(r, FIELD_BEFORE), r->c->x,
           r->c->head->states * sizeof(real));
    return STATUS_OK;
}

static uint32_t value_size(const CosyVariable *v)
{
    return v->type == COSY_TYPE_REAL      ? sizeof(real)
           : v->type == COSY_TYPE_BOOLEAN ? sizeof(uint8_t)
                                          : sizeof(int64_t);
}

/* Compares values, not bytes: in some precisions a number has bytes that mean
   nothing. */
static bool same_value(const CosyVariable *v, const unsigned char *a,
                       const unsigned char *b)
{
    real x, y;
    if (v->type != COSY_TYPE_REAL)
        return memcmp(a, b, value_size(v)) == 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}

static Status note_changes(Run *r, const CosyVariable *v, bool above)
{
    const unsigned char *data = r->c->data;
    const unsigned char *old = r->slide.data.bytes + 2 * r->model->data_size;
    uint32_t size = value_size(v);
    for (uint32_t e = 0; e < v->rows * v->columns; e++) {
        SlideSwitch s;
        uint32_t place = v->place + e * size;
        const unsigned char *near = old + place, *far = data + place;
        if (same_value(v, near, far))
            continue;
        memset(&s, 0, sizeof s);
        s.place = place;
        s.size = size;
        memcpy(s.above, above ? near : far, size);
        memcpy(s.below, above ? far : near, size);
        if (!vector_append(&r->slide.turned, &s, sizeof s))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* Puts the discrete variables that the body has changed into `turned`; none if
   it has changed anything else, such as states or the calendar. */
static Status selected(Run *r, bool above)
{
    Slide *s = &r->slide;
    const CosyModel *m = r->model;
    s->turned.used = 0;
    if (!s->looks || memcmp(&s->head, r->c->head, sizeof s->head) != 0 ||
        s->marks != attributes_hash(r->c) ||
        memcmp(field_of(r, FIELD_BEFORE), r->c->x,
               r->c->head->states * sizeof(real)) != 0)
        return STATUS_OK;
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (m->variables[k].kind == COSY_REAL &&
            m->variables[k].process == COSY_NONE)
            TRY(note_changes(r, &m->variables[k], above));
    return STATUS_OK;
}

/* Whether this body undoes what the one before it did, with no visible time
   between them. */
static bool takes_back(const Run *r)
{
    const Slide *s = &r->slide;
    return s->turned.used && s->turned.used == s->changed.used &&
           memcmp(s->turned.bytes, s->changed.bytes, s->turned.used) == 0 &&
           cosy_abs(r->c->head->t - s->state.selected_t) <=
               R(1e3) * slide_far_away(r);
}

/* Two bodies that switch a selector back and forth act like a hidden relation.
   */
static Status enter_selected(Run *r, const Watched *w)
{
    Slide *s = &r->slide;
    Trial k = {.w = w, .side = w->side > 0};
    size_t switches = s->switches.used, size = r->model->data_size;
    uint32_t span = (uint32_t)(s->spans.used / sizeof(RunSpan));
    unsigned char *far = s->data.bytes + 2 * size;
    SlideSwitch *turned = (SlideSwitch *)(void *)s->turned.bytes;
    bool entered;
    k.off = cosy_max(cosy_max(cosy_abs(w->z), w->tol),
                     cosy_abs(w->dz) * slide_least_time(r));
    memcpy(far, r->c->data, size);
    for (size_t i = 0; i < s->turned.used / sizeof *turned; i++)
        turned[i].surface = s->state.surfaces;
    if (!vector_append(&s->switches, s->turned.bytes, s->turned.used) ||
        !vector_fit(&s->prints, (r->watch.room + 1) * sizeof(Print)))
        return STATUS_MEMORY;
    s->state.surface[s->state.surfaces++] = (SlideSurface){
        .id = w->id, .copy = w->copy, .home = k.side, .span = span};
    field_sides(r, field_home(r));
    TRY(collect(r, &k, span));
    TRY(decide(r, &k, switches, span, &entered));
    if (!entered)
        memcpy(r->c->data, far, size);
    return STATUS_OK;
}

Status slide_event(Run *r, const Watched *w)
{
    Slide *s = &r->slide;
    uint32_t rests = s->state.rests;
    if (!s->able)
        return STATUS_OK;
    TRY(selected(r, w->side > 0));
    TRY(rest_event(r, w));
    if (takes_back(r) && s->state.rests == rests &&
        s->state.surfaces < SLIDE_SURFACES)
        return enter_selected(r, w);
    s->state.selected_t = r->c->head->t;
    s->changed.used = 0;
    return vector_append(&s->changed, s->turned.bytes, s->turned.used)
               ? STATUS_OK
               : STATUS_MEMORY;
}
