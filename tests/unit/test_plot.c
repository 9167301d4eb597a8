/* Graphs: the script, and what gnuplot makes of it if it is installed. */

#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "plot/gnuplot.h"
#include "plot/layout.h"
#include "plot/pen.h"
#include "plot/plots.h"
#include "plot/text.h"
#include "plot/thin.h"

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
    CHECK(plot_is_own("01-x.pdf", "%PDF-1.5"));
    CHECK(!plot_is_own("01-x.pdf", "<?xml version"));
    CHECK(plot_is_own("01-x.png", "\x89PNG\r\n"));
}

static const double x[] = {0, 1, 2, 3}, x2[] = {1, 2, 3, 4}, y[] = {1, 4, 2, 2};
static const double gap[] = {1, NAN, 3, 4};
static const PlotSeries series[] = {
    {.name = "it's a bar",
     .style = PLOT_CELLS,
     .x = x,
     .x2 = x2,
     .y = y,
     .n = 4},
    {.name = "open",
     .style = PLOT_CELLS,
     .x = x,
     .x2 = x2,
     .y = y,
     .n = 1,
     .faint = true},
    {.name = "steps & <more>", .style = PLOT_STEPS, .x = x, .y = y, .n = 4},
    {.name = "A_1", .style = PLOT_LINES, .x = x, .y = gap, .n = 4},
    {.name = "", .style = PLOT_POINTS, .x = x, .y = y, .n = 4}};
static const Plot plot = {.title = "A title\nwith 'marks' & <",
                          .x = PLOT_AXIS("STAY_T [min]"),
                          .y = {.label = "observations", .low = 0, .high = 5},
                          .series = series,
                          .n = 5,
                          .wide = 1.5};

static void test_script(void)
{
    Buffer b = {0};
    plot_script(&b, &plot, "07-name", 0);
    const char *s = buffer_string(&b);
    CHECK(strncmp(s, "# COSY graph", 12) == 0);
    CHECK(strstr(s, "set terminal svg size 1200,480 ") != NULL);
    CHECK(strstr(s, "set output '07-name.svg'\n") != NULL);
    CHECK(
        strstr(s, "set label 'A title with '.\"'\".'marks'.\"'\".' & <' at ") !=
        NULL);
    CHECK(strstr(s, "set label 'STAY_T [min]' at screen ") != NULL);
    CHECK(strstr(s, "set yrange [0:5]") != NULL);
    CHECK(strstr(s, "$series1 << END\n0 1 1\n1 2 4\n2 3 2\n3 4 2\nEND\n"));
    CHECK(strstr(s, "$series4 << END\n0 1\n\n2 3\n3 4\nEND\n"));
    CHECK(strstr(s, "set label 'it'.\"'\".'s a bar' at screen ") != NULL);
    CHECK(strstr(s, "multiplot") == NULL);
    buffer_free(&b);
}

/* The height at which the script puts the text, as a share of the whole from
   below. */
