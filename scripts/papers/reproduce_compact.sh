#!/bin/bash
# reproduce_compact.sh [OPTION...] BUILD [FOLDER]: what the compact schemes (docs/explanation/compact.md) are, and how
# fast, on this machine: orders of every scheme and closure, modified wavenumbers, speed over the length of a line;
# pictures. In the end scripts/papers/claims.py prints each published value and claim beside ours.
#   BUILD         a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER        where compact_convergence.csv, compact_waves.csv, compact_paper_DEVICE.csv and the pictures go
#                 (default: results/bench)
#   --part PART   convergence  errors over n: every scheme on a periodic line, every closure between walls
#                 waves        every scheme applied to every wave of a line, read from the file, against its
#                              coefficients in fractions; a difference beyond rounding is a failure
#                 speed        as bench_compact.sh --part paper: on a GPU against cuSPARSE's gtsv2StridedBatch,
#                              as the paper has it; on the CPU against the Thomas algorithm, as the paper announces
#                 default: all; repeatable
#   --small       speed with a hundredth of the points and one repeat, to try the script
#   --dry-run     print what would be run
. "$(dirname "$0")/../bench/measure.sh"
part='' small='' dry_run=''
take_options 'part+ small dry-run' "$@"
take_build_and_folder
make_tmp

# try COMMAND...: say it, and do it
try() { echo "$*"; [ -n "$dry_run" ] || "$@"; }
# first CSV TITLE: what stands above its columns
first() { [ -n "$dry_run" ] || echo "# $2; $(machine), $(nproc) threads, commit $(commit)" >"$1"; }

# errors CONFIG OPTION...: a row a run. The CPU is as good as any for errors.
errors() {
    local config=configs/$1.cfg
    shift
    try "$sweep" run "$config" -q --device cpu --force -o "$tmp/errors.h5" "$@" || return 1
    [ -n "$dry_run" ] || "$sweep" show "$tmp/errors.h5" --csv >"$tmp/errors.csv" || return 1
    [ -n "$dry_run" ] || awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { print $at["scheme"] "," ("boundary" in at ? $at["boundary"] : "periodic") "," $at["n"] "," \
                $at["err_max"] "," $at["err_l2"] "," $at["err_interior"] }' "$tmp/errors.csv" \
        >>"$folder/compact_convergence.csv"
}
convergence() {
    local csv=$folder/compact_convergence.csv
    first "$csv" 'Errors of compact schemes, exp(sin x) periodic, exp(sin 3x) on 0 ... 2 between walls, alpha 0.4'
    [ -n "$dry_run" ] || echo scheme,boundary,n,err_max,err_l2,err_interior >>"$csv"
    errors compact_convergence &&
        errors compact_walls &&
        errors compact_walls -s 'sweep.scheme=["d1_c4", "d2_c4"]' -s 'sweep.boundary=["3-4-4", "4-4-4"]' &&
        errors compact_walls -s 'sweep.scheme=["f2", "f4", "f6", "f8", "f10"]' -s 'sweep.boundary=["reduced"]'
}
waves() {
    local csv=$folder/compact_waves.csv config python
    python=$(scripts/build/find_python.sh)
    [ -n "$python" ] || give_up 'the waves need python3 with h5py and numpy'
    for config in compact_waves compact_filters compact_families; do
        try "$sweep" run configs/$config.cfg -q --device cpu -o "$tmp/$config.h5" || return 1
    done
    first "$csv" 'Waves sin(k x + 1/2) on 128 points under compact schemes'
    try "$python" scripts/papers/compact_waves.py "$csv" "$tmp/compact_waves.h5" "$tmp/compact_filters.h5" \
        "$tmp/compact_families.h5"
}
speed() {
    local where devices=cpu
    has_gpu && devices='cuda cpu' || echo 'no GPU here: the rows of the CPU only, nothing to compare with the paper'
    for where in $devices; do
        try scripts/bench/bench_compact.sh ${small:+--small} --part paper --device $where "${sweep%/sweep}" "$folder" ||
            return 1
    done
}

for one in ${part:-convergence waves speed}; do
    case $one in convergence|waves|speed) ;; *) give_up "no part $one" ;; esac
    $one || give_up "$one failed"
done
[ -n "$dry_run" ] || { draw "$folder" papers/plot_compact.py; compare K; }
