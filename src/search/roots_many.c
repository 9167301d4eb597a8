/* Several equations: Newton's method in a trust region. Parameters are measured in
   their sizes and equations by what they change over these (the rows of the first
   Jacobian), so that units do not matter. */

#include <assert.h>

#include "search/noise.h"
#include "search/roots_own.h"
#include "search/svd.h"

typedef struct Many {
    RootSearch *s;
    uint32_t n;
    real *size;  // of the parameters
    real *row;   // of the equations
    real *z, *f; // the point, and F there: both scaled
    real *jacobian;
    real *step, *trial_z, *trial_f;
    real *u, *value, *v, *g; // singular values of the free columns
    uint32_t *freed;         // which columns are free
    bool *held;
    uint32_t free_count;
    real *p, *out; // room for a batch of n points
    real *slope;   // derivatives of the trial's own, as it has them
    bool learnt;   // the noise, although trials have derivatives
    bool sloped;   // they are those of the last trial
    Status *each;
    real radius;
    real noise;   // of the scaled equations
    real *level;  // noise of each equation
    size_t walls; // trials that have failed at the ends of steps
    bool fresh;   // the Jacobian is that of z, by differences
    bool odd;     // the first Jacobian was singular already
    uint32_t pair[2];
    bool lone; // only pair[0] is concerned: it has no effect
} Many;

static Status many_make(Many *m, RootSearch *s)
{
    uint32_t n = s->q->n;
    size_t nn = (size_t)n * n;
    Arena *a = s->arena;
    real **const array[] = {&m->size,  &m->row,     &m->z,       &m->f,
                            &m->step,  &m->trial_z, &m->trial_f, &m->level,
                            &m->value, &m->g};
    real **const square[] = {&m->jacobian, &m->u,   &m->v,
                             &m->p,        &m->out, &m->slope};
    *m = (Many){.s = s,
                .n = n,
                .freed = NEW_ARRAY(a, uint32_t, n),
                .held = NEW_ARRAY(a, bool, n),
                .each = NEW_ARRAY(a, Status, n)};
    if (m->freed == NULL || m->held == NULL || m->each == NULL)
        return STATUS_MEMORY;
    for (size_t k = 0; k < LENGTH(array); k++)
        if ((*array[k] = NEW_ARRAY(a, real, n)) == NULL)
            return STATUS_MEMORY;
    for (size_t k = 0; k < LENGTH(square); k++)
        if ((*square[k] = NEW_ARRAY(a, real, nn)) == NULL)
            return STATUS_MEMORY;
    m->noise = s->q->noise;
    for (uint32_t i = 0; i < n; i++) {
        m->size[i] = space_size(&s->space, i);
        m->z[i] = s->q->start[i] / m->size[i];
        m->row[i] = R(1.0);
    }
    return STATUS_OK;
}

/* What is reckoned with: at least rounding. */
static real noise_of(const Many *m)
{
    return cosy_max(m->noise, COSY_EPSILON);
}

/* The parameter itself, never beyond a bound by rounding. */
static real parameter(const Many *m, uint32_t i, real z)
{
    return space_clamp(&m->s->space, i, z * m->size[i]);
}

/* F at z, scaled, and derivatives if the trial has them; *ok tells whether the trial
   went well. */
static Status evaluate(Many *m, const real *z, real *f, bool *ok)
{
    Status each;
    Ledger *l = &m->s->ledger;
    for (uint32_t i = 0; i < m->n; i++)
        m->p[i] = parameter(m, i, z[i]);
    if (m->s->q->trial.slopes != NULL)
        TRY(ledger_slopes(l, m->p, f, m->slope, &each));
    else
        TRY(ledger_ask(l, m->p, f, &each));
    m->sloped = each == STATUS_OK && m->s->q->trial.slopes != NULL;
    *ok = true;
    for (uint32_t i = 0; i < m->n; i++) {
        *ok = *ok && cosy_finite(f[i]);
        f[i] /= m->row[i];
    }
    return STATUS_OK;
}

/* ---- The Jacobian ---------------------------------------------------------------- */

