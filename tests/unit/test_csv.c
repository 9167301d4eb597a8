/* Files of comma-separated values as programs and people write them: each is
   read correctly, or refused with its line and column. */

#include "base/csv.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/* Columns T and U of a text, as "0 1; 2 3", or the message. */
static const char *read_text(const char *text, size_t length)
{
    static char out[FAULT_LENGTH];
    CsvWanted w[2] = {{.name = "T"}, {.name = "U"}};
    Csv c;
    Fault f = {0};
    uint32_t line = 1;
    size_t n = 0;
    out[0] = '\0';
    Status s = csv_open(&c, "d.csv", text, length, &f);
    for (int k = 0; k < 2 && s == STATUS_OK; k++)
        s = csv_find(&c, &w[k], &f);
    while (s == STATUS_OK && line) {
        s = csv_row(&c, w, 2, &line, &f);
        if (s == STATUS_OK && line)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%s %s",
                                  n ? "; " : "", w[0].text, w[1].text);
    }
    if (s != STATUS_OK)
        snprintf(out, sizeof out, "%s", f.text);
    return out;
}

static void gives(const char *text, const char *expected)
{
    CHECK_TEXT(read_text(text, strlen(text)), expected);
}

static void test_read(void)
{
    gives("T,U\n0,1\n2,3\n", "0 1; 2 3");
    gives("T,U\n0,1\n2,3", "0 1; 2 3");
    gives("\n\n  \nT,U\n\n0,1\n \t\n2,3\n\n", "0 1; 2 3");
    gives("T,U\r\n0,1\r\n2,3\r\n", "0 1; 2 3");
    gives("T,U\r0,1\r2,3\r", "0 1; 2 3");
    gives("\xEF\xBB\xBFT,U\n0,1\n", "0 1");
    gives("A,U [m/s],B,t (s)\n9,1,8,0\n", "0 1");
    gives(" T , U \n 0 , 1 \n", "0 1");
    gives("T,U\n+0.5e1,-.5E-3\n", "0.5e1 -.5E-3");
    gives("\"T\",\"U\"\n\"0\",\"1\"\n", "0 1");
    gives("T,N,U\n0,\"a, \"\"b\"\"\n c\",1\n2,5\" pipe,3\n", "0 1; 2 3");
    gives("T,U\n", "");
    /* Separators and marks of other countries. */
    gives("T;U\n0,0;0,0\n1,0;10,0\n", "0.0 0.0; 1.0 10.0");
    gives("T;U\n0;1\n2;3,5\n", "0 1; 2 3.5");
    gives("T;U\n0.5;1\n", "0.5 1");
    gives("T\tU\n0,5\t1\n", "0.5 1");
    gives("T,U\n\"0,5\",\"1,5\"\n", "0.5 1.5");
    gives("T [m,s];U\n0;1\n", "0 1");
    gives("T\t U\n0\t\t\n",
          "line 2 of \"d.csv\" has nothing in column U, where "
          "a number is expected");
    /* What spreadsheets leave at the ends of lines. */
    gives("T,U,,\n0,1,,\n2,3\n", "0 1; 2 3");
    gives("T,U\n0,1,\n2,3,,\n", "0 1; 2 3");
}

static void test_refused(void)
{
    gives("", "\"d.csv\" is empty");
    gives(" \n\n", "\"d.csv\" is empty");
    gives("T,V\n0,1\n", "the first line of \"d.csv\" names no column `U`");
    gives("0,1\n2,3\n", "the first line of \"d.csv\" names no column `T`");
    gives("T,U,T\n0,1,2\n", "the first line of \"d.csv\" names 2 columns `T`: "
                            "give them different names");
    gives("T [s],U,t [min]\n0,1,2\n",
          "the first line of \"d.csv\" names 2 columns `T`: give them "
          "different names");
    gives("T,U\n0,1 0\n",
          "line 2 of \"d.csv\", column U: `1 0` is not a number");
    gives("T,U\n0,1\n\n2,x\n", "line 4 of \"d.csv\", column U: `x` is not a "
                               "number");
    gives("T,U\n0,nan\n",
          "line 2 of \"d.csv\", column U: `nan` is not a number");
    gives("T,U\n0x10,1\n",
          "line 2 of \"d.csv\", column T: `0x10` is not a number");
    gives("T,U\n0,1e400\n", "line 2 of \"d.csv\", column U: `1e400` is too "
                            "large");
    gives("T,U\n0,1e\n", "line 2 of \"d.csv\", column U: `1e` is not a number");
    gives("T,U\n0,\n", "line 2 of \"d.csv\" has nothing in column U, where a "
                       "number is expected");
    gives("T,U\n0\n",
          "line 2 of \"d.csv\" has 1 cell, but the first line names "
          "2 columns");
    gives("T,U\n0;1\n", "line 2 of \"d.csv\", column T: `0;1` is not a number");
    gives("T,U\n0,0,1,0\n",
          "line 2 of \"d.csv\" has 4 cells, but the first line names 2 "
          "columns: numbers with decimal commas need another separator "
          "between the columns, such as ;");
    gives("T,U,V\n0,1\n", "line 2 of \"d.csv\" has 2 cells, but the first line "
                          "names 3 columns");
    gives("T;U\n0,5;1\n2;3.5\n",
          "line 3 of \"d.csv\", column U: `3.5` has a decimal point, but the "
          "file uses decimal commas from line 2 on");
    gives("T;U\n0.5;1\n2;3,5\n",
          "line 3 of \"d.csv\", column U: `3,5` has a decimal comma, but the "
          "file uses decimal points from line 2 on");
    gives("T;U\n1.000,5;1\n",
          "line 2 of \"d.csv\", column T: `1.000,5` is not a "
          "number");
    gives("T,U\n\"0,1\n2,3\n",
          "line 2 of \"d.csv\" opens a quote that is never "
          "closed");
    gives("T,U\n\"0\"1,1\n", "line 2 of \"d.csv\" has text after a closing "
                             "quote: inside quotes a quote is written twice");
    gives("\xFF\xFET,U\n",
          "\"d.csv\" is written in UTF-16: save it as UTF-8, or "
          "as plain text");
    CHECK_TEXT(
        read_text("T,U\n0,1\n2,3\0\n4,5\n", 17),
        "line 3 of \"d.csv\" holds a NUL byte: it is not a text, or it is "
        "damaged");
}

