#!/bin/sh
# Studies: sweep.csv against closed forms, the table on the terminal, pictures over
# parameters, what the report begins with. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work"

# rows FILE CONDITION: every row of the table satisfies it; columns are $1, $2 ...
# and pi, near(a, b, tolerance).
rows() {
    awk -F, "function near(a, b, e) { return (a > b ? a - b : b - a) <= e }
        function overshoot(d) { return exp(-pi*d/sqrt(1 - d*d)) }
        BEGIN { pi = 3.14159265358979 }
        NR > 1 && !($2) { print; bad = 1 } END { exit bad || NR < 2 }" "$1"
}

# lines FILE N
lines() {
    [ "$(wc -l <"$1")" -eq "$2" ]
}

narrow() {
    awk 'length > 80 { print; bad = 1 } END { exit bad }' "$1"
}

lacks() {
    ! grep -q -e "$1" "$2"
}

# ---- One parameter: X' = -K X from 1 is a half at ln 2/K.
cat >decay.cosy <<'END'
PROGRAM DECAY;
VAR STATE X [m]; REAL K [1/s], HALF [s]; SEVENT HALVED;
STORE X;
EXPERIMENT
  SWEEP K = LIN 0.5 TO 5 POINTS 10;
  INITCOND X = 1;
  SIMULATE FROM 0 TO 2
END;
SYSTEM
  CONTINUOUS X' = -K*X; CONDIT HALVED: X CROSSES 0.5 NEG END END;
  DISCRETE EVENTS HALVED: HALF := TIME END END END
END;
END.
END
check "decay" ends 0 "$cosy" run decay.cosy -o decay
check "header" [ "$(head -n 1 decay/sweep.csv)" = \
    "run,frame,K [1/s],status,runs,HALF [s],X [m]" ]
check "ten rows" lines decay/sweep.csv 11
check "numbers of the runs" rows decay/sweep.csv '$1 == NR - 1 && $2 == 1'
check "parameters" rows decay/sweep.csv 'near($3, 0.5*(NR - 1), 1e-12)'
check "times" rows decay/sweep.csv 'near($6, log(2)/$3, 1e-5)'
check "ends" rows decay/sweep.csv 'near($7, exp(-2*$3), 1e-5)'
check "side by side" prints "   10       5  0.138629     4.54e-05"
check "best and worst" prints \
    "HALF is least at K = 5 (run 10), greatest at K = 0.5 (run 1)"
check "no list of runs" lacks DOP853 out
check "80 columns" narrow out
check "a family" grep -q "K \[1/s\]" decay/plots/01-x.gp
check "of ten curves" [ "$(grep -c '^\$series.*<< END' decay/plots/01-x.gp)" -eq 10 ]
check "over the parameter" grep -q "HALF, X over K" decay/plots/02-half-x-over-k.gp
check "the answer comes first" awk '/<section id="/ {
    exit !/<section id="answer">/ }' decay/report.html
check "its picture is in it" awk '/<section id="answer">/ { in_it = 1 }
    in_it && /HALF, X over K/ { found = 1 } /<section id="graphs">/ { exit !found }' \
    decay/report.html

# --set leaves one value: no study. Its file of the last time is removed.
check "one value" ends 0 "$cosy" run decay.cosy --set K=2 -o decay
check "no table" [ ! -e decay/sweep.csv ]
mkdir alien
echo "mine" >alien/sweep.csv
check "a file of another" ends 3 "$cosy" run decay.cosy -o alien
check "named" says "sweep.csv"
check "kept" grep -q mine alien/sweep.csv

# ---- Two: the overshoot of a damped oscillator is exp(-pi D/sqrt(1 - D^2)) and
# comes at pi/(W sqrt(1 - D^2)).
cat >peaks.cosy <<'END'
PROGRAM PEAKS;
VAR STATE X, V; REAL D, W, PEAK, WHEN; SEVENT TOP; BOOLEAN HIGH;
EXPERIMENT
  SWEEP D = LIN 0.1 TO 0.9 POINTS 9, W = LOG 0.5 TO 8 POINTS 5;
  SIMULATE FROM 0 TO 20
