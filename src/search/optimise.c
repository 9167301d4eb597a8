#include "search/optimise.h"

#include <assert.h>

#include "base/text.h"
#include "search/optimise_own.h"
#include "search/points.h"

/* ---- Methods ------------------------------------------------------------------------ */

typedef struct MethodFacts {
    const char *name;
    bool global, constraints;
} MethodFacts;

#define LOCAL  false
#define GLOBAL true
#define FREE   false
#define BOTH   true
static const MethodFacts facts[] = {
#define OPTIMISER_CHOICE(name, what) {#name, LOCAL, BOTH},
#define OPTIMISER(name, nlopt, reach, slopes, constraints, what)               \
    {#name, reach, constraints},
#include "base/optimisers.def"
#undef OPTIMISER
#undef OPTIMISER_CHOICE
};
#undef LOCAL
#undef GLOBAL
#undef FREE
#undef BOTH

BestMethod best_method(const char *name)
{
    int m = 0;
    while (m < BEST_METHODS && !name_same(facts[m].name, name))
        m++;
    return (BestMethod)m;
}

const char *best_method_name(BestMethod m)
{
    assert(m < BEST_METHODS);
    return facts[m].name;
}

Status optimise_prepare(Fault *f)
{
    NloptDoor door;
    return nlopt_door(&door, f);
}

static bool is_global(const BestProblem *q)
{
    return q->global || facts[q->method].global;
}

static uint32_t constraints_of(const BestProblem *q)
{
    return q->inequalities + q->equalities;
}

/* The local method, alone or after a global one. */
static BestMethod local_method(const BestProblem *q, bool slopes)
{
    enum { MANY = 200 };
    if (q->method != BEST_AUTO && !facts[q->method].global)
        return q->method;
    if (slopes || constraints_of(q) > 0)
        return BEST_SLSQP;
    if (q->n == 1)
        return BEST_BRENT;
    return q->n <= MANY ? BEST_BOBYQA : BEST_SBPLX;
}

/* ---- What is impossible -------------------------------------------------------------- */

static Space space_of(const BestProblem *q)
{
    Space s = {q->n, q->name, q->start, q->low, q->high, q->scale};
    return s;
}

static bool all_bounded(const Space *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!cosy_finite(space_low(s, i)) || !cosy_finite(space_high(s, i)))
            return false;
    return true;
}

static const char *method_fault(const BestProblem *q, const Space *s,
                                char text[BEST_WORDS])
{
    const MethodFacts *m = &facts[q->method];
    if (is_global(q) && !all_bounded(s))
        return "a global search needs both bounds of every parameter";
    if (q->global && q->method != BEST_AUTO && !m->global) {
        snprintf(text, BEST_WORDS, "the method %s is a local one", m->name);
        return text;
    }
    if (m->global && !m->constraints && constraints_of(q) > 0) {
        snprintf(text, BEST_WORDS,
                 "the method %s knows no constraints: take MULTISTART or ISRES",
                 m->name);
        return text;
    }
    if (q->method == BEST_BRENT && (q->n > 1 || constraints_of(q) > 0))
        return "the method BRENT is for one parameter without constraints";
    return NULL;
}

static const char *logarithm_fault(const BestProblem *q, const Space *s,
                                   char text[BEST_WORDS])
{
    char name[NUMBER_ROOM];
    for (uint32_t i = 0; i < q->n && q->logarithmic != NULL; i++) {
        real low = space_low(s, i);
        bool start = q->start == NULL || q->start[i] > R(0.0);
        if (!q->logarithmic[i] ||
            (start && (low > R(0.0) || !cosy_finite(low))))
            continue;
        snprintf(text, BEST_WORDS,
                 "the logarithm of %s is to be varied, but its start or its "
                 "lower bound is not positive",
                 space_name(s, i, name));
        return text;
    }
    return NULL;
}

const char *best_fault(const BestProblem *q, char text[BEST_WORDS])
{
    Space s = space_of(q);
    assert(q->method < BEST_METHODS);
    const char *fault =
        space_fault(&s, q->n > 0 && !all_bounded(&s), text, BEST_WORDS);
    if (fault == NULL)
        fault = method_fault(q, &s, text);
    if (fault == NULL)
        fault = logarithm_fault(q, &s, text);
    if (fault == NULL && !(q->tolerance >= R(0.0) && q->tolerance < R(1.0)))
        fault = "the tolerance is not a number from 0 to 1";
    if (fault == NULL && q->equalities > q->n) {
        snprintf(text, BEST_WORDS,
                 "%u equations cannot hold at the same time with %u parameters",
                 (unsigned)q->equalities, (unsigned)q->n);
        fault = text;
    }
    return fault;
}

