#ifndef COSY_MODEL_MODEL_H
#define COSY_MODEL_MODEL_H

/* The one intermediate form: what a program means, without its syntax.

   Passes, in order, and what each leaves (model_check proves it, and
   algebra/promise.h the order of computation):

     lower       program -> Model. Variables, equations (loops and guards as they
                 were written), conditions, bodies of procedural code. Library
                 functions have become states, memories and plain expressions;
                 CONTINUOUS FUNCTIONs and PROCEDURAL blocks have become
                 expressions. Relations stand in the equations as written
     hide        every discontinuity in an equation or condition is a Relation;
                 the expression has its SIDE or SEGMENT. NOEVENT is gone
     match       `simulation`, a System: every Portion of an equation knows the
                 unknown it is solved for (`target`) and its value, or that it
                 stays implicit
     sort        its `program`: Steps in an order in which each uses only what is
                 known; implicit ones in Blocks, torn
     sense       derivatives by parameters: Companions, whose Steps stand at the end
                 of the program and belong to no Portion
     derive      Jacobians of blocks; dz of conditions and relations with
                 `rates`, the Steps that compute the time derivatives they
                 need; `tangent`, the Steps of a directional derivative; entries
                 of the Jacobian with its pattern
   and then emit writes the C.

   Quantities. A Variable is a scalar or an array of 1 or 2 dimensions. Unknowns
   of the continuous part are the rates of STATEs and the values of ALGEBRs,
   LOGICs and MEMORYs. X'' has become a STATE "X'" of its own, and its variable
   says whose rate it is.

   Loops. An equation inside FOR has the Loops it stands in, outermost first;
   their bounds are integers. Indices of arrays in it are expressions of
   EXPR_LOOP. It stays one equation through all passes unless it must be
   expanded, which is then reported.

   Pools. The variables of a CONTINUOUS PROCESS are arrays over its copies: their
   first index is the position of a copy, from 0, and a Loop over all active
   copies has the same `pool`. How many there are is known only during a run. All
   passes take POOL_SIDE for it, which is an example: no equation knows its
   position, so what they find for one copy holds for all, and pools_check
   (algebra/pools.h) proves that every loop they have left over copies goes over
   all of them. Another copy is met by EXPR_FOUND, an index like any other that
   is not known, or by a SUM over the pool.

   Guards. An equation inside CASE or IF has the innermost Guard: a branch of a
   Select; the Select knows the Guard around it. The selector of a CASE is an
   INTEGER that changes only at events; the condition of an IF is a BOOLEAN,
   whose relations have been hidden like any other.

   Rows. Everything that can fail at run time has a row of `rows`, which becomes
   the contract's table of equations: line, text, the variable it computes.

   Tables are Vectors of structs, used through the model_ functions below; they
   may move when they grow, so keep numbers, not pointers. */

#include <assert.h>

#include "base/diag.h"
#include "model/expr.h"

#define NONE UINT32_MAX

/* ---- Variables -------------------------------------------------------------- */

typedef enum VariableKind {
    VARIABLE_CONST,    // a CONST that does not shape the model: instance data
    VARIABLE_DISCRETE, // REAL, INTEGER, BOOLEAN
    VARIABLE_STATE,
    VARIABLE_ALGEBR,
    VARIABLE_LOGIC,
    VARIABLE_DSTATE,
    VARIABLE_MEMORY,
    VARIABLE_LOCAL,     // in a routine or a body; `routine` says which
    VARIABLE_FORMAL,    // belongs to a routine
    VARIABLE_COUNTER,   // counter of FOR in procedural code
    VARIABLE_ATTRIBUTE, // belongs to a Record
    VARIABLE_OWN        // one per transaction of `process`: VAR OWN, and what
                        // else must outlive a wait
} VariableKind;

/* Attributes that the system keeps: those of a process file, and EVTIME of the
   calendar's record while an event is the current entry. */
typedef enum AttributeRole {
    ROLE_NONE,
    ROLE_EVTIME,
    ROLE_GENTIM,
    ROLE_TRANSNBR,
    ROLE_PRIORNBR,
    ROLE_BLOCKNBR,
    ROLE_COPYNBR, // pooled: the number of a copy
    ROLE_BORN     // the same: when it was created
} AttributeRole;

typedef struct Variable {
    const char *name;   // as the modeller sees it: "PHI", "PHI'", "HSTRS@12"
    const char *c_name; // in the generated code: a unique identifier
    VariableKind kind;
    ExprType type;
    uint32_t rank; // 0, 1, 2
    int64_t low[2], high[2];
    uint64_t elements; // 1 for a scalar
    const char *unit;  // "" if none
    uint32_t rate_of;  // STATE "X'", or hidden ALGEBR that equals X': the STATE
                       // X; in `rates` and `tangent`: the variable whose
                       // derivative this is; else NONE
    const Expr *range_low, *range_high; // RANGE, or NULL
    const Expr *value;  // value of a CONST; start value of a LOCAL; or NULL
    uint32_t routine;   // for LOCAL, FORMAL, COUNTER; else NONE
    uint32_t record;    // for ATTRIBUTE
    uint32_t process;   // for OWN
    AttributeRole role; // for ATTRIBUTE
    bool by_reference;  // VAR formal
    bool own;           // VAR OWN: starts afresh at every call
    bool hidden;        // made by the compiler: not in the results
    bool column;        // an expression of OUTPUT: computed for rows alone
    bool moves;         // a column that also changes between events
    bool wished;        // STATE: declared as one; false: an ALGEBR that is
                        // differentiated, so it may be a state
    bool guessed;       // an ALGEBR with INITCOND or GUESS: where its iteration
                        // begins
    bool given;         // a CONST that --set gives: its value is not used
    bool started;       // hidden, but INITCOND or GUESS sets it: in the
                        // contract's table `variables` all the same
    bool carried;       // hidden, but the contract describes it: a coordinate
    bool iterated;      // it is an unknown that Newton's method finds
    bool input, output;
    bool through;      // of a port: it adds up to 0 at a node
    bool loose;        // and that port is neither connected nor closed
    bool read_by_body; // ALGEBR...: needed in data at every event
    uint32_t pool;     // of a copy: Pool + 1, its first index; 0: none
    uint32_t place; // STATE: place of its first element in x, or in the block
                    // of a copy
    Span at;
    uint32_t line;
} Variable;

