#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "solve/bracket.h"
#include "solve/branch.h"

/* Everything that happens at one instant (docs/instant.md): branches follow the
   point; then samples, the calendar and state events, over and over until
   nothing is left. */

#define STATE_EVENTS_HERE 1000
#define EVENTS_HERE       1000000

real run_clock_time(const CosyClockInfo *clock, int64_t tick)
{
    real scale = (real)clock->parts;
    assert(clock->parts >= 1 && clock->period > 0);
    for (int32_t k = 0; k < clock->places; k++)
        scale *= R(10.0);
    if (COSY_RARELY(tick > INT64_MAX / 2 / clock->period)) // beyond integers
        return ((real)clock->offset + (real)tick * (real)clock->period) / scale;
    return (real)(clock->offset + tick * clock->period) / scale;
}

/* ---- Endless loops at one instant ------------------------------------------ */

static const char *recent_name(const Run *r, uint32_t code)
{
    const CosyModel *m = r->model;
    uint32_t which = code & 0xffffffu;
    switch ((LogKind)(code >> 24)) {
    case LOG_STATE: return m->state_events[which].name;
    case LOG_TIME: return m->time_events[which].name;
    case LOG_SAMPLE: return m->clocks[which].name;
    case LOG_PROCESS: return m->processes[which].name;
    case LOG_HIDDEN: return m->relations_info[which].text;
    case LOG_SLIDE:
    case LOG_REST: return m->conditions_info[which].name;
    default: return "?";
    }
}

static uint32_t recent_at(const Run *r, uint64_t back)
{
    return r->state.recent[(r->state.recent_count - 1 - back) % RECENT];
}

/* The smallest period in the ring of the latest events; 0 if there is none. */
static uint32_t recent_period(const Run *r)
{
    for (uint32_t p = 1; p <= RECENT / 3; p++) {
        bool same = true;
        for (uint32_t k = 0; same && k < 2 * p; k++)
            same = recent_at(r, k) == recent_at(r, k + p);
        if (same)
            return p;
    }
    return 0;
}

/* Line of the last event; 0: it has none. */
static uint32_t recent_line(const Run *r)
{
    const CosyModel *m = r->model;
    uint32_t code = recent_at(r, 0), which = code & 0xffffffu;
    switch ((LogKind)(code >> 24)) {
    case LOG_STATE: return m->state_events[which].line;
    case LOG_TIME: return m->time_events[which].line;
    case LOG_SAMPLE: return m->clocks[which].line;
    case LOG_PROCESS: return m->processes[which].line;
    case LOG_HIDDEN: return m->relations_info[which].line;
    case LOG_SLIDE:
    case LOG_REST: return m->conditions_info[which].line;
    default: return 0;
    }
}

/* The fault of endless events, `many` so far, with their cycle if there is one.
   */
static Status endless(Run *r, const char *what, const char *way, uint64_t many)
{
    char cycle[200] = "", place[200] = "";
    size_t used = 0;
    if (recent_line(r))
        snprintf(place, sizeof place, "%.180s:%u: ", r->model->source,
                 (unsigned)recent_line(r));
    uint32_t period = recent_period(r);
    uint32_t shown = period ? period : 8;
    for (uint32_t k = shown; k-- > 0 && used < sizeof cycle;)
        used += (size_t)snprintf(cycle + used, sizeof cycle - used, "%s -> ",
                                 recent_name(r, recent_at(r, k)));
    return fault_set(&r->fault, STATUS_EVENT_LOOP,
                     "%stime %.17g%s%s: %s: %s%s (%llu so far). %s", place,
                     (double)r->c->head->t, COSY_IN_TIME(r->model), what, cycle,
                     period ? recent_name(r, recent_at(r, shown - 1)) : "...",
                     (unsigned long long)many, way);
}

static void ring_note(RunState *s, LogKind kind, uint32_t which)
{
    s->recent[s->recent_count++ % RECENT] = (uint32_t)kind << 24 | which;
}

/* Many events at this instant: notes which, and stops them if they do not end.
   */
static Status note_many(Run *r, LogKind kind, uint32_t which)
{
    RunState *s = &r->state;
    if (kind == LOG_STATE || kind == LOG_HIDDEN)
        return STATUS_OK; // note_close counts it
    if (s->here == RECENT + 1)
        s->recent_count = 0;
    ring_note(s, kind, which);
    if (s->here <= EVENTS_HERE)
        return STATUS_OK;
    return endless(r, "events at one instant do not end",
                   "Let time advance in one of them", s->here);
}

