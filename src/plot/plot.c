#include "plot/plot.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* The first line of every script. */
#define SCRIPT_HEAD "# COSY graph"

/* Colours that most people can tell apart (Okabe and Ito, 2008). */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#E69F00", "#56B4E9",
                                      "#000000"};

void plot_name(Buffer *b, uint32_t number, const char *title)
{
    enum { LONGEST = 60 };
    size_t before;
    bool gap = true;
    buffer_format(b, "%02u", number);
    before = b->v.used;
    for (const char *s = title; *s && b->v.used - before < LONGEST; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 128 && isalnum(c)) {
            if (gap)
                buffer_char(b, '-');
            buffer_char(b, (char)tolower(c));
        }
        gap = !(c < 128 && isalnum(c));
    }
    if (b->v.used == before)
        buffer_text(b, "-graph");
}

Plot plot_panel(const Plot *p, uint32_t panel, PlotSeries *series)
{
    Plot one = *p;
    one.y = *plot_ordinate(p, panel);
    one.lower = NULL;
    one.lowers = one.n = 0;
    one.series = series;
    if (panel > 0)
        one.title = one.y.label;
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->series[k].panel != panel)
            continue;
        series[one.n] = p->series[k];
        series[one.n++].panel = 0;
    }
    return one;
}

/* ---- Texts -------------------------------------------------------------------- */

/* One character in the quotation marks of gnuplot that take all as they are;
   what cannot stand in a picture is a blank or a question mark. */
static size_t put_char(Buffer *b, const char *s)
{
    size_t n = text_char_length(s, strnlen(s, 4));
    if (n == 0)
        buffer_char(b, '?');
    else if (n == 1 && ((unsigned char)*s < ' ' || *s == 127))
        buffer_char(b, ' ');
    else if (*s == '\'')
        buffer_text(b,
                    "'.\"'\".'"); // gnuplot stumbles over '' at the beginning
    else
        buffer_bytes(b, s, n);
    return n ? n : 1;
}

/* At most so many characters; what is cut off leaves three points. */
static void put_text(Buffer *b, const char *text, size_t most)
{
    bool cut = text_char_count(text, strlen(text)) > most;
    buffer_char(b, '\'');
    for (size_t k = 0; *text && k + (cut ? 3 : 0) < most; k++)
        text += put_char(b, text);
    buffer_text(b, cut ? "...'" : "'");
}

/* Bytes of `text` that fill a line: up to a blank, if there is one. */
static size_t line_length(const char *text, size_t room)
{
    size_t n = 0, blank = 0;
    for (size_t k = 0; k < room && text[n]; k++) {
        size_t more = text_char_length(text + n, strnlen(text + n, 4));
        if (text[n] == ' ')
            blank = n;
        n += more ? more : 1;
    }
    return text[n] && blank > n / 2 ? blank : n;
}

/* A title in at most two lines. */
static void put_title(Buffer *b, const char *text, size_t room)
{
    size_t first = line_length(text, room);
    buffer_char(b, '\'');
    for (size_t k = 0; k < first;)
        k += put_char(b, text + k);
    buffer_char(b, '\'');
    if (!text[first])
        return;
    buffer_text(b, ".\"\\n\".");
    put_text(b, text + first + (text[first] == ' '), room);
}

/* ---- Data --------------------------------------------------------------------- */

static void put_row(Buffer *b, const PlotSeries *s, size_t k)
{
    if (!isfinite(s->x[k]) || !isfinite(s->y[k])) {
        buffer_char(b, '\n'); // a gap in the curve
        return;
    }
    buffer_format(b, "%.9g ", s->x[k]);
    if (s->style == PLOT_CELLS)
        buffer_format(b, "%.9g ", s->x2[k]);
    buffer_format(b, "%.9g\n", s->y[k]);
}

static bool is_empty(const PlotSeries *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (isfinite(s->x[k]) && isfinite(s->y[k]))
            return false;
    return true;
}

static void put_data(Buffer *b, const Plot *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        if (is_empty(&p->series[k]))
            continue;
        buffer_format(b, "$series%u << END\n", k + 1);
        for (size_t i = 0; i < p->series[k].n; i++)
            put_row(b, &p->series[k], i);
        buffer_text(b, "END\n");
    }
}

/* ---- Settings ------------------------------------------------------------------- */

static void put_axis(Buffer *b, const char *which, const PlotAxis *a)
{
    buffer_format(b, "set %slabel ", which);
    put_text(b, a->label ? a->label : "", 70);
    buffer_text(b, which[0] == 'x' ? " offset 0,0.4\n" : "\n");
    if (a->logarithmic)
        buffer_format(b, "set logscale %s\n", which);
    if (a->low <= a->high)
        buffer_format(b, "set %srange [%.9g:%.9g]\n", which, a->low, a->high);
    else if (a->from_zero)
        buffer_format(b, "set %srange [0:*]\n", which);
    else if (which[0] == 'x')
        buffer_text(b, "set xrange [*:*] noextend\n");
}

