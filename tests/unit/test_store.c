#define _DEFAULT_SOURCE // seteuid
#include "store/store.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "base/sha256.h"
#include "check.h"
#include "folder.h"
#include "scarce.h"
#include "store/differ.h"
#include "store/export.h"
#include "store/pack.h"
#include "store/results.h"

/* ---- Numbers in fewer bytes ------------------------------------------------ */

enum { NUMBERS = 5000 };

/* The next of a sequence that looks random (a linear congruential one). */
static uint64_t next_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

static size_t pack_size(const double *v, size_t n)
{
    static double back[NUMBERS];
    Buffer b = {0};
    pack_numbers(&b, v, n);
    size_t size = b.v.used;
    CHECK(pack_read(back, n, b.v.bytes, size));
    CHECK(n == 0 || memcmp(back, v, n * sizeof *v) == 0);
    CHECK(!pack_read(back, n, b.v.bytes, size - 1));
    CHECK(!pack_read(back, n + 2, b.v.bytes, size));
    buffer_free(&b);
    return size;
}

static void test_pack(void)
{
    static double v[NUMBERS];
    const double odd[] = {0,         -0.0,   1,
                          -1,        NAN,    INFINITY,
                          -INFINITY, 5e-324, 1.7976931348623157e308,
                          -5e-324,   0.1};
    uint64_t seed = 1;
    pack_size(v, 0);
    pack_size(odd, LENGTH(odd));
    for (size_t n = 1; n < 20; n++)
        pack_size(odd, n % LENGTH(odd));
    CHECK(pack_size(v, NUMBERS) <= NUMBERS / 2 + 10); // zeros
    for (size_t k = 0; k < NUMBERS; k++)
        v[k] = sin(0.001 * (double)k);
    CHECK(pack_size(v, NUMBERS) < 5 * NUMBERS);
    for (size_t k = 0; k < NUMBERS; k++) {
        uint64_t bits = next_bits(&seed);
        memcpy(&v[k], &bits, sizeof bits);
    }
    CHECK(pack_size(v, NUMBERS) < 9 * NUMBERS);
    for (size_t k = 0; k < 300; k++) { // bytes that mean nothing
        unsigned char bytes[64];
        double out[20];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (unsigned char)next_bits(&seed);
        pack_read(out, k % 20, bytes, k % sizeof bytes);
    }
}

static void test_words(void)
{
    Buffer cells = {0}, packed = {0}, back = {0};
    for (int k = 0; k < 256; k++)
        buffer_bytes(&cells, "one\0two", k % 3 ? 4 : 8);
    buffer_char(&cells, '\0');
    uint32_t n = 0;
    for (size_t k = 0; k < cells.v.used; k++)
        n += cells.v.bytes[k] == '\0';
    CHECK(pack_words(&packed, &cells, n));
    CHECK(packed.v.used < n + 20);
    CHECK(pack_read_words(&back, n, packed.v.bytes, packed.v.used));
    CHECK(back.v.used == cells.v.used &&
          memcmp(back.v.bytes, cells.v.bytes, back.v.used) == 0);
    for (size_t k = 0; k < packed.v.used; k++) // parts of it mean nothing
        CHECK(!pack_read_words(&back, n, packed.v.bytes, k));
    CHECK(!pack_read_words(&back, n + 1, packed.v.bytes, packed.v.used));
    packed.v.bytes[packed.v.used - 1] = 77;
    CHECK(!pack_read_words(&back, n, packed.v.bytes, packed.v.used));
    // all the same; too many kinds
    cells.v.used = packed.v.used = back.v.used = 0;
    for (int k = 0; k < 1000; k++)
        buffer_bytes(&cells, "event", 6);
    CHECK(pack_words(&packed, &cells, 1000) && packed.v.used == 7);
    CHECK(pack_read_words(&back, 1000, packed.v.bytes, 7));
    CHECK(back.v.used == 6000);
    cells.v.used = packed.v.used = 0;
    for (int k = 0; k < 257; k++) {
        buffer_format(&cells, "%d", k);
        buffer_char(&cells, '\0');
    }
    CHECK(pack_words(&packed, &cells, 256));
    packed.v.used = 0;
    CHECK(!pack_words(&packed, &cells, 257) && packed.v.used == 0);
    buffer_free(&cells);
    buffer_free(&packed);
    buffer_free(&back);
}

