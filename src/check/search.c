#include "check/checker.h"

#include "base/buffer.h"

/* MINIMIZE, MAXIMIZE and SOLVE: what is varied, what is wanted, and the statements
   between. */

/* The same variable, or the same element by the same text. */
static bool is_same_place(const Node *a, const Node *b)
{
    if (a->kind != b->kind || a->word != b->word ||
        (a->text == NULL) != (b->text == NULL) ||
        (a->text != NULL && !name_same(a->text, b->text)))
        return false;
    const Node *x = a->first, *y = b->first;
    for (; x != NULL && y != NULL; x = x->next, y = y->next)
        if (!is_same_place(x, y))
            return false;
    return x == y;
}

static uint32_t count_equations(const Node *n)
{
    if (n->kind != NODE_BINARY)
        return 0;
    if (n->word == WORD_AND)
        return count_equations(n->first) + count_equations(n->last);
    return n->word == WORD_EQUAL;
}

void check_start_values(Checker *c, Node *list, const char *statement)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Node *range = k->last;
        Constant a, b, start;
        Target t = check_setting_target(c, k->first, statement);
        if (t.symbol != NULL && !type_is_number(t.type))
            ERROR(c, k->first, "%s varies numbers, but `%s` is %s", statement,
                  t.symbol->shown, symbol_words(t.symbol));
        else if (t.symbol != NULL && t.type == TYPE_INTEGER)
            ERROR(c, k->first,
                  "%s varies numbers continuously, but `%s` is INTEGER: vary a "
                  "REAL, and assign its ROUND to `%s` in the statements",
                  statement, t.symbol->shown, t.symbol->shown);
        for (Node *e = list->first; e != k; e = e->next)
            if (t.symbol != NULL && is_same_place(e->first, k->first))
                ERROR(c, k, "`%s` is varied twice", t.symbol->shown);
        check_number(c, node_child(k, 1), "the value to start from");
        if ((k->flags & FLAG_LOG) && constant_fold(c, node_child(k, 1), &a) &&
            a.real <= 0.0)
            ERROR(c, node_child(k, 1),
                  "a parameter that is searched by its logarithm (LOG) is "
                  "positive");
        if (is_none(range))
            continue;
        check_number(c, range->first, "the lower bound");
        check_number(c, range->last, "the upper bound");
        if ((k->flags & FLAG_LOG) && constant_fold(c, range->first, &a) &&
            a.real <= 0.0)
            ERROR(c, range->first,
                  "the lower bound of a parameter that is searched by its "
                  "logarithm (LOG) is positive");
        if (constant_fold(c, range->first, &a) &&
            constant_fold(c, range->last, &b) && a.real >= b.real)
            ERROR(c, range, "the lower bound is not below the upper bound");
        else if (constant_fold(c, node_child(k, 1), &start) &&
                 ((constant_fold(c, range->first, &a) && start.real < a.real) ||
                  (constant_fold(c, range->last, &b) && start.real > b.real)))
            ERROR(c, node_child(k, 1),
                  "the search would start outside of its bounds");
    }
}

static const char *const optimisers[] = {
#define OPTIMISER_CHOICE(name, what)                             #name,
#define OPTIMISER(name, nlopt, reach, slopes, constraints, what) #name,
#include "base/optimisers.def"
#undef OPTIMISER
#undef OPTIMISER_CHOICE
};

enum { LOCAL = 0, GLOBAL = 1, FREE = 0, BOTH = 1 };

/* What optimisers can do, in the same order. */
static const struct {
    unsigned char global, conditions;
} abilities[] = {
#define OPTIMISER_CHOICE(name, what) {LOCAL, BOTH},
#define OPTIMISER(name, nlopt, reach, slopes, constraints, what)               \
    {reach, constraints},
#include "base/optimisers.def"
#undef OPTIMISER
#undef OPTIMISER_CHOICE
};

/* Methods that cannot do what the rest of the statement asks of them. */
static void check_ability(Checker *c, Node *method, const Node *n, bool global)
{
    size_t k = 0;
    bool conditions = node_child(n, 3)->first != NULL;
    while (k < LENGTH(optimisers) && !name_same(optimisers[k], method->text))
        k++;
    if (k == LENGTH(optimisers))
        return;
    if (name_same(method->text, "BRENT") &&
        (conditions || node_count(node_child(n, 1)) > 1))
        ERROR(c, method,
              "METHOD BRENT is for one parameter without conditions: leave "
              "METHOD out");
    else if (global && !abilities[k].global && !name_same(method->text, "AUTO"))
        ERROR(c, method,
              "METHOD %s searches from its start only, and GLOBAL asks for a "
              "search everywhere: take MULTISTART",
              optimisers[k]);
    else if (conditions && abilities[k].global && !abilities[k].conditions)
        ERROR(c, method,
              "METHOD %s knows no conditions: take MULTISTART or ISRES",
              optimisers[k]);
}

static bool is_global_method(const char *name)
{
    for (size_t k = 0; k < LENGTH(optimisers); k++)
        if (name_same(optimisers[k], name))
            return abilities[k].global;
    return false;
}

static void check_search_method(Checker *c, Node *n, Word search)
{
    Buffer all = {0};
    if (search == WORD_SOLVE) {
        ERROR(c, n, "SOLVE has one method, which is not named");
        return;
    }
    for (size_t k = 0; k < LENGTH(optimisers); k++) {
        if (name_same(optimisers[k], n->text))
            return;
        buffer_format(&all, "%s%s", k ? ", " : "", optimisers[k]);
    }
    const char *near = nearest_name(n->text, optimisers, LENGTH(optimisers));
    ERROR(c, n, "`%.40s` is no method of %s%s%s%s: there are %s", n->text,
          word_text(search), near ? "; did you mean " : "", near ? near : "",
          near ? "?" : "", buffer_string(&all));
    buffer_free(&all);
}

