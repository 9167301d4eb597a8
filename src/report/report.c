#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "report/optimum.h"
#include "report/swept.h"
#include "report/tables.h"
#include "report/texts.h"
#include "report/words.h"

void report_message(Report *r, const char *text)
{
    buffer_char(&r->messages, r->output ? 'o' : 'r');
    buffer_bytes(&r->messages, text, strlen(text) + 1);
    r->told++;
}

void report_free(Report *r)
{
    buffer_free(&r->graphs);
    buffer_free(&r->answers);
    buffer_free(&r->messages);
    buffer_free(&r->figures);
    buffer_free(&r->answered);
    buffer_free(&r->notes);
    vector_free(&r->taken);
}

/* ---- An earlier report ---------------------------------------------------------- */

/* Appends what begins and ends in such a way, all of it; how often. */
static uint32_t take_parts(Buffer *b, const char *page, const char *begin,
                           const char *end)
{
    uint32_t n = 0;
    while ((page = strstr(page, begin)) != NULL) {
        const char *after = strstr(page, end);
        if (!after)
            break;
        after += strlen(end);
        buffer_bytes(b, page, (size_t)(after - page));
        page = after;
        n++;
    }
    return n;
}

static bool is_report(const char *page)
{
    return strncmp(page, REPORT_HEAD, strlen(REPORT_HEAD)) == 0;
}

void report_inherit(Report *r, const char *page)
{
    if (is_report(page))
        r->noted += take_parts(&r->notes, page, "<pre class=\"message run\">",
                               "</pre>\n");
}

/* Graphs stand after everything that a study is about. */
static bool is_answer(const char *page, const char *begin)
{
    const char *at = strstr(page, begin);
    const char *graphs = strstr(page, "<section id=\"graphs\">");
    return at && (!graphs || at < graphs);
}

void report_keep(Report *r, const char *page, uint32_t number)
{
    char begin[60];
    snprintf(begin, sizeof begin, REPORT_FIGURE "%u\">", number);
    Buffer *to = is_answer(page, begin) ? &r->answered : &r->figures;
    if (!is_report(page) || !take_parts(to, page, begin, REPORT_FIGURE_END))
        return;
    buffer_string(to); // ends with NUL
    r->figures.broken =
        r->figures.broken || !vector_append(&r->taken, &number, sizeof number);
}

uint32_t report_next(Report *r)
{
    const uint32_t *taken = (const uint32_t *)(const void *)r->taken.bytes;
    bool free = false;
    while (!free) {
        r->drawn++;
        free = true;
        for (size_t k = 0; k < r->taken.used / sizeof *taken; k++)
            free = free && taken[k] != r->drawn;
    }
    return r->drawn;
}

/* ---- Messages ----------------------------------------------------------------- */

/* Length of "SOURCE:LINE" at the beginning of a line; 0 if it is not there. */
static size_t place_length(const char *line, const char *source,
                           unsigned long *number)
{
    size_t n = strlen(source);
    char *end;
    if (n == 0 || strncmp(line, source, n) != 0 || line[n] != ':')
        return 0;
    *number = strtoul(line + n + 1, &end, 10);
    return end > line + n + 1 && *end == ':' ? (size_t)(end - line) : 0;
}

/* Where "SOURCE:LINE:" begins in a line of n bytes; n: nowhere. */
static size_t find_place(const char *text, size_t n, const char *source,
                         size_t *length, unsigned long *line)
{
    for (size_t k = 0; k < n; k++) {
        bool begins = k == 0 || text[k - 1] == ' ';
        *length = begins ? place_length(text + k, source, line) : 0;
        if (*length)
            return k;
    }
    return n;
}

/* The first position in the model becomes a link to its line. */
static void put_message(Buffer *b, const char *text, const ReportFacts *f)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), place = 0, at = n;
        unsigned long line = 0;
        if (f->text)
            at = find_place(text, n, f->source, &place, &line);
        html_bytes(b, text, at);
        if (at < n) {
            buffer_format(b, "<a href=\"#L%lu\">", line);
            html_bytes(b, text + at, place);
            buffer_text(b, "</a>");
            html_bytes(b, text + at + place, n - at - place);
        }
        text += n;
        if (*text) {
            buffer_char(b, '\n');
            text++;
        }
    }
}

