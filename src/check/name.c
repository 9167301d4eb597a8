#include "check/checker.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "expand/expand.h"
#include "syntax/advice.h"

/* ---- Places -------------------------------------------------------------- */

static char fold(char ch)
{
    return ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A') : ch;
}

static bool is_part_of_name(char ch)
{
    ch = fold(ch);
    return (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

static bool is_here(const char *text, const char *name, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (fold(text[k]) != fold(name[k]))
            return false;
    }
    return true;
}

/* The first place after `from` where the name is a word of its own; `to` if
   there is none. */
static size_t find_word(const char *text, size_t from, size_t to,
                        const char *name, size_t n)
{
    for (size_t k = from; k + n <= to; k++) {
        if ((k == 0 || !is_part_of_name(text[k - 1])) &&
            is_here(text + k, name, n) &&
            (k + n == to || !is_part_of_name(text[k + n])))
            return k;
    }
    return to;
}

Span name_span(const Checker *c, const Node *n)
{
    Span at = n->at;
    size_t length = n->text == NULL ? 0 : strlen(n->text);
    size_t end = (size_t)at.start + at.length, k;
    if (length == 0 || length >= at.length)
        return at;
    if (at.file != c->unit->file || end > c->unit->length)
        return at;
    k = find_word(c->unit->text, at.start, end, n->text, length);
    return k == end ? at : (Span){at.file, (uint32_t)k, (uint32_t)length};
}

void note_declaration(Checker *c, const Symbol *s)
{
    if (s->node != NULL)
        unit_note(c->unit, name_span(c, s->node),
                  s->kind == SYMBOL_LABEL ? "label %s is declared here"
                                          : "`%s` is declared here",
                  s->shown);
}

/* ---- How messages call things -------------------------------------------- */

static const char *variable_words(Word type)
{
    switch (type) {
    case WORD_REAL: return "a REAL variable";
    case WORD_INTEGER: return "an INTEGER variable";
    case WORD_BOOLEAN: return "a BOOLEAN variable";
    case WORD_STATE: return "a STATE";
    case WORD_ALGEBR: return "an ALGEBR";
    case WORD_LOGIC: return "a LOGIC";
    case WORD_DSTATE: return "a DSTATE";
    case WORD_SAMPLE: return "a SAMPLE";
    case WORD_MEMORY: return "a MEMORY";
    case WORD_MODEL: return "a MODEL";
    case WORD_SEVENT: return "a state event (SEVENT)";
    case WORD_TEVENT: return "a time event (TEVENT)";
    case WORD_FACILITY: return "a FACILITY";
    case WORD_STORAGE: return "a STORAGE";
    case WORD_GATE: return "a GATE";
    case WORD_SIGNAL: return "a SIGNAL";
    case WORD_RANDOM: return "a RANDOM variable";
    case WORD_FILE: return "a FILE";
    default: return "a variable";
    }
}

const char *symbol_keeps(const Symbol *s)
{
    bool keeps = s->type == WORD_FACILITY || s->type == WORD_STORAGE ||
                 s->type == WORD_GATE || s->type == WORD_SIGNAL ||
                 s->kind == SYMBOL_FILE || s->kind == SYMBOL_PROCESS;
    return keeps ? "; its statistics are kept without being asked for" : "";
}

bool symbol_is_index(const Symbol *s)
{
    const Node *around = s->scope == NULL ? NULL : scope_node(s->scope);
    return s->kind == SYMBOL_LOOP && around != NULL &&
           around->kind == NODE_EVENT;
}

const char *symbol_words(const Symbol *s)
{
    static const char *const words[] = {
        [SYMBOL_CONST] = "a CONST",
        [SYMBOL_ATTRIBUTE] = "an attribute",
        [SYMBOL_LOOP] = "the variable of a loop",
        [SYMBOL_RECORD] = "a RECORD",
        [SYMBOL_FILE] = "a FILE",
        [SYMBOL_PROCESS] = "a PROCESS",
        [SYMBOL_FIELD] = "a FIELD",
        [SYMBOL_FUNCTABLE] = "a FUNCTABLE",
        [SYMBOL_FUNCTION] = "a FUNCTION",
        [SYMBOL_PROCEDURE] = "a PROCEDURE",
        [SYMBOL_LABEL] = "a LABEL",
        [SYMBOL_DISTRIBUTION] = "a distribution",
        [SYMBOL_METHOD] = "a method of integration",
        [SYMBOL_COORDINATE] = "a coordinate",
        [SYMBOL_BLOCK] = "the name of a block",
        [SYMBOL_CALL] = "the name of a macro call",
        [SYMBOL_UNKNOWN] = "not declared",
    };
    if (symbol_is_index(s))
        return "the index of an event";
    if (s->kind == SYMBOL_VARIABLE || s->kind == SYMBOL_FORMAL)
        return variable_words(s->type);
    return words[s->kind];
}

Type word_type(Word type)
{
    switch (type) {
    case WORD_REAL:
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_DSTATE:
    case WORD_MEMORY:
    case WORD_RANDOM: return TYPE_REAL;
    case WORD_INTEGER: return TYPE_INTEGER;
    case WORD_BOOLEAN:
    case WORD_LOGIC: return TYPE_TRUTH;
    case WORD_NONE: return TYPE_ANY;
    default: return TYPE_THING;
    }
}

Type symbol_type(const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_CONST: // one without a value has been reported
        return s->has_value ? word_type(s->type) : TYPE_ANY;
    case SYMBOL_VARIABLE:
    case SYMBOL_FORMAL: return word_type(s->type);
    case SYMBOL_ATTRIBUTE: // events in records serve as flags, too
        return s->type == WORD_SEVENT || s->type == WORD_TEVENT
                   ? TYPE_INTEGER
                   : word_type(s->type);
    case SYMBOL_LOOP: return TYPE_INTEGER;
    case SYMBOL_FIELD:
    case SYMBOL_COORDINATE: return TYPE_REAL;
    case SYMBOL_UNKNOWN: return TYPE_ANY;
    default: return TYPE_THING;
    }
}

