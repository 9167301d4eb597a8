#include "graph/rows.h"

#include <assert.h>
#include <string.h>

#include "graph/svg.h"
#include "plot/pen.h"

enum {
    TRACK = 7, // width of a track
    SLOT = 5,  // height between wires that end at one row
    EDGE = 10,
    NUMBER = 30, // widths of columns
    UNKNOWN_LEAST = 60,
    UNKNOWN_MOST = 170,
    TEXT_LEAST = 180,
    TEXT_MOST = 430,
    TAG = 78,
    READS = 96,
    LINE = 54,
    HEAD = 30, // heights
    GROUP_GAP = 8,
    HEADING = 32,
    NAME = 13, // sizes of texts
    SMALL = 11,
    COLOURS = PEN_COLOURS - 1
};

/* ---- Tracks -------------------------------------------------------------------- */

static bool reads_row(const CausalityRow *row, uint32_t what)
{
    for (uint32_t k = 0; k < row->n_reads; k++)
        if (row->reads[k] == what)
            return true;
    return false;
}

/* How far the wire of every row goes. */
static void find_spans(Rows *r)
{
    for (uint32_t k = 0; k < r->c->rows; k++)
        r->place[k].first = r->place[k].last = k;
    for (uint32_t k = 0; k < r->c->rows; k++) {
        const CausalityRow *row = &r->c->row[k];
        for (uint32_t i = 0; i < row->n_reads && r->place[k].shown; i++) {
            RowsPlace *from = &r->place[row->reads[i]];
            from->first = k < from->first ? k : from->first;
            from->last = k > from->last ? k : from->last;
        }
    }
}

static bool has_wire(const Rows *r, uint32_t row)
{
    return r->place[row].shown && r->place[row].last > r->place[row].first;
}

static bool is_taken(const Rows *r, uint32_t row, uint32_t track)
{
    const RowsPlace *own = &r->place[row];
    for (uint32_t k = 0; k < r->c->rows; k++) {
        const RowsPlace *p = &r->place[k];
        if (k != row && has_wire(r, k) && p->track == track &&
            p->first <= own->last && own->first <= p->last)
            return true;
    }
    return false;
}

/* Short wires take the tracks next to the rows. */
static void find_tracks(Rows *r)
{
    for (uint32_t k = 0; k < r->c->rows; k++)
        r->place[k].track = ROWS_TRACKS;
    if (r->c->rows > ROWS_WIRED)
        return;
    for (uint32_t length = 1; length < r->c->rows; length++)
        for (uint32_t k = 0; k < r->c->rows; k++) {
            RowsPlace *p = &r->place[k];
            if (!has_wire(r, k) || p->last - p->first != length)
                continue;
            uint32_t track = 0;
            while (track < ROWS_TRACKS && is_taken(r, k, track))
                track++;
            p->track = track;
            if (track < ROWS_TRACKS && track >= r->tracks)
                r->tracks = track + 1;
        }
}

static bool is_drawn(const Rows *r, uint32_t from)
{
    return has_wire(r, from) && r->place[from].track < ROWS_TRACKS;
}

/* ---- Places -------------------------------------------------------------------- */

static void find_ends(Rows *r)
{
    for (uint32_t k = 0; k < r->c->rows; k++) {
        const CausalityRow *row = &r->c->row[k];
        r->place[k].ends = is_drawn(r, k);
        for (uint32_t i = 0; i < row->n_reads; i++)
            r->place[k].ends += is_drawn(r, row->reads[i]);
        uint32_t high = SLOT * (r->place[k].ends + 1);
        r->place[k].high = high > ROWS_LINE ? high : ROWS_LINE;
    }
}

static double unknown_wide(const Causality *c, uint32_t first, uint32_t end)
{
    double most = UNKNOWN_LEAST;
    for (uint32_t g = first; g < end; g++)
        for (uint32_t k = 0; k < c->group[g].count; k++) {
            double wide =
                svg_wide(c->row[c->group[g].first + k].unknown, 1.1 * NAME);
            most = wide > most ? wide : most;
        }
    return (most < UNKNOWN_MOST ? most : UNKNOWN_MOST) + 12;
}