/* ---- Coordinates ------------------------------------------------------------------------ */

static bool logarithmic(const BestSearch *s, uint32_t i)
{
    return s->q->logarithmic != NULL && s->q->logarithmic[i];
}

static real coordinate(const BestSearch *s, uint32_t i, real p)
{
    return (logarithmic(s, i) ? cosy_log(p) : p) / s->size[i];
}

real best_low(const BestSearch *s, uint32_t i)
{
    real low = space_low(&s->space, i);
    return cosy_finite(low) ? coordinate(s, i, low) : low;
}

real best_high(const BestSearch *s, uint32_t i)
{
    real high = space_high(&s->space, i);
    return cosy_finite(high) ? coordinate(s, i, high) : high;
}

real best_steepness(const BestSearch *s, uint32_t i, const real *p)
{
    return logarithmic(s, i) ? s->size[i] * p[i] : s->size[i];
}

/* What is nearer to a bound than DOUBLE can tell is at it. */
static bool is_at(real p, real bound)
{
    real near = R(4.0) * (real)DBL_EPSILON;
    return cosy_finite(bound) && cosy_abs(p - bound) <= near * cosy_abs(bound);
}

/* At a bound exactly where the coordinate is: rounding must not move it. */
void best_point(const BestSearch *s, const real *z, real *p)
{
    for (uint32_t i = 0; i < s->q->n; i++) {
        real at = z[i] * s->size[i];
        real low = space_low(&s->space, i), high = space_high(&s->space, i);
        p[i] = logarithmic(s, i) ? cosy_exp(at) : at;
        if (is_at(p[i], low) || p[i] < low)
            p[i] = low;
        else if (is_at(p[i], high) || p[i] > high)
            p[i] = high;
    }
}

void best_z(const BestSearch *s, const real *p, real *z)
{
    for (uint32_t i = 0; i < s->q->n; i++)
        z[i] = coordinate(s, i, p[i]);
}

static void choose_sizes(BestSearch *s)
{
    for (uint32_t i = 0; i < s->q->n; i++) {
        real low = space_low(&s->space, i), high = space_high(&s->space, i);
        s->size[i] = space_size(&s->space, i);
        if (!logarithmic(s, i))
            continue;
        s->size[i] = R(1.0);
        if (cosy_finite(low) && cosy_finite(high))
            s->size[i] = cosy_log(high / low);
    }
}

/* ---- Values -------------------------------------------------------------------------------- */

real best_constraint(const BestSearch *s, const real *out, uint32_t k)
{
    const real *scale = s->q->constraint_scale;
    return out[k + 1] / (scale == NULL ? R(1.0) : scale[k]);
}

real best_violation(const BestSearch *s, const real *out)
{
    real worst = R(0.0);
    for (uint32_t k = 0; k < s->constraints; k++) {
        real c = best_constraint(s, out, k);
        worst = cosy_max(worst, k < s->q->inequalities ? c : cosy_abs(c));
    }
    return worst;
}

real best_value(const BestSearch *s, const real *out)
{
    return s->q->maximise ? -out[0] : out[0];
}

static void judge(const void *problem, const real *p, const real *out,
                  real *value, real *violation)
{
    (void)p;
    const BestSearch *s = problem;
    *value = best_value(s, out);
    *violation = best_violation(s, out);
}

real best_tolerance(const BestSearch *s)
{
    if (s->q->tolerance > R(0.0))
        return s->q->tolerance;
    return cosy_sqrt(cosy_max(s->q->noise, COSY_EPSILON));
}

real best_coarse(const BestSearch *s)
{
    return cosy_max(best_tolerance(s), R(1e-7));
}

/* ---- The search ------------------------------------------------------------------------------ */

