#include "hunt/hunt.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"

/* Most bytes that are read of what a process leaves. */
#define MOST_TEXT 50000000
/* A process may take this many times its limit of CPU time, if the machine is
   busy or the process only waits. */
#define PATIENCE 20

double hunt_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double hunt_cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

double hunt_left(const Hunt *h)
{
    return h->seconds > 0 ? h->began + h->seconds - hunt_clock() : 1e9;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t hunt_random(Hunt *h)
{
    uint64_t z = h->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

const char *hunt_folder(Hunt *h, Arena *a)
{
    char *path = NEW_ARRAY(a, char, HUNT_PATH);
    if (!path)
        return NULL;
    snprintf(path, HUNT_PATH, "%.900s/%s-%05llu", h->work, h->part,
             (unsigned long long)++h->folders);
    return mkdir(path, 0777) == 0 ? path : NULL;
}

bool hunt_write(const char *folder, const char *name, const char *text)
{
    char path[HUNT_PATH];
    Fault f = {0};
    snprintf(path, sizeof path, "%.800s/%.200s", folder, name);
    return file_put(path, text, strlen(text), &f) == STATUS_OK;
}

const char *hunt_read(Arena *a, const char *path)
{
    struct stat s;
    Buffer b = {0};
    Fault f = {0};
    char *text = NULL;
    if (stat(path, &s) != 0 || s.st_size > MOST_TEXT ||
        file_read(path, &b, &f) != STATUS_OK) {
        buffer_free(&b);
        return NULL;
    }
    text = NEW_ARRAY(a, char, b.v.used + 1);
    if (text && b.v.used > 0)
        memcpy(text, b.v.bytes, b.v.used);
    buffer_free(&b);
    return text;
}

/* Runs a process without a shell: names need no quotes. */
static void carry_out(const char *const *words)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

void hunt_remove(const char *folder)
{
    carry_out((const char *const[]){"rm", "-rf", "--", folder, NULL});
}

/* ---- Running ------------------------------------------------------------- */

static void be_cosy(const Hunt *h, const char *folder, const char *name,
                    const char *const *words, double limit)
{
    char out[HUNT_PATH], errors[HUNT_PATH];
    rlim_t seconds = (rlim_t)limit + 1;
    struct rlimit cpu = {seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &cpu);
    snprintf(out, sizeof out, "%.200s.stdout", name);
    snprintf(errors, sizeof errors, "%.200s.stderr", name);
    setpgid(0, 0);
    if (chdir(folder) != 0 || !freopen("/dev/null", "r", stdin) ||
        !freopen(out, "w", stdout) || !freopen(errors, "w", stderr))
        _exit(127);
    execv(h->cosy, (char *const *)words);
    _exit(127);
}

/* Waits for the end of the process, and ends it after `limit` seconds. */
static int wait_for(pid_t child, double limit, bool *late)
{
    double end = hunt_clock() + limit;
    struct timespec pause = {0, 500000};
    int status = 0;
    for (;;) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            return WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 128 + WTERMSIG(status);
        if (done < 0 && errno != EINTR)
            return 127;
        if (hunt_clock() > end && !*late) {
            *late = true;
            kill(-child, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
}

/* The command as one would type it in the folder. */
static void note_command(const Hunt *h, const char *folder, const char *name,
                         const char *const *words)
{
    Buffer b = {0};
    char file[HUNT_PATH];
    buffer_text(&b, h->cosy);
    for (size_t k = 1; words[k]; k++) {
        bool plain = words[k][strcspn(words[k], " '\"$&|;<>()[]*?{}\\")] == 0;
        buffer_format(&b, plain ? " %s" : " '%s'", words[k]);
    }
    buffer_char(&b, '\n');
    snprintf(file, sizeof file, "%.200s.command", name);
    hunt_write(folder, file, buffer_string(&b));
    buffer_free(&b);
}

static void collect(Arena *a, const char *folder, const char *name, HuntRun *r)
{
    char path[HUNT_PATH];
    snprintf(path, sizeof path, "%.700s/%.200s.stdout", folder, name);
    r->out = hunt_read(a, path);
    snprintf(path, sizeof path, "%.700s/%.200s.stderr", folder, name);
    r->errors = hunt_read(a, path);
    char *results = NEW_ARRAY(a, char, HUNT_PATH);
    r->out = r->out ? r->out : "";
    r->errors = r->errors ? r->errors : "";
    if (!results)
        return;
    snprintf(results, HUNT_PATH, "%.700s/%.200s.out", folder, name);
    r->results = results;
    snprintf(path, sizeof path, "%.1000s/summary.json", results);
    const char *text = hunt_read(a, path);
    r->summary = text ? tree_read(a, text) : NULL;
}

bool hunt_run(const Hunt *h, Arena *a, const char *folder, const char *name,
              const char *const *words, double limit, HuntRun *r)
{
    const char *all[HUNT_WORDS + 8] = {"cosy"};
    char results[HUNT_PATH];
    size_t n = 1;
    *r = (HuntRun){.out = "", .errors = ""};
    for (size_t k = 0; words[k]; k++) {
        assert(k < HUNT_WORDS);
        all[n++] = words[k];
    }
    snprintf(results, sizeof results, "%.200s.out", name);
    if (words[0] && strcmp(words[0], "run") == 0) {
        all[n++] = "-o";
        all[n++] = results;
        all[n++] = "--no-plots";
        all[n++] =
            "--no-gridcheck"; // trials, which do not go with every option
    }
    note_command(h, folder, name, all);
    double before = hunt_cpu();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_cosy(h, folder, name, all, limit);
    if (child < 0)
        return false;
    r->exit = wait_for(child, PATIENCE * limit, &r->late);
    r->late = r->late || r->exit == 128 + SIGXCPU;
    r->cpu = hunt_cpu() - before;
    collect(a, folder, name, r);
    return true;
}

/* ---- Reporting ----------------------------------------------------------- */

void hunt_tried(Hunt *h, const char *what)
{
    h->tried++;
    if (h->verbose)
        printf("%s: %s: right\n", h->part, what);
}

void hunt_skip(Hunt *h, const char *what, const char *why)
{
    h->skipped++;
    if (h->verbose)
        printf("%s: %s: left out, %s\n", h->part, what, why);
}

void hunt_wrong(Hunt *h, const char *what, const char *folder,
                const char *again, const char *format, ...)
{
    char kept[HUNT_PATH];
    va_list arguments;
    h->tried++;
    h->wrong++;
    printf("%s: %s: ", h->part, what);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    if (folder && (mkdir(h->keep, 0777) == 0 || errno == EEXIST)) {
        const char *last = strrchr(folder, '/');
        snprintf(kept, sizeof kept, "%.800s/%.200s", h->keep,
                 last ? last + 1 : folder);
        hunt_remove(kept);
        carry_out((const char *const[]){"cp", "-R", "--", folder, kept, NULL});
        printf("; files: %s", kept);
    }
    printf("; again: %s\n", again);
    fflush(stdout);
}
