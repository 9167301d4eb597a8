#include "cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/tree.h"

/* cosy explain RESULTS: what happened in the runs, in words. */

enum { RUNS_TOLD = 5, UNSTABLE_TOLD = 4, CRITICAL_TOLD = 5, SLIDES_TOLD = 5 };

static const char *plural(double n)
{
    return n == 1.0 ? "" : "s";
}

/* ---- The parts of a run ---------------------------------------------------- */

static void tell_end(const Tree *run)
{
    const char *status = tree_text(run, "status");
    const char *message = tree_text(run, "message");
    printf("Run %.0f went from %.6g to %.6g", tree_number(run, "run"),
           tree_number(run, "t_begin"), tree_number(run, "t_end"));
    if (strcmp(status, "finished") == 0)
        puts(", to its end.");
    else
        printf(", where it %s.\n",
               strcmp(status, "failed") == 0 ? "failed" : "was stopped");
    if (message[0])
        printf("  %s\n", message);
}

static void tell_parameters(const Tree *run)
{
    const Tree *p = tree_get(run, "parameters");
    if (!p || !p->first)
        return;
    printf("  With");
    for (const Tree *k = p->first; k; k = k->next)
        printf(" %s = %.6g%s", k->name, k->number, k->next ? "," : ".\n");
}

/* A text in lines of the width of the others. */
static void tell_wrapped(const char *text)
{
    size_t at = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > 0 && at + 1 + n > 78) {
            puts("");
            at = 0;
        }
        printf("%s%.*s", at ? " " : "  ", (int)n, text);
        at += n + (at ? 1u : 2u);
        text += n + strspn(text + n, " ");
    }
    if (at)
        puts("");
}

static void tell_method(const Tree *run)
{
    const char *method = tree_text(run, "method");
    const Tree *counts = tree_get(run, "counts");
    double steps = tree_number(counts, "steps");
    double rejected = tree_number(counts, "rejected");
    double span = tree_number(run, "t_end") - tree_number(run, "t_begin");
    if (!method[0] || !(steps > 0.0)) {
        puts("  Nothing had to be integrated.");
        return;
    }
    printf("  %s made %.0f step%s, %.3g long on average; the equations were\n"
           "  evaluated %.0f times",
           method, steps, plural(steps), fabs(span) / steps,
           tree_number(counts, "rhs"));
    if (tree_number(counts, "jacobians") > 0.0)
        printf(", their Jacobian %.0f times", tree_number(counts, "jacobians"));
    printf(".\n");
    tell_wrapped(tree_text(run, "choice"));
    if (rejected > 0.0)
        printf("  %.0f further step%s (%.0f %%) had to be made anew%s\n",
               rejected, plural(rejected),
               100.0 * rejected / (steps + rejected),
               rejected > 0.3 * steps
                   ? ": that is a lot, something\n  sudden happens inside of "
                     "steps."
                   : ".");
}

static void tell_events(const Tree *run)
{
    static const struct {
        const char *key, *words;
    } kinds[] = {{"state_events", "state event"},
                 {"time_events", "time event"},
                 {"process_events", "move of transactions"},
                 {"hidden_events", "change of branch inside of equations"}};
    const Tree *counts = tree_get(run, "counts");
    bool any = false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double n = tree_number(counts, kinds[k].key);
        if (!(n > 0.0))
            continue;
        printf("%s%.0f %s%s", any ? ",\n    " : "  Events: ", n, kinds[k].words,
               k < 2 ? plural(n) : "");
        any = true;
    }
    puts(any ? "." : "  There were no events.");
}

static void tell_sliding(const Tree *run)
{
    const Tree *list = tree_get(run, "sliding");
    uint32_t told = 0;
    for (const Tree *k = list ? list->first : NULL; k; k = k->next) {
        if (told++ == SLIDES_TOLD) {
            printf("  ... and %u more.\n",
                   (unsigned)(list->count - SLIDES_TOLD));
            return;
        }
        printf("  It %s %s from %.6g",
               strcmp(tree_text(k, "kind"), "rest") ? "slid along"
                                                    : "rested at",
               tree_text(k, "on"), tree_number(k, "from"));
        if (isfinite(tree_number(k, "to")))
            printf(" to %.6g.\n", tree_number(k, "to"));
        else
            puts(" to the end.");
    }
}

/* ---- FEATURES --------------------------------------------------------------- */

static void tell_critical(const Tree *f)
{
    const Tree *critical = tree_get(f, "critical");
    double rejected = tree_number(f, "rejected");
    uint32_t told = 0;
    if (!critical || !critical->first)
        return;
    printf("  Critical states, by their share in the %.0f step%s rejected for "
           "accuracy:\n",
           rejected, plural(rejected));
    for (const Tree *k = critical->first; k && told < CRITICAL_TOLD;
         k = k->next)
        printf("    %-20s %3.0f %%\n", k->name, (told++, 100.0 * k->number));
}

