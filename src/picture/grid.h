#ifndef COSY_PICTURE_GRID_H
#define COSY_PICTURE_GRID_H

/* How the elements of a study lie in the space of its parameters: which values
   each has, whether all combinations are there, and the axis along which a
   picture shows them. */

#include "base/arena.h"
#include "plot/plot.h"
#include "stats/sweep.h"

#define Grid       COSY_NAME(Grid)
#define GridSide   COSY_NAME(GridSide)
#define grid_make  COSY_NAME(grid_make)
#define grid_at    COSY_NAME(grid_at)
#define grid_axis  COSY_NAME(grid_axis)
#define grid_edges COSY_NAME(grid_edges)
#define grid_find  COSY_NAME(grid_find)

/* One parameter. */
typedef struct GridSide {
    uint32_t parameter;
    uint32_t n;    // different values
    double *value; // in order
    bool truth;    // BOOLEAN
    bool log;      // equal ratios
} GridSide;

typedef struct Grid {
    const SweepTable *t;
    GridSide *side; // one per parameter of the table
    uint32_t sides;
    bool full; // each combination is there once
    uint32_t rows;
    uint32_t *row; // those that were carried out
} Grid;

/* False: there is no memory. */
bool grid_make(Grid *g, Arena *a, const SweepTable *t);
/* Which of its values a parameter has in a row of the table. */
uint32_t grid_at(const Grid *g, uint32_t row, uint32_t side);
/* The side of a parameter, by its variable and element; `sides`: none. */
uint32_t grid_find(const Grid *g, uint32_t variable, uint32_t at);
/* The axis of a side, with name and unit. */
PlotAxis grid_axis(const Grid *g, Arena *a, uint32_t side);
/* Where tiles begin and end: n + 1 places, in the middle between values. */
double *grid_edges(const GridSide *s, Arena *a);

#endif
