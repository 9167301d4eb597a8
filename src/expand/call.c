#include <assert.h>
#include <string.h>

#include "expand/expander.h"

/* A call being read. */
typedef struct Call {
    Expander *e;
    Frame *f; // the expansion that contains it, or NULL
    Macro *m;
    const Token *token;
    uint32_t count, at, end; // at: its name; end: after its `)`
    uint32_t open;           // its `(`; if it has a name, that is at + 1
    uint32_t origin;         // for messages
    Vector ranges;           // Range: outputs, then inputs
    uint32_t outputs;
    bool has_arrow;
} Call;

typedef struct Range {
    uint32_t from, count;
} Range;

#define STEPS_OF_CALL 20 // the cost of a call, compared with a token

#define REPORT(c, token, ...)                                                  \
    unit_error((c)->e->u, (token)->at, (c)->origin, __VA_ARGS__)
#define REFUSE(c, token, ...) (REPORT(c, token, __VA_ARGS__), false)

static uint32_t range_count(const Call *c)
{
    return (uint32_t)(c->ranges.used / sizeof(Range));
}

static const Range *range_at(const Call *c, uint32_t k)
{
    return (const Range *)(const void *)c->ranges.bytes + k;
}

/* ---- Reading the call ---------------------------------------------------- */

static bool is_open(Word w)
{
    return w == WORD_LPAREN || w == WORD_LBRACKET;
}

static bool is_close(Word w)
{
    return w == WORD_RPAREN || w == WORD_RBRACKET;
}

/* Words that cannot occur within actuals: the `)` must have been forgotten. */
static bool breaks_off(const Token *t)
{
    switch (t->word) {
    case WORD_SEMICOLON:
    case WORD_BECOMES:
    case WORD_BEGIN:
    case WORD_END:
    case WORD_DO:
    case WORD_MACEND:
    case WORD_MACFOR:
    case WORD_MACIF:
    case WORD_MACELSE:
    case WORD_MACBEGIN:
    case WORD_MACCONTIN: return true;
    default: return t->kind == TOKEN_END;
    }
}

static bool add_range(Call *c, uint32_t from, uint32_t to)
{
    Range r = {from, to - from};
    if (r.count == 0)
        return REFUSE(c, &c->token[to], "an actual is missing before this");
    return expander_keep(c->e, vector_append(&c->ranges, &r, sizeof r));
}

/* `at` is just after an actual that began at `from`; nothing at all between (
   and <- or <- and ) is a list without elements. */
static bool end_range(Call *c, uint32_t from, uint32_t at)
{
    Word before = c->token[from - 1].word, here = c->token[at].word;
    if (at == from && before != WORD_COMMA && here != WORD_COMMA)
        return true;
    return add_range(c, from, at);
}

static bool read_arrow(Call *c, uint32_t at)
{
    if (c->has_arrow)
        return REFUSE(c, &c->token[at], "this call has a second `<-`");
    c->has_arrow = true;
    c->outputs = range_count(c);
    return true;
}

static bool read_actuals(Call *c)
{
    uint32_t at = c->open + 1, from = at, depth = 1;
    for (;; at++) {
        const Token *t = &c->token[at];
        if (at >= c->count || breaks_off(t)) {
            c->end = at;
            return REFUSE(c, &c->token[c->at], "the call of `%s` has no `)`",
                          c->m->name);
        }
        if (is_open(t->word))
            depth++;
        else if (is_close(t->word))
            depth--;
        if (depth > 1 ||
            (depth == 1 && t->word != WORD_COMMA && t->word != WORD_ARROW))
            continue;
        if (!end_range(c, from, at) ||
            (t->word == WORD_ARROW && !read_arrow(c, at)))
            return false;
        from = at + 1;
        if (depth == 0)
            break;
    }
    return true;
}

/* The place of `(` if the call has a name: BATTERY B1 (, CELL C{I} (. After a
   MACRO without formals, a name may belong to the next statement, whose `;` was
   omitted, so parentheses with something in them are not those of the call. */
static uint32_t find_open(const Call *c)
{
    const Token *t = c->token;
    uint32_t at = c->at + 2;
    if (at >= c->count || t[at - 1].kind != TOKEN_NAME)
        return c->at + 1;
    if (c->f != NULL && t[at].kind == TOKEN_INSERT && t[at].touches)
        at += 1 + (uint32_t)t[at].integer;
    if (at + 1 >= c->count || t[at].word != WORD_LPAREN)
        return c->at + 1;
    return c->m->formals > 0 || t[at + 1].word == WORD_RPAREN ||
                   t[at + 1].word == WORD_ARROW
               ? at
               : c->at + 1;
}

