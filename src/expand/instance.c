#include "expand/instance.h"

#include <string.h>

#include "base/text.h"

/* Parts: what their formals stand for, their declarations, their sections. */

#define DEPTH_MOST 64 // of parts in parts: a MODULE that contains itself

const char *instance_name(Flattener *f, const Instance *i, const char *name)
{
    return i->path ? flat_text(f, "%s.%s", i->path, name) : name;
}

/* ---- Declaring ------------------------------------------------------------------- */

static void add_constant(Flattener *f, const char *name, Node *value)
{
    uint32_t number = (uint32_t)(f->values.used / sizeof value);
    flat_keep(f, vector_append(&f->values, &value, sizeof(Node *)) &&
                     names_put(&f->constants, name, number));
}

static void declare_constant(Flattener *f, Word type, const char *name,
                             const Node *unit, Node *value, const Node *place)
{
    Node *item = build(f, NODE_CONST_ITEM, place, place->origin);
    item->word = type;
    item->flags = FLAG_READ; // what gives a size is not read again
    item->text = name;
    node_add(item,
             flat_absent(unit) ? build_none(f, place) : node_copy(f, unit));
    node_add(item, node_copy(f, value));
    node_add(f->declared, item);
    add_constant(f, name, type == WORD_INTEGER ? value : NULL);
}

static void declare_variables(Flattener *f, Node *list, Word word)
{
    if (!list->first)
        return;
    Node *part = build(f, NODE_VAR_PART, list->first, list->first->origin);
    part->word = word;
    node_add(part, list);
    node_add(f->declared, part);
}

/* ---- Formals --------------------------------------------------------------------- */

/* Made of numbers and CONSTs alone. */
static bool is_constant(const Flattener *f, const Node *n)
{
    switch (n->kind) {
    case NODE_NAME:
        return names_find(&f->constants, n->text) != NAME_UNKNOWN ||
               name_same(n->text, "PI");
    case NODE_CALL:
        for (const Node *k = n->last->first->first; k; k = k->next)
            if (!is_constant(f, k))
                return false;
        return n->first->kind == NODE_NAME;
    case NODE_ACTUAL: return is_constant(f, n->first);
    case NODE_INTEGER:
    case NODE_NUMBER:
    case NODE_BOOLEAN: return true;
    case NODE_UNARY: return is_constant(f, n->first);
    case NODE_BINARY:
        return is_constant(f, n->first) && is_constant(f, n->last);
    case NODE_CHOOSE:
        for (const Node *k = n->first; k; k = k->next)
            if (!is_constant(f, k))
                return false;
        return true;
    default: return false;
    }
}

/* One element of an array of parts is assigned: so all are, for an index need not
   be known. */
static bool is_assigned(Flattener *f, const char *path)
{
    size_t length = strlen(path), n = 0;
    char *plain = NEW_ARRAY(f->u->arena, char, length + 1);
    bool index = false;
    if (!flat_keep(f, plain != NULL))
        return false;
    for (size_t k = 0; k < length; k++) {
        index = index || path[k] == '[';
        if (!index)
            plain[n++] = path[k];
        index = index && path[k] != ']';
    }
    plain[n] = '\0';
    return names_find(&f->assigned, plain) != NAME_UNKNOWN;
}

/* path := value before anything else happens. */
static void set_first(Flattener *f, const Instance *i, const char *path,
                      Node *value)
{
    Node *index[RANK_MOST];
    for (uint32_t k = 0; k < i->rank; k++)
        index[k] = build_name(f, i->index[k], value);
    Node *set = build(f, NODE_ASSIGN, value, value->origin);
    node_add(set, build_element(f, path, index, i->rank, value));
    node_add(set, node_copy(f, value));
    for (uint32_t k = i->rank; k > 0; k--)
        set = build_loop(f, i->index[k - 1], i->low[k - 1], i->high[k - 1], set,
                         value);
    node_add(f->prelude, set);
}

/* A formal with a variable of its own. */
static void own_formal(Flattener *f, Instance *i, uint32_t k, Word type)
{
    const Slot *s = &i->template->slot[k];
    Held *h = &i->held[k];
    Node *list = build(f, NODE_LIST, s->node, i->origin);
    Node place = *s->node;
    place.origin = i->origin;
    h->indexed = true;
    node_add(list, build_variable(f, type, h->text, s->node->first, i->rank,
                                  i->low, i->high, &place));
    declare_variables(f, list, WORD_NONE);
}

