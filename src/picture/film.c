#include "picture/film.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/value.h"

bool film_wanted(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (film_is(&m->shows[k]))
            return true;
    return false;
}

/* ---- Reels ----------------------------------------------------------------------- */

static bool shows(const CosyShow *line, uint32_t variable)
{
    for (uint32_t k = 0; film_is(line) && k < line->n; k++)
        if (line->variable[k] == variable)
            return true;
    return false;
}

/* How many times lines name for a variable. */
static uint32_t count_times(const CosyModel *m, uint32_t variable)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->n_shows; k++)
        n += shows(&m->shows[k], variable) ? m->shows[k].n_times : 0;
    return n;
}

/* What is shown of an array with two indices is a map, of one a curve. */
static uint32_t points_of(uint32_t n, bool map, bool moving, uint32_t times)
{
    uint32_t most = map      ? moving ? FILM_MOVING_SIDE : FILM_SIDE
                    : moving ? FILM_MOVING_POINTS
                             : FILM_POINTS;
    double side = sqrt((double)FILM_CELLS / (times + 1));
    if (map && !moving && side < most)
        most = side > FILM_MOVING_SIDE ? (uint32_t)side : FILM_MOVING_SIDE;
    return n < most ? n : most;
}

const CosyAxis *film_axis(const CosyModel *m, uint32_t variable, int index)
{
    for (uint32_t k = 0; k < m->n_fields; k++)
        if (m->fields[k].variable == variable &&
            (uint32_t)index < m->fields[k].axes)
            return &m->axes[m->fields[k].axis[index]];
    return NULL;
}

/* Indices as they are written, or the coordinates of a FIELD. */
static bool take_places(FilmReel *r, const Cosy *c)
{
    const CosyModel *m = c->model;
    const CosyVariable *v = &m->variables[r->variable];
    for (int index = 0; index < 2; index++) {
        const CosyAxis *axis = film_axis(m, r->variable, index);
        int64_t first = index ? value_second(v) : value_first(v);
        for (uint32_t k = 0; k < r->points[index]; k++) {
            uint32_t at = film_element(r, index, k);
            double place =
                axis ? (double)value_real(c, &m->variables[axis->variable], at)
                     : (double)(first + at);
            if (!vector_append(&r->place[index], &place, sizeof place))
                return false;
        }
    }
    return true;
}

static bool open_reel(Film *f, const CosyModel *m, uint32_t variable,
                      bool moving)
{
    const CosyVariable *v = &m->variables[variable];
    bool map = v->rows > 1 && v->columns > 1;
    uint32_t first = map ? v->rows : v->rows * v->columns;
    uint32_t second = map ? v->columns : 1;
    uint32_t times = count_times(m, variable);
    FilmReel r = {.variable = variable,
                  .moving = moving,
                  .points = {points_of(first, map, moving, times),
                             points_of(second, map, moving, times)},
                  .of = {first, second},
                  .most = map ? FILM_SHORT : FILM_FRAMES};
    return vector_append(&f->reels, &r, sizeof r);
}

const FilmReel *film_find(const Film *f, uint32_t variable, bool moving)
{
    uint32_t n;
    const FilmReel *r = film_reels(f, &n);
    for (uint32_t k = 0; k < n; k++)
        if (r[k].variable == variable && r[k].moving == moving)
            return &r[k];
    return NULL;
}

/* Two for each variable that some line shows. */
static bool open_reels(Film *f, const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_shows; k++)
        for (uint32_t i = 0; film_is(&m->shows[k]) && i < m->shows[k].n; i++) {
            uint32_t variable = m->shows[k].variable[i];
            if (!film_find(f, variable, false) &&
                !(open_reel(f, m, variable, false) &&
                  open_reel(f, m, variable, true)))
                return false;
        }
    return true;
}

/* ---- Times ------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

/* Of a list in order. */
static void drop_repeated(Vector *v)
{
    double *t = (double *)(void *)v->bytes;
    size_t kept = 0;
    for (size_t k = 0; k < v->used / sizeof *t; k++)
        if (k == 0 || t[k] != t[kept - 1])
            t[kept++] = t[k];
    v->used = kept * sizeof *t;
}

/* The times of all lines that show the variable, those before the beginning left
   out. */
static bool take_wishes(FilmReel *r, const CosyModel *m, double from,
                        int direction)
{
    for (uint32_t k = 0; k < m->n_shows; k++) {
        const CosyShow *line = &m->shows[k];
        bool shown = shows(line, r->variable);
        for (uint32_t i = 0; shown && i < line->n_times; i++) {
            double t = (double)line->times[i];
            if ((t - from) * direction >= 0 &&
                !vector_append(&r->wish, &t, sizeof t))
                return false;
        }
    }
    if (r->wish.used)
        qsort(r->wish.bytes, r->wish.used / sizeof(double), sizeof(double),
              direction > 0 ? ascending : descending);
    drop_repeated(&r->wish);
    return true;
}

/* The time of its next frame; false: no more is wanted. */
static bool next_time(const FilmReel *r, double *t)
{
    const double *wish = (const double *)(const void *)r->wish.bytes;
    if (r->moving)
        *t = r->from + (double)r->next * r->step;
    else if (r->next < r->wish.used / sizeof *wish)
        *t = wish[r->next];
    else
        return false;
    return true;
}

