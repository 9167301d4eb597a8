#include "check/checker.h"

#include "check/header.h"

/* FIT: its parameters, what is compared with which columns of the data, options. What
   the data themselves are is seen when they are read (lower/fit.c). */

static void check_compared_value(Checker *c, Node *shown, const char *what)
{
    if (!is_none(shown))
        check_number(c, shown->first, what);
}

/* A LOG compares logarithms; so the noise of such values has no unit. */
static void check_observed(Checker *c, Node *n)
{
    Constant v;
    Node *noise = n->last;
    check_compared_value(c, n->first, "what is compared with the data");
    check_compared_value(c, noise, "the standard deviation after NOISE");
    if (constant_fold(c, n->first->first, &v))
        ERROR(c, n->first,
              "this is a constant, whatever the parameters are: the data are "
              "compared with something that the model computes");
    if (!is_none(noise) && constant_fold(c, noise->first, &v) && v.real <= 0.0)
        ERROR(c, noise, "NOISE is a standard deviation: it is positive");
}

static void check_data(Checker *c, Node *n)
{
    Node *list = node_child(n, 1), *rows = node_child(n, 2);
    header_read(c->unit, n->first);
    if (list->first == NULL)
        ERROR(c, n,
              "besides the times, WHERE names a column of measured values: "
              "column = variable");
    for (Node *k = list->first; k != NULL; k = k->next)
        check_observed(c, k);
    for (Node *k = rows->first; k != NULL; k = k->next)
        if (k->first->kind != NODE_STRING)
            check_number(c, k->first->first, "what selects rows of the data");
    check_at_least(c, n->last, 1, "RUN, the number of a run of this FIT,");
}

static void check_priors(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Node *prior = node_child(k, 2);
        Constant mean;
        if (prior->kind != NODE_PRIOR)
            continue;
        check_number(c, prior->first, "the mean of a PRIOR");
        check_positive(c, prior->last, "SD, the standard deviation,");
        if ((k->flags & FLAG_LOG) && constant_fold(c, prior->first, &mean) &&
            mean.real <= 0.0)
            ERROR(c, prior->first,
                  "the PRIOR of a parameter that is searched by its logarithm "
                  "(LOG) is that of the logarithm: its middle is positive");
    }
}

static const Node *find_option(const Node *options, Word word)
{
    for (const Node *k = options->first; k != NULL; k = k->next)
        if (k->word == word)
            return k;
    return NULL;
}

static void check_options(Checker *c, const Node *n)
{
    const Node *options = node_child(n, 2);
    bool many = find_option(options, WORD_GLOBAL) != NULL;
    for (Node *k = options->first; k != NULL; k = k->next) {
        if (find_option(options, k->word) != k)
            ERROR(c, k, "%s is given twice", word_text(k->word));
        if (k->word == WORD_TOL)
            check_search_tolerance(c, k->first);
        else if (k->word == WORD_MAX)
            check_at_least(c, k->first, 1, "MAX, the most trials of a start,");
        else if (k->word == WORD_STARTS)
            check_at_least(c, k->first, 1, "STARTS");
        many = many || k->word == WORD_STARTS;
    }
    for (Node *k = n->first->first; many && k != NULL; k = k->next)
        if (is_none(k->last))
            ERROR(c, k,
                  "GLOBAL and STARTS begin at many places between bounds: "
                  "write := start IN low .. high");
}

void check_fit(Checker *c, Node *n)
{
    check_start_values(c, n->first, "FIT");
    check_priors(c, n->first);
    for (Node *k = node_child(n, 1)->first; k != NULL; k = k->next)
        check_data(c, k);
    check_options(c, n);
    for (Node *k = n->last->first; k != NULL; k = k->next)
        check_statement(c, k);
    if (!check_holds_run(n->last))
        ERROR(c, n,
              "the statements of FIT carry out no run: SIMULATE stands between "
              "them and END");
}
