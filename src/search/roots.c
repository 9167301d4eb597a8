#include "search/roots.h"

#include <assert.h>

#include "search/roots_own.h"

static Space space_of(const RootProblem *q)
{
    Space s = {q->n, q->name, q->start, q->low, q->high, q->scale};
    return s;
}

const char *roots_fault(const RootProblem *q, char text[SEARCH_WORDS])
{
    Space s = space_of(q);
    bool both = q->n == 1 && cosy_finite(space_low(&s, 0)) &&
                cosy_finite(space_high(&s, 0));
    if (!(q->tolerance >= R(0.0) && q->tolerance < R(1.0)))
        return "the tolerance is not a number from 0 to 1";
    return space_fault(&s, !both, text, SEARCH_WORDS);
}

real roots_precise(const RootProblem *q)
{
    return cosy_max(q->tolerance, R(2.0) * COSY_EPSILON);
}

const char *equation_name(const RootProblem *q, uint32_t i,
                          char text[NUMBER_ROOM])
{
    if (q->equation != NULL)
        return q->equation[i];
    snprintf(text, NUMBER_ROOM, q->n == 1 ? "F" : "F%u", (unsigned)i + 1);
    return text;
}

/* The largest residual is what is made small. */
static void judge(const void *problem, const real *p, const real *out,
                  real *value, real *violation)
{
    (void)p;
    const RootProblem *q = problem;
    *violation = R(0.0);
    *value = R(0.0);
    for (uint32_t i = 0; i < q->n; i++)
        *value = cosy_max(*value, cosy_abs(out[i]));
}

static Status answer_make(const RootProblem *q, Arena *a, RootAnswer *answer)
{
    *answer = (RootAnswer){
        .p = NEW_ARRAY(a, real, q->n),
        .residual = NEW_ARRAY(a, real, q->n),
        .error = NEW_ARRAY(a, real, q->n),
        .at = NEW_ARRAY(a, signed char, q->n),
        .condition = COSY_NAN,
        .largest = COSY_NAN,
        .sloped = q->n > 1 && q->trial.slopes != NULL,
        .between = {COSY_NAN, COSY_NAN},
        .history = {.n = q->n, .results = q->n},
    };
    if (answer->p == NULL || answer->residual == NULL ||
        answer->error == NULL || answer->at == NULL)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < q->n; i++) {
        answer->error[i] = answer->residual[i] = COSY_NAN;
        answer->p[i] = q->start != NULL ? q->start[i] : COSY_NAN;
    }
    return STATUS_OK;
}

/* Whatever happened, the best point is the answer. */
static void take_best(RootSearch *s)
{
    RootAnswer *answer = s->answer;
    answer->trials = s->answer->history.count;
    answer->failures = s->ledger.failures + s->ledger.infinite;
    if (!s->ledger.found)
        return;
    SearchPoint best = ledger_best(&s->ledger);
    for (uint32_t i = 0; i < s->q->n; i++) {
        answer->p[i] = best.p[i];
        answer->residual[i] = best.out[i];
        answer->at[i] = space_at(&s->space, i, best.p[i]);
    }
    answer->largest = best.value;
}

static void say_best(RootSearch *s)
{
    const RootAnswer *answer = s->answer;
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    bool found = answer->end == ROOT_FOUND;
    uint32_t worst = 0;
    if (!s->ledger.found || (s->faded && !found))
        return;
    for (uint32_t i = 1; i < s->q->n; i++)
        if (cosy_abs(answer->residual[i]) > cosy_abs(answer->residual[worst]))
            worst = i;
    SAY(s, "%sThe %s is ", answer->words[0] != '\0' ? " " : "",
        found ? "root" : "nearest point");
    search_say_point(&s->space, answer->p, s->answer->words, SEARCH_WORDS);
    if (found)
        SAY(s, ", found after %zu trials.", answer->trials);
    else
        SAY(s, ", where %s is %s.", equation_name(s->q, worst, name),
            search_number(answer->residual[worst], number));
}

static void say_end(RootSearch *s)
{
    RootAnswer *answer = s->answer;
    if (answer->end == ROOT_STOPPED)
        SAY(s, "The search was stopped after %zu trials.", answer->trials);
    if (answer->end == ROOT_MOST)
        SAY(s, "No trial was left after %zu: MAX allows more.", answer->trials);
}

Status roots_find(const RootProblem *q, Arena *a, RootAnswer *answer)
{
    char text[SEARCH_WORDS];
    assert(roots_fault(q, text) == NULL);
    (void)text;
    TRY(answer_make(q, a, answer));
    RootSearch s = {
        .q = q,
        .space = space_of(q),
        .arena = a,
        .answer = answer,
        .ledger = {.trial = &q->trial,
                   .history = &answer->history,
                   .judge = judge,
                   .problem = q,
                   .most = q->most > 0 ? q->most : 200 * (q->n + (size_t)1)},
    };
    Status end = q->n == 1 ? roots_one(&s) : roots_many(&s);
    if (end == STATUS_LIMIT)
        answer->end = ROOT_MOST;
    else if (end == STATUS_STOPPED)
        answer->end = ROOT_STOPPED;
    else if (end != STATUS_OK)
        return end;
    take_best(&s);
    say_end(&s);
    memcpy(answer->remark, answer->words, sizeof answer->remark);
    say_best(&s);
    return STATUS_OK;
}
