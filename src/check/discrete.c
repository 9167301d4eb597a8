#include "check/checker.h"

#include <stdio.h>

/* DISCRETE: events, samples, processes, and the statements of their bodies. */

/* ---- Attributes after WHERE ---------------------------------------------- */

/* The record of a FILE formal of the process, declared again inside. */
static Symbol *inner_record(const Symbol *process)
{
    if (process->inside == NULL)
        return NULL;
    for (const Symbol *k = scope_first(process->inside); k != NULL;
         k = k->next) {
        if (k->kind == SYMBOL_FORMAL && k->type == WORD_FILE &&
            k->record != NULL)
            return k->record;
    }
    return NULL;
}

/* An attribute, or an OWN variable of a process. */
static Symbol *find_attribute(const Symbol *record, const Symbol *process,
                              const char *name)
{
    Symbol *s = record == NULL || record->inside == NULL
                    ? NULL
                    : scope_own(record->inside, name);
    if (s == NULL && process != NULL) {
        const Symbol *inner = inner_record(process);
        if (inner != NULL && inner->inside != NULL)
            s = scope_own(inner->inside, name);
        if (s == NULL && process->inside != NULL)
            s = scope_own(process->inside, name);
        if (s != NULL && s->kind != SYMBOL_ATTRIBUTE && !s->own &&
            !(s->type == WORD_STATE && symbol_is_copied(s)))
            s = NULL;
    }
    return s;
}

static void set_attribute(Checker *c, Node *n, const Symbol *record,
                          const Symbol *process, Type from)
{
    Node *name = n->first;
    Symbol *s;
    char what[100];
    if (name->kind != NODE_NAME) {
        ERROR(c, name,
              "after WHERE, an attribute is written by its name alone");
        return;
    }
    s = find_attribute(record, process, name->text);
    if (s == NULL) {
        report_no_attribute(c, name, record);
        return;
    }
    name->symbol = s;
    symbol_assign(c, s, name);
    s->places |= PLACE_INITIAL; // whoever is made has it from its beginning
    snprintf(what, sizeof what, "attribute `%.60s`", s->shown);
    check_fits(c, n->last, from, symbol_type(s), what);
}

/* `without` says why there are no attributes at all. */
static void check_where(Checker *c, Node *where, const Symbol *record,
                        const Symbol *process, const char *without)
{
    bool known;
    if (is_none(where))
        return;
    if (record == NULL && process != NULL)
        record = inner_record(process);
    known = record != NULL || process != NULL;
    if (record == NULL && without != NULL) {
        ERROR(c, where, "%s", without);
        known = false;
    }
    for (Node *k = where->first->first; k != NULL; k = k->next) {
        Type from = check_expression(c, k->last);
        if (known)
            set_attribute(c, k, record, process, from);
    }
}

/* ---- Events -------------------------------------------------------------- */

static bool is_event(const Symbol *s, Word type)
{
    return s->type == type &&
           (s->kind == SYMBOL_VARIABLE || s->kind == SYMBOL_FORMAL ||
            s->kind == SYMBOL_ATTRIBUTE);
}

static Symbol *check_time_event(Checker *c, Node *n, const char *statement)
{
    Node *name = n->kind == NODE_INDEX ? n->first : n;
    Target t;
    if (n->kind == NODE_INDEX && name->kind == NODE_NAME) {
        Symbol *s = name_resolve(c, name);
        t = (Target){s, TYPE_THING, false};
        for (Node *k = n->last->first; k != NULL; k = k->next)
            check_integer(c, k, "an index");
    } else {
        t = check_designator(c, n, ACCESS_NAME);
    }
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return NULL;
    symbol_use(t.symbol);
    t.symbol->raised = true;
    if (is_event(t.symbol, WORD_TEVENT))
        return t.symbol;
    if (is_event(t.symbol, WORD_SEVENT))
        ERROR(c, n,
              "%s needs a time event (TEVENT), but `%s` is a state event, "
              "which its CONDIT raises",
              statement, t.symbol->shown);
    else
        ERROR(c, n, "%s needs a time event (TEVENT), but `%s` is %s", statement,
              t.symbol->shown, symbol_words(t.symbol));
    return NULL;
}

