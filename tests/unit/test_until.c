/* WAIT UNTIL in whole runs: conditions over states, TIME and discrete
   variables; which transaction goes on first, and that each checks again. */

#include "events/transaction.h"
#include "run/run.h"

#include "script.h"

/* ---- A model ----------------------------------------------------------------- */

/* A wait: its relations left - right > 0 (>= 0 if `closed`), all of which must
   hold. */
typedef enum What { LEVEL, CLOCK, STOCK } What;

typedef struct Rule {
    What what;
    real right;
    int sign; // -1: below
    bool closed;
} Rule;

enum { RULES = 2 };

typedef struct World {
    Log log; // first: script.h
    real stock;
    real rate; // X' = rate
    const Rule (*rule)[RULES];
    uint32_t rules; // per wait
    CosyStatus (*begin)(Cosy *c);
    uint64_t asked;
} World;

static World *world(Cosy *c)
{
    return c->data;
}

static real left_side(Cosy *c, const Rule *k, real t, const real *x)
{
    return k->what == LEVEL ? x[0] : k->what == CLOCK ? t : world(c)->stock;
}

static real z_of(Cosy *c, const Rule *k, real t, const real *x)
{
    return (real)k->sign * (left_side(c, k, t, x) - k->right);
}

/* The number of the wait is the `a` of the step before the point. */
static const Rule *rules_of(Cosy *c, uint32_t id)
{
    const Step *story = actor(c, id)->story;
    return world(c)->rule[story[cosy_transaction(c, id)->point - 1].a];
}

static CosyStatus until(Cosy *c, uint32_t id, uint32_t crossed, bool *over)
{
    const Rule *k = rules_of(c, id);
    CHECK(crossed == COSY_NONE); // there are no equalities
    world(c)->asked++;
    *over = true;
    for (uint32_t i = 0; i < world(c)->rules; i++) {
        real z = z_of(c, k + i, c->head->t, c->x);
        bool holds = k[i].closed ? z >= R(0.0) : z > R(0.0);
        *over &= holds;
    }
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    *count = 0;
    for (uint32_t id = c->until[0].head; id != COSY_NONE;
         id = cosy_transaction(c, id)->next) {
        const Rule *k = rules_of(c, id);
        for (uint32_t i = 0; i < world(c)->rules; i++) {
            real slope = k[i].what == LEVEL   ? dx[0]
                         : k[i].what == CLOCK ? R(1.0)
                                              : R(0.0);
            if (k[i].what != STOCK)
                list[(*count)++] =
                    (CosyCondition){.id = k[i].closed ? RULES + i : i,
                                    .copy = id,
                                    .z = z_of(c, k + i, t, x),
                                    .dz = (real)k[i].sign * slope};
        }
    }
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    dx[0] = world(c)->rate;
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    return world(c)->begin(c);
}

static const CosyProcessInfo processes[] = {{.name = "SHOP", .line = 1}};
static const CosyResourceInfo resources[] = {
    {.name = "JOE", .kind = COSY_FACILITY, .capacity = 1, .line = 2}};
/* z > 0, then z >= 0, of each rule. */
#define WAIT(name_, rule, side)                                                \
    {                                                                          \
        .name = name_, .kind = COSY_WAIT, .event = rule, .process = 0,         \
        .line = 3, .zero = side                                                \
    }
static const CosyConditionInfo waits[2 * RULES] = {
    WAIT("first", 0, -1), WAIT("second", 1, -1), WAIT("first, closed", 0, 1),
    WAIT("second, closed", 1, 1)};

static CosyStatus empty_level(Cosy *c, uint32_t event, uint32_t record)
{
    (void)record;
    if (event == 0)
        c->x[0] = R(0.0);
    else
        world(c)->stock += R(1.0);
    return COSY_OK;
}

static const CosyEventInfo events[] = {{.name = "EMPTY", .line = 4},
                                       {.name = "SUPPLY", .line = 5}};

