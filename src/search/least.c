#include "search/least.h"

#include <assert.h>

#include "search/least_own.h"

/* ---- What is impossible -------------------------------------------------------------- */

static Space space_of(const LeastProblem *q)
{
    Space s = {q->n, q->name, q->start, q->low, q->high, q->scale};
    return s;
}

static bool logarithmic(const LeastProblem *q, uint32_t i)
{
    return q->logarithmic != NULL && q->logarithmic[i];
}

/* Between both bounds points can be spread. */
static bool all_bounded(const LeastProblem *q, const Space *s)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (!cosy_finite(space_low(s, i)) || !cosy_finite(space_high(s, i)) ||
            (logarithmic(q, i) && !(space_low(s, i) > R(0.0))))
            return false;
    return true;
}

/* Logarithms of the parameter: its own, or its prior's. */
static const char *parameter_fault(const LeastProblem *q, const Space *s,
                                   uint32_t i, char text[LEAST_WORDS])
{
    char name[NUMBER_ROOM];
    const LeastPrior *prior = q->prior == NULL ? NULL : &q->prior[i];
    bool given = prior != NULL && prior->sd != R(0.0);
    if (given && !(prior->sd > R(0.0) && cosy_finite(prior->sd) &&
                   cosy_finite(prior->mean))) {
        snprintf(text, LEAST_WORDS,
                 "the prior of %s needs a finite mean and a positive deviation",
                 space_name(s, i, name));
        return text;
    }
    real low = space_low(s, i);
    bool positive = low > R(0.0) ||
                    (low >= R(0.0) && q->start != NULL && q->start[i] > R(0.0));
    if (given && prior->logarithmic && !logarithmic(q, i) && !positive) {
        snprintf(text, LEAST_WORDS,
                 "the prior of %s is one of its logarithm, but its start or "
                 "its lower bound is not positive",
                 space_name(s, i, name));
        return text;
    }
    bool start = q->start == NULL || q->start[i] > R(0.0);
    if (!logarithmic(q, i) || (start && (low >= R(0.0) || !cosy_finite(low))))
        return NULL;
    snprintf(text, LEAST_WORDS,
             "the logarithm of %s is to be varied, but its start or its lower "
             "bound is not positive",
             space_name(s, i, name));
    return text;
}

static const char *datum_fault(const LeastProblem *q, char text[LEAST_WORDS])
{
    for (uint32_t k = 0; k < q->m; k++) {
        const char *wrong = NULL;
        if (!cosy_finite(q->y[k]))
            wrong = "is not a finite number";
        else if (q->sigma != NULL &&
                 !(q->sigma[k] > R(0.0) && cosy_finite(q->sigma[k])))
            wrong = "needs a standard deviation that is positive and finite";
        else if (q->group != NULL && q->groups > 0 &&
                 q->group[k] != LEAST_KNOWN && q->group[k] >= q->groups)
            wrong = "belongs to a group that does not exist";
        if (wrong == NULL)
            continue;
        snprintf(text, LEAST_WORDS, "datum %u %s", (unsigned)k + 1, wrong);
        return text;
    }
    return NULL;
}

static const char *spread_fault(const LeastProblem *q, const Space *s,
                                char text[LEAST_WORDS])
{
    if (q->starts <= 1)
        return NULL;
    if (!all_bounded(q, s))
        return "several starts need both bounds of every parameter (positive "
               "ones where the logarithm is varied)";
    const PointPlan plan = {q->spread, q->n, q->starts, q->seed};
    return points_fault(&plan, text);
}

