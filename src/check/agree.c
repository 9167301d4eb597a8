#include "check/agree.h"

#include <assert.h>
#include <math.h>

#include "check/convert.h"
#include "check/spell.h"

static const Measure reported = {.sort = SORT_REPORTED};

/* ---- Messages ------------------------------------------------------------ */

void agree_print_unit(Units *c, Buffer *b, const Measure *m)
{
    Dimension d = m->unit;
    Terms rest = m->terms;
    if (m->written != NULL) {
        buffer_format(b, "%.60s", m->written);
        return;
    }
    if (rest.count > 0 && !unknowns_resolve(&c->unknowns, &rest, &d))
        rest.count = 0;
    if (rest.count == 0) {
        dimension_print(b, d);
        return;
    }
    if (!dimension_is_none(d) || !dimension_same_scale(d, dimension_none())) {
        dimension_print(b, d);
        buffer_text(b, " times ");
    }
    buffer_format(b, "the unit of `%.40s`",
                  unknown_at(&c->unknowns, rest.term[0].unknown)->name);
}

void agree_print(Units *c, Buffer *b, const Node *n, const Measure *m)
{
    spell_value(c->unit, b, n);
    buffer_text(b, " [");
    agree_print_unit(c, b, m);
    buffer_char(b, ']');
}

void agree_send(Units *c, const Node *at, Buffer *b)
{
    unit_error(c->unit, at->at, at->origin, "%s", buffer_string(b));
    buffer_free(b);
}

/* Adds a hint where cycles meet radians, or rpm meets a count per minute. */
static void print_turns(Buffer *b, const Measure *x, const Measure *y)
{
    if (dimension_turns(x->unit, y->unit))
        buffer_text(b, ": one cycle is 2*PI rad, so write that factor");
    else if (x->unit.counts == COUNTS_ROTATION ||
             y->unit.counts == COUNTS_ROTATION)
        buffer_text(b, ": rpm is 2*PI rad per minute, but this may count turns "
                       "or radians; declare it in rpm or rad/s");
}

/* X' = -0.3*X with a plain X: the number is a rate. */
static void print_rate(const Units *c, Buffer *b, Dimension ratio)
{
    Dimension inverse = dimension_power(ratio, -1);
    if (c->time.terms.count == 0 && (dimension_same(ratio, c->time.unit) ||
                                     dimension_same(inverse, c->time.unit)))
        buffer_format(b,
                      ": a number that is a rate or a time needs a unit, as in "
                      "2.0 [1/%.20s]",
                      c->time_text);
}

/* The number without a unit in a product, or NULL; *below: it divides. Whole
   numbers and halves may well be plain. */
static const Node *plain_factor(const Node *n, bool *below)
{
    const Node *found = NULL;
    *below = false;
    while (n->kind == NODE_UNARY)
        n = n->first;
    if (n->kind == NODE_NUMBER) // one that a conversion made has no children
        return n->first != NULL && is_none(n->first) &&
                       n->number * 2 != floor(n->number * 2)
                   ? n
                   : NULL;
    if (n->kind != NODE_BINARY ||
        (n->word != WORD_TIMES && n->word != WORD_SLASH))
        return NULL;
    found = plain_factor(n->first, below);
    if (found == NULL) {
        found = plain_factor(n->last, below);
        *below ^= n->word == WORD_SLASH;
    }
    return found;
}

/* Adds the unit that the number in `n` lacks if the product should be in
   `wanted`; false if there is no such number. */
static bool print_factor(Buffer *b, const Node *n, const Measure *m,
                         const Measure *wanted)
{
    bool below;
    const Node *number = plain_factor(n, &below);
    Dimension by = dimension_over(wanted->unit, m->unit);
    if (number == NULL || m->terms.count > 0 || wanted->terms.count > 0 ||
        !by.known || dimension_mixes(by, NULL))
        return false;
    buffer_format(b, ": does %.30s lack a unit, %.30s [", number->text,
                  number->text);
    dimension_print(b, below ? dimension_power(by, -1) : by);
    buffer_text(b, "]?");
    return true;
}

static Measure report_mismatch(Units *c, Node *a, const Measure *ma, Node *b,
                               const Measure *mb, const char *verb)
{
    Buffer text = {0};
    agree_print(c, &text, b, mb);
    buffer_format(&text, " %s ", verb);
    agree_print(c, &text, a, ma);
    if (dimension_same(ma->unit, mb->unit))
        print_turns(&text, ma, mb);
    else if (ma->terms.count > 0)
        print_rate(c, &text, dimension_over(ma->unit, mb->unit));
    else if (!print_factor(&text, b, mb, ma))
        print_factor(&text, a, ma, mb);
    agree_send(c, b, &text);
    return reported;
}

