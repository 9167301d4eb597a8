#include "pass.h"

#include <math.h>
#include <time.h>

#include "algebra/algebra.h"
#include "check/check.h"
#include "cosy/model.h"
#include "emit/emit.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "load/load.h"
#include "lower/lower.h"
#include "scarce.h"
#include "solve/block.h"

/* From text to C: the functions of tests/pass/emit as they are written, then
   the numbers that models compiled by both compilers compute, against closed
   forms. */

/* ---- The text ------------------------------------------------------------------ */

static Model *model_of(Unit *u)
{
    LowerOptions o = {0};
    if (!lex(u) || !expand(u, NULL, true) || !parse(u) || !instantiate(u) ||
        !check(u))
        return NULL;
    Model *m = lower(u, &o);
    return m && algebra(m, ALGEBRA_DERIVE) ? m : NULL;
}

/* The function whose head begins with "static CosyStatus NAME(". */
static void print_function(const char *c, const char *name, Buffer *b)
{
    char head[100];
    snprintf(head, sizeof head, "static CosyStatus %s(", name);
    const char *at = strstr(c, head);
    const char *end = at ? strstr(at, "\n}\n") : NULL;
    if (end)
        buffer_bytes(b, at, (size_t)(end + 3 - at));
    else
        buffer_format(b, "no function %s\n", name);
}

/* A line `// show NAME NAME` in the text says which functions are printed. */
static void run(Unit *u, Buffer *b)
{
    Buffer c = {0};
    const char *show = strstr(u->text, "// show ");
    Model *m = model_of(u);
    if (!m || !show)
        return;
    CHECK(emit_model(m, &c));
    char names[200];
    snprintf(names, sizeof names, "%.*s", (int)strcspn(show + 8, "\n"),
             show + 8);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        print_function(buffer_string(&c), name, b);
    buffer_free(&c);
}

/* ---- A compiled model, driven by hand --------------------------------------------- */

typedef struct Bench {
    Arena arena;
    Loaded code;
    const CosyModel *m;
    Cosy c;
    CosyHead head;
    real *x, *dx;
    int32_t *branch;
    uint32_t messages, line;
} Bench;

static void note_message(Cosy *c, CosySeverity severity, uint32_t line,
                         const char *text)
{
    Bench *b = c->run;
    (void)severity;
    (void)text;
    b->messages++;
    b->line = line;
}

static real declared(Cosy *c, uint32_t variable, real value)
{
    (void)c;
    (void)variable;
    return value;
}

static const CosyHost host = {
    .message = note_message, .constant = declared, .solve = block_solve};

static bool emit_text(Arena *a, const char *text, Buffer *c)
{
    Diags diags = {.arena = a};
    Unit u = {.arena = a,
              .diags = &diags,
              .name = "INPUT",
              .text = text,
              .length = strlen(text)};
    u.file = diags_add_file(&diags, u.name, text, u.length);
    Model *m = model_of(&u);
    Buffer messages = {0};
    diags_print(&diags, &messages, false);
    if (diags.errors)
        printf("%s\n", buffer_string(&messages));
    buffer_free(&messages);
    return m && emit_model(m, c);
}

/* Room for all segments, then reset and the branches of the first point. */
static bool bench_start(Bench *b)
{
    const CosyModel *m = b->m = b->code.model;
    b->x = NEW_ARRAY(&b->arena, real, m->states + 1);
    b->dx = NEW_ARRAY(&b->arena, real, m->states + 1);
    b->branch = NEW_ARRAY(&b->arena, int32_t, m->branches + 1);
    b->c = (Cosy){.model = m,
                  .host = &host,
                  .run = b,
                  .head = &b->head,
                  .data = arena_alloc(&b->arena, m->data_size + 8, 16),
                  .x = b->x,
                  .branch = b->branch,
                  .work = arena_alloc(&b->arena, m->work_size + 8, 16)};
    b->head.states = m->states;
    b->head.run = 1;
    return m->reset(&b->c) == COSY_OK;
}

