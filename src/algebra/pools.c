#include "algebra/pools.h"

#include <assert.h>

#include "algebra/box.h"

/* ---- Circles ------------------------------------------------------------------- */

typedef struct Reading {
    Model *m;
    const System *s;
    const uint32_t *portion;
    uint32_t n;
    const Portion *reader;
    bool across; // from copy to copy
} Reading;

static bool is_found_there(const Reading *r, const Expr *e)
{
    for (uint32_t k = 0; k < r->n; k++) {
        const Expr *t = system_portion(r->s, r->portion[k])->target;
        if (t && t->op == e->op && t->which == e->which)
            return true;
    }
    return false;
}

/* An unknown of the circle that another copy has, or all of them. */
static bool look_across(void *user, const Expr *e)
{
    Reading *r = user;
    const Model *m = r->m;
    if (!is_unknown(m, e) || !is_found_there(r, e))
        return true;
    uint32_t pool = model_variable(m, e->which)->pool;
    uint32_t own = loops_pool(m, r->reader->loops, r->reader->n_loops);
    if (pool && (pool != own || e->arg[0]->op != EXPR_LOOP ||
                 e->arg[0]->which != r->reader->loops[0]))
        r->across = true;
    return !r->across;
}

bool pools_circle(Model *m, const System *s, const uint32_t *portion,
                  uint32_t n)
{
    Reading r = {.m = m, .s = s, .portion = portion, .n = n};
    bool pooled = false;
    for (uint32_t k = 0; k < n; k++) {
        const Portion *p = system_portion(s, portion[k]);
        pooled = pooled || loops_pool(m, p->loops, p->n_loops) != 0;
    }
    for (uint32_t k = 0; pooled && k < n && !r.across; k++) {
        r.reader = system_portion(s, portion[k]);
        expr_visit(m, r.reader->left, look_across, &r);
        expr_visit(m, r.reader->right, look_across, &r);
    }
    if (!r.across)
        return true;
    diag_error(m->diags, r.reader->at,
               "the value of a copy depends here, in a circle, on what other "
               "copies compute from it (through P[n].X or SUM): let one of "
               "them be a STATE, which has its value already, for example by a "
               "short lag");
    return false;
}

/* ---- Matched ------------------------------------------------------------------- */

bool pools_matched(Model *m, const System *s)
{
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        uint32_t pool = loops_pool(m, p->loops, p->n_loops);
        if (!pool || p->target)
            continue;
        diag_error(
            m->diags, p->at,
            "an equation of PROCESS `%s` determines a STATE or an ALGEBR "
            "of its own copy, but none is left for this one: others "
            "determine what it contains, or it belongs to SYSTEM. "
            "Equations between the STATEs of a copy are not possible",
            model_pool(m, pool - 1)->name);
        return false;
    }
    return true;
}

/* ---- All of them ----------------------------------------------------------------- */

static bool covers_all(const Loop *l)
{
    return l->low == 0 && l->high == POOL_SIDE - 1;
}

typedef struct Proof {
    const Model *m;
    bool right;
} Proof;

static bool index_right(void *user, const Expr *e)
{
    Proof *p = user;
    if (e->op == EXPR_LOOP && model_loop(p->m, e->which)->pool &&
        !covers_all(model_loop(p->m, e->which)))
        p->right = false;
    if ((e->op != EXPR_VARIABLE && e->op != EXPR_RATE) ||
        !model_variable(p->m, e->which)->pool)
        return true;
    const Expr *at = e->arg[0];
    if (at->op == EXPR_LOOP)
        p->right = p->right && model_loop(p->m, at->which)->pool ==
                                   model_variable(p->m, e->which)->pool;
    else if (at->op != EXPR_FOUND)
        p->right = false;
    return p->right;
}

bool pools_check(Model *m, const System *s)
{
    for (uint32_t k = 0; model_pools(m) && k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        Proof proof = {m, true};
        if (p->replaced)
            continue;
        if (p->target)
            expr_visit(m, p->target, index_right, &proof);
        expr_visit(m, p->value ? p->value : p->left, index_right, &proof);
        if (!p->value)
            expr_visit(m, p->right, index_right, &proof);
        if (proof.right)
            continue;
        diag_error(m->diags, p->at,
                   "the equations of these copies can be ordered for a given "
                   "number of them only, which changes during the run: IF and "
                   "CASE among equations that depend on each other in a circle "
                   "are one reason. Write them so that each gives one variable "
                   "from others that come before it");
        return false;
    }
    return true;
}

/* ---- Fewer loops ------------------------------------------------------------------ */

typedef struct Fusing {
    Model *m;
    uint32_t loop;
    const Steps *first; // of the loop before
    bool apart;
} Fusing;

static bool computes(const Model *m, const Steps *steps, const Expr *e)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (s->kind == STEP_ASSIGN && s->target->op == e->op &&
            s->target->which == e->which)
            return true;
        if (computes(m, &s->body, e))
            return true;
        for (uint32_t k = 0; s->kind == STEP_SELECT && k < s->select->branches;
             k++)
            if (computes(m, &s->branch[k], e))
                return true;
        const Block *b =
            s->kind == STEP_SOLVE ? model_block(m, s->block) : NULL;
        for (uint32_t k = 0; b && k < b->parts; k++)
            if (b->part[k].unknown->op == e->op &&
                b->part[k].unknown->which == e->which)
                return true;
    }
    return false;
}

/* What the loop before computes must be there already: that of this copy is. */
static bool is_there(void *user, const Expr *e)
{
    Fusing *f = user;
    if (is_unknown(f->m, e) && computes(f->m, f->first, e) &&
        (e->count == 0 || e->arg[0]->op != EXPR_LOOP ||
         e->arg[0]->which != f->loop))
        f->apart = true;
    return !f->apart;
}

static void read_steps(Fusing *f, const Steps *steps)
{
    for (const Step *s = steps->first; s && !f->apart; s = s->next) {
        if (s->kind == STEP_SOLVE)
            f->apart = true; // its functions read the scratch of all
        if (s->kind == STEP_ASSIGN)
            expr_visit(f->m, s->value, is_there, f);
        if (s->kind == STEP_SELECT)
            expr_visit(f->m, s->select->selector, is_there, f);
        read_steps(f, &s->body);
        for (uint32_t k = 0; s->kind == STEP_SELECT && k < s->select->branches;
             k++)
            read_steps(f, &s->branch[k]);
    }
}

static bool can_join(Model *m, const Step *a, const Step *b)
{
    if (a->kind != STEP_LOOP || b->kind != STEP_LOOP || a->loop != b->loop ||
        !model_loop(m, a->loop)->pool || a->down != b->down)
        return false;
    Fusing f = {m, a->loop, &a->body, false};
    read_steps(&f, &b->body);
    return !f.apart;
}

void pools_fuse(Model *m, Steps *steps)
{
    if (model_pools(m) == 0)
        return;
    for (Step *s = steps->first; s && s->next;) {
        Step *next = s->next;
        if (!can_join(m, s, next)) {
            s = next;
            continue;
        }
        s->body.last->next = next->body.first;
        s->body.last = next->body.last;
        s->next = next->next;
        if (steps->last == next)
            steps->last = s;
    }
}
