#ifndef COSY_MODEL_WALK_H
#define COSY_MODEL_WALK_H

/* A map from expressions to expressions, for passes that visit shared trees and
   want to visit each node once. Begins as zero; expr_map_free at the end. */

#include "model/expr.h"

typedef struct ExprMap {
    Vector pairs;
    uint32_t count;
} ExprMap;

const Expr *expr_map_get(const ExprMap *map, const Expr *from); // NULL: none
bool expr_map_put(ExprMap *map, const Expr *from, const Expr *to);
void expr_map_free(ExprMap *map);

#endif
