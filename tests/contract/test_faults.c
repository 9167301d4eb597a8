/* Models that must fail. Each run has to end with the right status, a message
   that names time, variable or event, equation and line and says what to try,
   and with the results up to there on disk, marked "failed". */

#include "trial.h"

#include "../unit/check.h"
#include "cosy/model.h"

static const char *folder; // folder of this test

/* ---- What all of them share ---------------------------------------------- */

typedef struct Data {
    real A;
    real U[2];
    int64_t MODE;
} Data;

enum { V_A, V_U, V_MODE, V_X, V_Y, VARIABLES }; // states last
enum { EQ_X, EQ_Y, EQ_A, EQ_U, EQ_U2, EQ_BODY, EQ_CASE, EQUATIONS };

static const CosyVariable variables[VARIABLES] = {
    [V_X] = COSY_STATES("XRAY", 0, 1, "", 11),
    [V_Y] = COSY_STATES("YANKEE", 1, 1, "", 12),
    [V_A] = COSY_DATA(Data, A, ALGEBR, REAL, "", 13),
    [V_U] = COSY_ROW("UNIFORM", "", COSY_ALGEBR, COSY_TYPE_REAL,
                     offsetof(Data, U), 2, COSY_NONE, 14),
    [V_MODE] = COSY_DATA(Data, MODE, REAL, INTEGER, "", 15),
};

static const CosyEquation equations[EQUATIONS] = {
    [EQ_X] = {V_X, 21, "XRAY' = ...", false},
    [EQ_Y] = {V_Y, 22, "YANKEE' = ...", false},
    [EQ_A] = {V_A, 23, "A = ...", false},
    [EQ_U] = {V_U, 24, "UNIFORM = 1st", false},
    [EQ_U2] = {V_U, 25, "UNIFORM = 2nd", false},
    [EQ_BODY] = {COSY_NONE, 26,
                 "XRAY := SQRT(XRAY)/(MODE - UNIFORM[1]) + UNIFORM[I]", true},
    [EQ_CASE] = {COSY_NONE, 27, "CASE MODE OF", true},
};

static const uint32_t state_equation[] = {EQ_X, EQ_Y};
static const uint32_t stored[] = {V_X};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.MODE = 1};
    return COSY_OK;
}

static CosyStatus ones(Cosy *c)
{
    Data *d = c->data;
    for (uint32_t k = 0; k < c->model->states; k++)
        c->x[k] = R(1.0);
    d->U[0] = d->U[1] = R(1.0);
    d->MODE = 1;
    return COSY_OK;
}

#define COMMON(n)                                                              \
    .version = COSY_VERSION, .precision = COSY_PRECISION,                      \
    .real_size = sizeof(real), .source = "fault.cosy", .hash = "",             \
    .data_size = sizeof(Data), .states = n, .n_variables = V_X + n,            \
    .variables = variables, .n_equations = EQUATIONS, .equations = equations,  \
    .reset = reset
#define NO_STATES COMMON(0)
#define STATES(n)                                                              \
    COMMON(n), .n_state_equations = n, .state_equation = state_equation,       \
               .n_stored = 1, .stored = stored
#define ONE_STATE  STATES(1)
#define TWO_STATES STATES(2)

/* SIMULATE with these fields, as the experiment `name`. */
#define EXPERIMENT(name, ...)                                                  \
    static CosyStatus name(Cosy *c)                                            \
    {                                                                          \
        const CosySimulate s = {.frame = 1, __VA_ARGS__};                      \
        return c->host->simulate(c, &s);                                       \
    }

EXPERIMENT(to_two, .to = R(2.0), .comint = R(0.125))
EXPERIMENT(to_two_radau, .to = R(2.0), .comint = R(0.125), .method = "RADAU5")
EXPERIMENT(late, .from = R(1e9), .to = R(1e9) + R(1e3))
EXPERIMENT(to_finish, .to_finish = true)

/* ---- Numbers ------------------------------------------------------------- */

static CosyStatus no_motion(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    for (uint32_t k = 0; k < c->model->states; k++)
        dx[k] = R(0.0);
    return COSY_OK;
}

/* NaN after TIME = 1, where no derivative depends on it. */
static CosyStatus log_outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    (void)x;
    d->A = cosy_log(R(1.0) - t);
    return cosy_finite(d->A) ? COSY_OK : COSY_FAIL(COSY_NUMBER, EQ_A);
}

