#include "model/walk.h"

#include <assert.h>

#include "model/model.h"

/* Walks over shared trees: each node once. */

/* ---- Map from expressions to expressions -------------------------------------- */

typedef struct Pair {
    const Expr *from, *to;
} Pair;

static uint32_t map_room(const ExprMap *map)
{
    return (uint32_t)(map->pairs.used / sizeof(Pair));
}

static Pair *map_at(const ExprMap *map, const Expr *from)
{
    uint32_t room = map_room(map);
    Pair *pairs = (Pair *)(void *)map->pairs.bytes;
    assert(room > 0 && (room & (room - 1)) == 0 && map->count < room);
    uint32_t k = (from->id * 2654435761u) & (room - 1);
    while (pairs[k].from && pairs[k].from != from)
        k = (k + 1) & (room - 1);
    return &pairs[k];
}

static bool map_grow(ExprMap *map)
{
    uint32_t room = map_room(map);
    ExprMap bigger = {.count = map->count};
    if (!vector_append(&bigger.pairs, NULL,
                       (room ? 2 * (size_t)room : 64) * sizeof(Pair)))
        return false;
    for (uint32_t k = 0; k < room; k++) {
        Pair *p = (Pair *)(void *)map->pairs.bytes + k;
        if (p->from)
            *map_at(&bigger, p->from) = *p;
    }
    vector_free(&map->pairs);
    *map = bigger;
    return true;
}

const Expr *expr_map_get(const ExprMap *map, const Expr *from)
{
    return map->count ? map_at(map, from)->to : NULL;
}

bool expr_map_put(ExprMap *map, const Expr *from, const Expr *to)
{
    if (2 * (map->count + 1) > map_room(map) && !map_grow(map))
        return false;
    Pair *p = map_at(map, from);
    if (!p->from)
        map->count++;
    assert(to != NULL && 2 * map->count <= map_room(map));
    *p = (Pair){from, to};
    return true;
}

void expr_map_free(ExprMap *map)
{
    vector_free(&map->pairs);
    map->count = 0;
}

/* ---- Rewriting ------------------------------------------------------------------ */

typedef struct Rewriting {
    Model *m;
    ExprRewrite leaf;
    void *user;
    ExprMap done;
} Rewriting;

#define FEW 8

static const Expr *rewrite(Rewriting *r, const Expr *e)
{
    const Expr *few[FEW];
    const Expr **arg = few;
    const Expr *found = expr_map_get(&r->done, e);
    if (found)
        return found;
    if (e->count > FEW && !(arg = MODEL_ARRAY(r->m, const Expr *, e->count)))
        return e;
    bool same = true;
    for (uint32_t k = 0; k < e->count; k++) {
        arg[k] = rewrite(r, e->arg[k]);
        same = same && arg[k] == e->arg[k];
    }
    const Expr *now =
        same ? e : expr_make(r->m, e->op, e->type, e->which, arg, e->count);
    found = r->leaf(r->user, now);
    found = found ? found : now;
    if (!expr_map_put(&r->done, e, found))
        r->m->broken = true;
    return found;
}

const Expr *expr_rewrite(Model *m, const Expr *e, ExprRewrite leaf, void *user)
{
    Rewriting r = {.m = m, .leaf = leaf, .user = user};
    const Expr *found = rewrite(&r, e);
    expr_map_free(&r.done);
    return found;
}

static const Expr *replace_one(void *user, const Expr *e)
{
    const Pair *p = user;
    return e == p->from ? p->to : NULL;
}

const Expr *expr_replace(Model *m, const Expr *e, const Expr *from,
                         const Expr *to)
{
    Pair p = {from, to};
    return expr_rewrite(m, e, replace_one, &p);
}

/* ---- Visiting -------------------------------------------------------------------- */

typedef struct Visiting {
    bool (*visit)(void *user, const Expr *e);
    void *user;
    ExprMap done;
    bool broken;
} Visiting;

static bool visit(Visiting *v, const Expr *e)
{
    if (expr_map_get(&v->done, e))
        return true;
    for (uint32_t k = 0; k < e->count; k++)
        if (!visit(v, e->arg[k]))
            return false;
    if (!expr_map_put(&v->done, e, e))
        v->broken = true;
    return v->visit(v->user, e);
}

bool expr_visit(Model *m, const Expr *e,
                bool (*each)(void *user, const Expr *e), void *user)
{
    Visiting v = {.visit = each, .user = user};
    bool whole = visit(&v, e);
    expr_map_free(&v.done);
    if (v.broken && m)
        m->broken = true;
    return whole;
}

typedef struct Wanted {
    const Expr *what;
    ExprOp op;
    uint32_t which;
} Wanted;

static bool differs(void *user, const Expr *e)
{
    const Wanted *w = user;
    return e != w->what;
}

bool expr_contains(const Expr *e, const Expr *what)
{
    Wanted w = {.what = what};
    return !expr_visit(NULL, e, differs, &w);
}

static bool does_not_mention(void *user, const Expr *e)
{
    const Wanted *w = user;
    return e->op != w->op || e->which != w->which;
}

bool expr_mentions(const Expr *e, ExprOp op, uint32_t which)
{
    Wanted w = {.op = op, .which = which};
    return !expr_visit(NULL, e, does_not_mention, &w);
}
