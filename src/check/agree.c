#include "check/measure.h"

#include <math.h>
#include <string.h>

#include "expand/expand.h"

static const Measure reported = {.sort = SORT_REPORTED};

#define SPELLING_ROOM 40 // longer expressions are called "this sum"

/* ---- Spelling expressions in messages ------------------------------------ */

typedef struct Spelling {
    Unit *unit;
    char text[SPELLING_ROOM + 1];
    size_t n;
    bool alone; // nothing but a number and its sign
    bool full;
} Spelling;

static void spell_text(Spelling *s, const char *text)
{
    size_t n = strlen(text);
    if (s->full || n > SPELLING_ROOM - s->n) {
        s->full = true;
        return;
    }
    memcpy(s->text + s->n, text, n + 1);
    s->n += n;
}

static void spell(Spelling *s, const Node *n);

static void spell_list(Spelling *s, const Node *list)
{
    for (const Node *n = list->first; n != NULL && !s->full; n = n->next) {
        spell(s, n->kind == NODE_ACTUAL ? n->first : n);
        if (n->next != NULL)
            spell_text(s, ", ");
    }
}

static void spell_binary(Spelling *s, const Node *n)
{
    bool tight = n->word == WORD_TIMES || n->word == WORD_SLASH ||
                 n->word == WORD_POWER || n->word == WORD_CARET;
    spell(s, n->first);
    spell_text(s, tight ? "" : " ");
    spell_text(s, word_text(n->word));
    spell_text(s, tight ? "" : " ");
    spell(s, n->last);
}

/* A number that stands alone has its unit behind it anyway. */
static void spell_literal(Spelling *s, const Node *n)
{
    spell_text(s, n->text);
    if (s->alone || n->first == NULL || n->first->kind != NODE_UNIT)
        return;
    spell_text(s, " [");
    spell_text(s, n->first->text);
    spell_text(s, "]");
}

static void spell_inside(Spelling *s, const Node *n)
{
    switch (n->kind) {
    case NODE_NAME:
        spell_text(s, expand_written(s->unit, n->text, n->origin));
        break;
    case NODE_INTEGER:
    case NODE_NUMBER: spell_literal(s, n); break;
    case NODE_UNARY:
        spell_text(s, word_text(n->word));
        spell(s, n->first);
        break;
    case NODE_BINARY: spell_binary(s, n); break;
    case NODE_INDEX:
        spell(s, n->first);
        spell_text(s, "[");
        spell_list(s, n->last);
        spell_text(s, "]");
        break;
    case NODE_SELECT:
        spell(s, n->first);
        spell_text(s, ".");
        spell(s, n->last);
        break;
    case NODE_DERIVATIVE:
        spell(s, n->first);
        for (int64_t k = 0; k < n->integer && !s->full; k++)
            spell_text(s, "'");
        break;
    case NODE_CALL:
        spell(s, n->first);
        spell_text(s, "(");
        spell_list(s, n->last->first);
        spell_text(s, ")");
        break;
    default: // a declaration, an item of a list: its name
        if (n->text != NULL)
            spell_text(s, n->text);
        else
            s->full = true;
    }
}

static void spell(Spelling *s, const Node *n)
{
    bool paren = (n->flags & FLAG_PAREN) != 0 && s->n > 0;
    if (s->full || n->height > SPELLING_ROOM) {
        s->full = true;
        return;
    }
    if (paren)
        spell_text(s, "(");
    spell_inside(s, n);
    if (paren)
        spell_text(s, ")");
}

static const char *kind_of(const Node *n)
{
    switch (n->kind) {
    case NODE_CHOOSE: return "this IF";
    case NODE_CALL: return "this value";
    case NODE_BINARY: break;
    default: return "this";
    }
    switch (n->word) {
    case WORD_PLUS: return "this sum";
    case WORD_MINUS: return "this difference";
    case WORD_TIMES: return "this product";
    case WORD_SLASH: return "this quotient";
    case WORD_POWER:
    case WORD_CARET: return "this power";
    default: return "this value";
    }
}

/* `X`, or "this sum". */
static void print_value(Units *c, Buffer *b, const Node *n)
{
    Spelling s = {.unit = c->unit};
    const Node *inside = n;
    while (inside->kind == NODE_UNARY)
        inside = inside->first;
    s.alone = is_literal(inside);
    spell(&s, n);
    if (s.full || s.n == 0)
        buffer_text(b, kind_of(n));
    else
        buffer_format(b, "`%s`", s.text);
}

void agree_print_unit(Buffer *b, const Measure *m)
{
    if (m->written != NULL)
        buffer_format(b, "%.60s", m->written);
    else
        dimension_print(b, m->unit);
}

/* `X` [m/s] */
void agree_print(Units *c, Buffer *b, const Node *n, const Measure *m)
{
    print_value(c, b, n);
    buffer_text(b, " [");
    agree_print_unit(b, m);
    buffer_char(b, ']');
}

