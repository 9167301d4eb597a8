#!/bin/sh
# FIT: what is wrong with data and statements is told with file, line and a way out; runs do
# not notice the data; the same bytes on any number of threads; files, report, OUTPUT of
# results. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work"

narrow() {
    awk 'length > 80 { print; bad = 1 } END { exit bad }' "$1"
}

# program VALUES WHERE STATEMENTS: a decay whose data are in d.csv.
program() {
    cat >m.cosy <<END
PROGRAM M;
VAR STATE X; REAL K, L, Q; INTEGER N; ALGEBR Y; TEVENT STOP;
STORE X;
EXPERIMENT
  K := 1; L := 1; N := 1; Q := 9;
  FIT $1 TO "d.csv" WHERE $2;
    INITCOND X = 1;
    $3
  END
END;
SYSTEM
  INITIAL SCHEDULE STOP AT Q END;
  CONTINUOUS X' = -K*X*L*N; Y = X^2 END;
  DISCRETE EVENTS TEVENTS: STOP: FINISH END END END END
END;
END.
END
}

data() {
    printf "$1" >d.csv
}

# refused N WHAT TEXT: the exit status, and part of the message.
refused() {
    check "$2: refused" ends "$1" "$cosy" run m.cosy --no-plots -o res
    check "$2: told" says "$3"
}

good='TIME,A,S\n0,1,0.1\n1,0.6,0.1\n2,0.4,0.1\n3,0.2,0.1\n'
run='SIMULATE FROM 0 TO 5'

# ---- Data, as `cosy check` sees them
data "$good"
program 'K := 1' 'B = X' "$run"
check "no column: check says it, too" ends 1 "$cosy" check m.cosy
check "no column: told" says 'm.cosy:6:31: error: the first line of "d.csv" names no column `B`'
program 'K := 1' 'A = X WITH S = 0.3' "$run"
refused 1 "no row" 'no row of "d.csv" has the values after WITH'
program 'K := 1' 'A = X' "$run"
data 'TIME,A\n0,1\n1,abc\n'
refused 1 "a text" 'line 3 of "d.csv", column A: `abc` is not a number: leave a cell empty where there is none'
data 'TIME,A\n0,1\n1,nan\n'
refused 1 "nan" 'line 3 of "d.csv", column A: `nan` is not a number'
data 'TIME,A\n0,1\n2,0.5\n1,0.6\n'
refused 1 "time goes back" 'in line 4 of "d.csv", 1 comes after 2 in line 3: sort the rows by time'
data ''
refused 1 "empty" '"d.csv" is empty'
data 'TIME,A\n'
refused 1 "only names" '"d.csv" has no line of numbers'
data 'TIME,A\n1,\n2,\n'
refused 1 "only gaps" 'all cells of the columns after WHERE are empty'
rm d.csv
refused 1 "no file" 'd.csv: cannot open'
data 'TIME,A,W\n0,1,0\n1,0.6,0\n'
program 'K := 1' 'A = X WEIGHT W' "$run"
refused 1 "weights" 'all weights are 0, so no row of "d.csv" counts'
data 'TIME,A,W\n0,1,-1\n1,0.6,0\n'
refused 1 "a weight" 'line 2 of "d.csv", column W: -1 is no weight'
program 'K := 1' 'A = X ERROR S' "$run"
data 'TIME,A,S\n0,1,-0.1\n'
refused 1 "a sigma" 'column S: -0.1 is no standard deviation, which is positive'
data 'TIME,A,S\n0,1,\n'
refused 1 "no sigma" 'column S: there is no standard deviation for the value measured'
program 'K := 1' 'A = X LOG' "$run"
data 'TIME,A\n0,0\n'
refused 1 "no logarithm" 'column A: 0 has no logarithm'

# ---- Statements
data "$good"
program 'N := 1' 'A = X' "$run"
refused 1 "INTEGER" 'FIT varies numbers continuously, but `N` is INTEGER'
program 'K := 1' 'A = Z' "$run"
refused 1 "not computed" '`Z` is not declared'
program 'K := 1' 'A = 5' "$run"
refused 1 "a constant" 'this is a constant, whatever the parameters are'
program 'K := 1' 'A = X' 'K := 2'
refused 1 "no run" 'the statements of FIT carry out no run'
program 'K := 1' 'A = X STARTS = 5' "$run"
refused 1 "no bounds" 'begin at many places between bounds'
program 'K := 1' 'A = X NOISE -1' "$run"
refused 1 "noise" 'NOISE is a standard deviation: it is positive'
program 'K := 1' 'A = X TOL = 1 TOL = 2' "$run"
refused 1 "twice" 'TOL is given twice'

