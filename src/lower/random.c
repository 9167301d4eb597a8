#include "lower/lowerer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/distribution.h"

/* RANDOM variables: their declaration, a draw wherever one is read, RANDOMGEN.

   Every read is a new draw: its node carries the number of its occurrence, so
   that two reads are never merged, while an expression that the lowering uses
   in several places (the argument of LIMIT) is drawn once. */

/* ---- Declarations -------------------------------------------------------------- */

/* Numbers in the contract: the elements of all streams in sequence. */
static uint32_t next_number(const Model *m)
{
    uint32_t n = model_streams(m);
    if (n == 0)
        return 0;
    const Stream *last = model_stream(m, n - 1);
    return last->number + (uint32_t)last->elements;
}

uint32_t lower_uniform_stream(Lowerer *l, const char *name, uint32_t line)
{
    Stream s = {.name = name,
                .c_name = model_c_name(l->m, name),
                .uniform = true,
                .elements = 1,
                .number = next_number(l->m),
                .line = line};
    return model_add_stream(l->m, &s);
}

void lower_stream(Lowerer *l, const Node *n)
{
    Meaning *meaning = meaning_of(l, n->symbol);
    Stream s = {.name = n->symbol->name,
                .c_name = model_c_name(l->m, n->symbol->name),
                .number = next_number(l->m),
                .line = lower_line(l, n->at, n->origin)};
    s.elements = lower_shape(l, n, meaning);
    meaning->kind = MEANS_STREAM;
    meaning->value = NULL;
    meaning->number = model_add_stream(l->m, &s);
}

/* ---- Draws --------------------------------------------------------------------- */

const Expr *lower_occurrence(Lowerer *l)
{
    return expr_integer(l->m, (int64_t)++l->occurrences);
}

/* The element, counted from 0, of a stream that is read or passed. */
static const Expr *element_of(Lowerer *l, const Node *n, const Symbol *s,
                              const Meaning *meaning, Place place)
{
    if (meaning->value)
        return meaning->value;
    if (meaning->rank == 0)
        return expr_integer(l->m, 0);
    if (n->kind != NODE_INDEX) {
        LOWER_ERROR(l, n, "`%s` is an array: which of its elements is drawn?",
                    s->shown);
        return expr_integer(l->m, 0);
    }
    const Expr *element;
    lower_event(l, n, place, &element);
    return element;
}

const Expr *lower_draw(Lowerer *l, const Node *n, const Symbol *s, Place place)
{
    const Meaning *meaning = meaning_of(l, s);
    const Expr *arg[2];
    uint32_t which = NONE;
    if (place == IN_EXPERIMENT || place == IN_VALUE || place == IN_EQUATION) {
        LOWER_ERROR(l, n,
                    "`%s` is RANDOM and is drawn only during runs: in INITIAL, "
                    "events, samples, processes, TERMINAL",
                    s->shown);
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    if (meaning->kind == MEANS_STREAM_FORMAL) {
        arg[0] = expr_variable(l->m, meaning->number, NULL, 0);
    } else {
        which = meaning->number;
        arg[0] = element_of(l, n, s, meaning, place);
    }
    arg[1] = lower_occurrence(l);
    return expr_make(l->m, EXPR_DRAW, EXPR_TYPE_REAL, which, arg, 2);
}

const Expr *lower_stream_number(Lowerer *l, const Node *n, Place place)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
    if (meaning->kind == MEANS_STREAM_FORMAL)
        return expr_variable(l->m, meaning->number, NULL, 0);
    if (meaning->kind != MEANS_STREAM) {
        LOWER_ERROR(l, n, "a RANDOM variable is expected here");
        return expr_integer(l->m, 0);
    }
    uint32_t first = model_stream(l->m, meaning->number)->number;
    return expr_2(l->m, EXPR_ADD, element_of(l, n, s, meaning, place),
                  expr_integer(l->m, first));
}

/* ---- EMPIRIC ------------------------------------------------------------------- */

static bool constant_number(Lowerer *l, const Node *n, const char *what,
                            double *v)
{
    uint32_t errors = l->unit->diags->errors;
    if (expr_value(l, lower_expression(l, n, IN_VALUE), v) && isfinite(*v))
        return true;
    if (l->unit->diags->errors == errors)
        LOWER_ERROR(l, n, "%s must be known at translation", what);
    return false;
}

/* Sorts by value, so that equal random numbers mean equal ranks: with
   ANTITHETIC the partner of a small value is a large one. A heap sort, since
   files may be long. */
static void sift(double *value, double *weight, uint32_t root, uint32_t n)
{
    for (uint32_t k; (k = 2 * root + 1) < n; root = k) {
        if (k + 1 < n && value[k + 1] > value[k])
            k++;
        if (value[root] >= value[k])
            return;
        double v = value[root], w = weight ? weight[root] : 0.0;
        value[root] = value[k];
        value[k] = v;
        if (weight) {
            weight[root] = weight[k];
            weight[k] = w;
        }
    }
}

static void sort_values(double *value, double *weight, uint32_t n)
{
    for (uint32_t k = n / 2; k > 0; k--)
        sift(value, weight, k - 1, n);
    for (uint32_t k = n; k > 1; k--) {
        double v = value[0], w = weight ? weight[0] : 0.0;
        value[0] = value[k - 1];
        value[k - 1] = v;
        if (weight) {
            weight[0] = weight[k - 1];
            weight[k - 1] = w;
        }
        sift(value, weight, 0, k - 1);
    }
}

