#include "cli/pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/words.h"

/* ---- Counting ------------------------------------------------------------------- */

void pair_tally(Tally *t, const char *name, bool same, double digits)
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

void pair_digits(Sheet *s, double digits)
{
    char text[40] = "-";
    if (isinf(digits)) // the doubles are the same, but not what was written
        snprintf(text, sizeof text, "> 15");
    else if (!isnan(digits))
        snprintf(text, sizeof text, "%.1f", floor(10 * digits) / 10);
    sheet_text(s, text);
}

void pair_more(Buffer *b, const Tally *t)
{
    if (t->other > ROWS_SHOWN)
        buffer_format(b, "  and %u more\n", t->other - ROWS_SHOWN);
}

/* ---- Values --------------------------------------------------------------------- */

/* The leaves of two trees, side by side. */
typedef struct Leaves {
    Sheet sheet;
    Tally *tally;
    Buffer path;
    const Pair *pair;
    bool curves; // of the pair say what is small
} Leaves;

/* A value that is nearly 0 at the end of a curve agrees as far as that matters
   on this curve. */
static double size_of(const Leaves *l, const char *name)
{
    const Pair *p = l->pair;
    for (uint32_t k = 0; l->curves && k < p->n; k++)
        if (strcmp(p->common[k].plain, name) == 0)
            return p->common[k].d.size;
    return 0;
}

static void put_leaf(Sheet *s, const Tree *t, const char *unit)
{
    Buffer text = {0};
    if (!t)
        buffer_text(&text, "missing");
    else if (t->kind == TREE_TEXT)
        buffer_text(&text, t->text);
    else if (isnan(t->number))
        buffer_text(&text, "-");
    else
        buffer_format(&text, "%.10g", t->number + 0.0);
    if (t && unit[0])
        buffer_format(&text, " %s", unit);
    sheet_text(s, buffer_string(&text));
    buffer_free(&text);
}

/* A long array is the name of the file that has it, which is compared by
   itself. */
static bool is_elsewhere(const Tree *t)
{
    return t && t->kind == TREE_TEXT && results_is_table(t->text);
}

static bool same_leaf(const Tree *a, const Tree *b)
{
    return a && b && a->kind == b->kind &&
           (a->kind == TREE_TEXT     ? strcmp(a->text, b->text) == 0
            : a->kind == TREE_NUMBER ? a->number == b->number
                                     : true);
}

/* Units are shown, and nothing is compared, where they are not the same. */
static void see_leaf(Leaves *l, const Tree *a, const Tree *b)
{
    if (is_elsewhere(a) && is_elsewhere(b))
        return;
    const char *name = buffer_string(&l->path);
    const char *unit = words_unit(l->pair->units_a, name);
    const char *other = words_unit(l->pair->units_b, name);
    bool units = strcmp(unit, other) == 0 || !a || !b;
    double x = a && units ? a->number : NAN, y = b ? b->number : NAN;
    bool same = units && same_leaf(a, b);
    double digits =
        isnan(x) && isnan(y) ? NAN : differ_digits(x, y, size_of(l, name));
    pair_tally(l->tally, name, same, digits);
    if (same || l->tally->other > ROWS_SHOWN)
        return;
    sheet_text(&l->sheet, name);
    put_leaf(&l->sheet, a, units ? "" : unit);
    put_leaf(&l->sheet, b, units ? "" : other);
    sheet_number(&l->sheet, x - y, 3);
    pair_digits(&l->sheet, digits);
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

/* All numbers in one member of both runs. */
void pair_values(Buffer *b, Pair *p, const char *member, const char *head,
                 Tally *t, bool curves)
{
    const char *const heads[] = {head, "first", "second", "difference",
                                 "digits"};
    Leaves l = {.tally = t, .pair = p, .curves = curves};
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
        pair_more(b, t);
        if (t->same)
            buffer_format(b, "  %u more %s the same\n", t->same,
                          t->same == 1 ? "is" : "are");
    }
    b->broken = b->broken || l.sheet.cells.broken || l.path.broken;
    sheet_free(&l.sheet);
    buffer_free(&l.path);
}

