#!/bin/sh
# GRIDCHECK: error bars of FIELDs against closed solutions, trials that fail or take
# another way, and what is there without an error bar. Needs COSY_SOURCE and
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

# rod NAME DECLARATIONS EXPERIMENT EQUATIONS AFTER: a rod that cools down.
rod() {
    cat >"$work/$1.cosy" <<END
PROGRAM $1;
CONST REAL A = 0.1;
VAR FIELD U ON X = 0.0 TO 1.0 GRID 41 SCHEME CENTRAL 3;
ALGEBR M; $2
STORE U, M;
EXPERIMENT $3
  INITCOND U = SIN(PI*X);
  SIMULATE FROM 0 TO 1 COMINT = 0.1
END;
SYSTEM
  CONTINUOUS
    U' = A*DXX(U);
    BOUNDARY U AT LEFT: U = 0; AT RIGHT: U = 0 END;
    M = U AT 0.5; $4
  END; $5
END;
END.
END
}
run() {
    model=$1
    shift
    ends 0 "$cosy" run "$work/$model.cosy" --no-plots -o "$work/r" "$@"
}
shows() {
    grep -q -F -e "$1" "$work/out" "$work/said" && return 0
    echo "no \"$1\" in:"
    cat "$work/out" "$work/said"
    return 1
}
shows_not() {
    ! shows "$@" >/dev/null
}
told() {
    grep -q -F -e "$1" "$work/r/summary.json" && return 0
    echo "no \"$1\" in summary.json"
    return 1
}
# within FILE COLUMN LOW HIGH: in the last line.
within() {
    LC_ALL=C awk -F, -v c="$2" -v low="$3" -v high="$4" '
        END { if (!($c >= low && $c <= high)) { print "found " $c; exit 1 } }' \
        "$work/r/$1"
}
same_but_grid() {
    sed -e '/^ "grid"/d' -e '/^ "fields": {/,/^ "events"/d' -e '/"wall_s"/d' \
        -e '/^ "provenance"/d' "$1/summary.json" >"$work/$2"
}

# ---- Estimates and true errors: EXP(-0.1*PI^2) = 0.3727077...
rod ROD '' '' '' ''
check 'an error bar is the default' run ROD
check 'a line on the terminal' shows 'error in space: U at most 0.00019 (order 2.0, as expected)'
check 'nothing rings' shows_not 'warning'
check 'order and norm' told '"order": 2, "expected": 2, "norm": "max", "reliable": true'
check 'three grids' told '"points": {"X": 41}, "half": {"X": 21}, "quarter": {"X": 11}'
check 'the middle is wrong by 0.000189' within errors-0001.csv 43 0.00018 0.0002
check 'norms of the field' within norms-0001.csv 2 0.00018 0.0002
check 'the same rows' sh -c 'cut -d, -f1 "$1/run-0001.csv" >"$1/a"
    cut -d, -f1 "$1/errors-0001.csv" | cmp - "$1/a" && rm "$1/a"' sh "$work/r"
check 'report' ends 0 "$cosy" run "$work/ROD.cosy" -o "$work/page"
check 'the report has it' grep -q 'The error that the GRID leaves' "$work/page/report.html"

# ---- Without
check 'an option' run ROD --no-gridcheck
check 'no file of errors' test ! -e "$work/r/errors-0001.csv"
check 'the results say so' told '"message": "no error bar: --no-gridcheck"'
rod OFF '' 'GRIDCHECK OFF;' '' ''
check 'a statement' run OFF
check 'the terminal says so' shows 'error in space: not estimated (GRIDCHECK OFF)'
check 'nobody is warned of what they asked for' shows_not 'warning'
rod NAMED '' 'GRIDCHECK U;' '' ''
check 'by name' run NAMED
check 'as without names' shows 'U at most 0.00019'
check 'parts of a study' run ROD --chunk 1/1
check 'are joined' ends 0 "$cosy" collect "$work/r" -o "$work/joined"
check 'without error bars, and with a bell' shows 'FIELDs have no error bar: not with --chunk'

# ---- Events: exact at LOG(2)/(0.1*PI^2) = 0.70230493
rod EVENT 'SEVENT HALF; REAL T;' '' 'CONDIT HALF: M CROSSES 0.5 NEG TOL = 1.0E-9 END' \
    'DISCRETE EVENTS HALF: T := TIME END END END'
check 'an event' run EVENT
check 'its time has an estimate' told '"event": "HALF", "time": 0.7026'
check 'of 0.00036' told '"T": 0.00036'

# ---- Trials that go another way. At 1, M is 0.37290 on 41 points and 0.37346 on 21
rod PARTS 'SEVENT END_; REAL T;' '' 'CONDIT END_: M CROSSES 0.3731 NEG TOL = 1.0E-9 END' \
    'DISCRETE EVENTS END_: T := TIME END END END'
