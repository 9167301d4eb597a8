#include "grammar/ebnf.h"

#include <string.h>

const char *const class_names[] = {"IDENT", "INTEGER", "NUMBER", "STRING",
                                   "RAW"};

/* ---- Signs of the notation ----------------------------------------------- */

typedef enum SignKind {
    SIGN_END,
    SIGN_NAME,
    SIGN_DOUBLE, // "..."
    SIGN_SINGLE, // '...'
    SIGN_MARK,   // one of = . [ ] { } ( ) | !
    SIGN_BAD     // already reported
} SignKind;

typedef struct Reader {
    Grammar *g;
    Diags *d;
    const char *text;
    size_t length, pos;
    const char *section;
    SignKind kind; // kind of the next sign
    Span at;       // its place
    uint32_t depth;
    bool broken; // no memory, or a limit was reached
    Item spare;  // used in place of items if there is no memory
} Reader;

static Span span(const Reader *r, size_t start, size_t end)
{
    return (Span){r->g->file, (uint32_t)start, (uint32_t)(end - start)};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char char_at(const Reader *r, size_t pos)
{
    return pos < r->length ? r->text[pos] : '\0';
}

static const char *copy(Reader *r, size_t start, size_t end)
{
    char *s = NEW_ARRAY(r->g->arena, char, end - start + 1);
    if (s == NULL) {
        r->broken = true;
        return "";
    }
    memcpy(s, r->text + start, end - start);
    return s;
}

/* (* ---- Name ---- *) opens a section. */
static void note_section(Reader *r, size_t start, size_t end)
{
    const char *rule = "----";
    size_t edge = strlen(rule);
    while (start < end && is_blank(r->text[start]))
        start++;
    while (start < end && is_blank(r->text[end - 1]))
        end--;
    if (end - start <= 2 * edge || memcmp(r->text + start, rule, edge) != 0)
        return;
    while (start < end && (r->text[start] == '-' || is_blank(r->text[start])))
        start++;
    while (start < end &&
           (r->text[end - 1] == '-' || is_blank(r->text[end - 1])))
        end--;
    r->section = copy(r, start, end);
}

static void skip_comment(Reader *r)
{
    size_t start = r->pos;
    r->pos += 2;
    while (r->pos < r->length) {
        if (char_at(r, r->pos) == '*' && char_at(r, r->pos + 1) == ')') {
            note_section(r, start + 2, r->pos);
            r->pos += 2;
            return;
        }
        r->pos++;
    }
    diag_error(r->d, span(r, start, start + 2), "this comment has no end *)");
}

static void skip_blanks(Reader *r)
{
    for (;;) {
        if (is_blank(char_at(r, r->pos)))
            r->pos++;
        else if (char_at(r, r->pos) == '(' && char_at(r, r->pos + 1) == '*')
            skip_comment(r);
        else
            return;
    }
}

static void next_quoted(Reader *r, char quote)
{
    size_t start = r->pos++;
    while (r->pos < r->length && r->text[r->pos] != quote &&
           r->text[r->pos] != '\n')
        r->pos++;
    r->kind = quote == '"' ? SIGN_DOUBLE : SIGN_SINGLE;
    if (char_at(r, r->pos) != quote) {
        diag_error(r->d, span(r, start, r->pos),
                   "the quote %c is not closed on its line", quote);
        r->kind = SIGN_BAD;
    } else {
        r->pos++;
        if (r->pos - start == 2) {
            diag_error(r->d, span(r, start, r->pos),
                       "nothing stands between the quotes");
            r->kind = SIGN_BAD;
        }
    }
    r->at = span(r, start, r->pos);
}

static void next_sign(Reader *r)
{
    skip_blanks(r);
    size_t start = r->pos;
    char c = char_at(r, start);
    if (start >= r->length) {
        r->kind = SIGN_END;
        r->at = span(r, r->length, r->length);
    } else if (is_letter(c)) {
        while (is_letter(char_at(r, r->pos)) || is_digit(char_at(r, r->pos)))
            r->pos++;
        r->kind = SIGN_NAME;
        r->at = span(r, start, r->pos);
    } else if (c == '"' || c == '\'') {
        next_quoted(r, c);
    } else {
        r->pos++;
        r->kind = c != '\0' && strchr("=.[]{}()|!", c) ? SIGN_MARK : SIGN_BAD;
        r->at = span(r, start, r->pos);
        if (r->kind == SIGN_BAD)
            diag_error(r->d, r->at,
                       "this character means nothing in a grammar; words and "
                       "signs of the language stand in quotes");
    }
}

static bool is_mark(const Reader *r, char c)
{
    return r->kind == SIGN_MARK && r->text[r->at.start] == c;
}

/* ---- Symbols and rules --------------------------------------------------- */

int32_t grammar_find_rule(const Grammar *g, const char *name)
{
    for (uint32_t k = 0; k < g->rules; k++) {
        if (strcmp(g->rule[k].name, name) == 0)
            return (int32_t)k;
    }
    return -1;
}

int32_t grammar_find_symbol(const Grammar *g, SymbolKind kind, const char *text)
{
    for (uint32_t k = 0; k < g->symbols; k++) {
        if (g->symbol[k].kind == kind && strcmp(g->symbol[k].text, text) == 0)
            return (int32_t)k;
    }
    return -1;
}

static uint32_t symbol_number(Reader *r, SymbolKind kind, const char *text,
                              Span at)
{
    int32_t found = grammar_find_symbol(r->g, kind, text);
    if (found >= 0)
        return (uint32_t)found;
    if (r->g->symbols == SYMBOL_LIMIT) {
        if (!r->broken)
            diag_error(r->d, at, "more than %d symbols", SYMBOL_LIMIT);
        r->broken = true;
        return 0;
    }
    r->g->symbol[r->g->symbols] = (Symbol){kind, at, text};
    return r->g->symbols++;
}

static uint32_t rule_number(Reader *r, const char *name, Span at)
{
    int32_t found = grammar_find_rule(r->g, name);
    if (found >= 0)
        return (uint32_t)found;
    if (r->g->rules == RULE_LIMIT) {
        if (!r->broken)
            diag_error(r->d, at, "more than %d rules", RULE_LIMIT);
        r->broken = true;
        return 0;
    }
    r->g->rule[r->g->rules] =
        (Rule){.name = name, .section = r->section, .at = at};
    return r->g->rules++;
}

void symbol_write(Buffer *b, const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_END: buffer_text(b, "the end of the text"); break;
    case SYMBOL_CLASS: buffer_text(b, s->text); break;
    case SYMBOL_OPTION: buffer_format(b, "'%s'", s->text); break;
    default: buffer_format(b, "\"%s\"", s->text);
    }
}

