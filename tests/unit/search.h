#ifndef COSY_TESTS_SEARCH_H
#define COSY_TESTS_SEARCH_H

/* Problems for tests of searches: a function, the part of the space where it fails, and
   the two forms of a trial, which count. */

#include "search/trial.h"

#include "check.h"

#define MOST_PARAMETERS 10

typedef struct Problem {
    uint32_t n, results;
    uint32_t inequalities, equalities; // best values
    void (*f)(const real *p, real *out);
    bool (*fails)(const real *p);
    const real *start, *low, *high; // or NULL
    real best[MOST_PARAMETERS], value;
    size_t most_trials; // what a sensible search needs
    size_t stop_at;     // trial at which the user stops; 0: never
    /* Counted. */
    size_t calls, batches, largest;
} Problem;

static inline Status problem_one(void *user, const real *p, real *out)
{
    Problem *q = user;
    q->calls++;
    if (q->stop_at > 0 && q->calls >= q->stop_at)
        return STATUS_STOPPED;
    if (q->fails != NULL && q->fails(p))
        return STATUS_USER;
    q->f(p, out);
    return STATUS_OK;
}

/* In another order than one by one. */
static inline Status problem_many(void *user, size_t count, const real *p,
                                  real *out, Status *each)
{
    Problem *q = user;
    q->batches++;
    q->largest = count > q->largest ? count : q->largest;
    for (size_t k = count; k-- > 0;)
        each[k] = problem_one(q, p + k * q->n, out + k * q->results);
    return STATUS_OK;
}

static inline bool text_holds(const char *text, const char *words)
{
    if (strstr(text, words) != NULL)
        return true;
    printf("\"%s\" is not in \"%s\"\n", words, text);
    return false;
}

#endif
