#include "report/draw.h"

#include <math.h>

#include "base/html.h"
#include "plot/pen.h"

/* ---- Colours --------------------------------------------------------------------- */

/* A place on the bar of colours, which has so many: equal ones can be drawn as one. */
static int shade_of(const Axis *scale, double z)
{
    double share = fmin(fmax(axis_share(scale, z), 0), 1);
    int k = (int)(share * LAYOUT_SHADES);
    return k < LAYOUT_SHADES ? k : LAYOUT_SHADES - 1;
}

static void shade_colour(char colour[8], int shade)
{
    pen_shade(colour, (shade + 0.5) / LAYOUT_SHADES);
}

/* ---- Tiles ------------------------------------------------------------------------- */

/* They overlap a little: between neighbours nothing of the paper is seen. */
#define OVERLAP 0.3

static void put_tile(Buffer *b, const Picture *g, const PlotSeries *s, size_t k)
{
    char colour[8];
    double left = picture_across(g, s->x[k]);
    double top = picture_down(g, s->panel, s->y2[k]);
    pen_shade(colour, axis_share(&g->l.z, s->z[k]));
    buffer_format(b,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\" fill=\"%s\"/>",
                  left, top, picture_across(g, s->x2[k]) - left + OVERLAP,
                  picture_down(g, s->panel, s->y[k]) - top + OVERLAP, colour);
}

/* Tiles from k to `last` in a row. */
static void put_run(Buffer *b, const Picture *g, const PlotSeries *s, size_t k,
                    size_t last)
{
    double left = picture_across(g, s->x[k]);
    double top = picture_down(g, s->panel, s->y2[k]);
    double wide = picture_across(g, s->x2[last]) - left + OVERLAP;
    buffer_format(b, "M%.1f %.1fh%.1fv%.1fh%.1fz", left, top, wide,
                  picture_down(g, s->panel, s->y[k]) - top + OVERLAP, -wide);
}

/* The shade of each tile of a table, -1 for one without a value; NULL: no memory. */
static signed char *find_shades(const Picture *g, const PlotSeries *s)
{
    signed char *shade = NEW_ARRAY(g->arena, signed char, s->n);
    for (size_t k = 0; shade && k < s->n; k++)
        shade[k] =
            plot_has(s, k) ? (signed char)shade_of(&g->l.z, s->z[k]) : -1;
    return shade;
}

/* A table is one path for each colour, in which neighbours in a row are one piece: it
   is a small part of what as many tiles are. */
static void put_table(Buffer *b, const Picture *g, const PlotSeries *s)
{
    const signed char *shade = find_shades(g, s);
    for (int one = 0; shade && one < LAYOUT_SHADES; one++) {
        bool any = false;
        for (size_t k = 0, next; k < s->n; k = next) {
            for (next = k + 1;
                 next < s->n && next % s->columns && shade[next] == shade[k];
                 next++)
                ;
            char colour[8];
            if (shade[k] != one)
                continue;
            shade_colour(colour, one);
            if (!any)
                buffer_format(b, "<path class=\"tiles\" fill=\"%s\" d=\"",
                              colour);
            any = true;
            put_run(b, g, s, k, next - 1);
        }
        buffer_text(b, any ? "\"/>" : "");
    }
}

void areas_tiles(Buffer *b, const Picture *g, const PlotSeries *s)
{
    if (s->columns) {
        put_table(b, g, s);
        return;
    }
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            put_tile(b, g, s, k);
}

/* ---- Faces ------------------------------------------------------------------------- */

void areas_faces(Buffer *b, const Picture *g, const PlotSeries *s)
{
    for (size_t k = 0; k + 3 < s->n; k += 4) {
        char colour[8];
        shade_colour(colour, shade_of(&g->l.z, s->z[k]));
        buffer_format(b, "<path class=\"faces\" fill=\"%s\" d=\"", colour);
        for (size_t i = k; i < k + 4; i++)
            buffer_format(b, "%c%.1f %.1f", i == k ? 'M' : 'L',
                          picture_across(g, s->x[i]),
                          picture_down(g, s->panel, s->y[i]));
        buffer_text(b, "z\"/>");
    }
}

