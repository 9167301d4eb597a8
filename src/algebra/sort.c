#include "algebra/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/structure.h"
#include "model/walk.h"

#define EXPANDED_MOST 100000

/* Branches that have been entered, innermost first. */
typedef struct Context Context;
struct Context {
    const Context *around;
    const Select *select;
    uint32_t branch;
};

typedef struct SortNode {
    uint32_t *equation;
    uint32_t equations, room;
    Box box;
    uint32_t next; // next with the same unknown
    uint32_t *to;  // nodes it depends on
    uint32_t edges, edge_room;
    bool self;
    /* For Tarjan's algorithm: */
    uint32_t index, low, component, at;
    bool open;
} SortNode;

typedef struct Sorting {
    Model *m;
    System *system;
    Reads *reads; // for each equation
    uint32_t reads_room;
    uint32_t nodes_made; // stamps loops
} Sorting;

typedef struct Graph {
    SortNode *node;
    uint32_t nodes;
    uint32_t *first; // for each unknown: a node
    uint32_t *order; // nodes, component by component
    uint32_t ordered, components;
} Graph;

/* ---- What equations read ---------------------------------------------------------------- */

typedef struct Collecting {
    Model *m;
    ExprMap seen;
    Vector list; // const Expr *
} Collecting;

static bool collect(void *user, const Expr *e)
{
    Collecting *c = user;
    if (!is_unknown(c->m, e) || expr_map_get(&c->seen, e))
        return true;
    if (!expr_map_put(&c->seen, e, e) || !vector_append(&c->list, &e, sizeof e))
        c->m->broken = true;
    return true;
}

static void collect_guards(Collecting *c, const Guard *g)
{
    for (; g; g = g->select->around)
        expr_visit(c->m, g->select->selector, collect, c);
}

static Reads reads_find(Model *m, const Portion *e)
{
    Collecting c = {.m = m};
    Reads r = {0};
    if (e->value) {
        expr_visit(m, e->value, collect, &c);
    } else {
        expr_visit(m, e->left, collect, &c);
        expr_visit(m, e->right, collect, &c);
    }
    collect_guards(&c, e->guard);
    r.list = model_alloc(m, c.list.used + sizeof *r.list);
    if (r.list && c.list.used) {
        memcpy(r.list, c.list.bytes, c.list.used);
        r.count = (uint32_t)(c.list.used / sizeof *r.list);
    }
    expr_map_free(&c.seen);
    vector_free(&c.list);
    return r;
}

static void reads_prepare(Sorting *s)
{
    Model *m = s->m;
    uint32_t n = system_portions(s->system);
    Reads *all = MODEL_ARRAY(m, Reads, n + 1);
    if (!all)
        return;
    if (s->reads_room)
        memcpy(all, s->reads, s->reads_room * sizeof *all);
    for (uint32_t k = s->reads_room; k < n; k++)
        all[k] = reads_find(m, system_portion(s->system, k));
    s->reads = all;
    s->reads_room = n;
}

/* ---- Nodes ------------------------------------------------------------------------------- */

static uint32_t slot_of(const Box *b)
{
    return 2 * b->which + (b->op == EXPR_RATE);
}

static void push(Model *m, uint32_t **list, uint32_t *count, uint32_t *room,
                 uint32_t value)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 4;
        uint32_t *bigger = MODEL_ARRAY(m, uint32_t, more);
        if (!bigger)
            return;
        if (*count)
            memcpy(bigger, *list, *count * sizeof **list);
        *list = bigger;
        *room = more;
    }
    assert(*count < *room);
    (*list)[(*count)++] = value;
}

static bool same_box(const Box *a, const Box *b)
{
    if (a->op != b->op || a->which != b->which)
        return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->low[k] != b->low[k] || a->high[k] != b->high[k])
            return false;
    return true;
}

static void add_to_node(Sorting *s, Graph *g, uint32_t equation)
{
    Model *m = s->m;
    Box box = box_around(m, system_portion(s->system, equation)->target);
    uint32_t slot = slot_of(&box);
    for (uint32_t k = g->first[slot]; k != NONE; k = g->node[k].next)
        if (same_box(&g->node[k].box, &box)) {
            SortNode *n = &g->node[k];
            push(m, &n->equation, &n->equations, &n->room, equation);
            return;
        }
    assert(slot < 2 * model_variables(m));
    SortNode *n = &g->node[g->nodes];
    *n = (SortNode){.box = box, .next = g->first[slot], .index = NONE};
    g->first[slot] = g->nodes++;
    push(m, &n->equation, &n->equations, &n->room, equation);
}

