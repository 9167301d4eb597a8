#!/bin/sh
# --snapshot: a long run that is killed goes on from its last image, with --resume, to
# the same bytes, texts and points included; so does a long one among short ones.
# Methods that cannot be saved, and images that are damaged, are told. Needs
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
export COSY_CACHE COSY_LIBRARY
mkdir "$work/place" && cd "$work/place" || exit 1

cat >long.cosy <<'MODEL'
PROGRAM LONG;
VAR STATE X, V; TEVENT E; SEVENT UP; REAL PUSH; RANDOM G; INTEGER N;
STORE X, N;
EXPERIMENT
  RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1 END;
  INITCOND X = 1;
  COLLECT PUSH END; HISTOGRAM PUSH: 5 CELLS END;
  INTEGRAT RELERR = 1E-11;
  SIMULATE FROM 0 TO 200000 COMINT = 300;
  WRITELN("the end: ", X)
END;
SYSTEM
  INITIAL SCHEDULE E AT 0.3; WRITELN("begin") END;
  CONTINUOUS X' = V; V' = -X - 0.1*V + SIN(0.3*TIME);
    CONDIT UP: X CROSSES 1 POS END
  END;
  DISCRETE EVENTS
    UP: IF N > 100 THEN BEGIN WRITELN("up at ", TIME); N := 0; CROSSPLOT END END;
    TEVENTS:
    E: PUSH := G; V := V + 0.1*PUSH; N := N + 1; SCHEDULE E AT TIME + 1 END
    END
  END END;
  TERMINAL WRITELN("over ", N) END
END;
OUTPUT TITLE "way"; GRAPH: X; TITLE "points"; GRAPH (CROSSF): X
END
END.

MODEL
sed -e 's/INITCOND X = 1;/INITCOND X = 1; PARAMETER LAST = (50, 300, 100000, 70, 20);/' \
    -e 's/INTEGER N;/INTEGER N; REAL LAST;/' -e 's/TIME + 1$/TIME + 1; IF TIME > LAST THEN FINISH/' \
    long.cosy >several.cosy

# killed MODEL OUT SECONDS OPTION...: kills it; true if it was in time.
killed() {
    text=$1
    out=$2
    after=$3
    shift 3
    "$cosy" run "$text" -o "$out" --quiet --no-plots --snapshot 0.05 "$@" \
        >killed.out 2>&1 &
    process=$!
    sleep "$after"
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    [ $? -eq 137 ]
}

# interrupted MODEL OUT OPTION...: kills it when it has saved itself.
interrupted() {
    text=$1
    out=$2
    shift 2
    for try in 1 2 3; do
        rm -rf "$out" "$out".*
        "$cosy" run "$text" -o "$out" --quiet --no-plots --snapshot 0.05 "$@" \
            >killed.out 2>&1 &
        process=$!
        tries=0
        while kill -0 "$process" 2>/dev/null && [ "$tries" -lt 2000 ] &&
            ! ls "$out".*/snapshot-* >left 2>/dev/null; do
            sleep 0.01
            tries=$((tries + 1))
        done
        kill -9 "$process" 2>/dev/null
        wait "$process" 2>/dev/null
        [ $? -eq 137 ] && ls "$out".*/snapshot-* >left 2>/dev/null && return 0
    done
    echo "it never left a snapshot"
    return 1
}

for model in long several; do
    check "$model" ends 0 "$cosy" run $model.cosy -o $model-whole --no-plots
    sleep 2 # the C compiler may still be at work for the cache
    sed 's/^Results are in .*//' "$work/out" >whole.txt
    check "$model with snapshots" ends 0 "$cosy" run $model.cosy -o $model-saved \
        --no-plots --snapshot 0.02s
    sed 's/^Results are in .*//' "$work/out" >saved.txt
    check "$model: saving changes nothing" same $model-whole $model-saved
    check "$model: nothing printed either" cmp whole.txt saved.txt
    for k in 1 2; do
        check "$model: killed $k" interrupted $model.cosy out
        killed $model.cosy out 0.3 --resume
        check "$model: goes on $k" ends 0 "$cosy" run $model.cosy -o out --no-plots \
            --resume
        check "$model: says from where $k" says "--resume: it goes on at time"
        check "$model: the same bytes $k" same $model-whole out
        sed 's/^Results are in .*//' "$work/out" >resumed.txt
        check "$model: the same text $k" cmp whole.txt resumed.txt
        check "$model: nothing else $k" [ "$(ls -d out* | wc -l)" -eq 1 ]
    done
done

# ---- Stopped in the ordinary way
"$cosy" run long.cosy -o out --quiet --no-plots --snapshot 0.05 >stopped 2>&1 &
process=$!
sleep 0.5
kill -INT $process
wait $process
check "stopped" [ $? -eq 2 ]
check "it has saved itself" [ -s out/snapshot-0-0.cosyi ]
check "goes on after that" ends 0 "$cosy" run long.cosy -o out --no-plots --resume
check "from there" says "it goes on at time"
check "the same bytes then" same long-whole out

# ---- What cannot be
cat >gear.cosy <<'MODEL'
PROGRAM GEAR;
VAR STATE X, V; STORE X;
EXPERIMENT
  INITCOND X = 1; INTEGRAT METHOD GEAR;
  SIMULATE FROM 0 TO 80000 COMINT = 100
END;
SYSTEM CONTINUOUS X' = V; V' = -X - 0.1*V + SIN(0.3*TIME) END END;
END.
MODEL
check "with GEAR" ends 0 "$cosy" run gear.cosy -o gear-whole --no-plots
sleep 2
check "a multistep method" interrupted gear.cosy out
check "GEAR is told" grep -q "METHOD GEAR cannot be saved" killed.out
check "with GEAR it ends" ends 0 "$cosy" run gear.cosy -o out --no-plots --resume
check "it begins anew" says "--resume: it begins anew: a run with METHOD GEAR"
check "the same bytes with GEAR" same gear-whole out
check "damage" interrupted long.cosy out
for image in out.*/snapshot-0-0.cosyi; do
    printf 'HELLO' | dd of="$image" bs=1 seek=500 conv=notrunc 2>/dev/null
done
check "in spite of it" ends 0 "$cosy" run long.cosy -o out --no-plots --resume
check "is told" says "its snapshot cannot be used: it begins anew"
check "the same bytes in spite of it" same long-whole out
check "without --resume" interrupted long.cosy out
check "it is kept" killed long.cosy out 0.1
check "so long" ends 0 "$cosy" run long.cosy -o out --no-plots --resume
check "as it is of use" says "it goes on at time"
for time in 0 -1 1x 5q m ''; do
    check "no time: $time" ends 3 "$cosy" run long.cosy --snapshot "$time"
    check "no time: $time is told" says "60s, 5m or 1h"
done
check "two kinds of snapshots" ends 3 "$cosy" run long.cosy --snapshot 5m \
    --save f --save-at 3
check "are told" says "do not go together"
if unshare -Urm true 2>/dev/null; then
    mkdir small
    check "a small disk" ends 0 unshare -Urm sh -c '
        mount -t tmpfs -o size=200k none small || exit 9
        "$1" run long.cosy -o small/p --quiet --no-plots --snapshot 0.01 \
            2>said.small
        grep -q "No space left.*it goes on from" said.small || exit 7
        [ "$(grep -c "goes on from" said.small)" -eq 1 ] || exit 6' sh "$cosy"
fi
finish
