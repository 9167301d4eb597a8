/* cosy results show: what a study holds, as tables for a terminal. Runs tell
   themselves in JSON, so results of every precision are shown by the same
   code. */

#include "cli/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/sheet.h"
#include "report/words.h"

enum { RUNS_SHOWN = 50, ELEMENTS_SHOWN = 60, FEW = 5, MANY = 10 };

/* ---- One run after the other -------------------------------------------------- */

/* NAME=value, NAME=value */
static void put_parameters(Buffer *b, const Tree *run)
{
    const Tree *p = tree_get(run, "parameters");
    for (const Tree *k = p ? p->first : NULL; k; k = k->next)
        buffer_format(b, "%s%s=%.*g", k == p->first ? "" : ", ", k->name, FEW,
                      k->number);
}

static double count_events(const Tree *run)
{
    static const char *const kinds[] = {"state_events", "time_events",
                                        "hidden_events", "process_events"};
    const Tree *counts = tree_get(run, "counts");
    double n = 0;
    for (size_t k = 0; k < LENGTH(kinds); k++)
        n += tree_number(counts, kinds[k]);
    return n;
}

/* The table of runs while it is filled. */
typedef struct RunLines {
    Sheet sheet;
    Arena arena;
    uint64_t left; // runs that have no line
} RunLines;

static Status add_run(void *user, const ResultsRun *r)
{
    RunLines *l = user;
    size_t used;
    Buffer parameters = {0};
    if (sheet_rows(&l->sheet) == RUNS_SHOWN) {
        l->left++;
        return STATUS_OK;
    }
    ArenaMark m = arena_mark(&l->arena);
    const Tree *run = tree_read_part(&l->arena, r->json, r->length, &used);
    put_parameters(&parameters, run);
    sheet_number(&l->sheet, (double)r->number, MANY);
    sheet_text(&l->sheet, r->status);
    sheet_number(&l->sheet, tree_number(run, "t_end"), 7);
    sheet_text(&l->sheet, tree_text(run, "method"));
    sheet_number(&l->sheet, tree_number(tree_get(run, "counts"), "steps"), 15);
    sheet_number(&l->sheet, count_events(run), 15);
    sheet_text(&l->sheet, buffer_string(&parameters));
    buffer_free(&parameters);
    arena_rewind(&l->arena, m);
    return STATUS_OK;
}

static Status put_runs(Buffer *b, ResultsCommand *c, Results *r,
                       const char *unit)
{
    RunLines l = {.left = 0};
    char end[80];
    snprintf(end, sizeof end, unit[0] ? "t_end|[%.60s]" : "t_end", unit);
    const char *const heads[] = {">run",  "<status", end,          "<method",
                                 "steps", "events",  "<parameters"};
    sheet_begin(&l.sheet, heads, LENGTH(heads));
    Status s = results_each(r, add_run, &l, &c->fault);
    buffer_char(b, '\n');
    sheet_print(b, &l.sheet);
    if (l.left)
        buffer_format(b, "  and %" PRIu64 " more\n", l.left);
    b->broken = b->broken || l.sheet.cells.broken;
    sheet_free(&l.sheet);
    arena_free(&l.arena);
    return s;
}

/* ---- Statistics ------------------------------------------------------------- */

/* A column of a table of statistics. */
typedef struct Figure {
    const char *member;
    const char *head;
    bool share; // shown in per cent
    int side;   // of a list of two: 1 or 2; 0: it is no list
} Figure;

#define SAMPLE                                                                 \
    {"mean", "mean", false, 0}, {"sd", "sd", false, 0},                        \
        {"min", "min", false, 0}, {"max", "max", false, 0},                    \
        {"ci95", "95 % from", false, 1},                                       \
    {                                                                          \
        "ci95", "to", false, 2                                                 \
    }
#define ENTRIES                                                                \
    {"entries", "entries", false, 0}, {"waited", "had to|wait", false, 0},     \
        {"mean_wait", "wait|mean", false, 0},                                  \
        {"max_wait", "wait|max", false, 0},                                    \
        {"mean_queue", "queue|mean", false, 0},                                \
        {"max_queue", "queue|max", false, 0},                                  \
    {                                                                          \
        "queue", "queue|now", false, 0                                         \
    }
#define PLACES(head) {"utilisation", head, true, 0}, ENTRIES
#define STAYS                                                                  \
    {"entries", "entries", false, 0},                                          \
        {"mean_content", "content|mean", false, 0},                            \
        {"max_content", "content|max", false, 0},                              \
        {"content", "content|now", false, 0},                                  \
        {"mean_stay", "stay|mean", false, 0},                                  \
    {                                                                          \
        "max_stay", "stay|max", false, 0                                       \
    }

