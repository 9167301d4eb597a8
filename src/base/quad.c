#include "base/quad.h"

#include <string.h>

/* Declared here, because the header that declares them belongs to one
   compiler. */
extern int quadmath_snprintf(char *s, size_t size, const char *format, ...);
extern Quad strtoflt128(const char *s, char **end);
extern Quad powq(Quad a, Quad b);
extern Quad roundq(Quad a);

Quad quad_read(const char *text)
{
    return strtoflt128(text, NULL);
}

/* Whole powers use multiplication: (1/1000)^3 keeps its last digit. */
Quad quad_power(Quad a, Quad exponent)
{
    Quad whole = exponent < 0 ? -exponent : exponent, p = 1;
    if (roundq(whole) != whole || whole > 1000)
        return powq(a, exponent);
    for (int k = 0; k < (int)whole; k++)
        p *= a;
    return exponent < 0 ? 1 / p : p;
}

Quad quad_round(Quad a)
{
    return roundq(a);
}

#define DIGITS_SURE  33 // so many digits survive a conversion to Quad and back
#define DIGITS_ALL   36
#define DIGITS_SHORT 26 // with fewer digits it was a decimal number

void quad_text(char text[QUAD_ROOM], Quad a)
{
    quadmath_snprintf(text, QUAD_ROOM, "%.*Qg", DIGITS_SURE, a);
    if (strcspn(text, "e") > DIGITS_SHORT)
        quadmath_snprintf(text, QUAD_ROOM, "%.*Qg", DIGITS_ALL, a);
    if (strpbrk(text, ".en") == NULL)
        strcat(text, ".0");
}

void quad_print(Buffer *b, Quad a)
{
    char text[QUAD_ROOM];
    quad_text(text, a);
    buffer_text(b, text);
}
