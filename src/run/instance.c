#include "run/instance.h"

#include <string.h>

#include "cosy/unit.h"
#include "events/calendar.h"
#include "events/discrete.h"
#include "events/transaction.h"
#include "run/copies.h"
#include "stats/observe.h"

/* Bytes that each fixed table needs, and the name of its piece. */
typedef struct SegmentRow {
    const char *name;
    size_t size;
} SegmentRow;

static void segment_rows(const CosyModel *m, SegmentRow row[SEGMENT_COUNT])
{
    const SegmentRow rows[SEGMENT_COUNT] = {
        [SEGMENT_HEAD] = {"head", sizeof(CosyHead)},
        [SEGMENT_DATA] = {"data", m->data_size},
        [SEGMENT_X] = {"x", m->states * sizeof(real)},
        [SEGMENT_BRANCH] = {"branch", m->branches * sizeof(int32_t)},
        [SEGMENT_COPIES] = {"copies", m->n_copies * sizeof(CosyCopies)},
        [SEGMENT_HEAP] = {"heap", 0},
        [SEGMENT_LANE] = {"lane", 0},
        [SEGMENT_TRANSACTIONS] = {"transactions", 0},
        [SEGMENT_RECORDS] = {"records", 0},
        [SEGMENT_STAYS] = {"stays", 0},
        [SEGMENT_UNTIL] = {"until", m->until_lists * sizeof(CosyUntil)},
        [SEGMENT_ASKED] = {"asked", 0},
        [SEGMENT_KIN] = {"kin", 0},
        [SEGMENT_RESOURCES] = {"resources",
                               m->n_resources * sizeof(CosyResource)},
        [SEGMENT_POPULATIONS] = {"populations",
                                 m->n_processes * sizeof(CosyPopulation)},
        [SEGMENT_FILES] = {"files", m->n_files * sizeof(CosyFile)},
        [SEGMENT_STREAMS] = {"streams", m->n_streams * sizeof(CosyStream)},
        [SEGMENT_COLLECTS] = {"collects", m->n_collects * sizeof(CosyCollect)},
        [SEGMENT_TIMEPERS] = {"timepers", m->n_timepers * sizeof(CosyTimepers)},
        [SEGMENT_HISTOGRAMS] = {"histograms",
                                m->n_histograms * sizeof(CosyHistogram)},
        [SEGMENT_CLOCKS] = {"clocks", m->n_clocks * sizeof(int64_t)},
        [SEGMENT_MEMORIES] = {"memories", m->n_memories * 4 * sizeof(real)},
    };
    memcpy(row, rows, sizeof rows);
}

