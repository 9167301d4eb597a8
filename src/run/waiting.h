#ifndef COSY_RUN_WAITING_H
#define COSY_RUN_WAITING_H

/* Transactions that wait forever: which, where, for what, and who holds it.

   A run is stuck when nothing stands on its calendar, transactions wait, and no
   state condition, clock or delay is left that could resume one. If one of them
   waits for a FACILITY or a STORAGE, that is a deadlock and the run fails. If
   they all wait at gates, signals, JOINs and WAIT UNTILs, a note at the end
   says so. Transactions of a PROCESS that is declared as SERVER wait by design:
   they are neither counted nor reported. */

#include "run/run.h"

#define run_is_stuck     COSY_NAME(run_is_stuck)
#define run_deadlock     COSY_NAME(run_deadlock)
#define run_no_finish    COSY_NAME(run_no_finish)
#define run_tell_waiting COSY_NAME(run_tell_waiting)

/* To be asked when nothing is on the calendar. */
bool run_is_stuck(const Run *r);
/* For a run that is stuck: the fault, if it is a deadlock. */
Status run_deadlock(Run *r);
/* The fault that FINISH was not reached and nothing is left to happen. */
Status run_no_finish(Run *r);
/* At the end of a run: reports units of storages that are lost and, if the run
   is stuck, the transactions that wait. */
void run_tell_waiting(Run *r, bool stuck);

#endif
