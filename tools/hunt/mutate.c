#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/algebra.h"
#include "emit/emit.h"
#include "hunt/hunt.h"
#include "hunt/mutation.h"
#include "hunt/program.h"
#include "lower/lower.h"

/* Runs mutants of all programs of the tree through the whole of `cosy run`,
   each in a process and a folder of its own. Whatever a program contains, this
   must hold:

     - no signal, no report of a sanitizer; in a build with sanitizers the
       generated C of one trial in four has them too
     - it ends within --limit-wall and two seconds of processor time
     - the exit status is 0, 1, 2 or 3; 1 and 2 come with a place in the model,
       3 with a message
     - nothing that only COSY's authors understand is shown: messages of the C
       compiler, of SUNDIALS, of libtcc, internal errors of the compiler
     - exit status 0 leaves no NaN in the final values without a message
     - no file is left over

   Most mutants are only translated, in a forked process, which takes a tenth of
   the time; one in a few is run, and so is each one whose translation did not
   end properly.

   A trial follows from the seed and its number alone: --only NUMBER repeats it.
   With --seconds, findings are made smaller as well. */

#define LONGEST    6000 // most bytes of a program that is changed
#define TRIES      30   // mutants that the front end refuses, before one is run
#define TRANSLATED 8    // only translated, for each one that is run
#define HUNG       240  // seconds of real time, on a machine that may be busy
#define SAME_MOST  2    // programs that are kept for the same finding
#define SMALLER    250  // runs spent on making a program smaller

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#define CPU_MOST  9   // seconds: a sanitizer takes its share
#define RECORDED  2e6 // bytes in a second: a run may have a million rows
#define SELECTION 40  // trials of the fixed selection
#else
#define SANITIZED false
#define CPU_MOST  4
#define RECORDED  1e7
#define SELECTION 300
#endif

typedef struct Signature { // identifies a finding
    char *text;
    unsigned times;
} Signature;

typedef struct Mutating {
    Hunt *h;
    const Program *programs;
    char cc[HUNT_PATH]; // the compiler with sanitizers
    Vector found;       // Signature
    unsigned long refused, translated, exits[4];
} Mutating;

typedef struct Trial {
    const char *word[HUNT_WORDS];
    int n;
    bool checked_c; // the generated C has sanitizers
    bool accepted;  // accepted by the front end
} Trial;

/* ---- A trial -------------------------------------------------------------------- */

static void trial_add(Trial *t, const char *word)
{
    if (t->n < HUNT_WORDS - 1)
        t->word[t->n++] = word;
}

/* tcc is quick, but knows neither sanitizers nor PRECISION QUAD. */
static void trial_options(Trial *t, Dice *d, const char *text)
{
    static const char *const method[] = {
#define METHOD_CHOICE(name, what) #name,
#define METHOD(name, ...)         #name,
#include "base/methods.def"
#undef METHOD
#undef METHOD_CHOICE
    };
    static const char *const other[][2] = {
        {"--relerr", "1e-10"}, {"--relerr", "0.01"}, {"--step", "0.01"},
        {"--seed", "7"},       {"--abserr", "1e-3"}, {"--limit-events", "9"}};
    t->checked_c = SANITIZED && dice_below(d, 4) == 0;
    bool cc = t->checked_c || strstr(text, "QUAD") || strstr(text, "quad");
    t->n = 0;
    trial_add(t, "run");
    trial_add(t, "model.cosy");
    trial_add(t, "--limit-wall");
    trial_add(t, t->checked_c ? "5" : "1"); // its C takes a while to compile
    trial_add(t, "--quiet");
    trial_add(t, cc ? "--backend=cc" : "--backend=tcc");
    trial_add(t, "--threads");
    trial_add(t, dice_below(d, 2) ? "1" : "2");
    if (dice_below(d, 4) == 0) {
        trial_add(t, "--method");
        trial_add(t, method[dice_below(d, LENGTH(method))]);
    }
    if (dice_below(d, 8) == 0) {
        size_t k = dice_below(d, LENGTH(other));
        trial_add(t, other[k][0]);
        trial_add(t, other[k][1]);
    }
}