/* ---- Structure of the continuous part ------------------------------------------ */

typedef struct Loop {
    const char *name;        // name of the index
    int64_t low, high, step; // step 1, or -1 for DOWNTO; BY is refused unless 1
    bool bound;              // index of SUM or PROD, whose bounds are
                             // expressions
    uint32_t pool; // Pool + 1 if it goes over all active copies; 0: none
    uint32_t twin; // loop that takes its place in a series inside itself; 0:
                   // none made yet
    uint32_t line;
} Loop;

typedef struct Label { // label of a CASE: low .. high
    int64_t low, high;
} Label;

typedef struct Guard Guard;
typedef struct Select Select;

struct Select {
    bool is_case;         // otherwise IF: branch 0 is THEN, branch 1 ELSE
    const Expr *selector; // INTEGER, or BOOLEAN
    const Guard *around;  // or NULL
    uint32_t loops[3], n_loops;
    uint32_t branches;
    const Label *const *labels; // for each branch; ELSE: no labels
    const uint32_t *n_labels;
    bool has_else;
    uint32_t row; // "CASE MODE OF": for a selector outside its labels
    uint32_t number;
    const Select **written; // after its outermost loop has been expanded: the
                            // Select of each value, NULL if there is none yet
    Span at;
    uint32_t line;
};

struct Guard {
    const Select *select;
    uint32_t branch;
};

#define LOOPS_MOST 3

/* What has become of an equation on its way to a System. */
typedef enum EquationRole {
    EQUATION_PLAIN,
    EQUATION_CONSTRAINT, // a Constraint: it determines nothing, its derivative
                         // does
    EQUATION_REPLACED    // others stand for it
} EquationRole;

typedef struct Equation {
    const Expr *left, *right;
    EquationRole role;
    uint32_t order;     // how often it has been differentiated
    bool modal;         // it puts together what different modes have
    const Expr *sets;   // boundary of a FIELD: the element of a STATE that this
                        // sets where an event leaves something else, or NULL
    const Guard *guard; // or NULL
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t block; // IMPLICIT it stands in, or NONE
    uint32_t model; // MODEL it stands in, or NONE
    uint32_t row;
    Span at;
} Equation;

/* 0 = g along the solution: an equation that has no unknown to determine (or none
   that others do not determine) and keeps the STATEs where it says. Its rows are
   `first` and those of the other elements of its loops. */
typedef struct Constraint {
    const Expr *g;
    const Guard *guard; // or NULL
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t order;   // how often the modeller's equation was differentiated
    bool companion;   // between Companions: the derivative of another one
    const Expr *sets; // as in its Equation
    uint32_t first;
    uint32_t row;
    Span at;
} Constraint;

/* A MODEL block: used only for the order and for messages. */
typedef struct ModelBlock {
    const char *name;
    uint32_t around; // or NONE
    Span at;
} ModelBlock;

/* IMPLICIT as written. */
typedef struct Implicit {
    uint32_t n;
    const Expr *const *unknown;
    const Expr *const *tolerance; // for each unknown, NULL: none
    const Expr *const *start;     // for each unknown, NULL: none
    uint32_t most;                // MAX; 0: none
    Span at;
    uint32_t line;
} Implicit;

typedef enum ConditionKind {
    CONDITION_CONDIT,
    CONDITION_FINISH,
    CONDITION_RANGE,
    CONDITION_WAIT // a relation in a WAIT UNTIL: event = Wait, `relation` =
                   // which one
} ConditionKind;

typedef enum ConditionScheme {
    SCHEME_CROSSES,
    SCHEME_REGULA,
    SCHEME_IHERMITE,
    SCHEME_BISECT
} ConditionScheme;

typedef struct Condition {
    ConditionKind kind;
    ConditionScheme scheme;
    const char *name;
    int direction; // +1, -1, 0
    const Expr *z;
    const Expr *dz;     // derive: its time derivative
    const Expr **slope; // sense: derivative by each Sense at a fixed time, then
                        // (derive) the time derivative of each; or NULL
    const Expr *tol;    // or NULL
    const Expr *priority; // or NULL
    uint32_t event;       // index in state_events; RANGE: the variable; WAIT:
                          // the Wait
    uint32_t relation;    // WAIT: which of its relations
    const Expr *element;  // for an array of SEVENTs: the position from 0, or
                          // NULL
    const Guard *guard;
    uint32_t loops[LOOPS_MOST], n_loops;
    bool activates; // stands in a branch
    uint32_t row;
    Span at;
    uint32_t line;
} Condition;

