#include "report/uncertain.h"

#include <math.h>

#include "base/html.h"

/* Member "uncertainty" of summary.json as tables. */

static void put_cell(Buffer *b, const Tree *x, const char *name, int digits)
{
    double v = tree_get(x, name) && tree_get(x, name)->kind == TREE_NUMBER
                   ? tree_number(x, name)
                   : NAN;
    if (isfinite(v))
        buffer_format(b, "<td class=\"n\">%.*g</td>", digits, v);
    else
        buffer_text(b, "<td class=\"n\">\xE2\x80\x93</td>");
}

static void put_head(Buffer *b, const char *const *head, size_t n)
{
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>"
                   "<th scope=\"col\"></th>");
    for (size_t k = 0; k < n; k++)
        buffer_format(b, "<th scope=\"col\" class=\"n\">%s</th>", head[k]);
    buffer_text(b, "</tr></thead><tbody>\n");
}

static void put_name(Buffer *b, const char *name, const char *unit)
{
    buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
    html_text(b, name);
    if (unit[0]) {
        buffer_text(b, " [");
        html_text(b, unit);
        buffer_char(b, ']');
    }
    buffer_text(b, "</th>");
}

static bool is_constant(const Tree *q)
{
    const Tree *sd = tree_get(q, "sd");
    return !sd || sd->kind != TREE_NUMBER || !(sd->number > 0);
}

static void put_measures(Buffer *b, const Tree *quantities)
{
    static const char *const head[] = {"mean", "its error", "sd",   "least",
                                       "5 %",  "25 %",      "50 %", "75 %",
                                       "95 %", "greatest"};
    static const char *const share[] = {"q5", "q25", "q50", "q75", "q95"};
    put_head(b, head, LENGTH(head));
    for (const Tree *q = quantities->first; q; q = q->next) {
        const Tree *quantile = tree_get(q, "quantiles");
        if (is_constant(q))
            continue;
        put_name(b, q->name, tree_text(q, "unit"));
        put_cell(b, q, "mean", 7);
        put_cell(b, q, "error", 2);
        put_cell(b, q, "sd", 5);
        put_cell(b, q, "min", 6);
        for (size_t k = 0; k < LENGTH(share); k++)
            put_cell(b, quantile, share[k], 6);
        put_cell(b, q, "max", 6);
        buffer_text(b, "</tr>\n");
    }
    buffer_text(b, "</tbody></table></div>\n");
}

static void put_share(Buffer *b, const Tree *x, const char *name,
                      const char *half)
{
    const Tree *v = tree_get(x, name);
    if (v && v->kind == TREE_NUMBER)
        buffer_format(b, "<td class=\"n\">%.4f \xC2\xB1 %.4f</td>", v->number,
                      tree_number(x, half));
    else
        buffer_text(b, "<td class=\"n\">\xE2\x80\x93</td>");
}

static void put_indices(Buffer *b, const Tree *quantities)
{
    static const char *const head[] = {"of", "alone", "in all"};
    if (!quantities->first || !tree_get(quantities->first, "indices"))
        return;
    buffer_text(b, "<h3>Shares of the variance</h3>\n");
    put_head(b, head, LENGTH(head));
    for (const Tree *q = quantities->first; q; q = q->next) {
        const Tree *indices = tree_get(q, "indices");
        for (const Tree *x = indices ? indices->first : NULL;
             x && !is_constant(q); x = x->next) {
            put_name(b, q->name, "");
            buffer_text(b, "<td class=\"n\">");
            html_text(b, x->name);
            buffer_text(b, "</td>");
            put_share(b, x, "first", "first_half");
            put_share(b, x, "total", "total_half");
            buffer_text(b, "</tr>\n");
        }
    }
    buffer_text(
        b,
        "</tbody></table></div>\n"
        "<p class=\"note\">Alone: the share of the variance that would go if "
        "the parameter were known. In all: the share that would "
        "stay if all others were known. With 95 % intervals, as of "
        "independent points: those of SOBOL and LATIN are mostly "
        "closer.</p>\n");
}

static void put_inputs(Buffer *b, const Tree *u)
{
    const Tree *list = tree_get(u, "parameters");
    buffer_format(b, "<p>%.0f points, %.0f runs", tree_number(u, "points"),
                  tree_number(u, "runs"));
    if (tree_number(u, "failed_runs") > 0)
        buffer_format(b,
                      ", %.0f of which <span class=\"bad\">failed</span> and "
                      "are left out",
                      tree_number(u, "failed_runs"));
    const Tree *replicated = tree_get(u, "replicated");
    if (replicated && replicated->kind == TREE_TRUE)
        buffer_text(b, ", each replicated");
    buffer_text(b, ".</p>\n<ul>\n");
    for (const Tree *p = list ? list->first : NULL; p; p = p->next) {
        const Tree *idle = tree_get(p, "idle");
        buffer_text(b, "<li>");
        html_text(b, tree_text(p, "name"));
        if (tree_text(p, "unit")[0]) {
            buffer_text(b, " [");
            html_text(b, tree_text(p, "unit"));
            buffer_char(b, ']');
        }
        buffer_text(b, ": ");
        html_text(b, tree_text(p, "distribution"));
        if (idle && idle->kind == TREE_TRUE)
            buffer_text(b, " \xE2\x80\x93 no quantity depends on it");
        buffer_text(b, "</li>\n");
    }
    buffer_text(b, "</ul>\n");
}

void uncertain_tables(Buffer *b, const Tree *list)
{
    for (const Tree *u = list->first; u; u = u->next) {
        const Tree *quantities = tree_get(u, "quantities");
        if (list->count > 1)
            buffer_format(b, "<h3>Frame %.0f, line %.0f</h3>\n",
                          tree_number(u, "frame"), tree_number(u, "line"));
        put_inputs(b, u);
        if (!quantities)
            continue;
        put_measures(b, quantities);
        put_indices(b, quantities);
    }
}