static double height_of(const char *script, const char *text)
{
    char word[100];
    snprintf(word, sizeof word, "set label '%s' at screen ", text);
    const char *at = strstr(script, word);
    at = at ? strchr(at + strlen(word), ',') : NULL;
    CHECK(at != NULL);
    return at ? strtod(at + 1, NULL) : -1;
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

static Buffer script_of(const Plot *p, unsigned formats)
{
    Buffer b = {0};
    plot_script(&b, p, "01-a", formats);
    return b;
}

static uint32_t occurrences(const char *s, const char *what)
{
    uint32_t n = 0;
    for (; (s = strstr(s, what)) != NULL; s++)
        n++;
    return n;
}

static void test_formats(void)
{
    Buffer b = script_of(&plot, PLOT_PDF | PLOT_PNG);
    const char *s = buffer_string(&b);
    CHECK(strstr(s, "set terminal svg") == NULL);
    CHECK(strstr(s, "set terminal pdfcairo size 30cm,12cm ") != NULL);
    CHECK(strstr(s, "set output '01-a.pdf'\nplot ") != NULL);
    CHECK(strstr(s, "set output '01-a.png'\nreplot\n") != NULL);
    CHECK(occurrences(s, "$series1 << END") == 1);
    buffer_free(&b);
}

/* One series that is drawn in a given way. */
static Plot one_of(const PlotSeries *s, uint32_t n)
{
    return (Plot){.title = "one",
                  .x = PLOT_AXIS("TIME"),
                  .y = PLOT_AXIS("X"),
                  .series = s,
                  .n = n};
}

static void test_marks(void)
{
    static const PlotSeries s[] = {
        {.name = "rest",
         .style = PLOT_LINES,
         .x = x,
         .y = y,
         .n = 4,
         .faint = true},
        {.name = "X", .style = PLOT_LINES, .x = x, .y = y, .n = 4},
        {.name = "events",
         .style = PLOT_POINTS,
         .x = x,
         .y = y,
         .n = 4,
         .faint = true}};
    Plot p = one_of(s, 3);
    p.y.logarithmic = true;
    Buffer b = script_of(&p, 0);
    const char *t = buffer_string(&b);
    CHECK(strstr(t, "set logscale y\n") && !strstr(t, "set logscale x"));
    CHECK(strstr(t, "$series1 using 1:2 with lines linewidth 9 "
                    "linecolor rgb '#c8c8c8'") != NULL);
    CHECK(strstr(t,
                 "$series2 using 1:2 with linespoints linewidth 2 "
                 "pointtype 7 pointsize 0.4 linecolor rgb '#0072B2'") != NULL);
    CHECK(strstr(t, "pointtype 6") != NULL);
    /* The ordinate names the only curve, the legend everything else. */
    CHECK(occurrences(t, "'X' at screen") == 1);
    CHECK(occurrences(t, "'rest' at screen") == 1);
    CHECK(occurrences(t, "'events' at screen") == 1);
    CHECK(height_of(t, "events") < height_of(t, "TIME"));
    CHECK(height_of(t, "TIME") < height_of(t, "X"));
    CHECK(height_of(t, "X") < height_of(t, "one"));
    buffer_free(&b);
}

/* Having nothing to draw is not an error; an empty curve is left out. */
static void test_empty(Folder *d)
{
    static const double none[] = {NAN, NAN};
    static const PlotSeries s[] = {
        {.name = "E", .style = PLOT_LINES, .x = none, .y = none, .n = 2},
        {.name = "N", .style = PLOT_STEPS, .x = x, .y = y, .n = 0},
        {.name = "Y", .style = PLOT_STEPS, .x = x, .y = y, .n = 4}};
    Plot p = one_of(s, 2), q = one_of(s, 3);
    Fault f = {0};
    Buffer b = script_of(&p, 0), c = script_of(&q, 0);
    Undrawn u = {0};
    CHECK(strstr(buffer_string(&b), "$series") == NULL);
    CHECK(strstr(buffer_string(&b), "nothing to show") != NULL);
    CHECK(strstr(buffer_string(&c), "plot $series3 ") != NULL);
    CHECK(strstr(buffer_string(&c), "'Y' at") == NULL);
    p.x.logarithmic = p.y.logarithmic = true;
    CHECK(plot_write(&p, d->path, "05-e", 0, &f) == STATUS_OK);
    CHECK(plot_write(&q, d->path, "06-f", 0, &f) == STATUS_OK);
    DrawnAs how = gnuplot_draw(d->path,
                               "05-e\0"
                               "06-f",
                               2, &u);
    CHECK(how == DRAWN || how == DRAWN_NOT_FOUND);
    if (how == DRAWN)
        CHECK(access(folder_file(d, "06-f.svg"), F_OK) == 0);
    buffer_free(&b);
    buffer_free(&c);
    buffer_free(&u.why);
}

/* Titles that would be commands, formats or broken text anywhere else. */
static void test_hostile(Folder *d)
{
    static const char *const titles[] = {
        "it's \"quoted\" \\ \\n back\\",
        "$series1 ${HOME} `touch hacked` @x %s %n #",
        "'; system 'touch hacked'; print '",
        "two\nlines\r\t\x01\x7f end",
        "gr\xc3\xb6\xc3\x9f"
        "er \xe2\x89\xa4 \xff\xfe bad",
        "<b>&amp;</b>]]> _under^over {x}",
        ""};
    for (size_t k = 0; k < LENGTH(titles); k++) {
        PlotSeries s[] = {
            {.name = titles[k], .style = PLOT_LINES, .x = x, .y = y, .n = 4},
            {.name = "Y", .style = PLOT_LINES, .x = x, .y = y, .n = 4}};
        Plot p = one_of(s, 2);
        Fault f = {0};
        Undrawn u = {0};
        Buffer text = {0};
        p.title = p.x.label = p.y.label = titles[k];
        CHECK(plot_write(&p, d->path, "04-h", 0, &f) == STATUS_OK);
        DrawnAs how = gnuplot_draw(d->path, "04-h", 1, &u);
        CHECK(how == DRAWN || how == DRAWN_NOT_FOUND);
        CHECK(u.count == 0);
        CHECK(access(folder_file(d, "hacked"), F_OK) != 0);
        if (how == DRAWN &&
            file_read(folder_file(d, "04-h.svg"), &text, &f) == STATUS_OK)
            check_xml(buffer_string(&text));
        buffer_free(&text);
        buffer_free(&u.why);
    }
}

/* The axis of steps over whole numbers has no other numbers. */
static void test_whole(void)
{
    static const double half[] = {0, 0.5};
    static const PlotSeries
        s = {.name = "N", .style = PLOT_STEPS, .x = x, .y = y, .n = 4},
        h = {.name = "R", .style = PLOT_STEPS, .x = x, .y = half, .n = 2};
    Plot p = one_of(&s, 1), q = one_of(&h, 1);
    Buffer b = script_of(&p, 0), c = script_of(&q, 0);
    CHECK(
        strstr(buffer_string(&b), "set ytics ('1' 1, '2' 2, '3' 3, '4' 4)\n"));
    CHECK(strstr(buffer_string(&c), "'0.1' 0.1, "));
    buffer_free(&b);
    buffer_free(&c);
}

static void test_long_title(void)
{
    char title[400];
    PlotSeries s = {.name = "", .style = PLOT_LINES, .x = x, .y = y, .n = 4};
    Plot p = one_of(&s, 1);
    for (size_t k = 0; k < sizeof title - 1; k++)
        title[k] = k % 9 == 8 ? ' ' : 'w';
    title[sizeof title - 1] = '\0';
    p.title = title;
    Buffer b = script_of(&p, 0);
    const char *from = strstr(buffer_string(&b), "set label 'www");
    const char *end = from ? strchr(from, '\n') : NULL;
    CHECK(from && end && end - from < 230);
    CHECK(from && strstr(from, "w'.\"\\n\".'w") < end);
    CHECK(from && strstr(from, "...'") < end);
    buffer_free(&b);
}

/* Their ends are visible: names may differ only there. */
static void test_long_names(void)
{
    char name[200] = "";
    for (int k = 0; k < 30; k++)
        snprintf(name + 5 * k, 6, "LONG_");
    snprintf(name + 150, 20, "NAME [m/s]");
    PlotSeries s[] = {
        {.name = name, .style = PLOT_LINES, .x = x, .y = y, .n = 4},
        {.name = "Y", .style = PLOT_LINES, .x = x, .y = y, .n = 4}};
    Plot p = one_of(s, 2);
    p.y.label = name;
    Buffer b = script_of(&p, 0);
    CHECK(occurrences(buffer_string(&b), "...") == 2);
    CHECK(occurrences(buffer_string(&b), "NAME [m/s]' at screen") == 2);
    buffer_free(&b);
}

/* Many curves get shades; a few get colours and dashes, no two alike. */
static void test_shades(void)
{
    static const double sixteen[16] = {0, 1, 2, 3, 4, 5, 6, 7};
    PlotSeries s[20];
    for (int k = 0; k < 20; k++)
        s[k] = (PlotSeries){.name = "U",
                            .style = PLOT_LINES,
                            .x = sixteen,
                            .y = sixteen,
                            .n = 16};
    Plot many = one_of(s, 20), some = one_of(s, 14);
    Buffer b = script_of(&many, 0), c = script_of(&some, 0);
    CHECK(strstr(buffer_string(&b), "$series1 using 1:2 with lines linewidth 2 "
                                    "linecolor rgb '#440154'") != NULL);
    const char *pen[14], *at = buffer_string(&c);
    for (int k = 0; k < 14; k++) {
        char word[40];
        snprintf(word, sizeof word, "$series%d using", k + 1);
        pen[k] = strstr(at, word);
        pen[k] = pen[k] ? strstr(pen[k], " linecolor") : NULL;
        CHECK(pen[k] != NULL);
        for (int i = 0; i < k && pen[k] && pen[i]; i++) {
            size_t n = strcspn(pen[k], "\n"), m = strcspn(pen[i], "\n");
            CHECK(n != m || strncmp(pen[k], pen[i], n) != 0);
        }
    }
    buffer_free(&b);
    buffer_free(&c);
}

/* One point is not a line, but is visible all the same. */
static void test_few(void)
{
    PlotSeries s = {.name = "U", .style = PLOT_LINES, .x = x, .y = y, .n = 1};
    Plot p = one_of(&s, 1);
    Buffer b = script_of(&p, 0);
    CHECK(strstr(buffer_string(&b), "with linespoints") != NULL);
    s.style = PLOT_STEPS;
    Buffer c = script_of(&p, 0);
    CHECK(strstr(buffer_string(&c), "with points") != NULL);
    buffer_free(&b);
    buffer_free(&c);
}

/* ---- Panels and legends ------------------------------------------------------ */

static void test_panels(void)
{
    static const PlotAxis lower[] = {
        {.label = "V [m/s]", .low = 1, .high = 0},
        {.label = "UP", .low = -0.1, .high = 1.1, .truth = true, .share = 0.4}};
    static const PlotSeries s[] = {
        {.name = "run 1", .style = PLOT_LINES, .x = x, .y = y, .n = 4},
        {.name = "run 2", .style = PLOT_LINES, .x = x, .y = y, .n = 4},
        {.name = "run 1",
         .style = PLOT_LINES,
         .x = x,
         .y = y,
         .n = 4,
         .panel = 1},
        {.name = "run 2",
         .style = PLOT_LINES,
         .x = x,
         .y = y,
         .n = 4,
         .panel = 1},
        {.name = "UP",
         .style = PLOT_STEPS,
         .x = x,
         .y = y,
         .n = 4,
         .panel = 2}};
    Plot p = one_of(s, 5);
    p.lower = lower;
    p.lowers = 2;
    p.note = "below it";
    Buffer b = script_of(&p, PLOT_SVG | PLOT_PNG);
    const char *t = buffer_string(&b);
    CHECK(occurrences(t, "\nset multiplot\n") == 2);
    CHECK(occurrences(t, "\nplot ") == 6);
    CHECK(strstr(t, "set ytics ('FALSE' 0, 'TRUE' 1)") != NULL);
    CHECK(height_of(t, "X") > height_of(t, "V [m/s]"));
    CHECK(height_of(t, "V [m/s]") > height_of(t, "UP"));
    CHECK(height_of(t, "UP") > height_of(t, "TIME"));
    CHECK(height_of(t, "TIME") > height_of(t, "run 1"));
    CHECK(height_of(t, "one") > height_of(t, "below it"));
    CHECK(height_of(t, "below it") > height_of(t, "X"));
    const char *up = strstr(t, "set label 'UP'");
    CHECK(up && strncmp(strchr(up, '\n') - 16, " left noenhanced", 16) == 0);
    /* Named once, drawn alike. */
    CHECK(occurrences(t, "'run 2' at screen") == 2);
    const char *one = strstr(t, "$series2 using"),
               *two = strstr(t, "$series4 using");
    CHECK(one && two && strncmp(one + 8, two + 8, strcspn(one, "\n") - 8) == 0);
    buffer_free(&b);
}

/* A legend grows downwards; the panel keeps its height. */
static void test_legend(void)
{
    char name[12][60];
    PlotSeries s[12];
    for (int k = 0; k < 12; k++) {
        snprintf(name[k], sizeof name[k],
                 "a rather long name of a curve, which is number %d", k + 1);
        s[k] = (PlotSeries){
            .name = name[k], .style = PLOT_LINES, .x = x, .y = y, .n = 4};
    }
    Plot few = one_of(s, 2), many = one_of(s, 12);
    Layout l, m;
    layout_make(&l, &few, LAYOUT_SHEET);
    layout_make(&m, &many, LAYOUT_SHEET);
    CHECK(l.entries == 2 && m.entries == 12 && m.columns == 2);
    CHECK(fabs(l.panel[0].bottom - l.panel[0].top -
               (m.panel[0].bottom - m.panel[0].top)) < 1e-9);
    CHECK(m.high > l.high + 90);
    for (uint32_t k = 0; k < m.entries; k++) {
        double px, py;
        layout_entry(&m, k, &px, &py);
        CHECK(px >= 0 && px + m.entry_wide - 20 <= m.wide);
        CHECK(py > m.panel[0].bottom + 50 && py < m.high);
    }
    Buffer b = script_of(&many, 0);
    CHECK(strstr(buffer_string(&b), name[11]) != NULL);
    buffer_free(&b);
}

/* ---- Axes -------------------------------------------------------------------- */

static void check_axis(const double *values, size_t n, bool logarithmic,
                       const char *expected)
{
    PlotSeries s = {
        .name = "U", .style = PLOT_LINES, .x = x, .y = values, .n = n};
    Plot p = one_of(&s, 1);
    p.y.logarithmic = logarithmic;
    Buffer b = script_of(&p, 0);
    if (!strstr(buffer_string(&b), expected))
        printf("no \"%s\" in:\n%s", expected, buffer_string(&b));
    CHECK(strstr(buffer_string(&b), expected) != NULL);
    buffer_free(&b);
}

/* An axis that begins between two powers of ten: each number stands at its
   place, and there are no others. */
static void test_log_abscissa(void)
{
    static const double from[] = {2000, 30000, 1e6};
    PlotSeries s = {
        .name = "U", .style = PLOT_LINES, .x = from, .y = from, .n = 3};
    Plot p = one_of(&s, 1);
    p.x.logarithmic = true;
    Buffer b = script_of(&p, 0);
    CHECK(strstr(buffer_string(&b),
                 "set xtics ('10^{4}' 10000, '10^{5}' 100000, '10^{6}' 1000000"
                 ", '' 2000 1, '' 3000 1, '' 4000 1,"));
    CHECK(!strstr(buffer_string(&b), "%T"));
    buffer_free(&b);
}

static void test_axes(void)
{
    check_axis((double[]){1e6, 1e6 + 0.25, 1e6}, 3, false,
               "'1000000.00' 1000000, '1000000.05' 1000000.05");
    check_axis((double[]){1e6, 1e6 + 0.25, 1e6}, 3, false, "1 1000000.25\n");
    check_axis((double[]){0, 3e9, 0}, 3, false,
               "'0' 0, '5\xC3\x97"
               "10^{8}' 500000000, '10^{9}' 1e+09");
    check_axis((double[]){3, 3, 3}, 3, false, "set yrange [2.7:3.3]\n");
    check_axis((double[]){0, 0, 0}, 3, false, "set yrange [-1:1]\n");
    check_axis((double[]){3, 3, 3}, 3, true, "set yrange [1:10]\n");
    check_axis((double[]){3, 3, 3}, 3, true,
               "set ytics ('1' 1, '2' 2, '5' 5, '10' 10)\n");
    check_axis((double[]){9.99, 10, 10}, 3, true, "set yrange [5:20]\n");
    check_axis((double[]){1, 1.7e308, -1.7e308}, 3, false,
               "set yrange [0.9:1.1]\n");
    check_axis((double[]){22.3205408552, 22.3205408578, 22.3205408560}, 3,
               false, "set yrange [22.32054085");
    check_axis((double[]){1e-9, 1e9, 1}, 3, true, "'10^{-9}' 1e-09, '10^{-6}'");
    check_axis((double[]){1, 1000, 1}, 3, true,
               "set ytics ('1' 1, '10' 10, '100' 100, '1000' 1000,");
    check_axis((double[]){1, 1000, 1}, 3, true, "'' 900 1)\n");
    test_log_abscissa();
}

/* ---- Air and dashes ----------------------------------------------------------- */

/* A curve at its limit does not lie on the frame; bars stand on it. */
static void test_air(void)
{
    static const double limit[] = {0, 10, 10, 0}, over[] = {0, 4, 6, 10};
    static const double wide[] = {2, 6, 8, 12};
    PlotSeries s = {.name = "U",
                    .style = PLOT_LINES,
                    .x = over,
                    .x2 = wide,
                    .y = limit,
                    .n = 4};
    Plot p = one_of(&s, 1);
    Layout l;
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.panel[0].y.low < -0.1 && l.panel[0].y.low > -0.5);
    CHECK(l.panel[0].y.high > 10.1 && l.panel[0].y.high < 10.5);
    CHECK(l.x.low < -0.1 && l.x.high > 10.1 && l.over.high == 10);
    CHECK_TEXT(l.panel[0].y.tick[0].text, "0");
    p.y.low = 0, p.y.high = 10; // given ends as well
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.panel[0].y.low < 0 && l.panel[0].y.high > 10);
    p.y.high = 20; // far away from it
    layout_make(&l, &p, LAYOUT_PAGE);
    CHECK(l.panel[0].y.low < 0 && l.panel[0].y.high == 20);
    s.style = PLOT_CELLS;
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.panel[0].y.low == 0);
    p = one_of(&s, 1);
    p.y.logarithmic = true;
    s.style = PLOT_LINES;
    s.y = wide;
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.panel[0].y.low < 2 && l.panel[0].y.low > 0.9);
}

