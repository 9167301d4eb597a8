#include "run/carried.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "stats/value.h"

#define AGREE R(1e-6) // relative difference of two tau that count as one

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

/* ---- Where companions are ------------------------------------------------------- */

void carried_each(const Run *r, CarriedEach each, void *user)
{
    const CosyModel *m = r->model;
    const Cosy *c = r->c;
    for (uint32_t k = 0; k < m->n_companions; k++) {
        const CosyCompanion *p = &m->companions[k];
        if (p->kind != COSY_STATE)
            continue;
        bool copied = p->process != COSY_NONE;
        uint32_t copies = copied ? c->copy[p->process].active : 1;
        uint32_t first = copied ? c->copy[p->process].first : 0;
        uint32_t each_states = copied ? m->copies[p->process].states : 0;
        for (uint32_t i = 0; i < copies; i++, first += each_states)
            for (uint32_t j = 0; j < p->count; j++)
                each(user, p->sense, first + p->of + j, first + p->place + j);
    }
}

static void set_tau(Run *r, bool inside)
{
    const CosyModel *m = r->model;
    for (uint32_t j = 0; j < m->n_senses; j++) {
        if (m->senses[j].tau == COSY_NONE)
            continue;
        real tau = inside ? reals(&r->carried.tau)[j] : R(0.0);
        memcpy((unsigned char *)r->c->data + m->senses[j].tau, &tau,
               sizeof tau);
    }
}

/* ---- Losing them -------------------------------------------------------------------- */

/* What is done with each companion of one parameter. */
typedef struct Visit {
    Run *r;
    uint32_t sense;
    bool sets;   // to `value`
    bool finite; // all of them were
    real value;
} Visit;

static void visit_value(Visit *v, real *at)
{
    v->finite = v->finite && cosy_finite(*at);
    if (v->sets)
        *at = v->value;
}

static void visit_state(void *user, uint32_t sense, uint32_t of,
                        uint32_t companion)
{
    Visit *v = user;
    (void)of;
    if (sense == v->sense)
        visit_value(v, v->r->c->x + companion);
}

static void visit(Visit *v)
{
    const CosyModel *m = v->r->model;
    carried_each(v->r, visit_state, v);
    for (uint32_t k = 0; k < m->n_companions; k++) {
        const CosyCompanion *p = &m->companions[k];
        if (p->sense != v->sense || p->kind == COSY_STATE ||
            p->process != COSY_NONE)
            continue;
        real *at = (real *)(void *)((unsigned char *)v->r->c->data + p->place);
        for (uint32_t i = 0; i < p->count; i++)
            visit_value(v, at + i);
    }
}

static void set_all(Run *r, uint32_t sense, real value)
{
    Visit v = {.r = r, .sense = sense, .sets = true, .value = value};
    visit(&v);
}

static void lose(Run *r, uint32_t sense, const char *why)
{
    char text[500];
    Carried *k = &r->carried;
    if (k->lost[sense])
        return;
    k->lost[sense] = 1;
    reals(&k->tau)[sense] = R(0.0);
    set_all(r, sense, R(0.0)); // what goes on must remain small
    if (r->model->senses[sense].silent)
        return;
    snprintf(text, sizeof text,
             "time %.15g%s%s: derivatives by %s end here: %s. They have no "
             "value from here on",
             (double)r->c->head->t, COSY_IN_TIME(r->model),
             r->model->senses[sense].name, why);
    r->c->host->message(r->c, COSY_WARNING, 0, text);
}

Status carried_lose(Run *r, const char *why)
{
    for (uint32_t j = 0; j < r->carried.n; j++)
        if (r->model->senses[j].tau != COSY_NONE)
            lose(r, j, why);
    return STATUS_OK;
}

/* Bodies may have found some that do not exist, as that of SQRT(X) where X is 0. */
static void lose_infinite(Run *r, const char *why)
{
    for (uint32_t j = 0; j < r->carried.n; j++) {
        Visit v = {.r = r, .sense = j, .finite = true};
        visit(&v);
        if (v.finite)
            continue;
        lose(r, j, why);
        set_all(r, j, R(0.0));
    }
}

static bool is_place_of(const CosyCompanion *p, const CosyVariable *v)
{
    return p->kind == v->kind && p->process == v->process &&
           p->place == v->place;
}

bool carried_is_lost(const Run *r, uint32_t variable)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_companions; k++)
        if (r->carried.lost[m->companions[k].sense] &&
            is_place_of(&m->companions[k], &m->variables[variable]))
            return true;
    return false;
}

void carried_blank(const Run *r, real *row)
{
    const CosyModel *m = r->model;
    uint32_t column = 1;
    if (r->carried.n == 0 || !memchr(r->carried.lost, 1, r->carried.n))
        return;
    for (uint32_t k = 0; k < m->n_stored; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        uint32_t count = value_is_global(v) ? value_count(v) : 0;
        bool lost = carried_is_lost(r, m->stored[k]);
        for (uint32_t i = 0; i < count; i++, column++)
            if (lost)
                row[column] = (real)NAN;
    }
}

