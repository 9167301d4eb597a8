#include "check/measure.h"

#include <stdio.h>
#include <string.h>

#include "check/convert.h"
#include "check/spell.h"

static const Measure open = {.sort = SORT_OPEN};
static const Measure reported = {.sort = SORT_REPORTED};

static Measure of_unit(Dimension d, const char *written)
{
    if (!d.known)
        return open;
    return (Measure){.sort = SORT_UNIT, .unit = d, .written = written};
}

static Measure of_unknown(Units *c, uint32_t unknown)
{
    Measure m;
    if (c->unknowns.broken)
        return open;
    if (unknown_at(&c->unknowns, unknown)->blamed)
        return reported;
    m = of_unit(dimension_none(), NULL);
    m.terms = terms_one(&c->unknowns, unknown);
    m.bare = true;
    return m;
}

Measure measure_time(const Units *c)
{
    return c->time;
}

Measure measure_none(void)
{
    return of_unit(dimension_none(), NULL);
}

static Measure of_angle(void)
{
    Measure m = measure_none();
    m.unit.counts = COUNTS_ANGLE;
    return m;
}

/* A number in a unit that people count hours and days in. */
static bool is_long_time(const Node *n)
{
    static const char *const units[] = {"min", "h", "d", "a"};
    if (n->first == NULL || n->first->kind != NODE_UNIT)
        return false;
    for (size_t k = 0; k < LENGTH(units); k++)
        if (strcmp(n->first->text, units[k]) == 0)
            return true;
    return false;
}

void measure_time_wanted(Units *c, Node *n, const char *who)
{
    if (c->long_time == NULL && is_long_time(n)) {
        c->long_time = n;
        c->long_unit = n->first->text;
    }
    if (!is_none(n))
        agree_want(c, n, measure(c, n), measure_time(c), who, "a time");
}

void measure_number_wanted(Units *c, Node *n, const char *who)
{
    if (!is_none(n))
        agree_want(c, n, measure(c, n), measure_none(), who,
                   "a number without a unit");
}

/* The type has been checked before: only INTEGERs are reported here, so that
   one mistake is one message. */
void measure_count_wanted(Units *c, Node *n, const char *who)
{
    bool whole =
        n->kind == NODE_INTEGER || (n->kind == NODE_NAME && n->symbol != NULL &&
                                    n->symbol->type == WORD_INTEGER);
    if (whole)
        measure_number_wanted(c, n, who);
    else if (!is_none(n))
        measure(c, n);
}

/* ---- Names --------------------------------------------------------------- */

static const char *written_unit(const Node *n)
{
    while (n != NULL && n->kind == NODE_UNARY)
        n = n->first;
    if (n == NULL)
        return NULL;
    if (n->first != NULL && n->first->kind == NODE_UNIT)
        return n->first->text;
    return n->kind == NODE_CONST_ITEM ? written_unit(n->last) : NULL;
}

static Measure of_predefined(const Units *c, const Symbol *s)
{
    static const char *const times[] = {"TIME", "TBEG", "TFIN", "DTFUL",
                                        "GENTIM"};
    if (s->kind == SYMBOL_CONST)
        return (Measure){.sort = SORT_NUMBER};
    for (size_t k = 0; k < LENGTH(times); k++) {
        if (name_same(s->name, times[k]))
            return measure_time(c);
    }
    return open;
}

/* Variables that equations compute have one unit throughout; so have those that
   no statement assigns. A variable that statements assign may have another unit
   each time. */
static bool has_one_unit(const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_CONST:
    case SYMBOL_FIELD:
    case SYMBOL_COORDINATE: return true;
    case SYMBOL_VARIABLE: break;
    default: return false;
    }
    switch (s->type) {
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_DSTATE:
    case WORD_MEMORY: return (s->places & PLACE_PROCEDURAL) == 0;
    case WORD_RANDOM: return true;
    case WORD_REAL:
    case WORD_INTEGER: return (s->places & ~(uint32_t)PLACE_EXPERIMENT) == 0;
    default: return false;
    }
}

