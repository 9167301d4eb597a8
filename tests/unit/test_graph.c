/* The pictures of a model: nothing overlaps, wires reach all their ports and run
   through no box, and the same parts give the same bytes. */

#include <stdio.h>

#include "check.h"
#include "graph/diagram.h"
#include "graph/graph.h"
#include "graph/rows.h"
#include "sample.h"
#include "scarce.h"

static Sample sample;

static Sample *fresh(Arena *a)
{
    arena_free(a);
    sample = (Sample){.arena = a};
    return &sample;
}

/* ---- Boxes -------------------------------------------------------------------- */

static bool holds(const Diagram *d, uint32_t outer, uint32_t inner)
{
    for (; inner != NO_BOX; inner = d->box[inner].around)
        if (inner == outer)
            return true;
    return outer == NO_BOX;
}

static bool is_apart(const DiagramBox *a, const DiagramBox *b)
{
    return a->x + a->wide < b->x || b->x + b->wide < a->x ||
           a->y + a->high < b->y || b->y + b->high < a->y;
}

static void check_boxes(const Diagram *d)
{
    for (uint32_t k = 0; k < d->boxes; k++) {
        const DiagramBox *b = &d->box[k];
        const DiagramBox *f = b->around == NO_BOX ? NULL : &d->box[b->around];
        for (uint32_t i = 0; i < k; i++)
            CHECK(holds(d, i, k) || holds(d, k, i) || is_apart(b, &d->box[i]));
        if (f)
            CHECK(b->x > f->x && b->y >= f->y + DIAGRAM_HEAD &&
                  b->x + b->wide < f->x + f->wide &&
                  b->y + b->high < f->y + f->high);
        else
            CHECK(b->x > 0 && b->y > 0 && b->x + b->wide < d->wide &&
                  b->y + b->high < d->high);
    }
}

/* Ports are on an edge, apart from each other; names of both sides and of the
   part fit beside each other. */
static void check_ports(const Diagram *d)
{
    for (uint32_t k = 0; k < d->ports; k++) {
        const DiagramPort *p = &d->port[k];
        const DiagramBox *b = &d->box[p->box];
        CHECK(p->x == (p->right ? b->x + b->wide : b->x));
        CHECK(p->y > b->y && p->y < b->y + b->high);
        for (uint32_t i = b->port; i < k; i++)
            CHECK(d->port[i].right != p->right ||
                  abs(d->port[i].y - p->y) >= 2);
        CHECK(diagram_text(p->name, DIAGRAM_TINY) <
              (p->right ? b->right : b->left));
        if (!b->open)
            CHECK(b->left + b->right + diagram_text(b->title, DIAGRAM_NAME) <=
                  b->wide);
    }
}

/* ---- Wires --------------------------------------------------------------------- */

static bool is_on(const DiagramWire *w, int32_t x, int32_t y)
{
    return x >= w->x && x <= w->to_x && y >= w->y && y <= w->to_y;
}

/* True if the piece is within the box at more than a port of its joint. */
static bool runs_through(const Diagram *d, const DiagramWire *w, uint32_t box)
{
    const DiagramBox *b = &d->box[box];
    for (int32_t x = w->x; x <= w->to_x; x++)
        for (int32_t y = w->y; y <= w->to_y; y++) {
            bool port = false;
            if (x < b->x || x > b->x + b->wide || y < b->y ||
                y > b->y + b->high)
                continue;
            for (uint32_t k = b->port; k < b->port + b->ports; k++)
                port = port || (d->port[k].x == x && d->port[k].y == y);
            if (!port)
                return true;
        }
    return false;
}

/* Pieces of two joints share points only where they cross. */
static bool lie_together(const DiagramWire *a, const DiagramWire *b)
{
    uint32_t shared = 0;
    for (int32_t x = a->x; x <= a->to_x; x++)
        for (int32_t y = a->y; y <= a->to_y; y++)
            shared += is_on(b, x, y);
    return shared > 1;
}

static bool ends_on(const DiagramWire *a, const DiagramWire *b)
{
    return is_on(b, a->x, a->y) || is_on(b, a->to_x, a->to_y);
}

