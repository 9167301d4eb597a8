#ifndef COSY_EMIT_WRITER_H
#define COSY_EMIT_WRITER_H

/* Shared by the files of this folder: one Emit, the state of writing one file.

   Text. emit_line adds one indented line to `out`, wrapped if it is long. A
   function is first written as a body (emit_begin); when it is known what the
   body uses, it is put into the file with its head (emit_end).

   Decisions. What things are called, where variables lie, which steps a function
   carries out and where it is cut are in the Plan (plan/plan.h).

   Expressions. emit_value appends an expression to a buffer that holds the
   beginning of a statement. What C cannot express inside an expression (a loop
   of SUM, a call with a status) is written before it as statements, straight to
   `out`.

   Shared expressions. A Scope is a piece of code in which every expression has
   one value: the body of a function, of a loop, of a branch. emit_count
   announces what will be written in it; a node that occurs more than once
   becomes a constant `t1` at its first occurrence, valid to the end of its
   scope. Nothing is computed outside the branch or loop that needs it.
   Procedural code has no such scopes: there each occurrence is computed again. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "emit/emit.h"
#include "plan/plan.h"

/* Precedence in C, loosest first. */
enum {
    LEVEL_CHOOSE = 3,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_EQUAL = 9,
    LEVEL_ORDER,
    LEVEL_ADD = 12,
    LEVEL_MUL,
    LEVEL_UNARY,
    LEVEL_PRIMARY
};

typedef struct ExprUse { // an expression in the present scope
    uint32_t uses, serial;
    uint32_t function; // function that has the constant
    const char *temp;  // its constant, or NULL
} ExprUse;

typedef struct Undo {
    uint32_t id;
    ExprUse old;
} Undo;

typedef struct Scope {
    size_t undo;
    uint32_t serial;
    bool shared, hoists;
} Scope;

typedef struct Known { // bounds of a loop index or counter
    int64_t low, high;
    bool known;
} Known;

typedef enum Now { // whether a Record has a current entry in the function
    NOW_UNUSED,
    NOW_SURE,   // there is one wherever it is used
    NOW_CHECKED // is_R tells whether there is one
} Now;

/* A FOR in which a transaction waits, and the place of its counter. */
typedef struct WaitingFor {
    const Statement *s;
    const char *counter;
    const struct WaitingFor *around;
} WaitingFor;

/* What has been written: the description names only that. */
typedef struct Written {
    bool conditions, outputs, initial, relations, jacobian, pattern;
    bool variables, state_equations;
    bool work, rate; // some function uses them
} Written;

/* Loops around the place that is being written. */
typedef struct OpenLoops {
    const char **name;     // of each Loop that is open
    Known *range;          // of each Loop
    Known *counter;        // of each variable that counts
    const char *index[24]; // names of the enclosing loops
    uint32_t indices;
} OpenLoops;

/* Procedural code at the place that is being written. */
typedef struct CodeNow {
    const Statement *statement;
    const WaitingFor *waiting_for; // FORs with waits around it, innermost first
    uint32_t row;                  // index in more_rows, or NONE
    uint32_t process;              // Process of the transaction `self`, or NONE
    const Wait *wait;              // whose condition is written for `until`
    Now *now;                      // for each Record
    bool replaces_own;  // the process REMOVEs entries of its own Record
    bool in_experiment; // between runs: nothing is observed
} CodeNow;

/* Shared expressions: see scope_open. */
typedef struct Sharing {
    ExprUse *node; // for each expression
    uint32_t *mark, marks;
    Vector undo; // Undo
    uint32_t serial, serials;
    bool shared, hoists; // in this scope: something occurs twice; needs
                         // statements
} Sharing;

/* What the plan of the present function says about a variable. */
enum {
    IS_HERE = 1,     // computed in it
    IS_NESTED = 2,   // ... inside a loop or branch
    IS_UNREAD = 4,   // ... and needed by nothing in it
    IS_LOCAL = 8,    // a local of it
    IS_OWN_RATE = 16 // its rate is a local
};