static Status answer_make(BestSearch *s)
{
    const BestProblem *q = s->q;
    Arena *a = s->arena;
    size_t constraints = s->constraints;
    *s->answer = (BestAnswer){
        .p = NEW_ARRAY(a, real, q->n),
        .constraint = NEW_ARRAY(a, real, constraints + 1),
        .at = NEW_ARRAY(a, signed char, q->n),
        .active = NEW_ARRAY(a, bool, constraints + 1),
        .idle = NEW_ARRAY(a, bool, q->n),
        .error = NEW_ARRAY(a, real, q->n),
        .value = COSY_NAN,
        .violation = COSY_NAN,
        .noise = COSY_NAN,
        .history = {.n = q->n, .results = (uint32_t)constraints + 1},
    };
    s->size = NEW_ARRAY(a, real, q->n);
    s->curvature = NEW_ARRAY(a, real, q->n);
    s->still = NEW_ARRAY(a, bool, q->n);
    const BestAnswer *b = s->answer;
    if (b->p == NULL || b->constraint == NULL || b->at == NULL ||
        b->active == NULL || b->idle == NULL || b->error == NULL ||
        s->size == NULL || s->curvature == NULL || s->still == NULL)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < q->n; i++)
        b->error[i] = b->p[i] = s->curvature[i] = COSY_NAN;
    return STATUS_OK;
}

/* The start, or the middle of the bounds. */
static void start_of(const BestSearch *s, double *z)
{
    for (uint32_t i = 0; i < s->q->n; i++) {
        real at = s->q->start != NULL
                      ? coordinate(s, i, s->q->start[i])
                      : (best_low(s, i) + best_high(s, i)) / R(2.0);
        z[i] = (double)at;
    }
}

/* Points around a start at which the trial fails, or within the bounds. */
static Status another_start(BestSearch *s, Seeker *k)
{
    enum { TRIES = 32 };
    uint32_t n = s->q->n;
    ArenaMark mark = arena_mark(s->arena);
    real *z = NEW_ARRAY(s->arena, real, (size_t)TRIES * n);
    real value[TRIES];
    PointPlan plan = {n <= SOBOL_DIMENSIONS ? POINTS_SOBOL_OWEN : POINTS_LATIN,
                      n, TRIES, s->q->seed};
    if (z == NULL)
        return STATUS_MEMORY;
    for (uint32_t t = 0; t < TRIES; t++) {
        real *at = z + (size_t)t * n;
        points_at(&plan, t, at);
        for (uint32_t i = 0; i < n; i++) {
            real low = cosy_max(best_low(s, i), (real)k->start[i] - R(1.0));
            real high = cosy_min(best_high(s, i), (real)k->start[i] + R(1.0));
            at[i] = low + at[i] * (high - low);
        }
    }
    Status end = seeker_many(k, TRIES, z, value);
    arena_rewind(s->arena, mark);
    for (uint32_t i = 0; k->found && i < n; i++)
        k->start[i] = (double)k->best[i];
    return end;
}

static void start_at_best(BestSearch *s, Seeker *k)
{
    SearchPoint best = ledger_best(&s->ledger);
    best_z(s, best.p, k->z);
    for (uint32_t i = 0; i < s->q->n; i++)
        k->start[i] = (double)k->z[i];
    k->found = false;
}

/* Where no point satisfies the constraints: what violates them least, and then the
   search again. */
static Status seek_feasible(BestSearch *s, Seeker *k)
{
    SearchPoint best = ledger_best(&s->ledger);
    if (best.violation <= s->ledger.slack)
        return STATUS_OK;
    BestMethod kept = k->method;
    start_at_best(s, k);
    k->goal = GOAL_VIOLATION;
    k->method = BEST_SBPLX;
    k->step = 0.1;
    Status end = seek(k);
    k->goal = GOAL_VALUE;
    k->method = kept;
    if (end != STATUS_OK || ledger_best(&s->ledger).violation > s->ledger.slack)
        return end;
    start_at_best(s, k);
    return seek(k);
}

/* The search goes on by values alone. */
static void do_without_slopes(BestSearch *s, Seeker *k)
{
    s->slopes = k->sloped = false;
    k->method = local_method(s->q, false);
}

/* A method that was not asked for by name may be replaced by one that is slower, but
   hard to lead astray. Derivatives of the trial's own that end beside a better point
   are those of something that jumps or has kinks: the search does without them. The
   first time a method with differences gets another chance, with differences as the
   noise that is known by now demands. */
