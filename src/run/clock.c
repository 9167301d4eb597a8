#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/constraints.h"
#include "run/copies.h"
#include "run/run.h"
#include "run/waiting.h"
#include "solve/auto.h"

/* The clock: discrete until nothing is due, then continuous to the next event
   (chapter IV, fig. 4.10 of the 1979 text). */

#define SLACK R(10.0) // tolerances that a singular block may be off by

/* ---- The continuous part ---------------------------------------------------- */

Status run_derivatives(Run *r)
{
    Cosy *c = r->c;
    if (!r->model->derivatives)
        return STATUS_OK;
    r->solver.counts.rhs++;
    CosyStatus status = r->model->derivatives(c, c->head->t, c->x, r->dx);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "an equation");
}

/* True if an event has left states and derivatives unchanged, to the last bit,
   and no constraint has come, gone or jumped: the integrator continues as if
   nothing had happened. */
static bool untouched(Run *r)
{
    const Solver *s = &r->solver;
    size_t size = s->n * sizeof(real);
    return r->state.running && solver_fits(s) && s->t == r->c->head->t &&
           memcmp(s->x, r->c->x, size) == 0 &&
           run_derivatives(r) == STATUS_OK && memcmp(s->dx, r->dx, size) == 0 &&
           constraints_same(r);
}

/* The latest time at which the clock stops: the end of the run, or
   --limit-time. */
static real horizon(const Run *r)
{
    const RunOptions *o = &r->options;
    if (!o->limited || (o->limit_time - o->to) * (real)r->direction >= R(0.0))
        return o->to;
    return o->limit_time;
}

/* Starts the integrator at the present point. */
static Status start(Run *r)
{
    Solver *s = &r->solver;
    Cosy *c = r->c;
    bool same = solver_fits(s) && s->t == c->head->t;
    if (!solver_fits(s)) // even with no states at all
        TRY(solver_resize(s, c->head->states));
    if (COSY_RARELY(r->model->n_constraints != 0))
        TRY(constraints_enter(r, same && s->counts.steps ? s->x : NULL));
    s->t = c->head->t;
    s->direction = r->direction;
    memcpy(s->x, c->x, s->n * sizeof(real));
    TRY(auto_start(s, horizon(r)));
    feature_break(&r->features);
    growth_restart(&r->growth, s);
    r->state.running = 1;
    return STATUS_OK;
}

/* Lets the model choose other states. */
static Status choose(Run *r)
{
    bool changed = false;
    Cosy *c = r->c;
    if (!r->model->choose)
        return STATUS_OK;
    CosyStatus status = r->model->choose(c, c->head->t, &changed);
    if (status != COSY_OK)
        return run_body_failed(r, status, "the choice of states");
    if (!changed)
        return STATUS_OK;
    TRY(record_event(&r->record, LOG_CHOICE, 0, COSY_NONE, c->head->t));
    r->state.running = 0;
    TRY(run_consistent(r));
    if (!r->model->conditions)
        return STATUS_OK;
    TRY(run_derivatives(r));
    return watch_event(&r->watch, c->head->t, c->x, r->dx);
}

/* Between two steps, and outside all functions of the model, its code may be
   exchanged: everyone holds the address of r->own. Tables of the old code that
   are still in use stay where they are. */
static void take_over(Run *r)
{
    const RunOptions *o = &r->options;
    const void *code = o->newest ? o->newest(o->newest_user) : r->code;
    if (code == r->code)
        return;
    r->code = code;
    r->own = *(const CosyModel *)code;
    if (r->slide.able)
        slide_attach(r);
}

static bool may_go_on(Run *r)
{
    const RunOptions *o = &r->options;
    take_over(r);
    return !o->progress || o->progress(o->user, (double)r->c->head->t,
                                       r->solver.counts.steps, run_events(r));
}

static Status stopped(Run *r)
{
    return fault_set(&r->fault, STATUS_STOPPED, "time %.17g%s%s: stopped",
                     (double)r->c->head->t, COSY_IN_TIME(r->model));
}

