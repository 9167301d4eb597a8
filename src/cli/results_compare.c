/* cosy results compare: two runs value by value, curve by curve, or all runs of
   two studies. */

#include "cli/pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DIGITS = 6 };

/* ---- A pair of runs ----------------------------------------------------------------- */

static Status compare_pair(Buffer *b, Pair *p)
{
    Fault *f = &p->c->fault;
    const char *graph = results_option(p->c, "--graph");
    p->parts = NAN;
    TRY(results_run(p->a, &p->arena, p->run_a, &p->tree_a, f));
    TRY(results_run(p->b, &p->arena, p->run_b, &p->tree_b, f));
    p->units_a = tree_get(results_head(p->a, &p->arena), "units");
    p->units_b = tree_get(results_head(p->b, &p->arena), "units");
    TRY(pair_load(p));
    const char *x = tree_text(p->tree_a, "status");
    const char *y = tree_text(p->tree_b, "status");
    if (strcmp(x, y) != 0)
        buffer_format(b, "\n  the first run %s, the second %s\n", x, y);
    pair_values(b, p, "parameters", "PARAMETERS", &p->parameters, false);
    pair_values(b, p, "final", "FINAL VALUES", &p->finals, true);
    TRY(pair_long(b, p));
    pair_values(b, p, "statistics", "STATISTICS", &p->statistics, false);
    pair_curves(b, p);
    return graph ? pair_draw(p, graph) : STATUS_OK;
}

/* ---- All runs ---------------------------------------------------------------------- */

/* A table with a line per pair. */
typedef struct Pairs {
    ResultsCommand *c;
    Results *a, *b;
    double digits, least;
    Sheet sheet;
    uint64_t only_a, pairs, same;
} Pairs;

static double least_of(const Pair *p)
{
    return fmin(p->finals.least, fmin(p->statistics.least, p->curves.least));
}

static void put_tally(Sheet *s, const Tally *t)
{
    if (t->other == 0)
        sheet_text(s, t->same ? "same" : "-");
    else
        pair_digits(s, t->least);
}

static void put_pair(Pairs *all, const Pair *p)
{
    const Tally *kinds[] = {&p->finals, &p->statistics, &p->curves};
    const Tally *worst = NULL;
    for (size_t k = 0; k < LENGTH(kinds); k++)
        if (kinds[k]->other && (!worst || kinds[k]->least < worst->least))
            worst = kinds[k];
    all->same += worst == NULL;
    if (!worst || sheet_rows(&all->sheet) >= ROWS_SHOWN)
        return;
    sheet_number(&all->sheet, (double)p->run_a, 15);
    for (size_t k = 0; k < LENGTH(kinds); k++)
        put_tally(&all->sheet, kinds[k]);
    sheet_number(&all->sheet, p->parts, 6);
    sheet_text(&all->sheet, worst->name);
}

static Status see_run(void *user, const ResultsRun *run)
{
    Pairs *all = user;
    Pair p = {.c = all->c,
              .a = all->a,
              .b = all->b,
              .run_a = run->number,
              .run_b = run->number,
              .digits = all->digits};
    Buffer unused = {0};
    const Tree *other;
    Fault none = {0};
    Status s = results_run(all->b, &p.arena, run->number, &other, &none);
    if (s == STATUS_USAGE) {
        all->only_a++;
        pair_unload(&p);
        return STATUS_OK;
    }
    s = compare_pair(&unused, &p);
    if (s == STATUS_OK) {
        put_pair(all, &p);
        all->pairs++;
        all->least = fmin(all->least, least_of(&p));
    }
    buffer_free(&unused);
    pair_unload(&p);
    return s;
}