/* True if the front end accepts the text. */
static bool is_accepted(Buffer *text)
{
    Arena arena = {0};
    Program p = {.name = "model.cosy", .text = buffer_string(text)};
    program_read(&p, &arena);
    arena_free(&arena);
    return p.right;
}

/* Translates the text to C; returns the exit status of the process that does
   it: 0 done, 1 refused with a message, 2 otherwise. */
static int translate(Buffer *text)
{
    Arena arena = {0};
    Program p = {.name = "model.cosy", .text = buffer_string(text)};
    LowerOptions o = {0};
    Buffer c = {0}, told = {0};
    program_read(&p, &arena);
    Model *m = p.right ? lower(&p.unit, &o) : NULL;
    bool done = m && algebra(m, ALGEBRA_DERIVE) && emit_model(m, &c);
    diags_print(&p.diags, &told, false);
    bool wrong = strstr(buffer_string(&told), "contradicts itself") ||
                 (!done && p.diags.errors == 0);
    buffer_free(&c);
    buffer_free(&told);
    arena_free(&arena);
    return wrong ? 2 : !done;
}

/* True if the translation of the text ends properly: the process neither dies
   nor takes long. */
static bool is_translated(Buffer *text)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        _exit(translate(text));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        ;
    return child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) < 2);
}

/* A mutant of the program; mostly one that the front end accepts. */
static bool make_mutant(Mutating *g, const Program *from, Dice *d, Buffer *text)
{
    for (int tries = 0; tries < TRIES; tries++) {
        buffer_free(text);
        *text = (Buffer){0};
        buffer_text(text, from->text);
        for (size_t k = 1 + dice_below(d, 4); k > 0; k--)
            mutation_apply(text, d);
        if (is_accepted(text))
            return true;
        g->refused++;
    }
    return false;
}

/* Runs cosy on the text in a new folder, which is kept. */
static bool run_once(Mutating *g, Arena *a, const Trial *t, Buffer *text,
                     const char *folder, HuntRun *r)
{
    char path[HUNT_PATH];
    snprintf(path, sizeof path, "%.900s/tmp", folder);
    mkdir(path, 0700);
    setenv("TMPDIR", path, 1);
    setenv("CC", t->checked_c ? g->cc : "cc", 1);
    return hunt_write(folder, "model.cosy", buffer_string(text)) &&
           hunt_run(g->h, a, folder, "mutant", t->word, HUNG, r);
}

/* ---- Verdict -------------------------------------------------------------------- */

/* Copies one line to the verdict without numbers and quoted parts, so that the
   same fault in two programs reads the same. */
static void copy_plain(Buffer *out, const char *line)
{
    for (const char *s = line; *s && *s != '\n'; s++) {
        if (isdigit((unsigned char)*s) && s > line &&
            isdigit((unsigned char)s[-1]))
            continue;
        buffer_char(out, isdigit((unsigned char)*s) ? '0' : *s);
    }
}

static const char *line_start(const char *text, const char *at)
{
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

/* The line that contains one of the words. */
static const char *line_with(const char *text, const char *const *word,
                             size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *at = strstr(text, word[k]);
        if (at)
            return line_start(text, at);
    }
    return NULL;
}

/* The function of COSY that a report names first. */
static void copy_frame(Buffer *out, const char *told)
{
    for (const char *s = strstr(told, " in "); s; s = strstr(s + 1, " in ")) {
        const char *end = s + 4 + strcspn(s + 4, "\n");
        const char *src = strstr(s, "src/");
        const char *model = strstr(s, ".cosy:");
        if ((src && src < end) || (model && model < end)) {
            buffer_bytes(out, s + 4, strcspn(s + 4, " \n"));
            return;
        }
    }
}