/* The model ends at a threshold, and the solver has been taken across it. The
   algebraic values there are known only once the branch has changed; until then
   they are those of an earlier time, and the near side has no row. */
static Status edge(Run *r, bool *crossed)
{
    const Solver *s = &r->solver;
    r->fault = (Fault){0};
    r->state.running = 0;
    r->state.no_near = 1;
    history_drop(&r->history);
    r->c->head->dt = s->t - s->t0;
    r->c->head->t = s->t;
    memcpy(r->c->x, s->x, s->n * sizeof(real));
    *crossed = true;
    run_communicate_late(r);
    run_probe_late(r);
    return STATUS_OK;
}

/* Algebraic values at the end of a step. If a relation has crossed, they are
   those of the near side, and may not exist on its edge, as LOG(1 - TIME) while
   TIME < 1. */
static Status near_values(Run *r, bool crossed)
{
    CosyStatus status = run_outputs(r);
    if (crossed && COSY_REASON(status) == COSY_NUMBER) {
        r->state.no_near = 1;
        return STATUS_OK;
    }
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "an equation");
}

/* On a slide or at rest the derivatives combine several sides and are found
   anew at each point. They are left alone, and errors are assumed to stay as
   they are, but how large they are at its end is not known. */
static Status follow_errors(Run *r, bool crossed)
{
    Growth *g = &r->growth;
    g->state.left = r->slide.installed;
    if (g->state.left)
        return STATUS_OK;
    if (g->closely) {
        TRY(growth_step(g, &r->solver));
        return crossed ? growth_cross(g, &r->solver, &r->watch) : STATUS_OK;
    }
    if (r->solver.counts.steps < g->state.next)
        return STATUS_OK;
    return growth_look(g, &r->solver);
}

/* One accepted step, or a shorter one to the first crossing in it. */
static Status step(Run *r, real limit, bool *crossed)
{
    Solver *s = &r->solver;
    Cosy *c = r->c;
    real instant = limit;
    if (r->watch.reach > R(0.0) && cosy_abs(limit - s->t) > r->watch.reach)
        limit = s->t + r->direction * r->watch.reach;
    if (r->history.delays)
        TRY(history_limit(&r->history, s, &limit));
    assert((limit - s->t) * (real)r->direction > R(0.0));
    Status status = s->method->step(s, limit);
    assert((s->t - s->t0) * (real)r->direction >= R(0.0));
    assert((instant - s->t) * (real)r->direction >= R(0.0));
    if (status == STATUS_NUMBER && watch_edge(&r->watch, s, instant))
        return edge(r, crossed);
    if (status != STATUS_OK)
        return run_step_failed(r, status);
    if (r->history.delays)
        TRY(history_turn(&r->history, s));
    if (COSY_RARELY(r->model->n_constraints != 0))
        TRY(constraints_keep(r));
    if (r->slide.installed)
        TRY(slide_keep(r));
    Status watched = watch_step(&r->watch, s, crossed);
    if (watched != STATUS_OK)
        return run_condition_failed(r, watched, s->t);
    if (r->history.delays) {
        TRY(history_step(&r->history, s));
        *crossed |= history_due(&r->history, s->t);
    }
    if (r->features.on)
        TRY(feature_step(&r->features, s));
    if (r->analyse.along)
        TRY(analyse_step(r));
    TRY(follow_errors(r, *crossed));
    TRY(run_probe_step(r, *crossed || s->t == instant));
    TRY(run_communicate_step(r, *crossed || s->t == instant));
    if (c->head->request != COSY_GO_ON) // that point is now the present one
        return history_return(&r->history, c->head->t, c->x);
    assert(s->n == c->head->states);
    c->head->dt = s->t - s->t0;
    c->head->t = s->t;
    memcpy(c->x, s->x, s->n * sizeof(real));
    if (r->outputs_each || *crossed || s->t == instant)
        TRY(near_values(r, *crossed));
    TRY(range_look(r));
    return choose(r);
}

#define STAMP_LENGTH 256

/* Identifies what an image belongs to: another model or kernel cannot continue
   from it. */
