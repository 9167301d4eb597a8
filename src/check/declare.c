#include "check/checker.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "check/dimension.h"
#include "check/header.h"
#include "check/units.h"

/* Declarations: constants, records, variables, files, fields, tables. Each list
   is read in the order of the text; other names it refers to must be known by
   then, except for STORE and the files of processes (declare_late). */

/* ---- Labels and constants ------------------------------------------------ */

static void declare_label(Checker *c, Scope *s, Node *n)
{
    char *name = NEW_ARRAY(c->unit->arena, char, 24);
    if (name == NULL) {
        c->broken = true;
        return;
    }
    snprintf(name, 24, "%" PRId64, n->integer); // 0100 is 100
    n->text = name;
    if (n->integer <= 0 || n->integer > 99999)
        ERROR(c, n, "a LABEL is a number from 1 to 99999");
    name_declare(c, s, SYMBOL_LABEL, WORD_NONE, n);
}

static void declare_const(Checker *c, Scope *s, Node *n)
{
    Node *value = n->last;
    uint32_t errors = c->unit->diags->errors;
    Type t = check_expression(c, value);
    Symbol *k = name_declare(c, s, SYMBOL_CONST, n->word, n);
    Constant v;
    char what[100];
    if (k != NULL && (n->flags & FLAG_READ))
        symbol_use(k);
    if (k == NULL || t == TYPE_ANY)
        return;
    snprintf(what, sizeof what, "CONST `%.60s`", n->text);
    if (!check_fits(c, value, t, word_type(n->word), what))
        return;
    check_constant_units(c->unit, n);
    if (!constant_fold(c, value, &v)) {
        if (c->unit->diags->errors == errors)
            ERROR(c, value,
                  "the value of CONST `%s` must be known before the run: "
                  "numbers, CONSTs above, and functions of them",
                  n->text);
        return;
    }
    k->has_value = true;
    k->value = v.real;
    k->integer = v.integer;
}

/* ---- Records ------------------------------------------------------------- */

static void declare_record(Checker *c, Scope *s, Node *n)
{
    Symbol *record = name_declare(c, s, SYMBOL_RECORD, WORD_NONE, n);
    Scope *inside = scope_new(c->unit->arena, NULL, n);
    if (inside == NULL) {
        c->broken = true;
        return;
    }
    for (Node *k = n->last->first; k != NULL; k = k->next) {
        Symbol *a = name_declare(c, inside, SYMBOL_ATTRIBUTE, k->word, k);
        if (a != NULL)
            a->record = record;
    }
    if (record != NULL)
        record->inside = inside;
}

/* ---- Variables ----------------------------------------------------------- */

static bool is_numeric(Word type)
{
    switch (type) {
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_DSTATE:
    case WORD_MEMORY: return true;
    default: return false;
    }
}

static void check_range(Checker *c, Node *n, Node *range)
{
    double low, high;
    bool known = constant_bound(c, range->first, "the lower bound", &low);
    known = constant_bound(c, range->last, "the upper bound", &high) && known;
    if (!is_numeric(n->word))
        ERROR(c, range, "`%s` is a %s: only numbers have a RANGE", n->text,
              word_text(n->word));
    else if (known && low >= high)
        ERROR(c, range,
              "this RANGE is empty: its lower bound %g is not below its upper "
              "bound %g",
              low, high);
}

static void check_flags(Checker *c, const Symbol *s, Node *n)
{
    if ((n->flags & FLAG_INPUT) != 0 && s->type != WORD_REAL &&
        s->type != WORD_INTEGER && s->type != WORD_BOOLEAN)
        unit_error(c->unit, name_span(c, n), n->origin,
                   "`%s` is set from outside (INPUT), so it cannot be %s: "
                   "declare it as REAL, INTEGER or BOOLEAN",
                   n->text, symbol_words(s));
    else if ((n->flags & FLAG_OUTPUT) != 0 && symbol_type(s) == TYPE_THING)
        unit_error(c->unit, name_span(c, n), n->origin,
                   "`%s` is %s and has no value that can be read from outside",
                   n->text, symbol_words(s));
}

/* One extent; false after a message. */
static bool read_extent(Checker *c, Node *n, int64_t *low, int64_t *high)
{
    *low = 1;
    if (!is_none(n->first) &&
        !constant_integer(c, n->first, "the first index", low))
        return false;
    if (!constant_integer(c, n->last, "the size of an array", high))
        return false;
    if (*high >= *low)
        return true;
    if (is_none(n->first))
        ERROR(c, n, "an array cannot have %" PRId64 " elements", *high);
    else
        ERROR(c, n, "the first index %" PRId64 " is above the last, %" PRId64,
              *low, *high);
    return false;
}