static Status compare_all(Buffer *b, ResultsCommand *c, Results *x, Results *y,
                          double digits, double *least)
{
    static const char *const heads[] = {
        ">run",          "digits|finals", "digits|statistics",
        "digits|curves", "parts|at",      "<agrees least"};
    Pairs all = {.c = c, .a = x, .b = y, .digits = digits, .least = INFINITY};
    if (results_option(c, "--graph"))
        return fault_set(&c->fault, STATUS_USAGE,
                         "--graph draws one pair of runs: --run K says which");
    sheet_begin(&all.sheet, heads, LENGTH(heads));
    TRY(results_each(x, see_run, &all, &c->fault));
    if (all.sheet.n > 0) {
        buffer_char(b, '\n');
        sheet_print(b, &all.sheet);
    }
    buffer_format(b, "\n  %" PRIu64 " pair%s of runs, ", all.pairs,
                  all.pairs == 1 ? "" : "s");
    if (all.same == all.pairs || all.same == 0)
        buffer_format(b, "%s of which agree in everything\n",
                      all.same ? "all" : "none");
    else
        buffer_format(b, "%" PRIu64 " of which agree%s in everything\n",
                      all.same, all.same == 1 ? "s" : "");
    if (all.only_a)
        buffer_format(b, "  %" PRIu64 " runs are only in the first\n",
                      all.only_a);
    if (y->runs > all.pairs)
        buffer_format(b, "  %" PRIu64 " runs are only in the second\n",
                      y->runs - all.pairs);
    *least = all.only_a || y->runs > all.pairs ? 0 : all.least;
    sheet_free(&all.sheet);
    return STATUS_OK;
}

/* Results of other models may be compared, but not by mistake. */
static void put_models(Buffer *b, ResultsCommand *c, const Results *x,
                       const Results *y)
{
    const Tree *first = results_head(x, &c->arena);
    const Tree *second = results_head(y, &c->arena);
    const char *one = tree_text(first, "program");
    const char *other = tree_text(second, "program");
    if (strcmp(one, other) != 0)
        buffer_format(b, "the programs are %s and %s\n", one, other);
    else if (strcmp(tree_text(first, "model_sha256"),
                    tree_text(second, "model_sha256")) != 0)
        buffer_format(b, "the text of %s has changed in between\n", one);
}

static Status compare_one(Buffer *b, ResultsCommand *c, Results *x, Results *y,
                          double digits, double *least)
{
    Pair p = {.c = c,
              .a = x,
              .b = y,
              .run_a = results_meant(c, &c->name[0], x),
              .run_b = results_meant(c, &c->name[1], y),
              .digits = digits};
    buffer_format(
        b, "first:  run %" PRIu64 " of %s\nsecond: run %" PRIu64 " of %s\n",
        p.run_a, x->name, p.run_b, y->name);
    put_models(b, c, x, y);
    Status s = compare_pair(b, &p);
    *least = least_of(&p);
    pair_unload(&p);
    return s;
}

static Status compare_both(Buffer *b, ResultsCommand *c, Results *x, Results *y)
{
    const char *wanted = results_option(c, "--digits");
    char *end = NULL;
    double digits = wanted ? strtod(wanted, &end) : USUAL_DIGITS, least = 0;
    if (wanted && (end == wanted || *end || !(digits > 0 && digits <= 40)))
        return fault_set(&c->fault, STATUS_USAGE,
                         "--digits needs a number of digits above 0, not "
                         "\"%s\"",
                         wanted);
    uint64_t first = results_meant(c, &c->name[0], x);
    uint64_t second = results_meant(c, &c->name[1], y);
    if (!first != !second)
        return fault_set(&c->fault, STATUS_USAGE,
                         "%s has %" PRIu64 " runs: N:K or DIR:K names the one "
                         "that is compared",
                         first ? y->name : x->name, first ? y->runs : x->runs);
    if (first)
        TRY(compare_one(b, c, x, y, digits, &least));
    else {
        buffer_format(b, "first:  %s\nsecond: %s\n", x->name, y->name);
        put_models(b, c, x, y);
        TRY(compare_all(b, c, x, y, digits, &least));
    }
    c->differ = wanted && least < digits;
    return STATUS_OK;
}

Status results_compare(ResultsCommand *c)
{
    Results x, y;
    Buffer b = {0};
    TRY(results_open(c, &c->name[0], &x));
    Status s = results_open(c, &c->name[1], &y);
    if (s == STATUS_OK) {
        s = compare_both(&b, c, &x, &y);
        results_close(&y);
    }
    if (s == STATUS_OK && b.broken)
        s = fault_set(&c->fault, STATUS_MEMORY, "no memory to compare");
    if (s == STATUS_OK)
        fwrite(b.v.bytes, 1, b.v.used, stdout);
    buffer_free(&b);
    results_close(&x);
    return s;
}
