#include "study/errorbar.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/record.h"
#include "stats/value.h"

/* The work of making one. */
typedef struct Bars {
    ErrorBar *e;
    Pairing near, far,
        time; // run and half, half and quarter, quarter and loose
    bool has_far, has_time;
    Vector spread; // real: differences near the points of a field
    bool ok;
} Bars;

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

static bool is_judged(const CosyField *f)
{
    return !f->unjudged;
}

static RefineGrids grids_of(const Bars *b, uint32_t field)
{
    const BarTrials *of = &b->e->of;
    return (RefineGrids){
        .half = pairing_ratio(&of->run, &of->half, field),
        .quarter =
            b->has_far ? pairing_ratio(&of->half, &of->quarter, field) : R(0.0),
        .order = (real)of->run.model->fields[field].order};
}

/* ---- A field in a row ------------------------------------------------------------- */

static uint32_t partner(const Pairing *p, uint32_t row)
{
    return row == PAIRING_END || row == COSY_NONE ? row : pairing_row(p, row);
}

/* What stands in the place of an error in time that is not known: the rounding
   errors at least. */
static real noise_of(const BarNorm *n)
{
    real least = R(100.0) * COSY_EPSILON * n->size;
    return cosy_finite(n->time) ? cosy_max(n->time, least) : least;
}

/* The error in time is that of another grid. Where this one has more of it, as many
   steps leave, no order is seen, and none is to be expected. */
static void lose(RefineVerdict *v, real tolerance)
{
    if (v->reliable || v->word == REFINE_UNSEEN || !(v->estimate <= tolerance))
        return;
    v->word = REFINE_LOST;
    v->order = COSY_NAN;
}

/* The largest difference counts if its order is right, and the mean if only that one
   is: then something steep moves, whose place is known better than the values
   around it. */
static void judge(BarNorm *n, const RefineGrids *g, const MeshNorms *near,
                  const MeshNorms *far, real relerr)
{
    RefineNumbers max = {near->max, far->max, near->size, noise_of(n)};
    RefineNumbers mean = {near->mean, far->mean, near->size, noise_of(n)};
    RefineVerdict v = refine_judge(g, &max), w = refine_judge(g, &mean);
    if (!w.reliable)
        lose(&v, R(10.0) * relerr * n->size);
    n->max = v.estimate;
    n->mean = w.estimate;
    n->in_mean = !v.reliable && w.reliable && v.word != REFINE_LOST;
    if (n->in_mean)
        v = w;
    n->order = v.order;
    n->word = v.word;
    n->reliable = v.reliable;
    n->used = v.reliable && cosy_finite(v.order) ? cosy_min(v.order, g->order)
                                                 : cosy_min(g->order, R(1.0));
    if (v.word == REFINE_LOST)
        n->used = g->order;
    if (n->in_mean)
        n->used = cosy_min(n->used, R(1.0));
}

/* `size`: of the field in all rows; where waves cancel each other, a row has little
   of it. */
static BarNorm norm_of(Bars *b, uint32_t field, uint32_t row, real size)
{
    const RefineGrids g = grids_of(b, field);
    const MeshNorms none = {COSY_NAN, COSY_NAN, COSY_NAN};
    uint32_t half = partner(&b->near, row);
    uint32_t quarter =
        b->has_far && half != COSY_NONE ? partner(&b->far, half) : COSY_NONE;
    MeshNorms near = pairing_norms(&b->near, field, row);
    MeshNorms far = b->has_far && half != COSY_NONE
                        ? pairing_norms(&b->far, field, half)
                        : none;
    MeshNorms time = b->has_time && quarter != COSY_NONE
                         ? pairing_norms(&b->time, field, quarter)
                         : none;
    near.size = cosy_max(near.size, size);
    BarNorm n = {.size = near.size, .time = time.max / R(3.0)};
    n.any = half != COSY_NONE && cosy_finite(near.max);
    if (n.any)
        judge(&n, &g, &near, &far, (real)b->e->of.half.digest->relerr);
    return n;
}

/* ---- A field in all rows --------------------------------------------------------------- */

static const BarNorm *norms_of(const FieldBar *f, uint32_t *n)
{
    *n = (uint32_t)(f->norms.used / sizeof(BarNorm));
    return (const BarNorm *)(const void *)f->norms.bytes;
}

