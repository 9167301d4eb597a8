#ifndef COSY_DISCRETE_H
#define COSY_DISCRETE_H

/* The discrete part of the contract (included by cosy/model.h): the data of
   calendar, transactions, resources, files, random streams and statistics. They
   are plain and belong to the instance. The functions over them are in
   cosy/calendar.h and cosy/inline.h, because a process model spends its time in
   them.

   Order of events: time, then priority (high first), then order of scheduling.
   An entry for the present instant with priority 0 goes into the fast lane, a
   ring; all others go into the heap, whose nodes have four children. The heap's
   root lies at index COSY_ROOT, so that every group of four children begins at
   a multiple of four. Popping leaves a hole at the root (head->heap_hole),
   which the next entry fills; whoever looks at the heap closes it first.

   An entry of the calendar is cancelled by making it void in place: an event
   through its `what`, a transaction through a different `wake` in its
   header. */

typedef enum CosySegment {
    COSY_SEGMENT_HEAP,
    COSY_SEGMENT_LANE,
    COSY_SEGMENT_TRANSACTIONS,
    COSY_SEGMENT_RECORDS,
    COSY_SEGMENT_STAYS,
    COSY_SEGMENT_ASKED,
    COSY_SEGMENT_KIN
} CosySegment;

typedef enum CosyWhat {
    COSY_VOID,       // cancelled
    COSY_TIME_EVENT, // which = event, id = its record or COSY_NONE
    COSY_RESUMPTION  // which = process, id = transaction
} CosyWhat;

#define COSY_ROOT          3
#define COSY_NEVER         COSY_REAL_MAX
#define COSY_SEQUENCE_BITS 63
#define COSY_SEQUENCE_MOST ((UINT64_C(1) << COSY_SEQUENCE_BITS) - (1 << 30))

/* `order` counts from 1; no two entries share one.

   `body` is what happens: CosyWhat in the low 8 bits, the number of its event
   or process in the next 24, and above those the record or transaction. It is
   one number because it is written and read as one: reading together two halves
   that were written separately would stall the processor. For the same reason
   reals and whole numbers alternate, here and in the structs below that are
   written at every event: a compiler would combine neighbours of one type into
   a wide store, or load them together. */
typedef struct CosyPending {
    uint64_t order; // among equal priorities the smaller goes first
    real t;
    uint64_t body;
    real priority; // among equal times the higher goes first
} CosyPending;

#define COSY_BODY(what, which, id)                                             \
    ((uint64_t)(what) | (uint64_t)(which) << 8 | (uint64_t)(id) << 32)
#define COSY_BODY_WHAT(body)  ((uint32_t)(body)&255u)
#define COSY_BODY_WHICH(body) ((uint32_t)(body) >> 8)
#define COSY_BODY_ID(body)    ((uint32_t)((body) >> 32))

/* A line of the event log; `kind` is a CosyWhat or one of the kernel's own. */
typedef struct CosyLogged {
    real t;
    uint32_t kind, which;
    uint64_t detail; // number of the copy or transaction, or COSY_NONE
} CosyLogged;

/* A round over the calendar: what it may do, and what it has done. */
typedef struct CosyRound {
    real limit;           // nothing later is carried out
    uint32_t most;        // entries to carry out, at most
    CosyLogged *log;      // room for `most` lines, or NULL
    uint32_t done, timed; // carried out: in all; time events among them
    uint64_t body;        // that of the entry that failed
} CosyRound;

/* While cosy_go runs and the lane is empty, the slot stands in for it: the
   first transaction put into the lane is kept there, as 1 + its place. Between
   rounds, and while the lane is not empty, it is closed. */
enum { COSY_SLOT_CLOSED = 0 };
#define COSY_SLOT_OPEN COSY_NONE

typedef enum CosyAgain { COSY_ONCE, COSY_RERUN, COSY_CONTN } CosyAgain;

