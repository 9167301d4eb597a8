#include "picture/tiles.h"

#include "base/macros.h"

bool tiles_open(Tiles *t, Arena *a, uint32_t most)
{
    double **all[] = {&t->x, &t->x2,    &t->y,    &t->y2,
                      &t->z, &t->bad_x, &t->bad_y};
    *t = (Tiles){0};
    for (size_t k = 0; k < LENGTH(all); k++) {
        *all[k] = NEW_ARRAY(a, double, most + 1);
        if (!*all[k])
            return false;
    }
    return true;
}

void tiles_series(const Tiles *t, uint32_t panel, uint32_t columns,
                  PlotSeries series[2])
{
    series[0] = (PlotSeries){.style = PLOT_TILES,
                             .x = t->x,
                             .x2 = t->x2,
                             .y = t->y,
                             .y2 = t->y2,
                             .z = t->z,
                             .n = t->n,
                             .columns = columns,
                             .panel = panel};
    series[1] = (PlotSeries){.name = panel ? NULL : "no value",
                             .style = PLOT_POINTS,
                             .x = t->bad_x,
                             .y = t->bad_y,
                             .n = t->bad,
                             .faint = true,
                             .panel = panel};
}
