#ifndef COSY_MODEL_H
#define COSY_MODEL_H

/* The contract between a compiled model and the kernel that runs it.

   A model is one C file, written by the compiler (or by hand, in the same
   form), compiled for one precision (cosy/real.h) and found by the name
   COSY_SYMBOL: a constant `CosyModel`. The kernel needs nothing else of it, and
   the model needs nothing of the kernel but what is passed in, so the same file
   runs under cc, under tcc, inside an FMU and in a test, without relinking.

   1. DESCRIPTION. `CosyModel` is a table of constant tables: variables with
      names, kinds, units, ranges and source lines, equations, conditions,
      relations, events, processes, resources, streams, statistics, clocks,
      memories, blocks, choices of states. Everything that a message, a trace, a
      result file or an FMU says about the model comes from there. Counts are
      fixed at compile time; what grows are pools and the state vector.

   2. INSTANCE. A run changes nothing but the segments of its instance:

          head      CosyHead: time, sequence numbers, requests, free lists
          data      the model's own struct: constants that `--set` may change,
                    discrete variables, algebraic values of the last accepted
                    point, start values of iterations
          x         the state vector that is integrated now
          branch    one int32_t per hidden relation (per element, if it stands
                    in a loop): the side or the segment that is active
          copies    attributes of CONTINUOUS PROCESS instances, dense
          calendar  heap and fast lane (cosy/discrete.h)
          pools     transactions, event records, file entries
          tables    resources, files, streams, collectors, clocks, memories

      A segment holds plain values and indices, never a pointer, so a run can be
      copied, written to a file, read in another process and continued to the
      same bytes. Generated code reaches the segments through `Cosy`, which has
      the pointers and is not part of the instance. A pointer taken from `Cosy`
      is valid until the next call that may create something (schedule,
      generate, insert, create): take it again after that.

   3. STATES. x = [ fixed states | blocks of process 1 | of process 2 | ... ].
      Fixed states stand in order of declaration; a CONTINUOUS PROCESS p with m
      states and k active copies has k blocks of m after them, in order of their
      numbers, starting at c->copy[p].first. `branch` and the DELAYs have the
      same layout: those of the fixed part, then blocks of the active copies.
      The attributes of all copies are dense as well, the active ones first, then
      those that sleep (cosy/copies.h). What CREATE, SUSPEND, RESUME and DELETE
      change takes effect when the body they stand in has finished (and the
      TERMINAL sections of the copies that leave), so positions hold within one
      body.

   4. ENTRY POINTS, and when the kernel calls them:

          reset        once for a new instance: declared values into data
          initial      at the start of each run, after parameters and INITCOND
          derivatives  any time, any trial point: dx = f(t, x). Reads data and
                       branch, writes only dx and the iteration starts kept for
                       it. Branches do not change in here
          outputs      at accepted points: algebraic values into data, with a
                       check of every equation; returns the first that is bad
          conditions   at accepted and trial points: the list of conditions that
                       are active now, with value and time derivative. Order and
                       length change only at events
          relations    at events: for every hidden relation, the side on which
                       the present point lies
          delays       at accepted points and on the dense output of accepted
                       steps: what goes into every DELAY, and for how long
          constraints  at the start, after events and after each step
          start        at trial points of the start
          jacobian, pattern, mass, tangent, linear, residual
                       see their fields
          state_event, time_event, sample, resume
                       the bodies of section DISCRETE
          discrete     in place of resume and time_event, where the calendar is
                       all there is: the loop over it
          until        when something has happened: whether a WAIT UNTIL is over
          generator    at the start of each run: parameters of a random stream
          choose       at accepted points: may pick another set of states
          communicate  once per communication interval
          shown        for rows that are not communication points
          column       for rows: an expression that OUTPUT shows
          terminal     at the end of each run
          experiment   once; calls host->simulate

      Event bodies see outputs of the present point. After each of them the
      kernel brings branches, algebraic values and conditions up to date, and
      starts the integrator afresh.

   5. STATUS. Each entry point returns CosyStatus: 0, or COSY_FAIL(reason, k)
      with the number of the equation (line of a body: the event's number) that
      failed. In a trial step the kernel answers a failure with a smaller step;
      at an accepted point the run ends with a message that names equation, line
      and time.

   6. THREADS. No entry point touches anything but its arguments: any number of
      instances may run at once on one CosyModel.

   7. VERSION. `version`, `precision` and `real_size` come first and never move;
      a kernel refuses a model whose three numbers are not its own. */

#include "cosy/real.h"

#define COSY_VERSION 18
#define COSY_NONE    UINT32_MAX

typedef struct Cosy Cosy;
typedef struct CosyHost CosyHost;
typedef struct CosyModel CosyModel;

/* ---- Status ------------------------------------------------------------- */

typedef int32_t CosyStatus;

typedef enum CosyReason {
    COSY_OK = 0,
    COSY_NUMBER,    // not finite, or outside the domain of a function
    COSY_NEWTON,    // an algebraic loop did not converge
    COSY_SINGULAR,  // a linear system has no unique solution
    COSY_NO_MEMORY, // a pool could not grow
    COSY_REFUSED,   // a mistake of the model; host->message has told which
    COSY_SELECTOR,  // CASE selector outside its labels
    COSY_INDEX,     // index outside the bounds of its array
    COSY_OVERFLOW,  // an INTEGER would be too large
    COSY_FRACTION,  // a priority read as INTEGER is not whole
    COSY_BUG,       // the kernel contradicts itself
    COSY_STOPPED,   // host->turn: stopped from outside, in a loop of statements
    COSY_ABSENT     // `column`: it is that of a copy that is not there
} CosyReason;

#define COSY_FAIL(reason, k)                                                   \
    ((CosyStatus)((uint32_t)(reason) | (uint32_t)(k) << 8))
#define COSY_REASON(status) ((CosyReason)((uint32_t)(status)&255u))
#define COSY_WHERE(status)  ((uint32_t)(status) >> 8)

#define COSY_TRY(call)                                                         \
    do {                                                                       \
        CosyStatus cosy_status_ = (call);                                      \
        if (cosy_status_ != COSY_OK)                                           \
            return cosy_status_;                                               \
    } while (0)

/* ---- Description: variables and equations -------------------------------- */

typedef enum CosyKind {
    COSY_CONST,    // a CONST that does not shape the model
    COSY_REAL,     // REAL, INTEGER, BOOLEAN: change at events only
    COSY_STATE,    // integrated
    COSY_ALGEBR,   // by equation; in data after `outputs`
    COSY_LOGIC,    // boolean by equation
    COSY_DSTATE,   // by difference equation
    COSY_MEMORY,   // output of a memory function
    COSY_ATTRIBUTE // belongs to a copy of a CONTINUOUS PROCESS
} CosyKind;

