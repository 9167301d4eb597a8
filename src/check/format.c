#include "check/checker.h"

#include <stdio.h>
#include <string.h>

/* FORTRAN blocks: WRITE (OUTPUT, label) list, and label FORMAT (...).

   A statement is a line with its continuation lines, put together without their
   first six columns; each of its characters knows its place in the text. */

#define VALUES  500 // most values of a FORMAT or WRITE that are compared
#define NESTING 10  // most nested groups

typedef struct Format {
    int64_t label;
    Span at; // its label
    uint32_t count;
    char kind[VALUES]; // E F G I A L
    const char *text;  // from ( to )
    bool used, wrong;
    struct Format *next;
} Format;

typedef struct Fortran {
    Checker *c;
    Node *node;
    bool exact; // the text is in the program unchanged
    Format *formats;
    bool lost;       // a WRITE or FORMAT could not be read: stop guessing
    char *s;         // the statement, ended by NUL
    uint32_t *place; // of each character in the raw text
    uint32_t at;     // the next character
} Fortran;

/* ---- Help ---------------------------------------------------------------- */

static bool is_digit(char ch)
{
    return (unsigned)(ch - '0') < 10;
}

static bool is_letter(char ch)
{
    return (unsigned)((ch | 32) - 'a') < 26;
}

static char upper(char ch)
{
    return ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A') : ch;
}

static Span span(const Fortran *f, uint32_t from, uint32_t to)
{
    Span at = f->node->at;
    if (!f->exact)
        return at;
    at.start += f->place[from];
    at.length = to > from ? f->place[to - 1] + 1 - f->place[from] : 1;
    return at;
}

#define FAULT(f, from, to, ...)                                                \
    unit_error((f)->c->unit, span((f), (from), (to)), (f)->node->origin,       \
               __VA_ARGS__)

static void skip_blanks(Fortran *f)
{
    while (f->s[f->at] == ' ' || f->s[f->at] == '\t' || f->s[f->at] == '\r')
        f->at++;
}

static bool accept(Fortran *f, char ch)
{
    skip_blanks(f);
    if (f->s[f->at] != ch)
        return false;
    f->at++;
    return true;
}

/* Digits; false if there are none. */
static bool read_number(Fortran *f, int64_t *v)
{
    skip_blanks(f);
    if (!is_digit(f->s[f->at]))
        return false;
    for (*v = 0; is_digit(f->s[f->at]); f->at++) {
        if (*v < 1000000)
            *v = *v * 10 + (f->s[f->at] - '0');
    }
    return true;
}

static uint32_t word_end(const Fortran *f, uint32_t k)
{
    while (is_letter(f->s[k]) || is_digit(f->s[k]) || f->s[k] == '_')
        k++;
    return k;
}

static bool accept_word(Fortran *f, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(f);
    for (size_t k = 0; k < n; k++) {
        if (upper(f->s[f->at + k]) != word[k])
            return false;
    }
    if (is_letter(f->s[f->at + n]) || is_digit(f->s[f->at + n]))
        return false;
    f->at += (uint32_t)n;
    return true;
}

/* ---- FORMAT -------------------------------------------------------------- */

static void add_value(Format *format, char kind, int64_t times)
{
    for (int64_t k = 0; k < times && k < VALUES; k++) {
        if (format->count < VALUES)
            format->kind[format->count] = kind;
        format->count++;
    }
}

/* '...' "..." $...$; the quote doubled stands for itself. */
static bool read_string(Fortran *f)
{
    char quote = f->s[f->at];
    uint32_t from = f->at++;
    for (;; f->at++) {
        if (f->s[f->at] == '\0') {
            FAULT(f, from, f->at, "this string is not closed");
            return false;
        }
        if (f->s[f->at] == quote && f->s[f->at + 1] == quote)
            f->at++;
        else if (f->s[f->at] == quote)
            break;
    }
    f->at++;
    return true;
}

/* Ee after Ew.d and Gw.d: digits of the exponent. (E12.4 would be the next
   descriptor.) */
