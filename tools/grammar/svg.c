#include "grammar/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/layout.h"

static const Metrics metrics = {.max_width = 760,
                                .pad = 20,
                                .char_width = 8,
                                .half = 12,
                                .gap = 12,
                                .between = 9,
                                .turn = 8};

#define MARGIN 10
#define TITLE  28 // room for the name of the rule

/* For both the single files and the page. Text and tracks follow the reader's
   colour scheme. */
static const char style[] =
    "svg text { font: 13px ui-monospace, Menlo, Consolas, monospace; "
    "text-anchor: middle; fill: #1d2733 }\n"
    "svg .title { font-weight: bold; text-anchor: start }\n"
    "svg path { fill: none; stroke: #5c6b7a; stroke-width: 1.5 }\n"
    "svg .arrow { fill: #5c6b7a; stroke: none }\n"
    "svg rect { stroke-width: 1.3 }\n"
    "svg .word rect { fill: #e3edfb; stroke: #4a74b0 }\n"
    "svg .option rect { fill: #fdf3d9; stroke: #b08a2e }\n"
    "svg .option text { font-style: italic }\n"
    "svg .class rect { fill: #e6f4e6; stroke: #4f8f52 }\n"
    "svg .rule rect { fill: #f4f4f6; stroke: #7d8590 }\n"
    "svg a { cursor: pointer; text-decoration: none }\n"
    "svg a:hover rect { stroke-width: 2.4 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "svg text { fill: #e6e9ee }\n"
    "svg path { stroke: #93a1b0 }\n"
    "svg .arrow { fill: #93a1b0 }\n"
    "svg .word rect { fill: #1f3352; stroke: #6f9ad6 }\n"
    "svg .option rect { fill: #423512; stroke: #cfa94a }\n"
    "svg .class rect { fill: #1e3a21; stroke: #72b376 }\n"
    "svg .rule rect { fill: #2a2e35; stroke: #8d96a3 }\n"
    "}\n";

/* ---- Parts --------------------------------------------------------------- */

static void write_escaped(Buffer *b, const char *s, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        switch (s[k]) {
        case '<': buffer_text(b, "&lt;"); break;
        case '>': buffer_text(b, "&gt;"); break;
        case '&': buffer_text(b, "&amp;"); break;
        case '"': buffer_text(b, "&quot;"); break;
        default: buffer_char(b, s[k]);
        }
    }
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int sign(int n)
{
    return n > 0 ? 1 : n < 0 ? -1 : 0;
}

static int segment(const Track *t, int from)
{
    if (from < 0 || from + 1 >= t->points)
        return 0;
    return abs(t->x[from + 1] - t->x[from]) + abs(t->y[from + 1] - t->y[from]);
}

/* Room for a bend on a segment: half of it if another bend leads to the next
   segment. */
static int bend_room(const Track *t, int from, int beyond)
{
    int length = segment(t, from);
    return segment(t, beyond) > 0 ? length / 2 : length;
}

static void write_track(Buffer *b, const Track *t)
{
    buffer_format(b, "<path d=\"M%d %d", t->x[0], t->y[0]);
    for (int k = 1; k + 1 < t->points; k++) {
        int before = bend_room(t, k - 1, k - 2);
        int after = bend_room(t, k, k + 1);
        int r = min(metrics.turn, min(before, after));
        int x = t->x[k], y = t->y[k];
        buffer_format(b, "L%d %dQ%d %d %d %d", x - r * sign(x - t->x[k - 1]),
                      y - r * sign(y - t->y[k - 1]), x, y,
                      x + r * sign(t->x[k + 1] - x),
                      y + r * sign(t->y[k + 1] - y));
    }
    buffer_format(b, "L%d %d\"/>\n", t->x[t->points - 1], t->y[t->points - 1]);
}

static const char *box_class(const Box *box)
{
    if (box->symbol == NULL)
        return "rule";
    switch (box->symbol->kind) {
    case SYMBOL_OPTION: return "option";
    case SYMBOL_CLASS: return "class";
    default: return "word";
    }
}

static void write_box(Buffer *b, const Box *box, bool page)
{
    const char *text = box_text(box->symbol, box->rule);
    int height = 2 * metrics.half;
    bool link = box->rule != NULL;
    if (link && page)
        buffer_format(b, "<a href=\"#%s\">", text);
    else if (link)
        buffer_format(b, "<a href=\"%s.svg\">", text);
    buffer_format(b, "<g class=\"%s\">", box_class(box));
    buffer_format(b,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                  "rx=\"%d\"/>",
                  box->x, box->y - metrics.half, box->width, height,
                  link ? 0 : metrics.half);
    buffer_format(b, "<text x=\"%d\" y=\"%d\">", box->x + box->width / 2,
                  box->y + 4);
    write_escaped(b, text, strlen(text));
    buffer_format(b, "</text></g>%s\n", link ? "</a>" : "");
}

static void write_ends(Buffer *b, const Drawing *d)
{
    for (int k = 0; k < 2; k++)
        buffer_format(b, "<path d=\"M%d %dv16\"/>\n", 4 * k, d->start_y - 8);
    for (int k = 0; k < 2; k++)
        buffer_format(b, "<path d=\"M%d %dv16\"/>\n", d->end_x - 4 * k,
                      d->end_y - 8);
}

static void write_drawing(Buffer *b, const Drawing *d, bool page)
{
    const Track *track = (const Track *)(const void *)d->tracks.bytes;
    const Arrow *arrow = (const Arrow *)(const void *)d->arrows.bytes;
    const Box *box = (const Box *)(const void *)d->boxes.bytes;
    for (size_t k = 0; k < d->tracks.used / sizeof *track; k++)
        write_track(b, &track[k]);
    for (size_t k = 0; k < d->arrows.used / sizeof *arrow; k++)
        buffer_format(b, "<path class=\"arrow\" d=\"M%d %dl8 -4v8z\"/>\n",
                      arrow[k].x - 4, arrow[k].y);
    write_ends(b, d);
    for (size_t k = 0; k < d->boxes.used / sizeof *box; k++)
        write_box(b, &box[k], page);
}

/* ---- Files --------------------------------------------------------------- */

static void write_svg(Buffer *b, const Grammar *g, const Rule *rule, bool page)
{
    Drawing d;
    drawing_make(&d, g, rule, &metrics);
    int top = MARGIN + (page ? 0 : TITLE);
    int width = d.width + 2 * MARGIN, height = d.height + top + MARGIN;
    buffer_format(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
                  width, height, width, height);
    if (!page) {
        buffer_format(b, "<title>%s</title>\n<style>\n%s</style>\n", rule->name,
                      style);
        buffer_format(b, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n",
                      MARGIN, MARGIN + 12, rule->name);
    }
    buffer_format(b, "<g transform=\"translate(%d.5 %d.5)\">\n", MARGIN, top);
    write_drawing(b, &d, page);
    buffer_text(b, "</g>\n</svg>\n");
    b->broken = b->broken || d.broken;
    drawing_free(&d);
}

void diagram_svg(Buffer *b, const Grammar *g, const Rule *rule)
{
    write_svg(b, g, rule, false);
}

static bool mentions(const Item *i, uint32_t rule)
{
    if (i->kind == ITEM_RULE && i->index == rule)
        return true;
    for (const Item *part = i->first; part != NULL; part = part->next) {
        if (mentions(part, rule))
            return true;
    }
    return false;
}

static void write_users(Buffer *b, const Grammar *g, const uint32_t *order,
                        uint32_t rule)
{
    const char *before = "Used in ";
    for (uint32_t k = 0; k < g->rules; k++) {
        const Rule *user = &g->rule[order[k]];
        if (!mentions(user->body, rule))
            continue;
        buffer_format(b, "%s<a href=\"#%s\">%s</a>", before, user->name,
                      user->name);
        before = ", ";
    }
}

static void write_rule(Buffer *b, const Grammar *g, const uint32_t *order,
                       uint32_t number)
{
    const Rule *rule = &g->rule[number];
    buffer_format(b, "<h3 id=\"%s\">%s</h3>\n", rule->name, rule->name);
    write_svg(b, g, rule, true);
    buffer_text(b, "<pre>");
    write_escaped(b, g->text + rule->text.start, rule->text.length);
    buffer_text(b, "</pre>\n<p class=\"users\">");
    write_users(b, g, order, number);
    buffer_text(b, "</p>\n");
}

/* Rules are numbered as they are encountered, but shown as they are defined. */
static void order_rules(const Grammar *g, uint32_t *order)
{
    for (uint32_t k = 0; k < g->rules; k++) {
        uint32_t at = k;
        for (; at > 0 && g->rule[order[at - 1]].at.start > g->rule[k].at.start;
             at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

static const char page_style[] =
    "body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; "
    "max-width: 820px; padding: 0 1em; color: #1d2733; background: #fff }\n"
    "pre { font: 13px ui-monospace, Menlo, Consolas, monospace; "
    "overflow-x: auto; opacity: .75; margin: .3em 0 }\n"
    "svg { max-width: 100%; height: auto }\n"
    "h2 { margin-top: 2.5em; border-bottom: 1px solid #8886 }\n"
    "h3 { margin: 2em 0 .3em; font-size: 1.05em }\n"
    ".users { font-size: 13px; opacity: .75; margin: .2em 0 }\n"
    "a { color: #2f62b0 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "body { color: #e6e9ee; background: #15181d }\n"
    "a { color: #86b1f0 }\n"
    "}\n";

static const char *section_name(const Rule *rule)
{
    return rule->section[0] == '\0' ? "Program" : rule->section;
}

static void write_contents(Buffer *b, const Grammar *g, const uint32_t *order)
{
    const char *section = NULL;
    buffer_text(b, "<nav>");
    for (uint32_t k = 0; k < g->rules; k++) {
        const Rule *rule = &g->rule[order[k]];
        if (section == NULL || strcmp(section, section_name(rule)) != 0) {
            section = section_name(rule);
            buffer_format(b, "\n<p><b>%s</b>: ", section);
        } else {
            buffer_text(b, ",\n");
        }
        buffer_format(b, "<a href=\"#%s\">%s</a>", rule->name, rule->name);
    }
    buffer_text(b, "</nav>\n");
}

void diagram_page(Buffer *b, const Grammar *g)
{
    uint32_t order[RULE_LIMIT];
    const char *section = NULL;
    order_rules(g, order);
    buffer_text(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n"
                   "<title>COSY: syntax diagrams</title>\n<style>\n");
    buffer_text(b, page_style);
    buffer_text(b, style);
    buffer_text(b, "</style>\n</head>\n<body>\n<h1>Syntax diagrams</h1>\n");
    write_contents(b, g, order);
    for (uint32_t k = 0; k < g->rules; k++) {
        const Rule *rule = &g->rule[order[k]];
        if (section == NULL || strcmp(section, section_name(rule)) != 0) {
            section = section_name(rule);
            buffer_format(b, "<h2>%s</h2>\n", section);
        }
        write_rule(b, g, order, order[k]);
    }
    buffer_text(b, "</body>\n</html>\n");
}
