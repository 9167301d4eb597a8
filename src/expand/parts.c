#include "expand/instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The order in which a program with parts becomes one without. */

bool flat_keep(Flattener *f, bool ok)
{
    if (!ok && !f->broken) {
        diag_error(f->u->diags, (Span){.file = SPAN_NOWHERE},
                   "memory is exhausted");
        f->broken = true;
    }
    return ok;
}

const char *flat_text(Flattener *f, const char *format, ...)
{
    char room[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : NEW_ARRAY(f->u->arena, char, (size_t)n + 1);
    if (!flat_keep(f, text != NULL))
        return "";
    if ((size_t)n < sizeof room) {
        memcpy(text, room, (size_t)n + 1);
        return text;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

/* ---- What statements assign --------------------------------------------------------- */

/* "C.R" of C[3].R; NULL for anything else than a path. */
static const char *path_text(Flattener *f, const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->text;
    if (n->kind == NODE_INDEX)
        return path_text(f, n->first);
    if (n->kind != NODE_SELECT || n->last->kind != NODE_NAME)
        return NULL;
    const char *base = path_text(f, n->first);
    return base ? flat_text(f, "%s.%s", base, n->last->text) : NULL;
}

static void note_assigned(Flattener *f, const Node *n)
{
    const char *path = n->kind == NODE_SELECT ? path_text(f, n) : NULL;
    if (path)
        flat_keep(f, names_put(&f->assigned, path, 0));
}

static void find_assigned(Flattener *f, const Node *n)
{
    if (n->kind == NODE_ASSIGN || n->kind == NODE_SETTING ||
        n->kind == NODE_SWEEP_ITEM || n->kind == NODE_START_VALUE ||
        n->kind == NODE_UNCERTAIN_ITEM)
        note_assigned(f, n->first);
    for (const Node *k = n->first; k; k = k->next)
        find_assigned(f, k);
}

/* ---- CONNECTs of the program ---------------------------------------------------------- */

/* Copies of the statements of SYSTEM that hold a CONNECT: the program's own nodes
   are changed. */
static Node *keep_connects(Flattener *f, const Node *segments)
{
    Node *blocks = build(f, NODE_LIST, segments, 0);
    Node *block = build(f, NODE_CONTINUOUS, segments, 0);
    Node *list = build(f, NODE_LIST, segments, 0);
    for (const Node *n = segments->first; n; n = n->next) {
        if (n->kind != NODE_SYSTEM)
            continue;
        for (const Node *b = n->first->first; b; b = b->next) {
            if (b->kind != NODE_CONTINUOUS)
                continue;
            for (const Node *k = b->first->first; k; k = k->next)
                if (node_connects(k))
                    node_add(list, node_copy(f, k));
        }
    }
    node_add(block, list);
    node_add(blocks, block);
    return blocks;
}

/* ---- Putting the program together ------------------------------------------------------ */

static void append(Node *list, Node *more)
{
    for (Node *k = more->first, *next; k; k = next) {
        next = k->next;
        k->next = NULL;
        node_add(list, k);
    }
}

static void prepend(Node *list, Node *more)
{
    if (!more->first)
        return;
    more->last->next = list->first;
    if (!list->first)
        list->last = more->last;
    list->first = more->first;
}

static void rewrite_system(Flattener *f, Node *system)
{
    for (Node *b = system->first->first; b; b = b->next) {
        if (b->kind != NODE_CONTINUOUS) {
            rewrite(f, f->program, b);
            continue;
        }
        f->parallel_code = true;
        Node *list = rewrite_list(f, f->program, b->first);
        f->parallel_code = false;
        b->first = b->last = list;
    }
}

/* INITIAL of the parts and of the program is one: what stands in it is looked at
   together. Parts come before the program, so that it has the last word. */
static void fill_initial(Flattener *f, Node *blocks)
{
    Node *list = build(f, NODE_LIST, blocks, 0), *block = NULL;
    if (!f->initial->first)
        return;
    for (Node *k = f->initial->first; k && !f->broken; k = k->next)
        append(list, k->first);
    for (Node *k = blocks->first; k && !block; k = k->next)
        block = k->kind == NODE_INITIAL ? k : NULL;
    if (block) {
        prepend(block->first, list);
        return;
    }
    block = f->initial->first;
    block->next = NULL;
    block->first = block->last = NULL;
    node_add(block, list);
    block->next = blocks->first;
    if (!blocks->first)
        blocks->last = block;
    blocks->first = block;
}

static void fill_system(Flattener *f, Node *system)
{
    Node *blocks = system->first;
    if (f->parallel->first) {
        Node *block = build(f, NODE_CONTINUOUS, system, 0);
        node_add(block, f->parallel);
        node_add(blocks, block);
    }
    fill_initial(f, blocks);
    append(blocks, f->blocks);
    append(blocks, f->terminal);
    for (const Node *k = blocks->first; k; k = k->next)
        if (k->height >= blocks->height)
            blocks->height = k->height + 1;
}

static void set_prelude(Flattener *f, Node *segments, Node *system)
{
    Node *place = NULL;
    if (!f->prelude->first)
        return;
    for (Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_EXPERIMENT && !place)
            place = n;
    if (place) {
        prepend(place->first, f->prelude);
    } else if (system) {
        Node *initial = build(f, NODE_INITIAL, system, 0);
        node_add(initial, f->prelude);
        initial->next = system->first->first;
        system->first->first = initial;
    }
}

/* MODULEs and kinds of ports have done their work. */
static void remove_definitions(Node *segments)
{
    Node *kept = NULL;
    for (Node *n = segments->first, *next; n; n = next) {
        next = n->next;
        bool gone = n->kind == NODE_MODULE ||
                    (n->kind == NODE_TYPE_ITEM && n->word == WORD_PORT) ||
                    (n->kind == NODE_VAR_PART && !n->first->first);
        if (gone)
            continue;
        n->next = NULL;
        if (kept)
            kept->next = n;
        else
            segments->first = n;
        kept = n;
    }
    if (!kept)
        segments->first = NULL;
    segments->last = kept;
}

/* Declarations that calls need stand before anything that may use them. */
static void insert_declared(Node *segments, Node *declared)
{
    Node *before = NULL;
    if (!declared->first)
        return;
    for (Node *n = segments->first; n; n = n->next) {
        bool declares = n->kind == NODE_CONST_ITEM ||
                        n->kind == NODE_TYPE_ITEM || n->kind == NODE_VAR_PART ||
                        n->kind == NODE_FUNCTABLE || n->kind == NODE_TIMEUNIT ||
                        n->kind == NODE_LIBRARY || n->kind == NODE_LABEL_PART ||
                        n->kind == NODE_MODULE;
        if (!declares)
            break;
        before = n;
    }
    if (!before) {
        prepend(segments, declared);
        return;
    }
    declared->last->next = before->next;
    before->next = declared->first;
    if (segments->last == before)
        segments->last = declared->last;
}

static void warn_unused(Flattener *f)
{
    size_t n = f->templates.used / sizeof(Template *);
    for (size_t k = 0; k < n; k++) {
        const Template *t = ((Template *const *)(void *)f->templates.bytes)[k];
        if (!t->used && t->node->at.file == f->u->file)
            unit_warning(
                f->u, t->node->at, t->node->origin,
                "no part is made of MODULE `%s`: what is inside it was "
                "not checked",
                t->name);
    }
}

static void begin(Flattener *f, Node *program)
{
    Template *t = NEW(f->u->arena, Template);
    Instance *i = NEW(f->u->arena, Instance);
    if (!flat_keep(f, t && i))
        return;
    t->name = program->text;
    t->node = program;
    i->template = t;
    f->program = i; // whatever follows: its names are freed
    template_examine(f, t);
    i->held = NEW_ARRAY(f->u->arena, Held, t->slots + 1);
    if (!flat_keep(f, i->held != NULL))
        return;
    for (uint32_t k = 0; k < t->slots; k++)
        i->held[k].text = t->slot[k].name;
}

static void flatten(Flattener *f, Node *program)
{
    Node *segments = program->last, *system = NULL;
    uint32_t errors = f->u->diags->errors;
    for (Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_MODULE)
            template_add(f, n);
    find_assigned(f, segments);
    begin(f, program);
    if (f->broken)
        return;
    Node *connects = keep_connects(f, segments);
    f->prelude = build(f, NODE_LIST, program, 0);
    f->guards = build(f, NODE_LIST, program, 0);
    f->parallel = build(f, NODE_LIST, program, 0);
    f->initial = build(f, NODE_LIST, program, 0);
    f->blocks = build(f, NODE_LIST, program, 0);
    f->terminal = build(f, NODE_LIST, program, 0);
    program_fill(f);
    if (f->broken)
        return;
    f->declared = build(f, NODE_LIST, program, 0);
    instance_calls(f, f->program);
    if (f->broken)
        return;
    insert_declared(segments, f->declared);
    for (Node *n = segments->first; n && !f->broken; n = n->next) {
        if (n->kind == NODE_MODULE)
            continue;
        if (n->kind == NODE_SYSTEM) {
            system = system ? system : n;
            rewrite_system(f, n);
        } else { // what parts declare has no paths any more
            rewrite(f, f->program, n);
        }
    }
    if (f->broken)
        return;
    connect_ports(f, f->program, connects, f->parallel);
    instance_parts(f, f->program);
    instance_sections(f, f->program);
    if (f->broken)
        return;
    insert_declared(segments, f->guards);
    if (system)
        fill_system(f, system);
    if (!f->broken)
        set_prelude(f, segments, system);
    if (f->u->diags->errors == errors)
        check_networks(f, segments);
    remove_definitions(segments);
    warn_unused(f);
}

bool instantiate(Unit *u)
{
    Flattener f = {.u = u};
    uint32_t errors = u->diags->errors;
    if (!u->parted || !u->program || u->grammar_only)
        return true;
    flatten(&f, u->program);
    u->parts =
        (UnitParts){.parts = (uint32_t)(f.parts.used / sizeof(UnitPart)),
                    .joints = (uint32_t)(f.joints.used / sizeof(UnitJoint))};
    u->parts.part = NEW_ARRAY(u->arena, UnitPart, u->parts.parts + 1);
    u->parts.joint = NEW_ARRAY(u->arena, UnitJoint, u->parts.joints + 1);
    if (flat_keep(&f, u->parts.part && u->parts.joint)) {
        if (f.parts.used)
            memcpy(u->parts.part, f.parts.bytes, f.parts.used);
        if (f.joints.used)
            memcpy(u->parts.joint, f.joints.bytes, f.joints.used);
    }
    for (size_t k = 0; k < f.templates.used / sizeof(Template *); k++)
        names_free(&((Template *const *)(void *)f.templates.bytes)[k]->names);
    if (f.program)
        names_free(&f.program->template->names);
    names_free(&f.modules);
    names_free(&f.constants);
    names_free(&f.assigned);
    vector_free(&f.templates);
    vector_free(&f.values);
    vector_free(&f.parts);
    vector_free(&f.joints);
    return u->diags->errors == errors;
}
