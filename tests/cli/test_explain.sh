#!/bin/sh
# cosy explain: what summary.json has, in words. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
features=$COSY_SOURCE/tests/sim/features
cd "$work"

check "run" ends 0 "$cosy" run "$features/vanderpol.cosy" -o vdp
check "explain" ends 0 "$cosy" explain vdp
check "how it ended" grep -q 'Run 1 went from 0 to 10, to its end' out
check "method" grep -q 'DOPRI5 made [0-9]* steps' out
check "unstable share" grep -q 'During 72.3 % of the time' out
check "unstable interval" grep -q '^    from 0.159038 to 2.55964$' out
check "critical state" grep -q 'Y: 1*[0-9]* %' out
check "fits" [ -z "$(awk 'length > 80' out)" ]

check "the file itself" ends 0 "$cosy" explain vdp/summary.json
check "nothing there" ends 3 "$cosy" explain nowhere
check "what is missing" grep -q 'no results of cosy run' said
echo '{"runs": [}' >broken.json
check "broken" ends 3 "$cosy" explain broken.json
check "it says so" grep -q 'not a summary.json' said
mkdir half gone
head -c 500 vdp/summary.json >half/summary.json
check "half of a file" ends 3 "$cosy" explain half
check "it was cut off" grep -q 'ends in the middle' said
: >half/summary.json
check "an empty file" ends 3 "$cosy" explain half
check "it is empty" grep -q 'this file is empty' said
check "an empty folder" ends 3 "$cosy" explain gone
check "it has no summary" grep -q 'no summary.json' said
echo '{"runs": []}' >none.json
check "no runs" ends 0 "$cosy" explain none.json
check "nothing was simulated" grep -q 'Nothing was simulated' out
echo '{"program": 1, "runs": [{"features": 3, "ranges": {}, "sliding": 0}, 4]}' \
    >odd.json
check "another shape" ends 0 "$cosy" explain odd.json
echo '{"runs": [{"features": {"unsupported": {"modes": [1, {"states": {}}]}}}],
    "optimum": [{"unsupported": {"parameters": [1, "P"], "directions": [2]}}]}' \
    >odd.json
check "and another" ends 0 "$cosy" explain odd.json
check "run" ends 0 "$cosy" run "$features/unsupported.cosy" -o rich
check "explain" ends 0 "$cosy" explain rich
check "the slow motion" grep -q '^    eigenvalue -0.5 (decays within 2 s), carried by SLOW$' out
check "what stays" grep -q '^    eigenvalue 0 (neither decays nor grows), carried by TANK$' out
check "a pair" grep -q '^    eigenvalue -0.1 + 3i (decays within 10 s), carried by U (50 %), V (50 %)$' out
check "richer" grep -q 'The model is richer than its data, which do not support:' out
check "which motions" grep -q 'carried by TANK, SLOW, U' out
check "run" ends 0 "$cosy" run "$features/../fit/unsupported.cosy" -o fitted
check "explain" ends 0 "$cosy" explain fitted
check "which parameters" grep -q '^    FIT (line [0-9]*): the parameters A, B, IDLE; of A, B only a' out
check "the page says it" grep -q 'The model and its data</h2>' fitted/report.html
check "run" ends 0 "$cosy" run "$features/../analysis/reduce.cosy" -o small
check "explain" ends 0 "$cosy" explain small
check "what is left out" grep -q '^    -3, carried by FAST$' out
check "fits" [ -z "$(awk 'length > 80' out)" ]
check "no argument" ends 3 "$cosy" explain

# What neither grows nor decays keeps its errors; what decays for long enough
# does not.
bells=$COSY_SOURCE/tests/sim/bells
"$cosy" run "$bells/errors-undamped.cosy" -o undamped >out 2>said
"$cosy" explain undamped >out 2>said
check "undamped" grep -q 'during 100 % of the time some motion' out
check "undamped errors stay" grep -q 'errors in it stay' out
check "undamped errors do not die out" [ -z "$(grep 'die out' out)" ]
"$cosy" run "$bells/errors-decay.cosy" -o decay >out 2>said
"$cosy" explain decay >out 2>said
check "short decay" grep -q 'the slowest motion decayed only to' out
check "short decay keeps errors" [ -z "$(grep 'die out' out)" ]
"$cosy" run "$bells/errors-decay.cosy" --to 2 -o decay >out 2>said
"$cosy" explain decay >out 2>said
check "long decay" grep -q '(FF5 = 0): errors die out' out

