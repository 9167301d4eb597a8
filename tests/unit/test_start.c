/* Models with constraints: the start of a run, modes that are entered, what is
   restored along the way. The model is a mass on a rod, or free:

   VAR STATE X, Y, VX, VY; ALGEBR F, S, X';                              // 2
     X' = VX; Y' = VY; VX' = -F*X; VY' = -F*Y - G;                       // 3
     CASE MODE OF 0: F = 0 END; 1: X^2 + Y^2 = L^2 END                   // 4
     S = X + 2*Y;                                                        // 5
     CONDIT CATCH: TIME CROSSES 0.5 POS                                  // 6 */

#include "run/kernel.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "cosy/model.h"
#include "stats/number.h"

typedef struct Data {
    real G, L, F, S, RATE;
    int64_t MODE;
    real CATCH[4];   // the states that the event assigns,
    int64_t ASSIGNS; // if it does
} Data;

enum { X, Y, VX, VY, STATES };
enum { V_X, V_Y, V_VX, V_VY, V_G, V_L, V_F, V_S, V_RATE, V_MODE, VARIABLES };

static const CosyVariable variables[VARIABLES] = {
    [V_X] = COSY_STATES("X", X, 1, "", 2),
    [V_Y] = COSY_STATES("Y", Y, 1, "", 2),
    [V_VX] = COSY_STATES("VX", VX, 1, "", 2),
    [V_VY] = COSY_STATES("VY", VY, 1, "", 2),
    [V_G] = COSY_DATA(Data, G, REAL, REAL, "", 1),
    [V_L] = COSY_DATA(Data, L, REAL, REAL, "", 1),
    [V_F] = COSY_DATA(Data, F, ALGEBR, REAL, "", 2),
    [V_S] = COSY_DATA(Data, S, ALGEBR, REAL, "", 2),
    [V_RATE] = {.name = "X'",
                .unit = "",
                .comment = "",
                .kind = COSY_ALGEBR,
                .type = COSY_TYPE_REAL,
                .place = offsetof(Data, RATE),
                .rows = 1,
                .columns = 1,
                .process = COSY_NONE,
                .derivative = V_X,
                .low = R(1.0),
                .line = 2},
    [V_MODE] = COSY_DATA(Data, MODE, REAL, INTEGER, "", 1),
};

enum {
    EQ_ROD,
    EQ_ROD_1,
    EQ_EQUAL,
    EQ_TWICE,
    EQ_FAR,
    EQ_STEEP,
    EQ_CUBIC,
    EQUATIONS
};

static const CosyEquation equations[EQUATIONS] = {
    [EQ_ROD] = {COSY_NONE, 4, "X^2 + Y^2 = L^2", false},
    [EQ_ROD_1] = {COSY_NONE, 4, "derivative of X^2 + Y^2 = L^2", false},
    [EQ_EQUAL] = {COSY_NONE, 11, "X = Y", true},
    [EQ_TWICE] = {COSY_NONE, 12, "2*X = 2*Y + 1", true},
    [EQ_FAR] = {COSY_NONE, 13, "X + Y = 5", true},
    [EQ_STEEP] = {COSY_NONE, 14, "EXP(VX) = 100", true},
    [EQ_CUBIC] = {COSY_NONE, 15, "VX^3 + 2 = 2*VX", true},
};
static const CosyConstraint constraints_info[] = {{0, 1, EQ_ROD, 0, 0, 0},
                                                  {1, 1, EQ_ROD_1, 1, 0, 0}};
static const CosyStart starts[] = {{EQ_EQUAL, 11},
                                   {EQ_TWICE, 12},
                                   {EQ_FAR, 13},
                                   {EQ_STEEP, 14},
                                   {EQ_CUBIC, 15}};
enum { START_EQUAL, START_TWICE, START_FAR, START_STEEP, START_CUBIC };

static const CosyEventInfo state_events[] = {{.name = "CATCH", .line = 7}};
static const CosyConditionInfo conditions_info[] = {
    {"CATCH", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), 0, COSY_NONE, 0, false, 6,
     0}};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.G = R(9.81), .L = R(1.0), .MODE = 1};
    return COSY_OK;
}

