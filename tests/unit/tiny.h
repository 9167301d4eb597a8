#ifndef COSY_TESTS_TINY_H
#define COSY_TESTS_TINY_H

/* A model that does nothing but has one of everything that result files
   contain, and an instance of it. */

#include "cosy/model.h"

#define TINY_LONG 1001

typedef struct TinyData {
    real k, v[3], m[4];
    int64_t n;
    uint8_t flag;
    real u[TINY_LONG];
} TinyData;

#define ROW(n, k, t, p, r, c)                                                  \
    {                                                                          \
        .name = (n), .unit = "", .comment = "", .kind = (k), .type = (t),      \
        .place = (uint32_t)(p), .rows = (r), .columns = (c),                   \
        .process = COSY_NONE, .derivative = COSY_NONE, .low = R(1.0),          \
        .high = R(0.0)                                                         \
    }
#define AT(field) offsetof(TinyData, field)

enum { TINY_X, TINY_K, TINY_V, TINY_M, TINY_N, TINY_FLAG, TINY_U, TINY_COPY };

static const CosyVariable tiny_variables[] = {
    [TINY_X] = ROW("X", COSY_STATE, COSY_TYPE_REAL, 1, 1, 1),
    [TINY_K] = ROW("K", COSY_CONST, COSY_TYPE_REAL, AT(k), 1, 1),
    [TINY_V] = ROW("V", COSY_ALGEBR, COSY_TYPE_REAL, AT(v), 3, 1),
    [TINY_M] = ROW("M", COSY_REAL, COSY_TYPE_REAL, AT(m), 2, 2),
    [TINY_N] = ROW("N", COSY_REAL, COSY_TYPE_INTEGER, AT(n), 1, 1),
    [TINY_FLAG] = ROW("FLAG", COSY_LOGIC, COSY_TYPE_BOOLEAN, AT(flag), 1, 1),
    [TINY_U] = ROW("U", COSY_REAL, COSY_TYPE_REAL, AT(u), TINY_LONG, 1),
    [TINY_COPY] = {.name = "OFCOPY", .rows = 1, .columns = 1, .process = 0},
};

static const uint32_t tiny_stored[] = {TINY_X, TINY_M, TINY_FLAG, TINY_COPY};
static const CosyEventInfo tiny_state_events[] = {{"LANDING", 1, 0}};
static const CosyEventInfo tiny_time_events[] = {{"TICK", 2, 0},
                                                 {"TOCK", 3, 0}};
static const CosyClockInfo tiny_clocks[] = {{.parts = 1, .name = "CLOCK1"}};
static const CosyProcessInfo tiny_processes[] = {{.name = "CUSTOMER"}};
static const CosyRelation tiny_relations[] = {{"A > \"B\", C", 4, 0, 1, 0}};
static const CosyNamed tiny_collects[] = {{.name = "WAIT"}, {.name = "NONE"}};
static const CosyNamed tiny_timepers[] = {{.name = "LEVEL"}};
static const CosyHistogramInfo tiny_histograms[] = {{.name = "H", .cells = 2}};
static const CosyResourceInfo tiny_resources[] = {
    {.name = "DESK", .kind = COSY_FACILITY, .capacity = 1},
    {.name = "DOOR", .kind = COSY_GATE},
    {.name = "PARK", .kind = COSY_STORAGE, .capacity = 10},
};
static const CosyFileInfo tiny_files[] = {{.name = "LINE"}};

#define TABLE(name, rows)                                                      \
    .n_##name = sizeof(rows) / sizeof((rows)[0]), .name = (rows)

static const CosyModel tiny_model = {
    .version = COSY_VERSION,
    .precision = COSY_PRECISION,
    .real_size = sizeof(real),
    .name = "TINY",
    .source = "tiny.cosy",
    .hash = "0123456789abcdef",
    .data_size = sizeof(TinyData),
    .states = 2,
    TABLE(variables, tiny_variables),
    TABLE(stored, tiny_stored),
    TABLE(state_events, tiny_state_events),
    TABLE(time_events, tiny_time_events),
    TABLE(clocks, tiny_clocks),
    TABLE(processes, tiny_processes),
    TABLE(relations_info, tiny_relations),
    TABLE(collects, tiny_collects),
    TABLE(timepers, tiny_timepers),
    TABLE(histograms, tiny_histograms),
    TABLE(resources, tiny_resources),
    TABLE(files, tiny_files),
};

/* The same with units: for TIME, and for a scalar and a matrix that are
   STOREd. */
static inline CosyModel tiny_with_units(CosyVariable *variables)
{
    CosyModel m = tiny_model;
    for (uint32_t k = 0; k < m.n_variables; k++)
        variables[k] = tiny_variables[k];
    variables[TINY_X].unit = "km";
    variables[TINY_M].unit = "1/s";
    variables[TINY_COPY].unit = "K"; // useless
    m.variables = variables;
    m.time_unit = "min";
    return m;
}

typedef struct Tiny {
    Cosy c;
    CosyHead head;
    TinyData data;
    real x[2];
    CosyCollect collect[2];
    CosyTimepers timepers[1];
    CosyHistogram histogram[1];
    CosyResource resource[3];
    CosyFile file[1];
    CosyPopulation population[1];
} Tiny;

static inline void tiny_make(Tiny *t)
{
    *t = (Tiny){.c = {.model = &tiny_model,
                      .head = &t->head,
                      .data = &t->data,
                      .x = t->x,
                      .collect = t->collect,
                      .timepers = t->timepers,
                      .histogram = t->histogram,
                      .resource = t->resource,
                      .file = t->file,
                      .population = t->population},
                .data = {.k = R(0.1),
                         .v = {R(1.0), R(2.0), R(3.0)},
                         .m = {R(11.0), R(12.0), R(21.0), R(22.0)},
                         .n = INT64_C(9007199254740993),
                         .flag = 1},
                .x = {R(-1.0), R(0.5)}};
    for (int k = 0; k < TINY_LONG; k++)
        t->data.u[k] = (real)k;
}

#endif
