/* Heat equation on a rod, U_t = A U_xx on 0 < x < 1, by the method of lines;
   as the compiler writes it. The left end is held at HOT until the right end,
   which is insulated, has reached LEVEL; then the left end is insulated too and
   the rod comes to its mean. It stands for this text (lines count from 1):

   1  PROGRAM HEAT;
   2  CONST INTEGER N = 1000;
   3        REAL A = 1.0, HOT = 1.0, LEVEL = 0.5;
   4  VAR ARRAY [N] OF STATE U;
   5      ALGEBR WALL, MEAN;
   6      REAL D; INTEGER MODE; SEVENT WARM;
   7  STORE WALL, MEAN;
   8  EXPERIMENT
   9    INTEGRAT METHOD RADAU5;
  10    SIMULATE FROM 0.0 TO 1.0 COMINT = 0.01;
  11  END;
  12  SYSTEM
  13    INITIAL
  14      D := A*N*N; MODE := 1;
  15      FOR I := 1 TO N DO U[I] := 0.0;
  16    END;
  17    CONTINUOUS
  18      CASE MODE OF
  19        1: WALL = HOT;
  20           CONDIT WARM: U[N] CROSSES LEVEL POS END;
  21        END;
  22        2: WALL = U[1]; END;
  23      U[1]' = D*(WALL - 2.0*U[1] + U[2]);
  24      FOR I := 2 TO N-1 DO U[I]' = D*(U[I-1] - 2.0*U[I] + U[I+1]);
  25      U[N]' = 2.0*D*(U[N-1] - U[N]);   (* ghost point U[N+1] = U[N-1] *)
  26      MEAN = (SUM(I := 1 TO N-1 : U[I]) + 0.5*U[N])/(N - 0.5);
  27    END;
  28    DISCRETE EVENTS
  29      WARM: MODE := 2 END
  30    END;
  31  END;
  32  END.

   N shapes, so it is a macro: -DCOSY_HEAT_N=100 gives another model.

   REFERENCE. U[I] lies at x = I/N, WALL at x = 0. While the wall is hot,

       U[I] = HOT (1 - sum over k of cot(p/2)/N sin(I p) exp(-s t)),
       p = (2k - 1) PI/(2N),  s = 4 D sin(p/2)^2,  k = 1 .. N,

   since sin(I p) are the eigenvectors of the matrix (Dirichlet on the left, a
   ghost point on the right). U[N] = LEVEL was solved for t by Newton's method.
   With the wall insulated the eigenvectors are cos((I - 1/2) q), q = k PI/(N -
   1/2), with weight 1/2 on U[N]; MEAN is the first of them and does not change.
   Both sums were evaluated with 40 digits, independently of any integrator;
   values at TIME = 1 with A = HOT = 1, LEVEL = 0.5:

       N     event                     MEAN after it
       10    0.37868003803235081428    0.66553001612159725799
       100   0.37874718632219069899    0.68001648856030285713
       1000  0.37874783175448233283    0.68145075706003190874

       N     U[1] at the end           U[N] at the end
       10    0.66575780478559150488    0.66529907775966873707
       100   0.68044651859315073543    0.67958640493601117948
       1000  0.68190867243057649141    0.68099284112584032272

   (The equation itself, N without end: event 0.37874783827139567116, MEAN
   0.68160996729293781799.) With RELERR = 1e-6 all of them are met to 1e-5, and
   MEAN after the event is constant to 1e-9. */

#include "cosy/model.h"

#define cosy_model COSY_NAME(cosy_model)
extern const CosyModel cosy_model;

#ifndef COSY_HEAT_N
#define COSY_HEAT_N 1000
#endif

enum { N = COSY_HEAT_N };

/* Constants that --set may change, discrete variables, algebraic values. */
typedef struct Data {
    real A, HOT, LEVEL;
    real D;
    int64_t MODE;
    real WALL, MEAN;
} Data;

/* Places in the state vector: U[1] .. U[N] lie at 0 .. N-1. */
#define U(I) ((I)-1)

enum { V_A, V_HOT, V_LEVEL, V_U, V_WALL, V_MEAN, V_D, V_MODE };

enum { E_WALL_HOT, E_WALL_FREE, E_U_FIRST, E_U, E_U_LAST, E_MEAN };

enum { C_WARM };

enum { EV_WARM };

/* ---- Description -------------------------------------------------------- */

#define SHAPE(n)                                                               \
    .unit = "", .comment = "", .rows = n, .columns = 1, .process = COSY_NONE,  \
    .derivative = COSY_NONE, .low = R(1.0), .high = R(-1.0)

