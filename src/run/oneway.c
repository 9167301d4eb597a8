#include "run/oneway.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cosy/unit.h"
#include "solve/branch.h"

typedef struct Mark {
    uint64_t number; // number of the copy
    uint32_t id;
    int32_t side;  // sign of z when it last was clearly not zero; 0: never yet
    int32_t began; // the first such sign
    uint64_t own, other;
    real seen;         // the last time at which it had that sign
    real after, first; // the first crossing in the other direction lies between
    uint64_t turn;     // how many marks had one before
} Mark;

/* What one condition did, over all its copies and all runs. */
typedef struct Sum {
    uint64_t own, other;
    real after, first;
    uint64_t turn;          // the least among the copies of a run
    uint32_t run;           // the run of these times; 0: there is only one run
    uint32_t copies, ahead; // ahead: on the far side from start to end
    uint32_t spare;
} Sum;

#define SWEEP 64 // marks from which on it is worth while

static bool is_oneway(const CosyConditionInfo *k)
{
    return k->kind == COSY_CONDIT && k->direction != 0;
}

Status oneway_create(Oneway *o, const CosyModel *m, Arena *a, Image *image)
{
    for (uint32_t k = 0; k < m->n_conditions_info; k++)
        o->any = o->any || is_oneway(&m->conditions_info[k]);
    if (!o->any)
        return STATUS_OK;
    TRY(image_add(image, a, "oneway", &o->state, sizeof o->state));
    TRY(image_add_vector(image, a, "oneway.gone", &o->gone));
    return image_add_vector(image, a, "oneway.marks", &o->marks);
}

void oneway_free(Oneway *o)
{
    vector_free(&o->marks);
    vector_free(&o->gone);
    vector_free(&o->slots);
}

static size_t hash_of(uint32_t id, uint64_t number, size_t slots)
{
    uint64_t h = (number * UINT64_C(0x9e3779b97f4a7c15)) ^
                 (id * UINT64_C(0xc2b2ae3d27d4eb4f));
    assert((slots & (slots - 1)) == 0);
    return (size_t)(h >> 20) & (slots - 1);
}

/* The slot of a mark, or the free one where it belongs. */
static uint32_t *slot_of(const Oneway *o, uint32_t id, uint64_t number)
{
    const Mark *list = (const Mark *)(const void *)o->marks.bytes;
    uint32_t *slot = (uint32_t *)(void *)o->slots.bytes;
    size_t n = o->slots.used / sizeof *slot, k = hash_of(id, number, n);
    while (slot[k] &&
           (list[slot[k] - 1].id != id || list[slot[k] - 1].number != number))
        k = (k + 1) & (n - 1);
    return &slot[k];
}

/* Puts all marks into slots, half of which stay free. Also called after an
   image has been loaded. */
static bool find_slots(Oneway *o)
{
    const Mark *list = (const Mark *)(const void *)o->marks.bytes;
    size_t marks = o->marks.used / sizeof *list, n = 64;
    while (n < 4 * marks)
        n *= 2;
    o->slots.used = 0;
    if (!vector_append(&o->slots, NULL, n * sizeof(uint32_t)))
        return false;
    memset(o->slots.bytes, 0, n * sizeof(uint32_t));
    for (size_t k = 0; k < marks; k++)
        *slot_of(o, list[k].id, list[k].number) = (uint32_t)k + 1;
    o->found = marks;
    return true;
}

/* The mark of a condition; `hint` is where it is if conditions come in the order of
   marks, and becomes where the next one would be. */
static Mark *mark_of(Oneway *o, const Watched *e, size_t *hint)
{
    Mark *list = (Mark *)(void *)o->marks.bytes, one;
    size_t marks = o->marks.used / sizeof(Mark);
    if (*hint < marks && list[*hint].id == e->id &&
        list[*hint].number == e->number)
        return &list[(*hint)++];
    if ((o->found != marks ||
         2 * (marks + 1) * sizeof(uint32_t) > o->slots.used) &&
        !find_slots(o))
        return NULL;
    uint32_t *slot = slot_of(o, e->id, e->number);
    if (*slot == 0) {
        memset(&one, 0, sizeof one); // padding too
        one.id = e->id;
        one.number = e->number;
        if (!vector_append(&o->marks, &one, sizeof one))
            return NULL;
        *slot = (uint32_t)++o->found;
    }
    *hint = *slot;
    return (Mark *)(void *)o->marks.bytes + *slot - 1;
}