typedef struct Emit {
    const Model *m;
    Plan *plan;               // changes only where names are given out
    const PlanNames *name;    // of the plan
    const PlanStorage *store; // of the plan
    EmitOptions options;
    Arena arena;  // names
    Buffer *file; // the result
    Buffer *out;  // where lines go: the file, or the body of a function
    Buffer body;
    Buffer head; // declarations before the body
    int depth;   // indentation
    bool broken;

    Vector more_rows; // MoreRow: rows of statements that the plan has none for
    Written written;
    uint64_t *entry_base; // first place of each Entry

    /* The function being written. */
    const FunctionPlan *f;
    uint8_t *flag;          // of each variable in it: IS_HERE ...
    const char *block_name; // PART_BLOCK: its name, if it may have pieces
    uint32_t next_piece;    // of those of the plan
    uint32_t function, functions, pieces;
    uint32_t equation_row; // row of the equation being written, or NONE
    uint32_t temps;
    uint32_t conditional;   // inside an arm of ?: or after && ||
    uint32_t nested_values; // levels of the expression being written
    bool share;             // shared expressions become constants
    bool trouble;           // the statement needs COSY_CHECK
    bool in_piece;
    bool in_column;  // a copy that is not there has no value
    bool own_dx;     // rates go to w->rate: dx is not a parameter
    bool in_pattern; // pattern of the Jacobian: see cosy_nearest
    OpenLoops loops;
    CodeNow code;
    Sharing sharing;
} Emit;

typedef struct MoreRow {
    Row row;
    const char *name;
} MoreRow;

static inline uint32_t emit_more_rows(const Emit *e)
{
    return (uint32_t)(e->more_rows.used / sizeof(MoreRow));
}

static inline const MoreRow *emit_more_row(const Emit *e, uint32_t k)
{
    return (const MoreRow *)(const void *)e->more_rows.bytes + k;
}

/* ---- writer.c: text, names, functions ------------------------------------- */

void *emit_alloc(Emit *e, size_t n, size_t size);
#define EMIT_ARRAY(e, T, n) ((T *)emit_alloc((e), (n), sizeof(T)))

const char *emit_format(Emit *e, const char *format, ...) PRINTF_LIKE(2, 3);
void emit_line(Emit *e, const char *format, ...) PRINTF_LIKE(2, 3);
/* Element k, from 0, of an array with these bounds: "X", "X[3]", "X[2,1]". */
const char *emit_element(Emit *e, const char *name, uint32_t rank,
                         const int64_t *low, const int64_t *high, uint64_t k);
/* Ends a line that was assembled in b, and frees it. */
void emit_buffer(Emit *e, Buffer *b);
void emit_open(Emit *e, const char *format, ...) PRINTF_LIKE(2, 3); // ... {
void emit_close(Emit *e, const char *after); // } and `after`
void emit_blank(Emit *e);
void emit_title(Emit *e, const char *text); // ---- text ----
/* "// 15: X' = V", and #line. */
void emit_source(Emit *e, uint32_t line, const char *text);
void emit_row_source(Emit *e, uint32_t row);
/* A piece of text for a comment. */
const char *emit_plain(Emit *e, const char *text);
/* A C string with its quotes. */
const char *emit_string(Emit *e, const char *text);

/* Name of the contract's enumerator for a row. NONE: in procedural code a new
   row for the present statement, else COSY_NOWHERE. */
const char *emit_row(Emit *e, uint32_t row);

void emit_begin(Emit *e, const FunctionPlan *f);
void emit_begin_body(Emit *e); // procedural code
/* head: "CosyStatus derivatives(Cosy *c, ...)" without `static`; `parameters`:
   those other than c that may be unused, ended by NULL. `tail` is the last
   line, or NULL: return COSY_OK. */
void emit_end(Emit *e, const char *head, const char *const *parameters,
              const char *tail);
/* True if the identifier occurs in the C text. */
bool emit_mentions(const char *text, size_t length, const char *name);

/* A piece of a function that is too long for a C compiler: a function with the
   same parameters, which the first one calls. Locals of the first are not known
   in it, so only `big` models have pieces. */
typedef struct Piece {
    Buffer body, head;
    int depth;
    uint32_t function, temps;
    bool trouble, list; // list: reports conditions
    const char *name;
} Piece;
/* False if the function cannot have pieces. */
bool emit_piece_begin(Emit *e, Piece *p, bool list);
/* Writes the call into the enclosing function. */
void emit_piece_end(Emit *e, Piece *p);

/* ---- slopes.c: large blocks ---------------------------------------------------- */

/* Opens the loops of a part and returns the place of its unknown or residual in
   an array, "u[3 + (I - 1)]"; then closes them. */
