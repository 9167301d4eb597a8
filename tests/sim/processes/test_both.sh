#!/bin/sh
# Processes compiled by cc and by tcc: the same bytes.
# usage: COSY_PROGRAM=... test_both.sh
. "$(dirname "$0")/../../contract/shell.sh"
COSY_CACHE=$work/cache
export COSY_CACHE

for model in "$(dirname "$0")"/*.cosy; do
    name=$(basename "$model" .cosy)
    case $name in *-quad) continue ;; esac # which tcc does not know
    for by in cc tcc; do
        check "$name by $by" ends 0 "$cosy" run "$model" --no-plots \
            --backend=$by -o "$work/$name.$by"
    done
    check "$name by both" same "$work/$name.cc" "$work/$name.tcc"
done
finish
