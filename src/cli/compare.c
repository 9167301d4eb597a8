#include "cli/compare.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/tree.h"
#include "run/kernel.h"

/* ---- Names --------------------------------------------------------------- */

/* Names of files, each ended by NUL, and a Vector of pointers to them once they
   are complete. */
typedef struct Names {
    Buffer text;
    const char **name;
    size_t n;
} Names;

static bool is_kind(const char *path, bool folder)
{
    struct stat s;
    return lstat(path, &s) == 0 &&
           (folder ? S_ISDIR(s.st_mode) : S_ISREG(s.st_mode));
}

/* True for a file that a run wrote; the folder may hold others. */
static bool is_result(const char *path, const char *name)
{
    char beginning[64] = "";
    if (!is_kind(path, false))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t n = fread(beginning, 1, sizeof beginning - 1, file);
    fclose(file);
    beginning[n] = '\0';
    return kernel_find(1)->owns(name, beginning);
}

/* Files of DIR/BELOW. */
static Status list(Names *n, const char *dir, const char *below, Fault *f)
{
    Buffer path = {0}, file = {0};
    struct dirent *e;
    buffer_format(&path, "%s/%s", dir, below);
    DIR *d = opendir(buffer_string(&path));
    if (!d) {
        buffer_free(&path);
        return below[0] ? STATUS_OK
                        : fault_set(f, STATUS_FILE, "%s cannot be read: %s",
                                    dir, strerror(errno));
    }
    while ((e = readdir(d)) != NULL) {
        file.v.used = 0;
        buffer_format(&file, "%s/%s%s", dir, below, e->d_name);
        const char *whole = buffer_string(&file);
        if (!is_result(whole, whole + strlen(dir) + 1))
            continue;
        buffer_text(&n->text, below);
        buffer_bytes(&n->text, e->d_name, strlen(e->d_name) + 1);
    }
    closedir(d);
    buffer_free(&path);
    buffer_free(&file);
    return STATUS_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names and drops repetitions. */
static Status sort_names(Names *n, Arena *a)
{
    const char *text = (const char *)n->text.v.bytes, *end;
    size_t count = 0, kept = 0;
    if (n->text.broken)
        return STATUS_MEMORY;
    end = text + n->text.v.used;
    for (const char *s = text; s < end; s += strlen(s) + 1)
        count++;
    n->name = NEW_ARRAY(a, const char *, count + 1);
    if (!n->name)
        return STATUS_MEMORY;
    for (const char *s = text; s < end; s += strlen(s) + 1)
        n->name[n->n++] = s;
    assert(n->n == count);
    qsort(n->name, n->n, sizeof *n->name, by_name);
    for (size_t k = 0; k < n->n; k++)
        if (k == 0 || strcmp(n->name[k], n->name[kept - 1]) != 0)
            n->name[kept++] = n->name[k];
    n->n = kept;
    return STATUS_OK;
}

/* ---- What is not compared ------------------------------------------------ */

static bool holds(const char *line, size_t n, const char *word)
{
    size_t m = strlen(word);
    for (size_t k = 0; k + m <= n; k++)
        if (memcmp(line + k, word, m) == 0)
            return true;
    return false;
}

static bool begins(const char *line, size_t n, const char *word)
{
    size_t m = strlen(word);
    return n >= m && memcmp(line, word, m) == 0;
}

/* True for lines that say how long the run took, and on which machine. */
static bool is_aside(const char *name, const char *line, size_t n)
{
    if (strcmp(name, "summary.json") == 0)
        return begins(line, n, " \"wall_s\": ") ||
               begins(line, n, " \"provenance\": ");
    if (strcmp(name, "report.html") == 0)
        return holds(line, n, "class=\"wall\"") ||
               holds(line, n, "class=\"origin\"");
    return false;
}

/* One text, line by line. */
typedef struct Lines {
    const char *at, *end;
    size_t length; // of the present line
    unsigned long number;
} Lines;

static bool next_line(Lines *l, const char *name)
{
    do {
        l->at += l->length;
        if (l->at == l->end)
            return false;
        const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
        l->length = (size_t)((newline ? newline + 1 : l->end) - l->at);
        l->number++;
    } while (is_aside(name, l->at, l->length));
    return true;
}

/* Finds the first lines that differ; false: none. A text that has ended has an
   empty line. */
static bool differ(const char *name, Lines *a, Lines *b)
{
    for (;;) {
        bool more_a = next_line(a, name), more_b = next_line(b, name);
        if (!more_a)
            a->length = 0;
        if (!more_b)
            b->length = 0;
        if (!more_a && !more_b)
            return false;
        if (a->length != b->length || memcmp(a->at, b->at, a->length) != 0)
            return true;
    }
}

/* ---- Which number differs ------------------------------------------------ */

/* Prints a text that may hold anything. */
static void print_plain(const char *text, size_t n)
{
    for (size_t k = 0; k < n && text[k]; k++)
        putchar((unsigned char)text[k] < ' ' || text[k] == 127 ? '?' : text[k]);
}

static void print_value(const Tree *t)
{
    bool quoted = t && t->kind == TREE_TEXT;
    fputs(quoted ? "\"" : "", stdout);
    if (!t)
        fputs("missing", stdout);
    else if (quoted)
        print_plain(t->text, 200);
    else if (t->kind == TREE_NUMBER)
        printf("%.17g", t->number);
    else
        fputs(t->kind == TREE_NULL    ? "null"
              : t->kind == TREE_TRUE  ? "true"
              : t->kind == TREE_FALSE ? "false"
                                      : "something else",
              stdout);
    fputs(quoted ? "\"" : "", stdout);
}

static bool same_leaf(const Tree *a, const Tree *b)
{
    return a->kind == b->kind &&
           (a->kind != TREE_TEXT || strcmp(a->text, b->text) == 0) &&
           (a->kind != TREE_NUMBER ||
            memcmp(&a->number, &b->number, sizeof a->number) == 0);
}

/* True for what is reported elsewhere. */
static bool is_ignored(const Tree *t)
{
    static const char *const names[] = {"wall_s", "provenance", "model_sha256"};
    for (size_t k = 0; t->name && k < LENGTH(names); k++)
        if (strcmp(t->name, names[k]) == 0)
            return true;
    return false;
}

static bool is_branch(const Tree *t)
{
    return t->kind == TREE_OBJECT || t->kind == TREE_LIST;
}

/* The path of the first difference; false: there is none. */
static bool find_difference(const Tree *a, const Tree *b, Buffer *path)
{
    size_t used = path->v.used;
    unsigned number = 0;
    if (a && b && is_branch(a) && a->kind == b->kind) {
        const Tree *x = a->first, *y = b->first;
        for (; x || y; number++) {
            path->v.used = used;
            const Tree *named = x ? x : y;
            if (named->name)
                buffer_format(path, "%s%s", used ? "." : "", named->name);
            else
                buffer_format(path, "[%u]", number + 1);
            bool aside = x && y && is_ignored(x) && is_ignored(y);
            if (!aside && find_difference(x, y, path))
                return true;
            x = x ? x->next : NULL;
            y = y ? y->next : NULL;
        }
        return false;
    }
    if (a && b && same_leaf(a, b))
        return false;
    fputs("differs: ", stdout);
    print_plain(buffer_string(path), 400);
    fputs(" was ", stdout);
    print_value(a);
    fputs(", is ", stdout);
    print_value(b);
    return true;
}

static bool tell_json(const Buffer *old, const Buffer *again)
{
    Arena a = {0};
    Buffer path = {0}, one = *old, two = *again;
    const Tree *x = tree_read(&a, buffer_string(&one));
    const Tree *y = tree_read(&a, buffer_string(&two));
    bool told = x && y && find_difference(x, y, &path);
    buffer_free(&path);
    arena_free(&a);
    return told;
}

/* Cell k of a line. */
static const char *cell(const char *line, size_t length, unsigned k, int *n)
{
    const char *end = line + length;
    for (; k > 0 && line < end; line++)
        k -= *line == ',';
    const char *stop = line;
    while (stop < end && *stop != ',' && *stop != '\n' && *stop != '\r')
        stop++;
    *n = (int)(stop - line);
    return line;
}

/* Prints line and column of a difference in a table. */
static void print_cell_difference(const Buffer *old, const Lines *a,
                                  const Lines *b)
{
    const char *head = (const char *)old->v.bytes;
    unsigned column = 0;
    size_t most = a->length < b->length ? a->length : b->length;
    int n, was, is;
    for (size_t k = 0; k < most && a->at[k] == b->at[k]; k++)
        column += a->at[k] == ',';
    const char *name = cell(head, strcspn(head, "\n"), column, &n);
    const char *before = cell(a->at, a->length, column, &was);
    const char *now = cell(b->at, b->length, column, &is);
    printf("differs in line %lu: ", a->number);
    print_plain(name, n > 80 ? 80 : (size_t)n);
    fputs(" was ", stdout);
    print_plain(before, was > 80 ? 80 : (size_t)was);
    fputs(", is ", stdout);
    print_plain(now, is > 80 ? 80 : (size_t)is);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static void tell_file(const char *name, Buffer *old, Buffer *again,
                      const Lines *a, const Lines *b)
{
    if (!a->length || !b->length)
        printf("differs: it %s after line %lu", b->length ? "ended" : "ends",
               a->length ? b->number : a->number);
    else if (ends_in(name, ".csv"))
        print_cell_difference(old, a, b);
    else if (!ends_in(name, ".json"))
        printf("differs in line %lu", a->number);
    else if (!tell_json(old, again))
        fputs("differs only in the hash of the model", stdout);
    puts("");
}

/* ---- Files --------------------------------------------------------------- */

/* A PDF says when it was made. */
static bool has_date(const char *name)
{
    return ends_in(name, ".pdf");
}

static bool compare_texts(const char *name, Buffer *old, Buffer *again)
{
    const char *x = buffer_string(old), *y = buffer_string(again);
    Lines a = {.at = x, .end = x + old->v.used};
    Lines b = {.at = y, .end = y + again->v.used};
    bool aside =
        strcmp(name, "summary.json") == 0 || strcmp(name, "report.html") == 0;
    printf("%-24s ", name);
    if (differ(name, &a, &b)) {
        tell_file(name, old, again, &a, &b);
        return false;
    }
    puts(aside ? "the same, byte by byte (wall times aside)"
               : "the same, byte by byte");
    return true;
}

static Status compare_file(const char *name, const char *old, const char *again,
                           Comparison *c, Fault *f)
{
    Buffer x = {0}, y = {0}, one = {0}, two = {0};
    Status s = STATUS_OK;
    buffer_format(&x, "%s/%s", old, name);
    buffer_format(&y, "%s/%s", again, name);
    bool was = is_kind(buffer_string(&x), false);
    bool is = is_kind(buffer_string(&y), false);
    bool same = false;
    if (was && is && has_date(name)) {
        printf("%-24s not compared: such files contain the time\n", name);
        same = true;
    } else if (was && is) {
        s = file_read(buffer_string(&x), &one, f);
        if (s == STATUS_OK)
            s = file_read(buffer_string(&y), &two, f);
        same = s == STATUS_OK && compare_texts(name, &one, &two);
    } else {
        printf("%-24s %s\n", name,
               was ? "was there, but is no longer made"
                   : "is made now, but was not there");
    }
    c->same += same;
    c->other += !same;
    buffer_free(&x);
    buffer_free(&y);
    buffer_free(&one);
    buffer_free(&two);
    return s;
}

Status compare_folders(const char *old, const char *again, bool plots,
                       Comparison *c, Fault *f)
{
    Names n = {0};
    Arena a = {0};
    *c = (Comparison){0};
    Status s = list(&n, old, "", f);
    if (s == STATUS_OK)
        s = list(&n, again, "", f);
    if (s == STATUS_OK && plots)
        s = list(&n, old, "plots/", f);
    if (s == STATUS_OK && plots)
        s = list(&n, again, "plots/", f);
    if (s == STATUS_OK)
        s = sort_names(&n, &a);
    for (size_t k = 0; k < n.n && s == STATUS_OK; k++)
        s = compare_file(n.name[k], old, again, c, f);
    if (s == STATUS_MEMORY)
        fault_set(f, s, "no memory to compare %s", old);
    buffer_free(&n.text);
    arena_free(&a);
    return s;
}