static void make_stamp(const Run *r, char stamp[STAMP_LENGTH])
{
    const CosyModel *m = r->model;
    snprintf(stamp, STAMP_LENGTH, "%.80s %.64s contract %u precision %u %s",
             m->name, m->hash, m->version, m->precision,
             solver_stamp(&r->solver));
}

Status run_save(Run *r, const char *path, Fault *f)
{
    char stamp[STAMP_LENGTH];
    if (!(r->solver.method->features & METHOD_SAVES))
        return fault_set(f, STATUS_UNSUPPORTED,
                         "a run with METHOD %s cannot be saved and continued: "
                         "use a one-step method",
                         r->solver.method->name);
    if (!r->state.running && r->solver.x && !solver_fits(&r->solver))
        TRY(solver_resize(&r->solver, r->c->head->states));
    TRY(solver_complete(&r->solver));
    make_stamp(r, stamp);
    return image_save(&r->image, path, stamp, f);
}

static Status save_if_due(Run *r)
{
    const RunOptions *o = &r->options;
    if (!o->save_path || r->state.saved ||
        (r->c->head->t - o->save_at) * r->direction < R(0.0))
        return STATUS_OK;
    r->state.saved = 1;
    return run_save(r, o->save_path, &r->fault);
}

static Status between_steps(Run *r)
{
    TRY(save_if_due(r));
    if (r->options.between)
        r->options.between(r->options.between_user);
    return STATUS_OK;
}

/* The run is over: fails if it has not taken its snapshot. */
static Status saved_in_time(Run *r)
{
    const RunOptions *o = &r->options;
    if (!o->save_path || r->state.saved)
        return STATUS_OK;
    return fault_set(
        &r->fault, STATUS_USAGE,
        "the run ended at time %.17g%s%s, before the snapshot that "
        "--save-at asks for",
        (double)r->c->head->t, COSY_IN_TIME(r->model));
}

/* METHOD AUTO has chosen a method, or changed it: --trace shows that, and
   without a trace there is a message if it happens often. */
static void tell_method(Run *r)
{
    char text[160];
    uint32_t changes;
    real t;
    const char *why = auto_news(&r->solver, &t, &changes);
    if (!why)
        return;
    if (r->options.tracer)
        trace_method(r->options.tracer, t, why);
    if (changes != AUTO_MANY)
        return;
    snprintf(text, sizeof text,
             "time %.15g%s%s: AUTO has changed its method %d times: METHOD "
             "RADAU may be as fast, and does not change",
             (double)t, COSY_IN_TIME(r->model), AUTO_MANY);
    r->c->host->message(r->c, COSY_NOTE, 0, text);
}

/* Steps up to an event or `limit`. */
static Status integrate(Run *r, real limit)
{
    bool crossed = false;
    r->limit = limit;
    while (!crossed && r->c->head->t != limit &&
           r->c->head->request == COSY_GO_ON) {
        TRY(between_steps(r));
        if (!r->state.running)
            TRY(start(r));
        else if (r->solver.automatic)
            TRY(auto_review(&r->solver));
        TRY(step(r, limit, &crossed));
        if (r->solver.automatic)
            tell_method(r);
        if (r->c->head->t != limit &&
            ++r->stall.state.steps >= r->stall.state.next)
            TRY(stall_look(r, horizon(r), crossed));
        if (!may_go_on(r))
            return stopped(r);
    }
    return STATUS_OK;
}

/* Events of a purely discrete model between two calls of `progress`. */
#define EVENTS_AT_ONCE 4096

/* ---- The clock --------------------------------------------------------------- */

/* The next time at which the calendar or a clock has something to do. */
static real next_instant(Run *r)
{
    const CosyModel *m = r->model;
    real t = cosy_calendar_next(r->c);
    for (uint32_t k = 0; k < m->n_clocks; k++)
        t = cosy_min(t, run_clock_time(&m->clocks[k], r->c->clock[k]));
    return t;
}

/* SIMULATE or INTEGRAT asks for the impossible: adds its line to the message.
   */
