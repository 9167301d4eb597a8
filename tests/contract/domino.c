/* Domino game (chapter IX.3.6 of the 1979 text): stones fall one against the
   next; each stone that moves is a copy of a CONTINUOUS PROCESS with two
   states, which enters the state vector when it is hit and leaves it when it
   lies.

   PROGRAM DOMINO;                                                       // 1
   CONST REAL G = 9.81 [m/s^2], M = 0.01 [kg], X = 0.008 [m],            // 2
              Z = 0.046 [m], IMP = 1.0E-5 [kg*m/s];                      // 3
         INTEGER STONES = 55;                                            // 4
   TYPE ATTR = RECORD INTEGER STONENBR; STATE PHI, OMEGA; REAL OMEGAS;   // 5
               INTEGER PHASE; SEVENT CRASH, DOWN END;                    // 6
   VAR FILE OF 60 ATTR RANKED FIFO: STONEFILE;                           // 7
       PROCESS STONE FILE = STONEFILE;                                   // 8
       REAL D [m], V [m/s], PHIPUSH, KO, KR, KM, THETA; INTEGER MOST;    // 9
   CONTINUOUS PROCESS STONE;                                             // 10
   BEGIN                                                                 // 11
     INITIAL PHI := 0.0; PHASE := 1;                                     // 12
       IF STONENBR = 1 THEN OMEGA := Z/2*IMP/THETA                       // 13
       ELSE OMEGA := KO*OMEGAS                                           // 14
     END;                                                                // 15
     CONTINUOUS                                                          // 16
       PHI' = OMEGA;                                                     // 17
       OMEGA' = KM*SIN(PHI)/THETA;                                       // 18
       CASE PHASE OF                                                     // 19
         1: CONDIT CRASH: PHI CROSSES PHIPUSH POS END END;               // 20
         2: CONDIT DOWN: PHI CROSSES PI/2 POS END END                    // 21
     END;                                                                // 22
     DISCRETE                                                            // 23
       CRASH: PHASE := 2;                                                // 24
         IF STONENBR < STONES THEN BEGIN                                 // 25
           CREATE STONE[0] WHERE OMEGAS := OMEGA END;                    // 26
           OMEGA := KR*OMEGA                                             // 27
         END                                                             // 28
       END;                                                              // 29
       DOWN: DELETE STONE[STONENBR] END                                  // 30
     END;                                                                // 31
     TERMINAL IF ENTRYNBR(STONEFILE) <= 2 THEN FINISH END                // 32
   END;                                                                  // 33
   EXPERIMENT                                                            // 34
     PARAMETER D = (0.02147, 0.012);                                     // 35
     INTEGRAT METHOD DOPRI5 RELERR = 1.0E-10 ABSERR = 1.0E-12;           // 36
     SIMULATE FROM 0 TO FINISH                                           // 37
   END;                                                                  // 38
   SYSTEM                                                                // 39
     INITIAL                                                             // 40
       THETA := M*(X^2 + Z^2)/3; KM := M*G*0.5*SQRT(X^2 + Z^2);          // 41
       KO := 1 - ((D - X)/Z)^2; KR := 1 - SQRT(KO);                      // 42
       PHIPUSH := ASIN((D - X)/Z);                                       // 43
       CREATE STONE[1]                                                   // 44
     END;                                                                // 45
     CONTINUOUS STONE (<-) END;                                          // 46
     TERMINAL V := D*(STONES - 1)/TIME; MOST := MAXQ(STONE) - 1 END      // 47
   END;                                                                  // 48
   END.                                                                  // 49

   Reference: the published chain velocity is 0.6277 m/s at D = 0.02147 m; an
   independent computation gives 0.62769 with at most 7 stones moving, and
   0.52094 with 22 at D = 0.012 m. */

#include "cosy/model.h"

typedef struct Data {
    real G, M, X, Z, IMP;
    int64_t STONES;
    real D, V, PHIPUSH, KO, KR, KM, THETA;
    int64_t MOST;
} Data;

enum { STONE, PROCESSES };
enum { PHI, OMEGA, STONE_STATES };

/* Attributes of a stone, and its states while they are not in x. */
typedef struct Stone {
    CosyCopy copy;
    real OMEGAS;
    int64_t PHASE;
    real bed[STONE_STATES];
} Stone;

enum {
    V_G,
    V_M,
    V_X,
    V_Z,
    V_IMP,
    V_STONES,
    V_D,
    V_V,
    V_PHIPUSH,
    V_KO,
    V_KR,
    V_KM,
    V_THETA,
    V_MOST,
    V_PHI,
    V_OMEGA,
    VARIABLES
};

enum { EQ_PHI, EQ_OMEGA, EQUATIONS };
enum { CRASH, DOWN, STATE_EVENTS };
enum { CONDIT_CRASH, CONDIT_DOWN, CONDITIONS };