typedef enum CosyType {
    COSY_TYPE_REAL,
    COSY_TYPE_INTEGER, // int64_t
    COSY_TYPE_BOOLEAN  // uint8_t, 0 or 1
} CosyType;

typedef enum CosyCausality {
    COSY_LOCAL,
    COSY_PARAMETER,
    COSY_INPUT,
    COSY_OUTPUT,
    COSY_CARRIED // a companion that nobody has asked for: not a result
} CosyCausality;

/* A variable lies at `place`: a state or attribute state at an index of x (of
   its block), all else at an offset in data (of its copy's attributes). An
   array is `rows` x `columns` elements, columns fastest; scalars are 1 x 1. */
typedef struct CosyVariable {
    const char *name;
    const char *unit;    // "" if none
    const char *comment; // what the modeller wrote after it, or ""
    CosyKind kind;
    CosyType type;
    CosyCausality causality;
    uint32_t place;
    uint32_t rows, columns;
    uint32_t process;    // CONTINUOUS PROCESS it belongs to, or COSY_NONE
    uint32_t derivative; // the variable it is d/dt of, or NONE
    real low, high;      // RANGE; low > high: no range
    uint32_t line;
    int32_t row_shift, column_shift; // index of the first element, less 1
} CosyVariable;

/* Rows of the table: a scalar in the model's struct T, a fixed state, an array
   of states, a state of a copy. */
#define COSY_ROW(name_, unit_, kind_, type_, place_, n, process_, line_)       \
    {                                                                          \
        .name = name_, .unit = unit_, .comment = "", .kind = kind_,            \
        .type = type_, .causality = COSY_LOCAL, .place = place_, .rows = n,    \
        .columns = 1, .process = process_, .derivative = COSY_NONE,            \
        .low = R(1.0), .high = R(0.0), .line = line_                           \
    }
#define COSY_DATA(T, member, kind, type, unit, line)                           \
    COSY_ROW(#member, unit, COSY_##kind, COSY_TYPE_##type,                     \
             offsetof(T, member), 1, COSY_NONE, line)
#define COSY_STATES(name, place, n, unit, line)                                \
    COSY_ROW(name, unit, COSY_STATE, COSY_TYPE_REAL, place, n, COSY_NONE, line)
#define COSY_COPIED(name_, unit_, kind_, type_, process_, place_, n, of_,      \
                    low_, high_, line_, shift_)                                \
    {                                                                          \
        .name = name_, .unit = unit_, .comment = "", .kind = COSY_##kind_,     \
        .type = COSY_TYPE_##type_, .causality = COSY_LOCAL, .place = place_,   \
        .rows = n, .columns = 1, .process = process_, .derivative = of_,       \
        .low = low_, .high = high_, .line = line_, .row_shift = shift_         \
    }
#define COSY_COPY_STATE(name, place, process, unit, line)                      \
    COSY_ROW(name, unit, COSY_STATE, COSY_TYPE_REAL, place, 1, process, line)

/* Equation k, for messages: what it computes, and its text. Statements of
   procedural code that may fail have a row here too, so that the place in a
   status means the same everywhere. */
typedef struct CosyEquation {
    uint32_t variable; // COSY_NONE for an implicit one
    uint32_t line;
    const char *text;
    bool statement; // belongs to a body, not to an equation
} CosyEquation;

#define COSY_NOWHERE 0xffffffu // place in a status that belongs to no row

/* ---- Description: conditions and relations -------------------------------- */

typedef enum CosyConditionKind {
    COSY_CONDIT, // CONDIT: fires state_event
    COSY_HIDDEN, // belongs to a relation: flips its branch
    COSY_RANGE,  // RANGE of a variable: rings
    COSY_WAIT,   // a relation in the WAIT UNTIL of a transaction: `until` says
                 // whether it goes on
    COSY_FINISH  // FINISH: the run ends at the first point where z > 0 (for an
                 // equality, without direction: where z is 0 or crosses it)
} CosyConditionKind;

typedef enum CosyScheme {
    COSY_CROSSES, // the kernel's choice; uses dz
    COSY_REGULA,
    COSY_IHERMITE,
    COSY_BISECT
} CosyScheme;

/* The constant part of a condition. `event` is the number passed to
   state_event; for a hidden condition the relation (its element
   CosyCondition.copy, if that is not COSY_NONE), for a range the variable, for
   a wait the relation's number in its WAIT. `activates` marks a condition
   inside a CASE or IF branch, which is examined when its branch is entered. */
typedef struct CosyConditionInfo {
    const char *name;
    CosyConditionKind kind;
    CosyScheme scheme;
    int direction; // +1 POS, -1 NEG, 0 both
    real tol;      // 0: to the last place of time
    uint32_t event;
    uint32_t process;  // its CONTINUOUS PROCESS (for a wait: DISCRETE), or
                       // COSY_NONE
    uint32_t elements; // in a copy: those of the loops it stands in there, so
                       // that CosyCondition.copy is position * elements +
                       // element; 0: 1
    bool activates;
    uint32_t line;
    int zero; // for a relation (hidden, or in a wait): the side that z = 0 is
              // on, +1 (a >= b) or -1 (a > b); 0: an equality. For a range: the
              // side that is inside
} CosyConditionInfo;

/* One active condition, as `conditions` reports it. */
typedef struct CosyCondition {
    uint32_t id;   // index of its CosyConditionInfo
    uint32_t copy; // position of the copy or number of the transaction, or NONE
    real z, dz;    // discontinuity function and its time derivative
    real tol;      // TOL; 0: as in its CosyConditionInfo
    real priority; // for a CONDIT: decides the order of events at one instant
} CosyCondition;

/* A hidden relation. Its places in branch are first .. first + count - 1, one
   per element of the loop it stands in. A place holds 0 or 1, the value of the
   relation; for INT, QNTZR and table functions it holds the integer part or
   segment. */
typedef struct CosyRelation {
    const char *text;
    uint32_t line;
    uint32_t first, count;
    uint32_t process; // CONTINUOUS PROCESS + 1: `first` counts within the block
                      // of a copy; 0: none
} CosyRelation;

/* ---- Description: discrete part ------------------------------------------ */

typedef struct CosyEventInfo {
    const char *name;
    uint32_t line;
    uint32_t process; // CONTINUOUS PROCESS + 1, 0: none. The record of a time
                      // event begins with the number of the copy, an int64_t:
                      // without that copy nothing happens
} CosyEventInfo;

/* A clock of SAMPLES: it ticks at offset + k period. Both are fractions with one
   denominator, parts 10^places, so that the k-th instant is exact before it is
   rounded once, and clocks of 1/200 and 1/60 meet. */