static bool bench_open(Bench *b, const char *text, LoadBackend backend)
{
    Buffer c = {0};
    Fault fault = {0};
    *b = (Bench){0};
    if (!emit_text(&b->arena, text, &c))
        return false;
    LoadRequest r = {.name = "INPUT",
                     .text = buffer_string(&c),
                     .length = c.v.used,
                     .precision = 1,
                     .backend = backend};
    Status status = load_compile(&b->code, &r, &fault);
    if (status != STATUS_OK)
        printf("%s\n%s\n", fault.text, buffer_string(&c));
    buffer_free(&c);
    return status == STATUS_OK && bench_start(b);
}

static void bench_close(Bench *b)
{
    load_close(&b->code);
    arena_free(&b->arena);
}

static const CosyVariable *bench_variable(const Bench *b, const char *name)
{
    for (uint32_t k = 0; k < b->m->n_variables; k++)
        if (strcmp(b->m->variables[k].name, name) == 0)
            return &b->m->variables[k];
    printf("no variable %s\n", name);
    return NULL;
}

/* Element k of a variable, whatever its type. */
static real bench_value(const Bench *b, const char *name, uint32_t k)
{
    const CosyVariable *v = bench_variable(b, name);
    if (!v)
        return (real)NAN;
    if (v->kind == COSY_STATE)
        return b->x[v->place + k];
    const unsigned char *at = (const unsigned char *)b->c.data + v->place;
    if (v->type == COSY_TYPE_INTEGER)
        return (real)((const int64_t *)(const void *)at)[k];
    if (v->type == COSY_TYPE_BOOLEAN)
        return at[k];
    return ((const real *)(const void *)at)[k];
}

/* Updates branches until they agree with the point. */
static CosyStatus bench_settle(Bench *b, real t)
{
    Arena scratch = {0};
    int32_t *wanted = NEW_ARRAY(&scratch, int32_t, b->m->branches + 1);
    CosyStatus status = COSY_OK;
    b->head.t = t;
    for (int k = 0; k < 10 && b->m->relations && status == COSY_OK; k++) {
        status = b->m->relations(&b->c, t, b->x, wanted);
        memcpy(b->branch, wanted, b->m->branches * sizeof *wanted);
    }
    arena_free(&scratch);
    return status;
}

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-13 * (1 + fabs(b)))

/* The spline: coefficients of the four cubics from the sixteen conditions of a
   natural spline, solved in rational numbers; values rounded once. */

/* ---- Numbers of procedural code ----------------------------------------------------- */

static const char procedural[] =
    "PROGRAM P;\n"
    "CONST REAL K = 2.5; INTEGER N = 4; BOOLEAN LIT = TRUE;\n"
    "FUNCTABLE SPLINE S = (0, 1) (1, 3) (2.5, 2) (4, -1) (5, 0.5);\n"
    "FUNCTABLE LINEAR L = (0, 0) (1, 10) (3, 0);\n"
    "FUNCTABLE STEP T = (0, 1) (1, 2) (2, 4);\n"
    "VAR STATE X; REAL A, B, C, D, E, F, G, H, R, Q, W; INTEGER I1, I2, I3, "
    "I4,\n"
    " I5, I6, I7, CALLS; BOOLEAN YES, NO; ARRAY [2, 3] OF REAL M;\n"
    " ARRAY [0 .. 3] OF INTEGER V;\n"
    "FUNCTION SQR (REAL Z): REAL; VAR INTEGER COUNT; BEGIN\n"
    "  COUNT := COUNT + 1; CALLS := COUNT; SQR := Z*Z END;\n"
    "PROCEDURE SWAP (VAR REAL P1; VAR REAL P2); VAR REAL KEEP; BEGIN\n"
    "  KEEP := P1; P1 := P2; P2 := KEEP END;\n"
    "SYSTEM INITIAL\n"
    "  A := -2.0^2 + K*3 - 10/4;\n"
    "  B := SUM(J := 1 TO N EXCEPT 2 : J*J) + PROD(J := 1 TO N : J);\n"
    "  C := S(0.5) + S(1.7); D := S(3.25) - S(4.9); E := S(-3.0) + S(9.0);\n"
    "  F := L(0.25) + L(2.0) + T(0.5) + T(1.0) + T(2.0) + T(-1.0);\n"
    "  I1 := -7 DIV 2; I2 := -7 MOD 2; I3 := 3^4; I4 := ROUND(-2.5);\n"
    "  I5 := TRUNC(-2.7); I6 := ABS(-3)*SIGN(-9); I7 := MAX(MIN(3, 5), 4);\n"
    "  YES := LIT AND (N > 3) OR FALSE; NO := NOT YES;\n"
    "  FOR J := 1 TO 2 DO FOR L1 := 1 TO 3 DO M[J, L1] := 10*J + L1;\n"
    "  FOR J := 3 DOWNTO 0 DO V[J] := J*J;\n"
    "  G := SQR(3.0) + SQR(SQR(2.0)); H := 1.0; R := 2.0; SWAP(H, R);\n"
    "  Q := IF A > 0.0 THEN SQRT(A) ELSE 7.0; W := 0.0;\n"
    "  WHILE W < 10.0 DO W := W + 3.0;\n"
    "  CASE N OF 1: W := 0.0 END; 4: W := W + 0.5 END; ELSE W := -1.0 END\n"
    "END; CONTINUOUS X' = A + B + C + D + E + F + G + H + R + Q + W\n"
    "END END; END.\n";

