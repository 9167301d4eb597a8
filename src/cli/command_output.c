/* cosy output MODEL: carries out the OUTPUT of a model on the results of an earlier
   cosy run, without running anything. Only OUTPUT may have changed since: whether that
   is so is told by the hash of the rest of the text, which the results keep. */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tree.h"
#include "cli/code.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/translate.h"
#include "run/kernel.h"

enum { WORDS_MOST = 2 * MOST_SETS + 60 };

typedef struct Show {
    char *model;
    const char *dir;
    bool force, quiet;
    Buffer stored;             // summary.json
    const Tree *summary, *was; // the same, and its "provenance"
    Arena arena;
} Show;

static int refuse(const char *where, const char *what)
{
    fprintf(stderr, "cosy: error: %s: %s\n", where, what);
    return EXIT_USAGE;
}

/* ---- The results ----------------------------------------------------------------- */

/* Reads DIR/NAME; false: it is not there, or *f says why not. */
static bool read_file(const Show *s, const char *name, Buffer *text, Fault *f)
{
    Buffer path = {0};
    buffer_format(&path, "%s/%s", s->dir, name);
    bool there = access(buffer_string(&path), F_OK) == 0 &&
                 file_read_data(buffer_string(&path), text, f) == STATUS_OK;
    buffer_free(&path);
    return there;
}

/* Whether it is a part of a study (cosy run --chunk). */
static bool is_part(Show *s)
{
    Buffer text = {0};
    Fault unused = {0};
    bool part =
        read_file(s, "part.json", &text, &unused) &&
        tree_get(tree_read(&s->arena, buffer_string(&text)), "part") != NULL;
    buffer_free(&text);
    return part;
}

/* False, after a message: this is no folder that cosy run has left. */
static bool read_results(Show *s)
{
    Fault f = {0};
    struct stat status;
    bool folder = stat(s->dir, &status) == 0 && S_ISDIR(status.st_mode);
    if (!folder || !read_file(s, "summary.json", &s->stored, &f)) {
        refuse(s->dir,
               !folder     ? "there are no results: cosy run MODEL makes them, "
                             "-o DIR says where they are"
               : f.text[0] ? f.text
               : is_part(s)
                   ? "this is a part of a study, which cosy run --chunk has "
                     "left, and its OUTPUT is about all of it: cosy collect "
                     "joins the parts"
                   : "this is not what cosy run leaves: it has no "
                     "summary.json");
        return false;
    }
    s->summary = tree_read(&s->arena, buffer_string(&s->stored));
    s->was = tree_get(s->summary, "provenance");
    if (tree_get(s->summary, "runs") && tree_get(s->was, "inputs"))
        return true;
    refuse(s->dir, "its summary.json was not written by cosy run from the text "
                   "of a model, or not wholly");
    return false;
}

/* ---- The options of the run ------------------------------------------------------ */

static bool add(Show *s, char **word, int *n, const char *text)
{
    char *copy = arena_text(&s->arena, text, strlen(text));
    if (!copy || *n + 1 >= WORDS_MOST)
        return false;
    word[(*n)++] = copy;
    word[*n] = NULL;
    return true;
}

/* What decides the shape of the model and how graphs are made; all else is about
   running. */
static bool is_needed(const char *option)
{
    static const char *const needed[] = {"--set", "--format", "--no-plots",
                                         "--graph", "--untrusted"};
    for (size_t k = 0; k < LENGTH(needed); k++)
        if (strncmp(option, needed[k], strlen(needed[k])) == 0)
            return options_is_kept(option);
    return false;
}

/* False: they do not fit a command line. */
static bool take_options(Show *s, RunCommand *r, char **word)
{
    const Tree *list = tree_get(s->was, "options");
    int n = 0;
    bool fits = add(s, word, &n, "run") && add(s, word, &n, s->model);
    for (const Tree *o = list ? list->first : NULL; fits && o; o = o->next) {
        bool needed = o->kind == TREE_TEXT && is_needed(o->text);
        bool valued = o->kind == TREE_TEXT && options_has_value(o->text);
        fits = !needed || add(s, word, &n, o->text);
        if (!valued)
            continue;
        o = o->next;
        if (!o || o->kind != TREE_TEXT)
            return false;
        fits = fits && (!needed || add(s, word, &n, o->text));
    }
    return fits && options_run(r, n, word);
}

/* ---- What has changed ------------------------------------------------------------ */

static const Tree *find_input(const Tree *list, const char *kind,
                              const char *name)
{
    for (const Tree *k = list ? list->first : NULL; k; k = k->next)
        if (strcmp(tree_text(k, "kind"), kind) == 0 &&
            strcmp(tree_text(k, "name"), name) == 0)
            return k;
    return NULL;
}

/* What the model reads besides its text. Data may belong to COMPARE: that they
   have changed is only said. False: macros or modules have changed. */