typedef struct CosyClockInfo {
    const char *name;
    int64_t period, offset;
    int64_t parts; // at least 1, at most 2^53
    int32_t places;
    uint32_t line;
} CosyClockInfo;

/* A DISCRETE PROCESS. Its resumption points are the numbers that `resume`
   leaves in the transaction; lines[] has the source line of each, rows[] the
   equation that holds its statement. */
typedef struct CosyProcessInfo {
    const char *name;
    uint32_t points;
    const uint32_t *lines;
    const uint32_t *rows; // COSY_NOWHERE: none; NULL: not known
    uint32_t capacity;    // capacity of its file; 0: no limit
    uint32_t line;
    bool server; // its transactions may wait for ever
} CosyProcessInfo;

/* A WAIT UNTIL statement. Its transactions wait in one list, or in one for each
   element of an array whose index is their own, after one for all others. */
typedef struct CosyWaitInfo {
    uint32_t first, lists; // among c->until
    bool always;           // it is asked after every event
    bool alike;            // its condition is the same for all in a list
} CosyWaitInfo;

/* A CONTINUOUS PROCESS. Attributes lie in a struct of `size` bytes that begins
   with a CosyCopy. */
typedef struct CosyCopyInfo {
    const char *name;
    uint32_t states;     // of one copy; places of its variables count from 0
    uint32_t branches;   // places in branch
    uint32_t delays;     // memories of kind COSY_DELAY
    uint32_t size;       // bytes of attributes
    uint32_t bed;        // offset in them of `states` reals: the states while
                         // they are not in x
    uint32_t work;       // bytes of scratch for each active copy, dense at
                         // c->copy_work[p]; no value survives a call
    uint32_t conditions; // most that can be active in one copy
    uint32_t capacity;   // capacity of its file, less the entry of the process
                         // itself; 0: it grows
    uint32_t line;
} CosyCopyInfo;

typedef enum CosyResourceKind {
    COSY_FACILITY,
    COSY_STORAGE,
    COSY_GATE,
    COSY_SIGNAL,
    COSY_JOINT, // that of a JOIN: members of families wait in it
    COSY_POOL   // the common queue of facilities that SEIZE ANY takes
} CosyResourceKind;

#define COSY_UNLIMITED INT64_MAX // capacity of a STORAGE that has none

typedef struct CosyResourceInfo {
    const char *name;
    CosyResourceKind kind;
    /* 1 for a facility; for a gate at the start, 0: closed, 1: open. */
    int64_t capacity;
    uint32_t line;
    uint32_t pool;           // facility with a common queue: 1 + number of that
    uint32_t first, members; // common queue: its facilities
    uint32_t stream;         // the same: BY RANDOM draws from it
    bool resized;            // storage: CAPACITY(s) := n stands in the program
} CosyResourceInfo;

typedef enum CosyRank { COSY_FIFO, COSY_LIFO, COSY_LVF, COSY_HVF } CosyRank;

typedef struct CosyFileInfo {
    const char *name;
    CosyRank rank;
    uint32_t capacity; // 0: grows
    uint32_t line;
} CosyFileInfo;

typedef enum CosyDistribution {
    COSY_EXPOND,         // a = mean
    COSY_UNIFORMD,       // a = low, b = high
    COSY_NORMALD,        // a = mean, b = standard deviation
    COSY_LOGNORMD,       // the logarithm has: a = mean, b = standard deviation
    COSY_GAMMAD,         // a = scale, b = shape
    COSY_ERLANGD,        // a = mean, b = stages
    COSY_BETAD,          // a, b
    COSY_WEIBULLD,       // a = scale, b = shape
    COSY_TRIANGD,        // a = low, b = mode, c = high
    COSY_POISSOND,       // a = mean
    COSY_BINOMD,         // a = trials, b = chance
    COSY_GEOMD,          // a = chance
    COSY_EMPIRIC,        // table
    COSY_NO_DISTRIBUTION // none was specified: a draw is refused
} CosyDistribution;

/* A RANDOM variable (or one element of it), with the distribution it draws from
   unless an item of RANDOMGEN specifies another. */
typedef struct CosyStreamInfo {
    const char *name;
    CosyDistribution distribution;
    double a, b, c;
    uint64_t seed;
    const double *value, *weight; // EMPIRIC
    uint32_t values;
    uint32_t line;
} CosyStreamInfo;

/* An item of RANDOMGEN for the streams first .. first + count - 1; `generator`
   finds its parameters. Streams with equal seeds are distinguished by their
   numbers. */
typedef struct CosyGenerator {
    uint32_t first, count;
    CosyDistribution distribution;
    uint64_t seed;
    bool antithetic; // every second replication mirrors the previous one
    bool common;     // the same numbers for all elements of the lists
    const double *value, *weight; // EMPIRIC; weight NULL: all weights equal
    uint32_t values;
    uint32_t line;
} CosyGenerator;

typedef struct CosyHistogramInfo {
    const char *name;
    uint32_t cells;    // between the two open end cells; 0: derived from the
                       // data
    real first, width; // upper limit of the first cell (FUPLIM), cell width
    uint32_t line;
} CosyHistogramInfo;

typedef struct CosyNamed { // COLLECT and TIMEPERS
    const char *name;
    real start; // TIMEPERS: value at the start of the run
    uint32_t line;
} CosyNamed;

/* ---- Description: memories, blocks, choices ------------------------------- */

/* EXTERNAL FUNCTION: the loader finds it and stores its address where
   c->external points. */
typedef struct CosyExternal {
    const char *name;
    const char *library;
    uint32_t line;
} CosyExternal;

typedef enum CosyShowKind {
    COSY_LIST,
    COSY_PLOT,
    COSY_GRAPH,
    COSY_OVERPLOT,
    COSY_BARS,
    COSY_SHADE, // from here on arrays over their index
    COSY_CONTOUR,
    COSY_SURFACE,
    COSY_PROFILES,  // GRAPH U AT TIME
    COSY_TABULATED, // LIST U AT TIME
    COSY_PRINTED,   // PLOT U AT TIME
    COSY_SHADED,    // PLOT SHADE U
    COSY_SPECTRUM,  // from here on operations on data
    COSY_AUTOCORR,
    COSY_CROSSCORR,
    COSY_COMPARE
} CosyShowKind;

enum { COSY_TIMEF = 0, COSY_CROSSF = -1, COSY_ALL = -2, COSY_MEAN = -3 };

/* A line of OUTPUT: variables, each with an element (COSY_NONE: all
   elements). */
