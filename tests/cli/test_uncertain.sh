#!/bin/sh
# UNCERTAIN: the same bytes on any number of threads, in parts, and after a run that was
# killed; errors of Latin hypercubes and Sobol' points against those of independent
# points; table, report and pictures. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/studies.sh"

narrow() {
    awk 'length > 80 { print; bad = 1 } END { exit bad }' "$1"
}

# The answer of a summary.json, in one line.
answer() {
    sed -n '/"uncertainty": \[/,/}}}}*\]/p' "$1/summary.json"
}

same() {
    cmp -s "$1/sweep.csv" "$2/sweep.csv" &&
        [ -n "$(answer "$1")" ] && [ "$(answer "$1")" = "$(answer "$2")" ]
}

cat >sum.cosy <<'END'
PROGRAM SUM_;
VAR REAL P, Q, Y; STATE X [m]; RANDOM G;
STORE X;
EXPERIMENT
  RANDOMGEN G: NORMALD MEAN = 0 SD = 0.01 END;
  UNCERTAIN 40 INDICES:
    P: UNIFORMD MIN = 0 MAX = 1; Q: POISSOND MEAN = 3; X: TRIANGD MIN = 1 MODE = 2 MAX = 4
  END;
  REPLICATE 2;
  SIMULATE FROM 0 TO 1 COMINT = 0.25
END;
SYSTEM
  CONTINUOUS X' = -X/1.0 [s] END;
  TERMINAL Y := P + Q + X/1.0 [m] + G END
END;
END.
END
check "one thread" ends 0 "$cosy" run sum.cosy --threads 1 -o one
check "table in 80 columns" narrow "$work/out"
check "start value named" prints "X.start"
check "what intervals mean" prints "its error and +- (95 %): as of independent points"
check "report has it" grep -q "Shares of the variance" one/report.html
check "pictures" ls one/plots/*-distribution-of-y.gp one/plots/*-y-x-over-q.gp \
    one/plots/*-parameter-p.gp one/plots/*-shares-of-the-variance.gp
check "points are in sweep.csv" [ "$(wc -l <one/sweep.csv)" -eq 201 ]
check "three threads" ends 0 "$cosy" run sum.cosy --threads 3 -o three --no-plots
check "the same bytes" same one three
check "part 1" ends 0 "$cosy" run sum.cosy --chunk 1/2 -o part1 --no-plots
check "part 2" ends 0 "$cosy" run sum.cosy --chunk 2/2 -o part2 --no-plots
check "parts" ends 0 "$cosy" run sum.cosy --part part1 --part part2 -o parts --no-plots
check "the same in parts" same one parts
check "another seed" ends 0 "$cosy" run sum.cosy --seed 5 -o five --no-plots
check "other points" sh -c '! cmp -s one/sweep.csv five/sweep.csv'

# ---- Killed in the middle: what is there is taken over.
sed -e 's/UNCERTAIN 40 INDICES/UNCERTAIN 600/; s/REPLICATE 2;//; s/ + G END/ + G + PACE(RUN) END/' \
    -e 's/SUM_;/&EXTERNAL FUNCTION PACE (REAL X): REAL IN "gate";/' sum.cosy >long.cosy
check "all of it" ends 0 "$cosy" run long.cosy -o whole --no-plots --quiet
shut 100 100
launch "$cosy" run long.cosy -o killed --no-plots --quiet
check "some of it" reached "killed.*/journal.cosyj" 4000
check "killed in time" slay
check "resumed" ends 0 "$cosy" run long.cosy -o killed --no-plots --resume
check "the same after a kill" same whole killed

# ---- Y = P^2 with P uniform in 0 .. 1 has mean 1/3. Root mean square errors over ten
# seeds: a Latin hypercube of 128 points is far better than independent points, whose
# error is sqrt(4/45/128) = 0.0264, and Sobol' points are better, too.
rms() {
    sed "s/HOW/$1/" >how.cosy <<'END'
PROGRAM HOW_;
VAR REAL P, Y;
EXPERIMENT UNCERTAIN 128 HOW: P: UNIFORMD MIN = 0 MAX = 1 END; SIMULATE FROM 0 TO 1 END;
SYSTEM INITIAL Y := P^2 END END;
END.
END
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        "$cosy" run how.cosy --seed $seed --json --no-plots -o how 2>/dev/null |
            sed -n 's/.*"Y": {.*"n": 128,.*"mean": \([0-9.e-]*\),.*/\1/p'
    done | awk '{ e = $1 - 1/3; s += e*e; n++ }
        END { if (n != 10) print "none"; else printf "%.9f\n", sqrt(s/n) }'
}
plain=$(rms PLAIN) latin=$(rms LATIN) sobol=$(rms SOBOL)
echo "errors: plain $plain, Latin $latin, Sobol $sobol"
check "independent points" awk "BEGIN { exit !($plain > 0.012 && $plain < 0.06) }"
check "Latin hypercube" awk "BEGIN { exit !($latin > 0 && $latin < $plain/20) }"
check "Sobol' points" awk "BEGIN { exit !($sobol > 0 && $sobol < $plain/20) }"
finish
