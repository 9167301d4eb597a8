#!/bin/sh
# What cosy check says of sound programs, and of those that cosy run refuses
# before the first step. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

# model NAME EXPERIMENT [INITIAL, TERMINAL] [DECLARATIONS] [EQUATIONS] [DISCRETE]
model()
{
    cat >"$work/$1.cosy" <<END
PROGRAM M;
$4
VAR STATE X;
EXPERIMENT
  $2
END;
SYSTEM
  $3
  CONTINUOUS X' = -X; $5 END;
  $6
END;
END.
END
}

# refused TEXT: check refuses the model "m" so, and run refuses it too.
refused()
{
    check "check: $1" ends 1 "$cosy" check "$work/m.cosy"
    check "it says so: $1" says "$1"
    check "nothing is ok: $1" [ ! -s "$work/out" ]
    if "$cosy" run --no-plots -o "$work/m.out" "$work/m.cosy" \
        >/dev/null 2>"$work/said"; then
        check "run: $1" false
    fi
}

# accepted TEXT: check says so, in one line, and run does it.
accepted()
{
    check "check: $1" ends 0 "$cosy" check "$work/m.cosy"
    check "one line: $1" [ "$(cat "$work/out")" = "$work/m.cosy: $1" ]
    check "run: $1" ends 0 "$cosy" run --no-plots -o "$work/m.out" "$work/m.cosy"
}

# ---- Sound programs
model m "SIMULATE FROM 0 TO 1"
accepted "ok, 1 state, 1 equation"
check "no dump has it" ends 0 "$cosy" check --dump=model "$work/m.cosy"
check "the dump alone" [ "$(grep -c ': ok' "$work/out")" -eq 0 ]
model m "SIMULATE FROM 0 TO 1" "" "VAR SEVENT E; REAL R; ALGEBR Y;
ARRAY [5] OF STATE Z;" "Y = 2*X; FOR I := 1 TO 5 DO Z[I]' = Y;
CONDIT E: X CROSSES 0.5 END;" "DISCRETE EVENTS E: R := X END END END;"
accepted "ok, 6 states, 7 equations, 1 event"
model m "SIMULATE FROM 0 TO 1" "" "VAR REAL R;"
accepted "ok, 1 state, 1 equation, 1 warning"
model m "SIMULATE FROM 1 TO 0"
accepted "ok, 1 state, 1 equation"
model m "INTEGRAT METHOD EULER STEP = 0.1; SIMULATE FROM 0 TO 1"
accepted "ok, 1 state, 1 equation"
model m "IF X < 1 THEN INTEGRAT STEP = 0.1;
INTEGRAT METHOD RK4; SIMULATE FROM 0 TO 1"
accepted "ok, 1 state, 1 equation"
model m "FRAME INTEGRAT STEP = 0.1; SIMULATE FROM 0 TO 1 END;
FRAME INTEGRAT METHOD GEAR; SIMULATE FROM 0 TO 1 END"
accepted "ok, 1 state, 1 equation"
model m "SIMULATE FROM 0 TO FINISH" "" "" "FINISH X < 0.5;"
accepted "ok, 1 state, 1 equation"
model m "SIMULATE FROM 0 TO 1" "INITIAL CCODE
  int k = 1; (void)k;
END END;"
accepted "ok, 1 state, 1 equation"
printf 'PROGRAM B;\nVAR STATE X;\nSYSTEM CONTINUOUS X'"'"' = 1 END END;\nEND.\n' >"$work/m.cosy"
check "without EXPERIMENT" ends 0 "$cosy" check "$work/m.cosy"
check "that is reported" grep -q 'ok, 1 state, 1 equation; without EXPERIMENT nothing can be run' "$work/out"

# ---- What this version does not run
for statement in "SIMULATE FROM 0 TO 1 REALTIME"; do
    model m "$statement"
    check "$statement is right" ends 0 "$cosy" check "$work/m.cosy"
    check "$statement is not run" says "cannot be run yet"
    check "$statement: verdict" grep -q ': ok, but it cannot be run yet, 1 warning$' "$work/out"
    check "$statement: run" ends 1 "$cosy" run "$work/m.cosy"
