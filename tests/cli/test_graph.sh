#!/bin/sh
# cosy graph: the pictures that it writes, and what it says. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

cosy=$COSY_PROGRAM
cd "$work"

cat >loop.cosy <<'END'
PROGRAM LOOP;
CONST REAL R = 2.0;
VAR STATE X; ALGEBR A, B, C; ARRAY [4] OF STATE Z; INTEGER MODE;
STORE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM
  INITIAL MODE := 1 END;
  CONTINUOUS
    A + R*B = X;
    B - A*X = 1;
    X' = C - A;
    FOR I := 1 TO 4 DO Z[I]' = -Z[I]*B;
    MODEL VALVE (C <- A, MODE);
      CASE MODE OF 1: C = A END; 2: C = -A END
    END
  END END
END.
END

check "a model" ends 0 "$cosy" graph loop.cosy
check "says that there are no parts" grep -q "LOOP has no parts" "$work/out"
check "says what it wrote" grep -q "^loop-causality.svg: " "$work/out"
check "writes one picture" test -f loop-causality.svg
check "and not the other" test ! -f loop-parts.svg
check "the loop" grep -q ">Algebraic loop 1<" loop-causality.svg
check "what it is" grep -q "2 unknowns, linear" loop-causality.svg
check "rates" grep -q "X&#39; = C - A" loop-causality.svg
check "the MODEL" grep -q ">VALVE<" loop-causality.svg
check "branches" grep -q "CASE MODE = 2" loop-causality.svg
check "FOR" grep -q "FOR I = 1 TO 4" loop-causality.svg
check "STATEs" grep -q ">Z\[1..4\]<" loop-causality.svg
check "dark" grep -q "prefers-color-scheme:dark" loop-causality.svg

cp loop-causality.svg first.svg
check "again" ends 0 "$cosy" graph loop.cosy
check "gives the same bytes" cmp -s first.svg loop-causality.svg
check "into a directory" ends 0 "$cosy" graph loop.cosy -o some/where
check "which is made" cmp -s first.svg some/where/loop-causality.svg
check "options may come first" ends 0 "$cosy" graph -o here ./loop.cosy
check "the folder of the model does not count" test -f here/loop-causality.svg

# A constraint, and texts that XML would take for something else.
cat >'a<b&c.cosy' <<'END'
PROGRAM SLOPE;
VAR STATE X, Y, U, V; ALGEBR F; BOOLEAN UP;
EXPERIMENT INITCOND X = 1; SIMULATE FROM 0 TO 1 END;
SYSTEM
  INITIAL UP := TRUE END;
  CONTINUOUS
    X' = U; Y' = V;
    U' = -F*X; V' = -F*Y - 1;
    X^2 + Y^2 = IF (X < 2) AND UP THEN 1 ELSE 1
  END END
END.
END
check "a strange name" ends 0 "$cosy" graph 'a<b&c.cosy'
check "a file of that name" test -f 'a<b&c-causality.svg'
check "constraints" grep -q ">Constraints<" 'a<b&c-causality.svg'
check "how often differentiated" grep -q "differentiated twice" 'a<b&c-causality.svg'
check "what was written is text" grep -q "(X &lt; 2)" 'a<b&c-causality.svg'
if command -v xmllint >/dev/null; then
    check "well-formed" xmllint --noout 'a<b&c-causality.svg' loop-causality.svg
fi

# What belongs to a named call stands together; elements of arrays with it.
cat >calls.cosy <<'END'
PROGRAM CALLS;
MACRO TANK (Q <- INFLOW);
  MACVAR STATE LEVEL; ALGEBR K;
  MACCONTIN LEVEL' = INFLOW - Q; K = 2 + LEVEL; Q = K*LEVEL MACEND
MACEND;
VAR ALGEBR Q1, Q2;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS TANK A (Q1 <- SIN(TIME)); TANK B (Q2 <- Q1) END END;
END.
END
check "calls" ends 0 "$cosy" graph calls.cosy
check "A" grep -q ">A<" calls-causality.svg
check "B" grep -q ">B<" calls-causality.svg
check "an equation that begins in the macro and ends in the call" \
    grep -q ">A.LEVEL&#39; = SIN(TIME) - Q1<" calls-causality.svg
check "once each" [ "$(grep -c 'class="box"' calls-causality.svg)" = 4 ]

# In a report: only if asked for, folded, and the same with --untrusted.
runs() {
    ends 0 "$cosy" run "$@" --quiet -o runs.out
}
check "a run" runs loop.cosy
check "draws nothing" [ "$(grep -c 'class="graph"' runs.out/report.html)" = 0 ]
check "--graph" runs loop.cosy --graph
check "one picture" [ "$(grep -c 'class="graph"' runs.out/report.html)" = 1 ]
check "a section" grep -q '<section id="structure">' runs.out/report.html
check "with the loop" grep -q ">Algebraic loop 1<" runs.out/report.html
check "rerun" ends 0 "$cosy" rerun runs.out
check "is the same" prints "report.html              the same, byte by byte"
cp runs.out/report.html trusted.html
check "--untrusted" runs loop.cosy --graph --untrusted
check "has it too" grep -q ">Algebraic loop 1<" runs.out/report.html

# Many rows are folded by group, too many are not there.
long() {
    printf 'PROGRAM LONG;\nVAR STATE X; ALGEBR A0'
    seq -f ', A%g' "$1" | tr -d '\n'
    printf ';\nEXPERIMENT SIMULATE FROM 0 TO 1 END;\nSYSTEM CONTINUOUS\n'
    printf "X' = A$1;\nMODEL FIRST (A0 <- X); A0 = X END;\n"
    seq "$1" | awk '{ printf "A%d = A%d + 1;\n", $1, $1 - 1 }' | sed '$s/;//'
    printf 'END END;\nEND.\n'
}
long 60 >long.cosy
check "sixty rows" runs long.cosy --graph
check "are three pictures" \
    [ "$(grep -c 'class="graph"' runs.out/report.html)" = 3 ]
check "with their numbers" grep -q "Program .* 61 rows" runs.out/report.html
long 250 >long.cosy
check "250 rows" runs long.cosy --graph
check "are too many" grep -q "252 rows are too many\|253 rows are too many" \
    runs.out/report.html
check "but not for a file" ends 0 "$cosy" graph long.cosy

# Mistakes.
sed 's/B - A\*X = 1/B - A*X/' loop.cosy >wrong.cosy
check "a wrong model" ends 1 "$cosy" graph wrong.cosy
check "tells what is wrong" grep -q "^wrong.cosy:10:" "$work/said"
check "writes nothing" test ! -f wrong-causality.svg
check "no such model" ends 3 "$cosy" graph none.cosy
check "no model" ends 3 "$cosy" graph
check "two models" ends 3 "$cosy" graph loop.cosy loop.cosy
check "no such option" ends 3 "$cosy" graph --large loop.cosy
check "-o alone" ends 3 "$cosy" graph loop.cosy -o
: >file
check "a file for a directory" ends 3 "$cosy" graph loop.cosy -o file
check "says which" grep -q "file" "$work/said"
check "/proc cannot be written" ends 3 "$cosy" graph loop.cosy -o /proc
check "leaves nothing" test -z "$(ls -A | grep tmp)"

cat >events.cosy <<'END'
PROGRAM EMPTY;
VAR REAL N;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM INITIAL N := 1 END END
END.
END
check "no equations" ends 0 "$cosy" graph events.cosy
check "no picture" test ! -f events-causality.svg
check "says so" grep -q "EMPTY has no equations" "$work/out"

finish
