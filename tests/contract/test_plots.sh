#!/bin/sh
# Graphs in the results: scripts and pictures, replaced with the rest; without
# gnuplot the scripts alone, and a note.
. "$(dirname "$0")/shell.sh"
model=$models/barbershop.double.so
plots=$work/a/plots

# has FILE TEXT: the file holds it.
has() {
    grep -q -F -e "$2" "$1" && return 0
    echo "no \"$2\" in $1"
    return 1
}

scripts="01-tique.gp 02-tisys.gp 03-use-over-time-joe.gp \
04-mean-queue-lengths-over-time-joe.gp 05-over-time-busy.gp"

check "a run" ends 0 "$cosy" run "$model" --quiet -o "$work/a"
for name in $scripts; do
    check "$name" [ -s "$plots/$name" ]
done
check "bars are labelled" has "$plots/01-tique.gp" "set label 'TIQUE' at screen"
check "queues too" has "$plots/04-mean-queue-lengths-over-time-joe.gp" \
    "set label 'Mean queue lengths over time: JOE' at screen"
check "the course" has "$work/a/resources-0001.csv" "TIME,JOE.used,JOE.waiting,BUSY"
if command -v gnuplot >/dev/null 2>&1; then
    for name in $scripts; do
        check "$name is drawn" has "$plots/${name%.gp}.svg" "</svg>"
    done
    check "label of the bars" has "$plots/01-tique.svg" "TIQUE"
    check "its ordinate" has "$plots/01-tique.svg" "observations"
    check "of the queue" has "$plots/04-mean-queue-lengths-over-time-joe.svg" "TIME"
    check "drawn again by hand" sh -c \
        "cd '$plots' && cp 01-tique.svg ../before && gnuplot 01-tique.gp && \
         cmp -s 01-tique.svg ../before && rm ../before"
fi

# ---- Replaced with the rest
check "no plots" ends 0 "$cosy" run "$model" --quiet --no-plots -o "$work/a"
check "the folder is gone" [ ! -e "$plots" ]
check "once more" ends 0 "$cosy" run "$model" --quiet -o "$work/a"
echo mine >"$plots/notes"
check "another model" ends 0 "$cosy" run "$models/twostate.double.so" --quiet \
    --no-plots -o "$work/a"
check "only the notes are left" [ "$(ls "$plots")" = notes ]

# ---- Without gnuplot
mkdir "$work/bin"
check "no gnuplot" ends 0 env PATH="$work/bin" "$cosy" run "$model" --quiet \
    -o "$work/b"
check "it is told" says "gnuplot was not found"
check "the script is there" [ -s "$work/b/plots/01-tique.gp" ]
check "no picture" [ ! -e "$work/b/plots/01-tique.svg" ]

finish
