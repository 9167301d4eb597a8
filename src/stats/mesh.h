#ifndef COSY_STATS_MESH_H
#define COSY_STATS_MESH_H

/* Fields on two grids, compared point by point.

   Where the points of the coarse grid are points of the fine one too, as they are
   after half of an even number of intervals, only these are compared: nothing is
   interpolated there, so a shock makes no oscillations. Along an axis where they
   are not, the coarse field is interpolated at all points of the fine one, with a
   polynomial one degree above the order of the scheme.

       mesh_open     points of both grids along each axis; once for all times
       mesh_compare  differences of a field, and their norms
       mesh_spread   from differences to estimates at all points of the fine grid
       mesh_free

   The error may be largest beside the points that are compared, and a difference
   changes its sign where the error need not: an estimate at a point is that of the
   largest difference within two intervals of the coarse grid. */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/real.h"

#define Mesh         COSY_NAME(Mesh)
#define MeshLine     COSY_NAME(MeshLine)
#define MeshNorms    COSY_NAME(MeshNorms)
#define mesh_open    COSY_NAME(mesh_open)
#define mesh_compare COSY_NAME(mesh_compare)
#define mesh_spread  COSY_NAME(mesh_spread)
#define mesh_free    COSY_NAME(mesh_free)

enum { MESH_AXES = 2, MESH_WIDTH = 10 };

/* One axis: where the grids are compared. */
typedef struct MeshLine {
    uint32_t fine, coarse; // points
    uint32_t samples;      // points of the fine grid where they are compared
    uint32_t width;        // coarse points that make a value there
    Vector at;             // uint32_t, per sample: point of the fine grid
    Vector first;          // uint32_t, per sample: first coarse point
    Vector weight;         // real, width per sample
    Vector cell;           // real, per sample: its part of the axis
} MeshLine;

typedef struct Mesh {
    uint32_t axes;
    MeshLine line[MESH_AXES];
    Vector apart; // real: the last differences, per sample
    Vector along; // real: room for mesh_spread
} Mesh;

typedef struct MeshNorms {
    real max;  // largest difference
    real mean; // of the differences over the domain: the L1 norm by its size
    real size; // largest value of the fine field
} MeshNorms;

/* Coordinates increase. False: no memory. */
bool mesh_open(Mesh *m, uint32_t axes, const uint32_t *fine,
               const real *const *fine_at, const uint32_t *coarse,
               const real *const *coarse_at, uint32_t order);
/* Fields with the points of the first axis outside. A difference that is not
   finite makes the norms NaN. */
MeshNorms mesh_compare(Mesh *m, const real *fine, const real *coarse);
/* Of the differences of the last mesh_compare: the largest one near each point of
   the fine grid. */
void mesh_spread(Mesh *m, real *near);
void mesh_free(Mesh *m);

#endif