static Status name_simulate(Run *r, Status status)
{
    Fault own = r->fault;
    if (status != STATUS_OK && r->options.line > 0)
        snprintf(r->fault.text, sizeof r->fault.text, "%.200s:%u: %.1500s",
                 r->model->source, r->options.line, own.text);
    return status;
}

/* The calendar and the clocks run forward only: a backward run would skip
   everything in them. */
static Status backward(Run *r)
{
    if (r->direction > 0 || next_instant(r) >= COSY_NEVER)
        return STATUS_OK;
    fault_set(&r->fault, STATUS_UNSUPPORTED,
              "time %.17g%s%s: a run backward in time has no scheduled events, "
              "processes or SAMPLES: leave them out, or run forward",
              (double)r->c->head->t, COSY_IN_TIME(r->model));
    return name_simulate(r, STATUS_UNSUPPORTED);
}

static Status limit_reached(Run *r)
{
    return fault_set(&r->fault, STATUS_STOPPED,
                     "time %.17g%s%s: stopped: TIME has reached --limit-time",
                     (double)r->c->head->t, COSY_IN_TIME(r->model));
}

/* Every entry gets a greater number than those before it, and the numbers are
   limited. */
static Status worn_out(Run *r)
{
    return fault_set(
        &r->fault, STATUS_LIMIT,
        "time %.17g%s%s: stopped: the calendar can number %llu entries, and "
        "this run has scheduled nearly that many. Start a new run",
        (double)r->c->head->t, COSY_IN_TIME(r->model),
        (1ull << COSY_SEQUENCE_BITS) - 1);
}

/* From the present instant (or, resumed, from between two steps) to the next
   one. */
static Status advance(Run *r, bool resumed)
{
    const RunOptions *o = &r->options;
    Cosy *c = r->c;
    real last = horizon(r);
    real next = next_instant(r);
    real limit = r->direction > 0 ? cosy_min(next, last) : last;
    assert((limit - c->head->t) * (real)r->direction >= R(0.0));
    TRY(backward(r));
    if (COSY_RARELY(next >= COSY_NEVER) && run_is_stuck(r))
        TRY(run_deadlock(r));
    if (COSY_RARELY(c->head->sequence >= COSY_SEQUENCE_MOST))
        return worn_out(r);
    if (c->head->t >= COSY_NEVER)
        return run_no_finish(r);
    if (c->head->states || r->watch.count || r->history.delays) {
        if (!resumed && r->state.running && !untouched(r))
            r->state.running = 0;
        if (!resumed)
            TRY(history_instant(&r->history, c->head->t, c->x,
                                (r->state.events_here & HERE_EVENT) != 0));
        return integrate(r, limit);
    }
    if (limit >= COSY_NEVER)
        return run_no_finish(r);
    TRY(between_steps(r));
    if (r->plain && limit < last) {
        /* Only so many at once, so that snapshots and Ctrl-C get a chance. */
        real end =
            o->save_path && !r->state.saved ? cosy_min(last, o->save_at) : last;
        TRY(run_observe(r, limit));
        end = cosy_min(end, run_observe_next(r));
        TRY(run_discrete(r, cosy_max(end, limit), EVENTS_AT_ONCE));
        return may_go_on(r) ? STATUS_OK : stopped(r);
    }
    TRY(run_probe_until(r, limit));
    TRY(run_communicate_until(r, limit));
    if (c->head->request != COSY_GO_ON)
        return STATUS_OK;
    assert(c->head->t <= limit || r->direction < 0);
    c->head->t = limit;
    return may_go_on(r) ? STATUS_OK : stopped(r);
}

static bool finished(const Run *r)
{
    return r->c->head->request != COSY_GO_ON ||
           (!r->options.to_finish && r->c->head->t == r->options.to);
}

/* Clocks tick at offset + k period, k = 0, 1 ...: the next tick is the first
   that is not before the start of the run. There is none if the count is beyond
   the integers that reals can tell apart. */
