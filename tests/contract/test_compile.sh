#!/bin/sh
# From the text of a model to its results by every backend: the same bytes from
# cc, tcc and both in turn, and a clear word where a compiler is missing, fails,
# or has no place for what it makes.
. "$(dirname "$0")/shell.sh"
top=$(cd "${COSY_TESTS:-tests}/.." && pwd)
COSY_CACHE=$work/cache
export COSY_CACHE
unset CC
model=$top/examples/two-state/model.cosy

# run BACKEND MODEL DIR [OPTIONS]: quietly, into a folder of the test.
run() {
    backend=$1 text=$2 dir=$3
    shift 3
    "$cosy" run "$text" --backend="$backend" --quiet --no-plots -o "$work/$dir" "$@" \
        >"$work/out" 2>"$work/said"
}

# tcc may have been left out of this build.
if run tcc "$model" has-tcc; then tcc=yes; else tcc=no; fi

# ---- The same bytes
for name in examples/vanderpol examples/two-state examples/scr-control \
    examples/stair examples/pilot-ejection tests/sim/pollution \
    tests/sim/linear-extended; do
    text=$top/$name/model.cosy
    # Cold: tcc's code, and cc's from wherever it takes over.
    check "$name, auto" run auto "$text" auto
    check "$name, cc" run cc "$text" cc
    check "$name, both in turn as cc" same "$work/auto" "$work/cc"
    if [ $tcc = yes ]; then
        check "$name, tcc" run tcc "$text" tcc
        check "$name, tcc as cc" same "$work/tcc" "$work/cc"
    fi
    rm -rf "$work/auto" "$work/cc" "$work/tcc"
done
check "code is kept" [ "$(ls "$work/cache" | grep -c '^[0-9a-f]*\.so$')" -ge 7 ]

# What cosy emit prints can be run itself.
"$cosy" emit "$model" >"$work/model.c"
check "text" run cc "$model" of-text
check "its C" run auto "$work/model.c" of-c
check "the same from the text and its C" same_numbers "$work/of-text" "$work/of-c"

# ---- EXTERNAL functions: X' = -X^2 from 1 is 1/2 at time 1
mkdir "$work/wells"
cat >"$work/wells/model.cosy" <<'END'
PROGRAM OUTSIDE;
VAR STATE X;
EXTERNAL FUNCTION DWELL (REAL X): REAL IN "wells";
EXTERNAL FUNCTION WELL (REAL X): REAL IN "wells" DERIVATIVE DWELL;
EXPERIMENT INITCOND X = 1; SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X' = -WELL(X) END END
END.
END
cat >"$work/wells/wells.c" <<'END'
double well(double x) { return x * x; }
double DWELL(double x) { return 2 * x; }
END

# final_half DIR: X ends at 1/2, to the tolerance of the run.
final_half() {
    sed -n 's/.*"X": \([0-9.e-]*\).*/\1/p' "$work/$1/summary.json" |
        awk '{ found = $1 - 0.5 < 1e-6 && 0.5 - $1 < 1e-6 } END { exit !found }'
}
check "no library" ends 3 "$cosy" run "$work/wells/model.cosy" -o "$work/no"
check "no library is said" says 'EXTERNAL DWELL: the library "wells"'
check "how to declare one is said" says '--libraries DIR'
check "not in the place" ends 3 "$cosy" run "$work/wells/model.cosy" \
    -o "$work/no" --libraries "$work/wells"
check "the place is said" says "is not in $work/wells"
(cd "$work/wells" && cc -shared -fPIC -o libwells.so wells.c)
here=$PWD
cd "$work/wells" || exit 1
# Neither where the program stands nor where the system looks.
check "not beside the model" ends 3 env LD_LIBRARY_PATH=. "$cosy" run \
    model.cosy -o "$work/no"
check "by an option" ends 0 "$cosy" run model.cosy -o "$work/yes" \
    --libraries "/none:$work/wells"
check "its hash is kept" grep -q '"kind": "external", "name": "wells"' \
    "$work/yes/summary.json"
COSY_LIBRARIES=$work/wells
export COSY_LIBRARIES
for backend in cc auto $([ $tcc = yes ] && echo tcc); do
    check "EXTERNAL, $backend" run $backend model.cosy wells-$backend
    check "EXTERNAL, $backend: X" final_half wells-$backend
done
cd "$here" || exit 1

