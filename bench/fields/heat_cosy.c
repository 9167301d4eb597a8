/* COSY's side of bench/fields: rod.cosy and plate.cosy in this process.

       heat_cosy MODEL.c POINTS METHOD [TOLERANCE]    POINTS: of one side

   MODEL.c comes from `cosy emit`, its code from COSY's cache or cc, as for
   `cosy run`. Prints a line (bench/measure.h) per tolerance, or for the one
   given. The time is that of one run from run_create to run_free: without
   translation, trials on coarser grids, and files. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "bench/fields/heat.h"
#include "load/load.h"
#include "study/experiment.h"

typedef struct Problem {
    Heat heat;
    CosyModel model;
    CosyHost host;
    RunOptions options;
    const char *method;
    bool checked; // the error of the next run is wanted
    double error;
    uint64_t steps;
} Problem;

static void die(const char *what)
{
    fprintf(stderr, "heat_cosy: %s\n", what);
    exit(3);
}

/* There is no command line that sets another value. */
static real constant(Cosy *c, uint32_t variable, real value)
{
    (void)c;
    (void)variable;
    return value;
}

/* Rows of the states are those of x. */
static double start_of(const Problem *p, uint32_t k)
{
    uint32_t n = (uint32_t)p->heat.points;
    bool plane = p->heat.dimensions == 2;
    return heat_start(&p->heat, (int)(plane ? k / n : k),
                      (int)(plane ? k % n : 0));
}

static void go(void *problem)
{
    Problem *p = problem;
    Run r;
    Status status = run_create(&r, &p->model, &p->host, p);
    if (status == STATUS_OK) {
        for (uint32_t k = 0; k < p->model.states; k++)
            r.c->x[k] = (real)start_of(p, k);
        status = run_go(&r, &p->options);
    }
    if (status != STATUS_OK)
        die(r.fault.text);
    double left = heat_left(&p->heat), worst = 0.0;
    for (uint32_t k = 0; p->checked && k < p->model.states; k++)
        worst = fmax(worst, fabs((double)r.c->x[k] / left - start_of(p, k)));
    p->error = worst;
    p->steps = r.solver.counts.steps;
    run_free(&r);
}

static void measure(Problem *p, double tolerance, bool always)
{
    p->options.solver.relerr = (real)tolerance;
    p->options.solver.abserr = (real)(0.01 * tolerance);
    p->checked = true;
    go(p);
    p->checked = false;
    double digits = measure_digits(p->error);
    if (always || (digits >= HEAT_FEWEST && digits <= HEAT_MOST))
        measure_line(p->heat.dimensions == 1 ? "rod" : "plate",
                     p->method ? p->method : "AUTO", tolerance, digits,
                     heat_seconds(go, p), (long)p->steps);
}

static void read_text(Buffer *b, const char *path)
{
    char part[4096];
    size_t n;
    FILE *from = fopen(path, "r");
    if (!from)
        die(path);
    while ((n = fread(part, 1, sizeof part, from)) > 0)
        buffer_bytes(b, part, n);
    fclose(from);
}

int main(int argc, char **argv)
{
    Problem p = {0};
    Buffer code = {0};
    Loaded loaded;
    Fault fault = {0};
    if (argc < 4 || argc > 5)
        die("usage: heat_cosy MODEL.c POINTS METHOD [TOLERANCE]");
    read_text(&code, argv[1]);
    LoadRequest request = {.name = "heat",
                           .text = buffer_string(&code),
                           .length = code.v.used,
                           .precision = COSY_PRECISION,
                           .backend = LOAD_CC};
    if (load_compile(&loaded, &request, &fault) != STATUS_OK)
        die(fault.text);
    memcpy(&p.model, loaded.model, sizeof p.model);
    p.heat.points = atoi(argv[2]);
    p.heat.dimensions = p.model.states == (uint32_t)p.heat.points ? 1 : 2;
    p.host = host_table;
    p.host.constant = constant;
    p.options.to = (real)HEAT_TO;
    p.options.solver.method = strcmp(argv[3], "AUTO") ? argv[3] : NULL;
    p.method = p.options.solver.method;
    if (argc > 4)
        measure(&p, strtod(argv[4], NULL), true);
    else
        for (int k = HEAT_FIRST; k <= HEAT_LAST; k++)
            measure(&p, pow(10.0, -0.5 * k), false);
    load_close(&loaded);
    buffer_free(&code);
    return 0;
}
