/* METHOD AUTO against single methods, on the problems of bench/problems/set.txt.

       judge [-g] COSY SET [NAME...]   NAME: a problem, or how its name begins

   A problem is a model text and the final values of its variables. Its lines in
   SET:

       problem NAME MODEL CLASS...   MODEL: a path from here
       test MODEL                    a test, at RELERR 1E-6, with what it expects
       relerr E...                   each makes a line of the table
       abserr F                      ABSERR = F*RELERR; left out: COSY's own
       frame N                       of its EXPERIMENT; left out: 1
       X VALUE [SIZE]                X or X[I], SIZE: largest |X| of the run
       expect FILE                   values of a test (`run 1 final X = VALUE`)
       time                          no values are known: only time counts

   COSY emit gives the C text, and the C compiler of the system the code (from
   COSY's cache, if it is there). All runs are made in this process, through the
   door that `cosy run` uses, without files and without STORE. Time is the CPU
   time of this process, the least of several batches in which the methods take
   turns.

   Error: the largest |X - VALUE| / (ABSERR + RELERR*max(|VALUE|, SIZE)), so to
   speak in units of what was asked for. A method is accurate enough if that is
   at most 10. If the median of the single methods is larger than 10, that is
   due to the problem, and 10 times the median is the limit. AUTO has to be
   accurate enough, and take at most 3 times as long as the fastest single
   method that is accurate enough. Exit status 1: this does not hold everywhere.

   With -g nothing is timed: the growth of errors is followed in each run
   (solve/growth.h), and its estimate is shown beside the error, in the same
   units. A warning although the error is below FALSE_BELOW is a miss. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/tree.h"
#include "bench/measure.h"
#include "cosy/model.h"
#include "load/load.h"
#include "run/kernel.h"

enum { AUTO, METHODS = 7, TEXT = 100, VALUES = 200, RELERRS = 4 };

static const char *const method_name[METHODS] = {
    "AUTO", "DOPRI5", "DOP853", "RADAU", "DIRK", "GEAR", "ADAMS"};

#define SLOWER_MOST 3.0
#define ERROR_MOST  10.0
#define FALSE_BELOW 100.0
#define ROUNDS      3
#define LOOKS                                                                  \
    3 // repetitions if AUTO seems slow, in case something disturbed it
#define BATCH_SECONDS 5e-3
/* A run of AUTO is given up after GIVE_UP seconds, that of a single method
   after GIVE_UP_TIMES the time of AUTO (but not before GIVE_UP_LEAST). */
#define GIVE_UP       60.0
#define GIVE_UP_TIMES 8.0
#define GIVE_UP_LEAST 0.1
/* A method that was so many times slower than the fastest is not timed again.
   */
#define SLOW 6.0

typedef struct Value {
    char name[TEXT];
    int run;   // number in the experiment, from 1
    int index; // from 1; 0: not an array
    double value, size;
} Value;

typedef struct Problem {
    char name[TEXT], model[TEXT], class[TEXT];
    double relerr[RELERRS];
    int relerrs, values;
    double floor; // 0: COSY chooses ABSERR
    uint32_t frame;
    bool time; // only time counts: no values are known
    Value value[VALUES];
} Problem;

/* What a method did. */
typedef struct Trial {
    bool done; // it came to the end
    double seconds, error;
    double estimate; // estimate of the error from its growth
    bool rings;
    char used[TEXT]; // methods that were used
} Trial;

typedef struct Judge {
    const char *cosy;
    bool growth; // -g
    char **only;
    int onlys;
    int lines, misses;
    Buffer missed;
    const Problem *p;
    CosyModel model; // without STORE and OUTPUT
    double relerr;
    double ends;    // when a run is given up
    unsigned ticks; // steps, to check the clock now and then
    Trial trial[METHODS];
} Judge;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "judge: %s: %s\n", what, why);
    exit(3);
}

/* ---- One run -------------------------------------------------------------- */

