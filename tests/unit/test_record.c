#include "stats/record.h"

#include "base/buffer.h"
#include "check.h"
#include "folder.h"
#include "scarce.h"
#include "tiny.h"

static Tiny tiny;

/* A record with its image, as in a run. */
typedef struct Bench {
    Arena arena;
    Image image;
    Record record;
} Bench;

static void bench_make(Bench *b, const CosyModel *m, bool trace)
{
    *b = (Bench){0};
    CHECK(record_create(&b->record, m, trace, &b->arena, &b->image) ==
          STATUS_OK);
}

static void bench_free(Bench *b)
{
    record_free(&b->record);
    arena_free(&b->arena);
}

static void check_file(const char *path, const char *expected)
{
    Buffer b = {0};
    Fault f = {0};
    CHECK(file_read(path, &b, &f) == STATUS_OK);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static const char rows[] = "TIME,X,\"M[1,1]\",\"M[1,2]\",\"M[2,1]\",\"M[2,2]\","
                           "FLAG\n"
                           "0,0.5,11,12,21,22,1\n"
                           "1.5,0.25,11,12,21,22,1\n"
                           "1.5,-1e-30,11,12,21,nan,0\n";

static void record_rows(Record *r)
{
    tiny_make(&tiny);
    CHECK(record_point(r, &tiny.c, R(0.0)) == STATUS_OK);
    tiny.x[1] = R(0.25);
    CHECK(record_point(r, &tiny.c, R(1.5)) == STATUS_OK);
    tiny.x[1] = R(-1e-30);
    tiny.data.flag = 0;
    tiny.data.m[3] = COSY_REAL_MAX * R(2.0) * R(0.0);
    CHECK(record_point(r, &tiny.c, R(1.5)) == STATUS_OK);
}

static void test_rows(Folder *d)
{
    Bench b;
    Fault f = {0};
    bench_make(&b, &tiny_model, false);
    record_rows(&b.record);
    CHECK(dir_make(folder_file(d, "rows"), &f) == STATUS_OK);
    CHECK(record_write(&b.record, folder_file(d, "rows"), 1, true, &f) ==
          STATUS_OK);
    check_file(folder_file(d, "rows/run-0001.csv"), rows);
    check_file(folder_file(d, "rows/events-0001.csv"),
               "time,event,kind,detail\n");
    bench_free(&b);
}

/* Names with units; those that contain a comma stay in quotes. */
static void test_units(Folder *d)
{
    CosyVariable variables[LENGTH(tiny_variables)];
    CosyModel m = tiny_with_units(variables);
    static const char head[] =
        "TIME [min],X [km],\"M[1,1] [1/s]\",\"M[1,2] [1/s]\","
        "\"M[2,1] [1/s]\",\"M[2,2] [1/s]\",FLAG\n";
    Bench b;
    Buffer text = {0};
    Fault f = {0};
    bench_make(&b, &m, false);
    record_rows(&b.record);
    CHECK(dir_make(folder_file(d, "units"), &f) == STATUS_OK);
    CHECK(record_write(&b.record, folder_file(d, "units"), 1, true, &f) ==
          STATUS_OK);
    CHECK(file_read(folder_file(d, "units/run-0001.csv"), &text, &f) ==
          STATUS_OK);
    CHECK(strncmp(buffer_string(&text), head, strlen(head)) == 0);
    buffer_free(&text);
    bench_free(&b);
}

static void test_long_array(Folder *d)
{
    static const char head[] = "variable,row,column,value\nU,1,1,0\nU,2,1,1\n";
    static const char tail[] = "U,1001,1,1000\n";
    Bench b;
    Buffer text = {0};
    Fault f = {0};
    bench_make(&b, &tiny_model, false);
    record_rows(&b.record);
    CHECK(record_final(&tiny.c, d->path, 12, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "final-0012.csv"), &text, &f) == STATUS_OK);
    CHECK(strncmp(buffer_string(&text), head, strlen(head)) == 0);
    CHECK_TEXT(buffer_string(&text) + text.v.used - strlen(tail), tail);
    buffer_free(&text);
    bench_free(&b);
}

static void record_events(Record *r)
{
    CHECK(record_event(r, LOG_STATE, 0, COSY_NONE, R(0.5)) == STATUS_OK);
    CHECK(record_event(r, LOG_STATE, 0, 3, R(0.5)) == STATUS_OK);
    CHECK(record_event(r, LOG_TIME, 1, COSY_NONE, R(1.0)) == STATUS_OK);
    CHECK(record_event(r, LOG_SAMPLE, 0, COSY_NONE, R(2.0)) == STATUS_OK);
    CHECK(record_event(r, LOG_PROCESS, 0, 17, R(3.0)) == STATUS_OK);
    CHECK(record_event(r, LOG_HIDDEN, 0, COSY_NONE, R(4.0)) == STATUS_OK);
    CHECK(record_event(r, LOG_CHOICE, 0, COSY_NONE, R(5.0)) == STATUS_OK);
}

