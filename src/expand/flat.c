#include "expand/block.h"
#include "expand/expand.h"
#include "syntax/spacing.h"

#define DEEPEST 20 // most steps of indentation

/* Lays out tokens. `lines` remembers for each open block whether its parts are
   on lines of their own. */
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

/* These continue after their word, up to a `;`. */
static bool has_heading(Word w)
{
    return w == WORD_MODEL || w == WORD_COMMUNIC || w == WORD_PROCEDURAL ||
           w == WORD_MODULE || w == WORD_MINIMIZE || w == WORD_MAXIMIZE ||
           w == WORD_SOLVE || w == WORD_FIT || w == WORD_BOUNDARY;
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
    int change = block_step(&p->scan, &t[k]);
    bool was_lines = change < 0 && close_block(p);
    bool begins = t[k].word == WORD_VAR && p->scan.brackets == 0;
    if (was_lines || begins)
        new_line(p);
    if (k > 0 && !p->at_start && spacing_blank(t, &t[k], p->scan.brackets > 0))
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