static void test_procedural(LoadBackend backend)
{
    static const struct {
        const char *name;
        uint32_t at;
        double value;
    } expected[] = {
        {"A", 0, 1.0},
        {"B", 0, 26.0 + 24.0},
        {"C", 0, 2.1650735294117647 + 3.166304139433551},
        {"D", 0, 0.0927389705882353 - 0.27147941176470586},
        {"E", 0, 1.5},
        {"F", 0, 2.5 + 5.0 + 1.0 + 2.0 + 4.0 + 1.0},
        {"I1", 0, -3.0},
        {"I2", 0, -1.0},
        {"I3", 0, 81.0},
        {"I4", 0, -3.0},
        {"I5", 0, -2.0},
        {"I6", 0, -3.0},
        {"I7", 0, 4.0},
        {"YES", 0, 1.0},
        {"NO", 0, 0.0},
        {"M", 0, 11.0},
        {"M", 5, 23.0},
        {"V", 3, 9.0},
        {"V", 0, 0.0},
        {"G", 0, 25.0},
        {"H", 0, 2.0},
        {"R", 0, 1.0},
        {"Q", 0, 1.0},
        {"W", 0, 12.5},
        {"CALLS", 0, 3.0},
        {"K", 0, 2.5},
    };
    Bench b;
    CHECK(bench_open(&b, procedural, backend));
    CHECK(b.m && b.m->initial(&b.c) == COSY_OK);
    for (size_t k = 0; b.m && k < LENGTH(expected); k++) {
        real found = bench_value(&b, expected[k].name, expected[k].at);
        if (!NEAR(found, expected[k].value))
            printf("%s[%u] = %.17g\n", expected[k].name, expected[k].at,
                   (double)found);
        CHECK(NEAR(found, expected[k].value));
    }
    CHECK(b.messages == 2); // S and T each rang once
    bench_close(&b);
}

/* ---- Numbers of the continuous part -------------------------------------------------- */

static const char continuous[] =
    "PROGRAM P; CONST INTEGER N = 5; REAL K = 3.0;\n"
    "FUNCTABLE LINEAR L = (0, 0) (1, 10) (3, 0);\n"
    "VAR STATE X, Y; ARRAY [N] OF STATE U; ALGEBR A, B, C, D, P, Q, Z;\n"
    " ARRAY [N] OF ALGEBR F; LOGIC HIGH; INTEGER MODE;\n"
    "SYSTEM INITIAL MODE := 1 END; CONTINUOUS\n"
    "X' = Y; Y' = -K*X + A*B; A = X*Y + EXP(-X); B = A^2 + SIN(A)*COS(A);\n"
    "FOR I := 1 TO N DO F[I] = I*X + U[I]^2;\n"
    "U[1]' = F[1] - F[2]; U[N]' = SUM(I := 1 TO N : F[I]*U[I]) + C;\n"
    "FOR I := 2 TO N - 1 DO U[I]' = K*(U[I - 1] - 2.0*U[I] + U[I + 1]) + D;\n"
    "C = IF X > 0.0 THEN SQRT(X) + LOG(X) ELSE X*X + A*B;\n"
    "CASE MODE OF 1: D = X END; 2: D = Y*A END;\n"
    "P = 2.0 - Q*X; P*Q + Q = K + Y; Z = L(X) + ABS(Y) + MIN(X, Y);\n"
    "HIGH = A > B\n"
    "END END; END.\n";

