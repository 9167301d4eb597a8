#include <string.h>

#include "base/html.h"
#include "graph/diagram.h"
#include "graph/graph.h"
#include "graph/svg.h"
#include "plot/pen.h"

/* A diagram as SVG. */

enum {
    CELL = DIAGRAM_CELL,
    MARGIN = 2, // pixels beside everything
    HEADING = 30,
    LEGEND_LINE = 20,
    COLOURS = PEN_COLOURS - 1 // of wires: without black
};

/* ---- Kinds of wires ------------------------------------------------------------- */

static void put_colour(Buffer *b, const Diagram *d, uint32_t joint)
{
    if (d->parts->joint[joint].signal)
        buffer_text(b, "signal");
    else
        buffer_format(b, "c%u", d->kind[joint] % COLOURS);
}

static const char *kind_name(const Diagram *d, uint32_t kind)
{
    const UnitJoint *j = &d->parts->joint[d->example[kind]];
    return j->signal ? "signal" : j->type;
}

/* ---- Boxes ------------------------------------------------------------------------- */

static void put_rectangle(Buffer *b, const char *kind, double x, double y,
                          double wide, double high)
{
    buffer_format(b,
                  "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\" rx=\"4\"/>\n",
                  kind, x, y, wide, high);
}

/* An array of parts is a stack of them. */
static void put_stack(Buffer *b, const Diagram *d, const DiagramBox *box)
{
    const char *kind = box->open ? "frame" : "box";
    double x = box->x * CELL, y = box->y * CELL, wide = box->wide * CELL;
    for (int k = 2; k > 0 && d->parts->part[box->part].rank > 0; k--)
        put_rectangle(b, kind, x + 4 * k, y - 3 * k, wide - 8 * k, 12);
    put_rectangle(b, kind, x, y, wide, box->high * CELL);
}

static void put_inside(Buffer *b, double x, double y, const char *kind,
                       uint32_t n)
{
    Buffer text = {0};
    buffer_format(&text, "+%u part%s", n, n == 1 ? "" : "s");
    svg_text(b, x, y, kind, buffer_string(&text));
    b->broken = b->broken || text.broken;
    buffer_free(&text);
}

/* Name and module in the middle of a box. */
static void put_names(Buffer *b, const DiagramBox *box, const UnitPart *p)
{
    double left = (box->x + box->left) * CELL;
    double right = (box->x + box->wide - box->right) * CELL;
    double x = (left + right) / 2, y = (box->y + box->high / 2.0) * CELL;
    y -= box->inside ? 7 : 0;
    svg_text(b, x, y - 3, "name middle", box->title);
    svg_text(b, x, y + 12, "soft middle", p->module);
    if (box->inside)
        put_inside(b, x, y + 26, "soft middle", box->inside);
}

/* The same along the top of a frame. */
static void put_head(Buffer *b, const DiagramBox *box, const UnitPart *p)
{
    double x = box->x * CELL + 10, y = box->y * CELL + 19;
    svg_text(b, x, y, "name", box->title);
    x += svg_wide(box->title, 1.1 * DIAGRAM_NAME) + 8;
    svg_text(b, x, y, "soft", p->module);
    if (box->inside)
        put_inside(b, (box->x + box->wide) * CELL - 8, y, "soft right",
                   box->inside);
}

static void put_box(Buffer *b, const Diagram *d, uint32_t k)
{
    const DiagramBox *box = &d->box[k];
    const UnitPart *p = diagram_part(d, k);
    buffer_text(b, "<g>");
    svg_hint(b, p->path);
    put_stack(b, d, box);
    if (box->open)
        put_head(b, box, p);
    else
        put_names(b, box, p);
    buffer_text(b, "</g>\n");
}

/* ---- Ports ------------------------------------------------------------------------- */

/* A square, or for a signal an arrowhead: out of the box, or into it. */
static void put_mark(Buffer *b, const Diagram *d, const DiagramPort *p)
{
    double x = p->x * CELL, y = p->y * CELL;
    bool east = p->right == p->output; // the signal goes to the right
    buffer_text(b, "<path class=\"mark ");
    put_colour(b, d, p->joint);
    if (!p->signal)
        buffer_format(b, "\" d=\"M%.1f %.1fh7v7h-7z\"/>\n", x - 3.5, y - 3.5);
    else if (p->output)
        buffer_format(b, "\" d=\"M%.1f %.1fv8l%d -4z\"/>\n", x, y - 4,
                      east ? 7 : -7);
    else
        buffer_format(b, "\" d=\"M%.1f %.1fv8l%d -4z\"/>\n",
                      x - (east ? 8 : -8), y - 4, east ? 8 : -8);
}

/* Names are inside of the edge; those of a frame above their wire. */
static void put_port(Buffer *b, const Diagram *d, const DiagramPort *p)
{
    double by = d->box[p->box].open ? -4 : 3.5;
    double x = p->x * CELL + (p->right ? -6 : 6);
    put_mark(b, d, p);
    svg_text(b, x, p->y * CELL + by, p->right ? "tiny right" : "tiny", p->name);
}

/* ---- Wires ------------------------------------------------------------------------- */

/* "PIN: R1.N, C1.P" */
static void put_ends(Buffer *b, const Diagram *d, uint32_t joint)
{
    const UnitJoint *j = &d->parts->joint[joint];
    buffer_text(b, "<title>");
    html_text(b, j->type);
    buffer_text(b, j->type[0] ? ": " : "");
    for (uint32_t k = 0; k < j->ends; k++) {
        const UnitJointEnd *e = &j->end[k];
        buffer_text(b, k ? ", " : "");
        if (e->part != NO_PART) {
            html_text(b, d->parts->part[e->part].name);
            html_text(b, e->element);
            buffer_char(b, '.');
        }
        html_text(b, e->port);
    }
    buffer_text(b, j->loops[0] ? "; " : "");
    html_text(b, j->loops);
    buffer_text(b, "</title>");
}