/* State events so close to each other that time hardly moves: they go round at
   one instant, chatter, or accumulate. All active conditions may fire together
   without that. */
static Status note_close(Run *r, LogKind kind, uint32_t which)
{
    RunState *s = &r->state;
    real t = r->c->head->t;
    real visible = R(1e6) * COSY_EPSILON * cosy_abs(t);
    if (!r->options.to_finish)
        visible = cosy_max(visible,
                           R(1e-9) * cosy_abs(r->options.to - r->options.from));
    if (s->close == 0 || cosy_abs(t - s->close_t) > visible) {
        s->close_t = t;
        s->close = s->recent_count = 0;
    }
    ring_note(s, kind, which);
    if (++s->close <= STATE_EVENTS_HERE + 4 * (uint64_t)r->watch.count)
        return STATUS_OK;
    return endless(r, "state events follow each other without time advancing",
                   slide_refusal(r), s->close);
}

uint64_t run_events(const Run *r)
{
    uint64_t n = 0;
    for (int k = 0; k < LOG_KINDS; k++)
        n += r->record.counts[k];
    return n;
}

static Status too_many(Run *r)
{
    uint64_t most = r->options.limit_events;
    if (run_events(r) < most)
        return STATUS_OK;
    return fault_set(
        &r->fault, STATUS_STOPPED,
        "time %.17g%s%s: stopped: the limit of %llu events is reached",
        (double)r->c->head->t, COSY_IN_TIME(r->model),
        (unsigned long long)most);
}

/* --trace: an event is about to happen; `id` is a place in the pool. */
static inline void trace(Run *r, LogKind kind, uint32_t which, uint64_t id)
{
    if (COSY_RARELY(r->options.tracer != NULL))
        trace_event(r->options.tracer, r->c, kind, which, id);
}

/* Counts and logs an event that is about to happen. */
static inline Status note(Run *r, LogKind kind, uint32_t which, uint64_t detail)
{
    RunState *s = &r->state;
    real t = r->c->head->t;
    s->here = s->here_t == t ? s->here + 1 : 0;
    s->here_t = t;
    if (COSY_RARELY(s->here > RECENT))
        TRY(note_many(r, kind, which));
    if (kind == LOG_STATE || kind == LOG_HIDDEN)
        TRY(note_close(r, kind, which));
    if (COSY_RARELY(r->options.limit_events != 0))
        TRY(too_many(r));
    return record_busy(&r->record, kind, which, detail, t);
}

/* The near side of an instant is recorded before its first event. */
static Status near_side(Run *r, uint8_t what)
{
    uint8_t before = r->state.events_here;
    r->state.events_here |= what;
    if (before || r->state.no_near)
        return STATUS_OK;
    return run_communicate_row(r);
}

/* ---- Consistent values ----------------------------------------------------- */

/* A delay of zero gives its present input, which may depend on everything that
   has just become consistent. */
Status run_delays_settle(Run *r)
{
    bool changed = r->history.delays > 0;
    for (uint32_t k = 0; changed; k++) {
        TRY(history_settle(&r->history, r->c->head->t, r->c->x, k, &changed));
        if (changed)
            TRY(run_consistent(r));
    }
    return STATUS_OK;
}

Status run_present(Run *r, real t, const real *x)
{
    Cosy *c = r->c;
    assert(t == t);
    c->head->t = t;
    if (x != c->x)
        memcpy(c->x, x, c->head->states * sizeof(real));
    if (!r->model->outputs)
        return STATUS_OK;
    CosyStatus status = r->model->outputs(c, t, c->x);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "an equation");
}

/* During a slide or a rest: the body may have ended it. */
static Status still_there(Run *r)
{
    bool changed;
    TRY(slide_check(r, &changed));
    return changed ? run_consistent(r) : STATUS_OK;
}

/* What rested in a copy before it fell asleep may rest again. */
static Status awake(Run *r)
{
    bool changed;
    TRY(doze_wake(r, &changed));
    return changed ? run_consistent(r) : STATUS_OK;
}

/* After a body: copies that were deleted leave; branches, algebraic values and
   conditions are brought up to date. */