/* Scalars of the instance. */
typedef struct CosyHead {
    real t;                      // the present
    uint64_t sequence;           // events scheduled so far
    real cleared;                // statistics count from here: TBEG, or CLEAR
                                 // AT
    uint64_t transaction_number; // TRANSNBR given out so far
    uint32_t heap_count;         // including the hole
    uint32_t heap_hole;          // 1: the root is vacant
    uint32_t heap_void;          // cancelled entries still in heap or lane
    uint32_t request;            // CosyRequest
    uint32_t slot;               // inside cosy_go: in front of the lane
    uint32_t transaction_free, transaction_used; // free list, high-water mark
    uint32_t lane_head, lane_count;
    uint32_t states; // length of x
    real t_begin;    // TBEG
    real t_end;      // TFIN
    real dt;         // DTFUL: length of the last step
    uint64_t seed;   // seed of the whole experiment; added to every stream's
                     // key
    uint32_t record_free, record_used;
    uint32_t stay_free, stay_used;
    uint64_t arrivals; // waits in WAIT UNTIL so far
    uint32_t untils;   // transactions that are in one
    uint32_t asks;     // how many of them are to be asked
    uint32_t kin_free, kin_used;
    uint32_t run; // RUN, from 1
    uint32_t replication;
    uint32_t structure; // grows when copies come or go
    int32_t error_code; // that of ERROREXIT
    uint32_t storing;   // STOREON / STOREOFF
    uint32_t again;     // CosyAgain, set in TERMINAL
    uint32_t trouble;   // CosyReason that an expression met, 0: none
} CosyHead;

/* Header of every transaction; a process's own locals follow in its struct.
   `at` says where it is: COSY_NONE (running, or on the calendar), the resource
   in whose queue it stands, or COSY_UNTIL. `wake` is 0 unless it is on the
   calendar. For the first in a queue, `previous` is undefined. A free place
   holds nothing and waits nowhere (held and mode are 0, at and stays
   COSY_NONE). */
#define COSY_UNTIL (COSY_NONE - 1)

enum {
    COSY_URGENT = 1,    // came through PREEMPT
    COSY_DISPLACED = 2, // lost its facility to a PREEMPT, or to DOWN
    COSY_IMPATIENT = 4  // waits with a TIMEOUT: it is on the calendar too
};

/* Marks of a resource; a facility without marks is handed on by the shortest
   way. COSY_URGENT: its holder came through PREEMPT. */
enum {
    COSY_FAILING = 8, // goes out of service when its holder has finished
    COSY_FAILED = 16, // out of service: its holder is COSY_OUT_OF_SERVICE
    COSY_SHARED = 32, // SEIZE ANY takes it too: it has a common queue
    COSY_RESIZED = 64 // a storage whose CAPACITY has been set during the run
};

/* Holder of a facility that is out of service. */
#define COSY_OUT_OF_SERVICE (COSY_NONE - 1)

typedef struct CosyTransaction {
    uint32_t point;     // where it resumes
    uint32_t timed_out; // TIMEDOUT: its last wait with a TIMEOUT ended by it
    uint32_t held;      // facilities it holds
    uint32_t mode;      // kind of its wait: COSY_DISPLACED, COSY_URGENT,
                        // COSY_IMPATIENT, or 0
    uint32_t at;
    uint32_t next;     // in a queue, or in the free list
    uint32_t stays;    // first of its CosyStays, or COSY_NONE
    uint32_t previous; // in a queue
    uint64_t wake;     // order of its calendar entry
    real gentim;       // GENTIM
    uint64_t body;     // body of its calendar entries; COSY_VOID: the place is
                       // free
    union {
        real due; // time of its calendar entry; displaced: time left; from
                  // cosy_patience to the wait: its TIMEOUT
        struct {
            uint32_t kin, kin_before; // waiting in a JOIN: next and previous
                                      // of its family there
        };
    };
    uint64_t number; // TRANSNBR
    real since;      // waiting since
    uint64_t family; // number of the ancestor that SPLIT started from
    real priority;   // PRIORNBR
    union {
        real span;     // length of its last ADVANCE, in which it may be
                       // displaced
        int64_t units; // requested from a storage; members that a JOIN waits
                       // for; waiting for a shared facility: less than 0,
                       // and less the later it came; after SEIZE ANY: which
                       // facility it has, from 0
        struct {
            uint32_t list; // in WAIT UNTIL: its CosyUntil
            uint32_t ask;  // place among those to be asked, 0: none
        };
    };
    real rank; // priority of the request that waits; in WAIT UNTIL: when it
               // came, by head->arrivals
} CosyTransaction;