/* Whole arrays of the program with the shape of the parts: each part takes its own
   element. */
static Node *element_of(Flattener *f, const Instance *i, Node *value)
{
    uint32_t k;
    const Slot *s = value->kind == NODE_NAME
                        ? template_slot(f->program->template, value->text, &k)
                        : NULL;
    Node *index[RANK_MOST];
    if (!s || s->node->kind != NODE_VARIABLE || flat_absent(s->node->last) ||
        i->rank == 0 || node_count(s->node->last) != i->rank)
        return value;
    for (uint32_t d = 0; d < i->rank; d++)
        index[d] = build_name(f, i->index[d], value);
    return build_element(f, value->text, index, i->rank, value);
}

/* `value` is resolved; NULL: nothing was given and there is no default. */
static void bind(Flattener *f, Instance *i, uint32_t k, Node *value,
                 const Node *place)
{
    const Node *formal = i->template->slot[k].node;
    Held *h = &i->held[k];
    Word type = formal->word;
    bool is_value =
        type == WORD_REAL || type == WORD_INTEGER || type == WORD_BOOLEAN;
    if (!value && is_value) {
        FLAT_ERROR(f, place,
                   "the formal `%s` of MODULE `%s` has no value: write `%s := "
                   "...` in the parentheses of the part, or a default in the "
                   "MODULE",
                   formal->text, i->template->name, formal->text);
        value = build_whole(f, 1, place);
    }
    if (!value) {
        own_formal(f, i, k, type == WORD_NONE ? WORD_ALGEBR : type);
        return;
    }
    if (!is_value || !is_constant(f, value)) {
        h->actual = element_of(f, i, value);
        return;
    }
    if (is_assigned(f, h->text) && type != WORD_INTEGER) {
        own_formal(f, i, k, type);
        set_first(f, i, h->text, value);
        return;
    }
    Node where = *formal;
    where.origin = i->origin;
    h->value = value;
    declare_constant(f, type, h->text, formal->first, value, &where);
}

static void bind_formals(Flattener *f, Instance *i, Node *const *value,
                         const Node *place)
{
    uint32_t formals = node_count(i->template->node->first);
    for (uint32_t k = 0; k < formals; k++) {
        const Node *formal = i->template->slot[k].node;
        Node *v = value[k];
        if (!v && !flat_absent(formal->last))
            v = rewrite(f, i, node_copy(f, formal->last));
        bind(f, i, k, v, place);
    }
}

/* ---- Making them ------------------------------------------------------------------ */

static Instance *make(Flattener *f, Instance *around, Template *t,
                      const char *name, const Node *place)
{
    Instance *i = NEW(f->u->arena, Instance);
    if (!flat_keep(f, i != NULL))
        return NULL;
    template_examine(f, t);
    t->used = true;
    i->template = t;
    i->around = around;
    i->path = instance_name(f, around, name);
    i->depth = around->depth + 1;
    i->rank = around->rank;
    for (uint32_t k = 0; k < i->rank; k++) {
        i->low[k] = around->low[k];
        i->high[k] = around->high[k];
        i->index[k] = around->index[k];
    }
    Origin origin = {.call = place->at,
                     .parent = place->origin ? place->origin : around->origin,
                     .macro = t->name,
                     .part = i->path};
    i->origin = unit_add_origin(f->u, &origin);
    i->held = NEW_ARRAY(f->u->arena, Held, t->slots + 1);
    if (!flat_keep(f, i->origin && i->held))
        return NULL;
    for (uint32_t k = 0; k < t->slots; k++) {
        i->held[k].text = instance_name(f, i, t->slot[k].name);
        i->held[k].indexed = t->slot[k].varies;
    }
    return i;
}

