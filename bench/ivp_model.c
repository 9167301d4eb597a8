/* One of the problems of bench/ivp.h as a model, in the form in which the
   compiler writes it: -DIVP=hires -DIVP_NAME=HIRES, and -DIVP_STIFF if it has a
   Jacobian. */

#include "bench/ivp.h"
#include "cosy/model.h"

#define cosy_model COSY_NAME(cosy_model)
extern const CosyModel cosy_model;

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define TEXT_(a)     #a
#define TEXT(a)      TEXT_(a)

#define STATES PASTE(IVP_NAME, _N)

static const CosyVariable variables[] = {COSY_STATES("Y", 0, STATES, "", 1)};

static CosyStatus initial(Cosy *c)
{
    for (int i = 0; i < STATES; i++)
        c->x[i] = PASTE(IVP, _begin)[i];
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    PASTE(IVP, _rhs)(x, dx);
    return COSY_OK;
}

#ifdef IVP_STIFF

#define STATEMENTS PASTE(IVP_NAME, _JACOBIAN)

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    const double *y = PASTE(IVP, _begin);
    double value = 0.0;
    uint32_t p = 0;
    (void)c;
    *count = PASTE(IVP_NAME, _ENTRIES);
    if (row == NULL)
        return COSY_OK;
#define J(i, j) row[p] = i, column[p++] = j, value
    STATEMENTS
#undef J
        (void)
    y, (void)value;
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *y, real *value)
{
    (void)c;
    (void)t;
#define J(i, j) *value++
    STATEMENTS
#undef J
    return COSY_OK;
}

#endif

static CosyStatus experiment(Cosy *c)
{
    static const CosySimulate simulate = {.to = PASTE(IVP_NAME, _TO),
                                          .frame = 1};
    return c->host->simulate(c, &simulate);
}

const CosyModel cosy_model = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = TEXT(IVP_NAME),
    .source = "bench/ivp.h",
    .hash = "",
    .states = STATES,
    .n_variables = 1,
    .variables = variables,
    .initial = initial,
    .derivatives = derivatives,
    .experiment = experiment,
#ifdef IVP_STIFF
    .pattern = pattern,
    .jacobian = jacobian,
#endif
};