static const CosyModel bad_output = {ONE_STATE,
                                     .name = "OUTPUT",
                                     .derivatives = no_motion,
                                     .outputs = log_outputs,
                                     .initial = ones,
                                     .experiment = to_two};

static CosyStatus root_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    dx[0] = cosy_sqrt(R(1.0) - t);
    return COSY_OK;
}

static const CosyModel bad_derivative = {ONE_STATE, .name = "ROOT",
                                         .derivatives = root_derivatives,
                                         .initial = ones, .experiment = to_two};
static const CosyModel bad_derivative_radau = {
    ONE_STATE, .name = "ROOT", .derivatives = root_derivatives, .initial = ones,
    .experiment = to_two_radau};

/* The same, where the model itself notices. */
static CosyStatus told_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    if (t > R(1.0))
        return COSY_FAIL(COSY_NUMBER, EQ_A);
    dx[0] = R(1.0);
    return COSY_OK;
}

static const CosyModel told = {ONE_STATE, .name = "TOLD",
                               .derivatives = told_derivatives, .initial = ones,
                               .experiment = to_two};

/* x' = x^2 from 1 ends at TIME = 1. */
static CosyStatus square_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[0] * x[0];
    return COSY_OK;
}

static const CosyModel escape = {ONE_STATE, .name = "ESCAPE",
                                 .derivatives = square_derivatives,
                                 .initial = ones, .experiment = to_two};
static const CosyModel escape_radau = {
    ONE_STATE, .name = "ESCAPE", .derivatives = square_derivatives,
    .initial = ones, .experiment = to_two_radau};

/* The second state grows beyond all numbers at TIME = 0.71. */
static CosyStatus growth_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = R(0.0);
    dx[1] = R(1000.0) * x[1];
    return COSY_OK;
}

static const CosyModel growth = {TWO_STATES, .name = "GROWTH",
                                 .derivatives = growth_derivatives,
                                 .initial = ones, .experiment = to_two};

/* Too fast for the last places of TIME = 1e9. */
static CosyStatus swing_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = R(1e9) * x[1];
    dx[1] = R(-1e9) * x[0];
    return COSY_OK;
}

static const CosyModel swing = {TWO_STATES, .name = "SWING",
                                .derivatives = swing_derivatives,
                                .initial = ones, .experiment = late};

/* ---- Blocks and matrices ------------------------------------------------- */

/* u^2 = 1 - TIME has no solution after TIME = 1. */
static CosyStatus parabola(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] * u[0] - (R(1.0) - t);
    return COSY_OK;
}

/* Two equations that coincide at TIME = 1. */
static CosyStatus twins(Cosy *c, real t, const real *x, const void *point,
                        const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    real near = t < R(1.0) ? R(1.0) - t : R(0.0);
    r[0] = u[0] + u[1] - R(2.0);
    r[1] = u[0] + (R(1.0) + near) * u[1] - R(2.0) - near;
    return COSY_OK;
}

static const CosyBlock blocks[] = {
    {.n = 1,
     .start = offsetof(Data, U),
     .equation = EQ_U,
     .residual = parabola},
    {.n = 2,
     .linear = true,
     .start = offsetof(Data, U),
     .equation = EQ_U,
     .residual = twins},
};

static CosyStatus parabola_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    real u = ((const Data *)c->data)->U[0];
    COSY_TRY(c->host->solve(c, &blocks[0], t, x, NULL, &u));
    dx[0] = u;
    return COSY_OK;
}

static CosyStatus twins_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    real u[2] = {R(1.0), R(1.0)};
    COSY_TRY(c->host->solve(c, &blocks[1], t, x, NULL, u));
    dx[0] = u[0];
    return COSY_OK;
}

static const CosyModel no_root = {ONE_STATE,
                                  .name = "NOROOT",
                                  .n_blocks = 2,
                                  .blocks = blocks,
                                  .derivatives = parabola_derivatives,
                                  .initial = ones,
                                  .experiment = to_two};
static const CosyModel no_root_radau = {ONE_STATE,
                                        .name = "NOROOT",
                                        .n_blocks = 2,
                                        .blocks = blocks,
                                        .derivatives = parabola_derivatives,
                                        .initial = ones,
                                        .experiment = to_two_radau};
