#include "stats/show.h"

#include "check.h"

#define ROW(n, u, r)                                                           \
    {                                                                          \
        .name = (n), .unit = (u), .comment = "", .kind = COSY_REAL,            \
        .type = COSY_TYPE_REAL, .rows = (r), .columns = 1,                     \
        .process = COSY_NONE, .derivative = COSY_NONE                          \
    }

enum { X, V, U, HIDDEN, VARIABLES };

static const CosyVariable variables[VARIABLES] = {
    [X] = ROW("X", "m", 1),
    [V] = ROW("V", "m/s", 1),
    [U] = ROW("U", "", 5),
    [HIDDEN] = ROW("HIDDEN", "", 1),
};
static const uint32_t stored[] = {X, V, U};
static const CosyModel model = {.n_variables = VARIABLES,
                                .variables = variables,
                                .n_stored = LENGTH(stored),
                                .stored = stored,
                                .time_unit = "h"};

enum { COLUMNS = 8 };

typedef struct Page {
    Vector rows;
    Buffer text;
} Page;

static void add_row(Page *p, real t, real x, real v)
{
    const real row[COLUMNS] = {t,      x,      v,      R(0.1),
                               R(0.2), R(0.3), R(0.4), R(1.0) / R(3.0)};
    CHECK(vector_append(&p->rows, row, sizeof row));
}

static const char *show(Page *p, CosyShow s, bool points)
{
    static const uint32_t all[] = {COSY_NONE, COSY_NONE, COSY_NONE};
    const ShowSource from = {.model = &model,
                             .rows = &p->rows,
                             .columns = COLUMNS,
                             .points = points,
                             .what = "run 1"};
    s.element = s.element ? s.element : all;
    s.title = s.title ? s.title : "";
    p->text.v.used = 0;
    show_line(&p->text, &s, &from);
    return buffer_string(&p->text);
}

static void page_free(Page *p)
{
    vector_free(&p->rows);
    buffer_free(&p->text);
}

/* Lines of at most 80 columns, without blanks at their ends. */
static void check_page(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        CHECK(end - text <= SHOW_WIDTH);
        CHECK(end == text || end[-1] != ' ');
    }
    CHECK(*text == '\0');
}

static const uint32_t of_x[] = {X}, of_xv[] = {X, V}, of_xu[] = {X, U},
                      of_v[] = {V}, of_hidden[] = {HIDDEN, X};

/* ---- LIST ---------------------------------------------------------------- */

/* Six columns do not fit side by side: TIME is repeated. */
static void test_list(void)
{
    Page p = {0};
    add_row(&p, R(0.0), R(1.0), R(-0.0));
    add_row(&p, R(0.5), R(-1.23456789e-5), R(2.0));
    CHECK_TEXT(show(&p,
                    (CosyShow){.kind = COSY_LIST,
                               .title = "TABLE",
                               .versus = COSY_NONE,
                               .n = 2,
                               .variable = of_xu},
                    false),
               "\nTABLE                                                      "
               "                run 1\n\n"
               "          TIME             X          U[1]          U[2]       "
               "   U[3]\n"
               "           [h]           [m]\n"
               "             0             1           0.1           0.2       "
               "    0.3\n"
               "           0.5 -1.234568e-05           0.1           0.2       "
               "    0.3\n"
               "\n"
               "          TIME          U[4]          U[5]\n"
               "           [h]\n"
               "             0           0.4     0.3333333\n"
               "           0.5           0.4     0.3333333\n");
    check_page(buffer_string(&p.text));
    CHECK_TEXT(
        show(&p,
             (CosyShow){
                 .kind = COSY_LIST, .versus = V, .n = 1, .variable = of_x},
             false),
        "\nrun 1\n\n"
        "             V             X\n"
        "         [m/s]           [m]\n"
        "             0             1\n"
        "             2 -1.234568e-05\n");
    CHECK_TEXT(show(&p,
                    (CosyShow){.kind = COSY_LIST,
                               .versus = COSY_NONE,
                               .n = 2,
                               .variable = of_hidden},
                    false),
               "(HIDDEN is not STOREd, and not shown)\n"
               "\nrun 1\n\n"
               "          TIME             X\n"
               "           [h]           [m]\n"
               "             0             1\n"
               "           0.5 -1.234568e-05\n");
    /* For the cross file, TIME is not wanted. */
    CHECK_TEXT(show(&p,
                    (CosyShow){.kind = COSY_LIST,
                               .versus = COSY_NONE,
                               .n = 2,
                               .variable = of_xv},
                    true),
               "\nrun 1\n\n"
               "             X             V\n"
               "           [m]         [m/s]\n"
               "             1             0\n"
               " -1.234568e-05             2\n");
    CHECK_TEXT(show(&p,
                    (CosyShow){.kind = COSY_LIST,
                               .versus = COSY_NONE,
                               .n = 1,
                               .variable = of_x},
                    true),
               "\nrun 1\n\n"
               "             X\n"
               "           [m]\n"
               "             1\n"
               " -1.234568e-05\n");
    page_free(&p);
}