typedef struct CosyShow {
    CosyShowKind kind;
    int32_t run;        // COSY_TIMEF, CROSSF, ALL, MEAN, or n of the saved runs
    const char *title;  // TITLE in force, or ""
    uint32_t versus;    // variable, or COSY_NONE: time
    uint32_t versus_at; // its element
    uint32_t along;     // the second variable of VERSUS, or COSY_NONE
    uint32_t along_at;
    uint32_t n;
    const uint32_t *variable, *element;
    real xfak, yfak; // FACTOR; 0: 1
    bool logx, logy;
    uint32_t line;
    bool hann, density; // SPECTRUM
    real lag;           // AUTOCORR, CROSSCORR; 0: none is given
    int32_t other;      // COMPARE: n of the second run; 0: with data
    uint32_t points;    // COMPARE: of the data
    const real *data;   // times, then a column for each variable
    uint32_t n_times;   // arrays over their index: AT TIME; 0: as a whole
    const real *times;
    bool view; // SURFACE VIEW, in degrees
    real azimuth, elevation;
} CosyShow;

typedef enum CosyMemoryKind {
    COSY_DELAY,      // DELAY, PIPE: history over accepted steps
    COSY_HOLD,       // ZHOLD: one value
    COSY_HYSTERESIS, // HSTRS: one value and a side
    COSY_DERIVATOR   // DERIV: last value and time
} CosyMemoryKind;

typedef struct CosyMemoryInfo {
    const char *name;
    CosyMemoryKind kind;
    uint32_t variable; // its input
    bool varies;       // the delay may change during a run
    uint32_t line;
    uint32_t process; // CONTINUOUS PROCESS + 1 (rows of these stand last, in
                      // order of their processes); 0: none
} CosyMemoryInfo;

/* A system of equations that remained implicit: n unknowns u with residual r(u)
   = 0 at the given t, x. Its start values are data (at `start`, n reals), so
   they are part of the instance; the solution is left there too when the point
   is accepted. With jacobian = NULL, differences are used. `linear`: r is
   affine in u, so that one Newton step is exact.

   Without a pattern the Jacobian is full. With one it is a list of entries, as
   that of CosyModel: `pattern` gives row and column of each, in an order of the
   model's own (row = NULL: only *count is wanted), and `jacobian` their values
   in the same order. A place may occur more than once: its values add up. A
   pattern does not change during a run. */
typedef struct CosyBlock {
    uint32_t n;
    bool linear;
    uint32_t start;    // offset in data
    uint32_t equation; // first of its equations, for messages
    uint32_t most;     // iterations; 0: the kernel's limit
    const real *tol;   // absolute, for each unknown (TOLERANCE); NULL: the
                       // kernel's
    /* `point` is what the caller of host->solve passed: values of the equations
       before the block. */
    CosyStatus (*residual)(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *r);
    /* dr/du: n x n row by row, or one value for each entry of the pattern. */
    CosyStatus (*jacobian)(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *j);
    CosyStatus (*pattern)(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count); // NULL: full
    bool modal; // rows are chosen by branches: singular but consistent is kept,
                // with a note
} CosyBlock;

/* States among which the choice may change during a run (dummy derivatives):
   there are `chosen` places in x, occupied by as many of the `candidates`;
   `choose` changes which. `now` is the offset in data of `chosen` values
   int64_t: the candidate at each place. */
typedef struct CosyChoice {
    uint32_t candidates, chosen;
    const uint32_t *variable; // the candidates
    const uint32_t *place;    // in x
    uint32_t now;
} CosyChoice;

/* A constraint that the states keep: its rows are first .. first + count - 1 of
   what `constraints` computes, one for each element of the loops it stands in. */
typedef struct CosyConstraint {
    uint32_t first, count;
    uint32_t equation; // row of `equations`, for messages: "derivative of ..."
    uint32_t order;    // how often the modeller's equation was differentiated
    uint32_t sets;     // boundary of a FIELD: its row k sets x[sets - 1 + k *
    uint32_t stride;   // stride] where an event leaves something else; 0: none
} CosyConstraint;

/* A coordinate of FIELDs: where its points are is in the elements of a variable. */
typedef struct CosyAxis {
    const char *name, *unit;
    uint32_t variable; // row of `variables`: REAL array, in data
    uint32_t points;
    bool periodic; // the point after the last is the first
    uint32_t line;
} CosyAxis;

typedef struct CosyField {
    uint32_t variable; // row: points of the first axis x those of the second
    uint32_t axes, axis[2];
    const char *scheme; // "CENTRAL 3"
    uint32_t order; // in which its error should fall with the grid; 0: faster
                    // than with any (CHEBYSHEV)
    uint32_t line;
    real tolerance; // GRID AUTO TOL = tolerance; 0: the grid is given
    uint32_t
        most; // points of a coordinate, with GRID AUTO ... MAX; 0: not given
    bool unjudged; // GRIDCHECK OFF, or one that names other fields
} CosyField;

/* INITCOND (a = b): a condition on the start of a run. */
typedef struct CosyStart {
    uint32_t equation; // row of `equations`, for messages
    uint32_t line;
} CosyStart;

/* An element of a variable that LINEARIZE names, counted from 0. */
typedef struct CosyPlace {
    uint32_t variable, element;
} CosyPlace;

/* A LINEARIZE: numbers in `linear_inputs` and `linear_outputs`. */
typedef struct CosyLinear {
    uint32_t inputs, outputs;
    const uint32_t *input, *output;
    uint32_t line;
} CosyLinear;

/* ---- Instance ------------------------------------------------------------ */

/* The copies of a CONTINUOUS PROCESS. */
typedef struct CosyCopies {
    uint32_t active;  // positions 0 .. active - 1: in x, in order of numbers
    uint32_t settled; // active .. settled - 1 sleep, in order of numbers
    uint32_t count;   // settled .. count - 1 were created by the present body,
                      // and will be active when it has finished
    uint32_t first;   // place in x of the first block
    uint32_t branch;  // place in c->branch of the first block
    uint32_t delay;   // number of the first DELAY
    uint32_t created; // highest number so far: numbers are never used again
    uint32_t most;    // largest count so far
    uint32_t kept;    // how many there were at CLEAR
    uint32_t low, high; // the present body has set marks only on copies from
                        // position low to high - 1; both 0: on none
    uint32_t nested;    // INITIAL sections that have begun, one in the other
    uint64_t entries;   // created since CLEAR
    real since, area;   // time integral of `count`
    real stay_sum, stay_max; // time since CREATE (or CLEAR) of those that left
    uint64_t left;           // how many that were
} CosyCopies;

