/* cosy results compare: two runs value by value, curve by curve. */

#define _DEFAULT_SOURCE // mkdtemp
#include "cli/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stage.h"
#include "cli/sheet.h"
#include "plot/gnuplot.h"
#include "plot/plot.h"
#include "plot/thin.h"
#include "store/differ.h"

enum { ROWS_SHOWN = 40, DRAWN_MOST = PLOT_PANELS / 2, USUAL_DIGITS = 6 };

/* ---- What is gathered ---------------------------------------------------------- */

/* Values or curves of one kind: how many agree, and the one that does so
   least. */
typedef struct Tally {
    uint32_t same, other;
    double least; // digits; infinite: none differs
    char name[120];
} Tally;

/* A whole table, column by column. */
typedef struct Columns {
    Rows rows;
    Vector *value; // from the arena of the pair
    bool there;
} Columns;

/* A curve that both runs have, and how it differs. */
typedef struct Common {
    const char *name;  // with its unit
    const char *plain; // without
    uint32_t a, b;     // columns
    Difference d;
    double digits;
} Common;

typedef struct Pair {
    ResultsCommand *c;
    Results *a, *b;
    uint64_t run_a, run_b;
    const Tree *tree_a, *tree_b;
    double digits; // asked for, or usual
    Tally parameters, finals, statistics, curves;
    double parts; // the first time at which a curve parts; NaN: none does
    Columns x, y;
    Common *common;                  // curves
    uint32_t n;                      // of them
    Buffer notes;                    // about curves that are not compared
    char label_a[100], label_b[100]; // for a picture
    Arena arena;
} Pair;

static void tally(Tally *t, const char *name, bool same, double digits)
{
    if (same) {
        t->same++;
        return;
    }
    if (t->other == 0 || isnan(digits) || digits < t->least) {
        t->least = isnan(digits) ? 0 : digits;
        snprintf(t->name, sizeof t->name, "%s", name);
    }
    t->other++;
}

static void put_digits(Sheet *s, double digits)
{
    char text[40] = "-";
    if (isinf(digits)) // the doubles are the same, but not what was written
        snprintf(text, sizeof text, "> 15");
    else if (!isnan(digits))
        snprintf(text, sizeof text, "%.1f", floor(10 * digits) / 10);
    sheet_text(s, text);
}

/* ---- Values --------------------------------------------------------------------- */

/* The leaves of two trees, side by side. */
typedef struct Leaves {
    Sheet sheet;
    Tally *tally;
    Buffer path;
    const Pair *sizes; // whose curves say what is small; NULL: the values do
} Leaves;

/* A value that is nearly 0 at the end of a curve agrees as far as that matters
   on this curve. */
static double size_of(const Pair *p, const char *name)
{
    for (uint32_t k = 0; p && k < p->n; k++)
        if (strcmp(p->common[k].plain, name) == 0)
            return p->common[k].d.size;
    return 0;
}

static void put_leaf(Sheet *s, const Tree *t)
{
    if (!t)
        sheet_text(s, "missing");
    else if (t->kind == TREE_TEXT)
        sheet_text(s, t->text);
    else
        sheet_number(s, t->number, 10);
}

static void see_leaf(Leaves *l, const Tree *a, const Tree *b)
{
    const char *name = buffer_string(&l->path);
    double x = a ? a->number : NAN, y = b ? b->number : NAN;
    bool same = a && b && a->kind == b->kind &&
                (a->kind == TREE_TEXT     ? strcmp(a->text, b->text) == 0
                 : a->kind == TREE_NUMBER ? x == y
                                          : true);
    double digits = differ_digits(x, y, size_of(l->sizes, name));
    if (isnan(x) && isnan(y))
        digits = NAN;
    tally(l->tally, name, same, digits);
    if (same || l->tally->other > ROWS_SHOWN)
        return;
    sheet_text(&l->sheet, name);
    put_leaf(&l->sheet, a);
    put_leaf(&l->sheet, b);
    sheet_number(&l->sheet, x - y, 3);
    put_digits(&l->sheet, digits);
}

