#ifndef COSY_CHECK_CHECKER_H
#define COSY_CHECK_CHECKER_H

/* Private to the checks.

       check.c        the order of all this
       symbol.c       scopes
       predefined.c   what needs no declaration
       name.c         which symbol a name means; how messages call it
       declare.c      declarations of variables, records, files, tables
       routine.c      headings of routines, processes, modules
       constant.c     values of constant expressions
       designator.c   elements, attributes, parts
       expression.c   types of expressions
       call.c         calls: actuals against formals
       statement.c    procedural code that every language has
       discrete.c     events, files, processes
       experiment.c   EXPERIMENT and OUTPUT
       parallel.c     equations, MODEL, CONDIT, IMPLICIT
       equation.c     which equation gives which variable
       model.c        outputs and inputs of MODELs
       format.c       WRITE and FORMAT in FORTRAN blocks
       usage.c        never used, never given a value, no equation, no body
       flow.c         used before it has a value
       header.c       units in the first line of a file of data
       units.c        units of everything

   Declarations are read first, all of them, in the order of the text; then the
   bodies. One mistake is one message: what is reported has the type TYPE_ANY,
   which fits everywhere, and a name that is not declared is declared by its
   first report as SYMBOL_UNKNOWN. */

#include "check/symbol.h"
#include "syntax/unit.h"

typedef enum Type {
    TYPE_ANY, // reported already, or a formal of a module: fits everything
    TYPE_REAL,
    TYPE_INTEGER,
    TYPE_TRUTH,
    TYPE_STRING,
    TYPE_ENTRY, // in a file, QUEUE.3; copy of a process, STONE[3]
    TYPE_THING  // file, event, resource, ...: no value
} Type;

/* The place of a text; it decides what is allowed there. */
enum {
    PLACE_INITIAL = 1,
    PLACE_TERMINAL = 2,
    PLACE_EVENT = 4,
    PLACE_SAMPLE = 8,
    PLACE_PROCESS = 16, // body of a DISCRETE PROCESS
    PLACE_COPY = 32,    // INITIAL, TERMINAL of a CONTINUOUS PROCESS
    PLACE_ROUTINE = 64,
    PLACE_CONTINUOUS_FUNCTION = 128,
    PLACE_EXPERIMENT = 256,
    PLACE_COMMUNIC = 512,
    PLACE_PROCEDURAL = 1024,
    PLACE_EQUATION = 2048,
    PLACE_OUTPUT = 4096,
    PLACE_DECLARATION = 8192,
    PLACE_ANY = 16383,
    PLACE_DISCRETE = PLACE_INITIAL | PLACE_TERMINAL | PLACE_EVENT |
                     PLACE_SAMPLE | PLACE_PROCESS | PLACE_COPY | PLACE_ROUTINE
};
#define PLACE_CODE (PLACE_DECLARATION - 1 - PLACE_EQUATION - PLACE_OUTPUT)
/* Equations are computed in these places: everything must be smooth. */
#define PLACE_SMOOTH                                                           \
    (PLACE_EQUATION | PLACE_PROCEDURAL | PLACE_CONTINUOUS_FUNCTION)

#define ANY_NUMBER 1000000u // any number of arguments

/* Names are looked up from the innermost layer outwards, in each layer only in
   its own scope. */
typedef struct Layer {
    const Scope *scope; // NULL: empty
    struct Layer *around;
} Layer;

typedef struct Call {
    Symbol *routine;
    Node *node;
    struct Call *next;
} Call;

typedef struct Branch Branch; // check/equation.h
typedef struct GivenEquation GivenEquation;
typedef struct Equations Equations;

