/* cosy collect DIR...: joins the parts of a study that cosy run --chunk has left. The
   first part says which model and options they belong to (again.h); cosy run --part
   does the rest, so what is left is what one process would have left. */

#define _DEFAULT_SOURCE // realpath
#include "cli/commands.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "cli/again.h"

#define PART_FILE "part.json"

typedef struct Part {
    const char *folder; // without links
    bool whole;         // it has been carried out to its end
    Again again;        // if it is whole
} Part;

typedef struct Collect {
    const char *out, *model;
    Vector parts; // Part
    Vector extra; // const char *, options that are passed on
    Arena arena;
} Collect;

static Part *part_at(const Collect *c, size_t k)
{
    return (Part *)(void *)c->parts.bytes + k;
}

static size_t part_count(const Collect *c)
{
    return c->parts.used / sizeof(Part);
}

static const char *keep(Collect *c, const char *text)
{
    char *copy = NEW_ARRAY(&c->arena, char, strlen(text) + 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy ? copy : "";
}

static bool has(const char *folder, const char *file)
{
    Buffer path = {0};
    buffer_format(&path, "%s/%s", folder, file);
    bool there = access(buffer_string(&path), R_OK) == 0;
    buffer_free(&path);
    return there;
}

/* ---- Parts --------------------------------------------------------------- */

/* False: its part.json cannot be used, as reported. */
static bool add_part(Collect *c, const char *folder)
{
    Part part = {.folder = keep(c, folder), .whole = has(folder, PART_FILE)};
    const char *why = NULL;
    if (part.whole && !again_read(&part.again, part.folder, PART_FILE, &why)) {
        again_cannot(folder, why);
        again_free(&part.again);
        return false;
    }
    return vector_append(&c->parts, &part, sizeof part) ||
           again_cannot(folder, "no memory") == EXIT_DONE;
}

static bool is_part(const char *folder)
{
    return has(folder, PART_FILE) || has(folder, STAGE_KEPT);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Parts in a folder that is none itself. */
static bool add_inside(Collect *c, const char *folder, size_t *found)
{
    struct dirent **name = NULL;
    int n = scandir(folder, &name, NULL, by_name);
    bool ok = true;
    for (int k = 0; k < n; k++) {
        Buffer path = {0};
        buffer_format(&path, "%s/%s", folder, name[k]->d_name);
        if (name[k]->d_name[0] != '.' && is_part(buffer_string(&path))) {
            ok = ok && add_part(c, buffer_string(&path));
            ++*found;
        }
        buffer_free(&path);
        free(name[k]);
    }
    free(name);
    return ok;
}

static bool add_folder(Collect *c, const char *given)
{
    char *real = realpath(given, NULL);
    const char *folder = real ? keep(c, real) : given;
    size_t found = 0;
    bool there = real != NULL, ok;
    free(real);
    if (!there)
        return again_cannot(given, strerror(errno)) == EXIT_DONE;
    if (is_part(folder))
        return add_part(c, folder);
    ok = add_inside(c, folder, &found);
    if (found == 0)
        again_cannot(given,
                     has(folder, "summary.json")
                         ? "these are the results of a whole study: there is "
                           "nothing to join"
                         : "this is no part of a study: it has no part.json, "
                           "which cosy run --chunk K/N leaves in its folder");
    return ok && found > 0;
}

/* ---- One study ----------------------------------------------------------- */

/* The first part that is whole: it speaks for all. */
static Part *first_whole(const Collect *c)
{
    for (size_t k = 0; k < part_count(c); k++)
        if (part_at(c, k)->whole)
            return part_at(c, k);
    return NULL;
}

static bool check_parts(const Collect *c)
{
    Part *first = first_whole(c);
    if (!first)
        return again_cannot(part_at(c, 0)->folder,
                            "this part was interrupted, and there is none "
                            "that says which model it belongs to: carry it "
                            "out again with --resume") == EXIT_DONE;
    for (size_t k = 0; k < part_count(c); k++) {
        Part *p = part_at(c, k);
        const char *what =
            p->whole ? again_difference(&first->again, first->again.was,
                                        p->again.was)
                     : NULL;
        if (!what)
            continue;
        fprintf(stderr,
                "cosy: error: %s and %s are parts of different studies: they "
                "differ in %s\n",
                first->folder, p->folder, what);
        return false;
    }
    return true;
}

/* Tells which parts of N are not there, if all are parts of as many. */
static void tell_missing(const Collect *c)
{
    enum { SHOWN = 12 };
    double all = tree_number(first_whole(c)->again.all, "parts");
    Buffer b = {0};
    uint32_t missing = 0;
    for (size_t k = 0; k < part_count(c); k++)
        if (part_at(c, k)->whole &&
            tree_number(part_at(c, k)->again.all, "parts") != all)
            return;
    for (uint32_t n = 1; all <= 1e6 && n <= (uint32_t)all; n++) {
        bool there = false;
        for (size_t k = 0; !there && k < part_count(c); k++)
            there = part_at(c, k)->whole &&
                    tree_number(part_at(c, k)->again.all, "part") == n;
        if (!there && ++missing <= SHOWN)
            buffer_format(&b, "%s%u", missing == 1 ? "" : ", ", n);
    }
    if (missing > 0)
        fprintf(stderr, "cosy: note: of %.0f parts %s%s %s missing\n", all,
                buffer_string(&b), missing > SHOWN ? ", ..." : "",
                missing == 1 ? "is" : "are");
    buffer_free(&b);
}

/* ---- The command --------------------------------------------------------- */

static bool pass_on(Collect *c, const char *word)
{
    return vector_append(&c->extra, &word, sizeof word);
}

/* A word that is no option: a part, or the model, which is a file. */
static bool take_name(Collect *c, const char *name)
{
    struct stat s;
    if (stat(name, &s) != 0 || !S_ISREG(s.st_mode))
        return add_folder(c, name);
    if (c->model)
        return again_cannot(name, "one model at a time") == EXIT_DONE;
    c->model = name;
    return true;
}

static bool wrong_use(void)
{
    fputs("cosy: error: use cosy collect DIR... [MODEL] [-o OUT] [--resume] "
          "[--quiet] [--json] [--threads N] [--libraries DIR] [--store FILE] "
          "[--label TEXT], where each DIR is a part that cosy run --chunk K/N "
          "has left\n",
          stderr);
    return false;
}

/* Options but -o are those of cosy run. */
static bool read_words(Collect *c, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const Option *o = option_find("collect", argv[k]);
        bool valued = o && o->form == OPTION_VALUE && !strchr(argv[k], '=');
        if (argv[k][0] != '-') {
            if (!take_name(c, argv[k]))
                return false;
        } else if (!o || (valued && k + 1 == argc)) {
            return wrong_use();
        } else if (strcmp(argv[k], "-o") == 0) {
            c->out = argv[++k];
        } else if (!pass_on(c, argv[k]) || (valued && !pass_on(c, argv[++k]))) {
            return false;
        }
    }
    return part_count(c) > 0 || wrong_use();
}

/* Where the results go, seen from the folder of the model; NULL: the usual place. */
static const char *place_of(Collect *c, const AgainPlace *p, Again *g)
{
    char here[4096];
    bool stays = strcmp(p->folder, ".") == 0;
    if (stays || (c->out && c->out[0] == '/'))
        return c->out;
    if (!getcwd(here, sizeof here))
        return c->out;
    if (c->out)
        return again_keep(g, "%s/%s", here, c->out);
    const char *slash = strrchr(p->name, '/');
    const char *name = again_keep(g, "%s%s", slash ? slash + 1 : p->name, "");
    size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, ".cosy") == 0)
        n -= 5;
    Buffer out = {0};
    buffer_format(&out, "%s/%.*s.out", here, (int)n, name);
    name = again_keep(g, "%s%s", buffer_string(&out), "");
    buffer_free(&out);
    return name;
}