static bool is_branch(const Tree *t)
{
    return t && (t->kind == TREE_OBJECT || t->kind == TREE_LIST);
}

static void see_tree(Leaves *l, const Tree *a, const Tree *b);

/* Elements of lists meet by their places, members of objects by their names. */
static void see_members(Leaves *l, const Tree *a, const Tree *b)
{
    size_t used = l->path.v.used;
    bool list = (a ? a : b)->kind == TREE_LIST;
    unsigned place = 0;
    const Tree *y = b ? b->first : NULL;
    for (const Tree *x = a ? a->first : NULL; x; x = x->next) {
        const Tree *other = list ? y : tree_get(b, x->name);
        l->path.v.used = used;
        if (list)
            buffer_format(&l->path, "[%u]", ++place);
        else
            buffer_format(&l->path, "%s%s", used ? " " : "", x->name);
        see_tree(l, x, other);
        y = y ? y->next : NULL;
    }
    for (const Tree *z = list ? y : b ? b->first : NULL; z; z = z->next)
        if (list || !tree_get(a, z->name)) {
            l->path.v.used = used;
            if (list)
                buffer_format(&l->path, "[%u]", ++place);
            else
                buffer_format(&l->path, "%s%s", used ? " " : "", z->name);
            see_tree(l, NULL, z);
        }
    l->path.v.used = used;
}

static void see_tree(Leaves *l, const Tree *a, const Tree *b)
{
    if ((is_branch(a) || !a) && (is_branch(b) || !b) && (a || b) &&
        (!a || !b || a->kind == b->kind))
        see_members(l, a, b);
    else
        see_leaf(l, a, b);
}

static void put_more(Buffer *b, const Tally *t)
{
    if (t->other > ROWS_SHOWN)
        buffer_format(b, "  and %u more\n", t->other - ROWS_SHOWN);
}

/* All numbers in one member of both runs. */
static void compare_values(Buffer *b, Pair *p, const char *member,
                           const char *head, Tally *t, const Pair *sizes)
{
    const char *const heads[] = {head, "first", "second", "difference",
                                 "digits"};
    Leaves l = {.tally = t, .sizes = sizes};
    const Tree *x = tree_get(p->tree_a, member);
    const Tree *y = tree_get(p->tree_b, member);
    t->least = INFINITY;
    sheet_begin(&l.sheet, heads, LENGTH(heads));
    if (x || y)
        see_tree(&l, x, y);
    if (t->same + t->other > 0)
        buffer_char(b, '\n');
    if (t->other == 0 && t->same > 0)
        buffer_format(b, "  %s: all %u are the same\n", head, t->same);
    if (t->other > 0) {
        sheet_print(b, &l.sheet);
        put_more(b, t);
        if (t->same)
            buffer_format(b, "  %u more %s the same\n", t->same,
                          t->same == 1 ? "is" : "are");
    }
    b->broken = b->broken || l.sheet.cells.broken || l.path.broken;
    sheet_free(&l.sheet);
    buffer_free(&l.path);
}

/* ---- Curves --------------------------------------------------------------------- */

static Status load(Pair *p, Results *r, uint64_t run, Columns *c)
{
    Fault *f = &p->c->fault;
    const char *name = results_table_name(&p->arena, "run", run);
    if (!name)
        return fault_set(f, STATUS_MEMORY, "%s: no memory", r->name);
    TRY(results_table(r, name, &c->rows, &c->there, f));
    if (!c->there)
        return STATUS_OK;
    Table *t = &c->rows.t;
    c->value = NEW_ARRAY(&p->arena, Vector, t->columns);
    do {
        TRY(rows_next(&c->rows, f));
        for (uint32_t k = 0; k < t->columns; k++)
            if (!c->value || !vector_append(&c->value[k], table_values(t, k),
                                            t->rows * sizeof(double)))
                return fault_set(f, STATUS_MEMORY,
                                 "%s: no memory for the curves", r->name);
    } while (t->rows > 0);
    return STATUS_OK;
}

