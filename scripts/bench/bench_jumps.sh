#!/bin/bash
# bench_jumps.sh BUILD [BEFORE [CSV]]: iterations and seconds of elliptic problems whose coefficients jump by 10^2 to
# 10^8, by multigrid and by conjugate gradients with columns alone, one core; 1000 iterations at most, 300 where there
# are more cells (docs/explanation/elliptic_methods.md).
#   BUILD   a folder with bench_jumps (`make benches`)
#   BEFORE  another one, whose cpu.multigrid is put beside (label `before`); '' for none
#   CSV     what is written (default: results/bench/elliptic_jumps.csv)
# Options:
#   --limit S  begin no run later than after S seconds (default 1200)
. "$(dirname "$0")/measure.sh"
limit=1200 dry_run=''
take_options 'limit=' "$@"
[ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "$(realpath "${arguments[0]}")"
program=${sweep%/sweep}/bench_jumps before=${arguments[1]:-} csv=${arguments[2]:-results/bench/elliptic_jumps.csv}
[ -x "$program" ] || give_up "no program $program (make benches)"
mkdir -p "$(dirname "$csv")" || exit 1
first "$csv" 'Elliptic problems with coefficients that jump, to 1e-8' cpu \
    label,row,pattern,decades,n,nz,iterations,seconds,residual,by
measure_jumps() {  # PROGRAM LABEL ROW N NZ DECADES...
    [ $SECONDS -lt "$limit" ] || { echo "$2 $3 $4 x $5: left out" >&2; return 0; }
    try "$@" >>"$csv" || exit 1
}
measure_all() {  # N NZ DECADES...
    measure_jumps "$program" now cpu.multigrid "$@"
    [ -z "$before" ] || measure_jumps "$before/bench_jumps" before cpu.multigrid "$@"
    measure_jumps "$program" now cpu.pcg "$@"
}
measure_all 64 1 2 4 6 8
measure_all 64 16 2 6
measure_all 128 1 2 6
measure_jumps "$program" now cpu.multigrid 256 1 2 4 6 8
measure_jumps "$program" now cpu.multigrid 512 1 2 6
