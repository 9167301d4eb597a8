#include "stats/sweep_columns.h"

#include <math.h>
#include <string.h>

#include "stats/json.h"
#include "stats/number.h"
#include "stats/value.h"

/* sweep.csv, and the same for the report. */

/* ---- Cells ------------------------------------------------------------------ */

static real figure(const SweepTable *t, uint32_t row, uint32_t quantity,
                   SweepPart part)
{
    real mean = sweep_mean(t, row, quantity);
    Tally all = sweep_tally(t, row, quantity);
    switch (part) {
    case SWEEP_VALUE:
    case SWEEP_MEAN: return mean;
    case SWEEP_N: return (real)all.n;
    case SWEEP_SD: return replicate_deviation(&all);
    case SWEEP_LOW: return mean - sweep_half(t, row, quantity);
    case SWEEP_HIGH: return mean + sweep_half(t, row, quantity);
    case SWEEP_PARTS: break;
    }
    return (real)NAN;
}

/* A row in the making: cell k of all columns; what a table does not have stays
   empty. */
typedef struct Cells {
    Arena arena;
    real *value;
    bool *there;
    uint32_t n;
} Cells;

static void put_cells(Buffer *b, Cells *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        buffer_char(b, ',');
        if (c->there[k])
            number_text(b, c->value[k]);
        c->there[k] = false;
    }
}

static void fill(Cells *c, uint32_t column, real value)
{
    c->value[column] = value;
    c->there[column] = true;
}

static void put_row(Buffer *b, const SweepTable *t, uint32_t row,
                    const SweepPlaces *p, Cells *parameters, Cells *quantities)
{
    const SweepRow *r = sweep_row(t, row);
    uint32_t at = 0;
    buffer_count(b, r->run);
    buffer_char(b, ',');
    buffer_count(b, t->frame);
    for (uint32_t k = 0; k < t->parameters; k++)
        fill(parameters, p->parameter[k], sweep_setting(t, row, k));
    put_cells(b, parameters);
    buffer_char(b, ',');
    buffer_text(b, sweep_status(r));
    buffer_char(b, ',');
    buffer_count(b, r->runs);
    for (uint32_t k = 0; k < t->width; k++)
        for (SweepPart part = sweep_first(t); part <= sweep_last(t); part++)
            fill(quantities, p->quantity[at++], figure(t, row, k, part));
    put_cells(b, quantities);
    buffer_char(b, '\n');
}

/* ---- The file --------------------------------------------------------------- */

static void put_names(Buffer *b, const SweepNames *h)
{
    const char *at = (const char *)h->text.v.bytes;
    for (uint32_t k = 0; k < h->n; k++, at += strlen(at) + 1) {
        buffer_char(b, ',');
        buffer_cell(b, at);
    }
}

static bool cells_open(Cells *c, uint32_t n)
{
    *c = (Cells){.n = n};
    c->value = NEW_ARRAY(&c->arena, real, n + 1);
    c->there = NEW_ARRAY(&c->arena, bool, n + 1);
    return c->value && c->there;
}

/* Text goes to the file piece by piece: a study may have a million rows. */
enum { PIECE = 1 << 20 };

static Status flush(Buffer *b, const char *path, size_t least, Fault *f)
{
    if (b->broken)
        return fault_set(f, STATUS_MEMORY, "%s: no memory for it", path);
    if (b->v.used < least || b->v.used == 0)
        return STATUS_OK;
    Status s = file_add(path, b->v.bytes, b->v.used, f);
    b->v.used = 0;
    return s;
}

typedef struct Writer {
    const char *path;
    Buffer text;
    SweepColumns columns;
    Cells of_parameters, of_quantities;
} Writer;

static Status write_table(Writer *w, const SweepTable *t, Fault *f)
{
    Arena a = {0};
    SweepPlaces p;
    Status s = sweep_places(&p, &a, t, &w->columns) ? STATUS_OK : STATUS_MEMORY;
    for (uint32_t k = 0; k < t->elements && s == STATUS_OK; k++) {
        if (sweep_row(t, k)->runs == 0)
            continue; // the study ended before its turn
        put_row(&w->text, t, k, &p, &w->of_parameters, &w->of_quantities);
        s = flush(&w->text, w->path, PIECE, f);
    }
    arena_free(&a);
    return s;
}

static Status write_all(Writer *w, const Sweep *s, Fault *f)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n);
    if (!sweep_columns_open(&w->columns, s) ||
        !cells_open(&w->of_parameters, w->columns.parameters.n) ||
        !cells_open(&w->of_quantities, w->columns.quantities.n))
        return fault_set(f, STATUS_MEMORY, "%s: no memory for it", w->path);
    buffer_text(&w->text, "run,frame");
    put_names(&w->text, &w->columns.parameters);
    buffer_text(&w->text, ",status,runs");
    put_names(&w->text, &w->columns.quantities);
    buffer_char(&w->text, '\n');
    for (uint32_t k = 0; k < n; k++)
        TRY(write_table(w, &t[k], f));
    return flush(&w->text, w->path, 0, f);
}