static Status set_clocks(Run *r)
{
    const CosyModel *m = r->model;
    real from = r->options.from;
    for (uint32_t k = 0; k < m->n_clocks; k++) {
        real zero = run_clock_time(&m->clocks[k], 0);
        real period = run_clock_time(&m->clocks[k], 1) - zero;
        if (!(from - zero < R(9e15) * period))
            return fault_set(&r->fault, STATUS_LIMIT,
                             "time %.17g%s%s: the SAMPLE %s would already have "
                             "ticked more than 9E15 times: start the run "
                             "nearer to 0, or let the clock tick less often",
                             (double)from, COSY_IN_TIME(r->model),
                             m->clocks[k].name);
        int64_t tick = (int64_t)((from - zero) / period) - 2;
        tick = tick > 0 ? tick : 0;
        while (run_clock_time(&m->clocks[k], tick) < from)
            tick++;
        r->c->clock[k] = tick;
    }
    return STATUS_OK;
}

/* INITIAL, then everything consistent at the first point. */
static Status begin(Run *r)
{
    Cosy *c = r->c;
    Status begun = instance_begin(&r->instance, r->options.from, r->options.to);
    if (begun != STATUS_OK && r->instance.refused.kept)
        return run_body_failed(r, COSY_FAIL(COSY_REFUSED, COSY_NOWHERE), "");
    TRY(begun);
    TRY(set_clocks(r));
    TRY(course_begin(&r->course, c,
                     r->options.to_finish ? R(0.0)
                                          : r->options.to - r->options.from));
    CosyStatus drawn = stream_begin(c, &r->options.streams);
    if (drawn != COSY_OK)
        return run_body_failed(r, drawn, "RANDOMGEN");
    if (r->model->initial && !r->options.present) {
        CosyStatus status = r->model->initial(c);
        if (status != COSY_OK)
            return run_body_failed(r, status, "INITIAL");
    }
    carried_begin(r);
    TRY(run_settle(r));
    TRY(history_begin(&r->history, c->head->t, r->solver.options.relerr));
    TRY(run_restructure(r));
    TRY(start_is_needed(r) ? start_go(r) : run_consistent(r));
    TRY(run_delays_settle(r));
    if (r->model->conditions) {
        TRY(run_derivatives(r));
        if (watch_enter(&r->watch, c->head->t, c->x, r->dx) != STATUS_OK)
            return run_condition_failed(r, STATUS_NUMBER, c->head->t);
        TRY(range_look(r));
    }
    r->state.started = 1;
    run_communicate_begin(r);
    return run_probe_begin(r);
}

/* Sets the present leg of a run that CONTN has continued. */
static void run_leg(Run *r)
{
    const RunState *s = &r->state;
    if (s->legs == 0)
        return;
    r->options.to = r->plan.to = s->leg_to;
    r->plan.from = s->leg_from;
    r->plan.first = s->leg_first;
}

/* Continues from an image. */
static Status restore(Run *r)
{
    char stamp[STAMP_LENGTH];
    TRY(solver_complete(&r->solver));
    make_stamp(r, stamp);
    TRY(image_load(&r->image, r->options.restore, stamp, &r->fault));
    instance_attach(&r->instance);
    TRY(copies_attach(&r->instance));
    block_room_attach(&r->instance.blocks);
    TRY(watch_attach(&r->watch)); // first: slides make room for its conditions
    TRY(slide_attach(r));
    TRY(solver_attach(&r->solver));
    uint8_t running = r->state.running;
    TRY(run_restructure(r));
    r->state.running = running;
    r->state.saved = 0;
    r->log_before = r->record.log.used;
    run_leg(r);
    return STATUS_OK;
}

static Status run_clock(Run *r)
{
    /* A saved run stands between two steps, not at the start of an instant. */
    bool resumed = r->options.restore != NULL;
    for (;;) {
        if (!resumed)
            TRY(run_instant(r));
        if (finished(r))
            return STATUS_OK;
        if (r->options.limited && r->c->head->t == horizon(r))
            return limit_reached(r);
        r->instance.blocks.follows = !r->slide.installed;
        Status status = advance(r, resumed);
        r->instance.blocks.follows = false;
        TRY(status);
        resumed = false;
    }
}

