#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "base/html.h"
#include "report/words.h"

/* What --verify found, from the member "verify" of summary.json. */

/* ---- Cells -------------------------------------------------------------------- */

static bool is_few(const Tree *d, double wanted)
{
    return !d || d->kind == TREE_NULL || d->kind == TREE_FALSE ||
           (d->kind == TREE_NUMBER && d->number < wanted);
}

/* A number, "equal", "differs", or "none". */
static void put_digits(Buffer *b, const Tree *d, double wanted)
{
    bool few = is_few(d, wanted);
    buffer_text(b, few ? "<td class=\"n bad\">" : "<td class=\"n\">");
    if (d && d->kind == TREE_NUMBER)
        buffer_format(b, "%.1f", d->number);
    else if (d && (d->kind == TREE_TRUE || d->kind == TREE_FALSE))
        buffer_text(b, d->kind == TREE_TRUE ? "equal" : "differs");
    else
        buffer_text(b, "none");
    if (few && d && d->kind == TREE_NUMBER)
        buffer_format(b, " &lt; %g", wanted);
    buffer_text(b, "</td>");
}

static void put_name(Buffer *b, const char *name)
{
    buffer_format(b, "<tr><th scope=\"row\"%s>",
                  strlen(name) > NAME_LONG ? " class=\"name\"" : "");
    html_text(b, name);
    buffer_text(b, "</th>");
}

static void put_number(Buffer *b, const Tree *t)
{
    buffer_text(b, "<td class=\"n\">");
    if (t && !isnan(t->number))
        buffer_format(b, "%.10g", t->number);
    buffer_text(b, "</td>");
}

static void open_table(Buffer *b, const char *name, const char *value,
                       const char *more, uint32_t rows)
{
    buffer_format(
        b,
        "<div class=\"wide%s\" tabindex=\"0\"><table><thead><tr>"
        "<th scope=\"col\">%s</th><th scope=\"col\" class=\"n\">%s"
        "</th><th scope=\"col\" class=\"n\">digits</th>%s</tr></thead>"
        "<tbody>\n",
        rows > FOLDED_FROM ? " long" : "", name, value, more);
}

static void close_table(Buffer *b, uint32_t shown, uint32_t all)
{
    buffer_text(b, "</tbody></table></div>\n");
    if (all > shown)
        buffer_format(b,
                      "<p class=\"note\">The first %u of %u rows: summary.json "
                      "has all of them.</p>\n",
                      shown, all);
}

/* ---- One run --------------------------------------------------------------------- */

/* The fewest digits of an array, and which element has them. */
static const Tree *fewest(const Tree *list, const Tree *values,
                          const Tree **value, uint32_t *element)
{
    const Tree *worst = NULL, *v = values ? values->first : NULL;
    uint32_t k = 1;
    for (const Tree *d = list->first; d; d = d->next, k++) {
        if (!worst || is_few(d, worst->number)) {
            worst = d;
            *value = v;
            *element = k;
        }
        v = v ? v->next : NULL;
    }
    return worst;
}

static void put_final(Buffer *b, const Tree *d, const Tree *finals,
                      const char *unit, double wanted)
{
    const Tree *value = tree_get(finals, d->name), *digits = d;
    uint32_t element = 0;
    Buffer name = {0};
    buffer_text(&name, d->name);
    if (d->kind == TREE_LIST) {
        digits = fewest(d, value, &value, &element);
        buffer_format(&name, ", element %u of %u", element, d->count);
    }
    if (unit && unit[0])
        buffer_format(&name, " [%s]", unit);
    put_name(b, buffer_string(&name));
    put_number(b, value);
    put_digits(b, digits, wanted);
    buffer_text(b, "</tr>\n");
    buffer_free(&name);
}

static void put_finals(Buffer *b, const Tree *verdict, const Tree *run,
                       const Tree *units)
{
    const Tree *all = tree_get(verdict, "final");
    uint32_t rows = 0;
    if (!all || !all->first)
        return;
    open_table(b, "final value of", "value", "", all->count);
    for (const Tree *d = all->first; d && rows < ROWS_MOST; d = d->next, rows++)
        put_final(b, d, tree_get(run, "final"), words_unit(units, d->name),
                  tree_number(verdict, "wanted"));
    close_table(b, rows, all->count);
}

static void put_statistics(Buffer *b, const Tree *verdict)
{
    const Tree *all = tree_get(verdict, "statistics");
    bool begun = false;
    for (const Tree *kind = all ? all->first : NULL; kind; kind = kind->next)
        for (const Tree *d = kind->first; d; d = d->next) {
            if (!begun)
                open_table(b, "statistic", "kind", "", 0);
            begun = true;
            put_name(b, d->name);
            buffer_text(b, "<td class=\"n\">");
            html_text(b, kind->name);
            buffer_text(b, "</td>");
            put_digits(b, d, tree_number(verdict, "wanted"));
            buffer_text(b, "</tr>\n");
        }
    if (begun)
        close_table(b, 0, 0);
}

