#include "plot/thin.h"

#include <math.h>

/* Columns and rows that are told apart: about twice those of a picture. */
enum { COLUMNS = 1600, ROWS = 1000, MOST = 4000 };

typedef struct Thin {
    double *x, *y;
    bool logx, logy;
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

/* The limits of what is there; false: nothing is. */
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
    t->dx = x1 > t->x0 ? COLUMNS / (x1 - t->x0) : 0;
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

/* From left to right, without a step back. */
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

/* How many are left when they are `apart` pixels from each other; they are
   moved only then. */
static size_t thin_apart(Thin *t, size_t n, double apart, bool move)
{
    size_t to = 0, last = 0, kept = 0;
    bool pen = false;
    for (size_t k = 0; k < n; k++) {
        bool there = is_there(t, k);
        bool far = there && pen &&
                   hypot(column(t, k) - column(t, last),
                         row(t, k) - row(t, last)) >= apart;
        bool wanted = there ? !pen || far || k + 1 == n : pen;
        if (!wanted)
            continue;
        pen = there;
        kept++;
        last = k;
        if (!move)
            continue;
        keep(t, k, &to);
        last = to - 1;
    }
    return kept;
}

size_t plot_thin(double *x, double *y, size_t n, bool logx, bool logy)
{
    Thin t = {.x = x, .y = y, .logx = logx, .logy = logy};
    double apart = 0.5;
    if (n < THIN_LEAST || !measure(&t, n))
        return n;
    if (is_forward(x, n))
        return thin_columns(&t, n);
    while (thin_apart(&t, n, apart, false) > MOST)
        apart *= 2;
    return thin_apart(&t, n, apart, true);
}
