#define _DEFAULT_SOURCE
#include "cli/slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How often files and squeue are looked at: often at first, as a short study is over
   soon, and rarely later, as squeue is a burden for a cluster. */
#define FILES_FIRST 0.2
#define FILES_MOST  2.0
#define QUEUE_FIRST 0.5
#define QUEUE_MOST  15.0
#define SLOWER      1.3
/* Files of other machines may be seen that much later (NFS). */
#define LATE_FILES 60.0
/* When it is first said what keeps the job waiting; then after twice the time. */
#define SAID_FIRST 20.0
#define SAID_MOST  3600.0
/* Tasks of which it is told in detail how they have ended. */
#define TOLD_MOST  5
#define LAST_LINES 5

typedef struct Wait {
    Slurm *s;
    uint32_t done, runs, pending, failed;
    uint32_t told;       // failures
    char reason[120];    // of a task that is pending
    char said[120];      // the reason that was told last
    double files, queue; // when they are looked at next
    double files_pause, queue_pause;
    double saying, said_pause; // when it is next said how it stands
    double running;            // since when a task runs; 0: none was seen
    uint32_t before;           // parts that were done then
    bool silent;               // squeue has not answered, as told
    bool line;                 // there is a progress line
} Wait;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void clear_line(Wait *w)
{
    if (w->line)
        fputs("\r\033[K", stderr);
    w->line = false;
}

/* ---- Files --------------------------------------------------------------- */

/* {"part": 3, "parts": 8, "runs": 25, "complete": true, ... */
static bool is_complete(const char *folder, uint32_t k)
{
    Buffer path = {0};
    char text[200] = "";
    buffer_format(&path, "%s/part-%u/part.json", folder, k + 1);
    FILE *f = fopen(buffer_string(&path), "r");
    buffer_free(&path);
    if (!f)
        return false;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return strstr(text, "\"complete\": true") != NULL;
}

uint32_t slurm_count_done(Slurm *s)
{
    const char *folder = (const char *)s->folder.v.bytes;
    uint32_t done = 0;
    for (uint32_t k = 0; k < s->parts; k++) {
        SlurmPart *p = slurm_part(s, k);
        p->done = p->done || is_complete(folder, k);
        done += p->done;
    }
    return done;
}

/* ---- The queue ----------------------------------------------------------- */

static void take_task(void *user, uint32_t index, const char *state,
                      const char *reason)
{
    Wait *w = user;
    if (index < 1 || index > w->s->parts)
        return;
    SlurmPart *p = slurm_part(w->s, index - 1);
    bool over = queue_is_over(state);
    if (p->live && over) // another job works on the same part
        return;
    snprintf(p->state, sizeof p->state, "%s", state);
    p->live = !over;
    p->runs = p->live && strcmp(state, "PENDING") != 0;
    if (p->live && !p->runs && !p->done)
        snprintf(w->reason, sizeof w->reason, "%s", reason);
}

static bool look(Wait *w)
{
    Slurm *s = w->s;
    for (uint32_t k = 0; k < s->parts; k++) {
        SlurmPart *p = slurm_part(s, k);
        p->live = p->runs = false;
        p->state[0] = '\0';
    }
    w->reason[0] = '\0';
    if (!s->jobs.v.used)
        return true;
    return queue_look(&s->queue, buffer_string(&s->jobs), take_task, w);
}

bool slurm_look(Slurm *s)
{
    Wait w = {.s = s};
    return look(&w);
}

/* ---- Failures ------------------------------------------------------------ */

/* The last lines of a file, each with some blanks before it. */
static void last_lines(Buffer *b, const char *path)
{
    enum { MOST = 2000 };
    char text[MOST + 1];
    FILE *f = fopen(path, "r");
    long length = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (length >= 0)
        fseek(f, length > MOST ? length - MOST : 0, SEEK_SET);
    size_t n = length >= 0 ? fread(text, 1, MOST, f) : 0, from;
    if (f)
        fclose(f);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    from = n;
    for (int lines = 0; from > 0; from--)
        if (text[from - 1] == '\n' && ++lines == LAST_LINES)
            break;
    for (char *line = text + from, *end; n > 0 && line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        buffer_format(b, "\n    %s", line);
    }
}

static void tell_failure(Wait *w, uint32_t k)
{
    Slurm *s = w->s;
    Buffer b = {0}, path = {0};
    buffer_format(&b, "cosy: part %u of %u: ", k + 1, s->parts);
    queue_end(&s->queue, buffer_string(&s->jobs), k + 1,
              slurm_part(s, k)->state, &b);
    buffer_format(&path, "%s/task-%u.txt", (const char *)s->folder.v.bytes,
                  k + 1);
    if (access(buffer_string(&path), R_OK) == 0) {
        buffer_format(&b, "; the end of %s:", buffer_string(&path));
        last_lines(&b, buffer_string(&path));
    } else {
        buffer_format(&b,
                      "; there is no %s: is this folder one that all "
                      "nodes can see?",
                      buffer_string(&path));
    }
    fprintf(stderr, "%s\n", buffer_string(&b));
    buffer_free(&b);
    buffer_free(&path);
}

/* A task that Slurm calls completed has left its part, if the file system is late; one
   that has failed has not. */
static bool has_failed(SlurmPart *p, double now)
{
    bool late = !p->state[0] || strcmp(p->state, "COMPLETED") == 0;
    if (p->over == 0)
        p->over = now;
    return !late || now - p->over > LATE_FILES;
}

