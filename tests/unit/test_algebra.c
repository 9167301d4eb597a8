#include "pass.h"

#include "algebra/algebra.h"
#include "check/check.h"
#include "emit/emit.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "lower/lower.h"
#include "scarce.h"

/* From a lowered Model to a sorted and derived one: the order of computation,
   relations, loops that are torn, derivatives, and mistakes in the structure of
   equations. Then the whole middle, from the checked tree to C, with memory
   that runs out at every place. */

static bool check_all(Unit *u)
{
    return lex(u) && expand(u, NULL, true) && parse(u) && instantiate(u) &&
           check(u);
}

static void run(Unit *u, Buffer *b)
{
    LowerOptions o = {0};
    Model *m;
    if (!check_all(u) || (m = lower(u, &o)) == NULL)
        return;
    if (algebra(m, ALGEBRA_DERIVE))
        model_print(m, b);
}

/* ---- Memory ---------------------------------------------------------------- */

/* Branches, circles of all kinds, loops that are expanded. */
static const char circles[] =
    "PROGRAM P; CONST INTEGER N = 4; REAL R = 2.0;\n"
    "VAR STATE X, Y; ARRAY [N] OF ALGEBR A, B; ALGEBR C, D, E, F, G, Z, W;\n"
    "INTEGER M; LOGIC L;\n"
    "SYSTEM INITIAL M := 1 END; CONTINUOUS\n"
    "X' = C + Z; Y' = W + G; R*C + D = SIN(TIME); C - 3.0*D = X;\n"
    "E + EXP(E) = X; 2.0*F + G = Y; F*X - G = 1.0;\n"
    "FOR I := 1 TO N DO A[I] = 0.1*B[N + 1 - I] + X;\n"
    "FOR I := 1 TO N DO B[I] = 0.2*A[I]^2 + I;\n"
    "L = (X > 1.0) AND (Y < 2.0);\n"
    "IF L THEN Z = W*0.5 ELSE Z = LIMIT(-1, 1, X);\n"
    "CASE M OF 1: W = Z + A[M] END; 2: W = B[M] END;\n"
    "END END; END.\n";

/* Conditions, memories, a derivator, tables, second derivatives, sums. */
static const char conditions[] =
    "PROGRAM P; CONST INTEGER N = 3;\n"
    "FUNCTABLE LINEAR T = (0.0, 1.0) (1.0, 2.0);\n"
    "FUNCTABLE SPLINE S = (0.0, 1.0) (1.0, 2.0) (3.0, 0.0);\n"
    "VAR STATE PHI, V; ARRAY [N] OF STATE U; ALGEBR A, K; MEMORY H, Q, DD;\n"
    "SEVENT E, F; INTEGER MODE;\n"
    "SYSTEM INITIAL MODE := 1 END; CONTINUOUS\n"
    "PHI'' = -9.81*SIN(PHI) - ABS(PHI')*PHI'; V' = T(PHI) + S(V);\n"
    "FOR I := 1 TO N DO U[I]' = IF U[I] > 0.0 THEN -U[I] ELSE SQRT(-U[I]);\n"
    "A = SUM(I := 1 TO N : ABS(U[I]))*PROD(I := 1 TO N : U[I]);\n"
    "H = HSTRS(0.0, -1.0, 1.0, PHI); Q = DELAY(0.5, A); DD = DERIV(0.0, A*V);\n"
    "K = MIN(A, V, 2.0) + INT(PHI) + MOD(V, 3.0) + NOEVENT(ABS(V)) + H + Q;\n"
    "CONDIT E: A + DD CROSSES 0.5 POS END;\n"
    "CASE MODE OF 1: CONDIT F: K CROSSES 1.0 NEG END END\n"
    "END; DISCRETE EVENTS E: MODE := 2 END; F: MODE := 1 END END END END;\n"
    "END.\n";

/* Wrong structure: the messages take memory too. */
static const char wrong[] =
    "PROGRAM P; VAR STATE X; ALGEBR A, B, C; ARRAY [3] OF ALGEBR D; LOGIC L;\n"
    "SYSTEM CONTINUOUS X' = A + D[1]; A = X; A + B = 3; A - 2*B = 1;\n"
    "FOR I := 1 TO 2 DO D[I] = X + I; L = NOT L END END; END.\n";

static const char processes[] =
    "PROGRAM P; VAR PROCESS Q; FACILITY F; STATE X; REAL Z, W; INTEGER N;\n"
    "DISCRETE PROCESS Q; VAR OWN REAL BEGUN; BEGIN\n"
    "BEGUN := TIME; SEIZE F; WAIT UNTIL (NOEVENT(ABS(X)) > 1.0) OR (Z > 2.0);\n"
    "RELEASE F;\n"
    "IF X > 2.0 THEN GENERATE N FOR Q AT TIME + 1.0; W := TIME - BEGUN;\n"
    "CASE ROUND(Z) OF 1: ADVANCE 2.0 END; 2: TERMINATE TRANSNBR END END;\n"
    "SYSTEM CONTINUOUS X' = IF X > 3.0 THEN 0.0 ELSE 1.0 END;\n"
    "DISCRETE PROCESSES Q END END END; END.\n";

typedef struct Middle { // how far it came
    bool done, told;
} Middle;

static Middle go_through(Unit *u)
{
    LowerOptions o = {0};
    Buffer c = {0};
    Model *m = lower(u, &o);
    bool sorted = m != NULL && algebra(m, ALGEBRA_DERIVE);
    bool done = sorted && emit_model(m, &c);
    buffer_free(&c);
    /* The caller of emit_model reports its lack of memory. */
    return (Middle){done, done || sorted || u->diags->errors > 0};
}

/* Every allocation that fails ends the translation with a message; nothing
   leaks, and nothing half-done is taken for a model. */
static void test_memory(const char *text, bool right,
                        void (*begin)(long allocations), long skip)
{
    for (long n = 0, refused = 1; refused > 0; n += 1 + n / skip) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .name = "INPUT",
                  .text = text,
                  .length = strlen(text)};
        Middle r;
        u.file = diags_add_file(&diags, u.name, u.text, u.length);
        if (!check_all(&u)) {
            Buffer b = {0};
            diags_print(&diags, &b, false);
            printf("%s\n", buffer_string(&b));
            buffer_free(&b);
            CHECK(false);
            arena_free(&arena);
            return;
        }
        begin(n);
        r = go_through(&u);
        refused = scarce_end();
        CHECK(r.done == (right && refused == 0));
        CHECK(r.told);
        arena_free(&arena);
    }
}

static void test_memories(void)
{
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        {circles, true}, {conditions, true}, {wrong, false}, {processes, true}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        test_memory(cases[k].text, cases[k].right, scarce_begin, 40);
        test_memory(cases[k].text, cases[k].right, scarce_begin_arenas, 40);
    }
}

int main(void)
{
    pass_run("algebra", run);
    test_memories();
    return check_end();
}
