#!/bin/sh
# From the text of a model to its results by every backend: the same bytes from
# cc, tcc and both in turn, and a clear word where a compiler is missing, fails,
# or has no place for what it makes.
. "$(dirname "$0")/shell.sh"
top=${COSY_TESTS:-tests}/..
COSY_CACHE=$work/cache
export COSY_CACHE
unset CC
model=$top/examples/two-state/model.cosy

# run BACKEND MODEL DIR [OPTIONS]: quietly, into a folder of the test.
run() {
    backend=$1 text=$2 dir=$3
    shift 3
    "$cosy" run "$text" --backend="$backend" --quiet -o "$work/$dir" "$@" \
        >"$work/out" 2>"$work/said"
}

# tcc may have been left out of this build.
if run tcc "$model" has-tcc; then tcc=yes; else tcc=no; fi

# ---- The same bytes
for name in examples/vanderpol examples/two-state examples/scr-control \
    examples/stair examples/pilot-ejection tests/sim/pollution \
    tests/sim/linear-extended; do
    text=$top/$name/model.cosy
    # Cold: tcc's code, and cc's from wherever it takes over.
    check "$name, auto" run auto "$text" auto
    check "$name, cc" run cc "$text" cc
    check "$name, both in turn as cc" same "$work/auto" "$work/cc"
    if [ $tcc = yes ]; then
        check "$name, tcc" run tcc "$text" tcc
        check "$name, tcc as cc" same "$work/tcc" "$work/cc"
    fi
    rm -rf "$work/auto" "$work/cc" "$work/tcc"
done
check "code is kept" [ "$(ls "$work/cache" | grep -c '^[0-9a-f]*\.so$')" -ge 7 ]

# What cosy emit prints can be run itself.
"$cosy" emit "$model" >"$work/model.c"
check "text" run cc "$model" of-text
check "its C" run auto "$work/model.c" of-c
check "the same from the text and its C" same "$work/of-text" "$work/of-c"

# ---- Refusals
# refused TEXT COMMAND...: exit status 3, and a message with TEXT.
refused() {
    text=$1
    shift
    check "$*" ends 3 "$@"
    check "$* says $text" says "$text"
}
cosy_run="$cosy run $model --quiet -o $work/refused"
refused "cc, tcc or auto" $cosy_run --backend=gcc
refused "cc, tcc or auto" $cosy_run --backend gcc
refused "its value" $cosy_run --backend
quad=$top/tests/sim/two-state-quad/model.cosy
refused "QUAD" "$cosy" run "$quad" --backend=tcc -o "$work/refused"

# ---- A compiler that is missing or fails
CC="$work/none/gcc -O1"
export CC
refused "no C compiler \"$work/none/gcc\"" $cosy_run --backend=cc
refused "no C compiler" "$cosy" run "$quad" -o "$work/refused"
if [ $tcc = yes ]; then
    check "tcc serves where there is no cc" ends 0 $cosy_run
    check "and nothing is said" [ -z "$(grep -i -e compiler -e tcc "$work/said")" ]
fi
printf '#!/bin/sh\necho "cannot do that" >&2\nexit 4\n' >"$work/failing"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$work/dying"
chmod +x "$work/failing" "$work/dying"
CC=$work/failing
refused "exit status 4: cannot do that" $cosy_run --backend=cc
CC=$work/dying
refused "signal 11" $cosy_run --backend=cc
unset CC

# ---- A cache that cannot be written, or is damaged
COSY_CACHE=/dev/null/cache
check "no cache" ends 0 $cosy_run --backend=cc
check "no cache is said" says "cosy: note: the cache"
COSY_CACHE=$work/cache
for file in "$work"/cache/*.so; do
    echo damaged >"$file"
done
check "a damaged cache" run cc "$model" mended
check "a damaged cache gives the same" same "$work/mended" "$work/of-text"

finish
