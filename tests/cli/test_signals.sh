#!/bin/sh
# SPECTRUM, AUTOCORR, CROSSCORR and COMPARE on runs whose answers have a closed
# form, and on those that have none. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work" || exit 1

# value FILE MEMBER K: the K-th number of that name in the signals.
value() {
    sed -n '/^ "signals"/,/^ "provenance"/p' "$1/summary.json" |
        grep -o "\"$2\": [^,}]*" | sed -n "$3p" | sed 's/.*: //; s/"//g'
}

# near A B E: the same within E, relative to B.
near() {
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN {
        d = a - b; d = d < 0 ? -d : d; s = b < 0 ? -b : b
        if (a != "" && d <= e * (s > 0 ? s : 1)) exit 0
        print a " is not " b; exit 1 }'
}

# ---- Two masses: sqrt(500 -+ 100 sqrt 5) / (2 pi), half of 0.01 each; the second
# one moves (1 + sqrt 5)/2 - 1/2 times as far.
cat >masses.cosy <<'END_OF'
PROGRAM MASSES;
TIMEUNIT [s];
VAR STATE X1 [m], V1 [m/s], X2 [m], V2 [m/s];
EXPERIMENT
  INITCOND X1 = 10 [mm];
  INTEGRAT RELERR = 1.0E-10;
  SIMULATE FROM 0 TO 20 COMINT = 0.01
END;
SYSTEM CONTINUOUS
  X1' = V1; 10 [kg]*V1' = -4000 [N/m]*X1 + 1000 [N/m]*(X2 - X1);
  X2' = V2; 2 [kg]*V2' = -1000 [N/m]*(X2 - X1)
END END;
OUTPUT SPECTRUM HANN: X1, X2; AUTOCORR LAG = 2000 [ms]: X1; SPECTRUM: X1 END
END.
END_OF
check "masses" ends 0 "$cosy" run masses.cosy
check "a table" prints "frequency [Hz]       amplitude"
check "which fits" [ -z "$(awk 'length > 80' out)" ]
check "its lines" prints "Lines are 0.05 Hz apart and end at 50 Hz."
for k in 1 3; do
    check "first frequency $k" near "$(value masses.out frequency $k)" \
        2.6459640 2e-6
    check "second frequency $k" near "$(value masses.out frequency $((k + 1)))" \
        4.2812592 2e-6
done
check "first amplitude" near "$(value masses.out amplitude 1)" 0.005 1e-5
check "second amplitude" near "$(value masses.out amplitude 2)" 0.005 1e-5
check "of the other mass" near "$(value masses.out amplitude 3)" 0.01118034 1e-5
check "resolution" near "$(value masses.out resolution 1)" 0.05 1e-12
check "Nyquist" near "$(value masses.out nyquist 1)" 50 1e-12
check "records themselves" [ "$(value masses.out interpolated 1)" = false ]
check "leaks are told" says "SPECTRUM: X1 in run 1 ends at another value"
check "but not with HANN" [ "$(grep -c leak said)" = 1 ]
check "the curve" grep -q '^run,variable,frequency \[Hz\],amplitude$' \
    masses.out/spectrum-0001.csv
check "all lines" [ "$(wc -l <masses.out/spectrum-0001.csv)" = 2003 ]
check "lags up to LAG" [ "$(wc -l <masses.out/correlation-0002.csv)" = 202 ]
check "a picture" [ -s masses.out/plots/01-amplitude-spectrum.gp ]
check "in the page" grep -q 'frequency \[Hz\]' masses.out/report.html

# ---- A square wave made by events at communication points and between: with N
# values in a period and the mean of both sides at a jump, line k is 4/N cot(pi k/N).
cat >square.cosy <<'END_OF'
PROGRAM SQUARE;
TIMEUNIT [min];
VAR REAL S; STATE C [min]; TEVENT TURN;
EXPERIMENT SIMULATE FROM 0 TO 8 COMINT = 0.02 END;
SYSTEM
  INITIAL S := 1; SCHEDULE TURN AT 0.5 END;
  CONTINUOUS C' = 1 END;
  DISCRETE EVENTS
    TURN: S := -S; SCHEDULE TURN AT TIME + 0.5 [min] END
  END END
END;
OUTPUT SPECTRUM: S; SPECTRUM DENSITY: S; AUTOCORR: S END
END.
END_OF
check "square" ends 0 "$cosy" run square.cosy
for k in 1 2 3 4 5; do
    line=$((2 * k - 1))
    check "line $line" near "$(value square.out frequency $k)" $line 1e-9
    check "its amplitude" near "$(value square.out amplitude $k)" \
        "$(awk -v k=$line 'BEGIN { p = atan2(0, -1) * k / 50
            printf "%.15g", 4 / 50 * cos(p) / sin(p) }')" 1e-9
done
check "per minute" prints "frequency [1/min]"
check "aliasing is told" says "of its largest amplitude near the highest frequency (25 1/min)"
check "a period" near "$(value square.out lag 1)" 1 1e-9

# ---- A delay: B comes 0.7 after A.
cat >delay.cosy <<'END_OF'
PROGRAM LATER;
VAR ALGEBR A, B; STATE C;
EXPERIMENT SIMULATE FROM 0 TO 10 COMINT = 0.01 END;
SYSTEM CONTINUOUS
  A = EXP(-((TIME - 3)/0.2)^2); B = 2 - 3*EXP(-((TIME - 3.7)/0.2)^2);
  C' = 1
END END;
OUTPUT
  CROSSCORR: A, B; CROSSCORR LAG = 100: B, A;
  SPECTRUM: A*0 + 5, LOG(TIME - 5); AUTOCORR: A*0 + 5
