#ifndef COSY_ALGEBRA_ELEMENTS_H
#define COSY_ALGEBRA_ELEMENTS_H

/* Elements of equations and unknowns as numbers.

   An unknown is (variable, element): its number is that of the first element of
   its variable plus its position there, rows before columns. An equation is
   (portion, element): its number is that of the first element of its portion
   plus its position, the outermost loop first. Expressions exist per portion;
   what an element reads is computed from the indices in them.

     elements_begin    numbers all unknowns, and the equations of all portions
     elements_reads    lists the unknowns that an element of a portion reads
     elements_free     gives the memory back */

#include "base/arena.h"
#include "model/model.h"
#include "model/walk.h"

#define SERIES_MOST 4 // SUMs inside each other

/* A place in a portion where an unknown is read. */
typedef struct Occurrence {
    const Expr *what;                // VARIABLE or RATE, with indices
    const Expr *series[SERIES_MOST]; // SUM ... around it, outermost first
    uint32_t n_series;
    bool exact; // its indices can be computed: not those of A[M]
} Occurrence;

typedef struct Elements {
    Model *m;
    System *s;
    Arena arena;
    bool broken;             // no memory
    bool values;             // a portion that has a value reads what that reads
    bool merged;             // a STATE and its rate are one unknown
    uint32_t slots;          // 2 per variable: value, rate
    uint32_t *first_unknown; // for each slot; NONE: it is none
    uint32_t *list, listed;  // slots of unknowns, in order
    uint32_t unknowns;
    uint32_t portions;
    uint32_t *first_equation; // for each portion, and the end
    Occurrence **occurrence;  // for each portion; found when first asked for
    uint32_t *occurrences;
} Elements;

/* An unknown that an element reads. */
typedef struct ElementRead {
    uint32_t unknown, occurrence;
} ElementRead;

bool elements_begin(Elements *e, Model *m, System *s);
void elements_free(Elements *e);
/* Finds the occurrences of a portion. */
uint32_t elements_occurrences(Elements *e, uint32_t portion);
/* Values of the portion's loops at its element. */
void elements_values(const Elements *e, uint32_t portion, uint32_t element,
                     int64_t *value);
/* The unknown that the target of the portion is at its element. */
uint32_t elements_target(const Elements *e, uint32_t portion, uint32_t element);
/* Appends ElementReads to `out`: those of exact occurrences, and with `all` also
   those that an occurrence like A[M] may be. False if there is no memory. */
bool elements_reads(Elements *e, uint32_t portion, uint32_t element, bool all,
                    Vector *out);
/* The same for all that an expression reads in the loops of the portion, which
   have these values. */
bool elements_reads_in(Elements *e, uint32_t portion, const Expr *x,
                       const int64_t *value, Vector *out);
/* The portion that an equation belongs to. */
uint32_t elements_portion(const Elements *e, uint32_t equation);
/* Variable, rate or value, and indices of an unknown. */
uint32_t elements_slot(const Elements *e, uint32_t unknown);
void elements_indices(const Elements *e, uint32_t unknown, int64_t *index);
/* "A[3]" or "X'" into the buffer. */
void elements_name(const Elements *e, uint32_t unknown, Buffer *b);
/* Value of an index; false if it is not known from the loops alone. */
bool index_value(const Expr *e, const uint32_t *loop, const int64_t *value,
                 uint32_t n, int64_t *result);

#endif
