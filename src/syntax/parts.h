#ifndef COSY_SYNTAX_PARTS_H
#define COSY_SYNTAX_PARTS_H

/* The parts of a program and the nodes at which they are joined: what was there
   before MODULEs became equations. Kept for those who show it (cosy graph) or
   speak of it (messages). Everything lies in the arena of the unit. */

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define NO_PART UINT32_MAX

typedef struct UnitPart {
    const char *name;   // "R1"; a call without a name: "RC1", "RC2" ...
    const char *path;   // "AXIS.R1"
    const char *module; // "RESISTOR"
    uint32_t around;    // the part it lies in; NO_PART: the program
    uint32_t rank;      // of an array of parts: 1, 2
    int64_t low[2], high[2];
    Span at;
} UnitPart;

/* One port of a node, or one for each value of the node's loops. */
typedef struct UnitJointEnd {
    uint32_t part;       // NO_PART: a port of the part around
    const char *port;    // "N"
    const char *element; // "" or "[I+1]": which part of an array
    bool output;         // a signal that comes out of it
} UnitJointEnd;

typedef struct UnitJoint {
    uint32_t around;   // the part in which it is joined; NO_PART: the program
    const char *type;  // kind of port: "PIN"; "" for signals
    const char *loops; // "" or "I = 1 TO 9"
    bool signal;
    UnitJointEnd *end;
    uint32_t ends;
    Span at; // of a CONNECT
} UnitJoint;

typedef struct UnitParts {
    UnitPart *part; // those that lie in others come after them
    uint32_t parts;
    UnitJoint *joint;
    uint32_t joints;
} UnitParts;

#endif
