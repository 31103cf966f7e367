#!/bin/bash
# gpu_fused.sh BUILD OUTDIR: cuda.fused on a machine with a GPU: verified, then timed; at most 5 minutes.
#   BUILD   a folder with the test programs and bench_fused, as `make portable` fills build/portable
#   OUTDIR  where all output goes
cd "$(dirname "$0")/.." || exit 1
build=${1:?usage: scripts/gpu_fused.sh BUILD OUTDIR} out=${2:?usage: scripts/gpu_fused.sh BUILD OUTDIR}
mkdir -p "$out"
export SW_NEED=cuda
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,power.limit --format=csv | tee "$out/device.txt"
timeout 30 "$build/test_recursive" > "$out/test_recursive.txt" 2>&1; echo "test_recursive: exit code $?"
timeout 60 "$build/test_stepper" > "$out/test_stepper.txt" 2>&1; echo "test_stepper: exit code $?"
grep -E '^\[  (FAILED|ERROR)|ERROR|FAILED|off by' "$out/test_stepper.txt" | head -30
timeout 60 "$build/bench_fused" 5 2>&1 | tee "$out/bench.txt"
# the same works laid out otherwise: lanes x blocks a multiprocessor
BENCH_FIRST=2 BENCH_LAST=3 BENCH_ROWS=cuda.fused+32x2,cuda.fused+32x3,cuda.fused+32x4,cuda.fused+32x3c,cuda.fused+32x4c,cuda.fused+16x3,cuda.fused+16x3c,cuda.fused+16x4 \
    timeout 40 "$build/bench_fused" 3 2>&1 | tee "$out/shapes.txt"
BENCH_FIRST=7 BENCH_LAST=8 BENCH_ROWS=cuda.fused+4x2,cuda.fused+4x3,cuda.fused+8x3,cuda.fused+8x4,cuda.fused+8x5,cuda.fused+8x4c,cuda.fused+16x6 \
    timeout 40 "$build/bench_fused" 3 2>&1 | tee -a "$out/shapes.txt"
BENCH_FIRST=13 BENCH_LAST=18 BENCH_ROWS=cuda.fused+32x2,cuda.fused+32x3,cuda.fused+32x4,cuda.fused+32x3c,cuda.fused+32x4c,cuda.fused+16x3 \
    timeout 40 "$build/bench_fused" 3 2>&1 | tee -a "$out/shapes.txt"
if command -v ncu > /dev/null; then
    for work in 3 18; do
        BENCH_FIRST=$work BENCH_LAST=$work timeout 60 ncu --clock-control none -k fused_k -c 1 \
            --section SpeedOfLight --section WarpStateStats --section SchedulerStats --section Occupancy --section LaunchStats \
            --metrics sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,smsp__inst_executed.sum,l1tex__data_bank_conflicts_pipe_lsu.sum \
            "$build/bench_fused" 1 > "$out/ncu_$work.txt" 2>&1
        grep -E 'fp64|Duration|Registers Per|Achieved Occ|Issued Warp|Stall|No Eligible' "$out/ncu_$work.txt" | head -40
    done
else
    echo "ncu: not on this machine"
fi
