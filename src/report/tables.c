#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "base/html.h"
#include "report/words.h"

/* ---- Cells ------------------------------------------------------------------ */

/* A text may be a number too: EXTENDED and QUAD write them so. */
static bool is_number(const Tree *t)
{
    return t && !isnan(t->number);
}

/* Six digits; whole numbers have all of theirs. */
static void put_number(Buffer *b, double v)
{
    bool whole = fabs(v) < 1e15 && rint(v) == v;
    buffer_format(b, whole ? "%.0f" : "%.6g", whole && v == 0 ? 0.0 : v);
}

static void put_list(Buffer *b, const Tree *t);
static void put_fields(Buffer *b, const Tree *t);

static void put_value(Buffer *b, const Tree *t)
{
    if (!t || t->kind == TREE_NULL)
        buffer_text(b, "\xE2\x80\x93"); // a dash
    else if (is_number(t))
        put_number(b, t->number);
    else if (t->kind == TREE_LIST)
        put_list(b, t);
    else if (t->kind == TREE_OBJECT)
        put_fields(b, t);
    else if (t->kind == TREE_TEXT)
        html_text(b, t->text);
    else
        buffer_text(b, t->kind == TREE_TRUE ? "yes" : "no");
}

static void put_list(Buffer *b, const Tree *t)
{
    uint32_t k = 0;
    for (const Tree *e = t->first; e && k < ELEMENTS_MOST; e = e->next) {
        buffer_text(b, k++ ? ", " : "");
        put_value(b, e);
    }
    if (t->count > ELEMENTS_MOST)
        buffer_format(b, " \xE2\x80\xA6 (%u in all)", t->count);
}

/* A = 1, B = 2 */
static void put_fields(Buffer *b, const Tree *t)
{
    for (const Tree *m = t->first; m; m = m->next) {
        html_text(b, m->name);
        buffer_text(b, " = ");
        put_value(b, m);
        buffer_text(b, m->next ? ", " : "");
    }
}

/* Names of members, in words. */
static void put_label(Buffer *b, const char *name)
{
    static const struct {
        const char *name, *words;
    } known[] = {{"ci95", "95 % interval"},
                 {"sd", "std. deviation"},
                 {"rhs", "evaluations"},
                 {"t_begin", "from"},
                 {"t_end", "to"},
                 {"wall_s", "wall time [s]"},
                 {"waited", "had to wait"},
                 {"lag1", "lag 1"},
                 {"left_out", "left out after"}};
    for (size_t k = 0; k < LENGTH(known); k++)
        if (strcmp(known[k].name, name) == 0) {
            buffer_text(b, known[k].words);
            return;
        }
    for (; *name; name++) {
        char one[] = {*name == '_' ? ' ' : *name, '\0'};
        if ((unsigned char)*name < 128)
            html_text(b, one);
        else
            buffer_char(b, *name);
    }
}

/* Members that are times, with the unit of TIME. */
static void put_time_unit(Buffer *b, const char *name, const Tree *units)
{
    static const char *const times[] = {
        "t_begin",  "t_end", "mean_wait", "max_wait", "mean_stay", "time",
        "max_stay", "from",  "to",        "until",    "interval"};
    const char *unit = words_unit(units, "TIME");
    for (size_t k = 0; k < LENGTH(times) && unit[0]; k++)
        if (strcmp(times[k], name) == 0) {
            buffer_text(b, " [");
            html_text(b, unit);
            buffer_text(b, "]");
        }
}

/* Above numbers it is right-justified, as they are. */
static void put_heading_of(Buffer *b, const char *name, const Tree *units)
{
    static const char *const words[] = {"status", "message", "parameters",
                                        "method", "kind",    "on",
                                        "name",   "side"};
    bool right = true;
    for (size_t k = 0; k < LENGTH(words); k++)
        right = right && strcmp(words[k], name) != 0;
    buffer_text(b, right ? "<th scope=\"col\" class=\"n\">"
                         : "<th scope=\"col\">");
    put_label(b, name);
    put_time_unit(b, name, units);
    buffer_text(b, "</th>");
}

static void put_heading(Buffer *b, const char *name)
{
    put_heading_of(b, name, NULL);
}

/* A long name may be broken anywhere. */
static const char *name_class(const char *name, bool row)
{
    bool wide = strlen(name) > NAME_LONG;
    return row    ? wide ? " class=\"name\"" : ""
           : wide ? " class=\"n name\""
                  : " class=\"n\"";
}

