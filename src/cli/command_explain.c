#include "cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/tree.h"
#include "cli/decompose.h"
#include "cli/front.h"
#include "cli/solved.h"
#include "cli/translate.h"
#include "report/words.h"

/* cosy explain RESULTS: what happened in the runs, in words; cosy explain MODEL.cosy:
   what was done with its equations, and the events that its processes become. Sentences are
   gathered as lines (report/words.h), and printed in paragraphs that fit. */

enum { RUNS_TOLD = 5, PARAMETERS_TOLD = 8, MEANS_TOLD = 12, WIDTH = 79 };

static const char *plural(double n)
{
    return n == 1.0 ? "" : "s";
}

/* ---- Paragraphs ------------------------------------------------------------- */

/* Prints `length` bytes of text, broken between words where possible. */
static void print_part(const char *text, size_t length, int indent)
{
    const char *end = text + length;
    size_t at = 0;
    while (text < end) {
        size_t n = 0;
        while (text + n < end && text[n] != ' ')
            n++;
        if (at > 0 && at + 1 + n > WIDTH) {
            puts("");
            at = 0;
        }
        if (at == 0)
            at = (size_t)printf("%*s%.*s", indent, "", (int)n, text);
        else
            at += (size_t)printf(" %.*s", (int)n, text);
        text += n;
        while (text < end && *text == ' ')
            text++;
    }
    if (at)
        puts("");
}

/* Prints the lines of a buffer and empties it. */
static void print_lines(Buffer *b)
{
    const char *text = buffer_string(b);
    while (*text) {
        size_t n = strcspn(text, "\n");
        size_t item = strncmp(text, "- ", 2) == 0 ? 2 : 0;
        print_part(text + item, n - item, item ? 4 : 2);
        text += n + (text[n] == '\n');
    }
    b->v.used = 0;
}

/* ---- The parts of a run ------------------------------------------------------ */

static void tell_end(const Tree *run, const Tree *units)
{
    const char *status = tree_text(run, "status");
    const char *unit = words_unit(units, "TIME");
    printf("Run %.0f went from %.6g to %.6g%s%s", tree_number(run, "run"),
           tree_number(run, "t_begin"), tree_number(run, "t_end"),
           unit[0] ? " " : "", unit);
    if (strcmp(status, "finished") == 0)
        puts(", to its end.");
    else
        printf(", where it %s.\n",
               strcmp(status, "failed") == 0 ? "failed" : "was stopped");
}

static void tell_point(const Tree *run, const Tree *units)
{
    const char *unit = words_unit(units, "TIME");
    printf("Run %.0f, %s, looked at the model at TIME = %.6g%s%s.\n",
           tree_number(run, "run"), tree_text(run, "method"),
           tree_number(run, "t_end"), unit[0] ? " " : "", unit);
}

static void put_message(Buffer *b, const Tree *run)
{
    const char *message = tree_text(run, "message");
    if (message[0])
        buffer_format(b, "%s\n", message);
}

static void put_parameters(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *p = tree_get(run, "parameters");
    uint32_t told = 0;
    if (!p || !p->first)
        return;
    buffer_text(b, "With");
    for (const Tree *k = p->first; k && told < PARAMETERS_TOLD;
         k = k->next, told++) {
        buffer_format(b, "%s %s = %.6g", told ? "," : "", k->name, k->number);
        words_put_unit(b, units, k->name);
    }
    if (p->count > told)
        buffer_format(b, " and %u more", p->count - told);
    buffer_text(b, ".\n");
}

static void put_rejected(Buffer *b, double rejected, double steps)
{
    if (!(rejected > 0.0))
        return;
    buffer_format(
        b, "%.0f further step%s (%.0f %%) had to be repeated%s.\n", rejected,
        plural(rejected), 100.0 * rejected / (steps + rejected),
        rejected > 0.3 * steps
            ? ": that is a lot; something changes suddenly within steps"
            : "");
}

