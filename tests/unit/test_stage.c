#define _DEFAULT_SOURCE // flock
#include "base/stage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"
#include "folder.h"

static char path[600];

static const char *in(const char *dir, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* Files NEW* and summary that begin with "ours", including those in plots. */
static bool ours(const char *name, const char *beginning)
{
    if (strncmp(name, "plots/", 6) == 0)
        return name[6] == '\0' || ours(name + 6, beginning);
    return (strncmp(name, "NEW", 3) == 0 || strcmp(name, "summary") == 0) &&
           strncmp(beginning, "ours", 4) == 0;
}

static void put(const char *dir, const char *name, const char *text)
{
    Fault f = {0};
    CHECK(file_write(in(dir, name), text, strlen(text), &f) == STATUS_OK);
}

/* NULL: there is no such file. */
static void check_holds(const char *dir, const char *name, const char *text)
{
    Fault f = {0};
    Buffer b = {0};
    if (text == NULL) {
        CHECK(access(in(dir, name), F_OK) != 0);
        return;
    }
    CHECK(file_read(in(dir, name), &b, &f) == STATUS_OK);
    CHECK_TEXT(buffer_string(&b), text);
    buffer_free(&b);
}

static int count(const char *dir)
{
    Folder f;
    snprintf(f.path, sizeof f.path, "%s", dir);
    return folder_count(&f);
}

static void fill(Stage *d, const char *text, int files)
{
    char name[20];
    for (int k = 1; k <= files; k++) {
        snprintf(name, sizeof name, "NEW%d", k);
        put(stage_path(d), name, text);
    }
    put(stage_path(d), "summary", text);
}

static Status replace(const char *dir, const char *text, int files, Fault *f)
{
    Stage d;
    Status s = stage_open(&d, dir, f);
    if (s != STATUS_OK) {
        stage_discard(&d);
        return s;
    }
    fill(&d, text, files);
    return stage_commit(&d, ours, "summary", f);
}

/* Fewer files than before: none of the old ones survives. */
static void check_replaced(const char *dir, int others)
{
    Fault f = {0};
    CHECK(replace(dir, "ours 1", 3, &f) == STATUS_OK);
    check_holds(dir, "NEW3", "ours 1");
    CHECK(count(dir) == 4 + others);
    CHECK(replace(dir, "ours 2", 1, &f) == STATUS_OK);
    check_holds(dir, "NEW1", "ours 2");
    check_holds(dir, "summary", "ours 2");
    check_holds(dir, "NEW2", NULL);
    CHECK(count(dir) == 2 + others);
    CHECK_TEXT(f.text, "");
}

static void test_replace(Folder *t)
{
    char dir[100];
    snprintf(dir, sizeof dir, "%s/a/b", t->path);
    check_replaced(dir, 0);
    check_replaced(dir, 0);
    CHECK(count(folder_file(t, "a")) == 1); // no stage is left
}

/* Other people's files and folders stay, even those with names like ours. */
static void test_foreign(Folder *t)
{
    char dir[100], link[120];
    struct stat s;
    snprintf(dir, sizeof dir, "%s/foreign", t->path);
    CHECK(mkdir(dir, 0750) == 0);
    put(dir, "notes", "mine");
    put(dir, "NEW9", "not yours");
    check_replaced(dir, 2);
    check_holds(dir, "notes", "mine");
    check_holds(dir, "NEW9", "not yours");
    CHECK(stat(dir, &s) == 0 && (s.st_mode & 0777) == 0750);
    CHECK(mkdir(in(dir, "below"), 0777) == 0);
    put(dir, "below/x", "deep");
    check_replaced(dir, 3);
    check_holds(dir, "below/x", "deep");
    snprintf(link, sizeof link, "%s/link", t->path);
    CHECK(symlink(dir, link) == 0);
    check_replaced(link, 3);
    CHECK(lstat(link, &s) == 0 && S_ISLNK(s.st_mode));
}

static Status replace_plots(const char *dir, const char *text, const char *name,
                            Fault *f)
{
    Stage d;
    CHECK(stage_open(&d, dir, f) == STATUS_OK);
    fill(&d, text, 1);
    if (name) {
        CHECK(mkdir(in(stage_path(&d), "plots"), 0777) == 0);
        put(stage_path(&d), name, text);
    }
    return stage_commit(&d, ours, "summary", f);
}

/* A folder that is ours by name: its files come and go like the others, and
   what is not ours in it stays. With another folder next to it, files are
   renamed one by one. */
static void check_plots(const char *dir)
{
    Fault f = {0};
    CHECK(replace_plots(dir, "ours 1", "plots/NEW1", &f) == STATUS_OK);
    CHECK(replace_plots(dir, "ours 2", "plots/NEW2", &f) == STATUS_OK);
    check_holds(dir, "plots/NEW1", NULL);
    check_holds(dir, "plots/NEW2", "ours 2");
    CHECK(replace_plots(dir, "ours 3", NULL, &f) == STATUS_OK);
    check_holds(dir, "plots", NULL);
    CHECK(replace_plots(dir, "ours 4", "plots/NEW1", &f) == STATUS_OK);
    put(dir, "plots/notes", "mine");
    CHECK(replace_plots(dir, "ours 5", NULL, &f) == STATUS_OK);
    check_holds(dir, "plots/NEW1", NULL);
    check_holds(dir, "plots/notes", "mine");
    CHECK(replace_plots(dir, "ours 6", "plots/NEW2", &f) == STATUS_OK);
    check_holds(dir, "plots/NEW2", "ours 6");
    check_holds(dir, "plots/notes", "mine");
    CHECK(replace_plots(dir, "ours 7", "plots/notes", &f) == STATUS_FILE);
    CHECK(strstr(f.text, "plots/notes is in the way") != NULL);
    check_holds(dir, "plots/NEW2", "ours 6");
    check_holds(dir, "summary", "ours 6");
    unlink(in(dir, "plots/notes"));
}

static void test_plots(Folder *t)
{
    char dir[100];
    snprintf(dir, sizeof dir, "%s/graphs", t->path);
    check_plots(dir);
    CHECK(mkdir(in(dir, "below"), 0777) == 0);
    put(dir, "below/x", "deep");
    check_plots(dir);
    check_holds(dir, "below/x", "deep");
}

/* A file in the way that is not ours: nothing is replaced. */
static void test_in_the_way(Folder *t)
{
    Fault f = {0};
    char dir[100];
    snprintf(dir, sizeof dir, "%s/way", t->path);
    CHECK(replace(dir, "ours 1", 2, &f) == STATUS_OK);
    put(dir, "NEW1", "not yours");
    CHECK(replace(dir, "ours 2", 2, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "way/NEW1 is in the way") != NULL);
    check_holds(dir, "NEW1", "not yours");
    check_holds(dir, "NEW2", "ours 1");
    check_holds(dir, "summary", "ours 1");
    f = (Fault){0};
    put(t->path, "file", "text");
    CHECK(replace(folder_file(t, "file"), "ours", 1, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "in the way") != NULL);
    f = (Fault){0};
    CHECK(replace(folder_file(t, "file/below"), "ours", 1, &f) == STATUS_FILE);
    CHECK(f.text[0] != '\0');
    check_holds(t->path, "file", "text");
}

static void test_discard(Folder *t)
{
    Fault f = {0};
    Stage d;
    char dir[100];
    snprintf(dir, sizeof dir, "%s/discard/x", t->path);
    CHECK(replace(dir, "ours 1", 1, &f) == STATUS_OK);
    CHECK(stage_open(&d, dir, &f) == STATUS_OK);
    fill(&d, "ours 2", 3);
    stage_discard(&d);
    check_holds(dir, "summary", "ours 1");
    CHECK(count(dir) == 2);
    CHECK(count(folder_file(t, "discard")) == 1);
}

/* The current directory of the process stays the same folder. */
static void test_here(Folder *t)
{
    char before[500], after[500];
    CHECK(mkdir(folder_file(t, "here"), 0777) == 0);
    CHECK(getcwd(before, sizeof before) != NULL);
    CHECK(chdir(folder_file(t, "here")) == 0);
    put(".", "notes", "mine");
    check_replaced(".", 1);
    check_holds(".", "notes", "mine");
    CHECK(getcwd(after, sizeof after) != NULL);
    CHECK(count(after) == 3);
    CHECK(chdir(before) == 0);
}

/* The number of a process that no longer exists. */
static long gone(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, NULL, 0) == child);
    return (long)child;
}

