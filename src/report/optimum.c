#include "report/optimum.h"

#include <math.h>
#include <string.h>

#include "base/html.h"
#include "report/fit.h"

static bool is_true(const Tree *t, const char *name)
{
    const Tree *m = tree_get(t, name);
    return m && m->kind == TREE_TRUE;
}

static void put_cell(Buffer *b, const char *name, bool number)
{
    buffer_format(b, "<td%s data-name=\"%s\">", number ? " class=\"n\"" : "",
                  name);
}

/* Seven digits, and those beyond that are known. Numbers of more than DOUBLE's
   precision are texts with all their digits. */
static void put_number(Buffer *b, const Tree *value, double error)
{
    if (!value || !isfinite(value->number)) {
        buffer_text(b, "\xE2\x80\x93");
        return;
    }
    double digits = ceil(log10(fabs(value->number) / error)) + 1;
    if (value->text)
        html_text(b, value->text);
    else if (digits > 7)
        buffer_format(b, "%.*g", digits < 15 ? (int)digits : 15, value->number);
    else
        buffer_format(b, "%.7g", value->number);
}

static void put_unit(Buffer *b, const Tree *units, const char *name)
{
    char whole[200];
    const char *unit = tree_text(units, name);
    size_t length = strcspn(name, "[");
    if (!unit[0] && length < sizeof whole) {
        memcpy(whole, name, length);
        whole[length] = '\0';
        unit = tree_text(units, whole);
    }
    if (!unit[0])
        return;
    buffer_char(b, ' ');
    html_text(b, unit);
}

static void put_limits(Buffer *b, const Tree *bounds)
{
    const Tree *low = bounds ? bounds->first : NULL;
    if (!low || !low->next)
        return;
    if (isfinite(low->number))
        buffer_format(b, "%.7g", low->number);
    buffer_text(b, " \xE2\x80\xA6 ");
    if (isfinite(low->next->number))
        buffer_format(b, "%.7g", low->next->number);
}

static bool is_at(double value, const Tree *bound)
{
    return bound && isfinite(bound->number) && value == bound->number;
}

static void put_parameter(Buffer *b, const Tree *one, const Tree *p,
                          const Tree *units)
{
    const Tree *bounds = tree_get(tree_get(one, "bounds"), p->name);
    const Tree *low = bounds ? bounds->first : NULL;
    double error = tree_number(tree_get(one, "uncertainty"), p->name);
    bool at = low && (is_at(p->number, low) || is_at(p->number, low->next));
    buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
    html_text(b, p->name);
    buffer_text(b, "</th>");
    put_cell(b, "value", true);
    put_number(b, p, error);
    if (error > 0)
        buffer_format(b, " \xC2\xB1 %.2g", error);
    put_unit(b, units, p->name);
    buffer_text(b, "</td>");
    put_cell(b, "bounds", true);
    put_limits(b, bounds);
    if (at)
        buffer_text(b, " <span class=\"remark\">(at one of them)</span>");
    buffer_text(b, "</td></tr>\n");
}

static void put_parameters(Buffer *b, const Tree *one, const Tree *units)
{
    const Tree *all = tree_get(one, "parameters");
    const Tree *value = tree_get(one, "value");
    if (!all || !all->first)
        return;
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table class=\"means\">"
                   "<thead><tr><th scope=\"col\"></th><th scope=\"col\" "
                   "class=\"n\">value</th><th scope=\"col\" class=\"n\">bounds"
                   "</th></tr></thead><tbody>\n");
    for (const Tree *p = all->first; p; p = p->next)
        put_parameter(b, one, p, units);
    if (value && isfinite(value->number) &&
        !tree_get(all, tree_text(one, "wanted"))) {
        buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
        html_text(b, tree_text(one, "wanted"));
        buffer_text(b, "</th>");
        put_cell(b, "value", true);
        put_number(b, value, NAN);
        put_unit(b, units, tree_text(one, "wanted"));
        buffer_text(b, "</td></tr>\n");
    }
    buffer_text(b, "</tbody></table></div>\n");
}

static bool is_active(const Tree *one, const char *condition)
{
    const Tree *active = tree_get(one, "active");
    for (const Tree *c = active ? active->first : NULL; c; c = c->next)
        if (c->text && strcmp(c->text, condition) == 0)
            return true;
    return false;
}

/* Conditions, or the equations of SOLVE, and what is left of them. */
static void put_conditions(Buffer *b, const Tree *one, const char *member,
                           const char *heading)
{
    const Tree *all = tree_get(one, member);
    if (!all || !all->first)
        return;
    buffer_format(b,
                  "<div class=\"wide\" tabindex=\"0\"><table class=\"means\">"
                  "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\" "
                  "class=\"n\">difference</th></tr></thead><tbody>\n",
                  heading);
    for (const Tree *c = all->first; c; c = c->next) {
        buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
        html_text(b, c->name);
        buffer_text(b, "</th>");
        put_cell(b, "difference", true);
        put_number(b, c, NAN);
        if (is_active(one, c->name))
            buffer_text(b, " <span class=\"remark\">(nothing to spare)</span>");
        buffer_text(b, "</td></tr>\n");
    }
    buffer_text(b, "</tbody></table></div>\n");
}

static void put_one(Buffer *b, const Tree *one, const Tree *units)
{
    bool found = is_true(one, "found");
    buffer_text(b, "<h3>");
    html_text(b, tree_text(one, "kind"));
    buffer_char(b, ' ');
    html_text(b, tree_text(one, "wanted"));
    buffer_format(b, "</h3>\n<p%s>", found ? "" : " class=\"bad\"");
    html_text(b, tree_text(one, "message"));
    buffer_text(b, "</p>\n");
    if (strcmp(tree_text(one, "kind"), "FIT") == 0) {
        fit_tables(b, one, units);
    } else {
        put_parameters(b, one, units);
        put_conditions(b, one, "conditions", "condition");
        put_conditions(b, one, "residuals", "equation");
    }
    buffer_format(b, "<p class=\"note\">%.0f trials",
                  tree_number(one, "trials"));
    if (tree_number(one, "failed_trials") > 0)
        buffer_format(b, ", of which %.0f failed",
                      tree_number(one, "failed_trials"));
    if (tree_text(one, "method")[0])
        buffer_format(b, ", by %s", tree_text(one, "method"));
    if (tree_number(one, "run") > 0)
        buffer_format(b, "; run %.0f has these values",
                      tree_number(one, "run"));
    buffer_text(b, ".</p>\n");
}

void optimum_section(Buffer *b, const Tree *found, const Tree *units,
                     const Buffer *figures)
{
    enum { SHOWN = 20 };
    uint32_t shown = 0;
    buffer_format(b, "<section id=\"%s\"><h2>%s</h2>\n",
                  figures ? "answer" : "searches",
                  figures ? "Answer" : "Best values");
    bool single = found->kind == TREE_OBJECT;
    if (single)
        put_one(b, found, units);
    for (const Tree *one = found->first; !single && one && shown < SHOWN;
         one = one->next, shown++)
        put_one(b, one, units);
    if (!single && found->count > shown)
        buffer_format(b,
                      "<p class=\"note\">%u more: summary.json has all.</p>\n",
                      found->count - shown);
    if (figures) {
        buffer_bytes(b, (const char *)figures->v.bytes, figures->v.used);
        b->broken = b->broken || figures->broken;
    }
    buffer_text(b, "</section>\n");
}