static void add_part(Flattener *f, Instance *i, const char *name,
                     const Node *place, uint32_t rank, const int64_t *low,
                     const int64_t *high)
{
    UnitPart part = {.name = name,
                     .path = i->path,
                     .module = i->template->name,
                     .around = i->around->path ? i->around->number : NO_PART,
                     .rank = rank,
                     .at = place->at};
    for (uint32_t k = 0; k < rank; k++) {
        part.low[k] = low[k];
        part.high[k] = high[k];
    }
    i->number = (uint32_t)(f->parts.used / sizeof part);
    flat_keep(f, vector_append(&f->parts, &part, sizeof part));
}

static bool is_endless(Flattener *f, const Instance *around, const Template *t,
                       const Node *place)
{
    for (const Instance *k = around; k; k = k->around)
        if (k->template == t || around->depth > DEPTH_MOST) {
            FLAT_ERROR(f, place, "MODULE `%s` contains itself", t->name);
            return true;
        }
    return false;
}

/* ---- What a part is given ---------------------------------------------------------- */

static void given_twice(Flattener *f, const Node *n, const Template *t,
                        uint32_t k)
{
    FLAT_ERROR(f, n, "formal `%s` of MODULE `%s` is given twice",
               t->slot[k].name, t->name);
}

static bool formal_number(Flattener *f, const Template *t, const Node *name,
                          uint32_t *k)
{
    const Slot *s = template_slot(t, name->text, k);
    if (s && s->kind == SLOT_FORMAL)
        return true;
    const char *near = template_near(f, t, name->text);
    s = near ? template_slot(t, near, k) : NULL;
    bool meant = s && s->kind == SLOT_FORMAL;
    FLAT_ERROR(f, name, "MODULE `%s` has no formal `%s`%s%s%s", t->name,
               name->text, meant ? ": did you mean `" : "", meant ? near : "",
               meant ? "`?" : "");
    return false;
}

/* Which element of its array a part is: numbers, or the indices of its loops. */
typedef struct Which {
    uint32_t rank;
    Node *index[RANK_MOST];
} Which;

static bool is_index(Flattener *f, const Instance *around, const Node *n)
{
    uint32_t k;
    return n->kind == NODE_NAME && name_same(n->text, "INDEX") &&
           !template_slot(around->template, n->text, &k) &&
           !template_slot(f->program->template, n->text, &k);
}