/* ---- A folder of results ----------------------------------------------------- */

#define MODEL "PROGRAM M; a text that is not read END."
#define TRACK "TIME [s],\"B[1,2] [m]\",A[3],P[3].X [km],E\n"

typedef struct Bench {
    Folder folder;
    Arena arena;
    Fault f;
    Store *s;
    char path[600], results[600], hash[SHA256_LENGTH];
} Bench;

static void put(const char *folder, const char *name, const char *text)
{
    char path[700];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        CHECK(!"written");
}

static void put_summary(Bench *b, unsigned runs)
{
    Buffer t = {0};
    buffer_format(&t,
                  "{\"program\": \"M\", \"cosy\": \"0.2.0\", "
                  "\"results_version\": 1, \"model_sha256\": \"%s\",\n"
                  " \"units\": {\"TIME\": \"s\", \"K\": \"1/s\"},\n"
                  " \"runs\": [",
                  b->hash);
    for (unsigned k = 1; k <= runs; k++)
        buffer_format(&t,
                      "%s\n{\"run\": %u, \"frame\": 1, \"parameters\": {\"K\": "
                      "%u, \"A[3]\": 0.1},\n \"status\": \"%s\", \"message\": "
                      "\"\",\n \"t_begin\": 0, \"t_end\": 2,\n \"final\": "
                      "{\"E\": %u}, \"wall_s\": 0.25}",
                      k > 1 ? "," : "", k, k, k == 2 ? "failed" : "finished",
                      k);
    buffer_text(&t, "],\n \"provenance\": {\"options\": [], \"inputs\": "
                    "[{\"kind\": \"model\", \"name\": \"m.cosy\", \"sha256\": "
                    "\"\"}]}}\n");
    put(b->results, "summary.json", buffer_string(&t));
    buffer_free(&t);
}

static void put_results(Bench *b, unsigned runs)
{
    Sha256 h;
    sha256_begin(&h);
    sha256_add(&h, MODEL, strlen(MODEL));
    sha256_end(&h, b->hash);
    mkdir(b->results, 0777);
    put_summary(b, runs);
    put(b->results, "run-0001.csv",
        TRACK "0,1,0.1,nan,3\n"
              "1,2,0.30000000000000004,-0,inf\n"
              "1,-2,5e-324,1.7976931348623157e+308,-inf\n"
              "2,2,1e+22,0.3333333333333333,7\n");
    put(b->results, "events-0001.csv",
        "time,event,kind,detail\n1,E,state,\n1,\"F,G\",time,STONE[7] 2\n"
        ",,more,5 further events are not listed\n");
    put(b->results, "cross.csv",
        "TIME,X\n0.33333333333333333334,1\n0.5,\"\"\n");
    put(b->results, "mine.csv", "this,is not COSY's\n");
}

static void bench_open(Bench *b, unsigned runs)
{
    *b = (Bench){.s = NULL};
    folder_make(&b->folder);
    snprintf(b->path, sizeof b->path, "%s", folder_file(&b->folder, "base.db"));
    snprintf(b->results, sizeof b->results, "%s",
             folder_file(&b->folder, "m.out"));
    put_results(b, runs);
}

static bool bench_base(Bench *b, StoreUse use)
{
    store_close(b->s);
    b->f = (Fault){0};
    b->s = store_open(&b->arena, b->path, use, &b->f);
    return b->s != NULL;
}

static void bench_close(Bench *b)
{
    store_close(b->s);
    arena_free(&b->arena);
    folder_remove(&b->folder);
}

static int64_t keep(Bench *b)
{
    const StoreEntry e = {.folder = b->results,
                          .label = "it's a label",
                          .text = MODEL,
                          .length = strlen(MODEL),
                          .date = "2026-01-02T03:04:05Z"};
    int64_t number = 0;
    b->f = (Fault){0};
    return store_keep(b->s, &e, &number, &b->f) == STATUS_OK ? number : 0;
}

static bool own_none(const char *name, const char *beginning)
{
    (void)name, (void)beginning;
    return false;
}

