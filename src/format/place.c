/* Which gaps become line ends, and where every item stands.

   settle() follows the rules of the groups until nothing changes. Then columns
   are computed, and in every line that is too long one thing is done: the
   outermost group on it is opened, or its statements are separated, or, if
   neither is possible, the line is broken within the statement. */

#include "format/items.h"

#define FARTHEST      44 // rightmost column at which a statement continues
#define CONTINUATION  4  // otherwise indented by this much
#define LONGEST_STACK 64 // brackets whose columns are remembered

/* ---- Groups -------------------------------------------------------------- */

static bool is_open(const Items *s, uint32_t group)
{
    return group != NO_GROUP && s->group[group].open;
}

static bool wants_line(const Items *s, const Item *i)
{
    if (i->forced || i->needed)
        return true;
    switch (i->gap) {
    case GAP_SOFT: return i->user;
    case GAP_JOIN: return false;
    case GAP_CONSISTENT: return i->user || is_open(s, i->group);
    case GAP_BETWEEN:
        return i->user || is_open(s, i->left) || is_open(s, i->right);
    case GAP_MUST: return true;
    }
    return false;
}

static void settle(Items *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < s->count; k++) {
            Item *i = &s->item[k];
            if (i->token == NULL || i->breaks || !wants_line(s, i))
                continue;
            i->breaks = changed = true;
            items_open(s, i->group);
        }
    }
}

/* An item that extends over several lines opens its group: that of the gap
   before it, or of the gap that holds the comment. */
static void open_tall(Items *s)
{
    uint32_t group = NO_GROUP;
    for (uint32_t k = s->count; k-- > 0;) {
        const Item *i = &s->item[k];
        if (i->token != NULL)
            group = i->group;
        if (i->tall)
            items_open(s, group);
    }
}

/* ---- Columns ------------------------------------------------------------- */

/* Where the next line of the present statement would begin. */
typedef struct Anchor {
    const Item *lead; // first token of the statement
    const Item *last;
    uint32_t column, indent;
    bool set;
    uint32_t bracket[LONGEST_STACK], depth;
} Anchor;

static uint32_t below(const Anchor *a, uint32_t column)
{
    return column > FARTHEST ? a->indent + CONTINUATION : column;
}

static uint32_t next_column(const Anchor *a)
{
    if (a->depth > 0 && a->depth <= LONGEST_STACK)
        return a->bracket[a->depth - 1];
    return a->column;
}

/* The first item of a declaration follows the type, that of other statements
   the first word; elsewhere what follows = := : counts. */
static bool sets_anchor(const Anchor *a, const Item *i)
{
    const Token *lead = a->lead->token, *before = a->last->token;
    if (a->set || a->depth > 0)
        return false;
    if (lead->word == WORD_ARRAY)
        return i->token->kind == TOKEN_NAME;
    if (lead->kind == TOKEN_WORD)
        return a->last == a->lead;
    return before->word == WORD_EQUAL || before->word == WORD_BECOMES ||
           before->word == WORD_COLON;
}

static void start(Anchor *a, const Item *i)
{
    *a = (Anchor){
        .lead = i, .indent = i->column, .column = i->column + CONTINUATION};
}

static void follow(Anchor *a, const Item *i)
{
    bool structural = i->gap != GAP_SOFT && i->gap != GAP_JOIN;
    Word w = i->token->word;
    if (structural || a->lead == NULL) {
        start(a, i);
    } else if (sets_anchor(a, i)) {
        a->set = true;
        a->column = i->breaks ? a->indent + 2 : below(a, i->column);
    }
    a->last = i;
    if (w == WORD_LPAREN || w == WORD_LBRACKET) {
        if (a->depth < LONGEST_STACK)
            a->bracket[a->depth] = below(a, i->column + 1);
        a->depth++;
    } else if ((w == WORD_RPAREN || w == WORD_RBRACKET) && a->depth > 0) {
        a->depth--;
    }
}

static uint32_t line_column(const Items *s, const Anchor *a, const Item *i)
{
    if (i->gap == GAP_SOFT || i->gap == GAP_JOIN) {
        bool head = a->lead != NULL && a->last == a->lead &&
                    a->lead->token->kind == TOKEN_WORD;
        return head ? a->indent + 2 : next_column(a);
    }
    return i->indent + (i->begins && !is_open(s, i->own) ? 2 : 0);
}

/* Comments in the gap before item k stand in its column if they begin a line,
   and inside a block that it closes. */
static uint32_t comment_column(const Items *s, const Anchor *a, uint32_t k)
{
    const Item *i;
    while (k < s->count && s->item[k].token == NULL)
        k++;
    if (k == s->count)
        return 0;
    i = &s->item[k];
    return line_column(s, a, i) + (i->closes ? 2 : 0);
}

/* True if a line begins with item k. */
static bool begins_line(const Items *s, uint32_t k)
{
    const Item *i = &s->item[k];
    uint32_t next = k;
    if (k == 0)
        return true;
    if (i->lines > 0 && (i->token == NULL || i[-1].token == NULL))
        return true;
    if (i[-1].token == NULL) // a comment stands before it, on its line
        return false;
    while (next < s->count && s->item[next].token == NULL)
        next++;
    if (next == s->count || !s->item[next].breaks)
        return false;
    // the line end of the gap comes before its first item, unless comments in
    // it have their own
    return next == k || !s->item[next].forced;
}

