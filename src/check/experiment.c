#include "check/checker.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/distribution.h"
#include "base/method_facts.h"
#include "check/header.h"
#include "syntax/advice.h"

/* EXPERIMENT: what is varied, measured and run; OUTPUT: what is shown. */

/* ---- Settings ------------------------------------------------------------ */

static void check_element(Checker *c, Node *n, Type to, const char *what)
{
    Node *value = n->first, *increment = n->last;
    if (value->kind == NODE_LIST) {
        for (Node *k = value->first; k != NULL; k = k->next)
            check_fits(c, k, check_expression(c, k), to, what);
    } else {
        check_fits(c, value, check_expression(c, value), to, what);
    }
    if (!is_none(increment)) {
        check_number(c, increment, "the increment after %");
        if (to == TYPE_TRUTH)
            ERROR(c, increment, "truth values have no increment");
    }
}

static void check_values(Checker *c, Node *values, Type to, const char *what)
{
    for (Node *k = values->first->first; k != NULL; k = k->next) {
        Node *count = node_child(k, 1);
        check_element(c, k, to, what);
        if (!is_none(count) && count->integer < 1)
            ERROR(c, count, "a value must be repeated at least once");
    }
}

/* Reports ((1, 2), 3) where each run needs one value. */
static void check_no_sets(Checker *c, const Node *values, const char *name)
{
    for (Node *k = values->first->first; k != NULL; k = k->next) {
        if (k->first->kind == NODE_LIST)
            ERROR(c, k->first,
                  "`%s` gets one value in each run, but here are %u: a list of "
                  "runs is written (a, b, ...)",
                  name, (unsigned)node_count(k->first));
    }
}

Target check_setting_target(Checker *c, Node *n, const char *statement)
{
    Target t = check_designator(c, n, ACCESS_WRITE);
    const Symbol *s = t.symbol;
    if (s == NULL || t.type == TYPE_ANY)
        return t;
    if (s->kind == SYMBOL_CONST)
        ERROR(c, n, "`%s` is a CONST, but %s sets variables: declare it in VAR",
              s->shown, statement);
    else if (s->kind != SYMBOL_FIELD && s->type != WORD_ALGEBR &&
             s->type != WORD_LOGIC)
        check_assignable(c, n, s);
    return t;
}

/* `A = (1, 2, 3)` for an array of three means three runs, not three
   elements. */
static void check_whole(Checker *c, const Node *n, const Symbol *s)
{
    const Node *list = n->last->first;
    uint64_t elements = 1;
    uint32_t values = node_count(list);
    if (s->kind != SYMBOL_VARIABLE || !s->rank)
        return;
    for (uint32_t k = 0; k < s->rank; k++)
        elements *= (uint64_t)(s->high[k] - s->low[k]) + 1;
    for (const Node *k = list->first; k != NULL; k = k->next)
        if (k->first->kind == NODE_LIST)
            return;
    if (values > 1 && values == elements)
        WARNING(c, n->last,
                "this makes %u runs, each with one value for all elements of "
                "`%s`: to set its elements, write ((a, b, ...))",
                (unsigned)values, s->shown);
}