/* True if both folders have such a file with the same bytes. */
static bool same_file(const char *a, const char *b, const char *name)
{
    Buffer x = {0}, y = {0};
    char one[800], two[800];
    Fault f = {0};
    snprintf(one, sizeof one, "%s/%s", a, name);
    snprintf(two, sizeof two, "%s/%s", b, name);
    bool same = file_read(one, &x, &f) == STATUS_OK &&
                file_read(two, &y, &f) == STATUS_OK && x.v.used == y.v.used &&
                memcmp(x.v.bytes, y.v.bytes, x.v.used) == 0;
    buffer_free(&x);
    buffer_free(&y);
    return same;
}

static void test_bytes(void)
{
    static const char *const files[] = {"summary.json", "run-0001.csv",
                                        "events-0001.csv", "cross.csv"};
    Bench b;
    Results r;
    char back[700], path[800];
    bench_open(&b, 3);
    CHECK(bench_base(&b, STORE_MAKE));
    CHECK(keep(&b) == 1);
    CHECK(results_study(&r, &b.arena, b.s, 1, &b.f) == STATUS_OK);
    snprintf(back, sizeof back, "%s/back", b.folder.path);
    CHECK(export_folder(&r, 0, back, own_none, &b.f) == STATUS_OK);
    for (size_t k = 0; k < LENGTH(files); k++)
        CHECK(same_file(b.results, back, files[k]));
    snprintf(path, sizeof path, "%s/mine.csv", back);
    CHECK(access(path, F_OK) != 0);
    // one run has its own tables, and none of all runs
    snprintf(back, sizeof back, "%s/second", b.folder.path);
    CHECK(export_folder(&r, 2, back, own_none, &b.f) == STATUS_OK);
    snprintf(path, sizeof path, "%s/run-0001.csv", back);
    CHECK(access(path, F_OK) != 0);
    CHECK(export_folder(&r, 9, back, own_none, &b.f) == STATUS_USAGE);
    CHECK(strstr(b.f.text, "has no run 9: it has 3 runs") != NULL);
    results_close(&r);
    bench_close(&b);
}

/* ---- Studies -------------------------------------------------------------------- */

static void count_study(void *user, const StoreStudy *s)
{
    (void)s;
    ++*(unsigned *)user;
}

static unsigned studies(Bench *b, const char *program)
{
    unsigned n = 0;
    CHECK(store_list(b->s, program, count_study, &n, &b->f) == STATUS_OK);
    return n;
}

/* The number that a query gives, by another connection. */
static int ask(const Bench *b, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    int n = -1;
    sqlite3_open(b->path, &db);
    sqlite3_busy_timeout(db, 10000);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        n = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return n;
}

static void test_studies(void)
{
    Bench b;
    StoreStudy s;
    const char *text;
    size_t length;
    bench_open(&b, 3);
    CHECK(bench_base(&b, STORE_MAKE));
    CHECK(keep(&b) == 1 && keep(&b) == 2 && keep(&b) == 3);
    CHECK(ask(&b, "SELECT count(*) FROM model") == 1);
    CHECK(studies(&b, NULL) == 3 && studies(&b, "m") == 3);
    CHECK(studies(&b, "other") == 0);
    CHECK(store_find(b.s, &b.arena, 2, &s, &b.f) == STATUS_OK);
    CHECK_TEXT(s.date, "2026-01-02T03:04:05Z");
    CHECK_TEXT(s.label, "it's a label");
    CHECK_TEXT(s.program, "M");
    CHECK_TEXT(s.source, "m.cosy");
    CHECK_TEXT(s.sha256, b.hash);
    CHECK(s.runs == 3 && s.failed == 1 && s.stopped == 0);
    CHECK(store_model(b.s, &b.arena, 2, &text, &length, &b.f) == STATUS_OK);
    CHECK(text && length == strlen(MODEL) && strcmp(text, MODEL) == 0);
    // SQL finds parameters and final values
    CHECK(ask(&b, "SELECT count(*) FROM parameter WHERE name = 'K'") == 9);
    CHECK(ask(&b, "SELECT value FROM final WHERE study = 3 AND run = 2") == 2);
    // all or none
    const int64_t wrong[] = {1, 7}, right[] = {1, 3};
    CHECK(store_delete(b.s, wrong, 2, false, &b.f) == STATUS_USAGE);
    CHECK(strstr(b.f.text, "has no study 7") != NULL);
    b.f = (Fault){0};
    CHECK(studies(&b, NULL) == 3);
    CHECK(store_delete(b.s, right, 2, true, &b.f) == STATUS_OK);
    CHECK(studies(&b, NULL) == 1);
    CHECK(ask(&b, "SELECT count(*) FROM model") == 1);
    CHECK(keep(&b) == 4); // numbers are not given again
    const int64_t rest[] = {2, 4};
    CHECK(store_delete(b.s, rest, 2, false, &b.f) == STATUS_OK);
    CHECK(ask(&b, "SELECT count(*) FROM block") == 0);
    CHECK(ask(&b, "SELECT count(*) FROM model") == 0);
    bench_close(&b);
}