#define SHOP                                                                   \
    .version = COSY_VERSION, .precision = COSY_PRECISION,                      \
    .real_size = sizeof(real), .name = "SHOP", .source = "shop.cosy",          \
    .hash = "", .data_size = sizeof(World), .transaction_size = sizeof(Actor), \
    .record_size = sizeof(CosyRecord), .n_processes = 1,                       \
    .processes = processes, .n_resources = 1, .resources = resources,          \
    .n_time_events = 2, .time_events = events, .time_event = empty_level,      \
    .resume = script_resume, .until = until, .initial = initial, SCRIPT_WAITS

static const CosyModel discrete = {SHOP};
static const CosyModel timed = {
    SHOP, .waits_most = RULES, .n_conditions_info = 2 * RULES,
    .conditions_info = waits, .conditions = conditions};
static const CosyModel mixed = {SHOP,
                                .waits_most = RULES,
                                .n_conditions_info = 2 * RULES,
                                .conditions_info = waits,
                                .conditions = conditions,
                                .states = 1,
                                .derivatives = derivatives};

/* ---- Runs -------------------------------------------------------------------- */

static CosyStatus grow(Cosy *c, CosySegment segment)
{
    if (segment == COSY_SEGMENT_HEAP && calendar_compact(c))
        return COSY_OK;
    return instance_grow(c, segment);
}

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    (void)c;
    (void)severity;
    (void)line;
    printf("%s\n", text);
}

static const CosyHost host = {
    .grow = grow, .refuse = instance_refuse, .message = message};

static void go(Run *r, const CosyModel *m, const World *w, double to)
{
    RunOptions o = {.to = (real)to,
                    .solver = {.relerr = R(1e-8), .abserr = R(1e-10)}};
    CHECK(run_create(r, m, &host, NULL) == STATUS_OK);
    memcpy(r->c->data, w, sizeof *w);
    Status status = run_go(r, &o);
    if (status != STATUS_OK)
        printf("%s\n", r->fault.text);
    CHECK(status == STATUS_OK);
}

/* Marks in order; times within a few last places, or exactly. */
static void check_log(const Run *r, const Expected *e, uint32_t n, bool exact)
{
    const Log *log = r->c->data;
    CHECK(log->n == n);
    for (uint32_t k = 0; k < n && k < log->n; k++) {
        real off = cosy_abs(log->t[k] - (real)e[k].t);
        CHECK(log->mark[k] == e[k].mark);
        CHECK(off <= (exact ? R(0.0) : R(1e-12)));
        if (off > R(1e-12))
            printf("mark %d at %.17g\n", log->mark[k], (double)log->t[k]);
    }
}

#define CHECK_LOG(r, exact, ...)                                               \
    do {                                                                       \
        const Expected expected_[] = {__VA_ARGS__};                            \
        check_log(r, expected_, LENGTH(expected_), exact);                     \
    } while (0)

/* ---- Cases -------------------------------------------------------------------- */

static const Step one[] = {
    {OP_UNTIL, 0, 0, -1.0}, {OP_LOG, 1, 0, 0}, {OP_END, 0, 0, 0}};
static const Step two[] = {
    {OP_UNTIL, 0, 0, -1.0}, {OP_LOG, 2, 0, 0}, {OP_END, 0, 0, 0}};
static const Step three[] = {
    {OP_UNTIL, 1, 0, -1.0}, {OP_LOG, 3, 0, 0}, {OP_END, 0, 0, 0}};

/* The stock grows at 1, 2, 3, 4; each transaction takes one away, the higher
   priority first, then the earlier arrival. */
static CosyStatus take_resume(Cosy *c, uint32_t id)
{
    if (cosy_transaction(c, id)->point > 0)
        world(c)->stock -= R(1.0);
    return script_resume(c, id);
}