END;
SYSTEM
  INITIAL PEAK := 0; WHEN := 0 END;
  CONTINUOUS
    X' = V; V' = W^2*(1 - X) - 2*D*W*V; CONDIT TOP: V CROSSES 0 NEG END
  END;
  DISCRETE EVENTS
    TOP: IF PEAK = 0 THEN BEGIN PEAK := X - 1; WHEN := TIME END END
  END END;
  TERMINAL HIGH := PEAK > 0.2 END
END;
OUTPUT GRAPH VERSUS D, W: PEAK; GRAPH VERSUS W: WHEN; PLOT VERSUS D, W: WHEN END
END.
END
check "two parameters" ends 0 "$cosy" run peaks.cosy -o peaks
check "its columns" [ "$(head -n 1 peaks/sweep.csv)" = \
    "run,frame,D,W,status,runs,PEAK,WHEN,HIGH" ]
check "45 rows" lines peaks/sweep.csv 46
check "overshoot" rows peaks/sweep.csv 'near($7, overshoot($3), 1e-5)'
check "when" rows peaks/sweep.csv 'near($8, pi/($4*sqrt(1 - $3*$3)), 1e-4)'
check "truth" rows peaks/sweep.csv '$9 == (overshoot($3) > 0.2)'
check "last fastest" rows peaks/sweep.csv \
    'near($4, 0.5*2^((NR - 2) % 5), 1e-9)'
tiles=peaks/plots/01-peak-over-d-and-w.gp
check "tiles" [ "$(awk '/^\$series1 /,/^END/' $tiles | grep -c '^[0-9]')" -eq 45 ]
# 0x440154 and 0xE6C814, the ends of the scale.
check "the darkest" grep -q ' 4456788 ' $tiles
check "the lightest" grep -q ' 15124500 ' $tiles
check "a bar of colours" [ "$(grep -c 'set object rectangle' $tiles)" -eq 64 ]
check "tiles in the report" [ "$(grep -o '<rect [^>]*fill="#E6C814"' \
    peaks/report.html | wc -l)" -ge 1 ]
check "curves over W" grep -q "D = 0.9" peaks/report.html
check "in characters" prints ". 0.3947 :-=+*#% @ 14.41  WHEN, final"
check "80 columns" narrow out

# ---- Runs that fail are marked, and have no values.
cat >some.cosy <<'END'
PROGRAM SOME;
VAR STATE X; REAL A, B, Y;
EXPERIMENT
  SWEEP A = LIN -2 TO 2 POINTS 9, B = LIN 1 TO 4 POINTS 4;
  SIMULATE FROM 0 TO 1
END;
SYSTEM CONTINUOUS X' = 1 END; TERMINAL Y := B*SQRT(A) END END;
END.
END
check "some fail" ends 2 "$cosy" run some.cosy -o some
check "36 rows" lines some/sweep.csv 37
check "marked" rows some/sweep.csv \
    '($3 < 0) == ($5 == "failed") && ($3 < 0) == ($7 == "nan")'
check "the others" rows some/sweep.csv '$3 < 0 || near($7, $4*sqrt($3), 1e-9)'
check "on the terminal" grep -q 'failed  *-$' out
check "no failed run is least" prints "Y is least at A = 0, B = 1 (run 17)"
check "marked in the picture" grep -q 'no value' some/plots/01-y-over-a-and-b.gp
check "in the report" grep -q '<td class="bad">failed</td>' some/report.html
check "the answer before messages" awk '/<section id="/ {
    exit !/<section id="answer">/ }' some/report.html

# ---- Lists that go along with each other; BOOLEAN and INTEGER; several frames.
cat >kinds.cosy <<'END'
PROGRAM KINDS;
VAR STATE X; REAL A; INTEGER N; BOOLEAN B;
STORE X;
EXPERIMENT
  FRAME PARAMETER N = (1, 2, 3), B = (TRUE*2, FALSE); SIMULATE FROM 0 TO 1 END;
  FRAME PARAMETER A = (0.5, 1.5); INITCOND X = (0, 10); SIMULATE FROM 0 TO 1 END