void instance_attach(Instance *i)
{
    Cosy *c = &i->c;
    const CosyModel *m = c->model;
    Vector *v = i->segment;
    c->head = (CosyHead *)(void *)v[SEGMENT_HEAD].bytes;
    c->data = v[SEGMENT_DATA].bytes;
    c->x = (real *)(void *)v[SEGMENT_X].bytes;
    c->branch = (int32_t *)(void *)v[SEGMENT_BRANCH].bytes;
    c->copy = (CosyCopies *)(void *)v[SEGMENT_COPIES].bytes;
    c->heap = (CosyPending *)(void *)v[SEGMENT_HEAP].bytes;
    c->heap_room = (uint32_t)(v[SEGMENT_HEAP].used / sizeof(CosyPending));
    c->lane = (CosyPending *)(void *)v[SEGMENT_LANE].bytes;
    c->lane_room = (uint32_t)(v[SEGMENT_LANE].used / sizeof(CosyPending));
    c->transactions = v[SEGMENT_TRANSACTIONS].bytes;
    if (m->transaction_size)
        c->transaction_room =
            (uint32_t)(v[SEGMENT_TRANSACTIONS].used / m->transaction_size);
    c->records = v[SEGMENT_RECORDS].bytes;
    if (m->record_size)
        c->record_room = (uint32_t)(v[SEGMENT_RECORDS].used / m->record_size);
    c->stay = (CosyStay *)(void *)v[SEGMENT_STAYS].bytes;
    c->stay_room = (uint32_t)(v[SEGMENT_STAYS].used / sizeof(CosyStay));
    c->until = (CosyUntil *)(void *)v[SEGMENT_UNTIL].bytes;
    c->asked = (uint32_t *)(void *)v[SEGMENT_ASKED].bytes;
    c->kin = (CosyKin *)(void *)v[SEGMENT_KIN].bytes;
    c->kin_room = (uint32_t)(v[SEGMENT_KIN].used / sizeof(CosyKin));
    c->asked_room = (uint32_t)(v[SEGMENT_ASKED].used / sizeof(uint32_t));
    c->resource = (CosyResource *)(void *)v[SEGMENT_RESOURCES].bytes;
    c->population = (CosyPopulation *)(void *)v[SEGMENT_POPULATIONS].bytes;
    c->file = (CosyFile *)(void *)v[SEGMENT_FILES].bytes;
    c->stream = (CosyStream *)(void *)v[SEGMENT_STREAMS].bytes;
    c->collect = (CosyCollect *)(void *)v[SEGMENT_COLLECTS].bytes;
    c->timepers = (CosyTimepers *)(void *)v[SEGMENT_TIMEPERS].bytes;
    c->histogram = (CosyHistogram *)(void *)v[SEGMENT_HISTOGRAMS].bytes;
    c->clock = (int64_t *)(void *)v[SEGMENT_CLOCKS].bytes;
    c->memory = (real *)(void *)v[SEGMENT_MEMORIES].bytes;
    c->work = i->work.bytes;
    c->rates = (real *)(void *)i->rates.bytes;
    for (uint32_t p = 0; p < m->n_copies; p++) {
        c->attributes[p] = i->attributes[p].bytes;
        c->copy_work[p] = i->copy_work[p].bytes;
    }
}

static Status segments_create(Instance *i, Arena *a, Image *image)
{
    const CosyModel *m = i->c.model;
    SegmentRow row[SEGMENT_COUNT];
    segment_rows(m, row);
    for (int k = 0; k < SEGMENT_COUNT; k++) {
        /* A segment is never empty, so no pointer is NULL. */
        if (!vector_reserve(&i->segment[k], row[k].size + sizeof(real)) ||
            !vector_append(&i->segment[k], NULL, row[k].size))
            return STATUS_MEMORY;
        TRY(image_add_vector(image, a, row[k].name, &i->segment[k]));
    }
    if (!vector_append(&i->work, NULL, m->work_size + sizeof(real)) ||
        !vector_append(&i->rates, NULL, (m->states + 1) * sizeof(real)))
        return STATUS_MEMORY;
    return copies_create(i, a, image);
}

static bool model_fits(const CosyModel *m)
{
    return m->version == COSY_VERSION && m->precision == COSY_PRECISION &&
           m->real_size == sizeof(real);
}

Status instance_too_large(const CosyModel *m, Fault *f)
{
    double bytes = (double)m->data_size + (double)m->work_size +
                   (double)m->states * (double)sizeof(real);
    return fault_set(f, STATUS_MEMORY,
                     "no memory for the variables of %s, which take %.3g MB in "
                     "each run and between runs (%u states): make its arrays "
                     "smaller, or have fewer runs at once (--threads 1)",
                     m->name, 1e-6 * bytes, m->states);
}

Status instance_create(Instance *i, const CosyModel *m, const CosyHost *host,
                       void *run, Arena *a, Image *image, Fault *f)
{
    memset(i, 0, sizeof *i);
    i->arena = a;
    if (!model_fits(m))
        return fault_set(f, STATUS_MODEL,
                         "the model was compiled for contract %u, precision "
                         "%u; this kernel is contract %u, precision %u: "
                         "compile the model again",
                         m->version, m->precision, COSY_VERSION,
                         COSY_PRECISION);
    i->c.model = m;
    i->c.host = host;
    i->c.run = run;
    if (segments_create(i, a, image) != STATUS_OK)
        return instance_too_large(m, f);
    instance_attach(i);
    if (block_room_create(&i->blocks, &i->c, a, image) != STATUS_OK)
        return instance_too_large(m, f);
    i->c.head->states = m->states;
    i->c.head->storing = 1;
    observe_declared(&i->c);
    CosyStatus reset = m->reset ? m->reset(&i->c) : COSY_OK;
    if (COSY_REASON(reset) == COSY_STOPPED)
        return fault_set(f, STATUS_STOPPED, "stopped before the run began");
    if (reset != COSY_OK)
        return fault_set(f, STATUS_MODEL,
                         "%s: its declared values cannot be set", m->name);
    return STATUS_OK;
}

