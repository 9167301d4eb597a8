#ifndef COSY_LOWER_LOWERER_H
#define COSY_LOWER_LOWERER_H

/* Private to the lowering.

       lower.c        the order of all this; rows, lines, meanings of symbols
       refuse.c       what cannot be run yet
       declare.c      constants, variables, records, events, externals
       table.c        FUNCTABLE, also from a file
       decimal.c      decimal literals as text, times a unit's factor
       constant.c     values known at translation
       expression.c   expressions and designators
       call.c         calls in expressions
       extreme.c      MIN and MAX over an index in equations
       library.c      the library of section 4: plain ones
       dynamic.c      the library: hidden states and memories
       equation.c     parallel code
       loop.c         FOR in parallel code
       implicit.c     IMPLICIT
       procedural.c   PROCEDURAL, CONTINUOUS FUNCTION: carried out symbolically
       statement*.c   procedural code: bodies of events, samples, INITIAL ...
       file.c         FILE, INSERT, REMOVE, FIND, WITH, entries
       routine.c      FUNCTION and PROCEDURE
       resource.c     FACILITY, STORAGE, GATE, SIGNAL and their statements
       pool.c         CONTINUOUS PROCESS: declarations, equations, bodies
       copies.c       what refers to copies: P[n].X, CREATE, FOR ... IN
       process.c      DISCRETE PROCESS: its heading, its file, its body
       transaction.c  statements of transactions
       overruled.c    settings that INITIAL overrules
       placed.c       PROCEDUREs that are inlined
       experiment.c   EXPERIMENT
       random.c       RANDOM, draws, RANDOMGEN
       observe.c      COLLECT, TIMEPERS, HISTOGRAM
       output.c       OUTPUT

   Order: constants, then all other declarations (so every symbol has a
   meaning), headings of routines, equations, bodies, experiment, output.

   A Symbol of the checks gets a Meaning here. Errors are reported where they
   are found; then a harmless expression is returned, so that lowering continues
   and shows all mistakes at once. Lack of memory shows in model->broken. */

#include "base/csv.h"
#include "check/symbol.h"
#include "lower/lower.h"

/* ---- Meanings ------------------------------------------------------------- */

typedef enum MeaningKind {
    MEANS_NOTHING,  // not met yet
    MEANS_VARIABLE, // number: a Variable of any kind
    MEANS_VALUE,    // value: a folded CONST, the index of an unrolled loop
    MEANS_CELLS,    // number: first cell; during symbolic execution
    MEANS_LOOP,     // number: a Loop
    MEANS_SEVENT,   // number: index in state_events
    MEANS_TEVENT,   // number: index in time_events
    MEANS_CLOCK,    // number: index in clocks (set by the body of the SAMPLE)
    MEANS_RECORD,   // number
    MEANS_TABLE,    // number
    MEANS_EXTERNAL, // number
    MEANS_ROUTINE,  // number; set by routine.c
    MEANS_FILE,     // number
    MEANS_PROCESS,  // number of a DISCRETE PROCESS that takes part
    MEANS_POOL,     // number of a CONTINUOUS PROCESS
    MEANS_RESOURCE, // number; value: its element from 0, for a formal that
                    // stands for one, else NULL
    MEANS_STREAM,   // number; value: its element from 0, for a formal that
                    // stands for one, else NULL
    MEANS_STREAM_FORMAL, // number: the Variable that holds the stream's number
    MEANS_CALENDAR,      // EVENTFILE
    MEANS_REFUSED        // reported as not possible yet: no further message
} MeaningKind;

typedef struct Meaning {
    MeaningKind kind;
    uint32_t number;
    const Expr *value;
    uint32_t rate;  // STATE X with an X'' somewhere: the STATE "X'", else NONE
    uint32_t order; // the highest derivative in the program: 0, 1, 2
    uint32_t rank;  // for an array of events, resources or streams
    int64_t low[2], high[2];
} Meaning;

typedef struct MeaningTable { // by address of the symbol
    const Symbol **symbol;
    Meaning **meaning;
    uint32_t room, count;
} MeaningTable;