static void unload(Columns *c)
{
    for (uint32_t k = 0; c->there && c->value && k < c->rows.t.columns; k++)
        vector_free(&c->value[k]);
    if (c->there)
        rows_close(&c->rows);
}

static Curve curve_of(const Columns *c, uint32_t column)
{
    return (Curve){(const double *)(const void *)c->value[0].bytes,
                   (const double *)(const void *)c->value[column].bytes,
                   c->value[0].used / sizeof(double)};
}

/* The name of a column without its unit; NULL: no memory. */
static const char *plain_name(Pair *p, const char *name)
{
    size_t n = strlen(name) + 1;
    char *plain = NEW_ARRAY(&p->arena, char, 2 * n);
    if (plain)
        table_split_name(name, plain, plain + n);
    return plain;
}

static const char **plain_names(Pair *p, const Table *t)
{
    const char **plain = NEW_ARRAY(&p->arena, const char *, t->columns);
    for (uint32_t k = 0; plain && k < t->columns; k++)
        if (!(plain[k] = plain_name(p, t->column[k].name)))
            return NULL;
    return plain;
}

static uint32_t find_name(const char *const *names, uint32_t n,
                          const char *name)
{
    uint32_t k = 1;
    while (k < n && strcmp(names[k], name) != 0)
        k++;
    return k;
}

/* Columns of the same name and unit. Those that only one run has, or that have
   another unit there, are told. */
static bool find_common(Pair *p)
{
    const Table *x = &p->x.rows.t, *y = &p->y.rows.t;
    const char **a = plain_names(p, x), **b = plain_names(p, y);
    p->common = NEW_ARRAY(&p->arena, Common, x->columns);
    if (!a || !b || !p->common)
        return false;
    for (uint32_t k = 1; k < x->columns; k++) {
        const char *name = x->column[k].name;
        uint32_t j = find_name(b, y->columns, a[k]);
        if (j == y->columns)
            buffer_format(&p->notes, "  only the first has the curve %s\n",
                          name);
        else if (strcmp(name, y->column[j].name) != 0)
            buffer_format(&p->notes, "  %s is %s in the second: not compared\n",
                          name, y->column[j].name);
        else
            p->common[p->n++] =
                (Common){.name = name, .plain = a[k], .a = k, .b = j};
    }
    for (uint32_t j = 1; j < y->columns; j++)
        if (find_name(a, x->columns, b[j]) == x->columns)
            buffer_format(&p->notes, "  only the second has the curve %s\n",
                          y->column[j].name);
    return true;
}

static void measure(Pair *p, Common *m)
{
    const Curve a = curve_of(&p->x, m->a), b = curve_of(&p->y, m->b);
    differ_curves(&m->d, &a, &b, p->digits);
    m->digits =
        m->d.most > 0 ? fmax(0, -log10(m->d.most / m->d.size)) : INFINITY;
    bool nothing = m->d.from > m->d.to;
    bool equal = m->d.same || (!nothing && m->d.most == 0 && m->d.unknown == 0);
    tally(&p->curves, m->name, equal, nothing ? NAN : m->digits);
    if (!isnan(m->d.parts) && !(p->parts <= m->d.parts))
        p->parts = m->d.parts;
}

