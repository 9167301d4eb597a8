/* Copies of CONTINUOUS PROCESSes in whole runs: two processes with branches,
   delays, conditions and copies that sleep, against closed forms; what is
   refused; balls that come to rest. */

#include "run/copies.h"
#include "run/run.h"

#include <stddef.h>
#include <stdlib.h>

#include "check.h"
#include "events/calendar.h"
#include "events/stream.h"
#include "folder.h"
#include "solve/block.h"

static char told[400]; // the last message

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    (void)c, (void)severity, (void)line;
    snprintf(told, sizeof told, "%s", text);
}

static const CosyHost host = {.grow = instance_grow,
                              .refill = stream_refill,
                              .cancel = calendar_cancel,
                              .refuse = instance_refuse,
                              .create = copies_new,
                              .solve = block_solve,
                              .delayed = instance_delayed,
                              .message = message};

/* ---- Fading things and timers -------------------------------------------------

   FADE: Y' = -Y while Y > 1/2, -2 Y afterwards; S' = Y a quarter ago.
   TIMER: T' = 1; RING: T CROSSES LIMIT POS. */

enum { FADE, TIMER, PROCESSES };
enum { Y, S, FADE_STATES };
enum { T, TIMER_STATES };

#define LAG R(0.25)

typedef struct Fade {
    CosyCopy copy;
    real bed[FADE_STATES];
} Fade;

typedef struct Timer {
    CosyCopy copy;
    real LIMIT;
    real bed[TIMER_STATES];
} Timer;

enum { RINGS = 16, PROMPT = 4 };

typedef struct Data {
    int64_t script; // which
    int64_t terminals;
    int64_t rings;
    struct {
        real t;
        int64_t number;
    } ring[RINGS];
} Data;

static const CosyCopyInfo infos[PROCESSES] = {
    [FADE] = {.name = "FADE",
              .states = FADE_STATES,
              .branches = 1,
              .delays = 1,
              .size = sizeof(Fade),
              .bed = offsetof(Fade, bed),
              .work = sizeof(real),
              .conditions = 1,
              .capacity = 3,
              .line = 3},
    [TIMER] = {.name = "TIMER",
               .states = TIMER_STATES,
               .size = sizeof(Timer),
               .bed = offsetof(Timer, bed),
               .conditions = 1,
               .line = 4},
};

static const CosyRelation relations_info[] = {
    {.text = "Y > 0.5", .line = 5, .count = 1, .process = FADE + 1}};
enum { HALF, RING, CONDITIONS };
static const CosyConditionInfo conditions_info[CONDITIONS] = {
    [HALF] = {.name = "Y > 0.5",
              .kind = COSY_HIDDEN,
              .process = FADE,
              .line = 5,
              .zero = -1},
    [RING] = {.name = "RING", .direction = 1, .process = TIMER, .line = 6},
};
static const CosyEventInfo state_events[] = {{"RING", 6, TIMER + 1}};
static const CosyMemoryInfo memories[] = {{.name = "DELAY(Y, 0.25)",
                                           .kind = COSY_DELAY,
                                           .line = 7,
                                           .process = FADE + 1}};
static const CosyClockInfo clocks[] = {
    {.name = "TICK", .period = 1, .offset = 1, .parts = 1, .line = 8}};
static const CosyEquation equations[] = {
    {COSY_NONE, 21, "DELETE TIMER[3]", true}};
static const CosyVariable variables[] = {COSY_STATES("F", 0, 1, "", 1),
                                         COSY_COPY_STATE("Y", Y, FADE, "", 2),
                                         COSY_COPY_STATE("S", S, FADE, "", 2),
                                         COSY_COPY_STATE("T", T, TIMER, "", 3)};

static CosyStatus make_fade(Cosy *c, uint32_t number)
{
    uint32_t k;
    COSY_TRY(cosy_copy_create(c, FADE, number, COSY_NONE, &k));
    ((Fade *)(void *)cosy_copy(c, FADE, k))->bed[Y] = R(1.0);
    return COSY_OK;
}