/* Evaluates with one parameter moved, for all columns that are `held` (here: still
   to be found), at the same time. */
static Status move_each(Many *m, real h)
{
    uint32_t n = m->n, count = 0;
    real *p = m->p;
    for (uint32_t j = 0; j < n; j++) {
        if (!m->held[j])
            continue;
        for (uint32_t i = 0; i < n; i++)
            p[i] = parameter(m, i, m->z[i]);
        real step = h * cosy_max(cosy_abs(m->z[j]), R(1.0));
        real moved = parameter(m, j, m->z[j] + step);
        if ((moved - p[j]) * step <= R(0.0)) // there is a bound
            moved = parameter(m, j, m->z[j] - step);
        p[j] = moved;
        m->freed[count++] = j;
        p += n;
    }
    if (count == 0)
        return STATUS_OK;
    TRY(ledger_many(&m->s->ledger, count, m->p, m->out, m->each));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = m->freed[k];
        real *column = m->jacobian + (size_t)j * n;
        real dz = m->p[(size_t)k * n + j] / m->size[j] -
                  parameter(m, j, m->z[j]) / m->size[j];
        if (m->each[k] != STATUS_OK || dz == R(0.0))
            continue;
        m->held[j] = false;
        for (uint32_t i = 0; i < n; i++)
            column[i] = (m->out[(size_t)k * n + i] / m->row[i] - m->f[i]) / dz;
    }
    return STATUS_OK;
}

/* From the derivatives of the last trial, which was at z. */
static void take_slopes(Many *m)
{
    uint32_t n = m->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            m->jacobian[i + (size_t)j * n] =
                m->slope[(size_t)i * n + j] * m->size[j] / m->row[i];
    m->fresh = true;
}

/* Differences at z, on the other side or nearer where a trial fails. *ok tells
   whether all columns are known. */
static Status form_jacobian(Many *m, bool *ok)
{
    static const real shares[] = {R(1.0), R(-1.0), R(0.0625), R(-0.0625)};
    real h = cosy_sqrt(noise_of(m));
    *ok = true;
    for (uint32_t j = 0; j < m->n; j++)
        m->held[j] = true;
    for (size_t k = 0; k < LENGTH(shares); k++)
        TRY(move_each(m, h * shares[k]));
    for (uint32_t j = 0; j < m->n; j++)
        *ok = *ok && !m->held[j];
    m->fresh = *ok;
    m->s->answer->sloped = false;
    return STATUS_OK;
}

/* J += (y - J s) s' / s's (Broyden 1965). */
static void update_jacobian(Many *m, const real *s, const real *f)
{
    uint32_t n = m->n;
    real square = vector_norm(n, s);
    square *= square;
    if (!(square > R(0.0)))
        return;
    for (uint32_t i = 0; i < n; i++) {
        real y = f[i] - m->f[i];
        for (uint32_t j = 0; j < n; j++)
            y -= m->jacobian[i + (size_t)j * n] * s[j];
        for (uint32_t j = 0; j < n; j++)
            m->jacobian[i + (size_t)j * n] += y * s[j] / square;
    }
    m->fresh = false;
}

/* Equations are measured by their largest derivative. */
static void scale_rows(Many *m)
{
    uint32_t n = m->n;
    for (uint32_t i = 0; i < n; i++) {
        real most = R(0.0);
        for (uint32_t j = 0; j < n; j++)
            most = cosy_max(most, cosy_abs(m->jacobian[i + (size_t)j * n]));
        if (!(most > R(0.0)))
            most = cosy_abs(m->f[i]) > R(0.0) ? cosy_abs(m->f[i]) : R(1.0);
        m->row[i] = most;
        m->f[i] /= most;
        for (uint32_t j = 0; j < n; j++)
            m->jacobian[i + (size_t)j * n] /= most;
    }
}

/* ---- The step ---------------------------------------------------------------------- */

