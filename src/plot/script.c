#include "plot/script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plot/layout.h"
#include "plot/pen.h"

/* Sizes are chosen so that texts and lines look the same in all formats. */
const ScriptFormat script_formats[SCRIPT_FORMATS] = {
    {PLOT_SVG, ".svg", "<?xml", "svg", 1, "",
     "rounded font 'Helvetica,14' background rgb 'white'"},
    {PLOT_PDF, ".pdf", "%PDF", "pdfcairo", 0.025, "cm",
     "rounded font 'Helvetica,14' fontscale 0.54 dashlength 2 linewidth 1.4 "
     "pointscale 1.2 background rgb 'white'"},
    {PLOT_PNG, ".png", "\x89PNG", "pngcairo", 2, "",
     "rounded font 'Helvetica,14' fontscale 1.5 dashlength 2 linewidth 2 "
     "pointscale 2.4 background rgb 'white'"}};

/* The second line of some scripts; the words follow the other one. */
static const char script_always[] = "# drawn whatever OUTPUT shows\n";
static const char script_asked[] = "# drawn by a run for ";

bool plot_is_kept(const char *script, const char **asked, size_t *length)
{
    const char *second = strchr(script, '\n');
    size_t n = sizeof script_asked - 1;
    *length = 0;
    *asked = second = second ? second + 1 : "";
    if (strncmp(second, script_always, sizeof script_always - 1) == 0)
        return true;
    if (strncmp(second, script_asked, n) != 0)
        return false;
    *asked += n;
    *length = strcspn(*asked, "\n");
    return *length > 0;
}

/* A script in the making. */
typedef struct Script {
    Buffer *b;
    const Plot *p;
    Layout l;
} Script;

/* ---- Texts -------------------------------------------------------------------- */

/* One character within gnuplot's single quotes, which leave text as it is; a
   character that cannot be in a picture becomes a blank or a question mark. */
static size_t put_char(Buffer *b, const char *s)
{
    size_t n = text_char_length(s, strnlen(s, 4));
    if (n == 0)
        buffer_char(b, '?');
    else if (n == 1 && ((unsigned char)*s < ' ' || *s == 127))
        buffer_char(b, ' ');
    else if (*s == '\'')
        buffer_text(b,
                    "'.\"'\".'"); // gnuplot trips over '' at the beginning
    else
        buffer_bytes(b, s, n);
    return n ? n : 1;
}

static void put_bytes(Buffer *b, const char *text, size_t n)
{
    for (size_t k = 0; k < n;)
        k += put_char(b, text + k);
}

/* Where the longest tail of a text begins that fits and lies after `from`. */
static size_t find_tail(const char *text, size_t from, double size, double room)
{
    size_t all = strlen(text);
    while (from < all && layout_measure(text + from, all - from, size) > room) {
        size_t n = text_char_length(text + from, all - from);
        from += n ? n : 1;
    }
    return from;
}

/* As much of the text as fits. Three points stand for the rest: at the end
   (`end`), or in the middle, since the ends of names and their units tell them
   apart. */
static void put_text(Buffer *b, const char *text, double size, double room,
                     bool end)
{
    size_t n = layout_fit(text, size, room, false), tail = n;
    bool cut = text[n] != '\0';
    if (cut) {
        room -= size;
        n = layout_fit(text, size, end ? room : 0.6 * room, false);
        tail = end ? strlen(text) : find_tail(text, n, size, 0.4 * room);
    }
    buffer_char(b, '\'');
    put_bytes(b, text, n);
    buffer_text(b, cut ? "..." : "");
    put_bytes(b, text + tail, strlen(text + tail));
    buffer_char(b, '\'');
}

/* ` at screen X,Y` from pixels: gnuplot itself would put a text in another
   place in every format. */
static void put_place(const Script *s, const char *word, double x, double y)
{
    buffer_format(s->b, " %s screen %.4f,%.4f", word, x / s->l.wide,
                  1 - y / s->l.high);
}