static void add_edges(Sorting *s, Graph *g, uint32_t k)
{
    SortNode *n = &g->node[k];
    for (uint32_t i = 0; i < n->equations; i++) {
        const Reads *r = &s->reads[n->equation[i]];
        for (uint32_t j = 0; j < r->count; j++) {
            Box box = box_around(s->m, r->list[j]);
            for (uint32_t to = g->first[slot_of(&box)]; to != NONE;
                 to = g->node[to].next) {
                if (!box_meets(&g->node[to].box, &box))
                    continue;
                n->self = n->self || to == k;
                push(s->m, &n->to, &n->edges, &n->edge_room, to);
            }
        }
    }
}

/* Equations of one IMPLICIT belong together, whether they form a circle or
   not. */
static void tie_implicit(Sorting *s, Graph *g)
{
    Model *m = s->m;
    for (uint32_t k = 0; k < g->nodes; k++) {
        uint32_t block =
            system_portion(s->system, g->node[k].equation[0])->block;
        if (block == NONE)
            continue;
        for (uint32_t i = 0; i < g->nodes; i++)
            if (i != k &&
                system_portion(s->system, g->node[i].equation[0])->block ==
                    block)
                push(m, &g->node[k].to, &g->node[k].edges,
                     &g->node[k].edge_room, i);
        g->node[k].self = true;
    }
}

static bool graph_build(Sorting *s, Graph *g, const uint32_t *equation,
                        uint32_t n)
{
    Model *m = s->m;
    uint32_t slots = 2 * model_variables(m);
    *g = (Graph){.node = MODEL_ARRAY(m, SortNode, n + 1),
                 .first = MODEL_ARRAY(m, uint32_t, slots + 1),
                 .order = MODEL_ARRAY(m, uint32_t, n + 1)};
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < slots; k++)
        g->first[k] = NONE;
    for (uint32_t k = 0; k < n; k++)
        add_to_node(s, g, equation[k]);
    for (uint32_t k = 0; k < g->nodes; k++)
        add_edges(s, g, k);
    if (m->broken)
        return false; // a node may lack its equation
    tie_implicit(s, g);
    return !m->broken;
}

/* ---- Components (Tarjan 1972), without recursion ------------------------------------------- */

typedef struct Walk {
    uint32_t *path, depth;   // nodes being visited
    uint32_t *stack, height; // nodes without a component yet
    uint32_t index;
} Walk;

static void enter(Graph *g, Walk *w, uint32_t k)
{
    assert(g->node[k].index == NONE && w->depth < g->nodes);
    g->node[k].index = g->node[k].low = w->index++;
    g->node[k].open = true;
    w->stack[w->height++] = k;
    w->path[w->depth++] = k;
}

static void leave(Graph *g, Walk *w, uint32_t k)
{
    SortNode *n = &g->node[k];
    w->depth--;
    if (w->depth) {
        SortNode *up = &g->node[w->path[w->depth - 1]];
        up->low = n->low < up->low ? n->low : up->low;
    }
    if (n->low != n->index)
        return;
    uint32_t other;
    do {
        assert(w->height > 0);
        other = w->stack[--w->height];
        assert(g->node[other].open);
        g->node[other].open = false;
        g->node[other].component = g->components;
        g->order[g->ordered++] = other;
    } while (other != k);
    g->components++;
}

static void walk_from(Graph *g, Walk *w, uint32_t root)
{
    enter(g, w, root);
    while (w->depth) {
        uint32_t k = w->path[w->depth - 1];
        SortNode *n = &g->node[k];
        if (n->at == n->edges) {
            leave(g, w, k);
            continue;
        }
        SortNode *to = &g->node[n->to[n->at]];
        if (to->index == NONE)
            enter(g, w, n->to[n->at]);
        else if (to->open)
            n->low = to->index < n->low ? to->index : n->low;
        n->at++;
    }
}

static bool components(Sorting *s, Graph *g)
{
    Walk w = {.path = MODEL_ARRAY(s->m, uint32_t, g->nodes + 1),
              .stack = MODEL_ARRAY(s->m, uint32_t, g->nodes + 1)};
    if (s->m->broken)
        return false;
    for (uint32_t k = 0; k < g->nodes; k++)
        if (g->node[k].index == NONE)
            walk_from(g, &w, k);
    assert(g->ordered == g->nodes && w.height == 0);
    return true;
}

/* ---- Putting equations into steps ------------------------------------------------------------ */

static bool entered(const Context *c, const Select *s)
{
    for (; c; c = c->around)
        if (c->select == s)
            return true;
    return false;
}

