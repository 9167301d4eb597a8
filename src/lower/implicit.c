#include "lower/lowerer.h"

/* IMPLICIT: an algebraic loop as the modeller wrote it. */

typedef struct Unknowns {
    const Expr **unknown, **tolerance, **start;
    uint32_t n, room;
} Unknowns;

static bool add_unknown(Lowerer *l, Unknowns *u, const Expr *e)
{
    if (u->n == u->room) {
        uint32_t room = u->room ? 2 * u->room : 16;
        const Expr **grown = MODEL_ARRAY(l->m, const Expr *, room);
        for (uint32_t k = 0; grown && k < u->n; k++)
            grown[k] = u->unknown[k];
        if (!grown)
            return false;
        u->unknown = grown;
        u->room = room;
    }
    u->unknown[u->n++] = e;
    return true;
}

/* Every element of an array that is named as a whole. */
static void add_elements(Lowerer *l, Unknowns *u, uint32_t variable)
{
    Variable v = *model_variable(l->m, variable);
    int64_t last = v.rank == 2 ? v.high[1] : v.low[1];
    for (int64_t i = v.low[0]; i <= v.high[0]; i++)
        for (int64_t j = v.low[1]; j <= last; j++) {
            const Expr *index[2] = {expr_integer(l->m, i),
                                    expr_integer(l->m, j)};
            if (!add_unknown(l, u,
                             expr_variable(l->m, variable, index, v.rank)))
                return;
        }
}

static void find_unknowns(Lowerer *l, const Node *list, Unknowns *u)
{
    for (const Node *n = list->first; n; n = n->next) {
        uint32_t variable = lower_designated(l, n);
        if (n->kind == NODE_NAME && variable != NONE &&
            model_variable(l->m, variable)->rank > 0)
            add_elements(l, u, variable);
        else
            add_unknown(l, u, lower_designator(l, n, IN_EQUATION));
    }
}

/* TOLERANCE and START: for the unknown they name, or for all elements of a
   whole array. */
static void read_presets(Lowerer *l, const Node *list, const Unknowns *u,
                         const Expr **into, const char *word)
{
    for (const Node *n = list->first; n; n = n->next) {
        uint32_t variable = lower_designated(l, n->first), found = 0;
        const Expr *value = lower_real(l, n->last, IN_EQUATION);
        bool whole = n->first->kind == NODE_NAME;
        const Expr *target =
            whole ? NULL : lower_designator(l, n->first, IN_EQUATION);
        for (uint32_t k = 0; k < u->n; k++)
            if (target ? u->unknown[k] == target
                       : u->unknown[k]->which == variable) {
                into[k] = value;
                found++;
            }
        if (found == 0)
            LOWER_ERROR(l, n->first,
                        "%s is for the unknowns of this IMPLICIT, which stand "
                        "before `<-`",
                        word);
    }
}

void lower_implicit(Lowerer *l, const Node *n)
{
    const Node *max = node_child(n, 1);
    Unknowns u = {0};
    int64_t most = 0;
    uint32_t before = l->block;
    find_unknowns(l, n->first->first, &u);
    u.tolerance = MODEL_ARRAY(l->m, const Expr *, u.n + 1);
    u.start = MODEL_ARRAY(l->m, const Expr *, u.n + 1);
    if (!u.tolerance || !u.start)
        return;
    read_presets(l, node_child(n, 2), &u, u.tolerance, "TOLERANCE");
    read_presets(l, node_child(n, 3), &u, u.start, "START");
    if (!node_absent(max) && lower_constant(l, max, "MAX", &most) &&
        (most < 1 || most > UINT32_MAX))
        LOWER_ERROR(l, max, "MAX must be at least 1");
    Implicit block = {.n = u.n,
                      .unknown = u.unknown,
                      .tolerance = u.tolerance,
                      .start = u.start,
                      .most = (uint32_t)most,
                      .at = n->at,
                      .line = lower_line(l, n->at, n->origin)};
    l->block = model_add_implicit(l->m, &block);
    lower_parallel(l, n->last);
    l->block = before;
}
