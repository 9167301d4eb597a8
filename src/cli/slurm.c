#include "cli/slurm.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stage.h"
#include "cli/again.h"
#include "cli/commands.h"

#define STUDY_FILE  "study.json"
#define SCRIPT_FILE "job.sh"

/* ---- Words --------------------------------------------------------------- */

void slurm_note(const Slurm *s, const char *text)
{
    if (!s->quiet)
        fprintf(stderr, "cosy: note: %s\n", text);
}

static SlurmEnd over(int *status, int is)
{
    *status = is;
    return SLURM_OVER;
}

static SlurmEnd cannot(int *status, const Fault *f)
{
    fprintf(stderr, "cosy: error: %s\n", f->text);
    return over(status, f->status == STATUS_STOPPED ? EXIT_RUN : EXIT_USAGE);
}

static const char *folder(const Slurm *s)
{
    return (const char *)s->folder.v.bytes;
}

/* DIR.slurm/NAME in b. */
static const char *path_of(const Slurm *s, Buffer *b, const char *name)
{
    b->v.used = 0;
    buffer_format(b, "%s/%s", folder(s), name);
    return buffer_string(b);
}

void slurm_again(const Slurm *s, Buffer *b)
{
    const char *at = (const char *)s->r->words.v.bytes;
    const char *end = at + s->r->words.v.used;
    bool resumes = false;
    buffer_text(b, "cosy run");
    for (; at < end; at += strlen(at) + 1) {
        buffer_char(b, ' ');
        queue_word(b, at);
        resumes = resumes || strcmp(at, "--resume") == 0;
    }
    buffer_text(b, resumes ? "" : " --resume");
}

void slurm_jobs(const Slurm *s, Buffer *b)
{
    for (size_t k = 0; k < s->jobs.v.used; k++) {
        char ch = (char)s->jobs.v.bytes[k];
        buffer_char(b, ch == ',' ? ' ' : ch);
    }
}

/* ---- What is there already ------------------------------------------------ */

/* What study.json says; *difference: what its study and this one do not share. */
typedef struct Earlier {
    uint32_t parts;
    Buffer jobs;
    Buffer difference; // empty: none
    double work;
} Earlier;

static bool read_earlier(const Slurm *s, Earlier *e)
{
    Again g = {0};
    const char *why = NULL, *what = NULL;
    bool read = again_read(&g, folder(s), STUDY_FILE, &why);
    double parts = read ? tree_number(g.all, "parts") : 0;
    if (read) {
        what = again_difference(&g, g.was, tree_read(&g.arena, s->provenance));
        buffer_text(&e->jobs, tree_text(g.all, "jobs"));
        buffer_text(&e->difference, what ? what : "");
        e->work = tree_number(g.all, "seconds");
    }
    again_free(&g);
    e->parts = parts >= 1 && parts <= MOST_PARTS ? (uint32_t)parts : 0;
    return read && e->parts > 0 && !e->jobs.broken;
}

static void earlier_free(Earlier *e)
{
    buffer_free(&e->jobs);
    buffer_free(&e->difference);
}

static bool make_parts(Slurm *s, uint32_t n, Fault *f)
{
    s->parts = n;
    s->part.used = 0;
    return vector_append(&s->part, NULL, n * sizeof(SlurmPart)) ||
           fault_set(f, STATUS_MEMORY, "no memory for the parts") == STATUS_OK;
}

static bool any_live(const Slurm *s)
{
    bool any = false;
    for (uint32_t k = 0; k < s->parts; k++)
        any = any || slurm_part(s, k)->live;
    return any;
}

/* Without --resume a study begins anew, but not under the feet of its tasks. */
static Status check_left(Slurm *s, Fault *f)
{
    Earlier e = {0};
    Status status = STATUS_OK;
    if (read_earlier(s, &e) && make_parts(s, e.parts, f)) {
        buffer_text(&s->jobs, buffer_string(&e.jobs));
        if (slurm_look(s) && any_live(s)) {
            Buffer jobs = {0};
            slurm_jobs(s, &jobs);
            status = fault_set(
                f, STATUS_USAGE,
                "an earlier study is still at work in %s: --resume waits for "
                "it, scancel %s ends it",
                folder(s), buffer_string(&jobs));
            buffer_free(&jobs);
        }
        s->jobs.v.used = 0;
    }
    earlier_free(&e);
    return status;
}

