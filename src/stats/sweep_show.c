#include "stats/sweep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "stats/number.h"
#include "stats/value.h"

/* A table of a study on a terminal: one line per element, and below it where each
   quantity is least and greatest. */

enum {
    CHOSEN_MOST = 8, // quantities in a table
    NAME_MOST = 18,  // characters of a name
    GAP = 2
};

/* One column: its heading in two lines, and its cells. */
typedef struct Column {
    Buffer name, unit;
    size_t width;
} Column;

typedef struct Table {
    const SweepTable *t;
    uint32_t chosen[CHOSEN_MOST];
    uint32_t shown, left; // quantities
    bool status;          // some run did not finish
    uint32_t rows, all;   // lines, and elements that were carried out
    Column *column;
    uint32_t columns, parameters;
} Table;

/* ---- Cells ------------------------------------------------------------------ */

/* The digits that the interval leaves: two of its half width, and as many of the
   mean as reach there. */
static void put_sure(Buffer *b, real mean, real half)
{
    double size = fabs((double)mean), width = fabs((double)half);
    if (!(width > 0) || !isfinite(width) || !(size < 1e7) || width < 1e-7) {
        number_print(b, 'g', 5, mean);
        buffer_text(b, " +- ");
        number_print(b, 'g', 2, half);
        return;
    }
    int digits = 1 - (int)floor(log10(width));
    digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
    number_print(b, 'f', digits, mean);
    buffer_text(b, " +- ");
    number_print(b, 'f', digits, half);
}

static void put_cell(Buffer *b, const SweepTable *t, uint32_t row,
                     uint32_t quantity)
{
    real mean = sweep_mean(t, row, quantity);
    real half = sweep_half(t, row, quantity);
    if (mean != mean)
        buffer_char(b, '-');
    else if (half == half)
        put_sure(b, mean, half);
    else
        number_print(b, 'g', 6, mean);
}

/* The text of a cell: columns are run, parameters, status, quantities. */
static void put_text(Buffer *b, const Table *p, uint32_t row, uint32_t column)
{
    const SweepRow *r = sweep_row(p->t, row);
    uint32_t k = column - 1;
    if (column == 0)
        buffer_format(b, "%u", r->run);
    else if (k < p->parameters)
        sweep_put_value(b, p->t, k, sweep_setting(p->t, row, k), 6);
    else if (p->status && k == p->parameters) {
        if (p->t->replicated && r->failed + r->stopped)
            buffer_format(b, "%u of %u %s", r->failed + r->stopped, r->runs,
                          sweep_status(r));
        else
            buffer_text(b, sweep_status(r));
    } else
        put_cell(b, p->t, row, p->chosen[k - p->parameters - p->status]);
}

/* ---- Columns ---------------------------------------------------------------- */

static void cut_name(Buffer *b)
{
    if (b->v.used <= NAME_MOST)
        return;
    b->v.used = NAME_MOST - 1;
    buffer_char(b, '~');
}

static void name_column(Table *p, uint32_t column)
{
    Column *c = &p->column[column];
    const CosyModel *m = p->t->model;
    uint32_t k = column - 1;
    if (column == 0) {
        buffer_text(&c->name, "run");
    } else if (k < p->parameters) {
        const RunSetting *s = sweep_parameter(p->t, k);
        sweep_put_name(&c->name, p->t, k);
        value_put_unit(&c->unit,
                       value_shown_unit(m->variables[s->variable].unit));
    } else if (p->status && k == p->parameters) {
        buffer_text(&c->name, "status");
    } else {
        const Quantity *q =
            sweep_quantity(p->t, p->chosen[k - p->parameters - p->status]);
        buffer_text(&c->name, q->name);
        value_put_unit(&c->unit, value_shown_unit(quantity_unit(m, q)));
    }
    cut_name(&c->name);
    cut_name(&c->unit);
}

/* Whether an element has a line. */
static bool is_shown(const Table *p, uint32_t row, uint32_t before)
{
    return sweep_row(p->t, row)->runs && before < p->rows;
}

static void measure_column(Table *p, uint32_t column)
{
    Column *c = &p->column[column];
    uint32_t lines = 0;
    name_column(p, column);
    c->width =
        c->name.v.used > c->unit.v.used ? c->name.v.used : c->unit.v.used;
    c->width = c->width < 3 ? 3 : c->width;
    for (uint32_t row = 0; row < p->t->elements; row++) {
        Buffer cell = {0};
        if (!is_shown(p, row, lines))
            continue;
        lines++;
        put_text(&cell, p, row, column);
        c->width = cell.v.used > c->width ? cell.v.used : c->width;
        buffer_free(&cell);
    }
}

/* Leaves out the last quantities if there is no room for them; the first one, and
   what varies, stay. */
static void fit_columns(Table *p, uint32_t wide)
{
    uint32_t head = p->columns - p->shown;
    size_t used = 0;
    for (uint32_t k = 0; k < p->columns; k++) {
        used += GAP + p->column[k].width;
        if (used > wide && k > head) {
            p->left += p->columns - k;
            p->shown -= p->columns - k;
            p->columns = k;
        }
    }
}

/* ---- The table -------------------------------------------------------------- */

