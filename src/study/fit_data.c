#include "study/fit_data.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/least.h"
#include "stats/number.h"
#include "stats/value.h"

/* ---- The plan ---------------------------------------------------------------------- */

static uint32_t width_of(const CosyData *d)
{
    return 1 + d->keys + 2 * d->observed;
}

static const real *row_of(const CosyData *d, uint32_t row)
{
    return d->number + (size_t)row * width_of(d);
}

static real value_in(const CosyData *d, uint32_t row, uint32_t observed)
{
    return row_of(d, row)[1 + d->keys + 2 * observed];
}

const CosyObserved *fit_observed(const FitPlan *p, uint32_t datum)
{
    const FitDatum *k = &p->datum[datum];
    return &p->fit->data[k->data].observe[k->observed];
}

real fit_time(const FitPlan *p, uint32_t datum)
{
    const FitDatum *k = &p->datum[datum];
    return row_of(&p->fit->data[k->data], k->row)[0];
}

uint32_t fit_line(const FitPlan *p, uint32_t datum)
{
    const FitDatum *k = &p->datum[datum];
    return p->fit->data[k->data].row_line[k->row];
}

/* What has the same text and the same scale has the same noise, in whichever file it
   stands. */
static uint32_t group_of(FitPlan *p, const CosyObserved *o)
{
    if (o->known || o->noise.variable != COSY_NONE)
        return LEAST_KNOWN;
    for (uint32_t k = 0; k < p->groups; k++)
        if (strcmp(p->group_name[k], o->text) == 0)
            return k;
    p->group_name[p->groups] = o->text;
    return p->groups++;
}

static void take_datum(FitPlan *p, FitDatum k)
{
    const CosyData *d = &p->fit->data[k.data];
    const CosyObserved *o = &d->observe[k.observed];
    real y = value_in(d, k.row, k.observed);
    p->datum[p->m] = k;
    p->y[p->m] = o->log ? cosy_log(y) : y;
    p->sigma[p->m] = row_of(d, k.row)[2 + d->keys + 2 * k.observed];
    p->group[p->m] = group_of(p, o);
    p->noisy = p->noisy || o->noise.variable != COSY_NONE;
    if (o->log)
        p->logarithms += p->y[p->m];
    p->number[k.data][k.row * d->observed + k.observed] = p->m++;
}

static bool make_room(FitPlan *p, Arena *a)
{
    size_t cells = 0, observed = 0;
    p->number = NEW_ARRAY(a, uint32_t *, p->fit->n_data + 1);
    p->first = NEW_ARRAY(a, uint32_t, p->fit->n_data + 1);
    for (uint32_t i = 0; p->number && p->first && i < p->fit->n_data; i++) {
        const CosyData *d = &p->fit->data[i];
        size_t n = (size_t)d->rows * d->observed;
        p->first[i] = p->rows;
        p->rows += d->rows;
        cells += n;
        observed += d->observed;
        p->number[i] = NEW_ARRAY(a, uint32_t, n + 1);
        for (size_t k = 0; p->number[i] && k < n; k++)
            p->number[i][k] = COSY_NONE;
        if (!p->number[i])
            return false;
    }
    p->datum = NEW_ARRAY(a, FitDatum, cells + 1);
    p->y = NEW_ARRAY(a, real, cells + 1);
    p->sigma = NEW_ARRAY(a, real, cells + 1);
    p->group = NEW_ARRAY(a, uint32_t, cells + 1);
    p->group_name = NEW_ARRAY(a, const char *, observed + 1);
    return p->number && p->first && p->datum && p->y && p->sigma && p->group &&
           p->group_name;
}

Status fit_plan(FitPlan *p, const CosySearch *s, const CosyModel *m, Arena *a,
                Fault *f)
{
    *p = (FitPlan){
        .fit = s->fit, .model = m, .n = s->n, .slope = fit_slopes(s, m, a)};
    if (!make_room(p, a))
        return fault_set(f, STATUS_MEMORY, "no memory for the data of a FIT");
    for (uint32_t i = 0; i < s->fit->n_data; i++) {
        const CosyData *d = &s->fit->data[i];
        for (uint32_t row = 0; row < d->rows; row++)
            for (uint32_t k = 0; k < d->observed; k++)
                if (cosy_finite(value_in(d, row, k)))
                    take_datum(p, (FitDatum){i, row, k, p->first[i] + row});
    }
    return STATUS_OK;
}

