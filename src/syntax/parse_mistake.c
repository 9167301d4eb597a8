#include "syntax/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Mistakes of the modeller: how they are reported, what was probably meant, and
   how the parser finds its way again. */

#define RESUME_REACH 1000 // tokens within which a statement finds its way again

/* ---- Messages ------------------------------------------------------------ */

/* At most 40 bytes of a spelling, cut between characters. */
static int cut(const char *s)
{
    size_t n = strlen(s), k = 0;
    if (n <= 40)
        return (int)n;
    while (k < 37) {
        size_t length = text_char_length(s + k, n - k);
        k += length == 0 ? 1 : length;
    }
    return (int)k;
}

const char *parse_spelling(const Token *t, char room[SPELLING_ROOM])
{
    int n = t->text == NULL ? 0 : cut(t->text);
    const char *dots = t->text == NULL || t->text[n] == '\0' ? "" : "...";
    switch (t->kind) {
    case TOKEN_END: return "the end of the text";
    case TOKEN_STRING:
        snprintf(room, SPELLING_ROOM, "the string \"%.*s%s\"", n, t->text,
                 dots);
        break;
    case TOKEN_RAW: return "raw text";
    case TOKEN_INSERT:
        snprintf(room, SPELLING_ROOM, "`{%.*s%s}`", n, t->text, dots);
        break;
    default: snprintf(room, SPELLING_ROOM, "`%.*s%s`", n, t->text, dots);
    }
    return room;
}

#define MESSAGE_ROOM 600

#define FORMAT_MESSAGE(message)                                                \
    do {                                                                       \
        va_list args;                                                          \
        va_start(args, format);                                                \
        vsnprintf((message), sizeof(message), format, args);                   \
        va_end(args);                                                          \
    } while (0)

/* True if a message now would not be the first about its mistake, or would be
   one too many; in the latter case nothing more is read. */
static bool is_silent(Parser *p)
{
    if (p->u->diags->errors > DIAG_LIMIT)
        parse_stop(p);
    return lost(p) || p->closing || p->stopped;
}

void parse_get_lost(Parser *p)
{
    if (lost(p) || p->stopped)
        return;
    p->losses++;
    p->held = p->token;
    p->nothing =
        (Token){.at = p->token->at, .origin = p->token->origin, .text = ""};
    p->token = &p->nothing;
}

void parse_fail(Parser *p, const Token *t, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    if (!is_silent(p))
        unit_error(p->u, t->at, t->origin, "%s", message);
    parse_get_lost(p);
}

void parse_report(Parser *p, const Token *t, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    if (!is_silent(p))
        unit_error(p->u, t->at, t->origin, "%s", message);
}

void parse_beyond(Parser *p, Span where, uint32_t origin, const char *format,
                  ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    if (!is_silent(p) && !p->u->grammar_only)
        unit_error(p->u, where, origin, "%s", message);
}

void parse_missing(Parser *p, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    Span end = p->before->at;
    FORMAT_MESSAGE(message);
    end.start += end.length;
    end.length = 0;
    if (!is_silent(p) && !p->token->doubtful)
        unit_error(p->u, end, p->before->origin, "%s", message);
}

/* True if a number was read last and the name after it was meant as a factor:
   the name touches it, or ends the statement. */
static bool is_product(const Parser *p)
{
    const Token *t = p->token;
    Word next = parse_peek(p)->word;
    return t->kind == TOKEN_NAME && t > p->before &&
           (p->before->kind == TOKEN_INTEGER ||
            p->before->kind == TOKEN_NUMBER) &&
           (t->touches || next == WORD_SEMICOLON || next == WORD_PLUS ||
            next == WORD_MINUS || next == WORD_TIMES || next == WORD_SLASH ||
            next == WORD_RPAREN || next == WORD_ELSE);
}