/* A model whose text is not known has one as soon as somebody knows it; a text
   that does not fit the hash is not kept. */
static void test_model(void)
{
    Bench b;
    const char *text;
    size_t length;
    int64_t number;
    bench_open(&b, 1);
    StoreEntry e = {.folder = b.results, .text = "another", .length = 7};
    CHECK(bench_base(&b, STORE_MAKE));
    CHECK(store_keep(b.s, &e, &number, &b.f) == STATUS_OK);
    CHECK(store_model(b.s, &b.arena, 1, &text, &length, &b.f) == STATUS_OK);
    CHECK(text == NULL);
    CHECK(keep(&b) == 2);
    CHECK(store_model(b.s, &b.arena, 1, &text, &length, &b.f) == STATUS_OK);
    CHECK(text != NULL);
    bench_close(&b);
}

/* ---- What can be wrong ----------------------------------------------------------- */

static void run_sql(const Bench *b, const char *sql)
{
    sqlite3 *db;
    sqlite3_open(b->path, &db);
    CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static void test_files(void)
{
    Bench b;
    bench_open(&b, 1);
    CHECK(!bench_base(&b, STORE_READ));
    CHECK(strstr(b.f.text, "cosy run --store FILE.db makes") != NULL);
    b.f = (Fault){0};
    CHECK(store_look(b.path, &b.f) == STATUS_OK);
    CHECK(access(b.path, F_OK) != 0); // nothing was made
    put(b.folder.path, "base.db",
        "this is a text, and a long one at that: "
        "SQLite looks at a hundred bytes or so to "
        "know what it has before it.\n");
    CHECK(!bench_base(&b, STORE_MAKE));
    CHECK(strstr(b.f.text, "it is no SQLite file") != NULL);
    b.f = (Fault){0};
    CHECK(store_look(b.path, &b.f) == STATUS_FILE);
    unlink(b.path);
    run_sql(&b, "CREATE TABLE t(x)");
    CHECK(!bench_base(&b, STORE_MAKE));
    CHECK(strstr(b.f.text, "a database of another program") != NULL);
    unlink(b.path);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    run_sql(&b, "PRAGMA user_version = 99");
    CHECK(!bench_base(&b, STORE_READ));
    CHECK(strstr(b.f.text, "another version of COSY: its tables are of version "
                           "99") != NULL);
    snprintf(b.path, sizeof b.path, "%s", b.results);
    CHECK(!bench_base(&b, STORE_MAKE));
    CHECK(strstr(b.f.text, "is a folder") != NULL);
    snprintf(b.path, sizeof b.path, "%s/none/base.db", b.folder.path);
    CHECK(!bench_base(&b, STORE_MAKE));
    b.f = (Fault){0};
    CHECK(store_look(b.path, &b.f) == STATUS_FILE);
    bench_close(&b);
}

static void test_locked(void)
{
    Bench b;
    sqlite3 *other;
    bench_open(&b, 1);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    sqlite3_open(b.path, &other);
    CHECK(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) ==
          SQLITE_OK);
    store_wait(b.s, 50);
    CHECK(keep(&b) == 0);
    CHECK(strstr(b.f.text, "in use by another process") != NULL);
    b.f = (Fault){0};
    CHECK(studies(&b, NULL) == 1); // reading goes on
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
    CHECK(keep(&b) == 2);
    bench_close(&b);
}