static real force(const Data *d, const real *x)
{
    if (d->MODE == 0)
        return R(0.0);
    return (x[VX] * x[VX] + x[VY] * x[VY] - d->G * x[Y]) /
           (x[X] * x[X] + x[Y] * x[Y]);
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    real f = force(d, x);
    (void)t;
    dx[X] = x[VX];
    dx[Y] = x[VY];
    dx[VX] = -f * x[X];
    dx[VY] = -f * x[Y] - d->G;
    return COSY_OK;
}

static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    (void)t;
    d->F = force(d, x);
    d->S = x[X] + R(2.0) * x[Y];
    d->RATE = x[VX];
    return cosy_finite(d->F) ? COSY_OK : COSY_FAIL(COSY_NUMBER, EQ_ROD);
}

static CosyStatus constraints(Cosy *c, real t, const real *x, real *g,
                              uint8_t *active)
{
    const Data *d = c->data;
    (void)t;
    active[0] = active[1] = d->MODE == 1;
    g[0] = x[X] * x[X] + x[Y] * x[Y] - d->L * d->L;
    g[1] = x[X] * x[VX] + x[Y] * x[VY];
    return COSY_OK;
}

static CosyStatus constraint_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                     uint32_t *count)
{
    (void)c;
    *count = 8;
    for (uint32_t k = 0; row && k < 8; k++) {
        row[k] = k / 4;
        column[k] = k % 4;
    }
    return COSY_OK;
}

static CosyStatus constraint_jacobian(Cosy *c, real t, const real *x,
                                      real *value)
{
    const real g[] = {R(2.0) * x[X], R(2.0) * x[Y], R(0.0), R(0.0),
                      x[VX],         x[VY],         x[X],   x[Y]};
    (void)c;
    (void)t;
    memcpy(value, g, sizeof g);
    return COSY_OK;
}

static CosyStatus start(Cosy *c, uint32_t k, real *r)
{
    switch (k) {
    case START_EQUAL: *r = c->x[X] - c->x[Y]; break;
    case START_TWICE: *r = R(2.0) * (c->x[X] - c->x[Y]) - R(1.0); break;
    case START_FAR: *r = c->x[X] + c->x[Y] - R(5.0); break;
    case START_STEEP: *r = cosy_exp(c->x[VX]) - R(100.0); break;
    case START_CUBIC:
        *r = c->x[VX] * c->x[VX] * c->x[VX] + R(2.0) - R(2.0) * c->x[VX];
        break;
    default: return COSY_FAIL(COSY_BUG, k);
    }
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    (void)c;
    (void)x;
    (void)dx;
    list[0] = (CosyCondition){0, COSY_NONE, t - R(0.5), R(1.0), R(0.0), R(0.0)};
    *count = 1;
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)element;
    (void)event;
    (void)copy;
    if (d->ASSIGNS)
        memcpy(c->x, d->CATCH, sizeof d->CATCH);
    d->MODE = 1;
    return COSY_OK;
}

#define MODEL(...)                                                             \
    {                                                                          \
        .version = COSY_VERSION, .precision = COSY_PRECISION,                  \
        .real_size = sizeof(real), .name = "ROD", .source = "rod.cosy",        \
        .hash = "", .data_size = sizeof(Data), .states = STATES,               \
        .n_variables = VARIABLES, .variables = variables,                      \
        .n_equations = EQUATIONS, .equations = equations,                      \
        .n_constraints_info = 2, .constraints_info = constraints_info,         \
        .n_starts = 5, .starts = starts, .n_conditions_info = 1,               \
        .conditions_info = conditions_info, .n_state_events = 1,               \
        .state_events = state_events, .reset = reset,                          \
        .derivatives = derivatives, .outputs = outputs,                        \
        .conditions = conditions, .state_event = state_event,                  \
        .n_constraints = 2, .constraints = constraints,                        \
        .constraint_pattern = constraint_pattern,                              \
        .constraint_jacobian = constraint_jacobian, .start = start,            \
        __VA_ARGS__                                                            \
    }