static Status stopped_by_model(Run *r)
{
    if (r->instance.refused.kept) // the refusal of a draw
        return run_body_failed(r, COSY_FAIL(COSY_REFUSED, COSY_NOWHERE), "");
    if (r->c->head->request != COSY_STOP_ALL)
        return STATUS_OK;
    return fault_set(&r->fault, STATUS_USER, "time %.17g%s%s: ERROREXIT %d",
                     (double)r->c->head->t, COSY_IN_TIME(r->model),
                     r->c->head->error_code);
}

static Status terminal(Run *r)
{
    r->c->head->again = COSY_ONCE;
    if (!r->model->terminal)
        return STATUS_OK;
    CosyStatus status = r->model->terminal(r->c);
    if (status != COSY_OK)
        return run_body_failed(r, status, "TERMINAL");
    return stopped_by_model(r);
}

/* Warns of errors that have grown. */
static Status tell_growth(Run *r)
{
    char text[600];
    if (r->state.running && !r->slide.installed && r->solver.t == r->c->head->t)
        TRY(growth_end(&r->growth, &r->solver));
    if (!growth_rings(&r->growth))
        return STATUS_OK;
    growth_words(&r->growth, &r->solver, text, sizeof text);
    r->c->host->message(r->c, COSY_WARNING, 0, text);
    return STATUS_OK;
}

/* Runs to the end and makes all values those of the end. */
static Status go_to_end(Run *r)
{
    TRY(run_clock(r));
    TRY(run_observe(r, r->c->head->t));
    TRY(stopped_by_model(r));
    TRY(save_if_due(r));
    // without STATEs there are no steps whose outputs are those of the end
    if (r->model->outputs && (!r->outputs_each || r->c->head->states == 0))
        TRY(run_present(r, r->c->head->t, r->c->x));
    TRY(run_communicate_end(r));
    TRY(tell_growth(r));
    if (r->model->n_processes)
        run_tell_waiting(r, next_instant(r) >= COSY_NEVER && run_is_stuck(r));
    TRY(carried_end(r));
    return terminal(r);
}

/* The most legs of one run: CONTN in every TERMINAL would never end. */
#define LEGS_MOST 100000

/* CONTN: from the end point over another span, as after an event. */
static Status next_leg(Run *r)
{
    Cosy *c = r->c;
    RunState *s = &r->state;
    if (++s->legs > LEGS_MOST)
        return fault_set(&r->fault, STATUS_LIMIT,
                         "time %.17g%s%s: CONTN has continued the run %d times "
                         "and does not stop: give it an end",
                         (double)c->head->t, COSY_IN_TIME(r->model), LEGS_MOST);
    s->leg_from = c->head->t;
    s->leg_first = s->communications ? s->communications - 1 : 0;
    s->leg_to = r->options.to_finish ? r->options.to
                                     : c->head->t + (r->plan.to - r->plan.from);
    TRY(carried_resume(r));
    c->head->t_end = s->leg_to;
    c->head->request = COSY_GO_ON;
    run_leg(r);
    s->running = 0;
    TRY(run_consistent(r));
    TRY(run_communicate_row(r));
    if (!r->model->conditions)
        return STATUS_OK;
    TRY(run_derivatives(r));
    return watch_event(&r->watch, c->head->t, c->x, r->dx);
}