#define EVENTS_1                                                               \
    "time,event,kind,detail\n"                                                 \
    "0.5,LANDING,state,\n"                                                     \
    "0.5,LANDING,state,3\n"                                                    \
    "1,TOCK,time,\n"                                                           \
    "2,CLOCK1,sample,\n"                                                       \
    "3,CUSTOMER,process,17\n"
#define EVENTS_HIDDEN "4,\"A > \"\"B\"\", C\",hidden,\n"
#define EVENTS_2      "5,states chosen anew,choice,\n"

static void test_events(Folder *d)
{
    for (int trace = 0; trace < 2; trace++) {
        Bench b;
        Fault f = {0};
        bench_make(&b, &tiny_model, trace != 0);
        record_events(&b.record);
        CHECK(b.record.counts[LOG_STATE] == 2 &&
              b.record.counts[LOG_HIDDEN] == 1);
        CHECK(record_write(&b.record, d->path, 2, true, &f) == STATUS_OK);
        check_file(folder_file(d, "events-0002.csv"),
                   trace != 0 ? EVENTS_1 EVENTS_HIDDEN EVENTS_2
                              : EVENTS_1 EVENTS_2);
        bench_free(&b);
    }
}

/* State events are kept beyond the limit, others are counted; in the way the
   clock does it. */
static void test_event_limit(Folder *d)
{
    static const char tail[] = "\n4,LANDING,state,\n"
                               ",,more,5 further events are not listed\n";
    Bench b;
    Buffer text = {0};
    Fault f = {0};
    bench_make(&b, &tiny_model, false);
    record_busy(&b.record, LOG_STATE, 0, COSY_NONE, R(1.0));
    for (int k = 0; k < EVENT_LIMIT + 5; k++)
        record_busy(&b.record, k % 2 == 0 ? LOG_TIME : LOG_PROCESS, 0,
                    COSY_NONE, R(2.0));
    record_busy(&b.record, LOG_STATE, 0, COSY_NONE, R(4.0));
    CHECK(b.record.log.used == (EVENT_LIMIT + 2) * sizeof(LogEntry));
    CHECK(record_write(&b.record, d->path, 3, true, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "events-0003.csv"), &text, &f) == STATUS_OK);
    CHECK_TEXT(buffer_string(&text) + text.v.used - strlen(tail), tail);
    buffer_free(&text);
    bench_free(&b);
}

/* Rounds over the calendar fill the log to its limit and are counted beyond
   it. */
static void test_rounds(void)
{
    Bench b;
    bench_make(&b, &tiny_model, false);
    Record *r = &b.record;
    record_busy(r, LOG_STATE, 0, COSY_NONE, R(1.0));
    for (int k = 0; k < 4; k++) {
        CosyRound round = {.most = 300000};
        CHECK(record_open(r, &round.most, &round.log) == STATUS_OK);
        CHECK(round.most == (k < 3 ? 300000 : 100000) && round.log);
        round.done = round.most;
        round.timed = 1000;
        round.log[round.done - 1].t = (real)k;
        record_round(r, &round);
    }
    CosyRound more = {.most = 7};
    CHECK(record_open(r, &more.most, &more.log) == STATUS_OK);
    CHECK(more.most == 7 && more.log == NULL && r->full);
    more.done = 7;
    record_round(r, &more);
    CHECK(r->log.used == (EVENT_LIMIT + 1) * sizeof(LogEntry));
    CHECK(r->counts[LOG_TIME] == 4000);
    CHECK(r->counts[LOG_PROCESS] == EVENT_LIMIT - 4000 + 7);
    const LogEntry *e = (const LogEntry *)(const void *)r->log.bytes;
    CHECK(e[600000].t == R(1.0) && e[EVENT_LIMIT].t == R(3.0));
    bench_free(&b);
}

static void test_nothing_stored(Folder *d)
{
    CosyModel m = tiny_model;
    Bench b;
    Fault f = {0};
    m.n_stored = 0;
    bench_make(&b, &m, false);
    tiny_make(&tiny);
    CHECK(record_point(&b.record, &tiny.c, R(0.0)) == STATUS_OK);
    CHECK(record_write(&b.record, d->path, 4, true, &f) == STATUS_OK);
    CHECK(access(folder_file(d, "run-0004.csv"), F_OK) != 0);
    CHECK(access(folder_file(d, "events-0004.csv"), F_OK) == 0);
    CHECK(access(folder_file(d, "final-0004.csv"), F_OK) != 0);
    bench_free(&b);
}

