#include "solve/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/methods.h"
#include "solve/spectrum.h"

/* ---- The clusters --------------------------------------------------------- */

typedef enum Member { DOPRI5, DOP853, RADAU, DIRK, MEMBERS } Member;

static const Method *const team[MEMBERS] = {&method_dopri5, &method_dop853,
                                            &method_radau, &method_dirk};

typedef enum Accuracy { LOW, MEDIUM, HIGH, ACCURACIES } Accuracy;
typedef enum Stiffness { PLAIN, MIDDLING, STIFF, STIFFNESSES } Stiffness;

/* Figures 6.6 and 6.7, by accuracy, events (smooth, rich) and stiffness. What is
   middling begins with an explicit method, which notices when it does not do. */
static const uint8_t clusters[ACCURACIES][2][STIFFNESSES] = {
    [LOW] = {{DOPRI5, DOPRI5, RADAU}, {DOPRI5, DOPRI5, DIRK}},
    [MEDIUM] = {{DOPRI5, DOPRI5, RADAU}, {DOPRI5, DOPRI5, DIRK}},
    [HIGH] = {{DOP853, DOP853, RADAU}, {DOP853, DOP853, RADAU}},
};

/* Steps from one restart to the next; restarts between two looks. */
enum { RICH = 8, SMOOTH = 30, WINDOW = 32 };
/* Steps that are the hundredth of a run whose end is not known. */
enum { STEPS_LEAST = 100 };
/* Steps in a row that an explicit method could have made, until it is given the
   rest; steps between two looks. */
enum { CALM = 30, LOOK_STEPS = 20 };
/* States without a pattern beyond which a Jacobian is too dear to look at. */
enum { PATTERNLESS_MOST = 200 };
#define PLAIN_BELOW  10.0
#define STIFF_FROM   1000.0
#define HAND_BACK    1.0 // h |lambda| from which the explicit method does again
#define TURNING_MOST 0.5

/* What decides how a run continues; in the image. */
typedef struct Memory {
    uint32_t at_work; // Member
    uint32_t begun;   // the first choice is made
    uint32_t rich;    // class of events
    uint32_t changes;
    uint32_t used, order; // number of members used; 4 bits each, in order
    uint64_t restarts, steps_seen, steps_changed;
    real span;             // of the run; 0: not known
    real h_seen, t_looked; // at the last look
    real t_changed;
    uint64_t steps_looked, restarts_looked;
    double size;   // largest |lambda| at the last look; 0: none yet
    uint32_t calm; // steps in a row with h |lambda| < HAND_BACK
    uint32_t spare;
    char words[400];
} Memory;

struct Auto {
    Memory memory;
    void *impl[MEMBERS];
    Spectrum spectrum;
    char names[80];
};

static Accuracy accuracy_of(const Solver *s)
{
    real e = s->options.relerr;
    return e >= R(1e-4) ? LOW : e <= R(1e-8) ? HIGH : MEDIUM;
}

/* ---- Life ----------------------------------------------------------------- */

Status auto_create(Solver *s)
{
    Auto *a = NEW(s->arena, Auto);
    if (a == NULL)
        return STATUS_MEMORY;
    s->automatic = a;
    TRY(solver_keep(s, "auto.memory", &a->memory, sizeof a->memory));
    for (uint32_t k = 0; k < MEMBERS; k++) {
        s->method = team[k];
        s->impl = NULL;
        if (s->method->create != NULL)
            TRY(s->method->create(s));
        a->impl[k] = s->impl;
    }
    a->memory.at_work = clusters[accuracy_of(s)][0][PLAIN];
    auto_attach(s);
    return spectrum_create(&a->spectrum, s);
}

void auto_attach(Solver *s)
{
    const Auto *a = s->automatic;
    if (a == NULL || a->memory.at_work >= MEMBERS)
        return;
    s->method = team[a->memory.at_work];
    s->impl = a->impl[a->memory.at_work];
}

void auto_free(Solver *s)
{
    Auto *a = s->automatic;
    if (a == NULL)
        return;
    for (uint32_t k = 0; k < MEMBERS; k++) {
        s->method = team[k];
        s->impl = a->impl[k];
        if (s->impl != NULL && s->method->destroy != NULL)
            s->method->destroy(s);
        a->impl[k] = NULL;
    }
    s->impl = NULL;
    spectrum_free(&a->spectrum);
}

/* ---- Words ---------------------------------------------------------------- */

