#include "solve/auto.h"

#include <assert.h>
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

/* Figures 6.6 and 6.7, by accuracy, events (few, many) and stiffness; fitted to
   the times of bench/auto. A model of middling stiffness begins with an
   explicit method, which notices when it is not suitable. */
static const uint8_t clusters[ACCURACIES][2][STIFFNESSES] = {
    [LOW] = {{DOP853, DOP853, DIRK}, {DOPRI5, DOPRI5, DIRK}},
    [MEDIUM] = {{DOP853, DOP853, RADAU}, {DOPRI5, DOPRI5, RADAU}},
    [HIGH] = {{DOP853, DOP853, RADAU}, {DOP853, DOP853, RADAU}},
};

/* Steps between restarts that count as rich in events, and as smooth; restarts
   between two looks. */
enum { RICH = 20, SMOOTH = 60, WINDOW = 16 };
/* Where the end of the run is not known, this many steps stand for a hundredth
   of it. */
enum { STEPS_LEAST = 100 };
/* Consecutive steps that an explicit method could have made before it takes
   over; steps between two looks. */
enum { CALM = 12, LOOK_STEPS = 12 };
/* Without a pattern, a Jacobian of more states than this is too expensive to
   look at; up to so many states all eigenvalues cost less than a short run. */
enum { PATTERNLESS_MOST = 200, EIGENVALUES_MOST = 16 };
/* Steps until a method that was found stiff in vain may report again; how often
   that number is doubled. */
enum { REFUSED_STEPS = 32, REFUSED_MOST = 6 };
#define PLAIN_BELOW  10.0
#define STIFF_FROM   3000.0
#define TURNING_MOST 0.5
#define GROWING_MOST 0.1 // relative to the fastest decay
/* Rate times the time between two events, from which an implicit method pays
   off, and below which it does not. */
#define SHORT_FROM  100.0
#define SHORT_BELOW 50.0
/* h |lambda| up to which the explicit methods follow an oscillation. */
static const double follows[MEMBERS] = {[DOPRI5] = 3.0, [DOP853] = 5.0};

/* h |lambda| of an implicit method below which an explicit one is suitable
   again. */
static const double hand_back[ACCURACIES] = {1.0, 3.0, 3.0};

/* What decides how a run continues; in the image. */
typedef struct Memory {
    uint32_t at_work; // Member
    uint32_t begun;   // the first choice has been made
    uint32_t rich;    // many events: the class of the table
    uint32_t changes;
    uint32_t used, order; // number of members used; 4 bits each, in order
    uint32_t calm;        // steps in a row with h |lambda| below hand_back
    uint32_t news;        // a choice or change that has not been reported
    uint32_t turns;       // that eigenvalue oscillates rather than decays
    uint32_t refused; // how often an explicit method was found stiff in vain
    uint64_t restarts, steps_seen, steps_changed;
    uint64_t steps_looked, restarts_looked, steps_refused;
    real span;             // length of the run; 0: not known
    real interval, t_seen; // mean time between restarts; 0: not known
    real h_seen, t_looked; // step and time at the last look
    real t_changed;
    double size; // largest |lambda| at the last look; 0: none yet
    char words[400], why[200];
} Memory;

struct Auto {
    Memory memory;
    void *impl[MEMBERS];
    bool there[MEMBERS];   // has been created
    Image pieces[MEMBERS]; // what each member adds to the image
    bool complete;         // these pieces are in the image
    Spectrum spectrum;
    char names[80];
};

static Accuracy accuracy_of(const Solver *s)
{
    real e = s->options.relerr;
    return e > R(3e-4) ? LOW : e <= R(1e-8) ? HIGH : MEDIUM;
}

/* The member for this class of stiffness. A model with conditions counts as
   rich in events. If some are hidden (SIGN, IF) it may slide, and short steps
   follow the sides better. */
static uint32_t member_of(const Solver *s, bool rich, Stiffness class)
{
    const CosyModel *m = s->model;
    bool watched = m->conditions != NULL;
    uint32_t member = clusters[accuracy_of(s)][rich || watched][class];
    if (member == DIRK && !rich && s->automatic->memory.turns)
        return RADAU; // an oscillation is to be followed, and DIRK's order is
                      // too low
    return member == DOP853 && watched && m->n_relations_info > 0 ? DOPRI5
                                                                  : member;
}

/* ---- Life ----------------------------------------------------------------- */

