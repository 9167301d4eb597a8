#include "stats/refine.h"

#include <assert.h>

/* The highest order that differences are believed to show. */
#define ORDER_MOST R(16.0)

static real power(real base, real exponent)
{
    return cosy_exp(exponent * cosy_log(base));
}

/* How far falls to near when the error has order p. */
static real quotient(const RefineGrids *g, real p)
{
    real r = power(g->half, p), s = power(g->quarter, p);
    return r * (s - R(1.0)) / (r - R(1.0));
}

/* The quotient grows with the order, so bisection finds it whatever the ratios
   are; for equal ones it is a logarithm. */
real refine_order(const RefineGrids *g, real near, real far)
{
    real low = R(0.01), high = ORDER_MOST;
    if (!cosy_finite(near) || !cosy_finite(far) || g->quarter <= R(1.0) ||
        near <= R(0.0))
        return COSY_NAN;
    assert(g->half > R(1.0));
    if (far <= quotient(g, low) * near)
        return R(0.0);
    if (far >= quotient(g, high) * near)
        return high;
    while (high - low > R(1e-6)) {
        real middle = (low + high) / R(2.0);
        if (quotient(g, middle) * near < far)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / R(2.0);
}

real refine_estimate(const RefineGrids *g, real order, real near)
{
    return near / (power(g->half, order) - R(1.0));
}

/* The error is q^n: from the quarter to the half it falls by near/far, and from
   there to the run once more, as often as the intervals grew by the same number.
 */
static RefineVerdict judge_geometric(const RefineGrids *g,
                                     const RefineNumbers *n)
{
    RefineVerdict v = {
        .estimate = n->near, .order = COSY_NAN, .word = REFINE_UNSEEN};
    if (!cosy_finite(n->far) || g->quarter <= R(1.0))
        return v;
    real fall = n->near / n->far;
    real times = g->quarter * (g->half - R(1.0)) / (g->quarter - R(1.0));
    v.word = REFINE_COARSE;
    if (!(fall < R(0.5)))
        return v;
    v.word = REFINE_EXPECTED;
    v.estimate = cosy_max(n->near * power(fall, times), n->noise);
    v.reliable = n->near < R(0.2) * n->size;
    return v;
}

/* Whether the errors for the two orders differ by a factor of three at most:
   then the estimate is right within that factor, whichever of them is true. A
   shock or a kink has order one, whatever the scheme is. */
static bool is_near(const RefineGrids *g, real observed)
{
    real expected = power(g->half, g->order) - R(1.0);
    real seen = power(g->half, observed) - R(1.0);
    return expected <= R(3.0) * seen || cosy_abs(observed - R(1.0)) < R(0.35);
}

/* An order that is higher than that of the scheme will not last: the error is
   estimated with the lower of the two, so it is too large rather than too small. */
static void judge_order(RefineVerdict *v, const RefineGrids *g, real near)
{
    real p = v->order;
    if (p < R(0.3)) {
        v->word = REFINE_COARSE;
        return;
    }
    v->estimate = refine_estimate(g, cosy_min(p, g->order), near);
    if (p > g->order + R(1.0)) {
        v->word = REFINE_COARSE;
    } else if (p >= g->order - R(0.5)) {
        v->word = REFINE_EXPECTED;
        v->reliable = true;
    } else {
        v->word = REFINE_OTHER;
        v->reliable = is_near(g, p);
    }
}

RefineVerdict refine_judge(const RefineGrids *g, const RefineNumbers *n)
{
    /* Where nothing is known about the order, the whole difference is the
       estimate, and the larger one if differences grow. */
    RefineVerdict v = {.estimate = cosy_max(n->near, n->noise),
                       .order = COSY_NAN,
                       .word = REFINE_LOST};
    if (!cosy_finite(n->near)) {
        v.estimate = COSY_NAN;
        v.word = REFINE_COARSE;
        return v;
    }
    if (n->near <= R(3.0) * n->noise || n->near <= R(0.0))
        return v;
    if (g->order <= R(0.0))
        return judge_geometric(g, n);
    v.order = refine_order(g, n->near, n->far);
    if (!cosy_finite(v.order)) {
        v.word = REFINE_UNSEEN;
        v.estimate = refine_estimate(g, cosy_min(g->order, R(1.0)), n->near);
        return v;
    }
    v.estimate = cosy_max(n->near, n->far);
    judge_order(&v, g, n->near);
    if (n->near > R(0.2) * n->size) {
        v.word = REFINE_COARSE;
        v.reliable = false;
    }
    return v;
}

/* Where a difference passes through zero, the error does not: what the other
   grids lead to expect there is its least size. */
real refine_one(const RefineGrids *g, real order, real near, real far)
{
    if (g->order <= R(0.0))
        return near;
    real least = cosy_finite(far) && g->quarter > R(1.0)
                     ? far / quotient(g, order)
                     : R(0.0);
    return refine_estimate(g, order, cosy_max(near, least));
}

const char *refine_words(RefineWord word)
{
    static const char *const words[] = {
        [REFINE_LOST] = "lost in the error in time",
        [REFINE_EXPECTED] = "as expected",
        [REFINE_OTHER] = "another order than expected",
        [REFINE_COARSE] = "the grid is too coarse to say",
        [REFINE_UNSEEN] = "no third grid shows an order",
    };
    return words[word];
}
