#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* After every script gnuplot says how many it has drawn. */
#define DRAWN_WORD "cosy has drawn "

enum { ATTEMPTS = 12 }; // scripts that may fail before COSY gives up

/* An SVG begins with the color in which gnuplot has drawn last, which shows nowhere but
   would be another one if the graphs before it stay as they are: they all end in this
   one. */
static const char follow[] =
    "set terminal svg; set output '/dev/null'; unset key; "
    "set border lc rgb '#404040'; plot [0:1][0:1] 0 lc rgb '#404040'; "
    "unset output; reset session";

static char *copy(Arena *a, const Buffer *b)
{
    return b->broken ? NULL
                     : arena_text(a, (const char *)b->v.bytes, b->v.used);
}

/* Adds -e TEXT. */
static bool add_command(Arena *a, char **argv, size_t *n, const char *text)
{
    argv[(*n)++] = arena_text(a, "-e", 2);
    argv[(*n)++] = arena_text(a, text, strlen(text));
    return argv[*n - 1] && argv[*n - 2];
}

/* gnuplot A.gp -e 'print ...' B.gp -e ..., with the scripts from number `first`
   on. */
static char **arguments(Arena *a, const char *names, uint32_t first,
                        uint32_t count)
{
    char **argv = NEW_ARRAY(a, char *, 3 * (size_t)(count - first) + 4);
    size_t n = 0;
    bool ok = argv != NULL;
    Buffer b = {0};
    buffer_text(&b, "gnuplot");
    if (ok)
        argv[n++] = copy(a, &b);
    for (uint32_t k = 0; ok && k < count; k++, names += strlen(names) + 1) {
        if (k < first)
            continue;
        if (k == first && strtoul(names, NULL, 10) > 1)
            ok = add_command(a, argv, &n, follow);
        b.v.used = 0;
        buffer_format(&b, "%s.gp", names);
        argv[n++] = copy(a, &b);
        ok = ok && argv[n - 1];
        b.v.used = 0;
        buffer_format(&b, "print '" DRAWN_WORD "%u'", k + 1);
        ok = ok && add_command(a, argv, &n, buffer_string(&b));
    }
    buffer_free(&b);
    return ok && argv[0] ? argv : NULL;
}

static int start(pid_t *child, const char *dir, char **argv, int to)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, 1);
    posix_spawn_file_actions_adddup2(&files, to, 2);
    posix_spawn_file_actions_addchdir_np(&files, dir);
    int failed = posix_spawnp(child, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/* Reads what it says, up to the end. */
static void listen(int from, Buffer *why)
{
    char text[512];
    ssize_t n;
    while ((n = read(from, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buffer_bytes(why, text, (size_t)n);
}

/* Removes the reports from what it said; returns the last of them. */
static uint32_t take_reports(Buffer *said)
{
    const size_t length = strlen(DRAWN_WORD);
    const char *text = buffer_string(said), *at;
    uint32_t drawn = 0;
    size_t used = 0;
    while ((at = strstr(text + used, DRAWN_WORD)) != NULL) {
        used = (size_t)(at - text) + length;
        drawn = (uint32_t)strtoul(text + used, NULL, 10);
        used += strcspn(text + used, "\n");
    }
    said->v.used -= used;
    memmove(said->v.bytes, said->v.bytes + used, said->v.used);
    return drawn;
}

/* Keeps the last line that is not empty. */
static void keep_last_line(Buffer *why)
{
    char *s = (char *)why->v.bytes;
    size_t end = why->v.used;
    while (end > 0 && (s[end - 1] == '\n' || s[end - 1] == ' '))
        end--;
    size_t from = end;
    while (from > 0 && s[from - 1] != '\n')
        from--;
    while (from < end && s[from] == ' ')
        from++;
    memmove(s, s + from, end - from);
    why->v.used = end - from;
}

static int await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs gnuplot once; *drawn is the number of the last script it completed. */
static DrawnAs draw(const char *dir, char **argv, Buffer *said, uint32_t *drawn)
{
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return DRAWN_FAILED;
    int failed = start(&child, dir, argv, ends[1]);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return failed == ENOENT ? DRAWN_NOT_FOUND : DRAWN_FAILED;
    }
    listen(ends[0], said);
    close(ends[0]);
    int status = await(child);
    uint32_t last = take_reports(said);
    *drawn = last > *drawn ? last : *drawn;
    return status == 0 ? DRAWN : status == 127 ? DRAWN_NOT_FOUND : DRAWN_FAILED;
}

static void note_failure(Undrawn *u, uint32_t which, Buffer *said)
{
    if (u->count++ > 0)
        return;
    u->first = which;
    u->why = *said;
    *said = (Buffer){0};
    if (u->why.v.used)
        keep_last_line(&u->why);
}

DrawnAs gnuplot_draw(const char *dir, const char *names, uint32_t count,
                     Undrawn *u)
{
    DrawnAs how = DRAWN_FAILED;
    uint32_t next = 0;
    for (int k = 0; k < ATTEMPTS && next < count && how == DRAWN_FAILED; k++) {
        Arena a = {0};
        Buffer said = {0};
        char **argv = arguments(&a, names, next, count);
        uint32_t drawn = next;
        how = argv ? draw(dir, argv, &said, &drawn) : DRAWN_FAILED;
        if (how == DRAWN_FAILED)
            note_failure(u, drawn, &said);
        next = how == DRAWN ? count : drawn + 1;
        buffer_free(&said);
        arena_free(&a);
    }
    u->count += count > next ? count - next : 0;
    return how == DRAWN_NOT_FOUND ? how : u->count ? DRAWN_FAILED : DRAWN;
}
