#!/bin/sh
# What is for terminals alone: colour, the sketch of a graph, progress. `script`
# is one to the program; without it nothing is tested here.
. "$(dirname "$0")/../contract/shell.sh"
cd "$work" || exit 1
if ! command -v script >/dev/null 2>&1; then
    echo "no script(1) here: terminals are not tested"
    exit 77
fi
escape=$(printf '\033')
COSY_CACHE=$work/cache
export COSY_CACHE

cat >swing.cosy <<'TEXT'
PROGRAM SWING;
VAR STATE X [m], V [m/s]; REAL K [1/s^2];
STORE X, V;
EXPERIMENT
  PARAMETER K = (1, 2);
  INITCOND X = 1, V = 0;
  SIMULATE FROM 0 TO 10 COMINT = 0.1
END;
SYSTEM CONTINUOUS X' = V; V' = -K*X END END;
OUTPUT TITLE "to and fro"; GRAPH: X; GRAPH (7): X; LIST (9): X END
END.
TEXT

# on COLUMNS COMMAND...: what a terminal of that width gets is in `seen`.
on() {
    columns=$1
    shift
    TERM=${term-xterm} script -qec "stty cols $columns rows 40; $*" /dev/null \
        </dev/null 2>&1 | sed 's/\r$//' >seen
    [ -s seen ]
}
shows() {
    grep -q -F -e "$1" seen && return 0
    echo "no \"$1\" in:"
    cat seen
    return 1
}
widest() {
    awk 'length($0) > n { n = length($0) } END { print n + 0 }'
}

check "a terminal" on 80 "$cosy" run swing.cosy -o a
check "the sketch" shows "to and fro"
check "which run" shows "run 2"
check "time has its unit" shows "TIME [s]"
check "a warning in colour" shows "${escape}[1;35mwarning:"
check "results" shows "Results are in a/"
check "of 80 columns" [ "$(grep -v warning seen | widest)" -le 80 ]
check "a narrow one" on 60 "$cosy" run swing.cosy -o a
check "the sketch fits" [ "$(sed -n '/to and fro/,/TIME/p' seen | widest)" -eq 60 ]
check "a wide one" on 200 "$cosy" run swing.cosy -o a
check "a wide sketch" [ "$(sed -n '/to and fro/,/TIME/p' seen | widest)" -eq 120 ]
check "NO_COLOR" on 80 NO_COLOR=1 "$cosy" run swing.cosy -o a
check "no colour" sh -c "! grep -q '$escape' seen"
check "the sketch all the same" shows "to and fro"
check "NO_COLOR of nothing" on 80 NO_COLOR= "$cosy" run swing.cosy -o a
check "colour" shows "${escape}[1;35mwarning:"
term=dumb
check "a dumb one" on 80 "$cosy" run swing.cosy -o a
check "no colour there" sh -c "! grep -q '$escape' seen"
unset term
check "an error" on 80 "$cosy" check none.cosy
printf 'PROGRAM P;\nVAR STATE X;\nNONSENSE\nEND.\n' >wrong.cosy
check "a mistake" on 80 "$cosy" check wrong.cosy
check "in colour" shows "${escape}["
check "a mistake without colour" on 80 NO_COLOR=1 "$cosy" check wrong.cosy
check "none" sh -c "! grep -q '$escape' seen"

# ---- Nothing of it in a pipe
check "a pipe" ends 0 "$cosy" run swing.cosy -o a
check "no sketch" sh -c "! grep -q 'to and fro' '$work/out'"
check "no escapes" sh -c "! grep -q '$escape' '$work/out' '$work/said'"

# ---- Progress: of a run that takes a second or two, and is stopped
sed 's/TO 10 COMINT = 0.1/TO 1.0E9 COMINT = 1.0E6/; s/(1, 2)/1/' swing.cosy \
    >long.cosy
# until_seen: for seconds, or longer on a slow machine, until it shows its speed.
until_seen() {
    for seconds in 3 10 30; do
        on 80 timeout -s INT $seconds "$cosy" run long.cosy --method RK4 \
            --step 0.01 --no-plots -o b
        tr '\015' '\n' <seen >lines
        grep -q 'steps/s' lines && return 0
    done
    return 1
}
check "a long run" until_seen
check "time, steps, what remains" grep -q \
    'time [0-9.e+]* s, 0 %, [0-9.]*\( [kM]\)* steps/s' lines
check "on a dumb terminal" env TERM=dumb script -qec \
    "timeout -s INT 2 $cosy run long.cosy --method RK4 --step 0.01 \
    --no-plots -o b; true" seen >/dev/null
check "there is none" sh -c "! grep -q 'steps/s' seen"
check "in a pipe" sh -c "timeout -s INT 2 '$cosy' run long.cosy \
    --method RK4 --step 0.01 --no-plots -o b 2>&1 | grep -q 'steps/s'; [ \$? -eq 1 ]"

# A wide terminal has room for what stands below the line on a narrow one.
cat >many.cosy <<'TEXT'
PROGRAM MANY;
VAR STATE X; REAL RATE_OF_GROWTH, RATE_OF_DECAY;
EXPERIMENT
  PARAMETER RATE_OF_GROWTH = (1.25, 2), RATE_OF_DECAY = (0.125, 3);
  SIMULATE FROM 0 TO 1
END;
SYSTEM CONTINUOUS X' = RATE_OF_GROWTH - RATE_OF_DECAY*X END END;
END.
TEXT
check "80 columns" on 80 "$cosy" run many.cosy --no-plots -o c
check "below" grep -q '^         RATE_OF_GROWTH=1.25, RATE_OF_DECAY=0.125$' seen
check "120 columns" on 120 "$cosy" run many.cosy --no-plots -o c
check "beside" grep -q \
    '^    1  finished .* 0  RATE_OF_GROWTH=1.25, RATE_OF_DECAY=0.125$' seen
finish
