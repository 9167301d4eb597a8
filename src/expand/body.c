#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "expand/expander.h"

#define STEPS_MAX (2 * (uint64_t)LIMIT_TOKENS)

#define REPORT(e, f, token, ...)                                               \
    (unit_error((e)->u, (token)->at, (f)->origin, __VA_ARGS__), false)

static bool expand_parts(Expander *e, Frame *f, uint32_t from, uint32_t to);

/* ---- Names and values ---------------------------------------------------- */

int body_level(Word w)
{
    switch (w) {
    case WORD_OR: return 1;
    case WORD_AND: return 2;
    case WORD_NOT: return 3;
    case WORD_EQUAL:
    case WORD_UNEQUAL:
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_GREATER:
    case WORD_GREATER_EQUAL: return 4;
    case WORD_PLUS:
    case WORD_MINUS: return 5;
    case WORD_TIMES:
    case WORD_SLASH:
    case WORD_DIV:
    case WORD_MOD: return 6;
    case WORD_POWER:
    case WORD_CARET: return 7;
    default: return 0;
    }
}

/* True if an expression of this level would lose a part to one of the operators
   `before` and `after` it. */
static bool needs_parentheses(int level, Word before, Word after)
{
    int left = body_level(before), right = body_level(after);
    if (level == LEVEL_ATOM)
        return false;
    if (left > 0 && level <= left)
        return true;
    return after == WORD_PRIME || level < right ||
           (level == right && (right == 4 || right == 7));
}

static void emit_symbol(Expander *e, const Token *like, uint32_t origin, Word w)
{
    Token t = {.kind = TOKEN_SYMBOL,
               .word = w,
               .origin = origin,
               .at = like->at,
               .text = word_text(w)};
    expander_emit(e, &t);
}

static char *keep_text(Expander *e, const char *s, size_t n)
{
    char *text = NEW_ARRAY(e->u->arena, char, n + 1);
    if (expander_keep(e, text != NULL) && n > 0)
        memcpy(text, s, n);
    return text;
}

/* Emits a value in place of the token t. A negative one gets parentheses after
   an operator and before a power. */
static void emit_value(Expander *e, const Token *t, uint32_t origin,
                       const Value *v, Word after)
{
    char text[64];
    bool negative, parentheses;
    Token n = *t;
    value_print(v, text, sizeof text);
    negative = text[0] == '-';
    parentheses = negative && needs_parentheses(5, expander_last(e), after);
    n.origin = origin;
    n.word = WORD_NONE;
    n.text = keep_text(e, text + negative, strlen(text) - negative);
    n.kind = v->kind == VALUE_REAL ? TOKEN_NUMBER : TOKEN_INTEGER;
    n.number = value_real(v) < 0 ? -value_real(v) : value_real(v);
    n.integer = v->kind == VALUE_REAL     ? 0
                : v->integer == INT64_MIN ? INT64_MAX
                : v->integer < 0          ? -v->integer
                                          : v->integer;
    if (v->kind == VALUE_BOOLEAN) {
        n.kind = TOKEN_WORD;
        n.word = v->integer ? WORD_TRUE : WORD_FALSE;
    }
    if (parentheses)
        emit_symbol(e, t, origin, WORD_LPAREN);
    if (negative)
        emit_symbol(e, t, origin, WORD_MINUS);
    n.touches = n.touches || negative;
    if (!e->stopped)
        expander_emit(e, &n);
    if (parentheses)
        emit_symbol(e, t, origin, WORD_RPAREN);
}

/* The actual gets the place of the formal; its origin remembers the place in
   the call. */
static void emit_actual(Expander *e, const Frame *f, const Token *formal,
                        const Actual *a, Word after)
{
    bool parentheses = needs_parentheses(a->level, expander_last(e), after);
    if (parentheses)
        emit_symbol(e, formal, f->origin, WORD_LPAREN);
    for (uint32_t k = 0; k < a->count && !e->stopped; k++) {
        Token t = a->token[k];
        t.at = formal->at;
        if (k == 0)
            t.touches = formal->touches;
        expander_emit(e, &t);
    }
    if (parentheses)
        emit_symbol(e, formal, f->origin, WORD_RPAREN);
}

