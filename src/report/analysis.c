#include <math.h>
#include <stdio.h>

#include "base/html.h"
#include "report/tables.h"
#include "report/words.h"

/* A section about what STEADYSTATE and LINEARIZE have found: points of rest with
   their eigenvalues, and the matrices. */

enum {
    SPOTS_MOST = 40,  // eigenvalues in a cell
    MATRIX_MOST = 400 // entries of a matrix that is shown
};

static void put_number(Buffer *b, const Tree *t)
{
    if (t && t->kind == TREE_NUMBER)
        buffer_format(b, "%.6g", t->number);
    else
        html_text(b, t && t->kind == TREE_TEXT ? t->text : "");
}

/* "-1 + 2i, -3" */
static void put_spots(Buffer *b, const Tree *list)
{
    uint32_t n = 0;
    for (const Tree *s = list ? list->first : NULL; s; s = s->next, n++) {
        const Tree *re = s->first, *im = re ? re->next : NULL;
        if (!im || n >= SPOTS_MOST)
            break;
        buffer_format(b, "%s%.6g", n ? ", " : "", re->number);
        if (im->number != 0.0)
            buffer_format(b, " %s %.6gi", im->number < 0 ? "&minus;" : "+",
                          fabs(im->number));
    }
    if (list && list->count > SPOTS_MOST)
        buffer_format(b, ", ... (%u)", list->count);
}

static void put_heading(Buffer *b, const char *text, const char *unit)
{
    buffer_text(b, "<th scope=\"col\">");
    html_text(b, text);
    if (unit && unit[0]) {
        buffer_text(b, " [");
        html_text(b, unit);
        buffer_char(b, ']');
    }
    buffer_text(b, "</th>");
}

/* ---- Points of rest ------------------------------------------------------- */

static void put_point(Buffer *b, const Tree *p, uint32_t number)
{
    uint32_t n = 0;
    const Tree *values = tree_get(p, "final");
    buffer_format(b, "<tr><th scope=\"row\">%u</th><td>", number);
    html_text(b, tree_text(p, "stability"));
    buffer_text(b, "</td>");
    for (const Tree *v = values ? values->first : NULL; v && n < FINALS_MOST;
         v = v->next, n++) {
        buffer_text(b, "<td>");
        if (v->kind == TREE_LIST)
            buffer_format(b, "%u values", v->count);
        else
            put_number(b, v);
        buffer_text(b, "</td>");
    }
    buffer_format(b, "<td>%.3g</td><td>", tree_number(p, "residual"));
    put_spots(b, tree_get(p, "eigenvalues"));
    buffer_text(b, "</td></tr>\n");
}

static void put_steady(Buffer *b, const Tree *s, const Tree *units)
{
    const Tree *list = tree_get(s, "solutions");
    uint32_t n = 0, number = 0;
    if (!list || !list->first) {
        buffer_format(b,
                      "<p>No point of rest was found; the largest derivative "
                      "is %.4g, that of ",
                      tree_number(s, "residual"));
        html_text(b, tree_text(s, "largest_at"));
        buffer_text(b, ".</p>\n");
        return;
    }
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
    put_heading(b, "point of rest", NULL);
    put_heading(b, "stability", NULL);
    const Tree *names = tree_get(list->first, "final");
    for (const Tree *v = names ? names->first : NULL; v && n < FINALS_MOST;
         v = v->next, n++)
        put_heading(b, v->name, tree_text(units, v->name));
    put_heading(b, "largest derivative", NULL);
    put_heading(b, "eigenvalues", NULL);
    buffer_text(b, "</tr></thead>\n<tbody>\n");
    for (const Tree *p = list->first; p; p = p->next)
        put_point(b, p, ++number);
    buffer_text(b, "</tbody></table></div>\n");
    if (list->count > 1)
        buffer_text(b, "<p class=\"note\">The first is the one that the "
                       "present point led to.</p>\n");
}

/* ---- Matrices ------------------------------------------------------------- */

static void put_matrix(Buffer *b, const Tree *l, const char *name,
                       const char *row_names, const char *column_names)
{
    const Tree *m = tree_get(l, name), *rows = tree_get(l, row_names);
    const Tree *columns = tree_get(l, column_names);
    if (!m || m->kind != TREE_LIST || !rows || !columns || !m->first ||
        columns->count == 0 || rows->count * columns->count > MATRIX_MOST)
        return;
    buffer_format(
        b,
        "<div class=\"wide\" tabindex=\"0\"><table><caption>%s</caption><thead>"
        "<tr><td></td>",
        name);
    for (const Tree *c = columns->first; c; c = c->next)
        put_heading(b, c->text, NULL);
    buffer_text(b, "</tr></thead>\n<tbody>\n");
    const Tree *label = rows->first;
    for (const Tree *r = m->first; r && label; r = r->next) {
        buffer_text(b, "<tr><th scope=\"row\">");
        html_text(b, label->text);
        buffer_text(b, "</th>");
        for (const Tree *v = r->first; v; v = v->next) {
            buffer_text(b, "<td>");
            put_number(b, v);
            buffer_text(b, "</td>");
        }
        buffer_text(b, "</tr>\n");
        label = label->next;
    }
    buffer_text(b, "</tbody></table></div>\n");
}

