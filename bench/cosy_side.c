/* COSY's side of the comparison with hand-written C.

       cosy_side MODEL.so METHOD [RELERR [once]]      METHOD "-" is the default

   solves the problem of the model in this process, by run_create and run_go,
   and prints a line (bench/measure.h) per tolerance, or for the one given. The
   model is the one that `cosy run` uses, except for its STORE: the C programs
   keep no series of values either. The time is that of one run from run_create
   to run_free; `once` skips it, for counting instructions. It knows the
   problems of bench/ivp.h and bench/events.h, VANDERPOL and TWOSTATE, with
   correct digits; HEAT, with the number of points instead; MM1, with the number
   of customers; those of bench/copies with the number of copies. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/events.h"
#include "bench/ivp.h"
#include "bench/measure.h"
#include "load/load.h"
#include "study/experiment.h"

typedef struct Problem Problem;

/* What is known about a model besides its contract. */
typedef struct Kind {
    const char *name, *line; // name of the model, and in the output
    real to;                 // 0: FINISH
    real x[2];               // INITCOND
    uint32_t states;
    double (*error)(Problem *p); // NULL: digits are not known; instead
    double (*size)(Problem *p);  // the size that its cost depends on
    int from, below;             // tolerances: 10^(-k/2)
    double floor;                // absolute tolerance / RELERR; 0: COSY's own
    const double *begin, *end;   // values of the states
} Kind;

struct Problem {
    const Kind *kind;
    const CosyModel *loaded;
    CosyModel model; // the same without STORE
    CosyHost host;
    RunOptions options;
    const char *method;
    Fault fault;
    uint64_t steps;
    double last[PLEIADES_N];
    double at[VANDERPOL_POINTS + 1][2];
    double switched[EVENTS_MOST];
    int points, switches;
};

/* ---- One run -------------------------------------------------------------- */

static void go(Problem *p)
{
    Run r;
    p->points = p->switches = 0;
    Status status = run_create(&r, &p->model, &p->host, p);
    if (status == STATUS_OK) {
        for (uint32_t i = 0; i < p->kind->states; i++)
            r.c->x[i] = p->kind->x[i];
        for (uint32_t i = 0; p->kind->begin && i < p->model.states; i++)
            r.c->x[i] = p->kind->begin[i];
        status = run_go(&r, &p->options);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "cosy_side: %s\n", r.fault.text);
        exit(1);
    }
    p->steps = r.solver.counts.steps;
    for (uint32_t i = 0; i < r.c->head->states && i < PLEIADES_N; i++)
        p->last[i] = r.c->x[i];
    run_free(&r);
}

static void solve(void *problem)
{
    go(problem);
}

/* There is no command line that sets another value. */
static real constant(Cosy *c, uint32_t variable, real value)
{
    (void)c;
    (void)variable;
    return value;
}

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    (void)c;
    (void)severity;
    fprintf(stderr, "cosy_side: line %u: %s\n", (unsigned)line, text);
}

/* ---- Errors --------------------------------------------------------------- */

static CosyStatus note_point(Cosy *c)
{
    Problem *p = c->run;
    if (p->points <= VANDERPOL_POINTS) {
        p->at[p->points][0] = c->x[0];
        p->at[p->points++][1] = c->x[1];
    }
    return COSY_OK;
}

/* One more run, which looks at its states once per unit of time. */
static double vanderpol(Problem *p)
{
    p->model.communicate = note_point;
    p->options.comint = R(1.0);
    go(p);
    p->model.communicate = NULL;
    p->options.comint = R(0.0);
    return vanderpol_error(p->at + 1);
}

static CosyStatus note_switch(Cosy *c, uint32_t event, uint32_t copy,
                              uint32_t element)
{
    Problem *p = c->run;
    if (p->switches < EVENTS_MOST)
        p->switched[p->switches++] = c->head->t;
    return p->loaded->state_event(c, event, copy, element);
}

static double twostate(Problem *p)
{
    go(p);
    return twostate_error(p->switched, p->switches);
}

static double events(Problem *p, int (*times)(double *t))
{
    double right[EVENTS_MOST];
    int many = times(right);
    go(p);
    return events_error(p->switched, p->switches, right, many, p->kind->to);
}

static double relay(Problem *p)
{
    return events(p, relay_times);
}

static double ball(Problem *p)
{
    return events(p, ball_times);
}

static double ivp(Problem *p)
{
    go(p);
    return ivp_error((int)p->model.states, p->last, p->kind->end,
                     p->kind->floor);
}

/* ---- Sizes ---------------------------------------------------------------- */

static double states(Problem *p)
{
    return (double)p->model.states;
}