/* The title, in at most two lines. */
static void put_title(const Script *s)
{
    const char *text = s->p->title ? s->p->title : "";
    size_t n = s->l.title;
    double y = s->l.title_bottom - (s->p->note ? 9 + LAYOUT_NOTE_LINE : 9);
    if (!text[0])
        return;
    buffer_text(s->b, "set label '");
    put_bytes(s->b, text, n);
    buffer_char(s->b, '\'');
    if (text[n]) {
        y -= LAYOUT_TITLE_LINE;
        buffer_text(s->b, ".\"\\n\".");
        put_text(s->b, text + n + (text[n] == ' '), LAYOUT_TITLE,
                 s->l.wide - 60, true);
    }
    put_place(s, "at", (s->l.left + s->l.right) / 2, y);
    buffer_format(s->b, " center font ',%d' noenhanced\n", LAYOUT_TITLE);
}

static void put_note(const Script *s)
{
    if (!s->p->note)
        return;
    buffer_text(s->b, "set label ");
    put_text(s->b, s->p->note, LAYOUT_NOTE, s->l.wide - 60, true);
    put_place(s, "at", (s->l.left + s->l.right) / 2, s->l.title_bottom - 8);
    buffer_format(s->b,
                  " center font ',%d' textcolor rgb '#505050' noenhanced\n",
                  LAYOUT_NOTE);
}

/* ---- Data --------------------------------------------------------------------- */

/* The colour of a tile as a number, which gnuplot wants. */
static unsigned long tile_colour(const Axis *scale, double z)
{
    char colour[8];
    pen_shade(colour, axis_share(scale, z));
    return strtoul(colour + 1, NULL, 16);
}

/* By which share of its size a tile of a table reaches below the next ones, so that
   no paper is seen between them. */
#define OVERLAP 0.2

/* X from, X to, Y from, Y to, colour. */
static void put_tile(Buffer *b, const PlotSeries *s, size_t k, int over, int n,
                     const Axis *scale)
{
    double more = s->columns ? OVERLAP : 0;
    if (plot_has(s, k))
        buffer_format(b, "%.*g %.*g %.*g %.*g %lu %.9g\n", over, s->x[k], over,
                      s->x2[k] + more * (s->x2[k] - s->x[k]), n, s->y[k], n,
                      s->y2[k] + more * (s->y2[k] - s->y[k]),
                      tile_colour(scale, s->z[k]), s->z[k]);
}

/* X, Y; then the second of each, if there is one. */
static void put_row(Buffer *b, const PlotSeries *s, size_t k, int over, int n)
{
    if (!plot_has(s, k)) {
        buffer_char(b, '\n'); // a gap in the curve
        return;
    }
    buffer_format(b, "%.*g ", over, s->x[k]);
    if (s->style == PLOT_CELLS)
        buffer_format(b, "%.*g ", over, s->x2[k]);
    if (s->style != PLOT_RULES)
        buffer_format(b, "%.*g", n, s->y[k]);
    if (s->y2)
        buffer_format(b, " %.*g", n, s->y2[k]);
    buffer_char(b, '\n');
}

static void put_data(Buffer *b, const Plot *p)
{
    Axis scale = pen_scale(p);
    for (uint32_t k = 0; k < p->n; k++) {
        if (series_is_empty(&p->series[k]) || p->series[k].style == PLOT_FACES)
            continue;
        buffer_format(b, "$series%u << END\n", k + 1);
        const PlotSeries *s = &p->series[k];
        int over = series_digits(s->x, s->n), n = series_digits(s->y, s->n);
        for (size_t i = 0; i < s->n; i++)
            if (s->style == PLOT_TILES)
                put_tile(b, s, i, over, n, &scale);
            else
                put_row(b, s, i, over, n);
        buffer_text(b, "END\n");
    }
}

/* ---- Axes ----------------------------------------------------------------------- */

