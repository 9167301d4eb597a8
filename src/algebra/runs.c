#include "algebra/runs.h"

#include <assert.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/isolate.h"

/* ---- Portions with other bounds --------------------------------------------------------------- */

typedef struct Places {
    Model *m;
    uint32_t from[LOOPS_MOST];
    const Expr *to[LOOPS_MOST];
    uint32_t n;
} Places;

static const Expr *put_place(void *user, const Expr *e)
{
    const Places *p = user;
    for (uint32_t k = 0; e->op == EXPR_LOOP && k < p->n; k++)
        if (p->from[k] == e->which)
            return p->to[k];
    const Expr *plain = index_plain(p->m, e);
    return plain == e ? NULL : plain;
}

static const Expr *placed(Places *p, const Expr *e)
{
    return e && (e->reads & READS_LOOP) ? expr_rewrite(p->m, e, put_place, p)
                                        : e;
}

static bool guard_has_loops(const Guard *g)
{
    for (; g; g = g->select->around)
        if (g->select->n_loops > 0)
            return true;
    return false;
}

static void put_places(Places *places, Portion *p)
{
    p->left = placed(places, p->left);
    p->right = placed(places, p->right);
    p->target = placed(places, p->target);
    p->value = placed(places, p->value);
}

Portion portion_placed(Model *m, const Portion *p, const Expr *const *index)
{
    Portion own = *p;
    Places places = {.m = m, .n = p->n_loops};
    for (uint32_t k = 0; k < p->n_loops; k++) {
        places.from[k] = p->loops[k];
        places.to[k] = index_plain(m, index[k]);
    }
    own.n_loops = 0;
    put_places(&places, &own);
    return own;
}

Portion run_portion(Model *m, const Portion *p, const int64_t *low,
                    const int64_t *high)
{
    Portion own = *p;
    Places places = {.m = m};
    own.n_loops = 0;
    for (uint32_t k = 0; k < p->n_loops; k++) {
        Loop l = *model_loop(m, p->loops[k]);
        assert(low[k] >= l.low && high[k] <= l.high && low[k] <= high[k]);
        uint32_t loop = p->loops[k];
        if (low[k] == high[k]) {
            places.from[places.n] = loop;
            places.to[places.n++] = expr_integer(m, low[k]);
            continue;
        }
        if (low[k] != l.low || high[k] != l.high) {
            l.low = low[k];
            l.high = high[k];
            loop = model_add_loop(m, &l);
            places.from[places.n] = p->loops[k];
            places.to[places.n++] = expr_loop(m, loop);
        }
        own.loops[own.n_loops++] = loop;
    }
    put_places(&places, &own);
    return own;
}

/* ---- Runs ----------------------------------------------------------------------------------------- */

/* How the indices of an unknown follow from the loops of its equation. */
typedef struct Form {
    uint32_t slot;
    uint32_t rank;
    uint32_t loop[2]; // which loop of the portion, NONE: a constant
    int64_t offset[2];
} Form;

typedef struct Run { // a box of loop values with one form
    int64_t low[LOOPS_MOST], high[LOOPS_MOST];
    Form form;
} Run;

typedef struct Rebuilding {
    Assignment *a;
    uint32_t portion;
    const Portion *p;
    Vector runs; // Run
} Rebuilding;

static uint32_t unknown_of(const Assignment *a, uint32_t equation)
{
    return a->pair[a->chosen[equation]].unknown;
}

static bool form_fits(const Rebuilding *b, const Form *f, uint32_t element)
{
    const Elements *e = &b->a->e;
    uint32_t u = unknown_of(b->a, e->first_equation[b->portion] + element);
    int64_t value[LOOPS_MOST], index[2] = {0, 0};
    if (elements_slot(e, u) != f->slot)
        return false;
    elements_values(e, b->portion, element, value);
    elements_indices(e, u, index);
    for (uint32_t k = 0; k < f->rank; k++) {
        int64_t base = f->loop[k] == NONE ? 0 : value[f->loop[k]];
        if (index[k] != base + f->offset[k])
            return false;
    }
    return true;
}

/* Each loop with more than one value in the run must move one index. A form is
   sought among those in which `along` does, for the element and the next; the
   others follow from the bounds of the run, one value each. */
