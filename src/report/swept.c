#include "report/swept.h"

#include <math.h>

#include "base/html.h"
#include "report/tables.h"
#include "report/uncertain.h"

/* A study is a Tree as stats/sweep.h writes it: names, rows, and where each
   quantity is least and greatest. */

static void put_head_cell(Buffer *b, const char *text, const char *unit,
                          bool number)
{
    buffer_format(b, "<th scope=\"col\"%s>", number ? " class=\"n\"" : "");
    html_text(b, text);
    if (unit[0]) {
        buffer_text(b, " [");
        html_text(b, unit);
        buffer_char(b, ']');
    }
    buffer_text(b, "</th>");
}

/* Six digits; with an interval as many as it leaves, and its half width. */
static void put_value(Buffer *b, double mean, double half)
{
    if (!isfinite(mean)) {
        buffer_text(b, "\xE2\x80\x93");
        return;
    }
    if (!isfinite(half)) {
        buffer_format(b, "%.6g", mean);
        return;
    }
    int digits = half > 0 ? 1 - (int)floor(log10(half)) : 6;
    if (digits < 0 || digits > 9 || fabs(mean) > 1e7)
        buffer_format(b, "%.5g \xC2\xB1 %.2g", mean, half);
    else
        buffer_format(b, "%.*f \xC2\xB1 %.*f", digits, mean, digits, half);
}

static const Tree *member(const Tree *list, uint32_t k)
{
    const Tree *e = list ? list->first : NULL;
    for (; e && k > 0; k--)
        e = e->next;
    return e;
}

static double number_at(const Tree *row, const char *list, uint32_t k)
{
    const Tree *e = member(tree_get(row, list), k);
    return e && e->kind == TREE_NUMBER ? e->number : NAN;
}

static const char *quantity_name(const Tree *study, uint32_t k)
{
    const Tree *q = member(tree_get(study, "quantities"), k);
    return q && q->text ? q->text : "";
}

/* "K = 2, M = TRUE" */
static void put_parameters(Buffer *b, const Tree *study, const Tree *row)
{
    const Tree *name = member(tree_get(study, "parameters"), 0);
    const Tree *value = member(tree_get(row, "parameters"), 0);
    for (uint32_t k = 0; name && value;
         name = name->next, value = value->next, k++) {
        buffer_text(b, k ? ", " : "");
        html_text(b, tree_text(name, "name"));
        buffer_text(b, " = ");
        html_text(b, value->text ? value->text : "");
    }
}

static bool is_true(const Tree *t, const char *name)
{
    const Tree *m = tree_get(t, name);
    return m && m->kind == TREE_TRUE;
}

/* ---- Least and greatest ----------------------------------------------------- */

static void put_end(Buffer *b, const Tree *study, const Tree *row, uint32_t k,
                    const char *what)
{
    buffer_format(b, "<td class=\"n\" data-name=\"%s\">", what);
    put_value(b, number_at(row, "means", k), number_at(row, "halves", k));
    buffer_text(b, "</td><td data-name=\"at\">");
    put_parameters(b, study, row);
    buffer_format(b, " <span class=\"remark\">(run %.0f)</span></td>",
                  tree_number(row, "run"));
}

static void put_ends(Buffer *b, const Tree *study)
{
    const Tree *ends = tree_get(study, "ends");
    if (!ends || !ends->first)
        return;
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\">"
                   "<table class=\"means\"><thead><tr>");
    put_head_cell(b, "", "", false);
    put_head_cell(b, "least", "", true);
    put_head_cell(b, "at", "", false);
    put_head_cell(b, "greatest", "", true);
    put_head_cell(b, "at", "", false);
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *e = ends->first; e; e = e->next) {
        uint32_t k = (uint32_t)tree_number(e, "quantity");
        buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
        html_text(b, quantity_name(study, k));
        buffer_text(b, "</th>");
        put_end(b, study, tree_get(e, "least"), k, "least");
        put_end(b, study, tree_get(e, "greatest"), k, "greatest");
        buffer_text(b, "</tr>\n");
    }
    buffer_text(b, "</tbody></table></div>\n");
}

/* ---- All rows --------------------------------------------------------------- */