static double text_wide(const Causality *c, uint32_t first, uint32_t end)
{
    double most = TEXT_LEAST;
    for (uint32_t g = first; g < end; g++)
        for (uint32_t k = 0; k < c->group[g].count; k++) {
            const CausalityRow *row = &c->row[c->group[g].first + k];
            double wide = svg_wide(row->text, NAME) + 14;
            if (row->where[0])
                wide += svg_wide(row->where, SMALL) + 14;
            most = wide > most ? wide : most;
        }
    return most < TEXT_MOST ? most : TEXT_MOST;
}

bool rows_place(Rows *r, Arena *a, const Causality *c, uint32_t first,
                uint32_t end)
{
    double y = 2;
    *r = (Rows){.c = c, .place = NEW_ARRAY(a, RowsPlace, c->rows + 1)};
    if (!r->place)
        return false;
    for (uint32_t g = first; g < end; g++)
        for (uint32_t k = 0; k < c->group[g].count; k++)
            r->place[c->group[g].first + k].shown = true;
    find_spans(r);
    find_tracks(r);
    find_ends(r);
    for (uint32_t g = first; g < end; g++) {
        y += HEAD;
        for (uint32_t k = 0; k < c->group[g].count; k++) {
            r->place[c->group[g].first + k].top = y;
            y += r->place[c->group[g].first + k].high;
        }
        y += GROUP_GAP;
    }
    r->gutter = r->tracks * TRACK + 2 * EDGE;
    r->unknown = unknown_wide(c, first, end);
    r->text = text_wide(c, first, end);
    r->wide = r->gutter + NUMBER + r->unknown + r->text + TAG + READS + LINE;
    r->high = y;
    return true;
}

/* Wires that end at a row are below each other in its height: those that come
   in, and at the bottom its own. */
double rows_end(const Rows *r, uint32_t from, uint32_t to)
{
    const RowsPlace *p = &r->place[to];
    const CausalityRow *row = &r->c->row[to];
    uint32_t slot = 0;
    for (uint32_t k = 0; k < row->n_reads && from != to; k++) {
        if (row->reads[k] == from)
            break;
        slot += is_drawn(r, row->reads[k]);
    }
    if (from == to)
        slot = p->ends - 1;
    assert(slot < p->ends);
    return p->top + p->high / 2 + SLOT * (slot - (p->ends - 1) / 2.0);
}

/* ---- Wires --------------------------------------------------------------------- */

static double track_x(const Rows *r, uint32_t from)
{
    return r->gutter - EDGE - 6 - (r->place[from].track + 0.5) * TRACK;
}

static void put_arrow(Buffer *b, double x, double y)
{
    buffer_format(b, "M%.1f %.1fv6l6 -3z", x - 6, y - 3);
}

/* From a row to all that read it. */
static void put_wire(Buffer *b, const Rows *r, uint32_t from)
{
    if (!is_drawn(r, from))
        return;
    double x = track_x(r, from), edge = r->gutter - EDGE / 2.0;
    double y = rows_end(r, from, from), low = y, high = y;
    buffer_format(
        b, "<g class=\"c%u\"><path class=\"wire thin\" d=\"M%.1f %.1fH%.1f",
        from % COLOURS, edge, y, x);
    for (uint32_t k = 0; k < r->c->rows; k++) {
        if (k == from || !r->place[k].shown || !reads_row(&r->c->row[k], from))
            continue;
        double end = rows_end(r, from, k);
        buffer_format(b, "M%.1f %.1fH%.1f", x, end, edge - 5);
        low = end < low ? end : low;
        high = end > high ? end : high;
    }
    buffer_format(b, "M%.1f %.1fV%.1f\"/><path class=\"mark\" d=\"", x, low,
                  high);
    for (uint32_t k = 0; k < r->c->rows; k++)
        if (k != from && r->place[k].shown && reads_row(&r->c->row[k], from))
            put_arrow(b, edge, rows_end(r, from, k));
    buffer_format(b,
                  "\"/><circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" "
                  "r=\"2.4\"/></g>\n",
                  edge, y);
}

/* ---- Rows ------------------------------------------------------------------------ */

static void put_number(Buffer *b, double x, double y, const char *kind,
                       const char *word, uint32_t n)
{
    Buffer text = {0};
    buffer_format(&text, "%s%u", word, n);
    svg_text(b, x, y, kind, buffer_string(&text));
    b->broken = b->broken || text.broken;
    buffer_free(&text);
}

