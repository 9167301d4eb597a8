#include "expand/block.h"

static bool is_side(Word w)
{
    return w == WORD_LEFT || w == WORD_RIGHT || w == WORD_TOP ||
           w == WORD_BOTTOM;
}

/* OUTPUT is also a modifier, and a file of the heading. */
static bool begins_segment(const BlockScan *s)
{
    return s->before == WORD_SEMICOLON || s->before == WORD_END;
}

static bool begins_alone(const Token *t)
{
    return t[1].word != WORD_FUNCTION && t[1].word != WORD_PROCESS;
}

static int opens_by_word(BlockScan *s, const Token *t)
{
    switch (t->word) {
    case WORD_FUNCTION: s->skip_colon = true; return 0;
    case WORD_FILE: s->skip_colon |= t[1].word == WORD_OF; return 0;
    case WORD_ELSE: return s->before == WORD_SEMICOLON;
    case WORD_MODEL: return t[1].kind == TOKEN_NAME && t[2].word == WORD_LPAREN;
    case WORD_WHERE: return s->kind_before != TOKEN_STRING; // FIT has one too
    case WORD_CONTINUOUS:
    case WORD_DISCRETE: return begins_alone(t);
    case WORD_CONDIT: s->skip_colon = true; return 1;
    case WORD_MINIMIZE:
    case WORD_SOLVE:
    case WORD_MAXIMIZE: s->skip_colon = true; return 2;
    case WORD_OUTPUT:
        if (!begins_segment(s))
            return 0;
        s->quiet_depth = s->depth + 1;
        return 1;
    case WORD_RANDOMGEN:
    case WORD_UNCERTAIN:
    case WORD_HISTOGRAM: s->quiet_depth = s->depth + 1; return 1;
    case WORD_BEGIN:
    case WORD_RECORD:
    case WORD_COMMUNIC:
    case WORD_PROCEDURAL:
    case WORD_BOUNDARY:
    case WORD_INITIAL:
    case WORD_TERMINAL:
    case WORD_EVENTS:
    case WORD_SAMPLES:
    case WORD_PROCESSES:
    case WORD_SYSTEM:
    case WORD_EXPERIMENT:
    case WORD_FRAME:
    case WORD_COLLECT:
    case WORD_TIMEPERS:
    case WORD_FIT:
    case WORD_SUBJECT:
    case WORD_MODULE:
    case WORD_PROGRAM: return 1;
    default: return 0;
    }
}

/* A branch of CASE, an event, a sample: `label: ... END`. */
static int opens_by_colon(BlockScan *s)
{
    bool is_quiet = s->quiet_depth > 0 && s->depth >= s->quiet_depth;
    if (s->skip_colon) {
        s->skip_colon = false;
        return 0;
    }
    return !is_quiet && !(is_side(s->before) && s->sides);
}

static int step(BlockScan *s, const Token *t)
{
    if (t->word == WORD_LPAREN || t->word == WORD_LBRACKET)
        s->brackets++;
    else if (t->word == WORD_RPAREN || t->word == WORD_RBRACKET)
        s->brackets -= s->brackets > 0;
    else if (t->word == WORD_SEMICOLON && s->brackets == 0)
        s->skip_colon = false;
    if (s->brackets > 0)
        return 0;
    if (t->word == WORD_END)
        return -1;
    return t->word == WORD_COLON ? opens_by_colon(s) : opens_by_word(s, t);
}

int block_step(BlockScan *s, const Token *t)
{
    int change = step(s, t);
    if (change > 0)
        s->depth += (uint32_t)change;
    else if (change < 0 && s->depth > 0)
        s->depth--;
    if (s->depth < s->quiet_depth)
        s->quiet_depth = 0;
    s->sides = t->word == WORD_AT ||
               (s->sides && (is_side(t->word) || t->word == WORD_COMMA));
    s->before = t->word;
    s->kind_before = t->kind;
    return change;
}

uint32_t block_end(const Token *token, uint32_t count, uint32_t at)
{
    BlockScan s = {0};
    for (uint32_t k = at; k < count && token[k].kind != TOKEN_END; k++)
        if (block_step(&s, &token[k]) < 0 && s.depth == 0)
            return k;
    return count;
}