/* A logarithmic axis may reach over nearly all numbers. */
static void test_all_numbers(void)
{
    static const double at[] = {0, 1, 2}, all[] = {1e-290, 1, 1e290};
    PlotSeries s = {
        .name = "F", .style = PLOT_LINES, .x = at, .y = all, .n = 3};
    Plot p = one_of(&s, 1);
    Layout l;
    p.y.logarithmic = true;
    layout_make(&l, &p, LAYOUT_SHEET);
    const Axis *axis = &l.panel[0].y;
    CHECK(axis->low > 0 && axis->low <= 1e-290 && axis->high >= 1e290);
    CHECK(isfinite(axis->high));
    CHECK(axis_share(axis, 1) > 0.47 && axis_share(axis, 1) < 0.53);
}

/* Dashes of a curve that turns all the time are not seen as such. */
static void test_dashes(void)
{
    enum { N = 200 };
    double at[N], smooth[N], spiky[N];
    for (int k = 0; k < N; k++) {
        at[k] = k;
        smooth[k] = sin(0.05 * k);
        spiky[k] = k / 2 % 2;
    }
    PlotSeries s[] = {
        {.name = "A", .style = PLOT_LINES, .x = at, .y = smooth, .n = N},
        {.name = "B", .style = PLOT_LINES, .x = at, .y = smooth, .n = N},
        {.name = "C", .style = PLOT_STEPS, .x = at, .y = spiky, .n = N},
        {.name = "B",
         .style = PLOT_LINES,
         .x = at,
         .y = smooth,
         .n = N,
         .panel = 1},
        {.name = "B",
         .style = PLOT_LINES,
         .x = at,
         .y = smooth,
         .n = N,
         .panel = 1}};
    PlotAxis lower = PLOT_AXIS("V");
    Plot p = one_of(s, 4);
    p.lower = &lower;
    p.lowers = 1;
    CHECK(!pen_find(&p, 0).dash && pen_find(&p, 1).dash);
    CHECK(!pen_find(&p, 2).dash);
    CHECK(pen_find(&p, 3).dash == pen_find(&p, 1).dash);
    CHECK(pen_find(&p, 3).colour == pen_find(&p, 1).colour);
    s[3].y = spiky; // of the same name: both are drawn alike
    CHECK(!pen_find(&p, 1).dash && !pen_find(&p, 3).dash);
}