static void change_method(BestSearch *s, Seeker *k, int *round)
{
    bool chosen = s->q->method == BEST_AUTO || facts[s->q->method].global;
    bool again = k->method == BEST_SLSQP && *round == 0;
    if (s->slopes) {
        do_without_slopes(s, k);
        (*round)--;
        return;
    }
    if (chosen && k->method != BEST_BRENT && !again)
        k->method = BEST_SBPLX;
}

/* A local search, which begins anew where a neighbour turns out to be better. */
static Status seek_locally(BestSearch *s, Seeker *k)
{
    enum { ROUNDS = 5 };
    TRY(seek(k));
    if (k->runaway && s->slopes) {
        do_without_slopes(s, k);
        start_at_best(s, k);
        k->runaway = false;
        TRY(seek(k));
    }
    s->runaway = k->runaway;
    if (!s->ledger.found || s->runaway)
        return STATUS_OK;
    if (s->constraints > 0)
        TRY(seek_feasible(s, k));
    for (int round = 0; round < ROUNDS; round++) {
        TRY(best_probe(s));
        if (!s->better)
            return STATUS_OK;
        start_at_best(s, k);
        k->step = 0.01;
        change_method(s, k, &round);
        TRY(seek(k));
        s->runaway = k->runaway;
        if (s->runaway)
            return STATUS_OK;
    }
    return best_probe(s);
}

/* The size of the values before anything is known but the start: the value there, or
   what it changes by over the size of a parameter. First steps are as long as the
   gradient of what is divided by it. */
static void guess_typical(BestSearch *s, const Seeker *k)
{
    real steep = R(0.0);
    for (uint32_t i = 0; i < s->q->n; i++)
        k->z[i] = (real)k->start[i];
    const real *raw = seeker_slopes(k, k->z);
    best_point(s, k->z, k->p);
    for (uint32_t i = 0; raw != NULL && i < s->q->n; i++)
        steep = cosy_hypot(steep, raw[i] * best_steepness(s, i, k->p));
    s->typical = cosy_max(cosy_abs(k->value), steep);
}

/* Before derivatives are formed by differences the noise has to be known. */
static Status look_around(BestSearch *s, const Seeker *k)
{
    bool slopes = k->method == BEST_SLSQP || k->method == BEST_LBFGS;
    if (slopes && s->slopes)
        guess_typical(s, k);
    if (!slopes || s->slopes)
        return STATUS_OK;
    TRY(best_probe(s));
    s->checked = false;
    return STATUS_OK;
}

/* The last digits, and the proof that no neighbour is better. */
static Status finish(BestSearch *s)
{
    enum { ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++) {
        TRY(best_polish(s));
        if (!s->checked || ledger_best(&s->ledger).violation > s->ledger.slack)
            return STATUS_OK;
        TRY(best_check(s));
        if (!s->moved || s->better)
            return STATUS_OK;
        TRY(best_probe(s));
    }
    return STATUS_OK;
}

static Status search(BestSearch *s)
{
    const BestProblem *q = s->q;
    Seeker k;
    real value;
    TRY(seeker_make(&k, s, local_method(q, s->slopes)));
    k.tolerance = (double)best_coarse(s);
    start_of(s, k.start);
    s->answer->method = is_global(q) ? q->method : k.method;
    if (is_global(q)) {
        if (s->answer->method == BEST_AUTO)
            s->answer->method = BEST_MULTISTART;
        TRY(seek_everywhere(s, s->answer->method));
        if (!s->ledger.found)
            return STATUS_OK;
        start_at_best(s, &k);
        k.step = 0.01;
    } else {
        bool grid = k.method == BEST_BRENT && all_bounded(&s->space);
        for (uint32_t i = 0; i < q->n; i++)
            k.z[i] = (real)k.start[i];
        TRY(seeker_many(&k, 1, k.z, &value));
        if (!k.found && !grid)
            TRY(another_start(s, &k));
        if (!k.found && !grid)
            return STATUS_OK;
    }
    TRY(look_around(s, &k));
    TRY(seek_locally(s, &k));
    return s->runaway || !s->ledger.found ? STATUS_OK : finish(s);
}

