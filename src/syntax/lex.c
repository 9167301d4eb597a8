#include "syntax/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "syntax/words.h"

/* Text to tokens.

   The text is copied once. Spellings of tokens are pieces of that copy, each
   ended by a NUL that overwrites the character after it; the lexer reads the
   original, so nothing is lost.

   Symbols that a modeller is likely to bring from another language (== != &&
   ->) are reported and read as the symbol that was meant, so that the parser
   can continue. After `END.` the lexer reports nothing: the parser says that
   the text does not belong to the program. */

typedef struct Lexer {
    Unit *u;
    WordTable words;
    uint32_t file, base; // for Spans: number of the text, offset of s in it
    const char *s;
    char *copy;
    size_t length, at;
    Token *token;
    uint32_t count, room;
    Comments *comments; // NULL: not wanted
    bool touches;       // nothing was skipped before what comes next
    char commented;     // begins a comment elsewhere, and was reported
    bool doubtful;      // the text just before was refused
    bool quiet;         // after END.
    bool lost;          // pointless to continue
} Lexer;

/* ---- Help ---------------------------------------------------------------- */

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool is_letter(char c)
{
    return (unsigned)((c | 32) - 'a') < 26;
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The character k places after the present one; NUL beyond the end. */
static char peek(const Lexer *l, size_t k)
{
    return k < l->length - l->at ? l->s[l->at + k] : '\0';
}

static Span span(const Lexer *l, size_t start, size_t length)
{
    return (Span){l->file, l->base + (uint32_t)start, (uint32_t)length};
}

#define REPORT(l, start, length, ...)                                          \
    do {                                                                       \
        if (!(l)->quiet)                                                       \
            unit_error((l)->u, span((l), (start), (length)), 0, __VA_ARGS__);  \
    } while (0)

static void no_memory(Lexer *l)
{
    diag_error(l->u->diags, (Span){SPAN_NOWHERE, 0, 0},
               "there is no memory left to read this program");
    l->lost = true;
}

static bool more_room(Lexer *l)
{
    uint32_t room = l->room * 2;
    Token *token = NEW_ARRAY(l->u->arena, Token, room);
    if (token == NULL) {
        no_memory(l);
        return false;
    }
    memcpy(token, l->token, l->count * sizeof *token);
    l->token = token;
    l->room = room;
    return true;
}

/* Appends a token that ends before l->at. One place is kept for the end. */
static Token *push(Lexer *l, TokenKind kind, size_t start)
{
    Token *t;
    if (l->count + 1 >= l->room && !more_room(l)) {
        l->count = 0; // any place will do: they are never read
        l->at = l->length;
    }
    t = &l->token[l->count++];
    t->kind = kind;
    t->at = span(l, start, l->at - start);
    t->touches = l->touches;
    t->doubtful = l->doubtful;
    t->text = "";
    l->touches = true;
    l->doubtful = false;
    return t;
}

static const Token *previous(const Lexer *l)
{
    return l->count == 0 ? NULL : &l->token[l->count - 1];
}

/* The spelling from start to end, as a piece of the copy. */
static const char *piece(Lexer *l, size_t start, size_t end)
{
    l->copy[end] = '\0';
    return l->copy + start;
}

/* ---- The text as a whole ------------------------------------------------- */

static const char *odd_byte(unsigned char c)
{
    if (c == 0)
        return "NUL";
    return c < ' ' && !is_blank((char)c) ? "control"
           : c == 127                    ? "control"
                                         : NULL;
}

/* One message for NULs, one for other control characters, one for text that is
   not UTF-8, wherever they occur. */
static void survey(Lexer *l)
{
    bool nul = false, control = false, malformed = false;
    for (size_t k = 0; k < l->length;) {
        unsigned char c = (unsigned char)l->s[k];
        size_t n = c < 128 ? 1 : text_char_length(l->s + k, l->length - k);
        const char *odd = c < 128 ? odd_byte(c) : NULL;
        if (n == 0 && !malformed) {
            malformed = true;
            REPORT(l, k, 1,
                   "the text is not UTF-8 from here on (byte %02X): save the "
                   "file as UTF-8",
                   (unsigned)c);
        } else if (odd != NULL && c == 0 && !nul) {
            nul = true;
            REPORT(l, k, 1,
                   "the text contains a NUL character: is this a model, or a "
                   "file of another kind?");
        } else if (odd != NULL && c != 0 && !control) {
            control = true;
            REPORT(l, k, 1,
                   "the text contains a control character (%02X): remove it",
                   (unsigned)c);
        }
        k += n == 0 ? 1 : n;
    }
}

static bool begins(const Lexer *l, const char *bytes)
{
    size_t n = strlen(bytes);
    return l->length - l->at >= n && memcmp(l->s + l->at, bytes, n) == 0;
}

static bool is_readable(Lexer *l)
{
    if (l->length >= UINT32_MAX - l->base) {
        l->length = 0;
        REPORT(l, 0, 0, "a text of 4 GB or more cannot be read");
        return false;
    }
    if (begins(l, "\xFF\xFE") || begins(l, "\xFE\xFF")) {
        REPORT(l, 0, 2, "the text is in UTF-16: save the file as UTF-8");
        return false;
    }
    return true;
}

/* ---- Blanks and comments ------------------------------------------------- */

/* Remembers the comment that ends before l->at. */
static void push_comment(Lexer *l, size_t start)
{
    Comments *c = l->comments;
    if (c == NULL)
        return;
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 64;
        Span *at = NEW_ARRAY(l->u->arena, Span, room);
        if (at == NULL) {
            no_memory(l);
            l->comments = NULL;
            return;
        }
        if (c->count > 0)
            memcpy(at, c->at, c->count * sizeof *at);
        c->at = at;
        c->room = room;
    }
    c->at[c->count++] = span(l, start, l->at - start);
}