/* ---- A trial ------------------------------------------------------------------------ */

Status fit_begin(FitTaken *t, const FitPlan *p, Arena *a)
{
    *t = (FitTaken){.plan = p, .row = NEW_ARRAY(a, FitRow, p->rows + 1)};
    if (!t->row)
        return STATUS_MEMORY;
    pthread_mutex_init(&t->lock, NULL);
    t->open = true;
    return STATUS_OK;
}

static void forget(FitTaken *t)
{
    FitCurve *c = (FitCurve *)(void *)t->curve.bytes;
    for (size_t k = 0; k < t->curve.used / sizeof *c; k++) {
        vector_free(&c[k].t);
        vector_free(&c[k].y);
    }
    t->curve.used = 0;
}

void fit_anew(FitTaken *t, real *out, real *slope, uint32_t runs)
{
    const FitPlan *p = t->plan;
    t->out = out;
    t->slope = slope;
    t->before = runs;
    t->skipped = 0;
    t->fault = t->ended = (Fault){0};
    forget(t);
    for (uint32_t k = 0; k < p->rows; k++) {
        atomic_store(&t->row[k].run, 0);
        atomic_store(&t->row[k].seen, false);
    }
    for (uint32_t k = 0; k < p->m; k++) {
        out[k] = COSY_NAN;
        if (p->noisy)
            out[p->m + k] = R(0.0);
    }
    if (slope)
        memset(slope, 0,
               (size_t)p->m * (p->noisy ? 2 : 1) * p->n * sizeof *slope);
}

void fit_taken_free(FitTaken *t)
{
    if (!t->open)
        return;
    forget(t);
    vector_free(&t->curve);
    pthread_mutex_destroy(&t->lock);
    *t = (FitTaken){0};
}

/* What is wrong with the data of a trial. Where several runs go side by side the first
   to come is told. */
static Status wrong(FitTaken *t, Fault *own, const char *text)
{
    pthread_mutex_lock(&t->lock);
    if (t->fault.status == STATUS_OK)
        fault_set(&t->fault, STATUS_USER, "%s", text);
    pthread_mutex_unlock(&t->lock);
    return fault_set(own, STATUS_USER, "%s", text);
}

static const char *time_text(Buffer *b, const CosyModel *m, real t)
{
    b->v.used = 0;
    number_print(b, 'g', 12, t);
    if (m->time_unit && m->time_unit[0])
        buffer_format(b, " %s", m->time_unit);
    return buffer_string(b);
}

static Status no_run(FitTaken *t, uint32_t datum)
{
    const FitPlan *p = t->plan;
    const FitDatum *d = &p->datum[datum];
    const CosyData *from = &p->fit->data[d->data];
    Buffer b = {0};
    for (uint32_t i = 0; i < from->keys; i++) {
        const CosyItemOf *key = &from->key[i];
        buffer_text(&b, i ? " and " : " that has ");
        value_name(&b, &p->model->variables[key->variable],
                   key->element == COSY_NONE ? 0 : key->element);
        buffer_text(&b, " = ");
        number_print(&b, 'g', 12, row_of(from, d->row)[1 + i]);
    }
    fault_set(&t->fault, STATUS_USER,
              "line %u of \"%s\" belongs to no run: among those of the "
              "statements is none%s%s",
              (unsigned)fit_line(p, datum), from->file, buffer_string(&b),
              from->run  ? " of that number (RUN)"
              : b.v.used ? " at its start"
                         : "");
    buffer_free(&b);
    return t->fault.status;
}

