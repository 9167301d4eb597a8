#!/bin/sh
# Studies in a database: cosy run --store and cosy results. What is exported is
# what was stored, byte by byte; MAT-files are read by scipy and octave, where these
# are there; a full disk, a kill and two processes at once harm nothing. Needs
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
TMPDIR=$work
TZ=UTC
export COSY_CACHE COSY_LIBRARY TMPDIR TZ
unset COSY_STORE
source=$(cd "${COSY_SOURCE:-.}" && pwd)
cd "$work" || exit 1

cat >ball.cosy <<'END'
PROGRAM BALL;
CONST REAL E = 0.8;
VAR STATE H [m], V [m/s]; ARRAY [2, 2] OF ALGEBR B [m]; SEVENT HIT;
    REAL SPEED [m/s];
STORE H, V, B;
EXPERIMENT COLLECT SPEED END;
  INITCOND H = 1, V = 0; SIMULATE FROM 0 TO 1 COMINT = 0.25 END;
SYSTEM
  CONTINUOUS
    H' = V; V' = -9.81 [m/s^2];
    FOR I := 1 TO 2 DO FOR J := 1 TO 2 DO B[I, J] = I*J*H;
    CONDIT HIT: H CROSSES 0 NEG END
  END;
  DISCRETE EVENTS HIT: SPEED := V; V := -E*V END END END
END;
END.
END
cat >sweep.cosy <<'END'
PROGRAM SWEEPS;
VAR REAL K; STATE X; STORE X;
EXPERIMENT PARAMETER K = (1, 2, 3); INITCOND X = 1; SIMULATE FROM 0 TO 1 COMINT = 0.1 END;
SYSTEM CONTINUOUS X' = -K*X END END;
END.
END

# tables DIR BACK: the same tables and the same summary, and nothing else.
tables() {
    (cd "$1" && ls -- *.csv summary.json) >"$work/names"
    [ "$(cat "$work/names")" = "$(ls "$2")" ] || return 1
    while read -r name; do
        cmp "$1/$name" "$2/$name" || return 1
    done <"$work/names"
}

# narrow: no line of what was printed has more than 80 columns.
narrow() {
    wide=$(awk 'length > 80' "$work/out")
    [ -z "$wide" ] && return 0
    echo "wide: $wide"
    return 1
}

# ---- Storing
check "a run is stored" ends 0 "$cosy" run ball.cosy --store a.db \
    --label "it's first"
check "says so" prints 'They are study 1 of a.db'
check "again" ends 0 "$cosy" run ball.cosy --set E=0.7 --store a.db -o other.out
check "several runs" ends 0 "$cosy" run sweep.cosy --store a.db --no-plots
check "quietly" ends 0 "$cosy" run ball.cosy --store a.db --quiet -o third.out
check "nothing is printed" [ ! -s out ]
check "the list" ends 0 "$cosy" results list a.db
check "its first" prints 'BALL       1  finished  it'"'"'s first'
check "its third" prints 'SWEEPS     3  finished'
check "80 columns" narrow
check "of one program" ends 0 "$cosy" results list a.db --model sweeps
check "one line" [ "$(wc -l <out)" -eq 2 ]
check "of none" ends 0 "$cosy" results list a.db --model none
check "there is none" prints 'a.db has no studies of none'
check "as JSON" ends 0 "$cosy" results list --json a.db
check "objects" [ "$(grep -c '"model_sha256": "[0-9a-f]\{64\}"' out)" -eq 4 ]
check "the usual database" ends 0 env COSY_STORE=a.db "$cosy" results list
check "it is the same" prints "it's first"
check "no database" ends 3 "$cosy" results list
check "advice" says 'set COSY_STORE'
check "a folder is added" ends 0 "$cosy" results add ball.out other.out b.db \
    --label both
check "with its text" ends 0 "$cosy" results show 2 b.db --text
check "the text" cmp out ball.cosy

# ---- Showing
check "show" ends 0 "$cosy" results show 1 a.db
for line in 'study 1 of a.db: BALL' 'FINAL VALUES' 'COLLECT' \
    'run-0001.csv: 7 columns, ' 'events-0001.csv: 4 columns, ' '  H      0.468'; do
    check "it has $line" prints "$line"