static CosyStatus make_timer(Cosy *c, real limit)
{
    uint32_t k;
    COSY_TRY(cosy_copy_create(c, TIMER, 0, COSY_NONE, &k));
    ((Timer *)(void *)cosy_copy(c, TIMER, k))->LIMIT = limit;
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    c->x[0] = R(1.0);
    COSY_TRY(make_fade(c, 1));
    return make_timer(c, R(0.75));
}

static const real *fade_at(const Cosy *c, const real *x, uint32_t k)
{
    return x + c->copy[FADE].first + k * FADE_STATES;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const CosyCopies *k = c->copy;
    real *late = (real *)(void *)c->copy_work[FADE];
    dx[0] = -x[0];
    for (uint32_t i = 0; i < k[FADE].active; i++) {
        const real *at = fade_at(c, x, i);
        real *to = dx + k[FADE].first + i * FADE_STATES;
        int32_t above = c->branch[k[FADE].branch + i];
        late[i] = at[Y];
        if (c->model->n_memories)
            COSY_TRY(c->host->delayed(c, k[FADE].delay + i, t - LAG, &late[i]));
        to[Y] = above ? -at[Y] : R(-2.0) * at[Y];
        to[S] = late[i];
    }
    for (uint32_t i = 0; i < k[TIMER].active; i++)
        dx[k[TIMER].first + i] = R(1.0);
    return COSY_OK;
}

static CosyStatus relations(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)t;
    for (uint32_t i = 0; i < c->copy[FADE].active; i++)
        wanted[c->copy[FADE].branch + i] = fade_at(c, x, i)[Y] > R(0.5);
    return COSY_OK;
}

static CosyStatus delays(Cosy *c, real t, const real *x, real *u, real *tau)
{
    (void)t;
    for (uint32_t i = 0; i < c->copy[FADE].active; i++) {
        u[c->copy[FADE].delay + i] = fade_at(c, x, i)[Y];
        tau[c->copy[FADE].delay + i] = LAG;
    }
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const CosyCopies *k = c->copy;
    (void)t;
    *count = 0;
    for (uint32_t i = 0; i < k[FADE].active; i++)
        list[(*count)++] = (CosyCondition){
            .id = HALF,
            .copy = i,
            .z = fade_at(c, x, i)[Y] - R(0.5),
            .dz = fade_at(c, dx, i)[Y],
        };
    for (uint32_t i = 0; i < k[TIMER].active; i++)
        list[(*count)++] = (CosyCondition){
            .id = RING,
            .copy = i,
            .z = x[k[TIMER].first + i] -
                 ((const Timer *)(const void *)cosy_copy(c, TIMER, i))->LIMIT,
            .dz = dx[k[TIMER].first + i],
        };
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)element;
    uint32_t number = cosy_copy(c, TIMER, copy)->number;
    (void)event;
    if (d->rings < RINGS) {
        d->ring[d->rings].t = c->head->t;
        d->ring[d->rings].number = number;
    }
    d->rings++;
    if (number == 1) // it leaves, and something else begins
        COSY_TRY(make_timer(c, R(1.5)));
    if (number == 4) // the event of the other one is pending
        COSY_TRY(cosy_copy_delete(c, TIMER, 5, COSY_NONE));
    return cosy_copy_delete(c, TIMER, number, COSY_NONE);
}

/* Number 5 does not leave without another. */
static CosyStatus copy_terminal(Cosy *c, uint32_t process, uint32_t position)
{
    Data *d = c->data;
    d->terminals++;
    if (process == TIMER && cosy_copy(c, TIMER, position)->number == 5)
        return make_timer(c, R(0.25));
    return COSY_OK;
}

static CosyStatus script(Cosy *c, int64_t tick)
{
    switch (tick) {
    case 1: COSY_TRY(make_fade(c, 0)); return make_timer(c, R(2.375));
    case 2: return cosy_copy_suspend(c, FADE, 1, COSY_NONE);
    case 3:
        COSY_TRY(cosy_copy_resume(c, FADE, 1, COSY_NONE));
        return make_fade(c, 7);
    case 4:
        COSY_TRY(cosy_copy_delete(c, FADE, 2, COSY_NONE));
        COSY_TRY(make_timer(c, R(0.5)));
        return make_timer(c, R(0.5));
    case 5: return make_fade(c, 0);
    default: return COSY_OK;
    }
}

