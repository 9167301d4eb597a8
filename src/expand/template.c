#include "expand/instance.h"

#include <string.h>

#include "base/text.h"

/* What a MODULE declares. */

Template *template_find(Flattener *f, const char *name)
{
    uint32_t k = name ? names_find(&f->modules, name) : NAME_UNKNOWN;
    return k == NAME_UNKNOWN
               ? NULL
               : ((Template *const *)(void *)f->templates.bytes)[k];
}

bool template_add(Flattener *f, Node *module)
{
    uint32_t number = (uint32_t)(f->templates.used / sizeof(Template *));
    Template *before = template_find(f, module->text);
    if (before) {
        FLAT_ERROR(f, module, "the MODULE `%s` is already defined",
                   module->text);
        unit_note(f->u, before->node->at, "it is defined here");
        return false;
    }
    Template *t = NEW(f->u->arena, Template);
    if (!flat_keep(f, t != NULL))
        return false;
    t->name = module->text;
    t->node = module;
    return flat_keep(f, vector_append(&f->templates, &t, sizeof(Template *)) &&
                            names_put(&f->modules, t->name, number));
}

const Slot *template_slot(const Template *t, const char *name, uint32_t *number)
{
    *number = name ? names_find(&t->names, name) : NAME_UNKNOWN;
    return *number == NAME_UNKNOWN ? NULL : &t->slot[*number];
}

/* ---- Names of nodes ------------------------------------------------------------- */

static bool declares(const Node *n)
{
    switch (n->kind) {
    case NODE_CONST_ITEM:
    case NODE_TYPE_ITEM:
    case NODE_FIELD_ITEM:
    case NODE_VARIABLE:
    case NODE_MODEL_NAME:
    case NODE_FILE_DECL:
    case NODE_PROCESS_NAME:
    case NODE_STORAGE_DECL:
    case NODE_FIELD_DECL:
    case NODE_PORT_DECL:
    case NODE_PART_DECL:
    case NODE_FUNCTABLE:
    case NODE_FUNCTION:
    case NODE_PROCEDURE:
    case NODE_DISCRETE_PROCESS:
    case NODE_FORMAL:
    case NODE_FOR:
    case NODE_EACH:
    case NODE_COMMUNIC:
    case NODE_MODEL: return true;
    default: return false;
    }
}

bool node_has_name(const Node *n)
{
    switch (n->kind) {
    case NODE_NAME:
    case NODE_EVENT:
    case NODE_SAMPLE_BODY:
    case NODE_START:
    case NODE_BOUNDARY:
    case NODE_TIMEPERS_ITEM:
    case NODE_HISTOGRAM_ITEM:
    case NODE_RANDOM_ITEM: return true;
    default: return declares(n);
    }
}

/* Attributes that the system knows by their names. */
static bool is_standard(const char *name)
{
    static const char *const standard[] = {"EVTIME",   "EVCODE",   "GENTIM",
                                           "TRANSNBR", "PRIORNBR", "BLOCKNBR"};
    for (size_t k = 0; k < LENGTH(standard); k++)
        if (name_same(name, standard[k]))
            return true;
    return false;
}

/* ---- Gathering ------------------------------------------------------------------ */

typedef struct Gathering {
    Flattener *f;
    Template *t;
    uint32_t room;
    uint32_t routines; // depth
    uint32_t loops;
} Gathering;

/* Declared with the same name in one scope: a MODEL and its block, a process and
   its body are one thing, and loops and routines have scopes of their own. */
static bool clash(const Node *a, const Node *b)
{
    const Node *both[] = {a, b};
    for (size_t k = 0; k < LENGTH(both); k++)
        switch (both[k]->kind) {
        case NODE_CONST_ITEM:
        case NODE_VARIABLE:
        case NODE_FILE_DECL:
        case NODE_STORAGE_DECL:
        case NODE_PORT_DECL:
        case NODE_PART_DECL:
        case NODE_FUNCTABLE:
        case NODE_FORMAL: break;
        default: return false;
        }
    return true;
}

static void report_clash(Gathering *g, const Node *node, const Node *before)
{
    bool module = g->t->node->kind == NODE_MODULE;
    bool joined =
        node->kind == NODE_PORT_DECL || node->kind == NODE_PART_DECL ||
        before->kind == NODE_PORT_DECL || before->kind == NODE_PART_DECL;
    // without parts and ports the checks of the program tell it
    if (g->routines > 0 || (!module && !joined) || !clash(node, before))
        return;
    FLAT_ERROR(g->f, node, "`%s` is already declared", node->text);
    unit_note(g->f->u, before->at, "it is declared here");
}

