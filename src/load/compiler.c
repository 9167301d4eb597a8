#define _GNU_SOURCE // pipe2
#include "load/compiler.h"

#include <assert.h>
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

/* -fno-math-errno: sqrt is one instruction. No flag may make results differ
   from those of tcc by a bit; tests/contract/test_backends.c compares both. */
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

/* Functions whose last bit (for fmin and fmax: the sign of zero) depends on the
   implementation. */
#define OPAQUE(f) "-fno-builtin-" #f, "-fno-builtin-" #f "l"
static const char *const opaque[] = {
    OPAQUE(sin),   OPAQUE(cos),   OPAQUE(tan),  OPAQUE(asin), OPAQUE(acos),
    OPAQUE(atan),  OPAQUE(sinh),  OPAQUE(cosh), OPAQUE(tanh), OPAQUE(exp),
    OPAQUE(log),   OPAQUE(log10), OPAQUE(cbrt), OPAQUE(erf),  OPAQUE(atan2),
    OPAQUE(pow),   OPAQUE(hypot), OPAQUE(fmin), OPAQUE(fmax), OPAQUE(asinh),
    OPAQUE(acosh), OPAQUE(atanh),
};

#define ALONE "300" // seconds that a compilation may take when it is left alone

/* Arguments: object, final name, source, libraries, key, kilobytes of memory
   and blocks of files that it may use (or nothing), then the command. The shell
   has a process group of its own, and ends the whole group when it ends:
   compilers start other programs, and any of them may hang. The first process
   of the group watches over the others. Its input ends when the program that
   started the compilation ends, for whatever reason; a line in it says to go on
   alone, for a while.

   An optimiser may need more than linear time for a large model: it then does
   less, and has a limit. */
static const char script[] =
    "object=$1 final=$2 source=$3 quad=$4 key=$5 memory=$6 file=$7\n"
    "shift 7\n"
    "umask 077\n"
    "leave() {\n"
    "    code=$?\n"
    "    trap '' HUP INT TERM\n"
    "    rm -f \"$object\" \"$source\"\n"
    "    kill -TERM 0\n"
    "    exit $code\n"
    "}\n"
    "trap leave EXIT\n"
    "trap 'exit 143' HUP INT TERM\n"
    "(\n"
    "    read -r alone && sleep " ALONE "\n"
    "    rm -f \"$object\" \"$source\"\n"
    "    kill -KILL 0\n"
    ") <&3 >/dev/null 2>&1 &\n"
    "exec 3<&-\n"
    "ulimit -t 120\n"
    "ulimit -S -d \"${memory:-$(ulimit -H -d)}\"\n"
    "[ -z \"$file\" ] || ulimit -f \"$file\"\n"
    "size=$(wc -c <\"$source\")\n"
    "[ \"$size\" -gt 400000 ] && less=-O1\n"
    "\"$@\" $less -o \"$object\" \"$source\" $quad -lm &\n"
    "wait $! &&\n"
    "chmod 600 \"$object\" &&\n"
    "sum=$({ printf %s \"$key\"; cat \"$object\"; } | cksum) &&\n"
    "printf '" SEAL_FORMAT "' $sum >>\"$object\" &&\n"
    "mv -fT \"$object\" \"$final\"\n";

#define TICK  50  // milliseconds between two checks
#define GRACE 500 // milliseconds in which a compiler may tidy up

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

/* Searches as execvp does. */
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

/* A program is identified by its path, size and age. */
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

/* The callee only reads these strings. */
static char *argument(const char *s)
{
    union {
        const char *from;
        char *to;
    } u = {.from = s};
    return u.to;
}

/* Room for two numbers as text. */
typedef struct Limits {
    char memory[24], file[24];
} Limits;

static void limit_texts(const Compiler *c, Limits *l)
{
    *l = (Limits){0};
    if (c->memory)
        snprintf(l->memory, sizeof l->memory, "%llu",
                 (unsigned long long)(c->memory >> 10));
    if (c->file)
        snprintf(l->file, sizeof l->file, "%llu",
                 (unsigned long long)(c->file >> 9));
}

