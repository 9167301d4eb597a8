/* What is said about a fit. */

#include "search/least_own.h"

#define REMARK(x, ...)  search_say((x)->remark, LEAST_WORDS, __VA_ARGS__)
#define VERDICT(x, ...) search_say((x)->verdict, LEAST_WORDS, __VA_ARGS__)

/* Sentences follow each other. */
static void next(char *words)
{
    if (words[0] != '\0')
        search_say(words, LEAST_WORDS, " ");
}

/* ---- What the data determine ------------------------------------------------------------ */

static bool is_alone(const LeastPlan *l, const real *direction)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->n; i++)
        count += cosy_abs(direction[i]) > R(0.05);
    return count <= 1;
}

/* "P grows by 1 %, Q shrinks by 0.5 %", or by an amount. */
static void say_change(const LeastPlan *l, LeastAnswer *x, uint32_t i,
                       real share)
{
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    real z = least_coordinate(l, i, x->p[i]);
    bool relative =
        least_logarithmic(l, i) || least_typical(l, i, z) <= cosy_abs(x->p[i]);
    real change = cosy_abs(share) * (relative ? R(1.0) : R(0.01));
    if (!relative)
        change *= least_typical(l, i, z);
    bool grows = (share > R(0.0)) ==
                 (least_logarithmic(l, i) || x->p[i] >= R(0.0) || !relative);
    snprintf(number, NUMBER_ROOM, "%.2g", (double)change);
    VERDICT(x, "%s %s by %s%s", space_name(&l->space, i, name),
            grows ? "grows" : "shrinks", number, relative ? " %" : "");
}

/* An open direction: what may change together without a trace in the results. */
static void say_combination(const LeastPlan *l, LeastAnswer *x,
                            const real *direction)
{
    const char *between = "";
    real most = R(0.0);
    for (uint32_t i = 0; i < l->n; i++)
        most = cosy_max(most, cosy_abs(direction[i]));
    for (uint32_t i = l->n; i-- > 0;) // the first one grows
        if (cosy_abs(direction[i]) >= R(0.05) * most)
            most = direction[i] < R(0.0) ? -cosy_abs(most) : cosy_abs(most);
    next(x->verdict);
    VERDICT(x, "The predictions stay the same when ");
    for (uint32_t i = 0; i < l->n; i++) {
        real share = direction[i] / most;
        if (cosy_abs(share) < R(0.05))
            continue;
        VERDICT(x, "%s", between);
        say_change(l, x, i, share);
        between = " while ";
    }
    VERDICT(x, ": the data tell nothing more about these. Fix one of them, or "
               "measure something that tells them apart.");
}

/* Has an effect, but next to none. */
static void say_alone(const LeastPlan *l, LeastAnswer *x, const real *direction)
{
    char name[NUMBER_ROOM];
    for (uint32_t i = 0; i < l->n; i++) {
        if (!(cosy_abs(direction[i]) > R(0.05)) || x->idle[i])
            continue;
        next(x->verdict);
        VERDICT(x,
                "The data do not determine %s: its error would be more than "
                "ten thousand times its size.",
                space_name(&l->space, i, name));
    }
}

static void say_open(const LeastPlan *l, LeastAnswer *x)
{
    char name[NUMBER_ROOM];
    uint32_t n = l->n, free = 0;
    for (uint32_t i = 0; i < n; i++) {
        free += x->at[i] == 0;
        if (!x->idle[i] || x->at[i] != 0)
            continue;
        next(x->verdict);
        VERDICT(x,
                "%s has no effect on the predictions here, so that the data "
                "say nothing about it.",
                space_name(&l->space, i, name));
    }
    for (uint32_t k = free - x->open; k < free; k++) {
        const real *direction = x->direction + (size_t)k * n;
        if (is_alone(l, direction))
            say_alone(l, x, direction);
        else
            say_combination(l, x, direction);
    }
}

/* Errors of more than the parameter itself, and the pair that is nearest to acting
   alike. */
static void say_weak(const LeastPlan *l, LeastAnswer *x)
{
    char name[NUMBER_ROOM], other[NUMBER_ROOM];
    uint32_t n = l->n, a = 0, b = 0;
    real most = R(0.99);
    for (uint32_t i = 0; i < n; i++) {
        if (x->error[i] > cosy_abs(x->p[i])) {
            next(x->verdict);
            VERDICT(x, "%s cannot be told from zero: its error is %.2g.",
                    space_name(&l->space, i, name), (double)x->error[i]);
        }
        for (uint32_t j = 0; j < i; j++) {
            real correlation = cosy_abs(x->correlation[(size_t)i * n + j]);
            if (!(correlation > most))
                continue;
            most = correlation;
            a = i;
            b = j;
        }
    }
    if (a == b)
        return;
    next(x->verdict);
    VERDICT(x, "%s and %s are hard to tell apart: their correlation is %.5g.",
            space_name(&l->space, b, other), space_name(&l->space, a, name),
            (double)x->correlation[(size_t)a * n + b]);
}

static void say_verdict(const LeastPlan *l, LeastAnswer *x)
{
    if (l->rows < l->n)
        VERDICT(x, "There are fewer data (%u) than parameters (%u).",
                (unsigned)l->m, (unsigned)l->n);
    if (x->open > 0)
        say_open(l, x);
    say_weak(l, x);
}

