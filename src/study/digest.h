#ifndef COSY_STUDY_DIGEST_H
#define COSY_STUDY_DIGEST_H

/* What a run leaves for the comparison with its doubles (verify.h): final
   values, statistics and event times as plain numbers, and how the run was
   computed. A Digest is the same in every precision, so runs of two kernels can
   be compared.

       gauge_follow   after every accepted step: how large variables have been
       digest_take    when the run is over
       digest_free */

#include "base/arena.h"
#include "base/status.h"
#include "run/run.h"
#include "stats/replicate.h"

#define Gauge         COSY_NAME(Gauge)
#define gauge_follow  COSY_NAME(gauge_follow)
#define gauge_free    COSY_NAME(gauge_free)
#define digest_take   COSY_NAME(digest_take)
#define digest_means  COSY_NAME(digest_means)
#define digest_free   COSY_NAME(digest_free)
#define digest_forget COSY_NAME(digest_forget)

/* A number of any precision: the sum of both parts. */
typedef struct Exact {
    long double high, low;
} Exact;

typedef enum DigestKind {
    DIGEST_FINAL, // which = variable, at = element; in all others at = figure
    DIGEST_COLLECT,
    DIGEST_TIMEPERS,
    DIGEST_HISTOGRAM,
    DIGEST_RESOURCE,
    DIGEST_FILE,
    DIGEST_PROCESS,
    DIGEST_COPIES
} DigestKind;

typedef struct DigestValue {
    uint32_t kind, which, at; // kind: a DigestKind
    uint32_t whole;           // an INTEGER, BOOLEAN or count
    Exact value;
    long double size; // as tolerances use it; 0: the value is always zero
} DigestValue;

typedef struct DigestEvent {
    Exact t;
    uint32_t kind, which; // kind: a LogKind
    uint64_t detail;
} DigestEvent;

/* A condition came near its threshold and turned back. */
typedef WatchMiss DigestMiss;

typedef struct Digest {
    uint32_t run, frame;
    Status status;
    bool outside;  // stopped from outside: by Ctrl-C or --limit-wall
    bool spent;    // it is a double that took too many evaluations
    bool alike;    // it is a double for which no other method applies
    bool closer;   // computed with a smaller tolerance or step
    bool fixed;    // STEP
    bool restored; // it continued from a snapshot, which is taken as it is
    bool stiff;    // an explicit method noticed that the model is stiff
    char message[300], methods[80];
    char grid[60]; // a trial on another grid: its points, in words
    uint32_t precision;
    double relerr, step;
    uint64_t rhs, steps, events;
    double longest;      // its longest step
    double span;         // span of the SIMULATE; 0: not known
    double grown;        // how far its errors have grown, in RELERRs; 0: little
    Exact t_end;         // time at which it ended
    long double t_begin; // time at which it began
    bool cut;            // not all events are listed
    Vector values;       // of DigestValue
    Vector events_list;  // of DigestEvent
    Vector misses;       // of DigestMiss
    Vector rows;         // reals of run-NNNN.csv; with GRIDCHECK
    Vector points;       // reals, of all axes; with GRIDCHECK
    Vector fields;       // reals, all fields at the end; with GRIDCHECK
} Digest;

/* The mean of a quantity over replications. */
typedef struct DigestMean {
    char name[100];
    uint32_t frame, group;
    uint64_t n;
    Exact mean;
    long double size;
} DigestMean;

/* How large the variables of a run have been so far, and its longest step. */
typedef struct Gauge {
    const Run *run;
    bool begun;
    double t, longest;
    Vector size; // double, per element of what digest_take lists
} Gauge;

/* Does not change the run. */
void gauge_follow(Gauge *g, double t);
void gauge_free(Gauge *g);
/* `d` already has run, frame, status and message; this fills in the rest. */
Status digest_take(Digest *d, const Run *r, const Gauge *g);
/* Means over replications, as DigestMeans. */
Status digest_means(Vector *means, const Replications *r);
void digest_free(Digest *d);
/* Frees a vector of Digests. */
void digest_forget(Vector *digests);

/* Whether the run ended, or stopped at a count or a time from the command line,
   where doubles stop too. */
static inline bool digest_ended(const Digest *d)
{
    return d->status == STATUS_OK ||
           (d->status == STATUS_STOPPED && !d->outside && !d->spent);
}

static inline const Digest *digest_list(const Vector *v, uint32_t *n)
{
    *n = (uint32_t)(v->used / sizeof(Digest));
    return (const Digest *)(const void *)v->bytes;
}

/* The digest of a run, NULL if there is none; they are in the order of the
   runs. */
static inline const Digest *digest_find(const Vector *v, uint32_t run)
{
    uint32_t high, low = 0;
    const Digest *d = digest_list(v, &high);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d[middle].run == run)
            return &d[middle];
        if (d[middle].run < run)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static inline const DigestValue *digest_values(const Digest *d, uint32_t *n)
{
    *n = (uint32_t)(d->values.used / sizeof(DigestValue));
    return (const DigestValue *)(const void *)d->values.bytes;
}

static inline const DigestEvent *digest_events(const Digest *d, uint32_t *n)
{
    *n = (uint32_t)(d->events_list.used / sizeof(DigestEvent));
    return (const DigestEvent *)(const void *)d->events_list.bytes;
}

#endif
