#ifndef COSY_BENCH_HOLD_H
#define COSY_BENCH_HOLD_H

/* The hold model twice: of `pending` entries the first is taken and put back
   delay[k & HOLD_MASK] later, `holds` times. Both return the time of the last.
   */

#include <stdint.h>

#define HOLD_MASK 0xfffffu

double hold_bare(uint32_t pending, uint32_t holds, const double *delay,
                 double *seconds);
/* CPU seconds. */
double hold_clock(void);

#endif
