/* Two-state model (EUROSIM comparison 5): a stiff linear system whose two
   constants change whenever Y1 passes one of two thresholds.

   PROGRAM TWOSTATE;                                                     // 1
   CONST REAL C1 = 2.7E6, C3 = 3.5651205;                                // 2
         REAL C2A = 0.4, C4A = 5.5, HIGH = 5.8;                          // 3
         REAL C2B = -0.3, C4B = 2.73, LOW = 2.5, EPS = 0.0;              // 4
   VAR STATE Y1, Y2; REAL C2, C4; INTEGER MODE; SEVENT UP, DOWN;         // 5
   STORE Y1, Y2;                                                         // 6
   EXPERIMENT                                                            // 7
     INITCOND Y1 = 4.2, Y2 = 0.3;                                        // 8
     INTEGRAT METHOD RADAU5 RELERR = 1.0E-10 ABSERR = 1.0E-12;           // 9
     SIMULATE FROM 0 TO 5 COMINT = 0.01                                  // 10
   END;                                                                  // 11
   SYSTEM                                                                // 12
     INITIAL MODE := 1; C2 := C2A; C4 := C4A END;                        // 13
     CONTINUOUS                                                          // 14
       Y1' = C1*(Y2 + C2 - Y1);                                          // 15
       Y2' = C3*(C4 - Y2);                                               // 16
       CASE MODE OF                                                      // 17
         1: CONDIT UP: Y1 CROSSES HIGH POS TOL = EPS END END;            // 18
         2: CONDIT DOWN: Y1 CROSSES LOW NEG TOL = EPS END END            // 19
     END;                                                                // 20
     DISCRETE                                                            // 21
       EVENTS                                                            // 22
         UP: MODE := 2; C2 := C2B; C4 := C4B END;                        // 23
         DOWN: MODE := 1; C2 := C2A; C4 := C4A END                       // 24
       END                                                               // 25
     END                                                                 // 26
   END;                                                                  // 27
   END.                                                                  // 28

   Reference: between switches both states are sums of exponentials, so the
   switching times follow from scalar equations, which tests/contract/check
   solves in 36 digits. */

#include "cosy/model.h"

typedef struct Data {
    real C1, C3;
    real C2A, C4A, HIGH;
    real C2B, C4B, LOW, EPS;
    real C2, C4;
    int64_t MODE;
} Data;

enum { Y1, Y2, STATES };

enum {
    V_C1,
    V_C3,
    V_C2A,
    V_C4A,
    V_HIGH,
    V_C2B,
    V_C4B,
    V_LOW,
    V_EPS,
    V_Y1,
    V_Y2,
    V_C2,
    V_C4,
    V_MODE,
    VARIABLES
};

enum { EQ_Y1, EQ_Y2, EQUATIONS };
enum { UP, DOWN, STATE_EVENTS };
enum { CONDIT_UP, CONDIT_DOWN, CONDITIONS };

static const CosyVariable variables[VARIABLES] = {
    [V_C1] = COSY_DATA(Data, C1, CONST, REAL, "", 2),
    [V_C3] = COSY_DATA(Data, C3, CONST, REAL, "", 2),
    [V_C2A] = COSY_DATA(Data, C2A, CONST, REAL, "", 3),
    [V_C4A] = COSY_DATA(Data, C4A, CONST, REAL, "", 3),
    [V_HIGH] = COSY_DATA(Data, HIGH, CONST, REAL, "", 3),
    [V_C2B] = COSY_DATA(Data, C2B, CONST, REAL, "", 4),
    [V_C4B] = COSY_DATA(Data, C4B, CONST, REAL, "", 4),
    [V_LOW] = COSY_DATA(Data, LOW, CONST, REAL, "", 4),
    [V_EPS] = COSY_DATA(Data, EPS, CONST, REAL, "", 4),
    [V_Y1] = COSY_STATES("Y1", Y1, 1, "", 5),
    [V_Y2] = COSY_STATES("Y2", Y2, 1, "", 5),
    [V_C2] = COSY_DATA(Data, C2, REAL, REAL, "", 5),
    [V_C4] = COSY_DATA(Data, C4, REAL, REAL, "", 5),
    [V_MODE] = COSY_DATA(Data, MODE, REAL, INTEGER, "", 5),
};

static const CosyEquation equations[EQUATIONS] = {
    [EQ_Y1] = {V_Y1, 15, "Y1' = C1*(Y2 + C2 - Y1)", false},
    [EQ_Y2] = {V_Y2, 16, "Y2' = C3*(C4 - Y2)", false},
};

static const uint32_t state_equation[STATES] = {EQ_Y1, EQ_Y2};