/* ---- Running and looking --------------------------------------------------- */

typedef struct Trial {
    Status status;
    KernelOutcome out;
    Buffer json, messages;
} Trial;

static void keep_message(void *user, const char *text)
{
    Buffer *messages = user;
    buffer_text(messages, text);
    buffer_char(messages, '\n');
}

static void go_model(Trial *t, const CosyModel *m, KernelOptions o)
{
    *t = (Trial){0};
    o.json = &t->json;
    o.no_plots = true;
    o.threads = 1;
    o.message = keep_message;
    o.user = &t->messages;
    t->status = COSY_NAME(kernel).experiment(m, &o, &t->out);
}

static void go(Trial *t, CosyStatus (*experiment)(Cosy *c), KernelOptions o)
{
    const CosyModel m = MODEL(.experiment = experiment);
    go_model(t, &m, o);
}

#define GO(t, experiment, ...)                                                 \
    go((t), (experiment), (KernelOptions){__VA_ARGS__})

static void end(Trial *t)
{
    buffer_free(&t->json);
    buffer_free(&t->messages);
}

static bool says(Trial *t, const char *text)
{
    bool found = strstr(buffer_string(&t->messages), text) != NULL;
    if (!found)
        printf("no \"%s\" in:\n%s\n", text, buffer_string(&t->messages));
    return found;
}

static bool is_silent(Trial *t)
{
    if (t->messages.v.used)
        printf("not silent:\n%s\n", buffer_string(&t->messages));
    return t->messages.v.used == 0;
}

/* The number after the last of two keys. */
static real number(Trial *t, const char *group, const char *name)
{
    char key[40], text[NUMBER_LENGTH + 8];
    real value;
    snprintf(key, sizeof key, "\"%s\": ", group);
    const char *at = strstr(buffer_string(&t->json), key);
    snprintf(key, sizeof key, "\"%s\": ", name);
    at = at ? strstr(at, key) : NULL;
    if (!at)
        return R(-1e9);
    at += strlen(key);
    at += *at == '"';
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\",}] \n"), at);
    return number_read(text, &value) ? value : R(-1e9);
}

static bool near(real a, real b, double bound)
{
    if (cosy_abs(a - b) <= (real)bound)
        return true;
    printf("%.17g is not %.17g\n", (double)a, (double)b);
    return false;
}

/* INITCOND, or GUESS, of a scalar. */
static CosyStatus list(Cosy *c, CosyList which, uint32_t variable, real value)
{
    COSY_TRY(c->host->list(c, which, variable, COSY_NONE));
    return c->host->element(c, value, 1, R(0.0));
}

static CosyStatus given(Cosy *c, uint32_t variable, real value)
{
    return list(c, COSY_LIST_INITCOND, variable, value);
}

/* To the start, and one step or so further; or to a time. */
static CosyStatus simulate(Cosy *c, real to)
{
    const CosySimulate s = {.to = to,
                            .comint = to,
                            .method = "DOPRI5",
                            .relerr = R(1e-6),
                            .abserr = R(1e-6),
                            .frame = 1};
    return c->host->simulate(c, &s);
}

#define MOMENT R(1e-12) // nothing moves in it that a test would see

/* ---- The start --------------------------------------------------------------- */

/* 0.6^2 + 0.8^2 is 1 except for rounding. */
static CosyStatus consistent(Cosy *c)
{
    Data *d = c->data;
    d->G = R(0.0);
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(given(c, V_Y, R(-0.8)));
    return simulate(c, MOMENT);
}

static void test_consistent(void)
{
    Trial t;
    GO(&t, consistent, 0);
    CHECK(t.status == STATUS_OK && is_silent(&t));
    CHECK(number(&t, "final", "X") == R(0.6));
    CHECK(number(&t, "final", "Y") == R(-0.8));
    CHECK(number(&t, "final", "VX") == R(0.0));
    end(&t);
}