static void follow(Oneway *o, Mark *m, const Watched *e, int direction, real t,
                   real limit)
{
    int side = e->z > limit ? 1 : e->z < -limit ? -1 : 0;
    if (e->fired || e->stand == STAND_TAKEN)
        m->own++;
    if (side == 0)
        return;
    if (m->side == direction && side == -direction && m->other++ == 0) {
        m->after = m->seen;
        m->first = t;
        m->turn = o->state.turns++;
    }
    if (m->began == 0)
        m->began = side;
    m->side = side;
    m->seen = t;
}

/* It was past its threshold from the start, and stayed there: nothing crosses. */
static bool is_ahead(const Mark *m, int direction)
{
    assert(direction == 1 || direction == -1);
    return m->began == direction && m->side == direction && m->own == 0 &&
           m->other == 0;
}

/* ---- Sums ---------------------------------------------------------------------- */

static Sum *sums_of(const Vector *sums)
{
    return (Sum *)(void *)sums->bytes;
}

static bool make_sums(Vector *sums, size_t bytes)
{
    if (sums->used)
        return true;
    if (!vector_append(sums, NULL, bytes))
        return false;
    memset(sums->bytes, 0, bytes);
    return true;
}

static void take_times(Sum *to, const Sum *from)
{
    to->after = from->after;
    to->first = from->first;
    to->turn = from->turn;
    to->run = from->run;
}

static void add_counts(Sum *to, const Sum *more)
{
    to->own += more->own;
    to->other += more->other;
    to->copies += more->copies;
    to->ahead += more->ahead;
}

/* Adds another copy of the same run. */
static void add_mark(Sum *to, const Mark *m, int direction)
{
    const Sum one = {.own = m->own,
                     .other = m->other,
                     .after = m->after,
                     .first = m->first,
                     .turn = m->turn,
                     .copies = 1,
                     .ahead = is_ahead(m, direction)};
    if (one.other && (to->other == 0 || one.turn < to->turn))
        take_times(to, &one);
    add_counts(to, &one);
}

/* Adds a later run. */
static void add(Sum *to, const Sum *more)
{
    if (to->other == 0)
        take_times(to, more);
    add_counts(to, more);
}

/* ---- While the run goes on ------------------------------------------------------- */

static bool is_gone(const Watch *w, const Mark *m)
{
    uint32_t p = condition_process(&w->model->conditions_info[m->id]);
    return p != COSY_NONE &&
           cosy_copy_find(w->c, p, COSY_DETAIL_NUMBER(m->number)) == COSY_NONE;
}

/* Numbers are not used again: what is known about copies that are gone is added
   up. */
static bool sweep(Oneway *o, const Watch *w)
{
    const CosyModel *m = w->model;
    Mark *list = (Mark *)(void *)o->marks.bytes;
    size_t marks = o->marks.used / sizeof *list, kept = 0;
    if (!make_sums(&o->gone, m->n_conditions_info * sizeof(Sum)))
        return false;
    for (size_t k = 0; k < marks; k++) {
        if (is_gone(w, &list[k]))
            add_mark(&sums_of(&o->gone)[list[k].id], &list[k],
                     m->conditions_info[list[k].id].direction);
        else
            list[kept++] = list[k];
    }
    o->marks.used = kept * sizeof *list;
    o->state.kept = kept;
    o->slots.used = 0; // they are found anew
    return true;
}

Status oneway_look(Oneway *o, const Watch *w, real t, real relerr)
{
    const Watched *list = (const Watched *)(void *)w->list.bytes;
    size_t hint = 0;
    if (!o->any)
        return STATUS_OK;
    if (w->model->n_copies &&
        o->marks.used / sizeof(Mark) >= 2 * o->state.kept + SWEEP &&
        !sweep(o, w))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < w->count; k++) {
        const CosyConditionInfo *info = &w->model->conditions_info[list[k].id];
        if (!is_oneway(info))
            continue;
        Mark *m = mark_of(o, &list[k], &hint);
        if (!m)
            return STATUS_MEMORY;
        follow(o, m, &list[k], info->direction, t, relerr * list[k].size);
    }
    return STATUS_OK;
}