/* The option that a name before = means, or nearly spells; or NULL. */
static const char *meant_option(const Parser *p)
{
    Word options[WORD_COUNT], meant;
    const char *other;
    size_t n = 0;
    if (p->token->kind != TOKEN_NAME || parse_peek(p)->word != WORD_EQUAL)
        return NULL;
    other = advice_option(p->token->text);
    if (other != NULL)
        return other;
    for (Word w = WORD_NONE; w < WORD_COUNT; w++)
        if (word_class(w) == WORD_CLASS_OPTION)
            options[n++] = w;
    meant = parse_meant(p->token->text, options, n);
    return meant == WORD_NONE ? NULL : word_text(meant);
}

/* A time with its unit as it is said, 2 h: the unit stands in brackets. */
static bool is_time(const Parser *p)
{
    static const char *const units[] = {"s", "min", "h", "d"};
    const Token *t = p->token;
    if (t->kind != TOKEN_NAME || t == p->before ||
        (p->before->kind != TOKEN_INTEGER && p->before->kind != TOKEN_NUMBER))
        return false;
    for (size_t k = 0; k < LENGTH(units); k++)
        if (strcmp(t->text, units[k]) == 0)
            return true;
    return false;
}

/* PRIORITY = 3: a word whose value follows without `=`. */
static bool is_equal_too_many(const Parser *p)
{
    Word w = p->before->word;
    return p->token->word == WORD_EQUAL && p->token != p->before &&
           (p->before->kind == TOKEN_WORD || w == WORD_AT ||
            w == WORD_CAPACITY || w == WORD_PRIORITY || w == WORD_TIMEOUT ||
            w == WORD_WITHIN);
}

void parse_misused(Parser *p, const Token *t, const char *what)
{
    if (!p->misused[t->word])
        parse_report(p, t,
                     "`%s` is a word of the language and cannot be %s: choose "
                     "another name",
                     word_text(t->word), what);
    p->misused[t->word] = true;
}

void parse_unexpected(Parser *p, const char *expected)
{
    const Token *t = p->token;
    char room[SPELLING_ROOM], other[SPELLING_ROOM];
    const char *advice = t->kind == TOKEN_NAME ? advice_word(t->text) : NULL;
    if (is_silent(p) || t->doubtful)
        parse_get_lost(p);
    else if (t->word == WORD_ARROW)
        parse_fail(p, t,
                   "`<-` is the arrow between outputs and inputs: to compare "
                   "with a negative number, write `< -`");
    else if (t->word == WORD_BECOMES && token_is_reserved(p->before)) {
        parse_misused(p, p->before, "the name of a variable");
        parse_get_lost(p);
    } else if (advice != NULL)
        parse_fail(p, t, "`%.40s` is not a word of COSY: %s", t->text, advice);
    else if (is_equal_too_many(p))
        parse_fail(p, t, "%s is written without `=`",
                   word_text(p->before->word));
    else if (is_time(p))
        parse_fail(p, t, "a unit stands in brackets: write `%.40s [%s]`",
                   p->before->text, t->text);
    else if (is_product(p))
        parse_fail(p, t, "an operator is missing: write `%.40s*%.40s`",
                   p->before->text, t->text);
    else if (t->kind == TOKEN_INSERT)
        parse_fail(p, t, "%s: a value can be inserted only inside a macro",
                   parse_spelling(t, room));
    else if (word_class(t->word) == WORD_CLASS_MACRO)
        parse_fail(p, t, "`%s` belongs to no macro", word_text(t->word));
    else if (t->kind == TOKEN_END)
        parse_fail(p, t, "the text ends here, but %s is expected", expected);
    else if (p->before == t)
        parse_fail(p, t, "found %s, but %s is expected",
                   parse_spelling(t, room), expected);
    else if (meant_option(p) != NULL)
        parse_fail(p, t, "found %s after %s: did you mean %s?",
                   parse_spelling(t, room), parse_spelling(p->before, other),
                   meant_option(p));
    else
        parse_fail(p, t, "found %s after %s, but %s is expected",
                   parse_spelling(t, room), parse_spelling(p->before, other),
                   expected);
}