/* The branch of `s` in the last step, which is made if necessary. */
static Steps *into_select(Model *m, Steps *steps, const Guard *g)
{
    Step *last = steps->last;
    if (!last || last->kind != STEP_SELECT || last->select != g->select) {
        last = steps_add(m, steps, STEP_SELECT);
        last->select = g->select;
        last->branch = MODEL_ARRAY(m, Steps, g->select->branches);
        if (!last->branch)
            return steps;
    }
    assert(g->branch < g->select->branches);
    return &last->branch[g->branch];
}

/* Only loops of one node are joined: others might overtake each other. */
static Steps *into_loop(Model *m, Steps *steps, uint32_t loop, bool down,
                        uint32_t stamp)
{
    Step *last = steps->last;
    if (!last || last->kind != STEP_LOOP || last->loop != loop ||
        last->equation != stamp) {
        last = steps_add(m, steps, STEP_LOOP);
        last->loop = loop;
        last->down = down;
        last->equation = stamp;
    }
    return &last->body;
}

/* Guards that stand inside `depth` loops, outermost first. */
static Steps *into_guards(Model *m, Steps *steps, const Guard *g,
                          uint32_t depth, const Context *c)
{
    if (!g)
        return steps;
    steps = into_guards(m, steps, g->select->around, depth, c);
    if (g->select->n_loops != depth || entered(c, g->select))
        return steps;
    return into_select(m, steps, g);
}

/* The list of steps in which the equation belongs. */
static Steps *steps_for(Sorting *s, Steps *out, const Portion *e,
                        const Context *c, bool down)
{
    for (uint32_t depth = 0; depth <= e->n_loops; depth++) {
        out = into_guards(s->m, out, e->guard, depth, c);
        if (depth < e->n_loops)
            out = into_loop(s->m, out, e->loops[depth], down, s->nodes_made);
    }
    return out;
}

static void put_assignment(Sorting *s, Steps *out, uint32_t k, const Context *c,
                           bool down)
{
    const Portion *e = system_portion(s->system, k);
    Step *step = steps_add(s->m, steps_for(s, out, e, c, down), STEP_ASSIGN);
    assert(s->m->broken || (e->target && e->value));
    step->target = e->target;
    step->value = e->value;
    step->equation = e->equation;
    step->portion = k;
}

/* ---- Circles ---------------------------------------------------------------------------------- */

/* -1: all from lower indices, +1: all from higher, 0: neither. */
static int direction_of(const Sorting *s, const SortNode *n)
{
    int direction = 0;
    for (uint32_t i = 0; i < n->equations; i++) {
        const Portion *e = system_portion(s->system, n->equation[i]);
        const Reads *r = &s->reads[n->equation[i]];
        if (!e->value || e->n_loops == 0)
            return 0;
        for (uint32_t j = 0; j < r->count; j++) {
            int sign;
            Box box = box_around(s->m, r->list[j]);
            if (!box_meets(&n->box, &box))
                continue;
            if (!box_offset(e, r->list[j], &sign) || sign == 0 ||
                (direction && direction != sign))
                return 0;
            direction = sign;
        }
    }
    return direction;
}

static bool sort_set(Sorting *s, const uint32_t *equation, uint32_t n,
                     const Context *c, Steps *out);

/* A Select that equations of the circle stand in and that has not been entered,
   while everything around it has. */
static const Select *select_among(const Sorting *s, const uint32_t *equation,
                                  uint32_t n, const Context *c)
{
    for (uint32_t k = 0; k < n; k++) {
        const Select *outer = NULL;
        for (const Guard *g = system_portion(s->system, equation[k])->guard; g;
             g = g->select->around)
            if (!entered(c, g->select) && g->select->n_loops == 0)
                outer = g->select;
        if (outer)
            return outer;
    }
    return NULL;
}

static bool in_branch(const Guard *g, const Select *s, uint32_t branch)
{
    for (; g; g = g->select->around)
        if (g->select == s)
            return g->branch == branch;
    return true;
}

/* Sorts the circle anew for each branch of `select`. */
static bool by_branches(Sorting *s, const uint32_t *equation, uint32_t n,
                        const Select *select, const Context *c, Steps *out)
{
    Model *m = s->m;
    Step *step = steps_add(m, out, STEP_SELECT);
    step->select = select;
    step->branch = MODEL_ARRAY(m, Steps, select->branches);
    uint32_t *some = MODEL_ARRAY(m, uint32_t, n);
    if (m->broken)
        return false;
    for (uint32_t b = 0; b < select->branches; b++) {
        Context inside = {c, select, b};
        uint32_t count = 0;
        for (uint32_t k = 0; k < n; k++)
            if (in_branch(system_portion(s->system, equation[k])->guard, select,
                          b))
                some[count++] = equation[k];
        if (!sort_set(s, some, count, &inside, &step->branch[b]))
            return false;
    }
    return true;
}

