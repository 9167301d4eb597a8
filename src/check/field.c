#include "check/checker.h"

/* Expressions about FIELDs: which FIELD an equation is about, values AT a place. */

/* The first FIELD whose values at all points are meant, before names are resolved, or
   NULL. */
Symbol *field_about(Checker *c, const Node *n)
{
    if (n->kind == NODE_NAME) {
        Symbol *s = name_find(c, n->text);
        return s != NULL && s->kind == SYMBOL_FIELD ? s : NULL;
    }
    if (n->kind == NODE_FIELD_AT ||
        (n->kind == NODE_CALL && n->first->kind == NODE_NAME &&
         name_same(n->first->text, "INTEGRAL")))
        return NULL;
    for (const Node *k = n->first; k != NULL; k = k->next) {
        Symbol *s = field_about(c, k);
        if (s != NULL)
            return s;
    }
    return NULL;
}

/* All FIELDs of an equation that has none alone on its left: one of them is what it
   determines. */
void field_imply(const Node *n)
{
    if (n->kind == NODE_FIELD_AT)
        return;
    if (n->kind == NODE_NAME && n->symbol != NULL &&
        n->symbol->kind == SYMBOL_FIELD)
        n->symbol->implied = true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        field_imply(k);
}

static Type at_place(Checker *c, Node *n, const Symbol *field)
{
    Node *x = node_child(n, 1), *y = n->last;
    uint32_t coordinates = node_count(node_child(field->node, 1));
    if (coordinates != (is_none(y) ? 1u : 2u)) {
        ERROR(c, n, "FIELD `%s` has %u %s", field->shown, (unsigned)coordinates,
              coordinates == 1 ? "coordinate" : "coordinates: AT (x, y)");
        return TYPE_ANY;
    }
    if (n->word == WORD_NONE)
        check_number(c, x, "the place in a field");
    if (!is_none(y))
        check_number(c, y, "the place in a field");
    return TYPE_REAL;
}

Type check_field_at(Checker *c, Node *n)
{
    Symbol *s = field_about(c, n->first);
    Layer layer;
    Type t;
    if (s == NULL && n->first->kind != NODE_CALL) {
        Target what = check_designator(c, n->first, ACCESS_READ);
        if (what.symbol != NULL && what.type != TYPE_ANY)
            ERROR(c, n->first, "AT needs a FIELD, but `%s` is %s",
                  what.symbol->shown, symbol_words(what.symbol));
        return TYPE_ANY;
    }
    if (s == NULL) {
        check_expression(c, n->first);
        ERROR(c, n->first, "AT needs a FIELD, and there is none in this");
        return TYPE_ANY;
    }
    layer_push(c, &layer, s->inside);
    t = check_number(c, n->first, "a value AT a place");
    layer_pop(c);
    return t == TYPE_ANY ? t : at_place(c, n, s);
}

/* U AT 1/3 is (U AT 1)/3. */
void check_place_quotient(Checker *c, const Node *n)
{
    const Node *place =
        n->first->kind == NODE_FIELD_AT && !(n->first->flags & FLAG_PAREN)
            ? node_child(n->first, 1)
            : NULL;
    if (n->word == WORD_SLASH && place != NULL && place->kind == NODE_INTEGER &&
        !(place->flags & FLAG_PAREN) && n->last->kind == NODE_INTEGER)
        WARNING(
            c, n,
            "this is the value AT %lld, divided by %lld: write AT (%lld/%lld) "
            "for that place, or parentheses around the value",
            (long long)place->integer, (long long)n->last->integer,
            (long long)place->integer, (long long)n->last->integer);
}

/* INTEGRAL(e): the coordinates are known in e. */
Type check_integral(Checker *c, Node *n)
{
    Symbol *s = field_about(c, n);
    Layer layer;
    Type t;
    if (s == NULL) {
        t = check_number(c, n, "what is integrated");
        if (t != TYPE_ANY)
            ERROR(c, n,
                  "`INTEGRAL` is over the points of a FIELD, and there is none "
                  "in this; over time, declare X as STATE and write X' = ...");
        return TYPE_ANY;
    }
    layer_push(c, &layer, s->inside);
    t = check_number(c, n, "what is integrated");
    layer_pop(c);
    return t;
}