done
check "80 columns" narrow
check "a folder" ends 0 "$cosy" results show ball.out
check "says which" prints 'ball.out: BALL'
check "several runs" ends 0 "$cosy" results show 3 a.db
check "each has a line" [ "$(grep -c ' finished  ' out)" -eq 3 ]
check "one of them" ends 0 "$cosy" results show 3:2 a.db
check "its parameter" prints '  K  2'
check "the same" ends 0 "$cosy" results show sweep.out --run 2
check "its parameter" prints '  K  2'
check "as JSON" ends 0 "$cosy" results show 3 --json a.db
check "it is the summary" cmp out sweep.out/summary.json
check "a run as JSON" ends 0 "$cosy" results show 3:2 --json a.db
check "it is the run" prints '{"run": 2, "frame": 1, "parameters": {"K": 2}'
check "no such run" ends 3 "$cosy" results show 3:4 a.db
check "says how many" says 'has no run 4: it has 3 runs'
check "no such study" ends 3 "$cosy" results show 9 a.db
check "says so" says 'a.db has no study 9: cosy results list'

# ---- What belongs to all runs: studies, searches, operations on data
cat >search.cosy <<'END'
PROGRAM SEARCHES;
CONST INTEGER N = 2;
VAR ARRAY [2, 2] OF REAL K [1/s]; REAL J, P; STATE X; STORE X;
EXPERIMENT
  MINIMIZE J: K[1,2] := 2 [1/s] IN 0 .. 5 [1/s]; TOL = 1.0E-6 END;
    INITCOND X = 1; SIMULATE FROM 0 TO 1 COMINT = 0.1; J := (X - 0.5)^2
  END;
  SWEEP P = LIN 0 TO 2 POINTS 3; REPLICATE 2;
  SIMULATE FROM 0 TO 1 COMINT = 0.1
END;
SYSTEM CONTINUOUS X' = -(K[1,2] + P*1 [1/s])*X END END;
OUTPUT TITLE "sums, by ""name"""; SPECTRUM: X; AUTOCORR: X; COMPARE (1, 2): X;
  GRAPH VERSUS P: X END
END.
END
check "a study" ends 0 "$cosy" run search.cosy --store all.db --quiet -o all.out
for name in search sweep spectrum correlation comparison; do
    check "it leaves $name" sh -c "ls all.out/$name*.csv >/dev/null"
done
check "a unit beside a name with a comma" grep -q '"K\[1,2\] \[1/s\]"' \
    all.out/search-0001.csv
check "it is exported" ends 0 "$cosy" results export 1 all.db --csv all.back
check "the same bytes" tables all.out all.back
check "of one run" ends 0 "$cosy" results export 1:2 all.db --csv all.second
check "its own files" sh -c 'ls all.second | grep -q run-0002 &&
    ! ls all.second | grep -q -e sweep -e search -e spectrum'
check "shown" ends 0 "$cosy" results show 1 all.db
check "compared" ends 0 "$cosy" results compare all.out all.back
check "OUTPUT of what came back" ends 0 "$cosy" output search.cosy -o all.back --quiet
for name in search-0001 sweep spectrum-0001 correlation-0002 comparison-0003; do
    check "$name stays" cmp "all.out/$name.csv" "all.back/$name.csv"
done
check "so does the summary" cmp all.out/summary.json all.back/summary.json

# ---- Exporting
check "export" ends 0 "$cosy" results export 1 a.db --csv back
check "the same bytes" tables ball.out back
check "of three runs" ends 0 "$cosy" results export 3 a.db --csv back
check "the same bytes" tables sweep.out back
check "it can be explained" ends 0 "$cosy" explain back
check "what is there stays" sh -c 'echo mine >back/own.txt
    "$1" results export 1 a.db --csv back >out && [ -s back/own.txt ]' sh "$cosy"
check "one run" ends 0 "$cosy" results export 3:2 a.db --csv second
check "its curve" cmp second/run-0002.csv sweep.out/run-0002.csv
check "only its curve" [ ! -e second/run-0001.csv ]
check "a MAT-file" ends 0 "$cosy" results export 1 a.db --mat ball.mat
check "from a folder" ends 0 "$cosy" results export ball.out --mat folder.mat
check "the same" cmp ball.mat folder.mat
check "which run" ends 3 "$cosy" results export 3 a.db --mat x.mat
check "says how" says 'has 3 runs, and a MAT-file holds one: --run K'
check "this one" ends 0 "$cosy" results export 3 a.db --mat k.mat --run 3
check "neither" ends 3 "$cosy" results export 3 a.db
check "both" ends 3 "$cosy" results export 3 a.db --mat x.mat --csv x