bool symbol_is_integrated(const Symbol *s)
{
    return s->type == WORD_STATE || (s->type == WORD_ALGEBR && s->derived);
}

bool symbol_is_input(const Symbol *s)
{
    return s->node != NULL && s->node->kind == NODE_VARIABLE &&
           (s->node->flags & FLAG_INPUT) != 0;
}

bool symbol_is(const Symbol *s, Word type)
{
    return (s->kind == SYMBOL_VARIABLE || s->kind == SYMBOL_FORMAL) &&
           s->type == type;
}

/* ---- Which symbol a name means ------------------------------------------- */

Symbol *name_find(const Checker *c, const char *name)
{
    for (const Layer *l = c->layer; l != NULL; l = l->around) {
        Symbol *s = l->scope == NULL ? NULL : scope_own(l->scope, name);
        if (s != NULL)
            return s;
    }
    return scope_own(c->predefined, name);
}

static const char *nearest(const Checker *c, const char *name)
{
    for (const Layer *l = c->layer; l != NULL; l = l->around) {
        const char *found =
            l->scope == NULL ? NULL : scope_nearest(l->scope, name);
        if (found != NULL)
            return found;
    }
    return scope_nearest(c->predefined, name);
}

/* A MACRO of nearly this name, or NULL; MACROs themselves are gone when names
   are looked up. */
