#include "plot/plot.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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

/* In the quotation marks of gnuplot that take every character as it is. */
static void put_text(Buffer *b, const char *text)
{
    buffer_char(b, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buffer_char(b, '\'');
        buffer_char(b, *text == '\n' ? ' ' : *text);
    }
    buffer_char(b, '\'');
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

static void put_data(Buffer *b, const Plot *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
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
    put_text(b, a->label ? a->label : "");
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
    uint32_t names = 0;
    for (uint32_t k = 0; k < p->n; k++)
        names += p->series[k].name && p->series[k].name[0];
    return names > 1;
}

static void put_settings(Buffer *b, const Plot *p, const char *name)
{
    double wide = p->wide > 0 ? p->wide : 1, high = p->high > 0 ? p->high : 1;
    buffer_format(b,
                  "reset session\n"
                  "set terminal svg size %.0f,%.0f noenhanced "
                  "font 'Helvetica,14' background rgb 'white'\n",
                  800 * wide, 480 * high);
    buffer_text(b, "set output ");
    buffer_format(b, "'%s.svg'\n", name);
    buffer_text(b, "set title ");
    put_text(b, p->title);
    buffer_text(b, " font ',16'\n");
    put_axis(b, "x", &p->x);
    put_axis(b, "y", &p->y);
    buffer_text(b, "set border 3 linecolor rgb '#404040'\n"
                   "set tics nomirror out\n"
                   "set grid ytics linecolor rgb '#d8d8d8' linewidth 1\n");
    buffer_text(b, has_legend(p) ? "set key outside below center horizontal\n"
                                 : "set key off\n");
}

/* ---- The plot command -------------------------------------------------------------- */

static void put_style(Buffer *b, const PlotSeries *s, const char *colour)
{
    switch (s->style) {
    case PLOT_LINES:
        buffer_format(b, "using 1:2 with lines linewidth 2 linecolor rgb '%s'",
                      colour);
        break;
    case PLOT_POINTS:
        buffer_format(b,
                      "using 1:2 with points pointtype 7 pointsize 0.6 "
                      "linecolor rgb '%s'",
                      colour);
        break;
    case PLOT_STEPS:
        buffer_format(
            b, "using 1:2 with steps linewidth 1.5 linecolor rgb '%s'", colour);
        break;
    case PLOT_CELLS:
        buffer_format(b,
                      "using (($1+$2)/2):($3/2):1:2:(0):3 with boxxyerror "
                      "fillstyle solid %s border rgb '%s' linewidth 1 "
                      "linecolor rgb '%s'",
                      s->faint ? "0.25" : "0.7", "#ffffff", colour);
        break;
    }
}

static void put_plot(Buffer *b, const Plot *p)
{
    uint32_t colour = 0;
    buffer_text(b, "plot ");
    for (uint32_t k = 0; k < p->n; k++) {
        const PlotSeries *s = &p->series[k];
        buffer_format(b, "%s$series%u ", k ? ", \\\n     " : "", k + 1);
        put_style(b, s, colours[s->faint ? 0 : colour % LENGTH(colours)]);
        colour += !s->faint;
        if (s->name && s->name[0]) {
            buffer_text(b, " title ");
            put_text(b, s->name);
        } else {
            buffer_text(b, " notitle");
        }
    }
    buffer_text(b, "\nunset output\n");
}

void plot_script(Buffer *b, const Plot *p, const char *name)
{
    buffer_format(b, SCRIPT_HEAD ": gnuplot %s.gp makes %s.svg\n", name, name);
    put_settings(b, p, name);
    put_data(b, p);
    put_plot(b, p);
}

Status plot_write(const Plot *p, const char *dir, const char *name, Fault *f)
{
    Buffer path = {0}, text = {0};
    Status s = dir_make(dir, f);
    plot_script(&text, p, name);
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
    return ends_in(name, ".svg") && strncmp(beginning, "<?xml", 5) == 0;
}