typedef enum RelationKind {
    RELATION_ORDER, // a op b: side = its truth, z = a - b
    RELATION_TRUNC, // segment = integer part of a
    RELATION_ROUND,
    RELATION_FLOOR,
    RELATION_TABLE,     // segment of table `which` in which a lies
    RELATION_HYSTERESIS // HSTRS: 0 rests, 1 follows upward, 2 downward; `which`:
                        // its Memory; a: input, b: low, c: high
} RelationKind;

typedef struct Relation {
    RelationKind kind;
    ExprOp op; // ORDER: LT LE GT GE
    const Expr *a, *b, *c;
    const Expr *da, *db, *dc; // derive: their time derivatives
    const Expr **slope;       // sense: of a, or of a - b, as for a Condition
    uint32_t which;
    const Guard *guard; // guard of the equation it stands in
    const Expr *when;   // BOOLEAN: conditions of enclosing CHOOSEs that must
                        // hold for it to be watched, or NULL
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t first, count; // places in branch
    const char *text;
    uint32_t line, row;
} Relation;

typedef enum MemoryKind {
    MEMORY_DELAY,      // DELAY, PIPE: input, delay
    MEMORY_HOLD,       // ZHOLD: input; kept while `when` is false
    MEMORY_HYSTERESIS, // HSTRS
    MEMORY_PULSE,      // PULSE: time at which it began
    MEMORY_DERIVATOR   // DERIV
} MemoryKind;

/* A memory function. HELD reads the value it keeps. At every accepted point
   where `when` is true (NULL: never by itself) the value becomes `input`. */
typedef struct Memory {
    MemoryKind kind;
    const char *name; // "DELAY@12"
    const Expr *input, *delay;
    const Expr *when;
    const Expr *start; // value at the start of a run, or NULL: 0
    const Guard *guard;
    uint32_t pool;   // of a copy: Pool + 1; 0: none
    uint32_t loop;   // and the Loop over the copies that the rest refers to
    bool varies;     // the delay may change during a run
    uint32_t number; // among those of its kind: DELAYs count from 0 for the
                     // contract
    uint32_t row;
    Span at;
    uint32_t line;
} Memory;

typedef enum TableKind { TABLE_LINEAR, TABLE_SPLINE, TABLE_STEP } TableKind;

/* FUNCTABLE: literals as text, so that QUAD has all its digits. */
typedef struct Table {
    const char *name, *c_name;
    TableKind kind;
    uint32_t points;
    const char *const *x, *const *y;
    uint32_t line;
} Table;

typedef struct External {
    const char *name, *library;
    uint32_t arguments;
    ExprType result;
    uint32_t derivative; // another External, or NONE
    Span at;
    uint32_t line;
} External;

/* ---- Procedural code ------------------------------------------------------------ */

typedef enum StatementKind {
#define STATEMENT(name, text) STATEMENT_##name,
#include "model/statement.def"
#undef STATEMENT
    STATEMENT_KINDS
} StatementKind;

typedef struct Statement Statement;

typedef struct Code { // a list of statements
    Statement *first, *last;
} Code;

typedef struct CaseArm {
    const Label *label;
    uint32_t labels; // 0: ELSE
    Code code;
} CaseArm;

/* An item that WRITE and FORMAT print, with width and decimals; NULL: none. */
typedef struct Printed {
    const Expr *item, *width, *decimals;
} Printed;

/* Flag of INSERT and SCHEDULE: there is no current entry whose attributes the
   new one could take over. */
#define STATEMENT_FRESH 4u
/* Flags of COPY. */
enum { COPY_SUSPEND, COPY_RESUME, COPY_DELETE };
/* Flags of SETTING. */
#define SETTING_START    1u
#define SETTING_TIMEPERS 2u
#define SETTING_GUESS    4u
/* The word that a SETTING begins with. */
static inline const char *setting_word(uint32_t flags)
{
    return flags & SETTING_GUESS   ? "GUESS"
           : flags & SETTING_START ? "INITCOND"
                                   : "PARAMETER";
}

/* One shape for all kinds; statement.def says which fields each kind uses. */
/* What MINIMIZE, MAXIMIZE and SOLVE vary, and what they look at after each time that
   their statements are carried out: what is to be as small or large as possible, and
   conditions; or differences that are to be zero. */
typedef enum SearchKind {
    SEARCH_MINIMIZE,
    SEARCH_MAXIMIZE,
    SEARCH_SOLVE,
    SEARCH_FIT
} SearchKind;

typedef enum SearchSense {
    SENSE_VALUE, // of MINIMIZE and MAXIMIZE
    SENSE_ZERO,  // an equation
    SENSE_BELOW  // at most 0
} SearchSense;

/* UNCERTAIN. Distributions are Generators without a stream, in the order of the
   parameters. */
typedef enum SamplingKind {
    SAMPLING_SOBOL,
    SAMPLING_LATIN,
    SAMPLING_PLAIN
} SamplingKind;

typedef struct Generator Generator;

typedef struct Sampling {
    SamplingKind kind;
    bool indices;
    uint32_t n;
    const uint32_t *variable;
    const Generator *item;
} Sampling;

/* What a FIT compares with a column of its data: a variable, an element of one, or an
   expression (a variable that is a column). */
typedef struct FitItem {
    uint32_t variable, element; // element NONE: a scalar
    const char *column;         // of the file
} FitItem;

typedef struct FitObserved {
    FitItem item;
    FitItem noise;    // variable NONE: no NOISE
    bool log;         // logarithms are compared
    bool known;       // the file has its standard deviations
    const char *text; // of the expression
    const char *unit;
} FitObserved;

/* Rows of a file, each with its time, the values that select its runs, and a value and
   the share of its standard deviation for each FitObserved; numbers as text, NULL where
   a cell is empty. */
