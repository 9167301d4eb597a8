#!/bin/sh
# cosy run --verify: digits held against known answers; the run itself stays the
# same to the last bit; what the doubles may and may not do. Needs COSY_SOURCE and
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
source=$(cd "${COSY_SOURCE:-.}" && pwd)
problems=$source/bench/verify/problems

# verify MODEL OPTION...: its results are in $work/v.
verify() {
    model=$1
    shift
    ends 0 "$cosy" run "$model" --verify --no-plots -o "$work/v" "$@"
}
# shows TEXT: standard output had it.
shows() {
    grep -q -F -e "$1" "$work/out" && return 0
    echo "no \"$1\" in:"
    cat "$work/out"
    return 1
}
shows_not() {
    ! shows "$@" >/dev/null
}
told() {
    grep -q -F -e "$1" "$work/v/summary.json"
}

# ---- Digits and answers
# honest FILE: no claim exceeds what is there by more than a digit. Scalars only.
honest() {
    LC_ALL=C awk -v known="$1" '
        function member(line, name,   at, rest) {
            at = index(line, "\"" name "\": ")
            if (!at) return "null"
            rest = substr(line, at + length(name) + 4)
            match(rest, /^[^,}]*/)
            return substr(rest, 1, RLENGTH)
        }
        function abs(v) { return v < 0 ? -v : v }
        /^ "final": / { final[++finals] = $0 }
        /^ "size": / { size = $0 }
        /^ "events": / {
            n = split($0, part, /\{"event": "/)
            for (k = 2; k <= n; k++) {
                name = part[k]; sub(/".*/, "", name)
                key = name " " ++seen[name]
                time[key] = member(part[k], "time")
                claim[key] = member(part[k], "digits")
            }
        }
        function look(what, value, digits, truth, scale,   there) {
            if (digits == "null") return
            if (abs(value) > scale) scale = abs(value)
            if (scale == 0) scale = 1
            there = value == truth ? 15 : -log(abs(value - truth)/scale)/log(10)
            if (there > 15) there = 15
            if (there < 0) there = 0
            claims++
            if (digits + 0 > there + 1) {
                printf "%s: %s claims %s, %.1f are there\n", known, what, \
                    digits, there
                bad = 1
            }
        }
        END {
            while ((getline line <known) > 0) {
                if (line !~ /^\/\/! /) continue
                split(line, word, " ")
                truth = line; sub(/.* = /, "", truth)
                if (word[2] == "final")
                    look(word[3], member(final[1], word[3]) + 0, \
                         member(final[2], word[3]), truth + 0, \
                         member(size, word[3]) + 0)
                else if (word[2] == "event") {
                    key = word[3] " " word[4]
                    if (key in time)
                        look(key, time[key] + 0, claim[key], truth + 0, 0)
                }
            }
            if (finals < 2) { print known ": no digits at all"; bad = 1 }
            exit bad
        }' "$work/v/summary.json"
}
for name in decay oscillator ball thermostat pendulum follow robertson vanderpol \
    delay loop friction euler fixed trapez gear adams dirk kepler growth switched \
    nasty-unstable nasty-leaning nasty-lorenz15 nasty-lorenz30 nasty-graze \
    nasty-graze-missed nasty-wrong-step nasty-spike nasty-arenstorf nasty-coarse \
    nasty-damping nasty-pole nasty-order nasty-cancel; do
    check "$name runs" verify "$problems/$name.cosy"
    check "$name is honest" honest "$problems/$name.cosy"
done
check "a good run" verify "$problems/decay.cosy"
check "names its doubles" shows \
    "Computed again with RELERR 1e-07 (DOP853) and with METHOD DOPRI5."
check "is not marked" shows_not "< 4"
check "says what it is not" shows "Agreement is not a bound"
check "digits wanted" verify "$problems/decay.cosy" --verify=12
check "marks" shows "< 12"
check "an unstable one" verify "$problems/nasty-unstable.cosy"
check "is marked" shows "0.0  < 4"
check "grazing" verify "$problems/nasty-graze-missed.cosy"
check "is reported" shows "on, nothing has digits"
check "half a step" verify "$problems/euler.cosy"
check "of EULER" shows "STEP 0.005 (EULER) and with METHOD DOP853"
check "beyond DOUBLE" verify "$problems/limit.cosy"
check "in EXTENDED" shows "(DOP853) in EXTENDED"

# ---- The run itself
# alike MODEL OPTION...: the same with and without --verify.
alike() {
    model=$1
    shift
    rm -rf "$work/a" "$work/b"
    "$cosy" run "$model" --no-plots -o "$work/a" "$@" >"$work/a.out" 2>&1
    "$cosy" run "$model" --no-plots -o "$work/b" --verify "$@" >"$work/b.out" 2>&1
    grep -q '^ "verify": ' "$work/b/summary.json" || return 1
    for dir in a b; do # provenance tells that one was asked for
        sed '/^ "verify": /,$d; /^ "provenance": /,$d' \
            "$work/$dir/summary.json" | sed '$s/,$/}/' >"$work/cut"
        mv "$work/cut" "$work/$dir/summary.json"
    done
    same "$work/a" "$work/b" || return 1
    sed '/^Results are in /d' "$work/a.out" >"$work/one"
    head -c "$(wc -c <"$work/one")" "$work/b.out" | cmp - "$work/one"
}
for name in thermostat bouncing-ball vanderpol filling-station lithium stair; do
    check "$name stays the same" alike "$source/examples/$name/model.cosy"
done
check "with one thread too" alike "$source/examples/vanderpol/model.cosy" \
    --threads 1

# ---- Studies
cat >"$work/written.cosy" <<'END'
PROGRAM WRITTEN;
VAR STATE X; REAL K; INTEGER N;
EXPERIMENT
  PARAMETER K = (1.0, 2.0, 3.0);
  INITCOND X = 1.0;
  SIMULATE FROM 0.0 TO 2.0
END;
SYSTEM
  CONTINUOUS X' = K*COS(K*TIME)*X END;
  TERMINAL WRITELN("once ", K) END
END;
END.
END
check "a list" verify "$work/written.cosy"
check "fits a terminal" awk 'length > 80 { print; bad = 1 } END { exit bad }' \
    "$work/out"
check "tells the run" grep -q "[0-9]  run [123]$" "$work/out"
check "and the others" shows "the others likewise"
check "has the least" told '"least": {"X": {"digits": '
check "writes once" [ "$(grep -c once "$work/out")" -eq 3 ]
cat >"$work/together.cosy" <<'END'
PROGRAM TOGETHER_;
VAR STATE X; RANDOM U; REAL A; PROCESS P; INTEGER W;
STORE X;
DISCRETE PROCESS P; BEGIN GENERATE W FOR P AT TIME + U; A := U END;
EXPERIMENT
  RANDOMGEN U: UNIFORMD MIN = 0.5 MAX = 1.0 END;
  INITCOND X = 1.0;
  REPLICATE 4;
  SIMULATE FROM 0.0 TO 5.0
END;
SYSTEM
  CONTINUOUS X' = A - X END;
  DISCRETE PROCESSES P END END
END;
END.
END
check "replications" verify "$work/together.cosy"
check "have digits of their means" shows "mean over runs of"
check "and intervals of their own" shows "confidence intervals"
cat >"$work/again.cosy" <<'END'
PROGRAM AGAIN;
VAR STATE X, V; INTEGER N;
EXPERIMENT INITCOND X = 1.0; SIMULATE FROM 0.0 TO 3.0 END;
SYSTEM
  INITIAL IF RUN = 1 THEN N := 0 END;
  CONTINUOUS X' = V; V' = -X END;
  TERMINAL N := N + 1; IF N < 3 THEN CONTN ELSE IF N < 5 THEN RERUN END
END;
END.
END
check "CONTN and RERUN" verify "$work/again.cosy"
check "stay the same" alike "$work/again.cosy"

cat >"$work/more.cosy" <<'END'
PROGRAM MORE;                     (* how many runs it takes depends on X *)
VAR STATE X; INTEGER N;
EXPERIMENT
  INITCOND X = 1.0;
  INTEGRAT METHOD EULER STEP = 0.1;
  SIMULATE FROM 0.0 TO 1.0
END;
SYSTEM
  CONTINUOUS X' = X END;
  TERMINAL N := N + 1; IF X*N < 13.2 THEN RERUN END
END;
END.
END
check "another number of runs" verify "$work/more.cosy"
check "is reported" shows "The experiment made 6 runs, but its double made 5"
check "as is the run that is missing" shows \
    "Run 6 has no digits: a double did not reach this run."

# ---- What is not integrated, and what stops
check "nothing to verify" verify "$source/examples/barbershop-processes/model.cosy"
check "is said" shows "Nothing was integrated"
check "and in summary.json" told '"verify": {"compared": false'
check "--limit-time" ends 2 "$cosy" run "$problems/pendulum.cosy" --verify \
    --no-plots --limit-time 7 -o "$work/v"
check "has digits up to there" shows "BELOW #2"
check "--save" verify "$problems/pendulum.cosy" --save "$work/s" --save-at 7
cp "$work/s" "$work/s1"
check "the snapshot is the run's" ends 0 "$cosy" run "$problems/pendulum.cosy" \
    --no-plots --save "$work/s" --save-at 7 -o "$work/v"
check "to the byte" cmp "$work/s" "$work/s1"
check "--restore" verify "$problems/pendulum.cosy" --restore "$work/s"
check "is said" shows "continued from a snapshot"
cat >"$work/bad.cosy" <<'END'
PROGRAM BAD;
VAR STATE X;
EXPERIMENT INITCOND X = 1.0; SIMULATE FROM 0.0 TO 3.0 END;
SYSTEM CONTINUOUS X' = X^2 END END;
END.
END
check "a run that fails" ends 2 "$cosy" run "$work/bad.cosy" --verify --no-plots \
    -o "$work/v"
check "has no digits" shows "No run finished, so there is nothing to verify"
cat >"$work/fast.cosy" <<'END'
PROGRAM FAST;        (* a polynomial: RADAU13 is exact, DIRK takes small steps *)
VAR STATE X, Y;
EXPERIMENT
  INTEGRAT METHOD RADAU13 RELERR = 1.0E-12;
  SIMULATE FROM 0.0 TO 1.0E12
END;
SYSTEM CONTINUOUS X' = TIME^9; Y' = 1.0 END END;
END.
END
check "a double that takes too long" verify "$work/fast.cosy"
check "is given up" shows "it has taken 50 times as much work as the run"

# ---- Messages
cat >"$work/bell.cosy" <<'END'
PROGRAM BELL;                     (* EULER stays too low: 2.594, not 2.718 *)
VAR STATE X RANGE 0.0 .. 2.62;
EXPERIMENT
  INITCOND X = 1.0;
  INTEGRAT METHOD EULER STEP = 0.1;
  SIMULATE FROM 0.0 TO 1.0
END;
SYSTEM CONTINUOUS X' = X END END;
END.
END
check "a bell of the doubles" verify "$work/bell.cosy"
check "is reported" says "only in the double that is computed more accurately"
check "and in which" says "only in the double with another method"
check "with its words" says "X leaves its RANGE"
check "a bell of the run" verify "$work/bell.cosy" --step 0.01
check "rings once" [ "$(grep -c "leaves its RANGE" "$work/said")" -eq 1 ]

# ---- Ways to ask for it
for wrong in 0 abc 99 -3 4x ""; do
    check "--verify=$wrong" ends 3 "$cosy" run "$problems/decay.cosy" \
        --verify="$wrong" -o "$work/v"
    check "says why" says "a whole number from 1 to 33, not \"$wrong\""
done
check "--json" verify "$problems/decay.cosy" --json
check "has digits" shows '"verify": {"compared": true'
check "and no table" shows_not "Computed again"
check "--quiet" verify "$problems/decay.cosy" --quiet
check "is quiet" [ ! -s "$work/out" ]
check "a page" ends 0 "$cosy" run "$problems/ball.cosy" --verify -o "$work/v"
check "has a section" grep -q '<section id="verify"><h2>Digits' \
    "$work/v/report.html"
verify "$source/examples/vanderpol/model.cosy" --threads 1
cp -r "$work/v" "$work/one-thread"
check "any number of threads" verify "$source/examples/vanderpol/model.cosy" \
    --threads 4
check "gives the same digits" same "$work/v" "$work/one-thread"

finish