static Status go(Run *r, const RunOptions *o)
{
    r->options = *o;
    r->record.trace = o->trace;
    r->direction = o->to < o->from && !o->to_finish ? -1 : 1;
    if (o->to_finish)
        r->options.to = COSY_NEVER;
    run_communicate_plan(r);
    r->plain = r->plain && !o->watch.open;
    TRY(name_simulate(r, solver_create(&r->solver, r->c, &o->solver, &r->arena,
                                       &r->image, &r->fault)));
    if (r->model->n_constraints)
        r->solver.project = &r->project;
    r->instance.blocks.slack = SLACK * r->solver.options.relerr;
    if (o->tol_share > R(0.0))
        r->watch.share = o->tol_share;
    r->watch.misses = o->misses;
    if (o->features)
        TRY(feature_create(&r->features, &r->solver, (double)o->accuracy));
    TRY(growth_create(&r->growth, &r->solver, o->features || o->growth));
    if (o->restore)
        TRY(restore(r));
    else
        TRY(begin(r));
    if (o->task != COSY_SIMULATE)
        return analyse_go(r);
    TRY(analyse_begin(r));
    TRY(go_to_end(r));
    while (r->c->head->again == COSY_CONTN) {
        TRY(next_leg(r));
        r->options.restore = NULL;
        TRY(go_to_end(r));
    }
    TRY(analyse_end(r));
    return saved_in_time(r);
}

Status run_go(Run *r, const RunOptions *o)
{
    Status status = go(r, o);
    Status ended = slide_end(r);
    carried_close(r);
    return run_observe_end(r, status != STATUS_OK ? status : ended);
}

/* ---- Life ---------------------------------------------------------------------- */

static Status refuse_unbuilt(Run *r)
{
    const CosyModel *m = r->model;
    if (m->residual && !m->derivatives)
        return fault_set(&r->fault, STATUS_UNSUPPORTED,
                         "%s: a model in residual form needs METHOD IDA, which "
                         "is not available here",
                         m->source);
    return STATUS_OK;
}

Status run_create(Run *r, const CosyModel *m, const CosyHost *host, void *owner)
{
    memset(r, 0, sizeof *r);
    r->code = m;
    r->own = *m;
    r->running = COSY_NONE;
    r->model = m = &r->own;
    TRY(instance_create(&r->instance, m, host, owner, &r->arena, &r->image,
                        &r->fault));
    r->c = &r->instance.c;
    TRY(refuse_unbuilt(r));
    TRY(image_add(&r->image, &r->arena, "run", &r->state, sizeof r->state));
    TRY(record_create(&r->record, m, false, &r->arena, &r->image));
    TRY(course_create(&r->course, m, &r->arena, &r->image));
    TRY(follow_create(&r->follow, m, &r->arena, &r->image));
    TRY(watch_create(&r->watch, r->c, &r->arena, &r->image));
    TRY(range_create(&r->range, m, &r->arena, &r->image));
    TRY(slide_create(r));
    TRY(carried_create(r));
    TRY(stall_create(r));
    TRY(project_create(&r->project, r->c, &r->arena, &r->image));
    TRY(history_create(&r->history, r->c, &r->arena, &r->image, &r->fault));
    r->instance.history = &r->history;
    if (!vector_append(&r->wanted, NULL, (m->branches + 1) * sizeof(int32_t)))
        return STATUS_MEMORY;
    r->continuous = r->history.able || m->states || m->n_copies ||
                    m->n_conditions_info || m->n_relations_info || m->outputs;
    r->plain =
        !r->continuous && !m->n_clocks && !m->n_stored && !m->communicate;
    r->asks_always = run_asks_always(m);
    r->outputs_each = m->n_blocks || m->n_choices || m->choose;
    return STATUS_OK;
}

void run_free(Run *r)
{
    if (r->solver.method)
        solver_free(&r->solver);
    watch_free(&r->watch);
    slide_free(&r->slide);
    feature_free(&r->features);
    analyse_free(&r->analyse);
    growth_free(&r->growth);
    range_free(&r->range);
    carried_free(r);
    stall_free(&r->stall);
    history_free(&r->history);
    record_free(&r->record);
    course_free(&r->course);
    follow_free(&r->follow);
    vector_free(&r->wanted);
    vector_free(&r->sides);
    vector_free(&r->edges);
    vector_free(&r->located);
    vector_free(&r->constraint);
    vector_free(&r->probe.kept);
    project_free(&r->project);
    start_free(&r->start);
    vector_free(&r->kept);
    vector_free(&r->scratch);
    if (r->instance.c.model)
        instance_free(&r->instance);
    arena_free(&r->arena);
}
