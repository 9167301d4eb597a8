#include "graph/svg.h"

#include <string.h>

#include "base/html.h"
#include "plot/layout.h"
#include "plot/pen.h"

/* Other fonts than Helvetica are up to so much wider. */
static const double wider = 1.12;

/* Colours by day and by night. Programs that draw SVG know classes, but many know
   neither variables of CSS nor the night. */
typedef struct Palette {
    const char *ink, *soft, *line, *paper, *panel, *inner, *bad;
    const char *const *pen;
} Palette;

/* The pens in the dark, as in report/page.css. */
static const char *const dark[PEN_COLOURS] = {
    "#4aa8e0", "#f08030", "#2cc49a", "#e0a0c4", "#f0b840", "#8fd0f8", "#fff"};

static const Palette day = {"#1b1b1f", "#5c5f66", "#9a9fa8", "#fff",
                            "#f4f5f7", "#fff",    "#a63a00", pen_colours};

static const Palette night = {"#e6e7ea", "#a3a8b0", "#6a707a", "#16181c",
                              "#20242a", "#16181c", "#ff9d66", dark};

static const char rules[] =
    ".graph{font:13px Helvetica,Arial,'Liberation Sans',sans-serif}"
    ".graph .name{font-weight:700}"
    ".graph .head{font-size:15px;font-weight:700}"
    ".graph .soft{font-size:11px}"
    ".graph .tiny{font-size:10px}"
    ".graph .bad{font-size:11px}"
    ".graph .right{text-anchor:end}"
    ".graph .middle{text-anchor:middle}"
    ".graph .rule{fill:none}"
    ".graph .wire{fill:none;stroke:currentColor;stroke-width:1.6;"
    "stroke-linecap:square}"
    ".graph .thin{stroke-width:1.2}"
    ".graph .faint{opacity:.55}"
    ".graph .small{font-size:11px}"
    ".graph .loop{stroke-dasharray:5 3}"
    ".graph .mark{fill:currentColor;stroke:none}";

static void put_palette(Buffer *b, const Palette *p)
{
    buffer_format(b, ".graph{background:%s;fill:%s}", p->paper, p->ink);
    buffer_format(b, ".graph text{fill:%s;stroke:none}", p->ink);
    for (int k = 0; k < PEN_COLOURS; k++)
        buffer_format(b, ".graph .c%d{color:%s}", k, p->pen[k]);
    buffer_format(b, ".graph .soft,.graph .tiny{fill:%s}", p->soft);
    buffer_format(b, ".graph .bad{fill:%s}", p->bad);
    buffer_format(b, ".graph .box{fill:%s;stroke:%s}", p->panel, p->line);
    buffer_format(b, ".graph .frame{fill:%s;stroke:%s}", p->inner, p->line);
    buffer_format(b, ".graph .rule{stroke:%s}", p->line);
    buffer_format(b, ".graph .loop{stroke:%s}", p->bad);
    buffer_format(b, ".graph .signal{color:%s}", p->soft);
    buffer_text(b, ".graph text.c2{fill:currentColor}");
}

void svg_style(Buffer *b)
{
    buffer_text(b, "<style>");
    buffer_text(b, rules);
    put_palette(b, &day);
    buffer_text(b, "@media screen and (prefers-color-scheme:dark){");
    put_palette(b, &night);
    buffer_text(b, "}</style>\n");
}

void svg_begin_styled(Buffer *b, SvgSize size, const char *name)
{
    buffer_format(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" "
                  "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "role=\"img\" aria-label=\"",
                  size.wide, size.high, size.wide, size.high);
    html_text(b, name);
    buffer_text(b, "\">\n");
}

void svg_begin(Buffer *b, SvgSize size, const char *name)
{
    svg_begin_styled(b, size, name);
    svg_style(b);
}

void svg_end(Buffer *b)
{
    buffer_text(b, "</svg>\n");
}

static void put_place(Buffer *b, double x, double y, const char *kind)
{
    buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (kind[0])
        buffer_format(b, " class=\"%s\"", kind);
    buffer_char(b, '>');
}

void svg_text(Buffer *b, double x, double y, const char *kind, const char *text)
{
    put_place(b, x, y, kind);
    html_text(b, text);
    buffer_text(b, "</text>\n");
}

void svg_text_cut(Buffer *b, double x, double y, const char *kind,
                  const char *text, double size, double room)
{
    size_t n = strlen(text), fits = layout_fit(text, size, room / wider, false);
    if (fits == n) {
        svg_text(b, x, y, kind, text);
        return;
    }
    put_place(b, x, y, kind);
    html_bytes(b, text, layout_fit(text, size, room / wider - size, false));
    buffer_text(b, "\xE2\x80\xA6</text>\n");
}

void svg_hint(Buffer *b, const char *text)
{
    buffer_text(b, "<title>");
    html_text(b, text);
    buffer_text(b, "</title>");
}

double svg_wide(const char *text, double size)
{
    return wider * layout_measure(text, strlen(text), size);
}
