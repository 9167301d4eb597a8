#!/bin/sh
# usage: test_runner.sh SIMTEST
# Holds the runner of simulation cases against results that are known: every
# check is seen to pass and to fail.
set -u
simtest=$1
work=$(mktemp -d /tmp/cosy-runner-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/case"

# Stands for COSY: whatever the model, these are its results.
cat > "$work/cosy" <<'END'
#!/bin/sh
out=$4
mkdir "$out"
cat > "$out/summary.json" <<'JSON'
{"program": "P", "runs": [
 {"run": 1, "status": "finished", "message": "", "t_end": 10,
  "parameters": {"K": 0.5}, "final": {"Y": 1.25, "A": [1, 2.5, 3],
  "Q": "0.333333333333333333333333333333333317"},
  "counts": {"steps": 7, "rhs": 42}},
 {"run": 2, "status": "finished", "message": null, "t_end": 9.5,
  "parameters": {"K": 1}, "final": {"Y": -2e-3}, "counts": {"rhs": 42}}
], "replications": {"X": {"n": 50, "mean": 4.25, "sd": 1},
 "FEW": {"n": 5, "mean": 4.25, "sd": 1}}}
JSON
printf '%s\n' 'TIME [s],Y [km],"B[1,2]"' 0,1,4 5,2,4 5,3,5 10,1.25,6 > "$out/run-0001.csv"
printf '%s\n' time,event,kind,detail 1.5,UP,state, 2,DOWN,state, 2.5,UP,state, \
    > "$out/events-0001.csv"
printf '%s\n' X,Y 1,2 3,4 > "$out/cross.csv"
echo "said this"
echo "model.cosy:3:1: note: warned of that" >&2
case " $* " in *" --fail "*) exit 2 ;; esac
END
chmod +x "$work/cosy"
printf 'nothing\n' > "$work/case/model.cosy"
printf '1.5\n2.5\n' > "$work/case/up"
printf '%s\n' TIME,Y,'"B[1,2]"' 0,1,4 5,3,5 > "$work/case/curve.csv"

# Checks that hold, and the same ones that do not.
cat > "$work/holds" <<'END'
# remark

runs 2
run 1 status finished
run 1-2 status finished
run 1 final Y = 1.25
run 1 final Y = 1.2500001 tol 1e-6
run 1 final A[2] = 2.5
run 1 final Q = 0.33333333333333333333333333333333 tol 1e-32
run 2 final Y = -0.002000001 rel 1e-6
run 1 count steps <= 7
run 1 count steps >= 7
run 2 count rhs = run 1
run 1 parameter K = 0.5
run 2 end time = 9.5
run 1 events UP = 2
run 1 event 2 UP time = 2.5
run 1 event LAST UP time = 2.5
run 1 value Y at 5 = 3
run 1 value Y before 5 = 2
run 1 value B[1,2] at 10 = 6
run 1 points at 5 = 2
run 1 points at 6 = 0
run 1 times UP from up tol 1e-9
run 1 curve curve.csv tol 1e-9
cross rows = 2
cross row 2 column Y = 4
run 2 json final/Y = -2e-3
json replications/X/mean = 4.25
json runs/0/status is finished
sure X = 4.629
sure X = 3.871
stdout contains "said this"
stderr contains "warned of that"
stdout lacks "warned"
END
cat > "$work/fails" <<'END'
runs 1
runs 3
run 1 status failed
run 1 final Y = 1.26
run 1 final Z = 1
run 1 final Y = 1.2500001 tol 1e-8
run 1 final A[4] = 2.5
run 1 final Q = 0.33333333333333333333333333333333 tol 1e-33
run 2 final Y = -0.002000001 rel 1e-8
run 1 count steps <= 6
run 1 count steps >= 8
run 1 count steps = run 2
run 3 final Y = 1
run 2 end time = 10
run 1 events UP = 3
run 1 event 3 UP time = 2.5
run 1 event LAST DOWN time = 2.5
run 1 value Y at 5 = 2
run 1 value Y at 6 = 2
run 1 value Z at 5 = 2
run 1 points at 5 = 1
run 1 times DOWN from up tol 1e-9
run 1 curve up tol 1e-9
run 1 final Y = 1.25 within 3
run 1 final Y
cross rows = 3
cross row 3 column Y = 4
run 2 json final/Z = -2e-3
json replications/X/mean = 4.26
json runs/0/status is failed
json runs/0/nothing is failed
json replications/Y/mean = 4.25
sure X = 4.630
sure X = 3.870
sure FEW = 4.25
sure Y = 4.25
stdout contains "nothing"
stdout lacks "said"
nonsense
END

mistakes=0
wanted() { # what, expected closing line
    found=$("$simtest" "$work/cosy" "$work/case" | tail -n 1)
    if [ "$found" != "$2" ] && [ "$found" != "${3-}" ]; then
        echo "$1: found '$found', wanted '$2'"
        mistakes=$((mistakes + 1))
    fi
}

# exit counts as a check; run 1-2, times and curve hold more than one.
cp "$work/holds" "$work/case/expect"
wanted holds "$(($(grep -c '^[a-z]' "$work/holds") + 1 + 1 + 2 + 3)) passed, 0 failed"
while read -r line; do
    printf '%s\n' "$line" > "$work/case/expect"
    wanted "$line" "1 passed, 1 failed" "1 passed, 2 failed"
done < "$work/fails"
printf 'args --fail\nrun 1 final Y = 1.25\n' > "$work/case/expect"
wanted 'exit status' "1 passed, 1 failed"
printf 'args --fail\nexit 2\nrun 1 final Y = 1.25\n' > "$work/case/expect"
wanted 'exit status expected' "2 passed, 0 failed"
: > "$work/case/expect"
wanted 'nothing checked' "1 passed, 1 failed"
rm "$work/case/expect"
printf 'PROGRAM P;\n//= run 1 final Y = 1.25\nEND.\n' > "$work/case/model.cosy"
found=$("$simtest" "$work/cosy" "$work/case/model.cosy" | tail -n 1)
[ "$found" = "2 passed, 0 failed" ] || {
    echo "single model: $found"
    mistakes=$((mistakes + 1))
}
[ "$mistakes" -eq 0 ]