/* ---- Long arrays ---------------------------------------------------------------- */

/* final-NNNN.csv: variable, row, column, value. */
enum { LONG_COLUMNS = 4, LONG_VALUE = 3 };

typedef struct LongTable {
    Rows rows;
    bool there;
    uint32_t at; // row of the block
} LongTable;

Status pair_open(Pair *p, Results *r, const char *name, Rows *rows, bool *there)
{
    Fault *f = &p->c->fault;
    if (!name)
        return fault_set(f, STATUS_MEMORY, "%s: no memory", r->name);
    return results_table(r, name, rows, there, f);
}

static Status open_long(Pair *p, Results *r, uint64_t run, LongTable *t)
{
    Fault *f = &p->c->fault;
    const char *name = results_table_name(&p->arena, "final", run);
    TRY(pair_open(p, r, name, &t->rows, &t->there));
    if (t->there && t->rows.t.columns != LONG_COLUMNS)
        return fault_set(f, STATUS_FILE, "%s: %s is not as cosy run writes it",
                         r->name, name);
    return STATUS_OK;
}

/* *more: there is a next value. */
static Status next_long(Pair *p, LongTable *t, double *value, bool *more)
{
    if (t->at == t->rows.t.rows) {
        TRY(rows_next(&t->rows, &p->c->fault));
        t->at = 0;
    }
    *more = t->at < t->rows.t.rows;
    if (*more)
        *value = table_values(&t->rows.t, LONG_VALUE)[t->at++];
    return STATUS_OK;
}

/* The largest difference over all elements, as the arrays are as large as
   their largest element. */
typedef struct LongDifference {
    uint64_t n, differ;
    double most, size;
    bool other_length;
} LongDifference;

static Status see_long(Pair *p, LongTable *x, LongTable *y, LongDifference *d)
{
    bool a = true, b = true;
    while (a && b) {
        double u = 0, v = 0;
        TRY(next_long(p, x, &u, &a));
        TRY(next_long(p, y, &v, &b));
        if (!a || !b)
            break;
        d->n++;
        d->differ += !(u == v || (isnan(u) && isnan(v)));
        d->most = fmax(d->most, fabs(u - v));
        d->size = fmax(d->size, fmax(fabs(u), fabs(v)));
    }
    d->other_length = a != b;
    return STATUS_OK;
}

static void put_long(Buffer *b, Pair *p, const LongDifference *d)
{
    bool same = d->differ == 0 && !d->other_length;
    double digits = d->other_length ? NAN : differ_digits(d->most, 0, d->size);
    pair_tally(&p->finals, "long arrays", same, digits);
    if (same)
        buffer_format(b, "  long arrays: all %" PRIu64 " values are the same\n",
                      d->n);
    else if (d->other_length)
        buffer_text(b, "  long arrays: they have other numbers of elements\n");
    else
        buffer_format(b,
                      "  long arrays: %" PRIu64 " of %" PRIu64
                      " values differ, by %.3g at most: %.1f digits\n",
                      d->differ, d->n, d->most, floor(10 * digits) / 10);
}

Status pair_long(Buffer *b, Pair *p)
{
    LongTable x = {.there = false}, y = {.there = false};
    LongDifference d = {0};
    Status s = open_long(p, p->a, p->run_a, &x);
    if (s == STATUS_OK)
        s = open_long(p, p->b, p->run_b, &y);
    if (s == STATUS_OK && x.there && y.there)
        s = see_long(p, &x, &y, &d);
    d.other_length = d.other_length || x.there != y.there;
    if (s == STATUS_OK && (x.there || y.there))
        put_long(b, p, &d);
    if (x.there)
        rows_close(&x.rows);
    if (y.there)
        rows_close(&y.rows);
    return s;
}