static void put_messages(Buffer *b, const Report *r, const ReportFacts *f)
{
    const char *m = (const char *)r->messages.v.bytes;
    bool remarks = f->remarks && f->remarks[0];
    if (r->told == 0 && !remarks && r->notes.v.used == 0)
        return;
    buffer_text(b, "<section id=\"messages\"><h2>Messages</h2>\n");
    if (remarks) {
        buffer_text(b, "<pre class=\"message\">");
        put_message(b, f->remarks, f);
        buffer_text(b, "</pre>\n");
    }
    buffer_bytes(b, (const char *)r->notes.v.bytes, r->notes.v.used);
    for (uint32_t k = 0; k < r->told; k++) {
        buffer_format(b, "<pre class=\"message%s\">",
                      *m++ == 'o' ? "" : " run");
        put_message(b, m, f);
        buffer_text(b, "</pre>\n");
        m += strlen(m) + 1;
    }
    buffer_text(b, "</section>\n");
}

/* ---- Sections ------------------------------------------------------------------ */

static void put_model(Buffer *b, const ReportFacts *f)
{
    if (!f->text)
        return;
    buffer_text(b,
                "<section id=\"model\"><h2>Model</h2>\n<pre class=\"code\">");
    uint32_t line = 0;
    for (size_t at = 0; at < f->length;) {
        const char *s = f->text + at;
        const char *end = memchr(s, '\n', f->length - at);
        size_t n = end ? (size_t)(end - s) : f->length - at;
        buffer_format(b, "<span id=\"L%u\">", ++line);
        html_bytes(b, s, n && s[n - 1] == '\r' ? n - 1 : n);
        buffer_text(b, "</span>\n");
        at += n + 1;
    }
    buffer_text(b, "</pre></section>\n");
}

static void put_pictures(Buffer *b, const ReportFacts *f)
{
    if (!f->pictures || !f->pictures[0])
        return;
    buffer_text(b, "<section id=\"structure\"><h2>Structure</h2>\n");
    buffer_text(b, f->pictures);
    buffer_text(b, "</section>\n");
}

/* One fact per line, so that a comparison of two reports can tell these from
   results. */
static void put_origin(Buffer *b, const char *what, const char *kind,
                       const char *value, const char *more)
{
    buffer_text(b, "<tr class=\"origin\"><th>");
    html_text(b, what);
    buffer_text(b, kind[0] ? " " : "");
    html_text(b, kind);
    buffer_text(b, "</th><td class=\"hash\">");
    html_text(b, value);
    buffer_text(b, more[0] ? "<br/>" : "");
    html_text(b, more);
    buffer_text(b, "</td></tr>\n");
}

static const char *origin_text(const Tree *t)
{
    return t->kind == TREE_TEXT    ? t->text
           : t->kind == TREE_TRUE  ? "yes"
           : t->kind == TREE_FALSE ? "no"
                                   : "";
}

/* The members of an object, each with its name. */
static void put_origins(Buffer *b, const char *kind, const Tree *t)
{
    for (const Tree *m = t ? t->first : NULL; m; m = m->next)
        if (origin_text(m)[0])
            put_origin(b, m->name, kind, origin_text(m), "");
}

/* What it takes to repeat the runs. */
static void put_provenance(Buffer *b, Arena *a, const ReportFacts *f)
{
    const Tree *t = f->provenance ? tree_read(a, f->provenance) : NULL;
    const Tree *list = tree_get(t, "inputs"), *options = tree_get(t, "options");
    Buffer given = {0};
    if (!t)
        return;
    buffer_text(b, "<section id=\"provenance\"><h2>Provenance</h2>\n"
                   "<details><summary>What it takes to repeat this (cosy "
                   "rerun)</summary>\n<table class=\"facts\">\n");
    for (const Tree *m = options ? options->first : NULL; m; m = m->next)
        buffer_format(&given, "%s%s", given.v.used ? " " : "", origin_text(m));
    put_origin(b, "options", "", given.v.used ? buffer_string(&given) : "none",
               "");
    for (const Tree *m = list ? list->first : NULL; m; m = m->next)
        put_origin(b, tree_text(m, "kind"), "", tree_text(m, "name"),
                   tree_text(m, "sha256"));
    put_origins(b, "", tree_get(t, "versions"));
    put_origins(b, "of the processor", tree_get(t, "processor"));
    buffer_text(b, "</table></details></section>\n");
    b->broken = b->broken || given.broken;
    buffer_free(&given);
}

/* Puts one run, in a part of the page that shows several, one below the other.
   */
typedef bool PutRun(Buffer *b, const Tree *run, const Tree *units,
                    const ReportFacts *f);

static bool put_statistics(Buffer *b, const Tree *run, const Tree *units,
                           const ReportFacts *f)
{
    (void)f;
    return table_statistics(b, run, units);
}