static void put_pieces(Buffer *b, const Diagram *d, uint32_t joint)
{
    buffer_text(b, "<path class=\"wire\" d=\"");
    for (uint32_t k = 0; k < d->wires; k++) {
        const DiagramWire *w = &d->wire[k];
        if (w->joint != joint || (w->x == w->to_x && w->y == w->to_y))
            continue;
        buffer_format(b, "M%d %d%c%d", w->x * CELL, w->y * CELL,
                      w->y == w->to_y ? 'H' : 'V',
                      (w->y == w->to_y ? w->to_x : w->to_y) * CELL);
    }
    buffer_text(b, "\"/>");
    for (uint32_t k = 0; k < d->wires; k++) {
        const DiagramWire *w = &d->wire[k];
        if (w->joint == joint && w->x == w->to_x && w->y == w->to_y)
            buffer_format(b,
                          "<circle class=\"mark\" cx=\"%d\" cy=\"%d\" "
                          "r=\"3.4\"/>",
                          w->x * CELL, w->y * CELL);
    }
}

static bool has_wire(const Diagram *d, uint32_t joint)
{
    for (uint32_t k = 0; k < d->wires; k++)
        if (d->wire[k].joint == joint)
            return true;
    return false;
}

static void put_joint(Buffer *b, const Diagram *d, uint32_t joint)
{
    if (!has_wire(d, joint))
        return;
    buffer_text(b, "<g class=\"");
    put_colour(b, d, joint);
    buffer_text(b, "\">");
    put_ends(b, d, joint);
    put_pieces(b, d, joint);
    buffer_text(b, "</g>\n");
}

/* ---- Around it ----------------------------------------------------------------------- */

static void put_legend(Buffer *b, const Diagram *d, double y)
{
    double x = 12;
    for (uint32_t k = 0; k < d->kinds; k++) {
        buffer_text(b, "<g class=\"");
        put_colour(b, d, d->example[k]);
        buffer_format(b, "\"><path class=\"wire\" d=\"M%.1f %.1fh22\"/></g>", x,
                      y - 4);
        svg_text(b, x + 28, y, "soft", kind_name(d, k));
        x += 46 + svg_wide(kind_name(d, k), DIAGRAM_SMALL);
    }
}

/* What the picture does not show. */
static void put_missing(Buffer *b, const Diagram *d, double y)
{
    Buffer text = {0};
    if (d->left_out)
        buffer_format(&text, "%u more part%s, not shown. ", d->left_out,
                      d->left_out == 1 ? "" : "s");
    if (d->missing)
        buffer_format(&text, "%u end%s of connections could not be drawn.",
                      d->missing, d->missing == 1 ? "" : "s");
    svg_text(b, 12, y, "bad", buffer_string(&text));
    b->broken = b->broken || text.broken;
    buffer_free(&text);
}

static double legend_wide(const Diagram *d)
{
    double x = 24;
    for (uint32_t k = 0; k < d->kinds; k++)
        x += 46 + svg_wide(kind_name(d, k), DIAGRAM_SMALL);
    return x;
}

static void put_all(Buffer *b, const Diagram *d)
{
    for (uint32_t k = 0; k < d->boxes; k++)
        put_box(b, d, k);
    for (uint32_t k = 0; k < d->parts->joints; k++)
        put_joint(b, d, k);
    for (uint32_t k = 0; k < d->ports; k++)
        put_port(b, d, &d->port[k]);
    for (uint32_t k = 0; k < d->notes; k++) {
        const DiagramNote *n = &d->note[k];
        svg_text(b, n->x * CELL + 3, n->y * CELL + 4, "soft",
                 d->parts->joint[n->joint].loops);
    }
}

bool graph_parts(Buffer *b, const UnitParts *p, const char *heading)
{
    Arena a = {0};
    if (p->parts == 0)
        return false;
    const Diagram *d = diagram_make(&a, p);
    if (!d) {
        b->broken = true;
        arena_free(&a);
        return true;
    }
    bool missing = d->left_out || d->missing, legend = d->kinds > 0;
    double top = heading ? HEADING : 0, bottom = top + d->high * CELL;
    double wide = d->wide * CELL, least = legend ? legend_wide(d) : 0;
    if (heading && least < svg_wide(heading, 17) + 24)
        least = svg_wide(heading, 17) + 24;
    SvgSize size = {.wide = (int)(wide > least ? wide : least) + 2 * MARGIN,
                    .high = (int)bottom + LEGEND_LINE * (legend + missing) +
                            2 * MARGIN};
    if (heading)
        svg_begin(b, size, heading);
    else
        svg_begin_styled(b, size, "parts and connections");
    if (heading)
        svg_text(b, 12, 22, "head", heading);
    buffer_format(b, "<g transform=\"translate(%.1f %.1f)\">\n",
                  MARGIN + (size.wide - 2 * MARGIN - wide) / 2, MARGIN + top);
    put_all(b, d);
    buffer_text(b, "</g>\n");
    if (legend)
        put_legend(b, d, bottom + LEGEND_LINE - 6);
    if (missing)
        put_missing(b, d, bottom + LEGEND_LINE * (1 + legend) - 6);
    svg_end(b);
    arena_free(&a);
    return true;
}
