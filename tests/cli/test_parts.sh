#!/bin/sh
# Studies in parts: what cosy collect makes of the parts of --chunk, and what --resume
# makes of what kill -9 has left, are the bytes of one process; damage costs what is
# behind it, a full disk no more than that. KILLS says how often a process is killed.
# Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/studies.sh"
kills=${KILLS:-6}

cat >parts.cosy <<'MODEL'
(* Everything that a run can leave: curves, texts, warnings, histograms, quantiles,
   points of CROSSPLOT, SAVEd runs, a run that fails. *)
PROGRAM PARTS;
VAR STATE X; ALGEBR Z; TEVENT E; SEVENT LOW; REAL K, C, SEEN, LIMIT, PUSH, KICK; INTEGER N;
    RANDOM G, H;
STORE X, N;
EXPERIMENT
  WRITELN("begin"); C := 0.1; LIMIT := -100;
  FRAME
    SWEEP K = LIN 0.5 TO 1.5 POINTS 3, C = (0.1, 0.2);
    RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1; H: NORMALD MEAN = 0 SD = 1 END;
    REPLICATE 3;
    COLLECT QUANTILES PUSH END;
    HISTOGRAM KICK: 4 CELLS WIDTH = 1 FUPLIM = -1 END;
    INITCOND X = 1;
    SIMULATE FROM 0 TO 2 COMINT = 0.1;
    WRITELN("X = ", X, " N = ", N)
  END;
  FRAME
    RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1; H: NORMALD MEAN = 0 SD = 1 END;
    INITCOND X = (1, 2, 3);
    PARAMETER K = 0.25, LIMIT = 1.5;
    SIMULATE FROM 0 TO 1 COMINT = 0.25;
    WRITELN("then X = ", X, " N = ", N);
    C := C + 0.05;
    SIMULATE FROM 0 TO 1 COMINT = 0.25;
    WRITELN("last X = ", X, " C = ", C)
  END
END;
SYSTEM
  INITIAL SCHEDULE E AT 0.3; SEEN := K; N := 0 END;
  CONTINUOUS X' = -K*X + C; Z = SQRT(X - LIMIT);
    CONDIT LOW: X CROSSES 0.7 NEG END
  END;
  DISCRETE EVENTS
    LOW: WRITELN("low at ", TIME) END;
    TEVENTS:
    E: PUSH := G; KICK := H; X := X + 0.1*PUSH + 0.001*KICK; N := N + 1;
       IF TIME > 0.9 THEN WRITE(N); SCHEDULE E AT TIME + 0.2 END
    END
  END END;
  TERMINAL CROSSPLOT; IF (C > 0.15) AND (K > 1.2) THEN SAVE END
END;
OUTPUT
  TITLE "curves"; GRAPH (ALL): X;
  TITLE "points"; GRAPH (CROSSF) VERSUS SEEN: X;
  BARS: KICK
END
END.

MODEL
cat >many.cosy <<'MODEL'
PROGRAM MANY;
EXTERNAL FUNCTION PACE (REAL REACHED): REAL IN "gate";
VAR STATE X; TEVENT E; REAL K, PUSH; RANDOM G;
STORE X;
EXPERIMENT
  PARAMETER K = (0.5, 1, 2);
  RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1 END;
  INITCOND X = 1;
  COLLECT PUSH END;
  REPLICATE 100;
  SIMULATE FROM 0 TO 100 COMINT = 1
END;
SYSTEM
  INITIAL SCHEDULE E AT 0.3; PUSH := PACE(RUN) END;
  CONTINUOUS X' = -K*X END;
  DISCRETE EVENTS TEVENTS:
    E: PUSH := G + PACE(RUN - 20); X := X + PUSH; SCHEDULE E AT TIME + 0.5;
       IF PUSH > 0.999 THEN WRITELN("far at ", TIME) END
    END
  END END
END;
END.
MODEL

# in_parts N FOLDER [WORD...]: N parts in FOLDER/1, FOLDER/2 ...
in_parts() {
    n=$1
    folder=$2
    shift 2
    k=0
    while [ "$k" -lt "$n" ]; do
        k=$((k + 1))
        "$cosy" run parts.cosy --chunk "$k/$n" -o "$folder/$k" --quiet "$@" ||
            return 1
    done
}

