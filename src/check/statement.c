#include "check/checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Procedural code: what is allowed where, and the statements that every
   language has. */

/* ---- Places -------------------------------------------------------------- */

typedef struct Rule {
    NodeKind kind;
    uint32_t places;
    const char *where; // "is allowed only in ..."
} Rule;

#define IN_PROCESS    PLACE_PROCESS, "a DISCRETE PROCESS and its PROCEDUREs"
#define IN_EXPERIMENT PLACE_EXPERIMENT, "EXPERIMENT"
#define IN_DISCRETE                                                            \
    PLACE_DISCRETE, "INITIAL, events, samples, processes and procedures"

static const Rule rules[] = {
    {NODE_FINISH, (PLACE_DISCRETE & ~PLACE_TERMINAL) | PLACE_COMMUNIC,
     "events, samples, processes and procedures, during a run"},
    {NODE_SCHEDULE, IN_DISCRETE},
    {NODE_CANCEL, IN_DISCRETE},
    {NODE_INSERT, IN_DISCRETE},
    {NODE_REMOVE, IN_DISCRETE},
    {NODE_FIND, IN_DISCRETE},
    {NODE_GENERATE, IN_DISCRETE},
    {NODE_TRANSACTION, IN_DISCRETE},
    {NODE_CREATE, IN_DISCRETE},
    {NODE_COPY, IN_DISCRETE},
    {NODE_ADVANCE, IN_PROCESS},
    {NODE_SEIZE, IN_PROCESS},
    {NODE_SEIZE_ANY, IN_PROCESS},
    {NODE_STORAGE_USE, IN_PROCESS},
    {NODE_WAIT, IN_PROCESS},
    {NODE_SPLIT, IN_PROCESS},
    {NODE_JOIN, IN_PROCESS},
    {NODE_FRAME, IN_EXPERIMENT},
    {NODE_SETTINGS, IN_EXPERIMENT},
    {NODE_SWEEP, IN_EXPERIMENT},
    {NODE_REPLICATE, IN_EXPERIMENT},
    {NODE_INTEGRAT, IN_EXPERIMENT},
    {NODE_COLLECT, IN_EXPERIMENT},
    {NODE_TIMEPERS, IN_EXPERIMENT},
    {NODE_HISTOGRAM, IN_EXPERIMENT},
    {NODE_RANDOMGEN, IN_EXPERIMENT},
    {NODE_UNCERTAIN, IN_EXPERIMENT},
    {NODE_SIMULATE, IN_EXPERIMENT},
    {NODE_STEADYSTATE, IN_EXPERIMENT},
    {NODE_LINEARIZE, IN_EXPERIMENT},
    {NODE_SEARCH, IN_EXPERIMENT},
    {NODE_FIT, IN_EXPERIMENT},
    {NODE_SENSITIVITY, IN_EXPERIMENT},
    {NODE_FEATURES, IN_EXPERIMENT},
    {NODE_GRIDCHECK, IN_EXPERIMENT},
    {NODE_CLEAR, IN_EXPERIMENT},
};

/* Only a transaction may RELEASE, PASS and WAITSIG; anything may OPEN. */
static bool is_own_business(const Node *n)
{
    return n->word == WORD_RELEASE || n->word == WORD_PASS ||
           n->word == WORD_WAITSIG;
}

static const Rule *rule_of(const Node *n)
{
    static const Rule own = {NODE_RESOURCE, IN_PROCESS};
    static const Rule open = {NODE_RESOURCE, IN_DISCRETE};
    if (n->kind == NODE_RESOURCE)
        return is_own_business(n) ? &own : &open;
    for (size_t k = 0; k < LENGTH(rules); k++) {
        if (rules[k].kind == n->kind)
            return &rules[k];
    }
    return NULL;
}

static const char *statement_words(const Node *n)
{
    return n->word != WORD_NONE ? word_text(n->word) : node_words(n->kind);
}

/* The first word of the statement: enough to show its place. */
static Span first_word(const Node *n, const char *word)
{
    Span at = n->at;
    uint32_t length = 0;
    while (word[length] != '\0')
        length++;
    if (at.length > length)
        at.length = length;
    return at;
}

/* Statements of a transaction are also allowed in a PROCEDURE, which is
   expanded where a process calls it. */
static bool in_procedure(const Checker *c)
{
    return c->place == PLACE_ROUTINE && c->self != NULL &&
           c->self->kind == SYMBOL_PROCEDURE;
}