static const Loop *find_loop(const Frame *f, const char *name)
{
    const Loop *l = f->loop;
    while (l != NULL && !name_same(l->name, name))
        l = l->up;
    return l;
}

static bool is_attribute(const Frame *f, uint32_t k)
{
    return k > 0 && f->macro->body[k - 1].word == WORD_DOT;
}

static bool insertion_value(Expander *e, const Frame *f, const Token *t,
                            Value *v);

/* C{I}: an insertion that touches a name becomes part of it. */
static bool has_suffix(const Frame *f, uint32_t k)
{
    const Token *t = &f->macro->body[k];
    return t[0].kind == TOKEN_NAME && t[0].word == WORD_NONE &&
           t[1].kind == TOKEN_INSERT && t[1].touches &&
           f->macro->slot[k] == SLOT_NONE && find_loop(f, t->text) == NULL;
}

/* Finds the meaning of a name in the MACRO, numbered as in Macro.slot. */
static int32_t find_slot(const Macro *m, const char *name)
{
    for (uint32_t k = 0; k < m->formals; k++)
        if (name_same(m->formal[k].name, name))
            return (int32_t)k;
    for (uint32_t k = 0; k < m->locals; k++)
        if (name_same(m->local[k], name))
            return (int32_t)(m->formals + k);
    return SLOT_NONE;
}

/* Emits what the name t stands for, according to `slot`; `after` follows it. */
static void emit_meaning(Expander *e, const Frame *f, const Token *t,
                         int32_t slot, Word after)
{
    const Macro *m = f->macro;
    Token name = *t;
    name.origin = f->origin;
    if (slot == SLOT_NONE) {
        expander_emit(e, &name);
    } else if ((uint32_t)slot >= m->formals) {
        assert((uint32_t)slot < m->formals + m->locals);
        name.text = f->local[(uint32_t)slot - m->formals];
        name.word = WORD_NONE;
        expander_emit(e, &name);
    } else if (m->formal[slot].constant) {
        emit_value(e, t, f->origin, &f->actual[slot].value, after);
    } else {
        emit_actual(e, f, t, &f->actual[slot], after);
    }
}

static bool emit_suffixed(Expander *e, const Frame *f, uint32_t k)
{
    Token name = f->macro->body[k];
    const Token *insert = &f->macro->body[k + 1];
    char number[64];
    Buffer b = {0};
    Value v;
    if (!insertion_value(e, f, insert, &v))
        return false;
    if (v.kind != VALUE_INTEGER || v.integer < 0)
        return REPORT(e, f, insert,
                      "a name can be continued only by a whole number that is "
                      "not negative: %s{I} becomes %s1, %s2, ...",
                      name.text, name.text, name.text);
    value_print(&v, number, sizeof number);
    buffer_format(&b, "%s%s", name.text, number);
    if (expander_keep(e, !b.broken))
        name.text = keep_text(e, (const char *)b.v.bytes, b.v.used);
    buffer_free(&b);
    name.at = span_join(name.at, insert->at);
    if (!e->stopped)
        emit_meaning(e, f, &name,
                     is_attribute(f, k) ? SLOT_NONE
                                        : find_slot(f->macro, name.text),
                     insert[insert->integer + 1].word);
    return !e->stopped;
}

static void emit_name(Expander *e, const Frame *f, uint32_t k)
{
    const Token *t = &f->macro->body[k];
    Word after = t[1].word;
    const Loop *loop = find_loop(f, t->text);
    if (loop != NULL && !is_attribute(f, k))
        emit_value(e, t, f->origin, &loop->value, after);
    else
        emit_meaning(e, f, t, f->macro->slot[k], after);
}