static void comment(Lexer *l)
{
    size_t start = l->at;
    const char *from = l->s + start + 2, *end = l->s + l->length;
    while ((from = memchr(from, '*', (size_t)(end - from))) != NULL) {
        from++;
        if (from < end && *from == ')')
            break;
    }
    if (from == NULL) {
        REPORT(l, start, 2, "this comment is not closed: `*)` is missing");
        l->lost = l->lost || !l->quiet;
        l->at = l->length;
        return;
    }
    l->at = (size_t)(from - l->s) + 1;
    push_comment(l, start);
}

static void c_comment(Lexer *l)
{
    size_t start = l->at;
    REPORT(l, start, 2,
           "comments are written `(* ... *)`, or `//` to the end "
           "of the line");
    for (l->at += 2; l->at < l->length; l->at++) {
        if (l->s[l->at] == '*' && peek(l, 1) == '/') {
            l->at += 2;
            return;
        }
    }
    l->at = start + 2;
}

static void line_comment(Lexer *l)
{
    size_t start = l->at;
    while (l->at < l->length && l->s[l->at] != '\n' && l->s[l->at] != '\r')
        l->at++;
    push_comment(l, start);
}

/* Skips to the next character that is part of a token. */
static void skip(Lexer *l)
{
    size_t start = l->at;
    while (l->at < l->length) {
        char c = l->s[l->at];
        if (is_blank(c) || c == '\0')
            l->at++;
        else if (c == '(' && peek(l, 1) == '*')
            comment(l);
        else if (c == '/' && peek(l, 1) == '/')
            line_comment(l);
        else if (c == '/' && peek(l, 1) == '*')
            c_comment(l);
        else if (begins(l, "\xC2\xA0")) // no-break space
            l->at += 2;
        else if (begins(l, "\xEF\xBB\xBF")) // byte order mark
            l->at += 3;
        else
            break;
    }
    if (l->at > start)
        l->touches = false;
}

/* ---- Names --------------------------------------------------------------- */

/* The body of FORTRAN or CCODE: everything up to a line that begins with
   END. */
