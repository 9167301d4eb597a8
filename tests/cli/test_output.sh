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
for model in analysis/operations sliding/quad statistics/quantiles search/nested; do
    name=$(basename $model)
    cp "$source/tests/sim/$model.cosy" "$name.cosy"
    "$cosy" run "$name.cosy" -o "$name" --quiet >out 2>said
    cp -r "$name" "$name.was"
    check "$name" ends 0 "$cosy" output "$name.cosy" -o "$name"
    check "$name: the same bytes" diff -r "$name.was" "$name"
done

# ---- Studies: tables, pictures over parameters, families of curves, means and
# histograms of replications, searches, runs that fail, several tables.
cat >study.cosy <<'END_OF'
PROGRAM STUDY;
VAR STATE X [m], V [m/s]; REAL K [1/s^2], D [1/s], PEAK [m], N; SEVENT TOP;
STORE X;
EXPERIMENT
  FRAME
    SWEEP K = LIN 1 TO 4 POINTS 5, D = LIN 0 TO 0.6 POINTS 4;
    INITCOND X = 1 [m]; SIMULATE FROM 0 TO 10 [s] COMINT = 0.5
  END;
  FRAME
    PARAMETER K = 2 [1/s^2]; INITCOND X = (1, 2, 1000);
    SIMULATE FROM 0 TO 5 [s] COMINT = 0.5
  END
END;
SYSTEM
  CONTINUOUS X' = V; V' = -K*X - D*V; CONDIT TOP: V CROSSES 0 NEG END END;
  DISCRETE EVENTS TOP: PEAK := X; N := N + 1 END END END;
  TERMINAL IF X > 100 [m] THEN ERROREXIT 1 "too far" END
END;
END.
END_OF
cat >means.cosy <<'END_OF'
PROGRAM MEANS;
VAR REAL X, W; STATE Y; RANDOM R; REAL P; TEVENT TICK;
STORE Y;
EXPERIMENT
  RANDOMGEN R: EXPOND AVTIM = 1 SEED = 3 END;
  COLLECT QUANTILES W END; HISTOGRAM W: 10 CELLS END;
  PARAMETER P = (1, 2, 3);
  REPLICATE 6; SIMULATE FROM 0 TO 20 COMINT = 0.5
END;
SYSTEM
  INITIAL SCHEDULE TICK AT 0 END;
  CONTINUOUS Y' = X - P*Y END;
  DISCRETE EVENTS TEVENTS:
    TICK: X := R; W := X; SCHEDULE TICK AT TIME + 1 END END END END;
END;
OUTPUT TITLE "a"; GRAPH (1): Y; GRAPH (MEAN): Y; TITLE "b"; BARS: W; BARS (2): W;
  GRAPH VERSUS P: W, Y; PLOT (MEAN): Y END
END.
END_OF
sed 's/REPLICATE 6;/& INTEGRAT PRECISION = QUAD;/' means.cosy >means-quad.cosy
sed '/^OUTPUT/,/ END$/d' means.cosy >means-plain.cosy
sed 's/^END\.$/OUTPUT GRAPH VERSUS K: PEAK; GRAPH (ALL): X END\n&/' study.cosy >study-shown.cosy
same() {
    rm -rf one one.was
    "$cosy" run "$@" -o one --quiet >out 2>said
    cp -r one one.was
    check "$* is shown" ends 0 "$cosy" output "$1" -o one --quiet
    check "$*: the same bytes" diff -r one.was one
}
same study.cosy
check "it has studies" grep -q '^ "studies": \[{"frame": 1, "run": 1, "elements": 20' \
    one/summary.json
check "and runs that failed" grep -q '"unfinished": \[{"run": 23, "stopped": 0, "failed": 1}\]' \
    one/summary.json
same study-shown.cosy
same study-shown.cosy --set D=0.1
same means.cosy
same means-quad.cosy
same means-plain.cosy --format=png

# A study shown otherwise: the pictures are those of a run with that OUTPUT.
over() {
    sed '/^OUTPUT/,$d; /^END\.$/d' "$1.cosy" >"$1-next.cosy"
    printf 'OUTPUT %s END\nEND.\n' "$2" >>"$1-next.cosy"
}
"$cosy" run study.cosy -o s --quiet >out 2>said
cp -r s s.was
over study 'TITLE "second"; GRAPH VERSUS K, D: PEAK; GRAPH VERSUS D: PEAK, X; GRAPH (3): X;
  PLOT VERSUS K: N; GRAPH (ALL): X'
check "another OUTPUT" ends 0 "$cosy" output study-next.cosy -o s
check "in characters" prints 'D = 0.6'
"$cosy" run study-next.cosy -o s.run --quiet >out 2>said
check "the pictures of a run" diff -r s.run/plots s/plots
check "the table is as it was" cmp s.was/sweep.csv s/sweep.csv
check "the answer" grep -q '<section id="answer">' s/report.html
over study 'GRAPH VERSUS K: V'
check "what was not recorded" ends 3 "$cosy" output study-next.cosy -o s
check "says so" says 's/sweep.csv has no column for V: when these runs were made'
check "back" ends 0 "$cosy" output study.cosy -o s --quiet
check "the same bytes as at first" diff -r s.was s

