#include "solve/method.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/method_facts.h"
#include "base/text.h"
#include "cosy/unit.h"
#include "solve/auto.h"
#include "solve/linear.h"
#include "solve/methods.h"

/* ---- Methods ------------------------------------------------------------ */

/* For cases in which AUTO has nothing to choose: a fixed step, a mass matrix, a
   residual. */
#define PLAIN_METHOD    "DOPRI5"
#define STIFF_METHOD    "RADAU"
#define RESIDUAL_METHOD "IDA"

typedef struct Entry {
    const char *name;
    const Method *method;
} Entry;

static const Entry entries[] = {
#if COSY_PRECISION == 1
#define IN_DOUBLE(name, table) {#name, &method_##table},
#else
#define IN_DOUBLE(name, table)
#endif
#define IN_ALL(name, table) {#name, &method_##table},
#define METHOD(name, table, kind, step, reach, precisions, what)               \
    IN_##precisions(name, table)
#include "base/methods.def"
#undef METHOD
};

const Method *method_find(const char *name)
{
    for (size_t k = 0; k < LENGTH(entries); k++)
        if (name_same(name, entries[k].name))
            return entries[k].method;
    return NULL;
}

const Method *method_list(size_t k)
{
    for (size_t e = 0; e < LENGTH(entries); e++) {
        bool alias = e > 0 && entries[e].method == entries[e - 1].method;
        if (!alias && k-- == 0)
            return entries[e].method;
    }
    return NULL;
}

static Status no_such_method(Fault *f, const char *name)
{
    const MethodFacts *m = method_facts_find(name);
    Buffer all = {0};
    if (m != NULL && m->only_double)
        return fault_set(f, STATUS_USAGE,
                         "METHOD %s works in PRECISION = DOUBLE only: take %s",
                         m->name, m->implicit ? "RADAU" : "DOP853");
    method_facts_list(&all, ", ", COSY_PRECISION == 1);
    fault_set(f, STATUS_USAGE, "there is no METHOD %s: there are %s", name,
              buffer_string(&all));
    buffer_free(&all);
    return STATUS_USAGE;
}

/* ---- Memory ------------------------------------------------------------- */

Status solver_keep(Solver *s, const char *name, void *fixed, size_t size)
{
    if (s->image == NULL)
        return STATUS_OK;
    return image_add(s->image, s->arena, name, fixed, size);
}

static Status keep_all(Solver *s)
{
    static const char *const vectors[SOLVER_VECTORS] = {
        "solver.x",    "solver.dx",     "solver.x0",    "solver.dx0",
        "solver.size", "solver.abserr", "solver.least", "solver.own1",
        "solver.own2", "solver.own3",   "solver.own4",  "solver.own5"};

    if (s->image == NULL)
        return STATUS_OK;
    for (size_t k = 0; k < SOLVER_VECTORS; k++)
        TRY(image_add_vector(s->image, s->arena, vectors[k], &s->memory[k]));
    TRY(solver_keep(s, "solver.n", &s->n, sizeof s->n));
    TRY(solver_keep(s, "solver.direction", &s->direction, sizeof s->direction));
    TRY(solver_keep(s, "solver.structure", &s->structure, sizeof s->structure));
    TRY(solver_keep(s, "solver.t", &s->t, sizeof s->t));
    TRY(solver_keep(s, "solver.t0", &s->t0, sizeof s->t0));
    TRY(solver_keep(s, "solver.h", &s->h, sizeof s->h));
    TRY(solver_keep(s, "solver.goes_on", &s->goes_on, sizeof s->goes_on));
    TRY(solver_keep(s, "solver.measured", &s->measured, sizeof s->measured));
    TRY(solver_keep(s, "solver.culprit", &s->culprit, sizeof s->culprit));
    TRY(solver_keep(s, "solver.cause", &s->cause, sizeof s->cause));
    TRY(solver_keep(s, "solver.refused", &s->refused, sizeof s->refused));
    TRY(image_add_vector(s->image, s->arena, "solver.blamed", &s->blamed));
    TRY(solver_keep(s, "solver.blamed_steps", &s->blamed_steps,
                    sizeof s->blamed_steps));
    TRY(solver_keep(s, "solver.stiffness", &s->stiffness, sizeof s->stiffness));
    return solver_keep(s, "solver.counts", &s->counts, sizeof s->counts);
}

