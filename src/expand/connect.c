#include "expand/instance.h"

#include <inttypes.h>
#include <string.h>

/* CONNECT: which ports are at one node.

   In the scope of one instance every element of every port that may be joined
   there has a number; CONNECTs, with all values of the loops around them, put
   numbers together. What nobody has put anywhere is a node of its own. */

typedef struct Scope {
    Flattener *f;
    Instance *i;
    Vector views;   // View
    uint32_t ports; // elements of all views
    uint32_t *up;   // of each element: one of the same node, itself at the top
    const Node **place; // of each top: a CONNECT
    Node *equations;
    bool connects; // there is a CONNECT
} Scope;

/* ---- Views ------------------------------------------------------------------------- */

static View *view_at(const Scope *s, uint32_t k)
{
    return (View *)(void *)s->views.bytes + k;
}

static uint32_t views(const Scope *s)
{
    return (uint32_t)(s->views.used / sizeof(View));
}

static void add_view(Scope *s, View v)
{
    uint32_t number = views(s);
    v.first = s->ports;
    if (v.count > LIMIT_ARRAY - s->ports) {
        FLAT_ERROR(s->f, v.port->slot->node,
                   "more than %d ports are joined in one place", LIMIT_ARRAY);
        return;
    }
    s->ports += v.count;
    if (v.inside)
        v.port->inside = number;
    else
        v.port->outside = number;
    flat_keep(s->f, vector_append(&s->views, &v, sizeof v));
}

static View view_inside(Port *port)
{
    View v = {.port = port, .inside = true, .rank = port->rank, .count = 1};
    for (uint32_t k = 0; k < port->rank; k++) {
        v.low[k] = port->low[k];
        v.high[k] = port->high[k];
        v.count *= (uint32_t)(v.high[k] - v.low[k] + 1);
    }
    return v;
}

static void add_ports_of(Scope *s, Instance *part)
{
    for (uint32_t k = 0; k < part->template->slots; k++)
        if (part->held[k].port)
            add_view(s, view_outside(part->held[k].port));
}

static uint64_t parts_of(const Held *h)
{
    uint64_t count = h->part ? 1 : 0;
    for (uint32_t k = 0; h->apart && k < h->rank; k++)
        count *= (uint64_t)(h->high[k] - h->low[k] + 1);
    return count;
}

static void gather_views(Scope *s)
{
    for (uint32_t k = 0; k < s->i->template->slots; k++) {
        const Held *h = &s->i->held[k];
        if (h->port)
            add_view(s, view_inside(h->port));
        for (uint64_t p = 0; p < parts_of(h); p++)
            if (h->part[p])
                add_ports_of(s, h->part[p]);
    }
}

void view_indices(const View *v, uint32_t element, int64_t *at)
{
    uint64_t rest = element;
    for (uint32_t k = v->rank; k > 0; k--) {
        uint64_t size = (uint64_t)(v->high[k - 1] - v->low[k - 1] + 1);
        at[k - 1] = v->low[k - 1] + (int64_t)(rest % size);
        rest /= size;
    }
}

/* ---- Ends of a CONNECT ---------------------------------------------------------------- */

typedef struct End {
    const View *view; // NULL: an ordinary variable
    uint32_t element;
    bool whole; // all elements
    int64_t index[2 * RANK_MOST];
    uint32_t indices;
    const Held *held; // while it is read: a part, or
    Port *port;
    Instance *part;
} End;

static bool bad_end(Scope *s, const Node *n, const char *what)
{
    FLAT_ERROR(s->f, n, "CONNECT joins %s", what);
    return false;
}

static bool read_index(Scope *s, const Known *known, const Node *n, End *end)
{
    for (const Node *k = n->last->first; k; k = k->next) {
        if (end->indices == LENGTH(end->index) ||
            !whole_value(s->f, s->i, known, k, &end->index[end->indices])) {
            FLAT_ERROR(s->f, k,
                       "an index in CONNECT must be a whole number made of the "
                       "indices of loops around it and INTEGER CONSTs");
            return false;
        }
        end->indices++;
    }
    return true;
}

/* One element of an array of parts that are not alike. */
static bool pick(Scope *s, const Node *n, End *end)
{
    const Held *h = end->held;
    uint64_t at = 0;
    if (end->indices != h->rank) {
        FLAT_ERROR(s->f, n, "`%s` is an array of parts: say which one",
                   h->text);
        return false;
    }
    for (uint32_t k = 0; k < h->rank; k++) {
        int64_t x = end->index[k];
        if (x < h->low[k] || x > h->high[k]) {
            FLAT_ERROR(s->f, n,
                       "the index %" PRId64 " is outside `%s`, which reaches "
                       "from %" PRId64 " to %" PRId64,
                       x, h->text, h->low[k], h->high[k]);
            return false;
        }
        at = at * (uint64_t)(h->high[k] - h->low[k] + 1) +
             (uint64_t)(x - h->low[k]);
    }
    end->indices = 0;
    end->part = h->part[at];
    return end->part != NULL;
}

