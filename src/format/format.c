#include "format/format.h"

#include <string.h>

#include "format/items.h"

/* ---- Proof --------------------------------------------------------------- */

static bool same_token(const Token *a, const Token *b)
{
    if (a->kind != b->kind || a->word != b->word)
        return false;
    return a->word == WORD_NONE ? strcmp(a->text, b->text) == 0
                                : name_same(a->text, b->text);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Compares comments, ignoring blanks and line ends. */
static bool same_comment(const Unit *a, Span in_a, const Unit *b, Span in_b)
{
    uint32_t i = 0, j = 0;
    for (;;) {
        while (i < in_a.length && is_space(a->text[in_a.start + i]))
            i++;
        while (j < in_b.length && is_space(b->text[in_b.start + j]))
            j++;
        if (i == in_a.length || j == in_b.length)
            return i == in_a.length && j == in_b.length;
        if (a->text[in_a.start + i++] != b->text[in_b.start + j++])
            return false;
    }
}

/* True if the text of b is that of a in another layout. */
static bool same_text(const Unit *a, const Unit *b)
{
    if (a->tokens.count != b->tokens.count ||
        a->comments.count != b->comments.count)
        return false;
    for (uint32_t k = 0; k < a->tokens.count; k++)
        if (!same_token(&a->tokens.token[k], &b->tokens.token[k]))
            return false;
    for (uint32_t k = 0; k < a->comments.count; k++)
        if (!same_comment(a, a->comments.at[k], b, b->comments.at[k]))
            return false;
    return true;
}

/* The output is read again: a mistake in the formatter must not cost anybody a
   program. */
static bool prove(Unit *u, Buffer *b)
{
    Diags diags = {.arena = u->arena};
    Unit again = {.arena = u->arena,
                  .diags = &diags,
                  .text = buffer_string(b),
                  .length = b->v.used};
    again.file = diags_add_file(&diags, u->name, again.text, again.length);
    if (lex(&again) && diags.errors == 0 && same_text(u, &again))
        return true;
    diag_error(u->diags, (Span){SPAN_NOWHERE, 0, 0},
               "the new layout would not be the same program: this is a "
               "mistake in COSY, please report it; nothing was changed");
    return false;
}

/* ---- Entry --------------------------------------------------------------- */

bool format_program(Unit *u, Buffer *b)
{
    Items s;
    if (!items_read(&s, u))
        return false;
    items_structure(&s);
    if (!s.failed)
        items_place(&s);
    if (!s.failed)
        items_print(&s, b);
    if (b->broken)
        items_fail(&s, NO_ROOM);
    return !s.failed && prove(u, b);
}