Status solver_room(Solver *s, size_t k, size_t count)
{
    Vector *v = &s->memory[k];
    size_t size = count * sizeof(real);
    bool there = vector_reserve(v, sizeof(real)); // no pointer is NULL
    if (there && size <= v->used)
        v->used = size;
    else if (!there || !vector_append(v, NULL, size - v->used))
        return fault_set(s->fault, STATUS_MEMORY,
                         "no memory for %zu numbers of %s", count,
                         s->method->name);
    return STATUS_OK;
}

/* A model that is not solved for its derivatives needs a method that works
   without them; conditions need them in any case. */
static Status check_residual(Solver *s)
{
    const CosyModel *m = s->model;
    if (m->derivatives != NULL || m->residual == NULL)
        return STATUS_OK;
    if ((s->method->features & METHOD_RESIDUAL) == 0)
        return fault_set(s->fault, STATUS_USAGE,
                         "METHOD %s needs equations that are solved for the "
                         "derivatives; choose IDA, with PRECISION = DOUBLE",
                         s->method->name);
    if (m->conditions != NULL)
        return fault_set(s->fault, STATUS_UNSUPPORTED,
                         "%s has state conditions, and equations that are not "
                         "solved for the derivatives: one of them must go",
                         m->name);
    return STATUS_OK;
}

/* Refuses options that no step could meet. */
static Status check_options(Solver *s)
{
    const SolverOptions *o = &s->options;
    if (o->relerr < R(0.0) || o->abserr < R(0.0) || o->dtmin < R(0.0) ||
        o->dtmax < R(0.0) || o->step < R(0.0))
        return fault_set(s->fault, STATUS_USAGE,
                         "RELERR, ABSERR, DTMIN, DTMAX and STEP must be "
                         "positive");
    if (o->relerr < R(10.0) * COSY_EPSILON)
        return fault_set(s->fault, STATUS_USAGE,
                         "RELERR = %g is below what this precision can "
                         "resolve; give at least %g, or a higher PRECISION",
                         (double)o->relerr, (double)(R(10.0) * COSY_EPSILON));
    if ((s->method->features & METHOD_FIXED) != 0 && o->step == R(0.0))
        return fault_set(
            s->fault, STATUS_USAGE,
            "METHOD %s does not choose its step; give STEP = h, or choose %s",
            s->method->name, PLAIN_METHOD);
    if (s->model->mass_kind != COSY_MASS_IDENTITY &&
        (s->method->features & METHOD_MASS) == 0)
        return fault_set(
            s->fault, STATUS_USAGE,
            "METHOD %s cannot integrate a model with equations that are not "
            "solved for one derivative each; choose %s",
            s->method->name, STIFF_METHOD);
    return check_residual(s);
}

/* The only method possible for this model with these options, or NULL if there
   are several. */
static const char *only_method(const Solver *s)
{
    const CosyModel *m = s->model;
    if (m->derivatives == NULL && m->residual != NULL && COSY_PRECISION == 1)
        return RESIDUAL_METHOD;
    if (m->mass_kind != COSY_MASS_IDENTITY)
        return STIFF_METHOD;
    return s->options.step != R(0.0) ? PLAIN_METHOD : NULL;
}

/* Takes the method requested, or AUTO. */
static Status choose_method(Solver *s, const char *name)
{
    if (name == NULL || name_same(name, "AUTO")) {
        name = only_method(s);
        s->automatically = name == NULL;
        if (name == NULL)
            name = PLAIN_METHOD; // until auto_create
    }
    s->method = method_find(name);
    return s->method != NULL ? STATUS_OK : no_such_method(s->fault, name);
}

static Status create_method(Solver *s)
{
    return s->method->create != NULL ? s->method->create(s) : STATUS_OK;
}

Status solver_create(Solver *s, Cosy *c, const SolverOptions *o, Arena *arena,
                     Image *image, Fault *fault)
{
    memset(s, 0, sizeof *s);
    s->c = c;
    s->model = c->model;
    s->arena = arena;
    s->image = image;
    s->fault = fault;
    s->options = *o;
    if (o->relerr == R(0.0))
        s->options.relerr = R(1e-6);
    s->direction = 1;
    s->culprit = COSY_NONE;
    TRY(choose_method(s, o->method));
    TRY(check_options(s));
    TRY(keep_all(s));
    return s->automatically ? auto_create(s) : create_method(s);
}

