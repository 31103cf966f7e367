#!/bin/bash
# reproduce_cupentbatch.sh [OPTION...] BUILD [FOLDER]: what the figures of the cuPentBatch paper show (arXiv:1807.07382)
# on this machine. 1 and 2: hyperdiffusion against its exact solution. 3 to 14: hyperdiffusion, 250 steps, all systems
# with the same initial values and matrix; times without set-up, which need a GPU. In the end scripts/papers/claims.py
# prints each published value and claim beside ours.
#   BUILD         a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER        where cupentbatch_*.csv and the pictures go (default: results/bench)
#   --medium      every figure with enough points to see its course, 5 short repeats of each: about 5 minutes in all
#   --quick       a few points, 5 short repeats: a minute or two
#   --part PART   only convergence (figures 1, 2, and the order in time), small (3, 4, 7, 8), large (5, 6), long (9,
#                 10), serial (11 to 13) or openmp (14); repeatable
#   --limit S     begin no point later than after S seconds; those left out are told
#   --dry-run     print what would be timed
#   --cpu         no GPU here: convergence, and a few tiny points of CPU rows, to try the script
# The paper's text does not say which numbers of unknowns and batch sizes its legends have: those below cover what it
# describes. gpsv, cuPentBatchConstant, cuPentBatchRewrite are cuda.split with the band solvers cusparse.gpsv,
# cuda.thomas, cuda.thomas_rewrite; its serial and OpenMP programs cpu.plain+cpu.thomas with 1 and 8 threads. Beside
# them are cuda.fused, which keeps lines on the chip, cpu.simd, which keeps them in the cache, and one factor for all
# systems (cuda.thomas_shared), the least that a step through memory takes.
. "$(dirname "$0")/../bench/measure.sh"
quick='' medium='' dry_run='' cpu='' part='' limit=1000000
take_options 'quick medium dry-run cpu part+ limit=' "$@"
take_build_and_folder
make_tmp
size=full
[ -z "$medium" ] || size=medium
[ -z "$quick" ] || size=quick
failed=0 points=0 left=0 device=cuda repeats=()
[ $size = full ] || repeats=(--repeats 5 --longest 0.15)
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread}  # threads stay near the memory they touched first

constant=cuda.split+cuda.thomas rewrite=cuda.split+cuda.thomas_rewrite gpsv=cuda.split+cusparse.gpsv
serial=cpu.plain+cpu.thomas openmp=cpu.plain+cpu.thomas@8 fused='' simd=''
has 'cuda\.fused' && fused=cuda.fused,
has 'cpu\.simd' && simd=1
gpu=$fused$constant,$rewrite,cuda.split+cuda.thomas_shared,$gpsv
serial_rows=$fused$constant,${simd:+cpu.simd@1,}$serial@1
openmp_rows=$fused$constant,${simd:+cpu.simd@8,}$openmp

# grid PART "N..." "BATCH..." ROWS BASELINE: time the rows at each point
grid() {
    local n batch spec
    for n in $2; do
        for batch in $3; do
            [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); continue; }
            spec="hyperdiffusion:n=$n,batch=$batch,steps=250"
            points=$((points + 1))
            echo "[$SECONDS s] $1: $spec $4"
            [ -z "$dry_run" ] || continue
            "$sweep" bench "$spec" --device $device --rows "$4" --baseline "$5" "${repeats[@]}" -q \
                -o "$folder/cupentbatch_$1.csv" || failed=$((failed + 1))
        done
    done
}
small() {
    case $size in
        quick) grid small '64 256 1024' '64 512 4096' "$gpu" $gpsv ;;
        *) grid small '64 128 256 512 1024 2048' '32 128 512 2048 8192' "$gpu" $gpsv ;;
    esac
}
large() {
    case $size in
        quick) grid large '256 1024' '16384 65536' "$gpu" $gpsv ;;
        medium) grid large '64 256 512 1024' '16384 32768 131072' "$gpu" $gpsv ;;
        *) grid large '64 128 256 512 1024' '16384 32768 65536 131072' "$gpu" $gpsv ;;
    esac
}
long() {
    case $size in
        quick) grid long '16384' '64 1024' "$gpu" $gpsv ;;
        medium) grid long '4096 8192 16384 32768' '64 1024' "$gpu" $gpsv ;;
        *) grid long '4096 8192 16384 32768' '64 256 1024' "$gpu" $gpsv ;;
    esac
}
serial() {
    case $size in
        quick) grid serial '64 256 1024' '128 8192' "$serial_rows" $serial@1
               grid serial '256' '16384 32768' "$serial_rows" $serial@1 ;;
        medium) grid serial '64 256 1024' '32 128 512 2048 8192' "$serial_rows" $serial@1
                grid serial '64 256 512' '16384 65536' "$serial_rows" $serial@1 ;;
        *) grid serial '64 128 256 512 1024' '32 128 512 2048 8192' "$serial_rows" $serial@1
           grid serial '64 256 512' '16384 32768 65536' "$serial_rows" $serial@1 ;;
    esac
}
openmp() {
    case $size in
        quick) grid openmp '512' '8192 65536' "$openmp_rows" $openmp ;;
        *) grid openmp '512' '8192 16384 32768 65536' "$openmp_rows" $openmp ;;
    esac
}

