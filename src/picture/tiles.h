#ifndef COSY_PICTURE_TILES_H
#define COSY_PICTURE_TILES_H

/* Tiles of a picture in the making, and the middles of those without a value, which
   are marked. Whoever makes them fills in the places. */

#include "base/arena.h"
#include "cosy/real.h"
#include "plot/plot.h"

#define Tiles        COSY_NAME(Tiles)
#define tiles_open   COSY_NAME(tiles_open)
#define tiles_series COSY_NAME(tiles_series)

typedef struct Tiles {
    double *x, *x2, *y, *y2, *z;
    double *bad_x, *bad_y; // middles of those without a value
    uint32_t n, bad;
} Tiles;

/* Room for so many; false: there is no memory. */
bool tiles_open(Tiles *t, Arena *a, uint32_t most);
/* As two series of a panel. `columns` as in PlotSeries. */
void tiles_series(const Tiles *t, uint32_t panel, uint32_t columns,
                  PlotSeries series[2]);

#endif