/* The place of the model by the shortest name for the current folder, so that paths
   need not be absolute. */
static void shorten(AgainPlace *p)
{
    struct stat a, b;
    if (stat(p->folder, &a) == 0 && stat(".", &b) == 0 &&
        a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        p->folder = ".";
}

static int collect(Collect *c)
{
    AgainPlace p;
    bool right;
    if (!check_parts(c))
        return EXIT_USAGE;
    Again *g = &first_whole(c)->again;
    g->model = c->model;
    if (!again_find(g, &p, &right))
        return EXIT_USAGE;
    if (!right) {
        fprintf(stderr,
                "cosy: error: the model %s is not the one that the parts were "
                "made with: its SHA-256 was %s\n",
                again_plain(g, p.name), again_plain(g, g->hash));
        return EXIT_USAGE;
    }
    tell_missing(c);
    shorten(&p);
    const char *out = place_of(c, &p, g);
    if (out) {
        again_word(g, "-o");
        again_word(g, out);
    }
    for (size_t k = 0; k < c->extra.used / sizeof(char *); k++)
        again_word(g, ((const char **)(void *)c->extra.bytes)[k]);
    if (!again_options(g))
        return EXIT_USAGE;
    if (again_has(g, "--save-at")) { // the part that has run 1 has written it
        again_word(g, "--save");
        again_word(g, again_keep(g, "%s%s", g->folder, ".snapshot"));
    }
    for (size_t k = 0; k < part_count(c); k++) {
        again_word(g, "--part");
        again_word(g, part_at(c, k)->folder);
    }
    return again_run(g, &p);
}

int command_collect(int argc, char **argv)
{
    Collect c = {0};
    int status = read_words(&c, argc, argv) ? collect(&c) : EXIT_USAGE;
    for (size_t k = 0; k < part_count(&c); k++)
        again_free(&part_at(&c, k)->again);
    vector_free(&c.parts);
    vector_free(&c.extra);
    arena_free(&c.arena);
    return status;
}
