#include "check/checker.h"

#include <stdio.h>
#include <string.h>

/* Calls: how many actuals, of what type, and whether they can be changed. */

/* ---- Help ---------------------------------------------------------------- */

static void wrong_count(Checker *c, Node *n, const Symbol *s, uint32_t least,
                        uint32_t most, uint32_t given)
{
    Node *at = n->last != NULL && n->last->at.length > 0 ? n->last : n;
    char found[40];
    if (given == 0)
        snprintf(found, sizeof found, "none is given");
    else
        snprintf(found, sizeof found, "%u %s given", (unsigned)given,
                 given == 1 ? "is" : "are");
    if (most == 0)
        ERROR(c, at, "`%s` takes no arguments, but %s", s->shown, found);
    else if (least == most)
        ERROR(c, at, "`%s` takes %u %s, but %s", s->shown, (unsigned)least,
              least == 1 ? "argument" : "arguments", found);
    else if (most == ANY_NUMBER)
        ERROR(c, at, "`%s` takes at least %u arguments, but %s", s->shown,
              (unsigned)least, found);
    else
        ERROR(c, at, "`%s` takes %u to %u arguments, but %s", s->shown,
              (unsigned)least, (unsigned)most, found);
}

/* Checks the arguments anyway, so that their names count as used. */
static void check_loosely(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Node *value = k->first;
        if (k->kind == NODE_SERIES || k->kind == NODE_GATHER)
            continue;
        if (value->kind == NODE_NAME || value->kind == NODE_INDEX ||
            value->kind == NODE_SELECT)
            check_designator(c, value, ACCESS_READ);
        else
            check_expression(c, value);
    }
}

static void check_all_loosely(Checker *c, Node *actuals)
{
    if (is_none(actuals))
        return;
    check_loosely(c, actuals->first);
    check_loosely(c, actuals->last);
}

/* A routine that is not known may compute or change anything it is given. */
void check_unknown_actuals(Checker *c, Node *actuals)
{
    check_all_loosely(c, actuals);
    if (is_none(actuals))
        return;
    for (Node *list = actuals->first; list != NULL; list = list->next) {
        for (Node *k = list->first; k != NULL; k = k->next) {
            Symbol *s = designator_base(k->first)->symbol;
            if (s != NULL)
                s->assigned = s->equated = true;
        }
    }
}

static void refuse_arrow(Checker *c, Node *actuals, const Symbol *s)
{
    if ((actuals->flags & FLAG_ARROW) != 0)
        ERROR(c, actuals, "`%s` is %s: its arguments are not divided by `<-`",
              s->shown, symbol_words(s));
}

/* WIDTH and decimals belong to WRITE. */
static void refuse_width(Checker *c, Node *actual)
{
    if (actual->kind == NODE_ACTUAL && !is_none(node_child(actual, 1)))
        ERROR(c, node_child(actual, 1),
              "a field width is allowed only in WRITE and WRITELN");
}

/* Remembers which routine calls which: routines must not call themselves. */
static void remember_call(Checker *c, Symbol *routine, Node *n)
{
    Call *call;
    if (c->self == NULL || routine->body == NULL)
        return;
    call = NEW(c->unit->arena, Call);
    if (call == NULL) {
        c->broken = true;
        return;
    }
    *call = (Call){routine, n, c->self->calls};
    c->self->calls = call;
}

/* The routine that a call names. */
static Symbol *called(Checker *c, Node *name)
{
    Symbol *s;
    c->advice = ": no FUNCTION, PROCEDURE, MACRO or MODULE of this name comes "
                "before this call";
    c->calling = true;
    s = name_resolve(c, name);
    c->calling = false;
    c->advice = NULL;
    return s;
}

/* ---- Predefined functions ------------------------------------------------ */

static void array_argument(Checker *c, Node *n)
{
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol != NULL && t.type != TYPE_ANY &&
        (!t.whole || t.symbol->rank != 1))
        ERROR(c, n, "an array with one index is expected here");
}

static void file_argument(Checker *c, Node *n, const Symbol *s)
{
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol == NULL || symbol_unknown(t.symbol) || t.type == TYPE_ANY)
        return;
    if (t.type == TYPE_ENTRY ||
        (t.symbol->kind != SYMBOL_FILE && t.symbol->kind != SYMBOL_PROCESS &&
         !symbol_is(t.symbol, WORD_FILE)))
        ERROR(c, n, "`%s` needs a FILE or a PROCESS, but `%s` is %s", s->shown,
              t.symbol->shown, symbol_words(t.symbol));
}

