#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* gnuplot A.gp B.gp ...; the texts are in `names`. */
static char **arguments(Arena *a, const char *names, uint32_t count)
{
    char **argv = NEW_ARRAY(a, char *, count + 2);
    if (!argv)
        return NULL;
    argv[0] = (char *)arena_alloc(a, 8, 1);
    if (!argv[0])
        return NULL;
    memcpy(argv[0], "gnuplot", 8);
    for (uint32_t k = 0; k < count; k++) {
        size_t n = strlen(names);
        char *text = (char *)arena_alloc(a, n + 4, 1);
        if (!text)
            return NULL;
        memcpy(text, names, n);
        memcpy(text + n, ".gp", 4);
        argv[k + 1] = text;
        names += n + 1;
    }
    return argv;
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

/* What it says, up to its end. */
static void listen(int from, Buffer *why)
{
    char text[512];
    ssize_t n;
    while ((n = read(from, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buffer_bytes(why, text, (size_t)n);
}

/* The last line that says something. */
static void keep_last_line(Buffer *why)
{
    char *s = (char *)why->v.bytes;
    size_t end = why->v.used;
    while (end > 0 && (s[end - 1] == '\n' || s[end - 1] == ' '))
        end--;
    size_t from = end;
    while (from > 0 && s[from - 1] != '\n')
        from--;
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

static DrawnAs draw(const char *dir, char **argv, Buffer *why)
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
    listen(ends[0], why);
    close(ends[0]);
    int status = await(child);
    if (why->v.used)
        keep_last_line(why);
    return status == 0 ? DRAWN : status == 127 ? DRAWN_NOT_FOUND : DRAWN_FAILED;
}

DrawnAs gnuplot_draw(const char *dir, const char *names, uint32_t count,
                     Buffer *why)
{
    Arena a = {0};
    char **argv = arguments(&a, names, count);
    DrawnAs how = argv ? draw(dir, argv, why) : DRAWN_FAILED;
    arena_free(&a);
    return how;
}
