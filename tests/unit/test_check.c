#include "pass.h"

#include <time.h>

#include "check/check.h"
#include "expand/expand.h"
#include "scarce.h"

static void run(Unit *u, Buffer *b)
{
    (void)b;
    if (lex(u) && expand(u, NULL, true) && parse(u))
        check(u);
}

/* ---- Size ---------------------------------------------------------------- */

/* 100,000 lines in less than a second, with room for a slow machine and for
   sanitizers. */
static void test_speed(void)
{
    Buffer text = {0}, out = {0};
    clock_t start;
    buffer_text(&text, "PROGRAM P; VAR\n");
    for (int k = 0; k < 25000; k++)
        buffer_format(&text, "STATE X%d; REAL A%d;\n", k, k);
    buffer_text(&text, "SYSTEM INITIAL\n");
    for (int k = 0; k < 25000; k++)
        buffer_format(&text, "A%d := %d.5*SIN(2.0);\n", k, k);
    buffer_text(&text, "END; CONTINUOUS\n");
    for (int k = 0; k < 50000; k++)
        buffer_format(&text, k < 25000 ? "X%d' = -A%d*X%d +\n" : "", k, k, k);
    buffer_text(&text, "0 END END; END.\n");
    start = clock();
    pass_case(run, buffer_string(&text), strlen(buffer_string(&text)), &out);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 10.0);
    buffer_free(&text);
    buffer_free(&out);
}

int main(void)
{
    pass_run("check", run);
    test_speed();
    return check_end();
}
