/* The course of resources, and CLEAR, against integrals by hand. */

#include "stats/course.h"

#include "check.h"
#include "folder.h"
#include "host.h"
#include "scarce.h"

enum { DESK, DOOR, PARK, RESOURCES };
enum { LINE, FILES };

static const CosyResourceInfo resources[RESOURCES] = {
    [DESK] = {.name = "DESK", .kind = COSY_FACILITY, .capacity = 1},
    [DOOR] = {.name = "DOOR", .kind = COSY_GATE},
    [PARK] = {.name = "PARK[1,2]", .kind = COSY_STORAGE, .capacity = 10}};
static const CosyFileInfo files[FILES] = {{.name = "LINE"}};
static const CosyNamed timepers[] = {{.name = "B", .start = R(1.0)}};
static const CosyNamed collects[] = {{.name = "X"}};
static const CosyHistogramInfo histograms[] = {
    {.name = "H", .cells = 3, .first = R(0.0), .width = R(1.0)}};
static const CosyProcessInfo processes[] = {{.name = "GUEST"}};
static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_resources = RESOURCES,
                                .resources = resources,
                                .n_files = FILES,
                                .files = files,
                                .n_timepers = 1,
                                .timepers = timepers,
                                .n_collects = 1,
                                .collects = collects,
                                .n_histograms = 1,
                                .histograms = histograms,
                                .n_processes = 1,
                                .processes = processes};

typedef struct Bench {
    Host host;
    Arena arena;
    Image image;
    Course course;
} Bench;

static Cosy *bench_open(Bench *b, real span)
{
    memset(b, 0, sizeof *b);
    Cosy *c = host_open(&b->host, &model);
    CHECK(course_create(&b->course, &model, &b->arena, &b->image) == STATUS_OK);
    CHECK(course_begin(&b->course, c, span) == STATUS_OK);
    return c;
}

static void bench_close(Bench *b)
{
    course_free(&b->course);
    arena_free(&b->arena);
    host_close(&b->host);
}

static bool near(real a, real b)
{
    return cosy_abs(a - b) <= R(1e-12) * (R(1.0) + cosy_abs(b));
}

/* Moves the clock to t. */
static void at(Bench *b, real t)
{
    CHECK(course_to(&b->course, &b->host.c, t) == STATUS_OK);
    b->host.c.head->t = t;
}

/* Used from 2.5 to 7: intervals of 0.01 up to 10. */
static void test_known_span(void)
{
    Bench b;
    Cosy *c = bench_open(&b, R(10.0));
    uint32_t used = course_find(&b.course, COURSE_USED, DESK);
    CHECK(b.course.columns == 6 &&
          course_find(&b.course, COURSE_USED, DOOR) == COSY_NONE);
    at(&b, R(2.505));
    cosy_use(&c->resource[DESK], R(2.505), 1);
    at(&b, R(7.0));
    cosy_use(&c->resource[DESK], R(7.0), 0);
    c->head->t = R(10.0);
    CHECK(course_end(&b.course, c) == STATUS_OK);
    CHECK(near(course_time(&b.course, course_rows(&b.course) - 1), R(10.0)));
    real area = R(0.0), t = R(0.0);
    for (uint32_t k = 0; k < course_rows(&b.course); k++) {
        real end = course_time(&b.course, k);
        real mean = course_mean(&b.course, k, used);
        CHECK(mean > R(-1e-9) && mean < R(1.0) + R(1e-9));
        if (end <= R(2.5) || t >= R(7.0))
            CHECK(near(mean, R(0.0)));
        if (t >= R(2.505) && end <= R(7.0))
            CHECK(near(mean, R(1.0)));
        area += mean * (end - t);
        t = end;
    }
    CHECK(near(area, R(4.495)));
    bench_close(&b);
}

/* TO FINISH: a million changes, then nothing for a very long time. Memory is
   bounded, and no area is lost. */
