#include "script.h"

/* FACILITY, STORAGE, GATE and SIGNAL: cases computed by hand. */

enum { JOE, PARK, DOOR, BELL };

static const CosyProcessInfo processes[] = {{.name = "SHOP", .line = 1}};

static const CosyResourceInfo resources[] = {
    {.name = "JOE", .kind = COSY_FACILITY, .capacity = 1, .line = 2},
    {.name = "PARK", .kind = COSY_STORAGE, .capacity = 5, .line = 3},
    {.name = "DOOR", .kind = COSY_GATE, .capacity = 0, .line = 4},
    {.name = "BELL", .kind = COSY_SIGNAL, .line = 5},
};

static const CosyModel model = {.data_size = sizeof(Log),
                                .transaction_size = sizeof(Actor),
                                .record_size = sizeof(CosyRecord),
                                .n_processes = 1,
                                .processes = processes,
                                .n_resources = 4,
                                .resources = resources,
                                .resume = script_resume};

/* Begins at 0, 1, 1.5; each holds JOE for 3: waits 0, 2, 4.5. */
static void test_facility(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},   {OP_LOG, 1, 0, 0},
                             {OP_ADVANCE, 0, 0, 3.0}, {OP_RELEASE, JOE, 0, 0},
                             {OP_LOG, 2, 0, 0},       {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, a, 0.0, 0);
    script_begin(c, a, 1.0, 0);
    script_begin(c, a, 1.5, 0);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 0}, {2, 3}, {1, 3}, {2, 6}, {1, 6}, {2, 9});
    const CosyResource *r = c->resource + JOE;
    CHECK(r->holder == COSY_NONE && r->used == 0 && r->waiting == 0);
    CHECK(r->entries == 3 && r->waits == 2);
    CHECK(r->used_area == R(9.0));
    CHECK(r->wait_sum == R(6.5) && r->wait_max == R(4.5));
    CHECK(r->wait_area == R(6.5));
    CHECK(r->most_waiting == 2 && r->most_used == 1);
    c->head->t = R(13.0);
    CHECK(cosy_used_mean(c, JOE) == R(9.0) / R(13.0));
    CHECK(cosy_waiting_mean(c, JOE) == R(0.5));
    CHECK(cosy_wait_mean(c, JOE) == R(6.5) / R(3.0));
    CHECK(c->population[0].count == 0 && c->population[0].most == 3);
    CHECK(c->population[0].stay_sum == R(15.5));
    host_close(&host);
}

/* The queue goes by rank, then by arrival. */
static void test_ranks(void)
{
    static const Step hold[] = {{OP_SEIZE, JOE, 0, 0},
                                {OP_ADVANCE, 0, 0, 10.0},
                                {OP_RELEASE, JOE, 0, 0},
                                {OP_END, 0, 0, 0}};
    static Step wait[4][5];
    static const int rank[] = {0, 2, 1, 2};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, hold, 0.0, 0);
    for (int k = 0; k < 4; k++) {
        const Step story[] = {{OP_SEIZE, JOE, rank[k], 0},
                              {OP_LOG, k, 0, 0},
                              {OP_ADVANCE, 0, 0, 1.0},
                              {OP_RELEASE, JOE, 0, 0},
                              {OP_END, 0, 0, 0}};
        memcpy(wait[k], story, sizeof story);
        script_begin(c, wait[k], 1.0 + k, 0);
    }
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 10}, {3, 11}, {2, 12}, {0, 13});
    host_close(&host);
}

/* A seizes at 0 for 10; P preempts at 4 for 3: A goes on at 7 and ends at 13.
   W, which seizes at 5, comes after A. */