typedef struct Checker {
    Unit *unit;
    Scope *predefined, *program;
    Scope *blocks;     // names of COMMUNIC blocks
    Scope *home;       // that of the program, routine, process or module
    Symbol *self;      // the routine or process whose body is being checked
    Symbol *process;   // the DISCRETE PROCESS around that, or NULL
    Layer *layer;      // innermost
    Layer *removed;    // record of the file of the last REMOVE in the body
    Symbol *eventfile; // the calendar's, if the program declares it
    uint32_t place;
    const Branch *branch; // the innermost of CASE and IF in equations
    Equations *equations; // those of the CONTINUOUS being checked
    Node *procedural;     // outputs of the PROCEDURAL being checked
    Symbol *boundary;     // FIELD whose BOUNDARY is being checked
    uint32_t models;      // MODELs so far
    bool crossing;        // `=` means a crossing: after FINISH
    const Node *timeunit; // the first
    bool has_ccode;       // it uses variables in ways not seen here
    bool misread;         // the parser has found mistakes
    bool undeclared;      // a name was reported as not declared
    bool unknown_target;  // such a name is assigned or has an equation
    bool no_calendar;     // the missing EVENTFILE was reported
    bool calling;         // the name being resolved is called
    const char *advice;   // what to do about such a name; NULL: declare it
    const Node *loop;     // the last FOR that has ended; NULL: none
    bool broken;          // no memory
    const Node
        *extent; // the last that was refused: it belongs to many variables
} Checker;

#define ERROR(c, n, ...)                                                       \
    unit_error((c)->unit, (n)->at, (n)->origin, __VA_ARGS__)
#define WARNING(c, n, ...)                                                     \
    unit_warning((c)->unit, (n)->at, (n)->origin, __VA_ARGS__)

/* ---- predefined.c ---- */
bool predefined_add(Checker *c);
/* The nearest predefined name of this kind, or NULL. */
const char *predefined_nearest(const Checker *c, SymbolKind kind,
                               const char *name);
uint32_t procedure_places(const Symbol *s); // where a predefined one is allowed

/* ---- name.c ---- */
/* The name in the text of the node; all of the node if it is not found. */
Span name_span(const Checker *c, const Node *n);
/* "a STATE", "an INTEGER variable", "a FILE". */
const char *symbol_words(const Symbol *s);
/* An index that the body of an array of events names. */
bool symbol_is_index(const Symbol *s);
/* What to say of one that keeps its own statistics to whoever asks for them:
   "; its ...", or "" for all others. */
const char *symbol_keeps(const Symbol *s);
Type symbol_type(const Symbol *s);
Type word_type(Word type); // type of a variable declared by this word
/* The symbol that a visible name means, or NULL. */
Symbol *name_find(const Checker *c, const char *name);
/* The same; reports a name that is not declared, once. Never NULL unless there
   is no memory. */
Symbol *name_resolve(Checker *c, Node *n);
/* For a name that is the text of a node of another kind. */
Symbol *name_resolve_text(Checker *c, Node *n);
/* Reports CALL.LOCAL if there is no such call, or one without a name. False if
   the selection is something else. */
bool report_path(Checker *c, const Node *n);
/* Adds to a scope; reports a second declaration. NULL if there was one. */
Symbol *name_declare(Checker *c, Scope *s, SymbolKind kind, Word type, Node *n);
/* A record other than `but` that has this attribute, or NULL. */
const Symbol *record_with(const Checker *c, const char *attribute,
                          const Symbol *but);
void note_declaration(Checker *c, const Symbol *s);
void symbol_use(Symbol *s);
void symbol_assign(Checker *c, Symbol *s, Node *n);
static inline bool symbol_unknown(const Symbol *s)
{
    return s == NULL || s->kind == SYMBOL_UNKNOWN;
}
/* A variable or formal of this type (not an attribute). */
bool symbol_is(const Symbol *s, Word type);
/* A STATE, or an ALGEBR whose derivative is in an equation. */
bool symbol_is_integrated(const Symbol *s);
/* A variable that is set from outside. */
bool symbol_is_input(const Symbol *s);
static inline void layer_push(Checker *c, Layer *l, const Scope *scope)
{
    *l = (Layer){scope, c->layer};
    c->layer = l;
}
static inline void layer_pop(Checker *c)
{
    c->layer = c->layer->around;
}

/* ---- declare.c, routine.c ---- */
void declare_one(Checker *c, Scope *s, Node *n);
void declare_list(Checker *c, Scope *s, Node *list);
/* For declarations that may refer to names declared further down: STORE, files
   of processes. */