/* ---- Finding the way again ----------------------------------------------- */

bool parse_enter(Parser *p)
{
    if (p->depth < LIMIT_NESTING) {
        p->depth++;
        return true;
    }
    parse_report(p, p->token, "more than %d constructs are nested here",
                 LIMIT_NESTING);
    parse_stop(p);
    return false;
}

void parse_leave(Parser *p)
{
    p->depth--;
}

void parse_find_way(Parser *p, const Token *t)
{
    for (const Token *k = p->held; k != NULL && k < t; k++)
        ((Token *)k)->skipped =
            true; // belongs to the unit, which may be changed
    p->held = NULL;
    p->token = t;
    if (t > p->before)
        p->before = t - 1;
}

/* Words whose constructs close with an END of their own. */
static bool opens(const Parser *p, const Token *t)
{
    switch (t->word) {
    case WORD_BEGIN:
    case WORD_CASE:
    case WORD_CONDIT:
    case WORD_FRAME:
    case WORD_RECORD:
    case WORD_WHERE: return true;
    case WORD_MODEL: return t < p->last && t[1].kind == TOKEN_NAME;
    default: return false;
    }
}

void parse_resume(Parser *p, Word w)
{
    const Token *end = p->last;
    if (!lost(p))
        return;
    if (end - p->held > RESUME_REACH)
        end = p->held + RESUME_REACH;
    for (const Token *t = p->held; t < end; t++) {
        if (t->word == w) {
            parse_find_way(p, t);
            return;
        }
        if (t->word == WORD_SEMICOLON || t->word == WORD_END ||
            word_is_outer(t->word))
            return;
    }
}

void parse_recover(Parser *p)
{
    uint32_t level = 0;
    const Token *t = p->held;
    if (t == NULL)
        return;
    for (; t < p->last; t++) {
        if (word_is_outer(t->word) && t->word != WORD_OUTPUT)
            break;
        if (t->word == WORD_END && level-- == 0)
            break;
        if (t->word == WORD_SEMICOLON && level == 0)
            break;
        if (t > p->held && level == 0 && parse_on_new_line(p, t) &&
            (word_is_statement(t->word) || word_is_parallel(t->word)))
            break;
        if (opens(p, t))
            level++;
    }
    parse_find_way(p, t);
}

/* True if t is the first token on its line. */
bool parse_on_new_line(const Parser *p, const Token *t)
{
    size_t k = t->at.start;
    if (t->at.file != p->u->file || k > p->u->length)
        return false;
    while (k > 0 && (p->u->text[k - 1] == ' ' || p->u->text[k - 1] == '\t'))
        k--;
    return k == 0 || p->u->text[k - 1] == '\n';
}

static size_t column(const Parser *p, const Token *t)
{
    size_t k = t->at.start;
    while (k > 0 && p->u->text[k - 1] != '\n')
        k--;
    return t->at.start - k;
}

/* An END further left than what it closes was probably meant for something
   around it, and the END of the inner construct is missing. */
static void compare_columns(Parser *p, const Token *opener, const Token *end)
{
    if (p->suspect == NULL && opener->origin == 0 && end->origin == 0 &&
        parse_on_new_line(p, opener) && parse_on_new_line(p, end) &&
        column(p, end) < column(p, opener))
        p->suspect = opener;
}

static void missing_end(Parser *p, const Token *opener)
{
    char room[SPELLING_ROOM];
    const Token *o = p->suspect != NULL ? p->suspect : opener;
    uint32_t line = unit_line(p->u, o->at);
    const char *what = o->kind == TOKEN_NAME      ? "of "
                       : o->kind == TOKEN_INTEGER ? "of the branch "
                                                  : "of ";
    if (p->token->kind == TOKEN_END)
        parse_report(
            p, p->token,
            "the text ends here, but the END %s%s (line %u) is missing", what,
            parse_spelling(o, room), (unsigned)line);
    else
        parse_report(p, p->token,
                     "the END %s%s (line %u) is missing before this", what,
                     parse_spelling(o, room), (unsigned)line);
    p->closing = true;
}