/* Every named tick says where it is, whatever the axis. */
static void test_true_ticks(void)
{
    static const double low[] = {1e-12, 0.3, 2000, 7, 9.99, 1e5, 3.3e-7};
    static const double ratio[] = {1.3, 4, 25, 90, 1e3, 2e4, 1e9, 1e20};
    for (size_t i = 0; i < LENGTH(low); i++)
        for (size_t k = 0; k < LENGTH(ratio); k++)
            for (uint32_t wanted = 2; wanted <= 12; wanted += 5) {
                Axis a = {.low = low[i],
                          .high = low[i] * ratio[k],
                          .logarithmic = true};
                axis_mark(&a, wanted, AXIS_ANY);
                uint32_t named = 0;
                for (uint32_t n = 0; n < a.n; n++) {
                    double at = a.tick[n].at;
                    CHECK(at > 0.999 * a.low && at < 1.001 * a.high);
                    if (!a.tick[n].text[0])
                        continue;
                    named++;
                    CHECK(fabs(strtod(a.tick[n].text, NULL) / at - 1) < 1e-9);
                }
                CHECK(named >= 2 || wanted == 2);
            }
}

/* At least two numbers stand at an axis, however low its panel is. */
static void test_two_ticks(void)
{
    for (double high = 1; high < 100; high += 0.7)
        for (uint32_t wanted = 1; wanted <= 6; wanted++) {
            Axis a = {.low = -0.02 * high, .high = high};
            axis_mark(&a, wanted, AXIS_ANY);
            CHECK(a.n >= 2);
        }
}