/* Where an expression stands. */
typedef enum Place {
    IN_EQUATION,   // parallel code: memory functions are allowed, CONTINUOUS
                   // FUNCTIONs are inlined
    IN_CODE,       // bodies of events and routines, INITIAL, COMMUNIC ...:
                   // functions are called, ALGEBRs that are read are marked
                   // `read_by_body`
    IN_EXPERIMENT, // the same, between runs
    IN_VALUE       // CONST and whatever else is known at translation
} Place;

/* An entry that WITH or FIND has opened. */
typedef struct Opened {
    uint32_t record, file;
    const Expr *at; // for a copy: its position
    const struct Opened *around;
} Opened;

#define FLOW_MARKS 16 // most first derivatives in an equation of transport

typedef struct Lowerer {
    Unit *unit;
    Model *m;
    const LowerOptions *o;
    MeaningTable meanings;
    Meaning lost;               // used if there is no memory
    const uint32_t *line_start; // for the program's text
    uint32_t lines;
    Vector numbered; // used by lower_hidden_name
    /* position in parallel code */
    const Guard *guard;
    uint32_t loops[LOOPS_MOST], n_loops;
    const Symbol *index[LOOPS_MOST]; // indices of the loops
    uint32_t block;                  // IMPLICIT, or NONE
    uint32_t model;                  // MODEL, or NONE
    uint32_t chosen; // depth of IF and CASE, in expressions too: an index may
                     // be outside its array if it is not evaluated
    uint32_t series; // enclosing SUM and PROD that stay loops
    uint32_t unwatched; // enclosing NOEVENTs
    /* symbolic execution */
    Vector cells;         // used by procedural.c
    const Expr *selector; // selector of the CASE
    uint32_t depth;       // nesting of inlined functions
    uint32_t passes;      // passes of unrolled loops
    /* procedural code */
    uint32_t routine;      // the Routine whose body is lowered, or NONE
    uint32_t process;      // the Process whose body is lowered, or NONE
    uint32_t pool;         // of the copy in whose process this stands, + 1
    const Expr *here;      // position of that copy
    Vector copied;         // used by pool.c
    Vector placed;         // used by placed.c
    uint32_t placed_depth; // nesting of STATEMENT_PLACED
    bool *removed;         // Records of which the inlined PROCEDURE has removed
                           // an entry; NULL outside one
    const Opened *opened;  // innermost one, or NULL
    bool refused;          // something that cannot be run yet
    uint64_t occurrences;  // draws and calls so far
    /* the experiment */
    uint32_t frames;    // so far
    const Node *common; // first statement before the first FRAME, or NULL
    uint32_t precision; // as given in INTEGRAT; 0: not yet
    /* FIELDs */
    Vector fields;                  // FieldInfo *
    bool grids_named;               // a GRIDCHECK names some of them
    const struct FieldPoint *point; // where equations of FIELDs stand
    Statement *last_start;          // see field_code.c
    struct Flow *flow;              // see field_flow.c
    struct FlowFaces *faces;
    uint32_t stand_in[FLOW_MARKS];
    const struct FieldSide *side; // BOUNDARY, see field_equation.c
    bool *shown_whole; // for each variable: OUTPUT shows all its elements
} Lowerer;

#define LOWER_ERROR(l, n, ...)                                                 \
    unit_error((l)->unit, (n)->at, (n)->origin, __VA_ARGS__)
#define LOWER_WARNING(l, n, ...)                                               \
    unit_warning((l)->unit, (n)->at, (n)->origin, __VA_ARGS__)

static inline bool node_absent(const Node *n)
{
    return n == NULL || n->kind == NODE_NONE;
}

/* ---- lower.c ---------------------------------------------------------------- */

/* Never NULL; a new one is empty. */
Meaning *meaning_of(Lowerer *l, const Symbol *s);
/* Whether a name has no meaning after a message: what is said of it needs no other. */
bool lower_refused(Lowerer *l, const Node *n);
/* Line of a place in the program; for a text elsewhere (a macro of the library)
   the line of the call. */
uint32_t lower_line(const Lowerer *l, Span at, uint32_t origin);
/* The text of a place with white space squeezed and without comments. */
const char *lower_text(Lowerer *l, const Node *n);
/* A row for what can fail at run time: the line, the text of the node, the
   variable it computes (or NONE). */