static bool has_legend(const Plot *p)
{
    uint32_t named = 0;
    for (uint32_t k = 0; k < p->n; k++)
        named += p->series[k].name && p->series[k].name[0] &&
                 !is_empty(&p->series[k]);
    return named > 1;
}

/* Steps over a few whole numbers: the axis has no others. */
static bool is_whole(const Plot *p)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < p->n; k++)
        for (size_t i = 0; i < p->series[k].n; i++) {
            double y = p->series[k].y[i];
            if (p->series[k].style != PLOT_STEPS || y != floor(y))
                return false;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    return high - low <= 10 && !p->y.logarithmic;
}

/* In pixels of an SVG, whatever FACTOR says. */
static double side(double size, double factor)
{
    double n = size * (factor > 0 ? factor : 1);
    return fmin(fmax(n, 160), 8000);
}

static void put_settings(Buffer *b, const Plot *p)
{
    buffer_text(b, "set title ");
    put_title(b, p->title, (size_t)(side(800, p->wide) / 10));
    buffer_text(b, " font ',16'\n");
    put_axis(b, "x", &p->x);
    put_axis(b, "y", &p->y);
    buffer_text(b, "set border 3 linecolor rgb '#404040'\n"
                   "set tics nomirror out\n"
                   "set xzeroaxis linecolor rgb '#a0a0a0' linewidth 1\n"
                   "set grid ytics linecolor rgb '#d8d8d8' linewidth 1\n");
    if (is_whole(p))
        buffer_text(b, "set ytics 1\n");
    buffer_text(b, has_legend(p) ? "set key tmargin center horizontal "
                                   "samplen 2.5 maxrows 8\n"
                                 : "set key off\n");
}

/* ---- Pictures --------------------------------------------------------------- */

typedef struct Format {
    unsigned bit;
    const char *ending, *begins; // of the file
    const char *terminal;        // of gnuplot
    double scale;                // its size, of that of an SVG
    const char *unit;            // of that
    const char *settings;
} Format;

static const Format formats[] = {
    {PLOT_SVG, ".svg", "<?xml", "svg", 1, "",
     "font 'Helvetica,14' background rgb 'white'"},
    {PLOT_PDF, ".pdf", "%PDF", "pdfcairo", 0.025, "cm",
     "font 'Helvetica,11' background rgb 'white'"},
    {PLOT_PNG, ".png", "\x89PNG", "pngcairo", 2, "",
     "font 'Helvetica,13' fontscale 1.6 linewidth 2 pointscale 2 "
     "background rgb 'white'"}};

static void put_format(Buffer *b, const Plot *p, const Format *f,
                       const char *name)
{
    double wide = f->scale * side(800, p->wide);
    double high = f->scale * side(480, p->high);
    buffer_format(b, "set terminal %s size %.6g%s,%.6g%s noenhanced %s\n",
                  f->terminal, wide, f->unit, high, f->unit, f->settings);
    buffer_format(b, "set output '%s%s'\n", name, f->ending);
}

/* ---- The plot command -------------------------------------------------------------- */

/* Curves beyond so many are shades from dark to light, in their order. */
enum { TOLD_APART = 14 };

/* Colours from dark blue over green to yellow, by share from 0 to 1. */
static void put_shade(Buffer *b, double share)
{
    static const int shade[][3] = {{68, 1, 84},
                                   {59, 82, 139},
                                   {33, 145, 140},
                                   {94, 201, 98},
                                   {230, 200, 20}};
    double at = share * (LENGTH(shade) - 1);
    size_t k = at >= LENGTH(shade) - 1 ? LENGTH(shade) - 2 : (size_t)at;
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)(shade[k][i] +
                            (at - (double)k) * (shade[k + 1][i] - shade[k][i]));
    buffer_format(b, " linecolor rgb '#%02X%02X%02X'", rgb[0], rgb[1], rgb[2]);
}

/* Of curve k of n: a colour of its own; the second seven are dashed. */
static void put_colour(Buffer *b, uint32_t k, uint32_t n)
{
    if (n > TOLD_APART) {
        put_shade(b, (double)k / (n - 1));
        return;
    }
    buffer_format(b, " linecolor rgb '%s'", colours[k % LENGTH(colours)]);
    if (k >= LENGTH(colours))
        buffer_text(b, " dashtype 2");
}

