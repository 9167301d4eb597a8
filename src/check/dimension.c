#include "check/dimension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

#define LIMIT_POWER   60 // largest power of a base unit
#define LIMIT_NESTED  50 // nested parentheses
#define POWER_NEARBY  1e-10
#define FACTOR_NEARBY Q(1e-20)

#define PI_QUAD Q(3.14159265358979323846264338327950288)

enum {
    TAKES_PREFIX = 1,
    PREFERRED = 2,
    READ_ONLY = 4,
    IS_ANGLE = 8,
    IS_TURN = 16,
    IS_ROTATION = 32
};

typedef struct UnitRow {
    const char *name;
    int8_t power[BASE_UNITS];
    Quad factor;
    unsigned notes;
} UnitRow;

static const UnitRow units[] = {
#define UNIT(name, m, kg, s, A, K, mol, cd, factor, notes)                     \
    {name, {m, kg, s, A, K, mol, cd}, factor, notes},
#include "check/units.def"
#undef UNIT
};

typedef struct PointRow {
    const char *name;
    Quad factor, zero;
} PointRow;

static const PointRow points[] = {
#define POINT(name, factor, zero) {name, factor, zero},
#include "check/units.def"
#undef POINT
};

typedef struct PrefixRow {
    const char *name;
    Quad factor;
} PrefixRow;

static const PrefixRow prefixes[] = {
#define PREFIX(name, factor) {name, factor},
#include "check/units.def"
#undef PREFIX
};

typedef struct WordRow {
    const char *name, *text;
} WordRow;

static const WordRow meant[] = {
#define MEANT(wrong, right) {wrong, right},
#include "check/units.def"
#undef MEANT
};

static const WordRow no_units[] = {
#define NO_UNIT(name, why) {name, why},
#include "check/units.def"
#undef NO_UNIT
};

/* ---- Algebra ------------------------------------------------------------- */

Dimension dimension_none(void)
{
    return (Dimension){.known = true, .factor = 1.0};
}

bool dimension_same(Dimension a, Dimension b)
{
    return memcmp(a.power, b.power, sizeof a.power) == 0;
}

static bool is_near(Quad a, Quad b)
{
    Quad apart = a - b, room = a * FACTOR_NEARBY;
    return apart <= room && -apart <= room;
}

bool dimension_same_scale(Dimension a, Dimension b)
{
    return is_near(a.factor, b.factor) && a.zero == b.zero;
}

static bool is_angle(Dimension d)
{
    return d.counts == COUNTS_ANGLE || d.counts == COUNTS_ROTATION;
}

bool dimension_turns(Dimension a, Dimension b)
{
    return (a.counts == COUNTS_TURNS && is_angle(b)) ||
           (is_angle(a) && b.counts == COUNTS_TURNS);
}

Quad dimension_ratio(Dimension from, Dimension to)
{
    return from.factor / to.factor;
}

Quad dimension_shift(Dimension from, Dimension to)
{
    return (from.zero - to.zero) / to.factor;
}

bool dimension_convert(Dimension from, Dimension to, const char *value,
                       Buffer *text)
{
    if (!from.known || !to.known || !dimension_same(from, to) ||
        dimension_turns(from, to))
        return false;
    if (dimension_same_scale(from, to))
        buffer_text(text, value);
    else
        quad_print(text, quad_read(value) * dimension_ratio(from, to) +
                             dimension_shift(from, to));
    return true;
}

bool dimension_is_none(Dimension d)
{
    return dimension_same(d, dimension_none());
}

static bool set_power(Dimension *d, int base, double parts)
{
    if (fabs(parts) > POWER_PARTS * LIMIT_POWER || parts != floor(parts))
        return false;
    d->power[base] = (int16_t)parts;
    return true;
}

static bool is_size(Quad factor)
{
    return factor > Q(1e-305) && factor < Q(1e305);
}