END;
SYSTEM CONTINUOUS X' = A + (IF B THEN N ELSE -N) END END;
END.
END
check "kinds" ends 0 "$cosy" run kinds.cosy -o kinds
cat >wanted <<'END'
run,frame,N,B,A,X.start,status,runs,A.final,X,N.final,B.final
1,1,1,1,,,finished,1,0,1,,
2,1,2,1,,,finished,1,0,2,,
3,1,3,0,,,finished,1,0,-3,,
4,2,,,0.5,0,finished,1,,0.5,0,0
5,2,,,1.5,10,finished,1,,11.5,0,0
END
awk -F, -v OFS=, 'NR > 1 { $10 = sprintf("%.9g", $10) } { print }' \
    kinds/sweep.csv >found
check "all columns" diff wanted found
check "truth in words" prints "FALSE"

# ---- A thousand: 50 lines, some tens of curves, all rows in the file.
sed 's/POINTS 10/POINTS 1000/' decay.cosy >many.cosy
check "a thousand" ends 0 "$cosy" run many.cosy -o many
check "all rows" lines many/sweep.csv 1001
check "all right" rows many/sweep.csv 'near($6, log(2)/$3, 1e-5)'
check "50 lines" [ "$(grep -c '^ *[0-9]' out)" -eq 50 ]
check "then the file" prints "... 50 of 1000: sweep.csv has all of them"
check "40 curves" [ "$(grep -c '^\$series.*<< END' many/plots/01-x.gp)" -eq 40 ]
check "and says so" grep -q '40 of 1000 runs, evenly spread' many/plots/01-x.gp

# ---- RERUN: the row is that of the last run of its element.
cat >again.cosy <<'END'
PROGRAM AGAIN;
VAR STATE X; REAL P, TURNS, REACHED;
EXPERIMENT
  PARAMETER P = (1, 3, 2); INITCOND X = 0; SIMULATE FROM 0 TO 1
END;
SYSTEM
  CONTINUOUS X' = 10 END;
  TERMINAL TURNS := TURNS + 1; REACHED := X*TURNS; IF TURNS < P THEN RERUN END
END;
END.
END
check "rerun" ends 0 "$cosy" run again.cosy -o again
check "three rows" lines again/sweep.csv 4
check "the last runs" [ "$(cut -d, -f1 again/sweep.csv | tr '\n' ' ')" = "run 1 4 6 " ]
check "what they reached" rows again/sweep.csv \
    '$6 == $3 && near($7, 10*$3, 1e-9)'

# ---- Replications: M/M/1 with mu = 1 has 1/(1 - rho) in the system; means over the
# utilisation with their intervals.
cat >mm1.cosy <<'END'
PROGRAM MM1;
VAR PROCESS VISIT; FACILITY DESK; RANDOM GAP, WORK; REAL STAYED, RHO;
DISCRETE PROCESS VISIT;
BEGIN
  GENERATE FOR VISIT AT TIME + GAP;
  SEIZE DESK; ADVANCE WORK; RELEASE DESK;
  STAYED := TIME - GENTIM
END;
EXPERIMENT
  SWEEP RHO = LIN 0.2 TO 0.8 POINTS 7;
  RANDOMGEN GAP: EXPOND MEAN = 1/RHO SEED = 1; WORK: EXPOND MEAN = 1 SEED = 2 END;
  COLLECT STAYED END; HISTOGRAM STAYED: 20 CELLS END;
  REPLICATE 30; CLEAR AT 500;
  SIMULATE FROM 0 TO 3000
END;
SYSTEM DISCRETE PROCESSES VISIT END END END
END.
END
check "replications" ends 0 "$cosy" run mm1.cosy --threads 4 -o mm1
check "seven rows" lines mm1/sweep.csv 8
check "mean, sd and interval" grep -q \
    '^run,frame,RHO,status,runs,STAYED.n,STAYED.mean,STAYED.sd,STAYED.low,STAYED.high,' \
    mm1/sweep.csv
check "all counted" rows mm1/sweep.csv '$5 == 30 && $6 == 30'
# An interval holds the truth 95 times in 100; one and a half as wide 99.7 times.
check "theory" rows mm1/sweep.csv \
    'near($7, 1/(1 - $3), 1.5*($10 - $9)/2)'
check "the same in summary.json" grep -q -F "\"mean\": $(awk -F, \
    'NR == 4 { print $7 }' mm1/sweep.csv)" mm1/summary.json
