#ifndef COSY_SOLVE_METHOD_H
#define COSY_SOLVE_METHOD_H

/* Integrators. A method is a constant table of functions; the clock drives a
   Solver through it and does not know which one it has.

   Order of calls:

       solver_create     once per run: the method's name, tolerances, arena
       solver_move       when copies have come or gone: what is known about the
                         states that stay goes with them. The last step is
                         then no more than a memory
       solver_resize     when the states have changed (and once at first)
       method->start     at the beginning and after every event: t, x and
                         direction are set; forgets history, finds dx. The
                         first step is chosen by the step that follows, when
                         its limit is known; where copies came or went and
                         states stay, it is as long as the next one was to be
       method->step      from (t, x): one accepted step that ends at or before
                         `limit`, in the direction of integration. Afterwards
                         t0, x0, dx0 hold the near end, t, x, dx the far end
       method->dense     any number of times, for times in [t0, t]: x there.
                         May evaluate derivatives, so it comes before an event
                         changes data or branches
       method->redo      repeats the last step from t0 to exactly `t_end`
                         (between t0 and t) as a real step, without error
                         control; multi-step methods interpolate. May be called
                         again and again for one step; t, x, dx are then the end
                         of the shortened step, dense covers [t0, t]. When it
                         fails they are the near end, and no fault is noted:
                         another t_end may do
       solver_complete   before an image is saved or loaded
       solver_attach     after image_load: pointers follow the vectors
       method->destroy   frees what does not lie in the arena

   A trial step whose derivatives fail (status, or not finite) is rejected and
   repeated with a smaller h; when h reaches the resolution of time the step
   fails with the status that made it so, and `culprit` is the state (or the
   equation, in `cause`) that is to blame. A failed step leaves t, x, dx as they
   were, and dense output then covers nothing.

   x and dx stay where they are in memory from one solver_attach (or
   solver_resize, which ends in it) to the next.

   After start and after each step x and dx are consistent: dx = f(t, x), found
   with the branches that were active during the step. (Methods of SUNDIALS
   leave dx as it was if no conditions are watched and the step did not end at
   its limit: nobody reads it then.)

   If no method is named, AUTO chooses it (auto.h): `method` may then become
   another table during the run. A method is created when it is first chosen;
   solver_complete creates the others, so that the image has the pieces of all.

   Nothing is allocated in start, step, dense and redo, except in a step that
   hands over. All memory that decides how a run continues is added to `image`
   in solver_create and solver_complete, as vectors, so that a saved run goes on
   to the same bytes; multi-step methods of SUNDIALS cannot do this
   (METHOD_SAVES is missing).

   Written in `real`; compiled once per precision. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"
#include "solve/moves.h"

#define Solver            COSY_NAME(Solver)
#define Project           COSY_NAME(Project)
#define Method            COSY_NAME(Method)
#define Auto              COSY_NAME(Auto)
#define method_find       COSY_NAME(method_find)
#define method_list       COSY_NAME(method_list)
#define solver_create     COSY_NAME(solver_create)
#define solver_resize     COSY_NAME(solver_resize)
#define solver_move       COSY_NAME(solver_move)
#define solver_complete   COSY_NAME(solver_complete)
#define solver_attach     COSY_NAME(solver_attach)
#define solver_free       COSY_NAME(solver_free)
#define solver_keep       COSY_NAME(solver_keep)
#define solver_room       COSY_NAME(solver_room)
#define solver_begin      COSY_NAME(solver_begin)
#define solver_accept     COSY_NAME(solver_accept)
#define solver_error      COSY_NAME(solver_error)
#define solver_blame      COSY_NAME(solver_blame)
#define solver_blame_by   COSY_NAME(solver_blame_by)
#define solver_note_stiff COSY_NAME(solver_note_stiff)
#define solver_hand_over  COSY_NAME(solver_hand_over)
#define solver_methods    COSY_NAME(solver_methods)
#define solver_stamp      COSY_NAME(solver_stamp)
#define solver_give_up    COSY_NAME(solver_give_up)
#define solver_state_name COSY_NAME(solver_state_name)
#define solver_variable   COSY_NAME(solver_variable)
#define solver_equation   COSY_NAME(solver_equation)
#define solver_rhs        COSY_NAME(solver_rhs)
#define solver_measure    COSY_NAME(solver_measure)
#define solver_scale      COSY_NAME(solver_scale)
#define solver_norm       COSY_NAME(solver_norm)
#define solver_first_step COSY_NAME(solver_first_step)
#define solver_too_small  COSY_NAME(solver_too_small)

typedef struct Solver Solver;
typedef struct Method Method;
typedef struct Auto Auto;
typedef struct Project Project; // project.h

enum {
    METHOD_SAVES = 1,     // a saved run continues to the same bytes
    METHOD_IMPLICIT = 2,  // for stiff systems; uses the Jacobian
    METHOD_MASS = 4,      // accepts a mass matrix
    METHOD_FIXED = 8,     // has no error estimate: needs a fixed step
    METHOD_RESIDUAL = 16, // accepts a model that gives only a residual
    METHOD_CLIMBS = 32    // begins every start with order 1
};

struct Method {
    const char *name;
    int order;
    unsigned features;
    const void *table;           // constants of the method, or NULL
    Status (*create)(Solver *s); // NULL: nothing to do, as for the next two
    Status (*resize)(Solver *s); // adjusts its own vectors to s->n
    Status (*attach)(Solver *s); // sets pointers into them after they moved
    Status (*start)(Solver *s);
    Status (*step)(Solver *s, real limit);
    void (*dense)(const Solver *s, real t, real *x);
    Status (*redo)(Solver *s, real t_end);
    void (*destroy)(Solver *s);
    /* Finds s->culprit of the last step; NULL: step has set it. */
    void (*culprit)(Solver *s);
    /* The method's estimate of what the last step has added to the error of
       each state; false: not known. Changes nothing. NULL: never known. */
    bool (*local)(Solver *s, real *e);
};

