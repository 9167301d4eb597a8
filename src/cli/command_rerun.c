/* cosy rerun DIR: repeats the run that left DIR, from what its summary.json
   says about it, and compares the two.

   A summary.json is data, perhaps from a stranger. Only two things are taken
   from it: the name of the model, which must exist with the hash it had, and
   options that neither write files nor say where code comes from
   (options_is_kept). */

#define _DEFAULT_SOURCE // mkdtemp
#include "cli/commands.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/sha256.h"
#include "base/stage.h"
#include "base/tree.h"
#include "cli/compare.h"
#include "cli/options.h"

enum { MOST_WORDS = 2 * MOST_SETS + 60 };

typedef struct Again {
    const char *shown;       // DIR as it was given
    const char *results;     // DIR, without links
    const char *out;         // -o, or NULL
    const char *model;       // where the caller says it is, or NULL
    const char *place;       // where the results go now
    const char *temporary;   // a folder that is removed at the end, or NULL
    const Tree *was;         // "provenance"
    const char *name, *hash; // those of the model
    const char *extra[6];    // options of the caller that are passed on
    uint32_t extras;
    bool untrusted; // no graphs are drawn now
    Arena arena;
} Again;

static int cannot(const char *path, const char *what)
{
    fprintf(stderr, "cosy: error: %s: %s\n", path, what);
    return EXIT_USAGE;
}

static const char *keep(Again *g, const char *format, const char *a,
                        const char *b)
{
    size_t n = strlen(format) + strlen(a) + strlen(b) + 1;
    char *text = NEW_ARRAY(&g->arena, char, n);
    if (text)
        snprintf(text, n, format, a, b);
    return text ? text : "";
}

/* A text of the summary made safe to show: it may hold anything. */
static const char *plain(Again *g, const char *text)
{
    char *copy = NEW_ARRAY(&g->arena, char, strlen(text) + 1);
    size_t n = 0;
    for (; copy && text[n]; n++)
        copy[n] =
            (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
    return copy ? copy : "";
}

/* ---- The command line ---------------------------------------------------- */

/* True for options that say how to run without changing the results. */
static bool is_handed_on(const char *option)
{
    return strcmp(option, "--threads") == 0 ||
           strcmp(option, "--libraries") == 0;
}

static bool read_options(Again *g, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        bool valued = k + 1 < argc;
        if (strcmp(argv[k], "-o") == 0 && valued) {
            g->out = argv[++k];
        } else if (is_handed_on(argv[k]) && valued &&
                   g->extras + 2 <= LENGTH(g->extra)) {
            g->extra[g->extras++] = argv[k];
            g->extra[g->extras++] = argv[++k];
        } else if (strcmp(argv[k], "--untrusted") == 0 &&
                   g->extras < LENGTH(g->extra)) {
            g->extra[g->extras++] = argv[k];
            g->untrusted = true;
        } else if (argv[k][0] != '-' && !g->results) {
            g->results = argv[k];
        } else if (argv[k][0] != '-' && !g->model) {
            g->model = argv[k];
        } else {
            return false;
        }
    }
    return g->results != NULL;
}

/* ---- What the results say ------------------------------------------------ */

static const Tree *read_summary(Again *g, const char **why)
{
    Fault f = {0};
    Buffer text = {0};
    const Tree *t = NULL;
    Status s =
        file_read_data(keep(g, "%s%s", g->results, "/summary.json"), &text, &f);
    *why = "there is no summary.json of cosy run here that can be read";
    if (s == STATUS_OK)
        t = tree_read(&g->arena, buffer_string(&text));
    buffer_free(&text);
    const Tree *p = tree_get(t, "provenance");
    if (t)
        *why = "these results do not say how they were made: they come from an "
               "older version of COSY, or not from cosy run";
    return p && p->kind == TREE_OBJECT ? p : NULL;
}

