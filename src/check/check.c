#include "check/check.h"

#include "check/equation.h"
#include "check/units.h"

/* The order of the checks: declarations, bodies in the order of the text, then
   what only the whole program shows. */

/* ---- Bodies -------------------------------------------------------------- */

typedef struct Saved {
    Scope *home;
    Symbol *self;
    Layer layer;
} Saved;

static bool enter(Checker *c, const Node *n, Saved *saved)
{
    Symbol *s = n->symbol;
    if (s == NULL || s->body != n || s->inside == NULL)
        return false;
    saved->home = c->home;
    saved->self = c->self;
    c->home = s->inside;
    c->self = s;
    layer_push(c, &saved->layer, s->inside);
    return true;
}

static void leave(Checker *c, const Saved *saved)
{
    layer_pop(c);
    c->home = saved->home;
    c->self = saved->self;
}

static void check_function(Checker *c, Node *n)
{
    bool continuous = (n->flags & FLAG_CONTINUOUS) != 0;
    Saved saved;
    if (!enter(c, n, &saved))
        return;
    check_section(c, n->last,
                  continuous ? PLACE_CONTINUOUS_FUNCTION : PLACE_ROUTINE);
    if (n->kind == NODE_FUNCTION && !n->symbol->assigned)
        unit_error(c->unit, name_span(c, n), n->origin,
                   "FUNCTION `%s` never sets its result: `%s := ...`", n->text,
                   n->text);
    leave(c, &saved);
}

/* Routines among the declarations of a process, which see what it declares. */
static void check_own_routines(Checker *c, Node *process)
{
    for (Node *n = node_child(process, 1)->first; n != NULL; n = n->next) {
        if (n->kind == NODE_FUNCTION || n->kind == NODE_PROCEDURE)
            check_function(c, n);
        if (n->kind == NODE_FUNCTION)
            check_own_function(c, n, process);
    }
}

static void check_discrete_process(Checker *c, Node *n)
{
    Layer outer, inner;
    Saved saved;
    if (!enter(c, n, &saved))
        return;
    c->process = n->symbol;
    check_process_layers(c, n->symbol, &outer, &inner);
    check_own_routines(c, n);
    check_section(c, n->last, PLACE_PROCESS);
    layer_pop(c);
    layer_pop(c);
    c->process = NULL;
    leave(c, &saved);
}

/* Blocks of SYSTEM, of a CONTINUOUS PROCESS, of a MODULE. */
static void check_blocks(Checker *c, Node *list, Equations *e, bool copy)
{
    Equations *before = c->equations;
    c->equations = e;
    for (Node *k = list->first; k != NULL; k = k->next) {
        if (k->kind == NODE_INITIAL)
            check_section(c, k->first, copy ? PLACE_COPY : PLACE_INITIAL);
        else if (k->kind == NODE_TERMINAL)
            check_section(c, k->first, copy ? PLACE_COPY : PLACE_TERMINAL);
        else if (k->kind == NODE_CONTINUOUS)
            check_parallel(c, k->first);
        else
            check_discrete(c, k);
    }
    c->equations = before;
}

static void finish_blocks(Checker *c, Node *list, Equations *e)
{
    equations_finish(c, e);
    equations_free(e);
    for (Node *k = list->first; k != NULL; k = k->next) {
        if (k->kind == NODE_CONTINUOUS)
            check_model_uses(c, k->first);
    }
}

static void check_continuous_process(Checker *c, Node *n)
{
    Equations e = {0};
    Layer outer, inner;
    Saved saved;
    if (!enter(c, n, &saved))
        return;
    check_process_layers(c, n->symbol, &outer, &inner);
    check_own_routines(c, n);
    check_blocks(c, n->last, &e, true);
    finish_blocks(c, n->last, &e);
    layer_pop(c);
    layer_pop(c);
    leave(c, &saved);
}

/* ---- Segments ------------------------------------------------------------ */

/* CCODE may run something, too. */
static bool has_ccode(const Node *n)
{
    if (n->kind == NODE_CCODE)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (has_ccode(k))
            return true;
    }
    return false;
}