/* Standard part of every copy's attributes: their struct begins with it. */
typedef struct CosyCopy {
    uint32_t number;  // from 1
    uint8_t leaving;  // DELETEd in this event body
    uint8_t sleeping; // SUSPENDed, perhaps in this event body
    uint8_t fresh;    // its algebraic values have not been computed yet
    uint8_t ended;    // its TERMINAL section is over: it leaves
    real born;        // time of CREATE
} CosyCopy;

typedef enum CosyRequest {
    COSY_GO_ON,
    COSY_FINISH_RUN, // FINISH: after the present body
    COSY_STOP_ALL    // ERROREXIT
} CosyRequest;

#include "cosy/discrete.h"

struct Cosy {
    const CosyModel *model;
    const CosyHost *host;
    void *run; // the kernel's; not for generated code

    CosyHead *head;
    void *data;
    real *x;
    int32_t *branch;
    void *work;  // work_size bytes of scratch: no value survives a call
    real *rates; // the same: as many reals as x has
    void (*const *external)(void); // addresses of the `externals`
    const unsigned char
        *lost; // for each of `senses`: has no value now; or NULL
    CosyCopies *copy;
    unsigned char **attributes; // per CONTINUOUS PROCESS, dense
    unsigned char **copy_work;  // the same for its scratch, active copies only

    CosyPending *heap; // calendar
    uint32_t heap_room;
    CosyPending *lane;
    uint32_t lane_room; // a power of two
    unsigned char *transactions;
    uint32_t transaction_room;
    unsigned char *records; // records of scheduled events and file entries
    uint32_t record_room;
    CosyStay *stay;
    uint32_t stay_room;
    CosyKin *kin;      // families in JOINs
    uint32_t kin_room; // a power of two
    CosyUntil *until;  // lists of the WAIT UNTILs
    /* From 1: transactions in WAIT UNTIL that are to be asked (cosy/until.h). */
    uint32_t *asked;
    uint32_t asked_room;
    /* Where transaction number n may be: [n & the mask]; NULL: nobody has asked
       so far. */
    uint32_t *numbered;
    uint32_t numbered_mask;

    CosyResource *resource;
    CosyFile *file;
    CosyPopulation *population; // one for each DISCRETE PROCESS
    CosyStream *stream;
    CosyCollect *collect;
    CosyTimepers *timepers;
    CosyHistogram *histogram;
    int64_t *clock; // ticks of each clock so far
    real *memory;   // four reals per memory; histories are the kernel's
    uint32_t turns; // turns of loops, roughly: see cosy_turns_begin
};

/* ---- Services of the host ------------------------------------------------- */

typedef enum CosyTask {
    COSY_SIMULATE,
    COSY_STEADYSTATE, // `from` is the time if nothing has run in this frame
    COSY_LINEARIZE    // the same
} CosyTask;

/* A SIMULATE statement, or one that looks at a point, with what stands before it
   in its frame. A field that is 0 has not been specified. */
typedef struct CosySimulate {
    real from, to;
    bool to_finish;
    real comint;         // 0: 500 intervals, or every step TO FINISH
    uint32_t log_points; // COMINT = LOG n
    const char *method;  // NULL: the kernel's choice
    real relerr, abserr, dtmin, dtmax, step;
    int64_t replicate;       // REPLICATE n, or MAX of WITHIN
    bool replicates;         // REPLICATE is given
    bool is_within;          // REPLICATE WITHIN within OF `of`
    real within;             // half width of the interval
    uint32_t of, of_at;      // variable and its element
    bool antithetic, common; // for all streams: see CosyGenerator
    bool has_base;           // BASE: alternative that others are compared with
    int64_t base;            // its number, from 1
    bool is_best, highest;   // REPLICATE BEST MIN or MAX OF `of` DELTA delta
    real delta;
    bool has_confidence; // CONFIDENCE confidence
    real confidence;
    bool has_first; // FIRST first
    int64_t first;
    bool clears; // CLEAR AT clear_at
    real clear_at;
    bool warms;                // CLEAR AUTO OF `warm_of`
    uint32_t warm_of, warm_at; // variable and its element
    uint32_t frame;
    bool features; // FEATURES, with this relative accuracy of the data; 0: not
                   // specified
    real accuracy;
    uint32_t line; // line of SIMULATE; 0: not known
    CosyTask task;
    real tol;             // of STEADYSTATE
    uint32_t linear;      // which of `linears` LINEARIZE is, from 1
    uint32_t along;       // the same for LINEARIZE EVERY; 0: there is none
    real along_every;     // its interval
    bool reduces;         // LINEARIZE REDUCE
    int64_t reduce_to;    // so many states; -1: not given, -2: less than 0
    real reduce_accuracy; // 0: not given, -1: not positive
} CosySimulate;

typedef enum CosySearchKind {
    COSY_MINIMIZE,
    COSY_MAXIMIZE,
    COSY_SOLVE,
    COSY_FIT
} CosySearchKind;

typedef enum CosySense {
    COSY_SENSE_VALUE, // of MINIMIZE and MAXIMIZE
    COSY_SENSE_ZERO,  // a difference that is to be 0
    COSY_SENSE_BELOW  // at most 0
} CosySense;

typedef struct CosyWanted {   // a parameter of a search
    uint32_t variable, index; // index COSY_NONE: a scalar
    real start, low, high;    // infinite: no bound
    bool log;                 // its logarithm is searched
} CosyWanted;

/* What a FIT compares with a column of its data. The number may be that of a column of
   OUTPUT, whose value is computed when it is wanted. */
typedef struct CosyItemOf {
    uint32_t variable, element; // element COSY_NONE: a scalar
    const char *column;         // of the file
} CosyItemOf;

typedef struct CosyObserved {
    CosyItemOf item;
    CosyItemOf noise; // its standard deviation; variable COSY_NONE: no NOISE
    bool log;         // logarithms are compared
    bool known;       // the shares are the standard deviations
    const char *text, *unit;
} CosyObserved;

/* Rows of a file. Each has 1 + keys + 2 observed numbers: the time, the values that the
   keys have in the runs it belongs to, then value (NaN: none) and share of each that is
   observed. The standard deviation of a value is its share times that of its NOISE; if
   there is none and the shares are not the standard deviations, times a factor that is
   estimated. */
typedef struct CosyData {
    const char *file;
    uint32_t line; // of the program
    uint32_t run;  // the runs of the body are counted from 1; 0: any
    uint32_t keys, observed, rows;
    const CosyItemOf *key;
    const CosyObserved *observe;
    const real *number;
    const uint32_t *row_line; // in the file
} CosyData;

typedef struct CosyPrior {
    real mean,
        sd; // sd = 0: there is none; of the logarithm if that is searched
} CosyPrior;

typedef struct CosyFit {
    uint32_t n_data;
    const CosyData *data;
    const CosyPrior *prior; // of each parameter
    int64_t starts;         // 0: not given
    bool profile;
} CosyFit;

