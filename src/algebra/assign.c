#include "algebra/assign.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/isolate.h"

#define PAIRS_MOST  100000000u // most candidates of all equations
#define RIVALS_MOST 32
#define DEPTH_MOST  40 // displacements of several equations inside each other

/* ---- Candidates -------------------------------------------------------------------------- */

/* How gladly an equation is solved for an occurrence: 0 first. */
static uint32_t rank_of(Model *m, const Portion *p, const Occurrence *o)
{
    if (o->what == p->left)
        return 0;
    if (o->what == p->right)
        return 1;
    if (o->n_series)
        return 3;
    return isolate_is_safe(m, p->left, p->right, o->what) ? 2 : 3;
}

static int by_rank(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Occurrences of a portion in order of preference: occurrence | rank << 32. */
static uint64_t *ranks_of(Assignment *a, uint32_t portion)
{
    uint32_t n = elements_occurrences(&a->e, portion);
    uint64_t *rank = NEW_ARRAY(&a->e.arena, uint64_t, n + 1);
    const Portion *p = system_portion(a->e.s, portion);
    for (uint32_t k = 0; rank && k < n; k++)
        rank[k] = (uint64_t)rank_of(a->e.m, p, &a->e.occurrence[portion][k])
                      << 32 |
                  k;
    if (rank)
        qsort(rank, n, sizeof *rank, by_rank);
    return rank;
}

static bool had(const Vector *pairs, size_t from, uint32_t unknown)
{
    const ElementRead *r = (const ElementRead *)(const void *)pairs->bytes;
    for (size_t k = from; k < pairs->used / sizeof *r; k++)
        if (r[k].unknown == unknown)
            return true;
    return false;
}

/* The candidates of one element, once each, in order of preference. */
static void add_element(Assignment *a, const uint64_t *rank, uint32_t n,
                        const Vector *reads, Vector *pairs)
{
    const ElementRead *r = (const ElementRead *)(const void *)reads->bytes;
    size_t count = reads->used / sizeof *r;
    size_t from = pairs->used / sizeof *r;
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; i < count; i++)
            if (r[i].occurrence == (uint32_t)rank[k] &&
                (count > 200 || !had(pairs, from, r[i].unknown)) &&
                !vector_append(pairs, &r[i], sizeof *r))
                a->broken = true;
}

static bool add_portion(Assignment *a, uint32_t portion, Vector *pairs)
{
    Vector reads = {0};
    uint32_t first = a->e.first_equation[portion];
    uint32_t end = a->e.first_equation[portion + 1];
    uint32_t n = elements_occurrences(&a->e, portion);
    const uint64_t *rank = ranks_of(a, portion);
    for (uint32_t k = first; rank && k < end && !a->broken; k++) {
        reads.used = 0;
        a->first[k] = (uint32_t)(pairs->used / sizeof(ElementRead));
        if (!elements_reads(&a->e, portion, k - first, false, &reads) ||
            a->first[k] > PAIRS_MOST)
            a->broken = true;
        else
            add_element(a, rank, n, &reads, pairs);
    }
    vector_free(&reads);
    return rank && !a->broken;
}

static bool find_candidates(Assignment *a)
{
    Vector pairs = {0};
    bool right = true;
    for (uint32_t k = 0; k < a->e.portions && right; k++)
        right = add_portion(a, k, &pairs);
    if (right) {
        a->first[a->equations] = (uint32_t)(pairs.used / sizeof(ElementRead));
        a->pair = arena_alloc(&a->e.arena, pairs.used + sizeof *a->pair,
                              _Alignof(ElementRead));
        if (a->pair && pairs.used)
            memcpy(a->pair, pairs.bytes, pairs.used);
    }
    vector_free(&pairs);
    return right && a->pair;
}

/* ---- Rivals --------------------------------------------------------------------------------- */

/* A Select inside loops stands for one choice for each of their values. */
static bool same_choice(const Assignment *a, const Select *s, uint32_t one,
                        uint32_t other)
{
    int64_t x[LOOPS_MOST] = {0}, y[LOOPS_MOST] = {0};
    uint32_t p = elements_portion(&a->e, one);
    uint32_t q = elements_portion(&a->e, other);
    elements_values(&a->e, p, one - a->e.first_equation[p], x);
    elements_values(&a->e, q, other - a->e.first_equation[q], y);
    return memcmp(x, y, s->n_loops * sizeof x[0]) == 0;
}

bool assignment_excludes(const Assignment *a, uint32_t one, uint32_t other)
{
    const Guard *g =
        system_portion(a->e.s, elements_portion(&a->e, one))->guard;
    const Guard *h =
        system_portion(a->e.s, elements_portion(&a->e, other))->guard;
    if (!g || !h)
        return false;
    for (; g; g = g->select->around)
        for (const Guard *k = h; k; k = k->select->around)
            if (k->select->number == g->select->number &&
                k->branch != g->branch && same_choice(a, g->select, one, other))
                return true;
    return false;
}