static void add_atom(Dimension *d, Atom a, double exponent)
{
    double power = round(a.power * exponent);
    int k = 0;
    while (k < d->atoms &&
           (d->atom[k].unit != a.unit || d->atom[k].prefix != a.prefix))
        k++;
    if (d->atoms < 0 || k == ATOMS_MOST || fabs(power) > INT16_MAX / 2.0) {
        d->atoms = -1;
        return;
    }
    if (k == d->atoms)
        d->atom[d->atoms++] = (Atom){a.unit, a.prefix, 0};
    d->atom[k].power = (int16_t)(d->atom[k].power + power);
    if (d->atom[k].power == 0)
        d->atom[k] = d->atom[--d->atoms];
    else if (abs(d->atom[k].power) > INT16_MAX / 2)
        d->atoms = -1;
}

static void add_atoms(Dimension *d, const Dimension *from, double exponent)
{
    if (from->atoms < 0)
        d->atoms = -1;
    for (int k = 0; k < from->atoms; k++)
        add_atom(d, from->atom[k], exponent);
}

/* a times b to the power sign; not known if that is out of range. */
static Dimension product(Dimension a, Dimension b, int sign)
{
    Dimension d = dimension_none();
    if (!a.known || !b.known)
        return (Dimension){0};
    for (int k = 0; k < BASE_UNITS; k++) {
        if (!set_power(&d, k, a.power[k] + sign * b.power[k]))
            return (Dimension){0};
    }
    d.factor = sign > 0 ? a.factor * b.factor : a.factor / b.factor;
    add_atoms(&d, &a, 1);
    add_atoms(&d, &b, sign);
    return is_size(d.factor) ? d : (Dimension){0};
}

Dimension dimension_times(Dimension a, Dimension b)
{
    return product(a, b, 1);
}

Dimension dimension_over(Dimension a, Dimension b)
{
    return product(a, b, -1);
}

Dimension dimension_power(Dimension a, double exponent)
{
    Dimension d = dimension_none();
    double sixtieths;
    if (!a.known || !isfinite(exponent))
        return (Dimension){0};
    for (int k = 0; k < BASE_UNITS; k++) {
        double parts = a.power[k] * exponent;
        if (fabs(parts - round(parts)) < POWER_NEARBY) // (1/3)*3
            parts = round(parts);
        if (!set_power(&d, k, parts))
            return (Dimension){0};
    }
    sixtieths = round(exponent * POWER_PARTS);
    d.factor = quad_power(
        a.factor, fabs(sixtieths - exponent * POWER_PARTS) < POWER_NEARBY
                      ? (Quad)sixtieths / POWER_PARTS // 1/3 to full precision
                      : (Quad)exponent);
    add_atoms(&d, &a, exponent);
    return is_size(d.factor) ? d : (Dimension){0};
}

/* ---- Reading ------------------------------------------------------------- */

typedef struct Reader {
    const char *text;
    uint32_t at;
    uint32_t nested;
    uint32_t wrong;
    const char *why;
} Reader;

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' ||
           ((unsigned char)ch & 0x80u) != 0;
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static char next_char(Reader *r)
{
    while (r->text[r->at] == ' ')
        r->at++;
    return r->text[r->at];
}

static bool refuse(Reader *r, uint32_t wrong, const char *why)
{
    r->wrong = wrong;
    r->why = why;
    return false;
}

static bool is_name(const char *name, const char *s, size_t n)
{
    return name[0] == s[0] && strncmp(name, s, n) == 0 && name[n] == '\0';
}

static const UnitRow *find_unit(const char *s, size_t n)
{
    for (size_t k = 0; k < LENGTH(units); k++) {
        if (is_name(units[k].name, s, n))
            return &units[k];
    }
    return NULL;
}

/* A unit with a prefix. */
static const UnitRow *find_prefixed(const char *s, size_t n, size_t *prefix)
{
    for (size_t k = 0; k < LENGTH(prefixes); k++) {
        size_t length = strlen(prefixes[k].name);
        const UnitRow *u;
        if (length >= n || memcmp(prefixes[k].name, s, length) != 0)
            continue;
        u = find_unit(s + length, n - length);
        if (u != NULL && (u->notes & TAKES_PREFIX) != 0) {
            *prefix = k + 1;
            return u;
        }
    }
    return NULL;
}

