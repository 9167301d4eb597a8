#include "expand/instance.h"

#include <inttypes.h>

/* The equations of nodes: what is ACROSS is equal, what goes THROUGH adds up to
   0, an OUTPUT gives the INPUTs their value. Seen from inside a part its own ports
   count with the opposite sign.

   Nodes that follow each other with the same ports and with indices that all stay
   or go on by one are a loop; loops that follow each other in the same way are a
   loop of loops. */

#define OPEN_MOST    32 // loops that a row is compared with
#define SERIES_LEAST 8  // neighbours in one array that become a SUM

/* n[0] rows of n[1] nodes; the nodes of a row follow each other. */
typedef struct Run {
    uint32_t first, n[2];
    uint32_t next[2]; // the node that comes after the first one outside, inside
    uint32_t last;    // first node of the last row
} Run;

typedef struct Writing {
    Flattener *f;
    Instance *i;
    const Junction *node;
    Node *out; // LIST of equations of the present Run
    const Run *run;
    const Node *place; // with the origin of the instance
    Node where;
} Writing;

/* ---- Runs ------------------------------------------------------------------------- */

static bool same_shape(const Junction *a, const Junction *b)
{
    if (a->members != b->members)
        return false;
    for (uint32_t k = 0; k < a->members; k++)
        if (a->member[k].view != b->member[k].view)
            return false;
    return true;
}

/* All indices of b are those of a, or one more, and some are. */
static bool follows(const Junction *a, const Junction *b)
{
    bool moves = false;
    for (uint32_t k = 0; k < a->members; k++)
        for (uint32_t d = 0; d < a->member[k].view->rank; d++) {
            int64_t step = b->member[k].at[d] - a->member[k].at[d];
            if (step != 0 && step != 1)
                return false;
            moves = moves || step == 1;
        }
    return moves;
}

static int64_t step_of(const Junction *a, const Junction *b, uint32_t member,
                       uint32_t d)
{
    return b->member[member].at[d] - a->member[member].at[d];
}

/* b goes on from a as d does from c. */
static bool same_step(const Junction *a, const Junction *b, const Junction *c,
                      const Junction *d)
{
    for (uint32_t k = 0; k < a->members; k++)
        for (uint32_t r = 0; r < a->member[k].view->rank; r++)
            if (step_of(a, b, k, r) != step_of(c, d, k, r))
                return false;
    return true;
}

static Run inner_run(const Junction *node, uint32_t from, uint32_t nodes)
{
    Run r = {.first = from, .n = {1, 1}, .next = {from, from}, .last = from};
    for (uint32_t k = from + 1; k < nodes; k++) {
        if (!same_shape(&node[k - 1], &node[k]) ||
            !follows(&node[k - 1], &node[k]) ||
            (r.n[1] > 1 &&
             !same_step(&node[from], &node[from + 1], &node[k - 1], &node[k])))
            break;
        r.next[1] = from + 1;
        r.n[1]++;
    }
    return r;
}

/* No index may go on in both loops: that would not be a plain sum. */
static bool apart(const Junction *node, const Run *a, uint32_t second)
{
    const Junction *first = &node[a->first];
    for (uint32_t k = 0; a->n[1] > 1 && k < first->members; k++)
        for (uint32_t d = 0; d < first->member[k].view->rank; d++)
            if (step_of(first, &node[a->next[1]], k, d) != 0 &&
                step_of(first, &node[second], k, d) != 0)
                return false;
    return true;
}

/* b is the next row of a. */
static bool next_row(const Junction *node, const Run *a, const Run *b)
{
    if (b->n[1] != a->n[1] || !same_shape(&node[a->last], &node[b->first]) ||
        !follows(&node[a->last], &node[b->first]))
        return false;
    if (a->n[1] > 1 && !same_step(&node[a->first], &node[a->next[1]],
                                  &node[b->first], &node[b->next[1]]))
        return false;
    if (a->n[0] > 1)
        return same_step(&node[a->first], &node[a->next[0]], &node[a->last],
                         &node[b->first]);
    return apart(node, a, b->first);
}

/* ---- Members ------------------------------------------------------------------------ */

