#!/bin/sh
# Whatever a run does, --limit-wall ends it at once: loops of statements, long
# or short, one in the other or in functions that call each other, wherever they
# stand; records without number. FOR goes up to the last integer and ends there.
# Tables are read from files, not from devices and pipes. METHODs of SUNDIALS
# work without states, and say nothing in their own words. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work" || exit 1

# program FILE INITIAL TERMINAL COMMUNIC EVENT
program() {
    cat >"$1" <<END
PROGRAM P;
VAR INTEGER K, M, N; REAL S; TEVENT E; STATE X;
FUNCTION H(INTEGER A): INTEGER; VAR INTEGER I, B;
BEGIN FOR I := 1 TO 10000 DO B := B + A MOD I; H := B END;
FUNCTION G(INTEGER A): INTEGER; VAR INTEGER I, B;
BEGIN FOR I := 1 TO 10000 DO B := B + H(I) MOD 2; G := B END;
FUNCTION F(INTEGER A): INTEGER; VAR INTEGER I, B;
BEGIN FOR I := 1 TO 10000 DO B := B + G(I) MOD 2; F := B END;
EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.5 END;
SYSTEM
  INITIAL N := 0; S := 0; SCHEDULE E AT 0.5; $2 END;
  CONTINUOUS X' = 1; COMMUNIC C (S <- X); $4 END END;

  DISCRETE EVENTS E: $5 END END END;
  TERMINAL $3 END
END;
END.
END
}

# stops WHAT FILE TEXT
stops() {
    check "$1: ends" ends 2 timeout -k 1 20 "$cosy" run "$2" --no-plots \
        --backend=tcc --limit-wall 0.1 -o dir
    check "$1: says so" says "$3"
    check "$1: says why" says 'the time of --limit-wall is over'
}

long='FOR K := 1 TO 1000000000000 DO S := SIN(S + 1)'
small='FOR K := 1 TO 1000 DO FOR M := 1 TO 1000 DO
    FOR N := 1 TO 1000 DO BEGIN S := SIN(S + 1); S := COS(S) END'
program initial.cosy "$long" 'N := 1' 'N := 1' 'N := 1'
stops INITIAL initial.cosy '(FOR K'
program terminal.cosy 'N := 1' "$long" 'N := 1' 'N := 1'
stops TERMINAL terminal.cosy '(FOR K'
program communic.cosy 'N := 1' 'N := 1' "$long" 'N := 1'
stops COMMUNIC communic.cosy '(FOR K'
program event.cosy 'N := 1' 'N := 1' 'N := 1' "$small"
stops "event, short loops" event.cosy '(FOR '
program calls.cosy 'N := F(3)' 'N := 1' 'N := 1' 'N := 1'
stops "functions that call each other" calls.cosy 'calls.cosy:'

cat >split.cosy <<'END'
PROGRAM S; VAR PROCESS P; INTEGER K;
DISCRETE PROCESS P; BEGIN SPLIT 1000000000000; ADVANCE 1 END;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM INITIAL GENERATE K FOR P AT 0 END; DISCRETE PROCESSES P END END END;
END.
END
stops SPLIT split.cosy 'SPLIT'

# ---- Clocks that cannot be counted, and one beyond what integers hold
clock() { # FROM TO PERIOD
    echo "PROGRAM C; VAR SAMPLE S; INTEGER N;
EXPERIMENT SIMULATE FROM $1 TO $2 END;
SYSTEM INITIAL N := 0 END; DISCRETE SAMPLES S EVERY $3: N := N + 1 END END END;
  TERMINAL WRITELN(N) END END; END." >clock.cosy
}
clock 1E20 1.1E20 0.1
check "clock" ends 2 timeout -k 1 10 "$cosy" run clock.cosy --no-plots \
    --backend=tcc -o dir
check "clock says so" says 'the SAMPLE S would already have ticked more than 9E15 times'
clock 0 1E11 1000000001.000000001
check "slow clock" ends 0 timeout -k 1 10 "$cosy" run clock.cosy --no-plots \
    --backend=tcc -o dir
check "its ticks" grep -q '^ *100$' out