static bool is_numbered(const char *name, const char *what, const char *end)
{
    size_t n = strlen(what), digits;
    if (strncmp(name, what, n) != 0)
        return false;
    digits = strspn(name + n, "0123456789");
    return digits > 0 && strncmp(name + n + digits, end, strlen(end)) == 0;
}

/* Removes the parts of an earlier study; `all`: and what its tasks have said. */
static void remove_left(const Slurm *s, bool all)
{
    Buffer path = {0};
    DIR *d = opendir(folder(s));
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        path_of(s, &path, e->d_name);
        if (is_numbered(e->d_name, "part-", ""))
            stage_remove(buffer_string(&path));
        else if (all && is_numbered(e->d_name, "task-", ".txt"))
            unlink(buffer_string(&path));
    }
    if (d)
        closedir(d);
    unlink(path_of(s, &path, STUDY_FILE));
    if (all)
        unlink(path_of(s, &path, SCRIPT_FILE));
    if (all)
        rmdir(folder(s)); // unless there is something else
    buffer_free(&path);
}

/* ---- The job -------------------------------------------------------------- */

static Status write_study(const Slurm *s, Fault *f)
{
    Buffer b = {0}, path = {0};
    buffer_format(&b, "{\"parts\": %u, \"jobs\": ", s->parts);
    buffer_json(&b, s->jobs.v.used ? (const char *)s->jobs.v.bytes : "");
    buffer_format(&b, ", \"seconds\": %.6g, \"provenance\": %s}\n",
                  s->plan.work, s->provenance);
    path_of(s, &path, STUDY_FILE);
    Status status =
        b.broken ? fault_set(f, STATUS_MEMORY, "no memory")
                 : file_write(buffer_string(&path), b.v.bytes, b.v.used, f);
    buffer_free(&b);
    buffer_free(&path);
    return status;
}

/* Where COSY looks for what is not named on the command line. Slurm hands the
   environment to its jobs as a rule, but may be told not to. */
static void put_places(Buffer *b)
{
    static const char *const name[] = {"COSY_LIBRARY", "COSY_LIBRARIES",
                                       "COSY_CACHE", "CC"};
    for (size_t k = 0; k < LENGTH(name); k++) {
        const char *value = getenv(name[k]);
        if (!value)
            continue;
        buffer_format(b, "export %s=", name[k]);
        queue_word(b, value);
        buffer_char(b, '\n');
    }
}

static void put_command(const Slurm *s, Buffer *b, const char *program)
{
    const char *at = (const char *)s->r->task.v.bytes;
    const char *end = at + s->r->task.v.used;
    Buffer path = {0};
    buffer_text(b, "exec ");
    queue_word(b, program);
    buffer_text(b, " run");
    for (; at < end; at += strlen(at) + 1) {
        buffer_char(b, ' ');
        queue_word(b, at);
    }
    buffer_format(
        b,
        " \\\n    --chunk \"$SLURM_ARRAY_TASK_ID/%u\" "
        "--threads \"${SLURM_CPUS_PER_TASK:-1}\" --resume \\\n    -o ",
        s->parts);
    queue_word(b, path_of(s, &path, "part-"));
    buffer_text(b, "\"$SLURM_ARRAY_TASK_ID\" --match ");
    queue_word(b, path_of(s, &path, STUDY_FILE));
    buffer_char(b, '\n');
    buffer_free(&path);
}

/* Lines of a comment must not end in the middle. */
static void put_comment(Buffer *b, Buffer *line)
{
    const char *text = buffer_string(line);
    for (; *text; text++) {
        buffer_char(b, *text);
        if (*text == '\n')
            buffer_text(b, "# ");
    }
}