static void check_setting(Checker *c, Node *n, Word statement)
{
    Target t = check_setting_target(c, n->first, word_text(statement));
    const Symbol *s = t.symbol;
    bool field = s != NULL && s->kind == SYMBOL_FIELD;
    Type to = s == NULL || t.type == TYPE_THING ? TYPE_ANY : t.type;
    Layer layer;
    char what[100];
    if (s != NULL && s->node != NULL && s->node->kind == NODE_FIELD_ITEM) {
        ERROR(c, n->first,
              "`%s` is %s, and entries are there only during a run: give it "
              "its value by WHERE, or in INITIAL",
              s->shown, symbol_words(s));
        to = TYPE_ANY;
    } else if (statement == WORD_PARAMETER && s != NULL &&
               (s->type == WORD_STATE || s->type == WORD_ALGEBR ||
                s->type == WORD_LOGIC || field)) {
        ERROR(c, n->first, "`%s` is %s: INITCOND gives its value at the start",
              s->shown, symbol_words(s));
        to = TYPE_ANY;
    }
    if (statement == WORD_GUESS && s != NULL && s->type != WORD_ALGEBR &&
        s->type != WORD_STATE) {
        ERROR(c, n->first,
              "`%s` is %s: GUESS says where the search for the start of a "
              "STATE or an ALGEBR begins; PARAMETER sets a variable",
              s->shown, symbol_words(s));
        to = TYPE_ANY;
    }
    snprintf(what, sizeof what, "`%.60s`", s == NULL ? "it" : s->shown);
    layer_push(c, &layer, field ? s->inside : NULL);
    if (n->last->kind == NODE_VALUES) {
        check_values(c, n->last, to, what);
        if (s != NULL && t.whole)
            check_whole(c, n, s);
        else if (s != NULL && !field)
            check_no_sets(c, n->last, s->shown);
    } else
        check_fits(c, n->last, check_expression(c, n->last), to, what);
    layer_pop(c);
}

static void check_sweep_item(Checker *c, Node *n)
{
    Target t = check_setting_target(c, n->first, "SWEEP");
    Node *from = node_child(n, 1), *to = node_child(n, 2);
    Constant a, b;
    if (n->word == WORD_NONE) {
        check_values(c, from, t.symbol == NULL ? TYPE_ANY : t.type, "`SWEEP`");
        if (t.symbol != NULL)
            check_no_sets(c, from, t.symbol->shown);
        return;
    }
    if (t.type == TYPE_TRUTH) {
        ERROR(c, n->first,
              "truth values have no steps between them: write "
              "SWEEP %s = (FALSE, TRUE)",
              t.symbol->shown);
        return;
    }
    check_number(c, from, "the beginning of a SWEEP");
    check_number(c, to, "the end of a SWEEP");
    check_integer(c, n->last, "the number of POINTS");
    if (constant_fold(c, n->last, &a) && a.integer < 2)
        ERROR(c, n->last, "a SWEEP needs at least 2 POINTS");
    if (n->word == WORD_LOG && constant_fold(c, from, &a) &&
        constant_fold(c, to, &b) && (a.real <= 0.0 || b.real <= 0.0))
        ERROR(c, a.real <= 0.0 ? from : to,
              "a SWEEP in equal ratios (LOG) needs positive numbers");
}

/* ---- Integration --------------------------------------------------------- */

static void check_method(Checker *c, Node *n)
{
    const char *near;
    Buffer all = {0};
    if (method_facts_find(n->text) != NULL)
        return;
    if (n->text[0] == '\0') // the name is missing, as reported already
        return;
    method_facts_list(&all, ", ", true);
    near = advice_method(n->text);
    if (near == NULL)
        near = predefined_nearest(c, SYMBOL_METHOD, n->text);
    if (near != NULL)
        unit_error(c->unit, name_span(c, n), n->origin,
                   "there is no METHOD `%s`: did you mean `%s`?", n->text,
                   near);
    else
        unit_error(c->unit, name_span(c, n), n->origin,
                   "there is no METHOD `%s`: AUTO lets the system choose; "
                   "there are %s",
                   n->text, buffer_string(&all));
    buffer_free(&all);
}

void check_positive(Checker *c, Node *n, const char *what)
{
    Constant v;
    if (is_none(n) || check_number(c, n, what) == TYPE_ANY)
        return;
    if (constant_fold(c, n, &v) && v.real <= 0.0)
        ERROR(c, n, "%s must be positive", what);
}

static void check_integrat_option(Checker *c, Node *n)
{
    if (n->word == WORD_METHOD)
        check_method(c, n);
    else if (n->word != WORD_PRECISION)
        check_positive(c, n->first, word_text(n->word));
    else if (!name_same(n->text, "DOUBLE") && !name_same(n->text, "EXTENDED") &&
             !name_same(n->text, "QUAD"))
        unit_error(c->unit, name_span(c, n), n->origin,
                   "PRECISION is DOUBLE, EXTENDED or QUAD, not `%s`", n->text);
}