/* The model's own value of a CONST. */
static double value_of(Problem *p, const char *name)
{
    Run r;
    double value = 0.0;
    uint32_t v = instance_find(&p->model, name);
    if (run_create(&r, &p->model, &p->host, p) == STATUS_OK && v != COSY_NONE)
        value = instance_get(r.c, v, 0);
    run_free(&r);
    return value;
}

static double customers(Problem *p)
{
    return value_of(p, "CUSTOMERS");
}

static double stones(Problem *p)
{
    return value_of(p, "STONES");
}

static double size(Problem *p)
{
    return value_of(p, "N");
}

#define IVP(name, NAME)                                                        \
    {                                                                          \
#NAME, #name, NAME##_TO,                                               \
            {0 }, 0, ivp, NULL, 4, 27, NAME##_FLOOR, name##_begin, name##_end  \
    }

static const Kind kinds[] = {
    {"RELAY", "relay", RELAY_TO, {0}, 0, relay, NULL, 4, 27, 1e-2, NULL, NULL},
    {"BALL", "ball", BALL_TO, {0}, 0, ball, NULL, 4, 27, 1e-2, NULL, NULL},
    IVP(hires, HIRES),
    IVP(pollution, POLLUTION),
    IVP(lithium, LITHIUM),
    IVP(pleiades, PLEIADES),
    {"VANDERPOL",
     "vanderpol",
     R(20.0),
     {0},
     0,
     vanderpol,
     NULL,
     6,
     27,
     0.0,
     NULL,
     NULL},
    {"TWOSTATE",
     "twostate",
     R(5.0),
     {R(4.2), R(0.3)},
     2,
     twostate,
     NULL,
     4,
     27,
     0.0,
     NULL,
     NULL},
    {"HEAT", "heat", R(1.0), {0}, 0, NULL, states, 12, 13, 0.0, NULL, NULL},
    {"MM1", "mm1", R(0.0), {0}, 0, NULL, customers, 12, 13, 0.0, NULL, NULL},
    {"DOMINO", "domino", R(0.0), {0}, 0, NULL, stones, 12, 13, 0.0, NULL, NULL},
    {"MANY", "many", R(10.0), {0}, 0, NULL, size, 12, 13, 0.0, NULL, NULL},
    {"ARRAYED", "array", R(10.0), {0}, 0, NULL, size, 12, 13, 0.0, NULL, NULL},
    {"CHURN", "churn", R(10.0), {0}, 0, NULL, size, 12, 13, 0.0, NULL, NULL},
    {"STILL", "still", R(10.0), {0}, 0, NULL, size, 12, 13, 0.0, NULL, NULL},
};

static const Kind *kind_of(const CosyModel *m)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].name, m->name) == 0)
            return &kinds[k];
    return NULL;
}

/* ---- Program -------------------------------------------------------------- */

static void measure(Problem *p, real tolerance, bool timed)
{
    p->options.solver.relerr = tolerance;
    p->options.solver.abserr = tolerance * p->kind->floor;
    double digits =
        p->kind->error ? measure_digits(p->kind->error(p)) : p->kind->size(p);
    double seconds = timed ? measure_seconds(solve, p) : 0.0;
    if (!timed && !p->kind->error)
        go(p);
    measure_line(p->kind->line, p->method, tolerance, digits, seconds,
                 (long)p->steps);
}

int main(int argc, char **argv)
{
    Problem p = {0};
    Loaded loaded;
    if (argc < 3 || argc > 5) {
        fputs("usage: cosy_side MODEL.so METHOD [RELERR [once]]\n", stderr);
        return 3;
    }
    if (load_open(&loaded, argv[1], &p.fault) != STATUS_OK) {
        fprintf(stderr, "cosy_side: %s\n", p.fault.text);
        return 3;
    }
    p.loaded = loaded.model;
    p.kind = loaded.precision == COSY_PRECISION ? kind_of(p.loaded) : NULL;
    if (!p.kind) {
        fprintf(stderr, "cosy_side: %s: this model is not known\n", argv[1]);
        return 3;
    }
    p.model = *p.loaded;
    p.model.n_stored = 0;
    if (p.model.state_event)
        p.model.state_event = note_switch;
    p.host = host_table;
    p.host.message = message;
    p.host.constant = constant;
    p.options.to = p.kind->to;
    p.options.to_finish = p.kind->to == R(0.0);
    p.options.solver.method = strcmp(argv[2], "-") ? argv[2] : NULL;
    p.method = argv[2];
    if (argc > 3)
        measure(&p, (real)strtod(argv[3], NULL), argc == 4);
    else
        for (int k = p.kind->from; k < p.kind->below; k++)
            measure(&p, (real)pow(10.0, -0.5 * k), true);
    load_close(&loaded);
    return 0;
}
