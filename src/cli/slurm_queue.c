#define _GNU_SOURCE // pipe2, strsignal
#include "cli/slurm_queue.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Processes ----------------------------------------------------------- */

/* Words of a command line. */
typedef struct Words {
    Buffer text; // each ended by NUL
    uint32_t count;
} Words;

static void word(Words *w, const char *text)
{
    buffer_bytes(&w->text, text, strlen(text) + 1);
    w->count++;
}

static void word_with(Words *w, const char *option, const char *value)
{
    buffer_text(&w->text, option);
    word(w, value);
}

/* They lie in the words themselves; the caller frees the list. */
static bool list(Words *w, Vector *argv)
{
    char *at = (char *)w->text.v.bytes, *const end = NULL;
    bool fits = !w->text.broken;
    for (uint32_t k = 0; fits && k < w->count; k++, at += strlen(at) + 1)
        fits = vector_append(argv, &at, sizeof at);
    return fits && vector_append(argv, &end, sizeof end);
}

static int start(pid_t *child, char **argv, int to)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, 1);
    posix_spawn_file_actions_adddup2(&files, to, 2);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&how, 0);
    int failed = posix_spawnp(child, argv[0], &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return failed;
}

/* Everything up to the end, unless it is to be stopped. */
static void listen(Queue *q, pid_t child, int from, bool patient)
{
    char text[4096];
    ssize_t n = 1;
    while (n > 0) {
        struct pollfd p = {.fd = from, .events = POLLIN};
        if (poll(&p, 1, 200) <= 0) {
            if (!patient && q->stop && q->stop(q->user))
                kill(-child, SIGKILL);
            continue;
        }
        n = read(from, text, sizeof text);
        if (n > 0)
            buffer_bytes(&q->said, text, (size_t)n);
    }
}

static int await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The exit status of a command whose outputs are in q->said; -1: it could not be
   started, or was killed. */
static int command(Queue *q, Words *w, bool patient)
{
    Vector argv = {0};
    pid_t child = 0;
    int ends[2], status = -1;
    q->said.v.used = 0;
    if (list(w, &argv) && pipe2(ends, O_CLOEXEC) == 0) {
        char **words = (char **)(void *)argv.bytes;
        int failed = start(&child, words, ends[1]);
        close(ends[1]);
        if (failed)
            buffer_format(&q->said, "%s cannot be started: %s", words[0],
                          strerror(failed));
        else
            listen(q, child, ends[0], patient);
        close(ends[0]);
        status = failed ? -1 : await(child);
    } else {
        buffer_text(&q->said, "no memory");
    }
    while (q->said.v.used > 0 &&
           isspace((unsigned char)q->said.v.bytes[q->said.v.used - 1]))
        q->said.v.used--;
    buffer_string(&q->said);
    vector_free(&argv);
    buffer_free(&w->text);
    return status;
}

bool queue_present(void)
{
    const char *at = getenv("PATH");
    Buffer path = {0};
    bool found = false;
    while (at && *at && !found) {
        size_t n = strcspn(at, ":");
        path.v.used = 0;
        buffer_format(&path, "%.*s/sbatch", (int)n, n ? at : ".");
        found = access(buffer_string(&path), X_OK) == 0;
        at += n + (at[n] == ':');
    }
    buffer_free(&path);
    return found;
}

/* ---- Submitting ---------------------------------------------------------- */

void queue_word(Buffer *b, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
                                "TUVWXYZ0123456789_-+=./:,%@";
    if (*text && strspn(text, plain) == strlen(text)) {
        buffer_text(b, text);
        return;
    }
    buffer_char(b, '\'');
    for (; *text; text++)
        if (*text == '\'')
            buffer_text(b, "'\\''");
        else
            buffer_char(b, *text);
    buffer_char(b, '\'');
}

/* One word of a text as a shell would read it, without what it would put in; false:
   a quote has no end. */
static bool take_word(Words *w, const char **text)
{
    char quote = '\0';
    const char *s = *text;
    for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
        if (*s == quote)
            quote = '\0';
        else if (!quote && (*s == '"' || *s == '\''))
            quote = *s;
        else if (*s == '\\' && quote != '\'' && s[1])
            buffer_char(&w->text, *++s);
        else
            buffer_char(&w->text, *s);
    }
    *text = s;
    word(w, "");
    return !quote;
}