typedef struct FitData {
    const char *file;
    uint32_t line; // of the program
    uint32_t run;  // of this FIT, from 1; 0: any
    uint32_t keys, observed, rows;
    const FitItem *key;
    const FitObserved *observe;
    const char **number; // rows * (1 + keys + 2 * observed)
    uint32_t *row_line;  // in the file
} FitData;

typedef struct Fit {
    uint32_t n; // of data
    const FitData *data;
    bool profile;
} Fit;

typedef struct Quest {
    SearchKind kind;
    const Fit *fit;  // of a FIT
    uint32_t number; // of all in the program, from 0
    bool global;
    const char *method; // or NULL
    uint32_t n;         // parameters
    const uint32_t *variable;
    const bool *log;
    uint32_t results;
    const SearchSense *sense;
    const uint32_t *row; // rows of the results, for their texts
    /* For each parameter its Sense, where the search can use derivatives of its results;
       or NULL. */
    uint32_t *by;
    bool listed; // sense: they have places at the end of the list,
    bool slopes; // and all of them are known
} Quest;

struct Statement {
    StatementKind kind;
    Quest *quest;             // of a search
    const Sampling *sampling; // of an UNCERTAIN
    const Expr *target;
    const Expr *a, *b, *c;
    const Expr *const *list; // actuals, attribute values
    uint32_t n;
    const uint32_t *names; // attributes of WHERE, elements of lists
    const Printed *printed;
    const CaseArm *arm;
    Code body, other;
    uint32_t which; // variable, event, routine ...
    uint32_t flags;
    uint32_t point; // for a statement that may wait: from 1
    const char *text;
    uint32_t row; // or NONE
    Span at;
    uint32_t line;
    Statement *next;
};

typedef struct Routine { // FUNCTION and PROCEDURE
    const char *name, *c_name;
    bool is_function;
    ExprType result;
    uint32_t result_variable; // LOCAL that holds it
    uint32_t *formal;         // variables
    uint32_t formals;
    Code code;
    bool writes; // may do more than compute: takes `c` and returns a status
    Span at;
    uint32_t line;
} Routine;

typedef struct Event { // state or time event
    const char *name, *c_name;
    uint64_t elements; // for an array of events; else 1
    uint32_t rank;     // the same: 1 or 2; else 0
    int64_t low[2], high[2];
    uint32_t pool;   // of a copy: Pool + 1; 0: none
    uint32_t record; // TEVENT: its Record, or NONE
    uint32_t *slope; // for each Sense: the ATTRIBUTE that has the derivative of
                     // the time for which it is scheduled, or NONE; NULL: none
    bool has_body;
    Code code;
    Span at;
    uint32_t line;
} Event;

typedef struct Record { // TYPE ... RECORD
    const char *name, *c_name;
    uint32_t *attribute; // variables of kind ATTRIBUTE
    uint32_t attributes;
} Record;

typedef enum FileRank { RANK_FIFO, RANK_LIFO, RANK_LVF, RANK_HVF } FileRank;

/* FILE. The entries of a process file are transactions: they are not INSERTed,
   and are selected by their numbers. A process without a FILE has one here too,
   without a record. */
typedef struct File {
    const char *name, *c_name;
    uint32_t record; // or NONE
    FileRank rank;
    uint32_t ranked_on; // ATTRIBUTE, for LVF and HVF
    uint32_t capacity;  // 0: it grows
    uint32_t process;   // process whose transactions it holds, or NONE
    uint32_t pool;      // Pool + 1 whose copies it holds; 0: none
    uint32_t number;    // in the contract: among its files, or its processes
    uint32_t line;
} File;

/* DISCRETE PROCESS. Resumption points count from 1; 0 is the beginning. */
typedef struct Process {
    const char *name, *c_name;
    uint32_t file;   // never NONE
    bool takes_part; // listed in PROCESSES
    bool begins;     // no GENERATE outside its body: its first transaction is
                     // created at the start of the run
    uint32_t row;    // row of its end
    uint32_t points; // including point 0
    Vector lines;    // uint32_t: line of each point
    Vector rows;     // uint32_t: Row of the statement of each; NONE for 0
    bool server;     // its transactions may wait for ever
    Code code;
    Span at;
    uint32_t line;
} Process;

/* CONTINUOUS PROCESS. */
typedef struct Pool {
    const char *name, *c_name;
    uint32_t file;     // its process file, never NONE
    uint32_t number;   // pooled INTEGER: number of a copy
    uint32_t states;   // of a copy
    uint32_t branches; // the same
    uint32_t delays;   // the same
    uint32_t capacity; // most copies; 0: no limit
    uint32_t born;  // pooled REAL: when a copy was created; NONE: nothing asks
    uint32_t self;  // Loop over the copies: in its equations, this copy
    uint32_t whose; // ATTRIBUTE of its time events: the number of the copy,
                    // NONE: it has none
    Code initial, terminal;
    uint32_t row; // of its heading
    Span at;
    uint32_t line;
} Pool;

#define POOL_SIDE 16

typedef enum ResourceKind {
    RESOURCE_FACILITY,
    RESOURCE_STORAGE,
    RESOURCE_GATE,
    RESOURCE_SIGNAL,
    RESOURCE_JOIN, // where members of a family wait for each other
    RESOURCE_POOL  // the common queue of an array of facilities
} ResourceKind;