void instance_free(Instance *i)
{
    for (int k = 0; k < SEGMENT_COUNT; k++)
        vector_free(&i->segment[k]);
    copies_free(i);
    block_room_free(&i->blocks);
    vector_free(&i->work);
    vector_free(&i->rates);
    vector_free(&i->numbered);
}

Status instance_begin(Instance *i, real from, real to)
{
    Cosy *c = &i->c;
    c->head->t = c->head->t_begin = from;
    c->head->t_end = to;
    c->head->request = COSY_GO_ON;
    c->head->again = COSY_ONCE;
    copies_begin(i);
    memset(c->clock, 0, i->segment[SEGMENT_CLOCKS].used);
    instance_attach(i);
    observe_reset(c);
    return discrete_reset(c) == COSY_OK ? STATUS_OK : STATUS_MODEL;
}

/* ---- Variables by number -------------------------------------------------- */

static void element_set(unsigned char *at, CosyType type, real value)
{
    switch (type) {
    case COSY_TYPE_REAL: memcpy(at, &value, sizeof value); break;
    case COSY_TYPE_INTEGER: {
        int64_t n = (int64_t)value;
        memcpy(at, &n, sizeof n);
        break;
    }
    case COSY_TYPE_BOOLEAN: *at = value != R(0.0); break;
    }
}

static real element_get(const unsigned char *at, CosyType type)
{
    real value = R(0.0);
    int64_t n;
    switch (type) {
    case COSY_TYPE_REAL: memcpy(&value, at, sizeof value); break;
    case COSY_TYPE_INTEGER:
        memcpy(&n, at, sizeof n);
        value = (real)n;
        break;
    case COSY_TYPE_BOOLEAN: value = (real)*at; break;
    }
    return value;
}

static size_t element_size(CosyType type)
{
    return type == COSY_TYPE_REAL      ? sizeof(real)
           : type == COSY_TYPE_INTEGER ? sizeof(int64_t)
                                       : 1;
}

static unsigned char *element_at(const Cosy *c, const CosyVariable *v,
                                 uint32_t index)
{
    if (v->kind == COSY_STATE)
        return (unsigned char *)(c->x + v->place + index);
    return (unsigned char *)c->data + v->place + index * element_size(v->type);
}

void instance_set(Cosy *c, uint32_t variable, uint32_t index, real value)
{
    const CosyVariable *v = &c->model->variables[variable];
    uint32_t n = v->rows * v->columns;
    uint32_t from = index == COSY_NONE ? 0 : index;
    uint32_t end = index == COSY_NONE ? n : index + 1;
    for (uint32_t k = from; k < end && k < n; k++)
        element_set(element_at(c, v, k), v->type, value);
}

real instance_get(const Cosy *c, uint32_t variable, uint32_t index)
{
    const CosyVariable *v = &c->model->variables[variable];
    return element_get(element_at(c, v, index), v->type);
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        int ca = *a >= 'a' && *a <= 'z' ? *a - 32 : *a;
        int cb = *b >= 'a' && *b <= 'z' ? *b - 32 : *b;
        if (ca != cb)
            return false;
    }
    return *a == *b;
}

uint32_t instance_find(const CosyModel *m, const char *name)
{
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (m->variables[k].process == COSY_NONE &&
            same_name(m->variables[k].name, name))
            return k;
    return COSY_NONE;
}

/* ---- Pools ---------------------------------------------------------------- */

/* The table of transactions by number, with at least two places for each in the
   pool. Without memory for it, there is no table. */