static CosyStatus sample(Cosy *c, uint32_t clock)
{
    Data *d = c->data;
    (void)clock;
    switch (d->script) {
    case 1: return make_fade(c, 1);
    case 2:
        return cosy_copy_delete(c, TIMER, 3, COSY_NONE) == COSY_OK
                   ? COSY_OK
                   : COSY_FAIL(COSY_REFUSED, 0);
    case 3:
        COSY_TRY(make_fade(c, 0));
        COSY_TRY(make_fade(c, 0));
        return make_fade(c, 0);
    default: return script(c, c->clock[0]);
    }
}

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    *count = 1 + c->copy[FADE].active;
    for (uint32_t k = 0; row && k < *count; k++)
        row[k] = column[k] =
            k ? c->copy[FADE].first + (k - 1) * FADE_STATES : 0;
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    (void)t, (void)x;
    value[0] = R(-1.0);
    for (uint32_t k = 0; k < c->copy[FADE].active; k++)
        value[k + 1] = c->branch[c->copy[FADE].branch + k] ? R(-1.0) : R(-2.0);
    return COSY_OK;
}

static const CosyModel fading = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "FADING",
    .source = "fading.cosy",
    .hash = "",
    .data_size = sizeof(Data),
    .states = 1,
    .conditions_most = 1,
    .n_variables = LENGTH(variables),
    .variables = variables,
    .n_equations = LENGTH(equations),
    .equations = equations,
    .n_conditions_info = CONDITIONS,
    .conditions_info = conditions_info,
    .n_relations_info = LENGTH(relations_info),
    .relations_info = relations_info,
    .n_state_events = LENGTH(state_events),
    .state_events = state_events,
    .n_clocks = LENGTH(clocks),
    .clocks = clocks,
    .n_copies = PROCESSES,
    .copies = infos,
    .n_memories = LENGTH(memories),
    .memories = memories,
    .initial = initial,
    .derivatives = derivatives,
    .conditions = conditions,
    .relations = relations,
    .delays = delays,
    .state_event = state_event,
    .sample = sample,
    .copy_terminal = copy_terminal,
    .pattern = pattern,
    .jacobian = jacobian,
};

/* ---- The closed form ----------------------------------------------------------- */

static const real ln2 = R(0.69314718055994530941723212145817656);

/* Y after it has been active for so long, and its integral. */
static real fade_of(real age)
{
    return age < ln2 ? cosy_exp(-age)
                     : R(0.5) * cosy_exp(R(-2.0) * (age - ln2));
}

static real sum_of(real age)
{
    if (age < ln2)
        return R(1.0) - cosy_exp(-age);
    return R(0.5) + R(0.25) * (R(1.0) - cosy_exp(R(-2.0) * (age - ln2)));
}

static bool near(const char *what, real found, real exact, double bound)
{
    if (cosy_abs(found - exact) <= (real)bound)
        return true;
    printf("%s: %.20Lg is not %.20Lg\n", what, (long double)found,
           (long double)exact);
    return false;
}

/* At time 6: number 1 has slept from 2 to 3, number 7 was made at 3, number 8
   at 5. What comes out of a delay is the value at the beginning, or on waking,
   for the first quarter. */
static void check_end_of(const Run *r, double bound)
{
    const Cosy *c = r->c;
    const Data *d = c->data;
    const CosyCopies *k = c->copy;
    const uint32_t numbers[] = {1, 7, 8};
    const real age[] = {R(5.0), R(3.0), R(1.0)};
    CHECK(near("F", c->x[0], cosy_exp(R(-6.0)), bound));
    CHECK(k[FADE].active == 3 && k[FADE].count == 3 && k[FADE].most == 3);
    CHECK(k[TIMER].count == 0 && c->head->states == 7);
    for (uint32_t i = 0; i < k[FADE].active && i < LENGTH(age); i++) {
        const real *x = fade_at(c, c->x, i);
        real s = LAG + sum_of(age[i] - LAG);
        if (r->model->n_memories == 0)
            s = sum_of(age[i]);
        else if (i == 0) // it was asleep
            s = LAG + sum_of(R(2.0) - LAG) + LAG * fade_of(R(2.0)) +
                sum_of(R(5.0) - LAG) - sum_of(R(2.0));
        CHECK(cosy_copy(c, FADE, i)->number == numbers[i]);
        CHECK(near("Y", x[Y], fade_of(age[i]), bound));
        CHECK(near("S", x[S], s, bound));
    }
    /* 3 was made at 0.75, 2 at 1; of 4 and 5, made at 4, one ended the other,
       which left 6 behind. */
    static const struct {
        real t;
        int64_t number;
    } rings[] = {
        {R(0.75), 1}, {R(2.25), 2}, {R(3.375), 3}, {R(4.5), 4}, {R(4.75), 6}};
    CHECK(d->rings == LENGTH(rings));
    for (int64_t i = 0; i < d->rings && i < (int64_t)LENGTH(rings); i++) {
        CHECK(near("time of a ring", d->ring[i].t, rings[i].t, 1e-12));
        CHECK(d->ring[i].number == rings[i].number);
    }
    CHECK(d->terminals == 7);
}