/* ---- Why it ended ------------------------------------------------------------------------ */

static void say_bounds(const LeastPlan *l, LeastAnswer *x)
{
    char name[NUMBER_ROOM];
    for (uint32_t i = 0; i < l->n; i++) {
        if (x->at[i] == 0)
            continue;
        next(x->remark);
        REMARK(x, "%s is at its %s bound.", space_name(&l->space, i, name),
               x->at[i] < 0 ? "lower" : "upper");
    }
}

static void say_endless(const LeastPlan *l, LeastAnswer *x)
{
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    for (uint32_t i = 0; i < l->n; i++) {
        if (!(cosy_abs(x->p[i]) > R(1e5) * cosy_abs(l->q->start[i])) &&
            x->determined[i])
            continue;
        next(x->remark);
        REMARK(x,
               "%s has gone as far as %s and the fit improves ever less: give "
               "it a bound, or leave it out.",
               space_name(&l->space, i, name), search_number(x->p[i], number));
    }
}

static void say_failed(LeastAnswer *x)
{
    if (!x->found && x->starts > 1)
        REMARK(x,
               "The trials at all %u starts fail, or give numbers that are "
               "not finite.",
               (unsigned)x->starts);
    else if (!x->found)
        REMARK(x, "The trial at the start fails, or gives numbers that are not "
                  "finite: begin elsewhere.");
    else
        REMARK(x, "The search is stuck where trials fail, or have no slopes "
                  "that are finite: begin elsewhere.");
}

static void say_end(const LeastPlan *l, LeastAnswer *x)
{
    switch (x->end) {
    case LEAST_FOUND:
    case LEAST_AT_BOUND:
    case LEAST_FLAT: break;
    case LEAST_ENDLESS: say_endless(l, x); break;
    case LEAST_STUCK:
        REMARK(x, "The slopes promise a better fit than any step brings: the "
                  "trials have more noise than was said, or a jump.");
        break;
    case LEAST_MOST:
        REMARK(x, "No trial was left after %zu: MAX allows more.", x->trials);
        break;
    case LEAST_FAILED: say_failed(x); break;
    case LEAST_STOPPED:
        REMARK(x, "The search was stopped after %zu trials.", x->trials);
        break;
    }
}

/* ---- Several starts ---------------------------------------------------------------------- */

static void say_starts(LeastAnswer *x)
{
    uint32_t failed = 0, ended = 0;
    for (uint32_t k = 0; k < x->starts; k++) {
        failed += !cosy_finite(x->start[k].value);
        ended += x->start[k].optimum != UINT32_MAX;
    }
    if (x->starts < 2 || x->optima == 0)
        return;
    next(x->remark);
    REMARK(x, "%u of %u starts led to the best fit", x->optimum[0].times,
           (unsigned)x->starts);
    if (x->optima > 1)
        REMARK(x, ", the others to %u more, the next of which is worse by %.3g",
               (unsigned)x->optima - 1,
               (double)(x->optimum[1].value - x->optimum[0].value));
    if (failed > 0)
        REMARK(x, ", and %u failed", (unsigned)failed);
    if (ended + failed < x->starts)
        REMARK(x, ", and %u did not come to an end",
               (unsigned)(x->starts - ended - failed));
    REMARK(x, ".");
}

static void say_floors(const LeastPlan *l, LeastAnswer *x)
{
    for (uint32_t g = 0; g < l->q->groups && x->found; g++) {
        if (!x->floored[g])
            continue;
        next(x->remark);
        if (l->q->group_name != NULL)
            REMARK(x, "The residuals of %s are", l->q->group_name[g]);
        else if (l->q->groups > 1)
            REMARK(x, "The residuals of group %u are", (unsigned)g + 1);
        else
            REMARK(x, "All residuals are");
        REMARK(x, " zero but for rounding.");
    }
}

static void say_noise(const LeastPlan *l, LeastAnswer *x)
{
    if (!(x->noise > l->q->noise && x->noise > COSY_EPSILON))
        return;
    next(x->remark);
    REMARK(x, "The predictions have noise of about %.1g of their size.",
           (double)x->noise);
}

static void say_best(const LeastPlan *l, LeastAnswer *x)
{
    char number[NUMBER_ROOM];
    if (!x->found)
        return;
    next(x->words);
    bool good = x->end == LEAST_FOUND || x->end == LEAST_AT_BOUND ||
                x->end == LEAST_FLAT;
    SAY(x, "The best fit%s is ", good ? "" : " so far");
    search_say_point(&l->space, x->p, x->words, LEAST_WORDS);
    SAY(x, " after %zu trials, with a sum of squares of %s.", x->trials,
        search_number(x->squares, number));
}

void least_say(LeastPlan *l, LeastAnswer *x)
{
    say_end(l, x);
    say_bounds(l, x);
    say_starts(x);
    say_floors(l, x);
    say_noise(l, x);
    say_verdict(l, x);
    SAY(x, "%s", x->remark);
    if (x->verdict[0] != '\0') {
        next(x->words);
        SAY(x, "%s", x->verdict);
    }
    say_best(l, x);
}
