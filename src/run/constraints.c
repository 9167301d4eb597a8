#include "run/constraints.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cosy/unit.h"
#include "run/run.h"
#include "solve/linear.h"

#define FAR      R(10.0) // tolerances: more is no drift
#define SLACK    R(1.0)  // tolerances that multi-step methods may be off
#define HALVINGS 8       // of a step that drifts far
#define NAMES    4       // states in a message
#define SETTINGS 20 // turns until points at boundaries are where they belong

/* Room for a weight and a mark for each of n states, and a mark for each row. */
static Status room_for(Run *r, uint32_t n, real **weight, uint8_t **fixed)
{
    size_t rows = r->model->n_constraints;
    if (!vector_fit(&r->constraint,
                    n * (sizeof(real) + 1) + rows + sizeof(real)))
        return STATUS_MEMORY;
    *weight = (real *)(void *)r->constraint.bytes;
    *fixed = r->constraint.bytes + n * sizeof(real);
    return STATUS_OK;
}

/* ---- Steps ----------------------------------------------------------------- */

static void tell_drift(Run *r)
{
    char name[200], text[500];
    uint32_t row = r->project.worst;
    if (r->state.drift_told)
        return;
    r->state.drift_told = 1;
    project_words(r->model, row, name, sizeof name);
    snprintf(text, sizeof text,
             "time %.15g%s%s: a step has drifted from %s by %.3g tolerances, "
             "which are restored, but the step is not accurate: use a smaller "
             "RELERR, DTMAX or STEP",
             (double)r->solver.t, COSY_IN_TIME(r->model), name,
             (double)r->project.violation);
    r->c->host->message(r->c, COSY_WARNING, project_line(r->model, row), text);
}

/* Whether the last step can be made again, and shorter. */
static bool can_shorten(const Run *r)
{
    const Solver *s = &r->solver;
    real half = R(0.5) * (s->t - s->t0);
    return (s->method->features & METHOD_SAVES) != 0 &&
           s->options.step == R(0.0) && !r->history.delays &&
           !solver_too_small(s, half);
}

/* Makes the step again, half as long. */
static Status shorten(Run *r)
{
    Solver *s = &r->solver;
    real half = R(0.5) * (s->t - s->t0);
    Status status = s->method->redo(s, s->t0 + half);
    if (cosy_abs(s->h) > cosy_abs(half))
        s->h = half;
    s->counts.rejected++;
    return status;
}

/* Restores the constraints at the end of the step, of which as much is left as
   does not drift far. */
static Status restore(Run *r, ProjectAt *at)
{
    Solver *s = &r->solver;
    Status status = STATUS_OK;
    for (int k = 0;; k++) {
        at->t = s->t;
        if (status == STATUS_OK)
            status = project_restore(&r->project, at, s->x, &r->fault);
        bool far = status != STATUS_OK ||
                   r->project.moved > FAR * cosy_max(at->slack, R(1.0));
        if (!far || status == STATUS_MEMORY)
            return status;
        if (k == HALVINGS || !can_shorten(r)) {
            if (status == STATUS_OK)
                tell_drift(r);
            return status;
        }
        r->fault = (Fault){0};
        status = shorten(r);
        if (status != STATUS_OK)
            return run_step_failed(r, solver_give_up(s, status));
    }
}

Status constraints_keep(Run *r)
{
    Solver *s = &r->solver;
    real *weight;
    uint8_t *fixed;
    if (r->model->n_constraints == 0)
        return STATUS_OK;
    TRY(room_for(r, s->n, &weight, &fixed));
    solver_scale(s, s->x0, s->x, weight);
    ProjectAt at = {.n = s->n, .weight = weight, .size = s->size};
    if (!(s->method->features & METHOD_SAVES))
        at.slack = SLACK;
    TRY(restore(r, &at));
    if (r->project.moved == R(0.0))
        return STATUS_OK;
    Status status = solver_rhs(s, s->t, s->x, s->dx);
    return status == STATUS_OK ? STATUS_OK
                               : run_step_failed(r, solver_give_up(s, status));
}

bool constraints_same(Run *r)
{
    Project *p = &r->project;
    const Cosy *c = r->c;
    Solver *s = &r->solver;
    Fault fault = {0};
    uint32_t n = c->head->states;
    size_t rows = r->model->n_constraints;
    real *weight;
    uint8_t *fixed;
    if (rows == 0)
        return true;
    if (!p->shaped || room_for(r, n, &weight, &fixed) != STATUS_OK)
        return false;
    uint8_t *active = fixed + n;
    memcpy(active, p->active.bytes, rows);
    solver_scale(s, c->x, s->size, weight);
    ProjectAt at = {.t = c->head->t, .n = n, .weight = weight, .size = s->size};
    return project_look(p, &at, c->x, &fault) == STATUS_OK &&
           memcmp(active, p->active.bytes, rows) == 0 && p->violation <= FAR;
}

Status constraints_normals(Run *r, real t, const real *x, const real *size,
                           real *normal, real *off, uint32_t *count)
{
    Fault fault = {0};
    ProjectAt at = {.t = t, .n = r->c->head->states, .size = size};
    return project_normals(&r->project, &at, x, normal, off, count, &fault);
}

