#ifndef COSY_CLI_PAIR_H
#define COSY_CLI_PAIR_H

/* Two runs that cosy results compare looks at side by side.

       pair_load      their curves, and how these differ
       pair_values    a member of summary.json: all numbers in it
       pair_long      arrays that have a file of their own
       pair_curves    the table of curves
       pair_draw      a picture of those that differ most
       pair_unload */

#include "cli/results.h"
#include "cli/sheet.h"
#include "store/differ.h"

enum { ROWS_SHOWN = 40 };

/* Values or curves of one kind: how many agree, and the one that does so
   least. */
typedef struct Tally {
    uint32_t same, other;
    double least; // digits; infinite: none differs
    char name[120];
} Tally;

/* A whole table, column by column. */
typedef struct Columns {
    Rows rows;
    Vector *value; // from the arena of the pair
    bool there;
    bool rounded; // it has more digits than a double
} Columns;

/* A curve that both runs have, and how it differs. */
typedef struct Common {
    const char *name;  // with its unit
    const char *plain; // without
    uint32_t a, b;     // columns
    Difference d;
    double digits;
} Common;

typedef struct Pair {
    ResultsCommand *c;
    Results *a, *b;
    uint64_t run_a, run_b;
    const Tree *tree_a, *tree_b;
    const Tree *units_a, *units_b;
    double digits; // asked for, or usual
    Tally parameters, finals, statistics, curves;
    double parts; // the first time at which a curve parts; NaN: none does
    Columns x, y;
    Common *common;                  // curves
    uint32_t n;                      // of them
    Buffer notes;                    // about curves that are not compared
    char label_a[100], label_b[100]; // for a picture
    Arena arena;
} Pair;

/* Counts a value or curve; `digits` are those in common, NaN: none can be
   told. */
void pair_tally(Tally *t, const char *name, bool same, double digits);
/* A table of one of the two; `name` NULL: there was no memory for it. */
Status pair_open(Pair *p, Results *r, const char *name, Rows *rows,
                 bool *there);
/* A cell with digits. */
void pair_digits(Sheet *s, double digits);
/* A line about those that the table has no room for. */
void pair_more(Buffer *b, const Tally *t);

Status pair_load(Pair *p);
void pair_unload(Pair *p);
/* `curves`: digits of a value that is also a curve count from the size of that
   curve, not from that of the value. */
void pair_values(Buffer *b, Pair *p, const char *member, const char *head,
                 Tally *t, bool curves);
Status pair_long(Buffer *b, Pair *p);
void pair_curves(Buffer *b, const Pair *p);
/* Brings the curves into another order. */
Status pair_draw(Pair *p, const char *path);

static inline Curve pair_curve(const Columns *c, uint32_t column)
{
    return (Curve){(const double *)(const void *)c->value[0].bytes,
                   (const double *)(const void *)c->value[column].bytes,
                   c->value[0].used / sizeof(double)};
}

#endif