static void copies_argument(Checker *c, Node *n, const Symbol *s)
{
    const Symbol *of = n->kind == NODE_NAME ? name_find(c, n->text) : NULL;
    if (of != NULL && (of->kind == SYMBOL_FILE ||
                       (of->kind == SYMBOL_PROCESS && of->body != NULL &&
                        of->body->kind == NODE_DISCRETE_PROCESS)))
        ERROR(c, n,
              "`%s` counts the copies of a CONTINUOUS PROCESS: ENTRYNBR (%s) "
              "is the number of entries",
              s->shown, of->shown);
    else if (n->kind == NODE_NAME)
        check_copies(c, n, s->shown);
    else
        ERROR(c, n, "`%s` needs the name of a CONTINUOUS PROCESS", s->shown);
}

/* EXISTS (STONE[3]) */
static void copy_argument(Checker *c, Node *n)
{
    if (n->kind == NODE_INDEX && n->first->kind == NODE_NAME) {
        if (check_copies(c, n->first, "EXISTS") != NULL)
            check_designator(c, n, ACCESS_READ);
    } else {
        ERROR(c, n,
              "EXISTS asks for a copy of a CONTINUOUS PROCESS, as in "
              "EXISTS(P[3])");
    }
}

/* FACILITY, STORAGE or GATE, as the letter of predefined.def says; WORD_NONE:
   any with a queue. */
static Word resource_wanted(char takes)
{
    switch (takes) {
    case 'y': return WORD_FACILITY;
    case 'l':
    case 's': return WORD_STORAGE;
    case 'g': return WORD_GATE;
    default: return WORD_NONE;
    }
}

static bool is_unlimited(const Symbol *s)
{
    return s->node != NULL && s->node->kind == NODE_STORAGE_DECL &&
           is_none(s->node->last);
}

/* The resource that a function or procedure asks about. */
static void resource_argument(Checker *c, Node *n, const Symbol *s, char takes)
{
    Target t = check_designator(c, n, ACCESS_READ);
    Word wanted = resource_wanted(takes);
    bool fits;
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return;
    fits = wanted != WORD_NONE ? symbol_is(t.symbol, wanted)
                               : symbol_is(t.symbol, WORD_FACILITY) ||
                                     symbol_is(t.symbol, WORD_STORAGE) ||
                                     symbol_is(t.symbol, WORD_GATE) ||
                                     symbol_is(t.symbol, WORD_SIGNAL);
    if (!fits)
        ERROR(c, n, "`%s` needs a %s, but `%s` is %s", s->shown,
              wanted == WORD_NONE ? "FACILITY, STORAGE, GATE or SIGNAL"
                                  : word_text(wanted),
              t.symbol->shown, symbol_words(t.symbol));
    else if (t.whole && (takes != 'q' || t.symbol->rank != 1 ||
                         !symbol_is(t.symbol, WORD_FACILITY)))
        ERROR(c, n, "`%s` is an array: say which element", t.symbol->shown);
    else if (takes == 'l' && is_unlimited(t.symbol))
        ERROR(c, n,
              "STORAGE `%s` has no limit: `%s` needs one that is declared with "
              "its CAPACITY",
              t.symbol->shown, s->shown);
}

/* MEAN (X), MEAN (A[3]) */
static void variable_argument(Checker *c, Node *n, const Symbol *s)
{
    if (n->kind != NODE_NAME && n->kind != NODE_INDEX &&
        n->kind != NODE_SELECT) {
        check_expression(c, n);
        ERROR(c, n,
              "`%s` asks for a variable, not for an expression: assign it to a "
              "REAL in TERMINAL, and ask for that",
              s->shown);
        return;
    }
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol == NULL || symbol_unknown(t.symbol) || t.type == TYPE_ANY)
        return;
    if (t.symbol->kind != SYMBOL_VARIABLE || t.symbol->type == WORD_RANDOM ||
        !(type_is_number(t.type) || t.type == TYPE_TRUTH))
        ERROR(c, n,
              "`%s` asks for what runs have found of a variable, but `%s` is "
              "%s",
              s->shown, t.symbol->shown, symbol_words(t.symbol));
    else if (t.whole)
        ERROR(c, n, "`%s` is an array: say which element", t.symbol->shown);
}