/* Transactions that wait at one WAIT UNTIL statement (cosy/until.h): all of
   them, or those whose condition reads the same element of an array. They stand
   by priority, then by arrival. All from `cursor` on are still to be asked. */
typedef struct CosyUntil {
    uint32_t head, tail;
    uint32_t cursor;         // it is among those to be asked, or COSY_NONE
    uint32_t wait;           // CosyWaitInfo of the statement
    uint32_t next, previous; // circle of the statement's first list and of its
                             // other ones that are not empty
} CosyUntil;

/* Members of one family that wait in one JOIN, as they stand in its queue. The
   table of them is a hash table too: `bucket` is the first of those whose hash
   is the place of this entry. */
typedef struct CosyKin {
    uint64_t family;
    uint32_t joint;
    uint32_t head, tail;
    uint32_t count;
    uint32_t next; // of the same hash, or in the free list
    uint32_t bucket;
} CosyKin;

/* Units that a transaction occupies in a storage. */
typedef struct CosyStay {
    uint32_t storage;
    uint32_t next; // next stay of the same transaction, or in the free list
    int64_t units;
} CosyStay;

/* Header of every event record and file entry; attributes follow. The entries
   of a file ranked LVF or HVF are a tree as well as a list. */
typedef struct CosyRecord {
    uint32_t next, previous;
    uint32_t up, left, right;
    uint32_t turn; // changes each time the place is freed
    real key;      // value it is ranked by
    real since;    // time it entered its file
} CosyRecord;

/* One struct serves FACILITY, STORAGE, GATE, SIGNAL, JOIN and the common queue
   of SEIZE ANY. Units of a storage belong to the transaction that entered them.
   A transaction that ends with units has lost them, unless others have left as
   many. */
typedef struct CosyResource {
    uint32_t holder;     // facility: transaction, COSY_NONE, or
                         // COSY_OUT_OF_SERVICE
    uint32_t head, tail; // those that wait, by priority, then by arrival
    uint32_t waiting, most_waiting;
    uint32_t marks;   // COSY_URGENT, COSY_FAILING ...
    uint32_t strange; // a transaction has left units that were not its own
    real rank;        // priority of the holder's request
    real wait_since;  // time integral of `waiting`: up to this time ...
    uint64_t waits;   // transactions that had to wait
    real wait_area;   // ... it amounts to this
    uint64_t entries; // requests granted in all
    real used_since;  // the same for `used`
    int64_t used;     // a gate: 1 when open
    real used_area;
    int64_t most_used;
    real wait_sum;
    int64_t capacity;
    real wait_max;
    uint64_t lost_by; // number of the first transaction that ended with units
    int64_t lost;     // units of transactions that have ended
    int64_t owed;     // units left on behalf of others that are still there
    uint64_t vain;    // waits that ended otherwise than with an entry
    real down_since;  // out of service since, or until
    uint64_t gave_up; // requests that ended by TIMEOUT
    real down_area;   // time out of service, up to the last UP
    uint64_t failures;
    real room_since;   // storage: time integral of the capacity: up to this ...
    uint64_t arrivals; // common queue: counts who came and what became free
    real room_area;    // ... it amounts to this
    uint64_t idle;     // shared facility: when it became free, by that count
} CosyResource;

typedef struct CosyFile {
    uint32_t head, tail, count, most;
    uint32_t kept; // content at CLEAR, when `entries` was reset
    uint32_t root; // root of the tree, if ranked LVF or HVF
    uint64_t entries;
    real since, area; // time integral of `count`
    real stay_sum, stay_max;
} CosyFile;

/* The transactions of a DISCRETE PROCESS. */
typedef struct CosyPopulation {
    uint32_t count, most; // including those still to begin
    uint32_t capacity;    // COSY_NONE: no limit
    uint32_t kept;        // how many there were at CLEAR
    uint64_t entries;
    real stay_sum, stay_max; // of those that have ended: time since GENTIM or
                             // CLEAR
} CosyPopulation;

#define COSY_BATCH 128

/* How uniform numbers become those of a distribution. Both partners of a pair
   of antithetic replications invert: one uses u, the other 1 - u. */