static void decompose(Many *m)
{
    uint32_t n = m->n, k = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (m->held[j])
            continue;
        memcpy(m->u + (size_t)k * n, m->jacobian + (size_t)j * n,
               n * sizeof *m->u);
        m->freed[k++] = j;
    }
    m->free_count = k;
    if (k > 0)
        svd_make(n, k, m->u, m->value, m->v);
    for (uint32_t c = 0; c < k; c++) {
        m->g[c] = R(0.0);
        for (uint32_t i = 0; i < n; i++)
            m->g[c] += m->u[i + (size_t)c * n] * m->f[i];
    }
}

/* The step that minimises |F + J s|^2 + mu |s|^2. */
static void damped_step(Many *m, real mu)
{
    uint32_t k = m->free_count;
    real least = (real)m->n * COSY_EPSILON * (k > 0 ? m->value[0] : R(0.0));
    memset(m->step, 0, m->n * sizeof *m->step);
    for (uint32_t c = 0; c < k; c++) {
        real value = m->value[c];
        if (!(value > least))
            continue;
        real share = -m->g[c] * value / (value * value + mu);
        for (uint32_t r = 0; r < k; r++)
            m->step[m->freed[r]] += share * m->v[r + (size_t)c * k];
    }
}

/* The Newton step, or the damped one that is as long as the radius. */
static void step_within(Many *m)
{
    enum { HALVINGS = 50 };
    damped_step(m, R(0.0));
    if (m->free_count == 0 || vector_norm(m->n, m->step) <= m->radius)
        return;
    real top = m->value[0] * m->value[0];
    real low = cosy_log(top) + cosy_log(COSY_EPSILON) * R(2.0);
    real high = cosy_log(top + vector_norm(m->free_count, m->g) * m->value[0] /
                                   m->radius);
    for (int k = 0; k < HALVINGS; k++) {
        real middle = (low + high) / R(2.0);
        damped_step(m, cosy_exp(middle));
        if (vector_norm(m->n, m->step) > m->radius)
            low = middle;
        else
            high = middle;
    }
    damped_step(m, cosy_exp(high));
}

/* Parameters at a bound that the step wants to leave are held there, the others are
   cut off at theirs. */
static void choose_step(Many *m)
{
    uint32_t n = m->n;
    memset(m->held, 0, n * sizeof *m->held);
    for (bool more = true; more;) {
        more = false;
        decompose(m);
        step_within(m);
        for (uint32_t j = 0; j < n; j++) {
            signed char at =
                space_at(&m->s->space, j, parameter(m, j, m->z[j]));
            if (m->held[j] || at == 0 || m->step[j] * (real)at <= R(0.0))
                continue;
            m->held[j] = more = true;
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        real to = parameter(m, j, m->z[j] + m->step[j]);
        m->trial_z[j] = m->z[j] + m->step[j];
        if (to == space_low(&m->s->space, j) ||
            to == space_high(&m->s->space, j))
            m->trial_z[j] = to / m->size[j];
        m->step[j] = m->trial_z[j] - m->z[j];
    }
}

/* |F + J s| after the step. */
static real predict(const Many *m)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < m->n; i++) {
        real f = m->f[i];
        for (uint32_t j = 0; j < m->n; j++)
            f += m->jacobian[i + (size_t)j * m->n] * m->step[j];
        sum += f * f;
    }
    return cosy_sqrt(sum);
}

/* Whether the step changes nothing that the tolerance can tell. */
static bool is_small(const Many *m, real tolerance)
{
    for (uint32_t j = 0; j < m->n; j++)
        if (cosy_abs(m->step[j]) >
            tolerance * cosy_max(cosy_abs(m->z[j]), R(1e-3)))
            return false;
    return true;
}

/* ---- The end ------------------------------------------------------------------------ */

/* The parameters that a singular Jacobian cannot tell apart: the largest two in what
   it leaves open. */
