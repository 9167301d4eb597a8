#include "check/checker.h"

/* Finds variables that are used before they have a value, where the text alone
   shows it: in INITIAL, in EXPERIMENT, and OWN variables of a routine or
   process. Everything else keeps the value of an earlier event or run.

   INITIAL runs in the order written, with one exception: an assignment that
   reads a variable which INITIAL assigns only once, and only further down, is
   moved after that assignment (section 5). It is reported and done here. */

typedef struct Flow {
    Checker *c;
    uint32_t places;      // only variables that are assigned nowhere else
    bool own;             // only those of VAR OWN
    bool zero;            // these variables begin at 0 at every execution
    const Scope *scope;   // only those declared in it; NULL: all
    const Node *loop;     // the outermost around the present node, or NULL
    const Symbol *target; // that of the present assignment, or NULL
} Flow;

static void read_node(Flow *f, Node *n);

/* ---- Reading and assigning ----------------------------------------------- */

static bool is_followed(const Flow *f, const Symbol *s)
{
    if (s == NULL || s->kind != SYMBOL_VARIABLE || s->node == NULL ||
        !s->assigned || s->settled || s->meant ||
        (s->node->flags & FLAG_INPUT) != 0)
        return false;
    if (s->type != WORD_REAL && s->type != WORD_INTEGER &&
        s->type != WORD_BOOLEAN)
        return false;
    if (f->scope != NULL && s->scope != f->scope)
        return false;
    return s->places != 0 && (s->places & ~f->places) == 0 && s->own == f->own;
}

static bool is_set_in(const Node *n, const Symbol *s)
{
    bool sets = n->kind == NODE_ASSIGN || n->kind == NODE_FIND ||
                n->kind == NODE_GENERATE || n->kind == NODE_SEIZE_ANY;
    if (sets && designator_base(n->first)->symbol == s)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (is_set_in(k, s))
            return true;
    return false;
}

/* A variable that counts up from 0, in N := N + 1 or from one turn of a loop to
   the next, is read with its 0 on purpose. */
static bool counts_from_zero(const Flow *f, const Symbol *s)
{
    return f->zero &&
           (f->target == s || (f->loop != NULL && is_set_in(f->loop, s)));
}

static void read_name(Flow *f, Node *n)
{
    Symbol *s = n->symbol;
    if (!is_followed(f, s))
        return;
    s->settled = true; // report once
    if (counts_from_zero(f, s))
        return;
    WARNING(f->c, n, "`%s` is used before it has a value", s->shown);
    if (s->where != NULL)
        unit_note(f->c->unit, s->where->at, "it is assigned here");
}

static void settle(Node *n)
{
    Symbol *s =
        n->kind == NODE_NAME || n->kind == NODE_INDEX || n->kind == NODE_SELECT
            ? designator_base(n)->symbol
            : NULL;
    if (s != NULL)
        s->settled = true;
}

static void read_children(Flow *f, Node *n)
{
    for (Node *k = n->first; k != NULL; k = k->next)
        read_node(f, k);
}

/* Assigning to an element reads its indices. */
static void read_target(Flow *f, Node *n)
{
    if (n->kind == NODE_INDEX) {
        read_target(f, n->first);
        read_node(f, n->last);
    } else if (n->kind == NODE_SELECT || n->kind == NODE_DERIVATIVE) {
        read_target(f, n->first);
    }
}

/* Reads all children but the first, which is then set. */
static void read_and_set(Flow *f, Node *n)
{
    f->target =
        n->kind == NODE_ASSIGN ? designator_base(n->first)->symbol : NULL;
    for (Node *k = n->first->next; k != NULL; k = k->next)
        read_node(f, k);
    if (is_none(n->first))
        return;
    read_target(f, n->first);
    f->target = NULL;
    settle(n->first);
}

/* After a FOR its declared variable has the value of the last pass. */
static void read_loop(Flow *f, Node *n)
{
    const Node *outer = f->loop;
    if (outer == NULL)
        f->loop = n;
    read_children(f, n);
    f->loop = outer;
    if (n->kind == NODE_FOR && n->symbol != NULL && n->symbol->counts != NULL)
        n->symbol->counts->settled = true;
}

/* A procedure may set what it is given. */
static void read_call(Flow *f, Node *n)
{
    const Symbol *s = n->first->symbol;
    if (n->first->kind == NODE_NAME && s != NULL &&
        (s->kind == SYMBOL_UNKNOWN ||
         (s->kind == SYMBOL_PROCEDURE && s->node != NULL))) {
        for (Node *list = n->last->first; list != NULL; list = list->next) {
            for (Node *k = list->first; k != NULL; k = k->next)
                settle(k->first);
        }
    }
    read_children(f, n);
}

