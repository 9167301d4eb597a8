#include "check/checker.h"

#include <inttypes.h>

/* X, A[I, J], QUEUE.3.ARRIVTIME, STONE[2].PHI, RC1.P.U: finds what they mean,
   and marks them as used. */

static const Target nothing = {NULL, TYPE_ANY, false};

Node *designator_base(Node *n)
{
    while (n->kind == NODE_INDEX || n->kind == NODE_SELECT ||
           n->kind == NODE_DERIVATIVE || n->kind == NODE_FIELD_AT ||
           n->kind == NODE_CALL)
        n = n->first;
    return n;
}

void note_unknown_target(Checker *c, Node *n)
{
    const Symbol *s = designator_base(n)->symbol;
    if (s != NULL && s->kind == SYMBOL_UNKNOWN)
        c->unknown_target = true;
}

Symbol *symbol_record(const Symbol *s)
{
    Symbol *record;
    if (s->kind == SYMBOL_PROCESS)
        s = s->file;
    record = s == NULL ? NULL : s->record;
    return record == NULL || record->inside == NULL ? NULL : record;
}

static bool has_entries(const Symbol *s)
{
    return s->kind == SYMBOL_FILE || s->kind == SYMBOL_PROCESS ||
           symbol_is(s, WORD_FILE);
}

static void mark(Checker *c, Symbol *s, Access access, Node *n)
{
    if (access == ACCESS_WRITE)
        symbol_assign(c, s, n);
    else if (access == ACCESS_READ)
        symbol_use(s);
}

/* ---- Names --------------------------------------------------------------- */

/* A random draw is not a function of time, so it cannot be integrated. */
static bool refuse_random(Checker *c, Node *n, const Symbol *s)
{
    if (!symbol_is(s, WORD_RANDOM) ||
        (c->place & (PLACE_SMOOTH | PLACE_OUTPUT)) == 0)
        return false;
    if (c->place == PLACE_OUTPUT)
        ERROR(c, n,
              "`%s` draws a new value each time it is read, so it cannot be "
              "shown: assign it to a REAL at an event, and show that",
              s->shown);
    else
        ERROR(c, n,
              "`%s` is RANDOM and cannot be used in an equation, which is "
              "evaluated many times at each instant: draw it in a SAMPLE, into "
              "a REAL",
              s->shown);
    return true;
}

static Target target_of(Checker *c, Node *n, Symbol *s, Access access)
{
    Target t = {s, TYPE_ANY, false};
    if (s == NULL)
        return nothing;
    t.type = symbol_type(s);
    t.whole = s->rank > 0;
    if (access == ACCESS_READ && refuse_random(c, n, s))
        t.type = TYPE_ANY;
    mark(c, s, access, n);
    return t;
}

/* ---- Elements ------------------------------------------------------------ */

static void check_bounds(Checker *c, Node *index, const Symbol *s, uint32_t k)
{
    Constant v;
    if (!constant_fold(c, index, &v) || v.type != TYPE_INTEGER)
        return;
    if (v.integer < s->low[k] || v.integer > s->high[k])
        ERROR(c, index,
              "the index %" PRId64
              " is outside `%s`, which reaches from %" PRId64 " to %" PRId64,
              v.integer, s->shown, s->low[k], s->high[k]);
}

static void check_indices(Checker *c, Node *n, const Symbol *s)
{
    uint32_t k = 0, count = node_count(n->last);
    for (Node *index = n->last->first; index != NULL; index = index->next) {
        Type t = check_integer(c, index, "an index");
        if (s != NULL && count == s->rank && k < SYMBOL_RANKS && t != TYPE_ANY)
            check_bounds(c, index, s, k);
        k++;
    }
    if (s != NULL && count != s->rank)
        ERROR(c, n, "`%s` has %u %s, not %u", s->shown, (unsigned)s->rank,
              s->rank == 1 ? "index" : "indices", (unsigned)count);
}

/* A copy of a process: STONE[3]. On creation, a variable as its index receives
   the number. */
static Target copy_of(Checker *c, Node *n, Symbol *s)
{
    check_indices(c, n, NULL);
    if (node_count(n->last) != 1)
        ERROR(c, n, "one number selects a copy of PROCESS `%s`", s->shown);
    return (Target){s, TYPE_ENTRY, false};
}

