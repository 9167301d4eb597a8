#include "host.h"

#include "check.h"

/* Files: ranking, removal, capacity, statistics. */

enum { FIRST_IN, LAST_IN, LOW, HIGH, SMALL };

static const CosyFileInfo files[] = {
    {.name = "FIRSTIN", .rank = COSY_FIFO, .line = 1},
    {.name = "LASTIN", .rank = COSY_LIFO, .line = 2},
    {.name = "LOW", .rank = COSY_LVF, .line = 3},
    {.name = "HIGH", .rank = COSY_HVF, .line = 4},
    {.name = "SMALL", .rank = COSY_FIFO, .capacity = 2, .line = 5},
};

typedef struct Entry {
    CosyRecord head;
    int label;
} Entry;

static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(Entry),
                                .n_files = 5,
                                .files = files};

static CosyStatus insert(Cosy *c, uint32_t file, int label, real key)
{
    uint32_t id = COSY_NONE;
    COSY_TRY(cosy_record_new(c, &id));
    ((Entry *)(void *)cosy_record(c, id))->label = label;
    return cosy_file_insert(c, file, id, key);
}

/* Label of entry n; it stays. */
static int look(Cosy *c, uint32_t file, int64_t n)
{
    uint32_t id = COSY_NONE;
    if (cosy_file_entry(c, file, n, &id) != COSY_OK)
        return -1;
    return ((const Entry *)(void *)cosy_record(c, id))->label;
}

/* Label of entry n, which leaves. */
static int take(Cosy *c, uint32_t file, int64_t n)
{
    uint32_t id = COSY_NONE;
    if (cosy_file_remove(c, file, n, &id) != COSY_OK)
        return -1;
    cosy_record_free(c, id);
    return ((const Entry *)(void *)cosy_record(c, id))->label;
}

static void test_rank(void)
{
    static const int key[] = {3, 1, 4, 1, 5, 3, 1};
    static const int expected[4][7] = {{0, 1, 2, 3, 4, 5, 6},
                                       {6, 5, 4, 3, 2, 1, 0},
                                       {1, 3, 6, 0, 5, 2, 4},
                                       {4, 2, 0, 5, 1, 3, 6}};
    Host host;
    Cosy *c = host_open(&host, &model);
    for (uint32_t f = FIRST_IN; f <= HIGH; f++) {
        for (int k = 0; k < 7; k++)
            CHECK(insert(c, f, k, (real)key[k]) == COSY_OK);
        for (int k = 0; k < 7; k++)
            CHECK(look(c, f, k + 1) == expected[f][k]);
    }
    CHECK(take(c, LOW, 4) == 0);
    CHECK(take(c, LOW, 1) == 1);
    CHECK(take(c, LOW, 5) == 4);
    CHECK(c->file[LOW].count == 4);
    CHECK(look(c, LOW, 1) == 3 && look(c, LOW, 2) == 6);
    CHECK(look(c, LOW, 3) == 5 && look(c, LOW, 4) == 2);
    CHECK(c->head->record_used == 28);
    CHECK(insert(c, SMALL, 1, R(0.0)) == COSY_OK);
    CHECK(c->head->record_used == 28); // a place that was given back
    host_close(&host);
}

static void test_last(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = COSY_NONE;
    for (int k = 0; k < 3; k++)
        insert(c, FIRST_IN, k, R(0.0));
    CHECK(cosy_file_remove_last(c, FIRST_IN, &id) == COSY_OK);
    CHECK(((const Entry *)(void *)cosy_record(c, id))->label == 2);
    CHECK(take(c, FIRST_IN, 1) == 0);
    CHECK(take(c, FIRST_IN, 1) == 1);
    CHECK(c->file[FIRST_IN].head == COSY_NONE);
    CHECK(c->file[FIRST_IN].tail == COSY_NONE);
    CHECK(insert(c, FIRST_IN, 9, R(0.0)) == COSY_OK);
    CHECK(look(c, FIRST_IN, 1) == 9);
    host_close(&host);
}

/* In at 0 and 1, out at 4 and 5: contents 1, 2, 2, 2, 1. */
static void test_statistics(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    insert(c, FIRST_IN, 0, R(0.0));
    c->head->t = R(1.0);
    insert(c, FIRST_IN, 1, R(0.0));
    c->head->t = R(4.0);
    take(c, FIRST_IN, 1);
    c->head->t = R(5.0);
    take(c, FIRST_IN, 1);
    c->head->t = R(8.0);
    const CosyFile *f = c->file + FIRST_IN;
    CHECK(f->area == R(8.0));
    CHECK(cosy_file_mean(c, f) == R(1.0));
    CHECK(f->most == 2 && f->entries == 2 && f->count == 0);
    CHECK(f->stay_sum == R(8.0) && f->stay_max == R(4.0));
    insert(c, FIRST_IN, 0, R(0.0));
    c->head->t = R(16.0);
    CHECK(cosy_file_mean(c, f) == R(1.0)); // one that is still inside counts
    host_close(&host);
}

static void test_refusals(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    c->head->t = R(1.5);
    CHECK(insert(c, SMALL, 0, R(0.0)) == COSY_OK);
    CHECK(insert(c, SMALL, 1, R(0.0)) == COSY_OK);
    CHECK(COSY_REASON(insert(c, SMALL, 2, R(0.0))) == COSY_REFUSED);
    CHECK_TEXT(host.text, "at time 1.5: INSERT SMALL: the file is full with 2 "
                          "entries; declare a larger one, or one without a "
                          "number");
    CHECK(take(c, SMALL, 3) == -1);
    CHECK_TEXT(host.text,
               "at time 1.5: file SMALL: there is no entry 3, it has 2");
    CHECK(take(c, SMALL, 0) == -1);
    CHECK(take(c, LOW, 1) == -1);
    uint32_t id = COSY_NONE;
    CHECK(cosy_file_remove_last(c, LOW, &id) != COSY_OK);
    CHECK(insert(c, LOW, 0, (real)NAN) != COSY_OK);
    CHECK(host.messages == 6);
    host_close(&host);
}

int main(void)
{
    test_rank();
    test_last();
    test_statistics();
    test_refusals();
    return check_end();
}