static void raw(Lexer *l, const Token *opener)
{
    const char *name = word_text(opener->word);
    Span at = opener->at;
    size_t start = l->at, end;
    Token *t;
    for (;;) {
        const char *newline = memchr(l->s + l->at, '\n', l->length - l->at);
        if (newline == NULL) {
            if (!l->quiet)
                unit_error(l->u, at, 0,
                           "this %s block is not closed: no line below it "
                           "begins with END",
                           name);
            l->lost = l->lost || !l->quiet;
            l->at = end = l->length;
            break;
        }
        l->at = (size_t)(newline - l->s) + 1;
        while (peek(l, 0) == ' ' || peek(l, 0) == '\t')
            l->at++;
        end = l->at;
        if ((peek(l, 0) | 32) == 'e' && (peek(l, 1) | 32) == 'n' &&
            (peek(l, 2) | 32) == 'd' && !is_name(peek(l, 3))) {
            l->at += 3;
            break;
        }
    }
    l->touches = false;
    t = push(l, TOKEN_RAW, start);
    for (size_t k = start; k < end; k++)
        l->copy[k] = l->s[k] == '\0' ? ' ' : l->s[k];
    t->text = piece(l, start, end);
}

/* Letters of other alphabets become part of the name, so that there is one
   message and nothing left over. */
static void foreign_name(Lexer *l, size_t start)
{
    while (l->at < l->length) {
        size_t n = text_char_length(l->s + l->at, l->length - l->at);
        if (n == 1 && !is_name(l->s[l->at]))
            break;
        l->at += n == 0 ? 1 : n;
    }
    REPORT(l, start, l->at - start,
           "names are made of the letters A to Z, digits and `_`");
}

static bool is_foreign(const Lexer *l)
{
    // Latin, Greek, Cyrillic, ...: two bytes from U+00C0, not the no-break
    // space and the signs before; three bytes of CJK and beyond.
    unsigned char c = (unsigned char)peek(l, 0);
    return (c >= 0xC3 && c < 0xE2 && !begins(l, "\xC3\x97") &&
            !begins(l, "\xC3\xB7") &&
            text_char_length(l->s + l->at, l->length - l->at) > 0) ||
           (c >= 0xE3 && !begins(l, "\xEF\xBB\xBF") &&
            text_char_length(l->s + l->at, l->length - l->at) > 0);
}

static void name(Lexer *l)
{
    size_t start = l->at;
    Token *t;
    Word w = WORD_NONE;
    WordClass class;
    while (l->at < l->length && is_name(l->s[l->at]))
        l->at++;
    if (l->at < l->length && (unsigned char)l->s[l->at] >= 128 && is_foreign(l))
        foreign_name(l, start);
    else
        w = words_find(&l->words, l->s + start, l->at - start);
    class = word_class(w);
    t = push(l,
             class == WORD_CLASS_RESERVED || class == WORD_CLASS_MACRO
                 ? TOKEN_WORD
                 : TOKEN_NAME,
             start);
    t->word = w;
    if (w == WORD_FORTRAN || w == WORD_CCODE) {
        t->text = word_text(w); // the raw text begins where a NUL would stand
        raw(l, t);
    } else {
        t->text = piece(l, start, l->at);
    }
}

/* ---- Numbers ------------------------------------------------------------- */

static bool is_selected(const Lexer *l)
{
    const Token *t = previous(l);
    return t != NULL && t->word == WORD_DOT && l->touches && t->touches;
}

/* True if a dot here selects a part of what comes before it. */
static bool dot_selects(const Lexer *l)
{
    const Token *t = previous(l);
    if (t == NULL || !l->touches)
        return false;
    if (t->kind == TOKEN_INTEGER) // QF.1.2
        return l->count > 1 && t[-1].word == WORD_DOT && t->touches &&
               t[-1].touches;
    return t->kind == TOKEN_NAME || t->kind == TOKEN_INSERT ||
           t->word == WORD_RBRACKET || t->word == WORD_RPAREN;
}

static void digits(Lexer *l)
{
    while (is_digit(peek(l, 0)))
        l->at++;
}

/* Digits only, up to 15: they are exact in a double, and so is a power of ten
   up to 1E22; their quotient or product is one operation, which rounds
   correctly. */
