#include <string.h>

#include "check/dimension.h"
#include "hunt/change.h"

/* A program in other units: declared units become smaller or larger, and plain
   numbers in them get an explicit unit. A number without a unit takes the unit
   of what it is combined with, so a name that is combined with one anywhere
   keeps its unit, unless the number is its value in CONST, INITCOND or
   PARAMETER, which gets the old unit. The comparison converts by the units that
   both results name. */

enum { NAMES_MOST = 200 };

typedef struct Named {
    const char *name;
    const Node *unit; // in its declaration, or that of the value of a CONST
    const Node *item; // that CONST, which gets a unit of its own; else NULL
    const char *other;
    bool bare; // it has none, and is not an ALGEBR
    bool kept; // its unit is kept
} Named;

typedef struct Units {
    Change *c;
    Edits edits;
    Named name[NAMES_MOST];
    uint32_t names;
} Units;

/* ---- Another unit ---------------------------------------------------------- */

static bool is_other(const char *old, const char *text)
{
    Dimension a, b;
    uint32_t wrong;
    const char *why;
    return dimension_read(old, &a, &wrong, &why) &&
           dimension_read(text, &b, &wrong, &why) && dimension_same(a, b) &&
           !dimension_is_none(a) && !a.point && !b.point &&
           a.counts == b.counts && !dimension_same_scale(a, b);
}

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* The unit with a different prefix for its first name, with none, or with
   another name. NULL: there is no such unit. */
static const char *other_unit(const Units *u, const char *old)
{
    static const char *const instead[] = {"m", "u", "k",   "", "c",
                                          "h", "g", "min", "s"};
    size_t at = 0, end;
    while (old[at] && !is_letter(old[at]))
        at++;
    for (end = at; is_letter(old[end]); end++)
        ;
    for (size_t k = 0; k < LENGTH(instead) && old[at]; k++) {
        const size_t cut[] = {at, at + 1, end};
        for (size_t i = 0; i < LENGTH(cut); i++) {
            const char *text = text_format(u->c->arena, "%.*s%s%s", (int)at,
                                           old, instead[k], old + cut[i]);
            if (is_other(old, text))
                return text;
        }
    }
    return NULL;
}

/* ---- Names ----------------------------------------------------------------- */

static Named *find(Units *u, const char *name)
{
    for (uint32_t k = 0; k < u->names; k++)
        if (name_same(u->name[k].name, name))
            return &u->name[k];
    return NULL;
}

static bool is_literal(const Node *n)
{
    return n->kind == NODE_INTEGER || n->kind == NODE_NUMBER;
}

/* A name that is declared twice cannot be identified by its spelling. */
static void declared(Units *u, const Node *n)
{
    Named *other = n->text ? find(u, n->text) : NULL;
    bool valued = n->kind == NODE_CONST_ITEM && is_literal(n->last) &&
                  n->first->kind == NODE_NONE;
    const Node *own = valued ? n->last->first : n->first;
    bool unit = own && own->kind == NODE_UNIT;
    if (other) {
        other->kept = true;
    } else if (u->names < NAMES_MOST) {
        Named one = {.name = n->text, .unit = own, .item = valued ? n : NULL};
        one.other = unit ? other_unit(u, own->text) : NULL;
        one.kept = !one.other;
        one.bare = !unit && n->word != WORD_ALGEBR;
        if (n->kind == NODE_VARIABLE)
            one.kept = one.kept || node_child(n, 1)->kind != NODE_NONE ||
                       (n->word != WORD_STATE && n->word != WORD_REAL &&
                        n->word != WORD_ALGEBR);
        u->name[u->names++] = one;
    }
}

static void visit_declared(Units *u, const Node *n)
{
    switch (n->kind) {
    case NODE_CONST_ITEM:
    case NODE_VARIABLE:
    case NODE_FORMAL:
    case NODE_FIELD_ITEM: declared(u, n); break;
    default: break;
    }
    for (const Node *k = n->first; k; k = k->next)
        visit_declared(u, k);
}

/* Every name below it keeps its unit. */
static void keep(Units *u, const Node *n)
{
    Named *one = n->kind == NODE_NAME ? find(u, n->text) : NULL;
    if (one)
        one->kept = true;
    for (const Node *k = n->first; k; k = k->next)
        keep(u, k);
}