# ---- Records
records() { # FILE TO COMINT
    echo "PROGRAM R; VAR STATE X; STORE X;
EXPERIMENT SIMULATE FROM 0 TO $2 COMINT = $3 END;
SYSTEM CONTINUOUS X' = 1 END END; END." >"$1"
}
records tiny.cosy 1 1E-12
stops "tiny COMINT" tiny.cosy 'stopped: the time'
records far.cosy 1E18 0.01
stops "far end" far.cosy 'stopped: the time'
check "rows are written" [ "$(wc -l <dir/run-0001.csv)" -gt 2 ]
check "and not too many" [ "$(wc -l <dir/run-0001.csv)" -lt 600000 ]

# ---- FOR up to the last integer
cat >last.cosy <<'END'
PROGRAM L; VAR INTEGER K, N, S, BIG, STEP; PROCESS P;
DISCRETE PROCESS P; VAR INTEGER J;
BEGIN
  FOR J := BIG - 1 TO BIG DO BEGIN S := S + 1; ADVANCE 0.1 END;
  WRITELN("waits ", S)
END;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM
  INITIAL
    S := 0; BIG := 9223372036854775807; STEP := 3;
    FOR K := 9223372036854775800 TO 9223372036854775807 DO S := S + 1;
    WRITELN("up ", S);
    FOR K := BIG - 7 TO BIG BY STEP DO S := S + 1;
    WRITELN("by ", S);
    FOR K := 2 - BIG DOWNTO 1 - BIG - 1 BY STEP DO S := S + 1;
    WRITELN("down ", S);
    FOR K := BIG TO 1 DO S := 0;
    FOR K := 1 TO 10 BY STEP DO S := S + K;
    WRITELN("plain ", S);
    S := 0; GENERATE N FOR P AT 0
  END;
  DISCRETE PROCESSES P END END
END;
END.
END
check "last integer" ends 0 timeout -k 1 20 "$cosy" run last.cosy --no-plots \
    --limit-wall 3 --backend=tcc -o dir
check "its turns" [ "$(sed 's/  */ /g' out | head -5 | tr '\n' ';')" = \
    "up 8;by 11;down 12;plain 34;waits 2;" ]

# ---- Tables
table() {
    echo "PROGRAM T; FUNCTABLE LINEAR F FROM \"$1\" COLUMNS T, U; VAR STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X' = F(X) END END; END." >table.cosy
}
mkfifo pipe
for what in /dev/zero /dev/null pipe; do
    table $what
    check "$what" ends 1 timeout -k 1 10 "$cosy" check table.cosy
    check "$what says so" says 'this is a device or a pipe, not a file'
done
truncate -s 300M long.csv
table long.csv
check "long" ends 1 timeout -k 1 10 "$cosy" check table.cosy
check "long says so" says 'longer than 256 MB'

# ---- SUNDIALS
echo "PROGRAM N; VAR REAL P; SEVENT S; STORE P;
EXPERIMENT SIMULATE FROM 0 TO 2 COMINT = 1 END;
SYSTEM CONTINUOUS CONDIT S: TIME CROSSES 1 POS END END;
  DISCRETE EVENTS S: P := P + 1 END END END;
  TERMINAL WRITELN(P:3:1) END END; END." >none.cosy
# A ball is thrown: it is back at 8 / 9.81; its speed begins next to zero.
echo "PROGRAM B; VAR STATE Y, V, Z;
EXPERIMENT SIMULATE FROM 0 TO FINISH END;
SYSTEM INITIAL V := 4; Z := 1E-310 END;
  CONTINUOUS Y' = V; V' = -9.81; Z' = 1; FINISH Y < -1E-9 END;
  TERMINAL WRITELN(TIME:7:4, Z:7:4) END END; END." >ball.cosy
for method in GEAR BDF ADAMS IDA; do
    check "$method, no states" ends 0 "$cosy" run none.cosy --no-plots \
        --backend=tcc --method $method -o dir
    check "$method, its event" grep -q '1\.0' out
    check "$method, FINISH" ends 0 "$cosy" run ball.cosy --no-plots \
        --backend=tcc --method $method -o dir
    check "$method, its time" grep -q '0\.8155 *0\.8155' out
    check "$method is silent" [ ! -s said ]
done

finish