static const CosyModel singular = {ONE_STATE,
                                   .name = "TWINS",
                                   .n_blocks = 2,
                                   .blocks = blocks,
                                   .derivatives = twins_derivatives,
                                   .initial = ones,
                                   .experiment = to_two};

/* A constraint that says nothing: 0 = 0 for the second state. */
static CosyStatus diagonal_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                   uint32_t *count)
{
    (void)c;
    *count = 2;
    for (uint32_t k = 0; row && k < 2; k++)
        row[k] = column[k] = k;
    return COSY_OK;
}

static CosyStatus half_mass(Cosy *c, real t, const real *x, real *value)
{
    (void)c;
    (void)t;
    (void)x;
    value[0] = R(1.0);
    value[1] = R(0.0);
    return COSY_OK;
}

static const CosyModel empty_row = {TWO_STATES,
                                    .name = "EMPTYROW",
                                    .derivatives = no_motion,
                                    .mass_kind = COSY_MASS_CONSTANT,
                                    .mass_pattern = diagonal_pattern,
                                    .mass = half_mass,
                                    .initial = ones,
                                    .experiment = to_two_radau};

/* ---- Endless events ------------------------------------------------------ */

enum { TICK, TOCK };

static const CosyEventInfo events[] = {
    [TICK] = {"TICK", 31}, [TOCK] = {"TOCK", 32}};
static CosyStatus clock_derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    (void)x;
    dx[0] = R(1.0);
    return COSY_OK;
}

/* Beyond XRAY = 1.5 each mode is past the threshold of its condition. */
static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    (void)t;
    bool tick = d->MODE == 1;
    real z = x[0] - (tick ? R(1.5) : R(1.2));
    list[0] = (CosyCondition){
        tick ? TICK : TOCK, COSY_NONE, z, dx[0], R(0.0), R(0.0)};
    *count = 1;
    return COSY_OK;
}

static CosyStatus switch_mode(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)copy;
    (void)element;
    d->MODE = event == TICK ? 2 : 1;
    return COSY_OK;
}

static const CosyConditionInfo conditions_info[] = {
    [TICK] = {"TICK", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), TICK, COSY_NONE,
              true, 33},
    [TOCK] = {"TOCK", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), TOCK, COSY_NONE,
              true, 34},
};

static const CosyModel two_conditions = {ONE_STATE,
                                         .name = "CHATTER",
                                         .n_conditions_info = 2,
                                         .conditions_info = conditions_info,
                                         .n_state_events = 2,
                                         .state_events = events,
                                         .derivatives = clock_derivatives,
                                         .conditions = conditions,
                                         .state_event = switch_mode,
                                         .initial = ones,
                                         .experiment = to_two};

static CosyStatus schedule_first(Cosy *c)
{
    COSY_TRY(ones(c));
    return cosy_schedule(c, TICK, COSY_NONE, R(0.75), 0);
}

static CosyStatus schedule_other(Cosy *c, uint32_t event, uint32_t record)
{
    (void)record;
    return cosy_schedule(c, event == TICK ? TOCK : TICK, COSY_NONE, c->head->t,
                         0);
}

static const CosyModel two_events = {ONE_STATE,
                                     .name = "PINGPONG",
                                     .n_time_events = 2,
                                     .time_events = events,
                                     .derivatives = clock_derivatives,
                                     .initial = schedule_first,
                                     .time_event = schedule_other,
                                     .experiment = to_two};

static const uint32_t lines[] = {36};
static const CosyProcessInfo processes[] = {
    {.name = "BREED", .points = 1, .lines = lines, .line = 35}};

static CosyStatus breed_first(Cosy *c)
{
    uint32_t id;
    return cosy_generate(c, 0, R(0.75), 0, &id);
}

static CosyStatus breed(Cosy *c, uint32_t transaction)
{
    uint32_t id;
    COSY_TRY(cosy_generate(c, 0, c->head->t, 0, &id));
    return cosy_end(c, transaction);
}

static const CosyModel self_made = {NO_STATES,
                                    .name = "BREED",
                                    .n_processes = 1,
                                    .processes = processes,
                                    .transaction_size = sizeof(CosyTransaction),
                                    .initial = breed_first,
                                    .resume = breed,
                                    .experiment = to_two};

/* The same with a loop in the model itself. */
static CosyStatus breed_loop(Cosy *c, CosyRound *round)
{
    return cosy_go(c, round, breed, NULL);
}