/* The value that was written first holds; VY, a default, is found. */
static CosyStatus wrong(Cosy *c)
{
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(given(c, V_Y, R(-0.5)));
    COSY_TRY(given(c, V_VX, R(4.0)));
    return simulate(c, MOMENT);
}

static void test_wrong(void)
{
    Trial t;
    GO(&t, wrong, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(says(&t, "start: Y = -0.5 cannot hold together with line 4: X^2 + "
                   "Y^2 = L^2; it becomes -0.8"));
    CHECK(near(number(&t, "final", "X"), R(0.6), 1e-10));
    CHECK(near(number(&t, "final", "Y"), R(-0.8), 1e-10));
    CHECK(near(number(&t, "final", "VX"), R(4.0), 1e-9));
    CHECK(near(number(&t, "final", "VY"), R(3.0), 1e-9));
    end(&t);
}

/* What --set says comes before INITCOND. */
static void test_set(void)
{
    static const KernelSetting set[] = {{"Y", "-0.6"}};
    Trial t;
    GO(&t, wrong, .set = set, .sets = 1);
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "X"), R(0.8), 1e-10));
    CHECK(near(number(&t, "final", "Y"), R(-0.6), 1e-10));
    CHECK(says(&t, "start: X = 0.6 cannot hold together with line 4"));
    end(&t);
}

/* X' = 3, Y = -0.6: X is found near its guess, then VX and VY. */
static CosyStatus rate(Cosy *c)
{
    COSY_TRY(given(c, V_RATE, R(3.0)));
    COSY_TRY(given(c, V_Y, R(-0.6)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_X, R(-1.0)));
    return simulate(c, MOMENT);
}

static void test_rate(void)
{
    Trial t;
    GO(&t, rate, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "X"), R(-0.8), 1e-9));
    CHECK(near(number(&t, "final", "Y"), R(-0.6), 1e-9));
    CHECK(near(number(&t, "final", "VX"), R(3.0), 1e-9));
    CHECK(near(number(&t, "final", "VY"), R(-4.0), 1e-9));
    CHECK(!strstr(buffer_string(&t.messages), "cannot hold"));
    end(&t);
}

/* A rate comes before values: VX = 1 becomes a guess. */
static CosyStatus rate_and_value(Cosy *c)
{
    COSY_TRY(given(c, V_VX, R(1.0)));
    COSY_TRY(given(c, V_RATE, R(3.0)));
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_Y, R(-1.0)));
    return simulate(c, MOMENT);
}

static void test_rate_and_value(void)
{
    Trial t;
    GO(&t, rate_and_value, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(says(&t, "start: VX = 1 cannot hold together with X' = 3; it "
                   "becomes 3"));
    CHECK(near(number(&t, "final", "VX"), R(3.0), 1e-9));
    CHECK(near(number(&t, "final", "VY"), R(2.25), 1e-9));
    end(&t);
}

/* (X = Y): both are found. */
static CosyStatus condition(Cosy *c)
{
    COSY_TRY(c->host->condition(c, START_EQUAL));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_X, R(-1.0)));
    return simulate(c, MOMENT);
}

static void test_condition(void)
{
    const real root = cosy_sqrt(R(0.5));
    Trial t;
    GO(&t, condition, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(near(cosy_abs(number(&t, "final", "X")), root, 1e-9));
    CHECK(near(number(&t, "final", "X"), number(&t, "final", "Y"), 1e-9));
    end(&t);
}

/* The value of an ALGEBR: S = X + 2*Y. */
static CosyStatus value(Cosy *c)
{
    COSY_TRY(given(c, V_S, R(2.2)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_X, R(0.5)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_Y, R(1.0)));
    return simulate(c, MOMENT);
}

static void test_value(void)
{
    Trial t;
    GO(&t, value, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "S"), R(2.2), 1e-9));
    CHECK(near(number(&t, "final", "X"), R(0.6), 1e-9));
    CHECK(near(number(&t, "final", "Y"), R(0.8), 1e-9));
    end(&t);
}