/* One unknown for a name, or for an element of an array, within a statement. */
static Measure of_use(Units *c, const Symbol *s, const Node *index)
{
    Element *e = (Element *)(void *)c->elements.bytes;
    size_t count = c->elements.used / sizeof *e;
    Element added = {.array = s, .index = index};
    for (size_t k = 0; k < count; k++) {
        if (e[k].array == s &&
            (index == NULL || spell_same(c->unit, e[k].index, index)))
            return of_unknown(c, e[k].unknown);
    }
    added.unknown = unknown_new(&c->unknowns, s->name, NULL);
    if (!vector_append(&c->elements, &added, sizeof added))
        c->unknowns.broken = true;
    return of_unknown(c, added.unknown);
}

/* What statements assign has one unit within an equation or a statement, unless
   it is this one that assigns it: T := T/60 [s]. */
static bool is_held(const Units *c, const Symbol *s)
{
    return s != c->target && s->kind == SYMBOL_VARIABLE &&
           (s->type == WORD_REAL || s->type == WORD_INTEGER);
}

static Measure of_plain(Units *c, Symbol *s)
{
    if (s->kind == SYMBOL_LOOP)
        return (Measure){.sort = SORT_NUMBER};
    if (c->early || s->rank > 0)
        return open;
    if (!has_one_unit(s))
        return is_held(c, s) ? of_use(c, s, NULL) : open;
    if (s->unknown == 0)
        s->unknown = 1 + unknown_new(&c->unknowns, s->name, s);
    return of_unknown(c, s->unknown - 1);
}

Measure measure_symbol(Units *c, Symbol *s)
{
    Measure m;
    const Node *unit;
    if (s == NULL)
        return open;
    if (s->node == NULL)
        return of_predefined(c, s);
    unit = s->node->first;
    if (s->dimension.known)
        m = of_unit(s->dimension, written_unit(s->node));
    else if (unit != NULL && unit->kind == NODE_UNIT)
        m = reported;
    else
        m = of_plain(c, s);
    if (s->kind == SYMBOL_FIELD)
        m.field = s->node;
    return m;
}

/* U[I] in an array without a unit. Its elements may have different ones, but in
   U[I]' = -K*U[I] both are the same. */
static Measure of_element(Units *c, const Node *n)
{
    const Symbol *s = n->first->symbol;
    if (s == NULL || s->kind != SYMBOL_VARIABLE ||
        !(has_one_unit(s) || is_held(c, s)))
        return open;
    return of_use(c, s, n);
}

static Measure of_index(Units *c, Node *n)
{
    Measure m;
    for (Node *index = n->last->first; index != NULL; index = index->next)
        measure_count_wanted(c, index, "an index");
    m = measure(c, n->first);
    return m.sort == SORT_OPEN && n->first->kind == NODE_NAME ? of_element(c, n)
                                                              : m;
}

static Measure of_selection(Units *c, Node *n)
{
    measure(c, n->first);
    if (n->last->kind == NODE_NAME)
        return measure_symbol(c, n->last->symbol);
    measure_count_wanted(c, n->last, "the number of an entry");
    return open;
}

/* m over a power of another measure; open if that is not known. */
static Measure over(Units *c, Measure m, Measure by, double order)
{
    Measure result;
    Terms below = by.terms;
    if (m.sort == SORT_REPORTED || by.sort == SORT_REPORTED)
        return reported;
    if (m.sort != SORT_UNIT || by.sort != SORT_UNIT ||
        !terms_power(&c->unknowns, &below, order))
        return open;
    result = of_unit(
        dimension_over(dimension_step(m.unit), dimension_power(by.unit, order)),
        NULL);
    result.terms = terms_product(&c->unknowns, m.terms, below, -1);
    return result;
}

static Measure over_time(Units *c, Measure m, double order)
{
    Measure result = over(c, m, c->time, order);
    if (result.sort == SORT_UNIT)
        result.unit.counts = m.unit.counts;
    return result;
}

static Measure of_derivative(Units *c, Node *n)
{
    Measure m = measure(c, n->first), result;
    result = over_time(c, m, (double)n->integer);
    result.field = m.field;
    return result;
}

/* ---- Fields -------------------------------------------------------------- */

static Measure of_coordinate(Units *c, const Node *field, int number)
{
    const Node *coordinate;
    if (field == NULL || field->kind != NODE_FIELD_DECL)
        return open;
    coordinate = node_child(field->first->next, (uint32_t)number);
    return coordinate == NULL ? open : measure_symbol(c, coordinate->symbol);
}