/* The last of the scripts does without the delay: multi-step methods restart
   many times after each break that comes out of one. */
static Status go(Run *r, int64_t which, const RunOptions *o)
{
    CosyModel m = fading;
    if (which == PROMPT)
        m.n_memories = 0;
    CHECK(run_create(r, &m, &host, NULL) == STATUS_OK);
    ((Data *)r->c->data)->script = which;
    return run_go(r, o);
}

static void test_fading(void)
{
    static const struct {
        const char *method;
        real step, relerr;
        double bound;
        int64_t which;
    } ways[] = {
        {NULL, R(0.0), R(1e-9), 1e-7, 0},
        {"DOPRI5", R(0.0), R(1e-9), 1e-8, 0},
        {"DOP853", R(0.0), R(1e-10), 1e-8, 0},
        {"RADAU", R(0.0), R(1e-9), 1e-7, 0},
        {"RADAU5", R(0.0), R(1e-8), 1e-6, 0},
        {"RK4", R(0.01), R(1e-9), 1e-6, 0},
        {"GEAR", R(0.0), R(1e-8), 1e-6, PROMPT},
        {"ADAMS", R(0.0), R(1e-8), 1e-6, PROMPT},
        {"DIRK", R(0.0), R(1e-7), 1e-5, 0},
    };
    for (size_t k = 0; k < LENGTH(ways); k++) {
        Run r;
        RunOptions o = {.to = R(6.0),
                        .growth = true,
                        .solver = {.method = ways[k].method,
                                   .step = ways[k].step,
                                   .relerr = ways[k].relerr,
                                   .abserr = ways[k].relerr}};
        if (ways[k].method && !method_find(ways[k].method))
            continue;
        Status status = go(&r, ways[k].which, &o);
        if (status != STATUS_OK)
            printf("%s: %s\n", ways[k].method ? ways[k].method : "AUTO",
                   r.fault.text);
        CHECK(status == STATUS_OK);
        if (status == STATUS_OK)
            check_end_of(&r, ways[k].bound);
        run_free(&r);
    }
}

/* How many there were, and how long they stayed. */
static void test_statistics(void)
{
    Run r;
    RunOptions o = {.to = R(6.0), .solver = {.relerr = R(1e-6)}};
    CHECK(go(&r, 0, &o) == STATUS_OK);
    const CosyCopies *k = &r.c->copy[FADE];
    // 1 from 0, 2 from 1 to 4, 3 from 3, 4 from 5
    CHECK(k->entries == 4 && k->left == 1 && k->created == 8);
    CHECK(k->stay_sum == R(3.0) && k->stay_max == R(3.0));
    real area = k->area + (real)k->count * (R(6.0) - k->since);
    CHECK(cosy_abs(area - (R(6.0) + R(3.0) + R(3.0) + R(1.0))) < R(1e-12));
    run_free(&r);
}

/* ---- What is refused --------------------------------------------------------- */

static void refused(int64_t which, const char *expected)
{
    Run r;
    RunOptions o = {.to = R(6.0), .solver = {.relerr = R(1e-6)}};
    CHECK(go(&r, which, &o) == STATUS_USER);
    CHECK_TEXT(told, expected);
    run_free(&r);
}