static bool put_finals(Buffer *b, const Tree *run, const Tree *units,
                       const ReportFacts *f)
{
    (void)units; // units are beside the names
    size_t before = b->v.used;
    table_finals(b, run, f);
    return b->v.used > before;
}

/* "Run 3: K = 2" */
static void put_run_title(Buffer *b, const Tree *run, const ReportFacts *f)
{
    const Tree *p = tree_get(run, "parameters");
    buffer_text(b, "Run ");
    buffer_format(b, "%.0f", tree_number(run, "run"));
    uint32_t k = 0;
    for (const Tree *m = p ? p->first : NULL; m && k < 4; m = m->next, k++) {
        buffer_text(b, k ? ", " : ": ");
        html_text(b, m->name);
        if (table_is_truth(f, m->name))
            buffer_text(b, m->number != 0 ? " = TRUE" : " = FALSE");
        else
            buffer_format(b, " = %.6g", m->number);
    }
    buffer_text(b, p && p->count > 4 ? ", \xE2\x80\xA6" : "");
}

static void put_each(Buffer *b, const char *id, const char *heading,
                     const RunTrees *t, PutRun *put, const ReportFacts *f)
{
    Buffer own = {0};
    uint32_t shown = 0;
    for (uint32_t k = 0; k < t->n && k < DETAILS_MOST; k++) {
        size_t before = own.v.used;
        if (t->all > 1) {
            buffer_text(&own, k ? "<details><summary>"
                                : "<details open=\"open\"><summary>");
            put_run_title(&own, t->run[k], f);
            buffer_text(&own, "</summary>\n");
        }
        if (!put(&own, t->run[k], t->units, f))
            own.v.used = before;
        else if (t->all > 1)
            buffer_text(&own, "</details>\n");
        shown += own.v.used > before;
    }
    if (shown) {
        buffer_format(b, "<section id=\"%s\"><h2>%s</h2>\n", id, heading);
        buffer_bytes(b, (const char *)own.v.bytes, own.v.used);
        if (t->all > DETAILS_MOST)
            buffer_format(b,
                          "<p class=\"note\">The first %d of %u runs: "
                          "summary.json has all of them.</p>\n",
                          DETAILS_MOST, t->all);
        buffer_text(b, "</section>\n");
    }
    b->broken = b->broken || own.broken;
    buffer_free(&own);
}

static void put_all_finals(Buffer *b, const RunTrees *t, const ReportFacts *f)
{
    size_t before = b->v.used;
    buffer_text(b, "<section id=\"final\"><h2>Final values</h2>\n");
    if (table_final_rows(b, t)) {
        buffer_text(b, "</section>\n");
        return;
    }
    b->v.used = before;
    put_each(b, "final", "Final values", t, put_finals, f);
}

static Status put_together(Buffer *b, Arena *a, const ReportFacts *f,
                           const Tree *units)
{
    const Tree *t;
    if (!f->together)
        return STATUS_OK;
    t = tree_read(a, f->together);
    if (!t)
        return STATUS_MEMORY;
    if (!t->first)
        return STATUS_OK;
    buffer_text(b, "<section id=\"replications\"><h2>Replications</h2>\n");
    table_replications(b, t, units);
    const Tree *compared = f->compared ? tree_read(a, f->compared) : NULL;
    const Tree *selected = f->selected ? tree_read(a, f->selected) : NULL;
    if ((f->compared && !compared) || (f->selected && !selected))
        return STATUS_MEMORY;
    if (compared && compared->first)
        table_comparisons(b, compared, units);
    if (selected)
        table_selections(b, selected, units);
    buffer_text(b, "</section>\n");
    return STATUS_OK;
}

/* The next of some figures. */
typedef struct Figure {
    const char *at, *end; // `end` is where the one after it begins
    uint32_t number;      // UINT32_MAX: there is none
} Figure;

static Figure figure_after(const char *at)
{
    static const char begin[] = REPORT_FIGURE, end[] = REPORT_FIGURE_END;
    const char *after = strstr(at, end);
    if (strncmp(at, begin, sizeof begin - 1) != 0 || !after)
        return (Figure){.number = UINT32_MAX};
    return (Figure){at, after + sizeof end - 1,
                    (uint32_t)strtoul(at + sizeof begin - 1, NULL, 10)};
}

/* Needs: a text that ends with NUL. */
static Figure first_figure(const Buffer *b)
{
    return figure_after(b->v.used ? (const char *)b->v.bytes : "");
}

