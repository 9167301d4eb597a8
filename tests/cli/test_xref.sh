#!/bin/sh
# cosy xref: every name with its places, by hand. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

cat >"$work/m.cosy" <<'END'
PROGRAM LISTED;
MACRO TANK (Q <- INFLOW);
  MACVAR STATE LEVEL [m]; REAL K;
  MACCONTIN
    LEVEL' = INFLOW - Q;
    Q = K*LEVEL
  MACEND
MACEND;
MACRO TWO (Q <- INFLOW);
  MACVAR ALGEBR M;
  TANK A (M <- INFLOW);
  TANK (Q <- M)
MACEND;
CONST INTEGER N = 3;
TYPE JOB = RECORD REAL CAME; INTEGER KIND END;
VAR ARRAY [N] OF STATE Z; FILE OF JOB: LINE; REAL T, S; INTEGER NR;
  TEVENT TICK; SEVENT LOW; SAMPLE SA; PROCESS VISIT; RANDOM GAP;
  ALGEBR Q1, Q2;
STORE B.LEVEL, Z;
PROCEDURE ADDS (REAL A; VAR REAL B); VAR REAL H; BEGIN H := A; B := B + H END;
DISCRETE PROCESS VISIT;
BEGIN
  GENERATE NR FOR VISIT AT TIME + GAP
END;
EXPERIMENT
  RANDOMGEN GAP: EXPOND MEAN = 2 END;
  COLLECT T END;
  INITCOND B.LEVEL = 1;
  PARAMETER B.K = (1, 2);
  SWEEP S = LIN 1 TO 2 POINTS 2;
  SIMULATE FROM 0 TO 3
END;
SYSTEM
  INITIAL SCHEDULE TICK AT 1; ADDS(T, S); GENERATE NR FOR VISIT END;
  CONTINUOUS
    TANK B (Q1 <- 2);
    TWO DUE (Q2 <- Q1);
    FOR I := 1 TO N DO Z[I]' = -Z[I] + T;
    CONDIT LOW: Z[1] CROSSES 0.5 NEG END
  END;
  DISCRETE
    EVENTS
      LOW: T := 2*T END;
      TEVENTS: TICK:
        INSERT LINE WHERE CAME := TIME; KIND := NR END;
        T := LINE.1.CAME
      END END
    END;
    SAMPLES SA EVERY 1: S := SUM (J := 1 TO N : Z[J]) END END;
    PROCESSES VISIT END
  END;
  TERMINAL WRITELN(S, DUE.A.LEVEL) END
END;
OUTPUT GRAPH: B.LEVEL; LIST: Z END
END.
END
check "it is listed" ends 0 "$cosy" xref "$work/m.cosy"
check "no message" [ ! -s "$work/said" ]
check "within 80 columns" [ -z "$(awk 'length > 80' "$work/out")" ]
cp "$work/out" "$work/list"

# lists NAME WHAT LINES: the lines below the name; empty ones are left away.
lists()
{
    sed -n "/^$1, $2\$/,/^[^ ]/p" "$work/list" | sed -n 's/^  *//p' |
        tr -s ' \n' ' ' | sed 's/ $//' >"$work/found"
    [ "$(cat "$work/found")" = "$3" ] && return 0
    cat "$work/found"
    return 1
}

check "a record" lists JOB RECORD "declared 15 read 16 declaration"
check "an attribute" lists CAME "attribute of RECORD JOB" \
    "declared 15 set 45 INSERT read 46 event TICK"
check "a constant" lists N CONST \
    "declared 14 read 16 declaration, 38 CONTINUOUS, 49 sample SA"
check "an array of states" lists Z STATE \
    "declared 16 set 38 equation read 19 STORE, 38 equation, 39 CONDIT, 49 sample SA, 54 LIST"
check "a state event" lists LOW "state event (SEVENT)" \
    "declared 17 set 39 CONDIT, 43 body"
check "a time event" lists TICK "time event (TEVENT)" \
    "declared 17 set 34 SCHEDULE, 44 body"
check "a process" lists VISIT PROCESS \
    "declared 17 set 21 body read 23 GENERATE, 34 GENERATE, 50 PROCESSES"
check "a random variable" lists GAP "RANDOM variable" \
    "declared 17 set 26 RANDOMGEN read 23 GENERATE"
check "a VAR formal" lists S "REAL variable" \
    "declared 16 set 30 SWEEP, 34 INITIAL, 49 sample SA read 52 TERMINAL"
check "set and read in a line" lists T "REAL variable" \
    "declared 16 set 43 event LOW, 46 event TICK read 27 COLLECT, 34 INITIAL, 38 equation, 43 event LOW"
check "a local of a routine" lists H "REAL variable of PROCEDURE ADDS" \
    "declared 20 set 20 PROCEDURE ADDS read 20 PROCEDURE ADDS"
check "an index" lists J "variable of a loop" "declared 49 read 49 sample SA"
check "a local of a call" lists B.LEVEL "STATE \[m\]" \
    "declared 3 (call 36) set 5 equation (call 36), 28 INITCOND read 6 equation (call 36), 19 STORE, 54 GRAPH"
check "two calls deep" lists DUE.A.LEVEL "STATE \[m\]" \
    "declared 3 (call 37, 11) set 5 equation (call 37, 11) read 6 equation (call 37, 11), 52 TERMINAL"
check "an actual" lists Q1 ALGEBR \
    "declared 18 set 6 equation (call 36) read 5 equation (call 36), 5 equation (call 37, 11)"
check "a macro" lists TANK MACRO \
    "declared 2 read 11 call (call 37), 12 call (call 37), 36 call"
check "a call" lists DUE "call of MACRO TWO" "declared 37"
check "nothing that is predefined" [ "$(grep -c '^TIME' "$work/list")" -eq 0 ]
check "in order" [ "$(grep -v '^ ' "$work/list" | sed 's/,.*//')" = \
    "$(grep -v '^ ' "$work/list" | sed 's/,.*//' | LC_ALL=C sort -f)" ]

# ---- JSON
check "JSON" ends 0 "$cosy" xref --json "$work/m.cosy"
check "a name" prints '{"name": "B.LEVEL", "what": "STATE", "unit": "m",'
check "its places" prints '"set": [{"line": 5, "place": "equation", "calls": [36]}, {"line": 28, "place": "INITCOND", "calls": []}]'

# ---- Wrong use
check "no model" ends 3 "$cosy" xref
check "two models" ends 3 "$cosy" xref "$work/m.cosy" "$work/m.cosy"
check "no such option" ends 3 "$cosy" xref --some "$work/m.cosy"
check "no such file" ends 3 "$cosy" xref "$work/none.cosy"
echo 'PROGRAM P; VAR REAL X; SYSTEM INITIAL X := Y END END; END.' >"$work/bad.cosy"
check "a mistake" ends 1 "$cosy" xref "$work/bad.cosy"
check "it is reported" says '`Y` is not declared'
check "nothing is listed" [ ! -s "$work/out" ]

finish
