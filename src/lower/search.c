#include "lower/lowerer.h"

/* MINIMIZE, MAXIMIZE and SOLVE: their statements become a function that the host calls
   as often as it likes. */

typedef struct Wanted {
    const Expr **list; // of the statement
    SearchSense *sense;
    uint32_t *row;
    uint32_t n, room;
} Wanted;

static const Expr *real_of(Lowerer *l, const Node *n)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT),
                                      EXPR_TYPE_REAL);
}

/* ---- Results --------------------------------------------------------------------- */

static void add_result(Lowerer *l, Wanted *w, const Node *n, SearchSense sense,
                       const Expr *value)
{
    if (w->n == w->room)
        return;
    w->list[w->n] = value;
    w->sense[w->n] = sense;
    w->row[w->n++] = lower_row(l, n, NONE, true);
}

/* a - b, or b - a for a relation the other way round. */
static void add_difference(Lowerer *l, Wanted *w, const Node *n,
                           SearchSense sense, bool turned)
{
    const Expr *a = real_of(l, n->first), *b = real_of(l, n->last);
    if (a && b)
        add_result(l, w, n, sense,
                   turned ? expr_minus(l->m, b, a) : expr_minus(l->m, a, b));
}

/* Conditions after SUBJECT TO: relations, and several of them joined by AND. The
   checks have refused all others. */
static void add_condition(Lowerer *l, Wanted *w, const Node *n)
{
    if (n->kind == NODE_BINARY && n->word == WORD_AND) {
        add_condition(l, w, n->first);
        add_condition(l, w, n->last);
        return;
    }
    bool above = n->word == WORD_GREATER || n->word == WORD_GREATER_EQUAL;
    add_difference(l, w, n, n->word == WORD_EQUAL ? SENSE_ZERO : SENSE_BELOW,
                   above);
}

static uint32_t count_conditions(const Node *n)
{
    if (n->kind == NODE_BINARY && n->word == WORD_AND)
        return count_conditions(n->first) + count_conditions(n->last);
    return 1;
}

static uint32_t count_results(const Node *n)
{
    uint32_t count = n->word == WORD_SOLVE ? node_count(n->first) : 1;
    for (const Node *k = node_child(n, 3)->first; k; k = k->next)
        count += count_conditions(k);
    return count;
}

static void lower_results(Lowerer *l, const Node *n, Wanted *w)
{
    if (n->word != WORD_SOLVE)
        add_result(l, w, n->first, SENSE_VALUE, real_of(l, n->first));
    else
        for (const Node *k = n->first->first; k; k = k->next)
            add_difference(l, w, k, SENSE_ZERO, false);
    for (const Node *k = node_child(n, 3)->first; k; k = k->next)
        add_condition(l, w, k);
}

/* ---- Parameters -------------------------------------------------------------------- */

void lower_search_parameter(Lowerer *l, const Node *n, uint32_t k,
                            uint32_t count, const Expr **list,
                            uint32_t *variable, bool *log)
{
    const Node *range = n->last;
    bool ranged = range->kind == NODE_RANGE;
    variable[k] = lower_designated(l, n->first);
    log[k] = (n->flags & FLAG_LOG) != 0;
    if (variable[k] == NONE)
        return;
    list[k] = lower_position(l, n->first, IN_EXPERIMENT);
    list[count + k] = real_of(l, node_child(n, 1));
    list[2 * count + k] = ranged ? real_of(l, range->first) : NULL;
    list[3 * count + k] = ranged ? real_of(l, range->last) : NULL;
    if (!list[k] && model_variable(l->m, variable[k])->elements > 1)
        LOWER_ERROR(
            l, n->first,
            "a search varies single numbers, and `%s` is an array: name "
            "one of its elements",
            model_variable(l->m, variable[k])->name);
}

const Expr *lower_search_option(Lowerer *l, const Node *options, Word word)
{
    for (const Node *k = options->first; k; k = k->next)
        if (k->word == word)
            return real_of(l, k->first);
    return NULL;
}

static const Node *option_node(const Node *options, Word word)
{
    for (const Node *k = options->first; k; k = k->next)
        if (k->word == word)
            return k;
    return NULL;
}

void lower_search(Lowerer *l, const Node *n, Code *code)
{
    const Node *starts = node_child(n, 1), *options = node_child(n, 2);
    uint32_t count = node_count(starts), results = count_results(n), k = 0;
    size_t listed = 4 * (size_t)count + results + 2;
    Statement *s = code_add(l->m, code, STATEMENT_SEARCH, n->at,
                            lower_line(l, n->at, n->origin));
    Quest *quest = MODEL_NEW(l->m, Quest);
    uint32_t *variable = MODEL_ARRAY(l->m, uint32_t, count);
    bool *log = MODEL_ARRAY(l->m, bool, count);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, listed);
    Wanted w = {.sense = MODEL_ARRAY(l->m, SearchSense, results),
                .row = MODEL_ARRAY(l->m, uint32_t, results),
                .room = results};
    if (!quest || !variable || !log || !list || !w.sense || !w.row)
        return;
    for (const Node *p = starts->first; p; p = p->next)
        lower_search_parameter(l, p, k++, count, list, variable, log);
    w.list = list + 4 * (size_t)count;
    lower_results(l, n, &w);
    list[listed - 2] = lower_search_option(l, options, WORD_TOL);
    list[listed - 1] = lower_search_option(l, options, WORD_MAX);
    const Node *method = option_node(options, WORD_METHOD);
    *quest = (Quest){.kind = n->word == WORD_SOLVE      ? SEARCH_SOLVE
                             : n->word == WORD_MAXIMIZE ? SEARCH_MAXIMIZE
                                                        : SEARCH_MINIMIZE,
                     .number = l->m->searches++,
                     .global = option_node(options, WORD_GLOBAL) != NULL,
                     .method = method ? method->text : NULL,
                     .n = count,
                     .variable = variable,
                     .log = log,
                     .results = w.n,
                     .sense = w.sense,
                     .row = w.row};
    s->quest = quest;
    s->list = list;
    s->n = (uint32_t)listed;
    s->row = lower_row(l, n, NONE, true);
    lower_search_senses(l, n, quest, list);
    lower_code(l, n->last, &s->body, IN_EXPERIMENT);
}
