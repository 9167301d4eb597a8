#ifndef COSY_SOLVE_SUNDIALS_H
#define COSY_SOLVE_SUNDIALS_H

/* The methods of SUNDIALS: GEAR and ADAMS on CVODE (cvode.c), IDA (ida.c);
   DOUBLE only. What they share is here: the order of calls of method.h, with a
   table of the few functions in which the two libraries differ (SunOps), and
   the linear solver that fits the pattern of the Jacobian.

       sundials.c          steps, dense output, repetition, failures
       sundials_matrix.c   dense, band or KLU, and the values of a Jacobian there
       sundials_blame.c    for FEATURES: whose error made a step be rejected

   SUNDIALS measures errors in the root mean square over the states, weighted as
   solver_scale does; that is at most the maximum norm of the other methods, so
   for the same RELERR it may be a little less strict.

   Its memory and ours agree on t after every step; when they do not (an event, a
   repeated or a failed step), it begins anew from (t, x). The memory cannot be
   saved. SUNDIALS allocates for itself.

   A step here is one of SUNDIALS and little more: dx is found at the end of a
   step only if conditions are watched or the step ends at its limit, where an
   event may ask for it; counts are fetched at limits. */

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "solve/jacobian.h"

#define SunMatrix         COSY_NAME(SunMatrix)
#define SunOps            COSY_NAME(SunOps)
#define Sun               COSY_NAME(Sun)
#define sun_matrix_create COSY_NAME(sun_matrix_create)
#define sun_matrix_fill   COSY_NAME(sun_matrix_fill)
#define sun_matrix_free   COSY_NAME(sun_matrix_free)
#define sun_create        COSY_NAME(sun_create)
#define sun_resize        COSY_NAME(sun_resize)
#define sun_start         COSY_NAME(sun_start)
#define sun_step          COSY_NAME(sun_step)
#define sun_dense         COSY_NAME(sun_dense)
#define sun_redo          COSY_NAME(sun_redo)
#define sun_destroy       COSY_NAME(sun_destroy)
#define sun_culprit       COSY_NAME(sun_culprit)
#define sun_local         COSY_NAME(sun_local)
#define sun_weights       COSY_NAME(sun_weights)
#define sun_error         COSY_NAME(sun_error)
#define sun_has_memory    COSY_NAME(sun_has_memory)
#define sun_solve         COSY_NAME(sun_solve)
#define sun_blame         COSY_NAME(sun_blame)
#define sun_watch_trials  COSY_NAME(sun_watch_trials)

/* ---- Matrices -------------------------------------------------------------- */

/* A band where that is not much more than the entries (band_prefers), dense
   where it does not matter (linear_prefers_dense), KLU for all else. */
typedef enum SunKind { SUN_DENSE, SUN_BAND, SUN_KLU } SunKind;

typedef struct SunMatrix {
    SunKind kind;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} SunMatrix;

/* False without memory. Without a Jacobian (NULL) the matrix is full. */
bool sun_matrix_create(SunMatrix *m, const Jacobian *j, N_Vector y,
                       SUNContext c);
/* value by entry, as jacobian_matrix leaves it. */
void sun_matrix_fill(SunMatrix *m, const Jacobian *j, const double *value);
void sun_matrix_free(SunMatrix *m);

/* ---- Methods --------------------------------------------------------------- */

/* As SUNNonlinearSolver has it. */
typedef int SunSolve(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                     N_Vector weight, double tolerance, booleantype setup,
                     void *memory);

typedef struct Sun {
    SUNContext context;
    void *memory;      // of CVODE or IDA
    N_Vector y, probe; // probe has the caller's array
    N_Vector yp, id;   // IDA: derivatives; 1 where a state is differential
    SunMatrix matrix;
    SUNNonlinearSolver nonlinear; // of ADAMS, and where trials are watched
    Jacobian jacobian;
    Vector weight;    // n reals
    Vector value;     // IDA: entries of its matrix
    bool fresh;       // memory belongs to (t, x)
    bool covers;      // it has the last step, for dense output
    bool watched;     // conditions need dx at every step
    bool stopping;    // it knows of
    double limit;     // where to stop
    Status why;       // of the last call of the model in this step that failed
    uint32_t still;   // steps in a row that time cannot tell,
    Status still_why; // and why the model failed in them
    long seen[4];     // counts of SUNDIALS that are in ours already
    SunSolve *solve;  // the library's own, where trials are watched; else NULL
    Vector trial;     // n doubles: errors of the last one over what they may be
    bool tried;       // trial is of one whose error test is not known yet
    long failed;      // error tests, as far as they are looked at
    double used[6];   // IDA: the last steps, newest first
    long steps;       // and how many there were
} Sun;

/* What a library does in its own way; the method's table. Flags are those of
   SUNDIALS: 0 is success, 1 the stop was reached, less than 0 a failure. */
typedef struct SunOps {
    bool newton; // uses the Jacobian
    /* Memory and solvers for s->n states; false without memory. */
    bool (*make)(Solver *s, Sun *v);
    void (*drop)(Sun *v);
    /* Begins anew from (s->t, s->x). */
    int (*begin)(Solver *s, Sun *v, double limit);
    int (*stop)(Sun *v, double t);
    int (*step)(Sun *v, double far, double *t);
    int (*dense)(const Sun *v, double t, N_Vector x);
    /* Slope of the dense output, for models that give none. */
    int (*slope)(const Sun *v, double t, N_Vector dx);
    /* Failed error tests, failed iterations, factorisations, iterations. */
    void (*counts)(const Sun *v, long now[4]);
    /* What the tested error is, as a multiple of the correction; `tolerance` is
       that of the correction's iteration. */
    double (*scale)(Sun *v, double tolerance);
    /* Estimated local errors of the last trial. */
    int (*errors)(const Sun *v, N_Vector error);
    /* What a failure means; `near`: it cannot begin so close to the stop. */
    Status (*status)(const Sun *v, int flag, bool *near);
} SunOps;

Status sun_create(Solver *s);
Status sun_resize(Solver *s);
Status sun_start(Solver *s);
Status sun_step(Solver *s, double limit);
void sun_dense(const Solver *s, double t, double *x);
Status sun_redo(Solver *s, double t_end);
void sun_destroy(Solver *s);
void sun_culprit(Solver *s);
bool sun_local(Solver *s, double *e);

/* For the libraries: weights of the error norm, and their messages, which
   nobody reads: flags say the same, and the words are ours. What CVodeCreate and
   IDACreate say without memory goes to nobody's function but to the standard
   error, so they are called only where memory is left. */
int sun_weights(N_Vector y, N_Vector weight, void *solver);
void sun_error(int code, const char *module, const char *function, char *text,
               void *sun);

bool sun_has_memory(void);

/* Trials, where FEATURES wants to know. The library's functions behind
   sun_watch_trials only find the Solver and go to sun_solve. False without
   memory. */
bool sun_watch_trials(Solver *s, Sun *v, SunSolve *solve);
int sun_solve(Solver *s, SUNNonlinearSolver solver, N_Vector y,
              N_Vector correction, N_Vector weight, double tolerance,
              booleantype setup, void *memory);
/* Looks whether the last trial has failed meanwhile, and counts its states. */
void sun_blame(Solver *s);

#endif
