#include "algebra/replay.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/elements.h"
#include "algebra/path.h"

#define WORK_MOST   4000000 // most reads in one proof
#define AROUND_MOST 8       // most loops around a step

/* An equation: an element of a portion. */
typedef struct Owner {
    uint32_t portion;
    uint32_t unknown; // that it determines
    uint32_t next;    // another equation that does in another branch, or NONE
    bool done;
} Owner;

typedef struct Replay {
    Elements e;
    Buffer *why;
    bool right;
    uint64_t work;
    Owner *owner;    // for each equation
    uint32_t *first; // for each unknown: an equation, or NONE
    Vector log;      // uint32_t: equations in the order in which they are done
    uint32_t loop[AROUND_MOST]; // loops around the step
    int64_t value[AROUND_MOST];
    uint32_t loops;
    const Path *path;
    Vector reads;
} Replay;

static bool is_over(Replay *r)
{
    return !r->right || ++r->work > WORK_MOST;
}

static void give_up(Replay *r)
{
    r->work = WORK_MOST;
}

static void bad(Replay *r, uint32_t unknown, const char *what)
{
    if (!r->right)
        return;
    r->right = false;
    elements_name(&r->e, unknown, r->why);
    buffer_format(r->why, " %s", what);
}

/* ---- Elements of portions ----------------------------------------------------------------- */

static uint32_t equation_at(const Replay *r, uint32_t portion,
                            const int64_t *value)
{
    const Portion *p = system_portion(r->e.s, portion);
    uint64_t at = 0;
    for (uint32_t k = 0; k < p->n_loops; k++) {
        const Loop *l = model_loop(r->e.m, p->loops[k]);
        at = at * (uint64_t)(l->high - l->low + 1) +
             (uint64_t)(value[k] - l->low);
    }
    return r->e.first_equation[portion] + (uint32_t)at;
}

typedef void (*Visit)(Replay *r, uint32_t portion, const int64_t *value,
                      const void *user);

/* The place of a loop among those around the step, or NONE. */
static uint32_t around(const Replay *r, uint32_t loop)
{
    for (uint32_t k = 0; k < r->loops; k++)
        if (r->loop[k] == loop)
            return k;
    return NONE;
}

/* Visits the elements of a portion that the present pass of the loops around it
   stands for. */
static void each_element(Replay *r, uint32_t portion, Visit visit,
                         const void *user)
{
    const Model *m = r->e.m;
    Portion p = *system_portion(r->e.s, portion);
    int64_t low[LOOPS_MOST] = {0}, high[LOOPS_MOST] = {0}, value[LOOPS_MOST];
    for (uint32_t k = 0; k < p.n_loops; k++) {
        uint32_t at = around(r, p.loops[k]);
        const Loop *l = model_loop(m, p.loops[k]);
        low[k] = at == NONE ? l->low : r->value[at];
        high[k] = at == NONE ? l->high : r->value[at];
    }
    memcpy(value, low, sizeof value);
    for (uint32_t k = 0; k != NONE && !is_over(r);) {
        visit(r, portion, value, user);
        for (k = p.n_loops; k-- > 0;) {
            if (value[k]++ < high[k])
                break;
            value[k] = low[k];
        }
    }
}

/* ---- What is determined where ---------------------------------------------------------------- */

static void add_owner(Replay *r, uint32_t portion, const int64_t *value,
                      const void *user)
{
    (void)user;
    uint32_t equation = equation_at(r, portion, value);
    uint32_t unknown = elements_target(&r->e, portion,
                                       equation - r->e.first_equation[portion]);
    r->owner[equation] = (Owner){portion, unknown, r->first[unknown], false};
    r->first[unknown] = equation;
}

static void find_owners(Replay *r)
{
    uint32_t equations = r->e.first_equation[r->e.portions];
    r->first = NEW_ARRAY(&r->e.arena, uint32_t, r->e.unknowns + 1);
    r->owner = NEW_ARRAY(&r->e.arena, Owner, equations + 1);
    if (!r->first || !r->owner) {
        give_up(r);
        return;
    }
    for (uint32_t k = 0; k < r->e.unknowns; k++)
        r->first[k] = NONE;
    for (uint32_t k = 0; k < r->e.portions && !is_over(r); k++)
        if (!system_portion(r->e.s, k)->replaced)
            each_element(r, k, add_owner, NULL);
}

