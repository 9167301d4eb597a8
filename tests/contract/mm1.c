/* PROGRAM MM1;
   CONST INTEGER CUSTOMERS = 1000000; REAL MEANARRIVAL = 1.25, MEANSERVICE = 1.0;
   VAR INTEGER SERVED, CUSTOMER; REAL STAY; RANDOM INTERARR, SERVICE; PROCESS QUEUE;
   DISCRETE PROCESS QUEUE;
   VAR FACILITY SERVER;
   BEGIN
     GENERATE CUSTOMER FOR QUEUE AT TIME + INTERARR;
     SEIZE SERVER;
     ADVANCE SERVICE;
     RELEASE SERVER;
     STAY := STAY + (TIME - GENTIM);
     SERVED := SERVED + 1;
     IF SERVED >= CUSTOMERS THEN FINISH
   END;
   EXPERIMENT
     RANDOMGEN INTERARR: EXPOND AVTIM = 1.25 SEED = 1; SERVICE: EXPOND AVTIM = 1.0
       SEED = 2 END;
     SIMULATE FROM 0 TO FINISH
   END;
   SYSTEM
     INITIAL SERVED := 0; STAY := 0.0; GENERATE CUSTOMER FOR QUEUE AT INTERARR END;
     DISCRETE PROCESSES QUEUE END END
   END
   END. */

#define COSY_TRANSACTION_SIZE (16 * sizeof(real))
#include "cosy/model.h"

typedef struct Data {
    int64_t CUSTOMERS;
    int64_t SERVED;
    real STAY;
} Data;

typedef struct Queue {
    CosyTransaction head;
} Queue;

_Static_assert(sizeof(Queue) <= COSY_TRANSACTION_SIZE, "a place is too small");

enum { PROCESS_QUEUE };
enum { RESOURCE_SERVER };
enum { STREAM_INTERARR, STREAM_SERVICE };

static const CosyVariable variables[] = {
    {.name = "CUSTOMERS",
     .unit = "",
     .comment = "",
     .kind = COSY_CONST,
     .type = COSY_TYPE_INTEGER,
     .causality = COSY_PARAMETER,
     .place = offsetof(Data, CUSTOMERS),
     .rows = 1,
     .columns = 1,
     .process = COSY_NONE,
     .derivative = COSY_NONE,
     .low = R(1.0),
     .high = R(0.0),
     .line = 2},
    {.name = "SERVED",
     .unit = "",
     .comment = "",
     .kind = COSY_REAL,
     .type = COSY_TYPE_INTEGER,
     .place = offsetof(Data, SERVED),
     .rows = 1,
     .columns = 1,
     .process = COSY_NONE,
     .derivative = COSY_NONE,
     .low = R(1.0),
     .high = R(0.0),
     .line = 3},
    {.name = "STAY",
     .unit = "",
     .comment = "",
     .kind = COSY_REAL,
     .place = offsetof(Data, STAY),
     .rows = 1,
     .columns = 1,
     .process = COSY_NONE,
     .derivative = COSY_NONE,
     .low = R(1.0),
     .high = R(0.0),
     .line = 3},
};

static const uint32_t queue_lines[] = {7, 8, 9};

static const CosyProcessInfo processes[] = {
    {.name = "QUEUE", .points = 3, .lines = queue_lines, .line = 4},
};

static const CosyResourceInfo resources[] = {
    {.name = "SERVER", .kind = COSY_FACILITY, .capacity = 1, .line = 5},
};

static const CosyStreamInfo streams[] = {
    {.name = "INTERARR",
     .distribution = COSY_EXPOND,
     .a = 1.25,
     .seed = 1,
     .line = 16},
    {.name = "SERVICE",
     .distribution = COSY_EXPOND,
     .a = 1.0,
     .seed = 2,
     .line = 16},
};

static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.CUSTOMERS = 1000000};
    return COSY_OK;
}

static CosyStatus initial(Cosy *c)
{
    Data *d = c->data;
    uint32_t CUSTOMER;
    /* SERVED := 0; */
    d->SERVED = 0;
    /* STAY := 0.0; */
    d->STAY = R(0.0);
    /* GENERATE CUSTOMER FOR QUEUE AT INTERARR */
    return cosy_generate(c, PROCESS_QUEUE, cosy_draw(c, STREAM_INTERARR), 0,
                         &CUSTOMER);
}

static CosyStatus queue_resume(Cosy *c, uint32_t self)
{
    Data *d = c->data;
    Queue *tr = (Queue *)(void *)cosy_transaction(c, self);
    uint32_t CUSTOMER;
    switch (tr->head.point) {
    case 0:
        /* GENERATE CUSTOMER FOR QUEUE AT TIME + INTERARR; */
        COSY_TRY(cosy_generate(c, PROCESS_QUEUE,
                               c->head->t + cosy_draw(c, STREAM_INTERARR), 0,
                               &CUSTOMER));
        tr = (Queue *)(void *)cosy_transaction(c, self);
        /* SEIZE SERVER; */
        COSY_PASS(cosy_seize(c, RESOURCE_SERVER, self, 1));
        /* fall through */
    case 1:
        /* ADVANCE SERVICE; */
        COSY_PASS(cosy_advance(c, self, cosy_draw(c, STREAM_SERVICE), 2));
        /* fall through */
    case 2:
        /* RELEASE SERVER; */
        COSY_TRY(cosy_release(c, RESOURCE_SERVER, self));
        /* STAY := STAY + (TIME - GENTIM); */
        d->STAY = d->STAY + (c->head->t - tr->head.gentim);
        /* SERVED := SERVED + 1; */
        d->SERVED = d->SERVED + 1;
        /* IF SERVED >= CUSTOMERS THEN FINISH */
        if (d->SERVED >= d->CUSTOMERS)
            c->head->request = COSY_FINISH_RUN;
        return cosy_finish(c, PROCESS_QUEUE, self);
    default: return COSY_FAIL(COSY_BUG, 0);
    }
}

static CosyStatus resume(Cosy *c, uint32_t transaction)
{
    return queue_resume(c, transaction);
}

static CosyStatus discrete(Cosy *c, CosyRound *round)
{
    return cosy_go(c, round, resume, NULL);
}

static CosyStatus experiment(Cosy *c)
{
    /* SIMULATE FROM 0 TO FINISH */
    static const CosySimulate simulate = {.to_finish = true, .frame = 1};
    return c->host->simulate(c, &simulate);
}

extern const CosyModel COSY_NAME(cosy_model);
const CosyModel COSY_NAME(cosy_model) = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "MM1",
    .source = "mm1.cosy",
    .hash = "", // no text: this file is the model
    .data_size = sizeof(Data),
    .transaction_size = COSY_TRANSACTION_SIZE,
    .n_variables = sizeof variables / sizeof variables[0],
    .variables = variables,
    .n_processes = 1,
    .processes = processes,
    .n_resources = 1,
    .resources = resources,
    .n_streams = 2,
    .streams = streams,
    .reset = reset,
    .initial = initial,
    .discrete = discrete,
    .experiment = experiment,
};