# Means of replications stay with their line, and only with it.
"$cosy" run means.cosy -o m --quiet >out 2>said
over means 'GRAPH VERSUS P: W; TITLE "a"; GRAPH (MEAN): Y; GRAPH (MEAN): X; BARS: W'
check "other lines" ends 0 "$cosy" output means-next.cosy -o m
check "the mean that is new" says '(MEAN): means over replications are drawn by cosy run only'
check "the histogram with another title" says 'histograms of replications are drawn by cosy run only'
check "the mean that is there" grep -q '<figcaption id="g2">a<' m/report.html
check "its picture" [ -s m/plots/02-a.svg ]
check "a new one before it" [ -s m/plots/01-w-over-p.svg ]
check "no other" [ "$(ls m/plots | wc -l)" = 4 ]

# Uncertain parameters, also if a run ends the EXPERIMENT among them, and searches.
cat >unsure.cosy <<'END_OF'
PROGRAM UNC;
CONST REAL LIMIT = 0.0;
VAR STATE X; REAL K, HALF, W; RANDOM R;
STORE X;
EXPERIMENT
  FRAME
    RANDOMGEN R: UNIFORMD MIN = 0 MAX = 1 END;
    UNCERTAIN 16 INDICES SEED = 2: K: LOGNORMD MEAN = 0 SD = 0.2; X: NORMALD MEAN = 2 SD = 0.1 END;
    SIMULATE FROM 0 TO 1 COMINT = 0.25
  END;
  FRAME
    RANDOMGEN R: UNIFORMD MIN = 0 MAX = 1 END;
    UNCERTAIN 8 LATIN: K: UNIFORMD MIN = 1 MAX = 2 END;
    INITCOND X = 1; REPLICATE 2;
    SIMULATE FROM 0 TO 1 COMINT = 0.25
  END
END;
SYSTEM
  INITIAL HALF := LOG(2)/K; W := R END;
  CONTINUOUS X' = -K*X END;
  TERMINAL IF HALF < LIMIT THEN ERROREXIT 1 "too short" END
END;
END.
END_OF
cat >best.cosy <<'END_OF'
PROGRAM SEA;
VAR STATE X; REAL K, F, G, Q; STORE X;
EXPERIMENT
  MINIMIZE F: K := 1 IN 0.1 .. 3; END;
    INITCOND X = 1;
    SIMULATE FROM 0 TO 1 COMINT = 0.25;
    F := (X - 0.3)^2
  END;
  SOLVE X = 0.5: K := 1 IN 0.1 .. 3; END;
    INITCOND X = 1;
    SIMULATE FROM 0 TO 1 COMINT = 0.25
  END;
  MAXIMIZE G: Q := 0.5 IN 0 .. 2, K := 0.5 IN 0.1 .. 2; SUBJECT TO Q + K <= 2 END END;
    INITCOND X = Q;
    SIMULATE FROM 0 TO 1 COMINT = 0.25;
    G := Q*X*K
  END
END;
SYSTEM CONTINUOUS X' = -K*X END END;
END.
END_OF
for model in unsure best; do
    sed 's/^END\.$/OUTPUT TITLE "a"; GRAPH (ALL): X; GRAPH VERSUS K: X END\n&/' $model.cosy \
        >$model-shown.cosy
    same $model.cosy
    same $model-shown.cosy
done
same unsure.cosy --set LIMIT=0.45
check "which ended among them" grep -q '"elements": 64, "rows": 54,.* "sampled": true' one/summary.json
"$cosy" run unsure.cosy -o u --quiet >out 2>said
over unsure 'TITLE "b"; GRAPH (70): X; LIST (70): X; GRAPH VERSUS K: W'
check "other lines of uncertain parameters" ends 0 "$cosy" output unsure-next.cosy -o u
check "a table of one run" prints "run 70"
check "a picture of it" grep -q '<figcaption id="g1">b' u/report.html
check "the distributions stay" sh -c 'ls u/plots/*-distribution-of-half.svg'
check "and what was found of them" grep -q '^ "uncertainty": ' u/summary.json
"$cosy" run best.cosy -o b --quiet >out 2>said
over best 'TITLE "b"; GRAPH (3): X; LIST (2): X'
check "other lines of searches" ends 0 "$cosy" output best-next.cosy -o b
check "a table of the second" prints "run 2"
"$cosy" run best-next.cosy -o b.run --quiet >out 2>said
check "the pictures of a search" diff -r b.run/plots b/plots
check "and all its trials" cmp b.run/search-0003.csv b/search-0003.csv

# A part, and tables that somebody has touched.
check "a part" ends 0 "$cosy" run study.cosy --frame 1 --chunk 1/2 -o part --quiet
check "is refused" ends 3 "$cosy" output study.cosy -o part
check "says why" says 'part: this is a part of a study'
touched() {
    rm -rf d
    cp -r s.was d
    sed "$1" s.was/sweep.csv >d/sweep.csv
    check "sweep.csv: $1" ends 3 "$cosy" output study.cosy -o d
    check "$2" says "$2"
}
touched '4d' 'it is not as cosy run has written it'
touched '$p' 'do not fit each other'
touched '1s/PEAK/PEEK/' 'do not fit each other'
touched '5s,finished.1.,&x,' 'line 5 of sweep.csv has a cell that is not a number'
touched '5s/^[^,]*/-1/' 'line 5 of sweep.csv has a cell that is not a whole number'
touched '6s/,.*//' 'line 6 of sweep.csv does not have as many cells'
touched '1s/run/ran/' 'does not begin with run'

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
