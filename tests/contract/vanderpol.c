/* Van der Pol's oscillator with a cubic spring,

       y'' - MY (1 - y^2) y' + y^3 = 0,

   as the compiler writes it. It stands for this text (lines count from 1):

   1  PROGRAM VANDERPOL;
   2  CONST REAL MY = 1.0, START1 = 0.5, START2 = -0.5;
   3  VAR STATE X1, X2;
   4      ALGEBR X1SQR;
   5  STORE X1, X2;
   6  EXPERIMENT
   7    SIMULATE FROM 0.0 TO 20.0 COMINT = 0.05;
   8  END;
   9  SYSTEM
  10    INITIAL
  11      X1 := START1; X2 := START2;
  12    END;
  13    CONTINUOUS
  14      X1' = X2;
  15      X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR;
  16      X1SQR = X1*X1;
  17    END;
  18  END;
  19  END.

   Equations are numbered as they are computed: X1SQR, X1', X2'. */

#include "cosy/model.h"

#define cosy_model COSY_NAME(cosy_model)
extern const CosyModel cosy_model;

/* Constants that --set may change, and algebraic values. */
typedef struct Data {
    real MY, START1, START2;
    real X1SQR;
} Data;

/* Places in the state vector. */
enum { X1, X2, STATES };

enum { V_MY, V_START1, V_START2, V_X1, V_X2, V_X1SQR };

enum { E_X1SQR, E_X1, E_X2 };

/* ---- Description -------------------------------------------------------- */

#define NO_RANGE .low = R(1.0), .high = R(-1.0)
#define SCALAR   .rows = 1, .columns = 1, .process = COSY_NONE
#define PLAIN    .unit = "", .comment = "", SCALAR, .derivative = COSY_NONE

static const CosyVariable variables[] = {
    [V_MY] = {.name = "MY",
              .kind = COSY_CONST,
              .causality = COSY_PARAMETER,
              .place = offsetof(Data, MY),
              .line = 2,
              PLAIN,
              NO_RANGE},
    [V_START1] = {.name = "START1",
                  .kind = COSY_CONST,
                  .causality = COSY_PARAMETER,
                  .place = offsetof(Data, START1),
                  .line = 2,
                  PLAIN,
                  NO_RANGE},
    [V_START2] = {.name = "START2",
                  .kind = COSY_CONST,
                  .causality = COSY_PARAMETER,
                  .place = offsetof(Data, START2),
                  .line = 2,
                  PLAIN,
                  NO_RANGE},
    [V_X1] = {.name = "X1",
              .kind = COSY_STATE,
              .place = X1,
              .line = 3,
              PLAIN,
              NO_RANGE},
    [V_X2] = {.name = "X2",
              .kind = COSY_STATE,
              .place = X2,
              .line = 3,
              PLAIN,
              NO_RANGE},
    [V_X1SQR] = {.name = "X1SQR",
                 .kind = COSY_ALGEBR,
                 .place = offsetof(Data, X1SQR),
                 .line = 4,
                 PLAIN,
                 NO_RANGE},
};

static const CosyEquation equations[] = {
    [E_X1SQR] = {V_X1SQR, 16, "X1SQR = X1*X1", false},
    [E_X1] = {V_X1, 14, "X1' = X2", false},
    [E_X2] = {V_X2, 15, "X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR", false},
};

static const uint32_t state_equation[STATES] = {[X1] = E_X1, [X2] = E_X2};

static const uint32_t stored[] = {V_X1, V_X2};

static const uint32_t parameters[] = {V_MY};

/* ---- Continuous part ---------------------------------------------------- */

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;

    d->MY = R(1.0);
    d->START1 = R(0.5);
    d->START2 = R(-0.5);
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    const Data *d = c->data;

    /* 11: X1 := START1; X2 := START2 */
    c->x[X1] = d->START1;
    c->x[X2] = d->START2;
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    (void)t;

    /* 16: X1SQR = X1*X1 */
    real X1SQR = x[X1] * x[X1];
    /* 14: X1' = X2 */
    dx[X1] = x[X2];
    /* 15: X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR */
    dx[X2] = d->MY * (R(1.0) - X1SQR) * x[X2] - x[X1] * X1SQR;
    return COSY_OK;
}