Status solver_complete(Solver *s)
{
    return auto_complete(s);
}

/* Nothing is known about these states so far. */
#define UNKNOWN R(-1.0)

Status solver_move(Solver *s, const Moves *m, Vector *scratch)
{
    Vector *least = &s->memory[SOLVER_LEAST];
    if (s->x == NULL)
        return STATUS_OK;
    s->goes_on = moves_keep(m) && (s->method->features & METHOD_SAVES);
    bool done =
        moves_apply(m, &s->memory[SOLVER_SIZE], sizeof(real), scratch) &&
        moves_apply(m, least, sizeof(real), scratch) &&
        (!s->blames || moves_apply(m, &s->blamed, sizeof(uint64_t), scratch));
    if (!done)
        return STATUS_MEMORY;
    moves_fill(m, (real *)(void *)least->bytes, UNKNOWN);
    s->size = (real *)(void *)s->memory[SOLVER_SIZE].bytes;
    s->least = (real *)(void *)least->bytes;
    return STATUS_OK;
}

Status solver_resize(Solver *s, uint32_t n)
{
    size_t known =
        s->model->n_copies ? s->memory[SOLVER_LEAST].used / sizeof(real) : 0;
    for (size_t k = 0; k < SOLVER_OWN; k++)
        TRY(solver_room(s, k, n));
    if (s->blames && !vector_fit(&s->blamed, n * sizeof(uint64_t)))
        return STATUS_MEMORY;
    s->n = n;
    s->structure = s->c->head ? s->c->head->structure : 0; // none in tests
    s->measured = false;
    for (size_t i = known; i < n; i++)
        ((real *)(void *)s->memory[SOLVER_LEAST].bytes)[i] = UNKNOWN;
    if (s->method->resize != NULL)
        TRY(s->method->resize(s));
    return solver_attach(s);
}

Status solver_attach(Solver *s)
{
    auto_attach(s);
    s->largest = R(0.0);
    real **const pointer[SOLVER_OWN] = {&s->x,    &s->dx,     &s->x0,   &s->dx0,
                                        &s->size, &s->abserr, &s->least};
    for (size_t k = 0; k < SOLVER_OWN; k++) {
        if (s->memory[k].used != s->n * sizeof(real))
            return fault_set(s->fault, STATUS_IMAGE,
                             "a snapshot of %s does not have its %u states",
                             s->model->name, (unsigned)s->n);
        *pointer[k] = (real *)(void *)s->memory[k].bytes;
    }
    return s->method->attach != NULL ? s->method->attach(s) : STATUS_OK;
}

static void destroy_method(Solver *s)
{
    if (s->method != NULL && s->method->destroy != NULL && s->impl != NULL)
        s->method->destroy(s);
    s->impl = NULL;
}

void solver_free(Solver *s)
{
    auto_free(s);
    destroy_method(s);
    for (size_t k = 0; k < SOLVER_VECTORS; k++)
        vector_free(&s->memory[k]);
    vector_free(&s->blamed);
}

/* ---- Stiffness ---------------------------------------------------------- */

const char *solver_methods(const Solver *s)
{
    if (s->automatic != NULL)
        return auto_names(s);
    return s->method != NULL ? s->method->name : "";
}

const char *solver_stamp(const Solver *s)
{
    return s->automatic != NULL ? "AUTO" : s->method->name;
}

static void tell(const Solver *s, CosySeverity severity, const char *what)
{
    char text[200];
    const CosyHost *host = s->c->host;
    if (host == NULL || host->message == NULL)
        return;
    snprintf(text, sizeof text, "time %.15g%s%s: %s", (double)s->t,
             COSY_IN_TIME(s->model), what);
    host->message(s->c, severity, 0, text);
}

void solver_note_stiff(Solver *s)
{
    char text[120];
    if (s->stiffness != SOLVER_NOT_STIFF)
        return;
    s->stiffness = s->automatic != NULL ? SOLVER_HANDS_OVER : SOLVER_WARNED;
    if (s->automatic != NULL)
        return;
    snprintf(text, sizeof text,
             "the model has become stiff: METHOD %s would be quicker than %s",
             COSY_PRECISION == 1 ? STIFF_METHOD " or GEAR" : STIFF_METHOD,
             s->method->name);
    tell(s, COSY_WARNING, text);
}

Status solver_hand_over(Solver *s, real limit)
{
    TRY(auto_stiff(s));
    return s->method->step(s, limit);
}