typedef enum CosyWay { COSY_FASTEST, COSY_INVERTED, COSY_MIRRORED } CosyWay;

/* A draw is shift + scale * batch[at]. The batch depends on seed, stream
   number, run, replication, way and counter, and on nothing else. For EXPOND,
   UNIFORMD and NORMALD it holds values of the standard form, for all others
   finished values. */
typedef struct CosyStream {
    uint64_t seed, counter; // batches filled so far
    uint32_t run, replication;
    double a, b, c;
    double shift, scale;
    uint32_t at; // next value in the batch; COSY_BATCH: the batch is used up
    uint32_t distribution;
    uint32_t item; // item of RANDOMGEN; COSY_NONE: as the table of streams says
    uint32_t way;  // CosyWay
    double batch[COSY_BATCH];
} CosyStream;

/* What `observe` has settled comes first in the statistics below and outlives
   the reset at the start of a run (stats/observe.h). */

#define COSY_BATCHES 64

/* Means of consecutive observations in batches of equal size. When there are
   COSY_BATCHES of them, neighbours are merged and the size doubles, so that a
   run of any length has at least half as many batches (stats/batch.h). */
typedef struct CosyCollect {
    uint32_t active;    // the present frame wants it
    uint32_t quantiles; // and quantiles of it
    uint32_t followed; // the host sees every observation: then `left` is 1, and
                       // `rest` is what `left` is for all others
    uint32_t batches;
    uint64_t n;
    uint64_t size, left; // size of a batch; what the batch being filled still
                         // lacks
    uint64_t rest;
    real mean, square; // running mean, sum of squared deviations
    real min, max;
    real sum; // sum over the batch being filled
    real batch[COSY_BATCHES];
} CosyCollect;

typedef struct CosyTimepers {
    uint32_t active, spare;
    real initial; // START: the value at the start of a run
    real value, since, start;
    real area, square;
    real min, max;
} CosyTimepers;

#define COSY_CELLS 128 // most cells of a histogram, including the two end cells
#define COSY_EARLY 100 // observations from which open limits are derived

enum { COSY_OPEN_FIRST = 1, COSY_OPEN_WIDTH = 2 };

/* count[0]: up to `first`; count[k]: above first + (k-1) width, up to first + k
   width; count[cells + 1]: above all of these. If FUPLIM or WIDTH is open, the
   first observations are kept until it can be derived from them; after that the
   width doubles whenever a value lies beyond. */
typedef struct CosyHistogram {
    uint32_t active, cells;
    real fuplim, wide; // as requested; NaN: open
    real first, width; // width 0: not determined yet
    uint32_t open;     // COSY_OPEN_FIRST, COSY_OPEN_WIDTH
    uint32_t early;    // observations kept
    uint64_t count[COSY_CELLS];
    real kept[COSY_EARLY];
} CosyHistogram;

/* Things a model must not do; host->refuse puts them into words. `which` is the
   event, process, resource, file, stream, statistic or CONTINUOUS PROCESS, `who` the transaction
   (or COSY_NONE), `value` the time, delay, number or rank that was
   requested. */