/* Puts a member in the solver; a member is created when it is first used. */
static Status put(Solver *s, uint32_t member)
{
    Auto *a = s->automatic;
    Image *image = s->image;
    s->method = team[member];
    s->impl = a->impl[member];
    if (a->there[member] || s->method->create == NULL)
        return STATUS_OK;
    s->image = image != NULL ? &a->pieces[member] : NULL;
    Status status = s->method->create(s);
    s->image = image;
    a->impl[member] = s->impl;
    a->there[member] = s->impl != NULL;
    return status;
}

Status auto_create(Solver *s)
{
    Auto *a = NEW(s->arena, Auto);
    if (a == NULL)
        return STATUS_MEMORY;
    s->automatic = a;
    TRY(solver_keep(s, "auto.memory", &a->memory, sizeof a->memory));
    a->memory.at_work = member_of(s, false, PLAIN);
    return put(s, a->memory.at_work);
}

Status auto_complete(Solver *s)
{
    Auto *a = s->automatic;
    if (a == NULL || a->complete || s->image == NULL)
        return STATUS_OK;
    for (uint32_t k = 0; k < MEMBERS; k++) {
        const Image *from = &a->pieces[k];
        TRY(put(s, k));
        for (size_t p = 0; p < from->count; p++) {
            const ImagePiece *piece = &from->piece[p];
            TRY(piece->vector != NULL
                    ? image_add_vector(s->image, s->arena, piece->name,
                                       piece->vector)
                    : image_add(s->image, s->arena, piece->name, piece->fixed,
                                piece->size));
        }
    }
    a->complete = true;
    auto_attach(s);
    return STATUS_OK;
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
    if (m->used == 1)
        return team[m->order & 15u]->name;
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

const char *auto_news(Solver *s, real *t, uint32_t *changes)
{
    Memory *m = &s->automatic->memory;
    *t = m->t_changed;
    *changes = m->changes;
    if (!m->news)
        return NULL;
    m->news = 0;
    return m->why;
}

/* What was found at the start. */
typedef struct Found {
    Stiffness class;
    double stiffness; // negative: not examined
    bool least;       // stiffness is a lower bound
    bool turns, grows;
} Found;

static void describe(const Found *f, char *text, size_t size)
{
    if (f->stiffness >= PLAIN_BELOW && f->class != PLAIN)
        snprintf(text, size, "stiffness %s%.2g%s", f->least ? "from " : "",
                 f->stiffness, f->class == MIDDLING ? " (middling)" : "");
    else if (f->turns || f->grows)
        snprintf(text, size, "not stiff%s%s", f->turns ? ", oscillating" : "",
                 f->grows ? ", unstable" : "");
    else
        strcpy(text, "not stiff");
}

static void tell_choice(Solver *s, const Found *f)
{
    static const char *const classes[] = {"low", "medium", "high"};
    Memory *m = &s->automatic->memory;
    char found[80];
    describe(f, found, sizeof found);
    snprintf(m->why, sizeof m->why, "RELERR %g (%s), %s: %s",
             (double)s->options.relerr, classes[accuracy_of(s)], found,
             s->method->name);
    static_assert(sizeof m->words > sizeof "AUTO: " + sizeof m->why,
                  "all of it fits");
    strcpy(m->words, "AUTO: ");
    strcat(m->words, m->why);
    m->news = 1;
}

static void tell_change(Solver *s, const char *why)
{
    Memory *m = &s->automatic->memory;
    size_t n = strlen(m->words);
    snprintf(m->why, sizeof m->why, "%s from here on (%s)", s->method->name,
             why);
    m->news = 1;
    if (n + 120 < sizeof m->words)
        snprintf(m->words + n, sizeof m->words - n,
                 "; from t = %.6g on %s (%s)", (double)s->t, s->method->name,
                 why);
    else if (n > 3 && m->words[n - 1] != '.')
        snprintf(m->words + n, sizeof m->words - n, "; more changes follow.");
}

/* ---- Changing ------------------------------------------------------------- */

static Status take(Solver *s, uint32_t member)
{
    Memory *m = &s->automatic->memory;
    TRY(put(s, member));
    m->at_work = member;
    note_used(m);
    if (s->method->resize != NULL)
        TRY(s->method->resize(s));
    if (s->method->attach != NULL)
        TRY(s->method->attach(s));
    return s->method->start(s);
}

static bool is_implicit(const Solver *s)
{
    return (s->method->features & METHOD_IMPLICIT) != 0;
}

/* Lets the member go on from here; its first step is at most h_most. */
static Status change(Solver *s, uint32_t member, const char *why, real h_most)
{
    Memory *m = &s->automatic->memory;
    real h = s->h;
    if (member == m->at_work)
        return STATUS_OK;
    note_used(m);
    TRY(take(s, member));
    s->h = cosy_abs(h) > h_most ? (real)s->direction * h_most : h;
    s->stiffness = is_implicit(s) ? SOLVER_HANDED : SOLVER_NOT_STIFF;
    m->changes++;
    m->t_changed = s->t;
    m->steps_changed = s->counts.steps;
    m->h_seen = cosy_abs(h);
    m->calm = 0;
    m->size = 0.0;
    tell_change(s, why);
    return STATUS_OK;
}

/* ---- Looking -------------------------------------------------------------- */

static bool can_look(const Solver *s)
{
    return s->n > 0 && s->model->derivatives != NULL &&
           (s->model->pattern != NULL || s->n <= PATTERNLESS_MOST);
}

static Status open_spectrum(Solver *s)
{
    Spectrum *p = &s->automatic->spectrum;
    return p->there ? STATUS_OK : spectrum_create(p, s);
}

/* The largest |lambda| at the present point, infinite if it cannot be found. */
static void look(Solver *s)
{
    Auto *a = s->automatic;
    Memory *m = &a->memory;
    Features f;
    m->h_seen = cosy_abs(s->h);
    m->t_looked = s->t;
    m->steps_looked = s->counts.steps;
    m->restarts_looked = m->restarts;
    bool found =
        can_look(s) && open_spectrum(s) == STATUS_OK &&
        spectrum_estimate(&a->spectrum, s, s->t, s->x, s->dx, &f) == STATUS_OK;
    m->size = found ? f.size : INFINITY;
    m->turns = found && f.oscillation > TURNING_MOST;
}

/* How much decays between two events. Looks at the Jacobian only now and
   then. */
static double decay_between_events(Solver *s)
{
    Memory *m = &s->automatic->memory;
    if (m->size == 0.0 || m->restarts - m->restarts_looked >= 4 * WINDOW)
        look(s);
    return m->size * (double)m->interval;
}

/* ---- The first choice ------------------------------------------------------ */

/* Time in which the solution changes, at most the length of the run. */
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

static Stiffness class_of(double stiffness)
{
    return stiffness < PLAIN_BELOW  ? PLAIN
           : stiffness < STIFF_FROM ? MIDDLING
                                    : STIFF;
}

/* Judges by the entries alone, if they decide. Backward in time, what grows
   decays. */
static bool judge_entries(const Glance *g, int direction, double pace,
                          Found *found)
{
    double decay = -g->mean * direction;
    double growth = direction > 0 ? g->high : -g->low;
    if (g->bound * pace < PLAIN_BELOW) {
        found->stiffness = g->bound * pace;
        return true;
    }
    if (class_of(decay * pace) != STIFF || growth > GROWING_MOST * decay ||
        g->mean_square <= 0.0)
        return false;
    *found = (Found){.class = STIFF, .stiffness = decay * pace, .least = true};
    return true;
}

static void judge_eigenvalues(const Features *f, int direction, double pace,
                              Found *found)
{
    double decay = direction > 0 ? f->fastest : f->growth;
    double growth = direction > 0 ? f->growth : f->fastest;
    found->stiffness = decay * pace;
    found->turns = f->oscillation > TURNING_MOST;
    found->grows = !found->turns && growth > GROWING_MOST * decay;
    found->class =
        found->turns || found->grows ? PLAIN : class_of(found->stiffness);
}

static void find_stiffness(Solver *s, Found *found)
{
    Auto *a = s->automatic;
    double pace = pace_of(s);
    Glance g;
    Features f;
    *found = (Found){.class = PLAIN, .stiffness = -1.0};
    if (!can_look(s) || pace >= 1e300 || open_spectrum(s) != STATUS_OK ||
        spectrum_glance(&a->spectrum, s, s->t, s->x, s->dx, &g) != STATUS_OK ||
        judge_entries(&g, s->direction, pace, found))
        return;
    bool all = s->n <= EIGENVALUES_MOST;
    if (spectrum_more(&a->spectrum, all, &f) == STATUS_OK)
        judge_eigenvalues(&f, s->direction, pace, found);
}

static Status choose(Solver *s)
{
    Memory *m = &s->automatic->memory;
    Found found;
    find_stiffness(s, &found);
    uint32_t member = member_of(s, m->rich, found.class);
    if (member != m->at_work)
        TRY(take(s, member));
    if (is_implicit(s))
        s->stiffness = SOLVER_HANDED;
    note_used(m);
    if (s->n > 0)
        tell_choice(s, &found);
    return STATUS_OK;
}

/* A restart every few steps makes a run rich in events. */
static void count_restart(Solver *s)
{
    Memory *m = &s->automatic->memory;
    if (++m->restarts % WINDOW != 0)
        return;
    uint64_t steps = s->counts.steps - m->steps_seen;
    m->interval = cosy_abs(s->t - m->t_seen) / (real)WINDOW;
    m->steps_seen = s->counts.steps;
    m->t_seen = s->t;
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
    m->t_changed = m->t_seen = s->t;
    m->span = end < COSY_NEVER ? cosy_abs(end - s->t) : R(0.0);
    return choose(s);
}

/* ---- Looking again --------------------------------------------------------- */

/* True before a hundredth of the run has passed since the last change; the wait
   grows with each change. */
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

/* True if something has changed since the last look (the step size by an order
   of magnitude, or there was an event) and that look was long enough ago. */
static bool is_due(const Solver *s)
{
    const Memory *m = &s->automatic->memory;
    real h = cosy_abs(s->h);
    bool news = h > R(10.0) * m->h_seen || h < R(0.1) * m->h_seen ||
                m->restarts != m->restarts_looked || m->calm >= CALM;
    return news && s->counts.steps - m->steps_looked >= LOOK_STEPS &&
           cosy_abs(s->t - m->t_looked) >= R(0.01) * m->span;
}

/* A run that was rich in events and has seen none for long is no longer
   rich. */
static void forget_events(const Solver *s, Memory *m)
{
    if (m->rich && s->counts.steps - m->steps_seen > (uint64_t)SMOOTH * WINDOW)
        m->rich = 0;
}

/* True if the explicit method at work does well although it has found the model
   stiff: little decays between two events, or there is a fast oscillation,
   which an implicit method would have to follow too. */
static bool is_mistaken(Solver *s)
{
    Memory *m = &s->automatic->memory;
    forget_events(s, m);
    if (m->rich)
        return decay_between_events(s) < SHORT_FROM;
    look(s);
    return m->turns && (double)cosy_abs(s->h) * m->size < follows[m->at_work];
}

/* A question asked in vain is not repeated soon. */
Status auto_stiff(Solver *s)
{
    Memory *m = &s->automatic->memory;
    uint64_t rest = (uint64_t)REFUSED_STEPS << m->refused;
    s->stiffness = SOLVER_NOT_STIFF; // until it is noticed again
    if (m->refused > 0 && s->counts.steps - m->steps_refused < rest)
        return STATUS_OK;
    if (is_mistaken(s)) {
        m->refused += m->refused < REFUSED_MOST;
        m->steps_refused = s->counts.steps;
        return STATUS_OK;
    }
    m->refused = 0;
    return change(s, member_of(s, m->rich, STIFF), "stiff", COSY_REAL_MAX);
}

/* The explicit method that takes over from an implicit one begins within the
   limit of its stability. */
static Status back(Solver *s, const char *why)
{
    const Memory *m = &s->automatic->memory;
    real h_most = m->size > 0.0 ? R(1.0) / (real)m->size : COSY_REAL_MAX;
    return change(s, member_of(s, m->rich, PLAIN), why, h_most);
}

/* An implicit method is calm where the explicit one would be stable with the
   same step; right after an event that may last for a while. */
static Status review_implicit(Solver *s)
{
    Memory *m = &s->automatic->memory;
    Accuracy accuracy = accuracy_of(s);
    uint32_t stiff = member_of(s, m->rich, STIFF);
    bool calm = (double)cosy_abs(s->h) * m->size < hand_back[accuracy];
    m->calm = calm && m->size > 0.0 ? m->calm + 1 : 0;
    if (!early(s) && m->rich && m->restarts % WINDOW == 0 &&
        decay_between_events(s) < SHORT_BELOW)
        return back(s, "events leave no time to decay");
    if (stiff != m->at_work && !early(s))
        return change(s, stiff, m->rich ? "many events" : "few events",
                      COSY_REAL_MAX);
    if (!is_due(s))
        return STATUS_OK;
    look(s);
    if (m->calm < CALM || early(s) ||
        !((double)m->h_seen * m->size < hand_back[accuracy]))
        return STATUS_OK;
    return back(s, "no longer stiff");
}

/* An explicit method watches its own stability. */
Status auto_review(Solver *s)
{
    if (s->automatic == NULL || s->h == R(0.0))
        return STATUS_OK;
    Memory *m = &s->automatic->memory;
    forget_events(s, m);
    if (is_implicit(s))
        return review_implicit(s);
    uint32_t plain = member_of(s, m->rich, PLAIN);
    if (plain == m->at_work || early(s))
        return STATUS_OK;
    return change(s, plain, m->rich ? "many events" : "few events",
                  COSY_REAL_MAX);
}