static CosyStatus supply(Cosy *c)
{
    script_begin(c, one, 0.0, 0);
    script_begin(c, two, 0.0, 0);
    script_begin(c, two, 0.5, 3);
    script_begin(c, three, 0.5, 0);
    for (int k = 1; k < 5; k++)
        COSY_TRY(cosy_schedule(c, 1, COSY_NONE, (real)k, 0));
    return COSY_OK;
}

static void test_discrete(void)
{
    static const Rule rules[][RULES] = {{{STOCK, R(1.0), 1, true}},
                                        {{STOCK, R(1.0), 1, true}}};
    CosyModel m = discrete;
    Run r;
    m.resume = take_resume;
    const World w = {.rule = rules, .rules = 1, .begin = supply};
    go(&r, &m, &w, 10.0);
    CHECK(r.plain);
    CHECK_LOG(&r, true, {2, 1}, {1, 2}, {2, 3}, {3, 4});
    CHECK(transactions_alive(r.c) == 0 && r.c->head->untils == 0);
    run_free(&r);
}

/* The first that goes on makes the condition true for one before it. */
static CosyStatus chain(Cosy *c)
{
    script_begin(c, three, 0.0, 5); // needs 2
    script_begin(c, one, 0.0, 0);   // needs 1, and brings 1
    script_begin(c, two, 0.0, 0);
    return cosy_schedule(c, 1, COSY_NONE, R(1.0), 0);
}

static CosyStatus bring_resume(Cosy *c, uint32_t id)
{
    if (cosy_transaction(c, id)->point > 0 && actor(c, id)->story == one)
        world(c)->stock += R(1.0);
    return script_resume(c, id);
}

static void test_chain(void)
{
    static const Rule rules[][RULES] = {{{STOCK, R(1.0), 1, true}},
                                        {{STOCK, R(2.0), 1, true}}};
    CosyModel m = discrete;
    Run r;
    m.resume = bring_resume;
    const World w = {.rule = rules, .rules = 1, .begin = chain};
    go(&r, &m, &w, 10.0);
    CHECK_LOG(&r, true, {1, 1}, {3, 1}, {2, 1});
    run_free(&r);
}

/* TIME alone: on the instant, with and without an equals sign. */
static CosyStatus timers(Cosy *c)
{
    script_begin(c, one, 0.0, 0);
    script_begin(c, three, 0.25, 0);
    return COSY_OK;
}

static void test_time(void)
{
    static const Rule rules[][RULES] = {{{CLOCK, R(1.25), 1, true}},
                                        {{CLOCK, R(1.5), 1, false}}};
    Run r;
    const World w = {.rule = rules, .rules = 1, .begin = timers};
    go(&r, &timed, &w, 10.0);
    CHECK_LOG(&r, false, {1, 1.25}, {3, 1.5});
    const Log *log = r.c->data;
    CHECK(log->t[0] == R(1.25)); // TIME >= 1.25
    CHECK(log->t[1] > R(1.5));   // TIME > 1.5: where it is true
    run_free(&r);
}

/* X' = 1 from 0. Both wait for 2.5; the first empties the tank in passing, so the
   second waits for another 2.5. */
static CosyStatus pair(Cosy *c)
{
    script_begin(c, one, 0.0, 0);
    script_begin(c, two, 1.0, 0);
    return COSY_OK;
}

static CosyStatus empty_resume(Cosy *c, uint32_t id)
{
    if (cosy_transaction(c, id)->point > 0 && actor(c, id)->story == one)
        c->x[0] = R(0.0);
    return script_resume(c, id);
}

static void test_level(bool closed)
{
    const Rule rules[][RULES] = {{{LEVEL, R(2.5), 1, closed}}};
    CosyModel m = mixed;
    Run r;
    const World w = {.rule = rules, .rules = 1, .begin = pair, .rate = R(1.0)};
    go(&r, &m, &w, 10.0);
    CHECK_LOG(&r, false, {1, 2.5}, {2, 2.5});
    run_free(&r);
    m.resume = empty_resume;
    go(&r, &m, &w, 10.0);
    CHECK_LOG(&r, false, {1, 2.5}, {2, 5.0});
    run_free(&r);
}