static const char *nearest_macro(const Checker *c, const char *name)
{
    const Tokens *t = &c->unit->tokens;
    for (uint32_t k = 0; k + 1 < t->count; k++) {
        const char *found = NULL;
        if (t->token[k].word == WORD_MACRO &&
            t->token[k + 1].kind == TOKEN_NAME)
            found = nearest_name(name, &t->token[k + 1].text, 1);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const Symbol *record_in(const Scope *s, const char *attribute,
                               const Symbol *but)
{
    for (const Symbol *k = scope_first(s); k != NULL; k = k->next) {
        if (k->kind == SYMBOL_RECORD && k != but && k->inside != NULL &&
            scope_own(k->inside, attribute) != NULL)
            return k;
    }
    return NULL;
}

const Symbol *record_with(const Checker *c, const char *attribute,
                          const Symbol *but)
{
    const Symbol *found = record_in(c->home, attribute, but);
    if (found == NULL && c->home != c->program)
        found = record_in(c->program, attribute, but);
    return found;
}

/* The CONTINUOUS PROCESS whose copies have the attributes of a RECORD or, if there
   is none, a variable of that name. */
static const Symbol *copies_with(const Checker *c, const Symbol *record,
                                 const char *name)
{
    for (const Symbol *s = scope_first(c->program); s != NULL; s = s->next) {
        const Symbol *own =
            s->inside == NULL ? NULL : scope_own(s->inside, name);
        if (s->kind != SYMBOL_PROCESS || s->body == NULL ||
            s->body->kind != NODE_CONTINUOUS_PROCESS)
            continue;
        if (record != NULL ? symbol_record(s) == record
                           : own != NULL && symbol_is_copied(own))
            return s;
    }
    return NULL;
}

/* A distribution that is called like a function, EXPO (3), or another function
   whose name would do for a variable. */
static bool report_call(Checker *c, Span at, uint32_t origin, const char *name)
{
    const char *advice = advice_call(name);
    const char *near = advice_distribution(name);
    if (advice != NULL)
        unit_error(c->unit, at, origin, "`%s` is not declared: %s", name,
                   advice);
    else if (near != NULL)
        unit_error(c->unit, at, origin,
                   "`%s` is no function: declare a RANDOM, read it here, and "
                   "give it the distribution %s in RANDOMGEN",
                   name, near);
    return advice != NULL || near != NULL;
}

/* A function of another language, or dX and Xdot for the derivative of X. */
static bool report_foreign(Checker *c, Span at, uint32_t origin,
                           const char *name)
{
    const char *advice = advice_name(name);
    size_t n = strlen(name);
    char state[64];
    Symbol *s;
    if (advice != NULL) {
        unit_error(c->unit, at, origin, "`%s` is not declared: %s", name,
                   advice);
        return true;
    }
    if (n < 2 || n >= sizeof state)
        return false;
    if (name[0] == 'd' || name[0] == 'D')
        snprintf(state, sizeof state, "%s", name + 1);
    else if (n > 3 && name_same(name + n - 3, "DOT"))
        snprintf(state, sizeof state, "%.*s", (int)n - 3, name);
    else
        return false;
    s = name_find(c, state);
    if (s == NULL || !symbol_is(s, WORD_STATE))
        return false;
    s->meant = true;
    unit_error(c->unit, at, origin,
               "`%s` is not declared: the derivative of `%s` is written `%s'`",
               name, state, state);
    return true;
}

/* ---- Locals of macros ---------------------------------------------------- */

/* The length of the first part of a path, without the number at its end. */
static size_t length_without_number(const char *name)
{
    size_t n = strcspn(name, ".");
    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n;
}

/* True if `a` and `b` differ only in the numbers of the expansions:
   BATTERY_SOC_1 and battery_soc_2, PACK_CELL_1.SOC and PACK_CELL_2.SOC. */
static bool same_but_number(const char *a, const char *b)
{
    size_t n = length_without_number(a), p = strcspn(a, ".");
    size_t m = length_without_number(b), q = strcspn(b, ".");
    return n == m && n < p && m < q && is_here(a, b, n) &&
           name_same(a + p, b + q);
}

/* A local of a call without a name that has this name in its MACRO, or a
   similar one in the flat program; NULL if there is none. */
static const Symbol *nameless_local(const Checker *c, const char *name)
{
    for (const Symbol *s = scope_first(c->program); s != NULL; s = s->next)
        if (s->shown != s->name && s->node != NULL && s->node->origin != 0 &&
            (name_same(s->shown, name) || same_but_number(s->name, name)))
            return s;
    return NULL;
}

/* A local of that name in a call that has a name, or NULL. */
static const Symbol *named_local(const Checker *c, const char *name)
{
    for (const Symbol *s = scope_first(c->program); s != NULL; s = s->next) {
        const char *dot = strrchr(s->name, '.');
        if (dot != NULL && s->shown == s->name && name_same(dot + 1, name))
            return s;
    }
    return NULL;
}

/* The MACRO whose call needs a name so that the local can be reached: it is
   outside as many calls as have names in the shown path. */
static const char *nameless_macro(const Checker *c, const Symbol *local)
{
    const Origin *o = c->unit->origins.origin;
    uint32_t k = local->node->origin;
    for (const char *p = local->shown; *p != '\0' && o[k].parent != 0; p++)
        if (*p == '.')
            k = o[k].parent;
    return o[k].macro;
}

/* A local of a macro can be reached only by the name of its call. */
static bool report_local(Checker *c, Span at, uint32_t origin, const char *name)
{
    const Symbol *local = named_local(c, name);
    const char *macro;
    if (local != NULL) {
        unit_error(c->unit, at, origin,
                   "`%s` is not declared: did you mean `%s`?", name,
                   local->name);
        return true;
    }
    local = nameless_local(c, name);
    if (local == NULL)
        return false;
    macro = nameless_macro(c, local);
    unit_error(c->unit, at, origin,
               "`%s` is not declared: it is a local of the MACRO `%s`. Name "
               "the call, as in %s B1 (...), and write `B1.%s`",
               name, macro, macro, local->shown);
    return true;
}

bool report_path(Checker *c, const Node *n)
{
    const Node *call = n->first, *local = n->last;
    const char *near = NULL;
    Buffer b = {0};
    bool done = false;
    if (c->unit->origins.count == 0 || call->kind != NODE_NAME ||
        local->kind != NODE_NAME || name_find(c, call->text) != NULL)
        return false;
    for (uint32_t k = 0; k < c->unit->call_count && near == NULL; k++)
        near = nearest_name(call->text, &c->unit->calls[k].name, 1);
    buffer_format(&b, "%s.%s", call->text, local->text);
    if (near != NULL)
        unit_error(c->unit, n->at, n->origin,
                   "no call has the name `%s`: did you mean `%s.%s`?",
                   call->text, near, local->text);
    else if (!b.broken)
        done = report_local(c, n->at, n->origin, buffer_string(&b));
    buffer_free(&b);
    c->undeclared = c->undeclared || done || near != NULL;
    return done || near != NULL;
}

/* Returns what was probably meant, or NULL. */
static Symbol *report_undeclared(Checker *c, Span at, const Node *n)
{
    uint32_t origin = n->origin;
    const Symbol *record, *process;
    const char *near;
    Symbol *meant = NULL;
    c->undeclared = true;
    if (c->unit->names_lost)
        return NULL;
    expand_actual(c->unit, &at, &origin);
    if (unit_refused(c->unit, at, origin))
        return NULL;
    if (c->unit->diags->errors >= DIAG_LIMIT) { // it is not shown any more
        unit_error(c->unit, at, origin, "`%s` is not declared", n->text);
        return NULL;
    }
    if ((c->calling && report_call(c, at, origin, n->text)) ||
        report_foreign(c, at, origin, n->text) ||
        report_local(c, at, origin, n->text))
        return NULL;
    record = record_with(c, n->text, NULL);
    process = copies_with(c, record, n->text);
    near = c->advice == NULL ? NULL : nearest_macro(c, n->text);
    if (near == NULL)
        near = nearest(c, n->text);
    if (record != NULL && c->no_calendar && c->place == PLACE_EVENT)
        return NULL; // reported at SCHEDULE
    if (c->loop != NULL && name_same(c->loop->text, n->text) &&
        c->loop->last->kind != NODE_BLOCK && unit_line(c->unit, c->loop->at))
        unit_error(c->unit, at, origin,
                   "`%s` belongs to the FOR in line %u, which ends with its "
                   "first statement: several need BEGIN ... END",
                   n->text, (unsigned)unit_line(c->unit, c->loop->at));
    else if (process != NULL)
        unit_error(c->unit, at, origin,
                   "`%s` belongs to the copies of `%s`: write %s[n].%s, or use "
                   "it inside their CONTINUOUS PROCESS",
                   n->text, process->shown, process->shown, n->text);
    else if (record != NULL)
        unit_error(c->unit, at, origin,
                   "`%s` is an attribute of RECORD `%s`, but there is no "
                   "current entry of such a file here: write FILE.n.%s, or use "
                   "it inside WITH or after REMOVE",
                   n->text, record->shown, n->text);
    else if (near != NULL) {
        unit_error(c->unit, at, origin,
                   "`%s` is not declared: did you mean `%s`?", n->text, near);
        meant = name_find(c, near);
        if (meant != NULL)
            meant->meant = true;
    } else
        unit_error(c->unit, at, origin, "`%s` is not declared%s", n->text,
                   c->advice != NULL ? c->advice
                   : c->place == PLACE_DECLARATION
                       ? " up to here: declare it before it is used"
                       : ": declare it, for instance in VAR");
    return meant;
}

/* An attribute of the current entry takes precedence over a variable of the
   same name. */
static void warn_hidden(Checker *c, Symbol *s, Span at, const Node *n)
{
    if (s->kind != SYMBOL_ATTRIBUTE || s->hidden)
        return;
    for (const Layer *l = c->layer; l != NULL; l = l->around) {
        const Symbol *other =
            l->scope == NULL ? NULL : scope_own(l->scope, n->text);
        if (other == NULL || other->kind != SYMBOL_VARIABLE)
            continue;
        s->hidden = true;
        unit_warning(c->unit, at, n->origin,
                     "`%s` is an attribute here and hides the variable of the "
                     "same name",
                     n->text);
        note_declaration(c, other);
        return;
    }
}

static Symbol *resolve(Checker *c, Node *n, Span at)
{
    Symbol *s = name_find(c, n->text), *meant, *other;
    if (s != NULL)
        warn_hidden(c, s, at, n);
    if (s == NULL) {
        /* The parser has reported a missing name. */
        meant = n->text[0] == '\0' ? NULL : report_undeclared(c, at, n);
        s = scope_add(c->home, n->text, SYMBOL_UNKNOWN, WORD_NONE, n, &other);
        if (s == NULL)
            c->broken = true;
        else
            s->record = meant;
    }
    n->symbol = s;
    return s;
}

Symbol *name_resolve(Checker *c, Node *n)
{
    return resolve(c, n, n->at);
}

Symbol *name_resolve_text(Checker *c, Node *n)
{
    return resolve(c, n, name_span(c, n));
}

/* ---- Declaring ----------------------------------------------------------- */

static void report_second(Checker *c, const Node *n, const Symbol *other)
{
    Span at = name_span(c, n);
    if (other->kind == SYMBOL_LABEL)
        unit_error(c->unit, at, n->origin, "label %s is already declared",
                   n->text);
    else
        unit_error(
            c->unit, at, n->origin,
            "`%s` is already declared, as %s: rename or remove one of the two",
            n->text, symbol_words(other));
    note_declaration(c, other);
}

Symbol *name_declare(Checker *c, Scope *s, SymbolKind kind, Word type, Node *n)
{
    Symbol *other, *added;
    if (n->text[0] == '\0')
        return NULL; // the parser has reported that the name is missing
    added = scope_add(s, n->text, kind, type, n, &other);
    if (added == NULL && other == NULL)
        c->broken = true;
    if (added == NULL && other != NULL && other->kind == SYMBOL_UNKNOWN) {
        other->kind = kind; // used too early, as reported already
        other->type = type;
        other->node = n;
        other->shown = n->text;
        added = other;
    }
    if (added != NULL) {
        n->symbol = added;
        if (n->origin != 0)
            added->shown = expand_written(c->unit, n->text, n->origin);
    } else if (other != NULL) {
        report_second(c, n, other);
    }
    return added;
}

void symbol_use(Symbol *s)
{
    if (s != NULL)
        s->used = true;
}

void symbol_assign(Checker *c, Symbol *s, Node *n)
{
    if (s == NULL)
        return;
    if (!s->assigned)
        s->where = n;
    s->assigned = true;
    s->places |= c->place;
}
