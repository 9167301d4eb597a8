#ifndef COSY_STATS_RECORD_H
#define COSY_STATS_RECORD_H

/* What one run leaves besides its final values: the rows of run-NNNN.csv and of
   events-NNNN.csv. Both are kept as plain numbers in Vectors that belong to the
   run's image, and written as text at its end, into the folder in which the
   experiment gathers its files (base/stage.h).

   A row is TIME and the elements of every STOREd variable (a state from
   c->x, all else from c->data; arrays element by element, named A[1], B[1,2]).
   On both sides of an event there is a row with the same time.

   The event log keeps all state events, and up to EVENT_LIMIT time and process
   events per run; the file says if there were more. Hidden events are kept only
   with `trace`.

   A model that STOREs nothing has no rows and no run-NNNN.csv, nor has a run
   that recorded nothing (STOREOFF). cross.csv has rows of the same form, one
   per CROSSPLOT. */

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"

#define Record           COSY_NAME(Record)
#define record_create    COSY_NAME(record_create)
#define record_point     COSY_NAME(record_point)
#define record_copy_name COSY_NAME(record_copy_name)
#define record_event     COSY_NAME(record_event)
#define record_open      COSY_NAME(record_open)
#define record_round     COSY_NAME(record_round)
#define record_write     COSY_NAME(record_write)
#define record_append    COSY_NAME(record_append)
#define record_column    COSY_NAME(record_column)
#define record_cross     COSY_NAME(record_cross)
#define record_final     COSY_NAME(record_final)
#define record_numbered  COSY_NAME(record_numbered)
#define record_header    COSY_NAME(record_header)
#define record_width     COSY_NAME(record_width)
#define record_thin      COSY_NAME(record_thin)
#define record_free      COSY_NAME(record_free)

#define EVENT_LIMIT 1000000

typedef enum LogKind {
    LOG_STATE,                     // which = state event
    LOG_TIME = COSY_TIME_EVENT,    // which = time event
    LOG_PROCESS = COSY_RESUMPTION, // which = process, detail = its transaction
    LOG_SAMPLE,                    // which = clock
    LOG_HIDDEN,                    // which = relation
    LOG_CHOICE,                    // states chosen anew
    LOG_SLIDE, // which = condition, detail = 1: begins, 0: ends
    LOG_REST,  // the same
    LOG_KINDS
} LogKind;

typedef CosyLogged LogEntry;

typedef struct Record {
    const CosyModel *model;
    bool trace;
    uint32_t columns;           // including TIME
    size_t most;                // the most bytes of rows; 0: not asked yet
    Vector rows;                // of real
    Vector log;                 // of LogEntry
    uint64_t counts[LOG_KINDS]; // including those not kept
    bool full;                  // time and process events are only counted
    bool rung;                  // a column had no value
} Record;

Status record_create(Record *r, const CosyModel *m, bool trace, Arena *a,
                     Image *image);
/* Appends the present point of the instance. STATUS_MEMORY also if the rows
   take half of the machine's memory: beyond that it would come to a standstill
   before anybody could say why. */
Status record_point(Record *r, Cosy *c, real t);
/* "STONE[7]", and the element of a loop after it, for an event of a copy of a
   CONTINUOUS PROCESS; false if it is none. */
bool record_copy_name(Buffer *b, const CosyModel *m, LogKind kind,
                      uint32_t which, uint64_t detail);
Status record_event(Record *r, LogKind kind, uint32_t which, uint64_t detail,
                    real t);
/* For a round over the calendar: room in the log for `most` entries, or as many
   as it can still take (*most), or NULL if it is full. record_round then takes
   what the round did. */
Status record_open(Record *r, uint32_t *most, CosyLogged **log);
void record_round(Record *r, const CosyRound *round);
/* Columns of a row of a run or of the cross file, including TIME; appends a row
   of the present values to `rows`; the column of element e of a variable, 0 if
   it is not STOREd. Columns that OUTPUT needs are computed for the row; *rung:
   a message has already said that one of them had no value. */
uint32_t record_width(const CosyModel *m, bool cross);
Status record_append(Vector *rows, uint32_t columns, Cosy *c, real t,
                     bool cross, bool *rung);
uint32_t record_column(const CosyModel *m, uint32_t variable, uint32_t e);
/* Writes DIR/run-NNNN.csv and DIR/events-NNNN.csv. One run of many (`alone` is
   false) in which nothing happened has no list of events. */
Status record_write(const Record *r, const char *dir, uint32_t run, bool alone,
                    Fault *f);
/* The first line of run-NNNN.csv or cross.csv. */
void record_header(Buffer *b, const CosyModel *m, bool cross);
/* If the model has arrays too long for summary.json: DIR/final-NNNN.csv with
   their present values. */
/* DIR/WHAT-NNNN.csv; frees b. */
Status record_numbered(Buffer *b, const char *dir, const char *what,
                       uint32_t run, Fault *f);
Status record_final(const Cosy *c, const char *dir, uint32_t run, Fault *f);
/* DIR/cross.csv. */
Status record_cross(const CosyModel *m, const Vector *rows, const char *dir,
                    Fault *f);
/* Keeps every k-th row and the last one, so that the rows have at most `cells`
   values, and the first events of a long list; returns k. */
uint32_t record_thin(Record *r, size_t cells);
void record_free(Record *r);

/* record_event for time and process events, fast if the log has room or is
   full. */
static inline Status record_busy(Record *r, LogKind kind, uint32_t which,
                                 uint64_t detail, real t)
{
    size_t used = r->log.used;
    if (!r->full) {
        if (used + sizeof(LogEntry) > r->log.room ||
            used >= EVENT_LIMIT * sizeof(LogEntry) || kind == LOG_HIDDEN)
            return record_event(r, kind, which, detail, t);
        LogEntry *e = (LogEntry *)(void *)(r->log.bytes + used);
        memset(e, 0, sizeof *e); // padding too: the log is part of the image
        e->t = t;
        e->kind = (uint32_t)kind;
        e->which = which;
        e->detail = detail;
        r->log.used = used + sizeof *e;
    } else if (kind == LOG_STATE || kind == LOG_HIDDEN) {
        return record_event(r, kind, which, detail, t);
    }
    r->counts[kind]++;
    return STATUS_OK;
}

#endif
