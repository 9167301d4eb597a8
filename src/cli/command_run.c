#include "cli/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "cli/code.h"
#include "cli/keep.h"
#include "cli/match.h"
#include "cli/options.h"
#include "cli/regrid.h"
#include "cli/setting.h"
#include "cli/slurm.h"
#include "cli/team.h"
#include "cli/terminal.h"
#include "cli/translate.h"
#include "guard/guard.h"
#include "run/kernel.h"
#include "store/store.h"

/* Read and set by signal handlers: the only state of this program that is not
   passed as an argument. */
static volatile sig_atomic_t interrupted, interrupted_at;
static volatile sig_atomic_t under_way; // some run is in progress
static volatile sig_atomic_t guarded;   // the process that works for us, or 0

/* Runs check often whether they should stop, but not inside a library that
   factorises a large matrix, or in the model's own C: whatever is still running
   then is ended here. */
static void on_late(int signal_number)
{
    static const char text[] =
        "cosy: error: stopped; the runs in progress did not stop by "
        "themselves, so there are no results\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)signal_number, (void)written;
    _exit(EXIT_RUN);
}

#define GRACE_SECONDS 2

enum { TOGETHER = 200 }; // milliseconds

/* Milliseconds of a clock that only goes forward, for differences. */
static sig_atomic_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (sig_atomic_t)((now.tv_sec % 1000000) * 1000 +
                          now.tv_nsec / 1000000);
}

/* timeout(1) sends one signal to the program and one to its group: signals that
   come together count as one request. */
static void on_interrupt(int signal_number)
{
    sig_atomic_t now = milliseconds();
    if (guarded > 0) // it may need time to write results
        kill((pid_t)guarded, signal_number);
    if (!interrupted) {
        interrupted_at = now;
        interrupted = 1;
        if (under_way)
            alarm(GRACE_SECONDS);
    } else if (now < interrupted_at || now - interrupted_at > TOGETHER) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static void on_closed_pipe(int signal_number)
{
    (void)signal_number;
}

/* The first one ends the runs, a second one the program. When standard output
   is no longer read (cosy run MODEL | head) results are still written; a
   handler, unlike SIG_IGN, is not inherited by compilers. */
static void catch_interrupts(void)
{
    struct sigaction a = {.sa_handler = on_interrupt};
    struct sigaction closed = {.sa_handler = on_closed_pipe};
    struct sigaction late = {.sa_handler = on_late};
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGPIPE, &closed, NULL);
    sigaction(SIGALRM, &late, NULL);
}

typedef struct Screen {
    bool quiet;
    bool colour; // messages are in colour
    bool moves;  // there is a progress line
    bool output; // standard output is a terminal
    atomic_uint ticks;
    atomic_long shown; // quarter of a second of the last progress line
    atomic_bool said;  // some message was shown
    double end;        // time of --limit-wall, as in seconds(); 0: none
    FILE *trace;       // where --trace goes
    bool written;      // the results are in their folder
    bool stopped;      // before all runs were through
    bool waits; // one of a team that may not write: it holds its words back
    Buffer text, messages; // that are held back
} Screen;

/* Removes the progress line before something is printed. */
static void clear_line(Screen *s)
{
    if (atomic_exchange(&s->shown, 0) > 0)
        fputs("\r\033[K", stderr);
}

static void show_text(void *user, const char *text, size_t length)
{
    Screen *s = user;
    if (s->quiet)
        return;
    if (s->waits) {
        buffer_bytes(&s->text, text, length);
        return;
    }
    clear_line(s);
    fwrite(text, 1, length, stdout);
    if (s->output)
        fflush(stdout);
}

/* Shows the word for the severity in colour. */
static void paint(const char *text)
{
    static const struct {
        const char *word, *colour;
    } table[] = {{"error:", "\033[1;31m"},
                 {"warning:", "\033[1;35m"},
                 {"note:", "\033[1;36m"}};
    const char *first = NULL;
    size_t which = 0;
    for (size_t k = 0; k < LENGTH(table); k++) {
        const char *at = strstr(text, table[k].word);
        if (at && (!first || at < first)) {
            first = at;
            which = k;
        }
    }
    if (!first) {
        fprintf(stderr, "cosy: %s\n", text);
        return;
    }
    fprintf(stderr, "cosy: %.*s%s%s\033[0m%s\n", (int)(first - text), text,
            table[which].colour, table[which].word,
            first + strlen(table[which].word));
}