typedef struct Resource {
    const char *name, *c_name;
    ResourceKind kind;
    uint64_t elements;
    uint32_t rank; // for an array
    int64_t low[2], high[2];
    const Expr
        *capacity;   // STORAGE: INTEGER, computed at the start of a run; NULL:
                     // no limit
    uint32_t number; // number of its first element in the contract
    uint32_t pool;   // FACILITY: Resource that is its common queue, or NONE
    uint32_t of;     // POOL: the facilities that it is the queue of
    uint32_t stream; // POOL: Stream that BY RANDOM draws from, or NONE
    bool resized;    // STORAGE: CAPACITY(s) := n stands in the program
    uint32_t row, line;
} Resource;

/* Which of several free facilities SEIZE ANY takes. */
typedef enum AnyRule { ANY_FIRST, ANY_LONGEST_IDLE, ANY_RANDOM } AnyRule;

/* WAIT UNTIL. `holds` is the condition, evaluated when something has happened.
   Relations in it between quantities that move by themselves are also
   Conditions of kind CONDITION_WAIT: z = left - right. When one of them has
   been located, the point is on its far side and the relation itself shows it;
   an equality counts as true there. */
typedef struct Wait {
    uint32_t process, point;
    const Expr *holds;
    const Expr *const *relation; // as they stand in `holds`
    uint32_t relations;
    uint32_t first; // Condition of relation 0; the others follow
    uint32_t row, line;
} Wait;

typedef struct Stream { // RANDOM
    const char *name, *c_name;
    bool uniform; // between 0 and 1, whatever RANDOMGEN says: that of SEIZE ANY
    uint64_t elements;
    uint32_t number; // number of its first element in the contract
    uint32_t line;
} Stream;

/* An item of RANDOMGEN. Parameters are computed at the start of every run, in
   the order of CosyDistribution's a, b, c. */
struct Generator {
    uint32_t stream;
    uint32_t distribution; // CosyDistribution
    const Expr *parameter[3];
    uint64_t seed; // 0: that of the stream's number
    bool antithetic, common;
    const double *value, *weight; // EMPIRIC; weight NULL: all weights equal
    uint32_t values;
    uint32_t row, line;
};

typedef enum StatisticKind {
    STATISTIC_COLLECT,
    STATISTIC_TIMEPERS,
    STATISTIC_HISTOGRAM
} StatisticKind;

/* A statistic of every assignment to a variable. */
typedef struct Statistic {
    StatisticKind kind;
    uint32_t variable;
    uint32_t number; // number of its first element in the contract's table of
                     // its kind
    uint32_t line;
} Statistic;

typedef struct Clock { // SAMPLES
    const char *name;
    int64_t period, offset; // times 10^-places/parts
    int64_t parts;
    int32_t places;
    Code code;
    uint32_t line;
} Clock;

/* ---- Sorted -------------------------------------------------------------------- */

typedef enum StepKind {
    STEP_ASSIGN, // target = value, from equation `equation`
    STEP_LOOP,   // body for every value of `loop`, downwards if `down`
    STEP_SELECT, // one of `branch`
    STEP_SOLVE   // block `block`: finds its unknowns
} StepKind;

/* The functions that need a step. */
enum {
    NEED_RATES = 1,        // derivatives
    NEED_OUTPUT = 2,       // outputs
    NEED_CONDITION = 4,    // conditions
    NEED_RELATION = 8,     // relations
    NEED_DELAY = 16,       // delays
    NEED_JACOBIAN = 32,    // jacobian, tangent
    NEED_LINEAR = 64,      // linear
    NEED_CONSTRAINT = 128, // constraints, constraint_jacobian
    NEED_SLOPE = 256       // condition_slopes
};

typedef struct Step Step;

typedef struct Steps {
    Step *first, *last;
} Steps;

struct Step {
    StepKind kind;
    uint32_t needs;
    const Expr *target, *value;
    uint32_t equation; // for messages
    uint32_t portion;  // of the System; NONE in `rates` and `tangent`
    uint32_t loop;
    bool down;
    Steps body;
    const Select *select;
    Steps *branch; // select->branches of them
    uint32_t block;
    Step *next;
};

/* A loop of entries, or one entry, of a sparse matrix: derivative of residual
   `row` by unknown `column`, both positions from 0. */
typedef struct Slope {
    const Expr *row, *column; // INTEGERs
    const Expr *value;
    uint32_t loops[LOOPS_MOST + 2], n_loops;
} Slope;

/* Some unknowns of a Block with their residuals: one of each, or as many as its
   loops have elements, in consecutive positions, the outermost loop first. */
typedef struct BlockPart {
    const Expr *unknown;  // target
    const Expr *residual; // 0 = residual
    const Expr *start;    // first guess; NULL: 0
    const Expr *tol;      // or NULL
    uint32_t first;       // position of its first element
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t equation; // for messages
    uint32_t portion;  // of the System; NONE in `rates` and `tangent`
} BlockPart;

/* Equations that remained implicit: unknowns u (targets) such that the
   residuals vanish. `inner` computes, from a given u, what the residuals need;
   the same steps follow the block in the program, where they use the
   solution. A small block has no loops of its own, so a part is an unknown, and
   its Jacobian is full; a large one has slopes, and nothing inner. */
typedef struct Block {
    uint32_t n; // unknowns
    BlockPart *part;
    uint32_t parts;
    const Expr **jacobian; // n x n by rows, or NULL
    bool large;
    Slope *slope; // large: entries; none: differences
    uint32_t slopes;
    uint32_t most;
    Steps inner;
    bool linear;
    bool modal; // modes choose among its residuals: in some it may leave
                // unknowns open
    uint32_t row;
} Block;

