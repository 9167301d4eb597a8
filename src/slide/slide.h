#ifndef COSY_SLIDE_SLIDE_H
#define COSY_SLIDE_SLIDE_H

/* Motion on a threshold, where events would follow each other without end.

   Sliding (A. F. Filippov, Differential Equations with Discontinuous Righthand
   Sides, 1988). A surface z = 0 has two sides, on which the model differs by
   the branches of hidden relations or by the values of a selector. Where the
   derivatives on both sides lead to the surface, the solution stays on it:

       x' = w f_above + (1 - w) f_below,     w such that z' = 0

   and on the intersection of two surfaces, with the four combinations of their
   sides, x' = sum of a (1 - a) b (1 - b) terms such that both z' are 0 (the
   bilinear choice: J. C. Alexander, T. I. Seidman, Houston J. Math. 24, 1998);
   on more, up to SLIDE_SURFACES, in the same way (multilinear). While a run
   slides, the entry points of its CosyModel are those of field.c, which combine
   those of the model; integrators and watch do not notice. The motion ends when
   a weight reaches 0 or 1; that is a condition like any other, with its own row
   after those of the model.

       slide_create    once, after instance and watch
       slide_attach    after an image was loaded, or better code taken
       slide_move      copies of CONTINUOUS PROCESSes have come or gone
       slide_enter     a hidden condition has fired: does a slide begin here?
       slide_event     a CONDIT has fired and its body is done: the same, and
                       whether such events accumulate (rest.c)
       slide_leave     a row of a slide or rest has fired
       slide_check     after a body, during a slide or rest: does it last?
       slide_keep      after an accepted step: restores what the step lost
       slide_end       the run is over: open spans end here

   Rest (rest.c). Events of a CONDIT whose intervals and jumps shrink like a
   geometric series have a limit. There the quantity stays at its threshold: z
   and z' are 0, and whatever in the model presses against the threshold is
   balanced in the direction of the jumps, that is, of the blows, until it
   changes sign.

   All decisions are in the image, so a saved run continues to slide. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "solve/watch.h"
#include "stats/summary.h"

#define Run              COSY_NAME(Run)
#define Slide            COSY_NAME(Slide)
#define SlideState       COSY_NAME(SlideState)
#define SlideSurface     COSY_NAME(SlideSurface)
#define SlideSwitch      COSY_NAME(SlideSwitch)
#define SlideMix         COSY_NAME(SlideMix)
#define Rest             COSY_NAME(Rest)
#define Bounce           COSY_NAME(Bounce)
#define slide_create     COSY_NAME(slide_create)
#define slide_attach     COSY_NAME(slide_attach)
#define slide_move       COSY_NAME(slide_move)
#define slide_detail     COSY_NAME(slide_detail)
#define slide_branches   COSY_NAME(slide_branches)
#define slide_free       COSY_NAME(slide_free)
#define slide_enter      COSY_NAME(slide_enter)
#define slide_before     COSY_NAME(slide_before)
#define slide_event      COSY_NAME(slide_event)
#define slide_leave      COSY_NAME(slide_leave)
#define slide_check      COSY_NAME(slide_check)
#define slide_keep       COSY_NAME(slide_keep)
#define slide_end        COSY_NAME(slide_end)
#define slide_refusal    COSY_NAME(slide_refusal)
#define slide_begin_span COSY_NAME(slide_begin_span)
#define slide_end_span   COSY_NAME(slide_end_span)
#define slide_restart    COSY_NAME(slide_restart)
#define slide_drop       COSY_NAME(slide_drop)
#define slide_onto       COSY_NAME(slide_onto)
#define slide_attracts   COSY_NAME(slide_attracts)
#define slide_far_away   COSY_NAME(slide_far_away)
#define slide_least_time COSY_NAME(slide_least_time)
#define slide_mute       COSY_NAME(slide_mute)
#define slide_unmute     COSY_NAME(slide_unmute)
#define keep_size        COSY_NAME(keep_size)
#define keep_room        COSY_NAME(keep_room)
#define keep_data        COSY_NAME(keep_data)
#define keep_attributes  COSY_NAME(keep_attributes)
#define keep_store       COSY_NAME(keep_store)
#define keep_restore     COSY_NAME(keep_restore)
#define field_install    COSY_NAME(field_install)
#define field_remove     COSY_NAME(field_remove)
#define field_room       COSY_NAME(field_room)
#define field_sides      COSY_NAME(field_sides)
#define field_home       COSY_NAME(field_home)
#define field_mix        COSY_NAME(field_mix)
#define field_of         COSY_NAME(field_of)
#define field_model      COSY_NAME(field_model)
#define field_plain      COSY_NAME(field_plain)
#define field_rates      COSY_NAME(field_rates)
#define field_find       COSY_NAME(field_find)
#define field_short_time COSY_NAME(field_short_time)
#define field_share      COSY_NAME(field_share)
#define field_pull       COSY_NAME(field_pull)
#define carry_shares     COSY_NAME(carry_shares)
#define carry_rates      COSY_NAME(carry_rates)
#define carry_values     COSY_NAME(carry_values)
#define rest_event       COSY_NAME(rest_event)
#define rest_balance     COSY_NAME(rest_balance)
#define rest_rows        COSY_NAME(rest_rows)
#define rest_check       COSY_NAME(rest_check)
#define rest_keep        COSY_NAME(rest_keep)
#define rest_note        COSY_NAME(rest_note)
#define rest_leave       COSY_NAME(rest_leave)
#define rest_drop        COSY_NAME(rest_drop)
#define rest_move        COSY_NAME(rest_move)
#define doze_begin       COSY_NAME(doze_begin)
#define doze_wake        COSY_NAME(doze_wake)

typedef struct Run Run;

enum {
    SLIDE_SURFACES = 6,
    SLIDE_SIDES = 1 << SLIDE_SURFACES, // combinations of sides
    REST_MOST = 8,
    BOUNCE_MOST = 16,
    BOUNCE_LEVELS = 18,
    SLIDE_ROWS = 2 * SLIDE_SURFACES + REST_MOST
};

/* Points and derivatives in `fields`. Those of the combinations of sides come
   after them, with room for as many as are needed. */