/* PHI [deg]: names of units that are no names of the program. */
static bool is_unit(const Checker *c, const Node *n)
{
    Dimension d;
    uint32_t wrong;
    const char *why;
    switch (n->kind) {
    case NODE_NAME:
        return name_find(c, n->text) == NULL &&
               dimension_read(n->text, &d, &wrong, &why);
    case NODE_BINARY:
        return is_unit(c, n->first) &&
               (n->last->kind == NODE_INTEGER || is_unit(c, n->last));
    default: return false;
    }
}

static Target element(Checker *c, Node *n, Access access)
{
    Target t = check_designator(c, n->first, access);
    if (t.symbol == NULL || symbol_unknown(t.symbol)) {
        check_indices(c, n, NULL);
        return nothing;
    }
    if (t.whole) {
        check_indices(c, n, t.symbol);
        t.whole = false;
        return t;
    }
    if (t.symbol->kind == SYMBOL_PROCESS)
        return copy_of(c, n, t.symbol);
    if (t.type != TYPE_ANY && is_unit(c, n->last->first)) {
        ERROR(c, n,
              "a unit stands after a number or where a name is declared: `%s` "
              "is shown, set and stored in the unit of its declaration",
              t.symbol->shown);
        return t;
    }
    check_indices(c, n, NULL);
    if (t.type == TYPE_ANY)
        return nothing;
    if (has_entries(t.symbol))
        ERROR(c, n, "an entry of a FILE is selected with a point: `%s.n`",
              t.symbol->shown);
    else if (t.symbol->kind == SYMBOL_FIELD)
        ERROR(c, n, "a value of a FIELD is selected with AT: `%s AT x`",
              t.symbol->shown);
    else if (t.symbol->kind == SYMBOL_FUNCTION ||
             t.symbol->kind == SYMBOL_FUNCTABLE)
        ERROR(c, n, "arguments are written in parentheses: `%s(...)`",
              t.symbol->shown);
    else
        ERROR(c, n, "`%s` is %s, not an array: it has no index",
              t.symbol->shown, symbol_words(t.symbol));
    return nothing;
}

/* ---- Attributes and parts ------------------------------------------------ */

/* QUEUE.3, QUEUE.N, QUEUE.(N + 1): an entry. */
static Target entry(Checker *c, Node *n, Symbol *file)
{
    Node *which = n->last;
    const Symbol *record = symbol_record(file);
    if (which->kind == NODE_NAME && name_find(c, which->text) == NULL &&
        record != NULL && scope_own(record->inside, which->text) != NULL) {
        if (file->kind == SYMBOL_PROCESS && file->body != NULL &&
            file->body->kind == NODE_CONTINUOUS_PROCESS) {
            ERROR(c, which,
                  "`%s` is an attribute: say which copy it belongs to, as in "
                  "`%s[1].%s`",
                  which->text, file->shown, which->text);
            return nothing;
        }
        ERROR(c, which,
              "`%s` is an attribute: say which entry it belongs to, as in "
              "`%s.1.%s`",
              which->text, file->shown, which->text);
        return nothing;
    }
    check_integer(c, which, "the number of an entry");
    return (Target){file, TYPE_ENTRY, false};
}

/* An attribute that does not exist is reported once. */
static void forget_attribute(Checker *c, const Symbol *record, Node *name)
{
    Symbol *other;
    if (scope_add(record->inside, name->text, SYMBOL_UNKNOWN, WORD_NONE, name,
                  &other) == NULL &&
        other == NULL)
        c->broken = true;
}

void report_no_attribute(Checker *c, Node *name, const Symbol *record)
{
    bool many = c->unit->diags->errors >= DIAG_LIMIT; // it is not shown
    const Symbol *other = many ? NULL : record_with(c, name->text, record);
    const char *near;
    if (record == NULL) {
        ERROR(c, name,
              "there is no attribute `%s`: the process has no FILE and no such "
              "variable in VAR OWN",
              name->text);
        return;
    }
    near = many ? NULL : scope_nearest(record->inside, name->text);
    if (other != NULL)
        ERROR(c, name,
              "RECORD `%s` has no attribute `%s`: it belongs to RECORD `%s`",
              record->shown, name->text, other->shown);
    else if (near != NULL)
        ERROR(c, name, "RECORD `%s` has no attribute `%s`: did you mean `%s`?",
              record->shown, name->text, near);
    else
        ERROR(c, name, "RECORD `%s` has no attribute `%s`", record->shown,
              name->text);
    forget_attribute(c, record, name);
}

