#include "run/copies.h"

#include <assert.h>
#include <string.h>

#include "solve/linear.h"

/* Where a piece of a process lies after a body, and where it was: positions. */
typedef enum PieceKind {
    PIECE_STAYS,  // in x before and now
    PIECE_ENTERS, // its states come from its bed
    PIECE_OUT     // not in x now
} PieceKind;

typedef struct Piece {
    uint32_t to, from, count;
    PieceKind kind;
} Piece;

/* ---- Memory ----------------------------------------------------------------- */

Status copies_create(Instance *i, Arena *a, Image *image)
{
    uint32_t n = i->c.model->n_copies;
    i->attributes = NEW_ARRAY(a, Vector, n + 1);
    i->copy_work = NEW_ARRAY(a, Vector, n + 1);
    i->c.attributes = NEW_ARRAY(a, unsigned char *, n + 1);
    i->c.copy_work = NEW_ARRAY(a, unsigned char *, n + 1);
    i->fresh = NEW_ARRAY(a, uint32_t, n + 1);
    i->plans = NEW_ARRAY(a, CopyPlan, n + 1);
    if (!i->attributes || !i->copy_work || !i->c.attributes ||
        !i->c.copy_work || !i->fresh || !i->plans)
        return STATUS_MEMORY;
    for (uint32_t p = 0; p < n; p++)
        TRY(image_name(image, a, i->c.model->copies[p].name, "attributes",
                       &i->attributes[p]));
    return STATUS_OK;
}

void copies_free(Instance *i)
{
    uint32_t n = i->attributes && i->copy_work ? i->c.model->n_copies : 0;
    for (uint32_t p = 0; p < n; p++) {
        vector_free(&i->attributes[p]);
        vector_free(&i->copy_work[p]);
    }
    for (int k = 0; k < LAYOUTS; k++)
        moves_free(&i->moves[k]);
    vector_free(&i->pieces);
    vector_free(&i->moving);
}

/* DELAYs of the fixed part: those of copies stand after them. */
static uint32_t fixed_delays(const CosyModel *m)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->n_memories; k++)
        n += m->memories[k].kind == COSY_DELAY && m->memories[k].process == 0;
    return n;
}

void copies_begin(Instance *i)
{
    Cosy *c = &i->c;
    const CosyModel *m = c->model;
    i->segment[SEGMENT_X].used = m->states * sizeof(real);
    i->segment[SEGMENT_BRANCH].used = m->branches * sizeof(int32_t);
    c->head->states = m->states;
    for (uint32_t p = 0; p < m->n_copies; p++) {
        CosyCopies *k = &c->copy[p];
        memset(k, 0, sizeof *k); // no padding that is not zero in an image
        i->attributes[p].used = i->copy_work[p].used = 0;
        i->fresh[p] = COSY_NONE;
        k->first = m->states;
        k->branch = m->branches;
        k->delay = fixed_delays(m);
        k->since = c->head->t;
    }
}

/* Scratch for the copies that are active now. */
static bool work_fit(Instance *i, uint32_t p)
{
    Cosy *c = &i->c;
    size_t size = (size_t)c->copy[p].active * c->model->copies[p].work;
    Vector *v = &i->copy_work[p];
    bool fits = size <= v->used || vector_append(v, NULL, size - v->used);
    c->copy_work[p] = v->bytes;
    return fits;
}

/* Scratch for the states that there are now. */
static bool rates_fit(Instance *i)
{
    size_t size = (i->c.head->states + (size_t)1) * sizeof(real);
    Vector *v = &i->rates;
    bool fits = size <= v->used || vector_append(v, NULL, size - v->used);
    i->c.rates = (real *)(void *)v->bytes;
    return fits;
}

Status copies_attach(Instance *i)
{
    if (!rates_fit(i))
        return STATUS_MEMORY;
    for (uint32_t p = 0; p < i->c.model->n_copies; p++)
        if (!work_fit(i, p))
            return STATUS_MEMORY;
    return STATUS_OK;
}

/* ---- CREATE ------------------------------------------------------------------ */

