#!/bin/sh
# GRAPH and what is drawn without it: which files there are, what their scripts
# say, and that gnuplot takes them.
. "$(dirname "$0")/shell.sh"
here=$(dirname "$0")
plots=$work/a/plots

# has FILE TEXT: a line of the file holds it; lacks FILE TEXT: none does.
has() {
    grep -q -F -e "$2" "$1" && return 0
    echo "no \"$2\" in $1"
    return 1
}
lacks() {
    ! grep -q -F -e "$2" "$1" && return 0
    echo "\"$2\" in $1"
    return 1
}
# data FILE N: the rows of series N.
data() {
    sed -n "/^\$series$2 << END/,/^END/p" "$1" | sed '1d;$d'
}

check "a run" ends 0 "$cosy" run "$here/graphs.cosy" --quiet -o "$work/a"
check "values below zero are told" says \
    "values are left out: a logarithmic axis has no place for values that are not above 0"
names="01-it-s-a-bouncing-ball 02-its-speed 03-bounces 04-bounces \
05-v-versus-h 06-h-v 07-h-versus-v 08-p 09-p-2 10-h"
for name in $names; do
    check "$name.gp" [ -s "$plots/$name.gp" ]
done

# ---- Several runs in one graph
one=$plots/01-it-s-a-bouncing-ball.gp
check "its title" has "$one" "\$bouncing \\ ball'"
check "units" has "$one" "set label 'H [m]' at screen"
check "time has its unit" has "$one" "set label 'TIME [s]' at screen"
check "first run" has "$one" "set label 'run 1: E=0.9' at screen"
check "third run" has "$one" "set label 'run 3: E=0.7' at screen"
check "events are marked" has "$one" "set label 'state events' at screen"
# at FILE TEXT: how far up it stands, in ten thousandths.
at() {
    sed -n "s/^set label '$2' at screen [^,]*,0*\\([0-9]*\\)\\.\\([0-9]*\\) .*/\\1\\2/p" \
        "$1"
}
check "the legend is below" [ "$(at "$one" 'run 1: E=0\.9')" -lt \
    "$(at "$one" 'TIME \[s\]')" ]
check "the time axis is filled" has "$one" "set xrange [-0.04:2.04]"

# ---- Jumps and steps: both sides of an event at one time
two=$plots/02-its-speed.gp
check "a line" has "$two" "with lines"
check "which run" has "$two" "set label 'run 3: E=0.7' at screen"
check "not in the title" has "$two" "set label 'its speed' at screen"
check "four jumps" [ "$(data "$two" 1 | cut -d' ' -f1 | uniq -d | wc -l)" -eq 4 ]
check "four marks" [ "$(data "$two" 2 | wc -l)" -eq 4 ]
check "they are at the events" [ "$(data "$two" 2 | cut -d' ' -f1)" = \
    "$(data "$two" 1 | cut -d' ' -f1 | uniq -d)" ]
check "steps" has "$plots/03-bounces.gp" "with steps"
check "whole numbers" has "$plots/03-bounces.gp" "set ytics ('0' 0, '1' 1, '2' 2"
check "a truth in words" has "$plots/04-bounces.gp" "'TRUE' 1"
check "a truth" has "$plots/04-bounces.gp" "set yrange [-0.1:1.1]"
check "no marks on steps" lacks "$plots/03-bounces.gp" "state events"

# ---- VERSUS, cross file, arrays, FACTOR, SCALE
check "phase plane" has "$plots/05-v-versus-h.gp" "set label 'H [m]'"
six=$plots/06-h-v.gp
check "two units, two panels" [ "$(grep -c '^plot ' "$six")" -eq 2 ]
check "one above" [ "$(at "$six" 'H \[m\]')" -gt "$(at "$six" 'V \[m\/s\]')" ]
check "marks in both" [ "$(grep -c 'pointtype 6' "$six")" -eq 3 ]
seven=$plots/07-h-versus-v.gp
check "points" has "$seven" "with points pointtype 7"
check "one per run" [ "$(data "$seven" 1 | wc -l)" -eq 3 ]
check "elements" has "$plots/08-p.gp" "set label 'P[3]' at screen"
check "one element" has "$plots/09-p-2.gp" "set label 'P[2]' at screen"
ten=$plots/10-h.gp
check "size" has "$ten" "size 400,960"
check "logarithms" has "$ten" "set logscale x"
check "only what is above 0" [ "$(data "$ten" 1 | grep -c -e '-\|^0 ')" -eq 0 ]
if command -v gnuplot >/dev/null 2>&1; then
    for name in $names; do
        check "$name is drawn" has "$plots/$name.svg" "</svg>"
    done
    check "drawn titles" has "${one%.gp}.svg" 'bouncing \ ball'