static void check_place(Checker *c, const Node *n)
{
    const Rule *rule = rule_of(n);
    const char *word;
    if (rule == NULL || (rule->places & c->place) != 0 ||
        (rule->places == PLACE_PROCESS && in_procedure(c)))
        return;
    word = n->kind == NODE_REMOVE || n->kind == NODE_REPLICATE
               ? node_words(n->kind)
               : statement_words(n);
    unit_error(c->unit, first_word(n, word), n->origin,
               "%s is allowed only in %s", word, rule->where);
}

/* ---- Assignments --------------------------------------------------------- */

static const char *refusal(const Checker *c, const Symbol *s)
{
    switch (s->type) {
    case WORD_ALGEBR:
    case WORD_LOGIC:
        return (c->place & (PLACE_COMMUNIC | PLACE_PROCEDURAL)) != 0
                   ? NULL
                   : "its equation gives its value; events set REAL, INTEGER "
                     "and BOOLEAN variables";
    case WORD_RANDOM: return "its value is drawn";
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN:
    case WORD_STATE:
    case WORD_DSTATE:
    case WORD_MEMORY:
    case WORD_NONE: return NULL;
    case WORD_STORAGE:
        return "its CAPACITY may be an INTEGER that is declared before it, and "
               "CAPACITY(s) := n changes it during the run";
    default: return "it has no value";
    }
}

static const char *refusal_of_kind(const Checker *c, const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_CONST: return "declare it in VAR if its value changes";
    case SYMBOL_LOOP:
        return symbol_is_index(s) ? "it tells which element takes place"
                                  : "the loop itself counts it";
    case SYMBOL_COORDINATE: return "it is a place, not a variable";
    case SYMBOL_FIELD: return NULL;
    case SYMBOL_FUNCTION:
        return s == c->self ? NULL : "its value is set only inside it";
    case SYMBOL_ATTRIBUTE:
    case SYMBOL_UNKNOWN: return NULL;
    case SYMBOL_VARIABLE:
    case SYMBOL_FORMAL: return s->fixed ? "the system sets it" : refusal(c, s);
    default: return "it has no value";
    }
}

/* Evaluating equations must not change variables of the program. */
static bool is_side_effect(const Checker *c, const Symbol *s)
{
    return (c->place & PLACE_CONTINUOUS_FUNCTION) != 0 && s != c->self &&
           s->scope == c->program;
}

static bool is_output(const Checker *c, const Symbol *s)
{
    for (Node *k = c->procedural->first; k != NULL; k = k->next) {
        if (designator_base(k)->symbol == s)
            return true;
    }
    return s->kind == SYMBOL_UNKNOWN;
}

/* A misspelt variable may happen to have the name of a predefined one. */
static void predefined_target(Checker *c, Node *n, const Symbol *s)
{
    const char *near = scope_nearest(c->home, s->name);
    Symbol *meant = near == NULL ? NULL : scope_own(c->home, near);
    if (meant != NULL)
        meant->meant = true;
    ERROR(c, n, "`%s` is predefined and cannot be assigned: %s", s->shown,
          s->fixed ? "the system sets it"
                   : "choose another name, or declare it in VAR");
}

void check_assignable(Checker *c, Node *n, const Symbol *s)
{
    const char *why = refusal_of_kind(c, s);
    if (why != NULL && s->node == NULL)
        predefined_target(c, n, s);
    else if (why != NULL)
        ERROR(c, n, "`%s` is %s and cannot be assigned: %s", s->shown,
              symbol_words(s), why);
    else if (c->place == PLACE_PROCEDURAL && !is_output(c, s))
        ERROR(c, n,
              "`%s` is not an output of this PROCEDURAL: list it before `<-`, "
              "as an ALGEBR",
              s->shown);
    else if (is_side_effect(c, s))
        ERROR(c, n,
              "`%s` belongs to the program, but a CONTINUOUS FUNCTION only "
              "computes its own value",
              s->shown);
}

/* CAPACITY(s) := n. */
static void check_resize(Checker *c, Node *n)
{
    Constant v;
    check_expression(c, n->first);
    if (check_integer(c, n->last, "the CAPACITY of a STORAGE") == TYPE_ANY)
        return;
    if ((c->place & PLACE_DISCRETE) == 0)
        ERROR(c, n,
              "CAPACITY of a STORAGE is assigned only in INITIAL, events, "
              "samples, processes and procedures");
    if (constant_fold(c, n->last, &v) && v.integer < 0)
        ERROR(c, n->last, "the CAPACITY of a STORAGE is at least 0");
}

