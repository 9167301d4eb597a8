/* A row of dominoes by hand in C: Dormand and Prince's method of order 5 with its
   dense output, and the stones that move in one vector that grows and shrinks.
   What a C programmer would write instead of examples/domino for one distance.

       domino_bare STONES TURNS [real]

   prints the speed of the chain, the number of events and steps, the most stones
   that moved at once and the CPU microseconds of one run. Crossings are located
   on the dense output, the integration goes on from there with the length of
   the last step. With `real` that is only the guess, and the crossing is reached by
   steps that end there, as COSY does it. The coefficients are those of Hairer, Norsett and Wanner,
   Solving Ordinary Differential Equations I, table II.5.2, and the controller is
   that of their DOPRI5. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

enum { MOST = 64, STAGES = 7 };

static const double G = 9.81, MASS = 0.01, THICK = 0.008, HIGH = 0.046;
static const double PUSH = 1.0e-5, D = 0.012, RELERR = 1e-6, ABSERR = 1e-9;
static const double HALF_PI = 1.5707963267948966;

typedef struct Row {
    double
        x[2 * MOST]; // PHI, OMEGA of the stones that move, the first in front
    double k[STAGES][2 * MOST];
    double there[2 * MOST];
    double dense[4][2 * MOST];
    int phase[MOST];
    int n;    // stones that move
    int last; // number of the last one that was struck
    int stones, most;
    int real;            // crossings are reached by real steps
    double t, h, before; // `before`: error of the last step
    double inertia, torque, touch, gives, keeps;
    long steps, events;
} Row;

static void rates(const Row *r, const double *x, double *dx)
{
    double c = r->torque / r->inertia;
    for (int i = 0; i < r->n; i++) {
        dx[2 * i] = x[2 * i + 1];
        dx[2 * i + 1] = c * sin(x[2 * i]);
    }
}

static double begin_step(const Row *r)
{
    double d0 = 0.0, d1 = 0.0;
    for (int i = 0; i < 2 * r->n; i++) {
        double size = ABSERR + RELERR * fabs(r->x[i]);
        d0 = fmax(d0, fabs(r->x[i]) / size);
        d1 = fmax(d1, fabs(r->k[0][i]) / size);
    }
    return d1 > 0.0 ? fmax(0.01 * d0 / d1, 1e-6) : 1e-6;
}

/* A step of length h from x to `there`; returns its error in units of the
   tolerance. k[0] holds x', k[6] that at the end. */
static double step(Row *r, double h)
{
    static const double a[6][6] = {
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0,
         -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0,
         11.0 / 84.0},
    };
    static const double e[STAGES] = {
        71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
        -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    int n = 2 * r->n;
    double worst = 0.0;
    for (int s = 0; s < 6; s++) {
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j <= s; j++)
                sum += a[s][j] * r->k[j][i];
            r->there[i] = r->x[i] + h * sum;
        }
        rates(r, r->there, r->k[s + 1]);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < STAGES; j++)
            sum += e[j] * r->k[j][i];
        double size = ABSERR + RELERR * fmax(fabs(r->x[i]), fabs(r->there[i]));
        worst = fmax(worst, fabs(h * sum) / size);
    }
    return worst;
}

/* Coefficients of the dense output of the step that was taken. */
static void prepare(Row *r, double h)
{
    static const double d[STAGES] = {
        -12715105075.0 / 11282082432.0,  0.0,
        87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
        69997945.0 / 29380423.0};
    for (int i = 0; i < 2 * r->n; i++) {
        double change = r->there[i] - r->x[i];
        double low = h * r->k[0][i] - change, sum = 0.0;
        for (int j = 0; j < STAGES; j++)
            sum += d[j] * r->k[j][i];
        r->dense[0][i] = change;
        r->dense[1][i] = low;
        r->dense[2][i] = change - h * r->k[6][i] - low;
        r->dense[3][i] = h * sum;
    }
}

static double at(const Row *r, int i, double part)
{
    double rest = 1.0 - part;
    return r->x[i] +
           part * (r->dense[0][i] +
                   rest * (r->dense[1][i] +
                           part * (r->dense[2][i] + rest * r->dense[3][i])));
}

static double level(const Row *r, int stone)
{
    return r->phase[stone] == 1 ? r->touch : HALF_PI;
}

/* Where in the step the stone's angle reaches its level. */
static double locate(const Row *r, int stone)
{
    double low = 0.0, high = 1.0;
    double below = r->x[2 * stone] - level(r, stone);
    double above = r->there[2 * stone] - level(r, stone);
    while (high - low > 1e-15) {
        double part = low + (high - low) * below / (below - above);
        if (!(part > low && part < high))
            part = 0.5 * (low + high);
        double z = at(r, 2 * stone, part) - level(r, stone);
        if (fabs(z) < 1e-14)
            return part;
        if (z < 0.0) {
            low = part;
            below = z;
            above *= 0.5;
        } else {
            high = part;
            above = z;
            below *= 0.5;
        }
    }
    return high;
}