enum { N = 5, STATES = 2 + N };

/* The same by hand; u[] from 1. */
static void by_hand(const real *x, int mode, real *dx, real *z)
{
    const real X = x[0], Y = x[1], K = 3.0, *u = x + 1;
    real A = X * Y + exp(-X), B = A * A + sin(A) * cos(A), f[N + 1], sum = 0;
    for (int i = 1; i <= N; i++) {
        f[i] = i * X + u[i] * u[i];
        sum += f[i] * u[i];
    }
    real C = X > 0 ? sqrt(X) + log(X) : X * X + A * B;
    real D = mode == 1 ? X : Y * A;
    dx[0] = Y;
    dx[1] = -K * X + A * B;
    dx[2] = f[1] - f[2];
    for (int i = 2; i < N; i++)
        dx[1 + i] = K * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + D;
    dx[1 + N] = sum + C;
    real low = X < Y ? X : Y;
    *z = (X < 0 ? 0 : X < 1 ? 10 * X : X < 3 ? 15 - 5 * X : 0) + fabs(Y) + low;
}

static void set_mode(Bench *b, int64_t mode)
{
    const CosyVariable *v = bench_variable(b, "MODE");
    if (v)
        memcpy((unsigned char *)b->c.data + v->place, &mode, sizeof mode);
}

/* Column j of the Jacobian: the sum of its entries, or the derivative in that
   direction. */
static void column_of(Bench *b, uint32_t j, real *column)
{
    const CosyModel *m = b->m;
    for (uint32_t k = 0; k < m->states; k++)
        column[k] = 0;
    if (!m->jacobian) {
        real v[STATES] = {0};
        v[j] = 1;
        CHECK(m->tangent != NULL);
        CHECK(m->tangent(&b->c, 0, b->x, v, NULL, column) == COSY_OK);
        return;
    }
    uint32_t row[200], col[200], n = 0;
    real value[200];
    CHECK(m->pattern(&b->c, NULL, NULL, &n) == COSY_OK && n <= 200);
    CHECK(m->pattern(&b->c, row, col, &n) == COSY_OK);
    CHECK(m->jacobian(&b->c, 0, b->x, value) == COSY_OK);
    for (uint32_t k = 0; k < n; k++)
        if (col[k] == j)
            column[row[k]] += value[k];
}

/* Central differences of the model's own derivatives. */
static void check_slopes(Bench *b)
{
    for (uint32_t j = 0; j < STATES; j++) {
        real at = b->x[j], h = 1e-5, up[STATES], down[STATES], column[STATES];
        b->x[j] = at + h;
        CHECK(b->m->derivatives(&b->c, 0, b->x, up) == COSY_OK);
        b->x[j] = at - h;
        CHECK(b->m->derivatives(&b->c, 0, b->x, down) == COSY_OK);
        b->x[j] = at;
        column_of(b, j, column);
        for (uint32_t k = 0; k < STATES; k++) {
            real slope = (up[k] - down[k]) / (2 * h);
            CHECK(fabs(column[k] - slope) < 1e-7 * (1 + fabs(slope)));
        }
    }
}

