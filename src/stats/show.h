#ifndef COSY_STATS_SHOW_H
#define COSY_STATS_SHOW_H

/* Lines of OUTPUT as text of at most 80 columns: LIST is a table of the
   records, PLOT a curve in characters.

   LIST: one row per record, numbers with 7 digits (the files have all of them).
   Variables that do not fit beside each other follow in further tables, each
   with the first column repeated.

   PLOT: the axes end at round numbers. Points of a run are joined, those of the
   cross file are not. Several variables share one scale, unless one of them
   would hardly be seen to move on it: then each has its own, shown in the
   legend. FACTOR makes it larger or smaller, but never wider than the page. */

#include "base/buffer.h"
#include "cosy/model.h"

#define ShowSource COSY_NAME(ShowSource)
#define ShowColumn COSY_NAME(ShowColumn)
#define show_line  COSY_NAME(show_line)
#define show_title COSY_NAME(show_title)
#define show_plot  COSY_NAME(show_plot)
#define show_name  COSY_NAME(show_name)
#define show_unit  COSY_NAME(show_unit)

#define SHOW_WIDTH  80
#define SHOW_WIDEST 120 // page of a PLOT

/* Records, in rows as in stats/record.h. */
typedef struct ShowSource {
    const CosyModel *model;
    const Vector *rows;
    uint32_t columns;
    bool points;   // from the cross file: not a curve
    char what[40]; // "run 3"
    char file[40]; // the file with the same numbers
    uint32_t wide; // width of the page; 0: SHOW_WIDTH
} ShowSource;

typedef struct ShowColumn {
    uint32_t column;   // of the rows; 0 is TIME
    uint32_t variable; // COSY_NONE: TIME
    uint32_t element;
} ShowColumn;

/* A LIST or PLOT. Variables that were not STOREd are left out, with a remark.
   */
void show_line(Buffer *b, const CosyShow *s, const ShowSource *from);

/* Shared by show.c and plot_text.c. column[0] is that of VERSUS. */
void show_title(Buffer *b, const CosyShow *s, const ShowSource *from);
void show_plot(Buffer *b, const CosyShow *s, const ShowSource *from,
               const ShowColumn *column, uint32_t columns);
/* Name and unit of a column. */
void show_name(Buffer *b, const CosyModel *m, const ShowColumn *c);
const char *show_unit(const CosyModel *m, const ShowColumn *c);

static inline uint32_t show_wide(const ShowSource *from)
{
    return from->wide ? from->wide : SHOW_WIDTH;
}

static inline size_t show_count(const ShowSource *from)
{
    return from->rows->used / sizeof(real) / from->columns;
}

static inline real show_value(const ShowSource *from, size_t row,
                              uint32_t column)
{
    const real *value = (const real *)(const void *)from->rows->bytes;
    return value[row * from->columns + column];
}

#endif