static bool read_end(Scope *s, const Known *known, const Node *n, End *end);

/* R1.P */
static bool read_member(Scope *s, const Known *known, const Node *n, End *end)
{
    uint32_t k;
    if (!read_end(s, known, n->first, end))
        return false;
    if (!end->held)
        return bad_end(s, n, "whole ports, not variables in them");
    if (end->held->apart && !pick(s, n, end))
        return false;
    if (!end->held->apart)
        end->part = end->held->part[0];
    const Template *t = end->part ? end->part->template : NULL;
    const Slot *slot = t && n->last->kind == NODE_NAME
                           ? template_slot(t, n->last->text, &k)
                           : NULL;
    if (t && !slot) {
        const char *name = n->last->text ? n->last->text : "";
        const char *near = template_near(s->f, t, name);
        FLAT_ERROR(s->f, n->last,
                   "the part `%s` (MODULE `%s`) has no port `%s`"
                   "%s%s%s",
                   end->part->path, t->name, name,
                   near ? ": did you mean `" : "", near ? near : "",
                   near ? "`?" : "");
        return false;
    }
    if (!t || !end->part->held[k].port) {
        FLAT_ERROR(
            s->f, n->last,
            "`%s` is not a port of MODULE `%s`: CONNECT joins ports, and "
            "variables that are declared INPUT or OUTPUT",
            n->last->text ? n->last->text : "", t ? t->name : "");
        return false;
    }
    end->held = NULL;
    end->port = end->part->held[k].port;
    end->view = view_at(s, end->port->outside);
    return true;
}

static bool read_end(Scope *s, const Known *known, const Node *n, End *end)
{
    uint32_t k;
    switch (n->kind) {
    case NODE_NAME: {
        const Slot *slot = template_slot(s->i->template, n->text, &k);
        if (!slot)
            return bad_end(s, n, "ports of the parts that are declared here");
        const Held *h = &s->i->held[k];
        if (slot->kind == SLOT_PART && h->part) {
            end->held = h;
            return true;
        }
        if (!h->port)
            return slot->kind != SLOT_PART &&
                   bad_end(s, n,
                           "ports, and variables that are declared INPUT "
                           "or OUTPUT in a MODULE");
        end->port = h->port;
        end->view = view_at(s, h->port->inside);
        return true;
    }
    case NODE_INDEX:
        return read_end(s, known, n->first, end) &&
               read_index(s, known, n, end);
    case NODE_SELECT: return read_member(s, known, n, end);
    default: return bad_end(s, n, "ports");
    }
}

/* The number of the element. */
static bool place_end(Scope *s, const Node *n, End *end)
{
    const View *v = end->view;
    uint64_t at = 0;
    end->whole = end->indices == 0 && v->rank > 0;
    if (end->whole)
        return true;
    if (end->indices != v->rank) {
        FLAT_ERROR(s->f, n, "`%s` has %u ind%s here, not %u", v->port->path,
                   v->rank, v->rank == 1 ? "ex" : "ices", end->indices);
        return false;
    }
    for (uint32_t k = 0; k < v->rank; k++) {
        int64_t x = end->index[k];
        if (x < v->low[k] || x > v->high[k]) {
            FLAT_ERROR(s->f, n,
                       "the index %" PRId64 " is outside `%s`, which reaches "
                       "from %" PRId64 " to %" PRId64,
                       x, v->port->path, v->low[k], v->high[k]);
            return false;
        }
        at = at * (uint64_t)(v->high[k] - v->low[k] + 1) +
             (uint64_t)(x - v->low[k]);
    }
    end->element = v->first + (uint32_t)at;
    return true;
}

/* ---- Joining ---------------------------------------------------------------------------- */

static uint32_t top(const Scope *s, uint32_t k)
{
    while (s->up[k] != k) {
        s->up[k] = s->up[s->up[k]];
        k = s->up[k];
    }
    return k;
}

static void join(Scope *s, uint32_t a, uint32_t b, const Node *n)
{
    a = top(s, a);
    b = top(s, b);
    uint32_t low = a < b ? a : b;
    s->up[a < b ? b : a] = low;
    if (!s->place[low])
        s->place[low] = n;
}

