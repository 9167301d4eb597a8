#ifndef COSY_HUNT_KNOWN_H
#define COSY_HUNT_KNOWN_H

/* Random programs whose answers are known.

   A program is made of a few independent pieces: a bouncing ball, a thermostat,
   a queue. Each piece draws its parameters from its own seed, writes its part
   of the text into the sections of the program, and states the expected result,
   from closed forms or exact arithmetic. All pieces share one clock and one
   integrator, so each of them disturbs all others as much as COSY lets it. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "hunt/hunt.h"

enum { KNOWN_PIECES = 6, KNOWN_EXPECTED = 200, KNOWN_NAME = 24 };

typedef enum Section {
    IN_VAR,
    IN_ROUTINES, // DISCRETE PROCESSes
    IN_EXPERIMENT,
    IN_INITIAL,
    IN_CONTINUOUS,
    IN_EVENTS,
    IN_TEVENTS,
    IN_SAMPLES,
    IN_PROCESSES,
    SECTIONS
} Section;

typedef enum ExpectKind {
    EXPECT_FINAL,     // a variable at the end
    EXPECT_EVENTS,    // how many lines of events-0001.csv have this name
    EXPECT_TIME,      // time of the nth of them, from 0
    EXPECT_STATISTIC, // summary.json: statistics, name, member
    EXPECT_END        // t_end
} ExpectKind;

typedef struct Expect {
    ExpectKind kind;
    char name[KNOWN_NAME];
    const char *group, *member; // for a statistic
    uint32_t nth;
    double value, room; // room 0: exactly
    uint32_t piece;
} Expect;

typedef struct Known {
    /* The experiment. */
    double to;          // end of the run, from 0
    double end;         // FINISH ends it earlier, or the same
    const char *method; // NULL: not written
    double relerr, comint, step;
    bool extended;
    /* What the pieces have written and stated. */
    Buffer section[SECTIONS];
    Expect expect[KNOWN_EXPECTED];
    uint32_t expected;
    uint32_t piece; // the piece whose turn it is
    uint64_t state; // state of its random numbers
    char prefix[8]; // prefix of its names
    double room;    // the tolerance
} Known;

typedef void KnownPiece(Known *k);

/* For pieces. Random numbers with few decimals: */
uint32_t known_below(Known *k, uint32_t n);
double known_between(Known *k, double low, double high);
bool known_chance(Known *k, uint32_t one_in);
/* Writes text; `@` in the format stands for the prefix of the piece. */
void known_put(Known *k, Section s, const char *format, ...);
/* States an expected result; `name` is without the prefix. `growth` is how many
   tolerances a sound run may be off: ten, times the size of the variable, times
   how errors grow from one event to the next. */
void known_final(Known *k, const char *name, long double value, double growth);
void known_exact(Known *k, const char *name, double value);
void known_events(Known *k, const char *name, uint32_t count);
void known_time(Known *k, const char *name, uint32_t nth, long double value,
                double growth);
void known_statistic(Known *k, const char *group, const char *name,
                     const char *member, double value);

#define PIECE(name) KnownPiece piece_##name;
#define OPEN(name)  KnownPiece piece_##name;
#include "hunt/known_pieces.def"
#undef PIECE
#undef OPEN

#endif
