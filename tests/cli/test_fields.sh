#!/bin/sh
# Arrays over their index: what is drawn of a run, at which times, in which words; the run
# does not notice it, and cosy output keeps it. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work" || exit 1

# U[3] jumps at 1; P jumps where U[0] passes 3; the run ends by itself at 2.5.
model() {
    cat <<'END_OF'
PROGRAM JUMPS;
TIMEUNIT [h];
VAR ARRAY [0..5] OF STATE U [m]; ARRAY [3, 4] OF REAL A; ARRAY [30] OF ALGEBR P;
  ARRAY [4] OF REAL SAME; REAL Q, R; TEVENT KICK;
EXPERIMENT PARAMETER Q = (1, 2); SIMULATE FROM 0 TO 4 COMINT = 0.3 END;
SYSTEM
  INITIAL
    SCHEDULE KICK AT 1; R := 1;
    FOR I := 1 TO 3 DO FOR J := 1 TO 4 DO A[I, J] := I*J;
    SAME[1] := 7; SAME[2] := 7; SAME[3] := 7; SAME[4] := 7
  END;
  CONTINUOUS
    FOR I := 0 TO 5 DO U[I]' = Q*1 [m/h];
    FOR I := 1 TO 30 DO
      P[I] = IF U[0] > 3 [m] THEN SIN(I/5.0) ELSE R*I/(U[0]/1 [m] + 0.1);
    FINISH TIME > 2.5 [h]
  END;
  DISCRETE EVENTS KICK: U[3] := U[3] + 5 [m]; A[2, 2] := 10 END END END END;
OUTPUT
END_OF
    echo "$1"
    echo "END END."
}

# draws LINES: runs the model with these lines of OUTPUT.
draws() {
    model "$1" >m.cosy
    rm -rf m.out
    ends 0 "$cosy" run m.cosy
}
says() { grep -qF -- "$1" "$work/said"; }
prints() { grep -qE -- "$1" "$work/out"; }
pictures() { [ "$(find m.out/plots -name '*.gp' | wc -l)" -eq "$1" ]; }

# ---- Tables
check "a table" draws 'LIST (1) U AT TIME = (0, 0.25*2%0.75, 1)'
check "names its times" prints '^ +index +TIME = 0 h +TIME = 0.25 h +TIME = 1 h +TIME = 1 h$'
check "has the value after a jump" prints '^ +3 +0 +0.25 +6 +6$'
check "counts as the array does" prints '^ +0 +0 +0.25 +1 +1$'
check "of two indices" draws 'LIST A AT TIME = (2)'
check "has both" prints '^ +2 +2 +10$'
check "two runs" draws 'LIST (ALL) U AT TIME = (1)'
check "show the first" prints '^run 1$'
check "and the second" prints '^ +3 +7$'

# ---- Times that are not there
check "times outside" draws 'GRAPH U AT TIME = (-1, 1, 3, 5)'
check "before" says 'm.cosy:20: warning: AT TIME = -1 h: nothing is shown of it, since run 2 went from 0 to 2.5 h'
check "after a run that ended early" says 'AT TIME = 3 h: nothing'
check "after all" says 'AT TIME = 5 h: nothing'
check "the one that is there is drawn" grep -q 'run 2: Q=2; TIME = 1 h' m.out/plots/01-*.gp
check "none is there" draws 'GRAPH U AT TIME = (3)'
check "no such run" draws 'SHADE (3) U'
check "is told" says 'there is no run (3) that could be shown'

# ---- Pictures
check "all kinds" draws 'SHADE P; CONTOUR P; SURFACE P VIEW 210, 20;
  GRAPH P AT TIME = (0*9%0.25); SHADE A AT TIME = (0.5, 1); CONTOUR A; SURFACE A'
check "and what moves, once for each" pictures 9
check "gnuplot has no complaint" [ ! -s "$work/said" ]
check "panels tell their time" grep -q "TIME = 0.5 h; second index of A" m.out/plots/06-*.gp
check "no tile is missing" [ "$(grep -c '^[0-9.]* [0-9.]* [0-9.]* [0-9.]* [0-9]* ' \
    m.out/plots/06-*.gp)" -eq 24 ]
check "a slider is there" grep -q '"film":{"label":"TIME \[h\]"' m.out/report.html
check "faces are there" grep -q '<path class="faces"' m.out/report.html
check "one value everywhere" draws 'SHADE SAME; CONTOUR SAME; SURFACE SAME; PLOT SHADE SAME'
check "is told" grep -q 'it is 7 everywhere' m.out/report.html
check "and does not move" pictures 3
check "characters" draws 'PLOT SHADE P; PLOT (1) U AT TIME = (0, 2); PLOT SHADE A'
check "fit" [ "$(awk 'length > 80' "$work/out" | wc -l)" -eq 0 ]
check "have a scale" prints '\. -?[0-9.e-]+ :-=\+\*#% @ [0-9.]+  P$'
check "no pictures" ends 0 "$cosy" run m.cosy --no-plots

# ---- Many times, and many points
cat >many.cosy <<'END_OF'
PROGRAM MANY;
VAR ARRAY [300, 250] OF ALGEBR W;
EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.5 END;
SYSTEM CONTINUOUS
  FOR I := 1 TO 300 DO FOR J := 1 TO 250 DO W[I, J] = SIN(I/50.0)*COS(J/40.0 + 6*TIME)
END END;
OUTPUT SHADE W AT TIME = (0*100%0.01) END
END.
END_OF
check "very many times" ends 0 "$cosy" run many.cosy
check "are thinned out" says 'SHADE: of 100 times 12 are drawn, evenly spread'
check "points too" grep -q '199 of 300 points along first index of W' many.out/plots/01-*.gp
check "the report stays small" [ "$(wc -c <many.out/report.html)" -lt 4000000 ]

# ---- The run does not notice
draws 'LIST (CROSSF): Q'
cp -r m.out plain
draws 'SHADE P, U, A; GRAPH P AT TIME = (0.1*20%0.1)'
for run in 1 2; do
    check "events of run $run" cmp plain/events-000$run.csv m.out/events-000$run.csv
done
check "final values" sh -c '
    for d in plain m.out; do grep "^ .final.:" $d/summary.json >$d.final; done
    [ -s plain.final ] && cmp plain.final m.out.final'

# ---- OUTPUT again
check "once more" draws 'SHADE P; GRAPH U AT TIME = (1, 3); SURFACE (ALL) A'
cp -r m.out was
check "the same OUTPUT" ends 0 "$cosy" output m.cosy --quiet
check "gives the same bytes" diff -r was m.out
model 'SHADE P; CONTOUR P; LIST U AT TIME = (1)' >m.cosy
check "another one" ends 0 "$cosy" output m.cosy
check "keeps what is there" [ -s m.out/plots/01-p-over-its-index-and-time.gp ]
check "drops what is not asked for" [ ! -e m.out/plots/03-u-over-its-index.gp ]
check "says what only a run can show" says 'm.cosy:20: note: only cosy run shows arrays'
check "also of tables" prints 'LIST U: only cosy run shows arrays over their index'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