/* A name of the model at the head of a row or a column. */
static void put_name(Buffer *b, const char *name, bool row)
{
    buffer_format(b, "<th scope=\"%s\"%s>", row ? "row" : "col",
                  name_class(name, row));
    html_text(b, name);
    buffer_text(b, "</th>");
}

/* "NAME [unit]" */
static void put_unit_name(Buffer *b, const char *name, const char *unit,
                          bool row)
{
    Buffer text = {0};
    buffer_format(&text, unit[0] ? "%s [%s]" : "%s", name, unit);
    put_name(b, buffer_string(&text), row);
    buffer_free(&text);
}

static void put_cell(Buffer *b, const Tree *t)
{
    bool interval = t && t->name && t->kind == TREE_LIST && t->count == 2 &&
                    strcmp(t->name, "ci95") == 0;
    buffer_text(b, is_number(t) || interval || !t || t->kind == TREE_NULL
                       ? "<td class=\"n\">"
                       : "<td>");
    if (interval) {
        put_value(b, t->first);
        buffer_text(b, " to ");
        put_value(b, t->first->next);
    } else {
        put_value(b, t);
    }
    buffer_text(b, "</td>");
}

static void table_open(Buffer *b, const char *caption)
{
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table>");
    if (caption) {
        buffer_text(b, "<caption>");
        html_text(b, caption);
        buffer_text(b, "</caption>");
    }
}

/* On a screen a long table scrolls in a window of its own. */
static void table_open_long(Buffer *b, uint32_t rows)
{
    if (rows > FOLDED_FROM)
        buffer_text(b, "<div class=\"wide long\" tabindex=\"0\"><table>");
    else
        table_open(b, NULL);
}

static void table_close(Buffer *b)
{
    buffer_text(b, "</tbody></table></div>\n");
}

static void put_cut(Buffer *b, uint32_t shown, uint32_t all, const char *what)
{
    if (all > shown)
        buffer_format(b,
                      "<p class=\"note\">The first %u of %u %s: "
                      "summary.json has all of them.</p>\n",
                      shown, all, what);
}

/* Whether any of the objects has a value for it. */
static bool is_told(const Tree *objects, const char *name)
{
    if (strcmp(name, "waits") == 0 && tree_get(objects->first, "waited"))
        return false; // the terminal has the same column
    for (const Tree *e = objects->first; e; e = e->next) {
        const Tree *m = tree_get(e, name);
        if (m && m->kind != TREE_NULL)
            return true;
    }
    return false;
}

/* A table of objects: a row for each, a column per member of the first, unless
   it is empty. */
static void put_objects(Buffer *b, const Tree *t, const char *caption,
                        const Tree *units)
{
    bool named = t->kind == TREE_OBJECT;
    uint32_t rows = 0;
    table_open(b, caption);
    buffer_text(b, "<thead><tr>");
    if (named)
        buffer_text(b, "<th scope=\"col\">name</th>");
    for (const Tree *m = t->first->first; m; m = m->next)
        if (is_told(t, m->name))
            put_heading_of(b, m->name, units);
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *e = t->first; e && rows < ROWS_MOST; e = e->next, rows++) {
        buffer_text(b, "<tr>");
        if (named)
            put_unit_name(b, e->name, words_unit(units, e->name), true);
        for (const Tree *m = t->first->first; m; m = m->next)
            if (is_told(t, m->name))
                put_cell(b, tree_get(e, m->name));
        buffer_text(b, "</tr>\n");
    }
    table_close(b);
    put_cut(b, rows, t->count, "rows");
}

static bool is_table(const Tree *t)
{
    return (t->kind == TREE_LIST || t->kind == TREE_OBJECT) && t->first &&
           t->first->kind == TREE_OBJECT && t->first->first;
}

/* ---- Variables ------------------------------------------------------------------ */

static const ReportName *find_name(const ReportFacts *f, const char *name)
{
    for (uint32_t k = 0; k < f->names; k++)
        if (strcmp(f->name[k].name, name) == 0)
            return &f->name[k];
    return NULL;
}

bool table_is_truth(const ReportFacts *f, const char *name)
{
    const ReportName *n = find_name(f, name);
    return n && n->truth;
}

/* What is known about the variables of a table besides their values. */
typedef struct FinalColumns {
    bool lines, units, comments;
} FinalColumns;