const char *emit_part_open(Emit *e, const BlockPart *p, const char *array);
void emit_part_close(Emit *e, const BlockPart *p);
/* Values of the entries of a sparse Jacobian j, and the function that says where
   they stand. `row`: of the equation to blame. */
void emit_slopes(Emit *e, const Slope *slope, uint32_t n, uint32_t row);
void emit_slope_places(Emit *e, const Slope *slope, uint32_t n,
                       const char *name);

/* ---- expression.c ------------------------------------------------------------ */

void scope_open(Emit *e, Scope *s);
void scope_close(Emit *e, const Scope *s);
void emit_count(Emit *e, const Expr *x);
void emit_count_steps(Emit *e, const Steps *steps);

/* Appends x; in parentheses if it binds less tightly than `level`. */
void emit_value(Emit *e, Buffer *b, const Expr *x, int level);
/* The same as REAL. */
void emit_real(Emit *e, Buffer *b, const Expr *x, int level);
/* A designator: VARIABLE, RATE, ATTRIBUTE. */
void emit_target(Emit *e, Buffer *b, const Expr *x);
/* The variable as a whole, for an actual of a VAR formal. */
void emit_address(Emit *e, Buffer *b, const Expr *x);
/* Makes constants, before a loop, for what its body computes alike in every
   turn. */
void emit_fixed_first(Emit *e, const Steps *body);
/* x as a constant expression of C, CONSTs by their values; false if it is not
   one. */
bool emit_static(Emit *e, Buffer *b, const Expr *x);
const char *emit_temp(Emit *e); // a new name t1
const char *emit_type(ExprType t);
/* Bounds of an INTEGER that are known at compile time. */
Known emit_bounds(const Emit *e, const Expr *x);
/* True if x can be written as one expression of C, without statements before it
   and without COSY_CHECK after it. */
bool emit_is_plain(Emit *e, const Expr *x);
/* True if x is an operation on INTEGERs whose result may not fit. */
bool emit_may_overflow(const Emit *e, const Expr *x);
/* Writes COSY_CHECK if something in the preceding statement may have met
   trouble. */
void emit_check(Emit *e, uint32_t row);

/* Actuals of a routine, after c. */
void emit_actuals(Emit *e, Buffer *b, const Routine *r,
                  const Expr *const *actual, uint32_t n);

/* ---- place.c: where a variable lies ------------------------------------------- */

/* Appends the place of variable v (for a STATE that of its value, or with
   `rate` that of its derivative) with these indices. */
void emit_place(Emit *e, Buffer *b, uint32_t v, bool rate,
                const Expr *const *index, uint32_t count);
/* Member of Data that holds the rate of a STATE for procedural code. */
void emit_kept_rate(Emit *e, Buffer *b, uint32_t v, const Expr *const *index,
                    uint32_t count);
/* Member of Data, element by element as emit_place. */
void emit_data_place(Emit *e, Buffer *b, uint32_t v, const Expr *const *index,
                     uint32_t count);
/* Position in branch of an element of relation r. */
void emit_branch(Emit *e, Buffer *b, uint32_t r, const Expr *const *index,
                 uint32_t count);

/* ---- file.c: records, files, the current entry ---------------------------------- */

/* The attributes of Record R are a struct R of its own; an entry of a file and
   an event record is an R_entry: CosyRecord and `value`, an R; R_at(c, id) is
   the address of the latter.

   The current entry of Record R is a copy, now_R, with is_R: in an event body,
   a routine, INITIAL ... locals of the function, declared by emit_now_locals
   when the body is written; in a process members of the transaction
   (emit_now_members). is_R exists only if something may use an attribute before
   an entry is current. */
void emit_record_structs(Emit *e);
/* Called after emit_begin (and e->process_now): finds what is current where in
   the code. `record` is that of the event whose body it is, or NONE. */
void emit_now_begin(Emit *e, const Code *code, uint32_t record);
/* Locals of a function that has been written; `record` is that of the event
   whose body it is, or NONE. */
void emit_now_locals(Emit *e, uint32_t record);
/* now_R and is_R in the struct of a transaction: whether there are any, the
   most bytes they take, the members. */
bool emit_has_now(const Model *m, uint32_t process);
uint64_t emit_now_size(const Model *m, uint32_t process, uint64_t real);
void emit_now_members(Emit *e, uint32_t process);
/* Appends the place of an attribute of the current entry. */
void emit_attribute(Emit *e, Buffer *b, uint32_t attribute);
/* A designator ENTRY or ENTRY_AT; the statements that find the entry come
   first. */
