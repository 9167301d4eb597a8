/* report.html: what it holds, that nothing in it is taken for markup, and that
   it stays short. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/html.h"
#include "base/tree.h"
#include "check.h"
#include "folder.h"
#include "plot/axis.h"
#include "report/report.h"
#include "scarce.h"

/* ---- A page is well-formed --------------------------------------------------- */

enum { DEEPEST = 40 };

/* The position after a <script> or <style> and its contents. */
static const char *skip_raw(const char *s, const char *name, size_t n)
{
    char end[16];
    snprintf(end, sizeof end, "</%.*s>", (int)n, name);
    const char *close = strstr(s, end);
    CHECK(close != NULL);
    return close ? close + strlen(end) : s + strlen(s);
}

/* Every & begins one of the five entities that are used. */
static bool is_entity(const char *s)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;",
                                        "&#39;"};
    for (size_t k = 0; k < LENGTH(known); k++)
        if (strncmp(s, known[k], strlen(known[k])) == 0)
            return true;
    return false;
}

/* Tags close in their order. */
static void check_page(const char *s)
{
    const char *open[DEEPEST];
    size_t length[DEEPEST], depth = 0;
    for (; *s; s++) {
        if (*s == '&')
            CHECK(is_entity(s));
        if (*s != '<' || s[1] == '!')
            continue;
        bool closing = s[1] == '/';
        const char *name = s + 1 + closing, *end = strchr(s, '>');
        size_t n = strcspn(name, " />");
        CHECK(end != NULL && n > 0);
        if (!end)
            return;
        if (closing) {
            CHECK(depth > 0 && length[depth - 1] == n &&
                  strncmp(open[depth - 1], name, n) == 0);
            depth -= depth > 0;
        } else if (strncmp(name, "script", n) == 0 ||
                   strncmp(name, "style", n) == 0) {
            end = skip_raw(end, name, n) - 1;
        } else if (end[-1] != '/') {
            CHECK(depth < DEEPEST);
            if (depth == DEEPEST)
                return;
            open[depth] = name;
            length[depth++] = n;
        }
        s = end;
    }
    CHECK(depth == 0);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, what)) != NULL; s++)
        n++;
    return n;
}

/* ---- Reading ------------------------------------------------------------------ */

static void test_tree(void)
{
    static const char text[] =
        "{\"a\": [1, -2.5e-3, null], \"b\\\"\\n\\u00e9\": {\"c\": \"x\\\\y\"},"
        " \"e\": {}, \"f\": [], \"g\": true} rest";
    Arena a = {0};
    size_t used, whole;
    const Tree *t = tree_read_part(&a, text, sizeof text - 1, &whole);
    CHECK(t && t->kind == TREE_OBJECT && t->count == 5);
    CHECK_TEXT(text + whole, " rest");
    const Tree *list = tree_get(t, "a");
    CHECK(list && list->count == 3);
    CHECK(list->first->next->kind == TREE_NUMBER);
    CHECK(list->first->next->number == -2.5e-3);
    CHECK(list->first->next->next->kind == TREE_NULL);
    CHECK_TEXT(tree_text(tree_get(t, "b\"\n\xC3\xA9"), "c"), "x\\y");
    CHECK(tree_number(tree_get(t, "e"), "z") != tree_number(t, "z")); // NaN
    CHECK(tree_get(t, "z") == NULL && tree_get(list, "a") == NULL);
    CHECK(tree_get(t, "g")->kind == TREE_TRUE);
    for (size_t n = 0; n < whole; n++) // a part of it is nothing
        CHECK(tree_read_part(&a, text, n, &used) == NULL);
    CHECK(tree_read(&a, text) == NULL && tree_read(&a, "[1, 2,, ]") == NULL);
    t = tree_read(&a, " {\"n\": \"1.5\"}\n"); // as QUAD writes them
    CHECK(t && tree_number(t, "n") == 1.5);
    CHECK_TEXT(tree_text(t, "n"), "1.5");
    arena_free(&a);
}