/* ---- Items --------------------------------------------------------------- */

static Item *read_choice(Reader *r);

static Item *item_new(Reader *r, ItemKind kind, Span at)
{
    Item *i = NEW(r->g->arena, Item);
    if (i == NULL) {
        r->broken = true;
        i = &r->spare;
    }
    *i = (Item){.kind = kind, .at = at};
    return i;
}

static Span join(Span a, Span b)
{
    return (Span){a.file, a.start, b.start + b.length - a.start};
}

static bool is_class(const char *name)
{
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        if (strcmp(class_names[k], name) == 0)
            return true;
    }
    return false;
}

static bool has_small_letter(const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name >= 'a' && *name <= 'z')
            return true;
    }
    return false;
}

static Item *read_name(Reader *r)
{
    const char *name = copy(r, r->at.start, r->at.start + r->at.length);
    Item *i = item_new(r, ITEM_RULE, r->at);
    if (is_class(name)) {
        i->kind = ITEM_SYMBOL;
        i->index = symbol_number(r, SYMBOL_CLASS, name, r->at);
    } else {
        if (!has_small_letter(name))
            diag_error(r->d, r->at,
                       "%s is not a class (IDENT, INTEGER, NUMBER, STRING, "
                       "RAW); a word must be in quotes, a rule in lower case",
                       name);
        i->index = rule_number(r, name, r->at);
    }
    next_sign(r);
    return i;
}

static Item *read_quoted(Reader *r)
{
    const char *text = copy(r, r->at.start + 1, r->at.start + r->at.length - 1);
    bool word = is_letter(text[0]);
    SymbolKind kind = word ? SYMBOL_WORD : SYMBOL_SIGN;
    Item *i = item_new(r, ITEM_SYMBOL, r->at);
    if (r->kind == SIGN_SINGLE) {
        if (!word)
            diag_error(r->d, r->at,
                       "single quotes are for option words; write \"%s\"",
                       text);
        kind = SYMBOL_OPTION;
    }
    i->index = symbol_number(r, kind, text, r->at);
    next_sign(r);
    return i;
}

static Item *read_bracket(Reader *r)
{
    char open = r->text[r->at.start];
    char close = open == '[' ? ']' : open == '{' ? '}' : ')';
    ItemKind kind = open == '[' ? ITEM_OPTION : ITEM_REPEAT;
    Span at = r->at;
    next_sign(r);
    Item *inner = read_choice(r);
    if (!is_mark(r, close)) {
        diag_error(r->d, at, "no %c closes this %c", close, open);
        r->kind = SIGN_BAD;
        return inner;
    }
    at = join(at, r->at);
    next_sign(r);
    if (open == '(')
        return inner;
    Item *i = item_new(r, kind, at);
    i->first = inner;
    if (is_mark(r, '!')) {
        if (kind != ITEM_OPTION)
            diag_error(r->d, r->at, "! may only follow an option");
        i->nearest = true;
        next_sign(r);
    }
    return i;
}