static void check_wires(const Diagram *d)
{
    for (uint32_t k = 0; k < d->wires; k++) {
        const DiagramWire *w = &d->wire[k];
        CHECK(w->x == w->to_x || w->y == w->to_y);
        for (uint32_t i = 0; i < d->boxes; i++)
            CHECK(holds(d, i, w->around) || !runs_through(d, w, i));
        for (uint32_t i = 0; i < k; i++)
            if (d->wire[i].joint != w->joint && d->wire[i].around == w->around)
                CHECK(!lie_together(w, &d->wire[i]) &&
                      !ends_on(w, &d->wire[i]) && !ends_on(&d->wire[i], w));
    }
}

/* Whether all pieces and shown ports of a joint hang together. */
static bool is_whole(const Diagram *d, uint32_t joint)
{
    static bool reached[100000];
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < d->wires; k++) {
        reached[k] = false;
        first = d->wire[k].joint == joint && first == UINT32_MAX ? k : first;
    }
    if (first == UINT32_MAX)
        return true;
    reached[first] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < d->wires; k++)
            for (uint32_t i = 0; i < d->wires && !reached[k]; i++)
                if (reached[i] && d->wire[k].joint == joint &&
                    (ends_on(&d->wire[k], &d->wire[i]) ||
                     ends_on(&d->wire[i], &d->wire[k])))
                    more = reached[k] = true;
    }
    bool whole = true;
    for (uint32_t k = 0; k < d->wires; k++)
        whole = whole && (d->wire[k].joint != joint || reached[k]);
    for (uint32_t e = 0; e < d->parts->joint[joint].ends; e++) {
        uint32_t port = d->at[d->first_end[joint] + e];
        bool on = port == UINT32_MAX;
        for (uint32_t k = 0; k < d->wires && !on; k++)
            on = d->wire[k].joint == joint &&
                 is_on(&d->wire[k], d->port[port].x, d->port[port].y);
        whole = whole && on;
    }
    return whole;
}

static bool has_wire(const Diagram *d, uint32_t joint)
{
    for (uint32_t k = 0; k < d->wires; k++)
        if (d->wire[k].joint == joint)
            return true;
    return false;
}

static void check_notes(const Diagram *d)
{
    for (uint32_t k = 0; k < d->notes; k++) {
        const DiagramNote *n = &d->note[k];
        const char *text = d->parts->joint[n->joint].loops;
        int32_t wide = diagram_text(text, DIAGRAM_SMALL);
        DiagramWire w = {n->joint, n->around, n->x, n->y, n->x + wide, n->y};
        for (uint32_t i = 0; i < d->boxes; i++)
            CHECK(holds(d, i, n->around) || !runs_through(d, &w, i));
        for (uint32_t i = 0; i < d->wires; i++)
            CHECK(!lie_together(&d->wire[i], &w) &&
                  !is_on(&d->wire[i], n->x, n->y));
    }
}

static Diagram *check_diagram(Arena *a, const Sample *s)
{
    Diagram *d = diagram_make(a, &s->all);
    uint32_t loops = 0;
    CHECK(d != NULL);
    check_boxes(d);
    check_ports(d);
    check_wires(d);
    check_notes(d);
    CHECK(d->missing == 0);
    for (uint32_t k = 0; k < s->all.joints; k++) {
        CHECK(is_whole(d, k));
        loops += s->joint[k].loops[0] && has_wire(d, k);
    }
    CHECK(d->notes == loops);
    return d;
}

/* ---- Samples ------------------------------------------------------------------- */

static void check_same(const Sample *s)
{
    Buffer one = {0}, two = {0};
    CHECK(graph_parts(&one, &s->all, "P"));
    CHECK(graph_parts(&two, &s->all, "P"));
    CHECK(!one.broken);
    CHECK_TEXT(buffer_string(&one), buffer_string(&two));
    buffer_free(&one);
    buffer_free(&two);
}

static void test_samples(void)
{
    static void (*const make[])(Sample * s) = {
        sample_circuit, sample_bus, sample_drive, sample_robot, sample_battery};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; k++) {
        Arena a = {0};
        make[k](fresh(&a));
        check_diagram(&a, &sample);
        check_same(&sample);
        arena_free(&a);
    }
}

/* A signal goes from left to right, and what leaves twenty parts is not too wide
   for a screen. */
static void test_direction(void)
{
    Arena a = {0};
    sample_drive(fresh(&a));
    const Diagram *d = check_diagram(&a, &sample);
    for (uint32_t k = 0; k < 4; k++)
        CHECK(d->box[k].x + d->box[k].wide < d->box[k + 1].x);
    CHECK(d->wide * DIAGRAM_CELL < 1400);
    arena_free(&a);
}