static Status write_script(const Slurm *s, const QueueArray *a, Fault *f)
{
    char here[4096], program[4096];
    Buffer b = {0}, line = {0}, again = {0};
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!getcwd(here, sizeof here) || n < 0)
        return fault_set(f, STATUS_FILE, "the current folder is not known: %s",
                         strerror(errno));
    program[n] = '\0';
    if (!queue_line(&line, a)) {
        buffer_free(&line);
        return fault_set(f, STATUS_USAGE,
                         "--slurm-options: a quote has no end");
    }
    slurm_again(s, &again);
    buffer_format(&b,
                  "#!/bin/sh\n# Makes one of the %u parts of a study of "
                  "COSY.\n# Submitted by:  ",
                  s->parts);
    put_comment(&b, &line);
    buffer_text(&b, "\n# Goes on, and puts the parts together:  ");
    put_comment(&b, &again);
    buffer_char(&b, '\n');
    put_places(&b);
    buffer_text(&b, "cd ");
    queue_word(&b, here);
    buffer_text(&b, " || exit\n");
    put_command(s, &b, program);
    Status status = b.broken ? fault_set(f, STATUS_MEMORY, "no memory")
                             : file_write(a->script, b.v.bytes, b.v.used, f);
    buffer_free(&b);
    buffer_free(&line);
    buffer_free(&again);
    return status;
}

/* "1-3,7": the parts that are to be made; how many they are. */
static uint32_t put_missing(const Slurm *s, Buffer *b)
{
    uint32_t count = 0;
    for (uint32_t k = 0, end; k < s->parts; k = end) {
        const SlurmPart *p = slurm_part(s, k);
        end = k + 1;
        if (p->done || p->live)
            continue;
        while (end < s->parts && !slurm_part(s, end)->done &&
               !slurm_part(s, end)->live)
            end++;
        buffer_format(b, "%s%u", count ? "," : "", k + 1);
        if (end > k + 1)
            buffer_format(b, "-%u", end);
        count += end - k;
    }
    return count;
}

/* In Slurm's patterns % and \ mean something. */
static void put_pattern(const Slurm *s, Buffer *b)
{
    char here[4096];
    Buffer path = {0};
    if (folder(s)[0] != '/' && getcwd(here, sizeof here))
        buffer_format(&path, "%s/", here);
    buffer_text(&path, folder(s));
    for (const char *t = buffer_string(&path); *t; t++) {
        buffer_char(b, *t);
        if (*t == '%')
            buffer_char(b, '%');
    }
    buffer_text(b, "/task-%a.txt");
    buffer_free(&path);
}

/* cosy-decay */
static void put_name(const Slurm *s, Buffer *b)
{
    const char *name = strrchr(s->r->model, '/');
    name = name ? name + 1 : s->r->model;
    buffer_format(b, "cosy-%.*s", (int)strcspn(name, "."), name);
}

/* Script, submission, and the number of the job. */
static Status hand_over(Slurm *s, const char *indices, Fault *f)
{
    Buffer name = {0}, output = {0}, script = {0}, job = {0};
    put_name(s, &name);
    put_pattern(s, &output);
    path_of(s, &script, SCRIPT_FILE);
    const QueueArray a = {.name = buffer_string(&name),
                          .indices = indices,
                          .output = buffer_string(&output),
                          .threads = s->r->kernel.threads,
                          .options = s->r->slurm_options,
                          .script = buffer_string(&script)};
    Status status = write_script(s, &a, f);
    if (status == STATUS_OK)
        status = write_study(s, f);
    if (status == STATUS_OK && !queue_submit(&s->queue, &a, &job))
        status =
            fault_set(f, STATUS_FILE, "nothing was submitted; sbatch says: %s",
                      buffer_string(&s->queue.said));
    if (status == STATUS_OK) {
        buffer_text(&s->jobs, s->jobs.v.used ? "," : "");
        buffer_text(&s->jobs, buffer_string(&job));
        buffer_string(&s->jobs);
        status = write_study(s, f);
        if (status != STATUS_OK) // nobody would ever find it again
            queue_cancel(&s->queue, buffer_string(&job));
    }
    buffer_free(&name);
    buffer_free(&output);
    buffer_free(&script);
    buffer_free(&job);
    return status;
}

/* Submits the parts that are not done and that no task works on; *missing: how many. */
static Status submit(Slurm *s, uint32_t *missing, Fault *f)
{
    Buffer indices = {0};
    *missing = put_missing(s, &indices);
    uint32_t tasks = *missing < s->plan.tasks ? *missing : s->plan.tasks;
    buffer_format(&indices, "%%%u", tasks);
    Status status = *missing == 0    ? STATUS_OK
                    : indices.broken ? fault_set(f, STATUS_MEMORY, "no memory")
                                     : hand_over(s, buffer_string(&indices), f);
    buffer_free(&indices);
    return status;
}