static void skip_exponent(Fortran *f, char kind)
{
    uint32_t end = f->at + 1;
    if (kind == 'F' || upper(f->s[f->at]) != 'E')
        return;
    while (is_digit(f->s[end]))
        end++;
    if (end > f->at + 1 && f->s[end] != '.')
        f->at = end;
}

/* w.d after E F G; w after I L; nothing or w after A. */
static bool read_width(Fortran *f, char kind, uint32_t from)
{
    int64_t width = 0, decimals = 0;
    bool real = kind == 'E' || kind == 'F' || kind == 'G';
    if (!read_number(f, &width)) {
        if (kind == 'A')
            return true;
        FAULT(f, from, f->at, "%c needs a width, as in %c%s", kind, kind,
              real ? "12.4" : "5");
        return false;
    }
    if (!real)
        return true;
    if (!accept(f, '.') || !read_number(f, &decimals)) {
        FAULT(f, from, f->at, "%c needs a width and decimals, as in %c12.4",
              kind, kind);
        return false;
    }
    skip_exponent(f, kind);
    if (decimals < width)
        return true;
    FAULT(f, from, f->at, "there is no room for %d decimals in a width of %d",
          (int)decimals, (int)width);
    return false;
}

static bool read_descriptor(Fortran *f, Format *format, uint32_t from,
                            int64_t times)
{
    char kind = upper(f->s[f->at]);
    uint32_t end = word_end(f, f->at);
    if (kind != '\0' && strchr("EFGIAL", kind) != NULL) {
        f->at++;
        add_value(format, kind, times);
        return read_width(f, kind, from);
    }
    if (kind == 'X') {
        f->at++;
        return true;
    }
    if (kind == '\0')
        FAULT(f, f->at - 1, f->at, "`)` is missing at the end of this FORMAT");
    else
        FAULT(f, from, end > from ? end : from + 1,
              "`%.*s` is not a descriptor of a FORMAT: there are E F G I A L X "
              "/ and strings",
              (int)(end > from ? end - from : 1), f->s + from);
    return false;
}

static bool read_group(Fortran *f, Format *format, uint32_t depth);

static bool read_repeated(Fortran *f, Format *format, uint32_t depth)
{
    int64_t times = 1;
    uint32_t from = f->at, first = format->count, count;
    read_number(f, &times);
    skip_blanks(f);
    if (times < 1) {
        FAULT(f, from, f->at, "a repeat count must be at least 1");
        return false;
    }
    if (f->s[f->at] != '(')
        return read_descriptor(f, format, from, times);
    f->at++;
    if (depth == NESTING) {
        FAULT(f, from, f->at, "groups are nested more than %d deep", NESTING);
        return false;
    }
    if (!read_group(f, format, depth + 1))
        return false;
    count = format->count - first;
    for (int64_t k = 1; k < times && format->count < VALUES; k++) {
        for (uint32_t j = 0; j < count && first + j < VALUES; j++)
            add_value(format, format->kind[first + j], 1);
    }
    return true;
}

/* Reads everything after `(`, up to and including its `)`. */
static bool read_group(Fortran *f, Format *format, uint32_t depth)
{
    for (;;) {
        char ch;
        skip_blanks(f);
        ch = f->s[f->at];
        if (ch == ')') {
            f->at++;
            return true;
        }
        if (ch == ',' || ch == '/') {
            f->at++;
        } else if (ch == '\'' || ch == '"' || ch == '$') {
            if (!read_string(f))
                return false;
        } else if (!read_repeated(f, format, depth)) {
            return false;
        }
    }
}

