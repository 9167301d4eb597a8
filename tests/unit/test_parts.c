#include "expand/parts.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "expand/expand.h"
#include "scarce.h"

/* Memory that runs out while MODULEs become equations: whichever allocation fails,
   there is a message and nothing leaks. What is made of them is tested by
   tests/sim/modules and tests/lang. */

static const char program[] =
    "PROGRAM P;\n"
    "TYPE PIN = PORT (ACROSS V; THROUGH I);\n"
    "MODULE CELL (REAL R = 1; ALGEBR A);\n"
    "VAR PIN P, N; ARRAY [2] OF STATE X; ALGEBR U INPUT;\n"
    "INITIAL FOR K := 1 TO 2 DO X[K] := R END\n"
    "CONTINUOUS P.V - N.V = R*P.I; P.I + N.I = A;\n"
    "FOR K := 1 TO 2 DO X[K]' = -X[K]*U END\n"
    "END;\n"
    "MODULE SHOP (REAL T = 1);\n"
    "TYPE REC = RECORD REAL KIND END;\n"
    "VAR FACILITY F; REAL W; RANDOM S; FILE OF REC: Q; SEVENT E; STATE X;\n"
    "DISCRETE PROCESS JOB; VAR OWN REAL B;\n"
    "BEGIN B := TIME; SEIZE F; ADVANCE S; RELEASE F; W := TIME - B END;\n"
    "CONTINUOUS X' = T; CONDIT E: X CROSSES 1 POS END END\n"
    "DISCRETE EVENTS E: X := 0 END END PROCESSES JOB END END\n"
    "END;\n"
    "VAR ARRAY [3] OF PART CELL C (R := 2, A := TIME); ARRAY [2] OF PART SHOP "
    "M;\n"
    "INTEGER K; TEVENT GO; ALGEBR Y, Z, ONE;\n"
    "STORE M.X, C.X;\n"
    "EXPERIMENT\n"
    "COLLECT M.W END; RANDOMGEN M.S: EXPOND MEAN = 1 END;\n"
    "PARAMETER M.T = 2; INITCOND M.X = ((1, 2));\n"
    "SIMULATE FROM 0 TO 1\n"
    "END;\n"
    "SYSTEM\n"
    "CONTINUOUS\n"
    "ONE = 1; Y = M[K].X; Z = SUM(I := 1 TO 2 : M[I].X);\n"
    "FOR I := 1 TO 2 DO CONNECT C[I].N TO C[I+1].P;\n"
    "FOR I := 1 TO 3 DO CONNECT ONE TO C[I].U;\n"
    "C[1].P.V = 1; C[3].N.V = 0\n"
    "END;\n"
    "DISCRETE EVENTS TEVENTS: GO: M[K].W := M[K].W + 1;\n"
    "INSERT M[1].Q WHERE KIND := 3 END END END END END\n"
    "END;\n"
    "END.\n";

static const char wrong[] =
    "PROGRAM P;\n"
    "MODULE CELL (REAL R, R); VAR STATE X; CONTINUOUS X' = R END END;\n"
    "VAR PART CELL A (Q := 1), B (R := D.R), D, D; ARRAY [0] OF PART CELL E;\n"
    "EXPERIMENT COLLECT A.X.Y END; SIMULATE FROM 0 TO 1 END;\n"
    "SYSTEM CONTINUOUS CONNECT A TO B.X; A.Z = 1; CELL (3) END END\n"
    "END.\n";

static void test_memory(const char *text, bool right, void (*begin)(long))
{
    for (long n = 0, refused = 1; refused > 0; n += 1 + n / 100) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .name = "INPUT",
                  .text = text,
                  .length = strlen(text)};
        u.file = diags_add_file(&diags, u.name, u.text, u.length);
        bool read = lex(&u) && expand(&u, NULL, true) && parse(&u);
        CHECK(read);
        begin(n);
        bool done = instantiate(&u);
        refused = scarce_end();
        CHECK(done == (right && refused == 0));
        CHECK(done || diags.errors > 0);
        arena_free(&arena);
        if (!read)
            return;
    }
}

int main(void)
{
    test_memory(program, true, scarce_begin);
    test_memory(program, true, scarce_begin_arenas);
    test_memory(wrong, false, scarce_begin);
    test_memory(wrong, false, scarce_begin_arenas);
    return check_end();
}
