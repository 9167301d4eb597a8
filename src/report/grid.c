#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/tables.h"
#include "report/words.h"

/* What GRIDCHECK found about a run: its member "grid" (docs/results.md). */

/* "41 points of X and 21 of Y" */
static void put_points(Buffer *b, const Tree *points)
{
    const Tree *k = points ? points->first : NULL;
    for (bool first = true; k; k = k->next, first = false)
        buffer_format(b, first ? "%.0f points of %s" : " and %.0f of %s",
                      k->number, k->name);
}

static bool is_true(const Tree *t, const char *name)
{
    const Tree *k = tree_get(t, name);
    return k && k->kind == TREE_TRUE;
}

static void put_field(Buffer *b, const Tree *f, const Tree *units)
{
    bool mean = strcmp(tree_text(f, "norm"), "l1") == 0;
    double error = tree_number(f, mean ? "l1" : "max");
    double order = tree_number(f, "order");
    if (!isfinite(error)) {
        buffer_format(b, "- %s has no estimate.\n", f->name);
        return;
    }
    buffer_format(b, "- %s: %s %.2g", f->name, mean ? "on average" : "at most",
                  error);
    words_put_unit(b, units, f->name);
    if (mean) {
        buffer_format(b, ", and %.2g", tree_number(f, "max"));
        words_put_unit(b, units, f->name);
        buffer_text(b, " where it is steep");
    }
    if (isfinite(order))
        buffer_format(b, "; it falls with order %.1f (%s)", order,
                      tree_text(f, "words"));
    else
        buffer_format(b, " (%s)", tree_text(f, "words"));
    if (!is_true(f, "reliable"))
        buffer_text(b, isfinite(order) ? ": that is not reliable" : "");
    buffer_text(b, ".\n");
}

void words_grid(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *grid = tree_get(run, "grid"), *fields;
    if (!grid)
        return;
    const char *message = tree_text(grid, "message");
    fields = tree_get(grid, "fields");
    if (tree_text(grid, "auto")[0])
        buffer_format(b, "%s.\n", tree_text(grid, "auto"));
    if (message[0])
        buffer_format(b, "The error that the GRID leaves: %s.\n", message);
    if (!fields)
        return;
    buffer_text(b, "The error that the GRID leaves, by trials with ");
    put_points(b, tree_get(grid, "half"));
    if (tree_get(grid, "quarter")) {
        buffer_text(b, " and with ");
        put_points(b, tree_get(grid, "quarter"));
    }
    buffer_text(b, "; the run itself has ");
    put_points(b, tree_get(grid, "points"));
    buffer_text(b, ":\n");
    for (const Tree *f = fields->first; f; f = f->next)
        put_field(b, f, units);
    if (isfinite(tree_number(grid, "time_error")))
        buffer_format(b, "The integration leaves an error of about %.1g.\n",
                      tree_number(grid, "time_error"));
}

void table_grids(Buffer *b, const RunTrees *t)
{
    uint32_t told = 0;
    for (uint32_t k = 0; k < t->n && told < DETAILS_MOST; k++) {
        Buffer words = {0};
        words_grid(&words, t->run[k], t->units);
        if (words.v.used && told++ == 0)
            buffer_text(b, "<section id=\"grid\"><h2>Error bars</h2>\n");
        if (words.v.used && t->all > 1)
            buffer_format(b, "<h3>Run %.0f</h3>\n",
                          tree_number(t->run[k], "run"));
        if (words.v.used)
            words_page(b, buffer_string(&words));
        b->broken = b->broken || words.broken;
        buffer_free(&words);
    }
    if (told)
        buffer_text(b, "</section>\n");
}
