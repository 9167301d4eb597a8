#include "check/checker.h"

#include <string.h>

#include "base/distribution.h"

/* UNCERTAIN: how many points, which parameters, and their distributions. */

/* Values of these are whole numbers. */
static bool is_discrete(uint32_t distribution)
{
    return distribution == DISTRIBUTION_POISSOND ||
           distribution == DISTRIBUTION_BINOMD ||
           distribution == DISTRIBUTION_GEOMD ||
           distribution == DISTRIBUTION_EMPIRIC;
}

static void check_target(Checker *c, Node *n)
{
    Target t = check_setting_target(c, n->first, "UNCERTAIN");
    const Symbol *s = t.symbol, *d = node_child(n, 1)->symbol;
    if (s == NULL || t.type == TYPE_ANY)
        return;
    if (s->node != NULL && s->node->kind == NODE_FIELD_ITEM)
        ERROR(c, n->first,
              "`%s` is %s, and entries are there only during a run: let its "
              "value depend on a variable that is uncertain",
              s->shown, symbol_words(s));
    else if (!type_is_number(t.type))
        ERROR(c, n->first, "UNCERTAIN draws numbers, but `%s` is %s", s->shown,
              symbol_words(s));
    else if (t.type == TYPE_INTEGER && d != NULL &&
             !is_discrete(distribution_find(d->name)))
        ERROR(c, n->first,
              "`%s` is INTEGER, and %s has values that are not whole numbers: "
              "POISSOND, BINOMD, GEOMD and EMPIRIC have whole ones",
              s->shown, d->name);
}

static void check_item(Checker *c, Node *n)
{
    check_distribution(c, node_child(n, 1));
    check_target(c, n);
    for (Node *k = node_child(n, 2)->first; k != NULL; k = k->next)
        if (k->word == WORD_SEED)
            ERROR(c, k,
                  "the points have one SEED, which stands after the number of "
                  "points: UNCERTAIN n SEED = s: ...");
}

/* Whether both name the same element, as far as the words tell. */
static bool same_target(const Node *a, const Node *b)
{
    if (a->kind != b->kind || a->symbol != b->symbol ||
        node_count(a) != node_count(b))
        return false;
    if (a->kind == NODE_INTEGER || a->kind == NODE_NUMBER)
        return strcmp(a->text, b->text) == 0;
    if (a->kind == NODE_NAME)
        return a->symbol != NULL;
    for (const Node *x = a->first, *y = b->first; x != NULL;
         x = x->next, y = y->next)
        if (!same_target(x, y))
            return false;
    return true;
}

void check_uncertain(Checker *c, Node *n)
{
    Node *list = n->last;
    check_at_least(c, n->first, 2, "the number of points after UNCERTAIN");
    check_at_least(c, node_child(n, 1), 0, "SEED");
    for (Node *k = list->first; k != NULL; k = k->next) {
        check_item(c, k);
        for (Node *before = list->first; before != k; before = before->next)
            if (same_target(before->first, k->first)) {
                ERROR(c, k->first,
                      "this parameter has a distribution already, in the same "
                      "UNCERTAIN");
                break;
            }
    }
}
