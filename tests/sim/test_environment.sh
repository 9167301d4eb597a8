#!/bin/sh
# Models from their text in a world that does not always help: no compiler, no
# room, no permission, interruptions. Each ends with a message and without half
# files. usage: COSY_PROGRAM=... test_environment.sh
. "$(dirname "$0")/../contract/shell.sh"
COSY_CACHE=$work/cache
export COSY_CACHE

# model NAME TO COMINT: a model of two runs that takes as long as asked.
model() {
    cat >"$work/$1.cosy" <<END
PROGRAM $1;
VAR STATE X, V; REAL K; SEVENT UP; INTEGER N;
STORE X, V;
EXPERIMENT
  PARAMETER K = (1.0, 2.0);
  INITCOND X = 1;
  SIMULATE FROM 0 TO $2 COMINT = $3
END;
SYSTEM
  INITIAL N := 0 END;
  CONTINUOUS
    X' = V; V' = -K*X;
    CONDIT UP: X CROSSES 0 POS TOL = 1.0E-9 END
  END;
  DISCRETE EVENTS UP: N := N + 1 END END END;
  TERMINAL WRITELN("up: ", N) END
END;
END.
END
}
model SHORT 20 0.1
model LONG 2000000 1000

# ---- Compilers ---------------------------------------------------------------

check "cc" ends 0 "$cosy" run "$work/SHORT.cosy" --backend=cc -o "$work/cc"
check "tcc" ends 0 "$cosy" run "$work/SHORT.cosy" --backend=tcc -o "$work/tcc"
check "auto" ends 0 "$cosy" run "$work/SHORT.cosy" -o "$work/auto"
check "the same bytes by cc and tcc" same "$work/cc" "$work/tcc"
check "the same bytes by auto" same "$work/cc" "$work/auto"
check "one thread" ends 0 "$cosy" run "$work/SHORT.cosy" --threads 1 \
    -o "$work/one-thread"
check "the same bytes by one thread" same "$work/cc" "$work/one-thread"

rm -rf "$COSY_CACHE"
check "tcc needs no cc" env CC=false "$cosy" run "$work/SHORT.cosy" \
    --backend=tcc -o "$work/no-cc" --quiet
check "a compiler that fails" ends 3 env CC=false "$cosy" run \
    "$work/SHORT.cosy" --backend=cc -o "$work/fails"
check "it is named" says false
check "no results of it" [ ! -e "$work/fails/summary.json" ]
check "no compiler" ends 3 env CC=/nowhere/cc "$cosy" run \
    "$work/SHORT.cosy" --backend=cc -o "$work/fails"
check "its name" says /nowhere/cc
check "auto does without cc" ends 0 env CC=/nowhere/cc "$cosy" run \
    "$work/SHORT.cosy" -o "$work/without"
check "the same bytes without cc" same_numbers "$work/cc" "$work/without"

# ---- Cache -------------------------------------------------------------------

rm -rf "$COSY_CACHE"
"$cosy" run "$work/SHORT.cosy" --backend=cc --quiet -o "$work/p1" 2>/dev/null &
one=$!
"$cosy" run "$work/SHORT.cosy" --backend=cc --quiet -o "$work/p2" 2>/dev/null &
two=$!
wait "$one"
check "first of two at once" [ $? -eq 0 ]
wait "$two"
check "second of two at once" [ $? -eq 0 ]
check "both the same" same "$work/p1" "$work/p2"
find "$COSY_CACHE" -type f -name '*.so' -exec sh -c 'echo no code >"$1"' - {} \;
check "a spoilt cache" ends 0 "$cosy" run "$work/SHORT.cosy" --backend=cc \
    -o "$work/spoilt"
check "the same from a spoilt cache" same "$work/cc" "$work/spoilt"
check "no cache" ends 0 env COSY_CACHE=/proc/none "$cosy" run \
    "$work/SHORT.cosy" -o "$work/no-cache"
check "the same without a cache" same "$work/cc" "$work/no-cache"

# ---- Results -----------------------------------------------------------------

check "a directory that cannot be made" ends 3 "$cosy" run \
    "$work/SHORT.cosy" -o /proc/cosy-results
check "its name" says /proc/cosy-results
echo text >"$work/file"
check "a file in its place" ends 3 "$cosy" run "$work/SHORT.cosy" \
    -o "$work/file"
check "the file stays" [ "$(cat "$work/file")" = text ]
check "no such model" ends 3 "$cosy" run "$work/none.cosy" -o "$work/none"
check "its name" says none.cosy

# Too large for the disk, which a limit on the size of files stands for: the old
# results stay whole.
cp -R "$work/cc" "$work/kept"
check "a full disk" ends 3 sh -c "trap '' XFSZ; ulimit -f 2; \
    exec '$cosy' run '$work/SHORT.cosy' --set K=5 --backend=tcc -o '$work/kept'"
check "old results stay" same "$work/cc" "$work/kept"
check "shorter results replace longer ones" ends 0 "$cosy" run \
    "$work/SHORT.cosy" --set K=5 -o "$work/kept"
check "nothing of run 2 is left" [ ! -e "$work/kept/run-0002.csv" ]

# ---- Interruptions -----------------------------------------------------------

launch "$cosy" run "$work/LONG.cosy" --quiet -o "$work/stopped"
check "it is under way" reached "$work/stopped.*"
ended INT
check "Ctrl-C is no failure of its own" [ "$status" -lt 128 ]
check "it is stopped" grep -q '"status": "stopped"' "$work/stopped/summary.json"
check "no half files" [ -z "$(find "$work/stopped" -name '*.tmp')" ]

cp -R "$work/cc" "$work/killed"
launch "$cosy" run "$work/LONG.cosy" --quiet -o "$work/killed"
check "another is under way" reached "$work/killed.*"
ended KILL
rm -f "$work"/killed/*.tmp
check "killed: old results stay" same "$work/cc" "$work/killed"

finish