/* The unit with prefix number `prefix` of the table; 0: no prefix. */
static Dimension row_dimension(const UnitRow *u, Quad factor, size_t prefix)
{
    Dimension d = {.known = true, .factor = u->factor * factor, .atoms = 1};
    d.atom[0] = (Atom){(int16_t)(u - units), (int16_t)prefix, POWER_PARTS};
    for (int k = 0; k < BASE_UNITS; k++)
        d.power[k] = (int16_t)(POWER_PARTS * u->power[k]);
    if ((u->notes & IS_ANGLE) != 0)
        d.counts = COUNTS_ANGLE;
    if ((u->notes & IS_ROTATION) != 0)
        d.counts = COUNTS_ROTATION;
    if ((u->notes & IS_TURN) != 0)
        d.counts = COUNTS_TURNS;
    return d;
}

static bool lookup_point(const char *s, size_t n, Dimension *d)
{
    for (size_t k = 0; k < LENGTH(points); k++) {
        if (!is_name(points[k].name, s, n))
            continue;
        *d = row_dimension(find_unit("K", 1), points[k].factor, 0);
        d->point = true;
        d->zero = points[k].zero;
        return true;
    }
    return false;
}

/* Looks up a name: first as a unit, then as prefix and unit. */
static bool lookup(const char *s, size_t n, Dimension *d)
{
    size_t prefix = 0;
    const UnitRow *u = find_unit(s, n);
    if (u == NULL && lookup_point(s, n, d))
        return true;
    if (u == NULL)
        u = find_prefixed(s, n, &prefix);
    if (u != NULL)
        *d = row_dimension(u, prefix == 0 ? 1 : prefixes[prefix - 1].factor,
                           prefix);
    return u != NULL;
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (is_letter(s[n]) || (n > 0 && is_digit(s[n])))
        n++;
    return n;
}

static bool read_name(Reader *r, Dimension *d)
{
    const char *s = r->text + r->at;
    size_t n = *s == '%' ? 1 : name_length(s);
    if (lookup(s, n, d)) {
        r->at += (uint32_t)n;
        return true;
    }
    for (size_t k = 0; k < LENGTH(no_units); k++) {
        if (is_name(no_units[k].name, s, n))
            return refuse(r, r->at, no_units[k].text);
    }
    return refuse(r, r->at, NULL);
}

static bool read_one(Reader *r, Dimension *d)
{
    uint32_t from = r->at;
    while (is_digit(r->text[r->at]))
        r->at++;
    if (r->at - from != 1 || r->text[from] != '1')
        return refuse(r, from,
                      "the only number in a unit is 1, as in [1/s]: a prefix "
                      "gives the size");
    *d = dimension_none();
    return true;
}

static bool read_product(Reader *r, Dimension *d);

static bool read_nested(Reader *r, Dimension *d)
{
    if (++r->nested > LIMIT_NESTED)
        return refuse(r, r->at, "parentheses are nested too deep");
    r->at++;
    if (!read_product(r, d))
        return false;
    if (next_char(r) != ')')
        return refuse(r, r->at, "`)` is missing here");
    r->at++;
    r->nested--;
    return true;
}

static bool read_exponent(Reader *r, Dimension *d)
{
    uint32_t from = ++r->at;
    int sign = 1, exponent = 0;
    Dimension raised;
    if (next_char(r) == '-') {
        sign = -1;
        r->at++;
    }
    if (!is_digit(next_char(r)))
        return refuse(r, r->at, "the exponent of a unit is a whole number");
    while (is_digit(r->text[r->at])) {
        exponent = exponent * 10 + (r->text[r->at++] - '0');
        if (exponent > LIMIT_POWER)
            return refuse(r, from, "this exponent is too large for a unit");
    }
    raised = dimension_power(*d, sign * exponent);
    if (!raised.known)
        return refuse(r, from, "this exponent is too large for a unit");
    if (sign * exponent == 1)
        raised.counts = d->counts;
    *d = raised;
    return true;
}

