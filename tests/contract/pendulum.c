/* Pendulum in x, y: Newton's law with the force of the rod, and the length of
   the rod as a constraint. The constraint holds positions, so the system has
   index 3. Differentiating it twice and replacing one position and its velocity
   by dummies leaves two states; which position that is changes as the pendulum
   goes round, because the other one must be solved for.

   PROGRAM PENDULUM;                                                     // 1
   CONST REAL G = 9.81 [m/s^2], L = 1.0 [m], V0 = 7.0 [m/s];             // 2
         INTEGER ROUNDS = 100;                                           // 3
   VAR STATE X [m], Y [m], VX [m/s], VY [m/s];                           // 4
       ALGEBR F [1/s^2], ENERGY [m^2/s^2], LENGTH [m];                   // 5
       REAL ENERGY0, DRIFT; INTEGER COUNT; SEVENT ROUND;                 // 6
   STORE X, Y, ENERGY;                                                   // 7
   EXPERIMENT                                                            // 8
     INTEGRAT METHOD DOP853 RELERR = 1.0E-10 ABSERR = 1.0E-10;           // 9
     SIMULATE FROM 0 TO FINISH COMINT = 0.05                             // 10
   END;                                                                  // 11
   SYSTEM                                                                // 12
     INITIAL X := 0; Y := -L; VX := V0; VY := 0; COUNT := 0;             // 13
       ENERGY0 := 0.5*V0^2 - G*L                                         // 14
     END;                                                                // 15
     CONTINUOUS                                                          // 16
       X' = VX;                                                          // 17
       Y' = VY;                                                          // 18
       VX' = -F*X;                                                       // 19
       VY' = -F*Y - G;                                                   // 20
       X^2 + Y^2 = L^2;                                                  // 21
       ENERGY = 0.5*(VX^2 + VY^2) + G*Y;                                 // 22
       LENGTH = SQRT(X^2 + Y^2);                                         // 23
       CONDIT ROUND: X CROSSES 0 POS END                                 // 24
     END;                                                                // 25
     DISCRETE EVENTS                                                     // 26
       ROUND: COUNT := COUNT + 1; DRIFT := ENERGY - ENERGY0;             // 27
         IF COUNT = ROUNDS THEN FINISH                                   // 28
       END                                                               // 29
     END END                                                             // 30
   END;                                                                  // 31
   END.                                                                  // 32

   Reduced: from 21 and its derivatives,
       21'   X*VX + Y*VY = 0
       21''  VX^2 + VY^2 + X*VX' + Y*VY' = 0, so F = (VX^2 + VY^2 - G*Y)/L^2.
   With X, VX as states, 21 gives Y and 21' gives VY; with Y, VY the reverse.

   Reference: a pendulum with V0^2 > 4 G L goes round; one round takes
   4 L/V0 K(k) with k^2 = 4 G L/V0^2 and K the complete elliptic integral. */

#include "cosy/model.h"

typedef struct Data {
    real G, L, V0;
    int64_t ROUNDS;
    real X, Y, VX, VY; // at the last accepted point; start values of iterations
    real F, ENERGY, LENGTH;
    real ENERGY0, DRIFT;
    int64_t COUNT;
    int64_t POSITION; // which one takes the place of the position: 0 X, 1 Y
    int64_t VELOCITY; // which one takes the place of the velocity: 0 VX, 1 VY
} Data;

enum { PLACE_POSITION, PLACE_VELOCITY, STATES };
enum { CHOICE_X, CHOICE_Y };

enum {
    V_G,
    V_L,
    V_V0,
    V_ROUNDS,
    V_X,
    V_Y,
    V_VX,
    V_VY,
    V_F,
    V_ENERGY,
    V_LENGTH,
    V_ENERGY0,
    V_DRIFT,
    V_COUNT,
    VARIABLES
};

enum {
    EQ_X,
    EQ_Y,
    EQ_VX,
    EQ_VY,
    EQ_ROD,
    EQ_ENERGY,
    EQ_LENGTH,
    EQ_ROD_1, // 21'
    EQ_ROD_2, // 21''
    EQUATIONS
};

static const CosyVariable variables[VARIABLES] = {
    [V_G] = COSY_DATA(Data, G, CONST, REAL, "m/s^2", 2),
    [V_L] = COSY_DATA(Data, L, CONST, REAL, "m", 2),
    [V_V0] = COSY_DATA(Data, V0, CONST, REAL, "m/s", 2),
    [V_ROUNDS] = COSY_DATA(Data, ROUNDS, CONST, INTEGER, "", 3),
    [V_X] = COSY_DATA(Data, X, ALGEBR, REAL, "m", 4),
    [V_Y] = COSY_DATA(Data, Y, ALGEBR, REAL, "m", 4),
    [V_VX] = COSY_DATA(Data, VX, ALGEBR, REAL, "m/s", 4),
    [V_VY] = COSY_DATA(Data, VY, ALGEBR, REAL, "m/s", 4),
    [V_F] = COSY_DATA(Data, F, ALGEBR, REAL, "1/s^2", 5),
    [V_ENERGY] = COSY_DATA(Data, ENERGY, ALGEBR, REAL, "m^2/s^2", 5),
    [V_LENGTH] = COSY_DATA(Data, LENGTH, ALGEBR, REAL, "m", 5),
    [V_ENERGY0] = COSY_DATA(Data, ENERGY0, REAL, REAL, "", 6),
    [V_DRIFT] = COSY_DATA(Data, DRIFT, REAL, REAL, "", 6),
    [V_COUNT] = COSY_DATA(Data, COUNT, REAL, INTEGER, "", 6),
};

