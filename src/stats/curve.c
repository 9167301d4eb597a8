#include "stats/curve.h"

#include <assert.h>

/* ---- Taking a curve -------------------------------------------------------------- */

static bool rises(const real *rows, size_t count, uint32_t columns)
{
    return rows[(count - 1) * columns] >= rows[0];
}

CurveFault curve_take(Curve *c, Arena *a, const real *rows, size_t count,
                      uint32_t columns, uint32_t column, real *at)
{
    real *t = NEW_ARRAY(a, real, count + 1), *x = NEW_ARRAY(a, real, count + 1);
    *c = (Curve){.t = t, .x = x, .n = count};
    if (!t || !x)
        return CURVE_NO_MEMORY;
    for (size_t k = 0; k < count; k++) {
        size_t row = rises(rows, count, columns) ? k : count - 1 - k;
        t[k] = *at = rows[row * columns];
        x[k] = rows[row * columns + column];
        if (!cosy_finite(t[k]) || !cosy_finite(x[k]))
            return CURVE_NO_VALUE;
        if (k > 0 && t[k] < t[k - 1]) {
            *at = t[k - 1];
            return CURVE_BACK;
        }
    }
    return count > 1 && t[count - 1] > t[0] ? CURVE_GOOD : CURVE_SHORT;
}

/* ---- Equal distances ------------------------------------------------------------- */

static real widest_gap(const Curve *c, size_t *times)
{
    real most = R(0.0);
    *times = 1;
    for (size_t k = 1; k < c->n; k++) {
        most = cosy_max(most, c->t[k] - c->t[k - 1]);
        *times += c->t[k] > c->t[k - 1];
    }
    return most;
}

/* Whether there is a record at every point, but for rounding. */
static bool are_records(const Curve *c, const CurveAxis *axis)
{
    size_t k = 0;
    real near = R(1e-6) * axis->step;
    for (size_t i = 0; i < axis->n; i++) {
        real t = axis->from + (real)i * axis->step;
        while (k < c->n && c->t[k] < t - near)
            k++;
        if (k == c->n || c->t[k] > t + near)
            return false;
    }
    return true;
}

/* A long sum of gaps knows the distance better than one of them, which an event
   just beside a communication point makes longer. */
static real mean_gap(const Curve *c, real gap, real count)
{
    size_t k = c->n - 1;
    real last = c->t[0] + count * gap;
    while (k > 0 && cosy_abs(c->t[k - 1] - last) < cosy_abs(c->t[k] - last))
        k--;
    return cosy_abs(c->t[k] - last) < R(1e-2) * gap
               ? (c->t[k] - c->t[0]) / count
               : gap;
}

CurveAxis curve_axis(const Curve *c)
{
    size_t times;
    real length = c->t[c->n - 1] - c->t[0], gap = widest_gap(c, &times);
    assert(length > R(0.0));
    real count = cosy_floor(length / gap + R(1e-3));
    CurveAxis axis = {.from = c->t[0], .n = (size_t)count + 1};
    axis.step = mean_gap(c, gap, count);
    axis.records = are_records(c, &axis);
    if (axis.records)
        return axis;
    return (CurveAxis){
        .from = c->t[0], .step = length / (real)(times - 1), .n = times};
}

/* ---- Values ---------------------------------------------------------------------- */

void curve_at(const Curve *c, real t, size_t *hint, real *before, real *after)
{
    size_t k = *hint; // the last record before t, or the first
    while (k + 1 < c->n && c->t[k + 1] < t)
        k++;
    *hint = k;
    size_t last = k;
    while (last + 1 < c->n && c->t[last + 1] <= t)
        last++;
    if (c->t[last] == t) { // records at t: from the first to the last
        size_t first = c->t[k] == t || k == last ? k : k + 1;
        *before = c->x[first];
        *after = c->x[last];
    } else if (k + 1 == c->n || t < c->t[0]) {
        *before = *after = c->x[t < c->t[0] ? 0 : k];
    } else {
        real share = (t - c->t[k]) / (c->t[k + 1] - c->t[k]);
        *before = *after = c->x[k] + share * (c->x[k + 1] - c->x[k]);
    }
}

/* The record at a point that is one but for rounding. */
static real snap(const Curve *c, size_t k, real t, real near)
{
    while (k < c->n && c->t[k] < t - near)
        k++;
    return k < c->n && c->t[k] <= t + near ? c->t[k] : t;
}

void curve_sample(const Curve *c, const CurveAxis *axis, real *x)
{
    size_t hint = 0;
    for (size_t i = 0; i < axis->n; i++) {
        real before, after, t = axis->from + (real)i * axis->step;
        if (axis->records)
            t = snap(c, hint, t, R(1e-6) * axis->step);
        curve_at(c, t, &hint, &before, &after);
        if (i == 0)
            x[i] = after; // at both ends, only the inner side belongs to it
        else if (i + 1 == axis->n || before == after)
            x[i] = before;
        else
            x[i] = (before + after) / R(2.0);
    }
}