/* Tells the probe when to look next. */
static Status plan(Film *f)
{
    double first = 0, t;
    bool any = false;
    int direction = f->run->direction;
    uint32_t n;
    const FilmReel *reel = film_reels(f, &n);
    for (uint32_t k = 0; k < n; k++)
        if (next_time(&reel[k], &t) && (!any || (t - first) * direction < 0)) {
            first = t;
            any = true;
        }
    real at = (real)first;
    if (!any)
        return STATUS_OK;
    if (!vector_append(&f->plan, &at, sizeof at))
        return STATUS_MEMORY;
    f->run->probe.time = (const real *)(const void *)f->plan.bytes;
    f->run->probe.n = f->plan.used / sizeof at;
    return STATUS_OK;
}

/* ---- Frames ----------------------------------------------------------------------- */

static Status shoot(FilmReel *r, const Cosy *c, double t)
{
    const CosyVariable *v = &c->model->variables[r->variable];
    size_t n = (size_t)r->points[0] * r->points[1];
    if (!vector_append(&r->time, &t, sizeof t) ||
        !vector_append(&r->value, NULL, n * sizeof(double)))
        return STATUS_MEMORY;
    double *to = (double *)(void *)(r->value.bytes + r->value.used) - n;
    for (uint32_t i = 0; i < r->points[0]; i++)
        for (uint32_t j = 0; j < r->points[1]; j++)
            *to++ = (double)value_real(
                c, v, film_element(r, 0, i) * r->of[1] + film_element(r, 1, j));
    return STATUS_OK;
}

/* Every other frame goes, and those that come are twice as far apart. */
static void thin_out(FilmReel *r)
{
    size_t n = film_frames(r), size = (size_t)r->points[0] * r->points[1];
    double *time = (double *)(void *)r->time.bytes;
    double *value = (double *)(void *)r->value.bytes;
    assert(n % 2 == 1 && r->next % 2 == 0);
    for (size_t k = 0; 2 * k < n; k++) {
        time[k] = time[2 * k];
        memmove(value + k * size, value + 2 * k * size, size * sizeof *value);
    }
    n = (n + 1) / 2;
    r->time.used = n * sizeof *time;
    r->value.used = n * size * sizeof *value;
    r->step *= 2;
    r->next /= 2;
}

/* With more frames than its plan has, the run is longer than it seemed. */
static Status take(FilmReel *r, const Cosy *c, double t)
{
    TRY(shoot(r, c, t));
    if (r->moving && film_frames(r) > r->most + 1 && r->next % 2 == 0)
        thin_out(r);
    r->next++;
    return STATUS_OK;
}

static Status look(void *user, Cosy *c, size_t k)
{
    Film *f = user;
    double now = (double)((const real *)(const void *)f->plan.bytes)[k], t;
    uint32_t n;
    FilmReel *reel = film_reels(f, &n);
    for (uint32_t i = 0; i < n; i++)
        while (next_time(&reel[i], &t) && (t - now) * f->run->direction <= 0)
            TRY(take(&reel[i], c, now));
    return plan(f);
}

/* ---- A run -------------------------------------------------------------------------- */

/* The distance of even times. Nobody knows how long a run TO FINISH will be: it
   begins with a short one, which doubles whenever there are too many frames. */
static double even_step(const Run *r, const FilmReel *reel, double from)
{
    const RunOptions *o = &r->options;
    double span = fabs((double)o->to - from), short_one = 1e-6;
    if (o->to_finish)
        span = o->comint > R(0.0)
                   ? (double)o->comint * reel->most
                   : short_one * reel->most * fmax(1, fabs(from));
    return r->direction * span / reel->most;
}

static Status open_film(void *user, Run *r)
{
    Film *f = user;
    FilmReel *reel;
    uint32_t n;
    double from = (double)r->c->head->t;
    film_free(f);
    if (r->options.task != COSY_SIMULATE)
        return STATUS_OK;
    if (!open_reels(f, r->model))
        return STATUS_MEMORY;
    f->run = r;
    f->begins = from;
    reel = film_reels(f, &n);
    for (uint32_t k = 0; k < n; k++) {
        FilmReel *one = &reel[k];
        one->from = from;
        if (!take_places(one, r->c))
            return STATUS_MEMORY;
        one->step = even_step(r, one, from);
        if (!one->moving && !take_wishes(one, r->model, from, r->direction))
            return STATUS_MEMORY;
        if (one->moving && !(fabs(one->step) > 0))
            one->step = r->direction; // it ends where it begins
    }
    r->probe = (Probe){.look = look, .user = f, .kept = r->probe.kept};
    return plan(f);
}

RunWatch film_watch(Film *f)
{
    return (RunWatch){.open = open_film, .user = f};
}

void film_end(Film *f, const Run *r)
{
    double t = (double)r->c->head->t;
    uint32_t reels;
    FilmReel *reel = film_reels(f, &reels);
    for (uint32_t k = 0; k < reels; k++) {
        FilmReel *one = &reel[k];
        size_t n = film_frames(one);
        double last = n ? film_time(one, n - 1) : 0;
        double near = 1e-9 * fabs(t - f->begins);
        if ((n == 0 || fabs(last - t) > near) &&
            shoot(one, r->c, t) != STATUS_OK)
            f->broken = true;
    }
    f->run = NULL;
}

void film_free(Film *f)
{
    uint32_t n;
    FilmReel *reel = film_reels(f, &n);
    for (uint32_t k = 0; k < n; k++) {
        vector_free(&reel[k].place[0]);
        vector_free(&reel[k].place[1]);
        vector_free(&reel[k].time);
        vector_free(&reel[k].value);
        vector_free(&reel[k].wish);
    }
    vector_free(&f->reels);
    vector_free(&f->plan);
    *f = (Film){0};
}
