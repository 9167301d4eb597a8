#ifndef COSY_RUN_OUTLET_H
#define COSY_RUN_OUTLET_H

/* Where the texts and messages of one run go. The outlet of the run whose turn
   it is passes them on at once; those of runs computed meanwhile are held until
   it is their turn. So what is printed stands in the order of the runs, however
   many are computed at once.

   Errors are told at once, and name their run if there are several. Warnings and
   notes of several runs are told at the end of the experiment: those that differ
   in amounts only (the time, say) once, with the number of runs that gave them,
   as the first one gave them. Of each severity only so many are shown.

   Lines of a FORMAT are printed when something follows them, because the next
   one may be printed over them (carriage control +). */

#include <pthread.h>

#include "cosy/model.h"
#include "report/report.h"
#include "run/kernel.h"

#define Outlet          COSY_NAME(Outlet)
#define OutletShared    COSY_NAME(OutletShared)
#define outlet_open     COSY_NAME(outlet_open)
#define outlet_forget   COSY_NAME(outlet_forget)
#define outlet_write    COSY_NAME(outlet_write)
#define outlet_items    COSY_NAME(outlet_items)
#define outlet_fortran  COSY_NAME(outlet_fortran)
#define outlet_message  COSY_NAME(outlet_message)
#define outlet_trace    COSY_NAME(outlet_trace)
#define outlet_turn     COSY_NAME(outlet_turn)
#define outlet_flush    COSY_NAME(outlet_flush)
#define outlet_end_line COSY_NAME(outlet_end_line)
#define outlet_close    COSY_NAME(outlet_close)
#define outlet_free     COSY_NAME(outlet_free)

/* What the outlets of an experiment share. */
typedef struct OutletShared {
    const KernelOptions *options;
    const char *source; // of the model
    pthread_mutex_t lock;
    uint32_t told[3]; // messages so far, by severity
    Vector heard;     // what runs warned of and noted
    Buffer heard_text;
    bool unheard[3]; // there was more than is kept, by severity
    Report report;   // which shows them too
} OutletShared;

typedef struct Outlet {
    OutletShared *shared;
    uint32_t run; // its number; 0: it is the experiment's own
    bool alone;   // no other run is known of yet: messages do not name it
    bool direct;
    bool after_error;      // what was passed on last was an error
    bool value;            // the last thing on the line is a value
    bool written;          // anything yet
    bool open;             // the last line has no end yet
    Buffer text, messages; // held; a message is a Held, its text, NUL
    Buffer line;           // the last one of a FORMAT
    Buffer trace;          // held
    Buffer error;          // the first error that was told
} Outlet;

void outlet_open(Outlet *o, OutletShared *shared, bool direct);
void outlet_write(Outlet *o, const char *text, size_t length);
/* WRITE and WRITELN; a WRITE with a FORMAT. */
void outlet_items(Outlet *o, const CosyItem *item, uint32_t n, bool end);
void outlet_fortran(Outlet *o, const char *format, const CosyItem *item,
                    uint32_t n);
void outlet_message(Outlet *o, CosySeverity severity, uint32_t line,
                    const char *text);
/* Lines of --trace. */
void outlet_trace(Outlet *o, const char *text, size_t length);
/* Its turn: what was held is passed on, and all that comes. */
void outlet_turn(Outlet *o);
/* A line of a FORMAT that was kept back is printed. */
void outlet_flush(Outlet *o);
/* What follows begins on a line of its own. */
void outlet_end_line(Outlet *o);
/* The end of an experiment of so many runs: their warnings and notes. */
void outlet_close(OutletShared *s, uint32_t runs);
void outlet_free(Outlet *o);
/* What they share; the lock is its owner's. */
void outlet_forget(OutletShared *s);

#endif