static void check_schedule(Checker *c, Node *n)
{
    Node *priority = node_child(n, 2);
    check_time_event(c, n->first, "SCHEDULE");
    check_number(c, node_child(n, 1), "the time after AT");
    if (!is_none(priority))
        check_number(c, priority, "the PRIORITY");
    check_where(c, n->last,
                c->eventfile == NULL ? NULL : symbol_record(c->eventfile), NULL,
                c->no_calendar
                    ? NULL
                    : "events have attributes only if the program declares the "
                      "file of the calendar: FILE OF n R: EVENTFILE");
    if (!is_none(n->last) && c->eventfile == NULL)
        c->no_calendar = true;
}

/* ---- Files --------------------------------------------------------------- */

static Symbol *check_file(Checker *c, Node *n, const char *statement)
{
    Symbol *s = name_resolve(c, n);
    if (symbol_unknown(s))
        return NULL;
    symbol_use(s);
    if (s->kind == SYMBOL_FILE || symbol_is(s, WORD_FILE) ||
        (s->kind == SYMBOL_PROCESS && s->file != NULL))
        return s;
    ERROR(c, n, "%s needs a FILE, but `%s` is %s", statement, s->shown,
          symbol_words(s));
    return NULL;
}

static void check_insert(Checker *c, Node *n)
{
    Symbol *file = check_file(c, n->first, "INSERT");
    const Symbol *record = file == NULL ? NULL : symbol_record(file);
    symbol_assign(c, file, n);
    if (file != NULL && record == NULL && !is_none(n->last)) {
        report_no_record(c, n->first, file);
        file = NULL;
    }
    check_where(c, n->last, record, NULL, NULL);
}

static void check_remove(Checker *c, Node *n)
{
    Symbol *file = check_file(c, n->first, "REMOVE");
    const Symbol *record = file == NULL ? NULL : symbol_record(file);
    if (!is_none(n->last))
        check_integer(c, n->last, "the rank of the entry");
    if (record != NULL && c->removed != NULL)
        c->removed->scope = record->inside;
}

static void check_find(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_WRITE);
    Symbol *file = check_file(c, node_child(n, 1), "FIND");
    const Symbol *record = file == NULL ? NULL : symbol_record(file);
    Layer layer;
    if (t.symbol != NULL && t.type != TYPE_ANY) {
        check_assignable(c, n->first, t.symbol);
        if (t.type != TYPE_INTEGER)
            ERROR(c, n->first,
                  "FIND gives the rank of an entry: `%s` must be INTEGER",
                  t.symbol->shown);
    }
    layer_push(c, &layer, record == NULL ? NULL : record->inside);
    check_truth(c, n->last, "the condition after WITH");
    layer_pop(c);
}

/* ---- Processes ----------------------------------------------------------- */

static Symbol *check_process(Checker *c, Node *n, NodeKind kind,
                             const char *statement)
{
    Symbol *s = name_resolve(c, n);
    const char *wanted = kind == NODE_DISCRETE_PROCESS ? "DISCRETE PROCESS"
                                                       : "CONTINUOUS PROCESS";
    if (symbol_unknown(s))
        return NULL;
    symbol_use(s);
    if (s->kind != SYMBOL_PROCESS) {
        ERROR(c, n, "%s needs a %s, but `%s` is %s", statement, wanted,
              s->shown, symbol_words(s));
        return NULL;
    }
    if (s->body == NULL) {
        report_no_process(c, n, s);
        return NULL;
    }
    if (s->body->kind != kind && s->body->kind != NODE_EXTERNAL_PROCESS) {
        ERROR(c, n, "%s needs a %s, but `%s` is a %s", statement, wanted,
              s->shown, node_words(s->body->kind));
        return NULL;
    }
    return s;
}

Symbol *check_copies(Checker *c, Node *n, const char *what)
{
    return check_process(c, n, NODE_CONTINUOUS_PROCESS, what);
}