/* ---- The time of an instant ------------------------------------------------------------ */

/* Conditions of the model itself, whatever slides and rests have made of them. */
static Status conditions_here(Run *r, uint32_t *count)
{
    const CosyModel *m = r->code;
    Carried *k = &r->carried;
    const Solver *s = &r->solver;
    uint32_t most = r->watch.room, slopes = 0;
    size_t list = most * sizeof(CosyCondition);
    size_t slope = 2 * (size_t)most * k->n * sizeof(real);
    if (!vector_fit(&k->list, list) || !vector_fit(&k->slope, slope))
        return STATUS_MEMORY;
    CosyStatus status =
        m->conditions(r->c, s->t, r->c->x, s->dx,
                      (CosyCondition *)(void *)k->list.bytes, count);
    if (status == COSY_OK)
        status = m->condition_slopes(r->c, s->t, r->c->x, s->dx,
                                     reals(&k->slope), &slopes);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "a condition");
}

static bool decides(const Run *r, const Watched *w)
{
    if (!w->fired || w->id >= r->model->n_conditions_info)
        return false;
    return r->model->conditions_info[w->id].kind != COSY_RANGE;
}

/* dt/dp of one condition; false: it touches its threshold. */
static bool tau_of(const Run *r, const CosyCondition *z, real slope, real size,
                   real *tau)
{
    const Solver *s = &r->solver;
    real span = cosy_abs(s->t - r->options.from);
    *tau = R(0.0);
    if (slope == R(0.0))
        return true;
    *tau = -slope / z->dz;
    return cosy_abs(z->dz) * span > cosy_sqrt(COSY_EPSILON) * size;
}

static bool agree(real a, real b)
{
    return cosy_abs(a - b) <= AGREE * (cosy_abs(a) + cosy_abs(b));
}

static void take_tau(Run *r, const Watched *w, uint32_t at, bool first)
{
    static const char touches[] = "a condition only touches its threshold, and "
                                  "when it does so depends on "
                                  "the parameter infinitely fast";
    static const char together[] =
        "events that depend on it in different ways happen at one instant, so "
        "that their order changes with it";
    Carried *k = &r->carried;
    const CosyCondition *z = (const CosyCondition *)(void *)k->list.bytes + at;
    for (uint32_t j = 0; j < k->n; j++) {
        real tau, *had = reals(&k->tau) + j;
        if (k->lost[j])
            continue;
        if (!tau_of(r, z, reals(&k->slope)[2 * (size_t)at * k->n + j], w->size,
                    &tau))
            lose(r, j, touches);
        else if (first)
            *had = tau;
        else if (!agree(tau, *had))
            lose(r, j, together);
    }
}

/* Events that are due at a time of their own. */
static bool is_due(const Run *r)
{
    const CosyModel *m = r->model;
    real t = r->c->head->t;
    bool due = cosy_calendar_next(r->c) <= t;
    for (uint32_t k = 0; k < m->n_clocks; k++)
        due = due || run_clock_time(&m->clocks[k], r->c->clock[k]) <= t;
    return due;
}

/* ---- Instants ----------------------------------------------------------------------------- */

Status carried_due(Run *r, bool *moving)
{
    Carried *k = &r->carried;
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    uint32_t count = 0;
    bool any = false;
    *moving = false;
    k->quiet = true;
    if (k->n == 0 || !r->model->condition_slopes || !r->state.running ||
        r->solver.t != r->c->head->t)
        return STATUS_OK;
    for (uint32_t i = 0; i < r->watch.count; i++)
        any = any || decides(r, &w[i]);
    if (!any)
        return STATUS_OK;
    TRY(conditions_here(r, &count));
    const CosyCondition *z = (const CosyCondition *)(void *)k->list.bytes;
    memset(k->tau.bytes, 0, k->tau.used);
    bool first = true;
    for (uint32_t i = 0; i < r->watch.count; i++)
        for (uint32_t at = 0; decides(r, &w[i]) && at < count; at++)
            if (z[at].id == w[i].id && z[at].copy == w[i].copy) {
                take_tau(r, &w[i], at, first);
                first = false;
            }
    for (uint32_t j = 0; j < k->n; j++) {
        if (reals(&k->tau)[j] != R(0.0) && is_due(r))
            lose(
                r, j,
                "an event whose time does not depend on it happens at the same "
                "instant as one whose time does");
        *moving = *moving || reals(&k->tau)[j] != R(0.0);
    }
    return STATUS_OK;
}

static void shift(void *user, uint32_t sense, uint32_t of, uint32_t companion)
{
    Run *r = user;
    Carried *k = &r->carried;
    real *x = r->c->x;
    reals(&k->before)[companion] = x[companion];
    x[companion] += reals(&k->rate)[of] * reals(&k->tau)[sense];
    reals(&k->shifted)[companion] = x[companion];
}

static void lose_all(Run *r, const real *tau, const char *why)
{
    for (uint32_t j = 0; j < r->carried.n; j++)
        if (!agree(tau[j], reals(&r->carried.tau)[j]))
            lose(r, j, why);
}