static bool easy_number(const char *s, size_t n, double *value)
{
    static const double power[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t mantissa = 0;
    int taken = 0, scale = 0, exponent = 0;
    bool point = false, negative;
    size_t k = 0;
    for (; k < n && (is_digit(s[k]) || s[k] == '.'); k++) {
        if (s[k] == '.') {
            point = true;
            continue;
        }
        mantissa = 10 * mantissa + (s[k] - '0');
        scale -= point;
        if (++taken > 15)
            return false;
    }
    if (k < n) {
        k++;
        negative = s[k] == '-';
        k += s[k] == '-' || s[k] == '+';
        for (; k < n && exponent < 1000; k++)
            exponent = 10 * exponent + (s[k] - '0');
        scale += negative ? -exponent : exponent;
    }
    if (scale < -22 || scale > 22)
        return false;
    *value = scale < 0 ? (double)mantissa / power[-scale]
                       : (double)mantissa * power[scale];
    return true;
}

static bool has_digit(const char *s, size_t n)
{
    for (size_t k = 0; k < n && (s[k] | 32) != 'e'; k++) {
        if (s[k] >= '1' && s[k] <= '9')
            return true;
    }
    return false;
}

/* Only a mistake puts a letter, or a point with digits, directly after a
   number; its spelling must not overwrite that character. */
static const char *number_text(Lexer *l, size_t start)
{
    size_t n = l->at - start;
    char *text;
    if (!is_name(peek(l, 0)) && peek(l, 0) != '.')
        return piece(l, start, l->at);
    text = NEW_ARRAY(l->u->arena, char, n + 1);
    if (text == NULL) {
        no_memory(l);
        return "";
    }
    return memcpy(text, l->s + start, n);
}

static void integer(Lexer *l, size_t start)
{
    Token *t = push(l, TOKEN_INTEGER, start);
    bool large = false;
    t->text = number_text(l, start);
    for (size_t k = start; k < l->at; k++) {
        int digit = l->s[k] - '0';
        if (t->integer > (INT64_MAX - digit) / 10)
            large = true;
        else
            t->integer = 10 * t->integer + digit;
    }
    if (large) {
        t->integer = INT64_MAX;
        t->number = strtod(t->text, NULL);
        REPORT(l, start, l->at - start,
               "this integer is too large (the largest is %lld): write it with "
               "a decimal point if a REAL is meant",
               (long long)INT64_MAX);
    } else {
        t->number = (double)t->integer;
    }
}

static void real(Lexer *l, size_t start)
{
    size_t n = l->at - start;
    Token *t = push(l, TOKEN_NUMBER, start);
    t->text = number_text(l, start);
    if (easy_number(l->s + start, n, &t->number))
        return;
    t->number = strtod(t->text, NULL);
    if (isinf(t->number) || (t->number == 0.0 && has_digit(l->s + start, n)))
        REPORT(l, start, n, "this number is too %s for the computer",
               isinf(t->number) ? "large" : "small");
}

static void number(Lexer *l)
{
    size_t start = l->at, k;
    bool has_point = false;
    digits(l);
    if (is_selected(l)) {
        integer(l, start);
        return;
    }
    if (peek(l, 0) == '.' && peek(l, 1) != '.') {
        has_point = true;
        l->at++;
        if (!is_digit(peek(l, 0)))
            REPORT(l, start, l->at - start,
                   "a decimal point needs a digit after it: write `%.*s0`",
                   (int)(l->at - start < 40 ? l->at - start : 40),
                   l->s + start);
        digits(l);
    }
    if ((peek(l, 0) | 32) == 'e') {
        k = peek(l, 1) == '+' || peek(l, 1) == '-' ? 2 : 1;
        if (is_digit(peek(l, k))) {
            has_point = true;
            l->at += k;
            digits(l);
        }
    }
    if (has_point)
        real(l, start);
    else
        integer(l, start);
}

/* ---- Strings and insertions ---------------------------------------------- */

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* True if the last character closes a parenthesis that was opened before
   `start`. */
static bool closes_outer(const Lexer *l, size_t start, size_t end)
{
    size_t depth = 0;
    for (size_t k = start; k < end; k++) {
        if (l->s[k] == '(')
            depth++;
        else if (l->s[k] == ')' && depth-- == 0)
            return k + 1 == end;
    }
    return false;
}

/* The probable end of a string that has no second quote: at the end of the
   line, or before the `;` or `);` there. */
static size_t probable_end(const Lexer *l, size_t start)
{
    size_t end = start;
    while (end < l->length && !ends_line(l->s[end]))
        end++;
    while (end > start && is_blank(l->s[end - 1]))
        end--;
    if (end > start + 1 && l->s[end - 1] == ';')
        end--;
    if (end > start + 1 && closes_outer(l, start, end))
        end--;
    return end;
}

static void string(Lexer *l)
{
    size_t start = l->at, to = start + 1, end;
    char quote = l->s[start];
    Token *t;
    for (l->at++;; l->at++) {
        if (l->at >= l->length || ends_line(l->s[l->at])) {
            REPORT(l, start, 1,
                   "this string is not closed: `%c` is missing on its line",
                   quote);
            l->at = end = probable_end(l, start);
            to = to < end ? to : end;
            break;
        }
        if (l->s[l->at] == quote) {
            if (peek(l, 1) != quote) {
                l->at++;
                break;
            }
            l->at++;
        }
        l->copy[to++] = l->s[l->at] == '\0' ? ' ' : l->s[l->at];
    }
    t = push(l, TOKEN_STRING, start);
    t->text = piece(l, start + 1, to);
}

static void insertion(Lexer *l)
{
    size_t start = l->at, end = start + 1;
    Token *t;
    while (end < l->length && l->s[end] != '}' && !ends_line(l->s[end]))
        end++;
    if (end >= l->length || l->s[end] != '}') {
        REPORT(l, start, 1,
               "this `{` is not closed: `}` is missing on its "
               "line");
        l->at++;
        return;
    }
    l->at = end + 1;
    t = push(l, TOKEN_INSERT, start);
    t->text = piece(l, start + 1, end);
}

/* ---- Symbols ------------------------------------------------------------- */

static void symbol(Lexer *l, Word w, size_t length)
{
    size_t start = l->at;
    Token *t;
    l->at += length;
    t = push(l, TOKEN_SYMBOL, start);
    t->word = w;
    t->text = word_text(w);
}

/* Symbols that other languages write differently, longest first. */
typedef struct Foreign {
    const char *spelling;
    Word meant; // WORD_NONE: nothing replaces it
    const char *advice;
} Foreign;

static const Foreign foreign_symbols[] = {
    {"==", WORD_EQUAL, "`==`: to compare, write `=`"},
    {"!=", WORD_UNEQUAL, "`!=`: \"not equal\" is written `<>`"},
    {"~=", WORD_UNEQUAL, "`~=`: \"not equal\" is written `<>`"},
    {"=>", WORD_GREATER_EQUAL, "`=>`: \"at least\" is written `>=`"},
    {"=<", WORD_LESS_EQUAL, "`=<`: \"at most\" is written `<=`"},
    {"&&", WORD_AND, "`&&`: write AND"},
    {"||", WORD_OR, "`||`: write OR"},
    {"&", WORD_AND, "`&`: write AND"},
    {"|", WORD_OR, "`|`: write OR"},
    {"!", WORD_NOT, "`!`: write NOT"},
    {"->", WORD_ARROW,
     "`->` points the wrong way: outputs come before `<-`, inputs after it"},
    {"*)", WORD_NONE,
     "`*)` closes nothing: no comment is open here (comments do not nest)"},
    {"}", WORD_NONE, "`}` closes nothing: `{` is missing before it"},
    {"\xE2\x88\x92", WORD_MINUS,
     "this is not the minus sign of the keyboard: "
     "write `-`"},
    {"\xE2\x80\x93", WORD_MINUS, "this is a dash: write `-`"},
    {"\xE2\x89\xA4", WORD_LESS_EQUAL, "\"at most\" is written `<=`"},
    {"\xE2\x89\xA5", WORD_GREATER_EQUAL, "\"at least\" is written `>=`"},
    {"\xE2\x89\xA0", WORD_UNEQUAL, "\"not equal\" is written `<>`"},
    {"\xE2\x86\x90", WORD_ARROW, "the arrow is written `<-`"},
    {"\xC3\x97", WORD_TIMES, "\"times\" is written `*`"},
    {"\xC2\xB7", WORD_TIMES, "\"times\" is written `*`"},
    {"\xC3\xB7", WORD_SLASH, "\"divided by\" is written `/`"},
    {"\xE2\x80\x99", WORD_PRIME, "the derivative is written `'`"},
};

static bool foreign_symbol(Lexer *l)
{
    for (size_t k = 0; k < LENGTH(foreign_symbols); k++) {
        const Foreign *f = &foreign_symbols[k];
        size_t n = strlen(f->spelling);
        if (!begins(l, f->spelling))
            continue;
        REPORT(l, l->at, n, "%s", f->advice);
        if (f->meant == WORD_NONE)
            l->at += n;
        else
            symbol(l, f->meant, n);
        if (word_class(f->meant) == WORD_CLASS_RESERVED)
            l->token[l->count - 1].kind = TOKEN_WORD;
        return true;
    }
    return false;
}

/* Whether nothing but blanks stands before `start` on its line. */
static bool opens_line(const Lexer *l, size_t start)
{
    while (start > 0 && (l->s[start - 1] == ' ' || l->s[start - 1] == '\t'))
        start--;
    return start == 0 || ends_line(l->s[start - 1]);
}

/* True if a statement begins here. */
static bool at_statement(const Lexer *l)
{
    const Token *t = previous(l);
    return t == NULL || t->word == WORD_SEMICOLON || t->word == WORD_END;
}

/* `#` or `%` as in other languages. Where a statement or a line begins, the
   rest of the line is skipped as a comment; the first of a row is reported. */
static void foreign_comment(Lexer *l, size_t start)
{
    bool whole = at_statement(l) || opens_line(l, start);
    if (!whole || l->commented != l->s[start])
        REPORT(l, start, 1,
               "`%c` has no meaning in COSY: comments are written `(* ... *)`, "
               "or `//` to the end of the line",
               l->s[start]);
    if (whole)
        l->commented = l->s[start];
    while (whole && l->at < l->length && !ends_line(l->s[l->at]))
        l->at++;
}

/* True if a `'` cannot be a derivative and another one closes it. */
static bool is_quote(const Lexer *l)
{
    const Token *t = previous(l);
    size_t k = l->at + 1;
    if (t == NULL || t->kind != TOKEN_SYMBOL || t->word == WORD_PRIME ||
        t->word == WORD_RBRACKET || t->word == WORD_RPAREN)
        return false;
    while (k < l->length && l->s[k] != '\'' && !ends_line(l->s[k]))
        k++;
    return k < l->length && l->s[k] == '\'';
}

/* 'text', read as "text". */
static void single_quotes(Lexer *l)
{
    REPORT(l, l->at, 1, "a text is written in double quotes: \"...\"");
    string(l);
}

/* A character that has no meaning; several of the same in a row are one
   mistake. The survey has reported malformed ones already. */
static void stray(Lexer *l)
{
    size_t start = l->at;
    size_t n = text_char_length(l->s + start, l->length - start);
    l->touches = false;
    l->doubtful = true;
    if (n == 0) {
        l->at++;
        return;
    }
    do {
        l->at += n;
    } while (l->length - l->at >= n &&
             memcmp(l->s + l->at, l->s + start, n) == 0);
    if (odd_byte((unsigned char)l->s[start]) != NULL)
        return;
    if (n == 2 && memcmp(l->s + start, "\xC2\xB0", 2) == 0)
        REPORT(l, start, l->at - start,
               "`%.*s`: angles are in [deg], temperatures in [K]", (int)n,
               l->s + start);
    else if (n > 1)
        REPORT(l, start, l->at - start,
               "`%.*s` can appear only in strings and comments", (int)n,
               l->s + start);
    else if (l->s[start] == '#')
        foreign_comment(l, start);
    else if (l->s[start] == '?')
        REPORT(l, start, l->at - start,
               "`?` has no meaning in COSY: a choice is written (IF c THEN a "
               "ELSE b)");
    else
        REPORT(l, start, l->at - start, "`%c` has no meaning in COSY",
               l->s[start]);
}

static void other(Lexer *l)
{
    if ((unsigned char)l->s[l->at] >= 128 && is_foreign(l))
        name(l);
    else if (!foreign_symbol(l))
        stray(l);
}

static bool two(const Lexer *l, char second)
{
    return peek(l, 1) == second;
}

static void dot(Lexer *l)
{
    if (two(l, '.')) {
        symbol(l, WORD_DOTDOT, 2);
    } else if (is_digit(peek(l, 1)) && !dot_selects(l)) {
        number(l);
    } else {
        const Token *t = previous(l);
        bool final = t != NULL && t->word == WORD_END;
        symbol(l, WORD_DOT, 1);
        l->quiet = l->quiet || final;
    }
}

static void next(Lexer *l)
{
    char c = l->s[l->at];
    switch (c) {
    case '"':
    case '$': string(l); break;
    case '{': insertion(l); break;
    case '\'': is_quote(l) ? single_quotes(l) : symbol(l, WORD_PRIME, 1); break;
    case '%':
        at_statement(l) ? foreign_comment(l, l->at)
                        : symbol(l, WORD_PERCENT, 1);
        break;
    case '(': symbol(l, WORD_LPAREN, 1); break;
    case ')': symbol(l, WORD_RPAREN, 1); break;
    case '[': symbol(l, WORD_LBRACKET, 1); break;
    case ']': symbol(l, WORD_RBRACKET, 1); break;
    case '^': symbol(l, WORD_CARET, 1); break;
    case '+': symbol(l, WORD_PLUS, 1); break;
    case '/': symbol(l, WORD_SLASH, 1); break;
    case ',': symbol(l, WORD_COMMA, 1); break;
    case ';': symbol(l, WORD_SEMICOLON, 1); break;
    case '.': dot(l); break;
    case ':':
        two(l, '=') ? symbol(l, WORD_BECOMES, 2) : symbol(l, WORD_COLON, 1);
        break;
    case '<':
        if (two(l, '-'))
            symbol(l, WORD_ARROW, 2);
        else if (two(l, '='))
            symbol(l, WORD_LESS_EQUAL, 2);
        else if (two(l, '>'))
            symbol(l, WORD_UNEQUAL, 2);
        else
            symbol(l, WORD_LESS, 1);
        break;
    case '>':
        two(l, '=') ? symbol(l, WORD_GREATER_EQUAL, 2)
                    : symbol(l, WORD_GREATER, 1);
        break;
    case '*':
        if (two(l, '*'))
            symbol(l, WORD_POWER, 2);
        else if (two(l, ')'))
            other(l);
        else
            symbol(l, WORD_TIMES, 1);
        break;
    case '-': two(l, '>') ? other(l) : symbol(l, WORD_MINUS, 1); break;
    case '=':
        if (two(l, '=') || two(l, '>') || (two(l, '<') && peek(l, 2) != '-'))
            other(l);
        else
            symbol(l, WORD_EQUAL, 1);
        break;
    default:
        if (is_letter(c))
            name(l);
        else if (is_digit(c))
            number(l);
        else
            other(l);
    }
}

/* ---- Entry --------------------------------------------------------------- */

static bool prepare(Lexer *l)
{
    words_prepare(&l->words);
    l->room = (uint32_t)(l->length / 4) + 64;
    l->token = NEW_ARRAY(l->u->arena, Token, l->room);
    l->copy = NEW_ARRAY(l->u->arena, char, l->length + 1);
    if (l->token == NULL || l->copy == NULL) {
        no_memory(l);
        return false;
    }
    if (l->length > 0)
        memcpy(l->copy, l->s, l->length);
    return true;
}

static bool run(Lexer *l, Tokens *out)
{
    *out = (Tokens){0};
    l->lost = !is_readable(l);
    if (!prepare(l))
        return false;
    if (!l->lost) {
        survey(l);
        for (skip(l); l->at < l->length; skip(l))
            next(l);
    }
    l->at = l->length;
    push(l, TOKEN_END, l->length);
    *out = (Tokens){l->token, l->count};
    return !l->lost;
}

bool lex_text(Unit *u, uint32_t file, const char *text, size_t length,
              Tokens *out)
{
    Lexer l = {.u = u, .file = file, .s = text, .length = length};
    return run(&l, out);
}

bool lex_part(Unit *u, const char *text, Span part, Tokens *out)
{
    Lexer l = {.u = u,
               .file = part.file,
               .base = part.start,
               .s = text,
               .length = strlen(text)};
    return run(&l, out);
}

bool lex(Unit *u)
{
    Lexer l = {.u = u,
               .file = u->file,
               .s = u->text,
               .length = u->length,
               .comments = &u->comments};
    u->comments = (Comments){0};
    return run(&l, &u->tokens);
}
