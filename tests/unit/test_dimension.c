#include "check/dimension.h"

#include <math.h>

#include "base/macros.h"
#include "check.h"

static bool near(Quad a, Quad b)
{
    return fabs((double)(a - b)) <= 1e-12 * fabs((double)b);
}

static Dimension read(const char *text)
{
    Dimension d;
    uint32_t wrong = 0;
    const char *why = "";
    if (!dimension_read(text, &d, &wrong, &why))
        printf("[%s]: %u: %s\n", text, (unsigned)wrong,
               why == NULL ? "no unit" : why);
    return d;
}

/* True if both are the same, including the factor. */
static bool same(const char *a, const char *b)
{
    Dimension x = read(a), y = read(b);
    return x.known && y.known && dimension_same(x, y) &&
           dimension_same_scale(x, y);
}

/* ---- Reading ------------------------------------------------------------- */

static void test_reading(void)
{
    Dimension d = read("km/h");
    CHECK(d.known && near(d.factor, 1 / 3.6));
    CHECK(d.power[BASE_METRE] == POWER_PARTS &&
          d.power[BASE_SECOND] == -POWER_PARTS);
    d = read("kg*m^2/(s^3*A)");
    CHECK(dimension_same(d, read("V")) && d.power[BASE_AMPERE] == -POWER_PARTS);
    CHECK(dimension_is_none(read("1")) && dimension_is_none(read("rad")));
    CHECK(dimension_is_none(read("%")) && near(read("%").factor, 0.01));
    CHECK(same("m/s/s", "m/s^2") && same("m*s^-2", "m/s^2"));
    CHECK(same("m/(s*s)", "m/s^2") && same("(m/s)^2", "m^2/s^2"));
    CHECK(same("1/s", "Hz") && same("m^1", "m") && same("m^0", "1"));
    CHECK(same(" m / s ^ 2 ", "m/s^2"));
    CHECK(same("((((m))))", "m"));
}

static void test_derived(void)
{
    static const char *const pair[][2] = {
        {"N", "kg*m/s^2"},
        {"Pa", "N/m^2"},
        {"J", "N*m"},
        {"W", "J/s"},
        {"C", "A*s"},
        {"V", "W/A"},
        {"F", "C/V"},
        {"Ohm", "V/A"},
        {"S", "1/Ohm"},
        {"Wb", "V*s"},
        {"T", "Wb/m^2"},
        {"H", "Wb/A"},
        {"lm", "cd*sr"},
        {"lx", "lm/m^2"},
        {"Bq", "1/s"},
        {"Gy", "J/kg"},
        {"Sv", "J/kg"},
        {"kat", "mol/s"},
        {"L", "dm^3"},
        {"l", "L"},
        {"t", "Mg"},
        {"bar", "hPa*1*(kPa/Pa)"},
        {"Wh", "J*(h/s)"},
        {"h", "min*(min/s)"},
        {"kcal", "J*(cal/J)*(km/m)"},
    };
    for (size_t k = 0; k < LENGTH(pair); k++)
        CHECK(same(pair[k][0], pair[k][1]));
    CHECK(near(read("deg").factor, acos(-1.0) / 180));
    CHECK(near(read("arcmin").factor * 60, read("deg").factor));
    CHECK(near(read("arcsec").factor * 60, read("arcmin").factor));
    CHECK(near(read("a").factor, 365.25 * 86400));
    CHECK(near(read("atm").factor, 101325) &&
          near(read("eV").factor, 1.602176634e-19));
    CHECK(near(read("kn").factor * 3600, 1852));
}

/* A unit of the table takes precedence over a prefix with another unit. */
static void test_ambiguous(void)
{
    CHECK(same("min", "h*(1/1)*(min/h)") && read("min").factor == 60);
    CHECK(dimension_same(read("cd"), read("lm")) && read("cd").factor == 1);
    CHECK(dimension_same(read("Pa"), read("bar")) && read("Pa").factor == 1);
    CHECK(dimension_same(read("ha"), read("m^2")));
    CHECK(dimension_same(read("T"), read("Wb/m^2")));
    CHECK(dimension_same(read("h"), read("s")));
    CHECK(dimension_same(read("Gy"), read("Sv")));
    CHECK(dimension_same(read("mol"), read("mmol")));
    CHECK(dimension_same(read("kat"), read("mol/s")));
    CHECK(dimension_same(read("au"), read("m")));
    CHECK(near(read("mm").factor, 1e-3) && read("m").factor == 1);
    CHECK(read("dam").factor == 10 && near(read("dm").factor, 0.1));
    CHECK(read("kg").factor == 1 && near(read("mg").factor, 1e-6));
    CHECK(near(read("mW").factor, 1e-3) && read("MW").factor == 1e6);
}

static void test_prefixes(void)
{
    static const char *const names[] = {
        "Q", "R", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "da",
        "d", "c", "m", "u", "n", "p", "f", "a", "z", "y", "r", "q"};
    static const int powers[] = {30, 27,  24,  21,  18,  15,  12,  9,
                                 6,  3,   2,   1,   -1,  -2,  -3,  -6,
                                 -9, -12, -15, -18, -21, -24, -27, -30};
    for (size_t k = 0; k < LENGTH(names); k++) {
        char text[8];
        snprintf(text, sizeof text, "%sHz", names[k]);
        CHECK(near(read(text).factor, pow(10, powers[k])));
    }
}