/* Reports an option that is given twice. */
static void check_twice(Checker *c, const Node *list, const Node *n)
{
    for (const Node *k = list->first; k != n; k = k->next) {
        if (k->word == n->word) {
            ERROR(c, n, "%s is given twice", word_text(n->word));
            return;
        }
    }
}

static void check_integrat(Checker *c, Node *n)
{
    for (Node *k = n->first->first; k != NULL; k = k->next) {
        check_twice(c, n->first, k);
        check_integrat_option(c, k);
    }
}

/* ---- Statistics ---------------------------------------------------------- */

/* A variable whose assignments are observed. */
static Symbol *check_observed(Checker *c, Node *n, const char *statement,
                              bool truth)
{
    Symbol *s =
        n->kind == NODE_NAME ? name_resolve(c, n) : name_resolve_text(c, n);
    Type t;
    if (symbol_unknown(s))
        return NULL;
    symbol_use(s);
    t = symbol_type(s);
    if (s->kind != SYMBOL_VARIABLE ||
        !(type_is_number(t) || (truth && t == TYPE_TRUTH))) {
        unit_error(c->unit, name_span(c, n), n->origin,
                   "%s observes %s, but `%s` is %s%s", statement,
                   truth ? "numbers and truth values" : "numbers", s->shown,
                   symbol_words(s), symbol_keeps(s));
        s->assigned = true; // one message
    } else if (s->type == WORD_RANDOM || s->type == WORD_ALGEBR) {
        unit_error(c->unit, name_span(c, n), n->origin,
                   "%s observes what is assigned, but `%s` is %s: assign its "
                   "value to a REAL, and observe that",
                   statement, s->shown, symbol_words(s));
    }
    return s;
}

static void check_timepers(Checker *c, Node *n)
{
    Symbol *s = check_observed(c, n, "TIMEPERS", true);
    char what[100];
    if (is_none(n->first))
        return;
    if (s == NULL) {
        check_expression(c, n->first);
        return;
    }
    symbol_assign(c, s, n);
    snprintf(what, sizeof what, "`%.60s`", s->shown);
    check_fits(c, n->first, check_expression(c, n->first), symbol_type(s),
               what);
}

static void check_histogram(Checker *c, Node *n)
{
    Constant v;
    check_observed(c, n, "HISTOGRAM", false);
    check_integer(c, n->first, "the number of CELLS");
    if (constant_fold(c, n->first, &v) && v.integer < 1)
        ERROR(c, n->first, "a HISTOGRAM needs at least one cell");
    else if (constant_fold(c, n->first, &v) && v.integer > 126)
        ERROR(c, n->first, "a HISTOGRAM has at most 126 cells");
    check_positive(c, node_child(n, 1), "WIDTH");
    if (!is_none(n->last))
        check_number(c, n->last, "FUPLIM");
}

/* ---- Random variables ---------------------------------------------------- */

static const char *option_name(Word w)
{
    return w == WORD_AVTIM ? "MEAN" : word_text(w);
}

/* True if the distribution takes a parameter of this name. */
static bool takes_word(uint32_t distribution, const char *word)
{
    const char *own;
    for (uint32_t k = 0; (own = distribution_word(distribution, k)); k++) {
        if (strcmp(own, word) == 0)
            return true;
    }
    return false;
}

static bool has_option(const Node *options, const char *name)
{
    for (const Node *k = options->first; k != NULL; k = k->next) {
        if (strcmp(option_name(k->word), name) == 0)
            return true;
    }
    return false;
}

/* "it takes MEAN and SD" */
static void list_words(uint32_t distribution, char *text, size_t room)
{
    const char *own, *between = "it takes ";
    size_t used = (size_t)snprintf(text, room, "it takes no parameters");
    for (uint32_t k = 0; (own = distribution_word(distribution, k)); k++) {
        used = k == 0 ? 0 : used;
        used +=
            (size_t)snprintf(text + used, room - used, "%s%s", between, own);
        assert(used < room);
        between = distribution_word(distribution, k + 2) ? ", " : " and ";
    }
}