static FinalColumns final_columns(const Tree *final, const ReportFacts *facts)
{
    FinalColumns c = {.lines = facts->text != NULL};
    for (const Tree *m = final ? final->first : NULL; m; m = m->next) {
        const ReportName *n = find_name(facts, m->name);
        c.units = c.units || (n && n->unit && n->unit[0]);
        c.comments = c.comments || (n && n->comment && n->comment[0]);
    }
    return c;
}

static void put_final(Buffer *b, const Tree *m, const ReportFacts *facts,
                      const FinalColumns *c)
{
    const ReportName *n = find_name(facts, m->name);
    bool lines = c->lines;
    buffer_format(b, "<tr><th scope=\"row\"%s>", name_class(m->name, true));
    if (n && lines && n->line)
        buffer_format(b, "<a href=\"#L%u\">", n->line);
    html_text(b, m->name);
    buffer_text(b, n && lines && n->line ? "</a></th>" : "</th>");
    put_cell(b, m);
    if (c->units) {
        buffer_text(b, "<td>");
        html_text(b, n && n->unit ? n->unit : "");
        buffer_text(b, "</td>");
    }
    if (c->comments) {
        buffer_text(b, "<td class=\"remark\">");
        html_text(b, n && n->comment ? n->comment : "");
        buffer_text(b, "</td>");
    }
    buffer_text(b, "</tr>\n");
}

/* ---- Runs -------------------------------------------------------------------- */

static uint32_t read_buffer(RunTrees *t, Arena *a, const Buffer *from)
{
    const char *s = (const char *)from->v.bytes;
    size_t left = from->v.used, used;
    while (t->n < RUNS_MOST && left) {
        const Tree *run = tree_read_part(a, s, left, &used);
        if (!run)
            return 0;
        t->run[t->n++] = run;
        s += used;
        left -= used;
        while (left && (*s == ',' || *s == '\n' || *s == ' '))
            s++, left--;
    }
    return 1;
}

bool table_read_runs(RunTrees *t, Arena *a, const ReportFacts *facts)
{
    *t = (RunTrees){.all = facts->count};
    if (facts->units) {
        t->units = tree_read(a, facts->units);
        if (!t->units)
            return false;
    }
    for (uint32_t k = 0; k < facts->buffers && t->n < RUNS_MOST; k++)
        if (!read_buffer(t, a, &facts->runs[k]))
            return false;
    return true;
}

/* Whether all runs have the members of the first one's object `name`. */
static bool same_members(const RunTrees *t, const char *name)
{
    const Tree *first = tree_get(t->run[0], name);
    if (!first || first->count == 0)
        return false;
    for (uint32_t k = 1; k < t->n; k++) {
        const Tree *own = tree_get(t->run[k], name);
        if (!own || own->count != first->count)
            return false;
        for (const Tree *m = first->first; m; m = m->next)
            if (!tree_get(own, m->name))
                return false;
    }
    return true;
}

/* Whether a parameter differs between runs. */
static bool varies(const RunTrees *t, const char *name)
{
    for (uint32_t k = 1; k < t->n; k++)
        if (tree_number(tree_get(t->run[k], "parameters"), name) !=
            tree_number(tree_get(t->run[0], "parameters"), name))
            return true;
    return false;
}

static bool any_member(const RunTrees *t, const char *name, bool list)
{
    for (uint32_t k = 0; k < t->n; k++) {
        const Tree *m = tree_get(t->run[k], name);
        if (m && (list ? m->count > 0 : m->text && m->text[0]))
            return true;
    }
    return false;
}

static bool has_frames(const RunTrees *t)
{
    for (uint32_t k = 1; k < t->n; k++)
        if (tree_number(t->run[k], "frame") != tree_number(t->run[0], "frame"))
            return true;
    return false;
}

/* Which columns the table of runs has. */
typedef struct RunColumns {
    bool frame, parameters, message;
    const Tree *column[COLUMNS_MOST]; // parameters
    bool truth[COLUMNS_MOST];
    uint32_t columns;
    uint32_t left; // parameters that are not columns
} RunColumns;