/* Something without a unit next to two different units. */
static Measure report_two(Units *c, const Node *soft, const Measure *ma,
                          const Measure *mb)
{
    Buffer text = {0};
    spell_value(c->unit, &text, soft);
    buffer_text(&text, " has no unit but meets two: ");
    agree_print_unit(c, &text, ma);
    buffer_text(&text, " and ");
    agree_print_unit(c, &text, mb);
    buffer_text(&text, "; give it one");
    agree_send(c, soft, &text);
    return reported;
}

/* The newest unknown of a product about which something is known already. */
static const Term *found_term(const Units *c, Terms t)
{
    for (uint32_t k = t.count; k-- > 0;) {
        if (unknown_at(&c->unknowns, t.term[k].unknown)->found)
            return &t.term[k];
    }
    return NULL;
}

/* The unit it would have if the product is `unit`. */
static Dimension implied(Units *c, Terms product, const Term *self,
                         Dimension unit)
{
    Dimension by = dimension_none();
    Terms one = {self, 1}, rest = terms_product(&c->unknowns, product, one, -1);
    if (!unknowns_resolve(&c->unknowns, &rest, &by) || rest.count > 0)
        return (Dimension){0};
    return dimension_power(dimension_over(unit, by),
                           (double)POWER_PARTS / self->power);
}

/* Writes "`Z` ... here it would be in s", or by what the two sides differ where
   that depends on yet another name. */
static void print_contradiction(Units *c, Buffer *b, Terms product,
                                const Term *self, Dimension unit,
                                Dimension before)
{
    Dimension here = implied(c, product, self, unit), by = dimension_none();
    if (here.known) {
        buffer_format(b, "`%.40s` has no unit of its own; here it would be in ",
                      unknown_at(&c->unknowns, self->unknown)->name);
        dimension_print(b, here);
        buffer_text(b, ", while elsewhere it is in ");
        dimension_print(b, before);
        if (dimension_same(here, before))
            buffer_text(b, ": give it a unit where it is declared");
        return;
    }
    unknowns_resolve(&c->unknowns, &product, &by);
    buffer_text(b, "both sides have the unit of the same names but differ by ");
    dimension_print(b, dimension_over(unit, by));
    print_rate(c, b, dimension_over(unit, by));
}

static Measure report_contradiction(Units *c, Terms product, Dimension unit,
                                    const Node *at)
{
    const Term *self = found_term(c, product);
    Unknown *x = unknown_at(&c->unknowns, self->unknown);
    Dimension before = x->unit;
    Terms rest = x->rest;
    Buffer text = {0}, there = {0};
    unknowns_resolve(&c->unknowns, &rest, &before);
    print_contradiction(c, &text, product, self, unit, before);
    agree_send(c, at, &text);
    if (rest.count == 0 || !dimension_is_none(before))
        dimension_print(&there, before);
    if (rest.count > 0)
        buffer_format(&there, "%sthe unit of `%.40s`",
                      dimension_is_none(before) ? "" : " times ",
                      unknown_at(&c->unknowns, rest.term[0].unknown)->name);
    if (x->where != NULL)
        unit_note(c->unit, x->where->at, "here `%.40s` is in %s", x->name,
                  buffer_string(&there));
    buffer_free(&there);
    x->blamed = true;
    return reported;
}

/* K*Y [m] meets X [km]: is K a conversion, or is one to be made? */
static void report_mixed(Units *c, Unknown *x, Dimension unit, const Node *at)
{
    Buffer text = {0}, two = {0};
    if (x->blamed)
        return;
    dimension_mixes(unit, &two);
    buffer_format(&text,
                  "`%.40s` has no unit and is between %s: give it one where it "
                  "is declared, [1] if it is a plain number",
                  x->name, buffer_string(&two));
    agree_send(c, at, &text);
    buffer_free(&two);
    x->blamed = true;
}

static void leave_for_later(Units *c, Node *b, Terms product, Dimension unit)
{
    Later later = {b, product, unit};
    if (!vector_append(&c->later, &later, sizeof later))
        c->unknowns.broken = true;
}