typedef struct SolverCounts {
    uint64_t steps, rejected, rhs, jacobians, factorisations, iterations;
} SolverCounts;

/* What the user requested. 0: not specified. */
typedef struct SolverOptions {
    const char *method; // NULL: AUTO
    real relerr;        // 0: 1e-6
    real abserr;        // 0: relerr / 1000 times the size of the variable
    real dtmin, dtmax;
    real step; // fixed step; 0: controlled
} SolverOptions;

/* The vectors in Solver.memory. */
enum {
    SOLVER_X,
    SOLVER_DX,
    SOLVER_X0,
    SOLVER_DX0,
    SOLVER_SIZE,
    SOLVER_ABSERR,
    SOLVER_LEAST,
    SOLVER_OWN, // the first of five for the method
    SOLVER_VECTORS = SOLVER_OWN + 5
};

/* What the watch for stiffness has found. */
typedef enum SolverStiffness {
    SOLVER_NOT_STIFF,  // not found so far
    SOLVER_HANDS_OVER, // found: the next step begins by handing over
    SOLVER_HANDED,     // a method for stiff models is at work
    SOLVER_WARNED      // found, and reported
} SolverStiffness;

/* The pointers below have n elements and lie in Vectors that grow. */
struct Solver {
    const Method *method;
    const CosyModel *model;
    Cosy *c;
    Arena *arena; // lives as long as the run
    Image *image;
    Fault *fault;
    Project *project; // restores constraints; NULL: there are none, or
                      // nobody wants it
    SolverOptions options;
    uint32_t stiffness; // a SolverStiffness
    bool automatically; // there is something for METHOD AUTO to choose
    Auto *automatic;    // METHOD AUTO (auto.h), or NULL

    uint32_t n;
    uint32_t structure; // of the model, for which there is room
    int direction;      // +1, or -1 when integrating backward
    real t, t0;         // far and near end of the last step
    real h;             // proposal for the next step, with sign; 0: choose
    real *x, *dx, *x0, *dx0;
    real *size;    // largest absolute value so far, or what is known of it; for
                   // an element, that of the whole array
    real *abserr;  // absolute error that size allows
    real *least;   // least abserr: noise of the largest state, for states about
                   // which nothing was known at the start
    real largest;  // of size, when abserr was last found for all; 0 at first
    bool shares;   // arrays have one size for all their elements
    bool goes_on;  // only the structure has changed, and some states stay: the
                   // start keeps the proposal for the next step
    bool measured; // size, abserr and least belong to these states

    uint32_t culprit; // state with the largest error in the last rejection
    CosyStatus cause; // what the model said when the last trial failed
    uint64_t refused; // how often the model had no value, or none that is
                      // finite
    SolverCounts counts;
    bool aside;            // an observer evaluates: a method keeps nothing of
                           // it
    bool blames;           // count the states whose errors were too large
    uint64_t blamed_steps; // if so, trials rejected for accuracy,
    Vector blamed;         // and for each state, how many of them it caused