/* Where the index of the loop begins: at that of the first member that moves. */
static int64_t base_of(const Writing *w, uint32_t level)
{
    const Junction *first = &w->node[w->run->first];
    const Junction *next = &w->node[w->run->next[level]];
    for (uint32_t k = 0; k < first->members; k++)
        for (uint32_t d = 0; d < first->member[k].view->rank; d++)
            if (step_of(first, next, k, d) == 1)
                return first->member[k].at[d];
    return 1;
}

static const char *const loop_name[2] = {"J", "I"};

static Node *index_of(const Writing *w, uint32_t member, uint32_t d)
{
    const Junction *first = &w->node[w->run->first];
    int64_t at = first->member[member].at[d];
    for (uint32_t level = 0; level < 2; level++) {
        if (w->run->n[level] == 1 ||
            step_of(first, &w->node[w->run->next[level]], member, d) == 0)
            continue;
        int64_t offset = at - base_of(w, level);
        Node *index = build_name(w->f, loop_name[level], w->place);
        if (offset == 0)
            return index;
        return build_two(
            w->f, offset > 0 ? WORD_PLUS : WORD_MINUS, index,
            build_whole(w->f, offset > 0 ? offset : -offset, w->place));
    }
    return build_whole(w->f, at, w->place);
}

/* A variable of the port of a member; `field` is NULL for a signal. `last`: takes
   the place of the last index, or NULL. */
static Node *variable_of(const Writing *w, uint32_t member, const Node *field,
                         const char *last)
{
    const Member *m = &w->node[w->run->first].member[member];
    const Instance *i = w->i;
    Node *index[2 * RANK_MOST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < i->rank; k++)
        index[n++] = build_name(w->f, i->index[k], w->place);
    for (uint32_t d = 0; d < m->view->rank; d++)
        index[n++] = last && d + 1 == m->view->rank
                         ? build_name(w->f, last, w->place)
                         : index_of(w, member, d);
    const char *path = m->view->port->path;
    return build_element(
        w->f, field ? flat_text(w->f, "%s.%s", path, field->text) : path, index,
        n, w->place);
}

static void equate(Writing *w, Node *left, Node *right)
{
    node_add(w->out, build_equation(w->f, left, right, w->place));
}

/* How many members from this one on are neighbours in one array. */
static uint32_t neighbours(const Writing *w, uint32_t member)
{
    const Junction *j = &w->node[w->run->first];
    const Member *m = j->member;
    uint32_t n = 1;
    if (w->run->n[0] > 1 || w->run->n[1] > 1 || m[member].view->rank == 0)
        return 1;
    while (member + n < j->members && m[member + n].view == m[member].view) {
        for (uint32_t d = 0; d < m[member].view->rank; d++) {
            int64_t step = m[member + n].at[d] - m[member + n - 1].at[d];
            if (step != (d + 1 == m[member].view->rank))
                return n;
        }
        n++;
    }
    return n;
}

static int64_t last_index(const Writing *w, uint32_t member)
{
    const Member *m = &w->node[w->run->first].member[member];
    return m->at[m->view->rank - 1];
}

static Node *series(const Writing *w, uint32_t member, uint32_t n,
                    const Node *field)
{
    Node *call = build(w->f, NODE_CALL, w->place, w->place->origin);
    Node *actuals = build(w->f, NODE_ACTUALS, w->place, w->place->origin);
    Node *list = build(w->f, NODE_LIST, w->place, w->place->origin);
    Node *sum = build(w->f, NODE_SERIES, w->place, w->place->origin);
    int64_t low = last_index(w, member);
    node_add(sum, build_name(w->f, "K", w->place));
    node_add(sum, build_whole(w->f, low, w->place));
    node_add(sum, build_whole(w->f, low + n - 1, w->place));
    node_add(sum, build_none(w->f, w->place));
    node_add(sum, variable_of(w, member, field, "K"));
    node_add(list, sum);
    node_add(actuals, list);
    node_add(actuals, build(w->f, NODE_LIST, w->place, w->place->origin));
    node_add(call, build_name(w->f, "SUM", w->place));
    node_add(call, actuals);
    return call;
}

/* ---- Laws --------------------------------------------------------------------------- */

