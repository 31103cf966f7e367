#!/bin/bash
# bench_noise.sh [BUILD [OUT]]: what noise costs on one core of this machine: lines of 256 points and planes of 64 x 64
# by cpu.simd and imex1, without noise, with white noise, and with that of a flux. docs/howto/noise.md has the numbers.
build=${1:-build} out=${2:-results/bench/noise_cpu.csv}
rm -f "$out"
for grid in n=256,batch=512,steps=200 'n=[64,64],batch=32,steps=100'; do
    for noise in '' ',noise="0.1"' ',noise={conserved="0.1";}'; do
        OMP_NUM_THREADS=1 "$build/sweep" bench "cahn_hilliard:per_run,$grid,method=imex1$noise" --device cpu -j 1 \
            --rows cpu.simd --repeats 5 --longest 2 -q -o "$out" || exit
    done
done
