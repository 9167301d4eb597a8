/* cosy rerun DIR: repeats the run that left DIR, from what its summary.json
   says about it (again.h), and compares the two. */

#define _DEFAULT_SOURCE // mkdtemp
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "cli/again.h"
#include "cli/compare.h"

typedef struct Rerun {
    const char *shown;     // DIR as it was given
    const char *results;   // DIR, without links
    const char *out;       // -o, or NULL
    const char *place;     // where the results go now
    const char *temporary; // a folder that is removed at the end, or NULL
    const char *extra[6];  // options of the caller that are passed on
    uint32_t extras;
    bool untrusted; // no graphs are drawn now
    Again again;
} Rerun;

/* ---- The command line ---------------------------------------------------- */

/* True for options that say how to run without changing the results. */
static bool is_handed_on(const char *option)
{
    return strcmp(option, "--threads") == 0 ||
           strcmp(option, "--libraries") == 0;
}

static bool read_options(Rerun *g, int argc, char **argv)
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
        } else if (argv[k][0] != '-' && !g->again.model) {
            g->again.model = argv[k];
        } else {
            return false;
        }
    }
    return g->results != NULL;
}

/* ---- The run ------------------------------------------------------------- */

static int run_again(Rerun *r, const AgainPlace *p)
{
    Again *g = &r->again;
    again_word(g, "--quiet");
    again_word(g, "-o");
    again_word(g, r->place);
    for (uint32_t k = 0; k < r->extras; k++)
        again_word(g, r->extra[k]);
    if (!again_options(g))
        return EXIT_USAGE;
    if (again_has(g, "--trace"))
        again_word(g, "--trace-file=/dev/null");
    if (again_has(g, "--save-at")) {
        again_word(g, "--save");
        again_word(g, again_keep(g, "%s%s", r->place, ".snapshot"));
    }
    return again_run(g, p);
}

/* ---- What has changed ---------------------------------------------------- */

static uint32_t tell_input(Again *g, const Tree *was, const Tree *is)
{
    const char *kind = again_plain(g, tree_text(was ? was : is, "kind"));
    const char *name = again_plain(g, tree_text(was ? was : is, "name"));
    if (was && is &&
        strcmp(tree_text(was, "sha256"), tree_text(is, "sha256")) == 0)
        return 0;
    if (was && is)
        printf("the %s %s has changed:\n  it was %s\n  it is  %s\n", kind, name,
               again_plain(g, tree_text(was, "sha256")),
               again_plain(g, tree_text(is, "sha256")));
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
        const char *then = again_plain(g, word_of(tree_get(was, m->name)));
        const char *now = again_plain(g, word_of(m));
        if (strcmp(then, now) == 0)
            continue;
        printf("%s%s was %s, is %s\n", m->name, of, then, now);
        changes++;
    }
    return changes;
}

/* Inputs, versions, processor: prints a line for everything that has
   changed. */
static uint32_t report_changes(Rerun *r)
{
    Again *g = &r->again, now = {0};
    const char *why;
    bool read = again_read(&now, r->place, "summary.json", &why);
    const Tree *is = read ? now.was : NULL;
    const Tree *old = tree_get(g->was, "inputs"), *new = tree_get(is, "inputs");
    uint32_t n = 0;
    for (const Tree *i = old ? old->first : NULL; is && i; i = i->next) {
        const char *kind = tree_text(i, "kind");
        bool model = strcmp(kind, "model") == 0; // may have been moved
        n += tell_input(
            g, i, again_input(is, kind, model ? NULL : tree_text(i, "name")));
    }
    for (const Tree *i = new ? new->first : NULL; i; i = i->next)
        if (!again_input(g->was, tree_text(i, "kind"), NULL) ||
            (strcmp(tree_text(i, "kind"), "model") != 0 &&
             !again_input(g->was, tree_text(i, "kind"), tree_text(i, "name"))))
            n += tell_input(g, NULL, i);
    n += tell_members(g, tree_get(g->was, "versions"), tree_get(is, "versions"),
                      "");
    n += tell_members(g, tree_get(g->was, "processor"),
                      tree_get(is, "processor"), " of the processor");
    again_free(&now);
    return n;
}

static int compare(Rerun *g)
{
    Comparison c;
    Fault f = {0};
    uint32_t changes = report_changes(g);
    if (compare_folders(g->results, g->place, !g->untrusted, &c, &f) !=
        STATUS_OK)
        return again_cannot(g->results, f.text);
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
static bool make_place(Rerun *r)
{
    const char *above = getenv("TMPDIR");
    char here[4096];
    if (r->out) {
        bool whole = r->out[0] == '/' || getcwd(here, sizeof here);
        r->place = r->out[0] == '/'
                       ? r->out
                       : again_keep(&r->again, "%s/%s", here, r->out);
        return whole;
    }
    char *name = NEW_ARRAY(&r->again.arena, char, 4200);
    if (!name)
        return false;
    snprintf(name, 4200, "%s/cosy-rerun-XXXXXX",
             above && above[0] == '/' ? above : "/tmp");
    r->temporary = mkdtemp(name);
    r->place = r->temporary
                   ? again_keep(&r->again, "%s%s", r->temporary, "/results")
                   : NULL;
    return r->place != NULL;
}

static int rerun(Rerun *r)
{
    const char *why;
    AgainPlace p;
    bool right = false;
    if (!again_read(&r->again, r->results, "summary.json", &why))
        return again_cannot(r->results, why);
    if (!again_find(&r->again, &p, &right))
        return EXIT_USAGE;
    if (!make_place(r))
        return again_cannot(
            r->results,
            "there is no place for the new results: choose one with -o");
    int status = run_again(r, &p);
    /* A run that failed before fails again, and what it left is compared. */
    bool left = access(again_keep(&r->again, "%s%s", r->place, "/summary.json"),
                       R_OK) == 0;
    if (status == EXIT_DONE || (status == EXIT_RUN && left))
        return compare(r);
    if (!right)
        fprintf(stderr,
                "cosy: error: the model %s is not the one that was run\n",
                again_plain(&r->again, p.name));
    return status == EXIT_MODEL ? EXIT_USAGE : status;
}

int command_rerun(int argc, char **argv)
{
    Rerun g = {0};
    if (!read_options(&g, argc, argv)) {
        fputs("cosy: error: use cosy rerun DIR [MODEL] [-o NEW] [--threads N] "
              "[--libraries DIR] [--untrusted], where DIR is what cosy run has "
              "left\n",
              stderr);
        return EXIT_USAGE;
    }
    char *real = realpath(g.results, NULL);
    int status = real ? EXIT_DONE : again_cannot(g.results, strerror(errno));
    if (real) {
        g.shown = g.results;
        g.results = again_keep(&g.again, "%s%s", real, "");
        status = rerun(&g);
    }
    free(real);
    if (g.temporary)
        stage_remove(g.temporary);
    again_free(&g.again);
    return status;
}
