#include "algebra/reads.h"

#include <string.h>

#include "algebra/box.h"
#include "model/walk.h"

typedef struct Collecting {
    Model *m;
    ExprMap seen;
    Vector list; // const Expr *
} Collecting;

static bool collect(void *user, const Expr *e)
{
    Collecting *c = user;
    if (!is_unknown(c->m, e) || expr_map_get(&c->seen, e))
        return true;
    if (!expr_map_put(&c->seen, e, e) || !vector_append(&c->list, &e, sizeof e))
        c->m->broken = true;
    return true;
}

static void collect_guards(Collecting *c, const Guard *g)
{
    for (; g; g = g->select->around)
        expr_visit(c->m, g->select->selector, collect, c);
}

Reads reads_find(Model *m, const Portion *e)
{
    Collecting c = {.m = m};
    Reads r = {0};
    if (e->value) {
        expr_visit(m, e->value, collect, &c);
    } else {
        expr_visit(m, e->left, collect, &c);
        expr_visit(m, e->right, collect, &c);
    }
    collect_guards(&c, e->guard);
    r.list = model_alloc(m, c.list.used + sizeof *r.list);
    if (r.list && c.list.used) {
        memcpy(r.list, c.list.bytes, c.list.used);
        r.count = (uint32_t)(c.list.used / sizeof *r.list);
    }
    expr_map_free(&c.seen);
    vector_free(&c.list);
    return r;
}
