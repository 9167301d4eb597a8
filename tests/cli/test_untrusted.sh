#!/bin/sh
# Models of strangers: what they may not say is refused with its line, what they
# read lies below their folder, and whatever they do they end, with their memory,
# time and results limited. What is harmless gives the same bytes as without
# --untrusted. test_guard.c tries what code could do that broke out of its model.
# Needs COSY_SOURCE, COSY_PROGRAM and COSY_WITHOUT.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
source=$(cd "${COSY_SOURCE:-.}" && pwd)
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
export COSY_CACHE COSY_LIBRARY
mkdir "$work/place" "$work/place/sub"
cd "$work/place" || exit 1


# ---- The same bytes as without
# alike NAME: a model, with and without; graphs are in the report.
alike() {
    model=$source/$1
    check "$1" ends 0 "$cosy" run "$model" -o plain
    cp "$work/out" plain.text
    check "$1, untrusted" ends 0 "$cosy" run --untrusted "$model" -o guarded
    sed 's/guarded/plain/' "$work/out" >guarded.text
    check "$1: the same text" cmp plain.text guarded.text
    check "$1: graphs are in the report only" [ ! -e guarded/plots ]
    rm -rf plain/plots
    check "$1: the same bytes" same_numbers plain guarded
    rm -rf plain guarded
}
alike examples/spheres/model.cosy
alike examples/barbershop-processes/model.cosy
alike examples/scr-control/model.cosy
cat >many.cosy <<'END'
PROGRAM MANY;
VAR REAL K; STATE X; STORE X;
EXPERIMENT
  PARAMETER K = (1, 2, 3, 4, 5, 6);
  SIMULATE FROM 0 TO 1 COMINT = 0.1
END;
SYSTEM CONTINUOUS X' = -K*X + 1 END END;
END.
END
cat >table.cosy <<'END'
PROGRAM TABLE;
FUNCTABLE LINEAR F FROM "sub/points.csv" COLUMNS X, Y;
VAR STATE X; STORE X;
EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.25 END;
SYSTEM CONTINUOUS X' = F(X) END END;
END.
END
printf 'x,y\n0,1\n1,3\n9,5\n' >sub/points.csv
for threads in 1 2; do
    for model in many table; do
        check "$model" ends 0 "$cosy" run $model.cosy -o $model --quiet
        check "$model, $threads threads" ends 0 "$cosy" run --untrusted \
            $model.cosy -o $model-$threads --quiet --threads $threads
        rm -rf $model/plots
        check "$model, $threads threads: bytes" same_numbers $model \
            $model-$threads
    done
done
tcc=no # which is not everywhere
"$cosy" run table.cosy --backend=tcc -o by-tcc --quiet >out 2>&1 && tcc=yes
for backend in cc $([ $tcc = yes ] && echo tcc); do
    check "by $backend" ends 0 "$cosy" run --untrusted table.cosy -o by-$backend \
        --quiet --backend=$backend
    check "by $backend: bytes" same_numbers table by-$backend
done
check "QUAD" ends 0 "$cosy" run "$source/tests/sim/two-state-quad/model.cosy" \
    --untrusted -o quad --quiet
check "again" ends 0 "$cosy" rerun many-2
check "a plain run" ends 0 "$cosy" run many.cosy -o trusted --quiet
check "again, untrusted" ends 0 "$cosy" rerun --untrusted trusted
CC=/none/cc
export CC
if [ $tcc = yes ]; then
    check "without a compiler there is tcc" ends 0 "$cosy" run --untrusted \
        many.cosy -o without --quiet
    check "that is reported" says "only on tcc's slower code: there is no C compiler"
    check "without a compiler: bytes" cmp many-2/run-0003.csv \
        without/run-0003.csv
fi
check "QUAD needs one" ends 3 "$cosy" run --untrusted \
    "$source/tests/sim/two-state-quad/model.cosy" -o quad
check "that is said" says 'there is no C compiler'
unset CC
check "from elsewhere" ends 0 sh -c "cd / && '$cosy' run --untrusted \
    '$work/place/table.cosy' -o '$work/far' --quiet --no-plots"