/* "reads 3, 7" */
static void put_reads(Buffer *b, const Causality *c, const CausalityRow *row,
                      double x, double y)
{
    Buffer text = {0};
    for (uint32_t k = 0; k < row->n_reads; k++) {
        uint32_t n = c->row[row->reads[k]].number;
        if (n)
            buffer_format(&text, "%s%u", text.v.used ? ", " : "reads ", n);
    }
    svg_text_cut(b, x, y, "soft", buffer_string(&text), SMALL, READS - 8);
    b->broken = b->broken || text.broken;
    buffer_free(&text);
}

/* "L*I' = VA - VB, from VA, VB" */
static void put_whole(Buffer *b, const Causality *c, const CausalityRow *row)
{
    Buffer text = {0};
    buffer_text(&text, row->text);
    buffer_text(&text, row->where[0] ? "; " : "");
    buffer_text(&text, row->where);
    for (uint32_t k = 0; k < row->n_reads; k++) {
        buffer_text(&text, k ? ", " : "; from ");
        buffer_text(&text, c->row[row->reads[k]].unknown);
    }
    svg_hint(b, buffer_string(&text));
    b->broken = b->broken || text.broken;
    buffer_free(&text);
}

static void put_row(Buffer *b, const Rows *r, uint32_t k)
{
    const CausalityRow *row = &r->c->row[k];
    double y = r->place[k].top + r->place[k].high / 2 + 4.5;
    double x = r->gutter + NUMBER;
    buffer_text(b, "<g>");
    put_whole(b, r->c, row);
    if (row->number)
        put_number(b, x - 8, y, "soft right", "", row->number);
    svg_text_cut(b, x, y, "name", row->unknown, 1.1 * NAME, r->unknown - 8);
    x += r->unknown;
    double wide = svg_wide(row->text, NAME);
    svg_text_cut(b, x, y, "", row->text, NAME, r->text - 10);
    if (row->where[0] && wide + 40 < r->text)
        svg_text_cut(b, x + wide + 10, y, "soft", row->where, SMALL,
                     r->text - wide - 14);
    x += r->text;
    svg_text_cut(b, x, y, strcmp(row->tag, "rate") == 0 ? "small c2" : "soft",
                 row->tag, SMALL, row->n_reads ? TAG - 6 : TAG + READS);
    put_reads(b, r->c, row, x + TAG, y);
    if (row->line)
        put_number(b, r->wide - 8, y, "soft right", "line ", row->line);
    buffer_text(b, "</g>\n");
}

/* The rows of a group lie on a panel; that of a loop stands out. */
static void put_group(Buffer *b, const Rows *r, const CausalityGroup *g)
{
    const RowsPlace *first = &r->place[g->first];
    const RowsPlace *last = &r->place[g->first + g->count - 1];
    double y = first->top - HEAD, x = r->gutter + 8;
    const char *name = g->name[0] ? g->name : "Program";
    assert(g->count > 0);
    buffer_format(b,
                  "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\" rx=\"4\"/>\n",
                  g->kind == CAUSALITY_LOOP ? "box loop" : "box", r->gutter,
                  y + 2, r->wide - r->gutter - 2,
                  last->top + last->high - y + 2);
    svg_text(b, x, y + 20, "name", name);
    svg_text_cut(b, x + svg_wide(name, 1.1 * NAME) + 10, y + 20, "soft",
                 g->note, SMALL, r->wide - x - svg_wide(name, 1.1 * NAME) - 20);
    for (uint32_t k = 0; k < g->count; k++)
        put_row(b, r, g->first + k);
}

void rows_draw(Buffer *b, const Rows *r, uint32_t first, uint32_t end,
               const char *heading)
{
    double top = heading ? HEADING : 0;
    SvgSize size = {(int)r->wide + 2, (int)(r->high + top) + 2};
    if (heading)
        svg_begin(b, size, heading);
    else
        svg_begin_styled(b, size, "causality");
    if (heading)
        svg_text(b, EDGE, 21, "head", heading);
    buffer_format(b, "<g transform=\"translate(0 %.1f)\">\n", top);
    for (uint32_t g = first; g < end; g++)
        if (r->c->group[g].count)
            put_group(b, r, &r->c->group[g]);
    for (uint32_t k = 0; k < r->c->rows; k++)
        put_wire(b, r, k);
    buffer_text(b, "</g>\n");
    svg_end(b);
}
