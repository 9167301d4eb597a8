#include "expand/macro.h"

#include <string.h>

#include "expand/names.h"

/* The definition being read. `failed` is set after a message or without
   memory. */
typedef struct Definition {
    Unit *u;
    Macro *m;
    const Token *token; // those of the text
    uint32_t count, at;
    Names names; // formals: k, locals: formals + k
    Vector formals, locals, open, body;
    uint32_t closed; // parts that have found their MACEND
    bool failed, no_memory;
} Definition;

/* A part whose MACEND is still to come. */
typedef struct Open {
    uint32_t at; // in the body
    Word word;
    bool begun; // its MACBEGIN has been read
} Open;

#define REPORT(d, token, ...)                                                  \
    ((d)->failed = true, unit_error((d)->u, (token)->at, 0, __VA_ARGS__))

static const Token *peek(const Definition *d)
{
    return &d->token[d->at]; // the last one is TOKEN_END and never passed
}

static bool keep(Definition *d, bool there_was_memory)
{
    if (!there_was_memory)
        d->failed = d->no_memory = true;
    return there_was_memory;
}

/* The name of a token in a message. */
static const char *spelling(const Token *t)
{
    if (t->kind == TOKEN_END)
        return "the end of the text";
    return t->kind == TOKEN_SYMBOL ? word_text(t->word) : t->text;
}

/* ---- Heading ------------------------------------------------------------- */

static bool expect(Definition *d, Word w, const char *where)
{
    if (peek(d)->word == w) {
        d->at++;
        return true;
    }
    REPORT(d, peek(d), "`%s` is missing %s; found `%s` instead", word_text(w),
           where, spelling(peek(d)));
    return false;
}

static bool expect_name(Definition *d, const char *what)
{
    const Token *t = peek(d);
    if (t->kind == TOKEN_NAME)
        return true;
    if (t->kind == TOKEN_WORD)
        REPORT(d, t, "`%s` is a word of the language and cannot be %s", t->text,
               what);
    else
        REPORT(d, t, "%s is missing; found `%s` instead", what, spelling(t));
    return false;
}

static bool read_formal(Definition *d, bool is_output)
{
    Formal f = {.output = is_output};
    uint32_t number = (uint32_t)(d->formals.used / sizeof f);
    if (peek(d)->word == WORD_CONST) {
        if (is_output) {
            REPORT(d, peek(d), "an output of a MACRO cannot be CONST");
            return false;
        }
        f.constant = true;
        d->at++;
    }
    if (!expect_name(d, "the name of a formal"))
        return false;
    f.name = peek(d)->text;
    if (names_find(&d->names, f.name) != NAME_UNKNOWN) {
        REPORT(d, peek(d), "`%s` is already a formal of this MACRO", f.name);
        return false;
    }
    d->at++;
    return keep(d, vector_append(&d->formals, &f, sizeof f) &&
                       names_put(&d->names, f.name, number));
}

static bool read_formals(Definition *d, bool is_output)
{
    Word w = peek(d)->word;
    if (w == WORD_ARROW || w == WORD_RPAREN)
        return true;
    while (read_formal(d, is_output)) {
        if (peek(d)->word != WORD_COMMA)
            return true;
        d->at++;
    }
    return false;
}

static bool read_interface(Definition *d)
{
    if (!read_formals(d, true))
        return false;
    d->m->outputs = (uint32_t)(d->formals.used / sizeof(Formal));
    if (peek(d)->word == WORD_ARROW)
        d->at++;
    else if (d->m->outputs > 0) {
        REPORT(d, peek(d),
               "`<-` is missing: it separates the outputs of a MACRO from its "
               "inputs");
        return false;
    }
    return read_formals(d, false) &&
           expect(d, WORD_RPAREN, "after the formals of the MACRO");
}

bool macro_is_actual(const Origin *o)
{
    return o->macro[-1] == 'A';
}

static const char *marked_name(Definition *d, char mark)
{
    size_t n = strlen(d->m->name) + 2;
    char *text = NEW_ARRAY(d->u->arena, char, n);
    if (!keep(d, text != NULL))
        return NULL;
    text[0] = mark;
    memcpy(text + 1, d->m->name, n - 1);
    return text + 1;
}