/* ---- Long curves ------------------------------------------------------------ */

enum { MANY = 200000 };

static void test_thin(void)
{
    double *tx = malloc(MANY * sizeof *tx), *ty = malloc(MANY * sizeof *ty);
    if (!tx || !ty)
        return;
    for (int k = 0; k < MANY; k++) {
        tx[k] = k;
        ty[k] = sin(0.001 * k);
    }
    ty[77777] = 50; // a peak of one point
    ty[100000] = NAN;
    size_t n = plot_thin(tx, ty, MANY, (ThinRoom){0});
    double most = 0;
    int gaps = 0;
    CHECK(n > 1600 && n <= 4 * 1601 + 10);
    for (size_t k = 0; k < n; k++) {
        most = ty[k] > most ? ty[k] : most;
        gaps += isnan(ty[k]);
        CHECK(k == 0 || isnan(tx[k]) || isnan(tx[k - 1]) || tx[k] >= tx[k - 1]);
    }
    CHECK(most == 50 && gaps == 1);
    CHECK(tx[0] == 0 && tx[n - 1] == MANY - 1);
    /* A circle in long steps, many times: chords of half a radian, no
       others. */
    for (int k = 0; k < MANY; k++) {
        tx[k] = cos(0.5 * k);
        ty[k] = sin(0.5 * k);
    }
    n = plot_thin(tx, ty, MANY, (ThinRoom){0});
    CHECK(n > 300 && n <= 12003);
    for (size_t k = 1; k < n; k++) {
        double chord = hypot(tx[k] - tx[k - 1], ty[k] - ty[k - 1]);
        CHECK(isnan(chord) || fabs(chord - 2 * sin(0.25)) < 1e-9);
    }
    CHECK(plot_thin(tx, ty, 100, (ThinRoom){0}) == 100);
    free(tx);
    free(ty);
}

