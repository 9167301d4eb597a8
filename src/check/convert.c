#include "check/convert.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MOST   Q(9e15)
#define WHOLE_NEARBY Q(1e-28)
#define DIGITS_FEWER 10

/* True if whole up to the rounding of factors: 1/0.001 is whole. */
static bool is_whole_number(Quad a)
{
    Quad size = a < 0 ? -a : a, whole = quad_round(size);
    Quad apart = size < whole ? whole - size : size - whole;
    return size < WHOLE_MOST && apart <= size * WHOLE_NEARBY;
}

bool convert_is_whole(const Node *n)
{
    switch (n->kind) {
    case NODE_INTEGER: return true;
    case NODE_INDEX: return convert_is_whole(n->first);
    case NODE_NAME:
    case NODE_VARIABLE:
        return n->symbol != NULL && n->symbol->type == WORD_INTEGER;
    case NODE_UNARY: return convert_is_whole(n->first);
    case NODE_CHOOSE:
        return convert_is_whole(node_child(n, 1)) && convert_is_whole(n->last);
    case NODE_BINARY:
        return (n->word == WORD_PLUS || n->word == WORD_MINUS ||
                n->word == WORD_TIMES || n->word == WORD_DIV ||
                n->word == WORD_MOD) &&
               convert_is_whole(n->first) && convert_is_whole(n->last);
    default: return false;
    }
}

/* ---- Numbers ------------------------------------------------------------- */

const char *convert_keep(Units *c, Buffer *b)
{
    const char *text = buffer_string(b);
    size_t n = strlen(text) + 1;
    char *kept = NEW_ARRAY(c->unit->arena, char, n);
    if (kept != NULL && !b->broken)
        memcpy(kept, text, n);
    else
        c->unknowns.broken = true;
    buffer_free(b);
    return c->unknowns.broken ? "0" : kept;
}

static void set_number(Units *c, Node *n, Quad value, bool whole)
{
    Buffer b = {0};
    assert(!whole || is_whole_number(value));
    n->kind = whole ? NODE_INTEGER : NODE_NUMBER;
    n->integer = whole ? (int64_t)quad_round(value) : 0;
    if (whole)
        buffer_format(&b, "%lld", (long long)n->integer);
    else
        quad_print(&b, value);
    n->text = convert_keep(c, &b);
    n->number = strtod(n->text, NULL);
}

/* Another node with the same content, so that n can become an operation on
   it. */
static Node *moved(Units *c, Node *n)
{
    Node *inner = node_new(c->unit->arena, n->kind, n->at);
    if (inner == NULL) {
        c->unknowns.broken = true;
        return NULL;
    }
    *inner = *n;
    inner->next = NULL;
    return inner;
}

static bool is_signed_number(const Node *n)
{
    while (n->kind == NODE_UNARY && n->word != WORD_NOT)
        n = n->first;
    return is_literal(n);
}

/* Turns n into the number, or its negative, whatever signs it had. */
static void set_sign(Units *c, Node *n, Node *literal, bool negative)
{
    Node *inner = moved(c, literal), *next = n->next;
    if (inner == NULL)
        return;
    if (negative) {
        *n = (Node){.kind = NODE_UNARY, .word = WORD_MINUS, .at = n->at};
        n->first = n->last = inner;
        n->height = inner->height + 1;
    } else {
        *n = *inner;
    }
    n->origin = inner->origin;
    n->next = next;
}

/* A number and its signs become one number, with a sign if it is negative. */
static void convert_number(Units *c, Node *n, Dimension from, Dimension to)
{
    Node *literal = n, *unit;
    bool negative = false, whole;
    Quad value;
    Buffer b = {0};
    for (; literal->kind == NODE_UNARY; literal = literal->first)
        negative = negative != (literal->word == WORD_MINUS);
    whole = literal->kind == NODE_INTEGER;
    value = whole ? (Quad)literal->integer : quad_read(literal->text);
    value = (negative ? -value : value) * dimension_ratio(from, to) +
            dimension_shift(from, to);
    whole = whole && is_whole_number(value);
    set_number(c, literal, value < 0 ? -value : value, whole);
    unit = literal->first;
    if (unit != NULL && unit->kind == NODE_UNIT) {
        dimension_print(&b, to);
        unit->text = convert_keep(c, &b);
    }
    if (n != literal || value < 0)
        set_sign(c, n, literal, value < 0);
}

/* ---- Everything else ----------------------------------------------------- */

static void put_around(Units *c, Node *n, Word word, Quad value, bool whole)
{
    Node *inner = moved(c, n), *next = n->next;
    Node *number = node_new(c->unit->arena, NODE_NUMBER, n->at);
    if (inner == NULL || number == NULL) {
        c->unknowns.broken = true;
        return;
    }
    number->origin = n->origin;
    set_number(c, number, value, whole);
    inner->next = number;
    *n = (Node){.kind = NODE_BINARY,
                .word = word,
                .flags = FLAG_CONVERTED,
                .origin = inner->origin,
                .at = inner->at,
                .height = inner->height + 1,
                .first = inner,
                .last = number,
                .next = next};
}

static size_t print_length(Quad value)
{
    char text[QUAD_ROOM];
    quad_text(text, value);
    return strlen(text);
}

/* True if 1/ratio is the number that people know and has fewer digits. */
static bool divides(Quad ratio)
{
    if (is_whole_number(ratio))
        return false;
    return is_whole_number(1 / ratio) ||
           print_length(1 / ratio) + DIGITS_FEWER < print_length(ratio);
}

bool convert_stays_whole(const Node *n, Dimension from, Dimension to)
{
    return convert_is_whole(n) && dimension_shift(from, to) == 0 &&
           (is_signed_number(n) || is_whole_number(dimension_ratio(from, to)));
}

static void convert_value(Units *c, Node *n, Dimension from, Dimension to)
{
    Quad ratio = dimension_ratio(from, to), shift = dimension_shift(from, to);
    bool whole = convert_is_whole(n) && is_whole_number(ratio) && shift == 0;
    if (ratio != 1 && divides(ratio))
        put_around(c, n, WORD_SLASH, 1 / ratio, false);
    else if (ratio != 1)
        put_around(c, n, WORD_TIMES, ratio, whole);
    if (shift != 0)
        put_around(c, n, shift < 0 ? WORD_MINUS : WORD_PLUS,
                   shift < 0 ? -shift : shift, false);
}

/* True for an IF with nothing but numbers in its branches. */
static bool is_choice_of_numbers(const Node *n)
{
    const Node *then;
    if (n->kind != NODE_CHOOSE)
        return false;
    then = node_child(n, 1);
    return (is_signed_number(then) || is_choice_of_numbers(then)) &&
           (is_signed_number(n->last) || is_choice_of_numbers(n->last));
}

void convert_node(Units *c, Node *n, Dimension from, Dimension to)
{
    assert(from.known && to.known && dimension_same(from, to));
    c->converted = true;
    if (n->kind == NODE_SERIES || n->kind == NODE_GATHER) {
        convert_node(c, n->last, from, to);
    } else if (is_signed_number(n)) {
        convert_number(c, n, from, to);
    } else if (is_choice_of_numbers(n)) {
        convert_node(c, node_child(n, 1), from, to);
        convert_node(c, n->last, from, to);
    } else {
        convert_value(c, n, from, to);
    }
}