/* ---- Plain numbers --------------------------------------------------------- */

static bool is_plain(const Node *n)
{
    return is_literal(n) && n->first->kind == NODE_NONE;
}

static bool is_call_of(const Node *n, const char *const *names, size_t count)
{
    for (size_t k = 0; k < count && n->kind == NODE_CALL; k++)
        if (n->first->kind == NODE_NAME && name_same(n->first->text, names[k]))
            return true;
    return false;
}

static bool is_choice(const Node *n)
{
    static const char *const names[] = {"MIN", "MAX"};
    return is_call_of(n, names, LENGTH(names));
}

/* An operation that accepts a number in any unit and implies nothing about
   it. */
static bool is_harmless(const Node *n)
{
    static const char *const names[] = {"SIN", "COS",  "TAN",   "EXP",
                                        "LOG", "SQRT", "WRITE", "WRITELN",
                                        "SUM", "ABS"};
    return is_call_of(n, names, LENGTH(names));
}

static bool is_sum(const Node *n)
{
    return n->kind == NODE_BINARY &&
           (n->word == WORD_PLUS || n->word == WORD_MINUS);
}

static bool is_product(const Node *n)
{
    return n->kind == NODE_BINARY &&
           (n->word == WORD_TIMES || n->word == WORD_SLASH ||
            n->word == WORD_CARET || n->word == WORD_POWER);
}

/* True if nothing below it has a unit, or may have one: a number, however it is
   computed. The unit of an ALGEBR without one is derived from its equations. */
static bool is_bare(Units *u, const Node *n)
{
    const Named *one = n->kind == NODE_NAME ? find(u, n->text) : NULL;
    if (is_literal(n))
        return is_plain(n);
    if (n->kind == NODE_DERIVATIVE) // whatever it is, it is per time
        return false;
    if (n->kind == NODE_NAME)
        return one ? one->bare : !name_same(n->text, "TIME");
    for (const Node *k = n->first; k; k = k->next)
        if (!is_bare(u, k))
            return false;
    return true;
}

/* True if a nonzero number here takes the unit of what it is combined with. The
   result of a function of the program or of a table counts as one. */
static bool has_plain(Units *u, const Node *n)
{
    bool parts = n->kind == NODE_UNARY || n->kind == NODE_CHOOSE || is_sum(n) ||
                 is_choice(n) || n->kind == NODE_ACTUALS ||
                 n->kind == NODE_ACTUAL || n->kind == NODE_LIST;
    if (n->kind == NODE_NONE)
        return false;
    if (is_plain(n))
        return n->number != 0.0 || n->integer != 0;
    if (!parts)
        return (n->kind == NODE_CALL && !is_harmless(n)) || is_bare(u, n);
    for (const Node *k = n->first; k; k = k->next)
        if (!(n->kind == NODE_CHOOSE && k == n->first) && has_plain(u, k))
            return true;
    return false;
}

static bool any_plain(Units *u, const Node *n)
{
    for (const Node *k = n->first; k; k = k->next)
        if (has_plain(u, k))
            return true;
    return false;
}

/* ---- Values of one name ---------------------------------------------------- */

/* Gives a plain number its unit. False: it is not a single number. */
static bool say(Units *u, const Node *n, const char *unit, bool edit)
{
    while (n->kind == NODE_UNARY)
        n = n->first;
    if (is_plain(n) && edit)
        edits_after(&u->edits, u->c->arena, n->at,
                    text_format(u->c->arena, " [%s]", unit));
    return is_literal(n) || !has_plain(u, n);
}

static bool say_element(Units *u, const Node *e, const char *unit, bool edit)
{
    const Node *value = e->first, *increment = node_child(e, 2);
    bool right = true;
    if (value->kind != NODE_LIST)
        right = say(u, value, unit, edit);
    for (const Node *k = value->kind == NODE_LIST ? value->first : NULL; k;
         k = k->next)
        right = say(u, k, unit, edit) && right;
    if (increment->kind != NODE_NONE)
        right = say(u, increment, unit, edit) && right;
    return right;
}

static bool say_values(Units *u, const Node *n, const char *unit, bool edit)
{
    bool right = true;
    if (n->kind != NODE_VALUES)
        return say(u, n, unit, edit);
    for (const Node *k = n->first->first; k; k = k->next)
        right = say_element(u, k, unit, edit) && right;
    return right;
}