/* STOREd, but never recorded: a file without rows says nothing. */
static void test_nothing_recorded(Folder *d)
{
    Bench b;
    Fault f = {0};
    bench_make(&b, &tiny_model, false);
    CHECK(record_write(&b.record, d->path, 8, true, &f) == STATUS_OK);
    CHECK(access(folder_file(d, "run-0008.csv"), F_OK) != 0);
    CHECK(access(folder_file(d, "events-0008.csv"), F_OK) == 0);
    bench_free(&b);
}

static void test_cross(Folder *d)
{
    Fault f = {0};
    Vector points = {0};
    bool rung = false;
    uint32_t columns = record_width(&tiny_model, true);
    tiny_make(&tiny);
    CHECK(record_append(&points, columns, &tiny.c, R(1.5), true, &rung) ==
          STATUS_OK);
    tiny.x[1] = R(2.0);
    CHECK(record_append(&points, columns, &tiny.c, R(3.0), true, &rung) ==
          STATUS_OK);
    CHECK(!rung);
    CHECK(record_cross(&tiny_model, &points, d->path, &f) == STATUS_OK);
    check_file(folder_file(d, "cross.csv"),
               "TIME,X,\"M[1,1]\",\"M[1,2]\",\"M[2,1]\",\"M[2,2]\",FLAG\n"
               "1.5,0.5,11,12,21,22,1\n3,2,11,12,21,22,1\n");
    vector_free(&points);
}

static void test_columns(void)
{
    CHECK(record_width(&tiny_model, false) == 7);
    CHECK(record_column(&tiny_model, TINY_X, 0) == 1);
    CHECK(record_column(&tiny_model, TINY_M, 0) == 2);
    CHECK(record_column(&tiny_model, TINY_M, 3) == 5);
    CHECK(record_column(&tiny_model, TINY_FLAG, 0) == 6);
    CHECK(record_column(&tiny_model, TINY_M, 4) == 0);
    CHECK(record_column(&tiny_model, TINY_K, 0) == 0); // not STOREd
}

/* A saved record continues in another one to the same file. */
static void test_image(Folder *d)
{
    Bench a, b;
    Fault f = {0};
    bench_make(&a, &tiny_model, false);
    bench_make(&b, &tiny_model, false);
    record_rows(&a.record);
    record_events(&a.record);
    CHECK(image_save(&a.image, folder_file(d, "image"), "s", &f) == STATUS_OK);
    CHECK(image_load(&b.image, folder_file(d, "image"), "s", &f) == STATUS_OK);
    CHECK(b.record.counts[LOG_STATE] == 2);
    CHECK(record_write(&b.record, d->path, 5, true, &f) == STATUS_OK);
    check_file(folder_file(d, "run-0005.csv"), rows);
    check_file(folder_file(d, "events-0005.csv"), EVENTS_1 EVENTS_2);
    bench_free(&a);
    bench_free(&b);
}

static void test_bad_places(Folder *d)
{
    Bench b;
    Fault f = {0};
    bench_make(&b, &tiny_model, false);
    record_rows(&b.record);
    CHECK(record_write(&b.record, "/dev/null/x", 1, true, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "/dev/null") != NULL);
    f = (Fault){0};
    CHECK(dir_make(folder_file(d, "run-0006.csv"), &f) == STATUS_OK);
    CHECK(record_write(&b.record, d->path, 6, true, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "run-0006.csv") != NULL);
    CHECK(access(folder_file(d, "events-0006.csv"), F_OK) != 0);
    bench_free(&b);
}

static void test_no_memory(Folder *d)
{
    Bench b;
    long refused = 1;
    bench_make(&b, &tiny_model, false);
    tiny_make(&tiny);
    scarce_begin(0);
    CHECK(record_point(&b.record, &tiny.c, R(0.0)) == STATUS_MEMORY);
    CHECK(record_event(&b.record, LOG_STATE, 0, 0, R(0.0)) == STATUS_MEMORY);
    scarce_end();
    CHECK(b.record.rows.used == 0 && b.record.counts[LOG_STATE] == 0);
    record_rows(&b.record);
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Fault f = {0};
        Status s;
        unlink(folder_file(d, "run-0007.csv"));
        scarce_begin(n);
        s = record_write(&b.record, d->path, 7, true, &f);
        refused = scarce_end();
        CHECK(s == STATUS_OK || refused > 0);
        CHECK(s == STATUS_OK || f.text[0] != '\0');
        if (access(folder_file(d, "run-0007.csv"), F_OK) == 0)
            check_file(folder_file(d, "run-0007.csv"), rows);
    }
    check_file(folder_file(d, "run-0007.csv"), rows);
    bench_free(&b);
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_rows(&d);
    test_units(&d);
    test_long_array(&d);
    test_events(&d);
    test_event_limit(&d);
    test_rounds();
    test_nothing_stored(&d);
    test_nothing_recorded(&d);
    test_cross(&d);
    test_columns();
    test_image(&d);
    test_bad_places(&d);
    test_no_memory(&d);
    folder_remove(&d);
    return check_end();
}
