#ifndef COSY_BENCH_MEASURE_H
#define COSY_BENCH_MEASURE_H

/* What the programs of this folder share: CPU time of a solution, correct
   digits against references, and the lines that bench/run reads:

       PROBLEM METHOD TOLERANCE DIGITS SECONDS STEPS

   References: COSY in QUAD, DOP853 with RELERR 1e-26 for Van der Pol's
   oscillator, RADAU5 with 1e-22 for the two-state model; the last switch of
   the latter agrees with the closed form in 19 digits. */

#include <stddef.h>

enum { VANDERPOL_POINTS = 20, TWOSTATE_SWITCHES = 5 };

/* CPU seconds of this process. */
double measure_clock(void);
/* CPU seconds of one call of solve(user): the least of several batches, each
   long enough for the clock, since a disturbance only adds to a batch. */
double measure_seconds(void (*solve)(void *user), void *user);
/* Digits of a relative error. */
double measure_digits(double error);
void measure_line(const char *problem, const char *method, double tolerance,
                  double digits, double seconds, long steps);

/* Error of (y, y') at t = 1, 2 ... 20 as one number: the largest, relative to
   the largest value of its component. */
double vanderpol_error(double y[VANDERPOL_POINTS][2]);
/* Largest error of the switching times, relative to the last of them. A switch
   that has moved beyond the end of the run counts by its distance from there.
   */
double twostate_error(const double *t, int count);
/* Error at the end of a problem of bench/ivp.h. */
double ivp_error(int n, const double *y, const double *end, double floor);

#endif
