#include "stats/sweep_columns.h"

#include <string.h>

#include "stats/csv.h"
#include "stats/json.h"
#include "stats/reread.h"
#include "stats/value.h"

/* What the rows of sweep.csv are, in summary.json, and both read back: a table that
   tells and draws the same as the one they were written from. */

/* The name of the start value of a STATE ends with it. */
static const char start_ending[] = ".start";

/* ---- Written ---------------------------------------------------------------- */

static bool same_quantities(const SweepTable *a, const SweepTable *b)
{
    size_t size = a->quantities.used;
    return size == b->quantities.used &&
           (size == 0 ||
            memcmp(a->quantities.bytes, b->quantities.bytes, size) == 0);
}

static void put_parameters(JsonObject *o, const SweepTable *t)
{
    json_key(o, "parameters");
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < t->parameters; k++) {
        Buffer name = {0};
        sweep_put_name(&name, t, k);
        buffer_text(o->b, k ? ", " : "");
        buffer_json(o->b, buffer_string(&name));
        buffer_free(&name);
    }
    buffer_char(o->b, ']');
}

static void put_quantities(JsonObject *o, const SweepTable *t)
{
    json_key(o, "quantities");
    JsonObject all = json_open(o->b);
    for (uint32_t k = 0; k < t->width; k++) {
        const Quantity *q = sweep_quantity(t, k);
        json_text(&all, q->name, quantity_kind(q));
    }
    json_close(&all);
}

static void put_unfinished(JsonObject *o, const SweepTable *t)
{
    bool begun = false;
    for (uint32_t k = 0; k < t->elements; k++) {
        const SweepRow *r = sweep_row(t, k);
        if (r->stopped + r->failed == 0)
            continue;
        if (!begun)
            json_key(o, "unfinished");
        buffer_text(o->b, begun ? ", " : "[");
        begun = true;
        JsonObject row = json_open(o->b);
        json_count(&row, "run", r->run);
        json_count(&row, "stopped", r->stopped);
        json_count(&row, "failed", r->failed);
        json_close(&row);
    }
    buffer_text(o->b, begun ? "]" : "");
}

/* Quantities that are those of the study before it are left out: there may be
   very many studies. */
static void put_study(Buffer *b, const SweepTable *t, const SweepTable *before)
{
    uint32_t rows = 0;
    for (uint32_t k = 0; k < t->elements; k++)
        rows += sweep_row(t, k)->runs > 0;
    JsonObject o = json_open(b);
    json_count(&o, "frame", t->frame);
    json_count(&o, "run", t->first);
    json_count(&o, "elements", t->elements);
    json_count(&o, "rows", rows);
    json_key(&o, "replicated");
    buffer_text(b, t->replicated ? "true" : "false");
    if (t->sampled) {
        json_key(&o, "sampled");
        buffer_text(b, "true");
    }
    put_parameters(&o, t);
    if (!before || !same_quantities(t, before))
        put_quantities(&o, t);
    put_unfinished(&o, t);
    json_close(&o);
}

void sweep_studies(Buffer *b, const Sweep *s)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n);
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k ? ",\n  " : "");
        put_study(b, &t[k], k ? &t[k - 1] : NULL);
    }
    buffer_char(b, ']');
}

/* ---- Which columns ---------------------------------------------------------- */

typedef struct Reader {
    Csv csv;
    const CosyModel *m;
    Sweep *s;
    SweepColumns columns;
    uint32_t *parameter,
        *quantity;         // columns of the file for those of all tables
    uint32_t status, runs; // two more of its columns
    Buffer *missing;
} Reader;

static Status broken(const Reader *r)
{
    return fault_set(
        r->csv.fault, STATUS_FILE,
        "\"studies\" of summary.json and %s do not fit each other: "
        "one of them is not as cosy run has written it",
        r->csv.name);
}

static bool find_parameter(const CosyModel *m, const char *name,
                           RunSetting *found)
{
    char own[300];
    size_t n = strlen(name), end = sizeof start_ending - 1;
    if (reread_variable(m, name, found))
        return true;
    if (n <= end || n >= sizeof own ||
        strcmp(name + n - end, start_ending) != 0)
        return false;
    memcpy(own, name, n - end);
    own[n - end] = '\0';
    return reread_variable(m, own, found);
}