/* Later options win: those of the user over the number of cores, and what COSY relies
   on over everything. */
static bool submission(Words *w, const QueueArray *a)
{
    const char *o = a->options ? a->options : "";
    char cores[40];
    snprintf(cores, sizeof cores, "%u", a->threads ? a->threads : 1);
    word(w, "sbatch");
    word_with(w, "--job-name=", a->name);
    word_with(w, "--cpus-per-task=", cores);
    for (o += strspn(o, " \t\n"); *o; o += strspn(o, " \t\n"))
        if (!take_word(w, &o))
            return false;
    word(w, "--parsable");
    word_with(w, "--array=", a->indices);
    word_with(w, "--output=", a->output);
    word_with(w, "--error=", a->output);
    word(w, a->script);
    return !w->text.broken;
}

bool queue_line(Buffer *b, const QueueArray *a)
{
    Words w = {0};
    bool made = submission(&w, a);
    const char *at = (const char *)w.text.v.bytes;
    for (uint32_t k = 0; made && k < w.count; k++, at += strlen(at) + 1) {
        buffer_text(b, k ? " " : "");
        queue_word(b, at);
    }
    buffer_free(&w.text);
    return made && !b->broken;
}

/* The last line that begins with a number has it; warnings may stand before. */
static bool take_number(const Buffer *said, Buffer *job)
{
    const char *text = (const char *)said->v.bytes, *found = NULL;
    for (const char *s = text; s && *s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (isdigit((unsigned char)*s))
            found = s;
    }
    if (found)
        buffer_bytes(job, found, strspn(found, "0123456789"));
    return found != NULL;
}

bool queue_submit(Queue *q, const QueueArray *a, Buffer *job)
{
    Words w = {0};
    if (!submission(&w, a)) {
        buffer_free(&w.text);
        q->said.v.used = 0;
        buffer_text(&q->said, "a quote in --slurm-options has no end");
        return false;
    }
    return command(q, &w, true) == 0 && take_number(&q->said, job);
}

/* ---- Looking ------------------------------------------------------------- */

bool queue_is_over(const char *state)
{
    static const char *const live[] = {
        "PENDING",   "RUNNING",  "CONFIGURING", "COMPLETING",   "SUSPENDED",
        "RESIZING",  "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SIGNALING",
        "STAGE_OUT", "STOPPED",  "SPECIAL_EXIT"};
    for (size_t k = 0; k < LENGTH(live); k++)
        if (strcmp(state, live[k]) == 0)
            return false;
    return true;
}

/* index|STATE|reason: what it was asked for, so others are warnings. */
static void take_line(char *line, QueueEach *each, void *user)
{
    char *state = strchr(line, '|'), *reason, *end;
    unsigned long index = strtoul(line, &end, 10);
    if (!state || end != state || index > UINT32_MAX)
        return;
    *state++ = '\0';
    reason = strchr(state, '|');
    if (!reason)
        return;
    *reason++ = '\0';
    each(user, (uint32_t)index, state, reason);
}

bool queue_look(Queue *q, const char *jobs, QueueEach *each, void *user)
{
    Words w = {0};
    word(&w, "squeue");
    word(&w, "--noheader");
    word(&w, "--array");
    word(&w, "--states=all");
    word(&w, "--format=%K|%T|%r");
    word_with(&w, "--jobs=", jobs);
    int status = command(q, &w, false);
    char *line = (char *)q->said.v.bytes;
    // A job that has ended some minutes ago is not known any more.
    if (status != 0)
        return status > 0 && strstr(line, "Invalid job id") != NULL;
    while (line && *line) {
        char *next = line + strcspn(line, "\n");
        bool more = *next == '\n';
        *next = '\0';
        take_line(line, each, user);
        line = more ? next + 1 : NULL;
    }
    return true;
}

/* ---- The end of a task --------------------------------------------------- */

/* Its state and its exit code, from whoever still knows it. */
typedef struct Ending {
    char state[40];
    int status, signal; // -1: not known
} Ending;