static Measure of_place(Units *c, Node *n)
{
    Measure m = measure(c, n->first);
    Node *x = node_child(n, 1), *y = n->last;
    if (n->word == WORD_NONE)
        agree_want(c, x, measure(c, x), of_coordinate(c, m.field, 0), "AT",
                   "a place in the unit of the coordinate");
    if (!is_none(y))
        agree_want(c, y, measure(c, y), of_coordinate(c, m.field, 1), "AT",
                   "a place in the unit of the coordinate");
    m.field = NULL;
    return m;
}

/* A derivative in space: "X" is the first by x, "YY" the second by y. */
static Measure over_coordinate(Units *c, Measure m, const char *which)
{
    Measure x = of_coordinate(c, m.field, which[0] == 'X' ? 0 : 1);
    return over(c, m, x, (double)strlen(which));
}

/* Integrals over a radius are over areas or volumes. */
static double dimensions(const Node *coordinate)
{
    return coordinate->word == WORD_SPHERICAL     ? 3.0
           : coordinate->word == WORD_CYLINDRICAL ? 2.0
                                                  : 1.0;
}

/* An integral over all coordinates. */
static Measure over_field(Units *c, Measure m)
{
    const Node *field = m.field;
    uint32_t n = field != NULL && field->kind == NODE_FIELD_DECL
                     ? node_count(node_child(field, 1))
                     : 0;
    for (uint32_t k = 0; k < n; k++)
        m = over(c, m, of_coordinate(c, field, (int)k),
                 -dimensions(node_child(field->first->next, k)));
    m.field = NULL;
    return m;
}

/* ---- Functions ----------------------------------------------------------- */

typedef struct RuleRow {
    const char *name, *takes, *gives;
} RuleRow;

static const RuleRow rules[] = {
#define RULE(name, takes, gives) {#name, takes, gives},
#include "check/units.def"
#undef RULE
};

static const RuleRow *find_rule(const Symbol *s)
{
    if (s == NULL || s->node != NULL || s->kind != SYMBOL_FUNCTION)
        return NULL;
    for (size_t k = 0; k < LENGTH(rules); k++) {
        if (rules[k].name[0] == s->name[0] &&
            strcmp(rules[k].name, s->name) == 0)
            return &rules[k];
    }
    return NULL;
}

static Measure of_power_of(Units *c, Measure m, double exponent);

static Measure given(Units *c, const RuleRow *rule, Measure a)
{
    Measure m = a;
    switch (rule->gives[0]) {
    case 'a':
    case 'p': m.literal = false; return m;
    case 's':
        if (m.sort == SORT_UNIT)
            m.unit = dimension_step(m.unit);
        m.literal = false;
        return m;
    case '1': m = measure_none(); break;
    case 'r': m = of_angle(); break;
    case 't': m = measure_time(c); break;
    case 'h': m = of_power_of(c, a, 0.5); break;
    case 'd': m = over_time(c, a, 1.0); break;
    case 'i': m = over_time(c, a, -1.0); break;
    case 'X':
    case 'Y': m = over_coordinate(c, a, rule->gives); break;
    case 'V': return over_field(c, a);
    default: m = open;
    }
    m.field = a.field;
    return m;
}

/* One actual, by the letter of its rule; *a is the unit that all a have. */
static void take(Units *c, const char *name, char letter, Node *n, Node **first,
                 Measure *a)
{
    Measure m = measure(c, n);
    char verb[60];
    switch (letter) {
    case 'a': agree_kelvin(c, n, &m); // fall through
    case 'p':
        snprintf(verb, sizeof verb, "cannot be used in %s with", name);
        *a = *first == NULL ? m : agree(c, *first, *a, n, m, MEET_CHOICE, verb);
        if (*first == NULL || m.sort == SORT_UNIT)
            *first = n;
        break;
    case '1':
        agree_want(c, n, m, measure_none(), name, "a number without a unit");
        break;
    case 'r': agree_want(c, n, m, of_angle(), name, "an angle"); break;
    case 't': agree_want(c, n, m, measure_time(c), name, "a time"); break;
    default: break;
    }
}

static Node *actual_value(Node *actual)
{
    return actual->kind == NODE_ACTUAL ? actual->first : actual;
}