/* Reliable is a field that is it in nine of ten rows where its error counts. */
static void sum_up(FieldBar *f)
{
    uint32_t n, good = 0, all = 0, worst = 0;
    const BarNorm *row = norms_of(f, &n);
    for (uint32_t k = 0; k < n; k++)
        if (row[k].any) {
            bool larger = !row[worst].any || row[k].max > row[worst].max;
            worst = larger ? k : worst;
            f->size = cosy_max(f->size, row[k].size);
            if (cosy_finite(row[k].time))
                f->time = cosy_max(f->time, row[k].time);
        }
    for (uint32_t k = 0; k < n; k++)
        if (row[k].any && row[k].word != REFINE_LOST &&
            row[k].max > R(0.01) * row[worst].max) {
            good += row[k].reliable;
            all++;
        }
    f->worst = row[worst];
    f->worst.reliable = all > 0 && good * 10 >= all * 9;
}

static bool has_rows(const Bars *b, uint32_t field)
{
    return pairing_field(&b->e->of.run, field, 0) != NULL;
}

/* Rows without a partner do not count: a run that blows up has one. */
static real size_of(const Bars *b, uint32_t field, uint32_t rows)
{
    const CosyModel *m = b->e->of.run.model;
    uint32_t points = value_count(&m->variables[m->fields[field].variable]);
    real size = R(0.0);
    for (uint32_t k = 0; k <= rows; k++) {
        bool paired = k < rows ? pairing_row(&b->near, k) != COSY_NONE
                               : pairing_settled(&b->near);
        const real *u =
            pairing_field(&b->e->of.run, field, k < rows ? k : PAIRING_END);
        for (uint32_t i = 0; paired && u && i < points; i++)
            size = cosy_max(size, cosy_abs(u[i]));
    }
    return size;
}

static void add_field(Bars *b, uint32_t field)
{
    FieldBar f = {.field = field};
    uint32_t rows = has_rows(b, field) ? pairing_rows(&b->e->of.run) : 0;
    real size = size_of(b, field, rows);
    for (uint32_t k = 0; k <= rows && b->ok; k++) {
        BarNorm n = norm_of(b, field, k < rows ? k : PAIRING_END, size);
        b->ok = vector_append(&f.norms, &n, sizeof n);
    }
    if (b->ok)
        sum_up(&f);
    b->ok = b->ok && vector_append(&b->e->fields, &f, sizeof f);
    if (!b->ok)
        vector_free(&f.norms);
}

static void add_fields(Bars *b)
{
    const CosyModel *m = b->e->of.run.model;
    for (uint32_t k = 0; k < m->n_fields && b->ok; k++)
        if (is_judged(&m->fields[k]))
            add_field(b, k);
    uint32_t n;
    const FieldBar *f = errorbar_fields(b->e, &n);
    b->e->reliable = n > 0;
    for (uint32_t k = 0; k < n; k++) {
        real used = f[k].worst.any ? f[k].worst.used : R(1.0);
        b->e->used = k == 0 ? used : cosy_min(b->e->used, used);
        b->e->reliable = b->e->reliable && f[k].worst.reliable;
    }
}

/* ---- Single values ----------------------------------------------------------------------- */

/* The ratios that hold for what belongs to no field: the least of all. */
static RefineGrids common_grids(const Bars *b)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(b->e, &n);
    RefineGrids all = {0};
    for (uint32_t k = 0; k < n; k++) {
        RefineGrids g = grids_of(b, f[k].field);
        all.half = k == 0 ? g.half : cosy_min(all.half, g.half);
        all.quarter = k == 0 ? g.quarter : cosy_min(all.quarter, g.quarter);
    }
    all.order = b->e->used;
    return all;
}

static real one(const RefineGrids *g, real a, real half, real quarter)
{
    real near = cosy_abs(a - half), far = cosy_abs(half - quarter);
    return cosy_finite(near) ? refine_one(g, g->order, near, far) : COSY_NAN;
}

static real value_of(const DigestValue *v)
{
    return (real)v->value.high + (real)v->value.low;
}

/* Values of one variable or statistic, from `first` on. */
typedef struct Group {
    const DigestValue *first;
    uint32_t count;
} Group;

static Group group_at(const Digest *d, uint32_t at)
{
    uint32_t n, count = 0;
    const DigestValue *v = digest_values(d, &n) + at;
    while (at + count < n && v[count].kind == v->kind &&
           v[count].which == v->which)
        count++;
    return (Group){v, count};
}

