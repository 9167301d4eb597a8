#include "expand/expand.h"

#include "folder.h"
#include "pass.h"
#include "scarce.h"

static void run(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true))
        flat_print(u, b);
}

/* ---- With a library ------------------------------------------------------ */

/* One for all cases; main sets it. */
static const char *library_file;

static void run_library(Unit *u, Buffer *b, bool dry)
{
    Library *l = library_open(u->arena, library_file);
    if (lex(u) && expand(u, l, dry))
        flat_print(u, b);
    library_close(l);
}

static void run_wet(Unit *u, Buffer *b)
{
    run_library(u, b, false);
}

static void run_dry(Unit *u, Buffer *b)
{
    run_library(u, b, true);
}

static void check_case(PassRun *how, const char *text, const char *expected)
{
    Buffer out = {0};
    pass_case(how, text, strlen(text), &out);
    CHECK_TEXT(buffer_string(&out), expected);
    buffer_free(&out);
}

static const char define[] = "MACRO TWICE (Y <- X); Y = 2*X MACEND;\n"
                             "MODULE RC (U, I);\n"
                             "CONTINUOUS\n"
                             "CASE N OF 1: U' = I END; ELSE U' = 0 END\n"
                             "END\n"
                             "END;\n"
                             "DISPOSE TWICE; DISPOSE RC;\n";

static const char dumped[] = "MODULE RC (U, I);\n"
                             "  CONTINUOUS\n"
                             "    CASE N OF 1:\n"
                             "      U' = I\n"
                             "    END;\n"
                             "    ELSE\n"
                             "      U' = 0\n"
                             "    END\n"
                             "  END\n"
                             "END;\n"
                             "DISPOSE RC;\n";

static void test_library(void)
{
    Folder folder;
    char file[600], text[1000];
    folder_make(&folder);
    snprintf(file, sizeof file, "%s", folder_file(&folder, "library.db"));
    library_file = file;
    snprintf(text, sizeof text,
             "1:8: error: there is no `TWICE` in the library %s\n", file);
    check_case(run_dry, "INVOKE TWICE;\n", text);
    check_case(run_dry, define, dumped);
    CHECK(folder_count(&folder) == 0);
    /* Nothing of a program with a mistake is kept. */
    snprintf(text, sizeof text, "%sTWICE;\n", define);
    check_case(run_wet, text,
               "8:1: error: `TWICE` is a MACRO: it is called as TWICE (Y <- "
               "X)\n"
               "1:7: note: the MACRO `TWICE` is defined here\n");
    CHECK(folder_count(&folder) == 0);
    check_case(run_wet, define, dumped);
    CHECK(folder_count(&folder) == 1);
    check_case(run_dry,
               "INVOKE twice; INVOKE RC;\n"
               "TWICE (A <- B)\n",
               "MODULE RC (U, I);\n"
               "  CONTINUOUS\n"
               "    CASE N OF 1:\n"
               "      U' = I\n"
               "    END;\n"
               "    ELSE\n"
               "      U' = 0\n"
               "    END\n"
               "  END\n"
               "END;\n"
               "A = 2*B\n");
    check_case(run_dry, "INVOKE TWISE;\n",
               "1:8: error: there is no `TWISE` in the library: did you mean "
               "`TWICE`?\n");
    check_case(run_dry, "INVOKE TWICE; TWICE (A <- 1 + 2, 3)\n",
               "1:15: error: `TWICE` has 1 input, not 2: TWICE (Y <- X)\n"
               "library:TWICE:1:7: note: the MACRO `TWICE` is defined here\n");
    check_case(run_dry, "INVOKE TWICE; INVOKE TWICE;\n",
               "1:22: error: the MACRO `TWICE` is already defined\n"
               "library:TWICE:1:7: note: it is defined here\n");
    check_case(run_dry, "DISPOSE NEVER;\n",
               "1:9: error: no MACRO or MODULE `NEVER` is defined above\n");
    check_case(run_dry, "DESTROY TWICE;\n", "");
    check_case(run_dry, "INVOKE TWICE;\n", ""); // it is still there
    snprintf(text, sizeof text,
             "1:23: error: there is no `RC` in the library %s\n", file);
    check_case(run_wet, "DESTROY RC;    INVOKE RC;\n", text);
    check_case(run_wet, "DESTROY RC;\n", "");
    snprintf(text, sizeof text,
             "1:8: error: there is no `RC` in the library %s\n", file);
    check_case(run_wet, "INVOKE RC;\n", text);
    folder_remove(&folder);
}

/* ---- Names and places ---------------------------------------------------- */

static const Token *find_token(const Unit *u, const char *text)
{
    for (uint32_t k = 0; k < u->flat.count; k++)
        if (name_same(u->flat.token[k].text, text))
            return &u->flat.token[k];
    return NULL;
}

static void look(Unit *u, Buffer *b)
{
    const Token *local, *actual;
    Span at;
    uint32_t origin;
    CHECK(lex(u) && expand(u, NULL, true));
    local = find_token(u, "OUTER_H_1");
    actual = find_token(u, "WRONG");
    CHECK(local != NULL && actual != NULL);
    if (local == NULL || actual == NULL)
        return;
    buffer_text(b, expand_written(u, local->text, local->origin));
    buffer_char(b, '\n');
    CHECK_TEXT(expand_written(u, "PLAIN_1", local->origin), "PLAIN_1");
    unit_error(u, actual->at, actual->origin, "as it stands");
    at = actual->at;
    origin = actual->origin;
    CHECK(expand_actual(u, &at, &origin));
    unit_error(u, at, origin, "where it was written");
    at = local->at;
    origin = local->origin;
    CHECK(!expand_actual(u, &at, &origin));
}