static void strike(Row *r, double speed)
{
    if (r->n == MOST)
        exit(1);
    r->x[2 * r->n] = 0.0;
    r->x[2 * r->n + 1] = speed;
    r->phase[r->n++] = 1;
    r->last++;
    if (r->n > r->most)
        r->most = r->n;
}

static void happen(Row *r, int stone)
{
    r->events++;
    if (r->phase[stone] == 1) {
        double speed = r->x[2 * stone + 1];
        r->phase[stone] = 2;
        r->x[2 * stone] = r->touch;
        if (r->last < r->stones) {
            strike(r, r->gives * speed);
            r->x[2 * stone + 1] = r->keeps * speed;
        }
        return;
    }
    int behind = r->n - stone - 1;
    memmove(r->x + 2 * stone, r->x + 2 * stone + 2,
            2 * (size_t)behind * sizeof(double));
    memmove(r->phase + stone, r->phase + stone + 1,
            (size_t)behind * sizeof(int));
    r->n--;
}

/* The first of the stones that have crossed their levels, and where in the step;
   -1: none has. */
static int first_to_cross(Row *r, double *part)
{
    int first = -1;
    for (int s = 0; s < r->n; s++) {
        if (r->there[2 * s] < level(r, s))
            continue;
        if (first < 0)
            prepare(r, r->h);
        double here = locate(r, s);
        if (first < 0 || here < *part) {
            *part = here;
            first = s;
        }
    }
    return first;
}

/* Repeats the step so that it ends where the stone's angle is past its level, by
   at most 1e-9: Newton's method, which begins with the guess. */
static double reach(Row *r, int stone, double part)
{
    for (int i = 0; i < 20; i++) {
        step(r, part * r->h);
        double past = r->there[2 * stone] - level(r, stone);
        if (past >= 0.0 && past <= 1e-9)
            break;
        part -= (past - 1e-13) / (r->there[2 * stone + 1] * r->h);
    }
    return part;
}

static void advance(Row *r)
{
    double error = step(r, r->h), part = 1.0;
    double factor = pow(error, 0.17) / 0.9;
    if (error > 1.0) {
        r->h /= fmin(5.0, factor);
        return;
    }
    factor = fmin(fmax(factor / pow(r->before, 0.04), 0.1), 5.0);
    r->steps++;
    r->before = fmax(error, 1e-4);
    int crossed = first_to_cross(r, &part);
    if (crossed >= 0 && r->real)
        part = reach(r, crossed, part);
    r->t += part * r->h;
    if (crossed < 0) {
        memcpy(r->x, r->there, 2 * (size_t)r->n * sizeof(double));
        memcpy(r->k[0], r->k[6], 2 * (size_t)r->n * sizeof(double));
        r->h /= factor;
        return;
    }
    for (int i = 0; i < 2 * r->n && !r->real; i++)
        r->there[i] = at(r, i, part);
    memcpy(r->x, r->there, 2 * (size_t)r->n * sizeof(double));
    happen(r, crossed);
    rates(r, r->x, r->k[0]);
}

static void run(void *user)
{
    Row *r = user;
    int stones = r->stones, real = r->real;
    memset(r, 0, sizeof *r);
    r->stones = stones;
    r->real = real;
    r->inertia = MASS * (THICK * THICK + HIGH * HIGH) / 3.0;
    r->torque = MASS * G * 0.5 * sqrt(THICK * THICK + HIGH * HIGH);
    r->touch = asin((D - THICK) / HIGH);
    r->gives = 1.0 - pow((D - THICK) / HIGH, 2.0);
    r->keeps = 1.0 - sqrt(r->gives);
    strike(r, HIGH / 2.0 * PUSH / r->inertia);
    rates(r, r->x, r->k[0]);
    r->h = begin_step(r);
    r->before = 1e-4;
    while (r->n > 0)
        advance(r);
}

int main(int n, char **words)
{
    static Row r;
    r.stones = n > 1 ? atoi(words[1]) : 100;
    int turns = n > 2 ? atoi(words[2]) : 1;
    r.real = n > 3 && strcmp(words[3], "real") == 0;
    double begun = measure_clock();
    for (int k = 0; k < turns; k++)
        run(&r);
    double each = (measure_clock() - begun) / turns;
    printf("%.6f m/s, %ld events, %ld steps, at most %d, %.1f us\n",
           D * (r.stones - 1) / r.t, r.events, r.steps, r.most, 1e6 * each);
    return 0;
}