static void test_open_end(void)
{
    Bench b;
    Cosy *c = bench_open(&b, R(0.0));
    uint32_t waiting = course_find(&b.course, COURSE_VALUE, 0);
    for (int k = 1; k <= 200000; k++) {
        at(&b, (real)k * R(0.37));
        cosy_timepers(c, 0, (real)(k % 3));
        CHECK(b.course.state.count < COURSE_MOST);
    }
    c->head->t = R(1e12);
    CHECK(course_end(&b.course, c) == STATUS_OK);
    CHECK(b.course.state.count >= COURSE_MOST / 2 - 1 &&
          b.course.state.count < COURSE_MOST);
    real area = R(0.0), t = R(0.0);
    for (uint32_t k = 0; k < course_rows(&b.course); k++) {
        area += course_mean(&b.course, k, waiting) *
                (course_time(&b.course, k) - t);
        t = course_time(&b.course, k);
    }
    CHECK(t == R(1e12));
    CHECK(cosy_abs(area / (cosy_timepers_mean(c, 0) * R(1e12)) - R(1.0)) <
          R(1e-9));
    bench_close(&b);
}

static void test_file(void)
{
    Bench b;
    Folder d;
    Fault f = {0};
    Buffer text = {0};
    folder_make(&d);
    Cosy *c = bench_open(&b, R(0.0));
    CHECK(course_write(&b.course, d.path, 1, &f) == STATUS_OK);
    CHECK(access(folder_file(&d, "resources-0001.csv"), F_OK) != 0);
    at(&b, R(1.0)); // intervals of 1
    cosy_timepers(c, 0, R(4.0));
    at(&b, R(2.0));
    c->head->t = R(2.5);
    CHECK(course_end(&b.course, c) == STATUS_OK);
    CHECK(course_write(&b.course, d.path, 12, &f) == STATUS_OK);
    CHECK(file_read(folder_file(&d, "resources-0012.csv"), &text, &f) ==
          STATUS_OK);
    CHECK_TEXT(buffer_string(&text),
               "TIME,DESK.used,DESK.waiting,\"PARK[1,2].used\","
               "\"PARK[1,2].waiting\",LINE.content,B\n"
               "1,0,0,0,0,0,1\n2,0,0,0,0,0,4\n2.5,0,0,0,0,0,4\n");
    CHECK(course_write(&b.course, "/dev/null/x", 1, &f) == STATUS_FILE);
    buffer_free(&text);
    bench_close(&b);
    folder_remove(&d);
}

/* ---- CLEAR ------------------------------------------------------------------------ */

/* Two transactions: 0 has had the desk since 1, 1 has waited for it since 2; an
   entry has been in LINE since 3; B is 1 up to 4, then 5. At 6 everything is
   cleared. */
static void fill(Bench *b, uint32_t id[2])
{
    Cosy *c = &b->host.c;
    uint32_t entry = COSY_NONE;
    CHECK(cosy_generate(c, 0, R(0.0), 0, &id[0]) == COSY_OK);
    CHECK(cosy_generate(c, 0, R(0.0), 0, &id[1]) == COSY_OK);
    at(b, R(1.0));
    CHECK(cosy_seize(c, DESK, id[0], 1) == COSY_OK);
    CHECK(cosy_collect(c, 0, R(99.0)) == COSY_OK);
    CHECK(cosy_histogram(c, 0, R(0.5)) == COSY_OK);
    at(b, R(2.0));
    CHECK(cosy_seize(c, DESK, id[1], 1) == COSY_WAITING);
    at(b, R(3.0));
    CHECK(cosy_record_new(c, &entry) == COSY_OK);
    CHECK(cosy_file_insert(c, LINE, entry, R(0.0)) == COSY_OK);
    at(b, R(4.0));
    CHECK(cosy_timepers(c, 0, R(5.0)) == COSY_OK);
    at(b, R(6.0));
    course_cut(&b->course, c, R(6.0));
    observe_clear(c);
}