enum { FIGURES = 9 };

static const struct Kind {
    const char *member, *head;
    Figure figure[FIGURES];
} kinds[] = {
    {"collect", "COLLECT", {{"n", "n", false, 0}, SAMPLE}},
    {"timepers", "TIMEPERS", {{"time", "time", false, 0}, SAMPLE}},
    {"facility", "FACILITY", {PLACES("busy|%")}},
    {"storage", "STORAGE", {PLACES("used|%")}},
    {"gate", "GATE", {{"open", "open|%", true, 0}, ENTRIES}},
    {"signal", "SIGNAL", {ENTRIES}},
    {"any_of", "ANY OF", {PLACES("busy|%")}},
    {"file", "FILE", {STAYS}},
    {"process", "PROCESS", {STAYS}},
    {"copies", "COPIES", {STAYS}},
};

static double figure_value(const Figure *g, const Tree *of)
{
    const Tree *t = tree_get(of, g->member);
    if (t && g->side > 0)
        t = t->count == 2 ? (g->side == 1 ? t->first : t->first->next) : NULL;
    return !t ? NAN : g->share ? 100 * t->number : t->number;
}

static void put_name(Sheet *s, const char *name, const Tree *units)
{
    Buffer text = {0};
    const char *unit = words_unit(units, name);
    buffer_format(&text, unit[0] ? "%s [%s]" : "%s", name, unit);
    sheet_text(s, buffer_string(&text));
    buffer_free(&text);
}

static void put_kind(Buffer *b, const struct Kind *kind, const Tree *t,
                     const Tree *units)
{
    const char *heads[FIGURES + 1] = {kind->head};
    Sheet sheet;
    uint32_t n = 0;
    while (n < FIGURES && kind->figure[n].member) {
        heads[n + 1] = kind->figure[n].head;
        n++;
    }
    sheet_begin(&sheet, heads, n + 1);
    for (const Tree *e = t->first; e; e = e->next) {
        put_name(&sheet, e->name, units);
        for (uint32_t k = 0; k < n; k++)
            sheet_number(&sheet, figure_value(&kind->figure[k], e), FEW);
    }
    buffer_char(b, '\n');
    sheet_print(b, &sheet);
    sheet_free(&sheet);
}

/* Count k lies between two edges; the first and the last are open. */
static void put_histogram(Buffer *b, const Tree *h, const Tree *units)
{
    static const char *const heads[] = {">above", "up to", "count",
                                        "%",      "sum %", "<"};
    const Tree *counts = tree_get(h, "counts"), *edges = tree_get(h, "edges");
    const Tree *low = NULL, *high = edges ? edges->first : NULL;
    double all = 0, most = 0, sum = 0;
    const char *unit = words_unit(units, h->name);
    Sheet sheet;
    for (const Tree *n = counts ? counts->first : NULL; n; n = n->next) {
        all += n->number;
        most = fmax(most, n->number);
    }
    buffer_format(b, "\n  HISTOGRAM %s%s%s%s: %.0f observation%s\n", h->name,
                  unit[0] ? " [" : "", unit, unit[0] ? "]" : "", all,
                  all == 1 ? "" : "s");
    sheet_begin(&sheet, heads, LENGTH(heads));
    for (const Tree *n = counts ? counts->first : NULL; n; n = n->next) {
        static const char stars[] = "******************************";
        int bar = (int)((sizeof stars - 1) * n->number / most + 0.5);
        sum += n->number;
        if (n->number > 0 || (sum > 0 && sum < all)) {
            char text[sizeof stars];
            snprintf(text, sizeof text, "%.*s", bar, stars);
            sheet_number(&sheet, low ? low->number : NAN, FEW);
            sheet_number(&sheet, high ? high->number : NAN, FEW);
            sheet_number(&sheet, n->number, MANY);
            sheet_number(&sheet, rint(1000 * n->number / all) / 10, FEW);
            sheet_number(&sheet, rint(1000 * sum / all) / 10, FEW);
            sheet_text(&sheet, text);
        }
        low = high;
        high = high ? high->next : NULL;
    }
    if (all > 0)
        sheet_print(b, &sheet);
    sheet_free(&sheet);
}

static void put_statistics(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *all = tree_get(run, "statistics");
    for (size_t k = 0; k < LENGTH(kinds); k++) {
        const Tree *t = tree_get(all, kinds[k].member);
        if (t && t->first)
            put_kind(b, &kinds[k], t, units);
    }
    const Tree *h = tree_get(all, "histogram");
    for (const Tree *e = h ? h->first : NULL; e; e = e->next)
        put_histogram(b, e, units);
}

/* ---- Values ------------------------------------------------------------------- */

