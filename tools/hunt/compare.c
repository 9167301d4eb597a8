#include "hunt/compare.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "check/dimension.h"

typedef struct Compare {
    Arena *arena;
    const Change *change;
    unsigned skip;
    bool near;
    double times;          // this many tolerances count as near
    const Tree *units[2];  // units of both, for SKIP_UNITS
    const char *different; // the first difference
    char path[256];        // path of what is compared
} Compare;

static void differs(Compare *c, const char *format, const char *a,
                    const char *b)
{
    if (!c->different)
        c->different = text_format(c->arena, format, a, b);
}

/* ---- Trees --------------------------------------------------------------- */

static const char *shown(Arena *a, const Tree *t)
{
    static const char *const words[] = {[TREE_NULL] = "null",
                                        [TREE_FALSE] = "false",
                                        [TREE_TRUE] = "true",
                                        [TREE_LIST] = "a list",
                                        [TREE_OBJECT] = "an object"};
    if (t->kind == TREE_NUMBER)
        return text_format(a, "%.17g", t->number);
    return t->kind == TREE_TEXT ? t->text : words[t->kind];
}

static bool left_out(const Compare *c, const char *name)
{
    static const struct {
        const char *name;
        unsigned skip; // 0: always
    } table[] = {{"wall_s", 0},
                 {"features", 0},
                 {"errors", 0},
                 {"model_sha256", 0},
                 {"provenance", 0},
                 {"counts", SKIP_COUNTS},
                 {"constraints", SKIP_COUNTS},
                 {"message", SKIP_MESSAGE},
                 {"rhs", SKIP_EFFORT},
                 {"jacobians", SKIP_EFFORT},
                 {"choice", SKIP_COUNTS | SKIP_MESSAGE},
                 {"method", SKIP_COUNTS},
                 {"statistics", SKIP_STATISTICS},
                 {"units", SKIP_UNITS},
                 {"studies", 0},     // quantities of what is STOREd
                 {"uncertainty", 0}, // the same
                 {"optimum", SKIP_WHOLE},
                 {"replications", SKIP_WHOLE}};
    /* Entries that contain times, messages with places in the text,
       intervals. */
    static const char *const far[] = {"sliding", "ranges", "message", "ci95",
                                      "batches"};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (strcmp(table[k].name, name) == 0)
            return table[k].skip == 0 || (table[k].skip & c->skip);
    for (size_t k = 0; k < LENGTH(far) && c->near; k++)
        if (strcmp(far[k], name) == 0)
            return true;
    return false;
}

/* Near as defined in the header; times are adjusted as the change requires. */
static bool numbers_near(const Compare *c, double a, double sharp, double b,
                         bool time)
{
    double factor = c->change->factor > 0 ? c->change->factor : 1;
    if (time)
        b = (b - c->change->shift) * factor;
    double size = fmax(fabs(a), fabs(b));
    double most =
        c->times * (NEAR_RELERR * size + NEAR_ABSERR) + 10 * fabs(a - sharp);
    return fabs(a - b) <= most || (isnan(a) && isnan(b));
}

/* The unit of the quantity at the end of the path: runs[1]/final/NAME or
   NAME[2]. */
static bool unit_at(const Compare *c, const Tree *units, Dimension *d)
{
    const char *name = strstr(c->path, "/final/");
    uint32_t wrong;
    const char *why;
    name = name ? name + strlen("/final/") : strstr(c->path, "/parameters/");
    if (!name || !units)
        return false;
    if (*name == '/')
        name += strlen("/parameters/");
    name = text_format(c->arena, "%.*s", (int)strcspn(name, "["), name);
    return dimension_read(tree_text(units, name), d, &wrong, &why);
}

/* The factor for a number of the changed run. */
static double unit_factor(const Compare *c)
{
    Dimension a, b;
    if (!(c->skip & SKIP_UNITS) || !unit_at(c, c->units[0], &a) ||
        !unit_at(c, c->units[1], &b) || !dimension_same(a, b))
        return 1;
    return (double)dimension_ratio(b, a);
}

static bool is_number(const Tree *t)
{
    return t->kind == TREE_NUMBER ||
           (t->kind == TREE_TEXT && !isnan(t->number));
}

static void compare_trees(Compare *c, const Tree *a, const Tree *s,
                          const Tree *b);

/* Compares members of objects by name, elements of lists by position. Hidden
   variables of library functions are named after their line, LAG@12, which
   changes if equations have moved. */
