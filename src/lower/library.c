#include "lower/lowerer.h"

/* The library of CSMP-III and GASP-V (section 4 of the language): functions that
   are plain expressions with relations in them. Each relation becomes a hidden
   event later, like any other. */

static const Expr *relation(Lowerer *l, ExprOp op, const Expr *a, const Expr *b)
{
    return expr_2(l->m, op, a, b);
}

static const Expr *zero(Lowerer *l)
{
    return expr_number(l->m, "0.0");
}

static const Expr *one(Lowerer *l)
{
    return expr_number(l->m, "1.0");
}

static const Expr *minus(Lowerer *l, const Expr *a, const Expr *b)
{
    return expr_2(l->m, EXPR_SUB, a, b);
}

/* INSW (x, a, b): a below 0, b from 0 on. */
static const Expr *insw(Lowerer *l, const Expr *const *a)
{
    return expr_choose(l->m, relation(l, EXPR_LT, a[0], zero(l)), a[1], a[2]);
}

/* FCNSW (x, a, b, c): below, at, above 0. */
static const Expr *fcnsw(Lowerer *l, const Expr *const *a)
{
    return expr_choose(
        l->m, relation(l, EXPR_LT, a[0], zero(l)), a[1],
        expr_choose(l->m, relation(l, EXPR_GT, a[0], zero(l)), a[3], a[2]));
}

static const Expr *limit(Lowerer *l, const Expr *const *a)
{
    return expr_choose(
        l->m, relation(l, EXPR_LT, a[2], a[0]), a[0],
        expr_choose(l->m, relation(l, EXPR_GT, a[2], a[1]), a[1], a[2]));
}

static const Expr *deadsp(Lowerer *l, const Expr *const *a)
{
    return expr_choose(l->m, relation(l, EXPR_LT, a[2], a[0]),
                       minus(l, a[2], a[0]),
                       expr_choose(l->m, relation(l, EXPR_GT, a[2], a[1]),
                                   minus(l, a[2], a[1]), zero(l)));
}

/* QNTZR (d, x): x rounded to a multiple of d, halves upwards. */
static const Expr *qntzr(Lowerer *l, const Expr *const *a)
{
    Model *m = l->m;
    const Expr *steps = expr_2(m, EXPR_ADD, expr_2(m, EXPR_DIV, a[1], a[0]),
                               expr_number(m, "0.5"));
    return expr_2(m, EXPR_MUL, a[0],
                  expr_float(m, expr_1(m, EXPR_FLOOR, steps)));
}

static const Expr *compar(Lowerer *l, const Expr *const *a)
{
    return expr_choose(l->m, relation(l, EXPR_GE, a[0], a[1]), one(l), zero(l));
}

static const Expr *step(Lowerer *l, const Expr *const *a)
{
    const Expr *time = expr_system(l->m, SYSTEM_TIME);
    return expr_choose(l->m, relation(l, EXPR_GE, time, a[0]), one(l), zero(l));
}

static const Expr *ramp(Lowerer *l, const Expr *const *a)
{
    const Expr *time = expr_system(l->m, SYSTEM_TIME);
    return expr_choose(l->m, relation(l, EXPR_GE, time, a[0]),
                       minus(l, time, a[0]), zero(l));
}

typedef struct SwitchRow {
    const char *name;
    uint32_t arguments;
    const Expr *(*make)(Lowerer *l, const Expr *const *a);
} SwitchRow;

static const SwitchRow table[] = {
    {"INSW", 3, insw},     {"FCNSW", 4, fcnsw}, {"LIMIT", 3, limit},
    {"DEADSP", 3, deadsp}, {"QNTZR", 2, qntzr}, {"COMPAR", 2, compar},
    {"STEP", 1, step},     {"RAMP", 1, ramp},
};

const Expr *lower_switch(Lowerer *l, const Node *n, const char *name,
                         Place place)
{
    const Expr *a[4];
    for (size_t k = 0; k < LENGTH(table); k++) {
        if (!name_same(table[k].name, name))
            continue;
        for (uint32_t j = 0; j < table[k].arguments; j++)
            a[j] = lower_real(l, call_actual(n, j), place);
        return table[k].make(l, a);
    }
    return NULL;
}