/* The variable that receives the number of a new transaction. */
static void check_receiver(Checker *c, Node *n)
{
    Target t;
    c->advice = ": it receives the number of the transaction, so declare it as "
                "INTEGER, or omit it: GENERATE FOR process";
    t = check_designator(c, n, ACCESS_WRITE);
    c->advice = NULL;
    if (t.symbol == NULL || t.type == TYPE_ANY)
        return;
    symbol_use(t.symbol);
    if (t.type != TYPE_INTEGER || t.whole)
        ERROR(c, n,
              "`%s` receives the number of the transaction: it must be an "
              "INTEGER variable, but it is %s",
              t.symbol->shown, symbol_words(t.symbol));
    else
        check_assignable(c, n, t.symbol);
}

static void check_generate(Checker *c, Node *n)
{
    Node *time = node_child(n, 2), *priority = node_child(n, 3);
    Symbol *process;
    if (!is_none(n->first))
        check_receiver(c, n->first);
    process =
        check_process(c, node_child(n, 1), NODE_DISCRETE_PROCESS, "GENERATE");
    if (process != NULL && process != c->process)
        process->generated = true;
    if (!is_none(time))
        check_number(c, time, "the time after AT");
    if (!is_none(priority))
        check_number(c, priority, "the PRIORITY");
    if (process != NULL)
        check_where(c, n->last, symbol_record(process), process, NULL);
}

/* The statement for what SEIZE, RELEASE, ENTER or LEAVE was given. */
static const char *meant_statement(Word statement, const Symbol *s)
{
    if (symbol_is(s, WORD_STORAGE) && statement == WORD_RELEASE)
        return ": write LEAVE";
    if (symbol_is(s, WORD_STORAGE) && statement == WORD_SEIZE)
        return ": write ENTER";
    if (symbol_is(s, WORD_FACILITY) && statement == WORD_LEAVE)
        return ": write RELEASE";
    if (symbol_is(s, WORD_FACILITY) && statement == WORD_ENTER)
        return ": write SEIZE";
    return "";
}

static void check_resource(Checker *c, Node *designator, Word type,
                           Word statement)
{
    Target t = check_designator(c, designator, ACCESS_READ);
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return;
    if (!symbol_is(t.symbol, type))
        ERROR(c, designator, "%s needs a %s, but `%s` is %s%s",
              word_text(statement), word_text(type), t.symbol->shown,
              symbol_words(t.symbol), meant_statement(statement, t.symbol));
    else if (t.whole)
        ERROR(c, designator, "`%s` is an array: say which element",
              t.symbol->shown);
    t.symbol->raised = true;
}

static Word resource_of(Word statement)
{
    switch (statement) {
    case WORD_OPEN:
    case WORD_CLOSE:
    case WORD_PASS: return WORD_GATE;
    case WORD_SENDSIG:
    case WORD_WAITSIG: return WORD_SIGNAL;
    default: return WORD_FACILITY;
    }
}

/* A number of a transaction, or an entry of its process. */
static void check_transaction(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_READ);
    if (t.symbol == NULL || t.type == TYPE_ANY || t.type == TYPE_INTEGER ||
        t.type == TYPE_ENTRY)
        return;
    ERROR(c, n->first,
          "%s needs a transaction: the INTEGER that GENERATE gave, or "
          "PROCESS[n]; `%s` is %s",
          word_text(n->word), t.symbol->shown, symbol_words(t.symbol));
}

static void check_count(Checker *c, Node *n, const char *what)
{
    Constant v;
    if (is_none(n) || check_integer(c, n, what) == TYPE_ANY)
        return;
    if (constant_fold(c, n, &v) && v.integer < 1)
        ERROR(c, n, "%s must be at least 1", what);
}

static void check_duration(Checker *c, Node *n, const char *what)
{
    Constant v;
    if (is_none(n) || check_number(c, n, what) == TYPE_ANY)
        return;
    if (constant_fold(c, n, &v) && v.real < 0.0)
        ERROR(c, n, "%s cannot be negative", what);
}