static const CosyModel self_made_loop = {NO_STATES,
                                         .name = "BREEDLOOP",
                                         .n_processes = 1,
                                         .processes = processes,
                                         .transaction_size =
                                             sizeof(CosyTransaction),
                                         .initial = breed_first,
                                         .discrete = breed_loop,
                                         .experiment = to_two};

/* The same at ever higher places: the pool grows without end. */
static CosyStatus swarm(Cosy *c, uint32_t transaction)
{
    uint32_t id;
    (void)transaction;
    COSY_TRY(cosy_generate(c, 0, c->head->t, 0, &id));
    return cosy_generate(c, 0, c->head->t, 0, &id);
}

static const CosyModel swarming = {NO_STATES,
                                   .name = "SWARM",
                                   .n_processes = 1,
                                   .processes = processes,
                                   .transaction_size = sizeof(CosyTransaction),
                                   .initial = breed_first,
                                   .resume = swarm,
                                   .experiment = to_two};

/* ---- Bodies that fail, and ends that do not come ------------------------- */

static CosyStatus bad_event(Cosy *c, uint32_t event, uint32_t record)
{
    (void)c;
    (void)record;
    return COSY_FAIL(COSY_SELECTOR, event + 100000);
}

static const CosyModel bad_selector = {ONE_STATE,
                                       .name = "SELECTOR",
                                       .n_time_events = 2,
                                       .time_events = events,
                                       .derivatives = clock_derivatives,
                                       .initial = schedule_first,
                                       .time_event = bad_event,
                                       .experiment = to_two};

static CosyStatus mode_body(Cosy *c, uint32_t event, uint32_t record)
{
    (void)event;
    (void)record;
    ((Data *)c->data)->MODE = 2;
    return COSY_OK;
}

static CosyStatus no_body(Cosy *c, uint32_t event, uint32_t record)
{
    (void)c;
    (void)event;
    (void)record;
    return COSY_OK;
}

/* If the statement is known, it is named, with its contents. */
static CosyStatus bad_statement(Cosy *c, uint32_t event, uint32_t record)
{
    (void)event;
    (void)record;
    ((Data *)c->data)->MODE = 7;
    c->x[0] = R(0.25);
    return COSY_FAIL(COSY_NUMBER, EQ_BODY);
}

static const CosyModel bad_body = {ONE_STATE,
                                   .name = "BODY",
                                   .n_time_events = 2,
                                   .time_events = events,
                                   .derivatives = clock_derivatives,
                                   .initial = schedule_first,
                                   .time_event = bad_statement,
                                   .experiment = to_two};

static CosyStatus bad_case(Cosy *c, real t, const real *x, const real *dx,
                           CosyCondition *list, uint32_t *count)
{
    (void)dx;
    (void)list;
    *count = 0;
    ((Data *)c->data)->MODE = t < R(0.5) ? 1 : 9;
    (void)x;
    return t < R(0.5) ? COSY_OK : COSY_FAIL(COSY_SELECTOR, EQ_CASE);
}

static const CosyModel bad_label = {ONE_STATE,
                                    .name = "LABEL",
                                    .n_time_events = 2,
                                    .time_events = events,
                                    .derivatives = clock_derivatives,
                                    .initial = schedule_first,
                                    .conditions = bad_case,
                                    .time_event = no_body,
                                    .experiment = to_two};

/* A condition that is not finite after an event. */
static CosyStatus bad_z(Cosy *c, real t, const real *x, const real *dx,
                        CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    (void)t;
    (void)x;
    real z = d->MODE == 1 ? R(1.0) : cosy_log(R(-1.0));
    list[0] = (CosyCondition){TOCK, COSY_NONE, z, dx[0], R(0.0), R(0.0)};
    *count = 1;
    return COSY_OK;
}

static const CosyModel bad_condition = {ONE_STATE,
                                        .name = "CONDITION",
                                        .n_conditions_info = 2,
                                        .conditions_info = conditions_info,
                                        .n_state_events = 2,
                                        .state_events = events,
                                        .n_time_events = 2,
                                        .time_events = events,
                                        .derivatives = clock_derivatives,
                                        .initial = schedule_first,
                                        .conditions = bad_z,
                                        .time_event = mode_body,
                                        .experiment = to_two};

static CosyStatus into_the_past(Cosy *c, uint32_t event, uint32_t record)
{
    (void)event;
    (void)record;
    return cosy_schedule(c, TOCK, COSY_NONE, c->head->t - R(0.5), 0);
}