static Status after_body(Run *r)
{
    Cosy *c = r->c;
    if (COSY_RARELY(r->carried.n != 0))
        carried_done(r);
    if (!r->continuous)
        return STATUS_OK;
    if (COSY_RARELY(r->model->n_copies != 0))
        TRY(run_settle(r));
    TRY(run_consistent(r));
    TRY(run_delays_settle(r));
    if (r->slide.installed)
        TRY(still_there(r));
    if (COSY_RARELY(r->slide.dozing.used != 0))
        TRY(awake(r));
    if (!r->model->conditions)
        return STATUS_OK;
    TRY(run_derivatives(r));
    if (watch_event(&r->watch, c->head->t, c->x, r->dx) != STATUS_OK)
        return run_condition_failed(r, STATUS_NUMBER, c->head->t);
    return range_look(r);
}

/* What went into a delay one delay ago comes out. */
static Status delayed(Run *r)
{
    uint32_t level;
    int order = r->solver.method->order;
    if (!history_due(&r->history, r->c->head->t))
        return STATUS_OK;
    TRY(near_side(r, HERE_DELAY));
    TRY(history_pass(&r->history, r->c->head->t, order, &level));
    if (level <= (uint32_t)order)
        r->state.running = 0;
    return after_body(r);
}

/* Events from the calendar or a clock find the algebraic values of this
   instant. After a step that ends at a state condition they are there already.
   */
static Status scheduled_side(Run *r)
{
    if (r->state.events_here == 0 && !r->outputs_each && !r->state.no_near)
        TRY(run_present_outputs(r));
    return near_side(r, HERE_EVENT);
}

/* ---- The three kinds of events --------------------------------------------- */

static bool going_on(const Run *r)
{
    return r->c->head->request == COSY_GO_ON;
}

static Status samples(Run *r, bool *any)
{
    const CosyModel *m = r->model;
    Cosy *c = r->c;
    for (uint32_t k = 0; k < m->n_clocks && going_on(r); k++) {
        if (run_clock_time(&m->clocks[k], c->clock[k]) != c->head->t)
            continue;
        c->clock[k]++;
        TRY(scheduled_side(r));
        TRY(note(r, LOG_SAMPLE, k, COSY_NONE));
        trace(r, LOG_SAMPLE, k, COSY_NONE);
        CosyStatus status = m->sample(c, k);
        if (status != COSY_OK)
            return run_event_failed(r, status, m->clocks[k].name,
                                    m->clocks[k].line);
        TRY(after_body(r));
        *any = true;
    }
    return STATUS_OK;
}

static Status time_body(Run *r, uint32_t event, uint32_t record)
{
    Cosy *c = r->c;
    CosyStatus status = r->model->time_event(c, event, record);
    if (status != COSY_OK)
        return run_event_failed(r, status, r->model->time_events[event].name,
                                r->model->time_events[event].line);
    if (record != COSY_NONE)
        cosy_record_free(c, record);
    return STATUS_OK;
}

static Status process_failed(Run *r, CosyStatus status, uint64_t body)
{
    const CosyProcessInfo *info = &r->model->processes[COSY_BODY_WHICH(body)];
    r->running = COSY_BODY_ID(body);
    return run_event_failed(r, status, info->name, info->line);
}

/* Time events of a copy vanish with it. */
static bool copy_of_event(const Run *r, uint32_t event, uint32_t record,
                          uint32_t *number)
{
    int64_t n;
    uint32_t process = r->model->time_events[event].process - 1;
    memcpy(&n, cosy_record(r->c, record) + 1, sizeof n);
    *number = (uint32_t)n;
    return cosy_copy_find(r->c, process, n) != COSY_NONE;
}

/* Counts, logs and carries out an entry of the calendar. */
static inline Status pending_body(Run *r, const CosyPending *p)
{
    uint32_t which = COSY_BODY_WHICH(p->body), id = COSY_BODY_ID(p->body);
    if (COSY_BODY_WHAT(p->body) == COSY_RESUMPTION) {
        TRY(note(r, LOG_PROCESS, which, cosy_transaction(r->c, id)->number));
        trace(r, LOG_PROCESS, which, id);
        CosyStatus status = r->model->resume(r->c, id);
        return COSY_RARELY(status != COSY_OK)
                   ? process_failed(r, status, p->body)
                   : STATUS_OK;
    }
    uint32_t whose = COSY_NONE;
    if (COSY_RARELY(r->model->time_events[which].process != 0) &&
        !copy_of_event(r, which, id, &whose)) {
        cosy_record_free(r->c, id);
        return STATUS_OK;
    }
    TRY(note(r, LOG_TIME, which, whose));
    trace(r, LOG_TIME, which, whose);
    if (COSY_RARELY(r->carried.n != 0))
        TRY(carried_scheduled(r, which, id));
    return time_body(r, which, id);
}