/* A few parameters are all columns; if there are many, only those that vary. */
static void choose_columns(const RunTrees *t, const ReportFacts *facts,
                           RunColumns *c)
{
    const Tree *first = tree_get(t->run[0], "parameters");
    *c = (RunColumns){.frame = has_frames(t),
                      .message = any_member(t, "message", false)};
    if (!same_members(t, "parameters")) {
        c->parameters = any_member(t, "parameters", true);
        return;
    }
    for (const Tree *m = first->first; m; m = m->next)
        if (c->columns < COLUMNS_MOST &&
            (first->count <= COLUMNS_MOST || varies(t, m->name)))
            c->column[c->columns++] = m;
        else
            c->left++;
    for (uint32_t k = 0; k < c->columns; k++)
        c->truth[k] = table_is_truth(facts, c->column[k]->name);
}

static void put_run_headings(Buffer *b, const RunColumns *c, const Tree *units)
{
    buffer_text(b, "<thead><tr>");
    put_heading(b, "run");
    if (c->frame)
        put_heading(b, "frame");
    for (uint32_t k = 0; k < c->columns; k++)
        put_unit_name(b, c->column[k]->name,
                      words_unit(units, c->column[k]->name), false);
    if (c->parameters)
        put_heading(b, "parameters");
    put_heading_of(b, "t_begin", units);
    put_heading_of(b, "t_end", units);
    put_heading(b, "status");
    buffer_text(b, "</tr></thead><tbody>\n");
}

/* A message is long, so it gets a line of its own. */
static void put_run(Buffer *b, const Tree *run, const RunColumns *c)
{
    const Tree *own = tree_get(run, "parameters");
    const char *status = tree_text(run, "status");
    buffer_text(b, "<tr>");
    put_cell(b, tree_get(run, "run"));
    if (c->frame)
        put_cell(b, tree_get(run, "frame"));
    for (uint32_t k = 0; k < c->columns; k++)
        if (c->truth[k])
            buffer_format(b, "<td>%s</td>",
                          tree_number(own, c->column[k]->name) != 0 ? "TRUE"
                                                                    : "FALSE");
        else
            put_cell(b, tree_get(own, c->column[k]->name));
    if (c->parameters)
        put_cell(b, own);
    put_cell(b, tree_get(run, "t_begin"));
    put_cell(b, tree_get(run, "t_end"));
    buffer_format(b, "<td class=\"%s\">",
                  strcmp(status, "finished") == 0 ? "good" : "bad");
    html_text(b, status);
    buffer_text(b, "</td></tr>\n");
    if (!tree_text(run, "message")[0])
        return;
    buffer_format(b, "<tr class=\"said\"><td></td><td colspan=\"%u\">",
                  3 + c->frame + c->columns + c->parameters);
    html_text(b, tree_text(run, "message"));
    buffer_text(b, "</td></tr>\n");
}

/* The parameters that are not among the columns, from the first run. */
static void put_parameters(Buffer *b, const RunTrees *t, const RunColumns *c,
                           const ReportFacts *facts)
{
    const Tree *first = tree_get(t->run[0], "parameters");
    const FinalColumns columns = final_columns(first, facts);
    uint32_t rows = 0;
    if (c->left == 0)
        return;
    buffer_format(b,
                  "<details%s><summary>Parameters%s (%u)</summary>\n"
                  "<div class=\"wide\" tabindex=\"0\"><table><tbody>\n",
                  c->left > FOLDED_FROM ? "" : " open=\"open\"",
                  t->n > 1 ? " that are the same in all runs" : "", c->left);
    for (const Tree *m = first->first; m && rows < ROWS_MOST; m = m->next) {
        bool shown = false;
        for (uint32_t k = 0; k < c->columns; k++)
            shown = shown || c->column[k] == m;
        if (shown || varies(t, m->name))
            continue;
        put_final(b, m, facts, &columns);
        rows++;
    }
    table_close(b);
    buffer_text(b, "</details>\n");
    put_cut(b, rows, c->left, "parameters");
}

/* Whether all runs are alike, so that one line will do. */
static bool runs_are_alike(const RunTrees *t, const RunColumns *c)
{
    if (t->n < 3 || c->frame || c->columns || c->parameters || c->message)
        return false;
    for (uint32_t k = 0; k < t->n; k++)
        if (strcmp(tree_text(t->run[k], "status"), "finished") != 0 ||
            tree_number(t->run[k], "t_begin") !=
                tree_number(t->run[0], "t_begin") ||
            tree_number(t->run[k], "t_end") != tree_number(t->run[0], "t_end"))
            return false;
    return t->n == t->all;
}