static const CosyVariable variables[VARIABLES] = {
    [V_G] = COSY_DATA(Data, G, CONST, REAL, "m/s^2", 2),
    [V_M] = COSY_DATA(Data, M, CONST, REAL, "kg", 2),
    [V_X] = COSY_DATA(Data, X, CONST, REAL, "m", 2),
    [V_Z] = COSY_DATA(Data, Z, CONST, REAL, "m", 3),
    [V_IMP] = COSY_DATA(Data, IMP, CONST, REAL, "kg*m/s", 3),
    [V_STONES] = COSY_DATA(Data, STONES, CONST, INTEGER, "", 4),
    [V_D] = COSY_DATA(Data, D, REAL, REAL, "m", 9),
    [V_V] = COSY_DATA(Data, V, REAL, REAL, "m/s", 9),
    [V_PHIPUSH] = COSY_DATA(Data, PHIPUSH, REAL, REAL, "", 9),
    [V_KO] = COSY_DATA(Data, KO, REAL, REAL, "", 9),
    [V_KR] = COSY_DATA(Data, KR, REAL, REAL, "", 9),
    [V_KM] = COSY_DATA(Data, KM, REAL, REAL, "", 9),
    [V_THETA] = COSY_DATA(Data, THETA, REAL, REAL, "", 9),
    [V_MOST] = COSY_DATA(Data, MOST, REAL, INTEGER, "", 9),
    [V_PHI] = COSY_COPY_STATE("PHI", PHI, STONE, "", 5),
    [V_OMEGA] = COSY_COPY_STATE("OMEGA", OMEGA, STONE, "", 5),
};

static const CosyEquation equations[EQUATIONS] = {
    [EQ_PHI] = {V_PHI, 17, "PHI' = OMEGA", false},
    [EQ_OMEGA] = {V_OMEGA, 18, "OMEGA' = KM*SIN(PHI)/THETA", false},
};

static const CosyConditionInfo conditions_info[CONDITIONS] = {
    [CONDIT_CRASH] = {"CRASH", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), CRASH,
                      STONE, 1, true, 20, 0},
    [CONDIT_DOWN] = {"DOWN", COSY_CONDIT, COSY_CROSSES, +1, R(0.0), DOWN, STONE,
                     1, true, 21, 0},
};

static const CosyEventInfo state_events[STATE_EVENTS] = {
    [CRASH] = {"CRASH", 24},
    [DOWN] = {"DOWN", 30},
};

static const CosyCopyInfo copies[PROCESSES] = {
    [STONE] = {.name = "STONE",
               .states = STONE_STATES,
               .size = sizeof(Stone),
               .bed = offsetof(Stone, bed),
               .conditions = 1,
               .capacity = 59,
               .line = 10},
};

static Stone *stone(const Cosy *c, uint32_t k)
{
    return (Stone *)(void *)c->attributes[STONE] + k;
}

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.G = R(9.81),
                .M = R(0.01),
                .X = R(0.008),
                .Z = R(0.046),
                .IMP = R(1e-5),
                .STONES = 55,
                .D = R(0.02147)};
    return COSY_OK;
}

/* INITIAL section of STONE, for the copy at position k. */
static void stone_initial(Cosy *c, uint32_t k)
{
    const Data *d = c->data;
    Stone *s = stone(c, k);
    real *x = s->bed; // it has been created by the present body
    // 12: PHI := 0.0; PHASE := 1
    x[PHI] = R(0.0);
    s->PHASE = 1;
    // 13: IF STONENBR = 1 THEN OMEGA := Z/2*IMP/THETA ELSE OMEGA := KO*OMEGAS
    x[OMEGA] = s->copy.number == 1 ? d->Z / R(2.0) * d->IMP / d->THETA
                                   : d->KO * s->OMEGAS;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    uint32_t k;
    real square = d->X * d->X + d->Z * d->Z;
    // 41: THETA := M*(X^2 + Z^2)/3; KM := M*G*0.5*SQRT(X^2 + Z^2)
    d->THETA = d->M * square / R(3.0);
    d->KM = d->M * d->G * R(0.5) * cosy_sqrt(square);
    // 42: KO := 1 - ((D - X)/Z)^2; KR := 1 - SQRT(KO)
    d->KO = R(1.0) - cosy_square((d->D - d->X) / d->Z);
    d->KR = R(1.0) - cosy_sqrt(d->KO);
    // 43: PHIPUSH := ASIN((D - X)/Z)
    d->PHIPUSH = cosy_asin((d->D - d->X) / d->Z);
    if (!cosy_finite(d->PHIPUSH)) {
        c->host->message(c, COSY_ERROR, 43, "ASIN of a number outside -1 .. 1");
        return COSY_FAIL(COSY_REFUSED, EQUATIONS);
    }
    // 44: CREATE STONE[1]
    COSY_TRY(cosy_copy_create(c, STONE, 1, COSY_NONE, &k));
    stone_initial(c, k);
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    uint32_t first = c->copy[STONE].first;
    (void)t;
    for (uint32_t k = 0; k < c->copy[STONE].active; k++) {
        const real *s = x + first + k * STONE_STATES;
        real *ds = dx + first + k * STONE_STATES;
        // 17: PHI' = OMEGA
        ds[PHI] = s[OMEGA];
        // 18: OMEGA' = KM*SIN(PHI)/THETA
        ds[OMEGA] = d->KM * cosy_sin(s[PHI]) / d->THETA;
    }
    return COSY_OK;
}

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    const real half_pi = R(1.57079632679489661923132169163975144);
    uint32_t first = c->copy[STONE].first;
    (void)t;
    *count = 0;
    for (uint32_t k = 0; k < c->copy[STONE].active; k++) {
        real phi = x[first + k * STONE_STATES + PHI];
        real rate = dx[first + k * STONE_STATES + PHI];
        if (stone(c, k)->PHASE == 1)
            // 20: CONDIT CRASH: PHI CROSSES PHIPUSH POS
            list[(*count)++] = (CosyCondition){
                CONDIT_CRASH, k, phi - d->PHIPUSH, rate, R(0.0), R(0.0)};
        else
            // 21: CONDIT DOWN: PHI CROSSES PI/2 POS
            list[(*count)++] = (CosyCondition){
                CONDIT_DOWN, k, phi - half_pi, rate, R(0.0), R(0.0)};
    }
    return COSY_OK;
}