/* Every row belongs to a run, which has come to its time. */
Status fit_end(FitTaken *t)
{
    const FitPlan *p = t->plan;
    if (t->fault.status != STATUS_OK)
        return t->fault.status;
    for (uint32_t k = 0; k < p->m; k++) {
        FitRow *row = &t->row[p->datum[k].place];
        if (atomic_load(&row->run) == 0)
            return no_run(t, k);
        if (!atomic_load(&row->seen))
            return fault_set(&t->ended, STATUS_NUMBER,
                             "a run ended before the time %.12g of line %u of "
                             "\"%s\"",
                             (double)fit_time(p, k), (unsigned)fit_line(p, k),
                             p->fit->data[p->datum[k].data].file);
    }
    return STATUS_OK;
}

/* ---- Which rows belong to a run -------------------------------------------------------- */

/* A row of the data, or a point of the curves. */
typedef struct Entry {
    real t;
    uint32_t data, row; // row COSY_NONE: a point of the curves
} Entry;

/* The value of an item at the present point; NaN if it has none. */
static real item_value(const CosyItemOf *item, Cosy *c)
{
    const CosyModel *m = c->model;
    const CosyVariable *v = &m->variables[item->variable];
    if (item->variable >= m->n_variables &&
        m->column(c, item->variable - m->n_variables) != COSY_OK)
        return COSY_NAN;
    return value_real(c, v, item->element == COSY_NONE ? 0 : item->element);
}

/* Values of parameters went through decimals, and perhaps units. */
static bool is_same(real a, real b)
{
    return cosy_abs(a - b) <= R(1e-9) * cosy_max(cosy_abs(a), cosy_abs(b));
}

static bool belongs(const CosyData *d, uint32_t row, const real *key)
{
    for (uint32_t k = 0; k < d->keys; k++)
        if (!is_same(row_of(d, row)[1 + k], key[k]))
            return false;
    return true;
}

static Status outside(FitWatch *w, const Run *r, const Entry *e)
{
    const CosyData *d = &w->taken->plan->fit->data[e->data];
    real from = r->options.from, to = r->options.to;
    bool before = (e->t - from) * (real)r->direction < R(0.0);
    Buffer a = {0}, b = {0}, text = {0};
    buffer_format(
        &text, "line %u of \"%s\": the time %s lies %s of run %u, %s: %s",
        (unsigned)d->row_line[e->row], d->file, time_text(&a, r->model, e->t),
        before ? "before the start" : "after the end", (unsigned)w->number,
        time_text(&b, r->model, before ? from : to),
        before ? "SIMULATE FROM an earlier time"
               : "SIMULATE up to a later time");
    Status s = wrong(w->taken, w->fault, buffer_string(&text));
    buffer_free(&a);
    buffer_free(&b);
    buffer_free(&text);
    return s;
}

/* A time next to an end of the run, to which rounding in another unit may have moved
   it, is that end. */
static Status place(FitWatch *w, const Run *r, Entry *e)
{
    real from = r->options.from, to = r->options.to;
    real slack = R(1e-12) * (cosy_abs(from) + cosy_abs(e->t));
    if (cosy_abs(e->t - from) <= slack)
        e->t = from;
    if (!r->options.to_finish && cosy_abs(e->t - to) <= slack)
        e->t = to;
    bool early = (e->t - from) * (real)r->direction < R(0.0);
    bool late =
        !r->options.to_finish && (e->t - to) * (real)r->direction > R(0.0);
    return early || late ? outside(w, r, e) : STATUS_OK;
}

static Status twice(FitWatch *w, const Entry *e, uint32_t other)
{
    char text[400];
    const CosyData *d = &w->taken->plan->fit->data[e->data];
    snprintf(text, sizeof text,
             "line %u of \"%.100s\" belongs to run %u and to run %u: say which "
             "by RUN n after the columns, or by WITH column = parameter",
             (unsigned)d->row_line[e->row], d->file,
             (unsigned)(other < w->run ? other : w->run),
             (unsigned)(other < w->run ? w->run : other));
    return wrong(w->taken, w->fault, text);
}

