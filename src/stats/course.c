#include "stats/course.h"

#include <stdio.h>

#include "base/buffer.h"
#include "stats/number.h"
#include "stats/value.h"

/* The most numbers in all, but at least COURSE_LEAST intervals whatever the
   number of columns. */
#define COURSE_ROOM  200000u
#define COURSE_LEAST 64u

/* ---- Columns ----------------------------------------------------------------- */

static bool is_held(CosyResourceKind kind)
{
    return kind == COSY_FACILITY || kind == COSY_STORAGE;
}

static void set_columns(Course *k, const CosyModel *m)
{
    for (uint32_t i = 0; i < m->n_resources; i++)
        if (is_held(m->resources[i].kind)) {
            k->column[k->columns++] = (CourseColumn){COURSE_USED, i};
            k->column[k->columns++] = (CourseColumn){COURSE_WAITING, i};
        }
    for (uint32_t i = 0; i < m->n_files; i++)
        k->column[k->columns++] = (CourseColumn){COURSE_CONTENT, i};
    for (uint32_t i = 0; i < m->n_timepers; i++)
        k->column[k->columns++] = (CourseColumn){COURSE_VALUE, i};
}

Status course_create(Course *k, const CosyModel *m, Arena *a, Image *image)
{
    size_t n = 2 * (size_t)m->n_resources + m->n_files + m->n_timepers;
    *k = (Course){.model = m};
    k->column = NEW_ARRAY(a, CourseColumn, n + 1);
    if (!k->column)
        return STATUS_MEMORY;
    set_columns(k, m);
    k->most = COURSE_ROOM / (k->columns + 1);
    k->most = k->most > COURSE_MOST    ? COURSE_MOST
              : k->most < COURSE_LEAST ? COURSE_LEAST
                                       : k->most & ~1u;
    if (!vector_append(&k->base, NULL, k->columns * sizeof(real)))
        return STATUS_MEMORY;
    TRY(image_add(image, a, "course", &k->state, sizeof k->state));
    TRY(image_add_vector(image, a, "course means", &k->means));
    return image_add_vector(image, a, "course base", &k->base);
}

uint32_t course_find(const Course *k, CourseKind kind, uint32_t which)
{
    for (uint32_t i = 0; i < k->columns; i++)
        if (k->column[i].kind == kind && k->column[i].which == which)
            return i;
    return COSY_NONE;
}

/* The integral of a column from its beginning up to t. */
static real integral(const Cosy *c, CourseColumn column, real t)
{
    const CosyResource *r = &c->resource[column.which];
    const CosyFile *f = &c->file[column.which];
    const CosyTimepers *s = &c->timepers[column.which];
    switch (column.kind) {
    case COURSE_USED: return r->used_area + (real)r->used * (t - r->used_since);
    case COURSE_WAITING:
        return r->wait_area + (real)r->waiting * (t - r->wait_since);
    case COURSE_CONTENT: return f->area + (real)f->count * (t - f->since);
    case COURSE_VALUE: return s->area + s->value * (t - s->since);
    }
    return R(0.0);
}

/* ---- Intervals ----------------------------------------------------------------- */

static real *base_of(Course *k)
{
    return (real *)(void *)k->base.bytes;
}

Status course_begin(Course *k, const Cosy *c, real span)
{
    k->state =
        (CourseState){.start = c->head->t,
                      .step = span > R(0.0) ? span / (real)k->most : R(0.0)};
    k->means.used = 0;
    for (uint32_t i = 0; i < k->columns; i++)
        base_of(k)[i] = integral(c, k->column[i], c->head->t);
    return STATUS_OK;
}

/* Two neighbours become one. */
static void join(Course *k)
{
    CourseState *s = &k->state;
    real *mean = (real *)(void *)k->means.bytes;
    const size_t n = k->columns;
    s->count /= 2;
    for (size_t row = 0; row < s->count; row++)
        for (size_t i = 0; i < n; i++)
            mean[row * n + i] =
                (mean[2 * row * n + i] + mean[(2 * row + 1) * n + i]) / R(2.0);
    k->means.used = s->count * n * sizeof(real);
    s->step *= R(2.0);
    s->cut = (s->cut + 1) / 2;
}

/* A row of means over the last `length` up to t. */
static Status add_row(Course *k, const Cosy *c, real t, real length)
{
    size_t at = k->means.used;
    real *base = base_of(k);
    if (!vector_append(&k->means, NULL, k->columns * sizeof(real)))
        return STATUS_MEMORY;
    real *mean = (real *)(void *)(k->means.bytes + at);
    for (uint32_t i = 0; i < k->columns; i++) {
        real now = integral(c, k->column[i], t);
        mean[i] = (now - base[i]) / length;
        base[i] = now;
    }
    return STATUS_OK;
}