static void put_zeros(Buffer *b, const Tree *list)
{
    for (const Tree *z = list ? list->first : NULL; z; z = z->next) {
        const Tree *spots = tree_get(z, "zeros");
        if (!spots || spots->kind != TREE_LIST)
            continue;
        buffer_text(b, "<p>Zeros of ");
        html_text(b, tree_text(z, "output"));
        buffer_text(b, " by ");
        html_text(b, tree_text(z, "input"));
        buffer_text(b, ": ");
        if (spots->first)
            put_spots(b, spots);
        else
            buffer_text(b, "none");
        buffer_text(b, "</p>\n");
    }
}

/* A matrix of the reduced model, whose states are mixtures and have numbers; names of
   rows or columns are NULL for states. */
static void put_reduced_matrix(Buffer *b, const Tree *m, const char *name,
                               const Tree *rows, const Tree *columns,
                               uint32_t states)
{
    uint32_t wide = columns ? columns->count : states, i = 0;
    const Tree *label = rows ? rows->first : NULL;
    const Tree *head = columns ? columns->first : NULL;
    char text[16];
    if (!m || !m->first || wide == 0 || m->count * wide > MATRIX_MOST)
        return;
    buffer_format(
        b,
        "<div class=\"wide\" tabindex=\"0\"><table><caption>%s, reduced"
        "</caption><thead><tr><td></td>",
        name);
    for (uint32_t k = 0; k < wide; k++) {
        snprintf(text, sizeof text, "z%u", (unsigned)(k + 1));
        put_heading(b, head ? head->text : text, NULL);
        head = head ? head->next : NULL;
    }
    buffer_text(b, "</tr></thead>\n<tbody>\n");
    for (const Tree *r = m->first; r; r = r->next) {
        snprintf(text, sizeof text, "z%u", (unsigned)++i);
        buffer_text(b, "<tr><th scope=\"row\">");
        html_text(b, label ? label->text : text);
        buffer_text(b, "</th>");
        label = label ? label->next : NULL;
        for (const Tree *v = r->first; v; v = v->next) {
            buffer_text(b, "<td>");
            put_number(b, v);
            buffer_text(b, "</td>");
        }
        buffer_text(b, "</tr>\n");
    }
    buffer_text(b, "</tbody></table></div>\n");
}

static void put_reduced(Buffer *b, const Tree *l)
{
    const Tree *r = tree_get(l, "reduced"), *in = tree_get(l, "inputs");
    const Tree *out = tree_get(l, "outputs");
    Buffer words = {0};
    if (!r || !in || !out)
        return;
    uint32_t n = (uint32_t)tree_number(r, "states");
    words_reduced(&words, l);
    words_page(b, buffer_string(&words));
    b->broken = b->broken || words.broken;
    buffer_free(&words);
    buffer_text(b, "<p>Eigenvalues of the reduced model: ");
    put_spots(b, tree_get(r, "poles"));
    buffer_text(b, n ? "</p>\n" : "none</p>\n");
    put_reduced_matrix(b, tree_get(r, "A"), "A", NULL, NULL, n);
    put_reduced_matrix(b, tree_get(r, "B"), "B", NULL, in, n);
    put_reduced_matrix(b, tree_get(r, "C"), "C", out, NULL, n);
    put_reduced_matrix(b, tree_get(r, "D"), "D", out, in, n);
}

static void put_linear(Buffer *b, const Tree *l)
{
    buffer_text(b, "<p>Eigenvalues: ");
    put_spots(b, tree_get(l, "poles"));
    buffer_text(b, "</p>\n");
    put_zeros(b, tree_get(l, "zeros"));
    put_matrix(b, l, "A", "states", "states");
    put_matrix(b, l, "B", "states", "inputs");
    put_matrix(b, l, "C", "outputs", "states");
    put_matrix(b, l, "D", "outputs", "inputs");
    put_reduced(b, l);
}

void table_analyses(Buffer *b, const RunTrees *t)
{
    uint32_t told = 0, all = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        const Tree *steady = tree_get(t->run[k], "steady_state");
        const Tree *linear = tree_get(t->run[k], "linear");
        if ((!steady && !linear) || all++ >= DETAILS_MOST)
            continue;
        if (told++ == 0)
            buffer_text(b, "<section id=\"analysis\"><h2>Points of rest and "
                           "linear models</h2>\n");
        if (t->all > 1)
            buffer_format(b, "<h3>Run %.0f</h3>\n",
                          tree_number(t->run[k], "run"));
        if (steady)
            put_steady(b, steady, t->units);
        if (linear)
            put_linear(b, linear);
    }
    if (all > told)
        buffer_format(b,
                      "<p class=\"note\">The first %u: summary.json has all of "
                      "them.</p>\n",
                      told);
    buffer_text(b, told ? "</section>\n" : "");
}
