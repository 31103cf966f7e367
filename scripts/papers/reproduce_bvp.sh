#!/bin/bash
# reproduce_bvp.sh [OPTION...] BUILD [FOLDER]: tables I to IV of "Solving a Kind of BVP for ODEs on heterogeneous CPU +
# CUDA-enabled GPU Systems" (Stpiczynski, Potiopa), on this machine, and our `scan`; pictures of them. In the end
# scripts/papers/claims.py prints each published value and claim beside ours.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where bvp_table1.csv .. bvp_table4.csv, of a GPU bvp_table1_cuda.csv .., and the pictures go
#                    (default: results/bench)
#   --table K        only this one of 1 to 4; repeatable
#   --device DEVICE  cpu or cuda, which has no A1 (default: both, as far as they are there); repeatable
#   --largest K      up to n = 2^K only (default 28, which takes 2 GiB)
#   --limit S        begin no n later than after S seconds; what is left out is told
# Tables I and II are relative errors (configs/bvp_table1.cfg, bvp_table2.cfg). III and IV are seconds of a solve, f
# evaluated, nothing measured, by bench_bvp.sh: one core for a1d, all of the device for the others. The paper's
# A1 ran on one core, its A2 on a GPU.
. "$(dirname "$0")/../bench/measure.sh"
table='' device='' largest=28 limit=1000000 dry_run=''
take_options 'table+ device+ largest= limit=' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device='cpu cuda'; }
make_tmp

# Each leaves lines "n algorithm value" in $tmp/values.
# errors WHERE CONFIG: the smallest n first
errors() {
    local algorithms='"a1s", "a1d", "a2s", "a2d", "a2sd", "scan"' k
    [ "$1" = cpu ] || algorithms=${algorithms#*a1d\", }
    : >"$tmp/values"
    for ((k = 20; k <= largest; k += 2)); do
        [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); continue; }
        "$sweep" run "$2" -q -o "$tmp/t.h5" --force -s "run.device=$1" -s "sweep.n=[$((1 << k))]" \
            -s "sweep.algorithm=[$algorithms]" && "$sweep" show "$tmp/t.h5" --csv >"$tmp/t.csv" || return 1
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
                 { print $at["n"], $at["algorithm"], $at["err_rel"] }' "$tmp/t.csv" >>"$tmp/values"
    done
}
# seconds WHERE PROBLEM: both problems are timed at once. The spec is quoted, having commas, and stands first.
seconds() {
    local csv=$tmp/bvp_sizes_$1.csv
    [ -e "$csv" ] || scripts/bench/bench_bvp.sh --part sizes --device "$1" --largest "$largest" --limit "$limit" \
        "${sweep%/sweep}" "$tmp" >&2 || return 1
    awk -F, -v problem="problem=$2" 'index($0, problem) && match($0, /^"[^"]*",/) {
        $0 = substr($0, RLENGTH + 1)
        sub(/^.*\./, "", $5)
        if ($6 == "ok") print $2, $5, $10 / $4 }' "$csv" >"$tmp/values"
}

# keep WHERE NUMBER TITLE: $tmp/values into the CSV
keep() {
    local csv=$folder/bvp_table$2$(suffix "$1").csv
    first "$csv" "$3" "$1" n,algorithm,here
    sort -s -n -k1,1 "$tmp/values" | awk '{ printf "%s,%s,%.7g\n", $1, $2, $3 }' >>"$csv"
}

in_turn=$(printf '%s\n' $device | sort -ru)  # the GPU first, as a limit leaves out what comes last
for number in ${table:-1 2 3 4}; do
    for where in $in_turn; do
        case $number in
            1) errors "$where" configs/bvp_table1.cfg && keep "$where" 1 'Table I, relative error, P1' ;;
            2) errors "$where" configs/bvp_table2.cfg && keep "$where" 2 'Table II, relative error, P2' ;;
            3) seconds "$where" P1 && keep "$where" 3 'Table III, seconds, P1' ;;
            4) seconds "$where" P2 && keep "$where" 4 'Table IV, seconds, P2' ;;
            *) usage ;;
        esac || give_up "table $number failed on $where"
    done
done
draw "$folder"
compare B
[ $left -eq 0 ] || echo "$left left out, $SECONDS s"