typedef enum CosyRefusal {
    COSY_BAD_SCHEDULE,   // SCHEDULE into the past, or at a time that is NaN
    COSY_BAD_GENERATE,   // the same for GENERATE
    COSY_BAD_PRIORITY,   // not finite
    COSY_BAD_ADVANCE,    // negative, or not a number
    COSY_BAD_TIMEOUT,    // the same
    COSY_PROCESS_FULL,   // more transactions than its file has room for
    COSY_SEIZES_TWICE,   // SEIZE or PREEMPT by the holder
    COSY_NOT_HOLDER,     // RELEASE by a transaction other than the holder
    COSY_STILL_HOLDS,    // a transaction ends while it holds a facility
    COSY_BAD_ENTER,      // ENTER with less than 1 or more than the capacity
    COSY_BAD_LEAVE,      // LEAVE with less than 1 or more than is in use
    COSY_BAD_CAPACITY,   // CAPACITY(s) := less than 0
    COSY_IS_DOWN,        // DOWN of a facility that is or goes out of service
    COSY_IS_UP,          // UP of a facility that is in service
    COSY_BAD_SPLIT,      // SPLIT into less than 1
    COSY_BAD_JOIN,       // JOIN of less than 1
    COSY_NO_TRANSACTION, // no transaction has this number
    COSY_FILE_FULL,
    COSY_NO_ENTRY,    // REMOVE or access of an entry that is not there
    COSY_BAD_RANK,    // INSERT with an attribute that is not a number
    COSY_ENTRY_GONE,  // WITH: the entry has been removed meanwhile
    COSY_NO_CURRENT,  // an attribute is read while no entry is current
    COSY_BAD_STREAM,  // impossible parameters
    COSY_BAD_COLLECT, // an observation that is not finite
    COSY_BAD_TIMEPERS,
    COSY_BAD_HISTOGRAM,
    COSY_NO_COPY,     // no copy of a CONTINUOUS PROCESS has this number
    COSY_COPY_FULL,   // more copies than its file has room for
    COSY_COPY_USED,   // CREATE with a number that is not above all so far
    COSY_COPY_LEAVES, // DELETE, SUSPEND or RESUME of one that is about to leave
    COSY_COPY_DEEP,   // INITIAL sections create copies one inside the other
    COSY_COPY_ENDLESS // TERMINAL sections create and delete for ever
} CosyRefusal;

/* A statement of row `row` in a body: adds the row to its status. `self` is the
   transaction, or COSY_NONE. Compiled with COSY_TRACE, every statement is
   reported to the host. COSY_PASS_ROW also returns if the transaction has to
   wait. */
#ifdef COSY_TRACE
#define COSY_TOLD(c, row, self, status)                                        \
    (c)->host->trace((c), (row), (self), (status))
#else
#define COSY_TOLD(c, row, self, status) ((void)0)
#endif

#define COSY_DO(call, row, self)                                               \
    do {                                                                       \
        CosyStatus cosy_status_ = (call);                                      \
        COSY_TOLD(c, row, self, cosy_status_);                                 \
        if (cosy_status_ != COSY_OK)                                           \
            return COSY_FAIL(COSY_REASON(cosy_status_), row);                  \
    } while (0)

#define COSY_PASS_ROW(call, row, self)                                         \
    do {                                                                       \
        CosyStatus cosy_status_ = (call);                                      \
        COSY_TOLD(c, row, self, cosy_status_);                                 \
        if (cosy_status_ != COSY_OK)                                           \
            return cosy_status_ == COSY_WAITING                                \
                       ? COSY_OK                                               \
                       : COSY_FAIL(COSY_REASON(cosy_status_), row);            \
    } while (0)

/* Answer of a statement at which a transaction may have to wait. */
#define COSY_WAITING ((CosyStatus)-1)

/* Such a statement, in the body of `resume`. */
#define COSY_PASS(call)                                                        \
    do {                                                                       \
        CosyStatus cosy_status_ = (call);                                      \
        if (cosy_status_ != COSY_OK)                                           \
            return cosy_status_ == COSY_WAITING ? COSY_OK : cosy_status_;      \
    } while (0)

#if defined(__GNUC__) && !defined(__TINYC__)
#define COSY_PREFETCH(address) __builtin_prefetch(address)
#define COSY_APART             static __attribute__((noinline, unused))
#define COSY_ALWAYS            static inline __attribute__((always_inline))
#define COSY_RARELY(condition) __builtin_expect(!!(condition), 0)
#define COSY_MOSTLY(condition) __builtin_expect(!!(condition), 1)
#else
#define COSY_PREFETCH(address) ((void)(address))
#define COSY_APART             static inline
#define COSY_ALWAYS            static inline
#define COSY_RARELY(condition) (condition)
#define COSY_MOSTLY(condition) (condition)
#endif

/* An invariant, stated wherever the data change. It is checked where
   COSY_CHECKED is defined: builds with sanitizers define it for the kernel and
   for the models that they compile. All others pay nothing. */
#ifdef COSY_CHECKED
extern void abort(void);
extern int puts(const char *text);
static inline void cosy_broken(const char *what)
{
    puts(what);
    abort();
}
#define COSY_ASSERT(what)                                                      \
    ((what) ? (void)0 : cosy_broken("COSY_ASSERT: " #what))
#else
#define COSY_ASSERT(what) ((void)0)
#endif

#endif