/* ---- What is wrong, and where -------------------------------------------- */

static void check_wrong(const char *text, unsigned wrong, const char *why)
{
    Dimension d;
    uint32_t at = 9999;
    const char *found = "read";
    CHECK(!dimension_read(text, &d, &at, &found));
    CHECK(!d.known);
    CHECK_TEXT(found == NULL ? "no unit" : found, why);
    if (at != wrong)
        printf("[%s]: at %u, not %u\n", text, (unsigned)at, wrong);
    CHECK(at == wrong);
}

static void test_wrong(void)
{
    static const char none[] = "no unit";
    check_wrong("m/sec", 2, none);
    check_wrong("kg*(m/zz)", 6, none);
    check_wrong("mh", 0, none);   // hours take no prefix
    check_wrong("kmin", 0, none); // nor minutes
    check_wrong("mkg", 0, none);  // nor the kilogram
    check_wrong("kk", 0, none);
    check_wrong("k", 0, none);
    check_wrong("HZ", 0, none);
    check_wrong("m2", 0, none);
    check_wrong("m/", 2, "a unit is missing here");
    check_wrong("", 0, "a unit is missing here");
    check_wrong("*m", 0, "a unit is missing here");
    check_wrong("(m", 2, "`)` is missing here");
    check_wrong("m)", 1, "`*` or `/` is missing here");
    check_wrong("m s", 2, "`*` or `/` is missing here");
    check_wrong("m^", 2, "the exponent of a unit is a whole number");
    check_wrong("m^s", 2, "the exponent of a unit is a whole number");
    check_wrong("m^99", 2, "this exponent is too large for a unit");
    check_wrong("m^999999999999999999", 2,
                "this exponent is too large for a unit");
    check_wrong("(m^40)^2", 7, "this exponent is too large for a unit");
    check_wrong("m^40*m^40", 4, "this unit is too large or too small");
    check_wrong("10*m", 0,
                "the only number in a unit is 1, as in [1/s]: a prefix gives "
                "the size");
    check_wrong("m/dB", 2,
                "decibels are logarithms of a ratio: use the ratio itself");
    check_wrong("Qm^10*Qm^10", 5, "this unit is too large or too small");
    check_wrong("Qm^60", 3, "this exponent is too large for a unit");
}

static void test_nested(void)
{
    char text[4000];
    Dimension d;
    uint32_t wrong;
    const char *why;
    memset(text, '(', 2000);
    text[2000] = '\0';
    CHECK(!dimension_read(text, &d, &wrong, &why) && wrong == 50);
    for (int k = 0; k < 600; k++) // a sequence is not nesting
        memcpy(text + 6 * k,
               k == 0 ? "(m/m)"
                        "/"
                      : "(m/m)*",
               6);
    strcpy(text + 3600, "m");
    CHECK(dimension_same(read(text), read("m")));
}

static void check_meant(const char *text, uint32_t wrong, const char *expected)
{
    Buffer b = {0};
    bool found = dimension_meant(text, wrong, &b);
    CHECK_TEXT(found ? buffer_string(&b) : "", expected);
    buffer_free(&b);
}

static void test_meant(void)
{
    check_meant("m/sec", 2, "s");
    check_meant("HOUR", 0, "h");
    check_meant("hz", 0, "Hz");
    check_meant("KHz", 0, "kHz");
    check_meant("MPA", 0, "MPa");
    check_meant("Kg", 0, "kg");
    check_meant("m2", 0, "m^2");
    check_meant("cm3", 0, "cm^3");
    check_meant("kohm", 0, "kOhm");
    check_meant("kph", 0, "km/h");
    check_meant("parsec", 0, "");
    check_meant("*", 0, "");
    CHECK(dimension_wrong_length("m/sec*kg", 2) == 3);
    CHECK(dimension_wrong_length("10*m", 0) == 2);
    CHECK(dimension_wrong_length("m/", 2) == 1);
}

/* ---- Algebra ------------------------------------------------------------- */

static void test_algebra(void)
{
    Dimension unknown = {0}, root;
    CHECK(dimension_same(dimension_times(read("N"), read("m")), read("J")));
    CHECK(dimension_same(dimension_over(read("m"), read("s")), read("m/s")));
    CHECK(near(dimension_over(read("km"), read("h")).factor, 1 / 3.6));
    CHECK(!dimension_times(read("m"), unknown).known);
    CHECK(!dimension_over(unknown, read("m")).known);
    CHECK(!dimension_power(unknown, 2).known);
    root = dimension_power(read("km"), 0.5);
    CHECK(root.known && root.power[BASE_METRE] == POWER_PARTS / 2);
    CHECK(near(root.factor, sqrt(1000)));
    CHECK(dimension_same(dimension_power(root, 2), read("m")));
    CHECK(dimension_power(root, 0.5).power[BASE_METRE] == POWER_PARTS / 4);
    CHECK(!dimension_power(root, 1.0 / 7).known);
    CHECK(dimension_power(read("m^3"), 1.0 / 3).power[BASE_METRE] ==
          POWER_PARTS);
    CHECK(!dimension_power(read("m"), NAN).known);
    CHECK(!dimension_power(read("m"), 1e300).known);
    CHECK(!dimension_power(read("m"), 61).known);
    CHECK(dimension_same(dimension_power(read("m"), -1), read("1/m")));
    CHECK(!dimension_times(read("m^60"), read("m")).known);
    CHECK(dimension_second().power[BASE_SECOND] == POWER_PARTS);
}

