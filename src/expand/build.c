#include "expand/instance.h"

/* New nodes of the flat program. */

Node *build_spare(Flattener *f)
{
    f->spare = (Node){.kind = NODE_NONE};
    return &f->spare;
}

Node *build(Flattener *f, NodeKind kind, const Node *place, uint32_t origin)
{
    Node *n = node_new(f->u->arena, kind, place->at);
    if (!flat_keep(f, n != NULL) || f->broken)
        return build_spare(f);
    n->origin = origin;
    return n;
}

Node *build_none(Flattener *f, const Node *place)
{
    return build(f, NODE_NONE, place, place->origin);
}

Node *build_name(Flattener *f, const char *name, const Node *place)
{
    Node *n = build(f, NODE_NAME, place, place->origin);
    n->text = name;
    return n;
}

Node *build_whole(Flattener *f, int64_t value, const Node *place)
{
    Node *n = build(f, NODE_INTEGER, place, place->origin);
    n->integer = value < 0 ? -value : value;
    n->number = (double)n->integer;
    n->text = flat_text(f, "%lld", (long long)n->integer);
    node_add(n, build_none(f, place));
    if (value >= 0)
        return n;
    Node *minus = build(f, NODE_UNARY, place, place->origin);
    minus->word = WORD_MINUS;
    node_add(minus, n);
    return minus;
}

Node *build_two(Flattener *f, Word op, Node *a, Node *b)
{
    Node *n = build(f, NODE_BINARY, a, a->origin);
    n->word = op;
    node_add(n, a);
    node_add(n, b);
    return n;
}

Node *build_equation(Flattener *f, Node *left, Node *right, const Node *place)
{
    Node *n = build(f, NODE_EQUATION, place, left->origin);
    n->flags = FLAG_PART;
    node_add(n, left);
    node_add(n, right);
    return n;
}

Node *build_element(Flattener *f, const char *name, Node *const *index,
                    uint32_t n, const Node *place)
{
    Node *base = build_name(f, name, place);
    if (n == 0)
        return base;
    Node *element = build(f, NODE_INDEX, place, place->origin);
    Node *list = build(f, NODE_LIST, place, place->origin);
    for (uint32_t k = 0; k < n; k++)
        node_add(list, index[k]);
    node_add(element, base);
    node_add(element, list);
    return element;
}

Node *build_loop(Flattener *f, const char *name, int64_t low, int64_t high,
                 Node *statement, const Node *place)
{
    Node *n = build(f, NODE_FOR, place, statement->origin);
    n->text = name;
    n->word = WORD_TO;
    n->flags = FLAG_PART; // it does not count in a variable of the program
    node_add(n, build_whole(f, low, place));
    node_add(n, build_whole(f, high, place));
    node_add(n, build_none(f, place));
    node_add(n, statement);
    return n;
}

Node *build_block(Flattener *f, Node *list, const Node *place)
{
    Node *n = build(f, NODE_BLOCK, place, list->origin);
    node_add(n, list);
    return n;
}

Node *build_variable(Flattener *f, Word type, const char *name,
                     const Node *unit, uint32_t rank, const int64_t *low,
                     const int64_t *high, const Node *place)
{
    Node *n = build(f, NODE_VARIABLE, place, place->origin);
    n->text = name;
    n->word = type;
    node_add(n, flat_absent(unit) ? build_none(f, place) : node_copy(f, unit));
    node_add(n, build_none(f, place));
    if (rank == 0) {
        node_add(n, build_none(f, place));
        return n;
    }
    Node *extents = build(f, NODE_LIST, place, place->origin);
    for (uint32_t k = 0; k < rank; k++) {
        Node *extent = build(f, NODE_EXTENT, place, place->origin);
        node_add(extent, build_whole(f, low[k], place));
        node_add(extent, build_whole(f, high[k], place));
        node_add(extents, extent);
    }
    node_add(n, extents);
    return n;
}
