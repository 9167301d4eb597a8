#include "pass.h"

#include <time.h>

#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "folder.h"
#include "lower/lower.h"
#include "scarce.h"

/* From text to the lowered Model: what is refused, what the dump shows. A line
   `// --set NAME=VALUE` in the text of a case sets a CONST. */

static bool check_all(Unit *u)
{
    return lex(u) && expand(u, NULL, true) && parse(u) && instantiate(u) &&
           check(u);
}

#define SETS_MOST 4

typedef struct Sets {
    LowerSet set[SETS_MOST];
    char text[SETS_MOST][100];
    uint32_t count;
} Sets;

static void find_sets(const char *text, Sets *s)
{
    const char *at = text;
    while ((at = strstr(at, "// --set ")) != NULL && s->count < SETS_MOST) {
        char *own = s->text[s->count], *equals;
        at += strlen("// --set ");
        snprintf(own, sizeof s->text[0], "%.*s", (int)strcspn(at, "\n"), at);
        equals = strchr(own, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        s->set[s->count++] = (LowerSet){own, equals + 1, false};
    }
}

static void run(Unit *u, Buffer *b)
{
    Sets sets = {.count = 0};
    LowerOptions o = {.set = sets.set};
    Buffer why = {0};
    Model *m;
    find_sets(u->text, &sets);
    o.sets = sets.count;
    if (!check_all(u) || (m = lower(u, &o)) == NULL)
        return;
    model_print(m, b);
    if (!model_check(m, &why))
        buffer_format(b, "wrong: %s\n", buffer_string(&why));
    buffer_free(&why);
}

/* ---- Size ---------------------------------------------------------------- */

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

/* A single loop: its length does not matter. */
static void write_loop(Buffer *b, int n)
{
    buffer_format(
        b,
        "PROGRAM P; CONST INTEGER N = %d; VAR ARRAY [N] OF STATE U;\n"
        "SYSTEM CONTINUOUS FOR I := 1 TO N DO IF I = 1 THEN U[I]' = U[2]\n"
        "ELSE IF I = N THEN U[I]' = U[N - 1]\n"
        "ELSE U[I]' = U[I - 1] - 2.0*U[I] + U[I + 1] END END; END.\n",
        n);
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
    CHECK(strstr(buffer_string(&out), "equations") != NULL);
    buffer_free(&text);
    buffer_free(&out);
    return seconds;
}

/* Leaves room for a slow machine and for sanitizers, but not for quadratic
   time. */
static void test_speed(void)
{
    CHECK(seconds_for(write_states, 20000) < 10.0);
    CHECK(seconds_for(write_loop, 100000) < 10.0);
}

/* ---- Tables from files --------------------------------------------------- */

static const char reader[] =
    "PROGRAM P; FUNCTABLE LINEAR F FROM \"points.csv\" COLUMNS T, U;\n"
    "VAR STATE X; SYSTEM CONTINUOUS X' = F(X) END END; END.\n";

/* The result for a program next to a file with this text. */
static void read_beside(Folder *folder, const char *points, Buffer *out)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .text = reader,
              .length = strlen(reader)};
    Fault fault = {0};
    Buffer dump = {0};
    CHECK(file_write(folder_file(folder, "points.csv"), points, strlen(points),
                     &fault) == STATUS_OK);
    u.name = folder_file(folder, "model.cosy");
    u.file = diags_add_file(&diags, "INPUT", u.text, u.length);
    run(&u, &dump);
    pass_messages(&diags, out);
    const char *table = strstr(buffer_string(&dump), "  LINEAR");
    if (table != NULL)
        buffer_bytes(out, table, strcspn(table, "\n"));
    buffer_free(&dump);
    arena_free(&arena);
}

