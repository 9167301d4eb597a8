/* Tokens to groups and gaps. A rough parser that accepts anything: bodies of
   macros are pieces of text that nobody has parsed. expand/block.h knows which
   END belongs to what. */

#include "expand/block.h"
#include "format/items.h"
#include "syntax/words.h"

#define DEEPEST (8 * LIMIT_NESTING) // nesting of calls

typedef struct Gap {
    GapKind kind;
    uint32_t group, left, right, indent;
} Gap;

typedef struct Builder {
    Items *s;
    const Token *token; // all tokens
    uint32_t at;        // the next token
    signed char *opens; // what each token does to blocks
    Gap gap;            // before the next token
    bool has_gap;
    uint32_t depth, macros;
} Builder;

static void list(Builder *b, uint32_t indent, uint32_t group, bool must);
static void statement(Builder *b, uint32_t indent, uint32_t group);
static void element(Builder *b, uint32_t indent, uint32_t group);

/* ---- Reading ------------------------------------------------------------- */

static const Token *now(const Builder *b)
{
    return &b->token[b->at];
}

static Word word(const Builder *b)
{
    return now(b)->word;
}

static Item *item(const Builder *b)
{
    return &b->s->item[b->s->of_token[b->at]];
}

static bool at_end(const Builder *b)
{
    return b->at >= b->s->tokens || b->s->failed;
}

static bool outside(const Builder *b)
{
    return item(b)->inside == 0;
}

static bool ended(const Builder *b)
{
    return b->at > 0 && b->token[b->at - 1].word == WORD_SEMICOLON;
}

/* Sets the gap before the next token, if it differs from one within a
   statement. */
static void gap(Builder *b, GapKind kind, uint32_t group, uint32_t indent)
{
    b->gap = (Gap){kind, group, NO_GROUP, NO_GROUP, indent};
    b->has_gap = true;
}

static void gap_between(Builder *b, uint32_t group, uint32_t left,
                        uint32_t right, uint32_t indent)
{
    b->gap = (Gap){GAP_BETWEEN, group, left, right, indent};
    b->has_gap = true;
}

/* Inside a statement no line begins with what belongs to the previous token:
   anything without a blank before it, = and :=, brackets after a name. */
static bool joins(const Builder *b)
{
    const Token *before = b->at > 0 ? now(b) - 1 : now(b);
    Word w = word(b);
    return !item(b)->blank || w == WORD_EQUAL || w == WORD_BECOMES ||
           ((w == WORD_LPAREN || w == WORD_LBRACKET) &&
            (before->kind == TOKEN_NAME || before->kind == TOKEN_INTEGER ||
             before->kind == TOKEN_NUMBER));
}

static void take(Builder *b, uint32_t indent, uint32_t group)
{
    Item *i;
    Gap g = {.group = group, .left = NO_GROUP, .right = NO_GROUP};
    if (at_end(b))
        return;
    i = item(b);
    g.kind = joins(b) ? GAP_JOIN : GAP_SOFT;
    g.indent = indent;
    if (b->has_gap)
        g = b->gap;
    b->has_gap = false;
    i->gap = g.kind;
    i->group = g.group;
    i->left = g.left;
    i->right = g.right;
    i->indent = g.indent;
    b->at++;
}

static void take_semicolon(Builder *b, uint32_t indent, uint32_t group)
{
    if (!at_end(b) && word(b) == WORD_SEMICOLON && outside(b))
        take(b, indent, group);
}

/* A heading: everything up to and including the semicolon. */
static void heading(Builder *b, uint32_t indent, uint32_t group)
{
    while (!at_end(b) && b->opens[b->at] == 0) {
        bool last = word(b) == WORD_SEMICOLON && outside(b);
        take(b, indent, group);
        if (last)
            return;
    }
}

static bool enter(Builder *b)
{
    if (++b->depth > DEEPEST)
        items_fail(b->s, "this program is nested too deeply to be laid out");
    return !b->s->failed;
}

/* ---- Words --------------------------------------------------------------- */

static bool is_macro_block(Word w)
{
    return w == WORD_MACRO || w == WORD_MACBEGIN || w == WORD_MACCONTIN;
}

