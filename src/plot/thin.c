#include "plot/thin.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* Columns and rows that are distinguished: about twice those of a picture. */
enum { COLUMNS = 1600, ROWS = 1000, MOST = 4000 };

typedef struct Thin {
    double *x, *y;
    bool logx, logy;
    double columns;
    double x0, y0, dx, dy; // to pixels
} Thin;

static double place(double v, bool logarithmic)
{
    return logarithmic ? log10(v) : v;
}

static bool is_there(const Thin *t, size_t k)
{
    return isfinite(place(t->x[k], t->logx)) &&
           isfinite(place(t->y[k], t->logy));
}

/* The limits of the points; false: there are none. */
static bool measure(Thin *t, size_t n)
{
    double x1 = -INFINITY, y1 = -INFINITY;
    t->x0 = t->y0 = INFINITY;
    for (size_t k = 0; k < n; k++) {
        if (!is_there(t, k))
            continue;
        double x = place(t->x[k], t->logx), y = place(t->y[k], t->logy);
        t->x0 = fmin(t->x0, x);
        t->y0 = fmin(t->y0, y);
        x1 = fmax(x1, x);
        y1 = fmax(y1, y);
    }
    t->dx = x1 > t->x0 ? t->columns / (x1 - t->x0) : 0;
    t->dy = y1 > t->y0 ? ROWS / (y1 - t->y0) : 0;
    return x1 >= t->x0 && isfinite(t->dx) && isfinite(t->dy);
}

static double column(const Thin *t, size_t k)
{
    return (place(t->x[k], t->logx) - t->x0) * t->dx;
}

static double row(const Thin *t, size_t k)
{
    return (place(t->y[k], t->logy) - t->y0) * t->dy;
}

/* Whether x goes from left to right, without a step back. */
static bool is_forward(const double *x, size_t n)
{
    double last = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        if (x[k] < last)
            return false;
        if (isfinite(x[k]))
            last = x[k];
    }
    return true;
}

static void keep(Thin *t, size_t from, size_t *to)
{
    t->x[*to] = t->x[from];
    t->y[*to] = t->y[from];
    ++*to;
}

/* Points first .. end - 1 of one column: at most four of them, in order. */
static void keep_column(Thin *t, size_t first, size_t end, size_t *to)
{
    size_t low = first, high = first, last = 0;
    for (size_t k = first; k < end; k++) {
        low = t->y[k] < t->y[low] ? k : low;
        high = t->y[k] > t->y[high] ? k : high;
    }
    size_t before = *to;
    size_t pick[4] = {first, low < high ? low : high, low < high ? high : low,
                      end - 1};
    for (int i = 0; i < 4; i++) {
        if (*to > before && pick[i] == last)
            continue;
        last = pick[i];
        keep(t, last, to);
    }
}

static size_t thin_columns(Thin *t, size_t n)
{
    size_t to = 0;
    for (size_t k = 0; k < n;) {
        size_t first = k;
        if (!is_there(t, k)) {
            while (k < n && !is_there(t, k))
                k++;
            t->x[to] = t->y[to] = NAN;
            to++;
            continue;
        }
        double here = floor(column(t, k));
        while (k < n && is_there(t, k) && floor(column(t, k)) == here)
            k++;
        keep_column(t, first, k, &to);
    }
    return to;
}

/* ---- Other curves ------------------------------------------------------------ */

enum { PLACES = 1 << 15 }; // size of the table, a power of two

/* The pairs of cells that are already joined. */
typedef struct Joined {
    uint64_t pair[PLACES]; // 0: none
    size_t used;
} Joined;

static uint64_t cell_of(const Thin *t, size_t k, double size)
{
    uint64_t c = (uint64_t)(column(t, k) / size);
    return c << 16 | (uint64_t)(row(t, k) / size);
}

/* Whether the pair is new; from now on it is not. */
static bool is_new(Joined *j, uint64_t a, uint64_t b)
{
    uint64_t pair = (a << 32 | b) + 1;
    size_t at = (size_t)((pair * 0x9E3779B97F4A7C15u) >> 49) % PLACES;
    while (j->pair[at] && j->pair[at] != pair)
        at = (at + 1) % PLACES;
    if (j->pair[at])
        return false;
    j->pair[at] = pair;
    j->used++;
    return true;
}

/* Marks the points that are needed for one line between every two cells that
   the curve joins; false: they are too many. */
static bool choose(const Thin *t, size_t n, double size, Joined *j,
                   bool *wanted)
{
    memset(j, 0, sizeof *j);
    memset(wanted, 0, n * sizeof *wanted);
    for (size_t k = 1; k < n; k++) {
        if (!is_there(t, k - 1) || !is_there(t, k))
            continue;
        if (j->used == MOST)
            return false;
        wanted[k] = is_new(j, cell_of(t, k - 1, size), cell_of(t, k, size));
    }
    return true;
}

/* wanted[k]: the line from k - 1 to k. These lines are kept as they are, with
   gaps between them; none is invented. */
static size_t keep_lines(Thin *t, size_t n, const bool *wanted, double *x,
                         double *y)
{
    size_t to = 0;
    for (size_t k = 1; k < n; k++) {
        if (!wanted[k])
            continue;
        if (k == 1 || !wanted[k - 1]) {
            if (to > 0) {
                x[to] = y[to] = NAN;
                to++;
            }
            x[to] = t->x[k - 1];
            y[to++] = t->y[k - 1];
        }
        x[to] = t->x[k];
        y[to++] = t->y[k];
    }
    memcpy(t->x, x, to * sizeof *x);
    memcpy(t->y, y, to * sizeof *y);
    return to;
}

/* Uses cells of one pixel, or larger ones if that leaves too many lines.
   Without memory the curve stays as it is. */
static size_t thin_cells(Thin *t, size_t n)
{
    Arena a = {0};
    Joined *j = NEW(&a, Joined);
    bool *wanted = NEW_ARRAY(&a, bool, n);
    double *x = NEW_ARRAY(&a, double, 3 * MOST + 3);
    double *y = NEW_ARRAY(&a, double, 3 * MOST + 3);
    double size = 1;
    if (j && wanted && x && y) {
        while (!choose(t, n, size, j, wanted))
            size *= 2;
        n = keep_lines(t, n, wanted, x, y);
    }
    arena_free(&a);
    return n;
}

size_t plot_thin(double *x, double *y, size_t n, ThinRoom room)
{
    Thin t = {.x = x,
              .y = y,
              .logx = room.logx,
              .logy = room.logy,
              .columns = room.columns ? room.columns : COLUMNS};
    if (n < (room.least ? room.least : THIN_LEAST) || !measure(&t, n))
        return n;
    return is_forward(x, n) ? thin_columns(&t, n) : thin_cells(&t, n);
}

size_t plot_plateaus(double *x, double *y, size_t n)
{
    size_t to = 0;
    for (size_t k = 0; k < n; k++) {
        bool same = to > 0 && k + 1 < n && y[k] == y[to - 1] && isfinite(x[k]);
        if (same)
            continue;
        x[to] = x[k];
        y[to++] = y[k];
    }
    assert(to <= n);
    return to;
}