uint32_t lower_row(Lowerer *l, const Node *n, uint32_t variable,
                   bool statement);
/* "REALPL@12", or "REALPL@12#2" for the second in that line. */
const char *lower_hidden_name(Lowerer *l, const char *function, const Node *n);
/* A hidden variable of that name. */
uint32_t lower_hidden(Lowerer *l, VariableKind kind, ExprType type,
                      const char *name, const Node *n);
/* The value given by --set for this CONST, or NULL. */
const char *lower_set_value(const Lowerer *l, const Symbol *s);

/* ---- refuse.c ----------------------------------------------------------------- */

/* "... is not possible yet: this version runs equations, events, discrete
   processes and their experiments". */
void refuse(Lowerer *l, const Node *n, const char *what);
/* Reports every construct of the tree that cannot be run yet; true if there is
   one. */
bool refuse_all(Lowerer *l, const Node *program);

/* ---- declare.c ---------------------------------------------------------------- */

/* All segments of the program that declare something. */
void lower_declarations(Lowerer *l, const Node *segments);
/* One Variable for a VARIABLE or FORMAL node: extents, unit, type; its symbol
   means it from now on. VARIABLE_LOCAL and VARIABLE_FORMAL belong to
   l->routine. Used by routine.c for formals and locals. */
uint32_t lower_variable(Lowerer *l, const Node *n, VariableKind kind);
/* The declarations inside a routine: locals (kind LOCAL), constants, records,
   tables. */
void lower_locals(Lowerer *l, const Node *list);
/* Only those that need no variable: constants, tables. */
void lower_local_values(Lowerer *l, const Node *list);
/* Rank and bounds of a VARIABLE node; returns the number of elements. */
uint64_t lower_shape(Lowerer *l, const Node *n, Meaning *shape);
ExprType lower_type(Word type); // BOOLEAN, LOGIC: EXPR_TYPE_BOOLEAN ...

/* The unit that was found for a name, or "". */
const char *lower_found_unit(Lowerer *l, const Symbol *s);
/* Adds the STATE "X'", which directly follows X, for an X with an X''. */
uint32_t lower_second(Lowerer *l, const Node *n, uint32_t x);
/* A variable of the program, or one that copies have: of the kind that its word
   says. */
void lower_program_variable(Lowerer *l, const Node *n);

/* ---- pool.c ---------------------------------------------------------------------- */

/* Pools with their variables; then their equations; then their bodies. */
void lower_pools(Lowerer *l, const Node *segments);
void lower_pool_equations(Lowerer *l, const Node *segments);
void lower_pool_bodies(Lowerer *l, const Node *segments);
/* When the copies of the present process were created: a pooled variable. */
uint32_t pool_born(Lowerer *l);
/* What an attribute (a VARIABLE_ATTRIBUTE) is in a copy: a pooled variable, or
   NONE; *rate: the STATE "X'" if there is one. */
uint32_t pool_variable(const Lowerer *l, uint32_t pool, uint32_t attribute,
                       uint32_t *rate);
/* A time event of the copies; SCHEDULE of it for the copy with that number; its
   body, which is for that copy, if it is still there. */
void pool_timed(Lowerer *l, uint32_t event);
void pool_schedule(Lowerer *l, const Node *n, const Expr *number, Statement *s);
void pool_timed_body(Lowerer *l, const Node *n, Code *code);
/* What the name of an event means here: in a process, its own attributes; and
   what an attribute is as an event of the copies of that pool, or NULL. */
const Meaning *pool_event(Lowerer *l, const Symbol *s);
const Meaning *pool_event_of(Lowerer *l, uint32_t pool, const Symbol *s);

/* ---- copies.c -------------------------------------------------------------------- */

/* A pooled variable of the copy at that position; n may have further indices. */
const Expr *lower_copied(Lowerer *l, const Node *n, uint32_t variable,
                         const Expr *position, Place place);