static void test_preempt(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},
                             {OP_ADVANCE, 0, 0, 10.0},
                             {OP_LOG, 1, 0, 0},
                             {OP_RELEASE, JOE, 0, 0},
                             {OP_END, 0, 0, 0}};
    static const Step p[] = {{OP_PREEMPT, JOE, 0, 0}, {OP_LOG, 2, 0, 0},
                             {OP_ADVANCE, 0, 0, 3.0}, {OP_RELEASE, JOE, 0, 0},
                             {OP_LOG, 3, 0, 0},       {OP_END, 0, 0, 0}};
    static const Step w[] = {{OP_SEIZE, JOE, 0, 0},
                             {OP_LOG, 4, 0, 0},
                             {OP_RELEASE, JOE, 0, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, a, 0.0, 0);
    script_begin(c, p, 4.0, 0);
    script_begin(c, w, 5.0, 0);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {2, 4}, {3, 7}, {1, 13}, {4, 13});
    const CosyResource *r = c->resource + JOE;
    CHECK(r->entries == 3);
    CHECK(r->used_area == R(13.0));
    CHECK(r->wait_sum == R(3.0) + R(8.0)); // A displaced, W in the queue
    CHECK(c->head->heap_void == 0);
    host_close(&host);
}

/* A transaction that came through PREEMPT gives way only to a higher rank; and
   a holder of higher rank is not displaced. */
