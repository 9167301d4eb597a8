#ifndef COSY_STUDY_SEARCH_OWN_H
#define COSY_STUDY_SEARCH_OWN_H

/* What search.c (trials and their order) and search_tell.c (what is shown of them)
   share. */

#include "search/optimise.h"
#include "search/roots.h"
#include "stats/json.h"
#include "study/bench.h"

#define Quest            COSY_NAME(Quest)
#define QuestFound       COSY_NAME(QuestFound)
#define quest_tell       COSY_NAME(quest_tell)
#define quest_trial      COSY_NAME(quest_trial)
#define quest_bench      COSY_NAME(quest_bench)
#define quest_refuse     COSY_NAME(quest_refuse)
#define quest_memory     COSY_NAME(quest_memory)
#define quest_running    COSY_NAME(quest_running)
#define quest_answer     COSY_NAME(quest_answer)
#define quest_put_words  COSY_NAME(quest_put_words)
#define quest_put_limits COSY_NAME(quest_put_limits)
#define quest_unit       COSY_NAME(quest_unit)
#define quest_history    COSY_NAME(quest_history)
#define fit_go           COSY_NAME(fit_go)
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
    uint32_t results;    // of a trial, as src/search has them
    const FitPlan *plan; // of a FIT; else NULL
    Bench *bench;        // `threads` of them, opened when they are first needed
    uint32_t threads;
    real *raw; // results of the body, one row for each thread
    /* Derivatives of the results, if the body leaves any: results * n numbers for each
       thread. */
    real *raw_slope;
    bool slopes; // the search uses them
    /* The first trial, which has told whether they can be used, and which is the first
       one of the search. */
    const real *first_p;
    real *first_out, *first_slope;
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
    const char *gradients; // what they are; NULL: the search uses none
    SearchHistory *history;
} QuestFound;

/* What was wanted: "J", or "Y = 0.5, Z = 0"; of a FIT "K1, K2". */
void quest_put_wanted(Buffer *b, const Quest *q);
/* "MINIMIZE" */
const char *quest_kind(const Quest *q);

/* Text, JSON, file and picture. `result` has what the body has left at the end. */
Status quest_tell(Quest *q, const QuestFound *f, const real *result);
/* "KP", "V[3]" */
const char *quest_name(Quest *q, uint32_t variable, uint32_t index);
/* The unit of a parameter. */
const char *quest_unit(const Quest *q, uint32_t parameter);

/* For src/search: trials on benches. */
SearchTrial quest_trial(Quest *q);
/* Bench number k <= threads; only the first may use several threads for its runs. */
Status quest_bench(Quest *q, uint32_t k);
/* A fault of the experiment that names the line of the search. */
Status quest_refuse(Quest *q, const char *why);
Status quest_memory(const Quest *q);
/* Whoever shows progress knows whether the search is under way. */
void quest_running(const Quest *q, bool is);
/* The statements once more, in the experiment itself and with everything that is
   shown, recorded and written. */
CosyStatus quest_answer(Quest *q, const real *p, real *result);
/* Sentences in lines of a terminal. */
void quest_put_words(Buffer *b, const char *text);
/* "bounds" of the parameters, if there are any. */
void quest_put_limits(JsonObject *o, const Quest *q);
/* WHAT-NNNN.csv: all trials; `value` names what was looked at, to which `more` is
   added; NULL: the results say it. */
Status quest_history(Quest *q, const SearchHistory *h, const char *what,
                     const char *value, real more);

/* fit.c: a FIT, from the problem to the answer. */
Status fit_go(Quest *q);

#endif
