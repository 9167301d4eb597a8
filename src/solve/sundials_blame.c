#include <math.h>
#include <string.h>

#include "solve/linear.h"
#include "solve/sundials.h"

#define array NV_DATA_S

/* Which states made CVODE and IDA reject a step. The libraries repeat a step by
   themselves and do not report it. But whatever they try, they solve a
   nonlinear system whose solution is the correction of the predictor, and the
   error that they test is that correction times a constant of the formula
   (SunOps.scale). So their nonlinear solver gets another `solve`, which checks,
   before it calls the library's own, whether the previous trial failed its
   test. */

static double *trial_of(const Sun *v)
{
    return (double *)(void *)v->trial.bytes;
}

static const SunOps *ops_of(const Solver *s)
{
    return s->method->table;
}

void sun_blame(Solver *s)
{
    Sun *v = s->impl;
    long now[4] = {0};
    if (!v->solve)
        return;
    ops_of(s)->counts(v, now);
    if (now[0] > v->failed && v->tried)
        solver_blame_by(s, trial_of(v));
    v->failed = now[0];
    v->tried = false;
}

/* Errors of the trial, each as a share of what is allowed. */
static void weigh(const Solver *s, Sun *v, N_Vector correction, N_Vector weight,
                  double tolerance)
{
    const double *e = array(correction), *w = array(weight);
    double scale = ops_of(s)->scale(v, tolerance), *share = trial_of(v);
    for (uint32_t i = 0; i < s->n; i++)
        share[i] = fabs(e[i] * w[i]) * scale;
}

int sun_solve(Solver *s, SUNNonlinearSolver solver, N_Vector y,
              N_Vector correction, N_Vector weight, double tolerance,
              booleantype setup, void *memory)
{
    Sun *v = s->impl;
    sun_blame(s);
    int flag =
        v->solve(solver, y, correction, weight, tolerance, setup, memory);
    v->tried = flag == 0;
    if (v->tried)
        weigh(s, v, correction, weight, tolerance);
    return flag;
}

bool sun_watch_trials(Solver *s, Sun *v, SunSolve *solve)
{
    v->solve = NULL;
    if (!s->blames)
        return true;
    if (!vector_fit(&v->trial, s->n * sizeof(double)))
        return false;
    v->solve = v->nonlinear->ops->solve;
    v->nonlinear->ops->solve = solve;
    v->failed = 0;
    v->tried = false;
    return true;
}