/* ---- Copies of continuous processes -------------------------------------- */

/* A variable receives the number; anything else, a CONST or the variable of a
   loop, is the number that is wanted. */
static bool receives_number(const Checker *c, const Node *n)
{
    const Symbol *s = name_find(c, n->text);
    return s == NULL || (s->kind != SYMBOL_CONST && s->kind != SYMBOL_LOOP);
}

/* CREATE STONE[N]: N receives the number of the copy. */
static void check_create(Checker *c, Node *n)
{
    Node *which = n->first, *name = designator_base(which), *index;
    Symbol *process =
        name->kind == NODE_NAME ? check_copies(c, name, "CREATE") : NULL;
    if (process != NULL)
        process->generated = true;
    if (which->kind == NODE_INDEX && which->first == name) {
        index = which->last->first;
        if (index->kind == NODE_NAME && receives_number(c, index)) {
            Target t = check_designator(c, index, ACCESS_WRITE);
            symbol_use(t.symbol);
            if (t.symbol != NULL && !type_is_number(t.type))
                ERROR(c, index, "the number of a copy is an INTEGER");
        } else {
            check_integer(c, index, "the number of a copy");
        }
        if (index->next != NULL)
            ERROR(c, which, "one number selects a copy of a PROCESS");
    } else if (which->kind != NODE_NAME && process != NULL) {
        ERROR(c, which, "CREATE needs a PROCESS, as in CREATE %s[N]",
              process->shown);
    }
    if (process != NULL)
        check_where(c, n->last, symbol_record(process), process, NULL);
}

static void check_copy(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_READ);
    if (t.symbol == NULL || t.type == TYPE_ANY || t.type == TYPE_ENTRY)
        return;
    if (t.symbol->kind == SYMBOL_PROCESS)
        ERROR(c, n->first, "say which copy, as in `%s[1]`", t.symbol->shown);
    else
        ERROR(c, n->first,
              "%s needs a copy of a CONTINUOUS PROCESS, but `%s` is %s",
              word_text(n->word), t.symbol->shown, symbol_words(t.symbol));
}

/* ---- Statements ---------------------------------------------------------- */

/* PRIORITY and TIMEOUT are children 1 and 2. */
static void check_request(Checker *c, Node *n)
{
    Node *priority = node_child(n, n->kind == NODE_SEIZE_ANY ? 2 : 1);
    if (!is_none(priority))
        check_number(c, priority, "the PRIORITY");
    check_duration(c, n->last, "the time after TIMEOUT");
}

static void check_seize(Checker *c, Node *n)
{
    check_resource(c, n->first, WORD_FACILITY, n->word);
    check_request(c, n);
}

/* The array of facilities. */
static void check_any(Checker *c, Node *n)
{
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol == NULL || symbol_unknown(t.symbol))
        return;
    if (!symbol_is(t.symbol, WORD_FACILITY))
        ERROR(c, n,
              "SEIZE ANY OF needs an array of FACILITYs, but `%s` is %s%s",
              t.symbol->shown, symbol_words(t.symbol),
              meant_statement(WORD_SEIZE, t.symbol));
    else if (!t.whole)
        ERROR(c, n,
              "SEIZE ANY OF takes one of an array, but this is one FACILITY: "
              "write SEIZE, or declare ARRAY [n] OF FACILITY");
    else if (t.symbol->rank != 1)
        ERROR(c, n, "SEIZE ANY OF takes one of an array with one index");
}

/* SEIZE ANY OF f INDEX k. */
static void check_seize_any(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_WRITE);
    check_any(c, node_child(n, 1));
    check_request(c, n);
    if (t.symbol == NULL || t.type == TYPE_ANY)
        return;
    if (t.whole)
        ERROR(c, n->first, "`%s` is an array: say which element",
              t.symbol->shown);
    else if (t.type != TYPE_INTEGER)
        ERROR(c, n->first,
              "`%s` receives the index of the facility: it must be an INTEGER "
              "variable, but it is %s",
              t.symbol->shown, symbol_words(t.symbol));
    else
        check_assignable(c, n->first, t.symbol);
}

