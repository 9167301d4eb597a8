#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/events.h"

enum { BATCHES = 9 };
#define BATCH_SECONDS 4e-3

double measure_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double batch(void (*solve)(void *), void *user, long count)
{
    double begin = measure_clock();
    for (long k = 0; k < count; k++)
        solve(user);
    return measure_clock() - begin;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_seconds(void (*solve)(void *user), void *user)
{
    double seconds[BATCHES];
    long count = 1;
    while (batch(solve, user, count) < BATCH_SECONDS)
        count *= 2;
    for (int k = 0; k < BATCHES; k++)
        seconds[k] = batch(solve, user, count) / (double)count;
    qsort(seconds, BATCHES, sizeof *seconds, by_size);
    return seconds[0];
}

double measure_digits(double error)
{
    return error > 0.0 ? -log10(error) : 17.0;
}

void measure_line(const char *problem, const char *method, double tolerance,
                  double digits, double seconds, long steps)
{
    printf("%s %s %.3e %.3f %.6e %ld\n", problem, method, tolerance, digits,
           seconds, steps);
    fflush(stdout);
}

/* ---- References ------------------------------------------------------------- */

static const double vanderpol[VANDERPOL_POINTS][2] = {
    {-0.34267402935807587, -1.311441208503480440},
    {-1.46035273186895418, 0.0314040839650097348},
    {-0.49411107564722218, 1.5824974437291137633},
    {1.655049224534799086, 1.2518539584794590005},
    {0.820038636379634814, -1.782348779395956873},
    {-1.66925423823342914, -1.825290895584595388},
    {-0.89872621642556719, 1.8681000938339988466},
    {1.690522719037900975, 1.9082268485002400719},
    {0.898439554217863491, -1.904465497960680775},
    {-1.71767120228454454, -1.832485495503582341},
    {-0.87637892138671754, 1.9266689677987142837},
    {1.744761722894244401, 1.7120233742585512950},
    {0.848432186261439877, -1.945543986180266833},
    {-1.77014437389889115, -1.578783380868378934},
    {-0.81875990817315716, 1.9640264554778996492},
    {1.793464837639296832, 1.4416548848383637938},
    {0.788429489286525209, -1.982911747321767737},
    {-1.81465567786050649, -1.303463992434555318},
    {-0.75770759357152748, 2.0024399978109699235},
    {1.833710405643148629, 1.1654528874016637824},
};

static const double vanderpol_size[2] = {1.9136, 3.2597};

double vanderpol_error(double y[VANDERPOL_POINTS][2])
{
    double most = 0.0;
    for (int k = 0; k < VANDERPOL_POINTS; k++)
        for (int i = 0; i < 2; i++)
            most =
                fmax(most, fabs(y[k][i] - vanderpol[k][i]) / vanderpol_size[i]);
    return most;
}

static const double twostate[TWOSTATE_SWITCHES] = {
    1.1083061677711311872, 2.1296853551547138933, 3.0541529069957194689,
    4.0755320943793021750, 4.9999996462203077506};

double twostate_error(const double *t, int count)
{
    double most = 0.0;
    for (int k = 0; k < TWOSTATE_SWITCHES; k++)
        most = fmax(most, fabs((k < count ? t[k] : 5.0) - twostate[k]));
    return most / 5.0;
}

double ivp_error(int n, const double *y, const double *end, double floor)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(y[i] - end[i]) / (fabs(end[i]) + floor));
    return most;
}

/* ---- Events ------------------------------------------------------------------ */

/* From x the plant moves as x1 = u + (a + b s) exp(-s), a = x1 - u, b = x2 + a. */
typedef struct Plant {
    long double u, a, b;
} Plant;

static long double place(const Plant *p, long double s)
{
    return p->u + (p->a + p->b * s) * expl(-s);
}

static long double speed(const Plant *p, long double s)
{
    return (p->b - p->a - p->b * s) * expl(-s);
}

/* The first s at which x1 passes the level: small steps, then Newton's method.
   */
static long double reach(const Plant *p, long double level)
{
    long double s = 0.0L, side = p->u;
    while ((place(p, s) - level) * side < 0.0L || speed(p, s) * side <= 0.0L)
        s += 0.01L;
    for (int k = 0; k < 20; k++)
        s -= (place(p, s) - level) / speed(p, s);
    return s;
}

int relay_times(double *t)
{
    long double time = 0.0L, x1 = 0.0L, x2 = 0.0L, u = 1.0L;
    for (int n = 0;; n++) {
        Plant p = {u, x1 - u, x2 + x1 - u};
        long double s = reach(&p, u * (long double)RELAY_LEVEL);
        time += s;
        if (time > (long double)RELAY_TO || n == RELAY_MOST)
            return n;
        t[n] = (double)time;
        x1 = place(&p, s);
        x2 = speed(&p, s);
        u = -u;
    }
}

int ball_times(double *t)
{
    long double g = (long double)BALL_G, time = sqrtl(2.0L / g);
    long double flight = 2.0L * time;
    for (int n = 0;; n++) {
        if (time > (long double)BALL_TO || n == BALL_MOST)
            return n;
        t[n] = (double)time;
        flight *= (long double)BALL_KEEPS;
        time += flight;
    }
}

double events_error(const double *t, int count, const double *right, int many,
                    double to)
{
    double most = 0.0;
    for (int k = 0; k < many || k < count; k++)
        most = fmax(most,
                    fabs((k < count ? t[k] : to) - (k < many ? right[k] : to)));
    return most / to;
}