/* Parts below parts below parts: those that would make too many are counted. */
static void test_depth(void)
{
    Arena a = {0};
    Sample *s = fresh(&a);
    char name[16];
    for (int k = 0; k < 5; k++) {
        snprintf(name, sizeof name, "A%d", k);
        uint32_t outer = sample_part(s, NO_PART, name, "OUTER");
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "B%d", i);
            uint32_t inner = sample_part(s, outer, name, "INNER");
            for (int j = 0; j < 7; j++) {
                snprintf(name, sizeof name, "C%d", j);
                uint32_t part = sample_part(s, inner, name, "PART");
                sample_part(s, part, "D", "LAST");
            }
        }
    }
    const Diagram *d = check_diagram(&a, s);
    CHECK(d->boxes == 5 + 20);
    CHECK(d->box[0].open && !d->box[1].open && d->box[1].inside == 14);
    arena_free(&a);
}

static void test_many(void)
{
    Arena a = {0};
    Sample *s = fresh(&a);
    char name[16], ends[40];
    for (int k = 0; k < 200; k++) {
        snprintf(name, sizeof name, "P%d", k);
        sample_part(s, NO_PART, name, "LINK");
        snprintf(ends, sizeof ends, "P%d.B P%d.A", k - 1, k);
        if (k > 0)
            sample_join(s, NO_PART, "PIN", "", ends);
    }
    const Diagram *d = check_diagram(&a, s);
    CHECK(d->boxes == 150 && d->left_out == 50);
    arena_free(&a);
}

/* ---- At random ------------------------------------------------------------------ */

static uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

/* Joins `n` new ports of parts of a frame, or of the frame itself. */
static void join_some(Sample *s, uint32_t around, uint32_t *seed,
                      const uint32_t *part, uint32_t parts, uint32_t n)
{
    char text[400] = "";
    static unsigned next;
    bool signal = draw(seed, 4) == 0;
    for (uint32_t k = 0; k < n; k++) {
        size_t at = strlen(text);
        bool own = around != NO_PART && k > 0 && draw(seed, 6) == 0;
        snprintf(text + at, sizeof text - at, "%s%s%s%s.P%u", k ? " " : "",
                 signal && k == 0 ? ">" : "",
                 own ? "" : s->part[part[draw(seed, parts)]].name,
                 draw(seed, 9) == 0 && !own ? "[I+1]" : "", next++ % 1000);
    }
    sample_join(s, around,
                signal          ? ""
                : draw(seed, 2) ? "PIN"
                                : "FLANGE",
                draw(seed, 5) == 0 ? "I = 1 TO 12" : "", text);
}

static void fill(Sample *s, uint32_t around, uint32_t *seed, uint32_t depth)
{
    uint32_t part[24], n = 1 + draw(seed, depth ? 6 : 22);
    char name[16];
    for (uint32_t k = 0; k < n; k++) {
        snprintf(name, sizeof name, "N%u", s->all.parts);
        part[k] = draw(seed, 5) ? sample_part(s, around, name, "MODULE")
                                : sample_array(s, around, name, "M", 0, 99);
        if (depth < 2 && draw(seed, 6) == 0)
            fill(s, part[k], seed, depth + 1);
    }
    for (uint32_t k = 0; k < n + n / 3; k++)
        join_some(s, around, seed, part, n,
                  2 + (draw(seed, 4) == 0 ? draw(seed, 6) : 0));
}

static void test_random(void)
{
    for (uint32_t k = 0; k < 60; k++) {
        Arena a = {0};
        uint32_t seed = k;
        fill(fresh(&a), NO_PART, &seed, 0);
        check_diagram(&a, &sample);
        arena_free(&a);
    }
}

/* ---- As SVG ---------------------------------------------------------------------- */

static void test_nothing(void)
{
    Buffer b = {0};
    UnitParts none = {0};
    CHECK(!graph_parts(&b, &none, "P"));
    CHECK(b.v.used == 0);
}