/* SENS (X, P), SENS (A[3], P[2]) */
static void sense_argument(Checker *c, Node *n, const Symbol *s)
{
    if (n->kind == NODE_NAME || n->kind == NODE_INDEX ||
        n->kind == NODE_SELECT) {
        check_designator(c, n, ACCESS_READ);
        return;
    }
    check_expression(c, n);
    ERROR(
        c, n,
        "`%s` is about a variable and a parameter that SENSITIVITY names, not "
        "about an expression",
        s->shown);
}

static bool has_field(const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->symbol == NULL || symbol_unknown(n->symbol) ||
               n->symbol->kind == SYMBOL_FIELD;
    if (n->kind == NODE_FIELD_AT)
        return false;
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (has_field(k))
            return true;
    }
    return false;
}

static Type argument(Checker *c, Node *actual, const Symbol *s, char takes)
{
    Node *n = actual->first;
    Type t;
    refuse_width(c, actual);
    switch (takes) {
    case 'i': return check_integer(c, n, "this argument");
    case 'b': return check_truth(c, n, "this argument");
    case 'a': array_argument(c, n); return TYPE_REAL;
    case 'f': file_argument(c, n, s); return TYPE_INTEGER;
    case 'p': copies_argument(c, n, s); return TYPE_INTEGER;
    case 'c': copy_argument(c, n); return TYPE_INTEGER;
    case 'q':
    case 'y':
    case 's':
    case 'l':
    case 'g': resource_argument(c, n, s, takes); return TYPE_INTEGER;
    case 'v': variable_argument(c, n, s); return TYPE_REAL;
    case 'w': sense_argument(c, n, s); return TYPE_REAL;
    case 'x': return check_expression(c, n);
    case 'o': return check_integral(c, n);
    default: break;
    }
    t = check_number(c, n, "this argument");
    if (takes == 'u' && t != TYPE_ANY && !has_field(n))
        ERROR(c, n, "`%s` needs a FIELD to differentiate", s->shown);
    return t;
}

/* SUM (I := a TO b EXCEPT j : expression). */
static Type series(Checker *c, Node *n)
{
    Node *variable = n->first, *except = node_child(n, 3);
    Scope *scope;
    Layer layer;
    Type t;
    check_integer(c, node_child(n, 1), "the first value of a series");
    check_integer(c, node_child(n, 2), "the last value of a series");
    if (!is_none(except))
        check_integer(c, except, "the index that a series leaves out");
    scope = scope_new(c->unit->arena, NULL, n);
    if (scope == NULL || variable->kind != NODE_NAME) {
        c->broken = c->broken || scope == NULL;
        return TYPE_ANY;
    }
    variable->symbol = NULL;
    name_declare(c, scope, SYMBOL_LOOP, WORD_INTEGER, variable);
    symbol_use(variable->symbol);
    layer_push(c, &layer, scope);
    t = check_number(c, n->last, "a term of the series");
    layer_pop(c);
    return t;
}

/* SUM (K IN P : expression). */
static Type gather(Checker *c, Node *n)
{
    Node *variable = n->first;
    Scope *scope;
    Layer layer;
    Type t;
    check_copies(c, node_child(n, 1), "a series over copies");
    scope = scope_new(c->unit->arena, NULL, n);
    if (scope == NULL || variable->kind != NODE_NAME) {
        c->broken = c->broken || scope == NULL;
        return TYPE_ANY;
    }
    variable->symbol = NULL;
    name_declare(c, scope, SYMBOL_LOOP, WORD_INTEGER, variable);
    symbol_use(variable->symbol);
    layer_push(c, &layer, scope);
    t = check_number(c, n->last, "a term of the series");
    layer_pop(c);
    return t;
}