/* ---- PLOT ---------------------------------------------------------------- */

static CosyShow plot(const uint32_t *what, uint32_t n)
{
    return (CosyShow){
        .kind = COSY_PLOT, .versus = COSY_NONE, .n = n, .variable = what};
}

/* A straight line through the whole picture; a jump is joined. */
static void test_picture(void)
{
    Page p = {0};
    CosyShow s = plot(of_x, 1);
    s.yfak = R(0.25);
    s.xfak = R(0.5);
    add_row(&p, R(0.0), R(0.0), R(0.0));
    add_row(&p, R(4.0), R(4.0), R(0.0));
    add_row(&p, R(4.0), R(0.0), R(0.0));
    CHECK_TEXT(show(&p, s, false),
               "\nrun 1\n\n"
               "           * X [m]\n"
               "         4 .       .       .       .   *****\n"
               "         3 .       .       .   ********    *\n"
               "         2 .       .    *******    .       *\n"
               "         1 .    ********   .       .       *\n"
               "         0 *****   .       .       .       *\n"
               "           0       1       2       3       4\n"
               "                       TIME [h]\n");
    page_free(&p);
}

/* Where the points are, without lines between them. */
static void test_points(void)
{
    Page p = {0};
    CosyShow s = plot(of_x, 1);
    add_row(&p, R(0.0), R(0.0), R(0.0));
    add_row(&p, R(5.0), R(10.0), R(0.0));
    add_row(&p, R(10.0), R(5.0), R(0.0));
    const char *text = show(&p, s, true);
    unsigned stars = 0;
    for (const char *c = strstr(text, "[m]"); *c; c++)
        stars += *c == '*';
    CHECK(stars == 3);
    CHECK(strstr(text, "\n        10 .") && strstr(text, "\n         4 ."));
    CHECK(strstr(text, "\n         0 *"));
    check_page(text);
    page_free(&p);
}

/* One variable would not seem to move on the scale of the other. */
static void test_scales(void)
{
    Page p = {0};
    for (int k = 0; k <= 10; k++)
        add_row(&p, (real)k, (real)(k % 2), (real)k * R(1e6));
    const char *text = show(&p, plot(of_xv, 2), false);
    CHECK(strstr(text, "* X [m]  from 0.0 to 1.0\n") != NULL);
    CHECK(strstr(text, "+ V [m/s]  from 0 to 1e7\n") != NULL);
    CHECK(strstr(text, "     100 % ") && strstr(text, "       0 % "));
    check_page(text);
    page_free(&p);
}

static void test_log(void)
{
    Page p = {0};
    CosyShow s = plot(of_x, 1);
    s.logx = s.logy = true;
    for (int k = 0; k <= 4; k++) // X = TIME^2, a straight line
        add_row(&p, cosy_pow(R(10.0), (real)k), cosy_pow(R(100.0), (real)k),
                R(0.0));
    add_row(&p, R(-1.0), R(5.0), R(0.0)); // has no place
    const char *text = show(&p, s, true);
    CHECK(strstr(text, "\n       1e8 .") && strstr(text, "\n         1 *"));
    CHECK(strstr(text, "\n       1e4 .               .               *"));
    check_page(text);
    s.variable = of_v;
    CHECK(strstr(show(&p, s, false), "no point has a place") != NULL);
    page_free(&p);
}

/* Constants, tiny and huge numbers, NaN. */
static void test_odd_values(void)
{
    const real odd[] = {
        R(0.0),   R(5.0),        R(-1e-300),     R(1e300),
        R(1e-15), COSY_REAL_MAX, -COSY_REAL_MIN, COSY_REAL_MIN / R(8.0)};
    for (size_t k = 0; k < LENGTH(odd); k++) {
        Page p = {0};
        for (int i = 0; i < 3; i++)
            add_row(&p, R(1.0), odd[k], odd[k] * (real)(i - 1));
        check_page(show(&p, plot(of_xv, 2), false));
        add_row(&p, R(2.0), COSY_REAL_MAX * R(2.0), R(0.0));
        check_page(show(&p, plot(of_xv, 2), false));
        page_free(&p);
    }
}

int main(void)
{
    test_list();
    test_picture();
    test_points();
    test_scales();
    test_log();
    test_odd_values();
    return check_end();
}
