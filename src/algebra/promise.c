#include "algebra/promise.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/path.h"
#include "algebra/replay.h"

#define WORK_MOST 4000000 // most comparisons in one proof

typedef struct Proof {
    const Model *m;
    const System *s;
    Buffer *why;
    bool right;
    uint64_t work;
    Vector first;     // uint32_t for each unknown: last of its equations, or
                      // NONE
    Vector next;      // uint32_t for each equation: the previous one, or NONE
    Vector done;      // bool for each equation: carried out on this path
    Vector log;       // uint32_t: equations in the order in which they are done
    const Path *path; // branches around the present step
    bool down;        // the FOR around it runs downwards
    const Portion *present; // the one whose value or residual is examined, or
                            // NULL
} Proof;

static uint32_t *numbers(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

static bool *truths(const Vector *v)
{
    return (bool *)(void *)v->bytes;
}

static uint32_t slot_of(const Expr *unknown)
{
    return 2 * unknown->which + (unknown->op == EXPR_RATE);
}

static void bad(Proof *p, const Expr *unknown, const char *what)
{
    if (!p->right)
        return;
    p->right = false;
    if (unknown)
        expr_print(p->m, unknown, p->why);
    buffer_format(p->why, "%s%s", unknown ? " " : "", what);
}

/* True if the proof has taken too long or found a mistake: there is nothing
   more to find. */
static bool is_over(Proof *p)
{
    return !p->right || ++p->work > WORK_MOST;
}

static bool begin(Proof *p)
{
    uint32_t n = system_portions(p->s), slots = 2 * model_variables(p->m);
    if (!vector_append(&p->first, NULL, (slots + 1) * sizeof(uint32_t)) ||
        !vector_append(&p->next, NULL, (n + 1) * sizeof(uint32_t)) ||
        !vector_append(&p->done, NULL, (n + 1) * sizeof(bool)))
        return false;
    for (uint32_t k = 0; k < slots; k++)
        numbers(&p->first)[k] = NONE;
    for (uint32_t k = 0; k < n; k++) {
        const Expr *target = system_portion(p->s, k)->target;
        if (system_portion(p->s, k)->replaced) {
            truths(&p->done)[k] = true;
            continue;
        }
        assert(target && target->which < model_variables(p->m));
        uint32_t *first = &numbers(&p->first)[slot_of(target)];
        numbers(&p->next)[k] = *first;
        *first = k;
    }
    return true;
}

static void finish(Proof *p)
{
    vector_free(&p->first);
    vector_free(&p->next);
    vector_free(&p->done);
    vector_free(&p->log);
}

/* ---- Matched ----------------------------------------------------------------------------- */

static void prove_single(Proof *p, uint32_t k)
{
    const Portion *e = system_portion(p->s, k);
    Box box = box_around(p->m, e->target);
    for (uint32_t i = numbers(&p->next)[k]; i != NONE && !is_over(p);
         i = numbers(&p->next)[i]) {
        const Portion *other = system_portion(p->s, i);
        Box its = box_around(p->m, other->target);
        if (box_meets(&box, &its) && !guards_exclude(e->guard, other->guard))
            bad(p, e->target, "is determined by two equations");
    }
}

static void prove_target(Proof *p, const Portion *e)
{
    Box box;
    if (!is_unknown(p->m, e->target))
        bad(p, e->target, "is a target but not an unknown");
    else if (!box_exact(p->m, e->target, e->loops, e->n_loops, &box))
        bad(p, e->target, "is not one element for each pass of its loops");
}

static void prove_matched(Proof *p)
{
    for (uint32_t k = 0; k < system_portions(p->s) && p->right; k++) {
        if (system_portion(p->s, k)->replaced)
            continue;
        prove_target(p, system_portion(p->s, k));
        prove_single(p, k);
    }
}

/* ---- Sorted ------------------------------------------------------------------------------ */

/* The pass of the common loops in which `of` computes what is read, compared
   with the present one: -1 if its indices are smaller, +1 if they are larger; the
   outermost loop in which they differ decides. */
static bool pass_of(const Portion *of, const Expr *read, int *sign)
{
    *sign = 0;
    for (uint32_t i = 0; i < of->n_loops; i++)
        for (uint32_t k = 0; k < read->count; k++) {
            uint32_t a, b;
            int64_t here, there;
            if (!expr_affine(of->target->arg[k], &a, &here) ||
                !expr_affine(read->arg[k], &b, &there) || a != b)
                return false;
            if (a == of->loops[i] && *sign == 0 && there != here)
                *sign = there < here ? -1 : 1;
        }
    return true;
}

/* What an equation in a FOR reads of the same FOR may come from an earlier
   pass. Portions of one node share a FOR, whatever its name. */
static bool is_earlier_pass(const Proof *p, const Portion *of, const Expr *read)
{
    int sign;
    if (!p->present || p->present->n_loops == 0 || of->n_loops == 0)
        return false;
    if (of->n_loops == p->present->n_loops &&
        memcmp(of->loops, p->present->loops,
               of->n_loops * sizeof of->loops[0]) == 0)
        return pass_of(of, read, &sign) && sign == (p->down ? 1 : -1);
    Box box = box_around(p->m, p->present->target);
    Box its = box_around(p->m, of->target);
    if (box.rank != its.rank)
        return false;
    for (uint32_t k = 0; k < box.rank; k++)
        if (box.low[k] != its.low[k] || box.high[k] != its.high[k])
            return false;
    return box_offset(p->present, read, &sign) && sign == (p->down ? 1 : -1);
}

static bool read_leaf(void *user, const Expr *e)
{
    Proof *p = user;
    if (!is_unknown(p->m, e))
        return true;
    Box box = box_around(p->m, e);
    for (uint32_t k = numbers(&p->first)[slot_of(e)]; k != NONE && !is_over(p);
         k = numbers(&p->next)[k]) {
        const Portion *of = system_portion(p->s, k);
        Box its = box_around(p->m, of->target);
        if (truths(&p->done)[k] || !box_meets(&box, &its) ||
            path_excludes(p->path, of->guard) || is_earlier_pass(p, of, e))
            continue;
        bad(p, e, "is read before it is computed");
    }
    return p->right;
}

static void read_expr(Proof *p, const Expr *e)
{
    if (e && p->right)
        expr_visit(NULL, e, read_leaf, p);
}

static void do_equation(Proof *p, uint32_t k)
{
    if (k == NONE && model_senses(p->m)) // a Companion's
        return;
    if (k >= system_portions(p->s)) {
        bad(p, NULL, "a step of an equation that does not exist");
        return;
    }
    const Portion *e = system_portion(p->s, k);
    if (truths(&p->done)[k])
        bad(p, e->target, "is computed twice");
    if (path_excludes(p->path, e->guard))
        bad(p, e->target, "is computed in a branch that is not its own");
    truths(&p->done)[k] = true;
    if (!vector_append(&p->log, &k, sizeof k))
        p->work = WORK_MOST; // without memory there is no proof
}

/* Forgets what has been done since the log had that length. */
static void undo(Proof *p, size_t used)
{
    while (p->log.used > used) {
        p->log.used -= sizeof(uint32_t);
        truths(&p->done)[numbers(&p->log)[p->log.used / sizeof(uint32_t)]] =
            false;
    }
}

static void walk(Proof *p, const Steps *steps);

static void walk_assign(Proof *p, const Step *s)
{
    if (s->portion < system_portions(p->s)) {
        p->present = system_portion(p->s, s->portion);
        if (s->target != p->present->target)
            bad(p, s->target, "is not the target of its equation");
    }
    read_expr(p, s->value);
    for (uint32_t k = 0; k < s->target->count; k++)
        read_expr(p, s->target->arg[k]);
    p->present = NULL;
    do_equation(p, s->portion);
}

static void walk_block(Proof *p, const Step *s)
{
    const Block *b = model_block(p->m, s->block);
    for (uint32_t k = 0; k < b->parts; k++)
        if (b->part[k].start != b->part[k].unknown) // otherwise: its INITCOND
            read_expr(p, b->part[k].start);
    for (uint32_t k = 0; k < b->parts && p->right; k++)
        do_equation(p, b->part[k].portion);
    size_t before = p->log.used;
    walk(p, &b->inner);
    for (uint32_t k = 0; k < b->parts && p->right; k++) {
        p->present = b->part[k].portion == NONE
                         ? NULL
                         : system_portion(p->s, b->part[k].portion);
        read_expr(p, b->part[k].residual);
    }
    p->present = NULL;
    for (uint32_t k = 0; k < b->slopes; k++)
        read_expr(p, b->slope[k].value);
    for (uint32_t k = 0; b->jacobian && k < b->n * b->n; k++)
        read_expr(p, b->jacobian[k]);
    undo(p, before); // the inner steps follow the block once more
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* An equation that every branch has done or leaves out is done after the
   Select. `all` names an equation once for each branch that has done it. */
static void join_branches(Proof *p, const Step *s, const Vector *all)
{
    size_t n = all->used / sizeof(uint32_t), next;
    if (n > 0)
        qsort(all->bytes, n, sizeof(uint32_t), by_number);
    for (size_t i = 0; i < n && p->right; i = next) {
        uint32_t k = numbers(all)[i], covered = 0;
        const Portion *e = system_portion(p->s, k);
        for (next = i; next < n && numbers(all)[next] == k; next++)
            covered++;
        for (uint32_t b = 0; b < s->select->branches; b++) {
            Path inside = {p->path, s->select, b};
            covered += path_excludes(&inside, e->guard);
        }
        assert(covered <= s->select->branches);
        if (covered < s->select->branches)
            bad(p, e->target, "is not computed in every branch");
        else
            do_equation(p, k);
    }
}

static void walk_select(Proof *p, const Step *s)
{
    Vector all = {0};
    size_t before = p->log.used;
    read_expr(p, s->select->selector);
    for (uint32_t b = 0; b < s->select->branches && p->right; b++) {
        Path inside = {p->path, s->select, b};
        p->path = &inside;
        walk(p, &s->branch[b]);
        p->path = inside.around;
        for (size_t i = before; i < p->log.used; i += sizeof(uint32_t)) {
            uint32_t k = numbers(&p->log)[i / sizeof(uint32_t)];
            if (!vector_append(&all, &k, sizeof k))
                p->work = WORK_MOST;
        }
        undo(p, before);
    }
    join_branches(p, s, &all);
    vector_free(&all);
}

static void walk(Proof *p, const Steps *steps)
{
    for (const Step *s = steps->first; s && !is_over(p); s = s->next)
        switch (s->kind) {
        case STEP_ASSIGN: walk_assign(p, s); break;
        case STEP_LOOP: {
            bool down = p->down;
            p->down = s->down;
            walk(p, &s->body);
            p->down = down;
            break;
        }
        case STEP_SELECT: walk_select(p, s); break;
        case STEP_SOLVE: walk_block(p, s); break;
        }
}

static void prove_sorted(Proof *p)
{
    p->work = 0;
    walk(p, &p->m->simulation.program);
    for (uint32_t k = 0; k < system_portions(p->s) && !is_over(p); k++)
        if (!truths(&p->done)[k])
            bad(p, system_portion(p->s, k)->target, "is never computed");
}

/* Boxes prove most programs in no time; elements decide about the others. */
static void prove_order(Proof *p)
{
    Buffer coarse = {0}, *why = p->why;
    p->why = &coarse;
    prove_sorted(p);
    p->why = why;
    buffer_free(&coarse);
    if (!p->right)
        p->right = replay_check(p->m, p->s, why);
}

/* ---- Needs ------------------------------------------------------------------------------- */

typedef struct Needs {
    Proof *p;
    Vector have; // uint32_t for each unknown: functions that carry out all its
                 // steps
    uint32_t wanted;
} Needs;

/* Conditions and relations receive the rates of states. */
static bool need_leaf(void *user, const Expr *e)
{
    Needs *n = user;
    if (!is_unknown(n->p->m, e))
        return true;
    uint32_t wanted = n->wanted;
    if (e->op == EXPR_RATE)
        wanted &= ~(uint32_t)(NEED_CONDITION | NEED_RELATION | NEED_SLOPE);
    if (wanted & ~numbers(&n->have)[slot_of(e)])
        bad(n->p, e, "is needed by a step that is carried out without it");
    return n->p->right;
}

static void need_expr(Needs *n, const Expr *e)
{
    if (e && n->p->right)
        expr_visit(NULL, e, need_leaf, n);
}

static void need_target(Needs *n, const Expr *target, uint32_t needs)
{
    numbers(&n->have)[slot_of(target)] &= needs;
}

static void need_steps(Needs *n, const Steps *steps, uint32_t around);

/* Branches do not see each other's steps; after the Select all of them
   count. */
static void need_branches(Needs *n, const Step *s)
{
    Vector after = {0}, before = n->have;
    uint32_t slots = (uint32_t)(before.used / sizeof(uint32_t));
    n->p->work += (uint64_t)slots * s->select->branches;
    if (is_over(n->p) || !vector_append(&after, before.bytes, before.used))
        return;
    for (uint32_t b = 0; b < s->select->branches && n->p->right; b++) {
        n->have = (Vector){0};
        if (vector_append(&n->have, before.bytes, before.used)) {
            need_steps(n, &s->branch[b], s->needs);
            for (uint32_t k = 0; k < slots; k++)
                numbers(&after)[k] &= numbers(&n->have)[k];
        }
        vector_free(&n->have);
    }
    vector_free(&before);
    n->have = after;
}

static void need_steps(Needs *n, const Steps *steps, uint32_t around)
{
    for (const Step *s = steps->first; s && n->p->right; s = s->next) {
        if (s->needs & ~around)
            bad(n->p, s->target, "is needed inside a step that is not");
        n->wanted = s->needs;
        if (s->kind == STEP_SELECT)
            need_expr(n, s->select->selector);
        need_expr(n, s->value);
        if (s->kind == STEP_ASSIGN)
            need_target(n, s->target, s->needs);
        need_steps(n, &s->body, s->needs);
        if (s->kind == STEP_SELECT)
            need_branches(n, s);
        const Block *b =
            s->kind == STEP_SOLVE ? model_block(n->p->m, s->block) : NULL;
        for (uint32_t k = 0; b && k < b->parts; k++)
            need_target(n, b->part[k].unknown, s->needs);
    }
}

static void prove_needs(Proof *p)
{
    p->work = 0;
    Needs n = {.p = p};
    uint32_t slots = 2 * model_variables(p->m) + 2;
    if (vector_append(&n.have, NULL, slots * sizeof(uint32_t))) {
        for (uint32_t k = 0; k < slots; k++)
            numbers(&n.have)[k] = UINT32_MAX;
        need_steps(&n, &p->m->simulation.program, UINT32_MAX);
    }
    vector_free(&n.have);
}

bool promise_check(const Model *m, Buffer *why)
{
    Proof p = {.m = m, .s = &m->simulation, .why = why, .right = true};
    if (m->stage < STAGE_MATCHED)
        return true;
    if (begin(&p)) {
        prove_matched(&p);
        if (m->stage >= STAGE_SORTED && p.right)
            prove_order(&p);
        if (m->stage >= STAGE_DERIVED)
            prove_needs(&p);
    }
    finish(&p);
    return p.right;
}
