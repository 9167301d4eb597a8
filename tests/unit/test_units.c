#include "check/units.h"

#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "pass.h"

/* What the check of units leaves in the tree: numbers in the unit required, and
   factors. Its messages are in tests/pass/check. */

/* Appends every number that has or had a unit, as it stands in the tree. */
static void print_literals(const Node *n, Buffer *b)
{
    const Node *unit = n->first;
    if ((n->kind == NODE_NUMBER || n->kind == NODE_INTEGER) && unit != NULL &&
        unit->kind == NODE_UNIT)
        buffer_format(b, "%s%.10g [%s]\n",
                      n->kind == NODE_INTEGER ? "whole " : "", n->number,
                      unit->text);
    for (const Node *child = n->first; child != NULL; child = child->next)
        print_literals(child, b);
}

/* Assignments of the last statements, with every conversion put in. */
static void print_value(const Node *n, Buffer *b)
{
    switch (n->kind) {
    case NODE_NAME: buffer_text(b, n->text); break;
    case NODE_INTEGER:
    case NODE_NUMBER: buffer_text(b, n->text); break;
    case NODE_UNARY:
        buffer_text(b, word_text(n->word));
        print_value(n->first, b);
        break;
    case NODE_BINARY:
        buffer_char(b, '(');
        print_value(n->first, b);
        buffer_text(b, word_text(n->word));
        print_value(n->last, b);
        buffer_char(b, ')');
        break;
    case NODE_CHOOSE:
        print_value(node_child(n, 1), b);
        buffer_char(b, '|');
        print_value(n->last, b);
        break;
    case NODE_CALL:
        buffer_format(b, "%s(", n->first->text);
        for (const Node *x = n->last->first->first; x != NULL; x = x->next) {
            print_value(x->first, b);
            buffer_text(b, x->next != NULL ? "," : ")");
        }
        break;
    default: buffer_text(b, "?");
    }
}

static void print_last(const Node *n, Buffer *b)
{
    for (const Node *child = n->first; child != NULL; child = child->next)
        print_last(child, b);
    if (n->kind != NODE_ASSIGN || n->next != NULL)
        return;
    print_value(n->last, b);
    buffer_char(b, '\n');
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

static void print_units(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true) && parse(u) && instantiate(u) &&
        check(u)) {
        print_constants(u->program, b);
        print_literals(u->program, b);
    }
}

static void print_statement(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true) && parse(u) && instantiate(u) &&
        check(u))
        print_last(u->program, b);
}

static void check_left(const char *text, const char *expected)
{
    Buffer out = {0};
    pass_case(print_units, text, strlen(text), &out);
    CHECK_TEXT(buffer_string(&out), expected);
    buffer_free(&out);
}

/* The right side of an assignment after units have been checked. */
static void check_value(const char *statement, const char *expected)
{
    char text[1000];
    Buffer out = {0};
    snprintf(text, sizeof text,
             "PROGRAM P; CONST REAL Z = 2; INTEGER J = 3;\n"
             "VAR REAL X [m], K [km], C [1], W [rad/s], R [rpm], T [degC],\n"
             "F [degF], H [K], V [km/h], S [s]; INTEGER N [m], M [km];\n"
             "STORE X, K, C, W, R, T, F, H, V, S, N, M;\n"
             "SYSTEM INITIAL X := 1; K := 1; C := 1; W := 1; R := 1; T := 1;\n"
             "F := 1; H := 1; V := 1; S := 1; N := 1; M := 1;\n"
             "IF Z > J THEN X := 1; %s END END; END.",
             statement);
    pass_case(print_statement, text, strlen(text), &out);
    CHECK_TEXT(buffer_string(&out), expected);
    buffer_free(&out);
}

