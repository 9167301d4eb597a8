#include "run/oneway.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct Mark {
    uint64_t number; // of the copy
    uint32_t id;
    int32_t side; // sign of z when it was last told from zero; 0: never yet
    uint64_t own, other;
    real first; // time of the first in the other direction
} Mark;

/* Of one condition, over all its copies and all runs. */
typedef struct Sum {
    uint64_t own, other;
    real first;
    uint32_t run; // to which `first` belongs
} Sum;

static bool is_oneway(const CosyConditionInfo *k)
{
    return k->kind == COSY_CONDIT && k->direction != 0;
}

Status oneway_create(Oneway *o, const CosyModel *m, Arena *a, Image *image)
{
    for (uint32_t k = 0; k < m->n_conditions_info; k++)
        o->any = o->any || is_oneway(&m->conditions_info[k]);
    return o->any ? image_add_vector(image, a, "oneway.marks", &o->marks)
                  : STATUS_OK;
}

void oneway_free(Oneway *o)
{
    vector_free(&o->marks);
}

/* The mark of a condition, searched from where the last one was found. */
static Mark *mark_of(Oneway *o, const Watched *e, size_t *hint)
{
    Mark *list = (Mark *)(void *)o->marks.bytes;
    size_t n = o->marks.used / sizeof *list;
    Mark one;
    for (size_t i = 0; i < n; i++) {
        size_t k = *hint + i < n ? *hint + i : *hint + i - n;
        if (list[k].id == e->id && list[k].number == e->number) {
            *hint = k + 1;
            return &list[k];
        }
    }
    memset(&one, 0, sizeof one); // padding too
    one.id = e->id;
    one.number = e->number;
    if (!vector_append(&o->marks, &one, sizeof one))
        return NULL;
    *hint = n + 1;
    return (Mark *)(void *)o->marks.bytes + n;
}

static void follow(Mark *m, const Watched *e, int direction, real t,
                   real relerr)
{
    int side = e->z > relerr * e->size ? 1 : e->z < -relerr * e->size ? -1 : 0;
    if (e->fired || e->stand == STAND_TAKEN)
        m->own++;
    if (side == 0)
        return;
    if (m->side == direction && side == -direction && m->other++ == 0)
        m->first = t;
    m->side = side;
}

Status oneway_look(Oneway *o, const Watch *w, real t, real relerr)
{
    const Watched *list = (const Watched *)(void *)w->list.bytes;
    size_t hint = 0;
    if (!o->any)
        return STATUS_OK;
    for (uint32_t k = 0; k < w->count; k++) {
        const CosyConditionInfo *info = &w->model->conditions_info[list[k].id];
        if (!is_oneway(info))
            continue;
        Mark *m = mark_of(o, &list[k], &hint);
        if (!m)
            return STATUS_MEMORY;
        follow(m, &list[k], info->direction, t, relerr);
    }
    return STATUS_OK;
}

/* ---- The runs of a SIMULATE ---------------------------------------------------- */

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

static void add(Sum *to, const Sum *more)
{
    if (to->other == 0) {
        to->first = more->first;
        to->run = more->run;
    }
    to->own += more->own;
    to->other += more->other;
}

bool oneway_gather(Vector *sums, const Oneway *o, const CosyModel *m,
                   uint32_t run)
{
    const Mark *mark = (const Mark *)(void *)o->marks.bytes;
    size_t n = o->marks.used / sizeof *mark;
    if (n == 0)
        return true;
    if (!make_sums(sums, m->n_conditions_info * sizeof(Sum)))
        return false;
    for (size_t k = 0; k < n; k++) {
        assert(mark[k].id < m->n_conditions_info);
        Sum one = {mark[k].own, mark[k].other, mark[k].first, run};
        add(&sums_of(sums)[mark[k].id], &one);
    }
    return true;
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

void oneway_tell(const Vector *sums, const CosyModel *m, Outlet *out)
{
    const Sum *s = sums_of(sums);
    for (size_t k = 0; k < sums->used / sizeof *s; k++) {
        const CosyConditionInfo *info = &m->conditions_info[k];
        char text[320], more[60] = "", which[40] = "";
        if (s[k].own > 0 || s[k].other == 0)
            continue;
        if (s[k].run > 0)
            snprintf(which, sizeof which, " of run %u", s[k].run);
        if (s[k].other > 1)
            snprintf(more, sizeof more, " and %llu more time%s",
                     (unsigned long long)(s[k].other - 1),
                     s[k].other == 2 ? "" : "s");
        snprintf(text, sizeof text,
                 "%.120s never happened: its condition was crossed by TIME = "
                 "%.4g%s%s, but %s, and it says %s",
                 info->name, (double)s[k].first, which, more,
                 info->direction > 0 ? "falling" : "rising",
                 info->direction > 0 ? "POS" : "NEG");
        outlet_message(out, COSY_NOTE, info->line, text);
    }
}
