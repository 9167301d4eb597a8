#include "solve/modes.h"

#include <math.h>
#include <string.h>

#include "solve/lapack.h"

/* From which share on a state is named. */
#define NAMED 0.1

/* Eigenvalues beyond this many times the others belong to algebraic equations. */
#define INFINITE 1e-13

typedef struct Room {
    double *left, *right; // vectors, by columns
    double *beta, *work;
    double *turned; // M right
} Room;

static bool make(Modes *s, Room *r, size_t n, Arena *a)
{
    *s = (Modes){.states = n,
                 .re = NEW_ARRAY(a, double, n + 1),
                 .im = NEW_ARRAY(a, double, n + 1),
                 .share = NEW_ARRAY(a, double, n *n + 1)};
    *r = (Room){.left = NEW_ARRAY(a, double, n *n + 1),
                .right = NEW_ARRAY(a, double, n *n + 1),
                .beta = NEW_ARRAY(a, double, n + 1),
                .work = NEW_ARRAY(a, double, lapack_room(n)),
                .turned = NEW_ARRAY(a, double, n *n + 1)};
    return s->re && s->im && s->share && r->left && r->right && r->beta &&
           r->work && r->turned;
}

/* turned = m right; LAPACK overwrites m, so `m` is a copy. */
static void turn(const double *m, const double *right, double *turned, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                turned[k * n + i] += m[j * n + i] * right[k * n + j];
}

/* |conj(w) v| for each state, for the mode whose vectors begin in column k. */
static void share_out(const Room *r, size_t n, size_t k, bool pair,
                      double *share)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double w = r->left[k * n + i], v = r->turned[k * n + i];
        double wi = pair ? r->left[(k + 1) * n + i] : 0.0;
        double vi = pair ? r->turned[(k + 1) * n + i] : 0.0;
        share[i] = hypot(w, wi) * hypot(v, vi);
        sum += share[i];
    }
    for (size_t i = 0; i < n && sum > 0.0; i++)
        share[i] /= sum;
}

static bool is_infinite(const Modes *s, const Room *r, size_t k)
{
    double top = hypot(s->re[k], s->im[k]);
    return fabs(r->beta[k]) <= INFINITE * top || top != top;
}

/* Divides by beta and drops what is infinite. */
static void gather(Modes *s, const Room *r)
{
    size_t n = s->states;
    for (size_t k = 0; k < n; k++) {
        bool pair = s->im[k] != 0.0, second = pair && s->im[k] < 0.0;
        double *share = s->share + s->count * n;
        if (is_infinite(s, r, k))
            continue;
        if (second && s->count > 0)
            memcpy(share, share - n, n * sizeof *share);
        else
            share_out(r, n, k, pair && k + 1 < n, share);
        s->re[s->count] = s->re[k] / r->beta[k];
        s->im[s->count++] = s->im[k] / r->beta[k];
    }
}

bool modes_find(Modes *s, size_t n, double *a, double *m, Arena *arena)
{
    Room r;
    if (!make(s, &r, n, arena))
        return false;
    if (n == 0)
        return true;
    double *mass = m ? NEW_ARRAY(arena, double, n *n) : NULL;
    if (m && !mass)
        return false;
    if (m)
        memcpy(mass, m, n * n * sizeof *m);
    bool found =
        m ? lapack_modes_of_pair((int)n, a, m, s->re, s->im, r.beta, r.left,
                                 r.right, r.work)
          : lapack_modes((int)n, a, s->re, s->im, r.left, r.right, r.work);
    if (m)
        turn(mass, r.right, r.turned, n);
    else
        memcpy(r.turned, r.right, n * n * sizeof *r.right);
    for (size_t k = 0; !m && k < n; k++)
        r.beta[k] = 1.0;
    if (found)
        gather(s, &r);
    return found;
}

double modes_border(size_t n, double *a, double e, double *work)
{
    if (n == 0)
        return 0.0;
    if (!lapack_singular_values((int)n, a, work, work + n))
        return -1.0;
    return work[0] * pow(e, 1.0 / (double)n);
}

size_t modes_carriers(const Modes *s, size_t mode, ModeCarrier *list)
{
    const double *share = s->share + mode * s->states;
    size_t n = 0;
    for (size_t i = 0; i < s->states; i++) {
        size_t at = n;
        while (at > 0 && share[i] > list[at - 1].share)
            at--;
        if (at == MODE_CARRIERS)
            continue;
        n += n < MODE_CARRIERS;
        for (size_t k = n - 1; k > at; k--)
            list[k] = list[k - 1];
        list[at] = (ModeCarrier){i, share[i]};
    }
    while (n > 1 && list[n - 1].share < NAMED)
        n--;
    return n;
}