/* Names without dimension are plain numbers: MU*G [m/s^2] for a V' [km/h/s]. */
static void settle_plain(Units *c, const Later *later)
{
    Terms product = later->product;
    Dimension by = dimension_none(), left;
    if (!unknowns_resolve(&c->unknowns, &product, &by))
        return;
    left = dimension_over(later->unit, by);
    if (product.count > 0 && left.known && dimension_is_none(left))
        unknowns_settle(&c->unknowns, product, dimension_none(), later->b);
}

static void finish(Units *c, const Later *later)
{
    Terms product = later->product;
    Dimension by = dimension_none(), left;
    if (!unknowns_resolve(&c->unknowns, &product, &by))
        return;
    left = dimension_over(later->unit, by);
    if (!left.known)
        return;
    if (product.count > 0)
        report_mixed(
            c,
            unknown_at(&c->unknowns, product.term[product.count - 1].unknown),
            later->unit, later->b);
    else if (!dimension_is_none(left))
        report_contradiction(c, later->product, later->unit, later->b);
    else if (!dimension_same_scale(left, dimension_none()))
        convert_node(c, later->b, left, dimension_none());
}

static void note_scaled(Units *c, Node *b, const Measure *ma, const Measure *mb)
{
    Scaled s = {b, ma->terms, dimension_over(ma->unit, mb->unit)};
    if (ma->terms.count > 0 && !vector_append(&c->scaled, &s, sizeof s))
        c->unknowns.broken = true;
}

static bool stands_in(const Node *n, const Node *around)
{
    return around != NULL && n->at.file == around->at.file &&
           n->at.start >= around->at.start &&
           n->at.start + n->at.length <= around->at.start + around->at.length;
}

static bool is_factor(Terms factor, uint32_t unknown)
{
    for (uint32_t k = 0; k < factor.count; k++) {
        if (factor.term[k].unknown == unknown)
            return true;
    }
    return false;
}

/* Whether nothing but known units and the factors themselves gave x its unit
   where the two units met: no other name takes up what is left. */
static bool is_fixed_there(const Unknown *x, const Scaled *s)
{
    for (uint32_t k = 0; k < x->rest.count; k++) {
        if (!is_factor(s->factor, x->rest.term[k].unknown))
            return false;
    }
    return x->found && stands_in(s->b, x->where);
}

/* CV*PS [bar] + CV*P [Pa] = Q [m^3/s]: is CV in m^3/s per bar or per Pa? */
static void check_scaled(Units *c, const Scaled *s)
{
    for (uint32_t k = 0; k < s->factor.count; k++) {
        Unknown *x = unknown_at(&c->unknowns, s->factor.term[k].unknown);
        Dimension d = x->unit;
        Terms rest = x->rest;
        if (!is_fixed_there(x, s) ||
            !unknowns_resolve(&c->unknowns, &rest, &d) ||
            (rest.count == 0 && dimension_is_none(d)))
            continue;
        report_mixed(c, x, s->unit, s->b);
        return;
    }
}

/* Reports that TIME has met a unit although no unit of the program contains
   time. */
static void check_time(Units *c, Dimension unit, const Node *at)
{
    Buffer text = {0};
    if (dimension_is_none(unit) ||
        unknown_at(&c->unknowns, c->time.terms.term->unknown)->blamed)
        return;
    buffer_text(&text, "TIME would be in ");
    dimension_print(&text, unit);
    buffer_text(&text, " here");
    agree_send(c, at, &text);
}

void agree_rest(Units *c)
{
    const Later *later = (const Later *)(void *)c->later.bytes;
    const Scaled *scaled = (const Scaled *)(void *)c->scaled.bytes;
    size_t n = c->later.used / sizeof *later;
    for (size_t k = 0; k < n; k++)
        settle_plain(c, &later[k]);
    for (size_t k = 0; k < n; k++)
        finish(c, &later[k]);
    for (size_t k = 0; k < c->scaled.used / sizeof *scaled; k++)
        check_scaled(c, &scaled[k]);
    for (uint32_t k = 0; k < unknowns_count(&c->unknowns); k++) {
        Unknown *x = unknown_at(&c->unknowns, k);
        Dimension unit = x->unit;
        Terms rest = x->rest;
        if (!x->found || !unknowns_resolve(&c->unknowns, &rest, &unit) ||
            rest.count > 0)
            continue;
        if (dimension_mixes(unit, NULL))
            report_mixed(c, x, unit, x->where);
        else if (c->time.terms.count > 0 && k == c->time.terms.term->unknown)
            check_time(c, unit, x->where);
    }
}

