#ifndef COSY_SOLVE_BLOCK_PART_H
#define COSY_SOLVE_BLOCK_PART_H

/* What the files of block.h share: one solution (block.c), its matrix
   (block_matrix.c), its rank (block_rank.c, block_keep.c), and the search for solutions that
   Newton's method does not find (block_search.c, block_path.c). */

#include "solve/block.h"
#include "solve/linear.h"

#define Newton               COSY_NAME(Newton)
#define block_residual       COSY_NAME(block_residual)
#define block_newton         COSY_NAME(block_newton)
#define block_measure        COSY_NAME(block_measure)
#define block_no_convergence COSY_NAME(block_no_convergence)
#define block_entries        COSY_NAME(block_entries)
#define block_factor         COSY_NAME(block_factor)
#define block_apply          COSY_NAME(block_apply)
#define block_matrix_shape   COSY_NAME(block_matrix_shape)
#define block_matrix_create  COSY_NAME(block_matrix_create)
#define block_matrix_free    COSY_NAME(block_matrix_free)
#define block_rank           COSY_NAME(block_rank)
#define block_null           COSY_NAME(block_null)
#define block_rows_factor    COSY_NAME(block_rows_factor)
#define block_rows_solve     COSY_NAME(block_rows_solve)
#define block_path           COSY_NAME(block_path)
#define block_search         COSY_NAME(block_search)
#define block_explain        COSY_NAME(block_explain)
#define block_keep           COSY_NAME(block_keep)

/* The Jacobian of a block with a pattern. */
struct BlockMatrix {
    uint32_t n, entries; // entries of the model's list
    bool listed;         // there is such a list
    bool sparse;         // in `linear`; otherwise row by row in the scratch
    bool direct;         // the model's values are in the order of `linear`
    bool shaped;
    Linear *linear;
    Vector place;      // uint32_t: where each value of the model's list goes
    Vector start, row; // uint32_t: the pattern by columns, if sparse
    Vector value;      // reals: the model's list
    Vector scale;      // reals, if sparse: factors of rows, sizes of columns
};

/* The state of one solution. */
typedef struct Newton {
    Cosy *c;
    const CosyBlock *b;
    real t;
    const real *x;
    const void *point;
    BlockRoom *room;
    BlockMatrix *matrix; // NULL: the Jacobian is full
    uint32_t n;
    real *u;            // best so far
    real *trial;        // u plus a correction
    real *r;            // residual there
    real *d;            // correction of u
    real *next;         // correction of the trial, with the same Jacobian
    real *scale;        // size of each unknown
    real *size;         // one over the largest entry of each row
    real *j;            // Jacobian, row by row, then its factors; not if sparse
    uint32_t *pivot;    // rows exchanged
    real part;          // part of the last correction that was applied
    real before, after; // norms of d and next
    real floor;         // unknowns smaller than this are measured by it
    unsigned taken;     // corrections so far
    bool doubtful;      // damped or slow: another solution may have been found
    bool exhausted;     // the block's own limit of corrections was reached
} Newton;

/* r = r(u); COSY_NUMBER if it is not finite. */
CosyStatus block_residual(const Newton *w, const real *u, real *r);
/* From u to a solution, which is then in `trial`. */
CosyStatus block_newton(Newton *w);
/* `scale` and `floor` for the start values u. */
void block_measure(Newton *w);
CosyStatus block_no_convergence(const Newton *w);

/* The Jacobian at u row by row, where the residual is r; `trial` and `next` are
   overwritten. */
CosyStatus block_entries(Newton *w, real *j);
/* Factors the Jacobian at u. COSY_SINGULAR with the unknown to blame. */
CosyStatus block_factor(Newton *w);
/* d = inverse(J) d. */
CosyStatus block_apply(const Newton *w, real *d);
/* `number` tells the blocks of a model apart in the image. */
CosyStatus block_matrix_create(BlockMatrix *m, Cosy *c, const CosyBlock *b,
                               uint32_t number, Arena *a, Image *image);
CosyStatus block_matrix_shape(BlockMatrix *m, Cosy *c, const CosyBlock *b);
void block_matrix_free(BlockMatrix *m);

/* LU row by row, pivots being the largest in proportion to their rows. Returns
   n, or the column in which no pivot is more than `least` of its row. */
uint32_t block_rows_factor(uint32_t n, real *a, real *size, uint32_t *pivot,
                           real least);
void block_rows_solve(uint32_t n, const real *a, const uint32_t *pivot,
                      real *b);

/* Rank of the matrix a (row by row, overwritten), rows and columns scaled, with
   the largest pivots of all. order has 2 n places: rows, then columns, in the
   order of elimination. scale has 2 n: factors of rows, then of columns. */
uint32_t block_rank(uint32_t n, real *a, uint32_t *order, real *scale);
/* Vectors that a of that rank takes to zero: from the right, and from the left.
   There are n - rank of each, with the numbers from `rank` on. Their entries are
   in proportion to the scaled matrix. */
void block_null(uint32_t n, const real *a, const uint32_t *order, uint32_t rank,
                uint32_t number, real *right, real *left);

/* Follows the path from u to a solution (memory: BLOCK_PATH_REALS); *turning:
   it turns back. */
bool block_path(Newton *w, const real *u, real *memory, bool *turning);
#define BLOCK_PATH_REALS(n) (6 * (n))

/* Newton's method from u has failed with `first`, or may have found another
   solution. On success the solution is in `trial`. */
CosyStatus block_search(Newton *w, const real *u, CosyStatus first);
/* The solution of a modal block that is singular, from u; it is in `trial`. */
CosyStatus block_keep(Newton *w, const real *u);
/* Tells in room->fault why there is no solution at u. */
void block_explain(Newton *w, const real *u, CosyStatus status);

#endif
