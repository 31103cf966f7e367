#!/bin/bash
# reproduce_all.sh [OPTION...] BUILD [FOLDER]: what the five papers publish, measured on the machine at hand in at most
# 20 minutes with a GPU and 20 without, by the scripts reproduce_*.sh beside this one, and printed beside the published
# values row by row. Fails, and lists them, if parts fail, or rows have a published value, none of ours and no reason.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable; after
#                    `make benches` with what times single kernels, too
#   FOLDER           where the CSV files and the pictures go (default: BUILD/papers)
#   --part PART      only this one of those that --list prints; repeatable. Only rows that come from it are looked for
#   --paper PAPER    only its parts: cupentbatch, bvp, compact, spike or elliptic
#   --time S         so many seconds in all (default 1140): each part gets its share
#   --list           print the parts, the seconds of each, and the CSV files that it makes
#   --dry-run        print what would be run
. "$(dirname "$0")/../bench/measure.sh"
part='' paper='' time=1140 list='' dry_run=''
take_options 'part+ paper= time= list dry-run' "$@"
[ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 2 ] || usage
take_program "${arguments[0]}"
build=${arguments[0]} folder=${arguments[1]:-${arguments[0]}/papers}
gpu=''
! has_gpu || gpu=1

# NAME SECONDS SECONDS_WITH_GPU FILES SCRIPT OPTION...: of 1200 seconds; - : needs a GPU. FILES: with and without one.
table() {
    cat <<'T'
cupentbatch.convergence 30 8 cupentbatch_convergence,cupentbatch_spacetime cupentbatch --part convergence
cupentbatch.small - 35 cupentbatch_small cupentbatch --quick --part small
cupentbatch.large - 35 cupentbatch_large cupentbatch --quick --part large
cupentbatch.long - 20 cupentbatch_long cupentbatch --quick --part long
cupentbatch.serial - 45 cupentbatch_serial cupentbatch --quick --part serial
cupentbatch.openmp - 35 cupentbatch_openmp cupentbatch --quick --part openmp
bvp.errors 300 100 bvp_table1,bvp_table2,bvp_table1_cuda,bvp_table2_cuda bvp --table 1 --table 2
bvp.seconds 300 150 bvp_table3,bvp_table4,bvp_table3_cuda,bvp_table4_cuda bvp --table 3 --table 4
compact.convergence 20 8 compact_convergence compact --part convergence
compact.speed 60 105 compact_paper_cpu,compact_paper_cuda compact --part speed
spike.condition 100 10 spike_condition spike --part condition
spike.table4 80 110 spike_table4,spike_table4_cuda spike --part table4
spike.matrices - 55 spike_matrices,spike_matrices_cuda spike --part matrices
spike.sizes - 60 spike_sizes,spike_sizes_cuda spike --part sizes --largest 23
spike.layout - 12 spike_layout_cuda spike --part layout
spike.transfers - 8 transfers_cuda spike --part transfers
spike.counters - 25 spike_counters_cuda spike --part counters
spike.devices - 20 spike_devices_cuda spike --part devices --device cuda
elliptic.iteration 110 75 elliptic_iteration,elliptic_iteration_cuda elliptic --part iteration
elliptic.kernels 40 18 elliptic_kernels,elliptic_kernels_cuda elliptic --part kernels
elliptic.counters - 85 elliptic_counters_cuda elliptic --part counters
elliptic.sizes 60 80 elliptic_sizes,elliptic_sizes_cuda elliptic --part sizes
elliptic.solve 80 45 elliptic_solve,elliptic_solve_cuda elliptic --part solve
elliptic.counts 20 17 elliptic_counts elliptic --part counts --device cpu --largest 64
T
}
parts() { table | awk -v gpu="$gpu" -v paper="$paper" '{ seconds = gpu ? $3 : $2 }
    seconds != "-" && (paper == "" || index($1, paper ".") == 1) { $3 = ""; $2 = seconds; print }'; }

if [ -n "$list" ]; then parts | awk '{ printf "%-24s %4d s  %s\n", $1, $2, $3 }'; exit 0; fi
for one in $part; do table | grep -q "^$one " || give_up "no part $one: see --list"; done
[ -n "$dry_run" ] || mkdir -p "$folder" || exit 1

files='' broken=''
while read -r one seconds makes script options; do
    [ -z "$part" ] || [[ " $part " = *" $one "* ]] || continue
    files=$files${files:+,}$makes
    seconds=$((seconds * time / 1200 > 1 ? seconds * time / 1200 : 1))
    limit=''
    case $one in bvp.*|spike.*|elliptic.*|cupentbatch.*) limit="--limit $((seconds * 3 / 4))" ;; esac
    # shellcheck disable=SC2086
    set -- scripts/papers/reproduce_$script.sh $options $limit "$build" "$folder"
    echo "[$SECONDS s] $one, at most $seconds s: $*"
    [ -z "$dry_run" ] || continue
    SUM_UP=no timeout -k 5 "$seconds" "$@" >"$folder/$one.log" 2>&1 </dev/null && continue
    [ $? -eq 124 ] && echo "  stopped after $seconds s" || echo "  failed: $(tail -n 1 "$folder/$one.log")"
    broken="$broken $one"
done < <(parts)
[ -n "$files" ] || give_up "no part of these on this machine: see --list"
[ -z "$dry_run" ] || exit 0

for script in bench/plot_bench papers/plot_compact papers/plot_spike papers/plot_elliptic; do
    SUM_UP=yes draw "$folder" $script.py >"$folder/pictures.log" 2>&1 || true  # claims do not need pictures
done
command -v python3 >/dev/null || give_up 'no python3: nothing is compared with the published values'
python3 scripts/papers/claims.py --check --device "cpu${gpu:+,cuda}" --expect "$files" "$folder" ||
    broken="$broken claims"
echo "$SECONDS s; pictures and CSV files are in $folder"
[ -z "$broken" ] || give_up "failed:$broken"
