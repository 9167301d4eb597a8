/* Checks the derivatives that the compiler writes: models run from their text,
   and at points of the run, and near them, the Jacobian and the tangent are
   compared with central differences of `derivatives`, and dz of every active
   condition with the difference of z along the solution.

       test_derivatives MODEL.cosy...

   The CosyModel is copied with the `outputs` of this test, which is called at
   every point that the kernel accepts: branches, modes and memories are those
   of a real run. EXTENDED, so that differences have digits to lose. */

#include "trial.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/check.h"
#include "cli/front.h"
#include "cosy/model.h"
#include "emit/emit.h"

enum { POINTS = 60, STATES_MOST = 400, FIELDS_MOST = 150, TELL_MOST = 5 };

#define TOLERANCE    R(2e-7)
#define ELIMINATED   R(1e-12) // roundings of what cancels in a loop
#define WIDTH        R(1e-5)  // relative width of a difference
#define WAITING_MOST 2000     // most transactions that wait at once

typedef struct Probe {
    const CosyModel *model;
    const char *path;
    uint64_t seed; // of the directions: each model has its own
    uint32_t calls, points, skipped, told;
    uint32_t states; // at the point that is looked at
    uint32_t states_room;
    size_t conditions_room;
    real *x, *here, *up, *down, *difference, *found, *direction;
    real noise; // of x', from rounding
    CosyCondition *now, *later, *earlier;
} Probe;

static Probe probe; // outputs() has no place for it

/* ---- Memory and numbers ------------------------------------------------------ */

static real draw(void)
{
    probe.seed = probe.seed * 6364136223846793005u + 1442695040888963407u;
    return (real)(probe.seed >> 33) / R(2147483648.0) - R(0.5);
}

static void *room(size_t size)
{
    void *p = calloc(1, size + 16);
    if (!p)
        exit(2);
    return p;
}

static void free_room(void)
{
    free(probe.x);
    free(probe.here);
    free(probe.up);
    free(probe.down);
    free(probe.difference);
    free(probe.found);
    free(probe.direction);
    free(probe.now);
    free(probe.later);
    free(probe.earlier);
}

/* For as many states and conditions as there are now: copies come and go. */
static void find_room(const Cosy *c)
{
    const CosyModel *m = probe.model;
    size_t most = m->conditions_most + m->n_conditions_info + m->branches + 1;
    most += (size_t)m->waits_most * WAITING_MOST;
    for (uint32_t p = 0; p < m->n_copies; p++)
        most += (size_t)c->copy[p].active * m->copies[p].conditions;
    uint32_t n = c->head->states + 1;
    probe.states = c->head->states;
    if (n <= probe.states_room && most <= probe.conditions_room)
        return;
    free_room();
    probe.states_room = n += n / 2;
    probe.conditions_room = most += most / 2;
    probe.x = room(n * sizeof(real));
    probe.here = room(n * sizeof(real));
    probe.up = room(n * sizeof(real));
    probe.down = room(n * sizeof(real));
    probe.difference = room(n * sizeof(real));
    probe.found = room(n * sizeof(real));
    probe.direction = room(n * sizeof(real));
    probe.now = room(most * sizeof(CosyCondition));
    probe.later = room(most * sizeof(CosyCondition));
    probe.earlier = room(most * sizeof(CosyCondition));
}

static real size_of(const real *v, uint32_t n)
{
    real most = 0;
    for (uint32_t k = 0; k < n; k++)
        most = cosy_fmax(most, cosy_fabs(v[k]));
    return most;
}

/* False, with a line about it, if the two numbers differ. */
static bool agree(real found, real expected, real scale, const char *what,
                  const char *where, real t)
{
    real limit = TOLERANCE * cosy_fabs(expected) + scale;
    if (cosy_fabs(found - expected) <= limit)
        return true;
    if (probe.told++ < TELL_MOST)
        printf("%s: %s of %s at %.9Lg: %.15Lg, difference %.15Lg\n", probe.path,
               what, where, (long double)t, (long double)found,
               (long double)expected);
    return false;
}

