#!/bin/sh
# Models of many equations, whose C is cut into pieces: both compilers give the
# same numbers as the same equations written as an array, the equation that has
# no finite value is named, and large algebraic loops are solved. Needs
# COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
export COSY_CACHE
cd "$work" || exit 1

# scalars N SPOILT: X0 .. and A0 .., one of which is spoilt.
scalars() {
    awk -v n="$1" -v spoilt="$2" 'BEGIN {
        print "PROGRAM P; VAR"
        for (i = 0; i < n; i++) print "STATE X" i "; ALGEBR A" i ";"
        print "EXPERIMENT SIMULATE FROM 0 TO 2 END;"
        print "SYSTEM INITIAL"
        for (i = 0; i < n; i++) print "X" i " := " i "/" n ";"
        print "END; CONTINUOUS"
        for (i = 0; i < n; i++)
            print "A" i " = " (i == spoilt ? "SQRT(1 - TIME)" : "SIN(X" i ")") ";"
        for (i = 0; i < n; i++)
            print "X" i "\047 = A" (i + 1) % n " - X" i (i < n - 1 ? ";" : "")
        print "END END; END."
    }'
}

array() {
    cat <<END
PROGRAM P; VAR ARRAY [0..$(($1 - 1))] OF STATE X;
  ARRAY [0..$(($1 - 1))] OF ALGEBR A; INTEGER I;
EXPERIMENT SIMULATE FROM 0 TO 2 END;
SYSTEM INITIAL FOR I := 0 TO $(($1 - 1)) DO X[I] := I/$1 END;
CONTINUOUS
  FOR I := 0 TO $(($1 - 1)) DO A[I] = SIN(X[I]);
  FOR I := 0 TO $(($1 - 2)) DO X[I]' = A[I + 1] - X[I];
  X[$(($1 - 1))]' = A[0] - X[$(($1 - 1))]
END END; END.
END
}

# loop N: a ring of linear equations, or with TRIDIAGONAL many unknowns.
loop() {
    awk -v n="$1" -v wide="$2" 'BEGIN {
        print "PROGRAM P; VAR STATE X;"
        for (i = 0; i < n; i++) print "ALGEBR A" i ";"
        print "EXPERIMENT SIMULATE FROM 0 TO 1 END; SYSTEM CONTINUOUS"
        for (i = 0; i < n; i++)
            if (wide)
                print "4*A" i " + " (i ? "A" i - 1 : "X") " + " \
                    (i < n - 1 ? "A" i + 1 : "1") " = 1;"
            else
                print "A" i " = 0.5*A" (i + n - 1) % n " + 0.1*X;"
        print "X\047 = A0 - X + 1 END END; END."
    }'
}

# values DIR: the final values alone, one below the other.
values() {
    sed -n 's/.*"final": {\(.*\)}.*/\1/p' "$1/summary.json" | tr -d '[]{}' |
        sed 's,"I": [0-9]*,,' |
        tr ',' '\n' | sed 's/.*: *//; s/^ *//' | grep -v '^$' >"$1.values"
    [ -s "$1.values" ]
}

run() { # run MODEL BACKEND
    "$cosy" run "$1.cosy" --backend="$2" --no-plots --quiet --method RK4 \
        --step 0.125 -o "$1.$2" 2>said
}

scalars 500 -1 >scalars.cosy
array 500 >array.cosy
for backend in tcc cc; do
    check "scalars run with $backend" run scalars $backend
done
check "an array runs" run array tcc
check "tcc and cc agree" same_numbers scalars.tcc scalars.cc
check "values" values scalars.tcc
check "values of the array" values array.tcc
sort scalars.tcc.values >one
sort array.tcc.values >two
check "scalars and arrays agree" cmp one two

scalars 500 321 >spoilt.cosy
for backend in tcc cc; do
    check "a value that is not finite ends a run ($backend)" \
        ends 2 run spoilt $backend
    check "its equation is named" grep -q \
        'equation of A321 (A321 = SQRT(1 - TIME))' spoilt.$backend/summary.json
done

loop 300 0 >ring.cosy
loop 600 1 >wide.cosy
for model in ring wide; do
    check "$model with tcc" run $model tcc
    check "$model with cc" run $model cc
    check "$model: tcc and cc agree" same_numbers $model.tcc $model.cc
done
finish