/* Statistics: `count` has been the same since then. */
static void count_until(CosyCopies *k, real t)
{
    k->area += (real)k->count * (t - k->since);
    k->since = t;
}

CosyStatus copies_new(Cosy *c, uint32_t process, uint32_t n, uint32_t *position)
{
    Instance *i = (Instance *)c;
    const CosyCopyInfo *info = &c->model->copies[process];
    CosyCopies *k = &c->copy[process];
    Vector *v = &i->attributes[process];
    if (info->capacity && k->count >= info->capacity)
        return c->host->refuse(c, COSY_COPY_FULL, process, COSY_NONE, (real)n);
    if ((n && n <= k->created) || k->created >= COSY_NONE - 1)
        return c->host->refuse(c, COSY_COPY_USED, process, COSY_NONE, (real)n);
    if (!vector_append(v, NULL, info->size))
        return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    c->attributes[process] = v->bytes;
    count_until(k, c->head->t);
    k->created = n ? n : k->created + 1;
    k->entries++;
    *position = k->count++;
    if (k->count > k->most)
        k->most = k->count;
    CosyCopy *copy = cosy_copy(c, process, *position);
    copy->number = k->created;
    copy->born = c->head->t;
    copy->fresh = 1;
    return COSY_OK;
}

/* ---- Those that leave --------------------------------------------------------- */

/* TERMINAL sections at one instant beyond the copies there were: these never
   end. */
#define ENDLESS 100000

/* TERMINAL sections may create, delete and suspend others. */
static CosyStatus carry_out_terminals(Cosy *c)
{
    const CosyModel *m = c->model;
    uint64_t left = ENDLESS, ended = 0;
    for (uint32_t p = 0; p < m->n_copies; p++)
        left += c->copy[p].count;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t p = 0; p < m->n_copies; p++)
            for (uint32_t k = c->copy[p].low; k < c->copy[p].high; k++) {
                const CosyCopy *copy = cosy_copy(c, p, k);
                if (!copy->leaving || copy->ended)
                    continue;
                if (m->copy_terminal)
                    COSY_TRY(m->copy_terminal(c, p, k));
                cosy_copy(c, p, k)->ended = 1; // it may have moved in memory
                any = true;
                if (++ended > left)
                    return c->host->refuse(c, COSY_COPY_ENDLESS, p, COSY_NONE,
                                           (real)ended);
            }
    }
    return COSY_OK;
}

/* A copy leaves: how long it stayed, since CREATE or CLEAR. */
static void count_stay(const Cosy *c, CosyCopies *k, const CosyCopy *copy)
{
    real stay = c->head->t - cosy_max(copy->born, c->head->cleared);
    k->stay_sum += stay;
    k->stay_max = cosy_max(k->stay_max, stay);
    k->left++;
}

/* ---- The new layout ----------------------------------------------------------- */

/* A walk over positions of a process in their new order. */
typedef struct Walk {
    const Cosy *c;
    uint32_t process;
    Vector *pieces;
    size_t begin; // its first piece
    uint32_t to;  // the next new position
    bool failed;
} Walk;

static void walk_add(Walk *w, uint32_t from, uint32_t count, PieceKind kind)
{
    size_t n = w->pieces->used / sizeof(Piece);
    uint32_t to = w->to;
    w->to += count;
    if (n > w->begin) {
        Piece *last = (Piece *)(void *)w->pieces->bytes + n - 1;
        if (last->kind == kind && last->from + last->count == from) {
            last->count += count;
            return;
        }
    }
    const Piece own = {to, from, count, kind};
    w->failed = w->failed || !vector_append(w->pieces, &own, sizeof own);
}

/* Copies from `k` on that are all like the first of them, because none of them
   bears a mark; one, if it does. */
static uint32_t run_of(const CosyCopies *own, uint32_t k, uint32_t end)
{
    if (k >= own->low && k < own->high)
        return 1;
    return (k < own->low && own->low < end ? own->low : end) - k;
}