static void test_literals(void)
{
    check_value("X := 5 [m]", "5\n");
    check_value("X := 5 [km]", "5000\n");
    check_value("X := 5.5 [km]", "5500.0\n");
    check_value("X := 5 [cm]", "0.05\n");
    check_value("K := -(500 [m])", "-0.5\n");
    check_value("X := K*5 [m/km]", "(K*5)\n");
    check_value("X := 3 [cm] + X", "(0.03+X)\n");
    check_value("X := 3 [m] + 2 [km]", "(3+2000)\n");
    check_value("X := MIN(2 [km], X)", "MIN(2000,X)\n");
    check_value("C := EXP(5 [%])", "EXP(0.05)\n");
    check_value("W := 180 [deg/s]", "3.14159265358979323846264338327950241\n");
    check_value("X := (IF X > 1 THEN 2 [km] ELSE 3 [cm])", "2000|0.03\n");
    check_value("K := (IF X > 1 THEN 2 [m] ELSE 3 [m])", "0.002|0.003\n");
    check_value("X := (IF X > 1 THEN X ELSE 3 [km])", "X|3000\n");
    check_value("X := (IF X > 1 THEN 3 [km] ELSE X)", "3000|X\n");
}

/* Nothing if nothing has to be done, the shorter factor otherwise. */
static void test_conversions(void)
{
    check_value("X := X + 2*X", "(X+(2*X))\n");
    check_value("X := K", "(K*1000.0)\n");
    check_value("K := X", "(X/1000.0)\n");
    check_value("X := X + K", "(X+(K*1000.0))\n");
    check_value("K := X + 2*X", "((X+(2*X))/1000.0)\n");
    check_value("X := V*S", "((V*S)/3.6)\n");
    check_value("W := R", "(R*0.104719755119659774615421446109316759)\n");
    check_value("N := M", "(M*1000)\n");
    check_value("X := N", "N\n");
    check_value("C := SIN(W*S)", "SIN((W*S))\n");
    check_value("X := MAX(K, X)", "(MAX(K,(X/1000.0))*1000.0)\n");
}

static void test_points(void)
{
    check_value("T := 20", "20\n");
    check_value(
        "T := 10 [degC] + 2*(T - F)",
        "(10+(2*(T-((F/1.8)-17.7777777777777777777777777777777723))))\n");
    check_value("T := 20 [degC]", "20\n");
    check_value("T := 300 [K]", "26.85\n");
    check_value("T := 200 [K]", "-73.15\n");
    check_value("H := -20 [degC]", "253.15\n");
    check_value("T := -4 [degF]", "-20\n");
    check_value("T := T + 5", "(T+5)\n");
    check_value("T := T - 5 [K]", "(T-5)\n");
    check_value("T := T + H", "(T+H)\n");
    check_value("T := H + T", "(H+T)\n");
    check_value("H := T", "(T+273.15)\n");
    check_value("T := H", "(H-273.15)\n");
    check_value("H := T - 10 [degC]", "(T-10)\n");
    check_value("H := T - T", "(T-T)\n");
    check_value("H := F - F", "((F-F)/1.8)\n");
    check_value("H := 2*T", "(2*(T+273.15))\n");
    check_value(
        "T := (T + F)/2",
        "((((T+273.15)+((F/1.8)+255.372222222222222222222222222222208))/2)"
        "-273.15)\n");
    check_value("T := MAX(T, 20)", "MAX(T,20)\n");
    check_value("T := MAX(T, H)", "MAX(T,(H-273.15))\n");
    check_value("T := (IF T > 20 THEN T ELSE 25 [degC])", "T|25\n");
    check_value("H := ABS(T)", "ABS((T+273.15))\n");
}

static void test_constants(void)
{
    check_left("PROGRAM P; CONST REAL L [m] = 5 [km], M = 2*L, N = 3 [km],\n"
               "S = SIN(30 [deg]), T = M + 1 [cm]; VAR REAL X [m]; STORE X;\n"
               "SYSTEM INITIAL X := L + M + T + N*1000 [m/km]*S END END; END.",
               "L = 5000 [m]\nM = 10000 [m]\nN = 3 [km]\nS = 0.5 [1]\n"
               "T = 10000.01 [m]\nwhole 5000 [m]\nwhole 3 [km]\n"
               "0.5235987756 [rad]\n0.01 [m]\nwhole 1000 [m/km]\n");
}

int main(void)
{
    test_literals();
    test_conversions();
    test_points();
    test_constants();
    return check_end();
}
