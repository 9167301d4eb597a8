#include <string.h>
#include <strings.h>

#include "check/checker.h"

#include <string.h>

/* Mistakes that only the whole program shows: names that nothing uses,
   variables that nothing gives a value, events without bodies, routines that
   call themselves in a circle. */

#define REPORT_AT(c, s, report, ...)                                           \
    report((c)->unit, name_span((c), (s)->node), (s)->node->origin, __VA_ARGS__)

/* ---- Never used ---------------------------------------------------------- */

static bool is_mentioned(const Symbol *s)
{
    return s->used || s->assigned || s->equated || s->raised || s->stored ||
           (s->node->flags & (FLAG_INPUT | FLAG_OUTPUT)) != 0;
}

static bool has_usage(const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_VARIABLE:
        return (s->type != WORD_SEVENT && s->type != WORD_TEVENT &&
                s->type != WORD_MODEL && s->type != WORD_SAMPLE) ||
               s->body == NULL;
    case SYMBOL_CONST:
    case SYMBOL_RECORD:
    case SYMBOL_FILE:
    case SYMBOL_PROCESS:
    case SYMBOL_FIELD:
    case SYMBOL_FUNCTABLE:
    case SYMBOL_FUNCTION:
    case SYMBOL_PROCEDURE:
    case SYMBOL_LABEL: return true;
    default: return false;
    }
}

/* A macro may have used the name: then it is in the text as written, but not in
   the text after expansion. */
static void count_tokens(const Tokens *t, Scope *program, bool written)
{
    for (uint32_t k = 0; k < t->count; k++) {
        const Token *token = &t->token[k];
        Symbol *s;
        if (token->kind != TOKEN_NAME || (!written && token->origin != 0))
            continue;
        s = scope_own(program, token->text);
        if (s != NULL)
            s->count += written ? 1u : UINT32_MAX; // less one
    }
}

static void use_macro_arguments(Checker *c)
{
    if (c->unit->flat.count == 0)
        return;
    for (Symbol *s = scope_first(c->program); s != NULL; s = s->next)
        s->count = 0;
    count_tokens(&c->unit->tokens, c->program, true);
    count_tokens(&c->unit->flat, c->program, false);
    for (Symbol *s = scope_first(c->program); s != NULL; s = s->next) {
        if ((int32_t)s->count > 0)
            s->used = true;
    }
}

/* Text that the parser skipped after a mistake may use, give or raise anything
   that it names, so nothing it names is reported as missing. */
static void excuse_skipped(Checker *c)
{
    const Tokens *t =
        c->unit->flat.token == NULL ? &c->unit->tokens : &c->unit->flat;
    for (uint32_t k = 0; k < t->count; k++) {
        Symbol *s = NULL;
        if (t->token[k].skipped && t->token[k].kind == TOKEN_NAME)
            s = scope_own(c->program, t->token[k].text);
        if (s != NULL)
            s->meant = true;
    }
}

/* A local of a call with a name may be used from outside through another call
   of the same MACRO; if it never is, that is reported for the first call
   only. */
static bool is_of_other_call(const Checker *c, const Symbol *s)
{
    const Symbol *k = scope_first(c->program);
    if (strchr(s->name, '.') == NULL)
        return false;
    for (bool before = true; k != NULL; k = k->next) {
        before = before && k != s;
        if (k != s && k->node != NULL && k->node->origin != 0 &&
            k->node->at.file == s->node->at.file &&
            k->node->at.start == s->node->at.start &&
            (before || is_mentioned(k)))
            return true;
    }
    return false;
}

/* Whether what cannot be read or found may well use a name, or give it a value:
   mistakes of that kind are mended first, and the rest is told then. */
static bool is_unsure(const Checker *c)
{
    return c->has_ccode || c->undeclared || c->misread;
}

static bool report_unused(Checker *c, const Symbol *s)
{
    if (!has_usage(s) || is_mentioned(s))
        return false;
    if (is_of_other_call(c, s))
        return true;
    if (s->node->at.file == c->unit->file && !is_unsure(c))
        REPORT_AT(c, s, unit_warning,
                  s->kind == SYMBOL_LABEL
                      ? "label %s is declared but never used"
                      : "`%s` is declared but never used",
                  s->shown);
    return true;
}

/* ---- Never given a value ------------------------------------------------- */

/* True if something gives it new values during a run. */
static bool is_moved(const Symbol *s)
{
    return (s->places & ~(uint32_t)(PLACE_INITIAL | PLACE_TERMINAL |
                                    PLACE_EXPERIMENT)) != 0;
}

