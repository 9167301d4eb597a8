#define _DEFAULT_SOURCE // realpath
#include "cli/again.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/sha256.h"
#include "cli/commands.h"

int again_cannot(const char *path, const char *what)
{
    fprintf(stderr, "cosy: error: %s: %s\n", path, what);
    return EXIT_USAGE;
}

const char *again_keep(Again *g, const char *format, const char *a,
                       const char *b)
{
    size_t n = strlen(format) + strlen(a) + strlen(b) + 1;
    char *text = NEW_ARRAY(&g->arena, char, n);
    if (text)
        snprintf(text, n, format, a, b);
    return text ? text : "";
}

const char *again_plain(Again *g, const char *text)
{
    char *copy = NEW_ARRAY(&g->arena, char, strlen(text) + 1);
    size_t n = 0;
    for (; copy && text[n]; n++)
        copy[n] =
            (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
    return copy ? copy : "";
}

/* ---- What the file says -------------------------------------------------- */

const Tree *again_input(const Tree *provenance, const char *kind,
                        const char *name)
{
    const Tree *list = tree_get(provenance, "inputs");
    for (const Tree *i = list ? list->first : NULL; i; i = i->next)
        if (strcmp(tree_text(i, "kind"), kind) == 0 &&
            (!name || strcmp(tree_text(i, "name"), name) == 0))
            return i;
    return NULL;
}

bool again_read(Again *g, const char *folder, const char *file,
                const char **why)
{
    Fault f = {0};
    Buffer text = {0};
    g->folder = folder;
    g->file = file;
    *why = NULL;
    Status s = file_read_data(again_keep(g, "%s/%s", folder, file), &text, &f);
    if (s == STATUS_OK)
        g->all = tree_read(&g->arena, buffer_string(&text));
    buffer_free(&text);
    g->was = tree_get(g->all, "provenance");
    if (!g->all)
        *why = again_keep(
            g, "there is no %s%s of cosy run here that can be read", file, "");
    else if (!g->was || g->was->kind != TREE_OBJECT)
        *why = "these results do not say how they were made: they come from an "
               "older version of COSY, or not from cosy run";
    if (*why)
        return false;
    const Tree *model = again_input(g->was, "model", NULL);
    g->name = tree_text(model, "name");
    g->hash = tree_text(model, "sha256");
    if (g->name[0] && strlen(g->hash) == SHA256_LENGTH - 1)
        return true;
    *why = again_keep(g, "its %s%s does not say which model was run", file, "");
    return false;
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

static bool is_there(Again *g, const AgainPlace *p, bool *right)
{
    char hash[SHA256_LENGTH] = "";
    const char *path = p->name[0] == '/'
                           ? p->name
                           : again_keep(g, "%s/%s", p->folder, p->name);
    bool there = hash_file(path, hash);
    *right = there && strcmp(hash, g->hash) == 0;
    return there;
}

/* A path that ends with the name it had then: its beginning is the folder. */
static AgainPlace named(Again *g, const char *path)
{
    char *real = realpath(path, NULL);
    const char *whole = again_keep(g, "%s%s", real ? real : path, "");
    size_t n = strlen(whole), m = strlen(g->name);
    free(real);
    if (n > m + 1 && whole[n - m - 1] == '/' &&
        strcmp(whole + n - m, g->name) == 0) {
        char *folder = NEW_ARRAY(&g->arena, char, n - m);
        if (folder) {
            memcpy(folder, whole, n - m - 1);
            return (AgainPlace){folder[0] ? folder : "/", g->name};
        }
    }
    return (AgainPlace){".", whole};
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool look_around(Again *g, AgainPlace *found, bool *right)
{
    const char *beside = again_keep(g, "%s%s", g->folder, "/..");
    const char *above = again_keep(g, "%s%s", g->folder, "/../..");
    const AgainPlace usual[] = {{beside, g->name},
                                {".", g->name},
                                {above, g->name},
                                {beside, base_of(g->name)},
                                {".", base_of(g->name)}};
    bool any = false;
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

bool again_find(Again *g, AgainPlace *found, bool *right)
{
    bool any;
    *right = false;
    if (g->model) {
        *found = named(g, g->model);
        any = is_there(g, found, right);
    } else {
        any = look_around(g, found, right);
    }
    if (!any)
        fprintf(stderr,
                "cosy: error: the model %s is neither next to %s nor here: "
                "cosy %s DIR MODEL says where it is\n",
                g->model ? g->model : again_plain(g, g->name), g->folder,
                strcmp(g->file, "summary.json") == 0 ? "rerun" : "collect");
    return any;
}

/* ---- Two studies ------------------------------------------------------------ */

static bool same_tree(const Tree *a, const Tree *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || !a->text != !b->text ||
        (a->text && strcmp(a->text, b->text) != 0) ||
        (a->kind == TREE_NUMBER && a->number != b->number))
        return false;
    a = a->first;
    b = b->first;
    for (; a && b; a = a->next, b = b->next)
        if (!a->name != !b->name ||
            (a->name && strcmp(a->name, b->name) != 0) || !same_tree(a, b))
            return false;
    return a == b;
}

/* "the model m.cosy", the first input that the two do not share. */
static const char *other_input(Again *g, const Tree *a, const Tree *b)
{
    const Tree *list = tree_get(a, "inputs");
    for (const Tree *i = list ? list->first : NULL; i; i = i->next)
        if (!same_tree(
                i, again_input(b, tree_text(i, "kind"), tree_text(i, "name"))))
            return again_keep(g, "the %s %s",
                              again_plain(g, tree_text(i, "kind")),
                              again_plain(g, tree_text(i, "name")));
    return NULL;
}

/* Machines of the same kind have other names for their processors. */
static bool same_kind(const Tree *a, const Tree *b)
{
    static const char *const member[] = {"architecture", "fma"};
    bool same = !a == !b;
    for (size_t k = 0; a && b && k < LENGTH(member); k++)
        same =
            same && same_tree(tree_get(a, member[k]), tree_get(b, member[k]));
    return same;
}

const char *again_difference(Again *g, const Tree *a, const Tree *b)
{
    static const char *const member[][2] = {
        {"options", "the options"},
        {"seed", "--seed"},
        {"versions", "the versions of COSY, or of what it stands on"}};
    const char *found = other_input(g, a, b);
    if (!found)
        found = other_input(g, b, a);
    for (size_t k = 0; !found && k < LENGTH(member); k++)
        if (!same_tree(tree_get(a, member[k][0]), tree_get(b, member[k][0])))
            found = member[k][1];
    if (!found &&
        !same_kind(tree_get(a, "processor"), tree_get(b, "processor")))
        found = "the kind of processor";
    return found;
}

/* ---- The run ------------------------------------------------------------- */

void again_word(Again *g, const char *text)
{
    const char *copy = again_keep(g, "%s%s", text, "");
    union { // words of a command line can be written to
        const char *from;
        char *to;
    } u = {.from = copy};
    if (!vector_append(&g->words, &u.to, sizeof u.to))
        g->words.used = 0; // a command line without words is refused
}

bool again_options(Again *g)
{
    const Tree *list = tree_get(g->was, "options");
    const char *bad = NULL;
    for (const Tree *o = list ? list->first : NULL; o && !bad; o = o->next) {
        const char *word = o->kind == TREE_TEXT ? o->text : "";
        again_word(g, word);
        if (!options_is_kept(word))
            bad = word;
        else if (options_has_value(word) &&
                 (!o->next || o->next->kind != TREE_TEXT))
            bad = word;
        else if (options_has_value(word))
            again_word(g, (o = o->next)->text);
    }
    if (bad)
        fprintf(stderr,
                "cosy: error: %s/%s: cosy run never writes the option "
                "\"%.100s\" there: nothing was run\n",
                g->folder, g->file, again_plain(g, bad));
    return !bad;
}

bool again_has(const Again *g, const char *option)
{
    const Tree *list = tree_get(g->was, "options");
    size_t n = strlen(option);
    for (const Tree *o = list ? list->first : NULL; o; o = o->next) {
        const char *word = o->kind == TREE_TEXT ? o->text : "";
        if (strncmp(word, option, n) == 0 && (!word[n] || word[n] == '='))
            return true;
        if (options_has_value(word) && o->next)
            o = o->next;
    }
    return false;
}

int again_run(Again *g, const AgainPlace *p)
{
    Vector line = {0};
    char *const end = NULL;
    char run[] = "run";
    char *const first = run;
    const char *name =
        p->name[0] == '-' ? again_keep(g, "./%s%s", p->name, "") : p->name;
    again_word(g, name);
    bool fits = g->words.used > 0 &&
                vector_append(&line, &first, sizeof first) &&
                vector_append(&line, g->words.bytes, g->words.used) &&
                vector_append(&line, &end, sizeof end);
    int status =
        fits ? EXIT_DONE : again_cannot(g->folder, "no memory for its options");
    if (fits && strcmp(p->folder, ".") != 0 && chdir(p->folder) != 0)
        status = again_cannot(p->folder, strerror(errno));
    else if (fits)
        status = command_run((int)(line.used / sizeof end - 1),
                             (char **)(void *)line.bytes);
    vector_free(&line);
    return status;
}

void again_free(Again *g)
{
    vector_free(&g->words);
    arena_free(&g->arena);
}
