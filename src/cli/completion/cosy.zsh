#compdef cosy
# Completion of cosy for zsh: put it as _cosy into a folder of $fpath.

_cosy()
{
    local line kind
    local -a found joined
    for line in "${(@f)$("${words[1]}" completion --for \
        "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        '') ;;
        @*) kind=$line ;;
        *=) joined+=("$line") ;;
        *) found+=("$line") ;;
        esac
    done
    (($#found)) && compadd -a found
    (($#joined)) && compadd -S '' -a joined
    case $kind in
    @models) _files -g '*.(cosy|c|so)' ;;
    @folders) _files -/ ;;
    @files) _files ;;
    esac
}

if [[ $funcstack[1] == _cosy ]]; then
    _cosy "$@"
else
    compdef _cosy cosy
fi