# ---- Runs
program 'K := 1, L := -1' 'A = X NOISE L' "$run"
refused 2 "noise at the start" 'the NOISE of X has no positive value at the time 0 of line 2'
program 'K := 1' 'A = X - 2 LOG' "$run"
refused 2 "logarithm at the start" 'has no logarithm, because it is not positive'
program 'K := 1' 'A = X' "$run; $run"
refused 2 "two runs" 'belongs to run 1 and to run 2: say which by RUN n'
program 'K := 1' 'A = X RUN 3' "$run"
refused 2 "no such run" 'belongs to no run: among those of the statements is none of that number (RUN)'
program 'K := 1' 'A = X WITH S = L' "$run"
refused 2 "no such values" 'is none that has L = 0.1 at its start'
program 'K := 1' 'A = X' 'SIMULATE FROM 0 TO 2'
refused 2 "after the end" 'line 5 of "d.csv": the time 3 lies after the end of run 1, 2'
program 'K := 1' 'A = X' 'SIMULATE FROM 1 TO 4'
refused 2 "before the start" 'line 2 of "d.csv": the time 0 lies before the start of run 1, 1'
program 'Q := 2' 'A = X' "$run"
refused 2 "an early end" 'a run ended before the time 3 of line 5 of "d.csv"'
program 'K := 1' 'A = X' "REPLICATE 3; $run"
refused 2 "replications" 'the data are compared with single runs: leave REPLICATE out'
data 'TIME,A\n0,1\n'
program 'K := 1, L := 2' 'A = X' "$run"
refused 2 "few data" '1 value does not determine 2 parameters'
data "$good"
program 'K := 1, L := 2' 'A = X' "$run"
check "two that are one" ends 0 "$cosy" run m.cosy -o res --no-plots
check "it is told" prints 'stay the same when K grows by 1 %'
program 'K := 1, Q := 8' 'A = X' "$run"
check "one without effect" ends 0 "$cosy" run m.cosy -o res --no-plots
check "it is told" prints 'Q has no effect on the predictions'
check "--set of a parameter" ends 2 "$cosy" run m.cosy -o res --no-plots --set K=1
check "it is told" says 'K has its value from --set'

# ---- Runs do not notice the data
printf 'TIME,A,S\n0.7,0.5,1\n' >few.csv
awk 'BEGIN { print "TIME,A,S"; for (k = 1; k < 500; k++) print k/100 ",0.5," (k == 70 ? 1 : 1E30) }' >many.csv
program 'K := 1' 'A = X ERROR S MAX = 1' "$run"
for name in few many; do
    cp $name.csv d.csv
    check "$name times" ends 0 "$cosy" run m.cosy -o $name --no-plots --quiet
    grep ',0.7,X,' $name/fit-residuals-0001.csv | cut -d, -f7- >$name.txt
done
check "there is one" test -s few.txt
check "the same prediction" cmp few.txt many.txt
check "the same run" cmp few/run-0001.csv many/run-0001.csv

# ---- Results
cat >two.csv <<'END'
DOSE,TIME,A,B
1,0,1.02,0.98
1,1,0.63,0.35
1,2,,0.17
1,3,0.21,0.04
2,0,1.97,3.9
2,1,1.18,1.52
2,3,0.47,
END
cat >two.cosy <<'END'
PROGRAM TWO;
VAR STATE X [mg]; REAL K, X0 [mg];
EXPERIMENT
  FIT K := 1 IN 0.1 .. 10 LOG TO "two.csv" WHERE A = X, B = X^2 WITH DOSE = X0 STARTS = 8 PROFILE;
    PARAMETER X0 = (1, 2); INITCOND X = (1, 2);
    SIMULATE FROM 0 TO 4
  END
END;
SYSTEM CONTINUOUS X' = -K*X END END;
OUTPUT TITLE "decay"; GRAPH: X END
END.
END
check "several runs" ends 0 "$cosy" run two.cosy -o two.out --threads 1
check "80 columns" narrow out
for name in fit-0001 fit-residuals-0001 fit-profiles-0001; do
    check "$name" test -s two.out/$name.csv
done
check "twelve residuals" test "$(wc -l <two.out/fit-residuals-0001.csv)" = 13
check "graphs of data" sh -c 'ls two.out/plots | grep -q fit-x.svg'
check "of residuals, starts and profile" sh -c '
    test "$(ls two.out/plots | grep -c -e residuals.*svg -e starts.*svg -e profile.*svg)" = 3'
check "a table of the report" grep -q 'interval by profile' two.out/report.html
check "on two threads" ends 0 "$cosy" run two.cosy -o two.more --threads 2
check "the same bytes" same two.out two.more
check "again over the old results" ends 0 "$cosy" run two.cosy -o two.out
check "OUTPUT of these" ends 0 "$cosy" output two.cosy -o two.out
check "the same bytes after it" same two.out two.more
check "stored" ends 0 "$cosy" run two.cosy -o two.out --store all.db --no-plots
check "and exported" ends 0 "$cosy" results export 1 all.db --csv back
check "the same residuals" cmp two.out/fit-residuals-0001.csv back/fit-residuals-0001.csv
check "strangers may fit" ends 0 "$cosy" run two.cosy -o strange.out --untrusted --no-plots

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
