#include "cli/pair.h"

#include <math.h>
#include <string.h>

/* ---- Curves --------------------------------------------------------------------- */

static Status load(Pair *p, Results *r, uint64_t run, Columns *c)
{
    Fault *f = &p->c->fault;
    TRY(pair_open(p, r, results_table_name(&p->arena, "run", run), &c->rows,
                  &c->there));
    if (!c->there)
        return STATUS_OK;
    Table *t = &c->rows.t;
    c->value = NEW_ARRAY(&p->arena, Vector, t->columns);
    do {
        TRY(rows_next(&c->rows, f));
        for (uint32_t k = 0; k < t->columns; k++) {
            c->rounded = c->rounded || !t->column[k].exact;
            if (!c->value || !vector_append(&c->value[k], table_values(t, k),
                                            t->rows * sizeof(double)))
                return fault_set(f, STATUS_MEMORY,
                                 "%s: no memory for the curves", r->name);
        }
    } while (t->rows > 0);
    return STATUS_OK;
}

static void unload_one(Columns *c)
{
    for (uint32_t k = 0; c->there && c->value && k < c->rows.t.columns; k++)
        vector_free(&c->value[k]);
    if (c->there)
        rows_close(&c->rows);
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

/* A curve that cannot be compared counts as one without a digit in common. */
static void note_alone(Pair *p, const char *name, const char *where)
{
    buffer_format(&p->notes, "  only the %s has the curve %s\n", where, name);
    pair_tally(&p->curves, name, false, NAN);
}

static void note_unit(Pair *p, const char *name, const char *other)
{
    buffer_format(&p->notes, "  %s is %s in the second: not compared\n", name,
                  other);
    pair_tally(&p->curves, name, false, NAN);
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
            note_alone(p, name, "first");
        else if (strcmp(name, y->column[j].name) != 0)
            note_unit(p, name, y->column[j].name);
        else
            p->common[p->n++] =
                (Common){.name = name, .plain = a[k], .a = k, .b = j};
    }
    for (uint32_t j = 1; j < y->columns; j++)
        if (find_name(a, x->columns, b[j]) == x->columns)
            note_alone(p, y->column[j].name, "second");
    return true;
}

static void measure(Pair *p, Common *m)
{
    const Curve a = pair_curve(&p->x, m->a), b = pair_curve(&p->y, m->b);
    differ_curves(&m->d, &a, &b, p->digits);
    m->digits = differ_digits(m->d.most, 0, m->d.size);
    bool nothing = m->d.from > m->d.to;
    bool equal = m->d.same || (!nothing && m->d.most == 0 && m->d.unknown == 0);
    pair_tally(&p->curves, m->name, equal, nothing ? NAN : m->digits);
    if (!isnan(m->d.parts) && !(p->parts <= m->d.parts))
        p->parts = m->d.parts;
}

static bool is_told(const Common *m)
{
    return m->d.most > 0 || m->d.unknown > 0;
}

static bool any_differs(const Pair *p)
{
    bool any = false;
    for (uint32_t k = 0; k < p->n; k++)
        any = any || is_told(&p->common[k]);
    return any;
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
        if (!is_told(&m[k]))
            continue;
        sheet_text(&s, m[k].name);
        sheet_number(&s, m[k].d.most, 4);
        sheet_number(&s, m[k].d.at, 6);
        sheet_number(&s, m[k].d.rms, 4);
        pair_digits(&s, m[k].digits);
        sheet_number(&s, m[k].d.parts, 6);
    }
    buffer_char(b, '\n');
    sheet_print(b, &s);
    pair_more(b, &p->curves);
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
    const Curve x = pair_curve(&p->x, 0), y = pair_curve(&p->y, 0);
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
    if (p->x.rounded || p->y.rounded)
        buffer_text(b, "  as doubles: further digits are not looked at\n");
    if (!isnan(p->parts))
        buffer_format(b, "  they agree to %.3g digits up to %.6g\n", p->digits,
                      p->parts);
}

Status pair_load(Pair *p)
{
    p->curves.least = INFINITY;
    TRY(load(p, p->a, p->run_a, &p->x));
    TRY(load(p, p->b, p->run_b, &p->y));
    if (p->x.there != p->y.there)
        pair_tally(&p->curves, "curves", false, NAN);
    if (!p->x.there || !p->y.there)
        return STATUS_OK;
    if (!find_common(p))
        return fault_set(&p->c->fault, STATUS_MEMORY, "%s: no memory",
                         p->a->name);
    for (uint32_t k = 0; k < p->n; k++)
        measure(p, &p->common[k]);
    return STATUS_OK;
}

void pair_curves(Buffer *b, const Pair *p)
{
    if (p->x.there != p->y.there)
        buffer_format(b, "\n  only the %s has curves\n",
                      p->x.there ? "first" : "second");
    if (!p->x.there || !p->y.there)
        return;
    if (any_differs(p))
        put_curves(b, p);
    else
        buffer_char(b, '\n');
    put_time(b, p);
    buffer_bytes(b, (const char *)p->notes.v.bytes, p->notes.v.used);
}

void pair_unload(Pair *p)
{
    unload_one(&p->x);
    unload_one(&p->y);
    buffer_free(&p->notes);
    arena_free(&p->arena);
}