/* NULL if nothing begins here. */
static Item *read_item(Reader *r)
{
    if (r->kind == SIGN_NAME)
        return read_name(r);
    if (r->kind == SIGN_DOUBLE || r->kind == SIGN_SINGLE)
        return read_quoted(r);
    if (is_mark(r, '[') || is_mark(r, '{') || is_mark(r, '('))
        return read_bracket(r);
    return NULL;
}

static Item *read_sequence(Reader *r)
{
    Item *sequence = item_new(r, ITEM_SEQUENCE, r->at);
    Item **end = &sequence->first;
    Item *i;
    sequence->at.length = 0;
    while (!r->broken && (i = read_item(r)) != NULL) {
        sequence->at = join(sequence->at, i->at);
        *end = i;
        end = &i->next;
    }
    if (sequence->first != NULL && sequence->first->next == NULL)
        return sequence->first;
    return sequence;
}

static Item *read_alternatives(Reader *r)
{
    Item *one = read_sequence(r);
    if (!is_mark(r, '|'))
        return one;
    Item *choice = item_new(r, ITEM_CHOICE, one->at);
    choice->first = one;
    while (!r->broken && is_mark(r, '|')) {
        next_sign(r);
        Item *other = read_sequence(r);
        one->next = other;
        one = other;
    }
    choice->at = join(choice->at, one->at);
    return choice;
}

static Item *read_choice(Reader *r)
{
    Item *i;
    if (r->depth == NESTING_LIMIT) {
        diag_error(r->d, r->at, "brackets are nested more than %d deep",
                   NESTING_LIMIT);
        r->broken = true;
        return item_new(r, ITEM_SEQUENCE, r->at);
    }
    r->depth++;
    i = read_alternatives(r);
    r->depth--;
    return i;
}

/* ---- Rules --------------------------------------------------------------- */

/* Skips to the sign after the point that ends a rule. */
static void skip_rule(Reader *r)
{
    while (r->kind != SIGN_END && !is_mark(r, '.'))
        next_sign(r);
    if (r->kind != SIGN_END)
        next_sign(r);
}

static void read_body(Reader *r, uint32_t number)
{
    Rule *rule = &r->g->rule[number];
    Item *body;
    if (!is_mark(r, '=')) {
        if (r->kind != SIGN_BAD)
            diag_error(r->d, r->at, "rule %s: = is expected here", rule->name);
        skip_rule(r);
        return;
    }
    next_sign(r);
    body = read_choice(r);
    if (rule->body == NULL)
        rule->body = body;
    if (is_mark(r, '.')) {
        rule->text = join(rule->at, r->at);
        next_sign(r);
        return;
    }
    if (r->kind != SIGN_BAD && !r->broken)
        diag_error(r->d, r->at,
                   "rule %s: a point should end it, or one more item stand "
                   "here",
                   rule->name);
    skip_rule(r);
}

static void read_rule(Reader *r)
{
    if (r->kind != SIGN_NAME) {
        if (r->kind != SIGN_BAD)
            diag_error(r->d, r->at, "the name of a rule is expected here");
        skip_rule(r);
        return;
    }
    const char *name = copy(r, r->at.start, r->at.start + r->at.length);
    Span at = r->at;
    uint32_t number = rule_number(r, name, at);
    Rule *rule = &r->g->rule[number];
    if (!has_small_letter(name))
        diag_error(r->d, at, "the name of a rule is in lower case");
    if (rule->body != NULL) {
        diag_error(r->d, at, "rule %s is defined twice", name);
        diag_note(r->d, rule->at, "it was defined here");
    } else {
        rule->at = at;
        rule->section = r->section;
    }
    next_sign(r);
    read_body(r, number);
}

bool grammar_read(Grammar *g, Arena *a, Diags *d, const char *name,
                  const char *text, size_t length)
{
    Reader r = {.g = g, .d = d, .text = text, .length = length, .section = ""};
    uint32_t errors = d->errors;
    *g = (Grammar){.arena = a, .text = text};
    g->file = diags_add_file(d, name, text, length);
    g->rule = NEW_ARRAY(a, Rule, RULE_LIMIT);
    g->symbol = NEW_ARRAY(a, Symbol, SYMBOL_LIMIT);
    if (g->rule == NULL || g->symbol == NULL)
        return false;
    symbol_number(&r, SYMBOL_END, "end", span(&r, length, length));
    next_sign(&r);
    if (r.kind == SIGN_END)
        diag_error(d, r.at, "there is no rule in this file");
    while (r.kind != SIGN_END && !r.broken)
        read_rule(&r);
    return d->errors == errors && !r.broken;
}

bool item_equal(const Item *a, const Item *b)
{
    if (a->kind != b->kind || a->index != b->index || a->nearest != b->nearest)
        return false;
    const Item *x = a->first, *y = b->first;
    for (; x != NULL && y != NULL; x = x->next, y = y->next) {
        if (!item_equal(x, y))
            return false;
    }
    return x == NULL && y == NULL;
}