static bool within_limits(Expander *e, const Frame *f, uint32_t k)
{
    if (++e->steps <= STEPS_MAX)
        return !e->stopped;
    e->stopped = true;
    return REPORT(e, f, &f->macro->body[k],
                  "the expansion of MACROs does not finish within %llu steps",
                  (unsigned long long)STEPS_MAX);
}

/* ---- Insertions ---------------------------------------------------------- */

/* A mistake in the text of the MACRO occurs in every call, so it is reported
   once. */
static bool evaluate(Expander *e, const Frame *f, Evaluation *v, bool all,
                     Value *value)
{
    bool ok;
    e->steps++;
    ok = all ? constant_read_all(v, value) : constant_read(v, value);
    if (!ok && !v->by_value)
        f->macro->broken = true;
    return ok;
}

static bool insertion_value(Expander *e, const Frame *f, const Token *t,
                            Value *v)
{
    Scope scope = {e, f};
    Evaluation inside =
        expander_evaluation(&scope, t + 1, (uint32_t)t->integer);
    return evaluate(e, f, &inside, true, v);
}

static bool emit_insertion(Expander *e, const Frame *f, uint32_t k)
{
    const Token *t = &f->macro->body[k];
    Value v;
    if (!insertion_value(e, f, t, &v))
        return false;
    emit_value(e, t, f->origin, &v, t[t->integer + 1].word);
    return true;
}

static bool emit_string(Expander *e, const Frame *f, uint32_t k)
{
    const Token *t = &f->macro->body[k];
    Buffer b = {0};
    Token string = *t;
    bool ok = true;
    string.origin = f->origin;
    string.integer = 0;
    for (int64_t n = 1; n <= t->integer && ok; n++) {
        const Token *piece = &t[n];
        char text[64];
        Value v;
        if (piece->kind == TOKEN_STRING) {
            buffer_text(&b, piece->text);
            continue;
        }
        ok = insertion_value(e, f, piece, &v);
        if (ok) {
            value_print(&v, text, sizeof text);
            buffer_text(&b, text);
        }
        n += piece->integer;
    }
    if (ok && t->integer > 0 && expander_keep(e, !b.broken))
        string.text = keep_text(e, (const char *)b.v.bytes, b.v.used);
    if (ok && !e->stopped)
        expander_emit(e, &string);
    buffer_free(&b);
    return ok;
}

/* Raw text passes through unchanged; names of the MACRO would not be replaced
   in it, so they are refused. */
static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_in_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool stands_for_more(const Frame *f, const char *name)
{
    return find_slot(f->macro, name) != SLOT_NONE || find_loop(f, name) != NULL;
}

static bool emit_raw(Expander *e, const Frame *f, uint32_t k)
{
    Token t = f->macro->body[k];
    for (const char *s = t.text; *s != '\0'; s++) {
        char name[64];
        size_t n = 0;
        while (is_letter(s[0]) && is_in_name(s[n]) && n + 1 < sizeof name) {
            name[n] = s[n];
            n++;
        }
        name[n] = '\0';
        if (n > 0 && stands_for_more(f, name)) {
            f->macro->broken = true;
            return REPORT(e, f, &t,
                          "`%s` of the MACRO `%s` cannot be used in a FORTRAN "
                          "or CCODE block: assign it to a variable first",
                          name, f->macro->name);
        }
        if (n > 0)
            s += n - 1;
    }
    t.origin = f->origin;
    return expander_emit(e, &t);
}

uint32_t body_emit(Expander *e, const Frame *f, uint32_t k)
{
    const Token *t = &f->macro->body[k];
    Token plain = *t;
    uint32_t next = k + 1;
    bool ok = true;
    plain.origin = f->origin;
    if (has_suffix(f, k)) {
        ok = emit_suffixed(e, f, k);
        next += 1 + (uint32_t)t[1].integer;
    } else if (t->kind == TOKEN_NAME)
        emit_name(e, f, k);
    else if (t->kind == TOKEN_INSERT)
        ok = emit_insertion(e, f, k);
    else if (t->kind == TOKEN_STRING)
        ok = emit_string(e, f, k);
    else if (t->kind == TOKEN_RAW)
        ok = emit_raw(e, f, k);
    else
        expander_emit(e, &plain);
    if (t->kind == TOKEN_INSERT || t->kind == TOKEN_STRING)
        next += (uint32_t)t->integer;
    return ok ? next : UINT32_MAX;
}

