#ifndef COSY_CHECK_AGREE_H
#define COSY_CHECK_AGREE_H

/* Knowledge about the unit of an expression, the decision whether two of them
   agree, and the message when they do not. Private to the check of units
   (units.h). */

#include "check/checker.h"
#include "check/unknown.h"

typedef enum Sort {
    SORT_OPEN,    // not checked
    SORT_NUMBER,  // a bare number
    SORT_UNIT,    // `unit` times `terms`
    SORT_REPORTED // nothing more is reported about it
} Sort;

/* How two quantities meet. One without a unit takes that of its neighbours in a
   sum, or of the alternatives in a choice: `soft` is one that did, `mixed` says
   that there were several to choose from. */
typedef enum Meeting { MEET_EQUAL, MEET_SUM, MEET_CHOICE } Meeting;

typedef struct Measure {
    Sort sort;
    Dimension unit;
    Terms terms;         // what is not known about it
    const char *written; // the unit as written; NULL: computed
    bool literal;        // a number with its unit
    bool bare;           // nothing but names without units
    bool mixed;
    const Node *soft;
    Meeting chain;     // where soft and mixed come from
    const Node *field; // FIELD_DECL of a FIELD in it
} Measure;

/* U[I] of an array without a unit, or a name that statements assign: one unknown
   within a statement. */
typedef struct Element {
    const Symbol *array;
    const Node *index; // NULL: no array
    uint32_t unknown;
} Element;

/* A meeting in which names without units come between two units of one
   dimension: b is converted if all of them are found elsewhere. */
typedef struct Later {
    Node *b;
    Terms product;  // of the unknowns of a over those of b,
    Dimension unit; // which should have this unit
} Later;

/* Two units of one dimension met with names without units as a factor of both.
   If one of these has got its scale from the first of the two, that depends on
   the order of the text. */
typedef struct Scaled {
    Node *b;
    Terms factor;
    Dimension unit; // of a over that of b
} Scaled;

/* An expression of OUTPUT, whose unit is known once everything has met. */
typedef struct Shown {
    Node *n;
    Measure m;
} Shown;

typedef struct Units {
    Unit *unit;
    Checker checker; // for constant_fold
    Unknowns unknowns;
    bool early;            // only one CONST is checked: names have no unknowns
    bool any;              // the program has units, besides TIME's
    bool timed;            // some unit of the program contains time
    Measure time;          // the unit of TIME
    const char *time_text; // as written in TIMEUNIT; NULL: there is none
    const Symbol *target;  // the one that the assignment at hand changes
    const Node *long_time; // the first time in [min], [h] or longer; or NULL
    const char *long_unit; // as it was written there
    const Node *plain_end; // of SIMULATE: a number without unit; or NULL
    bool converted;        // so far: constants are computed again
    const Node *extents;   // those of the last array: many variables share them
    Vector elements;       // Element: those of the statement
    Vector later;          // Later
    Vector scaled;         // Scaled
    Vector shown;          // Shown
} Units;

/* Two things that must have one unit; messages are about b: "`B` [s] cannot be
   added to `A` [m]". Converts one of them, b if there is a choice. Returns the
   measure of both. */
Measure agree(Units *c, Node *a, Measure ma, Node *b, Measure mb, Meeting how,
              const char *verb);
/* Reports "ADVANCE needs a time, but `X` is in m", unless it can be converted.
   False if it was reported. */
bool agree_want(Units *c, Node *n, Measure m, Measure wanted, const char *who,
                const char *what);
/* Settles what was left for later, once everything has met. */
void agree_rest(Units *c);
/* Turns a point of temperature into K. */
void agree_kelvin(Units *c, Node *n, Measure *m);

/* For other messages: `X` [m/s]. */
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