/* There is nothing left for S. */
static CosyStatus value_too_late(Cosy *c)
{
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(given(c, V_S, R(7.0)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_Y, R(-1.0)));
    return simulate(c, MOMENT);
}

static void test_value_too_late(void)
{
    Trial t;
    GO(&t, value_too_late, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(says(&t,
               "start: S = 7 cannot hold together with what comes before it; "
               "it becomes -1"));
    CHECK(near(number(&t, "final", "Y"), R(-0.8), 1e-9));
    end(&t);
}

/* (X = Y) and (2*X = 2*Y + 1) */
static CosyStatus contrary(Cosy *c)
{
    COSY_TRY(c->host->condition(c, START_EQUAL));
    COSY_TRY(c->host->condition(c, START_TWICE));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_X, R(-1.0)));
    return simulate(c, MOMENT);
}

static void test_contrary(void)
{
    Trial t;
    GO(&t, contrary, 0);
    CHECK(t.status == STATUS_MODEL);
    CHECK(says(&t, "rod.cosy:12: start: there is too much"));
    CHECK(says(&t, "2*X = 2*Y + 1 is off by"));
    CHECK(says(&t, "line 11: X = Y"));
    end(&t);
}

/* (X + Y = 5) is not possible on the rod. */
static CosyStatus impossible(Cosy *c)
{
    COSY_TRY(c->host->condition(c, START_FAR));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_X, R(1.0)));
    return simulate(c, MOMENT);
}

static void test_impossible(void)
{
    Trial t;
    GO(&t, impossible, 0);
    CHECK(t.status == STATUS_NEWTON);
    CHECK(says(&t, "start: no values of"));
    CHECK(says(&t, "X^2 + Y^2 = L^2 (off by"));
    CHECK(says(&t, "line 13: X + Y = 5"));
    CHECK(says(&t, "GUESS X"));
    end(&t);
}

/* (EXP(VX) = 100) from VX = -3: Newton's first correction is 2000. From VX = 0
   it goes round on VX^3 + 2 = 2*VX. */
static CosyStatus far_away(Cosy *c, uint32_t which, real guess)
{
    COSY_TRY(c->host->condition(c, which));
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_Y, R(-0.7)));
    COSY_TRY(list(c, COSY_LIST_GUESS, V_VX, guess));
    return simulate(c, MOMENT);
}

static CosyStatus steep(Cosy *c)
{
    return far_away(c, START_STEEP, R(-3.0));
}

static CosyStatus cubic(Cosy *c)
{
    return far_away(c, START_CUBIC, R(0.0));
}

static void test_far_away(void)
{
    Trial t;
    GO(&t, steep, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "VX"), cosy_log(R(100.0)), 1e-8));
    CHECK(near(number(&t, "final", "Y"), R(-0.8), 1e-8));
    end(&t);
    GO(&t, cubic, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "VX"), R(-1.76929235423863141524), 1e-8));
    end(&t);
}

/* All states are 0, where no row of the constraints has a slope. */
static CosyStatus nothing_given(Cosy *c)
{
    return simulate(c, MOMENT);
}

static void test_nothing_given(void)
{
    Trial t;
    GO(&t, nothing_given, 0);
    CHECK(t.status == STATUS_OK);
    real x = number(&t, "final", "X"), y = number(&t, "final", "Y");
    CHECK(near(x * x + y * y, R(1.0), 1e-9));
    end(&t);
}

/* ---- Modes --------------------------------------------------------------------- */

/* Falls freely from X = 0.6; at 0.5 the rod catches it. */
static CosyStatus fall(Cosy *c, real y, const real *caught)
{
    Data *d = c->data;
    d->G = R(0.0);
    d->MODE = 0;
    if (caught) {
        d->ASSIGNS = 1;
        memcpy(d->CATCH, caught, sizeof d->CATCH);
    }
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(given(c, V_Y, y));
    return simulate(c, R(1.0));
}

static CosyStatus impulse(Cosy *c)
{
    return fall(c, R(-0.5), NULL);
}

