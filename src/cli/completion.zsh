_sweep_words() { compadd -- $@ }
_sweep_keys() { compadd -q -S = -- $@ }
_sweep_files() {  # _sweep_files ENDING...
    local ending
    (( $# )) || { _files; return }
    for ending; do _files -g "*$ending"; done
}
_sweep() {
    local command= option=$words[CURRENT-1] k
    local -a options argument commands with_value
    _sweep_tables
    for ((k = 2; k < CURRENT; k++)); do
        if (( $with_value[(Ie)$words[k]] )); then ((k++))
        elif [[ $words[k] != -* ]]; then command=$words[k]; break; fi
    done
    if [[ $PREFIX == --*=* ]]; then
        option=${PREFIX%%=*}
        compset -P '*='
    fi
    _sweep_of_option $option
    if (( $#argument )); then $argument; return; fi
    [[ -z $command || -n ${(M)commands:#$command:*} ]] || command=run
    _sweep_of_command "$command"
    if [[ $PREFIX != -* ]]; then
        [[ -n $command ]] || _describe -t commands command commands
        $argument
        return
    fi
    _describe -o option options
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sweep "$@"; else compdef _sweep sweep; fi
