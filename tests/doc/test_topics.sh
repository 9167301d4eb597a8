#!/bin/sh
# The pages of cosy doc: every name finds its page, every word of the language
# has one, the programs on them are right, lines fit, the tool refuses pages
# with mistakes. Needs COSY_SOURCE, COSY_PROGRAM and COSY_TOPICS.
. "$(dirname "$0")/../contract/shell.sh"
source=${COSY_SOURCE:-.}
topics=${COSY_TOPICS:-build/tools/topics/topics}
pages=$source/docs/topics
COSY_LIBRARY=$work/library.db
export COSY_LIBRARY

# fits FILE: no line has more than 80 characters.
fits() {
    LC_ALL=C awk '{ gsub(/[\200-\277]/, "") }
        length > 80 { print FILENAME ": " $0; bad = 1 }
        END { exit bad }' "$1"
}

# shows TOPIC NAME: cosy doc NAME prints the page of TOPIC.
shows() {
    "$cosy" doc "$2" >"$work/page" 2>&1 &&
        case $(head -n 1 "$work/page") in "$1 - "*) ;; *) false ;; esac
}

# ---- Names
"$cosy" doc >"$work/list"
check "list of topics fits" fits "$work/list"
check "every group of topics has one heading" [ -z "$(sed -n \
    's/^\([A-Z][A-Za-z ]*\)$/\1/p' "$work/list" | sort | uniq -d)" ]
for page in "$pages"/*.txt; do
    topic=$(sed -n 's/^topic: //p' "$page")
    check "$topic is in the list" grep -qw -- "$topic" "$work/list"
    check "$topic.txt has its name" [ "$pages/$topic.txt" = "$page" ]
    sed -n '/^$/q; s/^topic: //p; s/^also: //p' "$page" |
        sed 's/, /\n/g' >"$work/names"
    while read -r name; do
        check "$name finds $topic" shows "$topic" "$name"
    done <"$work/names"
done

# ---- Words of the language, and what it knows without a declaration
sed -n 's/^\(RESERVED\|OPTION\|MACRO_WORD\)(\([A-Z]*\)).*/\2/p' \
    "$source/src/syntax/words.def" >"$work/words"
sed -n 's/^[A-Z_]*(\([A-Z0-9]*\)[,)].*/\1/p' \
    "$source/src/check/predefined.def" "$source/src/base/methods.def" \
    "$source/src/base/distributions.def" >>"$work/words"
check "there are words" [ "$(wc -l <"$work/words")" -gt 200 ]
while read -r word; do
    check "$word has a page" ends 0 "$cosy" doc "$word"
done <"$work/words"

# ---- Methods and distributions: each in the table of its page, the latter with
# its options; and in the manual's reference.
tr '\n' ' ' <"$source/src/base/methods.def" | grep -o 'METHOD[_A-Z]*([A-Z0-9]*,' |
    sed 's/.*(//; s/,//' >"$work/methods"
check "there are methods" [ "$(wc -l <"$work/methods")" -gt 15 ]
while read -r method; do
    check "$method is listed" grep -qw "$method" "$pages/integrat.txt"
    check "$method is in the page of the command" \
        grep -qw "$method" "$source/docs/cosy.1"
done <"$work/methods"
tr '\n' ' ' <"$source/src/base/distributions.def" |
    sed 's/DISTRIBUTION(/\n&/g' | sed -n 's/^DISTRIBUTION(\([A-Z]*\), */\1 /p' |
    awk '{ name = $1; line = $0
           gsub(/^[A-Z]* "[^"]*"/, "", line)
           while (match(line, /"[A-Z]+"/)) {
               name = name " " substr(line, RSTART + 1, RLENGTH - 2)
               line = substr(line, RSTART + RLENGTH)
           }
           print name }' >"$work/distributions"
check "there are distributions" [ "$(wc -l <"$work/distributions")" -gt 12 ]
while read -r distribution words; do
    grep "^$distribution " "$pages/randomgen.txt" >"$work/row"
    check "$distribution is listed" [ -s "$work/row" ]
    for word in $words; do
        check "$word of $distribution" grep -qw "$word" "$work/row"
    done
done <"$work/distributions"