static void put_faint(Buffer *b, PlotStyle style)
{
    switch (style) {
    case PLOT_LINES:
    case PLOT_STEPS:
        buffer_format(b,
                      "using 1:2 with %s linewidth 9 linecolor rgb '#d9d9d9'",
                      style == PLOT_LINES ? "lines" : "steps");
        break;
    case PLOT_POINTS:
        buffer_text(b, "using 1:2 with points pointtype 6 pointsize 0.7 "
                       "linewidth 1 linecolor rgb '#303030'");
        break;
    case PLOT_CELLS:
        buffer_text(b, "using (($1+$2)/2):($3/2):1:2:(0):3 with boxxyerror "
                       "fillstyle solid 0.25 border rgb '#ffffff' linewidth 1 "
                       "linecolor rgb '#0072B2'");
        break;
    }
}

static void put_style(Buffer *b, PlotStyle style)
{
    switch (style) {
    case PLOT_LINES: buffer_text(b, "using 1:2 with lines linewidth 2"); break;
    case PLOT_POINTS:
        buffer_text(b, "using 1:2 with points pointtype 7 pointsize 0.6");
        break;
    case PLOT_STEPS:
        buffer_text(b, "using 1:2 with steps linewidth 1.5");
        break;
    case PLOT_CELLS:
        buffer_text(b, "using (($1+$2)/2):($3/2):1:2:(0):3 with boxxyerror "
                       "fillstyle solid 0.7 border rgb '#ffffff' linewidth 1");
        break;
    }
}

static uint32_t count_curves(const Plot *p)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n; k++)
        n += !p->series[k].faint;
    return n;
}

/* One that is empty has its colour all the same. */
static void put_series(Buffer *b, const Plot *p, uint32_t k, uint32_t colour)
{
    const PlotSeries *s = &p->series[k];
    if (s->faint) {
        put_faint(b, s->style);
    } else {
        put_style(b, s->style);
        put_colour(b, colour, count_curves(p));
    }
    if (s->name && s->name[0]) {
        buffer_text(b, " title ");
        put_text(b, s->name, 60);
    } else {
        buffer_text(b, " notitle");
    }
}

static void put_plot(Buffer *b, const Plot *p)
{
    uint32_t colour = 0, drawn = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        if (!is_empty(&p->series[k])) {
            buffer_format(b, "%s$series%u ", drawn++ ? ", \\\n     " : "plot ",
                          k + 1);
            put_series(b, p, k, colour);
        }
        colour += !p->series[k].faint;
    }
    if (!drawn)
        buffer_text(b, "set label 'nothing to be seen' at graph 0.5,0.5 "
                       "center\nunset logscale\n"
                       "plot [0:1] [0:1] -1 notitle");
    buffer_char(b, '\n');
}

void plot_script(Buffer *b, const Plot *p, const char *name, unsigned wanted)
{
    bool again = false;
    buffer_format(b, SCRIPT_HEAD ": gnuplot %s.gp draws it\n", name);
    buffer_text(b, "reset session\nset encoding utf8\n");
    put_settings(b, p);
    put_data(b, p);
    for (size_t k = 0; k < LENGTH(formats); k++) {
        if (!((wanted ? wanted : PLOT_SVG) & formats[k].bit))
            continue;
        put_format(b, p, &formats[k], name);
        if (again)
            buffer_text(b, "replot\n");
        else
            put_plot(b, p);
        buffer_text(b, "unset output\n");
        again = true;
    }
}

Status plot_write(const Plot *p, const char *dir, const char *name,
                  unsigned wanted, Fault *f)
{
    Buffer path = {0}, text = {0};
    Status s = dir_make(dir, f);
    plot_script(&text, p, name, wanted);
    buffer_format(&path, "%s/%s.gp", dir, name);
    if (s == STATUS_OK && (text.broken || path.broken))
        s = fault_set(f, STATUS_MEMORY, "%s: no memory for %s.gp", dir, name);
    if (s == STATUS_OK)
        s = file_put(buffer_string(&path), text.v.bytes, text.v.used, f);
    buffer_free(&path);
    buffer_free(&text);
    return s;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

bool plot_is_own(const char *name, const char *beginning)
{
    if (!isdigit((unsigned char)name[0]) || !isdigit((unsigned char)name[1]))
        return false;
    if (ends_in(name, ".gp"))
        return strncmp(beginning, SCRIPT_HEAD, strlen(SCRIPT_HEAD)) == 0;
    for (size_t k = 0; k < LENGTH(formats); k++)
        if (ends_in(name, formats[k].ending))
            return strncmp(beginning, formats[k].begins,
                           strlen(formats[k].begins)) == 0;
    return false;
}