# The bells are the same from a snapshot.
continue_bell() {
    "$cosy" run "$1" -o whole >out 2>said
    grep -v '"wall_s"\|"provenance"' whole/summary.json >whole.json
    mv said said.whole
    "$cosy" run "$1" -o part --save image --save-at "$2" >out 2>said
    "$cosy" run "$1" -o part --restore image >out 2>said
    grep -v '"wall_s"\|"provenance"' part/summary.json >part.json
    check "$1 from a snapshot" cmp whole.json part.json
    check "$1 rings from a snapshot" cmp said said.whole
    check "$1 rings" grep -q "$3" said
}
continue_bell "$bells/errors-saddle.cosy" 2 'errors have grown'
continue_bell "$bells/errors-undamped.cosy" 20 'errors have grown'
continue_bell "$bells/creeps-dopri5.cosy" 0.1401014943 'is getting nowhere'

cp "$COSY_SOURCE/bench/ball.cosy" events.cosy
"$cosy" run events.cosy >out 2>said
"$cosy" explain events.out >out 2>said
check "events" grep -q 'Events: [0-9]* state event' out
# METHOD AUTO: in words; to the same bytes again, also from a snapshot.
auto=$COSY_SOURCE/tests/sim/auto/rich.cosy
for k in 1 2; do
    "$cosy" run "$auto" -o rich$k >out 2>said
    grep -v wall_s rich$k/summary.json >rich$k.json
done
check "the same again" cmp rich1.json rich2.json
"$cosy" explain rich1 >out 2>said
check "the choice" grep -q 'AUTO: RELERR 1e-06 (medium), stiffness' out
check "the choice fits" [ -z "$(awk 'length > 80' out)" ]
"$cosy" run "$auto" -o rich3 --save image --save-at 5 >out 2>said
"$cosy" run "$auto" -o rich4 --restore image >out 2>said
for k in 1 4; do # which tells where it began
    grep -v '"wall_s"\|"provenance"' rich$k/summary.json >rich$k.json
done
check "from a snapshot" cmp rich1.json rich4.json


# ---- A model: the events that its processes become
cat >"$work/parts.cosy" <<'TEXT'
PROGRAM PARTS;
VAR PROCESS P, Q; FACILITY F; STORAGE S CAPACITY 2; GATE G; SIGNAL H; INTEGER N, K;
DISCRETE PROCESS P;
BEGIN
  IF N > 1 THEN SEIZE F ELSE PASS G;
  CASE N OF 1: ENTER S END; ELSE WAITSIG H END;
  WHILE N < 3 DO WAIT UNTIL N > 2;
  SPLIT 2; JOIN 3; ADVANCE 1.5
END;
DISCRETE PROCESS Q; BEGIN N := N + 1 END;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM INITIAL GENERATE K FOR Q END; DISCRETE PROCESSES P; Q END END END;
END.
TEXT
check "a model" ends 0 "$cosy" explain "$work/parts.cosy"
for part in "Line 5: SEIZE F" "Line 5: PASS G" "Line 6: ENTER S" \
    "Line 6: WAITSIG H" "Line 7: WAIT UNTIL N > 2" "Line 8: SPLIT 2" \
    "Line 8: JOIN 3" "Line 8: ADVANCE 1.5" "continues at once if F is free" \
    "or at the time of its" "No statement waits"; do
    check "$part" prints "$part"
done
sed 's/SEIZE F/SEIZE S/' "$work/parts.cosy" >"$work/wrong.cosy"
check "a wrong model" ends 1 "$cosy" explain "$work/wrong.cosy"
check "is reported" says "SEIZE needs a FACILITY"
check "no model" ends 3 "$cosy" explain "$work/none.cosy"
finish