/* A copy in which INDEX, or INDEX[2], is that of the part. */
static Node *with_index(Flattener *f, const Instance *around, const Which *w,
                        const Node *n)
{
    if (w->rank == 1 && is_index(f, around, n))
        return node_copy(f, w->index[0]);
    if (w->rank > 1 && n->kind == NODE_INDEX && is_index(f, around, n->first) &&
        n->last->first->kind == NODE_INTEGER && !n->last->first->next &&
        n->last->first->integer >= 1 && n->last->first->integer <= w->rank)
        return node_copy(f, w->index[n->last->first->integer - 1]);
    Node *copy = build(f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    copy->height = 0;
    for (const Node *k = n->first; k; k = k->next)
        node_add(copy, with_index(f, around, w, k));
    return copy;
}

/* PART RESISTOR R1 (R := 50). */
static void read_given(Flattener *f, Instance *around, Template *t,
                       const Node *list, const Which *w, Node **value)
{
    for (const Node *g = list->first; g; g = g->next) {
        uint32_t k;
        if (!formal_number(f, t, g->first, &k))
            continue;
        if (value[k])
            given_twice(f, g->first, t, k);
        value[k] = rewrite(f, around, with_index(f, around, w, g->last));
    }
}

/* UL=U2: the formal is U2, and UL what it stands for. */
static const Node *named_formal(const Node *actual)
{
    const Node *n = actual->first;
    return n->kind == NODE_BINARY && n->word == WORD_EQUAL &&
                   n->last->kind == NODE_NAME && !(n->flags & FLAG_PAREN)
               ? n->last
               : NULL;
}

static bool read_actual(Flattener *f, Instance *around, Template *t,
                        const Node *actual, uint32_t position, Node **value)
{
    Node *n = actual->first;
    const Node *name = named_formal(actual);
    uint32_t k = position;
    const Slot *s;
    if (name) {
        if (!formal_number(f, t, name, &k))
            return false;
        n = n->first;
    } else if (n->kind == NODE_NAME &&
               (s = template_slot(t, n->text, &k)) != NULL &&
               s->kind == SLOT_FORMAL) {
        // a name that is spelled like a formal
    } else {
        k = position;
    }
    if (value[k])
        given_twice(f, actual, t, k);
    value[k] = rewrite(f, around, node_copy(f, n));
    return true;
}

static void read_actuals(Flattener *f, Instance *around, Template *t,
                         const Node *call, Node **value)
{
    uint32_t formals = node_count(t->node->first), position = 0;
    const Node *actuals = call->last;
    bool named = true; // no formal was misspelt
    uint32_t given = node_count(actuals->first) + node_count(actuals->last);
    if (given > formals) {
        FLAT_ERROR(f, call,
                   "MODULE `%s` has %u formal%s, but %u actuals are given",
                   t->name, formals, formals == 1 ? "" : "s", given);
        return;
    }
    for (const Node *list = actuals->first; list; list = list->next)
        for (const Node *k = list->first; k; k = k->next, position++)
            if (k->kind == NODE_ACTUAL)
                named = read_actual(f, around, t, k, position, value) && named;
    for (uint32_t k = 0; k < formals; k++)
        if (!value[k] && named && flat_absent(t->slot[k].node->last)) {
            FLAT_ERROR(f, call,
                       "formal `%s` of MODULE `%s` is not given in this call",
                       t->slot[k].name, t->name);
            value[k] = build_whole(f, 1, call);
        }
}

/* ---- Parts of an instance ------------------------------------------------------------ */

static void make_call(Flattener *f, Instance *i, uint32_t slot)
{
    const Slot *s = &i->template->slot[slot];
    Held *h = &i->held[slot];
    h->begun = true;
    Template *t = template_find(f, s->node->first->text);
    if (!t || is_endless(f, i, t, s->node))
        return;
    Instance *part = make(f, i, t, s->name, s->node);
    Node **value =
        NEW_ARRAY(f->u->arena, Node *, node_count(t->node->first) + 1);
    h->part = NEW(f->u->arena, Instance *);
    if (!part || !flat_keep(f, value && h->part))
        return;
    part->called = true;
    add_part(f, part, s->name, s->node, 0, NULL, NULL);
    read_actuals(f, i, t, s->node, value);
    h->part[0] = part;
    bind_formals(f, part, value, s->node);
    instance_fill(f, part);
}

/* One part, or an array of parts that is one Instance. */
static Instance *make_one(Flattener *f, Instance *i, Template *t,
                          const char *name, const Node *n, const Held *shape)
{
    Instance *part = make(f, i, t, name, n);
    if (!part)
        return NULL;
    uint32_t loops = shape->apart ? 0 : shape->rank;
    for (uint32_t k = 0; k < loops; k++) {
        part->low[part->rank] = shape->low[k];
        part->high[part->rank] = shape->high[k];
        part->index[part->rank] =
            flat_text(f, "%c@%s", part->rank == 0 ? 'I' : 'J', part->path);
        part->rank++;
    }
    add_part(f, part, name, n, loops, shape->low, shape->high);
    return part;
}

static Which which_of(Flattener *f, const Instance *part, const Held *h,
                      uint32_t element, const Node *n)
{
    Which w = {.rank = h->rank};
    uint64_t rest = element;
    for (uint32_t k = h->rank; k > 0; k--) {
        uint64_t size = (uint64_t)(h->high[k - 1] - h->low[k - 1] + 1);
        w.index[k - 1] =
            h->apart
                ? build_whole(f, h->low[k - 1] + (int64_t)(rest % size), n)
                : build_name(f, part->index[part->rank - h->rank + k - 1], n);
        rest /= size;
    }
    return w;
}

static void fill_one(Flattener *f, Instance *i, Instance *part, const Node *n,
                     const Which *w)
{
    Template *t = part->template;
    Node **value =
        NEW_ARRAY(f->u->arena, Node *, node_count(t->node->first) + 1);
    if (!flat_keep(f, value != NULL))
        return;
    read_given(f, i, t, node_child(n, 1), w, value);
    bind_formals(f, part, value, n);
    instance_fill(f, part);
}

/* Why parts of this module cannot be one array here, with all that is inside them;
   NULL: they can. */
static const char *reason_apart(Flattener *f, const Template *t, uint32_t rank,
                                uint32_t depth)
{
    if (depth > DEPTH_MOST)
        return NULL;
    if (t->alone)
        return t->alone;
    if (rank + t->rank > RANK_MOST)
        return "arrays of more than two indices in all";
    if (rank + t->depth > LOOPS_MOST_HERE)
        return "too many loops";
    for (uint32_t k = 0; k < t->slots; k++) {
        const Node *n = t->slot[k].node;
        if (t->slot[k].kind != SLOT_PART)
            continue;
        Template *inner = template_find(f, n->first->text);
        uint32_t more = n->kind == NODE_PART_DECL && !flat_absent(n->last)
                            ? node_count(n->last)
                            : 0;
        if (!inner || inner == t)
            continue;
        template_examine(f, inner);
        const char *why = reason_apart(f, inner, rank + more, depth + 1);
        if (why)
            return why;
    }
    return NULL;
}

static const char *element_name(Flattener *f, const char *name, const Held *h,
                                uint32_t k)
{
    if (h->rank == 1)
        return flat_text(f, "%s[%lld]", name, (long long)(h->low[0] + k));
    int64_t across = h->high[1] - h->low[1] + 1;
    return flat_text(f, "%s[%lld,%lld]", name,
                     (long long)(h->low[0] + k / across),
                     (long long)(h->low[1] + k % across));
}

static void make_part(Flattener *f, Instance *i, uint32_t slot)
{
    const Slot *s = &i->template->slot[slot];
    Node *n = s->node;
    Held *h = &i->held[slot];
    h->begun = true;
    Template *t = template_find(f, n->first->text);
    if (!t) {
        const char *near = NULL;
        const char **known =
            NEW_ARRAY(f->u->arena, const char *,
                      f->templates.used / sizeof(Template *) + 1);
        size_t count = f->templates.used / sizeof(Template *);
        for (size_t k = 0; known && k < count; k++)
            known[k] = ((Template *const *)(void *)f->templates.bytes)[k]->name;
        if (known)
            near = nearest_name(n->first->text, known, count);
        FLAT_ERROR(f, n->first, "there is no MODULE `%s`%s%s%s", n->first->text,
                   near ? ": did you mean `" : "", near ? near : "",
                   near ? "`?" : "");
        return;
    }
    if (is_endless(f, i, t, n) ||
        !whole_bounds(f, i, n->last, s->name, &h->rank, h->low, h->high))
        return;
    template_examine(f, t);
    h->apart = h->rank > 0 && reason_apart(f, t, i->rank + h->rank, 0);
    f->apart = f->apart || h->apart;
    uint64_t count = 1;
    for (uint32_t k = 0; h->apart && k < h->rank; k++)
        count *= (uint64_t)(h->high[k] - h->low[k] + 1);
    if (count > PARTS_MOST) {
        FLAT_ERROR(f, n,
                   "each of these parts is one of its own, because MODULE `%s` "
                   "contains %s, and there are at most %d of them",
                   t->name, reason_apart(f, t, i->rank + h->rank, 0),
                   PARTS_MOST);
        return;
    }
    h->part = NEW_ARRAY(f->u->arena, Instance *, count);
    if (!flat_keep(f, h->part != NULL))
        return;
    for (uint32_t k = 0; k < count && !f->broken && !f->full; k++) {
        const char *name = h->apart ? element_name(f, s->name, h, k) : s->name;
        h->part[k] = make_one(f, i, t, name, n, h);
        if (!h->part[k])
            continue;
        Which w = which_of(f, h->part[k], h, k, n);
        fill_one(f, i, h->part[k], n, &w);
    }
}

/* ---- Ports --------------------------------------------------------------------------- */

/* The kind of a declared port: in its parentheses, or a TYPE of the module or of
   the program. */
static bool port_kind(Flattener *f, const Instance *i, const Node *n,
                      PortKind *kind)
{
    uint32_t k;
    if (n->kind == NODE_VARIABLE) {
        *kind = (PortKind){.name = "",
                           .signal = n->flags & FLAG_INPUT ? WORD_INPUT
                                                           : WORD_OUTPUT};
        return true;
    }
    *kind = (PortKind){.name = n->text, .members = n->first};
    if (!flat_absent(n->first))
        return true;
    const Node *name = node_child(n, 1);
    for (const Instance *scope = i; scope; scope = scope->around) {
        const Slot *s = template_slot(scope->template, name->text, &k);
        if (!s || s->node->kind != NODE_TYPE_ITEM || s->node->word != WORD_PORT)
            continue;
        *kind = (PortKind){.name = s->node->text, .members = s->node->first};
        return true;
    }
    FLAT_ERROR(
        f, name,
        "there is no kind of port `%s`: declare it, as in TYPE %s = PORT "
        "(ACROSS V [V]; THROUGH I [A])",
        name->text, name->text);
    return false;
}

static void declare_members(Flattener *f, const Instance *i, Port *p,
                            Node *list)
{
    int64_t low[2 * RANK_MOST], high[2 * RANK_MOST];
    uint32_t rank = 0;
    for (uint32_t k = 0; k < i->rank; k++, rank++) {
        low[rank] = i->low[k];
        high[rank] = i->high[k];
    }
    for (uint32_t k = 0; k < p->rank; k++, rank++) {
        low[rank] = p->low[k];
        high[rank] = p->high[k];
    }
    for (const Node *m = p->kind.members->first; m; m = m->next) {
        Node place = *m;
        place.origin = i->origin;
        place.at = p->slot->node->at;
        Node *v = build_variable(f, WORD_ALGEBR,
                                 flat_text(f, "%s.%s", p->path, m->text),
                                 m->first, rank, low, high, &place);
        if (m->word == WORD_THROUGH) {
            v->flags |= FLAG_PART;
            p->flow = p->flow ? p->flow : v;
        }
        node_add(list, v);
    }
}

static void make_port(Flattener *f, Instance *i, uint32_t slot, Node *list)
{
    const Slot *s = &i->template->slot[slot];
    Port *p = NEW(f->u->arena, Port);
    if (!flat_keep(f, p != NULL) || !port_kind(f, i, s->node, &p->kind) ||
        !whole_bounds(f, i, s->node->last, s->name, &p->rank, p->low, p->high))
        return;
    p->owner = i;
    p->slot = s;
    p->path = i->held[slot].text;
    i->held[slot].port = p;
    if (i->rank + p->rank > RANK_MOST) {
        FLAT_ERROR(f, s->node, "`%s` has more than %d indices in all", p->path,
                   RANK_MOST);
        p->rank = RANK_MOST - i->rank;
    }
    if (p->kind.members)
        declare_members(f, i, p, list);
}

/* ---- Declarations ---------------------------------------------------------------------- */

/* Something assigns it, as the body of a sample does. */
static bool assigns(const Node *n, const char *name)
{
    if (n->kind == NODE_ASSIGN && n->first->kind == NODE_NAME &&
        name_same(n->first->text, name))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (assigns(k, name))
            return true;
    return false;
}

/* A variable of a part: the indices of the part come before its own. */
static Node *part_variable(Flattener *f, Instance *i, Node *n)
{
    Node *v = rewrite(f, i, n);
    if (v->flags & (FLAG_INPUT | FLAG_OUTPUT)) {
        v->flags &= ~(uint32_t)(FLAG_INPUT | FLAG_OUTPUT);
        if (v->word == WORD_REAL && !assigns(i->template->node->last, n->text))
            v->word = WORD_ALGEBR;
    }
    if (i->rank == 0 || f->broken)
        return v;
    Node *before =
        build_variable(f, v->word, v->text, NULL, i->rank, i->low, i->high, v);
    Node *extents = before->last, *own = v->last;
    if (!flat_absent(own))
        for (Node *k = own->first, *next; k && !f->broken; k = next) {
            next = k->next;
            k->next = NULL;
            node_add(extents, k);
        }
    Node *out = build(f, NODE_VARIABLE, v, v->origin);
    if (f->broken)
        return v;
    *out = *v;
    out->first = out->last = out->next = NULL;
    Node *unit = v->first, *range = unit->next;
    unit->next = range->next = NULL;
    node_add(out, unit);
    node_add(out, range);
    node_add(out, extents);
    return out;
}

/* Counts the elements of a variable of a part. */
static void count_elements(Flattener *f, Instance *i, const Node *n)
{
    uint64_t count = 1;
    int64_t low, high;
    for (uint32_t k = 0; k < i->rank; k++)
        count *= (uint64_t)(i->high[k] - i->low[k] + 1);
    for (const Node *e = flat_absent(n->last) ? NULL : n->last->first; e;
         e = e->next) {
        low = 1;
        if ((flat_absent(e->first) ||
             whole_value(f, i, NULL, e->first, &low)) &&
            whole_value(f, i, NULL, e->last, &high) && high >= low &&
            high - low < LIMIT_ARRAY && count <= ELEMENTS_MOST)
            count *= (uint64_t)(high - low + 1);
    }
    f->elements += count;
    if (f->elements <= ELEMENTS_MOST || f->full)
        return;
    f->full = true;
    Node place = *n;
    place.origin = i->origin;
    FLAT_ERROR(f, &place, "all parts together have more than %d variables",
               ELEMENTS_MOST);
}

static void fill_variables(Flattener *f, Instance *i, const Node *part)
{
    Node *list = build(f, NODE_LIST, part, i->origin);
    uint32_t k;
    for (Node *n = part->first->first; n; n = n->next) {
        if (n->kind == NODE_PART_DECL) {
            if (template_slot(i->template, n->text, &k) &&
                i->template->slot[k].node == n)
                make_part(f, i, k);
            continue;
        }
        if (template_slot(i->template, n->text, &k) &&
            i->template->slot[k].node == n &&
            i->template->slot[k].kind == SLOT_PORT)
            make_port(f, i, k, list);
        if (n->kind == NODE_VARIABLE)
            count_elements(f, i, n);
        if (n->kind == NODE_VARIABLE)
            node_add(list, part_variable(f, i, n));
        else if (n->kind != NODE_PORT_DECL)
            node_add(list, rewrite(f, i, n));
    }
    declare_variables(f, list, part->word);
}

static void fill_declaration(Flattener *f, Instance *i, Node *n)
{
    switch (n->kind) {
    case NODE_VAR_PART: fill_variables(f, i, n); break;
    case NODE_TYPE_ITEM:
        if (n->word != WORD_PORT)
            node_add(f->declared, rewrite(f, i, n));
        break;
    case NODE_CONST_ITEM: {
        Node *item = rewrite(f, i, n);
        if (f->broken)
            break;
        node_add(f->declared, item);
        add_constant(f, item->text,
                     n->word == WORD_INTEGER ? item->last : NULL);
        break;
    }
    default: node_add(f->declared, rewrite(f, i, n));
    }
}

void instance_fill(Flattener *f, Instance *i)
{
    for (Node *n = node_child(i->template->node, 1)->first; n && !f->broken;
         n = n->next)
        fill_declaration(f, i, n);
    instance_calls(f, i);
}

void instance_calls(Flattener *f, Instance *i)
{
    for (uint32_t k = 0; k < i->template->slots && !f->broken; k++)
        if (i->template->slot[k].kind == SLOT_PART &&
            i->template->slot[k].node->kind == NODE_CALL)
            make_call(f, i, k);
}

void program_fill(Flattener *f)
{
    Instance *i = f->program;
    Node *segments = i->template->node->last;
    for (Node *n = segments->first, *next; n && !f->broken; n = next) {
        next = n->next;
        f->declared = build(f, NODE_LIST, n, 0);
        if (n->kind == NODE_CONST_ITEM)
            add_constant(f, n->text, n->word == WORD_INTEGER ? n->last : NULL);
        if (n->kind == NODE_VAR_PART) {
            Node *kept = build(f, NODE_LIST, n->first, n->first->origin);
            Node *list = build(f, NODE_LIST, n, 0);
            for (Node *k = n->first->first, *after; k; k = after) {
                uint32_t s;
                after = k->next;
                bool known = template_slot(i->template, k->text, &s) &&
                             i->template->slot[s].node == k;
                if (k->kind == NODE_PART_DECL && known)
                    make_part(f, i, s);
                else if (k->kind == NODE_PORT_DECL && known)
                    make_port(f, i, s, list);
                else if (k->kind != NODE_PART_DECL &&
                         k->kind != NODE_PORT_DECL) {
                    k->next = NULL;
                    node_add(kept, k);
                }
            }
            declare_variables(f, list, WORD_NONE);
            n->first->first = kept->first;
            n->first->last = kept->last;
        }
        if (f->declared->first) {
            f->declared->last->next = n->next;
            n->next = f->declared->first;
            if (segments->last == n)
                segments->last = f->declared->last;
        }
    }
}

/* ---- Sections ---------------------------------------------------------------------------- */

static Node *in_loops(Flattener *f, const Instance *i, Node *statement)
{
    for (uint32_t k = i->rank; k > 0; k--)
        statement = build_loop(f, i->index[k - 1], i->low[k - 1],
                               i->high[k - 1], statement, statement);
    return statement;
}

Node *instance_equations(Flattener *f, Instance *i)
{
    Node *all = build(f, NODE_LIST, i->template->node, i->origin);
    for (const Node *b = i->template->node->last->first; b; b = b->next) {
        if (b->kind != NODE_CONTINUOUS)
            continue;
        bool before = f->parallel_code;
        f->parallel_code = true;
        Node *list = rewrite_list(f, i, b->first);
        f->parallel_code = before;
        for (Node *k = list->first, *next; k && !f->broken; k = next) {
            next = k->next;
            k->next = NULL;
            node_add(all, k);
        }
    }
    connect_ports(f, i, i->template->node->last, all);
    return build_block(f, all, i->template->node);
}

/* RANDOMGEN and statistics are statements of the EXPERIMENT. */
static bool is_prelude(const Node *n)
{
    return n->kind == NODE_RANDOMGEN || n->kind == NODE_COLLECT ||
           n->kind == NODE_TIMEPERS || n->kind == NODE_HISTOGRAM;
}

static void add_code(Flattener *f, Instance *i, const Node *block, Node *to)
{
    Node *list = build(f, NODE_LIST, block, i->origin);
    for (Node *k = block->first->first; k; k = k->next) {
        Node *r = rewrite(f, i, k);
        r->next = NULL;
        node_add(is_prelude(k) ? f->prelude : list, r);
    }
    if (!list->first)
        return;
    Node *out = build(f, block->kind, block, i->origin);
    if (i->rank > 0) {
        Node *loops = in_loops(f, i, build_block(f, list, block));
        list = build(f, NODE_LIST, block, i->origin);
        node_add(list, loops);
    }
    node_add(out, list);
    node_add(to, out);
}

static void add_sections(Flattener *f, Instance *i)
{
    for (Node *b = i->template->node->last->first; b; b = b->next) {
        switch (b->kind) {
        case NODE_INITIAL: add_code(f, i, b, f->initial); break;
        case NODE_TERMINAL: add_code(f, i, b, f->terminal); break;
        case NODE_DISCRETE: node_add(f->blocks, rewrite(f, i, b)); break;
        default: break;
        }
    }
}

static void each_part(Flattener *f, Instance *i,
                      void (*what)(Flattener *f, Instance *part))
{
    for (uint32_t k = 0; k < i->template->slots; k++) {
        const Held *h = &i->held[k];
        uint64_t count = 1;
        if (i->template->slot[k].kind != SLOT_PART || !h->part)
            continue;
        for (uint32_t d = 0; h->apart && d < h->rank; d++)
            count *= (uint64_t)(h->high[d] - h->low[d] + 1);
        for (uint64_t p = 0; p < count; p++)
            if (h->part[p])
                what(f, h->part[p]);
    }
}

static void equations_of(Flattener *f, Instance *part)
{
    if (!part->called) {
        Node *equations = instance_equations(f, part);
        if (equations->first->first)
            node_add(f->parallel, in_loops(f, part, equations));
    }
    instance_parts(f, part);
}

void instance_parts(Flattener *f, Instance *i)
{
    if (!f->broken)
        each_part(f, i, equations_of);
}

static void sections_of(Flattener *f, Instance *part)
{
    instance_sections(f, part);
    add_sections(f, part);
}

void instance_sections(Flattener *f, Instance *i)
{
    if (!f->broken)
        each_part(f, i, sections_of);
}