static bool read_heading(Definition *d)
{
    d->at++; // MACRO
    if (!expect_name(d, "the name of a MACRO"))
        return false;
    d->m->name = peek(d)->text;
    d->m->origin_name = marked_name(d, 'C');
    d->m->actual_name = marked_name(d, 'A');
    d->m->at = peek(d)->at;
    d->at++;
    if (peek(d)->word == WORD_LPAREN) {
        d->at++;
        if (!read_interface(d))
            return false;
    }
    return expect(d, WORD_SEMICOLON, "after the heading of the MACRO");
}

/* ---- Body: copying ------------------------------------------------------- */

static uint32_t body_count(const Definition *d)
{
    return (uint32_t)(d->body.used / sizeof(Token));
}

static void add(Definition *d, const Token *t)
{
    keep(d, vector_append(&d->body, t, sizeof *t));
}

static Token *added(const Definition *d, uint32_t at)
{
    return (Token *)(void *)d->body.bytes + at;
}

/* Adds the tokens of one insertion after its token. */
static void add_insertion(Definition *d, const Token *t, Span part)
{
    Tokens inside;
    uint32_t at = body_count(d);
    add(d, t);
    if (d->failed)
        return;
    uint32_t errors = d->u->diags->errors;
    if (!lex_part(d->u, t->text, part, &inside)) {
        keep(d, d->u->diags->errors > errors);
        d->failed = true;
        return;
    }
    if (inside.count < 2)
        REPORT(d, t, "there is nothing between `{` and `}`");
    for (uint32_t k = 0; k + 1 < inside.count; k++)
        add(d, &inside.token[k]);
    if (!d->failed)
        added(d, at)->integer = inside.count - 1;
}

/* Adds n characters of a string; {{ becomes {. */
static void add_piece(Definition *d, const Token *whole, const char *s,
                      size_t n)
{
    Token piece = *whole;
    char *text = NEW_ARRAY(d->u->arena, char, n + 1);
    size_t to = 0;
    if (!keep(d, text != NULL))
        return;
    for (size_t k = 0; k < n; k++) {
        text[to++] = s[k];
        if (s[k] == '{')
            k++; // it is doubled
    }
    piece.text = text;
    piece.integer = 0;
    if (to > 0)
        add(d, &piece);
}

static void add_string(Definition *d, const Token *t)
{
    uint32_t at = body_count(d);
    const char *s = t->text;
    size_t from = 0, k = 0;
    add(d, t);
    if (strchr(s, '{') == NULL)
        return;
    while (s[k] != '\0' && !d->failed) {
        size_t end = k;
        Token insert = *t;
        if (s[k] != '{' || s[k + 1] == '{') {
            k += s[k] == '{' ? 2 : 1;
            continue;
        }
        add_piece(d, t, s + from, k - from);
        while (s[end] != '\0' && s[end] != '}')
            end++;
        if (s[end] == '\0') {
            REPORT(d, t,
                   "a `{` in this string has no `}`; `{{` stands for a "
                   "brace");
            return;
        }
        char *text = NEW_ARRAY(d->u->arena, char, end - k);
        if (!keep(d, text != NULL))
            return;
        memcpy(text, s + k + 1, end - k - 1);
        insert.kind = TOKEN_INSERT;
        insert.text = text;
        add_insertion(d, &insert,
                      (Span){t->at.file, t->at.start + 2 + (uint32_t)k,
                             (uint32_t)(end - k - 1)});
        from = k = end + 1;
    }
    add_piece(d, t, s + from, k - from);
    if (!d->failed)
        added(d, at)->integer = body_count(d) - at - 1;
}

/* ---- Body: parts --------------------------------------------------------- */

static Open *innermost(const Definition *d)
{
    size_t n = d->open.used / sizeof(Open);
    return n == 0 ? NULL : (Open *)(void *)d->open.bytes + (n - 1);
}

static void open_part(Definition *d, const Token *t)
{
    Open open = {.at = body_count(d), .word = t->word};
    if (d->open.used / sizeof open >= LIMIT_NESTING)
        REPORT(d, t, "MACFOR and MACIF are nested more than %d deep",
               LIMIT_NESTING);
    else
        keep(d, vector_append(&d->open, &open, sizeof open));
}

