#include "load/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* -fno-math-errno: sqrt is one instruction. No flag may let bits differ from
   those of tcc; tests/contract/test_backends.c holds both together. */
static const char *const flags[] = {
    "-std=c17",
    "-O2",
    "-fPIC",
    "-shared",
    "-pipe",
    "-w",
    "-ffp-contract=off",
    "-fno-fast-math",
    "-fno-math-errno",
};

/* Functions whose last bit (of fmin and fmax: the sign of zero) depends on who
   computes it. */
#define OPAQUE(f) "-fno-builtin-" #f, "-fno-builtin-" #f "l"
static const char *const opaque[] = {
    OPAQUE(sin),  OPAQUE(cos),   OPAQUE(tan),  OPAQUE(asin), OPAQUE(acos),
    OPAQUE(atan), OPAQUE(sinh),  OPAQUE(cosh), OPAQUE(tanh), OPAQUE(exp),
    OPAQUE(log),  OPAQUE(log10), OPAQUE(cbrt), OPAQUE(erf),  OPAQUE(atan2),
    OPAQUE(pow),  OPAQUE(hypot), OPAQUE(fmin), OPAQUE(fmax),
};

/* Arguments: object, final name, source, libraries, then the command. */
/* An optimiser may need more than linear time for a large model: it does less
   there, and has a limit. */
static const char script[] =
    "object=$1 final=$2 source=$3 quad=$4\n"
    "shift 4\n"
    "trap 'rm -f \"$object\" \"$source\"' EXIT\n"
    "trap 'exit 143' HUP INT TERM\n"
    "ulimit -t 120\n"
    "size=$(wc -c <\"$source\")\n"
    "[ \"$size\" -gt 400000 ] && less=-O1\n"
    "\"$@\" $less -o \"$object\" \"$source\" $quad -lm &&\n"
    "mv -f \"$object\" \"$final\"\n";

/* ---- Which compiler ----------------------------------------------------------- */

static void cut_words(Compiler *c)
{
    char *rest = NULL;
    c->words = 0;
    for (char *w = strtok_r(c->text, " \t", &rest); w && c->words < MOST_WORDS;
         w = strtok_r(NULL, " \t", &rest))
        c->word[c->words++] = w;
    c->word[c->words] = NULL;
}

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* As execvp looks for it. */
static bool find_program(const char *name, char path[PATH_LENGTH])
{
    const char *at = getenv("PATH");
    if (strchr(name, '/')) {
        int n = snprintf(path, PATH_LENGTH, "%s", name);
        return n < PATH_LENGTH && is_program(path);
    }
    at = at ? at : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(at, ":");
        int length =
            snprintf(path, PATH_LENGTH, "%.*s/%s", (int)n, n ? at : ".", name);
        if (length < PATH_LENGTH && is_program(path))
            return true;
        if (!at[n])
            return false;
        at += n + 1;
    }
}

Status compiler_find(Compiler *c, const char *cc, Fault *f)
{
    const char *wanted = cc ? cc : getenv("CC");
    if (!wanted || !wanted[strspn(wanted, " \t")])
        wanted = "cc";
    snprintf(c->text, sizeof c->text, "%s", wanted);
    cut_words(c);
    if (!find_program(c->word[0], c->path))
        return fault_set(f, STATUS_FILE,
                         "there is no C compiler \"%.200s\": install one "
                         "(Debian: apt install gcc) or name one in the "
                         "environment variable CC",
                         c->word[0]);
    return STATUS_OK;
}

static void add_text(Sha256 *h, const char *s)
{
    sha256_add(h, s, strlen(s) + 1);
}

