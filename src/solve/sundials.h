#ifndef COSY_SOLVE_SUNDIALS_H
#define COSY_SOLVE_SUNDIALS_H

/* The methods of SUNDIALS: GEAR and ADAMS on CVODE (cvode.c), IDA (ida.c);
   DOUBLE only. Here is what they share: the order of calls of method.h, with a
   table of the few functions in which the two libraries differ (SunOps), and
   the linear solver that suits the pattern of the Jacobian.

       sundials.c          steps, dense output, repetition, failures
       sundials_matrix.c   dense, band or KLU, and the values of a Jacobian there
       sundials_blame.c    for FEATURES: which states' errors made a step fail

   SUNDIALS measures errors in the root mean square over the states, weighted as
   solver_scale does; this is at most the maximum norm of the other methods, so
   for the same RELERR it may be a little less strict.

   Its memory and ours agree on t after every step; when they do not (an event,
   a repeated or a failed step), it starts afresh from (t, x). The memory cannot
   be saved. SUNDIALS allocates for itself.

   A step here is one of SUNDIALS and little more: dx is found at the end of a
   step only if conditions are watched or the step ends at its limit, where an
   event may need it; counts are fetched at limits. */

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

/* A band if it has not many more places than entries (band_prefers), dense if
   it does not matter (linear_prefers_dense), KLU for everything else. */
typedef enum SunKind { SUN_DENSE, SUN_BAND, SUN_KLU } SunKind;

typedef struct SunMatrix {
    SunKind kind;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} SunMatrix;

/* False if there is no memory. Without a Jacobian (NULL) the matrix is full. */
bool sun_matrix_create(SunMatrix *m, const Jacobian *j, N_Vector y,
                       SUNContext c);
/* Takes values by entry, as jacobian_matrix leaves them. */
void sun_matrix_fill(SunMatrix *m, const Jacobian *j, const double *value);
void sun_matrix_free(SunMatrix *m);

/* ---- Methods --------------------------------------------------------------- */

/* As declared in SUNNonlinearSolver. */
typedef int SunSolve(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                     N_Vector weight, double tolerance, booleantype setup,
                     void *memory);

typedef struct Sun {
    SUNContext context;
    void *memory;      // memory of CVODE or IDA
    N_Vector y, probe; // probe uses the caller's array
    N_Vector yp, id;   // IDA: derivatives; 1 where a state is differential
    SunMatrix matrix;
    SUNNonlinearSolver nonlinear; // for ADAMS, and if trials are watched
    Jacobian jacobian;
    Vector weight;    // n reals
    Vector value;     // IDA: entries of its matrix
    bool fresh;       // memory belongs to (t, x)
    bool covers;      // it covers the last step, for dense output
    bool watched;     // conditions need dx at every step
    bool stopping;    // it knows the limit
    double limit;     // where to stop
    Status why;       // why the last failed call of the model in this step
                      // failed
    uint32_t still;   // consecutive steps too small to advance time,
    Status still_why; // and why the model failed in them
    long seen[4];     // counts of SUNDIALS that are already in ours
    SunSolve *solve;  // the library's own, if trials are watched; else NULL
    Vector trial;     // n doubles: errors of the last trial over what is
                      // allowed
    bool tried;       // the error test of `trial` is not known yet
    long failed;      // failed error tests that have been examined
    double used[6];   // IDA: the last steps, newest first
    long steps;       // and how many there are
} Sun;

/* What differs between the libraries; the method's table. Flags are those of
   SUNDIALS: 0 means success, 1 that the stop was reached, a negative one
   failure. */
typedef struct SunOps {
    bool newton; // uses the Jacobian
    /* Makes memory and solvers for s->n states; false if there is no memory. */
    bool (*make)(Solver *s, Sun *v);
    void (*drop)(Sun *v);
    /* Starts afresh from (s->t, s->x). */
    int (*begin)(Solver *s, Sun *v, double limit);
    int (*stop)(Sun *v, double t);
    int (*step)(Sun *v, double far, double *t);
    int (*dense)(const Sun *v, double t, N_Vector x);
    /* Slope of the dense output, for models without derivatives. */
    int (*slope)(const Sun *v, double t, N_Vector dx);
    /* Failed error tests, failed iterations, factorisations, iterations. */
    void (*counts)(const Sun *v, long now[4]);
    /* The tested error as a multiple of the correction; `tolerance` is that of
       the iteration for the correction. */
    double (*scale)(Sun *v, double tolerance);
    /* Estimated local errors of the last trial. */
    int (*errors)(const Sun *v, N_Vector error);
    /* The meaning of a failure; `near`: it cannot start so close to the
       stop. */
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

/* For the libraries: weights of the error norm, and a sink for their messages:
   flags say the same, and the words shown are ours. Without memory CVodeCreate
   and IDACreate would print to the standard error, so they are called only if
   memory is left. */
int sun_weights(N_Vector y, N_Vector weight, void *solver);
void sun_error(int code, const char *module, const char *function, char *text,
               void *sun);

bool sun_has_memory(void);

/* Watches trials for FEATURES. The functions passed to sun_watch_trials only
   find the Solver and call sun_solve. False if there is no memory. */
bool sun_watch_trials(Solver *s, Sun *v, SunSolve *solve);
int sun_solve(Solver *s, SUNNonlinearSolver solver, N_Vector y,
              N_Vector correction, N_Vector weight, double tolerance,
              booleantype setup, void *memory);
/* Checks whether the last trial has failed meanwhile, and counts its states. */
void sun_blame(Solver *s);

#endif
