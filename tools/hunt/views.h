#ifndef COSY_HUNT_VIEWS_H
#define COSY_HUNT_VIEWS_H

/* Small programs that observe one moment in every way the language has.

   A program has a few signals of time (a state, a discrete variable that jumps,
   an equation over TIME) and a few relations over them. Each relation is seen
   by some of the views: a process that waits for it and for its opposite, a
   CONDIT on its first comparison, an IF in an equation, a LOGIC variable,
   COMMUNIC, FINISH; and by every body, row and TERMINAL. Whatever they say
   about one instant must agree, and must be what the written formula gives.

       views_make     a random Case, from a seed
       views_text     the Case as a program
       views_truth    when each relation holds, from the formulas
       views_check    runs, and adds what is wrong to the Faults */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "hunt/hunt.h"

enum {
    VIEWS_SIGNALS = 4,
    VIEWS_RELATIONS = 3,
    VIEWS_ATOMS = 3,
    VIEWS_JUMPS = 4,
    VIEWS_LOOKS = 100,  // looks of each body that are kept
    VIEWS_CHANGES = 200 // changes of a relation, and of whatever else is kept
                        // of a run
};

typedef enum SignalKind {
    SIGNAL_RAMP,     // STATE, X' = R; jumps set R
    SIGNAL_SHIFT,    // STATE, X' = R; jumps set X
    SIGNAL_DECAY,    // STATE, X' = p1*(G - X); jumps set G
    SIGNAL_STEP,     // REAL, set by time events
    SIGNAL_TICK,     // REAL, V := p1 - V in a SAMPLE
    SIGNAL_COUNT,    // REAL, V := V + p1 in a SAMPLE
    SIGNAL_LINE,     // ALGEBR, p0 + p1*TIME
    SIGNAL_PARABOLA, // ALGEBR, p0 + p1*(TIME - p2)^2
    SIGNAL_MIXED,    // ALGEBR, V + p1*TIME; jumps set V
    SIGNAL_TIME,     // TIME itself
    SIGNAL_INT,      // INT(TIME/p1)
    SIGNAL_MOD,      // MOD(TIME, p1)
    SIGNAL_KINDS
} SignalKind;

typedef struct Jump {
    double time, value;
} Jump;

typedef struct Signal {
    SignalKind kind;
    double p[4];
    Jump jump[VIEWS_JUMPS]; // in order of time
    uint32_t jumps;
    bool looks; // bodies of its jumps look at all relations first
} Signal;

typedef enum Comparison {
    IS_LESS,
    IS_AT_MOST,
    IS_MORE,
    IS_AT_LEAST
} Comparison;

typedef struct Atom {
    uint32_t signal;
    Comparison is;
    double threshold;
    bool turned; // written as k op S
    bool denied; // NOT before it
    int other;   // another signal instead of the threshold, or -1
} Atom;

typedef enum View {
    VIEW_WAIT = 1,
    VIEW_CONDIT = 2,
    VIEW_IF = 4,
    VIEW_LOGIC = 8,
    VIEW_COMMUNIC = 16,
    VIEW_FINISH = 32
} View;

typedef struct Relation {
    Atom atom[VIEWS_ATOMS];
    uint32_t atoms;
    bool either, denied; // OR instead of AND; NOT before the whole
    unsigned views;
    int direction; // direction of the CONDIT: -1, 0 both, 1
} Relation;

/* What the body of relation 1's CONDIT does after it has looked, or its process
   after the relation has come true: it sets what a jump of that signal sets.
   From then on no formula gives the signal. */
typedef struct Act {
    View by; // VIEW_CONDIT, VIEW_WAIT; 0: nobody
    uint32_t signal;
    double value;
} Act;

typedef struct Case {
    uint64_t seed;
    double from, to, comint; // comint 0: not written
    const char *method;      // NULL: not written
    double step, relerr;     // 0: not written
    Signal signal[VIEWS_SIGNALS];
    uint32_t signals;
    Relation relation[VIEWS_RELATIONS];
    uint32_t relations;
    double period, offset; // those of the clock that looks; 0: there is none
    Act act;
} Case;

/* What is wrong: a rule and what was seen. */
typedef struct Finding {
    const char *rule;
    char text[400];
} Finding;

enum { VIEWS_FINDINGS = 12 };

typedef struct Findings {
    Finding one[VIEWS_FINDINGS];
    uint32_t count;
} Findings;

void views_make(Case *c, uint64_t seed);
/* True if a relation reads the signal; otherwise the program does not have
   it. */
bool views_uses(const Case *c, uint32_t signal);
void views_text(const Case *c, Buffer *b);

/* Values of signals: left of t, or at t when everything is done there. */
typedef enum Moment { BEFORE, AT } Moment;
double signal_value(const Signal *s, double from, double t, Moment m);
/* True if its value is exactly that of the formula at dyadic times. */
bool signal_exact(const Signal *s);
/* Takes the value of each of the case's signals. */
bool relation_holds(const Relation *r, const double *value);

/* The times at which a relation changes between open intervals, with its new
   value; `begins` is its value right after the start. */
typedef struct Truth {
    double time[VIEWS_CHANGES];
    uint32_t count;
    bool begins;
    double unsure[VIEWS_CHANGES]; // where something touches, or may
    uint32_t doubts;
} Truth;

void views_truth(const Case *c, const Relation *r, Truth *t);
/* The signs of atom 0's function between critical times: its crossings. */
typedef struct Crossings {
    double time[VIEWS_CHANGES];
    int way[VIEWS_CHANGES];
    uint32_t count;
    bool flat; // it stays at zero for some time: where it crosses is open
    double unsure[VIEWS_CHANGES];
    uint32_t doubts;
} Crossings;
void views_crossings(const Case *c, const Relation *r, Crossings *x);

/* Runs the program in the folder and compares. */
bool views_check(const Hunt *h, Arena *a, const Case *c, const char *folder,
                 Findings *f);

#endif
