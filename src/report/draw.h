#ifndef COSY_REPORT_DRAW_H
#define COSY_REPORT_DRAW_H

/* Shared by the files that draw a Plot in the page: draw.c has the figure, axes and
   curves, draw_areas.c what is filled with the colour of a value, and what moves.

   Numbers of many points travel in two characters each: 12 bits of a share along an
   axis, the last one for a point without a value (page.js has the other half). */

#include "base/arena.h"
#include "plot/layout.h"
#include "plot/plot.h"

typedef struct Picture {
    const Plot *p;
    Layout l;
    uint32_t number;
    Arena *arena;
} Picture;

/* Tiles, faces, and the texts around these, as SVG. */
void areas_tiles(Buffer *b, const Picture *g, const PlotSeries *s);
void areas_faces(Buffer *b, const Picture *g, const PlotSeries *s);
void areas_texts(Buffer *b, const Picture *g);
/* As members of JSON, each after a comma: tiles that are a table, faces, texts; and
   the frames of what moves. */
void areas_table_data(Buffer *b, const PlotSeries *s, const Axis *scale);
void areas_face_data(Buffer *b, const PlotSeries *s, const Axis *scale);
void areas_text_data(Buffer *b, const Plot *p);
void areas_film_data(Buffer *b, const Picture *g);

static inline double picture_across(const Picture *g, double v)
{
    return g->l.left + axis_share(&g->l.x, v) * (g->l.right - g->l.left);
}

static inline double picture_down(const Picture *g, uint32_t panel, double v)
{
    const LayoutPanel *l = &g->l.panel[panel];
    return l->bottom - axis_share(&l->y, v) * (l->bottom - l->top);
}

#endif