/* A pooled variable, or a scalar, as it stands here. */
const Expr *lower_here(Lowerer *l, uint32_t variable);
/* P[n].X, FILE.n.X, P[n].X[i]; NULL if it is no copy. */
const Expr *lower_copy_value(Lowerer *l, const Node *n, Place place);
/* P[n].X', P[n].X'': the same. */
const Expr *lower_copy_rate(Lowerer *l, const Node *n, Place place);
/* Position of a copy that a statement or expression names, P[n] or FILE.n; *pool
   its Pool, NONE if it is none. */
const Expr *lower_copy_position(Lowerer *l, const Node *n, Place place,
                                uint32_t *pool);
/* SUM and PROD over copies; COUNT, EXISTS: NULL for any other function. */
const Expr *lower_gather(Lowerer *l, const Node *call, ExprOp op, Place place);
const Expr *lower_copies(Lowerer *l, const Node *call, const char *name,
                         Place place);
/* The time event that SCHEDULE or CANCEL names, NULL after a message; *element
   as in lower_event, *number that of the copy whose event it is, or NULL. */
const Meaning *lower_time_event(Lowerer *l, const Node *n, Place place,
                                const Expr **element, const Expr **number);
/* CREATE, SUSPEND, RESUME, DELETE, FOR ... IN; false for any other statement. */
bool lower_copy_statement(Lowerer *l, const Node *n, Code *code, Place place);
/* WITH P[n] DO in procedural code. */
void lower_with_copy(Lowerer *l, const Node *n, uint32_t file, Code *code,
                     Place place);
/* WITH in the parallel part of a process: opens its own copy. True if it does. */
bool lower_with_own(Lowerer *l, const Node *n);

/* ---- table.c -------------------------------------------------------------------- */

void lower_table(Lowerer *l, const Node *n);
/* The numbers of one column of a file, in that unit if both have one; NULL
   after a message. */
double *lower_column(Lowerer *l, const Node *from_file, Dimension to,
                     uint32_t *count);
/* The same for several columns; the first has times, which never go back. */
bool lower_columns(Lowerer *l, const Node *from_file, const Dimension *to,
                   double **value, uint32_t columns, uint32_t *count);

/* For other readers of files. Mistakes are reported at n, the FROM_FILE, or at the
   names of its columns. `what` can be read: "data". */
bool lower_read_data(Lowerer *l, const Node *n, const char *what, Buffer *text);
bool lower_open_csv(Lowerer *l, const Node *n, const Buffer *text, Csv *c);
/* w gets the columns of these names, all of them numbers. */
bool lower_find_columns(Lowerer *l, const Csv *c, const Node *names,
                        CsvWanted *w, uint32_t wanted);
/* The next line; *line is 0 at the end. At most lower_count_lines are left. */
bool lower_next_row(Lowerer *l, const Node *n, Csv *c, CsvWanted *w,
                    uint32_t wanted, uint32_t *line);
uint32_t lower_count_lines(const Csv *c);
/* Appends a number in the unit of its variable, if its column has a unit of its
   own; `step`: it is a difference. False: the units do not fit, which
   lower_refuse_column reports. */
bool lower_convert(const Node *column, Dimension to, bool step,
                   const char *text, Buffer *b);
void lower_refuse_column(Lowerer *l, const Node *column, Dimension to);

/* ---- constant.c ----------------------------------------------------------------- */

/* A whole number known at translation, with --set applied to CONSTs; anything
   else is reported: "what must be a constant". */
bool lower_constant(Lowerer *l, const Node *n, const char *what, int64_t *v);
/* The same without a message. */
bool lower_fold(Lowerer *l, const Node *n, int64_t *v);
/* Value of an expression of numbers, CONSTs and functions; false if it contains
   anything else. */
bool expr_value(Lowerer *l, const Expr *e, double *v);
/* The whole number of an expression of constants; false if it is not one. */
bool expr_whole(Lowerer *l, const Expr *e, int64_t *v);

/* ---- expression.c ---------------------------------------------------------------- */

const Expr *lower_expression(Lowerer *l, const Node *n, Place place);
/* The same, as REAL (INTEGERs are converted). */
const Expr *lower_real(Lowerer *l, const Node *n, Place place);
/* Fits an expression to the type it is assigned to: INTEGER is converted to
   REAL, REAL (a draw, a negative power) is rounded to INTEGER. */
