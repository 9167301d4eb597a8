#include "lower/lowerer.h"

/* UNCERTAIN: its distributions are Generators whose parameters are found when the
   statement is carried out. */

enum { PER_ITEM = 4 }; // element and three parameters

static void lower_item(Lowerer *l, const Node *n, const Expr **list,
                       uint32_t *variable, Generator *g)
{
    const Symbol *s = designator_name(n->first)->symbol;
    *variable = lower_designated(l, n->first);
    if (*variable == NONE) {
        lower_no_setting(l, n->first);
        return;
    }
    g->row = lower_row(l, n, *variable, true);
    g->line = lower_line(l, n->at, n->origin);
    list[0] = lower_position(l, n->first, IN_EXPERIMENT);
    if (!list[0] && model_variable(l->m, *variable)->elements > 1)
        LOWER_ERROR(l, n->first,
                    "UNCERTAIN draws single numbers, and `%s` is an array: "
                    "name its elements, each with its distribution",
                    model_variable(l->m, *variable)->name);
    if (!lower_distribution(l, n, node_child(n, 1), s, g))
        return;
    for (uint32_t k = 0; k < 3; k++)
        list[1 + k] = g->parameter[k];
}

static const Expr *whole_of(Lowerer *l, const Node *n)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT),
                                      EXPR_TYPE_INTEGER);
}

void lower_uncertain(Lowerer *l, const Node *n, Code *code)
{
    uint32_t count = node_count(n->last), k = 0;
    uint32_t listed = 2 + PER_ITEM * count;
    Sampling *sampling = MODEL_NEW(l->m, Sampling);
    uint32_t *variable = MODEL_ARRAY(l->m, uint32_t, count);
    Generator *item = MODEL_ARRAY(l->m, Generator, count);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, listed);
    if (!sampling || !variable || !item || !list)
        return;
    list[0] = whole_of(l, n->first);
    list[1] = whole_of(l, node_child(n, 1));
    for (const Node *p = n->last->first; p; p = p->next, k++)
        lower_item(l, p, list + 2 + PER_ITEM * (size_t)k, &variable[k],
                   &item[k]);
    *sampling = (Sampling){.kind = n->word == WORD_LATIN   ? SAMPLING_LATIN
                                   : n->word == WORD_PLAIN ? SAMPLING_PLAIN
                                                           : SAMPLING_SOBOL,
                           .indices = (n->flags & FLAG_INDICES) != 0,
                           .n = count,
                           .variable = variable,
                           .item = item};
    Statement *s = code_add(l->m, code, STATEMENT_UNCERTAIN, n->at,
                            lower_line(l, n->at, n->origin));
    s->sampling = sampling;
    s->list = list;
    s->n = listed;
    s->row = lower_row(l, n, NONE, true);
}