/* MACBEGIN belongs to the part that has just been opened and needs no MACEND of
   its own. */
static void begin_part(Definition *d, const Token *t)
{
    Open *open = innermost(d);
    Word before = (t - 1)->word;
    bool fits = open != NULL && !open->begun &&
                ((open->word == WORD_MACFOR) ||
                 (open->word == WORD_MACIF && before == WORD_THEN) ||
                 (open->word == WORD_MACELSE && before == WORD_MACELSE));
    if (fits)
        open->begun = true;
    else
        REPORT(d, t,
               "MACBEGIN is allowed only after MACFOR ... DO, MACIF ... THEN "
               "and MACELSE");
}

static void else_part(Definition *d, const Token *t)
{
    uint32_t n = body_count(d);
    bool fits = n > 0 && added(d, n - 1)->word == WORD_MACEND &&
                added(d, n - 1)->integer == WORD_MACIF;
    if (!fits)
        REPORT(d, t, "MACELSE is allowed only after the MACEND of its MACIF%s",
               (t - 1)->word == WORD_SEMICOLON ? ", without `;` between" : "");
    else if ((t + 1)->word == WORD_MACBEGIN)
        open_part(d, t);
    else if ((t + 1)->word != WORD_MACIF)
        REPORT(d, t + 1, "MACBEGIN is missing after MACELSE");
}

/* False at the MACEND of the MACRO itself. */
static bool close_part(Definition *d, const Token *t)
{
    Open *open = innermost(d);
    Token end = *t;
    if (open == NULL)
        return false;
    if (open->word == WORD_MACIF && !open->begun) {
        REPORT(d, added(d, open->at), "this MACIF has no THEN MACBEGIN");
        return true;
    }
    end.integer = open->word;
    added(d, open->at)->integer = body_count(d);
    d->open.used -= sizeof *open;
    d->closed++;
    add(d, &end);
    return true;
}

static bool ends_program_part(Word w)
{
    return w == WORD_MACRO || w == WORD_SYSTEM || w == WORD_EXPERIMENT;
}

static void report_open(Definition *d, const Token *head)
{
    const Open *open = innermost(d);
    if (open == NULL)
        REPORT(d, head,
               d->closed == 0
                   ? "this MACRO has no MACEND"
                   : "this MACRO has no MACEND of its own: MACCONTIN, MACFOR "
                     "and MACBEGIN took those that are there");
    else {
        const Token *t = added(d, open->at);
        REPORT(d, t, "this %s has no MACEND", word_text(t->word));
        unit_note(d->u, head->at, "in the MACRO that begins here");
    }
}

static void read_token(Definition *d, const Token *t)
{
    switch (t->word) {
    case WORD_MACFOR:
    case WORD_MACIF:
    case WORD_MACCONTIN: open_part(d, t); break;
    case WORD_MACELSE: else_part(d, t); break;
    case WORD_MACBEGIN: begin_part(d, t); break;
    case WORD_MACVAR:
        if (body_count(d) > 0)
            REPORT(d, t,
                   "MACVAR must come directly after the heading of the MACRO");
        break;
    default: break;
    }
    if (t->kind == TOKEN_INSERT)
        add_insertion(d, t,
                      (Span){t->at.file, t->at.start + 1,
                             t->at.length < 2 ? 0 : t->at.length - 2});
    else if (t->kind == TOKEN_STRING)
        add_string(d, t);
    else
        add(d, t);
}

/* Leaves d->at at the last MACEND. */
static void read_body(Definition *d, const Token *head)
{
    for (;; d->at++) {
        const Token *t = peek(d);
        if (t->kind == TOKEN_END || ends_program_part(t->word)) {
            report_open(d, head);
            return;
        }
        if (t->word != WORD_MACEND)
            read_token(d, t);
        else if (!close_part(d, t))
            return;
        if (d->failed)
            return;
    }
}