static void count(Wait *w)
{
    Slurm *s = w->s;
    double now = seconds();
    w->runs = w->pending = 0;
    for (uint32_t k = 0; k < s->parts; k++) {
        SlurmPart *p = slurm_part(s, k);
        w->runs += p->runs && !p->done;
        w->pending += p->live && !p->runs && !p->done;
        if (p->done || p->failed || p->live || !has_failed(p, now))
            continue;
        p->failed = true;
        clear_line(w);
        if (w->told++ < TOLD_MOST)
            tell_failure(w, k);
    }
    if (w->runs && w->running == 0) {
        w->running = now;
        w->before = w->done;
    }
}

/* ---- What is said meanwhile ---------------------------------------------- */

/* Seconds that are left; negative: not known. */
static double left(const Wait *w, double now)
{
    const SlurmPlan *p = &w->s->plan;
    double passed = w->running > 0 ? now - w->running : 0;
    uint32_t made = w->done - w->before, rest = w->s->parts - w->done;
    if (made > 0 && passed > 0)
        return passed / made * rest;
    double all = p->tasks > 0 ? p->work / p->tasks : 0;
    return all > 0 && w->running > 0 && all > passed ? all - passed : -1;
}

static void put_state(const Wait *w, Buffer *b, double now)
{
    double rest = left(w, now);
    buffer_format(b, "%u of %u parts done", w->done, w->s->parts);
    if (w->runs)
        buffer_format(b, ", %u running", w->runs);
    if (w->pending)
        buffer_format(b, ", %u waiting", w->pending);
    if (w->pending && w->reason[0] && strcmp(w->reason, "None") != 0)
        buffer_format(b, " (%s)", w->reason);
    if (w->failed)
        buffer_format(b, ", %u failed", w->failed);
    if (rest >= 0 && w->done < w->s->parts) {
        buffer_text(b, ", about ");
        slurm_span(b, rest < 1 ? 1 : floor(rest + 0.5));
        buffer_text(b, " left");
    }
}

static void show_line(Wait *w, double now)
{
    Buffer b = {0};
    put_state(w, &b, now);
    fprintf(stderr, "\r%.78s\033[K", buffer_string(&b));
    w->line = true;
    buffer_free(&b);
}

/* Jobs that do not start say why, each reason once; and where there is no progress line,
   a line now and then tells how it stands. */
static void say(Wait *w, double now)
{
    Buffer b = {0};
    bool stuck = w->runs == 0 && w->pending > 0 && now > w->saying &&
                 strcmp(w->reason, w->said) != 0;
    bool due = !w->s->moves && now > w->saying && w->done < w->s->parts;
    if (now > w->saying) {
        w->saying = now + w->said_pause;
        w->said_pause =
            w->said_pause * 2 < SAID_MOST ? w->said_pause * 2 : SAID_MOST;
    }
    if (!stuck && !due)
        return;
    snprintf(w->said, sizeof w->said, "%s", w->reason);
    buffer_format(&b, "job %s: ", buffer_string(&w->s->jobs));
    put_state(w, &b, now);
    clear_line(w);
    slurm_note(w->s, buffer_string(&b));
    buffer_free(&b);
}

static void tell_silence(Wait *w)
{
    Buffer b = {0};
    if (w->silent)
        return;
    w->silent = true;
    clear_line(w);
    buffer_format(&b,
                  "squeue does not answer (%s): COSY goes on waiting for "
                  "the parts",
                  buffer_string(&w->s->queue.said));
    slurm_note(w->s, buffer_string(&b));
    buffer_free(&b);
}

/* ---- Waiting -------------------------------------------------------------- */

static double slower(double pause, double most)
{
    return pause * SLOWER < most ? pause * SLOWER : most;
}

/* What files and squeue say by now. */
static void renew(Wait *w, double now)
{
    bool asked = now >= w->queue, told = asked && look(w);
    if (asked) {
        if (!told && !w->s->stop(NULL))
            tell_silence(w);
        w->silent = w->silent && !told;
        w->queue = seconds() + w->queue_pause;
        w->queue_pause = slower(w->queue_pause, QUEUE_MOST);
    }
    if (now < w->files && !asked)
        return;
    uint32_t before = w->done;
    w->done = slurm_count_done(w->s);
    w->files = seconds() + w->files_pause;
    w->files_pause =
        w->done > before ? FILES_FIRST : slower(w->files_pause, FILES_MOST);
    w->failed = 0;
    if (told) // files were looked at after the queue: what was ready is there
        count(w);
    for (uint32_t k = 0; k < w->s->parts; k++)
        w->failed += slurm_part(w->s, k)->failed && !slurm_part(w->s, k)->done;
}

static bool is_over(const Wait *w)
{
    return w->done + w->failed >= w->s->parts;
}

bool slurm_wait(Slurm *s)
{
    double now = seconds();
    Wait w = {.s = s,
              .files_pause = FILES_FIRST,
              .queue_pause = QUEUE_FIRST,
              .saying = now + SAID_FIRST,
              .said_pause = SAID_FIRST};
    while (!is_over(&w) && !s->stop(NULL)) {
        renew(&w, now);
        if (is_over(&w))
            break;
        say(&w, now);
        if (s->moves)
            show_line(&w, now);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        now = seconds();
    }
    clear_line(&w);
    if (w.told > TOLD_MOST)
        fprintf(stderr, "cosy: so have the tasks of %u other parts\n",
                w.told - TOLD_MOST);
    return is_over(&w);
}
