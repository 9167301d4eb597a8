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
    b->before = R(0.0);
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
    real u = -n->z / rise; // position of the zero between the two values
    real dn = rise / n->dz, df = rise / f->dz;
    /* Regula falsi with a correction. */
    real v = R(1.0) - u;
    *t = n->t + span * u + u * v * (v * (dn - span) - u * (df - span));
    return inside(b, *t);
}

/* The other end has not moved for several proposals. If z falls fast, t is very
   near the zero: a hundredth of the way further leads across it and moves that
   end. If z falls slowly, the zero is flat and bisection is best. */
static real hurry(const Bracket *b, real t, real middle)
{
    const BracketPoint *moved = b->last > 0 ? &b->far : &b->near;
    real beyond = t + (t - moved->t) / R(100.0);
    bool fast = cosy_abs(moved->z) < b->before / R(8.0);
    return fast && inside(b, beyond) ? beyond : middle;
}

real bracket_next(Bracket *b, CosyScheme scheme)
{
    real middle = b->near.t + (b->far.t - b->near.t) / R(2.0);
    real width = cosy_abs(b->far.t - b->near.t);
    real t;
    if (scheme == COSY_BISECT)
        return middle;
    if (scheme == COSY_REGULA || !hermite(b, &t))
        t = regula(b);
    if (!inside(b, t))
        return middle;
    /* Three proposals (five of regula falsi, which changes sides by itself)
       must quarter the bracket; otherwise a flat zero would be approached by
       creeping. */
    int patience = scheme == COSY_REGULA ? 5 : 3;
    if (++b->proposals < patience)
        return t;
    bool slow = width > b->width / R(4.0);
    b->proposals = slow ? patience - 1 : 0;
    b->width = width;
    return slow ? hurry(b, t, middle) : t;
}

void bracket_take(Bracket *b, BracketPoint p, bool far)
{
    b->before = cosy_abs(far ? b->far.z : b->near.z);
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