/* An equation as a System solves it, or those of its elements that determine an
   unknown in the same form. Expressions are those of the equation, with the
   indices of the portion's own loops. */
typedef struct Portion {
    uint32_t equation; // it belongs to
    const Expr *left, *right;
    const Guard *guard; // or NULL
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t block; // IMPLICIT it stands in, or NONE
    uint32_t row;
    Span at;
    const Expr *target; // VARIABLE or RATE with indices; NULL: none found yet
    const Expr *value;  // target = value; NULL: stays implicit
    bool replaced;      // other portions stand for it
} Portion;

typedef enum CircleHow {
    CIRCLE_CLOSED, // linear, by a formula
    CIRCLE_LINEAR, // in one step, by elimination
    CIRCLE_NEWTON
} CircleHow;

/* Portions that determine each other: how they are solved, for whoever asks
   (cosy explain). */
typedef struct Circle {
    CircleHow how;
    bool sparse;
    uint64_t unknowns;       // elements of arrays count
    const uint32_t *portion; // those of the torn unknowns first
    uint32_t portions, torn;
} Circle;

/* One way to solve the equations: what each of them determines, and in which
   order. The equations themselves do not know of it, so there may be several
   Systems over the same ones. */
typedef struct System {
    const char *name;
    Vector portions; // Portion
    Vector circles;  // Circle
    Steps program;   // sorted
} System;

/* One entry, or one loop of entries, of the Jacobian: rate of `state` by
   `by`. */
typedef struct Entry {
    const Expr *row;    // RATE with indices
    const Expr *column; // VARIABLE (a STATE) with indices
    const Expr *value;  // NULL: only the structure is known
    uint32_t loops[LOOPS_MOST + 2], n_loops;
    const Guard *guard; // active only under this guard; its place is always in
                        // the pattern
} Entry;

typedef enum IntegratOption { // codes in `names` of an INTEGRAT
    INTEGRAT_RELERR,
    INTEGRAT_ABSERR,
    INTEGRAT_DTMIN,
    INTEGRAT_DTMAX,
    INTEGRAT_STEP
} IntegratOption;

/* ---- Experiment and output -------------------------------------------------------- */

typedef enum ShowKind {
    SHOW_LIST,
    SHOW_PLOT,
    SHOW_GRAPH,
    SHOW_OVERPLOT,
    SHOW_BARS,
    SHOW_SHADE, // from here on arrays over their index
    SHOW_CONTOUR,
    SHOW_SURFACE,
    SHOW_PROFILES,  // GRAPH U AT TIME
    SHOW_TABULATED, // LIST U AT TIME
    SHOW_PRINTED,   // PLOT U AT TIME
    SHOW_SHADED,    // PLOT SHADE U
    SHOW_SPECTRUM,  // from here on operations on data
    SHOW_AUTOCORR,
    SHOW_CROSSCORR,
    SHOW_COMPARE
} ShowKind;

typedef struct Show {
    ShowKind kind;
    int32_t run; // 0 TIMEF, -1 CROSSF, -2 ALL, -3 MEAN, n
    const char *title;
    uint32_t versus; // variable or NONE
    uint32_t versus_at;
    uint32_t along; // the second one of VERSUS, or NONE
    uint32_t along_at;
    uint32_t n;
    uint32_t *variable, *element; // element: position from 0, NONE: all
    double xfak, yfak;
    bool logx, logy;
    uint32_t line;
    bool hann, density;  // SPECTRUM
    double lag;          // AUTOCORR, CROSSCORR; 0: none is given
    int32_t other;       // COMPARE: the second run, or 0
    uint32_t points;     // COMPARE WITH: of the file
    const double **data; // its times, then a column for each variable
    uint32_t times;      // arrays over their index: AT TIME
    double *at;
    bool view; // SURFACE VIEW
    double azimuth, elevation;
} Show;

/* A number by which derivatives are carried along with a run: a parameter of
   SENSITIVITY, or of a search. Every quantity that depends on it is accompanied by
   its Companion (algebra/sense.h). While something happens at an instant whose time
   depends on it, `tau` is the derivative of that time; elsewhere it is 0. */
typedef struct Sense {
    uint32_t variable;
    uint32_t element; // position from 0; of a scalar 0
    uint32_t tau;     // hidden REAL; NONE: no such instant
    bool asked;       // by SENSITIVITY: what has no derivative is an error
    bool fitted;      // wanted by a FIT
    bool followed;    // sense: all derivatives by it are known
    Span at;
    uint32_t line;
} Sense;

/* dX/dP is wanted: as a result of SENSITIVITY, or for a FIT, which looks at it. */
typedef struct Sensed {
    uint32_t variable, sense;
    bool result;
    uint32_t companion; // sense: found
    uint32_t shown;     // stands for it in OUTPUT before it is found, or NONE
    Span at;
    uint32_t line;
} Sensed;

typedef struct Companion { // derivative of `of` by `sense`
    uint32_t of, sense, variable;
} Companion;

/* An element of a variable that LINEARIZE names. */
typedef struct LinearPlace {
    uint32_t variable;
    uint32_t at; // position from 0
} LinearPlace;

/* A LINEARIZE: numbers in linear_inputs and linear_outputs. */
typedef struct Linear {
    const uint32_t *input, *output;
    uint32_t inputs, outputs;
    uint32_t line;
} Linear;

/* A coordinate of FIELDs: the elements of `variable` say where its points are. */
typedef struct Coordinate {
    const char *name, *unit;
    uint32_t variable; // hidden REAL array
    uint32_t points;
    bool periodic; // the point after the last is the first
    uint32_t line;
} Coordinate;