static const char *state_name(uint32_t place)
{
    for (uint32_t k = 0; k < probe.model->n_variables; k++) {
        const CosyVariable *v = &probe.model->variables[k];
        if (v->kind == COSY_STATE && v->process == COSY_NONE &&
            place >= v->place && place < v->place + v->rows * v->columns)
            return v->name;
    }
    return "?";
}

/* ---- Jacobian and tangent ------------------------------------------------------- */

/* x' at x + w direction. */
static bool moved(Cosy *c, real t, const real *x, real w, real *dx)
{
    const CosyModel *m = probe.model;
    real *there = probe.found; // for now
    for (uint32_t k = 0; k < probe.states; k++)
        there[k] = x[k] + w * probe.direction[k];
    return m->derivatives(c, t, there, dx) == COSY_OK;
}

/* A kink or the end of a domain shows in the difference between the two sides.
   Smooth functions differ by less than this. */
static bool is_smooth(const real *before, const real *here, const real *after)
{
    for (uint32_t k = 0; k < probe.states; k++) {
        real left = here[k] - before[k], right = after[k] - here[k];
        real size = cosy_fabs(left) + cosy_fabs(right);
        if (!(size < R(1e7)) ||
            cosy_fabs(left - right) > R(1e-2) * size + R(1e-12))
            return false;
    }
    return true;
}

/* Rounding errors of x', which may come from much larger values that cancel on the
   way: what it changes by where nothing but they can change it. */
static void measure_noise(Cosy *c, real t, const real *x)
{
    probe.noise = R(0.0);
    for (int k = 1; k <= 4; k++) {
        if (!moved(c, t, x, (real)k * R(4.0) * COSY_EPSILON, probe.up))
            return;
        for (uint32_t i = 0; i < probe.states; i++)
            probe.noise =
                cosy_fmax(probe.noise, cosy_fabs(probe.up[i] - probe.here[i]));
    }
}

/* Derivative of x' along `direction`, by differences of two widths; false if
   there is none here. */
static bool differences(Cosy *c, real t, const real *x)
{
    if (!moved(c, t, x, R(0.0), probe.here))
        return false;
    measure_noise(c, t, x);
    for (uint32_t k = 0; k < probe.states; k++)
        probe.difference[k] = 0;
    for (int width = 1; width <= 2; width++) {
        real w = WIDTH * (real)width;
        if (!moved(c, t, x, w, probe.up) || !moved(c, t, x, -w, probe.down) ||
            !is_smooth(probe.down, probe.here, probe.up))
            return false;
        for (uint32_t k = 0; k < probe.states; k++)
            probe.difference[k] += (width == 1 ? R(4.0) : R(-1.0)) / R(3.0) *
                                   (probe.up[k] - probe.down[k]) / (R(2.0) * w);
    }
    return true;
}

/* J times direction into found. */
static bool entries_product(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    uint32_t count = 0;
    bool right = m->pattern(c, NULL, NULL, &count) == COSY_OK;
    uint32_t *row = room(count * sizeof *row);
    uint32_t *column = room(count * sizeof *column);
    real *value = room(count * sizeof *value);
    right = right && m->pattern(c, row, column, &count) == COSY_OK &&
            m->jacobian(c, t, x, value) == COSY_OK;
    for (uint32_t k = 0; k < probe.states; k++)
        probe.found[k] = 0;
    for (uint32_t k = 0; right && k < count; k++) {
        CHECK(row[k] < probe.states && column[k] < probe.states);
        if (row[k] < probe.states && column[k] < probe.states)
            probe.found[row[k]] += value[k] * probe.direction[column[k]];
    }
    free(row);
    free(column);
    free(value);
    return right;
}

static bool product(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    if (m->jacobian)
        return entries_product(c, t, x);
    return m->tangent(c, t, x, probe.direction, NULL, probe.found) == COSY_OK;
}

/* How the rates of companions depend on the STATEs they accompany is known only as far
   as Newton's method needs it: they are integrated right whatever it is. */
static bool is_companion(const CosyModel *m, uint32_t place)
{
    for (uint32_t k = 0; k < m->n_companions; k++)
        if (m->companions[k].kind == COSY_STATE &&
            place - m->companions[k].place < m->companions[k].count)
            return true;
    return false;
}

