#ifndef COSY_RUN_TRACE_H
#define COSY_RUN_TRACE_H

/* --trace: shows what happens, with a line for each event and for each
   statement that creates, moves, holds up or ends something:

           time  who             line  what
           12.5  TRUCK 7           14  SEIZE RAMP: waits for RAMP behind 2

   Statements are reported by code compiled with COSY_TRACE, events by the
   clock. A filter lists processes and events, numbers of transactions, and
   spans of time (10..20, 10.., ..20), separated by commas. A line is shown if
   it belongs to one of the names or numbers (to anything, if there are none)
   and lies within one of the spans (at any time, if there are none).

   Lines go through the outlet of their run, so they appear in the order of the
   runs. */

#include "base/arena.h"
#include "base/status.h"
#include "run/outlet.h"
#include "stats/record.h"

#define TraceFilter     COSY_NAME(TraceFilter)
#define Tracer          COSY_NAME(Tracer)
#define trace_filter    COSY_NAME(trace_filter)
#define trace_statement COSY_NAME(trace_statement)
#define trace_event     COSY_NAME(trace_event)
#define trace_method    COSY_NAME(trace_method)
#define trace_free      COSY_NAME(trace_free)

typedef struct TraceFilter {
    Vector names;   // char: each name ends with NUL
    Vector numbers; // of uint64_t
    Vector spans;   // of real: from, to
} TraceFilter;

/* The trace of one run. */
typedef struct Tracer {
    const CosyModel *model;
    const TraceFilter *filter;
    Outlet *outlet;
    const char *body; // what is happening: INITIAL, an event, a process
    bool begun;
} Tracer;

/* Reads the text of a filter, NULL or "" for none. */
Status trace_filter(TraceFilter *f, const CosyModel *m, const char *text,
                    Fault *fault);
void trace_free(TraceFilter *f);

/* host->trace. */
void trace_statement(Tracer *t, const Cosy *c, uint32_t row, uint32_t self,
                     CosyStatus status);
/* An event is about to happen, or a transaction is about to continue (detail:
   its place in the pool; of a condition of a copy: see branch.h). */
void trace_event(Tracer *t, const Cosy *c, LogKind kind, uint32_t which,
                 uint64_t detail);
/* METHOD AUTO has chosen a method, at the time that the solver has reached. */
void trace_method(Tracer *t, real time, const char *why);

#endif