static bool is_resize(const Checker *c, const Node *n)
{
    const Node *name = n->first->kind == NODE_CALL ? n->first->first : NULL;
    const Symbol *s = name != NULL && name->kind == NODE_NAME
                          ? name_find(c, name->text)
                          : NULL;
    return s != NULL && s->node == NULL && s->kind == SYMBOL_FUNCTION &&
           name_same(s->name, "CAPACITY");
}

static void check_assign(Checker *c, Node *n)
{
    if (is_resize(c, n)) {
        check_resize(c, n);
        return;
    }
    Target t = check_designator(c, n->first, ACCESS_WRITE);
    uint32_t errors = c->unit->diags->errors;
    bool field = t.symbol != NULL && t.symbol->kind == SYMBOL_FIELD;
    Layer layer;
    char what[100];
    layer_push(c, &layer, field ? t.symbol->inside : NULL);
    Type to, from = check_expression(c, n->last);
    layer_pop(c);
    note_unknown_target(c, n->first);
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return;
    check_assignable(c, n->first, t.symbol);
    if (c->unit->diags->errors != errors)
        return;
    if (t.whole) {
        ERROR(c, n->first, "`%s` is an array: assign to its elements",
              t.symbol->shown);
        return;
    }
    to = t.symbol->kind == SYMBOL_FUNCTION ? word_type(t.symbol->type) : t.type;
    snprintf(what, sizeof what, "`%.60s`", t.symbol->shown);
    check_fits(c, n->last, from, to, what);
}

/* ---- Loops --------------------------------------------------------------- */

Symbol *check_hidden(Checker *c, Node *n, const char *what)
{
    Symbol *s = name_find(c, n->text);
    if (s == NULL || s->node == NULL || symbol_unknown(s) ||
        (n->flags & FLAG_PART)) // a loop over nodes or parts
        return NULL;
    if ((s->kind == SYMBOL_VARIABLE || s->kind == SYMBOL_FORMAL) &&
        (s->type == WORD_INTEGER || s->type == WORD_NONE) && s->rank == 0) {
        symbol_use(s);
        symbol_assign(c, s, n);
        return s;
    }
    if (s->kind == SYMBOL_LOOP && s->counts != NULL)
        return s->counts;
    unit_warning(c->unit, name_span(c, n), n->origin,
                 "the %s `%s` hides %s of the same name", what, n->text,
                 symbol_words(s));
    note_declaration(c, s);
    return NULL;
}

void check_for(Checker *c, Node *n, void (*body)(Checker *, Node *))
{
    Node *by = node_child(n, 2);
    Scope *scope = scope_new(c->unit->arena, NULL, n);
    Constant step;
    Layer layer;
    check_integer(c, n->first, "the first value of the loop");
    check_integer(c, node_child(n, 1), "the last value of the loop");
    if (!is_none(by)) {
        check_integer(c, by, "the step after BY");
        if (constant_fold(c, by, &step) && step.integer <= 0)
            ERROR(
                c, by,
                "the step after BY must be positive: DOWNTO counts downwards");
    }
    Symbol *counts = check_hidden(c, n, "loop variable");
    if (scope == NULL) {
        c->broken = true;
        return;
    }
    name_declare(c, scope, SYMBOL_LOOP, WORD_INTEGER, n);
    symbol_use(n->symbol);
    if (n->symbol != NULL)
        n->symbol->counts = counts;
    layer_push(c, &layer, scope);
    body(c, n->last);
    layer_pop(c);
    c->loop = n;
}

void check_each(Checker *c, Node *n, void (*body)(Checker *, Node *))
{
    Scope *scope = scope_new(c->unit->arena, NULL, n);
    Layer layer;
    check_copies(c, n->first, "FOR ... IN");
    check_hidden(c, n, "loop variable");
    if (scope == NULL) {
        c->broken = true;
        return;
    }
    name_declare(c, scope, SYMBOL_LOOP, WORD_INTEGER, n);
    symbol_use(n->symbol);
    layer_push(c, &layer, scope);
    body(c, n->last);
    layer_pop(c);
    c->loop = n;
}

void check_with(Checker *c, Node *n, void (*body)(Checker *, Node *))
{
    Target t = check_designator(c, n->first, ACCESS_READ);
    const Symbol *record = t.symbol == NULL ? NULL : symbol_record(t.symbol);
    Layer layer;
    if (t.symbol != NULL && t.type != TYPE_ANY && t.type != TYPE_ENTRY)
        ERROR(c, n->first, "WITH needs an entry of a file, as in WITH %s.1 DO",
              t.symbol->kind == SYMBOL_FILE ? t.symbol->shown : "QUEUE");
    layer_push(c, &layer, record == NULL ? NULL : record->inside);
    body(c, n->last);
    layer_pop(c);
}