static void check_storage(Checker *c, Node *n)
{
    check_resource(c, n->first, WORD_STORAGE, n->word);
    check_count(c, node_child(n, 1), "the number of units");
    if (n->word == WORD_ENTER)
        check_duration(c, n->last, "the time after TIMEOUT");
}

/* Only PASS and WAITSIG have a second child. */
static void check_resource_use(Checker *c, Node *n)
{
    check_resource(c, n->first, resource_of(n->word), n->word);
    if (n->last != n->first)
        check_duration(c, n->last, "the time after TIMEOUT");
}

static void check_split(Checker *c, Node *n)
{
    check_count(c, n->first, "the number of copies");
    const Symbol *whose = c->process != NULL ? c->process : c->self;
    if (whose != NULL)
        check_where(c, n->last, symbol_record(whose), whose, NULL);
}

bool check_discrete_statement(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_FINISH: break;
    case NODE_SCHEDULE: check_schedule(c, n); break;
    case NODE_CANCEL: check_time_event(c, n->first, "CANCEL"); break;
    case NODE_INSERT: check_insert(c, n); break;
    case NODE_REMOVE: check_remove(c, n); break;
    case NODE_FIND: check_find(c, n); break;
    case NODE_GENERATE: check_generate(c, n); break;
    case NODE_ADVANCE:
        check_duration(c, n->first, "the time after ADVANCE");
        break;
    case NODE_SEIZE: check_seize(c, n); break;
    case NODE_SEIZE_ANY: check_seize_any(c, n); break;
    case NODE_RESOURCE: check_resource_use(c, n); break;
    case NODE_STORAGE_USE: check_storage(c, n); break;
    case NODE_WAIT:
        check_truth(c, n->first, "the condition after UNTIL");
        check_duration(c, n->last, "the time after TIMEOUT");
        break;
    case NODE_TRANSACTION: check_transaction(c, n); break;
    case NODE_SPLIT: check_split(c, n); break;
    case NODE_JOIN:
        check_count(c, n->first, "the number of transactions");
        break;
    case NODE_CREATE: check_create(c, n); break;
    case NODE_COPY: check_copy(c, n); break;
    default: return false;
    }
    return true;
}

/* ---- Blocks -------------------------------------------------------------- */

static void second_body(Checker *c, Node *n, const Symbol *s)
{
    unit_error(c->unit, name_span(c, n), n->origin,
               "`%s` already has a body: join the two", n->text);
    unit_note(c->unit, name_span(c, s->body), "its first body is here");
}

/* Checks statements that see the attributes of the record, those of the entry
   that REMOVE takes later, and the indices that an event names. */
static void check_body(Checker *c, Node *list, const Symbol *record,
                       const Scope *indices, uint32_t place)
{
    Layer entry, removed, named, *before = c->removed;
    layer_push(c, &entry, record == NULL ? NULL : record->inside);
    layer_push(c, &removed, NULL);
    layer_push(c, &named, indices);
    c->removed = &removed;
    check_statements(c, list, place);
    c->removed = before;
    layer_pop(c);
    layer_pop(c);
    layer_pop(c);
}

/* E[K, L]: the names K and L, which only the body sees. NULL if there are none.
   `s` is NULL after a message about the event. */
static Scope *declare_indices(Checker *c, Node *n, const Symbol *s)
{
    uint32_t count = n->first == n->last ? 0 : node_count(n->first);
    if (count == 0)
        return NULL;
    if (s != NULL && s->rank == 0)
        ERROR(c, n->first,
              "`%s` is one event, not an array of them: leave out the index of "
              "its body",
              s->shown);
    else if (s != NULL && s->rank != count)
        ERROR(c, n->first, "`%s` has %s, but its body names %s", s->shown,
              s->rank == 1 ? "one index" : "two indices",
              count == 1 ? "one" : "more");
    Scope *scope = scope_new(c->unit->arena, NULL, n);
    if (scope == NULL) {
        c->broken = true;
        return NULL;
    }
    for (Node *k = n->first->first; k != NULL; k = k->next) {
        check_hidden(c, k, "index");
        name_declare(c, scope, SYMBOL_LOOP, WORD_INTEGER, k);
        symbol_use(k->symbol);
    }
    return scope;
}