static void put_right(Buffer *b, const Buffer *text, size_t width)
{
    assert(text->v.used <= width);
    buffer_format(b, "%*s%.*s", (int)(GAP + width - text->v.used), "",
                  (int)text->v.used,
                  text->v.used ? (const char *)text->v.bytes : "");
}

static void end_line(Buffer *b)
{
    while (b->v.used && b->v.bytes[b->v.used - 1] == ' ')
        b->v.used--;
    buffer_char(b, '\n');
}

static void put_head(Buffer *b, const Table *p)
{
    bool units = false;
    for (uint32_t k = 0; k < p->columns; k++) {
        put_right(b, &p->column[k].name, p->column[k].width);
        units = units || p->column[k].unit.v.used;
    }
    end_line(b);
    for (uint32_t k = 0; k < p->columns && units; k++)
        put_right(b, &p->column[k].unit, p->column[k].width);
    if (units)
        end_line(b);
}

static void put_rows(Buffer *b, const Table *p)
{
    for (uint32_t row = 0, lines = 0; row < p->t->elements; row++) {
        if (!is_shown(p, row, lines))
            continue;
        lines++;
        for (uint32_t k = 0; k < p->columns; k++) {
            Buffer cell = {0};
            put_text(&cell, p, row, k);
            put_right(b, &cell, p->column[k].width);
            buffer_free(&cell);
        }
        end_line(b);
    }
}

/* "  X is least at A = 1 (run 2), and greatest at A = 3 (run 7)" */
static void put_ends(Buffer *b, const Table *p, uint32_t quantity,
                     uint32_t wide)
{
    SweepEnds e = sweep_ends(p->t, quantity);
    Buffer first = {0}, second = {0};
    if (!e.varies || sweep_is_truth(p->t, quantity))
        return;
    buffer_format(&first, "  %s is least at ",
                  sweep_quantity(p->t, quantity)->name);
    sweep_put_words(&first, p->t, e.least);
    buffer_format(&first, " (run %u)", sweep_row(p->t, e.least)->run);
    buffer_text(&second, "greatest at ");
    sweep_put_words(&second, p->t, e.greatest);
    buffer_format(&second, " (run %u)", sweep_row(p->t, e.greatest)->run);
    bool fits = first.v.used + 2 + second.v.used <= wide;
    buffer_format(b, "%s,%s%s\n", buffer_string(&first), fits ? " " : "\n    ",
                  buffer_string(&second));
    buffer_free(&first);
    buffer_free(&second);
}

static void put_left(Buffer *b, const Table *p, bool file)
{
    const char *where = file ? ": sweep.csv has all of them" : "";
    if (p->all > p->rows)
        buffer_format(b, "  ... %u of %u%s\n", p->rows, p->all, where);
    if (p->left)
        buffer_format(b, "  %u more quantit%s differ%s%s\n", p->left,
                      p->left == 1 ? "y" : "ies", p->left == 1 ? "s" : "",
                      file ? ": sweep.csv has all" : "");
    if (p->shown == 0)
        buffer_text(b, "  no quantity differs from row to row\n");
}

static void show_table(Buffer *b, const SweepTable *t, uint32_t wide, bool file)
{
    Arena a = {0};
    Table p = {.t = t, .parameters = t->parameters};
    p.shown = sweep_choose(t, p.chosen, CHOSEN_MOST, &p.left);
    p.status = !sweep_is_whole(t);
    for (uint32_t k = 0; k < t->elements; k++)
        p.all += sweep_row(t, k)->runs > 0;
    p.rows = p.all < SWEEP_SHOWN ? p.all : SWEEP_SHOWN;
    p.columns = 1 + p.parameters + p.status + p.shown;
    uint32_t columns = p.columns;
    p.column = NEW_ARRAY(&a, Column, columns);
    bool told = p.shown == 0 && t->elements <= SWEEP_FEW; // one by one
    if (!p.column || p.all == 0 || told) {
        arena_free(&a);
        return;
    }
    for (uint32_t k = 0; k < columns; k++)
        measure_column(&p, k);
    fit_columns(&p, wide);
    put_head(b, &p);
    put_rows(b, &p);
    put_left(b, &p, file);
    for (uint32_t k = 0; k < p.shown && p.all > 2; k++)
        put_ends(b, &p, p.chosen[k], wide);
    for (uint32_t k = 0; k < columns; k++) {
        buffer_free(&p.column[k].name);
        buffer_free(&p.column[k].unit);
    }
    arena_free(&a);
}

void sweep_show(Buffer *b, const Sweep *s, uint32_t wide, bool file)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n);
    for (uint32_t k = 0; k < n && k < SWEEP_TABLES; k++) {
        Buffer own = {0};
        if (t[k].sampled)
            continue;
        show_table(&own, &t[k], wide, file);
        if (own.v.used && n > 1)
            buffer_format(b, "\n  frame %u", t[k].frame);
        if (own.v.used)
            buffer_format(b, "\n%s", buffer_string(&own));
        b->broken = b->broken || own.broken;
        buffer_free(&own);
    }
    if (n > SWEEP_TABLES)
        buffer_format(b, "\n  ... the first %d of %u studies%s\n", SWEEP_TABLES,
                      n, file ? ": sweep.csv has all of them" : "");
}
