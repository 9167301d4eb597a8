#include "check/units.h"

#include <math.h>

#include "check/check.h"
#include "expand/expand.h"
#include "pass.h"

/* What the check of units leaves in the tree: numbers in the unit that is
   wanted. Its messages are in tests/pass/check. */

/* Appends every number with a unit: value, factor, unit. */
static void print_literals(const Node *n, Buffer *b)
{
    const Node *unit = n->first;
    if ((n->kind == NODE_NUMBER || n->kind == NODE_INTEGER) && unit != NULL &&
        unit->kind == NODE_UNIT)
        buffer_format(b, "%s%.10g x%.6g [%s]\n",
                      n->kind == NODE_INTEGER ? "whole " : "", n->number,
                      unit->number, unit->text);
    for (const Node *child = n->first; child != NULL; child = child->next)
        print_literals(child, b);
}

static void print_constants(const Node *n, Buffer *b)
{
    if (n->kind == NODE_CONST_ITEM && n->symbol != NULL) {
        buffer_format(b, "%s = %.10g [", n->text, n->symbol->value);
        dimension_print(b, n->symbol->dimension);
        buffer_text(b, "]\n");
    }
    for (const Node *child = n->first; child != NULL; child = child->next)
        print_constants(child, b);
}

static void run(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true) && parse(u) && check(u)) {
        print_constants(u->program, b);
        print_literals(u->program, b);
    }
}

static void check_left(const char *text, const char *expected)
{
    Buffer out = {0};
    pass_case(run, text, strlen(text), &out);
    CHECK_TEXT(buffer_string(&out), expected);
    buffer_free(&out);
}

static void check_statement(const char *statement, const char *expected)
{
    char text[1000];
    snprintf(text, sizeof text,
             "PROGRAM P; VAR REAL X [m], K [km], C [1], W [rad/s];\n"
             "STORE X, K, C, W;\nSYSTEM INITIAL X := 1; K := 1; C := 1; W := 1;"
             "\n%s END END; END.",
             statement);
    check_left(text, expected);
}

static void test_literals(void)
{
    check_statement("X := 5 [m]", "whole 5 x1 [m]\n");
    check_statement("X := 5 [km]", "whole 5000 x1000 [km]\n");
    check_statement("X := 5.5 [km]", "5500 x1000 [km]\n");
    check_statement("X := 5 [cm]", "0.05 x0.01 [cm]\n");
    check_statement("K := 5 [km]", "whole 5 x1 [km]\n");
    check_statement("K := -(500 [m])", "0.5 x0.001 [m]\n");
    check_statement("X := K*5 [m/km]", "whole 5 x1 [m/km]\n");
    check_statement("X := 3 [cm] + X", "0.03 x0.01 [cm]\n");
    check_statement("X := 3 [m] + 2 [km]",
                    "whole 3 x1 [m]\nwhole 2000 x1000 [km]\n");
    check_statement("X := MIN(2 [km], X)", "whole 2000 x1000 [km]\n");
    check_statement("IF 2 [km] > X THEN X := 0", "whole 2000 x1000 [km]\n");
    check_statement("C := SIN(30 [deg])", "0.5235987756 x0.0174533 [deg]\n");
    check_statement("C := EXP(5 [%])", "0.05 x0.01 [%]\n");
    check_statement("W := 180 [deg/s]", "3.141592654 x0.0174533 [deg/s]\n");
}

/* Both branches of an IF are converted together. */
static void test_choice(void)
{
    check_statement("X := (IF X > 1 THEN 2 [km] ELSE 3 [cm])",
                    "whole 2000 x1000 [km]\n0.03 x0.01 [cm]\n");
    check_statement("K := (IF X > 1 THEN 2 [m] ELSE 3 [m])",
                    "0.002 x0.001 [m]\n0.003 x0.001 [m]\n");
    check_statement("X := (IF X > 1 THEN X ELSE 3 [km])",
                    "whole 3000 x1000 [km]\n");
    check_statement("X := (IF X > 1 THEN 3 [km] ELSE X)",
                    "whole 3000 x1000 [km]\n");
}

static void test_constants(void)
{
    check_left("PROGRAM P; CONST REAL L [m] = 5 [km], M = 2*L, N = 3 [km],\n"
               "S = SIN(30 [deg]), T = M + 1 [cm]; VAR REAL X [m]; STORE X;\n"
               "SYSTEM INITIAL X := L + M + T + N*1000 [m/km]*S END END; END.",
               "L = 5000 [m]\nM = 10000 [m]\nN = 3 [km]\nS = 0.5 [1]\n"
               "T = 10000.01 [m]\nwhole 5000 x1000 [km]\nwhole 3 x1 [km]\n"
               "0.5235987756 x0.0174533 [deg]\n0.01 x0.01 [cm]\n"
               "whole 1000 x1 [m/km]\n");
}

int main(void)
{
    test_literals();
    test_choice();
    test_constants();
    return check_end();
}