/* The variables of both kinds, in their order. */
static bool same_kind(const PortKind *a, const PortKind *b)
{
    if (!a->members || !b->members)
        return !a->members && !b->members;
    const Node *m = a->members->first, *k = b->members->first;
    for (; m && k; m = m->next, k = k->next)
        if (m->word != k->word || !name_same(m->text, k->text))
            return false;
    return !m && !k;
}

/* CONNECT of a signal and an ordinary variable. */
static Node *replace_known(Scope *s, const Known *known, const Node *n)
{
    if (n->kind == NODE_NAME)
        for (const Known *k = known; k; k = k->around)
            if (name_same(k->name, n->text))
                return build_whole(s->f, k->value, n);
    Node *copy = build(s->f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    for (const Node *k = n->first; k; k = k->next)
        node_add(copy, replace_known(s, known, k));
    return copy;
}

static bool is_variable(const Scope *s, const Node *n)
{
    uint32_t k;
    while (n->kind == NODE_INDEX)
        n = n->first;
    if (n->kind != NODE_NAME)
        return false;
    const Slot *slot = template_slot(s->i->template, n->text, &k);
    return !slot || slot->kind == SLOT_FORMAL ||
           (slot->kind == SLOT_NAME && slot->node->kind == NODE_VARIABLE);
}

static void connect_variable(Scope *s, const Known *known, const Node *n)
{
    for (const Node *k = n->first; k; k = k->next) {
        if (is_variable(s, k))
            continue;
        Ref r = reference(s->f, s->i, replace_known(s, known, k));
        if (r.kind == REF_WRONG)
            return;
        if (r.kind == REF_PORT && !r.port->kind.members)
            continue;
        FLAT_ERROR(
            s->f, k,
            "CONNECT joins two ports or two signals, but here a variable "
            "and `%s`",
            r.kind == REF_PORT   ? r.port->path
            : r.kind == REF_PART ? r.held->text
                                 : "something else");
        return;
    }
    s->f->equations++; // what it names is not closed
    Node *a = rewrite(s->f, s->i, replace_known(s, known, n->first));
    Node *b = rewrite(s->f, s->i, replace_known(s, known, n->last));
    s->f->equations--;
    a->next = b->next = NULL;
    node_add(s->equations, build_equation(s->f, a, b, n));
}

/* Both ends, each of one element or a whole array. */
static void join_ends(Scope *s, const Node *n, const End *a, const End *b)
{
    if (!same_kind(&a->port->kind, &b->port->kind)) {
        FLAT_ERROR(s->f, n,
                   "`%s` is a port of the kind `%s` and `%s` one of the kind "
                   "`%s`: ports of one kind are joined, which have the same "
                   "variables",
                   a->port->path,
                   a->port->kind.members ? a->port->kind.name : "signal",
                   b->port->path,
                   b->port->kind.members ? b->port->kind.name : "signal");
        return;
    }
    uint32_t count = a->whole ? a->view->count : 1;
    if (count != (b->whole ? b->view->count : 1)) {
        FLAT_ERROR(
            s->f, n,
            "CONNECT of whole arrays needs two of the same size: say which "
            "elements are joined");
        return;
    }
    for (uint32_t k = 0; k < count; k++)
        join(s, a->whole ? a->view->first + k : a->element,
             b->whole ? b->view->first + k : b->element, n);
}

static bool find_end(Scope *s, const Known *known, const Node *n, End *end)
{
    if (!read_end(s, known, n, end))
        return false;
    if (!end->view)
        return bad_end(s, n, "ports: name a port of the part, as in R1.P");
    return place_end(s, n, end);
}

/* The elements of one end: of whole arrays of parts that are Instances of their
   own, or of one array. */
static Node *elements_of(Scope *s, const Known *known, const Node *n)
{
    Node *end = replace_known(s, known, n);
    Node *list = path_elements(s->f, s->i, end);
    Instance *part;
    if (list->first != list->last || end->kind != NODE_SELECT)
        return list;
    const Held *h = part_held(s->f, s->i, end->first, &part);
    if (!h || h->apart || h->rank == 0 || end->first->kind == NODE_INDEX)
        return list;
    list = build(s->f, NODE_LIST, end, end->origin);
    for (uint32_t k = 0; k < held_elements(h) && !s->f->broken; k++) {
        Node *select = build(s->f, NODE_SELECT, end, end->origin);
        node_add(select, held_element(s->f, h, k, end->first));
        node_add(select, node_copy(s->f, end->last));
        node_add(list, select);
    }
    return list;
}

/* A whole array of parts that are not one Instance: element by element. */
static bool connect_apart(Scope *s, const Known *known, const Node *n)
{
    Node *a = path_elements(s->f, s->i, replace_known(s, known, n->first));
    Node *b = path_elements(s->f, s->i, replace_known(s, known, n->last));
    if (a->first == a->last && b->first == b->last)
        return false;
    a = elements_of(s, known, n->first);
    b = elements_of(s, known, n->last);
    if (node_count(a) != node_count(b)) {
        FLAT_ERROR(
            s->f, n,
            "CONNECT of whole arrays needs two of the same size: say which "
            "elements are joined");
        return true;
    }
    for (Node *k = a->first, *m = b->first; k; k = k->next, m = m->next) {
        End x = {0}, y = {0};
        if (!find_end(s, known, k, &x) || !find_end(s, known, m, &y))
            break;
        join_ends(s, n, &x, &y);
    }
    return true;
}

static void connect(Scope *s, const Known *known, const Node *n)
{
    End a = {0}, b = {0};
    if (is_variable(s, n->first) || is_variable(s, n->last)) {
        connect_variable(s, known, n);
        return;
    }
    if (s->f->apart && connect_apart(s, known, n))
        return;
    if (find_end(s, known, n->first, &a) && find_end(s, known, n->last, &b))
        join_ends(s, n, &a, &b);
}

/* ---- Statements -------------------------------------------------------------------------- */

bool node_connects(const Node *n)
{
    if (n->kind == NODE_CONNECT)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (node_connects(k))
            return true;
    return false;
}

static void walk(Scope *s, const Known *known, const Node *n);

static void walk_for(Scope *s, const Known *known, const Node *n)
{
    int64_t from, to, by = 1;
    const Node *step = node_child(n, 2);
    if (!whole_value(s->f, s->i, known, n->first, &from) ||
        !whole_value(s->f, s->i, known, node_child(n, 1), &to) ||
        (!flat_absent(step) && !whole_value(s->f, s->i, known, step, &by)) ||
        by < 1) {
        FLAT_ERROR(s->f, n,
                   "a loop around CONNECT runs between whole numbers made of "
                   "INTEGER CONSTs");
        return;
    }
    bool down = n->word == WORD_DOWNTO;
    if ((down ? from - to : to - from) / by > LIMIT_ARRAY) {
        FLAT_ERROR(s->f, n, "a loop around CONNECT has at most %d passes",
                   LIMIT_ARRAY);
        return;
    }
    uint32_t errors = s->f->u->diags->errors;
    for (int64_t v = from; down ? v >= to : v <= to; v += down ? -by : by) {
        Known index = {n->text, v, known};
        walk(s, &index, n->last);
        if (s->f->u->diags->errors > errors)
            return; // once, not for each pass
    }
}

static void walk_if(Scope *s, const Known *known, const Node *n)
{
    int64_t truth;
    if (!whole_value(s->f, s->i, known, n->first, &truth)) {
        FLAT_ERROR(s->f, n->first,
                   "which ports are joined cannot change during a run: a "
                   "condition around CONNECT depends on indices and INTEGER "
                   "CONSTs only; for a connection that opens and closes, put a "
                   "switch between the ports");
        return;
    }
    if (truth)
        walk(s, known, node_child(n, 1));
    else if (!flat_absent(n->last))
        walk(s, known, n->last);
}

static void walk(Scope *s, const Known *known, const Node *n)
{
    if (!node_connects(n))
        return;
    switch (n->kind) {
    case NODE_CONNECT: connect(s, known, n); return;
    case NODE_FOR: walk_for(s, known, n); return;
    case NODE_IF: walk_if(s, known, n); return;
    case NODE_LIST:
    case NODE_BLOCK:
    case NODE_CONTINUOUS:
        for (const Node *k = n->first; k; k = k->next)
            walk(s, known, k);
        return;
    default:
        FLAT_ERROR(s->f, n,
                   "CONNECT stands in CONTINUOUS itself or in FOR, not "
                   "in %s",
                   node_words(n->kind));
    }
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static void unconnected_input(Scope *s, const View *v, uint32_t element)
{
    const Port *p = v->port;
    int64_t at[RANK_MOST];
    view_indices(v, element, at);
    const char *index =
        v->rank == 0 ? ""
        : v->rank == 1
            ? flat_text(s->f, "[%" PRId64 "]", at[0])
            : flat_text(s->f, "[%" PRId64 ",%" PRId64 "]", at[0], at[1]);
    Node place = *p->slot->node;
    place.origin = p->owner->origin;
    FLAT_ERROR(s->f, &place,
               "the INPUT `%s%s` is not connected: CONNECT an OUTPUT to it, or "
               "write an equation for it",
               p->path, index);
}

/* A node of one port: nothing flows, unless an equation speaks of it. */
static bool is_open(Scope *s, const View *v, uint32_t element)
{
    const Port *p = v->port;
    if (!v->inside && p->named && p->named[element] && p->flow)
        p->flow->flags |= FLAG_PATH; // told if an equation is missing
    if (v->inside || (p->named && p->named[element]))
        return false;
    if (p->kind.members || p->kind.signal == WORD_OUTPUT)
        return true;
    unconnected_input(s, v, element);
    return false;
}

typedef struct Sorted {
    uint32_t *start; // of each node, in `element`
    uint32_t *element;
    uint32_t nodes;
} Sorted;

/* Elements node by node; nodes in the order of their first elements. */
static bool sort(Scope *s, Sorted *out)
{
    Arena *a = s->f->u->arena;
    uint32_t *number = NEW_ARRAY(a, uint32_t, s->ports + 1);
    out->start = NEW_ARRAY(a, uint32_t, s->ports + 2);
    out->element = NEW_ARRAY(a, uint32_t, s->ports + 1);
    if (!flat_keep(s->f, number && out->start && out->element))
        return false;
    out->nodes = 0;
    for (uint32_t k = 0; k < s->ports; k++)
        if (s->up[k] == k)
            number[k] = out->nodes++;
    for (uint32_t k = 0; k < s->ports; k++)
        out->start[number[top(s, k)] + 1]++;
    for (uint32_t k = 0; k < out->nodes; k++)
        out->start[k + 1] += out->start[k];
    uint32_t *next = NEW_ARRAY(a, uint32_t, out->nodes + 1);
    if (!flat_keep(s->f, next != NULL))
        return false;
    memcpy(next, out->start, out->nodes * sizeof *next);
    for (uint32_t k = 0; k < s->ports; k++)
        out->element[next[number[top(s, k)]]++] = k;
    return true;
}

/* Junctions of all nodes that have equations. */
static void make_nodes(Scope *s, const Sorted *order, uint32_t *view_of)
{
    Arena *a = s->f->u->arena;
    Junction *node = NEW_ARRAY(a, Junction, order->nodes + 1);
    Member *member = NEW_ARRAY(a, Member, s->ports + 1);
    uint32_t nodes = 0;
    if (!flat_keep(s->f, node && member))
        return;
    for (uint32_t k = 0; k < order->nodes; k++) {
        uint32_t begin = order->start[k], end = order->start[k + 1];
        const View *only = view_at(s, view_of[order->element[begin]]);
        if (end - begin == 1 &&
            !is_open(s, only, order->element[begin] - only->first))
            continue;
        Junction *j = &node[nodes++];
        j->member = &member[begin];
        j->members = end - begin;
        j->place = s->place[order->element[begin]];
        for (uint32_t m = begin; m < end; m++) {
            uint32_t e = order->element[m];
            member[m].view = view_at(s, view_of[e]);
            view_indices(member[m].view, e - member[m].view->first,
                         member[m].at);
        }
    }
    node_equations(s->f, s->i, node, nodes, s->equations);
}

void connect_ports(Flattener *f, Instance *i, const Node *blocks,
                   Node *equations)
{
    Scope s = {.f = f, .i = i, .equations = equations};
    Sorted order;
    gather_views(&s);
    s.up = NEW_ARRAY(f->u->arena, uint32_t, s.ports + 1);
    s.place = NEW_ARRAY(f->u->arena, const Node *, s.ports + 1);
    uint32_t *view_of = NEW_ARRAY(f->u->arena, uint32_t, s.ports + 1);
    uint32_t errors = f->u->diags->errors;
    if (flat_keep(f, s.up && s.place && view_of) && !f->broken) {
        for (uint32_t v = 0; v < views(&s); v++)
            for (uint32_t k = 0; k < view_at(&s, v)->count; k++) {
                s.up[view_at(&s, v)->first + k] = view_at(&s, v)->first + k;
                view_of[view_at(&s, v)->first + k] = v;
            }
        for (const Node *b = blocks->first; b; b = b->next)
            if (b->kind == NODE_CONTINUOUS)
                walk(&s, NULL, b);
        if (f->u->diags->errors == errors && s.ports > 0 && sort(&s, &order))
            make_nodes(&s, &order, view_of);
    }
    vector_free(&s.views);
}