static void report_no_equation(Checker *c, const Symbol *s)
{
    if (s->equated && (s->places & PLACE_COMMUNIC) != 0 && s->where != NULL)
        ERROR(c, s->where,
              "COMMUNIC assigns `%s`, which has an equation of its own",
              s->shown);
    if (s->equated || s->derived || c->unknown_target)
        return;
    if (s->type == WORD_STATE && s->kind == SYMBOL_VARIABLE) {
        if (!is_moved(s) && !c->has_ccode && !s->meant)
            REPORT_AT(c, s, unit_warning,
                      "no equation gives `%s'` and no event changes `%s`: "
                      "STATE `%s` keeps its first value",
                      s->shown, s->shown, s->shown);
    } else if (s->kind == SYMBOL_FIELD) {
        if (!s->implied)
            REPORT_AT(c, s, unit_error, "no equation gives FIELD `%s`",
                      s->shown);
    } else if (!s->assigned)
        REPORT_AT(c, s, unit_error,
                  "no equation gives `%s`: add one in CONTINUOUS", s->shown);
}

/* The command line gives it a value: K, or an element of it. */
static bool is_given(const Checker *c, const Symbol *s)
{
    const GivenNames *given = &c->unit->given;
    for (uint32_t k = 0; k < given->n; k++) {
        const char *name = given->name[k];
        size_t n = strcspn(name, "[");
        if (s->scope == c->program && strlen(s->name) == n &&
            strncasecmp(name, s->name, n) == 0)
            return true;
    }
    return false;
}

static void report_no_value(Checker *c, const Symbol *s)
{
    if (s->assigned || s->equated || is_unsure(c) ||
        (s->node->flags & (FLAG_INPUT | FLAG_READ)) != 0 || is_given(c, s))
        return;
    REPORT_AT(c, s, unit_warning,
              "`%s` is used but never given a value: it is %s throughout",
              s->shown, s->type == WORD_BOOLEAN ? "FALSE" : "0");
}

static void report_variable(Checker *c, const Symbol *s)
{
    switch (s->type) {
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN:
    case WORD_DSTATE: report_no_value(c, s); break;
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_LOGIC:
    case WORD_MEMORY: report_no_equation(c, s); break;
    case WORD_RANDOM:
        if (!s->assigned && s->scope == c->program)
            REPORT_AT(c, s, unit_error,
                      "RANDOM `%s` has no distribution: give it one in "
                      "RANDOMGEN",
                      s->shown);
        break;
    case WORD_SAMPLE:
        if (s->body == NULL)
            REPORT_AT(c, s, unit_error, "SAMPLE `%s` has no body in SAMPLES",
                      s->shown);
        break;
    default: break;
    }
}

/* ---- Events -------------------------------------------------------------- */

static void report_event(Checker *c, const Symbol *s)
{
    bool time = s->type == WORD_TEVENT;
    if (s->raised && s->body == NULL)
        REPORT_AT(c, s, unit_error,
                  "event `%s` has no body: add `%s: ... END` in EVENTS",
                  s->shown, s->shown);
    else if (!s->raised && s->body != NULL && !c->undeclared && !c->misread)
        REPORT_AT(c, s, unit_warning, "%s event `%s`, so its body never runs",
                  time ? "nothing SCHEDULEs" : "no CONDIT raises", s->shown);
}

static void report_attributes(Checker *c, const Symbol *record)
{
    if (record->inside == NULL)
        return;
    for (const Symbol *s = scope_first(record->inside); s != NULL;
         s = s->next) {
        if (s->type == WORD_SEVENT)
            report_event(c, s);
    }
}

/* ---- Processes and routines ---------------------------------------------- */

static bool has_formals(const Node *body)
{
    const Node *formals = body->first;
    return formals->first->first != NULL || formals->last->first != NULL;
}

/* A process without formals that is named in no call. */
static void report_idle(Checker *c, const Symbol *s)
{
    bool continuous = s->body->kind == NODE_CONTINUOUS_PROCESS;
    if (continuous && s->generated)
        REPORT_AT(c, s, unit_error,
                  "copies of PROCESS `%s` are CREATEd, but it is not "
                  "installed: add `%s (<-)` to CONTINUOUS",
                  s->shown, s->shown);
    else if (continuous)
        REPORT_AT(c, s, unit_warning,
                  "PROCESS `%s` is not installed, so it does nothing: add "
                  "`%s (<-)` to CONTINUOUS",
                  s->shown, s->shown);
    else if (s->generated)
        REPORT_AT(c, s, unit_error,
                  "transactions are GENERATEd for PROCESS `%s`, but it is not "
                  "started: name it in DISCRETE PROCESSES ... END",
                  s->shown);
    else
        REPORT_AT(c, s, unit_warning,
                  "PROCESS `%s` is not started, so it does nothing: name it in "
                  "DISCRETE PROCESSES ... END",
                  s->shown);
}