done

# ---- Points
model m "STEADYSTATE; LINEARIZE"
accepted "ok, 1 state, 1 equation"
model m "LINEARIZE INPUTS X"
refused "is a STATE, which the model integrates, so it cannot be an input"
model m "STEADYSTATE" "" "" "" ""
sed 's/-X;/-DELAY(X, 0.1);/' "$work/m.cosy" >"$work/d.cosy" && mv "$work/d.cosy" "$work/m.cosy"
refused "STEADYSTATE does not know DELAYs yet"

# ---- Methods and their options
model m "INTEGRAT METHOD TAYLOR; SIMULATE FROM 0 TO 1"
refused "METHOD"
model m "INTEGRAT METHOD EULER; SIMULATE FROM 0 TO 1"
refused "METHOD EULER does not choose its step"
check "with a step" ends 0 "$cosy" run --no-plots --step 0.1 -o "$work/m.out" "$work/m.cosy"
model m "INTEGRAT METHOD GEAR STEP = 0.1; SIMULATE FROM 0 TO 1"
refused "METHOD GEAR chooses its own step"
model m "INTEGRAT METHOD IDA PRECISION = QUAD; SIMULATE FROM 0 TO 1"
refused "METHOD IDA works only in PRECISION = DOUBLE"
model m "INTEGRAT RELERR = E; SIMULATE FROM 0 TO 1" "" "CONST REAL E = 1E-17;"
refused "RELERR = 1e-17 is below what PRECISION = DOUBLE can resolve"
model m "INTEGRAT RELERR = 1E-17 PRECISION = EXTENDED; SIMULATE FROM 0 TO 1"
accepted "ok, 1 state, 1 equation"

# ---- Runs
model m "SIMULATE FROM 0 TO FINISH"
refused "but there is no FINISH in the program"
model m "SIMULATE FROM T TO 0" "" "CONST REAL T = 1; VAR SAMPLE S; REAL K;" "" \
    "DISCRETE SAMPLES S EVERY 0.1: K := K + 1 END END END;"
refused "a run backward in time has no SAMPLES"
model m "SIMULATE FROM 1 TO 0" "INITIAL SCHEDULE T AT 2 END;" \
    "VAR TEVENT T; INTEGER N;" "" "DISCRETE EVENTS T: N := 1 END END END;"
refused "a run backward in time has no scheduled events"
model m "SIMULATE FROM 1 TO 0" "" "VAR PROCESS Q; DISCRETE PROCESS Q;
BEGIN ADVANCE 1 END;" "" "DISCRETE PROCESSES Q END END;"
refused "a run backward in time has no processes"
model m "SIMULATE FROM 1 TO 0" "" "VAR ALGEBR Y;" "Y = DELAY(X, 0.1);"
refused "a run backward in time has no delays"

# ---- Outside of the program
model m "SIMULATE FROM 0 TO 1" "" "FUNCTABLE LINEAR F FROM \"none.csv\" COLUMNS A, B;
VAR ALGEBR Y;" "Y = F(X);"
refused "none.csv: cannot open"
model m "SIMULATE FROM 0 TO 1" "INITIAL CCODE
  this is not C;
END END;"
refused "the C compiler"
model m "SIMULATE FROM 0 TO 1" "" "EXTERNAL FUNCTION G (REAL A): REAL IN \"nolib\";
VAR ALGEBR Y;" "Y = G(X);"
check "a library" ends 0 "$cosy" check "$work/m.cosy"
check "it is missing" says "EXTERNAL G: the library \"nolib\" is not in a folder"
check "run wants it" ends 3 "$cosy" run "$work/m.cosy"
: >"$work/libnolib.so"
COSY_LIBRARIES=$work
export COSY_LIBRARIES
check "a library that is there" ends 0 "$cosy" check "$work/m.cosy"
check "no message" [ ! -s "$work/said" ]

finish