/* True if an equation that the path does not leave out is still to come. */
static bool is_missing(const Replay *r, uint32_t unknown)
{
    for (uint32_t k = r->first[unknown]; k != NONE; k = r->owner[k].next)
        if (!r->owner[k].done &&
            !path_excludes(r->path,
                           system_portion(r->e.s, r->owner[k].portion)->guard))
            return true;
    return false;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void read_element(Replay *r, uint32_t portion, const int64_t *value,
                         const void *user)
{
    r->reads.used = 0;
    if (!elements_reads_in(&r->e, portion, user, value, &r->reads)) {
        give_up(r);
        return;
    }
    const ElementRead *read = (const ElementRead *)(const void *)r->reads.bytes;
    size_t n = r->reads.used / sizeof *read;
    for (size_t k = 0; k < n && !is_over(r); k++)
        if (is_missing(r, read[k].unknown))
            bad(r, read[k].unknown, "is read before it is computed");
}

static void do_equation(Replay *r, uint32_t equation)
{
    Owner *o = &r->owner[equation];
    if (o->done)
        bad(r, o->unknown, "is computed twice");
    o->done = true;
    if (!vector_append(&r->log, &equation, sizeof equation))
        give_up(r);
}

static void do_element(Replay *r, uint32_t portion, const int64_t *value,
                       const void *user)
{
    uint32_t equation = equation_at(r, portion, value);
    (void)user;
    if (path_excludes(r->path, system_portion(r->e.s, portion)->guard))
        bad(r, r->owner[equation].unknown,
            "is computed in a branch that is not its own");
    do_equation(r, equation);
}

static uint32_t *logged(const Replay *r)
{
    return (uint32_t *)(void *)r->log.bytes;
}

/* Forgets what has been done since the log had that length. */
static void undo(Replay *r, size_t used)
{
    while (r->log.used > used) {
        r->log.used -= sizeof(uint32_t);
        r->owner[logged(r)[r->log.used / sizeof(uint32_t)]].done = false;
    }
}

static void walk(Replay *r, const Steps *steps);

static void walk_loop(Replay *r, const Step *s)
{
    const Loop *l = model_loop(r->e.m, s->loop);
    int64_t low = l->low, high = l->high;
    if (r->loops == AROUND_MOST) {
        give_up(r);
        return;
    }
    uint32_t k = r->loops++;
    r->loop[k] = s->loop;
    r->value[k] = s->down ? high : low;
    while (r->value[k] >= low && r->value[k] <= high && !is_over(r)) {
        walk(r, &s->body);
        r->value[k] += s->down ? -1 : 1;
    }
    r->loops--;
}

static void walk_block(Replay *r, const Step *s)
{
    const Block *b = model_block(r->e.m, s->block);
    if (b->part[0].portion == NONE) // Companions
        return;
    for (uint32_t k = 0; k < b->parts && !is_over(r); k++)
        each_element(r, b->part[k].portion, do_element, NULL);
    size_t before = r->log.used;
    walk(r, &b->inner);
    for (uint32_t k = 0; k < b->parts && !is_over(r); k++)
        each_element(r, b->part[k].portion, read_element, b->part[k].residual);
    undo(r, before); // the inner steps follow the block once more
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What every branch has done or leaves out is done after the Select. `all` names
   an equation once for each branch that has done it. */
static void join_branches(Replay *r, const Step *s, const Vector *all)
{
    const uint32_t *list = (const uint32_t *)(const void *)all->bytes;
    size_t n = all->used / sizeof *list, next;
    if (n > 0)
        qsort(all->bytes, n, sizeof *list, by_number);
    for (size_t i = 0; i < n && !is_over(r); i = next) {
        const Owner *o = &r->owner[list[i]];
        const Guard *g = system_portion(r->e.s, o->portion)->guard;
        uint32_t covered = 0;
        for (next = i; next < n && list[next] == list[i]; next++)
            covered++;
        for (uint32_t b = 0; b < s->select->branches; b++) {
            Path inside = {r->path, s->select, b};
            covered += path_excludes(&inside, g);
        }
        if (covered < s->select->branches)
            bad(r, o->unknown, "is not computed in every branch");
        else
            do_equation(r, list[i]);
    }
}

static void walk_select(Replay *r, const Step *s)
{
    Vector all = {0};
    size_t before = r->log.used;
    for (uint32_t b = 0; b < s->select->branches && !is_over(r); b++) {
        Path inside = {r->path, s->select, b};
        r->path = &inside;
        walk(r, &s->branch[b]);
        r->path = inside.around;
        if (r->log.used > before &&
            !vector_append(&all, r->log.bytes + before, r->log.used - before))
            give_up(r);
        undo(r, before);
    }
    join_branches(r, s, &all);
    vector_free(&all);
}

static void walk(Replay *r, const Steps *steps)
{
    for (const Step *s = steps->first; s && !is_over(r); s = s->next)
        switch (s->kind) {
        case STEP_ASSIGN:
            if (s->portion == NONE) // a Companion's
                break;
            each_element(r, s->portion, read_element, s->value);
            each_element(r, s->portion, do_element, NULL);
            break;
        case STEP_LOOP: walk_loop(r, s); break;
        case STEP_SELECT: walk_select(r, s); break;
        case STEP_SOLVE: walk_block(r, s); break;
        }
}

bool replay_check(const Model *m, const System *s, Buffer *why)
{
    Replay r = {.why = why, .right = true};
    /* Elements only look at the model. */
    if (!elements_begin(&r.e, (Model *)(uintptr_t)m, (System *)(uintptr_t)s))
        give_up(&r);
    if (!is_over(&r))
        find_owners(&r);
    if (!is_over(&r))
        walk(&r, &s->program);
    for (uint32_t k = 0; k < r.e.unknowns && !is_over(&r); k++)
        if (is_missing(&r, k))
            bad(&r, k, "is never computed");
    vector_free(&r.log);
    vector_free(&r.reads);
    elements_free(&r.e);
    return r.right;
}