check "side by side" grep -q '0\.8  *[4-6]\.[0-9]* +- 0\.[0-9]*' out
check "80 columns" narrow out
check "intervals in the picture" grep -q '95 % interval of the mean' \
    mm1/plots/01-*.gp
check "one thread" ends 0 "$cosy" run mm1.cosy --threads 1 -o one
check "the same bytes" cmp mm1/sweep.csv one/sweep.csv
sed 's/RANDOMGEN GAP: EXPOND/RANDOMGEN ANTITHETIC GAP: EXPOND/' mm1.cosy >pairs.cosy
if "$cosy" check pairs.cosy >/dev/null 2>&1; then
    check "pairs" ends 0 "$cosy" run pairs.cosy -o pairs
    check "count as one" rows pairs/sweep.csv '$5 == 30 && $6 == 15'
fi

# ---- The mean of curves: X' = -X from X(0) ~ N(1, 0.5), so the mean is exp(-t), and
# 5 and 95 % are (1 -+ 1.645/2) exp(-t).
cat >bands.cosy <<'END'
PROGRAM BANDS;
VAR STATE X; RANDOM Z;
EXPERIMENT
  RANDOMGEN Z: NORMALD MEAN = 1 SD = 0.5 END;
  REPLICATE 1000;
  SIMULATE FROM 0 TO 2 COMINT = 0.5
END;
SYSTEM INITIAL X := Z END; CONTINUOUS X' = -X END END;
OUTPUT GRAPH (MEAN): X; PLOT (MEAN): X END
END.
END
check "means of curves" ends 0 "$cosy" run bands.cosy --threads 3 -o bands
gp=bands/plots/01-x.gp
data() { # SERIES: its rows, with commas and a line before them
    echo; awk "/^\\\$series$1 /,/^END/" $gp | grep '^[0-9]' | tr ' ' ,
}
data 1 >quantiles; data 2 >interval; data 3 >mean
check "five points" lines mean 6
check "the mean" rows mean 'near($2, exp(-$1), 3*0.5*exp(-$1)/sqrt(1000))'
check "its interval" rows interval \
    'near(($3 - $2)/2, 1.962*0.5*exp(-$1)/sqrt(1000), 0.004*exp(-$1))'
check "5 %" rows quantiles 'near($2, 0.1776*exp(-$1), 0.12*exp(-$1))'
check "95 %" rows quantiles 'near($3, 1.8224*exp(-$1), 0.12*exp(-$1))'
check "in characters" prints "mean of 1000 replications"
cp $gp first.gp
check "one thread" ends 0 "$cosy" run bands.cosy --threads 1 -o bands
check "the same curves" cmp first.gp $gp

# Very many points are thinned to the end, and those of a run TO FINISH are there.
sed 's/TO 2 COMINT = 0.5/TO 2 COMINT = 0.00002/; s/REPLICATE 1000/REPLICATE 10/' \
    bands.cosy >fine.cosy
check "many points" ends 0 "$cosy" run fine.cosy -o fine
gp=fine/plots/01-x.gp
data 3 >mean
check "some of them" [ "$(wc -l <mean)" -gt 700 ]
check "to the end" [ "$(awk -F, 'END { print ($1 > 1.99 && $1 <= 2) }' mean)" = 1 ]
sed "s/TO 2 COMINT = 0.5/TO FINISH COMINT = 0.25/; s/X' = -X END/X' = -X; FINISH X < 0.2 END/" \
    bands.cosy >ends.cosy
check "to finish" ends 0 "$cosy" run ends.cosy -o ends
gp=ends/plots/01-x.gp
data 3 >mean
check "points of COMINT" rows mean '$1*4 == int($1*4)'

# What cannot be shown says so.
sed 's/REPLICATE 1000;//' bands.cosy >alone.cosy
check "no replications" ends 0 "$cosy" run alone.cosy -o alone
check "is told" says "there is no mean over replications"
sed 's/GRAPH VERSUS D, W/GRAPH VERSUS D, V/; s/PLOT VERSUS D, W: WHEN/GRAPH VERSUS D: V/' \
    peaks.cosy >other.cosy
check "no plane" ends 0 "$cosy" run other.cosy -o other
check "is told" says "no SIMULATE varies both"
finish
