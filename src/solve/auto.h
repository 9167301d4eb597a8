#ifndef COSY_SOLVE_AUTO_H
#define COSY_SOLVE_AUTO_H

/* METHOD AUTO, which is also the default: the method is chosen by the features
   of chapter VI.2 of the 1979 text. There are 18 clusters: three classes of
   accuracy, smooth or rich in events, three classes of stiffness (the table is
   in auto.c). The three clusters that were open in 1979 use DIRK (one-step
   stiff) and RADAU, whose order goes up to 13 (high-order stiff, with and
   without events). The whole team consists of one-step methods: they are saved
   and continued to the same bytes, and in bench/auto GEAR or ADAMS were hardly
   ever the fastest of the methods that are accurate enough, and then only by
   little.

   accuracy RELERR: low above 3e-4, high up to 1e-8, medium between events many:
   the model has conditions, or there are fewer than RICH steps
               from one restart to the next; few again: more than SMOOTH
   stiffness at the start: the rate of the fastest decaying motion times the
               time in which the solution changes (or the run ends). Below 10
               none, from 3000 stiff. It does not depend on the unit of time.
               Where events are rich: that rate times the time between two of
               them. Later: step size times the largest eigenvalue
   oscillation a motion that oscillates rather than decays is not stiff, nor is
               one that grows as fast as others decay

   Cheap tests come first: bounds by the entries of the Jacobian often decide.
   For few states all eigenvalues are found; for many, where they would cost
   more than a typical run, the largest one is estimated.

       auto_create   by solver_create: the first of the team
       auto_complete before an image is saved or loaded: all of them, and their
                     pieces in it
       auto_start    instead of method->start; the first call chooses
       auto_review   before a step: an implicit method looks again when the step
                     size has changed by an order of magnitude or an event was,
                     but not before a hundredth of the run has passed; it hands
                     back when an explicit method would have been stable for
                     many steps in a row. Changes are a hundredth of the run
                     apart, two after the first, and so on
       auto_stiff    the explicit method at work has come to the limit of its
                     stability

   All decisions follow from the numbers of the run alone, never from the
   machine's clock: a run repeats itself to the last bit. A change starts afresh
   at the point that has been reached, as one-step methods can.

   A model with a mass matrix gets RADAU, one that gives only a residual IDA,
   and a fixed STEP DOPRI5: there is nothing to choose then, and `automatic` is
   NULL. */

#include "solve/method.h"

#define auto_create   COSY_NAME(auto_create)
#define auto_complete COSY_NAME(auto_complete)
#define auto_attach   COSY_NAME(auto_attach)
#define auto_start    COSY_NAME(auto_start)
#define auto_review   COSY_NAME(auto_review)
#define auto_stiff    COSY_NAME(auto_stiff)
#define auto_words    COSY_NAME(auto_words)
#define auto_names    COSY_NAME(auto_names)
#define auto_news     COSY_NAME(auto_news)
#define auto_free     COSY_NAME(auto_free)

/* From this many changes on the user is told that there are many. */
enum { AUTO_MANY = 20 };

Status auto_create(Solver *s);
/* Does nothing without AUTO. */
Status auto_complete(Solver *s);
/* Takes up the member of the team that was at work when the image was saved. */
void auto_attach(Solver *s);
/* `end` is the end of the run; COSY_NEVER: not known. Without AUTO, auto_start
   is method->start and auto_review does nothing. */
Status auto_start(Solver *s, real end);
Status auto_review(Solver *s);
Status auto_stiff(Solver *s);
/* What was found and chosen, in words; "" without AUTO. */
const char *auto_words(const Solver *s);
/* The methods that were at work, each once: "DOPRI5, RADAU". */
const char *auto_names(const Solver *s);
/* Why the method was chosen or changed since the last call, or NULL if it was
   not; when that was, and the number of changes. Only for a run with AUTO. */
const char *auto_news(Solver *s, real *t, uint32_t *changes);
void auto_free(Solver *s);

#endif