void parse_close(Parser *p, const Token *opener)
{
    if (lost(p))
        parse_recover(p);
    if (p->closing || p->stopped)
        return;
    if (!at(p, WORD_END) ||
        (parse_peek(p)->word == WORD_DOT && parse_peek(p) + 1 == p->last)) {
        missing_end(p, opener);
        return;
    }
    compare_columns(p, opener, p->token);
    parse_advance(p);
    if (at(p, WORD_DOT)) {
        parse_report(p, p->token,
                     "`END.` with the point ends the program, but this is the "
                     "END of `%s` (line %u): write `END;`",
                     opener->text, (unsigned)unit_line(p->u, opener->at));
        parse_advance(p);
    }
}

/* Statements whose names are not words of the language. */
static bool is_predefined(const char *name)
{
    static const char *const names[] = {"CONTN", "CROSSPLOT", "RERUN",
                                        "SAVE",  "STOREOFF",  "STOREON",
                                        "WRITE", "WRITELN"};
    for (size_t k = 0; k < LENGTH(names); k++) {
        if (name_same(name, names[k]))
            return true;
    }
    return false;
}

/* The word that can begin a statement and that the name probably means. */
static Word meant_statement(const char *name)
{
    Word words[WORD_COUNT];
    size_t n = 0;
    if (is_predefined(name))
        return WORD_NONE;
    for (Word w = 1; w < WORD_COUNT; w++) {
        if (word_is_statement(w) || word_is_parallel(w) || w == WORD_CASE ||
            w == WORD_END || word_is_outer(w))
            words[n++] = w;
    }
    return parse_meant(name, words, n);
}

static void remove_last(Node *list)
{
    Node *before = NULL;
    for (Node *n = list->first; n != list->last; n = n->next)
        before = n;
    if (before == NULL)
        list->first = NULL;
    else
        before->next = NULL;
    list->last = before;
}

/* True if the name read last is a whole statement, not a part of one. */
static bool is_bare_name(const Parser *p, const Node *n)
{
    if (n == NULL || p->before->kind != TOKEN_NAME ||
        n->at.start != p->before->at.start || n->at.file != p->before->at.file)
        return false;
    return n->kind == NODE_NAME ||
           (n->kind == NODE_CALL && n->first->kind == NODE_NAME);
}

/* The innermost last statement of IF, FOR, WHILE and WITH. */
static const Node *innermost(const Node *n)
{
    while (n != NULL && (n->kind == NODE_IF || n->kind == NODE_FOR ||
                         n->kind == NODE_WHILE || n->kind == NODE_WITH)) {
        const Node *child = n->last;
        if (n->kind == NODE_IF && child != NULL && child->kind == NODE_NONE)
            child = node_child(n, 1);
        n = child;
    }
    return n;
}

/* Modelica's WHEN has an END of its own: END WHEN, or END on the same line. */
static void skip_foreign(Parser *p, const Token *word)
{
    const Token *t = p->held;
    if (t == NULL || !name_same(word->text, "WHEN"))
        return;
    while (t < p->last && t->word != WORD_END && !word_is_outer(t->word))
        t++;
    if (t >= p->last || t->word != WORD_END)
        return;
    if (t[1].kind == TOKEN_NAME && name_same(t[1].text, word->text))
        parse_find_way(p, t + 2);
    else if (unit_line(p->u, t->at) == unit_line(p->u, word->at))
        parse_find_way(p, t + 1);
}