# ---- Refusals
# refused TEXT COMMAND...: exit status 3, and a message with TEXT.
refused() {
    text=$1
    shift
    check "$*" ends 3 "$@"
    check "$* says $text" says "$text"
}
cosy_run="$cosy run $model --quiet -o $work/refused"
refused "cc, tcc or auto" $cosy_run --backend=gcc
refused "cc, tcc or auto" $cosy_run --backend gcc
refused "needs a value" $cosy_run --backend
quad=$top/tests/sim/two-state-quad/model.cosy
refused "QUAD" "$cosy" run "$quad" --backend=tcc -o "$work/refused"

# ---- A compiler that is missing or fails
CC="$work/none/gcc -O1"
export CC
refused "no C compiler \"$work/none/gcc\"" $cosy_run --backend=cc
refused "no C compiler" "$cosy" run "$quad" -o "$work/refused"
if [ $tcc = yes ]; then
    check "tcc serves where there is no cc" ends 0 $cosy_run
    check "and nothing is said" [ -z "$(grep -i -e compiler -e tcc "$work/said")" ]
fi
printf '#!/bin/sh\necho "cannot do that" >&2\nexit 4\n' >"$work/failing"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$work/dying"
chmod +x "$work/failing" "$work/dying"
CC=$work/failing
refused "exit status 4: cannot do that" $cosy_run --backend=cc
CC=$work/dying
refused "signal 11" $cosy_run --backend=cc
unset CC

# ---- A compiler that hangs: limits and interrupts end it with its children
cat >"$work/hanging" <<END
#!/bin/sh
trap '' HUP INT TERM
sleep 60 & echo \$! >>"$work/pids"
sleep 60 & echo \$! >>"$work/pids"
wait
END
chmod +x "$work/hanging"
# begun: both children of it are there. over: nothing of it is.
begun() {
    tries=0
    until [ "$(wc -l <"$work/pids")" -ge 2 ] || [ $tries -ge 200 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}
# Killed processes need a moment to go.
over() {
    tries=0
    until gone || [ $tries -ge 20 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    gone
}
gone() {
    for pid in $(cat "$work/pids"); do
        case $(cut -d ' ' -f 3 "/proc/$pid/stat" 2>/dev/null) in
        '' | Z) ;;
        *) return 1 ;;
        esac
    done
}
CC=$work/hanging
export CC
: >"$work/pids"
check "wall, cc hangs" ends 2 timeout 60 $cosy_run --backend=cc --limit-wall 1
check "wall, cc hangs, said" says "the time of --limit-wall is over: the C compiler"
check "wall, cc hangs, over" over
check "nothing of it stays" [ -z "$(ls "$work/cache" | grep part)" ]
# Two at once are one, as timeout(1) sends them.
for signal in INT TERM "INT INT"; do
    : >"$work/pids"
    $cosy_run --backend=cc >"$work/out" 2>"$work/said" &
    runs=$!
    begun
    for one in $signal; do kill -$one $runs 2>/dev/null; done
    wait $runs
    check "$signal, cc hangs" [ $? -eq 2 ]
    check "$signal, cc hangs, said" says "stopped from outside: the C compiler"
    check "$signal, cc hangs, over" over
done
# A compiler removes its temporary files when it is asked to end.
cat >"$work/tidy" <<EOF
#!/bin/sh
trap 'rm -f "$work/left.o"; exit 143' TERM
: >"$work/left.o"
sleep 20 &
wait
EOF
chmod +x "$work/tidy"
CC=$work/tidy
check "wall, cc tidies up" ends 2 timeout 60 $cosy_run --backend=cc --limit-wall 1
check "nothing of cc stays" [ ! -e "$work/left.o" ]
unset CC

# ---- A cache that others may write is refused
COSY_CACHE=$work/open
mkdir -m 777 "$work/open"
chmod 777 "$work/open"
refused "can be written by others" $cosy_run --backend=cc
refused "can be written by others" $cosy_run

# ---- A cache that cannot be written, or is damaged
COSY_CACHE=/dev/null/cache
check "no cache" ends 0 $cosy_run --backend=cc
check "no cache is said" says "cosy: note: the cache"
COSY_CACHE=$work/cache
for file in "$work"/cache/*.so; do
    echo damaged >"$file"
done
check "a damaged cache" run cc "$model" mended
check "a damaged cache gives the same" same "$work/mended" "$work/of-text"

finish