static void test_files(void)
{
    static const char *const cases[][2] = {
        {"T,U\n0,1\n1.5,2E-3\n", "  LINEAR F (0.0, 1.0) (1.5, 2E-3)"},
        {"\"A\"; u [m] ;T (s)\r\n9;1.25;-1\r\n9;+2.5;0\r\n\r\n9;3;1",
         "1:31: note: \"points.csv\" is read with semicolons between its "
         "columns\n"
         "  LINEAR F (-1.0, 1.25) (0.0, 2.5) (1.0, 3.0)"},
        {"T,U\n0,0.1000000000000000000000000000000001\n1,2\n",
         "  LINEAR F (0.0, 0.1000000000000000000000000000000001) (1.0, 2.0)"},
        {"T,V\n0,1\n1,2\n",
         "1:60: error: the first line of \"points.csv\" names no column `U`\n"},
        {"T,U\n0,1\n1,two\n",
         "1:31: error: line 3 of \"points.csv\", column U: `two` is not a "
         "number\n"},
        {"T,U\n0,1\n1,nan\n",
         "1:31: error: line 3 of \"points.csv\", column U: `nan` is not a "
         "number\n"},
        {"T,U\n0,1\n1\n",
         "1:31: error: line 3 of \"points.csv\" has 1 cell, but the first line "
         "names 2 columns\n"},
        {"T,U\n0,1\n2,1\n1,2\n",
         "1:31: error: the points of a table must be in rising order: in line "
         "4 of "
         "\"points.csv\", 1.0 does not come after 2.0\n"},
        {"T,U\n0,1\n", "1:31: error: a table needs at least two points, but "
                       "\"points.csv\" has "
                       "1\n"},
        {"", "1:31: error: \"points.csv\" is empty\n"},
        {"X,Y\n0,1\n",
         "1:57: error: the first line of \"points.csv\" names no column `T`\n"
         "1:60: error: the first line of \"points.csv\" names no column `U`\n"},
    };
    Folder folder;
    folder_make(&folder);
    for (size_t k = 0; k < LENGTH(cases); k++) {
        Buffer out = {0};
        read_beside(&folder, cases[k][0], &out);
        CHECK_TEXT(buffer_string(&out), cases[k][1]);
        buffer_free(&out);
    }
    folder_remove(&folder);
}

/* ---- Memory -------------------------------------------------------------- */

static const char many[] =
    "PROGRAM P; CONST INTEGER N = 3; REAL K = 2.0;\n"
    "VAR STATE X, V; ARRAY [N] OF STATE U; MEMORY Y; ALGEBR A, B; INTEGER M;\n"
    "SEVENT E; FUNCTABLE LINEAR T = (0.0, 1.0) (1.0, 2.0);\n"
    "CONTINUOUS FUNCTION F (REAL Z): REAL; VAR REAL Q; BEGIN\n"
    "IF Z > 1.0 THEN Q := Z ELSE Q := 1.0; F := Q*Q END;\n"
    "SYSTEM INITIAL M := 1 END; CONTINUOUS\n"
    "X'' = -K*X; V' = F(T(X)) + SUM(I := 1 TO N : U[I]);\n"
    "FOR I := 1 TO N DO IF I = 1 THEN U[I]' = X ELSE U[I]' = U[I - 1];\n"
    "Y = HSTRS(0.0, -1.0, 1.0, X + V) + REALPL(0.0, 1.0, X);\n"
    "CASE M OF 1: A = X END; 2: A = V END;\n"
    "PROCEDURAL (B <- X); IF X > 0.0 THEN B := 1.0 ELSE B := X END;\n"
    "CONDIT E: X CROSSES 0.5 POS END\n"
    "END; DISCRETE EVENTS E: M := 2 END END END END; END.\n";

static const char processes[] =
    "PROGRAM P;\n"
    "VAR PROCESS Q; ARRAY [2] OF FACILITY F; STORAGE S CAPACITY 3; STATE X;\n"
    "INTEGER N, TR; ARRAY [2] OF REAL V;\n"
    "PROCEDURE USE (VAR FACILITY G; VAR REAL AT_; INTEGER K); VAR OWN REAL Z;\n"
    "BEGIN Z := 1.0; SEIZE G PRIORITY K; ADVANCE Z; RELEASE G; AT_ := GENTIM\n"
    "END;\n"
    "DISCRETE PROCESS Q (VAR INTEGER M; REAL DT);\n"
    "VAR OWN REAL LIMIT; VAR INTEGER N;\n"
    "BEGIN GENERATE TR FOR Q AT TIME + DT WHERE LIMIT := 2.0 END;\n"
    "FOR I := 1 TO M DO BEGIN ENTER S; WAIT UNTIL (X > LIMIT) OR (N = 2)\n"
    "TIMEOUT 3.0; LEAVE S END; USE(F[M], V[M], 3); SPLIT 2; JOIN 3;\n"
    "N := N + 1; PRIORNBR := N; TERMINATE TR END;\n"
    "SYSTEM INITIAL N := 1 END; CONTINUOUS X' = 1.0 END;\n"
    "DISCRETE PROCESSES Q (N, 2.0) END END END; END.\n";

static void test_memory(const char *text)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .name = "INPUT",
                  .text = text,
                  .length = strlen(text)};
        LowerOptions o = {0};
        bool done;
        u.file = diags_add_file(&diags, u.name, u.text, u.length);
        CHECK(check_all(&u));
        scarce_begin(n);
        done = lower(&u, &o) != NULL;
        refused = scarce_end();
        CHECK(done == (refused == 0));
        arena_free(&arena);
    }
}

int main(void)
{
    pass_run("lower", run);
    test_files();
    test_speed();
    test_memory(many);
    test_memory(processes);
    return check_end();
}