/* In a model with a loop of its own the body of an entry has failed. */
static Status round_failed(Run *r, CosyStatus status, uint64_t body)
{
    const CosyModel *m = r->model;
    uint32_t which = COSY_BODY_WHICH(body);
    if (COSY_BODY_WHAT(body) == COSY_RESUMPTION)
        return process_failed(r, status, body);
    return run_event_failed(r, status, m->time_events[which].name,
                            m->time_events[which].line);
}

/* ... --trace: the next entry, which stays where it is. */
static void trace_next(Run *r)
{
    const Cosy *c = r->c;
    const CosyPending *p = c->head->lane_count && cosy_lane_leads(c)
                               ? c->lane + c->head->lane_head
                               : c->heap + COSY_ROOT;
    bool process = COSY_BODY_WHAT(p->body) == COSY_RESUMPTION;
    trace(r, process ? LOG_PROCESS : LOG_TIME, COSY_BODY_WHICH(p->body),
          COSY_BODY_ID(p->body));
}

/* ... the next entry up to `limit`, with everything that is noted about it. */
static Status one_entry(Run *r, real limit, bool *any)
{
    Cosy *c = r->c;
    CosyLogged entry;
    CosyRound round = {.limit = limit, .most = 1, .log = &entry};
    real t = cosy_calendar_next(c);
    *any = t <= limit && t < COSY_NEVER; // an endless run has no limit either
    if (!*any)
        return STATUS_OK;
    c->head->t = t;
    if (r->options.limit_events)
        TRY(too_many(r));
    if (r->options.tracer) {
        cosy_heap_close(c);
        trace_next(r);
    }
    CosyStatus status = r->model->discrete(c, &round);
    TRY(note(r, (LogKind)entry.kind, entry.which, entry.detail));
    return status == COSY_OK ? STATUS_OK : round_failed(r, status, round.body);
}

/* ... every entry that is due. */
static Status entries_due(Run *r, bool *any)
{
    Cosy *c = r->c;
    for (bool more = true; more && going_on(r); *any = *any || more) {
        if (cosy_calendar_next(c) > c->head->t)
            return STATUS_OK;
        TRY(scheduled_side(r));
        TRY(one_entry(r, c->head->t, &more));
        TRY(after_body(r));
    }
    return STATUS_OK;
}

static Status calendar(Run *r, bool *any)
{
    Cosy *c = r->c;
    CosyPending p;
    if (r->model->discrete)
        return entries_due(r, any);
    while (going_on(r) && cosy_calendar_due(c, c->head->t, &p)) {
        TRY(scheduled_side(r));
        TRY(pending_body(r, &p));
        TRY(after_body(r));
        *any = true;
    }
    return STATUS_OK;
}

#define AGREE_MOST 20 // doublings of a last place of time

/* Repeats the step to end at t, on the near side of the relation at `place`, and
   makes its end the present point, on the far side. */
static Status go_on_to(Run *r, real t, uint32_t place, int32_t near,
                       int32_t far)
{
    Solver *s = &r->solver;
    r->c->branch[place] = near;
    Status status = s->method->redo(s, t);
    r->c->branch[place] = far;
    if (status != STATUS_OK)
        return status;
    r->c->head->t = s->t;
    memcpy(r->c->x, s->x, s->n * sizeof(real));
    return STATUS_OK;
}

/* A relation may be part of its own loop: on its far side other equations say
   what it is, and where both sides agree except for rounding errors, these may
   take it back. Then the point moves on by last places of time until the far
   side agrees with itself; if it never does, everything is as before. */
static Status go_on_until_agreed(Run *r, uint32_t place, int32_t near)
{
    Cosy *c = r->c;
    const Solver *s = &r->solver;
    int32_t far = c->branch[place], *wanted;
    real t = c->head->t, way = time_ulp(t) * (real)r->direction;
    TRY(run_branches_wanted(r, &wanted));
    if (wanted[place] != near || !r->state.running || s->t != t ||
        r->carried.inside || memcmp(s->x, c->x, s->n * sizeof(real)) != 0)
        return STATUS_OK;
    for (int k = 0; k < AGREE_MOST; k++, way *= R(2.0)) {
        if ((r->limit - t - way) * (real)r->direction < R(0.0) ||
            go_on_to(r, t + way, place, near, far) != STATUS_OK)
            break;
        TRY(run_branches_wanted(r, &wanted));
        if (wanted[place] == far)
            return STATUS_OK;
    }
    return go_on_to(r, t, place, near, far);
}

