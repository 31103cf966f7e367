#!/bin/bash
# reproduce_bvp.sh [OPTION...] BUILD [FOLDER]: tables I to IV of "Solving a Kind of BVP for ODEs on heterogeneous CPU +
# CUDA-enabled GPU Systems" (Stpiczynski, Potiopa), on this machine, beside the paper's values, and our `scan`.
#   BUILD        a folder with the program, as `make` leaves in build
#   FOLDER       where bvp_table1.csv .. bvp_table4.csv go (default: results/bench)
#   --largest K  up to n = 2^K only (default 28, which takes 2 GiB)
#   --device D   cuda: the rows that are there, as the paper's A2 was, into bvp_table1_cuda.csv ..
# Tables I and II are relative errors (configs/bvp_table1.cfg, bvp_table2.cfg), III and IV seconds with f evaluated, without
# norms: on the CPU one core for a1d, all for the others. How fast a GPU is shows `sweep bench bvp`, which repeats.
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.." || exit 1
largest=28 device=cpu
while [ $# -gt 0 ]; do
    case $1 in
        --largest) shift; largest=$1 ;;
        --device) shift; device=$1 ;;
        -*) usage ;;
        *) break ;;
    esac
    shift
done
[ $# -ge 1 ] && [ $# -le 2 ] || usage
sweep=$1/sweep folder=${2:-results/bench}
[ -x "$sweep" ] || { echo "reproduce_bvp.sh: no program $sweep" >&2; exit 1; }
mkdir -p "$folder" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
[ "$device" = cpu ] || machine=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
threads=$(nproc)

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

# table NUMBER TITLE CONFIG COLUMN ALGORITHM...: run those of the paper's that are here, print beside it, write the CSV
table() {
    local number=$1 title=$2 config=$3 column=$4 csv=$folder/bvp_table$1.csv here
    shift 4
    here=$*
    [ "$device" = cpu ] || here=$(echo "$*" | sed 's/a1.//g') csv=$folder/bvp_table${number}_$device.csv
    here="$here scan"
    "$sweep" run "$config" -q -o "$tmp/t.h5" --force -s "sweep.n=$(sizes)" -s "run.device=$device" \
        -s "sweep.algorithm=$(echo $here | sed 's/[a-z0-9]*/"&"/g; s/ /, /g; s/.*/[&]/')" &&
        "$sweep" show "$tmp/t.h5" --csv >"$tmp/t.csv" || { echo "reproduce_bvp.sh: table $number failed" >&2; exit 1; }
    paper "$number" >"$tmp/paper"
    echo "# $title; $machine, $threads threads, commit $commit" >"$csv"
    awk -F, -v column="$column" -v algorithms="$here" -v printed="$*" -v csv="$csv" -v title="$title" '
        FILENAME ~ /paper$/ { split($0, p, " "); split(printed, a, " ")
                              for (k = 2; k in p; k++) paper[p[1], a[k - 1]] = p[k]
                              next }
        FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { n = sprintf("%d", $at["n"]); if (!(n in seen)) { seen[n]; order[++rows] = n }
          value[n, $at["algorithm"]] = $at[column] }
        END { split(algorithms, a, " ")
              printf "%s: here / in the paper\n%12s", title, "n"
              for (k = 1; k in a; k++) printf "  %23s", a[k]
              printf "\n"
              print "n,algorithm,here,paper" >>csv
              for (r = 1; r <= rows; r++) {
                  n = order[r]; printf "%12s", n
                  for (k = 1; k in a; k++) {
                      v = value[n, a[k]]; q = ((n, a[k]) in paper) ? paper[n, a[k]] : "-"
                      printf "  %11.5g /%10s", v, q == "-" ? q : sprintf("%.5g", q)
                      printf "%s,%s,%.7g,%s\n", n, a[k], v, q == "-" ? "" : q >>csv }
                  printf "\n" }
              printf "\n" }' "$tmp/paper" "$tmp/t.csv"
}

# The same without norms.
sed '/^exact/d' configs/bvp_table1.cfg >"$tmp/p1.cfg"
sed '/^exact/d' configs/bvp_table2.cfg >"$tmp/p2.cfg"
table 1 'Table I, relative error, P1' configs/bvp_table1.cfg err_rel a1s a1d a2s a2d a2sd
table 2 'Table II, relative error, P2' configs/bvp_table2.cfg err_rel a1s a1d a2s a2d a2sd
table 3 'Table III, seconds, P1' "$tmp/p1.cfg" wall_time a1d a2d a2sd
table 4 'Table IV, seconds, P2' "$tmp/p2.cfg" wall_time a1d a2d a2sd