# errors OVER COLUMN CONFIG OPTION...: a row a run, with the column that they differ by
errors() {
    local over=$1 column=$2
    shift 2
    try "$sweep" run "configs/$1.cfg" -q --device cpu --force -o "$tmp/t.h5" "${@:2}" || return 1
    [ -n "$dry_run" ] || { "$sweep" show "$tmp/t.h5" --csv | awk -F, -v over="$over" -v column="$column" '
        NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { printf "%s,%d,%s,%s\n", over, $at[column], $at["err_l2"], $at["err_max"] }' >>"$csv"; }
}
# The CPU is as good as any for errors.
convergence() {
    local csv=$folder/cupentbatch_convergence.csv python
    python=$(scripts/build/find_python.sh)
    first "$csv" 'Errors of hyperdiffusion at T = 1e-4 over n and over the steps to T, of heat to fourth order over n' \
        cpu over,value,err_l2,err_max
    errors n n hyperdiffusion_convergence && errors heat n heat_convergence &&
    errors steps count hyperdiffusion_convergence -s 'sweep={ count=[4.0, 8.0, 16.0, 32.0]; }' -s grid.n=2048 \
        -s 'time.dt="1e-4/count"' || return 1
    [ -n "$python" ] || { echo 'no python3 with h5py and numpy: figure 1 left out'; return 0; }
    csv=$folder/cupentbatch_spacetime.csv
    try "$sweep" run configs/hyperdiffusion_spacetime.cfg -q --device cpu --force -o "$tmp/t.h5" || return 1
    [ -z "$dry_run" ] || return 0
    first "$csv" 'Hyperdiffusion of a cosine wave, n = 256, dt = 1e-8' cpu t,u_max
    "$python" -c 'import h5py, sys
with h5py.File(sys.argv[1]) as file:
    for t, u in zip(file["time"], file["u"][0]):
        print(f"{t:.6g},{abs(u).max():.17g}")' "$tmp/t.h5" >>"$csv" || return 1
    SWEEP_PYTHON=${SWEEP_PYTHON:-$python} "$sweep" plot "$tmp/t.h5" --kind spacetime \
        -o "$folder/cupentbatch_figure_01.png" || echo 'figure 1 is not drawn'
}

if [ -n "$cpu" ]; then
    device=cpu repeats=(--repeats 1)
    convergence || give_up 'convergence failed'
    [ -n "$dry_run" ] || rm -f "$folder/cupentbatch_serial.csv"
    grid serial '16 32' '8 16' ${simd:+cpu.simd@1,}$serial,$serial@1 $serial@1
else
    [ -n "$part$dry_run" ] || has_gpu || { part=convergence
        echo 'no GPU here: figures 1 and 2 only (--cpu: a few points of the rows of the CPU)'; }
    for part in ${part:-convergence small large long serial openmp}; do
        case $part in convergence|small|large|long|serial|openmp) ;; *) usage ;; esac
        [ -n "$dry_run" ] || rm -f "$folder/cupentbatch_$part.csv"
        $part || give_up "$part failed"
    done
fi
echo "$points points, $failed with a row that failed, $left left out, $SECONDS s"
[ -z "$dry_run" ] || exit 0
draw "$folder" || failed=$((failed + 1))
compare P
[ $failed -eq 0 ]
