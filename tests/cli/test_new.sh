#!/bin/sh
# cosy new: every kind gives a model that is right, laid out, and runs; nothing
# that is there is lost. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work"

for kind in continuous combined discrete; do
    check "$kind" ends 0 "$cosy" new first-$kind --kind $kind
    check "$kind: what to do next" grep -q "cosy run first-$kind.cosy" out
    model=first-$kind.cosy
    name=FIRST_$(echo $kind | tr a-z A-Z)
    check "$kind: its name" grep -q "^PROGRAM $name;" $model
    check "$kind: checked" ends 0 "$cosy" check $model
    check "$kind: without a message" [ ! -s said ]
    check "$kind: laid out" ends 0 "$cosy" format --check $model
    check "$kind: runs" ends 0 "$cosy" run $model
    check "$kind: shows something" [ "$(wc -l <out)" -gt 10 ]
    check "$kind: fits" [ -z "$(awk 'length > 80' out)" ]
    check "$kind: results" grep -q '"status": "finished"' \
        first-$kind.out/summary.json
done

# The spring with little damping: X = exp(-t/10)*(cos(w*t) + sin(w*t)/(10*w)), with
# w^2 = 4 - 0.01, at t = 10.
"$cosy" run first-continuous.cosy >out 2>said
check "the spring's end" grep -q 'damping  0.2: at the end X =   0.17510 m' out

# ---- Names
check "without a kind" ends 0 "$cosy" new plain
sed s/PLAIN/FIRST_CONTINUOUS/ plain.cosy >renamed
check "is continuous" cmp renamed first-continuous.cosy
check "with .cosy" ends 0 "$cosy" new other.cosy
check "is one" [ -f other.cosy ]
mkdir folder
check "in a folder" ends 0 "$cosy" new folder/inner --kind=combined
check "has the name of the file" grep -q '^PROGRAM INNER;' folder/inner.cosy
check "a word of the language" ends 0 "$cosy" new process
check "is no name" grep -q '^PROGRAM MODEL_PROCESS;' process.cosy
check "a digit" ends 0 "$cosy" new 2nd.try
check "is no letter" grep -q '^PROGRAM MODEL_2ND_TRY;' 2nd.try.cosy
check "both can be read" ends 0 "$cosy" check process.cosy 2nd.try.cosy

# ---- What is refused
echo mine >kept.cosy
check "what is there" ends 3 "$cosy" new kept
check "is named" says "kept.cosy already exists"
check "and stays" [ "$(cat kept.cosy)" = mine ]
check "no such folder" ends 3 "$cosy" new none/model
check "no name" ends 3 "$cosy" new
check "an empty name" ends 3 "$cosy" new ""
check "a folder's name" ends 3 "$cosy" new folder/
check "two names" ends 3 "$cosy" new one two
check "no such kind" ends 3 "$cosy" new one --kind hybrid
check "the kinds are named" says "continuous, combined or discrete"
check "no kind" ends 3 "$cosy" new one --kind
check "no such option" ends 3 "$cosy" new one --some
check "nothing was written" [ ! -e one.cosy ]

finish