static void put_curves(Buffer *b, const Pair *p)
{
    const Common *m = p->common;
    static const char *const heads[] = {"CURVES", "largest|difference",
                                        "at",     "root mean|square",
                                        "digits", "parts|at"};
    Sheet s;
    sheet_begin(&s, heads, LENGTH(heads));
    for (uint32_t k = 0; k < p->n && sheet_rows(&s) < ROWS_SHOWN; k++) {
        if (m[k].d.most == 0 && m[k].d.unknown == 0)
            continue;
        sheet_text(&s, m[k].name);
        sheet_number(&s, m[k].d.most, 4);
        sheet_number(&s, m[k].d.at, 6);
        sheet_number(&s, m[k].d.rms, 4);
        put_digits(&s, m[k].digits);
        sheet_number(&s, m[k].d.parts, 6);
    }
    buffer_char(b, '\n');
    sheet_print(b, &s);
    put_more(b, &p->curves);
    for (uint32_t k = 0; k < p->n; k++)
        if (m[k].d.unknown > 0)
            buffer_format(b,
                          "  %s: only one of them has values for %.4g of "
                          "the time\n",
                          m[k].name, m[k].d.unknown);
    b->broken = b->broken || s.cells.broken;
    sheet_free(&s);
}

static void put_time(Buffer *b, const Pair *p)
{
    const Curve x = curve_of(&p->x, 0), y = curve_of(&p->y, 0);
    const Common *m = p->common;
    if (p->n == 0)
        return;
    if (m[0].d.from > m[0].d.to) {
        buffer_text(b, "  the curves have no time in common\n");
        return;
    }
    if (p->curves.same)
        buffer_format(b, "  %u curve%s the same\n", p->curves.same,
                      p->curves.same == 1 ? " is" : "s are");
    buffer_format(b,
                  "  compared from %.6g to %.6g, on straight lines between "
                  "%zu and %zu points\n",
                  m[0].d.from, m[0].d.to, x.n, y.n);
    if (!isnan(p->parts))
        buffer_format(b, "  they agree to %.3g digits up to %.6g\n", p->digits,
                      p->parts);
}

/* ---- The picture ------------------------------------------------------------------ */

/* A curve for a picture: its own copy, thinned. */
static bool add_series(Pair *p, PlotSeries *s, const char *name,
                       const double *x, const double *y, size_t n,
                       uint32_t panel)
{
    double *copy = NEW_ARRAY(&p->arena, double, 2 * n + 1);
    if (!copy)
        return false;
    memcpy(copy, x, n * sizeof *x);
    memcpy(copy + n, y, n * sizeof *y);
    *s = (PlotSeries){.name = name, .x = copy, .y = copy + n, .panel = panel};
    s->n = plot_thin(copy, copy + n, n, (ThinRoom){0});
    return true;
}

/* Both curves, and below them their difference. */
static bool add_panels(Pair *p, const Common *m, PlotSeries *s, PlotAxis *axis,
                       uint32_t place)
{
    const Curve a = curve_of(&p->x, m->a), b = curve_of(&p->y, m->b);
    size_t most = 2 * (a.n + b.n) + 1;
    double *t = NEW_ARRAY(&p->arena, double, most);
    double *v = NEW_ARRAY(&p->arena, double, most);
    char *label = NEW_ARRAY(&p->arena, char, strlen(m->name) + 20);
    if (!t || !v || !label)
        return false;
    size_t n = differ_points(&a, &b, t, v);
    sprintf(label, "difference of %s", m->name);
    axis[2 * place] = (PlotAxis)PLOT_AXIS(m->name);
    axis[2 * place + 1] =
        (PlotAxis){.label = label, .low = 1, .high = 0, .share = 0.6};
    return add_series(p, &s[3 * place], p->label_a, a.t, a.v, a.n, 2 * place) &&
           add_series(p, &s[3 * place + 1], p->label_b, b.t, b.v, b.n,
                      2 * place) &&
           add_series(p, &s[3 * place + 2], "difference", t, v, n,
                      2 * place + 1);
}

