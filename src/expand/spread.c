#include "expand/instance.h"

/* Whole arrays of parts that are Instances of their own: where a statement lists
   names, M.W stands for M[1].W, M[2].W ...

   Statements that hold a name and not a designator take the path as it is
   written, and get its name here. */

/* ---- Parts that a path goes through ------------------------------------------------- */

/* The number of the element, from the indices of n. */
static bool element_number(Flattener *f, Instance *i, const Held *h,
                           const Node *n, uint64_t *at)
{
    uint32_t d = 0;
    *at = 0;
    for (const Node *k = n->last->first; k; k = k->next, d++) {
        int64_t v;
        if (d == h->rank || !whole_value(f, i, NULL, k, &v) || v < h->low[d] ||
            v > h->high[d])
            return false;
        *at = *at * (uint64_t)(h->high[d] - h->low[d] + 1) +
              (uint64_t)(v - h->low[d]);
    }
    return d == h->rank;
}

const Held *part_held(Flattener *f, Instance *i, const Node *n, Instance **part)
{
    const Held *h = NULL;
    uint32_t k;
    uint64_t at;
    bool scope = n->kind == NODE_NAME;
    *part = NULL;
    if (n->kind == NODE_INDEX) {
        h = part_held(f, i, n->first, part);
        if (h && h->apart && !*part && element_number(f, i, h, n, &at))
            *part = h->part[at];
        return h;
    }
    if (n->kind == NODE_SELECT) {
        if (!part_held(f, i, n->first, &i) || !i)
            return NULL;
        n = n->last;
    }
    if (n->kind != NODE_NAME || (scope && bound_find(f, n->text)) ||
        !template_slot(i->template, n->text, &k) ||
        i->template->slot[k].kind != SLOT_PART)
        return NULL;
    h = &i->held[k];
    if (h->part && !h->apart)
        *part = h->part[0];
    return h->part ? h : NULL;
}

/* ---- Elements -------------------------------------------------------------------------- */

uint32_t held_elements(const Held *h)
{
    uint32_t count = 1;
    for (uint32_t d = 0; d < h->rank; d++)
        count *= (uint32_t)(h->high[d] - h->low[d] + 1);
    return count;
}

Node *held_element(Flattener *f, const Held *h, uint32_t number,
                   const Node *base)
{
    Node *index[RANK_MOST];
    for (uint32_t d = h->rank; d > 0; d--) {
        uint32_t size = (uint32_t)(h->high[d - 1] - h->low[d - 1] + 1);
        index[d - 1] =
            build_whole(f, h->low[d - 1] + (int64_t)(number % size), base);
        number /= size;
    }
    Node *list = build(f, NODE_LIST, base, base->origin);
    for (uint32_t d = 0; d < h->rank; d++)
        node_add(list, index[d]);
    Node *n = build(f, NODE_INDEX, base, base->origin);
    node_add(n, node_copy(f, base));
    node_add(n, list);
    return n;
}

/* Paths with one member more: a part that is a whole array gives one for each of
   its elements. */
static void add_members(Flattener *f, Instance *i, const Node *base,
                        const Node *n, Node *out)
{
    Instance *part;
    const Held *h = part_held(f, i, base, &part);
    bool open = h && h->apart && !part && base->kind != NODE_INDEX;
    uint32_t count = open ? held_elements(h) : 1;
    for (uint32_t k = 0; k < count && !f->broken; k++) {
        Node *select = build(f, NODE_SELECT, n, n->origin);
        node_add(select,
                 open ? held_element(f, h, k, base) : node_copy(f, base));
        node_add(select, node_copy(f, n->last));
        node_add(out, select);
    }
}

Node *path_elements(Flattener *f, Instance *i, const Node *n)
{
    Node *out = build(f, NODE_LIST, n, n->origin);
    if (n->kind != NODE_INDEX && n->kind != NODE_SELECT) {
        node_add(out, node_copy(f, n));
        return out;
    }
    const Node *bases = path_elements(f, i, n->first);
    if (f->broken)
        return out;
    for (const Node *b = bases->first; b && !f->broken; b = b->next) {
        if (n->kind == NODE_SELECT) {
            add_members(f, i, b, n, out);
            continue;
        }
        Node *index = build(f, NODE_INDEX, n, n->origin);
        node_add(index, node_copy(f, b));
        node_add(index, node_copy(f, n->last));
        node_add(out, index);
    }
    return out;
}

/* ---- Lists ------------------------------------------------------------------------------- */

/* The values of element number `at` of `count`: those in double parentheses are
   given out one by one. */
