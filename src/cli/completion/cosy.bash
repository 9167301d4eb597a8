# Completion of cosy for bash: source it, or put it into
# ~/.local/share/bash-completion/completions/cosy

_cosy()
{
    local current line kind
    # `=` is a word of its own for bash, but not for cosy: take the line apart
    # at blanks.
    local -a words
    read -r -a words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=("")
    current=${words[${#words[@]} - 1]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        @*) kind=$line ;;
        *) COMPREPLY+=("$line") ;;
        esac
    done < <("${words[0]}" completion --for "${words[@]:1}" 2>/dev/null)
    case $kind in
    @models)
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            if [[ -d $line || $line == *.cosy || $line == *.c ||
                $line == *.so ]]; then
                COMPREPLY+=("$line")
            fi
        done < <(compgen -f -- "$current")
        ;;
    @files | @folders)
        compopt -o filenames 2>/dev/null
        [[ $kind == @files ]] && kind=-f || kind=-d
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen "$kind" -- "$current")
        ;;
    esac
    # What bash took apart at `=` is not to be put in again.
    if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${current%%=*}="}")
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _cosy cosy
