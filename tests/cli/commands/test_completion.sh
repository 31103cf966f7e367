#!/bin/bash
# Completion of commands, options and their values by bash and zsh, as `sweep completion SHELL` prints it. Bash is
# asked through COMP_WORDS, zsh by keys typed at a terminal.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
mkdir -p results home/.config
touch my.cfg "with space.cfg" results/my.h5 notes.txt
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config XDG_DATA_HOME=$tmp/home TERM=dumb
skipped=
for shell in bash zsh; do
    expect 0 completion $shell; silent err
    cp out sweep.$shell
    if command -v $shell >/dev/null; then $shell -n sweep.$shell 2>err || fail "$shell does not read its script"
    else skipped="$skipped $shell"; fi
done
expect 2 completion fish; says "bash and zsh; got 'fish'"
expect 2 completion; says 'needs SHELL'

# ---- bash. replies WORD...: what it offers for the last one
. ./sweep.bash
replies() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _sweep
    printf '%s\n' "${COMPREPLY[@]}" | sort >out
}
offers() {  # offers "WORD..." REPLY...: exactly these
    local words=$1
    shift
    eval "replies $words"
    printf '%s\n' "$@" | sort >expected
    cmp -s expected out || fail "bash offers for '$words': $(paste -s -d' ' out); not: $*"
}
offers 'sweep che' check
offers 'sweep co' completion
offers 'sweep my' my.cfg
offers 'sweep run my' my.cfg
offers 'sweep run with' 'with space.cfg'
offers 'sweep show results/' results/my.h5
offers 'sweep status m' my.cfg
offers 'sweep run --device c' cpu cuda
offers 'sweep run --device = cu' cuda
offers 'sweep run --device = ""' auto cpu cuda
offers 'sweep my.cfg --fail' --fail-fast
offers 'sweep -q --device cpu run --fail' --fail-fast
offers 'sweep --device = cuda : 0 check --li' --list
offers 'sweep run -s time.e' time.end=
offers 'sweep run -s time.dt = 0.0' ''
offers 'sweep run -s time.dt = 0.1 --shar' --shard
offers 'sweep run --solver cpu.pl' cpu.plain
offers 'sweep show --status d' diverged done
offers 'sweep plot results/my.h5 --kind sp' spacetime
offers 'sweep run -o no' notes.txt
offers 'sweep init h' heat hyperdiffusion
offers 'sweep explain d1_c1' d1_c10
offers 'sweep help expl' explain
offers 'sweep completion z' zsh
offers 'sweep run --only a' ''

# each command, and to each command all its options and no others, as `sweep help` prints them
expect 0 help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
replies sweep ''
for command in $commands; do grep -qx "$command" out || fail "bash does not offer $command"; done
for command in $commands; do
    expect 0 help "$command"
    sed -n '/^Options:/,$s/^ *\(-[a-zA-Z]\)\{0,1\},\{0,1\} *\(--[a-z-]*\).*/\1 \2/p' out |
        tr -s ' ' '\n' | grep . | sort >expected
    replies sweep "$command" -
    cmp -s expected out || fail "bash offers other options of $command than it has"
done

# ---- zsh, at a terminal: a function sweep prints what the line became
if command -v zsh >/dev/null && zsh -f -c 'zmodload zsh/zpty' 2>/dev/null; then
    mkdir functions && cp sweep.zsh functions/_sweep
    cat >type.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PROMPT=; fpath=('$PWD'/functions $fpath); autoload -U compinit; compinit -u -D'
zpty -w z 'sweep() { print -r -- "GO""T<$*>" }; print re""ady'
zpty -r -m z out '*ready*' || exit 1
for line; do
    zpty -w -n z "sweep $line"$'\t\n'
    zpty -r -m z out '*GOT<*>*' || exit 1
    print -r -- ${${out##*GOT<}%%>*}
done
zpty -d z
END
    types() {  # types BEFORE AFTER BEFORE AFTER ...
        local before=() after=()
        while [ $# -gt 0 ]; do before+=("$1") after+=("$2"); shift 2; done
        timeout 60 zsh -f type.zsh "${before[@]}" >out 2>err || fail "zsh ends with $?"
        printf '%s\n' "${after[@]}" >expected
        cmp -s expected out || fail "zsh completes otherwise: $(diff expected out)"
    }
    types che check 'run my' 'run my.cfg' 'show results/' 'show results/my.h5' 'run --device cud' 'run --device cuda' \
        'run --device=cud' 'run --device=cuda' 'my.cfg --fail' 'my.cfg --fail-fast' '-q --device cpu run --fail' \
        '-q --device cpu run --fail-fast' 'show --status div' 'show --status diverged' 'init hea' 'init heat' \
        'run -s time.en' 'run -s time.end' 'explain d1_c1' 'explain d1_c10' 'help expl' 'help explain'
fi
summary "${skipped:+no$skipped here}"
