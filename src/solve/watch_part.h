#ifndef COSY_SOLVE_WATCH_PART_H
#define COSY_SOLVE_WATCH_PART_H

/* Shared by the files of the watch: watch.c has the steps and their crossings,
   watch_event.c how conditions stand after an event, and which is taken
   first. */

#include "solve/watch.h"

#define watch_evaluate COSY_NAME(watch_evaluate)
#define watch_entry    COSY_NAME(watch_entry)
#define watch_know     COSY_NAME(watch_know)
#define watch_fires    COSY_NAME(watch_fires)
#define watch_follow   COSY_NAME(watch_follow)

/* Evaluates all conditions at a point, into w->seen. */
Status watch_evaluate(Watch *w, real t, const real *x, const real *dx,
                      uint32_t *count);
/* The entry of a condition that is seen for the first time. */
Watched watch_entry(const Watch *w, const CosyCondition *k);
/* The list of conditions has been made: notes which copies it can know. */
void watch_know(Watch *w);
/* Whether a condition fires with this z; how it stands if it does not. */
bool watch_fires(const Watch *w, const Watched *e, real z, real dz);
void watch_follow(const Watch *w, Watched *e, real z, real dz);

/* ---- Facts about a condition ---- */

static inline Watched *entries(const Watch *w)
{
    return (Watched *)(void *)w->list.bytes;
}

static inline int sign_of(real z)
{
    return (z > R(0.0)) - (z < R(0.0));
}

static inline const CosyConditionInfo *info_of(const Watch *w, uint32_t id)
{
    return &w->model->conditions_info[id];
}

static inline bool hidden(const Watch *w, const Watched *e)
{
    return info_of(w, e->id)->kind == COSY_HIDDEN;
}

/* It fires as soon as it leaves a zero that it began with. */
static inline bool leaves_zero(const Watch *w, const Watched *e)
{
    return hidden(w, e) || info_of(w, e->id)->kind == COSY_WAIT;
}

/* It fires as soon as it leaves the zero that a run begins with; a CONDIT only
   in a branch, and in its direction: that is where it enters the branch. */
static inline bool leaves_first(const Watch *w, const Watched *e)
{
    const CosyConditionInfo *info = info_of(w, e->id);
    return leaves_zero(w, e) ||
           (info->kind == COSY_CONDIT && info->activates && info->direction);
}

/* The side of a relation that zero belongs to; 0: there is none, or it is not a
   relation. */
static inline int zero_side(const Watch *w, const Watched *e)
{
    return leaves_zero(w, e) ? info_of(w, e->id)->zero : 0;
}

/* A FINISH of something that is true or false, not of an equality that is
   passed. */
static inline bool finish(const Watch *w, const Watched *e)
{
    const CosyConditionInfo *info = info_of(w, e->id);
    return info->kind == COSY_FINISH && info->direction != 0;
}

/* True if the point alone says how the condition stands: a relation is true or
   false there, whatever came before. */
static inline bool follows_point(const Watch *w, const Watched *e)
{
    return hidden(w, e) || zero_side(w, e) != 0 || finish(w, e);
}

/* True if the point itself satisfies a FINISH. */
static inline bool finishes(const Watch *w, const Watched *e)
{
    return info_of(w, e->id)->kind == COSY_FINISH &&
           (finish(w, e) ? e->z > R(0.0) : e->z == R(0.0));
}

/* Change of z along the run, which may go backward in time. */
static inline real along(const Watch *w, real dz)
{
    const CosyHead *h = w->c->head;
    return h->t_end < h->t_begin ? -dz : dz;
}

/* The possible rounding error of numbers like these. */
static inline real rounding(const real *x, uint32_t n)
{
    real scale = R(0.0);
    for (uint32_t i = 0; i < n; i++)
        scale = cosy_max(scale, cosy_abs(x[i]));
    return R(64.0) * COSY_EPSILON * scale;
}

#endif