/* ---- Modes ----------------------------------------------------------------- */

/* "A, B or C": the states in a row of G. */
static void add_states(Buffer *b, const Run *r, uint32_t row)
{
    const uint32_t *state;
    real *value;
    uint32_t n = project_row(&r->project, row, &state, &value), many = 0, k = 0;
    for (uint32_t e = 0; e < n; e++)
        many += value[e] != R(0.0);
    for (uint32_t e = 0; e < n && k < NAMES; e++) {
        char name[80];
        if (value[e] == R(0.0))
            continue;
        solver_state_name(&r->solver, state[e], name, sizeof name);
        k++;
        buffer_format(b, "%s%s",
                      k == 1                    ? ""
                      : k == many || k == NAMES ? " or "
                                                : ", ",
                      name);
    }
    if (many == 0)
        buffer_text(b, "its states");
}

static Status impulse(Run *r)
{
    const CosyModel *m = r->model;
    const Project *p = &r->project;
    uint32_t row = p->worst;
    char name[200];
    Buffer b = {0};
    project_words(m, row, name, sizeof name);
    add_states(&b, r, row);
    fault_set(&r->fault, STATUS_MODEL,
              "%s:%u: time %.17g%s%s: %s does not hold in the mode that is "
              "entered: it is off by %.6g, which is more than a rounding or a "
              "step can be. To get there takes an impulse: assign %.200s in "
              "the event that enters this mode so that it holds",
              m->source, project_line(m, row), (double)r->c->head->t,
              COSY_IN_TIME(m), name, (double)project_g(p)[row],
              buffer_string(&b));
    buffer_free(&b);
    return STATUS_MODEL;
}

/* Marks the states that the events of this instant have changed; false: none or
   all of them. */
static bool mark_changed(const real *before, const real *x, uint32_t n,
                         uint8_t *fixed)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; before && i < n; i++) {
        fixed[i] = before[i] != x[i];
        changed += fixed[i];
    }
    return changed > 0 && changed < n;
}

/* The states have moved a little: everything that depends on them follows. */
static Status follow(Run *r)
{
    Cosy *c = r->c;
    TRY(run_consistent(r));
    if (!r->model->conditions)
        return STATUS_OK;
    TRY(run_derivatives(r));
    if (watch_event(&r->watch, c->head->t, c->x, r->dx) != STATUS_OK)
        return run_condition_failed(r, STATUS_NUMBER, c->head->t);
    return STATUS_OK;
}

/* What one row asks of the STATE that it sets; false: it is there. */
static bool set_row(const Project *p, uint32_t row, uint32_t state, real *x)
{
    const uint32_t *of;
    real *value;
    uint32_t n = project_row(p, row, &of, &value);
    real off = project_g(p)[row];
    for (uint32_t e = 0; e < n && off != R(0.0); e++)
        if (of[e] == state && value[e] != R(0.0)) {
            x[state] -= off / value[e];
            return true;
        }
    return false;
}

Status constraints_set(Run *r, const ProjectAt *at, real *x, bool *moved)
{
    const CosyModel *m = r->model;
    Project *p = &r->project;
    const uint8_t *active;
    bool more = true;
    *moved = false;
    for (int turn = 0; more && turn < SETTINGS; turn++) {
        more = false;
        TRY(project_look(p, at, x, &r->fault));
        active = p->active.bytes;
        for (uint32_t k = 0; p->violation > R(0.0) && k < m->n_constraints_info;
             k++) {
            const CosyConstraint *info = &m->constraints_info[k];
            for (uint32_t i = 0; info->sets && i < info->count; i++)
                if (active[info->first + i])
                    more |= set_row(p, info->first + i,
                                    info->sets - 1 + i * info->stride, x);
        }
        *moved |= more;
    }
    return STATUS_OK;
}

Status constraints_enter(Run *r, const real *before)
{
    Cosy *c = r->c;
    Solver *s = &r->solver;
    Project *p = &r->project;
    uint32_t n = c->head->states;
    real *weight;
    uint8_t *fixed;
    if (r->model->n_constraints == 0)
        return STATUS_OK;
    assert(s->n == n);
    TRY(room_for(r, n, &weight, &fixed));
    solver_measure(s, c->x);
    solver_scale(s, c->x, s->size,
                 weight); // drift is of times when x was large
    ProjectAt at = {.t = c->head->t, .n = n, .weight = weight, .size = s->size};
    bool set;
    TRY(constraints_set(r, &at, c->x, &set));
    if (p->violation == R(0.0))
        return set ? follow(r) : STATUS_OK;
    if (p->violation > FAR)
        return impulse(r);
    at.fixed = mark_changed(before, c->x, n, fixed) ? fixed : NULL;
    Status status = project_restore(p, &at, c->x, &r->fault);
    if (status != STATUS_OK && status != STATUS_MEMORY && at.fixed) {
        r->fault = (Fault){0};
        at.fixed = NULL;
        status = project_restore(p, &at, c->x, &r->fault);
    }
    TRY(status);
    return set || p->moved > R(0.0) ? follow(r) : STATUS_OK;
}