static Status read_parameters(Reader *r, SweepTable *t, const Tree *study)
{
    const Tree *list = tree_get(study, "parameters");
    for (const Tree *k = list ? list->first : NULL; k; k = k->next) {
        RunSetting one;
        if (k->kind != TREE_TEXT || !find_parameter(r->m, k->text, &one))
            return broken(r);
        one.varied = true;
        if (!vector_append(&t->parameter, &one, sizeof one))
            return STATUS_MEMORY;
        t->parameters++;
    }
    return STATUS_OK;
}

/* A quantity that the model does not have any more was a column of its OUTPUT. */
static Status read_quantities(Reader *r, SweepTable *t, const Tree *study)
{
    const Tree *all = tree_get(study, "quantities");
    uint32_t n;
    const SweepTable *before = sweep_tables(r->s, &n);
    if (!all && n == 0)
        return broken(r);
    if (!all)
        return vector_append(&t->quantities, before[n - 1].quantities.bytes,
                             before[n - 1].width * sizeof(Quantity))
                   ? STATUS_OK
                   : STATUS_MEMORY;
    for (const Tree *k = all->first; k; k = k->next) {
        Quantity q;
        if (k->kind == TREE_TEXT &&
            quantity_reread(r->m, k->text, k->name, &q) &&
            !vector_append(&t->quantities, &q, sizeof q))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* What OUTPUT asks for now, and the runs were not asked for. */
static void tell_new(Reader *r, const SweepTable *t, uint32_t known)
{
    for (uint32_t k = known; k < t->width; k++)
        buffer_format(r->missing, "%s%s", r->missing->v.used ? ", " : "",
                      sweep_quantity(t, k)->name);
}

static Status read_study(Reader *r, const Tree *study)
{
    const Tree *replicated = tree_get(study, "replicated");
    const Tree *sampled = tree_get(study, "sampled");
    SweepTable t = {.model = r->m,
                    .frame = (uint32_t)tree_number(study, "frame"),
                    .first = (uint32_t)tree_number(study, "run"),
                    .elements = (uint32_t)tree_number(study, "elements"),
                    .replicated = replicated && replicated->kind == TREE_TRUE,
                    .sampled = sampled && sampled->kind == TREE_TRUE};
    double elements = tree_number(study, "elements");
    double rows = tree_number(study, "rows");
    Status s = elements >= 1 && elements <= 1e6 && rows >= 0 && rows <= elements
                   ? read_parameters(r, &t, study)
                   : broken(r);
    if (s == STATUS_OK)
        s = read_quantities(r, &t, study);
    uint32_t known = (uint32_t)(t.quantities.used / sizeof(Quantity));
    if (s == STATUS_OK &&
        !(sweep_lay_out(&t) && vector_append(&r->s->tables, &t, sizeof t)))
        s = STATUS_MEMORY;
    if (s != STATUS_OK)
        sweep_table_free(&t);
    else
        tell_new(r, &t, known);
    return s;
}

/* ---- Rows ------------------------------------------------------------------- */

/* Where the columns of all tables are in the file. */
static Status find_columns(Reader *r)
{
    const SweepNames *p = &r->columns.parameters, *q = &r->columns.quantities;
    if (!sweep_columns_open(&r->columns, r->s))
        return STATUS_MEMORY;
    r->parameter = NEW_ARRAY(&r->csv.arena, uint32_t, p->n + 1);
    r->quantity = NEW_ARRAY(&r->csv.arena, uint32_t, q->n + 1);
    if (!r->parameter || !r->quantity)
        return STATUS_MEMORY;
    r->status = csv_find(&r->csv, "status", 2 + p->n);
    r->runs = csv_find(&r->csv, "runs", 3 + p->n);
    bool ok = r->status != COSY_NONE && r->runs != COSY_NONE;
    for (uint32_t k = 0; k < p->n; k++) {
        r->parameter[k] = csv_find(&r->csv, sweep_heading(p, k), 2 + k);
        ok = ok && r->parameter[k] != COSY_NONE;
    }
    for (uint32_t k = 0; k < q->n; k++) {
        r->quantity[k] = csv_find(&r->csv, sweep_heading(q, k), 4 + p->n + k);
        ok = ok && r->quantity[k] != COSY_NONE;
    }
    return ok ? STATUS_OK : broken(r);
}

/* The sum of squares of which this is the standard deviation, to the last bit: roots
   of neighbours are the same mostly, so one of them is it. */
static real square_of(uint64_t n, real deviation)
{
    real first = deviation * deviation * (real)(n - 1), low = first;
    for (int k = 0; k < 4; k++)
        low = cosy_nextafter(low, R(0.0));
    for (int k = 0; k < 9; k++) {
        const Tally t = {.n = n, .square = low};
        if (replicate_deviation(&t) == deviation)
            return low;
        low = cosy_nextafter(low, COSY_INFINITY);
    }
    return first;
}

static Status read_tally(Reader *r, const uint32_t *place, Tally *t)
{
    real deviation;
    TRY(csv_count(&r->csv, r->quantity[place[0]], &t->n));
    TRY(csv_number(&r->csv, r->quantity[place[SWEEP_MEAN - SWEEP_N]],
                   &t->mean));
    TRY(csv_number(&r->csv, r->quantity[place[SWEEP_SD - SWEEP_N]],
                   &deviation));
    if (t->n == 0)
        t->mean = R(0.0);
    if (t->n > 1)
        t->square = square_of(t->n, deviation);
    return STATUS_OK;
}

static Status read_row(Reader *r, SweepTable *t, uint32_t row,
                       const SweepPlaces *p)
{
    SweepRow *own = (SweepRow *)(void *)t->rows.bytes + row;
    real *setting =
        (real *)(void *)t->settings.bytes + (size_t)row * t->parameters;
    size_t first = (size_t)row * t->width;
    uint64_t run, runs;
    TRY(csv_line(&r->csv));
    TRY(csv_count(&r->csv, 0, &run));
    TRY(csv_count(&r->csv, r->runs, &runs));
    own->run = (uint32_t)run;
    own->runs = (uint32_t)runs;
    for (uint32_t k = 0; k < t->parameters; k++)
        TRY(csv_number(&r->csv, r->parameter[p->parameter[k]], &setting[k]));
    for (uint32_t k = 0; k < t->width && t->replicated; k++)
        TRY(read_tally(r, p->quantity + (size_t)k * (SWEEP_PARTS - SWEEP_N),
                       (Tally *)(void *)t->tallies.bytes + first + k));
    for (uint32_t k = 0; k < t->width && !t->replicated; k++)
        TRY(csv_number(&r->csv, r->quantity[p->quantity[k]],
                       (real *)(void *)t->values.bytes + first + k));
    return STATUS_OK;
}

static Status read_unfinished(Reader *r, SweepTable *t, const Tree *study)
{
    const Tree *list = tree_get(study, "unfinished");
    SweepRow *row = (SweepRow *)(void *)t->rows.bytes;
    uint32_t k = 0;
    for (const Tree *one = list ? list->first : NULL; one; one = one->next) {
        double run = tree_number(one, "run");
        while (k < t->elements && row[k].run != run)
            k++;
        if (k == t->elements)
            return broken(r);
        row[k].stopped = (uint32_t)tree_number(one, "stopped");
        row[k].failed = (uint32_t)tree_number(one, "failed");
    }
    return STATUS_OK;
}

static Status read_table(Reader *r, SweepTable *t, const Tree *study)
{
    uint32_t rows = (uint32_t)tree_number(study, "rows");
    SweepPlaces p;
    if (!sweep_places(&p, &r->csv.arena, t, &r->columns))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < rows; k++) {
        if (!csv_next(&r->csv))
            return broken(r);
        TRY(read_row(r, t, k, &p));
    }
    return read_unfinished(r, t, study);
}

static Status read_all(Reader *r, const Tree *studies)
{
    uint32_t k = 0;
    for (const Tree *one = studies->first; one; one = one->next)
        TRY(read_study(r, one));
    if (r->missing->v.used)
        return STATUS_OK;
    TRY(find_columns(r));
    for (const Tree *one = studies->first; one; one = one->next)
        TRY(read_table(r, (SweepTable *)(void *)r->s->tables.bytes + k++, one));
    return csv_next(&r->csv) ? broken(r) : STATUS_OK;
}

Status sweep_reread(Sweep *s, const CosyModel *m, const Tree *studies,
                    char *text, size_t n, Buffer *missing, Fault *f)
{
    Reader r = {.m = m, .s = s, .missing = missing};
    Status status = csv_open(&r.csv, text, n, "sweep.csv", "run", f);
    if (status == STATUS_OK)
        status = read_all(&r, studies);
    if (status == STATUS_MEMORY)
        fault_set(f, status, "no memory for sweep.csv");
    sweep_columns_free(&r.columns);
    csv_close(&r.csv);
    return status;
}
