#include "model/differentiate.h"

#include <assert.h>

#include "model/walk.h"

typedef struct Deriving {
    Model *m;
    ExprSeed seed;
    void *user;
    ExprMap done;
} Deriving;

static const Expr *derive(Deriving *d, const Expr *e);

static const Expr *number(Deriving *d, const char *text)
{
    return expr_number(d->m, text);
}

static const Expr *square(Deriving *d, const Expr *e)
{
    return expr_2(d->m, EXPR_POW, e, expr_integer(d->m, 2));
}

static const Expr *divide(Deriving *d, const Expr *a, const Expr *b)
{
    return expr_is_zero(a) ? a : expr_2(d->m, EXPR_DIV, a, b);
}

/* The outer derivative of f(a); the inner one is not yet applied. */
static const Expr *outer_1(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0];
    const Expr *one = number(d, "1.0");
    switch (e->op) {
    case EXPR_SIN: return expr_1(m, EXPR_COS, a);
    case EXPR_COS: return expr_1(m, EXPR_NEG, expr_1(m, EXPR_SIN, a));
    case EXPR_TAN: return expr_plus(m, one, square(d, e));
    case EXPR_ASIN:
        return divide(d, one,
                      expr_1(m, EXPR_SQRT, expr_minus(m, one, square(d, a))));
    case EXPR_ACOS:
        return divide(d, expr_1(m, EXPR_NEG, one),
                      expr_1(m, EXPR_SQRT, expr_minus(m, one, square(d, a))));
    case EXPR_ATAN: return divide(d, one, expr_plus(m, one, square(d, a)));
    case EXPR_SINH: return expr_1(m, EXPR_COSH, a);
    case EXPR_COSH: return expr_1(m, EXPR_SINH, a);
    case EXPR_TANH: return expr_minus(m, one, square(d, e));
    case EXPR_ASINH:
        return divide(d, one,
                      expr_1(m, EXPR_SQRT, expr_plus(m, square(d, a), one)));
    case EXPR_ACOSH: // not sqrt(a^2 - 1), which loses digits near 1
        return divide(
            d, one,
            expr_1(m, EXPR_SQRT,
                   expr_times(m, expr_minus(m, a, one), expr_plus(m, a, one))));
    case EXPR_ATANH: return divide(d, one, expr_minus(m, one, square(d, a)));
    case EXPR_EXP: return e;
    case EXPR_LOG: return divide(d, one, a);
    case EXPR_LOG10:
        return divide(d, one,
                      expr_times(m, a, expr_1(m, EXPR_LOG, number(d, "10.0"))));
    case EXPR_SQRT: return divide(d, one, expr_times(m, number(d, "2.0"), e));
    case EXPR_ERF: // 2/sqrt(pi) exp(-a^2)
        return expr_times(
            m,
            divide(d, number(d, "2.0"),
                   expr_1(m, EXPR_SQRT, expr_system(m, SYSTEM_PI))),
            expr_1(m, EXPR_EXP, expr_1(m, EXPR_NEG, square(d, a))));
    case EXPR_ABS:
        return expr_choose(m, expr_2(m, EXPR_GE, a, number(d, "0.0")), one,
                           expr_1(m, EXPR_NEG, one));
    case EXPR_TABLE:
        return expr_make(m, EXPR_TABLE_SLOPE, EXPR_TYPE_REAL, e->which, &a, 1);
    default: return NULL; // steps: derivative 0
    }
}

/* a^b LOG(a), which is 0 where a is: a^b is 0 there for all b > 0. */
static const Expr *by_exponent(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0];
    const Expr *by = expr_times(m, e, expr_1(m, EXPR_LOG, a));
    if (a->op == EXPR_NUMBER || expr_is_constant(a))
        return by;
    return expr_choose(m, expr_2(m, EXPR_EQ, a, number(d, "0.0")),
                       number(d, "0.0"), by);
}

static const Expr *power(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0], *b = e->arg[1];
    const Expr *da = derive(d, a), *db = derive(d, b);
    const Expr *by_a = number(d, "0.0"), *by_b = by_a;
    if (!expr_is_zero(da)) {
        const Expr *less =
            b->op == EXPR_INTEGER
                ? expr_2(m, EXPR_SUB, b, expr_integer(m, 1))
                : expr_2(m, EXPR_SUB, b,
                         b->type == EXPR_TYPE_INTEGER ? expr_integer(m, 1)
                                                      : number(d, "1.0"));
        const Expr *rest = expr_is_zero(less) ? number(d, "1.0")
                                              : expr_2(m, EXPR_POW, a, less);
        by_a = expr_times(m, expr_times(m, expr_float(m, b), rest), da);
    }
    if (!expr_is_zero(db))
        by_b = expr_times(m, by_exponent(d, e), db);
    return expr_plus(m, by_a, by_b);
}