static void compare_members(Compare *c, const Tree *a, const Tree *s,
                            const Tree *b)
{
    size_t length = strlen(c->path);
    const Tree *y = b->first, *z = s ? s->first : NULL;
    if (a->kind == TREE_LIST && a->count != b->count)
        differs(c, "%s: %s", c->path, "lists of different length");
    unsigned number = 0;
    for (const Tree *x = a->first; x && !c->different; x = x->next) {
        if (a->kind == TREE_OBJECT) {
            y = tree_get(b, x->name);
            z = s ? tree_get(s, x->name) : NULL;
        }
        bool skip = x->name && left_out(c, x->name);
        if (x->name)
            snprintf(c->path + length, sizeof c->path - length, "%s%s",
                     length ? "/" : "", x->name);
        else
            snprintf(c->path + length, sizeof c->path - length, "[%u]",
                     ++number);
        if (!skip && !y && !(c->near && strchr(x->name, '@')))
            differs(c, "%s%s", c->path, " is missing");
        else if (!skip && y)
            compare_trees(c, x, z, y);
        c->path[length] = '\0';
        if (a->kind == TREE_LIST) {
            y = y->next;
            z = z ? z->next : NULL;
        }
    }
    /* What only the other one has. */
    for (const Tree *x = b->first; a->kind == TREE_OBJECT && x && !c->different;
         x = x->next)
        if (!left_out(c, x->name) && !tree_get(a, x->name) &&
            !(c->near && strchr(x->name, '@')))
            differs(c, "%s is only in the changed run%s", x->name, "");
}

static void compare_trees(Compare *c, const Tree *a, const Tree *s,
                          const Tree *b)
{
    bool same = a->kind == b->kind;
    if (c->near && is_number(a) && is_number(b)) {
        bool time = strstr(c->path, "/t_begin") || strstr(c->path, "/t_end");
        same = numbers_near(c, a->number,
                            s && is_number(s) ? s->number : a->number,
                            b->number * unit_factor(c), time);
    } else if (same && a->kind == TREE_NUMBER) {
        same = memcmp(&a->number, &b->number, sizeof a->number) == 0;
    } else if (same && a->kind == TREE_TEXT) {
        same = strcmp(a->text, b->text) == 0;
    } else if (same && (a->kind == TREE_LIST || a->kind == TREE_OBJECT)) {
        compare_members(c, a, s, b);
    }
    if (!same)
        differs(c, text_format(c->arena, "%s: %%s and %%s", c->path),
                shown(c->arena, a), shown(c->arena, b));
}

/* ---- Files --------------------------------------------------------------- */

/* True if a line of n characters contains this text. */
static bool line_has(const char *line, size_t n, const char *text)
{
    size_t m = strlen(text);
    for (size_t k = 0; k + m <= n; k++)
        if (line[k] == *text && memcmp(line + k, text, m) == 0)
            return true;
    return false;
}

/* Leaves out lines that may differ: where results are, and events that only a
   traced run has. */
static const char *without_lines(Compare *c, const char *text)
{
    Buffer b = {0};
    const char *next;
    for (const char *line = text; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        if (strncmp(line, "Results are in ", 15) == 0 ||
            ((c->skip & SKIP_HIDDEN) && line_has(line, n, ",hidden,")))
            continue;
        buffer_bytes(&b, line, (size_t)(next - line));
    }
    const char *result = text_format(c->arena, "%s", buffer_string(&b));
    buffer_free(&b);
    return result;
}

static void compare_texts(Compare *c, const char *what, const char *a,
                          const char *b)
{
    unsigned line = 1;
    if (c->different)
        return;
    a = without_lines(c, a);
    b = without_lines(c, change_undo(c->change, c->arena, b));
    if (strcmp(a, b) == 0)
        return;
    size_t k = 0, begin = 0;
    for (; a[k] && a[k] == b[k]; k++)
        if (a[k] == '\n') {
            line++;
            begin = k + 1;
        }
    differs(
        c,
        text_format(c->arena, "%s, line %u: \"%%s\" and \"%%s\"", what, line),
        text_format(c->arena, "%.*s", (int)strcspn(a + begin, "\n"), a + begin),
        text_format(c->arena, "%.*s", (int)strcspn(b + begin, "\n"),
                    b + begin));
}

static const char *run_file(Arena *a, const HuntRun *r, const char *kind,
                            unsigned run)
{
    return hunt_read(a,
                     text_format(a, "%s/%s-%04u.csv", r->results, kind, run));
}

static unsigned run_count(const HuntRun *r)
{
    const Tree *runs = tree_get(r->summary, "runs");
    return runs ? runs->count : 0;
}

static void compare_files(Compare *c, const HuntRun *a, const HuntRun *b,
                          const char *kind)
{
    for (unsigned k = 1; k <= run_count(a) && !c->different; k++) {
        const char *x = run_file(c->arena, a, kind, k);
        const char *y = run_file(c->arena, b, kind, k);
        // one run of many in which nothing happened has no list of events
        const char *none =
            strcmp(kind, "events") == 0 ? "time,event,kind,detail\n" : "";
        compare_texts(c, text_format(c->arena, "%s-%04u.csv", kind, k),
                      x ? x : none, y ? y : none);
    }
}

/* ---- Both ---------------------------------------------------------------- */

static const Tree *changed_summary(Compare *c, const HuntRun *b)
{
    if (!b->summary)
        return NULL;
    const char *text = hunt_read(
        c->arena, text_format(c->arena, "%s/summary.json", b->results));
    return text ? tree_read(c->arena, change_undo(c->change, c->arena, text))
                : NULL;
}

