#ifndef COSY_PICTURE_SWEPT_H
#define COSY_PICTURE_SWEPT_H

/* The answer of a study as pictures, from its table (stats/sweep.h): a quantity
   over a parameter, with the intervals of its means; over two parameters as tiles
   in colours (heat.c).

       swept_is      whether a line of OUTPUT means that: GRAPH VERSUS P where P
                     varies from run to run
       swept_line    the pictures of such a line
       swept_text    the same in characters, for PLOT
       swept_make    the pictures of a study for which no line asks
       swept_sketch  the first of them in characters */

#include "picture/graphs.h"
#include "picture/grid.h"

#define SweptView       COSY_NAME(SweptView)
#define swept_is        COSY_NAME(swept_is)
#define swept_line      COSY_NAME(swept_line)
#define swept_text      COSY_NAME(swept_text)
#define swept_make      COSY_NAME(swept_make)
#define swept_sketch    COSY_NAME(swept_sketch)
#define swept_label     COSY_NAME(swept_label)
#define swept_over      COSY_NAME(swept_over)
#define swept_heat      COSY_NAME(swept_heat)
#define swept_quantiles COSY_NAME(swept_quantiles)
#define swept_note      COSY_NAME(swept_note)

enum { SWEPT_PANELS = 4, SWEPT_CURVES = 40, SWEPT_SIDES = 8 };

/* What a picture of a study shows. */
typedef struct SweptView {
    const Grid *g;
    Arena *a;          // of all that the Plot points to
    const char *title; // NULL: made from what is shown
    uint32_t quantity[SWEPT_PANELS];
    uint32_t quantities; // of the pictures, each in its panel
    uint32_t x, y;       // sides; x == sides: over the number of the run
    bool logx, logy;     // SCALE
    double wide, high;
} SweptView;

bool swept_is(const Gallery *e, const CosyShow *line);
Status swept_line(Gallery *e, const CosyShow *line);
void swept_text(Gallery *e, const CosyShow *line, Buffer *b);
Status swept_make(Gallery *e);
/* False: there is no study. */
bool swept_sketch(Gallery *e, Buffer *b, uint32_t wide);

/* Shared by swept.c, over.c, heat.c and quantiles.c. */

/* "STAY [min]" */
const char *swept_label(const SweptView *v, uint32_t quantity);
/* The line below the title: `more`, what holds in all rows that are shown, and
   what the intervals are. NULL: nothing. */
const char *swept_note(const SweptView *v, const char *more);
/* The Plot of a view; false: there is no memory. */
bool swept_over(const SweptView *v, Plot *p);
/* That of quantity[which] as tiles over x and y. */
bool swept_heat(const SweptView *v, uint32_t which, Plot *p);
/* The quantiles of a COLLECT over x; p->n == 0: it has none. */
bool swept_quantiles(const SweptView *v, uint32_t collect, Plot *p);

#endif
