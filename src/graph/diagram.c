#include "graph/diagram.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "graph/level.h"
#include "plot/layout.h"

enum {
    SHOWN_MOST = 60,   // parts, unless there are more outside of others
    OUTSIDE_MOST = 150 // parts of the program itself
};

int32_t diagram_text(const char *text, double size)
{
    double wide = 1.12 * layout_measure(text, strlen(text), size);
    return (int32_t)(wide / DIAGRAM_CELL) + 1;
}

/* ---- Which parts are shown --------------------------------------------------------- */

static uint32_t depth_of(const UnitParts *p, uint32_t part)
{
    uint32_t depth = 0;
    for (uint32_t k = p->part[part].around; k != NO_PART; k = p->part[k].around)
        depth++;
    return depth;
}

/* The greatest depth at which there are not too many parts in all. */
static uint32_t choose_depth(const UnitParts *p)
{
    for (uint32_t depth = 1;; depth++) {
        uint32_t n = 0, deeper = 0;
        for (uint32_t k = 0; k < p->parts; k++) {
            n += depth_of(p, k) <= depth;
            deeper += depth_of(p, k) > depth;
        }
        if (n > SHOWN_MOST)
            return depth - 1;
        if (deeper == 0)
            return depth;
    }
}

/* Makes a box of every part that is shown; those inside others are counted. */
static bool boxes_make(Diagram *d, uint32_t *box_of)
{
    const UnitParts *p = d->parts;
    uint32_t depth = choose_depth(p), outside = 0;
    d->box = NEW_ARRAY(d->arena, DiagramBox, p->parts + 1);
    if (!d->box)
        return false;
    for (uint32_t k = 0; k < p->parts; k++) {
        uint32_t around = p->part[k].around;
        box_of[k] = NO_BOX;
        assert(around == NO_PART || around < k);
        if (around == NO_PART && outside++ >= OUTSIDE_MOST) {
            d->left_out++;
        } else if (around != NO_PART && box_of[around] == NO_BOX) {
            for (; around != NO_PART && box_of[around] == NO_BOX;)
                around = p->part[around].around;
            if (around != NO_PART)
                d->box[box_of[around]].inside++;
        } else if (depth_of(p, k) > depth) {
            d->box[box_of[around]].inside++;
        } else {
            box_of[k] = d->boxes;
            d->box[d->boxes++] = (DiagramBox){
                .part = k,
                .around = around == NO_PART ? NO_BOX : box_of[around]};
            if (around != NO_PART)
                d->box[box_of[around]].open = true;
        }
    }
    return true;
}

/* ---- Ports --------------------------------------------------------------------------- */

static bool has_name(const DiagramPort *p, const char *port,
                     const char *element)
{
    size_t n = strlen(element);
    if (n == 0)
        return strcmp(p->name, port) == 0;
    return strncmp(p->name, element, n) == 0 && p->name[n] == '.' &&
           strcmp(p->name + n + 1, port) == 0;
}

/* A port of a box, made if it is new; NULL: no memory. */
static DiagramPort *port_find(Diagram *d, uint32_t box, uint32_t joint,
                              const UnitJointEnd *e)
{
    DiagramBox *b = &d->box[box];
    for (uint32_t k = 0; k < b->ports; k++)
        if (has_name(&d->port[b->port + k], e->port, e->element))
            return &d->port[b->port + k];
    DiagramPort *p = &d->port[d->ports];
    size_t room = strlen(e->port) + strlen(e->element) + 2;
    char *name = NEW_ARRAY(d->arena, char, room);
    if (!name)
        return NULL;
    snprintf(name, room, "%s%s%s", e->element, e->element[0] ? "." : "",
             e->port);
    *p = (DiagramPort){.box = box,
                       .joint = joint,
                       .name = name,
                       .signal = d->parts->joint[joint].signal,
                       .output = e->output};
    d->ports++;
    b->ports++;
    return p;
}

/* The port of a frame that its own parts are joined to: any element of it. */
static DiagramPort *inner_find(Diagram *d, uint32_t box, uint32_t joint,
                               const UnitJointEnd *e)
{
    DiagramBox *b = &d->box[box];
    size_t n = strlen(e->port);
    for (uint32_t k = 0; k < b->ports; k++) {
        DiagramPort *p = &d->port[b->port + k];
        size_t m = strlen(p->name);
        if (m >= n && strcmp(p->name + m - n, e->port) == 0 &&
            (m == n || p->name[m - n - 1] == '.'))
            return p;
    }
    return port_find(
        d, box, joint,
        &(UnitJointEnd){.port = e->port, .element = "", .output = e->output});
}