/* After a mistake: skips past the MACEND that seems to be the last. */
static void skip_definition(Definition *d)
{
    size_t open = d->open.used / sizeof(Open);
    if (peek(d)->word ==
        WORD_MACBEGIN) // it opened nothing, as reported already
        open++;
    for (;; d->at++) {
        Word w = peek(d)->word;
        if (peek(d)->kind == TOKEN_END || ends_program_part(w))
            return;
        if (w == WORD_MACFOR || w == WORD_MACIF || w == WORD_MACCONTIN ||
            (w == WORD_MACELSE && (peek(d) + 1)->word == WORD_MACBEGIN))
            open++;
        else if (w == WORD_MACEND && open-- == 0)
            return;
    }
}

/* ---- MACVAR -------------------------------------------------------------- */

static bool opens_group(const Token *t)
{
    switch (t->word) {
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN:
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_LOGIC:
    case WORD_DSTATE:
    case WORD_SAMPLE:
    case WORD_MEMORY:
    case WORD_SEVENT:
    case WORD_TEVENT:
    case WORD_FACILITY:
    case WORD_GATE:
    case WORD_SIGNAL:
    case WORD_RANDOM:
    case WORD_ARRAY:
    case WORD_PROCESS:
    case WORD_STORAGE:
    case WORD_FIELD: return true;
    case WORD_MODEL: // A, B; declares, A (...); is the block itself
        return (t + 1)->kind == TOKEN_NAME && (t + 2)->word != WORD_LPAREN;
    case WORD_FILE: return (t + 1)->word == WORD_OF;
    case WORD_PORT:
    case WORD_PART: return (t + 1)->kind == TOKEN_NAME;
    default: return false;
    }
}

/* Finds the end of the MACVAR part: before MACCONTIN, or, in a MACRO without
   it, after the last group that declares. */
static uint32_t find_declared(const Macro *m)
{
    uint32_t at = 1;
    if (m->count == 0 || m->body[0].word != WORD_MACVAR)
        return 0;
    for (uint32_t k = 1; k < m->count; k++) {
        if (m->body[k].word == WORD_MACCONTIN)
            return k;
        if (m->match[k] != 0)
            k = m->match[k];
    }
    while (at < m->count && opens_group(&m->body[at])) {
        while (at < m->count && m->body[at].word != WORD_SEMICOLON)
            at++;
        if (at < m->count)
            at++;
    }
    return at;
}

static void declare(Definition *d, uint32_t at)
{
    Macro *m = d->m;
    const Token *t = &m->body[at];
    uint32_t known;
    if (t->kind != TOKEN_NAME) {
        REPORT(d, t, "the name of a variable is missing; found `%s` instead",
               spelling(t));
        return;
    }
    known = names_find(&d->names, t->text);
    if (known == NAME_UNKNOWN) {
        if (keep(d, vector_append(&d->locals, &t->text, sizeof t->text) &&
                        names_put(&d->names, t->text, m->formals + m->locals)))
            m->locals++;
    } else if (known >= m->formals) {
        REPORT(d, t, "`%s` is declared twice by MACVAR", t->text);
    } else if (!m->formal[known].output) {
        REPORT(d, t,
               "`%s` is an input of the MACRO and cannot be declared by "
               "MACVAR",
               t->text);
    } else {
        m->formal[known].declared = true;
    }
}

/* The index after the bracket that closes the one at `at`. */
static uint32_t skip_brackets(const Macro *m, uint32_t at)
{
    uint32_t depth = 0;
    for (; at < m->declared; at++) {
        Word w = m->body[at].word;
        if (w == WORD_LBRACKET || w == WORD_LPAREN)
            depth++;
        else if ((w == WORD_RBRACKET || w == WORD_RPAREN) && --depth == 0)
            return at + 1;
    }
    return at;
}

/* One group: where its names begin depends on what it declares; from there on a
   name comes first and after each comma. */
