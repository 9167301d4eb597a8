#ifndef COSY_SOLVE_PROJECT_H
#define COSY_SOLVE_PROJECT_H

/* Restores g(t, x) = 0 (model->constraints) by the shortest way, each state
   measured by what its error may be (weight w):

       x -= W^2 G^T (G W^2 G^T)^-1 g,    G = dg/dx,

   repeated until g is at the level of rounding or stops falling. Rows of
   constraints that are not active do not exist. Rows that depend on others do
   no harm as long as all can hold: the matrix, whose rows have the size 1, has a
   little added to its diagonal, so that what no row determines stays where it
   is.

       project_create   once per run; does nothing without constraints
       project_forget   the states have changed places: shapes G anew
       project_look     how far a point is from g = 0
       project_restore  brings x there; x is not touched if it is there already

   The rounding level of each row and its size in tolerances are kept from the
   last G, in the image: where g is at the level of rounding, as with linear
   constraints, g itself is all that is evaluated.

   Up to PROJECT_FULL rows the matrix is full. More are solved for with the
   states, by a sparse LU: [1 A^T; A -d], A = G W with rows of size 1. Without
   `constraint_jacobian` G is full and comes from differences.

   STATUS_SINGULAR: no state that may move is in a row that does not hold.
   STATUS_NEWTON: g does not become smaller. STATUS_NUMBER: the model cannot
   compute it. The fault names the constraint, and x stays as it was. Memory
   grows with the first call for a shape. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"
#include "solve/linear.h"
#include "solve/method.h"

#define ProjectAt        COSY_NAME(ProjectAt)
#define ProjectState     COSY_NAME(ProjectState)
#define project_create   COSY_NAME(project_create)
#define project_forget   COSY_NAME(project_forget)
#define project_free     COSY_NAME(project_free)
#define project_restore  COSY_NAME(project_restore)
#define project_look     COSY_NAME(project_look)
#define project_value    COSY_NAME(project_value)
#define project_gradient COSY_NAME(project_gradient)
#define project_normals  COSY_NAME(project_normals)
#define project_words    COSY_NAME(project_words)
#define project_line     COSY_NAME(project_line)

enum { PROJECT_FULL = 60 };

/* Where, and how states are measured. */
typedef struct ProjectAt {
    real t;
    uint32_t n;
    const real *weight;   // error that each state may have; NULL: 1
    const real *size;     // size of each state; NULL: as it is at the point
    const uint8_t *fixed; // not 0: this state does not move; NULL: all do
    real slack;           // so many tolerances are left as they are
} ProjectAt;

/* What a run says about its constraints. */
typedef struct ProjectState {
    real drift; // largest violation before it was restored, in tolerances
    real moved; // largest correction of a state, in tolerances
    real error; // largest |g| that was left
} ProjectState;

struct Project {
    Cosy *c;
    uint32_t rows, n;
    uint32_t listed; // values of the model's list
    bool shaped, sparse;
    Linear *linear;       // if sparse
    Vector start, column; // uint32_t: G by rows
    Vector place;         // uint32_t: where each value of the list goes
    Vector slot;          // uint32_t, if sparse: two places of each entry, and
                          // those of the diagonal
    Vector entry, list;   // reals: G, and the model's list
    Vector room;          // reals: g, norms, multipliers, points, full matrix
    Vector active;        // a byte per row
    Vector sizes;         // reals, in the image: see project_rows.c
    ProjectState state;   // in the image
    real violation;       // before it moved: the largest, in tolerances,
    uint32_t worst;       // and its row
    real moved;           // by project_restore: how far x went, in tolerances
};

Status project_create(Project *p, Cosy *c, Arena *a, Image *image);
void project_forget(Project *p);
void project_free(Project *p);

Status project_restore(Project *p, const ProjectAt *at, real *x, Fault *f);
/* Fills `violation` and `worst`. Evaluates G if g is more than rounding. */
Status project_look(Project *p, const ProjectAt *at, const real *x, Fault *f);

/* Name of a row, and the line of its equation (0: not known). */
void project_words(const CosyModel *m, uint32_t row, char *text, size_t size);
uint32_t project_line(const CosyModel *m, uint32_t row);

/* ---- project_rows.c ------------------------------------------------------- */

/* g and the active rows at x. */
Status project_value(Project *p, const ProjectAt *at, const real *x, Fault *f);
/* G there, and what is kept of it; needs project_value at the same point. */
Status project_gradient(Project *p, const ProjectAt *at, const real *x,
                        Fault *f);

/* The directions that leave g = 0 at x, at most `rows` of n each: orthonormal in
   y = x / size (NULL: x), and how far x is from g = 0 along each of them. */
Status project_normals(Project *p, const ProjectAt *at, const real *x,
                       real *normal, real *off, uint32_t *count, Fault *f);

/* Parts of `room` and `sizes`. */
static inline real *project_g(const Project *p)
{
    return (real *)(void *)p->room.bytes;
}

static inline real *project_level(const Project *p)
{
    return (real *)(void *)p->sizes.bytes;
}

static inline real *project_size(const Project *p)
{
    return project_level(p) + p->rows;
}

/* The entries of a row of G, or of what project_restore made of it: states and
   values. */
static inline uint32_t project_row(const Project *p, uint32_t row,
                                   const uint32_t **state, real **value)
{
    const uint32_t *start = (const uint32_t *)(const void *)p->start.bytes;
    *state = (const uint32_t *)(const void *)p->column.bytes + start[row];
    *value = (real *)(void *)p->entry.bytes + start[row];
    return start[row + 1] - start[row];
}

static inline real project_weight(const ProjectAt *at, uint32_t i)
{
    return at->fixed && at->fixed[i] ? R(0.0)
           : at->weight              ? at->weight[i]
                                     : R(1.0);
}

#endif