static bool same_inputs(Show *s, Provenance *p)
{
    Buffer text = {0};
    buffer_format(&text, "[%s]", buffer_string(&p->inputs));
    const Tree *now = tree_read(&s->arena, buffer_string(&text));
    const Tree *old = tree_get(s->was, "inputs");
    bool same = true;
    buffer_free(&text);
    for (const Tree *k = old ? old->first : NULL; k; k = k->next) {
        const char *kind = tree_text(k, "kind"), *name = tree_text(k, "name");
        const Tree *other = find_input(now, kind, name);
        if (strcmp(kind, "model") == 0 || !other ||
            strcmp(tree_text(k, "sha256"), tree_text(other, "sha256")) == 0)
            continue;
        fprintf(stderr, "cosy: %s: the %s %s has changed since the run\n",
                strcmp(kind, "data") == 0 ? "warning" : "error", kind, name);
        same = same && strcmp(kind, "data") == 0;
    }
    return same;
}

/* Whether the results are those of this model, but for its OUTPUT. */
static bool is_same_model(Show *s, const Translation *t, Provenance *p)
{
    const char *body = tree_text(s->was, "body_sha256");
    if (strcmp(body, t->body) == 0 && same_inputs(s, p))
        return true;
    if (s->force) {
        fprintf(stderr,
                "cosy: warning: %s has other equations than the model that "
                "made %s, and --force shows these results all the same\n",
                s->model, s->dir);
        return true;
    }
    fprintf(stderr,
            "cosy: error: %s: these results %s: only OUTPUT may have changed "
            "since. cosy run %s makes new ones; --force shows these\n",
            s->dir,
            body[0] ? "come from another model than this, or from other "
                      "values in it"
                    : "do not say which equations made them",
            s->model);
    return false;
}

/* ---- OUTPUT ---------------------------------------------------------------------- */

static void show_text(void *user, const char *text, size_t length)
{
    const Show *s = user;
    if (!s->quiet)
        fwrite(text, 1, length, stdout);
}

static void show_message(void *user, const char *text)
{
    (void)user;
    fflush(stdout);
    fprintf(stderr, "cosy: %s\n", text);
}

static int show(Show *s, RunCommand *r, const Loaded *l, Translation *t)
{
    const Kernel *kernel = kernel_find(l->precision);
    KernelOptions *o = &r->kernel;
    KernelOutcome out;
    o->dir = s->dir;
    o->stored = buffer_string(&s->stored);
    o->text = buffer_string(&t->text);
    o->length = t->text.v.used;
    o->remarks = buffer_string(&t->remarks);
    o->pictures = r->graph ? buffer_string(&t->pictures) : NULL;
    o->write = show_text;
    o->message = show_message;
    o->user = s;
    if (isatty(STDOUT_FILENO) && !s->quiet)
        o->sketch = terminal_wide(STDOUT_FILENO);
    Status status = kernel->output(l->model, o, &out);
    fflush(stdout);
    if (status != STATUS_OK) {
        fprintf(stderr, "cosy: error: %s\n", out.fault.text);
        return EXIT_USAGE;
    }
    if (!s->quiet)
        printf("OUTPUT in %s/ is new; nothing was run\n", s->dir);
    return EXIT_DONE;
}

/* Translates and compiles the model as it is now. */
static int show_model(Show *s, RunCommand *r)
{
    Translation t = {0};
    Loaded loaded = {0};
    Provenance p;
    Fault f = {0};
    int exit = EXIT_DONE;
    provenance_begin(&p);
    Status status = translate(s->model, r, &t, &p, &f);
    if (status == STATUS_OK && !t.right)
        exit = EXIT_MODEL;
    else if (status == STATUS_OK && !is_same_model(s, &t, &p))
        exit = EXIT_USAGE;
    else if (status == STATUS_OK)
        status = code_compile(&loaded, r, buffer_string(&t.c), t.c.v.used,
                              t.precision, &f);
    if (status != STATUS_OK)
        exit = refuse(s->model, f.text);
    else if (exit == EXIT_DONE)
        exit = show(s, r, &loaded, &t);
    load_settle(&loaded);
    load_close(&loaded);
    translation_free(&t);
    provenance_free(&p);
    return exit;
}

/* ---- The command ----------------------------------------------------------------- */

static bool read_words(Show *s, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "-o") == 0 && k + 1 < argc)
            s->dir = argv[++k];
        else if (strcmp(argv[k], "--force") == 0)
            s->force = true;
        else if (strcmp(argv[k], "--quiet") == 0)
            s->quiet = true;
        else if (argv[k][0] != '-' && !s->model)
            s->model = argv[k];
        else
            return false;
    return s->model != NULL;
}

int command_output(int argc, char **argv)
{
    Show s = {0};
    char dir[4096], *word[WORDS_MOST];
    RunCommand r = {0};
    int exit = EXIT_USAGE;
    if (!read_words(&s, argc, argv)) {
        fputs("cosy: error: use cosy output MODEL [-o DIR] [--force] "
              "[--quiet], where DIR is what cosy run MODEL has left\n",
              stderr);
        return EXIT_USAGE;
    }
    options_default_dir(s.model, dir, sizeof dir);
    s.dir = s.dir ? s.dir : dir;
    if (read_results(&s) && !take_options(&s, &r, word))
        refuse(s.dir, "its summary.json has options that cosy run does not "
                      "write there");
    else if (s.was && r.untrusted)
        refuse(s.dir, "these results were made with --untrusted, and the code "
                      "of such a model is loaded only by cosy run --untrusted");
    else if (s.was && r.model)
        exit = show_model(&s, &r);
    options_free(&r);
    buffer_free(&s.stored);
    arena_free(&s.arena);
    return exit;
}
