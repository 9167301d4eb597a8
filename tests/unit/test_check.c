#include "pass.h"

#include <time.h>

#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "scarce.h"

static bool check_all(Unit *u)
{
    return lex(u) && expand(u, NULL, true) && parse(u) && instantiate(u) &&
           check(u);
}

static void run(Unit *u, Buffer *b)
{
    (void)b;
    check_all(u);
}

/* ---- Size ---------------------------------------------------------------- */

/* N states, each with its own lines in VAR, INITIAL and CONTINUOUS. */
static void write_states(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; VAR\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "STATE X%d; REAL A%d; ALGEBR B%d;\n", k, k, k);
    buffer_text(b, "SYSTEM INITIAL\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "A%d := %d.5*SIN(2.0);\n", k, k);
    buffer_text(b, "END; CONTINUOUS\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "X%d' = -A%d*X%d;\nB%d = X%d;\n", k, k, k, k, k);
    buffer_text(b, "END END; END.\n");
}

/* Every assignment reads what is assigned further down. */
static void write_backwards(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; VAR\n");
    for (int k = 0; k <= n; k++)
        buffer_format(b, "REAL A%d;\n", k);
    buffer_text(b, "SYSTEM INITIAL\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "A%d := A%d + A%d;\n", k, k + 1, k + 1);
    buffer_format(b, "A%d := 1.0 END END; END.\n", n);
}

/* Procedures that call each other in a long chain, and all of them. */
static void write_calls(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; VAR REAL X;\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "PROCEDURE Q%d; BEGIN Q%d END;\n", k, k + 1);
    buffer_format(b, "PROCEDURE Q%d; BEGIN X := 1.0 END;\n", n);
    buffer_text(b, "PROCEDURE ALL; BEGIN\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "Q%d;\n", k);
    buffer_text(b, "X := 2.0 END; SYSTEM INITIAL ALL END END; END.\n");
}

/* Names that are nearly right, and attributes that do not exist. */
static void write_mistakes(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; TYPE R = RECORD REAL A1 END; VAR FILE OF R: F;");
    for (int k = 0; k < n; k++)
        buffer_format(b, "REAL VARIABLE%d;\n", k);
    buffer_text(b, "SYSTEM INITIAL\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "VARIABEL%d := F.1.A%d;\n", k, k + 2);
    buffer_text(b, "END END; END.\n");
}

static double seconds_for(void (*write)(Buffer *, int), int n)
{
    Buffer text = {0}, out = {0};
    clock_t start;
    double seconds;
    write(&text, n);
    start = clock();
    pass_case(run, buffer_string(&text), strlen(buffer_string(&text)), &out);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    buffer_free(&text);
    buffer_free(&out);
    return seconds;
}

/* 100,000 lines take less than a second; this leaves room for a slow machine
   and for sanitizers, but not for quadratic time. */
static void test_speed(void)
{
    CHECK(seconds_for(write_states, 25000) < 10.0);
    CHECK(seconds_for(write_backwards, 30000) < 10.0);
    CHECK(seconds_for(write_calls, 30000) < 10.0);
    CHECK(seconds_for(write_mistakes, 30000) < 10.0);
}

/* ---- Depth --------------------------------------------------------------- */

/* Deep expressions, in an equation and in a constant; with sanitizers, which
   make frames large, not quite as deep as the parser allows. */
#define HIGH (LIMIT_HEIGHT / 3)

static void test_depth(void)
{
    Buffer text = {0}, out = {0};
    buffer_text(&text, "PROGRAM P; CONST REAL C = 1");
    for (int k = 0; k < HIGH; k++)
        buffer_text(&text, "+1");
    buffer_text(&text, "; VAR STATE X; SYSTEM CONTINUOUS X' = C");
    for (int k = 0; k < HIGH; k++)
        buffer_text(&text, "*X");
    buffer_text(&text, " END END; END.");
    pass_case(run, buffer_string(&text), strlen(buffer_string(&text)), &out);
    CHECK_TEXT(buffer_string(&out), "");
    buffer_free(&text);
    buffer_free(&out);
}

/* ---- Memory -------------------------------------------------------------- */

static void check_memory(const char *text)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .text = text,
                  .length = strlen(text)};
        bool done;
        scarce_begin(n);
        done = check_all(&u);
        refused = scarce_end();
        CHECK(done == (refused == 0));
        arena_free(&arena);
    }
}

static void test_memory(void)
{
    Buffer text = {0};
    write_states(&text, 300);
    check_memory(buffer_string(&text));
    buffer_free(&text);
    check_memory(
        "PROGRAM P; CONST REAL K = 0.1 [1/h], Q = 2; VAR STATE X, Y [m], W "
        "[km];"
        " REAL Z [m], T [degC]; STORE X, T; SYSTEM INITIAL Z := Y + 2 "
        "[cm]; T := 5 [K] END; CONTINUOUS X' = -K*X; Y' = Q*Z; W' = Y*K END "
        "END; END.");
}

int main(void)
{
    pass_run("check", run);
    test_speed();
    test_depth();
    test_memory();
    return check_end();
}
