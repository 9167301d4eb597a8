#include "expand/library.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buffer.h"
#include "check.h"
#include "folder.h"
#include "scarce.h"

typedef struct Bench {
    Folder folder;
    Arena arena;
    Library *l;
    Fault f;
    char path[600];
} Bench;

static void bench_open(Bench *b, const char *name)
{
    *b = (Bench){0};
    folder_make(&b->folder);
    snprintf(b->path, sizeof b->path, "%s", folder_file(&b->folder, name));
    b->l = library_open(&b->arena, b->path);
}

static void bench_again(Bench *b)
{
    library_close(b->l);
    b->l = library_open(&b->arena, b->path);
    b->f = (Fault){0};
}

static void bench_close(Bench *b)
{
    library_close(b->l);
    arena_free(&b->arena);
    folder_remove(&b->folder);
}

static Status put(Bench *b, const char *name, const char *text)
{
    LibraryChange c = {.entry = {name, LIBRARY_MACRO, text, strlen(text)}};
    return library_apply(b->l, &c, 1, &b->f);
}

static const char *get(Bench *b, const char *name)
{
    LibraryEntry e;
    if (library_get(b->l, &b->arena, name, &e, &b->f) != STATUS_OK)
        return b->f.text;
    return e.text == NULL ? "nothing" : e.text;
}

static size_t count(Bench *b)
{
    LibraryEntry *e;
    size_t n = 9999;
    library_list(b->l, &b->arena, &e, &n, &b->f);
    return n;
}

static void write_text(const char *path, const char *text)
{
    Fault f = {0};
    CHECK(file_write(path, text, strlen(text), &f) == STATUS_OK);
}

static int integrity(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    int ok = 0;
    sqlite3_open(path, &db);
    sqlite3_busy_timeout(db, 5000);
    sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, NULL);
    if (sqlite3_step(s) == SQLITE_ROW)
        ok = strcmp((const char *)sqlite3_column_text(s, 0), "ok") == 0;
    sqlite3_finalize(s);
    sqlite3_close(db);
    return ok;
}

/* ---- The usual ----------------------------------------------------------- */

static void test_use(void)
{
    Bench b;
    LibraryEntry *e;
    size_t n;
    bench_open(&b, "a/b/library.db");
    CHECK_TEXT(get(&b, "HEAT"), "nothing");
    CHECK(count(&b) == 0);
    CHECK(folder_count(&b.folder) == 0); // reading makes no file
    CHECK(library_can_write(b.l, &b.f) == STATUS_OK);
    CHECK(folder_count(&b.folder) == 0);
    CHECK(put(&b, "Heat", "one") == STATUS_OK);
    CHECK(put(&b, "RC", "two") == STATUS_OK);
    CHECK_TEXT(get(&b, "HEAT"), "one");
    CHECK(put(&b, "HEAT", "three") == STATUS_OK);
    bench_again(&b);
    CHECK_TEXT(get(&b, "heat"), "three");
    CHECK(library_list(b.l, &b.arena, &e, &n, &b.f) == STATUS_OK);
    CHECK(n == 2 && strcmp(e[0].name, "HEAT") == 0 &&
          strcmp(e[1].name, "RC") == 0 && e[1].kind == LIBRARY_MACRO);
    bench_close(&b);
}

static void test_changes_together(void)
{
    Bench b;
    LibraryChange c[] = {
        {.entry = {"A", LIBRARY_MODULE, "x", 1}},
        {.remove = true, .entry = {.name = "a"}},
        {.remove = true, .entry = {.name = "NEVER"}},
        {.entry = {"B", LIBRARY_MODULE, "y", 1}},
    };
    LibraryChange wrong[] = {
        {.entry = {"C", LIBRARY_MACRO, "z", 1}},
        {.entry = {"D", LIBRARY_MACRO, NULL, 0}}, // not allowed in the table
    };
    bench_open(&b, "library.db");
    CHECK(library_apply(b.l, c, 4, &b.f) == STATUS_OK);
    CHECK(!c[0].found && c[1].found && !c[2].found && !c[3].found);
    CHECK(count(&b) == 1);
    CHECK(library_apply(b.l, wrong, 2, &b.f) != STATUS_OK);
    b.f = (Fault){0};
    CHECK(count(&b) == 1);
    CHECK_TEXT(get(&b, "C"), "nothing");
    CHECK_TEXT(get(&b, "B"), "y");
    bench_close(&b);
}