/* MINIMIZE, MAXIMIZE, SOLVE or FIT. `body` carries out its statements with the present
   values of the parameters, and leaves its results; with `slopes` their derivatives,
   too: slope[r * n + k] is that of result r by parameter k. */
typedef struct CosySearch {
    CosySearchKind kind;
    bool global;
    const char *method; // NULL: the host's choice
    uint32_t n;
    const CosyWanted *parameter;
    uint32_t results;
    const CosySense *sense;
    const uint32_t *row; // equation that holds the text of each result
    real tol;            // 0: not given
    int64_t most;        // the same: the most trials
    bool slopes;         // derivatives of the results are carried along
    uint32_t frame, line;
    CosyStatus (*body)(Cosy *c, const CosySimulate *settings, real *result,
                       real *slope);
    const CosySimulate *settings;
    const CosyFit *fit; // of a FIT, which has no results
} CosySearch;

/* What the EXPERIMENT can ask of the last SIMULATE. */
typedef enum CosyFound { COSY_FOUND_MEAN, COSY_FOUND_SDEV } CosyFound;

/* UNCERTAIN: a parameter with its distribution, as in CosyGenerator. */
typedef struct CosyUncertain {
    uint32_t variable, index; // index COSY_NONE: a scalar
    CosyDistribution distribution;
    double parameter[3];
    const double *value, *weight; // EMPIRIC; weight NULL: all weights equal
    uint32_t values;
    uint32_t line;
} CosyUncertain;

typedef enum CosySampling {
    COSY_SAMPLING_SOBOL, // scrambled
    COSY_SAMPLING_LATIN,
    COSY_SAMPLING_PLAIN // independent points
} CosySampling;

typedef struct CosySample {
    int64_t points;
    CosySampling kind;
    bool indices; // Sobol' indices are wanted
    int64_t seed; // 0: not given
    uint32_t n;
    const CosyUncertain *item;
    uint32_t frame, line;
} CosySample;

/* COSY_NOTE_NOW: a note that is of use only while the run is under way. */
typedef enum CosySeverity {
    COSY_NOTE,
    COSY_WARNING,
    COSY_ERROR,
    COSY_NOTE_NOW
} CosySeverity;

/* What WRITE and FORMAT print. */
typedef struct CosyItem {
    enum {
        COSY_ITEM_REAL,
        COSY_ITEM_INTEGER,
        COSY_ITEM_BOOLEAN,
        COSY_ITEM_TEXT
    } type;
    real r;
    int64_t i; // INTEGER, BOOLEAN
    const char *text;
    int32_t width, decimals; // X:width:decimals; -1: not given
} CosyItem;

typedef enum CosyList {
    COSY_LIST_PARAMETER,
    COSY_LIST_INITCOND,
    COSY_LIST_SWEEP, // advances independently of the others: all combinations
    COSY_LIST_GUESS  // like INITCOND, but only where the search for it begins
} CosyList;

typedef enum CosyStatistic {
    COSY_STATISTIC_COLLECT,
    COSY_STATISTIC_TIMEPERS,
    COSY_STATISTIC_HISTOGRAM
} CosyStatistic;

struct CosyHost {
    /* Makes room in a pool (one of CosySegment) for one more. */
    CosyStatus (*grow)(Cosy *c, CosySegment segment);
    /* Fills the batch of a stream anew. */
    CosyStatus (*refill)(Cosy *c, uint32_t stream);
    /* Takes the nth pending occurrence (from 1) of an event off the calendar;
       copy: of an event of copies, the number of the one, else 0. */
    CosyStatus (*cancel)(Cosy *c, uint32_t event, int64_t copy, uint32_t nth);
    /* Reports what the model must not do; returns COSY_REFUSED. */
    CosyStatus (*refuse)(Cosy *c, CosyRefusal what, uint32_t which,
                         uint32_t who, real value);
    /* CREATE proc[n]: n = 0 takes the next number, any other is refused unless
       it is higher than all so far. *position is where the copy is; its
       attributes are zeros, its states lie in its bed. */
    CosyStatus (*create)(Cosy *c, uint32_t process, uint32_t n,
                         uint32_t *position);
    /* Solves a block; u starts from its kept values and holds the solution. */
    CosyStatus (*solve)(Cosy *c, const CosyBlock *b, real t, const real *x,
                        const void *point, real *u);
    /* Value of a delayed input at time t, and its time derivative there. The
       delay is counted among the memories of kind COSY_DELAY, as in `delays`.
       Before the start of the run the input has its value at the start. For a
       time that has not come yet the answer is COSY_NUMBER. */
    CosyStatus (*delayed)(Cosy *c, uint32_t delay, real t, real *value);
    CosyStatus (*delayed_rate)(Cosy *c, uint32_t delay, real t, real *rate);
    /* Standard output of the model (WRITE), and messages about it. */
    void (*write)(Cosy *c, const char *text, size_t length);
    void (*message)(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text);
    /* WRITE, WRITELN (`end`: the line ends), and WRITE with a FORMAT, which is
       passed as written, including its parentheses. */
    CosyStatus (*print)(Cosy *c, const CosyItem *item, uint32_t n, bool end);
    CosyStatus (*format)(Cosy *c, const char *format, const CosyItem *item,
                         uint32_t n);
    /* SAVE keeps this run's records for OUTPUT. CROSSPLOT adds one point of the
       STOREd variables to the cross file. */
    CosyStatus (*save)(Cosy *c);
    CosyStatus (*crossplot)(Cosy *c);
    /* Value of a CONST: `value`, unless the command line sets another. */
    real (*constant)(Cosy *c, uint32_t variable, real value);
    /* Whether FRAME number n (from 1) is to be carried out; 0: the frame ends.
       Either way the lists of the previous frame are dropped, and the variables
       get back the values that they had before it. */
    bool (*frame)(Cosy *c, uint32_t number);
    /* Begins the list of a PARAMETER or INITCOND (element [index] of an array,
       or all of it if index is COSY_NONE), replacing an earlier one of this
       frame. Its elements follow in order: value * count % increment. */
    CosyStatus (*list)(Cosy *c, CosyList which, uint32_t variable,
                       uint32_t index);
    CosyStatus (*element)(Cosy *c, real value, int64_t count, real increment);
    /* Condition k of `starts` applies from here to the end of the frame. */
    CosyStatus (*condition)(Cosy *c, uint32_t k);
    /* The elements of a SWEEP: `points` values from a to b, equally spaced or
       with equal ratios. */
    CosyStatus (*span)(Cosy *c, real a, real b, int64_t points, bool log);
    /* Item g of RANDOMGEN applies from here to the end of the frame. */
    CosyStatus (*randomgen)(Cosy *c, uint32_t g);
    /* Statistics first .. first + count - 1 of a kind are kept from here to the
       end of the frame; count 0, at its beginning: none yet. A model that never
       asks keeps all of them. COLLECT: a is 1 for QUANTILES. TIMEPERS: a is the value at the start. HISTOGRAM:
       cells, FUPLIM and WIDTH; NaN: derived from the data. */
    CosyStatus (*observe)(Cosy *c, CosyStatistic kind, uint32_t first,
                          uint32_t count, real a, real b, real w);
    /* COLLECT number k, which is followed, has observed a value. */
    CosyStatus (*collected)(Cosy *c, uint32_t k, real value);
    /* Finds the place in the pool of the transaction with that number in that
       process (COSY_NONE: any); refused if there is none. */
    CosyStatus (*transaction)(Cosy *c, uint32_t process, int64_t number,
                              uint32_t *id);
    /* --trace, from code compiled with COSY_TRACE: the statement of that row has
       been carried out (or waits, or was refused). */
    void (*trace)(Cosy *c, uint32_t row, uint32_t transaction,
                  CosyStatus status);
    /* Asked now and then by loops of statements, which may never end: anything
       but COSY_OK ends the body with it. */
    CosyStatus (*turn)(Cosy *c);
    /* Carries out a SIMULATE, STEADYSTATE or LINEARIZE with the lists of its
       frame; afterwards the instance holds the values of the last run.
       LINEARIZE changes nothing. */
    CosyStatus (*simulate)(Cosy *c, const CosySimulate *s);
    /* Carries out the body of a search, on this instance and on others, until the
       parameters are found; last of all once on this one, with their values. */
    CosyStatus (*search)(Cosy *c, const CosySearch *s);
    /* What the last SIMULATE has found of element `at` of a variable, of those in
       `asked`. */
    CosyStatus (*found)(Cosy *c, CosyFound what, uint32_t variable, uint32_t at,
                        real *value);
    /* The lists of these parameters are points drawn from their distributions, from
       here to the end of the frame. */
    CosyStatus (*uncertain)(Cosy *c, const CosySample *s);
};

