#ifndef COSY_STATS_COMPARE_H
#define COSY_STATS_COMPARE_H

/* Alternatives of a SIMULATE with REPLICATE (elements of its lists), each compared
   with one of them, the base: mean, deviation and Student's 95 % interval of the
   paired differences, replication by replication (Law, Simulation Modeling and
   Analysis, chapter 10). With COMMON random numbers the two values of a pair go
   up and down together, so the differences vary less. How much less is the gain:

       (variance of one + variance of the other) / variance of the difference,

   which is how many times as many replications independent numbers would need
   for the same interval. Intervals are those of single differences, not of all
   of them together.

   A replication in which one of the two has no value is left out. */

#include "base/buffer.h"
#include "stats/replicate.h"

#define compare_begin COSY_NAME(compare_begin)
#define compare_value COSY_NAME(compare_value)
#define compare_round COSY_NAME(compare_round)
#define compare_any   COSY_NAME(compare_any)
#define compare_json  COSY_NAME(compare_json)
#define compare_table COSY_NAME(compare_table)

/* The series that has just begun is compared with its element `base`, from 0. */
bool compare_begin(Replications *r, uint32_t elements, uint32_t base);
/* Quantity k of a group has this value in the present replication. */
void compare_value(Replications *r, const ReplicateGroup *g, uint32_t k,
                   real value);
/* All elements have had their turn in the present replication. */
void compare_round(Replications *r);
bool compare_any(const Replications *r);
/* The value of "comparisons": an object with a list per quantity. */
void compare_json(Buffer *b, const Replications *r);
void compare_table(Buffer *b, const Replications *r, uint32_t wide);

#endif