/* ---- A study that begins --------------------------------------------------- */

static void tell_small(const Slurm *s)
{
    Buffer b = {0};
    buffer_text(&b, "--slurm: ");
    slurm_tell_work(&b, &s->plan);
    buffer_format(&b,
                  ": less than one task of Slurm should work, so it is carried "
                  "out here; --slurm %u/%u hands it over in any case",
                  s->r->slurm.tasks, s->r->slurm.tasks);
    slurm_note(s, buffer_string(&b));
    buffer_free(&b);
}

static void tell_submitted(const Slurm *s)
{
    const SlurmPlan *p = &s->plan;
    uint32_t cores = s->r->kernel.threads > 1 ? s->r->kernel.threads : 1;
    Buffer b = {0};
    buffer_format(&b, "Slurm job %s: ", (const char *)s->jobs.v.bytes);
    slurm_tell_work(&b, p);
    if (s->parts == 1) {
        buffer_text(&b, p->most == 1 ? ", which cannot be spread: one task"
                                     : ", in one part");
    } else {
        buffer_format(&b, ", in %u parts", s->parts);
        if (p->work > 0) {
            buffer_text(&b, " of about ");
            slurm_span(&b, p->work / s->parts / cores);
        }
        buffer_format(&b, ", at most %u at once", p->tasks);
    }
    buffer_format(&b, "; the script, and what tasks say, are in %s/",
                  folder(s));
    slurm_note(s, buffer_string(&b));
    buffer_free(&b);
}

static SlurmEnd begin(Slurm *s, int *status)
{
    Fault f = {0};
    uint32_t missing;
    if (check_left(s, &f) != STATUS_OK)
        return cannot(status, &f);
    Status planned =
        slurm_plan(&s->plan, s->r, s->kernel, s->model, s->stop, &f);
    if (planned == STATUS_UNSUPPORTED) {
        fprintf(stderr,
                "cosy: error: %s; as one job it can be carried out with srun "
                "or sbatch: srun --cpus-per-task=4 cosy run %s --threads 4\n",
                f.text, s->r->model);
        return over(status, EXIT_USAGE);
    }
    if (planned != STATUS_OK)
        return cannot(status, &f);
    remove_left(s, true);
    if (s->plan.small && !s->r->slurm.parts) {
        tell_small(s);
        return SLURM_HERE;
    }
    Status done =
        make_parts(s, s->plan.parts, &f) ? dir_make(folder(s), &f) : f.status;
    if (done == STATUS_OK)
        done = submit(s, &missing, &f);
    if (done != STATUS_OK) {
        remove_left(s, true);
        return cannot(status, &f);
    }
    tell_submitted(s);
    return SLURM_COLLECT;
}

/* ---- A study that goes on --------------------------------------------------- */

static SlurmEnd changed(const Slurm *s, Earlier *e, int *status)
{
    fprintf(stderr,
            "cosy: error: --resume: the study in %s was submitted with "
            "another state of %s: its parts cannot be used; without --resume "
            "the study begins anew\n",
            folder(s), buffer_string(&e->difference));
    return over(status, EXIT_USAGE);
}

static void tell_resumed(const Slurm *s, uint32_t done, uint32_t missing)
{
    Buffer b = {0};
    uint32_t live = s->parts - done - missing;
    buffer_format(&b, "--resume: %u of %u parts are done", done, s->parts);
    if (live > 0)
        buffer_format(&b, ", tasks work on %u", live);
    if (missing > 0)
        buffer_format(&b, ", %u %s submitted again (job %s)", missing,
                      missing == 1 ? "is" : "are",
                      (const char *)s->jobs.v.bytes);
    slurm_note(s, buffer_string(&b));
    buffer_free(&b);
}

static SlurmEnd go_on(Slurm *s, Earlier *e, int *status)
{
    Fault f = {0};
    uint32_t missing = 0, done;
    if (e->difference.v.used)
        return changed(s, e, status);
    if (!make_parts(s, e->parts, &f))
        return cannot(status, &f);
    buffer_text(&s->jobs, buffer_string(&e->jobs));
    buffer_string(&s->jobs);
    s->plan = (SlurmPlan){.tasks = s->r->slurm.tasks, .work = e->work};
    if (!slurm_look(s)) {
        fprintf(stderr,
                "cosy: error: --resume: whether tasks of the study still work "
                "is not known, as squeue does not answer: %s\n",
                buffer_string(&s->queue.said));
        return over(status, EXIT_USAGE);
    }
    done = slurm_count_done(s);
    if (submit(s, &missing, &f) != STATUS_OK)
        return cannot(status, &f);
    tell_resumed(s, done, missing);
    return SLURM_COLLECT;
}

