#!/bin/bash
# bench_noise.sh [BUILD [OUT [DEVICE]]]: what noise costs: lines of 256 points and planes of 64 x 64 by imex1, without
# noise, with white noise, and with that of a flux; on one core of this machine by cpu.simd (DEVICE cpu, the default),
# on a GPU by cuda.fused (DEVICE cuda). docs/howto/noise.md has the numbers.
build=${1:-build} device=${3:-cpu}
case $device in
    cpu) row=cpu.simd lines=512 line_steps=200 planes=32 plane_steps=100 ;;
    cuda) row=cuda.fused lines=200000 line_steps=200 planes=8192 plane_steps=200 ;;
    *) echo "bench_noise.sh: the device is cpu or cuda" >&2; exit 2 ;;
esac
out=${2:-results/bench/noise_$device.csv}
rm -f "$out"
for grid in "n=256,batch=$lines,steps=$line_steps" "n=[64,64],batch=$planes,steps=$plane_steps"; do
    for noise in '' ',noise="0.1"' ',noise={conserved="0.1";}'; do
        OMP_NUM_THREADS=1 "$build/sweep" bench "cahn_hilliard:per_run,$grid,method=imex1$noise" -j 1 \
            --device "$device" --rows "$row" --repeats 5 --longest 2 -q -o "$out" || exit
    done
done
