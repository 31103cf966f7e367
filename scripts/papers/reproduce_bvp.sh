#!/bin/bash
# reproduce_bvp.sh [OPTION...] BUILD [FOLDER]: tables I to IV of "Solving a Kind of BVP for ODEs on heterogeneous CPU +
# CUDA-enabled GPU Systems" (Stpiczynski, Potiopa), on this machine, beside the paper's values, and our `scan`; pictures
# of them.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where bvp_table1.csv .. bvp_table4.csv, of a GPU bvp_table1_cuda.csv .., and the pictures go
#                    (default: results/bench)
#   --table K        only this one of 1 to 4; repeatable
#   --device DEVICE  cpu or cuda, which has no A1 (default: both, as far as they are there); repeatable
#   --largest K      up to n = 2^K only (default 28, which takes 2 GiB)
#   --limit S        begin no timing later than after S seconds
# Tables I and II are relative errors (configs/bvp_table1.cfg, bvp_table2.cfg). III and IV are seconds of a solve, f
# evaluated, nothing measured, by bench_bvp.sh: one core for a1d, all of the device for the others. The paper's
# A1 ran on one core, its A2 on a GPU.
. "$(dirname "$0")/../bench/measure.sh"
table='' device='' largest=28 limit=1000000
take_options 'table+ device+ largest= limit=' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device='cpu cuda'; }
make_tmp

# Rows "n a1s a1d a2s a2d a2sd" (tables I, II) or "n a1d a2d a2sd" (III, IV) as the paper prints them.
paper() {
    case $1 in
    1) cat <<'T'
1048576 1.732620e-04 1.930917e-13 6.381482e-07 1.877603e-13 2.569113e-07
4194304 3.847218e-03 2.545430e-14 9.156066e-07 1.265400e-14 2.232157e-07
16777216 2.864740e-02 5.558266e-14 3.364642e-06 1.419160e-15 3.982652e-07
67108864 6.955456e-01 1.703449e-13 2.283507e-05 2.604335e-15 2.496036e-06
268435456 9.801750e-01 1.078518e-13 1.238516e-05 4.416135e-15 3.569703e-06
T
    ;;
    2) cat <<'T'
1048576 2.618970e-03 1.314334e-11 2.893085e-06 1.312754e-11 1.341402e-07
4194304 8.263400e-03 9.951346e-13 5.194502e-06 8.205207e-13 1.115430e-05
16777216 4.822094e-02 5.650246e-13 2.334787e-05 5.152762e-14 1.634096e-05
67108864 1.723210e-01 1.884351e-12 6.568387e-05 6.961652e-15 4.321754e-05
268435456 2.839243e-01 6.616377e-13 1.179028e-05 1.320262e-14 6.531590e-06
T
    ;;
    3) cat <<'T'
1048576 0.0460 0.0053 0.0029
4194304 0.1868 0.0102 0.0060
16777216 0.7570 0.0341 0.0134
67108864 3.0033 0.1167 0.0420
268435456 15.5967 - 0.1611
T
    ;;
    4) cat <<'T'
1048576 0.0492 0.0059 0.0040
4194304 0.2010 0.0119 0.0082
16777216 0.8076 0.0382 0.0194
67108864 3.2142 0.1284 0.0578
268435456 16.6759 - 0.2023
T
    ;;
    esac
}

sizes() {
    local k list=''
    for ((k = 20; k <= largest; k += 2)); do list="$list${list:+, }$((1 << k))"; done
    echo "[$list]"
}

# Each leaves lines "n algorithm value" in $tmp/values.
# errors WHERE CONFIG
errors() {
    local algorithms='"a1s", "a1d", "a2s", "a2d", "a2sd", "scan"'
    [ "$1" = cpu ] || algorithms=${algorithms#*a1d\", }
    "$sweep" run "$2" -q -o "$tmp/t.h5" --force -s "run.device=$1" -s "sweep.n=$(sizes)" \
        -s "sweep.algorithm=[$algorithms]" && "$sweep" show "$tmp/t.h5" --csv >"$tmp/t.csv" &&
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
                 { print $at["n"], $at["algorithm"], $at["err_rel"] }' "$tmp/t.csv" >"$tmp/values"
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

# print_table WHERE NUMBER TITLE ALGORITHM...: $tmp/values beside the paper's, and the CSV
print_table() {
    local where=$1 number=$2 title=$3 csv=$folder/bvp_table$2.csv on
    shift 3
    on="$(machine), $(nproc) threads"
    [ "$where" = cpu ] || csv=$folder/bvp_table${number}_$where.csv \
        on=$(echo "$listed" | sed -n "s/^  $where\(:0\)\{0,1\}  *//p")
    paper "$number" >"$tmp/paper"
    echo "# $title; $on, commit $(commit)" >"$csv"
    sort -s -n -k1,1 "$tmp/values" >"$tmp/sorted"
    awk -v algorithms="$*" -v csv="$csv" -v title="$title, $where" '
        FILENAME ~ /paper$/ { split(algorithms, a, " ")
                              for (k = 2; k <= NF; k++) paper[$1, a[k - 1]] = $k
                              next }
        !($1 in seen) { seen[$1]; order[++lines] = $1 }
        !($2 in known) { known[$2]; row[++rows] = $2 }
        { value[$1, $2] = $3 }
        END { printf "%s: here / in the paper\n%12s", title, "n"
              for (k = 1; k <= rows; k++) printf "  %23s", row[k]
              printf "\n"
              print "n,algorithm,here,paper" >>csv
              for (l = 1; l <= lines; l++) {
                  n = order[l]; printf "%12s", n
                  for (k = 1; k <= rows; k++) {
                      v = value[n, row[k]]; q = ((n, row[k]) in paper) ? paper[n, row[k]] : ""
                      printf "  %11s /%10s", v == "" ? "-" : sprintf("%.5g", v), q == "" ? "-" : sprintf("%.5g", q)
                      if (v != "") printf "%s,%s,%.7g,%s\n", n, row[k], v, q >>csv }
                  printf "\n" }
              printf "\n" }' "$tmp/paper" "$tmp/sorted"
}

for number in ${table:-1 2 3 4}; do
    for where in $device; do
        case $number in
            1) errors "$where" configs/bvp_table1.cfg &&
               print_table "$where" 1 'Table I, relative error, P1' a1s a1d a2s a2d a2sd ;;
            2) errors "$where" configs/bvp_table2.cfg &&
               print_table "$where" 2 'Table II, relative error, P2' a1s a1d a2s a2d a2sd ;;
            3) seconds "$where" P1 && print_table "$where" 3 'Table III, seconds, P1' a1d a2d a2sd ;;
            4) seconds "$where" P2 && print_table "$where" 4 'Table IV, seconds, P2' a1d a2d a2sd ;;
            *) usage ;;
        esac || give_up "table $number failed on $where"
    done
done
draw "$folder"