static void check_place(Checker *c, Node *n, const Symbol *s)
{
    if (s->takes[0] == 'M' && (c->place & PLACE_EQUATION) == 0)
        ERROR(c, n,
              "`%s` remembers the past of its argument, so it is allowed only "
              "in equations",
              s->shown);
    else if (s->takes[0] == 'E' && (c->place & PLACE_EQUATION) == 0)
        ERROR(c, n, "`%s` is allowed only in equations", s->shown);
    else if (s->takes[0] == 'D' &&
             (c->place & (PLACE_EXPERIMENT | PLACE_OUTPUT)) == 0)
        ERROR(
            c, n,
            "`%s` is a result of SENSITIVITY, so it is allowed only in OUTPUT "
            "and in the EXPERIMENT",
            s->shown);
    else if (s->takes[0] == 'X' && (c->place & PLACE_EXPERIMENT) == 0)
        ERROR(c, n,
              "`%s` is what the runs of a SIMULATE have found, so it is "
              "allowed only in the EXPERIMENT",
              s->shown);
}

static Type result_of(const Symbol *s, Type of_arguments)
{
    switch (s->type) {
    case WORD_REAL: return TYPE_REAL;
    case WORD_INTEGER: return TYPE_INTEGER;
    case WORD_BOOLEAN: return TYPE_TRUTH;
    default: return of_arguments;
    }
}

static bool is_series(const Node *n)
{
    return n->kind == NODE_SERIES || n->kind == NODE_GATHER;
}

static Type series_call(Checker *c, Node *n, const Symbol *s, Node *actual)
{
    if (actual != NULL && actual->next == NULL && is_series(actual))
        return actual->kind == NODE_SERIES ? series(c, actual)
                                           : gather(c, actual);
    check_all_loosely(c, n->last);
    ERROR(c, n, "`%s` is written with a series: %s (I := 1 TO N : X[I])",
          s->shown, s->shown);
    return TYPE_ANY;
}

static Type predefined_call(Checker *c, Node *n, const Symbol *s)
{
    Node *actuals = n->last;
    uint32_t given = node_count(actuals->first) + node_count(actuals->last);
    const char *takes = s->takes;
    Type t = TYPE_INTEGER;
    Node *first = actuals->first->first;
    if (takes[0] == 'S' ||
        (takes[0] == 'O' && first != NULL && is_series(first) && given == 1))
        return series_call(c, n, s, first);
    refuse_arrow(c, actuals, s);
    check_place(c, n, s);
    if (strchr("MEODX", takes[0]) != NULL)
        takes++;
    if (given < s->least || given > s->most) {
        check_all_loosely(c, actuals);
        wrong_count(c, n, s, s->least, s->most, given);
        return result_of(s, TYPE_ANY);
    }
    for (Node *k = actuals->first->first; k != NULL; k = k->next) {
        Type one =
            k->kind == NODE_ACTUAL ? argument(c, k, s, *takes) : TYPE_ANY;
        if (is_series(k))
            ERROR(c, k, "a series must be alone in SUM, PROD, MIN or MAX");
        if (one != TYPE_INTEGER && t != TYPE_ANY)
            t = one;
        if (takes[1] != '\0')
            takes++;
    }
    return result_of(s, t);
}

/* ---- Formals ------------------------------------------------------------- */

static bool is_variable_type(Word type)
{
    switch (type) {
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN:
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_LOGIC:
    case WORD_DSTATE:
    case WORD_MEMORY: return true;
    default: return false;
    }
}

/* A file, an event, a facility ...: the actual is one of the same kind. */
static void thing_actual(Checker *c, Node *formal, Node *n)
{
    Target t = check_designator(c, n, ACCESS_READ);
    const Symbol *s = t.symbol;
    bool same;
    if (s == NULL || symbol_unknown(s))
        return;
    same = formal->word == WORD_FILE
               ? s->kind == SYMBOL_FILE || symbol_is(s, WORD_FILE)
               : symbol_is(s, formal->word);
    if (!same || t.type == TYPE_ENTRY)
        ERROR(c, n, "formal `%s` is a %s, but `%s` is %s", formal->text,
              word_text(formal->word), s->shown, symbol_words(s));
    if (formal->word == WORD_SEVENT || formal->word == WORD_TEVENT)
        t.symbol->raised = true;
}