/* ---- The end ---------------------------------------------------------------- */

static void tell_stopped(const Slurm *s)
{
    Buffer again = {0}, jobs = {0};
    slurm_again(s, &again);
    slurm_jobs(s, &jobs);
    fprintf(stderr,
            "cosy: stopped waiting; job %s goes on\n"
            "cosy: %s\n"
            "cosy:     waits for it and puts the parts together\n"
            "cosy: scancel %s\n"
            "cosy:     ends it\n",
            buffer_string(&jobs), buffer_string(&again), buffer_string(&jobs));
    buffer_free(&again);
    buffer_free(&jobs);
}

static void tell_missing(const Slurm *s, uint32_t done)
{
    Buffer again = {0}, place = {0};
    slurm_again(s, &again);
    queue_word(&place, folder(s));
    uint32_t missing = s->parts - done;
    fprintf(stderr,
            "cosy: error: %u of %u parts %s missing\n"
            "cosy: %s\n"
            "cosy:     submits %s again, with what is there already\n"
            "cosy: cosy collect %s --resume\n"
            "cosy:     makes the rest on this machine\n",
            missing, s->parts, missing == 1 ? "is" : "are",
            buffer_string(&again), missing == 1 ? "it" : "them",
            buffer_string(&place));
    buffer_free(&again);
    buffer_free(&place);
}

/* The experiment takes its runs from the parts. */
static bool take_parts(Slurm *s)
{
    RunCommand *r = s->r;
    Buffer names = {0};
    for (uint32_t k = 0; k < s->parts; k++) {
        buffer_format(&names, "%s/part-%u", folder(s), k + 1);
        buffer_char(&names, '\0');
    }
    s->names = names;
    const char *at = (const char *)names.v.bytes;
    for (uint32_t k = 0; k < s->parts && !names.broken; k++) {
        r->part[k] = at;
        at += strlen(at) + 1;
    }
    r->kernel.part = r->part;
    r->kernel.parts = s->parts;
    r->kernel.resume = false;
    return !names.broken;
}

static SlurmEnd wait_for(Slurm *s, int *status)
{
    Fault f = {0};
    bool ended = slurm_wait(s);
    uint32_t done = slurm_count_done(s);
    if (!ended) {
        tell_stopped(s);
        return over(status, EXIT_RUN);
    }
    if (done < s->parts) {
        tell_missing(s, done);
        return over(status, EXIT_RUN);
    }
    if (take_parts(s))
        return SLURM_COLLECT;
    fault_set(&f, STATUS_MEMORY, "no memory for the parts");
    return cannot(status, &f);
}

/* Beside the results, also if these are named with a slash at the end. */
static void name_folder(Slurm *s)
{
    const char *dir = s->r->kernel.dir;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    buffer_format(&s->folder, "%.*s.slurm", (int)n, dir);
    buffer_string(&s->folder);
}

SlurmEnd slurm_go(Slurm *s, int *status)
{
    Earlier e = {0};
    Fault f = {0};
    SlurmEnd end;
    s->queue = (Queue){.stop = s->stop};
    name_folder(s);
    if (!queue_present()) {
        fault_set(&f, STATUS_USAGE,
                  "--slurm: there is no sbatch on this machine: Slurm takes "
                  "jobs from machines that have its commands; --chunk K/N and "
                  "cosy collect spread a study by hand");
        return cannot(status, &f);
    }
    if (s->r->kernel.resume && read_earlier(s, &e))
        end = go_on(s, &e, status);
    else
        end = begin(s, status);
    earlier_free(&e);
    return end == SLURM_COLLECT ? wait_for(s, status) : end;
}

void slurm_settle(Slurm *s)
{
    remove_left(s, false);
}

void slurm_free(Slurm *s)
{
    queue_free(&s->queue);
    buffer_free(&s->folder);
    buffer_free(&s->jobs);
    buffer_free(&s->names);
    vector_free(&s->part);
}