/* Finds the end of the call after a mistake in it. */
static uint32_t find_end(const Call *c)
{
    uint32_t depth = 0, at = c->open;
    if (at >= c->count || c->token[at].word != WORD_LPAREN)
        return at;
    for (; at < c->count && !breaks_off(&c->token[at]); at++) {
        if (is_open(c->token[at].word))
            depth++;
        else if (is_close(c->token[at].word) && --depth == 0)
            return at + 1;
    }
    return at;
}

static const char *heading(const Call *c)
{
    return macro_heading(c->m, c->e->u->arena);
}

static bool check_shape(Call *c)
{
    const Macro *m = c->m;
    uint32_t has = m->formals - m->outputs;
    uint32_t given = range_count(c) - c->outputs;
    const Token *name = &c->token[c->at];
    if (m->formals > 0 && !c->has_arrow) {
        REPORT(c, name, "the call of `%s` has no `<-`: write %s", m->name,
               heading(c));
    } else if (c->outputs != m->outputs) {
        REPORT(c, name, "`%s` has %u output%s, not %u: %s", m->name,
               (unsigned)m->outputs, m->outputs == 1 ? "" : "s",
               (unsigned)c->outputs, heading(c));
    } else if (given != has) {
        REPORT(c, name, "`%s` has %u input%s, not %u: %s", m->name,
               (unsigned)has, has == 1 ? "" : "s", (unsigned)given, heading(c));
    } else {
        return true;
    }
    unit_note(c->e->u, m->at, "the MACRO `%s` is defined here", m->name);
    return false;
}

static bool read_call(Call *c)
{
    if (c->open < c->count && c->token[c->open].word == WORD_LPAREN)
        return read_actuals(c) && check_shape(c);
    if (c->m->formals == 0)
        return true;
    if (c->at + 2 < c->count && c->token[c->at + 1].kind == TOKEN_NAME &&
        c->token[c->at + 2].word == WORD_LBRACKET)
        return REFUSE(
            c, &c->token[c->at + 1],
            "the name of a call is a plain name, without index: %s B1 "
            "(...); inside MACFOR, %s B{I} (...)",
            c->m->name, c->m->name);
    REPORT(c, &c->token[c->at], "`%s` is a MACRO: it is called as %s",
           c->m->name, heading(c));
    unit_note(c->e->u, c->m->at, "the MACRO `%s` is defined here", c->m->name);
    return false;
}

/* ---- Actuals ------------------------------------------------------------- */

/* NAME { [ ... ] | . NAME | . INTEGER | . ( ... ) } */
static bool is_designator(const Token *t, uint32_t count)
{
    uint32_t k = 1, depth = 0;
    if (t[0].kind != TOKEN_NAME)
        return false;
    while (k < count) {
        if (t[k].word == WORD_DOT && k + 1 < count) {
            k++;
            if (t[k].word != WORD_LPAREN) {
                if (t[k].kind != TOKEN_NAME && t[k].kind != TOKEN_INTEGER)
                    return false;
                k++;
                continue;
            }
        } else if (t[k].word != WORD_LBRACKET) {
            return false;
        }
        do {
            depth += is_open(t[k].word);
            depth -= is_close(t[k].word);
            k++;
        } while (k < count && depth > 0);
    }
    return depth == 0;
}

static int loosest(const Token *t, uint32_t count)
{
    int level = LEVEL_ATOM;
    uint32_t depth = 0;
    for (uint32_t k = 0; k < count; k++) {
        int own = body_level(t[k].word);
        if (is_open(t[k].word))
            depth++;
        else if (is_close(t[k].word))
            depth--;
        if (depth > 0)
            continue;
        if (t[k].word == WORD_IF)
            level = 0;
        else if (own > 0 && own < level)
            level = own;
    }
    return level;
}

/* The tokens of an actual with the names of the calling expansion replaced.
   Each remembers its place in the call. */
static bool read_token(Call *c, uint32_t *k)
{
    const Token *t = &c->token[*k];
    if (expander_is_call(c->e, t, (t - 1)->word) && t[1].word == WORD_LPAREN)
        return REFUSE(c, t,
                      "`%s` is a MACRO: its call is a statement and "
                      "cannot be an actual",
                      t->text);
    if (c->f != NULL) {
        *k = body_emit(c->e, c->f, *k);
        return *k != UINT32_MAX;
    }
    if (t->kind == TOKEN_INSERT)
        return REFUSE(c, t, "`{...}` is allowed only in the body of a MACRO");
    ++*k;
    return expander_emit(c->e, t);
}