static void test_path(void)
{
    Arena a = {0};
    Fault f = {0};
    setenv("HOME", "/home/me", 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("COSY_LIBRARY");
    CHECK_TEXT(library_path(&a, &f), "/home/me/.local/share/cosy/library.db");
    setenv("XDG_DATA_HOME", "relative", 1);
    CHECK_TEXT(library_path(&a, &f), "/home/me/.local/share/cosy/library.db");
    setenv("XDG_DATA_HOME", "/data", 1);
    CHECK_TEXT(library_path(&a, &f), "/data/cosy/library.db");
    setenv("COSY_LIBRARY", "mine.db", 1);
    CHECK_TEXT(library_path(&a, &f), "mine.db");
    unsetenv("HOME");
    unsetenv("XDG_DATA_HOME");
    setenv("COSY_LIBRARY", "", 1);
    CHECK(library_path(&a, &f) == NULL);
    CHECK(strstr(f.text, "no home directory") != NULL);
    unsetenv("COSY_LIBRARY");
    Library *l = library_open(&a, NULL);
    LibraryEntry e;
    f = (Fault){0};
    CHECK(library_get(l, &a, "X", &e, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "COSY_LIBRARY") != NULL);
    library_close(l);
    arena_free(&a);
}

/* ---- Files that are no library ------------------------------------------- */

/* Reading and writing fail with these words, and the file stays as it is. */
static void check_refused(Bench *b, const char *words)
{
    Buffer before = {0}, after = {0};
    Fault f = {0};
    struct stat s;
    bool is_file = stat(b->path, &s) == 0 && S_ISREG(s.st_mode) &&
                   file_read(b->path, &before, &f) == STATUS_OK;
    bench_again(b);
    CHECK(strstr(get(b, "A"), words) != NULL);
    if (strstr(b->f.text, words) == NULL)
        printf("%s\n", b->f.text);
    bench_again(b);
    CHECK(put(b, "A", "text") == STATUS_FILE);
    CHECK(strstr(b->f.text, words) != NULL);
    bench_again(b);
    CHECK(library_can_write(b->l, &b->f) == STATUS_FILE);
    if (is_file) {
        CHECK(file_read(b->path, &after, &f) == STATUS_OK);
        CHECK(before.v.used == after.v.used &&
              memcmp(before.v.bytes, after.v.bytes, after.v.used) == 0);
    }
    buffer_free(&before);
    buffer_free(&after);
}

static void test_foreign_files(void)
{
    Bench b;
    sqlite3 *db;
    bench_open(&b, "library.db");
    write_text(b.path, "This is a text about something else, and long enough "
                       "to be taken for a database at first sight if only its "
                       "length counted, which it does not.\n");
    check_refused(&b, "is not an SQLite file");
    remove(b.path);
    sqlite3_open(b.path, &db);
    sqlite3_exec(db, "CREATE TABLE mail (a)", NULL, NULL, NULL);
    sqlite3_close(db);
    check_refused(&b, "of another program");
    sqlite3_open(b.path, &db);
    sqlite3_exec(db,
                 "PRAGMA application_id = 1129272153; PRAGMA user_version = 7",
                 NULL, NULL, NULL);
    sqlite3_close(db);
    check_refused(&b, "another version");
    remove(b.path);
    mkdir(b.path, 0777);
    check_refused(&b, "is a directory");
    rmdir(b.path);
    mkfifo(b.path, 0666);
    check_refused(&b, "not a plain file");
    remove(b.path);
    write_text(b.path, ""); // empty: the same as none
    bench_again(&b);
    CHECK_TEXT(get(&b, "A"), "nothing");
    CHECK(put(&b, "A", "text") == STATUS_OK);
    CHECK_TEXT(get(&b, "A"), "text");
    bench_close(&b);
}

static void test_no_folder(void)
{
    Bench b;
    bench_open(&b, "file/library.db");
    write_text(folder_file(&b.folder, "file"), "in the way");
    CHECK(put(&b, "A", "x") == STATUS_FILE);
    bench_again(&b);
    CHECK(library_can_write(b.l, &b.f) == STATUS_FILE);
    bench_close(&b);
}

/* Each page in turn is overwritten: what is read is either right or refused. */
static void test_corrupt(void)
{
    Bench b;
    char big[3000];
    int refused = 0;
    Buffer good = {0};
    Fault f = {0};
    bench_open(&b, "library.db");
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    for (int k = 0; k < 12; k++) {
        char name[20];
        snprintf(name, sizeof name, "NAME%d", k);
        CHECK(put(&b, name, big) == STATUS_OK);
    }
    bench_again(&b);
    CHECK(file_read(b.path, &good, &f) == STATUS_OK);
    for (size_t at = 0; at < good.v.used; at += 4096) {
        Buffer bad = {0};
        buffer_bytes(&bad, (const char *)good.v.bytes, good.v.used);
        memset(bad.v.bytes + at, 0xA5, 4096);
        CHECK(file_write(b.path, bad.v.bytes, bad.v.used, &f) == STATUS_OK);
        buffer_free(&bad);
        for (int k = 0; k < 12; k++) {
            LibraryEntry e;
            char name[20];
            snprintf(name, sizeof name, "NAME%d", k);
            bench_again(&b);
            if (library_get(b.l, &b.arena, name, &e, &b.f) != STATUS_OK)
                refused++;
            bench_again(&b);
            put(&b, "NEW", "x");
        }
    }
    CHECK(refused > 12);
    CHECK(file_write(b.path, good.v.bytes, good.v.used / 2, &f) == STATUS_OK);
    bench_again(&b);
    CHECK(strstr(get(&b, "NAME11"), "is damaged") != NULL);
    buffer_free(&good);
    bench_close(&b);
}

/* ---- Two processes ------------------------------------------------------- */

static void test_locked(void)
{
    Bench b;
    sqlite3 *other;
    struct timespec from, to;
    bench_open(&b, "library.db");
    CHECK(put(&b, "A", "before") == STATUS_OK);
    sqlite3_open(b.path, &other);
    CHECK(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL) ==
          SQLITE_OK);
    bench_again(&b);
    library_wait(b.l, 200);
    clock_gettime(CLOCK_MONOTONIC, &from);
    CHECK(put(&b, "A", "after") == STATUS_FILE);
    clock_gettime(CLOCK_MONOTONIC, &to);
    CHECK(strstr(b.f.text, "in use by another process") != NULL);
    CHECK((double)(to.tv_sec - from.tv_sec) +
              1e-9 * (double)(to.tv_nsec - from.tv_nsec) >
          0.15);
    b.f = (Fault){0};
    CHECK(strstr(get(&b, "A"), "in use by another process") != NULL);
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
    b.f = (Fault){0};
    CHECK_TEXT(get(&b, "A"), "before");
    CHECK(put(&b, "A", "after") == STATUS_OK);
    bench_close(&b);
}