static void test_refusals(void)
{
    refused(1, "time 1, TICK: CREATE FADE: the number 1 is used, and numbers "
               "go up: the next is 2, which CREATE FADE[0] takes");
    refused(2, "time 1, TICK: DELETE TIMER[3]: copy 3 of TIMER is not there: "
               "it was never created; EXISTS(TIMER[3]) asks");
    refused(3, "time 1, TICK: CREATE FADE: the file of FADE is full with 3 "
               "copies; declare a larger file, or none");
}

/* ---- A snapshot in the middle ---------------------------------------------------- */

static void test_saved(const char *method, real at)
{
    Folder folder;
    real end[3][16];
    uint32_t n[3];
    folder_make(&folder);
    const char *image = folder_file(&folder, "image");
    for (int k = 0; k < 3; k++) {
        Run r;
        RunOptions o = {.to = R(6.0),
                        .solver = {.method = method, .relerr = R(1e-7)}};
        if (k == 1) {
            o.save_path = image;
            o.save_at = at;
        } else if (k == 2) {
            o.restore = image;
        }
        Status status = go(&r, 0, &o);
        if (status != STATUS_OK)
            printf("%s\n", r.fault.text);
        CHECK(status == STATUS_OK);
        n[k] = r.c->head->states;
        memset(end[k], 0, sizeof end[k]);
        memcpy(end[k], r.c->x, n[k] * sizeof(real));
        if (status == STATUS_OK)
            check_end_of(&r, 1e-4);
        run_free(&r);
    }
    folder_remove(&folder);
    for (int k = 1; k < 3; k++) {
        CHECK(n[k] == n[0]);
        for (uint32_t i = 0; i < n[0]; i++)
            CHECK(end[k][i] == end[0][i]);
    }
}

/* ---- Motion on a threshold ---------------------------------------------------------

   BALL: H' = W, W' = -10; FLOOR: H CROSSES 0 NEG, then W := -W/2.
   RELAY: X' = IF X > 0 THEN -1 ELSE 1. */

enum { BALL, RELAY };
enum { H, W, BALL_STATES };

typedef struct Ball {
    CosyCopy copy;
    real bed[BALL_STATES];
} Ball;

typedef struct Relay {
    CosyCopy copy;
    real bed[1];
} Relay;

static const CosyCopyInfo moving[PROCESSES] = {
    [BALL] = {.name = "BALL",
              .states = BALL_STATES,
              .size = sizeof(Ball),
              .bed = offsetof(Ball, bed),
              .conditions = 1},
    [RELAY] = {.name = "RELAY",
               .states = 1,
               .branches = 1,
               .size = sizeof(Relay),
               .bed = offsetof(Relay, bed),
               .conditions = 1},
};

enum { FLOOR, SIDE };
static const CosyConditionInfo moving_conditions[] = {
    [FLOOR] = {.name = "FLOOR", .direction = -1, .process = BALL, .line = 3},
    [SIDE] = {.name = "X > 0",
              .kind = COSY_HIDDEN,
              .process = RELAY,
              .line = 4,
              .zero = -1},
};
static const CosyRelation moving_relations[] = {
    {.text = "X > 0", .line = 4, .count = 1, .process = RELAY + 1}};
static const CosyEventInfo moving_events[] = {{"FLOOR", 3, 0}};

static CosyStatus make_ball(Cosy *c, real height)
{
    uint32_t k;
    COSY_TRY(cosy_copy_create(c, BALL, 0, COSY_NONE, &k));
    ((Ball *)(void *)cosy_copy(c, BALL, k))->bed[H] = height;
    return COSY_OK;
}

static CosyStatus make_relay(Cosy *c)
{
    uint32_t k;
    COSY_TRY(cosy_copy_create(c, RELAY, 0, COSY_NONE, &k));
    ((Relay *)(void *)cosy_copy(c, RELAY, k))->bed[0] = R(1.0);
    return COSY_OK;
}

static CosyStatus moving_initial(Cosy *c)
{
    COSY_TRY(make_ball(c, R(1.25)));
    return make_relay(c);
}

static CosyStatus moving_sample(Cosy *c, uint32_t clock)
{
    (void)clock;
    switch (c->clock[0]) {
    case 1: return make_ball(c, R(0.2));
    case 2: return make_relay(c);
    case 4:
        COSY_TRY(cosy_copy_delete(c, RELAY, 1, COSY_NONE));
        COSY_TRY(cosy_copy_delete(c, BALL, 1, COSY_NONE));
        return make_ball(c, R(0.05));
    default: return COSY_OK;
    }
}