static bool read_factor(Reader *r, Dimension *d)
{
    char ch = next_char(r);
    bool done;
    if (ch == '(')
        done = read_nested(r, d);
    else if (is_digit(ch))
        done = read_one(r, d);
    else if (is_letter(ch) || ch == '%')
        done = read_name(r, d);
    else
        done = refuse(r, r->at, "a unit is missing here");
    if (done && next_char(r) == '^')
        done = read_exponent(r, d);
    return done;
}

/* rad/s is still an angle, 1/rad and m*Hz are not. */
static Counts read_counts(Dimension a, Dimension b, char sign)
{
    if (a.counts == COUNTS_NOTHING)
        return sign == '*' ? b.counts : COUNTS_NOTHING;
    return b.counts == COUNTS_NOTHING ? a.counts : COUNTS_NOTHING;
}

static bool read_product(Reader *r, Dimension *d)
{
    if (!read_factor(r, d))
        return false;
    for (;;) {
        Dimension by, all;
        char ch = next_char(r);
        uint32_t from = r->at;
        if (ch != '*' && ch != '/')
            return true;
        r->at++;
        if (!read_factor(r, &by))
            return false;
        all = product(*d, by, ch == '*' ? 1 : -1);
        if (!all.known)
            return refuse(r, from, "this unit is too large or too small");
        all.counts = read_counts(*d, by, ch);
        *d = all;
    }
}

bool dimension_read(const char *text, Dimension *d, uint32_t *wrong,
                    const char **why)
{
    Reader r = {.text = text};
    bool done;
    *d = (Dimension){0};
    done = read_product(&r, d);
    if (done && next_char(&r) != '\0')
        done = refuse(&r, r.at, "`*` or `/` is missing here");
    if (!done) {
        *d = (Dimension){0};
        *wrong = r.wrong;
        *why = r.why;
    }
    return done;
}

Dimension dimension_second(void)
{
    return row_dimension(find_unit("s", 1), 1, 0);
}

Dimension dimension_kelvin(void)
{
    return row_dimension(find_unit("K", 1), 1, 0);
}

Dimension dimension_step(Dimension a)
{
    a.point = false;
    a.zero = 0;
    return a;
}

/* ---- What was meant ------------------------------------------------------ */

uint32_t dimension_wrong_length(const char *text, uint32_t wrong)
{
    const char *s = text + wrong;
    size_t n = name_length(s);
    if (n == 0) {
        while (is_digit(s[n]) || (n == 0 && s[n] == '-'))
            n++;
    }
    return n == 0 ? 1 : (uint32_t)n;
}

static char lower(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
}

static bool is_like(const char *name, const char *s, size_t n)
{
    if (strlen(name) != n)
        return false;
    for (size_t k = 0; k < n; k++) {
        if (lower(name[k]) != lower(s[k]))
            return false;
    }
    return true;
}

static const char *like_unit(const char *s, size_t n, bool prefixed)
{
    for (size_t k = 0; k < LENGTH(units); k++) {
        if (is_like(units[k].name, s, n) &&
            (!prefixed || (units[k].notes & TAKES_PREFIX) != 0))
            return units[k].name;
    }
    return NULL;
}

/* KHz for kHz, MPA for MPa: keeps the prefix as written if it is one. */
static bool like_prefixed(const char *s, size_t n, Buffer *b)
{
    const char *prefix = NULL, *unit = NULL;
    for (size_t k = 0; k < LENGTH(prefixes); k++) {
        size_t length = strlen(prefixes[k].name);
        const char *rest;
        bool exact;
        if (length >= n || !is_like(prefixes[k].name, s, length))
            continue;
        rest = like_unit(s + length, n - length, true);
        exact = is_name(prefixes[k].name, s, length);
        if (rest != NULL && (prefix == NULL || exact)) {
            prefix = prefixes[k].name;
            unit = rest;
        }
    }
    if (prefix != NULL)
        buffer_format(b, "%s%s", prefix, unit);
    return prefix != NULL;
}

/* m2 for m^2. */
static bool like_power(const char *s, size_t n, Buffer *b)
{
    size_t letters = n;
    Dimension d;
    while (letters > 0 && is_digit(s[letters - 1]))
        letters--;
    if (letters == n || !lookup(s, letters, &d))
        return false;
    buffer_format(b, "%.*s^%.*s", (int)letters, s, (int)(n - letters),
                  s + letters);
    return true;
}