/* Writes entries P<number>_<k>, each twice; at first all try to make the
   file. */
static void write_many(const char *path, int number, int n)
{
    Arena a = {0};
    Library *l = library_open(&a, path);
    int wrong = 0;
    library_wait(l, 60000);
    for (int k = 0; k < 2 * n; k++) {
        char name[40], text[80];
        Fault f = {0};
        LibraryEntry e;
        snprintf(name, sizeof name, "P%d_%d", number, k % n);
        snprintf(text, sizeof text, "text %d of %s", k, name);
        LibraryChange c = {.entry = {name, LIBRARY_MACRO, text, strlen(text)}};
        wrong += library_apply(l, &c, 1, &f) != STATUS_OK;
        wrong += library_get(l, &a, name, &e, &f) != STATUS_OK ||
                 e.text == NULL || strcmp(e.text, text) != 0;
    }
    library_close(l);
    arena_free(&a);
    _exit(wrong == 0 ? 0 : 1);
}

static void test_many_processes(void)
{
    enum { PROCESSES = 4, ENTRIES = 10 };
    Bench b;
    pid_t child[PROCESSES];
    bench_open(&b, "new/library.db");
    for (int k = 0; k < PROCESSES; k++) {
        child[k] = fork();
        if (child[k] == 0)
            write_many(b.path, k, ENTRIES);
    }
    for (int k = 0; k < PROCESSES; k++) {
        int status;
        CHECK(waitpid(child[k], &status, 0) == child[k] && status == 0);
    }
    CHECK(count(&b) == PROCESSES * ENTRIES);
    CHECK(integrity(b.path));
    bench_close(&b);
}