static void report_process(Checker *c, const Symbol *s)
{
    if (s->body == NULL || s->raised)
        return;
    if (has_formals(s->body))
        REPORT_AT(c, s, unit_error,
                  "PROCESS `%s` has formals, but nothing gives it actuals: "
                  "name it in %s",
                  s->shown,
                  s->body->kind == NODE_CONTINUOUS_PROCESS ? "CONTINUOUS"
                                                           : "PROCESSES");
    else if (c->unit->diags->errors == 0)
        report_idle(c, s);
}

enum { CALL_NEW, CALL_OPEN, CALL_DONE };

static Symbol *enter(Symbol *s, Symbol *caller)
{
    s->count = CALL_OPEN;
    s->caller = caller;
    s->pending = s->calls;
    return s;
}

/* Follows all calls that begin with `s`; a call of a routine that is still open
   closes a circle. */
static void follow_calls(Checker *c, Symbol *s)
{
    for (s = enter(s, NULL); s != NULL;) {
        const Call *call = s->pending;
        if (call == NULL) {
            s->count = CALL_DONE;
            s = s->caller;
            continue;
        }
        s->pending = call->next;
        if (call->routine->count == CALL_NEW)
            s = enter(call->routine, s);
        else if (call->routine->count == CALL_OPEN && call->routine != s)
            ERROR(c, call->node,
                  "this call closes a circle, in which `%s` calls itself "
                  "through others: routines cannot do that",
                  call->routine->shown);
    }
}

/* Those of processes are in the scopes of these. */
static void clear_calls(const Scope *scope)
{
    for (Symbol *s = scope_first(scope); s != NULL; s = s->next) {
        s->count = CALL_NEW;
        if (s->kind == SYMBOL_PROCESS && s->inside != NULL)
            clear_calls(s->inside);
    }
}

static void follow_scope(Checker *c, const Scope *scope)
{
    for (Symbol *s = scope_first(scope); s != NULL; s = s->next) {
        if (s->calls != NULL && s->count == CALL_NEW)
            follow_calls(c, s);
        if (s->kind == SYMBOL_PROCESS && s->inside != NULL)
            follow_scope(c, s->inside);
    }
}

static void report_circles(Checker *c)
{
    clear_calls(c->program);
    follow_scope(c, c->program);
}

/* ---- Hidden names -------------------------------------------------------- */

static void report_hidden(Checker *c, const Symbol *routine)
{
    for (const Symbol *s = scope_first(routine->inside); s != NULL;
         s = s->next) {
        const Symbol *other = scope_own(routine->scope, s->name);
        const bool near = other != NULL && routine->scope != c->program;
        if (other == NULL)
            other = scope_own(c->program, s->name);
        if (s->kind != SYMBOL_VARIABLE || other == NULL ||
            other->kind == SYMBOL_UNKNOWN || other->kind == SYMBOL_LABEL)
            continue;
        REPORT_AT(c, s, unit_warning,
                  "`%s` hides %s of the %s, which has the same name", s->shown,
                  symbol_words(other), near ? "process" : "program");
        note_declaration(c, other);
    }
}

/* ---- All ----------------------------------------------------------------- */

static void report_scope(Checker *c, const Scope *scope);

static void report_inside(Checker *c, const Symbol *s)
{
    if (s->inside == NULL || s->body == NULL ||
        s->body->kind == NODE_EXTERNAL_FUNCTION ||
        s->body->kind == NODE_EXTERNAL_PROCESS)
        return;
    if (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_PROCEDURE)
        report_hidden(c, s);
    report_scope(c, s->inside);
}

static void report_symbol(Checker *c, Symbol *s)
{
    if (s->node == NULL || s->kind == SYMBOL_UNKNOWN)
        return;
    if (!s->meant && !report_unused(c, s)) {
        if (s->kind == SYMBOL_FIELD)
            report_no_equation(c, s);
        else if (s->kind == SYMBOL_PROCESS)
            report_process(c, s);
        else if (s->kind == SYMBOL_RECORD)
            report_attributes(c, s);
        else if (s->kind == SYMBOL_VARIABLE &&
                 (s->type == WORD_SEVENT || s->type == WORD_TEVENT))
            report_event(c, s);
        else if (s->kind == SYMBOL_VARIABLE)
            report_variable(c, s);
    }
    if (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_PROCEDURE ||
        s->kind == SYMBOL_PROCESS)
        report_inside(c, s);
}

static void report_scope(Checker *c, const Scope *scope)
{
    for (Symbol *s = scope_first(scope); s != NULL; s = s->next)
        report_symbol(c, s);
}

void check_usage(Checker *c)
{
    use_macro_arguments(c);
    excuse_skipped(c);
    report_scope(c, c->program);
    report_circles(c);
}
