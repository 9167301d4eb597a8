#!/bin/sh
# --trace: the same bytes on standard error and in a file, from both compilers
# and on any number of threads; filters and files that cannot be.
. "$(dirname "$0")/shell.sh"
trials=$(dirname "$0")/../sim/trace
run="$cosy run --quiet -o $work/out.dir"

# traced FILE OPTION...: the trace of a run into FILE.
traced() {
    to=$1
    shift
    ends 0 $run "$@" --trace --trace-file="$work/$to"
}
check "two runs" traced one "$trials/runs.cosy" --threads 1
check "two runs on two threads" traced two "$trials/runs.cosy" --threads 2
check "same bytes" cmp "$work/one" "$work/two"
check "both runs" [ "$(grep -c '^run [12]$' "$work/one")" = 2 ]
check "cc" traced cc "$trials/processes.cosy" --backend=cc
check "tcc" traced tcc "$trials/processes.cosy" --backend=tcc
check "same statements" cmp "$work/cc" "$work/tcc"
check "standard error" ends 0 $run "$trials/processes.cosy" --trace
check "same lines there" cmp "$work/said" "$work/cc"
check "80 columns" [ "$(awk 'length > 80' "$work/one" "$work/cc" | wc -l)" = 0 ]
check "without it" ends 0 $run "$trials/processes.cosy"
check "nothing is said" [ ! -s "$work/said" ]

check "an unknown name" ends 3 $run "$trials/runs.cosy" --trace=NOBODY
check "says so" says "NOBODY"
check "no file" ends 3 $run "$trials/runs.cosy" --trace \
    --trace-file="$work/none/trace"
check "names it" says "none/trace"
check "a full device" ends 3 $run "$trials/runs.cosy" --trace \
    --trace-file=/dev/full
finish