static void check_random_options(Checker *c, Node *name, Node *options,
                                 uint32_t distribution)
{
    char takes[100];
    const char *own;
    list_words(distribution, takes, sizeof takes);
    for (Node *k = options->first; k != NULL; k = k->next) {
        check_twice(c, options, k);
        check_number(c, k->first, word_text(k->word));
        if (k->word != WORD_SEED &&
            !takes_word(distribution, option_name(k->word))) {
            ERROR(c, k, "%s has no %s: %s", name->text, word_text(k->word),
                  takes);
            return;
        }
    }
    for (uint32_t k = 0; (own = distribution_word(distribution, k)); k++) {
        if (!has_option(options, own)) {
            ERROR(c, name, "%s needs %s = ...", name->text, own);
            return;
        }
    }
}

static void check_empirical(Checker *c, Node *points)
{
    if (points->kind == NODE_FROM_FILE)
        header_read(c->unit, points);
    if (points->kind != NODE_LIST)
        return;
    for (Node *k = points->first; k != NULL; k = k->next) {
        Constant weight;
        check_number(c, k->first, "a value of EMPIRIC");
        check_number(c, k->last, "a weight of EMPIRIC");
        if (constant_fold(c, k->last, &weight) && weight.real < 0.0)
            ERROR(c, k->last, "a weight cannot be negative");
    }
}

void check_distribution(Checker *c, Node *name)
{
    Node *options = name->next;
    Symbol *d = scope_own(c->predefined, name->text);
    const char *near;
    check_empirical(c, options->next);
    if (d != NULL && d->kind == SYMBOL_DISTRIBUTION) {
        name->symbol = d;
        check_random_options(c, name, options, distribution_find(d->name));
        return;
    }
    if (name->text[0] == '\0') // the name is missing, as reported already
        return;
    near = advice_distribution(name->text);
    if (near == NULL)
        near = predefined_nearest(c, SYMBOL_DISTRIBUTION, name->text);
    ERROR(c, name, "there is no distribution `%s`%s%s%s", name->text,
          near == NULL ? ": cosy doc randomgen lists them" : ": did you mean `",
          near == NULL ? "" : near, near == NULL ? "" : "`?");
}

static void check_random(Checker *c, Node *n)
{
    Symbol *s = name_resolve_text(c, n);
    if (!symbol_unknown(s)) {
        if (!symbol_is(s, WORD_RANDOM))
            unit_error(c->unit, name_span(c, n), n->origin,
                       "RANDOMGEN describes RANDOM variables, but `%s` is %s",
                       s->shown, symbol_words(s));
        symbol_assign(c, s, n);
    }
    check_distribution(c, n->first);
}

/* ---- Running ------------------------------------------------------------- */

static void check_simulate(Checker *c, Node *n)
{
    Node *to = node_child(n, 1), *comint = node_child(n, 2);
    Constant a, b;
    check_number(c, n->first, "the start time");
    if (!is_none(to)) {
        check_number(c, to, "the end time");
        if (constant_fold(c, n->first, &a) && constant_fold(c, to, &b) &&
            a.real == b.real)
            ERROR(c, to, "this run ends at the time at which it begins");
    }
    if ((n->flags & FLAG_LOG) != 0) {
        check_integer(c, comint, "the number of points after LOG");
        if (is_none(to))
            ERROR(c, comint,
                  "COMINT = LOG divides the span of the run, but FINISH leaves "
                  "it open: write TO and the end time");
    } else {
        check_positive(c, comint, "COMINT");
    }
    check_positive(c, n->last, "the FACTOR of REALTIME");
}

/* Variables whose values are used; whole arrays are allowed. */
static void check_watched(Checker *c, Node *list, const char *what)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Target t = check_designator(c, k, ACCESS_READ);
        if (t.symbol != NULL && (t.type == TYPE_THING || t.type == TYPE_ENTRY))
            ERROR(c, k, "%s needs a variable with a value, but `%s` is %s",
                  what, t.symbol->shown, symbol_words(t.symbol));
    }
}