END
END.
END_OF
check "delay" ends 0 "$cosy" run delay.cosy
check "later" near "$(value delay.out lag 1)" 0.7 1e-9
check "upside down" near "$(value delay.out correlation 1)" -1 0.01
check "earlier" near "$(value delay.out lag 2)" -0.7 1e-9
check "too long" says "is shorter than LAG = 100: lags are shown up to 9.99"
check "constant" prints "constant"
check "no correlation" says "AUTOCORR: A*0 + 5 in run 1 is constant"
check "no value" says "LOG(TIME - 5) in run 1 has no value at time 0"

# ---- exp(-t) and exp(-2 t): the difference is largest at ln 2, where it is 1/4.
cat >decay.cosy <<'END_OF'
PROGRAM DECAY;
TIMEUNIT [s];
VAR STATE X [m]; REAL K [1/s];
EXPERIMENT
  PARAMETER K = (1, 2, 1);
  INITCOND X = 1 [m];
  INTEGRAT RELERR = 1.0E-10;
  SIMULATE FROM 0 TO 5 COMINT = 0.001
END;
SYSTEM CONTINUOUS X' = -K*X END END;
OUTPUT
  COMPARE (1, 2): X; COMPARE (1, 3): X; COMPARE (ALL, 1): X;
  COMPARE (1): X WITH "data.csv" COLUMNS T, U;
  COMPARE (ALL): X WITH "data.csv" COLUMNS T, U;
  SPECTRUM (9): X
END
END.
END_OF
printf 'U [mm];T [ms]\n1100;0\n"367,879441171";1000\n0;5000\n7;6000\n' >data.csv
check "decay" ends 0 "$cosy" run decay.cosy
check "largest" near "$(value decay.out largest 1)" 0.25 1e-6
check "where" near "$(value decay.out at 1)" 0.693 2e-3
check "mean" near "$(value decay.out mean 1)" \
    "$(awk 'BEGIN { print (1 - exp(-5) - (1 - exp(-10)) / 2) / 5 }')" 1e-5
check "rms" near "$(value decay.out rms 1)" "$(awk 'BEGIN {
    print sqrt(((1 - exp(-10)) / 2 - 2 * (1 - exp(-15)) / 3 + (1 - exp(-20)) / 4) / 5) }')" \
    1e-5
check "the same twice" [ "$(value decay.out largest 2)" = 0 ]
check "without itself" [ "$(value decay.out run 3)$(value decay.out run 4)" = 23 ]
check "units are converted" near "$(value decay.out largest 5)" 0.1 1e-9
check "three points" [ "$(value decay.out points 5)" = 3 ]
check "one is outside" says "ends before or begins after 1 of the 4 points"
check "no such run" says "there are no records of run (9)"
check "fits" [ -z "$(awk 'length > 80' out)" ]

# ---- Records at every step are interpolated, and that is said; one time only.
sed '/^OUTPUT/,$d; s/ COMINT = 0.001/ COMINT = LOG 200/' decay.cosy >steps.cosy
echo 'OUTPUT SPECTRUM: X END END.' >>steps.cosy
check "steps" ends 0 "$cosy" run steps.cosy
check "interpolated" [ "$(value steps.out interpolated 1)" = true ]
check "told" says "is not recorded at equal distances"
cat >once.cosy <<'END_OF'
PROGRAM ONCE;
VAR STATE X; TEVENT E;
EXPERIMENT INITCOND X = 1; SIMULATE FROM 0 TO 1 COMINT = 0.1 END;
SYSTEM INITIAL SCHEDULE E AT 0 END; CONTINUOUS X' = 1 END;
  DISCRETE EVENTS E: STOREOFF END END END
END;
OUTPUT SPECTRUM: X; AUTOCORR: X; COMPARE (1, 1): X END
END.
END_OF
"$cosy" run once.cosy >out 2>said
check "a single record" says "SPECTRUM: X in run 1 has"

# ---- Data that will not do.
printf 'T [s],U [m],W [kg],S\n0,1,1,1\n0.5,0.6,2,2\n0.5,0.5,3,x\n' >good.csv
printf 'T,U\n0,1\n0.5,0.6\n0.4,0.5\n' >back.csv
while IFS='|' read -r line text; do
    sed "/^OUTPUT/,\$d" decay.cosy >bad.cosy
    printf 'OUTPUT %s END\nEND.\n' "$line" >>bad.cosy
    check "$line" ends 1 "$cosy" run bad.cosy
    check "$text" says "$text"
done <<'END_OF'
COMPARE: X WITH "back.csv" COLUMNS T, U|in line 4 of "back.csv", 0.4 comes after a later time
COMPARE: X WITH "good.csv" COLUMNS T, W|are in [kg], but their variable is in [m]
COMPARE: X WITH "good.csv" COLUMNS W, U|are in [kg], but their variable is in [s]
COMPARE: X WITH "good.csv" COLUMNS T, NO|names no column `NO`
COMPARE: X WITH "good.csv" COLUMNS T, S|line 4 of "good.csv", column S: `x` is not a number
COMPARE: X WITH "none.csv" COLUMNS T, U|the data cannot be read
SPECTRUM: TIME|SPECTRUM is about curves over TIME
AUTOCORR LAG = K*1 [s^2]: X|a LAG is a constant
CROSSCORR: X|CROSSCORR needs two variables
END_OF

# ---- Another precision.
sed 's/SIMULATE/INTEGRAT METHOD RKF45 RELERR = 1.0E-12 PRECISION = QUAD; &/
     s/; CROSSCORR LAG.*/; SPECTRUM: A/; /SPECTRUM: A\*/d' delay.cosy >quad.cosy
check "quad" ends 0 "$cosy" run quad.cosy
check "as exact" near "$(value quad.out lag 1)" 0.7 1e-14

finish