check "text to standard output" ends 0 "$cosy" run --untrusted table.cosy --json
check "is a summary" prints '"provenance": {"options": ["--untrusted"]'

# ---- What is refused
# refuses WHAT LINE TEXT: bad.cosy, with and without a run.
refuses() {
    for command in run check; do
        check "$1: $command" ends 1 timeout -k 1 20 "$cosy" $command \
            --untrusted bad.cosy
        check "$1: $command: line" says "bad.cosy:$2:"
        check "$1: $command: says why" says "$3"
    done
}
# program DECLARATIONS EQUATIONS
program() {
    printf 'PROGRAM BAD;\n%s\nVAR STATE X; REAL A; STORE X;\n' "$1" >bad.cosy
    printf 'EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.5 END;\nSYSTEM\n' \
        >>bad.cosy
    printf 'INITIAL %s END;\n' "${3:-A := 1}" >>bad.cosy
    printf 'CONTINUOUS %s END END;\nEND.\n' "${2:-X' = 1}" >>bad.cosy
}
program '' '' 'CCODE
system("touch pwned");
END'
refuses CCODE 6 'CCODE is refused with --untrusted'
program 'MACRO M (Y <- Z); CCODE
system("touch pwned");
END MACEND;'
refuses "CCODE in a macro" 2 'CCODE is refused with --untrusted'
program 'EXTERNAL FUNCTION F (REAL X): REAL IN "m";' "X' = F(X)"
refuses EXTERNAL 2 'EXTERNAL is refused with --untrusted: it loads compiled'
program 'INVOKE TWICE;'
refuses INVOKE 2 'INVOKE is refused with --untrusted'
program 'MACRO MINE (Y <- Z); Y = Z MACEND; DISPOSE MINE;'
refuses DISPOSE 2 'DISPOSE is refused with --untrusted'
check "the library is as it was" [ ! -e "$COSY_LIBRARY" ]
program 'DESTROY MINE;'
refuses DESTROY 2 'DESTROY is refused with --untrusted'
# FORTRAN is WRITE and FORMAT, and no code.
program 'LABEL 100;' '' 'A := 1; FORTRAN
      WRITE (OUTPUT, 100) A
  100 FORMAT (" */ ??/ %s%n", F8.3)
END'
check "FORTRAN prints" ends 0 "$cosy" run --untrusted bad.cosy --no-plots
check "as it is" prints '*/ ??/ %s%n   1.000'

# ---- What is read
echo 'x,y' >"$work/secret.csv"
printf '0,1\n1,2\n' >>"$work/secret.csv"
ln -s "$work/secret.csv" link.csv
ln -s .. up
ln -s sub/points.csv inside.csv
mkfifo pipe.csv
for name in /etc/passwd /dev/zero /dev/stdin "$work/secret.csv" \
    ../secret.csv sub/../../secret.csv link.csv up/secret.csv pipe.csv sub \
    /proc/self/environ inside.csv none.csv ''; do
    program "FUNCTABLE LINEAR F FROM \"$name\" COLUMNS X, Y;" "X' = F(X)"
    refuses "\"$name\"" 2 ''
done
program 'FUNCTABLE LINEAR F FROM "link.csv" COLUMNS X, Y;' "X' = F(X)"
refuses "a link" 2 'with --untrusted a model reads only plain files below its own'
program 'FUNCTABLE LINEAR F FROM "../secret.csv" COLUMNS X, Y;' "X' = F(X)"
refuses "upwards" 2 '../secret.csv: with --untrusted a model reads only plain files'
check "else it is read" ends 0 "$cosy" check bad.cosy
ln -s table.cosy alias.cosy
check "a model that is a link" ends 0 "$cosy" run --untrusted alias.cosy --quiet
check "no model" ends 3 "$cosy" run --untrusted none.cosy

mkdir "$work/mine"
ln -s "$work/mine" many.out
check "results do not go through a link" ends 3 "$cosy" run --untrusted \
    many.cosy --quiet
check "that is said" says 'many.out is a symbolic link'
check "nothing went there" [ -z "$(ls "$work/mine")" ]
rm many.out

