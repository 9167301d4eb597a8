#include "stats/student.h"

#include <math.h>

#define PI R(3.14159265358979323846264338327950288)

/* Both sums consist of terms c(j) cos^k(a), where tan(a) = t / sqrt(freedom).
   At a = 0 the derivative of the share with respect to a is the sum of the
   c(j); elsewhere it is that times cos^(freedom - 1). */
real student_share(uint64_t freedom, real t, real *slope)
{
    const real v = (real)freedom;
    const real a = cosy_atan(t / cosy_sqrt(v));
    const real sine = cosy_sin(a), cosine = cosy_cos(a);
    const bool odd = freedom % 2 == 1;
    real term = odd ? cosine : R(1.0), weight = R(1.0);
    real sum = R(0.0), weights = R(0.0);
    for (uint64_t j = odd ? 3 : 2; j <= freedom; j += 2) {
        sum += term;
        weights += weight;
        real ratio = (real)(j - 1) / (real)j;
        weight *= ratio;
        term *= ratio * cosine * cosine;
    }
    real share = odd ? (a + sine * sum) * R(2.0) / PI : sine * sum;
    real start = odd ? (R(1.0) + weights) * R(2.0) / PI : weights;
    *slope = start * cosy_pow(cosine, v - R(1.0)) * cosy_sqrt(v) / (v + t * t);
    return share;
}

/* Expansion in powers of 1/freedom about the normal quantile. */
static real expansion(real v)
{
    const real x = R(1.95996398454005423552459443052055153), y = x * x;
    real g1 = (y + R(1.0)) / R(4.0);
    real g2 = ((R(5.0) * y + R(16.0)) * y + R(3.0)) / R(96.0);
    real g3 = (((R(3.0) * y + R(19.0)) * y + R(17.0)) * y - R(15.0)) / R(384.0);
    real g4 =
        ((((R(79.0) * y + R(776.0)) * y + R(1482.0)) * y - R(1920.0)) * y -
         R(945.0)) /
        R(92160.0);
    return x + x * (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

real student_95(uint64_t freedom)
{
    const real share = R(0.95);
    if (freedom == 0)
        return (real)INFINITY;
    if (freedom == 1)
        return cosy_tan(share * PI / R(2.0));
    if (freedom == 2)
        return share * cosy_sqrt(R(2.0) / (R(1.0) - share * share));
    real t = expansion((real)freedom), slope;
    for (int k = 0; k < 20 && freedom <= STUDENT_EXACT; k++) {
        real off = student_share(freedom, t, &slope) - share;
        t -= off / slope;
        if (cosy_abs(off) < cosy_sqrt(COSY_EPSILON) * R(0.01))
            break; // the next step is exact to the last place
    }
    return t;
}