void emit_entry_place(Emit *e, Buffer *b, const Expr *x);
/* The value of such a designator, in a constant. */
const char *emit_entry_value(Emit *e, const Expr *x);
/* Assignment to such a designator; `value` is its C text. */
void emit_entry_assign(Emit *e, const Statement *s, const char *value);
/* A procedure may have assigned it. */
void emit_entry_changed(Emit *e, const Expr *x);
void emit_queue(Emit *e, Buffer *b, const Expr *x); // ENTRYNBR ...
void emit_asked(Emit *e, Buffer *b, const Expr *x); // QUEUE, BUSY, FREE ...
/* INSERT, REMOVE, FIND, LOOKUP; false for any other statement. */
bool emit_file_statement(Emit *e, const Statement *s);
void emit_file_rows(Emit *e); // rows of the table `files`
bool emit_has_files(const Emit *e);
/* Opens a block that declares `id`, a new record with the values of WHERE; the
   rest is taken over from the current entry of that Record, or 0. */
void emit_new_record(Emit *e, const Statement *s, uint32_t record);

/* ---- loops ---------------------------------------------------------------------- */

/* A name for the index of a loop that hides no other name; valid until
   emit_index_end. Known bounds are in `range`. */
void emit_index_push(Emit *e, const char *name); // for a counter
const char *emit_index_begin(Emit *e, uint32_t loop, Known range);
void emit_index_end(Emit *e, uint32_t loop);
/* for (...) { with the index in scope; emit_loop_close ends it. */
void emit_loop_open(Emit *e, uint32_t loop, bool down);
void emit_loop_close(Emit *e, uint32_t loop);
/* Number of an element, counted from 0, in loops. */
void emit_loop_position(Emit *e, Buffer *b, const uint32_t *loops, uint32_t n);

/* The position from 0 in one dimension. */
void emit_index_position(Emit *e, Buffer *b, const Expr *x, int64_t low,
                         int64_t high);
/* Length of x: a constant, unless copies come and go. */
const char *emit_length(const Emit *e);
/* How many elements loops have, and the number of one, where loops over copies
   are among them. */
const char *emit_loops_count(Emit *e, const uint32_t *loops, uint32_t n);
bool emit_has_pools(const Emit *e, const uint32_t *loops, uint32_t n);

/* ---- copies.c ----------------------------------------------------------------------- */

/* In generated code POOL_at(k) are the attributes of copy k, POOL_now(k) its
   scratch, POOL_x(k) the place of its first state in x. */
void emit_pool_structs(Emit *e);
/* Number of a DELAY, of the copy at position `at` if that is not NULL. */
const char *emit_delay_number(Emit *e, uint32_t memory, const char *at);
void emit_pool_table(Emit *e);
/* A pooled STATE, or its rate or direction: an element of `vector`. */
void emit_pooled_state(Emit *e, Buffer *b, uint32_t k, const char *vector,
                       const Expr *const *index);
void emit_pooled_place(Emit *e, Buffer *b, uint32_t k,
                       const Expr *const *index);
/* Any other pooled variable; or its kept value among the attributes. */
void emit_pooled_value(Emit *e, Buffer *b, uint32_t k,
                       const Expr *const *index);
void emit_kept_pooled(Emit *e, Buffer *b, uint32_t k, const Expr *const *index);
/* "STONE_at(K)." for what a copy has in these loops. */
const char *emit_pool_member(Emit *e, const uint32_t *loops, uint32_t n);
void emit_keep_pooled(Emit *e, uint32_t k);
const char *emit_active(Emit *e, uint32_t pool);
void emit_copies_open(Emit *e, uint32_t pool, const char *i);
const char *emit_found(Emit *e, const Expr *x);
/* The same position, COSY_NONE if there is no such copy. */
const char *emit_looked_up(Emit *e, const Expr *x);
/* Opens a block in which all copies are there that x looks up; false if it looks
   up none. A transaction that waits for something of a copy is asked by `until`
   whether it goes on without it. */
bool emit_open_there(Emit *e, const Expr *x);
void emit_copies_value(Emit *e, Buffer *b, const Expr *x);
void emit_pool_queue(Emit *e, Buffer *b, uint32_t pool, QueueValue value);
/* CREATE, SUSPEND ..., FOR ... IN; false for any other statement. */
bool emit_copy_statement(Emit *e, const Statement *s);
bool emit_has_copy_terminal(const Emit *e);
void emit_pool_heads(Emit *e);
void emit_pool_sections(Emit *e);

