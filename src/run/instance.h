#ifndef COSY_RUN_INSTANCE_H
#define COSY_RUN_INSTANCE_H

/* The memory of one run as the contract lays it out: segments in Vectors, each
   added to the run's image, and the pointers to them in `c`. Pools grow at
   events; instance_attach sets the pointers again after a segment moved or an
   image was loaded. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"
#include "events/refusal.h"
#include "solve/block.h"
#include "solve/history.h"
#include "solve/moves.h"

#define Instance              COSY_NAME(Instance)
#define instance_create       COSY_NAME(instance_create)
#define instance_attach       COSY_NAME(instance_attach)
#define instance_too_large    COSY_NAME(instance_too_large)
#define instance_free         COSY_NAME(instance_free)
#define instance_begin        COSY_NAME(instance_begin)
#define instance_set          COSY_NAME(instance_set)
#define instance_get          COSY_NAME(instance_get)
#define instance_find         COSY_NAME(instance_find)
#define instance_grow         COSY_NAME(instance_grow)
#define instance_delayed      COSY_NAME(instance_delayed)
#define instance_delayed_rate COSY_NAME(instance_delayed_rate)
#define instance_refuse       COSY_NAME(instance_refuse)
#define instance_transaction  COSY_NAME(instance_transaction)

/* The segments, in the order of the image. */
typedef enum SegmentKind {
    SEGMENT_HEAD,
    SEGMENT_DATA,
    SEGMENT_X,
    SEGMENT_BRANCH,
    SEGMENT_COPIES,
    SEGMENT_HEAP,
    SEGMENT_LANE,
    SEGMENT_TRANSACTIONS,
    SEGMENT_RECORDS,
    SEGMENT_STAYS,
    SEGMENT_UNTIL,
    SEGMENT_ASKED,
    SEGMENT_KIN,
    SEGMENT_RESOURCES,
    SEGMENT_POPULATIONS,
    SEGMENT_FILES,
    SEGMENT_STREAMS,
    SEGMENT_COLLECTS,
    SEGMENT_TIMEPERS,
    SEGMENT_HISTOGRAMS,
    SEGMENT_CLOCKS,
    SEGMENT_MEMORIES,
    SEGMENT_COUNT
} SegmentKind;

/* What moves when copies come and go. */
typedef enum Layout {
    LAYOUT_STATES,
    LAYOUT_BRANCHES,
    LAYOUT_DELAYS,
    LAYOUT_ATTRIBUTES,
    LAYOUTS
} Layout;

/* What becomes of a CONTINUOUS PROCESS after a body (copies.c). */
typedef struct CopyPlan {
    uint32_t active, settled; // as in CosyCopies
    uint32_t change;          // first position that changes
    bool any;                 // there is one, perhaps of one that sleeps
    size_t first, last;       // its pieces
} CopyPlan;

typedef struct Instance {
    Cosy c;
    Arena *arena;
    Vector segment[SEGMENT_COUNT];
    Vector *attributes; // per CONTINUOUS PROCESS
    Vector *copy_work;
    uint32_t *fresh; // per process: copies from this position on may have
                     // no algebraic values yet
    CopyPlan *plans; // the same; scratch, as are the next two
    Vector pieces;
    Vector moving;
    Moves moves[LAYOUTS]; // of the last change of structure
    BlockRoom blocks;     // for implicit blocks
    Vector work;          // scratch of the model
    Vector rates;         // the same, a real per state
    Vector numbered;      // c.numbered: where transactions are, by number
    History *history;     // of its delays; NULL outside a run
    Refusal refused;      // what the model was refused
} Instance;

/* Memory for an instance of m, and the model's declared values (`reset`). */
Status instance_create(Instance *i, const CosyModel *m, const CosyHost *host,
                       void *run, Arena *a, Image *image, Fault *f);
/* The fault for an instance that does not fit into memory. */
Status instance_too_large(const CosyModel *m, Fault *f);
void instance_attach(Instance *i);
void instance_free(Instance *i);
/* Empties the discrete part and removes all copies, for a new run. */
Status instance_begin(Instance *i, real from, real to);

/* Element `index` of a variable (COSY_NONE: all of them). */
void instance_set(Cosy *c, uint32_t variable, uint32_t index, real value);
real instance_get(const Cosy *c, uint32_t variable, uint32_t index);
/* Number of the variable of that name, case ignored; COSY_NONE if none. */
uint32_t instance_find(const CosyModel *m, const char *name);

/* host->grow. */
CosyStatus instance_grow(Cosy *c, CosySegment which);
/* Places in branch now. */
static inline uint32_t instance_branches(const Instance *i)
{
    return (uint32_t)(i->segment[SEGMENT_BRANCH].used / sizeof(int32_t));
}
/* host->refuse. */
CosyStatus instance_refuse(Cosy *c, CosyRefusal what, uint32_t which,
                           uint32_t who, real value);
/* host->transaction. */
CosyStatus instance_transaction(Cosy *c, uint32_t process, int64_t number,
                                uint32_t *id);
/* host->delayed and delayed_rate. */
CosyStatus instance_delayed(Cosy *c, uint32_t delay, real t, real *value);
CosyStatus instance_delayed_rate(Cosy *c, uint32_t delay, real t, real *rate);
#endif
