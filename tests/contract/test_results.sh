#!/bin/sh
# The folder of the results: replaced as a whole or not at all, whatever stops
# the program, and nothing in it is lost that COSY did not write.
. "$(dirname "$0")/shell.sh"
model=$models/twostate.double.so
two=$models/domino.double.so
run="$cosy run $model --quiet --no-plots"

# holds DIR FILES: exactly these names, in order.
holds() {
    found=$(ls -A "$1" | tr '\n' ' ')
    [ "$found" = "$2 " ] && return 0
    echo "$1 holds $found, not $2"
    return 1
}

# no_stage: nothing temporary beside or in the results.
no_stage() {
    [ -z "$(find "$work" -name '*.tmp')" ]
}
one="events-0001.csv run-0001.csv summary.json"

# ---- Longer and shorter experiments
check "two runs" ends 0 "$cosy" run "$two" --quiet -o "$work/a"
check "of two" holds "$work/a" "events-0001.csv events-0002.csv plots report.html summary.json sweep.csv"
check "one run" ends 0 "$cosy" run "$two" --quiet -o "$work/a" --set D=0.02
check "of one" holds "$work/a" "events-0001.csv report.html summary.json"
check "another model" ends 0 $run -o "$work/a"
check "of the other" holds "$work/a" "$one"
check "no stage" no_stage

# ---- Files of others
echo mine >"$work/a/notes.txt"
mkdir "$work/a/below"
echo deep >"$work/a/below/x"
check "with notes" ends 0 $run -o "$work/a"
check "they stay" holds "$work/a" "below events-0001.csv notes.txt run-0001.csv \
summary.json"
check "as they were" [ "$(cat "$work/a/notes.txt" "$work/a/below/x")" = \
    "$(printf 'mine\ndeep')" ]
mkdir "$work/b"
echo "a,b" >"$work/b/run-0001.csv"
check "a file in the way" ends 3 $run -o "$work/b"
check "is named" says "b/run-0001.csv is in the way"
check "and stays" holds "$work/b" "run-0001.csv"
check "as it was" [ "$(cat "$work/b/run-0001.csv")" = "a,b" ]
check "no stage" no_stage

# ---- Where one stands
mkdir "$work/here"
check "here" ends 0 sh -c "cd '$work/here' && '$cosy' run '$model' --quiet --no-plots -o ."
check "here again" ends 0 sh -c \
    "cd '$work/here' && '$cosy' run '$model' --quiet --no-plots -o . && ls summary.json"
check "all here" holds "$work/here" "$one"
ln -s here "$work/link"
check "through a link" ends 0 $run -o "$work/link"
check "the link stays" [ -L "$work/link" ]
check "no stage" no_stage

# ---- Where nothing can be written
touch "$work/file"
check "a file for a folder" ends 3 $run -o "$work/file"
check "is named" says "$work/file"
check "below a file" ends 3 $run -o "$work/file/x"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/closed"
    chmod a-w "$work/closed"
    check "a closed folder" ends 3 $run -o "$work/closed/x"
    check "is named" says "$work/closed"
    check "closed itself" ends 3 $run -o "$work/closed"
    chmod u+w "$work/closed"
fi

# ---- Ctrl-C: what was computed is there, marked as stopped
interrupted() {
    rm -rf "$work/c"
    launch "$cosy" run "$models/heat.double.so" --quiet -o "$work/c" --method RK4 \
        --step 1e-9
    reached "$work/c.*" && ended "$1" && [ "$status" -eq 2 ]
}
for signal in INT TERM; do
    check "a run that is interrupted" interrupted $signal
    check "says so" says "stopped"
    check "is marked" grep -q '"status": "stopped"' "$work/c/summary.json"
    check "and no stage" no_stage
done

# ---- Limits
check "time" ends 2 $run -o "$work/d" --limit-time 1.5
check "is reached" grep -q '"t_end": 1.5,' "$work/d/summary.json"
check "stopped" grep -q '"status": "stopped"' "$work/d/summary.json"
check "events" ends 2 $run -o "$work/d" --limit-events 3
check "three of them" grep -q '"state_events": 3,' "$work/d/summary.json"
check "wall" ends 2 "$cosy" run "$models/heat.double.so" --quiet \
    -o "$work/d" --method RK4 --step 1e-9 --limit-wall 0.2
check "stopped" grep -q '"status": "stopped"' "$work/d/summary.json"
check "no frame" ends 3 $run -o "$work/e" --frame 2
check "says which" says "has 1 FRAME"
check "nothing is made" [ ! -e "$work/e" ]
check "a limit that is none" ends 3 $run -o "$work/e" --limit-wall 0
check "a name like it" ends 3 $run -o "$work/e" --set CC1=1
check "is offered" says "did you mean C1?"
check "nothing is made" [ ! -e "$work/e" ]

# ---- --json is the whole of standard output
check "json" ends 0 "$cosy" run "$model" --json -o "$work/f"
check "is the file" cmp "$work/out" "$work/f/summary.json"

# ---- Nobody reads standard output to its end
{
    sleep 0.2
    "$cosy" run "$model" -o "$work/g" 2>"$work/said"
    echo $? >"$work/status"
} | true
check "closed pipe" [ "$(cat "$work/status")" -eq 0 ]
check "no message" [ ! -s "$work/said" ]
check "results are there" grep -q '"status": "finished"' "$work/g/summary.json"

# ---- PROJECT, and elements of a loop, which are counted from 1
cat >"$work/loop.cosy" <<'TEXT'
PROGRAM LOOP_;
PROJECT 1979 BY "A. Author & <Son>";
VAR ARRAY [2] OF STATE X; SEVENT HIT; ARRAY [2] OF ALGEBR A; INTEGER N;
EXPERIMENT INITCOND X[1] = -1, X[2] = -2; SIMULATE FROM 0 TO 3 END;
SYSTEM
  CONTINUOUS
    FOR I := 1 TO 2 DO
    BEGIN
      X[I]' = 1;
      A[I] = IF X[I] > -0.5 THEN 1 ELSE 0;
      CONDIT HIT: X[I] CROSSES 0 POS END
    END
  END;
  DISCRETE EVENTS HIT: N := N + 1 END END END
END;
END.
TEXT
check "a loop" ends 0 "$cosy" run "$work/loop.cosy" -o "$work/loop" --trace
check "PROJECT in the table" prints 'LOOP_, project 1979 by A. Author & <Son>'
check "PROJECT in the summary" grep -q \
    '"project": {"number": 1979, "author": "A. Author & <Son>"}, "cosy"' \
    "$work/loop/summary.json"
check "PROJECT in the page" grep -q \
    'Project 1979 by A. Author &amp; &lt;Son&gt;' "$work/loop/report.html"
check "none in another" [ -z "$(grep '"project"' "$work/g/summary.json")" ]
check "state events" [ "$(sed -n 's/.*HIT,state,//p' \
    "$work/loop/events-0001.csv" | tr '\n' ' ')" = "1 2 " ]
check "hidden ones" [ "$(sed -n 's/.*,hidden,//p' \
    "$work/loop/events-0001.csv" | tr '\n' ' ')" = "1 2 " ]
check "in the trace" grep -q "state event: number 2" "$work/out" "$work/said"
finish