const char *least_fault(const LeastProblem *q, char text[LEAST_WORDS])
{
    Space s = space_of(q);
    const char *fault =
        space_fault(&s,
                    q->n > 0 && (q->starts > 1 || !all_bounded(q, &s)) &&
                        !all_bounded(q, &s),
                    text, LEAST_WORDS);
    if (fault == NULL && q->m == 0)
        fault = "there are no data to fit to";
    for (uint32_t i = 0; fault == NULL && i < q->n; i++)
        fault = parameter_fault(q, &s, i, text);
    if (fault == NULL)
        fault = datum_fault(q, text);
    if (fault == NULL)
        fault = spread_fault(q, &s, text);
    if (fault == NULL && !(q->tolerance >= R(0.0) && q->tolerance < R(1.0)))
        fault = "the tolerance is not a number from 0 to 1";
    if (fault == NULL && !(q->noise >= R(0.0) && q->noise < R(1.0)))
        fault = "the noise is not a number from 0 to 1";
    return fault;
}

/* ---- Starts --------------------------------------------------------------------------- */

typedef struct Find {
    LeastPlan plan;
    LeastCrowd crowd;
    LeastAnswer *answer;
    LeastSeat best;
    uint32_t *start; // of each seat
    uint32_t next;
    LeastLinear *linear; // of each optimum
} Find;

/* Start k, in coordinates. */
static void start_at(const Find *f, uint32_t k, real *z)
{
    const LeastPlan *l = &f->plan;
    const LeastProblem *q = l->q;
    const PointPlan points = {q->spread, l->n, f->answer->starts, q->seed};
    bool given = k == 0 && q->start != NULL;
    if (!given && f->answer->starts > 1)
        points_at(&points, k, z);
    for (uint32_t i = 0; i < l->n; i++) {
        real u = f->answer->starts > 1 ? z[i] : R(0.5);
        z[i] = given ? least_coordinate(l, i, q->start[i])
                     : l->low[i] + u * (l->high[i] - l->low[i]);
    }
}

static Status answer_make(const LeastPlan *l, LeastAnswer *x)
{
    const LeastProblem *q = l->q;
    Arena *a = l->arena;
    uint32_t starts = q->starts > 0 ? q->starts : 1;
    real **const ofn[] = {&x->p, &x->error, &x->low, &x->high, &x->eigenvalue};
    real **const squares[] = {&x->correlation, &x->direction};
    real **const ofm[] = {&x->prediction, &x->residual, &x->sd, &x->rho};
    real **const levels[] = {&x->level};
    x->starts = starts;
    x->at = NEW_ARRAY(a, signed char, q->n);
    x->idle = NEW_ARRAY(a, bool, q->n);
    x->determined = NEW_ARRAY(a, bool, q->n);
    x->floored = NEW_ARRAY(a, bool, q->groups + (size_t)1);
    x->start = NEW_ARRAY(a, LeastStart, starts);
    x->optimum = NEW_ARRAY(a, LeastOptimum, starts);
    if (x->at == NULL || x->idle == NULL || x->determined == NULL ||
        x->floored == NULL || x->start == NULL || x->optimum == NULL ||
        !least_allot(a, q->n, ofn, LENGTH(ofn)) ||
        !least_allot(a, (size_t)q->n * q->n, squares, LENGTH(squares)) ||
        !least_allot(a, q->m, ofm, LENGTH(ofm)) ||
        !least_allot(a, q->groups, levels, 1))
        return STATUS_MEMORY;
    return STATUS_OK;
}

static Status seat_start(Find *f, uint32_t k)
{
    LeastPlan *l = &f->plan;
    LeastSeat *s = &f->crowd.seat[k];
    const LeastProblem *q = l->q;
    size_t most = q->most > 0 ? q->most : 400 * ((size_t)l->n + 1);
    LeastStart *start = &f->answer->start[f->next];
    real *from = NEW_ARRAY(l->arena, real, l->n);
    if (from == NULL)
        return STATUS_MEMORY;
    f->start[k] = f->next;
    start_at(f, f->next, s->here.z);
    for (uint32_t i = 0; i < l->n; i++)
        from[i] = least_parameter(l, i, s->here.z[i]);
    start->from = start->to = from;
    start->value = COSY_NAN;
    start->optimum = UINT32_MAX;
    f->next++;
    least_seat_begin(s, l->n, q->tolerance, most);
    return STATUS_OK;
}

/* ---- Optima --------------------------------------------------------------------------- */

