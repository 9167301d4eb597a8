#!/bin/sh
# Completion: what the program offers for a line, that --help and the man page
# tell the same, how options are read, and what bash, zsh and fish make of it (the
# latter two if they are there). Needs COSY_SOURCE and COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
source=$(cd "${COSY_SOURCE:-.}" && pwd)
COSY_LIBRARY=$work/library.db
export COSY_LIBRARY
PATH=$(dirname "$cosy"):$PATH
export PATH

# offers EXPECTED WORD...: the candidates, blanks between.
offers() {
    expected=$1
    shift
    found=$("$cosy" completion --for "$@" | tr '\n' ' ')
    [ "${found% }" = "$expected" ] && return 0
    echo "\"$found\" for: $*"
    return 1
}

# ---- What is offered
check "commands" offers "run rerun results" r
check "all commands" offers \
    "new check emit xref format run output explain graph fitdist rerun collect results lib doc completion --help --version" ""
check "options" offers \
    "--limit-events --limit-time --limit-wall --limit-memory --limit-cpu" \
    run --limit
check "joined values" offers "--backend=auto --backend=cc --backend=tcc" \
    run --backend=
check "values" offers "RKE" run m.cosy --method RKE
check "AUTO and ADAMS" offers "AUTO ADAMS" run m.cosy --method A
check "models" offers @models run ""
check "folders" offers @folders run m.cosy -o ""
check "files" offers @files run m.cosy --restore ""
check "kinds" offers "continuous combined" new a --kind co
check "topics" offers seize doc sei
check "verbs" offers "show" lib s
check "what to do with results" offers "export" results e
check "files after it" offers @files results show ""
check "frames" offers "1 2 3" run "$source/examples/lithium/model.cosy" \
    --frame ""
check "no frames" offers "" run "$source/examples/stair/model.cosy" --frame ""
check "a wrong model has none" offers "" run \
    "$source/tests/lang/bad_paren.cosy" --frame ""
check "no model has none" offers "" run none.cosy --frame ""
printf 'MACRO TWICE (Y <- X); Y = 2*X MACEND;\n' >"$work/m.cosy"
check "a library" ends 0 "$cosy" lib add "$work/m.cosy"
check "names of the library" offers TWICE lib show T
check "no such command" offers "" nothing ""
check "numbers are not guessed" offers "" run m.cosy --seed ""
check "unknown shell" ends 3 "$cosy" completion tcsh
check "no shell" ends 3 "$cosy" completion

# ---- --help and the man page have all of it
# told FILE NAME: as a word, in the writing of a shell or of roff.
told() {
    sed 's/\\-/-/g; s/\\f[A-Z]/ /g' "$1" |
        grep -Eq -- "(^|[^a-z-])$2([^a-z-]|\$)"
}
"$cosy" --help >"$work/help"
page=$source/docs/cosy.1
for command in $("$cosy" completion --for ""); do
    check "$command is in --help" told "$work/help" "$command"
    check "$command is in the man page" told "$page" "$command"
    for option in $("$cosy" completion --for "$command" - | sed 's/=$//'); do
        check "$option of $command is in --help" told "$work/help" "$option"
        check "$option of $command is in the page" told "$page" "$option"
    done
done
# What the page has a paragraph for is an option of some command.
for command in $("$cosy" completion --for ""); do
    "$cosy" completion --for "$command" -
done | sed 's/=$//' | sort -u >"$work/offered"
sed 's/\\-/-/g' "$page" | grep -A 1 '^\.TP' |
    grep -o -- ' --[a-z][a-z-]*' | tr -d ' ' |
    grep -v -e '^--help$' -e '^--version$' | sort -u >"$work/told"
check "the page has options" [ "$(wc -l <"$work/told")" -gt 20 ]
while read -r option; do
    check "$option of the page is one" grep -qx -- "$option" "$work/offered"
done <"$work/told"
for method in $("$cosy" completion --for run m.cosy --method ""); do
    check "$method is in --help" grep -qw "$method" "$work/help"
done