static void note_used(Memory *m)
{
    for (uint32_t k = 0; k < m->used; k++)
        if ((m->order >> (4 * k) & 15u) == m->at_work)
            return;
    m->order |= m->at_work << (4 * m->used++);
}

const char *auto_names(const Solver *s)
{
    Auto *a = s->automatic;
    const Memory *m = &a->memory;
    size_t n = 0;
    if (m->used == 0)
        return s->method->name;
    for (uint32_t k = 0; k < m->used && n < sizeof a->names; k++)
        n += (size_t)snprintf(a->names + n, sizeof a->names - n, "%s%s",
                              k ? ", " : "",
                              team[m->order >> (4 * k) & 15u]->name);
    return a->names;
}

const char *auto_words(const Solver *s)
{
    return s->automatic != NULL ? s->automatic->memory.words : "";
}

/* S < 0: it was not looked at. */
static void tell_choice(Solver *s, double stiffness, double oscillation)
{
    static const char *const classes[] = {"low", "medium", "high"};
    Memory *m = &s->automatic->memory;
    char found[60] = "not stiff";
    if (stiffness >= PLAIN_BELOW)
        snprintf(found, sizeof found, "stiffness %.2g%s", stiffness,
                 stiffness < STIFF_FROM ? " (middling)" : "");
    else if (oscillation > TURNING_MOST)
        snprintf(found, sizeof found, "not stiff, oscillating");
    snprintf(m->words, sizeof m->words, "AUTO: RELERR %g (%s), %s: %s",
             (double)s->options.relerr, classes[accuracy_of(s)], found,
             s->method->name);
}

static void tell_change(Solver *s, const char *why)
{
    Memory *m = &s->automatic->memory;
    size_t n = strlen(m->words);
    if (n + 120 < sizeof m->words)
        snprintf(m->words + n, sizeof m->words - n,
                 "; from t = %.6g on %s (%s)", (double)s->t, s->method->name,
                 why);
    else if (n > 3 && m->words[n - 1] != '.')
        snprintf(m->words + n, sizeof m->words - n, "; and further changes.");
}

/* ---- Changing ------------------------------------------------------------- */

static Status take(Solver *s, uint32_t member)
{
    Memory *m = &s->automatic->memory;
    m->at_work = member;
    auto_attach(s);
    note_used(m);
    if (s->method->resize != NULL)
        TRY(s->method->resize(s));
    if (s->method->attach != NULL)
        TRY(s->method->attach(s));
    return s->method->start(s);
}

static Status change(Solver *s, uint32_t member, const char *why)
{
    Memory *m = &s->automatic->memory;
    real h = s->h;
    if (member == m->at_work)
        return STATUS_OK;
    TRY(take(s, member));
    s->h = h;
    s->stiffness = (s->method->features & METHOD_IMPLICIT) != 0
                       ? SOLVER_HANDED
                       : SOLVER_NOT_STIFF;
    m->changes++;
    m->t_changed = s->t;
    m->steps_changed = s->counts.steps;
    m->h_seen = cosy_abs(h);
    m->calm = 0;
    m->size = 0.0;
    tell_change(s, why);
    return STATUS_OK;
}

Status auto_stiff(Solver *s)
{
    const Memory *m = &s->automatic->memory;
    return change(s, clusters[accuracy_of(s)][m->rich][STIFF], "stiff");
}

/* ---- The first choice ------------------------------------------------------ */

/* Time in which the solution changes, no longer than the run. */
static double pace_of(const Solver *s)
{
    const Memory *m = &s->automatic->memory;
    double most = m->span > R(0.0) ? (double)m->span : 1e300;
    for (uint32_t i = 0; i < s->n; i++) {
        double size = (double)cosy_max(s->size[i], cosy_abs(s->x[i]));
        double rate = fabs((double)s->dx[i]);
        if (rate * most > size && size > 0.0)
            most = size / rate;
    }
    return most;
}

static bool can_look(const Solver *s)
{
    return s->n > 0 && s->model->derivatives != NULL &&
           (s->model->pattern != NULL || s->n <= PATTERNLESS_MOST);
}

