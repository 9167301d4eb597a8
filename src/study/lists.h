#ifndef COSY_STUDY_LISTS_H
#define COSY_STUDY_LISTS_H

/* The values that an experiment gives its variables before a run: the lists of
   PARAMETER, INITCOND, GUESS and SWEEP of the present frame, and those of --set.

   Lists advance together, one element per run; a short one repeats its last.
   Those of SWEEP make all combinations instead, the last one fastest. A list
   stays until another for the same variable comes, or the next frame. A
   variable that --set names has that one value in all runs; INITCOND, GUESS and
   --set of STATEs apply again at a RERUN, the others do not. */

#include "base/status.h"
#include "run/instance.h"
#include "run/kernel.h"
#include "run/start.h"
#include "stats/summary.h"

#define Lists                COSY_NAME(Lists)
#define List                 COSY_NAME(List)
#define SetValue             COSY_NAME(SetValue)
#define lists_open           COSY_NAME(lists_open)
#define lists_clear          COSY_NAME(lists_clear)
#define lists_begin          COSY_NAME(lists_begin)
#define lists_add            COSY_NAME(lists_add)
#define lists_span           COSY_NAME(lists_span)
#define lists_length         COSY_NAME(lists_length)
#define lists_apply          COSY_NAME(lists_apply)
#define lists_apply_sets     COSY_NAME(lists_apply_sets)
#define lists_use            COSY_NAME(lists_use)
#define lists_last           COSY_NAME(lists_last)
#define lists_variable       COSY_NAME(lists_variable)
#define lists_show           COSY_NAME(lists_show)
#define lists_from_last      COSY_NAME(lists_from_last)
#define lists_constant       COSY_NAME(lists_constant)
#define lists_parameters     COSY_NAME(lists_parameters)
#define lists_targets        COSY_NAME(lists_targets)
#define lists_fixes          COSY_NAME(lists_fixes)
#define lists_free           COSY_NAME(lists_free)
#define lists_sampled        COSY_NAME(lists_sampled)
#define lists_begin_sampled  COSY_NAME(lists_begin_sampled)
#define lists_drop_sampled   COSY_NAME(lists_drop_sampled)
#define lists_varies_besides COSY_NAME(lists_varies_besides)

/* The most elements of one list, and so the most runs of a SIMULATE without
   SWEEP. */
#define LIST_MOST 100000

/* Its elements are `count` of Lists.values, from `first` on. */
typedef struct List {
    CosyList which;
    uint32_t variable, index;
    uint32_t first, count;
    bool used;    // a run has begun with it
    bool spent;   // a STEADYSTATE has: its point is what counts from then on
    bool sampled; // its values are drawn from a distribution (UNCERTAIN)
} List;

typedef struct SetValue {
    uint32_t variable, index;
    real value;
} SetValue;

typedef struct Lists {
    const CosyModel *model;
    Vector lists, values; // of List, of real
    Vector sets;          // of SetValue
    bool rested;          // STATEs that --set names have led to a point of rest
} Lists;

/* Reads --set; an invalid one is a fault. */
Status lists_open(Lists *l, const CosyModel *m, const KernelSetting *set,
                  uint32_t sets, Fault *f);
void lists_clear(Lists *l);
/* Begins a list, and adds value * count % increment to it; false: no memory. */
bool lists_begin(Lists *l, CosyList which, uint32_t variable, uint32_t index);
bool lists_add(Lists *l, real value, uint32_t count, real increment);
/* The same for a list of UNCERTAIN; how many of these there are; without them. */
bool lists_begin_sampled(Lists *l, CosyList which, uint32_t variable,
                         uint32_t index);
uint32_t lists_sampled(const Lists *l);
void lists_drop_sampled(Lists *l);
/* Whether any other list makes runs of its own. */
bool lists_varies_besides(const Lists *l);
/* Elements so far of the list that was begun last, its variable, and a value:
   number 1 from the end is the last. */
uint32_t lists_last(const Lists *l);
const CosyVariable *lists_variable(const Lists *l);
/* A PARAMETER has the first value of the last list from here on, for the statements that
   follow: INITCOND X = P. */
void lists_show(const Lists *l, Cosy *c);
real lists_from_last(const Lists *l, uint32_t k);
/* The same for n values from a to b, equally spaced or with equal ratios. */
bool lists_span(Lists *l, real a, real b, uint32_t n, bool log);
/* How many runs the lists make, at least 1: the longest that --set leaves, or
   all combinations of a SWEEP. 0: there is a SWEEP beside lists that advance
   together. */
uint64_t lists_length(const Lists *l);
/* What is set before a run. INITCONDs that have led to a point of rest are left
   out, and so are all that have been used, where an analysis begins at the
   present point. */
typedef enum ListsFor {
    LISTS_START,  // a run
    LISTS_AGAIN,  // a RERUN
    LISTS_PRESENT // an analysis at the present point
} ListsFor;
/* Sets element k of every list, then what --set says. */
void lists_apply(const Lists *l, Cosy *c, uint32_t k, ListsFor what);
void lists_apply_sets(const Lists *l, Cosy *c, ListsFor what);
/* What lists_apply says about the start of a run: StartTargets, those of --set
   first, then in the order in which they were written; false: no memory. */
bool lists_targets(const Lists *l, uint32_t k, ListsFor what, Vector *targets);
/* A run has begun with the present lists, or `spent`: a point of rest has been
   found from them. */
void lists_use(Lists *l, bool spent);
/* Whether --set gives this variable, or element, its value. */
bool lists_fixes(const Lists *l, uint32_t variable, uint32_t index);
/* Value of a CONST. */
real lists_constant(const Lists *l, uint32_t variable, real value);
/* PARAMETERs, SWEEPs and --set with their present values; NULL: no memory. */
RunSetting *lists_parameters(const Lists *l, const Cosy *c, Arena *a,
                             uint32_t *count);
void lists_free(Lists *l);

#endif