/* An option without the INTEGRAT or SIMULATE before it: METHOD GEAR. */
static bool setting_alone(Parser *p, Node *list, const Token *t)
{
    const char *whole;
    switch (t->word) {
    case WORD_ABSERR:
    case WORD_DTMAX:
    case WORD_DTMIN:
    case WORD_METHOD:
    case WORD_PRECISION:
    case WORD_RELERR: whole = "INTEGRAT"; break;
    case WORD_COMINT: whole = "SIMULATE FROM a TO b"; break;
    default: return false;
    }
    parse_fail(p, t, "`%s` is an option: write %s %s ...", word_text(t->word),
               whole, word_text(t->word));
    if (list->last == innermost(list->last))
        remove_last(list);
    return true;
}

/* The previous statement is a name that resembles a word, and something follows
   it: `SEZIE JOE`. It is read again as the word if it is an element of the list
   itself. */
static bool misspelt_statement(Parser *p, Node *list)
{
    Token *t = (Token *)p->before; // belongs to the unit, which may be changed
    const char *advice;
    Word meant;
    if (!is_bare_name(p, innermost(list->last)))
        return false;
    advice = advice_statement(t->text);
    if (advice != NULL)
        parse_fail(p, t, "`%.40s` does not begin a statement: %s", t->text,
                   advice);
    else if ((advice = advice_word(t->text)) != NULL)
        parse_fail(p, t, "`%.40s` is not a word of COSY: %s", t->text, advice);
    if (advice != NULL) {
        if (list->last == innermost(list->last))
            remove_last(list);
        skip_foreign(p, t);
        return true;
    }
    if (setting_alone(p, list, t))
        return true;
    meant = meant_statement(t->text);
    if (meant == WORD_NONE ||
        (parse_on_new_line(p, p->token) && meant != WORD_BEGIN &&
         meant != WORD_REPEAT && !word_is_outer(meant)))
        return false;
    parse_report(p, t, "`%.40s` does not begin a statement: did you mean %s?",
                 t->text, word_text(meant));
    if (list->last != innermost(list->last)) {
        if (meant == WORD_BEGIN) {
            parse_statements(p);
            parse_close(p, t);
        } else {
            parse_get_lost(p);
        }
        return true;
    }
    t->kind = TOKEN_WORD;
    t->word = meant;
    p->token = t;
    remove_last(list);
    return true;
}

/* Reads a name that is nearly END, with a message. */
static bool misspelt_end(Parser *p)
{
    static const Word end[] = {WORD_END};
    Token *t = (Token *)p->token;
    if (t->kind != TOKEN_NAME || advice_word(t->text) != NULL ||
        parse_meant(t->text, end, 1) != WORD_END ||
        (t[1].word != WORD_SEMICOLON && t[1].word != WORD_END &&
         t[1].word != WORD_DOT))
        return false;
    parse_report(p, t, "found `%.40s`: did you mean END?", t->text);
    t->kind = TOKEN_WORD;
    t->word = WORD_END;
    return true;
}

static bool starts_element(const Parser *p, bool parallel)
{
    const Token *t = p->token;
    if (t->kind == TOKEN_WORD)
        return word_is_statement(t->word) || word_is_parallel(t->word) ||
               t->word == WORD_CASE;
    if (t->kind == TOKEN_INTEGER)
        return parse_on_new_line(p, t);
    if (t->kind == TOKEN_NAME)
        return parse_on_new_line(p, t) ||
               parse_peek(p)->word == (parallel ? WORD_EQUAL : WORD_BECOMES);
    return parallel && (t->word == WORD_LPAREN || t->word == WORD_MINUS) &&
           parse_on_new_line(p, t);
}

/* WRITELN "text": a call without parentheses. */
static bool half_call(Parser *p, Node *list)
{
    const Token *t = p->before;
    if (!is_bare_name(p, list->last) || !at_kind(p, TOKEN_STRING))
        return false;
    parse_fail(p, p->token,
               "the arguments of `%.40s` need parentheses: %.40s (...)",
               t->text, t->text);
    return true;
}