/* Equations that have the unknown and may be active together with this one. */
static uint32_t rivals_of(const Assignment *a, uint32_t equation,
                          uint32_t unknown, uint32_t *list)
{
    uint32_t n = 0;
    for (uint32_t k = a->head[unknown]; k != NONE; k = a->next[k])
        if (k != equation && !assignment_excludes(a, equation, k)) {
            if (n == RIVALS_MOST)
                return n + 1;
            list[n++] = k;
        }
    return n;
}

static bool is_free(const Assignment *a, uint32_t equation, uint32_t unknown)
{
    uint32_t rivals[RIVALS_MOST];
    return a->head[unknown] == NONE ||
           rivals_of(a, equation, unknown, rivals) == 0;
}

static void give(Assignment *a, uint32_t equation, uint32_t pair)
{
    uint32_t unknown = a->pair[pair].unknown;
    assert(a->chosen[equation] == NONE);
    a->chosen[equation] = pair;
    a->next[equation] = a->head[unknown];
    a->head[unknown] = equation;
}

void assign_take(Assignment *a, uint32_t equation)
{
    uint32_t *link = &a->head[a->pair[a->chosen[equation]].unknown];
    while (*link != equation) {
        assert(*link != NONE); // it is in the list of its unknown
        link = &a->next[*link];
    }
    *link = a->next[equation];
    a->chosen[equation] = NONE;
}

/* ---- Augmenting ------------------------------------------------------------------------------ */

typedef struct Frame { // an equation that looks for another unknown
    uint32_t equation, pair;
} Frame;

typedef struct Search {
    Assignment *a;
    uint32_t stamp;
    unsigned depth;
} Search;

static bool augment(Search *s, uint32_t equation);

/* An unknown that this search has met is not free: the one that the equation
   gives up is among them. */
static bool take_free(const Search *s, uint32_t equation)
{
    Assignment *a = s->a;
    for (uint32_t k = a->first[equation]; k < a->first[equation + 1]; k++)
        if (s->a->seen[a->pair[k].unknown] != s->stamp &&
            is_free(a, equation, a->pair[k].unknown)) {
            give(a, equation, k);
            return true;
        }
    return false;
}

/* All of several equations must find another unknown. */
static bool displace(Search *s, uint32_t equation, uint32_t pair,
                     const uint32_t *rival, uint32_t n)
{
    Assignment *a = s->a;
    uint32_t had[RIVALS_MOST];
    if (n > RIVALS_MOST || s->depth == DEPTH_MOST)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        had[k] = a->chosen[rival[k]];
        assign_take(a, rival[k]);
    }
    give(a, equation, pair);
    bool all = true;
    s->depth++;
    for (uint32_t k = 0; k < n && all; k++)
        all = augment(s, rival[k]);
    s->depth--;
    if (all)
        return true;
    assign_take(a, equation);
    for (uint32_t k = 0; k < n; k++) {
        if (a->chosen[rival[k]] != NONE)
            assign_take(a, rival[k]);
        give(a, rival[k], had[k]);
    }
    return false;
}

/* Hands the unknowns along the path, from its end to its beginning. */
static void shift(Assignment *a, const Frame *path, size_t n)
{
    while (n-- > 0) {
        if (a->chosen[path[n].equation] != NONE)
            assign_take(a, path[n].equation);
        give(a, path[n].equation, path[n].pair);
    }
}

/* One step of the search from the equation at the end of the path: 1 found, 0
   the path is longer now, -1 there is nothing to try. */
static int extend(Search *s, Vector *path)
{
    Assignment *a = s->a;
    Frame *end = (Frame *)(void *)(path->bytes + path->used) - 1;
    for (; end->pair < a->first[end->equation + 1]; end->pair++) {
        uint32_t unknown = a->pair[end->pair].unknown, rival[RIVALS_MOST];
        if (s->a->seen[unknown] == s->stamp)
            continue;
        s->a->seen[unknown] = s->stamp;
        uint32_t n = rivals_of(a, end->equation, unknown, rival);
        assert(n > 0); // otherwise take_free had found it
        if (n == 1) {
            Frame next = {rival[0], a->first[rival[0]]};
            if (vector_append(path, &next, sizeof next))
                return 0;
            a->broken = true;
            return -1;
        }
        uint32_t mine = a->chosen[end->equation];
        if (mine != NONE)
            assign_take(a, end->equation);
        if (displace(s, end->equation, end->pair, rival, n))
            return 1;
        if (mine != NONE)
            give(a, end->equation, mine);
    }
    return -1;
}