static CosyStatus crash(Cosy *c, uint32_t k)
{
    const Data *d = c->data;
    uint32_t omega = c->copy[STONE].first + k * STONE_STATES + OMEGA;
    uint32_t new;
    // 24: PHASE := 2
    stone(c, k)->PHASE = 2;
    // 25: IF STONENBR < STONES
    if (stone(c, k)->copy.number < d->STONES) {
        // 26: CREATE STONE[0] WHERE OMEGAS := OMEGA END
        COSY_TRY(cosy_copy_create(c, STONE, 0, COSY_NONE, &new));
        stone(c, new)->OMEGAS = c->x[omega];
        stone_initial(c, new);
        // 27: OMEGA := KR*OMEGA
        c->x[omega] = d->KR * c->x[omega];
    }
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    (void)element;
    switch (event) {
    case CRASH: return crash(c, copy);
    case DOWN:
        // 30: DELETE STONE[STONENBR]
        return cosy_copy_delete(c, STONE, stone(c, copy)->copy.number,
                                COSY_NONE);
    default: return COSY_FAIL(COSY_BUG, event);
    }
}

static CosyStatus copy_terminal(Cosy *c, uint32_t process, uint32_t position)
{
    (void)process;
    (void)position;
    // 32: IF ENTRYNBR(STONEFILE) <= 2 THEN FINISH
    if (cosy_copy_entries(c, STONE) + 1 <= 2)
        c->head->request = COSY_FINISH_RUN;
    return COSY_OK;
}

static CosyStatus terminal(Cosy *c)
{
    Data *d = c->data;
    // 47: V := D*(STONES - 1)/TIME; MOST := MAXQ(STONE) - 1
    d->V = d->D * (real)(d->STONES - 1) / c->head->t;
    d->MOST = (int64_t)c->copy[STONE].most;
    return COSY_OK;
}

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    uint32_t n = c->copy[STONE].active;
    *count = 2 * n;
    for (uint32_t k = 0; row && k < n; k++) {
        uint32_t at = k * STONE_STATES;
        row[2 * k] = at + OMEGA; // PHI appears in OMEGA'
        column[2 * k] = at + PHI;
        row[2 * k + 1] = at + PHI; // OMEGA appears in PHI'
        column[2 * k + 1] = at + OMEGA;
    }
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    const Data *d = c->data;
    (void)t;
    for (uint32_t k = 0; k < c->copy[STONE].active; k++) {
        const real *s = x + k * STONE_STATES;
        value[2 * k] = d->KM * cosy_cos(s[PHI]) / d->THETA;
        value[2 * k + 1] = R(1.0);
    }
    return COSY_OK;
}

static CosyStatus experiment(Cosy *c)
{
    // 35: PARAMETER D = (0.02147, 0.012)
    COSY_TRY(c->host->list(c, COSY_LIST_PARAMETER, V_D, COSY_NONE));
    COSY_TRY(c->host->element(c, R(0.02147), 1, R(0.0)));
    COSY_TRY(c->host->element(c, R(0.012), 1, R(0.0)));
    // 37: SIMULATE FROM 0 TO FINISH
    const CosySimulate simulate = {
        .from = R(0.0),
        .to_finish = true,
        .method = "DOPRI5",
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
    .name = "DOMINO",
    .source = "domino.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .n_variables = VARIABLES,
    .variables = variables,
    .n_equations = EQUATIONS,
    .equations = equations,
    .n_conditions_info = CONDITIONS,
    .conditions_info = conditions_info,
    .n_state_events = STATE_EVENTS,
    .state_events = state_events,
    .n_copies = PROCESSES,
    .copies = copies,
    .reset = reset,
    .initial = initial,
    .derivatives = derivatives,
    .conditions = conditions,
    .state_event = state_event,
    .copy_terminal = copy_terminal,
    .terminal = terminal,
    .experiment = experiment,
    .pattern = pattern,
    .jacobian = jacobian,
};
