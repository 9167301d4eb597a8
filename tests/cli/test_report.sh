#!/bin/sh
# report.html: what is in the page of several kinds of runs. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work"

lacks() {
    ! grep -q "$1" "$2"
}

# Many parameters: those that vary are columns, the others are folded away.
cat >many.cosy <<'END'
PROGRAM MANY;
VAR STATE X; REAL A, B, C, D, E, F, G, H, K, L;
EXPERIMENT
  PARAMETER A = (1.0, 2.0, 3.0), B = 1.0, C = 1.0, D = 1.0, E = 1.0, F = 1.0,
            G = 1.0, H = 1.0, K = 1.0, L = 0.125;
  SIMULATE FROM 0.0 TO 1.0
END;
SYSTEM CONTINUOUS X' = A + B + C + D + E + F + G + H + K + L END END;
END.
END
check "many" ends 0 "$cosy" run many.cosy --method DOPRI5 -o many
check "those that vary" grep -q '<th[^>]*>A</th><th[^>]*>from' many/report.html
check "the others" grep -q 'the same in all runs (9)' many/report.html
check "with their values" grep -q '>L</a></th><td class="n">0.125<' many/report.html
check "final values side by side" \
    grep -q '<td class="n">3</td><td class="n">11.125</td>' many/report.html
check "nothing counted, no column" lacks '>jacobians<' many/report.html

# Runs that are alike: one line.
cat >alike.cosy <<'END'
PROGRAM ALIKE;
VAR PROCESS VISIT; FACILITY DESK; RANDOM GAP; INTEGER GUEST; REAL WAITED;
DISCRETE PROCESS VISIT;
BEGIN
  GENERATE GUEST FOR VISIT AT TIME + GAP;
  SEIZE DESK;
  WAITED := TIME - GENTIM;
  ADVANCE 0.5;
  RELEASE DESK
END;
EXPERIMENT
  RANDOMGEN GAP: EXPOND MEAN = 1.0 SEED = 1 END;
  COLLECT WAITED END;
  REPLICATE 12;
  FEATURES;
  SIMULATE FROM 0.0 TO 20.0
END;
SYSTEM DISCRETE PROCESSES VISIT END END END;
END.
END
check "alike" ends 0 "$cosy" run alike.cosy -o alike
check "one line" grep -q '12 runs from 0 to 20, all finished' alike/report.html
check "intervals" grep -q '>WAITED</th>.*<td data-name="n" class="n">12</td>' \
    alike/report.html
check "no states" grep -q 'the model has no states' alike/report.html
"$cosy" explain alike >out 2>said
check "explained" grep -q 'no states' out
check "means" grep -q '^  WAITED: [0-9.]* (95 % interval [-0-9.]* to' out
check "fits" [ -z "$(awk 'length > 80' out)" ]

# A run that fails: what happened, beside it and as a link to its line.
cat >fails.cosy <<'END'
PROGRAM FAILS;
VAR STATE X; REAL A; // </script><script>alert(1)</script> & <b>
EXPERIMENT
  PARAMETER A = (0.1, 1.0);
  INITCOND X = 1.0;
  SIMULATE FROM 0.0 TO 2.0
END;
SYSTEM CONTINUOUS X' = A*X^2 END END;
END.
END
check "fails" ends 2 "$cosy" run fails.cosy -o fails
check "it is said above" grep -q '1 did not finish' fails/report.html
check "and below the run" \
    grep -q '<tr class="said"><td></td><td colspan="4">.*a state grows' \
    fails/report.html
check "with its line" grep -q 'href="#L8"' fails/report.html
check "no markup from the model" lacks '<script>alert' fails/report.html
"$cosy" explain fails >out 2>said
check "the failure" grep -q 'Run 2 went from 0 to 1, where it failed' out
check "its reason" grep -q 'a state grows without bound' out
check "the failure fits" [ -z "$(awk 'length > 80' out)" ]

# Features of a run: words and graphs; ranges.
cat >vdp.cosy <<'END'
PROGRAM VDP;
VAR STATE X RANGE -2.0 .. 2.0, Y;
EXPERIMENT
  INITCOND X = 2.5;
  INTEGRAT METHOD DOPRI5 RELERR = 1.0E-11;
  FEATURES ACCURACY = 0.01;
  SIMULATE FROM 0.0 TO 10.0
END;
SYSTEM CONTINUOUS X' = Y; Y' = (1.0 - X^2)*Y - X END END;
END.
END
check "features" ends 0 "$cosy" run vdp.cosy -o vdp
check "in words" grep -q 'some motion grew by itself' vdp/report.html
check "as a graph" grep -q 'Stiffness over time, run 1</figcaption>' vdp/report.html
check "no table of samples" lacks 'samples' vdp/report.html
check "to the end" grep -q '{"t": 10, "stiffness": ' vdp/summary.json
check "ranges" grep -q 'Outside a RANGE' vdp/report.html
"$cosy" explain vdp >out 2>said
check "ranges in words" grep -q 'X was above 2 from 0 to ' out

# Very many points: the page stays small.
cat >huge.cosy <<'END'
PROGRAM HUGE;
VAR ARRAY [40] OF STATE X;
STORE X;
EXPERIMENT SIMULATE FROM 0.0 TO 100.0 COMINT = 0.01 END;
SYSTEM CONTINUOUS FOR I := 1 TO 40 DO X[I]' = SIN(TIME*I) END END;
END.
END
check "huge" ends 0 "$cosy" run huge.cosy -o huge
check "small enough" [ "$(wc -c <huge/report.html)" -lt 1500000 ]

finish