typedef struct Field {
    uint32_t variable; // points of the first axis x those of the second
    uint32_t axes, axis[2];
    const char *scheme;
    uint32_t order; // in which its error should fall with the grid; 0: faster
                    // than any power
    uint32_t line;
    double tolerance; // GRID AUTO TOL = tolerance; 0: the grid is given
    uint32_t most;    // points of a coordinate, with MAX; 0: not given
    bool unjudged;    // GRIDCHECK OFF, or one that names other fields
} Field;

/* INITCOND (left = right): holds at the start of runs. */
typedef struct StartCondition {
    const Expr *left, *right; // as in procedural code
    uint32_t row;
    Span at;
    uint32_t line;
} StartCondition;

typedef struct Row { // becomes CosyEquation
    uint32_t variable;
    uint32_t line;
    const char *text;
    bool statement;
    bool joined;      // an equation of a part, or of a node of parts
    const char *part; // path of the part it belongs to, or NULL
    Span part_at;     // where that is declared
} Row;

/* ---- The model ------------------------------------------------------------------- */

/* Identifiers given out by model_c_name. */
typedef struct NameTable {
    const char **name;
    uint32_t room, count; // room: a power of two
} NameTable;

typedef struct ExprTable {
    const Expr **chain;
    uint32_t chains, count;
} ExprTable;

#define MODEL_TABLES(T)                                                        \
    T(Variable, variable, variables)                                           \
    T(Loop, loop, loops)                                                       \
    T(Equation, equation, equations)                                           \
    T(ModelBlock, model_block, model_blocks)                                   \
    T(Constraint, constraint, constraints)                                     \
    T(Implicit, implicit, implicits)                                           \
    T(Condition, condition, conditions)                                        \
    T(Relation, relation, relations)                                           \
    T(Memory, memory, memories)                                                \
    T(Table, table, tables)                                                    \
    T(External, external, externals)                                           \
    T(Routine, routine, routines)                                              \
    T(Event, state_event, state_events)                                        \
    T(Event, time_event, time_events)                                          \
    T(Record, record, records)                                                 \
    T(Clock, clock, clocks)                                                    \
    T(File, file, files)                                                       \
    T(Process, process, processes)                                             \
    T(Pool, pool, pools)                                                       \
    T(Resource, resource, resources)                                           \
    T(Wait, wait, waits)                                                       \
    T(Stream, stream, streams)                                                 \
    T(Generator, generator, generators)                                        \
    T(Statistic, statistic, statistics)                                        \
    T(Block, block, blocks)                                                    \
    T(Entry, entry, entries)                                                   \
    T(StartCondition, start, starts)                                           \
    T(Coordinate, axis, axes)                                                  \
    T(Field, field, fields)                                                    \
    T(Show, show, shows)                                                       \
    T(LinearPlace, linear_input, linear_inputs)                                \
    T(LinearPlace, linear_output, linear_outputs)                              \
    T(Linear, linear, linears)                                                 \
    T(Sense, sense, senses)                                                    \
    T(Sensed, sensed, senseds)                                                 \
    T(Companion, companion, companions)                                        \
    T(Row, row, rows)

typedef enum ModelStage {
    STAGE_LOWERED,
    STAGE_HIDDEN,
    STAGE_MATCHED,
    STAGE_SORTED,
    STAGE_DERIVED
} ModelStage;

typedef struct Model {
    Arena *arena;
    Diags *diags;
    bool broken; // no memory
    bool
        freezes; // derivatives are being taken for the Jacobian: see EXPR_FROZEN
    bool infinite; // INF is mentioned: discrete REALs may be infinite
    ModelStage stage;
    const char *name, *source, *hash;
    uint64_t project;      // number of PROJECT
    const char *author;    // of PROJECT, or NULL
    const char *time_unit; // unit of TIME; "" if none
    uint32_t precision;    // 1, 2, 3
    uint32_t states;       // length of x
    uint32_t constraint_rows;
    uint32_t before_senses; // variables before Companions were added
    Slope *gradient;        // of the constraints, by places in x
    uint32_t gradients;     // 0: there are no formulas
    uint32_t branches;
    uint32_t selects;         // Selects made so far: the number of the next
    uint32_t calendar_record; // Record of EVENTFILE, or NONE
    uint32_t calendar_code;   // its attribute EVCODE, or NONE
    uint32_t nneqd;           // variable NNEQD if the program uses it, or NONE
    bool has_experiment;
    ExprTable exprs;
    uint32_t expr_count;
    NameTable c_names;
    Vector stored;  // uint32_t: variables of STORE, then what OUTPUT adds
    Vector crossed; // the same: what OUTPUT adds for the cross file alone
    Vector asked;   // the same: those of MEAN and SDEV
#define TABLE(T, name, names) Vector names;
    MODEL_TABLES(TABLE)
#undef TABLE
    Code setup; // fills hidden arrays when the declared values are there
    Code initial, terminal, communic, experiment;
    Code shown;                // what COMMUNIC computes from the point alone
    Code columns;              // an assignment for each column, in their order
    Statement spare_statement; // what code_add returns if there is no memory
    Step spare_step;
    System simulation;
    /* Run after the program of `simulation`: */
    Steps rates;           // RATE of a STATE is given
    Steps tangent;         // `seed` is given, `tangent_rate` found
    Steps slopes;          // before the entries of the Jacobian: derivatives of
                           // variables that these go through
    Steps slope_rates;     // for the time derivatives of slopes: RATE is given
    Steps linear;          // for LINEARIZE: `seed` and `input_seed` are given,
                           // `tangent_rate` and `output_rate` found
    uint32_t seed;         // hidden array of `states` REALs: direction in x
    uint32_t tangent_rate; // the same for the direction of x'
    uint32_t input_seed;   // hidden array: direction in linear_inputs, or NONE
    uint32_t output_rate;  // the same for linear_outputs
    uint32_t delta;        // hidden: stands for a small change, or NONE
    bool analyses;         // there is a STEADYSTATE or LINEARIZE
    bool reruns;           // RERUN stands in the program
    uint32_t searches;     // MINIMIZE, MAXIMIZE and SOLVE
    bool has_jacobian;     // every entry has a value
} Model;