static const CosyVariable variables[] = {
    [V_A] = {.name = "A",
             .kind = COSY_CONST,
             .causality = COSY_PARAMETER,
             .place = offsetof(Data, A),
             .line = 3,
             SHAPE(1)},
    [V_HOT] = {.name = "HOT",
               .kind = COSY_CONST,
               .causality = COSY_PARAMETER,
               .place = offsetof(Data, HOT),
               .line = 3,
               SHAPE(1)},
    [V_LEVEL] = {.name = "LEVEL",
                 .kind = COSY_CONST,
                 .causality = COSY_PARAMETER,
                 .place = offsetof(Data, LEVEL),
                 .line = 3,
                 SHAPE(1)},
    [V_U] =
        {.name = "U", .kind = COSY_STATE, .place = U(1), .line = 4, SHAPE(N)},
    [V_WALL] = {.name = "WALL",
                .kind = COSY_ALGEBR,
                .place = offsetof(Data, WALL),
                .line = 5,
                SHAPE(1)},
    [V_MEAN] = {.name = "MEAN",
                .kind = COSY_ALGEBR,
                .place = offsetof(Data, MEAN),
                .line = 5,
                SHAPE(1)},
    [V_D] = {.name = "D",
             .kind = COSY_REAL,
             .place = offsetof(Data, D),
             .line = 6,
             SHAPE(1)},
    [V_MODE] = {.name = "MODE",
                .kind = COSY_REAL,
                .type = COSY_TYPE_INTEGER,
                .place = offsetof(Data, MODE),
                .line = 6,
                SHAPE(1)},
};

static const CosyEquation equations[] = {
    [E_WALL_HOT] = {V_WALL, 19, "WALL = HOT", false},
    [E_WALL_FREE] = {V_WALL, 22, "WALL = U[1]", false},
    [E_U_FIRST] = {V_U, 23, "U[1]' = D*(WALL - 2.0*U[1] + U[2])", false},
    [E_U] = {V_U, 24, "U[I]' = D*(U[I-1] - 2.0*U[I] + U[I+1])", false},
    [E_U_LAST] = {V_U, 25, "U[N]' = 2.0*D*(U[N-1] - U[N])", false},
    [E_MEAN] = {V_MEAN, 26,
                "MEAN = (SUM(I := 1 TO N-1 : U[I]) + 0.5*U[N])/(N - 0.5)",
                false},
};

static const CosyConditionInfo conditions_info[] = {
    [C_WARM] = {.name = "WARM",
                .kind = COSY_CONDIT,
                .scheme = COSY_CROSSES,
                .direction = 1,
                .event = EV_WARM,
                .process = COSY_NONE,
                .activates = true,
                .line = 20},
};

static const CosyEventInfo state_events[] = {[EV_WARM] = {"WARM", 29}};

static const uint32_t stored[] = {V_WALL, V_MEAN};

/* ---- Continuous part ---------------------------------------------------- */

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;

    d->A = R(1.0);
    d->HOT = R(1.0);
    d->LEVEL = R(0.5);
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;

    /* 14: D := A*N*N; MODE := 1 */
    d->D = d->A * (real)N * (real)N;
    d->MODE = 1;
    /* 15: FOR I := 1 TO N DO U[I] := 0.0 */
    for (uint32_t I = 1; I <= N; I++)
        c->x[U(I)] = R(0.0);
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    const real D = d->D;
    real WALL;
    (void)t;

    /* 18: CASE MODE OF */
    switch (d->MODE) {
    case 1:
        /* 19: WALL = HOT */
        WALL = d->HOT;
        break;
    case 2:
        /* 22: WALL = U[1] */
        WALL = x[U(1)];
        break;
    default: return COSY_FAIL(COSY_SELECTOR, E_WALL_HOT);
    }
    /* 23: U[1]' = D*(WALL - 2.0*U[1] + U[2]) */
    dx[U(1)] = D * (WALL - R(2.0) * x[U(1)] + x[U(2)]);
    /* 24: FOR I := 2 TO N-1 DO U[I]' = D*(U[I-1] - 2.0*U[I] + U[I+1]) */
    for (uint32_t I = 2; I <= N - 1; I++)
        dx[U(I)] = D * (x[U(I - 1)] - R(2.0) * x[U(I)] + x[U(I + 1)]);
    /* 25: U[N]' = 2.0*D*(U[N-1] - U[N]) */
    dx[U(N)] = R(2.0) * D * (x[U(N - 1)] - x[U(N)]);
    return COSY_OK;
}