static void take_code(Ending *e, const char *text)
{
    if (text && sscanf(text, "%d:%d", &e->status, &e->signal) != 2)
        e->status = e->signal = -1;
}

/* "... JobState=FAILED ... ExitCode=2:0 ...". */
static bool ask_control(Queue *q, const char *task, Ending *e)
{
    Words w = {0};
    word(&w, "scontrol");
    word(&w, "--oneliner");
    word(&w, "show");
    word(&w, "job");
    word(&w, task);
    if (command(q, &w, false) != 0)
        return false;
    const char *said = (const char *)q->said.v.bytes;
    const char *state = strstr(said, "JobState=");
    const char *code = strstr(said, " ExitCode=");
    if (state)
        snprintf(e->state, sizeof e->state, "%.*s",
                 (int)strcspn(state + 9, " \n"), state + 9);
    take_code(e, code ? code + 10 : NULL);
    return state != NULL;
}

/* "FAILED|2:0", if the cluster keeps accounts. */
static bool ask_accounts(Queue *q, const char *task, Ending *e)
{
    Words w = {0};
    word(&w, "sacct");
    word(&w, "--noheader");
    word(&w, "--parsable2");
    word(&w, "--allocations");
    word(&w, "--format=State,ExitCode");
    word_with(&w, "--jobs=", task);
    if (command(q, &w, false) != 0)
        return false;
    const char *said = (const char *)q->said.v.bytes;
    const char *code = strchr(said, '|');
    if (!code)
        return false;
    snprintf(e->state, sizeof e->state, "%.*s", (int)strcspn(said, " |"), said);
    take_code(e, code + 1);
    return true;
}

/* States that say more than an exit code, and what helps. */
static const struct {
    const char *state, *words;
} endings[] = {
    {"TIMEOUT",
     "its time was over: --slurm-options \"--time=...\" asks for more"},
    {"OUT_OF_MEMORY",
     "it had not enough memory: --slurm-options \"--mem=...\" asks for more"},
    {"NODE_FAIL", "its node has failed"},
    {"BOOT_FAIL", "its node could not be started"},
    {"CANCELLED", "it was cancelled"},
    {"PREEMPTED", "it had to give way to another job"},
    {"DEADLINE", "its deadline was over"},
    {"REVOKED", "it was revoked"},
};

static void tell_end(const Ending *e, Buffer *b)
{
    for (size_t k = 0; k < LENGTH(endings); k++)
        if (strcmp(e->state, endings[k].state) == 0) {
            buffer_format(b, "%s (%s)", endings[k].words, e->state);
            return;
        }
    if (!e->state[0])
        buffer_text(b, "Slurm does not know any more how it has ended");
    else if (strcmp(e->state, "COMPLETED") == 0)
        buffer_text(b, "it has ended, but its part is not there");
    else if (e->signal > 0)
        buffer_format(b, "it was killed by signal %d, %s (%s)%s", e->signal,
                      strsignal(e->signal), e->state,
                      e->signal == SIGKILL ? "; a node without memory does that"
                                           : "");
    else if (e->status >= 0)
        buffer_format(b, "exit status %d (%s)", e->status, e->state);
    else
        buffer_text(b, e->state);
}

void queue_end(Queue *q, const char *jobs, uint32_t index, const char *state,
               Buffer *b)
{
    Ending e = {.status = -1, .signal = -1};
    Buffer task = {0};
    bool known = false;
    // The job that was submitted last comes first.
    for (size_t end = strlen(jobs), from = end; end > 0 && !known; end = from) {
        while (from > 0 && jobs[from - 1] != ',')
            from--;
        task.v.used = 0;
        buffer_format(&task, "%.*s_%u", (int)(end - from), jobs + from, index);
        known = ask_control(q, buffer_string(&task), &e) ||
                ask_accounts(q, buffer_string(&task), &e);
        from -= from > 0;
    }
    if (!e.state[0])
        snprintf(e.state, sizeof e.state, "%s", state);
    tell_end(&e, b);
    buffer_free(&task);
}

void queue_cancel(Queue *q, const char *jobs)
{
    Words w = {0};
    word(&w, "scancel");
    word(&w, jobs);
    command(q, &w, true);
}

void queue_free(Queue *q)
{
    buffer_free(&q->said);
}