fi

# ---- Nothing said: what is STOREd, by unit and size
sed '/^(\*OUTPUT/,/^(\*END/d' "$here/graphs.cosy" >"$work/plain.cosy"
check "without OUTPUT" ends 0 "$cosy" run "$work/plain.cosy" --quiet \
    -o "$work/b"
check "four graphs, and the answer" [ "$(cd "$work/b/plots" && echo *.gp)" = \
    "01-h.gp 02-v.gp 03-n-p-1-p-2-p-3.gp 04-up.gp 05-n-up-h-v-over-e.gp" ]

# ---- PDF and PNG
check "formats" ends 0 "$cosy" run "$here/graphs.cosy" --quiet \
    --format=pdf,png -o "$work/f"
check "in the script" has "$work/f/plots/02-its-speed.gp" "pngcairo"
if gnuplot -e 'print GPVAL_TERMINALS' 2>&1 | grep -q 'pdfcairo.*pngcairo'; then
    check "pdf" [ "$(head -c 4 "$work/f/plots/02-its-speed.pdf")" = %PDF ]
    check "png" [ "$(head -c 4 "$work/f/plots/10-h.png" | tail -c 3)" = PNG ]
    check "no svg" [ ! -e "$work/f/plots/02-its-speed.svg" ]
fi
check "back to svg" ends 0 "$cosy" run "$here/graphs.cosy" --quiet -o "$work/f"
check "no pdf is left" [ -z "$(ls "$work/f/plots" | grep -e pdf -e png)" ]
check "a format that is none" ends 3 "$cosy" run "$here/graphs.cosy" \
    --format=svg,gif
check "is told" says 'a list of svg, pdf and png, not "svg,gif"'

# ---- gnuplot that fails: a note, and the scripts stay
mkdir "$work/bin"
printf '#!/bin/sh\necho "no font at all" >&2\nexit 1\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
check "gnuplot fails" ends 0 env PATH="$work/bin:$PATH" "$cosy" run \
    "$here/graphs.cosy" --quiet -o "$work/e"
check "is told" says "gnuplot could not draw 01-it-s-a-bouncing-ball and 10 other"
check "why" says "no font at all"
check "the scripts are there" [ -s "$work/e/plots/10-h.gp" ]

# ---- Runs that are not there
sed 's/GRAPH (1)/GRAPH (9)/' "$here/graphs.cosy" >"$work/nine.cosy"
check "no run 9" ends 0 "$cosy" run "$work/nine.cosy" --quiet -o "$work/c"
check "is told" says "nine.cosy:28: warning: there are no records of run (9)"

# ---- All runs: as if each were named; those SAVEd, or where none is, all
sed 's/GRAPH (1): H; OVERPLOT.*/GRAPH (ALL): H;/' "$here/graphs.cosy" \
    >"$work/every.cosy"
check "all runs" ends 0 "$cosy" run "$work/every.cosy" --quiet -o "$work/all"
check "in one graph" cmp "$one" "$work/all/plots/01-it-s-a-bouncing-ball.gp"
sed -i 's/SAVE; //' "$work/every.cosy"
check "none SAVEd" ends 0 "$cosy" run "$work/every.cosy" --quiet -o "$work/all"
check "the same graph" cmp "$one" "$work/all/plots/01-it-s-a-bouncing-ball.gp"
sed -i 's/GRAPH (ALL): H/PLOT (ALL): H/' "$work/every.cosy"
check "as text" sh -c "'$cosy' run '$work/every.cosy' -o '$work/all' | \
    grep -c ' run [123]\$' | grep -x 3"

# ---- Panels: by unit, then by size; BOOLEANs apart; a few near zero do not count
cat >"$work/sizes.cosy" <<'TEXT'
PROGRAM SIZES;
VAR ALGEBR A, B, C, D [m]; REAL E, F, G, H; BOOLEAN UP;
STORE A, B, C, D, E, F, G, H, UP;
EXPERIMENT SIMULATE FROM 0 TO 10 COMINT = 0.1 END;
SYSTEM
  INITIAL UP := TRUE; E := 1.0E5; F := 1.0E8; G := 1.0E11; H := 1.0E14 END;
  CONTINUOUS
    A = SIN(TIME/1 [s]); B = 40*A; C = 60*A + 1.0E-13; D = 1 [m]*A
  END
