#include "stats/format.h"

#include <stdlib.h>
#include <string.h>

#include "stats/number.h"

/* ---- WRITE, WRITELN ------------------------------------------------------ */

static void put_blanks(Buffer *b, int64_t n)
{
    while (n-- > 0)
        buffer_char(b, ' ');
}

/* Puts `text` right-justified, and empties it. */
static void put_right(Buffer *b, Buffer *text, int32_t width)
{
    put_blanks(b, (int64_t)width - (int64_t)text->v.used);
    buffer_bytes(b, (const char *)text->v.bytes, text->v.used);
    b->broken = b->broken || text->broken;
    text->v.used = 0;
}

/* The shortest form, or as many digits as fit the width; all of them if not
   even one fits. */
static void real_fitting(Buffer *text, real value, int32_t width)
{
    number_text(text, value);
    for (int digits = COSY_DIGITS; digits > 0 && width > 0; digits--) {
        if (text->v.used <= (size_t)width)
            return;
        text->v.used = 0;
        number_print(text, 'g', digits, value);
    }
    if (width > 0 && text->v.used > (size_t)width) {
        text->v.used = 0;
        number_text(text, value);
    }
}

static void item_text(Buffer *text, const CosyItem *i)
{
    switch (i->type) {
    case COSY_ITEM_REAL:
        if (!cosy_finite(i->r))
            number_word(text, i->r);
        else if (i->decimals >= 0)
            number_print(text, 'f', i->decimals, i->r);
        else
            real_fitting(text, i->r, i->width);
        break;
    case COSY_ITEM_INTEGER: buffer_format(text, "%lld", (long long)i->i); break;
    case COSY_ITEM_BOOLEAN: buffer_text(text, i->i ? "TRUE" : "FALSE"); break;
    case COSY_ITEM_TEXT: buffer_text(text, i->text); break;
    }
}

void print_items(Buffer *b, const CosyItem *item, uint32_t n, bool *value)
{
    Buffer text = {0};
    for (uint32_t k = 0; k < n; k++) {
        bool is_value = item[k].type != COSY_ITEM_TEXT;
        if (is_value && item[k].width < 0 && *value)
            buffer_char(b, ' ');
        item_text(&text, &item[k]);
        put_right(b, &text, item[k].width);
        *value = is_value;
    }
    buffer_free(&text);
}

/* ---- FORMAT -------------------------------------------------------------- */

typedef struct Scan {
    const char *s; // the format, after its `(`
    size_t at;
    const CosyItem *item;
    uint32_t n, next;
    Buffer *out;
    Buffer field; // scratch
} Scan;

typedef struct Field {
    char kind;
    int32_t width;    // 0: as wide as necessary
    int32_t decimals; // of E F G
    int32_t exponent; // digits of the exponent; 0: not given
} Field;

static char upper(char ch)
{
    return ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A') : ch;
}

static void skip_blanks(Scan *f)
{
    f->at += strspn(f->s + f->at, " \t\r");
}

/* Digits, or `none` if there are none. */
static int32_t read_number(Scan *f, int32_t none)
{
    int32_t v = 0;
    skip_blanks(f);
    if (f->s[f->at] < '0' || f->s[f->at] > '9')
        return none;
    for (; f->s[f->at] >= '0' && f->s[f->at] <= '9'; f->at++)
        if (v < 1000000)
            v = v * 10 + (f->s[f->at] - '0');
    return v;
}

static void put_stars(Scan *f, int32_t width)
{
    f->field.v.used = 0;
    for (int32_t k = 0; k < (width ? width : 1); k++)
        buffer_char(&f->field, '*');
}

/* Whether f->field fits; a zero before the point is dropped if that helps. */
static bool fits(Scan *f, int32_t width)
{
    Buffer *t = &f->field;
    const char *s = buffer_string(t);
    size_t sign = *s == '-';
    if (width && t->v.used > (size_t)width && t->v.used > sign + 2 &&
        s[sign] == '0' && s[sign + 1] == '.') {
        memmove(t->v.bytes + sign, t->v.bytes + sign + 1, t->v.used - sign - 1);
        t->v.used--;
    }
    return !width || t->v.used <= (size_t)width;
}

/* Puts f->field right-justified into its width. */
static void put_field(Scan *f, int32_t width)
{
    if (!fits(f, width))
        put_stars(f, width);
    put_right(f->out, &f->field, width);
}

/* Digits and decimal exponent of value = 0.ddd * 10^exponent, rounded to n
   digits; for zero both are 0. */