static uint32_t declare_group(Definition *d, uint32_t at)
{
    const Macro *m = d->m;
    const Token *t = m->body;
    Word kind = t[at].word;
    at++;
    if (kind == WORD_ARRAY) {
        if (t[at].word == WORD_OF)
            at++;
        at = skip_brackets(m, at);
        at += t[at].word == WORD_OF ? 2u : 0u; // and the type
    } else if (kind == WORD_FILE) {
        while (at < m->declared && t[at].word != WORD_COLON)
            at++;
        at++;
    } else if (kind == WORD_PART) {
        at++;
    }
    if (at < m->declared)
        declare(d, at);
    while (at < m->declared && t[at].word != WORD_SEMICOLON && !d->failed) {
        Word w = t[at].word;
        if (w == WORD_LBRACKET || w == WORD_LPAREN) {
            at = skip_brackets(m, at);
            continue;
        }
        at++;
        if (w == WORD_COMMA ||
            (kind == WORD_FIELD && (w == WORD_ON || w == WORD_BY)))
            declare(d, at);
    }
    return at < m->declared ? at + 1 : at;
}

static void read_declared(Definition *d)
{
    const Macro *m = d->m;
    uint32_t at = 1;
    while (at < m->declared && !d->failed) {
        if (opens_group(&m->body[at]))
            at = declare_group(d, at);
        else if (m->body[at].kind == TOKEN_NAME)
            REPORT(d, &m->body[at],
                   "a declaration begins with a type; found `%s` instead",
                   m->body[at].text);
        else
            at++; // words of the macro language around it
    }
}

/* ---- MACFOR -------------------------------------------------------------- */

static void check_loop(Definition *d, uint32_t at)
{
    const Token *t = &d->m->body[at];
    if (t[1].kind != TOKEN_NAME)
        REPORT(d, &t[1],
               "the name of the MACFOR variable is missing; found `%s` instead",
               spelling(&t[1]));
    else if (t[2].word != WORD_BECOMES)
        REPORT(d, &t[2],
               "`:=` is missing after the MACFOR variable; found `%s` instead",
               spelling(&t[2]));
}

/* ---- What names stand for ------------------------------------------------ */

/* Brackets hold a unit after a number and after a name that MACVAR declares:
   names in them are units. */
static bool opens_unit(const Macro *m, uint32_t at)
{
    const Token *t = &m->body[at];
    if (t->word != WORD_LBRACKET || at == 0)
        return false;
    return (t - 1)->kind == TOKEN_INTEGER || (t - 1)->kind == TOKEN_NUMBER ||
           (at < m->declared && (t - 1)->kind == TOKEN_NAME);
}

/* Names that calls in the body have: CELL C1 (...). Whether CELL is a MACRO is
   not known yet; no other text looks like this. */
static bool find_call_names(Definition *d, Names *calls)
{
    const Macro *m = d->m;
    for (uint32_t k = 0; k + 2 < m->count; k++) {
        const Token *t = &m->body[k];
        uint32_t open = k + 2;
        if (t->kind != TOKEN_NAME || t->word != WORD_NONE ||
            t[1].kind != TOKEN_NAME)
            continue;
        if (t[2].kind == TOKEN_INSERT)
            open += 1 + (uint32_t)t[2].integer;
        if (m->body[open].word == WORD_LPAREN &&
            !keep(d, names_put(calls, t[1].text, 0)))
            return false;
    }
    return true;
}

/* Token k names a call of this body. Returns where the path that begins with it
   ends; names after its dots are never formals or locals. */
static uint32_t find_path_end(const Macro *m, const Names *calls, uint32_t k)
{
    const Token *t = m->body;
    if (t[k].kind != TOKEN_NAME || names_find(calls, t[k].text) == NAME_UNKNOWN)
        return 0;
    k++;
    if (t[k].kind == TOKEN_INSERT)
        k += 1 + (uint32_t)t[k].integer;
    while (k + 1 < m->count && t[k].word == WORD_DOT &&
           t[k + 1].kind == TOKEN_NAME)
        k += 2;
    return k;
}

static void resolve_names(Definition *d)
{
    Macro *m = d->m;
    Names calls = {0};
    bool in_unit = false;
    uint32_t path = 0; // its end
    find_call_names(d, &calls);
    for (uint32_t k = 0; k < m->count; k++) {
        const Token *t = &m->body[k];
        uint32_t number;
        bool selected = k > 0 && (t - 1)->word == WORD_DOT;
        m->slot[k] = SLOT_NONE;
        if (!selected)
            path = path > k ? path : find_path_end(m, &calls, k);
        in_unit = in_unit ? t->word != WORD_RBRACKET : opens_unit(m, k);
        if (in_unit || t->kind != TOKEN_NAME)
            continue;
        number = names_find(&d->names, t->text);
        /* A local is not an attribute: A.X is not the X of the MACRO. */
        if (number != NAME_UNKNOWN &&
            (!selected || (number < m->formals && k >= path)))
            m->slot[k] = (int32_t)number;
    }
    names_free(&calls);
}

