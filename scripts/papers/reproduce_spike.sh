#!/bin/bash
# reproduce_spike.sh [OPTION...] BUILD [FOLDER]: what "A Scalable, Numerically Stable, High-performance Tridiagonal
# Solver using GPUs" (Chang, Stratton, Kim, Hwu, SC 2012) shows, with every solver of this machine
# (docs/explanation/tridiagonal.md), and errors of ours. In the end scripts/papers/claims.py prints each published value
# and claim beside ours.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where spike_PART.csv, of a GPU spike_PART_cuda.csv, and the pictures go (default: results/bench)
#   --part PART      condition  condition numbers of table III's matrices, by numpy and mpmath
#                    table4    residuals of the 16 matrices of table III (configs/tridiagonal_table4.cfg,
#                              tridiagonal_toeplitz.cfg)
#                    backward  backward errors over n of the solvers that pivot (configs/tridiagonal_backward.cfg)
#                    partitions  backward errors of cpu.spike over n, which does not pivot between partitions
#                    forward   forward errors against quadruple precision, with condition numbers, of many seeds; by
#                              BUILD/bench_accuracy (make benches)
#                    matrices  figure 12: seconds for 2^23 rows, random and diagonally dominant
#                    sizes     figure 13: random, 2^20 to 2^26 rows
#                    transfers  figures 12 and 13: copies to a GPU and back, pageable and pinned
#                    layout    figures 7 and 10: cuda.spike, without dynamic tiling, and without data marshalling
#                              either, so that each is timed alone
#                    counters  figure 11: what Nsight Compute (ncu) counts of these, and the share of each kernel
#                    devices   figures 14 and 15, predistributed: one system on 1, 2, 4 .. GPUs, or threads of the
#                              CPU; strong and weak scaling. Figure 16 takes CPU and GPU together, one run here
#                              devices of one kind
#                    default: all; repeatable
#   --device DEVICE  cpu or cuda (default: both, as far as they are there); repeatable
#   --largest K      up to 2^K rows only (default 26)
#   --limit S        begin no timing later than after S seconds; what is left out is told
#   --dry-run        print what would be run
# Times are of the solve alone, rows and x in the memory of the device: the paper's kernel times. Its MKL ran on one
# core, as cpu.lapack@1 does here; its CUSPARSE of 2012 was a cyclic reduction without pivoting, cusparse.gtsv2_nopivot.
. "$(dirname "$0")/../bench/measure.sh"
part='' device='' largest=26 limit=1000000 dry_run=''
take_options 'part+ device+ largest= limit= dry-run' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device='cpu cuda'; }
make_tmp
work=spike

# solvers WHERE: the rows of the table of tridiagonal solvers that are there, in its order
solvers() {
    local prefix='cpu[.]'
    [ "$1" = cpu ] || prefix='(cuda|cusparse)[.]'
    rows_of 'tridiagonal systems' "$prefix" | grep -vE '_strided$|_untiled$|_unmarshalled$'
}
quoted() { sed 's/.*/"&"/' | paste -sd, -; }

table4() {
    local csv=$folder/spike_table4$(suffix "$1").csv list
    list=$(solvers "$1" | quoted)
    first "$csv" 'Residuals |Ax-f|/|f| of 16 matrices, n = 512' "$1" \
        matrix,seed,solver,status,residual,backward_error
    runs tridiagonal_table4 "$1" '{ print v("kind") "," v("seed") "," v("algorithm") "," v("status") "," \
        value("residual") "," value("backward_error") }' -s "sweep.algorithm=[$list]" >>"$csv" &&
    runs tridiagonal_toeplitz "$1" '{ d = v("diagonal") + 0
        word = d > 1e7 ? "main_1e8" : d > 1 ? "main_64" : d > 0 ? "main_1e8_inverse" : "zero_main"
        print word " Toeplitz," 1 + seen[d, v("algorithm")]++ "," v("algorithm") "," v("status") "," \
        value("residual") "," value("backward_error") }' -s "sweep.algorithm=[$list]" >>"$csv"
}
backward() {
    local csv=$folder/spike_backward$(suffix "$1").csv list
    list=$(solvers "$1" | grep -E 'relations|lapack' | quoted)
    [ -n "$list" ] || { echo "no solver of $1 pivots"; return 0; }
    first "$csv" 'Backward errors over n' "$1" matrix,n,seed,solver,status,backward_error
    runs tridiagonal_backward "$1" '{ print v("kind") "," v("unknowns") "," v("seed") "," v("algorithm") "," \
        v("status") "," value("backward_error") }' -s "sweep.algorithm=[$list]" >>"$csv"
}
partitions() {
    local csv=$folder/spike_partitions.csv
    [ "$1" = cpu ] || return 0
    first "$csv" 'Backward errors of SPIKE over n' cpu matrix,n,seed,solver,status,backward_error
    runs tridiagonal_backward cpu '{ print v("kind") "," v("unknowns") "," v("seed") "," v("algorithm") "," \
        v("status") "," value("backward_error") }' -s 'sweep.algorithm=["cpu.spike"]' -s 'sweep.seed=[1, 2, 3, 4, 5]' \
        -s 'sweep.unknowns=[3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 700, 1000]' >>"$csv"
}
# over_seeds CSV: of the lines that bench_accuracy prints for each seed, one for each matrix and solver: the seeds,
# those of them whose x is not finite, and the least, the geometric mean and the most of $measured over the others
measured='condition backward_error residual forward_error'
over_seeds() {
    awk -F, -v measured="$measured" '
        BEGIN { columns = split(measured, column, " ") }
        NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { key = $at["matrix"] "," $at["n"] "," $at["row"]
          if (!seeds[key]++) order[++keys] = key
          if ($at["forward_error"] == "") { failed[key]++; next }
          for (c = 1; c <= columns; c++) {
              value = $at[column[c]] + 0
              if (!((key, c) in sum) || value < least[key, c]) least[key, c] = value
              if (value > most[key, c]) most[key, c] = value
              sum[key, c] += log(value)
          } }
        END { for (k = 1; k <= keys; k++) {
            key = order[k]
            good = seeds[key] - failed[key]
            line = key "," seeds[key] "," failed[key] + 0
            for (c = 1; c <= columns; c++)
                line = line (good ? sprintf(",%.6g,%.6g,%.6g", least[key, c], exp(sum[key, c] / good), most[key, c]) \
                                  : ",,,")
            print line } }' "$1"
}
# All devices at once: the matrices are made once.
forward() {
    local csv=$folder/spike_forward.csv program=${sweep%/sweep}/bench_accuracy name columns=matrix,n,solver,seeds,failed
    [ "$1" = "${device%% *}" ] || return 0
    [ -x "$program" ] || { echo "no $program (make benches): forward errors left out"; return 0; }
    for name in $measured; do
        columns=$columns,least_$name,mean_$name,most_$name
    done
    first "$csv" 'Errors against quadruple precision, n = 512' "${device##* }" "$columns"
    try "$program" 20 512 >"$tmp/forward.csv" || return 1
    [ -n "$dry_run" ] || over_seeds "$tmp/forward.csv" >>"$csv"
}