static void test_cleared(const Cosy *c)
{
    const CosyResource *r = &c->resource[DESK];
    CHECK(r->used == 1 && r->waiting == 1); // the model's state is as it was
    CHECK(r->entries == 0 && r->wait_max == R(0.0) && r->most_waiting == 1);
    CHECK(c->collect[0].n == 0 && c->histogram[0].count[1] == 0);
    CHECK(c->file[LINE].count == 1 && c->file[LINE].entries == 0);
    CHECK(c->population[0].count == 2 && c->population[0].entries == 0);
    CHECK(cosy_timepers_mean(c, 0) == R(0.0)); // over no time
}

static void test_clear(void)
{
    Bench b;
    uint32_t id[2], entry = COSY_NONE;
    Cosy *c = bench_open(&b, R(10.0));
    fill(&b, id);
    test_cleared(c);
    at(&b, R(8.0));
    CHECK(cosy_release(c, DESK, id[0]) ==
          COSY_OK);                       // to the other one, which waited 2
    cosy_transaction(c, id[0])->wake = 0; // it is running
    CHECK(cosy_end(c, id[0]) == COSY_OK);
    CHECK(cosy_file_remove(c, LINE, 1, &entry) == COSY_OK);
    CHECK(cosy_timepers(c, 0, R(1.0)) == COSY_OK);
    CHECK(cosy_collect(c, 0, R(7.0)) == COSY_OK);
    at(&b, R(10.0));
    CHECK(cosy_used_mean(c, DESK) == R(1.0)); // 6 to 10
    CHECK(cosy_waiting_mean(c, DESK) == R(0.5));
    CHECK(c->resource[DESK].entries == 1 && c->resource[DESK].waits == 1);
    CHECK(cosy_wait_mean(c, DESK) == R(2.0));
    CHECK(c->resource[DESK].wait_max == R(2.0));
    CHECK(cosy_timepers_mean(c, 0) == R(3.0)); // 5 for 2, 1 for 2
    CHECK(c->timepers[0].min == R(1.0) && c->timepers[0].max == R(5.0));
    CHECK(cosy_file_mean(c, &c->file[LINE]) == R(0.5));
    CHECK(c->file[LINE].stay_sum == R(2.0) && c->file[LINE].kept == 1);
    CHECK(c->population[0].stay_sum == R(2.0));
    CHECK(cosy_population_mean(c, 0) == R(1.5)); // 2 for 2, 1 for 2
    CHECK(c->collect[0].n == 1 && c->collect[0].mean == R(7.0));
    CHECK(cosy_transaction(c, id[1])->gentim == R(0.0));
    bench_close(&b);
}

/* The curve continues over CLEAR, the batches begin after it. */
static void test_clear_course(void)
{
    Bench b;
    uint32_t id[2], n;
    Vector v = {0};
    Cosy *c = bench_open(&b, R(0.0)); // intervals of 1
    fill(&b, id);
    at(&b, R(8.5));
    c->head->t = R(9.5);
    CHECK(course_end(&b.course, c) == STATUS_OK);
    uint32_t used = course_find(&b.course, COURSE_USED, DESK);
    CHECK(course_rows(&b.course) == 10);
    for (uint32_t k = 0; k < 10; k++)
        CHECK(near(course_mean(&b.course, k, used), k ? R(1.0) : R(0.0)));
    course_batches(&b.course, used, &v, &n);
    CHECK(n == 2); // 7 to 8, 8 to 9
    vector_free(&v);
    bench_close(&b);
}

static void test_no_memory(void)
{
    long refused = 1;
    Host host;
    Cosy *c = host_open(&host, &model);
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Arena arena = {0};
        Image image = {0};
        Course course = {0};
        scarce_begin(n);
        c->head->t = R(0.0);
        Status s = course_create(&course, &model, &arena, &image);
        if (s == STATUS_OK)
            s = course_begin(&course, c, R(1.0));
        c->head->t = R(1.0);
        if (s == STATUS_OK)
            s = course_end(&course, c);
        refused = scarce_end();
        CHECK((s == STATUS_OK) == (refused == 0));
        course_free(&course);
        arena_free(&arena);
    }
    host_close(&host);
}

int main(void)
{
    test_known_span();
    test_open_end();
    test_file();
    test_clear();
    test_clear_course();
    test_no_memory();
    return check_end();
}