enum {
    FIELD_SHIFTED = SLIDE_SIDES,
    FIELD_OTHER,
    FIELD_BEFORE, // states before a body
    FIELD_REST,
    FIELD_TRIED,
    FIELD_ALONG,
    FIELD_LATER,
    FIELD_STOPPED, // where everything at rest has speed 0
    FIELD_BACK,    // where everything at rest is back at its threshold
    FIELD_MOVE,
    FIELD_SLOPE,                         // gradients of everything at rest
    FIELD_WAY = FIELD_SLOPE + REST_MOST, // where their blows lead
    FIELDS = FIELD_WAY + REST_MOST
};

/* One value in which the two sides of a surface differ: a branch (size 0), or
   `size` bytes of the model's data or, of process - 1, of the attributes of the
   copy with that number. */
typedef struct SlideSwitch {
    uint32_t surface;
    uint32_t place, size, process;
    uint32_t number, spare;
    unsigned char below[16], above[16];
} SlideSwitch;

/* A condition (id, copy) that stays silent during the span `by`. */
typedef struct SlideMuted {
    uint32_t id, copy, by;
} SlideMuted;

typedef struct SlideSurface {
    uint32_t id, copy; // of the condition whose z is 0 on the surface
    uint32_t home;     // the side that branches and data are on: 1 above
    uint32_t span;
    real weight; // share of the side above at the last accepted point
} SlideSurface;

/* A condition that rests at its threshold. */
typedef struct Rest {
    uint32_t id, copy;
    int32_t side;    // sign of z on the allowed side
    uint32_t pushed; // the direction of its jumps is in `push`
    uint32_t span;
    real speed;    // largest |z'| of the events that led to the rest
    real size;     // how far z went between them
    real slack;    // how far what holds it may fall below 0
    real drift;    // z' before the body of an event
    real slope[2]; // slopes of z along two directions, when it came to rest
} Rest;

/* What is known about the latest events of a CONDIT. */
typedef struct Bounce {
    uint32_t id, copy;
    uint32_t shrinking, steady; // events in a row
    uint32_t close;             // events in a row at one visible instant
    uint32_t count;             // number of its events
    int32_t side;
    uint32_t pushed;           // its body moves states; `push` says how
    uint32_t quiet, spare;     // quiet: its body only changes values
    real t, gap, ratio;        // time, interval, its ratio to the one before
    real speed, fastest;       // |z'| before this event, and before the first
    real widest;               // longest interval
    real level[BOUNCE_LEVELS]; // last time of a speed of 8^-k the fastest
    real struck;               // speed of the blow in `push`
} Bounce;

