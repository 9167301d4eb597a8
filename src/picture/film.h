#ifndef COSY_PICTURE_FILM_H
#define COSY_PICTURE_FILM_H

/* What is kept of a run for lines of OUTPUT that show arrays over their index: the
   elements at chosen times, and at times that are evenly spread over the run. Only
   what pictures need is kept: a large array is thinned, and of a long run there are
   only so many frames. The run does not notice (run/probe.h).

       film_wanted   whether OUTPUT has such lines
       film_watch    for a run: who looks at it
       film_end      the run is over: its last frame
       film_find     the reel of a variable
       film_free

   A film holds no pointer into the run, and outlives it. */

#include "base/buffer.h"
#include "run/run.h"

#define Film        COSY_NAME(Film)
#define FilmReel    COSY_NAME(FilmReel)
#define film_is     COSY_NAME(film_is)
#define film_wanted COSY_NAME(film_wanted)
#define film_watch  COSY_NAME(film_watch)
#define film_end    COSY_NAME(film_end)
#define film_axis   COSY_NAME(film_axis)
#define film_find   COSY_NAME(film_find)
#define film_free   COSY_NAME(film_free)

enum {
    FILM_POINTS = 1000,       // of one index that are kept for profiles
    FILM_SIDE = 200,          // of each of two, fewer with very many times
    FILM_CELLS = 4000000,     // values that are kept of those
    FILM_MOVING_POINTS = 300, // the same at evenly spread times
    FILM_MOVING_SIDE = 48,
    FILM_FRAMES = 100, // at most, of one index
    FILM_SHORT = 40    // of two
};

/* Frames of one variable, one after the other. */
typedef struct FilmReel {
    uint32_t variable;
    bool moving;        // at even times; else at those of AT TIME, and the last
    uint32_t points[2]; // along each index that are kept
    uint32_t of[2];     // that there are; 1: it has no second index
    Vector place[2]; // double: where the points are, as index or as coordinate
    Vector time;     // double, one for each frame
    Vector value;    // double, points[0] * points[1] for each frame
    Vector wish;     // double: times of AT TIME, in the direction of the run
    size_t next;     // of `wish`, or of the even times
    uint32_t most;   // frames, before every other one is dropped
    double from, step; // even times
} FilmReel;

typedef struct Film {
    Vector reels; // FilmReel
    Vector plan;  // real: times at which the run is looked at, the last to come
    Run *run;
    double begins;
    bool broken; // there was no memory
} Film;

/* Whether a line is about arrays over their index. */
static inline bool film_is(const CosyShow *line)
{
    return line->kind >= COSY_SHADE && line->kind < COSY_SPECTRUM;
}

bool film_wanted(const CosyModel *m);
/* The coordinate along an index of a variable; NULL: it is an array. */
const CosyAxis *film_axis(const CosyModel *m, uint32_t variable, int index);
/* *f is all zero before; it stays where it is as long as the run. */
RunWatch film_watch(Film *f);
void film_end(Film *f, const Run *r);
/* NULL: there is none. */
const FilmReel *film_find(const Film *f, uint32_t variable, bool moving);
void film_free(Film *f);

static inline FilmReel *film_reels(const Film *f, uint32_t *n)
{
    *n = (uint32_t)(f->reels.used / sizeof(FilmReel));
    return (FilmReel *)(void *)f->reels.bytes;
}

static inline size_t film_frames(const FilmReel *r)
{
    return r->time.used / sizeof(double);
}

static inline const double *film_places(const FilmReel *r, int index)
{
    return (const double *)(const void *)r->place[index].bytes;
}

static inline double film_time(const FilmReel *r, size_t frame)
{
    return ((const double *)(const void *)r->time.bytes)[frame];
}

static inline const double *film_values(const FilmReel *r, size_t frame)
{
    return (const double *)(const void *)r->value.bytes +
           frame * r->points[0] * r->points[1];
}

/* Which element the k-th point along an index is, counted from 0: evenly spread
   with the first and the last. */
static inline uint32_t film_element(const FilmReel *r, int index, uint32_t k)
{
    uint32_t n = r->points[index], of = r->of[index];
    return n < 2 ? 0
                 : (uint32_t)(((uint64_t)k * (of - 1) + (n - 1) / 2) / (n - 1));
}

#endif
