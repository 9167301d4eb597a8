#ifndef COSY_TABLE_H
#define COSY_TABLE_H

/* Table functions (FUNCTABLE), included at the end of cosy/model.h.

   A table has n points with x growing. Segment 0 lies before the first of them,
   segment k from x[k-1] to x[k], segment n after the last; outside, a table
   keeps its end value. `m` holds the second derivatives of a SPLINE (natural
   cubic) at its points, computed once by cosy_table_prepare; NULL for others.

   cosy_table_at takes the segment as given: inside an integration step the
   polynomial of the active segment goes on smoothly beyond its ends. */

typedef enum CosyTableKind {
    COSY_TABLE_LINEAR,
    COSY_TABLE_SPLINE,
    COSY_TABLE_STEP // y[k-1] in segment k
} CosyTableKind;

typedef struct CosyTableInfo {
    const char *name;
    CosyTableKind kind;
    uint32_t points;
    const real *x, *y;
    uint32_t line;
    const char *outside; // what is said when a value beyond its points is
                         // requested
} CosyTableInfo;

static inline int64_t cosy_table_segment(const CosyTableInfo *f, real x)
{
    uint32_t low = 0, high = f->points; // the answer is in low .. high
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x >= f->x[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same for a relation: if x is NaN, the segment stays as it is. */
static inline int32_t cosy_table_side(const CosyTableInfo *f, real x,
                                      int32_t now)
{
    return x == x ? (int32_t)cosy_table_segment(f, x) : now;
}

static inline bool cosy_table_outside(const CosyTableInfo *f, int64_t segment)
{
    return segment <= 0 || segment >= (int64_t)f->points;
}

static inline real cosy_table_at(const CosyTableInfo *f, const real *m,
                                 int64_t segment, real x)
{
    if (x != x)
        return x;
    if (segment <= 0)
        return f->y[0];
    if (segment >= (int64_t)f->points)
        return f->y[f->points - 1];
    const real *p = f->x + segment - 1, *q = f->y + segment - 1;
    if (f->kind == COSY_TABLE_STEP)
        return q[0];
    real h = p[1] - p[0], b = (x - p[0]) / h;
    if (f->kind == COSY_TABLE_LINEAR)
        return q[0] + b * (q[1] - q[0]);
    real a = R(1.0) - b;
    m += segment - 1;
    return a * q[0] + b * q[1] +
           ((a * a - R(1.0)) * a * m[0] + (b * b - R(1.0)) * b * m[1]) *
               (h * h) / R(6.0);
}

static inline real cosy_table_at_slope(const CosyTableInfo *f, const real *m,
                                       int64_t segment, real x)
{
    if (x != x)
        return x;
    if (cosy_table_outside(f, segment) || f->kind == COSY_TABLE_STEP)
        return R(0.0);
    const real *p = f->x + segment - 1, *q = f->y + segment - 1;
    real h = p[1] - p[0], slope = (q[1] - q[0]) / h;
    if (f->kind == COSY_TABLE_LINEAR)
        return slope;
    real b = (x - p[0]) / h, a = R(1.0) - b;
    m += segment - 1;
    return slope + ((R(3.0) * b * b - R(1.0)) * m[1] -
                    (R(3.0) * a * a - R(1.0)) * m[0]) *
                       h / R(6.0);
}

/* The second or third derivative of a SPLINE. */
static inline real cosy_table_at_higher(const CosyTableInfo *f, const real *m,
                                        int64_t segment, real x, int order)
{
    if (x != x)
        return x;
    if (cosy_table_outside(f, segment))
        return R(0.0);
    const real *p = f->x + segment - 1;
    real bend = (m[segment] - m[segment - 1]) / (p[1] - p[0]);
    return order == 2 ? m[segment - 1] + bend * (x - p[0]) : bend;
}

static inline real cosy_table(const CosyTableInfo *f, const real *m, real x)
{
    return cosy_table_at(f, m, cosy_table_segment(f, x), x);
}

static inline real cosy_table_slope(const CosyTableInfo *f, const real *m,
                                    real x)
{
    return cosy_table_at_slope(f, m, cosy_table_segment(f, x), x);
}

static inline real cosy_table_higher(const CosyTableInfo *f, const real *m,
                                     real x, int order)
{
    return cosy_table_at_higher(f, m, cosy_table_segment(f, x), x, order);
}

/* x itself; rings once per run if x lies outside the table by more than an
   event at its end may overshoot. */
static inline real cosy_table_ring(Cosy *c, const CosyTableInfo *f,
                                   uint8_t *rung, real x)
{
    real last = f->x[f->points - 1], room = R(1e-9) * (last - f->x[0]);
    if (!*rung && (x < f->x[0] - room || x > last + room)) {
        *rung = 1;
        c->host->message(c, COSY_WARNING, f->line, f->outside);
    }
    return x;
}

/* Ends of a segment that is neither the first nor the last. */
static inline real cosy_table_low(const CosyTableInfo *f, int64_t segment)
{
    return f->x[segment - 1];
}

static inline real cosy_table_high(const CosyTableInfo *f, int64_t segment)
{
    return f->x[segment];
}

/* Second derivatives m of the natural cubic spline: with h[k] = x[k+1] - x[k],
   h[k-1] m[k-1] + 2 (h[k-1] + h[k]) m[k] + h[k] m[k+1] = 6 times the change of
   the slope at point k, and m = 0 at both ends. Gaussian elimination; `scratch`
   has n places. */
static inline void cosy_table_prepare(const CosyTableInfo *f, real *m,
                                      real *scratch)
{
    uint32_t n = f->points;
    const real *x = f->x, *y = f->y;
    m[0] = scratch[0] = m[n - 1] = R(0.0);
    for (uint32_t k = 1; k + 1 < n; k++) {
        real before = x[k] - x[k - 1], after = x[k + 1] - x[k];
        real change = (y[k + 1] - y[k]) / after - (y[k] - y[k - 1]) / before;
        real pivot = R(2.0) * (before + after) - before * scratch[k - 1];
        scratch[k] = after / pivot;
        m[k] = (R(6.0) * change - before * m[k - 1]) / pivot;
    }
    for (uint32_t k = n - 1; k-- > 1;)
        m[k] -= scratch[k] * m[k + 1];
}

#endif