/* ---- steps.c ---------------------------------------------------------------------- */

void emit_steps(Emit *e, const Steps *steps);
/* Begins a function of the continuous part: counts what it computes. */
void emit_function(Emit *e, const FunctionPlan *f, Scope *s);
/* Sets the rates of all states from this one on to 0. */
void emit_zero_rates(Emit *e, const char *from);
/* Declares what the function computes in branches, and values that blocks
   read. */
/* Functions that are given the rates of STATEs. */
static inline bool emit_has_rates(Part part)
{
    return part == PART_CONDITIONS || part == PART_SLOPES;
}
void emit_prologue(Emit *e);
/* A Select as switch or if; `write` writes branch k if `has` says so. With
   `strict`, a selector outside its labels is a failure. */
typedef void (*BranchWrite)(Emit *e, uint32_t branch, void *user);
void emit_select(Emit *e, const Select *s, bool strict, const bool *has,
                 BranchWrite write, void *user);
void emit_derivatives(Emit *e);
void emit_outputs(Emit *e);
/* Things under guards and in loops: item k of a list stands under a guard and
   in loops; those in branches of one Select are put into one switch. */
typedef struct Guarded {
    const Guard *guard;
    const uint32_t *loops;
    uint32_t n_loops;
    const void *item;
    uint32_t number;
} Guarded;
typedef void (*GuardedWrite)(Emit *e, const Guarded *g);
typedef void (*GuardedCount)(Emit *e, const Guarded *g);
void emit_guarded(Emit *e, const Guarded *list, uint32_t n, GuardedCount count,
                  GuardedWrite write);
/* Name of the array of a block's unknowns. */
const char *emit_unknowns(Emit *e, uint32_t block);
/* Calls write(e, k, user) for k = 0 .. n - 1, in pieces if there are many. */
typedef void (*PieceItem)(Emit *e, uint32_t k, void *user);
void emit_in_pieces(Emit *e, uint32_t n, PieceItem count, PieceItem write,
                    void *user);

/* ---- the other parts ----------------------------------------------------------------- */

void emit_blocks(Emit *e);
void emit_relations(Emit *e);
void emit_conditions(Emit *e);
void emit_condition_slopes(Emit *e);
void emit_delays(Emit *e);
void emit_jacobian(Emit *e);
/* Whether an event may change the pattern: a column is looked up. */
bool emit_pattern_moves(const Emit *e);
/* Directions of states after the first NNEQD are zero. */
void emit_still(Emit *e);
void emit_tangent(Emit *e);
/* linear.c: STEADYSTATE and LINEARIZE. */
/* Members of Work through which blocks read the directions: declares or sets
   them, if there are any. */
void emit_block_directions(Emit *e, bool declare);
void emit_linear(Emit *e);
void emit_linear_tables(Emit *e);
void emit_field_tables(Emit *e);
void emit_field_description(Emit *e);
void emit_linear_description(Emit *e);
void emit_analysis(Emit *e, const Statement *s);
/* constraints.c */
void emit_constraints(Emit *e);
void emit_senses(Emit *e);
void emit_event_slopes(Emit *e);
void emit_sense_description(Emit *e);
void emit_constraint_table(Emit *e);
void emit_constraint_description(Emit *e);
void emit_code(Emit *e, const Code *code);
/* A value in procedural code. Checked: what may go wrong is computed and
   checked beforehand. Kept: it is computed beforehand, unless it is a
   literal. */
const char *emit_text(Emit *e, const Expr *x, ExprType type, int level);
const char *emit_checked(Emit *e, const Expr *x, ExprType type, uint32_t row);
const char *emit_kept(Emit *e, const Expr *x, ExprType type);
/* The head of a statement as a modeller would write it. */
const char *emit_statement_text(Emit *e, const Statement *s);
void emit_bodies(Emit *e);

/* ---- process.c, transaction.c -------------------------------------------------- */

/* Size in reals; 0: there are no processes. */
uint32_t emit_transaction_size(const Emit *e);
/* Whether the model has `discrete` in place of `resume` and `time_event`. */
bool emit_is_discrete(const Emit *e);
void emit_process_structs(Emit *e);
void emit_process_enumerations(Emit *e);
void emit_process_tables(Emit *e);
/* `resume` and `until` with what they call. */
void emit_processes(Emit *e);

