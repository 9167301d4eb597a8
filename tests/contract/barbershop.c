/* PROGRAM BARBERSHOP (INPUT, OUTPUT);
   CONST INTEGER MAXCOUNT = 100;
   VAR REAL TISYS, TIQUE; INTEGER COUNT, CUSTOMER; BOOLEAN BUSY;
     RANDOM INTERARRT, SERVICETIM; PROCESS BARBERSHOP FILE = SHOPFILE;
   DISCRETE PROCESS BARBERSHOP;
   TYPE CUSTOMERS = RECORD INTEGER TRANSNBR, BLOCKNBR, PRIORNBR;
     REAL GENTIM, MARKTIME END;
   VAR FILE OF 51 CUSTOMERS RANKED FIFO: SHOPFILE;
     FACILITY JOE;
   BEGIN
     GENERATE CUSTOMER FOR BARBERSHOP AT TIME + INTERARRT;
     SEIZE JOE;
     TIQUE := TIME - GENTIM;
     BUSY := TRUE;
     ADVANCE SERVICETIM;
     RELEASE JOE;
     BUSY := FALSE;
     TISYS := TIME - GENTIM;
     COUNT := COUNT + 1;
     IF COUNT > MAXCOUNT THEN FINISH
   END;
   EXPERIMENT
     HISTOGRAM TIQUE: 30 CELLS WIDTH = 2.0 FUPLIM = 0.0;
               TISYS: 20 CELLS WIDTH = 3.0 FUPLIM = 13.0 END;
     COLLECT TIQUE; TISYS END;
     TIMEPERS BUSY START = FALSE END;
     RANDOMGEN INTERARRT: EXPOND AVTIM = 15.0 SEED = 23577;
               SERVICETIM: UNIFORMD MIN = 12.0 MAX = 18.0 SEED = 74501 END;
     SIMULATE FROM 0 TO FINISH
   END;
   SYSTEM
     INITIAL
       COUNT := 0;
       GENERATE CUSTOMER FOR BARBERSHOP AT INTERARRT
     END;
     DISCRETE PROCESSES BARBERSHOP END END
   END
   END. */

#define COSY_TRANSACTION_SIZE (16 * sizeof(real))
#include "cosy/model.h"

typedef struct Data {
    int64_t MAXCOUNT;
    real TISYS;
    real TIQUE;
    int64_t COUNT;
    uint8_t BUSY;
} Data;

typedef struct Barbershop {
    CosyTransaction head;
} Barbershop;

_Static_assert(sizeof(Barbershop) <= COSY_TRANSACTION_SIZE,
               "a place in the pool is too small");

enum { PROCESS_BARBERSHOP };
enum { RESOURCE_JOE };
enum { STREAM_INTERARRT, STREAM_SERVICETIM };
enum { COLLECT_TIQUE, COLLECT_TISYS };
enum { TIMEPERS_BUSY };
enum { HISTOGRAM_TIQUE, HISTOGRAM_TISYS };

#define VARIABLE(NAME, KIND, TYPE, CAUSALITY, LINE)                            \
    {                                                                          \
        .name = #NAME, .unit = "", .comment = "", .kind = KIND, .type = TYPE,  \
        .causality = CAUSALITY, .place = offsetof(Data, NAME), .rows = 1,      \
        .columns = 1, .process = COSY_NONE, .derivative = COSY_NONE,           \
        .low = R(1.0), .high = R(0.0), .line = LINE                            \
    }

static const CosyVariable variables[] = {
    VARIABLE(MAXCOUNT, COSY_CONST, COSY_TYPE_INTEGER, COSY_PARAMETER, 2),
    VARIABLE(TISYS, COSY_REAL, COSY_TYPE_REAL, COSY_LOCAL, 3),
    VARIABLE(TIQUE, COSY_REAL, COSY_TYPE_REAL, COSY_LOCAL, 3),
    VARIABLE(COUNT, COSY_REAL, COSY_TYPE_INTEGER, COSY_LOCAL, 3),
    VARIABLE(BUSY, COSY_REAL, COSY_TYPE_BOOLEAN, COSY_LOCAL, 3),
};

static const uint32_t barbershop_lines[] = {11, 12, 15};

static const CosyProcessInfo processes[] = {
    {.name = "BARBERSHOP",
     .points = 3,
     .lines = barbershop_lines,
     .capacity = 51,
     .line = 5},
};

static const CosyResourceInfo resources[] = {
    {.name = "JOE", .kind = COSY_FACILITY, .capacity = 1, .line = 9},
};

static const CosyStreamInfo streams[] = {
    {.name = "INTERARRT",
     .distribution = COSY_EXPOND,
     .a = 15.0,
     .seed = 23577,
     .line = 27},
    {.name = "SERVICETIM",
     .distribution = COSY_UNIFORMD,
     .a = 12.0,
     .b = 18.0,
     .seed = 74501,
     .line = 28},
};