/* a <= b, a >= b, a = b, and several of them joined by AND. */
static void check_condition(Checker *c, Node *n)
{
    if (n->kind == NODE_BINARY && n->word == WORD_AND) {
        check_condition(c, n->first);
        check_condition(c, n->last);
        return;
    }
    switch (n->kind == NODE_BINARY ? n->word : WORD_NONE) {
    case WORD_EQUAL:
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_GREATER:
    case WORD_GREATER_EQUAL:
        check_number(c, n->first, "what a condition compares");
        check_number(c, n->last, "what a condition compares");
        break;
    default:
        check_truth(c, n, "a condition after SUBJECT TO");
        ERROR(c, n,
              "a condition after SUBJECT TO compares two numbers, so that the "
              "search sees how far it is from being met: write g <= h, g >= h "
              "or g = h");
    }
}

void check_search_tolerance(Checker *c, Node *n)
{
    Constant tol;
    check_positive(c, n, "TOL");
    if (constant_fold(c, n, &tol) && tol.real >= 1.0)
        ERROR(c, n,
              "TOL is relative to what a parameter may vary by (its bounds, or "
              "its start value), so it is below 1: 1E-6, say");
}

static void check_search_options(Checker *c, const Node *n)
{
    const Node *options = node_child(n, 2);
    for (Node *k = options->first; k != NULL; k = k->next) {
        const char *word = word_text(k->word);
        for (const Node *e = options->first; e != k; e = e->next)
            if (e->word == k->word)
                ERROR(c, k, "%s is given twice", word);
        if (k->word == WORD_TOL)
            check_search_tolerance(c, k->first);
        else if (k->word == WORD_MAX)
            check_at_least(c, k->first, 1, "MAX, the most trials");
        else if (k->word == WORD_METHOD)
            check_search_method(c, k, n->word);
        else if (n->word == WORD_SOLVE)
            ERROR(c, k, "GLOBAL belongs to MINIMIZE and MAXIMIZE");
    }
}

/* SOLVE finds as many values as it has conditions. */
static void check_wanted(Checker *c, Node *n)
{
    uint32_t wanted = node_count(n->first), free = node_count(node_child(n, 1));
    for (Node *k = n->first->first; k != NULL; k = k->next) {
        check_number(c, k->first, "a result of SOLVE");
        check_number(c, k->last, "the value that a result shall have");
    }
    if (wanted != free)
        ERROR(c, n->first,
              "SOLVE finds as many parameters as it has conditions, and here "
              "%s %u for %u: MINIMIZE a sum of squares where they differ",
              wanted == 1 ? "is" : "are", (unsigned)wanted, (unsigned)free);
}

/* Parameters that are searched without bounds in a search of all. */
static void check_global(Checker *c, const Node *n)
{
    Node *options = node_child(n, 2);
    bool global = false, method = false;
    for (const Node *k = options->first; k != NULL; k = k->next) {
        global = global || k->word == WORD_GLOBAL;
        method =
            method || (k->word == WORD_METHOD && is_global_method(k->text));
    }
    for (Node *k = node_child(n, 1)->first; k != NULL; k = k->next)
        if (is_none(k->last) && (global || method))
            ERROR(c, k,
                  "%s searches between bounds: write := start IN low .. high",
                  global ? "GLOBAL" : "a global METHOD");
    for (Node *k = options->first; k != NULL; k = k->next)
        if (k->word == WORD_METHOD && n->word != WORD_SOLVE)
            check_ability(c, k, n, global);
}

bool check_holds_run(const Node *n)
{
    if (n->kind == NODE_SIMULATE || n->kind == NODE_STEADYSTATE ||
        n->kind == NODE_LINEARIZE || n->kind == NODE_CALL)
        return true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (check_holds_run(k))
            return true;
    return false;
}

static void check_best_or_root(Checker *c, Node *n)
{
    const char *word = word_text(n->word);
    Node *conditions = node_child(n, 3);
    if (n->word == WORD_SOLVE) {
        check_wanted(c, n);
    } else {
        Target t = check_designator(c, n->first, ACCESS_READ);
        if (t.symbol != NULL && (!type_is_number(t.type) || t.whole))
            ERROR(c, n->first, "%s needs a number, but `%s` is %s", word,
                  t.symbol->shown, symbol_words(t.symbol));
    }
    check_start_values(c, node_child(n, 1), word);
    check_search_options(c, n);
    check_global(c, n);
    uint32_t equations = 0, free = node_count(node_child(n, 1));
    for (Node *k = conditions->first; k != NULL; k = k->next) {
        check_condition(c, k);
        equations += count_equations(k);
    }
    if (equations > free)
        ERROR(c, conditions->first,
              "%u equations cannot be met at the same time with %u "
              "parameter%s",
              (unsigned)equations, (unsigned)free, free == 1 ? "" : "s");
    for (Node *k = n->last->first; k != NULL; k = k->next)
        check_statement(c, k);
    if (!check_holds_run(n->last))
        ERROR(c, n,
              "the statements of %s carry out no run: SIMULATE stands between "
              "them and END",
              word);
}

void check_search(Checker *c, Node *n)
{
    if (n->kind == NODE_FIT)
        check_fit(c, n);
    else
        check_best_or_root(c, n);
}