static void check_direction(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    bool all = true;
    if (!differences(c, t, x)) {
        probe.skipped++;
        return;
    }
    bool had = product(c, t, x);
    CHECK(had);
    if (!had)
        return;
    // Two bodies of 293 K between which little heat flows: x' is what their
    // temperatures leave when they cancel, with the rounding of x.
    real largest =
        cosy_fmax(size_of(probe.up, probe.states), size_of(x, probe.states));
    real scale =
        TOLERANCE * size_of(probe.difference, probe.states) * R(1e-3) +
        (m->n_constraints ? ELIMINATED : R(1e-16)) +
        (R(64.0) * COSY_EPSILON * largest + R(2.0) * probe.noise) / WIDTH;
    for (uint32_t k = 0; k < probe.states; k++)
        all = (is_companion(m, k) ||
               agree(probe.found[k], probe.difference[k], scale, "derivative",
                     state_name(k), t)) &&
              all;
    CHECK(all);
}

/* Along single states for a few of them, then along all at once. */
static void check_jacobian(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    if ((!m->jacobian && !m->tangent) || probe.states == 0)
        return;
    for (uint32_t k = 0; k < probe.states; k++)
        probe.direction[k] = draw() * (R(1.0) + cosy_fabs(x[k]));
    check_direction(c, t, x);
    uint32_t only = (uint32_t)((draw() + R(0.5)) * (real)probe.states);
    for (uint32_t k = 0; k < probe.states; k++)
        probe.direction[k] =
            k == only % probe.states ? R(1.0) + cosy_fabs(x[k]) : R(0.0);
    check_direction(c, t, x);
}

/* ---- Conditions ---------------------------------------------------------------- */

/* Conditions at x + h x' into list. */
static bool conditions_at(Cosy *c, real t, const real *x, real h,
                          CosyCondition *list, uint32_t *count)
{
    const CosyModel *m = probe.model;
    real *moved = probe.difference, *dx = probe.found;
    for (uint32_t k = 0; k < probe.states; k++)
        moved[k] = x[k] + h * probe.direction[k];
    *count = 0;
    return m->derivatives(c, t + h, moved, dx) == COSY_OK &&
           m->conditions(c, t + h, moved, dx, list, count) == COSY_OK;
}

/* While HSTRS follows its input, z is a rate itself and has no dz; a wait whose
   condition calls functions is located without one. */
static bool has_slope(const CosyConditionInfo *info)
{
    if (info->kind == COSY_WAIT && info->scheme == COSY_REGULA)
        return false;
    return strncmp(info->name, "HSTRS(", 6) != 0;
}

static void check_conditions(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    uint32_t now, later, earlier;
    real h = WIDTH;
    if (!m->conditions || !m->derivatives ||
        m->derivatives(c, t, x, probe.direction) != COSY_OK)
        return;
    real fastest = size_of(probe.direction, probe.states);
    if (!conditions_at(c, t, x, R(0.0), probe.now, &now)) {
        probe.skipped++;
        return;
    }
    for (uint32_t k = 0; k < now; k++)
        fastest = cosy_fmax(fastest, cosy_fabs(probe.now[k].dz));
    if (fastest > R(1.0) && cosy_finite(fastest))
        h /= fastest;
    if (!conditions_at(c, t, x, h, probe.later, &later) ||
        !conditions_at(c, t, x, -h, probe.earlier, &earlier)) {
        probe.skipped++;
        return;
    }
    CHECK(now == later && now == earlier);
    for (uint32_t k = 0; k < now && now == later && now == earlier; k++) {
        const CosyConditionInfo *info = &m->conditions_info[probe.now[k].id];
        real slope = (probe.later[k].z - probe.earlier[k].z) / (R(2.0) * h);
        if (probe.now[k].id == probe.later[k].id && has_slope(info))
            CHECK(agree(probe.now[k].dz, slope,
                        TOLERANCE *
                            (R(1e-2) + R(1e-3) * cosy_fabs(probe.now[k].z)),
                        "dz", info->name, t));
    }
}