static const Expr *quotient(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0], *b = e->arg[1];
    const Expr *da = derive(d, a), *db = derive(d, b);
    if (expr_is_zero(db))
        return divide(d, da, b);
    /* (da - e db)/b */
    return divide(d, expr_minus(m, da, expr_times(m, e, db)), b);
}

static const Expr *product(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0], *b = e->arg[1];
    return expr_plus(m, expr_times(m, derive(d, a), b),
                     expr_times(m, a, derive(d, b)));
}

static const Expr *of_two(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *a = e->arg[0], *b = e->arg[1];
    const Expr *da = derive(d, a), *db = derive(d, b);
    if (expr_is_zero(da) && expr_is_zero(db))
        return da;
    switch (e->op) {
    case EXPR_ATAN2: // (b da - a db)/(a^2 + b^2)
        return divide(d,
                      expr_minus(m, expr_times(m, b, da), expr_times(m, a, db)),
                      expr_plus(m, square(d, a), square(d, b)));
    case EXPR_HYPOT: // (a da + b db)/e
        return divide(
            d, expr_plus(m, expr_times(m, a, da), expr_times(m, b, db)), e);
    case EXPR_MIN: return expr_choose(m, expr_2(m, EXPR_LE, a, b), da, db);
    case EXPR_MAX: return expr_choose(m, expr_2(m, EXPR_GE, a, b), da, db);
    case EXPR_MOD: // a - b*TRUNC(a/b), between steps
        return expr_minus(
            m, da,
            expr_times(
                m,
                expr_float(m, expr_1(m, EXPR_TRUNC, expr_2(m, EXPR_DIV, a, b))),
                db));
    default: return number(d, "0.0");
    }
}

/* The product of all factors except the one at the index of `e` itself, which
   may be zero; it runs over an index of its own. */
static const Expr *other_factors(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    Loop l = *model_loop(m, e->which);
    const Expr *from = expr_loop(m, e->which);
    const Expr *to = expr_loop(m, model_add_loop(m, &l));
    const Expr *factor = expr_replace(m, e->arg[3], from, to);
    if (e->arg[2]->op != EXPR_TRUTH)
        factor = expr_choose(m, expr_2(m, EXPR_EQ, to, e->arg[2]),
                             number(d, "1.0"), factor);
    const Expr *arg[4] = {e->arg[0], e->arg[1], from, factor};
    return expr_make(m, EXPR_PROD, EXPR_TYPE_REAL, to->which, arg, 4);
}

/* SUM of f becomes SUM of f'; PROD becomes SUM over i of f'(i) times the
   others. */
static const Expr *series(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const Expr *inner = derive(d, e->arg[3]);
    if (expr_is_zero(inner))
        return inner;
    if (e->op == EXPR_PROD)
        inner = expr_times(m, other_factors(d, e), inner);
    const Expr *arg[4] = {e->arg[0], e->arg[1], e->arg[2], inner};
    return expr_make(m, EXPR_SUM, EXPR_TYPE_REAL, e->which, arg, 4);
}

static const Expr *external(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    const External *f = model_external(m, e->which);
    const Expr *sum = number(d, "0.0");
    for (uint32_t k = 0; k < e->count; k++) {
        const Expr *da = derive(d, e->arg[k]);
        if (expr_is_zero(da))
            continue;
        if (f->derivative != NONE) {
            sum =
                expr_plus(m, sum,
                          expr_times(m,
                                     expr_make(m, EXPR_EXTERNAL, EXPR_TYPE_REAL,
                                               f->derivative, e->arg, e->count),
                                     da));
            continue;
        }
        /* A central difference over 1e-5 (1 + |a|). */
        const Expr *a = e->arg[k];
        const Expr *step =
            expr_times(m, number(d, "1.0e-5"),
                       expr_plus(m, number(d, "1.0"), expr_1(m, EXPR_ABS, a)));
        const Expr *moved[8];
        if (e->count > 8)
            return sum;
        for (uint32_t i = 0; i < e->count; i++)
            moved[i] = e->arg[i];
        moved[k] = expr_plus(m, a, step);
        const Expr *up = expr_make(m, EXPR_EXTERNAL, EXPR_TYPE_REAL, e->which,
                                   moved, e->count);
        moved[k] = expr_minus(m, a, step);
        const Expr *down = expr_make(m, EXPR_EXTERNAL, EXPR_TYPE_REAL, e->which,
                                     moved, e->count);
        const Expr *slope = divide(d, expr_minus(m, up, down),
                                   expr_times(m, number(d, "2.0"), step));
        sum = expr_plus(m, sum, expr_times(m, slope, da));
    }
    return sum;
}

static const Expr *delayed(Deriving *d, const Expr *e)
{
    const Expr *da = derive(d, e->arg[0]);
    if (expr_is_zero(da))
        return da;
    return expr_times(d->m,
                      expr_make(d->m, EXPR_DELAYED_RATE, EXPR_TYPE_REAL,
                                e->which, e->arg, e->count),
                      da);
}