static const char *left_name(const char *base, long process, const char *end)
{
    static char left[200];
    snprintf(left, sizeof left, "%s%ld%s", base, process, end);
    return left;
}

/* BASE.<process>END, a folder with something in it. */
static const char *leave(const char *base, long process, const char *end)
{
    const char *left = left_name(base, process, end);
    CHECK(mkdir(left, 0777) == 0);
    put(left, "NEW1", "");
    CHECK(mkdir(in(left, "plots"), 0777) == 0);
    return left;
}

static bool is_left(const char *base, long process, const char *end)
{
    struct stat s;
    return lstat(left_name(base, process, end), &s) == 0;
}

/* What a killed process left is removed; what may be in use, or belong to
   anybody, stays. */
static void test_left(Folder *t)
{
    static const char *const other[] = {"-0.tmp.x", "-00.tmp", "-0.tmpx",
                                        "-.tmp",    "x-0.tmp", "- 1.tmp"};
    char dir[100], beside[110], inside[120], link[200];
    char host[STAGE_HOST], mine[60];
    long none = gone();
    Fault f = {0};
    snprintf(dir, sizeof dir, "%s/left/x", t->path);
    snprintf(beside, sizeof beside, "%s.", dir);
    stage_host(host);
    snprintf(mine, sizeof mine, "-9.%s.tmp", host);
    snprintf(inside, sizeof inside, "%s/.cosy-", dir);
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    put(dir, "notes", "mine");
    leave(beside, none, "-0.tmp");
    leave(beside, none, "-17.tmp");
    leave(beside, (long)getppid(), "-8.elsewhere.tmp");
    leave(beside, (long)getppid(), mine);
    leave(beside, none, mine);
    leave(beside, (long)getppid(), "-0.tmp");
    int locked = open(leave(beside, none, "-2.tmp"), O_RDONLY);
    CHECK(flock(locked, LOCK_EX) == 0);
    for (size_t k = 0; k < LENGTH(other); k++)
        leave(beside, none, other[k]);
    snprintf(link, sizeof link, "%s%ld-5.tmp", beside, none);
    CHECK(symlink(dir, link) == 0);
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    CHECK(!is_left(beside, none, "-0.tmp"));
    CHECK(!is_left(beside, none, "-17.tmp"));
    CHECK(is_left(beside, (long)getppid(), "-0.tmp"));
    CHECK(!is_left(beside, (long)getppid(), "-8.elsewhere.tmp"));
    CHECK(is_left(beside, (long)getppid(), mine));
    CHECK(!is_left(beside, none, mine));
    CHECK(is_left(beside, none, "-2.tmp"));
    CHECK(is_left(beside, none, "-5.tmp"));
    for (size_t k = 0; k < LENGTH(other); k++)
        CHECK(is_left(beside, none, other[k]));
    check_holds(dir, "notes", "mine");
    close(locked);
    if (geteuid() == 0) {
        CHECK(chown(leave(beside, none, "-6.tmp"), 1234, 1234) == 0);
        CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
        CHECK(is_left(beside, none, "-6.tmp"));
    }
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    CHECK(!is_left(beside, none, "-2.tmp"));
    leave(inside, none, "-0.tmp");
    CHECK(getcwd(link, sizeof link) && chdir(dir) == 0);
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    CHECK(chdir(link) == 0);
    CHECK(!is_left(inside, none, "-0.tmp"));
}

