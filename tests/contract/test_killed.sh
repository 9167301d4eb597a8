#!/bin/sh
# Killed at any moment, the program leaves under every final name either the
# file that was there before or the new one, whole.
. "$(dirname "$0")/shell.sh"
model=$models/mm1.double.so
old="--set CUSTOMERS=100"
new="--set CUSTOMERS=60000"

# either FILE: it is that of the old or of the new results.
either() {
    name=${1##*/}
    for results in "$work/old" "$work/new"; do
        # The old results may have been left by a run that saved a snapshot.
        sed '/^ "wall_s": /d; /^ "provenance": /d' "$results/$name" >"$work/one"
        sed '/^ "wall_s": /d; /^ "provenance": /d' "$1" >"$work/two"
        cmp -s "$work/one" "$work/two" && return 0
    done
    return 1
}

check "old results" ends 0 "$cosy" run "$model" --quiet -o "$work/old" $old
check "new results" ends 0 "$cosy" run "$model" --quiet -o "$work/new" $new
check "an old snapshot" ends 0 "$cosy" run "$model" --quiet -o "$work/dir" \
    $old --save "$work/image" --save-at 10
cp "$work/image" "$work/old.image"

# whole WHEN: nothing is cut, and the snapshot can be used.
whole() {
    for file in summary.json events-0001.csv; do
        check "$file $1" either "$work/dir/$file"
    done
    check "snapshot $1" ends 0 "$cosy" run "$model" --quiet \
        -o "$work/again" $new --restore "$work/image"
}

# killed_within BLOCKS: by the signal for a file that is too long, in the middle
# of a write.
killed_within() {
    rm -rf "$work/dir"
    cp -R "$work/old" "$work/dir"
    (
        ulimit -c 0
        ulimit -f "$1"
        exec "$cosy" run "$model" --quiet -o "$work/dir" $new \
            --save "$work/image" --save-at 70000
    ) 2>/dev/null
    check "dies within $1 blocks" [ $? -gt 128 ]
    whole "within $1 blocks"
}

# killed_after SECONDS
killed_after() {
    rm -rf "$work/dir"
    cp -R "$work/old" "$work/dir"
    "$cosy" run "$model" --quiet -o "$work/dir" $new --save "$work/image" \
        --save-at 70000 2>/dev/null &
    victim=$!
    sleep "$1"
    kill -9 "$victim" 2>/dev/null && killed=$((killed + 1))
    wait "$victim" 2>/dev/null
    whole "after $1 s"
}

for blocks in 0 1 2 5 30 200 1000 5000; do
    killed_within $blocks
done
killed=0
for hundredths in 00 01 02 03 04 05 06 08 10 12 14 16 18 20 22 25 30 35; do
    killed_after 0.$hundredths
done
check "some were killed before their end" [ "$killed" -ge 3 ]
check "the last run" ends 0 "$cosy" run "$model" --quiet -o "$work/dir" $old
check "clears up behind all of them" [ -z "$(ls "$work" | grep '^dir\..*tmp$')" ]
finish
