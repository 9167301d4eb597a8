#ifndef COSY_GRAMMAR_LAYOUT_H
#define COSY_GRAMMAR_LAYOUT_H

/* Syntax diagrams independent of how they are drawn: boxes and the tracks
   between them.

   A rule is laid out in the units of a Metrics: pixels for svg.c, characters
   for text_diagram.c. A track is a line with right-angled bends; a drawing in
   pixels rounds them, one in characters joins what meets in a cell. x grows to
   the right, y down; the middle of a box lies on its track.

   What the grammar says in EBNF is drawn in the familiar way: `x { "," x }` is
   one x with a way back through ",". Sequences that are too wide continue in
   the next row; long choices of short boxes are arranged in columns. */

#include "grammar/ebnf.h"

typedef struct Metrics {
    int max_width;  // widest row
    int pad;        // padding of a box, left and right together
    int char_width; // width of a character in a box
    int half;       // half the height of a box: above and below its middle
    int gap;        // between boxes in a row
    int between;    // between rows and alternatives
    int turn;       // half the room for a bend
    bool quoted;    // signs stand in quotes
} Metrics;

typedef struct Box {
    int x, y, width; // x of its left edge, y of its middle
    const Symbol *symbol;
    const Rule *rule; // if it is not a symbol
} Box;

#define TRACK_POINTS 8

typedef struct Track {
    int x[TRACK_POINTS], y[TRACK_POINTS];
    int points;
} Track;

/* A mark on a track that is used from right to left. */
typedef struct Arrow {
    int x, y;
} Arrow;

typedef struct Drawing {
    Vector boxes, tracks, arrows; // Box, Track, Arrow
    int width, height;
    int start_y;      // height of the track on the left, at x = 0
    int end_x, end_y; // where the track ends on the right
    bool broken;      // no memory
} Drawing;

/* Must be released with drawing_free in any case. */
void drawing_make(Drawing *d, const Grammar *g, const Rule *rule,
                  const Metrics *m);
void drawing_free(Drawing *d);

/* The text in a box. */
const char *box_text(const Symbol *symbol, const Rule *rule);

#endif