void table_runs(Buffer *b, const RunTrees *t, const ReportFacts *facts)
{
    RunColumns c;
    if (t->n == 0)
        return;
    choose_columns(t, facts, &c);
    if (runs_are_alike(t, &c)) {
        buffer_format(b, "<p>%u runs from %.6g to %.6g", t->n,
                      tree_number(t->run[0], "t_begin"),
                      tree_number(t->run[0], "t_end"));
        words_put_unit(b, t->units, "TIME");
        buffer_text(b, ", all finished.</p>\n");
    } else {
        table_open_long(b, t->n);
        put_run_headings(b, &c, t->units);
        for (uint32_t k = 0; k < t->n; k++)
            put_run(b, t->run[k], &c);
        table_close(b);
        put_cut(b, t->n, t->all, "runs");
    }
    put_parameters(b, t, &c, facts);
}

/* ---- Methods ------------------------------------------------------------------- */

/* Whether a count is anything but zero in some run. */
static bool counts_something(const RunTrees *t, const char *name)
{
    for (uint32_t k = 0; k < t->n; k++)
        if (tree_number(tree_get(t->run[k], "counts"), name) != 0)
            return true;
    return false;
}

static void put_method(Buffer *b, const RunTrees *t, const Tree *run,
                       const Tree *counts)
{
    const Tree *own = tree_get(run, "counts");
    buffer_text(b, "<tr>");
    put_cell(b, tree_get(run, "run"));
    if (any_member(t, "method", false))
        put_cell(b, tree_get(run, "method"));
    for (const Tree *m = counts ? counts->first : NULL; m; m = m->next)
        if (counts_something(t, m->name))
            put_cell(b, tree_get(own, m->name));
    buffer_text(b, "\n<td class=\"wall\">");
    buffer_format(b, "%.3g", tree_number(run, "wall_s"));
    buffer_text(b, "</td>\n</tr>\n");
}

/* Members of a run that have no table of their own elsewhere. */
static bool is_shown_elsewhere(const char *name)
{
    static const char *const others[] = {
        "run",          "frame",      "parameters", "status",      "message",
        "t_begin",      "t_end",      "final",      "method",      "counts",
        "statistics",   "wall_s",     "features",   "more_ranges", "linear",
        "steady_state", "eigenvalues"};
    for (size_t k = 0; k < LENGTH(others); k++)
        if (strcmp(others[k], name) == 0)
            return true;
    return false;
}

/* Members that are not tables themselves, one below the other. */
static void put_members(Buffer *b, const Tree *t, const char *caption)
{
    table_open(b, caption);
    buffer_text(b, "<tbody>\n");
    for (const Tree *m = t->first; m; m = m->next) {
        if (is_table(m))
            continue;
        buffer_text(b, "<tr><th scope=\"row\">");
        put_label(b, m->name);
        buffer_text(b, "</th>");
        put_cell(b, m);
        buffer_text(b, "</tr>\n");
    }
    table_close(b);
}

/* Whatever it is: a table, an object with tables in it, or a value. */
static void put_other(Buffer *b, const Tree *m, const char *caption,
                      const Tree *units)
{
    if (is_table(m)) {
        bool folded = m->count > FOLDED_FROM;
        if (folded) {
            buffer_text(b, "<details><summary>");
            html_text(b, caption);
            buffer_format(b, " (%u)</summary>\n", m->count);
        }
        put_objects(b, m, folded ? NULL : caption, units);
        buffer_text(b, folded ? "</details>\n" : "");
    } else if (m->kind == TREE_OBJECT && m->first) {
        put_members(b, m, caption);
        for (const Tree *k = m->first; k; k = k->next)
            if (is_table(k))
                put_other(b, k, k->name, units);
    } else if (m->kind != TREE_OBJECT && m->kind != TREE_NULL) {
        buffer_text(b, "<p><b>");
        html_text(b, caption);
        buffer_text(b, ":</b> ");
        put_value(b, m);
        buffer_text(b, "</p>\n");
    }
}

static const char *rest_words(const char *name)
{
    static const struct {
        const char *name, *words;
    } known[] = {{"choice", "Choice of the method"},
                 {"sliding", "Slides and rests"},
                 {"ranges", "Outside a RANGE"},
                 {"warmup", "Warm-up"}};
    for (size_t k = 0; k < LENGTH(known); k++)
        if (strcmp(known[k].name, name) == 0)
            return known[k].words;
    return name;
}