static void give_out(Flattener *f, Node *values, uint32_t at, uint32_t count)
{
    if (values->kind != NODE_VALUES)
        return;
    for (Node *e = values->first->first; e; e = e->next) {
        if (e->kind != NODE_ELEMENT || e->first->kind != NODE_LIST)
            continue;
        uint32_t given = node_count(e->first);
        if (given != count) {
            if (at == 0)
                FLAT_ERROR(f, e, "%u values are given for an array of %u parts",
                           given, count);
            continue;
        }
        Node *value = node_copy(f, node_child(e->first, at));
        value->next = e->first->next;
        if (e->last == e->first)
            e->last = value;
        e->first = value;
    }
}

/* An item for each path of its own. */
static void add_items(Flattener *f, Instance *i, const Node *item, Node *out)
{
    bool setting = item->kind == NODE_SETTING;
    bool own = item->flags & FLAG_PATH;
    const Node *path = setting ? item->first : own ? item->last : item;
    const Node *paths = path_elements(f, i, path);
    uint32_t count = node_count(paths), at = 0;
    for (const Node *p = paths->first; p && !f->broken; p = p->next, at++) {
        if (!setting && !own) {
            node_add(out, node_copy(f, p));
            continue;
        }
        Node *copy = build(f, item->kind, item, item->origin);
        *copy = *item;
        copy->first = copy->last = copy->next = NULL;
        for (const Node *k = item->first; k && !f->broken; k = k->next)
            node_add(copy, node_copy(f, k == path ? p : k));
        if (setting && count > 1 && !f->broken)
            give_out(f, copy->last, at, count);
        node_add(out, copy);
    }
}

static bool is_listed(const Node *n)
{
    return n->kind == NODE_INDEX || n->kind == NODE_SELECT ||
           n->kind == NODE_SETTING || (n->flags & FLAG_PATH);
}

static void spread_list(Flattener *f, Instance *i, Node *list)
{
    Node *out = build(f, NODE_LIST, list, list->origin);
    for (Node *k = list->first, *next; k && !f->broken; k = next) {
        next = k->next;
        if (is_listed(k)) {
            add_items(f, i, k, out);
        } else {
            k->next = NULL;
            node_add(out, k);
        }
    }
    list->first = out->first;
    list->last = out->last;
}

Node *spread(Flattener *f, Instance *i, Node *n)
{
    switch (n->kind) {
    case NODE_STORE_PART:
    case NODE_SHOW:
    case NODE_SETTINGS:
    case NODE_COLLECT:
    case NODE_TIMEPERS:
    case NODE_HISTOGRAM:
    case NODE_RANDOMGEN:
    case NODE_LINEARIZE:
    case NODE_SENSITIVITY: break;
    default: return n;
    }
    if (i != f->program) // the nodes of a MODULE are those of all its parts
        n = node_copy(f, n);
    for (Node *k = n->first; k && !f->broken; k = k->next)
        if (k->kind == NODE_LIST)
            spread_list(f, i, k);
    return n;
}

/* ---- Names -------------------------------------------------------------------------------- */

/* The path is resolved: a name, if it is what the statement takes. */
static const char *name_of(Flattener *f, const Node *path, const char *what)
{
    if (path->kind == NODE_NAME)
        return path->text;
    if (path->kind == NODE_INDEX && path->first->kind == NODE_NAME)
        FLAT_ERROR(f, path,
                   "%s takes all of `%s`, not one element: leave the index out",
                   what, path->first->text);
    else if (!(path->flags & FLAG_PATH))
        FLAT_ERROR(f, path, "%s takes a name, or what is in a part", what);
    return "";
}

/* These name something in their text. */
static void settle_text(Flattener *f, Node *n)
{
    Node *before = n->first;
    if (!(n->flags & FLAG_PATH))
        return;
    n->text = name_of(f, n->last, node_words(n->kind));
    n->flags &= ~(uint32_t)FLAG_PATH;
    while (before->next != n->last)
        before = before->next;
    before->next = NULL;
    n->last = before;
}

static void settle_child(Flattener *f, Node *child, const char *what)
{
    if (child->kind == NODE_NAME || child->kind == NODE_NONE)
        return;
    Node *next = child->next;
    const char *text = name_of(f, child, what);
    *child = (Node){.kind = NODE_NAME,
                    .text = text,
                    .at = child->at,
                    .origin = child->origin,
                    .next = next};
}

void settle_names(Flattener *f, Node *n)
{
    const char *what = node_words(n->kind);
    switch (n->kind) {
    case NODE_START:
    case NODE_TIMEPERS_ITEM:
    case NODE_HISTOGRAM_ITEM:
    case NODE_RANDOM_ITEM: settle_text(f, n); break;
    case NODE_INSERT:
    case NODE_REMOVE: settle_child(f, n->first, what); break;
    case NODE_FIND:
    case NODE_GENERATE: settle_child(f, node_child(n, 1), what); break;
    case NODE_COLLECT:
        for (Node *k = n->first->first; k; k = k->next)
            settle_child(f, k, what);
        break;
    default: break;
    }
}