/* gnuplot draws in a folder of its own. */
static Status draw(Pair *p, const Plot *plot, const char *path)
{
    const char *above = getenv("TMPDIR");
    Fault *f = &p->c->fault;
    Undrawn undrawn = {0};
    Buffer svg = {0};
    char place[4096], file[4200];
    snprintf(place, sizeof place, "%s/cosy-compare-XXXXXX",
             above && above[0] == '/' ? above : "/tmp");
    if (!mkdtemp(place))
        return fault_set(f, STATUS_FILE, "%s: cannot be made", place);
    Status s = plot_write(plot, place, "compare", PLOT_SVG, f);
    if (s == STATUS_OK &&
        gnuplot_draw(place, "compare", 1, &undrawn) == DRAWN_NOT_FOUND)
        s = fault_set(f, STATUS_UNSUPPORTED,
                      "gnuplot draws pictures, and it is not installed here");
    snprintf(file, sizeof file, "%s/compare.svg", place);
    if (s == STATUS_OK)
        s = file_read(file, &svg, f);
    if (s == STATUS_OK)
        s = file_write(path, svg.v.bytes, svg.v.used, f);
    buffer_free(&svg);
    buffer_free(&undrawn.why);
    stage_remove(place);
    return s;
}

static int by_digits(const void *a, const void *b)
{
    const Common *x = a, *y = b;
    return (x->digits > y->digits) - (x->digits < y->digits);
}

static void put_label(char label[100], const Named *n, uint64_t run)
{
    if (n->folder)
        snprintf(label, 100, "%.70s, run %" PRIu64, n->folder, run);
    else
        snprintf(label, 100, "study %" PRId64 ", run %" PRIu64, n->study, run);
}

/* Those that agree least. */
static Status draw_curves(Pair *p, const char *path)
{
    PlotSeries series[3 * DRAWN_MOST];
    PlotAxis axis[2 * DRAWN_MOST];
    char title[240];
    Common *m = p->common;
    uint32_t drawn = p->n < DRAWN_MOST ? p->n : DRAWN_MOST;
    put_label(p->label_a, &p->c->name[0], p->run_a);
    put_label(p->label_b, &p->c->name[1], p->run_b);
    qsort(m, p->n, sizeof *m, by_digits);
    while (drawn > 1 && m[drawn - 1].d.most == 0)
        drawn--;
    for (uint32_t k = 0; k < drawn; k++)
        if (!add_panels(p, &m[k], series, axis, k))
            return fault_set(&p->c->fault, STATUS_MEMORY,
                             "no memory for the picture");
    if (drawn == 0)
        return fault_set(&p->c->fault, STATUS_UNSUPPORTED,
                         "there is no curve that both have, so nothing was "
                         "drawn");
    snprintf(title, sizeof title, "%s: %s and %s",
             tree_text(results_head(p->a, &p->arena), "program"), p->label_a,
             p->label_b);
    const Plot plot = {.title = title,
                       .x = PLOT_AXIS(p->x.rows.t.column[0].name),
                       .y = axis[0],
                       .lower = axis + 1,
                       .lowers = 2 * drawn - 1,
                       .series = series,
                       .n = 3 * drawn};
    return draw(p, &plot, path);
}

/* ---- A pair of runs ----------------------------------------------------------------- */

static Status load_both(Pair *p)
{
    p->curves.least = INFINITY;
    TRY(load(p, p->a, p->run_a, &p->x));
    TRY(load(p, p->b, p->run_b, &p->y));
    if (!p->x.there || !p->y.there)
        return STATUS_OK;
    if (!find_common(p))
        return fault_set(&p->c->fault, STATUS_MEMORY, "%s: no memory",
                         p->a->name);
    for (uint32_t k = 0; k < p->n; k++)
        measure(p, &p->common[k]);
    return STATUS_OK;
}