static void check_convert(const char *from, const char *to, const char *value,
                          const char *expected)
{
    Buffer b = {0};
    CHECK(dimension_convert(read(from), read(to), value, &b));
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_converting(void)
{
    Buffer b = {0};
    check_convert("km", "m", "1.5", "1500.0");
    check_convert("m", "km", "1", "0.001");
    check_convert("km/h", "m/s", "36", "10.0");
    check_convert("m", "m", "0.10", "0.10");
    check_convert("degC", "K", "20", "293.15");
    check_convert("K", "degC", "0", "-273.15");
    check_convert("degF", "degC", "212", "100.0");
    check_convert("degC", "degF", "-40", "-40.0");
    check_convert("rpm", "rad/s", "30", "3.1415926535897932384626433832795028");
    check_convert("deg", "rad", "180", "3.14159265358979323846264338327950241");
    CHECK(!dimension_convert(read("m"), read("s"), "1", &b));
    CHECK(!dimension_convert(read("Hz"), read("rad/s"), "1", &b));
    CHECK(!read("degC/s").point && read("degC").point);
    CHECK(same("degC/s", "K/s") && !same("W/degF", "W/K"));
    buffer_free(&b);
}

static void test_turns(void)
{
    CHECK(dimension_turns(read("Hz"), read("rad/s")));
    CHECK(!dimension_turns(read("deg/s"), read("rpm")));
    CHECK(!dimension_turns(read("Hz"), read("1/s")));
    CHECK(!dimension_turns(read("rad/s"), read("1/s")));
    CHECK(!dimension_turns(read("rad/s"), read("deg/h")));
    CHECK(dimension_turns(read("rpm"), read("kHz")));
    CHECK(!dimension_turns(dimension_times(read("1"), read("Hz")),
                           read("rad/s")));
    CHECK(near(read("rpm").factor * 30, acos(-1.0)));
}

/* ---- Printing ------------------------------------------------------------ */

static void check_print(Dimension d, const char *expected)
{
    Buffer b = {0};
    dimension_print(&b, d);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_printing(void)
{
    static const char *const as_read[] = {
        "1",         "m",   "kg",    "s",       "m/s",  "m/s^2",  "1/s",
        "N",         "J",   "W",     "V",       "Pa",   "C",      "F",
        "Ohm",       "S",   "T",     "H",       "Wb",   "N/m",    "kg/m^3",
        "W/(m^2*K)", "V/m", "Pa*s",  "J/K",     "A/m",  "kg*m^2", "km",
        "h",         "min", "mm",    "cm",      "L",    "bar",    "%",
        "deg",       "rad", "km/h",  "cm^2",    "1/h",  "kN",     "MPa",
        "mm^2",      "m/h", "kWh",   "g",       "mA",   "kJ/kg",  "mol/L",
        "kg/L",      "K/h", "mol/s", "m^2/s^2", "km/s",
    };
    for (size_t k = 0; k < LENGTH(as_read); k++)
        check_print(read(as_read[k]), as_read[k]);
    check_print(read("kg*m/s^2"), "N");
    check_print(read("N*m"), "J");
    check_print(read("m^2*kg/s^2"), "J");
    check_print(read("W/A"), "V");
    check_print(read("Hz"), "1/s");
    check_print(read("dm^3"), "L");
    check_print((Dimension){0}, "unknown");
    check_print(dimension_power(read("m"), 0.5), "m^(1/2)");
    check_print(dimension_power(read("m/s"), 1.5), "m^(3/2)/s^(3/2)");
    check_print(read("kg*in"), "kg*in");
    check_print(read("km/m"), "1000");
}

/* What is printed without a leading number reads back as the same. */
static void test_round(void)
{
    static const char *const text[] = {
        "N*s",  "kg*m/s",    "J*s", "W/m^2", "kg/h", "A*h", "m^3/h", "L/min",
        "km^2", "N*m/(A^2)", "uF",  "kOhm",  "nH",   "t/d", "V*s/m"};
    for (size_t k = 0; k < LENGTH(text); k++) {
        Buffer b = {0};
        dimension_print(&b, read(text[k]));
        CHECK(same(text[k], buffer_string(&b)));
        buffer_free(&b);
    }
}

int main(void)
{
    test_reading();
    test_derived();
    test_ambiguous();
    test_prefixes();
    test_wrong();
    test_nested();
    test_meant();
    test_algebra();
    test_converting();
    test_turns();
    test_printing();
    test_round();
    return check_end();
}