END;
OUTPUT
  GRAPH: A, B; GRAPH: A, C; GRAPH: A, D, UP; SCALE LOGY; GRAPH: A, C
END
END.
TEXT
check "sizes" ends 0 "$cosy" run "$work/sizes.cosy" --quiet -o "$work/s"
panels() {
    grep -c '^plot ' "$work/s/plots/$1"
}
check "up to 50 together" [ "$(panels 01-a-b.gp)" -eq 1 ]
check "beyond apart" [ "$(panels 02-a-c.gp)" -eq 2 ]
check "units and truths apart" [ "$(panels 03-a-d-up.gp)" -eq 3 ]
check "logarithms take all sizes" [ "$(panels 04-a-c.gp)" -eq 1 ]
check "and all of the time" grep -q '^set xrange \[-0\.[0-9]*:10' \
    "$work/s/plots/04-a-c.gp"
check "from where the curves are" has "$work/s/plots/04-a-c.gp" \
    "set yrange [0.01:100]"
sed '/^OUTPUT/,/^END$/d' "$work/sizes.cosy" >"$work/all.cosy"
check "nothing said" ends 0 "$cosy" run "$work/all.cosy" --quiet -o "$work/s"
check "a handful" [ "$(ls "$work/s/plots" | grep -c gp)" -eq 5 ]
check "others are told" says "3 STOREd variables are not in the graphs"

# ---- The same whatever the number of threads
check "one thread" ends 0 "$cosy" run "$here/graphs.cosy" --quiet --threads 1 \
    -o "$work/d"
check "same scripts" sh -c "cd '$work/d/plots' && for f in *.gp; do \
    cmp \$f '$plots'/\$f || exit 1; done"

# ---- Grey stands behind what slides, and not behind what passes by
cat >"$work/slide.cosy" <<'TEXT'
PROGRAM SLIDE;
VAR STATE V, PHI, W; STORE V, PHI;
EXPERIMENT
  INITCOND V = 2.0, PHI = 0.5;
  SIMULATE FROM 0.0 TO 20.0 COMINT = 0.05
END;
SYSTEM
  CONTINUOUS
    V' = 1.5*SIN(TIME) - SIGN(V); PHI' = W; W' = -PHI
  END
END;
OUTPUT GRAPH: V; GRAPH: PHI END
END.
TEXT
check "sliding" ends 0 "$cosy" run "$work/slide.cosy" --quiet -o "$work/l"
check "V slides" has "$work/l/plots/01-v.gp" "'sliding or at rest'"
check "PHI does not" lacks "$work/l/plots/02-phi.gp" "sliding"

# ---- Histograms with open ends, means over intervals, numbers without a unit
shop=$here/../../examples/barbershop-processes/model.cosy
check "a shop" ends 0 "$cosy" run "$shop" --quiet -o "$work/h"
bars=$work/h/plots/01-waiting-time-of-the-customers.gp
check "no wait at all has its name" has "$bars" "'up to 0' at screen"
check "so have long waits" has "$bars" "'above 60' at screen"
check "means are called so" has "$work/h/plots/02-use-over-time-barber.gp" \
    "'each step is the mean over "
cat >"$work/unit.cosy" <<'TEXT'
PROGRAM PLAIN;
VAR STATE I [1], X [m]; STORE I, X;
EXPERIMENT SIMULATE FROM 0 TO 1 [s] COMINT = 0.1 [s] END;
SYSTEM CONTINUOUS I' = 1 [1/s]; X' = 2 [m/s] END END;
OUTPUT GRAPH: I, X; PLOT: I; LIST: I END
END.
TEXT
check "a plain number" ends 0 "$cosy" run "$work/unit.cosy" -o "$work/u"
check "has no unit in a graph" has "$work/u/plots/01-i-x.gp" "set label 'I' at"
check "others have" has "$work/u/plots/01-i-x.gp" "set label 'X [m]' at"
check "nor in a table" lacks "$work/out" "[1]"
check "it keeps it in files" has "$work/u/run-0001.csv" "I [1]"

finish