static void test_hostile(void)
{
    Arena a = {0};
    Buffer b = {0};
    Sample *s = fresh(&a);
    sample_part(s, NO_PART, "<script>", "A&B\"'");
    sample_part(s, NO_PART, "R\x01\xFF", "]]>");
    sample_join(s, NO_PART, "P<IN", "I = 1 TO <9>", "<script>.<b> R\x01\xFF.&");
    CHECK(graph_parts(&b, &s->all, "</text>"));
    const char *text = buffer_string(&b);
    CHECK(strstr(text, "<script") == NULL && strstr(text, "<b>") == NULL);
    CHECK(strstr(text, "&lt;script&gt;") != NULL);
    CHECK(strstr(text, "A&amp;B&quot;") != NULL);
    CHECK(strchr(text, '\x01') == NULL && strchr(text, '\xFF') == NULL);
    buffer_free(&b);
    arena_free(&a);
}

static void test_memory(void)
{
    Arena a = {0};
    sample_robot(fresh(&a));
    for (long n = 0, refused = 1; refused > 0; n += 1 + n / 8) {
        Buffer b = {0};
        scarce_begin_arenas(n);
        graph_parts(&b, &sample.all, "P");
        refused = scarce_end();
        CHECK(b.broken == (refused > 0));
        buffer_free(&b);
    }
    arena_free(&a);
}

/* ---- Rows ----------------------------------------------------------------------- */

/* Rows at random, which read some of each other, in three groups. */
static Causality some_rows(Arena *a, uint32_t seed, uint32_t n)
{
    static CausalityGroup group[3];
    Causality c = {.row = NEW_ARRAY(a, CausalityRow, n),
                   .rows = n,
                   .group = group,
                   .groups = 3};
    for (uint32_t g = 0; g < 3; g++)
        group[g] = (CausalityGroup){CAUSALITY_SOURCE, "G", "", g * n / 3,
                                    (g + 1) * n / 3 - g * n / 3};
    for (uint32_t k = 0; k < n; k++) {
        CausalityRow *row = &c.row[k];
        *row = (CausalityRow){k + 1, "X", "X = Y", "", "", k + 1, NULL, 0};
        row->reads = NEW_ARRAY(a, uint32_t, n);
        for (uint32_t i = 0; i < n; i++)
            if (i != k && draw(&seed, n) < 2)
                row->reads[row->n_reads++] = i;
    }
    return c;
}

static bool is_drawn(const Rows *r, uint32_t row)
{
    const RowsPlace *p = &r->place[row];
    return p->shown && p->track < ROWS_TRACKS && p->last > p->first;
}

/* Wires in one track do not meet; those that end at a row do so apart. */
static void check_rows(const Rows *r)
{
    for (uint32_t k = 0; k < r->c->rows; k++) {
        const RowsPlace *p = &r->place[k];
        const CausalityRow *row = &r->c->row[k];
        CHECK(k == 0 || !p->shown || !r->place[k - 1].shown ||
              p->top >= r->place[k - 1].top + r->place[k - 1].high);
        for (uint32_t i = 0; i < k; i++)
            CHECK(!is_drawn(r, k) || !is_drawn(r, i) ||
                  p->track != r->place[i].track ||
                  p->first > r->place[i].last || r->place[i].first > p->last);
        for (uint32_t i = 0; i < row->n_reads && p->shown; i++) {
            uint32_t from = row->reads[i];
            if (!is_drawn(r, from))
                continue;
            double y = rows_end(r, from, k);
            CHECK(y > p->top && y < p->top + p->high);
            CHECK(!is_drawn(r, k) || rows_end(r, k, k) >= y + 4);
            for (uint32_t j = i + 1; j < row->n_reads; j++)
                CHECK(!is_drawn(r, row->reads[j]) ||
                      rows_end(r, row->reads[j], k) >= y + 4);
        }
    }
}

static void test_rows(void)
{
    for (uint32_t k = 0; k < 40; k++) {
        Arena a = {0};
        Rows r;
        Causality c = some_rows(&a, k, 3 + 3 * k);
        CHECK(rows_place(&r, &a, &c, 0, 3));
        check_rows(&r);
        CHECK(rows_place(&r, &a, &c, 1, 2));
        check_rows(&r);
        CHECK(!r.place[0].shown && r.place[c.group[1].first].shown);
        arena_free(&a);
    }
}

int main(void)
{
    test_samples();
    test_direction();
    test_depth();
    test_many();
    test_random();
    test_nothing();
    test_hostile();
    test_memory();
    test_rows();
    return check_end();
}
