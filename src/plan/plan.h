#ifndef COSY_PLAN_PLAN_H
#define COSY_PLAN_PLAN_H

/* What the generated C will be like, decided before a line of it is written.

   A Plan is made from a derived Model and never changes it. It says what
   everything is called (PlanNames), where every variable lies (PlanStorage),
   which rows the contract's tables have (PlanRows), and for each function of the
   continuous part which steps it carries out, what it computes, where that lies,
   and how it is cut into pieces (FunctionPlan). `emit` reads it and writes;
   `plan_print` shows it (--dump=planned).

   Where values are. In the continuous part (ALGEBR, LOGIC, MEMORY) scalars are
   locals; arrays lie in Work, and so do scalars that a Block's functions need.
   In `outputs` all of them go to Data, which event bodies read.

   Large models. C compilers take very long over single functions of thousands of
   statements. In a `big` model all values of the continuous part lie in Work, so
   that a function can be cut into pieces, and `outputs` has `derivatives`
   compute what it can.

   Needs: derived. If there is no memory, `broken` is set, and nothing else of
   the Plan may be used. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "model/model.h"

/* ---- Names ------------------------------------------------------------------- */

/* Identifiers of file scope that have been given out. */
typedef struct Identifiers {
    Vector slots;
    uint32_t count;
} Identifiers;

/* What each row of a table of the Model is called in C. The modeller's names are
   in upper case, the compiler's own in lower case, so the two never meet. */
typedef struct PlanNames {
    Identifiers taken;
    const char **variable;
    const char **row; // also of rows of blocks, after those of the Model
    const char **routine, **state_event, **time_event, **record;
    const char **table, **external, **relation, **condition, **block;
    const char **memory, **stream, **statistic;
    const char **process;  // enumerator of each
    const char **own;      // struct of its variables
    const char **pool;     // enumerator of each, and head of its structs
    const char **resource; // enumerator of its first element
    const char **file;     // FILE_Q; NULL: that of a process
} PlanNames;

/* ---- Storage ------------------------------------------------------------------ */

/* For each variable. */
typedef struct PlanStorage {
    bool *in_data;      // has a member of Data
    bool *in_work;      // arrays; scalars that a block needs
    bool *has_row;      // stands in the contract's table `variables`
    bool *work_outputs; // arrays that a block needs: in Work even in outputs
    bool *partial;      // not every element is always computed
    bool *rate_kept;    // STATE whose rate procedural code reads
    bool *packed;       // REAL that is an element of `scalar` in both structs
    uint32_t *contract; // number in `variables`, or NONE
    uint32_t columns;   // expressions of OUTPUT, which stand last
    bool *aliased;      // passed to a VAR formal within an expression
    bool *initial;      // STATE that INITIAL assigns
    uint32_t initials;  // how many there are
} PlanStorage;

/* ---- Rows --------------------------------------------------------------------- */

typedef struct PlanRows {
    uint32_t rows;         // of equations, including those of blocks
    uint32_t *block;       // block of each row after those of the Model
    uint32_t conditions;   // of conditions_info, including hidden ones
    uint32_t *hidden;      // first row of each Relation among them
    uint32_t *time_number; // of each time event: number of its first element
} PlanRows;

/* ---- Blocks ------------------------------------------------------------------- */

typedef struct BlockPlan {
    uint32_t row; // of its first equation; the others follow
    uint32_t loops[LOOPS_MOST], n_loops; // that it stands in
    bool in_work;   // the array of its unknowns is too large for the stack
    bool large;     // what it computes lies in Work; its functions have pieces
    bool scattered; // its unknowns go to their places by a table
} BlockPlan;

/* ---- Functions ---------------------------------------------------------------- */

/* The kinds of functions. */
typedef enum Part {
    PART_DERIVATIVES,
    PART_OUTPUTS,
    PART_CONDITIONS,
    PART_RELATIONS,
    PART_DELAYS,
    PART_JACOBIAN,
    PART_TANGENT,
    PART_LINEAR,
    PART_CONSTRAINTS,
    PART_GRADIENT, // constraint_jacobian
    PART_SLOPES,   // condition_slopes
    PART_BLOCK,    // residual or Jacobian of a block
    PART_BODY      // procedural code
} Part;

typedef enum Home { HOME_LOCAL, HOME_WORK, HOME_DATA } Home;

/* A variable that a function computes. */
typedef struct Computed {
    uint32_t variable;
    Home home;
    bool nested; // in a loop or a branch
    bool unread; // a local that nothing in the function reads: left out
    bool inner;  // false: an unknown of the block whose function it is
} Computed;

/* Something to be done before the first step. */
typedef struct Start {
    uint32_t variable;
    bool declare; // a local that branches assign; otherwise its value in Work
                  // is kept
} Start;

/* Steps first .. before end as a function of their own. */
typedef struct PieceOfSteps {
    const Step *first, *end;
} PieceOfSteps;

typedef struct FunctionPlan {
    Part part;
    uint32_t block; // PART_BLOCK: which, and
    bool slopes;    // whether it is the Jacobian
    bool exists;
    uint32_t needs, except; // steps that it carries out; those left out of them
    const Steps *steps[2];  // of which lists, or NULL
    bool solves;            // has blocks to solve
    bool follows;           // outputs: has derivatives compute what rates need
    Computed *computed;     // in the order of variables
    uint32_t n_computed;
    uint32_t *own_rate; // scalar STATEs whose rates are locals of a block
    uint32_t own_rates;
    Start *start; // in the order of variables
    uint32_t starts;
    PieceOfSteps *piece; // in the order of the text
    uint32_t pieces;
    uint32_t shared; // expressions that occur more than once
} FunctionPlan;