static void put(Gathering *g, const char *name, SlotKind kind, Node *node,
                bool varies)
{
    Template *t = g->t;
    uint32_t before = name ? names_find(&t->names, name) : NAME_UNKNOWN;
    // every formal has a Slot, so that they can be counted
    if (before != NAME_UNKNOWN)
        report_clash(g, node, t->slot[before].node);
    if (kind != SLOT_FORMAL && (!name || before != NAME_UNKNOWN))
        return;
    if (t->slots == g->room) {
        uint32_t room = g->room ? 2 * g->room : 16;
        Slot *larger = NEW_ARRAY(g->f->u->arena, Slot, room);
        if (!flat_keep(g->f, larger != NULL))
            return;
        if (t->slots)
            memcpy(larger, t->slot, t->slots * sizeof *larger);
        t->slot = larger;
        g->room = room;
    }
    t->slot[t->slots] =
        (Slot){.name = name, .kind = kind, .node = node, .varies = varies};
    t->slots++;
    if (name && before == NAME_UNKNOWN)
        flat_keep(g->f, names_put(&t->names, name, t->slots - 1));
}

static void alone(Gathering *g, const char *why)
{
    if (!g->t->alone)
        g->t->alone = why;
}

/* What each part must have for itself. */
static const char *own_reason(const Node *n)
{
    switch (n->kind) {
    case NODE_DISCRETE: return "events";
    case NODE_FUNCTION:
    case NODE_PROCEDURE: return "routines";
    case NODE_DISCRETE_PROCESS:
    case NODE_PROCESS_NAME: return "processes";
    case NODE_FILE_DECL: return "files";
    case NODE_STORAGE_DECL: return "storages";
    case NODE_CONDIT:
    case NODE_FINISH_WHEN: return "conditions";
    case NODE_COMMUNIC:
    case NODE_PROCEDURAL:
    case NODE_IMPLICIT:
    case NODE_MODEL: return "blocks";
    case NODE_RANDOMGEN:
    case NODE_COLLECT:
    case NODE_TIMEPERS:
    case NODE_HISTOGRAM: return "statistics";
    case NODE_TYPE_ITEM: return n->word == WORD_PORT ? NULL : "records";
    case NODE_VARIABLE:
        switch (n->word) {
        case WORD_REAL:
        case WORD_INTEGER:
        case WORD_BOOLEAN:
        case WORD_STATE:
        case WORD_ALGEBR:
        case WORD_LOGIC: return NULL;
        default: return "events and resources";
        }
    default: return NULL;
    }
}

static bool is_signal(const Gathering *g, const Node *n)
{
    return n->kind == NODE_VARIABLE && g->routines == 0 &&
           g->t->node->kind == NODE_MODULE &&
           (n->flags & (FLAG_INPUT | FLAG_OUTPUT));
}

static void put_node(Gathering *g, Node *n)
{
    if (n->kind == NODE_FIELD_ITEM && is_standard(n->text))
        return;
    if (n->kind == NODE_PART_DECL)
        put(g, n->text, SLOT_PART, n, false);
    else if (n->kind == NODE_PORT_DECL || is_signal(g, n))
        put(g, n->text, SLOT_PORT, n, n->kind == NODE_VARIABLE);
    else
        put(g, n->text, SLOT_NAME, n,
            n->kind == NODE_VARIABLE && g->routines == 0);
}

static uint32_t rank_of(const Node *n)
{
    const bool sized = n->kind == NODE_VARIABLE || n->kind == NODE_PORT_DECL ||
                       n->kind == NODE_PART_DECL;
    return sized && !flat_absent(n->last) ? node_count(n->last) : 0;
}

static bool is_port_kind(const Node *n)
{
    return n->kind == NODE_PORT_DECL ||
           (n->kind == NODE_TYPE_ITEM && n->word == WORD_PORT);
}

