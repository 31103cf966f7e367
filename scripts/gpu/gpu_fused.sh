#!/bin/bash
# gpu_fused.sh BUILD OUTDIR [PART...]: cuda.fused on a machine with a GPU. Parts, all if none is named:
#   tests, at most 90 s; bench, 60 s; shapes, 2 minutes; ncu, 2 minutes
#   BUILD   a folder with the test programs and bench_fused, as `make portable` fills build/portable
#   OUTDIR  where all output goes
cd "$(dirname "$0")/../.." || exit 1
all_parts="tests bench shapes ncu"
. scripts/gpu/gpu_parts.sh
if wanted tests; then
    timeout 30 "$build/test_recursive" > "$out/test_recursive.txt" 2>&1; echo "test_recursive: exit code $?"
    timeout 60 "$build/test_stepper" > "$out/test_stepper.txt" 2>&1; echo "test_stepper: exit code $?"
    grep -E '^\[  (FAILED|ERROR)|ERROR|FAILED|off by' "$out/test_stepper.txt" | head -30
fi
if wanted bench; then timeout 60 "$build/bench_fused" 5 2>&1 | tee "$out/bench.txt"; fi
# the same works laid out otherwise: lanes x blocks a multiprocessor x values in shared memory x warps a block; as long
# as the limit allows
shapes() {  # SECONDS FIRST LAST SHAPE...: bench_fused over works FIRST .. LAST
    limit=$1 first=$2 last=$3; shift 3
    rows=$(printf ',cuda.fused+%s' "$@" | cut -c2-)
    BENCH_FIRST=$first BENCH_LAST=$last BENCH_ROWS=$rows timeout "$limit" "$build/bench_fused" 3 2>&1 |
        tee -a "$out/shapes.txt"
}
if wanted shapes; then
    : > "$out/shapes.txt"
    shapes 25 3 4 32x3 32x4x16 32x5x32 16x2x32 16x2x24 16x3x64 32x1x0x12      # hyperdiffusion, n = 1024, both
    shapes 20 2 2 16x3 16x5x32 8x2x32 8x2x24                                  # n = 512
    shapes 15 8 9 4x3 4x2 8x2 8x3x24 16x3                                     # n = 128, 333
    shapes 15 10 12 16x2x32 16x3x64 32x2 32x2x24 32x2x32                      # n = 1000, 1500, 2048
    shapes 25 13 16 4x3 8x3 16x3 32x4 32x3                                    # Cahn-Hilliard
    shapes 20 18 19 32x3 32x4 16x3 16x4                                       # forced
fi
wanted ncu || exit 0
if command -v ncu > /dev/null; then
    metrics=sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,smsp__inst_executed.sum
    metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu.sum
    for work in 3 18; do
        BENCH_FIRST=$work BENCH_LAST=$work timeout 60 ncu --clock-control none -k fused_k -c 1 \
            --section SpeedOfLight --section WarpStateStats --section SchedulerStats --section Occupancy \
            --section LaunchStats --metrics $metrics "$build/bench_fused" 1 > "$out/ncu_$work.txt" 2>&1
        grep -E 'fp64|Duration|Registers Per|Achieved Occ|Issued Warp|Stall|No Eligible' "$out/ncu_$work.txt" | head -40
    done
else
    echo "ncu: not on this machine"
fi