static void put_method(Buffer *b, const Tree *run)
{
    const char *method = tree_text(run, "method");
    const char *choice = tree_text(run, "choice");
    const Tree *counts = tree_get(run, "counts");
    double steps = tree_number(counts, "steps");
    double jacobians = tree_number(counts, "jacobians");
    double span = tree_number(run, "t_end") - tree_number(run, "t_begin");
    if (!method[0] || !(steps > 0.0)) {
        buffer_text(b, "Nothing had to be integrated.\n");
        return;
    }
    buffer_format(b,
                  "%s made %.0f step%s, %.3g long on average; the equations "
                  "were evaluated %.0f times",
                  method, steps, plural(steps), fabs(span) / steps,
                  tree_number(counts, "rhs"));
    if (jacobians > 0.0)
        buffer_format(b, ", their Jacobian %s", jacobians == 1.0 ? "once" : "");
    if (jacobians > 1.0)
        buffer_format(b, "%.0f times", jacobians);
    buffer_text(b, ".\n");
    if (choice[0])
        buffer_format(b, "%s\n", choice);
    put_rejected(b, tree_number(counts, "rejected"), steps);
}

static void put_events(Buffer *b, const Tree *run)
{
    static const struct {
        const char *key, *one, *several;
    } kinds[] = {
        {"state_events", "state event", "state events"},
        {"time_events", "time event", "time events"},
        {"process_events", "move of a transaction", "moves of transactions"},
        {"hidden_events", "change of branch inside equations",
         "changes of branch inside equations"}};
    const Tree *counts = tree_get(run, "counts");
    bool any = false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double n = tree_number(counts, kinds[k].key);
        if (!(n > 0.0))
            continue;
        buffer_format(b, "%s%.0f %s", any ? ", " : "Events: ", n,
                      n == 1.0 ? kinds[k].one : kinds[k].several);
        any = true;
    }
    buffer_text(b, any ? ".\n" : "There were no events.\n");
}

static void tell_run(const Tree *run, const Tree *units)
{
    Buffer b = {0};
    bool point = words_is_point(run);
    if (point)
        tell_point(run, units);
    else
        tell_end(run, units);
    put_message(&b, run);
    put_parameters(&b, run, units);
    if (!point) {
        put_method(&b, run);
        put_events(&b, run);
    }
    words_point(&b, run);
    words_grid(&b, run, units);
    words_sliding(&b, run, units);
    words_ranges(&b, run, units);
    words_features(&b, run, units);
    print_lines(&b);
    buffer_free(&b);
}

/* ---- All runs ---------------------------------------------------------------- */

/* "WAITED: 3.94 (95 % interval 3.66 to 4.22)" */
static void put_mean(Buffer *b, const char *name, const Tree *q)
{
    const Tree *ci = tree_get(q, "ci95");
    const Tree *p = tree_get(q, "parameters");
    buffer_text(b, name);
    for (const Tree *k = p ? p->first : NULL; k; k = k->next)
        buffer_format(b, "%s %s = %.6g", k == p->first ? " with" : ",", k->name,
                      k->number);
    buffer_format(b, ": %.6g", tree_number(q, "mean"));
    if (ci && ci->count == 2 && isfinite(ci->first->number))
        buffer_format(b, " (95 %% interval %.6g to %.6g)", ci->first->number,
                      ci->first->next->number);
    buffer_char(b, '\n');
}

static void tell_replications(const Tree *t)
{
    const Tree *all = tree_get(t, "replications");
    Buffer b = {0};
    uint32_t told = 0, rows = 0;
    for (const Tree *q = all ? all->first : NULL; q; q = q->next) {
        bool list = q->kind == TREE_LIST;
        for (const Tree *e = list ? q->first : q; e; e = list ? e->next : NULL)
            if (rows++ < MEANS_TOLD) {
                put_mean(&b, q->name, e);
                told++;
            }
    }
    if (rows > told)
        buffer_format(&b, "and %u more\n", rows - told);
    if (rows)
        puts("\nMeans over the replications:");
    print_lines(&b);
    buffer_free(&b);
}

/* What all runs and FITs say about the data behind the model. */
static void tell_richer(const Tree *t)
{
    Buffer lines = {0}, b = {0};
    const Tree *runs = tree_get(t, "runs");
    words_unsupported_fits(&lines, tree_get(t, "optimum"));
    for (const Tree *k = runs->first; k; k = k->next)
        words_unsupported_run(&lines, k);
    words_richer(&b, &lines);
    if (b.v.used)
        puts("");
    print_lines(&b);
    buffer_free(&lines);
    buffer_free(&b);
}

