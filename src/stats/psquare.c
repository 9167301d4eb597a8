#include "stats/psquare.h"

#include <math.h>

/* The first five numbers, in order. */
static void add_first(Psquare *p, double value)
{
    uint32_t k = p->n;
    for (; k > 0 && p->height[k - 1] > value; k--)
        p->height[k] = p->height[k - 1];
    p->height[k] = value;
    p->place[p->n] = p->n + 1;
}

/* Where marker k should be after n numbers. */
static double wanted(uint32_t k, double share, uint32_t n)
{
    const double part[5] = {0, share / 2, share, (1 + share) / 2, 1};
    return 1 + (n - 1) * part[k];
}

/* The parabola through three markers, a step further; the straight line if it
   would leave its neighbours. */
static double moved(const Psquare *p, uint32_t k, int by)
{
    const double *q = p->height;
    double n0 = p->place[k - 1], n = p->place[k], n1 = p->place[k + 1];
    double h = q[k] + by / (n1 - n0) *
                          ((n - n0 + by) * (q[k + 1] - q[k]) / (n1 - n) +
                           (n1 - n - by) * (q[k] - q[k - 1]) / (n - n0));
    if (q[k - 1] < h && h < q[k + 1])
        return h;
    uint32_t to = by > 0 ? k + 1 : k - 1;
    return q[k] + by * (q[to] - q[k]) / ((double)p->place[to] - n);
}

void psquare_add(Psquare *p, double share, double value)
{
    uint32_t cell = 0;
    if (p->n < 5) {
        add_first(p, value);
        p->n++;
        return;
    }
    if (value < p->height[0])
        p->height[0] = value;
    if (value > p->height[4])
        p->height[4] = value;
    while (cell < 3 && value >= p->height[cell + 1])
        cell++;
    for (uint32_t k = cell + 1; k < 5; k++)
        p->place[k]++;
    p->n++;
    for (uint32_t k = 1; k < 4; k++) {
        double off = wanted(k, share, p->n) - p->place[k];
        bool up = off >= 1 && p->place[k + 1] - p->place[k] > 1;
        bool down = off <= -1 && p->place[k] - p->place[k - 1] > 1;
        if (!up && !down)
            continue;
        p->height[k] = moved(p, k, up ? 1 : -1);
        p->place[k] += up ? 1 : UINT32_MAX;
    }
}

double psquare_quantile(const Psquare *p, double share)
{
    if (p->n == 0)
        return NAN;
    if (p->n > 5)
        return p->height[2];
    double at = share * (p->n - 1);
    uint32_t k = (uint32_t)at;
    if (k + 1 >= p->n)
        return p->height[p->n - 1];
    return p->height[k] + (at - k) * (p->height[k + 1] - p->height[k]);
}