static const Tree *find_input(const Tree *provenance, const char *kind,
                              const char *name)
{
    const Tree *list = tree_get(provenance, "inputs");
    for (const Tree *i = list ? list->first : NULL; i; i = i->next)
        if (strcmp(tree_text(i, "kind"), kind) == 0 &&
            (!name || strcmp(tree_text(i, "name"), name) == 0))
            return i;
    return NULL;
}

/* ---- The model ----------------------------------------------------------- */

static bool hash_file(const char *path, char hash[SHA256_LENGTH])
{
    Buffer b = {0};
    Fault f = {0};
    Sha256 h;
    bool there = file_read_data(path, &b, &f) == STATUS_OK;
    if (there) {
        sha256_begin(&h);
        sha256_add(&h, b.v.bytes, b.v.used);
        sha256_end(&h, hash);
    }
    buffer_free(&b);
    return there;
}

/* A place where the model would have the name it had: the folder that was
   current then, judging by the results and the name. */
typedef struct Trial {
    const char *folder;
    const char *name;
} Trial;

static bool is_there(Again *g, const Trial *t, bool *right)
{
    char hash[SHA256_LENGTH] = "";
    const char *path =
        t->name[0] == '/' ? t->name : keep(g, "%s/%s", t->folder, t->name);
    bool there = hash_file(path, hash);
    *right = there && strcmp(hash, g->hash) == 0;
    return there;
}