static CosyStatus probe_outputs(Cosy *c, real t, const real *x)
{
    const CosyModel *m = probe.model;
    CosyStatus status = m->outputs ? m->outputs(c, t, x) : COSY_OK;
    probe.calls++;
    if (status != COSY_OK || probe.points >= POINTS ||
        c->head->states > STATES_MOST ||
        (probe.calls > 10 && probe.calls % 7 != 0))
        return status;
    probe.points++;
    find_room(c);
    check_conditions(c, t, x);
    check_jacobian(c, t, x);
    /* A delay that depends on states would leave the recorded past. */
    for (uint32_t k = 0; k < probe.states && m->delays == NULL; k++)
        probe.x[k] = x[k] + R(0.1) * draw() * (R(0.1) + cosy_fabs(x[k]));
    if (m->delays == NULL)
        check_jacobian(c, t, probe.x);
    return m->outputs ? m->outputs(c, t, x) : COSY_OK;
}

/* ---- From text to code ------------------------------------------------------------ */

static bool translate(const char *path, Buffer *out)
{
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    bool right = false;
    LowerOptions o = {0};
    const Model *m = NULL;
    if (front_read(&unit, &arena, &diags, path, PASS_CHECK, &right, &fault) ==
            STATUS_OK &&
        right)
        m = front_model(&unit, &o, PASS_DERIVE);
    right = m && diags.errors == 0 && emit_model(m, out);
    arena_free(&arena);
    return right;
}

/* Enough points have been checked. */
static bool go_on(void *user, const KernelProgress *p)
{
    (void)user, (void)p;
    return probe.points < POINTS;
}

/* WENO: the Jacobian takes the shares of its parabolas for constants, on purpose. With
   many points of FIELDs, runs in this precision take long and show nothing new. */
static bool is_left_out(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_fields; k++)
        if (strncmp(m->fields[k].scheme, "WENO", 4) == 0 ||
            m->states > FIELDS_MOST)
            return true;
    return false;
}

static void check_model(const char *path, const char *cache)
{
    Buffer text = {0};
    Loaded l = {0};
    Fault f = {0};
    if (!translate(path, &text)) {
        buffer_free(&text);
        return; // a model with mistakes, or one that cannot be run yet
    }
    LoadRequest r = {.name = path,
                     .text = (const char *)text.v.bytes,
                     .length = text.v.used,
                     .precision = COSY_PRECISION,
                     .backend = LOAD_TCC,
                     .cache = cache};
    CHECK(load_compile(&l, &r, &f) == STATUS_OK);
    if (l.model && !is_left_out(l.model)) {
        const LoadFunction *external = NULL;
        Trial t;
        probe = (Probe){.model = l.model, .path = path, .seed = 7};
        CosyModel own = *(const CosyModel *)l.model;
        own.outputs = probe_outputs;
        if (load_externals(&l, NULL, &external, &f) == STATUS_OK) {
            trial_of(&t, &own, COSY_PRECISION,
                     &(KernelOptions){.threads = 1,
                                      .method = "RADAU5",
                                      .progress = go_on,
                                      .limit_events = 2000,
                                      .external = external});
            trial_end(&t);
        }
        printf("%s: %u points, %u skipped, %s, %u conditions\n", path,
               probe.points, probe.skipped,
               own.jacobian  ? "entries"
               : own.tangent ? "tangent"
                             : "differences",
               own.n_conditions_info);
        free_room();
    } else {
        printf("%s: %s\n", path, f.text);
    }
    load_close(&l);
    buffer_free(&text);
}

static int is_model(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".cosy") == 0 &&
           strcmp(entry->d_name, "step-tiny.cosy") != 0; // which does not end
}

/* A model, or all of a folder. */
static void check_models(const char *path, const char *cache)
{
    struct dirent **entry;
    int n = scandir(path, &entry, is_model, alphasort);
    if (n < 0)
        check_model(path, cache);
    for (int k = 0; k < n; k++) {
        char model[2000];
        snprintf(model, sizeof model, "%s/%s", path, entry[k]->d_name);
        check_model(model, cache);
        free(entry[k]);
    }
    if (n >= 0)
        free(entry);
}

int main(int n, char **models)
{
    const char *folder = trial_folder();
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int k = 1; k < n; k++)
        check_models(models[k], trial_path(folder, "cache"));
    trial_remove(folder);
    return check_end();
}