bool dimension_meant(const char *text, uint32_t wrong, Buffer *b)
{
    const char *s = text + wrong;
    size_t n = name_length(s);
    const char *unit;
    if (n == 0)
        return false;
    for (size_t k = 0; k < LENGTH(meant); k++) {
        if (is_like(meant[k].name, s, n)) {
            buffer_text(b, meant[k].text);
            return true;
        }
    }
    if (is_like("KG", s,
                n)) { // the kilogram is not a prefixed unit in the table
        buffer_text(b, "kg");
        return true;
    }
    if (like_power(s, n, b))
        return true;
    unit = like_unit(s, n, false);
    if (unit != NULL)
        buffer_text(b, unit);
    return unit != NULL || like_prefixed(s, n, b);
}

/* ---- Two units of one dimension ------------------------------------------ */

static Quad atom_factor(const Atom *a)
{
    Quad prefix = a->prefix == 0 ? 1 : prefixes[a->prefix - 1].factor;
    return units[a->unit].factor * prefix;
}

/* True if they have one dimension, as s and d, or inverse ones, as Hz and d. */
static bool atoms_alike(const Atom *a, const Atom *b)
{
    const int8_t *p = units[a->unit].power, *q = units[b->unit].power;
    bool same = true, inverse = true;
    for (int k = 0; k < BASE_UNITS; k++) {
        same = same && p[k] == q[k];
        inverse = inverse && p[k] == -q[k];
    }
    return same || inverse;
}

static void print_atom(Buffer *b, const Atom *a)
{
    buffer_format(b, "%s%s", a->prefix == 0 ? "" : prefixes[a->prefix - 1].name,
                  units[a->unit].name);
}

static bool find_two(const Dimension *d, int *a, int *b)
{
    for (*b = 0; *b < d->atoms; ++*b) {
        for (*a = 0; *a < *b; ++*a) {
            const Atom *x = &d->atom[*a], *y = &d->atom[*b];
            if (atoms_alike(x, y) && !is_near(atom_factor(x), atom_factor(y)))
                return true;
        }
    }
    return false;
}

bool dimension_mixes(Dimension d, Buffer *text)
{
    int a, b;
    bool two = find_two(&d, &a, &b);
    if (!two && (d.atoms < 2 || !dimension_is_none(d) || is_near(d.factor, 1)))
        return false;
    for (int k = 0; text != NULL && k < d.atoms; k++) {
        if (two && k != a && k != b)
            continue;
        print_atom(text, &d.atom[k]);
        if (two ? k == a : k + 2 == d.atoms)
            buffer_text(text, " and ");
        else if (!two && k + 2 < d.atoms)
            buffer_text(text, ", ");
    }
    return true;
}

/* ---- Printing ------------------------------------------------------------ */

static const char *const base_name[BASE_UNITS] = {"m", "kg",  "s", "A",
                                                  "K", "mol", "cd"};
/* kg*m/s^2, not m*kg/s^2. */
static const int base_order[BASE_UNITS] = {
    BASE_KILOGRAM, BASE_METRE, BASE_AMPERE, BASE_SECOND,
    BASE_KELVIN,   BASE_MOLE,  BASE_CANDELA};

static void print_power(Buffer *b, const char *name, int parts)
{
    int under = POWER_PARTS;
    for (int k = 2; k <= under; k++) {
        while (under % k == 0 && parts % k == 0) {
            under /= k;
            parts /= k;
        }
    }
    buffer_text(b, name);
    if (under != 1)
        buffer_format(b, "^(%d/%d)", parts, under);
    else if (parts != 1)
        buffer_format(b, "^%d", parts);
}

