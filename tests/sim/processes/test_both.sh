#!/bin/sh
# Processes compiled by cc and by tcc: the same bytes.
# usage: COSY_PROGRAM=... test_both.sh MODEL...
. "$(dirname "$0")/../../contract/shell.sh"
COSY_CACHE=$work/cache
export COSY_CACHE

for model in "$@"; do
    name=$(basename "$model" .cosy)
    check "$name by cc" ends 0 "$cosy" run "$model" --backend=cc -o "$work/$name.cc"
    check "$name by tcc" ends 0 "$cosy" run "$model" --backend=tcc -o "$work/$name.tcc"
    check "$name by both" same "$work/$name.cc" "$work/$name.tcc"
done
finish