/* ---- Sizes and tolerances ----------------------------------------------- */

/* A method of order 1 cannot follow t^2 with six digits from its first trace
   on: the tolerance of such a state shrinks step by step to what its size
   requires. */
static real still_allowed(bool climbs, real least, real abserr)
{
    return climbs && least > R(0.0) ? R(0.01) * abserr : R(0.0);
}

/* What the size of a state allows, when ABSERR is not given. */
static real own_abserr(const Solver *s, real size, real least)
{
    real known = size > R(0.0) ? size : R(1.0);
    return cosy_max(R(1e-3) * s->options.relerr * known, least);
}

static void set_abserr(Solver *s)
{
    bool climbs = (s->method->features & METHOD_CLIMBS) != 0;
    real given = s->options.abserr;
    const real *restrict size = s->size, *restrict least = s->least;
    real *restrict abserr = s->abserr;
    for (uint32_t i = 0, n = s->n; i < n; i++)
        abserr[i] = given > R(0.0)
                        ? given
                        : cosy_max(own_abserr(s, size[i], least[i]),
                                   still_allowed(climbs, least[i], abserr[i]));
}

static real range_size(const CosyVariable *v)
{
    if (v == NULL || v->low > v->high)
        return R(0.0);
    real size = cosy_max(cosy_abs(v->low), cosy_abs(v->high));
    return cosy_finite(size) ? size : R(0.0);
}

/* Elements of an array have one size, that of the largest: a wave that enters
   an array of zeros must not be followed to six digits from its first trace of
   1e-100 on. */
static void share_sizes(Solver *s)
{
    const CosyModel *m = s->model;
    s->shares = false;
    for (uint32_t v = 0; v < m->n_variables; v++) {
        const CosyVariable *variable = &m->variables[v];
        uint32_t count = variable->rows * variable->columns;
        if (variable->kind != COSY_STATE || variable->process != COSY_NONE ||
            count < 2)
            continue;
        s->shares = true;
        real *size = s->size + variable->place, largest = R(0.0);
        for (uint32_t i = 0; i < count; i++)
            largest = cosy_max(largest, size[i]);
        for (uint32_t i = 0; i < count; i++)
            size[i] = largest;
    }
}

/* Follows a change of sizes. A state about which nothing was known at the start
   (zero, no RANGE) counts as 1 until it moves. From then on its own size
   counts, but never so small that rounding errors of the largest state would
   have to be integrated to six digits. */
static void set_tolerances(Solver *s)
{
    real largest = R(0.0);
    const real *restrict size = s->size;
    real *restrict least = s->least;
    share_sizes(s);
    for (uint32_t i = 0, n = s->n; i < n; i++)
        largest = cosy_max(largest, size[i]);
    for (uint32_t i = 0, n = s->n; i < n; i++)
        if (least[i] > R(0.0))
            least[i] = cosy_max(least[i], R(4.0) * COSY_EPSILON * largest);
    s->largest = largest;
    set_abserr(s);
}

/* The size of a state about which nothing is known so far. */
static real first_size(const Solver *s, uint32_t i, real x, uint32_t *near)
{
    const real *nominal = s->model->nominal;
    real own = i < s->model->states && nominal ? cosy_abs(nominal[i]) : R(0.0);
    real range = range_size(solver_variable(s, i, near));
    return cosy_max(cosy_max(own, range), cosy_abs(x));
}

void solver_measure(Solver *s, const real *x)
{
    real *restrict size = s->size, *restrict least = s->least;
    uint32_t near = 0, n = s->n;
    if (s->measured)
        return;
    for (uint32_t i = 0; i < n; i++) {
        real now = cosy_abs(x[i]);
        if (COSY_RARELY(least[i] == UNKNOWN))
            now = first_size(s, i, x[i], &near);
        size[i] = cosy_max(size[i], now);
    }
    share_sizes(s);
    for (uint32_t i = 0; i < n; i++)
        if (least[i] == UNKNOWN)
            least[i] = size[i] > R(0.0) ? R(0.0) : COSY_REAL_MIN;
    set_tolerances(s);
    s->measured = true;
}

/* True if all of v is finite; may also be false for numbers so large that their
   sum is not. */
static bool surely_finite(const real *v, uint32_t n)
{
    real a = R(0.0), b = R(0.0);
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += v[i];
        b += v[i + 1];
        a += v[i + 2];
        b += v[i + 3];
    }
    for (; i < n; i++)
        a += v[i];
    return cosy_finite(a + b);
}