static void put_rest(Buffer *b, const Tree *run, bool several,
                     const Tree *units)
{
    Buffer caption = {0};
    for (const Tree *m = run->first; m; m = m->next) {
        if (is_shown_elsewhere(m->name))
            continue;
        caption.v.used = 0;
        buffer_text(&caption, rest_words(m->name));
        if (several)
            buffer_format(&caption, " of run %.0f", tree_number(run, "run"));
        put_other(b, m, buffer_string(&caption), units);
    }
    b->broken = b->broken || caption.broken;
    buffer_free(&caption);
}

void table_methods(Buffer *b, const RunTrees *t)
{
    if (t->n == 0)
        return;
    const Tree *counts = tree_get(t->run[0], "counts");
    table_open_long(b, t->n);
    buffer_text(b, "<thead><tr>");
    put_heading(b, "run");
    if (any_member(t, "method", false))
        put_heading(b, "method");
    for (const Tree *m = counts ? counts->first : NULL; m; m = m->next)
        if (counts_something(t, m->name))
            put_heading(b, m->name);
    put_heading(b, "wall_s");
    buffer_text(b, "</tr></thead><tbody>\n");
    for (uint32_t k = 0; k < t->n; k++)
        put_method(b, t, t->run[k], counts);
    table_close(b);
    put_cut(b, t->n, t->all, "runs");
    for (uint32_t k = 0; k < t->n && k < DETAILS_MOST; k++)
        put_rest(b, t->run[k], t->all > 1, t->units);
}

/* ---- Statistics ------------------------------------------------------------------ */

/* From a to b, up to the first edge, or above the last. A value on an edge
   belongs to the cell below it. */
static void put_limits(Buffer *b, const Tree *low, const Tree *high)
{
    if (!low)
        buffer_text(b, "up to ");
    else if (!high)
        buffer_text(b, "above ");
    if (low)
        put_value(b, low);
    if (low && high)
        buffer_text(b, " to ");
    if (high)
        put_value(b, high);
}

/* Cells as rows, with a bar each. Open cells at the ends are shown unless they
   are empty. */
static void put_histogram(Buffer *b, const Tree *h, const char *unit)
{
    const Tree *edges = tree_get(h, "edges"), *counts = tree_get(h, "counts");
    const Tree *low = NULL, *high = edges ? edges->first : NULL;
    double most = 1, all = 0;
    if (!counts || !counts->first)
        return;
    for (const Tree *c = counts->first; c; c = c->next) {
        most = fmax(most, c->number);
        all += c->number;
    }
    table_open(b, h->name);
    buffer_text(b, "<thead><tr>");
    put_unit_name(b, "cell", unit, false);
    buffer_text(b, "<th scope=\"col\" class=\"n\">observations</th>"
                   "<th scope=\"col\" class=\"n\">%</th><td></td></tr></thead>"
                   "<tbody>\n");
    for (const Tree *c = counts->first; c; c = c->next) {
        double n = c->number;
        if ((low && high) || n > 0) {
            buffer_text(b, "<tr><td class=\"n\">");
            put_limits(b, low, high);
            buffer_format(b,
                          "</td><td class=\"n\">%.0f</td><td class=\"n\">%.1f"
                          "</td><td class=\"bar\"><i style=\"width:%.1f%%\">"
                          "</i></td></tr>\n",
                          n, all > 0 ? 100 * n / all : 0, 100 * n / most);
        }
        low = high;
        high = high ? high->next : NULL;
    }
    table_close(b);
}

static const char *kind_words(const char *name)
{
    static const struct {
        const char *name, *words;
    } known[] = {{"collect", "Observations"},
                 {"timepers", "Averages over time"},
                 {"facility", "Facilities"},
                 {"storage", "Storages"},
                 {"gate", "Gates"},
                 {"signal", "Signals"},
                 {"any_of", "Common queues"},
                 {"file", "Files"},
                 {"process", "Processes"},
                 {"copies", "Copies of CONTINUOUS PROCESSes"}};
    for (size_t k = 0; k < LENGTH(known); k++)
        if (strcmp(known[k].name, name) == 0)
            return known[k].words;
    return name;
}