/* Steps: each value once, where it begins, and the end of the curve. */
static void test_plateaus(void)
{
    double px[] = {0, 1, 2, 2, 3, 4, NAN, NAN, 5, 6, 7, 8};
    double py[] = {3, 3, 3, 6, 6, 6, NAN, NAN, 6, 2, 2, 2};
    const double left_x[] = {0, 2, NAN, NAN, 5, 6, 8};
    const double left_y[] = {3, 6, NAN, NAN, 6, 2, 2};
    size_t n = plot_plateaus(px, py, LENGTH(px));
    CHECK(n == LENGTH(left_x));
    for (size_t k = 0; k < n && n == LENGTH(left_x); k++)
        CHECK(isnan(left_x[k]) ? isnan(px[k]) && isnan(py[k])
                               : px[k] == left_x[k] && py[k] == left_y[k]);
    CHECK(plot_plateaus(px, py, 0) == 0);
    CHECK(plot_plateaus(px, py, 1) == 1);
}

static void test_plots(void)
{
    Plots all = {0};
    double own[] = {1, 2};
    char name[] = "X";
    PlotSeries s = {.name = name,
                    .style = PLOT_CELLS,
                    .x = own,
                    .x2 = own,
                    .y = own,
                    .n = 2};
    Plot p = one_of(&s, 1);
    CHECK(plots_add(&all, &p) == STATUS_OK);
    CHECK(plots_add(&all, &plot) == STATUS_OK);
    own[1] = 3;
    name[0] = 'Z';
    CHECK(plots_count(&all) == 2);
    CHECK_TEXT(plots_get(&all, 0)->series[0].name, "X");
    CHECK(plots_get(&all, 0)->series[0].x2[1] == 2);
    CHECK_TEXT(plots_get(&all, 1)->y.label, "observations");
    plots_free(&all);
}