static bool verdict_sanitizer(const char *told, Buffer *why)
{
    static const char *const word[] = {
        "SUMMARY: AddressSanitizer", "SUMMARY: LeakSanitizer",
        "runtime error: ",           "Assertion `",
        "ERROR: AddressSanitizer",   "LeakSanitizer:"};
    const char *line = line_with(told, word, LENGTH(word));
    if (!line)
        return false;
    buffer_text(why, "sanitizer: ");
    copy_frame(why, told);
    buffer_text(why, " ");
    copy_plain(why, line);
    return true;
}

static bool verdict_foreign(const char *told, Buffer *why)
{
    static const char *const word[] = {"contradicts itself",
                                       "cannot happen",
                                       "nternal error",
                                       "but made no model",
                                       "tcc:",
                                       "libtcc",
                                       "[ERROR]",
                                       "[WARNING]",
                                       "SUNDIALS",
                                       "CVODE",
                                       "CVode",
                                       "IDASolve",
                                       "mxstep",
                                       "tstop",
                                       "At t =",
                                       "dlopen",
                                       "undefined symbol",
                                       "(null)",
                                       "double free",
                                       "cosy emit shows"};
    const char *line = line_with(told, word, LENGTH(word));
    if (!line)
        return false;
    buffer_text(why, "foreign text: ");
    copy_plain(why, line);
    return true;
}

/* `model.cosy:7`, or `line 7` in a list of waiting transactions. */
static bool has_place(const char *told)
{
    static const char *const before[] = {"model.cosy:", "(line "};
    for (size_t k = 0; k < LENGTH(before); k++)
        for (const char *s = strstr(told, before[k]); s;
             s = strstr(s + 1, before[k]))
            if (isdigit((unsigned char)s[strlen(before[k])]))
                return true;
    return false;
}

/* Statements about a whole program or a whole run have no place. */
static bool needs_place(const HuntRun *r)
{
    static const char *const whole[] = {"--limit", "stopped"};
    for (size_t k = 0; k < LENGTH(whole); k++)
        if (strstr(r->errors, whole[k]))
            return false;
    return r->exit == 1 || r->exit == 2;
}

/* Bytes of what the first run recorded: writing them is not part of the run that
   --limit-wall limits. */
static double recorded(const HuntRun *r)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/run-0001.csv", r->results);
    return stat(path, &about) == 0 ? (double)about.st_size : 0.0;
}

static bool verdict_status(const HuntRun *r, Buffer *why)
{
    if (r->late)
        buffer_text(why, "hangs");
    else if (r->cpu > CPU_MOST + recorded(r) / RECORDED)
        buffer_format(why, "beyond --limit-wall");
    else if (r->exit > 3)
        buffer_format(why, "exit status %d", r->exit);
    else if (r->exit == 3 && !strstr(r->errors, "error: "))
        buffer_text(why, "exit status 3 without a message");
    else if (needs_place(r) && !has_place(r->errors))
        buffer_format(why, "exit status %d without a place: ", r->exit);
    else
        return false;
    copy_plain(why, r->errors);
    return true;
}

/* In `final` of summary.json a NaN is null; so is an infinity, which a program
   that names INF may end with. */
static bool verdict_numbers(Arena *a, const char *folder, const HuntRun *r,
                            Buffer *why)
{
    char path[HUNT_PATH];
    snprintf(path, sizeof path, "%.900s/model.cosy", folder);
    const char *text = hunt_read(a, path);
    if (text && strstr(text, "INF"))
        return false;
    snprintf(path, sizeof path, "%.900s/summary.json", r->results);
    const char *at = hunt_read(a, path);
    while (at && (at = strstr(at, "\"final\"")) != NULL) {
        const char *end = strchr(at, '}');
        const char *nan = strstr(at, ": null");
        if (end && nan && nan < end && !has_place(r->errors)) {
            buffer_text(why, "NaN in final, exit status 0, not a word");
            return true;
        }
        at++;
    }
    return false;
}

