#!/bin/sh
# Wrong use and a hostile environment: exit status 3, a message that names what
# was wrong, and nothing left under a final name that is not whole.
. "$(dirname "$0")/shell.sh"
model=$models/twostate.double.so
run="$cosy run $model --quiet -o $work/out.dir"

# refused TEXT COMMAND...: exit status 3, and a message with TEXT.
refused() {
    text=$1
    shift
    check "$*" ends 3 "$@"
    check "$* says $text" says "$text"
    check "$* says whose error" says "cosy: error: "
}

# ---- Options
refused "cosy --help" "$cosy" walk
refused "needs a model" "$cosy" run
refused "--frob" $run --frob
refused "--to" $run --to
refused "--relerr" $run --relerr abc
refused "--relerr" $run --relerr nan
refused "RELERR" $run --relerr -1
refused "RELERR" $run --relerr 1e-17
refused "--abserr" $run --abserr 1.0.0
refused "ABSERR" $run --abserr -1
refused "--step" $run --step x
refused "STEP" $run --step -0.1
# As INTEGRAT refuses them in a program: zero is no accuracy, nor is what
# becomes zero.
for option in relerr abserr step; do
    word=$(echo $option | tr a-z A-Z)
    refused "--$option 0: $word must be positive" $run --$option 0
    refused "--$option -0.0: $word must be positive" $run --$option -0.0
    refused "\"1e-5000\" is too small for the computer" $run --$option 1e-5000
    refused "\"1e5000\" is too large for the computer" $run --$option 1e5000
    refused "is not a number" $run --$option "0x1p-3"
    refused "is not a number" $run --$option " 1"
done
refused "too small" $run --set C1=1e-5000
refused "too large" $run --set C1=1e5000
refused "is not a number" $run --set C1=0x10
refused "is not a number" $run --set "C1=1 1"
refused "above 0" $run --limit-events 0
refused "--limit-events" $run --limit-events -1
refused "--limit-wall" $run --limit-wall 0
refused "--limit-wall" $run --limit-wall -1
refused "--limit-wall" $run --limit-wall nan
refused "--limit-time" $run --limit-time nan
refused "--threads" $run --threads -1
refused "--threads" $run --threads 1.5
refused "--frame" $run --frame 0
check "a limit before the start" ends 2 $run --limit-time -5
check "a limit before the start is said" says "time 0: stopped: TIME has reached --limit-time"
refused "--to" $run --to inf
refused "METHOD FOO" $run --method FOO
refused "STEP" $run --method RK4
refused "PRECISION = DOUBLE" "$cosy" run "$models/twostate.quad.so" \
    -o "$work/out.dir" --quiet --method GEAR
refused "NIX" $run --set NIX=1
refused "abc" $run --set C1=abc
refused "NAME=VALUE" $run --set C1
refused "computed by an equation" "$cosy" run "$models/pendulum.double.so" \
    -o "$work/out.dir" --quiet --set X=1
refused "--threads" $run --threads 0
refused "--seed" $run --seed -1
refused "--limit-events" $run --limit-events many
refused "belong together" $run --save "$work/image"
refused "--save-at" $run --save "$work/image" --save-at x
refused "GEAR" $run --method GEAR --save "$work/image" --save-at 2
check "help" ends 0 "$cosy" --help
check "version" ends 0 "$cosy" --version
check "all versions" [ "$(tail -n 1 "$work/out")" = \
    "language 2.0, results 1, model contract $(sed -n \
        's/^#define COSY_VERSION //p' "$(dirname "$0")/../../include/cosy/model.h")" ]

# unheard COMMAND...: standard output is a device that takes nothing.
unheard() {
    "$@" >/dev/full 2>"$work/said"
    [ $? -eq 3 ]
}
check "summary to a full device" unheard $run --json
check "results to a full device" unheard "$cosy" run "$model" \
    -o "$work/out.dir"
check "help to a full device" unheard "$cosy" --help

# ---- Files that are no models
refused "none.so" "$cosy" run "$work/none.so"
echo "text" >"$work/text.so"
refused "text.so" "$cosy" run "$work/text.so"
for wrong in version precision size; do
    refused "foreign-$wrong.so" "$cosy" run \
        "${COSY_FOREIGN:-build/tests/contract}/foreign-$wrong.so"
done

# ---- Results that cannot be written
touch "$work/file"
refused "$work/file" "$cosy" run "$model" --quiet -o "$work/file"
refused "$work/file" "$cosy" run "$model" --quiet -o "$work/file/below"
mkdir -p "$work/barred/summary.json"
refused "barred/summary.json is in the way" "$cosy" run "$model" --quiet \
    -o "$work/barred"
check "all or nothing" [ "$(ls -A "$work/barred")" = "summary.json" ]
check "no stage is left" [ -z "$(ls -d "$work"/*.tmp 2>/dev/null)" ]
mkdir "$work/device"
ln -s /dev/full "$work/device/events-0001.csv"
refused "events-0001.csv" "$cosy" run "$model" --quiet -o "$work/device"
# full COMMAND...: files may have 2 kB, as if a disk were full.
full() {
    (
        trap '' XFSZ
        ulimit -f 4
        exec "$@"
    )
}
check "old results" ends 0 "$cosy" run "$model" --quiet -o "$work/disk" --to 1
cp -R "$work/disk" "$work/disk.before"
refused "run-0001.csv" full "$cosy" run "$model" --quiet -o "$work/disk"
check "the old file stays" cmp "$work/disk/run-0001.csv" \
    "$work/disk.before/run-0001.csv"
check "nothing new is left" [ "$(ls -A "$work/disk")" = \
    "$(ls -A "$work/disk.before")" ]
refused "image" full $run --save "$work/image" --save-at 2 --to 2.1
check "no snapshot" [ ! -e "$work/image" ]
refused "$work/no/image" $run --save "$work/no/image" --save-at 2

# ---- Snapshots
check "a snapshot" ends 0 $run --save "$work/image" --save-at 2
refused "none" $run --restore "$work/none"
refused "text.so" $run --restore "$work/text.so"
: >"$work/empty"
refused "empty" $run --restore "$work/empty"
size=$(wc -c <"$work/image")
for part in 1 7 8 20 200 1000 $((size / 2)) $((size - 1)); do
    head -c "$part" "$work/image" >"$work/part"
    refused "part" $run --restore "$work/part"
done
for at in 3 12 40 100 300 $((size / 2)) $((size - 3)); do
    { head -c "$at" "$work/image"; printf '\377\376'
      tail -c +$((at + 3)) "$work/image"; } >"$work/bent"
    refused "bent" $run --restore "$work/bent"
done
{ cat "$work/image"; echo more; } >"$work/long"
refused "long" $run --restore "$work/long"
refused "another model" "$cosy" run "$models/vanderpol.double.so" --quiet \
    -o "$work/out.dir" --restore "$work/image"
refused "precision" "$cosy" run "$models/twostate.quad.so" --quiet \
    -o "$work/out.dir" --restore "$work/image"
refused "image" $run --restore "$work/image" --method DOPRI5
check "the snapshot itself is good" ends 0 $run --restore "$work/image"
finish