/* Looks along single displacements without recursion: chains are long. */
static bool augment(Search *s, uint32_t equation)
{
    Assignment *a = s->a;
    Vector path = {0};
    Frame begin = {equation, a->first[equation]};
    bool found = take_free(s, equation);
    if (!found && !vector_append(&path, &begin, sizeof begin))
        a->broken = true;
    while (!found && path.used && !a->broken) {
        int how = extend(s, &path);
        Frame *frame = (Frame *)(void *)path.bytes;
        size_t n = path.used / sizeof *frame;
        if (how == 1) { // the last one has its new unknown already
            shift(a, frame, n - 1);
            found = true;
        } else if (how < 0) {
            path.used -= sizeof *frame;
            if (n > 1)
                frame[n - 2].pair++;
        } else {
            uint32_t last = frame[n - 1].equation, mine = a->chosen[last];
            assign_take(a, last);
            if (take_free(s, last)) {
                shift(a, frame, n - 1);
                found = true;
            } else {
                give(a, last, mine);
            }
        }
    }
    vector_free(&path);
    return found;
}

/* ---- Without a choice ------------------------------------------------------------------------- */

bool assignment_readers(Assignment *a, UnknownReaders *r)
{
    uint32_t pairs = a->first[a->equations];
    r->first = NEW_ARRAY(&a->e.arena, uint32_t, a->e.unknowns + 3);
    r->equation = NEW_ARRAY(&a->e.arena, uint32_t, pairs + 1);
    if (!r->first || !r->equation)
        return false;
    for (uint32_t k = 0; k < pairs; k++)
        r->first[a->pair[k].unknown + 2]++;
    for (uint32_t k = 2; k < a->e.unknowns + 2; k++)
        r->first[k] += r->first[k - 1];
    for (uint32_t k = 0; k < a->equations; k++)
        for (uint32_t i = a->first[k]; i < a->first[k + 1]; i++)
            r->equation[r->first[a->pair[i].unknown + 1]++] = k;
    return true;
}

/* The only candidate that is free, or NONE. */
static uint32_t only_candidate(const Assignment *a, uint32_t equation)
{
    uint32_t only = NONE;
    for (uint32_t k = a->first[equation]; k < a->first[equation + 1]; k++) {
        if (!is_free(a, equation, a->pair[k].unknown))
            continue;
        if (only != NONE && a->pair[only].unknown != a->pair[k].unknown)
            return NONE;
        only = only == NONE ? k : only;
    }
    return only;
}

/* Equations with one candidate left take it, which may leave others with one: a
   chain of equations is followed to its end. */
static void assign_forced(Assignment *a)
{
    UnknownReaders r;
    Vector open = {0}; // uint32_t: equations to examine
    bool right = assignment_readers(a, &r);
    for (uint32_t k = a->equations; k-- > 0 && right;)
        if (a->chosen[k] == NONE)
            right = vector_append(&open, &k, sizeof k);
    while (open.used && right) {
        uint32_t k;
        open.used -= sizeof k;
        memcpy(&k, open.bytes + open.used, sizeof k);
        uint32_t only = a->chosen[k] == NONE ? only_candidate(a, k) : NONE;
        if (only == NONE)
            continue;
        give(a, k, only);
        uint32_t u = a->pair[only].unknown;
        for (uint32_t i = r.first[u]; i < r.first[u + 1] && right; i++)
            if (a->chosen[r.equation[i]] == NONE)
                right = vector_append(&open, &r.equation[i], sizeof k);
    }
    a->broken = a->broken || !right;
    vector_free(&open);
}

/* ---- In the order of computing ------------------------------------------------------------------ */

/* How the equation gives its only candidate: 0 it stands alone, 1 it can be solved
   for without doubt, 2 otherwise. */
static unsigned level_of(const Assignment *a, uint32_t equation, uint32_t pair)
{
    uint32_t portion = elements_portion(&a->e, equation);
    const Portion *p = system_portion(a->e.s, portion);
    const Occurrence *o = &a->e.occurrence[portion][a->pair[pair].occurrence];
    unsigned rank = rank_of(a->e.m, p, o);
    return rank < 2 ? 0 : rank - 1;
}

static bool is_for_all_modes(const Assignment *a, uint32_t equation)
{
    return !system_portion(a->e.s, elements_portion(&a->e, equation))->guard;
}

typedef struct Queue { // of equations
    Vector list;
    size_t taken;
} Queue;

static bool queue_add(Queue *q, uint32_t equation)
{
    return vector_append(&q->list, &equation, sizeof equation);
}