void agree_send(Units *c, const Node *at, Buffer *b)
{
    unit_error(c->unit, at->at, at->origin, "%s", buffer_string(b));
    buffer_free(b);
}

/* One side of the unit of a conversion; false if it cannot be written so. */
static bool print_side(Buffer *b, const Measure *m)
{
    Buffer unit = {0};
    const char *text;
    bool plain;
    agree_print_unit(&unit, m);
    text = buffer_string(&unit);
    plain = strpbrk(text, "023456789.") != text;
    buffer_format(b, strpbrk(text, "*/") != NULL ? "(%s)" : "%s", text);
    buffer_free(&unit);
    return plain;
}

/* ": multiply it by 0.001 [km/m]", from what it has to what is wanted. Needs:
   the same dimension. */
static void print_conversion(Buffer *b, const Measure *has,
                             const Measure *wanted)
{
    double factor = has->unit.factor / wanted->unit.factor;
    Buffer unit = {0};
    bool plain;
    if (dimension_turns(has->unit, wanted->unit)) {
        buffer_format(b, ": one turn is 2*PI rad, so %s by 2*PI",
                      has->unit.counts == COUNTS_TURNS ? "multiply" : "divide");
        return;
    }
    plain = print_side(&unit, wanted);
    buffer_char(&unit, '/');
    if (print_side(&unit, has) && plain)
        buffer_format(b, ": multiply it by %.10g [%s]", factor,
                      buffer_string(&unit));
    else
        buffer_format(b, ": it is missing a factor of %.10g", factor);
    buffer_free(&unit);
}

/* ---- Agreement ----------------------------------------------------------- */

/* Converts a number with its unit, or both branches of an IF. */
static void convert(Units *c, Node *n, double ratio)
{
    Node *unit = n->first;
    double whole;
    if (n->kind == NODE_UNARY) {
        convert(c, n->first, ratio);
    } else if (n->kind == NODE_CHOOSE) {
        convert(c, node_child(n, 1), ratio);
        convert(c, n->last, ratio);
    }
    if (!is_literal(n))
        return;
    c->converted = true;
    unit->number *= ratio;
    n->number *= ratio;
    if (n->kind == NODE_NUMBER)
        return;
    whole = round(n->number);
    if (fabs(whole) < 9e15 && fabs(whole - n->number) <= 1e-12 * fabs(whole)) {
        n->number = whole;
        n->integer = (int64_t)whole;
    } else {
        n->kind = NODE_NUMBER;
    }
}

/* Whether `m` is what is wanted, if need be by converting the number that n is.
   Needs: both have a unit. */
bool agree_fits(Units *c, Node *n, Measure *m, const Measure *wanted)
{
    if (!dimension_same(m->unit, wanted->unit) ||
        dimension_turns(m->unit, wanted->unit))
        return false;
    if (dimension_same_factor(m->unit, wanted->unit))
        return true;
    if (!m->literal)
        return false;
    convert(c, n, m->unit.factor / wanted->unit.factor);
    *m = *wanted;
    return true;
}

/* Two things that must have one unit, b being the one that is complained of:
   "`B` [s] cannot be added to `A` [m]". */
Measure agree(Units *c, Node *a, Measure ma, Node *b, Measure mb,
              const char *verb)
{
    Buffer text = {0};
    Measure m = ma;
    if (ma.sort == SORT_REPORTED || mb.sort == SORT_REPORTED)
        return reported;
    if (ma.sort != SORT_UNIT || mb.sort != SORT_UNIT) {
        m = mb.sort == SORT_UNIT ? mb : ma;
        if (m.sort == SORT_NUMBER)
            m = mb;
    } else if (!agree_fits(c, b, &mb, &ma)) {
        if (agree_fits(c, a, &ma, &mb)) {
            m = mb;
        } else {
            agree_print(c, &text, b, &mb);
            buffer_format(&text, " %s ", verb);
            agree_print(c, &text, a, &ma);
            if (dimension_same(ma.unit, mb.unit))
                print_conversion(&text, &mb, &ma);
            agree_send(c, b, &text);
            return reported;
        }
    }
    m.literal = false;
    m.field = ma.field != NULL ? ma.field : mb.field;
    return m;
}

bool agree_want(Units *c, Node *n, Measure m, Measure wanted, const char *who,
                const char *what)
{
    Buffer text = {0};
    if (m.sort != SORT_UNIT || wanted.sort != SORT_UNIT ||
        agree_fits(c, n, &m, &wanted))
        return true;
    buffer_format(&text, "%s wants %s, but ", who, what);
    print_value(c, &text, n);
    buffer_text(&text, " is in ");
    agree_print_unit(&text, &m);
    if (dimension_same(m.unit, wanted.unit))
        print_conversion(&text, &m, &wanted);
    agree_send(c, n, &text);
    return false;
}