static bool is_output(Word w)
{
    return w == WORD_GRAPH || w == WORD_PLOT || w == WORD_LIST ||
           w == WORD_BARS || w == WORD_OVERPLOT || w == WORD_SPECTRUM ||
           w == WORD_AUTOCORR || w == WORD_CROSSCORR || w == WORD_COMPARE;
}

static bool closes_list(const Builder *b)
{
    return at_end(b) || word(b) == WORD_END || word(b) == WORD_MACEND ||
           (word(b) == WORD_UNTIL &&
            (b->at == 0 || b->token[b->at - 1].word != WORD_WAIT));
}

/* What heads a block besides its first word. */
typedef enum Head {
    HEAD_WORD,
    HEAD_MORE,      // one more token
    HEAD_COLON,     // up to a colon
    HEAD_SEMICOLON, // up to a semicolon
    HEAD_END        // up to an END of its own
} Head;

static Head head_of(Word w)
{
    switch (w) {
    case WORD_MODEL:
    case WORD_COMMUNIC:
    case WORD_PROCEDURAL:
    case WORD_MODULE:
    case WORD_MACRO:
    case WORD_PROGRAM:
    case WORD_FIT: return HEAD_SEMICOLON;
    case WORD_MINIMIZE:
    case WORD_SOLVE:
    case WORD_MAXIMIZE: return HEAD_END;
    case WORD_UNCERTAIN:
    case WORD_CONDIT: return HEAD_COLON;
    case WORD_BOUNDARY:
    case WORD_SUBJECT: return HEAD_MORE;
    default: return HEAD_WORD;
    }
}

/* ---- Blocks -------------------------------------------------------------- */

static void block(Builder *b, uint32_t indent, uint32_t group);

static void head_end(Builder *b, uint32_t indent, uint32_t group)
{
    while (!closes_list(b))
        if (b->opens[b->at] > 0) // SUBJECT TO
            block(b, indent, group);
        else
            take(b, indent, group);
    if (!at_end(b) && word(b) == WORD_END)
        take(b, indent, group);
    take_semicolon(b, indent, group);
}

static void head(Builder *b, Word w, uint32_t indent, uint32_t group)
{
    switch (head_of(w)) {
    case HEAD_WORD: break;
    case HEAD_MORE: take(b, indent, group); break;
    case HEAD_COLON:
        while (!closes_list(b) && word(b) != WORD_COLON)
            take(b, indent, group);
        take(b, indent, group);
        break;
    case HEAD_SEMICOLON: heading(b, indent, group); break;
    case HEAD_END: head_end(b, indent, group); break;
    }
}

static void contents(Builder *b, Word closer, uint32_t indent, uint32_t group)
{
    for (;;) {
        list(b, indent + 2, group, false);
        if (at_end(b) || word(b) == closer || closer == WORD_END)
            break;
        take(b, indent, group); // in a macro: an END that belongs to nothing
    }
    if (at_end(b) || word(b) != closer)
        return;
    gap(b, GAP_CONSISTENT, group, indent);
    item(b)->closes = true;
    take(b, indent, group);
}

static void block(Builder *b, uint32_t indent, uint32_t group)
{
    Word w = word(b);
    uint32_t own = items_group(b->s, group);
    if (!enter(b))
        return;
    if (item(b)->begins)
        item(b)->own = own;
    b->macros += w == WORD_MACRO;
    take(b, indent, group);
    head(b, w, indent, own);
    contents(b, is_macro_block(w) ? WORD_MACEND : WORD_END, indent, own);
    b->macros -= w == WORD_MACRO;
    b->depth--;
}

/* ---- Statements ---------------------------------------------------------- */

static bool opens_here(const Builder *b, const Token *lead)
{
    if (is_macro_block(word(b)))
        return true;
    if (word(b) == WORD_COLON && b->macros > 0 && is_output(lead->word))
        return false; // an item of OUTPUT in a macro
    return b->opens[b->at] > 0;
}

/* Anything that is neither loop nor branch, up to the end of the statement or
   to the word `stop`, which is not consumed. An IF in an expression has its own
   THEN and ELSE. */
static void run(Builder *b, Word stop, uint32_t indent, uint32_t group)
{
    const Token *lead = now(b);
    uint32_t choices = 0;
    while (!closes_list(b)) {
        Word w = word(b);
        if (opens_here(b, lead)) {
            block(b, indent, group);
            take_semicolon(b, indent, group);
            return;
        }
        if (choices == 0 && w != WORD_NONE &&
            (w == stop || w == WORD_ELSE || w == WORD_MACELSE))
            return;
        choices += w == WORD_IF;
        choices -= choices > 0 && w == WORD_ELSE;
        if (w == WORD_SEMICOLON && outside(b)) {
            take(b, indent, group);
            return;
        }
        take(b, indent, group);
    }
}

