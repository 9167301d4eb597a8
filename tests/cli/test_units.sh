#!/bin/sh
# Units from outside and in results: --set with a unit, headers, axes, traces.
# Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

cat >"$work/m.cosy" <<'END'
PROGRAM M;
CONST REAL L = 2 [km], PLAIN = 3; REAL W [h] = 2; INTEGER N = 2;
VAR STATE X [m]; REAL P [kW], Q; ARRAY [N] OF REAL U [V];
STORE X, U;
EXPERIMENT PARAMETER P = (1, 2), Q = 1, U = ((1, 1)); INITCOND X = 1;
  SIMULATE FROM 0 TO 0.5 COMINT = 0.5 END;
SYSTEM CONTINUOUS X' = PLAIN*Q*0 [m/s] END;
  TERMINAL WRITELN(L, P, Q, U[1], X, W) END END
END.
END
cd "$work" || exit 1

# set WHAT TEXT: with that setting summary.json holds the text.
set_to() {
    ends 0 "$cosy" run m.cosy --json --no-plots --set "$1" || return 1
    grep -q -F -e "$2" out && return 0
    grep final out
    return 1
}

check "smaller" set_to 'P = 100 [W]' '"P": 0.1,'
check "without blanks" set_to 'P=2[MW]' '"P": 2000,'
check "its own" set_to '  P = 2.5 [ kW ] ' '"P": 2.5,'
check "none" set_to 'P = 2.5' '"P": 2.5,'
check "one run" grep -q '"parameters": {"P": 2.5' out
check "a CONST by its value" set_to 'L = 5 [mi]' '"L": 8.04672,'
check "a CONST by its unit" set_to 'W = 90 [min]' '"W": 1.5,'
check "a STATE" set_to 'X = 2 [km]' '"X": 2000,'
check "an element" set_to 'U[2] = 3 [mV]' '"U": [1, 0.003]'
check "an array" set_to 'U = 3 [mV]' '"U": [0.003, 0.003]'

# refuses SETTING TEXT: wrong use, and why.
refuses() {
    ends 3 "$cosy" run m.cosy --set "$1" && says "$2"
}

check "another dimension" refuses 'P = 3 [m]' \
    '--set P: 3 [m] cannot be converted: P is in [kW], a unit of something else'
check "no unit" refuses 'Q = 3 [m]' \
    '--set Q: Q has no unit, so 3 [m] cannot be converted to it: declare Q with one, or omit [m]'
check "no such unit" refuses 'P = 3 [KW]' \
    '--set P: `KW` is not a unit: did you mean kW?'
check "no such name" refuses 'PP = 3 [kW]' '--set PP: M has no variable of that name'
check "no number" refuses 'P = x [kW]' '--set P: "x" is not a number'
check "only a unit" refuses 'P = [kW]' 'not "P = [kW]"'
check "an open unit" refuses 'P = 3 [kW' 'not "P = 3 [kW"'
check "an empty unit" refuses 'P = 3 []' 'not "P = 3 []"'
check "twice" ends 3 "$cosy" run m.cosy --set 'P = 1 [kW]' --set 'p=2'
check "twice is reported" says '--set p is given twice: a name has one value'

# What is shown.
check "a run" ends 0 "$cosy" run m.cosy -o dir
check "t_end" grep -q '^  run  status      t_end \[s\]  method' out
check "curve" grep -q '^TIME \[s\],X \[m\],U\[1\] \[V\],U\[2\] \[V\]$' dir/run-0001.csv
check "units" grep -q '^ "units": {"TIME": "s", ' dir/summary.json
check "the axis" grep -q 'TIME \[s\]' dir/plots/01-*.gp
check "the report" grep -q 'to \[s\]' dir/report.html
check "explained" ends 0 "$cosy" explain dir
check "with its unit" grep -q 'went from 0 to 0.5 s, to its end' out
check "traced" ends 0 "$cosy" run m.cosy -o dir --trace
check "with its unit, too" says '    time [s]  who'

# Times and values in messages.
cat >say.cosy <<'END'
PROGRAM SAY;
VAR STATE H [km] RANGE 0 .. 1;
EXPERIMENT INITCOND H = 0; SIMULATE FROM 0 TO 4 END;
SYSTEM
  CONTINUOUS H' = 0.5 [km/s] END
END;
END.
END
check "bells" ends 0 "$cosy" run say.cosy --no-plots
check "a range" says 'time 2 s: H leaves its RANGE: it rises above 1 km'
check "a limit" ends 2 "$cosy" run say.cosy --no-plots --limit-time 1
check "its time" says 'time 1 s: stopped: TIME has reached --limit-time'

# A program without units is shown as ever.
sed 's/\[m\/s\]//; s/\[km\]//; s/ \[[hmkW]*\]//g; s/ \[V\]//' m.cosy >plain.cosy
check "a plain run" ends 0 "$cosy" run plain.cosy -o plain
check "plain head" grep -q '^  run  status          t_end  method' out
check "plain curve" grep -q '^TIME,X,U\[1\],U\[2\]$' plain/run-0001.csv
check "no units" [ "$(grep -c units plain/summary.json)" -eq 0 ]

finish
