#!/bin/sh
# cosy fitdist: what it prints, and what it refuses. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

cosy=$COSY_PROGRAM
cd "$work"

# Millions of revolutions (Lieblein and Zelen 1956); published: Weibull 2.102, 81.88,
# gamma 4.025, 17.94.
cat >bearings.csv <<'END'
No;Life [Mrev];Note
1;17,88;a
2;173,40;b
3;28,92;c
4;33,00;
5;41,52;
6;42,12;
7;45,60;
8;48,48;
9;51,84;
10;51,96;
11;54,12;
12;55,56;
13;67,80;
14;68,64;
15;68,64;
16;68,88;
17;84,12;
18;93,12;
19;98,64;
20;105,12;
21;105,84;
22;127,92;
23;128,04;
END

# warns WORDS ARGUMENTS...
warns() {
    words=$1
    shift
    "$cosy" fitdist "$@" 2>&1 >"$work/fits" | grep -q -- "$words"
}

check "a column" ends 0 "$cosy" fitdist bearings.csv --column life -o life.svg
check "its unit" grep -q "^life \[Mrev\]: 23 values" "$work/out"
check "gamma" grep -q "^RANDOMGEN LIFE: GAMMAD SCALE = 17.9421 SHAPE = 4.02541 END;" "$work/out"
check "Weibull" grep -q "WEIBULLD .*SCALE=81.9 SHAPE=2.1" "$work/out"
check "what is not possible" grep -q "BETAD .*not all values are between 0 and 1" "$work/out"
check "the values themselves" grep -q 'RANDOMGEN LIFE: EMPIRIC FROM "bearings.csv" COLUMN life END;' "$work/out"
check "few values" warns "23 values are few" bearings.csv --column life
check "80 columns" test "$(awk 'length > 80' "$work/out" | wc -l)" = 0
check "a picture" grep -q "quantiles of the distribution" life.svg
check "its legend" grep -q ">GAMMAD<" life.svg
check "the same again" ends 0 "$cosy" fitdist --column=life bearings.csv -o again.svg
check "byte by byte" cmp life.svg again.svg
check "JSON" ends 0 "$cosy" fitdist --json bearings.csv --column "Life"
check "parameters" grep -q '"SHAPE": 4.0254146' "$work/out"
check "a line to paste" grep -q '"line": "RANDOMGEN LIFE: GAMMAD' "$work/out"

# What it prints is a program.
cp "$work/out" json
{
    echo 'PROGRAM PASTED; VAR RANDOM LIFE; REAL Y; EXPERIMENT'
    "$cosy" fitdist bearings.csv --column life 2>/dev/null | grep '^RANDOMGEN' |
        sed -n 1p
    echo 'SIMULATE FROM 0 TO 1 END; SYSTEM INITIAL Y := LIFE END END; END.'
} >pasted.cosy
check "runs" ends 0 "$cosy" run pasted.cosy --no-plots

printf 'N\n2\n0\n1\n3\n1\n0\n2\n2\n1\n4\n0\n1\n' >counts.csv
check "counts" ends 0 "$cosy" fitdist counts.csv
check "are counts" grep -q "^RANDOMGEN N: POISSOND MEAN = 1.41667 END;" "$work/out"
check "measured" ends 0 "$cosy" fitdist counts.csv --continuous
check "are measured" grep -q "NORMALD" "$work/out"
check "ties" warns "occur more than once" counts.csv --continuous

# Steps of 1 from 0 on would take days.
{ echo N; awk 'BEGIN { for (k = 0; k < 40; k++) print 5000000000 + k * 100000000 }'; } >many.csv
check "large counts" ends 0 timeout 60 "$cosy" fitdist many.csv -o many.svg
check "chi-square of these" grep -q "GEOMD .* 61.6 *4 " "$work/out" # by a program of its own

printf 'WAIT\n1\n2\n3\n5\n8\n13\n21.5\n' >sorted.csv
check "a sorted column" ends 0 "$cosy" fitdist sorted.csv
check "is told" warns "the values are sorted" sorted.csv
check "a reserved word is no name" grep -q "^RANDOMGEN X: " "$work/out"

# refused WHAT WORDS ARGUMENTS...
refused() {
    words=$1
    shift
    "$cosy" fitdist "$@" >"$work/fits" 2>"$work/why"
    [ $? = 3 ] && [ ! -s "$work/fits" ] && grep -q -- "$words" "$work/why" &&
        return 0
    cat "$work/why"
    return 1
}
printf 'A,B\n1,2\n3,\n5,6\n' >gap.csv
printf '1\n2\n3\n4\n5\n6\n' >bare.csv
printf 'A\n2\n2\n2\n2\n2\n2\n' >same.csv
printf 'A\n1\n2\n' >short.csv
printf 'A\n1\nfast\n3\n' >words.csv
check "no column said" refused "3 columns: say which with --column NAME" bearings.csv
check "no such column" refused 'names no column `Q`' bearings.csv --column Q
check "an empty cell" refused "line 3 .* nothing in column B" gap.csv --column B
check "no header" refused "the first line has to name the column" bare.csv
printf 'A\n1E308\n1E307\n2E307\n3E307\n1E308\n' >huge.csv
check "a constant" refused "a constant, not a distribution" same.csv
check "too large" refused "too large to compute with their squares" huge.csv
check "too few" refused "has 2 values: at least 5 are needed" short.csv
check "a word" refused "line 3" words.csv
check "no file" refused "none.csv" none.csv
check "nothing" refused "needs a file"
check "an option" refused "no option --foo" gap.csv --foo
check "an option alone" refused "needs a name" gap.csv --column

finish