static CosyStatus assigned(Cosy *c)
{
    static const real caught[] = {R(0.6), R(-0.8), R(0.0), R(0.0)};
    return fall(c, R(-0.5), caught);
}

static CosyStatus slightly_off(Cosy *c)
{
    return fall(c, R(-0.8) - R(4e-6), NULL);
}

static void test_modes(void)
{
    Trial t;
    GO(&t, impulse, 0);
    CHECK(t.status == STATUS_MODEL);
    CHECK(says(&t, "rod.cosy:4: time 0.5"));
    CHECK(says(&t, "X^2 + Y^2 = L^2 does not hold in the mode that is "
                   "entered"));
    CHECK(says(&t, "impulse: assign X or Y in the event"));
    end(&t);
    GO(&t, assigned, 0);
    CHECK(t.status == STATUS_OK && is_silent(&t));
    CHECK(number(&t, "final", "X") == R(0.6));
    CHECK(number(&t, "final", "Y") == R(-0.8));
    end(&t);
    GO(&t, slightly_off, 0);
    CHECK(t.status == STATUS_OK && is_silent(&t));
    real x = number(&t, "final", "X"), y = number(&t, "final", "Y");
    CHECK(near(x * x + y * y, R(1.0), 1e-13));
    CHECK(near(y, R(-0.8), 1e-5) && y != R(-0.8) - R(4e-6));
    end(&t);
}

/* ---- Analyses ------------------------------------------------------------------- */

static CosyStatus linear(Cosy *c, real t, const real *x, const real *vx,
                         const real *vu, real *df, real *dy)
{
    const Data *d = c->data;
    real square = x[X] * x[X] + x[Y] * x[Y], f = force(d, x);
    real rise = R(2.0) * (x[VX] * vx[VX] + x[VY] * vx[VY]) - d->G * vx[Y] -
                R(2.0) * f * (x[X] * vx[X] + x[Y] * vx[Y]);
    real df_ = rise / square;
    (void)t;
    (void)vu;
    (void)dy;
    df[X] = vx[VX];
    df[Y] = vx[VY];
    df[VX] = -df_ * x[X] - f * vx[X];
    df[VY] = -df_ * x[Y] - f * vx[Y];
    return COSY_OK;
}

static const CosyLinear linears[] = {{.line = 9}};

/* Points of rest are those on the rod. */
static CosyStatus rest(Cosy *c)
{
    COSY_TRY(given(c, V_X, R(0.6)));
    COSY_TRY(given(c, V_Y, R(-0.8)));
    CosySimulate s = {.task = COSY_STEADYSTATE, .frame = 1, .line = 8};
    COSY_TRY(c->host->simulate(c, &s));
    s = (CosySimulate){
        .task = COSY_LINEARIZE, .linear = 1, .frame = 1, .line = 9};
    return c->host->simulate(c, &s);
}

static void test_rest(void)
{
    const CosyModel m =
        MODEL(.experiment = rest, .linear = linear, .n_linears = 1,
              .linears = linears, .analyses = true);
    Trial t;
    go_model(&t, &m, (KernelOptions){0});
    CHECK(t.status == STATUS_OK);
    CHECK(near(number(&t, "final", "X"), R(0.0), 1e-8));
    CHECK(near(number(&t, "final", "Y"), R(-1.0), 1e-12));
    CHECK(says(&t, "STEADYSTATE: the states keep 2 constraints"));
    CHECK(says(&t, "LINEARIZE: the states keep 2 constraints: as many "
                   "eigenvalues are 0"));
    // i sqrt(G/L): a pendulum that nothing damps
    const char *poles = strstr(buffer_string(&t.json), "\"eigenvalues\": ");
    CHECK(poles && strstr(poles, "3.13209"));
    end(&t);
}

/* ---- A block that a mode leaves open --------------------------------------------- */

/* VAR STATE W; ALGEBR A, B;                                             // 2
     W' = 1;                                                             // 3
     CASE MODE OF 0: A = W; B = 2 END; 1: A = B; 2*A = 2*B + OFF END     // 4, 5
     CONDIT CATCH: TIME CROSSES 0.5 POS                                  // 6 */