/* Elements along one extent, at most LIMIT_ARRAY + 1. */
static uint64_t extent_size(int64_t low, int64_t high)
{
    uint64_t apart = (uint64_t)high - (uint64_t)low;
    return apart >= LIMIT_ARRAY ? LIMIT_ARRAY + (uint64_t)1 : apart + 1;
}

static bool read_extents(Checker *c, Node *list, Symbol *s)
{
    uint64_t size = 1;
    uint32_t rank = 0;
    bool good = true;
    for (Node *k = list->first; k != NULL; k = k->next) {
        int64_t low, high;
        if (rank == SYMBOL_RANKS) {
            ERROR(c, k, "an array has at most two indices");
            return false;
        }
        if (read_extent(c, k, &low, &high)) {
            s->low[rank] = low;
            s->high[rank] = high;
            size *= extent_size(low, high);
        } else {
            good = false;
        }
        rank++;
    }
    s->rank = rank;
    if (good && size > LIMIT_ARRAY) {
        ERROR(c, list, "an array has at most %d elements", LIMIT_ARRAY);
        good = false;
    }
    return good;
}

static void declare_array(Checker *c, Node *list, Symbol *s)
{
    if (list == c->extent) { // that of the variable before, and wrong
        s->kind = SYMBOL_UNKNOWN;
        return;
    }
    if (!read_extents(c, list, s)) {
        c->extent = list;
        s->kind = SYMBOL_UNKNOWN;
    }
}

/* `S[N]` with a constant N, which is not a unit: an array was meant. */
static bool is_size(Checker *c, const Node *n)
{
    Dimension d;
    uint32_t wrong;
    const char *why;
    const Symbol *size;
    Node *unit = n->first;
    if (unit->kind != NODE_UNIT || dimension_read(unit->text, &d, &wrong, &why))
        return false;
    size = name_find(c, unit->text);
    if (size == NULL || size->kind != SYMBOL_CONST)
        return false;
    ERROR(c, unit,
          "an array is declared `ARRAY [%s] OF %s %s`: brackets after a name "
          "here are its unit",
          unit->text, word_text(n->word), n->text);
    unit->text = "1";
    return true;
}

static void declare_variable(Checker *c, Scope *s, Node *n)
{
    Node *range = node_child(n, 1), *extents = n->last;
    Symbol *v = name_declare(c, s, SYMBOL_VARIABLE, n->word, n);
    if (!is_none(range))
        check_range(c, n, range);
    if (v == NULL)
        return;
    if (is_size(c, n))
        v->kind = SYMBOL_UNKNOWN;
    check_flags(c, v, n);
    if (!is_none(extents))
        declare_array(c, extents, v);
}

/* ---- Files --------------------------------------------------------------- */

static void check_capacity(Checker *c, Node *n, const char *what)
{
    int64_t capacity;
    if (!is_none(n) && constant_integer(c, n, what, &capacity) && capacity < 1)
        ERROR(c, n, "%s must be at least 1", what);
}

static void check_ranking(Checker *c, Node *rank, const Symbol *record)
{
    Symbol *a =
        record->inside == NULL ? NULL : scope_own(record->inside, rank->text);
    if (rank->text == NULL || rank->text[0] == '\0')
        return; // reported when it was read
    if (a == NULL) {
        report_no_attribute(c, rank, record);
        return;
    }
    rank->symbol = a;
    symbol_use(a);
    if (!type_is_number(symbol_type(a)))
        ERROR(c, rank, "entries are ranked by a number, but `%s` is %s",
              a->shown, word_text(a->type));
}

/* A file among the formals of its process is declared again inside, with its
   RECORD. */
static Symbol *file_symbol(Checker *c, Scope *s, Node *n)
{
    Symbol *formal = scope_own(s, n->text);
    if (formal != NULL && formal->kind == SYMBOL_FORMAL &&
        formal->type == WORD_FILE && formal->record == NULL) {
        n->symbol = formal;
        return formal;
    }
    return name_declare(c, s, SYMBOL_FILE, WORD_FILE, n);
}