static bool is_singular(Many *m)
{
    uint32_t n = m->n, k = n - 1;
    memset(m->held, 0, n * sizeof *m->held);
    decompose(m);
    real least = R(100.0) * cosy_sqrt(noise_of(m));
    if (m->value[k] > least * m->value[0])
        return false;
    const real *open = m->v + (size_t)k * n;
    uint32_t first = 0, second = n > 1 ? 1 : 0;
    for (uint32_t j = 1; j < n; j++)
        if (cosy_abs(open[j]) > cosy_abs(open[first]))
            first = j;
    second = first == 0 ? second : 0;
    for (uint32_t j = 0; j < n; j++)
        if (j != first && cosy_abs(open[j]) > cosy_abs(open[second]))
            second = j;
    m->lone = cosy_abs(open[second]) < R(0.01);
    bool order = m->lone || first < second;
    m->pair[0] = order ? first : second;
    m->pair[1] = order ? second : first;
    return true;
}

static void say_singular(Many *m)
{
    char a[NUMBER_ROOM], b[NUMBER_ROOM];
    const char *first = space_name(&m->s->space, m->pair[0], a);
    if (m->s->answer->words[0] != '\0')
        SAY(m->s, " ");
    if (m->lone)
        SAY(m->s,
            "%s has no effect on the results, so that nothing can be found for "
            "it.",
            first);
    else
        SAY(m->s,
            "%s and %s act on the results alike, so that they cannot be told "
            "apart.",
            first, space_name(&m->s->space, m->pair[1], b));
}

static bool at_bounds(const Many *m)
{
    for (uint32_t j = 0; j < m->n; j++)
        if (m->held[j])
            return true;
    return false;
}

static void say_bounds(Many *m)
{
    char text[NUMBER_ROOM];
    const char *between = "The results would come nearer to their values only "
                          "beyond the bounds of ";
    for (uint32_t j = 0; j < m->n; j++) {
        if (!m->held[j])
            continue;
        SAY(m->s, "%s%s", between, space_name(&m->s->space, j, text));
        between = ", ";
    }
    SAY(m->s, ".");
}

/* No step reduces the residuals: why? `held` tells which bounds were in the way. */
static void explain(Many *m)
{
    RootAnswer *answer = m->s->answer;
    if (at_bounds(m)) {
        answer->end = ROOT_AT_BOUND;
        say_bounds(m);
        return;
    }
    bool singular = is_singular(m);
    if (!singular && m->walls > 0) {
        answer->end = ROOT_FAILED;
        SAY(m->s, "The search is stuck where trials fail: begin elsewhere.");
        return;
    }
    answer->end = singular && m->odd ? ROOT_SINGULAR : ROOT_MINIMUM;
    if (answer->end == ROOT_SINGULAR)
        say_singular(m);
    else
        SAY(m->s, "The results come no nearer to their values than this around "
                  "here: begin elsewhere, or MINIMIZE the sum of the squares.");
}

/* Condition and errors, by differences at the root if there are trials left. */
static Status examine(Many *m)
{
    RootAnswer *answer = m->s->answer;
    bool ok = true;
    if (!m->fresh) {
        Status end = form_jacobian(m, &ok);
        if (end == STATUS_LIMIT || !ok)
            return STATUS_OK;
        TRY(end);
    }
    bool singular = is_singular(m);
    uint32_t n = m->n;
    answer->condition = m->value[n - 1] > R(0.0) ? m->value[0] / m->value[n - 1]
                                                 : COSY_INFINITY;
    if (singular) {
        say_singular(m);
        SAY(m->s, " Other values may be roots as well.");
        return STATUS_OK;
    }
    real level = cosy_max(noise_of(m), vector_norm(n, m->f));
    for (uint32_t j = 0; j < n; j++) {
        real sum = R(0.0);
        for (uint32_t c = 0; c < n; c++)
            sum += cosy_square(m->v[j + (size_t)c * n] / m->value[c]);
        answer->error[j] = cosy_sqrt(sum) * level * m->size[j];
        answer->error[j] =
            cosy_max(answer->error[j],
                     COSY_EPSILON * cosy_abs(parameter(m, j, m->z[j])));
    }
    return STATUS_OK;
}

/* What remains is what rounding, or the noise, leaves. */
static bool is_zero(const Many *m)
{
    real least = cosy_max(R(100.0) * COSY_EPSILON, R(5.0) * m->noise);
    for (uint32_t i = 0; i < m->n; i++)
        if (cosy_abs(m->f[i]) > least)
            return false;
    return true;
}