/* A number with its power of ten raised. */
static void put_number(Buffer *b, const char *text)
{
    int mantissa, exponent;
    if (!axis_split(text, &mantissa, &exponent))
        buffer_text(b, text);
    else if (mantissa)
        buffer_format(b,
                      "%.*s\xC3\x97"
                      "10^{%d}",
                      mantissa, text, exponent);
    else
        buffer_format(b, "10^{%d}", exponent);
}

/* A place on an axis: nine digits, and fifteen where these are not enough to tell
   it from its neighbours. */
static void put_exact(Buffer *b, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.15g", value);
    buffer_text(b, text);
}

static void put_range(Buffer *b, double low, double high)
{
    buffer_char(b, '[');
    put_exact(b, low);
    buffer_char(b, ':');
    put_exact(b, high);
    buffer_char(b, ']');
}

/* Places every tick: by itself gnuplot chooses other ticks in every format, and
   on a logarithmic axis labels them wrongly. A bare axis has only strokes. */
static void put_axis(Buffer *b, char which, const Axis *a, bool bare)
{
    buffer_format(b, "set %crange ", which);
    put_range(b, a->low, a->high);
    buffer_char(b, '\n');
    if (a->logarithmic)
        buffer_format(b, "set logscale %c\n", which);
    buffer_format(b, "set %ctics (", which);
    for (uint32_t k = 0; k < a->n; k++) {
        buffer_text(b, k ? ", '" : "'");
        if (!bare)
            put_number(b, a->tick[k].text);
        buffer_text(b, "' ");
        put_exact(b, a->tick[k].at);
        buffer_text(b, a->tick[k].text[0] ? "" : " 1");
    }
    buffer_text(b, ")\n");
}

static void put_x_label(const Script *s)
{
    if (s->p->bare)
        return;
    double bottom = s->l.panel[s->l.panels - 1].bottom;
    buffer_text(s->b, "set label ");
    put_text(s->b, s->p->x.label ? s->p->x.label : "", LAYOUT_TEXT,
             s->l.right - s->l.left, false);
    put_place(s, "at", (s->l.left + s->l.right) / 2, bottom + 46);
    buffer_text(s->b, " center noenhanced\n");
}

/* The label is beside its panel, or above a low one. */
static void put_y_label(const Script *s, uint32_t panel)
{
    const LayoutPanel *l = &s->l.panel[panel];
    const PlotAxis *a = plot_ordinate(s->p, panel);
    const char *text = a->label ? a->label : "";
    if (s->p->bare)
        return;
    buffer_text(s->b, "set label ");
    if (layout_is_low(s->p, panel)) {
        put_text(s->b, text, LAYOUT_TEXT, s->l.right - s->l.left, false);
        put_place(s, "at", s->l.left, l->top - 10);
        buffer_text(s->b, " left noenhanced\n");
        return;
    }
    put_text(s->b, text, LAYOUT_TEXT,
             l->bottom - l->top + (s->l.panels == 1 ? 60 : 12), false);
    put_place(s, "at", 18, (l->top + l->bottom) / 2);
    buffer_text(s->b, " center rotate by 90 noenhanced\n");
}

/* ---- Curves ---------------------------------------------------------------------- */

/* The colour of what is drawn behind a curve. */
#define GREY "#c8c8c8"

static const int marks[PEN_MARKS] = {7, 5, 9, 11, 13};

static const char *colour_of(const Pen *pen)
{
    return pen->shade[0] ? pen->shade : pen_colours[pen->colour];
}

static const char *faint_style(PlotStyle style)
{
    switch (style) {
    case PLOT_LINES: return "lines linewidth 9 linecolor rgb '" GREY "'";
    case PLOT_STEPS: return "steps linewidth 9 linecolor rgb '" GREY "'";
    case PLOT_POINTS:
        return "points pointtype 6 pointsize 0.65 linewidth 1 "
               "linecolor rgb '#303030'";
    case PLOT_CELLS:
        return "boxxyerror fillstyle solid 0.25 border rgb '#ffffff' "
               "linewidth 1 linecolor rgb '#0072B2'";
    case PLOT_RULES:
        return "vectors nohead linewidth 1.5 dashtype (3,4) "
               "linecolor rgb '#808080'";
    case PLOT_BAND: return ""; // put_style knows
    case PLOT_WHISKERS:
    case PLOT_TILES:
    case PLOT_FACES:
    case PLOT_FRAME: break; // they are never faint
    }
    return "";
}

