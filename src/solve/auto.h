#ifndef COSY_SOLVE_AUTO_H
#define COSY_SOLVE_AUTO_H

/* METHOD AUTO: the method is chosen by the features of chapter VI.2 of the 1979
   text. There are 18 clusters: three classes of accuracy, smooth or rich in
   events, and three classes of stiffness (the table is in auto.c). Those that
   were open in 1979 have RADAU, whose order goes up to 13, and DIRK.

   accuracy    RELERR: low from 1e-4, high up to 1e-8, medium between
   events      rich: fewer than RICH steps from one restart to the next;
               smooth again: more than SMOOTH
   stiffness   at the start: the rate of the fastest decaying motion times the
               time in which the solution changes (or the run ends). Below 10
               none, from 1000 stiff. It does not depend on the unit of time.
               Later: step size times the largest eigenvalue
   oscillation what turns rather than decays is not stiff

       auto_create   by solver_create: the methods of the team, all with their
                     place in the image
       auto_start    instead of method->start: at first it chooses
       auto_review   before a step: an implicit method looks again when the step
                     size has changed by an order of magnitude or an event was,
                     but not before a hundredth of the run has passed; it hands
                     back when an explicit method would have been stable for
                     many steps in a row. Changes are a hundredth of the run
                     apart, two after the first, and so on
       auto_stiff    the explicit method at work has come to the limit of its
                     stability

   All of it follows from numbers of the run alone, never from time on the clock
   of the machine: a run repeats itself to the last bit. Changes begin anew, from
   the point that has been reached, as one-step methods can. */

#include "solve/method.h"

#define auto_create COSY_NAME(auto_create)
#define auto_attach COSY_NAME(auto_attach)
#define auto_start  COSY_NAME(auto_start)
#define auto_review COSY_NAME(auto_review)
#define auto_stiff  COSY_NAME(auto_stiff)
#define auto_words  COSY_NAME(auto_words)
#define auto_names  COSY_NAME(auto_names)
#define auto_free   COSY_NAME(auto_free)

Status auto_create(Solver *s);
/* The member of the team that was at work when an image was saved. */
void auto_attach(Solver *s);
/* `end` of the run, COSY_NEVER: not known. Without AUTO these two are
   method->start and nothing. */
Status auto_start(Solver *s, real end);
Status auto_review(Solver *s);
Status auto_stiff(Solver *s);
/* What was found and chosen, in words; "" without AUTO. */
const char *auto_words(const Solver *s);
/* "DOPRI5, RADAU": those that were at work, each once. */
const char *auto_names(const Solver *s);
void auto_free(Solver *s);

#endif