/* X += 1 and X++ as in C. */
static bool changes_itself(Parser *p, Node *list)
{
    const Token *t = p->before;
    Word w = p->token->word, after = parse_peek(p)->word;
    bool operator=
        w == WORD_PLUS || w == WORD_MINUS || w == WORD_TIMES || w == WORD_SLASH;
    if (!is_bare_name(p, list->last) ||
        !operator|| !(after == WORD_EQUAL || (after == w && w != WORD_TIMES)))
        return false;
    parse_fail(p, p->token, "write `%.40s := %.40s %s ...`", t->text, t->text,
               word_text(w));
    remove_last(list);
    return true;
}

bool parse_accept_else(Parser *p)
{
    Token *t = (Token *)p->token; // belongs to the unit, which may be changed
    if (parse_accept(p, WORD_ELSE))
        return true;
    if (t->kind != TOKEN_NAME ||
        !(name_same(t->text, "ELSEIF") || name_same(t->text, "ELSIF") ||
          name_same(t->text, "ELIF")))
        return false;
    parse_report(p, t, "`%s` is not a word of COSY: write ELSE IF", t->text);
    t->kind = TOKEN_WORD;
    t->word = WORD_IF;
    return true;
}

/* END IF, END FOR and the like; in COSY, IF and FOR have no END at all. */
static bool foreign_end(Parser *p)
{
    const Token *t = parse_peek(p);
    char room[SPELLING_ROOM];
    if (!at(p, WORD_END) ||
        !(t->word == WORD_IF || t->word == WORD_FOR || t->word == WORD_WHILE ||
          t->word == WORD_CASE) ||
        t + 1 > p->last || t[1].word != WORD_SEMICOLON)
        return false;
    parse_report(p, p->token,
                 "COSY has no END %s: %s takes one statement, or several "
                 "between BEGIN and END",
                 t->text, parse_spelling(t, room));
    parse_advance(p);
    parse_advance(p);
    return true;
}

/* Handles anything but `;` after an element. True: continues with the next. */
static bool no_semicolon(Parser *p, Node *list, bool parallel)
{
    const Node *before = list->last;
    if (at(p, WORD_UNTIL)) {
        parse_fail(p, p->token, "this UNTIL belongs to no REPEAT");
    } else if (at(p, WORD_ELSE) && before != NULL &&
               before->kind == NODE_CASE) {
        parse_missing(p, "`;` is missing before ELSE");
        return true;
    } else if (at(p, WORD_ELSE)) {
        parse_fail(p, p->token, "this ELSE belongs to no IF");
    } else if (at(p, WORD_RPAREN)) {
        parse_fail(p, p->token, "this `)` has no matching `(`");
    } else if (misspelt_end(p)) {
        return false;
    } else if (misspelt_statement(p, list) || half_call(p, list) ||
               changes_itself(p, list)) {
        return !lost(p);
    } else if (starts_element(p, parallel)) {
        parse_missing(p, "`;` is missing between two %s",
                      parallel ? "statements or equations" : "statements");
        return true;
    } else if (parallel && before != NULL && before->kind != NODE_EQUATION) {
        parse_unexpected(p, "`=`, `;` or END");
    } else {
        parse_unexpected(p, "`;` or END");
    }
    return false;
}

bool parse_separator(Parser *p, Node *list, bool parallel)
{
    bool recovered = lost(p);
    for (;;) {
        parse_recover(p);
        if (p->closing || p->stopped)
            return false;
        if (foreign_end(p))
            continue;
        if (parse_accept(p, WORD_SEMICOLON))
            return true;
        if (at(p, WORD_END) || at_kind(p, TOKEN_END) ||
            (at(p, WORD_UNTIL) && p->repeats > 0) ||
            word_is_outer(p->token->word))
            return false;
        if (recovered || no_semicolon(p, list, parallel))
            return true;
        recovered = true;
    }
}

/* ---- Words --------------------------------------------------------------- */