static void put_pen(Buffer *b, const Pen *pen, bool joined)
{
    buffer_format(b, " linecolor rgb '%s'", colour_of(pen));
    for (int k = 0; joined && pen->dash && pen->dash[k]; k++)
        buffer_format(b, k ? ",%d" : " dashtype (%d", pen->dash[k]);
    buffer_text(b, joined && pen->dash ? ")" : "");
}

static void put_style(Buffer *b, PlotStyle style, bool faint, const Pen *pen)
{
    switch (style) {
    case PLOT_LINES:
        buffer_text(b, pen->dots ? "linespoints linewidth 2 pointtype 7 "
                                   "pointsize 0.4"
                                 : "lines linewidth 2");
        break;
    case PLOT_STEPS:
        buffer_text(b, pen->dots ? "points pointtype 7 pointsize 0.4"
                                 : "steps linewidth 1.5");
        break;
    case PLOT_POINTS:
        buffer_format(b, "points pointtype %d pointsize 0.65",
                      marks[pen->mark]);
        break;
    case PLOT_CELLS:
        buffer_text(b, "boxxyerror fillstyle solid 0.7 border rgb '#ffffff' "
                       "linewidth 1");
        break;
    case PLOT_BAND:
        buffer_format(b, "filledcurves fillstyle transparent solid %s noborder",
                      faint ? "0.12" : "0.3");
        break;
    case PLOT_WHISKERS:
        buffer_text(b, "vectors heads size graph 0.006,90 linewidth 1.4");
        break;
    case PLOT_TILES:
        buffer_text(b, "boxxyerror fillstyle solid 1 noborder linecolor rgb "
                       "variable");
        return;
    case PLOT_RULES: buffer_text(b, "vectors nohead linewidth 1"); break;
    case PLOT_FRAME:
        buffer_text(b, "lines linewidth 1 linecolor rgb '#808080'");
        return;
    case PLOT_FACES: return; // they are objects
    }
    put_pen(b, pen, style == PLOT_LINES || style == PLOT_STEPS);
}

/* How the columns of its data are read. */
static const char *columns_of(PlotStyle style)
{
    switch (style) {
    case PLOT_CELLS: return "(($1+$2)/2):($3/2):1:2:(0):3";
    case PLOT_BAND: return "1:2:3";
    case PLOT_WHISKERS: return "1:2:(0):($3-$2)";
    case PLOT_TILES: return "(($1+$2)/2):(($3+$4)/2):1:2:3:4:5";
    case PLOT_LINES:
    case PLOT_POINTS:
    case PLOT_STEPS:
    case PLOT_RULES:
    case PLOT_FACES:
    case PLOT_FRAME: break;
    }
    return "1:2";
}

/* From the lower end of the axis to the upper one. */
static void put_rule(Buffer *b, const Axis *y)
{
    buffer_text(b, "1:(");
    put_exact(b, y->low);
    buffer_text(b, "):(0):(");
    put_exact(b, y->high - y->low);
    buffer_char(b, ')');
}

static void put_series(Buffer *b, const Plot *p, uint32_t k, const Axis *axis)
{
    const PlotSeries *s = &p->series[k];
    Pen pen = pen_find(p, k);
    buffer_format(b, "$series%u using ", k + 1);
    if (s->style == PLOT_RULES)
        put_rule(b, axis);
    else
        buffer_text(b, columns_of(s->style));
    buffer_text(b, " with ");
    if (s->faint && s->style != PLOT_BAND)
        buffer_text(b, faint_style(s->style));
    else
        put_style(b, s->style, s->faint, &pen);
}