static bool go_on(void *user, const KernelProgress *progress)
{
    Judge *j = user;
    (void)progress;
    return j->ticks++ % 64 != 0 || measure_clock() < j->ends;
}

static void silent(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* json: NULL if only time counts. */
static bool run(Judge *j, int method, Buffer *json)
{
    char relerr[32], abserr[32];
    KernelOutcome outcome = {0};
    KernelOptions o = {.method = method_name[method],
                       .relerr = relerr,
                       .abserr = j->p->floor > 0.0 ? abserr : NULL,
                       .threads = 1,
                       .growth = j->growth,
                       .no_plots = true,
                       .frame = j->p->frame,
                       .json = json,
                       .message = silent,
                       .progress = json ? go_on : NULL,
                       .user = j};
    snprintf(relerr, sizeof relerr, "%.6e", j->relerr);
    snprintf(abserr, sizeof abserr, "%.6e", j->relerr * j->p->floor);
    return kernel_double.experiment(&j->model, &o, &outcome) == STATUS_OK &&
           outcome.failed == 0;
}

/* Seconds per run, over as many runs as fill a batch. */
static double batch(Judge *j, int method)
{
    double begin = measure_clock(), spent = 0.0;
    long count = 0;
    while (count == 0 || spent < BATCH_SECONDS) {
        run(j, method, NULL);
        count++;
        spent = measure_clock() - begin;
    }
    return spent / (double)count;
}

/* ---- Errors --------------------------------------------------------------- */

static double found(const Tree *final, const Value *v)
{
    const Tree *t = tree_get(final, v->name);
    if (v->index == 0)
        return tree_number(final, v->name);
    t = t ? t->first : NULL;
    for (int k = 1; t && k < v->index; k++)
        t = t->next;
    return t ? t->number : NAN;
}

/* A test may have values of runs in other FRAMEs too: they do not count. */
static double error_of(const Judge *j, const Tree *runs)
{
    double most = 0.0;
    for (int k = 0; k < j->p->values; k++) {
        const Value *v = &j->p->value[k];
        const Tree *of = runs->first;
        for (int r = 1; of && r < v->run; r++)
            of = of->next;
        if (!of)
            continue;
        double is = found(tree_get(of, "final"), v);
        double unit = j->relerr * (j->p->floor + fmax(fabs(v->value), v->size));
        if (isnan(is))
            die(j->p->name, "a variable is not among its results");
        most = fmax(most, fabs(is - v->value) / unit);
    }
    return most;
}

/* The largest estimate of all runs. */
static void estimate_of(const Tree *runs, Trial *t)
{
    t->estimate = NAN;
    for (const Tree *of = runs->first; of; of = of->next) {
        const Tree *e = tree_get(of, "errors");
        t->estimate = fmax(t->estimate, tree_number(e, "estimate"));
        const Tree *rings = tree_get(e, "rings");
        t->rings = t->rings || (rings && rings->kind == TREE_TRUE);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median error of the single methods; NaN: none came to the end. */
static double median_error(const Judge *j)
{
    double error[METHODS];
    size_t n = 0;
    for (int m = AUTO + 1; m < METHODS; m++)
        if (j->trial[m].done)
            error[n++] = j->trial[m].error;
    qsort(error, n, sizeof *error, by_size);
    return n ? 0.5 * (error[(n - 1) / 2] + error[n / 2]) : NAN;
}

static bool is_accurate(const Trial *t, double median)
{
    double most = median > ERROR_MOST ? ERROR_MOST * median : ERROR_MOST;
    return t->done && t->error <= most;
}

/* ---- One line ------------------------------------------------------------- */

/* The fastest single method that is accurate enough; AUTO: there is none. */
static int fastest(const Judge *j, double median)
{
    int best = AUTO;
    for (int m = AUTO + 1; m < METHODS; m++)
        if (is_accurate(&j->trial[m], median) &&
            (best == AUTO || j->trial[m].seconds < j->trial[best].seconds))
            best = m;
    return best;
}

/* Finds whether it comes to the end, with what error, and in about what time.
   */
static void try_method(Judge *j, int method)
{
    Trial *t = &j->trial[method];
    Buffer json = {0};
    Arena arena = {0};
    double begin = measure_clock();
    double patience =
        fmax(GIVE_UP_LEAST, GIVE_UP_TIMES * j->trial[AUTO].seconds);
    *t = (Trial){0};
    j->ends =
        begin + (method == AUTO || !j->trial[AUTO].done ? GIVE_UP : patience);
    t->done = run(j, method, &json);
    t->seconds = measure_clock() - begin;
    const Tree *all = tree_read(&arena, buffer_string(&json));
    const Tree *runs = tree_get(all, "runs");
    const Tree *first = runs ? runs->first : NULL;
    if (t->done) {
        t->error = error_of(j, runs);
        estimate_of(runs, t);
        snprintf(t->used, sizeof t->used, "%s", tree_text(first, "method"));
    } else if (strstr(tree_text(first, "message"), "stopped") == NULL) {
        fprintf(stderr, "judge: %s, RELERR %.0e, %s: %s\n", j->p->name,
                j->relerr, method_name[method], tree_text(first, "message"));
    }
    arena_free(&arena);
    buffer_free(&json);
}

static void time_all(Judge *j)
{
    for (int round = 0; round < ROUNDS; round++) {
        double least = INFINITY;
        for (int m = AUTO + 1; m < METHODS; m++)
            if (j->trial[m].done)
                least = fmin(least, j->trial[m].seconds);
        for (int m = 0; m < METHODS; m++) {
            Trial *t = &j->trial[m];
            bool first = round == 0 && t->seconds < BATCH_SECONDS;
            if (t->done && (m == AUTO || first || t->seconds <= SLOW * least))
                t->seconds = fmin(t->seconds, batch(j, m));
        }
    }
}

static void print_line(const Judge *j, double median, double ratio,
                       const char *verdict)
{
    printf("| %s | %.0e | %s |", j->p->name, j->relerr, j->p->class);
    for (int m = 0; m < METHODS; m++) {
        const Trial *t = &j->trial[m];
        if (t->done)
            printf(" %.3g (%.2g) |", 1e3 * t->seconds, t->error);
        else
            printf(" - |");
    }
    printf(" %.2g | %s | %.2f | %s |\n", median, j->trial[AUTO].used, ratio,
           verdict);
    fflush(stdout);
}

static void judge_line(Judge *j)
{
    for (int m = 0; m < METHODS; m++)
        try_method(j, m);
    const Trial *mine = &j->trial[AUTO];
    double median = median_error(j), ratio = INFINITY;
    int best = AUTO;
    for (int look = 0; look < LOOKS && ratio > SLOWER_MOST; look++) {
        time_all(j);
        best = fastest(j, median);
        if (mine->done && best != AUTO)
            ratio = mine->seconds / j->trial[best].seconds;
    }
    const char *verdict = !mine->done                  ? "FAILED"
                          : !is_accurate(mine, median) ? "INACCURATE"
                          : best == AUTO               ? "only one"
                          : ratio > SLOWER_MOST        ? "SLOW"
                          : mine->error > ERROR_MOST   ? "ok (median)"
                                                       : "ok";
    print_line(j, median, ratio, verdict);
    j->lines++;
    if (verdict[0] >= 'A' && verdict[0] <= 'Z') {
        j->misses++;
        buffer_format(&j->missed,
                      "- %s at %.0e: %s, %.2f times %s, error %.2g (median "
                      "%.2g); it used %s\n",
                      j->p->name, j->relerr, verdict, ratio, method_name[best],
                      mine->error, median, mine->used);
    }
}

/* With AUTO, whether a warning comes without being asked for. */
static bool judge_look(Judge *j)
{
    const Trial *t = &j->trial[AUTO];
    j->growth = false;
    try_method(j, AUTO);
    j->growth = true;
    bool wrong = t->done && t->rings && t->error < FALSE_BELOW;
    printf(" %s |", wrong ? "FALSE" : t->rings ? "rings" : "");
    return wrong;
}

/* Estimates and errors of all methods: a correct run must not give a warning.
   */
static void judge_growth(Judge *j)
{
    bool missed = false;
    printf("| %s | %.0e |", j->p->name, j->relerr);
    for (int m = 0; m < METHODS; m++) {
        const Trial *t = &j->trial[m];
        try_method(j, m);
        bool wrong = t->done && t->rings && t->error < FALSE_BELOW;
        missed = missed || wrong;
        if (t->done)
            printf(" %.2g (%.2g)%s |", t->estimate, t->error,
                   wrong      ? " FALSE"
                   : t->rings ? " rings"
                              : "");
        else
            printf(" - |");
    }
    missed = judge_look(j) || missed;
    printf("\n");
    fflush(stdout);
    j->lines++;
    j->misses += missed;
}

/* ---- One problem ---------------------------------------------------------- */

static void emit(const Judge *j, Buffer *code)
{
    char command[3 * TEXT], part[4096];
    size_t n;
    snprintf(command, sizeof command, "'%s' emit '%s' 2>/dev/null", j->cosy,
             j->p->model);
    FILE *from = popen(command, "r");
    while (from && (n = fread(part, 1, sizeof part, from)) > 0)
        buffer_bytes(code, part, n);
    if (!from || pclose(from) != 0)
        die(j->p->model, "cosy emit refuses it");
}

static bool is_wanted(const Judge *j)
{
    for (int k = 0; k < j->onlys; k++)
        if (strncmp(j->p->name, j->only[k], strlen(j->only[k])) == 0)
            return true;
    return j->onlys == 0;
}

static void judge_problem(Judge *j, const Problem *p)
{
    Buffer code = {0};
    Loaded loaded;
    Fault fault = {0};
    j->p = p;
    if (p->name[0] == '\0' || !is_wanted(j))
        return;
    if ((p->values == 0 && !p->time) || p->relerrs == 0)
        die(p->name, "no values, or no relerr");
    emit(j, &code);
    LoadRequest request = {.name = p->name,
                           .text = buffer_string(&code),
                           .length = code.v.used,
                           .precision = COSY_PRECISION,
                           .backend = LOAD_CC};
    if (load_compile(&loaded, &request, &fault) != STATUS_OK)
        die(p->model, fault.text);
    memcpy(&j->model, loaded.model, sizeof j->model);
    j->model.n_stored = j->model.n_shows = 0;
    for (int k = 0; k < p->relerrs; k++) {
        j->relerr = p->relerr[k];
        if (!j->growth)
            judge_line(j);
        else if (!p->time)
            judge_growth(j);
    }
    load_close(&loaded);
    buffer_free(&code);
}

/* ---- The set -------------------------------------------------------------- */

/* False if it is not a value. */
static bool read_value(Problem *p, char *words, int run)
{
    Value *v = &p->value[p->values];
    char *bracket = strchr(words, '[');
    if (p->values == VALUES)
        die(p->name, "too many values");
    if (bracket)
        *bracket = ' ';
    char *close = bracket ? strchr(words, ']') : NULL;
    if (close)
        *close = ' ';
    *v = (Value){.run = run};
    int n = bracket
                ? sscanf(words, "%99s %d %lf %lf", v->name, &v->index,
                         &v->value, &v->size) -
                      1
                : sscanf(words, "%99s %lf %lf", v->name, &v->value, &v->size);
    p->values += n >= 2;
    return n >= 2;
}

/* Also reads a test that has its expectations in its comments. */
static void read_expect(Problem *p, const char *path)
{
    char line[400], *equals;
    int run, at;
    FILE *expect = fopen(path, "r");
    if (!expect)
        die(path, "cannot be read");
    p->time = true;
    while (fgets(line, sizeof line, expect)) {
        char *words = line + (strncmp(line, "//= ", 4) == 0 ? 4 : 0);
        at = 0;
        if (sscanf(words, "run %d final %n", &run, &at) != 1 || at == 0)
            continue;
        equals = strstr(words, " = ");
        if (equals && !strchr(words, ',')) {
            equals[1] = ' ';
            if (read_value(p, words + at, run)) {
                Value *v = &p->value[p->values - 1];
                v->size = v->value == 0.0 ? 1.0 : 0.0;
            }
        }
    }
    fclose(expect);
}

static void read_relerrs(Problem *p, char *words)
{
    for (char *end; p->relerrs < RELERRS; words = end) {
        double e = strtod(words, &end);
        if (end == words)
            return;
        p->relerr[p->relerrs++] = e;
    }
}

/* The values of a test are beside it, or in its comments. */
static void read_test(Problem *p, const char *model)
{
    static const char folder[] = "/model.cosy";
    char expect[TEXT];
    size_t n = strlen(model), m = strlen(folder);
    *p = (Problem){.frame = 1, .relerr = {1e-6}, .relerrs = 1};
    snprintf(p->model, sizeof p->model, "%s", model);
    snprintf(p->name, sizeof p->name, "%s", model);
    snprintf(p->class, sizeof p->class, "test");
    snprintf(expect, sizeof expect, "%s", model);
    if (n > m && strcmp(model + n - m, folder) == 0) {
        p->name[n - m] = '\0';
        snprintf(expect + n - m, sizeof expect - (n - m), "/expect");
    }
    read_expect(p, expect);
}

static void read_line(Judge *j, Problem *p, char *line)
{
    char path[TEXT];
    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " ");
    if (strncmp(line, "problem ", 8) == 0) {
        judge_problem(j, p);
        *p = (Problem){.frame = 1};
        if (sscanf(line, "problem %99s %99s %99[^\n]", p->name, p->model,
                   p->class) < 3)
            die("SET", line);
    } else if (sscanf(line, "test %99s", path) == 1) {
        judge_problem(j, p);
        read_test(p, path);
    } else if (strncmp(line, "relerr ", 7) == 0) {
        read_relerrs(p, line + 7);
    } else if (strncmp(line, "time", 4) == 0) {
        p->time = true;
    } else if (sscanf(line, "expect %99s", path) == 1) {
        read_expect(p, path);
    } else if (sscanf(line, "abserr %lf", &p->floor) != 1 &&
               sscanf(line, "frame %u", &p->frame) != 1 && *line &&
               !read_value(p, line, 1)) {
        die(p->name, line);
    }
}

static void read_set(Judge *j, const char *path)
{
    char line[400];
    Problem p = {0};
    FILE *set = fopen(path, "r");
    if (!set)
        die(path, "cannot be read");
    while (fgets(line, sizeof line, set))
        read_line(j, &p, line);
    judge_problem(j, &p);
    fclose(set);
}

static void print_head(const Judge *j)
{
    int columns = METHODS + (j->growth ? 3 : 7);
    printf("| problem | RELERR |%s", j->growth ? "" : " class |");
    for (int m = 0; m < METHODS; m++)
        printf(" %s |", method_name[m]);
    if (j->growth)
        printf(" AUTO, not asked |");
    else
        printf(" median | AUTO used | AUTO / best | verdict |");
    printf("\n|");
    for (int m = 0; m < columns; m++)
        printf(" --- |");
    printf("\n");
}

int main(int argc, char **argv)
{
    Judge j = {.growth = argc > 1 && strcmp(argv[1], "-g") == 0};
    argv += j.growth;
    argc -= j.growth;
    if (argc < 3)
        die("usage", "judge [-g] COSY SET [NAME...]");
    j.only = argv + 3;
    j.onlys = argc - 3;
    j.cosy = argv[1];
    print_head(&j);
    read_set(&j, argv[2]);
    printf("\n%d lines, %d misses.\n\n%s", j.lines, j.misses,
           buffer_string(&j.missed));
    buffer_free(&j.missed);
    return j.misses > 0;
}