/* Whether an end is an optimum that is known: at the same place, or as good and not to
   be told from it by the data. */
static bool is_same(const Find *f, uint32_t k, const LeastStart *start)
{
    const LeastPlan *l = &f->plan;
    const LeastOptimum *x = &f->answer->optimum[k];
    const LeastLinear *linear = &f->linear[k];
    bool near = true;
    real length = R(0.0), all = R(0.0);
    for (uint32_t i = 0; i < l->n; i++) {
        real z = least_coordinate(l, i, x->p[i]);
        real dz = least_coordinate(l, i, start->to[i]) - z;
        near = near && cosy_abs(dz) <= R(1e-4) * least_typical(l, i, z);
        l->work[i] = dz == dz ? dz : R(0.0);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        real y = R(0.0);
        for (uint32_t j = i; j < l->n; j++)
            y += linear->r[i + (size_t)j * l->n] * l->work[j];
        length += y * y;
        all += cosy_square(linear->norm[i] * l->work[i]);
    }
    bool alike = cosy_abs(start->value - x->value) <=
                 R(1e-5) * (R(1.0) + cosy_abs(x->value));
    return near || (alike && length <= R(1e-6) * all);
}

static Status add_optimum(Find *f, const LeastSeat *s, LeastStart *start)
{
    LeastAnswer *x = f->answer;
    for (uint32_t k = 0; k < x->optima; k++) {
        if (!is_same(f, k, start))
            continue;
        LeastOptimum *known = &x->optimum[k];
        known->times++;
        if (start->value < known->value) {
            known->p = start->to;
            known->value = start->value;
        }
        start->optimum = k;
        return STATUS_OK;
    }
    TRY(least_linear_make(&f->plan, &f->linear[x->optima]));
    least_linear_copy(&f->plan, &f->linear[x->optima], &s->linear);
    x->optimum[x->optima] = (LeastOptimum){start->to, start->value, 1};
    start->optimum = x->optima++;
    return STATUS_OK;
}

/* Best first; starts are told the new numbers. */
static Status sort_optima(Find *f)
{
    LeastAnswer *x = f->answer;
    uint32_t *place = NEW_ARRAY(f->plan.arena, uint32_t, x->optima + (size_t)1);
    LeastOptimum *sorted =
        NEW_ARRAY(f->plan.arena, LeastOptimum, x->optima + (size_t)1);
    if (place == NULL || sorted == NULL)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < x->optima; k++)
        for (uint32_t i = 0; i < x->optima; i++)
            place[k] += x->optimum[i].value < x->optimum[k].value ||
                        (x->optimum[i].value == x->optimum[k].value && i < k);
    for (uint32_t k = 0; k < x->optima; k++)
        sorted[place[k]] = x->optimum[k];
    for (uint32_t k = 0; k < x->starts; k++)
        if (x->start[k].optimum != UINT32_MAX)
            x->start[k].optimum = place[x->start[k].optimum];
    x->optimum = sorted;
    return STATUS_OK;
}

/* Values are the same within rounding: sums of squares may still differ. */
static bool is_better(const LeastSeat *s, real value, const LeastSeat *best,
                      real best_value)
{
    if (!best->found || value != best_value)
        return !best->found || value < best_value;
    return s->plan->plain && s->here.length < best->here.length;
}

/* Writes down where a seat has ended. */
static Status harvest(Find *f, uint32_t k)
{
    LeastPlan *l = &f->plan;
    LeastSeat *s = &f->crowd.seat[k], *best = &f->best;
    LeastStart *start = &f->answer->start[f->start[k]];
    start->end = s->end;
    start->steps = s->steps;
    start->trials = s->trials;
    if (!s->found)
        return STATUS_OK;
    real *to = NEW_ARRAY(l->arena, real, l->n);
    if (to == NULL)
        return STATUS_MEMORY;
    memcpy(to, s->here.p, l->n * sizeof *to);
    start->to = to;
    start->value = least_value(l, s->here.p, s->here.out);
    if (s->end == LEAST_FOUND)
        TRY(add_optimum(f, s, start));
    if (!is_better(s, start->value, best, f->answer->value))
        return STATUS_OK;
    least_point_copy(l, &best->here, &s->here);
    least_linear_copy(l, &best->linear, &s->linear);
    best->known = s->known;
    best->found = true;
    best->central = s->central;
    best->decrement = s->decrement;
    f->answer->value = start->value;
    f->answer->end = s->end;
    f->answer->steps = s->steps;
    f->answer->found = true;
    return STATUS_OK;
}