static void put_plot(const Script *s, uint32_t panel)
{
    uint32_t drawn = 0;
    for (uint32_t k = 0; k < s->p->n; k++) {
        if (s->p->series[k].panel != panel ||
            series_is_empty(&s->p->series[k]) ||
            s->p->series[k].style == PLOT_FACES)
            continue;
        buffer_text(s->b, drawn++ ? ", \\\n     " : "plot ");
        put_series(s->b, s->p, k, &s->l.panel[panel].y);
    }
    if (!drawn) {
        buffer_text(s->b,
                    "set label 'nothing to show' at graph 0.5,0.5 center\n"
                    "plot ");
        put_range(s->b, s->l.x.low, s->l.x.high);
        buffer_text(s->b, " NaN");
    }
    buffer_char(s->b, '\n');
}

/* ---- Legend ------------------------------------------------------------------------ */

static const char *opacity_of(const PlotSeries *s)
{
    if (s->style == PLOT_BAND)
        return s->faint ? "0.12" : "0.3";
    return s->faint ? "0.25" : "0.7";
}

static void put_sample(const Script *s, uint32_t k, double x, double y)
{
    Buffer *b = s->b;
    const PlotSeries *one = &s->p->series[k];
    Pen pen = pen_find(s->p, k);
    switch (one->style) {
    case PLOT_LINES:
    case PLOT_STEPS:
        buffer_text(b, "set arrow");
        put_place(s, "from", x, y);
        put_place(s, "to", x + LAYOUT_SAMPLE, y);
        if (one->faint) {
            buffer_text(b, " nohead linewidth 9 linecolor rgb '" GREY "'");
            break;
        }
        buffer_text(b, " nohead linewidth 2");
        put_pen(b, &pen, true);
        break;
    case PLOT_RULES:
    case PLOT_WHISKERS:
        buffer_text(b, "set arrow");
        put_place(s, "from", x + LAYOUT_SAMPLE - 10, y + 7);
        put_place(s, "to", x + LAYOUT_SAMPLE - 10, y - 7);
        buffer_format(b, " nohead linewidth 1.5%s linecolor rgb '%s'",
                      one->faint ? " dashtype (3,4)" : "",
                      one->faint ? "#808080" : colour_of(&pen));
        break;
    case PLOT_TILES:
    case PLOT_FACES: // the bar of colours tells what they are
    case PLOT_FRAME: break;
    case PLOT_POINTS:
        buffer_text(b, "set label ''");
        put_place(s, "at", x + LAYOUT_SAMPLE - 10, y);
        buffer_format(b,
                      " point pointtype %d pointsize 0.65 linecolor rgb '%s'",
                      one->faint ? 6 : marks[pen.mark],
                      one->faint ? "#303030" : colour_of(&pen));
        break;
    case PLOT_BAND:
    case PLOT_CELLS:
        buffer_text(b, "set object rectangle");
        put_place(s, "from", x, y + 5);
        put_place(s, "to", x + LAYOUT_SAMPLE, y - 5);
        buffer_format(b, " fillcolor rgb '%s' fillstyle solid %s noborder",
                      colour_of(&pen), opacity_of(one));
        break;
    }
    buffer_char(b, '\n');
}

static void put_entry(const Script *s, uint32_t k, uint32_t entry)
{
    double x, y;
    layout_entry(&s->l, entry, &x, &y);
    put_sample(s, k, x, y);
    buffer_text(s->b, "set label ");
    put_text(s->b, s->p->series[k].name, LAYOUT_TEXT, s->l.entry_room, false);
    put_place(s, "at", x + LAYOUT_SAMPLE + 8, y);
    buffer_text(s->b, " left noenhanced\n");
}

/* Curves first, then what is drawn behind them. */
static void put_legend(const Script *s)
{
    uint32_t entry = 0;
    for (int faint = 0; faint < 2; faint++)
        for (uint32_t k = 0; k < s->p->n; k++)
            if (s->p->series[k].faint == (faint == 1) &&
                series_in_legend(s->p, k))
                put_entry(s, k, entry++);
}