/* ---- The whole ----------------------------------------------------------- */

static void *keep_array(Definition *d, const Vector *v)
{
    void *to = arena_alloc(d->u->arena, v->used + 1, _Alignof(max_align_t));
    if (keep(d, to != NULL) && v->used > 0)
        memcpy(to, v->bytes, v->used);
    return to;
}

static void finish_body(Definition *d)
{
    Macro *m = d->m;
    Token end = {.kind = TOKEN_END, .at = peek(d)->at, .text = ""};
    m->count = body_count(d);
    add(d, &end);
    m->body = keep_array(d, &d->body);
    m->match = NEW_ARRAY(d->u->arena, uint32_t, m->count + 1);
    m->slot = NEW_ARRAY(d->u->arena, int32_t, m->count + 1);
    keep(d, m->match != NULL && m->slot != NULL);
    if (d->failed)
        return;
    for (uint32_t k = 0; k < m->count; k++) {
        Token *t = &m->body[k];
        if (t->word == WORD_MACFOR || t->word == WORD_MACIF ||
            t->word == WORD_MACCONTIN ||
            (t->word == WORD_MACELSE && t->integer > 0))
            m->match[k] = (uint32_t)t->integer;
        if (t->word == WORD_MACFOR)
            check_loop(d, k);
    }
    m->declared = find_declared(m);
    if (!d->failed)
        read_declared(d);
    m->local = keep_array(d, &d->locals);
    if (!d->failed)
        resolve_names(d);
}

static void read_definition(Definition *d)
{
    const Token *head = peek(d);
    uint32_t start = head->at.start;
    if (read_heading(d)) {
        d->m->formals = (uint32_t)(d->formals.used / sizeof(Formal));
        d->m->formal = keep_array(d, &d->formals);
        read_body(d, head);
    }
    if (d->failed)
        skip_definition(d);
    else
        finish_body(d);
    if (peek(d)->word != WORD_MACEND)
        return;
    d->m->source_length = peek(d)->at.start + peek(d)->at.length - start;
    d->at++;
    if (peek(d)->word == WORD_SEMICOLON)
        d->at++;
}

Macro *macro_define(Unit *u, const char *text, const Tokens *t, uint32_t *at)
{
    Macro *m = NEW(u->arena, Macro);
    Definition d = {
        .u = u, .m = m, .token = t->token, .count = t->count, .at = *at};
    if (m == NULL)
        return NULL;
    m->source = text + t->token[*at].at.start;
    read_definition(&d);
    m->broken = d.failed;
    *at = d.at;
    names_free(&d.names);
    vector_free(&d.formals);
    vector_free(&d.locals);
    vector_free(&d.open);
    vector_free(&d.body);
    return d.no_memory ? NULL : m;
}

const char *macro_heading(const Macro *m, Arena *a)
{
    Buffer b = {0};
    char *text;
    buffer_text(&b, m->name);
    for (uint32_t k = 0; k <= m->formals && m->formals > 0; k++) {
        buffer_text(&b, k == 0 ? " (" : "");
        if (k == m->outputs)
            buffer_text(&b, k == 0 ? "<- " : k < m->formals ? " <- " : " <-");
        else if (k > 0 && k < m->formals)
            buffer_text(&b, ", ");
        if (k < m->formals)
            buffer_format(&b, "%s%s", m->formal[k].constant ? "CONST " : "",
                          m->formal[k].name);
        else
            buffer_char(&b, ')');
    }
    text = NEW_ARRAY(a, char, b.v.used + 1);
    if (text != NULL && b.v.used > 0)
        memcpy(text, b.v.bytes, b.v.used);
    buffer_free(&b);
    return text == NULL ? m->name : text;
}
