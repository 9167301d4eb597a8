#!/bin/sh
# DISPOSE and DESTROY of programs: cosy check says what they would do and changes
# nothing; cosy run does it, all of it or nothing, if the program has no mistake.
# Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/data/library.db
export COSY_CACHE COSY_LIBRARY
cd "$work" || exit 1

# program FILE NAME STATEMENTS [VALUE [EQUATION]]
program() {
    cat >"$1" <<END
PROGRAM LIBRARIAN;
MACRO $2 (Y <- U); Y = ${4:-2}*U MACEND;
$3
VAR ALGEBR Y;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS $2 (Y <- ${5:-1}) END; TERMINAL WRITELN(Y) END END;
END.
END
}
run() { "$cosy" run "$1" --quiet --no-plots -o "dir-$1"; }
listed() { [ "$("$cosy" lib list 2>/dev/null | tr -s ' \n' ' ')" = "$1" ]; }

program put.cosy TWICE 'DISPOSE TWICE;'
check "check" ends 0 "$cosy" check put.cosy
check "check tells" says 'put.cosy:3:9: note: the MACRO `TWICE` would be put into'
check "check changes nothing" [ ! -e "$work/data" ]
check "emit" ends 0 "$cosy" emit put.cosy
check "emit changes nothing" [ ! -e "$work/data" ]
check "run" ends 0 run put.cosy
check "run tells" says 'put.cosy:3:9: note: the MACRO `TWICE` was put into'
check "it is there" listed 'MACRO TWICE '
cp -R dir-put.cosy first
check "once more" ends 0 run put.cosy
check "it is there already" [ ! -s said ]
check "results do not tell the difference" same first dir-put.cosy

program other.cosy TWICE 'DISPOSE TWICE;' 4
check "another text" ends 0 run other.cosy
check "is reported" says 'was replaced in'
"$cosy" lib show TWICE >text
check "it is the new one" grep -q '4\*U' text

# ---- A mistake anywhere in the program, or that only the equations show
for equation in 'NOBODY' 'Y + 1)
 (Y <- 1'; do
    program wrong.cosy THRICE 'DISPOSE THRICE; DESTROY TWICE;' 3 "$equation"
    check "a mistake" ends 1 run wrong.cosy
    check "with a mistake nothing is changed" listed 'MACRO TWICE '
done
program double.cosy THRICE 'DISPOSE THRICE; DESTROY TWICE;' 3 '1); (Y = 5'
check "one equation too many" ends 1 run double.cosy
check "then nothing is changed" listed 'MACRO TWICE '

# ---- Both, together
program both.cosy THRICE 'DISPOSE THRICE; DESTROY TWICE;' 3
check "check of both" ends 0 "$cosy" check both.cosy
check "check of both tells" says 'the MACRO `TWICE` would be removed from'
check "check of both changes nothing" listed 'MACRO TWICE '
check "both" ends 0 run both.cosy
check "both happened" listed 'MACRO THRICE '
check "again" ends 0 run both.cosy
check "there is nothing to remove" says 'warning: there is no `TWICE` in the library'
program anew.cosy THRICE 'DESTROY THRICE; DISPOSE THRICE;' 3
check "removed and put" ends 0 run anew.cosy
check "is there" listed 'MACRO THRICE '
program use.cosy MINE 'INVOKE THRICE;'
check "another program uses it" ends 0 run use.cosy

# ---- Many at once
for k in 1 2 3 4 5 6; do
    program many$k.cosy NAME$k "DISPOSE NAME$k;"
    run many$k.cosy >/dev/null 2>&1 &
done
wait
check "none is lost" listed \
    'MACRO NAME1 MACRO NAME2 MACRO NAME3 MACRO NAME4 MACRO NAME5 MACRO NAME6 MACRO THRICE '

# ---- A library that cannot be written
COSY_LIBRARY=/dev/null/library.db
check "no place" ends 1 run put.cosy
check "no place is reported" says 'library'
finish
