# Completion of cosy for fish: put it into ~/.config/fish/completions/cosy.fish

function __cosy_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] completion --for $words[2..-1] 2>/dev/null)
        switch $line
            case @models
                __fish_complete_suffix .cosy
                __fish_complete_suffix .c
                __fish_complete_suffix .so
            case @folders
                __fish_complete_directories (commandline -ct)
            case @files
                __fish_complete_path (commandline -ct)
            case '*'
                echo $line
        end
    end
end

complete -c cosy -f -a '(__cosy_complete)'