/* VAR: the actual is a variable of exactly this type. */
static void variable_actual(Checker *c, Node *formal, Node *n)
{
    Target t;
    Type wanted = word_type(formal->word);
    if (n->kind != NODE_NAME && n->kind != NODE_INDEX &&
        n->kind != NODE_SELECT) {
        check_expression(c, n);
        ERROR(c, n,
              "formal `%s` is VAR and changes its actual: a variable is "
              "needed here, not an expression",
              formal->text);
        return;
    }
    t = check_designator(c, n, ACCESS_WRITE);
    if (t.symbol == NULL || t.type == TYPE_ANY)
        return;
    symbol_use(t.symbol);
    check_assignable(c, n, t.symbol);
    if (t.type != wanted && t.type != TYPE_THING)
        ERROR(c, n, "formal `%s` is VAR %s, but `%s` is %s", formal->text,
              word_text(formal->word), t.symbol->shown, symbol_words(t.symbol));
}

static void value_actual(Checker *c, Node *formal, Node *n)
{
    char what[100];
    const Symbol *base;
    Type t = check_expression(c, n), wanted = word_type(formal->word);
    if (t == TYPE_ANY)
        return;
    base = designator_base(n)->symbol;
    if (formal->word == WORD_STATE &&
        (base == NULL || base->type != WORD_STATE)) {
        ERROR(c, n, "formal `%s` is a STATE: a STATE is needed here",
              formal->text);
        return;
    }
    snprintf(what, sizeof what, "formal `%.60s`", formal->text);
    check_fits(c, n, t, wanted, what);
}

static void one_actual(Checker *c, Node *formal, Node *actual)
{
    if (actual->kind != NODE_ACTUAL) {
        ERROR(c, actual, "a series is allowed only in SUM, PROD, MIN and MAX");
        return;
    }
    refuse_width(c, actual);
    if (!is_variable_type(formal->word))
        thing_actual(c, formal, actual->first);
    else if ((formal->flags & FLAG_VAR) != 0)
        variable_actual(c, formal, actual->first);
    else
        value_actual(c, formal, actual->first);
}

/* Goes through both lists, one after the other. */
static Node *next_of(Node *lists, Node *k)
{
    if (k->next != NULL)
        return k->next;
    for (Node *own = lists->first->first; own != NULL; own = own->next) {
        if (own == k)
            return lists->last->first;
    }
    return NULL;
}

static Node *first_of(Node *lists)
{
    return lists->first->first != NULL ? lists->first->first
                                       : lists->last->first;
}

/* If outputs and inputs were exchanged, there is one message. */
static bool check_direction(Checker *c, const Symbol *s, const Node *formals,
                            const Node *actuals)
{
    uint32_t outs = node_count(formals->first);
    uint32_t given = node_count(actuals->first);
    if ((formals->flags & FLAG_ARROW) == 0 ||
        (actuals->flags & FLAG_ARROW) == 0 || outs == given)
        return true;
    if (outs == 0)
        ERROR(c, actuals,
              "`%s` has no outputs: all its arguments come after `<-`",
              s->shown);
    else
        ERROR(c, actuals, "`%s` has %u %s before `<-`, but %u %s given",
              s->shown, (unsigned)outs, outs == 1 ? "output" : "outputs",
              (unsigned)given, given == 1 ? "is" : "are");
    return false;
}

static void check_formals(Checker *c, Node *n, Symbol *s, Node *actuals)
{
    Node *formals = s->body->first;
    uint32_t wanted = node_count(formals->first) + node_count(formals->last);
    uint32_t given = is_none(actuals) ? 0
                                      : node_count(actuals->first) +
                                            node_count(actuals->last);
    Node *actual;
    if (wanted != given) {
        check_all_loosely(c, actuals);
        wrong_count(c, n, s, wanted, wanted, given);
        return;
    }
    if (wanted == 0)
        return;
    if (!check_direction(c, s, formals, actuals)) {
        check_all_loosely(c, actuals);
        return;
    }
    if ((formals->flags & FLAG_ARROW) == 0)
        refuse_arrow(c, actuals, s);
    actual = first_of(actuals);
    for (Node *k = first_of(formals); k != NULL && actual != NULL;
         k = next_of(formals, k)) {
        one_actual(c, k, actual);
        actual = next_of(actuals, actual);
    }
}

/* ---- Functions ----------------------------------------------------------- */