/* ---- Joints -------------------------------------------------------------- */

static bool ends_statement(const Token *t)
{
    return t->kind == TOKEN_NAME || t->kind == TOKEN_INTEGER ||
           t->kind == TOKEN_NUMBER || t->kind == TOKEN_STRING ||
           t->kind == TOKEN_RAW || t->word == WORD_RPAREN ||
           t->word == WORD_RBRACKET || t->word == WORD_PRIME ||
           t->word == WORD_END || t->word == WORD_FINISH ||
           t->word == WORD_TRUE || t->word == WORD_FALSE;
}

static bool begins_statement(const Token *t)
{
    switch (t->word) {
    case WORD_NONE:
    case WORD_TITLE:
    case WORD_LIST:
    case WORD_PLOT:
    case WORD_GRAPH:
    case WORD_OVERPLOT:
    case WORD_BARS:
    case WORD_SPECTRUM:
    case WORD_AUTOCORR:
    case WORD_CROSSCORR:
    case WORD_COMPARE:
    case WORD_LAG: // a name that macros and variables have
    case WORD_DENSITY:
    case WORD_FACTOR:
    case WORD_SCALE:
    case WORD_CONTOUR:
    case WORD_SHADE:
    case WORD_SURFACE: return t->kind == TOKEN_NAME || t->kind == TOKEN_INTEGER;
    case WORD_AND:
    case WORD_OR:
    case WORD_DIV:
    case WORD_MOD:
    case WORD_THEN:
    case WORD_ELSE:
    case WORD_DO:
    case WORD_OF:
    case WORD_TO:
    case WORD_DOWNTO:
    case WORD_END:
    case WORD_UNTIL:
    case WORD_CROSSES:
    case WORD_WHERE:
    case WORD_WITH:
    case WORD_EVERY:
    case WORD_TRUE:
    case WORD_FALSE:
    case WORD_NOT:
    case WORD_MACEND:
    case WORD_MACELSE: return false;
    default: return t->kind == TOKEN_WORD;
    }
}

/* Where a pass of MACFOR, a MACIF or a call has ended, the `;` before what
   follows may have been omitted. It is added, since two operands never stand
   side by side. */
static void join(Expander *e, const Frame *f, const Token *next)
{
    const Token *last;
    if (e->to->used == 0)
        return;
    last = (const Token *)(const void *)(e->to->bytes + e->to->used) - 1;
    if (ends_statement(last) && begins_statement(next))
        emit_symbol(e, next, f->origin, WORD_SEMICOLON);
}

/* After such a part a `;` that separates nothing is omitted. */
static uint32_t skip_separator(Expander *e, const Frame *f, uint32_t k)
{
    if (f->macro->body[k].word == WORD_SEMICOLON &&
        (e->to->used == 0 || expander_last(e) == WORD_SEMICOLON))
        k++;
    join(e, f, &f->macro->body[k]);
    return k;
}

/* ---- MACFOR, MACIF ------------------------------------------------------- */

static bool wants_whole(Expander *e, const Frame *f, const Token *t,
                        const Value *v)
{
    return v->kind == VALUE_INTEGER ||
           REPORT(e, f, t,
                  "a bound of MACFOR must be a whole number; DIV divides whole "
                  "numbers");
}