/* The same group in a trial, from *at on; none if it has another number of values. */
static Group same_group(const Digest *d, const Group *of, uint32_t *at)
{
    uint32_t n;
    digest_values(d, &n);
    for (uint32_t k = *at; k < n;) {
        Group g = group_at(d, k);
        k += g.count;
        if (g.first->kind != of->first->kind ||
            g.first->which != of->first->which)
            continue;
        *at = k;
        return g.count == of->count ? g : (Group){0};
    }
    return (Group){0};
}

static uint32_t bar_of_value(const Bars *b, const DigestValue *v)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(b->e, &n);
    const CosyModel *m = b->e->of.run.model;
    for (uint32_t k = 0; v->kind == DIGEST_FINAL && k < n; k++)
        if (m->fields[f[k].field].variable == v->which)
            return k;
    return COSY_NONE;
}

/* Where something steep moves, the largest difference near a point spreads it over
   its surroundings: what the points have on average is kept near to the estimate of
   that. */
static void thin(real *point, uint32_t n, real mean)
{
    real sum = R(0.0), most = R(1.5) * mean * (real)n;
    for (uint32_t k = 0; k < n; k++)
        sum += point[k];
    for (uint32_t k = 0; k < n && sum > most; k++)
        point[k] *= most / sum;
}

/* Estimates at the points of a field in a row. */
static const real *points_of(Bars *b, uint32_t bar, uint32_t row)
{
    uint32_t n;
    const FieldBar *all = errorbar_fields(b->e, &n), *f = &all[bar];
    const BarNorm *norm = norms_of(f, &n);
    const CosyModel *m = b->e->of.run.model;
    uint32_t points = value_count(&m->variables[m->fields[f->field].variable]);
    norm += row == PAIRING_END ? n - 1 : row;
    if (!norm->any || !vector_reserve(&b->spread, points * sizeof(real)))
        return NULL;
    real *near = reals(&b->spread);
    RefineGrids g = grids_of(b, f->field);
    pairing_norms(&b->near, f->field, row);
    mesh_spread((Mesh *)(void *)b->near.mesh.bytes + f->field, near);
    for (uint32_t k = 0; k < points && g.order > R(0.0); k++)
        near[k] = refine_estimate(&g, norm->used, near[k]);
    if (norm->in_mean)
        thin(near, points, norm->mean);
    return near;
}

static bool append(Vector *v, real x)
{
    return vector_append(v, &x, sizeof x);
}

static void add_group(Bars *b, const Group *g, const Group *half,
                      const Group *quarter, const RefineGrids *grids)
{
    uint32_t bar = bar_of_value(b, g->first);
    const real *point =
        bar == COSY_NONE ? NULL : points_of(b, bar, PAIRING_END);
    for (uint32_t k = 0; k < g->count && b->ok; k++) {
        real e = COSY_NAN;
        if (bar != COSY_NONE)
            e = point ? point[k] : e;
        else if (half->count)
            e = one(grids, value_of(&g->first[k]), value_of(&half->first[k]),
                    quarter->count ? value_of(&quarter->first[k]) : COSY_NAN);
        b->ok = append(&b->e->values, e);
    }
}

static void add_values(Bars *b)
{
    const BarTrials *of = &b->e->of;
    const RefineGrids grids = common_grids(b);
    uint32_t n, in_half = 0, in_quarter = 0;
    digest_values(of->run.digest, &n);
    bool settled = pairing_settled(&b->near);
    bool third = b->has_far && pairing_settled(&b->far);
    for (uint32_t k = 0; k < n && b->ok;) {
        Group g = group_at(of->run.digest, k), half = {0}, quarter = {0};
        if (settled)
            half = same_group(of->half.digest, &g, &in_half);
        if (third)
            quarter = same_group(of->quarter.digest, &g, &in_quarter);
        add_group(b, &g, &half, &quarter, &grids);
        k += g.count;
    }
}

/* The event of a trial at that time, from *at on. */
static bool find_event(const Digest *d, real t, uint32_t *at)
{
    uint32_t n;
    const DigestEvent *e = digest_events(d, &n);
    for (uint32_t k = *at; k < n; k++)
        if ((real)e[k].t.high + (real)e[k].t.low == t) {
            *at = k;
            return true;
        }
    return false;
}