/* A program is known by where it is, how long and how old. */
static void add_program(Sha256 *h, const char *path)
{
    struct stat s;
    char text[200];
    add_text(h, path);
    if (stat(path, &s) != 0)
        return;
    snprintf(text, sizeof text, "%llu %lld %lld %ld",
             (unsigned long long)s.st_ino, (long long)s.st_size,
             (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    add_text(h, text);
}

void compiler_key(const Compiler *c, uint32_t precision, Sha256 *h)
{
    char path[PATH_LENGTH];
    for (uint32_t k = 0; k < c->words; k++) {
        add_text(h, c->word[k]);
        /* "ccache gcc", "env gcc": each of the programs counts. */
        if (c->word[k][0] != '-' && find_program(c->word[k], path))
            add_program(h, path);
    }
    for (size_t k = 0; k < LENGTH(flags); k++)
        add_text(h, flags[k]);
    for (size_t k = 0; k < LENGTH(opaque); k++)
        add_text(h, opaque[k]);
    sha256_add(h, &precision, sizeof precision);
}

/* ---- A compilation --------------------------------------------------------------- */

enum { MOST_ARGUMENTS = MOST_WORDS + LENGTH(flags) + LENGTH(opaque) + 16 };

/* Strings are only read by who gets them. */
static char *argument(const char *s)
{
    union {
        const char *from;
        char *to;
    } u = {.from = s};
    return u.to;
}

static void command_line(char *argv[MOST_ARGUMENTS], const Compiler *c,
                         uint32_t precision, const Place *p)
{
    const char *const fixed[] = {
        "sh",      "-c",     script,    "cosy",
        p->object, p->final, p->source, precision == 3 ? "-lquadmath" : ""};
    size_t n = 0;
    for (size_t k = 0; k < LENGTH(fixed); k++)
        argv[n++] = argument(fixed[k]);
    for (uint32_t k = 0; k < c->words; k++)
        argv[n++] = c->word[k];
    for (size_t k = 0; k < LENGTH(flags); k++)
        argv[n++] = argument(flags[k]);
    for (size_t k = 0; k < LENGTH(opaque); k++)
        argv[n++] = argument(opaque[k]);
    argv[n] = NULL;
}

/* Starts the shell with its output in a pipe; an error number, or 0. */
static int spawn(Build *b, char **argv, int to)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, 1);
    posix_spawn_file_actions_adddup2(&files, to, 2);
    if (b->apart) {
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&how, 0);
    }
    int failed = posix_spawn(&b->pid, "/bin/sh", &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

Status build_start(Build *b, const Compiler *c, uint32_t precision,
                   const Place *p, bool apart, Fault *f)
{
    char *argv[MOST_ARGUMENTS];
    int ends[2];
    *b = (Build){.apart = apart, .from = -1};
    command_line(argv, c, precision, p);
    if (pipe(ends) != 0)
        return fault_set(f, STATUS_FILE, "%s cannot be started: %s", c->path,
                         strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int failed = spawn(b, argv, ends[1]);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        b->pid = 0;
        return fault_set(f, STATUS_FILE, "%s cannot be started: %s", c->path,
                         strerror(failed));
    }
    b->from = ends[0];
    return STATUS_OK;
}

/* Waits for something to read; false: it is `stop_fd`. */
static bool wait_readable(int from, int stop_fd)
{
    struct pollfd p[] = {{.fd = from, .events = POLLIN},
                         {.fd = stop_fd, .events = POLLIN}};
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    return !(p[1].revents & (POLLIN | POLLHUP));
}

/* Keeps the beginning of what is said; false at its end. */
static bool hear(Build *b)
{
    char part[1024];
    ssize_t n = read(b->from, part, sizeof part);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    size_t room = sizeof b->said - 1 - b->length;
    size_t kept = (size_t)n < room ? (size_t)n : room;
    memcpy(b->said + b->length, part, kept);
    b->length += kept;
    b->said[b->length] = '\0';
    return true;
}

static Status failed(const Build *b, const Compiler *c, int status, Fault *f)
{
    char how[60];
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    int cause = WIFSIGNALED(status) ? WTERMSIG(status)
                : code > 128        ? code - 128
                                    : 0;
    if (cause)
        snprintf(how, sizeof how, "was ended by signal %d", cause);
    else
        snprintf(how, sizeof how, "failed with exit status %d", code);
    return fault_set(f, STATUS_UNSUPPORTED,
                     "the C compiler %.100s %s%s%.240s (cosy emit shows the C; "
                     "CC may name another compiler)",
                     c->path, how, b->length ? ": " : "", b->said);
}

Status build_wait(Build *b, const Compiler *c, int stop_fd, Fault *f)
{
    int status = 0;
    do
        if (!wait_readable(b->from, stop_fd))
            return STATUS_STOPPED;
    while (hear(b));
    while (b->length > 0 && b->said[b->length - 1] == '\n')
        b->said[--b->length] = '\0';
    close(b->from);
    b->from = -1;
    while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
        ;
    b->pid = 0;
    return status == 0 ? STATUS_OK : failed(b, c, status, f);
}

void build_kill(Build *b)
{
    if (b->pid <= 0)
        return;
    kill(b->apart ? -b->pid : b->pid, SIGTERM);
    while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    b->pid = 0;
    build_leave(b);
}

void build_leave(Build *b)
{
    if (b->from >= 0)
        close(b->from);
    b->from = -1;
    if (b->pid > 0)
        waitpid(b->pid, NULL, WNOHANG);
    b->pid = 0;
}