static bool queue_take(Queue *q, uint32_t *equation)
{
    const uint32_t *list = (const uint32_t *)(const void *)q->list.bytes;
    if (q->taken == q->list.used / sizeof *list)
        return false;
    *equation = list[q->taken++];
    return true;
}

static bool take_next(Queue open[2], uint32_t *equation, unsigned *from)
{
    for (*from = 0; *from < 2; ++*from)
        if (queue_take(&open[*from], equation))
            return true;
    return false;
}

void assign_in_order(Assignment *a)
{
    UnknownReaders r;
    Queue open[2] = {0}; // those that stand alone, those to be solved
    bool right = assignment_readers(a, &r);
    for (uint32_t k = 0; k < a->equations && right; k++)
        if (a->chosen[k] == NONE && is_for_all_modes(a, k))
            right = queue_add(&open[0], k);
    uint32_t k;
    unsigned from;
    while (right && take_next(open, &k, &from)) {
        uint32_t only = a->chosen[k] == NONE ? only_candidate(a, k) : NONE;
        unsigned level = only == NONE ? 2 : level_of(a, k, only);
        if (level == 1 && from == 0)
            right = queue_add(&open[1], k);
        if (level > from)
            continue;
        give(a, k, only);
        uint32_t u = a->pair[only].unknown;
        for (uint32_t i = r.first[u]; i < r.first[u + 1] && right; i++)
            if (a->chosen[r.equation[i]] == NONE &&
                is_for_all_modes(a, r.equation[i]))
                right = queue_add(&open[0], r.equation[i]);
    }
    a->broken = a->broken || !right;
    vector_free(&open[0].list);
    vector_free(&open[1].list);
}

/* ---- The whole --------------------------------------------------------------------------------- */

void assign_plain(Assignment *a, uint32_t portion)
{
    const Portion *p = system_portion(a->e.s, portion);
    for (uint32_t k = a->e.first_equation[portion];
         k < a->e.first_equation[portion + 1]; k++)
        for (uint32_t i = a->first[k];
             i < a->first[k + 1] && a->chosen[k] == NONE; i++) {
            const Expr *what =
                a->e.occurrence[portion][a->pair[i].occurrence].what;
            if ((what == p->left || what == p->right) &&
                is_free(a, k, a->pair[i].unknown))
                give(a, k, i);
        }
}

bool assign_begin(Assignment *a, Model *m, System *s, bool merged)
{
    *a = (Assignment){.broken = true};
    if (!elements_begin(&a->e, m, s))
        return false;
    a->e.merged = merged;
    a->equations = a->e.first_equation[a->e.portions];
    a->first = NEW_ARRAY(&a->e.arena, uint32_t, a->equations + 2);
    a->chosen = NEW_ARRAY(&a->e.arena, uint32_t, a->equations + 1);
    a->next = NEW_ARRAY(&a->e.arena, uint32_t, a->equations + 1);
    a->head = NEW_ARRAY(&a->e.arena, uint32_t, a->e.unknowns + 1);
    a->seen = NEW_ARRAY(&a->e.arena, uint32_t, a->e.unknowns + 1);
    if (!a->first || !a->chosen || !a->next || !a->head || !a->seen)
        return false;
    a->broken = false;
    for (uint32_t k = 0; k < a->equations; k++)
        a->chosen[k] = a->next[k] = NONE;
    for (uint32_t k = 0; k < a->e.unknowns; k++)
        a->head[k] = NONE;
    a->broken = !find_candidates(a);
    return !a->broken;
}

bool assign_one(Assignment *a, uint32_t equation)
{
    Search search = {.a = a, .stamp = ++a->searches};
    return augment(&search, equation);
}

bool assign_elements(Assignment *a, Model *m, System *s, bool merged)
{
    bool all = assign_begin(a, m, s, merged);
    for (uint32_t k = 0; k < a->e.portions && !a->broken; k++)
        assign_plain(a, k);
    if (!a->broken)
        assign_forced(a);
    for (uint32_t k = 0; k < a->equations && !a->broken; k++)
        if (a->chosen[k] == NONE)
            all = assign_one(a, k) && all;
    return all && !a->broken;
}

bool assignment_of(Assignment *a, Model *m, System *s)
{
    if (!assign_begin(a, m, s, false))
        return false;
    for (uint32_t k = 0; k < a->e.portions; k++)
        for (uint32_t q = a->e.first_equation[k];
             q < a->e.first_equation[k + 1]; q++) {
            uint32_t unknown =
                elements_target(&a->e, k, q - a->e.first_equation[k]);
            for (uint32_t i = a->first[q]; i < a->first[q + 1]; i++)
                if (a->pair[i].unknown == unknown && a->chosen[q] == NONE)
                    give(a, q, i);
        }
    return true;
}

void assignment_free(Assignment *a)
{
    elements_free(&a->e);
}