/* Ports of one box, from all joints, those outside of it first. */
static bool ports_of(Diagram *d, uint32_t box, uint32_t around)
{
    const UnitParts *p = d->parts;
    d->box[box].port = d->ports;
    for (int inner = 0; inner <= d->box[box].open; inner++)
        for (uint32_t j = 0; j < p->joints; j++) {
            const UnitJoint *joint = &p->joint[j];
            if (joint->around != (inner ? d->box[box].part : around))
                continue;
            for (uint32_t k = 0; k < joint->ends; k++) {
                const UnitJointEnd *e = &joint->end[k];
                if (e->part != (inner ? NO_PART : d->box[box].part))
                    continue;
                const DiagramPort *port =
                    inner ? inner_find(d, box, j, e) : port_find(d, box, j, e);
                if (!port)
                    return false;
                d->at[d->first_end[j] + k] = (uint32_t)(port - d->port);
            }
        }
    return true;
}

static bool is_kind(const UnitJoint *a, const UnitJoint *b)
{
    return a->signal == b->signal &&
           (a->signal || strcmp(a->type, b->type) == 0);
}

static bool kinds_make(Diagram *d)
{
    const UnitParts *p = d->parts;
    d->kind = NEW_ARRAY(d->arena, uint32_t, p->joints + 1);
    d->example = NEW_ARRAY(d->arena, uint32_t, p->joints + 1);
    if (!d->kind || !d->example)
        return false;
    for (uint32_t k = 0; k < p->joints; k++) {
        uint32_t *kind = &d->kind[k];
        while (*kind < d->kinds &&
               !is_kind(&p->joint[k], &p->joint[d->example[*kind]]))
            ++*kind;
        if (*kind == d->kinds)
            d->example[d->kinds++] = k;
    }
    return true;
}

static bool ports_make(Diagram *d)
{
    uint32_t ends = 0;
    const UnitParts *p = d->parts;
    d->first_end = NEW_ARRAY(d->arena, uint32_t, p->joints + 1);
    if (!d->first_end)
        return false;
    for (uint32_t k = 0; k < p->joints; k++) {
        d->first_end[k] = ends;
        ends += p->joint[k].ends;
    }
    d->at = NEW_ARRAY(d->arena, uint32_t, ends + 1);
    d->port = NEW_ARRAY(d->arena, DiagramPort, ends + 1);
    d->note = NEW_ARRAY(d->arena, DiagramNote, p->joints + 1);
    if (!d->at || !d->port || !d->note)
        return false;
    for (uint32_t k = 0; k < ends; k++)
        d->at[k] = UINT32_MAX;
    for (uint32_t k = 0; k < d->boxes; k++)
        if (!ports_of(d, k, p->part[d->box[k].part].around))
            return false;
    return true;
}

/* ---- Levels ----------------------------------------------------------------------- */

/* "C[1..9]" */
static const char *title_of(Diagram *d, uint32_t box)
{
    const UnitPart *p = diagram_part(d, box);
    Buffer b = {0};
    buffer_text(&b, p->name);
    for (uint32_t k = 0; k < p->rank; k++)
        buffer_format(&b, "%s%lld..%lld%s", k ? ", " : "[",
                      (long long)p->low[k], (long long)p->high[k],
                      k + 1 == p->rank ? "]" : "");
    const char *all = buffer_string(&b);
    const char *text = b.broken ? NULL : arena_text(d->arena, all, b.v.used);
    buffer_free(&b);
    return text;
}

/* Room for the texts in the middle of a box, and beside them. */
static bool measure(Diagram *d, uint32_t box)
{
    DiagramBox *b = &d->box[box];
    const char *title = title_of(d, box);
    if (!title)
        return false;
    b->title = title;
    if (b->open)
        return true;
    int32_t name = diagram_text(title, 1.1 * DIAGRAM_NAME);
    int32_t module = diagram_text(diagram_part(d, box)->module, DIAGRAM_SMALL);
    b->wide = (name > module ? name : module) + 2;
    b->wide = b->inside && b->wide < 8 ? 8 : b->wide;
    for (uint32_t k = b->port; k < b->port + b->ports; k++) {
        int32_t wide = diagram_text(d->port[k].name, DIAGRAM_TINY) + 1;
        b->left = wide > b->left ? wide : b->left;
    }
    b->right = b->left;
    return true;
}

static bool has_member(const Level *l, const Link *k, uint32_t port)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (l->member[k->first + i] == port)
            return true;
    return false;
}

/* Adds a port to a link. All that is joined at a port is one joint; of others
   there is no wire. */
static void link_add(Level *l, Link *link, uint32_t port, bool *taken)
{
    if (port == UINT32_MAX || has_member(l, link, port))
        return;
    if (taken[port]) {
        l->d->missing++;
        return;
    }
    taken[port] = true;
    l->member[link->first + link->count++] = port;
}

/* The joints of a frame with their ports, each port once. */
static bool links_make(Level *l, uint32_t around)
{
    const UnitParts *p = l->d->parts;
    uint32_t ends = 0;
    for (uint32_t j = 0; j < p->joints; j++)
        ends += p->joint[j].around == around ? p->joint[j].ends : 0;
    bool *taken = NEW_ARRAY(l->d->arena, bool, l->d->ports + 1);
    l->link = NEW_ARRAY(l->d->arena, Link, p->joints + 1);
    l->member = NEW_ARRAY(l->d->arena, uint32_t, ends + 1);
    if (!l->link || !l->member || !taken)
        return false;
    for (uint32_t j = 0; j < p->joints; j++) {
        Link *link = &l->link[l->links];
        if (p->joint[j].around != around)
            continue;
        *link = (Link){.joint = j, .first = l->members};
        for (uint32_t k = 0; k < p->joint[j].ends; k++)
            link_add(l, link, l->d->at[l->d->first_end[j] + k], taken);
        if (link->count > 1) {
            l->members += link->count;
            l->links++;
        }
    }
    return true;
}

