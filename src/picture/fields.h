#ifndef COSY_PICTURE_FIELDS_H
#define COSY_PICTURE_FIELDS_H

/* Arrays and FIELDs over their index or coordinate: SHADE, CONTOUR, SURFACE, and
   GRAPH, LIST and PLOT AT TIME, from the frames that a Film has kept. What has one
   index is shown over index and time, what has two at chosen times, or at the end.
   For each variable the report gets one picture that moves.

       fields_text    LIST and PLOT
       fields_sketch  the first picture in characters, for a terminal
       fields_make    pictures of a line; those that move, if it is the first line
                      that shows its variables
       field_map      colours (field_map.c), field_contour  lines of equal value
       field_surface  a surface in space (field_surface.c) */

#include "picture/graphs.h"

#define FieldView     COSY_NAME(FieldView)
#define FieldMap      COSY_NAME(FieldMap)
#define fields_text   COSY_NAME(fields_text)
#define fields_sketch COSY_NAME(fields_sketch)
#define fields_make   COSY_NAME(fields_make)
#define field_map     COSY_NAME(field_map)
#define field_contour COSY_NAME(field_contour)
#define field_surface COSY_NAME(field_surface)
#define field_keep    COSY_NAME(field_keep)

/* A variable of a line in a run. */
typedef struct FieldView {
    Gallery *g;
    const CosyShow *line;
    const Shown *run;
    const CosyVariable *v;
    const FilmReel *still, *moving;
    Arena *a;
} FieldView;

/* Values over two axes: z[i * n[1] + j] at x[0][i], x[1][j]. Indices are in the
   middle of their tiles; coordinates and times end where the tiles do. */
typedef struct FieldMap {
    uint32_t n[2];
    const double *x[2];
    const char *label[2];
    bool whole[2]; // an index
    const double *z;
    const char *at; // "TIME = 2 s", or NULL
} FieldMap;

void fields_text(Gallery *g, const CosyShow *line, Buffer *b);
void fields_sketch(Gallery *g, const CosyShow *line, Buffer *b, uint32_t wide);
/* `first`: no line before has shown its variables in pictures. */
Status fields_make(Gallery *g, const CosyShow *line, bool first);

/* Shared by the files that draw. They fill in what the picture consists of; title
   and note are the caller's. All maps have the same axes, a panel each. False: there
   is no memory. */
bool field_map(const FieldView *f, const FieldMap *m, uint32_t maps, Plot *p);
bool field_contour(const FieldView *f, const FieldMap *m, uint32_t maps,
                   Plot *p);
bool field_surface(const FieldView *f, const FieldMap *m, Plot *p);
/* The text in the arena; frees b. */
const char *field_keep(const FieldView *f, Buffer *b);

#endif