static bool may_stay(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           strcmp(name, "model.cosy") == 0 || strcmp(name, "tmp") == 0 ||
           strncmp(name, "mutant.", 7) == 0;
}

/* Finds files that must not be left in a folder. */
static bool verdict_folder(const char *path, Buffer *why)
{
    DIR *dir = opendir(path);
    struct dirent *e;
    while (dir && !why->v.used && (e = readdir(dir)) != NULL)
        if (!may_stay(e->d_name) || strstr(e->d_name, ".tmp")) {
            buffer_text(why, "a file is left over: ");
            copy_plain(why, e->d_name);
        }
    if (dir)
        closedir(dir);
    return why->v.used > 0;
}

/* What is wrong with the outcome; empty if nothing is wrong. */
static void verdict(Arena *a, const char *folder, const HuntRun *r, Buffer *why)
{
    char path[HUNT_PATH];
    snprintf(path, sizeof path, "%.900s/tmp", folder);
    if (verdict_sanitizer(r->errors, why) || verdict_foreign(r->errors, why) ||
        verdict_status(r, why) ||
        (r->exit == 0 && verdict_numbers(a, folder, r, why)) ||
        verdict_folder(folder, why))
        return;
    verdict_folder(path, why);
}

/* ---- Making it smaller ------------------------------------------------------------- */

/* True if the text shows the same finding; the folder is reused. */
static bool is_same(Mutating *g, const Trial *t, const char *folder,
                    Buffer *text, const char *wanted, int *runs)
{
    Arena arena = {0};
    HuntRun r;
    Buffer why = {0};
    bool same = false;
    if ((!t->accepted || is_accepted(text)) &&
        run_once(g, &arena, t, text, folder, &r)) {
        ++*runs;
        verdict(&arena, folder, &r, &why);
        same = strcmp(buffer_string(&why), wanted) == 0;
    }
    buffer_free(&why);
    arena_free(&arena);
    return same;
}

/* Leaves out tokens, first many at once and then few, as long as the finding
   stays the same. */
static void make_smaller(Mutating *g, const Trial *t, const char *folder,
                         Buffer *text, const char *wanted)
{
    int runs = 0;
    for (size_t chunk = mutation_tokens(text) / 2; chunk > 0; chunk /= 2)
        for (size_t at = 0; at < mutation_tokens(text) && runs < SMALLER &&
                            hunt_left(g->h) > 0;) {
            Buffer less = {0};
            bool same = mutation_cut(text, at, chunk, &less) &&
                        is_same(g, t, folder, &less, wanted, &runs);
            if (same) {
                buffer_free(text);
                *text = less;
                continue;
            }
            buffer_free(&less);
            at += chunk;
        }
}

/* ---- The hunt ---------------------------------------------------------------------- */

/* How often this was found before. */
static unsigned count_before(Mutating *g, const char *why)
{
    Signature *s = (Signature *)(void *)g->found.bytes;
    for (size_t k = 0; k < g->found.used / sizeof *s; k++)
        if (strcmp(s[k].text, why) == 0)
            return s[k].times++;
    Signature one = {strdup(why), 1};
    vector_append(&g->found, &one, sizeof one);
    return 0;
}

static void report(Mutating *g, uint64_t number, const Program *from,
                   const Trial *t, const char *folder, Buffer *text,
                   const char *why)
{
    char name[HUNT_PATH], again[HUNT_PATH];
    int runs = 0;
    snprintf(name, sizeof name, "trial %llu, from %.700s%s",
             (unsigned long long)number, from->name,
             t->checked_c ? ", with sanitizers in its C" : "");
    if (count_before(g, why) >= SAME_MOST) {
        hunt_skip(g->h, name, why);
        return;
    }
    if (g->h->seconds > 0) {
        make_smaller(g, t, folder, text, why);
        is_same(g, t, folder, text, why, &runs);
    }
    snprintf(again, sizeof again,
             "%.300s %.300s %.300s --seed %llu --only %llu mutate", g->h->self,
             g->h->cosy, g->h->source, (unsigned long long)g->h->seed,
             (unsigned long long)number);
    hunt_wrong(g->h, name, folder, again, "%s", why);
}