static void test_places(void)
{
    check_case(look,
               "MACRO INNER (Y <- X);\n"
               "  Y = X\n"
               "MACEND;\n"
               "MACRO OUTER (Y <- X);\n"
               "  MACVAR REAL H;\n"
               "  INNER (H <- 2*X); Y = H\n"
               "MACEND;\n"
               "OUTER (A <- WRONG);\n",
               "2:7: error: as it stands\n"
               "6:17: note: in the expansion of `INNER`, called here\n"
               "8:13: note: in the expansion of `OUTER`, called here\n"
               "8:13: error: where it was written\n"
               "H\n");
}

/* ---- Flat text is a program again ---------------------------------------- */

static void print_plain(const Tokens *t, Buffer *b)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (t->token[k].kind != TOKEN_RAW)
            buffer_format(b, "%d %d %s\n", (int)t->token[k].kind,
                          (int)t->token[k].word, t->token[k].text);
}

static void again(Unit *u, Buffer *b)
{
    Buffer text = {0}, first = {0}, other = {0};
    Unit second = *u;
    if (!lex(u) || !expand(u, NULL, true))
        return;
    flat_print(u, &text);
    second.text = buffer_string(&text);
    second.length = text.v.used;
    CHECK(lex(&second));
    print_plain(&u->flat, &first);
    print_plain(&second.tokens, &other);
    CHECK_TEXT(buffer_string(&other), buffer_string(&first));
    buffer_free(&first);
    buffer_free(&other);
    buffer_free(&text);
    (void)b;
}

static void test_again(void)
{
    static const char text[] =
        "MACRO M (Y <- X, CONST N); MACVAR REAL H; H := -X - {N} + (X < {N});\n"
        "Y := \"a \"\"quoted\"\" {N} word\"; MACEND;\n"
        "PROGRAM P (INPUT, OUTPUT);\n"
        "VAR REAL A [m/s^2] RANGE -1 .. 2.5, B; FILE OF 3 R: Q;\n"
        "SYSTEM INITIAL\n"
        "M (B <- A.1.C, -3);\n"
        "A := B'*2.0E-3**-2 - -1; B := QF.1.GENTIM; X[1, 2] := F(-1);\n"
        "FORTRAN\n"
        "      WRITE (OUTPUT, 100) X\n"
        "  100 FORMAT (' X', E12.4)\n"
        "END;\n"
        "END END; OUTPUT GRAPH (1) VERSUS X1: X2 END END.\n";
    check_case(again, text, "");
}

/* ---- Too much ------------------------------------------------------------ */

/* # becomes the number. */
static void format_call(Buffer *b, const char *call, int number)
{
    for (; *call != '\0'; call++) {
        if (*call == '#')
            buffer_format(b, "%d", number);
        else
            buffer_char(b, *call);
    }
}

/* n macros, each of which calls the next in this way. */
static void check_chain(int n, const char *call, const char *words)
{
    Buffer text = {0}, out = {0};
    for (int k = 0; k < n; k++) {
        buffer_format(&text, "MACRO M%d (Y <- X); ", k);
        format_call(&text, call, k + 1);
        buffer_text(&text, " MACEND;\n");
    }
    buffer_format(&text, "MACRO M%d (Y <- X); MACEND; M0 (A <- B);\n", n);
    pass_case(run, buffer_string(&text), text.v.used, &out);
    CHECK(strstr(buffer_string(&out), words) != NULL);
    buffer_free(&text);
    buffer_free(&out);
}

static void test_limits(void)
{
    check_chain(201, "M# (Y <- X); M# (Y <- X)", "more than 200 deep");
    check_chain(100, "M# (Y <- X + X)", "an actual becomes longer");
    check_chain(50, "M# (Y <- X); M# (Y <- X)", "does not finish within");
    check_chain(199, "M# (Y <- X)", ";");
}

/* ---- Without memory ------------------------------------------------------ */

static void test_no_memory(void)
{
    static const char text[] =
        "MACRO A (Y <- X, CONST N); MACVAR REAL H; MACFOR I := 1 TO N DO\n"
        "Y[{I}] = X*H + \"{I}\" MACEND MACEND;\n"
        "MACRO B (Y <- X); A (Y <- X + 1, 3) MACEND;\n"
        "CONST INTEGER K = 3; MODULE M (A); CONTINUOUS B (Q <- A) END END;\n"
        "SYSTEM CONTINUOUS B (Z <- P); A (Z <- 1, K) END END;\n";
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena, .diags = &diags, .name = "INPUT"};
        bool ok;
        u.text = text;
        u.length = sizeof text - 1;
        u.file = diags_add_file(&diags, u.name, u.text, u.length);
        CHECK(lex(&u));
        scarce_begin(n);
        ok = expand(&u, NULL, true);
        refused = scarce_end();
        CHECK(ok == (refused == 0));
        CHECK(ok || diags.errors > 0);
        arena_free(&arena);
    }
}

int main(void)
{
    pass_run("expand", run);
    test_library();
    test_places();
    test_again();
    test_limits();
    test_no_memory();
    return check_end();
}