static void read_create(Flow *f, Node *n)
{
    if (n->first->kind == NODE_INDEX)
        settle(n->first->last->first);
    read_node(f, n->last);
}

static void read_where(Flow *f, Node *n)
{
    for (Node *k = n->first->first; k != NULL; k = k->next)
        read_node(f, k->last);
}

static void read_node(Flow *f, Node *n)
{
    switch (n->kind) {
    case NODE_NAME: read_name(f, n); break;
    case NODE_ASSIGN:
    case NODE_SETTING:
    case NODE_START_VALUE:
    case NODE_SWEEP_ITEM:
    case NODE_UNCERTAIN_ITEM:
    case NODE_FIND:
    case NODE_GENERATE:
    case NODE_SEIZE_ANY: read_and_set(f, n); break;
    case NODE_FOR:
    case NODE_EACH:
    case NODE_WHILE:
    case NODE_REPEAT: read_loop(f, n); break;
    case NODE_CALL: read_call(f, n); break;
    case NODE_CREATE: read_create(f, n); break;
    case NODE_WHERE: read_where(f, n); break;
    case NODE_TIMEPERS_ITEM:
        if (n->symbol != NULL && !is_none(n->first))
            n->symbol->settled = true;
        break;
    case NODE_COLLECT:
    case NODE_HISTOGRAM:
    case NODE_RANDOMGEN:
    case NODE_SENSITIVITY:
    case NODE_LINEARIZE: break;
    case NODE_SEARCH: // the value to be optimised is assigned inside
        for (Node *k = n->first->next; k != NULL; k = k->next)
            read_node(f, k);
        break;
    case NODE_FIT_DATA: break; // looked at when the statements are through
    default: read_children(f, n); break;
    }
}

/* ---- The courtesy of INITIAL --------------------------------------------- */

/* Counts how often INITIAL assigns each variable, and keeps the place if only
   once. */
static void count_assignments(Node *n, bool straight)
{
    bool assign = n->kind == NODE_ASSIGN;
    if (assign || n->kind == NODE_FIND || n->kind == NODE_GENERATE ||
        n->kind == NODE_SEIZE_ANY) {
        Symbol *s = designator_base(n->first)->symbol;
        if (s != NULL) {
            s->count++;
            s->only =
                assign && straight && n->first->kind == NODE_NAME ? n : NULL;
        }
    }
    for (Node *k = n->first; k != NULL; k = k->next)
        count_assignments(k, false);
}

static void clear_counts(Node *n)
{
    if (n->kind == NODE_NAME && n->symbol != NULL) {
        n->symbol->count = 0;
        n->symbol->only = NULL;
        n->symbol->waiting = NULL;
        n->symbol->settled = false;
    }
    for (Node *k = n->first; k != NULL; k = k->next)
        clear_counts(k);
}

static Symbol *awaited(const Node *n)
{
    Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    return s != NULL && s->kind == SYMBOL_VARIABLE && s->count == 1 &&
                   s->only != NULL && !s->settled
               ? s
               : NULL;
}

#define FOLLOWED 200 // variables searched for a circle

typedef struct Search {
    const Symbol *target;
    const Symbol *list[FOLLOWED];
    uint32_t count;
    bool found;
} Search;

static void search_names(Search *search, const Node *n)
{
    const Symbol *s = awaited(n);
    bool known = s == NULL || search->count == FOLLOWED;
    if (n->kind == NODE_NAME && n->symbol == search->target)
        search->found = true;
    for (uint32_t k = 0; !known && k < search->count; k++)
        known = search->list[k] == s;
    if (!known)
        search->list[search->count++] = s;
    for (const Node *k = n->first; k != NULL; k = k->next)
        search_names(search, k);
}

/* True if the value of n needs `target`, through assignments further down. */
static bool needs(const Node *n, const Symbol *target)
{
    Search search = {.target = target};
    search_names(&search, n);
    for (uint32_t k = 0; k < search.count && !search.found; k++)
        search_names(&search, search.list[k]->only->last);
    return search.found;
}