/* The variable whose mean decides how often a SIMULATE is replicated. */
static void check_decisive(Checker *c, Node *n, const char *statement)
{
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol != NULL && !type_is_number(t.type))
        ERROR(c, n, "%s needs a number", statement);
}

void check_at_least(Checker *c, Node *n, int64_t least, const char *what)
{
    Constant v;
    if (is_none(n) || check_integer(c, n, what) == TYPE_ANY)
        return;
    if (constant_fold(c, n, &v) && v.integer < least)
        ERROR(c, n, "%s must be at least %lld", what, (long long)least);
}

static void check_best(Checker *c, Node *n)
{
    Constant v;
    Node *share = node_child(n, 2);
    check_decisive(c, n->first, "REPLICATE BEST");
    check_positive(c, node_child(n, 1), "DELTA");
    if (!is_none(share) && check_number(c, share, "CONFIDENCE") != TYPE_ANY &&
        constant_fold(c, share, &v) && !(v.real >= 0.5 && v.real < 1.0))
        ERROR(c, share,
              "CONFIDENCE is the share of right choices, such as 0.95: at "
              "least 0.5 and less than 1");
    check_at_least(c, node_child(n, 3), 5, "the replications after FIRST");
    check_at_least(c, node_child(n, 4), 1, "MAX");
    if (n->flags & FLAG_ANTITHETIC)
        ERROR(c, n,
              "REPLICATE BEST needs replications that are independent of each "
              "other, which ANTITHETIC ones are not: leave ANTITHETIC out");
    if (!is_none(n->last))
        ERROR(c, n->last,
              "REPLICATE BEST compares all with each other: leave BASE out");
}

static void check_replicate(Checker *c, Node *n)
{
    if (n->word == WORD_MIN || n->word == WORD_MAX) {
        check_best(c, n);
        return;
    }
    check_at_least(c, n->last, 1, "BASE, the number of an alternative,");
    if (n->word == WORD_WITHIN) {
        check_positive(c, n->first, "the half width after WITHIN");
        check_decisive(c, node_child(n, 1), "REPLICATE WITHIN");
        if (!is_none(node_child(n, 2)))
            check_integer(c, node_child(n, 2), "MAX");
        return;
    }
    check_at_least(c, n->first, 1, "the number of replications");
}

/* CLEAR AUTO OF X: whether X is observed is known when the frame is lowered. */
static void check_clear(Checker *c, Node *n)
{
    if (n->word == WORD_AUTO)
        check_decisive(c, n->first, "CLEAR AUTO OF");
    else
        check_number(c, n->first, "the time after AT");
}

static void check_gridcheck(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Target t = check_designator(c, k, ACCESS_READ);
        if (t.symbol != NULL && !symbol_unknown(t.symbol) &&
            t.symbol->kind != SYMBOL_FIELD)
            ERROR(c, k, "GRIDCHECK needs a FIELD, but `%s` is %s",
                  t.symbol->shown, symbol_words(t.symbol));
    }
}

/* ---- Statements ---------------------------------------------------------- */

static void each(Checker *c, Node *list, void (*check)(Checker *, Node *))
{
    for (Node *k = list->first; k != NULL; k = k->next)
        check(c, k);
}

/* The first name in n that draws a value, or NULL. */
static const Node *find_draw(const Node *n)
{
    const Node *found = NULL;
    if (n->kind == NODE_NAME)
        return n->symbol != NULL && symbol_is(n->symbol, WORD_RANDOM) ? n
                                                                      : NULL;
    for (const Node *k = n->first; k != NULL && found == NULL; k = k->next)
        found = find_draw(k);
    return found;
}

/* INITCOND (a = b). */
static void check_start_condition(Checker *c, Node *n, Word statement)
{
    const Node *draw;
    check_number(c, n->first, "a side of a condition");
    check_number(c, n->last, "a side of a condition");
    draw = find_draw(n);
    if (draw != NULL)
        ERROR(c, draw,
              "`%s` draws a new value each time it is read, but this condition "
              "is evaluated many times: draw it into a REAL before",
              draw->symbol->shown);
    if (statement == WORD_GUESS)
        ERROR(c, n,
              "GUESS gives single values, `X = e`; a condition that the start "
              "fulfils stands in INITCOND");
}

