/* The problems of bench/events.h as models, in the form in which the compiler
   writes them: the relay, or with -DBALL the ball. */

#include "bench/events.h"
#include "cosy/model.h"

#define cosy_model COSY_NAME(cosy_model)
extern const CosyModel cosy_model;

typedef struct Data {
    int64_t MODE; // of the relay: 1 up, 2 down
} Data;

static const CosyVariable variables[] = {COSY_STATES("X1", 0, 1, "", 1),
                                         COSY_STATES("X2", 1, 1, "", 1)};

#ifdef BALL

enum { C_FLOOR };

static const CosyConditionInfo conditions_info[] = {
    [C_FLOOR] = {.name = "FLOOR",
                 .kind = COSY_CONDIT,
                 .scheme = COSY_CROSSES,
                 .direction = -1,
                 .process = COSY_NONE,
                 .line = 1}};

static CosyStatus initial(Cosy *c)
{
    c->x[0] = 1.0;
    c->x[1] = 0.0;
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    ball_rhs(x, dx);
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    (void)c;
    (void)t;
    list[0] = (CosyCondition){
        .id = C_FLOOR, .copy = COSY_NONE, .z = x[0], .dz = dx[0]};
    *count = 1;
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy)
{
    (void)event;
    (void)copy;
    c->x[1] = -BALL_KEEPS * c->x[1];
    return COSY_OK;
}

#else

enum { C_UP, C_DOWN };

static const CosyConditionInfo conditions_info[] = {
    [C_UP] = {.name = "UP",
              .kind = COSY_CONDIT,
              .scheme = COSY_CROSSES,
              .direction = 1,
              .event = C_UP,
              .process = COSY_NONE,
              .activates = true,
              .line = 1},
    [C_DOWN] = {.name = "DOWN",
                .kind = COSY_CONDIT,
                .scheme = COSY_CROSSES,
                .direction = -1,
                .event = C_DOWN,
                .process = COSY_NONE,
                .activates = true,
                .line = 1}};

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    d->MODE = 1;
    c->x[0] = c->x[1] = 0.0;
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    (void)t;
    relay_rhs(d->MODE == 1 ? 1.0 : -1.0, x, dx);
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    (void)t;
    *count = 1;
    if (d->MODE == 1)
        list[0] = (CosyCondition){.id = C_UP,
                                  .copy = COSY_NONE,
                                  .z = x[0] - RELAY_LEVEL,
                                  .dz = dx[0]};
    else
        list[0] = (CosyCondition){.id = C_DOWN,
                                  .copy = COSY_NONE,
                                  .z = x[0] + RELAY_LEVEL,
                                  .dz = dx[0]};
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy)
{
    Data *d = c->data;
    (void)copy;
    d->MODE = event == C_UP ? 2 : 1;
    return COSY_OK;
}

#endif

static const CosyEventInfo state_events[] = {{"UP", 1}, {"DOWN", 1}};

static CosyStatus experiment(Cosy *c)
{
    static const CosySimulate simulate = {.to = 1.0, .frame = 1};
    return c->host->simulate(c, &simulate);
}

#define TABLE(name) .n_##name = sizeof name / sizeof name[0], .name = name

const CosyModel cosy_model = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
#ifdef BALL
    .name = "BALL",
#else
    .name = "RELAY",
#endif
    .source = "bench/events.h",
    .hash = "",
    .data_size = sizeof(Data),
    .states = 2,
    TABLE(variables),
    TABLE(conditions_info),
    TABLE(state_events),
    .initial = initial,
    .derivatives = derivatives,
    .conditions = conditions,
    .state_event = state_event,
    .experiment = experiment,
};
