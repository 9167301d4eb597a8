#ifndef COSY_GRAPH_LEVEL_H
#define COSY_GRAPH_LEVEL_H

/* What the files of the diagram share: one frame (or the program itself) with the
   boxes that stand in it, while their places are sought.

       layers_find    how many steps each box is from where the frame begins
       columns_find   which box stands in which column, and in which order
       level_place    places of boxes and ports, ways of wires */

#include "graph/diagram.h"

/* A box in its frame. */
typedef struct Place {
    uint32_t box;
    uint32_t layer;  // steps from where the frame begins
    uint32_t column; // from 0, through all rows of columns
    uint32_t order;  // from the top of its column
    double key;      // where its neighbours want it
    int32_t y;
} Place;

/* A column: `place` sorted from the top. */
typedef struct Column {
    uint32_t row;          // row of columns it is in
    int32_t seat;          // from the left
    bool back;             // its row goes back from the right
    uint32_t first, count; // in `sorted`
    int32_t x, wide;
} Column;

/* A joint of the frame as far as it is shown. */
typedef struct Link {
    uint32_t joint;
    uint32_t first, count; // its ports in `member`
    bool kept;             // room for its note is kept beside its first port
} Link;

typedef struct Level {
    Diagram *d;
    uint32_t frame; // box, or NO_BOX: the program
    Place *place;
    uint32_t places;
    uint32_t *place_of; // of each box of the diagram; UINT32_MAX: not here
    Link *link;
    uint32_t links;
    uint32_t *member; // ports
    uint32_t members;
    uint32_t *sorted; // places, column by column
    Column *column;
    uint32_t columns, rows;
    uint32_t layers;
} Level;

/* Place of a port's box; NULL for a port of the frame itself. */
static inline Place *level_owner(const Level *l, uint32_t port)
{
    uint32_t box = l->d->port[port].box;
    return box == l->frame ? NULL : &l->place[l->place_of[box]];
}

/* False: no memory. */
bool layers_find(Level *l);
bool columns_find(Level *l);
bool level_place(Level *l);
/* The mean layer of the other ends of a port's wire; false: there are none. */
bool layers_beside(const Level *l, uint32_t port, double *mean);

#endif