/* The branch of a hidden condition takes the value of the far side, where the
   point is now. At the edge the relation may still have its old value; then, if
   there are two sides, the branch becomes the other one. Segments, each watched
   in one direction, wait until their edge is passed. */
static Status flip(Run *r, const Watched *w, uint32_t relation)
{
    bool sides = r->model->conditions_info[w->id].direction == 0;
    uint32_t place = branch_place(r->c, relation, w->copy);
    assert(place < instance_branches(&r->instance));
    int32_t *branch = r->c->branch, *wanted, near = branch[place];
    TRY(note(r, LOG_HIDDEN, relation, w->number));
    trace(r, LOG_HIDDEN, relation, w->number);
    TRY(run_branches_wanted(r, &wanted));
    if (wanted[place] != branch[place])
        branch[place] = wanted[place];
    else if (sides)
        branch[place] ^= 1;
    return sides ? go_on_until_agreed(r, place, near) : STATUS_OK;
}

/* A hidden condition has fired: a slide begins or ends, or its branch changes. */
static Status hidden(Run *r, const Watched *w, uint32_t relation)
{
    bool entered;
    if (r->slide.able && w->id >= r->slide.first_row) {
        TRY(note_close(r, LOG_SLIDE, w->id));
        return slide_leave(r, w);
    }
    TRY(slide_enter(r, w, &entered));
    return entered ? note(r, LOG_HIDDEN, relation, w->number)
                   : flip(r, w, relation);
}

/* The copy of a condition is that of its process, and the element in it. */
CosyStatus run_state_body(Run *r, const CosyConditionInfo *k, uint32_t copy)
{
    uint32_t each = condition_elements(k);
    return condition_process(k) == COSY_NONE
               ? r->model->state_event(r->c, k->event, COSY_NONE, copy)
               : r->model->state_event(r->c, k->event, copy / each,
                                       copy % each);
}

static Status state_body(Run *r, const Watched *w, const CosyConditionInfo *k)
{
    TRY(note(r, LOG_STATE, k->event, w->number));
    TRY(slide_before(r, w));
    trace(r, LOG_STATE, k->event, w->number);
    CosyStatus status = run_state_body(r, k, w->copy);
    return status == COSY_OK
               ? slide_event(r, w)
               : run_event_failed(r, status, k->name,
                                  r->model->state_events[k->event].line);
}

/* Carries out one event: that of the first condition that has fired, or of the
   first hidden one. Then everything is evaluated anew. */
static Status state_event(Run *r, bool only_hidden, bool *any)
{
    Watched w;
    if (!r->model->conditions || !going_on(r) ||
        !watch_take(&r->watch, only_hidden, &w))
        return STATUS_OK;
    const CosyConditionInfo *k = &r->model->conditions_info[w.id];
    assert(!only_hidden || k->kind == COSY_HIDDEN);
    assert(w.stand == STAND_TAKEN && !w.fired);
    *any = true;
    if (k->kind !=
        COSY_WAIT) // a transaction that waits may have to keep waiting
        TRY(near_side(r, HERE_EVENT));
    switch (k->kind) {
    case COSY_CONDIT: TRY(state_body(r, &w, k)); break;
    case COSY_HIDDEN: TRY(hidden(r, &w, k->event)); break;
    case COSY_RANGE: break; // range_look handles it
    case COSY_WAIT:
        TRY(note_close(r, LOG_PROCESS, k->process));
        TRY(run_until_located(r, &w));
        break;
    case COSY_FINISH: r->c->head->request = COSY_FINISH_RUN; break;
    }
    return after_body(r);
}

/* ---- Where nothing is continuous --------------------------------------------- */

/* Loops at one instant are looked for only now and then: if time has not moved
   while many entries were carried out, the careful way takes over and notes
   every one. */
static bool is_crowded(const Run *r)
{
    const RunState *s = &r->state;
    return s->here > RECENT && s->here_t == r->c->head->t;
}

/* Counts the events that have happened at the present instant without being
   noted. */
static void note_crowd(Run *r, uint32_t many)
{
    RunState *s = &r->state;
    real t = r->c->head->t;
    s->here = s->here_t == t ? s->here + many : many;
    s->here_t = t;
}