/* ---- The bar of colours ------------------------------------------------------------ */

static double scale_place(const Layout *l, double share)
{
    return l->scale_bottom - share * (l->scale_bottom - l->scale_top);
}

static void put_shades(const Script *s)
{
    const Layout *l = &s->l;
    for (int k = 0; k < LAYOUT_SHADES; k++) {
        char colour[8];
        pen_shade(colour, (k + 0.5) / LAYOUT_SHADES);
        buffer_text(s->b, "set object rectangle");
        put_place(s, "from", l->scale_left,
                  scale_place(l, (double)k / LAYOUT_SHADES));
        put_place(s, "to", l->scale_right,
                  scale_place(l, (k + 1.0) / LAYOUT_SHADES));
        buffer_format(s->b, " fillcolor rgb '%s' fillstyle solid 1 noborder\n",
                      colour);
    }
}

/* Its numbers, and what it tells. */
static void put_scale(const Script *s)
{
    const Layout *l = &s->l;
    if (!l->scale)
        return;
    put_shades(s);
    for (uint32_t k = 0; k < l->z.n; k++) {
        double y = scale_place(l, axis_share(&l->z, l->z.tick[k].at));
        if (!l->z.tick[k].text[0])
            continue;
        buffer_text(s->b, "set arrow");
        put_place(s, "from", l->scale_right, y);
        put_place(s, "to", l->scale_right + 4, y);
        buffer_text(s->b, " nohead linewidth 1 linecolor rgb '#404040'\n"
                          "set label '");
        put_number(s->b, l->z.tick[k].text);
        buffer_char(s->b, '\'');
        put_place(s, "at", l->scale_right + 8, y);
        buffer_text(s->b, " left\n");
    }
    buffer_text(s->b, "set label ");
    put_text(s->b, s->p->z.label ? s->p->z.label : "", LAYOUT_TEXT,
             l->scale_bottom - l->scale_top + 12, false);
    put_place(s, "at", l->wide - 16, (l->scale_top + l->scale_bottom) / 2);
    buffer_text(s->b, " center rotate by 90 noenhanced\n");
}

/* ---- In space ------------------------------------------------------------------------ */

/* In front of the lines of the box: what is farther away comes first. */
static void put_face(const Script *s, const PlotSeries *faces, size_t k)
{
    char colour[8];
    pen_shade(colour, axis_share(&s->l.z, faces->z[k]));
    buffer_text(s->b, "set object polygon");
    for (size_t i = 0; i < 5; i++)
        buffer_format(s->b, " %s %.4f,%.4f", i ? "to" : "from",
                      faces->x[k + i % 4], faces->y[k + i % 4]);
    buffer_format(s->b,
                  " front fillcolor rgb '%s' fillstyle solid 1 border "
                  "linecolor rgb '#404040' linewidth 0.4\n",
                  colour);
}

static void put_space_text(const Script *s, const PlotText *t)
{
    int mantissa, exponent;
    bool power = t->number && axis_split(t->text, &mantissa, &exponent);
    buffer_text(s->b, "set label ");
    if (power) {
        buffer_char(s->b, '\'');
        put_number(s->b, t->text);
        buffer_char(s->b, '\'');
    } else {
        put_text(s->b, t->text, LAYOUT_TEXT, s->l.wide / 2, false);
    }
    buffer_format(s->b, " at %.4f,%.4f %s%s\n", t->x, t->y,
                  t->side > 0   ? "left"
                  : t->side < 0 ? "right"
                                : "center",
                  power ? "" : " noenhanced");
}

/* What a picture without axes has instead of them. */
static void put_space(const Script *s)
{
    buffer_text(s->b, "unset border\nunset tics\nunset grid\n");
    for (uint32_t k = 0; k < s->p->texts; k++)
        put_space_text(s, &s->p->text[k]);
    for (uint32_t k = 0; k < s->p->n; k++)
        for (size_t i = 0;
             s->p->series[k].style == PLOT_FACES && i < s->p->series[k].n;
             i += 4)
            put_face(s, &s->p->series[k], i);
}

