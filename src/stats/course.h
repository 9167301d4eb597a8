#ifndef COSY_STATS_COURSE_H
#define COSY_STATS_COURSE_H

/* The course over time of the use and queue of every resource, the content of
   every file and the value of every TIMEPERS: means over intervals of equal
   length, from the time integrals that the instance keeps anyway, so they are
   exact and cost nothing at events. When there are COURSE_MOST intervals,
   neighbours are joined and the interval doubles: memory is bounded, however
   long the run.

   The clock asks course_next how far it may go before the next interval ends,
   and then calls course_to with the time it has reached, before anything
   changes there. Between two such calls nothing else is needed.

   CLEAR does not touch the course: course_cut keeps what the integrals were
   before they start anew, and the curve continues. */

#include "base/arena.h"
#include "base/buffer.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"

#define Course         COSY_NAME(Course)
#define CourseState    COSY_NAME(CourseState)
#define CourseColumn   COSY_NAME(CourseColumn)
#define course_create  COSY_NAME(course_create)
#define course_begin   COSY_NAME(course_begin)
#define course_to      COSY_NAME(course_to)
#define course_cut     COSY_NAME(course_cut)
#define course_end     COSY_NAME(course_end)
#define course_find    COSY_NAME(course_find)
#define course_batches COSY_NAME(course_batches)
#define course_name    COSY_NAME(course_name)
#define course_write   COSY_NAME(course_write)
#define course_free    COSY_NAME(course_free)

#define COURSE_MOST 1000

typedef enum CourseKind {
    COURSE_USED, // of a FACILITY or STORAGE
    COURSE_WAITING,
    COURSE_CONTENT, // of a FILE
    COURSE_VALUE    // of a TIMEPERS
} CourseKind;

typedef struct CourseColumn {
    CourseKind kind;
    uint32_t which;
} CourseColumn;

/* Saved with the run. Interval k is from start + k step to start + (k + 1)
   step; step 0: not known yet (TO FINISH, before anything has happened). */
typedef struct CourseState {
    real start, step;
    uint32_t count; // full intervals
    uint32_t cut;   // CLEAR was inside this interval or before it; 0: never
    real rest;      // length of what follows the last full interval, at the end
} CourseState;

typedef struct Course {
    const CosyModel *model;
    CourseColumn *column;
    uint32_t columns, most;
    CourseState state;
    Vector means; // per interval, a real per column; the last is for `rest`
    Vector base;  // a real per column: integral at the start of the interval
} Course;

Status course_create(Course *k, const CosyModel *m, Arena *a, Image *image);
/* The run begins at c->head->t; `span` is its length, 0: not known. */
Status course_begin(Course *k, const Cosy *c, real span);
/* Time has reached t, and nothing has changed since the last event. */
Status course_to(Course *k, const Cosy *c, real t);
/* Called before and after the integrals start anew at t. */
void course_cut(Course *k, const Cosy *c, real t);
/* The run is over at c->head->t. */
Status course_end(Course *k, const Cosy *c);

/* Column, or COSY_NONE. */
uint32_t course_find(const Course *k, CourseKind kind, uint32_t which);
/* Means over the full intervals of a column after CLEAR, *n of them; NULL if
   there is no memory. The caller frees the vector. */
const real *course_batches(const Course *k, uint32_t column, Vector *v,
                           uint32_t *n);
/* DESK.used, DESK.waiting, LINE.content, X */
void course_name(Buffer *b, const Course *k, uint32_t column);
/* DIR/resources-NNNN.csv: TIME, the end of an interval, and the means over it.
   Nothing is written if there is no interval or no column. */
Status course_write(const Course *k, const char *dir, uint32_t run, Fault *f);
void course_free(Course *k);

/* Where the next interval ends; COSY_NEVER: nowhere. */
static inline real course_next(const Course *k)
{
    const CourseState *s = &k->state;
    return k->columns && s->step > R(0.0)
               ? s->start + (real)(s->count + 1) * s->step
               : COSY_NEVER;
}

/* Rows of `means`, including the last, shorter one. */
static inline uint32_t course_rows(const Course *k)
{
    return k->state.count + (k->state.rest > R(0.0));
}

static inline real course_mean(const Course *k, uint32_t row, uint32_t column)
{
    const real *mean = (const real *)(const void *)k->means.bytes;
    return mean[(size_t)row * k->columns + column];
}

/* End of a row. */
static inline real course_time(const Course *k, uint32_t row)
{
    const CourseState *s = &k->state;
    real t = s->start + (real)(row < s->count ? row + 1 : row) * s->step;
    return row < s->count ? t : t + s->rest;
}

#endif
