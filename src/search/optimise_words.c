/* What is said of an answer: the remark is what its numbers do not show, the words are
   whole sentences with the numbers. */

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

static void say_point(BestSearch *s)
{
    char number[NUMBER_ROOM];
    SAY(s, "%s at ", search_number(s->answer->value, number));
    search_say_point(&s->space, s->answer->p, s->answer->words, BEST_WORDS);
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
    SAY(s, all == 1 ? " holds with nothing to spare."
                    : " hold with nothing to spare.");
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

/* ---- Remarks -------------------------------------------------------------------- */

static void say_noise(BestSearch *s)
{
    SAY(s,
        "%s scatters by about %.2g there: differences below that say nothing.",
        objective_of(s), (double)s->noise);
}

/* Between which values of a parameter trials gave the same value. */
static void say_plateau(BestSearch *s)
{
    char from[NUMBER_ROOM], to[NUMBER_ROOM], name[NUMBER_ROOM];
    const char *before = "";
    SAY(s, "%s does not change ", objective_of(s));
    for (uint32_t i = 0; i < s->q->n; i++) {
        real low, high;
        if (!s->still[i] || s->answer->idle[i])
            continue;
        best_plateau(s, i, &low, &high);
        SAY(s, "%sfrom %s = %s to %s", before, space_name(&s->space, i, name),
            search_number(low, from), search_number(high, to));
        before = ", ";
    }
    SAY(s, ".");
}

static void say_flat(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    char number[NUMBER_ROOM];
    bool always = true;
    for (size_t k = 0; k < b->trials; k++) {
        SearchPoint at = search_point(&b->history, k);
        always = always && at.status == STATUS_OK && at.out[0] == b->value;
    }
    if (always)
        SAY(s, "No parameter has an effect: %s is %s in all %zu trials.",
            objective_of(s), search_number(b->value, number), b->trials);
    else
        SAY(s, "No parameter has an effect on %s around this point.",
            objective_of(s));
}

static void say_missed(BestSearch *s)
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
        "No point was found that satisfies the conditions: at the one that "
        "comes nearest %s is missed by %s. Widen the bounds, ease the "
        "condition, or begin elsewhere.",
        constraint_name(s, worst, name),
        search_number(cosy_abs(best.out[worst + 1]), number));
}

/* Why nothing was found. */
static void say_failure(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    if (b->trials == 0)
        SAY(s, "No trial was carried out.");
    else if (b->infinite == b->trials)
        SAY(s, "In all %zu trials %s or a condition was not a finite number.",
            b->trials, objective_of(s));
    else if (b->failures == b->trials)
        SAY(s, "All %zu trials failed.", b->trials);
    else
        SAY(s, "%zu trials failed, and %zu gave no finite number.", b->failures,
            b->infinite);
}

static void say_remark(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    bool up = s->q->maximise;
    switch (b->end) {
    case BEST_FOUND:
    case BEST_AT_BOUND:
        if (s->edge)
            SAY(s, "Trials next to this point fail, so that it lies at the "
                   "edge of what can be tried.");
        break;
    case BEST_NOISE: say_noise(s); break;
    case BEST_PLATEAU: say_plateau(s); break;
    case BEST_FLAT: say_flat(s); break;
    case BEST_UNBOUNDED:
        SAY(s,
            "%s has no %s: it still %s when parameters are beyond all sizes. "
            "Give them bounds.",
            objective_of(s), up ? "maximum" : "minimum",
            up ? "grows" : "falls");
        break;
    case BEST_INFEASIBLE: say_missed(s); break;
    case BEST_STUCK:
        SAY(s,
            "It is not the %s: points next to it are better, but %s finds no "
            "way there. Begin elsewhere, or take another METHOD.",
            up ? "maximum" : "minimum", best_method_name(b->method));
        break;
    case BEST_MOST:
        SAY(s, "No trial was left after %zu: MAX allows more.", b->trials);
        break;
    case BEST_FAILED: say_failure(s); break;
    case BEST_STOPPED:
        SAY(s, "The search was stopped after %zu trials.", b->trials);
        break;
    }
}

/* ---- Words ---------------------------------------------------------------------- */

static void say_found(BestSearch *s)
{
    const BestAnswer *b = s->answer;
    size_t bad = b->failures + b->infinite;
    const char *least = s->q->maximise ? "maximum" : "minimum";
    if (b->end <= BEST_PLATEAU)
        SAY(s, "The %s of %s is ", least, objective_of(s));
    else
        SAY(s, "The best value of %s is ", objective_of(s));
    say_point(s);
    if (b->end <= BEST_PLATEAU)
        SAY(s, ", found after %zu trials", b->trials);
    SAY(s, ".");
    say_bounds(s, -1);
    say_bounds(s, 1);
    say_constraints(s);
    if (b->end != BEST_FLAT)
        say_idle(s);
    if (bad > 0)
        SAY(s, " %zu of %zu trials failed or gave no finite number.", bad,
            b->trials);
}

void best_say(BestSearch *s)
{
    BestAnswer *b = s->answer;
    say_remark(s);
    memcpy(b->remark, b->words, sizeof b->remark);
    b->words[0] = '\0';
    if (b->end > BEST_PLATEAU)
        SAY(s, "%s", b->remark);
    if (b->found && b->end != BEST_UNBOUNDED) {
        if (b->words[0] != '\0')
            SAY(s, " ");
        say_found(s);
    }
    if (b->end <= BEST_PLATEAU && b->remark[0] != '\0')
        SAY(s, " %s", b->remark);
}