/* The next copy from `k` on that does not leave, and sleeps, or does not. */
static uint32_t next_kept(const Walk *w, uint32_t k, uint32_t end, bool asleep)
{
    const CosyCopies *own = &w->c->copy[w->process];
    for (; k < end; k += run_of(own, k, end)) {
        const CosyCopy *copy = cosy_copy(w->c, w->process, k);
        if (!copy->leaving && (copy->sleeping != 0) == asleep)
            break;
    }
    return k;
}

/* Adds some from `k` on, up to where the next mark may be; only one if those of
   another list have to come between them. Returns the place after them. */
static uint32_t walk_some(Walk *w, uint32_t k, uint32_t end, bool alone,
                          PieceKind kind)
{
    uint32_t n = alone ? run_of(&w->c->copy[w->process], k, end) : 1;
    walk_add(w, k, n, kind);
    return k + n;
}

/* Those that sleep, or do not, in order of their numbers: some that were in x,
   from position `a` on, some that slept, and new ones. */
static void walk_over(Walk *w, uint32_t a, bool asleep)
{
    const CosyCopies *k = &w->c->copy[w->process];
    uint32_t p = w->process, b = k->active;
    PieceKind own = asleep ? PIECE_OUT : PIECE_STAYS;
    PieceKind other = asleep ? PIECE_OUT : PIECE_ENTERS;
    for (;;) {
        a = next_kept(w, a, k->active, asleep);
        b = next_kept(w, b, k->settled, asleep);
        if (a == k->active && b == k->settled)
            break;
        if (b == k->settled ||
            (a < k->active &&
             cosy_copy(w->c, p, a)->number < cosy_copy(w->c, p, b)->number))
            a = walk_some(w, a, k->active, b == k->settled, own);
        else
            b = walk_some(w, b, k->settled, a == k->active, other);
    }
    for (b = next_kept(w, b, k->count, asleep); b < k->count;
         b = next_kept(w, b, k->count, asleep))
        b = walk_some(w, b, k->count, true, other);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The first position in x that changes: one leaves, falls asleep, or makes way
   for one that wakes up. *any: something changes, perhaps only among those that
   sleep. */
static uint32_t first_change(const Cosy *c, uint32_t p, bool *any)
{
    const CosyCopies *k = &c->copy[p];
    uint32_t first = k->active;
    for (uint32_t a = k->low; a < least(k->high, first); a++) {
        const CosyCopy *copy = cosy_copy(c, p, a);
        if (copy->leaving || copy->sleeping)
            first = a;
    }
    *any = first < k->active || k->count > k->settled;
    for (uint32_t b = most(k->low, k->active); b < least(k->high, k->settled);
         b++) {
        const CosyCopy *copy = cosy_copy(c, p, b);
        *any = *any || copy->leaving || !copy->sleeping;
        while (!copy->leaving && !copy->sleeping && first > 0 &&
               cosy_copy(c, p, first - 1)->number > copy->number)
            first--;
    }
    return first;
}

static bool plan_process(Instance *i, uint32_t p)
{
    CopyPlan *plan = &i->plans[p];
    const CosyCopies *k = &i->c.copy[p];
    size_t begin = i->pieces.used / sizeof(Piece);
    uint32_t change = first_change(&i->c, p, &plan->any);
    Walk w = {&i->c, p, &i->pieces, begin, change, false};
    plan->change = change;
    plan->active = k->active;
    plan->settled = k->settled;
    plan->first = plan->last = begin;
    if (!plan->any)
        return true;
    walk_over(&w, change, false);
    plan->active = w.to;
    walk_over(&w, change, true);
    plan->settled = w.to;
    plan->last = i->pieces.used / sizeof(Piece);
    return !w.failed;
}

/* Adds to a layout what it has of a process: its blocks, of so many items each,
   began at `first`. */
static bool layout_add(Instance *i, Moves *m, const CopyPlan *plan,
                       uint32_t first, uint32_t unit)
{
    uint32_t begin = m->total;
    const Piece *k = (const Piece *)(const void *)i->pieces.bytes;
    bool still = m->list.used == 0 && begin == first;
    bool done = still ? moves_skip(m, plan->change * unit)
                      : moves_add(m, first, plan->change * unit);
    for (size_t n = plan->first; n < plan->last && done; n++)
        if (k[n].kind != PIECE_OUT)
            done = moves_add(m,
                             k[n].kind == PIECE_STAYS ? first + k[n].from * unit
                                                      : COSY_NONE,
                             k[n].count * unit);
    return done;
}

/* Finds what moves in all layouts, and says in c->copy where blocks begin. */
static bool layouts_make(Instance *i)
{
    const CosyModel *m = i->c.model;
    Moves *states = &i->moves[LAYOUT_STATES];
    Moves *branches = &i->moves[LAYOUT_BRANCHES];
    Moves *delays = &i->moves[LAYOUT_DELAYS];
    bool done = true;
    moves_begin(states, m->states);
    moves_begin(branches, m->branches);
    moves_begin(delays, fixed_delays(m));
    for (uint32_t p = 0; p < m->n_copies && done; p++) {
        const CosyCopyInfo *info = &m->copies[p];
        const CopyPlan *plan = &i->plans[p];
        const CosyCopies old = i->c.copy[p];
        CosyCopies *k = &i->c.copy[p];
        k->first = states->total;
        k->branch = branches->total;
        k->delay = delays->total;
        done = layout_add(i, states, plan, old.first, info->states) &&
               layout_add(i, branches, plan, old.branch, info->branches) &&
               layout_add(i, delays, plan, old.delay, info->delays);
    }
    return done;
}

static real *bed_of(const Cosy *c, uint32_t p, uint32_t position)
{
    unsigned char *copy = (unsigned char *)cosy_copy(c, p, position);
    return (real *)(void *)(copy + c->model->copies[p].bed);
}

/* Those that fall asleep take their states along. */
static void to_beds(const Cosy *c, uint32_t p, uint32_t change)
{
    uint32_t n = c->model->copies[p].states;
    const CosyCopies *k = &c->copy[p];
    for (uint32_t a = most(change, k->low); a < least(k->high, k->active); a++)
        if (cosy_copy(c, p, a)->sleeping)
            memcpy(bed_of(c, p, a), c->x + k->first + (size_t)a * n,
                   n * sizeof(real));
}

/* Those that are new or wake up bring theirs; blocks begin where they do now,
   and attributes are still where they were. */
static void from_beds(Instance *i, uint32_t p)
{
    const Cosy *c = &i->c;
    uint32_t n = c->model->copies[p].states;
    const CopyPlan *plan = &i->plans[p];
    const Piece *k = (const Piece *)(const void *)i->pieces.bytes;
    const Piece *end = k + plan->last;
    for (k += plan->first; k < end; k++)
        for (uint32_t a = 0; k->kind == PIECE_ENTERS && a < k->count; a++)
            memcpy(c->x + c->copy[p].first + (size_t)(k->to + a) * n,
                   bed_of(c, p, k->from + a), n * sizeof(real));
}

/* Where the first copy may be whose algebraic values are not known yet. */
static void note_fresh(Instance *i, uint32_t p)
{
    const CopyPlan *plan = &i->plans[p];
    const Piece *piece = (const Piece *)(const void *)i->pieces.bytes;
    if (i->fresh[p] != COSY_NONE)
        i->fresh[p] = least(i->fresh[p], plan->change);
    for (size_t n = plan->first; n < plan->last; n++)
        if (piece[n].kind == PIECE_ENTERS) {
            i->fresh[p] = least(i->fresh[p], piece[n].to);
            return;
        }
}

/* Attributes of those that have left are overwritten, those of all others get
   their places. */
static bool attributes_move(Instance *i, uint32_t p)
{
    Cosy *c = &i->c;
    CosyCopies *k = &c->copy[p];
    const CopyPlan *plan = &i->plans[p];
    const Piece *piece = (const Piece *)(const void *)i->pieces.bytes;
    Moves *m = &i->moves[LAYOUT_ATTRIBUTES];
    bool done = true;
    count_until(k, c->head->t);
    for (uint32_t a = k->low; a < k->high; a++)
        if (cosy_copy(c, p, a)->leaving)
            count_stay(c, k, cosy_copy(c, p, a));
    moves_begin(m, plan->change);
    for (size_t n = plan->first; n < plan->last && done; n++)
        done = moves_add(m, piece[n].from, piece[n].count);
    done = done && moves_apply(m, &i->attributes[p], c->model->copies[p].size,
                               &i->moving);
    c->attributes[p] = i->attributes[p].bytes;
    k->active = plan->active;
    k->settled = k->count = plan->settled;
    note_fresh(i, p);
    return done && work_fit(i, p);
}

static bool relay(Instance *i)
{
    Cosy *c = &i->c;
    uint32_t n = c->model->n_copies;
    for (uint32_t p = 0; p < n; p++)
        if (i->plans[p].any)
            to_beds(c, p, i->plans[p].change);
    if (!layouts_make(i) ||
        !moves_apply(&i->moves[LAYOUT_STATES], &i->segment[SEGMENT_X],
                     sizeof(real), &i->moving) ||
        !moves_apply(&i->moves[LAYOUT_BRANCHES], &i->segment[SEGMENT_BRANCH],
                     sizeof(int32_t), &i->moving))
        return false;
    c->x = (real *)(void *)i->segment[SEGMENT_X].bytes;
    c->branch = (int32_t *)(void *)i->segment[SEGMENT_BRANCH].bytes;
    c->head->states = i->moves[LAYOUT_STATES].total;
    if (!rates_fit(i))
        return false;
    for (uint32_t p = 0; p < n; p++)
        if (i->plans[p].any) {
            from_beds(i, p);
            if (!attributes_move(i, p))
                return false;
        }
    return true;
}

#ifdef COSY_CHECKED
/* No copy bears a mark outside of where the marks are said to be. */
static bool marks_are_within(const Cosy *c, uint32_t p)
{
    const CosyCopies *k = &c->copy[p];
    for (uint32_t a = 0; a < k->count; a++) {
        const CosyCopy *copy = cosy_copy(c, p, a);
        bool asleep = a >= k->active && a < k->settled;
        if ((a < k->low || a >= k->high) &&
            (copy->leaving || copy->ended || (copy->sleeping != 0) != asleep))
            return false;
    }
    return k->low <= k->high && k->high <= k->count;
}
#endif

CosyStatus copies_settle(Instance *i, bool *changed)
{
    const CosyModel *m = i->c.model;
    *changed = false;
    if (m->n_copies == 0)
        return COSY_OK;
    COSY_TRY(carry_out_terminals(&i->c));
    i->pieces.used = 0;
    for (uint32_t p = 0; p < m->n_copies; p++) {
        COSY_ASSERT(marks_are_within(&i->c, p));
        if (!plan_process(i, p))
            return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
        *changed = *changed || i->plans[p].any;
    }
    if (*changed) {
        i->c.head->structure++;
        if (!relay(i))
            return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    }
    for (uint32_t p = 0; p < m->n_copies; p++)
        i->c.copy[p].low = i->c.copy[p].high = 0;
    return COSY_OK;
}

void copies_computed(Instance *i)
{
    Cosy *c = &i->c;
    for (uint32_t p = 0; p < c->model->n_copies; p++) {
        for (uint32_t a = i->fresh[p]; a < c->copy[p].active; a++)
            cosy_copy(c, p, a)->fresh = 0;
        i->fresh[p] = COSY_NONE;
    }
}

uint32_t copies_moved(const Instance *i, uint32_t process, uint32_t position)
{
    const CopyPlan *plan = &i->plans[process];
    const Piece *k = (const Piece *)(const void *)i->pieces.bytes;
    if (position < plan->change)
        return position;
    for (size_t n = plan->first; n < plan->last; n++)
        if (k[n].kind == PIECE_STAYS && position >= k[n].from &&
            position - k[n].from < k[n].count)
            return k[n].to + (position - k[n].from);
    return COSY_NONE;
}
