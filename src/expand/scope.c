#include "expand/instance.h"

/* Names that hide those of a MODULE or of the program: loop variables, indices of
   events, and what a routine declares. In a part they get its path, as all its names. */

const Bound *bound_find(const Flattener *f, const char *name)
{
    for (const Bound *b = f->bound; b && name; b = b->around)
        if (name_same(b->name, name) || name_same(b->text, name))
            return b;
    return NULL;
}

void bound_begin(Flattener *f, Instance *i, Bound *b, const char *name)
{
    *b = (Bound){
        .name = name, .text = instance_name(f, i, name), .around = f->bound};
    f->bound = b;
}

static void bind_name(Flattener *f, Instance *i, const char *name)
{
    Bound *b = name ? NEW(f->u->arena, Bound) : NULL;
    if (name && flat_keep(f, b != NULL))
        bound_begin(f, i, b, name);
}

static void bind_formals(Flattener *f, Instance *i, const Node *formals)
{
    for (const Node *list = formals->first; list; list = list->next)
        for (const Node *k = list->first; k; k = k->next)
            if (k->kind == NODE_FORMAL)
                bind_name(f, i, k->text);
}

void bound_routine(Flattener *f, Instance *i, const Node *routine)
{
    bind_formals(f, i, routine->first);
    for (const Node *d = node_child(routine, 1)->first; d; d = d->next) {
        if (d->kind == NODE_CONST_ITEM || d->kind == NODE_FUNCTION ||
            d->kind == NODE_PROCEDURE)
            bind_name(f, i, d->text);
        if (d->kind != NODE_VAR_PART)
            continue;
        for (const Node *k = d->first->first; k; k = k->next)
            bind_name(f, i, k->text);
    }
}

void bound_event(Flattener *f, Instance *i, const Node *event)
{
    if (event->first == event->last)
        return;
    for (const Node *k = event->first->first; k; k = k->next)
        bind_name(f, i, k->text);
}