static void put_events(Buffer *b, const Tree *verdict)
{
    const Tree *all = tree_get(verdict, "events");
    uint32_t rows = 0;
    if (!all || !all->first)
        return;
    open_table(b, "event", "time", "", all->count);
    for (const Tree *e = all->first; e && rows < ROWS_MOST;
         e = e->next, rows++) {
        put_name(b, tree_text(e, "event"));
        put_number(b, tree_get(e, "time"));
        put_digits(b, tree_get(e, "digits"), tree_number(verdict, "wanted"));
        buffer_text(b, "</tr>\n");
    }
    close_table(b, rows, (uint32_t)tree_number(verdict, "event_count"));
}

/* "RELERR 1e-07 (DOPRI5)" */
static void put_double(Buffer *b, const Tree *d)
{
    const Tree *relerr = tree_get(d, "relerr");
    buffer_format(b, "%s %.3g (", relerr ? "RELERR" : "STEP",
                  tree_number(d, relerr ? "relerr" : "step"));
    html_text(b, tree_text(d, "method"));
    if (strcmp(tree_text(d, "precision"), "DOUBLE") != 0) {
        buffer_text(b, ", ");
        html_text(b, tree_text(d, "precision"));
    }
    buffer_text(b, ")");
}

static void put_doubles(Buffer *b, const Tree *verdict)
{
    const Tree *closer = tree_get(verdict, "closer");
    const Tree *other = tree_get(verdict, "other");
    buffer_text(b, "<p>Computed again with ");
    if (closer && closer->kind == TREE_OBJECT)
        put_double(b, closer);
    if (other && other->kind == TREE_OBJECT) {
        buffer_text(b, " and with METHOD ");
        html_text(b, tree_text(other, "method"));
    } else {
        buffer_text(b, "; no method of another family applies");
    }
    buffer_text(b, ".</p>\n");
}

/* Says from where on nothing has digits, and why. */
static void put_trouble(Buffer *b, const Tree *verdict, bool runs)
{
    const char *message = tree_text(verdict, "message");
    const char *parts = tree_text(verdict, "parts");
    if (!message[0] && !parts[0])
        return;
    buffer_text(b, "<p class=\"bad\">");
    if (runs)
        buffer_format(b, "Run %.0f. ", tree_number(verdict, "run"));
    if (message[0]) {
        buffer_text(b, "No digits: ");
        html_text(b, message);
    } else {
        buffer_format(b, "From time %.10g on, nothing has digits: ",
                      tree_number(verdict, "parts_at"));
        html_text(b, parts);
    }
    buffer_text(b, ".</p>\n");
}

/* ---- Several runs -------------------------------------------------------------------- */

static const Tree *find_run(const Tree *verify, double run)
{
    const Tree *all = tree_get(verify, "runs");
    for (const Tree *v = all ? all->first : NULL; v; v = v->next)
        if (tree_number(v, "run") == run)
            return v;
    return NULL;
}

static void put_least(Buffer *b, const Tree *verify)
{
    const Tree *all = tree_get(verify, "least");
    uint32_t rows = 0;
    if (!all || !all->first)
        return;
    open_table(b, "name", "fewest in run", "", all->count);
    for (const Tree *d = all->first; d && rows < ROWS_MOST;
         d = d->next, rows++) {
        const Tree *v = find_run(verify, tree_number(d, "run"));
        put_name(b, d->name);
        put_number(b, tree_get(d, "run"));
        put_digits(b, tree_get(d, "digits"), tree_number(v, "wanted"));
        buffer_text(b, "</tr>\n");
    }
    close_table(b, rows, all->count);
}

static void put_means(Buffer *b, const Tree *verify, double wanted)
{
    const Tree *all = tree_get(verify, "replications");
    uint32_t rows = 0;
    if (!all || !all->first)
        return;
    open_table(b, "mean over runs of", "group", "", all->count);
    for (const Tree *m = all->first; m && rows < ROWS_MOST;
         m = m->next, rows++) {
        put_name(b, tree_text(m, "name"));
        put_number(b, tree_get(m, "group"));
        put_digits(b, tree_get(m, "digits"), wanted);
        buffer_text(b, "</tr>\n");
    }
    close_table(b, rows, all->count);
}

static void put_troubles(Buffer *b, const Tree *runs)
{
    uint32_t told = 0;
    for (const Tree *v = runs->first; v && told < DETAILS_MOST; v = v->next) {
        size_t before = b->v.used;
        put_trouble(b, v, runs->count > 1);
        told += b->v.used > before;
    }
}

void table_verified(Buffer *b, const Tree *verify, const RunTrees *t)
{
    const Tree *runs = tree_get(verify, "runs");
    buffer_text(b, "<section id=\"verify\"><h2>Digits</h2>\n");
    if (!runs || !runs->first) {
        buffer_text(b, "<p>");
        html_text(b, tree_text(verify, "message"));
        buffer_text(b, ".</p>\n");
    } else {
        put_doubles(b, runs->first);
        put_troubles(b, runs);
        if (runs->count > 1) {
            put_means(b, verify, tree_number(runs->first, "wanted"));
            put_least(b, verify);
        } else if (t->n > 0) {
            put_finals(b, runs->first, t->run[0], t->units);
            put_statistics(b, runs->first);
            put_events(b, runs->first);
        }
        buffer_text(
            b,
            "<p class=\"note\">These are the digits that the run has in common "
            "with both. Agreement is not a bound on its error.</p>\n");
    }
    buffer_text(b, "</section>\n");
}