static bool read_tokens(Call *c, Range r, Vector *v)
{
    Expander *e = c->e;
    Vector *to = e->to;
    uint32_t k = r.from;
    bool ok = true;
    e->to = v;
    while (ok && k < r.from + r.count && !e->stopped)
        ok = read_token(c, &k);
    e->to = to;
    return ok && !e->stopped;
}

static bool keep_tokens(Call *c, const Vector *v, Actual *a)
{
    Expander *e = c->e;
    Token *t;
    a->count = (uint32_t)(v->used / sizeof *t);
    t = NEW_ARRAY(&e->scratch, Token, a->count);
    if (!expander_keep(e, t != NULL))
        return false;
    memcpy(t, v->bytes, v->used);
    for (uint32_t k = 0; k < a->count; k++)
        t[k].origin =
            expander_origin(e, t[k].at, t[k].origin, c->m->actual_name);
    a->token = t;
    a->level = loosest(t, a->count);
    return !e->stopped;
}

static bool read_constant(Call *c, Range r, Actual *a)
{
    Scope scope = {c->e, c->f};
    Evaluation v = expander_evaluation(&scope, c->token, r.from + r.count);
    v.at = r.from;
    if (!constant_read(&v, &a->value))
        return false;
    if (v.at < r.from + r.count)
        return REFUSE(c, &c->token[v.at],
                      "the actual of a CONST formal must be a number that is "
                      "known before the program runs");
    return true;
}

static bool read_actual(Call *c, uint32_t k, Actual *a)
{
    const Formal *formal = &c->m->formal[k];
    Range r = *range_at(c, k);
    Vector v = {0};
    bool ok;
    if (formal->constant)
        return read_constant(c, r, a);
    ok = read_tokens(c, r, &v) && keep_tokens(c, &v, a);
    vector_free(&v);
    if (!ok)
        return false;
    if (formal->output && !is_designator(a->token, a->count))
        return REFUSE(c, &c->token[r.from],
                      "the output `%s` of `%s` must be a variable",
                      formal->name, c->m->name);
    if (formal->declared && a->count > 1)
        return REFUSE(c, &c->token[r.from],
                      "`%s` declares `%s`: its actual must be a plain name",
                      c->m->name, formal->name);
    return true;
}

/* All mistakes among the actuals are reported. */
static Actual *read_all(Call *c)
{
    Actual *actual = NEW_ARRAY(&c->e->scratch, Actual, c->m->formals + 1);
    bool ok = expander_keep(c->e, actual != NULL);
    for (uint32_t k = 0; k < c->m->formals && !c->e->stopped; k++)
        ok = read_actual(c, k, &actual[k]) && ok;
    return ok && !c->e->stopped ? actual : NULL;
}

/* ---- Locals -------------------------------------------------------------- */

static bool add_names(Expander *e, const Tokens *t)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (t->token[k].kind == TOKEN_NAME &&
            !expander_keep(e,
                           names_put(&e->program_names, t->token[k].text, 0)))
            return false;
    return true;
}

const char *call_unique_name(Expander *e, const Macro *m, const char *local)
{
    Buffer b = {0};
    char *name = NULL;
    if (!e->has_program_names && !add_names(e, &e->u->tokens))
        return NULL;
    e->has_program_names = true;
    for (uint32_t n = m->expansions;; n++) {
        b.v.used = 0;
        buffer_format(&b, "%s_%s_%u", m->name, local, (unsigned)n);
        if (b.broken ||
            names_find(&e->program_names, buffer_string(&b)) == NAME_UNKNOWN)
            break;
    }
    if (!b.broken)
        name = NEW_ARRAY(e->u->arena, char, b.v.used + 1);
    if (name != NULL)
        memcpy(name, b.v.bytes, b.v.used);
    buffer_free(&b);
    expander_keep(e, name != NULL && names_put(&e->program_names, name, 0));
    return name;
}

static bool name_locals(Expander *e, Frame *f)
{
    Macro *m = f->macro;
    m->expansions++;
    if (m->locals == 0)
        return true;
    f->local = NEW_ARRAY(&e->scratch, const char *, m->locals);
    expander_keep(e, f->local != NULL);
    for (uint32_t k = 0; k < m->locals && !e->stopped; k++)
        f->local[k] = f->path == NULL ? call_unique_name(e, m, m->local[k])
                                      : path_local(e, f->path, m->local[k]);
    return !e->stopped;
}