void report_no_record(Checker *c, const Node *n, Symbol *file)
{
    const char *near = scope_nearest(c->home, file->name);
    Symbol *other = near == NULL ? NULL : scope_own(c->home, near);
    if (other != NULL && other->kind == SYMBOL_FILE)
        other->meant = true; // declared again, but misspelt
    ERROR(
        c, n,
        "the RECORD of `%s` is not known here: declare the file again inside, "
        "with its RECORD",
        file->shown);
    file->kind = SYMBOL_UNKNOWN;
}

bool symbol_is_copied(const Symbol *s)
{
    const Node *process = s->scope == NULL ? NULL : scope_node(s->scope);
    if (process == NULL || process->kind != NODE_CONTINUOUS_PROCESS ||
        s->kind != SYMBOL_VARIABLE)
        return false;
    return s->own || s->type == WORD_STATE || s->type == WORD_ALGEBR ||
           s->type == WORD_LOGIC || s->type == WORD_MEMORY;
}

/* A variable that the copies of a CONTINUOUS PROCESS have beside the attributes
   of their file. */
static Symbol *variable_of_copy(const Symbol *process, const char *name)
{
    Symbol *s = process->kind == SYMBOL_PROCESS && process->inside != NULL
                    ? scope_own(process->inside, name)
                    : NULL;
    return s != NULL && symbol_is_copied(s) ? s : NULL;
}

/* An attribute after its entry. */
static Target attribute(Checker *c, Node *n, Symbol *file, Access access)
{
    const Symbol *record = symbol_record(file);
    Node *name = n->last;
    Symbol *s;
    if (name->kind != NODE_NAME) {
        ERROR(c, name, "an attribute is selected by its name");
        return nothing;
    }
    s = variable_of_copy(file, name->text);
    if (s != NULL) {
        name->symbol = s;
        return target_of(c, name, s, access);
    }
    if (record == NULL && file->kind == SYMBOL_PROCESS && file->file == NULL) {
        report_no_attribute(c, name, NULL);
        return nothing;
    }
    if (record == NULL) {
        report_no_record(c, n, file);
        return nothing;
    }
    s = scope_own(record->inside, name->text);
    if (s == NULL) {
        report_no_attribute(c, name, record);
        return nothing;
    }
    name->symbol = s;
    return target_of(c, name, s, access);
}

static Target selection(Checker *c, Node *n, Access access)
{
    Target t = nothing;
    if (report_path(c, n))
        return t;
    t = check_designator(c, n->first, ACCESS_NAME);
    if (t.symbol == NULL || symbol_unknown(t.symbol)) {
        if (n->last->kind != NODE_NAME)
            check_expression(c, n->last);
        return nothing;
    }
    symbol_use(t.symbol);
    if (t.type == TYPE_ENTRY)
        return attribute(c, n, t.symbol, access);
    if (has_entries(t.symbol))
        return entry(c, n, t.symbol);
    if (t.type != TYPE_ANY)
        ERROR(c, n, "`%s` is %s: nothing can be selected from it%s",
              t.symbol->shown, symbol_words(t.symbol), symbol_keeps(t.symbol));
    return nothing;
}

/* X' before := and in INITCOND: a value of its own, or one that it starts
   with. */
static Target rate(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_WRITE);
    if (t.symbol == NULL || t.type == TYPE_ANY)
        return nothing;
    if (!check_derivative(c, n, t))
        return nothing;
    if (n->integer > 1) {
        ERROR(c, n, "the value of `%s''` comes from its equation",
              t.symbol->shown);
        return nothing;
    }
    t.type = TYPE_REAL;
    return t;
}

/* Reports a call where something should be assigned. */
static void no_target(Checker *c, Node *n)
{
    const Symbol *s = n->kind == NODE_CALL && n->first->kind == NODE_NAME
                          ? name_resolve(c, n->first)
                          : NULL;
    if (s != NULL && s->rank > 0)
        ERROR(c, n, "elements of an array are written in brackets: `%s[...]`",
              s->shown);
    else if (s == NULL || !symbol_unknown(s))
        ERROR(c, n, "a variable is expected before `:=`");
}

Target check_designator(Checker *c, Node *n, Access access)
{
    switch (n->kind) {
    case NODE_NAME: return target_of(c, n, name_resolve(c, n), access);
    case NODE_INDEX: return element(c, n, access);
    case NODE_SELECT: return selection(c, n, access);
    default: break;
    }
    if (access == ACCESS_WRITE && n->kind == NODE_DERIVATIVE)
        return rate(c, n);
    if (access == ACCESS_WRITE)
        no_target(c, n);
    else
        check_expression(c, n);
    return nothing;
}
