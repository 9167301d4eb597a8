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
    bool written;  // the model itself gives the parameter other values
    bool quiet;    // nobody is told what is refused
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
/* Whether a derivative of the value can be computed in procedural code. */
bool sensing_computes(Sensing *s, const Expr *value);

/* ---- sense_quest.c: searches ------------------------------------------------------- */

/* Order of calls: quests_begin; sensing_check_quests for each Sense that they use;
   quests_settle, which takes away what nobody uses; sensing_extend_quest. */
void quests_begin(Model *m);
bool quests_use(const Model *m, uint32_t sense);
/* Searches that cannot use derivatives by this parameter have none. Needs: code is
   followed and checked. */
void sensing_check_quests(Sensing *s);
void quests_settle(Model *m);
/* Derivatives of the results of a search, if it uses the present Sense. */
void sensing_extend_quest(Sensing *s, Statement *k);
/* Whether the statement gives the parameter another value. */
bool sensing_writes(const Sensing *s, const Statement *k);

#endif