static CosyStatus moving_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const CosyCopies *k = c->copy;
    (void)t;
    for (uint32_t i = 0; i < k[BALL].active; i++) {
        uint32_t at = k[BALL].first + i * BALL_STATES;
        dx[at + H] = x[at + W];
        dx[at + W] = R(-10.0);
    }
    for (uint32_t i = 0; i < k[RELAY].active; i++)
        dx[k[RELAY].first + i] =
            c->branch[k[RELAY].branch + i] ? R(-1.0) : R(1.0);
    return COSY_OK;
}

static CosyStatus moving_list(Cosy *c, real t, const real *x, const real *dx,
                              CosyCondition *list, uint32_t *count)
{
    const CosyCopies *k = c->copy;
    (void)t;
    *count = 0;
    for (uint32_t i = 0; i < k[BALL].active; i++) {
        uint32_t at = k[BALL].first + i * BALL_STATES;
        list[(*count)++] = (CosyCondition){
            .id = FLOOR, .copy = i, .z = x[at + H], .dz = dx[at + H]};
    }
    for (uint32_t i = 0; i < k[RELAY].active; i++)
        list[(*count)++] = (CosyCondition){.id = SIDE,
                                           .copy = i,
                                           .z = x[k[RELAY].first + i],
                                           .dz = dx[k[RELAY].first + i]};
    return COSY_OK;
}

static CosyStatus moving_sides(Cosy *c, real t, const real *x, int32_t *wanted)
{
    const CosyCopies *k = &c->copy[RELAY];
    (void)t;
    for (uint32_t i = 0; i < k->active; i++)
        wanted[k->branch + i] = x[k->first + i] > R(0.0);
    return COSY_OK;
}

static CosyStatus strike(Cosy *c, uint32_t event, uint32_t copy,
                         uint32_t element)
{
    (void)element;
    (void)event;
    c->x[c->copy[BALL].first + copy * BALL_STATES + W] *= R(-0.5);
    return COSY_OK;
}

static const CosyModel thresholds = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "THRESHOLDS",
    .source = "thresholds.cosy",
    .hash = "",
    .n_conditions_info = LENGTH(moving_conditions),
    .conditions_info = moving_conditions,
    .n_relations_info = LENGTH(moving_relations),
    .relations_info = moving_relations,
    .n_state_events = LENGTH(moving_events),
    .state_events = moving_events,
    .n_clocks = LENGTH(clocks),
    .clocks = clocks,
    .n_copies = PROCESSES,
    .copies = moving,
    .initial = moving_initial,
    .derivatives = moving_derivatives,
    .conditions = moving_list,
    .relations = moving_sides,
    .state_event = strike,
    .sample = moving_sample,
};

/* A ball that falls from h hits the floor after sqrt(h/5), and lies after three
   times as long. */
static const struct {
    uint32_t rest, number;
    real from, to;
} spans[] = {
    {0, 1, R(1.0), R(4.0)}, {1, 1, R(1.5), R(4.0)}, {1, 2, R(1.6), R(6.0)},
    {0, 2, R(3.0), R(6.0)}, {1, 3, R(4.3), R(6.0)},
};

static void check_spans(const Run *r)
{
    const RunSpan *span = (const RunSpan *)(const void *)r->slide.spans.bytes;
    CHECK(r->slide.spans.used == LENGTH(spans) * sizeof *span);
    for (size_t k = 0; k < LENGTH(spans); k++) {
        CHECK(span[k].rest == spans[k].rest);
        CHECK(span[k].number == spans[k].number);
        CHECK(near("span", span[k].from, spans[k].from, 1e-5));
        CHECK(near("span", span[k].to, spans[k].to, 1e-5));
    }
    CHECK(r->c->copy[BALL].active == 2 && r->c->copy[RELAY].active == 1);
    for (uint32_t i = 0; i < r->c->head->states; i++)
        CHECK(near("at rest", r->c->x[i], R(0.0), 1e-9));
}