/* ---- CASE ---------------------------------------------------------------- */

typedef struct Label {
    int64_t low, high;
    Node *node;
    uint32_t order;
} Label;

static int compare_labels(const void *a, const void *b)
{
    const Label *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static bool read_label(Checker *c, Node *n, Label *l)
{
    if (n->kind != NODE_RANGE) {
        if (!constant_integer(c, n, "the label of a CASE", &l->low))
            return false;
        l->high = l->low;
        return true;
    }
    if (!constant_integer(c, n->first, "the label of a CASE", &l->low) ||
        !constant_integer(c, n->last, "the label of a CASE", &l->high))
        return false;
    if (l->low <= l->high)
        return true;
    ERROR(c, n, "this range of labels is empty: %" PRId64 " is above %" PRId64,
          l->low, l->high);
    return false;
}

/* Sorted by their beginning, labels overlap if and only if one of them overlaps
   the one before it that reaches furthest. */
static void check_overlaps(Checker *c, Label *label, uint32_t n)
{
    const Label *far = label;
    qsort(label, n, sizeof *label, compare_labels);
    for (uint32_t k = 1; k < n; k++) {
        const Label *first = far->order < label[k].order ? far : &label[k];
        const Label *second = first == far ? &label[k] : far;
        if (label[k].low <= far->high) {
            ERROR(c, second->node,
                  "the label %" PRId64
                  " already belongs to another branch of this CASE",
                  label[k].low);
            unit_note(c->unit, first->node->at, "it is here first");
        }
        if (label[k].high > far->high)
            far = &label[k];
    }
}

static uint32_t count_labels(const Node *branches)
{
    uint32_t n = 0;
    for (const Node *b = branches->first; b != NULL; b = b->next)
        n += node_count(b->first);
    return n;
}

void check_case_labels(Checker *c, Node *branches)
{
    Label *label = NEW_ARRAY(c->unit->arena, Label, count_labels(branches) + 1);
    uint32_t n = 0;
    if (label == NULL) {
        c->broken = true;
        return;
    }
    for (Node *b = branches->first; b != NULL; b = b->next) {
        if (b->first->first == NULL && b->next != NULL)
            ERROR(c, b, "ELSE is the last branch of a CASE");
        for (Node *k = b->first->first; k != NULL; k = k->next) {
            label[n] = (Label){0, 0, k, n};
            if (read_label(c, k, &label[n]))
                n++;
        }
    }
    if (n > 0)
        check_overlaps(c, label, n);
}

static void check_case(Checker *c, Node *n)
{
    check_integer(c, n->first, "the selector of a CASE");
    check_case_labels(c, n->last);
    for (Node *b = n->last->first; b != NULL; b = b->next) {
        for (Node *k = b->last->first; k != NULL; k = k->next)
            check_statement(c, k);
    }
}

/* ---- Statements ---------------------------------------------------------- */

static void check_list(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next)
        check_statement(c, k);
}

static void check_if(Checker *c, Node *n)
{
    check_truth(c, n->first, "the condition after IF");
    check_statement(c, node_child(n, 1));
    if (!is_none(n->last))
        check_statement(c, n->last);
}

static bool check_plain_statement(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_NONE: return true;
    case NODE_ASSIGN: check_assign(c, n); return true;
    case NODE_CALL: check_procedure_call(c, n); return true;
    case NODE_FOR: check_for(c, n, check_statement); return true;
    case NODE_EACH: check_each(c, n, check_statement); return true;
    case NODE_IF: check_if(c, n); return true;
    case NODE_WHILE:
        check_truth(c, n->first, "the condition after WHILE");
        check_statement(c, n->last);
        return true;
    case NODE_REPEAT:
        check_list(c, n->first);
        check_truth(c, n->last, "the condition after UNTIL");
        return true;
    case NODE_WITH: check_with(c, n, check_statement); return true;
    case NODE_BLOCK: check_list(c, n->first); return true;
    case NODE_CASE: check_case(c, n); return true;
    case NODE_FORTRAN: check_fortran(c, n); return true;
    case NODE_CCODE: c->has_ccode = true; return true;
    case NODE_ERROREXIT:
        check_integer(c, n->first, "the number after ERROREXIT");
        return true;
    default: return false;
    }
}

void check_statement(Checker *c, Node *n)
{
    if (check_plain_statement(c, n))
        return;
    check_place(c, n);
    if (!check_discrete_statement(c, n))
        check_experiment_statement(c, n);
}

void check_statements(Checker *c, Node *list, uint32_t place)
{
    uint32_t before = c->place;
    c->place = place;
    check_list(c, list);
    c->place = before;
}
