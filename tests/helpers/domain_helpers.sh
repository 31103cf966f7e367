# shellcheck shell=bash
# For tests of grids that are cut over ranks, behind helpers.sh: a config cut over two threads, and over processes.
# $config, $code (the exit code of all runs) and $processes ("" without MPI) are the script's.
# shellcheck disable=SC2154,SC2034
. "$top/tests/helpers/mpi_helpers.sh"
near() { echo "$*" >>"$tmp/near"; }  # near A B RELATIVE: all are compared at the end (helpers/near_h5.py)
end() {
    [ -z "$python" ] || $python "$helpers/near_h5.py" <"$tmp/near" >"$tmp/out" 2>"$tmp/err" || fail 'what is near'
    summary
}
names=0 code=0 config=
cut() {  # cut RELATIVE OPTION...: with two threads, every third time with $processes processes (SW_LONG=1: each time)
    local bound=$1
    shift
    names=$((names + 1))
    expect "$code" run "$config" -q -o "w$names.h5" "$@" --device cpu -s 'run.split="runs"'
    expect "$code" run "$config" -o "t$names.h5" "$@" --device cpu:0,1 -s 'run.split="grid"'
    says 'grid     cut along '; says 'over 2 devices'
    near "w$names.h5" "t$names.h5" "$bound"
    [ $((names % 3)) = 1 ] || [ -n "$SW_LONG" ] || return
    expect 0 verify "t$names.h5"
    for n in $processes; do
        ranks "$code" "$n" "$sweep" run "$config" -o "m$names-$n.h5" --device cpu "$@" -s 'run.split="grid"'
        once "over $n devices: slabs of "
        near "w$names.h5" "m$names-$n.h5" "$bound"
    done
}
messages() {  # messages PATTERN...: the file of the last cut has them
    "$sweep" show "t$names.h5" --json >out 2>err
    for m in "$@"; do matches "$m"; done
}
processes=
if built_with_mpi && command -v mpirun >/dev/null; then processes='2 3'
else skipped 'processes: built without MPI, or no mpirun'; fi