static void test_thresholds(const char *method, bool saves)
{
    Folder folder;
    folder_make(&folder);
    for (int k = 0; k < (saves ? 2 : 1); k++) {
        Run r;
        RunOptions o = {.to = R(6.0),
                        .solver = {.method = method, .relerr = R(1e-8)}};
        if (k == 0 && saves) {
            o.save_path = folder_file(&folder, "image");
            o.save_at = R(3.5);
        } else if (saves) {
            o.restore = folder_file(&folder, "image");
        }
        CHECK(run_create(&r, &thresholds, &host, NULL) == STATUS_OK);
        Status status = run_go(&r, &o);
        if (status != STATUS_OK)
            printf("%s\n", r.fault.text);
        CHECK(status == STATUS_OK);
        if (status == STATUS_OK)
            check_spans(&r);
        run_free(&r);
    }
    folder_remove(&folder);
}

/* ---- Copies that come and go in any order ------------------------------------------

   Bodies create, suspend, wake and delete at random, and each begins by holding what
   there is against a plain list: W' = 0 and begins with the number of the copy, which
   is an attribute too; V' = 1 since then, but for the time asleep. UP waits for the
   wrong direction. */

enum { W_CHURN, V_CHURN, CHURN_STATES };
enum { KNOWN = 64 };

typedef struct Churn {
    CosyCopy copy;
    int64_t own;
    real bed[CHURN_STATES];
} Churn;

typedef struct Known {
    uint32_t number;
    bool asleep, leaves;
    real age;
} Known;

typedef struct Churning {
    uint64_t seed;
    uint32_t count, created; // of `known`, in order of numbers
    Known known[KNOWN];
} Churning;

static const CosyCopyInfo churn_infos[] = {{.name = "CHURN",
                                            .states = CHURN_STATES,
                                            .size = sizeof(Churn),
                                            .bed = offsetof(Churn, bed),
                                            .conditions = 1,
                                            .line = 3}};
static const CosyConditionInfo churn_conditions[] = {
    {.name = "UP", .direction = 1, .process = 0, .line = 6}};
static const CosyVariable churn_variables[] = {
    COSY_COPY_STATE("W", W_CHURN, 0, "", 2),
    COSY_COPY_STATE("V", V_CHURN, 0, "", 2)};

static uint32_t any_of(Churning *d, uint32_t n)
{
    d->seed = d->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((d->seed >> 33) % n);
}

/* Those awake first, then those asleep. */
static void check_order(const Cosy *c, const Churning *d)
{
    const CosyCopies *k = c->copy;
    uint32_t at = 0, awake = 0;
    for (int asleep = 0; asleep < 2; asleep++)
        for (uint32_t i = 0; i < d->count; i++) {
            if (d->known[i].asleep != (asleep == 1))
                continue;
            const Churn *copy = (const Churn *)(void *)cosy_copy(c, 0, at);
            const real *x = cosy_copy_states(c, 0, at, c->x);
            CHECK(copy->copy.number == d->known[i].number);
            CHECK(copy->own == (int64_t)d->known[i].number);
            CHECK(cosy_copy_find(c, 0, d->known[i].number) == at);
            CHECK(x[W_CHURN] == (real)d->known[i].number);
            CHECK(near("age", x[V_CHURN], d->known[i].age, 1e-9));
            awake += asleep == 0;
            at++;
        }
    CHECK(k->count == at && k->settled == at && k->active == awake);
    CHECK(c->head->states == CHURN_STATES * awake);
}

/* What the body sees of its own marks. */
static void check_counts(const Cosy *c, const Churning *d)
{
    int64_t awake = 0;
    for (uint32_t i = 0; i < d->count; i++)
        awake += !d->known[i].asleep && !d->known[i].leaves;
    CHECK(cosy_copy_count(c, 0) == awake);
    CHECK(cosy_copy_entries(c, 0) == (int64_t)d->count);
}

static CosyStatus churn_create(Cosy *c, Churning *d)
{
    uint32_t k;
    COSY_TRY(cosy_copy_create(c, 0, 0, COSY_NONE, &k));
    Churn *copy = (Churn *)(void *)cosy_copy(c, 0, k);
    copy->own = ++d->created;
    copy->bed[W_CHURN] = (real)d->created;
    d->known[d->count++] = (Known){.number = d->created};
    return COSY_OK;
}

