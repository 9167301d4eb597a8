#include "script.h"

/* What transactions do to each other, by hand: SPLIT and JOIN, INTERRUPT,
   TERMINATE, priorities that change while waiting, PREEMPT with RESTART, units
   of a storage and which transaction has them, the order of WAIT UNTIL. */

enum { JOE, PARK, DOOR, MEET, LAST };

static const CosyProcessInfo processes[] = {
    {.name = "SHOP", .capacity = 40, .line = 1}};

static const CosyResourceInfo resources[] = {
    {.name = "JOE", .kind = COSY_FACILITY, .capacity = 1, .line = 2},
    {.name = "PARK", .kind = COSY_STORAGE, .capacity = 5, .line = 3},
    {.name = "DOOR", .kind = COSY_GATE, .capacity = 0, .line = 4},
    {.name = "JOIN", .kind = COSY_JOINT, .line = 5},
    {.name = "LAST", .kind = COSY_FACILITY, .capacity = 1, .line = 6},
};

static const CosyModel model = {.data_size = sizeof(Log),
                                .transaction_size = sizeof(Actor),
                                .record_size = sizeof(CosyRecord),
                                .n_processes = 1,
                                .processes = processes,
                                .n_resources = 5,
                                .resources = resources,
                                .resume = script_resume,
                                SCRIPT_WAITS};

static CosyTransaction *at(Cosy *c, uint32_t id)
{
    return cosy_transaction(c, id);
}

static void go(Cosy *c, double t)
{
    CHECK(host_run(c, (real)t) == COSY_OK);
    c->head->t = (real)t;
}

static bool is_refused(CosyStatus s)
{
    return COSY_REASON(s) == COSY_REFUSED;
}

/* ---- SPLIT, JOIN ---------------------------------------------------------- */

/* Three copies: number, family, GENTIM and priority of each; the original goes
   on first. */
static void test_split(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},   {OP_ADVANCE, 0, 0, 2.0},
                             {OP_SPLIT, 3, 0, 0},     {OP_LOG, 1, 0, 0},
                             {OP_ADVANCE, 0, 0, 1.0}, {OP_UNTIL, 0, 0, -1.0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t first = script_begin(c, a, 1.0, 4);
    script_begin(c, a, 50.0, 0);
    go(c, 3.0);
    SCRIPT_CHECK(c, {1, 3}, {1, 3}, {1, 3}, {1, 3});
    CHECK(transactions_alive(c) == 5 && c->population[0].count == 5);
    CHECK(c->population[0].entries == 5 && c->population[0].most == 5);
    CHECK(at(c, first)->number == 1 && at(c, first)->held == 1);
    CHECK(at(c, 1)->family == 2);
    for (uint32_t id = 2; id < 5; id++) {
        const CosyTransaction *tr = at(c, id);
        CHECK(tr->number == id + 1 && tr->family == 1);
        CHECK(tr->gentim == R(1.0) && tr->priority == 4);
        CHECK(tr->held == 0 && tr->stays == COSY_NONE);
        CHECK(actor(c, id)->story == a);
    }
    go(c, 4.0);
    /* in order of arrival: the original, then the copies */
    CHECK(c->until[0].head == first && c->head->untils == 4);
    CHECK(at(c, first)->next == 2 && c->until[0].tail == 4);
    host_close(&host);
}

/* Members come at 1, 2, 3 and 4 time units; the one with the smallest number,
   the original, comes first and goes on when the last is there. */