/* ---- The runs of a SIMULATE ---------------------------------------------------- */

bool oneway_gather(Vector *sums, const Oneway *o, const CosyModel *m,
                   uint32_t run)
{
    const Mark *mark = (const Mark *)(void *)o->marks.bytes;
    size_t n = o->marks.used / sizeof *mark;
    Vector here = {0};
    if (n == 0 && o->gone.used == 0)
        return true;
    bool done = o->gone.used
                    ? vector_append(&here, o->gone.bytes, o->gone.used)
                    : make_sums(&here, m->n_conditions_info * sizeof(Sum));
    for (size_t k = 0; k < n && done; k++) {
        assert(mark[k].id < m->n_conditions_info);
        add_mark(&sums_of(&here)[mark[k].id], &mark[k],
                 m->conditions_info[mark[k].id].direction);
    }
    for (size_t k = 0; k < m->n_conditions_info && done; k++)
        sums_of(&here)[k].run = run;
    done = done && oneway_add(sums, &here);
    vector_free(&here);
    return done;
}

bool oneway_add(Vector *sums, const Vector *later)
{
    if (later->used == 0)
        return true;
    if (!make_sums(sums, later->used))
        return false;
    assert(sums->used == later->used);
    for (size_t k = 0; k < later->used / sizeof(Sum); k++)
        add(&sums_of(sums)[k], &sums_of(later)[k]);
    return true;
}

/* "between TIME = 0.35 and 1 s of run 1, and 1 more time" */
static void say_when(Buffer *b, const Sum *s, const CosyModel *m)
{
    char after[32], first[32];
    snprintf(after, sizeof after, "%.4g", (double)s->after);
    snprintf(first, sizeof first, "%.4g", (double)s->first);
    if (strcmp(after, first) == 0)
        buffer_format(b, "at TIME = %s%s%s", first, COSY_IN_TIME(m));
    else
        buffer_format(b, "between TIME = %s and %s%s%s", after, first,
                      COSY_IN_TIME(m));
    if (s->run > 0)
        buffer_format(b, " of run %u", s->run);
    if (s->other > 1)
        buffer_format(b, " and %llu more time%s",
                      (unsigned long long)(s->other - 1),
                      s->other == 2 ? "" : "s");
}

static void say_other(Buffer *b, const Sum *s, const CosyConditionInfo *info,
                      const CosyModel *m)
{
    bool pos = info->direction > 0;
    buffer_format(b,
                  "%s never happened: its condition says %s and was crossed ",
                  info->name, pos ? "POS" : "NEG");
    say_when(b, s, m);
    buffer_format(b,
                  ", but %s: write %s for that direction, or nothing for both",
                  pos ? "falling" : "rising", pos ? "NEG" : "POS");
}

static void say_ahead(Buffer *b, const CosyConditionInfo *info)
{
    buffer_format(b,
                  "%s never happened: what it watches is %s its threshold from "
                  "start to end, and an event needs a crossing; INITIAL can do "
                  "what the event would have done",
                  info->name, info->direction > 0 ? "above" : "below");
}

void oneway_tell(const Vector *sums, const CosyModel *m, Outlet *out)
{
    const Sum *s = sums_of(sums);
    for (size_t k = 0; k < sums->used / sizeof *s; k++) {
        const CosyConditionInfo *info = &m->conditions_info[k];
        Buffer b = {0};
        if (s[k].own > 0 ||
            (s[k].other == 0 && (s[k].ahead == 0 || s[k].ahead < s[k].copies)))
            continue;
        assert(is_oneway(info));
        if (s[k].other > 0)
            say_other(&b, &s[k], info, m);
        else
            say_ahead(&b, info);
        outlet_message(out, COSY_NOTE, info->line, buffer_string(&b));
        buffer_free(&b);
    }
}