static void test_long(void)
{
    char text[1000] = "T,U\n0,";
    size_t n = strlen(text);
    memset(text + n, '1', 250);
    CHECK(strstr(read_text(text, n + 250), "111") != NULL);
    memset(text + n, '0', 500);
    CHECK(strstr(read_text(text, n + 500), "has too many digits") != NULL);
}

/* One column needs no separator, so a comma is a decimal mark. */
static void test_single(void)
{
    static const char text[] = "DELAY [s]\n1,5\n2\n";
    CsvWanted w = {.name = "delay"};
    Csv c;
    Fault f = {0};
    uint32_t line;
    char how[300];
    CHECK(csv_open(&c, "d.csv", text, strlen(text), &f) == STATUS_OK);
    CHECK(csv_find(&c, &w, &f) == STATUS_OK);
    CHECK(csv_row(&c, &w, 1, &line, &f) == STATUS_OK && line == 2);
    CHECK_TEXT(w.text, "1.5");
    CHECK(csv_row(&c, &w, 1, &line, &f) == STATUS_OK && line == 3);
    CHECK(csv_row(&c, &w, 1, &line, &f) == STATUS_OK && line == 0);
    CHECK(csv_describe(&c, how, sizeof how));
    CHECK_TEXT(how, "\"d.csv\" is read with decimal commas");
}

/* `expected`: NULL if there is none. */
static void check_unit(const char *head, const char *name, const char *expected)
{
    Csv c;
    CsvWanted w = {.name = name};
    Fault f = {0};
    char unit[12] = "", text[100];
    snprintf(text, sizeof text, "%s\n1,2,3\n", head);
    CHECK(csv_open(&c, "d.csv", text, strlen(text), &f) == STATUS_OK);
    CHECK(csv_find(&c, &w, &f) == STATUS_OK);
    CHECK(csv_unit(&c, &w, unit, sizeof unit) == (expected != NULL));
    CHECK_TEXT(unit, expected ? expected : "");
}

static void test_units(void)
{
    static const char head[] = "T [min], U[mV] ,\"A[3,1] [m/s^2]\"";
    check_unit(head, "T", "min");
    check_unit(head, "U", "mV");
    check_unit(head, "A", "m/s^2");
    check_unit("T,U[2],A[1,2]", "T", NULL);
    check_unit("T,U[2],\"A[1,2]\",", "U", NULL);
    check_unit("T,U[2],\"A[1,2]\"", "A", NULL);
    check_unit("T [1],U (V),A [", "T", "1");
    check_unit("T [1],U (V),A [", "U", NULL);
    check_unit("T [1],U (V),A []", "A", NULL);
    check_unit("T [abcdefghijkl],U,A]", "T", NULL);
    check_unit("T [abcdefghijk],U,A]", "T", "abcdefghijk");
    check_unit("T,U,A]", "A]", NULL);
}

/* Whatever the bytes are: it ends, and stays within them. */
static void test_any(void)
{
    static const char signs[] = "TU,;\"\n\r\t 01.eE+-[\\";
    uint32_t random = 1;
    for (int k = 0; k < 20000; k++) {
        char text[24] = "T,U\n";
        size_t n = 4 + (size_t)(k % 20);
        for (size_t j = k % 2 ? 4 : 0; j < n; j++) {
            random = random * 1664525u + 1013904223u;
            text[j] = signs[(random >> 16) % (sizeof signs - 1)];
        }
        char *own = malloc(n);
        memcpy(own, text, n);
        CHECK(read_text(own, n) != NULL);
        free(own);
    }
}

int main(void)
{
    test_read();
    test_refused();
    test_long();
    test_single();
    test_units();
    test_any();
    return check_end();
}
