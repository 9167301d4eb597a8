#ifndef COSY_CHECK_SYMBOL_H
#define COSY_CHECK_SYMBOL_H

/* Names and what they mean.

   A Scope is the program, a routine, a process, a module, a record, a loop; it
   knows its own symbols and the scope around it. The outermost scope holds what
   the language predefines (PI, TIME, SIN, EXPOND); a declaration in a scope
   further in hides it. Names are the same without case; a symbol keeps the
   spelling of its declaration.

   Every NAME node that means something has its `symbol` set; attributes of a
   record (after a dot, in WHERE, in bodies that have a current entry) are
   symbols of the record's scope. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "check/dimension.h"
#include "syntax/unit.h"

typedef struct Symbol Symbol;
typedef struct Scope Scope;

typedef enum SymbolKind {
    SYMBOL_CONST,     // value known if it could be computed
    SYMBOL_VARIABLE,  // type: REAL STATE ALGEBR ... RANDOM, also MODEL
    SYMBOL_ATTRIBUTE, // of a record
    SYMBOL_FORMAL,    // of a routine or process
    SYMBOL_LOOP,      // of FOR and SUM: an INTEGER that is read only
    SYMBOL_RECORD,    // TYPE
    SYMBOL_FILE,      // `record` is its RECORD
    SYMBOL_PROCESS,   // `file` if it has one, `body` when it is defined
    SYMBOL_FIELD,
    SYMBOL_FUNCTABLE,
    SYMBOL_FUNCTION,  // user's, EXTERNAL or of the library; type: result
    SYMBOL_PROCEDURE, // also SAVE, RERUN, WRITE ...
    SYMBOL_LABEL,
    SYMBOL_DISTRIBUTION,
    SYMBOL_METHOD,
    SYMBOL_COORDINATE, // of a FIELD: read only
    SYMBOL_BLOCK,      // name of a COMMUNIC block
    SYMBOL_CALL,       // name of a macro call: its locals are call.local
    SYMBOL_UNKNOWN     // undeclared: reported once, then taken as declared
} SymbolKind;

#define SYMBOL_RANKS 2

struct Symbol {
    const char *name;
    const char *shown; // in messages: as the modeller wrote it
    SymbolKind kind;
    Word type;     // WORD_REAL, WORD_STATE, ...; WORD_NONE: none
    Node *node;    // its declaration; NULL: predefined
    Scope *scope;  // where it is declared
    Scope *inside; // for records, routines, processes, modules
    Symbol *
        record; // for files; for attributes: the record; for unknown names: what
                // was probably meant
    Symbol *file;   // for processes
    Symbol *counts; // for loops: the declared INTEGER of that name, or NULL
    Node *body;     // definition of a process, module, routine
    uint32_t rank;  // for arrays: 1 or 2; 0: scalar
    int64_t low[SYMBOL_RANKS], high[SYMBOL_RANKS];
    uint32_t least, most; // actuals of a predefined routine
    const char *takes;    // the same: their types, see predefined.def
    Dimension dimension;  // unit; `known` false: none is known
    uint32_t unknown;     // scratch of units.c: its unit, from 1; 0: none
    bool has_value;       // constants
    double value;
    int64_t integer; // value of INTEGER and BOOLEAN constants
    bool used, assigned,
        equated;  // read; by :=, INITCOND, WHERE; by an equation
    bool derived; // X' is in an equation, which may give it: an ALGEBR that
                  // is derived may be integrated, like a STATE
    bool
        implied; // FIELD: an equation with nothing alone on its left may give it
    bool partly;    // by equations in some branches or for some elements
    bool own;       // declared by VAR OWN
    bool fixed;     // predefined, and cannot be assigned
    bool meant;     // by a misspelt name: other messages are omitted
    bool raised;    // events: by CONDIT, SCHEDULE; SAMPLE, PROCESS: started
    bool generated; // PROCESS: by a GENERATE outside its own body, or a CREATE
    bool stored;    // by STORE
    bool settled;   // scratch of flow.c: has a value by now
    uint32_t count; // the same: assignments in INITIAL
    Node *only;     // the same: the one, if it is a statement of its own
    Node *waiting;  // the same: statements that are moved after it
    uint32_t mark[3]; // scratch of model.c: the MODEL it was met in
    Node *model;      // computed in this MODEL and none of its outputs
    bool hidden;      // a name that hides it has been reported
    uint32_t places;  // where it is assigned: PLACE_ of check/checker.h
    Node *where;      // the first assignment
    struct Call *calls, *pending; // for routines: what they call
    Symbol *caller;               // scratch of usage.c
    uint32_t order;               // of declaration
    Symbol *next;                 // in its scope
};

Scope *scope_new(Arena *a, Scope *around, Node *node);
/* Adds a symbol; NULL if the scope already has one of that name (which is then
   left in *other). */
Symbol *scope_add(Scope *s, const char *name, SymbolKind kind, Word type,
                  Node *node, Symbol **other);
Symbol *scope_own(const Scope *s, const char *name); // in this scope only
Symbol *scope_find(const Scope *s,
                   const char *name); // in this scope and those around it
/* The visible name nearest in spelling, for "did you mean"; NULL if none. */
const char *scope_nearest(const Scope *s, const char *name);
Symbol *scope_first(const Scope *s);
Scope *scope_around(const Scope *s);
const Node *scope_node(const Scope *s); // the node it is the scope of, or NULL

#endif
