#!/bin/sh
# usage: test_watched.sh
# Watching does not change a run: whatever is recorded, how often, traced or
# measured, the end is the same to the last bit.
. "$(dirname "$0")/shell.sh"
text=$(dirname "$0")/delays.cosy

# watched NAME STORE END OPTION...: runs the text with STORE in front of its
# EXPERIMENT and END at the end of its SIMULATE, and leaves its last values.
watched() {
    name=$1
    sed "s/^EXPERIMENT/$2 EXPERIMENT ${features-}/; s/TO 8\$/TO 8 $3/" "$text" \
        >"$work/$name.cosy"
    shift 3
    check "$name: $*" ends 0 "$cosy" run "$work/$name.cosy" --no-plots \
        -o "$work/$name" "$@"
    sed -n 's/.*"final": {\([^}]*\)}.*/\1/p' "$work/$name/summary.json" \
        >"$work/$name.final"
    check "$name has values" test -s "$work/$name.final"
}

# The values of a run of which nothing is watched are those of all others.
compare() {
    watched nothing '' '' "$@"
    watched all 'STORE X, Y, Z, M, N, O, W, P, R, D, Q;' '' "$@"
    watched often 'STORE M, N, O, W;' 'COMINT = 0.01' "$@"
    watched seldom 'STORE M, N, O, W;' 'COMINT = 3' "$@"
    watched traced 'STORE M;' 'COMINT = 0.3' --trace "$@"
    features='FEATURES;' watched measured 'STORE M;' 'COMINT = 0.3' "$@"
    for name in all often seldom traced measured; do
        check "$name is as nothing: $*" cmp "$work/nothing.final" \
            "$work/$name.final"
    done
}

compare
for method in RKS RKF45 DOP853 DIRK RADAU; do
    compare --method $method
done
compare --method RK4 --step 0.013
finish
