#!/bin/sh
# What the program says to whoever calls it wrongly. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

check "a model alone" ends 3 "$cosy" shop.cosy
check "what to write" says 'shop.cosy is a model: cosy run shop.cosy runs it'
check "another verb" ends 3 "$cosy" simulate shop.cosy
check "the verb" says 'unknown command simulate: cosy run MODEL runs a model'
check "a slip" ends 3 "$cosy" formt shop.cosy
check "the word" says 'unknown command formt: did you mean cosy format?'
check "a word of SimPy" ends 3 "$cosy" doc yield
check "the words for it" says 'no topic yield: write what it waits for: ADVANCE'
check "a word of Arena" ends 0 "$cosy" doc resource
check "its page" grep -q '^seize - facilities' "$work/out"
check "a word of queueing" ends 0 "$cosy" doc renege
check "another page" grep -q '^wait - waiting for a condition' "$work/out"

for how in --help -h help "run --help" "check shop.cosy --help"; do
    check "cosy $how" ends 0 "$cosy" $how
    check "cosy $how helps" grep -q '^cosy .*simulation$' "$work/out"
done

cat >"$work/habits.cosy" <<END
PROGRAM HABITS;
VAR RANDOM GAP; PROCESS P SERVER; ARRAY [2] OF REAL W; INTEGER N; SIGNAL S;
DISCRETE PROCESS P;
BEGIN
  W[1] := GAP; W[2] := GAP;
  N := N + 1;
  WAITSIG S
END;
EXPERIMENT
  COLLECT W END;
  RANDOMGEN GAP: EXPOND MEAN = 1 END;
  SIMULATE FROM 0 TO 1
END;
SYSTEM
  INITIAL N := 0 END;
  DISCRETE PROCESSES P END END
END;
OUTPUT BARS: W[2] END
END.
END
check "BARS of no HISTOGRAM" ends 0 "$cosy" run --no-plots -o "$work/habits.d" "$work/habits.cosy"
check "BARS names it" says 'BARS: W[2] has no HISTOGRAM in the run that is shown'
check "no stay has no largest" grep -q '^  P  *1  *1  *1  *1  *-  *-$' "$work/out"
sed 's/  COLLECT/  REPLICATE WITHIN 1E-9 OF W[2] MAX 6; COLLECT/' "$work/habits.cosy" >"$work/within.cosy"
check "WITHIN of an element" ends 0 "$cosy" run --no-plots -o "$work/habits.d" "$work/within.cosy"
check "WITHIN names it" says 'REPLICATE WITHIN 1e-09 OF W[2]: the half width'
sed 's/  COLLECT/  PARAMETER N = (1, 2); HISTOGRAM W: 4 CELLS END; COLLECT/
    s/INITIAL N := 0 END;//' "$work/habits.cosy" >"$work/bars.cosy"
check "BARS of one of several runs" ends 0 "$cosy" run --no-plots -o "$work/habits.d" "$work/bars.cosy"
check "BARS names the run" grep -q '^  run 2: N=2$' "$work/out"

cat >"$work/draw.cosy" <<END
PROGRAM DRAW;
VAR RANDOM GAP; PROCESS P; STORAGE S CAPACITY 2; REAL X;
DISCRETE PROCESS P; BEGIN X := GAP; LEAVE S END;
EXPERIMENT RANDOMGEN GAP: EXPOND MEAN = 1 END; SIMULATE FROM 0 TO 1 END;
SYSTEM DISCRETE PROCESSES P END END END;
END.
END
check "set twice" ends 3 "$cosy" run "$work/draw.cosy" --set A=3 --set a=4
check "set twice is reported" says '--set a is given twice: a name has one value'
printf 'PROGRAM BARE;\nVAR STATE X;\nSYSTEM CONTINUOUS\n  X'"'"' = 1\nEND END;\nEND.\n' >"$work/bare.cosy"
check "no EXPERIMENT" ends 1 "$cosy" run "$work/bare.cosy"
check "no EXPERIMENT is reported" says 'bare.cosy:6:4: error: BARE has no EXPERIMENT'
check "no EXPERIMENT is sound" ends 0 "$cosy" check "$work/bare.cosy"
check "a RANDOM is set" ends 3 "$cosy" run "$work/draw.cosy" --set GAP=3
check "what to set" says '--set GAP: it is RANDOM: let its distribution depend'
check "one unit" ends 2 "$cosy" run "$work/draw.cosy" -o "$work/draw"
check "it is one" says 'LEAVE S: 1 unit: 0 of the storage are in use'

# --set gives a value: the warning that nothing does is for others.
cat >"$work/given.cosy" <<END
PROGRAM GIVEN;
VAR STATE X; REAL K, L; ARRAY [2] OF REAL A;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X' = K + L + A[1] + A[2] END END;
END.
END
check "given" ends 0 "$cosy" run "$work/given.cosy" --set k=2 --set A[2]=3 \
    -o "$work/given"
check "not given" says '`L` is used but never given a value'
check "by name" [ -z "$(grep '`K` is used but' "$work/said")" ]
check "by element" [ -z "$(grep '`A` is used but' "$work/said")" ]

finish