static void declare_file(Checker *c, Scope *s, Node *n)
{
    Node *capacity = n->first, *name = capacity->next, *rank = n->last;
    Symbol *record = name_resolve(c, name), *file = file_symbol(c, s, n);
    if (file == NULL || file->kind == SYMBOL_FILE)
        check_capacity(c, capacity, "the number of entries");
    else if (capacity->kind == NODE_NAME) // the caller's file decides
        symbol_use(name_resolve(c, capacity));
    if (record != NULL && record->kind == SYMBOL_UNKNOWN &&
        record->record != NULL && record->record->kind == SYMBOL_RECORD)
        record = record->record;
    if (symbol_unknown(record)) {
        if (file != NULL)
            file->kind = SYMBOL_UNKNOWN;
        return;
    }
    symbol_use(record);
    if (record->kind != SYMBOL_RECORD) {
        ERROR(c, name,
              "the entries of a FILE have a RECORD type, but `%s` is %s",
              record->shown, symbol_words(record));
        return;
    }
    if (file != NULL)
        file->record = record;
    if (!is_none(rank))
        check_ranking(c, rank, record);
}

/* ---- Processes, storages, ports, parts ----------------------------------- */

/* The declaration in VAR and the block of the process are one thing. */
static void declare_process(Checker *c, Scope *s, Node *n)
{
    Symbol *other = scope_own(s, n->text);
    if (other != NULL && other->kind == SYMBOL_PROCESS &&
        other->node == other->body) {
        other->node = n;
        n->symbol = other;
        return;
    }
    name_declare(c, s, SYMBOL_PROCESS, WORD_PROCESS, n);
}

static bool is_plain_integer(const Node *n)
{
    const Symbol *v = n->symbol;
    return n->kind == NODE_NAME && v != NULL && v->kind == SYMBOL_VARIABLE &&
           v->type == WORD_INTEGER && v->rank == 0 && !v->own;
}

/* A constant, or a variable whose value is taken at the start of each run. */
static void check_places(Checker *c, Node *n)
{
    static const char what[] = "the CAPACITY of a STORAGE";
    Constant k;
    if (is_none(n) || check_integer(c, n, what) == TYPE_ANY ||
        is_plain_integer(n))
        return;
    if (!constant_fold(c, n, &k))
        ERROR(c, n,
              "%s must be a number, an expression of CONSTs, or an INTEGER "
              "variable",
              what);
    else if (k.integer < 1)
        ERROR(c, n, "%s must be at least 1", what);
}

static void declare_storage(Checker *c, Scope *s, Node *n)
{
    name_declare(c, s, SYMBOL_VARIABLE, WORD_STORAGE, n);
    check_places(c, n->last);
}

/* ---- Fields -------------------------------------------------------------- */

static void declare_field(Checker *c, Scope *s, Node *n)
{
    Node *coordinates = node_child(n, 1);
    Symbol *field = name_declare(c, s, SYMBOL_FIELD, WORD_STATE, n);
    Scope *inside = scope_new(c->unit->arena, NULL, n);
    uint32_t k = 0;
    if (inside == NULL) {
        c->broken = true;
        return;
    }
    for (Node *x = coordinates->first; x != NULL; x = x->next) {
        grid_check(c, x, ++k);
        name_declare(c, inside, SYMBOL_COORDINATE, WORD_REAL, x);
        if (k == 3)
            ERROR(c, x, "a FIELD has one or two coordinates");
    }
    grid_check_all(c, coordinates, n->last);
    if (field != NULL)
        field->inside = inside;
}

/* ---- Tables -------------------------------------------------------------- */

static void check_points(Checker *c, Node *list)
{
    double before = 0.0;
    uint32_t count = 0;
    for (Node *k = list->first; k != NULL; k = k->next) {
        Constant x;
        check_number(c, k->first, "the argument of a point");
        check_number(c, k->last, "the value of a point");
        if (!constant_fold(c, k->first, &x))
            continue;
        if (count++ > 0 && x.real <= before) {
            ERROR(c, k->first,
                  "the points of a table must be in order: %g does not come "
                  "after %g",
                  x.real, before);
            return;
        }
        before = x.real;
    }
    if (count == 1 && !c->unit->names_lost)
        ERROR(c, list->first, "a table needs at least two points");
}

static void declare_table(Checker *c, Scope *s, Node *n)
{
    name_declare(c, s, SYMBOL_FUNCTABLE, WORD_REAL, n);
    if (n->last->kind == NODE_LIST)
        check_points(c, n->last);
    else if (n->last->kind == NODE_FROM_FILE)
        header_read(c->unit, n->last);
}

/* ---- Lists --------------------------------------------------------------- */

static void declare_item(Checker *c, Scope *s, Node *n, bool own)
{
    switch (n->kind) {
    case NODE_VARIABLE: declare_variable(c, s, n); break;
    case NODE_MODEL_NAME:
        name_declare(c, s, SYMBOL_VARIABLE, WORD_MODEL, n);
        break;
    case NODE_FILE_DECL: declare_file(c, s, n); break;
    case NODE_PROCESS_NAME: declare_process(c, s, n); break;
    case NODE_STORAGE_DECL: declare_storage(c, s, n); break;
    case NODE_FIELD_DECL: declare_field(c, s, n); break;
    default: break;
    }
    if (own && n->symbol != NULL)
        n->symbol->own = true;
}