static void put_curve_part(Buffer *b, const Pair *p)
{
    if (p->x.there != p->y.there)
        buffer_format(b, "\n  only the %s has curves\n",
                      p->x.there ? "first" : "second");
    if (!p->x.there || !p->y.there)
        return;
    if (p->curves.other)
        put_curves(b, p);
    else
        buffer_char(b, '\n');
    put_time(b, p);
    buffer_bytes(b, (const char *)p->notes.v.bytes, p->notes.v.used);
}

static Status compare_pair(Buffer *b, Pair *p)
{
    Fault *f = &p->c->fault;
    const char *graph = results_option(p->c, "--graph");
    p->parts = NAN;
    TRY(results_run(p->a, &p->arena, p->run_a, &p->tree_a, f));
    TRY(results_run(p->b, &p->arena, p->run_b, &p->tree_b, f));
    TRY(load_both(p));
    const char *x = tree_text(p->tree_a, "status");
    const char *y = tree_text(p->tree_b, "status");
    if (strcmp(x, y) != 0)
        buffer_format(b, "\n  the first run %s, the second %s\n", x, y);
    compare_values(b, p, "parameters", "PARAMETERS", &p->parameters, NULL);
    compare_values(b, p, "final", "FINAL VALUES", &p->finals, p);
    compare_values(b, p, "statistics", "STATISTICS", &p->statistics, NULL);
    put_curve_part(b, p);
    return graph ? draw_curves(p, graph) : STATUS_OK;
}

static void pair_free(Pair *p)
{
    unload(&p->x);
    unload(&p->y);
    buffer_free(&p->notes);
    arena_free(&p->arena);
}

/* ---- All runs ---------------------------------------------------------------------- */

/* A table with a line per pair. */
typedef struct Pairs {
    ResultsCommand *c;
    Results *a, *b;
    double digits, least;
    Sheet sheet;
    uint64_t only_a, pairs, same;
} Pairs;

static double least_of(const Pair *p)
{
    return fmin(p->finals.least, fmin(p->statistics.least, p->curves.least));
}

static void put_tally(Sheet *s, const Tally *t)
{
    if (t->other == 0)
        sheet_text(s, t->same ? "same" : "-");
    else
        put_digits(s, t->least);
}

static void put_pair(Pairs *all, const Pair *p)
{
    const Tally *kinds[] = {&p->finals, &p->statistics, &p->curves};
    const Tally *worst = NULL;
    for (size_t k = 0; k < LENGTH(kinds); k++)
        if (kinds[k]->other && (!worst || kinds[k]->least < worst->least))
            worst = kinds[k];
    all->same += worst == NULL;
    if (!worst || sheet_rows(&all->sheet) >= ROWS_SHOWN)
        return;
    sheet_number(&all->sheet, (double)p->run_a, 15);
    for (size_t k = 0; k < LENGTH(kinds); k++)
        put_tally(&all->sheet, kinds[k]);
    sheet_number(&all->sheet, p->parts, 6);
    sheet_text(&all->sheet, worst->name);
}

static Status see_run(void *user, const ResultsRun *run)
{
    Pairs *all = user;
    Pair p = {.c = all->c,
              .a = all->a,
              .b = all->b,
              .run_a = run->number,
              .run_b = run->number,
              .digits = all->digits};
    Buffer unused = {0};
    const Tree *other;
    Fault none = {0};
    Status s = results_run(all->b, &p.arena, run->number, &other, &none);
    if (s == STATUS_USAGE) {
        all->only_a++;
        pair_free(&p);
        return STATUS_OK;
    }
    s = compare_pair(&unused, &p);
    if (s == STATUS_OK) {
        put_pair(all, &p);
        all->pairs++;
        all->least = fmin(all->least, least_of(&p));
    }
    buffer_free(&unused);
    pair_free(&p);
    return s;
}