static void put_value(Buffer *b, const Tree *t)
{
    uint32_t k = 0;
    if (t->kind == TREE_TEXT)
        buffer_text(b, t->text);
    else if (t->kind == TREE_NUMBER)
        buffer_format(b, "%.*g", MANY, t->number);
    else if (t->kind != TREE_LIST && t->kind != TREE_OBJECT)
        buffer_char(b, '-');
    for (const Tree *e = t->first; e && k < ELEMENTS_SHOWN; e = e->next, k++) {
        buffer_text(b, k ? ", " : "");
        if (e->name)
            buffer_format(b, "%s: ", e->name);
        put_value(b, e);
    }
    if (t->count > k)
        buffer_format(b, ", ... (%u in all)", t->count);
}

/* "  NAME  value, value, ..." over as many lines as it takes. */
static void put_line(Buffer *b, const char *name, size_t wide,
                     const char *value, const char *unit)
{
    size_t at = 2 + wide + 2;
    buffer_format(b, "  %-*s ", (int)wide, name);
    at = strlen(name) > wide ? 3 + strlen(name) : at - 1;
    while (*value) {
        size_t n = strcspn(value, " ");
        if (at + 1 + n > SHEET_WIDTH && at > 4 + wide) {
            buffer_format(b, "\n%*s", (int)wide + 3, "");
            at = wide + 3;
        }
        buffer_char(b, ' ');
        buffer_bytes(b, value, n);
        at += 1 + n;
        value += n + strspn(value + n, " ");
    }
    buffer_format(b, unit[0] ? " %s\n" : "\n", unit);
}

static void put_values(Buffer *b, const char *head, const Tree *t,
                       const Tree *units)
{
    size_t wide = 0;
    if (!t || !t->first)
        return;
    for (const Tree *m = t->first; m; m = m->next)
        if (strlen(m->name) > wide && strlen(m->name) <= 30)
            wide = strlen(m->name);
    buffer_format(b, "\n  %s\n", head);
    for (const Tree *m = t->first; m; m = m->next) {
        Buffer value = {0};
        put_value(&value, m);
        put_line(b, m->name, wide, buffer_string(&value),
                 words_unit(units, m->name));
        buffer_free(&value);
    }
}

/* ---- The whole ----------------------------------------------------------------- */

static void put_origin(Buffer *b, const Results *r, const Tree *head)
{
    const Tree *options = tree_get(tree_get(head, "provenance"), "options");
    const char *source = tree_text(results_model(head), "name");
    char date[20];
    buffer_format(b, "%s: %s", r->name, tree_text(head, "program"));
    if (r->store)
        buffer_format(b, ", stored %s", results_date(r->study.date, date));
    if (r->store && r->study.label[0])
        buffer_format(b, ", \"%s\"", r->study.label);
    buffer_format(b, "\nmodel %s, sha256 %.12s...\nrun by cosy %s",
                  source[0] ? source : "without a text",
                  tree_text(head, "model_sha256"), tree_text(head, "cosy"));
    for (const Tree *o = options ? options->first : NULL; o; o = o->next)
        buffer_format(b, "%s %s", o == options->first ? " with" : "",
                      o->text ? o->text : "");
    buffer_char(b, '\n');
}

/* Means over replications; where the lists have several elements, a row for
   each. */
static void put_replications(Buffer *b, const Tree *head)
{
    static const char *const heads[] = {
        "REPLICATIONS", "n", "mean", "sd", "95 % from", "to", "<parameters"};
    const Tree *all = tree_get(head, "replications");
    const Tree *units = tree_get(head, "units");
    const Figure low = {"ci95", "", false, 1}, high = {"ci95", "", false, 2};
    Sheet sheet;
    sheet_begin(&sheet, heads, LENGTH(heads));
    for (const Tree *q = all ? all->first : NULL; q; q = q->next) {
        bool list = q->kind == TREE_LIST;
        for (const Tree *e = list ? q->first : q; e;
             e = list ? e->next : NULL) {
            Buffer parameters = {0};
            put_parameters(&parameters, e);
            put_name(&sheet, q->name, units);
            sheet_number(&sheet, tree_number(e, "n"), MANY);
            sheet_number(&sheet, tree_number(e, "mean"), FEW);
            sheet_number(&sheet, tree_number(e, "sd"), FEW);
            sheet_number(&sheet, figure_value(&low, e), FEW);
            sheet_number(&sheet, figure_value(&high, e), FEW);
            sheet_text(&sheet, buffer_string(&parameters));
            buffer_free(&parameters);
        }
    }
    if (sheet.n > 0) {
        buffer_char(b, '\n');
        sheet_print(b, &sheet);
    }
    sheet_free(&sheet);
}