static const Node *base_of(const Node *n)
{
    while (n->kind == NODE_INDEX || n->kind == NODE_SELECT)
        n = n->first;
    return n;
}

/* CONST A [m] = 5; INITCOND X = 5. */
static void value_of(Units *u, const char *name, const Node *value, bool edit)
{
    Named *one = name ? find(u, name) : NULL;
    if (!one || one->kept || (edit && one->kept))
        return;
    if (!say_values(u, value, one->unit->text, edit))
        one->kept = true;
}

/* ---- The program ----------------------------------------------------------- */

static void look(Units *u, const Node *n)
{
    switch (n->kind) {
    case NODE_CONST_ITEM: value_of(u, n->text, n->last, false); break;
    case NODE_SETTING:
        value_of(u, base_of(n->first)->text, n->last, false);
        break;
    case NODE_EQUATION:
    case NODE_ASSIGN:
    case NODE_PRESET:
    case NODE_CONDIT:
        if (any_plain(u, n))
            keep(u, n);
        break;
    case NODE_BINARY:
        if (!is_product(n) && any_plain(u, n))
            keep(u, n);
        break;
    case NODE_CHOOSE:
        if (has_plain(u, n))
            keep(u, n);
        break;
    case NODE_CALL:
        if (!is_harmless(n) && !(is_choice(n) && !has_plain(u, n)))
            keep(u, n->last);
        break;
    case NODE_DERIVATIVE:
        if (n->integer > 1) // X' is among the results, without a unit
            keep(u, n);
        break;
    case NODE_SWEEP_ITEM:
    case NODE_OPTION:
    case NODE_WHERE:
    case NODE_START_VALUE: keep(u, n); break;
    default: break;
    }
    for (const Node *k = n->first; k; k = k->next)
        look(u, k);
}

static void write_values(Units *u, const Node *n)
{
    if (n->kind == NODE_CONST_ITEM)
        value_of(u, n->text, n->last, true);
    if (n->kind == NODE_SETTING)
        value_of(u, base_of(n->first)->text, n->last, true);
    for (const Node *k = n->first; k; k = k->next)
        write_values(u, k);
}

/* The unit of a value stays, and is converted. */
static void write_unit(Units *u, const Named *one)
{
    const char *text = text_format(u->c->arena, "[%s]", one->other);
    if (one->item) {
        Span name = {one->item->at.file, one->item->at.start,
                     (uint32_t)strlen(one->name)};
        edits_after(&u->edits, u->c->arena, name,
                    text_format(u->c->arena, " %s", text));
    } else {
        edits_replace(&u->edits, u->c->arena, one->unit->at, text);
    }
}

/* Parses the text as it was written: the checks convert what they check. */
static const Node *parse_again(const Change *c, Unit *u, Diags *d)
{
    *d = (Diags){.arena = c->arena};
    *u = (Unit){.arena = c->arena,
                .diags = d,
                .name = c->program->name,
                .text = c->program->text,
                .length = strlen(c->program->text)};
    u->file = diags_add_file(d, u->name, u->text, u->length);
    return lex(u) && parse(u) ? u->program : NULL;
}

const char *change_units(Change *c)
{
    static const char *const words[] = {
        "MACRO",     "INVOKE", "CCODE",   "FORTRAN", "COLLECT", "TIMEPERS",
        "HISTOGRAM", "FIELD",  "MODULE",  "WITH",    "PORT",    "REPLICATE",
        "EXTERNAL",  "FIND",   "PROCESS", "TOL"};
    Units u = {.c = c};
    Unit unit;
    Diags diags;
    for (size_t k = 0; k < LENGTH(words); k++)
        if (program_has(c->program, words[k]))
            return change_refuse(c, "it has what is not rewritten");
    const Node *program = parse_again(c, &unit, &diags);
    if (!program)
        return change_refuse(c, "it cannot be read without its macros");
    visit_declared(&u, program);
    look(&u, program);
    for (uint32_t k = 0; k < u.names; k++)
        if (!u.name[k].kept)
            write_unit(&u, &u.name[k]);
    write_values(&u, program);
    if (u.edits.count == 0)
        return change_refuse(c, "no name with a unit can have another");
    return change_apply(c, &u.edits);
}