/* `first` (or NULL) times the positive powers, over the negative ones. */
static void print_fraction(Buffer *b, const char *first, const int16_t *power)
{
    int above = first != NULL, below = 0;
    if (first != NULL)
        buffer_text(b, first);
    for (int i = 0; i < BASE_UNITS; i++) {
        int k = base_order[i];
        below += power[k] < 0;
        if (power[k] > 0) {
            buffer_text(b, above++ > 0 ? "*" : "");
            print_power(b, base_name[k], power[k]);
        }
    }
    if (above == 0)
        buffer_char(b, '1');
    if (below > 0)
        buffer_text(b, below > 1 ? "/(" : "/");
    for (int i = 0, n = 0; i < BASE_UNITS; i++) {
        int k = base_order[i];
        if (power[k] < 0) {
            buffer_text(b, n++ > 0 ? "*" : "");
            print_power(b, base_name[k], -power[k]);
        }
    }
    if (below > 1)
        buffer_char(b, ')');
}

/* How long a product is to read: its powers, and the number of its units. */
static int cost(const int16_t *power)
{
    int sum = 0;
    for (int k = 0; k < BASE_UNITS; k++)
        sum += power[k] == 0 ? 0 : POWER_PARTS + abs(power[k]);
    return sum;
}

/* Uses one of N, Pa, J, ... where that is shorter, but only with masses or
   currents, so that m/s^2 does not become N/kg. */
static void print_shortest(Buffer *b, const Dimension *d)
{
    const char *first = NULL;
    int16_t rest[BASE_UNITS], best[BASE_UNITS];
    int least = cost(d->power);
    memcpy(best, d->power, sizeof best);
    for (size_t i = 0; i < LENGTH(units); i++) {
        const UnitRow *u = &units[i];
        if ((u->notes & PREFERRED) == 0 ||
            (d->power[BASE_KILOGRAM] == 0 && d->power[BASE_AMPERE] == 0))
            continue;
        for (int k = 0; k < BASE_UNITS; k++)
            rest[k] = (int16_t)(d->power[k] - POWER_PARTS * u->power[k]);
        if (cost(rest) + 2 * POWER_PARTS < least) {
            least = cost(rest) + 2 * POWER_PARTS;
            first = u->name;
            memcpy(best, rest, sizeof best);
        }
    }
    print_fraction(b, first, best);
}

/* The prefixes that are tried when searching for a unit. */
static const PrefixRow usual[] = {
    {"", Q(1.0)},      {"k", Q(1.0e3)},  {"m", Q(1.0e-3)}, {"c", Q(1.0e-2)},
    {"M", Q(1.0e6)},   {"u", Q(1.0e-6)}, {"n", Q(1.0e-9)}, {"G", Q(1.0e9)},
    {"p", Q(1.0e-12)}, {"h", Q(1.0e2)},  {"d", Q(1.0e-1)}, {"T", Q(1.0e12)}};

typedef struct Choice {
    const UnitRow *unit;
    const PrefixRow *prefix;
} Choice;

static bool choice_fits(Choice c, const Dimension *d)
{
    Dimension u = row_dimension(c.unit, c.prefix->factor, 0);
    if (c.prefix->factor != 1 && (c.unit->notes & TAKES_PREFIX) == 0)
        return false;
    if ((c.unit->notes & READ_ONLY) != 0 || u.counts != d->counts)
        return false;
    return dimension_same(u, *d) && is_near(u.factor, d->factor);
}

/* One unit of the table, with a prefix or without. */
static bool find_choice(const Dimension *d, Choice *c)
{
    for (size_t p = 0; p < LENGTH(usual); p++) {
        for (size_t k = 0; k < LENGTH(units); k++) {
            *c = (Choice){&units[k], &usual[p]};
            if (choice_fits(*c, d))
                return true;
        }
    }
    return false;
}

static void print_choice(Buffer *b, Choice c)
{
    buffer_format(b, "%s%s", c.prefix->name, c.unit->name);
}

/* km/h, kg/min, W/cm^2: a unit over a power of another. */
static bool print_quotient(Buffer *b, const Dimension *d)
{
    static const char *const below[] = {
        "h",  "min", "d",    "a",    "s",    "s^2", "h^2", "kg",
        "L",  "mol", "K",    "m",    "m^2",  "m^3", "cm",  "mm",
        "km", "g",   "cm^2", "mm^2", "cm^3", "deg"};
    for (size_t k = 0; k < LENGTH(below); k++) {
        Dimension by, above;
        uint32_t wrong;
        const char *why;
        Choice c;
        if (!dimension_read(below[k], &by, &wrong, &why))
            continue;
        above = dimension_times(*d, by);
        if (above.known && !dimension_is_none(above) &&
            find_choice(&above, &c)) {
            print_choice(b, c);
            buffer_format(b, "/%s", below[k]);
            return true;
        }
    }
    return false;
}