static void check_point(Bench *b, real X, real Y, int mode)
{
    real dx[STATES], z;
    b->x[0] = X;
    b->x[1] = Y;
    for (int i = 1; i <= N; i++)
        b->x[1 + i] = 0.1 * i * i - 0.35;
    set_mode(b, mode);
    CHECK(bench_settle(b, 0) == COSY_OK);
    by_hand(b->x, mode, dx, &z);
    CHECK(b->m->derivatives(&b->c, 0, b->x, b->dx) == COSY_OK);
    for (int k = 0; k < STATES; k++)
        CHECK(NEAR(b->dx[k], dx[k]));
    CHECK(b->m->outputs(&b->c, 0, b->x) == COSY_OK);
    CHECK(NEAR(bench_value(b, "Z", 0), z));
    real q = bench_value(b, "Q", 0), p = bench_value(b, "P", 0);
    CHECK(NEAR(p, 2.0 - q * X) && NEAR(p * q + q, 3.0 + Y));
    CHECK(NEAR(bench_value(b, "F", 3), 4 * X + b->x[5] * b->x[5]));
    CHECK(bench_value(b, "HIGH", 0) ==
          (bench_value(b, "A", 0) > bench_value(b, "B", 0)));
    check_slopes(b);
}

static void test_continuous(LoadBackend backend)
{
    Bench b;
    CHECK(bench_open(&b, continuous, backend));
    if (b.m && b.m->initial(&b.c) == COSY_OK) {
        check_point(&b, 0.5, 0.25, 1);
        check_point(&b, -0.3, 0.8, 1); // no SQRT, no LOG
        check_point(&b, 1.25, -2.0, 2);
    }
    bench_close(&b);
}

/* ---- What goes wrong ------------------------------------------------------------------- */

/* A program whose INITIAL is this statement: reason and line of its failure. */
static void check_failure(const char *statement, CosyReason reason)
{
    Buffer text = {0};
    Bench b;
    buffer_format(&text,
                  "PROGRAM P; VAR STATE X; INTEGER I, J, Z; REAL A, B;\n"
                  "ARRAY [3] OF REAL V; FUNCTION F (REAL Q): REAL;\n"
                  "BEGIN F := V[ROUND(Q)] END;\n"
                  "SYSTEM INITIAL Z := 0; A := 0.0; V[1] := 1.0; I := 7;\n"
                  "%s\n"
                  "END; CONTINUOUS X' = V[2] + B + J END END; END.\n",
                  statement);
    CHECK(bench_open(&b, buffer_string(&text), LOAD_TCC));
    CosyStatus status = b.m ? b.m->initial(&b.c) : COSY_OK;
    uint32_t row = COSY_WHERE(status);
    if (COSY_REASON(status) != reason)
        printf("%s: reason %d\n", statement, (int)COSY_REASON(status));
    CHECK(COSY_REASON(status) == reason);
    uint32_t line = strstr(statement, "F(") ? 3 : 5;
    bool known = b.m && row < b.m->n_equations;
    if (!known || b.m->equations[row].line != line)
        printf("%s: row %u, line %u\n", statement, row,
               known ? b.m->equations[row].line : 0);
    CHECK(known && b.m->equations[row].line == line);
    CHECK(known && b.m->equations[row].statement);
    CHECK(b.head.trouble == COSY_OK);
    bench_close(&b);
    buffer_free(&text);
}

static void test_failures(void)
{
    check_failure("V[I] := 1.0; J := 1; B := 2.0", COSY_INDEX);
    check_failure("B := V[I - 1]; J := 1", COSY_INDEX);
    check_failure("J := I DIV Z; B := 1.0", COSY_NUMBER);
    check_failure("J := I MOD Z; B := 1.0", COSY_NUMBER);
    check_failure("J := I^I^2; B := 1.0", COSY_OVERFLOW);
    check_failure("J := TRUNC(1.0E30); B := 1.0", COSY_OVERFLOW);
    check_failure("B := 1.0/A; J := 1", COSY_NUMBER);
    check_failure("J := 1; B := LOG(A - 1.0)", COSY_NUMBER);
    check_failure("J := 1; IF (I < 0) AND (V[I] > 0.0) THEN B := 1.0\n"
                  "ELSE B := F(8.0)",
                  COSY_INDEX);
    check_failure("J := 1; B := 1.0; CASE I OF 1: J := 2 END; 2: J := 3 END",
                  COSY_SELECTOR);
    check_failure("J := 1; B := 0.0; WHILE V[I] > B DO B := 1.0", COSY_INDEX);
}