/* ---- The script -------------------------------------------------------------------- */

static void put_frame(const Script *s)
{
    buffer_text(s->b, "reset session\nset encoding utf8\nset key off\n"
                      "set border 3 linecolor rgb '#404040'\n"
                      "set tics nomirror out scale 0.6\n"
                      "set grid xtics ytics linetype 1 linecolor rgb '#e0e0e0' "
                      "linewidth 1\n");
    buffer_format(s->b, "set lmargin at screen %.4f\n", s->l.left / s->l.wide);
    buffer_format(s->b, "set rmargin at screen %.4f\n", s->l.right / s->l.wide);
    if (s->l.panels == 1)
        put_axis(s->b, 'x', &s->l.x, false);
}

static void put_panel(const Script *s, uint32_t k)
{
    const LayoutPanel *l = &s->l.panel[k];
    bool last = k + 1 == s->l.panels;
    buffer_format(s->b, "set tmargin at screen %.4f\n", 1 - l->top / s->l.high);
    buffer_format(s->b, "set bmargin at screen %.4f\n",
                  1 - l->bottom / s->l.high);
    put_axis(s->b, 'y', &l->y, false);
    buffer_text(s->b, l->zero
                          ? "set xzeroaxis linetype 1 linecolor rgb '#a0a0a0' "
                            "linewidth 1\n"
                          : "unset xzeroaxis\n");
    put_y_label(s, k);
    if (k == 0) {
        put_title(s);
        put_note(s);
    }
    if (last) {
        put_x_label(s);
        put_legend(s);
        put_scale(s);
    }
    if (s->p->bare)
        put_space(s);
}

/* Panels one by one; only the last has numbers at its abscissa. */
static void put_panels(const Script *s)
{
    for (uint32_t k = 0; k < s->l.panels; k++) {
        bool first = k == 0, last = k + 1 == s->l.panels;
        buffer_format(s->b, "# ---- panel %u\n", k + 1);
        if (first)
            buffer_text(s->b, "set multiplot\n");
        buffer_text(s->b, "unset label\nunset arrow\nunset object\n"
                          "unset logscale y\n");
        if (first || last)
            put_axis(s->b, 'x', &s->l.x, !last);
        put_panel(s, k);
        put_plot(s, k);
    }
    buffer_text(s->b, "unset multiplot\n");
}

static void put_format(const Script *s, const ScriptFormat *f, const char *name)
{
    buffer_format(s->b,
                  "set terminal %s size %.6g%s,%.6g%s enhanced %s\n"
                  "set output '%s%s'\n",
                  f->terminal, f->scale * s->l.wide, f->unit,
                  f->scale * s->l.high, f->unit, f->settings, name, f->ending);
}

void plot_script(Buffer *b, const Plot *p, const char *name, unsigned wanted)
{
    Script s = {.b = b, .p = p};
    bool again = false;
    layout_make(&s.l, p, LAYOUT_SHEET);
    buffer_format(b, SCRIPT_HEAD ": gnuplot %s.gp draws it\n", name);
    if (p->always)
        buffer_text(b, script_always);
    else if (p->asked)
        buffer_format(b, "%s%s\n", script_asked, p->asked);
    put_frame(&s);
    if (s.l.panels == 1)
        put_panel(&s, 0);
    put_data(b, p);
    for (size_t k = 0; k < SCRIPT_FORMATS; k++) {
        if (!((wanted ? wanted : PLOT_SVG) & script_formats[k].bit))
            continue;
        put_format(&s, &script_formats[k], name);
        if (s.l.panels > 1)
            put_panels(&s);
        else if (again)
            buffer_text(b, "replot\n");
        else
            put_plot(&s, 0);
        buffer_text(b, "unset output\n");
        again = true;
    }
}