/* ---- The search ------------------------------------------------------------------------ */

static bool is_over(const LeastSeat *s)
{
    return s->phase == LEAST_PHASE_OVER;
}

/* Seats that are over take the next starts; false: all is done. */
static Status change_seats(Find *f, bool *more)
{
    *more = false;
    for (uint32_t k = 0; k < f->crowd.count; k++) {
        if (f->start[k] == UINT32_MAX)
            continue;
        if (is_over(&f->crowd.seat[k])) {
            TRY(harvest(f, k));
            f->start[k] = UINT32_MAX;
            if (f->next < f->answer->starts)
                TRY(seat_start(f, k));
        }
        *more = *more || f->start[k] != UINT32_MAX;
    }
    return STATUS_OK;
}

/* The user stops: what the seats have is what there is. */
static Status stop(Find *f)
{
    for (uint32_t k = 0; k < f->crowd.count; k++) {
        if (f->start[k] == UINT32_MAX)
            continue;
        f->crowd.seat[k].end = LEAST_STOPPED;
        TRY(harvest(f, k));
    }
    for (; f->next < f->answer->starts; f->next++)
        f->answer->start[f->next] = (LeastStart){.end = LEAST_STOPPED,
                                                 .value = COSY_NAN,
                                                 .from = f->best.here.p,
                                                 .to = f->best.here.p,
                                                 .optimum = UINT32_MAX};
    f->answer->end = LEAST_STOPPED;
    return STATUS_OK;
}

static Status search(Find *f)
{
    bool more = true;
    while (more) {
        TRY(least_crowd_round(&f->crowd));
        TRY(change_seats(f, &more));
    }
    return STATUS_OK;
}

static Status find_make(Find *f, const LeastProblem *q, Arena *a)
{
    LeastAnswer *x = f->answer;
    TRY(least_plan_make(&f->plan, q, a, &x->history));
    TRY(answer_make(&f->plan, x));
    TRY(least_crowd_make(&f->crowd, &f->plan, x->starts));
    TRY(least_seat_make(&f->best, &f->plan));
    f->start = NEW_ARRAY(a, uint32_t, f->crowd.count);
    f->linear = NEW_ARRAY(a, LeastLinear, x->starts);
    if (f->start == NULL || f->linear == NULL)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < f->crowd.count; k++)
        TRY(seat_start(f, k));
    return STATUS_OK;
}

static Status run(Find *f)
{
    const LeastProblem *q = f->plan.q;
    if (!f->plan.sloped && q->noise == R(0.0))
        TRY(least_plan_noise(&f->plan, f->crowd.seat[0].here.z));
    return search(f);
}

Status least_find(const LeastProblem *q, Arena *a, LeastAnswer *answer)
{
    char text[LEAST_WORDS];
    assert(least_fault(q, text) == NULL);
    (void)text;
    *answer = (LeastAnswer){.end = LEAST_FAILED};
    Find f = {.answer = answer};
    TRY(find_make(&f, q, a));
    Status end = run(&f);
    if (end == STATUS_STOPPED)
        TRY(stop(&f));
    else if (end != STATUS_OK)
        return end;
    TRY(sort_optima(&f));
    answer->trials = answer->history.count;
    answer->failures = f.plan.ledger.failures;
    answer->noise = f.plan.noise;
    answer->infinite = f.plan.ledger.infinite;
    TRY(least_examine(&f.plan, &f.best, answer));
    least_say(&f.plan, answer);
    return STATUS_OK;
}