/* ---- Size --------------------------------------------------------------------------------- */

static void write_states(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; VAR\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "STATE X%d; ALGEBR B%d;\n", k, k);
    buffer_text(b, "SYSTEM CONTINUOUS\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "X%d' = -B%d*X%d;\nB%d = X%d*SIN(X%d);\n", k, k,
                      k ? k - 1 : 0, k, k, k);
    buffer_text(b, "END END; END.\n");
}

static void write_sequence(Buffer *b, int n)
{
    buffer_text(b, "PROGRAM P; VAR STATE X; ALGEBR A;\n"
                   "CONTINUOUS FUNCTION F (REAL Z): REAL; VAR REAL Q; BEGIN\n"
                   "Q := Z;\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "IF Q > %d.0 THEN Q := Q*Q ELSE Q := Q + 1.0;\n", k);
    buffer_text(b,
                "F := Q END;\nSYSTEM CONTINUOUS X' = A; A = NOEVENT(F(X)) END "
                "END; "
                "END.\n");
}

/* Seconds of emission alone; it must not grow quadratically. */
static double seconds_for(void (*write)(Buffer *, int), int n, size_t *length)
{
    Buffer text = {0}, c = {0};
    Arena arena = {0};
    write(&text, n);
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .name = "INPUT",
              .text = buffer_string(&text),
              .length = text.v.used};
    u.file = diags_add_file(&diags, u.name, u.text, u.length);
    Model *m = model_of(&u);
    clock_t start = clock();
    CHECK(m && emit_model(m, &c));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    *length = c.v.used;
    buffer_free(&c);
    buffer_free(&text);
    arena_free(&arena);
    return seconds;
}

static void test_size(void)
{
    size_t once, twice;
    CHECK(seconds_for(write_states, 4000, &twice) < 10.0);
    seconds_for(write_states, 2000, &once);
    CHECK(twice < 3 * once);
    CHECK(seconds_for(write_sequence, 40, &twice) < 10.0);
    seconds_for(write_sequence, 20, &once);
    CHECK(twice < 5 * once);
}

/* ---- Memory ------------------------------------------------------------------------------ */

static const char processes[] =
    "PROGRAM P;\n"
    "VAR PROCESS Q; ARRAY [2] OF FACILITY F; STORAGE S CAPACITY 3; STATE X;\n"
    "INTEGER N, TR; ARRAY [2] OF REAL V;\n"
    "DISCRETE PROCESS Q;\n"
    "VAR OWN REAL LIMIT;\n"
    "BEGIN GENERATE TR FOR Q AT TIME + 2.0 WHERE LIMIT := 2.0 END;\n"
    "FOR I := 1 TO N DO BEGIN ENTER S; WAIT UNTIL (X > LIMIT) OR (N = 2)\n"
    "TIMEOUT 3.0; LEAVE S END; PREEMPT F[N]; RELEASE F[N]; SPLIT 2; JOIN 3;\n"
    "V[N] := GENTIM; PRIORNBR := N; TERMINATE TR END;\n"
    "SYSTEM INITIAL N := 1; V[1] := 0.0 END; CONTINUOUS X' = 1.0 END;\n"
    "DISCRETE PROCESSES Q END END END; END.\n";

static void test_memory(const char *text)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .name = "INPUT",
              .text = text,
              .length = strlen(text)};
    u.file = diags_add_file(&diags, u.name, u.text, u.length);
    Model *m = model_of(&u);
    CHECK(m != NULL);
    for (long n = 0, refused = 1; m && refused > 0; n += 1 + n / 8) {
        Buffer c = {0};
        scarce_begin(n);
        bool done = emit_model(m, &c);
        refused = scarce_end();
        CHECK(done == (refused == 0));
        buffer_free(&c);
    }
    arena_free(&arena);
}

int main(void)
{
    pass_run("emit", run);
    test_procedural(LOAD_TCC);
    test_procedural(LOAD_CC);
    test_continuous(LOAD_TCC);
    test_continuous(LOAD_CC);
    test_failures();
    test_size();
    test_memory(continuous);
    test_memory(processes);
    return check_end();
}