static void check_experiment(Checker *c, Node *n)
{
    check_section(c, n->first, PLACE_EXPERIMENT);
    check_frames(c, n->first);
    if (c->unit->diags->errors == 0 && !node_simulates(n) && !has_ccode(n))
        unit_warning(c->unit, n->at, n->origin,
                     "this EXPERIMENT runs nothing: SIMULATE FROM a TO b is "
                     "missing");
}

static void check_segment(Checker *c, Node *n, Equations *e)
{
    switch (n->kind) {
    case NODE_FUNCTION:
    case NODE_PROCEDURE: check_function(c, n); break;
    case NODE_DISCRETE_PROCESS: check_discrete_process(c, n); break;
    case NODE_CONTINUOUS_PROCESS: check_continuous_process(c, n); break;
    case NODE_EXPERIMENT: check_experiment(c, n); break;
    case NODE_SYSTEM: check_blocks(c, n->first, e, false); break;
    case NODE_OUTPUT: check_output(c, n); break;
    default: break;
    }
}

/* Declares the names of macro calls: nothing else may have them. */
static void declare_calls(Checker *c)
{
    for (uint32_t k = 0; k < c->unit->call_count; k++) {
        const CallName *call = &c->unit->calls[k];
        Node *n = node_new(c->unit->arena, NODE_NAME, call->at);
        if (n == NULL) {
            c->broken = true;
            return;
        }
        n->text = call->name;
        n->origin = call->origin;
        name_declare(c, c->program, SYMBOL_CALL, WORD_NONE, n);
    }
}

static void check_declarations(Checker *c, Node *segments)
{
    Symbol *s;
    c->place = PLACE_DECLARATION;
    for (Node *n = segments->first; n != NULL; n = n->next)
        declare_segment(c, n);
    declare_calls(c);
    s = scope_own(c->program, "EVENTFILE");
    if (s != NULL && s->kind == SYMBOL_FILE) {
        c->eventfile = s;
        s->used = true;
    }
    for (Node *n = segments->first; n != NULL; n = n->next)
        declare_segment_late(c, n);
}

static void find_all_derived(Checker *c, Node *segments)
{
    for (Node *n = segments->first; n != NULL; n = n->next) {
        if (n->kind != NODE_SYSTEM)
            continue;
        for (Node *k = n->first->first; k != NULL; k = k->next)
            if (k->kind == NODE_CONTINUOUS)
                find_derived(c, k->first);
    }
}

static void check_bodies(Checker *c, Node *segments)
{
    Equations e = {0};
    find_all_derived(c, segments);
    for (Node *n = segments->first; n != NULL; n = n->next)
        check_segment(c, n, &e);
    equations_finish(c, &e);
    equations_free(&e);
    for (Node *n = segments->first; n != NULL; n = n->next) {
        if (n->kind == NODE_SYSTEM)
            for (Node *k = n->first->first; k != NULL; k = k->next)
                if (k->kind == NODE_CONTINUOUS)
                    check_model_uses(c, k->first);
    }
}

static bool start(Checker *c)
{
    Arena *a = c->unit->arena;
    if (!predefined_add(c))
        return false;
    c->program = scope_new(a, c->predefined, c->unit->program);
    c->blocks = scope_new(a, NULL, NULL);
    c->home = c->program;
    return c->program != NULL && c->blocks != NULL;
}

bool check(Unit *u)
{
    Checker c = {.unit = u, .misread = u->diags->errors > 0};
    Layer layer = {0};
    Node *segments = u->program->last;
    bool started = start(&c);
    if (started) {
        layer.scope = c.program;
        c.layer = &layer;
        check_declarations(&c, segments);
        check_bodies(&c, segments);
        check_flow(&c, segments);
        check_shared(&c, segments);
        check_usage(&c);
    }
    if (!started || c.broken)
        diag_error(u->diags, (Span){SPAN_NOWHERE, 0, 0},
                   "there is no memory left to check this program");
    else if (!check_units(u, c.program))
        return false;
    return u->diags->errors == 0;
}