static void check_settings(Checker *c, Node *n)
{
    for (Node *k = n->first->first; k != NULL; k = k->next) {
        if (k->kind == NODE_EQUATION)
            check_start_condition(c, k, n->word);
        else
            check_setting(c, k, n->word);
    }
}

static void check_collect(Checker *c, Node *n)
{
    check_observed(c, n, "COLLECT", false);
}

/* True if the next thing that runs is a FRAME. */
static bool is_before_frame(const Node *n)
{
    for (; n != NULL && !node_simulates(n); n = n->next) {
        if (n->kind == NODE_FRAME)
            return true;
    }
    return n != NULL && n->kind == NODE_FRAME;
}

/* Warns about statements outside FRAMEs that belong in one. */
void check_frames(Checker *c, const Node *list)
{
    const Node *first = list->first;
    bool after = false;
    while (first != NULL && first->kind != NODE_FRAME)
        first = first->next;
    if (first == NULL)
        return;
    for (const Node *n = list->first; n != NULL; n = n->next) {
        after = after || n == first;
        if (n->kind == NODE_FRAME)
            continue;
        if (!after && node_simulates(n))
            WARNING(c, n,
                    "this runs once, before all FRAMEs, and is part of none: "
                    "put it in a FRAME of its own");
        else if (after && node_prepares(n) && is_before_frame(n))
            WARNING(c, n,
                    "this is between FRAMEs and affects none of them: to "
                    "affect them all, put it before the first FRAME");
    }
}

/* [states], [accuracy] */
static void check_reduction(Checker *c, const Node *of, Node *n)
{
    Constant v;
    if (!is_none(of->first))
        ERROR(c, n,
              "REDUCE looks at one point: leave EVERY out, and put this "
              "LINEARIZE before or after the SIMULATE");
    if (!is_none(n->first))
        check_at_least(c, n->first, 0, "the number of states after REDUCE TO");
    check_positive(c, n->last, "ACCURACY");
    if (!is_none(n->last) && constant_fold(c, n->last, &v) && v.real >= 1.0)
        ERROR(c, n->last,
              "ACCURACY is relative and must be less than 1: 0.01 is one per "
              "cent");
}

static void check_linearize(Checker *c, Node *n)
{
    Node *reduction = node_child(n, 3);
    check_positive(c, n->first, "the time after EVERY");
    check_watched(c, node_child(n, 1), "LINEARIZE");
    check_watched(c, node_child(n, 2), "LINEARIZE");
    if (reduction)
        check_reduction(c, n, reduction);
}

bool check_experiment_statement(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_FRAME: each(c, n->first, check_statement); break;
    case NODE_SETTINGS: check_settings(c, n); break;
    case NODE_SWEEP: each(c, n->first, check_sweep_item); break;
    case NODE_REPLICATE: check_replicate(c, n); break;
    case NODE_INTEGRAT: check_integrat(c, n); break;
    case NODE_COLLECT: each(c, n->first, check_collect); break;
    case NODE_TIMEPERS: each(c, n->first, check_timepers); break;
    case NODE_HISTOGRAM: each(c, n->first, check_histogram); break;
    case NODE_RANDOMGEN: each(c, n->first, check_random); break;
    case NODE_UNCERTAIN: check_uncertain(c, n); break;
    case NODE_SIMULATE: check_simulate(c, n); break;
    case NODE_STEADYSTATE: check_positive(c, n->first, "TOL"); break;
    case NODE_LINEARIZE: check_linearize(c, n); break;
    case NODE_SEARCH:
    case NODE_FIT: check_search(c, n); break;
    case NODE_SENSITIVITY:
        check_watched(c, n->first, "SENSITIVITY");
        check_watched(c, n->last, "SENSITIVITY");
        break;
    case NODE_FEATURES: check_positive(c, n->first, "ACCURACY"); break;
    case NODE_GRIDCHECK: check_gridcheck(c, n->first); break;
    case NODE_CLEAR: check_clear(c, n); break;
    default: return false;
    }
    return true;
}