static void tell_unstable(const Tree *f)
{
    const Tree *list = tree_get(f, "unstable");
    double ff5 = tree_number(f, "ff5");
    uint32_t told = 0;
    if (!isfinite(ff5)) {
        puts("  Whether something grows is not known: there are too many "
             "states, or the\n  Jacobian could not be found.");
        return;
    }
    if (!list || !list->first) {
        puts("  No motion grew by itself (FF5 = 0): errors die out.");
        return;
    }
    printf("  During %.1f %% of the time (FF5 = %.4g) a motion grew by itself, "
           "at most with\n  a rate of %.3g: errors grow with it.\n",
           100.0 * ff5, ff5, tree_number(f, "growth"));
    for (const Tree *k = list->first; k && told < UNSTABLE_TOLD; k = k->next) {
        printf("    from %.6g to %.6g\n", tree_number(k, "from"),
               tree_number(k, "to"));
        told++;
    }
    double more = list->count - told + tree_number(f, "more_unstable");
    if (more > 0.0)
        printf("    and %.0f times more\n", more);
}

static void tell_features(const Tree *run)
{
    const Tree *f = tree_get(run, "features");
    if (!f)
        return;
    double stiffness = tree_number(f, "stiffness");
    double ff6 = tree_number(f, "ff6"), e = tree_number(f, "accuracy");
    double fastest = tree_number(f, "fastest");
    if (isfinite(stiffness))
        printf("  Stiffness: at most %.3g (at time %.6g).\n", stiffness,
               tree_number(f, "stiffest_at"));
    if (fastest > 0.0)
        printf("  The fastest motion decays within %.3g.\n", 1.0 / fastest);
    if (tree_number(f, "oscillation") > 0.5)
        puts("  What is fastest turns rather than decays: it oscillates.");
    tell_unstable(f);
    if (ff6 > 0.0 && isfinite(e))
        printf("  Of %.0f %% of its motions data with an accuracy of %g say "
               "nothing (FF6 = %.4g)%s\n",
               100.0 * ff6, e, ff6,
               ff6 > 0.5 ? ": think\n  of leaving some out." : ".");
    tell_critical(f);
}

static void tell_run(const Tree *run)
{
    tell_end(run);
    tell_parameters(run);
    tell_method(run);
    tell_events(run);
    tell_sliding(run);
    tell_features(run);
}

/* ---- The command ------------------------------------------------------------ */

static void tell(const Tree *t)
{
    const Tree *runs = tree_get(t, "runs");
    uint32_t told = 0, other = 0;
    printf("%s, run by cosy %s: %u run%s\n", tree_text(t, "program"),
           tree_text(t, "cosy"), runs ? (unsigned)runs->count : 0,
           runs && runs->count == 1 ? "" : "s");
    for (const Tree *k = runs ? runs->first : NULL; k; k = k->next) {
        bool good = strcmp(tree_text(k, "status"), "finished") == 0;
        if (told >= RUNS_TOLD && good) {
            other++;
            continue;
        }
        puts("");
        tell_run(k);
        told++;
    }
    if (other)
        printf("\n%u further run%s came to the end.\n", (unsigned)other,
               plural(other));
}

static int wrong(const char *path, const char *what)
{
    fprintf(stderr, "cosy: error: %s: %s\n", path, what);
    return EXIT_USAGE;
}

/* All of a file, with a zero behind it; NULL if it cannot be read. */
static const char *read_whole(Arena *a, const char *path)
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
    return text;
}

static int explain(Arena *a, const char *path)
{
    char file[4096];
    struct stat about;
    bool is_dir = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    int n = snprintf(file, sizeof file, "%s%s", path,
                     is_dir ? "/summary.json" : "");
    if (n < 0 || (size_t)n >= sizeof file)
        return wrong(path, "this name is too long");
    const char *text = read_whole(a, file);
    if (!text)
        return wrong(file, "there are no results of cosy run here");
    const Tree *t = tree_read(a, text);
    if (!t || !tree_get(t, "runs"))
        return wrong(file, "this is not a summary.json of cosy run");
    tell(t);
    return EXIT_DONE;
}

int command_explain(int argc, char **argv)
{
    Arena arena = {0};
    if (argc != 2 || argv[1][0] == '-') {
        fputs("cosy: error: cosy explain RESULTS, the directory that cosy run "
              "has written\n",
              stderr);
        return EXIT_USAGE;
    }
    int status = explain(&arena, argv[1]);
    arena_free(&arena);
    return status;
}