static void equal(Writing *w, const Node *field, uint32_t to)
{
    uint32_t members = w->node[w->run->first].members;
    for (uint32_t k = 0; k < members;) {
        uint32_t n = neighbours(w, k);
        if (k <= to && to < k + n) // the one that gives the value stands alone
            n = k == to ? 1 : to - k;
        if (k != to && n >= SERIES_LEAST) {
            Node *e = build_equation(w->f, variable_of(w, k, field, "K"),
                                     variable_of(w, to, field, NULL), w->place);
            int64_t low = last_index(w, k);
            node_add(w->out,
                     build_loop(w->f, "K", low, low + n - 1, e, w->place));
            k += n;
            continue;
        }
        if (k != to)
            equate(w, variable_of(w, k, field, NULL),
                   variable_of(w, to, field, NULL));
        k++;
    }
}

static void add_up(Writing *w, const Node *field)
{
    const Junction *j = &w->node[w->run->first];
    Node *sum = NULL;
    for (uint32_t k = 0; k < j->members;) {
        uint32_t n = neighbours(w, k);
        bool minus = j->member[k].view->inside;
        Node *term;
        if (n >= SERIES_LEAST) {
            term = series(w, k, n, field);
            k += n;
        } else {
            term = variable_of(w, k++, field, NULL);
        }
        if (sum) {
            sum = build_two(w->f, minus ? WORD_MINUS : WORD_PLUS, sum, term);
        } else if (minus) {
            sum = build(w->f, NODE_UNARY, w->place, w->place->origin);
            sum->word = WORD_MINUS;
            node_add(sum, term);
        } else {
            sum = term;
        }
    }
    equate(w, sum, build_whole(w->f, 0, w->place));
}

/* The word of the variable of that name in the kind of a member. */
static Word word_of(const Member *m, const Node *field)
{
    if (!field)
        return m->view->port->kind.signal;
    for (const Node *k = m->view->port->kind.members->first; k; k = k->next)
        if (name_same(k->text, field->text))
            return k->word;
    return WORD_NONE;
}

static void signal(Writing *w, const Node *field)
{
    const Junction *j = &w->node[w->run->first];
    uint32_t from = UINT32_MAX;
    for (uint32_t k = 0; k < j->members; k++) {
        const View *v = j->member[k].view;
        bool gives = word_of(&j->member[k], field) ==
                     (v->inside ? WORD_INPUT : WORD_OUTPUT);
        if (gives && from != UINT32_MAX)
            FLAT_ERROR(
                w->f, w->place,
                "two OUTPUTs are joined, `%s%s%s` and `%s%s%s`: an INPUT "
                "has one value",
                j->member[from].view->port->path, field ? "." : "",
                field ? field->text : "", v->port->path, field ? "." : "",
                field ? field->text : "");
        if (gives)
            from = k;
    }
    equal(w, field, from == UINT32_MAX ? 0 : from);
}

static void write_laws(Writing *w)
{
    const Junction *j = &w->node[w->run->first];
    const PortKind *kind = &j->member[0].view->port->kind;
    if (!kind->members) {
        if (j->members > 1)
            signal(w, NULL);
        return;
    }
    for (const Node *m = kind->members->first; m; m = m->next) {
        if (m->word == WORD_THROUGH)
            add_up(w, m);
        else if (j->members > 1 && m->word == WORD_ACROSS)
            equal(w, m, 0);
        else if (j->members > 1)
            signal(w, m);
    }
}

/* ---- What is told of them -------------------------------------------------------------- */

static const char *index_text(Writing *w, uint32_t member)
{
    const Member *m = &w->node[w->run->first].member[member];
    const char *text = "";
    for (uint32_t d = 0; d < m->view->rank; d++) {
        const Node *n = index_of(w, member, d);
        const char *before = d == 0 ? "[" : ",";
        if (n->kind == NODE_BINARY)
            text = flat_text(w->f, "%s%s%s%s%s", text, before, n->first->text,
                             n->word == WORD_PLUS ? "+" : "-", n->last->text);
        else if (n->kind == NODE_UNARY)
            text = flat_text(w->f, "%s%s-%s", text, before, n->first->text);
        else
            text = flat_text(w->f, "%s%s%s", text, before, n->text);
    }
    return m->view->rank > 0 ? flat_text(w->f, "%s]", text) : text;
}

