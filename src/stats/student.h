#ifndef COSY_STATS_STUDENT_H
#define COSY_STATS_STUDENT_H

/* Student's distribution: the number t with P(|T| <= t) = 0.95, for whole
   degrees of freedom. Up to STUDENT_EXACT of them the finite sums of Abramowitz
   and Stegun (26.7.3, 26.7.4) are solved by Newton's method; beyond that, the
   expansion about the normal quantile (26.7.5) leaves out less than 1E-15. */

#include <stdint.h>

#include "cosy/real.h"

#define student_95    COSY_NAME(student_95)
#define student_share COSY_NAME(student_share)

#define STUDENT_EXACT 1000

/* Infinite for 0 degrees of freedom. */
real student_95(uint64_t freedom);
/* P(|T| <= t), t >= 0, and its derivative with respect to t. */
real student_share(uint64_t freedom, real t, real *slope);

#endif
