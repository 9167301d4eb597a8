#include "expand/block.h"
#include "expand/expand.h"

#define DEEPEST 20 // indentation goes no further

/* Laying out tokens. `lines` remembers of each open block whether its parts
   stand on lines of their own. */
typedef struct Page {
    Buffer *b;
    BlockScan scan;
    Vector lines; // bool
    bool at_start;
} Page;

static void new_line(Page *p)
{
    if (!p->at_start)
        buffer_char(p->b, '\n');
    p->at_start = true;
}

static void indent(Page *p)
{
    size_t depth = 0;
    for (size_t k = 0; k < p->lines.used && depth < DEEPEST; k++)
        depth += p->lines.bytes[k];
    if (p->at_start)
        for (size_t k = 0; k < depth; k++)
            buffer_text(p->b, "  ");
    p->at_start = false;
}

static bool is_operator(Word w)
{
    switch (w) {
    case WORD_PLUS:
    case WORD_MINUS:
    case WORD_TIMES:
    case WORD_SLASH:
    case WORD_POWER:
    case WORD_CARET:
    case WORD_EQUAL:
    case WORD_BECOMES:
    case WORD_LESS:
    case WORD_GREATER:
    case WORD_LESS_EQUAL:
    case WORD_GREATER_EQUAL:
    case WORD_UNEQUAL:
    case WORD_ARROW:
    case WORD_COMMA:
    case WORD_LPAREN:
    case WORD_LBRACKET:
    case WORD_DOTDOT:
    case WORD_SEMICOLON:
    case WORD_COLON: return true;
    default: return false;
    }
}

static bool is_sign(const Token *t, const Token *before)
{
    return (t->word == WORD_PLUS || t->word == WORD_MINUS) &&
           (before == NULL || is_operator(before->word) ||
            before->kind == TOKEN_WORD);
}

static bool binds_tightly(Word w)
{
    return w == WORD_TIMES || w == WORD_SLASH || w == WORD_POWER ||
           w == WORD_CARET || w == WORD_DOT || w == WORD_PRIME ||
           w == WORD_PERCENT;
}

static bool wants_blank(const Token *t, const Token *before,
                        const Token *before_that)
{
    if (t->kind == TOKEN_RAW)
        return false;
    switch (t->word) {
    case WORD_SEMICOLON:
    case WORD_COMMA:
    case WORD_RPAREN:
    case WORD_RBRACKET:
    case WORD_COLON: return false;
    case WORD_LPAREN:
    case WORD_LBRACKET:
        if (before->kind == TOKEN_NAME || before->word == WORD_RBRACKET ||
            before->kind == TOKEN_INTEGER || before->kind == TOKEN_NUMBER)
            return !t->touches;
        break;
    default: break;
    }
    if (before->word == WORD_PRIME && !binds_tightly(t->word))
        return true;
    if (binds_tightly(t->word) || binds_tightly(before->word))
        return t->kind == TOKEN_WORD;
    return before->word != WORD_LPAREN && before->word != WORD_LBRACKET &&
           !is_sign(before, before_that);
}

static void print_string(Buffer *b, const char *s)
{
    buffer_char(b, '"');
    for (; *s != '\0'; s++) {
        if (*s == '"')
            buffer_char(b, '"');
        buffer_char(b, *s);
    }
    buffer_char(b, '"');
}

static void print_token(Page *p, const Token *t)
{
    if (t->kind == TOKEN_STRING)
        print_string(p->b, t->text);
    else if (t->kind == TOKEN_INSERT)
        buffer_format(p->b, "{%s}", t->text);
    else if (t->kind == TOKEN_RAW)
        buffer_format(p->b, "%sEND", t->text);
    else
        buffer_text(p->b,
                    t->kind == TOKEN_SYMBOL ? word_text(t->word) : t->text);
}

/* Short blocks stay on their line. */
static bool has_lines(Word w)
{
    switch (w) {
    case WORD_CONDIT:
    case WORD_COLLECT:
    case WORD_TIMEPERS:
    case WORD_WHERE:
    case WORD_RECORD:
    case WORD_PROGRAM:
    case WORD_SUBJECT: return false;
    default: return true;
    }
}

/* These go on behind their word, up to a `;`. */
static bool has_heading(Word w)
{
    return w == WORD_MODEL || w == WORD_COMMUNIC || w == WORD_PROCEDURAL ||
           w == WORD_MODULE || w == WORD_MINIMIZE || w == WORD_MAXIMIZE ||
           w == WORD_FIT || w == WORD_BOUNDARY;
}

static void open_blocks(Page *p, Word w, int n)
{
    unsigned char lines = has_lines(w);
    while (n-- > 0)
        p->b->broken |= !vector_append(&p->lines, &lines, 1);
    if (lines && !has_heading(w))
        new_line(p);
}

static bool close_block(Page *p)
{
    if (p->lines.used == 0)
        return false;
    return p->lines.bytes[--p->lines.used];
}

static bool inline_block(const Page *p)
{
    size_t n = p->lines.used;
    return n > 1 && !p->lines.bytes[n - 1]; // the first is the program itself
}

static void print_next(Page *p, const Token *t, uint32_t k)
{
    const Token *before = k > 0 ? &t[k - 1] : NULL;
    int change = block_step(&p->scan, &t[k]);
    bool was_lines = change < 0 && close_block(p);
    bool begins = t[k].word == WORD_VAR && p->scan.brackets == 0;
    if (was_lines || begins)
        new_line(p);
    if (before != NULL && !p->at_start &&
        wants_blank(&t[k], before, k > 1 ? &t[k - 2] : NULL))
        buffer_char(p->b, ' ');
    indent(p);
    print_token(p, &t[k]);
    if (change > 0)
        open_blocks(p, t[k].word, change);
    else if (t[k].word == WORD_SEMICOLON && p->scan.brackets == 0 &&
             !inline_block(p))
        new_line(p);
    else if (was_lines && t[k + 1].word != WORD_SEMICOLON &&
             t[k + 1].word != WORD_DOT && t[k + 1].word != WORD_ELSE)
        new_line(p);
}

void flat_print(const Unit *u, Buffer *b)
{
    Page p = {.b = b, .at_start = true};
    for (uint32_t k = 0; k + 1 < u->flat.count; k++)
        print_next(&p, u->flat.token, k);
    new_line(&p);
    vector_free(&p.lines);
}