/* Whether a port of a frame is on its right side: where the others are, and if
   that does not tell, signals go from left to right and ports take turns. */
static bool is_right(const Level *l, uint32_t port, bool turn)
{
    double mean, own = l->place[l->place_of[l->d->port[port].box]].layer;
    if (layers_beside(l, port, &mean) && (mean > own || mean < own))
        return mean > own;
    return l->d->port[port].signal ? l->d->port[port].output : turn;
}

static void choose_sides(const Level *l, uint32_t box)
{
    DiagramBox *b = &l->d->box[box];
    bool turn = false;
    b->left = b->right = 1;
    for (uint32_t k = b->port; k < b->port + b->ports; k++) {
        DiagramPort *p = &l->d->port[k];
        int32_t wide = diagram_text(p->name, DIAGRAM_TINY) + 2;
        p->right = is_right(l, k, turn);
        turn = p->signal ? turn : !p->right;
        int32_t *room = p->right ? &b->right : &b->left;
        *room = wide > *room ? wide : *room;
    }
}

/* What stands in a frame, its layers, and the sides of the ports of frames in it. */
static bool level_open(Level *l, Diagram *d, uint32_t frame)
{
    *l = (Level){.d = d, .frame = frame};
    l->place = NEW_ARRAY(d->arena, Place, d->boxes + 1);
    l->place_of = NEW_ARRAY(d->arena, uint32_t, d->boxes + 1);
    if (!l->place || !l->place_of)
        return false;
    for (uint32_t k = 0; k < d->boxes; k++) {
        l->place_of[k] = UINT32_MAX;
        if (d->box[k].around != frame)
            continue;
        l->place_of[k] = l->places;
        l->place[l->places++] = (Place){.box = k};
    }
    if (!links_make(l, frame == NO_BOX ? NO_PART : d->box[frame].part) ||
        !layers_find(l))
        return false;
    for (uint32_t k = 0; k < l->places; k++)
        if (d->box[l->place[k].box].open)
            choose_sides(l, l->place[k].box);
    return true;
}

/* From the outside in: on which sides of frames ports are. Then from the inside
   out, as the size of a frame is that of what it holds. */
static bool levels_make(Diagram *d)
{
    Level *level = NEW_ARRAY(d->arena, Level, d->boxes + 1), outside;
    if (!level || !level_open(&outside, d, NO_BOX))
        return false;
    for (uint32_t k = 0; k < d->boxes; k++)
        if (d->box[k].open && !level_open(&level[k], d, k))
            return false;
    for (uint32_t k = d->boxes; k > 0; k--)
        if (d->box[k - 1].open &&
            !(columns_find(&level[k - 1]) && level_place(&level[k - 1])))
            return false;
    return columns_find(&outside) && level_place(&outside);
}

/* Places so far count from the frame that something is in. */
static void make_absolute(Diagram *d)
{
    for (uint32_t k = 0; k < d->boxes; k++) {
        DiagramBox *b = &d->box[k];
        if (b->around != NO_BOX) {
            b->x += d->box[b->around].x;
            b->y += d->box[b->around].y;
        }
        for (uint32_t i = b->port; i < b->port + b->ports; i++) {
            d->port[i].x += b->x;
            d->port[i].y += b->y;
        }
    }
    for (uint32_t k = 0; k < d->wires; k++)
        if (d->wire[k].around != NO_BOX) {
            const DiagramBox *b = &d->box[d->wire[k].around];
            d->wire[k].x += b->x;
            d->wire[k].to_x += b->x;
            d->wire[k].y += b->y;
            d->wire[k].to_y += b->y;
        }
    for (uint32_t k = 0; k < d->notes; k++)
        if (d->note[k].around != NO_BOX) {
            d->note[k].x += d->box[d->note[k].around].x;
            d->note[k].y += d->box[d->note[k].around].y;
        }
}

Diagram *diagram_make(Arena *a, const UnitParts *p)
{
    Diagram *d = NEW(a, Diagram);
    uint32_t *box_of = NEW_ARRAY(a, uint32_t, p->parts + 1);
    if (!d || !box_of)
        return NULL;
    *d = (Diagram){.parts = p, .arena = a};
    if (!boxes_make(d, box_of) || !kinds_make(d) || !ports_make(d))
        return NULL;
    for (uint32_t k = 0; k < d->boxes; k++)
        if (!measure(d, k))
            return NULL;
    if (!levels_make(d))
        return NULL;
    make_absolute(d);
    return d;
}