/* One entry of the calendar when the log is full: it is only counted. */
static inline Status pending_plain(Run *r, const CosyPending *p)
{
    uint32_t which = COSY_BODY_WHICH(p->body), id = COSY_BODY_ID(p->body);
    if (COSY_BODY_WHAT(p->body) == COSY_RESUMPTION) {
        r->record.counts[LOG_PROCESS]++;
        CosyStatus status = r->model->resume(r->c, id);
        return COSY_RARELY(status != COSY_OK)
                   ? process_failed(r, status, p->body)
                   : STATUS_OK;
    }
    r->record.counts[LOG_TIME]++;
    return time_body(r, which, id);
}

/* One round of a model that has its own loop. */
static Status round_go(Run *r, real limit, uint32_t most)
{
    CosyRound round = {.limit = limit, .most = most};
    real begun = r->c->head->t;
    TRY(record_open(&r->record, &round.most, &round.log));
    CosyStatus status = r->model->discrete(r->c, &round);
    record_round(&r->record, &round);
    if (r->c->head->t == begun)
        note_crowd(r, round.done);
    return status == COSY_OK ? STATUS_OK : round_failed(r, status, round.body);
}

static Status one_by_one(Run *r, real limit, uint32_t most)
{
    bool any = true;
    for (uint32_t k = 0; k < most && any && going_on(r); k++)
        TRY(one_entry(r, limit, &any));
    return STATUS_OK;
}

static Status rounds(Run *r, real limit, uint32_t most)
{
    if (r->options.limit_events || r->options.tracer || is_crowded(r))
        return one_by_one(r, limit, most);
    return round_go(r, limit, most);
}

/* When nothing else is left at the present instant, the transactions in WAIT
   UNTIL are asked. */
static Status discrete_until(Run *r)
{
    bool any = false;
    if (r->c->head->asks == 0 && !r->asks_always)
        return STATUS_OK;
    return cosy_calendar_next(r->c) > r->c->head->t ? run_until(r, &any)
                                                    : STATUS_OK;
}

Status run_discrete(Run *r, real limit, uint32_t most)
{
    if (r->model->discrete)
        return rounds(r, limit, most);
    Cosy *c = r->c;
    CosyHead *h = c->head; // it never moves
    real begun = h->t;
    bool careful = !r->record.full || r->options.limit_events ||
                   r->options.tracer || is_crowded(r);
    CosyPending p;
    uint32_t k = 0;
    for (; k < most && h->request == COSY_GO_ON; k++) {
        if (COSY_RARELY(h->untils != 0))
            TRY(discrete_until(r));
        if (!cosy_calendar_due(c, limit, &p))
            return STATUS_OK;
        h->t = p.t;
        TRY(careful ? pending_body(r, &p) : pending_plain(r, &p));
    }
    if (h->t == begun && !careful)
        note_crowd(r, k);
    return STATUS_OK;
}

/* The branches of relations that have crossed follow the point before anything
   looks at it. */
static Status branches_first(Run *r, bool *any)
{
    for (bool more = true; more; *any |= more) {
        more = false;
        TRY(state_event(r, true, &more));
    }
    return STATUS_OK;
}

/* No step goes beyond the end of a run: whatever is due there happens now. */
static void last_instant(Run *r)
{
    const CosyHead *h = r->c->head;
    if (r->model->conditions && !r->options.to_finish && h->t == r->options.to)
        watch_last(&r->watch, h->t, r->c->x);
}

/* Derivatives by parameters go along with an instant whose time depends on them. */
static Status carry(Run *r)
{
    bool moving;
    TRY(carried_due(r, &moving));
    if (!moving)
        return STATUS_OK;
    TRY(near_side(r, HERE_EVENT));
    return carried_enter(r);
}

Status run_instant(Run *r)
{
    bool any;
    TRY(run_observe(r, r->c->head->t));
    r->state.events_here = 0;
    if (r->slide.state.rests)
        rest_note(r);
    last_instant(r);
    if (r->history.delays)
        TRY(delayed(r));
    if (COSY_RARELY(r->carried.n != 0))
        TRY(carry(r));
    do {
        any = false;
        TRY(branches_first(r, &any));
        TRY(samples(r, &any));
        TRY(calendar(r, &any));
        TRY(state_event(r, false, &any));
        if (!any && r->c->head->untils && going_on(r))
            TRY(run_until(r, &any));
    } while (any && going_on(r));
    run_until_forget(r);
    TRY(carried_leave(r));
    /* Nothing is left at this instant. */
    assert(!going_on(r) || cosy_calendar_next(r->c) > r->c->head->t ||
           r->c->head->t >= COSY_NEVER);
    r->state.no_near = 0;
    TRY(run_probe_instant(r));
    return run_communicate_instant(r);
}