static void gather(Gathering *g, Node *n)
{
    bool routine = n->kind == NODE_FUNCTION || n->kind == NODE_PROCEDURE ||
                   n->kind == NODE_DISCRETE_PROCESS;
    if (own_reason(n))
        alone(g, own_reason(n));
    if (rank_of(n) > g->t->rank)
        g->t->rank = rank_of(n);
    if (declares(n))
        put_node(g, n);
    if ((n->kind == NODE_SERIES || n->kind == NODE_GATHER) &&
        n->first->kind == NODE_NAME)
        put(g, n->first->text, SLOT_NAME, n->first, false);
    if (is_port_kind(n))
        return;
    g->routines += routine;
    g->loops += n->kind == NODE_FOR;
    if (g->loops > g->t->depth)
        g->t->depth = g->loops;
    for (Node *k = n->first; k; k = k->next)
        gather(g, k);
    g->loops -= n->kind == NODE_FOR;
    g->routines -= routine;
}

/* ---- Calls ----------------------------------------------------------------------- */

/* RC1, RC2 ... in the order of the text, without names that are taken. */
static const char *call_name(Gathering *g, const Template *module)
{
    for (uint32_t k = 1;; k++) {
        const char *name = flat_text(g->f, "%s%u", module->name, k);
        if (g->f->broken || names_find(&g->t->names, name) == NAME_UNKNOWN)
            return name;
    }
}

/* Where no statement stands: MODULE SUM is not what SUM (...) in an equation
   means. */
static bool is_head(const Node *n, const Node *child)
{
    switch (n->kind) {
    case NODE_EQUATION:
    case NODE_CALL:
    case NODE_CONDIT:
    case NODE_FINISH_WHEN:
    case NODE_PROCEDURAL:
    case NODE_COMMUNIC: return true;
    case NODE_FOR: return child != n->last;
    case NODE_IF:
    case NODE_CASE:
    case NODE_WITH: return child == n->first;
    default: return false;
    }
}

static void gather_calls(Gathering *g, Node *n)
{
    if (n->kind == NODE_CALL && n->first->kind == NODE_NAME) {
        const Template *module = template_find(g->f, n->first->text);
        if (module && n->integer == 0) {
            const char *name = n->text ? n->text : call_name(g, module);
            if (n->text && names_find(&g->t->names, name) != NAME_UNKNOWN)
                FLAT_ERROR(g->f, n, "`%s` is already declared", name);
            put(g, name, SLOT_PART, n, false);
            n->integer = g->t->slots; // rewrite finds its slot by it
            if (g->loops > 0)
                FLAT_ERROR(g->f, n,
                           "a MODULE is not called inside FOR: declare the "
                           "parts, as in VAR ARRAY [n] OF PART %s C",
                           module->name);
            return;
        }
    }
    g->loops += n->kind == NODE_FOR;
    for (Node *k = n->first; k; k = k->next)
        if (!is_head(n, k))
            gather_calls(g, k);
    g->loops -= n->kind == NODE_FOR;
}

static void gather_blocks(Gathering *g, Node *blocks)
{
    for (Node *n = blocks->first; n; n = n->next)
        if (n->kind == NODE_CONTINUOUS)
            gather_calls(g, n);
}

/* ---- The program ------------------------------------------------------------------ */

static void examine_segment(Gathering *g, Node *n)
{
    if (n->kind == NODE_CONST_ITEM || n->kind == NODE_TYPE_ITEM)
        put_node(g, n);
    else if (n->kind == NODE_VAR_PART)
        for (Node *k = n->first->first; k; k = k->next)
            put_node(g, k);
}

void template_examine(Flattener *f, Template *t)
{
    Gathering g = {.f = f, .t = t};
    if (t->examined)
        return;
    t->examined = true;
    if (t->node->kind == NODE_MODULE) {
        for (Node *k = t->node->first->first; k; k = k->next)
            put(&g, k->text, SLOT_FORMAL, k, false);
        gather(&g, node_child(t->node, 1));
        gather(&g, t->node->last);
        gather_blocks(&g, t->node->last);
        return;
    }
    for (Node *n = t->node->last->first; n; n = n->next)
        examine_segment(&g, n);
    for (Node *n = t->node->last->first; n; n = n->next)
        if (n->kind == NODE_SYSTEM)
            gather_blocks(&g, n->first);
}

const char *template_near(Flattener *f, const Template *t, const char *name)
{
    const char **known = NEW_ARRAY(f->u->arena, const char *, t->slots + 1);
    size_t n = 0;
    if (!flat_keep(f, known != NULL))
        return NULL;
    for (uint32_t k = 0; k < t->slots; k++)
        known[n++] = t->slot[k].name;
    return nearest_name(name, known, n);
}