static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    const real D = d->D;
    (void)t;

    /* 18: CASE MODE OF */
    switch (d->MODE) {
    case 1:
        /* 19: WALL = HOT */
        d->WALL = d->HOT;
        if (!cosy_finite(d->WALL))
            return COSY_FAIL(COSY_NUMBER, E_WALL_HOT);
        break;
    case 2:
        /* 22: WALL = U[1] */
        d->WALL = x[U(1)];
        if (!cosy_finite(d->WALL))
            return COSY_FAIL(COSY_NUMBER, E_WALL_FREE);
        break;
    default: return COSY_FAIL(COSY_SELECTOR, E_WALL_HOT);
    }
    /* 23: U[1]' = D*(WALL - 2.0*U[1] + U[2]) */
    if (!cosy_finite(D * (d->WALL - R(2.0) * x[U(1)] + x[U(2)])))
        return COSY_FAIL(COSY_NUMBER, E_U_FIRST);
    /* 24: FOR I := 2 TO N-1 DO U[I]' = D*(U[I-1] - 2.0*U[I] + U[I+1]) */
    for (uint32_t I = 2; I <= N - 1; I++)
        if (!cosy_finite(D * (x[U(I - 1)] - R(2.0) * x[U(I)] + x[U(I + 1)])))
            return COSY_FAIL(COSY_NUMBER, E_U);
    /* 25: U[N]' = 2.0*D*(U[N-1] - U[N]) */
    if (!cosy_finite(R(2.0) * D * (x[U(N - 1)] - x[U(N)])))
        return COSY_FAIL(COSY_NUMBER, E_U_LAST);
    /* 26: MEAN = (SUM(I := 1 TO N-1 : U[I]) + 0.5*U[N])/(N - 0.5) */
    real sum = R(0.0);
    for (uint32_t I = 1; I <= N - 1; I++)
        sum += x[U(I)];
    d->MEAN = (sum + R(0.5) * x[U(N)]) / ((real)N - R(0.5));
    if (!cosy_finite(d->MEAN))
        return COSY_FAIL(COSY_NUMBER, E_MEAN);
    return COSY_OK;
}

/* ---- Conditions and events ---------------------------------------------- */

static CosyStatus conditions(Cosy *c, real t, const real *x, const real *dx,
                             CosyCondition *list, uint32_t *count)
{
    const Data *d = c->data;
    (void)t;

    *count = 0;
    /* 18: CASE MODE OF 1: */
    if (d->MODE == 1) {
        /* 20: CONDIT WARM: U[N] CROSSES LEVEL POS */
        list[(*count)++] = (CosyCondition){.id = C_WARM,
                                           .copy = COSY_NONE,
                                           .z = x[U(N)] - d->LEVEL,
                                           .dz = dx[U(N)]};
    }
    return COSY_OK;
}

static CosyStatus state_event(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Data *d = c->data;
    (void)copy;
    (void)element;

    switch (event) {
    case EV_WARM:
        /* 29: WARM: MODE := 2 */
        d->MODE = 2;
        break;
    default: return COSY_FAIL(COSY_BUG, event);
    }
    return COSY_OK;
}

/* ---- Jacobian: three diagonals ------------------------------------------ */

/* Column J has the equations of U[J-1], U[J] and U[J+1], as far as they
   exist. */
static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    uint32_t entry = 0;
    (void)c;

    for (uint32_t J = 1; J <= N; J++) {
        uint32_t first = J > 1 ? J - 1 : 1, last = J < N ? J + 1 : N;
        for (uint32_t I = first; I <= last; I++, entry++)
            if (row != NULL) {
                row[entry] = U(I);
                column[entry] = U(J);
            }
    }
    *count = entry;
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    const Data *d = c->data;
    const real D = d->D;
    (void)t;
    (void)x;

    /* 23: U[1]' = D*(WALL - 2.0*U[1] + U[2]) */
    real WALL_by_U1 = d->MODE == 2 ? R(1.0) : R(0.0);
    *value++ = D * (WALL_by_U1 - R(2.0));
    /* 24: U[2]' by U[1]; 25 if N = 2 */
    *value++ = N > 2 ? D : R(2.0) * D;
    for (uint32_t J = 2; J <= N; J++) {
        /* 23, 24: U[J-1]' by U[J] */
        *value++ = D;
        /* 24, 25: U[J]' by U[J] */
        *value++ = -R(2.0) * D;
        /* 24, 25: U[J+1]' by U[J] */
        if (J < N)
            *value++ = J + 1 < N ? D : R(2.0) * D;
    }
    return COSY_OK;
}

/* ---- Experiment --------------------------------------------------------- */

static CosyStatus experiment(Cosy *c)
{
    /* 9: INTEGRAT METHOD RADAU5
       10: SIMULATE FROM 0.0 TO 1.0 COMINT = 0.01 */
    static const CosySimulate simulate = {.from = R(0.0),
                                          .to = R(1.0),
                                          .comint = R(0.01),
                                          .method = "RADAU5",
                                          .frame = 1};
    return c->host->simulate(c, &simulate);
}

/* ---- The model ---------------------------------------------------------- */

#define TABLE(name) .n_##name = sizeof name / sizeof name[0], .name = name

const CosyModel cosy_model = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "HEAT",
    .source = "heat.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .states = N,
    TABLE(variables),
    TABLE(equations),
    TABLE(conditions_info),
    TABLE(state_events),
    TABLE(stored),
    .reset = reset,
    .initial = initial,
    .derivatives = derivatives,
    .outputs = outputs,
    .conditions = conditions,
    .state_event = state_event,
    .experiment = experiment,
    .pattern = pattern,
    .jacobian = jacobian,
};