/* Takes x into account; false if it is not finite. Sizes matter only if ABSERR
   is not given. That of a state that is no element of an array matters to others
   only if it is the largest of all. */
static bool grow_sizes(Solver *s)
{
    bool climbs = (s->method->features & METHOD_CLIMBS) != 0, all = climbs;
    if (s->options.abserr > R(0.0) && surely_finite(s->x, s->n))
        return true;
    for (uint32_t i = 0; i < s->n; i++) {
        if (cosy_abs(s->x[i]) <= s->size[i])
            continue;
        if (!cosy_finite(s->x[i])) {
            s->culprit = i;
            s->cause = COSY_OK;
            return false;
        }
        s->size[i] = cosy_abs(s->x[i]);
        if (s->size[i] > s->largest || (s->shares && i < s->model->states))
            all = true;
        else if (!climbs) // set_abserr needs to know what was allowed so far
            s->abserr[i] = own_abserr(s, s->size[i], s->least[i]);
    }
    if (all)
        set_tolerances(s);
    return true;
}

/* ---- For methods -------------------------------------------------------- */

Status solver_begin(Solver *s)
{
    if (!s->goes_on)
        s->h = R(0.0);
    s->goes_on = false;
    s->t0 = s->t;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!cosy_finite(s->x[i])) {
            s->culprit = i;
            s->cause = COSY_OK;
            return solver_give_up(s, STATUS_NUMBER);
        }
    }
    solver_measure(s, s->x);
    grow_sizes(s);
    Status status = solver_rhs(s, s->t, s->x, s->dx);
    if (status != STATUS_OK)
        return solver_give_up(s, status);
    memcpy(s->x0, s->x, s->n * sizeof(real));
    memcpy(s->dx0, s->dx, s->n * sizeof(real));
    return STATUS_OK;
}

Status solver_accept(Solver *s)
{
    if (!grow_sizes(s))
        return STATUS_NUMBER;
    s->counts.steps++;
    return STATUS_OK;
}

static Status status_of(CosyStatus cause)
{
    switch (COSY_REASON(cause)) {
    case COSY_OK: return STATUS_OK;
    case COSY_NUMBER:
    case COSY_OVERFLOW:
    case COSY_INDEX: return STATUS_NUMBER;
    case COSY_NEWTON: return STATUS_NEWTON;
    case COSY_SINGULAR: return STATUS_SINGULAR;
    case COSY_NO_MEMORY: return STATUS_MEMORY;
    case COSY_REFUSED: return STATUS_USER;
    case COSY_SELECTOR:
    case COSY_FRACTION:
    case COSY_ABSENT:
    case COSY_BUG: break;
    case COSY_STOPPED: return STATUS_STOPPED;
    }
    return STATUS_MODEL;
}

Status solver_rhs(Solver *s, real t, const real *x, real *dx)
{
    uint32_t n = s->n;
    // Conditions on time alone; or a residual, from which the method finds dx.
    if (n == 0 || s->model->derivatives == NULL)
        return STATUS_OK;
    s->counts.rhs++;
    CosyStatus cause = s->model->derivatives(s->c, t, x, dx);
    if (cause != COSY_OK) {
        s->cause = cause;
        s->culprit = COSY_NONE;
        s->refused++;
        return status_of(cause);
    }
    if (surely_finite(dx, n))
        return STATUS_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (!cosy_finite(dx[i])) {
            s->refused++;
            s->cause = COSY_OK;
            s->culprit = i;
            return STATUS_NUMBER;
        }
    }
    return STATUS_OK;
}

void solver_scale(const Solver *s, const real *xa, const real *xb, real *weight)
{
    real relerr = s->options.relerr;
    for (uint32_t i = 0; i < s->n; i++)
        weight[i] =
            s->abserr[i] + relerr * cosy_max(cosy_abs(xa[i]), cosy_abs(xb[i]));
}

/* The quotient is formed only for an element that may be the largest so far. */
static inline bool raise_norm(real e, real weight, real *norm)
{
    if (e <= *norm * weight)
        return false;
    *norm = e / weight;
    return true;
}