/* What was half done is taken back. */
static void check_whole(const Bench *b)
{
    CHECK(ask(b, "SELECT count(*) FROM run") ==
          ask(b, "SELECT coalesce(sum(runs), 0) FROM study"));
    CHECK(ask(b, "SELECT count(*) FROM file") ==
          3 * ask(b, "SELECT count(*) FROM study"));
    CHECK(ask(b, "SELECT count(*) FROM block") ==
          11 * ask(b, "SELECT count(*) FROM study"));
    CHECK(ask(b, "SELECT count(*) FROM summary") ==
          ask(b, "SELECT count(*) FROM study"));
}

static void test_bad_results(void)
{
    static const struct {
        const char *file, *text, *why;
    } cases[] = {
        {"run-0001.csv", "TIME,X\n1,2\n1\n", "line 3 of run-0001.csv has not"},
        {"run-0001.csv", "TIME,X\n1,2\n1,2,3\n", "line 3 of run-0001.csv"},
        {"run-0001.csv", "TIME,X\n1,2\n1,", "ends in the middle of line 3"},
        {"run-0001.csv", "", "run-0001.csv is empty"},
        {"summary.json", "{\"runs\": [{\"run\": 1}", "not a whole summary"},
        {"summary.json", "{\"runs\": [{\"run\": 1}]", "not a whole summary"},
        {"summary.json", "[]", "not a whole summary"},
        {"summary.json", "", "not a whole summary"},
    };
    Bench b;
    bench_open(&b, 1);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    for (size_t k = 0; k < LENGTH(cases); k++) {
        put_results(&b, 1);
        put(b.results, cases[k].file, cases[k].text);
        CHECK(keep(&b) == 0);
        if (!strstr(b.f.text, cases[k].why))
            CHECK_TEXT(b.f.text, cases[k].why);
    }
    check_whole(&b);
    CHECK(studies(&b, NULL) == 1);
    bench_close(&b);
}

/* ---- Several processes, and their ends ------------------------------------------- */

static void put_long(Bench *b, unsigned rows)
{
    Buffer t = {0};
    buffer_text(&t, TRACK);
    for (unsigned k = 0; k < rows; k++) {
        char text[DECIMAL_LENGTH];
        decimal_print(text, sin(0.01 * k));
        buffer_format(&t, "%u,%s,%u,%u,0\n", k, text, k % 17, k * k);
    }
    put(b->results, "run-0001.csv", buffer_string(&t));
    buffer_free(&t);
}

static pid_t store_in_child(Bench *b, int times)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        Bench own = *b;
        own.s = NULL;
        own.arena = (Arena){0};
        if (!bench_base(&own, STORE_MAKE))
            _exit(1);
        for (int k = 0; times < 0 || k < times; k++)
            if (keep(&own) == 0)
                _exit(1);
        _exit(0);
    }
    return child;
}

static void test_together(void)
{
    enum { PROCESSES = 4, EACH = 8 };
    Bench b;
    pid_t child[PROCESSES];
    bench_open(&b, 2);
    for (int k = 0; k < PROCESSES; k++)
        child[k] = store_in_child(&b, EACH);
    for (int k = 0; k < PROCESSES; k++) {
        int status = 1;
        waitpid(child[k], &status, 0);
        CHECK(status == 0);
    }
    CHECK(bench_base(&b, STORE_READ));
    CHECK(studies(&b, NULL) == PROCESSES * EACH);
    check_whole(&b);
    bench_close(&b);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Each is killed within the time that five studies take. */
static void test_killed(void)
{
    Bench b;
    uint64_t seed = 7;
    unsigned before = 0;
    bench_open(&b, 2);
    put_long(&b, 2000);
    double begun = seconds();
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) > 0);
    uint64_t most = (uint64_t)(5e9 * (seconds() - begun));
    for (int k = 0; k < 40; k++) {
        long after = (long)(next_bits(&seed) % most % 900000000);
        struct timespec wait = {0, after};
        pid_t child = store_in_child(&b, -1);
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        CHECK(bench_base(&b, STORE_READ));
        unsigned now = studies(&b, NULL);
        CHECK(now >= before);
        before = now;
        check_whole(&b);
    }
    CHECK(before > 1);
    CHECK(bench_base(&b, STORE_CHANGE) && keep(&b) > 0);
    bench_close(&b);
}