/* True if a blank precedes item k in the middle of a line. */
static bool stands_apart(const Items *s, uint32_t k)
{
    const Item *i = &s->item[k];
    if (i->token == NULL || i->blank)
        return true;
    if (k == 0 || i[-1].token != NULL)
        return false;
    switch (i->token->word) { // after a comment
    case WORD_SEMICOLON:
    case WORD_COMMA:
    case WORD_DOT:
    case WORD_RPAREN:
    case WORD_RBRACKET: return false;
    default: return true;
    }
}

static void columns(Items *s)
{
    Anchor a = {0};
    uint32_t end = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        Item *i = &s->item[k];
        bool apart = stands_apart(s, k);
        i->first = begins_line(s, k);
        if (i->token != NULL)
            i->below = line_column(s, &a, i);
        if (i->first && i->token == NULL)
            i->column = comment_column(s, &a, k);
        else if (i->first)
            i->column = i->below;
        else
            i->column = end + apart;
        if (i->token != NULL)
            follow(&a, i);
        end = item_end(i);
    }
}

/* ---- Lines that are too long --------------------------------------------- */

static bool is_structural(const Item *i)
{
    return !i->breaks && (i->gap == GAP_CONSISTENT || i->gap == GAP_BETWEEN);
}

static uint32_t depth_of(const Items *s, const Item *i)
{
    return 2 * s->group[i->group].depth + (i->gap == GAP_BETWEEN);
}

/* Among items [from, to): the outermost gap that groups could break. */
static Item *outermost(const Items *s, uint32_t from, uint32_t to)
{
    Item *best = NULL;
    for (uint32_t k = from + 1; k < to; k++) {
        Item *i = &s->item[k];
        if (i->token != NULL && is_structural(i) &&
            (best == NULL || depth_of(s, i) < depth_of(s, best)))
            best = i;
    }
    return best;
}

static bool open_line(Items *s, uint32_t from, uint32_t to)
{
    Item *best = outermost(s, from, to);
    if (best == NULL)
        return false;
    for (uint32_t k = from + 1; k < to; k++) {
        Item *i = &s->item[k];
        if (i->token != NULL && is_structural(i) && i->group == best->group &&
            i->gap == best->gap)
            i->needed = true;
    }
    return true;
}

/* A line ends before an operator, not after one. */
static bool may_break(const Item *i)
{
    const Token *before = i->token - 1;
    if (i->gap != GAP_SOFT || i->breaks)
        return false;
    switch (before->word) {
    case WORD_PLUS:
    case WORD_MINUS:
    case WORD_EQUAL:
    case WORD_BECOMES:
    case WORD_LESS:
    case WORD_GREATER:
    case WORD_LESS_EQUAL:
    case WORD_GREATER_EQUAL:
    case WORD_UNEQUAL:
    case WORD_AND:
    case WORD_OR:
    case WORD_NOT: return false;
    default: return true;
    }
}

/* The best place for a line end after item `from`, if the line has moved left
   by `moved` columns. */
static uint32_t best_break(const Items *s, uint32_t from, uint32_t to,
                           uint32_t moved)
{
    uint32_t best = to;
    for (uint32_t k = from + 1; k < to; k++) {
        const Item *i = &s->item[k];
        if (i->token == NULL || i[-1].token == NULL || !may_break(i))
            continue;
        if (best < to && i->column > LINE_WIDTH + moved)
            break;
        if (best == to || i->inside <= s->item[best].inside)
            best = k;
    }
    return best;
}

/* Breaks the statement as often as necessary. How far the rest of it moves is
   an estimate: what is still too long is broken again. */
static bool break_line(Items *s, uint32_t from, uint32_t to, uint32_t width)
{
    uint32_t moved = 0, at = from;
    while (width > LINE_WIDTH + moved) {
        Item *i;
        at = best_break(s, at, to, moved);
        if (at == to)
            break;
        i = &s->item[at];
        i->needed = true;
        moved = i->column > i->below ? i->column - i->below : 0;
    }
    return moved > 0;
}

/* Items [from, to) are one line; a comment at its end may stick out. */
static bool shorten(Items *s, uint32_t from, uint32_t to)
{
    uint32_t last = to, width = 0;
    while (last > from && s->item[last - 1].token == NULL)
        last--;
    for (uint32_t k = from; k < last; k++) {
        const Item *i = &s->item[k];
        uint32_t end = i->tall ? i->column + 1 : item_end(i);
        width = end > width ? end : width;
    }
    return width > LINE_WIDTH &&
           (open_line(s, from, last) || break_line(s, from, last, width));
}

static bool shorten_lines(Items *s)
{
    bool changed = false;
    uint32_t from = 0;
    for (uint32_t k = 1; k <= s->count; k++)
        if (k == s->count || s->item[k].first) {
            changed = shorten(s, from, k) || changed;
            from = k;
        }
    return changed;
}

void items_place(Items *s)
{
    open_tall(s);
    do {
        settle(s);
        columns(s);
    } while (shorten_lines(s));
}