all_rows() { solvers "$1"; ! has 'cpu[.]lapack' || echo cpu.lapack@1; }
matrices() {
    local matrix k=$((largest < 23 ? largest : 23))
    anew matrices "$1"
    # shellcheck disable=SC2046
    for matrix in uniform main_64; do bench matrices "$1" "tridiagonal:n=2^$k,matrix=$matrix" $(all_rows "$1"); done
}
sizes() {
    local k
    anew sizes "$1"
    # shellcheck disable=SC2046
    for ((k = 20; k <= largest; k++)); do bench sizes "$1" "tridiagonal:n=2^$k,matrix=uniform" $(all_rows "$1"); done
}
layout() {
    local matrix k=$((largest < 23 ? largest : 23))
    [ "$1" = cuda ] && has 'cuda[.]spike' || { echo "figures 7 and 10 are of a GPU: left out on $1"; return 0; }
    anew layout "$1"
    for matrix in matrix=uniform matrix=main_64 matrix=given,lower=1,main=0,upper=1; do
        bench layout "$1" "tridiagonal:n=2^$k,$matrix" cuda.spike cuda.spike_untiled cuda.spike_unmarshalled
    done
}

condition() {
    local python
    [ "$1" = "${device%% *}" ] || return 0
    for python in "${SWEEP_PYTHON:-/usr/bin/python3}" python3 ''; do
        "$python" -c 'import mpmath, numpy' 2>/dev/null && break
    done
    [ -n "$python" ] || { echo 'no python3 with numpy and mpmath: condition numbers left out'; return 0; }
    try "$python" scripts/papers/condition_numbers.py "$folder/spike_condition.csv"
}
counters() {
    local row k=$((largest < 23 ? largest : 23)) csv=$folder/spike_counters_cuda.csv
    [ "$1" = cuda ] && has 'cuda[.]spike' || return 0
    command -v ncu >/dev/null || { echo 'no ncu here: counters left out'; return 0; }
    first "$csv" 'Counters of the kernels of a solve, random rows' cuda "$counted"
    for row in cuda.spike cuda.spike_untiled; do
        count_kernels "tridiagonal:n=2^$k,matrix=uniform" $row $row marshalling=marshal_k partitions=partitions_k \
            'reduced system=trees_k' substitution=substitute_ >>"$csv" || return 1
    done
}

# scale WHERE COUNT N WHAT: seconds of one system on so many devices, its entries formed, x let go. On the CPU: threads
scale() {
    local where=$1 count=$2 n=$3 spec=cpu threads=()
    [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); return 0; }
    [ "$where" = cpu ] && threads=(--threads "$count") || spec=cuda:$(seq -s, 0 $((count - 1)))
    runs tridiagonal_scaling "$spec" "{ print \"$4,$count,$n,\" v(\"status\") \",\" value(\"wall_time\") }" \
        -s "grid.n=$n.0" "${threads[@]}" >>"$folder/spike_devices$(suffix "$where").csv" || failed=$((failed + 1))
}
# The paper's 2^24 rows, and as many as take a GPU of today a while.
devices() {
    local count there k sizes=$((largest < 24 ? largest : 24))
    there=$(nproc)
    [ "$1" = cpu ] || { there=$(echo "$listed" | grep -cE '^  cuda(:[0-9]+)? ')
                        [ "$largest" -lt 26 ] || sizes="$sizes 30"; }
    first "$folder/spike_devices$(suffix "$1").csv" 'Seconds of one random system on several devices' "$1" \
        scaling,devices,n,status,seconds
    for k in $sizes; do
        for ((count = 1; count <= there; count *= 2)); do
            scale "$1" "$count" $((1 << k)) strong
            scale "$1" "$count" $(((1 << k) * count)) weak
        done
    done
}

parts='condition table4 backward partitions forward matrices sizes transfers layout counters devices'
do_parts
[ -n "$dry_run" ] || { draw "$folder" papers/plot_spike.py; compare S; }
echo "$failed works with a row that failed, $left left out, $SECONDS s"