/* ---- The name of a call -------------------------------------------------- */

/* The name in this expansion: C{I} becomes C3, and a formal the name that the
   caller gave. */
static bool read_name(Call *c, Token *name)
{
    Vector v = {0};
    Range r = {c->at + 1, c->open - c->at - 1};
    bool ok = read_tokens(c, r, &v);
    if (ok && v.used == sizeof *name)
        memcpy(name, v.bytes, sizeof *name);
    else
        name->kind = TOKEN_END;
    vector_free(&v);
    if (ok && name->kind != TOKEN_NAME)
        return REFUSE(c, &c->token[r.from],
                      "the name of a call is a plain name: %s B1 (...)",
                      c->m->name);
    return ok;
}

static bool enter_name(Call *c, Frame *f)
{
    Token name;
    const Token *written = &c->token[c->at + 1];
    int32_t slot = c->f == NULL ? SLOT_NONE : c->f->macro->slot[c->at + 1];
    if (c->open == c->at + 1)
        return true;
    if (slot != SLOT_NONE && (uint32_t)slot >= c->f->macro->formals)
        return REFUSE(c, written,
                      "`%s` is declared by MACVAR and cannot name a call: "
                      "give the call another name",
                      written->text);
    if (path_can_name(c->e, written, c->origin) && read_name(c, &name) &&
        path_enter(c->e, f, &name))
        return true;
    if (c->f != NULL) // wrong in every pass of a MACFOR: reported once
        c->f->macro->broken = true;
    return false;
}

/* ---- The call ------------------------------------------------------------ */

static bool report_recursion(Call *c)
{
    Buffer b = {0};
    const Frame *first = c->f;
    uint32_t more = 0;
    while (first->macro != c->m)
        first = first->up;
    for (const Frame *to = first;; more++) {
        buffer_format(&b, "%s -> ", to->macro->name);
        if (to == c->f || more > 20)
            break;
        for (const Frame *f = c->f; f != to; f = f->up)
            if (f->up == to) {
                to = f;
                break;
            }
    }
    REPORT(c, &c->token[c->at], "`%s` calls itself: %s%s%s", c->m->name,
           buffer_string(&b), more > 20 ? "... -> " : "", c->m->name);
    buffer_free(&b);
    return false;
}

static bool carry_out(Call *c)
{
    Expander *e = c->e;
    const Token *name = &c->token[c->at];
    Frame f = {.up = c->f, .macro = c->m};
    bool ok;
    if (c->m->active)
        return report_recursion(c);
    if (e->depth >= LIMIT_EXPANSION) {
        e->stopped = true;
        return REFUSE(c, name, "calls of MACROs are nested more than %d deep",
                      LIMIT_EXPANSION);
    }
    e->steps += STEPS_OF_CALL;
    f.actual = read_all(c);
    f.origin = expander_origin(e, span_join(name->at, c->token[c->end - 1].at),
                               c->origin, c->m->origin_name);
    if (f.actual == NULL || e->stopped || !enter_name(c, &f) ||
        !name_locals(e, &f))
        return false;
    c->m->active = true;
    e->depth++;
    ok = body_expand(e, &f);
    e->depth--;
    c->m->active = false;
    return ok;
}

bool call_in_expression(Word before)
{
    switch (before) {
    case WORD_LPAREN:
    case WORD_LBRACKET:
    case WORD_COMMA:
    case WORD_EQUAL:
    case WORD_BECOMES:
    case WORD_NOT: return true;
    default: return body_level(before) > 0;
    }
}

uint32_t call_expand(Expander *e, Frame *f, const Token *token, uint32_t count,
                     uint32_t at)
{
    ArenaMark mark = arena_mark(&e->scratch);
    Call c = {.e = e,
              .f = f,
              .m = expander_macro(e, token[at].text),
              .token = token,
              .count = count,
              .at = at,
              .origin = f == NULL ? 0 : f->origin};
    c.open = find_open(&c);
    c.end = find_end(&c);
    assert(c.open > at && c.end >= c.open);
    if (call_in_expression(expander_last(e)))
        REPORT(&c, &token[at],
               "`%s` is a MACRO: its call is a statement and "
               "has no value",
               c.m->name);
    else if (!c.m->broken && (f == NULL || !f->macro->broken) && read_call(&c))
        carry_out(&c);
    vector_free(&c.ranges);
    arena_rewind(&e->scratch, mark);
    return c.end;
}