/* ---- The model ------------------------------------------------------------ */

/* A number by which derivatives are carried along. `tau` is the place in data of the
   derivative of TIME by it, which is not 0 only while bodies are carried out at an
   instant whose time depends on it; COSY_NONE: there is no such instant. */
typedef struct CosyGradient {
    const char *name; // "P", "P[2]"
    uint32_t variable, element;
    uint32_t tau;
    bool
        followed; // what has no companion does not depend on it; false: the program
                  // has something without derivatives
    bool silent; // only searches use them: nobody is told where they end
} CosyGradient;

/* `count` values at `place` are derivatives by a CosyGradient of those at `of`: both are
   places in x (COSY_STATE; of a copy of `process`, in its block) or, for all other
   kinds, in data (in its attributes). */
typedef struct CosyCompanion {
    uint32_t sense;
    CosyKind kind;
    uint32_t process; // or COSY_NONE
    uint32_t of, place, count;
    uint32_t variable; // row of what it is the derivative of, or COSY_NONE
} CosyCompanion;

typedef enum CosyMass {
    COSY_MASS_IDENTITY,
    COSY_MASS_CONSTANT // between events
} CosyMass;

struct CosyModel {
    uint32_t version;   // COSY_VERSION
    uint32_t precision; // COSY_PRECISION
    uint32_t real_size; // sizeof(real)

    const char *name;      // PROGRAM
    const char *source;    // file that the lines refer to
    const char *hash;      // SHA-256 of the text in hexadecimal; "": none
    const char *time_unit; // unit of TIME; NULL or "": none
    uint64_t project;      // number of PROJECT
    const char *author;    // of PROJECT; NULL: there is none

    uint32_t data_size;        // bytes of the model's own struct
    uint32_t work_size;        // bytes at c->work
    uint32_t branches;         // places in branch, of the fixed part
    uint32_t conditions_most;  // conditions of the fixed part that can be
                               // active at once; 0: as many as conditions_info
                               // has rows
    uint32_t states;           // fixed ones
    uint32_t transaction_size; // COSY_TRANSACTION_SIZE, see cosy/inline.h
    uint32_t record_size;      // largest event record or file entry
    uint32_t waits_most;       // most relations in one WAIT UNTIL
    uint32_t until_lists;      // of all WAIT UNTIL together

/* A table: the count, then the rows. */
#define COSY_TABLE(T, name)                                                    \
    uint32_t n_##name;                                                         \
    const T *name
    COSY_TABLE(CosyVariable, variables);
    COSY_TABLE(CosyEquation, equations);
    COSY_TABLE(CosyConditionInfo, conditions_info);
    COSY_TABLE(CosyRelation, relations_info);
    COSY_TABLE(CosyEventInfo, state_events);
    COSY_TABLE(CosyEventInfo, time_events);
    COSY_TABLE(CosyClockInfo, clocks);
    COSY_TABLE(CosyProcessInfo, processes);
    COSY_TABLE(CosyWaitInfo, waits);
    COSY_TABLE(CosyCopyInfo, copies);
    COSY_TABLE(CosyResourceInfo, resources);
    COSY_TABLE(CosyFileInfo, files);
    COSY_TABLE(CosyStreamInfo, streams);
    COSY_TABLE(CosyGenerator, generators);
    COSY_TABLE(CosyNamed, collects);
    COSY_TABLE(CosyNamed, timepers);
    COSY_TABLE(CosyHistogramInfo, histograms);
    COSY_TABLE(CosyMemoryInfo, memories);
    COSY_TABLE(CosyBlock, blocks);
    COSY_TABLE(CosyChoice, choices);
    COSY_TABLE(CosyConstraint, constraints_info);
    COSY_TABLE(CosyStart, starts);
    COSY_TABLE(uint32_t, initial_states); // STATEs that INITIAL assigns
    COSY_TABLE(CosyExternal, externals);
    COSY_TABLE(CosyShow, shows);
    COSY_TABLE(uint32_t, stored);     // variables of STORE and OUTPUT
    COSY_TABLE(uint32_t, asked);      // variables of MEAN and SDEV
    COSY_TABLE(uint32_t, parameters); // variables that `tangent` knows
    COSY_TABLE(CosyLinear, linears);
    COSY_TABLE(CosyPlace, linear_inputs); // those that `linear` knows
    COSY_TABLE(CosyPlace, linear_outputs);
    COSY_TABLE(CosyAxis, axes);
    COSY_TABLE(CosyField, fields);
    COSY_TABLE(CosyGradient, senses);
    COSY_TABLE(CosyCompanion, companions); // ordered by sense
#undef COSY_TABLE
    /* Rows of `variables` after those that n_variables counts are columns:
       expressions of OUTPUT, which have values in rows alone. A number in
       `stored` or `shows` may be that of a column. */
    uint32_t n_crossed; // entries of `stored` with those that only the cross
                        // file has, which stand last; 0: it has none besides
    bool columns_call;  // `column` may assign other variables
    bool reruns;        // RERUN stands in the program
    uint32_t n_state_equations;     // = states, or 0 if not given
    const uint32_t *state_equation; // equation of each fixed state
    const real *nominal;            // size of each fixed state, or NULL