void declare_one_late(Checker *c, Node *n);
void declare_late(Checker *c, Node *list);
void declare_segment(Checker *c, Node *segment); // of the program; a routine
void declare_segment_late(Checker *c, Node *segment);

/* Refuses a FUNCTION of a process that uses what each transaction or copy has for
   itself. */
void check_own_function(Checker *c, Node *n, const Node *process);

/* ---- grid.c ---- */
/* A COORDINATE by itself, which is the number-th of its FIELD, from 1. */
void grid_check(Checker *c, Node *n, uint32_t number);
/* How the coordinates of a FIELD go together, and with its SCHEME. */
void grid_check_all(Checker *c, const Node *coordinates, Node *scheme);
/* A SIDE of a BOUNDARY is one that the FIELD has. */
void grid_check_side(Checker *c, const Symbol *field, Node *side);

/* ---- constant.c ---- */
typedef struct Constant {
    Type type;
    int64_t integer; // also for truth values
    double real;     // for all types
} Constant;

/* False if it is not a constant. Overflow and division by zero are reported,
   once. Needs: names resolved. */
bool constant_fold(Checker *c, Node *n, Constant *v);
/* Checks, and reports anything that is not a constant. `what` begins the
   message. */
bool constant_integer(Checker *c, Node *n, const char *what, int64_t *v);
bool constant_number(Checker *c, Node *n, const char *what, double *v);
/* The same, which may be INF. */
bool constant_bound(Checker *c, Node *n, const char *what, double *v);

/* ---- designator.c ---- */
typedef enum Access { ACCESS_READ, ACCESS_WRITE, ACCESS_NAME } Access;

typedef struct Target {
    Symbol *symbol; // the last: variable, attribute, file, ...
    Type type;
    bool whole; // an array without indices
} Target;

Target check_designator(Checker *c, Node *n, Access access);
/* A variable that each copy of a CONTINUOUS PROCESS has for itself. */
bool symbol_is_copied(const Symbol *s);
/* `record` may be NULL: a process without a file. */
void report_no_attribute(Checker *c, Node *name, const Symbol *record);
/* Reports, once, a FILE that is a formal and not declared again. */
void report_no_record(Checker *c, const Node *n, Symbol *file);
/* The record of the entries of a file or process, or NULL. */
Symbol *symbol_record(const Symbol *s);
/* For the left of := or =: a name there that is not declared leaves another
   without a value. */
void note_unknown_target(Checker *c, Node *n);
/* The name at the beginning of a designator. */
Node *designator_base(Node *n);

/* ---- expression.c ---- */
Type check_expression(Checker *c, Node *n);
/* Whether what X' begins with has a derivative, and X' is none of an array;
   reports it at n, the DERIVATIVE. */
bool check_derivative(Checker *c, Node *n, Target t);
/* The same, with a message unless it has the type: "the index must be ...";
   TYPE_ANY after a message. */
Type check_integer(Checker *c, Node *n, const char *what);
Type check_number(Checker *c, Node *n, const char *what);
Type check_truth(Checker *c, Node *n, const char *what);
const char *type_words(Type t);
static inline bool type_is_number(Type t)
{
    return t == TYPE_ANY || t == TYPE_REAL || t == TYPE_INTEGER;
}
/* True if a value of type `from` fits a variable of type `to`; reports at n. */
bool check_fits(Checker *c, Node *n, Type from, Type to, const char *what);
static inline bool is_none(const Node *n)
{
    return n->kind == NODE_NONE;
}

/* ---- field.c ---- */
Symbol *field_about(Checker *c, const Node *n);
void field_imply(const Node *n);
Type check_field_at(Checker *c, Node *n);
Type check_integral(Checker *c, Node *n);
void check_place_quotient(Checker *c, const Node *n);

