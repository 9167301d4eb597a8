#include "script.h"

/* Transactions: places in the pool, GENTIM and numbers, ADVANCE, WAIT UNTIL
   with and without TIMEOUT, INTERRUPT. */

static const CosyProcessInfo processes[] = {
    {.name = "SHOP", .capacity = 6, .line = 1}};

static const CosyModel model = {.data_size = sizeof(Log),
                                .transaction_size = sizeof(Actor),
                                .record_size = sizeof(CosyRecord),
                                .n_processes = 1,
                                .processes = processes,
                                .resume = script_resume,
                                SCRIPT_WAITS};

static const Step walk[] = {{OP_LOG, 1, 0, 0}, {OP_ADVANCE, 0, 0, 1.5},
                            {OP_LOG, 2, 0, 0}, {OP_ADVANCE, 0, 0, 0.0},
                            {OP_LOG, 3, 0, 0}, {OP_END, 0, 0, 0}};

/* ADVANCE 0 lets the other transaction of the same instant go first. */
static void test_advance(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, walk, 1.0, 0);
    script_begin(c, walk, 1.0, 0);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 1}, {1, 1}, {2, 2.5}, {2, 2.5}, {3, 2.5}, {3, 2.5});
    CHECK(transactions_alive(c) == 0);
    CHECK(c->population[0].entries == 2);
    CHECK(c->population[0].stay_sum == R(3.0));
    host_close(&host);
}

/* The higher priority goes first at the same instant. */
static void test_priority(void)
{
    static const Step low[] = {
        {OP_ADVANCE, 0, 0, 1.0}, {OP_LOG, 1, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step high[] = {
        {OP_ADVANCE, 0, 0, 1.0}, {OP_LOG, 2, 0, 0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, low, 0.0, -3);
    script_begin(c, low, 0.0, 0);
    script_begin(c, high, 0.0, 3);
    CHECK(host_run(c, R(100.0)) == COSY_OK);
    SCRIPT_CHECK(c, {2, 1}, {1, 1}, {1, 1});
    host_close(&host);
}

/* Places are used again, numbers are not. */
static void test_pool(void)
{
    static const Step brief[] = {{OP_ADVANCE, 0, 0, 0.5}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    for (int k = 0; k < 100; k++) {
        uint32_t id = script_begin(c, brief, k, 0);
        CHECK(id < 5);
        CHECK(cosy_transaction(c, id)->gentim == (real)k);
        CHECK(cosy_transaction(c, id)->number == (uint32_t)k + 1);
        if (k >= 4)
            CHECK(host_run(c, (real)(k - 4) + R(0.75)) == COSY_OK);
    }
    CHECK(transactions_alive(c) == 4);
    CHECK(c->head->transaction_used == 5);
    CHECK(c->population[0].most == 5);
    host_close(&host);
}

static void test_population_mean(void)
{
    static const Step brief[] = {{OP_ADVANCE, 0, 0, 2.0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    script_begin(c, brief, 1.0, 0); // 1 .. 3
    script_begin(c, brief, 3.0, 0); // 3 .. , still there at 4
    script_begin(c, brief, 9.0, 0); // has not begun
    CHECK(host_run(c, R(4.0)) == COSY_OK);
    c->head->t = R(4.0);
    CHECK(cosy_population_mean(c, 0) == R(0.75));
    host_close(&host);
}

static void test_until(void)
{
    static const Step patient[] = {
        {OP_UNTIL, 0, 0, -1.0}, {OP_LOG, 1, 0, 0}, {OP_END, 0, 0, 0}};
    static const Step hasty[] = {
        {OP_UNTIL, 0, 0, 2.0}, {OP_LOG, 2, 0, 0}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t a = script_begin(c, patient, 0.0, 0);
    uint32_t b = script_begin(c, hasty, 1.0, 0); // times out at 3
    uint32_t d = script_begin(c, hasty, 1.0, 0); // condition comes true at 2
    CHECK(host_run(c, R(2.0)) == COSY_OK);
    CHECK(c->until[0].head == a);
    CHECK(cosy_transaction(c, a)->next == b);
    CHECK(cosy_transaction(c, b)->next == d);
    c->head->t = R(2.0);
    CHECK(cosy_until_over(c, d) == COSY_OK);
    CHECK(host_run(c, R(2.0)) == COSY_OK);
    CHECK(c->until[0].tail == b);
    SCRIPT_CHECK(c, {2, 2});
    CHECK(cosy_calendar_next(c) == R(3.0));
    CosyPending e;
    CHECK(cosy_calendar_due(c, R(3.0), &e) && COSY_BODY_ID(e.body) == b);
    CHECK(cosy_transaction(c, b)->timed_out == 1);
    CHECK(c->until[0].head == a && c->until[0].tail == a);
    c->head->t = R(4.0);
    CHECK(cosy_until_over(c, a) == COSY_OK);
    CHECK(c->until[0].head == COSY_NONE);
    CHECK(host_run(c, R(4.0)) == COSY_OK);
    SCRIPT_CHECK(c, {2, 2}, {1, 4});
    CHECK(c->head->heap_void == 0);
    host_close(&host);
}

static void test_interrupt(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = script_begin(c, walk, 0.0, 0);
    CHECK(host_run(c, R(1.0)) == COSY_OK);
    c->head->t = R(1.0);
    CHECK(cosy_interrupt(c, id) == COSY_OK);
    CHECK(host_run(c, R(10.0)) == COSY_OK);
    SCRIPT_CHECK(c, {1, 0}, {2, 1}, {3, 1});
    host_close(&host);
}

static void test_refusals(void)
{
    static const Step back[] = {{OP_ADVANCE, 0, 0, -0.25}, {OP_END, 0, 0, 0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id;
    script_begin(c, back, 2.0, 0);
    CHECK(COSY_REASON(host_run(c, R(10.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 2, SHOP 1: ADVANCE: the delay is -0.25: it must be 0 or "
               "more, as MAX(0, x) is");
    CosyStatus s = cosy_generate(c, 0, R(1.0), 0, &id);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    CHECK_TEXT(host.text, "time 2: GENERATE FOR SHOP: the time is 1: "
                          "it must be TIME or later: from now on is AT "
                          "TIME + ...");
    s = cosy_generate(c, 0, (real)NAN, 0, &id);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    for (int k = 0; k < 5; k++)
        script_begin(c, back, 3.0, 0);
    s = cosy_generate(c, 0, R(3.0), 0, &id);
    CHECK(COSY_REASON(s) == COSY_REFUSED);
    CHECK_TEXT(host.text,
               "time 2: GENERATE FOR SHOP: the file of SHOP is full with 6 "
               "transactions; declare a larger file, or none");
    host_close(&host);
}

int main(void)
{
    test_advance();
    test_priority();
    test_pool();
    test_population_mean();
    test_until();
    test_interrupt();
    test_refusals();
    return check_end();
}