/* What was interrupted is found beside the folder and in it, whichever way it goes on. */
static void test_kept(Folder *t)
{
    char dir[100], beside[110], inside[120];
    long none = gone();
    Fault f = {0};
    Stage d;
    Buffer names = {0};
    snprintf(dir, sizeof dir, "%s/kept", t->path);
    snprintf(beside, sizeof beside, "%s.", dir);
    snprintf(inside, sizeof inside, "%s/.cosy-", dir);
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    put(leave(beside, none, "-0.tmp"), STAGE_KEPT, "");
    put(leave(inside, none, "-0.tmp"), STAGE_KEPT, "");
    CHECK(stage_open(&d, dir, &f) == STATUS_OK);
    stage_left(&d, &names);
    const char *first = buffer_string(&names);
    CHECK(strcmp(first, left_name(beside, none, "-0.tmp")) == 0);
    CHECK(names.v.used > strlen(first) + 1 &&
          strcmp(first + strlen(first) + 1,
                 left_name(inside, none, "-0.tmp")) == 0);
    CHECK(stage_in_use(stage_path(&d)) && !stage_in_use(first));
    buffer_free(&names);
    stage_discard(&d);
}

/* Many at once with one PATH, some of them killed: the others never notice. */
static void test_crowd(Folder *t)
{
    enum { PROCESSES = 8 };
    pid_t child[PROCESSES];
    char dir[100];
    int good = 0;
    snprintf(dir, sizeof dir, "%s/crowd/x", t->path);
    CHECK(mkdir(folder_file(t, "crowd"), 0777) == 0);
    for (int k = 0; k < PROCESSES; k++) {
        child[k] = fork();
        for (int turn = 0; child[k] == 0; turn++) {
            Fault f = {0};
            Stage d;
            if (stage_open(&d, dir, &f) != STATUS_OK)
                _exit(1);
            fill(&d, "ours", 3);
            if (turn == 20)
                _exit(k % 2 ? 0 : 2); // as if killed
            if (access(in(stage_path(&d), "NEW2"), F_OK) != 0)
                _exit(3);
            stage_discard(&d);
        }
    }
    for (int k = 0; k < PROCESSES; k++) {
        int status = 1;
        waitpid(child[k], &status, 0);
        good += WIFEXITED(status) &&
                (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
    }
    CHECK(good == PROCESSES);
    Fault f = {0};
    CHECK(replace(dir, "ours", 1, &f) == STATUS_OK);
    CHECK(count(folder_file(t, "crowd")) == 1);
}

int main(void)
{
    Folder t;
    folder_make(&t);
    test_replace(&t);
    test_foreign(&t);
    test_in_the_way(&t);
    test_plots(&t);
    test_discard(&t);
    test_here(&t);
    test_left(&t);
    test_kept(&t);
    test_crowd(&t);
    folder_remove(&t);
    return check_end();
}
