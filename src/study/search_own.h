#ifndef COSY_STUDY_SEARCH_OWN_H
#define COSY_STUDY_SEARCH_OWN_H

/* What search.c (trials and their order) and search_tell.c (what is shown of them)
   share. */

#include "search/optimise.h"
#include "search/roots.h"
#include "study/bench.h"

#define Quest            COSY_NAME(Quest)
#define QuestFound       COSY_NAME(QuestFound)
#define quest_tell       COSY_NAME(quest_tell)
#define quest_kind       COSY_NAME(quest_kind)
#define quest_put_wanted COSY_NAME(quest_put_wanted)
#define quest_name       COSY_NAME(quest_name)

enum { QUEST_THREADS = 64 }; // the most benches

/* One search. */
typedef struct Quest {
    Experiment *e;
    const CosySearch *s;
    Arena arena; // of names, bounds and the answer
    const char **name, **equation;
    const char **difference; // of both sides of an equation: what is to be zero
    /* Result `order[k]` of the body is what src/search has as its result k: the value,
       inequalities, equations. */
    uint32_t *order;
    uint32_t below, zero;
    Bench *bench; // `threads` of them, opened when they are first needed
    uint32_t threads;
    real *raw; // results of the body, one row for each thread
    size_t trials;
    Fault failed; // the first trial that failed
    KernelSearch progress;
    char what[80]; // of the progress
    double begun;
} Quest;

/* What a search has found, whatever it was. */
typedef struct QuestFound {
    bool found;            // what was asked for
    bool any;              // there is a point at all
    real value;            // of MINIMIZE and MAXIMIZE there
    const real *p;         // NULL: none
    const real *error;     // of each parameter; NaN: not known
    const signed char *at; // -1, 1: at a bound
    const bool
        *active; // of the conditions after SUBJECT TO, in their order in the
                 // answer; NULL for SOLVE
    const bool *idle; // of the parameters: without effect; NULL: not known
    size_t trials, failures;
    const char *end;    // one word, for summary.json
    const char *words;  // whole sentences
    const char *remark; // of these, what is not told elsewhere
    const char *method;
    SearchHistory *history;
} QuestFound;

/* What was wanted: "J", or "Y = 0.5, Z = 0". */
void quest_put_wanted(Buffer *b, const Quest *q);
/* "MINIMIZE" */
const char *quest_kind(const Quest *q);

/* Text, JSON, file and picture. `result` has what the body has left at the end. */
Status quest_tell(Quest *q, const QuestFound *f, const real *result);
/* "KP", "V[3]" */
const char *quest_name(Quest *q, uint32_t variable, uint32_t index);

#endif
