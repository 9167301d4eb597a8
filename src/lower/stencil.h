#ifndef COSY_LOWER_STENCIL_H
#define COSY_LOWER_STENCIL_H

/* Difference formulas: the weights with which values at some nodes, and perhaps one
   slope, make the d-th derivative of the polynomial through them at place 0.

   Nodes are whole numbers, in half steps of the grid, so that formulas between the
   points are exact as well. The weights are whole numbers over one denominator. They
   belong to derivatives by the half step: whoever divides by the step h has to
   multiply by 2^d / h^d, and that of the slope by h / 2. */

#include <stdbool.h>
#include <stdint.h>

#define STENCIL_MOST 10 // nodes

typedef struct Stencil {
    uint32_t nodes;
    int64_t node[STENCIL_MOST];
    bool sloped; // the slope at `slope_at`, which is one of the nodes, is known
    int64_t slope_at;
    int64_t weight[STENCIL_MOST], slope_weight; // over `over`
    int64_t over;
} Stencil;

/* Finds the weights for the d-th derivative, d from 0. False: the numbers would be too
   large. */
bool stencil_solve(Stencil *s, uint32_t d);

#endif