const Expr *lower_fit(Lowerer *l, const Expr *e, ExprType to);
/* A variable, an element, an attribute of the current record, X' in equations:
   VARIABLE, RATE or ATTRIBUTE. Never a mere value (a folded CONST): for what is
   assigned, read by CONDIT, stored. */
const Expr *lower_designator(Lowerer *l, const Node *n, Place place);
/* The variable a designator begins with, or NONE. */
uint32_t lower_designated(Lowerer *l, const Node *n);
/* The same for what INITCOND sets: X' is a variable of its own. */
uint32_t lower_started(Lowerer *l, const Node *n);
/* Puts the indices of n, at most 2, into index[]; returns how many. */
uint32_t lower_indices(Lowerer *l, const Node *n, Place place, const char *name,
                       const int64_t *low, const int64_t *high,
                       const Expr **index);
/* Procedural code reads the variable. */
void lower_mark_read(Lowerer *l, uint32_t variable, Place place);
/* Position of an element of an array, or of an array of events, counted from 0:
   an INTEGER expression; NULL for a scalar or a whole array. */
const Expr *lower_position(Lowerer *l, const Node *n, Place place);
/* The event that a designator names: MEANS_SEVENT or MEANS_TEVENT; *element its
   position in an array from 0, or NULL. */
const Meaning *lower_event(Lowerer *l, const Node *n, Place place,
                           const Expr **element);
/* The position of one of an array of events, or NULL. */
const Expr *lower_event_element(Lowerer *l, const Node *n, const char *name,
                                const Meaning *event, Place place);
/* The name at the beginning of a designator. */
const Node *designator_name(const Node *n);
/* A harmless value after a message. */
const Expr *lower_nothing(Lowerer *l, ExprType type);

/* ---- call.c, library.c, dynamic.c ------------------------------------------------- */

const Expr *lower_call(Lowerer *l, const Node *n, Place place);
/* MIN or MAX over an index in an equation, low <= high. NULL: it must be written
   out where it stands. */
typedef struct Extreme {
    const Node *n; // SERIES
    ExprOp op;     // LEAST, MOST
    int64_t low, high;
    const Expr *except; // INTEGER, or TRUTH: none
} Extreme;
const Expr *lower_extreme(Lowerer *l, const Extreme *x);
/* MIN and MAX of nothing: an error. */
void lower_no_terms(Lowerer *l, const Node *n, int64_t low, int64_t high);
/* The actual of that number, or NULL. */
const Node *call_actual(const Node *call, uint32_t k);
/* True if a function with a memory is called in it. */
bool has_memory(const Node *n);
/* INSW ... RAMP; NULL for any other function. */
const Expr *lower_switch(Lowerer *l, const Node *n, const char *name,
                         Place place);
/* HSTRS ... MODINT; NULL for any other function. */
const Expr *lower_dynamic(Lowerer *l, const Node *n, const char *name);

/* ---- file.c ---------------------------------------------------------------------- */

void lower_file(Lowerer *l, const Node *n); // FILE_DECL
/* Numbers the files that do not belong to processes, when all are known. */
void lower_file_numbers(Lowerer *l);
/* The File that a designator begins with; a PROCESS stands for its own. NONE if
   it is not one; for the calendar, `instead` says what to do. */
uint32_t lower_file_of(Lowerer *l, const Node *n, const char *instead);
/* A plain attribute, of the entry that is open or current; of a copy it may have
   an index. */
const Expr *lower_attribute(Lowerer *l, const Node *n, uint32_t attribute,
                            Place place);
/* FILE.n.attribute, PROCESS[n].attribute. */
const Expr *lower_entry(Lowerer *l, const Node *n, Place place);
/* True for an attribute of a transaction that only the system sets. */
bool lower_is_kept(const Lowerer *l, const Expr *entry);
/* MEAN, SDEV; NULL for any other function. */
const Expr *lower_found(Lowerer *l, const Node *n, const char *name,
                        Place place);