    Vector memory[SOLVER_VECTORS];
    void *impl; // the method's struct, from the arena
};

const Method *method_find(const char *name);
/* The k-th method, NULL after the last. */
const Method *method_list(size_t k);

/* image = NULL: nothing is kept. A name that is unknown, or not available in
   this precision, gives STATUS_USAGE with the list of methods. */
Status solver_create(Solver *s, Cosy *c, const SolverOptions *o, Arena *arena,
                     Image *image, Fault *fault);
/* From now on there are n states; values in x are kept up to the shorter
   length. */
Status solver_resize(Solver *s, uint32_t n);
Status solver_move(Solver *s, const Moves *m, Vector *scratch);
/* Whether there is room for the states as they are now. */
static inline bool solver_fits(const Solver *s)
{
    return s->x && s->n == s->c->head->states &&
           s->structure == s->c->head->structure;
}
Status solver_complete(Solver *s);
Status solver_attach(Solver *s);
void solver_free(Solver *s);
/* The methods that were at work: "DOPRI5", or "DOPRI5, RADAU" if AUTO used one
   after the other. */
const char *solver_methods(const Solver *s);
/* The same, but including those that may follow: for the stamp of an image. */
const char *solver_stamp(const Solver *s);
/* Where state i is declared, NULL if nowhere. The search begins with row *near of
   the table of variables: 0 at first, which helps those who ask for one state after
   the other. */
const CosyVariable *solver_variable(const Solver *s, uint32_t i,
                                    uint32_t *near);
/* The equation that determines it or its derivative; NULL if none is known. */
const CosyEquation *solver_equation(const Solver *s, uint32_t i);
/* "X", "U[17]", "STONE[3].PHI". */
void solver_state_name(const Solver *s, uint32_t i, char *name, size_t size);

/* ---- For methods -------------------------------------------------------- */

/* Sets sizes and tolerances from x and what is known about the states, if their
   number has changed or a run begins. */
void solver_measure(Solver *s, const real *x);

/* Adds memory of fixed size to the image. */
Status solver_keep(Solver *s, const char *name, void *fixed, size_t size);
/* Gives memory[k] room for exactly `count` reals; new ones are zero. */
Status solver_room(Solver *s, size_t k, size_t count);
/* Begins every start: derivatives at (t, x), an empty last step, the sizes of
   the states, no proposal of h unless the run goes on with other states. */
Status solver_begin(Solver *s);
/* Ends every accepted step, when t, x, dx are its far end: the sizes of the
   states, counts.steps. STATUS_NUMBER if x is not finite. */
Status solver_accept(Solver *s);
/* Evaluates and counts derivatives. If the model fails or a value is not
   finite, returns the status and notes cause and culprit, but no fault: it may
   be a trial. */
Status solver_rhs(Solver *s, real t, const real *x, real *dx);
/* weight[i] = abserr_i + relerr |x_i|, the larger of two points. */
void solver_scale(const Solver *s, const real *xa, const real *xb,
                  real *weight);
/* max |e_i| / weight_i, and where it is. NaN counts as infinite. */
real solver_norm(const Solver *s, const real *e, const real *weight,
                 uint32_t *where);
/* Both in one: the norm of e with the weights of two points. */
real solver_error(const Solver *s, const real *xa, const real *xb,
                  const real *e, uint32_t *where);
/* Called when a trial is rejected for its error e; counts the states, if that
   is wanted. */
void solver_blame(Solver *s, const real *xa, const real *xb, const real *e);
/* The same if each error is known as a share of what is allowed. */
void solver_blame_by(Solver *s, const double *share);
/* First step for a method of the given order from x, dx (Hairer, Norsett,
   Wanner I, II.4), within dtmax and `limit`; scratch has 2 n reals. */
Status solver_first_step(Solver *s, int order, real limit, real *scratch,
                         real *h);
/* True if t + h cannot be distinguished from t, or |h| < dtmin. */
bool solver_too_small(const Solver *s, real h);
/* The model is stiff: warns once, or marks that the next step hands over. */
void solver_note_stiff(Solver *s);
/* AUTO decides which method goes on from (t, x), and that method makes the
   step. */
Status solver_hand_over(Solver *s, real limit);
/* Notes the fault of a step that failed for this reason and cannot be made
   smaller, with time, state, equation and what to try. Returns the status. */
Status solver_give_up(Solver *s, Status why);

#endif