# ---- One process and several
check "one process" ends 2 "$cosy" run parts.cosy -o whole
text_of whole.txt
cp "$work/said" whole.said
for n in 1 3 8 20; do
    check "$n parts" in_parts $n parts-$n
    check "$n parts are joined" ends 2 "$cosy" collect parts-$n/* -o joined-$n
    text_of joined.txt
    check "$n: the same bytes" same whole joined-$n
    check "$n: the same output" cmp whole.txt joined.txt
    check "$n: the same messages" cmp whole.said "$work/said"
done
check "a part" ends 0 "$cosy" run parts.cosy --chunk 1/20 -o empty
check "says how many runs it has" prints "part 1 of 20: 0 runs"
check "a folder of parts" ends 2 "$cosy" collect parts-8
check "goes where run would put it" same whole parts.out
mkdir away
check "seen from elsewhere" ends 2 sh -c \
    'cd away && "$1" collect ../parts-3/* --quiet' sh "$cosy"
check "the same bytes from there" same whole away/parts.out
check "JSON" ends 2 "$cosy" collect parts-3/* --json -o json
grep -v '"wall_s"' "$work/out" >json.txt
grep -v '"wall_s"' whole/summary.json >whole.json
check "is summary.json" cmp json.txt whole.json
check "into a database" ends 2 "$cosy" collect parts-3/* -o base --store b.db
check "as a study" ends 0 "$cosy" results show 1 b.db
check "parts with options" in_parts 2 set --set K=0.7 --set LIMIT=0
check "are joined with them" ends 0 "$cosy" collect set -o own
check "as one process has them" ends 0 "$cosy" run parts.cosy --set K=0.7 \
    --set LIMIT=0 -o other
check "the same bytes with options" same other own
check "in any order, some twice" ends 2 "$cosy" collect parts-3/3 parts-3/1 \
    parts-3/2 parts-3/1 -o order
check "the same bytes in any order" same whole order
check "a part with limits" ends 0 "$cosy" run parts.cosy --chunk 2/3 -o limited \
    --quiet --limit-wall 3600 --limit-memory=4G
check "is one of the same study" ends 2 "$cosy" collect parts-3/1 limited parts-3/3 \
    -o unlimited
check "the same bytes in spite of limits" same whole unlimited
check "parts of several sizes" ends 2 "$cosy" collect parts-3/1 parts-8/3 \
    parts-8/4 parts-8/5 parts-8/6 parts-3/3 -o mixed
check "the same bytes from them" same whole mixed

# ---- What cannot be joined
check "a part is missing" ends 3 "$cosy" collect parts-3/1 parts-3/3 -o none
check "which" says "note: of 3 parts 2 is missing"
check "which runs" says "6 of 18 runs are in none of the parts: runs 7 to 12"
check "nothing is left of it" [ ! -e none ]
check "it can be made" ends 2 "$cosy" collect parts-3/1 parts-3/3 -o made --resume
check "the same bytes then" same whole made
check "other options" ends 3 "$cosy" collect parts-3/1 set/1
check "are told" says "parts of different studies: they differ in the options"
check "no part" ends 3 "$cosy" collect parts-3/1 "$work"
check "is told" says "this is no part of a study"
check "results" ends 3 "$cosy" collect whole
check "are no part" says "the results of a whole study"
check "nothing" ends 3 "$cosy" collect
check "no such folder" ends 3 "$cosy" collect absent
cp parts.cosy kept.cosy
echo "(* changed *)" >>parts.cosy
check "another text" ends 3 "$cosy" collect parts-3/*
check "another text is told" says "is not the one that the parts were made with"
mv kept.cosy parts.cosy
check "too many parts" ends 3 "$cosy" run parts.cosy --chunk 9/8
check "no number" ends 3 "$cosy" run parts.cosy --chunk many
sed 's/POINTS 3, C = .*/POINTS 100000, C = LIN 0 TO 1 POINTS 10000;/' \
    parts.cosy >far.cosy
check "3 times 10^9 runs" ends 2 "$cosy" run far.cosy
check "how long they would take" says "3.47 days, and at a kilobyte each 3 TB"

# ---- Damage
journal=parts-3/2/journal.cosyj
size=$(wc -c <"$journal")
cp "$journal" sound
check "a journal" [ "$size" -gt 2000 ]
for at in 300 $((size / 2)); do
    head -c "$at" sound >"$journal"
    check "cut at $at" ends 3 "$cosy" collect parts-3/* -o cut
    check "cut at $at: what is lost" says "in none of the parts"
done
for at in $((size / 3)) $((size / 2)); do
    { head -c "$at" sound; printf 'HELLO'; tail -c +$((at + 6)) sound; } >"$journal"
    check "changed at $at" ends 3 "$cosy" collect parts-3/* -o cut
    check "changed at $at: what is lost" says "in none of the parts"
done
for at in 0 5 300 $((size / 3)) $((size / 2)) $((size - 20)); do
    head -c "$at" sound >"$journal"
    check "made again from $at" ends 2 "$cosy" collect parts-3/* -o cut --resume
    check "made again from $at: the same bytes" same whole cut
    rm -rf cut
done
head -c 2000 /dev/urandom >"$journal"
check "nothing but noise" ends 3 "$cosy" collect parts-3/* -o cut
cp sound "$journal"
cp parts-3/2/part.json kept.json
printf '{"part": 1, "provenance": {}}' >parts-3/2/part.json
check "a part.json" ends 3 "$cosy" collect parts-3/*
check "which says nothing" says "does not say which model was run"
printf '{"part"' >parts-3/2/part.json
check "no JSON" ends 3 "$cosy" collect parts-3/*
rm parts-3/2/part.json
check "a part that was interrupted" ends 2 "$cosy" collect parts-3/* -o cut
check "has what it has" same whole cut

# ---- kill -9
check "many runs" ends 0 "$cosy" run many.cosy -o sound-many --quiet --no-plots
begun=$(date +%s%N)
"$cosy" run many.cosy -o sound-many --quiet --no-plots
most=$(awk -v n=$(($(date +%s%N) - begun)) 'BEGIN { print 1e-9 * n }')
seed=$$

# killed OPTION...: kills a study at a random moment, which may be after its end.
killed() {
    launch "$cosy" run many.cosy -o much --quiet --no-plots "$@"
    seed=$((seed + 1))
    sleep "$(awk -v s=$seed -v most="$most" \
        'BEGIN { srand(s); printf "%.3f", 0.02 + most * rand() }')"
    slay
}

# under_way RUN OPTION...: a study that has left some runs in its journal. The model makes
# runs from RUN on last a twentieth of a second, as a journal is written no more often, and
# those 20 runs later many seconds.
under_way() {
    shut "$1"
    shift
    launch "$cosy" run many.cosy -o much --quiet --no-plots --threads 2 "$@"
    reached "much.$process-*/journal.cosyj" 4000
}

