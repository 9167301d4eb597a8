#!/bin/sh
# cosy output: OUTPUT on results that are there. Unchanged it gives the same bytes;
# changed it shows what was recorded, and nothing else. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
source=$(cd "$COSY_SOURCE" && pwd)
cd "$work" || exit 1

# ---- The same OUTPUT, or none: events, queues, histograms, frames, slides, SAVEd
# runs, analyses, another precision.
for model in barbershop-processes bouncing-ball friction vanderpol pilot; do
    file=$source/examples/$model/model.cosy
    [ -f "$file" ] || continue
    cp "$file" "$model.cosy"
    "$cosy" run "$model.cosy" -o "$model" --quiet >out 2>said
    cp -r "$model" "$model.was"
    check "$model" ends 0 "$cosy" output "$model.cosy" -o "$model" --quiet
    check "$model: the same bytes" diff -r "$model.was" "$model"
done
for model in analysis/operations sliding/quad; do
    name=$(basename $model)
    cp "$source/tests/sim/$model.cosy" "$name.cosy"
    "$cosy" run "$name.cosy" -o "$name" --quiet >out 2>said
    cp -r "$name" "$name.was"
    check "$name" ends 0 "$cosy" output "$name.cosy" -o "$name"
    check "$name: the same bytes" diff -r "$name.was" "$name"
done

# ---- Another one.
cat >first.cosy <<'END_OF'
PROGRAM FIRST;
TIMEUNIT [min];
CONST INTEGER SIZE = 2;
VAR STATE X [m], V [m/min]; REAL K [1/min^2]; INTEGER N; SEVENT DOWN;
  ARRAY [SIZE] OF REAL A;
STORE X, A;
EXPERIMENT
  PARAMETER K = (1, 4, 9);
  INITCOND X = 1 [m];
  SIMULATE FROM 0 TO 10 COMINT = 0.1
END;
SYSTEM
  CONTINUOUS X' = V; V' = -K*X; CONDIT DOWN: X CROSSES 0 NEG END END;
  DISCRETE EVENTS DOWN: V := 0.9*V; N := N + 1; A[1] := N END END END;
  TERMINAL IF N <> 3 THEN SAVE; CROSSPLOT END
END;
OUTPUT TITLE "first"; GRAPH (1): X; LIST (CROSSF): K, N END
END.
END_OF
change() {
    sed "/^OUTPUT/,\$d" first.cosy >next.cosy
    printf '%s\nEND.\n' "$1" >>next.cosy
}
check "a run" ends 0 "$cosy" run first.cosy --set SIZE=3 -o r --format=svg,png
check "SAVEd runs are known" grep -q '^ "saved": \[' r/summary.json
cp -r r was
change 'OUTPUT TITLE "second";
  LIST (2): N; GRAPH (ALL): X; SPECTRUM (2): X; COMPARE (1, 2): X, A END (* so *)'
sed 's/^STORE X, A;/STORE X,   A; (* a comment *)/' next.cosy >n && mv n next.cosy
check "only OUTPUT is new" ends 3 "$cosy" output next.cosy -o r
check "what lacks" says "r/run-0001.csv has no column for N"
check "nothing has changed" diff -r was r
change 'OUTPUT TITLE "second";
  LIST (2): X; GRAPH (ALL): X; SPECTRUM (2): X; COMPARE (1, 2): X, A END'
check "what is there" ends 0 "$cosy" output next.cosy -o r
check "a table" prints "second"
check "of the second SAVEd run" [ -n "$(sed -n '/"saved": \[1, 3\]/p' r/summary.json)" ] &&
    check "is run 3" prints "run 3"
check "says so" prints "OUTPUT in r/ is new; nothing was run"
check "the runs are as they were" cmp r/run-0002.csv was/run-0002.csv
check "and their events" cmp r/events-0003.csv was/events-0003.csv
check "curves" [ -s r/spectrum-0001.csv ]
check "of the run's size" grep -q 'A\[3\]' r/comparison-0002.csv
check "signals" grep -q '"kind": "comparison"' r/summary.json
check "the text that was shown" grep -q \
    "\"output_sha256\": \"$(sha256sum <next.cosy | cut -d ' ' -f 1)\"" r/summary.json
check "other pictures" [ -s r/plots/01-second.png ]
check "none of the old" [ ! -e r/plots/01-first.svg ]
check "the page has it" grep -q '<figcaption id="g1">second' r/report.html
check "a reader of JSON" "$cosy" explain r >out
check "once more" ends 0 "$cosy" output next.cosy -o r
check "back" ends 0 "$cosy" output first.cosy -o r
check "the same bytes as at first" diff -r was r

# ---- What it refuses.
sed 's/K\*X/K*X*2/' first.cosy >other.cosy
check "other equations" ends 3 "$cosy" output other.cosy -o r
check "says so" says "only OUTPUT may have changed"
check "nothing has changed" diff -r was r
check "but if told to" ends 0 "$cosy" output other.cosy -o r --force
check "with a warning" says "has other equations than the model that made r"
check "no results" ends 3 "$cosy" output first.cosy -o nowhere
check "says so" says "there are no results"
mkdir mine && echo mine >mine/letter.txt
check "somebody's folder" ends 3 "$cosy" output first.cosy -o mine
check "says so" says "this is not what cosy run leaves"
echo '{"runs": [' >mine/summary.json
check "half a summary" ends 3 "$cosy" output first.cosy -o mine
check "it is as it was" [ "$(cat mine/letter.txt)" = mine ]
check "no model" ends 3 "$cosy" output nomodel.cosy -o r
check "no words" ends 3 "$cosy" output
sed 's/GRAPH (1): X/GRAPH (1): NOTHERE/' first.cosy >bad.cosy
check "a wrong OUTPUT" ends 1 "$cosy" output bad.cosy -o r

# ---- Results that somebody has touched.
damaged() {
    rm -rf d
    cp -r was d
    sed "$1" was/run-0001.csv >d/run-0001.csv
    check "$2" ends "$3" "$cosy" output first.cosy -o d
    check "$4" says "$4"
}
damaged '5s/,/,x/' "a text" 3 "line 5 of run-0001.csv has a cell that is not a number"
damaged '7s/,.*//' "a short line" 3 "line 7 of run-0001.csv does not have as many cells"
damaged '1s/TIME/WHEN/' "no TIME" 3 "does not begin with TIME"
damaged '1s/X \[m\]/X [mm]/' "another unit" 3 "has no column for X [m]"
rm -rf d && cp -r was d && rm d/run-000?.csv
check "no rows" ends 0 "$cosy" output first.cosy -o d
check "says so" says "there are no records of run (1)"

# ---- An untrusted model is not loaded.
check "an untrusted run" ends 0 "$cosy" run first.cosy --untrusted -o u
check "its results" ends 3 "$cosy" output first.cosy -o u
check "says so" says "--untrusted"

finish