static void empiric_points(Lowerer *l, const Node *list, Generator *g)
{
    uint32_t n = node_count(list), k = 0;
    double *value = MODEL_ARRAY(l->m, double, n + 1);
    double *weight = MODEL_ARRAY(l->m, double, n + 1);
    double total = 0.0;
    for (const Node *p = list->first; value && weight && p; p = p->next, k++) {
        if (!constant_number(l, p->first, "a value of EMPIRIC", &value[k]) ||
            !constant_number(l, p->last, "a weight of EMPIRIC", &weight[k]))
            return;
        if (weight[k] < 0.0)
            LOWER_ERROR(l, p->last, "a weight cannot be negative");
        total += weight[k];
    }
    if (!(total > 0.0) || !isfinite(total))
        LOWER_ERROR(l, list,
                    "the sum of the weights of EMPIRIC is not a "
                    "positive number");
    sort_values(value, weight, k);
    g->value = value;
    g->weight = weight;
    g->values = k;
}

static void empiric_column(Lowerer *l, const Node *file, const Symbol *s,
                           Generator *g)
{
    uint32_t n = 0;
    double *value = lower_column(l, file, s->dimension, &n);
    if (value)
        sort_values(value, NULL, n);
    g->value = value;
    g->values = n;
}

/* ---- RANDOMGEN ----------------------------------------------------------------- */

static const Node *option_of(const Node *options, const char *word)
{
    for (const Node *k = options->first; k; k = k->next) {
        Word own = k->word == WORD_AVTIM ? WORD_MEAN : k->word;
        if (strcmp(word_text(own), word) == 0)
            return k->first;
    }
    return NULL;
}

/* Those of RANDOMGEN are evaluated at the start of every run, with values of the
   instance, not of the EXPERIMENT; so they are lowered as code. */
static void lower_parameters(Lowerer *l, const Node *options, Place place,
                             Generator *g)
{
    const char *word;
    for (uint32_t k = 0; (word = distribution_word(g->distribution, k)); k++) {
        const Node *o = option_of(options, word);
        if (!o)
            continue; // the checks have reported it
        g->parameter[k] =
            lower_fit(l, lower_in_code(l, o, place), EXPR_TYPE_REAL);
        if (place == IN_CODE &&
            g->parameter[k]->reads & (READS_CALL | READS_CONTINUOUS))
            LOWER_ERROR(l, o,
                        "a parameter of a distribution is found at the start "
                        "of a run: it is made of numbers, CONSTs and "
                        "variables that PARAMETER or INITCOND set");
    }
}

static void lower_seed(Lowerer *l, const Node *options, Generator *g)
{
    const Node *o = option_of(options, "SEED");
    int64_t seed;
    if (!o || !lower_constant(l, o, "a SEED", &seed))
        return;
    if (seed < 0)
        LOWER_ERROR(l, o, "a SEED is 0, 1, 2 ...");
    g->seed = (uint64_t)seed;
}

/* Parameters that are known already are checked before anything is run. A literal
   never changes; a CONST may be set by --set, and has been. */
static void check_known(Lowerer *l, const Node *n, const char *what,
                        const char *name, const Generator *g)
{
    double v[3] = {0.0, 0.0, 0.0};
    uint32_t known = 0;
    for (uint32_t k = 0; k < 3; k++)
        if (g->parameter[k] && expr_value(l, g->parameter[k], &v[k]))
            known |= 1u << k;
    char text[DISTRIBUTION_FAULT];
    const char *fault = distribution_fault(g->distribution, v, known, text);
    if (fault)
        LOWER_ERROR(l, n, "%s %s: %s", what, name, fault);
}

static void lower_empirical(Lowerer *l, const Node *name, const Symbol *s,
                            Generator *g)
{
    const Node *values = name->next->next;
    if (values->kind == NODE_LIST)
        empiric_points(l, values, g);
    else if (values->kind == NODE_FROM_FILE)
        empiric_column(l, values, s, g);
}

bool lower_distribution(Lowerer *l, const Node *n, const Node *name,
                        const Symbol *s, Generator *g)
{
    g->distribution = distribution_find(name->text);
    if (g->distribution == DISTRIBUTIONS || !s)
        return false; // the checks have said so
    lower_parameters(l, name->next, IN_EXPERIMENT, g);
    lower_empirical(l, name, s, g);
    check_known(l, n, "uncertain parameter", s->shown, g);
    return true;
}

static void lower_random_item(Lowerer *l, const Node *n, Code *code)
{
    const Node *name = n->first, *options = node_child(n, 1);
    const Meaning *meaning = n->symbol ? meaning_of(l, n->symbol) : &l->lost;
    Generator g = {.row = lower_row(l, n, NONE, true),
                   .antithetic = (n->flags & FLAG_ANTITHETIC) != 0,
                   .common = (n->flags & FLAG_COMMON) != 0,
                   .line = lower_line(l, n->at, n->origin)};
    if (meaning->kind != MEANS_STREAM)
        return;
    g.stream = meaning->number;
    g.distribution = distribution_find(name->text);
    if (g.distribution == DISTRIBUTIONS)
        return; // the checks have said so
    lower_parameters(l, options, IN_CODE, &g);
    lower_seed(l, options, &g);
    lower_empirical(l, name, n->symbol, &g);
    check_known(l, n, "random variable", n->text, &g);
    Statement *s = code_add(l->m, code, STATEMENT_RANDOMGEN, n->at, g.line);
    s->row = g.row;
    s->which = model_add_generator(l->m, &g);
}

void lower_randomgen(Lowerer *l, const Node *n, Code *code)
{
    for (const Node *k = n->first->first; k; k = k->next)
        lower_random_item(l, k, code);
}