static const CosyConditionInfo conditions_info[CONDITIONS] = {
    [CONDIT_UP] = {"UP", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), UP, COSY_NONE,
                   .activates = true, .line = 18},
    [CONDIT_DOWN] = {"DOWN", COSY_CONDIT, COSY_CROSSES, -1, R(0.0), DOWN,
                     COSY_NONE, .activates = true, .line = 19},
};

static const CosyEventInfo state_events[STATE_EVENTS] = {
    [UP] = {"UP", 23},
    [DOWN] = {"DOWN", 24},
};

static const uint32_t stored[] = {V_Y1, V_Y2};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.C1 = R(2.7e6),
                .C3 = R(3.5651205),
                .C2A = R(0.4),
                .C4A = R(5.5),
                .HIGH = R(5.8),
                .C2B = R(-0.3),
                .C4B = R(2.73),
                .LOW = R(2.5),
                .EPS = R(0.0)};
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    // 13: MODE := 1; C2 := C2A; C4 := C4A
    d->MODE = 1;
    d->C2 = d->C2A;
    d->C4 = d->C4A;
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    (void)t;
    // 15: Y1' = C1*(Y2 + C2 - Y1)
    dx[Y1] = d->C1 * (x[Y2] + d->C2 - x[Y1]);
    // 16: Y2' = C3*(C4 - Y2)
    dx[Y2] = d->C3 * (d->C4 - x[Y2]);
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    (void)t;
    *count = 0;
    switch (d->MODE) {
    case 1:
        // 18: CONDIT UP: Y1 CROSSES HIGH POS TOL = EPS
        list[(*count)++] = (CosyCondition){
            CONDIT_UP, COSY_NONE, x[Y1] - d->HIGH, dx[Y1], d->EPS, R(0.0)};
        return COSY_OK;
    case 2:
        // 19: CONDIT DOWN: Y1 CROSSES LOW NEG TOL = EPS
        list[(*count)++] = (CosyCondition){
            CONDIT_DOWN, COSY_NONE, x[Y1] - d->LOW, dx[Y1], d->EPS, R(0.0)};
        return COSY_OK;
    default: return COSY_FAIL(COSY_SELECTOR, EQUATIONS);
    }
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)copy;
    (void)element;
    switch (event) {
    case UP:
        // 23: MODE := 2; C2 := C2B; C4 := C4B
        d->MODE = 2;
        d->C2 = d->C2B;
        d->C4 = d->C4B;
        return COSY_OK;
    case DOWN:
        // 24: MODE := 1; C2 := C2A; C4 := C4A
        d->MODE = 1;
        d->C2 = d->C2A;
        d->C4 = d->C4A;
        return COSY_OK;
    default: return COSY_FAIL(COSY_BUG, event);
    }
}

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    static const uint32_t rows[] = {Y1, Y1, Y2}, columns[] = {Y1, Y2, Y2};
    (void)c;
    *count = 3;
    for (uint32_t k = 0; row && k < 3; k++) {
        row[k] = rows[k];
        column[k] = columns[k];
    }
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    const Data *d = c->data;
    (void)t;
    (void)x;
    value[0] = -d->C1; // dY1'/dY1
    value[1] = d->C1;  // dY1'/dY2
    value[2] = -d->C3; // dY2'/dY2
    return COSY_OK;
}

static CosyStatus experiment(Cosy *c)
{
    // 8: INITCOND Y1 = 4.2, Y2 = 0.3
    COSY_TRY(c->host->list(c, COSY_LIST_INITCOND, V_Y1, COSY_NONE));
    COSY_TRY(c->host->element(c, R(4.2), 1, R(0.0)));
    COSY_TRY(c->host->list(c, COSY_LIST_INITCOND, V_Y2, COSY_NONE));
    COSY_TRY(c->host->element(c, R(0.3), 1, R(0.0)));
    // 10: SIMULATE FROM 0 TO 5 COMINT = 0.01
    const CosySimulate simulate = {
        .from = R(0.0),
        .to = R(5.0),
        .comint = R(0.01),
        .method = "RADAU5",
        .relerr = R(1e-10),
        .abserr = R(1e-12),
        .frame = 1,
    };
    return c->host->simulate(c, &simulate);
}

const CosyModel COSY_NAME(cosy_model) = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "TWOSTATE",
    .source = "twostate.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .states = STATES,
    .n_variables = VARIABLES,
    .variables = variables,
    .n_equations = EQUATIONS,
    .equations = equations,
    .n_conditions_info = CONDITIONS,
    .conditions_info = conditions_info,
    .n_state_events = STATE_EVENTS,
    .state_events = state_events,
    .n_stored = 2,
    .stored = stored,
    .n_state_equations = STATES,
    .state_equation = state_equation,
    .reset = reset,
    .initial = initial,
    .derivatives = derivatives,
    .conditions = conditions,
    .state_event = state_event,
    .experiment = experiment,
    .pattern = pattern,
    .jacobian = jacobian,
};