# The curves of ball.out as other programs read them: names, units, values.
cat >read.py <<'END'
import csv, sys
import scipy.io
m = scipy.io.loadmat('ball.mat', chars_as_strings=False)
names = [''.join(c).rstrip() for c in m['name'].T]
about = [''.join(c).rstrip() for c in m['description'].T]
rows = list(csv.reader(open('ball.out/run-0001.csv')))
head = ['time' if h.startswith('TIME') else h.split(' [')[0] for h in rows[0]]
assert names == head, names
assert about == ['[' + h.split(' [')[1] for h in rows[0]], about
assert [''.join(c).rstrip() for c in m['Aclass']] == \
    ['Atrajectory', '1.1', '', 'binTrans']
assert m['data_2'].shape == (len(head), len(rows) - 1)
for i, row in enumerate(rows[1:]):
    for k, cell in enumerate(row):
        assert float(cell) == m['data_2'][m['dataInfo'][1, k] - 1, i]
times = m['data_2'][0]
assert sum(times[1:] == times[:-1]) == 1  # both sides of the event
k = scipy.io.loadmat('k.mat', chars_as_strings=False)
assert ''.join(k['name'].T[2]).rstrip() == 'K'
assert list(k['dataInfo'].T[2]) == [1, 2, 0, -1] and k['data_1'][1, 1] == 3
END
if /usr/bin/python3 -c 'import scipy.io' 2>/dev/null; then
    check "scipy reads it" /usr/bin/python3 read.py
else
    echo "scipy is not here: MAT-files are read by the unit test only"