/* ---- OUTPUT -------------------------------------------------------------- */

/* An expression that is computed for every row. */
static void check_computed(Checker *c, Node *n, bool bars)
{
    Type t;
    if (bars) {
        ERROR(c, n, "BARS shows HISTOGRAMs: name one");
        return;
    }
    t = check_expression(c, n->first);
    if (t != TYPE_ANY && t != TYPE_TRUTH && !type_is_number(t))
        ERROR(c, n,
              "what is shown must be a number or a truth value, but "
              "this is %s",
              type_words(t));
}

static void check_shown(Checker *c, Node *n, bool bars)
{
    Target t;
    if (n->kind == NODE_SHOWN) {
        check_computed(c, n, bars);
        return;
    }
    t = check_designator(c, n, ACCESS_READ);
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return;
    if (t.type == TYPE_THING || t.type == TYPE_ENTRY)
        ERROR(c, n, "`%s` is %s and has no values to show%s", t.symbol->shown,
              symbol_words(t.symbol), symbol_keeps(t.symbol));
}

/* A number of a run that is written out is at least 1. */
static void check_run(Checker *c, Node *run)
{
    Constant v;
    if (is_none(run) || run->word != WORD_NONE)
        return;
    check_integer(c, run, "the number of a run");
    if (constant_fold(c, run, &v) && v.integer < 1)
        ERROR(c, run, "runs are counted from 1");
}

/* What only a picture of several runs has: two parameters, and means. */
static void check_along(Checker *c, Node *n)
{
    Node *run = n->first, *along = node_child(n, 2);
    bool drawn = n->word == WORD_GRAPH || n->word == WORD_PLOT;
    if (!is_none(along))
        check_shown(c, along, n->word == WORD_BARS);
    if (!is_none(along) && (!drawn || !is_none(run)))
        ERROR(c, along,
              "a quantity over two parameters is a picture of all runs: write "
              "GRAPH VERSUS P, Q: X, or PLOT, without a number of a run");
    if (!is_none(run) && run->word == WORD_MEAN && !drawn)
        ERROR(c, run,
              "%s has no (MEAN): write GRAPH (MEAN): X, Y or PLOT (MEAN): X",
              word_text(n->word));
    if (!is_none(run) && run->word == WORD_MEAN && !is_none(node_child(n, 1)))
        ERROR(c, node_child(n, 1),
              "(MEAN) is the mean of replications over TIME: leave VERSUS out");
}

static void check_show(Checker *c, Node *n)
{
    Node *versus = node_child(n, 1);
    check_run(c, n->first);
    if (!is_none(versus))
        check_shown(c, versus, n->word == WORD_BARS);
    check_along(c, n);
    for (Node *k = n->last->first; k != NULL; k = k->next)
        check_shown(c, k, n->word == WORD_BARS);
}

/* One column of the file for the times, and one for each variable. */
static void check_compared(Checker *c, Node *n)
{
    Node *other = node_child(n, 2), *file = node_child(n, 4);
    uint32_t columns, shown = node_count(n->last);
    if (is_none(file) && is_none(other))
        ERROR(c, n,
              "with what is this to be compared: COMPARE (1, 2): X compares "
              "run 1 with run 2, COMPARE: X WITH \"data.csv\" COLUMNS T, U "
              "compares with measured values");
    if (is_none(file))
        return;
    if (!is_none(other))
        ERROR(c, other,
              "either another run or a file is what this is compared with, "
              "not both");
    columns = node_count(file->first);
    if (columns != shown + 1)
        ERROR(c, file,
              "COLUMNS has the column of the times and one for each of the %u "
              "variable%s before WITH, that is %u, not %u",
              (unsigned)shown, shown == 1 ? "" : "s", (unsigned)shown + 1,
              (unsigned)columns);
    header_read(c->unit, file);
}