static Status take_data(FitWatch *w, Run *r, uint32_t data)
{
    const FitPlan *p = w->taken->plan;
    const CosyData *d = &p->fit->data[data];
    real key[64];
    if (d->keys > LENGTH(key))
        return wrong(w->taken, w->fault, "WITH has more than 64 columns");
    for (uint32_t k = 0; k < d->keys; k++)
        key[k] = item_value(&d->key[k], r->c);
    for (uint32_t row = 0; row < d->rows; row++) {
        Entry e = {row_of(d, row)[0], data, row};
        unsigned none = 0;
        bool any = false;
        for (uint32_t k = 0; k < d->observed; k++)
            any = any || p->number[data][row * d->observed + k] != COSY_NONE;
        if (!any || !belongs(d, row, key))
            continue;
        if (!atomic_compare_exchange_strong(
                &w->taken->row[p->first[data] + row].run, &none, w->run))
            return twice(w, &e, none);
        TRY(place(w, r, &e));
        if (!vector_append(&w->entry, &e, sizeof e))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* ---- Curves ----------------------------------------------------------------------------- */

static Status new_curve(FitWatch *w, uint32_t data, uint32_t observed)
{
    FitTaken *t = w->taken;
    FitCurve c = {.run = w->run, .data = data, .observed = observed};
    uint32_t number = (uint32_t)(t->curve.used / sizeof c);
    return vector_append(&t->curve, &c, sizeof c) &&
                   vector_append(&w->curve, &number, sizeof number)
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* A curve is drawn of everything that this run has data for, from its start to its end,
   or to the last datum. */
static Status plan_curves(FitWatch *w, const Run *r)
{
    const FitPlan *p = w->taken->plan;
    const Entry *e = (const Entry *)(const void *)w->entry.bytes;
    size_t n = w->entry.used / sizeof *e;
    real from = r->options.from, to = r->options.to;
    if (n == 0)
        return STATUS_OK;
    if (r->options.to_finish)
        to = from;
    for (size_t k = 0; r->options.to_finish && k < n; k++)
        to = cosy_max(to, e[k].t);
    for (uint32_t i = 0; i < p->fit->n_data; i++)
        for (uint32_t k = 0; k < p->fit->data[i].observed; k++)
            for (size_t at = 0; at < n; at++)
                if (e[at].data == i &&
                    p->number[i][e[at].row * p->fit->data[i].observed + k] !=
                        COSY_NONE) {
                    TRY(new_curve(w, i, k));
                    break;
                }
    for (uint32_t k = 0; k <= FIT_CURVE; k++) {
        Entry point = {k == FIT_CURVE
                           ? to
                           : from + (to - from) * (real)k / (real)FIT_CURVE,
                       0, COSY_NONE};
        if (!vector_append(&w->entry, &point, sizeof point))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

static Status look_curves(FitWatch *w, Cosy *c)
{
    const FitPlan *p = w->taken->plan;
    const uint32_t *number = (const uint32_t *)(const void *)w->curve.bytes;
    FitCurve *all = (FitCurve *)(void *)w->taken->curve.bytes;
    double t = (double)c->head->t;
    for (size_t k = 0; k < w->curve.used / sizeof *number; k++) {
        FitCurve *one = &all[number[k]];
        const CosyData *d = &p->fit->data[one->data];
        double y = (double)item_value(&d->observe[one->observed].item, c);
        if (!vector_append(&one->t, &t, sizeof t) ||
            !vector_append(&one->y, &y, sizeof y))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* ---- Looking ----------------------------------------------------------------------------- */

static real logarithm(real x)
{
    return x > R(0.0) ? cosy_log(x) : COSY_NAN;
}

/* Derivatives of a prediction and its noise, or of their logarithms. */
static void look_slopes(FitWatch *w, const Entry *e, const Cosy *c, uint32_t k,
                        uint32_t number, real value, real noise)
{
    const FitPlan *p = w->taken->plan;
    const FitSlope *f = p->slope;
    real *to = w->taken->slope;
    for (uint32_t i = 0; i < e->data; i++)
        f += (size_t)p->fit->data[i].observed * 2 * p->n;
    f += (size_t)k * 2 * p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        to[(size_t)number * p->n + i] = fit_slope_at(&f[i], c, w->lost) / value;
        if (p->noisy)
            to[(size_t)(p->m + number) * p->n + i] =
                fit_slope_at(&f[p->n + i], c, w->lost) / noise;
    }
}

static void look_row(FitWatch *w, const Entry *e, Cosy *c)
{
    const FitPlan *p = w->taken->plan;
    const CosyData *d = &p->fit->data[e->data];
    atomic_store(&w->taken->row[p->first[e->data] + e->row].seen, true);
    for (uint32_t k = 0; k < d->observed; k++) {
        const CosyObserved *o = &d->observe[k];
        uint32_t number = p->number[e->data][e->row * d->observed + k];
        if (number == COSY_NONE)
            continue;
        real y = item_value(&o->item, c), noise = R(1.0);
        w->taken->out[number] = o->log ? logarithm(y) : y;
        if (o->noise.variable != COSY_NONE) {
            noise = item_value(&o->noise, c);
            w->taken->out[p->m + number] = logarithm(noise);
        }
        if (w->taken->slope)
            look_slopes(w, e, c, k, number, o->log ? y : R(1.0), noise);
    }
}

static Status look(void *user, Cosy *c, size_t k)
{
    FitWatch *w = user;
    const Entry *e = (const Entry *)(const void *)w->entry.bytes;
    const real *time = (const real *)(const void *)w->time.bytes;
    size_t n = w->entry.used / sizeof *e;
    Vector kept = {0};
    Status s = STATUS_OK;
    if (c->model->columns_call &&
        !vector_append(&kept, c->data, c->model->data_size))
        return STATUS_MEMORY;
    for (; w->next < n && e[w->next].t == time[k] && s == STATUS_OK;
         w->next++) {
        if (e[w->next].row == COSY_NONE)
            s = look_curves(w, c);
        else
            look_row(w, &e[w->next], c);
        if (kept.used)
            memcpy(c->data, kept.bytes, kept.used);
    }
    vector_free(&kept);
    return s;
}

static int by_time(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void turn_round(Entry *e, size_t n)
{
    for (size_t k = 0; k < n / 2; k++) {
        Entry other = e[k];
        e[k] = e[n - 1 - k];
        e[n - 1 - k] = other;
    }
}

static Status plan_times(FitWatch *w, Run *r)
{
    Entry *e = (Entry *)(void *)w->entry.bytes;
    size_t n = w->entry.used / sizeof *e;
    if (n == 0)
        return STATUS_OK;
    qsort(e, n, sizeof *e, by_time);
    if (r->direction < 0)
        turn_round(e, n);
    for (size_t k = 0; k < n; k++)
        if ((k == 0 || e[k].t != e[k - 1].t) &&
            !vector_append(&w->time, &e[k].t, sizeof e[k].t))
            return STATUS_MEMORY;
    r->probe = (Probe){.time = (const real *)(const void *)w->time.bytes,
                       .n = w->time.used / sizeof(real),
                       .look = look,
                       .user = w,
                       .kept = r->probe.kept};
    return STATUS_OK;
}

static Status open_run(void *user, Run *r)
{
    FitWatch *w = user;
    FitTaken *t = w->taken;
    w->fault = &r->fault;
    w->lost = r->carried.lost;
    if (r->options.task != COSY_SIMULATE)
        return STATUS_OK;
    if (w->replicated)
        return wrong(t, w->fault,
                     "the data are compared with single runs: leave REPLICATE "
                     "out, or SIMULATE once for each experiment");
    w->run = w->number - t->before - t->skipped;
    for (uint32_t k = 0; k < t->plan->fit->n_data; k++) {
        uint32_t run = t->plan->fit->data[k].run;
        if (run == 0 || run == w->run)
            TRY(take_data(w, r, k));
    }
    if (t->curves)
        TRY(plan_curves(w, r));
    return plan_times(w, r);
}

RunWatch fit_watch(FitWatch *w)
{
    return (RunWatch){.open = w->taken ? open_run : NULL, .user = w};
}

void fit_watch_free(FitWatch *w)
{
    vector_free(&w->entry);
    vector_free(&w->time);
    vector_free(&w->curve);
}