static const CosyModel past = {ONE_STATE,
                               .name = "PAST",
                               .n_time_events = 2,
                               .time_events = events,
                               .derivatives = clock_derivatives,
                               .initial = schedule_first,
                               .time_event = into_the_past,
                               .experiment = to_two};

static CosyStatus once(Cosy *c, uint32_t transaction)
{
    return cosy_end(c, transaction);
}

static const CosyModel no_finish = {NO_STATES,
                                    .name = "NOFINISH",
                                    .n_processes = 1,
                                    .processes = processes,
                                    .transaction_size = sizeof(CosyTransaction),
                                    .initial = breed_first,
                                    .resume = once,
                                    .experiment = to_finish};

static CosyStatus ends_holding(Cosy *c, uint32_t transaction)
{
    cosy_transaction(c, transaction)->held = 1;
    return cosy_end(c, transaction);
}

static CosyStatus holding_loop(Cosy *c, CosyRound *round)
{
    return cosy_go(c, round, ends_holding, NULL);
}

static const CosyModel holding = {NO_STATES,
                                  .name = "HOLDING",
                                  .n_processes = 1,
                                  .processes = processes,
                                  .transaction_size = sizeof(CosyTransaction),
                                  .initial = breed_first,
                                  .discrete = holding_loop,
                                  .experiment = to_two};

/* A transaction that has gone on for weeks. */
static CosyStatus breed_late(Cosy *c)
{
    c->head->sequence = COSY_SEQUENCE_MOST;
    return breed_first(c);
}

static const CosyModel worn_out = {NO_STATES,
                                   .name = "WORNOUT",
                                   .n_processes = 1,
                                   .processes = processes,
                                   .transaction_size = sizeof(CosyTransaction),
                                   .initial = breed_late,
                                   .resume = once,
                                   .experiment = to_two};

/* Nothing changes, for ever. */
static const CosyModel no_finish_at_rest = {
    ONE_STATE, .name = "REST", .derivatives = no_motion, .initial = ones,
    .experiment = to_finish};

/* ---- The list ------------------------------------------------------------ */

enum { TEXTS = 5 };

static const struct Bad {
    const CosyModel *model;
    Status status;
    double t;                // of the end, within a thousandth
    const char *text[TEXTS]; // in the message
} bad[] = {
    {&bad_output, STATUS_NUMBER, 1.0, {"time 1", "A = ...", "fault.cosy:23"}},
    {&bad_derivative,
     STATUS_NUMBER,
     1.0,
     {"TIME = 1", "XRAY", "line 21", "XRAY' = ...", "check"}},
    {&bad_derivative_radau,
     STATUS_NUMBER,
     1.0,
     {"TIME = ", "XRAY", "line 21", "XRAY' = ...", "check"}},
    {&told, STATUS_NUMBER, 1.0, {"TIME = 1", "A", "line 23", "check"}},
    {&escape,
     STATUS_STEP_LIMIT,
     1.0,
     {"without bound at TIME = 1", "XRAY = ", "line 21", "XRAY' = ...",
      "may end there"}},
    {&escape_radau,
     STATUS_STEP_LIMIT,
     1.0,
     {"without bound at TIME = 1", "XRAY = ", "line 21", "may end there"}},
    {&growth,
     STATUS_NUMBER,
     0.7005,
     {"largest number at TIME = 0.", "YANKEE = ", "line 22", "YANKEE' = ..."}},
    {&swing, STATUS_STEP_LIMIT, 1e9, {"TIME = 1000000000", "line 2", "try"}},
    {&no_root,
     STATUS_NEWTON,
     1.0,
     {"TIME = ", "UNIFORM", "line 24", "UNIFORM = 1st", "START"}},
    {&no_root_radau,
     STATUS_NEWTON,
     1.0,
     {"TIME = ", "UNIFORM", "line 24", "START"}},
    {&singular,
     STATUS_SINGULAR,
     1.0,
     {"TIME = ", "UNIFORM", "line 25", "check"}},
    {&empty_row, STATUS_SINGULAR, 0.0, {"TIME = 0", "YANKEE", "line 22"}},
    {&two_conditions,
     STATUS_EVENT_LOOP,
     0.5,
     {"time 0.5", "TICK -> TOCK", "POS, NEG"}},
    {&two_events,
     STATUS_EVENT_LOOP,
     0.75,
     {"time 0.75", "TICK -> TOCK -> TICK", "advance"}},
    {&self_made,
     STATUS_EVENT_LOOP,
     0.75,
     {"time 0.75", "BREED -> BREED", "advance"}},
    {&self_made_loop,
     STATUS_EVENT_LOOP,
     0.75,
     {"time 0.75", "BREED -> BREED", "advance"}},
    {&holding, STATUS_USER, 0.75, {"time 0.75", "BREED"}},
    {&worn_out, STATUS_LIMIT, 0.0, {"time 0", "9223372036854775807"}},
    {&swarming, STATUS_EVENT_LOOP, 0.75, {"time 0.75", "BREED -> BREED"}},
    {&bad_selector,
     STATUS_NUMBER,
     0.75,
     {"time 0.75", "TICK", "fault.cosy:31", "CASE"}},
    {&bad_body,
     STATUS_NUMBER,
     0.75,
     {"fault.cosy:26: time 0.75: the statement (XRAY := SQRT(XRAY)/",
      ", with XRAY = 0.25, MODE = 7, UNIFORM[1] = "}},
    {&bad_label,
     STATUS_NUMBER,
     0.75,
     {"fault.cosy:27: time 0.75: the statement (CASE MODE OF)",
      "outside its labels, with MODE = 9"}},
    {&bad_condition,
     STATUS_NUMBER,
     0.75,
     {"time 0.75: the condition TOCK is not finite"}},
    {&past, STATUS_USER, 0.75, {"time 0.75", "TICK"}},
    {&no_finish, STATUS_LIMIT, 0.75, {"time 0.75", "FINISH"}},
    {&no_finish_at_rest, STATUS_LIMIT, DBL_MAX, {"time 1.79", "FINISH"}},
};

