#include "check/equation.h"

/* Outputs and inputs of MODELs: what a MODEL computes and others use comes
   before the arrow; what others compute and it uses comes after. Constants,
   states and variables that change at events need not be listed. */

enum { MARK_GIVEN, MARK_INPUT, MARK_OUTPUT };

static bool is_marked(const Symbol *s, int mark, uint32_t model)
{
    return s->mark[mark] == model;
}

static bool is_algebraic(const Symbol *s)
{
    return symbol_is_computed(s) && s->kind != SYMBOL_FIELD;
}

/* ---- What the body gives ------------------------------------------------- */

static void mark_all(const Node *n, int mark, uint32_t model)
{
    if (n->kind == NODE_NAME && n->symbol != NULL)
        n->symbol->mark[mark] = model;
    for (const Node *k = n->first; k != NULL; k = k->next)
        mark_all(k, mark, model);
}

/* An equation of another form, or a call, may give anything in it. */
static void mark_given(const Node *n, uint32_t model)
{
    const Symbol *s;
    switch (n->kind) {
    case NODE_EQUATION:
        s = equation_unknown(n->first);
        mark_all(s != NULL ? n->first : n, MARK_GIVEN, model);
        return;
    case NODE_CALL: mark_all(n, MARK_GIVEN, model); return;
    case NODE_IMPLICIT:
    case NODE_PROCEDURAL: mark_all(n->first->first, MARK_GIVEN, model); break;
    case NODE_CONDIT: return;
    default: break;
    }
    for (const Node *k = n->first; k != NULL; k = k->next)
        mark_given(k, model);
}

static void mark_list(Node *list, int mark, uint32_t model)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Symbol *s = designator_base(k)->symbol;
        if (s != NULL)
            s->mark[mark] = model;
    }
}

/* ---- The interface ------------------------------------------------------- */

static Node *first_wrong(Node *list, uint32_t model, bool given)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        const Symbol *s = designator_base(k)->symbol;
        if (!symbol_unknown(s) && is_marked(s, MARK_GIVEN, model) == given)
            return k;
    }
    return NULL;
}

static bool check_interface(Checker *c, Node *n, uint32_t model)
{
    Node *interface = n->first;
    Node *idle = first_wrong(interface->first, model, false);
    Node *inner = first_wrong(interface->last, model, true);
    if (idle != NULL && inner != NULL &&
        first_wrong(interface->first, model, true) == NULL)
        ERROR(c, interface,
              "the arrow points from the inputs to the outputs: (outputs <- "
              "inputs), but here it is the other way round");
    else if (idle != NULL && c->unknown_target)
        return false; // its equation is probably misspelt
    else if (idle != NULL) {
        Node *base = designator_base(idle);
        ERROR(c, idle, "MODEL `%s` has no equation for its output `%s`",
              n->text, base->text);
        if (base->symbol != NULL)
            base->symbol->equated = true; // one message is enough
    } else if (inner != NULL)
        ERROR(c, inner,
              "MODEL `%s` computes `%s` itself: it is an output, before `<-`",
              n->text, designator_base(inner)->text);
    return idle == NULL && inner == NULL;
}

/* ---- What the body uses -------------------------------------------------- */

static void check_uses(Checker *c, const Node *model, Node *n, uint32_t number)
{
    Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    if (s != NULL && is_algebraic(s) && s->kind != SYMBOL_FORMAL &&
        !is_marked(s, MARK_GIVEN, number) &&
        !is_marked(s, MARK_INPUT, number)) {
        s->mark[MARK_INPUT] = number; // report once
        ERROR(c, n,
              "`%s` is computed outside MODEL `%s`: list it as an input, after "
              "`<-`",
              s->shown, model->text);
    }
    if (n->kind == NODE_COMMUNIC)
        return;
    for (Node *k = n->first; k != NULL; k = k->next)
        check_uses(c, model, k, number);
}

/* Marks what the MODEL computes but does not hand out. */
static void keep_inside(Node *model, Node *n, uint32_t number)
{
    Symbol *s = n->kind == NODE_EQUATION ? equation_unknown(n->first) : NULL;
    if (s != NULL && is_algebraic(s) && s->model == NULL &&
        !is_marked(s, MARK_OUTPUT, number))
        s->model = model;
    for (Node *k = n->first; k != NULL; k = k->next)
        keep_inside(model, k, number);
}

static bool has_unknown(const Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        if (symbol_unknown(designator_base(k)->symbol))
            return true;
    }
    return false;
}

void check_model(Checker *c, Node *n)
{
    uint32_t number = ++c->models;
    mark_given(n->last, number);
    mark_list(n->first->first, MARK_OUTPUT, number);
    mark_list(n->first->last, MARK_INPUT, number);
    if (!check_interface(c, n, number) || has_unknown(n->first->first) ||
        has_unknown(n->first->last))
        return;
    check_uses(c, n, n->last, number);
    keep_inside(n, n->last, number);
}

/* ---- What others use of it ----------------------------------------------- */

typedef struct Around {
    const Node *model;
    const struct Around *around;
} Around;

static bool is_inside(const Around *a, const Node *model)
{
    for (; a != NULL; a = a->around) {
        if (a->model == model)
            return true;
    }
    return false;
}

static void check_outside(Checker *c, Node *n, const Around *around)
{
    Around here = {n, around};
    Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    if (s != NULL && s->model != NULL && !is_inside(around, s->model)) {
        ERROR(c, n,
              "`%s` is computed in MODEL `%s` and used outside it: list it as "
              "an output, before `<-`",
              s->shown, s->model->text);
        unit_note(c->unit, s->model->first->at, "the interface is here");
        s->model = NULL; // report once
    }
    if (n->kind == NODE_COMMUNIC)
        return;
    if (n->kind == NODE_MODEL)
        around = &here;
    for (Node *k = n->first; k != NULL; k = k->next)
        check_outside(c, k, around);
}

void check_model_uses(Checker *c, Node *list)
{
    if (c->models > 0)
        check_outside(c, list, NULL);
}