/* ---- WAIT UNTIL ---------------------------------------------------------------- */

typedef struct WaitRead {
    uint32_t which; // Variable, or Resource
    bool resource;
    bool divided; // only the element at the index
} WaitRead;

/* For each Wait: its lists (cosy/until.h), and what it has to be asked for. */
typedef struct WaitPlan {
    uint32_t first, lists;
    bool always;       // after every event
    bool alike;        // the condition is the same for all in a list
    bool attributes;   // it reads attributes of the transaction
    const Expr *index; // a list for each element at this index, which begins
                       // at `low`, after one for all others; NULL: one list
    int64_t low;
    uint32_t elements;
    WaitRead *read;
    uint32_t reads;
    Vector room; // of `read`
} WaitPlan;

/* ---- The plan ------------------------------------------------------------------ */

typedef struct PlanFacts {
    bool big;           // large: see above
    bool rates_partial; // some state has no equation of its own
    bool block_rates;   // blocks read rates
    bool block_seeds;   // blocks read the direction of a tangent
    bool has_work, has_delays;
    bool has_c;         // the modeller's own C: it may change anything
    bool *routine_used; // for each Routine
    bool *rate_read;    // for each variable: STATE whose rate `outputs` needs
} PlanFacts;

typedef struct Plan {
    const Model *m;
    Arena arena;
    bool broken;
    PlanNames names;
    PlanStorage storage;
    PlanRows rows;
    PlanFacts facts;
    BlockPlan *block;
    WaitPlan *wait;
    uint32_t until_lists;
    FunctionPlan function[PART_BLOCK]; // by Part
    FunctionPlan *of_block;            // residual and Jacobian of each
    uint32_t *mark, marks; // scratch: expressions visited, by their ids
} Plan;

void plan_make(Plan *p, const Model *m);
void plan_free(Plan *p);
void plan_print(const Plan *p, Buffer *b);

/* ---- What emit asks for while it writes ------------------------------------------ */

const char *plan_format(Plan *p, const char *format, ...) PRINTF_LIKE(2, 3);
/* `wish`, or another name if the headers of generated C may have a macro of
   that name. */
const char *plan_unreserved(Plan *p, const char *wish);
/* An identifier of file scope that nothing else has. */
const char *plan_unique(Plan *p, const char *wish);
bool plan_taken(const Plan *p, const char *name);
const char *plan_upper(Plan *p, const char *name);

/* Whether the function carries out this step. */
bool plan_wants(const FunctionPlan *f, const Step *s);
/* Whether the equation of this step is found by its row when its value is not
   finite (cosy_first_bad). */
bool plan_is_found(const Plan *p, const Step *s);
bool plan_is_computed(const Variable *v); // ALGEBR, LOGIC, MEMORY
/* Name of the argument that an array of directions is, NULL if it is none. */
const char *plan_vector_name(const Model *m, uint32_t variable);
/* The part of a block that a position belongs to. */
uint32_t plan_part_at(const Block *b, uint32_t position);

/* ---- Visiting: visit.c ------------------------------------------------------------ */

typedef void (*PlanVisit)(void *user, const Expr *x);
/* Every expression of the steps that the function carries out. */
void plan_each_step(const FunctionPlan *f, const Steps *steps, PlanVisit visit,
                    void *user);
/* Every expression of a function of the continuous part: those of its steps,
   and what it reports. */
void plan_each_root(const Plan *p, const FunctionPlan *f, PlanVisit visit,
                    void *user);
void plan_each_code(const Code *code, PlanVisit visit, void *user);
/* x and all below it that have not been visited since p->marks was counted
   up. */
void plan_each_node(Plan *p, const Expr *x, PlanVisit visit, void *user);

/* ---- What may be shared: share.c ---------------------------------------------------- */

/* Expressions that become statements before the expression around them. */
bool plan_is_hoisted(const Expr *x);
/* True unless writing it again is as short as a name. */
bool plan_is_worth(const Expr *x);
/* The number of arguments that are computed whenever x is. */
uint32_t plan_sure_arguments(const Expr *x);
/* CALL and DRAW: each node is one occurrence in the text. */
bool plan_is_occurrence(const Expr *x);
/* DIV and MOD by a literal that cannot fail. */
bool plan_is_plain_quotient(const Expr *x);
bool plan_calls(const Expr *x);

/* ---- Between the files of this folder ------------------------------------------------ */

void *plan_alloc(Plan *p, size_t n, size_t size);
#define PLAN_ARRAY(p, T, n) ((T *)plan_alloc((p), (n), sizeof(T)))
void plan_storage(Plan *p); // storage.c
void plan_rows(Plan *p);    // rows.c
/* How many conditions a hidden relation has. */
uint32_t plan_hidden_rows(const Relation *r);
void plan_waits(Plan *p);     // waits.c
void plan_names(Plan *p);     // names.c
void plan_functions(Plan *p); // function.c
void plan_initial(Plan *p);   // initial.c

#endif