Model *model_new(Arena *a, Diags *d);

/* For each table: model_add_variable(m, &row) returns the number of the new
   row; model_variable(m, k) is row k; model_variables(m) is the number of
   rows. */
#define TABLE(T, name, names)                                                  \
    uint32_t model_add_##name(Model *m, const T *row);                         \
    static inline T *model_##name(const Model *m, uint32_t k)                  \
    {                                                                          \
        assert(k == 0 || k < m->names.used / sizeof(T));                       \
        return (T *)(void *)m->names.bytes + k;                                \
    }                                                                          \
    static inline uint32_t model_##names(const Model *m)                       \
    {                                                                          \
        return (uint32_t)(m->names.used / sizeof(T));                          \
    }
MODEL_TABLES(TABLE)
#undef TABLE

/* Memory of the model; NULL and m->broken if there is none. */
void *model_alloc(Model *m, size_t size);
#define MODEL_NEW(m, T)          ((T *)model_alloc((m), sizeof(T)))
#define MODEL_ARRAY(m, T, count) ((T *)model_alloc((m), sizeof(T) * (count)))
char *model_format(Model *m, const char *format, ...) PRINTF_LIKE(2, 3);

/* STORE. */
bool model_store(Model *m, uint32_t variable);
/* What OUTPUT shows is recorded once: in runs, or in the cross file alone. */
bool model_store_shown(Model *m, uint32_t variable, bool cross);
/* MEAN or SDEV asks for it. */
bool model_ask(Model *m, uint32_t variable);
bool model_is_stored(const Model *m, uint32_t variable);

/* Adds the next point of a process, for a statement in that line. */
uint32_t model_add_point(Model *m, uint32_t process, uint32_t line,
                         uint32_t row);

Statement *code_add(Model *m, Code *code, StatementKind kind, Span at,
                    uint32_t line);
Step *steps_add(Model *m, Steps *steps, StepKind kind);
/* A variable that the compiler adds. */
uint32_t model_add_hidden(Model *m, VariableKind kind, ExprType type,
                          const char *name, Span at, uint32_t line);
/* The Pool + 1 whose copies the first of some loops goes over, 0: none; and the
   number of elements without the copies. */
uint32_t loops_pool(const Model *m, const uint32_t *loops, uint32_t n);
uint64_t loops_each(const Model *m, const uint32_t *loops, uint32_t n);
/* True for a variable that accompanies another (Companion), and for hidden ones that
   were made after it. */
bool model_is_companion(const Model *m, uint32_t variable);
/* Whether anything is integrated, now or later in a run. */
bool model_integrates(const Model *m);
/* The shape of another variable: rank, bounds, pool. */
void variable_shaped(Variable *v, const Variable *as);
/* A loop along side k of a variable. */
uint32_t model_add_side(Model *m, uint32_t variable, uint32_t k);
/* A unique identifier for C that C does not use itself: letters and digits of
   the name as they are, everything else as _. */
const char *model_c_name(Model *m, const char *name);
/* True if `inside` is `outside` or a guard inside it. */
bool guard_within(const Guard *inside, const Guard *outside);
/* True if both cannot be active at once. */
bool guards_exclude(const Guard *a, const Guard *b);
/* After a message about the place of a row: which part it belongs to. */
void model_tell_part(const Model *m, uint32_t row);
/* After a message about what goes through ports. */
void model_tell_flows(const Model *m);
/* After a message that nothing determines it: if it belongs to a port that is
   neither connected nor closed, because an equation names that. */
void model_tell_loose(const Model *m, uint32_t variable);
/* The whole of an equation as a portion, without a target. */
Portion equation_portion(const Model *m, uint32_t equation);
uint32_t system_add_portion(Model *m, System *s, const Portion *portion);
void system_add_circle(Model *m, System *s, const Circle *circle);
static inline Portion *system_portion(const System *s, uint32_t k)
{
    assert(k < s->portions.used / sizeof(Portion));
    return (Portion *)(void *)s->portions.bytes + k;
}
static inline uint32_t system_portions(const System *s)
{
    return (uint32_t)(s->portions.used / sizeof(Portion));
}
static inline const Circle *system_circle(const System *s, uint32_t k)
{
    assert(k < s->circles.used / sizeof(Circle));
    return (const Circle *)(const void *)s->circles.bytes + k;
}
static inline uint32_t system_circles(const System *s)
{
    return (uint32_t)(s->circles.used / sizeof(Circle));
}
/* Number of elements of an equation (product of its loops). */
uint64_t loops_elements(const Model *m, const uint32_t *loops, uint32_t n);

/* The whole model as text: --dump=model, or --dump=sorted once it is sorted. */
void model_print(const Model *m, Buffer *b);
/* Proves what the passes so far have promised; false, with a line of text about
   the first mistake, if they have not kept it. */
bool model_check(const Model *m, Buffer *why);

#endif
