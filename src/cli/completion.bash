# Words that = and : cut are put together again, then the command is the first that is neither an option nor the value
# of one. Without a match the shell completes file names.
_sweep_words() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur"); }
_sweep_keys() {
    compopt -o nospace 2>/dev/null
    [[ $cur == *=* ]] || mapfile -t COMPREPLY < <(compgen -S = -W "$*" -- "$cur")
}
_sweep_files() {  # _sweep_files ENDING...: files, and folders on the way to them
    local ending
    compopt -o filenames 2>/dev/null
    [[ $# -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    [[ $# -eq 0 ]] || mapfile -t COMPREPLY < <(
        for ending; do compgen -f -X "!*$ending" -- "$cur"; done
        compgen -d -- "$cur")
}
_sweep() {
    local words=() word glue='' command='' option='' cur k commands with_value options=() argument=()
    _sweep_tables
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ ${#words[@]} -gt 0 && ( $glue || $word == [=:] ) ]]; then words[${#words[@]}-1]+=$word
        else words+=("$word"); fi
        if [[ $word == [=:] ]]; then glue=1; else glue=''; fi
    done
    cur=${words[${#words[@]}-1]}
    for ((k = 1; k < ${#words[@]} - 1; k++)); do
        if [[ " ${with_value[*]} " == *" ${words[k]} "* ]]; then ((k++))
        elif [[ ${words[k]} != -* ]]; then command=${words[k]}; break; fi
    done
    option=${words[${#words[@]}-2]}
    [[ $cur == --*=* ]] && option=${cur%%=*} cur=${cur#*=}
    COMPREPLY=()
    _sweep_of_option "$option"
    if [[ ${#argument[@]} -gt 0 ]]; then "${argument[@]}"; return; fi
    [[ $command && " ${commands[*]%%:*} " != *" $command "* ]] && command=run
    _sweep_of_command "$command"
    if [[ $cur == -* ]]; then _sweep_words "${options[*]%%:*}"; return; fi
    "${argument[@]}"
    [[ $command ]] ||
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "${commands[*]%%:*}" -- "$cur")
}
complete -o bashdefault -o default -F _sweep sweep