static Form form_at(const Rebuilding *b, uint32_t element, uint32_t code)
{
    const Elements *e = &b->a->e;
    uint32_t u = unknown_of(b->a, e->first_equation[b->portion] + element);
    uint32_t slot = elements_slot(e, u);
    Form f = {.slot = slot, .rank = model_variable(e->m, slot / 2)->rank};
    int64_t value[LOOPS_MOST], index[2] = {0, 0};
    elements_values(e, b->portion, element, value);
    elements_indices(e, u, index);
    for (uint32_t k = 0; k < f.rank; k++, code /= LOOPS_MOST + 1) {
        uint32_t loop = code % (LOOPS_MOST + 1);
        f.loop[k] = loop < b->p->n_loops ? loop : NONE;
        f.offset[k] = index[k] - (f.loop[k] == NONE ? 0 : value[f.loop[k]]);
    }
    return f;
}

#define FORMS ((LOOPS_MOST + 1) * (LOOPS_MOST + 1))

static uint32_t position(const Rebuilding *b, const int64_t *value)
{
    const Model *m = b->a->e.m;
    uint32_t at = 0;
    for (uint32_t k = 0; k < b->p->n_loops; k++) {
        const Loop *l = model_loop(m, b->p->loops[k]);
        at = at * (uint32_t)(l->high - l->low + 1) +
             (uint32_t)(value[k] - l->low);
    }
    return at;
}

/* True if the whole box has the form and none of it is in a run yet. */
static bool box_fits(const Rebuilding *b, const Run *r, const bool *done)
{
    int64_t value[LOOPS_MOST];
    uint32_t n = b->p->n_loops, k;
    memcpy(value, r->low, sizeof value);
    for (;;) {
        uint32_t at = position(b, value);
        if (done[at] || !form_fits(b, &r->form, at))
            return false;
        for (k = n; k-- > 0;) {
            if (value[k]++ < r->high[k])
                break;
            value[k] = r->low[k];
        }
        if (k == NONE)
            return true;
    }
}

/* The loop moves exactly one index of the form. */
static bool moves_one(const Form *f, uint32_t loop)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->rank; k++)
        n += f->loop[k] == loop;
    return n == 1;
}

/* Grows the run along its loops, the innermost first. */
static void grow(const Rebuilding *b, Run *r, const bool *done)
{
    for (uint32_t k = b->p->n_loops; k-- > 0;) {
        const Loop *l = model_loop(b->a->e.m, b->p->loops[k]);
        if (!moves_one(&r->form, k))
            continue;
        while (r->high[k] < l->high) {
            Run next = *r;
            next.low[k] = next.high[k] = r->high[k] + 1;
            if (!box_fits(b, &next, done))
                break;
            r->high[k]++;
        }
    }
}

static uint64_t run_size(const Rebuilding *b, const Run *r)
{
    uint64_t size = 1;
    for (uint32_t k = 0; k < b->p->n_loops; k++)
        size *= (uint64_t)(r->high[k] - r->low[k]) + 1;
    return size;
}

/* Indices that a loop of one value moves are constants. */
static void settle(Run *r)
{
    for (uint32_t k = 0; k < r->form.rank; k++) {
        uint32_t loop = r->form.loop[k];
        if (loop == NONE || r->low[loop] != r->high[loop])
            continue;
        r->form.loop[k] = NONE;
        r->form.offset[k] += r->low[loop];
    }
}

/* The largest run that begins at the element. */
static Run best_run(const Rebuilding *b, uint32_t element, const bool *done)
{
    Run best = {0};
    uint64_t size = 0;
    for (uint32_t code = 0; code < FORMS; code++) {
        Run r = {.form = form_at(b, element, code)};
        elements_values(&b->a->e, b->portion, element, r.low);
        memcpy(r.high, r.low, sizeof r.high);
        grow(b, &r, done);
        if (run_size(b, &r) > size) {
            size = run_size(b, &r);
            best = r;
        }
    }
    if (!guard_has_loops(b->p->guard))
        settle(&best);
    return best;
}

static void mark(const Rebuilding *b, const Run *r, bool *done)
{
    int64_t value[LOOPS_MOST];
    uint32_t n = b->p->n_loops, k;
    memcpy(value, r->low, sizeof value);
    for (;;) {
        done[position(b, value)] = true;
        for (k = n; k-- > 0;) {
            if (value[k]++ < r->high[k])
                break;
            value[k] = r->low[k];
        }
        if (k == NONE)
            return;
    }
}