static const CosyNamed collects[] = {
    {.name = "TIQUE", .line = 25},
    {.name = "TISYS", .line = 25},
};

static const CosyNamed timepers[] = {
    {.name = "BUSY", .start = R(0.0), .line = 26},
};

static const CosyHistogramInfo histograms[] = {
    {.name = "TIQUE",
     .cells = 30,
     .first = R(0.0),
     .width = R(2.0),
     .line = 23},
    {.name = "TISYS",
     .cells = 20,
     .first = R(13.0),
     .width = R(3.0),
     .line = 24},
};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.MAXCOUNT = 100};
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    uint32_t CUSTOMER;
    /* COUNT := 0; */
    d->COUNT = 0;
    /* GENERATE CUSTOMER FOR BARBERSHOP AT INTERARRT */
    COSY_TRY(cosy_generate(c, PROCESS_BARBERSHOP,
                           cosy_draw(c, STREAM_INTERARRT), 0, &CUSTOMER));
    return COSY_OK;
}

static CosyStatus barbershop_resume(Cosy *c, uint32_t self)
{
    Data *d = c->data;
    uint32_t CUSTOMER;
    switch (cosy_transaction(c, self)->point) {
    case 0:
        /* GENERATE CUSTOMER FOR BARBERSHOP AT TIME + INTERARRT; */
        COSY_TRY(cosy_generate(c, PROCESS_BARBERSHOP,
                               c->head->t + cosy_draw(c, STREAM_INTERARRT), 0,
                               &CUSTOMER));
        /* SEIZE JOE; */
        COSY_PASS(cosy_seize(c, RESOURCE_JOE, self, 1));
        /* fall through */
    case 1:
        /* TIQUE := TIME - GENTIM; */
        d->TIQUE = c->head->t - cosy_transaction(c, self)->gentim;
        COSY_TRY(cosy_collect(c, COLLECT_TIQUE, d->TIQUE));
        COSY_TRY(cosy_histogram(c, HISTOGRAM_TIQUE, d->TIQUE));
        /* BUSY := TRUE; */
        d->BUSY = 1;
        COSY_TRY(cosy_timepers(c, TIMEPERS_BUSY, (real)d->BUSY));
        /* ADVANCE SERVICETIM; */
        COSY_PASS(cosy_advance(c, self, cosy_draw(c, STREAM_SERVICETIM), 2));
        /* fall through */
    case 2:
        /* RELEASE JOE; */
        COSY_TRY(cosy_release(c, RESOURCE_JOE, self));
        /* BUSY := FALSE; */
        d->BUSY = 0;
        COSY_TRY(cosy_timepers(c, TIMEPERS_BUSY, (real)d->BUSY));
        /* TISYS := TIME - GENTIM; */
        d->TISYS = c->head->t - cosy_transaction(c, self)->gentim;
        COSY_TRY(cosy_collect(c, COLLECT_TISYS, d->TISYS));
        COSY_TRY(cosy_histogram(c, HISTOGRAM_TISYS, d->TISYS));
        /* COUNT := COUNT + 1; */
        d->COUNT = d->COUNT + 1;
        /* IF COUNT > MAXCOUNT THEN FINISH */
        if (d->COUNT > d->MAXCOUNT)
            c->head->request = COSY_FINISH_RUN;
        return cosy_finish(c, PROCESS_BARBERSHOP, self);
    default: return COSY_FAIL(COSY_BUG, 0);
    }
}

static CosyStatus resume(Cosy *c, uint32_t transaction)
{
    switch (cosy_process(cosy_transaction(c, transaction))) {
    case PROCESS_BARBERSHOP: return barbershop_resume(c, transaction);
    default: return COSY_FAIL(COSY_BUG, 0);
    }
}

static CosyStatus experiment(Cosy *c)
{
    /* SIMULATE FROM 0 TO FINISH */
    static const CosySimulate simulate = {.to_finish = true, .frame = 1};
    return c->host->simulate(c, &simulate);
}

#define LENGTH(table) (uint32_t)(sizeof(table) / sizeof((table)[0]))

extern const CosyModel COSY_NAME(cosy_model);
const CosyModel COSY_NAME(cosy_model) = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "BARBERSHOP",
    .source = "barbershop.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .transaction_size = COSY_TRANSACTION_SIZE,
    .n_variables = LENGTH(variables),
    .variables = variables,
    .n_processes = LENGTH(processes),
    .processes = processes,
    .n_resources = LENGTH(resources),
    .resources = resources,
    .n_streams = LENGTH(streams),
    .streams = streams,
    .n_collects = LENGTH(collects),
    .collects = collects,
    .n_timepers = LENGTH(timepers),
    .timepers = timepers,
    .n_histograms = LENGTH(histograms),
    .histograms = histograms,
    .reset = reset,
    .initial = initial,
    .resume = resume,
    .experiment = experiment,
};