/* ---- Axes ----------------------------------------------------------------------- */

static void check_ticks(double low, double high, bool log, const char *expected)
{
    Axis axis = {.low = low, .high = high, .logarithmic = log};
    Buffer b = {0};
    axis_mark(&axis, 5, AXIS_ANY);
    for (uint32_t k = 0; k < axis.n; k++) {
        CHECK(axis.tick[k].at >= low - 1e-9 * (high - low));
        CHECK(axis.tick[k].at <= high + 1e-9 * (high - low));
        if (axis.tick[k].text[0])
            buffer_format(&b, "%s%s", k ? " " : "", axis.tick[k].text);
        /* A text says where it stands. */
        CHECK(!axis.tick[k].text[0] ||
              fabs(strtod(axis.tick[k].text, NULL) - axis.tick[k].at) <=
                  1e-9 * fabs(high));
    }
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_axis(void)
{
    check_ticks(0, 10, false, "0 2 4 6 8 10");
    check_ticks(-1, 1, false, "-1.0 -0.5 0.0 0.5 1.0");
    check_ticks(0, 0.3, false, "0.0 0.1 0.2 0.3");
    check_ticks(1000, 1001, false, "1000.0 1000.2 1000.4 1000.6 1000.8 1001.0");
    check_ticks(0, 2e6, false, "0 5e5 1e6 1.5e6 2e6");
    check_ticks(0, 3e-9, false, "0 1e-9 2e-9 3e-9");
    check_ticks(1, 1000, true, "1 10 100 1000");
    check_ticks(1, 20, true, "1 2 5 10 20");
    check_ticks(1e5, 2e6, true, "1e5 2e5 5e5 1e6 2e6");
    check_ticks(2000, 1e6, true, "1e4 1e5 1e6");
    check_ticks(1e-4, 10, true, "1e-4 1e-2 1");
    check_ticks(2.2, 2.8, true, "2.2 2.4 2.6 2.8");
    PlotAxis axis = PLOT_AXIS("x");
    Axis s = axis_make(&axis, (AxisRange){0.3, 9.7}, AXIS_ROUND);
    CHECK(s.low == 0 && s.high == 10);
    s = axis_make(&axis, (AxisRange){3, 3}, AXIS_AS_DATA);
    CHECK(s.low < 3 && s.high > 3);
    s = axis_make(&axis, (AxisRange)AXIS_RANGE, AXIS_ROUND);
    CHECK(s.low < s.high);
    axis.logarithmic = true;
    s = axis_make(&axis, (AxisRange){0.02, 30}, AXIS_ROUND);
    CHECK(fabs(s.low - 0.01) < 1e-15 && fabs(s.high - 100) < 1e-12);
    axis.low = -1, axis.high = 10; // no place for what is not above 0
    s = axis_make(&axis, (AxisRange)AXIS_RANGE, AXIS_AS_DATA);
    CHECK(s.low > 0 && s.high == 10);
}

/* ---- Graphs --------------------------------------------------------------------- */

enum { MANY = 200000 };

static void test_thin(void)
{
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    Report r = {0};
    for (size_t k = 0; k < MANY; k++) {
        x[k] = (double)k;
        y[k] = sin(0.01 * (double)k);
    }
    y[77777] = 9; // is visible, however narrow it is
    PlotSeries s = {
        .name = "wave", .style = PLOT_LINES, .x = x, .y = y, .n = MANY};
    Plot p = {.title = "Wave",
              .x = PLOT_AXIS("x"),
              .y = PLOT_AXIS("y"),
              .series = &s,
              .n = 1};
    report_graph(&r, &p);
    const char *text = buffer_string(&r.graphs);
    CHECK(r.graphs.v.used < 250000);
    CHECK(strstr(text, ",77777,9,") != NULL);
    check_page(text);
    report_free(&r);
    for (size_t k = 0; k < MANY; k++) { // a spiral
        x[k] = y[k] * (double)k;
        y[k] = cos(0.01 * (double)k) * (double)k;
    }
    y[5] = NAN;
    report_graph(&r, &p);
    CHECK(r.graphs.v.used < 500000);
    CHECK(strstr(buffer_string(&r.graphs), "nan") == NULL);
    CHECK(strstr(buffer_string(&r.graphs), "null,null") != NULL);
    report_free(&r);
    free(x);
    free(y);
}

/* Panels stand in one picture, as gnuplot draws them, with its dashes; points that
   differ little have the digits for it; few points are all kept. */
static void test_panels(void)
{
    enum { N = 1067 };
    static double x[N], y[N], near[N];
    Report r = {0};
    for (int k = 0; k < N; k++) {
        x[k] = k;
        y[k] = sin(0.01 * k);
        near[k] = 1e6 + 0.1 * sin(0.01 * k);
    }
    PlotSeries s[] = {
        {.name = "A", .style = PLOT_LINES, .x = x, .y = y, .n = N},
        {.name = "B", .style = PLOT_LINES, .x = x, .y = y, .n = N},
        {.name = "NEAR",
         .style = PLOT_LINES,
         .x = x,
         .y = near,
         .n = N,
         .panel = 1}};
    PlotAxis lower = PLOT_AXIS("NEAR [m]");
    Plot p = {.title = "Two",
              .note = "run 3",
              .x = PLOT_AXIS("x"),
              .y = PLOT_AXIS("y"),
              .lower = &lower,
              .lowers = 1,
              .series = s,
              .n = 3};
    report_graph(&r, &p);
    const char *text = buffer_string(&r.graphs);
    CHECK(count(text, "<figure>") == 1 && count(text, "<clipPath") == 2);
    CHECK(count(text, "stroke-dasharray=\"14 4\"") == 2); // and the legend
    CHECK(strstr(text, ">1000000.1</text>") != NULL);
    CHECK(strstr(text, ",1000000.0998") != NULL);
    CHECK(strstr(text, "NEAR [m]</text>") != NULL);
    CHECK(strstr(text, "<span class=\"of\">run 3</span>") != NULL);
    const char *data = strstr(text, "\"name\":\"A\",\"data\":[");
    CHECK(data != NULL);
    size_t numbers = 1;
    for (; data && *data != ']'; data++)
        numbers += *data == ',';
    CHECK(numbers >= 2 * N);
    check_page(text);
    report_free(&r);
}

/* ---- The page -------------------------------------------------------------------- */

#define NASTY "</script><script>alert('1')</script>&\"\xC3\xBC\xFF\x01"

static const double xs[] = {1, 10, 100, 1000}, x2s[] = {2, 20, 200, 2000},
                    ys[] = {3, 1, NAN, 2};

static void add_graphs(Report *r)
{
    static const PlotStyle styles[] = {PLOT_LINES, PLOT_POINTS, PLOT_STEPS,
                                       PLOT_CELLS};
    PlotSeries series[LENGTH(styles)];
    for (size_t k = 0; k < LENGTH(styles); k++)
        series[k] = (PlotSeries){.name = NASTY,
                                 .style = styles[k],
                                 .x = xs,
                                 .x2 = x2s,
                                 .y = ys,
                                 .n = LENGTH(xs),
                                 .faint = k == 3};
    Plot p = {.title = NASTY,
              .x = PLOT_AXIS(NASTY),
              .y = PLOT_AXIS(NASTY),
              .series = series,
              .n = LENGTH(styles)};
    report_graph(r, &p);
    p.x.logarithmic = true;
    p.n = 0; // nothing to show
    report_graph(r, &p);
}

static void add_run(Buffer *b, unsigned number)
{
    buffer_format(b, "%s{\"run\": %u, \"frame\": 1, \"parameters\": {\"K\": 2",
                  b->v.used ? ",\n" : "", number);
    buffer_text(b, ", ");
    buffer_json(b, NASTY);
    buffer_text(b, ": \"1.5\"}, \"status\": \"finished\", \"message\": ");
    buffer_json(b, NASTY);
    buffer_text(b, ", \"t_begin\": 0, \"t_end\": 12.123456789, \"final\": {");
    buffer_text(b, "\"X\": 0.333333333333, \"A\": [1, 2, null], ");
    buffer_json(b, NASTY);
    buffer_text(b, ": 1}, \"method\": \"DOPRI5\", \"counts\": {\"steps\": 17}, "
                   "\"sliding\": [{\"kind\": \"rest\", \"on\": \"A < B\"}], "
                   "\"ranges\": [{\"name\": \"A<B\", \"side\": \"above\"}], "
                   "\"features\": {\"stiffness\": 3.25, \"stiffest_at\": 7, "
                   "\"stiffness_mean\": 2.5, \"states\": 2, \"ff5\": 0.25, "
                   "\"growth\": 1.5, \"rejected\": 4, \"unstable\": "
                   "[{\"from\": 1, \"to\": 2}], \"more_unstable\": 0, "
                   "\"critical\": {\"<X>\": 0.5}, \"samples\": [{\"t\": 0, "
                   "\"stiffness\": 1, \"fastest\": 2, \"growth\": 0}, "
                   "{\"t\": 1, \"stiffness\": null, \"fastest\": 2, "
                   "\"growth\": 1}, {\"t\": 2, \"stiffness\": 3.25, "
                   "\"fastest\": 2, \"growth\": 1}]}, \"statistics\": "
                   "{\"collect\": {\"W\": {\"n\": 3, \"mean\": 4.5, \"ci95\": "
                   "[4, 5]}}, \"timepers\": {}, \"histogram\": {\"H\": "
                   "{\"edges\": [0, 1, 2], \"counts\": [0, 5, 10, 1]}}}, "
                   "\"wall_s\": 0.25}");
}

static Status write_page(Report *r, unsigned runs, const char *dir, Fault *f)
{
    static const char text[] = "PROGRAM P;\n" NASTY "\r\nEND.";
    static const ReportName names[] = {{"X", "m/s", "the speed", 2, false}};
    Buffer b = {0};
    for (unsigned k = 1; k <= runs; k++)
        add_run(&b, k);
    bool broken = b.broken;
    ReportFacts facts = {.program = NASTY,
                         .release = "0",
                         .hash = "0123456789abcdef",
                         .source = "a b<.cosy",
                         .text = text,
                         .length = sizeof text - 1,
                         .remarks = "a b<.cosy:3:1: warning: w\n    END.\n",
                         .runs = &b,
                         .buffers = 1,
                         .count = runs,
                         .failed = 1,
                         .together = "{\"X\": {\"n\": 3, \"mean\": 7.25, "
                                     "\"sd\": 1, \"ci95\": [6, 8.5]}}",
                         .name = names,
                         .names = 1};
    Status s = broken ? STATUS_MEMORY : report_write(r, &facts, dir, f);
    buffer_free(&b);
    return s;
}

static void gather(Report *r)
{
    report_message(r, "a b<.cosy:2: warning: " NASTY);
    report_message(r, "note: elsewhere.cosy:1: plain");
    report_message(r, "error: run 2: a b<.cosy:3: it ends");
    add_graphs(r);
}

static void check_contents(const char *s)
{
    static const char *const expected[] = {
        "<title>&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)",
        "<a href=\"#L2\">a b&lt;.cosy:2</a>: warning: &lt;/script",
        "<a href=\"#L3\">a b&lt;.cosy:3</a>:1: warning: w",
        "note: elsewhere.cosy:1: plain",
        "error: run 2: <a href=\"#L3\">a b&lt;.cosy:3</a>: it ends",
        "<span id=\"L1\">PROGRAM P;</span>\n<span id=\"L2\">&lt;/script",
        "</span>\n<span id=\"L3\">END.</span>",
        "<td class=\"n\">12.1235</td>",
        "<a href=\"#L2\">X</a></th><td class=\"n\">0.333333</td><td>m/s</td>",
        "1, 2, \xE2\x80\x93",
        "4 to 5",
        "1 to 2</td><td class=\"n\">10</td><td class=\"n\">62.5",
        "above 2</td><td class=\"n\">1</td>",
        "<th scope=\"row\">X</th><td data-name=\"mean\" class=\"n\">7.25",
        "<td data-name=\"95 % interval\" class=\"n\">6 to 8.5",
        "<td data-name=\"n\" class=\"n\">3",
        "\n<td class=\"wall\">0.25</td>\n",
        "A &lt; B",
        "<td>A&lt;B</td><td>above</td>",
        "<h2>Features</h2>\n<p>Stiffness: on average 2.5, at most 3.25",
        "(FF5 = 0.25) some motion grew by itself",
        "<ul><li>from 1 to 2</li></ul>",
        "<li>&lt;X&gt;: 50 %</li>",
        "Stiffness over time, run 1</figcaption>",
        "aria-label=\"Fastest motions over time, run 1. Graph over TIME from 0 "
        "to 2. fastest decay: from 2 to 2, between 2 and 2. fastest growth: "
        "from 0 to 1, between 0 and 1.\"",
        "<tr class=\"said\"><td></td><td colspan=\"5\">&lt;/script",
        "<b class=\"bad\">1 did not finish</b>",
        "\xC3\xBC\xEF\xBF\xBD\xEF\xBF\xBD",
        "\\u003c/script\\u003e",
        "href=\"#replications\"",
    };
    for (size_t k = 0; k < LENGTH(expected); k++)
        if (!strstr(s, expected[k]))
            CHECK_TEXT("not in the page", expected[k]);
    /* The answer first; but what went wrong before all. */
    const char *graphs = strstr(s, "<section id=\"graphs\"");
    CHECK(graphs && strstr(graphs, "<section id=\"runs\""));
    CHECK(graphs && strstr(graphs, "<section id=\"final\""));
    CHECK(graphs && !strstr(graphs, "<section id=\"messages\""));
    CHECK(strstr(s, "alert('1')") == NULL ||
          count(s, "alert('1')") == count(s, "\\u003ealert('1')"));
    CHECK(strncmp(s, REPORT_HEAD, strlen(REPORT_HEAD)) == 0);
    CHECK(strstr(s, "up to 0</td>") == NULL); // nothing is in that cell
    CHECK(strstr(s, "http") == NULL && strstr(s, "src=") == NULL);
    CHECK(strstr(s, "nan") == NULL);
}

static void test_page(Folder *d)
{
    Report r = {0};
    Fault f = {0};
    Buffer one = {0}, two = {0};
    gather(&r);
    CHECK(write_page(&r, 1, d->path, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "report.html"), &one, &f) == STATUS_OK);
    check_page(buffer_string(&one));
    check_contents(buffer_string(&one));
    CHECK(write_page(&r, 1000, d->path, &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "report.html"), &two, &f) == STATUS_OK);
    const char *s = buffer_string(&two);
    check_page(s);
    CHECK(two.v.used < 200000);
    CHECK(count(s, "class=\"wall\"") == 50);
    CHECK(strstr(s, "The first 50 of 1000 runs") != NULL);
    CHECK(strstr(s, "The first 10 of 1000 runs") != NULL);
    CHECK(count(s, "<details") == 20);
    CHECK(write_page(&r, 1, "/dev/null/x", &f) == STATUS_FILE);
    report_free(&r);
    buffer_free(&one);
    buffer_free(&two);
}

/* Whichever allocation fails: no page, or a complete one. */
static void test_memory(Folder *d)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        Report r = {0};
        Fault f = {0};
        scarce_begin(n);
        gather(&r);
        Status s = write_page(&r, 2, d->path, &f);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        report_free(&r);
    }
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_tree();
    test_axis();
    test_thin();
    test_panels();
    test_page(&d);
    test_memory(&d);
    folder_remove(&d);
    return check_end();
}
