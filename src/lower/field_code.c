#include "lower/field.h"

/* FIELDs in procedural code: the start of a run, and assignments to all points. */

static Statement *open_loop(Lowerer *l, const FieldInfo *f, uint32_t k,
                            const Node *n, Code *code, FieldPoint *p)
{
    uint32_t counter = lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER,
                                    k == 0 ? "I" : "J", n);
    Statement *s = code_add(l->m, code, STATEMENT_FOR, n->at,
                            lower_line(l, n->at, n->origin));
    model_variable(l->m, counter)->routine = l->routine;
    s->which = counter;
    s->a = expr_integer(l->m, 1);
    s->b = expr_integer(l->m, f->axis[k]->points);
    s->row = lower_row(l, n, NONE, true);
    p->axis[k] = f->axis[k];
    p->index[k] = expr_variable(l->m, counter, NULL, 0);
    return s;
}

void field_each_point(Lowerer *l, const FieldInfo *f, const Node *n, Code *code,
                      FieldBody body, void *user)
{
    FieldPoint p = {.axes = f->axes};
    const FieldPoint *before = l->point;
    for (uint32_t k = 0; k < f->axes; k++)
        code = &open_loop(l, f, k, n, code, &p)->body;
    l->point = &p;
    body(l, code, user);
    l->point = before;
}

typedef struct Assigning {
    const FieldInfo *f;
    const Node *n, *value;
    Place place;
} Assigning;

static void assign(Lowerer *l, Code *code, void *user)
{
    const Assigning *a = user;
    Statement *s = code_add(l->m, code, STATEMENT_ASSIGN, a->n->at,
                            lower_line(l, a->n->at, a->n->origin));
    s->target =
        expr_variable(l->m, a->f->variable, l->point->index, a->f->axes);
    s->a = lower_assigned(
        l, lower_fit(l, lower_in_code(l, a->value, a->place), EXPR_TYPE_REAL));
    s->row = lower_row(l, a->n, a->f->variable, true);
}

void lower_field_assign(Lowerer *l, const Node *n, Code *code, Place place)
{
    Assigning a = {field_of(l, n->first->symbol), n, n->last, place};
    if (model_variable(l->m, a.f->variable)->kind != VARIABLE_STATE) {
        LOWER_ERROR(l, n->first,
                    "an equation without %s' gives FIELD `%s`, so it cannot be "
                    "assigned",
                    a.f->symbol->shown, a.f->symbol->shown);
        return;
    }
    field_each_point(l, a.f, n, code, assign, &a);
}

/* The hidden INTEGER that says which INITCOND of a FIELD holds; 0: none. */
static uint32_t chosen_start(Lowerer *l, FieldInfo *f, const Node *n)
{
    if (f->start == NONE)
        f->start =
            lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_INTEGER,
                         model_format(l->m, "INITCOND %s", f->symbol->name), n);
    return f->start;
}

/* The expression that INITCOND gives, which may stand in parentheses; NULL: a list. */
static const Node *start_value(const Node *n)
{
    const Node *value = n->last;
    if (value->kind != NODE_VALUES)
        return value;
    const Node *list = value->first, *one = list->first;
    if (node_count(list) != 1 || !node_absent(node_child(one, 1)))
        return NULL;
    if (one->first->kind != NODE_LIST)
        return one->first;
    return node_count(one->first) == 1 ? one->first->first : NULL;
}

/* INITIAL begins with the INITCONDs, in the order in which they are written. */
static void put_start(Lowerer *l, Statement *s)
{
    Code *code = &l->m->initial;
    Statement **to = l->last_start ? &l->last_start->next : &code->first;
    s->next = *to;
    *to = s;
    if (!s->next)
        code->last = s;
    l->last_start = s;
}

/* What equations compute is not there yet. */
static void refuse_computed(Lowerer *l, const Node *n, const Statement *s)
{
    for (const Statement *k = s->body.first; k; k = k->body.first)
        if (k->kind == STATEMENT_ASSIGN && (k->a->reads & READS_COMPUTED))
            LOWER_ERROR(l, n,
                        "INITCOND comes before the equations, so what these "
                        "compute has no value yet: write what it is equal to");
}

/* INITIAL begins with it: IF that INITCOND holds THEN U := ... at all points. */
static void add_start(Lowerer *l, FieldInfo *f, const Node *n, int64_t number)
{
    Model *m = l->m;
    Assigning a = {f, n, start_value(n), IN_CODE};
    Code begin = {0};
    Statement *s = code_add(m, &begin, STATEMENT_IF, n->at,
                            lower_line(l, n->at, n->origin));
    uint32_t routine = l->routine;
    s->a = expr_2(m, EXPR_EQ, expr_variable(m, f->start, NULL, 0),
                  expr_integer(m, number));
    s->row = lower_row(l, n, f->variable, true);
    l->routine = NONE;
    field_each_point(l, f, n, &s->body, assign, &a);
    l->routine = routine;
    refuse_computed(l, n, s);
    put_start(l, s);
}

void lower_field_start(Lowerer *l, const Node *n, Code *code)
{
    FieldInfo *f = field_of(l, n->first->symbol);
    if (!start_value(n)) {
        LOWER_ERROR(l, n->last,
                    "INITCOND of a FIELD has one expression in its "
                    "coordinates: SWEEP or PARAMETER vary what stands in it");
        return;
    }
    if (model_variable(l->m, f->variable)->kind != VARIABLE_STATE) {
        LOWER_ERROR(l, n,
                    "FIELD `%s` has no start value: an equation without %s' "
                    "gives it at every time",
                    f->symbol->shown, f->symbol->shown);
        return;
    }
    chosen_start(l, f, n);
    add_start(l, f, n, ++f->starts);
    Statement *s = code_add(l->m, code, STATEMENT_ASSIGN, n->at,
                            lower_line(l, n->at, n->origin));
    s->target = expr_variable(l->m, f->start, NULL, 0);
    s->a = expr_integer(l->m, f->starts);
    s->row = lower_row(l, n, NONE, true);
}
