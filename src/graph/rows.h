#ifndef COSY_GRAPH_ROWS_H
#define COSY_GRAPH_ROWS_H

/* The picture of causality: a column of rows in groups, and left of it a wire from
   each row to those that read what it gives. Wires run in tracks, none on top of
   another; what finds no track is told in numbers, as are rows of groups that are
   not in the picture. */

#include "base/buffer.h"
#include "graph/causality.h"

enum {
    ROWS_TRACKS = 24, // the most
    ROWS_WIRED = 600, // with more rows there are only numbers
    ROWS_LINE = 22    // height of a row
};

typedef struct RowsPlace {
    bool shown;
    double top, high;
    uint32_t track;       // of its wire; ROWS_TRACKS: none
    uint32_t first, last; // rows that the wire reaches, itself included
    uint32_t ends;        // wires that end here, its own included
} RowsPlace;

typedef struct Rows {
    const Causality *c;
    RowsPlace *place; // of each row
    uint32_t tracks;
    double gutter, unknown, text; // widths
    double wide, high;
} Rows;

/* Places of the rows of groups [first, end). False: no memory. */
bool rows_place(Rows *r, Arena *a, const Causality *c, uint32_t first,
                uint32_t end);
/* Height in the picture at which a wire from one row ends at another. */
double rows_end(const Rows *r, uint32_t from, uint32_t to);
/* Without a heading it stands in a page, which has the style (svg_style). */
void rows_draw(Buffer *b, const Rows *r, uint32_t first, uint32_t end,
               const char *heading);

#endif
