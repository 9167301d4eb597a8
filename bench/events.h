#ifndef COSY_BENCH_EVENTS_H
#define COSY_BENCH_EVENTS_H

/* Two problems full of state events, as both sides of the comparison compute
   them. The times of the events are compared; they have closed forms
   (bench/measure.c).

       RELAY   a plant of second order, critically damped, under a relay with
               hysteresis: x1' = x2, x2' = u - x1 - 2 x2; u becomes -1 when x1
               rises above 0.1 and +1 when it falls below -0.1
       BALL    a ball that falls from 1 m and keeps 0.95 of its speed at each
               bounce */

enum { RELAY_MOST = 128, BALL_MOST = 64, EVENTS_MOST = 160 };

#define RELAY_TO    120.0
#define RELAY_LEVEL 0.1
#define BALL_TO     12.0
#define BALL_G      9.81
#define BALL_KEEPS  0.95

static inline void relay_rhs(double u, const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = u - x[0] - 2.0 * x[1];
}

static inline void ball_rhs(const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = -BALL_G;
}

/* Times of the events up to the end; returns how many. */
int relay_times(double *t);
int ball_times(double *t);
/* Largest error of event times against those, relative to the end of the run; a
   missing or surplus event counts by its distance from the end. */
double events_error(const double *t, int count, const double *right, int many,
                    double to);

#endif
