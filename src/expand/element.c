#include "expand/instance.h"

/* M[K].X where each element of M is an Instance of its own, and K is known only
   while the program runs, or is the index of a loop.

   In parallel code a loop around it is unrolled. A statement of procedural code
   becomes a tree of IFs, one branch for each element, and so does an expression that
   stands where only an expression can. The first condition reads an array of zeros
   with the name of the array of parts, so that an index outside is reported in its
   words. */

#define BRANCHES_MOST 2000 // elements that an index may choose from

/* ---- Finding -------------------------------------------------------------------- */

/* n chooses an element of such an array by an index that is not known. */
static const Held *chosen(Flattener *f, Instance *i, const Node *n)
{
    Instance *part;
    if (n->kind != NODE_INDEX ||
        (n->first->kind != NODE_NAME && n->first->kind != NODE_SELECT &&
         n->first->kind != NODE_INDEX))
        return NULL;
    const Held *h = part_held(f, i, n->first, &part);
    if (!h || !h->apart || part || node_count(n->last) != h->rank)
        return NULL;
    for (const Node *k = n->last->first; k; k = k->next) {
        int64_t v;
        if (!whole_value(f, i, NULL, k, &v))
            return h;
    }
    return NULL;
}

static bool mentions(const Node *n, const char *name)
{
    if (n->kind == NODE_NAME && name_same(n->text, name))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (mentions(k, name))
            return true;
    return false;
}

/* The first such choice in n whose index does not depend on a SUM or PROD inside
   n. */