static bool read_bounds(Expander *e, Frame *f, uint32_t k, Value bound[2],
                        uint32_t *at)
{
    const Macro *m = f->macro;
    Scope scope = {e, f};
    Evaluation v = expander_evaluation(&scope, m->body, m->match[k]);
    v.at = k + 3;
    if (!evaluate(e, f, &v, false, &bound[0]) ||
        !wants_whole(e, f, &m->body[k + 3], &bound[0]))
        return false;
    if (m->body[v.at].word != WORD_TO) {
        f->macro->broken = true;
        return REPORT(e, f, &m->body[v.at],
                      "`TO` is missing in this MACFOR: "
                      "MACFOR I := 1 TO N DO");
    }
    *at = ++v.at;
    if (!evaluate(e, f, &v, false, &bound[1]) ||
        !wants_whole(e, f, &m->body[*at], &bound[1]))
        return false;
    *at = v.at;
    if (m->body[*at].word == WORD_DO)
        ++*at;
    if (m->body[*at].word == WORD_MACBEGIN)
        ++*at;
    return true;
}

static bool expand_loop(Expander *e, Frame *f, uint32_t k)
{
    const Macro *m = f->macro;
    Value bound[2];
    Loop loop = {.up = f->loop, .name = m->body[k + 1].text};
    uint32_t at;
    uint64_t passes;
    bool ok = true;
    if (!read_bounds(e, f, k, bound, &at))
        return false;
    if (bound[0].integer > bound[1].integer)
        return true;
    passes = (uint64_t)bound[1].integer - (uint64_t)bound[0].integer;
    if (passes >= LIMIT_LOOP)
        return REPORT(e, f, &m->body[k],
                      "this MACFOR runs from %lld to %lld, which exceeds the "
                      "limit of %d passes; FOR is a loop of the program itself",
                      (long long)bound[0].integer, (long long)bound[1].integer,
                      LIMIT_LOOP);
    f->loop = &loop;
    for (uint64_t pass = 0; pass <= passes && ok && !e->stopped; pass++) {
        loop.value = bound[0];
        loop.value.integer += (int64_t)pass;
        if (pass > 0)
            join(e, f, &m->body[at]);
        ok = within_limits(e, f, k) && expand_parts(e, f, at, m->match[k]);
    }
    f->loop = loop.up;
    return ok;
}

/* The index after a MACIF with all its MACELSEs. */
static uint32_t after_choice(const Macro *m, uint32_t k)
{
    for (;;) {
        uint32_t end = m->match[k] + 1;
        if (m->body[end].word != WORD_MACELSE)
            return end;
        if (m->match[end] != 0)
            return m->match[end] + 1;
        k = end + 1; // MACELSE MACIF
    }
}

static bool condition(Expander *e, Frame *f, uint32_t k, bool *holds,
                      uint32_t *at)
{
    const Macro *m = f->macro;
    Scope scope = {e, f};
    Evaluation v = expander_evaluation(&scope, m->body, m->match[k]);
    Value value;
    v.at = k + 1;
    if (!evaluate(e, f, &v, false, &value))
        return false;
    f->macro->broken = true; // unless all is well
    if (value.kind != VALUE_BOOLEAN)
        return REPORT(e, f, &m->body[k],
                      "MACIF needs a condition, not a number: write N <> 0, "
                      "for instance");
    if (m->body[v.at].word != WORD_THEN ||
        m->body[v.at + 1].word != WORD_MACBEGIN)
        return REPORT(e, f, &m->body[v.at],
                      "THEN MACBEGIN is missing after this condition");
    f->macro->broken = false;
    *holds = value.integer != 0;
    *at = v.at + 2;
    return true;
}

static bool expand_choice(Expander *e, Frame *f, uint32_t k)
{
    const Macro *m = f->macro;
    for (;;) {
        bool holds;
        uint32_t at, end = m->match[k];
        if (!condition(e, f, k, &holds, &at))
            return false;
        if (holds)
            return expand_parts(e, f, at, end);
        if (m->body[end + 1].word != WORD_MACELSE)
            return true;
        if (m->match[end + 1] != 0)
            return expand_parts(e, f, end + 3, m->match[end + 1]);
        k = end + 2;
    }
}

/* ---- Bodies -------------------------------------------------------------- */

