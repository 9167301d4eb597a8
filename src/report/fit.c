#include "report/fit.h"

#include <math.h>
#include <string.h>

#include "base/html.h"

enum {
    MATRIX = 14, // parameters up to which all correlations are shown
    OPTIMA = 10  // where starts led
};
#define HIGH 0.9 // correlations from which on they stand out

static void open_table(Buffer *b, const char *const *heading, size_t n)
{
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table class=\"means\">"
                   "<thead><tr><th scope=\"col\"></th>");
    for (size_t k = 0; k < n; k++)
        buffer_format(b, "<th scope=\"col\" class=\"n\">%s</th>", heading[k]);
    buffer_text(b, "</tr></thead><tbody>\n");
}

static void close_table(Buffer *b)
{
    buffer_text(b, "</tbody></table></div>\n");
}

static void open_row(Buffer *b, const char *name)
{
    buffer_text(b, "<tr><th scope=\"row\" class=\"name\">");
    html_text(b, name);
    buffer_text(b, "</th>");
}

static void put_number(Buffer *b, int digits, double value)
{
    if (isfinite(value))
        buffer_format(b, "%.*g", digits, value);
    else
        buffer_text(b, "\xE2\x80\x93");
}

static void put_cell(Buffer *b, const char *name, int digits, double value)
{
    buffer_format(b, "<td class=\"n\" data-name=\"%s\">", name);
    put_number(b, digits, value);
    buffer_text(b, "</td>");
}

static double element(const Tree *list, uint32_t k)
{
    const Tree *t = list ? list->first : NULL;
    for (; t && k > 0; k--)
        t = t->next;
    return t && t->kind == TREE_NUMBER ? t->number : (double)NAN;
}

static void put_pair(Buffer *b, const char *name, const Tree *pair)
{
    buffer_format(b, "<td class=\"n\" data-name=\"%s\">", name);
    if (pair && pair->first) {
        put_number(b, 5, element(pair, 0));
        buffer_text(b, " \xE2\x80\xA6 ");
        put_number(b, 5, element(pair, 1));
    } else {
        buffer_text(b, "\xE2\x80\x93");
    }
    buffer_text(b, "</td>");
}

static const char *unit_of(const Tree *units, const char *name)
{
    char whole[200];
    const char *unit = tree_text(units, name);
    size_t length = strcspn(name, "[");
    if (unit[0] || length >= sizeof whole)
        return unit;
    memcpy(whole, name, length);
    whole[length] = '\0';
    return tree_text(units, whole);
}

static void put_profile(Buffer *b, const Tree *profile)
{
    if (!profile)
        return;
    buffer_text(b, "<td class=\"n\" data-name=\"interval by profile\">");
    put_number(b, 5, tree_number(profile, "low"));
    buffer_text(b, " \xE2\x80\xA6 ");
    put_number(b, 5, tree_number(profile, "high"));
    buffer_text(b, "</td>");
}

static void put_parameters(Buffer *b, const Tree *one, const Tree *units)
{
    static const char *const heading[] = {"value", "standard error",
                                          "95&nbsp;% interval", "bounds",
                                          "interval by profile"};
    const Tree *all = tree_get(one, "parameters");
    const Tree *profiles = tree_get(one, "profiles");
    open_table(b, heading, profiles ? 5 : 4);
    for (const Tree *p = all->first; p; p = p->next) {
        const Tree *profile = tree_get(profiles, p->name);
        const char *unit = unit_of(units, p->name);
        open_row(b, p->name);
        buffer_text(b, "<td class=\"n\" data-name=\"value\">");
        put_number(b, 7, p->number);
        if (unit[0]) {
            buffer_char(b, ' ');
            html_text(b, unit);
        }
        buffer_text(b, "</td>");
        put_cell(b, "standard error", 3,
                 tree_number(tree_get(one, "uncertainty"), p->name));
        put_pair(b, "95 % interval",
                 tree_get(tree_get(one, "interval"), p->name));
        put_pair(b, "bounds", tree_get(tree_get(one, "bounds"), p->name));
        put_profile(b, profile);
        buffer_text(b, "</tr>\n");
    }
    close_table(b);
}

