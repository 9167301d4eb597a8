#!/bin/sh
# --snapshot: a long run that is killed goes on from its last image, with --resume, to
# the same bytes, texts and points included; so does a long one among short ones.
# Methods that cannot be saved, and images that are damaged, are told. Needs
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/studies.sh"

cat >long.cosy <<'MODEL'
PROGRAM LONG;
EXTERNAL FUNCTION PACE (REAL REACHED): REAL IN "gate";
VAR STATE X, V; TEVENT E; SEVENT UP; REAL PUSH; RANDOM G; INTEGER N;
STORE X, N;
EXPERIMENT
  RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1 END;
  INITCOND X = 1;
  COLLECT PUSH END; HISTOGRAM PUSH: 5 CELLS END;
  INTEGRAT RELERR = 1E-11;
  SIMULATE FROM 0 TO 4000 COMINT = 300;
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
    E: PUSH := G + PACE(TIME); V := V + 0.1*PUSH; N := N + 1; SCHEDULE E AT TIME + 1 END
    END
  END END;
  TERMINAL WRITELN("over ", N) END
END;
OUTPUT TITLE "way"; GRAPH: X; TITLE "points"; GRAPH (CROSSF): X
END
END.

MODEL
sed -e 's/INITCOND X = 1;/INITCOND X = 1; PARAMETER LAST = (50, 300, 3500, 70, 20);/' \
    -e 's/INTEGER N;/INTEGER N; REAL LAST;/' -e 's/TIME + 1$/TIME + 1; IF TIME > LAST THEN FINISH/' \
    long.cosy >several.cosy

# begun MODEL OUT FROM OPTION...: starts it, and waits until it has saved itself. It is
# slow from time FROM on.
begun() {
    text=$1
    out=$2
    shut "$3"
    shift 3
    launch "$cosy" run "$text" -o "$out" --quiet --no-plots --snapshot 0.01 "$@"
    reached "$out.$process-*/snapshot-*.cosyi" # not its temporary name
}

# interrupted MODEL OUT: kills it when it has saved itself.
interrupted() {
    rm -rf "$2" "$2".*
    begun "$1" "$2" 1000 && slay
}

for model in long several; do
    check "$model" ends 0 "$cosy" run $model.cosy -o $model-whole --no-plots
    text_of whole.txt
    check "$model: saves itself" begun $model.cosy $model-saved 1000
    opened
    check "$model with snapshots" wait $process
    check "$model: saving changes nothing" same $model-whole $model-saved
    check "$model: killed" interrupted $model.cosy out
    check "$model: goes on, and saves itself again" begun $model.cosy out 2000 --resume
    check "$model: killed again" slay
    check "$model: goes on" ends 0 "$cosy" run $model.cosy -o out --no-plots --resume
    check "$model: says from where" says "--resume: it goes on at time"
    check "$model: the same bytes" same $model-whole out
    text_of resumed.txt
    check "$model: the same text" cmp whole.txt resumed.txt
    check "$model: nothing else" [ "$(ls -d out* | wc -l)" -eq 1 ]
done

# ---- Stopped in the ordinary way
check "to be stopped" begun long.cosy out 1000
check "stopped" slay INT
check "it has saved itself" [ -s out/snapshot-0-0.cosyi ]
check "goes on after that" ends 0 "$cosy" run long.cosy -o out --no-plots --resume
check "from there" says "it goes on at time"
check "the same bytes then" same long-whole out

# ---- What cannot be
sed -e 's/RELERR = 1E-11/METHOD GEAR/' -e 's/TO 4000 COMINT/TO 1200 COMINT/' \
    long.cosy >gear.cosy
check "with GEAR" ends 0 "$cosy" run gear.cosy -o gear-whole --no-plots
check "a multistep method" interrupted gear.cosy out
check "GEAR is told" says "METHOD GEAR cannot be saved"
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
shut 0
launch "$cosy" run long.cosy -o out --quiet --no-plots
check "another process is there" reached "out.$process-*"
check "it is killed before it saves itself" slay
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
    shut 3980
    check "a small disk" ends 0 unshare -Urm sh -c '
        mount -t tmpfs -o size=200k none small || exit 9
        "$1" run long.cosy -o small/p --quiet --no-plots --snapshot 0.01 \
            2>said.small
        grep -q "No space left.*it goes on from" said.small || exit 7
        [ "$(grep -c "goes on from" said.small)" -eq 1 ] || exit 6' sh "$cosy"
fi
finish