/* ---- until.c: WAIT UNTIL ---------------------------------------------------- */

void emit_wait_table(Emit *e);
void emit_until(Emit *e);
const char *emit_wait_list(Emit *e, const Statement *s);
/* What has changed, for transactions that wait for it. */
void emit_mark_variable(Emit *e, uint32_t variable, const char *position);
void emit_mark_resource(Emit *e, uint32_t which, const char *number);
void emit_mark_resources(Emit *e);
bool emit_waits_on_attributes(const Emit *e, uint32_t process);
void emit_mark_attributes(Emit *e, uint32_t process);
/* After INITIAL: capacities that are known only now. */
void emit_capacities(Emit *e);
/* The most relations in one WAIT UNTIL. */
uint32_t emit_waits_most(const Model *m);
/* An OWN variable, or an attribute of the process file, of the transaction at
   place `id` (a C expression) in the pool. */
void emit_own(Emit *e, Buffer *b, uint32_t process, uint32_t variable,
              const char *id);
/* Whether this attribute is one of the transaction `self`. */
bool emit_is_own_attribute(const Emit *e, const Variable *v);
/* "self", or "COSY_NONE" outside processes. */
const char *emit_self(const Emit *e);
/* Statements of transactions; false for any other. */
bool emit_transaction(Emit *e, const Statement *s);
/* At the head of each turn of a loop: lets it be stopped from outside. */
/* Loops of HARDLY_ANY turns are not counted, others of up to FEW turns are
   counted after them. */
enum { HARDLY_ANY = 64, FEW = 4096 };
void emit_turn(Emit *e, const Statement *s);
/* At the end of each turn of a FOR that may run up to the last integer. */
void emit_last_turn(Emit *e, const Statement *s, const char *i,
                    const char *last, const char *step);
/* Sets the declared variable of a FOR to the value of its counter. */
void emit_counts(Emit *e, const Statement *s, const char *counter);
/* The same after a wait, if others have changed it. */
void emit_counts_again(Emit *e, const Statement *s, const char *counter);
/* A PROCEDURE inlined at its call, with a current entry of its own. */
void emit_placed(Emit *e, const Statement *s);
/* A FOR whose counter outlives a wait. */
void emit_waiting_for(Emit *e, const Statement *s);
/* A relation whose truth `until` knows where it has just been crossed; false if
   it is an ordinary one. `plain` writes it as it stands. */
bool emit_crossing(Emit *e, Buffer *b, const Expr *x,
                   void (*plain)(Emit *e, Buffer *b, const Expr *x));

void emit_reset(Emit *e);
void emit_initial(Emit *e);
void emit_experiment(Emit *e);
void emit_experiment_statement(Emit *e, const Statement *s);
/* tables.c: the number of a variable among the rows, as text. */
const char *emit_variable_number(Emit *e, uint32_t v);
/* search.c: the functions of all searches, and the call of one. */
void emit_searches(Emit *e);
void emit_search_statement(Emit *e, const Statement *s);
/* uncertain.c */
void emit_uncertain(Emit *e, const Statement *s);
/* start.c */
void emit_starts(Emit *e);
void emit_start_statement(Emit *e, const Statement *s);
void emit_start_tables(Emit *e);
/* random.c */
void emit_random_enumerations(Emit *e);
/* Tables value_K and weight_K, as far as item k, from 0, has them. */
void emit_generator_values(Emit *e, const Generator *g, uint32_t k);
void emit_random_tables(Emit *e);
void emit_random_description(Emit *e);
void emit_generator(Emit *e);
/* Writes a draw as statements; returns the name of its value. */
const char *emit_draw(Emit *e, const Expr *x);
/* After an assignment to `target` (or NULL): observes its value. */
void emit_observed(Emit *e, const Expr *target, uint32_t row);
/* Called in `initial`, before anything else. */
void emit_timepers_begin(Emit *e);
/* At the beginning of a frame, which observes nothing yet. */
void emit_observe_none(Emit *e);
/* RANDOMGEN, COLLECT, SWEEP ...; false for any other statement. */
bool emit_random_statement(Emit *e, const Statement *s);
void emit_structs(Emit *e);
void emit_enumerations(Emit *e);
void emit_tables(Emit *e);
void emit_description(Emit *e);

#endif
