#!/bin/sh
# Running out of memory is reported, with what needed it and a way out, and the program
# ends. No library starts threads of its own. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work" || exit 1

if command -v ldd >/dev/null 2>&1; then
    check "no library with threads" [ -z "$(ldd "$cosy" | grep -i blas)" ]
fi
# Sanitizers take more addresses than any limit leaves.
(ulimit -v 80000 2>/dev/null && "$cosy" --version) >/dev/null 2>&1 || {
    finish
    exit
}

# within KILOBYTES STATUS MODEL: runs it with so much memory.
within() {
    ends "$2" timeout -k 1 60 sh -c 'ulimit -v $1; shift; exec "$@"' sh "$1" \
        "$cosy" run "$3" --no-plots --backend=cc -o dir
}

# model FILE VARIABLES EXPERIMENT SYSTEM: compiled where there is memory, with a
# run that is short.
model() {
    echo "PROGRAM M; VAR $2; EXPERIMENT $3 END; SYSTEM $4 END; END." >"$1"
    "$cosy" run "$1" --no-plots --backend=cc --limit-time 1E-9 -o dir \
        >out 2>said
}

model small.cosy 'STATE X; STORE X' 'SIMULATE FROM 0 TO 10 COMINT = 1' \
    "CONTINUOUS X' = 1 END; TERMINAL WRITELN(\"hello\") END"
check "little memory" within 80000 0 small.cosy
check "all is well" grep -q hello out

model wide.cosy 'ARRAY [30000000] OF REAL A' 'SIMULATE FROM 0 TO 1' \
    'INITIAL A[1] := 1 END'
check "wide" within 400000 2 wide.cosy
check "wide says so" says 'no memory for the variables of M, which take 240 MB'
check "wide has a way out" says 'make its arrays smaller'

model rows.cosy 'STATE X; STORE X' 'SIMULATE FROM 0 TO 1 COMINT = 1E-12' \
    "CONTINUOUS X' = 1 END"
check "records" within 100000 2 rows.cosy
check "records say so" says 'its records take'
check "records have a way out" says 'a larger COMINT'
check "what there is is written" [ -s dir/run-0001.csv ]

cat >crowd.cosy <<'END'
PROGRAM CROWD; VAR PROCESS P; FACILITY F; INTEGER K;
DISCRETE PROCESS P;
BEGIN GENERATE K FOR P AT TIME; GENERATE K FOR P AT TIME + 1; SEIZE F;
  ADVANCE 1; RELEASE F END;
EXPERIMENT SIMULATE FROM 0 TO 1000000 END;
SYSTEM INITIAL GENERATE K FOR P AT 0 END; DISCRETE PROCESSES P END END END;
END.
END
"$cosy" run crowd.cosy --no-plots --backend=cc --limit-events 10 -o dir \
    >out 2>said
check "crowd" within 100000 2 crowd.cosy
check "crowd says so" says 'its transactions take'

# Choices in a row that decide by constants: as many nodes as there are choices,
# not two for each one before.
cat >choices.cosy <<'END'
PROGRAM CHOICES; VAR ALGEBR A; REAL P;
CONTINUOUS FUNCTION F (REAL N): REAL;
VAR REAL PRODUCT; INTEGER K;
BEGIN
  PRODUCT := 1;
  FOR K := 2 TO 26 DO IF FLOAT(K) < N + 0.5 THEN PRODUCT := PRODUCT*FLOAT(K);
  F := PRODUCT
END;
EXPERIMENT P := 4; SIMULATE FROM 0 TO 1 END;
SYSTEM
  CONTINUOUS A = F(5) + F(P) + F(TIME + 3) END;
  TERMINAL WRITELN("sum ", A:1:0) END
END;
END.
END
check "choices in a row" within 400000 0 choices.cosy
check "choices are right" grep -q 'sum 168' out

finish