/* ---- Points of temperature ----------------------------------------------- */

void agree_kelvin(Units *c, Node *n, Measure *m)
{
    if (!is_point(m))
        return;
    convert_node(c, n, m->unit, dimension_kelvin());
    m->unit = dimension_kelvin();
    m->written = "K";
}

/* A plain name next to a point: it is not known whether it counts from 0 K. */
static Measure report_plain(Units *c, const Node *n, const Measure *point)
{
    Buffer text = {0};
    spell_value(c->unit, &text, n);
    buffer_text(&text, " has no unit but meets a point of temperature in ");
    agree_print_unit(c, &text, point);
    buffer_text(&text, ": declare it in degC, or in K");
    agree_send(c, n, &text);
    return reported;
}

/* ---- Agreement ----------------------------------------------------------- */

/* rpm meets 1/min: these units alone do not say what is counted. */
static bool is_unclear(const Measure *a, const Measure *b)
{
    return a->unit.counts == COUNTS_ROTATION && b->written != NULL &&
           b->unit.counts == COUNTS_NOTHING;
}

static bool is_convertible(const Measure *a, const Measure *b)
{
    return dimension_same(a->unit, b->unit) &&
           !dimension_turns(a->unit, b->unit) && !is_unclear(a, b) &&
           !is_unclear(b, a);
}

/* Forgets what was soft or mixed in a sum: it does not matter outside. */
static void leave_chain(Measure *m, Meeting how)
{
    if (m->chain == MEET_SUM && how != MEET_SUM) {
        m->soft = NULL;
        m->mixed = false;
    }
}

static bool is_zero(const Node *n)
{
    return is_literal(n) && n->number == 0.0;
}

/* Reports a number among neighbours that have different units. */
static Measure report_among(Units *c, const Node *n)
{
    Buffer text = {0};
    spell_value(c->unit, &text, n);
    buffer_text(&text, " has no unit but is among several: give it one");
    agree_send(c, n, &text);
    return reported;
}

/* A number meets a product like m^2/cm. */
static Measure report_between(Units *c, const Node *n, const Measure *m)
{
    Buffer text = {0};
    spell_value(c->unit, &text, n);
    buffer_text(&text, " has no unit but meets a product of ");
    dimension_mixes(m->unit, &text);
    buffer_text(&text, ": give it one");
    agree_send(c, n, &text);
    return reported;
}

/* At least one of them has no unit that could be compared. */
static Measure agree_loose(Units *c, Node *a, Measure ma, Node *b, Measure mb,
                           Meeting how)
{
    bool left = mb.sort != SORT_UNIT;
    Measure m = left ? ma : mb;
    const Node *other = left ? b : a;
    if (m.sort == SORT_NUMBER)
        m = mb;
    if (m.sort != SORT_UNIT || (left ? mb : ma).sort != SORT_NUMBER ||
        is_zero(other))
        return m;
    if (dimension_mixes(m.unit, NULL))
        return report_between(c, other, &m);
    if (how == MEET_EQUAL)
        return m;
    if (m.mixed)
        return report_among(c, other);
    m.soft = other;
    return m;
}

/* Their unknowns do not cancel, so this gives an equation for them. */
static Measure agree_unknown(Units *c, Node *a, Measure ma, Node *b, Measure mb,
                             Terms product, Meeting how)
{
    Dimension unit;
    Measure m = ma.terms.count <= mb.terms.count ? ma : mb;
    for (uint32_t k = 0; k < product.count; k++) {
        if (unknown_at(&c->unknowns, product.term[k].unknown)->blamed)
            return reported;
    }
    if (is_point(&ma) && mb.bare)
        return report_plain(c, b, &ma);
    if (is_point(&mb) && ma.bare)
        return report_plain(c, a, &mb);
    agree_kelvin(c, b, &mb);
    if (is_point(&ma)) {
        convert_node(c, b, dimension_kelvin(), ma.unit);
        unit = dimension_over(mb.unit, dimension_kelvin());
    } else {
        unit = dimension_over(mb.unit, ma.unit);
    }
    switch (unknowns_settle(&c->unknowns, product, unit, b)) {
    case SETTLED_CONTRADICTION:
        return report_contradiction(c, product, unit, b);
    case SETTLED_MIXED:
        leave_for_later(c, b, product, unit);
        m = ma; // the unit b will have
        break;
    default: break;
    }
    if (how != MEET_EQUAL) {
        const Node *soft = ma.terms.count <= mb.terms.count ? b : a;
        if (ma.mixed || mb.mixed)
            return report_among(c, soft);
        m.soft = soft;
    }
    m.bare = ma.bare && mb.bare;
    return m;
}

