#include "plot/plots.h"

#include <string.h>

static bool copy_text(Arena *a, const char **text)
{
    if (!*text)
        return true;
    *text = arena_text(a, *text, strlen(*text));
    return *text != NULL;
}

static bool copy_numbers(Arena *a, const double **numbers, size_t n)
{
    if (!*numbers || n == 0)
        return true;
    double *own = NEW_ARRAY(a, double, n);
    if (own)
        memcpy(own, *numbers, n * sizeof *own);
    *numbers = own;
    return own != NULL;
}

static bool copy_series(Arena *a, PlotSeries *s)
{
    return copy_text(a, &s->name) && copy_numbers(a, &s->x, s->n) &&
           copy_numbers(a, &s->x2, s->n) && copy_numbers(a, &s->y, s->n) &&
           copy_numbers(a, &s->y2, s->n) && copy_numbers(a, &s->z, s->n);
}

static bool copy_axes(Arena *a, Plot *p)
{
    PlotAxis *lower = NEW_ARRAY(a, PlotAxis, p->lowers + 1);
    bool ok = lower && copy_text(a, &p->x.label) && copy_text(a, &p->y.label) &&
              copy_text(a, &p->z.label);
    for (uint32_t k = 0; ok && k < p->lowers; k++) {
        lower[k] = p->lower[k];
        ok = copy_text(a, &lower[k].label);
    }
    p->lower = lower;
    return ok;
}

static bool copy_texts(Arena *a, Plot *p)
{
    PlotText *own = NEW_ARRAY(a, PlotText, p->texts + 1);
    bool ok = own != NULL;
    for (uint32_t k = 0; ok && k < p->texts; k++) {
        own[k] = p->text[k];
        ok = copy_text(a, &own[k].text);
    }
    p->text = own;
    return ok;
}

/* As many values in each frame as the series has points. */
static bool copy_film(Arena *a, Plot *p)
{
    PlotFilm *f = &p->film;
    return f->frames == 0 ||
           (copy_text(a, &f->label) && copy_numbers(a, &f->time, f->frames) &&
            copy_numbers(a, &f->value, f->frames * p->series[0].n));
}

Status plots_add(Plots *all, const Plot *p)
{
    Plot own = *p;
    PlotSeries *series = NEW_ARRAY(&all->arena, PlotSeries, p->n + 1);
    bool ok = series && copy_text(&all->arena, &own.title) &&
              copy_text(&all->arena, &own.note) &&
              copy_text(&all->arena, &own.asked) &&
              copy_axes(&all->arena, &own) && copy_texts(&all->arena, &own) &&
              copy_film(&all->arena, &own);
    for (uint32_t k = 0; ok && k < p->n; k++) {
        series[k] = p->series[k];
        ok = copy_series(&all->arena, &series[k]);
    }
    own.series = series;
    return ok && vector_append(&all->v, &own, sizeof own) ? STATUS_OK
                                                          : STATUS_MEMORY;
}

void plots_free(Plots *all)
{
    vector_free(&all->v);
    arena_free(&all->arena);
}
