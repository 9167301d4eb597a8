#include "base/html.h"
#include "graph/graph.h"
#include "graph/rows.h"
#include "graph/svg.h"

/* The pictures of a model as files, and as sections of a page. */

enum {
    WHOLE_MOST =
        40,         // rows of one picture in a page; of more, groups are folded
    PAGE_MOST = 200 // rows that a page shows
};

bool graph_causality(Buffer *b, Model *m, const UnitParts *p,
                     const char *heading)
{
    Arena a = {0};
    Causality c;
    Rows r;
    bool found = causality_find(&c, &a, m, p);
    if (found && c.rows && rows_place(&r, &a, &c, 0, c.groups))
        rows_draw(b, &r, 0, c.groups, heading);
    else if (!found || c.rows)
        b->broken = true;
    bool any = c.rows > 0;
    arena_free(&a);
    return any;
}

/* ---- In a page -------------------------------------------------------------------- */

static void put_rows(Buffer *b, Arena *a, const Causality *c, uint32_t first,
                     uint32_t end)
{
    Rows r;
    buffer_text(b, "<div class=\"wide\">\n");
    if (rows_place(&r, a, c, first, end))
        rows_draw(b, &r, first, end, NULL);
    else
        b->broken = true;
    buffer_text(b, "</div>\n");
}

/* A group that can be unfolded. */
static void put_group(Buffer *b, Arena *a, const Causality *c, uint32_t g)
{
    const CausalityGroup *group = &c->group[g];
    buffer_text(b, "<details><summary>");
    html_text(b, group->name[0] ? group->name : "Program");
    buffer_format(b, " \xC2\xB7 %u row%s", group->count,
                  group->count == 1 ? "" : "s");
    if (group->note[0]) {
        buffer_text(b, " \xC2\xB7 ");
        html_text(b, group->note);
    }
    buffer_text(b, "</summary>\n");
    put_rows(b, a, c, g, g + 1);
    buffer_text(b, "</details>\n");
}

static void put_causality(Buffer *b, Arena *a, const Causality *c)
{
    buffer_text(b, "<details><summary>Causality: which equation gives what"
                   "</summary>\n");
    if (c->rows <= WHOLE_MOST)
        put_rows(b, a, c, 0, c->groups);
    else if (c->rows <= PAGE_MOST)
        for (uint32_t g = 0; g < c->groups; g++)
            put_group(b, a, c, g);
    else
        buffer_format(b,
                      "<p class=\"note\">%u rows are too many for a page: "
                      "cosy graph draws them.</p>\n",
                      c->rows);
    buffer_text(b, "</details>\n");
}

void graph_page(Buffer *b, Model *m, const UnitParts *p)
{
    Arena a = {0};
    Causality c;
    bool found = causality_find(&c, &a, m, p);
    b->broken = b->broken || !found;
    if (found && (c.rows || p->parts)) {
        svg_style(b);
        if (p->parts) {
            buffer_text(b, "<details><summary>Parts and connections"
                           "</summary>\n<div class=\"wide\">\n");
            graph_parts(b, p, NULL);
            buffer_text(b, "</div></details>\n");
        }
        if (c.rows)
            put_causality(b, &a, &c);
    }
    arena_free(&a);
}
