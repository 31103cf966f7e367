#!/bin/bash
# bench_steps.sh [--dry-run] BUILD [FOLDER [PART...]]: time steps, every way this program has, at the works its speed is
# stated for (docs/explanation/benchmarks.md), 5 short repeats of each: about 5 minutes in all on one GPU.
#   BUILD   a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER  where steps_PART.csv go (default: results/bench)
#   PART    shapes      hyperdiffusion, many lines of 256 to 2048 points, every row
#           sizes       lines of 100 to 131072 points, 2^26 points in all
#           short       lines of 64 to 256 points, 2^26 points in all
#           long        lines that no cluster of blocks holds, likewise: against one thread a line
#           equations   coefficients that differ, Cahn-Hilliard, with a force that differs from run to run
#           cpu         the rows of the CPU: hyperdiffusion, forced Cahn-Hilliard
#           alone       one short line by itself on the CPU
#           bands       the band solvers by themselves
#           default: all with a GPU, else cpu and alone
. "$(dirname "$0")/measure.sh"
dry_run=''
take_options dry-run "$@"
take_program "${arguments[0]}"
folder=${arguments[1]:-results/bench} parts=("${arguments[@]:2}")
mkdir -p "$folder" || exit 1
failed=0
gpsv=cuda.split+cusparse.gpsv thomas=cuda.split+cuda.thomas shared=cuda.split+cuda.thomas_shared ours=''
has 'cuda\.fused' && ours=cuda.fused,

# bench PART SPEC OPTION...
bench() {
    local part=$1
    shift
    echo "[$SECONDS s] $part: $*"
    [ -z "$dry_run" ] || return 0
    "$sweep" bench "$@" --repeats 5 --longest 0.25 -q -o "$folder/steps_$part.csv" || failed=$((failed + 1))
}
shapes() {
    for shape in n=256,batch=65536 n=512,batch=8192 n=512,batch=65536 n=1024,batch=65536 n=2048,batch=16384; do
        bench shapes "hyperdiffusion:$shape,steps=250" --device cuda --baseline $gpsv
    done
}
# PART N...: 2^26 points in lines of n. On long ones the usual dt would make matrices that the baselines cannot solve.
lengths() {
    local part=$1 dt
    shift
    for n in "$@"; do
        dt=''
        [ "$n" -lt 10000 ] || dt=,dt=1e-12
        bench "$part" "hyperdiffusion:n=$n,batch=$((67108864 / n))$dt,steps=250" --device cuda \
            --rows $ours$thomas,$shared,$gpsv
    done
}
sizes() { lengths sizes 100 333 1000 3000 10000 65536 131072; }
short() { lengths short 64 128 256; }
long() {
    for spec in hyperdiffusion:n=300000,batch=223 hyperdiffusion:n=1048576,batch=64 hyperdiffusion:n=16777216,batch=4 \
                cahn_hilliard:n=1048576,batch=64; do
        rows=cuda.stream
        [ "${spec#*n=300000}" = "$spec" ] || rows=$rows,$thomas  # the longer ones take it a second a step, and more
        bench long "$spec,dt=1e-12,steps=250" --device cuda --rows $rows
    done
}
equations() {
    for spec in hyperdiffusion:n=1024,batch=65536 hyperdiffusion:n=1024,batch=65536,per_run heat:n=1024,batch=65536 \
                cahn_hilliard:n=1024,batch=65536 cahn_hilliard:n=1024,batch=65536,per_run \
                cahn_hilliard:n=1024,batch=65536,forced,per_run; do
        bench equations "$spec,steps=250" --device cuda --rows $ours$thomas
    done
}
cpu() {
    export OPENBLAS_NUM_THREADS=1  # the row has its own threads, a line each
    for spec in hyperdiffusion:n=512,batch=8192 hyperdiffusion:n=512,batch=8192,per_run cahn_hilliard:n=512,batch=8192 \
                cahn_hilliard:n=512,batch=8192,forced,per_run; do
        bench cpu "$spec,steps=250" --device cpu --baseline cpu.plain+cpu.thomas
    done
}
alone() {
    bench alone cahn_hilliard:n=256,batch=1,forced,per_run,steps=2000 --device cpu \
        --rows cpu.simd,cpu.plain+cpu.thomas
}
bands() {
    for shape in n=512,batch=8192,periodic n=512,batch=65536,periodic n=512,batch=65536,periodic,uniform; do
        bench bands "band:$shape" --device cuda
    done
}

if [ ${#parts[@]} -eq 0 ]; then
    parts=(cpu alone)
    ! has_gpu || parts=(shapes sizes short long equations cpu alone bands)
fi
for part in "${parts[@]}"; do
    case $part in shapes|sizes|short|long|equations|cpu|alone|bands) ;; *) give_up "no part $part" ;; esac
    [ -n "$dry_run" ] || rm -f "$folder/steps_$part.csv"
    $part
done
echo "$failed with a row that failed, $SECONDS s"
[ $failed -eq 0 ]