/* A whole number without a unit: the number of points of a DELAY. */
static bool is_count(const Node *n)
{
    if (n->kind == NODE_INTEGER)
        return n->first == NULL || n->first->kind != NODE_UNIT;
    return n->kind == NODE_NAME && n->symbol != NULL &&
           n->symbol->type == WORD_INTEGER;
}

/* DELAY (p, x, x0) does not begin with a number of points. */
static const char *letters_of(const RuleRow *rule, Node *actuals)
{
    return strcmp(rule->name, "DELAY") == 0 && node_count(actuals) == 3 &&
                   !is_count(actual_value(actuals->first))
               ? "tp"
               : rule->takes;
}

static Measure of_rule(Units *c, const RuleRow *rule, Node *actuals)
{
    Measure a = open;
    Node *first = NULL;
    const char *takes = letters_of(rule, actuals);
    size_t n = node_count(actuals), letters = strlen(takes);
    size_t k = n < letters ? letters - n : 0;
    for (Node *x = actuals->first; x != NULL; x = x->next) {
        take(c, rule->name, takes[k], actual_value(x), &first, &a);
        if (k + 1 < letters)
            k++;
    }
    return given(c, rule, a);
}

Measure measure_point(const Node *table, uint32_t k)
{
    const Node *list = table->first->first;
    const char *text, *why;
    Dimension d;
    uint32_t wrong;
    if (list == NULL || node_count(list) <= k)
        return open;
    text = written_unit(node_child(list, k));
    if (text == NULL)
        return open;
    return dimension_read(text, &d, &wrong, &why) ? of_unit(d, text) : reported;
}

static Measure of_table(Units *c, const Symbol *s, Node *actuals)
{
    Node *x = actuals->first;
    Measure wanted = measure_point(s->node, 0);
    char what[100];
    snprintf(what, sizeof what, "%.60s, the unit of its points",
             wanted.written == NULL ? "" : wanted.written);
    if (x != NULL && x->kind == NODE_ACTUAL)
        agree_want(c, x->first, measure(c, x->first), wanted, s->name, what);
    return measure_point(s->node, 1);
}

static Measure of_series(Units *c, Node *n)
{
    Node *from = n->first->next, *to = from->next, *except = to->next;
    measure_count_wanted(c, from, "a series");
    measure_count_wanted(c, to, "a series");
    measure_count_wanted(c, except, "EXCEPT");
    return measure(c, n->last);
}

static void actuals(Units *c, Node *list)
{
    for (Node *x = list->first; x != NULL; x = x->next) {
        measure(c, actual_value(x));
        if (x->kind == NODE_ACTUAL) {
            measure_count_wanted(c, x->first->next, "a width");
            measure_count_wanted(c, x->last, "a number of decimals");
        }
    }
}

/* Calls of routines, modules and processes have no units of their own. */
static Measure of_call(Units *c, Node *n)
{
    const Symbol *s = n->first->symbol;
    const RuleRow *rule;
    if (n->first->kind != NODE_NAME)
        measure(c, n->first);
    rule = find_rule(s);
    if (rule != NULL)
        return of_rule(c, rule, n->last->first);
    if (s != NULL && s->kind == SYMBOL_FUNCTABLE && s->node != NULL)
        return of_table(c, s, n->last->first);
    actuals(c, n->last->first);
    actuals(c, n->last->last);
    return open;
}

/* ---- Operations ---------------------------------------------------------- */

static Measure of_literal(const Node *n)
{
    const Node *unit = n->first;
    Dimension d;
    uint32_t wrong;
    const char *why;
    Measure m;
    if (unit == NULL || unit->kind != NODE_UNIT)
        return (Measure){.sort = SORT_NUMBER};
    if (!dimension_read(unit->text, &d, &wrong, &why))
        return reported;
    m = of_unit(d, unit->text);
    m.literal = true;
    return m;
}

/* 2 m over 50 cm is 4. */
static void make_plain(Units *c, Node *n, Measure *m)
{
    if (m->sort != SORT_UNIT || !dimension_is_none(m->unit) ||
        !dimension_mixes(m->unit, NULL))
        return;
    convert_node(c, n, m->unit, dimension_none());
    m->unit = dimension_none();
}

