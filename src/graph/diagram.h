#ifndef COSY_GRAPH_DIAGRAM_H
#define COSY_GRAPH_DIAGRAM_H

/* Where everything in the picture of parts and connections goes. Places count
   cells of a grid of DIAGRAM_CELL pixels, from the upper left corner.

   A part is a box, or a frame with its own parts in it. Those of one frame stand
   in columns: parts that are joined by few others come next to each other, what
   a signal goes to stands right of where it comes from (after Sugiyama, Tagawa
   and Toda, 1981); too many columns continue in a row of columns below, back from
   the right. Ports are on the left and right edges of boxes, on the side where what
   they are joined to is. Wires are found by board.h; when there is no room for
   them, everything moves apart.

   Nothing overlaps, and the same parts always give the same places. */

#include "base/arena.h"
#include "syntax/parts.h"

#define NO_BOX UINT32_MAX

enum {
    DIAGRAM_CELL = 10,
    DIAGRAM_NAME = 13, // sizes of texts
    DIAGRAM_SMALL = 11,
    DIAGRAM_TINY = 10,
    DIAGRAM_HEAD = 3 // cells at the top of a frame, for its name
};

typedef struct DiagramBox {
    uint32_t part;     // index into Parts
    const char *title; // "C[1..9]"
    uint32_t around;   // the frame it stands in, or NO_BOX
    bool open;         // its own parts are shown: it is a frame
    uint32_t inside;   // how many parts in it are not shown
    int32_t x, y, wide, high;
    uint32_t port, ports; // its first port, and how many
    int32_t left, right;  // room for the names of its ports
} DiagramBox;

typedef struct DiagramPort {
    uint32_t box;
    uint32_t joint; // one of those that it takes part in
    const char *name;
    bool signal, output;
    bool right; // on the right edge
    bool set;   // side and place are decided: those of a frame
    int32_t x, y;
} DiagramPort;

/* A straight piece; or a branch, whose ends are equal. */
typedef struct DiagramWire {
    uint32_t joint;
    uint32_t around; // the frame it is in, or NO_BOX
    int32_t x, y, to_x, to_y;
} DiagramWire;

/* The loops of a joint, beside its wire; x, y: left end of the base line. */
typedef struct DiagramNote {
    uint32_t joint, around;
    int32_t x, y;
} DiagramNote;

typedef struct Diagram {
    const UnitParts *parts;
    Arena *arena;
    int32_t wide, high;
    DiagramBox *box; // frames come before what they hold
    uint32_t boxes;
    DiagramPort *port;
    uint32_t ports;
    DiagramWire *wire;
    uint32_t wires, wire_room;
    DiagramNote *note;
    uint32_t notes;
    uint32_t *first_end; // of each joint, into `at`
    uint32_t *at;        // port of each end, or UINT32_MAX: not shown
    uint32_t *kind;      // of each joint; signals are one
    uint32_t *example;   // a joint of each kind
    uint32_t kinds;
    uint32_t left_out; // parts beside those shown for which there is no room
    uint32_t missing;  // ends that no wire could reach
} Diagram;

/* NULL: no memory. */
Diagram *diagram_make(Arena *a, const UnitParts *p);

/* Width in cells of a text, with what other fonts than Helvetica need. */
int32_t diagram_text(const char *text, double size);

static inline const UnitPart *diagram_part(const Diagram *d, uint32_t box)
{
    return &d->parts->part[d->box[box].part];
}

#endif
