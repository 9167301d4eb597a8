#ifndef COSY_STORE_SUMMARY_H
#define COSY_STORE_SUMMARY_H

/* The text of a summary.json in three parts: what comes before its runs, the
   runs, each by itself, and what follows. Put together again, with ",\n" between
   the runs, they are the same bytes. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/tree.h"

/* Where a run stands in the text, and what is known of it without reading it
   again. */
typedef struct SummaryRun {
    size_t at, length;
    double number, frame;
    bool stopped, failed;
} SummaryRun;

typedef struct Summary {
    const char *text; // must stay
    size_t length;
    size_t head; // bytes before the first run
    size_t tail; // where the rest begins
    Vector run;  // of SummaryRun
} Summary;

/* False: this is not a summary.json, or there is no memory. */
bool summary_split(Summary *s, const char *text, size_t length);
void summary_free(Summary *s);
/* Head and rest as one object, whose list of runs is empty; NULL: no memory. */
const Tree *summary_frame(Arena *a, const char *head, size_t head_length,
                          const char *tail, size_t tail_length);

static inline size_t summary_runs(const Summary *s)
{
    return s->run.used / sizeof(SummaryRun);
}

static inline const SummaryRun *summary_run(const Summary *s, size_t k)
{
    return (const SummaryRun *)(const void *)s->run.bytes + k;
}

#endif