static bool find_runs(Rebuilding *b)
{
    const Elements *e = &b->a->e;
    uint32_t n =
        e->first_equation[b->portion + 1] - e->first_equation[b->portion];
    Vector done = {0};
    bool right = vector_append(&done, NULL, n * sizeof(bool));
    bool *is_done = (bool *)(void *)done.bytes;
    b->runs.used = 0;
    for (uint32_t k = 0; k < n && right; k++) {
        if (is_done[k])
            continue;
        Run r = best_run(b, k, is_done);
        mark(b, &r, is_done);
        right = vector_append(&b->runs, &r, sizeof r);
    }
    vector_free(&done);
    return right;
}

/* ---- The System anew ----------------------------------------------------------------------------- */

static const Expr *target_of(const Rebuilding *b, const Run *r)
{
    Model *m = b->a->e.m;
    const Expr *index[2];
    for (uint32_t k = 0; k < r->form.rank; k++) {
        index[k] = expr_integer(m, r->form.offset[k]);
        if (r->form.loop[k] == NONE)
            continue;
        const Expr *loop = expr_loop(m, b->p->loops[r->form.loop[k]]);
        if (r->form.offset[k] == 0)
            index[k] = loop;
        else if (r->form.offset[k] > 0)
            index[k] = expr_2(m, EXPR_ADD, loop, index[k]);
        else
            index[k] =
                expr_2(m, EXPR_SUB, loop, expr_integer(m, -r->form.offset[k]));
    }
    return r->form.slot % 2
               ? expr_rate(m, r->form.slot / 2, index, r->form.rank)
               : expr_variable(m, r->form.slot / 2, index, r->form.rank);
}

/* A Select inside loops cannot follow a part of them: its portion is written out
   element by element, unless it stays whole. */
static Portion guarded_portion(const Rebuilding *b, const Portion *p,
                               const Run *r)
{
    Portion own = *p;
    uint32_t elements = b->a->e.first_equation[b->portion + 1] -
                        b->a->e.first_equation[b->portion];
    if (run_size(b, r) == elements)
        return own;
    assert(run_size(b, r) == 1);
    for (uint32_t k = 0; k < b->p->n_loops; k++)
        own = portion_at(b->a->e.m, &own, r->low[k]);
    return own;
}

static void add_run(Rebuilding *b, const Run *r, System *fresh)
{
    Model *m = b->a->e.m;
    Portion p = *b->p;
    p.target = target_of(b, r);
    p = guard_has_loops(p.guard) ? guarded_portion(b, &p, r)
                                 : run_portion(m, &p, r->low, r->high);
    p.left = series_open(m, p.left, p.target);
    p.right = series_open(m, p.right, p.target);
    system_add_portion(m, fresh, &p);
}

/* Cuts the run into its elements. */
static void add_elements(Rebuilding *b, const Run *r, System *fresh)
{
    Run one = *r;
    memcpy(one.high, one.low, sizeof one.high);
    for (;;) {
        uint32_t k;
        add_run(b, &one, fresh);
        for (k = b->p->n_loops; k-- > 0;) {
            if (one.low[k]++ < r->high[k])
                break;
            one.low[k] = r->low[k];
        }
        memcpy(one.high, one.low, sizeof one.high);
        if (k == NONE)
            return;
    }
}

static bool rebuild_portion(Rebuilding *b, System *fresh)
{
    if (!find_runs(b))
        return false;
    const Run *r = (const Run *)(const void *)b->runs.bytes;
    size_t n = b->runs.used / sizeof *r;
    for (size_t k = 0; k < n; k++)
        if (n > 1 && guard_has_loops(b->p->guard))
            add_elements(b, &r[k], fresh);
        else
            add_run(b, &r[k], fresh);
    return true;
}

bool runs_rebuild(Assignment *a)
{
    Model *m = a->e.m;
    System fresh = {.name = a->e.s->name};
    Rebuilding b = {.a = a};
    bool right = true;
    for (uint32_t k = 0; k < a->e.portions && right && !m->broken; k++) {
        Portion whole = *system_portion(a->e.s, k);
        b.portion = k;
        b.p = &whole;
        right = rebuild_portion(&b, &fresh);
    }
    vector_free(&b.runs);
    if (right)
        *a->e.s = fresh;
    else
        m->broken = true;
    return !m->broken;
}