static void command_line(char *argv[MOST_ARGUMENTS], const Compiler *c,
                         uint32_t precision, const Place *p, const Limits *l)
{
    const char *const fixed[] = {
        "sh",      "-c",      script,    "cosy",
        p->object, p->final,  p->source, precision == 3 ? "-lquadmath" : "",
        p->key,    l->memory, l->file};
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

/* Starts the shell with its output in a pipe; returns an error number, or 0. */
static int spawn(Build *b, char **argv, int to, int life)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, 1);
    posix_spawn_file_actions_adddup2(&files, to, 2);
    posix_spawn_file_actions_adddup2(&files, life, 3);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&how, 0);
    int failed = posix_spawn(&b->pid, "/bin/sh", &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

/* Makes the pipes; the compilation's ends are above the descriptors it will
   have. */
static bool make_pipes(int from[2], int life[2])
{
    if (pipe2(from, O_CLOEXEC) != 0)
        return false;
    if (pipe2(life, O_CLOEXEC) == 0) {
        int to = fcntl(from[1], F_DUPFD_CLOEXEC, 4);
        if (to >= 0) { // 3 would be lost if it is the other one
            close(from[1]);
            from[1] = to;
            return true;
        }
        close(life[0]);
        close(life[1]);
    }
    close(from[0]);
    close(from[1]);
    return false;
}

static void close_pipes(Build *b)
{
    if (b->from >= 0)
        close(b->from);
    if (b->life >= 0)
        close(b->life);
    b->from = b->life = -1;
}

Status build_start(Build *b, const Compiler *c, uint32_t precision,
                   const Place *p, Fault *f)
{
    char *argv[MOST_ARGUMENTS];
    Limits limits;
    int from[2], life[2];
    limit_texts(c, &limits);
    *b = (Build){.from = -1, .life = -1};
    command_line(argv, c, precision, p, &limits);
    int failed = make_pipes(from, life) ? 0 : errno;
    if (!failed) {
        failed = spawn(b, argv, from[1], life[0]);
        close(from[1]);
        close(life[0]);
        b->from = from[0];
        b->life = life[1];
    }
    if (!failed)
        return STATUS_OK;
    b->pid = 0;
    close_pipes(b);
    return fault_set(f, STATUS_FILE, "%s cannot be started: %s", c->path,
                     strerror(failed));
}

/* True if the shell has ended. It is not reaped yet: until then nobody else can
   have its group. */
static bool has_ended(const Build *b)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)b->pid, &info, WEXITED | WNOHANG | WNOWAIT) !=
               0 ||
           info.si_pid != 0;
}

/* Ends what is left of the group. */
static int reap(Build *b)
{
    int status = 0;
    assert(b->pid > 0);
    kill(-b->pid, SIGKILL);
    while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
        ;
    b->pid = 0;
    return status;
}

static bool is_asked(const BuildStop *s)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    return (s->asked && s->asked(s->user)) ||
           (s->fd >= 0 && poll(&p, 1, 0) > 0);
}

/* Waits for a moment, or until there is something to read. */
static bool wait_readable(int from, int stop_fd)
{
    struct pollfd p[] = {{.fd = from, .events = POLLIN},
                         {.fd = stop_fd, .events = POLLIN}};
    return poll(p, 2, TICK) > 0 && p[0].revents != 0;
}

/* Keeps the beginning of the output; false at its end. */
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

/* A process that has left the group might hold the pipe open for ever, so the
   end of the shell counts too. */
Status build_wait(Build *b, const Compiler *c, const BuildStop *stop, Fault *f)
{
    for (bool open = true; open;) {
        bool ended = has_ended(b);
        if (is_asked(stop))
            return STATUS_STOPPED;
        open = wait_readable(b->from, stop->fd) ? hear(b) : !ended;
    }
    while (b->length > 0 && b->said[b->length - 1] == '\n')
        b->said[--b->length] = '\0';
    while (!has_ended(b)) // it has closed its output, so it is about to end
        poll(NULL, 0, 1);
    int status = reap(b);
    close_pipes(b);
    return status == 0 ? STATUS_OK : failed(b, c, status, f);
}

/* Asks the compiler to end: it removes its temporary files then. All of the
   group hold the pipe, so its end says that they are gone. */
static void ask_to_end(Build *b)
{
    kill(-b->pid, SIGTERM);
    for (int k = 0; k < GRACE / TICK; k++)
        if (wait_readable(b->from, -1) && !hear(b))
            return;
}

void build_kill(Build *b)
{
    if (b->pid <= 0)
        return;
    ask_to_end(b);
    reap(b);
    close_pipes(b);
}

void build_leave(Build *b)
{
    static const char alone[] = "alone\n";
    size_t length = sizeof alone - 1;
    if (b->pid <= 0)
        return;
    if (write(b->life, alone, length) != (ssize_t)length) {
        build_kill(b); // it could not be told
        return;
    }
    close_pipes(b);
    waitpid(b->pid, NULL, WNOHANG);
    b->pid = 0;
}
