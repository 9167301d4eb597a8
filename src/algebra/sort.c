#include "algebra/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/components.h"
#include "algebra/large.h"
#include "algebra/pools.h"
#include "algebra/reads.h"
#include "algebra/structure.h"
#include "algebra/sweep.h"
#include "algebra/tear.h"

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
    Components components;
} Graph;

/* ---- What equations read ---------------------------------------------------------------- */

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
    *n = (SortNode){.box = box, .next = g->first[slot]};
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
                 .first = MODEL_ARRAY(m, uint32_t, slots + 1)};
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

/* ---- Components -------------------------------------------------------------------------------- */

static bool components(Sorting *s, Graph *g)
{
    Model *m = s->m;
    uint32_t edges = 0;
    for (uint32_t k = 0; k < g->nodes; k++)
        edges += g->node[k].edges;
    uint32_t *first = MODEL_ARRAY(m, uint32_t, g->nodes + 1);
    uint32_t *to = MODEL_ARRAY(m, uint32_t, edges + 1);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < g->nodes; k++) {
        const SortNode *n = &g->node[k];
        if (n->edges)
            memcpy(to + first[k], n->to, n->edges * sizeof *to);
        first[k + 1] = first[k] + n->edges;
    }
    if (!components_find(&g->components, m->arena, g->nodes, first, to))
        m->broken = true;
    return !m->broken;
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

static bool has_loops(const Sorting *s, const uint32_t *equation, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (system_portion(s->system, equation[k])->n_loops)
            return true;
    return false;
}

/* A Select inside a loop chooses anew for each value of its index. */
static bool has_inner_select(const Sorting *s, const uint32_t *equation,
                             uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (const Guard *g = system_portion(s->system, equation[k])->guard; g;
             g = g->select->around)
            if (g->select->n_loops)
                return true;
    return false;
}

/* Expands the loops of a circle; the new equation numbers follow the first `n`
   in a new list. */
static bool by_expansion(Sorting *s, const uint32_t *equation, uint32_t n,
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
                   "this loop is part of an algebraic loop of %llu equations "
                   "with branches inside, too many to expand",
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

/* Elements one by one, in loops again where they follow each other. */
static bool by_elements(Sorting *s, const uint32_t *equation, uint32_t n,
                        const Context *c, Steps *out)
{
    if (has_inner_select(s, equation, n))
        return by_expansion(s, equation, n, c, out);
    bool right = sweep_elements(s->m, s->system, equation, n, out);
    reads_prepare(s);
    return right && !s->m->broken;
}

/* What IMPLICIT names is torn as it says. */
static bool is_written(const Sorting *s, const uint32_t *equation, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (system_portion(s->system, equation[k])->block != NONE)
            return true;
    return false;
}

/* Equations that depend on each other in a circle. */
static bool circle(Sorting *s, const uint32_t *equation, uint32_t n,
                   const Context *c, Steps *out)
{
    const Select *select = select_among(s, equation, n, c);
    if (!pools_circle(s->m, s->system, equation, n))
        return false;
    if (select)
        return by_branches(s, equation, n, select, c, out);
    if (has_loops(s, equation, n))
        return by_elements(s, equation, n, c, out);
    if (n >= LARGE_FROM && !is_written(s, equation, n) &&
        tear_is_real(s->m, s->system, equation, n))
        return large_loop(s->m, s->system, equation, n, out);
    return tear_loop(s->m, s->system, equation, n, out);
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

/* All nodes of component k. */
static bool put_component(Sorting *s, const Graph *g, uint32_t k,
                          const Context *c, Steps *out)
{
    Model *m = s->m;
    const Components *all = &g->components;
    uint32_t n = 0, room = 0, *equation = NULL;
    if (all->first[k + 1] - all->first[k] == 1)
        return put_node(s, &g->node[all->order[all->first[k]]], c, out);
    for (uint32_t i = all->first[k]; i < all->first[k + 1]; i++) {
        const SortNode *node = &g->node[all->order[i]];
        for (uint32_t j = 0; j < node->equations; j++)
            push(m, &equation, &n, &room, node->equation[j]);
    }
    if (m->broken)
        return false;
    qsort(equation, n, sizeof *equation, by_number);
    return circle(s, equation, n, c, out);
}

static bool sort_set(Sorting *s, const uint32_t *equation, uint32_t n,
                     const Context *c, Steps *out)
{
    Graph g;
    if (!graph_build(s, &g, equation, n) || !components(s, &g))
        return false;
    for (uint32_t k = 0; k < g.components.count; k++)
        if (!put_component(s, &g, k, c, out))
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
    right = right && pools_check(m, system);
    pools_fuse(m, &system->program);
    structure_kept(m, system);
    m->stage = STAGE_SORTED;
    return right && !m->broken && m->diags->errors == errors;
}