static void put_quality(Buffer *b, const Tree *one)
{
    static const struct {
        const char *member, *words;
    } rows[] = {{"data", "values measured"},
                {"nll", "negative log-likelihood"},
                {"chi2", "chi2"},
                {"squares", "sum of squares of the residuals"},
                {"freedom", "degrees of freedom"},
                {"aic", "AIC"},
                {"bic", "BIC"},
                {"rms", "root mean square of the residuals"}};
    static const char *const heading[] = {"value"};
    const Tree *noise = tree_get(one, "noise");
    open_table(b, heading, 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!tree_get(one, rows[k].member))
            continue;
        open_row(b, rows[k].words);
        put_cell(b, "value", 8, tree_number(one, rows[k].member));
        buffer_text(b, "</tr>\n");
    }
    for (const Tree *k = noise ? noise->first : NULL; k; k = k->next) {
        buffer_text(b, "<tr><th scope=\"row\" class=\"name\">noise of ");
        html_text(b, k->name);
        buffer_text(b, ", estimated</th>");
        put_cell(b, "value", 5, k->number);
        buffer_text(b, "</tr>\n");
    }
    close_table(b);
}

static void put_correlations(Buffer *b, const Tree *one)
{
    const Tree *all = tree_get(one, "parameters");
    const Tree *matrix = tree_get(one, "correlations");
    uint32_t i = 0;
    if (!matrix || !matrix->first || all->count < 2 || all->count > MATRIX)
        return;
    buffer_text(b, "<h4>Correlations</h4>\n<div class=\"wide\" tabindex=\"0\">"
                   "<table class=\"means\"><thead><tr><th scope=\"col\"></th>");
    for (const Tree *p = all->first; p->next; p = p->next) {
        buffer_text(b, "<th scope=\"col\" class=\"n\">");
        html_text(b, p->name);
        buffer_text(b, "</th>");
    }
    buffer_text(b, "</tr></thead><tbody>\n");
    const Tree *row = matrix->first->next;
    for (const Tree *p = all->first->next; p && row;
         p = p->next, row = row->next) {
        const Tree *other = all->first;
        open_row(b, p->name);
        for (uint32_t k = 0; k <= i; k++, other = other->next) {
            double r = element(row, k);
            bool high = fabs(r) >= HIGH;
            buffer_text(b, "<td class=\"n\" data-name=\"");
            html_text(b, other->name);
            buffer_format(b, "\">%s", high ? "<strong>" : "");
            if (isfinite(r))
                buffer_format(b, "%.3f", r);
            else
                buffer_text(b, "\xE2\x80\x93");
            buffer_format(b, "%s</td>", high ? "</strong>" : "");
        }
        buffer_text(b, "</tr>\n");
        i++;
    }
    close_table(b);
}

static void put_starts(Buffer *b, const Tree *one)
{
    static const char *const heading[] = {"negative log-likelihood", "starts"};
    const Tree *optima = tree_get(one, "optima");
    uint32_t n = 0;
    if (!optima || !optima->first)
        return;
    buffer_format(b, "<h4>Where %.0f starts led</h4>\n",
                  tree_number(one, "starts"));
    open_table(b, heading, 2);
    for (const Tree *k = optima->first; k && n < OPTIMA; k = k->next, n++) {
        buffer_format(b, "<tr><th scope=\"row\">%u</th>", (unsigned)(n + 1));
        put_cell(b, "negative log-likelihood", 8, tree_number(k, "nll"));
        put_cell(b, "starts", 6, tree_number(k, "starts"));
        buffer_text(b, "</tr>\n");
    }
    close_table(b);
    if (optima->count > n)
        buffer_format(b,
                      "<p class=\"note\">%u more: summary.json has all.</p>\n",
                      optima->count - n);
}

void fit_tables(Buffer *b, const Tree *one, const Tree *units)
{
    const Tree *all = tree_get(one, "parameters");
    if (!all || !all->first)
        return;
    put_parameters(b, one, units);
    put_quality(b, one);
    put_correlations(b, one);
    put_starts(b, one);
}
