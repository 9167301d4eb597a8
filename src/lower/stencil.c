#include "lower/stencil.h"

#include <assert.h>

#include "base/whole.h"

/* Polynomials with whole coefficients, and fractions of whole numbers. */

typedef struct Poly {
    int64_t c[STENCIL_MOST + 2];
    uint32_t degree;
} Poly;

typedef struct Fraction {
    int64_t above, below; // below > 0
} Fraction;

static int64_t divisor(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

static Fraction reduced(int64_t above, int64_t below)
{
    int64_t d = divisor(above, below);
    return below < 0 ? (Fraction){-above / d, -below / d}
                     : (Fraction){above / d, below / d};
}

static bool add(Fraction *a, Fraction b)
{
    int64_t x, y, below;
    if (!whole_multiply(a->above, b.below, &x) ||
        !whole_multiply(b.above, a->below, &y) || !whole_add(x, y, &x) ||
        !whole_multiply(a->below, b.below, &below))
        return false;
    *a = reduced(x, below);
    return true;
}

static bool multiply(Fraction *a, Fraction b)
{
    Fraction x = reduced(a->above, b.below), y = reduced(b.above, a->below);
    return whole_multiply(x.above, y.above, &a->above) &&
           whole_multiply(x.below, y.below, &a->below);
}

/* p times (x - root). */
static bool with_root(Poly *p, int64_t root)
{
    assert(p->degree < STENCIL_MOST + 1);
    p->c[p->degree + 1] = 0;
    for (uint32_t k = ++p->degree; k > 0; k--) {
        int64_t product;
        if (!whole_multiply(p->c[k], -root, &product) ||
            !whole_add(product, p->c[k - 1], &p->c[k]))
            return false;
    }
    return whole_multiply(p->c[0], -root, &p->c[0]);
}

/* The polynomial that is 0 at all nodes but j, and the product of the distances of
   these from j: its value there. */
static bool basis(const Stencil *s, uint32_t j, Poly *p, int64_t *value)
{
    *p = (Poly){.c = {1}};
    *value = 1;
    for (uint32_t k = 0; k < s->nodes; k++)
        if (k != j && (!with_root(p, s->node[k]) ||
                       !whole_multiply(*value, s->node[j] - s->node[k], value)))
            return false;
    return true;
}

/* d! times the coefficient of x^d. */
static bool derivative(const Poly *p, uint32_t d, int64_t *v)
{
    *v = d <= p->degree ? p->c[d] : 0;
    for (uint32_t k = 2; k <= d; k++)
        if (!whole_multiply(*v, k, v))
            return false;
    return true;
}

/* The weight of the value at node j where the slope at `slope_at` is known too: the
   polynomial has a double root there or, for that node itself, no slope. */
static bool sloped_weight(const Stencil *s, uint32_t j, uint32_t d, Fraction *w)
{
    Poly p;
    int64_t value, top;
    if (!basis(s, j, &p, &value))
        return false;
    if (s->node[j] != s->slope_at) {
        if (!with_root(&p, s->slope_at) ||
            !whole_multiply(value, s->node[j] - s->slope_at, &value) ||
            !derivative(&p, d, &top))
            return false;
        *w = reduced(top, value);
        return true;
    }
    Fraction slope = {0, 1};
    for (uint32_t k = 0; k < s->nodes; k++)
        if (k != j && !add(&slope, reduced(1, s->node[j] - s->node[k])))
            return false;
    if (!derivative(&p, d, &top))
        return false;
    *w = reduced(top, value);
    if (!with_root(&p, s->slope_at) || !derivative(&p, d, &top))
        return false;
    Fraction rest = reduced(-top, value);
    return multiply(&rest, slope) && add(w, rest);
}

static bool weight_of(const Stencil *s, uint32_t j, uint32_t d, Fraction *w)
{
    Poly p;
    int64_t value, top;
    if (s->sloped)
        return sloped_weight(s, j, d, w);
    if (!basis(s, j, &p, &value) || !derivative(&p, d, &top))
        return false;
    *w = reduced(top, value);
    return true;
}

/* The polynomial that is 0 at all nodes and has slope 1 at `slope_at`. */
static bool slope_weight(const Stencil *s, uint32_t d, Fraction *w)
{
    Poly p;
    int64_t value = 1, top;
    for (uint32_t k = 0; k < s->nodes; k++)
        if (s->node[k] == s->slope_at &&
            (!basis(s, k, &p, &value) || !with_root(&p, s->slope_at) ||
             !derivative(&p, d, &top)))
            return false;
        else if (s->node[k] == s->slope_at) {
            *w = reduced(top, value);
            return true;
        }
    assert(false);
    return false;
}

bool stencil_solve(Stencil *s, uint32_t d)
{
    Fraction w[STENCIL_MOST + 1] = {{0, 1}};
    uint32_t n = s->nodes + (s->sloped ? 1 : 0);
    assert(s->nodes > 0 && s->nodes <= STENCIL_MOST);
    for (uint32_t j = 0; j < s->nodes; j++)
        if (!weight_of(s, j, d, &w[j]))
            return false;
    if (s->sloped && !slope_weight(s, d, &w[s->nodes]))
        return false;
    s->over = 1;
    for (uint32_t j = 0; j < n; j++)
        if (!whole_multiply(s->over / divisor(s->over, w[j].below), w[j].below,
                            &s->over))
            return false;
    s->slope_weight = 0;
    for (uint32_t j = 0; j < n; j++) {
        int64_t *to = j < s->nodes ? &s->weight[j] : &s->slope_weight;
        if (!whole_multiply(w[j].above, s->over / w[j].below, to))
            return false;
    }
    return true;
}