static const char *loops_text(Writing *w)
{
    const char *text = "";
    for (uint32_t level = 0; level < 2; level++) {
        int64_t low = base_of(w, level);
        if (w->run->n[level] > 1)
            text = flat_text(w->f, "%s%s%s = %" PRId64 " TO %" PRId64, text,
                             *text ? ", " : "", loop_name[level], low,
                             low + w->run->n[level] - 1);
    }
    return text;
}

static void tell(Writing *w)
{
    const Junction *j = &w->node[w->run->first];
    const PortKind *kind = &j->member[0].view->port->kind;
    UnitJoint joint = {.around = w->i->path ? w->i->number : NO_PART,
                       .type = kind->members ? kind->name : "",
                       .loops = loops_text(w),
                       .signal = !kind->members,
                       .ends = j->members,
                       .at = w->place->at};
    if (j->members < 2)
        return;
    joint.end = NEW_ARRAY(w->f->u->arena, UnitJointEnd, j->members);
    if (!flat_keep(w->f, joint.end != NULL))
        return;
    for (uint32_t k = 0; k < j->members; k++) {
        const View *v = j->member[k].view;
        joint.end[k] =
            (UnitJointEnd){.part = v->inside ? NO_PART : v->port->owner->number,
                           .port = v->port->slot->name,
                           .element = index_text(w, k),
                           .output = v->port->kind.signal ==
                                     (v->inside ? WORD_INPUT : WORD_OUTPUT)};
    }
    flat_keep(w->f, vector_append(&w->f->joints, &joint, sizeof joint));
}

/* ---- All of them -------------------------------------------------------------------------- */

static void write_run(Writing *w, const Run *run, Node *equations)
{
    const Junction *j = &w->node[run->first];
    Node *statement;
    w->run = run;
    w->where = j->place ? *j->place : *j->member[0].view->port->slot->node;
    w->where.origin =
        j->place ? w->i->origin : j->member[0].view->port->owner->origin;
    w->place = &w->where;
    w->out = build(w->f, NODE_LIST, w->place, w->where.origin);
    write_laws(w);
    tell(w);
    if (!w->out->first)
        return;
    statement = w->out->first->next ? build_block(w->f, w->out, w->place)
                                    : w->out->first;
    for (uint32_t level = 2; level > 0; level--) {
        int64_t low = base_of(w, level - 1);
        if (run->n[level - 1] > 1)
            statement =
                build_loop(w->f, loop_name[level - 1], low,
                           low + run->n[level - 1] - 1, statement, w->place);
    }
    statement->next = NULL;
    node_add(equations, statement);
}

/* Rows of one loop of loops need not follow each other: what stands at the ends of
   the rows is among them. */
static void add_row(const Junction *node, Vector *runs, Run row, bool loops)
{
    Run *run = (Run *)(void *)runs->bytes;
    size_t n = runs->used / sizeof row;
    for (size_t k = n; loops && k > 0 && n - k < OPEN_MOST; k--)
        if (next_row(node, &run[k - 1], &row)) {
            if (run[k - 1].n[0]++ == 1)
                run[k - 1].next[0] = row.first;
            run[k - 1].last = row.first;
            return;
        }
    vector_append(runs, &row, sizeof row);
}

void node_equations(Flattener *f, Instance *i, Junction *node, uint32_t nodes,
                    Node *equations)
{
    Writing w = {.f = f, .i = i, .node = node};
    uint32_t levels = LOOPS_MOST_HERE - i->rank;
    Vector runs = {0};
    for (uint32_t k = 0; k < nodes && !f->broken;) {
        Run row = inner_run(node, k, levels > 0 ? nodes : k + 1);
        k += row.n[1];
        add_row(node, &runs, row, levels > 1);
    }
    for (size_t k = 0; k < runs.used / sizeof(Run) && !f->broken; k++)
        write_run(&w, (const Run *)(void *)runs.bytes + k, equations);
    vector_free(&runs);
}