/* ---- Iteration ---------------------------------------------------------------------- */

typedef enum Outcome { GO_ON, FOUND, STUCK, FAILING } Outcome;

static void accept(Many *m)
{
    memcpy(m->z, m->trial_z, m->n * sizeof *m->z);
    memcpy(m->f, m->trial_f, m->n * sizeof *m->f);
    m->s->answer->steps++;
}

/* A step of Newton's method that can only lead to a least residual is none to a
   root. */
static bool leads_to_zero(const Many *m)
{
    return predict(m) <= vector_norm(m->n, m->f) / R(2.0);
}

/* The step did not help. */
static Outcome reject(Many *m, real taken)
{
    if (m->fresh) {
        /* The Newton step itself is below what differences can resolve. */
        real floor = cosy_pow(noise_of(m), R(2.0) / R(3.0));
        bool small = taken < m->radius && is_small(m, floor);
        if (is_zero(m) || (small && leads_to_zero(m)))
            return FOUND;
        if (small)
            return STUCK;
        m->radius = cosy_min(m->radius, taken) / R(4.0);
        if (!(m->radius >
              COSY_EPSILON * cosy_max(vector_norm(m->n, m->z), R(1.0))))
            return STUCK;
    }
    return GO_ON;
}

/* Judges a step whose trial went well. */
static Outcome judge_step(Many *m, real taken)
{
    real before = vector_norm(m->n, m->f),
         after = vector_norm(m->n, m->trial_f);
    real predicted = before - predict(m);
    real ratio = predicted > R(0.0) ? (before - after) / predicted : R(0.0);
    bool small = is_small(m, roots_precise(m->s->q));
    bool whole = taken < m->radius, leads = leads_to_zero(m);
    if (ratio > R(0.75))
        m->radius = cosy_max(m->radius, R(2.0) * taken);
    else if (ratio < R(0.25))
        m->radius = cosy_max(taken / R(2.0), COSY_EPSILON);
    if (!(after < before * (R(1.0) - R(1e-4) * cosy_min(ratio, R(1.0)))))
        return STUCK; // for now: see reject
    if (m->sloped)
        take_slopes(m);
    else
        update_jacobian(m, m->step, m->trial_f);
    accept(m);
    if (after == R(0.0) || (small && whole && leads))
        return FOUND;
    return GO_ON;
}

/* Points on a short line from the start. */
static Status try_line(Many *m, real *out, Status *each)
{
    uint32_t n = m->n;
    real *p = NEW_ARRAY(m->s->arena, real, (size_t)NOISE_LINE * n);
    real step = noise_step(n);
    if (p == NULL)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        real far = m->z[i] + R(8.0) * step;
        bool up = far * m->size[i] <= space_high(&m->s->space, i);
        for (int k = 0; k < NOISE_LINE; k++) {
            real away = (real)(k + 1) * step;
            real z = m->z[i] + (up ? away : -away);
            p[(size_t)k * n + i] = parameter(m, i, z);
        }
    }
    return ledger_many(&m->s->ledger, NOISE_LINE, p, out, each);
}

/* The noise of each equation, and, until they are scaled, that of the largest one by
   its value. */
static Status find_noise(Many *m)
{
    uint32_t n = m->n;
    real *out = NEW_ARRAY(m->s->arena, real, (size_t)NOISE_LINE * n);
    Status each[NOISE_LINE];
    real most = R(0.0), size = R(0.0);
    bool ok = true;
    if (out == NULL)
        return STATUS_MEMORY;
    TRY(try_line(m, out, each));
    for (int k = 0; k < NOISE_LINE; k++)
        ok = ok && each[k] == STATUS_OK;
    for (uint32_t i = 0; ok && i < n; i++) {
        real here = m->f[i] * m->row[i];
        real f[NOISE_LINE + 1] = {here};
        for (int k = 0; k < NOISE_LINE; k++)
            f[k + 1] = out[(size_t)k * n + i];
        m->level[i] = noise_on_line(f);
        most = cosy_max(most, m->level[i]);
        size = cosy_max(size, cosy_abs(here));
    }
    if (size > R(0.0))
        m->noise = cosy_max(m->noise, most / size);
    return STATUS_OK;
}