# ---- How options of run are read, and what is kept with the results
cat >"$work/x.cosy" <<'END'
PROGRAM X; VAR STATE Y; EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS Y' = 1 END END; END.
END
run="$cosy run $work/x.cosy --quiet -o $work/x.out"
# keeps EXPECTED: the options that summary.json has.
keeps() {
    grep -o '"options": \[[^]]*\]' "$work/x.out/summary.json" >"$work/kept"
    [ "$(cat "$work/kept")" = "\"options\": [$1]" ] && return 0
    cat "$work/kept"
    return 1
}
check "a value that follows" ends 0 $run --method RK4 --step 0.1 --threads 1
check "is kept as it was written" keeps '"--method", "RK4", "--step", "0.1"'
check "a value after =" ends 0 $run --method=RK4 --step=0.1 --threads=1
check "is kept the same way" keeps '"--method=RK4", "--step=0.1"'
check "it can be done again" ends 0 "$cosy" rerun "$work/x.out"
check "a value that may be there" ends 0 $run --verify --no-plots
check "or not" keeps '"--verify", "--no-plots"'
check "without =" ends 0 $run --backend cc --format svg
check "only what results depend on" keeps '"--format", "svg"'
check "no value" ends 3 $run --method
check "which value" says '--method needs a value: --method M'
check "a slip" ends 3 $run --metod RK4
check "the word" says 'unknown option --metod: did you mean --method?'
check "no such option" ends 3 $run --qqqqqqqqqq
check "it is reported" says 'unknown option --qqqqqqqqqq; see cosy --help'
check "a flag with a value" ends 3 $run --json=yes
check "a short one with =" ends 3 $run -o=there
check "an empty value" ends 3 $run --trace-file=
check "not a number" ends 3 $run --seed=x
check "the name of the option" says '--seed needs a whole number'
rm -r "$work/x.out"

# ---- bash
cd "$work"
mkdir folder
touch model.cosy model.txt model.so
cat >"$work/complete.bash" <<'END'
source <(cosy completion bash)
# line TEXT: what bash would show for it.
COMP_LINE=$1
COMP_POINT=${#1}
compopt() { :; }
_cosy
printf '%s\n' "${COMPREPLY[@]}"
END
# in_bash EXPECTED LINE
in_bash() {
    found=$(bash "$work/complete.bash" "$2" | sort | tr '\n' ' ')
    [ "${found% }" = "$1" ] && return 0
    echo "\"$found\" for: $2"
    return 1
}
if command -v bash >/dev/null; then
    check "bash: a command" in_bash run "cosy ru"
    check "bash: an option" in_bash "--save --save-at" "cosy run --sav"
    check "bash: after =" in_bash "cc" "cosy run --backend=c"
    check "bash: models" in_bash "model.cosy model.so" "cosy run mod"
    check "bash: folders of models" in_bash "folder" "cosy run fo"
    check "bash: folders" in_bash "folder" "cosy run model.cosy -o "
    check "bash: files" in_bash "model.cosy model.so model.txt" \
        "cosy run --restore mod"
    check "bash: topics" in_bash "seize" "cosy doc sei"
    check "bash: frames" in_bash "1 2 3" \
        "cosy run $source/examples/lithium/model.cosy --frame "
    check "bash: nothing" in_bash "" "cosy nothing "
fi

# ---- zsh: compadd is what it offers candidates with
if command -v zsh >/dev/null; then
    cat >"$work/complete.zsh" <<'END'
compdef() { :; }
compadd() { print -n -- "${(P)argv[-1]} "; }
_files() { print -n -- "files $* "; }
source <(cosy completion zsh)
words=("$@")
CURRENT=$#words
_cosy
END
    # in_zsh EXPECTED WORD...
    in_zsh() {
        expected=$1
        shift
        found=$(zsh -f "$work/complete.zsh" "$@")
        [ "${found% }" = "$expected" ] && return 0
        echo "\"$found\" for: $*"
        return 1
    }
    check "zsh: a command" in_zsh run cosy ru
    check "zsh: =" in_zsh "--backend=" cosy run --ba
    check "zsh: models" in_zsh "files -g *.(cosy|c|so)" cosy run ""
    check "zsh: topics" in_zsh seize cosy doc sei
fi

# ---- fish completes a line itself
if command -v fish >/dev/null; then
    in_fish() {
        found=$(HOME=$work fish --no-config -c \
            "cosy completion fish | source; complete -C '$2'" | tr '\n' ' ')
        [ "${found% }" = "$1" ] && return 0
        echo "\"$found\" for: $2"
        return 1
    }
    check "fish: a command" in_fish run "cosy ru"
    check "fish: topics" in_fish seize "cosy doc sei"
    check "fish: models" in_fish "model.cosy" "cosy run model.c"
fi

finish
