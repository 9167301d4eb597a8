#ifndef COSY_MODEL_WALK_H
#define COSY_MODEL_WALK_H

/* A map from expressions to expressions, for passes over shared trees that
   visit each node once. Initialised with zeros; released by expr_map_free. */

#include "model/expr.h"

typedef struct ExprMap {
    Vector pairs;
    uint32_t count;
} ExprMap;

const Expr *expr_map_get(const ExprMap *map, const Expr *from); // NULL: none
bool expr_map_put(ExprMap *map, const Expr *from, const Expr *to);
void expr_map_free(ExprMap *map);

#endif