/* ENTRYNBR, MAXQ, AVGQ ...; NULL for any other function. */
const Expr *lower_queue(Lowerer *l, const Node *n, const char *name,
                        Place place);
/* INSERT, REMOVE, FIND, WITH; false for any other statement. */
bool lower_file_statement(Lowerer *l, const Node *n, Code *code, Place place);

/* ---- equation.c ------------------------------------------------------------------ */

/* CONTINUOUS: a LIST of parallel statements, and one of them. */
void lower_parallel(Lowerer *l, const Node *list);
void lower_parallel_one(Lowerer *l, const Node *n);
/* Adds left = right at the present position, with text and line of n. Returns
   its number. */
uint32_t lower_equation(Lowerer *l, const Node *n, const Expr *left,
                        const Expr *right);
/* Labels of a branch of CASE; none for ELSE. */
const Label *lower_labels(Lowerer *l, const Node *list, uint32_t *count);
/* Conditions that watch the RANGEs of variables. */
void lower_ranges(Lowerer *l);

/* ---- loop.c ---------------------------------------------------------------------- */

typedef void (*LowerOne)(Lowerer *l, const Node *n);

/* FOR: `body` is called with the statement inside, once per piece of the range
   that stays a loop, or once per value. */
void lower_for(Lowerer *l, const Node *n, LowerOne body);
/* The value of a condition or selector that depends only on indices and is the
   same for all values of the present loops; else NULL. */
const Expr *loops_decide(Lowerer *l, const Node *condition);

/* ---- implicit.c ------------------------------------------------------------------ */

void lower_implicit(Lowerer *l, const Node *n);

/* ---- procedural.c ------------------------------------------------------------------ */

void lower_procedural(Lowerer *l, const Node *n);
/* A CONTINUOUS FUNCTION in an equation. */
const Expr *lower_inline(Lowerer *l, const Node *call, const Symbol *function);
/* The value of a name during symbolic execution. */
const Expr *cell_value(Lowerer *l, const Node *n, const Symbol *s);

/* ---- statement.c, routine.c, experiment.c, output.c -------------------------------- */

/* A LIST of statements, or one statement. */
void lower_code(Lowerer *l, const Node *list, Code *code, Place place);
/* ALGEBRs that the code of COMMUNIC assigns are discrete. */
void lower_communicated(Lowerer *l, const Code *code);
/* Statements of one COMMUNIC block: what depends on the point alone goes to
   m->shown too. */
void lower_shown(Lowerer *l, Statement *first);
/* An expression in procedural code: X' is its value at the present point. */
const Expr *lower_in_code(Lowerer *l, const Node *n, Place place);
/* The hidden ALGEBR "X'@" that equals the rate of a STATE. */
uint32_t rate_alias(Lowerer *l, uint32_t state);
/* A variable that is assigned, or handed over to be assigned. X' is one only
   where X'' occurs; otherwise it is reported. */
const Expr *lower_target(Lowerer *l, const Node *n, Place place);
/* ---- random.c, observe.c ------------------------------------------------------------ */

/* The Stream of a VARIABLE node of type RANDOM; its symbol means it. */
void lower_stream(Lowerer *l, const Node *n);
/* A RANDOM that is read: a new draw each time. */
const Expr *lower_draw(Lowerer *l, const Node *n, const Symbol *s, Place place);
/* The number of a stream in the contract, for a RANDOM formal of a routine. */
const Expr *lower_stream_number(Lowerer *l, const Node *n, Place place);
/* An INTEGER that differs for each draw or call. */
const Expr *lower_occurrence(Lowerer *l);
void lower_randomgen(Lowerer *l, const Node *n, Code *code);
/* The distribution of `s` for an item of UNCERTAIN; its options and values stand after
   `name`. False: it is not known. */
bool lower_distribution(Lowerer *l, const Node *n, const Node *name,
                        const Symbol *s, Generator *g);
/* COLLECT, TIMEPERS, HISTOGRAM. */
void lower_observe(Lowerer *l, const Node *n, Code *code);

/* ---- EXPERIMENT ---------------------------------------------------------------------- */