# ---- Use
check "several topics" ends 0 "$cosy" doc seize sweep
check "a topic of two words" shows process "discrete process"
check "two words" ends 0 "$cosy" doc discrete process
check "they are one topic" [ "$(grep -c '^process - ' "$work/out")" -eq 1 ]
check "unknown topic" ends 3 "$cosy" doc sieze
check "did you mean" says "did you mean seize?"
check "nothing is near" ends 3 "$cosy" doc qqqqqqqqqqqq
check "where the list is" says "cosy doc lists"
check "one of two unknown" ends 3 "$cosy" doc seize qqqqqqqqqqqq
check "a name without end" ends 3 "$cosy" doc "$(printf '%0500d' 0)"
check "no such option" ends 3 "$cosy" doc --some
check "all pages" ends 0 "$cosy" doc --all
check "all pages fit" fits "$work/out"
check "all pages are there" [ "$(grep -c '^See also:' "$work/out")" -eq \
    "$(ls "$pages"/*.txt | wc -l)" ]
check "help" ends 0 "$cosy" --help
check "help fits" fits "$work/out"

# ---- Programs
# No message but that something cannot be run yet, or not without a library.
quiet()
{
    ! grep -e 'error: ' -e 'warning: ' -e 'note: ' "$work/said" |
        grep -v -e 'cannot be run yet: ' -e 'cosy run needs --libraries DIR'
}
mkdir "$work/programs"
check "programs" ends 0 "$topics" programs "$work/programs" "$pages"/*.txt
check "there are some" [ "$(ls "$work/programs" | wc -l)" -gt 50 ]
for program in "$work/programs"/*.cosy; do
    check "$(basename "$program")" ends 0 "$cosy" check "$program"
    check "$(basename "$program"): no message" quiet
    [ -s "$work/said" ] && cat "$work/said"
done

# ---- Pages with mistakes
# page EDIT: a page, changed by this sed command.
page() {
    {
        printf 'topic: one\ngroup: G\ntitle: t\nalso: two, three\nrules: sum\n\n'
        for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            echo "line $k"
        done
        echo "See also: one"
    } | sed "$1" >"$work/page.txt"
}
# refused TEXT EDIT: the tool refuses it, and says TEXT.
refused() {
    page "$2"
    check "$1" ends 1 "$topics" table "$work/t.c" \
        "$source/grammar/cosy.ebnf" "$work/page.txt"
    check "$1: said" says "$1"
    check "$1: no table" [ ! -e "$work/t.c" ]
}
refused "too long" "s/line 3/$(printf '%079d' 0)/"
refused "no rule nix" 's/^rules:.*/rules: sum, nix/'
refused "is there 2 times" 's/^also:.*/also: two, TWO/'
refused "no topic four" 's/^See also:.*/See also: four/'
refused "no topic two" 's/^See also:.*/See also: two/'
refused "not closed" 's/line 5/```cosy/'
refused "stand alone" 's/line 5/```c/'
refused "open already" 's/line [56]/```cosy/'
refused "needs topic" '/^title/d'
refused "head lines are" 's/^also/als/'
refused "NAME: VALUE" 's/^also:/also/'
refused "a name is missing" 's/two, three/two,, three/'
refused "space at the end" 's/line 4/line 4 /'
refused "lines of text" '/line/d'
page 's/one/four/; s/two, three/five/; s/group: G/group: H/'
mv "$work/page.txt" "$work/other.txt"
page 's/one/six/; s/two, three/seven/'
mv "$work/page.txt" "$work/third.txt"
page ''
check "a group in two parts" ends 1 "$topics" table "$work/t.c" \
    "$source/grammar/cosy.ebnf" "$work/page.txt" "$work/other.txt" \
    "$work/third.txt"
check "a group in two parts: said" says "the group G has ended before"
check "right page" ends 0 "$topics" table "$work/t.c" \
    "$source/grammar/cosy.ebnf" "$work/page.txt"
check "its table" [ -s "$work/t.c" ]
check "no file" ends 1 "$topics" table "$work/u.c" \
    "$source/grammar/cosy.ebnf" "$work/none.txt"
check "no grammar" ends 1 "$topics" table "$work/u.c" "$work/none" \
    "$work/page.txt"
check "wrong use" ends 3 "$topics" tables

# ---- Manual page
if command -v groff >/dev/null 2>&1; then
    check "manual page" ends 0 groff -man -ww -z "$source/docs/cosy.1"
    check "manual page: no warning" [ ! -s "$work/said" ]
fi
for name in run check lib doc; do
    check "manual page has $name" grep -q "^\.B $name\|^\.BI $name" \
        "$source/docs/cosy.1"
done
"$cosy" --help | sed -n 's/^ *\(--*[a-z-]*\).*/\1/p' | sort -u >"$work/options"
while read -r option; do
    check "manual page has $option" grep -qF -- \
        "$(printf '%s' "$option" | sed 's/-/\\-/g')" "$source/docs/cosy.1"
done <"$work/options"
check "manual page has this version" grep -q "\"$("$cosy" --version | head -n 1)\"" \
    "$source/docs/cosy.1"
finish