/* Checks that the label is declared and has one FORMAT. */
static void check_label(Fortran *f, Format *format, uint32_t from, uint32_t to)
{
    Checker *c = f->c;
    char name[24];
    Symbol *s;
    Node *n;
    snprintf(name, sizeof name, "%d", (int)format->label);
    s = name_find(c, name);
    if (s == NULL) {
        FAULT(f, from, to, "label %s is not declared: LABEL %s;", name, name);
        return;
    }
    s->used = true;
    if (s->body != NULL) {
        FAULT(f, from, to, "there is already a FORMAT with label %s", name);
        unit_note(c->unit, s->body->at, "it is here");
        return;
    }
    n = node_new(c->unit->arena, NODE_INTEGER, span(f, from, to));
    if (n == NULL)
        c->broken = true;
    s->body = n;
}

static const char *copy_text(Fortran *f, uint32_t from, uint32_t to)
{
    char *text = NEW_ARRAY(f->c->unit->arena, char, to - from + 1);
    if (text == NULL) {
        f->c->broken = true;
        return "";
    }
    memcpy(text, f->s + from, to - from);
    return text;
}

static void read_format(Fortran *f, int64_t label, uint32_t from, uint32_t to)
{
    Format *format = NEW(f->c->unit->arena, Format);
    if (format == NULL) {
        f->c->broken = true;
        return;
    }
    format->label = label;
    format->at = span(f, from, to);
    format->next = f->formats;
    f->formats = format;
    check_label(f, format, from, to);
    skip_blanks(f);
    uint32_t open = f->at;
    if (!accept(f, '(')) {
        FAULT(f, f->at > 0 ? f->at - 1 : 0, f->at,
              "`(` is missing after FORMAT");
        format->wrong = true;
        return;
    }
    format->wrong = !read_group(f, format, 0);
    format->text = copy_text(f, open, f->at);
    skip_blanks(f);
    if (!format->wrong && f->s[f->at] != '\0')
        FAULT(f, f->at, (uint32_t)strlen(f->s),
              "nothing can follow the `)` of a FORMAT");
}

/* ---- WRITE --------------------------------------------------------------- */

static Node *make(Fortran *f, NodeKind kind, uint32_t from, uint32_t to)
{
    Checker *c = f->c;
    Node *n = node_new(c->unit->arena, kind, span(f, from, to));
    if (n == NULL) {
        c->broken = true;
        return NULL;
    }
    n->text = copy_text(f, from, to);
    n->origin = f->node->origin;
    return n;
}

/* A name or whole number. */
static Node *read_leaf(Fortran *f)
{
    uint32_t from;
    int64_t v = 0;
    Node *n;
    skip_blanks(f);
    from = f->at;
    if (is_letter(f->s[from])) {
        f->at = word_end(f, from);
        return make(f, NODE_NAME, from, f->at);
    }
    if (!read_number(f, &v)) {
        FAULT(f, from, from + 1, "a variable is expected here");
        return NULL;
    }
    n = make(f, NODE_INTEGER, from, f->at);
    if (n != NULL)
        n->integer = v;
    return n;
}

static Node *read_indices(Fortran *f, Node *of, char close, uint32_t from)
{
    Node *n = make(f, NODE_INDEX, from, f->at);
    Node *list = make(f, NODE_LIST, from, f->at);
    if (n == NULL || list == NULL)
        return NULL;
    do {
        Node *index = read_leaf(f);
        if (index == NULL)
            return NULL;
        node_add(list, index);
    } while (accept(f, ','));
    if (!accept(f, close)) {
        FAULT(f, f->at - 1, f->at, "`%c` is missing after the index", close);
        return NULL;
    }
    node_add(n, of);
    node_add(n, list);
    n->at = span(f, from, f->at);
    return n;
}

/* X, A[3], A(3), QUEUE.1.ARRIVTIME. */
static Node *read_item(Fortran *f)
{
    uint32_t from;
    Node *n, *part, *selection;
    skip_blanks(f);
    from = f->at;
    n = read_leaf(f);
    while (n != NULL) {
        if (accept(f, '['))
            n = read_indices(f, n, ']', from);
        else if (accept(f, '('))
            n = read_indices(f, n, ')', from);
        else if (accept(f, '.')) {
            part = read_leaf(f);
            selection = make(f, NODE_SELECT, from, f->at);
            if (part == NULL || selection == NULL)
                return NULL;
            node_add(selection, n);
            node_add(selection, part);
            n = selection;
        } else {
            return n;
        }
    }
    return NULL;
}

