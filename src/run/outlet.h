#ifndef COSY_RUN_OUTLET_H
#define COSY_RUN_OUTLET_H

/* Where the texts and messages of one run go. The outlet of the run whose turn
   it is passes them on at once; those of runs computed meanwhile are held until
   it is their turn. So output appears in the order of the runs, however many
   are computed at once.

   Errors are shown at once, and name their run if there are several. Warnings
   and notes of several runs are shown at the end of the experiment. Those that
   differ only in amounts (the time, say) are shown once, in the words of the
   first run, with the number of runs that gave them. The number of messages of
   each severity is limited.

   A line of a FORMAT is printed only when something follows it, because the
   next one may be printed over it (carriage control +). */

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
    const char *source; // file name of the model
    pthread_mutex_t lock;
    uint32_t told[3]; // messages shown so far, by severity
    Vector heard;     // warnings and notes of runs
    Buffer heard_text;
    bool sampled;    // runs are points of UNCERTAIN
    bool unheard[3]; // there were more than are kept, by severity
    Report report;   // shows them too
} OutletShared;

typedef struct Outlet {
    OutletShared *shared;
    uint32_t run; // number of the run; 0: the experiment itself
    bool alone;   // no other run is known yet: messages do not name this one
    bool direct;
    bool mute;             // nothing is kept or passed on: a pilot run
    bool after_error;      // the last message passed on was an error
    bool value;            // the last thing on the line is a value
    bool written;          // something has been written
    bool open;             // the last line has not ended yet
    Buffer text, messages; // held; a message is a Held, its text, NUL
    Buffer line;           // the last one of a FORMAT
    Buffer trace;          // held
    Buffer error;          // the first error that was reported
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
/* It is its turn: passes on what was held, and from now on everything at once.
   */
void outlet_turn(Outlet *o);
/* Prints the line of a FORMAT that was kept back. */
void outlet_flush(Outlet *o);
/* What follows begins on a line of its own. */
void outlet_end_line(Outlet *o);
/* At the end of an experiment of that many runs: shows their warnings and
   notes. */
void outlet_close(OutletShared *s, uint32_t runs);
void outlet_free(Outlet *o);
/* Frees what outlets share, except the lock, which belongs to its owner. */
void outlet_forget(OutletShared *s);

#endif