/* The first name in n that is assigned only further down. */
static Node *find_awaited(Node *n)
{
    if (awaited(n) != NULL)
        return n;
    for (Node *k = n->first; k != NULL; k = k->next) {
        Node *found = find_awaited(k);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* The assignment that this one has to wait for, or NULL. */
static Node *waits_for(Node *n, Node **name)
{
    const Symbol *target;
    *name = n->kind == NODE_ASSIGN ? find_awaited(n->last) : NULL;
    if (*name == NULL || n->first->kind != NODE_NAME ||
        (*name)->symbol->only == n)
        return NULL;
    target = n->first->symbol;
    if (target == NULL || needs((*name)->symbol->only->last, target))
        return NULL;
    return (*name)->symbol->only;
}

static void tell_moved(const Flow *f, const Node *n, const Node *name)
{
    if (f->c->unit->diags->kept < DIAG_LIMIT)
        diag_remark(f->c->unit->diags, n->at,
                    "this assignment is moved after that of `%s` in line %u, "
                    "which it needs",
                    name->text,
                    (unsigned)unit_line(f->c->unit, name->symbol->only->at));
}

static void append(Node *list, Node *n)
{
    n->next = NULL;
    if (list->last == NULL)
        list->first = n;
    else
        list->last->next = n;
    list->last = n;
}

/* Adds it after those that wait for the same assignment. */
static void wait_after(Symbol *s, Node *n)
{
    Node **link = &s->waiting;
    while (*link != NULL)
        link = &(*link)->next;
    n->next = NULL;
    *link = n;
}

/* The statements that waited for this one, in their order, before `next`. */
static Node *released(const Node *n, Node *next)
{
    Symbol *s = n->kind == NODE_ASSIGN && n->first->kind == NODE_NAME
                    ? n->first->symbol
                    : NULL;
    Node *first = s == NULL ? NULL : s->waiting, *last = first;
    if (first == NULL)
        return next;
    s->waiting = NULL;
    while (last->next != NULL)
        last = last->next;
    last->next = next;
    return first;
}

static void check_initial(Checker *c, Node *list)
{
    Flow f = {.c = c, .places = PLACE_INITIAL};
    Node *next, *name, *moved = NULL;
    uint32_t left = node_count(list);
    clear_counts(list);
    for (Node *n = list->first; n != NULL; n = n->next)
        count_assignments(n, true);
    next = list->first;
    list->first = list->last = NULL;
    for (Node *n = next; n != NULL; n = next) {
        next = n->next;
        if (waits_for(n, &name) != NULL) {
            tell_moved(&f, n, name);
            wait_after(name->symbol, n);
            moved = n;
            continue;
        }
        read_node(&f, n);
        append(list, n);
        left--;
        next = released(n, next);
    }
    if (left > 0) // a circle longer than `needs` follows
        ERROR(c, moved, "assignments in INITIAL need each other");
}

/* ---- Segments ------------------------------------------------------------ */

static void check_system(Checker *c, Node *blocks)
{
    for (Node *n = blocks->first; n != NULL; n = n->next) {
        if (n->kind == NODE_INITIAL)
            check_initial(c, n->first);
    }
}

/* A routine that a process declares. What is OWN there may have got its value
   before the call. */
static void read_own_routine(const Flow *f, Node *n)
{
    if ((n->kind != NODE_FUNCTION && n->kind != NODE_PROCEDURE) ||
        n->symbol == NULL)
        return;
    Flow inside = *f;
    inside.scope = n->symbol->inside;
    read_node(&inside, n->last);
}

void check_flow(Checker *c, Node *segments)
{
    Flow experiment = {.c = c, .places = PLACE_EXPERIMENT, .zero = true};
    Flow routine = {.c = c,
                    .places = PLACE_ROUTINE | PLACE_CONTINUOUS_FUNCTION |
                              PLACE_PROCESS,
                    .own = true,
                    .zero = true};
    for (Node *n = segments->first; n != NULL; n = n->next) {
        switch (n->kind) {
        case NODE_SYSTEM: check_system(c, n->first); break;
        case NODE_EXPERIMENT: read_node(&experiment, n->first); break;
        case NODE_DISCRETE_PROCESS:
        case NODE_CONTINUOUS_PROCESS:
            for (Node *k = node_child(n, 1)->first; k != NULL; k = k->next)
                read_own_routine(&routine, k);
            if (n->kind == NODE_DISCRETE_PROCESS)
                read_node(&routine, n->last);
            break;
        case NODE_FUNCTION:
        case NODE_PROCEDURE: read_node(&routine, n->last); break;
        default: break;
        }
    }
}