static const Node *find_choice(Flattener *f, Instance *i, const Node *n,
                               const Known *bound)
{
    if (n->kind == NODE_INDEX && chosen(f, i, n)) {
        bool free = true;
        for (const Known *k = bound; k; k = k->around)
            free = free && !mentions(n->last, k->name);
        if (free)
            return n;
    }
    Known series = {.around = bound};
    if (n->kind == NODE_SERIES) {
        series.name = n->first->text;
        bound = &series;
    }
    for (const Node *k = n->first; k; k = k->next) {
        const Node *found = find_choice(f, i, k, bound);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- Copies ---------------------------------------------------------------------- */

static bool same_tree(const Node *a, const Node *b)
{
    if (a->kind != b->kind || a->word != b->word || a->integer != b->integer ||
        a->number != b->number || !a->text != !b->text ||
        (a->text && !name_same(a->text, b->text)))
        return false;
    const Node *k = a->first, *m = b->first;
    for (; k && m; k = k->next, m = m->next)
        if (!same_tree(k, m))
            return false;
    return !k && !m;
}

/* A copy in which this choice is element number `at`. */
static Node *with_element(Flattener *f, const Node *n, const Node *choice,
                          const Held *h, uint32_t at)
{
    if (n->kind == NODE_INDEX && same_tree(n, choice))
        return held_element(f, h, at, n->first);
    Node *copy = build(f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    copy->height = 0;
    for (const Node *k = n->first; k && !f->broken; k = k->next)
        node_add(copy, with_element(f, k, choice, h, at));
    return copy;
}

/* A copy in which the name is a number. */
static Node *with_number(Flattener *f, const Node *n, const char *name,
                         int64_t value)
{
    if (n->kind == NODE_NAME && name_same(n->text, name))
        return build_whole(f, value, n);
    Node *copy = build(f, n->kind, n, n->origin);
    *copy = *n;
    copy->first = copy->last = copy->next = NULL;
    copy->height = 0;
    bool hidden = (n->kind == NODE_FOR && name_same(n->text, name)) ||
                  (n->kind == NODE_SERIES && name_same(n->first->text, name));
    for (const Node *k = n->first; k && !f->broken; k = k->next)
        node_add(copy, hidden || (n->kind == NODE_SELECT && k == n->last &&
                                  k->kind == NODE_NAME)
                           ? node_copy(f, k)
                           : with_number(f, k, name, value));
    return copy;
}

/* ---- Trees ------------------------------------------------------------------------ */

/* The array of zeros. */
static const char *guard(Flattener *f, Held *h, const Node *place)
{
    if (!h->guarded) {
        Node *part = build(f, NODE_VAR_PART, place, 0);
        Node *list = build(f, NODE_LIST, place, 0);
        Node *v = build_variable(f, WORD_INTEGER, h->text, NULL, h->rank,
                                 h->low, h->high, place);
        v->flags |= FLAG_READ;
        node_add(list, v);
        node_add(part, list);
        node_add(f->guards, part);
        h->guarded = true;
    }
    return h->text;
}

/* Where the choice is in the array, as an expression: its index, or the number of
   the element. The zero that proves the indices is added if wanted. */
static Node *position(Flattener *f, Instance *i, const Node *choice, Held *h,
                      bool guarded)
{
    Node *index[RANK_MOST], *sum, *zero;
    for (uint32_t d = 0; d < h->rank; d++) {
        index[d] = rewrite(f, i, node_copy(f, node_child(choice->last, d)));
        index[d]->next = NULL;
    }
    sum = node_copy(f, index[0]);
    if (h->rank == 2) {
        sum = build_two(f, WORD_MINUS, sum, build_whole(f, h->low[0], sum));
        sum = build_two(f, WORD_TIMES, sum,
                        build_whole(f, h->high[1] - h->low[1] + 1, sum));
        sum = build_two(f, WORD_PLUS, sum, node_copy(f, index[1]));
        sum = build_two(f, WORD_MINUS, sum, build_whole(f, h->low[1], sum));
    }
    if (!guarded)
        return sum;
    zero = build_element(f, guard(f, h, choice), index, h->rank, sum);
    return build_two(f, WORD_PLUS, sum, zero);
}

/* What is chosen from, and how. */
typedef struct Choice {
    const Node *n;    // statement or expression
    const Node *node; // the choice in it
    Held *h;
    NodeKind kind; // IF, CHOOSE
} Choice;

/* A tree of conditions over elements low to high. */
static Node *branches(Flattener *f, Instance *i, const Choice *c, uint32_t low,
                      uint32_t high, bool guarded)
{
    uint32_t middle = low + (high - low) / 2;
    int64_t first = c->h->rank == 1 ? c->h->low[0] : 0;
    if (f->broken)
        return build_spare(f);
    if (low == high && !guarded) {
        Node *branch = rewrite(f, i, with_element(f, c->n, c->node, c->h, low));
        branch->next = NULL;
        return branch;
    }
    Node *left = position(f, i, c->node, c->h, guarded);
    Node *out = build(f, c->kind, c->n, left->origin);
    node_add(out, build_two(f, WORD_LESS_EQUAL, left,
                            build_whole(f, first + middle, left)));
    node_add(out, branches(f, i, c, low, middle, false));
    if (low < high)
        node_add(out, branches(f, i, c, middle + 1, high, false));
    else
        node_add(out, node_copy(f, out->last)); // it stands for the check alone
    return out;
}

static Node *choose_element(Flattener *f, Instance *i, const Node *n,
                            const Node *node, NodeKind kind)
{
    Choice c = {n, node, (Held *)chosen(f, i, node), kind};
    uint32_t count = held_elements(c.h);
    const Instance *some = c.h->part[0];
    if (count <= BRANCHES_MOST)
        return branches(f, i, &c, 0, count - 1, true);
    FLAT_ERROR(f, node,
               "parts of `%s` are not elements of one array, because their "
               "MODULE contains %s: an index that changes chooses among at "
               "most %d of them",
               c.h->text, some ? some->template->alone : "more", BRANCHES_MOST);
    return kind == NODE_IF ? build_block(f, build(f, NODE_LIST, n, 0), n)
                           : build_whole(f, 0, n);
}

/* ---- Series ------------------------------------------------------------------------- */

/* SUM (I := 1 TO N : M[I].X) is M[1].X + M[2].X ... */
static Node *unroll_series(Flattener *f, Instance *i, const Node *call,
                           const Node *series)
{
    int64_t low, high;
    const Node *term = series->last;
    bool product = name_same(call->first->text, "PROD");
    Node *sum = NULL;
    if (!whole_value(f, i, NULL, node_child(series, 1), &low) ||
        !whole_value(f, i, NULL, node_child(series, 2), &high) ||
        !flat_absent(node_child(series, 3)) || high < low ||
        high - low >= BRANCHES_MOST)
        return NULL;
    for (int64_t k = low; k <= high && !f->broken; k++) {
        Node *one = with_number(f, term, series->first->text, k);
        one->flags |= FLAG_PAREN;
        sum = sum ? build_two(f, product ? WORD_TIMES : WORD_PLUS, sum, one)
                  : one;
    }
    sum = rewrite(f, i, sum);
    sum->flags |= FLAG_PAREN;
    return sum;
}

static bool chooses_with(Flattener *f, Instance *i, const Node *n,
                         const char *name)
{
    if (n->kind == NODE_INDEX && chosen(f, i, n) && mentions(n->last, name))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (chooses_with(f, i, k, name))
            return true;
    return false;
}

/* ---- Loops of parallel code ------------------------------------------------------------ */

static Node *unroll_loop(Flattener *f, Instance *i, const Node *n)
{
    int64_t from, to, by = 1;
    const Node *step = node_child(n, 2);
    if (!whole_value(f, i, NULL, n->first, &from) ||
        !whole_value(f, i, NULL, node_child(n, 1), &to) ||
        (!flat_absent(step) && !whole_value(f, i, NULL, step, &by)) || by < 1)
        return NULL;
    bool down = n->word == WORD_DOWNTO;
    if ((down ? from - to : to - from) / by > PARTS_MOST)
        return NULL;
    Node *list = build(f, NODE_LIST, n, n->origin);
    for (int64_t v = from; (down ? v >= to : v <= to) && !f->broken;
         v += down ? -by : by)
        node_add(list, with_number(f, n->last, n->text, v));
    Node *block = build_block(f, rewrite_list(f, i, list), n);
    return block;
}

/* ---- Where they stand ------------------------------------------------------------------- */

static bool is_statement(const Node *n)
{
    switch (n->kind) {
    case NODE_ASSIGN:
    case NODE_SCHEDULE:
    case NODE_CANCEL:
    case NODE_INSERT:
    case NODE_REMOVE:
    case NODE_FIND:
    case NODE_GENERATE:
    case NODE_ADVANCE:
    case NODE_SEIZE:
    case NODE_SEIZE_ANY:
    case NODE_RESOURCE:
    case NODE_STORAGE_USE:
    case NODE_WAIT:
    case NODE_TRANSACTION:
    case NODE_SPLIT:
    case NODE_JOIN: return true;
    default: return false;
    }
}

/* A condition that is always the same one, after an index became a number. */
static Node *settled_branch(Flattener *f, Instance *i, const Node *n)
{
    int64_t truth;
    if (f->unrolled == 0 || !whole_value(f, i, NULL, n->first, &truth))
        return NULL;
    Node *branch = truth ? node_child(n, 1) : n->last;
    return flat_absent(branch)
               ? build_block(f, build(f, NODE_LIST, n, n->origin), n)
               : rewrite(f, i, branch);
}

Node *elements_chosen(Flattener *f, Instance *i, Node *n)
{
    const Node *choice = NULL;
    Node *out = NULL;
    if (!f->apart || f->broken)
        return NULL;
    if (n->kind == NODE_IF)
        return settled_branch(f, i, n);
    if (n->kind == NODE_FOR && f->parallel_code &&
        chooses_with(f, i, n->last, n->text)) {
        f->unrolled++;
        out = unroll_loop(f, i, n);
        f->unrolled--;
        return out;
    }
    if (n->kind == NODE_CALL && n->last->first->first &&
        n->last->first->first->kind == NODE_SERIES &&
        chooses_with(f, i, n->last->first->first,
                     n->last->first->first->first->text))
        return unroll_series(f, i, n, n->last->first->first);
    if (is_statement(n)) {
        choice = find_choice(f, i, n, NULL);
        return choice ? choose_element(f, i, n, choice, NODE_IF) : NULL;
    }
    const Node *path = n->kind == NODE_DERIVATIVE ? n->first : n;
    while (path->kind == NODE_INDEX || path->kind == NODE_SELECT) {
        if (path->kind == NODE_INDEX && chosen(f, i, path))
            choice = path;
        path = path->first;
    }
    return choice ? choose_element(f, i, n, choice, NODE_CHOOSE) : NULL;
}