/* A run without end is stopped, and then it is not a fault of this kind. */
static bool patience(void *user, const KernelProgress *p)
{
    (void)user;
    return p->steps < 1000000 && p->events < 10000000;
}

/* Also true for a text that the file on disk holds. */
static bool on_disk(const char *name, const char *text)
{
    Buffer b = {0};
    Fault f = {0};
    bool found = file_read(trial_path(folder, name), &b, &f) == STATUS_OK &&
                 strstr(buffer_string(&b), text) != NULL;
    buffer_free(&b);
    return found;
}

static void check_bad(const struct Bad *b)
{
    Trial t;
    Buffer message = {0};
    KernelOptions o = {.dir = folder, .progress = patience};
    o.user = &message; // trial_of keeps messages there
    trial_of(&t, b->model, COSY_PRECISION, &o);
    if (t.status != b->status)
        printf("%s: status %d, not %d\n", b->model->name, (int)t.status,
               (int)b->status);
    CHECK(t.status == b->status);
    CHECK(t.out.runs == 1);
    CHECK(t.out.failed == 1);
    CHECK_TEXT(trial_text(&t, "status", NULL), "failed");
    const char *said = trial_text(&t, "message", NULL);
    printf("%s: %s\n", b->model->name, said);
    for (size_t k = 0; k < TEXTS && b->text[k]; k++) {
        bool there = strstr(said, b->text[k]) != NULL;
        if (!there)
            printf("%s: no \"%s\" in the message\n", b->model->name,
                   b->text[k]);
        CHECK(there);
    }
    /* The first message says it too. */
    size_t first = strcspn(buffer_string(&message), "\n");
    CHECK(strstr(buffer_string(&message), said) != NULL ||
          strncmp(buffer_string(&message), said, first) == 0);
    real end = trial_number(&t, "t_end", NULL);
    CHECK(cosy_abs(end - b->t) <= R(1e-3) * cosy_max(b->t, R(1.0)));
    CHECK(cosy_finite(end));
    CHECK(on_disk("summary.json", "\"status\": \"failed\""));
    CHECK(on_disk("events-0001.csv", "time,event,kind,detail"));
    if (b->model->n_stored && b->t > 0.1 && b->t < 10.0)
        CHECK(on_disk("run-0001.csv", "\n0.125,"));
    buffer_free(&message);
    trial_end(&t);
}

int main(void)
{
    folder = trial_folder();
    for (size_t k = 0; k < LENGTH(bad); k++)
        check_bad(&bad[k]);
    trial_remove(folder);
    return check_end();
}
