/* Graphs: the script, and what gnuplot makes of it where it is installed. */

#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "plot/gnuplot.h"

static void check_name(uint32_t number, const char *title, const char *name)
{
    Buffer b = {0};
    plot_name(&b, number, title);
    CHECK_TEXT(buffer_string(&b), name);
    buffer_free(&b);
}

static void test_names(void)
{
    check_name(1, "Stay in the shop", "01-stay-in-the-shop");
    check_name(12, "  A[1,2]: x/y ", "12-a-1-2-x-y");
    check_name(3, "../../etc/passwd", "03-etc-passwd");
    check_name(4, "\xc3\xbc", "04-graph");
    check_name(100, "", "100-graph");
}

static void test_own(void)
{
    CHECK(plot_is_own("01-x.gp", "# COSY graph: gnuplot"));
    CHECK(!plot_is_own("01-x.gp", "plot sin(x)"));
    CHECK(plot_is_own("01-x.svg", "<?xml version"));
    CHECK(!plot_is_own("01-x.svg", "<svg"));
    CHECK(!plot_is_own("x.svg", "<?xml version"));
    CHECK(!plot_is_own("01-x.txt", "<?xml version"));
}

static const double x[] = {0, 1, 2, 3}, x2[] = {1, 2, 3, 4}, y[] = {1, 4, 2, 2};
static const double gap[] = {1, NAN, 3, 4};
static const PlotSeries series[] = {
    {"it's a bar", PLOT_CELLS, x, x2, y, 4, false},
    {"open", PLOT_CELLS, x, x2, y, 1, true},
    {"steps & <more>", PLOT_STEPS, x, NULL, y, 4, false},
    {"A_1", PLOT_LINES, x, NULL, gap, 4, false},
    {"", PLOT_POINTS, x, NULL, y, 4, false}};
static const Plot plot = {.title = "A title\nwith 'marks' & <",
                          .x = PLOT_AXIS("STAY_T [min]"),
                          .y = {.label = "observations", .low = 0, .high = 5},
                          .series = series,
                          .n = 5,
                          .wide = 1.5};

static void test_script(void)
{
    Buffer b = {0};
    plot_script(&b, &plot, "07-name");
    const char *s = buffer_string(&b);
    CHECK(strncmp(s, "# COSY graph", 12) == 0);
    CHECK(strstr(s, "set terminal svg size 1200,480") != NULL);
    CHECK(strstr(s, "set output '07-name.svg'\n") != NULL);
    CHECK(strstr(s, "set title 'A title with ''marks'' & <'") != NULL);
    CHECK(strstr(s, "set xlabel 'STAY_T [min]'") != NULL);
    CHECK(strstr(s, "set yrange [0:5]") != NULL);
    CHECK(strstr(s, "$series1 << END\n0 1 1\n1 2 4\n2 3 2\n3 4 2\nEND\n"));
    CHECK(strstr(s, "$series4 << END\n0 1\n\n2 3\n3 4\nEND\n"));
    CHECK(strstr(s, "title 'it''s a bar'") != NULL);
    CHECK(strstr(s, "notitle") != NULL && strstr(s, "set key outside"));
    buffer_free(&b);
}

/* Every tag is closed, in order. */
static void check_xml(const char *s)
{
    enum { DEEPEST = 100 };
    const char *open[DEEPEST];
    size_t length[DEEPEST];
    int depth = 0;
    while ((s = strchr(s, '<')) != NULL) {
        const char *name = s + 1, *end = strchr(s, '>');
        CHECK(end != NULL);
        if (end == NULL)
            return;
        size_t n = strcspn(name, " \t\n/>");
        if (strncmp(s, "<!--", 4) == 0)
            end = strstr(s, "-->");
        else if (*name == '/') {
            n = strcspn(name + 1, " \t\n>");
            bool fits = depth > 0 && length[depth - 1] == n &&
                        strncmp(open[depth - 1], name + 1, n) == 0;
            CHECK(fits);
            depth -= depth > 0;
        } else if (*name != '?' && *name != '!' && end[-1] != '/') {
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

static void test_draw(Folder *d)
{
    Fault f = {0};
    Buffer why = {0}, text = {0};
    CHECK(plot_write(&plot, folder_file(d, "plots"), "01-a", &f) == STATUS_OK);
    CHECK(plot_write(&plot, folder_file(d, "plots"), "02-b", &f) == STATUS_OK);
    CHECK(plot_write(&plot, "/dev/null/x", "01-a", &f) == STATUS_FILE);
    DrawnAs how = gnuplot_draw(folder_file(d, "plots"),
                               "01-a\0"
                               "02-b",
                               2, &why);
    if (how == DRAWN_NOT_FOUND) {
        puts("no gnuplot here: the SVG is not looked at");
        return;
    }
    CHECK(how == DRAWN);
    CHECK_TEXT(buffer_string(&why), "");
    CHECK(access(folder_file(d, "plots/01-a.svg"), F_OK) == 0);
    f = (Fault){0};
    CHECK(file_read(folder_file(d, "plots/02-b.svg"), &text, &f) == STATUS_OK);
    const char *s = buffer_string(&text);
    CHECK(plot_is_own("02-b.svg", s));
    check_xml(s);
    CHECK(strstr(s, "STAY_T [min]") != NULL && strstr(s, "observations"));
    CHECK(strstr(s, "it's a bar") || strstr(s, "it&apos;s a bar") ||
          strstr(s, "it&#39;s a bar"));
    CHECK(strstr(s, "steps &amp; &lt;more") != NULL);
    buffer_free(&text);
    buffer_free(&why);
}

/* What is not there, and what is no script. */
static void test_failures(Folder *d)
{
    Fault f = {0};
    Buffer why = {0};
    static const char bad[] = "plot nonsense(\n";
    char *path = getenv("PATH");
    Buffer before = {0};
    buffer_text(&before, path ? path : "");
    CHECK(file_put(folder_file(d, "03-bad.gp"), bad, sizeof bad - 1, &f) ==
          STATUS_OK);
    DrawnAs how = gnuplot_draw(d->path, "03-bad", 1, &why);
    CHECK(how == DRAWN_NOT_FOUND || how == DRAWN_FAILED);
    CHECK(how == DRAWN_NOT_FOUND || why.v.used > 0);
    setenv("PATH", d->path, 1);
    CHECK(gnuplot_draw(d->path, "03-bad", 1, &why) == DRAWN_NOT_FOUND);
    setenv("PATH", buffer_string(&before), 1);
    buffer_free(&before);
    buffer_free(&why);
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_names();
    test_own();
    test_script();
    test_draw(&d);
    test_failures(&d);
    folder_remove(&d);
    return check_end();
}