static void add_events(Bars *b)
{
    const RefineGrids grids = common_grids(b);
    uint32_t n, in_half = 0;
    const DigestEvent *e = digest_events(b->e->of.run.digest, &n);
    for (uint32_t k = 0; k < n && b->ok; k++) {
        real t = (real)e[k].t.high + (real)e[k].t.low;
        real half = pairing_time(&b->near, k), quarter = COSY_NAN;
        if (cosy_finite(half) && b->has_far &&
            find_event(b->e->of.half.digest, half, &in_half))
            quarter = pairing_time(&b->far, in_half);
        b->ok = append(&b->e->events, one(&grids, t, half, quarter));
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Where a variable has its elements in the rows of both models. */
typedef struct Column {
    uint32_t at, half, quarter, count;
} Column;

static const real *row_of(const PairSide *s, uint32_t row)
{
    return reals(&s->digest->rows) +
           (size_t)row * record_width(s->model, false);
}

static uint32_t bar_of(const Bars *b, uint32_t variable)
{
    const DigestValue v = {.kind = DIGEST_FINAL, .which = variable};
    return bar_of_value(b, &v);
}

/* Columns of OUTPUT, which have numbers beyond the variables, are in the rows too. */
static void add_cells(Bars *b, uint32_t variable, uint32_t row, const Column *c)
{
    const BarTrials *of = &b->e->of;
    const RefineGrids grids = common_grids(b);
    uint32_t bar = bar_of(b, variable), half = pairing_row(&b->near, row);
    uint32_t third = b->has_far && half != COSY_NONE
                         ? pairing_row(&b->far, half)
                         : COSY_NONE;
    const real *point = bar == COSY_NONE ? NULL : points_of(b, bar, row);
    for (uint32_t k = 0; k < c->count && b->ok; k++) {
        real e = COSY_NAN;
        if (bar != COSY_NONE)
            e = point ? point[k] : e;
        else if (half != COSY_NONE && c->half)
            e = one(&grids, row_of(&of->run, row)[c->at + k],
                    row_of(&of->half, half)[c->half + k],
                    third != COSY_NONE && c->quarter
                        ? row_of(&of->quarter, third)[c->quarter + k]
                        : COSY_NAN);
        b->ok = append(&b->e->rows, e);
    }
}

/* The first column of a variable in the rows of a model; 0 if it has another number
   of elements there. */
static uint32_t column_in(const PairSide *s, uint32_t variable, uint32_t count)
{
    if (!s->model || value_count(&s->model->variables[variable]) != count)
        return 0;
    return record_column(s->model, variable, 0);
}

static void add_row(Bars *b, uint32_t row)
{
    const BarTrials *of = &b->e->of;
    const CosyModel *m = of->run.model;
    Column c = {.at = 1};
    b->ok = append(&b->e->rows, row_of(&of->run, row)[0]);
    for (uint32_t k = 0; k < m->n_stored && b->ok; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        if (!value_is_global(v))
            continue;
        c.count = value_count(v);
        c.half = column_in(&of->half, m->stored[k], c.count);
        c.quarter = column_in(&of->quarter, m->stored[k], c.count);
        add_cells(b, m->stored[k], row, &c);
        c.at += c.count;
    }
}

static void add_rows(Bars *b)
{
    uint32_t n = pairing_rows(&b->e->of.run);
    for (uint32_t k = 0; k < n && b->ok; k++)
        add_row(b, k);
}

/* ---- The whole -------------------------------------------------------------------------------- */

static void refuse(ErrorBar *e, const char *what, const Digest *d)
{
    snprintf(e->why, sizeof e->why, "%s%s%.250s", what,
             d && d->message[0] ? ": " : "", d ? d->message : "");
}

/* A run that fails has rows up to there; a trial that fails says nothing. */
static bool is_usable(const PairSide *s)
{
    return s->model && s->digest && digest_ended(s->digest);
}

static bool is_coarser(const BarTrials *of)
{
    for (uint32_t k = 0; k < of->run.model->n_fields; k++)
        if (pairing_ratio(&of->run, &of->half, k) <= R(1.0))
            return false;
    return true;
}

static bool is_comparable(ErrorBar *e)
{
    const BarTrials *of = &e->of;
    if (!of->half.model)
        refuse(e, "there was no trial with half of the intervals", NULL);
    else if (!of->half.digest)
        refuse(e, "the trial with half of the intervals did not reach this run",
               NULL);
    else if (!is_usable(&of->half))
        refuse(e, "the trial with half of the intervals did not finish",
               of->half.digest);
    else if (!is_coarser(of))
        refuse(e, "the GRID has too few intervals to be halved", NULL);
    return e->why[0] == '\0';
}

static void note_parting(ErrorBar *e, const Pairing *p)
{
    if (e->parts || !p->events.parts)
        return;
    e->parts = true;
    e->parts_at = (real)p->events.parts_at;
    snprintf(e->parts_words, sizeof e->parts_words, "%s",
             p->events.parts_words);
}

static void open_pairs(Bars *b)
{
    const BarTrials *of = &b->e->of;
    b->has_far = is_usable(&of->quarter);
    b->has_time = b->has_far && is_usable(&of->loose);
    b->ok = pairing_open(&b->near, of->run, of->half) &&
            (!b->has_far || pairing_open(&b->far, of->half, of->quarter)) &&
            (!b->has_time || pairing_open(&b->time, of->quarter, of->loose));
}

static void close_pairs(Bars *b)
{
    pairing_free(&b->near);
    pairing_free(&b->far);
    pairing_free(&b->time);
    vector_free(&b->spread);
}

bool errorbar_make(ErrorBar *e, const BarTrials *of)
{
    Bars b = {.e = e};
    *e = (ErrorBar){.of = *of};
    if (!is_comparable(e))
        return true;
    open_pairs(&b);
    if (b.ok)
        add_fields(&b);
    if (b.ok)
        add_values(&b);
    if (b.ok)
        add_events(&b);
    if (b.ok)
        add_rows(&b);
    e->made = b.ok;
    note_parting(e, &b.near);
    e->reliable = e->reliable && !e->parts;
    close_pairs(&b);
    return b.ok;
}

void errorbar_free(ErrorBar *e)
{
    uint32_t n;
    FieldBar *f = (FieldBar *)(void *)e->fields.bytes;
    errorbar_fields(e, &n);
    for (uint32_t k = 0; k < n; k++)
        vector_free(&f[k].norms);
    vector_free(&e->fields);
    vector_free(&e->values);
    vector_free(&e->events);
    vector_free(&e->rows);
}

/* ---- The error in time, before the run ------------------------------------------------------------ */

/* The error in time of a field, and the error in space to be expected of the run. */
static void add_expected(Bars *b, uint32_t field, uint32_t row, real *time,
                         real *space)
{
    const BarTrials *of = &b->e->of;
    const CosyField *f = &of->half.model->fields[field];
    uint32_t quarter = partner(&b->far, row);
    if (quarter == COSY_NONE)
        return;
    MeshNorms far = pairing_norms(&b->far, field, row);
    MeshNorms t = pairing_norms(&b->time, field, quarter);
    real p = f->order ? (real)f->order : R(8.0);
    RefineGrids g = {.half = pairing_ratio(&of->half, &of->quarter, field),
                     .order = p};
    /* The trials show the error e of the half, as e*(r^p - 1); that of the run is
       r^p less. */
    real e = refine_estimate(&g, p, far.max);
    if (cosy_finite(e) && e > R(0.0))
        *space = cosy_max(*space, e * e / (e + far.max));
    if (cosy_finite(t.max))
        *time = cosy_max(*time, t.max / R(3.0));
}

static real share_of(Bars *b, uint32_t field)
{
    const PairSide *half = &b->e->of.half;
    real time = R(0.0), space = R(0.0);
    bool stored = pairing_field(half, field, 0) != NULL;
    uint32_t rows = stored ? pairing_rows(half) : 0;
    for (uint32_t k = 0; k <= rows; k++)
        add_expected(b, field, k < rows ? k : PAIRING_END, &time, &space);
    return space > R(0.0) ? time / space : R(0.0);
}

real errorbar_time(const BarTrials *of)
{
    ErrorBar e = {.of = *of};
    Bars b = {.e = &e};
    real worst = R(0.0);
    if (!is_usable(&of->half) || !is_usable(&of->quarter) ||
        !is_usable(&of->loose))
        return R(0.0);
    bool ok = pairing_open(&b.far, of->half, of->quarter) &&
              pairing_open(&b.time, of->quarter, of->loose);
    for (uint32_t k = 0; ok && k < of->half.model->n_fields; k++)
        if (is_judged(&of->half.model->fields[k]))
            worst = cosy_max(worst, share_of(&b, k));
    close_pairs(&b);
    return ok ? worst : COSY_NAN;
}