# ---- Options that cannot be used with it
for option in '--save x --save-at 1' '--restore x' '--trace-file=x' \
    '--format=pdf'; do
    check "$option" ends 3 "$cosy" run --untrusted table.cosy $option
    check "$option: says so" says 'cannot be used with --untrusted'
done
"$cosy" emit table.cosy >table.c
check "C" ends 3 "$cosy" run --untrusted table.c
check "C says so" says 'takes the text of a model'
for size in 0 -1 1X 5MM '' M nan; do
    check "--limit-memory '$size'" ends 3 "$cosy" run table.cosy \
        --limit-memory "$size"
done
check "--limit-cpu alone" ends 3 "$cosy" run table.cosy --limit-cpu 3

# ---- What does not end
# stops WHAT TEXT OPTION...: bad.cosy is ended with status 2.
stops() {
    what=$1 text=$2
    shift 2
    check "$what" ends 2 timeout -k 1 60 "$cosy" run --untrusted bad.cosy \
        -o bad.out "$@"
    check "$what says so" says "$text"
}
loop='FOR K := 1 TO 1000000000000 DO A := SIN(A + 1)'
program 'VAR INTEGER K;' '' "$loop"
stops "a loop" 'the time of --limit-wall is over' --limit-wall 1
stops "processor time" '--limit-cpu' --limit-cpu 1 --limit-wall 60
mkdir -p bad.out
echo '{"program": "OLD"' >bad.out/summary.json
stops "processor time" '--limit-cpu' --limit-cpu 1 --limit-wall 60
check "old results stay" grep -q OLD bad.out/summary.json
check "nothing else is left" [ -z "$(ls -d bad.out.*.tmp 2>/dev/null)" ]
rm -r bad.out
# A front end that works for ever: macros in macros.
{
    echo 'PROGRAM BAD;'
    echo 'MACRO M1 (Y <- Z); Y = Z + Z*Z MACEND;'
    for k in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        printf 'MACRO M%s (Y <- Z); MACVAR A, B; M%s (A <- Z);' $k $((k - 1))
        echo " M$((k - 1)) (B <- Z); Y = A + B MACEND;"
    done
    echo 'VAR STATE X; ALGEBR V; EXPERIMENT SIMULATE FROM 0 TO 1 END;'
    echo "SYSTEM CONTINUOUS M19 (V <- X); X' = V END END; END."
} >bad.cosy
begun=$(date +%s)
stops "a long translation" '--limit-wall was over before the model was trans' \
    --limit-wall 0.2
check "it ends in time" [ $(($(date +%s) - begun)) -lt 5 ]
# Sanitizers end a program that has no memory left.
if (ulimit -v 80000 2>/dev/null && "$cosy" --version) >/dev/null 2>&1; then
program 'VAR ARRAY [90000000] OF REAL BIG;' "X' = BIG[2]" 'BIG[1] := 1'
stops "a large array" 'memory' --limit-memory 300M
check "without --untrusted" ends 2 "$cosy" run bad.cosy --limit-memory 300M \
    -o bad.out
check "memory is reported" says 'no memory for the variables of BAD'
cat >bad.cosy <<'END'
PROGRAM CROWD; VAR PROCESS P; INTEGER K;
DISCRETE PROCESS P;
BEGIN GENERATE K FOR P AT TIME; GENERATE K FOR P AT TIME + 1; ADVANCE 1E9 END;
EXPERIMENT SIMULATE FROM 0 TO 1000000 END;
SYSTEM INITIAL GENERATE K FOR P AT 0 END; DISCRETE PROCESSES P END END END;
END.
END
stops "a crowd" 'its transactions take' --limit-memory 100M
printf 'PROGRAM BAD; VAR STATE X; STORE X;\nEXPERIMENT SIMULATE FROM 0 TO 1
COMINT = 1E-12 END;\nSYSTEM CONTINUOUS X'"'"' = 1 END END; END.\n' >bad.cosy
stops "records without number" 'its records take' --limit-memory 100M
fi