static Type user_function(Checker *c, Node *n, Symbol *s)
{
    symbol_use(s);
    remember_call(c, s, n);
    if (s == c->self) {
        ERROR(c, n, "`%s` calls itself: routines cannot do that", s->shown);
        check_all_loosely(c, n->last);
        return result_of(s, TYPE_ANY);
    }
    if ((c->place & PLACE_SMOOTH) != 0 && s->body->kind == NODE_FUNCTION &&
        (s->body->flags & FLAG_CONTINUOUS) == 0) {
        ERROR(c, n->first,
              "`%s` is used in an equation, so it must be declared as "
              "CONTINUOUS FUNCTION",
              s->shown);
        note_declaration(c, s);
    }
    check_formals(c, n, s, n->last);
    return result_of(s, TYPE_ANY);
}

static Type table_call(Checker *c, Node *n, Symbol *s)
{
    Node *actuals = n->last, *first = actuals->first->first;
    uint32_t given = node_count(actuals->first) + node_count(actuals->last);
    symbol_use(s);
    refuse_arrow(c, actuals, s);
    if (given != 1 || first == NULL || first->kind != NODE_ACTUAL) {
        check_all_loosely(c, actuals);
        wrong_count(c, n, s, 1, 1, given);
    } else {
        refuse_width(c, first);
        check_number(c, first->first, "the argument of a table");
    }
    return TYPE_REAL;
}

static void no_function(Checker *c, Node *n, const Symbol *s)
{
    if (s->rank > 0)
        ERROR(c, n, "elements of an array are written in brackets: `%s[...]`",
              s->shown);
    else if (s->kind == SYMBOL_DISTRIBUTION)
        ERROR(c, n,
              "`%s` is no function: declare a RANDOM, read it here, and give "
              "it this distribution in RANDOMGEN",
              s->shown);
    else
        ERROR(c, n, "`%s` is %s, not a function%s", s->shown, symbol_words(s),
              s->kind == SYMBOL_CONST     ? ": write it without parentheses"
              : s->kind == SYMBOL_PROCESS ? ": a copy is written in brackets"
                                          : "");
}

Type check_function_call(Checker *c, Node *n)
{
    Node *name = n->first;
    Symbol *s;
    if (name->kind != NODE_NAME) {
        check_designator(c, name, ACCESS_READ);
        check_all_loosely(c, n->last);
        ERROR(c, n, "a call begins with the name of a function");
        return TYPE_ANY;
    }
    s = called(c, name);
    if (symbol_unknown(s)) {
        check_all_loosely(c, n->last);
        return TYPE_ANY;
    }
    if (s->kind == SYMBOL_FUNCTION && s->node == NULL)
        return predefined_call(c, n, s);
    if (s->kind == SYMBOL_FUNCTION && s->body != NULL)
        return user_function(c, n, s);
    if (s->kind == SYMBOL_FUNCTABLE)
        return table_call(c, n, s);
    symbol_use(s);
    check_all_loosely(c, n->last);
    no_function(c, n, s);
    return TYPE_ANY;
}

/* ---- Procedures ---------------------------------------------------------- */

static void write_actual(Checker *c, Node *k)
{
    Node *width = node_child(k, 1), *decimals = node_child(k, 2);
    Type t;
    if (k->kind != NODE_ACTUAL) {
        ERROR(c, k, "a series is allowed only in SUM, PROD, MIN and MAX");
        return;
    }
    t = check_expression(c, k->first);
    if (t == TYPE_THING || t == TYPE_ENTRY)
        ERROR(c, k->first, "this has no value to write");
    if (!is_none(width))
        check_integer(c, width, "a field width");
    if (!is_none(decimals))
        check_integer(c, decimals, "the number of decimals");
}

static bool is_down(const Symbol *s)
{
    return name_same(s->name, "DOWN") || name_same(s->name, "UP");
}

/* DOWN(f), DOWN(f, PREEMPT), UP(f). */
static void check_down(Checker *c, Node *n, const Symbol *s)
{
    Node *actuals = n->last, *first = actuals->first->first;
    uint32_t given = node_count(actuals->first) + node_count(actuals->last);
    refuse_arrow(c, actuals, s);
    if (given != 1 || first == NULL || first->kind != NODE_ACTUAL) {
        check_all_loosely(c, actuals);
        wrong_count(c, n, s, 1, 1, given);
        return;
    }
    refuse_width(c, first);
    resource_argument(c, first->first, s, 'y');
}

static void wrong_place(Checker *c, Node *n, const Symbol *s)
{
    if (is_down(s))
        ERROR(c, n,
              "`%s` is allowed only in INITIAL, events, samples, processes and "
              "procedures",
              s->shown);
    else
        ERROR(c, n, "`%s` is allowed only in TERMINAL, when a run is over",
              s->shown);
}