/* FRAME, PARAMETER, INTEGRAT ...; false for any other statement. */
bool lower_experiment_statement(Lowerer *l, const Node *n, Code *code);
/* analysis.c */
void lower_steadystate(Lowerer *l, const Node *n, Code *code);
/* MINIMIZE, MAXIMIZE, SOLVE. */
void lower_sensitivity(Lowerer *l, const Node *n);
/* Derivatives for a FIT, if all of its parameters allow it. */
void lower_fit_senses(Lowerer *l, const Node *n, const Quest *q,
                      const Expr *const *element);
/* The same for a search that can use them. */
void lower_search_senses(Lowerer *l, const Node *n, Quest *q,
                         const Expr *const *element);
void lower_search(Lowerer *l, const Node *n, Code *code);
/* search.c: a parameter of a search, into list[k], list[count + k] and so on: see
   STATEMENT_SEARCH. */
void lower_search_parameter(Lowerer *l, const Node *n, uint32_t k,
                            uint32_t count, const Expr **list,
                            uint32_t *variable, bool *log);
const Expr *lower_search_option(Lowerer *l, const Node *options, Word word);
/* fit.c */
void lower_fit_statement(Lowerer *l, const Node *n, Code *code);
/* Says why a designator is nothing that can be set before a run. */
void lower_no_setting(Lowerer *l, const Node *n);
/* Warns of start values that would have to be computed for each run (once.c). */
void lower_once(Lowerer *l);
/* uncertain.c: UNCERTAIN. */
void lower_uncertain(Lowerer *l, const Node *n, Code *code);
/* gridcheck.c */
void lower_gridcheck(Lowerer *l, const Node *n);
void lower_linearize(Lowerer *l, const Node *n, Code *code);
/* Refuses those that would begin where a run with copies has ended. */
void lower_check_analyses(Lowerer *l, const Node *experiment);
/* The attributes that WHERE sets, with their values: names, list, n. */
void lower_where(Lowerer *l, const Node *where, Statement *s, Place place);
/* Headings of FUNCTION and PROCEDURE (including CONTINUOUS FUNCTIONs, which
   procedural code calls): a Routine each, MEANS_ROUTINE. */
void lower_headings(Lowerer *l, const Node *segments);
/* Their bodies. */
void lower_routines(Lowerer *l, const Node *segments);
/* Formals of a process with what they are given: `alias` as formal_is_alias
   says. */
typedef void (*EachFormal)(Lowerer *l, const Node *formal, const Node *actual,
                           bool alias);
void lower_each_formal(Lowerer *l, const Symbol *process, const Node *call,
                       EachFormal act);
/* Variables from `first` on that a process declares and the program has too
   appear in results as PROCESS.NAME. */
void lower_tell_apart(Lowerer *l, uint32_t first, const char *process);
/* EVENTs of a DISCRETE. */
void lower_discrete(Lowerer *l, const Node *list);
/* INITIAL, TERMINAL, EVENTs and SAMPLEs of one SYSTEM. */
void lower_bodies(Lowerer *l, const Node *system);
/* The declared INTEGER that counts in a FOR of procedural code, or NULL. */
const Expr *lower_counts(Lowerer *l, const Node *n);

/* ---- overruled.c ----------------------------------------------------------------- */

/* Reports what INITIAL replaces of --set, PARAMETER and INITCOND. */
void lower_overruled(Lowerer *l);

/* ---- INF (infinite.c) ---- */

/* True if the program mentions the predefined INF. */
bool lower_mentions_infinity(const Node *n);
/* The value of an actual, an attribute or a TIMEOUT: what may be INF stays, all
   else that is not finite rings. */
const Expr *lower_passed(Lowerer *l, const Expr *value);
/* The same of an assignment, whose result is looked at as a whole if no part of
   it may be INF. */
const Expr *lower_assigned(Lowerer *l, const Expr *value);

/* ---- resource.c, process.c, transaction.c, placed.c -------------------------------- */

/* A FACILITY, STORAGE, GATE or SIGNAL. */
void lower_resource(Lowerer *l, const Node *n);
/* One that is to be added next: the elements of all follow each other. */
Resource lower_new_resource(Lowerer *l, const char *name, ResourceKind kind,
                            uint32_t line);
