#include "solve/implicit.h"

#include <string.h>

/* How often a singular matrix is answered with another step. */
#define SINGULAR_MOST 5

/* A proposal below the smallest step is replaced by it: if that fails the run
   ends. */
Status implicit_propose(Solver *s, int order, real limit, real *scratch)
{
    if (s->options.step != R(0.0))
        s->h = s->direction * cosy_abs(s->options.step);
    else if (s->h == R(0.0))
        TRY(solver_first_step(s, order, limit, scratch, &s->h));
    if (solver_too_small(s, s->h)) {
        real least = cosy_max(R(8.0) * COSY_EPSILON * cosy_abs(s->t),
                              R(2.0) * COSY_REAL_MIN);
        s->h = s->direction * cosy_max(s->options.dtmin, least);
    }
    return STATUS_OK;
}

/* Takes all that is left if h nearly reaches the limit, and half of it if two
   steps suffice (so that neither is a stump). */
real implicit_fit(const Solver *s, real h, real limit)
{
    real rest = limit - s->t;
    real most = s->options.dtmax > R(0.0) ? s->options.dtmax : cosy_abs(rest);
    real last =
        R(4.0) * COSY_EPSILON * cosy_max(cosy_abs(s->t), cosy_abs(limit));
    h = s->direction * cosy_min(cosy_abs(h), most);
    if (cosy_abs(h) >= cosy_abs(rest) - last)
        return rest;
    if (s->options.step == R(0.0) && R(2.0) * cosy_abs(h) > cosy_abs(rest))
        return rest / R(2.0);
    return h;
}

real implicit_length(real h)
{
    const real least = R(1024.0) * COSY_REAL_MIN;
    if (cosy_abs(h) >= least)
        return h;
    return h < R(0.0) ? -least : least;
}

bool implicit_retry(Solver *s, ImplicitTrials *t, Trial trial)
{
    bool stale = t->has_jacobian && !t->fresh;
    bool none = trial == TRIAL_BROKEN && !t->has_jacobian; // whatever h is
    s->counts.rejected++;
    if (none || trial == TRIAL_MEMORY ||
        (trial == TRIAL_SINGULAR && ++t->singular > SINGULAR_MOST))
        return false;
    if (s->options.step != R(0.0))
        return stale;
    t->h *= t->shrink;
    return !solver_too_small(s, t->h);
}

Status implicit_status(Trial trial, Status why)
{
    switch (trial) {
    case TRIAL_DONE: return STATUS_OK;
    case TRIAL_LARGE: return STATUS_STEP_LIMIT;
    case TRIAL_SLOW: return STATUS_NEWTON;
    case TRIAL_SINGULAR: return STATUS_SINGULAR;
    case TRIAL_BROKEN: return why;
    case TRIAL_MEMORY: break;
    }
    return STATUS_MEMORY;
}

Status implicit_give_up(Solver *s, Trial trial, Status why)
{
    if (trial == TRIAL_MEMORY)
        return fault_set(s->fault, STATUS_MEMORY,
                         "no memory for the matrices of %u states",
                         (unsigned)s->n);
    if (trial != TRIAL_BROKEN)
        s->cause = COSY_OK;
    return solver_give_up(s, implicit_status(trial, why));
}

void implicit_end(Solver *s, real t, const real *x, const real *dx)
{
    s->t = t;
    memcpy(s->x, x, s->n * sizeof(real));
    memcpy(s->dx, dx, s->n * sizeof(real));
}