/* Panels are kept. */
static void test_panels_kept(void)
{
    char label[] = "V [m/s]";
    PlotAxis lower = {.label = label, .low = 0, .high = 5};
    PlotSeries s[] = {
        {.name = "H", .style = PLOT_LINES, .x = x, .y = y, .n = 4},
        {.name = "V", .style = PLOT_LINES, .x = x, .y = y, .n = 3, .panel = 1}};
    Plot p = one_of(s, 2);
    Plots all = {0};
    p.lower = &lower;
    p.lowers = 1;
    CHECK(plots_add(&all, &p) == STATUS_OK);
    label[0] = 'Z';
    const Plot *kept = plots_get(&all, 0);
    CHECK(plot_panels(kept) == 2);
    CHECK_TEXT(plot_ordinate(kept, 1)->label, "V [m/s]");
    CHECK(kept->series[1].panel == 1 && kept->series[1].n == 3);
    plots_free(&all);
}

static void test_draw(Folder *d)
{
    Fault f = {0};
    Undrawn u = {0};
    Buffer text = {0};
    CHECK(plot_write(&plot, folder_file(d, "plots"), "01-a", PLOT_SVG, &f) ==
          STATUS_OK);
    CHECK(plot_write(&plot, folder_file(d, "plots"), "02-b", PLOT_SVG, &f) ==
          STATUS_OK);
    CHECK(plot_write(&plot, "/dev/null/x", "01-a", PLOT_SVG, &f) ==
          STATUS_FILE);
    DrawnAs how = gnuplot_draw(folder_file(d, "plots"),
                               "01-a\0"
                               "02-b",
                               2, &u);
    if (how == DRAWN_NOT_FOUND) {
        puts("no gnuplot here: the SVG is not looked at");
        return;
    }
    CHECK(how == DRAWN);
    CHECK(u.count == 0);
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
    buffer_free(&u.why);
}

/* A missing file, and one that is not a script: the others are drawn. */
static void test_failures(Folder *d)
{
    static const char names[] = "03-bad\0"
                                "01-good\0"
                                "04-bad\0"
                                "02-good";
    static const char bad[] = "plot nonsense(\n";
    Fault f = {0};
    Undrawn u = {0}, v = {0};
    char *path = getenv("PATH");
    Buffer before = {0};
    buffer_text(&before, path ? path : "");
    CHECK(file_put(folder_file(d, "03-bad.gp"), bad, sizeof bad - 1, &f) ==
          STATUS_OK);
    CHECK(file_put(folder_file(d, "04-bad.gp"), bad, sizeof bad - 1, &f) ==
          STATUS_OK);
    CHECK(plot_write(&plot, d->path, "01-good", 0, &f) == STATUS_OK);
    CHECK(plot_write(&plot, d->path, "02-good", 0, &f) == STATUS_OK);
    DrawnAs how = gnuplot_draw(d->path, names, 4, &u);
    CHECK(how == DRAWN_NOT_FOUND || how == DRAWN_FAILED);
    if (how == DRAWN_FAILED) {
        CHECK(u.count == 2 && u.first == 0);
        CHECK(strstr(buffer_string(&u.why), "line 1") != NULL);
        CHECK(access(folder_file(d, "01-good.svg"), F_OK) == 0);
        CHECK(access(folder_file(d, "02-good.svg"), F_OK) == 0);
    }
    setenv("PATH", d->path, 1);
    CHECK(gnuplot_draw(d->path, names, 4, &v) == DRAWN_NOT_FOUND);
    setenv("PATH", buffer_string(&before), 1);
    buffer_free(&before);
    buffer_free(&u.why);
    buffer_free(&v.why);
}

/* ---- Pictures of a study ---------------------------------------------------- */

