#!/bin/sh
# The manual: its programs run and print what the pages show, its links lead
# somewhere, syntax.md and the pages of examples are current, and a page that is
# wrong is found. The programs of the topics run as well, but for those that are
# marked as not built yet. Needs COSY_SOURCE, COSY_BUILD and COSY_TOPICS.
. "$(dirname "$0")/../contract/shell.sh"
source=$(cd "${COSY_SOURCE:-.}" && pwd)
build=$(cd "${COSY_BUILD:-build}" && pwd)
topics=${COSY_TOPICS:-build/tools/topics/topics}
pages=$source/docs/manual

# ---- Pages
check "pages are current" ends 0 "$source/scripts/manual" "$build"
cat "$work/out"

# links FILE: every file it points to is there.
links() {
    grep -o '](\([^)#]*\)' "$1" | sed 's/^](//' | grep -v '^http' | sort -u |
        while read -r link; do
            [ -z "$link" ] || [ -e "$(dirname "$1")/$link" ] ||
                echo "$1: there is no $link"
        done >"$work/links"
    cat "$work/links"
    [ ! -s "$work/links" ]
}
for page in "$pages"/*.md "$pages"/examples/*.md; do
    check "links of $(basename "$page")" links "$page"
done
for page in "$pages"/*.md; do
    [ "$(basename "$page")" = README.md ] && continue
    check "contents have $(basename "$page")" \
        grep -q "($(basename "$page"))" "$pages/README.md"
done
check "graphs are small" [ -z "$(find "$pages/examples" -size +80k)" ]

# ---- Wrong pages are found
mkdir "$work/wrong"
# finds TEXT: the page on standard input is refused with it.
finds() {
    cat >"$work/wrong/page.md"
    COSY_MANUAL=$work/wrong "$source/scripts/manual" "$build" pages \
        >"$work/said" 2>&1 && return 1
    says "$1"
}
program='PROGRAM P;
VAR STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X'"'"' = 2 END; TERMINAL WRITELN("X ", X:4:1) END END;
END.'
check "another output" finds "> X  2.0" <<EOT
\`\`\`cosy p.cosy
$program
\`\`\`
\`\`\`console
$ cosy run p.cosy | sed -n 1p
X  2.1
\`\`\`
EOT
check "dots that do not fit" finds "> X  2.0" <<EOT
\`\`\`cosy p.cosy
$program
\`\`\`
\`\`\`console
$ cosy run p.cosy
...
X  2.1
...
\`\`\`
EOT
check "a program that is not run" finds "p.cosy is not run" <<EOT
\`\`\`cosy p.cosy
$program
\`\`\`
EOT
check "a program without a name" finds "a program needs a name" <<EOT
\`\`\`cosy
$program
\`\`\`
EOT
check "a topic that is not there" finds "there is no topic nix" <<EOT
<!-- topics: nix -->
EOT
check "topics that are missing" finds "no table of topics has seize" <<EOT
<!-- topics: const var -->
EOT
check "a block without end" finds "a block is not closed" <<EOT
\`\`\`cosy p.cosy
$program
EOT

# ---- Programs of the topics; one needs a library of its own.
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
export COSY_CACHE COSY_LIBRARY
mkdir "$work/programs"
"$topics" programs "$work/programs" $(grep -L '^status: ' \
    "$source"/docs/topics/*.txt | grep -v /external.txt)
cd "$work/programs"
check "there are programs" [ "$(ls | wc -l)" -gt 50 ]
backend=auto # with tcc no compiler is left at work behind each run
ends 0 "$cosy" run program-1.cosy --quiet --backend=tcc -o out >/dev/null &&
    backend=tcc
for program in *.cosy; do
    check "$program runs" ends 0 "$cosy" run "$program" --quiet --no-plots \
        --backend=$backend -o out
done
finish
