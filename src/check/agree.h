#ifndef COSY_CHECK_AGREE_H
#define COSY_CHECK_AGREE_H

/* What is known of the unit of an expression, whether two of them agree, and
   what is said when they do not. Private to the check of units (units.h). */

#include "check/checker.h"

typedef enum Sort {
    SORT_OPEN,    // not checked
    SORT_NUMBER,  // a bare number
    SORT_UNIT,    // `unit` is known
    SORT_REPORTED // nothing more is said about it
} Sort;

typedef struct Measure {
    Sort sort;
    Dimension unit;
    const char *written; // as the text has it; NULL: computed
    bool literal;        // a number with its unit: can be converted
    const Node *field;   // FIELD_DECL of a FIELD in it
} Measure;

typedef struct Units {
    Unit *unit;
    Checker checker;     // for constant_fold
    bool timed;          // some unit of the program contains time
    bool converted;      // some literal so far: constants are computed anew
    const Node *extents; // of the array before: many variables share them
} Units;

/* Two things that must have one unit, b being the one that is complained of:
   "`B` [s] cannot be added to `A` [m]". Converts the one that is a literal.
   Returns what both have. */
Measure agree(Units *c, Node *a, Measure ma, Node *b, Measure mb,
              const char *verb);
/* Whether n has what is wanted, if need be by converting the literal that it
   is. Needs: both have a unit. */
bool agree_fits(Units *c, Node *n, Measure *m, const Measure *wanted);
/* "ADVANCE wants a time, but `X` is in m". False if that was said. */
bool agree_want(Units *c, Node *n, Measure m, Measure wanted, const char *who,
                const char *what);

/* For other messages. */
/* `X` [m/s] */
void agree_print(Units *c, Buffer *b, const Node *n, const Measure *m);
void agree_print_unit(Buffer *b, const Measure *m);
void agree_send(Units *c, const Node *at, Buffer *b); // and frees it

static inline bool is_literal(const Node *n)
{
    return n->kind == NODE_INTEGER || n->kind == NODE_NUMBER;
}

#endif