void areas_texts(Buffer *b, const Picture *g)
{
    for (uint32_t k = 0; k < g->p->texts; k++) {
        const PlotText *t = &g->p->text[k];
        buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                      picture_across(g, t->x), picture_down(g, 0, t->y) + 4,
                      t->side > 0   ? "start"
                      : t->side < 0 ? "end"
                                    : "middle");
        html_text(b, t->text);
        buffer_text(b, "</text>");
    }
}

/* ---- For the script ----------------------------------------------------------------- */

static void put_share(Buffer *b, const Axis *a, double v)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                                "uvwxyz0123456789-_";
    double share = isfinite(v) ? axis_share(a, v) : -1;
    int code = 4095;
    if (share > -1e-9 && share < 1 + 1e-9)
        code = (int)(fmin(fmax(share, 0), 1) * 4094 + 0.5);
    buffer_char(b, digit[code >> 6]);
    buffer_char(b, digit[code & 63]);
}

static void put_edges(Buffer *b, const char *name, const double *from,
                      const double *to, size_t n, size_t step)
{
    buffer_format(b, ",\"%s\":[", name);
    for (size_t k = 0; k < n; k++)
        buffer_format(b, "%.6g,", from[k * step]);
    buffer_format(b, "%.6g]", to[(n - 1) * step]);
}

void areas_table_data(Buffer *b, const PlotSeries *s, const Axis *scale)
{
    size_t rows = s->n / s->columns;
    buffer_format(b, ",\"columns\":%u", s->columns);
    put_edges(b, "xs", s->x, s->x2, s->columns, 1);
    put_edges(b, "ys", s->y, s->y2, rows, s->columns);
    buffer_text(b, ",\"data\":\"");
    for (size_t k = 0; k < s->n; k++)
        put_share(b, scale, s->z[k]);
    buffer_text(b, "\"}");
}

/* Corners of a face, then its colour as a place on the bar. */
void areas_face_data(Buffer *b, const PlotSeries *s, const Axis *scale)
{
    buffer_text(b, ",\"data\":[");
    for (size_t k = 0; k + 3 < s->n; k += 4) {
        for (size_t i = k; i < k + 4; i++)
            buffer_format(b, "%s%.4g,%.4g", i ? "," : "", s->x[i], s->y[i]);
        buffer_format(b, ",%d", shade_of(scale, s->z[k]));
    }
    buffer_text(b, "]}");
}

void areas_text_data(Buffer *b, const Plot *p)
{
    if (!p->bare)
        return;
    buffer_text(b, ",\"texts\":[");
    for (uint32_t k = 0; k < p->texts; k++) {
        buffer_format(b, "%s[%.5g,%.5g,%d,%s,", k ? "," : "", p->text[k].x,
                      p->text[k].y, p->text[k].side,
                      p->text[k].number ? "true" : "false");
        html_json(b, p->text[k].text);
        buffer_char(b, ']');
    }
    buffer_char(b, ']');
}

/* Values of the first series in each frame, as shares of the axis that tells them. */
void areas_film_data(Buffer *b, const Picture *g)
{
    const PlotFilm *f = &g->p->film;
    const PlotSeries *s = g->p->series;
    const Axis *a = NULL;
    if (f->frames == 0)
        return;
    a = s->style == PLOT_TILES ? &g->l.z : &g->l.panel[s->panel].y;
    buffer_text(b, ",\"film\":{\"label\":");
    html_json(b, f->label);
    buffer_text(b, ",\"at\":[");
    for (size_t k = 0; k < f->frames; k++)
        buffer_format(b, "%s%.6g", k ? "," : "", f->time[k]);
    buffer_text(b, "],\"data\":\"");
    for (size_t k = 0; k < f->frames * s->n; k++)
        put_share(b, a, f->value[k]);
    buffer_text(b, "\"}");
}