fi
cat >read.m <<'END'
m = load('ball.mat');
c = csvread('ball.out/run-0001.csv', 1, 0);
assert(size(m.data_2), fliplr(size(c)));
assert(isequal(m.data_2', c));
assert(strtrim(m.name(:, 2)'), 'H');
assert(strtrim(m.description(:, 3)'), '[m/s]');
assert(strtrim(m.name(:, 5)'), 'B[1,2]');
assert(strtrim(m.Aclass(4, :)), 'binTrans');
END
if command -v octave-cli >/dev/null 2>&1; then
    check "octave reads it" ends 0 octave-cli --norc read.m
else
    echo "octave is not here"
fi

# ---- Every precision, arrays, copies, words
printf 'PROGRAM Q; VAR STATE X; STORE X;
EXPERIMENT INTEGRAT PRECISION = %s; INITCOND X = 1/3;
  SIMULATE FROM 0 TO 1 COMINT = 0.1 END;
SYSTEM CONTINUOUS X'"'"' = -X END END; END.\n' QUAD >q.cosy
sed 's/QUAD/EXTENDED/' q.cosy >e.cosy
for name in q e; do
    check "precision $name" ends 0 "$cosy" run $name.cosy --store p.db --quiet
done
check "QUAD" ends 0 "$cosy" results export 1 p.db --csv back.q
check "all digits" tables q.out back.q
check "EXTENDED" ends 0 "$cosy" results export 2 p.db --csv back.e
check "all digits" tables e.out back.e
check "all digits are shown" ends 0 "$cosy" results show 1 p.db
check "36 of them" sh -c "grep -Eq '0\.1226264804[0-9]{22,}' '$work/out'"
for example in barbershop-processes cells domino heating-rectifier road \
    spheres steel; do
    model=$source/examples/$example/model.cosy
    [ -e "$model" ] || continue
    check "$example" ends 0 "$cosy" run "$model" --no-plots --quiet \
        --store x.db -o "$example.out"
    number=$("$cosy" results list x.db --json | grep -c '"study"')
    check "$example back" ends 0 "$cosy" results export "$number" x.db \
        --csv "$example.back"
    check "$example is the same" tables "$example.out" "$example.back"
    check "$example is shown" ends 0 "$cosy" results show "$number" x.db
done

# ---- Comparing
check "with itself" ends 0 "$cosy" results compare 1 ball.out a.db --digits 17
check "the same" prints '6 curves are the same'
check "another" ends 2 "$cosy" results compare 1 2 a.db --digits 3 \
    --graph diff.svg
check "what differs" prints '  E                      0.8           0.7         0.1     0.9'
check "where it parts" prints 'they agree to 3 digits up to 0.4515'
check "a picture" grep -q '</svg>' diff.svg
check "80 columns" narrow
check "without a wish" ends 0 "$cosy" results compare 1 2 a.db
check "two runs" ends 0 "$cosy" results compare 3:1 3:2 a.db
check "their parameter" prints '  K               1       2          -1     0.3'
check "all runs" ends 0 "$cosy" results compare 3 sweep.out a.db
check "they are the same" prints '3 pairs of runs, all of which agree'
"$cosy" run sweep.cosy --relerr 1e-3 --quiet --no-plots -o rough.out
check "worse" ends 2 "$cosy" results compare sweep.out rough.out --digits 9
check "by run" prints '    3'
check "better" ends 0 "$cosy" results compare sweep.out rough.out --digits 2
sed 's/STORE H, V, B/STORE H/; s/H \[m\], V/H [cm], V/; s/B \[m\]/B [cm]/
    s/H = 1,/H = 100,/' ball.cosy >cm.cosy
"$cosy" run cm.cosy --quiet --no-plots
check "other units" ends 2 "$cosy" results compare 1 cm.out a.db --digits 1
check "are not compared" prints 'H [m] is H [cm] in the second: not compared'
check "nor final values" prints '0.4680044525 m  46.80044525 cm           -       -'
check "nor what is missing" prints 'only the first has the curve V [m/s]'
check "another text" prints 'the text of BALL has changed in between'
check "another model" ends 0 "$cosy" results compare 1 q.out a.db
check "says so" prints 'the programs are BALL and Q'
check "not so many" ends 3 "$cosy" results compare 1 a.db
check "one of several" ends 3 "$cosy" results compare 1 3 a.db
check "says how" says 'study 3 of a.db has 3 runs: N:K or DIR:K names'
# exp(-t) and exp(-2t) differ most at log(2), by 1/4 exactly, near the points
check "the largest difference" sh -c '"$1" results compare 3:1 3:2 a.db |
    grep -Eq "^  X +0\.(25|2499|2500)"' sh "$cosy"

# An array of more than 1000 elements is in a file of its own.
cat >long.cosy <<'END'
PROGRAM LONGER;
CONST REAL A = 1;
VAR ARRAY [1500] OF STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM
  INITIAL FOR I := 1 TO 1500 DO X[I] := I END;
  CONTINUOUS FOR I := 1 TO 1500 DO X[I]' = -A*X[I] END
END;
END.
END
"$cosy" run long.cosy --quiet --no-plots --store a.db
"$cosy" run long.cosy --quiet --no-plots --set A=1.001 -o longer.out
check "a long array" ends 0 "$cosy" results compare long.out a.db 5
check "the same" prints 'long arrays: all 1500 values are the same'
check "another" ends 2 "$cosy" results compare long.out longer.out --digits 4
check "exp(-1)*1500*0.001 at most, 3 digits" prints \
    'long arrays: 1500 of 1500 values differ, by 0.552 at most: 3.0 digits'
check "QUAD" ends 0 "$cosy" results compare q.out e.out
check "says so" prints 'as doubles: further digits are not looked at'
"$cosy" results delete 5 a.db

# ---- Deleting
check "delete" ends 0 "$cosy" results delete 2 4 a.db --vacuum
check "two are left" [ "$("$cosy" results list a.db | wc -l)" -eq 3 ]
check "all or none" ends 3 "$cosy" results delete 1 2 a.db
check "none" [ "$("$cosy" results list a.db | wc -l)" -eq 3 ]
check "folders stay" ends 3 "$cosy" results delete ball.out a.db
check "there it is" [ -s ball.out/summary.json ]

# ---- Wrong use
check "no part" ends 3 "$cosy" results
check "another part" ends 3 "$cosy" results shew 1 a.db
check "an option of another part" ends 3 "$cosy" results list a.db --vacuum
check "says so" says 'cosy results list has no option --vacuum'
check "a text is no database" ends 3 "$cosy" results list ball.cosy
check "says so" says 'it is no SQLite file'
check "nor to a run" ends 3 "$cosy" run ball.cosy --store ball.cosy -o no.out
check "nothing was run" says 'nothing was run'
check "no results" [ ! -e no.out ]
check "a library is no database" ends 3 sh -c '
    echo "MACRO TWICE (Y <- X); Y = 2*X MACEND;" >t.cosy
    "$1" lib add t.cosy >/dev/null
    "$1" results list "$COSY_LIBRARY"' sh "$cosy"
check "says so" says 'a database of another program'
check "no folder" ends 3 "$cosy" run ball.cosy --store none/a.db -o no.out
check "no database" ends 3 "$cosy" results show 1 none.db
check "advice" says 'cosy run --store FILE.db makes'
check "not for strangers" ends 3 "$cosy" run ball.cosy --untrusted --store a.db
check "advice" says 'cosy results add DIR'
check "a label alone" ends 3 "$cosy" run ball.cosy --label x
check "results that are cut off" ends 3 sh -c '
    cp -r ball.out cut.out
    printf 1,2 >>cut.out/run-0001.csv
    "$1" results add cut.out a.db' sh "$cosy"
check "says where" says 'run-0001.csv ends in the middle of line'
check "nothing was added" [ "$("$cosy" results list a.db | wc -l)" -eq 3 ]

# ---- A run that fails is kept, with its status
sed 's/V := -E\*V/ERROREXIT 3 "through the floor"/' ball.cosy >fail.cosy
check "a run that fails" ends 2 "$cosy" run fail.cosy --store f.db --no-plots
check "is kept" ends 0 "$cosy" results list f.db
check "as failed" prints '1 failed'

# ---- A full disk
"$cosy" run sweep.cosy --quiet --no-plots --set K=1 -o long.out
awk 'BEGIN { print "TIME,X"; for (k = 0; k < 40000; k++)
    printf "%d,%.17g\n", k, sin(k) }' >long.out/run-0001.csv
cp a.db full.db
check "a limit on files" ends 3 sh -c 'ulimit -f 100
    "$1" results add long.out full.db' sh "$cosy"
check "says so" says 'nothing was changed'
check "three, as before" [ "$("$cosy" results list full.db | wc -l)" -eq 3 ]
check "it was too long" ends 3 sh -c 'ulimit -f 12
    "$1" run ball.cosy --no-plots --store full.db -o kept.out' sh "$cosy"
check "the results are there" [ -s kept.out/summary.json ]
check "says how to go on" says 'cosy results add kept.out FILE.db'
check "which works" ends 0 "$cosy" results add kept.out full.db
if unshare -Urm true 2>/dev/null; then
    mkdir small
    check "a small disk" ends 0 unshare -Urm sh -c '
        mount -t tmpfs -o size=160k none small || exit 9
        "$1" results add ball.out small/d.db || exit 8
        "$1" results add long.out small/d.db 2>said.small && exit 7
        grep -q "there is no room left for it; nothing was changed" said.small ||
            exit 6
        [ "$("$1" results list small/d.db | wc -l)" -eq 2 ]' sh "$cosy"
else
    echo "no disk of its own can be mounted here"
fi

# ---- Killed while it stores: whole studies, and the folder unharmed
check "to begin with" ends 0 "$cosy" results add long.out kill.db
k=0
while [ $k -lt 25 ]; do
    k=$((k + 1))
    "$cosy" results add long.out long.out long.out kill.db >/dev/null 2>&1 &
    process=$!
    sleep "0.0$((k * 7 % 10))$((k % 10))"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
done
count=$("$cosy" results list kill.db --json | grep -c '"study"')
check "some were stored" [ "$count" -ge 1 ]
last=$("$cosy" results list kill.db --json | grep -o '"study": [0-9]*' |
    tail -n 1 | grep -o '[0-9]*')
check "the last is whole" ends 0 "$cosy" results export "$last" kill.db \
    --csv last
check "byte by byte" tables long.out last

# ---- Several processes, one file
for k in 1 2 3 4; do
    (for j in 1 2 3 4 5; do
        "$cosy" run sweep.cosy --quiet --no-plots -o "many-$k.out" \
            --store many.db || exit 1
    done) &
done
wait
check "all were stored" [ "$("$cosy" results list many.db | wc -l)" -eq 21 ]
check "each is whole" ends 0 "$cosy" results compare 1 20 many.db --digits 17

finish