/* For a slope or a higher derivative of a table: a SPLINE is made of cubics. */
static const Expr *bend(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    bool at = e->op == EXPR_TABLE_AT_SLOPE || e->op == EXPR_TABLE_AT_HIGHER;
    bool higher = e->op == EXPR_TABLE_HIGHER || e->op == EXPR_TABLE_AT_HIGHER;
    uint32_t own = at ? 2 : 1;
    int64_t order = higher ? e->arg[own]->integer + 1 : 2;
    if (model_table(m, e->which)->kind != TABLE_SPLINE || order > 3)
        return number(d, "0.0");
    const Expr *arg[3] = {e->arg[0], e->arg[1]};
    arg[own] = expr_integer(m, order);
    return expr_times(m,
                      expr_make(m,
                                at ? EXPR_TABLE_AT_HIGHER : EXPR_TABLE_HIGHER,
                                EXPR_TYPE_REAL, e->which, arg, own + 1),
                      derive(d, e->arg[own - 1]));
}

static const Expr *inner(Deriving *d, const Expr *e)
{
    Model *m = d->m;
    switch (e->op) {
    case EXPR_NEG: {
        const Expr *da = derive(d, e->arg[0]);
        return expr_is_zero(da) ? da : expr_1(m, EXPR_NEG, da);
    }
    case EXPR_ADD:
        return expr_plus(m, derive(d, e->arg[0]), derive(d, e->arg[1]));
    case EXPR_SUB:
        return expr_minus(m, derive(d, e->arg[0]), derive(d, e->arg[1]));
    case EXPR_MUL: return product(d, e);
    case EXPR_DIV: return quotient(d, e);
    case EXPR_POW: return power(d, e);
    case EXPR_FLOAT: return number(d, "0.0");
    case EXPR_NOEVENT: return derive(d, e->arg[0]);
    case EXPR_FROZEN:
        return m->freezes ? number(d, "0.0") : derive(d, e->arg[0]);
    case EXPR_CHOOSE: {
        const Expr *a = derive(d, e->arg[1]), *b = derive(d, e->arg[2]);
        return expr_choose(m, e->arg[0], a, b);
    }
    case EXPR_SUM:
    case EXPR_PROD: return series(d, e);
    case EXPR_EXTERNAL: return external(d, e);
    case EXPR_DELAYED: return delayed(d, e);
    case EXPR_TABLE_AT:
        return expr_times(m,
                          expr_make(m, EXPR_TABLE_AT_SLOPE, EXPR_TYPE_REAL,
                                    e->which, e->arg, 2),
                          derive(d, e->arg[1]));
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT_SLOPE:
    case EXPR_TABLE_HIGHER:
    case EXPR_TABLE_AT_HIGHER: return bend(d, e);
    default: break;
    }
    if (e->count == 2)
        return of_two(d, e);
    if (e->count != 1)
        return number(d, "0.0");
    const Expr *outer = outer_1(d, e);
    if (!outer)
        return number(d, "0.0");
    const Expr *da = derive(d, e->arg[0]);
    /* f(a)' = da/b where f' = 1/b: one division less */
    if (outer->op == EXPR_DIV && expr_is_one(outer->arg[0]))
        return divide(d, da, outer->arg[1]);
    return expr_times(m, outer, da);
}

static bool is_leaf(ExprOp op)
{
    return op == EXPR_VARIABLE || op == EXPR_RATE || op == EXPR_SYSTEM ||
           op == EXPR_HELD || op == EXPR_ATTRIBUTE;
}

static const Expr *derive(Deriving *d, const Expr *e)
{
    if (e->type != EXPR_TYPE_REAL)
        return number(d, "0.0");
    const Expr *found = expr_map_get(&d->done, e);
    if (found)
        return found;
    if (is_leaf(e->op)) {
        found = d->seed(d->user, e);
        found = found ? found : number(d, "0.0");
    } else if (e->count == 0) {
        found = number(d, "0.0");
    } else {
        found = inner(d, e);
    }
    assert(found);
    if (!expr_map_put(&d->done, e, found))
        d->m->broken = true;
    return found;
}

const Expr *differentiate(Model *m, const Expr *e, ExprSeed seed, void *user)
{
    Deriving d = {.m = m, .seed = seed, .user = user};
    const Expr *found = derive(&d, e);
    expr_map_free(&d.done);
    return found;
}

typedef struct One {
    Model *m;
    const Expr *leaf;
} One;

static const Expr *one_leaf(void *user, const Expr *leaf)
{
    const One *o = user;
    return leaf == o->leaf ? expr_number(o->m, "1.0") : NULL;
}

const Expr *differentiate_by(Model *m, const Expr *e, const Expr *leaf)
{
    One o = {m, leaf};
    return differentiate(m, e, one_leaf, &o);
}