/* Noise by what the equations change by. What is near rounding is rounding. */
static void scale_noise(Many *m)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < m->n; i++)
        most = cosy_max(most, m->level[i] / m->row[i]);
    m->noise = m->s->q->noise;
    if (most > R(1e4) * COSY_EPSILON)
        m->noise = cosy_max(m->noise, most);
}

/* With derivatives of the trials' own nothing has to be known of noise before a step does
   not do what they promise. */
static bool may_learn(const Many *m)
{
    return m->s->q->trial.slopes != NULL && !m->learnt && m->noise == R(0.0) &&
           ledger_left(&m->s->ledger) > NOISE_LINE;
}

static Status learn_noise(Many *m)
{
    m->learnt = true;
    TRY(find_noise(m));
    scale_noise(m);
    return STATUS_OK;
}

/* One step. */
static Status go_on(Many *m, Outcome *outcome)
{
    bool ok = true;
    choose_step(m);
    real taken = vector_norm(m->n, m->step), before = vector_norm(m->n, m->f);
    *outcome = GO_ON;
    if (taken == R(0.0)) {
        *outcome = is_zero(m) ? FOUND : m->fresh ? STUCK : GO_ON;
    } else {
        TRY(evaluate(m, m->trial_z, m->trial_f, &ok));
        if (!ok) {
            m->radius = taken / R(4.0);
            m->walls++;
            if (m->radius <
                COSY_EPSILON * cosy_max(vector_norm(m->n, m->z), R(1.0)))
                *outcome = FAILING;
            return STATUS_OK;
        }
        *outcome = judge_step(m, taken);
        if (*outcome == STUCK) {
            *outcome = reject(m, taken);
            if (*outcome != FOUND && may_learn(m)) {
                TRY(learn_noise(m));
                *outcome = reject(m, taken);
            }
        }
    }
    /* A Jacobian that was updated and did little is formed anew. */
    bool slow = vector_norm(m->n, m->f) > R(0.5) * before;
    if (*outcome == GO_ON && !m->fresh && slow) {
        TRY(form_jacobian(m, &ok));
        if (!ok)
            *outcome = FAILING;
    }
    return STATUS_OK;
}

static void say_noise(Many *m)
{
    if (m->noise > m->s->q->noise)
        SAY(m->s,
            "The results have noise of about %.1g of what they change by.",
            (double)m->noise);
}

static Status begin(Many *m, bool *ok)
{
    TRY(evaluate(m, m->z, m->f, ok));
    if (!*ok) {
        SAY(m->s, "The trial at the start fails: begin elsewhere.");
        return STATUS_OK;
    }
    if (m->noise == R(0.0) && !m->sloped)
        TRY(find_noise(m));
    if (m->sloped)
        take_slopes(m);
    else
        TRY(form_jacobian(m, ok));
    if (!*ok) {
        SAY(m->s, "Trials next to the start fail: begin elsewhere.");
        return STATUS_OK;
    }
    scale_rows(m);
    scale_noise(m);
    m->odd = is_singular(m);
    m->radius = cosy_max(vector_norm(m->n, m->z), R(1.0));
    return STATUS_OK;
}

Status roots_many(RootSearch *s)
{
    Many m;
    Outcome outcome = GO_ON;
    bool ok;
    TRY(many_make(&m, s));
    s->answer->end = ROOT_FAILED;
    TRY(begin(&m, &ok));
    if (!ok)
        return STATUS_OK;
    if (vector_norm(m.n, m.f) == R(0.0))
        outcome = FOUND;
    while (outcome == GO_ON)
        TRY(go_on(&m, &outcome));
    if (outcome == FOUND) {
        s->answer->end = ROOT_FOUND;
        say_noise(&m);
        return examine(&m);
    }
    if (outcome == STUCK)
        explain(&m);
    else
        SAY(s, "Trials fail however short the steps are.");
    return STATUS_OK;
}