static Status compare_all(Buffer *b, ResultsCommand *c, Results *x, Results *y,
                          double digits, double *least)
{
    static const char *const heads[] = {
        ">run",          "digits|finals", "digits|statistics",
        "digits|curves", "parts|at",      "<agrees least"};
    Pairs all = {.c = c, .a = x, .b = y, .digits = digits, .least = INFINITY};
    if (results_option(c, "--graph"))
        return fault_set(&c->fault, STATUS_USAGE,
                         "--graph draws one pair of runs: --run K says which");
    sheet_begin(&all.sheet, heads, LENGTH(heads));
    TRY(results_each(x, see_run, &all, &c->fault));
    if (all.sheet.n > 0) {
        buffer_char(b, '\n');
        sheet_print(b, &all.sheet);
    }
    buffer_format(b, "\n  %" PRIu64 " pair%s of runs, ", all.pairs,
                  all.pairs == 1 ? "" : "s");
    if (all.same == all.pairs || all.same == 0)
        buffer_format(b, "%s of which agree in everything\n",
                      all.same ? "all" : "none");
    else
        buffer_format(b, "%" PRIu64 " of which agree%s in everything\n",
                      all.same, all.same == 1 ? "s" : "");
    if (all.only_a)
        buffer_format(b, "  %" PRIu64 " runs are only in the first\n",
                      all.only_a);
    if (y->runs > all.pairs)
        buffer_format(b, "  %" PRIu64 " runs are only in the second\n",
                      y->runs - all.pairs);
    *least = all.only_a || y->runs > all.pairs ? 0 : all.least;
    sheet_free(&all.sheet);
    return STATUS_OK;
}

static Status compare_one(Buffer *b, ResultsCommand *c, Results *x, Results *y,
                          double digits, double *least)
{
    Pair p = {.c = c,
              .a = x,
              .b = y,
              .run_a = results_meant(c, &c->name[0], x),
              .run_b = results_meant(c, &c->name[1], y),
              .digits = digits};
    buffer_format(
        b, "first:  run %" PRIu64 " of %s\nsecond: run %" PRIu64 " of %s\n",
        p.run_a, x->name, p.run_b, y->name);
    Status s = compare_pair(b, &p);
    *least = least_of(&p);
    pair_free(&p);
    return s;
}

static Status compare_both(Buffer *b, ResultsCommand *c, Results *x, Results *y)
{
    const char *wanted = results_option(c, "--digits");
    char *end = NULL;
    double digits = wanted ? strtod(wanted, &end) : USUAL_DIGITS, least = 0;
    if (wanted && (end == wanted || *end || !(digits > 0 && digits <= 40)))
        return fault_set(&c->fault, STATUS_USAGE,
                         "--digits needs a number of digits above 0, not "
                         "\"%s\"",
                         wanted);
    uint64_t first = results_meant(c, &c->name[0], x);
    uint64_t second = results_meant(c, &c->name[1], y);
    if (!first != !second)
        return fault_set(&c->fault, STATUS_USAGE,
                         "%s has %" PRIu64 " runs: N:K or DIR:K names the one "
                         "that is compared",
                         first ? y->name : x->name, first ? y->runs : x->runs);
    if (first)
        TRY(compare_one(b, c, x, y, digits, &least));
    else {
        buffer_format(b, "first:  %s\nsecond: %s\n", x->name, y->name);
        TRY(compare_all(b, c, x, y, digits, &least));
    }
    c->differ = wanted && least < digits;
    return STATUS_OK;
}

Status results_compare(ResultsCommand *c)
{
    Results x, y;
    Buffer b = {0};
    TRY(results_open(c, &c->name[0], &x));
    Status s = results_open(c, &c->name[1], &y);
    if (s == STATUS_OK) {
        s = compare_both(&b, c, &x, &y);
        results_close(&y);
    }
    if (s == STATUS_OK && b.broken)
        s = fault_set(&c->fault, STATUS_MEMORY, "no memory to compare");
    if (s == STATUS_OK)
        fwrite(b.v.bytes, 1, b.v.used, stdout);
    buffer_free(&b);
    results_close(&x);
    return s;
}