static int split(Buffer *digits, int n, real value)
{
    Buffer text = {0};
    int exponent = 0;
    number_print(&text, 'e', n - 1, cosy_abs(value));
    const char *s = buffer_string(&text), *e = strchr(s, 'e');
    for (; e && s < e; s++)
        if (*s != '.')
            buffer_char(digits, *s);
    if (e && value != R(0.0))
        exponent = atoi(e + 1) + 1;
    digits->broken = digits->broken || text.broken;
    buffer_free(&text);
    return exponent;
}

/* E+05, or +105 if two digits are too few and none were asked for; false if the
   digits asked for are too few. */
static bool put_exponent(Buffer *b, int exponent, int digits)
{
    int size = abs(exponent), most = 1;
    for (int k = 0; k < digits && most < 100000; k++)
        most *= 10;
    if (digits ? size >= most : size > 9999)
        return false;
    if (digits || size <= 99)
        buffer_char(b, 'E');
    buffer_char(b, exponent < 0 ? '-' : '+');
    buffer_format(b, "%0*d", digits ? digits : size <= 99 ? 2 : 3, size);
    return true;
}

static void put_e(Scan *f, const Field *d, real value)
{
    Buffer digits = {0};
    int n = d->decimals > 0 ? d->decimals : 1;
    int exponent = split(&digits, n, value);
    buffer_text(&f->field, value < R(0.0) ? "-0." : "0.");
    buffer_text(&f->field, buffer_string(&digits));
    if (!put_exponent(&f->field, exponent, d->exponent))
        put_stars(f, d->width);
    f->field.broken = f->field.broken || digits.broken;
    buffer_free(&digits);
    put_field(f, d->width);
}

/* A minus before only zeros is left out. */
static void print_f(Scan *f, int32_t decimals, real value)
{
    Buffer *t = &f->field;
    number_print(t, 'f', decimals, value);
    const char *s = buffer_string(t);
    if (*s == '-' && s[1 + strspn(s + 1, "0.")] == '\0') {
        memmove(t->v.bytes, t->v.bytes + 1, t->v.used - 1);
        t->v.used--;
    }
    if (decimals == 0)
        buffer_char(t, '.');
}

/* F with `decimals` digits in all if the point can be placed among them, with
   blanks instead of the exponent; otherwise E. */
static void put_g(Scan *f, const Field *d, real value)
{
    Buffer digits = {0};
    int32_t room = d->exponent ? d->exponent + 2 : 4;
    int32_t most = d->decimals > 0 ? d->decimals : 1;
    int k = split(&digits, most, value);
    buffer_free(&digits);
    if (value == R(0.0))
        k = 1;
    if (k < 0 || k > d->decimals || (d->width && d->width <= room)) {
        put_e(f, d, value);
        return;
    }
    print_f(f, d->decimals - k, value);
    if (d->width && fits(f, d->width - room))
        for (int32_t i = 0; i < room; i++)
            buffer_char(&f->field, ' ');
    else
        put_stars(f, d->width);
    put_field(f, d->width);
}

static void put_real(Scan *f, const Field *d, const CosyItem *i)
{
    real value = i->type == COSY_ITEM_REAL ? i->r : (real)i->i;
    if (i->type == COSY_ITEM_TEXT) {
        put_stars(f, d->width);
        put_field(f, d->width);
    } else if (!cosy_finite(value)) {
        number_word(&f->field, value);
        put_field(f, d->width);
    } else if (d->kind == 'E') {
        put_e(f, d, value);
    } else if (d->kind == 'F') {
        print_f(f, d->decimals, value);
        put_field(f, d->width);
    } else {
        put_g(f, d, value);
    }
}

/* Only the first characters if not all fit. */
static void put_a(Scan *f, int32_t width, const CosyItem *i)
{
    CosyItem plain = *i;
    plain.width = plain.decimals = -1;
    item_text(&f->field, &plain);
    if (width && f->field.v.used > (size_t)width)
        f->field.v.used = (size_t)width;
    put_right(f->out, &f->field, width);
}

static void put_item(Scan *f, const Field *d, const CosyItem *i)
{
    bool whole = i->type == COSY_ITEM_INTEGER || i->type == COSY_ITEM_BOOLEAN;
    if (d->kind == 'A') {
        put_a(f, d->width, i);
    } else if (d->kind == 'L') {
        if (i->type == COSY_ITEM_BOOLEAN)
            buffer_char(&f->field, i->i ? 'T' : 'F');
        else
            put_stars(f, d->width);
        put_field(f, d->width);
    } else if (d->kind == 'I' || (d->kind == 'G' && whole)) {
        if (whole)
            buffer_format(&f->field, "%lld", (long long)i->i);
        else
            put_stars(f, d->width);
        put_field(f, d->width);
    } else {
        put_real(f, d, i);
    }
}