static const CosyEquation equations[EQUATIONS] = {
    [EQ_X] = {V_X, 17, "X' = VX", false},
    [EQ_Y] = {V_Y, 18, "Y' = VY", false},
    [EQ_VX] = {V_VX, 19, "VX' = -F*X", false},
    [EQ_VY] = {V_VY, 20, "VY' = -F*Y - G", false},
    [EQ_ROD] = {COSY_NONE, 21, "X^2 + Y^2 = L^2", false},
    [EQ_ENERGY] = {V_ENERGY, 22, "ENERGY = 0.5*(VX^2 + VY^2) + G*Y", false},
    [EQ_LENGTH] = {V_LENGTH, 23, "LENGTH = SQRT(X^2 + Y^2)", false},
    [EQ_ROD_1] = {COSY_NONE, 21, "d/dt of X^2 + Y^2 = L^2", false},
    [EQ_ROD_2] = {V_F, 21, "second d/dt of X^2 + Y^2 = L^2", false},
};

enum { ROUND, STATE_EVENTS };
enum { CONDIT_ROUND, CONDITIONS };

static const CosyConditionInfo conditions_info[CONDITIONS] = {
    [CONDIT_ROUND] = {"ROUND", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), ROUND,
                      COSY_NONE, .line = 24},
};

static const CosyEventInfo state_events[STATE_EVENTS] = {
    [ROUND] = {"ROUND", 27},
};

/* 21 for the position that is not a state: u^2 = L^2 - position^2. */
static CosyStatus rod_residual(Cosy *c, real t, const real *x,
                               const void *point, const real *u, real *r)
{
    const Data *d = c->data;
    (void)t;
    (void)point;
    r[0] = x[PLACE_POSITION] * x[PLACE_POSITION] + u[0] * u[0] - d->L * d->L;
    return COSY_OK;
}

static CosyStatus rod_jacobian(Cosy *c, real t, const real *x,
                               const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    j[0] = R(2.0) * u[0];
    return COSY_OK;
}

enum { BLOCK_ROD_Y, BLOCK_ROD_X, BLOCKS };

static const CosyBlock blocks[BLOCKS] = {
    [BLOCK_ROD_Y] = {1, false, offsetof(Data, Y), EQ_ROD, 0, NULL, rod_residual,
                     rod_jacobian},
    [BLOCK_ROD_X] = {1, false, offsetof(Data, X), EQ_ROD, 0, NULL, rod_residual,
                     rod_jacobian},
};

static const uint32_t positions[] = {V_X, V_Y}, velocities[] = {V_VX, V_VY};
static const uint32_t position_places[] = {PLACE_POSITION};
static const uint32_t velocity_places[] = {PLACE_VELOCITY};

enum { CHOICE_POSITION, CHOICE_VELOCITY, CHOICES };

static const CosyChoice choices[CHOICES] = {
    [CHOICE_POSITION] = {2, 1, positions, position_places,
                         offsetof(Data, POSITION)},
    [CHOICE_VELOCITY] = {2, 1, velocities, velocity_places,
                         offsetof(Data, VELOCITY)},
};

static const uint32_t stored[] = {V_X, V_Y, V_ENERGY};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.G = R(9.81), .L = R(1.0), .V0 = R(7.0), .ROUNDS = 100};
    return COSY_OK;
}

/* Puts the chosen candidates into their places in x. */
static void load_states(Cosy *c)
{
    const Data *d = c->data;
    c->x[PLACE_POSITION] = d->POSITION == CHOICE_X ? d->X : d->Y;
    c->x[PLACE_VELOCITY] = d->VELOCITY == CHOICE_X ? d->VX : d->VY;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    // 13: X := 0; Y := -L; VX := V0; VY := 0; COUNT := 0
    d->X = R(0.0);
    d->Y = -d->L;
    d->VX = d->V0;
    d->VY = R(0.0);
    d->COUNT = 0;
    // 14: ENERGY0 := 0.5*V0^2 - G*L
    d->ENERGY0 = R(0.5) * d->V0 * d->V0 - d->G * d->L;
    d->DRIFT = R(0.0);
    d->POSITION = d->VELOCITY = CHOICE_X;
    load_states(c);
    return COSY_OK;
}

/* The four coordinates at a point, in the order in which they are known. */
typedef struct Point {
    real X, Y, VX, VY, F;
} Point;

