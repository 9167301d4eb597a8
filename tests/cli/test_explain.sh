#!/bin/sh
# cosy explain: what summary.json has, in words. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
features=$COSY_SOURCE/tests/sim/features
cd "$work"

check "run" ends 0 "$cosy" run "$features/vanderpol.cosy" -o vdp
check "explain" ends 0 "$cosy" explain vdp
check "how it ended" grep -q 'Run 1 went from 0 to 10, to its end' out
check "method" grep -q 'DOPRI5 made [0-9]* steps' out
check "unstable share" grep -q 'During 72.3 % of the time' out
check "unstable interval" grep -q 'from 0.159[0-9]* to 2.559' out
check "critical state" grep -q 'Y  *100 %' out
check "fits" [ -z "$(awk 'length > 80' out)" ]

check "the file itself" ends 0 "$cosy" explain vdp/summary.json
check "nothing there" ends 3 "$cosy" explain nowhere
check "what is missing" grep -q 'no results of cosy run' said
echo '{"runs": [}' >broken.json
check "broken" ends 3 "$cosy" explain broken.json
check "it says so" grep -q 'not a summary.json' said
check "no argument" ends 3 "$cosy" explain

cp "$COSY_SOURCE/bench/ball.cosy" events.cosy
"$cosy" run events.cosy >out 2>said
"$cosy" explain events.out >out 2>said
check "events" grep -q 'Events: [0-9]* state event' out
finish