static bool is_designator(const Node *n)
{
    return n->kind == NODE_NAME || n->kind == NODE_INDEX ||
           n->kind == NODE_SELECT || n->kind == NODE_DERIVATIVE;
}

static bool is_computed(const Node *n)
{
    return n->kind == NODE_BINARY || n->kind == NODE_UNARY ||
           n->kind == NODE_CALL || n->kind == NODE_CHOOSE;
}

static Measure report_fraction(Units *c, Node *n, const Measure *m,
                               const Measure *wanted)
{
    Buffer text = {0};
    agree_print(c, &text, n, m);
    buffer_text(&text, " is INTEGER and would not be whole in ");
    agree_print_unit(c, &text, wanted);
    buffer_text(&text, ": make it REAL");
    agree_send(c, n, &text);
    return reported;
}

/* Both are known, or their unknowns cancel. */
static Measure agree_known(Units *c, Node *a, Measure ma, Node *b, Measure mb,
                           const char *verb)
{
    bool left =
        !mb.literal && (ma.literal || (is_designator(b) && is_computed(a)));
    const Node *soft = ma.soft != NULL ? ma.soft : mb.soft;
    Node *n = left ? a : b;
    Measure has = left ? ma : mb, wanted = left ? mb : ma;
    if (!is_convertible(&ma, &mb))
        return report_mismatch(c, a, &ma, b, &mb, verb);
    if (dimension_same_scale(ma.unit, mb.unit))
        return ma;
    if (soft != NULL)
        return report_two(c, soft, &ma, &mb);
    if (convert_is_whole(a) && convert_is_whole(b) &&
        !convert_stays_whole(n, has.unit, wanted.unit))
        return report_fraction(c, n, &has, &wanted);
    note_scaled(c, b, &ma, &mb);
    convert_node(c, n, has.unit, wanted.unit);
    wanted.mixed = true;
    return wanted;
}

Measure agree(Units *c, Node *a, Measure ma, Node *b, Measure mb, Meeting how,
              const char *verb)
{
    const Node *field = ma.field != NULL ? ma.field : mb.field;
    const Node *soft;
    Terms product;
    Measure m;
    bool mixed;
    if (ma.sort == SORT_REPORTED || mb.sort == SORT_REPORTED)
        return reported;
    leave_chain(&ma, how);
    leave_chain(&mb, how);
    soft = ma.soft != NULL ? ma.soft : mb.soft;
    mixed = ma.mixed || mb.mixed;
    if (ma.sort != SORT_UNIT || mb.sort != SORT_UNIT) {
        m = agree_loose(c, a, ma, b, mb, how);
    } else {
        product = terms_product(&c->unknowns, ma.terms, mb.terms, -1);
        m = product.count > 0 ? agree_unknown(c, a, ma, b, mb, product, how)
                              : agree_known(c, a, ma, b, mb, verb);
    }
    if (m.sort == SORT_REPORTED)
        return reported;
    m.soft = m.soft != NULL ? m.soft : soft;
    m.mixed = m.mixed || mixed;
    m.chain = how;
    m.literal = false;
    m.field = field;
    return m;
}

bool agree_want(Units *c, Node *n, Measure m, Measure wanted, const char *who,
                const char *what)
{
    Buffer text = {0};
    Terms product;
    leave_chain(&m, MEET_EQUAL);
    if (m.sort != SORT_UNIT || wanted.sort != SORT_UNIT)
        return true;
    product = terms_product(&c->unknowns, wanted.terms, m.terms, -1);
    if (product.count > 0)
        return agree_unknown(c, n, wanted, n, m, product, MEET_EQUAL).sort !=
               SORT_REPORTED;
    if (!is_point(&wanted))
        agree_kelvin(c, n, &m);
    if (is_convertible(&m, &wanted)) {
        if (!dimension_same_scale(m.unit, wanted.unit))
            convert_node(c, n, m.unit, wanted.unit);
        return true;
    }
    buffer_format(&text, "%s needs %s, but ", who, what);
    spell_value(c->unit, &text, n);
    buffer_text(&text, " is in ");
    agree_print_unit(c, &text, &m);
    if (dimension_same(m.unit, wanted.unit))
        print_turns(&text, &m, &wanted);
    agree_send(c, n, &text);
    return false;
}
