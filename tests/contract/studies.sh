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

# MARK of the same library leaves a file "mark", and returns what it is given.

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

double mark(double value)
{
    FILE *f = fopen("mark", "w");
    if (f && fputs("here", f) >= 0)
        fclose(f);
    return value;
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

# slay [SIGNAL]: ends what was launched, and opens the gate; true if the signal of kill -9
# has ended it, or if it has ended as stopped.
slay() {
    ended "${1:-KILL}"
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