/* Those that were taken over stand where their numbers say. */
static void put_figures(Buffer *b, const Buffer *drawn, const Buffer *kept)
{
    Figure own = first_figure(drawn), old = first_figure(kept);
    while (own.number != old.number) { // both are UINT32_MAX at the end
        Figure *next = own.number < old.number ? &own : &old;
        buffer_bytes(b, next->at, (size_t)(next->end - next->at));
        *next = figure_after(next->end);
    }
    b->broken = b->broken || drawn->broken || kept->broken;
}

/* What a search or a study has found. */
static Status put_answer(Buffer *b, Arena *a, const Report *r,
                         const Tree *units, const ReportFacts *f)
{
    Buffer figures = {0};
    const Tree *found = f->optimum ? tree_read(a, f->optimum) : NULL;
    const Tree *t = f->swept ? tree_read(a, f->swept) : NULL;
    const Tree *u = f->uncertain ? tree_read(a, f->uncertain) : NULL;
    if ((f->optimum && !found) || (f->swept && !t) ||
        (f->swept && f->uncertain && !u))
        return STATUS_MEMORY;
    put_figures(&figures, &r->answers, &r->answered);
    if (found)
        optimum_section(b, found, units, t ? NULL : &figures);
    if (t)
        swept_section(b, t, u, &figures);
    buffer_free(&figures);
    return STATUS_OK;
}

static Status put_verified(Buffer *b, Arena *a, const RunTrees *runs,
                           const ReportFacts *f)
{
    if (!f->verified)
        return STATUS_OK;
    const Tree *t = tree_read(a, f->verified);
    if (!t)
        return STATUS_MEMORY;
    table_verified(b, t, runs);
    return STATUS_OK;
}

/* The number of the last figure. */
static uint32_t last_figure(const Report *r)
{
    const uint32_t *taken = (const uint32_t *)(const void *)r->taken.bytes;
    uint32_t last = r->drawn;
    for (size_t k = 0; k < r->taken.used / sizeof *taken; k++)
        last = taken[k] > last ? taken[k] : last;
    return last;
}

static void put_graphs(Buffer *b, const Report *r)
{
    if (r->graphs.v.used == 0 && r->figures.v.used == 0)
        return;
    buffer_text(b, "<section id=\"graphs\"><h2>Graphs</h2>\n");
    put_figures(b, &r->graphs, &r->figures);
    buffer_text(b, "</section>\n");
}

/* ---- The page -------------------------------------------------------------------- */

static void put_head(Buffer *b, const ReportFacts *f)
{
    buffer_text(b, REPORT_HEAD "<html lang=\"en\"><head>\n"
                               "<meta charset=\"utf-8\"/>\n"
                               "<meta name=\"viewport\" content=\""
                               "width=device-width, initial-scale=1\"/>\n"
                               "<meta name=\"color-scheme\" content=\""
                               "light dark\"/>\n<title>");
    html_text(b, f->program);
    buffer_text(b, "</title>\n<style>\n");
    buffer_bytes(b, report_style, report_style_length);
    buffer_text(b, "</style>\n</head><body>\n");
}

/* The messages come further down: this says that there are some. */
static void put_told(Buffer *b, const Report *r, const ReportFacts *f)
{
    uint32_t n = r->told + r->noted + (f->remarks && f->remarks[0] ? 1 : 0);
    if (n)
        buffer_format(b, " \xC2\xB7 <a href=\"#messages\">%u message%s</a>", n,
                      n == 1 ? "" : "s");
}

static void put_title(Buffer *b, const Report *r, const ReportFacts *f)
{
    buffer_text(b, "<header><h1>");
    html_text(b, f->program);
    buffer_text(b, "</h1>\n<p>");
    if (f->author) {
        buffer_format(b, "Project %llu by ", (unsigned long long)f->project);
        html_text(b, f->author);
        buffer_text(b, " \xC2\xB7 ");
    }
    html_text(b, f->source);
    buffer_format(b, " \xC2\xB7 %u run%s", f->count, f->count == 1 ? "" : "s");
    if (f->failed)
        buffer_format(b, ", <b class=\"bad\">%u did not finish</b>", f->failed);
    put_told(b, r, f);
    buffer_text(b, " \xC2\xB7 COSY ");
    html_text(b, f->release);
    if (f->hash[0]) {
        buffer_text(b, " \xC2\xB7 <span class=\"hash\">model ");
        html_bytes(b, f->hash, strnlen(f->hash, 12));
        buffer_text(b, "</span>");
    }
    buffer_text(b, "</p>\n");
}