static void show_message(void *user, const char *text)
{
    Screen *s = user;
    atomic_store(&s->said, true);
    if (s->waits) {
        buffer_format(&s->messages, "cosy: %s\n", text);
        return;
    }
    clear_line(user);
    fflush(stdout);
    if (s->colour)
        paint(text);
    else
        fprintf(stderr, "cosy: %s\n", text);
}

/* Writes to standard error, or to a file of its own. */
static void show_trace(void *user, const char *text, size_t length)
{
    Screen *s = user;
    if (s->trace == stderr) {
        clear_line(s);
        fflush(stdout);
    }
    fwrite(text, 1, length, s->trace);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writing results may take its time; runs that should stop may not. Without a limit
   there is no alarm before on_interrupt has set one. */
static void watch_runs(void *user, bool is)
{
    const Screen *s = user;
    under_way = is;
    if (s->end <= 0 && !interrupted)
        return;
    double left = s->end > 0 ? s->end - seconds() : 1e9;
    unsigned late = left > 1e8 ? 0 : left > 0 ? (unsigned)left + 1 : 1;
    if (is && interrupted)
        late = 1;
    alarm(is && late ? late + GRACE_SECONDS : 0);
}

static void put_progress(const KernelProgress *p, double now)
{
    Buffer line = {0};
    uint32_t wide = terminal_wide(STDERR_FILENO);
    terminal_progress(&line, p, now, wide > 80 ? 79 : wide - 1);
    fprintf(stderr, "\r%s\033[K", buffer_string(&line));
    buffer_free(&line);
}

/* Shows a progress line a few times a second, only on a terminal, and not for
   runs that take no time. */
static bool show_progress(void *user, const KernelProgress *p)
{
    Screen *s = user;
    if (interrupted)
        return false;
    if (!s->moves || atomic_fetch_add(&s->ticks, 1) % 16 != 15)
        return true;
    double now = seconds();
    long quarter = (long)(now * 4), last = atomic_load(&s->shown);
    if (now - p->begun > 0.5 && quarter != last &&
        atomic_compare_exchange_strong(&s->shown, &last, quarter))
        put_progress(p, now);
    return true;
}

static int exit_status(Status s)
{
    return s == STATUS_OK ? EXIT_DONE
           : s == STATUS_USAGE || s == STATUS_FILE || s == STATUS_IMAGE ||
                   s == STATUS_UNSUPPORTED
               ? EXIT_USAGE
               : EXIT_RUN;
}

/* The model of --verify in another precision. */
typedef struct Precise {
    const RunCommand *r;
    const Translation *text;
    Loaded loaded;
    bool begun;
} Precise;

static bool is_interrupted(void *user)
{
    (void)user;
    return interrupted != 0;
}

/* Only a text can be compiled again, and EXTERNAL functions have only one
   precision. */
static bool make_precise(void *user, uint32_t precision, KernelCode *code)
{
    Precise *p = user;
    Fault f = {0};
    LoadRequest request = {.name = p->r->model,
                           .text = (const char *)p->text->c.v.bytes,
                           .length = p->text->c.v.used,
                           .precision = precision,
                           .backend = p->r->backend,
                           .stop = is_interrupted,
                           .make = p->r->untrusted ? guard_compile : NULL};
    if (p->begun || p->text->c.v.used == 0 || p->r->kernel.external)
        return false;
    p->begun = true;
    if (load_compile(&p->loaded, &request, &f) != STATUS_OK)
        return false;
    *code = (KernelCode){.kernel = kernel_find(precision),
                         .model = p->loaded.model,
                         .newest = load_newest,
                         .newest_user = &p->loaded};
    return true;
}

/* The others of a team are silent, unless one of them has to write after all. */
static void speak(Screen *s, bool writes)
{
    if (s->waits && writes) {
        fputs(buffer_string(&s->messages), stderr);
        fwrite(s->text.v.bytes, 1, s->text.v.used, stdout);
    }
    buffer_free(&s->text);
    buffer_free(&s->messages);
}

static Status experiment(RunCommand *r, const Loaded *l, Screen *screen)
{
    const Kernel *kernel = kernel_find(l->precision);
    KernelOutcome out;
    Buffer json = {0};
    r->kernel.json = r->json ? &json : NULL;
    r->kernel.write = show_text;
    r->kernel.message = show_message;
    r->kernel.traced = r->kernel.trace ? show_trace : NULL;
    r->kernel.progress = show_progress;
    r->kernel.running = watch_runs;
    r->kernel.user = screen;
    if (screen->output && !screen->quiet)
        r->kernel.sketch = terminal_wide(STDOUT_FILENO);
    Status status = kernel->experiment(l->model, &r->kernel, &out);
    clear_line(screen);
    speak(screen, out.written);
    fflush(stdout);
    if (out.elsewhere)
        return status;
    // A message needs memory too, and there may have been none.
    if (status != STATUS_OK && (!out.told || !atomic_load(&screen->said)))
        fprintf(stderr, "cosy: error: %s\n", out.fault.text);
    else if (out.failed && out.runs > 1)
        fprintf(stderr, "cosy: %u of %u runs did not finish\n", out.failed,
                out.runs);
    screen->written = out.written;
    screen->stopped = status == STATUS_STOPPED;
    if (out.written && !screen->quiet)
        printf("Results are in %s/\n", r->kernel.dir);
    if (out.written && r->store)
        status = keep_results(r, screen->quiet, status);
    if (r->json)
        fputs(buffer_string(&json), stdout);
    buffer_free(&json);
    return status;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

/* A program, whatever its name; C and compiled models have names that say so,
   and a compiled one under another name begins as such files do. */
static bool is_text(const char *model)
{
    static const char object[] = {0x7F, 'E', 'L', 'F'};
    char begin[sizeof object];
    struct stat status;
    if (ends_in(model, ".cosy"))
        return true;
    if (ends_in(model, ".c") || ends_in(model, ".so") ||
        stat(model, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *f = fopen(model, "rb");
    size_t n = f ? fread(begin, 1, sizeof begin, f) : 0;
    if (f)
        fclose(f);
    return n > 0 && (n < sizeof begin || memcmp(begin, object, n) != 0);
}

/* How long to wait for a compiler. */
typedef struct Patience {
    double begun; // start of the wait
    double most;  // seconds of --limit-wall, or 0
    const char *why;
} Patience;

static bool is_over(void *patience)
{
    Patience *p = patience;
    if (interrupted)
        p->why = "stopped from outside";
    else if (p->most > 0 && seconds() - p->begun > p->most)
        p->why = "the time of --limit-wall is over";
    return p->why != NULL;
}

/* The experiment gets the rest of --limit-wall. */
static void take_time(RunCommand *r, const Patience *p)
{
    double rest = p->most - (seconds() - p->begun);
    if (p->most > 0)
        r->kernel.limit_wall = rest > 1e-3 ? rest : 1e-3;
}

/* From here on an interrupt ends first the compiler, then the runs. */
static Status compile(RunCommand *r, Loaded *l, Translation *t, Fault *f)
{
    Patience p = {r->begun > 0 ? r->begun : seconds(), r->kernel.limit_wall,
                  NULL};
    Status status;
    r->stop = is_over;
    r->user = &p;
    catch_interrupts();
    status = t ? code_compile(l, r, buffer_string(&t->c), t->c.v.used,
                              t->precision, f)
               : code_load(l, r, f);
    if (status == STATUS_STOPPED) {
        *f = (Fault){0};
        fault_set(f, status,
                  "%s: the C compiler was still running and was stopped; "
                  "nothing was run",
                  p.why);
    }
    take_time(r, &p);
    r->user = NULL;
    return status;
}

/* Inputs other than those that a translation reads. */
static Status note_inputs(const RunCommand *r, const Loaded *l, Provenance *p,
                          Fault *f)
{
    const LoadLibrary *library;
    uint32_t n = load_libraries(l, &library);
    if (!is_text(r->model))
        TRY(provenance_file(p, "model", r->model, r->model, f));
    for (uint32_t k = 0; k < n; k++)
        TRY(provenance_file(p, "external", library[k].name, library[k].path,
                            f));
    if (r->kernel.restore)
        TRY(provenance_file(p, "snapshot", r->kernel.restore, r->kernel.restore,
                            f));
    return STATUS_OK;
}

/* Code for the model; the exit status if there is none. */
static int load_model(RunCommand *r, Loaded *l, Translation *t, Provenance *p)
{
    Fault fault = {0};
    Status status;
    *l = (Loaded){0};
    *t = (Translation){.right = true};
    if (is_text(r->model)) {
        status = translate(r->model, r, t, p, &fault);
        if (status == STATUS_OK && t->right)
            status = compile(r, l, t, &fault);
        r->kernel.text = buffer_string(&t->text);
        r->kernel.length = t->text.v.used;
        r->kernel.remarks = buffer_string(&t->remarks);
        if (r->graph)
            r->kernel.pictures = buffer_string(&t->pictures);
    } else {
        status = settings_without_text(r, &fault);
        if (status == STATUS_OK)
            status = compile(r, l, NULL, &fault);
    }
    if (status == STATUS_OK && t->right)
        status = note_inputs(r, l, p, &fault);
    if (status != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", fault.text);
    return status == STATUS_STOPPED ? EXIT_RUN
           : status != STATUS_OK    ? EXIT_USAGE
           : t->right               ? EXIT_DONE
                                    : EXIT_MODEL;
}

static bool open_trace(const RunCommand *r, Screen *s)
{
    s->trace = r->trace_file ? fopen(r->trace_file, "w") : stderr;
    if (!s->trace)
        fprintf(stderr, "cosy: error: %s: %s\n", r->trace_file,
                strerror(errno));
    return s->trace != NULL;
}

static bool close_trace(const RunCommand *r, Screen *s)
{
    if (s->trace == stderr)
        return true;
    bool bad = ferror(s->trace) != 0;
    if (fclose(s->trace) == 0 && !bad)
        return true;
    fprintf(stderr, "cosy: error: %s cannot be written\n", r->trace_file);
    return false;
}

/* ---- Untrusted models ---------------------------------------------------- */

/* The C compiler, started by the parent of a guarded process. */
typedef struct Maker {
    const RunCommand *r;
    Patience patience;
    GuardLimits limits;
} Maker;

static Status make_object(void *user, const char *text, size_t n,
                          uint32_t precision, int *fd, Fault *f)
{
    Maker *m = user;
    LoadRequest request = {.name = m->r->model,
                           .text = text,
                           .length = n,
                           .precision = precision,
                           .stop = is_over,
                           .user = &m->patience,
                           .memory = m->limits.memory,
                           .file = m->limits.results};
    Status s = load_make(&request, fd, f);
    if (s == STATUS_STOPPED) {
        *f = (Fault){0};
        fault_set(f, s, "%s: the C compiler was still running",
                  m->patience.why);
    }
    return s;
}

static void note_process(void *user, pid_t process)
{
    (void)user;
    guarded = process;
}

/* One of several processes that mpirun or srun has started. */
static void join_team(RunCommand *r, Team *t, Screen *screen)
{
    if (!team_find(t, r))
        return;
    r->kernel.team = &t->team;
    t->team.alone = r->kernel.threads;
    if (r->kernel.threads == 0)
        r->kernel.threads = t->threads;
    screen->waits = t->team.rank > 0;
    screen->moves = screen->moves && !screen->waits;
}

/* The experiment, with --slurm after Slurm has made its runs. */
static int run_here_or_there(RunCommand *r, const Loaded *l, Screen *screen)
{
    Slurm slurm = {.r = r,
                   .provenance = r->kernel.provenance,
                   .kernel = kernel_find(l->precision),
                   .model = l->model,
                   .quiet = screen->quiet,
                   .moves = screen->moves && !screen->quiet,
                   .stop = is_interrupted};
    int status = EXIT_DONE;
    SlurmEnd end = r->slurm.tasks ? slurm_go(&slurm, &status) : SLURM_HERE;
    if (end != SLURM_OVER) {
        Status s = experiment(r, l, screen);
        if (end == SLURM_COLLECT && screen->written && !screen->stopped)
            slurm_settle(&slurm);
        status = exit_status(s);
    }
    slurm_free(&slurm);
    return status;
}

static bool is_allowed(const RunCommand *r, const Team *t)
{
    if (r->slurm.tasks && t->team.ranks > 1)
        fputs("cosy: error: --slurm submits tasks of its own: start it once, "
              "without srun or mpirun\n",
              stderr);
    else if (!r->match || match_study(r->match, r->kernel.provenance))
        return true;
    return false;
}

/* The experiment of a model that has been loaded. */
static int run_loaded(RunCommand *r, Loaded *loaded, Translation *text,
                      const Provenance *p)
{
    Buffer provenance = {0}, stamp = {0};
    Screen screen = {.quiet = r->quiet || r->json,
                     .colour = terminal_colour(STDERR_FILENO),
                     .moves = terminal_moves(STDERR_FILENO),
                     .output = isatty(STDOUT_FILENO) != 0};
    if (r->kernel.limit_wall > 0)
        screen.end = seconds() + r->kernel.limit_wall;
    Team team;
    join_team(r, &team, &screen);
    provenance_write(&provenance, p, r);
    provenance_stamp(&stamp, p, r);
    r->kernel.provenance =
        provenance.broken ? NULL : buffer_string(&provenance);
    r->kernel.stamp = stamp.broken ? NULL : buffer_string(&stamp);
    Precise precise = {.r = r, .text = text};
    r->kernel.precise = make_precise;
    r->kernel.precise_user = &precise;
    Regrid regrid = {.r = r, .text = text, .stop = is_interrupted};
    if (text->regrids) {
        r->kernel.regrid = regrid_make;
        r->kernel.regrid_user = &regrid;
    }
    int status = EXIT_USAGE;
    if (is_allowed(r, &team) && open_trace(r, &screen)) {
        status = run_here_or_there(r, loaded, &screen);
        if (!close_trace(r, &screen) && status == EXIT_DONE)
            status = EXIT_USAGE;
    }
    if (precise.begun)
        load_close(&precise.loaded);
    regrid_free(&regrid);
    if (screen.stopped || interrupted)
        load_drop(loaded);
    load_settle(loaded);
    if (loaded->note[0])
        fprintf(stderr, "cosy: note: %s\n", loaded->note);
    buffer_free(&provenance);
    buffer_free(&stamp);
    team_free(&team);
    return status;
}

/* The work of one command. */
typedef struct Job {
    RunCommand *r;
    Provenance provenance;
} Job;

static int run(void *user)
{
    Job *job = user;
    Loaded loaded;
    Translation text;
    int status = load_model(job->r, &loaded, &text, &job->provenance);
    if (status == EXIT_DONE)
        status = run_loaded(job->r, &loaded, &text, &job->provenance);
    load_close(&loaded);
    translation_free(&text);
    return status;
}

/* The same in a process that can compute and nothing else. */
static int run_guarded(Job *job)
{
    RunCommand *r = job->r;
    Maker m = {.r = r, .limits = guard_usual};
    Fault f = {0};
    int status = EXIT_RUN;
    if (r->kernel.limit_wall > 0)
        m.limits.wall = r->kernel.limit_wall;
    if (r->limit_cpu > 0)
        m.limits.cpu = r->limit_cpu;
    if (r->limit_memory > 0)
        m.limits.memory = r->limit_memory;
    r->begun = seconds();
    r->kernel.limit_wall = m.limits.wall;
    r->kernel.no_programs = true;
    r->kernel.keeper = &guard_keeper;
    m.patience = (Patience){r->begun, m.limits.wall, NULL};
    GuardPlan g = {.model = r->model,
                   .limits = m.limits,
                   .results = r->kernel.dir,
                   .own = kernel_find(1)->owns,
                   .compile = make_object,
                   .started = note_process,
                   .user = &m};
    catch_interrupts();
    Status s = guard_run(&g, run, job, &status, &f);
    if (s == STATUS_OK)
        return status;
    fprintf(stderr, "cosy: error: %s\n", f.text);
    return exit_status(s);
}

static int run_as_told(RunCommand *r)
{
    Job job = {.r = r};
    char dir[4096];
    Fault f = {0};
    int status;
    options_default_dir(r->model, dir, sizeof dir);
    r->kernel.dir = r->dir ? r->dir : dir;
    if (r->store && store_look(r->store, &f) != STATUS_OK) {
        fprintf(stderr, "cosy: error: %s; nothing was run\n", f.text);
        return EXIT_USAGE;
    }
    provenance_begin(&job.provenance);
    if (r->untrusted) {
        status = run_guarded(&job);
    } else if (r->limit_memory && guard_memory(r->limit_memory, &f)) {
        fprintf(stderr, "cosy: error: %s\n", f.text);
        status = EXIT_USAGE;
    } else {
        status = run(&job);
    }
    provenance_free(&job.provenance);
    return status;
}

int command_run(int argc, char **argv)
{
    RunCommand r;
    int status = options_run(&r, argc, argv) ? run_as_told(&r) : EXIT_USAGE;
    options_free(&r);
    return status;
}