enum { SLIDE_LATEST = 4 };

typedef struct SlideState {
    uint32_t surfaces, rests, bounces, told;
    SlideSurface surface[SLIDE_SURFACES];
    Rest rest[REST_MOST];
    Bounce bounce[BOUNCE_MOST];
    uint32_t latest[SLIDE_LATEST]
                   [2]; // (id, copy) of hidden conditions that were
    uint32_t crossed;   // crossed last, a ring; how many so far
    uint32_t owner;  // process + 1 of the copy whose CONDIT fired last, 0: none
    uint32_t number; // of that copy
    uint32_t bodies; // that have switched something
    real selected_t; // when a CONDIT changed a selector last
} SlideState;

/* The derivatives of all combinations of sides at a point, and the share of
   each: bit k of the number of a combination is set above surface k. */
typedef struct SlideMix {
    uint32_t sides;
    real share[SLIDE_SIDES];
    real weight[SLIDE_SURFACES];
    real z[SLIDE_SURFACES][SLIDE_SIDES];
    real dz[SLIDE_SURFACES][SLIDE_SIDES];
} SlideMix;

typedef struct Slide {
    SlideState state;
    Vector switches; // of SlideSwitch
    Vector muted;    // of SlideMuted
    Vector spans;    // of RunSpan
    Vector push;     // directions of REST_MOST, BOUNCE_MOST
    Vector dozing;   // what rests in copies that sleep, see doze.c
    Vector changed;  // of SlideSwitch: what bodies of one instant have changed
    Vector fields;   // scratch: reals, see FIELD_SHIFTED and so on
    Vector spare;    // scratch: another `push`, for changes of structure
    Vector seen;     // scratch: conditions, three lists
    Vector data;     // scratch: what is kept, see KEPT_SIDES and so on
    Vector turned;   // scratch: the same for the present body
    Vector entries;  // scratch: of a Jacobian
    Vector prints;   // scratch: of gradients
    Vector branch;   // scratch: int32_t, three configurations
    CosyConditionInfo *rows; // the model's, and SLIDE_ROWS more
    uint32_t *hysteresis;    // relations that are a hysteresis
    uint32_t hystereses;
    CosyHead head; // before a body
    size_t kept;   // keep_size then
    uint32_t first_row;
    uint32_t length; // number of states there is room for
    bool looks;      // it watches what a body changes
    bool able;       // the model may slide
    bool installed;
    bool moved; // the states: slopes of rests are to be found anew
} Slide;

Status slide_create(Run *r);
Status slide_attach(Run *r);
/* Copies have come or gone: what slides and rests goes along; what belongs to a
   copy that is not active any more is over. */
Status slide_move(Run *r);
void slide_free(Slide *s);

Status slide_enter(Run *r, const Watched *w, bool *entered);
/* A CONDIT's body is about to be carried out. */
Status slide_before(Run *r, const Watched *w);
Status slide_event(Run *r, const Watched *w);
Status slide_leave(Run *r, const Watched *w);
Status slide_check(Run *r, bool *changed);
Status slide_keep(Run *r);
Status slide_end(Run *r);
/* For events that do not end: why there was neither slide nor rest, and what
   may help. */
const char *slide_refusal(const Run *r);

/* ---- Shared by slide.c, enter.c, field.c and rest.c ---------------------------------------- */

Status slide_begin_span(Run *r, bool rest, uint32_t id, uint32_t copy, real t,
                        uint32_t *span);
Status slide_end_span(Run *r, uint32_t span);
Status slide_mute(Run *r, uint32_t id, uint32_t copy, uint32_t by);
void slide_unmute(Run *r, uint32_t by);
/* What is written about a condition: see branch.h. */
uint64_t slide_detail(const Run *r, uint32_t id, uint32_t copy);
/* Room for three configurations of branches. */
bool slide_branches(Run *r);
/* The field has changed: the integrator starts anew, with a Jacobian of another
   pattern. */