check 'an event that no trial has' run PARTS
check 'rings' shows 'the run has END_ at 0.9994'
check 'what was before has estimates' within norms-0001.csv 1 1 1
check 'and what comes after has none' sh -c 'tail -n 1 "$1" | grep -q "^1,,,,$"' \
    sh "$work/r/norms-0001.csv"
rod FAILS 'SEVENT STOP_; STATE V;' '' "V' = M; CONDIT STOP_: V CROSSES 0.636 POS END" \
    'DISCRETE EVENTS STOP_: ERROREXIT 3 "too warm" END END END'
check 'an ERROREXIT of a trial alone' run FAILS
check 'keeps the run' told '"status": "finished"'
check 'and rings' shows 'the trial with half of the intervals did not finish'

# ---- A grid that shows nothing, and one that cannot be halved
rod STEEP '' '' '' ''
sed -i -e "s/A\*DXX(U)/0.001*DXX(U) - U*DX(U)/" -e 's/SIN(PI/SIN(2*PI/' \
    -e 's/GRID 41/GRID 21/' "$work/STEEP.cosy"
ends_somehow() { "$cosy" run "$work/STEEP.cosy" --no-plots -o "$work/r" >"$work/out" 2>"$work/said"; true; }
check 'a front on a coarse grid' ends_somehow
check 'rings' shows 'a finer GRID'
rod TINY '' '' '' ''
sed -i 's/GRID 41/GRID 3/' "$work/TINY.cosy"
check 'a grid of two intervals' run TINY
check 'cannot be halved' shows 'too few intervals to be halved'

# ---- The integration stays below it
check 'a coarse integration' run ROD --method GEAR --relerr 1e-4
check 'the tolerance is made smaller' told '"relerr_share": 0.'
check 'with the same answer' within errors-0001.csv 43 0.00015 0.00025

# ---- What the grid meets exactly has the errors of the integration alone
rod EXACT '' '' '' ''
sed -i -e 's/U = SIN(PI\*X)/U = X/' -e 's/RIGHT: U = 0/RIGHT: U = 1/' \
    -e 's/GRID 41/GRID 11/' "$work/EXACT.cosy"
check 'a straight line' run EXACT --method DOP853
check 'has no order' shows 'lost in the error in time'
check 'and is no reason to ring' shows_not 'warning'

# ---- GRID AUTO
rod FINER '' '' '' ''
sed -i 's/GRID 41 SCHEME CENTRAL 3/GRID AUTO TOL = 1.0E-4/' "$work/FINER.cosy"
check 'a grid that is found' run FINER
check 'what was taken' told '"auto": "GRID AUTO: 65 points of X for TOL = 0.0001 of U"'
check 'keeps TOL' within errors-0001.csv 67 0.00005 0.0001
sed -i 's/TOL = 1.0E-4/TOL = 1.0E-7 MAX 200/' "$work/FINER.cosy"
check 'not within MAX' run FINER
check 'rings' shows 'which is more than TOL = 1e-07'

# ---- Studies
rod LIST 'REAL K;' 'PARAMETER K = (1, 2, 3);' '' ''
sed -i "s/A\*DXX/K*A*DXX/" "$work/LIST.cosy"
check 'a list, one thread' run LIST --threads 1
cp "$work/r/errors-0003.csv" "$work/one"
check 'a list, two threads' run LIST --threads 2
check 'the same bytes' cmp "$work/one" "$work/r/errors-0003.csv"
check 'digits besides' run ROD --verify
check 'both are told' told '"verify"'

# ---- A grid that cannot be
rod SMALL '' '' '' ''
sed -i -e 's/REAL A = 0.1/REAL A = 0.1; INTEGER N = 41/' -e 's/GRID 41/GRID N/' \
    -e 's/^END\.$/OUTPUT SHADE U END END./' "$work/SMALL.cosy"
check 'two points' ends 1 "$cosy" run "$work/SMALL.cosy" --set N=2 -o "$work/r"
check 'get a message' shows 'a GRID has 3 to'
check 'and that one alone' shows '1 error, 0 warnings'

# ---- Stopped
rod LONG '' '' '' ''
sed -i -e 's/GRID 41/GRID 401/' -e 's/TO 1 COMINT = 0.1/TO 1.0E5 COMINT = 1/' \
    -e 's/A\*DXX(U)/A*DXX(U) + SIN(1000*TIME)/' "$work/LONG.cosy"
stopped() {
    "$cosy" run "$work/LONG.cosy" --no-plots -o "$work/r" --limit-wall 1 \
        >"$work/out" 2>"$work/said"
    test $? -eq 2
}
check 'the time is over in a trial' stopped
check 'what was computed is there' told '"status": "stopped"'
check 'and why there is no error bar' told 'the trials of GRIDCHECK were stopped'

finish
