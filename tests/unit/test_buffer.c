#include "base/buffer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/text.h"
#include "check.h"
#include "folder.h"
#include "scarce.h"

/* ---- Text ---------------------------------------------------------------- */

static void test_text(void)
{
    Buffer b = {0};
    CHECK_TEXT(buffer_string(&b), "");
    buffer_text(&b, "one");
    buffer_char(&b, ' ');
    buffer_bytes(&b, "two three", 3);
    buffer_format(&b, " %d%s", 3, "!");
    CHECK_TEXT(buffer_string(&b), "one two 3!");
    for (int k = 0; k < 1000; k++)
        buffer_format(&b, "%010d", k);
    CHECK(b.v.used == 10 + 10000 && !b.broken);
    CHECK_TEXT(buffer_string(&b) + 10 + 9990, "0000000999");
    buffer_free(&b);
    CHECK(b.v.bytes == NULL);
}

static void test_json(void)
{
    Buffer b = {0};
    buffer_json(&b, "a\"b\\c\n\t\x01\x7F");
    CHECK_TEXT(buffer_string(&b), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
    b.v.used = 0;
    buffer_json(&b, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82");
    CHECK_TEXT(buffer_string(&b), "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82\"");
    b.v.used = 0;
    buffer_json(&b, "a\xFF"
                    "b\xC3");
    CHECK_TEXT(buffer_string(&b), "\"a\xEF\xBF\xBD"
                                  "b\xEF\xBF\xBD\"");
    buffer_free(&b);
}

static void test_characters(void)
{
    CHECK(text_char_length("a", 1) == 1);
    CHECK(text_char_length("a", 0) == 0);
    CHECK(text_char_length("\xC3\xA9", 2) == 2);
    CHECK(text_char_length("\xC3\xA9", 1) == 0);
    CHECK(text_char_length("\xC0\x80", 2) == 0);         // overlong
    CHECK(text_char_length("\xE0\x80\x80", 3) == 0);     // overlong
    CHECK(text_char_length("\xED\xA0\x80", 3) == 0);     // surrogate
    CHECK(text_char_length("\xF4\x90\x80\x80", 4) == 0); // beyond U+10FFFF
    CHECK(text_char_length("\xE2\x82\xAC", 3) == 3);
    CHECK(text_char_length("\xE2\x28\xAC", 3) == 0);
    CHECK(text_char_count("a\xC3\xA9\xFFz", 5) == 4);
}

static void test_text_without_memory(void)
{
    Buffer b = {0};
    scarce_begin(0);
    buffer_format(&b, "%s", "never");
    CHECK(b.broken);
    CHECK_TEXT(buffer_string(&b), "");
    CHECK(scarce_end() > 0);
    buffer_text(&b, "still broken");
    CHECK(b.broken && b.v.used == 0);
    buffer_free(&b);
}

/* ---- Files --------------------------------------------------------------- */

static void check_file(const char *path, const char *expected)
{
    Buffer b = {0};
    Fault f = {0};
    CHECK(file_read(path, &b, &f) == STATUS_OK);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_write_and_read(void)
{
    Folder d;
    Fault f = {0};
    struct stat s;
    mode_t mask = umask(022);
    folder_make(&d);
    CHECK(file_write(folder_file(&d, "a"), "one", 3, &f) == STATUS_OK);
    check_file(folder_file(&d, "a"), "one");
    CHECK(file_write(folder_file(&d, "a"), "second", 6, &f) == STATUS_OK);
    check_file(folder_file(&d, "a"), "second");
    CHECK(file_write(folder_file(&d, "empty"), NULL, 0, &f) == STATUS_OK);
    check_file(folder_file(&d, "empty"), "");
    CHECK(folder_count(&d) == 2);
    CHECK(stat(folder_file(&d, "a"), &s) == 0 && (s.st_mode & 0777) == 0644);
    umask(mask);
    folder_remove(&d);
}

static void test_read_failures(void)
{
    Folder d;
    Buffer b = {0};
    Fault f = {0};
    folder_make(&d);
    buffer_text(&b, "kept");
    CHECK(file_read(folder_file(&d, "none"), &b, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "none") && strstr(f.text, "No such file"));
    f = (Fault){0};
    CHECK(file_read(d.path, &b, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "directory") != NULL);
    CHECK_TEXT(buffer_string(&b), "kept");
    buffer_free(&b);
    folder_remove(&d);
}

/* Root may write anywhere, so the read-only directory is tried in a child that
   has given up being root. */
static void write_as_nobody(const char *path)
{
    Fault f = {0};
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(2);
    if (file_write(path, "x", 1, &f) != STATUS_FILE)
        _exit(3);
    if (strstr(f.text, path) == NULL ||
        strstr(f.text, "Permission denied") == NULL)
        _exit(4);
    f = (Fault){0};
    if (dir_make(path, &f) != STATUS_FILE)
        _exit(5);
    _exit(0);
}

static void test_read_only_directory(void)
{
    Folder d;
    int status = -1;
    pid_t child;
    folder_make(&d);
    CHECK(chmod(d.path, 0555) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0)
        write_as_nobody(folder_file(&d, "a"));
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(folder_count(&d) == 0);
    chmod(d.path, 0755);
    folder_remove(&d);
}

static void test_bad_places(void)
{
    Folder d;
    Fault f = {0};
    folder_make(&d);
    CHECK(file_write(d.path, "x", 1, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "directory is in the way") != NULL);
    f = (Fault){0};
    CHECK(file_write(folder_file(&d, "no/a"), "x", 1, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "No such file") != NULL);
    CHECK(folder_count(&d) == 0);
    folder_remove(&d);
}

/* A device is written to, never replaced. It is reached through a link in a
   folder of our own: if the code were wrong, the link would be removed and not
   the device. */
static void test_devices(void)
{
    Folder d;
    struct stat s;
    Fault f = {0};
    folder_make(&d);
    CHECK(symlink("/dev/full", folder_file(&d, "full")) == 0);
    CHECK(symlink("/dev/null", folder_file(&d, "null")) == 0);
    CHECK(file_write(folder_file(&d, "full"), "x", 1, &f) == STATUS_FILE);
    CHECK(strstr(f.text, "full") && strstr(f.text, "No space left"));
    CHECK(stat(d.name, &s) == 0 && S_ISCHR(s.st_mode));
    f = (Fault){0};
    CHECK(file_write(folder_file(&d, "null"), "x", 1, &f) == STATUS_OK);
    CHECK(stat(d.name, &s) == 0 && S_ISCHR(s.st_mode));
    folder_remove(&d);
}

/* A limit on the length of files stops the writing half-way, as a full disk
   does: the older file stays, the incomplete one is removed. */
static void test_full_disk(void)
{
    static char bytes[100000];
    Folder d;
    Fault f = {0};
    struct rlimit old, few;
    folder_make(&d);
    CHECK(file_write(folder_file(&d, "a"), "older", 5, &f) == STATUS_OK);
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    few = (struct rlimit){.rlim_cur = 50000, .rlim_max = old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &few) == 0);
    CHECK(file_write(folder_file(&d, "a"), bytes, sizeof bytes, &f) ==
          STATUS_FILE);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK(strstr(f.text, "cannot write") != NULL);
    check_file(folder_file(&d, "a"), "older");
    CHECK(folder_count(&d) == 1);
    folder_remove(&d);
}

#define LONG 300000

/* Files of one letter each, over and over, until killed. */
static void write_for_ever(const char *path)
{
    static char bytes[LONG];
    for (int k = 0;; k++) {
        Fault f = {0};
        memset(bytes, 'a' + k % 26, sizeof bytes);
        file_write(path, bytes, sizeof bytes, &f);
    }
}

static bool is_whole(const Buffer *b)
{
    for (size_t k = 1; k < b->v.used; k++) {
        if (b->v.bytes[k] != b->v.bytes[0])
            return false;
    }
    return b->v.used == LONG;
}

static void check_after_kill(const char *path, long microseconds)
{
    Buffer b = {0};
    Fault f = {0};
    struct timespec pause = {.tv_nsec = microseconds * 1000};
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0)
        write_for_ever(path);
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(file_read(path, &b, &f) == STATUS_OK);
    CHECK(is_whole(&b));
    buffer_free(&b);
}

static void test_killed_while_writing(void)
{
    static char bytes[LONG];
    Folder d;
    Fault f = {0};
    folder_make(&d);
    memset(bytes, 'A', sizeof bytes);
    file_write(folder_file(&d, "a"), bytes, sizeof bytes, &f);
    for (long k = 0; k < 60; k++)
        check_after_kill(folder_file(&d, "a"), 500 + 377 * k);
    folder_remove(&d);
}

/* What a killed process left is not in the way of the next, even if that one
   has the same number. */
static void test_old_temporary(void)
{
    Folder d;
    Fault f = {0};
    char name[600];
    FILE *old;
    folder_make(&d);
    snprintf(name, sizeof name, "%s/a.%ld-0.tmp", d.path, (long)getpid());
    old = fopen(name, "w");
    CHECK(old != NULL && fclose(old) == 0);
    CHECK(file_write(folder_file(&d, "a"), "new", 3, &f) == STATUS_OK);
    check_file(folder_file(&d, "a"), "new");
    folder_remove(&d);
}

static void test_directories(void)
{
    Folder d;
    Fault f = {0};
    folder_make(&d);
    CHECK(dir_make(folder_file(&d, "x/y/z"), &f) == STATUS_OK);
    CHECK(file_write(folder_file(&d, "x/y/z/a"), "1", 1, &f) == STATUS_OK);
    CHECK(dir_make(folder_file(&d, "x/y/z"), &f) == STATUS_OK);
    CHECK(dir_make(folder_file(&d, "x/w/"), &f) == STATUS_OK);
    CHECK(dir_make("", &f) == STATUS_OK && dir_make(".", &f) == STATUS_OK);
    CHECK(dir_make(folder_file(&d, "x/y/z/a/b"), &f) == STATUS_FILE);
    CHECK(strstr(f.text, "x/y/z/a") != NULL);
    folder_remove(&d);
}

static void test_files_without_memory(void)
{
    Folder d;
    Buffer b = {0};
    Fault f = {0};
    folder_make(&d);
    file_write(folder_file(&d, "a"), "old", 3, &f);
    scarce_begin(0);
    CHECK(file_write(folder_file(&d, "a"), "new", 3, &f) != STATUS_OK);
    f = (Fault){0};
    CHECK(file_read(folder_file(&d, "a"), &b, &f) == STATUS_MEMORY);
    f = (Fault){0};
    CHECK(dir_make(folder_file(&d, "b"), &f) == STATUS_MEMORY);
    CHECK(scarce_end() > 0);
    check_file(folder_file(&d, "a"), "old");
    CHECK(folder_count(&d) == 1);
    buffer_free(&b);
    folder_remove(&d);
}

int main(void)
{
    test_text();
    test_json();
    test_characters();
    test_text_without_memory();
    test_write_and_read();
    test_read_failures();
    test_read_only_directory();
    test_bad_places();
    test_devices();
    test_full_disk();
    test_killed_while_writing();
    test_old_temporary();
    test_directories();
    test_files_without_memory();
    return check_end();
}
