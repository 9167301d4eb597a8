#ifndef COSY_CHECK_AGREE_H
#define COSY_CHECK_AGREE_H

/* What is known of the unit of an expression, whether two of them agree, and
   what is said when they do not. Private to the check of units (units.h). */

#include "check/checker.h"
#include "check/unknown.h"

typedef enum Sort {
    SORT_OPEN,    // not checked
    SORT_NUMBER,  // a bare number
    SORT_UNIT,    // `unit` times `terms`
    SORT_REPORTED // nothing more is said about it
} Sort;

/* How two quantities meet. What has no unit takes that of its neighbours in a
   sum, or of the alternatives in a choice: `soft` is one that did, `mixed` says
   that there were several to take. */
typedef enum Meeting { MEET_EQUAL, MEET_SUM, MEET_CHOICE } Meeting;

typedef struct Measure {
    Sort sort;
    Dimension unit;
    Terms terms;         // what is not known of it
    const char *written; // the unit as the text has it; NULL: computed
    bool literal;        // a number with its unit
    bool bare;           // nothing but names without units
    bool mixed;
    const Node *soft;
    Meeting chain;     // where soft and mixed come from
    const Node *field; // FIELD_DECL of a FIELD in it
} Measure;

/* U[I] of an array without a unit: one unknown within a statement. */
typedef struct Element {
    const Symbol *array;
    const Node *index;
    uint32_t unknown;
} Element;

/* A meeting with names without units that stand between two units of one
   dimension: b is converted if all of them are found elsewhere. */
typedef struct Later {
    Node *b;
    Terms product;  // of what a has over what b has,
    Dimension unit; // which should be this
} Later;

/* An expression of OUTPUT, whose unit is known when all has met. */
typedef struct Shown {
    Node *n;
    Measure m;
} Shown;

typedef struct Units {
    Unit *unit;
    Checker checker; // for constant_fold
    Unknowns unknowns;
    bool early;            // one CONST is looked at, and names have no unknowns
    bool any;              // some unit stands in the program, besides TIME's
    bool timed;            // some unit of the program contains time
    Measure time;          // the unit of TIME
    const char *time_text; // as written in TIMEUNIT; NULL: there is none
    bool converted;        // so far: constants are computed anew
    const Node *extents;   // of the array before: many variables share them
    Vector elements;       // Element: of the statement
    Vector later;          // Later
    Vector shown;          // Shown
} Units;

/* Two things that must have one unit, b being the one that is complained of:
   "`B` [s] cannot be added to `A` [m]". Converts one of them, b where it is free
   to choose. Returns what both have. */
Measure agree(Units *c, Node *a, Measure ma, Node *b, Measure mb, Meeting how,
              const char *verb);
/* "ADVANCE wants a time, but `X` is in m", unless it can be converted. False if
   that was said. */
bool agree_want(Units *c, Node *n, Measure m, Measure wanted, const char *who,
                const char *what);
/* When everything has met: what was left for later. */
void agree_rest(Units *c);
/* A point of temperature becomes K. */
void agree_kelvin(Units *c, Node *n, Measure *m);

/* For other messages. */
/* `X` [m/s] */
void agree_print(Units *c, Buffer *b, const Node *n, const Measure *m);
void agree_print_unit(Units *c, Buffer *b, const Measure *m);
void agree_send(Units *c, const Node *at, Buffer *b); // and frees it

static inline bool is_literal(const Node *n)
{
    return n->kind == NODE_INTEGER || n->kind == NODE_NUMBER;
}

static inline bool is_point(const Measure *m)
{
    return m->sort == SORT_UNIT && m->unit.point;
}

#endif
