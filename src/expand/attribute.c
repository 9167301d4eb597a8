#include "expand/instance.h"

/* Attributes of a record that is declared in a MODULE have the path of the part,
   as all its names. A statement outside that names a file or a process of the part
   names its attributes as they are written there. */

/* What the path means is declared in this instance; nothing is reported. */
static Instance *home_of(Flattener *f, Instance *i, const Node *n)
{
    Instance *part;
    uint32_t k;
    if (n->kind == NODE_NAME)
        return template_slot(i->template, n->text, &k) ? i : f->program;
    if (n->kind == NODE_SELECT && part_held(f, i, n->first, &part))
        return part ? part : f->program;
    return n->kind == NODE_SELECT || n->kind == NODE_INDEX
               ? home_of(f, i, n->first)
               : f->program;
}

static void name_attributes(const Instance *home, Node *n)
{
    uint32_t k;
    const Slot *s = n->kind == NODE_NAME
                        ? template_slot(home->template, n->text, &k)
                        : NULL;
    if (s && s->node->kind == NODE_FIELD_ITEM)
        n->text = home->held[k].text;
    for (Node *m = n->first; m; m = m->next)
        if (n->kind != NODE_SELECT || m == n->first)
            name_attributes(home, m);
}

static void name_targets(const Instance *home, Node *where)
{
    if (where->kind == NODE_WHERE)
        for (Node *k = where->first->first; k; k = k->next)
            name_attributes(home, k->first);
}

/* What the program declares has attributes with their own names, whatever the
   MODULE declares under these. */
static void keep_targets(Node *where)
{
    if (where->kind == NODE_WHERE)
        for (Node *k = where->first->first; k; k = k->next) {
            Node *name = k->first;
            while (name->first)
                name = name->first;
            name->flags |= FLAG_ATTRIBUTE;
        }
}

/* The child that names a file, a process or an event. */
static const Node *record_holder(const Node *n)
{
    switch (n->kind) {
    case NODE_FIND:
    case NODE_GENERATE: return node_child(n, 1);
    case NODE_CREATE:
    case NODE_INSERT:
    case NODE_SCHEDULE:
    case NODE_WITH: return n->first;
    default: return NULL;
    }
}

Node *attributes_of_parts(Flattener *f, Instance *i, Node *n)
{
    const Node *holder = record_holder(n);
    Instance *home = holder ? home_of(f, i, holder) : f->program;
    bool with = n->kind == NODE_FIND || n->kind == NODE_WITH;
    if (home == i || (home == f->program && (!holder || with)))
        return n;
    if (i != f->program) // the nodes of a MODULE are those of all its parts
        n = node_copy(f, n);
    if (f->broken)
        return n;
    if (home == f->program)
        keep_targets(n->last);
    else if (with)
        name_attributes(home, n->last);
    else
        name_targets(home, n->last);
    return n;
}