/* ---- call.c ---- */
Type check_function_call(Checker *c, Node *n);
void check_procedure_call(Checker *c, Node *n);
/* Reports, once, a process without a body. */
void report_no_process(Checker *c, const Node *n, Symbol *process);
/* A process that is started, with ACTUALS or NONE. */
void check_process_actuals(Checker *c, Node *n, Symbol *process, Node *actuals);
/* ACTUALS of something that is not declared. */
void check_unknown_actuals(Checker *c, Node *actuals);
void check_parallel_call(Checker *c, Node *n); // call of a module or process

/* ---- statement.c, discrete.c, experiment.c ---- */
void check_statements(Checker *c, Node *list, uint32_t place);
void check_statement(Checker *c, Node *n);
void check_assignable(Checker *c, Node *n, const Symbol *s);
void check_case_labels(Checker *c, Node *branches);
/* The CONTINUOUS PROCESS that a name means, or NULL after a message: "... needs a
   CONTINUOUS PROCESS". */
Symbol *check_copies(Checker *c, Node *n, const char *what);
/* False if the statement is not one of its file. */
bool check_discrete_statement(Checker *c, Node *n);
bool check_experiment_statement(Checker *c, Node *n);
/* A variable that PARAMETER, INITCOND, SWEEP or a search sets before a run. */
Target check_setting_target(Checker *c, Node *n, const char *statement);
/* A positive number, or none. */
void check_positive(Checker *c, Node *n, const char *what);
/* A whole number, at least `least` if it is known; or none. */
void check_at_least(Checker *c, Node *n, int64_t least, const char *what);
/* The name of a distribution; its options, and its values if it is EMPIRIC, stand
   after it. */
void check_distribution(Checker *c, Node *name);
/* uncertain.c: UNCERTAIN. */
void check_uncertain(Checker *c, Node *n);
/* search.c: MINIMIZE, MAXIMIZE, SOLVE, FIT. The others: what FIT has in common with
   them. */
void check_search(Checker *c, Node *n);
void check_start_values(Checker *c, Node *list, const char *statement);
void check_search_tolerance(Checker *c, Node *n);
/* Whether a SIMULATE or the like is among these statements. */
bool check_holds_run(const Node *n);
/* fit.c: FIT. */
void check_fit(Checker *c, Node *n);
/* Warns about what is outside FRAMEs, if there are any. */
void check_frames(Checker *c, const Node *list);
void check_output(Checker *c, Node *output);
void check_discrete(Checker *c, Node *discrete);
/* INITIAL, TERMINAL, bodies: statements in which REMOVE provides an entry. */
void check_section(Checker *c, Node *list, uint32_t place);
/* Bodies of processes see the attributes of their own entry; two layers. */
void check_process_layers(Checker *c, const Symbol *process, Layer *outer,
                          Layer *inner);
/* FOR: the loop variable in a scope of its own around the statement. */
void check_for(Checker *c, Node *n, void (*body)(Checker *, Node *));
/* An INTEGER of this name was declared for a loop, as in PASCAL, and counts in
   it; anything else is hidden by `what` n names. */
Symbol *check_hidden(Checker *c, Node *n, const char *what);
/* FOR ... IN: the same. */
void check_each(Checker *c, Node *n, void (*body)(Checker *, Node *));
void check_with(Checker *c, Node *n, void (*body)(Checker *, Node *));

/* ---- parallel.c, model.c ---- */
void check_parallel(Checker *c, Node *list);
/* Compares the interface of a MODEL with its body, which has been checked. */
void check_model(Checker *c, Node *model);
/* Reports uses of variables that a MODEL does not hand out. */
void check_model_uses(Checker *c, Node *list);
/* Marks what has a derivative in CONTINUOUS; for all of them, before any
   body. */
void find_derived(Checker *c, Node *n);
/* The variable that an equation with this left side gives, or NULL. */
Symbol *equation_unknown(const Node *left);

/* ---- format.c ---- */
void check_fortran(Checker *c, Node *n);

/* ---- usage.c ---- */
void check_usage(Checker *c);

/* ---- flow.c ---- */
void check_flow(Checker *c, Node *segments);
/* shared.c: locals of processes that should be OWN. */
void check_shared(Checker *c, Node *segments);

#endif
