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

/* Label of entry n, which stays. */
static int look(Cosy *c, uint32_t file, int64_t n)
{
    uint32_t id = COSY_NONE;
    if (cosy_file_entry(c, file, n, &id) != COSY_OK)
        return -1;
    return ((const Entry *)(void *)cosy_record(c, id))->label;
}

/* Label of entry n, which is removed. */
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

/* What a ranked file should hold: labels in order, maintained by insertion into
   an array. */
typedef struct Mirror {
    int label[500];
    real key[500];
    int n;
} Mirror;

static void mirror_insert(Mirror *m, int label, real key)
{
    int at = m->n;
    while (at > 0 && m->key[at - 1] > key)
        at--;
    for (int k = m->n++; k > at; k--) {
        m->label[k] = m->label[k - 1];
        m->key[k] = m->key[k - 1];
    }
    m->label[at] = label;
    m->key[at] = key;
}

static int mirror_take(Mirror *m, int at)
{
    int label = m->label[at];
    m->n--;
    for (int k = at; k < m->n; k++) {
        m->label[k] = m->label[k + 1];
        m->key[k] = m->key[k + 1];
    }
    return label;
}

/* The longest path from the root; every node hangs below its parent, in order,
   and is not higher. */
static int depth_of(Cosy *c, uint32_t id, uint32_t up)
{
    if (id == COSY_NONE)
        return 0;
    const CosyRecord *e = cosy_record(c, id);
    CHECK(e->up == up);
    CHECK(up == COSY_NONE || cosy_tree_height(id) < cosy_tree_height(up));
    CHECK(e->left == COSY_NONE || cosy_record(c, e->left)->key <= e->key);
    CHECK(e->right == COSY_NONE || cosy_record(c, e->right)->key >= e->key);
    int left = depth_of(c, e->left, id), right = depth_of(c, e->right, id);
    return 1 + (left > right ? left : right);
}

static bool mirrors(Cosy *c, const Mirror *m)
{
    uint32_t at = c->file[LOW].head, before = COSY_NONE;
    for (int k = 0; k < m->n; k++) {
        const CosyRecord *e = cosy_record(c, at);
        if (((const Entry *)(const void *)e)->label != m->label[k] ||
            e->key != m->key[k] || e->previous != before)
            return false;
        before = at;
        at = e->next;
    }
    return at == COSY_NONE && c->file[LOW].tail == before &&
           c->file[LOW].count == (uint32_t)m->n;
}

/* Insertions, removals and changes of rank in an order that jumps about. */
static void test_tree(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    Mirror m = {.n = 0};
    uint32_t random = 1, id = COSY_NONE;
    for (int k = 0; k < 4000; k++) {
        random = random * 1664525u + 1013904223u;
        int what = (int)(random >> 24) % 8, at = (int)(random >> 8) % 499;
        real key = (real)((random >> 12) % 40);
        if (m.n < 490 && (what < (k < 2000 ? 5 : 3) || m.n == 0)) {
            CHECK(insert(c, LOW, k, key) == COSY_OK);
            mirror_insert(&m, k, key);
        } else if (what < 7) {
            at %= m.n;
            CHECK(take(c, LOW, at + 1) == mirror_take(&m, at));
        } else {
            at %= m.n;
            CHECK(cosy_file_entry(c, LOW, at + 1, &id) == COSY_OK);
            CHECK(cosy_file_rerank(c, LOW, id, key) == COSY_OK);
            if (m.key[at] != key)
                mirror_insert(&m, mirror_take(&m, at), key);
        }
        CHECK(mirrors(c, &m));
        depth_of(c, c->file[LOW].root, COSY_NONE);
    }
    host_close(&host);
}

/* A new rank is neither an arrival nor a departure; a lone entry stays where it
   is. */
static void test_rerank(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = COSY_NONE;
    CHECK(insert(c, HIGH, 1, R(5.0)) == COSY_OK);
    CHECK(cosy_file_entry(c, HIGH, 1, &id) == COSY_OK);
    CHECK(cosy_file_rerank(c, HIGH, id, R(2.0)) == COSY_OK);
    CHECK(look(c, HIGH, 1) == 1 && c->file[HIGH].root == id);
    CHECK(insert(c, HIGH, 2, R(3.0)) == COSY_OK);
    CHECK(look(c, HIGH, 1) == 2 && look(c, HIGH, 2) == 1);
    CHECK(cosy_file_rerank(c, HIGH, id, R(3.0)) == COSY_OK);
    CHECK(look(c, HIGH, 1) == 2 && look(c, HIGH, 2) == 1); // after its equal
    CHECK(cosy_file_rerank(c, HIGH, id, R(4.0)) == COSY_OK);
    CHECK(look(c, HIGH, 1) == 1 && look(c, HIGH, 2) == 2);
    CHECK(cosy_file_rerank(c, HIGH, id, (real)NAN) != COSY_OK);
    CHECK(c->file[HIGH].count == 2 && c->file[HIGH].most == 2);
    CHECK(c->file[HIGH].entries == 2);
    host_close(&host);
}

/* Sorted insertions do not turn the tree into a list. */
static void test_depth(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    for (int k = 0; k < 10000; k++) {
        CHECK(insert(c, LOW, k, (real)k) == COSY_OK);
        CHECK(insert(c, HIGH, k, (real)k) == COSY_OK);
    }
    CHECK(depth_of(c, c->file[LOW].root, COSY_NONE) < 50);
    CHECK(look(c, LOW, 1) == 0 && look(c, LOW, 10000) == 9999);
    CHECK(look(c, HIGH, 1) == 9999 && look(c, HIGH, 10000) == 0);
    host_close(&host);
}

/* WITH notices that its entry is gone, even if the place has another entry. */
static void test_held(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    uint32_t id = COSY_NONE, again = COSY_NONE;
    insert(c, FIRST_IN, 1, R(0.0));
    CHECK(cosy_file_entry(c, FIRST_IN, 1, &id) == COSY_OK);
    int64_t held = cosy_file_hold(c, id);
    insert(c, FIRST_IN, 2, R(0.0));
    CHECK(cosy_file_held(c, FIRST_IN, held, &again) == COSY_OK && again == id);
    CHECK(take(c, FIRST_IN, 1) == 1);
    insert(c, FIRST_IN, 3, R(0.0));
    CHECK(c->head->record_used == 2);
    CHECK(COSY_REASON(cosy_file_held(c, FIRST_IN, held, &again)) ==
          COSY_REFUSED);
    CHECK_TEXT(host.text, "time 0: file FIRSTIN: the entry that WITH has "
                          "opened was removed meanwhile");
    cosy_current(c, true);
    CHECK(c->head->trouble == COSY_OK);
    cosy_current(c, false);
    CHECK(c->head->trouble == COSY_REFUSED && host.messages == 2);
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
    CHECK_TEXT(host.text, "time 1.5: INSERT SMALL: the file is full with 2 "
                          "entries; declare a larger one, or one without a "
                          "limit");
    CHECK(take(c, SMALL, 3) == -1);
    CHECK_TEXT(host.text, "time 1.5: file SMALL has no entry 3, it has 2");
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
    test_tree();
    test_rerank();
    test_depth();
    test_held();
    test_statistics();
    test_refusals();
    return check_end();
}