Status carried_scheduled(Run *r, uint32_t event, uint32_t record)
{
    static const char together[] =
        "events that depend on it in different ways happen at one instant, so "
        "that their order changes with it";
    Carried *k = &r->carried;
    real *now = reals(&k->due);
    bool moves = false;
    memset(now, 0, k->n * sizeof *now);
    if (!k->inside)
        memset(k->tau.bytes, 0, k->tau.used);
    if (r->model->event_slopes)
        r->model->event_slopes(r->c, event, record, now);
    for (uint32_t j = 0; j < k->n; j++) {
        now[j] = k->lost[j] ? R(0.0) : now[j];
        moves = moves || now[j] != R(0.0);
    }
    if (k->inside || (moves && !k->quiet))
        lose_all(r, now, together);
    else if (moves && (!r->state.running || r->solver.t != r->c->head->t))
        lose_all(r, now, "an event that depends on it happens at the start");
    else if (moves) {
        memcpy(k->tau.bytes, now, k->tau.used);
        return carried_enter(r);
    }
    return STATUS_OK;
}

static void shift_back(void *user, uint32_t sense, uint32_t of,
                       uint32_t companion)
{
    Run *r = user;
    Carried *k = &r->carried;
    real *x = r->c->x, tau = reals(&k->tau)[sense];
    if (k->structure == r->c->head->structure &&
        x[companion] == reals(&k->shifted)[companion])
        x[companion] = reals(&k->before)[companion] +
                       (reals(&k->rate)[of] - r->dx[of]) * tau;
    else
        x[companion] -= r->dx[of] * tau;
}

static Status room(Vector *v, size_t n)
{
    v->used = 0;
    return vector_append(v, NULL, n * sizeof(real)) ? STATUS_OK : STATUS_MEMORY;
}

void carried_done(Run *r)
{
    r->carried.quiet = false;
    lose_infinite(r, "what a statement assigns here has none");
}

Status carried_enter(Run *r)
{
    Carried *k = &r->carried;
    size_t n = r->c->head->states;
    TRY(room(&k->before, n));
    TRY(room(&k->shifted, n));
    TRY(room(&k->rate, n));
    memcpy(k->rate.bytes, r->solver.dx, n * sizeof(real));
    k->inside = true;
    k->structure = r->c->head->structure;
    carried_each(r, shift, r);
    set_tau(r, true);
    return run_present(r, r->c->head->t, r->c->x);
}

Status carried_leave(Run *r)
{
    Carried *k = &r->carried;
    if (!k->inside)
        return STATUS_OK;
    k->inside = false;
    k->ended = r->c->head->request == COSY_FINISH_RUN;
    set_tau(r, false);
    TRY(run_derivatives(r));
    carried_each(r, shift_back, r);
    TRY(run_present(r, r->c->head->t, r->c->x));
    return run_derivatives(r);
}

static void shift_end(void *user, uint32_t sense, uint32_t of,
                      uint32_t companion)
{
    Run *r = user;
    real tau = reals(&r->carried.tau)[sense];
    r->c->x[companion] += (r->carried.ended ? tau : -tau) * r->dx[of];
}

static Status move_end(Run *r)
{
    TRY(run_derivatives(r));
    carried_each(r, shift_end, r);
    set_tau(r, r->carried.ended);
    return run_present(r, r->c->head->t, r->c->x);
}

Status carried_end(Run *r)
{
    return r->carried.ended ? move_end(r) : STATUS_OK;
}

Status carried_resume(Run *r)
{
    if (!r->carried.ended)
        return STATUS_OK;
    r->carried.ended = false;
    return move_end(r);
}

/* ---- Life ------------------------------------------------------------------------------------ */

Status carried_create(Run *r)
{
    Carried *k = &r->carried;
    k->n = r->model->n_senses;
    if (k->n == 0)
        return STATUS_OK;
    k->lost = NEW_ARRAY(&r->arena, uint8_t, k->n);
    if (!k->lost || !vector_append(&k->tau, NULL, k->n * sizeof(real)) ||
        !vector_append(&k->due, NULL, k->n * sizeof(real)))
        return STATUS_MEMORY;
    r->c->lost = k->lost;
    return image_add(&r->image, &r->arena, "carried", k->lost, k->n);
}

void carried_begin(Run *r)
{
    Carried *k = &r->carried;
    if (k->n == 0)
        return;
    memset(k->lost, 0, k->n);
    k->ended = k->inside = false;
    lose_infinite(
        r, "it begins with values that have none: INITIAL assigns what has "
           "none, or the run before has lost them");
}

void carried_close(Run *r)
{
    for (uint32_t j = 0; j < r->carried.n; j++)
        if (r->carried.lost[j])
            set_all(r, j, (real)NAN);
}

void carried_free(Run *r)
{
    Carried *k = &r->carried;
    vector_free(&k->tau);
    vector_free(&k->due);
    vector_free(&k->slope);
    vector_free(&k->list);
    vector_free(&k->before);
    vector_free(&k->shifted);
    vector_free(&k->rate);
    vector_free(&k->shares);
}