/* The first instant after the start decides the length of an interval: the
   power of ten below it. */
static void find_step(Course *k, real t)
{
    real passed = t - k->state.start;
    if (passed > R(0.0))
        k->state.step = cosy_pow(R(10.0), cosy_floor(cosy_log10(passed)));
}

Status course_to(Course *k, const Cosy *c, real t)
{
    CourseState *s = &k->state;
    if (!k->columns || t >= COSY_NEVER)
        return STATUS_OK;
    if (s->step == R(0.0))
        find_step(k, t);
    for (real end; (end = course_next(k)) <= t;) {
        /* A long time during which nothing happens is not cut into tiny pieces.
           */
        if (s->count % 2 == 0 &&
            t - s->start > R(2.0) * (real)k->most * s->step) {
            join(k);
            continue;
        }
        TRY(add_row(k, c, end, s->step));
        if (++s->count >= k->most)
            join(k);
    }
    return STATUS_OK;
}

void course_cut(Course *k, const Cosy *c, real t)
{
    real *base = base_of(k);
    for (uint32_t i = 0; i < k->columns; i++)
        base[i] -= integral(c, k->column[i], t);
    k->state.cut = k->state.count + 1;
}

Status course_end(Course *k, const Cosy *c)
{
    CourseState *s = &k->state;
    real t = c->head->t;
    if (!k->columns || t >= COSY_NEVER)
        return STATUS_OK;
    TRY(course_to(k, c, t));
    s->rest = t - (s->start + (real)s->count * s->step);
    if (s->rest <= R(1e-9) * s->step) {
        s->rest = R(0.0);
        return STATUS_OK;
    }
    return add_row(k, c, t, s->rest);
}

const real *course_batches(const Course *k, uint32_t column, Vector *v,
                           uint32_t *n)
{
    const CourseState *s = &k->state;
    *n = 0;
    for (uint32_t row = s->cut; row < s->count; row++) {
        real mean = course_mean(k, row, column);
        if (!vector_append(v, &mean, sizeof mean))
            return NULL;
        ++*n;
    }
    return (const real *)(const void *)v->bytes;
}

/* ---- The file -------------------------------------------------------------------- */

void course_name(Buffer *b, const Course *k, uint32_t column)
{
    const CosyModel *m = k->model;
    CourseColumn c = k->column[column];
    switch (c.kind) {
    case COURSE_USED:
        buffer_format(b, "%s.used", m->resources[c.which].name);
        break;
    case COURSE_WAITING:
        buffer_format(b, "%s.waiting", m->resources[c.which].name);
        break;
    case COURSE_CONTENT:
        buffer_format(b, "%s.content", m->files[c.which].name);
        break;
    case COURSE_VALUE: buffer_text(b, m->timepers[c.which].name); break;
    }
}

/* The unit of a TIMEPERS is that of its variable; all others are plain numbers.
   */
static const char *course_unit(const Course *k, uint32_t column)
{
    CourseColumn c = k->column[column];
    return c.kind == COURSE_VALUE
               ? value_unit(k->model, k->model->timepers[c.which].name)
               : "";
}

static void put_rows(Buffer *b, const Course *k)
{
    Buffer name = {0};
    buffer_text(b, "TIME");
    value_put_unit(b, cosy_time_unit(k->model));
    for (uint32_t i = 0; i < k->columns; i++) {
        name.v.used = 0;
        course_name(&name, k, i);
        value_put_unit(&name, course_unit(k, i));
        buffer_char(b, ',');
        buffer_cell(b, buffer_string(&name));
    }
    buffer_char(b, '\n');
    for (uint32_t row = 0; row < course_rows(k); row++) {
        number_text(b, course_time(k, row));
        for (uint32_t i = 0; i < k->columns; i++) {
            buffer_char(b, ',');
            number_text(b, course_mean(k, row, i));
        }
        buffer_char(b, '\n');
    }
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

Status course_write(const Course *k, const char *dir, uint32_t run, Fault *f)
{
    Buffer path = {0}, text = {0};
    Status s = STATUS_OK;
    if (!k->columns || !course_rows(k))
        return STATUS_OK;
    put_rows(&text, k);
    buffer_format(&path, "%s/resources-%04u.csv", dir, run);
    if (text.broken || path.broken)
        s = fault_set(f, STATUS_MEMORY, "%s: no memory for resources-%04u.csv",
                      dir, run);
    else
        s = file_put(buffer_string(&path), text.v.bytes, text.v.used, f);
    buffer_free(&path);
    buffer_free(&text);
    return s;
}

void course_free(Course *k)
{
    vector_free(&k->means);
    vector_free(&k->base);
}