/* Tiles in the colours of their values; one without a value is left out. */
static void test_tiles(void)
{
    static const double left[] = {0, 1, 0, 1}, right[] = {1, 2, 1, 2};
    static const double low[] = {0, 0, 1, 1}, high[] = {1, 1, 2, 2};
    static const double z[] = {-1, 0, NAN, 3};
    PlotSeries s = {.style = PLOT_TILES,
                    .x = left,
                    .x2 = right,
                    .y = low,
                    .y2 = high,
                    .z = z,
                    .n = 4};
    Plot p = one_of(&s, 1);
    Layout l;
    p.scale = true;
    p.z = (PlotAxis)PLOT_AXIS("PEAK [m]");
    p.x.tight = p.y.tight = true;
    p.y.low = 1, p.y.high = 0;
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.scale && l.z.low == -1 && l.z.high == 3);
    CHECK(l.scale_left > l.right && l.scale_right < l.wide);
    CHECK(l.x.low == 0 && l.x.high == 2);
    CHECK(l.panel[0].y.low == 0 && l.panel[0].y.high == 2);
    Buffer b = script_of(&p, 0), t = {0};
    CHECK(strstr(buffer_string(&b), "0 1 0 1 4456788 -1\n") != NULL);
    CHECK(strstr(buffer_string(&b), "1 2 1 2 15124500 3\n") != NULL);
    CHECK(strstr(buffer_string(&b), "0 1 1 2 ") == NULL);
    CHECK(strstr(buffer_string(&b), "linecolor rgb variable") != NULL);
    CHECK(strstr(buffer_string(&b), "'PEAK [m]'") != NULL);
    CHECK(plot_text(&t, &p, 80));
    CHECK(strstr(buffer_string(&t), ". -1 ") != NULL);
    CHECK(strstr(buffer_string(&t), "????") != NULL);
    CHECK(strstr(buffer_string(&t), "@@@@") != NULL);
    buffer_free(&b);
    buffer_free(&t);
}

/* Shades get lighter all the way, so that their order is seen without colour. */
static void test_lightness(void)
{
    double before = -1;
    for (int k = 0; k <= 20; k++) {
        char colour[8];
        pen_shade(colour, k / 20.0);
        CHECK(pen_lightness(colour) > before);
        before = pen_lightness(colour);
    }
}

/* A curve with its intervals has one colour, and one entry for each. */
static void test_intervals(void)
{
    static const double at[] = {0, 1, 2}, mid[] = {1, 2, 3};
    static const double least[] = {0.5, NAN, 2}, most[] = {1.5, 3, 9};
    static const double rule[] = {1.5};
    PlotSeries s[] = {{.name = "mean", .x = at, .y = mid, .n = 3},
                      {.name = "interval",
                       .style = PLOT_WHISKERS,
                       .x = at,
                       .y = least,
                       .y2 = most,
                       .n = 3,
                       .with = 1},
                      {.name = "band",
                       .style = PLOT_BAND,
                       .x = at,
                       .y = least,
                       .y2 = most,
                       .n = 3,
                       .with = 1},
                      {.name = "failed",
                       .style = PLOT_RULES,
                       .x = rule,
                       .y = rule,
                       .n = 1,
                       .faint = true}};
    Plot p = one_of(s, 4);
    Layout l;
    p.y.low = 1, p.y.high = 0;
    layout_make(&l, &p, LAYOUT_SHEET);
    CHECK(l.panel[0].y.high >= 9 && l.entries == 3);
    CHECK(pen_find(&p, 1).colour == pen_find(&p, 0).colour);
    CHECK(pen_find(&p, 2).colour == pen_find(&p, 0).colour);
    CHECK(!series_in_legend(&p, 0) && series_in_legend(&p, 1));
    Buffer b = script_of(&p, 0), t = {0};
    CHECK(strstr(buffer_string(&b), "vectors heads") != NULL);
    CHECK(strstr(buffer_string(&b), "filledcurves") != NULL);
    CHECK(strstr(buffer_string(&b), "0 0.5 1.5\n\n2 2 9\n") != NULL);
    CHECK(plot_text(&t, &p, 80));
    CHECK(strchr(buffer_string(&t), '|') != NULL);
    CHECK(strchr(buffer_string(&t), '!') != NULL);
    buffer_free(&b);
    buffer_free(&t);
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_names();
    test_own();
    test_script();
    test_formats();
    test_marks();
    test_empty(&d);
    test_hostile(&d);
    test_whole();
    test_long_title();
    test_long_names();
    test_shades();
    test_few();
    test_panels();
    test_legend();
    test_axes();
    test_air();
    test_all_numbers();
    test_dashes();
    test_true_ticks();
    test_two_ticks();
    test_thin();
    test_plateaus();
    test_plots();
    test_panels_kept();
    test_tiles();
    test_lightness();
    test_intervals();
    test_draw(&d);
    test_failures(&d);
    folder_remove(&d);
    return check_end();
}