static Status choose(Solver *s)
{
    Auto *a = s->automatic;
    Memory *m = &a->memory;
    double pace = pace_of(s), bound = 0.0, stiffness = -1.0;
    Features f = {0};
    SolverCounts counts = s->counts;
    Stiffness class = PLAIN;
    if (can_look(s) && pace < 1e300 &&
        spectrum_bound(&a->spectrum, s, s->t, s->x, s->dx, &bound) ==
            STATUS_OK &&
        bound * pace >= PLAIN_BELOW &&
        spectrum_find(&a->spectrum, s, s->t, s->x, s->dx, -1.0, &f) ==
            STATUS_OK) {
        stiffness = f.fastest * pace;
        class = stiffness < PLAIN_BELOW  ? PLAIN
                : stiffness < STIFF_FROM ? MIDDLING
                                         : STIFF;
        if (f.oscillation > TURNING_MOST)
            class = PLAIN;
    }
    counts.jacobians = s->counts.jacobians;
    counts.rhs = s->counts.rhs;
    s->counts = counts;
    uint32_t member = clusters[accuracy_of(s)][m->rich][class];
    if (member != m->at_work)
        TRY(take(s, member));
    if (class == STIFF)
        s->stiffness = SOLVER_HANDED;
    note_used(m);
    tell_choice(s, stiffness, f.oscillation);
    return STATUS_OK;
}

/* A restart every few steps is a rich life. */
static void count_restart(Solver *s)
{
    Memory *m = &s->automatic->memory;
    if (++m->restarts % WINDOW != 0)
        return;
    uint64_t steps = s->counts.steps - m->steps_seen;
    m->steps_seen = s->counts.steps;
    if (steps < (uint64_t)RICH * WINDOW)
        m->rich = 1;
    else if (steps > (uint64_t)SMOOTH * WINDOW)
        m->rich = 0;
}

Status auto_start(Solver *s, real end)
{
    TRY(s->method->start(s));
    if (s->automatic == NULL)
        return STATUS_OK;
    Memory *m = &s->automatic->memory;
    if (m->begun) {
        count_restart(s);
        return STATUS_OK;
    }
    m->begun = 1;
    m->t_changed = s->t;
    m->span = end < COSY_NEVER ? cosy_abs(end - s->t) : R(0.0);
    return choose(s);
}

/* ---- Looking again --------------------------------------------------------- */

/* A hundredth of the run since the last change; more after each. */
static bool early(const Solver *s)
{
    const Memory *m = &s->automatic->memory;
    real times = (real)(1 + m->changes);
    if (m->span > R(0.0) &&
        cosy_abs(s->t - m->t_changed) < R(0.01) * m->span * times)
        return true;
    return s->counts.steps - m->steps_changed <
           (uint64_t)STEPS_LEAST * (1 + m->changes) *
               (m->span > R(0.0) ? 0u : 1u);
}

/* Something has changed since the last look: the step size by an order of
   magnitude, or an event was; and it was a while ago. */
static bool is_due(const Solver *s)
{
    const Memory *m = &s->automatic->memory;
    real h = cosy_abs(s->h);
    bool news = h > R(10.0) * m->h_seen || h < R(0.1) * m->h_seen ||
                m->restarts != m->restarts_looked || m->calm >= CALM;
    return news && s->counts.steps - m->steps_looked >= LOOK_STEPS &&
           cosy_abs(s->t - m->t_looked) >= R(0.01) * m->span;
}

/* The largest eigenvalue at the present point. */
static void look(Solver *s)
{
    Auto *a = s->automatic;
    Memory *m = &a->memory;
    double size;
    m->h_seen = cosy_abs(s->h);
    m->t_looked = s->t;
    m->steps_looked = s->counts.steps;
    m->restarts_looked = m->restarts;
    if (!can_look(s) ||
        spectrum_size(&a->spectrum, s, s->t, s->x, s->dx, &size) != STATUS_OK)
        size = INFINITY;
    m->size = size;
}

/* An explicit method looks after its stability itself. An implicit one is calm
   where the explicit one would be stable with its step; right behind an event it
   may be so for a while. */
Status auto_review(Solver *s)
{
    Auto *a = s->automatic;
    if (a == NULL || s->h == R(0.0) ||
        (s->method->features & METHOD_IMPLICIT) == 0)
        return STATUS_OK;
    Memory *m = &a->memory;
    const uint8_t *row = clusters[accuracy_of(s)][m->rich];
    bool calm = (double)cosy_abs(s->h) * m->size < HAND_BACK;
    m->calm = calm && m->size > 0.0 ? m->calm + 1 : 0;
    if (row[STIFF] != m->at_work && !early(s))
        return change(s, row[STIFF], m->rich ? "many events" : "few events");
    if (!is_due(s))
        return STATUS_OK;
    look(s);
    if (m->calm < CALM || early(s) ||
        !((double)m->h_seen * m->size < HAND_BACK))
        return STATUS_OK;
    return change(s, row[PLAIN], "no longer stiff");
}