/* A bare number counts as none. */
static Measure of_product(Units *c, Node *n, Measure a, Measure b, bool over)
{
    Measure m;
    if (a.sort == SORT_REPORTED || b.sort == SORT_REPORTED)
        return reported;
    agree_kelvin(c, n->first, &a);
    agree_kelvin(c, n->last, &b);
    if (a.sort == SORT_OPEN || b.sort == SORT_OPEN ||
        (a.sort == SORT_NUMBER && b.sort == SORT_NUMBER)) {
        m = a.sort == SORT_OPEN ? a : b;
    } else {
        Dimension x = a.sort == SORT_NUMBER ? dimension_none() : a.unit;
        Dimension y = b.sort == SORT_NUMBER ? dimension_none() : b.unit;
        m = of_unit(over ? dimension_over(x, y) : dimension_times(x, y), NULL);
        m.terms = terms_product(&c->unknowns, a.terms, b.terms, over ? -1 : 1);
        make_plain(c, n, &m);
    }
    m.field = a.field != NULL ? a.field : b.field;
    return m;
}

static Measure of_power_of(Units *c, Measure m, double exponent)
{
    Measure result;
    if (m.sort != SORT_UNIT)
        return m;
    result = of_unit(dimension_power(m.unit, exponent), NULL);
    result.terms = m.terms;
    return terms_power(&c->unknowns, &result.terms, exponent) ? result : open;
}

/* The exponent of something with a unit must be known. */
static Measure of_raised(Units *c, Node *n, Measure a)
{
    Buffer text = {0};
    Constant v;
    if (constant_fold(&c->checker, n->last, &v))
        return of_power_of(c, a, v.real);
    if (a.terms.count > 0)
        return agree_want(c, n->first, a, measure_none(), "`^`",
                          "a base without a unit, unless the exponent is "
                          "constant")
                   ? measure_none()
                   : reported;
    if (n->last->kind == NODE_NAME && n->last->symbol != NULL &&
        n->last->symbol->kind == SYMBOL_LOOP)
        return open;
    agree_print(c, &text, n->first, &a);
    buffer_text(&text, " can only be raised to a constant power: its unit "
                       "depends on the exponent");
    agree_send(c, n->last, &text);
    return reported;
}

static bool is_plain(const Measure *m)
{
    return m->terms.count == 0 && dimension_is_none(m->unit) &&
           dimension_same_scale(m->unit, dimension_none());
}

static Measure of_power(Units *c, Node *n)
{
    Measure a = measure(c, n->first), b = measure(c, n->last), m = open;
    agree_kelvin(c, n->first, &a);
    if (!agree_want(c, n->last, b, measure_none(), "`^`",
                    "an exponent without a unit") ||
        a.sort == SORT_REPORTED || b.sort == SORT_REPORTED)
        m = reported;
    else if (a.sort == SORT_UNIT)
        m = is_plain(&a) ? measure_none() : of_raised(c, n, a);
    else if (a.sort == SORT_NUMBER)
        m = b.sort == SORT_UNIT ? measure_none() : b;
    m.field = a.field;
    return m;
}

/* ---- Sums ---------------------------------------------------------------- */

static Measure of_kelvin(void)
{
    return of_unit(dimension_kelvin(), "K");
}

/* T1 - T2 in K. */
static Measure of_distance(Units *c, Node *n, Measure a, Measure b)
{
    Measure m = agree(c, n->first, a, n->last, b, MEET_EQUAL,
                      "cannot be subtracted from");
    Dimension step = dimension_step(a.unit);
    if (m.sort != SORT_UNIT)
        return m;
    if (!dimension_same_scale(step, dimension_kelvin()))
        convert_node(c, n, step, dimension_kelvin());
    return of_kelvin();
}

static Measure report_added_point(Units *c, Node *n, const Measure *m)
{
    Buffer text = {0};
    agree_print(c, &text, n, m);
    buffer_text(&text, " is a point of temperature and cannot be added: a "
                       "difference is in K");
    agree_send(c, n, &text);
    return reported;
}

/* A point and something else: T + 5 [K] is a point in the unit of T, and so is
   T + 5; 5 - T is in K. */
