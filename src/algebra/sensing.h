#ifndef COSY_ALGEBRA_SENSING_H
#define COSY_ALGEBRA_SENSING_H

/* What sense.c and sense_code.c share: one parameter at a time. */

#include "algebra/moving.h"

typedef struct Sensing {
    Model *m;
    uint32_t sense;     // the present one
    uint32_t variables; // before any Companion
    uint32_t starts;    // StartConditions, too
    bool *value;        // for each variable: depends on the parameter
    bool *rate;         // for each STATE: its rate does
    bool *memory, *routine;
    /* What is carried out at times that depend on it. */
    bool *state_event, *time_event, *process;
    bool timed;    // there are such times
    bool here;     // the present code is carried out at such times
    bool changed;  // since the last look
    uint32_t *own; // Companions of STATEs and of what bodies assign, or NONE
    bool refused;  // something has no derivative
    Moving g;
    Steps late; // after all others
} Sensing;

/* Whether the expression depends on the parameter, as far as is known. */
bool sensing_depends(Sensing *s, const Expr *e);
const Expr *sensing_derivative(Sensing *s, const Expr *e);
/* True for the parameter itself, or for what may be it: an element with an index that
   is not known. */
bool sensing_is_parameter(const Sensing *s, const Expr *e);
/* The derivative does not exist: an error where it was asked for. */
void sensing_refuse(Sensing *s, Span at, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* ---- sense_code.c: procedural code ------------------------------------------------ */

/* Finds what bodies make depend on the parameter. */
void sensing_follow_code(Sensing *s);
/* Refuses what has no derivative. */
void sensing_check_code(Sensing *s);
/* Puts assignments to Companions before those to what they accompany. */
void sensing_extend_code(Sensing *s);

#endif
