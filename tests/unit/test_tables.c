/* Tables for a person: what is in them, and that they fit 80 columns. */

#include "stats/tables.h"

#include "check.h"
#include "tiny.h"

static Tiny tiny;

static void fill(real size)
{
    tiny_make(&tiny);
    tiny.head.t = R(10.0);
    tiny.collect[0] = (CosyCollect){.active = 1,
                                    .n = 3,
                                    .mean = R(2.0) * size,
                                    .square = R(8.0) * size * size,
                                    .max = R(4.0) * size};
    tiny.collect[1].active = 1;
    tiny.timepers[0] = (CosyTimepers){.active = 1,
                                      .value = R(-3.0) * size,
                                      .since = R(5.0),
                                      .area = R(5.0) * size,
                                      .min = R(-3.0) * size,
                                      .max = R(1.0) * size};
    tiny.resource[0] = (CosyResource){.capacity = 1,
                                      .used = 1,
                                      .waiting = 1,
                                      .most_waiting = 2,
                                      .entries = 4,
                                      .waits = 2,
                                      .used_since = R(9.0),
                                      .used_area = R(4.0),
                                      .wait_since = R(8.0),
                                      .wait_area = R(3.0) * size,
                                      .wait_sum = R(3.0) * size,
                                      .wait_max = R(2.0) * size};
    tiny.resource[2] = (CosyResource){.capacity = 10,
                                      .most_used = 7,
                                      .used_since = R(10.0),
                                      .used_area = R(50.0)};
    tiny.file[0] = (CosyFile){.count = 1,
                              .most = 2,
                              .entries = 5,
                              .since = R(8.0),
                              .area = R(8.0),
                              .stay_sum = R(8.0) * size,
                              .stay_max = R(4.0) * size};
    tiny.population[0] = (CosyPopulation){.entries = 2, .stay_sum = size};
}

static void check_page(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        CHECK(end - text <= TABLE_WIDTH);
        CHECK(end == text || end[-1] != ' ');
    }
    CHECK(*text == '\0');
}

static const char expected[] = "\n"
                               "                                               "
                               "                    95 % interval\n"
                               "  COLLECT                n     mean       sd   "
                               "   min      max     from       to\n"
                               "  WAIT                   3        2        2   "
                               "     0        4        -        -\n"
                               "  NONE                   0        -        -   "
                               "     -        -        -        -\n"
                               "\n"
                               "                                               "
                               "                    95 % interval\n"
                               "  TIMEPERS            time     mean       sd   "
                               "   min      max     from       to\n"
                               "  LEVEL                 10       -1   1.8708   "
                               "    -3        1        -        -\n"
                               "\n"
                               "                     busy          had to     "
                               "wait of all             queue\n"
                               "  FACILITY              % entries    wait     "
                               "mean      max     mean   max   now\n"
                               "  DESK               50.0       4       1     "
                               "0.75        2      0.5     2     1\n"
                               "\n"
                               "                 used       content            "
                               "          wait           queue\n"
                               "  STORAGE           %    mean   max   now  "
                               "entries    mean     max    mean   max\n"
                               "  PARK           50.0       5     7     0      "
                               "  0       -       -       0     0\n"
                               "\n"
                               "                     open          had to     "
                               "wait of all             queue\n"
                               "  GATE                  % entries    wait     "
                               "mean      max     mean   max   now\n"
                               "  DOOR                0.0       0       0     "
                               "   -        -        0     0     0\n"
                               "\n"
                               "                                         "
                               "content                     stay\n"
                               "  FILE                  entries       mean     "
                               "max     now       mean        max\n"
                               "  LINE                        5          1     "
                               "  2       1          2          4\n"
                               "\n"
                               "                                         "
                               "content                     stay\n"
                               "  PROCESS               entries       mean     "
                               "max     now       mean        max\n"
                               "  CUSTOMER                    2        0.1     "
                               "  0       0        0.5          0\n";

static void test_statistics(void)
{
    Buffer b = {0};
    fill(R(1.0));
    tables_statistics(&b, &tiny.c, &(RunFacts){0});
    CHECK_TEXT(buffer_string(&b), expected);
    check_page(buffer_string(&b));
    buffer_free(&b);
}