static size_t most_of(const BestProblem *q)
{
    if (q->most > 0)
        return q->most;
    return is_global(q) ? 2000 * (q->n + (size_t)1) : 500 * (q->n + (size_t)2);
}

/* Whatever happened, the best point is the answer. */
static void take_best(BestSearch *s)
{
    BestAnswer *b = s->answer;
    const BestProblem *q = s->q;
    b->trials = b->history.count;
    b->failures = s->ledger.failures;
    b->infinite = s->ledger.infinite;
    b->found = s->ledger.found;
    if (!b->found)
        return;
    SearchPoint best = ledger_best(&s->ledger);
    memcpy(b->p, best.p, q->n * sizeof *b->p);
    memcpy(b->constraint, best.out + 1, s->constraints * sizeof *b->p);
    b->value = best.out[0];
    b->violation = best.violation;
    for (uint32_t i = 0; i < q->n; i++)
        b->at[i] = space_at(&s->space, i, best.p[i]);
    for (uint32_t k = 0; k < s->constraints; k++)
        b->active[k] = cosy_abs(best_constraint(s, best.out, k)) <=
                       R(10.0) * s->ledger.slack;
}

/* Noise decides where it is well above rounding, and hides more than the tolerance. */
static bool noise_decides(const BestSearch *s)
{
    const BestAnswer *b = s->answer;
    if (!s->checked || !(s->noise > R(1e4) * COSY_EPSILON * s->typical))
        return false;
    for (uint32_t i = 0; i < s->q->n; i++)
        if (b->error[i] > R(10.0) * best_tolerance(s) * s->size[i])
            return true;
    return false;
}

static BestEnd end_of(const BestSearch *s, Status end)
{
    const BestAnswer *b = s->answer;
    bool flat = s->checked, bound = false, plateau = false;
    if (end == STATUS_STOPPED)
        return BEST_STOPPED;
    if (!s->ledger.found)
        return BEST_FAILED;
    if (end == STATUS_LIMIT)
        return BEST_MOST;
    if (b->violation > s->ledger.slack)
        return BEST_INFEASIBLE;
    if (s->runaway)
        return BEST_UNBOUNDED;
    for (uint32_t i = 0; i < s->q->n; i++) {
        flat = flat && b->idle[i];
        bound = bound || b->at[i] != 0;
        plateau = plateau || (s->still[i] && !b->idle[i]);
    }
    if (flat)
        return BEST_FLAT;
    if (s->better)
        return BEST_STUCK;
    if (!s->checked)
        return BEST_MOST;
    if (noise_decides(s))
        return BEST_NOISE;
    if (plateau && !b->polished)
        return BEST_PLATEAU;
    return bound ? BEST_AT_BOUND : BEST_FOUND;
}

/* How well a parameter is known that may move without a change of the value. */
static void widen_errors(BestSearch *s)
{
    real low, high;
    for (uint32_t i = 0; i < s->q->n; i++) {
        if (!s->still[i] || s->answer->idle[i])
            continue;
        best_plateau(s, i, &low, &high);
        real p = ledger_best(&s->ledger).p[i];
        s->answer->error[i] = cosy_max(p - low, high - p);
    }
}

Status best_find(const BestProblem *q, Arena *a, BestAnswer *answer, Fault *f)
{
    BestSearch s = {
        .q = q,
        .space = space_of(q),
        .constraints = constraints_of(q),
        .arena = a,
        .answer = answer,
        .slopes = q->trial.slopes != NULL && !is_global(q),
        .ledger = {.trial = &q->trial,
                   .history = &answer->history,
                   .judge = judge,
                   .slack = q->feasible > R(0.0) ? q->feasible : R(1e-6),
                   .most = most_of(q)},
    };
    s.ledger.problem = &s;
    TRY(answer_make(&s));
    choose_sizes(&s);
    if (local_method(q, s.slopes) != BEST_BRENT || is_global(q))
        TRY(nlopt_door(&s.nlopt, f));
    Status end = search(&s);
    if (end != STATUS_OK && end != STATUS_LIMIT && end != STATUS_STOPPED)
        return end;
    take_best(&s);
    answer->end = end_of(&s, end);
    answer->sloped = s.slopes;
    if (answer->end == BEST_PLATEAU)
        widen_errors(&s);
    best_say(&s);
    return STATUS_OK;
}
