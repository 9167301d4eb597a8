# What the shell tests share: a folder of their own, counting, comparing.
# usage: . "$(dirname "$0")/shell.sh"

cosy=${COSY_PROGRAM:-build/cosy}
models=${COSY_MODELS:-build/models}
work=$(mktemp -d "${TMPDIR:-/tmp}/cosy-test-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check WHAT COMMAND...: one check, named if it fails.
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
    fi
}

# ends N COMMAND...: the command's exit status is N; its messages are in
# $work/said.
ends() {
    expected=$1
    shift
    "$@" >"$work/out" 2>"$work/said"
    status=$?
    [ "$status" -eq "$expected" ] && return 0
    echo "exit status $status, not $expected: $*"
    cat "$work/said"
    return 1
}

# launch COMMAND...: starts it, with its messages in $work/said; process is its number.
launch() {
    "$@" >"$work/out" 2>"$work/said" &
    process=$!
}

# there PATTERN [SIZE]: a folder of such a name is there, or a file of more than SIZE bytes.
there() {
    for file in $1; do
        [ -d "$file" ] && return 0
        [ -s "$file" ] && [ -n "$(find "$file" -size +"${2:-0}"c 2>/dev/null)" ] &&
            return 0
    done
    return 1
}

# reached PATTERN [SIZE]: waits until such a file is there. False if what was launched
# ends before, or after a minute without it. A file may get its final name at any time, so
# what was seen once is not looked for again.
reached() {
    tries=0
    until there "$@"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 3000 ] || ! kill -0 "$process" 2>/dev/null; then
            there "$@" && return 0
            echo "not reached after $tries looks: $*"
            cat "$work/said"
            return 1
        fi
        sleep 0.02
    done
}

# ended SIGNAL: sends it to what was launched, and waits until that has ended, with status.
ended() {
    kill -"$1" "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    status=$?
}

# says TEXT: the last message holds it.
says() {
    grep -q -F -e "$1" "$work/said" && return 0
    echo "no \"$1\" in:"
    cat "$work/said"
    return 1
}

# prints TEXT: the last command did, on standard output.
prints() {
    grep -q -F -e "$1" "$work/out" && return 0
    echo "no \"$1\" in:"
    cat "$work/out"
    return 1
}

# same A B: the same files with the same bytes in both folders, wall time aside.
aside='/^ "wall_s": /d; /class="wall"/d'
same() {
    [ "$(ls "$1")" = "$(ls "$2")" ] || return 1
    for file in "$1"/*; do
        if [ -d "$file" ]; then
            diff -r "$file" "$2/${file##*/}" || return 1
            continue
        fi
        sed "$aside" "$file" >"$work/one"
        sed "$aside" "$2/${file##*/}" >"$work/two"
        cmp "$work/one" "$work/two" || return 1
    done
}

# same_numbers A B: the same, though the runs were asked for in other words.
same_numbers() {
    words='s/^ "provenance": .*/}/; /class="origin"/d'
    (aside="$aside; $words" && same "$1" "$2")
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
