#!/bin/sh
# Watching does not change a run: what is recorded, and where, leaves the same final
# values, to the last bit.
# usage: COSY_PROGRAM=... test_watching.sh
. "$(dirname "$0")/../contract/shell.sh"
COSY_CACHE=$work/cache
export COSY_CACHE

# final NAME TEXT COMINT: runs the model with more declarations, prints the final
# values. Two loops that Newton's method solves begin to iterate at their last values.
final() {
    cat >"$work/$1.cosy" <<EOT
PROGRAM LOOPS;
VAR STATE X1, X2; ALGEBR A, B, C, D, E; $2
EXPERIMENT
  INITCOND X1 = 0.37, X2 = -0.21; INTEGRAT METHOD $4;
  SIMULATE FROM 0 TO 0.7 $3
END;
SYSTEM
  CONTINUOUS
    A = 0.2*SIN(B) + 0.1*COS(C) + X1*TIME;
    B - (0.2*SIN(C) + 0.1*COS(A) + X2 + 1.78) = 0;
    C = 0.2*SIN(A) + 0.1*COS(B) - X1;
    D + 0.1*SIN(E) = X2 + A;
    E = 0.3*D*D - B;
    X1' = -0.3*SIN(A*B + C);
    X2' = COS(A) - 0.1*X2 + D
  END
END;
END.
EOT
    check "$1 runs" ends 0 "$cosy" run "$work/$1.cosy" --no-plots \
        --backend=tcc -o "$work/$1"
    grep '"final"' "$work/$1/summary.json" >"$work/$1.final"
}

for method in DOPRI5 DOP853 RADAU DIRK; do
    final nothing "" "" $method
    final everything "STORE X1, X2, A, B, C, D, E;" "" $method
    final seldom "STORE A;" "COMINT = 0.07" $method
    final often "STORE A;" "COMINT = 0.0013" $method
    for other in everything seldom often; do
        check "$method: nothing and $other" \
            cmp "$work/nothing.final" "$work/$other.final"
    done
done
finish