/* After THEN, ELSE, DO. */
static void nested(Builder *b, uint32_t indent, uint32_t group)
{
    if (at_end(b))
        return;
    if (word(b) == WORD_BEGIN || word(b) == WORD_MACBEGIN) {
        gap(b, GAP_CONSISTENT, group, indent);
        item(b)->begins = true;
        block(b, indent, group);
    } else if (!closes_list(b)) {
        gap(b, GAP_CONSISTENT, group, indent + 2);
        statement(b, indent + 2, items_group(b->s, group));
    }
}

static void choice(Builder *b, uint32_t indent, uint32_t group)
{
    do {
        Word again = word(b), other;
        other = again == WORD_IF ? WORD_ELSE : WORD_MACELSE;
        take(b, indent, group);
        run(b, WORD_THEN, indent, group);
        take(b, indent, group);
        nested(b, indent, group);
        if (at_end(b) || ended(b) || word(b) != other)
            return;
        gap(b, GAP_CONSISTENT, group, indent);
        take(b, indent, group);
        if (!at_end(b) && word(b) == again)
            gap(b, GAP_JOIN, group, indent); // ELSE IF
    } while (b->has_gap);
    nested(b, indent, group);
}

static void loop(Builder *b, uint32_t indent, uint32_t group)
{
    bool macro = word(b) == WORD_MACFOR;
    take(b, indent, group);
    run(b, WORD_DO, indent, group);
    take(b, indent, group);
    if (macro && !at_end(b) && word(b) != WORD_MACBEGIN)
        contents(b, WORD_MACEND, indent, group);
    else
        nested(b, indent, group);
}

static void repeat(Builder *b, uint32_t indent, uint32_t group)
{
    take(b, indent, group);
    list(b, indent + 2, group, false);
    if (at_end(b) || word(b) != WORD_UNTIL)
        return;
    gap(b, GAP_CONSISTENT, group, indent);
    item(b)->closes = true;
    take(b, indent, group);
    run(b, WORD_NONE, indent, group);
}

static bool is_label(const Token *t)
{
    return t->kind == TOKEN_INTEGER || t->kind == TOKEN_NAME ||
           t->kind == TOKEN_INSERT;
}

/* True if the next element is a branch of CASE. */
static bool at_branch(const Builder *b)
{
    uint32_t k = b->at;
    if (at_end(b))
        return false;
    if (word(b) == WORD_ELSE)
        return b->opens[k] > 0;
    while (k < b->s->tokens && is_label(&b->token[k]) &&
           (b->token[k + 1].word == WORD_COMMA ||
            b->token[k + 1].word == WORD_DOTDOT))
        k += 2;
    return k + 1 < b->s->tokens && is_label(&b->token[k]) &&
           b->token[k + 1].word == WORD_COLON && b->opens[k + 1] > 0;
}

/* CASE has no END: its branches are elements of the list in which it stands. */
static void cases(Builder *b, uint32_t indent, uint32_t group)
{
    take(b, indent, group);
    run(b, WORD_OF, indent, group);
    take(b, indent, group);
    do {
        gap(b, GAP_CONSISTENT, group, indent + 2);
        run(b, WORD_NONE, indent + 2, items_group(b->s, group));
    } while (at_branch(b));
}

/* ---- Declarations -------------------------------------------------------- */

static bool in_part(Word part, const Token *t)
{
    switch (part) {
    case WORD_CONST: return word_is_value_type(t->word);
    case WORD_TYPE: return t->kind == TOKEN_NAME && t[1].word == WORD_EQUAL;
    case WORD_FUNCTABLE:
        return t->kind == TOKEN_NAME && t->word != WORD_NONE &&
               t[1].kind == TOKEN_NAME;
    default: return word_is_group(t->word);
    }
}