static CosyStatus point(Cosy *c, real t, const real *x, Point *p)
{
    const Data *d = c->data;
    if (d->POSITION == CHOICE_X) {
        p->X = x[PLACE_POSITION];
        p->VX = x[PLACE_VELOCITY];
        // 21: X^2 + Y^2 = L^2, for Y
        p->Y = d->Y;
        COSY_TRY(c->host->solve(c, &blocks[BLOCK_ROD_Y], t, x, NULL, &p->Y));
        // 21': X*VX + Y*VY = 0, for VY
        p->VY = -p->X * p->VX / p->Y;
    } else {
        p->Y = x[PLACE_POSITION];
        p->VY = x[PLACE_VELOCITY];
        // 21: X^2 + Y^2 = L^2, for X
        p->X = d->X;
        COSY_TRY(c->host->solve(c, &blocks[BLOCK_ROD_X], t, x, NULL, &p->X));
        // 21': X*VX + Y*VY = 0, for VX
        p->VX = -p->Y * p->VY / p->X;
    }
    // 21'': F
    p->F = (p->VX * p->VX + p->VY * p->VY - d->G * p->Y) / (d->L * d->L);
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    Point p;
    COSY_TRY(point(c, t, x, &p));
    if (d->POSITION == CHOICE_X) {
        // 17: X' = VX
        dx[PLACE_POSITION] = p.VX;
        // 19: VX' = -F*X
        dx[PLACE_VELOCITY] = -p.F * p.X;
    } else {
        // 18: Y' = VY
        dx[PLACE_POSITION] = p.VY;
        // 20: VY' = -F*Y - G
        dx[PLACE_VELOCITY] = -p.F * p.Y - d->G;
    }
    return COSY_OK;
}

static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    Point p;
    COSY_TRY(point(c, t, x, &p));
    if (!cosy_finite(p.VX) || !cosy_finite(p.VY))
        return COSY_FAIL(COSY_NUMBER, EQ_ROD_1);
    if (!cosy_finite(p.F))
        return COSY_FAIL(COSY_NUMBER, EQ_ROD_2);
    d->X = p.X;
    d->Y = p.Y;
    d->VX = p.VX;
    d->VY = p.VY;
    d->F = p.F;
    // 22: ENERGY = 0.5*(VX^2 + VY^2) + G*Y
    d->ENERGY = R(0.5) * (p.VX * p.VX + p.VY * p.VY) + d->G * p.Y;
    if (!cosy_finite(d->ENERGY))
        return COSY_FAIL(COSY_NUMBER, EQ_ENERGY);
    // 23: LENGTH = SQRT(X^2 + Y^2)
    d->LENGTH = cosy_sqrt(p.X * p.X + p.Y * p.Y);
    if (!cosy_finite(d->LENGTH))
        return COSY_FAIL(COSY_NUMBER, EQ_LENGTH);
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    Point p;
    (void)dx;
    COSY_TRY(point(c, t, x, &p));
    // 24: CONDIT ROUND: X CROSSES 0 POS
    list[0] =
        (CosyCondition){CONDIT_ROUND, COSY_NONE, p.X, p.VX, R(0.0), R(0.0)};
    *count = 1;
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)copy;
    (void)element;
    if (event != ROUND)
        return COSY_FAIL(COSY_BUG, event);
    // 27: COUNT := COUNT + 1; DRIFT := ENERGY - ENERGY0
    d->COUNT = d->COUNT + 1;
    d->DRIFT = d->ENERGY - d->ENERGY0;
    // 28: IF COUNT = ROUNDS THEN FINISH
    if (d->COUNT == d->ROUNDS)
        c->head->request = COSY_FINISH_RUN;
    return COSY_OK;
}

/* The position that is solved for is a divisor: it must not become small. A
   change is made when the present state is well past the other, so that the two
   do not alternate. */
static CosyStatus choose(Cosy *c, real t, bool *changed)
{
    Data *d = c->data;
    real x = cosy_abs(d->X), y = cosy_abs(d->Y);
    (void)t;
    *changed = d->POSITION == CHOICE_X ? x > R(1.5) * y : y > R(1.5) * x;
    if (*changed) {
        d->POSITION = d->VELOCITY =
            d->POSITION == CHOICE_X ? CHOICE_Y : CHOICE_X;
        load_states(c);
    }
    return COSY_OK;
}

static CosyStatus experiment(Cosy *c)
{
    // 10: SIMULATE FROM 0 TO FINISH COMINT = 0.05
    const CosySimulate simulate = {
        .from = R(0.0),
        .to_finish = true,
        .comint = R(0.05),
        .method = "DOP853",
        .relerr = R(1e-10),
        .abserr = R(1e-10),
        .frame = 1,
    };
    return c->host->simulate(c, &simulate);
}

const CosyModel COSY_NAME(cosy_model) = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "PENDULUM",
    .source = "pendulum.cosy",
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
    .n_blocks = BLOCKS,
    .blocks = blocks,
    .n_choices = CHOICES,
    .choices = choices,
    .n_stored = 3,
    .stored = stored,
    .reset = reset,
    .initial = initial,
    .derivatives = derivatives,
    .outputs = outputs,
    .conditions = conditions,
    .state_event = state_event,
    .choose = choose,
    .experiment = experiment,
};