static void test_preempt_ranks(void)
{
    static const Step p[] = {{OP_PREEMPT, JOE, 0, 0}, {OP_LOG, 1, 0, 0},
                             {OP_ADVANCE, 0, 0, 4.0}, {OP_LOG, 2, 0, 0},
                             {OP_RELEASE, JOE, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step q[] = {{OP_PREEMPT, JOE, 0, 0}, {OP_LOG, 3, 0, 0},
                             {OP_ADVANCE, 0, 0, 4.0}, {OP_LOG, 4, 0, 0},
                             {OP_RELEASE, JOE, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step high[] = {{OP_PREEMPT, JOE, 7, 0},
                                {OP_LOG, 5, 0, 0},
                                {OP_ADVANCE, 0, 0, 1.0},
                                {OP_RELEASE, JOE, 0, 0},
                                {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, p, 0.0, 0);
    script_begin(c, q, 1.0, 0); // waits: p came through PREEMPT
    script_begin(c, high, 2.0, 7);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 0}, {5, 2}, {2, 5}, {3, 5}, {4, 9});
    host_close(&host);
}

/* 5 places: 3 and 2 enter at once, 4 wait from 1 on. At 2 the 3 leave: 4 do not
   fit. One that arrives at 3 would fit, but does not overtake. At 4 the 2
   leave: 4 and 1 enter. */
static void test_storage(void)
{
    static const Step three[] = {{OP_ENTER, PARK, 3, 0},
                                 {OP_LOG, 3, 0, 0},
                                 {OP_ADVANCE, 0, 0, 2.0},
                                 {OP_LEAVE, PARK, 3, 0},
                                 {OP_END, 0, 0, 0}};
    static const Step two[] = {{OP_ENTER, PARK, 2, 0},
                               {OP_LOG, 2, 0, 0},
                               {OP_ADVANCE, 0, 0, 4.0},
                               {OP_LEAVE, PARK, 2, 0},
                               {OP_END, 0, 0, 0}};
    static const Step four[] = {{OP_ENTER, PARK, 4, 0},
                                {OP_LOG, 4, 0, 0},
                                {OP_ADVANCE, 0, 0, 1.0},
                                {OP_LEAVE, PARK, 4, 0},
                                {OP_END, 0, 0, 0}};
    static const Step one[] = {{OP_ENTER, PARK, 1, 0},
                               {OP_LOG, 1, 0, 0},
                               {OP_ADVANCE, 0, 0, 2.0},
                               {OP_LEAVE, PARK, 1, 0},
                               {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, three, 0.0, 0);
    script_begin(c, two, 0.0, 0);
    script_begin(c, four, 1.0, 0);
    script_begin(c, one, 3.0, 0);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {3, 0}, {2, 0}, {4, 4}, {1, 4});
    const CosyResource *r = c->resource + PARK;
    // 5 over [0,2], 2 over [2,4], 5 over [4,5], 1 over [5,6]
    CHECK(r->used_area == R(20.0));
    CHECK(r->most_used == 5 && r->used == 0);
    CHECK(r->wait_sum == R(4.0) && r->waits == 2 && r->entries == 4);
    host_close(&host);
}

static void test_gate_and_signal(void)
{
    static const Step pass[] = {{OP_PASS, DOOR, 0, 0},
                                {OP_LOG, 1, 0, 0},
                                {OP_WAITSIG, BELL, 0, 0},
                                {OP_LOG, 2, 0, 0},
                                {OP_END, 0, 0, 0}};
    static const Step porter[] = {
        {OP_SEND, BELL, 0, 0},   {OP_ADVANCE, 0, 0, 2.0},
        {OP_OPEN, DOOR, 0, 0},   {OP_ADVANCE, 0, 0, 1.0},
        {OP_CLOSE, DOOR, 0, 0},  {OP_ADVANCE, 0, 0, 2.0},
        {OP_SEND, BELL, 0, 0},   {OP_OPEN, DOOR, 0, 0},
        {OP_ADVANCE, 0, 0, 5.0}, {OP_CLOSE, DOOR, 0, 0},
        {OP_SEND, BELL, 0, 0},   {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, porter, 0.0, 0);
    script_begin(c, pass, 0.0, 0); // through at 2
    script_begin(c, pass, 2.5, 0); // open: at once
    script_begin(c, pass, 4.0, 0); // closed again until 5, too late to hear
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 2}, {1, 2.5}, {2, 5}, {2, 5}, {1, 5}, {2, 10});
    CHECK(c->resource[DOOR].used_area == R(6.0)); // [2,3] and [5,10]
    CHECK(c->resource[DOOR].entries == 3);
    CHECK(c->resource[BELL].wait_sum == R(3.0) + R(2.5) + R(5.0));
    host_close(&host);
}

static void test_refusals(void)
{
    static const Step thief[] = {{OP_RELEASE, JOE, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step owner[] = {
        {OP_SEIZE, JOE, 0, 0}, {OP_ADVANCE, 0, 0, 10.0}, {OP_END, 0, 0, 0}};
    static const Step twice[] = {{OP_SEIZE, JOE, 0, 0}, {OP_SEIZE, JOE, 0, 0}};
    static const Step big[] = {{OP_ENTER, PARK, 6, 0}};
    static const Step empty[] = {{OP_LEAVE, PARK, 1, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, owner, 1.0, 0);
    script_begin(c, thief, 2.5, 0);
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 2.5, SHOP 2: RELEASE JOE: the facility is held by SHOP 1");
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 11, SHOP 1: END: it still holds JOE: RELEASE it first");
    discrete_reset(c);
    script_begin(c, thief, 11.0, 0);
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 11, SHOP 1: RELEASE JOE: nobody holds the facility");
    script_begin(c, twice, 11.0, 0);
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    script_begin(c, big, 11.0, 0);
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text, "time 11, SHOP 3: ENTER PARK: 6 units: the storage "
                          "has 5 in all");
    script_begin(c, empty, 11.0, 0);
    CHECK(COSY_REASON(host_run(c, R(100.0))) == COSY_REFUSED);
    host_close(&host);
}

/* TERMINATE passes the facility on and frees the place in the queue. */
static void test_terminate(void)
{
    static const Step a[] = {{OP_SEIZE, JOE, 0, 0},
                             {OP_LOG, 1, 0, 0},
                             {OP_ADVANCE, 0, 0, 10.0},
                             {OP_RELEASE, JOE, 0, 0},
                             {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t first = script_begin(c, a, 0.0, 0);
    uint32_t second = script_begin(c, a, 1.0, 0);
    script_begin(c, a, 2.0, 0);
    CHECK(host_run(c, R(3.0)) == COSY_OK);
    c->head->t = R(3.0);
    CHECK(cosy_terminate(c, second) == COSY_OK);
    CHECK(c->resource[JOE].waiting == 1);
    CHECK(cosy_terminate(c, first) == COSY_OK);
    CHECK(transactions_alive(c) == 1);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 0}, {1, 3});
    CHECK(c->resource[JOE].used_area == R(13.0));
    CHECK(transactions_alive(c) == 0 && c->head->heap_void == 0);
    host_close(&host);
}

int main(void)
{
    test_facility();
    test_ranks();
    test_preempt();
    test_preempt_ranks();
    test_storage();
    test_gate_and_signal();
    test_refusals();
    test_terminate();
    return check_end();
}