static Measure of_shift(Units *c, Node *n, Measure a, Measure b,
                        const char *verb)
{
    bool left = is_point(&a);
    Measure point = left ? a : b, m = point;
    if ((left ? b : a).sort == SORT_OPEN)
        return open;
    if (!left && n->word == WORD_MINUS) {
        agree_kelvin(c, n->last, &b);
        return agree(c, n->first, a, n->last, b, MEET_SUM, verb);
    }
    m.unit = dimension_step(m.unit);
    m.literal = false;
    m = left ? agree(c, n->first, m, n->last, b, MEET_SUM, verb)
             : agree(c, n->last, m, n->first, a, MEET_SUM, verb);
    if (m.sort != SORT_UNIT)
        return m;
    point.soft = m.soft;
    point.mixed = m.mixed;
    point.chain = MEET_SUM;
    point.literal = false;
    return point;
}

static Measure of_sum(Units *c, Node *n, Measure a, Measure b)
{
    bool plus = n->word == WORD_PLUS;
    const char *verb =
        plus ? "cannot be added to" : "cannot be subtracted from";
    if (a.sort == SORT_REPORTED || b.sort == SORT_REPORTED)
        return reported;
    if (!is_point(&a) && !is_point(&b))
        return agree(c, n->first, a, n->last, b, MEET_SUM, verb);
    if (plus && is_point(&a) && a.literal && is_point(&b))
        return report_added_point(c, n->first, &a);
    if (plus && is_point(&b) && b.literal)
        return report_added_point(c, n->last, &b);
    if (is_point(&a) != is_point(&b))
        return of_shift(c, n, a, b, verb);
    if (!plus)
        return of_distance(c, n, a, b);
    agree_kelvin(c, n->first, &a);
    agree_kelvin(c, n->last, &b);
    return of_kelvin();
}

static Measure of_binary(Units *c, Node *n)
{
    Measure a, b, m;
    if (n->word == WORD_POWER || n->word == WORD_CARET)
        return of_power(c, n);
    a = measure(c, n->first);
    b = measure(c, n->last);
    switch (n->word) {
    case WORD_PLUS:
    case WORD_MINUS: return of_sum(c, n, a, b);
    case WORD_TIMES: return of_product(c, n, a, b, false);
    case WORD_SLASH:
    case WORD_DIV: return of_product(c, n, a, b, true);
    case WORD_MOD:
        agree_kelvin(c, n->first, &a);
        agree_kelvin(c, n->last, &b);
        return agree(c, n->first, a, n->last, b, MEET_EQUAL,
                     "cannot be the modulus of");
    case WORD_AND:
    case WORD_OR: return open;
    default:
        m = agree(c, n->first, a, n->last, b, MEET_EQUAL,
                  "cannot be compared with");
        return m.sort == SORT_REPORTED ? reported : open;
    }
}

/* The negative of a literal is a literal: -5 [degC] is a point. */
static Measure of_unary(Units *c, Node *n)
{
    Measure m = measure(c, n->first);
    if (n->word == WORD_NOT)
        return open;
    if (!m.literal && n->word == WORD_MINUS)
        agree_kelvin(c, n->first, &m);
    return m;
}

static Measure of_choice(Units *c, Node *n)
{
    Node *then = node_child(n, 1);
    Measure a, b, m;
    measure(c, n->first);
    a = measure(c, then);
    b = measure(c, n->last);
    m = agree(c, then, a, n->last, b, MEET_CHOICE,
              "cannot be the alternative of");
    m.literal = a.literal && b.literal && m.sort == SORT_UNIT;
    return m;
}

Measure measure(Units *c, Node *n)
{
    switch (n->kind) {
    case NODE_INTEGER:
    case NODE_NUMBER: return of_literal(n);
    case NODE_NAME: return measure_symbol(c, n->symbol);
    case NODE_INDEX: return of_index(c, n);
    case NODE_SELECT: return of_selection(c, n);
    case NODE_DERIVATIVE: return of_derivative(c, n);
    case NODE_FIELD_AT: return of_place(c, n);
    case NODE_CALL: return of_call(c, n);
    case NODE_SERIES: return of_series(c, n);
    case NODE_GATHER: return measure(c, n->last);
    case NODE_BINARY: return of_binary(c, n);
    case NODE_UNARY: return of_unary(c, n);
    case NODE_CHOOSE: return of_choice(c, n);
    default: return open;
    }
}