# ---- Signals
program 'VAR INTEGER K;' '' "$loop"
launch "$cosy" run --untrusted bad.cosy -o stopped
check "it has begun" reached "stopped.*.tmp"
ended TERM
check "a signal stops it" [ "$status" -eq 2 ]
check "its results are there" grep -q '"status": "stopped"' \
    stopped/summary.json
launch "$cosy" run --untrusted bad.cosy -o killed
check "another has begun" reached "killed.*.tmp"
child=$(ps -o pid= --ppid "$process" 2>/dev/null | tr -d ' ')
ended KILL
for k in 1 2 3 4 5 6 7 8 9 10; do
    left=$([ -z "$child" ] || ps -o stat= -p "$child" | grep -v Z)
    [ -z "$left" ] && break
    sleep 0.5
done
check "nobody is left" [ -z "$left" ]
rm -rf killed.*.tmp

# ---- Texts that would be commands
# Whatever a program calls things, it stays text: nothing is run or written
# elsewhere. With plots too: gnuplot gets these texts in plain runs.
cat >named.cosy <<'END'
PROGRAM NAMED;
VAR STATE X; (* '; system 'touch pwned'; `touch pwned` *\/ ??/
*) STORE X;
EXPERIMENT SIMULATE FROM 0 TO 1 COMINT = 0.1 END;
SYSTEM
  INITIAL
    WRITELN("*/ system(""touch pwned""); /* %s%n ??/ \ `touch pwned` $(id)")
  END;
  CONTINUOUS X' = 1 (* *\/ system("touch pwned"); *) END
END;
OUTPUT
  TITLE "../../../pwned '; system 'touch pwned'; set output '../pwned' # `touch pwned` $(touch pwned) *\/ <b onclick=x>";
  GRAPH: X;
  TITLE "'"; GRAPH: X; TITLE "' "; GRAPH: X; TITLE "\"; GRAPH: X;
  TITLE "`touch pwned`"; GRAPH: X; TITLE "@x @ARG1"; GRAPH: X
END;
END.
END
for how in --untrusted --backend=cc --backend=auto; do
    check "nasty texts $how" ends 0 timeout -k 1 20 "$cosy" run $how named.cosy \
        -o named
    check "are printed $how" prints '*/ system("touch pwned"); /* %s%n ??/ \ '
    check "nothing is run $how" [ -z "$(find "$work" -name 'pwned*')" ]
    check "they are text in the page $how" sh -c \
        '! grep -q "<b onclick" named/report.html'
done
check "gnuplot took them" [ -s named/plots/06-x-arg1.svg ]
# A long name after generated code stays a remark.
long=$(printf 'A%.0s' $(seq 90))
printf 'PROGRAM L; VAR SAMPLE %s; INTEGER N; STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X'"'"' = 1 END;
DISCRETE SAMPLES %s EVERY 0.3: N := N + 1 END END END;
TERMINAL WRITELN("ticks", N:3) END END; END.\n' $long $long >long.cosy
check "a long name" ends 0 "$cosy" run --backend=cc long.cosy --no-plots
check "is one" prints 'ticks  4'
mkdir "odd ; touch pwned"
cp table.cosy 'odd ; touch pwned/$(touch pwned) "x'"'"'.cosy'
mkdir "odd ; touch pwned/sub"
cp sub/points.csv "odd ; touch pwned/sub"
for how in --untrusted ''; do
    check "an odd name $how" ends 0 "$cosy" run $how --backend=cc \
        'odd ; touch pwned/$(touch pwned) "x'"'"'.cosy' -o odd.out --quiet
    check "is a name only $how" [ ! -e pwned ]
done

# ---- A system that cannot protect: nothing is run
if [ -x "${COSY_WITHOUT:-}" ]; then
    for command in run check; do
        check "$command without seccomp" ends 3 "$COSY_WITHOUT" "$cosy" $command \
            --untrusted many.cosy
        check "$command says so" says 'nothing was run'
    done
    check "no results" [ ! -e many.out ]
    check "a plain run is as ever" ends 0 "$COSY_WITHOUT" "$cosy" run many.cosy \
        --quiet -o many
fi

check "all is tidy" [ -z "$(ls -d ./*.tmp 2>/dev/null)" ]
finish