static CosyStatus churn_one(Cosy *c, Churning *d)
{
    if (d->count < KNOWN && any_of(d, 10) < 4)
        return churn_create(c, d);
    if (d->count == 0)
        return COSY_OK;
    Known *one = &d->known[any_of(d, d->count)];
    if (one->leaves) {
        CHECK(!cosy_copy_exists(c, 0, one->number));
        return COSY_OK;
    }
    switch (any_of(d, 3)) {
    case 0: one->leaves = true; return cosy_copy_delete(c, 0, one->number, 0);
    case 1: one->asleep = true; return cosy_copy_suspend(c, 0, one->number, 0);
    default: one->asleep = false; return cosy_copy_resume(c, 0, one->number, 0);
    }
}

static CosyStatus churn_sample(Cosy *c, uint32_t clock)
{
    Churning *d = c->data;
    uint32_t kept = 0;
    (void)clock;
    for (uint32_t i = 0; i < d->count; i++) // since the last body
        d->known[i].age += d->known[i].asleep ? R(0.0) : R(1.0);
    check_order(c, d);
    for (uint32_t n = any_of(d, 6); n > 0; n--)
        COSY_TRY(churn_one(c, d));
    check_counts(c, d);
    for (uint32_t i = 0; i < d->count; i++)
        if (!d->known[i].leaves)
            d->known[kept++] = d->known[i];
    d->count = kept;
    return COSY_OK;
}

static CosyStatus churn_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)t, (void)x;
    for (uint32_t i = 0; i < c->head->states; i++)
        dx[i] = i % CHURN_STATES == V_CHURN ? R(1.0) : R(0.0);
    return COSY_OK;
}

static CosyStatus churn_list(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    (void)t;
    *count = c->copy->active;
    for (uint32_t i = 0; i < *count; i++)
        list[i] = (CosyCondition){
            .copy = i,
            .z = R(0.5) - x[c->copy->first + i * CHURN_STATES + V_CHURN],
            .dz = -dx[c->copy->first + i * CHURN_STATES + V_CHURN]};
    return COSY_OK;
}

static CosyStatus churn_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    (void)c, (void)event, (void)copy, (void)element;
    CHECK(false); // it is never crossed that way
    return COSY_OK;
}

static const CosyModel churn = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "CHURN",
    .source = "churn.cosy",
    .hash = "",
    .data_size = sizeof(Churning),
    .n_variables = LENGTH(churn_variables),
    .variables = churn_variables,
    .n_conditions_info = LENGTH(churn_conditions),
    .conditions_info = churn_conditions,
    .n_state_events = LENGTH(state_events),
    .state_events = state_events,
    .n_clocks = LENGTH(clocks),
    .clocks = clocks,
    .n_copies = LENGTH(churn_infos),
    .copies = churn_infos,
    .derivatives = churn_derivatives,
    .conditions = churn_list,
    .state_event = churn_event,
    .sample = churn_sample,
};

/* Memory follows the copies that there are: marks of those that are gone go. */
static void test_churn(const char *method)
{
    size_t marks[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        Run r;
        RunOptions o = {.to = k ? R(8000.5) : R(400.5),
                        .solver = {.method = method, .relerr = R(1e-9)}};
        CHECK(run_create(&r, &churn, &host, NULL) == STATUS_OK);
        CHECK(run_go(&r, &o) == STATUS_OK);
        CHECK(r.c->copy->created > (k ? 4000 : 200));
        CHECK(r.c->copy->most <= KNOWN);
        marks[k] = r.range.oneway.marks.room;
        run_free(&r);
    }
    CHECK(marks[0] > 0 && marks[1] <= 2 * marks[0]);
}

int main(void)
{
    test_fading();
    test_statistics();
    test_refusals();
    test_saved(NULL, R(2.5));
    test_saved("DOPRI5", R(3.0));
    test_saved("RADAU", R(4.6));
    test_thresholds(NULL, true);
    test_thresholds("RADAU", true);
    if (method_find("GEAR"))
        test_thresholds("GEAR", false);
    test_churn("DOPRI5");
    test_churn("RADAU");
    return check_end();
}