/* w, w.d or w.dEe after the letter. */
static Field read_field(Scan *f, char kind)
{
    Field d = {.kind = kind, .width = read_number(f, 0)};
    skip_blanks(f);
    if (f->s[f->at] != '.')
        return d;
    f->at++;
    d.decimals = read_number(f, 0);
    if ((kind == 'E' || kind == 'G') && upper(f->s[f->at]) == 'E') {
        size_t n = strspn(f->s + f->at + 1, "0123456789");
        if (n > 0 && f->s[f->at + 1 + n] != '.') { // not the next descriptor
            f->at++;
            d.exponent = read_number(f, 0);
        }
    }
    return d;
}

/* '...'; the quote doubled stands for itself. */
static void put_string(Scan *f)
{
    char quote = f->s[f->at++];
    for (; f->s[f->at] != '\0'; f->at++) {
        if (f->s[f->at] == quote && f->s[f->at + 1] != quote)
            break;
        if (f->s[f->at] == quote)
            f->at++;
        buffer_char(f->out, f->s[f->at]);
    }
    f->at += f->s[f->at] == quote;
}

static bool put_list(Scan *f, uint32_t depth);

static bool put_group(Scan *f, int32_t times, uint32_t depth)
{
    size_t start = f->at;
    for (int32_t k = 0; k < times; k++) {
        f->at = start;
        if (!put_list(f, depth + 1))
            return false;
    }
    return true;
}

/* A repeat count and what is repeated; false at the end of the list, or if the
   format is invalid. */
static bool put_repeated(Scan *f, uint32_t depth)
{
    enum { NESTING = 100 };
    int32_t times = read_number(f, 1);
    skip_blanks(f);
    char kind = upper(f->s[f->at]);
    if (kind == '\0' || depth > NESTING)
        return false;
    f->at++;
    if (kind == '(')
        return put_group(f, times, depth);
    if (kind == 'X') {
        put_blanks(f->out, times);
        return true;
    }
    if (!strchr("EFGIAL", kind))
        return false;
    Field d = read_field(f, kind);
    for (int32_t k = 0; k < times; k++) {
        if (f->next == f->n)
            return false;
        put_item(f, &d, &f->item[f->next++]);
    }
    return true;
}

/* Up to and including the `)` of the group; false: nothing more is to be
   written. */
static bool put_list(Scan *f, uint32_t depth)
{
    for (;;) {
        skip_blanks(f);
        switch (f->s[f->at]) {
        case ')': f->at++; return true;
        case ',': f->at++; break;
        case '/':
            f->at++;
            buffer_char(f->out, '\n');
            break;
        case '\'':
        case '"':
        case '$': put_string(f); break;
        default:
            if (!put_repeated(f, depth))
                return false;
        }
    }
}

/* Where the format continues if values are left: at the repeat count of its
   last group of the first level. */
static size_t reversion(const char *s)
{
    size_t found = 0, digits = 0;
    int depth = 0;
    bool counting = false;
    for (size_t k = 0; s[k] != '\0' && depth >= 0; k++) {
        bool digit = s[k] >= '0' && s[k] <= '9';
        if (digit && !counting) {
            /* Not the digits of E12.4: before a count there is something else.
               */
            digit = k == 0 || !strchr("EFGIALefgial.0123456789", s[k - 1]);
            digits = k;
        }
        if (s[k] == '(' && depth++ == 0)
            found = counting ? digits : k;
        depth -= s[k] == ')';
        counting = digit || (counting && s[k] == ' ');
        if (s[k] == '\'' || s[k] == '"' || s[k] == '$') {
            const char *end = strchr(s + k + 1, s[k]);
            k = end ? (size_t)(end - s) : strlen(s) - 1;
        }
    }
    return found;
}

void print_fortran(Buffer *b, const char *format, const CosyItem *item,
                   uint32_t n)
{
    size_t blank = strspn(format, " \t\r");
    Scan f = {.s = format + blank + (format[blank] == '('),
              .item = item,
              .n = n,
              .out = b};
    size_t again = reversion(f.s);
    for (;;) {
        uint32_t before = f.next;
        bool whole = put_list(&f, 0);
        buffer_char(b, '\n');
        if (!whole || f.next == n || f.next == before)
            break;
        f.at = again;
    }
    buffer_free(&f.field);
}
