#include "syntax/spacing.h"

#include "syntax/words.h"

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

/* After an option word only the writer knows which it is: RANGE -1 .. 1, LAST -
   1. */
static bool is_sign(const Token *first, const Token *t)
{
    const Token *before = t - 1;
    if (t->word != WORD_PLUS && t->word != WORD_MINUS)
        return false;
    if (t == first || is_operator(before->word) || before->kind == TOKEN_WORD)
        return true;
    return before->kind == TOKEN_NAME && before->word != WORD_NONE &&
           !t->touches && t[1].touches;
}

static bool binds_tightly(Word w)
{
    return w == WORD_TIMES || w == WORD_SLASH || w == WORD_POWER ||
           w == WORD_CARET || w == WORD_DOT || w == WORD_PRIME ||
           w == WORD_PERCENT;
}

static bool is_number(const Token *t)
{
    return t->kind == TOKEN_INTEGER || t->kind == TOKEN_NUMBER;
}

/* Places where both ways mean the same and are in use: NAME=VALUE of a call,
   items with widths, calls and indices, anything next to {...}. */
static bool is_as_written(const Token *t, bool inside)
{
    const Token *before = t - 1;
    if (t->kind == TOKEN_INSERT || before->kind == TOKEN_INSERT)
        return true;
    if (t->word == WORD_LBRACKET && is_number(before))
        return false;
    if (t->word == WORD_LPAREN || t->word == WORD_LBRACKET)
        return before->kind == TOKEN_NAME || before->word == WORD_RBRACKET ||
               before->word == WORD_PRIME || before->word == WORD_MOD ||
               is_number(before);
    if (!inside)
        return false;
    if (before->word == WORD_COLON)
        return true;
    return (t->word == WORD_EQUAL && t->touches && t[1].touches) ||
           (before->word == WORD_EQUAL && before->touches && t->touches);
}

bool spacing_blank(const Token *first, const Token *t, bool inside)
{
    const Token *before = t - 1;
    if (t->kind == TOKEN_RAW)
        return false;
    switch (t->word) {
    case WORD_SEMICOLON:
    case WORD_COMMA:
    case WORD_RPAREN:
    case WORD_RBRACKET:
    case WORD_COLON: return false;
    default: break;
    }
    if (is_as_written(t, inside))
        return !t->touches;
    if (before->word == WORD_PRIME && !binds_tightly(t->word))
        return true;
    if (binds_tightly(t->word) || binds_tightly(before->word))
        return t->kind == TOKEN_WORD;
    return before->word != WORD_LPAREN && before->word != WORD_LBRACKET &&
           !is_sign(first, before);
}
