#ifndef COSY_RUN_START_PART_H
#define COSY_RUN_START_PART_H

/* What the files of start.h share. */

#include "base/buffer.h"
#include "run/run.h"

#define Begin            COSY_NAME(Begin)
#define StartRow         COSY_NAME(StartRow)
#define StartWish        COSY_NAME(StartWish)
#define start_values     COSY_NAME(start_values)
#define start_slopes     COSY_NAME(start_slopes)
#define start_choose     COSY_NAME(start_choose)
#define start_solve      COSY_NAME(start_solve)
#define start_row_words  COSY_NAME(start_row_words)
#define start_state_size COSY_NAME(start_state_size)

typedef enum StartKind {
    START_CONSTRAINT, // `which` is its row
    START_CONDITION,  // its number in `starts`
    START_RATE,       // a variable and its element
    START_VALUE       // the same
} StartKind;

typedef struct StartRow {
    StartKind kind;
    uint32_t which, element;
    real wanted;
    uint32_t pivot; // the state it is solved for; COSY_NONE: it does not hold
                    // by itself
} StartRow;

/* A value that should hold, in order: of a state, or a row. */
typedef struct StartWish {
    uint32_t state, row; // one of them is COSY_NONE
} StartWish;

typedef struct Begin {
    Run *r;
    Arena arena;
    uint32_t n, rows, wishes;
    ProjectAt at;
    StartRow *row;
    StartWish *wish;     // written states and values
    uint8_t *written;    // for each state
    uint8_t *held;       // for each state: it keeps its value
    uint32_t *blocker;   // for each state that is not held: the row that has it
    real *x0, *x;        // states as they were given, and where they are
    real *weight;        // errors that they may have
    real *slope;         // rows * n: derivatives of the rows
    real *value;         // residual of each row
    unsigned char *data; // data before the trials
    bool algebra;        // some row needs algebraic values
    bool there;          // all but values hold at x0
} Begin;

/* Residuals of all rows at x; false: the model has no values there. */
bool start_values(Begin *b, const real *x, real *value);
/* Derivatives of all rows with respect to the states (`only`: those that are
   not held), where the residuals are `value`. */
bool start_slopes(Begin *b, const real *x, const real *value, bool only);
/* Decides which rows and states hold; false: no memory. */
bool start_choose(Begin *b);
/* Solves the rows that have a pivot for their pivots, from b->x. */
Status start_solve(Begin *b);
/* "line 9: X^2 + Y^2 = 1" or "X' = 3". */
void start_row_words(const Begin *b, const StartRow *row, char *text,
                     size_t size);
/* The size by which a state is measured where nothing is known: 1 at least. */
real start_state_size(const Begin *b, uint32_t i);

#endif