/* The program of a trial. All are equally likely, and a program that is added
   to the tree changes the choice of few trials. */
static const Program *choose_program(const Mutating *g, uint64_t number)
{
    const Program *best = NULL;
    uint64_t most = 0;
    for (const Program *p = g->programs; p; p = p->next) {
        Dice d = dice_new(g->h->seed, number);
        for (const char *s = p->name; *s; s++)
            d.state = (d.state ^ (unsigned char)*s) * 0x100000001B3u;
        d = dice_new(d.state, 0);
        uint64_t own = dice_next(&d);
        if (strlen(p->text) > LONGEST || (best && own <= most))
            continue;
        best = p;
        most = own;
    }
    return best;
}

static void try_one(Mutating *g, uint64_t number)
{
    Arena arena = {0};
    Dice d = dice_new(g->h->seed, number);
    const Program *from = choose_program(g, number);
    const char *folder = hunt_folder(g->h, &arena);
    Buffer text = {0}, why = {0};
    Trial t = {0};
    HuntRun r;
    if (!from || !folder)
        return;
    for (int k = 0; k < TRANSLATED; k++, g->translated++) {
        t.accepted = make_mutant(g, from, &d, &text);
        if (!is_translated(&text))
            break;
    }
    trial_options(&t, &d, buffer_string(&text));
    if (run_once(g, &arena, &t, &text, folder, &r)) {
        verdict(&arena, folder, &r, &why);
        if (r.exit < 4)
            g->exits[r.exit]++;
        if (why.v.used)
            report(g, number, from, &t, folder, &text, buffer_string(&why));
        else
            hunt_tried(g->h, from->name);
    }
    hunt_remove(folder);
    buffer_free(&why);
    buffer_free(&text);
    arena_free(&arena);
}

/* A compiler that adds its sanitizers after all other options. */
static void write_compiler(Mutating *g)
{
    static const char script[] =
        "#!/bin/sh\n"
        "exec cc \"$@\" -O1 -g -fno-omit-frame-pointer "
        "-fsanitize=address,undefined,float-cast-overflow "
        "-fno-sanitize-recover=all\n";
    hunt_write(g->h->work, "cc", script);
    snprintf(g->cc, sizeof g->cc, "%.900s/cc", g->h->work);
    chmod(g->cc, 0700);
}

static void set_environment(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("ASAN_OPTIONS",
           "allocator_may_return_null=1:max_allocation_size_mb=3000:"
           "detect_stack_use_after_return=1",
           1);
    setenv("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1", 1);
}

void hunt_mutate(Hunt *h)
{
    Arena arena = {0};
    Mutating g = {.h = h};
    g.programs = programs_find(&arena, h->source, h->from);
    write_compiler(&g);
    set_environment();
    if (h->only)
        try_one(&g, strtoull(h->only, NULL, 10));
    for (uint64_t k = 0;
         !h->only && (h->seconds > 0 ? hunt_left(h) > 0 : k < SELECTION); k++)
        try_one(&g, k);
    printf("mutate: %lu translated, %lu refused at once; exit status 0 %lu, 1 "
           "%lu, 2 %lu, 3 %lu\n",
           g.translated, g.refused, g.exits[0], g.exits[1], g.exits[2],
           g.exits[3]);
    Signature *s = (Signature *)(void *)g.found.bytes;
    for (size_t k = 0; k < g.found.used / sizeof *s; k++) {
        printf("mutate: %u times: %s\n", s[k].times, s[k].text);
        free(s[k].text);
    }
    vector_free(&g.found);
    arena_free(&arena);
}
