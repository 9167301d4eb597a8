#include "lower/lowerer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal literals as text. A literal with a unit that was converted is its text
   times a factor, which the checks know as a double: 25.0 [mm] as metres. So that
   QUAD gets all its digits, the factor is traced back to the fraction it came
   from (1/1000; 1000/3600; PI/180 times a fraction), and the product is formed
   in decimal arithmetic. */

#define DIGITS_MOST 400
#define DIGITS_KEPT 45 // of a quotient: QUAD has 34

typedef struct Decimal { // 0.d1 d2 d3 ... times 10^point
    unsigned char digit[DIGITS_MOST];
    int count;
    int point;
} Decimal;

static const char degree[] = // PI/180
    "0.01745329251994329576923690768488612713442871888541725456";

/* ---- Text to digits and back ------------------------------------------------------ */

static void trim(Decimal *d)
{
    int zeros = 0;
    while (zeros < d->count && d->digit[zeros] == 0)
        zeros++;
    memmove(d->digit, d->digit + zeros, (size_t)(d->count - zeros));
    d->count -= zeros;
    d->point -= zeros;
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
    if (d->count == 0)
        d->point = 0;
}

/* False if it has too many digits. */
static bool read_decimal(const char *s, Decimal *d)
{
    bool behind = false;
    *d = (Decimal){.count = 0};
    for (; *s && *s != 'e' && *s != 'E'; s++) {
        if (*s == '.') {
            behind = true;
            continue;
        }
        if (*s < '0' || *s > '9' || d->count >= DIGITS_MOST / 3)
            return false;
        d->digit[d->count++] = (unsigned char)(*s - '0');
        d->point += !behind;
    }
    if (*s)
        d->point += (int)strtol(s + 1, NULL, 10);
    trim(d);
    return true;
}

static void write_digits(Buffer *b, const Decimal *d, int from, int to)
{
    for (int k = from; k < to; k++)
        buffer_char(b, k < d->count ? (char)('0' + d->digit[k]) : '0');
}

static const char *write_decimal(Model *m, const Decimal *d)
{
    Buffer b = {0};
    if (d->count == 0) {
        buffer_text(&b, "0.0");
    } else if (d->point > 0 && d->point <= 17) {
        write_digits(&b, d, 0, d->point);
        buffer_char(&b, '.');
        write_digits(&b, d, d->point,
                     d->count > d->point ? d->count : d->point + 1);
    } else if (d->point <= 0 && d->point > -4) {
        buffer_text(&b, "0.");
        for (int k = d->point; k < 0; k++)
            buffer_char(&b, '0');
        write_digits(&b, d, 0, d->count);
    } else {
        write_digits(&b, d, 0, 1);
        buffer_char(&b, '.');
        write_digits(&b, d, 1, d->count > 1 ? d->count : 2);
        buffer_format(&b, "E%d", d->point - 1);
    }
    const char *text = model_format(m, "%s", buffer_string(&b));
    if (b.broken)
        m->broken = true;
    buffer_free(&b);
    return text;
}

/* ---- Products and quotients --------------------------------------------------------- */

static void multiply(const Decimal *a, const Decimal *b, Decimal *product)
{
    uint32_t sum[DIGITS_MOST] = {0};
    int n = a->count + b->count;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            sum[i + j + 1] += (uint32_t)a->digit[i] * b->digit[j];
    for (int k = n - 1; k > 0; k--) {
        sum[k - 1] += sum[k] / 10;
        sum[k] %= 10;
    }
    *product = (Decimal){.count = n, .point = a->point + b->point};
    for (int k = 0; k < n; k++)
        product->digit[k] = (unsigned char)sum[k];
    trim(product);
}

static void divide(const Decimal *a, uint64_t by, Decimal *quotient)
{
    uint64_t rest = 0;
    int leading = 0;
    *quotient = (Decimal){.point = a->point};
    for (int k = 0; k < DIGITS_MOST; k++) {
        rest = 10 * rest + (k < a->count ? a->digit[k] : 0);
        quotient->digit[quotient->count++] = (unsigned char)(rest / by);
        leading += leading > 0 || rest >= by;
        rest %= by;
        if ((rest == 0 && k >= a->count) || leading >= DIGITS_KEPT)
            break;
    }
    trim(quotient);
}

/* ---- Factors ------------------------------------------------------------------------- */

/* x as a fraction of small whole numbers, by its continued fraction; exact up to
   the last place of a double. Any number is near some fraction of large ones, so
   these are not looked for. */
static bool fraction(double x, uint64_t *over, uint64_t *under)
{
    double h0 = 0.0, h1 = 1.0, k0 = 1.0, k1 = 0.0, rest = x;
    for (int n = 0; n < 40; n++) {
        double whole = floor(rest), h = whole * h1 + h0, k = whole * k1 + k0;
        if (h > 1e15 || k > 1e9 || h * k > 1e11)
            return false;
        h0 = h1, h1 = h, k0 = k1, k1 = k;
        if (fabs(h / k - x) <= 4e-16 * x) {
            *over = (uint64_t)h;
            *under = (uint64_t)k;
            return true;
        }
        rest = 1.0 / (rest - whole);
    }
    return false;
}

static const char *shortest(double x, char *text, size_t room)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, room, "%.*e", digits - 1, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return text;
}

/* d times the factor; false if it is not known better than as a double. */
static bool times_fraction(Decimal *d, double factor)
{
    Decimal scale, product;
    uint64_t over, under;
    char text[40];
    shortest(factor, text, sizeof text);
    if (strcspn(text, "e") <= 14 && read_decimal(text, &scale)) {
        multiply(d, &scale, &product);
        *d = product;
        return true;
    }
    if (!fraction(factor, &over, &under))
        return false;
    snprintf(text, sizeof text, "%llu", (unsigned long long)over);
    read_decimal(text, &scale);
    multiply(d, &scale, &product);
    divide(&product, under, d);
    return true;
}

const char *decimal_times(Model *m, const char *text, double factor)
{
    Decimal d, scale, product;
    char short_text[40];
    if (factor == 1.0 || !read_decimal(text, &d))
        return text;
    if (times_fraction(&d, factor))
        return write_decimal(m, &d);
    read_decimal(degree, &scale);
    multiply(&d, &scale, &product);
    if (times_fraction(&product, factor / 1.7453292519943295e-2))
        return write_decimal(m, &product);
    read_decimal(shortest(factor, short_text, sizeof short_text), &scale);
    multiply(&d, &scale, &product);
    return write_decimal(m, &product);
}

const char *decimal_literal(Lowerer *l, const Node *n)
{
    const Node *unit = n->first;
    bool converted = unit && unit->kind == NODE_UNIT && unit->number != 0.0;
    const char *text = n->text;
    if (!text || !*text || strlen(text) > DIGITS_MOST / 3) {
        if (n->kind == NODE_INTEGER)
            return model_format(l->m, "%lld.0", (long long)n->integer);
        return text ? text : "0.0";
    }
    return decimal_times(l->m, text, converted ? unit->number : 1.0);
}