static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    (void)t;

    /* 16: X1SQR = X1*X1 */
    d->X1SQR = x[X1] * x[X1];
    if (!cosy_finite(d->X1SQR))
        return COSY_FAIL(COSY_NUMBER, E_X1SQR);
    /* 14: X1' = X2 */
    if (!cosy_finite(x[X2]))
        return COSY_FAIL(COSY_NUMBER, E_X1);
    /* 15: X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR */
    if (!cosy_finite(d->MY * (R(1.0) - d->X1SQR) * x[X2] - x[X1] * d->X1SQR))
        return COSY_FAIL(COSY_NUMBER, E_X2);
    return COSY_OK;
}

/* ---- Jacobian ----------------------------------------------------------- */

/* Entries in the order of the equations. */
enum { X1_BY_X2, X2_BY_X1, X2_BY_X2, ENTRIES };

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    static const uint32_t rows[ENTRIES] = {X1, X2, X2};
    static const uint32_t columns[ENTRIES] = {X2, X1, X2};
    (void)c;

    *count = ENTRIES;
    for (uint32_t k = 0; row && k < ENTRIES; k++) {
        row[k] = rows[k];
        column[k] = columns[k];
    }
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, real *value)
{
    const Data *d = c->data;
    (void)t;

    /* 16: X1SQR = X1*X1 */
    real X1SQR = x[X1] * x[X1];
    real X1SQR_by_X1 = R(2.0) * x[X1];
    /* 14: X1' = X2 */
    value[X1_BY_X2] = R(1.0);
    /* 15: X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR */
    value[X2_BY_X1] =
        -d->MY * X1SQR_by_X1 * x[X2] - X1SQR - x[X1] * X1SQR_by_X1;
    value[X2_BY_X2] = d->MY * (R(1.0) - X1SQR);
    return COSY_OK;
}

static CosyStatus tangent(Cosy *c, real t, const real *x, const real *vx,
                          const real *vp, real *df)
{
    const Data *d = c->data;
    (void)t;

    /* 16: X1SQR = X1*X1 */
    real X1SQR = x[X1] * x[X1];
    real v_X1SQR = R(2.0) * x[X1] * vx[X1];
    /* 14: X1' = X2 */
    df[X1] = vx[X2];
    /* 15: X2' = MY*(1.0 - X1SQR)*X2 - X1*X1SQR */
    df[X2] = vp[0] * (R(1.0) - X1SQR) * x[X2] - d->MY * v_X1SQR * x[X2] +
             d->MY * (R(1.0) - X1SQR) * vx[X2] - vx[X1] * X1SQR -
             x[X1] * v_X1SQR;
    return COSY_OK;
}

/* ---- Experiment --------------------------------------------------------- */

static CosyStatus experiment(Cosy *c)
{
    /* 7: SIMULATE FROM 0.0 TO 20.0 COMINT = 0.05 */
    static const CosySimulate simulate = {
        .from = R(0.0), .to = R(20.0), .comint = R(0.05), .frame = 1};
    return c->host->simulate(c, &simulate);
}

/* ---- The model ---------------------------------------------------------- */

#define TABLE(name) .n_##name = sizeof name / sizeof name[0], .name = name

const CosyModel cosy_model = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "VANDERPOL",
    .source = "vanderpol.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .states = STATES,
    TABLE(variables),
    TABLE(equations),
    TABLE(stored),
    TABLE(parameters),
    .n_state_equations = STATES,
    .state_equation = state_equation,
    .reset = reset,
    .initial = initial,
    .derivatives = derivatives,
    .outputs = outputs,
    .experiment = experiment,
    .pattern = pattern,
    .jacobian = jacobian,
    .tangent = tangent,
};