static void put_histograms(Buffer *b, const Tree *kind, const Tree *units)
{
    if (!kind || !is_table(kind))
        return;
    buffer_text(b, "<div class=\"side\">\n");
    for (const Tree *h = kind->first; h; h = h->next)
        put_histogram(b, h, words_unit(units, h->name));
    buffer_text(b, "</div>\n");
}

bool table_statistics(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *all = tree_get(run, "statistics");
    bool any = false;
    for (const Tree *kind = all ? all->first : NULL; kind; kind = kind->next) {
        if (!is_table(kind))
            continue;
        any = true;
        if (strcmp(kind->name, "histogram") != 0)
            put_objects(b, kind, kind_words(kind->name), units);
    }
    put_histograms(b, tree_get(all, "histogram"), units);
    return any;
}

/* ---- Final values ------------------------------------------------------------------ */

void table_finals(Buffer *b, const Tree *run, const ReportFacts *facts)
{
    const Tree *final = tree_get(run, "final");
    const FinalColumns c = final_columns(final, facts);
    uint32_t rows = 0;
    if (!final || !final->first)
        return;
    table_open(b, NULL);
    buffer_text(b, "<thead><tr><th scope=\"col\">name</th>"
                   "<th scope=\"col\" class=\"n\">value</th>");
    buffer_text(b, c.units ? "<th scope=\"col\">unit</th>" : "");
    buffer_text(b, c.comments ? "<td></td>" : "");
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *m = final->first; m && rows < ROWS_MOST; m = m->next) {
        put_final(b, m, facts, &c);
        rows++;
    }
    table_close(b);
    put_cut(b, rows, final->count, "variables");
}

/* Whether the final values of several runs fit beside each other: they are few,
   and all scalars. Parameters are in the table of runs. */
static bool fits_rows(const RunTrees *t, const Tree *final)
{
    uint32_t columns = 0;
    if (t->n < 2 || !same_members(t, "final"))
        return false;
    for (const Tree *m = final->first; m; m = m->next) {
        if (m->kind == TREE_LIST || m->kind == TREE_OBJECT)
            return false;
        columns += !tree_get(tree_get(t->run[0], "parameters"), m->name);
    }
    return columns > 0 && columns <= FINALS_MOST;
}

bool table_final_rows(Buffer *b, const RunTrees *t)
{
    const Tree *final = t->n ? tree_get(t->run[0], "final") : NULL;
    const Tree *p = t->n ? tree_get(t->run[0], "parameters") : NULL;
    if (!final || !fits_rows(t, final))
        return false;
    table_open_long(b, t->n);
    buffer_text(b, "<thead><tr>");
    put_heading(b, "run");
    for (const Tree *m = final->first; m; m = m->next)
        if (!tree_get(p, m->name))
            put_unit_name(b, m->name, words_unit(t->units, m->name), false);
    buffer_text(b, "</tr></thead><tbody>\n");
    for (uint32_t k = 0; k < t->n; k++) {
        buffer_text(b, "<tr>");
        put_cell(b, tree_get(t->run[k], "run"));
        for (const Tree *m = final->first; m; m = m->next)
            if (!tree_get(p, m->name))
                put_cell(b, tree_get(tree_get(t->run[k], "final"), m->name));
        buffer_text(b, "</tr>\n");
    }
    table_close(b);
    put_cut(b, t->n, t->all, "runs");
    return true;
}

/* ---- Replications ------------------------------------------------------------------- */

/* Which columns the table of means has. On a narrow screen each row is a paragraph,
   in which a cell is named: `data-name`. */
typedef struct MeanColumns {
    bool frame, parameters;
} MeanColumns;

static void put_named_cell(Buffer *b, const Tree *q, const char *name)
{
    size_t before = b->v.used;
    put_cell(b, tree_get(q, name));
    Buffer cell = {0};
    buffer_bytes(&cell, (const char *)b->v.bytes + before + 3,
                 b->v.used - before - 3);
    b->v.used = before;
    buffer_text(b, "<td data-name=\"");
    put_label(b, name);
    buffer_text(b, "\"");
    buffer_bytes(b, (const char *)cell.v.bytes, cell.v.used);
    b->broken = b->broken || cell.broken;
    buffer_free(&cell);
}