/* Expands the loops of a circle; the new equation numbers follow the first `n`
   in a new list. */
static bool by_elements(Sorting *s, const uint32_t *equation, uint32_t n,
                        const Context *c, Steps *out)
{
    Model *m = s->m;
    uint64_t elements = 0;
    uint32_t before = system_portions(s->system);
    const Portion *first = system_portion(s->system, equation[0]);
    for (uint32_t k = 0; k < n; k++) {
        const Portion *e = system_portion(s->system, equation[k]);
        elements += loops_elements(m, e->loops, e->n_loops);
        first = e->n_loops ? e : first;
    }
    if (elements > EXPANDED_MOST) {
        diag_error(m->diags, first->at,
                   "this loop is part of an algebraic loop of %llu equations, "
                   "too many to expand",
                   (unsigned long long)elements);
        return false;
    }
    diag_remark(m->diags, first->at,
                "the FOR is expanded: no order of its index suits the way its "
                "elements depend on each other");
    uint32_t *all = MODEL_ARRAY(m, uint32_t, elements + 1);
    if (!all)
        return false;
    memcpy(all, equation, n * sizeof *all);
    for (uint32_t k = 0; k < n; k++)
        portion_expand(m, s->system, equation[k]);
    for (uint32_t k = before; k < system_portions(s->system); k++)
        all[n++] = k;
    for (uint32_t k = 0; k < n; k++)
        if (all[k] < s->reads_room)
            s->reads[all[k]] = reads_find(m, system_portion(s->system, all[k]));
    reads_prepare(s);
    return !m->broken && sort_set(s, all, n, c, out);
}

static bool has_loops(const Sorting *s, const uint32_t *equation, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (system_portion(s->system, equation[k])->n_loops)
            return true;
    return false;
}

/* Equations that depend on each other in a circle. */
static bool circle(Sorting *s, const uint32_t *equation, uint32_t n,
                   const Context *c, Steps *out)
{
    const Select *select = select_among(s, equation, n, c);
    if (select)
        return by_branches(s, equation, n, select, c, out);
    if (has_loops(s, equation, n))
        return by_elements(s, equation, n, c, out);
    return tear_loop(s->m, s->system, equation, n, s->reads, out);
}

/* ---- Sorting ------------------------------------------------------------------------------------ */

static bool solved(const Sorting *s, const SortNode *n)
{
    for (uint32_t k = 0; k < n->equations; k++)
        if (!system_portion(s->system, n->equation[k])->value)
            return false;
    return true;
}

static bool put_node(Sorting *s, const SortNode *n, const Context *c,
                     Steps *out)
{
    int direction = n->self ? direction_of(s, n) : -1;
    if (!solved(s, n) || direction == 0)
        return circle(s, n->equation, n->equations, c, out);
    s->nodes_made++;
    for (uint32_t k = 0; k < n->equations; k++)
        put_assignment(s, out, n->equation[k], c, direction > 0);
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* All nodes of one component, from position k of the order on. */
static bool put_component(Sorting *s, const Graph *g, uint32_t k,
                          uint32_t *count, const Context *c, Steps *out)
{
    Model *m = s->m;
    uint32_t component = g->node[g->order[k]].component, n = 0, room = 0;
    uint32_t *equation = NULL;
    *count = 0;
    for (uint32_t i = k;
         i < g->ordered && g->node[g->order[i]].component == component; i++) {
        const SortNode *node = &g->node[g->order[i]];
        (*count)++;
        for (uint32_t j = 0; j < node->equations; j++)
            push(m, &equation, &n, &room, node->equation[j]);
    }
    if (m->broken)
        return false;
    if (*count == 1)
        return put_node(s, &g->node[g->order[k]], c, out);
    qsort(equation, n, sizeof *equation, by_number);
    return circle(s, equation, n, c, out);
}

static bool sort_set(Sorting *s, const uint32_t *equation, uint32_t n,
                     const Context *c, Steps *out)
{
    Graph g;
    uint32_t count;
    if (!graph_build(s, &g, equation, n) || !components(s, &g))
        return false;
    for (uint32_t k = 0; k < g.ordered; k += count)
        if (!put_component(s, &g, k, &count, c, out))
            return false;
    return true;
}

bool sort_equations(Model *m, System *system)
{
    Sorting s = {.m = m, .system = system};
    uint32_t errors = m->diags->errors, n = system_portions(system);
    uint32_t *all = MODEL_ARRAY(m, uint32_t, n + 1);
    reads_prepare(&s);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < n; k++)
        all[k] = k;
    bool right = sort_set(&s, all, n, NULL, &system->program);
    structure_kept(m, system);
    m->stage = STAGE_SORTED;
    return right && !m->broken && m->diags->errors == errors;
}