Status sweep_write(const Sweep *s, const char *dir, Fault *f)
{
    Writer w = {0};
    Buffer path = {0};
    if (!sweep_any(s))
        return STATUS_OK;
    buffer_format(&path, "%s/sweep.csv", dir);
    w.path = buffer_string(&path);
    Status status = write_all(&w, s, f);
    buffer_free(&w.text);
    sweep_columns_free(&w.columns);
    arena_free(&w.of_parameters.arena);
    arena_free(&w.of_quantities.arena);
    buffer_free(&path);
    return status;
}

/* ---- For the report --------------------------------------------------------- */

static void put_number(Buffer *b, real x)
{
    if (cosy_finite(x))
        buffer_format(b, "%.15g", (double)x);
    else
        buffer_text(b, "null");
}

static void json_names(Buffer *b, const SweepTable *t, const uint32_t *chosen,
                       uint32_t n)
{
    buffer_text(b, "\"parameters\": [");
    for (uint32_t k = 0; k < t->parameters; k++) {
        const CosyVariable *v =
            &t->model->variables[sweep_parameter(t, k)->variable];
        Buffer name = {0};
        sweep_put_name(&name, t, k);
        buffer_text(b, k ? ", {\"name\": " : "{\"name\": ");
        buffer_json(b, buffer_string(&name));
        buffer_text(b, ", \"unit\": ");
        buffer_json(b, value_shown_unit(v->unit));
        buffer_char(b, '}');
        buffer_free(&name);
    }
    buffer_text(b, "],\n\"quantities\": [");
    for (uint32_t k = 0; k < n; k++) {
        Buffer name = {0};
        quantity_put(&name, t->model, sweep_quantity(t, chosen[k]));
        buffer_text(b, k ? ", " : "");
        buffer_json(b, buffer_string(&name));
        buffer_free(&name);
    }
    buffer_char(b, ']');
}

static void json_row(Buffer *b, const SweepTable *t, uint32_t row,
                     const uint32_t *chosen, uint32_t n)
{
    const SweepRow *r = sweep_row(t, row);
    buffer_format(b, "{\"run\": %u, \"runs\": %u, \"failed\": %u, ", r->run,
                  r->runs, r->failed + r->stopped);
    buffer_format(b, "\"status\": \"%s\", \"parameters\": [", sweep_status(r));
    for (uint32_t k = 0; k < t->parameters; k++) {
        Buffer value = {0};
        sweep_put_value(&value, t, k, sweep_setting(t, row, k), 6);
        buffer_text(b, k ? ", " : "");
        buffer_json(b, buffer_string(&value));
        buffer_free(&value);
    }
    buffer_text(b, "], \"means\": [");
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k ? ", " : "");
        put_number(b, sweep_mean(t, row, chosen[k]));
    }
    buffer_text(b, "], \"halves\": [");
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k ? ", " : "");
        put_number(b, sweep_half(t, row, chosen[k]));
    }
    buffer_text(b, "]}");
}

/* The rows with the least and the greatest value of each quantity. */
static void json_ends(Buffer *b, const SweepTable *t, const uint32_t *chosen,
                      uint32_t n)
{
    buffer_text(b, "\"ends\": [");
    for (uint32_t k = 0, begun = 0; k < n; k++) {
        SweepEnds e = sweep_ends(t, chosen[k]);
        if (!e.varies || sweep_is_truth(t, chosen[k]))
            continue;
        buffer_format(
            b, "%s{\"quantity\": %u, \"least\": ", begun++ ? ", " : "", k);
        json_row(b, t, e.least, chosen, n);
        buffer_text(b, ", \"greatest\": ");
        json_row(b, t, e.greatest, chosen, n);
        buffer_char(b, '}');
    }
    buffer_char(b, ']');
}

static void json_table(Buffer *b, const SweepTable *t)
{
    enum { CHOSEN_MOST = 8 };
    uint32_t chosen[CHOSEN_MOST], left, shown = 0, all = 0;
    uint32_t n = sweep_choose(t, chosen, CHOSEN_MOST, &left);
    buffer_format(b, "{\"frame\": %u, \"replicated\": %s, \"left\": %u, ",
                  t->frame, t->replicated ? "true" : "false", left);
    json_names(b, t, chosen, n);
    buffer_text(b, ",\n\"rows\": [");
    for (uint32_t k = 0; k < t->elements; k++) {
        if (sweep_row(t, k)->runs == 0 || all++ >= SWEEP_SHOWN)
            continue;
        buffer_text(b, shown++ ? ",\n" : "");
        json_row(b, t, k, chosen, n);
    }
    buffer_format(b, "], \"all\": %u,\n", all);
    json_ends(b, t, chosen, n);
    buffer_char(b, '}');
}

void sweep_json(Buffer *b, const Sweep *s)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n);
    uint32_t shown = 0;
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n && shown < SWEEP_TABLES; k++) {
        if (t[k].sampled)
            continue;
        buffer_text(b, shown++ ? ",\n" : "");
        json_table(b, &t[k]);
    }
    buffer_char(b, ']');
}