static void part(Builder *b, uint32_t indent, uint32_t group)
{
    Word w = word(b);
    uint32_t before = NO_GROUP;
    take(b, indent, group);
    if (!at_end(b) && word(b) == WORD_OWN)
        take(b, indent, group);
    while (!at_end(b) && in_part(w, now(b))) {
        uint32_t own = items_group(b->s, group);
        if (before == NO_GROUP)
            gap(b, GAP_CONSISTENT, group, indent + 2);
        else
            gap_between(b, group, before, own, indent + 2);
        run(b, WORD_NONE, indent + 2, own);
        before = own;
    }
}

static bool at_routine(const Builder *b)
{
    Word w = word(b), next = b->token[b->at + 1].word;
    if (w == WORD_CONTINUOUS || w == WORD_DISCRETE)
        return next == WORD_FUNCTION || next == WORD_PROCESS;
    return w == WORD_FUNCTION || w == WORD_PROCEDURE || w == WORD_IMPLICIT;
}

/* Head; declarations, and routines of a process; BEGIN ... END. */
static void routine(Builder *b, uint32_t indent, uint32_t group)
{
    uint32_t from;
    heading(b, indent, group);
    while (!closes_list(b) && word(b) != WORD_BEGIN) {
        gap(b, GAP_CONSISTENT, group, indent + 2);
        from = b->at;
        if (at_routine(b))
            element(b, indent + 2, items_group(b->s, group));
        else
            statement(b, indent + 2, items_group(b->s, group));
        if (b->at == from)
            take(b, indent, group);
    }
    if (at_end(b) || word(b) != WORD_BEGIN)
        return;
    gap(b, GAP_CONSISTENT, group, indent);
    block(b, indent, group);
}

/* ---- Lists --------------------------------------------------------------- */

static void statement(Builder *b, uint32_t indent, uint32_t group)
{
    if (!enter(b))
        return;
    switch (word(b)) {
    case WORD_IF:
    case WORD_MACIF: choice(b, indent, group); break;
    case WORD_FOR:
    case WORD_WHILE:
    case WORD_WITH:
    case WORD_MACFOR: loop(b, indent, group); break;
    case WORD_REPEAT: repeat(b, indent, group); break;
    case WORD_CASE: cases(b, indent, group); break;
    case WORD_CONST:
    case WORD_TYPE:
    case WORD_VAR:
    case WORD_MACVAR:
    case WORD_FUNCTABLE: part(b, indent, group); break;
    default:
        if (at_routine(b))
            routine(b, indent, group);
        else
            run(b, WORD_NONE, indent, group);
    }
    b->depth--;
}

static void element(Builder *b, uint32_t indent, uint32_t group)
{
    uint32_t from = b->at;
    statement(b, indent, group);
    if (b->at == from)
        take(b, indent, group);
    if (!ended(b))
        take_semicolon(b, indent, group);
}

/* must: each element begins a line. */
static void list(Builder *b, uint32_t indent, uint32_t group, bool must)
{
    uint32_t before = NO_GROUP;
    while (!closes_list(b)) {
        uint32_t own;
        if (word(b) == WORD_SEMICOLON) { // one too many
            take(b, indent, group);
            continue;
        }
        own = items_group(b->s, group);
        if (must)
            gap(b, GAP_MUST, group, indent);
        else if (before == NO_GROUP)
            gap(b, GAP_CONSISTENT, group, indent);
        else
            gap_between(b, group, before, own, indent);
        element(b, indent, own);
        before = own;
    }
}

static void program(Builder *b)
{
    uint32_t group = items_group(b->s, NO_GROUP);
    gap(b, GAP_MUST, group, 0);
    if (word(b) == WORD_PROGRAM) {
        take(b, 0, group);
        heading(b, 0, group);
    }
    while (!at_end(b)) {
        list(b, 0, group, true);
        gap(b, GAP_MUST, group, 0);
        take(b, 0, group); // END
        while (!at_end(b) && word(b) == WORD_DOT)
            take(b, 0, group);
    }
}

void items_structure(Items *s)
{
    BlockScan scan = {0};
    Builder b = {.s = s, .token = s->u->tokens.token};
    b.opens = NEW_ARRAY(s->u->arena, signed char, s->tokens + 1);
    if (b.opens == NULL) {
        items_fail(s, NO_ROOM);
        return;
    }
    for (uint32_t k = 0; k < s->tokens; k++)
        b.opens[k] = (signed char)block_step(&scan, &b.token[k]);
    if (s->tokens > 0)
        program(&b);
}