static void test_join(void)
{
    static const Step a[] = {{OP_SPLIT, 1, 0, 0},   {OP_ADVANCE, 0, 0, 1.0},
                             {OP_JOIN, MEET, 2, 0}, {OP_LOG, 1, 0, 0},
                             {OP_JOIN, MEET, 1, 0}, {OP_LOG, 2, 0, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, a, 0.0, 0);
    script_begin(c, a, 0.25, 0); // another family does not mix
    go(c, 1.0);
    SCRIPT_CHECK(c, {1, 1}, {2, 1});
    CHECK(transactions_alive(c) == 2);
    go(c, 2.0);
    SCRIPT_CHECK(c, {1, 1}, {2, 1}, {1, 1.25}, {2, 1.25});
    CHECK(transactions_alive(c) == 0 && c->population[0].entries == 4);
    CHECK(c->resource[MEET].waiting == 0 && c->resource[MEET].entries == 6);
    host_close(&host);
}

/* If the last one to arrive has the smallest number, it goes on itself;
   otherwise it ends, and the one that waits is resumed. */
static void test_join_order(void)
{
    static const Step a[] = {{OP_SPLIT, 2, 0, 0},
                             {OP_JOIN, MEET, 3, 0},
                             {OP_LOG, 1, 0, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = script_begin(c, a, 0.0, 0);
    go(c, 5.0);
    SCRIPT_CHECK(c, {1, 0});
    CHECK(transactions_alive(c) == 0);
    id = script_begin(c, a, 6.0, 0);
    at(c, id)->number = 1000; // larger than those of its copies
    go(c, 7.0);
    SCRIPT_CHECK(c, {1, 0}, {1, 6});
    CHECK(transactions_alive(c) == 0 && c->resource[MEET].waiting == 0);
    CHECK(c->resource[MEET].head == COSY_NONE);
    host_close(&host);
}

static void test_join_refused(void)
{
    static const Step none[] = {{OP_SPLIT, 0, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step zero[] = {{OP_JOIN, MEET, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step many[] = {{OP_SPLIT, 40, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step holds[] = {{OP_SPLIT, 1, 0, 0},
                                 {OP_ADVANCE, 0, 0, 1.0},
                                 {OP_SEIZE, JOE, 0, 0},
                                 {OP_JOIN, MEET, 2, 0},
                                 {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, none, 0.0, 0);
    CHECK(is_refused(host_run(c, R(9.0))));
    script_begin(c, zero, 0.0, 0);
    CHECK(is_refused(host_run(c, R(9.0))));
    script_begin(c, many, 0.0, 0);
    CHECK(is_refused(host_run(c, R(9.0))));
    discrete_reset(c);
    c->head->t = R(0.0);
    script_begin(c, holds, 0.0, 0);
    /* the original waits while it holds JOE, its copy waits for JOE */
    go(c, 9.0);
    CHECK(c->resource[JOE].waiting == 1 && c->resource[MEET].waiting == 1);
    host_close(&host);
}

/* ---- INTERRUPT ------------------------------------------------------------- */

static const Step user[] = {{OP_SEIZE, JOE, 0, 0},   {OP_LOG, 1, 0, 0},
                            {OP_ADVANCE, 0, 0, 4.0}, {OP_LOG, 2, 0, 0},
                            {OP_RELEASE, JOE, 0, 0}, {OP_END, 0, 0, 0}};
static const Step bully[] = {{OP_PREEMPT, JOE, 9, 0},
                             {OP_ADVANCE, 0, 0, 3.0},
                             {OP_RELEASE, JOE, 0, 0},
                             {OP_END, 0, 0, 0}};

/* A displaced transaction is done with its ADVANCE and goes on when it gets its
   facility back. */
static void test_interrupt_displaced(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = script_begin(c, user, 0.0, 0);
    script_begin(c, bully, 1.0, 0);
    go(c, 2.0);
    CHECK(at(c, id)->at == JOE && at(c, id)->due == R(3.0));
    CHECK(cosy_interrupt(c, id) == COSY_OK);
    go(c, 9.0);
    SCRIPT_CHECK(c, {1, 0}, {2, 4});
    CHECK(transactions_alive(c) == 0 && c->resource[JOE].used_area == R(4.0));
    host_close(&host);
}

/* Interrupts those in queues and WAIT UNTIL; a running one is left alone, one
   that has not begun begins. */
static void test_interrupt_waiting(void)
{
    static const Step gate[] = {
        {OP_PASS, DOOR, 0, 0}, {OP_LOG, 3, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step until[] = {
        {OP_UNTIL, 0, 0, 8.0}, {OP_LOG, 4, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step late[] = {{OP_LOG, 5, 0, 0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t a[3];
    for (int k = 0; k < 3; k++)
        a[k] = script_begin(c, gate, 0.0, 0);
    uint32_t b = script_begin(c, until, 0.0, 0);
    uint32_t d = script_begin(c, late, 20.0, 0);
    go(c, 1.0);
    CHECK(cosy_interrupt(c, a[1]) == COSY_OK);
    CHECK(c->resource[DOOR].head == a[0] && c->resource[DOOR].tail == a[2]);
    CHECK(at(c, a[0])->next == a[2] && at(c, a[2])->previous == a[0]);
    CHECK(cosy_interrupt(c, a[1]) == COSY_OK); // about to go on: once is enough
    CHECK(cosy_interrupt(c, b) == COSY_OK);
    CHECK(c->head->untils == 0 && c->until[0].head == COSY_NONE);
    CHECK(cosy_interrupt(c, d) == COSY_OK);
    CHECK(at(c, d)->gentim == R(1.0));
    go(c, 2.0);
    SCRIPT_CHECK(c, {3, 1}, {4, 1}, {5, 1});
    CHECK(cosy_interrupt(c, a[2]) == COSY_OK);
    CHECK(c->resource[DOOR].tail == a[0]);
    CHECK(cosy_interrupt(c, a[0]) == COSY_OK);
    CHECK(c->resource[DOOR].head == COSY_NONE);
    CHECK(c->resource[DOOR].waiting == 0);
    CHECK(c->resource[DOOR].wait_sum == R(5.0)); // 1 + 2 + 2
    go(c, 3.0);
    CHECK(transactions_alive(c) == 0 && c->head->heap_void == 0);
    host_close(&host);
}

/* ---- TERMINATE --------------------------------------------------------------- */

/* Facilities and units go to those that wait; a transaction with units of two
   storages gives back both. */
static void test_terminate(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},    {OP_SEIZE, LAST, 0, 0},
                             {OP_ENTER, PARK, 2, 0},   {OP_ENTER, PARK, 3, 0},
                             {OP_ADVANCE, 0, 0, 90.0}, {OP_END, 0, 0, 0}};
    static const Step b[] = {{OP_ENTER, PARK, 4, 0},   {OP_LOG, 1, 0, 0},
                             {OP_SEIZE, LAST, 0, 0},   {OP_LOG, 2, 0, 0},
                             {OP_RELEASE, LAST, 0, 0}, {OP_LEAVE, PARK, 4, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = script_begin(c, a, 0.0, 0);
    script_begin(c, b, 1.0, 0);
    go(c, 2.0);
    CHECK(c->resource[PARK].used == 5 && c->resource[PARK].waiting == 1);
    CHECK(c->stay[at(c, id)->stays].units == 5);
    CHECK(cosy_terminate(c, id) == COSY_OK);
    CHECK(c->resource[PARK].used == 4 && c->resource[JOE].holder == COSY_NONE);
    go(c, 3.0);
    SCRIPT_CHECK(c, {1, 2}, {2, 2});
    CHECK(c->resource[PARK].used == 0 && c->resource[PARK].lost == 0);
    CHECK(transactions_alive(c) == 0);
    host_close(&host);
}

/* ---- Who has the units of a storage ----------------------------------------- */

static void test_stays(void)
{
    static const Step keeps[] = {{OP_ENTER, PARK, 2, 0}, {OP_END, 0, 0, 0}};
    static const Step leaves[] = {{OP_LEAVE, PARK, 1, 0}, {OP_END, 0, 0, 0}};
    static const Step own[] = {{OP_ENTER, PARK, 3, 0},
                               {OP_LEAVE, PARK, 1, 0},
                               {OP_ADVANCE, 0, 0, 1.0},
                               {OP_LEAVE, PARK, 2, 0},
                               {OP_END, 0, 0, 0}};
    static const Step slow[] = {
        {OP_ENTER, PARK, 1, 0}, {OP_ADVANCE, 0, 0, 5.0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    const CosyResource *park = c->resource + PARK;
    script_begin(c, own, 0.0, 0);
    go(c, 2.0);
    CHECK(park->used == 0 && park->lost == 0 && !park->strange);
    script_begin(c, keeps, 3.0, 0);
    go(c, 3.0);
    CHECK(park->used == 2 && park->lost == 2 && park->lost_by == 2);
    script_begin(c, leaves, 4.0, 0);
    go(c, 4.0);
    CHECK(park->used == 1 && park->lost == 1 && park->strange);
    /* left by another while the owner is still there: nothing is lost */
    script_begin(c, slow, 5.0, 0);
    script_begin(c, leaves, 6.0, 0);
    script_begin(c, leaves, 6.0, 0);
    go(c, 7.0);
    CHECK(park->used == 0 && park->lost == 0 && park->owed == 1);
    go(c, 11.0);
    CHECK(park->used == 0 && park->lost == 0 && park->owed == 0);
    /* a terminated one does not give back what another has left for it */
    uint32_t id = script_begin(c, slow, 12.0, 0);
    script_begin(c, leaves, 13.0, 0);
    go(c, 13.0);
    CHECK(cosy_terminate(c, id) == COSY_OK);
    CHECK(park->used == 0 && park->owed == 0);
    CHECK(is_refused(cosy_leave(c, PARK, COSY_NONE, 1)));
    host_close(&host);
}

/* ---- Priorities ---------------------------------------------------------------- */

/* Three wait for JOE with their own priority, and the last is raised to that of
   the first: it comes after the first and before the second. One that waits
   with the priority of its statement stays where it is. */
static void test_priority_queue(void)
{
    static const Step holds[] = {{OP_SEIZE, JOE, 0, 0},
                                 {OP_ADVANCE, 0, 0, 10.0},
                                 {OP_RELEASE, JOE, 0, 0},
                                 {OP_END, 0, 0, 0}};
    static Step wait[4][4];
    static const int rank[] = {5, 0, 0, 3};
    static const int priority[] = {5, 0, 0, 1};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id[4];
    script_begin(c, holds, 0.0, 0);
    for (int k = 0; k < 4; k++) {
        const Step story[] = {{OP_SEIZE, JOE, rank[k], 0},
                              {OP_LOG, k, 0, 0},
                              {OP_RELEASE, JOE, 0, 0},
                              {OP_END, 0, 0, 0}};
        memcpy(wait[k], story, sizeof story);
        id[k] = script_begin(c, wait[k], 1.0 + k, priority[k]);
    }
    go(c, 6.0);
    CHECK(cosy_set_priority(c, id[2], 5) == COSY_OK);
    CHECK(cosy_set_priority(c, id[3], 500) == COSY_OK);
    CHECK(is_refused(cosy_set_priority(c, id[1], (real)NAN)));
    CHECK(c->resource[JOE].head == id[0] && at(c, id[0])->next == id[2]);
    CHECK(c->resource[JOE].waiting == 4 && c->resource[JOE].waits == 4);
    go(c, 11.0);
    SCRIPT_CHECK(c, {0, 10}, {2, 10}, {3, 10}, {1, 10});
    CHECK(c->resource[JOE].wait_sum == R(9.0) + R(8.0) + R(7.0) + R(6.0));
    CHECK(transactions_alive(c) == 0);
    host_close(&host);
}

/* One that waits for 1 place overtakes one that waits for 5, when its priority
   rises: at once. */
static void test_priority_storage(void)
{
    static const Step holds[] = {{OP_ENTER, PARK, 3, 0},
                                 {OP_ADVANCE, 0, 0, 9.0},
                                 {OP_LEAVE, PARK, 3, 0},
                                 {OP_END, 0, 0, 0}};
    static const Step five[] = {{OP_ENTER, PARK, 5, 0},
                                {OP_LOG, 5, 0, 0},
                                {OP_LEAVE, PARK, 5, 0},
                                {OP_END, 0, 0, 0}};
    static const Step one[] = {{OP_ENTER, PARK, 1, 0},
                               {OP_LOG, 1, 0, 0},
                               {OP_LEAVE, PARK, 1, 0},
                               {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, holds, 0.0, 0);
    script_begin(c, five, 1.0, 0);
    uint32_t id = script_begin(c, one, 2.0, 0);
    go(c, 3.0);
    CHECK(cosy_set_priority(c, id, 1) == COSY_OK);
    go(c, 10.0);
    SCRIPT_CHECK(c, {1, 3}, {5, 9});
    host_close(&host);
}

/* A holder with its own priority becomes stronger when that rises; the calendar
   and the list of WAIT UNTIL follow too. */
static void test_priority_else(void)
{
    static const Step mild[] = {{OP_PREEMPT, JOE, 3, 0},
                                {OP_LOG, 7, 0, 0},
                                {OP_RELEASE, JOE, 0, 0},
                                {OP_END, 0, 0, 0}};
    static const Step walk[] = {
        {OP_ADVANCE, 0, 0, 6.0}, {OP_LOG, 8, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step until[] = {
        {OP_UNTIL, 0, 0, -1.0}, {OP_LOG, 9, 0, 0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = script_begin(c, user, 0.0, 0); // until 4
    script_begin(c, mild, 1.0, 0);
    go(c, 0.5);
    CHECK(cosy_set_priority(c, id, 4) == COSY_OK);
    go(c, 5.0);
    SCRIPT_CHECK(c, {1, 0}, {2, 4}, {7, 4});
    ((Log *)c->data)->n = 0;
    script_begin(c, walk, 5.0, 0);
    id = script_begin(c, walk, 5.0, 0);
    go(c, 6.0);
    CHECK(cosy_set_priority(c, id, 1) == COSY_OK);
    CosyPending e;
    CHECK(cosy_calendar_due(c, R(20.0), &e) && COSY_BODY_ID(e.body) == id);
    discrete_reset(c);
    uint32_t a = script_begin(c, until, 7.0, 0);
    uint32_t b = script_begin(c, until, 7.0, 0);
    uint32_t d = script_begin(c, until, 7.0, 2);
    go(c, 8.0);
    CHECK(c->until[0].head == d && at(c, d)->next == a);
    CHECK(cosy_set_priority(c, b, 2) == COSY_OK);
    CHECK(at(c, d)->next == b && at(c, b)->next == a);
    CHECK(c->until[0].tail == a && c->head->untils == 3);
    CHECK(cosy_set_priority(c, d, -1) == COSY_OK);
    CHECK(c->until[0].head == b && c->until[0].tail == d);
    host_close(&host);
}

/* ---- PREEMPT ... RESTART -------------------------------------------------------- */

/* 4 units of work, displaced at 1 for 3 units: without RESTART it ends at 7,
   with RESTART at 8; displaced a second time without RESTART it keeps what is
   left. */
static void test_restart(void)
{
    static const Step again[] = {{OP_PREEMPT, JOE, 9, 1.0},
                                 {OP_ADVANCE, 0, 0, 3.0},
                                 {OP_RELEASE, JOE, 0, 0},
                                 {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, user, 0.0, 0);
    script_begin(c, bully, 1.0, 0);
    go(c, 20.0);
    SCRIPT_CHECK(c, {1, 0}, {2, 7});
    ((Log *)c->data)->n = 0;
    script_begin(c, user, 20.0, 0);
    script_begin(c, again, 21.0, 0);
    go(c, 40.0);
    SCRIPT_CHECK(c, {1, 20}, {2, 28});
    ((Log *)c->data)->n = 0;
    script_begin(c, user, 40.0, 0);
    script_begin(c, bully, 41.0, 0); // 3 are left at 44
    script_begin(c, again, 45.0, 0); // all 4 again at 48
    script_begin(c, bully, 50.0, 0); // 2 are left at 53
    go(c, 60.0);
    SCRIPT_CHECK(c, {1, 40}, {2, 55});
    CHECK(transactions_alive(c) == 0 && c->head->heap_void == 0);
    host_close(&host);
}

/* Not in ADVANCE: a holder that waits with a TIMEOUT, or at a gate, keeps its
   facility. */
static void test_not_displaced(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},   {OP_UNTIL, 0, 0, 4.0},
                             {OP_PASS, DOOR, 0, 0},   {OP_LOG, 1, 0, 0},
                             {OP_RELEASE, JOE, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step p[] = {{OP_PREEMPT, JOE, 9, 1.0},
                             {OP_LOG, 2, 0, 0},
                             {OP_RELEASE, JOE, 0, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, a, 0.0, 0);
    script_begin(c, p, 1.0, 0);
    go(c, 6.0);
    CHECK(cosy_gate_open(c, DOOR) == COSY_OK);
    go(c, 7.0);
    SCRIPT_CHECK(c, {1, 6}, {2, 6});
    host_close(&host);
}

/* ---- By number ------------------------------------------------------------------ */

static void check_number(Cosy *c, int64_t number, uint32_t want)
{
    uint32_t id = 77;
    CosyStatus s = c->host->transaction(c, 0, number, &id);
    if (want == COSY_NONE)
        CHECK(is_refused(s));
    else
        CHECK(s == COSY_OK && id == want);
}

static void test_numbers(void)
{
    static const Step brief[] = {{OP_ADVANCE, 0, 0, 0.5}, {OP_END, 0, 0, 0}};
    static const Step stays[] = {{OP_ADVANCE, 0, 0, 1e6}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t old = script_begin(c, stays, 0.0, 0);
    check_number(c, 1, old);
    c->numbered = host_room(8 * sizeof *c->numbered);
    c->numbered_mask = 7;
    transactions_renumber(c);
    check_number(c, 1, old);
    for (int k = 1; k < 100; k++) {
        uint32_t id = script_begin(c, brief, k, 0);
        check_number(c, k + 1, id); // by the table
        go(c, (double)k + 0.75);
        check_number(c, k + 1, COSY_NONE); // it has ended
        check_number(c, 1, old);           // its place in the table is lost
    }
    check_number(c, 0, COSY_NONE);
    check_number(c, -5, COSY_NONE);
    check_number(c, 101, COSY_NONE);
    check_number(c, (int64_t)1 << 40 | 1, COSY_NONE);
    uint32_t id;
    CHECK(c->host->transaction(c, COSY_NONE, 1, &id) == COSY_OK && id == old);
    CHECK(is_refused(c->host->transaction(c, 1, 1, &id)));
    // one more than 32 bits can count is not taken for the first
    c->head->transaction_number = (uint64_t)1 << 32;
    uint32_t late = script_begin(c, stays, 200.0, 0);
    CHECK(cosy_transaction(c, late)->number == ((uint64_t)1 << 32 | 1));
    check_number(c, (int64_t)1 << 32 | 1, late);
    check_number(c, 1, old);
    host_close(&host);
}

int main(void)
{
    test_split();
    test_join();
    test_join_order();
    test_join_refused();
    test_interrupt_displaced();
    test_interrupt_waiting();
    test_terminate();
    test_stays();
    test_priority_queue();
    test_priority_storage();
    test_priority_else();
    test_restart();
    test_not_displaced();
    test_numbers();
    return check_end();
}
