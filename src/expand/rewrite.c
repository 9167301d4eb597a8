#include "expand/instance.h"

/* Copies of a module's nodes, with names and paths of the flat program. */

Node *node_copy(Flattener *f, const Node *n)
{
    if (f->broken)
        return build_spare(f);
    Node *copy = build(f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    copy->height = 0;
    for (const Node *k = n->first; k && !f->broken; k = k->next)
        node_add(copy, node_copy(f, k));
    return copy;
}

/* ---- Origins --------------------------------------------------------------------- */

/* The origin of a node that is copied: whatever macro it came from, the part is
   around that. */
static uint32_t moved(Flattener *f, Instance *i, uint32_t origin)
{
    const Origins *o = &f->u->origins;
    if (i == f->program)
        return origin;
    if (origin == 0 || origin >= o->count)
        return i->origin;
    for (const Moved *m = i->moved; m; m = m->next)
        if (m->from == origin)
            return m->to;
    Origin macro = o->origin[origin];
    macro.parent = moved(f, i, macro.parent);
    Moved *fresh = NEW(f->u->arena, Moved);
    if (!flat_keep(f, fresh != NULL))
        return i->origin;
    *fresh = (Moved){origin, unit_add_origin(f->u, &macro), i->moved};
    i->moved = fresh;
    flat_keep(f, fresh->to != 0);
    return fresh->to;
}

/* ---- References ------------------------------------------------------------------- */

static const Node *root_of(const Node *n)
{
    while (n->kind == NODE_INDEX || n->kind == NODE_SELECT)
        n = n->first;
    return n;
}

/* Names of the loops over the parts of i. */
static void begin(Flattener *f, Ref *r, Instance *i, const Node *n)
{
    r->instance = i;
    r->indices = r->own = 0;
    for (uint32_t k = 0; k < i->rank; k++)
        r->index[r->indices++] = build_name(f, i->index[k], n);
}

/* What a formal stands for, where the loops of its part have these indices. */
static Node *placed(Flattener *f, const Node *n, const Instance *i,
                    Node *const *index, uint32_t indices)
{
    if (f->broken)
        return build_spare(f);
    if (n->kind == NODE_NAME)
        for (uint32_t k = 0; k < i->rank && k < indices; k++)
            if (n->text == i->index[k])
                return node_copy(f, index[k]);
    Node *copy = build(f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    copy->height = 0;
    for (const Node *k = n->first; k && !f->broken; k = k->next)
        node_add(copy, placed(f, k, i, index, indices));
    return copy;
}

/* What is given to a part may come from parts that are there already. */
static void too_early(Flattener *f, const Node *n, const char *path)
{
    FLAT_ERROR(f, n,
               "`%s` is not there yet: a part that others are given something "
               "of is declared before them",
               path);
}

/* A name of the part r->instance, or of the scope itself. */
static Ref of_slot(Flattener *f, Ref r, uint32_t number, const Node *n,
                   uint32_t origin)
{
    Instance *i = r.instance;
    const Slot *s = &i->template->slot[number];
    const Held *h = &i->held[number];
    if (s->kind == SLOT_PART) {
        r.kind = REF_PART;
        r.held = h;
        r.open = h->rank > 0;
        r.own = 0;
        if (!h->part) // otherwise reported where it is declared
            r.kind = REF_WRONG;
        if (!h->begun)
            too_early(f, n, h->text);
        return r;
    }
    if (s->kind == SLOT_PORT && h->port) {
        r.kind = REF_PORT;
        r.port = h->port;
        return r;
    }
    r.kind = REF_NODE;
    Node place = *n;
    place.origin = origin;
    if (h->actual) {
        r.node = placed(f, h->actual, i, r.index, r.indices);
        r.instance = f->program;
    } else
        r.node = build_element(f, h->text, r.index, h->indexed ? r.indices : 0,
                               &place);
    return r;
}

static Ref wrong(void)
{
    return (Ref){.kind = REF_WRONG};
}

/* The element of an array of parts that are not alike. */
static Ref choose(Flattener *f, Ref r, const Node *n)
{
    uint64_t at = 0;
    const Held *h = r.held;
    for (uint32_t k = 0; k < h->rank; k++) {
        int64_t v;
        Node *index = r.index[r.indices - h->rank + k];
        if (!whole_value(f, f->program, NULL, index, &v)) {
            const Instance *some = h->part[0];
            FLAT_ERROR(f, n,
                       "the index must be a whole number that is known here: "
                       "parts of `%s` are not elements of one array, because "
                       "their MODULE contains %s",
                       h->text, some ? some->template->alone : "more");
            return wrong();
        }
        if (v < h->low[k] || v > h->high[k]) {
            FLAT_ERROR(
                f, n,
                "the index %lld is outside `%s`, which reaches from %lld "
                "to %lld",
                (long long)v, h->text, (long long)h->low[k],
                (long long)h->high[k]);
            return wrong();
        }
        at = at * (uint64_t)(h->high[k] - h->low[k] + 1) +
             (uint64_t)(v - h->low[k]);
    }
    r.indices -= h->rank;
    r.instance = h->part[at];
    r.open = false;
    if (!r.instance)
        too_early(f, n, h->text);
    return r.instance ? r : wrong();
}

static Ref of_index(Flattener *f, Instance *i, Ref r, Node *n)
{
    if (r.kind == REF_NODE) {
        Node *list = rewrite_list(f, i, n->last);
        if (r.node->kind != NODE_INDEX) {
            Node *element = build(f, NODE_INDEX, n, moved(f, i, n->origin));
            node_add(element, r.node);
            node_add(element, list);
            r.node = element;
        } else {
            for (Node *k = list->first, *next; k && !f->broken; k = next) {
                next = k->next;
                k->next = NULL;
                node_add(r.node->last, k);
            }
        }
        return r;
    }
    uint32_t most = r.kind == REF_PART ? r.held->rank : r.port->rank;
    for (Node *k = n->last->first; k; k = k->next) {
        if (r.own == most || r.indices == LENGTH(r.index)) {
            FLAT_ERROR(f, k,
                       most == 0 ? "`%s` is not an array"
                                 : "`%s` has fewer indices",
                       r.kind == REF_PART ? r.held->text : r.port->path);
            return wrong();
        }
        Node *alone = node_copy(f, k);
        r.index[r.indices++] = rewrite(f, i, alone);
        r.own++;
    }
    if (r.own < most) {
        FLAT_ERROR(f, n, "`%s` has more indices",
                   r.kind == REF_PART ? r.held->text : r.port->path);
        return wrong();
    }
    if (r.kind == REF_PORT)
        return r;
    r.open = false;
    return r.held->apart ? choose(f, r, n) : r;
}

/* ---- Members ------------------------------------------------------------------------ */

View view_outside(Port *port)
{
    View v = {.port = port};
    const Instance *owner = port->owner, *scope = owner->around;
    for (uint32_t k = scope ? scope->rank : 0; k < owner->rank; k++) {
        v.low[v.rank] = owner->low[k];
        v.high[v.rank++] = owner->high[k];
    }
    for (uint32_t k = 0; k < port->rank && v.rank < RANK_MOST; k++) {
        v.low[v.rank] = port->low[k];
        v.high[v.rank++] = port->high[k];
    }
    v.count = 1;
    for (uint32_t k = 0; k < v.rank; k++)
        v.count *= (uint32_t)(v.high[k] - v.low[k] + 1);
    return v;
}

/* An equation outside the part names this element, or some element. */
static void mark_named(Flattener *f, const Ref *r)
{
    View v = view_outside(r->port);
    uint32_t skip = r->port->owner->around ? r->port->owner->around->rank : 0;
    uint64_t at = 0;
    bool known = r->indices == skip + v.rank;
    if (!r->port->named)
        r->port->named = NEW_ARRAY(f->u->arena, bool, v.count);
    if (!flat_keep(f, r->port->named != NULL))
        return;
    for (uint32_t k = 0; known && k < v.rank; k++) {
        int64_t x;
        known = whole_value(f, f->program, NULL, r->index[skip + k], &x) &&
                x >= v.low[k] && x <= v.high[k];
        if (known)
            at = at * (uint64_t)(v.high[k] - v.low[k] + 1) +
                 (uint64_t)(x - v.low[k]);
    }
    for (uint32_t k = 0; k < v.count; k++)
        if (!known || k == at)
            r->port->named[k] = true;
}

static Ref of_port(Flattener *f, Instance *i, Ref r, const Node *n)
{
    const Node *member = n->last, *found = NULL;
    const Node *all = r.port->kind.members;
    if (member->kind != NODE_NAME || !all) {
        FLAT_ERROR(f, n, "`%s` is a variable: nothing is inside it",
                   r.port->path);
        return wrong();
    }
    for (const Node *m = all->first; m; m = m->next)
        if (name_same(m->text, member->text))
            found = m;
    if (!found) {
        FLAT_ERROR(f, member, "a port of the kind `%s` has no `%s`",
                   r.port->kind.name, member->text);
        return wrong();
    }
    if (f->equations > 0 && r.port->owner != i)
        mark_named(f, &r);
    Node place = *n;
    place.origin = moved(f, i, n->origin);
    r.kind = REF_NODE;
    r.node = build_element(f, flat_text(f, "%s.%s", r.port->path, found->text),
                           r.index, r.indices, &place);
    return r;
}

static Ref of_part(Flattener *f, Instance *i, Ref r, Node *n)
{
    Node *member = n->last;
    const Held *h = r.held;
    uint32_t number;
    if (r.open && h->apart) {
        FLAT_ERROR(f, n,
                   "`%s` is an array of parts: say which one, as in "
                   "%s[1].%s",
                   h->text, h->text, member->text ? member->text : "X");
        return wrong();
    }
    Instance *part = r.instance;
    if (!h->apart)
        part = h->part[0];
    if (!part)
        return wrong();
    const Slot *s = member->kind == NODE_NAME
                        ? template_slot(part->template, member->text, &number)
                        : NULL;
    if (!s) {
        const char *name = member->text ? member->text : "";
        const char *near = template_near(f, part->template, name);
        FLAT_ERROR(f, member, "the part `%s` (MODULE `%s`) has no `%s`%s%s%s",
                   part->path, part->template->name, name,
                   near ? ": did you mean `" : "", near ? near : "",
                   near ? "`?" : "");
        return wrong();
    }
    if (r.open && r.indices > 0) {
        FLAT_ERROR(f, n, "`%s` is an array of parts: say which one", h->text);
        return wrong();
    }
    r.instance = part; // without indices: all elements
    r = of_slot(f, r, number, n, moved(f, i, n->origin));
    if (f->equations > 0 && r.kind == REF_PORT && !r.port->kind.members)
        mark_named(f, &r);
    return r;
}

/* What is selected of something that is declared in `home`. */
static Node *member_copy(Flattener *f, Instance *i, const Instance *home,
                         Node *member)
{
    uint32_t k;
    if (member->kind != NODE_NAME)
        return rewrite(f, i, member);
    const Slot *s = template_slot(home->template, member->text, &k);
    Node *copy = i == f->program ? member : node_copy(f, member);
    copy->origin = moved(f, i, copy->origin);
    if (home != f->program && s && s->node->kind == NODE_FIELD_ITEM)
        copy->text = home->held[k].text;
    return copy;
}

static Ref of_select(Flattener *f, Instance *i, Ref r, Node *n)
{
    if (r.kind == REF_PORT)
        return of_port(f, i, r, n);
    if (r.kind == REF_PART)
        return of_part(f, i, r, n);
    Node *select = build(f, NODE_SELECT, n, moved(f, i, n->origin));
    node_add(select, r.node);
    node_add(select, member_copy(f, i, r.instance, node_copy(f, n->last)));
    r.node = select;
    return r;
}

Ref reference(Flattener *f, Instance *i, Node *n)
{
    Ref r = {.kind = REF_WRONG};
    uint32_t number;
    if (f->broken)
        return r;
    switch (n->kind) {
    case NODE_NAME: {
        const Bound *bound = bound_find(f, n->text);
        if (bound || !template_slot(i->template, n->text, &number)) {
            r.kind = REF_NODE;
            r.node = i == f->program ? n : node_copy(f, n);
            r.node->next = NULL;
            r.node->origin = moved(f, i, n->origin);
            r.node->text = bound ? bound->text : n->text;
            r.instance = bound ? i : f->program;
            return r;
        }
        begin(f, &r, i, n);
        return of_slot(f, r, number, n, moved(f, i, n->origin));
    }
    case NODE_INDEX:
        r = reference(f, i, n->first);
        return r.kind == REF_WRONG ? r : of_index(f, i, r, n);
    case NODE_SELECT:
        r = reference(f, i, n->first);
        return r.kind == REF_WRONG ? r : of_select(f, i, r, n);
    default: break;
    }
    r.kind = REF_NODE;
    r.instance = f->program;
    r.node = rewrite(f, i, n);
    return r;
}

/* ---- Rewriting ---------------------------------------------------------------------- */

static Node *rewrite_path(Flattener *f, Instance *i, Node *n)
{
    Ref r = reference(f, i, n);
    switch (r.kind) {
    case REF_NODE: return r.node;
    case REF_PORT:
        if (!r.port->kind.members) {
            Node place = *n;
            place.origin = moved(f, i, n->origin);
            return build_element(f, r.port->path, r.index, r.indices, &place);
        }
        FLAT_ERROR(f, n,
                   "`%s` is a port: name one of its variables, as in "
                   "%s.%s",
                   r.port->path, r.port->path,
                   r.port->kind.members->first->text);
        break;
    case REF_PART:
        FLAT_ERROR(f, n, "`%s` is a part: name something in it, as in %s.X",
                   r.held->text, r.held->text);
        break;
    case REF_WRONG: break;
    }
    Node *nothing = build_whole(f, 0, n);
    nothing->flags |= FLAG_PATH; // reported: it means nothing
    return nothing;
}

static bool is_path(const Flattener *f, const Instance *i, const Node *n)
{
    uint32_t k;
    const Node *root = root_of(n);
    if (root->kind != NODE_NAME || (root->flags & FLAG_ATTRIBUTE))
        return false;
    if (bound_find(f, root->text))
        return i != f->program;
    const Slot *s = template_slot(i->template, root->text, &k);
    if (!s)
        return false;
    return i != f->program || s->kind == SLOT_PART || s->kind == SLOT_PORT;
}

/* CONNECTs, and loops around nothing else. */
static bool only_connects(const Node *n)
{
    switch (n->kind) {
    case NODE_CONNECT: return true;
    case NODE_FOR: return only_connects(n->last);
    case NODE_IF:
        return only_connects(node_child(n, 1)) &&
               (flat_absent(n->last) || only_connects(n->last));
    case NODE_BLOCK:
        for (const Node *k = n->first->first; k; k = k->next)
            if (!only_connects(k))
                return false;
        return n->first->first != NULL;
    default: return false;
    }
}

Node *rewrite_list(Flattener *f, Instance *i, const Node *list)
{
    Node *out = build(f, NODE_LIST, list, moved(f, i, list->origin));
    for (Node *k = list->first, *next; k && !f->broken; k = next) {
        next = k->next;
        if (only_connects(k))
            continue;
        Node *r = rewrite(f, i, k);
        r->next = NULL;
        node_add(out, r);
    }
    return out;
}

/* The equations of a MODULE where it is called. */
static Node *rewrite_call(Flattener *f, Instance *i, const Node *n)
{
    const Held *h = &i->held[n->integer - 1];
    Node *list = build(f, NODE_LIST, n, moved(f, i, n->origin));
    if (!h->part || !h->part[0])
        return build_block(f, list, n);
    return instance_equations(f, h->part[0]);
}

/* The name that a loop binds in its statement or its terms. */
static const char *loop_variable(const Node *n)
{
    return n->kind == NODE_FOR ? n->text
           : n->kind == NODE_SERIES && n->first->kind == NODE_NAME
               ? n->first->text
               : NULL;
}

static bool is_routine(const Node *n)
{
    return n->kind == NODE_FUNCTION || n->kind == NODE_PROCEDURE ||
           n->kind == NODE_DISCRETE_PROCESS;
}

static void rewrite_children(Flattener *f, Instance *i, Node *out,
                             const Node *n)
{
    Node *first = n->first;
    Bound *around = f->bound, loop;
    const char *variable = loop_variable(n);
    if (is_routine(n))
        bound_routine(f, i, n);
    if (n->kind == NODE_EVENT)
        bound_event(f, i, n);
    out->first = out->last = NULL;
    out->height = 0;
    for (Node *k = first, *next; k && !f->broken; k = next) {
        Node *r;
        next = k->next;
        if (variable && (!next || (n->kind == NODE_SERIES && k == first)))
            bound_begin(f, i, &loop, variable);
        if (only_connects(k))
            r = build_block(f, build(f, NODE_LIST, k, k->origin), k);
        else
            r = rewrite(f, i, k);
        r->next = NULL;
        node_add(out, r);
        if (variable)
            f->bound = around;
    }
    f->bound = around;
}

/* X' of what is not a variable any more. */
static void check_derivative(Flattener *f, const Node *n)
{
    const Node *base = n->first;
    if (base->kind != NODE_NAME && base->kind != NODE_INDEX &&
        base->kind != NODE_SELECT && !(base->flags & FLAG_PATH))
        FLAT_ERROR(f, n,
                   "this formal stands for an expression or a number here, "
                   "which cannot be differentiated with `'`: give it a "
                   "variable");
}

static void check_target(Flattener *f, const Node *n)
{
    const Node *target = n->first;
    if (n->kind == NODE_ASSIGN && target->kind != NODE_NAME &&
        target->kind != NODE_INDEX && target->kind != NODE_SELECT &&
        target->kind != NODE_DERIVATIVE && target->kind != NODE_CALL &&
        !(target->flags & FLAG_PATH))
        FLAT_ERROR(f, n,
                   "this formal stands for an expression or a number "
                   "here, which cannot be assigned: give it a variable");
}

/* A loop of procedural code over a variable of the part, in an array of parts: each
   of them has its own, which a loop cannot count with. */
static bool counts_with_element(const Flattener *f, const Instance *i,
                                const Node *n)
{
    uint32_t k;
    return n->kind == NODE_FOR && i->rank > 0 && !f->parallel_code &&
           template_slot(i->template, n->text, &k) && i->held[k].indexed;
}

static Node *rewrite_own_loop(Flattener *f, Instance *i, Node *n)
{
    Node *index[RANK_MOST], *set = build(f, NODE_ASSIGN, n, i->origin);
    Node *list = build(f, NODE_LIST, n, i->origin);
    Node *out = build(f, NODE_FOR, n, moved(f, i, n->origin));
    const char *path = instance_name(f, i, n->text);
    out->text = flat_text(f, "%s@", path);
    out->word = n->word;
    for (Node *k = n->first; k->next; k = k->next) {
        Node *r = rewrite(f, i, k);
        r->next = NULL;
        node_add(out, r);
    }
    for (uint32_t k = 0; k < i->rank; k++)
        index[k] = build_name(f, i->index[k], n);
    node_add(set, build_element(f, path, index, i->rank, n));
    node_add(set, build_name(f, out->text, n));
    node_add(list, set);
    Node *body = rewrite(f, i, n->last);
    body->next = NULL;
    node_add(list, body);
    node_add(out, build_block(f, list, n));
    return out;
}

/* The node itself in a part: a copy with its name there. */
static Node *node_of_part(Flattener *f, Instance *i, const Node *n)
{
    uint32_t number;
    Node *out = build(f, n->kind, n, 0);
    *out = *n;
    out->next = NULL;
    out->origin = moved(f, i, n->origin);
    if (n->kind == NODE_EQUATION)
        out->flags |= FLAG_PART;
    if (!node_has_name(n) || !n->text || (n->flags & FLAG_ATTRIBUTE))
        return out;
    const Bound *bound = bound_find(f, n->text);
    if (n->kind == NODE_FOR)
        out->text = instance_name(f, i, n->text);
    else if (bound)
        out->text = bound->text;
    else if (template_slot(i->template, n->text, &number))
        out->text = i->held[number].text;
    return out;
}

static void rewrite_inside(Flattener *f, Instance *i, Node *out, const Node *n)
{
    bool parallel = f->parallel_code;
    f->equations += n->kind == NODE_EQUATION;
    if (n->kind == NODE_SELECT) {
        Node *base = rewrite(f, i, n->first), *member = n->last;
        out->first = out->last = NULL;
        base->next = NULL;
        node_add(out, base);
        Node *copy = member_copy(f, i, f->program, member);
        copy->next = NULL;
        node_add(out, copy);
    } else {
        if (n->kind == NODE_PROCEDURAL || n->kind == NODE_COMMUNIC)
            f->parallel_code = false;
        rewrite_children(f, i, out, n);
        f->parallel_code = parallel;
    }
    f->equations -= n->kind == NODE_EQUATION;
}

Node *rewrite(Flattener *f, Instance *i, Node *n)
{
    if (f->broken)
        return build_spare(f);
    Node *out = elements_chosen(f, i, n);
    NodeKind kind = n->kind;
    if (out)
        return out;
    if ((kind == NODE_NAME || kind == NODE_INDEX || kind == NODE_SELECT) &&
        is_path(f, i, n))
        return rewrite_path(f, i, n);
    if (kind == NODE_CALL && n->integer > 0)
        return rewrite_call(f, i, n);
    if (kind == NODE_CONNECT)
        return build_block(f, build(f, NODE_LIST, n, n->origin), n);
    if (counts_with_element(f, i, n))
        return rewrite_own_loop(f, i, n);
    n = attributes_of_parts(f, i, spread(f, i, n));
    out = i == f->program ? n : node_of_part(f, i, n);
    if (!f->broken)
        rewrite_inside(f, i, out, n);
    if (f->broken)
        return build_spare(f);
    if (kind == NODE_DERIVATIVE)
        check_derivative(f, out);
    check_target(f, out);
    settle_names(f, out);
    return out;
}