static void tell(const Tree *t)
{
    const Tree *runs = tree_get(t, "runs");
    uint32_t told = 0, other = 0;
    printf("%s, run by cosy %s: %u run%s\n", tree_text(t, "program"),
           tree_text(t, "cosy"), runs->count, plural(runs->count));
    if (runs->count == 0)
        puts("\nNothing was simulated: the EXPERIMENT has no SIMULATE, or it "
             "was not reached.");
    for (const Tree *k = runs->first; k; k = k->next) {
        bool good = strcmp(tree_text(k, "status"), "finished") == 0;
        if (told >= RUNS_TOLD && (good || told >= 2 * RUNS_TOLD)) {
            other++;
            continue;
        }
        puts("");
        tell_run(k, tree_get(t, "units"));
        told++;
    }
    if (other)
        printf("\n%u further run%s: summary.json has all of them.\n", other,
               plural(other));
    tell_replications(t);
    tell_richer(t);
}

/* ---- The command ------------------------------------------------------------ */

static int wrong(const char *path, const char *what)
{
    fprintf(stderr, "cosy: error: %s: %s\n", path, what);
    return EXIT_USAGE;
}

/* The whole file, followed by a NUL; NULL if it cannot be read. */
static const char *read_whole(Arena *a, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = NEW_ARRAY(a, char, (size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
        text = NULL;
    fclose(file);
    *length = size > 0 ? (size_t)size : 0;
    return text;
}

/* Says what a text that is not a summary probably is. */
static const char *suspect(const char *text, size_t length)
{
    while (length && strchr(" \n\r\t", text[length - 1]))
        length--;
    if (length == 0)
        return "this file is empty: the run that wrote it was interrupted, or "
               "the disk was full; run the model again";
    if (text[0] == '{' && text[length - 1] != '}')
        return "this file ends in the middle: it was cut off when it was "
               "written or copied; run the model again";
    return "this is not a summary.json of cosy run";
}

static int explain(Arena *a, const char *path)
{
    char file[4096];
    struct stat about;
    size_t length = 0;
    bool there = stat(path, &about) == 0;
    bool is_dir = there && S_ISDIR(about.st_mode);
    if (!there)
        return wrong(path, "there are no results of cosy run here; cosy run "
                           "MODEL -o DIRECTORY makes some");
    int n = snprintf(file, sizeof file, "%s%s", path,
                     is_dir ? "/summary.json" : "");
    if (n < 0 || (size_t)n >= sizeof file)
        return wrong(path, "this name is too long");
    const char *text = read_whole(a, file, &length);
    if (!text)
        return wrong(path, is_dir ? "there are no results of cosy run here: "
                                    "the directory has no summary.json that "
                                    "can be read"
                                  : "this file cannot be read");
    const Tree *t = tree_read(a, text);
    const Tree *runs = tree_get(t, "runs");
    if (!runs || runs->kind != TREE_LIST)
        return wrong(file, suspect(text, length));
    tell(t);
    return EXIT_DONE;
}

/* ---- A model ---------------------------------------------------------------- */

static bool is_model(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".cosy") == 0;
}

static int explain_model(Arena *a, const char *path)
{
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    bool right = false;
    Buffer b = {0};
    const LowerOptions o = {.set = NULL};
    if (front_read(&unit, a, &diags, path, PASS_CHECK, &right, &fault)) {
        fprintf(stderr, "cosy: error: %s\n", fault.text);
        return EXIT_USAGE;
    }
    const Model *m = right ? front_model(&unit, &o, PASS_DERIVE) : NULL;
    if (!m || diags.errors) {
        show_diags(&diags, path);
        return EXIT_MODEL;
    }
    solved_tell(&b, m);
    decompose_processes(&b, m);
    if (b.v.used == 0)
        buffer_text(&b, "There are neither equations nor a DISCRETE PROCESS "
                        "here.\n");
    print_lines(&b);
    buffer_free(&b);
    return EXIT_DONE;
}

int command_explain(int argc, char **argv)
{
    Arena arena = {0};
    if (argc != 2 || argv[1][0] == '-') {
        fputs("cosy: error: use cosy explain RESULTS, with the directory that "
              "cosy run has written, or cosy explain MODEL.cosy\n",
              stderr);
        return EXIT_USAGE;
    }
    int status = is_model(argv[1]) ? explain_model(&arena, argv[1])
                                   : explain(&arena, argv[1]);
    arena_free(&arena);
    return status;
}