/* It is zero when the wait begins, and grows: strict relations hold right after
   that. */
static void test_from_zero(void)
{
    static const Rule rules[][RULES] = {{{LEVEL, R(0.0), 1, false}}};
    Run r;
    const World w = {.rule = rules, .rules = 1, .begin = pair, .rate = R(1.0)};
    go(&r, &mixed, &w, 4.0);
    CHECK_LOG(&r, false, {1, 0.0}, {2, 1.0});
    run_free(&r);
}

/* Two strict relations that become true exactly at the same instant; and one
   that follows the other. */
static void test_both(void)
{
    static const Rule rules[][RULES] = {
        {{LEVEL, R(2.0), 1, false}, {CLOCK, R(2.0), 1, false}},
        {{LEVEL, R(1.0), 1, true}, {CLOCK, R(3.0), 1, true}}};
    Run r;
    const World w = {
        .rule = rules, .rules = 2, .begin = timers, .rate = R(1.0)};
    go(&r, &mixed, &w, 10.0);
    CHECK_LOG(&r, false, {1, 2.0}, {3, 3.0});
    run_free(&r);
}

/* A level that falls; an event empties it earlier. */
static CosyStatus falling(Cosy *c)
{
    c->x[0] = R(8.0);
    script_begin(c, one, 0.0, 0);
    script_begin(c, three, 0.0, 0);
    return cosy_schedule(c, 0, COSY_NONE, R(3.0), 0);
}

static void test_falling(void)
{
    static const Rule rules[][RULES] = {{{LEVEL, R(6.0), -1, true}},
                                        {{LEVEL, R(1.0), -1, true}}};
    Run r;
    const World w = {
        .rule = rules, .rules = 1, .begin = falling, .rate = R(-1.0)};
    go(&r, &mixed, &w, 5.0);
    CHECK_LOG(&r, false, {1, 2.0}, {3, 3.0});
    run_free(&r);
}

