#include "format/items.h"

#include <string.h>

#include "base/text.h"
#include "syntax/spacing.h"
#include "syntax/words.h"

#define TAB_WIDTH 8

void items_fail(Items *s, const char *message)
{
    if (!s->failed)
        diag_error(s->u->diags, (Span){SPAN_NOWHERE, 0, 0}, "%s", message);
    s->failed = true;
}

/* ---- Groups -------------------------------------------------------------- */

uint32_t items_group(Items *s, uint32_t parent)
{
    if (s->groups == s->room) {
        uint32_t room = s->room ? 2 * s->room : 256;
        Group *group = NEW_ARRAY(s->u->arena, Group, room);
        if (group == NULL) {
            items_fail(s, NO_ROOM);
            return NO_GROUP;
        }
        if (s->groups > 0)
            memcpy(group, s->group, s->groups * sizeof *group);
        s->group = group;
        s->room = room;
    }
    s->group[s->groups] = (Group){
        .parent = parent,
        .depth = parent == NO_GROUP ? 0 : s->group[parent].depth + 1,
    };
    return s->groups++;
}

bool items_open(Items *s, uint32_t group)
{
    bool changed = false;
    for (; group != NO_GROUP && !s->group[group].open;
         group = s->group[group].parent)
        changed = s->group[group].open = true;
    return changed;
}

/* ---- Lines of an item ---------------------------------------------------- */

uint32_t item_margin(const Item *i, uint32_t at, uint32_t *past)
{
    uint32_t column = 0;
    for (; at < i->length; at++)
        if (i->text[at] == '\t')
            column += TAB_WIDTH - column % TAB_WIDTH;
        else if (i->text[at] == ' ')
            column++;
        else
            break;
    *past = at;
    return column;
}

uint32_t item_moved(const Item *i, uint32_t column, uint32_t to)
{
    column += to;
    return column > i->was_column ? column - i->was_column : 0;
}

uint32_t item_end(const Item *i)
{
    uint32_t at = i->length, column = i->column;
    if (i->tall) {
        while (at > 0 && i->text[at - 1] != '\n')
            at--;
        column = item_margin(i, at, &at);
        if (i->token == NULL)
            column = item_moved(i, column, i->column);
    } else {
        at = 0;
    }
    return column + (uint32_t)text_char_count(i->text + at, i->length - at);
}

/* ---- Words --------------------------------------------------------------- */

/* The item of the token that begins at this place; NULL if none does. */
static Item *item_at(const Items *s, uint32_t start)
{
    const Token *token = s->u->tokens.token;
    uint32_t low = 0, high = s->tokens;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (token[middle].at.start < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->tokens || token[low].at.start != start)
        return NULL;
    return &s->item[s->of_token[low]];
}

static bool is_option(const Token *t, uint32_t file)
{
    return t->kind == TOKEN_NAME && t->at.file == file &&
           word_class(t->word) == WORD_CLASS_OPTION;
}

/* A word counts as an option if the parser did not read it as a name; what it
   never saw (a macro that is not called) stays as it is. */
static void find_options(Items *s)
{
    const Tokens *flat = s->u->flat.count > 0 ? &s->u->flat : &s->u->tokens;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < flat->count; k++) {
            const Token *t = &flat->token[k];
            Item *i;
            if (!is_option(t, s->u->file) || t->named != (pass == 1))
                continue;
            i = item_at(s, t->at.start);
            if (i != NULL && i->token->word == t->word)
                i->upper = pass == 0;
        }
}

/* ---- What stands in the source ------------------------------------------- */

/* From the end of one item to the start of the next: line ends and column. */
typedef struct Place {
    uint32_t at, line, column;
} Place;

static void go_to(const Unit *u, Place *p, uint32_t to)
{
    while (p->at < to) {
        size_t n;
        char c = u->text[p->at];
        if (c == '\n' || (c == '\r' && (p->at + 1 == u->length ||
                                        u->text[p->at + 1] != '\n'))) {
            p->line++;
            p->column = 0;
        } else if (c == '\t') {
            p->column += TAB_WIDTH - p->column % TAB_WIDTH;
        } else if (c != '\r') {
            p->column++;
        }
        n = text_char_length(u->text + p->at, u->length - p->at);
        p->at += n == 0 ? 1 : (uint32_t)n;
    }
}

static void fill(Items *s, Place *p, Span at, const Token *t)
{
    Item *i = &s->item[s->count];
    uint32_t line = p->line;
    go_to(s->u, p, at.start);
    *i = (Item){.token = t,
                .text = s->u->text + at.start,
                .length = at.length,
                .lines = p->line - line,
                .was_column = p->column,
                .group = NO_GROUP};
    line = p->line;
    go_to(s->u, p, at.start + at.length);
    i->tall = p->line > line;
    while (t == NULL && i->length > 0 &&
           strchr(" \t\r", i->text[i->length - 1]) != NULL)
        i->length--;
    i->upper = t != NULL && t->kind == TOKEN_WORD;
    s->count++;
}

/* Finds blanks, and line ends between tokens, whatever comments are there. */
static void look_between(Items *s)
{
    const Token *first = s->u->tokens.token;
    uint32_t brackets = 0;
    bool user = false, forced = false;
    for (uint32_t k = 0; k < s->count; k++) {
        Item *i = &s->item[k];
        user = user || i->lines > 0;
        forced = forced || (i->lines > 0 && k > 0 &&
                            (i->token == NULL || i[-1].token == NULL));
        if (i->token == NULL)
            continue;
        i->user = user;
        i->forced = forced;
        i->blank =
            i->token > first && spacing_blank(first, i->token, brackets > 0);
        i->inside = brackets;
        user = forced = false;
        if (i->token->word == WORD_LPAREN || i->token->word == WORD_LBRACKET)
            brackets++;
        else if ((i->token->word == WORD_RPAREN ||
                  i->token->word == WORD_RBRACKET) &&
                 brackets > 0)
            i->inside = --brackets;
    }
}

bool items_read(Items *s, Unit *u)
{
    Place p = {0};
    uint32_t c = 0;
    *s = (Items){.u = u, .tokens = u->tokens.count - 1};
    s->item = NEW_ARRAY(u->arena, Item, s->tokens + u->comments.count + 1);
    s->of_token = NEW_ARRAY(u->arena, uint32_t, s->tokens + 1);
    if (s->item == NULL || s->of_token == NULL) {
        items_fail(s, NO_ROOM);
        return false;
    }
    for (uint32_t k = 0; k < s->tokens; k++) {
        const Token *t = &u->tokens.token[k];
        for (; c < u->comments.count && u->comments.at[c].start < t->at.start;
             c++)
            fill(s, &p, u->comments.at[c], NULL);
        s->of_token[k] = s->count;
        fill(s, &p, t->at, t);
    }
    for (; c < u->comments.count; c++)
        fill(s, &p, u->comments.at[c], NULL);
    look_between(s);
    find_options(s);
    return true;
}
