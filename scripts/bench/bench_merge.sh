#!/bin/bash
# bench_merge.sh [OPTION...] BUILD FOLDER [CSV]: what it takes to begin one shard of many, and to merge them.
#   BUILD          a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER         what is written to; it needs room for twice the bytes: 3.6 GB by default
#   CSV            where the rows are added (default: results/bench/merge.csv)
#   --parts N      shards (default: 1000); to compute them takes most of the time, 0.1 s each
#   --outputs K    saved fields of a run, and 6 (default: 31: 16 kB a run)
#   --repeats N    how often each call (default: 3): medians
#   --small        a hundredth of the runs, to try it out
# Rows, of 10^5 runs of n = 64 unless they say otherwise: `merge` of all shards; `check` and `run`:
# a thousandth of 10^6 runs, planned, and computed; `submit`: 10^6 runs as 1000 jobs, printed. Columns: seconds (least,
# median), user and system seconds and peak memory of the median call.
. "$(dirname "$0")/measure.sh"
parts=1000 outputs=31 repeats=3 small=
take_options 'parts= outputs= repeats= small' "$@"
few=100 many=1000
[ -z "$small" ] || few=1 many=10
[ ${#arguments[@]} -ge 2 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "$(realpath "${arguments[0]}")"
python=$(command -v python3) || give_up 'needs python3'
csv=$(realpath -m "${arguments[2]:-results/bench/merge.csv}")
make_tmp "${arguments[1]}/bench-merge-XXXXXX"
mkdir -p "$(dirname "$csv")" && cd "$tmp" || exit 1
threads=$(nproc) file_system=$(stat -f -c %T .) here=$(machine) of=$(commit)
compiler=$("$sweep" -V | sed -n 's/^compiler *//p')
columns=what,parts,runs,bytes,repeats,least_s,median_s,user_s,system_s,peak_bytes,file_system,machine,threads,compiler
[ -e "$csv" ] || echo "$columns,commit,host,when" > "$csv"

config() {  # config RUNS_OF_A OUTPUTS
    cat <<CFG
problem = "hyperdiffusion";
grid    = { n = 64; length = 1.0; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 1.0e-7; end = $(($2 - 1))e-7; };
sweep   = { g = "linspace(0.1, 1, 1000)"; a = "linspace(1, 2, $1)"; };
initial = "a*cos(2*pi*x)";
output  = { fields = { times = "linspace(0, end, $2)"; }; scalars = { every = 1; }; };
run     = { device = "cpu"; };
CFG
}

# call COMMAND...: what it says goes to the file `said`; seconds, of user and system, and KiB at its peak are printed
call() {
    "$python" -c 'import os, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=open("said", "w"), stderr=subprocess.STDOUT).returncode
took, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{took:.2f} {used.ru_utime:.2f} {used.ru_stime:.2f} {used.ru_maxrss}")
sys.exit(code)' "$@"
}

# row WHAT PARTS RUNS BYTES COMMAND...: time a call and add a row
row() {
    local what=$1 n=$2 runs=$3 bytes=$4
    shift 4
    for k in $(seq "$repeats"); do
        rm -f out.h5 out.shard-*
        call "$@" || { cat said >&2; give_up "$what fails"; }
    done | sort -n > all
    set -- $(sed -n "$(((repeats + 1) / 2))p" all)
    printf '%s,' "$what" "$n" "$runs" "$bytes" "$repeats" "$(sed -n '1s/ .*//p' all)" "$1" "$2" "$3" $(($4 * 1024)) \
        "$file_system" "$here" "$threads" "\"$compiler\"" "$of" "$(hostname)" >> "$csv"
    date -u +%Y-%m-%dT%H:%M:%SZ >> "$csv"
    printf '%-14s %6s parts %8s runs: %7.2f s, %4d MB\n' "$what" "$n" "$runs" "$1" $(($4 / 1000))
}

config $many 6 > million.cfg
row check 1000 ${many}000 0 "$sweep" check -q million.cfg --shard 3/1000
row run 1000 ${many}000 0 "$sweep" run -q million.cfg --shard 3/1000 -o out.h5
row submit 1000 ${many}000 0 "$sweep" submit million.cfg --shards 1000 --print -o out.h5
for saved in 6 "$outputs"; do
    config $few "$saved" > parts.cfg
    seq "$parts" | OMP_NUM_THREADS=1 xargs -P "$threads" -I{} "$sweep" run -q parts.cfg --shard "{}/$parts" -o p.h5 ||
        give_up 'a shard fails'
    bytes=$(cat p.shard-*-of-*.h5 | wc -c)
    row merge "$parts" ${few}000 "$bytes" "$sweep" merge -q p.shard-*.h5 -o out.h5
    rm -f p.shard-*
    [ "$saved" != "$outputs" ] || break
done
