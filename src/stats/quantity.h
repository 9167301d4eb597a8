#ifndef COSY_STATS_QUANTITY_H
#define COSY_STATS_QUANTITY_H

/* Quantities: the numbers that a run comes down to, each with its name. What is
   told of many runs (replicate.h, sweep.h) is told of them.

       quantity_statistics, quantity_resources, quantity_final
                          gather those of a SIMULATE, once
       quantity_take      at the end of a run, in any thread: their values
       quantity_put       a name as it is shown
       quantity_kind, quantity_reread
                          what they are in summary.json, and back

   Names are unique in a list: of two quantities with one name the first counts,
   so X is the mean of COLLECT X before it is a final value. */

#include "base/buffer.h"
#include "cosy/model.h"
#include "stats/follow.h"

#define Quantity            COSY_NAME(Quantity)
#define QuantityRun         COSY_NAME(QuantityRun)
#define quantity_add        COSY_NAME(quantity_add)
#define quantity_find       COSY_NAME(quantity_find)
#define quantity_find_value COSY_NAME(quantity_find_value)
#define quantity_statistics COSY_NAME(quantity_statistics)
#define quantity_resources  COSY_NAME(quantity_resources)
#define quantity_final      COSY_NAME(quantity_final)
#define quantity_stored     COSY_NAME(quantity_stored)
#define quantity_asked      COSY_NAME(quantity_asked)
#define quantity_deviation  COSY_NAME(quantity_deviation)
#define quantity_value      COSY_NAME(quantity_value)
#define quantity_unit       COSY_NAME(quantity_unit)
#define quantity_put        COSY_NAME(quantity_put)
#define quantity_kind       COSY_NAME(quantity_kind)
#define quantity_reread     COSY_NAME(quantity_reread)

typedef enum QuantityKind {
    QUANTITY_COLLECT,
    QUANTITY_QUANTILE, // of a COLLECT: element = which of follow_shares
    QUANTITY_TIMEPERS,
    QUANTITY_CLEARED,     // until when CLEAR AUTO has left out
    QUANTITY_UTILISATION, // of a resource, and so on
    QUANTITY_QUEUE,
    QUANTITY_WAIT,
    QUANTITY_CONTENT, // element = StoreKind
    QUANTITY_STAY,
    QUANTITY_FINAL,  // which = variable, element
    QUANTITY_COLUMN, // which = column of OUTPUT: its value in the last record
    QUANTITY_KINDS
} QuantityKind;

typedef struct Quantity {
    QuantityKind kind;
    uint32_t which, element;
    char name[100];
} Quantity;

/* Quantities of a list: from `first` on, of a Vector that may hold others. */
typedef struct QuantityList {
    const CosyModel *model;
    Vector *all; // of Quantity
    uint32_t first;
} QuantityList;

/* A run that has ended. */
typedef struct QuantityRun {
    const Cosy *c;
    const Follow *follow;
    const Vector *rows; // its records; NULL: they are not there
} QuantityRun;

/* False: there is no memory. */
bool quantity_add(QuantityList l, QuantityKind kind, uint32_t which,
                  uint32_t element, const char *name, const char *what);
/* Place in the list, from 0; COSY_NONE: there is none of that name. */
uint32_t quantity_find(QuantityList l, const char *name);
/* That of an element of a variable, the first one with COSY_NONE. */
uint32_t quantity_find_value(QuantityList l, uint32_t variable, uint32_t at);
/* COLLECT with their QUANTILES, and TIMEPERS, as far as they are observed. */
bool quantity_statistics(QuantityList l, const Cosy *c);
/* Facilities, storages, files and processes. */
bool quantity_resources(QuantityList l);
/* An element of a variable; what is no variable of the model is left out. */
bool quantity_final(QuantityList l, uint32_t variable, uint32_t element);
/* Scalars that are STOREd or shown. */
bool quantity_stored(QuantityList l);
/* Scalars that MEAN and SDEV ask for. */
bool quantity_asked(QuantityList l);
/* NaN: not observed. */
real quantity_value(const Quantity *q, const QuantityRun *run);
/* Standard deviation inside of the run; NaN: it has none. */
real quantity_deviation(const Quantity *q, const QuantityRun *run);
const char *quantity_unit(const CosyModel *m, const Quantity *q);
/* "STAY [min]"; a value that is not the mean of its run is marked as final. */
void quantity_put(Buffer *b, const CosyModel *m, const Quantity *q);
/* "collect", "final" ... */
const char *quantity_kind(const Quantity *q);
/* The quantity of the model that has this kind and name; false: there is none, as
   with a column that OUTPUT had. */
bool quantity_reread(const CosyModel *m, const char *kind, const char *name,
                     Quantity *found);

#endif