# whole_after WHAT: the rest of it is made, and is what one process makes.
whole_after() {
    check "goes on after $1" ends 0 "$cosy" run many.cosy -o much --quiet \
        --no-plots --resume
    check "the same bytes after $1" same sound-many much
    check "nothing else after $1" [ "$(ls -d much* | wc -l)" -eq 1 ]
}

k=0
while [ "$k" -lt "$kills" ]; do
    killed
    killed --resume
    k=$((k + 2))
    whole_after "kill $k"
    rm -rf much
done
for run in 20 150 270; do
    check "under way to run $run" under_way $run
    check "killed at run $run" slay
    check "once more to run $run" under_way $((run + 10)) --resume
    check "killed again at run $run" slay
    whole_after "two kills at run $run"
    check "something was taken over at run $run" \
        says "of an interrupted study are taken over"
    rm -rf much
done

# interrupted OPTION...: a study that was killed when some of it was through.
interrupted() {
    rm -rf much*
    under_way 150 "$@" && slay
}
check "interrupted" interrupted
check "without --resume" ends 0 "$cosy" run many.cosy -o much --quiet --no-plots
check "it is told" says "--resume takes them over"
check "interrupted with limits" interrupted --limit-wall 3600
mv much.*.tmp much.1-0.elsewhere.tmp
check "a process of another machine" ends 0 "$cosy" run many.cosy -o much --quiet \
    --no-plots --resume
check "has left runs of the same study" says "of an interrupted study are taken over"
check "the same bytes as of it" same sound-many much
check "nothing is left of it" [ "$(ls -d much* | wc -l)" -eq 1 ]
check "interrupted again" interrupted
echo "(* *)" >>many.cosy
check "another text" ends 0 "$cosy" run many.cosy -o much --quiet --no-plots --resume
check "another text is told when resuming" says "another text of the model"

# ---- Stopped, and stopped again
mv many.cosy many.text
sed '/^(\* \*)$/d' many.text >many.cosy
check "interrupted once more" interrupted
for run in 200 250; do
    check "under way again to run $run" under_way $run --resume
    check "stopped at run $run" slay INT
done
whole_after "two stops"

# ---- A part that was killed has all its runs when it has gone on
check "a part is interrupted" interrupted --chunk 1/1
check "and goes on" ends 0 "$cosy" run many.cosy -o much --quiet --no-plots \
    --chunk 1/1 --resume
check "it is complete" grep -q '"complete": true' much/part.json
check "it can be joined" ends 0 "$cosy" collect much many.cosy -o rejoined --quiet
check "to the same bytes" same sound-many rejoined

# ---- A full disk
if unshare -Urm true 2>/dev/null; then
    mkdir small
    check "a small disk" ends 0 unshare -Urm sh -c '
        mount -t tmpfs -o size=380k none small || exit 9
        "$1" run parts.cosy -o small/p --quiet 2>said.small && exit 8
        [ ! -e small/p ] || exit 7
        mount -o remount,size=9M small || exit 6
        "$1" run parts.cosy -o small/p --resume 2>said.more
        [ $? -eq 2 ] || exit 5
        cp -a small/p grown' sh "$cosy"
    check "is told" grep -q "No space left" said.small
    check "nothing is lost" grep -q "runs that were through are kept" said.small
    check "and taken over" grep -qE "study (is|are) taken over" said.more
    check "with more room the same bytes" same whole grown
else
    echo "small disks are not tested: no user namespaces here"
fi
check "a limit on files" sh -c 'ulimit -f 8
    "$1" run parts.cosy -o limit --quiet 2>/dev/null; [ $? -ne 0 ]' sh "$cosy"
check "and then more room" ends 2 "$cosy" run parts.cosy -o limit --resume
check "the same bytes with it" same whole limit
finish
