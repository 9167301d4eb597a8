#!/bin/sh
# A run is done again from what its summary.json says, and compared: the same,
# or what has changed and which number differs first. Provenance is the same
# bytes for the same run, and knows every input. Whatever a summary.json says,
# nothing is written outside the new results. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
TMPDIR=$work/tmp
export COSY_CACHE COSY_LIBRARY TMPDIR
mkdir "$work/tmp" "$work/place" "$work/place/models"
cd "$work/place" || exit 1

# hashed KIND NAME FILE RESULTS: it is among the inputs, with its hash.
hashed() {
    sum=$(sha256sum <"$3" | cut -d ' ' -f 1)
    grep -q -F "{\"kind\": \"$1\", \"name\": \"$2\", \"sha256\": \"$sum\"}" \
        "$4/summary.json" && return 0
    grep provenance "$4/summary.json"
    return 1
}

printf 'x,y\n0,1\n1,3\n2,5\n' >models/points.csv
echo 'MACRO TWICE (Y <- X); Y = 2*X MACEND;' >twice.cosy
check "a library" ends 0 "$cosy" lib add twice.cosy
cat >models/m.cosy <<'END'
PROGRAM M;
INVOKE TWICE;
FUNCTABLE LINEAR F FROM "points.csv" COLUMNS X, Y;
CONST REAL K = 1;
VAR STATE X; ALGEBR Y; TEVENT E; STORE X, Y;
EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.25 END;
SYSTEM
  INITIAL SCHEDULE E AT 0.5 END;
  CONTINUOUS X' = K*F(X)/4; TWICE (Y <- X) END;
  DISCRETE EVENTS E: X := X + 0.1 END END END
END;
END.
END
check "a run" ends 0 "$cosy" run models/m.cosy --set K=2 --seed 5 -o first
for k in 1 2; do
    check "threads $k" ends 0 "$cosy" run models/m.cosy --set K=2 --seed 5 \
        -o threads$k --threads $k --backend=cc --quiet
    check "$k: the same bytes" same first threads$k
done
check "options are kept" grep -q \
    '"provenance": {"options": \["--set", "K=2", "--seed", "5"\], "seed": 5,' \
    first/summary.json
check "the model" hashed model models/m.cosy models/m.cosy first
check "its data" hashed data points.csv models/points.csv first
check "its macro" grep -q '"kind": "macro", "name": "TWICE"' first/summary.json
for word in cosy contract sundials suitesparse lapack libc processor compiler
do
    check "$word" grep -q "\"$word\": " first/summary.json
done
check "it is in the page" grep -q '<section id="provenance">' first/report.html
check "as JSON" "$cosy" explain first >out

# ---- The same
check "again" ends 0 "$cosy" rerun first
check "says so" prints 'first: all'
check "for each file" prints 'summary.json             the same, byte by byte'
check "nothing is left" [ -z "$(ls "$TMPDIR")" ]
check "kept" ends 0 "$cosy" rerun first -o ../kept --threads 1
check "there it is" same first ../kept
mkdir elsewhere
check "from elsewhere" ends 0 sh -c "cd elsewhere && '$cosy' rerun ../first"
cp -r ../place ../moved
check "moved with its model" ends 0 sh -c "cd / && '$cosy' rerun \
    '$work/moved/first'"
mkdir ../alone
cp -r first ../alone
check "without its model" ends 3 sh -c "cd / && '$cosy' rerun \
    '$work/alone/first'"
check "says which" says 'the model models/m.cosy is neither next to'
check "which is named" ends 0 sh -c "cd / && '$cosy' rerun \
    '$work/alone/first' '$work/moved/models/m.cosy'"

# ---- What has changed
printf 'x,y\n0,1\n1,3.5\n2,5\n' >models/points.csv
check "other data" ends 2 "$cosy" rerun first
check "data are named" prints 'the data points.csv has changed:'
check "with its hash" prints "is  $(sha256sum <models/points.csv |
    cut -d ' ' -f 1)"