/* The child replaces two entries together, over and over, until it is killed:
   they always belong together. */
static void write_pairs(const char *path)
{
    Arena a = {0};
    Library *l = library_open(&a, path);
    char text[20000];
    for (int k = 0;; k++) {
        Fault f = {0};
        memset(text, 'a' + k % 26, sizeof text);
        LibraryChange c[] = {
            {.entry = {"LEFT", LIBRARY_MACRO, text, sizeof text}},
            {.entry = {"RIGHT", LIBRARY_MACRO, text, sizeof text}}};
        library_apply(l, c, 2, &f);
    }
}

static void test_killed(void)
{
    Bench b;
    bench_open(&b, "library.db");
    CHECK(put(&b, "LEFT", "a") == STATUS_OK);
    CHECK(put(&b, "RIGHT", "a") == STATUS_OK);
    for (int k = 0; k < 25; k++) {
        LibraryEntry left, right;
        struct timespec wait = {0, 2000000 + k * 1300000};
        pid_t child = fork();
        int status;
        if (child == 0)
            write_pairs(b.path);
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        bench_again(&b);
        CHECK(library_get(b.l, &b.arena, "LEFT", &left, &b.f) == STATUS_OK);
        CHECK(library_get(b.l, &b.arena, "RIGHT", &right, &b.f) == STATUS_OK);
        CHECK(left.length == right.length && left.length > 0 &&
              memcmp(left.text, right.text, left.length) == 0);
        CHECK(integrity(b.path));
    }
    bench_close(&b);
}

/* ---- No way to write ----------------------------------------------------- */

/* Permissions do not stop root: the child gives up its rights first. */
static void test_read_only(void)
{
    Bench b;
    int status;
    bench_open(&b, "library.db");
    CHECK(put(&b, "A", "kept") == STATUS_OK);
    library_close(b.l);
    chmod(b.path, 0444);
    chmod(b.folder.path, 0555);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(0);
        bench_again(&b);
        CHECK_TEXT(get(&b, "A"), "kept");
        CHECK(put(&b, "A", "lost") == STATUS_FILE);
        CHECK(strstr(b.f.text, "write-protected") != NULL);
        bench_again(&b);
        CHECK(library_can_write(b.l, &b.f) == STATUS_FILE);
        bench_again(&b);
        CHECK_TEXT(get(&b, "A"), "kept");
        _exit(check_failed > 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    chmod(b.folder.path, 0777);
    chmod(b.path, 0666);
    bench_again(&b);
    CHECK_TEXT(get(&b, "A"), "kept");
    bench_close(&b);
}

/* A full disk, simulated by a limit on the size of files. */
static void test_no_room(void)
{
    Bench b;
    int status;
    bench_open(&b, "library.db");
    CHECK(put(&b, "A", "kept") == STATUS_OK);
    library_close(b.l);
    pid_t child = fork();
    if (child == 0) {
        static char big[400000];
        struct rlimit limit = {100000, 100000};
        memset(big, 'x', sizeof big - 1);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        bench_again(&b);
        CHECK(put(&b, "B", big) == STATUS_FILE);
        b.f = (Fault){0};
        CHECK_TEXT(get(&b, "A"), "kept");
        CHECK_TEXT(get(&b, "B"), "nothing");
        _exit(check_failed > 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    bench_again(&b);
    CHECK_TEXT(get(&b, "A"), "kept");
    CHECK(integrity(b.path));
    bench_close(&b);
}

static void test_no_memory(void)
{
    Bench b;
    bench_open(&b, "library.db");
    CHECK(put(&b, "A", "text") == STATUS_OK);
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena a = {0};
        LibraryEntry e, *list;
        size_t count_of;
        Status s;
        scarce_begin(n);
        s = library_get(b.l, &a, "A", &e, &b.f);
        if (s == STATUS_OK)
            s = library_list(b.l, &a, &list, &count_of, &b.f);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        arena_free(&a);
        b.f = (Fault){0};
    }
    bench_close(&b);
}

int main(void)
{
    test_use();
    test_changes_together();
    test_path();
    test_foreign_files();
    test_no_folder();
    test_corrupt();
    test_locked();
    test_many_processes();
    test_killed();
    test_read_only();
    test_no_room();
    test_no_memory();
    return check_end();
}