/* Times have a unit below their names; a name may have one of its own. */
static void test_units(void)
{
    CosyVariable variables[LENGTH(tiny_variables)];
    CosyModel m = tiny_with_units(variables);
    Buffer b = {0};
    fill(R(1.0));
    variables[TINY_K].name = "WAIT";
    variables[TINY_K].unit = "h";
    tiny.c.model = &m;
    tables_statistics(&b, &tiny.c, &(RunFacts){0});
    check_page(buffer_string(&b));
    static const char *const lines[] = {
        "\n  WAIT [h]               3        2        2",
        "\n                     [min]\n  LEVEL ",
        "\n                                             [min]    [min]\n  DESK",
        "\n                                                     [min]   [min]\n"
        "  PARK ",
        "\n                                                                "
        "[min]"
        "      [min]\n  LINE "};
    for (size_t k = 0; k < LENGTH(lines); k++)
        CHECK(strstr(buffer_string(&b), lines[k]) != NULL);
    /* A plain number shows no unit. */
    variables[TINY_K].unit = "1";
    b.v.used = 0;
    tables_statistics(&b, &tiny.c, &(RunFacts){0});
    CHECK(strstr(buffer_string(&b), "\n  WAIT                   3 ") != NULL);
    CHECK(strstr(buffer_string(&b), "[1]") == NULL);
    buffer_free(&b);
}

/* Numbers of every size stay in their columns, and apart. */
static void test_sizes(void)
{
    static const double sizes[] = {1.23456e-200, 1.23456e-5, 0.00012345678,
                                   123456.789,   1.23456e12, -1.2345678e-30};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        Buffer b = {0};
        fill((real)sizes[k]);
        tables_statistics(&b, &tiny.c, &(RunFacts){0});
        check_page(buffer_string(&b));
        buffer_free(&b);
    }
}

/* The number of words in the line that begins with `name`. */
static int words_of(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    int n = 0;
    for (; line && *line && *line != '\n'; line++)
        n += *line != ' ' && (line[1] == ' ' || line[1] == '\n');
    return n;
}

/* So do counts: none runs into its neighbour. */
static void test_counts(void)
{
    static const uint32_t counts[] = {999,    1000,   1674,     99999,
                                      100000, 123456, 12345678, 4000000000};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        Buffer b = {0};
        uint32_t n = counts[k];
        fill(R(1.0));
        for (int i = 0; i < 3; i += 2) {
            CosyResource *r = &tiny.resource[i];
            r->waiting = r->most_waiting = n;
            r->entries = r->waits = n;
        }
        tiny.resource[2].capacity = tiny.resource[2].used = (int64_t)n;
        tiny.resource[2].most_used = tiny.resource[2].used;
        tiny.file[0].count = tiny.file[0].most = n;
        tiny.file[0].entries = n;
        tables_statistics(&b, &tiny.c, &(RunFacts){0});
        check_page(buffer_string(&b));
        CHECK(words_of(buffer_string(&b), "  DESK") == 9);
        CHECK(words_of(buffer_string(&b), "  PARK") == 10);
        CHECK(words_of(buffer_string(&b), "  LINE") == 7);
        buffer_free(&b);
    }
}

static void test_cells(void)
{
    static const struct {
        double x;
        const char *text;
    } row[] = {
        {0.0, "        0"},        {-0.0, "        0"},
        {3.14159265, "   3.1416"}, {123456.789, " 1.23e+05"},
        {99999.4, "    99999"},    {0.000123456, " 0.000123"},
        {-12.3456, "  -12.346"},   {1.0 / 0.0, "        -"},
    };
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        Buffer b = {0};
        tables_cell(&b, (real)row[k].x, 9);
        CHECK(strlen(buffer_string(&b)) == 9 && buffer_string(&b)[0] == ' ');
        if (k < 3)
            CHECK_TEXT(buffer_string(&b), row[k].text);
        buffer_free(&b);
    }
}

static void test_histogram(void)
{
    CosyHistogram h = {.first = R(0.5),
                       .width = R(0.5),
                       .cells = 4,
                       .count = {0, 3, 300, 0, 97, 0}};
    Buffer b = {0};
    tables_histogram(&b, &h, "STAY", "min");
    CHECK_TEXT(buffer_string(&b),
               "\n  HISTOGRAM STAY [min]: 400 observations\n"
               "     above     up to     count      %   sum %\n"
               "       0.5         1         3    0.8     0.8  .\n"
               "         1       1.5       300   75.0    75.8  "
               "*********************************\n"
               "       1.5         2         0    0.0    75.8\n"
               "         2       2.5        97   24.2   100.0  ***********\n");
    check_page(buffer_string(&b));
    buffer_free(&b);
    h = (CosyHistogram){.first = R(1.0), .width = R(1.0), .cells = 1};
    h.count[0] = h.count[2] = 1;
    tables_histogram(&b, &h, "X", "");
    CHECK_TEXT(buffer_string(&b),
               "\n  HISTOGRAM X: 2 observations\n"
               "     above     up to     count      %   sum %\n"
               "                   1         1   50.0    50.0  "
               "*********************************\n"
               "         1         2         0    0.0    50.0\n"
               "         2                   1   50.0   100.0  "
               "*********************************\n");
    buffer_free(&b);
}

int main(void)
{
    test_statistics();
    test_units();
    test_sizes();
    test_counts();
    test_cells();
    test_histogram();
    return check_end();
}