/* A limit on the size of files is what a full disk is to SQLite. */
static void test_full(void)
{
    Bench b;
    struct rlimit before, limit;
    bench_open(&b, 2);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    put_long(&b, 200000);
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t size = 60000; size < 1500000; size *= 2) {
        limit = before;
        limit.rlim_cur = size;
        setrlimit(RLIMIT_FSIZE, &limit);
        int64_t number = keep(&b);
        setrlimit(RLIMIT_FSIZE, &before);
        CHECK(number == 0);
        CHECK(strstr(b.f.text, "nothing was changed") != NULL);
        b.f = (Fault){0};
        CHECK(studies(&b, NULL) == 1);
        check_whole(&b);
    }
    signal(SIGXFSZ, SIG_DFL);
    CHECK(keep(&b) > 1);
    bench_close(&b);
}

/* Root may write everywhere, so the test becomes nobody for a while. */
static void test_read_only(void)
{
    enum { NOBODY = 65534 };
    Bench b;
    bench_open(&b, 1);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    store_close(b.s);
    b.s = NULL;
    chmod(b.path, 0444);
    chmod(b.folder.path, 0555);
    bool root = geteuid() == 0 && seteuid(NOBODY) == 0;
    CHECK(geteuid() != 0);
    CHECK(bench_base(&b, STORE_READ) && studies(&b, NULL) == 1);
    CHECK(!bench_base(&b, STORE_CHANGE));
    CHECK(strstr(b.f.text, "write-protected") != NULL);
    b.f = (Fault){0};
    CHECK(store_look(b.path, &b.f) == STATUS_FILE);
    if (root && seteuid(0) != 0)
        CHECK(!"root again");
    chmod(b.folder.path, 0777);
    bench_close(&b);
}

/* ---- MAT-files, read by their description ------------------------------------------ */

typedef struct Matrix {
    int type, rows, columns;
    char name[20];
    const unsigned char *data;
} Matrix;

static int number_at(const unsigned char *p)
{
    int32_t n;
    memcpy(&n, p, sizeof n);
    return n;
}

/* Five numbers, the name, and columns * rows elements of 8, 4 or 1 bytes. */
static const unsigned char *read_matrix(const unsigned char *p, Matrix *m)
{
    m->type = number_at(p) % 1000;
    m->rows = number_at(p + 4);
    m->columns = number_at(p + 8);
    CHECK(number_at(p + 12) == 0);
    int n = number_at(p + 16);
    CHECK(n > 1 && n <= (int)sizeof m->name);
    memcpy(m->name, p + 20, (size_t)n);
    m->data = p + 20 + n;
    int size = m->type == 0 ? 8 : m->type == 20 ? 4 : 1;
    return m->data + (size_t)m->rows * (size_t)m->columns * (size_t)size;
}

/* Column k of a text matrix, without the blanks at its end. */
static const char *text_at(const Matrix *m, int k)
{
    static char text[100];
    int n = m->rows;
    memcpy(text, m->data + k * m->rows, (size_t)n);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    return text;
}

static double value_at(const Matrix *m, int row, int column)
{
    double v;
    memcpy(&v, m->data + 8 * (row + column * m->rows), sizeof v);
    return v;
}