static void number_transactions(Instance *i)
{
    Cosy *c = &i->c;
    uint32_t n = 256;
    while (n < 2 * c->transaction_room)
        n *= 2;
    c->numbered = NULL;
    i->numbered.used = 0;
    if (!vector_append(&i->numbered, NULL, n * sizeof(uint32_t)))
        return;
    c->numbered = (uint32_t *)(void *)i->numbered.bytes;
    c->numbered_mask = n - 1;
    transactions_renumber(c);
}

/* Pools double while they are small; then they grow by an eighth, so that
   little memory is unused. The sizes of the lane and of the table of families
   are always powers of two. */
#define LARGE ((size_t)1 << 20)

static size_t growth(const Vector *v, size_t item, bool power)
{
    if (v->used == 0)
        return 64 * item;
    return v->used < LARGE || power ? v->used : v->used / item / 8 * item;
}

/* More than half of the machine's memory: it would come to a standstill before
   anybody could say why. */
static bool is_most(size_t bytes)
{
    size_t all = bytes > LARGE ? memory_size() : 0;
    return all > 0 && bytes > all / 2;
}

CosyStatus instance_grow(Cosy *c, CosySegment which)
{
    static const SegmentKind kinds[] = {
        [COSY_SEGMENT_HEAP] = SEGMENT_HEAP,
        [COSY_SEGMENT_LANE] = SEGMENT_LANE,
        [COSY_SEGMENT_TRANSACTIONS] = SEGMENT_TRANSACTIONS,
        [COSY_SEGMENT_RECORDS] = SEGMENT_RECORDS,
        [COSY_SEGMENT_STAYS] = SEGMENT_STAYS,
        [COSY_SEGMENT_ASKED] = SEGMENT_ASKED,
        [COSY_SEGMENT_KIN] = SEGMENT_KIN,
    };
    Instance *i = (Instance *)c;
    const CosyModel *m = c->model;
    Vector *v = &i->segment[kinds[which]];
    size_t item = which == COSY_SEGMENT_TRANSACTIONS ? m->transaction_size
                  : which == COSY_SEGMENT_RECORDS    ? m->record_size
                  : which == COSY_SEGMENT_STAYS      ? sizeof(CosyStay)
                  : which == COSY_SEGMENT_ASKED      ? sizeof(uint32_t)
                  : which == COSY_SEGMENT_KIN        ? sizeof(CosyKin)
                                                     : sizeof(CosyPending);
    uint32_t old_room = (uint32_t)(v->used / item);
    bool power = which == COSY_SEGMENT_LANE || which == COSY_SEGMENT_KIN;
    size_t more = growth(v, item, power);
    if (which == COSY_SEGMENT_HEAP && calendar_compact(c))
        return COSY_OK;
    if (old_room > UINT32_MAX / 4 || is_most(v->used + more) ||
        !vector_append(v, NULL, more))
        return COSY_FAIL(COSY_NO_MEMORY, 0);
    instance_attach(i);
    if (which == COSY_SEGMENT_LANE && old_room)
        calendar_lengthen(c, old_room);
    if (which == COSY_SEGMENT_TRANSACTIONS && c->numbered)
        number_transactions(i);
    return COSY_OK;
}

CosyStatus instance_transaction(Cosy *c, uint32_t process, int64_t number,
                                uint32_t *id)
{
    if (!c->numbered)
        number_transactions((Instance *)c);
    return transaction_find(c, process, number, id);
}

/* ---- Delays ---------------------------------------------------------------- */

CosyStatus instance_refuse(Cosy *c, CosyRefusal what, uint32_t which,
                           uint32_t who, real value)
{
    return refusal_keep(&((Instance *)c)->refused, what, which, who, value);
}

static CosyStatus no_history(Cosy *c)
{
    c->host->message(
        c, COSY_ERROR, 0,
        "a delay has a value only during a run, not in the EXPERIMENT");
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

CosyStatus instance_delayed(Cosy *c, uint32_t delay, real t, real *value)
{
    History *h = ((Instance *)c)->history;
    return h ? history_value(h, delay, t, value) : no_history(c);
}

CosyStatus instance_delayed_rate(Cosy *c, uint32_t delay, real t, real *rate)
{
    History *h = ((Instance *)c)->history;
    return h ? history_rate(h, delay, t, rate) : no_history(c);
}
