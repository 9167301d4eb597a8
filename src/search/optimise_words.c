/* What is said of an answer. */

#include "search/optimise_own.h"

static const char *objective_of(const BestSearch *s)
{
    return s->q->objective != NULL ? s->q->objective : "the objective";
}

static const char *constraint_name(const BestSearch *s, uint32_t k,
                                   char text[NUMBER_ROOM])
{
    if (s->q->constraint != NULL)
        return s->q->constraint[k];
    snprintf(text, NUMBER_ROOM, "constraint %u", (unsigned)k + 1);
    return text;
}

/* "P, Q and S": the next name of such a list. */
static void say_next(BestSearch *s, const char *name, uint32_t said,
                     uint32_t all)
{
    SAY(s, "%s%s", said == 0 ? "" : said + 1 == all ? " and " : ", ", name);
}

static void say_point(BestSearch *s, const char *before)
{
    char number[NUMBER_ROOM];
    SAY(s, "%s%s is %s at ", before, objective_of(s),
        search_number(s->answer->value, number));
    search_say_point(&s->space, s->answer->p, s->answer->words, BEST_WORDS);
    SAY(s, ".");
}

/* Which parameters are at their lower (-1) or upper (1) bounds. */
static void say_bounds(BestSearch *s, int side)
{
    const BestAnswer *b = s->answer;
    char name[NUMBER_ROOM];
    uint32_t all = 0, said = 0;
    for (uint32_t i = 0; i < s->q->n; i++)
        all += b->at[i] == side;
    if (all == 0)
        return;
    SAY(s, " ");
    for (uint32_t i = 0; i < s->q->n; i++)
        if (b->at[i] == side)
            say_next(s, space_name(&s->space, i, name), said++, all);
    SAY(s, " %s %s bound%s.", all == 1 ? "is at its" : "are at their",
        side < 0 ? "lower" : "upper", all == 1 ? "" : "s");
}

static void say_constraints(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    char name[NUMBER_ROOM];
    uint32_t all = 0, said = 0;
    for (uint32_t k = 0; k < s->q->inequalities; k++)
        all += b->active[k];
    if (all == 0)
        return;
    SAY(s, " ");
    for (uint32_t k = 0; k < s->q->inequalities; k++)
        if (b->active[k])
            say_next(s, constraint_name(s, k, name), said++, all);
    SAY(s, all == 1 ? " is at its limit." : " are at their limits.");
}

static void say_idle(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    char name[NUMBER_ROOM];
    uint32_t all = 0, said = 0;
    for (uint32_t i = 0; i < s->q->n; i++)
        all += b->idle[i];
    if (all == 0)
        return;
    SAY(s, " ");
    for (uint32_t i = 0; i < s->q->n; i++)
        if (b->idle[i])
            say_next(s, space_name(&s->space, i, name), said++, all);
    SAY(s, all == 1 ? " has no effect there." : " have no effect there.");
}

static void say_noise(BestSearch *s)
{
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    const BestAnswer *b = s->answer;
    SAY(s, " Its noise is about %s there, so that",
        search_number(s->noise, number));
    for (uint32_t i = 0, said = 0; i < s->q->n; i++)
        if (cosy_finite(b->error[i]))
            SAY(s,
                said++ == 0 ? " %s is known to about %.1g"
                            : ", %s to about %.1g",
                space_name(&s->space, i, name), (double)b->error[i]);
    SAY(s, ".");
}

static void say_worst_constraint(BestSearch *s)
{
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    SearchPoint best = ledger_best(&s->ledger);
    uint32_t worst = 0;
    real most = R(-1.0);
    for (uint32_t k = 0; k < s->constraints; k++) {
        real c = best_constraint(s, best.out, k);
        c = k < s->q->inequalities ? c : cosy_abs(c);
        if (c > most) {
            worst = k;
            most = c;
        }
    }
    SAY(s,
        "No point was found that satisfies the constraints: at best %s = %s, "
        "with ",
        constraint_name(s, worst, name),
        search_number(best.out[worst + 1], number));
    search_say_point(&s->space, s->answer->p, s->answer->words, BEST_WORDS);
    SAY(s, ".");
}

/* Why nothing was found. */
static void say_failure(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    char number[NUMBER_ROOM];
    if (b->trials == 0)
        SAY(s, "No trial was carried out.");
    else if (b->infinite == b->trials)
        SAY(s, "In all %zu trials %s or a constraint was not a finite number.",
            b->trials, objective_of(s));
    else if (b->failures == b->trials)
        SAY(s, "All %zu trials have failed.", b->trials);
    else
        SAY(s, "%zu trials have failed, and %s gave no finite number.",
            b->failures, search_number((real)b->infinite, number));
}

static void say_counts(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    size_t bad = b->failures + b->infinite;
    if (bad > 0)
        SAY(s, " %zu of %zu trials failed or gave no finite number.", bad,
            b->trials);
}

static void say_found(BestSearch *s, const char *before)
{
    say_point(s, before);
    say_bounds(s, -1);
    say_bounds(s, 1);
    say_constraints(s);
    say_idle(s);
}

void best_say(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    const char *least = s->q->maximise ? "The maximum of " : "The minimum of ";
    switch (b->end) {
    case BEST_FOUND:
    case BEST_AT_BOUND:
        say_found(s, least);
        SAY(s, " It was found after %zu trials.", b->trials);
        break;
    case BEST_NOISE:
        say_found(s, least);
        say_noise(s);
        break;
    case BEST_FLAT:
        SAY(s, "No parameter has an effect around the best point. ");
        say_point(s, "There, ");
        break;
    case BEST_UNBOUNDED:
        SAY(s,
            "%s has no %s: it still %s when parameters are beyond all sizes. "
            "Give them bounds.",
            objective_of(s), s->q->maximise ? "maximum" : "minimum",
            s->q->maximise ? "grows" : "falls");
        break;
    case BEST_INFEASIBLE: say_worst_constraint(s); break;
    case BEST_STUCK:
        say_found(s, "The best that was found: ");
        SAY(s,
            " It is not the %s: points next to it are better, but %s finds no "
            "way there.",
            s->q->maximise ? "maximum" : "minimum",
            best_method_name(b->method));
        break;
    case BEST_MOST:
        SAY(s, "No trial is left after %zu. ", b->trials);
        say_found(s, "The best that was found: ");
        break;
    case BEST_FAILED: say_failure(s); return;
    case BEST_STOPPED:
        SAY(s, "The search was stopped after %zu trials.", b->trials);
        if (b->found)
            say_found(s, " The best that was found: ");
        break;
    }
    say_counts(s);
}