check "the first number" prints 'differs in line'
check "of a table" prints 'X was '
check "of the summary" prints 'runs[1].'
printf 'x,y\n0,1\n1,3\n2,5\n' >models/points.csv
sed -i 's/Y = 2\*X/Y = 3*X/' twice.cosy
"$cosy" lib add twice.cosy >out
check "another macro" ends 2 "$cosy" rerun first
check "it is named" prints 'the macro TWICE has changed:'
sed -i 's/Y = 3\*X/Y = 2*X/' twice.cosy
"$cosy" lib add twice.cosy >out
cp models/m.cosy m.keep
echo '(* *)' >>models/m.cosy
check "another text" ends 2 "$cosy" rerun first
check "it is named too" prints 'the model models/m.cosy has changed:'
check "only its hash" prints 'differs only in the hash of the model'
echo 'PROGRAM' >models/m.cosy
check "no model any more" ends 3 "$cosy" rerun first
check "that is said" says 'the model models/m.cosy is not the one that was run'
cp m.keep models/m.cosy
cp -r first other
sed -i 's/"sundials": "[0-9.]*"/"sundials": "1.2.3"/
    s/{"name": "[^"]*", "arch/{"name": "Abacus", "arch/' other/summary.json
check "another machine" ends 2 "$cosy" rerun other
check "the library is named" prints 'sundials was 1.2.3, is '
check "the processor is named" prints 'name of the processor was Abacus, is '
check "all the same" prints 'in spite of these changes'
rm other/run-0001.csv
echo mine >other/notes.txt
check "a file more" ends 2 "$cosy" rerun other
check "is reported" prints 'run-0001.csv             is made now'
check "what is not ours is not" sh -c '! grep -q notes.txt "$1"' sh "$work/out"

# ---- Snapshots, traces, failures, pictures
check "a snapshot" ends 0 "$cosy" run models/m.cosy -o saved --save image \
    --save-at 0.3 --trace --format=svg,pdf --method RK4 --step 0.01
rm image
check "saved again" ends 0 "$cosy" rerun saved
check "not where it was" [ ! -e image ]
check "the trace is not told" [ ! -s "$work/said" ]
check "a second one" ends 0 "$cosy" run models/m.cosy -o saved --save image \
    --save-at 0.3
check "restored" ends 0 "$cosy" run models/m.cosy -o restored --restore image
check "its hash" hashed snapshot image image restored
check "restored again" ends 0 "$cosy" rerun restored
echo 'PROGRAM F; VAR STATE X; EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X'"'"' = SQRT(-1 - X) END END; END.' >f.cosy
check "a run that fails" ends 2 "$cosy" run f.cosy
check "fails again" ends 0 "$cosy" rerun f.out
"$cosy" emit models/m.cosy >m.c
check "C" ends 0 "$cosy" run m.c -o c.out
check "C again" ends 0 "$cosy" rerun c.out

# ---- Whatever a summary.json says
# hostile OPTIONS: instead of those of the first run.
hostile() {
    rm -rf bad
    cp -r first bad
    sed -i "s|\"options\": \[[^]]*\]|\"options\": [$1]|" bad/summary.json
    check "$1" ends 3 "$cosy" rerun bad
}
for words in '"-o", "victim"' '"--save", "victim"' '"--libraries", "."' \
    '"--trace-file=victim"' '"models/m.cosy"' '"--set"' '7' '"--threads", "2"' \
    '"--backend=cc"' '"--json"' '"--method", "NONE"' '["--set", "K=1"]'; do
    hostile "$words"
done
check "nothing was written" [ ! -e victim ]
hostile '"--save-at", "0.1", "-o", "victim"'
name() {
    rm -rf bad
    cp -r first bad
    sed -i "s|\"name\": \"models/m.cosy\"|\"name\": \"$1\"|" bad/summary.json
    check "$1" ends 3 timeout 20 "$cosy" rerun bad
}
mkfifo pipe.cosy
name pipe.cosy
name /dev/zero
name --help
name ''
name .
name ../../../../../../etc/passwd
echo '{"program": "M", "runs": []}' >bad/summary.json
check "older results" ends 3 "$cosy" rerun bad
check "are reported" says 'an older version of COSY'
echo '{' >bad/summary.json
check "no JSON" ends 3 "$cosy" rerun bad
check "no results" ends 3 "$cosy" rerun models
check "nothing" ends 3 "$cosy" rerun none
check "no argument" ends 3 "$cosy" rerun
check "unknown option" ends 3 "$cosy" rerun first --seed 5
check "nothing is left" [ -z "$(ls "$TMPDIR")" ]

finish