static void check_mat(const unsigned char *p, const unsigned char *end)
{
    static const char *const names[] = {"time", "B[1,2]", "A[3]",      "P[3].X",
                                        "E",    "K",      "A[3].start"};
    static const char *const about[] = {"[s]", "[m]",   "", "[km]",
                                        "",    "[1/s]", ""};
    static const int info[][2] = {{0, 1}, {2, 2}, {2, 3}, {2, 4},
                                  {2, 5}, {1, 2}, {1, 3}};
    Matrix m[6];
    for (size_t k = 0; k < LENGTH(m); k++)
        p = read_matrix(p, &m[k]);
    CHECK(p == end);
    CHECK_TEXT(m[0].name, "Aclass");
    CHECK(m[0].type == 51 && m[0].rows == 4 && m[0].columns == 11);
    CHECK(memcmp(m[0].data, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ",
                 44) == 0);
    CHECK_TEXT(m[1].name, "name");
    CHECK_TEXT(m[2].name, "description");
    CHECK_TEXT(m[3].name, "dataInfo");
    CHECK(m[1].columns == 7 && m[2].columns == 7 && m[3].columns == 7);
    CHECK(m[1].type == 51 && m[2].type == 51 && m[3].type == 20);
    for (int k = 0; k < 7; k++) {
        CHECK_TEXT(text_at(&m[1], k), names[k]);
        CHECK_TEXT(text_at(&m[2], k), about[k]);
        CHECK(number_at(m[3].data + 16 * k) == info[k][0]);
        CHECK(number_at(m[3].data + 16 * k + 4) == info[k][1]);
        CHECK(number_at(m[3].data + 16 * k + 12) == -1);
    }
    CHECK_TEXT(m[4].name, "data_1");
    CHECK(m[4].type == 0 && m[4].rows == 3 && m[4].columns == 2);
    CHECK(value_at(&m[4], 0, 0) == 0 && value_at(&m[4], 0, 1) == 2);
    CHECK(value_at(&m[4], 1, 1) == 1 && value_at(&m[4], 2, 0) == 0.1);
    CHECK_TEXT(m[5].name, "data_2");
    CHECK(m[5].type == 0 && m[5].rows == 5 && m[5].columns == 4);
    // both sides of the event
    CHECK(value_at(&m[5], 0, 1) == 1 && value_at(&m[5], 0, 2) == 1);
    CHECK(value_at(&m[5], 1, 1) == 2 && value_at(&m[5], 1, 2) == -2);
    CHECK(value_at(&m[5], 2, 1) == 0.30000000000000004);
    CHECK(isnan(value_at(&m[5], 3, 0)) && signbit(value_at(&m[5], 3, 1)));
    CHECK(isinf(value_at(&m[5], 4, 1)));
}

static void test_mat(void)
{
    Bench b;
    Results r;
    Buffer file = {0};
    char path[700];
    bench_open(&b, 1);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    snprintf(path, sizeof path, "%s/x.mat", b.folder.path);
    CHECK(results_study(&r, &b.arena, b.s, 1, &b.f) == STATUS_OK);
    CHECK(export_mat(&r, 1, path, &b.f) == STATUS_OK);
    results_close(&r);
    CHECK(file_read(path, &file, &b.f) == STATUS_OK);
    check_mat(file.v.bytes, file.v.bytes + file.v.used);
    buffer_free(&file);
    // the same from the folder
    CHECK(results_folder(&r, &b.arena, b.results, &b.f) == STATUS_OK);
    CHECK(export_mat(&r, 1, path, &b.f) == STATUS_OK);
    CHECK(file_read(path, &file, &b.f) == STATUS_OK);
    check_mat(file.v.bytes, file.v.bytes + file.v.used);
    buffer_free(&file);
    CHECK(export_mat(&r, 1, "/none/x.mat", &b.f) == STATUS_FILE);
    b.f = (Fault){0};
    snprintf(path, sizeof path, "%s/run-0001.csv", b.results);
    unlink(path);
    CHECK(export_mat(&r, 1, path, &b.f) == STATUS_UNSUPPORTED);
    CHECK(strstr(b.f.text, "has recorded no curves") != NULL);
    results_close(&r);
    bench_close(&b);
}

/* ---- Names and differences ----------------------------------------------------------- */

static void test_names(void)
{
    static const char *const cases[][3] = {{"X [km]", "X", "km"},
                                           {"A[3] [V]", "A[3]", "V"},
                                           {"A[3]", "A[3]", ""},
                                           {"B[1,2]", "B[1,2]", ""},
                                           {"TIME", "TIME", ""},
                                           {"X [1]", "X", "1"},
                                           {"A[-1] [m/s^2]", "A[-1]", "m/s^2"},
                                           {"", "", ""},
                                           {"X'", "X'", ""},
                                           {"[km]", "[km]", ""}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        char plain[40], unit[40];
        table_split_name(cases[k][0], plain, unit);
        CHECK_TEXT(plain, cases[k][1]);
        CHECK_TEXT(unit, cases[k][2]);
    }
}