static bool fits(char kind, Type t)
{
    switch (kind) {
    case 'I': return t == TYPE_INTEGER;
    case 'L': return t == TYPE_TRUTH;
    case 'A': return t == TYPE_STRING;
    case 'G': return t == TYPE_REAL || t == TYPE_INTEGER;
    default: return t == TYPE_REAL;
    }
}

static const char *descriptor_for(Type t)
{
    return t == TYPE_INTEGER ? "I" : t == TYPE_TRUTH ? "L" : "E, F or G";
}

static void check_item(Fortran *f, const Format *format, uint32_t k, Node *n)
{
    Type t = check_expression(f->c, n);
    char kind;
    if (t == TYPE_ANY)
        return;
    if (t == TYPE_THING || t == TYPE_ENTRY) {
        ERROR(f->c, n, "this has no value to write");
        return;
    }
    if (format == NULL || format->wrong || k >= format->count || k >= VALUES)
        return;
    kind = format->kind[k];
    if (!fits(kind, t))
        ERROR(f->c, n,
              "FORMAT %d has %c for this value, which is %s: %s is needed",
              (int)format->label, kind, type_words(t), descriptor_for(t));
}

/* A FORMAT is used again for further values: 2 descriptors, 4 values. */
static void check_count(Fortran *f, const Format *format, uint32_t count,
                        uint32_t from)
{
    uint32_t n;
    if (format == NULL || format->wrong || format->count >= VALUES)
        return;
    n = format->count;
    if (count == n || (n > 0 && count % n == 0 && count > 0))
        return;
    if (n == 0)
        FAULT(f, from, f->at,
              "FORMAT %d has no descriptor for values, but %u %s written",
              (int)format->label, (unsigned)count, count == 1 ? "is" : "are");
    else
        unit_warning(f->c->unit, span(f, from, f->at), f->node->origin,
                     "FORMAT %d has descriptors for %u %s, but %u %s written",
                     (int)format->label, (unsigned)n,
                     n == 1 ? "value" : "values", (unsigned)count,
                     count == 1 ? "is" : "are");
}

/* Keeps what is written as a LIST below the FORTRAN node, with the FORMAT as
   its text. */
static void read_list(Fortran *f, const Format *format, uint32_t from)
{
    uint32_t count = 0;
    Node *list = make(f, NODE_LIST, from, f->at);
    if (list == NULL)
        return;
    list->text = format == NULL ? "()" : format->text;
    node_add(f->node, list);
    skip_blanks(f);
    while (f->s[f->at] != '\0') {
        Node *n = read_item(f);
        if (n == NULL)
            return;
        node_add(list, n);
        check_item(f, format, count++, n);
        if (!accept(f, ','))
            break;
    }
    skip_blanks(f);
    if (f->s[f->at] != '\0') {
        FAULT(f, f->at, f->at + 1, "`,` is expected between variables");
        return;
    }
    check_count(f, format, count, from);
}

/* Finds the FORMAT of a label, and marks it as used. */
static Format *find_format(const Fortran *f, int64_t label)
{
    Format *found = NULL;
    for (Format *k = f->formats; k != NULL; k = k->next) {
        if (k->label == label) {
            k->used = true;
            found = k;
        }
    }
    return found;
}

/* WRITE (OUTPUT, label); false after a message. */
static bool read_heading(Fortran *f, uint32_t from, uint32_t *label_at,
                         int64_t *label)
{
    bool good = accept(f, '(') && accept_word(f, "OUTPUT") && accept(f, ',');
    skip_blanks(f);
    *label_at = f->at;
    if (good && read_number(f, label))
        return true;
    f->lost = true;
    FAULT(f, from, f->at,
          "a WRITE statement begins with WRITE (OUTPUT, label)");
    return false;
}