/* TIMEOUT before, after and without the condition. */
static CosyStatus hurried(Cosy *c)
{
    static const Step soon[] = {
        {OP_UNTIL, 0, 0, 1.0}, {OP_LOG, 4, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step late[] = {
        {OP_UNTIL, 0, 0, 3.0}, {OP_LOG, 5, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step never[] = {
        {OP_UNTIL, 1, 0, 6.0}, {OP_LOG, 6, 0, 0}, {OP_END, 0, 0, 0}};
    script_begin(c, soon, 0.0, 0);
    script_begin(c, late, 0.0, 0);
    script_begin(c, never, 0.0, 0);
    return COSY_OK;
}

static void test_timeout(void)
{
    static const Rule rules[][RULES] = {{{LEVEL, R(2.0), 1, true}},
                                        {{LEVEL, R(99.0), 1, true}}};
    Run r;
    const World w = {
        .rule = rules, .rules = 1, .begin = hurried, .rate = R(1.0)};
    go(&r, &mixed, &w, 10.0);
    CHECK_LOG(&r, false, {4, 1.0}, {5, 2.0}, {6, 6.0});
    CHECK(r.c->head->heap_void == 0 && r.c->head->untils == 0);
    run_free(&r);
}

/* More of them than the list of conditions had room for at the start. */
static CosyStatus crowd(Cosy *c)
{
    for (int k = 0; k < 60; k++)
        script_begin(c, k % 2 ? one : two, 0.01 * k, 0);
    return COSY_OK;
}

static void test_crowd(void)
{
    static const Rule rules[][RULES] = {{{LEVEL, R(2.0), 1, true}}};
    Run r;
    const World w = {.rule = rules, .rules = 1, .begin = crowd, .rate = R(1.0)};
    go(&r, &mixed, &w, 3.0);
    const Log *log = r.c->data;
    CHECK(log->n == 60);
    for (uint32_t k = 0; k < log->n; k++) {
        CHECK(log->mark[k] == (k % 2 ? 1 : 2));
        CHECK(cosy_abs(log->t[k] - R(2.0)) < R(1e-12));
    }
    run_free(&r);
}

/* Many events, one that waits: it is asked once per instant, and where the
   clock checks everything. */
static CosyStatus busy(Cosy *c)
{
    static Step walk[5001];
    for (int k = 0; k < 5000; k++)
        walk[k] = (Step){OP_ADVANCE, 0, 0, 0.015625};
    walk[5000] = (Step){OP_END, 0, 0, 0};
    script_begin(c, one, 0.0, 0);
    script_begin(c, walk, 0.0, 0);
    script_begin(c, walk, 0.0, 0);
    return COSY_OK;
}

static void test_asked(void)
{
    static const Rule rules[][RULES] = {{{STOCK, R(1.0), 1, true}}};
    Run r;
    const World w = {.rule = rules, .rules = 1, .begin = busy};
    go(&r, &discrete, &w, 100.0);
    printf("asked %u times\n", (unsigned)world(r.c)->asked);
    CHECK(world(r.c)->asked > 5000 && world(r.c)->asked < 7000);
    CHECK(r.c->head->untils == 1);
    run_free(&r);
}

/* Ten that wait, and a stock that grows by 1 at 1, 2 and 3. Where only what has
   changed is asked for, nobody is asked in between; where all of them read the
   same, the first that has to wait answers for all. */
static CosyStatus ten(Cosy *c)
{
    static Step walk[5001];
    for (int k = 0; k < 5000; k++)
        walk[k] = (Step){OP_ADVANCE, 0, 0, 0.015625};
    walk[5000] = (Step){OP_END, 0, 0, 0};
    for (int k = 0; k < 10; k++)
        script_begin(c, k % 2 ? one : two, 0.01 * k, 0);
    script_begin(c, walk, 0.0, 0);
    for (int k = 1; k < 4; k++)
        COSY_TRY(cosy_schedule(c, 1, COSY_NONE, (real)k, 0));
    return COSY_OK;
}

static CosyStatus marking_resume(Cosy *c, uint32_t id)
{
    const Step *story = actor(c, id)->story;
    if (cosy_transaction(c, id)->point == 0 || (story != one && story != two))
        return script_resume(c, id);
    cosy_until_mark(c, 0);
    return take_resume(c, id);
}

static CosyStatus marking_event(Cosy *c, uint32_t event, uint32_t record)
{
    cosy_until_mark(c, 0);
    return empty_level(c, event, record);
}

static void test_marked(bool alike)
{
    static const Rule rules[][RULES] = {{{STOCK, R(1.0), 1, true}}};
    const CosyWaitInfo waits_once = {.lists = 1, .alike = alike};
    CosyModel m = discrete;
    Run r;
    m.resume = marking_resume;
    m.time_event = marking_event;
    m.waits = &waits_once;
    const World w = {.rule = rules, .rules = 1, .begin = ten};
    go(&r, &m, &w, 100.0);
    CHECK_LOG(&r, true, {2, 1}, {1, 2}, {2, 3});
    CHECK(r.c->head->untils == 7 && r.c->head->asks == 0);
    /* At each supply the first goes on and takes what there is; then the others
       are asked, nine, eight and seven. */
    CHECK(world(r.c)->asked == (alike ? 2 + 2 + 2 : 10 + 9 + 8));
    run_free(&r);
}

int main(void)
{
    test_discrete();
    test_chain();
    test_time();
    test_level(true);
    test_level(false);
    test_from_zero();
    test_both();
    test_falling();
    test_timeout();
    test_crowd();
    test_asked();
    test_marked(false);
    test_marked(true);
    return check_end();
}
