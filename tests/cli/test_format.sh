#!/bin/sh
# cosy format as a command: where its text goes, what is refused, and that a file
# is whole or untouched. Layouts themselves: tests/unit/test_layout.c. Needs
# COSY_SOURCE, COSY_PROGRAM and COSY_TOPICS.
. "$(dirname "$0")/../contract/shell.sh"
source=${COSY_SOURCE:-.}
topics=${COSY_TOPICS:-build/tools/topics/topics}
COSY_LIBRARY=$work/library.db
export COSY_LIBRARY

cat >"$work/a.cosy" <<'END'
program a;
var state x; // a comment
system continuous x' = -x end end end.
END
cat >"$work/expected" <<'END'
PROGRAM a;
VAR STATE x;   // a comment
SYSTEM CONTINUOUS x' = -x END END
END.
END
cp "$work/a.cosy" "$work/kept"

# ---- Where it goes
check "to standard output" ends 0 "$cosy" format "$work/a.cosy"
check "the text" cmp "$work/out" "$work/expected"
check "to a file" ends 0 "$cosy" format "$work/a.cosy" -o "$work/b.cosy"
check "the same text" cmp "$work/b.cosy" "$work/expected"
check "nothing is printed" [ ! -s "$work/out" ]
check "--check of another layout" ends 1 "$cosy" format --check "$work/a.cosy"
check "it is named" says "a.cosy: the layout"
check "--check of this one" ends 0 "$cosy" format --check "$work/b.cosy"
check "one of two" ends 1 "$cosy" format --check "$work/b.cosy" "$work/a.cosy"
check "the model is as it was" cmp "$work/a.cosy" "$work/kept"

# ---- In place: through a link, with permissions, and only if need be
chmod 640 "$work/a.cosy"
ln -s a.cosy "$work/link.cosy"
check "--write" ends 0 "$cosy" format --write "$work/link.cosy"
check "written" cmp "$work/a.cosy" "$work/expected"
check "the link stays" [ -L "$work/link.cosy" ]
check "permissions stay" [ "$(stat -c %a "$work/a.cosy")" = 640 ]
before=$(stat -c %i "$work/a.cosy")
check "--write again" ends 0 "$cosy" format --write "$work/a.cosy"
check "nothing is written" [ "$(stat -c %i "$work/a.cosy")" = "$before" ]

# ---- What is not touched
printf 'PROGRAM A; SYSTEM INITIAL X := END END END.\n' >"$work/wrong.cosy"
cp "$work/wrong.cosy" "$work/kept"
check "a wrong program" ends 1 "$cosy" format --write "$work/wrong.cosy"
check "with its message" says "wrong.cosy:1:"
check "and what that means" says "nothing was changed"
check "it is as it was" cmp "$work/wrong.cosy" "$work/kept"
printf 'program a; system initial x := 1 end end end.\n' >"$work/names.cosy"
check "an unknown name is no hindrance" ends 0 "$cosy" format "$work/names.cosy"
printf 'macro double(y<-x); y=2*x macend;\n' >"$work/macro.cosy"
check "definitions of the library" ends 0 "$cosy" format "$work/macro.cosy"
check "their text" [ "$(cat "$work/out")" = \
    'MACRO double(y <- x); y = 2*x MACEND;' ]
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/closed"
    cp "$work/macro.cosy" "$work/closed"
    chmod 500 "$work/closed"
    check "a folder that is closed" ends 3 "$cosy" format --write \
        "$work/closed/macro.cosy"
    check "nothing is lost" cmp "$work/macro.cosy" "$work/closed/macro.cosy"
    chmod 700 "$work/closed"
fi
check "no such file" ends 3 "$cosy" format "$work/none.cosy"
check "no file" ends 3 "$cosy" format
check "no such option" ends 3 "$cosy" format --some "$work/a.cosy"
check "two ways at once" ends 3 "$cosy" format --check --write "$work/a.cosy"
check "-o alone" ends 3 "$cosy" format "$work/a.cosy" -o
check "two models to standard output" ends 3 "$cosy" format "$work/a.cosy" \
    "$work/b.cosy"
check "no rest is left" [ -z "$(ls "$work" | grep tmp)" ]

# ---- The programs on the pages of cosy doc
mkdir "$work/programs"
check "programs" ends 0 "$topics" programs "$work/programs" \
    "$source"/docs/topics/*.txt
check "there are some" [ "$(ls "$work/programs" | wc -l)" -gt 50 ]
for program in "$work/programs"/*.cosy; do
    name=$(basename "$program")
    "$cosy" check --dump=ast "$program" >"$work/before" 2>/dev/null
    check "$name" ends 0 "$cosy" format --write "$program"
    check "$name: laid out" ends 0 "$cosy" format --check "$program"
    "$cosy" check --dump=ast "$program" >"$work/after" 2>/dev/null
    check "$name: the same program" cmp "$work/before" "$work/after"
done

finish