typedef struct Open {
    real A, B, OFF; // A and B are the unknowns of the block
    int64_t MODE;
} Open;

static const CosyVariable open_variables[] = {
    COSY_STATES("W", 0, 1, "", 2),
    COSY_DATA(Open, A, ALGEBR, REAL, "", 2),
    COSY_DATA(Open, B, ALGEBR, REAL, "", 2),
    COSY_DATA(Open, OFF, REAL, REAL, "", 1),
    COSY_DATA(Open, MODE, REAL, INTEGER, "", 1),
};
static const CosyEquation open_equations[] = {{1, 4, "A = B", false},
                                              {2, 5, "2*A = 2*B + OFF", false}};

static CosyStatus open_reset(Cosy *c)
{
    *(Open *)c->data = (Open){.OFF = R(0.0)};
    return COSY_OK;
}

static CosyStatus open_residual(Cosy *c, real t, const real *x,
                                const void *point, const real *u, real *r)
{
    const Open *d = c->data;
    (void)t;
    (void)point;
    r[0] = d->MODE ? u[0] - u[1] : u[0] - x[0];
    r[1] = d->MODE ? R(2.0) * (u[0] - u[1]) - d->OFF : u[1] - R(2.0);
    return COSY_OK;
}

static const CosyBlock open_block = {.n = 2,
                                     .linear = true,
                                     .start = offsetof(Open, A),
                                     .residual = open_residual,
                                     .modal = true};

static CosyStatus open_outputs(Cosy *c, real t, const real *x)
{
    Open *d = c->data;
    real u[] = {d->A, d->B};
    COSY_TRY(c->host->solve(c, &open_block, t, x, NULL, u));
    d->A = u[0];
    d->B = u[1];
    return COSY_OK;
}

static CosyStatus open_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Open *d = c->data;
    real u[] = {d->A, d->B};
    COSY_TRY(c->host->solve(c, &open_block, t, x, NULL, u));
    dx[0] = R(1.0) + u[0] - u[1] - (u[0] - u[1]);
    return COSY_OK;
}

static CosyStatus open_event(Cosy *c, uint32_t event, uint32_t copy,
                             uint32_t element)
{
    Open *d = c->data;
    (void)element;
    (void)event;
    (void)copy;
    d->MODE = 1;
    return COSY_OK;
}

static CosyStatus to_one(Cosy *c)
{
    return simulate(c, R(1.0));
}

static CosyStatus to_one_contrary(Cosy *c)
{
    Open *d = c->data;
    d->OFF = R(1.0);
    return simulate(c, R(1.0));
}

static void go_open(Trial *t, CosyStatus (*experiment)(Cosy *c))
{
    const CosyModel m = {.version = COSY_VERSION,
                         .precision = COSY_PRECISION,
                         .real_size = sizeof(real),
                         .name = "OPEN",
                         .source = "open.cosy",
                         .hash = "",
                         .data_size = sizeof(Open),
                         .states = 1,
                         .n_variables = LENGTH(open_variables),
                         .variables = open_variables,
                         .n_equations = LENGTH(open_equations),
                         .equations = open_equations,
                         .n_conditions_info = 1,
                         .conditions_info = conditions_info,
                         .n_state_events = 1,
                         .state_events = state_events,
                         .n_blocks = 1,
                         .blocks = &open_block,
                         .reset = open_reset,
                         .derivatives = open_derivatives,
                         .outputs = open_outputs,
                         .conditions = conditions,
                         .state_event = open_event,
                         .experiment = experiment};
    go_model(t, &m, (KernelOptions){0});
}