/* cm^2, 1/h. */
static bool print_root(Buffer *b, const Dimension *d)
{
    static const int exponents[] = {2, 3, -1, -2, -3};
    for (size_t k = 0; k < LENGTH(exponents); k++) {
        Dimension root = dimension_power(*d, 1.0 / exponents[k]);
        Choice c;
        if (!root.known || !find_choice(&root, &c))
            continue;
        buffer_text(b, exponents[k] < 0 ? "1/" : "");
        print_choice(b, c);
        if (exponents[k] != -1)
            buffer_format(b, "^%d",
                          exponents[k] < 0 ? -exponents[k] : exponents[k]);
        return true;
    }
    return false;
}

/* Whether the units that a product was written with, in whole powers, are all
   that is in it. */
static bool is_of_atoms(const Dimension *d)
{
    enum { READABLE = 4 };
    Quad factor = 1;
    int power[BASE_UNITS] = {0}, a, b;
    if (d->atoms < 1 || d->atoms > READABLE || find_two(d, &a, &b))
        return false;
    for (int k = 0; k < d->atoms; k++) {
        const Atom *x = &d->atom[k];
        int times = x->power / POWER_PARTS;
        if (x->power % POWER_PARTS != 0)
            return false;
        for (int i = 0; i < BASE_UNITS; i++)
            power[i] += x->power * units[x->unit].power[i];
        for (int i = 0; i < abs(times); i++)
            factor =
                times > 0 ? factor * atom_factor(x) : factor / atom_factor(x);
    }
    for (int i = 0; i < BASE_UNITS; i++) {
        if (power[i] != d->power[i])
            return false;
    }
    return is_near(factor, d->factor);
}

static void print_atoms_of(Buffer *b, const Dimension *d, int sign)
{
    for (int k = 0, n = 0; k < d->atoms; k++) {
        int times = sign * d->atom[k].power / POWER_PARTS;
        if (times <= 0)
            continue;
        buffer_text(b, n++ > 0 ? "*" : "");
        print_atom(b, &d->atom[k]);
        if (times > 1)
            buffer_format(b, "^%d", times);
    }
}

/* deg^2/s^2, mg*min/L: as it was written. */
static bool print_atoms(Buffer *b, const Dimension *d)
{
    int above = 0, below = 0;
    if (!is_of_atoms(d))
        return false;
    for (int k = 0; k < d->atoms; k++) {
        above += d->atom[k].power > 0;
        below += d->atom[k].power < 0;
    }
    if (above == 0)
        buffer_char(b, '1');
    print_atoms_of(b, d, 1);
    if (below > 0)
        buffer_text(b, below > 1 ? "/(" : "/");
    print_atoms_of(b, d, -1);
    if (below > 1)
        buffer_char(b, ')');
    return true;
}

static const char *none_name(const Dimension *d)
{
    return d->counts == COUNTS_ANGLE ? "rad" : "1";
}

void dimension_print(Buffer *b, Dimension d)
{
    Choice c;
    if (!d.known) {
        buffer_text(b, "unknown");
    } else if (d.point) {
        buffer_text(b, d.factor == 1 ? points[0].name : points[1].name);
    } else if (is_near(d.factor, 1)) {
        if (dimension_is_none(d))
            buffer_text(b, none_name(&d));
        else
            print_shortest(b, &d);
    } else if (find_choice(&d, &c)) {
        print_choice(b, c);
    } else if (dimension_is_none(d)) {
        buffer_format(b, "%.6g", (double)d.factor);
    } else if (!print_root(b, &d) && !print_quotient(b, &d) &&
               !print_atoms(b, &d)) {
        buffer_format(b, "%.6g*", (double)d.factor);
        print_shortest(b, &d);
    }
}