static Status put_tables(Buffer *b, ResultsCommand *c, Results *r, uint64_t run)
{
    ResultsFiles files;
    TRY(results_files(r, &c->arena, run, &files, &c->fault));
    if (files.n == 0)
        return STATUS_OK;
    buffer_text(b, "\n  TABLES\n");
    for (size_t k = 0; k < files.n; k++) {
        Rows rows;
        bool there;
        TRY(results_table(r, files.name[k], &rows, &there, &c->fault));
        if (!there)
            continue;
        buffer_format(b, "  %s: %u column%s", files.name[k], rows.t.columns,
                      rows.t.columns == 1 ? "" : "s");
        if (rows.store)
            buffer_format(b, ", %" PRIu64 " row%s", rows.count,
                          rows.count == 1 ? "" : "s");
        buffer_char(b, '\n');
        rows_close(&rows);
    }
    return STATUS_OK;
}

static Status put_run(Buffer *b, ResultsCommand *c, Results *r,
                      const Tree *units, uint64_t number)
{
    const Tree *run;
    TRY(results_run(r, &c->arena, number, &run, &c->fault));
    const char *message = tree_text(run, "message");
    if (r->runs > 1)
        buffer_format(b, "\nrun %" PRIu64 "\n", number);
    if (message[0])
        buffer_format(b, "\n  %s: %s\n", tree_text(run, "status"), message);
    put_values(b, "PARAMETERS", tree_get(run, "parameters"), units);
    put_values(b, "FINAL VALUES", tree_get(run, "final"), units);
    put_statistics(b, run, units);
    return put_tables(b, c, r, number);
}

static Status put_study(Buffer *b, ResultsCommand *c, Results *r)
{
    const Tree *head = results_head(r, &c->arena);
    if (!head)
        return fault_set(&c->fault, STATUS_MEMORY, "%s: no memory", r->name);
    const Tree *units = tree_get(head, "units");
    uint64_t run = results_meant(c, &c->name[0], r);
    put_origin(b, r, head);
    TRY(put_runs(b, c, r, words_unit(units, "TIME")));
    if (run)
        return put_run(b, c, r, units, run);
    put_replications(b, head);
    if (r->runs > 1)
        buffer_text(b, "\n  --run K shows what a run has left\n");
    return STATUS_OK;
}

/* ---- As they are ---------------------------------------------------------------- */

typedef struct Json {
    Buffer *b;
    uint64_t run; // 0: all
    bool begun;
} Json;

static Status add_json(void *user, const ResultsRun *run)
{
    Json *j = user;
    if (j->run && j->run != run->number)
        return STATUS_OK;
    buffer_text(j->b, j->begun ? ",\n" : "");
    buffer_bytes(j->b, run->json, run->length);
    j->begun = true;
    return STATUS_OK;
}

/* summary.json, or the object of a run. */
static Status put_json(Buffer *b, ResultsCommand *c, Results *r)
{
    Json j = {.b = b, .run = c->name[0].run ? c->name[0].run : c->run};
    const Tree *run;
    if (j.run)
        TRY(results_run(r, &c->arena, j.run, &run, &c->fault));
    else
        buffer_bytes(b, r->head, r->head_length);
    TRY(results_each(r, add_json, &j, &c->fault));
    if (j.run)
        buffer_char(b, '\n');
    else
        buffer_bytes(b, r->tail, r->tail_length);
    return STATUS_OK;
}

static Status put_text(Buffer *b, ResultsCommand *c, const Results *r)
{
    const char *text = NULL;
    size_t length;
    if (!r->store)
        return fault_set(&c->fault, STATUS_USAGE,
                         "%s: a folder of results does not hold the text of "
                         "its model, except in report.html",
                         r->name);
    TRY(store_model(r->store, &c->arena, r->study.number, &text, &length,
                    &c->fault));
    if (!text)
        return fault_set(&c->fault, STATUS_UNSUPPORTED,
                         "%s does not have the text of its model", r->name);
    buffer_bytes(b, text, length);
    return STATUS_OK;
}

Status results_show(ResultsCommand *c)
{
    Results r;
    Buffer b = {0};
    TRY(results_open(c, &c->name[0], &r));
    Status s = results_option(c, "--text")   ? put_text(&b, c, &r)
               : results_option(c, "--json") ? put_json(&b, c, &r)
                                             : put_study(&b, c, &r);
    if (s == STATUS_OK && b.broken)
        s = fault_set(&c->fault, STATUS_MEMORY, "%s: no memory", r.name);
    if (s == STATUS_OK)
        fwrite(b.v.bytes, 1, b.v.used, stdout);
    buffer_free(&b);
    results_close(&r);
    return s;
}