/* Links to the sections of the page, which are those with an id. */
static void put_contents(Buffer *b, const Buffer *body)
{
    static const char mark[] = "<section id=\"", heading[] = "<h2>";
    const char *s = (const char *)body->v.bytes;
    buffer_text(b, "<nav aria-label=\"Contents\">");
    while (s && (s = strstr(s, mark)) != NULL) {
        const char *id = s + sizeof mark - 1, *title = strstr(id, heading);
        if (!title)
            break;
        title += sizeof heading - 1;
        buffer_format(b, "<a href=\"#%.*s\">%.*s</a> ", (int)strcspn(id, "\""),
                      id, (int)strcspn(title, "<"), title);
        s = title;
    }
    buffer_text(b, "</nav></header>\n<main>\n");
}

/* What all runs and FITs say about the data behind the model. */
static Status put_richer(Buffer *b, Arena *a, const RunTrees *runs,
                         const ReportFacts *f)
{
    Buffer lines = {0}, words = {0};
    const Tree *found = f->optimum ? tree_read(a, f->optimum) : NULL;
    if (f->optimum && !found)
        return STATUS_MEMORY;
    words_unsupported_fits(&lines, found);
    for (uint32_t k = 0; k < runs->n; k++)
        words_unsupported_run(&lines, runs->run[k]);
    words_richer(&words, &lines);
    if (words.v.used) {
        buffer_text(b,
                    "<section id=\"data\"><h2>The model and its data</h2>\n");
        words_page(b, buffer_string(&words));
        buffer_text(b, "</section>\n");
    }
    bool good = !words.broken && !lines.broken;
    buffer_free(&lines);
    buffer_free(&words);
    return good ? STATUS_OK : STATUS_MEMORY;
}

/* The answer first: results, then their parameters, then how they were
   computed. If something went wrong, the messages about it come before
   everything else. */
static Status put_body(Buffer *b, Arena *a, const Report *r,
                       const ReportFacts *f)
{
    RunTrees runs;
    if (!table_read_runs(&runs, a, f))
        return STATUS_MEMORY;
    /* A study has an answer though some of its runs have failed. */
    bool answered = f->swept && f->failed < f->count / 2;
    if (f->failed && !answered)
        put_messages(b, r, f);
    TRY(put_answer(b, a, r, runs.units, f));
    if (f->failed && answered)
        put_messages(b, r, f);
    TRY(put_together(b, a, f, runs.units));
    table_grids(b, &runs);
    TRY(put_verified(b, a, &runs, f));
    put_graphs(b, r);
    put_each(b, "statistics", "Statistics", &runs, put_statistics, f);
    put_all_finals(b, &runs, f);
    buffer_text(b, "<section id=\"runs\"><h2>Runs</h2>\n");
    table_runs(b, &runs, f);
    buffer_text(b, "</section>\n");
    if (!f->failed)
        put_messages(b, r, f);
    TRY(put_richer(b, a, &runs, f));
    table_analyses(b, &runs);
    if (!table_features(b, &runs, a, last_figure(r)))
        return STATUS_MEMORY;
    buffer_text(b, "<section id=\"method\"><h2>Method</h2>\n");
    table_methods(b, &runs);
    buffer_text(b, "</section>\n");
    put_model(b, f);
    put_pictures(b, f);
    put_provenance(b, a, f);
    return STATUS_OK;
}

static Status put_page(Buffer *b, Arena *a, const Report *r,
                       const ReportFacts *f)
{
    Buffer body = {0};
    Status s = put_body(&body, a, r, f);
    buffer_string(&body);
    if (s == STATUS_OK && !body.broken) {
        put_head(b, f);
        put_title(b, r, f);
        put_contents(b, &body);
        buffer_bytes(b, (const char *)body.v.bytes, body.v.used);
        buffer_text(b, "</main>\n<script>\n");
        buffer_bytes(b, report_script, report_script_length);
        buffer_text(b, "</script>\n</body></html>\n");
    }
    s = s == STATUS_OK && body.broken ? STATUS_MEMORY : s;
    buffer_free(&body);
    return s;
}

Status report_write(const Report *r, const ReportFacts *facts, const char *dir,
                    Fault *f)
{
    Arena a = {0};
    Buffer page = {0}, path = {0};
    Status s = put_page(&page, &a, r, facts);
    buffer_format(&path, "%s/report.html", dir);
    if (s == STATUS_OK && (page.broken || path.broken || r->messages.broken))
        s = STATUS_MEMORY;
    if (s != STATUS_OK)
        fault_set(f, s, "%s: no memory for report.html", dir);
    else
        s = file_put(buffer_string(&path), page.v.bytes, page.v.used, f);
    buffer_free(&page);
    buffer_free(&path);
    arena_free(&a);
    return s;
}