#define NEAR(x, y) (fabs((x) - (y)) <= 1e-13 * fabs(y))

static void test_differ(void)
{
    const double t2[] = {0, 1}, line[] = {0, 1}, zero[] = {0, 0};
    const double t3[] = {0, 0.3, 1}, line3[] = {0, 0.3, 1};
    const double up[] = {0, 0, 1, 1}, early[] = {0, 0.5, 0.5, 2};
    const double late[] = {0, 0.6, 0.6, 2}, turn[] = {-1, 1};
    const double later[] = {3, 4}, gap[] = {0, NAN, NAN, 0};
    const Curve a = {t2, line, 2}, b = {t2, zero, 2}, c = {t3, line3, 3};
    const Curve x = {early, up, 4}, y = {late, up, 4}, z = {t2, turn, 2};
    const Curve far = {later, line, 2}, none = {t2, line, 0};
    const double lost[] = {0, NAN, 1, 2}, back[] = {0, 2, 1, 2};
    const Curve bad = {lost, up, 4}, worse = {back, up, 4};
    const Curve hole = {early, gap, 4};
    double t[20], v[20];
    Difference d;
    differ_curves(&d, &a, &b, 3); // t and 0
    CHECK(!d.same && d.most == 1 && d.at == 1 && d.size == 1);
    CHECK(NEAR(d.mean, 0.5) && NEAR(d.rms, 1 / sqrt(3)));
    CHECK(NEAR(d.parts, 0.001));
    differ_curves(&d, &z, &b, 3); // through zero
    CHECK(NEAR(d.mean, 0.5) && NEAR(d.rms, 1 / sqrt(3)) && d.parts == 0);
    differ_curves(&d, &a, &c, 3); // the same line, other points
    CHECK(!d.same && d.most == 0 && isnan(d.parts));
    differ_curves(&d, &x, &y, 6); // a jump at another time
    CHECK(d.most == 1 && d.at == 0.5 && d.parts == 0.5);
    CHECK(NEAR(d.mean, 0.05) && NEAR(d.rms, sqrt(0.05)));
    differ_curves(&d, &x, &x, 6);
    CHECK(d.same && d.most == 0 && d.from == 0 && d.to == 2);
    differ_curves(&d, &a, &far, 6);
    CHECK(d.from > d.to && !d.same);
    differ_curves(&d, &a, &none, 6);
    CHECK(d.from > d.to);
    differ_curves(&d, &x, &hole, 6);
    CHECK(d.unknown == 2);
    differ_curves(&d, &x, &bad, 6); // no matter what, but it ends
    differ_curves(&d, &worse, &x, 6);
    CHECK(differ_points(&bad, &worse, t, v) <= 16);
    CHECK(differ_points(&x, &y, t, v) == 6 && t[2] == 0.5 && v[2] == 1);
    CHECK(NEAR(differ_digits(1, 1.001, 0), -log10(0.001 / 1.001)));
    CHECK(isinf(differ_digits(2, 2, 0)) && differ_digits(1, -1, 0) == 0);
    CHECK(NEAR(differ_digits(1e-9, 0, 1), 9.0));
}

/* ---- Too little memory ----------------------------------------------------------------- */

static void test_memory(void)
{
    Bench b;
    bench_open(&b, 2);
    CHECK(bench_base(&b, STORE_MAKE) && keep(&b) == 1);
    long refused = 1;
    int64_t number = 0;
    for (long n = 0; refused > 0 && n < 3000; n++) {
        scarce_begin_arenas(n);
        number = keep(&b);
        refused = scarce_end();
        CHECK(refused > 0 ? number == 0 && b.f.text[0] : number > 0);
    }
    CHECK(refused == 0);
    check_whole(&b);
    bench_close(&b);
}

int main(void)
{
    test_pack();
    test_words();
    test_bytes();
    test_studies();
    test_model();
    test_files();
    test_locked();
    test_bad_results();
    test_together();
    test_killed();
    test_full();
    test_read_only();
    test_mat();
    test_names();
    test_differ();
    test_memory();
    return check_end();
}