static void predefined_procedure(Checker *c, Node *n, const Symbol *s)
{
    Node *actuals = n->last;
    uint32_t given = node_count(actuals->first) + node_count(actuals->last);
    if ((procedure_places(s) & c->place) == 0) {
        wrong_place(c, n, s);
        return;
    }
    if (is_down(s)) {
        check_down(c, n, s);
        return;
    }
    if (given > s->most) {
        check_all_loosely(c, actuals);
        ERROR(c, actuals, "`%s` takes no arguments", s->shown);
        return;
    }
    refuse_arrow(c, actuals, s);
    for (Node *k = actuals->first->first; k != NULL; k = k->next)
        write_actual(c, k);
}

static void no_procedure(Checker *c, Node *n, Symbol *s)
{
    symbol_use(s);
    check_all_loosely(c, n->last);
    if (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_FUNCTABLE)
        ERROR(c, n, "the value of `%s` is lost: assign it to a variable",
              s->shown);
    else if (s->kind == SYMBOL_PROCESS)
        ERROR(c, n,
              "a PROCESS is started in PROCESSES or CONTINUOUS, its "
              "transactions by GENERATE");
    else
        ERROR(c, n, "`%s` is %s, so this is not a complete statement", s->shown,
              symbol_words(s));
}

void check_procedure_call(Checker *c, Node *n)
{
    Symbol *s;
    if (n->first->kind != NODE_NAME) {
        check_designator(c, n->first, ACCESS_READ);
        check_all_loosely(c, n->last);
        ERROR(c, n, "this is not a complete statement: is `:=` missing?");
        return;
    }
    s = called(c, n->first);
    if (symbol_unknown(s)) {
        check_unknown_actuals(c, n->last);
    } else if (s->kind == SYMBOL_PROCEDURE && s->node == NULL) {
        predefined_procedure(c, n, s);
    } else if (s->kind == SYMBOL_PROCEDURE && s->body != NULL) {
        symbol_use(s);
        remember_call(c, s, n);
        if (s == c->self)
            ERROR(c, n, "`%s` calls itself: routines cannot do that", s->shown);
        check_formals(c, n, s, n->last);
    } else {
        no_procedure(c, n, s);
    }
}

/* ---- Processes and modules ----------------------------------------------- */

void report_no_process(Checker *c, const Node *n, Symbol *process)
{
    const char *near = scope_nearest(c->program, process->name);
    Symbol *other = near == NULL ? NULL : scope_own(c->program, near);
    if (other != NULL && other->kind == SYMBOL_PROCESS) {
        other->meant = true;
        ERROR(c, n,
              "PROCESS `%s` is not described anywhere: did you mean `%s`?",
              process->shown, other->shown);
    } else {
        ERROR(c, n, "PROCESS `%s` is not described anywhere", process->shown);
    }
    process->kind = SYMBOL_UNKNOWN; // once
}

void check_process_actuals(Checker *c, Node *n, Symbol *process, Node *actuals)
{
    process->raised = true;
    symbol_use(process);
    if (process->body == NULL) {
        report_no_process(c, n, process);
        check_all_loosely(c, actuals);
        return;
    }
    check_formals(c, n, process, actuals);
}

void check_parallel_call(Checker *c, Node *n)
{
    Symbol *s;
    if (n->first->kind != NODE_NAME) {
        check_expression(c, n);
        return;
    }
    s = called(c, n->first);
    if (symbol_unknown(s)) {
        check_unknown_actuals(c, n->last);
    } else if (s->kind == SYMBOL_PROCESS) {
        check_process_actuals(c, n, s, n->last);
    } else {
        symbol_use(s);
        check_all_loosely(c, n->last);
        if (s->kind == SYMBOL_PROCEDURE)
            ERROR(c, n,
                  "`%s` is a PROCEDURE, but statements are not executed among "
                  "equations: call it in PROCEDURAL (outputs <- inputs); ... "
                  "END, or write a CONTINUOUS FUNCTION",
                  s->shown);
        else
            ERROR(c, n,
                  "`%s` is %s: in CONTINUOUS only MODULEs and CONTINUOUS "
                  "PROCESSes are called, and everything else is an equation",
                  s->shown, symbol_words(s));
    }
}
