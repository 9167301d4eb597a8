#include "stats/format.h"

#include "check.h"

#define VALUE(value)                                                           \
    {                                                                          \
        .type = COSY_ITEM_REAL, .r = (value), .width = -1, .decimals = -1      \
    }
#define REAL(value) VALUE(R(value))
#define WHOLE(value)                                                           \
    {                                                                          \
        .type = COSY_ITEM_INTEGER, .i = (value), .width = -1, .decimals = -1   \
    }
#define TRUTH(value)                                                           \
    {                                                                          \
        .type = COSY_ITEM_BOOLEAN, .i = (value), .width = -1, .decimals = -1   \
    }
#define TEXT(value)                                                            \
    {                                                                          \
        .type = COSY_ITEM_TEXT, .text = (value), .width = -1, .decimals = -1   \
    }
#define WIDE(value, w, d)                                                      \
    {                                                                          \
        .type = COSY_ITEM_REAL, .r = R(value), .width = (w), .decimals = (d)   \
    }

/* ---- WRITE --------------------------------------------------------------- */

static void check_items(const CosyItem *item, uint32_t n, const char *expected)
{
    Buffer b = {0};
    bool value = false;
    print_items(&b, item, n, &value);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

#define ITEMS(expected, ...)                                                   \
    do {                                                                       \
        const CosyItem items_[] = {__VA_ARGS__};                               \
        check_items(items_, LENGTH(items_), expected);                         \
    } while (0)

static void test_shortest(void)
{
    ITEMS("x = 0.1", TEXT("x = "), REAL(0.1));
    ITEMS("0.1 -2 7 TRUE FALSE", REAL(0.1), REAL(-2.0), WHOLE(7), TRUTH(1),
          TRUTH(0));
    ITEMS("1, 2", WHOLE(1), TEXT(", "), WHOLE(2));
    ITEMS("9007199254740993", WHOLE(INT64_C(9007199254740993)));
    ITEMS("1e+40", REAL(1e40));
    ITEMS("   2.000 4", WIDE(2.0, 8, 3), REAL(4.0));
#if COSY_PRECISION == 1
    ITEMS("0.3333333333333333", VALUE(R(1.0) / R(3.0)));
#elif COSY_PRECISION == 3
    ITEMS("3.1415926535897932384626433832795028",
          REAL(3.1415926535897932384626433832795028842));
#endif
}

static void test_widths(void)
{
    CosyItem n = WHOLE(42), t = TEXT("ab"), f = TRUTH(0);
    n.width = 6;
    t.width = 4;
    f.width = 7;
    ITEMS("    42  ab  FALSE", n, t, f);
    n.width = 1;
    ITEMS("4242", n, n);
    ITEMS("   3.14|", WIDE(3.14159, 7, 2), TEXT("|"));
    ITEMS("3.14", WIDE(3.14159, 1, 2));
    ITEMS("  0.1|", WIDE(0.1, 5, -1), TEXT("|"));
    ITEMS("-1.2346", WIDE(-1.23456789, 7, -1));
    ITEMS("12345679", WIDE(12345678.9, 8, -1)); // not its size
    ITEMS("1e+07", WIDE(12345678.9, 5, -1));
    ITEMS("12345678.9", WIDE(12345678.9, 3, -1));
    ITEMS("12", WIDE(12.0, 1, -1));
}

/* A value is separated from one that an earlier WRITE left on the line. */
static void test_apart(void)
{
    const CosyItem one[] = {WHOLE(1)}, text[] = {TEXT(";")};
    Buffer b = {0};
    bool value = false;
    print_items(&b, one, 1, &value);
    print_items(&b, one, 1, &value);
    print_items(&b, text, 1, &value);
    print_items(&b, one, 1, &value);
    CHECK_TEXT(buffer_string(&b), "1 1;1");
    buffer_free(&b);
}

/* ---- FORMAT -------------------------------------------------------------- */

static void check_fortran(const char *format, const CosyItem *item, uint32_t n,
                          const char *expected)
{
    Buffer b = {0};
    print_fortran(&b, format, item, n);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

#define FORTRAN(format, expected, ...)                                         \
    do {                                                                       \
        const CosyItem items_[] = {__VA_ARGS__};                               \
        check_fortran(format, items_, LENGTH(items_), expected);               \
    } while (0)

static void test_e(void)
{
    FORTRAN("(E12.4)", "  0.3142E+01\n", REAL(3.14159));
    FORTRAN("(E12.4)", " -0.3142E+01\n", REAL(-3.14159));
    FORTRAN("(E12.4)", "  0.0000E+00\n", REAL(0.0));
    FORTRAN("(E12.4)", "  0.1000E+01\n", REAL(0.99999));
    FORTRAN("(E12.4)", "  0.1000E+00\n", REAL(0.099999));
    FORTRAN("(E12.4)", "  0.1235E-04\n", REAL(1.2346e-5));
    FORTRAN("(E12.4)", "  0.1000+101\n", REAL(1e100));
    FORTRAN("(E12.4)", "  0.1000-104\n", REAL(1e-105));
    FORTRAN("(E10.4)", "0.3142E+01\n", REAL(3.14159));
    FORTRAN("(E10.4)", "-.3142E+01\n", REAL(-3.14159));
    FORTRAN("(E9.4)", ".3142E+01\n", REAL(3.14159));
    FORTRAN("(E8.4)", "********\n", REAL(3.14159));
    FORTRAN("(e14.4e3)", "   0.3142E+001\n", REAL(3.14159));
    FORTRAN("(E9.2E1)", "  0.31E+1\n", REAL(3.14159));
    FORTRAN("(E9.2E10.3)", " 0.10E+01 0.200E+01\n", REAL(1.0), REAL(2.0));
    FORTRAN("(E9.2E1)", "*********\n", REAL(3.14159e10));
}

static void test_f(void)
{
    FORTRAN("(F8.3)", "   3.142\n", REAL(3.14159));
    FORTRAN("(F8.3)", "  -3.142\n", REAL(-3.14159));
    FORTRAN("(F8.0)", "      3.\n", REAL(3.14159));
    FORTRAN("(F4.3)", ".500\n", REAL(0.5));
    FORTRAN("(F5.3)", "-.500\n", REAL(-0.5));
    FORTRAN("(F4.2)", "****\n", REAL(12.5));
    FORTRAN("(F6.2)", "  0.00\n", REAL(-0.001)); // no minus before zeros
    FORTRAN("(F8.2)", "    7.00\n", WHOLE(7));
    FORTRAN("(F8.2)", "     INF\n", VALUE(COSY_REAL_MAX * R(2.0)));
}

/* ISO 1539: F with blanks instead of the exponent while 0.1 <= |x| < 10^d. */
static void test_g(void)
{
    FORTRAN("(G12.4)", "   3.142    \n", REAL(3.14159));
    FORTRAN("(G12.4)", "  0.1000    \n", REAL(0.1));
    FORTRAN("(G12.4)", "  0.9999E-01\n", REAL(0.09999));
    FORTRAN("(G12.4)", "  0.1000    \n", REAL(0.099999));
    FORTRAN("(G12.4)", "   1235.    \n", REAL(1234.6));
    FORTRAN("(G12.4)", "   9999.    \n", REAL(9999.4));
    FORTRAN("(G12.4)", "  0.1000E+05\n", REAL(9999.6));
    FORTRAN("(G12.4)", "   0.000    \n", REAL(0.0));
    FORTRAN("(G6.3)", "******\n", REAL(-500.0)); // not two stars and blanks
    FORTRAN("(G12.4)", "          42\n", WHOLE(42));
    FORTRAN("(G14.4E3)", "    3.142     \n", REAL(3.14159));
}

static void test_others(void)
{
    FORTRAN("(I5,L3,A,A4,A2)", "   42  Tab  abxy\n", WHOLE(42), TRUTH(1),
            TEXT("ab"), TEXT("ab"), TEXT("xyz"));
    FORTRAN("(I3)", "***\n", WHOLE(-1234));
    FORTRAN("(3X,I2,X,I2,2X)", "    1  2  \n", WHOLE(1), WHOLE(2));
    FORTRAN("(' it''s ',\"a \"\"b\"\" \",$100 %$)", " it's a \"b\" 100 %\n",
            WHOLE(1));
    FORTRAN("($ X = $,E12.4,$ M/S$/$ AND $ , I2)",
            " X =   0.1000E+01 M/S\n AND  3\n", REAL(1.0), WHOLE(3));
    FORTRAN("(I4)", "****\n", REAL(1.5)); // not what the format is for
}

/* Repeats, groups, and lists and formats of different length. */
static void test_lists(void)
{
    FORTRAN("(2I2,I3)", " 1 2  3\n", WHOLE(1), WHOLE(2), WHOLE(3));
    FORTRAN("(2(I2,','))", " 1, 2,\n", WHOLE(1), WHOLE(2));
    FORTRAN("(2(I2,2(I1,'-')))", " 12-3- 45-6-\n", WHOLE(1), WHOLE(2), WHOLE(3),
            WHOLE(4), WHOLE(5), WHOLE(6));
    FORTRAN("(I2)", " 1\n 2\n 3\n", WHOLE(1), WHOLE(2), WHOLE(3));
    FORTRAN("(' A',I2,(' B',I2))", " A 1 B 2\n B 3\n B 4\n", WHOLE(1), WHOLE(2),
            WHOLE(3), WHOLE(4));
    FORTRAN("(' A',I2,2(' B',I2),' C')", " A 1 B 2 B 3 C\n B 4 B 5 C\n",
            WHOLE(1), WHOLE(2), WHOLE(3), WHOLE(4), WHOLE(5));
    FORTRAN("(' N =',I2,' M =',I2)", " N = 1 M =\n", WHOLE(1));
    FORTRAN("(//I2/)", "\n\n 1\n\n", WHOLE(1));
    FORTRAN("(' NOTHING')", " NOTHING\n", WHOLE(1));
    check_fortran(" (' HEAD' / I3)", NULL, 0, " HEAD\n\n");
    check_fortran("()", NULL, 0, "\n");
}

/* The fourth line of the pilot study's report, with its format as printed. */
static void test_of_1979(void)
{
    FORTRAN("($ X = $,E12.4,$ Y = $,E12.4,$ DIST = $,E12.4)",
            " X =  -0.9000E+01 Y =   0.6104E+01 DIST =   0.3604E+01\n",
            REAL(-9.0), REAL(6.1042), REAL(3.6042));
}

int main(void)
{
    test_shortest();
    test_widths();
    test_apart();
    test_e();
    test_f();
    test_g();
    test_others();
    test_lists();
    test_of_1979();
    return check_end();
}
