#ifndef COSY_ALGEBRA_COMPONENTS_H
#define COSY_ALGEBRA_COMPONENTS_H

/* Strongly connected components of a graph (Tarjan 1972), without recursion.
   Edges of node k are to[first[k]] .. to[first[k + 1] - 1]. */

#include "base/arena.h"

#include <stdint.h>

typedef struct Components {
    uint32_t *order; // nodes, component by component: a component comes after
                     // all that its edges lead to
    uint32_t *first; // for each component: its first place in `order`; the end
    uint32_t *of;    // for each node: its component
    uint32_t count;
} Components;

/* False if there is no memory. */
bool components_find(Components *c, Arena *a, uint32_t nodes,
                     const uint32_t *first, const uint32_t *to);

#endif