static void test_open(void)
{
    static const char note[] = "note: time 0.5: the equations of this mode "
                               "(lines 4, 5) do not determine A and B: these "
                               "keep their values as far as they allow";
    Trial t;
    go_open(&t, to_one);
    CHECK(t.status == STATUS_OK && says(&t, note));
    const char *first = strstr(buffer_string(&t.messages), note);
    CHECK(first && !strstr(first + 1, "note:"));
    CHECK(near(number(&t, "final", "A"), R(1.25), 1e-9));
    CHECK(near(number(&t, "final", "B"), R(1.25), 1e-9));
    CHECK(near(number(&t, "final", "W"), R(1.0), 1e-9));
    end(&t);
    go_open(&t, to_one_contrary);
    CHECK(t.status == STATUS_SINGULAR);
    CHECK(says(&t, "open.cosy:4: time 0.5"));
    CHECK(says(&t, "A and B are not determined"));
    CHECK(says(&t, "contradict each other"));
    end(&t);
}

/* ---- A run ----------------------------------------------------------------------- */

/* Swings for many periods: the energy stays, and so does the rod. */
static CosyStatus swing(Cosy *c)
{
    COSY_TRY(given(c, V_X, R(1.0)));
    return simulate(c, R(20.0));
}

static void test_run(void)
{
    static const char *const method[] = {
        "DOPRI5",
        "DOP853",
        "RADAU",
        "AUTO"
#if COSY_PRECISION == 1
        ,
        "GEAR",
        "ADAMS"
#endif
    };
    for (size_t k = 0; k < LENGTH(method); k++) {
        Trial t;
        GO(&t, swing, .method = method[k], .relerr = "1e-9", .abserr = "1e-9");
        CHECK(t.status == STATUS_OK);
        real x = number(&t, "final", "X"), y = number(&t, "final", "Y");
        real vx = number(&t, "final", "VX"), vy = number(&t, "final", "VY");
        bool multi = k > 3;
        real drift = number(&t, "constraints", "drift");
        CHECK(drift > R(0.0) && drift < R(30.0));
        CHECK(number(&t, "constraints", "rows") == R(2.0));
        CHECK(number(&t, "constraints", "error") < R(1e-7));
        CHECK(near(x * x + y * y, R(1.0), multi ? 1e-7 : 1e-13));
        CHECK(near(x * vx + y * vy, R(0.0), multi ? 1e-7 : 1e-12));
        CHECK(near((vx * vx + vy * vy) / R(2.0) + R(9.81) * y, R(0.0), 2e-5));
        end(&t);
    }
}

/* A run that was saved continues to the same bits. */
static void test_saved(void)
{
    char path[] = "/tmp/cosy-test-start-XXXXXX";
    int file = mkstemp(path);
    Trial whole, rest_of;
    CHECK(file >= 0);
    GO(&whole, swing, .method = "RADAU", .save_path = path, .save_at = "7");
    GO(&rest_of, swing, .method = "RADAU", .restore = path);
    CHECK(whole.status == STATUS_OK && rest_of.status == STATUS_OK);
    static const char *const names[] = {"X", "Y", "VX", "VY"};
    for (size_t k = 0; k < LENGTH(names); k++)
        CHECK(number(&whole, "final", names[k]) ==
              number(&rest_of, "final", names[k]));
    CHECK(number(&whole, "constraints", "drift") ==
          number(&rest_of, "constraints", "drift"));
    end(&whole);
    end(&rest_of);
    if (file >= 0)
        close(file);
    unlink(path);
}

static CosyStatus with_features(Cosy *c)
{
    const CosySimulate s = {
        .to = R(3.0), .comint = R(0.1), .frame = 1, .features = true};
    COSY_TRY(given(c, V_X, R(1.0)));
    return c->host->simulate(c, &s);
}

static void test_features(void)
{
    Trial t;
    GO(&t, with_features, 0);
    CHECK(t.status == STATUS_OK);
    CHECK(strstr(buffer_string(&t.json), "\"features\": ") != NULL);
    end(&t);
}

int main(void)
{
    test_consistent();
    test_wrong();
    test_set();
    test_rate();
    test_rate_and_value();
    test_condition();
    test_value();
    test_value_too_late();
    test_contrary();
    test_impossible();
    test_far_away();
    test_nothing_given();
    test_modes();
    test_rest();
    test_open();
    test_run();
    test_saved();
    test_features();
    return check_end();
}
