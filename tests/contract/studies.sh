# What the shell tests about studies share besides shell.sh: a cache, a library and a
# place of their own, and runs that are under way for as long as a test wants.
# usage: . "$(dirname "$0")/../contract/studies.sh"
#
# Nothing here depends on how fast the machine is. A model that calls PACE, a function of
# the library "gate", is slow while the gate is shut: each call takes a while. A test shuts
# it, starts the run, waits for what the run is to leave, and kills it or opens the gate.
#
#     shut 1000
#     launch "$cosy" run long.cosy
#     reached "out.*/snapshot-*"
#     slay

. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
COSY_LIBRARIES=$work/libraries
export COSY_CACHE COSY_LIBRARY COSY_LIBRARIES
mkdir "$work/place" "$work/libraries" && cd "$work/place" || exit 1

cat >"$work/gate.c" <<'END'
#include <stdio.h>
#include <unistd.h>

double pace(double where)
{
    double from, ms;
    FILE *f = fopen("gate", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%lf %lf", &from, &ms) == 2 && where >= from)
        usleep((useconds_t)(1000 * ms));
    fclose(f);
    return 0;
}
END
cc -shared -fPIC -o "$work/libraries/libgate.so" "$work/gate.c" || exit 1

# shut FROM [MILLISECONDS]: runs that have come so far, by what they tell PACE, are slow
# from now on.
shut() {
    echo "$1" "${2:-50}" >gate.new
    mv gate.new gate
}

opened() {
    rm -f gate
}

# launch COMMAND...: starts it; process is its number, launched.out what it writes.
launch() {
    "$@" >launched.out 2>&1 &
    process=$!
}

# there PATTERN [SIZE]: a folder of such a name is there, or a file of more than SIZE bytes.
there() {
    for file in $1; do
        [ -d "$file" ] && return 0
        [ -e "$file" ] && [ "$(wc -c 2>/dev/null <"$file")" -gt "${2:-0}" ] && return 0
    done
    return 1
}

# reached PATTERN [SIZE]: waits until such a file is there. False if what was launched
# ends before, or after a minute without it.
reached() {
    tries=0
    until there "$@"; do
        tries=$((tries + 1))
        [ "$tries" -le 3000 ] && kill -0 "$process" 2>/dev/null || break
        sleep 0.02
    done
    there "$@" && return 0
    echo "not reached: $*"
    cat launched.out
    return 1
}

# slay [SIGNAL]: ends what was launched; true if the signal of kill -9 has ended it, or
# if it has ended as stopped.
slay() {
    kill -"${1:-KILL}" "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    status=$?
    opened
    case ${1:-KILL} in
    KILL) [ "$status" -eq 137 ] ;;
    *) [ "$status" -eq 2 ] ;;
    esac
}

# text_of FILE: what the last command printed, without where its results are.
text_of() {
    sed 's/^Results are in .*//' "$work/out" >"$1"
}