static void check_event(Checker *c, Node *n)
{
    Symbol *s = name_resolve_text(c, n);
    bool time = false, event = false;
    if (!symbol_unknown(s)) {
        time = is_event(s, WORD_TEVENT);
        event = time || is_event(s, WORD_SEVENT);
        if (!event)
            unit_error(c->unit, name_span(c, n), n->origin,
                       "only an event has a body here, but `%s` is %s: declare "
                       "it as SEVENT or TEVENT",
                       s->shown, symbol_words(s));
        else if (!time && (n->flags & FLAG_TIMED) != 0)
            unit_error(c->unit, name_span(c, n), n->origin,
                       "`%s` is a state event (SEVENT): its body belongs "
                       "before TEVENTS",
                       s->shown);
        else if (s->body != NULL)
            second_body(c, n, s);
        if (s->body == NULL && event)
            s->body = n;
    }
    check_body(c, n->last,
               c->eventfile == NULL ? NULL : symbol_record(c->eventfile),
               declare_indices(c, n, event ? s : NULL), PLACE_EVENT);
}

static void check_sample(Checker *c, Node *n)
{
    Symbol *s = name_resolve_text(c, n);
    Constant v;
    if (!symbol_unknown(s)) {
        if (!symbol_is(s, WORD_SAMPLE))
            unit_error(c->unit, name_span(c, n), n->origin,
                       "SAMPLES needs a SAMPLE, but `%s` is %s", s->shown,
                       symbol_words(s));
        else if (s->body != NULL)
            second_body(c, n, s);
        else
            s->body = n;
        s->used = s->raised = true;
    }
    if (check_number(c, n->first, "the time after EVERY") != TYPE_ANY &&
        constant_fold(c, n->first, &v) && v.real <= 0.0)
        ERROR(c, n->first, "the time after EVERY must be positive");
    check_duration(c, node_child(n, 1), "the OFFSET");
    check_body(c, n->last, NULL, NULL, PLACE_SAMPLE);
}

static void check_start(Checker *c, Node *n)
{
    Symbol *s = name_resolve_text(c, n);
    if (symbol_unknown(s)) {
        check_unknown_actuals(c, n->last);
        return;
    }
    if (s->kind != SYMBOL_PROCESS) {
        symbol_use(s);
        unit_error(c->unit, name_span(c, n), n->origin,
                   "PROCESSES lists processes, but `%s` is %s", s->shown,
                   symbol_words(s));
    } else if (s->body != NULL && s->body->kind == NODE_CONTINUOUS_PROCESS) {
        symbol_use(s);
        s->raised = true;
        ERROR(c, n, "`%s` is a CONTINUOUS PROCESS: it is called in CONTINUOUS",
              s->shown);
    } else {
        check_process_actuals(c, n, s, n->last);
    }
}

void check_discrete(Checker *c, Node *discrete)
{
    for (Node *k = discrete->first->first; k != NULL; k = k->next) {
        if (k->kind == NODE_EVENT)
            check_event(c, k);
        else if (k->kind == NODE_SAMPLE_BODY)
            check_sample(c, k);
        else if (k->kind == NODE_START)
            check_start(c, k);
    }
}

void check_section(Checker *c, Node *list, uint32_t place)
{
    check_body(c, list, NULL, NULL, place);
}

/* Bodies of processes see the attributes of their own entry. */
void check_process_layers(Checker *c, const Symbol *process, Layer *outer,
                          Layer *inner)
{
    const Symbol *record = symbol_record(process);
    const Symbol *own = inner_record(process);
    layer_push(c, outer, record == NULL ? NULL : record->inside);
    layer_push(c, inner, own == NULL ? NULL : own->inside);
}