static void declare_var_part(Checker *c, Scope *s, Node *n)
{
    bool own = n->word == WORD_OWN;
    if (own && s == c->program)
        ERROR(c, n,
              "OWN is for the variables of a process or routine: here all "
              "variables belong to the program");
    for (Node *k = n->first->first; k != NULL; k = k->next)
        declare_item(c, s, k, own);
}

/* A unit that does not exist is reported with all others. */
static void declare_timeunit(Checker *c, Node *n)
{
    Dimension d;
    uint32_t wrong;
    const char *why;
    assert(n->kind == NODE_TIMEUNIT && n->first != NULL);
    if (is_none(n->first))
        return;
    if (c->timeunit != NULL) {
        ERROR(c, n, "TIME has one unit: there is already a TIMEUNIT");
        unit_note(c->unit, c->timeunit->at, "the first TIMEUNIT is here");
        return;
    }
    c->timeunit = n;
    if (dimension_read(n->first->text, &d, &wrong, &why) &&
        !dimension_same(d, dimension_second()))
        ERROR(c, n->first,
              "TIMEUNIT needs a unit of time, like [s], [min], [h], [d], [a]");
}

void declare_one(Checker *c, Scope *s, Node *n)
{
    switch (n->kind) {
    case NODE_LABEL_PART:
        for (Node *k = n->first->first; k != NULL; k = k->next)
            declare_label(c, s, k);
        break;
    case NODE_CONST_ITEM: declare_const(c, s, n); break;
    case NODE_TYPE_ITEM: declare_record(c, s, n); break;
    case NODE_VAR_PART: declare_var_part(c, s, n); break;
    case NODE_FUNCTABLE: declare_table(c, s, n); break;
    case NODE_TIMEUNIT: declare_timeunit(c, n); break;
    case NODE_FUNCTION:
    case NODE_PROCEDURE: declare_segment(c, n); break; // of a process
    default: break;
    }
}

void declare_list(Checker *c, Scope *s, Node *list)
{
    for (Node *n = list->first; n != NULL; n = n->next)
        declare_one(c, s, n);
}

/* ---- What may come later ------------------------------------------------- */

static void late_process(Checker *c, Node *n)
{
    Node *name = n->first;
    Symbol *file;
    if (n->symbol == NULL)
        return;
    if (n->word == WORD_SERVER && n->symbol->body != NULL &&
        n->symbol->body->kind != NODE_DISCRETE_PROCESS)
        ERROR(c, n,
              "SERVER says that transactions wait for ever by design, but `%s` "
              "is not a DISCRETE PROCESS: it has none",
              n->symbol->shown);
    if (is_none(name))
        return;
    file = n->symbol->inside == NULL || name_find(c, name->text) != NULL
               ? NULL
               : scope_own(n->symbol->inside, name->text);
    if (file != NULL) // declared in the process
        name->symbol = file;
    else
        file = name_resolve(c, name);
    if (symbol_unknown(file))
        return;
    symbol_use(file);
    if (file->kind != SYMBOL_FILE && !symbol_is(file, WORD_FILE))
        ERROR(c, name, "PROCESS `%s` needs a FILE, but `%s` is %s", n->text,
              file->shown, symbol_words(file));
    else
        n->symbol->file = file;
}

static void late_store(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Target t = check_designator(c, k, ACCESS_READ);
        Symbol *base = designator_base(k)->symbol;
        if (base != NULL)
            base->stored = true;
        if (t.symbol != NULL && (t.type == TYPE_THING || t.type == TYPE_STRING))
            ERROR(c, k, "`%s` is %s: only values can be STOREd",
                  t.symbol->shown, symbol_words(t.symbol));
    }
}

static void late_item(Checker *c, Node *n)
{
    if (n->kind == NODE_PROCESS_NAME)
        late_process(c, n);
}

void declare_one_late(Checker *c, Node *n)
{
    if (n->kind == NODE_STORE_PART)
        late_store(c, n->first);
    if (n->kind == NODE_FUNCTION || n->kind == NODE_PROCEDURE)
        declare_segment_late(c, n); // of a process
    if (n->kind != NODE_VAR_PART)
        return;
    for (Node *k = n->first->first; k != NULL; k = k->next)
        late_item(c, k);
}

void declare_late(Checker *c, Node *list)
{
    for (Node *n = list->first; n != NULL; n = n->next)
        declare_one_late(c, n);
}