/* SPECTRUM, AUTOCORR, CROSSCORR, COMPARE. */
static void check_signal(Checker *c, Node *n)
{
    Node *lag = node_child(n, 3);
    check_run(c, n->first);
    check_run(c, node_child(n, 2));
    if (!is_none(lag))
        check_positive(c, lag, "the LAG");
    if (n->word == WORD_COMPARE)
        check_compared(c, n);
    for (Node *k = n->last->first; k != NULL; k = k->next)
        check_shown(c, k, false);
}

static bool is_signal(const Node *n)
{
    return n->word == WORD_SPECTRUM || n->word == WORD_AUTOCORR ||
           n->word == WORD_CROSSCORR || n->word == WORD_COMPARE;
}

/* An array or FIELD as a whole. */
static void check_over_index(Checker *c, const Node *line, Node *n)
{
    Target t = check_designator(c, n, ACCESS_READ);
    const Symbol *s = t.symbol;
    const char *word = word_text(line->word);
    bool curves = line->word == WORD_LIST || line->word == WORD_PLOT ||
                  line->word == WORD_GRAPH;
    if (s == NULL || symbol_unknown(s))
        return;
    if (s->kind == SYMBOL_FIELD || (s->rank > 0 && t.whole))
        return;
    if (s->rank > 0)
        ERROR(c, n, "%s shows an array as a whole over its index: write %s %s",
              word, word, s->shown);
    else if (curves)
        ERROR(c, n,
              "%s shows an array or a FIELD over its index here, but `%s` is "
              "%s: write %s: %s",
              word, s->shown, symbol_words(s), word, s->shown);
    else
        ERROR(c, n, "%s shows an array or a FIELD, but `%s` is %s", word,
              s->shown, symbol_words(s));
}

/* One number of a run: these pictures are of one run each. */
static void check_field_run(Checker *c, const Node *line, Node *run)
{
    check_run(c, run);
    if (!is_none(run) && (run->word == WORD_CROSSF || run->word == WORD_MEAN))
        ERROR(c, run,
              "%s over an index is about runs: write (n) for one of them, or "
              "(ALL)",
              word_text(line->word));
}

static void check_show_field(Checker *c, Node *n)
{
    Node *times = node_child(n, 4), *form = node_child(n, 1);
    check_field_run(c, n, n->first);
    if (n->word == WORD_OVERPLOT || n->word == WORD_BARS)
        ERROR(c, n, "%s shows nothing over an index: write GRAPH, PLOT or LIST",
              word_text(n->word));
    if (!is_none(form) && n->word != WORD_PLOT)
        ERROR(c, form,
              "PLOT SHADE draws in characters, SHADE a picture; there is no %s "
              "SHADE",
              word_text(n->word));
    for (Node *k = n->last->first; k != NULL; k = k->next)
        check_over_index(c, n, k);
    if (!is_none(node_child(n, 2)) && n->word != WORD_SURFACE)
        ERROR(c, node_child(n, 2), "only a SURFACE is seen from a VIEW");
    if (!is_none(times))
        check_values(c, times, TYPE_REAL, "a time");
    for (Node *k = is_none(times) ? NULL : times->first->first; k != NULL;
         k = k->next)
        if (k->first->kind == NODE_LIST && node_count(k->first) > 1)
            ERROR(c, k->first, "AT TIME is followed by one list of times");
}

void check_output(Checker *c, Node *output)
{
    c->place = PLACE_OUTPUT;
    for (Node *n = output->first->first; n != NULL; n = n->next) {
        if (n->kind == NODE_SHOW && is_signal(n))
            check_signal(c, n);
        else if (n->kind == NODE_SHOW)
            check_show(c, n);
        else if (n->kind == NODE_SHOW_FIELD)
            check_show_field(c, n);
        else if (n->kind == NODE_FACTOR)
            for (Node *k = n->first->first; k != NULL; k = k->next)
                check_positive(c, k->first, word_text(k->word));
    }
}