bool word_is_outer(Word w)
{
    switch (w) {
    case WORD_CONST:
    case WORD_CONTINUOUS:
    case WORD_DESTROY:
    case WORD_DISCRETE:
    case WORD_DISPOSE:
    case WORD_EVENTS:
    case WORD_EXPERIMENT:
    case WORD_EXTERNAL:
    case WORD_FUNCTABLE:
    case WORD_FUNCTION:
    case WORD_INITIAL:
    case WORD_INVOKE:
    case WORD_LABEL:
    case WORD_MODULE:
    case WORD_OUTPUT:
    case WORD_PROCEDURE:
    case WORD_PROCESSES:
    case WORD_PROGRAM:
    case WORD_PROJECT:
    case WORD_SAMPLES:
    case WORD_STORE:
    case WORD_SYSTEM:
    case WORD_TERMINAL:
    case WORD_TEVENTS:
    case WORD_TIMEUNIT:
    case WORD_TYPE:
    case WORD_VAR: return true;
    default: return false;
    }
}

bool word_is_parallel(Word w)
{
    switch (w) {
    case WORD_BEGIN:
    case WORD_BOUNDARY:
    case WORD_COMMUNIC:
    case WORD_CONDIT:
    case WORD_CONNECT:
    case WORD_FINISH:
    case WORD_FOR:
    case WORD_IF:
    case WORD_IMPLICIT:
    case WORD_MODEL:
    case WORD_PROCEDURAL:
    case WORD_WITH: return true;
    default: return false;
    }
}

bool word_is_statement(Word w)
{
    switch (w) {
    case WORD_ADVANCE:
    case WORD_BEGIN:
    case WORD_CANCEL:
    case WORD_CCODE:
    case WORD_CLEAR:
    case WORD_CLOSE:
    case WORD_COLLECT:
    case WORD_CREATE:
    case WORD_DELETE:
    case WORD_ENTER:
    case WORD_ERROREXIT:
    case WORD_FEATURES:
    case WORD_FIND:
    case WORD_FINISH:
    case WORD_FIT:
    case WORD_FOR:
    case WORD_FORTRAN:
    case WORD_FRAME:
    case WORD_GENERATE:
    case WORD_GRIDCHECK:
    case WORD_GUESS:
    case WORD_HISTOGRAM:
    case WORD_IF:
    case WORD_INITCOND:
    case WORD_INSERT:
    case WORD_INTEGRAT:
    case WORD_INTERRUPT:
    case WORD_JOIN:
    case WORD_LEAVE:
    case WORD_LINEARIZE:
    case WORD_MAXIMIZE:
    case WORD_MINIMIZE:
    case WORD_OPEN:
    case WORD_PARAMETER:
    case WORD_PASS:
    case WORD_PREEMPT:
    case WORD_RANDOMGEN:
    case WORD_RELEASE:
    case WORD_REMOVE:
    case WORD_REPEAT:
    case WORD_REPLICATE:
    case WORD_RESUME:
    case WORD_SCHEDULE:
    case WORD_SEIZE:
    case WORD_SOLVE:
    case WORD_SENDSIG:
    case WORD_SENSITIVITY:
    case WORD_SIMULATE:
    case WORD_SPLIT:
    case WORD_STEADYSTATE:
    case WORD_SUSPEND:
    case WORD_SWEEP:
    case WORD_TERMINATE:
    case WORD_TIMEPERS:
    case WORD_UNCERTAIN:
    case WORD_WAIT:
    case WORD_WAITSIG:
    case WORD_WHILE:
    case WORD_WITH: return true;
    default: return false;
    }
}

Word parse_meant(const char *name, const Word *words, size_t n)
{
    const char *candidates[WORD_COUNT] = {NULL};
    const char *near;
    for (size_t k = 0; k < n; k++)
        candidates[k] = word_text(words[k]);
    near = nearest_name(name, candidates, n);
    for (size_t k = 0; k < n && near != NULL; k++) {
        if (candidates[k] == near)
            return words[k];
    }
    return WORD_NONE;
}