/* The array of facilities that SEIZE ANY names, which has a common queue from
   then on, and a stream if it chooses at random; NONE if it is not one. */
uint32_t lower_any_of(Lowerer *l, const Node *n, bool random);
/* A hidden stream of numbers between 0 and 1. */
uint32_t lower_uniform_stream(Lowerer *l, const char *name, uint32_t line);
/* QUEUE, BUSY, FREE ...; NULL for any other function. */
const Expr *lower_asked(Lowerer *l, const Node *n, const char *name,
                        Place place);
/* DOWN and UP; false for any other procedure. */
bool lower_service(Lowerer *l, const Node *n, const char *name, Code *code,
                   Place place);
/* CAPACITY(s) := n. */
void lower_resize(Lowerer *l, const Node *n, Code *code, Place place);
/* The Resource that a designator names, NONE after a message; *element as in
   lower_event. */
uint32_t lower_resource_at(Lowerer *l, const Node *n, Place place,
                           const Expr **element);
/* What is known about processes before any body: numbers, formals,
   declarations. Needs: all declarations of the program. */
void lower_processes(Lowerer *l, const Node *segments);
/* Their bodies; after INITIAL, formals by value and first transactions. */
void lower_process_bodies(Lowerer *l, const Node *segments);
/* The formal means what the actual means. */
void lower_alias(Lowerer *l, const Node *formal, const Node *actual,
                 Place place);
/* The RECORD of a FILE formal, redeclared inside, is that of the actual
   file. */
void lower_alias_record(Lowerer *l, const Node *formal, const Node *actual);
/* True if the formal is a name for its actual, not a value of its own;
   `before`: it stands before <-. */
bool formal_is_alias(const Node *formals, const Node *formal, bool before);
/* A hidden variable that outlives a wait: OWN in a process. */
uint32_t lower_lasting(Lowerer *l, ExprType type, const char *name,
                       const Node *n);
/* A statement of section 8; false for any other. */
bool lower_transaction(Lowerer *l, const Node *n, Code *code, Place place);
/* A FOR with a wait inside; false for any other. */
bool lower_waiting_for(Lowerer *l, const Node *n, Code *code, Place place);
/* GENTIM and the like where no transaction is running: a harmless value after a
   message. */
const Expr *lower_of_transaction(Lowerer *l, const Node *n, SystemValue value);
/* An attribute of the process file that the system keeps, in the body of the
   process; else NULL. */
const Expr *lower_kept(Lowerer *l, uint32_t attribute);
/* True if a transaction may have to wait in it. */
bool node_waits(const Node *n);
/* True for a PROCEDURE that only a transaction can carry out, or that has
   formals which are not values: it is not a Routine but is inlined. */
bool is_placed(const Symbol *procedure);
/* True if a new entry of this Record has no current one to take over from: an
   inlined PROCEDURE knows only those that it has removed itself. */
bool lower_is_fresh(const Lowerer *l, uint32_t record);
void lower_placed(Lowerer *l, const Node *call, const Symbol *procedure,
                  Code *code, Place place);

/* SENS (X, P); NULL for any other function. */
const Expr *lower_sens(Lowerer *l, const Node *n, const char *name,
                       Place place);
/* The Sensed that SENS (X, P) asks for; NONE: an error. */
uint32_t lower_sens_pair(Lowerer *l, const Node *n);
void lower_experiment(Lowerer *l, const Node *n);
void lower_output(Lowerer *l, const Node *n);
/* Elements of arrays in STORE: a column each. Needs: bodies. */
void lower_stored_elements(Lowerer *l, const Node *segments);
/* output.c: the variable of a SHOWN, or a column that is computed for whoever asks;
   NONE after a message. *element: of a variable, NONE: it is a scalar or a column.
   `stored`: runs record it. */
uint32_t lower_item_of(Lowerer *l, const Node *n, bool stored,
                       uint32_t *element);
/* The unit of what is shown; not known if it has none. */
Dimension lower_dimension(const char *unit);
/* The same file: nothing is drawn, printed or scheduled when it is computed. */
bool lower_computes_only(Lowerer *l, const Expr *e);

#endif
