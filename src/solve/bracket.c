#include "solve/bracket.h"

real time_ulp(real t)
{
    real a = cosy_abs(t);
    return cosy_max(a * COSY_EPSILON, COSY_REAL_MIN / COSY_EPSILON);
}

void bracket_make(Bracket *b, BracketPoint near, BracketPoint far)
{
    b->near = near;
    b->far = far;
    b->near_weight = b->far_weight = R(1.0);
    b->width = cosy_abs(far.t - near.t);
    b->proposals = 0;
    b->last = 0;
}

static bool inside(const Bracket *b, real t)
{
    return (t - b->near.t) * (b->far.t - t) > R(0.0);
}

static real regula(const Bracket *b)
{
    real zn = b->near.z * b->near_weight;
    real zf = b->far.z * b->far_weight;
    real share = zn / (zn - zf);
    return b->near.t + share * (b->far.t - b->near.t);
}

/* Cubic t(z) through both ends with their derivatives, at z = 0. Allowed when
   z falls towards zero at the near end and rises from it at the far end. */
static bool hermite(const Bracket *b, real *t)
{
    const BracketPoint *n = &b->near, *f = &b->far;
    real span = f->t - n->t;
    if (!(n->z * n->dz * span < R(0.0)) || !(f->z * f->dz * span > R(0.0)))
        return false;
    real rise = f->z - n->z;
    real u = -n->z / rise; // place of the zero between the two values
    real dn = rise / n->dz, df = rise / f->dz;
    /* Regula falsi with a correction. */
    real v = R(1.0) - u;
    *t = n->t + span * u + u * v * (v * (dn - span) - u * (df - span));
    return inside(b, *t);
}

real bracket_next(Bracket *b, CosyScheme scheme)
{
    real middle = b->near.t + (b->far.t - b->near.t) / R(2.0);
    real width = cosy_abs(b->far.t - b->near.t);
    real t;
    if (scheme == COSY_BISECT)
        return middle;
    /* Whatever the scheme, four proposals must halve the bracket; a root of
       high multiplicity would be crept up to otherwise. */
    if (scheme == COSY_CROSSES && ++b->proposals % 4 == 0) {
        bool slow = width > b->width / R(2.0);
        b->width = width;
        if (slow)
            return middle;
    }
    if (scheme != COSY_REGULA && hermite(b, &t))
        return t;
    t = regula(b);
    return inside(b, t) ? t : middle;
}

void bracket_take(Bracket *b, BracketPoint p, bool far)
{
    if (far) {
        b->far = p;
        b->far_weight = R(1.0);
        if (b->last == 1)
            b->near_weight /= R(2.0);
        b->last = 1;
    } else {
        b->near = p;
        b->near_weight = R(1.0);
        if (b->last == -1)
            b->far_weight /= R(2.0);
        b->last = -1;
    }
}