real solver_norm(const Solver *s, const real *e, const real *weight,
                 uint32_t *where)
{
    real norm = R(0.0);
    for (uint32_t i = 0; i < s->n; i++) {
        if (raise_norm(cosy_abs(e[i]), weight[i], &norm)) {
            *where = i;
            if (!cosy_finite(norm))
                return COSY_REAL_MAX;
        }
    }
    return norm;
}

real solver_error(const Solver *s, const real *xa, const real *xb,
                  const real *e, uint32_t *where)
{
    const real *abserr = s->abserr;
    real relerr = s->options.relerr;
    real norm = R(0.0);
    for (uint32_t i = 0; i < s->n; i++) {
        real x = cosy_max(cosy_abs(xa[i]), cosy_abs(xb[i]));
        if (raise_norm(cosy_abs(e[i]), abserr[i] + relerr * x, &norm)) {
            *where = i;
            if (!cosy_finite(norm))
                return COSY_REAL_MAX;
        }
    }
    return norm;
}

/* Says whether a rejected trial is counted; its states follow. */
static uint64_t *blame_begin(Solver *s)
{
    if (!s->blames || s->blamed.used < s->n * sizeof(uint64_t))
        return NULL;
    s->blamed_steps++;
    return (uint64_t *)(void *)s->blamed.bytes;
}

void solver_blame(Solver *s, const real *xa, const real *xb, const real *e)
{
    uint64_t *count = blame_begin(s);
    bool any = false;
    for (uint32_t i = 0; count && i < s->n; i++) {
        real x = cosy_max(cosy_abs(xa[i]), cosy_abs(xb[i]));
        if (cosy_abs(e[i]) <= s->abserr[i] + s->options.relerr * x)
            continue;
        count[i]++;
        any = true;
    }
    if (count && !any && s->culprit < s->n)
        count[s->culprit]++;
}

void solver_blame_by(Solver *s, const double *share)
{
    uint64_t *count = blame_begin(s);
    uint32_t most = 0;
    for (uint32_t i = 0; count && i < s->n; i++) {
        count[i] += share[i] > 1.0;
        most = share[i] > share[most] ? i : most;
    }
    if (count && share[most] <= 1.0)
        count[most]++;
}

bool solver_too_small(const Solver *s, real h)
{
    h = cosy_abs(h);
    return h < s->options.dtmin || h < COSY_REAL_MIN ||
           h <= R(4.0) * COSY_EPSILON * cosy_abs(s->t);
}

/* The change of dx along an explicit Euler step of h, per unit of time; h is
   made smaller until the model can be evaluated. */
static Status second_derivative(Solver *s, real *h, real *scratch, real *norm)
{
    real *x = scratch, *dx = scratch + s->n;
    uint32_t where = 0;
    for (;; *h *= R(0.1)) {
        for (uint32_t i = 0; i < s->n; i++)
            x[i] = s->x[i] + *h * s->dx[i];
        Status status = solver_rhs(s, s->t + *h, x, dx);
        if (status == STATUS_OK)
            break;
        if (solver_too_small(s, *h * R(0.1)))
            return solver_give_up(s, status);
    }
    for (uint32_t i = 0; i < s->n; i++)
        dx[i] -= s->dx[i];
    *norm = solver_error(s, s->x, s->x, dx, &where) / cosy_abs(*h);
    return STATUS_OK;
}

Status solver_first_step(Solver *s, int order, real limit, real *scratch,
                         real *h)
{
    real most = cosy_abs(limit - s->t);
    if (s->options.dtmax > R(0.0))
        most = cosy_min(most, s->options.dtmax);

    uint32_t where = 0;
    real d0 = solver_error(s, s->x, s->x, s->x, &where);
    real d1 = solver_error(s, s->x, s->x, s->dx, &where);
    real h0 = d0 < R(1e-5) || d1 < R(1e-5) ? R(1e-6) * most : R(0.01) * d0 / d1;
    h0 = s->direction * cosy_min(h0, most);

    real d2 = R(0.0);
    TRY(second_derivative(s, &h0, scratch, &d2));
    real d = cosy_max(d1, d2);
    h0 = cosy_abs(h0);
    real h1 = d <= R(1e-15) ? cosy_max(R(1e-6) * most, h0 * R(1e-3))
                            : cosy_pow(R(0.01) / d, R(1.0) / (real)(order + 1));
    real chosen = cosy_min(cosy_min(R(100.0) * h0, h1), most);
    *h = s->direction * cosy_max(chosen, s->options.dtmin);
    return STATUS_OK;
}