static bool is_whole(const Tree *study)
{
    const Tree *rows = tree_get(study, "rows");
    for (const Tree *r = rows ? rows->first : NULL; r; r = r->next)
        if (tree_number(r, "failed") > 0)
            return false;
    return true;
}

static void put_heads(Buffer *b, const Tree *study, bool whole)
{
    const Tree *p = member(tree_get(study, "parameters"), 0);
    const Tree *q = member(tree_get(study, "quantities"), 0);
    put_head_cell(b, "run", "", true);
    for (; p; p = p->next)
        put_head_cell(b, tree_text(p, "name"), tree_text(p, "unit"), true);
    if (!whole)
        put_head_cell(b, "status", "", false);
    for (; q; q = q->next)
        put_head_cell(b, q->text ? q->text : "", "", true);
}

static void put_status(Buffer *b, const Tree *row, bool replicated)
{
    double failed = tree_number(row, "failed");
    buffer_text(b, failed > 0 ? "<td class=\"bad\">" : "<td>");
    if (failed > 0 && replicated)
        buffer_format(b, "%.0f of %.0f ", failed, tree_number(row, "runs"));
    html_text(b, tree_text(row, "status"));
    buffer_text(b, "</td>");
}

static void put_row(Buffer *b, const Tree *study, const Tree *row, bool whole)
{
    const Tree *quantities = tree_get(study, "quantities");
    buffer_format(b, "<tr><td class=\"n\">%.0f</td>", tree_number(row, "run"));
    for (const Tree *v = member(tree_get(row, "parameters"), 0); v;
         v = v->next) {
        buffer_text(b, "<td class=\"n\">");
        html_text(b, v->text ? v->text : "");
        buffer_text(b, "</td>");
    }
    if (!whole)
        put_status(b, row, is_true(study, "replicated"));
    for (uint32_t k = 0; quantities && k < quantities->count; k++) {
        buffer_text(b, "<td class=\"n\">");
        put_value(b, number_at(row, "means", k), number_at(row, "halves", k));
        buffer_text(b, "</td>");
    }
    buffer_text(b, "</tr>\n");
}

static void put_left(Buffer *b, const Tree *study, uint32_t shown)
{
    double all = tree_number(study, "all"), left = tree_number(study, "left");
    if (all > shown)
        buffer_format(b,
                      "<p class=\"note\">The first %u of %.0f: sweep.csv has "
                      "all of them.</p>\n",
                      shown, all);
    if (left > 0)
        buffer_format(b,
                      "<p class=\"note\">%.0f more quantit%s: sweep.csv has "
                      "all.</p>\n",
                      left, left > 1 ? "ies differ" : "y differs");
    if (is_true(study, "replicated"))
        buffer_text(b, "<p class=\"note\">Means over replications, with half "
                       "the width of their 95 % intervals.</p>\n");
}

static void put_rows(Buffer *b, const Tree *study)
{
    const Tree *rows = tree_get(study, "rows");
    bool whole = is_whole(study);
    uint32_t shown = 0;
    if (!rows || !rows->first)
        return;
    buffer_text(b,
                "<div class=\"wide long\" tabindex=\"0\"><table><thead><tr>");
    put_heads(b, study, whole);
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *r = rows->first; r; r = r->next, shown++)
        put_row(b, study, r, whole);
    buffer_text(b, "</tbody></table></div>\n");
    put_left(b, study, shown);
}

void swept_section(Buffer *b, const Tree *studies, const Tree *uncertain,
                   const Buffer *figures)
{
    bool several = studies->count > 1;
    buffer_text(b, "<section id=\"answer\"><h2>Answer</h2>\n");
    if (uncertain)
        uncertain_tables(b, uncertain);
    for (const Tree *s = studies->first; s; s = s->next) {
        if (several)
            buffer_format(b, "<h3>Frame %.0f</h3>\n", tree_number(s, "frame"));
        put_ends(b, s);
        if (several)
            put_rows(b, s);
    }
    buffer_bytes(b, (const char *)figures->v.bytes, figures->v.used);
    if (!several && studies->first)
        put_rows(b, studies->first);
    buffer_text(b, "</section>\n");
    b->broken = b->broken || figures->broken;
}