/* A path that ends with the name it had then: its beginning is the folder. */
static Trial named(Again *g, const char *path)
{
    char *real = realpath(path, NULL);
    const char *whole = keep(g, "%s%s", real ? real : path, "");
    size_t n = strlen(whole), m = strlen(g->name);
    free(real);
    if (n > m + 1 && whole[n - m - 1] == '/' &&
        strcmp(whole + n - m, g->name) == 0) {
        char *folder = NEW_ARRAY(&g->arena, char, n - m);
        if (folder) {
            memcpy(folder, whole, n - m - 1);
            return (Trial){folder[0] ? folder : "/", g->name};
        }
    }
    return (Trial){".", whole};
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Finds the model as it was, or otherwise one of its name. */
static bool find_model(Again *g, Trial *found, bool *right)
{
    const char *beside = keep(g, "%s%s", g->results, "/..");
    const Trial usual[] = {{beside, g->name},
                           {".", g->name},
                           {beside, base_of(g->name)},
                           {".", base_of(g->name)}};
    bool any = false;
    if (g->model) {
        *found = named(g, g->model);
        return is_there(g, found, right);
    }
    for (size_t k = 0; k < LENGTH(usual); k++) {
        bool same;
        if (!is_there(g, &usual[k], &same) || (any && !same))
            continue;
        *found = usual[k];
        *right = same;
        any = true;
        if (same)
            break;
    }
    return any;
}

/* ---- The run ------------------------------------------------------------- */

static bool add(char **word, int *n, Again *g, const char *text)
{
    const char *copy = keep(g, "%s%s", text, "");
    union { // words of a command line can be written to
        const char *from;
        char *to;
    } u = {.from = copy};
    if (*n + 1 >= MOST_WORDS)
        return false;
    word[(*n)++] = u.to;
    word[*n] = NULL;
    return true;
}

/* Adds the options of the first run; false: one of them must not be there. */
static bool add_options(char **word, int *n, Again *g, const char **bad)
{
    const Tree *list = tree_get(g->was, "options");
    bool traced = false, saved = false;
    for (const Tree *o = list ? list->first : NULL; o; o = o->next) {
        *bad = o->kind == TREE_TEXT ? o->text : "";
        if (!options_is_kept(*bad) || !add(word, n, g, *bad))
            return false;
        traced = traced || strncmp(*bad, "--trace", 7) == 0;
        saved = saved || strcmp(*bad, "--save-at") == 0;
        if (options_has_value(*bad)) {
            o = o->next;
            if (!o || o->kind != TREE_TEXT || !add(word, n, g, o->text))
                return false;
        }
    }
    if (traced && !add(word, n, g, "--trace-file=/dev/null"))
        return false;
    return !saved || (add(word, n, g, "--save") &&
                      add(word, n, g, keep(g, "%s%s", g->place, ".snapshot")));
}

static int run_again(Again *g, const Trial *t)
{
    char *word[MOST_WORDS];
    const char *bad = "";
    int n = 0;
    const char *name =
        t->name[0] == '-' ? keep(g, "./%s%s", t->name, "") : t->name;
    bool fits = add(word, &n, g, "run") && add(word, &n, g, name) &&
                add(word, &n, g, "--quiet") && add(word, &n, g, "-o") &&
                add(word, &n, g, g->place);
    for (uint32_t k = 0; k < g->extras; k++)
        fits = fits && add(word, &n, g, g->extra[k]);
    if (!fits || !add_options(word, &n, g, &bad)) {
        fprintf(stderr,
                "cosy: error: %s/summary.json: cosy run never writes the "
                "option \"%.100s\" there: nothing was run\n",
                g->results, plain(g, bad));
        return EXIT_USAGE;
    }
    if (chdir(t->folder) != 0)
        return cannot(t->folder, strerror(errno));
    return command_run(n, word);
}

/* ---- What has changed ---------------------------------------------------- */

static uint32_t tell_input(Again *g, const Tree *was, const Tree *is)
{
    const char *kind = plain(g, tree_text(was ? was : is, "kind"));
    const char *name = plain(g, tree_text(was ? was : is, "name"));
    if (was && is &&
        strcmp(tree_text(was, "sha256"), tree_text(is, "sha256")) == 0)
        return 0;
    if (was && is)
        printf("the %s %s has changed:\n  it was %s\n  it is  %s\n", kind, name,
               plain(g, tree_text(was, "sha256")),
               plain(g, tree_text(is, "sha256")));
    else
        printf("the %s %s %s\n", kind, name,
               was ? "is no longer read" : "was not read then");
    return 1;
}

static const char *word_of(const Tree *t)
{
    return !t                      ? "none"
           : t->kind == TREE_TEXT  ? t->text
           : t->kind == TREE_TRUE  ? "yes"
           : t->kind == TREE_FALSE ? "no"
                                   : "none";
}

static uint32_t tell_members(Again *g, const Tree *was, const Tree *is,
                             const char *of)
{
    uint32_t changes = 0;
    for (const Tree *m = is ? is->first : NULL; m; m = m->next) {
        const char *then = plain(g, word_of(tree_get(was, m->name)));
        const char *now = plain(g, word_of(m));
        if (strcmp(then, now) == 0)
            continue;
        printf("%s%s was %s, is %s\n", m->name, of, then, now);
        changes++;
    }
    return changes;
}

/* Inputs, versions, processor: prints a line for everything that has
   changed. */
static uint32_t report_changes(Again *g)
{
    Again now = {.results = g->place};
    const char *why;
    const Tree *is = read_summary(&now, &why);
    const Tree *old = tree_get(g->was, "inputs"), *new = tree_get(is, "inputs");
    uint32_t n = 0;
    for (const Tree *i = old ? old->first : NULL; is && i; i = i->next) {
        const char *kind = tree_text(i, "kind");
        bool model = strcmp(kind, "model") == 0; // may have been moved
        n += tell_input(
            g, i, find_input(is, kind, model ? NULL : tree_text(i, "name")));
    }
    for (const Tree *i = new ? new->first : NULL; i; i = i->next)
        if (!find_input(g->was, tree_text(i, "kind"), NULL) ||
            (strcmp(tree_text(i, "kind"), "model") != 0 &&
             !find_input(g->was, tree_text(i, "kind"), tree_text(i, "name"))))
            n += tell_input(g, NULL, i);
    n += tell_members(g, tree_get(g->was, "versions"), tree_get(is, "versions"),
                      "");
    n += tell_members(g, tree_get(g->was, "processor"),
                      tree_get(is, "processor"), " of the processor");
    arena_free(&now.arena);
    return n;
}

static int compare(Again *g)
{
    Comparison c;
    Fault f = {0};
    uint32_t changes = report_changes(g);
    if (compare_folders(g->results, g->place, !g->untrusted, &c, &f) !=
        STATUS_OK)
        return cannot(g->results, f.text);
    if (c.other == 0)
        printf("%s: all %u file%s are the same, byte by byte%s\n", g->shown,
               c.same, c.same == 1 ? "" : "s",
               changes ? ", in spite of these changes" : "");
    else
        printf("%s: %u of %u file%s differ%s%s\n", g->shown, c.other,
               c.same + c.other, c.same + c.other == 1 ? "" : "s",
               c.other == 1 ? "s" : "",
               changes ? "; the changes since then are listed above" : "");
    return c.other || changes ? EXIT_RUN : EXIT_DONE;
}

/* ---- The command --------------------------------------------------------- */

/* Makes a place for the new results; false: there is none. */
static bool make_place(Again *g)
{
    const char *above = getenv("TMPDIR");
    char here[4096];
    if (g->out) {
        bool whole = g->out[0] == '/' || getcwd(here, sizeof here);
        g->place = g->out[0] == '/' ? g->out : keep(g, "%s/%s", here, g->out);
        return whole;
    }
    char *name = NEW_ARRAY(&g->arena, char, 4200);
    if (!name)
        return false;
    snprintf(name, 4200, "%s/cosy-rerun-XXXXXX",
             above && above[0] == '/' ? above : "/tmp");
    g->temporary = mkdtemp(name);
    g->place = g->temporary ? keep(g, "%s%s", g->temporary, "/results") : NULL;
    return g->place != NULL;
}

static int rerun(Again *g)
{
    const char *why;
    Trial t;
    bool right = false;
    g->was = read_summary(g, &why);
    if (!g->was)
        return cannot(g->results, why);
    const Tree *model = find_input(g->was, "model", NULL);
    g->name = tree_text(model, "name");
    g->hash = tree_text(model, "sha256");
    if (!g->name[0] || strlen(g->hash) != SHA256_LENGTH - 1)
        return cannot(g->results, "its summary.json does not say which model "
                                  "was run");
    if (!find_model(g, &t, &right)) {
        fprintf(stderr,
                "cosy: error: the model %s is neither next to %s nor here: "
                "cosy rerun DIR MODEL says where it is\n",
                g->model ? g->model : plain(g, g->name), g->results);
        return EXIT_USAGE;
    }
    if (!make_place(g))
        return cannot(
            g->results,
            "there is no place for the new results: choose one with -o");
    int status = run_again(g, &t);
    /* A run that failed before fails again, and what it left is compared. */
    bool left = access(keep(g, "%s%s", g->place, "/summary.json"), R_OK) == 0;
    if (status == EXIT_DONE || (status == EXIT_RUN && left))
        return compare(g);
    if (!right)
        fprintf(stderr,
                "cosy: error: the model %s is not the one that was run\n",
                plain(g, t.name));
    return status == EXIT_MODEL ? EXIT_USAGE : status;
}

int command_rerun(int argc, char **argv)
{
    Again g = {0};
    if (!read_options(&g, argc, argv)) {
        fputs("cosy: error: use cosy rerun DIR [MODEL] [-o NEW] [--threads N] "
              "[--libraries DIR] [--untrusted], where DIR is what cosy run has "
              "left\n",
              stderr);
        return EXIT_USAGE;
    }
    char *real = realpath(g.results, NULL);
    int status = real ? EXIT_DONE : cannot(g.results, strerror(errno));
    if (real) {
        g.shown = g.results;
        g.results = keep(&g, "%s%s", real, "");
        status = rerun(&g);
    }
    free(real);
    if (g.temporary)
        stage_remove(g.temporary);
    arena_free(&g.arena);
    return status;
}