    CosyStatus (*reset)(Cosy *c);
    CosyStatus (*initial)(Cosy *c);
    CosyStatus (*derivatives)(Cosy *c, real t, const real *x, real *dx);
    CosyStatus (*outputs)(Cosy *c, real t, const real *x);
    /* dx belongs to t, x. Writes *count conditions. */
    CosyStatus (*conditions)(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count);
    CosyStatus (*relations)(Cosy *c, real t, const real *x, int32_t *wanted);
    /* For every DELAY: input u and delay tau at the point. */
    CosyStatus (*delays)(Cosy *c, real t, const real *x, real *u, real *tau);
    /* copy: position of the copy whose event it is, or COSY_NONE; element: that
       of an array of events, from 0. */
    CosyStatus (*state_event)(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element);
    CosyStatus (*time_event)(Cosy *c, uint32_t event, uint32_t record);
    CosyStatus (*sample)(Cosy *c, uint32_t clock);
    /* Carries a transaction on from its resumption point to the next. */
    CosyStatus (*resume)(Cosy *c, uint32_t transaction);
    /* In place of `resume` and `time_event`, for a model that has nothing but
       them (no continuous part, clocks, STORE, WAIT UNTIL): cosy_go with its
       bodies. */
    CosyStatus (*discrete)(Cosy *c, CosyRound *round);
    /* Whether the WAIT UNTIL of the transaction is over at the present point.
       `crossed` is an equality that has just been located: the point is as near
       to it as numbers allow. COSY_NONE: there is none. */
    CosyStatus (*until)(Cosy *c, uint32_t transaction, uint32_t crossed,
                        bool *over);
    /* Parameters of item g of RANDOMGEN, from the values of the instance. */
    CosyStatus (*generator)(Cosy *c, uint32_t g, double parameter[3]);
    CosyStatus (*choose)(Cosy *c, real t, bool *changed);
    CosyStatus (*communicate)(Cosy *c);
    /* The part of `communicate` that depends on the present point alone, for
       rows at events and at the end of the run. */
    CosyStatus (*shown)(Cosy *c);
    /* Computes column k, counted from 0, at the present point: for a row. */
    CosyStatus (*column)(Cosy *c, uint32_t k);
    CosyStatus (*terminal)(Cosy *c);
    /* TERMINAL section of a copy that is leaving. */
    CosyStatus (*copy_terminal)(Cosy *c, uint32_t process, uint32_t position);
    CosyStatus (*experiment)(Cosy *c);

    /* Jacobian df/dx as a list of entries in an order of the model's own:
       `pattern` gives row and column of each (row = NULL: only *count is
       wanted), `jacobian` the values in the same order. The pattern is the
       union over all modes, for the present structure. A place may occur more
       than once: its values add up. If `jacobian` is NULL the kernel uses
       `tangent`, or else differences. */
    CosyStatus (*pattern)(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count);
    CosyStatus (*jacobian)(Cosy *c, real t, const real *x, real *value);
    /* An event may change the pattern: copies read others, which they find by
       number. */
    bool pattern_moves;

    /* M x' = f, M in the same form. Rows of zeros are constraints. */
    CosyMass mass_kind;
    CosyStatus (*mass_pattern)(Cosy *c, uint32_t *row, uint32_t *column,
                               uint32_t *count);
    CosyStatus (*mass)(Cosy *c, real t, const real *x, real *value);

    /* r(t, x, dx) = 0, for models that cannot be solved for dx. */
    CosyStatus (*residual)(Cosy *c, real t, const real *x, const real *dx,
                           real *r);

    /* g(t, x) = 0 holds along the solution and is restored after each step.
       n_constraints rows; those of constraints in branches that are not active
       now have active = 0 and no value. dg/dx is a list of entries in the form
       of `pattern` and `jacobian`, the union over all modes; if
       `constraint_jacobian` is NULL, differences are used. */
    uint32_t n_constraints;
    CosyStatus (*constraints)(Cosy *c, real t, const real *x, real *g,
                              uint8_t *active);
    CosyStatus (*constraint_pattern)(Cosy *c, uint32_t *row, uint32_t *column,
                                     uint32_t *count);
    CosyStatus (*constraint_jacobian)(Cosy *c, real t, const real *x,
                                      real *value);
    /* How far the present point (x, and data after `outputs`) is from condition
       k of `starts`. */
    CosyStatus (*start)(Cosy *c, uint32_t k, real *r);

    /* df = (df/dx) vx + (df/dp) vp, p as in `parameters`. */
    CosyStatus (*tangent)(Cosy *c, real t, const real *x, const real *vx,
                          const real *vp, real *df);
    /* Derivatives of the conditions that are active now, in the order of `conditions`,
       by each of `senses` at a fixed time, then their own time derivatives: 2 n_senses
       numbers for each condition. What bodies do to companions stands in the
       bodies. */
    CosyStatus (*condition_slopes)(Cosy *c, real t, const real *x,
                                   const real *dx, real *slope,
                                   uint32_t *count);
    /* Derivatives by each of `senses` of the time for which this entry of the calendar
       was scheduled; false: that depends on none of them. */
    bool (*event_slopes)(Cosy *c, uint32_t event, uint32_t record, real *tau);
    /* For LINEARIZE: df = (df/dx) vx + (df/du) vu and dy = (dy/dx) vx + (dy/du)
       vu, u as in `linear_inputs`, y as in `linear_outputs`. */
    CosyStatus (*linear)(Cosy *c, real t, const real *x, const real *vx,
                         const real *vu, real *df, real *dy);
    bool analyses; // there is a STEADYSTATE or LINEARIZE
    /* Taylor coefficients 0..order of x at t, term by term. */
    CosyStatus (*taylor)(Cosy *c, real t, const real *x, uint32_t order,
                         real *coefficient);
};

#include "cosy/inline.h"

#include "cosy/until.h"

#include "cosy/copies.h"

#include "cosy/file.h"

#include "cosy/observe.h"

#include "cosy/family.h"
#include "cosy/service.h"

#include "cosy/check.h"
#include "cosy/table.h"

#endif