Status slide_restart(Run *r);
/* Surface k ends; branches and data are on this side of it from now on. */
Status slide_drop(Run *r, uint32_t k, bool above);
/* Moves x onto all surfaces. */
void slide_onto(Run *r, real *x);
/* Whether both sides of a surface lead to it. */
bool slide_attracts(const Run *r, real below, real above);
/* The time after which a point has left its surface for good, and the shortest
   that can be told from rounding errors. */
real slide_far_away(const Run *r);
real slide_least_time(const Run *r);

static inline bool slide_inside(real w)
{
    return w >= R(0.0) && w <= R(1.0);
}

/* keep.c */

enum {
    KEPT_SIDES, // before the sides are put on, one after the other
    KEPT_MEAN,
    KEPT_BODY, // before a body
    KEPT
};

/* Bytes of what is kept, as many copies as there are now. Places hold as long as
   it does not change. */
size_t keep_size(const Run *r);
bool keep_room(Run *r);
unsigned char *keep_data(const Run *r, uint32_t which);
unsigned char *keep_attributes(const Run *r, uint32_t which, uint32_t process);
void keep_store(const Run *r, uint32_t which);
void keep_restore(const Run *r, uint32_t which);

/* field.c */

const CosyModel *field_model(const Run *r); // as it was compiled
void field_install(Run *r);
void field_remove(Run *r);
Status field_room(Run *r);
/* Puts branches and data on these sides, or back on their home sides. */
void field_sides(Run *r, uint32_t sides);
uint32_t field_home(const Run *r);
real *field_of(const Run *r, uint32_t k);
CosyStatus field_mix(Run *r, real t, const real *x, SlideMix *m);
/* Share of a combination of sides, without the factor of surface `but`. */
real field_share(const SlideMix *m, uint32_t surfaces, uint32_t sides,
                 uint32_t but);
/* Derivatives on the surfaces, without rests. */
CosyStatus field_plain(Run *r, real t, const real *x, real *dx);
/* The model's conditions at a point that moves with dx, into list `which`. */
CosyStatus field_rates(Run *r, real t, const real *x, const real *dx,
                       uint32_t which, CosyCondition **list, uint32_t *count);
/* Entry of (id, copy), or NULL. */
const CosyCondition *field_find(const CosyCondition *list, uint32_t count,
                                uint32_t id, uint32_t copy);

/* The time, with its sign, over which rates are found by differences. */
real field_short_time(const Run *r);
/* A multi-step method continues from its own values, which cannot be corrected
   after each step. Instead the derivatives lead them back, z' = -z/T, where T
   is a hundredth of the run. This is 1/T, with the sign of time; 0 for other
   methods. */
real field_pull(const Run *r);

/* carry.c */

/* (*share)[c n + j]: derivative of the share of combination c by parameter j of n. */
CosyStatus carry_shares(Run *r, real t, const real *x, const SlideMix *m,
                        real **share);
/* Adds what the shares contribute to the rates of companions. */
CosyStatus carry_rates(Run *r, real t, const real *x, const SlideMix *m,
                       real *dx);
/* The same for the algebraic values of one side, whose data are given. */
void carry_values(const Run *r, const real *share, const unsigned char *data,
                  unsigned char *sum);

/* rest.c */

/* The event of a CONDIT is over. */
Status rest_event(Run *r, const Watched *w);
/* Adds to dx what keeps everything at rest at its threshold. */
CosyStatus rest_balance(Run *r, real t, const real *x, real *dx);
CosyStatus rest_rows(Run *r, real t, const real *x, const real *dx,
                     CosyCondition *list, uint32_t *count);
/* Bodies of events may be carried out now. */
void rest_note(Run *r);
Status rest_check(Run *r, bool *changed);
Status rest_keep(Run *r, bool *moved);
Status rest_leave(Run *r, uint32_t k);
/* Rest k is over, as it is. */
Status rest_drop(Run *r, uint32_t k);
/* The states have moved: so do the directions of blows. */
Status rest_move(Run *r, const Moves *states);

/* doze.c */

/* The copy of a rest, whose condition has this COSY_DETAIL, is not active any
   more. */
Status doze_begin(Run *r, const Rest *rest, uint64_t number);
/* Some copies may be awake again. *changed: states were moved. */
Status doze_wake(Run *r, bool *changed);

#endif