/* Reports a label without its FORMAT. */
static void no_format(Fortran *f, int64_t label, uint32_t from)
{
    char name[24];
    snprintf(name, sizeof name, "%d", (int)label);
    symbol_use(name_find(f->c, name));
    if (!f->lost)
        FAULT(f, from, f->at, "there is no FORMAT with label %s in this block",
              name);
}

static void read_write(Fortran *f, uint32_t from)
{
    int64_t label = 0;
    uint32_t label_at;
    Format *format;
    if (!read_heading(f, from, &label_at, &label))
        return;
    format = find_format(f, label);
    if (format == NULL)
        no_format(f, label, label_at);
    if (accept(f, ')'))
        read_list(f, format, from);
    else
        FAULT(f, f->at - 1, f->at, "`)` is missing after the label");
}

/* ---- Statements ---------------------------------------------------------- */

/* Columns 1 to 5 blank, a digit other than 0 in column 6. */
static bool is_continuation(const char *line)
{
    for (int k = 0; k < 5; k++) {
        if (line[k] != ' ')
            return false;
    }
    return is_digit(line[5]) && line[5] != '0';
}

/* Copies a line from `k` on; returns the index of its end. */
static uint32_t copy_line(Fortran *f, const char *raw, uint32_t k, uint32_t *n)
{
    while (raw[k] != '\0' && raw[k] != '\n') {
        f->s[*n] = raw[k];
        f->place[(*n)++] = k++;
    }
    return raw[k] == '\n' ? k + 1 : k;
}

static uint32_t next_statement(Fortran *f, const char *raw, uint32_t k)
{
    uint32_t n = 0;
    k = copy_line(f, raw, k, &n);
    while (raw[k] != '\0' && is_continuation(raw + k))
        k = copy_line(f, raw, k + 6, &n);
    f->s[n] = '\0';
    f->place[n] = k;
    f->at = 0;
    return k;
}

static void no_label(Fortran *f, uint32_t from)
{
    f->lost = true;
    FAULT(f, from, f->at, "a FORMAT needs a label: 100 FORMAT (...)");
}

static void read_statement(Fortran *f, bool formats)
{
    int64_t label = -1;
    uint32_t from, end;
    skip_blanks(f);
    from = f->at;
    if (f->s[from] == '\0')
        return;
    read_number(f, &label);
    end = f->at;
    if (accept_word(f, "FORMAT")) {
        if (!formats)
            return;
        if (label < 0)
            no_label(f, from);
        else
            read_format(f, label, from, end);
    } else if (accept_word(f, "WRITE")) {
        if (!formats)
            read_write(f, from);
    } else if (formats) {
        end = word_end(f, from);
        f->lost = true;
        FAULT(f, from, end > from ? end : from + 1,
              "a FORTRAN block holds only WRITE and FORMAT");
    }
}

static void read_all(Fortran *f, const char *raw, bool formats)
{
    for (uint32_t k = 0; raw[k] != '\0';) {
        k = next_statement(f, raw, k);
        read_statement(f, formats);
    }
}

static bool is_exact(const Checker *c, const Node *n, size_t length)
{
    return n->at.file == c->unit->file &&
           n->at.start + length <= c->unit->length &&
           memcmp(c->unit->text + n->at.start, n->text, length) == 0;
}

void check_fortran(Checker *c, Node *n)
{
    size_t length = strlen(n->text);
    Fortran f = {.c = c, .node = n, .exact = is_exact(c, n, length)};
    f.s = NEW_ARRAY(c->unit->arena, char, length + 2);
    f.place = NEW_ARRAY(c->unit->arena, uint32_t, length + 2);
    if (f.s == NULL || f.place == NULL) {
        c->broken = true;
        return;
    }
    read_all(&f, n->text, true);
    read_all(&f, n->text, false);
    for (const Format *k = f.formats; k != NULL; k = k->next) {
        if (!k->used && !f.lost)
            unit_warning(c->unit, k->at, n->origin,
                         "no WRITE of this block uses FORMAT %d",
                         (int)k->label);
    }
}