static void put_mean(Buffer *b, const char *name, const Tree *q,
                     const MeanColumns *c, const Tree *units)
{
    buffer_text(b, "<tr>");
    put_unit_name(b, name, words_unit(units, name), true);
    if (c->frame)
        put_named_cell(b, q, "frame");
    if (c->parameters)
        put_named_cell(b, q, "parameters");
    put_named_cell(b, q, "mean");
    put_named_cell(b, q, "ci95");
    put_named_cell(b, q, "sd");
    put_named_cell(b, q, "n");
    buffer_text(b, "</tr>\n");
}

static MeanColumns mean_columns(const Tree *together)
{
    MeanColumns c = {0};
    for (const Tree *q = together->first; q; q = q->next)
        for (const Tree *e = q->kind == TREE_LIST ? q->first : NULL; e;
             e = e->next) {
            const Tree *p = tree_get(e, "parameters");
            c.parameters = c.parameters || (p && p->first);
            c.frame = c.frame || tree_number(e, "frame") > 1;
        }
    return c;
}

void table_replications(Buffer *b, const Tree *together, const Tree *units)
{
    const MeanColumns c = mean_columns(together);
    uint32_t rows = 0, all = 0;
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table class=\"means\">"
                   "<thead><tr><th scope=\"col\">mean over runs of</th>");
    if (c.frame)
        put_heading(b, "frame");
    if (c.parameters)
        put_heading(b, "parameters");
    put_heading(b, "mean");
    put_heading(b, "ci95");
    put_heading(b, "sd");
    put_heading(b, "n");
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *q = together->first; q; q = q->next) {
        bool list = q->kind == TREE_LIST;
        const Tree *e = list ? q->first : q;
        all += list ? q->count : 1;
        for (; e && rows < ROWS_MOST; e = list ? e->next : NULL, rows++)
            put_mean(b, q->name, e, &c, units);
    }
    table_close(b);
    put_cut(b, rows, all, "rows");
}

/* ---- Comparisons and selections ------------------------------------------------------ */

static void put_difference(Buffer *b, const char *name, const Tree *e,
                           const Tree *units)
{
    static const char *const cells[] = {"parameters", "base", "mean",
                                        "ci95",       "gain", "n"};
    buffer_text(b, "<tr>");
    put_unit_name(b, name, words_unit(units, name), true);
    for (size_t k = 0; k < LENGTH(cells); k++)
        put_named_cell(b, e, cells[k]);
    buffer_text(b, "</tr>\n");
}

void table_comparisons(Buffer *b, const Tree *compared, const Tree *units)
{
    uint32_t rows = 0, all = 0;
    buffer_text(b, "<div class=\"wide\" tabindex=\"0\"><table class=\"means\">"
                   "<thead><tr><th scope=\"col\">paired difference of</th>");
    put_heading(b, "parameters");
    buffer_text(b, "<th scope=\"col\">from</th>"
                   "<th scope=\"col\" class=\"n\">difference</th>");
    put_heading(b, "ci95");
    put_heading(b, "gain");
    put_heading(b, "n");
    buffer_text(b, "</tr></thead><tbody>\n");
    for (const Tree *q = compared->first; q; q = q->next) {
        all += q->count;
        for (const Tree *e = q->first; e && rows < ROWS_MOST;
             e = e->next, rows++)
            put_difference(b, q->name, e, units);
    }
    table_close(b);
    put_cut(b, rows, all, "rows");
}

static void put_selection(Buffer *b, const Tree *e, const Tree *units)
{
    bool decided =
        tree_get(e, "decided") && tree_get(e, "decided")->kind == TREE_TRUE;
    const Tree *alternatives = tree_get(e, "alternatives");
    const Tree *best = tree_get(e, "selected");
    buffer_format(b, "<p>%s ",
                  strcmp(tree_text(e, "goal"), "max") == 0 ? "Highest"
                                                           : "Lowest");
    html_text(b, tree_text(e, "of"));
    buffer_text(b, " (DELTA ");
    put_value(b, tree_get(e, "delta"));
    buffer_text(b, ", CONFIDENCE ");
    put_value(b, tree_get(e, "confidence"));
    buffer_text(b, decided ? "): <b>" : "), not decided; so far: <b>");
    put_value(b, best);
    buffer_text(b, "</b></p>\n");
    if (alternatives && is_table(alternatives))
        put_objects(b, alternatives, NULL, units);
}

void table_selections(Buffer *b, const Tree *selected, const Tree *units)
{
    for (const Tree *e = selected->first; e; e = e->next)
        put_selection(b, e, units);
}
