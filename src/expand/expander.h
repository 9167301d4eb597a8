#ifndef COSY_EXPAND_EXPANDER_H
#define COSY_EXPAND_EXPANDER_H

/* Shared by the parts of the expander. expand.c walks through the program and
   keeps definitions and constants; call.c reads the actuals of a call; body.c
   expands bodies; path.c knows the calls that have names. */

#include "expand/constant.h"
#include "expand/library.h"
#include "expand/macro.h"
#include "expand/names.h"

/* An actual, ready to replace its formal: the names in it are replaced
   already. */
typedef struct Actual {
    const Token *token; // `at` and `origin` are those of the call
    uint32_t count;
    int level;   // that of its loosest operator; LEVEL_ATOM: none
    Value value; // for a CONST formal
} Actual;

#define LEVEL_ATOM 8

typedef struct Loop {
    struct Loop *up;
    const char *name;
    Value value;
} Loop;

/* One expansion in progress. */
typedef struct Frame {
    struct Frame *up; // the expansion that contains the call, or NULL
    Macro *macro;
    const Actual *actual;
    const char **local; // their names in the program
    Loop *loop;         // innermost first
    uint32_t origin;
    const char *path; // for a call with a name: B1, B1.CELL; else NULL
} Frame;

/* A call with a name: BATTERY B1 (...). */
typedef struct Instance {
    const char *name;
    const char *path; // from the program down: locals are path.local
    const Macro *macro;
    Span at; // its name
    uint32_t name_origin;
    uint32_t scope;  // origin of the expansion it belongs to, 0: the program
    uint32_t origin; // that of its contents
} Instance;

/* Declarations of locals that go to `at` in the output. */
typedef struct Lift {
    uint32_t at, order;
    uint32_t from, count; // in Expander.declared
} Lift;

typedef struct Expander {
    Unit *u;
    Library *library;
    Arena scratch;
    Names macro_names;
    Vector macros; // Macro *
    Names constant_names;
    Vector constants; // Value
    Names invoked;    // texts of the standard library
    Names program_names;
    bool has_program_names;
    Vector out, declared; // Token
    Vector *to;           // where tokens go: out, declared, an actual
    Vector lifts;
    Vector instances;        // Instance
    Names instance_names;    // by scope and name
    uint32_t lift_at;        // where declarations go at present
    const char *cannot_lift; // or the reason why they cannot go anywhere
    uint64_t steps;
    uint32_t depth;   // nested calls
    uint32_t nesting; // nested parts, over all calls
    bool stopped;     // at a limit, or without memory; already reported
} Expander;

/* Reports that memory is exhausted, and stops, unless `ok`. */
bool expander_keep(Expander *e, bool ok);
bool expander_emit(Expander *e, const Token *t);
Word expander_last(const Expander *e); // the token emitted last

Macro *expander_macro(const Expander *e, const char *name); // or NULL
bool expander_is_call(const Expander *e, const Token *t, Word before);
/* For reading constants in an expansion, or (f NULL) in the program. */
typedef struct Scope {
    Expander *e;
    const Frame *f;
} Scope;
Evaluation expander_evaluation(Scope *s, const Token *token, uint32_t count);
/* The number of a new origin; 0 without memory. The name of a macro is kept
   twice (macro_name), so that an origin shows whether it is a call or an
   actual. */
uint32_t expander_origin(Expander *e, Span call, uint32_t parent,
                         const char *macro);

/* call.c: token[at] names a macro; in an expansion `token` is the body of its
   macro. Returns where the text continues. */
uint32_t call_expand(Expander *e, Frame *f, const Token *token, uint32_t count,
                     uint32_t at);

bool call_in_expression(Word before);
/* MACRO_NAME_n, which occurs nowhere in the program. */
const char *call_unique_name(Expander *e, const Macro *m, const char *name);

/* path.c: enters the call f, whose name was written as `name`; false, with a
   message, if the name is taken. Sets f->path. */
bool path_enter(Expander *e, Frame *f, const Token *name);
/* False, with a message, if the name is that of a MACRO. */
bool path_can_name(Expander *e, const Token *name, uint32_t origin);
/* In the flat tokens B1 . SOC becomes one name, B1.SOC, wherever B1 is a call;
   the calls of the program are left in the unit. */
void path_join(Expander *e);
/* path.local, in the arena of the unit; NULL without memory. */
const char *path_local(Expander *e, const char *path, const char *local);
void path_free(Expander *e);

/* body.c: expands all of the macro of f, declarations and body. */
bool body_expand(Expander *e, Frame *f);
/* Emits what one token of the body stands for (not a word of the macro
   language); returns the index of the next. */
uint32_t body_emit(Expander *e, const Frame *f, uint32_t k);
int body_level(Word w); // level of an operator; 0 if it is not one

#endif