static void compare_ends(Compare *c, const HuntRun *a, const HuntRun *b)
{
    if (b->late)
        differs(c, "%s%s", "does not end", "");
    else if (a->exit != b->exit)
        differs(c,
                text_format(c->arena, "exit status %d, before %d: %%s%%s",
                            b->exit, a->exit),
                text_format(c->arena, "%.*s", (int)strcspn(b->errors, "\n"),
                            b->errors),
                "");
    else if (!a->summary != !b->summary)
        differs(c, "%s%s", "summary.json is missing", "");
}

const char *compare_same(Arena *arena, const HuntRun *a, const HuntRun *b,
                         const Change *change, unsigned skip)
{
    Compare c = {.arena = arena, .change = change, .skip = skip};
    compare_ends(&c, a, b);
    if (c.different || !a->summary)
        return c.different;
    const Tree *t = changed_summary(&c, b);
    if (!t)
        differs(&c, "%s%s", "summary.json cannot be read", "");
    else
        compare_trees(&c, a->summary, NULL, t);
    compare_files(&c, a, b, "events");
    if (!(skip & SKIP_CURVES))
        compare_files(&c, a, b, "run");
    if (!(skip & SKIP_OUTPUT))
        compare_texts(&c, "output", a->out, b->out);
    return c.different;
}

/* How often each event happened: a sorted list of `NAME count`. */
static const char *event_counts(Arena *a, const char *text)
{
    Buffer b = {0};
    const char *next, *name[200];
    unsigned count[200], names = 0;
    for (const char *line = text ? text : ""; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        const char *first = memchr(line, ',', n);
        if (line == text || !first || !line_has(line, n, ",state,"))
            continue;
        const char *event =
            text_format(a, "%.*s", (int)strcspn(first + 1, ","), first + 1);
        unsigned k = 0;
        while (k < names && strcmp(name[k], event) != 0)
            k++;
        if (k == names && names < LENGTH(name)) {
            name[names] = event;
            count[names++] = 0;
        }
        if (k < names)
            count[k]++;
    }
    for (unsigned i = 0; i < names; i++) { // selection sort: few names
        unsigned least = i;
        for (unsigned k = i + 1; k < names; k++)
            if (strcmp(name[k], name[least]) < 0)
                least = k;
        const char *kept = name[i];
        unsigned kept_count = count[i];
        name[i] = name[least];
        count[i] = count[least];
        name[least] = kept;
        count[least] = kept_count;
        buffer_format(&b, "%s %u, ", name[i], count[i]);
    }
    const char *result = text_format(a, "%s", buffer_string(&b));
    buffer_free(&b);
    return result;
}

const char *compare_near(Arena *arena, const HuntRun *a, const HuntRun *sharp,
                         const HuntRun *b, const Change *change, unsigned skip,
                         double times)
{
    Compare c = {.arena = arena,
                 .times = times,
                 .change = change,
                 .skip = skip | SKIP_COUNTS | SKIP_WHOLE,
                 .near = true};
    compare_ends(&c, a, b);
    if (c.different || !a->summary)
        return c.different;
    c.units[0] = tree_get(a->summary, "units");
    c.units[1] = tree_get(b->summary, "units");
    compare_trees(&c, a->summary, sharp->summary, b->summary);
    for (unsigned k = 1; k <= run_count(a) && !c.different; k++) {
        const char *x = event_counts(arena, run_file(arena, a, "events", k));
        const char *y = event_counts(arena, run_file(arena, b, "events", k));
        const char *s =
            event_counts(arena, run_file(arena, sharp, "events", k));
        if (strcmp(x, s) == 0 && strcmp(x, y) != 0)
            differs(&c, "events: %s and %s", x, y);
    }
    return c.different;
}

static void worst(const Tree *a, const Tree *s, const char *of, double *most,
                  const char **name)
{
    if (a && s && is_number(a) && is_number(s)) {
        double size =
            NEAR_RELERR * fmax(fabs(a->number), fabs(s->number)) + NEAR_ABSERR;
        double far = fabs(a->number - s->number) / size;
        if (far > *most) {
            *most = far;
            *name = of;
        }
        return;
    }
    if (!a || !s || a->kind != s->kind)
        return;
    const Tree *y = s->first;
    for (const Tree *x = a->first; x; x = x->next, y = y ? y->next : NULL)
        worst(x, x->name ? tree_get(s, x->name) : y, x->name ? x->name : of,
              most, name);
}

double compare_distance(const HuntRun *one, const HuntRun *sharp,
                        const char **name)
{
    double most = 0;
    const Tree *a = tree_get(one->summary, "runs");
    const Tree *s = tree_get(sharp->summary, "runs");
    *name = "";
    if (!a || !s)
        return 0;
    const Tree *y = s->first;
    for (const Tree *x = a->first; x && y; x = x->next, y = y->next)
        worst(tree_get(x, "final"), tree_get(y, "final"), "", &most, name);
    return most;
}