static bool opens_statement(Word w)
{
    return w == WORD_THEN || w == WORD_ELSE || w == WORD_DO;
}

static void emit_word(Expander *e, const Frame *f, const Token *like, Word w)
{
    Token t = {.kind = TOKEN_WORD,
               .word = w,
               .origin = f == NULL ? 0 : f->origin,
               .at = like->at,
               .text = word_text(w)};
    expander_emit(e, &t);
}

static bool expand_part(Expander *e, Frame *f, uint32_t *k)
{
    const Macro *m = f->macro;
    uint32_t at = *k;
    Word w = m->body[at].word;
    bool one = opens_statement(expander_last(e));
    bool ok;
    if (e->nesting >= LIMIT_NESTING)
        return REPORT(e, f, &m->body[at],
                      "MACFOR and MACIF are nested more "
                      "than %d deep",
                      LIMIT_NESTING);
    e->nesting++;
    if (one)
        emit_word(e, f, &m->body[at], WORD_BEGIN);
    if (w == WORD_MACFOR)
        ok = expand_loop(e, f, at);
    else if (w == WORD_MACIF)
        ok = expand_choice(e, f, at);
    else
        ok = expand_parts(e, f, at + 1, m->match[at]);
    if (one)
        emit_word(e, f, &m->body[at], WORD_END);
    e->nesting--;
    *k = w == WORD_MACIF ? after_choice(m, at) : m->match[at] + 1;
    return ok;
}

static bool expand_parts(Expander *e, Frame *f, uint32_t from, uint32_t to)
{
    const Macro *m = f->macro;
    for (uint32_t k = from; k < to;) {
        const Token *t = &m->body[k];
        Word before = k == 0 ? WORD_NONE : t[-1].word;
        bool is_call = m->slot[k] == SLOT_NONE &&
                       expander_is_call(e, t, before) &&
                       find_loop(f, t->text) == NULL;
        if (!within_limits(e, f, k))
            return false;
        if (is_call) {
            k = skip_separator(e, f, call_expand(e, f, m->body, m->count, k));
        } else if (m->match[k] != 0) {
            if (!expand_part(e, f, &k))
                return false;
            k = skip_separator(e, f, k);
        } else {
            k = body_emit(e, f, k);
            if (k == UINT32_MAX)
                return false;
        }
    }
    return !e->stopped;
}

static bool expand_declared(Expander *e, Frame *f)
{
    const Macro *m = f->macro;
    Vector *to = e->to;
    Lift lift = {.at = e->lift_at,
                 .order = (uint32_t)(e->lifts.used / sizeof lift),
                 .from = (uint32_t)(e->declared.used / sizeof(Token))};
    bool ok;
    if (m->declared <= 1)
        return true;
    if (e->cannot_lift != NULL)
        return REPORT(e, f, &m->body[0], "%s", e->cannot_lift);
    e->to = &e->declared;
    ok = expand_parts(e, f, 1, m->declared);
    lift.count = (uint32_t)(e->declared.used / sizeof(Token)) - lift.from;
    if (ok && lift.count > 0 && expander_last(e) != WORD_SEMICOLON) {
        emit_symbol(e, &m->body[m->declared], f->origin, WORD_SEMICOLON);
        lift.count++;
    }
    e->to = to;
    return ok &&
           (lift.count == 0 ||
            expander_keep(e, vector_append(&e->lifts, &lift, sizeof lift)));
}

/* After THEN, ELSE and DO one statement is expected, so several are put into
   BEGIN ... END. */
bool body_expand(Expander *e, Frame *f)
{
    const Macro *m = f->macro;
    const Token *like = &m->body[m->count];
    bool one = opens_statement(expander_last(e));
    bool ok;
    if (!expand_declared(e, f))
        return false;
    if (one)
        emit_word(e, f, like, WORD_BEGIN);
    ok = expand_parts(e, f, m->declared, m->count);
    if (one)
        emit_word(e, f, like, WORD_END);
    return ok;
}
